"""Poolings: maxima and means of windows of an image, or of all of it."""

from __future__ import annotations

from mmk.onnx.definitions import Definition, Kind, Result
from mmk.onnx.elements import INT64, least
from mmk.onnx.errors import NotImportable
from mmk.onnx.node import Node, expect_float
from mmk.onnx.operators import operator
from mmk.onnx.operators.reductions import Reduced
from mmk.onnx.operators.windows import Windows, windows

LETTERS = "ncpqu"


@operator("MaxPool")
def max_pool(node: Node) -> Definition:
    x = node.input(0)
    of = windows(node, x.shape[2:], node.attribute("kernel_shape"))
    shape = (*x.shape[:2], *of.extents)

    def window(scope, own, text):
        taps = scope.variables("rst", len(of.taps))
        places = of.places(own[2:], taps)
        element = scope.padded(x, [*own[:2], *places], least(x.kind))
        return text(scope.ranges(taps, of.taps), element, places)

    def largest(scope, own):
        return window(scope, own, lambda v, element, _: f"max[{v}]({element})")

    def position(scope, own):
        """The first place in memory of the largest element; the next one in order of storage."""
        sizes = [node.static(dim) for dim in x.shape[2:]]

        def place(v, element, places):
            order = list(zip(places, sizes))
            if node.attribute("storage_order", 0):
                order = order[::-1]
            flat = ""
            for index, size in order:
                flat = f"({flat}) * {size} + {index}" if flat else index
            inside = " && ".join(f"{index} >= 0 && {index} < {size}" for index, size in order)
            return f"min[{v}](select({element} == {largest(scope, own)} && {inside}, {flat}, 2147483647))"

        image = " * ".join(map(str, sizes))
        channels = f"({own[0]} * {scope.extent(x.shape[1])} + {own[1]}) * ({image})"
        return f"{window(scope, own, place)} + {channels}"

    results = [Result(node.value(0, x.kind, shape), largest, LETTERS)]
    if node.has_output(1):
        results.append(Result(node.value(1, INT64, shape), position, LETTERS))
    return node.define(Kind.WINDOW, results)


@operator("AveragePool")
def average_pool(node: Node) -> Definition:
    x = expect_float(node.input(0))
    of = windows(node, x.shape[2:], node.attribute("kernel_shape"))
    shape = (*x.shape[:2], *of.extents)

    def body(scope, own):
        taps = scope.variables("rst", len(of.taps))
        element = scope.padded(x, [*own[:2], *of.places(own[2:], taps)], "0")
        total = f"sum[{scope.ranges(taps, of.taps)}]({element})"
        return f"{total} / {_count(scope, node, x.shape[2:], of, own[2:])}"

    return node.define(Kind.WINDOW, [Result(node.value(0, x.kind, shape), body, LETTERS)])


def _count(scope, node: Node, image, of: Windows, own) -> str:
    """How many elements a mean is of: those of the image, or also of its padding."""
    with_padding = node.attribute("count_include_pad", 0)
    factors, number = [], 1
    for at, dim, taps, stride, before, after, extent in zip(own, image, of.taps, of.strides, of.before, of.after,
                                                            of.extents):
        low, high = (before, after) if with_padding else (0, 0)
        size = scope.extent(dim)
        is_whole = before == low and (before, after) == (low, high) and isinstance(size, int) \
            and isinstance(extent, int) and (extent - 1) * stride + taps <= size + before + after
        if is_whole:
            number *= taps
            continue
        first = f"{stride} * {at} - {before}" if stride != 1 else f"{at} - {before}"
        factors.append(f"(min({first} + {taps}, {size} + {high}) - max({first}, {-low}))")
    return f"({' * '.join([*factors, *([str(number)] if number != 1 or not factors else [])])})"


@operator("GlobalAveragePool", "GlobalMaxPool")
def whole_image(node: Node) -> Definition:
    x = node.input(0)
    if node.operator == "GlobalAveragePool":
        expect_float(x)
    over = Reduced(x, list(range(2, x.rank)), keeps=True)
    function = "mean" if node.operator == "GlobalAveragePool" else "max"
    return node.define(Kind.ROWS, [Result(
        node.value(0, x.kind, over.shape),
        lambda scope, own: over.reduce(scope, own, lambda v, element: f"{function}[{v}]({element})"), LETTERS)])


@operator("LpPool", "GlobalLpPool")
def norm_pool(node: Node) -> Definition:
    x, p = expect_float(node.input(0)), node.attribute("p", 2)
    if p not in (1, 2):
        raise NotImportable(f"its p is {p}; 1 and 2 are known")
    is_global = node.operator == "GlobalLpPool"
    of = windows(node, x.shape[2:], [node.static(dim) for dim in x.shape[2:]] if is_global
                 else node.attribute("kernel_shape"))

    def body(scope, own):
        taps = scope.variables("rst", len(of.taps))
        element = scope.padded(x, [*own[:2], *of.places(own[2:], taps)], "0")
        v = scope.ranges(taps, of.taps)
        return f"sum[{v}](abs({element}))" if p == 1 else f"sqrt(sum[{v}](square({element})))"

    return node.define(Kind.WINDOW, [Result(node.value(0, x.kind, (*x.shape[:2], *of.extents)), body, LETTERS)])
