"""What a kernel says of itself: objects with the data of the command's JSON, a text for a terminal, and HTML
for a notebook."""

from __future__ import annotations

import html
import json
import pathlib
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any, Dict, Mapping

if TYPE_CHECKING:
    from mmk.kernel import Kernel


def _spelled(dims: Mapping[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in dims.items())


def _table(rows: Mapping[str, object]) -> str:
    """Rows of a name and a value as HTML."""
    cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                    f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>"
                    for name, value in rows.items())
    return f"<table>{cells}</table>"


class Count:
    """The kernel time on an AI core."""

    def __init__(self, kernel: "Kernel", dims: Mapping[str, int], cycles: int, microseconds: float):
        self.kernel = kernel.name
        self.machine = kernel.machine
        self.variant = kernel.variant
        self.dims = dict(dims)
        self.cycles = cycles
        self.microseconds = microseconds

    def __repr__(self) -> str:
        return (f"{self.kernel} {_spelled(self.dims)}: {self.microseconds:.2f} us, {self.cycles} cycles on "
                f"{self.machine}")

    def _repr_html_(self) -> str:
        return _table({"kernel": self.kernel, "dimensions": _spelled(self.dims), "machine": self.machine,
                       "time": f"{self.microseconds:.2f} us", "cycles": self.cycles, "variant": self.variant})


class Report:
    """A report of the command: `data` is its JSON, `str()` its text, and keys of the data are items."""

    def __init__(self, data: Any, text: str):
        self.data: Dict[str, Any] = data[0]
        self._text = text.rstrip("\n")

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def keys(self) -> Any:
        return self.data.keys()

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


class Explanation(Report):
    """Where the time of a kernel goes on an AI core."""

    @property
    def cycles(self) -> int:
        return self.data["clock"]["cycles"]

    @property
    def bound(self) -> str:
        """The pipe with most of the critical path."""
        pipes = self.data["critical_path"]["pipes"]
        return max(pipes, key=lambda pipe: pipe["cycles"])["pipe"]

    def _repr_html_(self) -> str:
        pipes = self.data["critical_path"]["pipes"]
        bars = "".join(
            f"<tr><td>{html.escape(pipe['core'])} {html.escape(pipe['pipe'])}</td><td style='width:20em'>"
            f"<div style='background:#4a7ab5;height:.8em;width:{100 * pipe['ratio']:.1f}%'></div></td>"
            f"<td>{100 * pipe['ratio']:.1f} %</td></tr>" for pipe in pipes)
        return f"<table><caption>critical path</caption>{bars}</table>{super()._repr_html_()}"


class Tune(Report):
    """A search for the best variant."""

    def __init__(self, kernel: "Kernel", data: Any, text: str):
        super().__init__(data, text)
        self._kernel = kernel

    @property
    def best(self) -> str:
        """The best variant's name, for `mmk.compile(..., variant=...)`."""
        return self.data["best"]["variant"]

    @property
    def speedup(self) -> float:
        """The default's time divided by the best one's."""
        return self.data["default"]["time_us"] / self.data["best"]["time_us"]

    def kernel(self) -> "Kernel":
        """The kernel compiled as the best variant."""
        return self._kernel.with_variant(self.best)


class Profile:
    """A run on an emulated AI core: `summary` is summary.json, `directory` has the other files."""

    def __init__(self, directory: pathlib.Path, text: str):
        self.directory = directory
        self._text = text.rstrip("\n")
        self.summary: Dict[str, Any] = json.loads((directory / "summary.json").read_text())

    @classmethod
    def of(cls, kernel: "Kernel", directory: Any, dims: Mapping[str, int]) -> "Profile":
        folder = pathlib.Path(directory or tempfile.mkdtemp(prefix="mmk-profile-"))
        _, text = kernel._run("run", dims, ["--profile", str(folder), "--no-check"])
        profile = cls(folder, text)
        if directory is None:
            weakref.finalize(profile, shutil.rmtree, folder, ignore_errors=True)
        return profile

    @property
    def html(self) -> str:
        """The page with the timeline, for a browser."""
        return (self.directory / "report.html").read_text()

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f"<iframe srcdoc=\"{page}\" style='width:100%;height:40em;border:0'></iframe>"
