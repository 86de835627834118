"""Operators that join the elements along some dimensions."""

from __future__ import annotations

import math
from typing import Callable, List, Optional

from mmk.onnx.definitions import Definition, Indices, Kind, Limit, Result, Value
from mmk.onnx.dimensions import Dim
from mmk.onnx.elements import INT64, is_integer
from mmk.onnx.errors import NotImportable
from mmk.onnx.node import Node, expect_float, wrapped
from mmk.onnx.operators import operator

# The reduction of {v} = its variables, of the element {x}.
REDUCTIONS = {
    "ReduceSum": "sum[{v}]({x})",
    "ReduceMean": "mean[{v}]({x})",
    "ReduceProd": "prod[{v}]({x})",
    "ReduceMax": "max[{v}]({x})",
    "ReduceMin": "min[{v}]({x})",
    "ReduceL1": "sum[{v}](abs({x}))",
    "ReduceL2": "sqrt(sum[{v}]({x} * {x}))",
    "ReduceSumSquare": "sum[{v}]({x} * {x})",
    "ReduceLogSum": "log(sum[{v}]({x}))",
    "ReduceLogSumExp": "logsumexp[{v}]({x})",
}
OF_FLOATS = ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp")


class Reduced:
    """The dimensions of a result from which some of an operand are gone, or stay with extent 1."""

    def __init__(self, x: Value, axes: List[int], keeps: bool):
        self.x = x
        self.axes = sorted(axes)
        self.keeps = keeps
        self.dims = [x.shape[axis] for axis in self.axes]
        self.shape: List[Dim] = [1 if axis in axes else dim for axis, dim in enumerate(x.shape)
                                 if keeps or axis not in axes]

    def indices(self, own: Indices, variables: Indices) -> Indices:
        """Those of the operand, from the result's and the variables of the reduction."""
        outer, inner = iter(own), iter(variables)
        found = []
        for axis in range(self.x.rank):
            if axis not in self.axes:
                found.append(next(outer))
                continue
            if self.keeps:
                next(outer)
            found.append(next(inner))
        return found

    def reduce(self, scope, own: Indices, text: Callable[[str, str], str]) -> str:
        """text(variables, element) with new variables for the dimensions that are joined."""
        variables = scope.variables("rstuv", len(self.axes))
        element = scope.read(self.x, self.indices(own, variables))
        return text(scope.ranges(variables, self.dims), element)


@operator(*REDUCTIONS)
def reduction(node: Node) -> Definition:
    x = node.input(0)
    if node.operator in OF_FLOATS:
        expect_float(x)
    is_listed = node.operator == "ReduceSum" and node.opset >= 13 or node.opset >= 18
    listed = node.numbers(1, "") if is_listed else node.attribute("axes")
    if not listed and is_listed and node.attribute("noop_with_empty_axes", 0):
        return node.move(x, x.shape, list, Kind.RESHAPE)
    axes = [node.axis(axis, x.rank) for axis in listed] if listed else list(range(x.rank))
    reduced = Reduced(x, axes, bool(node.attribute("keepdims", 1)))
    is_whole = node.operator == "ReduceMean" and is_integer(x.kind)  # the quotient of the sum
    pattern = REDUCTIONS["ReduceSum" if is_whole else node.operator]

    def body(scope, own):
        text = reduced.reduce(scope, own, lambda v, element: pattern.format(v=v, x=element)) if axes else \
            scope.read(x, own)
        if is_whole and axes:
            text = scope.call("quotient", text, " * ".join(str(scope.extent(dim)) for dim in reduced.dims))
        return wrapped(scope, x.kind, text) if node.operator not in ("ReduceMax", "ReduceMin") else text

    return node.define(Kind.ROWS, [Result(node.value(0, x.kind, reduced.shape), body)], [x], _limit(node, reduced))


def _limit(node: Node, reduced: Reduced) -> Optional[Limit]:
    x, axes = reduced.x, reduced.axes
    if node.operator in ("ReduceMax", "ReduceMin"):
        return None
    if node.operator == "ReduceProd" and x.kind == INT64:
        count = math.prod(map(node.static, reduced.dims))
        return lambda most: f"{most(x)} ** {min(count, 32)}"
    if node.operator == "ReduceSumSquare":
        return lambda most: f"{most(x)} * {most(x, *axes)}"
    return lambda most: most(x, *axes)


@operator("ArgMax", "ArgMin")
def position(node: Node) -> Definition:
    x = node.input(0)
    axis = node.axis(node.attribute("axis", 0), x.rank)
    reduced = Reduced(x, [axis], bool(node.attribute("keepdims", 1)))
    word = node.operator.lower()
    is_last = bool(node.attribute("select_last_index", 0))

    def body(scope, own):
        variables = scope.variables("r", 1)
        place = variables[0]
        extent = scope.extent(x.shape[axis])
        if is_last:  # the first of the elements in reversed order
            last = f"{extent - 1}" if isinstance(extent, int) else f"{extent} - 1"
            element = scope.read(x, reduced.indices(own, [f"{last} - {place}"]))
            return f"{last} - {word}[{scope.ranges(variables, reduced.dims)}]({element})"
        element = scope.read(x, reduced.indices(own, variables))
        return f"{word}[{scope.ranges(variables, reduced.dims)}]({element})"

    return node.define(Kind.ROWS, [Result(node.value(0, INT64, reduced.shape), body)], [x])


@operator("Softmax", "LogSoftmax", "Hardmax")
def softmax(node: Node) -> Definition:
    x = expect_float(node.input(0))
    if node.opset >= 13:
        axes = [node.axis(node.attribute("axis", -1), x.rank)]
    else:  # over all dimensions from the axis on
        axes = list(range(node.axis(node.attribute("axis", 1), x.rank), x.rank))
    if node.operator == "Hardmax" and len(axes) > 1:
        raise NotImportable("it is over several dimensions, as before version 13 of ONNX's operators; "
                            f"this model has {node.opset}")

    def body(scope, own):
        element = scope.read(x, own)
        variables = scope.ranges([own[axis] for axis in axes], [x.shape[axis] for axis in axes])
        if node.operator == "Hardmax":
            return f"select(argmax[{variables}]({element}) == {own[axes[0]]}, 1.0, 0.0)"
        function = "softmax" if node.operator == "Softmax" else "log_softmax"
        return f"{function}[{variables}]({element})"

    return node.define(Kind.ROWS, [Result(node.value(0, x.kind, x.shape), body)], [x])


@operator("CumSum")
def cumulative(node: Node) -> Definition:
    x = node.input(0)
    axis = node.axis(int(node.known(1).item()), x.rank)
    is_reversed, is_exclusive = node.attribute("reverse", 0), node.attribute("exclusive", 0)

    def body(scope, own):
        extent = scope.extent(x.shape[axis])
        last = str(extent - 1) if isinstance(extent, int) else f"{extent} - 1"

        def at(index: str) -> Indices:
            return [index if place == axis else each for place, each in enumerate(own)]

        if not is_reversed and not is_exclusive:
            return f"cumsum[{own[axis]}]({scope.read(x, own)})"
        # The summands in their order, which a sum reads at variables of its own.
        first = f"{last} - {own[axis]}" if is_reversed else own[axis]
        shifted = (f"{extent} - {own[axis]}" if is_reversed else f"{own[axis]} - 1") if is_exclusive else first
        summands = scope.helper(x, lambda inner: inner.padded(x, at(shifted), "0") if is_exclusive
                                else inner.read(x, at(shifted)), own)
        sums = scope.helper(x, lambda inner: f"cumsum[{own[axis]}]({inner.element(summands, own)})", own)
        return scope.element(sums, at(first))

    return node.define(Kind.ROWS, [Result(node.value(0, x.kind, x.shape),
                                          lambda scope, own: wrapped(scope, x.kind, body(scope, own)))], [x],
                       lambda most: most(x, axis))


@operator("LpNormalization")
def lp_normalization(node: Node) -> Definition:
    x = expect_float(node.input(0))
    axis, p = node.axis(node.attribute("axis", -1), x.rank), node.attribute("p", 2)
    if p not in (1, 2):
        raise NotImportable(f"its p is {p}; ONNX has 1 and 2")

    def body(scope, own):
        variables = scope.variables("r", 1)
        other = scope.read(x, [variables[0] if place == axis else index for place, index in enumerate(own)])
        within = scope.ranges(variables, [x.shape[axis]])
        size = f"sum[{within}](abs({other}))" if p == 1 else f"sqrt(sum[{within}]({other} * {other}))"
        return f"{scope.read(x, own)} / {size}"

    return node.define(Kind.ROWS, [Result(node.value(0, x.kind, x.shape), body)], [x])
