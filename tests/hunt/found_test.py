#!/usr/bin/env python3
"""What hunts have found: each of found/*.mmk says in a comment how it is run, and is right now.

    found_test.py MMK
"""

import pathlib
import shlex
import subprocess
import sys

FOUND = pathlib.Path(__file__).resolve().parent / "found"


def command_of(path):
    start = "// mmk run "
    lines = [line for line in path.read_text().splitlines() if line.startswith(start)]
    assert len(lines) == 1, f"{path.name} has {len(lines)} lines that begin with '{start}', not one"
    return shlex.split(lines[0].removeprefix(start))


def main():
    mmk = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = []
    for path in sorted(FOUND.glob("*.mmk")):
        # A watched program is compiled separately, and all of its blocks run.
        for watched in ([], ["--watch"]):
            done = subprocess.run([mmk, "run", *command_of(path), *watched], cwd=FOUND,
                                  capture_output=True, text=True)
            if done.returncode != 0:
                wrong.append(f"{path.name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main())
