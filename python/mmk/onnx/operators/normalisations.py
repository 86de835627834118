"""Normalisations: of batches, instances, layers and channels."""

from __future__ import annotations

from typing import List

from mmk.onnx.definitions import Definition, Indices, Kind, Result, Value
from mmk.onnx.elements import FLOAT, literal
from mmk.onnx.errors import NotImportable
from mmk.onnx.node import Node, expect_float
from mmk.onnx.operators import operator
from mmk.onnx.operators.reductions import Reduced


@operator("BatchNormalization")
def batch(node: Node) -> Definition:
    x = expect_float(node.input(0))
    scale, bias, mean, variance = (node.input(place) for place in range(1, 5))
    if node.opset < 9 and not node.attribute("spatial", 1):
        raise NotImportable("it has a mean for each element (spatial = 0), which newer versions of ONNX do not have")
    if node.attribute("training_mode", 0):
        return _batch_in_training(node)
    if any(node.has_output(place) for place in range(1, 5)):
        raise NotImportable("it has the outputs of training without training_mode")
    epsilon = literal(node.attribute("epsilon", 1e-5))

    def body(scope, own):
        m, v, s, b = (scope.read(each, [own[1]]) for each in (mean, variance, scale, bias))
        return f"({scope.read(x, own)} - {m}) * ({s} / sqrt({v} + {epsilon})) + {b}"

    return node.define(Kind.ELEMENTWISE, [Result(node.value(0, x.kind, x.shape), body, "ncpq")])


def _batch_in_training(node: Node) -> Definition:
    x, scale, bias, mean, variance = (node.input(place) for place in range(5))
    epsilon, momentum = (literal(node.attribute(*each)) for each in (("epsilon", 1e-5), ("momentum", 0.9)))
    over = Reduced(x, [axis for axis in range(x.rank) if axis != 1], keeps=False)

    def statistic(scope, function: str, channel: str) -> str:
        return over.reduce(scope, [channel], lambda v, element: f"{function}[{v}]({element})")

    def body(scope, own):
        center, spread = statistic(scope, "mean", own[1]), statistic(scope, "variance", own[1])
        s, b = scope.read(scale, [own[1]]), scope.read(bias, [own[1]])
        return f"({scope.read(x, own)} - {center}) / sqrt({spread} + {epsilon}) * {s} + {b}"

    def running(old: Value, function: str):
        return lambda scope, own: (f"{scope.read(old, own)} * {momentum} + "
                                   f"{statistic(scope, function, own[0])} * (1 - {momentum})")

    results = [Result(node.value(0, x.kind, x.shape), body, "ncpq")]
    for place, old, function in ((1, mean, "mean"), (2, variance, "variance")):
        if node.has_output(place):
            results.append(Result(node.value(place, old.kind, old.shape), running(old, function), "c"))
    return node.define(Kind.ROWS, results)


def _normalised(scope, x: Value, own: Indices, axes: List[int], epsilon: str) -> str:
    """(x - mean) / sqrt(variance + epsilon), over some dimensions that the result has, too."""
    element = scope.read(x, own)
    within = scope.ranges([own[axis] for axis in axes], [x.shape[axis] for axis in axes])
    return f"({element} - mean[{within}]({element})) / sqrt(variance[{within}]({element}) + {epsilon})"


@operator("InstanceNormalization")
def instance(node: Node) -> Definition:
    x, scale, bias = expect_float(node.input(0)), node.input(1), node.input(2)
    epsilon = literal(node.attribute("epsilon", 1e-5))

    def body(scope, own):
        s, b = scope.read(scale, [own[1]]), scope.read(bias, [own[1]])
        return f"{_normalised(scope, x, own, list(range(2, x.rank)), epsilon)} * {s} + {b}"

    return node.define(Kind.ROWS, [Result(node.value(0, x.kind, x.shape), body, "ncpq")])


@operator("LayerNormalization")
def layer(node: Node) -> Definition:
    x, scale, bias = expect_float(node.input(0)), node.input(1), node.optional(2)
    axes = list(range(node.axis(node.attribute("axis", -1), x.rank), x.rank))
    epsilon = literal(node.attribute("epsilon", 1e-5))
    over = Reduced(x, axes, keeps=True)

    def body(scope, own):
        shifted = f" + {scope.at(bias, own)}" if bias else ""
        return f"{_normalised(scope, x, own, axes, epsilon)} * {scope.at(scale, own)}{shifted}"

    def mean(scope, own):
        return over.reduce(scope, own, lambda v, element: f"mean[{v}]({element})")

    def inverse(scope, own):
        return over.reduce(scope, own, lambda v, element: f"1 / sqrt(variance[{v}]({element}) + {epsilon})")

    results = [Result(node.value(0, x.kind, x.shape), body)]
    for place, each in ((1, mean), (2, inverse)):
        if node.has_output(place):
            results.append(Result(node.value(place, node.attribute("stash_type", FLOAT), over.shape), each))
    return node.define(Kind.ROWS, results)


@operator("MeanVarianceNormalization")
def mean_variance(node: Node) -> Definition:
    x = expect_float(node.input(0))
    axes = [node.axis(axis, x.rank) for axis in node.attribute("axes", [0, 2, 3])]

    def body(scope, own):
        element = scope.read(x, own)
        within = scope.ranges([own[axis] for axis in axes], [x.shape[axis] for axis in axes])
        return f"({element} - mean[{within}]({element})) / (sqrt(variance[{within}]({element})) + 1e-9)"

    return node.define(Kind.ROWS, [Result(node.value(0, x.kind, x.shape), body)])


@operator("LRN")
def local_response(node: Node) -> Definition:
    x = expect_float(node.input(0))
    size = node.attribute("size")
    alpha, beta, bias = (node.attribute(*each) for each in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0)))

    def body(scope, own):
        variables = scope.variables("r", 1)
        channel = f"{own[1]} + {variables[0]} - {(size - 1) // 2}"
        near = scope.padded(x, [own[0], channel, *own[2:]], "0")
        total = f"{literal(alpha / size)} * sum[{variables[0]}: {size}](square({near}))"
        return f"{scope.read(x, own)} * exp({literal(-beta)} * log({literal(bias)} + {total}))"

    return node.define(Kind.WINDOW, [Result(node.value(0, x.kind, x.shape), body, "ncpq")])
