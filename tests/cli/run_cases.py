#!/usr/bin/env python3
"""Wrong invocations of `mmk`, each in a file of its own: cases/NAME.case.

    # why this is wrong
    $ mmk run matmul.mmk M=-1 N=1 K=1
    exit 2
    error: the dimension M is an integer from 0 to 2147483647, found -1

The line after `$` is for bash, in a folder that fixtures.py has filled. What stands below `exit` is
the whole of standard error; `{*}` in it is what differs from computer to computer. Whatever the
invocation, a signal and exit code 3 are failures.

`./dev goldens cli/wrong_invocations` rewrites the exit codes and the texts; read them then.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import fixtures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from resident import Resident  # noqa: see there
from shards import mine  # noqa: see there

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 300


class Case:
    def __init__(self, path):
        self.path = path
        lines = path.read_text().splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("$ "))
        self.why, self.command = lines[:at], lines[at][2:]
        self.exit = int(lines[at + 1].removeprefix("exit ")) if at + 1 < len(lines) else None
        self.text = "".join(line + "\n" for line in lines[at + 2 :])

    def expects(self, text):
        pattern = ".*".join(re.escape(part) for part in self.text.split("{*}"))
        return re.fullmatch(pattern, text) is not None

    def rewrite(self, code, text):
        head = "".join(line + "\n" for line in self.why)
        self.path.write_text(f"{head}$ {self.command}\nexit {code}\n{text}")


def run(command, folder, mmk, resident):
    environment = dict(os.environ, HOME=str(folder), MMK_CACHE_DIR=str(folder / "cache"))
    environment["PATH"] = f"{mmk.parent}:{environment['PATH']}"
    environment.pop("XDG_CACHE_HOME", None)
    if re.fullmatch(r"mmk [^|;&<>$`*?~(){}#\\!]*", command):
        done = resident.run(shlex.split(command), cwd=folder, env=environment, timeout=SECONDS, input=b"")
        return done.returncode, done.stderr.decode("utf-8", "replace")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    return done.returncode, done.stderr.decode("utf-8", "replace")


def faults(case, code, text):
    if not any(line.startswith("# ") for line in case.why):
        yield "the file does not say why the invocation is wrong"
    if code < 0 or code >= 128:
        yield f"ended by a signal ({code})"
    if code == 3:
        yield "reported a bug in mmk"
    if code != case.exit:
        yield f"exit code {code}, expected {case.exit}"
    if not case.expects(text):
        yield f"standard error:\n{text}expected:\n{case.text}"


def main():
    mmk = pathlib.Path(sys.argv[1]).resolve()
    resident = Resident(mmk)
    names = sys.argv[2:]
    cases = [Case(path) for path in mine(sorted((HERE / "cases").glob("*.case")))
             if not names or path.stem in names]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        fixtures.make(folder)
        for case in cases:
            code, text = run(case.command, folder, mmk, resident)
            wrong = list(faults(case, code, text))
            if wrong and os.environ.get("MMK_UPDATE"):
                case.rewrite(code, text)
            failed += bool(wrong)
            for fault in wrong:
                print(f"{case.path.stem}: $ {case.command}\n{fault}\n")
    print(f"{len(cases)} invocations, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
