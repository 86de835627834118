"""The command line: `python3 -m mmk.onnx`, which `mmk import` runs."""

from __future__ import annotations

import argparse
import pathlib
import sys
import traceback
from typing import Any, Dict, List

SUCCESS, NOT_ALL, USER_ERROR, BUG = 0, 1, 2, 3


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="mmk import", allow_abbrev=False, add_help=False)
    made.add_argument("model")
    made.add_argument("given", nargs="*")
    made.add_argument("-o", "--output", dest="folder")
    made.add_argument("--machine", default="host")
    return made


def value(word: str) -> Any:
    """A number, a list of numbers, or the array of a .npy file."""
    import numpy

    if word.endswith(".npy"):
        return numpy.load(word)
    numbers = [float(part) if set(part) & set(".einEIN") else int(part) for part in word.strip("[]").split(",") if part]
    return numpy.array(numbers if word.startswith("[") or "," in word else numbers[0])


def main(words: List[str]) -> int:
    import mmk
    from mmk.onnx import ModelError, import_model

    options = parser().parse_args(words)
    given: Dict[str, Any] = {}
    for word in options.given:
        name, equals, text = word.rpartition("=")
        try:
            if not equals:
                raise ValueError
            given[name] = value(text)
        except OSError as error:
            return failed(f"cannot read '{text}': {error.strerror}")
        except ValueError:
            return failed(f"expected NAME=VALUE with a number, numbers as 1,2,3 or a .npy file, found '{word}'")
    folder = options.folder or pathlib.Path(options.model).stem
    try:
        imported = import_model(options.model, folder, given, options.machine)
    except (ModelError, mmk.Error) as error:
        return failed(str(error))
    except OSError as error:
        return failed(f"cannot write '{folder}': {error.strerror}")
    except Exception:
        traceback.print_exc()
        failed(f"a bug in mmk import; please report it with {options.model}")
        return BUG
    lay_out([pathlib.Path(folder) / kernel.file for kernel in imported.kernels])
    print(imported)
    print(f"wrote {len(imported.kernels)} kernels, weights.npz and run.py to {folder}")
    return NOT_ALL if imported.refused else SUCCESS


def lay_out(files: List[pathlib.Path]) -> None:
    """Writes the kernels in the style of `mmk format`, which the native command has; their meaning stays."""
    from mmk import Error, command

    try:
        command.executable()
    except Error:
        print("note: the kernels are not formatted, since the command mmk is not in PATH", file=sys.stderr)
        return
    if files:
        command.run(["format", *map(str, files)], "", "")


def failed(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return USER_ERROR


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
