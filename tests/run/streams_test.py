"""Standard input, output and error: terminals, pipes that break, streams that are closed."""

import fcntl
import os
import pty
import resource
import signal
import subprocess
import sys
import termios
import time
import unittest

from command import EXAMPLES, INSTRUMENTED, MMK, CommandTest, main

FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"


class Streams(CommandTest):
    def unread(self, pipe):
        """The bytes in a pipe that its reader has not taken."""
        return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)

    def on_terminal(self, *words, **environment):
        """All that a run writes to a terminal."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([MMK, *map(str, words)], cwd=self.folder, stdin=follower,
                                   stdout=follower, stderr=follower,
                                   env={**self.environment, **environment})
        os.close(follower)
        text = b""
        while True:
            try:
                block = os.read(leader, 65536)
            except OSError:  # the error of Linux when the other side is closed
                break
            if not block:
                break
            text += block
        os.close(leader)
        process.wait()
        return text.decode()

    def test_colours_on_a_terminal_alone(self):
        self.environment.pop("NO_COLOR", None)
        self.assertIn("\033[1m", self.on_terminal("run", FUSED, "--case", "thin"))
        self.assertIn("\033[1;31m", self.on_terminal("check", "nowhere.mmk"))
        self.assertNotIn("\033", self.mmk("run", FUSED, "--case", "thin"))
        self.mmk("check", "nowhere.mmk", exit=2)
        self.assertNotIn("\033", self.said)

    def test_no_color(self):
        text = self.on_terminal("run", FUSED, "--case", "thin", NO_COLOR="1")
        self.assertNotIn("\033[1m", text)
        self.assertNotIn("\033[1;31m", self.on_terminal("check", "nowhere.mmk", NO_COLOR="1"))

    def test_under_mpirun_they_are_asked_for(self):
        self.environment.pop("NO_COLOR", None)
        plain = {"OMPI_COMM_WORLD_SIZE": "2"}
        self.assertNotIn("\033", self.on_terminal("run", FUSED, "--case", "thin", **plain))
        self.assertIn("\033[1m", self.on_terminal("run", FUSED, "--case", "thin", **plain,
                                                  CLICOLOR_FORCE="1"))

    def test_progress_on_a_terminal_alone(self):
        text = self.on_terminal("run", FUSED, "--case", "thin", NO_COLOR="1")
        self.assertIn("the case 'thin': reference", text)
        self.mmk("run", FUSED, "--case", "thin")
        self.assertEqual(self.said, "")

    def test_a_reader_that_goes_away(self):
        for line in ["mmk run examples/matmul_bias_leakyrelu.mmk | true",
                     "mmk compile examples/matmul.mmk | head -c 10 > /dev/null",
                     "mmk help run | true",
                     "mmk run examples/matmul.mmk --case tiny --json - | true"]:
            done = self.shell(line + '; echo "${PIPESTATUS[0]}"')
            self.assertEqual((done.stdout, done.stderr), ("0\n", ""), line)

    def test_closed_streams(self):
        for line in ["mmk run examples/matmul.mmk --case tiny >&-",
                     "mmk run examples/matmul.mmk --case tiny <&- >/dev/null",
                     "mmk run examples/matmul.mmk --case tiny 2>&- >/dev/null",
                     "mmk run examples/matmul.mmk --case tiny --json r.json <&- >&- 2>&-"]:
            done = self.shell(line)
            self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        self.assertTrue((self.folder / "r.json").read_text().startswith("["))

    def test_a_program_from_standard_input(self):
        text = FUSED.read_text()
        self.assertIn("ok", self.mmk("run", "-", "M=4", "N=4", "K=4", text=text))
        self.assertTrue(self.mmk("check", "-", text=text).startswith("ok: 1 kernel, 6 cases"))

    def test_a_limit_on_the_size_of_files(self):
        # A build that measures coverage writes more than that at its end.
        done = self.shell("export LLVM_PROFILE_FILE=/dev/null; ulimit -f 1; "
                          "mmk compile examples/matmul.mmk -o matmul.mlir")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "error: cannot write matmul.mlir: File too large\n"))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["examples"])

    @unittest.skipIf(INSTRUMENTED, "the sanitizer reports crashes itself")
    def test_a_crash_is_reported_as_a_bug(self):
        for number in [signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE]:
            process = subprocess.Popen([MMK, "check", "-", "--set", "it's"], cwd=self.folder,
                                       stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            # It is at work once it has read its standard input.
            process.stdin.write(b"kernel")
            process.stdin.flush()
            while self.unread(process.stdin):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(number)
            _, output = process.communicate()
            self.assertEqual((process.returncode, output.decode()),
                             (3, "error: mmk has crashed\nnote: this is a bug in mmk; reproduce it "
                                 "with: mmk check - --set 'it'\\''s'\n"))

    def test_numbers_do_not_follow_the_locale(self):
        self.environment.update(LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        self.assertNotIn(",", self.mmk("run", FUSED, "--case", "thin").splitlines()[-1])

    @unittest.skipIf(INSTRUMENTED, "a sanitizer multiplies the time")
    def test_a_tiny_shape_is_quick(self):
        self.mmk("run", FUSED, "M=1", "N=1", "K=1")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.mmk("run", FUSED, "M=1", "N=1", "K=1")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        # CPU time, as wall-clock time depends on what else runs. It is less than a tenth of that; the
        # test finds a start that takes seconds.
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertLess(seconds, 1)


if __name__ == "__main__":
    main()
