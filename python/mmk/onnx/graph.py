"""Reads a model: its inputs, constants and nodes, each with what it computes."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional

import numpy
import onnx
from onnx import numpy_helper

from mmk.onnx.definitions import Definition, Value
from mmk.onnx.dimensions import Dimensions, Shape
from mmk.onnx.elements import element
from mmk.onnx.errors import ModelError, NotImportable
from mmk.onnx.fold import fold
from mmk.onnx.node import Node
from mmk.onnx.operators import OPERATORS
from mmk.onnx.unsupported import UNSUPPORTED

DOMAINS = ("", "ai.onnx")


class Refused(NamedTuple):
    """A node that is not imported."""

    node: Node
    reason: str


class Graph:
    """A model with its meaning. What nodes that are not imported would compute is an input."""

    def __init__(self) -> None:
        self.dims = Dimensions()
        self.values: Dict[str, Value] = {}
        self.inputs: List[Value] = []
        self.missing: List[Value] = []  # results of refused nodes that imported ones read
        self.outputs: List[Value] = []
        self.definitions: List[Definition] = []
        self.refused: List[Refused] = []
        self.folded: List[Node] = []
        self.nodes = 0

    def refuse(self, definition: Definition, reason: str) -> None:
        """Takes out a node that turns out to have no kernel; what it computes is an input, or no output."""
        self.definitions.remove(definition)
        self.refused.append(Refused(definition.node, reason))
        for result in definition.results:
            result.value.definition = None
            self.missing.append(result.value)
        self.outputs = [value for value in self.outputs if value not in self.missing]


def load(path: str) -> onnx.ModelProto:
    """The model of a file, with the shapes that follow from those of its inputs."""
    try:
        model = inferred(onnx.load(path))
        onnx.checker.check_model(_complete(model))
    except OSError as error:
        raise ModelError(f"cannot read '{path}': {error.strerror}")
    except Exception as error:  # of protobuf and of the checker
        if "No Op registered for" in str(error):
            return model  # an operator that this version of ONNX does not know is one node's reason
        first = str(error).strip().splitlines()[0] if str(error).strip() else "it is empty"
        raise ModelError(f"'{path}' is no model of ONNX: {first}")
    return model


def inferred(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the types of ONNX's own inference: of outputs, and of what nodes compute that are not imported."""
    try:
        return onnx.shape_inference.infer_shapes(model)
    except Exception:  # whose messages are about nodes that the caller reports anyway
        return model


def _complete(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy for ONNX's checker. It refuses values without a shape, which the import needs of no output, and models of
    a later version of the format, whose nodes the import judges one by one."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.ir_version = min(copy.ir_version, onnx.IR_VERSION)
    for info in [*copy.graph.input, *copy.graph.output]:
        kind = info.type
        if kind.WhichOneof("value") in (None, "tensor_type"):
            kind.tensor_type.elem_type = kind.tensor_type.elem_type or onnx.TensorProto.FLOAT
            kind.tensor_type.shape.SetInParent()
    return copy


def read(model: onnx.ModelProto, given: Mapping[str, Any]) -> Graph:
    """The graph of a model whose types are inferred. `given` has values of inputs, as arrays, and sizes of dimensions,
    as integers."""
    graph = Graph()
    unused = dict(given)
    opsets = {each.domain: each.version for each in model.opset_import}
    for tensor in model.graph.initializer:
        _add_constant(graph, tensor.name, numpy_helper.to_array(tensor))
    for info in model.graph.input:
        if info.name not in graph.values:
            _add_input(graph, info, given, unused)
    if unused:
        known = ", ".join([each.name for each in model.graph.input] + sorted(graph.dims.symbols())) or "none"
        raise ModelError(f"the model has no input or dimension '{next(iter(unused))}'; it has {known}")
    types = {info.name: info.type for info in [*model.graph.value_info, *model.graph.output]}
    graph.nodes = len(model.graph.node)
    for place, proto in enumerate(model.graph.node):
        inputs = [graph.values[name] if name else None for name in proto.input]
        opset = opsets.get(proto.domain, opsets.get("ai.onnx", 0) if proto.domain == "" else 0)
        _add_node(graph, Node(proto, place, opset, inputs, graph.dims), types)
    for info in model.graph.output:
        if info.name not in graph.values:
            raise ModelError(f"no node computes the output '{info.name}' of the model")
    outputs = [graph.values[info.name] for info in model.graph.output]
    graph.outputs = [value for value in outputs if value not in graph.missing]
    return graph


def _add_constant(graph: Graph, name: str, array: numpy.ndarray) -> None:
    kind = onnx.helper.mapping.NP_TYPE_TO_TENSOR_TYPE.get(array.dtype, onnx.TensorProto.STRING)
    graph.values[name] = Value(name, kind, array.shape, array)


def _add_input(graph: Graph, info: onnx.ValueInfoProto, given: Mapping[str, Any], unused: Dict[str, Any]) -> None:
    shape = _shape(graph, info.type, given, unused)
    kind = info.type.tensor_type.elem_type
    value = Value(info.name, kind if shape is not None else 0, shape or ())
    graph.values[info.name] = value
    if info.name not in unused:
        graph.inputs.append(value)
        return
    array = numpy.asarray(unused.pop(info.name)).astype(element(kind).name)
    if shape is None:  # that of the value
        value.kind, value.shape = kind, array.shape
    if array.ndim != value.rank and array.size == 1:
        array = array.reshape((1,) * value.rank)
    fits = array.ndim == value.rank and all(isinstance(dim, str) or dim == size
                                            for dim, size in zip(value.shape, array.shape))
    if not fits:
        wanted = ", ".join(map(str, value.shape))
        raise ModelError(f"'{info.name}' is {element(value.kind).name}[{wanted}], and its value has the shape "
                         f"{list(array.shape)}")
    value.shape, value.constant = array.shape, array


def _shape(graph: Graph, kind: onnx.TypeProto, given: Mapping[str, Any], unused: Dict[str, Any]) -> Optional[Shape]:
    if not kind.tensor_type.HasField("shape"):
        return None
    dims = []
    for dim in kind.tensor_type.shape.dim:
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            dims.append(dim.dim_value)
        elif not dim.dim_param:  # or -1, as some exporters say it
            dims.append(graph.dims.unknown())
        elif dim.dim_param in given:
            dims.append(_size(dim.dim_param, given[dim.dim_param]))
            unused.pop(dim.dim_param, None)
        else:
            dims.append(graph.dims.named(dim.dim_param))
    return tuple(dims)


def _size(name: str, size: Any) -> int:
    size = numpy.asarray(size)
    if size.size != 1 or size.item() != int(size.item()) or size.item() < 1:
        raise ModelError(f"'{name}' is a dimension, a whole number from 1, found {size.tolist()}")
    return int(size.item())


def _add_node(graph: Graph, node: Node, types: Mapping[str, onnx.TypeProto]) -> None:
    try:
        if fold(node, graph.values):
            graph.folded.append(node)
            return
        if node.proto.domain not in DOMAINS:
            raise NotImportable(f"the domain '{node.proto.domain}' is not ONNX's")
        if node.operator not in OPERATORS:
            raise NotImportable(UNSUPPORTED.get(node.operator, "mmk import does not know this operator"))
        for place, value in enumerate(node.inputs):
            if value is not None and value.kind == 0:
                raise NotImportable(f"its input '{value.name}' has no type and shape that are known")
        made = OPERATORS[node.operator](node)
    except NotImportable as reason:
        graph.refused.append(Refused(node, str(reason)))
        for name in filter(None, node.outputs):
            kind = types.get(name, onnx.TypeProto())
            shape = _shape(graph, kind, {}, {})
            is_known = kind.HasField("tensor_type") and shape is not None
            value = Value(name, kind.tensor_type.elem_type if is_known else 0, shape or ())
            graph.values[name] = value
            graph.missing.append(value)
        return
    for definition in made if isinstance(made, list) else [made]:
        graph.values.update({result.value.name: result.value for result in definition.results})
        graph.definitions.append(definition)
    missing = [name for name in node.outputs if name and name not in graph.values]
    assert not missing, f"{node.title} leaves out {missing}"
