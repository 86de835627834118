"""Products: MatMul, Gemm, Einsum, and those of integers."""

from __future__ import annotations

from typing import Dict, List, Optional

import numpy

from mmk.onnx.definitions import Definition, Indices, Kind, Result, Value
from mmk.onnx.dimensions import Dim
from mmk.onnx.elements import INT32, UINT8, is_integer, literal
from mmk.onnx.errors import NotImportable
from mmk.onnx.names import VARIABLES
from mmk.onnx.node import Node, expect_float
from mmk.onnx.operators import operator


class Product:
    """NumPy's matmul of two shapes: batches broadcast, a vector is a row or a column that is gone."""

    def __init__(self, node: Node, a: Value, b: Value):
        if not a.rank or not b.rank:
            raise NotImportable("it multiplies a scalar")
        self.a, self.b = a, b
        self.depth: Dim = node.dims.unify(a.shape[-1], b.shape[-2] if b.rank > 1 else b.shape[0])
        self.batches = node.dims.broadcast([a.shape[:-2], b.shape[:-2]])
        self.shape = (*self.batches, *a.shape[-2:-1], *(b.shape[-1:] if b.rank > 1 else ()))

    def indices(self, scope, own: Indices, k: str) -> List[Indices]:
        """Those of the two operands."""
        batches, rest = own[:len(self.batches)], own[len(self.batches):]
        row = rest[:1] if self.a.rank > 1 else []
        column = rest[-1:] if self.b.rank > 1 else []
        return [self._batches(scope, self.a, batches) + row + [k], self._batches(scope, self.b, batches) + [k] + column]

    @staticmethod
    def _batches(scope, value: Value, own: Indices) -> Indices:
        dims = value.shape[:-2]
        return ["0" if scope.extent(dim) == 1 else index for dim, index in zip(dims, own[len(own) - len(dims):])]


def _product_text(scope, product: Product, own: Indices) -> str:
    k, = scope.variables("k", 1)
    left, right = product.indices(scope, own, k)
    a = scope.rounded(product.a, scope.read(product.a, left))
    b = scope.rounded(product.b, scope.read(product.b, right))
    return f"sum[{scope.ranges([k], [product.depth])}]({a} * {b})"


@operator("MatMul")
def matmul(node: Node) -> Definition:
    a, b = expect_float(node.input(0)), expect_float(node.input(1))
    product = Product(node, a, b)
    return node.define(Kind.PRODUCT, [Result(node.value(0, a.kind, product.shape),
                                             lambda scope, own: _product_text(scope, product, own))])


@operator("Gemm")
def gemm(node: Node) -> Definition:
    a, b, c = expect_float(node.input(0)), node.input(1), node.optional(2)
    by_rows, by_columns = node.attribute("transA", 0), node.attribute("transB", 0)
    rows, depth = (a.shape[1], a.shape[0]) if by_rows else (a.shape[0], a.shape[1])
    columns, other = (b.shape[0], b.shape[1]) if by_columns else (b.shape[1], b.shape[0])
    node.dims.unify(depth, other)
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)

    def body(scope, own):
        i, j = own
        k, = scope.variables("k", 1)
        left = scope.rounded(a, scope.read(a, [k, i] if by_rows else [i, k]))
        right = scope.rounded(b, scope.read(b, [j, k] if by_columns else [k, j]))
        text = f"sum[{scope.ranges([k], [depth])}]({left} * {right})"
        text = text if alpha == 1 else f"{literal(alpha)} * {text}"
        if c is None or beta == 0:
            return text
        return f"{text} + {'' if beta == 1 else f'{literal(beta)} * '}{scope.at(c, own)}"

    return node.define(Kind.PRODUCT, [Result(node.value(0, a.kind, (rows, columns)), body)])


class Factor:
    """An operand of a product of integers: its elements as i8, and its zero point. Those of uint8 are less by 128."""

    def __init__(self, value: Value, zero: Optional[Value]):
        self.value, self.zero = value, zero
        self._shift = 128 if value.kind == UINT8 else 0

    def read(self, scope, indices: Indices) -> str:
        value = self.value
        is_number = value.constant is not None and value.constant.size == 1
        if not self._shift and not is_number and not scope.is_inside(value):
            return scope.read(value, indices)
        own = list(VARIABLES[:value.rank])
        shift = f" - {self._shift}" if self._shift else ""
        name = scope.helper(value, lambda inner: f"cast<i8>({inner.read(value, own)}{shift})", own, "i8")
        return scope.element(name, indices)

    def zero_text(self, scope, own: Indices) -> str:
        """The zero point of a row or column; empty if it is 0."""
        known = numpy.zeros(1) if self.zero is None else self.zero.constant
        if known is not None and (known == known.reshape(-1)[0]).all():
            number = int(known.reshape(-1)[0]) - self._shift
            return literal(number) if number else ""
        text = scope.at(self.zero, own)
        return f"({text} - {self._shift})" if self._shift else text


@operator("MatMulInteger")
def matmul_integer(node: Node) -> Definition:
    a, b = Factor(node.input(0), node.optional(2)), Factor(node.input(1), node.optional(3))
    product = Product(node, a.value, b.value)
    if a.zero and a.zero.rank:
        node.dims.broadcast([a.value.shape[:-1], a.zero.shape if a.zero.rank == 1 else a.zero.shape[:-1]])
    if b.zero and b.zero.rank:
        node.dims.broadcast([b.value.shape[-1:] if b.value.rank > 1 else (), b.zero.shape[-1:]])

    def body(scope, own):
        """The sum of (a - row) * (b - column), expanded, so that the product is one of i8."""
        k, = scope.variables("k", 1)
        left, right = product.indices(scope, own, k)
        x, y = a.read(scope, left), b.read(scope, right)
        over = f"sum[{scope.ranges([k], [product.depth])}]"
        batches = own[:len(product.batches)]
        rows = left[-2:-1] or ["0"]
        row = a.zero_text(scope, rows if a.zero and a.zero.rank == 1 else [*batches, *rows, "0"])
        column = b.zero_text(scope, [*batches, "0", right[-1] if b.value.rank > 1 else "0"])
        text = f"{over}({x} * {y})"
        text += f" - {column} * {over}({x})" if column else ""
        text += f" - {row} * {over}({y})" if row else ""
        return f"{text} + {scope.extent(product.depth)} * {row} * {column}" if row and column else text

    return node.define(Kind.PRODUCT, [Result(node.value(0, INT32, product.shape), body)])


@operator("Einsum")
def einsum(node: Node) -> Definition:
    operands = [node.input(place) for place in range(len(node.inputs))]
    for each in operands:
        if is_integer(each.kind):
            expect_float(each)
    terms, result = _equation(node, operands)
    dims: Dict[str, Dim] = {}
    for letters, value in zip(terms, operands):
        for letter, dim in zip(letters, value.shape):
            dim = node.dims.resolve(dim)
            dims[letter] = dim if letter not in dims or dims[letter] == 1 else dims[letter] if dim == 1 else \
                node.dims.unify(dims[letter], dim)
    inner = [letter for letter in dict.fromkeys("".join(terms)) if letter not in result]

    def body(scope, own):
        variables = dict(zip(result, own))
        variables.update(zip(inner, scope.variables("".join(inner) if "".join(inner).islower() else "", len(inner))))
        texts = []
        for letters, value in zip(terms, operands):
            at = ["0" if scope.extent(dim) == 1 else variables[letter] for letter, dim in zip(letters, value.shape)]
            texts.append(scope.rounded(value, scope.read(value, at)))
        text = " * ".join(texts)
        if inner:
            text = f"sum[{scope.ranges([variables[each] for each in inner], [dims[each] for each in inner])}]({text})"
        return text

    shape = tuple(dims[letter] for letter in result)
    kind = Kind.PRODUCT if len(operands) > 1 else Kind.ROWS if inner else Kind.ELEMENTWISE
    return node.define(kind, [Result(node.value(0, operands[0].kind, shape), body)])


def _equation(node: Node, operands: List[Value]):
    """The letters of each operand and of the result; those of an ellipsis are digits."""
    text = node.attribute("equation").replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = []
    for term, value in zip(left.split(","), operands):
        count = value.rank - len(term.replace("...", ""))
        terms.append(term.replace("...", "0123456789"[10 - count:] if count else ""))
    ellipsis = max((term for term in ["".join(c for c in term if c.isdigit()) for term in terms]), key=len, default="")
    if arrow:
        return terms, right.replace("...", ellipsis)
    letters = "".join(terms)
    return terms, ellipsis + "".join(sorted(c for c in set(letters) if letters.count(c) == 1 and not c.isdigit()))
