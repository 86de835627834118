"""Runs `mmk` as a process, for the tests of this folder."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from resident import LONGEST, Resident  # noqa: for the tests of this folder
from shards import ALL, divided, in_turn, main, mine, pairs  # noqa: for the tests of this folder

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
MMK = pathlib.Path(os.environ["MMK"]).resolve()
RESIDENT = Resident(MMK)
# Built to watch itself: needs more memory, and leaves crashes to the sanitizer.
INSTRUMENTED = os.environ.get("MMK_INSTRUMENT") in ("address", "thread")


def sets(choices):
    """The words of the command line for these choices."""
    return [word for choice in choices for word in ("--set", choice)]


class CommandTest(unittest.TestCase):
    """Each test has a folder of its own, with a cache of its own in it."""

    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "examples").symlink_to(EXAMPLES)
        self.environment = dict(os.environ, MMK_CACHE_DIR=str(self.folder / "cache"))
        # With the python3 of the tests first, which mmk import starts.
        self.environment["PATH"] = f"{MMK.parent}:{pathlib.Path(sys.executable).parent}:{self.environment['PATH']}"

    def mmk(self, *words, exit=0, text=None):
        """Returns the standard output of a run; fails unless its exit code is `exit` (None: any)."""
        done = RESIDENT.run([MMK, *map(str, words)], cwd=self.folder, env=self.environment, input=text)
        self.code = done.returncode
        self.assertIn(exit, (None, done.returncode), f"mmk {' '.join(map(str, words))}\n{done.stderr}")
        self.said = done.stderr
        return done.stdout

    def new_process(self):
        """Later commands find nothing that earlier ones keep in memory, such as a limit or code that is loaded."""
        RESIDENT.stop()

    def report(self, *words, exit=0):
        """The report of a run, as JSON."""
        return json.loads(self.mmk("run", *words, "--json", "-", exit=exit))

    def shell(self, line):
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment,
                              timeout=LONGEST, capture_output=True, text=True)
