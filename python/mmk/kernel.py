"""Compiling a kernel, and what it reports beside its results."""

from __future__ import annotations

import collections
import os
import pathlib
from typing import Any, Dict, Mapping, Optional, Union

from mmk import _mmk, command, reports

Source = Union[str, "os.PathLike[str]"]


class Kernel(_mmk.Kernel):
    """A kernel compiled for a machine and a variant. It is called with arrays:

        c = kernel(a, b, bias, alpha=0.1)        # results are made
        kernel(a, b, bias, out=c)                # or the caller gives memory

    Arrays are NumPy's, PyTorch's, and any with the buffer protocol or DLPack; they are used in place, with
    their strides. Results are arrays of NumPy, or tensors of PyTorch where a parameter is one; several
    results are a named tuple. `threads=` limits the threads of a call. Any number of Python threads may call
    one kernel at once.
    """

    def __init__(self, text: str, name: str, machine: str, kernel: Optional[str], variant: Optional[str],
                 cache: Optional[str], shape: Mapping[str, int], ints: Mapping[str, int]):
        super().__init__(text, name, machine, kernel, variant, cache, dict(shape), dict(ints))
        self.machine = machine
        self._source = (text, name)
        self._options = {"cache": cache, "ints": dict(ints)}
        names = list(self.results)
        if len(names) > 1:
            self._set_result_type(collections.namedtuple(f"{self.name}_results", names, rename=True))

    @property
    def parameters(self) -> Dict[str, str]:
        """Each parameter with its type: {"a": "f16[M, K]", "alpha": "f32"}."""
        return dict(self._signature(False))

    @property
    def results(self) -> Dict[str, str]:
        """Each result with its type."""
        return dict(self._signature(True))

    def pack(self, **constants: Any) -> Any:
        """Lays out an operand that the kernel declares as `const`, to be given in its place in calls:
        `kernel(x, kernel.pack(w=weights))`. Several are a dictionary, `kernel(x, **packed)`."""
        packed = {name: self._pack(name, array) for name, array in constants.items()}
        return next(iter(packed.values())) if len(packed) == 1 else packed

    def count(self, **dims: int) -> reports.Count:
        """The kernel time on an AI core at these dimensions, without data."""
        return reports.Count(self, dims, *self._count(dims))

    def explain(self, **dims: int) -> reports.Explanation:
        """Where the time goes on an AI core, and what changes of the variant would save."""
        return reports.Explanation(*self._run("explain", dims))

    def profile(self, directory: Optional[Source] = None, **dims: int) -> reports.Profile:
        """Runs the kernel on an emulated AI core: every pipe's timeline, in a folder or in memory."""
        return reports.Profile.of(self, directory, dims)

    def tune(self, effort: str = "quick", budget: Union[int, str, None] = None, **dims: int) -> reports.Tune:
        """Searches for the best variant at these dimensions."""
        options = ["--effort", effort]
        if budget is not None:
            options += ["--budget", str(budget)]
        return reports.Tune(self, *self._run("tune", dims, options, with_variant=False))

    def with_variant(self, variant: str) -> "Kernel":
        """The same kernel compiled as another variant."""
        text, name = self._source
        return type(self)(text, name, self.machine, self.name, variant, self._options["cache"], {},
                          self._options["ints"])

    def _run(self, verb: str, dims: Mapping[str, int], options: Any = (), with_variant: bool = True) -> Any:
        """Runs a command of mmk on this kernel: its report as data, and as text."""
        words = [verb, "-", "--kernel", self.name, "--machine", self.machine, *options]
        if with_variant:
            words += ["--variant", self.variant]
        values = {**self._options["ints"], **dims}
        return command.report([*words, *(f"{name}={value}" for name, value in values.items())], *self._source)

    def __repr__(self) -> str:
        def listed(arguments: Mapping[str, str]) -> str:
            return ", ".join(f"{name}: {kind}" for name, kind in arguments.items())

        return f"<mmk.Kernel {self.name}({listed(self.parameters)}) -> {listed(self.results)}, {self.machine}>"


def compile(source: Source, *, kernel: Optional[str] = None, machine: str = "host",
            variant: Optional[str] = None, shape: Optional[Mapping[str, int]] = None,
            ints: Optional[Mapping[str, int]] = None, cache: Union[bool, Source] = True,
            choices: Optional[Mapping[str, Any]] = None, **directives: Any) -> Kernel:
    """Compiles a kernel for any shape.

    `source` is the text of a program, or the path of one. `kernel` names one of several. `machine` is
    "host", an AI core ("ascend910b3"), or the path of a description. `variant` is a variant's printed name;
    `choices` fixes directives, {"tile.M": 64}, and so do keywords with a `_` for the dot: tile_M=64. With
    `shape`, {"M": 2048}, an AI core's open directives are chosen for it. `ints` are the kernel's int
    parameters. Compiled code is kept in `cache`, a folder, by default that of the command.
    """
    text, name = _read(source)
    fixed = {**(choices or {}), **{key.replace("_", ".", 1): word for key, word in directives.items()}}
    words = [variant] if variant else []
    words += [f"{key}={word}" for key, word in fixed.items()]
    folder = _cache_folder() if cache is True else os.fspath(cache) if cache else None
    return Kernel(text, name, machine, kernel, ",".join(words) or None, folder, shape or {}, ints or {})


def _read(source: Source) -> Any:
    """The text of a program and its name: a path has no brace."""
    if isinstance(source, str) and "{" in source:
        return source, "kernel.mmk"
    path = pathlib.Path(source)
    return path.read_text(), str(path)


def _cache_folder() -> Optional[str]:
    """The folder in which the command keeps compiled code; None where it cannot be made."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.environ.get("MMK_CACHE_DIR") or os.path.join(base, "mmk")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return None
    return folder
