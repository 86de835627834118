"""A client of mmk-lsp: the language server protocol over pipes, for the tests of this folder."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from shards import ALL, divided, main, mine, pairs  # noqa: for the tests of this folder

ROOT = pathlib.Path(__file__).resolve().parents[2]
LSP = pathlib.Path(os.environ["MMK_LSP"]).resolve()
MMK = LSP.with_name("mmk")
URI = "file:///home/user/test.mmk"


class Refused(Exception):
    """An answer that is an error."""


class Client:
    """One server. Requests wait for their answers; notifications of the server are kept in order."""

    def __init__(self, *words, capabilities=None, cache=None, **options):
        environment = os.environ if cache is None else dict(os.environ, MMK_CACHE_DIR=cache)
        self.process = subprocess.Popen([LSP, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.number = 0
        self.versions = {}
        self.notifications = collections.deque()
        self.capabilities = self.request("initialize", processId=None, rootUri=None, capabilities=capabilities or {},
                                         initializationOptions={"lower": False} | options)["capabilities"]
        self.notify("initialized")

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def receive(self):
        length = None
        while (line := self.process.stdout.readline().strip()) or length is None:
            if not line and self.process.poll() is not None:
                raise EOFError(f"the server has ended with {self.process.returncode}")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def notify(self, method, **parameters):
        self.send({"method": method, "params": parameters})

    def begin(self, method, **parameters):
        """Sends a request; returns its number."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        return self.number

    def finish(self, number):
        while True:
            message = self.receive()
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise Refused(message["error"]["message"])
                return message["result"]
            self.notifications.append(message)

    def request(self, method, **parameters):
        return self.finish(self.begin(method, **parameters))

    def next_message(self, method):
        """The next notification or request of the server of this method."""
        while True:
            for message in self.notifications:
                if message.get("method") == method:
                    self.notifications.remove(message)
                    return message
            self.notifications.append(self.receive())

    def next(self, method):
        return self.next_message(method)["params"]

    # Texts.

    def open(self, text, uri=URI):
        # Never a version again: messages of a text that was open before are not those of this one.
        self.versions[uri] = self.versions.get(uri, 0) + 1
        self.notify("textDocument/didOpen", textDocument={"uri": uri, "languageId": "mmk",
                                                          "version": self.versions[uri], "text": text})
        return self.messages(uri)

    def change(self, changes, uri=URI):
        self.versions[uri] += 1
        self.notify("textDocument/didChange", contentChanges=changes,
                    textDocument={"uri": uri, "version": self.versions[uri]})
        return self.messages(uri)

    def messages(self, uri=URI):
        """The messages of the current version of a text, as they are published first."""
        while True:
            published = self.next("textDocument/publishDiagnostics")
            if (published["uri"], published.get("version")) == (uri, self.versions[uri]):
                return published["diagnostics"]

    def at(self, method, place, uri=URI, **more):
        line, character = place
        return self.request(f"textDocument/{method}", textDocument={"uri": uri},
                            position={"line": line, "character": character}, **more)

    def of(self, method, uri=URI, **more):
        return self.request(f"textDocument/{method}", textDocument={"uri": uri}, **more)

    def end(self):
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(60)


def place_of(text, piece, number=0, behind=0):
    """Line and character (UTF-16) of the `number`-th occurrence of a piece of a text."""
    at = -1
    for _ in range(number + 1):
        at = text.index(piece, at + 1)
    before = text[:at + behind]
    line = before.rsplit("\n", 1)[-1]
    return before.count("\n"), len(line.encode("utf-16-le")) // 2


def slice_of(text, span):
    """The text of a range."""
    lines = text.split("\n")

    def offset(place):
        line = lines[place["line"]].encode("utf-16-le")[:2 * place["character"]]
        return sum(len(each) + 1 for each in lines[:place["line"]]) + len(line.decode("utf-16-le"))
    return text[offset(span["start"]):offset(span["end"])]


class ServerTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cache = folder.name

    def client(self, *words, **options):
        client = Client(*words, cache=self.cache, **options)
        self.addCleanup(client.process.communicate)
        self.addCleanup(client.process.kill)
        return client
