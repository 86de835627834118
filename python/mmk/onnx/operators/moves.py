"""Operators that read elements at other places: their readers read their operand instead."""

from __future__ import annotations

from typing import Dict, List

from mmk.onnx.definitions import Definition, Kind, Result, Value
from mmk.onnx.dimensions import Dim
from mmk.onnx.elements import BOOL, literal
from mmk.onnx.errors import NotImportable
from mmk.onnx.node import Node
from mmk.onnx.operators import operator


@operator("Identity")
def identity(node: Node) -> Definition:
    x = node.input(0)
    return node.move(x, x.shape, list, Kind.RESHAPE)


@operator("Transpose")
def transpose(node: Node) -> Definition:
    x = node.input(0)
    order = [node.axis(axis, x.rank) for axis in node.attribute("perm", range(x.rank)[::-1])]
    return node.move(x, tuple(x.shape[axis] for axis in order),
                     lambda indices: [indices[order.index(axis)] for axis in range(x.rank)])


@operator("Expand")
def expand(node: Node) -> Definition:
    x, wanted = node.input(0), node.known(1)
    target: List[Dim] = [each if isinstance(each, str) else int(each) for each in wanted]
    shape = node.dims.broadcast([x.shape, tuple(target)])
    return node.move(x, shape, lambda indices: [
        "0" if node.dims.resolve(dim) == 1 else index
        for dim, index in zip(x.shape, indices[len(indices) - x.rank:])])


@operator("Squeeze", "Unsqueeze")
def unit_dimensions(node: Node) -> Definition:
    x = node.input(0)
    axes = node.numbers(1, "axes")
    if node.operator == "Squeeze":
        dropped = {place for place in range(x.rank) if x.shape[place] == 1} if axes is None else {
            node.axis(axis, x.rank) for axis in axes}
        kept = [place for place in range(x.rank) if place not in dropped]
        return node.move(x, tuple(x.shape[place] for place in kept),
                         lambda indices: ["0" if place in dropped else indices[kept.index(place)]
                                          for place in range(x.rank)], Kind.RESHAPE)
    rank = x.rank + len(axes or [])
    added = {node.axis(axis, rank) for axis in axes or []}
    rest = iter(x.shape)
    return node.move(x, tuple(1 if place in added else next(rest) for place in range(rank)),
                     lambda indices: [index for place, index in enumerate(indices) if place not in added], Kind.RESHAPE)


@operator("Reshape", "Flatten")
def reshape(node: Node) -> Definition:
    """The same memory with other dimensions."""
    x = node.input(0)
    if node.operator == "Flatten":
        axis = node.attribute("axis", 1)
        axis = axis + x.rank if axis < 0 else axis
        shape: List[Dim] = [node.dims.quotient(x.shape[:axis], []), node.dims.quotient(x.shape[axis:], [])]
    else:
        wanted = node.attribute("shape") if node.opset < 5 else node.known(1)
        shape = [each if isinstance(each, str) else int(each) for each in wanted]
        if not node.attribute("allowzero", 0):
            shape = [x.shape[place] if dim == 0 else dim for place, dim in enumerate(shape)]
        elif 0 in shape:
            raise NotImportable("its result has no elements")
        if -1 in shape:
            shape[shape.index(-1)] = node.dims.quotient(x.shape, [dim for dim in shape if dim != -1])
    known = [node.dims.resolve(dim) for dim in x.shape]
    if len({dim for dim in map(node.dims.resolve, shape) if isinstance(dim, str) and dim not in known}) > 1:
        raise NotImportable("several dimensions of its result are not known before the model runs, and none of them is "
                            "one of its operand")
    definition = node.move(x, tuple(shape), None, Kind.RESHAPE)
    places = [place for place, dim in enumerate(x.shape) if node.dims.resolve(dim) != 1]
    others = [place for place, dim in enumerate(shape) if node.dims.resolve(dim) != 1]
    if [node.dims.resolve(x.shape[place]) for place in places] == [node.dims.resolve(shape[place]) for place in others]:
        definition.mapping = lambda indices: [indices[others[places.index(place)]] if place in places else "0"
                                              for place in range(x.rank)]
    return definition


@operator("Slice")
def cut(node: Node) -> Definition:
    x = node.input(0)
    starts, ends = node.numbers(1, "starts") or [], node.numbers(2, "ends") or []
    axes = node.numbers(3, "axes")
    steps = (node.numbers(4, "") if node.opset >= 10 else None) or [1] * len(starts)
    parts: Dict[int, range] = {}
    for start, end, axis, step in zip(starts, ends, axes or range(len(starts)), steps):
        axis = node.axis(axis, x.rank)
        if isinstance(node.dims.resolve(x.shape[axis]), str) and (start, step) == (0, 1) and end >= 2**31 - 1:
            continue
        size = node.static(x.shape[axis])
        part = range(*slice(start, None if step < 0 and end < -size else end, step).indices(size))
        if not part:
            raise NotImportable("its result has no elements")
        if part != range(size):
            parts[axis] = part
    return _part(node, 0, x, parts)


def _part(node: Node, place: int, x: Value, parts: Dict[int, range]) -> Definition:
    """Some places of some dimensions of an operand, as one output."""
    shape = tuple(len(parts[axis]) if axis in parts else dim for axis, dim in enumerate(x.shape))
    return node.move(x, shape, lambda indices: [
        _affine(index, parts[axis].step, parts[axis].start) if axis in parts else index
        for axis, index in enumerate(indices)], place=place)


def _affine(index: str, factor: int, first: int) -> str:
    """factor * index + first; never the index alone, which would range over the whole dimension."""
    if index == "0":
        return str(first)
    if factor < 0:
        return f"{first} - {'' if factor == -1 else f'{-factor}*'}({index})"
    return f"{index if factor == 1 else f'{factor}*({index})'} + {first}"


@operator("Gather")
def gather(node: Node) -> Definition:
    """At places that are known: one, or several in equal steps."""
    x, places = node.input(0), node.optional(1)
    axis = node.axis(node.attribute("axis", 0), x.rank)
    if places is None or places.constant is None:
        raise NotImportable("it reads at places that data determine; the language reads at sums of index variables")
    size = node.static(x.shape[axis])
    numbers = [node.whole(each) % size for each in places.constant.reshape(-1)]
    if places.rank == 0:
        shape = tuple(dim for place, dim in enumerate(x.shape) if place != axis)
        return node.move(x, shape, lambda indices: [*indices[:axis], str(numbers[0]), *indices[axis:]])
    step = numbers[1] - numbers[0] if len(numbers) > 1 else 1
    part = range(numbers[0], numbers[0] + step * len(numbers), step) if step else range(0)
    if places.rank != 1 or list(part) != numbers:
        raise NotImportable("it reads at places without an order; the language reads at sums of index variables")
    return _part(node, 0, x, {axis: part})


@operator("Split")
def split(node: Node) -> List[Definition]:
    x = node.input(0)
    axis = node.axis(node.attribute("axis", 0), x.rank)
    sizes = node.numbers(1, "split")
    if sizes is None:
        size = -(-node.static(x.shape[axis]) // len(node.outputs))
        sizes = [min(size, node.static(x.shape[axis]) - size * place) for place in range(len(node.outputs))]
    if 0 in sizes:
        raise NotImportable("one of its results has no elements")
    firsts = [sum(sizes[:place]) for place in range(len(sizes))]
    return [_part(node, place, x, {axis: range(first, first + size)} if len(sizes) > 1 else {})
            for place, (first, size) in enumerate(zip(firsts, sizes)) if node.has_output(place)]


@operator("Concat")
def join(node: Node) -> Definition:
    parts = [node.input(place) for place in range(len(node.inputs))]
    axis = node.axis(node.attribute("axis", 1), parts[0].rank)
    sizes = [node.static(part.shape[axis]) for part in parts]
    shape = list(parts[0].shape)
    for part in parts[1:]:
        for place in range(len(shape)):
            if place != axis:
                shape[place] = node.dims.unify(shape[place], part.shape[place])
    shape[axis] = sum(sizes)
    kind = parts[0].kind

    def body(scope, indices):
        text, first = "", sum(sizes)
        for part, size in zip(parts[::-1], sizes[::-1]):
            first -= size
            own = [_minus(index, first) if place == axis else index for place, index in enumerate(indices)]
            read = scope.padded(part, own, "0")
            read = f"{read} != 0" if kind == BOOL else read
            text = f"select({indices[axis]} < {first + size}, {read}, {text})" if text else read
        return text

    return node.define(Kind.ELEMENTWISE, [Result(node.value(0, kind, tuple(shape)), body)])


def _minus(index: str, first: int) -> str:
    return f"{index} - {first}" if first else index


@operator("Pad")
def pad(node: Node) -> Definition:
    x = node.input(0)
    mode = node.attribute("mode", "constant")
    widths = node.numbers(1, "pads") if node.opset >= 11 else [int(each) for each in node.attribute("pads")]
    if mode != "constant":
        raise NotImportable(f"it pads by the mode {mode}; the language pads with a value")
    if node.opset < 11:
        fill = literal(node.attribute("value", 0.0))
    else:
        given = node.known(2)
        fill = "0" if given is None else literal(given)
    before, after = widths[:x.rank], widths[x.rank:]
    shape = [node.static(dim) + low + high if low or high else dim for dim, low, high in zip(x.shape, before, after)]

    def body(scope, indices):
        return scope.padded(x, [f"{index} - {low}" if low > 0 else f"{index} + {-low}" if low < 0 else index
                                for index, low in zip(indices, before)], fill.strip("()"))

    return node.define(Kind.ELEMENTWISE, [Result(node.value(0, x.kind, tuple(shape)), body)], [x])


@operator("Tile")
def tile(node: Node) -> Definition:
    x, repeats = node.input(0), node.numbers(1, "") or []
    sizes = [node.static(dim) if count != 1 else 0 for dim, count in zip(x.shape, repeats)]
    shape = [dim if count == 1 else node.static(dim) * count for dim, count in zip(x.shape, repeats)]
    return node.move(x, tuple(shape), lambda indices: [index if count == 1 else f"({index}) % {size}"
                                                       for index, count, size in zip(indices, repeats, sizes)])


@operator("Dropout")
def dropout(node: Node) -> Definition:
    """Of inference, its operand; in training, 0 where a random number is below the ratio."""
    x = node.input(0)
    training = node.known(2) if node.opset >= 12 else None
    ratio = node.known(1) if node.opset >= 12 else None
    share = 0.5 if ratio is None else float(ratio.item())
    seed = int(node.attribute("seed", 0))
    drops = training is not None and bool(training.item()) and share > 0

    def body(scope, indices):
        element = scope.read(x, indices)
        return f"dropout[{', '.join(indices)}]({element}, {literal(share)}, {seed})" if drops else element

    def kept(scope, indices):
        return f"random[{', '.join(indices)}]({seed}) >= {literal(share)}" if drops else "0 == 0"

    results = [Result(node.value(0, x.kind, x.shape), body)]
    if node.has_output(1):
        results.append(Result(node.value(1, BOOL, x.shape), kept))
    elif not drops:
        return node.move(x, x.shape, list, Kind.RESHAPE)
    return node.define(Kind.ELEMENTWISE, results, [x])
