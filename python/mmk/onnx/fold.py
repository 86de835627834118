"""Arithmetic of shapes and other constants, computed when the model is imported.

A constant that is computed from shapes may hold names of dimensions, as strings in an array of objects.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import numpy
import onnx
from onnx import numpy_helper

from mmk.onnx.definitions import Value
from mmk.onnx.elements import INT64
from mmk.onnx.errors import NotImportable
from mmk.onnx.node import Node

MOST_ELEMENTS = 1 << 16  # of a constant that is computed here; kernels compute larger ones


def fold(node: Node, values: Dict[str, Value]) -> bool:
    """Computes the node if all that it reads is known; its outputs are constants then."""
    if node.proto.domain not in ("", "ai.onnx"):
        return False
    if node.operator == "Shape":
        result: Optional[numpy.ndarray] = _shape(node)
    elif node.operator == "Constant":
        result = _constant(node)
    elif node.operator == "Size" and all(isinstance(node.dims.resolve(d), int) for d in node.input(0).shape):
        result = numpy.array(numpy.prod([node.static(d) for d in node.input(0).shape], dtype=int))
    else:
        result = _computed(node)
    if result is None:
        return False
    kind = INT64 if result.dtype == object else onnx.helper.mapping.NP_TYPE_TO_TENSOR_TYPE[result.dtype]
    values[node.outputs[0]] = Value(node.outputs[0], kind, result.shape, result)
    return True


def _shape(node: Node) -> numpy.ndarray:
    value = node.input(0)
    dims = [node.dims.resolve(dim) for dim in value.shape]
    dims = dims[slice(node.attribute("start", 0), node.attribute("end", None))]
    return _array(dims)


def _array(dims: List[Any]) -> numpy.ndarray:
    array = numpy.array(dims, dtype=object)
    return array if any(isinstance(dim, str) for dim in dims) else array.astype(numpy.int64)


def _constant(node: Node) -> numpy.ndarray:
    for each in node.proto.attribute:
        value = onnx.helper.get_attribute_value(each)
        if each.name == "value":
            return numpy_helper.to_array(value)
        if each.name in ("value_float", "value_floats"):
            return numpy.array(value, numpy.float32)
        if each.name in ("value_int", "value_ints"):
            return numpy.array(value, numpy.int64)
    raise NotImportable("its value is sparse or a string")


def _computed(node: Node) -> Optional[numpy.ndarray]:
    constants = [value.constant if value else None for value in node.inputs]
    if node.operator not in FOLDS or not constants or any(c is None for c, v in zip(constants, node.inputs) if v):
        return None
    if any(c is not None and c.size > MOST_ELEMENTS for c in constants):
        return None
    try:
        result = FOLDS[node.operator](node, *constants)
    except (TypeError, ValueError, IndexError):  # arithmetic with names of dimensions, and ranks that do not fit
        return None
    result = numpy.array(result, object) if isinstance(result, str) else numpy.asarray(result)
    if result.size > MOST_ELEMENTS:
        return None
    if result.dtype == object:
        return numpy.array(_array(list(result.reshape(-1)))).reshape(result.shape)
    return result


def _slice(node: Node, data: numpy.ndarray, *given: Any) -> numpy.ndarray:
    starts, ends, axes, steps = [*given, None, None, None, None][:4]
    starts = node.attribute("starts") if starts is None else starts
    ends = node.attribute("ends") if ends is None else ends
    axes = node.attribute("axes", range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    cut = [slice(None)] * data.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        cut[int(axis)] = slice(int(start), None if step < 0 and end < -data.shape[int(axis)] else int(end), int(step))
    return data[tuple(cut)]


def _squeeze(node: Node, data: numpy.ndarray, axes: Any = None) -> numpy.ndarray:
    axes = node.attribute("axes") if axes is None else axes
    return data.squeeze(None if axes is None else tuple(int(axis) for axis in axes))


def _unsqueeze(node: Node, data: numpy.ndarray, axes: Any = None) -> numpy.ndarray:
    return numpy.expand_dims(data, tuple(int(axis) for axis in (node.attribute("axes") if axes is None else axes)))


def _cast(node: Node, data: numpy.ndarray) -> numpy.ndarray:
    if data.dtype == object:
        return data
    return data.astype(onnx.helper.mapping.TENSOR_TYPE_TO_NP_TYPE[node.attribute("to")])


def _reshape(node: Node, data: numpy.ndarray, shape: Any = None) -> numpy.ndarray:
    shape = list(node.attribute("shape") if shape is None else shape)
    return data.reshape([data.shape[at] if size == 0 else size for at, size in enumerate(shape)])


def _product(node: Node, a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    if a.dtype != object and b.dtype != object:
        return a * b
    return numpy.vectorize(lambda x, y: node.dims.quotient([x, y], []), otypes=[object])(a, b)


def _quotient(node: Node, a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    if a.dtype == object or b.dtype == object:
        return numpy.vectorize(lambda x, y: node.dims.quotient([x], [y]), otypes=[object])(a, b)
    return numpy.trunc(a / b).astype(a.dtype) if a.dtype.kind in "iu" else a / b


def _sum(node: Node, a: numpy.ndarray, b: numpy.ndarray, sign: str = "+") -> numpy.ndarray:
    if a.dtype != object and b.dtype != object:
        return a + b if sign == "+" else a - b
    return numpy.vectorize(lambda x, y: node.dims.derived(f"{x} {sign} {y}"), otypes=[object])(a, b)


def _range(node: Node, start: Any, limit: Any, delta: Any) -> numpy.ndarray:
    return numpy.arange(start.item(), limit.item(), delta.item()).astype(start.dtype)


FOLDS: Dict[str, Callable[..., numpy.ndarray]] = {
    "Identity": lambda node, data: data,
    "Cast": _cast,
    "Gather": lambda node, data, places: data.take(places.astype(int), node.attribute("axis", 0)),
    "Concat": lambda node, *parts: numpy.concatenate(parts, node.attribute("axis")),
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Reshape": _reshape,
    "Transpose": lambda node, data: data.transpose(node.attribute("perm")),
    "Range": _range,
    "ConstantOfShape": lambda node, shape: numpy.full(
        shape.astype(int), numpy_helper.to_array(node.attribute("value")).item() if node.attribute("value") else 0.0,
        numpy_helper.to_array(node.attribute("value")).dtype if node.attribute("value") else numpy.float32),
    "Expand": lambda node, data, shape: data * numpy.ones(shape.astype(int), data.dtype),
    "Add": _sum,
    "Sub": lambda node, a, b: _sum(node, a, b, "-"),
    "Mul": _product,
    "Div": _quotient,
    "Neg": lambda node, a: -a,
    "Sqrt": lambda node, a: numpy.sqrt(a),
    "Equal": lambda node, a, b: a == b,
    "Where": lambda node, c, a, b: numpy.where(c, a, b),
}
