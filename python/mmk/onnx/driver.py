"""Writes run.py, which runs the kernels of a model one after the other."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence

from mmk.onnx.definitions import Definition, Value, base
from mmk.onnx.dimensions import Dimensions, Shape
from mmk.onnx.elements import element
from mmk.onnx.graph import Graph
from mmk.onnx.kernels import Kernel
from mmk.onnx.names import Names
from mmk.onnx.scope import Parameter

TOP = '''\
"""Runs {model} by kernels of mmk. Written by `mmk import`.

    python3 run.py {usage}  # of the command line; --help shows the options
    run({arguments})  # of Python: a dictionary of arrays

{signature}
"""

from mmk.onnx.runtime import Model

model = Model(__file__, inputs={inputs})
{kernels}

def run({arguments}):
{body}

if __name__ == "__main__":
    model.main(run)
'''


class Driver:
    def __init__(self, graph: Graph, names: Names):
        self._graph = graph
        self._names = names
        self._dims: Dimensions = graph.dims
        self.constants: Dict[str, Value] = {}  # by their names in weights.npz
        self._lines: List[str] = []
        self._declared: List[str] = []

    def text(self, model: str, steps: Sequence[object], inputs: Sequence[Value]) -> str:
        words = [self._names.of(value.name) for value in inputs]
        for value, word in zip(inputs, words):
            self._lines.append(f"{word} = model.input({value.name!r}, {word}, {element(value.kind).name!r})")
        for step in steps:
            if isinstance(step, Kernel):
                self._call(step)
            else:
                self._reshape(step)
        listed = ", ".join(f"{value.name!r}: {self._output(value)}" for value in self._graph.outputs)
        self._lines.append(f"return {{{listed}}}")
        self._free()
        return TOP.format(
            model=model, usage=" ".join(f"{value.name}={word}.npy" for value, word in zip(inputs, words)),
            arguments=", ".join(words), signature="\n".join(self._signature(inputs)),
            inputs=dict(zip((value.name for value in inputs), words)), kernels="\n".join(self._declared),
            body="\n".join(f"    {line}" for line in self._lines))

    def _free(self) -> None:
        """Deletes each variable behind the last line that reads it: its memory serves the results that follow."""
        last: Dict[str, int] = {}
        assigned = {word for line in self._lines for word in re.split(r", ", line.partition(" = ")[0]) if " = " in line}
        for number, line in enumerate(self._lines):
            last.update((word, number) for word in re.findall(r"[A-Za-z_]\w*", line) if word in assigned)
        lines: List[str] = []
        for number, line in enumerate(self._lines):
            lines.append(line)
            dead = sorted(word for word, at in last.items() if at == number and number < len(self._lines) - 1)
            lines += [f"del {', '.join(dead)}"] if dead else []
        self._lines = lines

    def _signature(self, inputs: Sequence[Value]) -> List[str]:
        def spelled(value: Value) -> str:
            return f"{value.name}: {element(value.kind).name}[{', '.join(map(str, self._shape(value.shape)))}]"

        return [f"inputs:  {', '.join(map(spelled, inputs)) or 'none'}",
                f"outputs: {', '.join(map(spelled, self._graph.outputs))}"]

    def _shape(self, shape: Shape):
        return [self._dims.resolve(dim) for dim in shape]

    def _call(self, kernel: Kernel) -> None:
        fixed = [self._constant(each) for each in kernel.parameters if each.value.constant is not None]
        self._declared.append(f"{kernel.name} = model.kernel({', '.join([repr(kernel.file), *fixed])})")
        given = [self._argument(each) for each in kernel.parameters if each.value.constant is None]
        call = f"{kernel.name}({', '.join(given)})"
        for each in kernel.group.definitions:
            if each.limit:
                self._lines.append(f"model.expect_32_bits({each.results[0].value.name!r}, {each.limit(self._most)})")
        self._lines.append(f"{', '.join(name for _, name in kernel.results)} = {call}")
        for result, name in kernel.results:
            if result.memory or not result.value.shape:
                self._lines.append(f"{name} = {name}.reshape({self._sizes(result.value, name, result.memory or ())})")

    def _constant(self, parameter: Parameter) -> str:
        word = self._names.of(parameter.value.name)
        self.constants[word] = parameter.value
        sizes = f".reshape({', '.join(map(str, parameter.shape))})" if parameter.is_reshaped else ""
        return f"{parameter.name}=model.weights[{word!r}]{sizes}"

    def _argument(self, parameter: Parameter) -> str:
        memory = self._memory(parameter.value)
        if not parameter.is_reshaped:
            return f"{parameter.name}={memory}"
        own = self._shape(parameter.value.shape)
        sizes = [str(size) if isinstance(size, int) else f"{memory}.shape[{own.index(size)}]"
                 for size in parameter.shape]
        return f"{parameter.name}={memory}.reshape({', '.join(sizes)})"

    def _most(self, value: Value, *axes: int) -> str:
        if value.constant is not None and value.constant.size == 1:
            return str(abs(value.constant.item()))
        return f"model.most({', '.join([self._memory(value), *map(str, axes)])})"

    def _memory(self, value: Value) -> str:
        """The variable of the driver that has a value."""
        if value.constant is not None:
            word = self._names.of(value.name)
            self.constants[word] = value
            return f"model.weights[{word!r}]"
        return self._names.of(value.name)

    def _reshape(self, definition: Definition) -> None:
        source, result = base(definition.source), definition.results[0].value
        if self._shape(source.shape) == self._shape(result.shape):
            self._lines.append(f"{self._names.of(result.name)} = {self._memory(source)}")
            return
        memory = self._memory(source)
        sizes = self._sizes(result, memory, source.shape)
        self._lines.append(f"{self._names.of(result.name)} = {memory}.reshape({sizes})")

    def _sizes(self, value: Value, memory: str, shape: Shape) -> str:
        """The dimensions of a value that is in memory with another shape: those that only a run knows are read from
        there, and one may be left open."""
        own = self._shape(shape)
        sizes = [str(dim) if isinstance(dim, int) else f"{memory}.shape[{own.index(dim)}]" if dim in own else "-1"
                 for dim in self._shape(value.shape)]
        return ", ".join(sizes) if sizes else "()"

    def _output(self, value: Value) -> str:
        kind = element(value.kind)
        memory = self._memory(base(value) if value.definition and value.definition.is_transparent else value)
        return memory if kind.name == kind.carrier else f"model.output({memory}, {kind.name!r})"
