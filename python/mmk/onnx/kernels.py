"""Writes the kernel of a group."""

from __future__ import annotations

import re
from typing import List, Set, Tuple

from mmk.onnx.definitions import Result, base
from mmk.onnx.dimensions import Dim, Dimensions
from mmk.onnx.elements import element
from mmk.onnx.errors import NotImportable
from mmk.onnx.groups import Group, Plan
from mmk.onnx.names import Names
from mmk.onnx.scope import Parameter, Scope, declared


class Kernel:
    """A kernel with its text."""

    def __init__(self, plan: Plan, group: Group, names: Names, dims: Dimensions, name: str):
        self.group = group
        self.name = name
        self.nodes = [each.node for each in group.definitions]
        scope = Scope(names, dims, group.definitions)
        self.results: List[Tuple[Result, str]] = []  # with their names in the kernel and in the driver
        kept = _read_inside(plan, group)
        for definition in group.definitions:
            written = {id(result.value) for result in definition.results
                       if plan.is_read_outside(group, result.value)}
            self.results += scope.define(definition, kept, written)
        self.parameters: List[Parameter] = sorted(scope.parameters.values(),
                                                  key=lambda each: each.value.constant is not None)
        self.text = self._written(scope, dims)

    def _written(self, scope: Scope, dims: Dimensions) -> str:
        parameters = [declared(each) for each in self.parameters]
        if not parameters:
            raise NotImportable("it reads nothing: all of its operands are single constants")
        results = []
        for result, name in self.results:
            shape = [dims.resolve(dim) for dim in result.memory or result.value.shape]
            if 0 in shape:
                raise NotImportable("its result has no elements")
            kind = element(result.value.kind).mmk
            results.append(f"{name}: {kind}[{', '.join(map(str, shape))}]" if shape else f"{name}: {kind}")
        lines = [*scope.functions, *([""] if scope.functions else [])]
        head = f"kernel {self.name}({', '.join(parameters)}) -> {', '.join(results)} {{"
        if len(head) > 110:
            listed = ",\n  ".join(parameters)
            head = f"kernel {self.name}(\n  {listed}\n) -> {', '.join(results)} {{"
        lines += [head, *(f"  {each}" for each in self._derived(scope, dims)),
                  *(f"  {each}" for each in scope.statements), "}"]
        return "\n".join(lines) + "\n"

    def _derived(self, scope: Scope, dims: Dimensions) -> List[str]:
        """A `dim` for each dimension that no parameter has."""
        bound: Set[Dim] = {dim for each in self.parameters for dim in each.shape if isinstance(dim, str)}
        stated: List[str] = []
        text = " ".join(scope.statements)

        def bind(name: str) -> None:
            if name in bound:
                return
            bound.add(name)
            definition = dims.definitions.get(name)
            if definition is None:
                raise NotImportable(f"no operand has the dimension {name} of its result")
            for other in re.findall(r"[A-Za-z_]\w*", definition):
                bind(str(dims.resolve(other)))
            stated.append(f"dim {name} = {definition};")

        for result, _ in self.results:
            for dim in map(dims.resolve, result.memory or result.value.shape):
                if isinstance(dim, str):
                    bind(dim)
        for name in dims.definitions:
            if re.search(rf"\b{name}\b", text):
                bind(name)
        return stated


def _read_inside(plan: Plan, group: Group) -> Set[int]:
    """Values that definitions of the group read of others in it."""
    inside = {id(result.value) for each in group.definitions for result in each.results}
    return {id(base(read)) for each in group.definitions for read in each.reads} & inside
