"""The windows of convolutions and poolings: strides, dilations and padding along the dimensions of an image."""

from __future__ import annotations

from typing import List, NamedTuple, Sequence

from mmk.onnx.dimensions import Dim
from mmk.onnx.errors import NotImportable
from mmk.onnx.node import Node


class Windows(NamedTuple):
    """Of each dimension of an image: the taps, and where they are read."""

    taps: List[int]
    strides: List[int]
    dilations: List[int]
    before: List[int]
    after: List[int]
    extents: List[Dim]  # of the result

    def places(self, outer: Sequence[str], taps: Sequence[str]) -> List[str]:
        """The indices that the windows at `outer` read by their taps."""
        return [_sum(f"{_times(stride, at)} + {_times(dilation, tap)}", -before) for at, tap, stride, dilation, before
                in zip(outer, taps, self.strides, self.dilations, self.before)]


def _times(factor: int, index: str) -> str:
    return index if factor == 1 else f"{factor}*{index}"


def _sum(text: str, number: int) -> str:
    return text if number == 0 else f"{text} - {-number}" if number < 0 else f"{text} + {number}"


def padding(node: Node, count: int) -> List[int]:
    """The attribute `pads`: those before, then those after."""
    return [int(each) for each in node.attribute("pads", [0] * (2 * count))]


def windows(node: Node, image: Sequence[Dim], taps: Sequence[int]) -> Windows:
    """The windows of a node over the dimensions of an image."""
    count = len(image)
    strides = list(node.attribute("strides", [1] * count))
    dilations = list(node.attribute("dilations", [1] * count))
    mode = node.attribute("auto_pad", "NOTSET")
    spans = [dilation * (tap - 1) + 1 for dilation, tap in zip(dilations, taps)]
    if mode in ("SAME_UPPER", "SAME_LOWER"):
        sizes = [node.static(dim) for dim in image]
        totals = [max((-(-size // stride) - 1) * stride + span - size, 0)
                  for size, stride, span in zip(sizes, strides, spans)]
        before = [total // 2 if mode == "SAME_UPPER" else total - total // 2 for total in totals]
        after = [total - low for total, low in zip(totals, before)]
    elif mode == "VALID":
        before, after = [0] * count, [0] * count
    else:
        pads = padding(node, count)
        before, after = pads[:count], pads[count:]
    extents = [_extent(node, *each) for each in zip(image, before, after, spans, strides)]
    return Windows(list(taps), strides, dilations, before, after, extents)


def _extent(node: Node, dim: Dim, before: int, after: int, span: int, stride: int) -> Dim:
    rounds_up = node.attribute("ceil_mode", 0)
    more = before + after - span + (stride - 1 if rounds_up else 0)
    dim = node.dims.resolve(dim)
    if isinstance(dim, str):
        inside = _sum(dim, more)
        return node.dims.derived(f"({inside}) / {stride} + 1" if stride != 1 else _sum(dim, more + 1)) \
            if (stride, more) != (1, -1) else dim
    extent = (dim + more) // stride + 1
    if rounds_up and (extent - 1) * stride >= dim + before:  # such a window would begin behind the image
        extent -= 1
    if extent < 1:
        raise NotImportable(f"its windows of {span} do not fit an image of {dim}")
    return extent
