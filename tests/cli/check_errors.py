#!/usr/bin/env python3
"""Every wrong program of tests/errors through the command itself: `mmk check` must end with exit
code 2 and with exactly the expected text; with 0 when it prints only warnings."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from resident import Resident  # noqa: see there
from shards import mine  # noqa: see there

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "errors"


def main():
    mmk = Resident(sys.argv[1])
    programs = mine(sorted(FOLDER.glob("*.mmk")))
    failed = 0
    for program in programs:
        expected = program.with_suffix(".expected").read_bytes()
        code = 2 if b": error: " in expected else 0
        done = mmk.run(["mmk", "check", program.name], cwd=FOLDER, env=os.environ, timeout=300, input=b"")
        if (done.returncode, done.stderr) != (code, expected):
            failed += 1
            print(f"{program.name}: exit code {done.returncode}, expected {code}; it said\n"
                  f"{done.stderr.decode('utf-8', 'replace')}expected\n"
                  f"{expected.decode('utf-8', 'replace')}")
    print(f"{len(programs)} programs, {failed} failed")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
