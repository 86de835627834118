"""Runs mmk's command lines one after the other in one process, build/bin/mmk-resident, as if each were
a process: with a folder, an environment and standard streams of its own. A process that ends, or takes
too long, is replaced by the next run."""

import atexit
import os
import pathlib
import socket
import struct
import subprocess

# In seconds: a command that takes longer hangs, however loaded the computer is.
LONGEST = 1200


class Resident:
    def __init__(self, mmk):
        """The command is only looked up: `mmk-resident` lies beside it."""
        self._program = pathlib.Path(mmk).resolve().with_name("mmk-resident")
        self.process = None

    def _start(self):
        self._channel, other = socket.socketpair()
        with other:
            self.process = subprocess.Popen([self._program, str(other.fileno())], pass_fds=[other.fileno()])
        atexit.register(self.stop)

    def stop(self, kill=False):
        """Ends the process, which then writes its coverage, and in a build with sanitizers looks for leaks."""
        if not self.process:
            return
        self._channel.close()
        if kill:
            self.process.kill()
        code = self.process.wait(LONGEST)
        self.process = None
        atexit.unregister(self.stop)
        if code and not kill:
            print(f"mmk-resident ended with {code}", flush=True)
            os._exit(1) # atexit drops exceptions

    def run(self, words, cwd, env, timeout=LONGEST, input=None):
        """As subprocess.run does, with its output captured; as text, unless the input is bytes."""
        binary = isinstance(input, bytes)
        if not self.process:
            self._start()
        fields = [str(cwd), str(len(env)), *(f"{name}={value}" for name, value in env.items()), *words]
        message = b"".join(os.fsencode(field) + b"\0" for field in fields)
        with open(os.memfd_create("in"), "w+b") as given, open(os.memfd_create("out"), "w+b") as out, \
                open(os.memfd_create("err"), "w+b") as err:
            given.write(input if binary else (input or "").encode())
            given.seek(0)
            self._channel.settimeout(timeout)
            try:
                socket.send_fds(self._channel, [struct.pack("=Q", len(message))],
                                [given.fileno(), out.fileno(), err.fileno()])
                self._channel.sendall(message)
                code = self._channel.recv(1)
            except TimeoutError:
                self.stop(kill=True)
                raise subprocess.TimeoutExpired(words, timeout) from None
            except ConnectionError:
                code = b""
            if code:
                code = code[0]
            else: # it has ended
                code = self.process.wait()
                self.stop(kill=True)
            for file in (out, err):
                file.seek(0)
            said = [file.read() if binary else file.read().decode() for file in (out, err)]
            return subprocess.CompletedProcess(words, code, *said)
