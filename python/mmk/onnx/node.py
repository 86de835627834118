"""A node of a model as the functions of operators see it."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

import numpy
import onnx

from mmk.onnx.definitions import Definition, Kind, Limit, Mapping, Result, Value
from mmk.onnx.dimensions import Dim, Dimensions, Shape
from mmk.onnx.elements import BOOL, INT8, INT64, UINT8, element, is_integer
from mmk.onnx.errors import NotImportable


class Node:
    def __init__(self, proto: onnx.NodeProto, place: int, opset: int, inputs: Sequence[Optional[Value]],
                 dims: Dimensions):
        self.proto = proto
        self.place = place  # in the model, from 0
        self.operator: str = proto.op_type
        self.opset = opset
        self.inputs = list(inputs)
        self.dims = dims
        self.outputs: List[str] = list(proto.output)
        self._attributes = {each.name: onnx.helper.get_attribute_value(each) for each in proto.attribute}

    @property
    def title(self) -> str:
        """The node in messages and comments."""
        return f"{self.operator} '{self.proto.name or next(filter(None, self.outputs), '')}'"

    def attribute(self, name: str, default: Any = None) -> Any:
        value = self._attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def optional(self, place: int) -> Optional[Value]:
        return self.inputs[place] if place < len(self.inputs) else None

    def input(self, place: int) -> Value:
        value = self.optional(place)
        if value is None:
            raise NotImportable(f"it has no input {place}")
        element(value.kind)
        return value

    def known(self, place: int) -> Optional[numpy.ndarray]:
        """The contents of an input that shapes the kernel, which may have names of dimensions; None if not given."""
        value = self.optional(place)
        if value is None:
            return None
        if value.constant is None:
            schema = onnx.defs.get_schema(self.operator, self.opset, self.proto.domain)
            word = schema.inputs[place].name
            how = f"give it: mmk import ... {value.name}=VALUE" if value.definition is None else "a node computes it"
            raise NotImportable(f"its {word} shapes the kernel and is not known before the model runs: {how}")
        return value.constant

    def numbers(self, place: int, attribute: str) -> Optional[List[int]]:
        """Integers that are an attribute in some versions and an input in others; None if not given."""
        listed = self.known(place)
        if listed is None:
            given = self.attribute(attribute)
            return None if given is None else [int(each) for each in given]
        return [self.whole(each) for each in listed.reshape(-1)]

    def whole(self, number: Any) -> int:
        if isinstance(number, str):
            raise NotImportable(f"the dimension {number} would shape the kernel; give it: mmk import ... {number}=SIZE")
        return int(number)

    def axis(self, axis: int, rank: int) -> int:
        if not -rank <= axis < max(rank, 1):
            raise NotImportable(f"its axis {axis} is outside of rank {rank}")
        return axis % rank if rank else 0

    def static(self, dim: Dim) -> int:
        """A dimension that has to be a number."""
        return self.whole(self.dims.resolve(dim))

    # Making definitions.

    def value(self, place: int, kind: int, shape: Sequence[Dim]) -> Value:
        element(kind)
        return Value(self.outputs[place], kind, tuple(shape))

    def has_output(self, place: int) -> bool:
        return place < len(self.outputs) and self.outputs[place] != ""

    def define(self, kind: Kind, results: List[Result], reads: Optional[Sequence[Value]] = None,
               limit: Optional[Limit] = None) -> Definition:
        for value in [result.value for result in results]:
            if value.rank > 8:
                raise NotImportable(f"a tensor of the language has at most 8 dimensions, and its result {value.rank}")
        definition = Definition(self, kind, [each for each in (reads or self.inputs) if each is not None], results)
        definition.limit = limit if results[0].value.kind == INT64 else None
        return definition

    def elementwise(self, text: Callable[..., str], operands: Sequence[Value],
                    kind: Optional[int] = None, limit: Optional[Limit] = None) -> Definition:
        """A definition of the elements of its operands, which broadcast. `text` makes the expression from those of
        the operands; integers of 8 bits wrap around."""
        kind = operands[0].kind if kind is None else kind
        shape = self.dims.broadcast([each.shape for each in operands])

        def body(scope, indices):
            return wrapped(scope, kind, text(scope, *(scope.at(each, indices) for each in operands)))

        return self.define(Kind.ELEMENTWISE, [Result(self.value(0, kind, shape), body)], operands, limit)

    def move(self, source: Value, shape: Shape, mapping: Optional[Mapping], kind: Kind = Kind.MOVE,
             place: int = 0) -> Definition:
        """A definition that reads one operand at other places."""
        def body(scope, indices):
            return scope.read(source, mapping(indices))

        definition = self.define(kind, [Result(self.value(place, source.kind, shape), body)], [source])
        definition.mapping = mapping
        return definition


def wrapped(scope, kind: int, text: str) -> str:
    """Integers of 8 bits wrap around, as in NumPy; where the language stores i8, it would saturate."""
    if kind not in (INT8, UINT8) or text.replace("_", "").isalnum():
        return text
    return scope.call("wrap_i8" if kind == INT8 else "wrap_u8", text)


def expect_float(value: Value) -> Value:
    if is_integer(value.kind) or value.kind == BOOL:
        raise NotImportable(f"its operand is {element(value.kind).name}; only that of floats is known")
    return value
