"""Runs the command `mmk` for reports that the library does not make."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, List, Tuple

from mmk.errors import Bug, Error


def executable() -> str:
    """The command: of the environment variable MMK, beside the package, or in PATH."""
    beside = pathlib.Path(__file__).resolve().parent / "bin" / "mmk"
    for found in (os.environ.get("MMK"), str(beside) if beside.exists() else None, shutil.which("mmk")):
        if found:
            return found
    raise Error("the command mmk is needed for this report: it is not in PATH, and the environment variable "
                "MMK does not name it")


def run(words: List[str], text: str, name: str) -> str:
    """The standard output of a command on a program. Its errors are exceptions, with the program's name."""
    done = subprocess.run([executable(), *words], input=text, capture_output=True, text=True)
    if done.returncode in (0, 1):
        return done.stdout
    message = done.stderr.replace("<stdin>", name).rstrip("\n")
    raise Error(message.removeprefix("error: ")) if done.returncode == 2 else Bug(message)


def report(words: List[str], text: str, name: str) -> Tuple[Any, str]:
    """The report of a command as data, and as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        printed = run([*words, "--json", path], text, name)
        with open(path, encoding="utf-8") as file:
            return json.load(file), printed
