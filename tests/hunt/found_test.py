#!/usr/bin/env python3
"""What hunts have found: each of found/*.mmk says in comments how it is run, and is right now.

    found_test.py MMK
"""

import os
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from resident import Resident  # noqa: see there

FOUND = pathlib.Path(__file__).resolve().parent / "found"


def commands_of(path):
    start = "// mmk run "
    lines = [line for line in path.read_text().splitlines() if line.startswith(start)]
    assert lines, f"{path.name} has no line that begins with '{start}'"
    return [shlex.split(line.removeprefix(start)) for line in lines]


def main():
    mmk = Resident(sys.argv[1])
    wrong = []
    runs = [(path, command) for path in sorted(FOUND.glob("*.mmk")) for command in commands_of(path)]
    for path, command in runs:
        # A watched program is compiled separately, and all of its blocks run. The host has no watch.
        for watched in ([], ["--watch"] if "host" not in command else []):
            done = mmk.run(["mmk", "run", *command, *watched], cwd=FOUND, env=os.environ)
            if done.returncode != 0:
                wrong.append(f"{path.name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main())
