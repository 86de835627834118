"""What the driver of an imported model, run.py, uses: kernels with their weights, and conversions of types that the
language does not have."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any, Callable, Dict, Mapping

import numpy

import mmk

CARRIERS = {"bool": "int8", "uint8": "int32", "int64": "int32"}


class Model:
    """The folder of an imported model."""

    def __init__(self, driver: str, inputs: Mapping[str, str]):
        self.folder = pathlib.Path(driver).resolve().parent
        self.machine = "host"  # or an AI core, before the first run
        self.inputs = dict(inputs)  # names of the model, and of the arguments of run()
        with numpy.load(self.folder / "weights.npz") as file:
            self.weights = {name: _carried(name, file[name]) for name in file.files}

    def kernel(self, file: str, **constants: numpy.ndarray) -> Callable[..., Any]:
        """A kernel of the folder with some of its operands. It is compiled by the first call."""
        bound: Dict[str, Any] = {}

        def call(**operands: Any) -> Any:
            if not bound:
                compiled = mmk.compile(self.folder / file, machine=self.machine)
                bound.update({name: compiled.pack(**{name: array}) if array.ndim else array
                              for name, array in constants.items()}, kernel=compiled)
            return bound["kernel"](**operands, **{name: bound[name] for name in constants})

        return call

    def input(self, name: str, array: Any, kind: str) -> numpy.ndarray:
        """An input in the type that kernels have for it."""
        array = numpy.asarray(array)
        if array.dtype != kind:
            raise TypeError(f"'{name}' is {kind}, found {array.dtype}")
        return _carried(name, array)

    def output(self, array: numpy.ndarray, kind: str) -> numpy.ndarray:
        return array.astype(kind)

    def most(self, array: numpy.ndarray, *axes: int) -> int:
        """The largest magnitude of integers, or of their sums along these axes."""
        return int(numpy.abs(array.astype(numpy.int64)).sum(axes).max(initial=0))

    def expect_32_bits(self, name: str, limit: float) -> None:
        """What is int64 in the model, where its magnitudes are below this limit or at it."""
        if limit >= 2**31:
            raise OverflowError(f"'{name}' may have integers beyond 32 bits, which kernels do not have")

    def main(self, run: Callable[..., Dict[str, numpy.ndarray]]) -> None:
        """The command line of run.py: inputs and outputs are .npy files."""
        parser = argparse.ArgumentParser(description="Runs the model on inputs in .npy files.")
        parser.add_argument("inputs", nargs="*", metavar="NAME=FILE.npy", help=f"inputs: {', '.join(self.inputs)}")
        parser.add_argument("-o", metavar="DIR", default=".", help="where the outputs are written, as NAME.npy")
        parser.add_argument("--machine", default="host", help="an AI core that emulates the run; default: the host")
        words = parser.parse_args()
        self.machine = words.machine
        given = dict(word.partition("=")[::2] for word in words.inputs)
        if set(given) != set(self.inputs):
            parser.error(f"expected NAME=FILE.npy for each of {', '.join(self.inputs)}; found "
                         f"{', '.join(given) or 'none'}")
        try:
            results = run(**{self.inputs[name]: numpy.load(file) for name, file in given.items()})
        except (OSError, TypeError, OverflowError, mmk.Error) as error:
            sys.exit(f"error: {error}")
        for name, array in results.items():
            path = pathlib.Path(words.o) / f"{name.replace('/', '_')}.npy"
            path.parent.mkdir(parents=True, exist_ok=True)
            numpy.save(path, array)
            print(f"{name}: {array.dtype}{list(array.shape)} in {path}")


def _carried(name: str, array: numpy.ndarray) -> numpy.ndarray:
    carrier = CARRIERS.get(str(array.dtype))
    if carrier is None:
        return array
    if array.dtype == numpy.int64 and array.size and not -2**31 <= int(array.min()) <= int(array.max()) < 2**31:
        raise OverflowError(f"'{name}' has integers beyond 32 bits, which kernels do not have")
    return array.astype(carrier)
