"""Imports a model: a folder with a kernel for each group, the weights, and the driver."""

from __future__ import annotations

import pathlib
import re
from typing import Any, Callable, List, Mapping, Optional, Set

import numpy
import onnx

import mmk
from mmk.onnx import graph as graphs
from mmk.onnx.definitions import Kind, Value, base
from mmk.onnx.driver import Driver
from mmk.onnx.elements import ELEMENTS
from mmk.onnx.errors import NotImportable
from mmk.onnx.graph import Graph, Refused
from mmk.onnx.groups import Group, Plan
from mmk.onnx.kernels import Kernel
from mmk.onnx.names import Names


class Imported:
    """What was imported, and what was not."""

    def __init__(self, name: str, graph: Graph):
        self.name = name
        self.graph = graph
        self.kernels: List[Kernel] = []
        self.inputs: List[Value] = []  # of the driver
        self.apart: List[str] = []  # kernels that mmk refused, whose nodes are computed each by itself
        self.views = 0  # nodes that are read in place

    @property
    def refused(self) -> List[Refused]:
        return self.graph.refused

    def __repr__(self) -> str:
        graph = self.graph
        inside = sum(len(kernel.nodes) for kernel in self.kernels)
        lines = [f"{self.name}: {graph.nodes} nodes: {inside} in {len(self.kernels)} kernels, {self.views} read in "
                 f"place, {len(graph.folded)} computed at import, {len(self.refused)} not imported"]
        for kernel in self.kernels:
            lines.append(f"  {kernel.file}: {', '.join(node.title for node in kernel.nodes)}")
        lines += [f"  computed apart: {message}" for message in self.apart]
        for node, reason in sorted(self.refused, key=lambda each: each.node.place):
            lines.append(f"  not imported: node {node.place}, {node.title}: {reason}")
        added = [value.name for value in self.inputs if value not in graph.inputs]
        if added:
            lines.append(f"  inputs of run.py in their place: {', '.join(added)}")
        return "\n".join(lines)


def import_model(model: Any, folder: Any, given: Optional[Mapping[str, Any]] = None, machine: str = "host") -> Imported:
    """Writes the kernels, weights.npz and run.py of a model into a folder.

    `model` is a path or an onnx.ModelProto. `given` has values of inputs that shape the kernels, as arrays, and sizes
    of dimensions. Each kernel is compiled for the machine; nodes that it refuses are reported.
    """
    name = "model.onnx" if isinstance(model, onnx.ModelProto) else pathlib.Path(model).name
    mmk.compile("kernel any(x: f32[N]) -> y: f32[N] { y = x; }", machine=machine)  # refuses an unknown machine
    whole = graphs.inferred(model) if isinstance(model, onnx.ModelProto) else graphs.load(str(model))
    graph = graphs.read(whole, given or {})
    imported = Imported(name, graph)
    alone: Set[int] = set()  # definitions that are computed each by itself
    checked: Set[str] = set()  # texts of kernels that the machine takes
    while True:
        names = _names(graph)
        plan = Plan(graph, alone)
        try:
            steps = _steps(imported, plan, names, lambda kernel: _compile(kernel, machine, checked))
            break
        except _Failed as failed:
            if len(failed.group.definitions) > 1:
                alone |= {id(each) for each in failed.group.definitions}
                titles = ", ".join(each.node.title for each in failed.group.definitions)
                imported.apart.append(f"{titles}: {failed.reason}")
            else:
                graph.refuse(failed.group.definitions[0], failed.reason)
    read = {id(base(value)) for each in plan.used for value in each.reads} | {id(base(v)) for v in graph.outputs}
    imported.inputs = [*(value for value in graph.inputs if value.kind in ELEMENTS or id(value) in read),
                       *(value for value in graph.missing if id(value) in read)]
    inside = {node.place for kernel in imported.kernels for node in kernel.nodes}
    imported.views = len({each.node.place for each in plan.used} - inside)
    _write(imported, pathlib.Path(folder), steps, names)
    return imported


class _Failed(Exception):
    """A group that cannot be written or compiled."""

    def __init__(self, group: Group, reason: str):
        super().__init__(reason)
        self.group = group
        self.reason = reason


def _names(graph: Graph) -> Names:
    names = Names()
    for dim in graph.dims.all():
        names.reserve(dim)
    for value in graph.values.values():
        names.of(value.name)
    return names


def _steps(imported: Imported, plan: Plan, names: Names, check: Callable[[Kernel], None]) -> List[Any]:
    """The kernels and views of a plan, in their order."""
    imported.kernels = []
    steps: List[Any] = []
    for step in plan.steps:
        if not isinstance(step, Group):
            steps.append(step)
            continue
        word = _word(step)
        try:
            kernel = Kernel(plan, step, names, imported.graph.dims, names.fresh(word))
            kernel.file = f"{len(imported.kernels) + 1:02}_{word}.mmk"
            kernel.text = f"// {', '.join(node.title for node in kernel.nodes)} of {imported.name}\n{kernel.text}"
            check(kernel)
        except NotImportable as error:
            raise _Failed(step, str(error))
        except mmk.Error as error:
            first = error.message.splitlines()[0]
            raise _Failed(step, "mmk refuses its kernel: " + re.sub(r"^(\S+:\d+:\d+: )?(error: )?", "", first))
        imported.kernels.append(kernel)
        steps.append(kernel)
    return steps


def _compile(kernel: Kernel, machine: str, checked: Set[str]) -> None:
    if kernel.text not in checked:
        mmk.compile(kernel.text, machine=machine)
        checked.add(kernel.text)


def _word(group: Group) -> str:
    """A name for the kernel of a group: of its first product, window or reduction, else of its last node."""
    anchors = (Kind.PRODUCT, Kind.WINDOW, Kind.ROWS)
    main = next((each for each in group.definitions if each.kind in anchors), group.definitions[-1])
    name = main.node.proto.name or main.results[0].value.name
    word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()[:60] or "kernel"
    return f"kernel_{word}" if word[0].isdigit() else word


def _write(imported: Imported, folder: pathlib.Path, steps: List[Any], names: Names) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in imported.kernels:
        (folder / kernel.file).write_text(kernel.text)
    driver = Driver(imported.graph, names)
    (folder / "run.py").write_text(driver.text(imported.name, steps, imported.inputs))
    numpy.savez(folder / "weights.npz", **{word: value.constant for word, value in driver.constants.items()})
