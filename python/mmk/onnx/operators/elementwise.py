"""Operators on elements: arithmetic, activations, comparisons, conversions."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Sequence

from mmk.onnx.definitions import Definition, Kind, Limit, Result, Value
from mmk.onnx.elements import BOOL, FLOAT, FLOAT16, INT8, UINT8, element, is_integer, literal
from mmk.onnx.errors import NotImportable
from mmk.onnx.node import Node, expect_float, wrapped
from mmk.onnx.operators import operator

# Of a float, the expression of the element x and the attributes with their defaults.
FLOATS: Dict[str, tuple] = {
    "Exp": ("exp({x})", {}),
    "Log": ("log({x})", {}),
    "Sqrt": ("sqrt({x})", {}),
    "Tanh": ("tanh({x})", {}),
    "Erf": ("erf({x})", {}),
    "Ceil": ("ceil({x})", {}),
    "Floor": ("floor({x})", {}),
    "Reciprocal": ("1 / {x}", {}),
    "Sigmoid": ("sigmoid({x})", {}),
    "HardSigmoid": ("clamp({alpha} * {x} + {beta}, 0, 1)", {"alpha": 0.2, "beta": 0.5}),
    "HardSwish": ("hardswish({x})", {}),
    "LeakyRelu": ("leaky_relu({x}, {alpha})", {"alpha": 0.01}),
    "Elu": ("elu({x}, {alpha})", {"alpha": 1.0}),
    "Celu": ("max({x}, 0) + min({alpha} * expm1(min({x}, 0) / {alpha}), 0)", {"alpha": 1.0}),
    "Selu": ("{gamma} * elu({x}, {alpha})", {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875}),
    "Softplus": ("softplus({x})", {}),
    "Softsign": ("softsign({x})", {}),
    "Mish": ("mish({x})", {}),
    "ThresholdedRelu": ("select({x} > {alpha}, {x}, 0)", {"alpha": 1.0}),
    "Shrink": ("select({x} < -{lambd}, {x} + {bias}, select({x} > {lambd}, {x} - {bias}, 0))",
               {"bias": 0.0, "lambd": 0.5}),
}
# Of any number.
NUMBERS = {
    "Abs": "abs({x})",
    "Neg": "-{x}",
    "Relu": "max({x}, 0)",
    "Sign": "select({x} > 0, 1, select({x} < 0, -1, {x}))",
}
ARITHMETIC = {"Add": "{x} + {y}", "Sub": "{x} - {y}", "Mul": "{x} * {y}"}
LIMITS = {"Mul": " * "}  # how the magnitudes of operands join; those of the others are added
COMPARISONS = {"Equal": "==", "Greater": ">", "GreaterOrEqual": ">=", "Less": "<", "LessOrEqual": "<="}
CONDITIONS = {"And": "{x} && {y}", "Or": "{x} || {y}", "Xor": "{x} && !{y} || !{x} && {y}"}


def _floats(node: Node) -> Definition:
    text, defaults = FLOATS[node.operator]
    attributes = {name: literal(node.attribute(name, value)) for name, value in defaults.items()}
    return node.elementwise(lambda scope, x: text.format(x=x, **attributes), [expect_float(node.input(0))])


def _numbers(node: Node) -> Definition:
    x = node.input(0)
    return node.elementwise(lambda scope, text: NUMBERS[node.operator].format(x=text), [x], limit=_of_operands(node, x))


def _arithmetic(node: Node) -> Definition:
    _expect_no_old_broadcast(node)
    operands = [node.input(0), node.input(1)]
    return node.elementwise(lambda scope, x, y: ARITHMETIC[node.operator].format(x=x, y=y), operands,
                            limit=_of_operands(node, *operands))


def _of_operands(node: Node, *operands: Value) -> Limit:
    return lambda most: LIMITS.get(node.operator, " + ").join(map(most, operands))


def _comparison(node: Node) -> Definition:
    _expect_no_old_broadcast(node)
    x, y = node.input(0), node.input(1)
    shape = node.dims.broadcast([x.shape, y.shape])

    def body(scope, indices):
        return f"{scope.number(x, indices)} {COMPARISONS[node.operator]} {scope.number(y, indices)}"

    return node.define(Kind.ELEMENTWISE, [Result(node.value(0, BOOL, shape), body)])


def _condition(node: Node) -> Definition:
    _expect_no_old_broadcast(node)
    return node.elementwise(lambda scope, x, y: CONDITIONS[node.operator].format(x=x, y=y),
                            [node.input(0), node.input(1)])


for _names, _function in [(FLOATS, _floats), (NUMBERS, _numbers), (ARITHMETIC, _arithmetic),
                          (COMPARISONS, _comparison), (CONDITIONS, _condition)]:
    operator(*_names)(_function)


def _expect_no_old_broadcast(node: Node) -> None:
    if node.opset < 7 and node.attribute("broadcast", 0) and node.attribute("axis") is not None:
        raise NotImportable(f"it broadcasts along an axis, as before version 7 of ONNX's operators; this model has "
                            f"{node.opset}")


@operator("Not")
def invert(node: Node) -> Definition:
    return node.elementwise(lambda scope, x: f"!{x}", [node.input(0)])


@operator("IsNaN")
def is_nan(node: Node) -> Definition:
    return node.elementwise(lambda scope, x: f"{x} != {x}", [node.input(0)], BOOL)


@operator("IsInf")
def is_inf(node: Node) -> Definition:
    detected = (("inf", "detect_positive"), ("-inf", "detect_negative"))
    signs = [sign for sign, name in detected if node.attribute(name, 1)]
    if not signs:
        raise NotImportable("it detects neither of the infinities")
    return node.elementwise(lambda scope, x: " || ".join(f"{x} == {sign}" for sign in signs), [node.input(0)], BOOL)


@operator("Round")
def round_to_even(node: Node) -> Definition:
    return node.elementwise(lambda scope, x: scope.call("round_to_even", x), [expect_float(node.input(0))])


@operator("Div")
def divide(node: Node) -> Definition:
    _expect_no_old_broadcast(node)
    x, y = node.input(0), node.input(1)
    if is_integer(x.kind):
        return node.elementwise(lambda scope, a, b: scope.call("quotient", a, b), [x, y], limit=_of_operands(node, x))
    return node.elementwise(lambda scope, a, b: f"{a} / {b}", [x, y])


@operator("Mod")
def modulo(node: Node) -> Definition:
    x, y = node.input(0), node.input(1)
    if not is_integer(x.kind):
        raise NotImportable("the remainder of floats is not exact in the language")
    if node.attribute("fmod", 0):
        return node.elementwise(lambda scope, a, b: scope.call("remainder", a, b), [x, y])
    return node.elementwise(lambda scope, a, b: f"{a} % {b}", [x, y])


@operator("Pow")
def power(node: Node) -> Definition:
    x, y = node.input(0), node.input(1)
    _expect_no_old_broadcast(node)
    limit = lambda most: f"{most(x)} ** min({most(y)}, 32)"  # noqa: E731
    if y.constant is not None and y.constant.size == 1:
        exponent = float(y.constant.item())
        shortest = {0.5: "sqrt({x})", 1.0: "{x}", 2.0: "{x} * {x}", 3.0: "{x} * {x} * {x}", -1.0: "1 / {x}",
                    -0.5: "1 / sqrt({x})"}.get(exponent)
        if shortest and not (is_integer(x.kind) and exponent < 1):
            return node.elementwise(lambda scope, a, b: shortest.format(x=a), [x, y], limit=limit)
    if is_integer(x.kind) and not is_integer(y.kind):
        raise NotImportable("an integer to the power of a float is cut to an integer, and exp and log are not exact")
    function = "power_of_integer" if is_integer(x.kind) else "power_of_float" if is_integer(y.kind) else "power"
    return node.elementwise(lambda scope, a, b: scope.call(function, a, b), [x, y], limit=limit)


@operator("PRelu")
def prelu(node: Node) -> Definition:
    x, slope = node.input(0), node.input(1)
    if node.opset < 7 and slope.rank == 1 and x.rank > 2:  # a slope for each channel
        slope = Value(slope.name, slope.kind, (*slope.shape, *[1] * (x.rank - 2)),
                      None if slope.constant is None else slope.constant.reshape([-1, *[1] * (x.rank - 2)]))
        if slope.constant is None:
            raise NotImportable("its slope has a dimension for channels, as before version 7 of ONNX's operators")
    return node.elementwise(lambda scope, a, b: f"leaky_relu({a}, {b})", [x, slope])


def _joined(node: Node, text: Callable[[List[str]], str], limit: Optional[Limit] = None) -> Definition:
    operands: Sequence[Value] = [node.input(place) for place in range(len(node.inputs))]
    return node.elementwise(lambda scope, *elements: text(list(elements)), operands, limit=limit)


def _nested(function: str, elements: List[str]) -> str:
    text = elements[0]
    for each in elements[1:]:
        text = f"{function}({text}, {each})"
    return text


@operator("Max", "Min")
def extreme(node: Node) -> Definition:
    return _joined(node, lambda elements: _nested(node.operator.lower(), elements))


@operator("Sum")
def total(node: Node) -> Definition:
    return _joined(node, " + ".join)


@operator("Mean")
def mean(node: Node) -> Definition:
    return _joined(node, lambda elements: f"({' + '.join(elements)}) / {len(elements)}")


@operator("Clip")
def clip(node: Node) -> Definition:
    x = node.input(0)
    low, high = node.optional(1), node.optional(2)
    if node.opset < 11:
        texts = [None if node.attribute(name) is None else literal(node.attribute(name)) for name in ("min", "max")]
        return node.elementwise(lambda scope, a: _clamped(a, *texts), [x])
    operands = [each for each in (x, low, high) if each is not None]

    def text(scope, a, *bounds):
        return _clamped(a, bounds[0] if low else None, bounds[-1] if high else None)

    return node.elementwise(text, operands)


def _clamped(x: str, low, high) -> str:
    x = f"max({x}, {low})" if low else x
    return f"min({x}, {high})" if high else x


@operator("Where")
def where(node: Node) -> Definition:
    condition, x, y = node.input(0), node.input(1), node.input(2)
    if x.kind == BOOL:
        return node.elementwise(lambda scope, c, a, b: f"{c} && {a} || !{c} && {b}", [condition, x, y], BOOL)
    return node.elementwise(lambda scope, c, a, b: f"select({c}, {a}, {b})", [condition, x, y], x.kind)


@operator("Cast", "CastLike")
def cast(node: Node) -> Definition:
    x = node.input(0)
    kind = node.attribute("to") if node.operator == "Cast" else node.input(1).kind
    element(kind)

    def body(scope, indices):
        text = scope.number(x, indices)
        if kind == BOOL:
            return f"{text} != 0"
        if kind in (FLOAT, FLOAT16) and kind != x.kind:
            return f"cast<{element(kind).mmk}>({text})"
        if is_integer(kind) and not is_integer(x.kind) and x.kind != BOOL:
            text = scope.call("truncate", text)
        return wrapped(scope, kind, text) if kind in (INT8, UINT8) and x.kind not in (BOOL, kind) else text

    return node.define(Kind.ELEMENTWISE, [Result(node.value(0, kind, x.shape), body)], [x])


