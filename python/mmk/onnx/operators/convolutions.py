"""Convolutions and transposed convolutions, along any number of dimensions, in groups."""

from __future__ import annotations

from typing import List, Optional, Sequence

from mmk.onnx.definitions import Definition, Kind, Result, Value
from mmk.onnx.dimensions import Dim
from mmk.onnx.elements import INT32
from mmk.onnx.errors import NotImportable
from mmk.onnx.node import Node, expect_float
from mmk.onnx.operators import operator
from mmk.onnx.operators.windows import Windows, padding, windows

LETTERS = "nopqu"
GROUPED = "ngopqu"


@operator("Conv")
def convolution(node: Node) -> Definition:
    x, w = expect_float(node.input(0)), node.input(1)
    return _convolution(node, x, w, node.optional(2), [None, None], x.kind)


@operator("ConvInteger")
def integer_convolution(node: Node) -> Definition:
    x, w = node.input(0), node.input(1)
    zeros = [node.optional(2), node.optional(3)]
    node.known(2)  # padding holds it
    return _convolution(node, x, w, None, zeros, INT32)


def _convolution(node: Node, x: Value, w: Value, bias: Optional[Value], zeros: List[Optional[Value]],
                 kind: int) -> Definition:
    if x.rank < 3:
        raise NotImportable(f"its image has rank {x.rank}; it needs channels and a dimension")
    groups = node.attribute("group", 1)
    of = windows(node, x.shape[2:], [node.static(dim) for dim in w.shape[2:]])
    results = node.static(w.shape[0])
    shape = (x.shape[0], results, *of.extents)
    if groups == 1:
        return _plain(node, x, w, bias, zeros, of, node.value(0, kind, shape))
    if node.static(w.shape[1]) == 1 and groups == results:
        return _depthwise(node, x, w, bias, zeros, of, node.value(0, kind, shape))
    return _grouped(node, x, w, bias, zeros, of, node.value(0, kind, shape), groups)


def _text(scope, x: Value, w: Value, zeros, read: str, weight: str, filter_index: str) -> str:
    left = _less_zero(scope, x, scope.rounded(x, read), zeros[0], "0")
    right = _less_zero(scope, w, scope.rounded(w, weight), zeros[1], filter_index)
    return f"{left} * {right}"


def _less_zero(scope, value: Value, text: str, zero: Optional[Value], index: str) -> str:
    """A quantised element without its zero point, which is one number or one for each row or column."""
    if zero is None or zero.constant is not None and not zero.constant.any():
        return text
    return f"({text} - {scope.read(zero, [index] if zero.rank and zero.shape != (1,) else ['0'] * zero.rank)})"


def _fill(x: Value, zero: Optional[Value]) -> str:
    """What padding holds: the zero point, so that its difference is 0."""
    return "0" if zero is None else str(int(zero.constant.reshape(-1)[0]))


def _plain(node: Node, x: Value, w: Value, bias, zeros, of: Windows, value: Value) -> Definition:
    def body(scope, own):
        c, *taps = scope.variables("crst", 1 + len(of.taps))
        read = scope.padded(x, [own[0], c, *of.places(own[2:], taps)], _fill(x, zeros[0])) if _is_window(of) else \
            scope.read(x, [own[0], c, *own[2:]])
        taps = taps if _is_window(of) else []
        weight = scope.read(w, [own[1], c, *(taps or ["0"] * len(of.taps))])
        text = _text(scope, x, w, zeros, read, weight, own[1])
        text = f"sum[{scope.ranges([c, *taps], [x.shape[1], *of.taps])}]({text})"
        return f"{text} + {scope.read(bias, [own[1]])}" if bias else text

    node.dims.unify(x.shape[1], w.shape[1])
    return node.define(Kind.WINDOW if _is_window(of) else Kind.PRODUCT, [Result(value, body, LETTERS)])


def _is_window(of: Windows) -> bool:
    """Whether it is more than a product of each pixel."""
    return any(tap != 1 or stride != 1 or before or after
               for tap, stride, before, after in zip(of.taps, of.strides, of.before, of.after))


def _depthwise(node: Node, x: Value, w: Value, bias, zeros, of: Windows, value: Value) -> Definition:
    """Each channel by itself."""
    each = node.static(w.shape[0]) // node.static(x.shape[1])

    def body(scope, own):
        taps = scope.variables("rst", len(of.taps))
        channel = own[1] if each == 1 else f"{own[1]} / {each}"
        read = scope.padded(x, [own[0], channel, *of.places(own[2:], taps)], _fill(x, zeros[0]))
        weight = scope.read(w, [own[1], "0", *taps])
        text = f"sum[{scope.ranges(taps, of.taps)}]({_text(scope, x, w, zeros, read, weight, own[1])})"
        return f"{text} + {scope.read(bias, [own[1]])}" if bias else text

    return node.define(Kind.WINDOW, [Result(value, body, "ncpqu")])


def _grouped(node: Node, x: Value, w: Value, bias, zeros, of: Windows, value: Value, groups: int) -> Definition:
    """Groups are a dimension of their own, in the same memory."""
    channels, results = node.static(x.shape[1]) // groups, node.static(w.shape[0]) // groups
    image = (x.shape[0], groups, channels, *x.shape[2:])
    filters = (groups, results, channels, *w.shape[2:])
    if any(zeros):
        raise NotImportable("it has zero points in groups")

    def body(scope, own):
        c, *taps = scope.variables("crst", 1 + len(of.taps))
        read = scope.padded_name(scope.reshaped(x, image), [*own[:2], c, *of.places(own[3:], taps)], "0")
        weight = scope.element(scope.reshaped(w, filters), [own[1], own[2], c, *taps])
        text = f"sum[{scope.ranges([c, *taps], [channels, *of.taps])}]({read} * {weight})"
        return f"{text} + {scope.element(scope.reshaped(bias, (groups, results)), own[1:3])}" if bias else text

    memory = (x.shape[0], groups, results, *of.extents)
    definition = node.define(Kind.WINDOW, [Result(value, body, GROUPED, memory)])
    definition.is_closed = True
    return definition


@operator("ConvTranspose")
def transposed(node: Node) -> Definition:
    """The sum over the taps that meet an element of the image: where the stride divides their place."""
    x, w, bias = expect_float(node.input(0)), node.input(1), node.optional(2)
    groups = node.attribute("group", 1)
    count = x.rank - 2
    taps = [node.static(dim) for dim in w.shape[2:]]
    strides = list(node.attribute("strides", [1] * count))
    dilations = list(node.attribute("dilations", [1] * count))
    before, extents = _transposed_padding(node, x.shape[2:], taps, strides, dilations)
    channels, results = node.static(x.shape[1]) // groups, node.static(w.shape[1])
    is_grouped = groups > 1
    image = (x.shape[0], groups, channels, *x.shape[2:])
    filters = (groups, channels, results, *w.shape[2:])

    def body(scope, own):
        c, *t = scope.variables("crst", 1 + count)
        offsets = [_offset(at, tap, low, dilation) for at, tap, low, dilation
                   in zip(own[3 if is_grouped else 2:], t, before, dilations)]
        places = [offset if stride == 1 else f"({offset}) / {stride}" for offset, stride in zip(offsets, strides)]
        met = " && ".join(f"({offset}) % {stride} == 0" for offset, stride in zip(offsets, strides) if stride > 1)
        if is_grouped:
            read = scope.padded_name(scope.reshaped(x, image), [*own[:2], c, *places], "0")
            weight = scope.element(scope.reshaped(w, filters), [own[1], c, own[2], *t])
            shift = scope.element(scope.reshaped(bias, (groups, results)), own[1:3]) if bias else ""
        else:
            read = scope.padded(x, [own[0], c, *places], "0")
            weight = scope.rounded(w, scope.read(w, [c, own[1], *t]))
            shift = scope.read(bias, [own[1]]) if bias else ""
        within = scope.ranges([c, *t], [channels, *taps])
        text = f"sum[{within}{f' | {met}' if met else ''}]({scope.rounded(x, read)} * {weight})"
        return f"{text} + {shift}" if shift else text

    shape = (x.shape[0], groups * results, *extents)
    memory = (x.shape[0], groups, results, *extents) if is_grouped else None
    definition = node.define(Kind.WINDOW, [Result(node.value(0, x.kind, shape), body,
                                                  GROUPED if is_grouped else LETTERS, memory)])
    definition.is_closed = is_grouped
    return definition


def _offset(at: str, tap: str, before: int, dilation: int) -> str:
    shifted = f"{at} + {before}" if before > 0 else f"{at} - {-before}" if before < 0 else at
    return f"{shifted} - {tap if dilation == 1 else f'{dilation}*{tap}'}"


def _transposed_padding(node: Node, image: Sequence[Dim], taps, strides, dilations):
    """What is cut off before, and the extents of the result."""
    count = len(image)
    more = list(node.attribute("output_padding", [0] * count))
    wanted = node.attribute("output_shape")
    mode = node.attribute("auto_pad", "NOTSET")
    spans = [dilation * (tap - 1) + 1 for dilation, tap in zip(dilations, taps)]
    if wanted is None and mode in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [node.static(dim) * stride for dim, stride in zip(image, strides)]
    if wanted is not None:
        wanted = list(wanted)[-count:]
        totals = [max(stride * (node.static(dim) - 1) + extra + span - size, 0) for dim, stride, extra, span, size
                  in zip(image, strides, more, spans, wanted)]
        before = [total // 2 if mode == "SAME_UPPER" else total - total // 2 for total in totals]
        return before, list(wanted)
    pads = [0] * (2 * count) if mode == "VALID" else padding(node, count)
    extents = [node.dims.derived(f"{stride} * ({node.dims.resolve(dim)} - 1) + {extra + span - low - high}")
               for dim, stride, extra, span, low, high in zip(image, strides, more, spans, pads[:count], pads[count:])]
    return pads[:count], extents
