#!/usr/bin/env python3
"""Runs docs/tutorial.md, or another page, as a reader would, and compares what comes out with what stands there.

The page is read from top to bottom, in an empty folder. A block behind `<!-- file: NAME -->` is
written to that file; of a ```console block each line `$ COMMAND` is run, and the lines below it
must be what it writes. Only the two columns that are measured on this computer may differ.

  tutorial_test.py MMK [PAGE]    compare; with MMK_UPDATE in the environment, rewrite the outputs in the page
"""

import difflib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / (sys.argv[2] if len(sys.argv) > 2 else "tutorial.md")
BLOCK = re.compile(r"(?:^<!-- file: (?P<file>\S+) -->\n)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
BUG = 3  # the exit code of mmk for a mistake of its own; the shell has others from 126


def without_host_times(text):
    """The text with a # for each figure below `host ms` and `GFLOP/s`, the last two columns."""
    lines = []
    timed = False
    for line in text.splitlines():
        head = re.fullmatch(r"(.*\S)\s+host ms\s+GFLOP/s", line)
        row = re.fullmatch(r"(.*\S)\s+[\d.e-]+\s+[\d.e-]+", line)
        if head:
            timed = True
            line = head[1] + "  host ms  GFLOP/s"
        elif timed and row:
            line = row[1] + "  #  #"
        else:
            timed = False
        lines.append(line)
    return lines


class Reader:
    """A user in an empty folder, with mmk, python3 and clang++ on the path, and the sources of mmk."""

    def __init__(self, mmk, folder):
        self.folder = folder / "work"
        self.folder.mkdir()
        tools = folder / "bin"
        tools.mkdir()
        compiler = os.environ.get("CXX", "clang++")
        for name, target in (("mmk", mmk), ("python3", sys.executable), ("clang++", shutil.which(compiler))):
            (tools / name).write_text(f'#!/bin/sh\nexec "{target}" "$@"\n')
            (tools / name).chmod(0o755)
        self.environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                                MMK_CACHE_DIR=str(folder / "cache"), MMK_SOURCE=str(ROOT))
        self.failures = 0

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
        if done.returncode < 0 or done.returncode == BUG or done.returncode >= 126:
            print(f"$ {command}\nended with {done.returncode}:\n{done.stdout}")
            self.failures += 1
        return done.stdout

    def follow(self, block, update):
        """Does what a block says; returns the block as it should be."""
        if block["file"]:
            (self.folder / block["file"]).write_text(block["body"])
        if block["kind"] != "console":
            return block[0]
        body = ""
        for step in re.split(r"^(?=\$ )", block["body"], flags=re.MULTILINE):
            if not step:
                continue
            first, _, shown = step.partition("\n")
            given = self.run(first.removeprefix("$ "))
            if given and not given.endswith("\n"):
                given += "\n"
            expected, found = without_host_times(shown), without_host_times(given)
            if expected == found:
                given = shown
            elif not update:
                print(first)
                print("\n".join(difflib.unified_diff(expected, found, PAGE.name, "now", lineterm="")))
                self.failures += 1
            body += f"{first}\n{given}"
        return f"```console\n{body}```"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if not importlib.util.find_spec("numpy"):
        sys.exit(f"the reader of the tutorial has NumPy, {sys.executable} has none")
    mmk = pathlib.Path(sys.argv[1]).resolve()
    update = bool(os.environ.get("MMK_UPDATE"))
    page = PAGE.read_text()
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(mmk, pathlib.Path(folder))
        fresh = BLOCK.sub(lambda block: reader.follow(block, update), page)
    if update and fresh != page:
        PAGE.write_text(fresh)
        print(f"rewrote {PAGE.name}")
    if reader.failures:
        sys.exit(f"{reader.failures} commands do not give what docs/{PAGE.name} shows; "
                 f"./dev goldens docs/{PAGE.stem} rewrites it")


if __name__ == "__main__":
    main()
