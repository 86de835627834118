"""The text of one kernel while it is written: what expressions read, and the names that they need."""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple

from mmk.onnx.definitions import Body, Definition, Indices, Kind, Result, Value
from mmk.onnx.dimensions import Dim, Dimensions, Shape
from mmk.onnx.elements import BOOL, FLOAT16, element, literal
from mmk.onnx.errors import NotImportable
from mmk.onnx.names import VARIABLES, Names

# Functions that the prelude lacks.
FUNCTIONS = {
    "wrap_i8": "fn wrap_i8(x) = (x + 128) % 256 - 128;",
    "wrap_u8": "fn wrap_u8(x) = x % 256;",
    "truncate": "fn truncate(x) = cast<i32>(select(x < 0, ceil(x), floor(x)));",
    # Of integers, with the sign of x.
    "remainder": "fn remainder(x, y) = select(x % y != 0 && (x < 0 && y > 0 || x > 0 && y < 0), x % y - y, x % y);",
    # x is a multiple of y. The quotient in f32 may be rounded; what it leaves of x is small, and its quotient exact.
    "rounded_quotient": "fn rounded_quotient(x, y) = cast<i32>(x / y);",
    "quotient_of_multiple": "fn quotient_of_multiple(x, y) =\n"
                            "    rounded_quotient(x, y) + rounded_quotient(x - rounded_quotient(x, y) * y, y);",
    "quotient": "fn quotient(x, y) = quotient_of_multiple(x - remainder(x, y), y);",
    "is_odd": "fn is_odd(x) = x - 2 * floor(x / 2) == 1;",
    "round_to_even": "fn round_to_even(x) = select(x - floor(x) < 0.5 || x - floor(x) == 0.5 && !is_odd(floor(x)), "
                     "floor(x), floor(x) + 1);",
    # |x|^y; the sign of a negative x follows from whether y is odd, and a y with a fraction has no result.
    "power": "fn power(x, y) = select(y == 0 || x == 1 || x == -1 && abs(y) == inf, 1,\n"
             "    select(x < 0 && floor(y) != y && abs(y) < inf, nan,\n"
             "           select(x < 0 && is_odd(y), -1, 1) * exp(y * log(abs(x)))));",
    # x^n of an integer n: the product of x^(2^k) for each of its binary digits that is 1.
    "digit_power": "fn digit_power(x, n) = select(is_odd(floor(n)), x, 1);",
    "fourth": "fn fourth(x) = square(square(x));",
    "sixteenth": "fn sixteenth(x) = fourth(fourth(x));",
    "power_4": "fn power_4(x, n) = digit_power(x, n) * digit_power(square(x), n / 2)\n"
               "    * digit_power(fourth(x), n / 4) * digit_power(square(fourth(x)), n / 8);",
    "power_16": "fn power_16(x, n) = power_4(x, n) * power_4(sixteenth(x), n / 16)\n"
                "    * power_4(sixteenth(sixteenth(x)), n / 256)\n"
                "    * power_4(sixteenth(sixteenth(sixteenth(x))), n / 4096);",
    "power_32": "fn power_32(x, n) = power_16(x, n % 65536)\n"
                "    * power_16(sixteenth(sixteenth(sixteenth(sixteenth(x)))), (n - n % 65536) / 65536);",
    "power_of_float": "fn power_of_float(x, n) = select(n < 0, 1 / power_32(x, -n), power_32(x, n));",
    "power_of_integer": "fn power_of_integer(x, n) = select(n < 0 && abs(x) != 1, 0, power_32(x, n));",
}
USED_BY = {"round_to_even": ["is_odd"], "power": ["is_odd"], "quotient_of_multiple": ["rounded_quotient"],
           "quotient": ["remainder", "quotient_of_multiple"], "digit_power": ["is_odd"], "sixteenth": ["fourth"],
           "power_4": ["digit_power", "fourth"], "power_16": ["power_4", "sixteenth"], "power_32": ["power_16"],
           "power_of_float": ["power_32"], "power_of_integer": ["power_32"]}


class Parameter:
    """An operand of a kernel: a tensor of the model, in memory with these dimensions."""

    def __init__(self, value: Value, name: str, shape: Shape):
        self.value = value
        self.name = name
        self.shape = shape
        self.is_reshaped = shape != value.shape


class Scope:
    """The kernel that computes these definitions."""

    def __init__(self, names: Names, dims: Dimensions, definitions: Sequence[Definition]):
        self._names = names
        self._dims = dims
        self._inside = {id(each) for each in definitions}
        self._lets: Dict[int, str] = {}  # by value
        self._bare: Set[str] = set()  # variables that stand alone in the place of a dimension
        self._used: Set[str] = set()  # variables of the statement
        self.parameters: Dict[Tuple[int, Shape], Parameter] = {}
        self.functions: List[str] = []
        self.statements: List[str] = []

    # What the bodies of definitions call.

    def at(self, value: Value, indices: Indices) -> str:
        """The element of an operand that broadcasts to these indices."""
        own = indices[len(indices) - value.rank:] if value.rank else []
        return self.read(value, ["0" if self.extent(dim) == 1 else index for dim, index in zip(value.shape, own)])

    def read(self, value: Value, indices: Indices) -> str:
        """The element at these indices: a number, and of bool a condition."""
        if value.constant is not None and value.constant.size == 1:
            number = literal(value.constant.reshape(()).item())
            return f"({number} != 0)" if value.kind == BOOL else number
        definition = value.definition
        if definition and definition.is_transparent:
            assert definition.mapping
            return self.read(definition.source, definition.mapping(indices))
        if definition and id(definition) in self._inside:
            return self.element(self._lets[id(value)], indices)
        text = self.element(self._parameter(value, value.shape).name, indices)
        return f"({text} != 0)" if value.kind == BOOL else text

    def number(self, value: Value, indices: Indices) -> str:
        """The element that broadcasts to these indices, of bool 0 or 1."""
        text = self.at(value, indices)
        return f"select({text}, 1, 0)" if value.kind == BOOL else text

    def padded(self, value: Value, indices: Indices, fill: str) -> str:
        """The element at computed indices, and `fill` outside of the tensor."""
        definition = value.definition
        if definition and definition.is_transparent and definition.kind == Kind.MOVE:
            text = self._let(value, f"{self._names.of(value.name)}_here", lambda scope, own: scope.read(value, own))
        elif definition and definition.is_transparent:
            assert definition.mapping
            return self.padded(definition.source, definition.mapping(indices), fill)
        elif definition and id(definition) in self._inside:
            text = self._lets[id(value)]
        else:
            text = self._parameter(value, value.shape).name
        return self.padded_name(text, indices, fill)

    def padded_name(self, name: str, indices: Indices, fill: str) -> str:
        """The same of a tensor of the kernel."""
        return f"pad({name}, {fill})[{', '.join(indices)}]"

    def reshaped(self, value: Value, shape: Shape) -> str:
        """The name of an operand that is in memory, read with other dimensions."""
        return self._parameter(value, shape).name

    def rounded(self, value: Value, text: str) -> str:
        """An operand of a product, in its own type."""
        return f"cast<f16>({text})" if value.kind == FLOAT16 and self.is_inside(value) else text

    def is_inside(self, value: Value) -> bool:
        """Whether the kernel computes it."""
        return value.definition is not None and id(base_definition(value)) in self._inside

    def variables(self, letters: str, count: int) -> Indices:
        """New index variables, by these letters where they are free."""
        found: Indices = []
        for place in range(count):
            wanted = [*(set(letters[place:place + 1]) & set(VARIABLES)), *VARIABLES,
                      *(f"{letter}{number}" for number in range(1, 9) for letter in VARIABLES)]
            found.append(next(v for v in wanted if v not in self._used))
            self._used.add(found[-1])
        return found

    def ranges(self, variables: Indices, dims: Sequence[Dim]) -> str:
        """What stands in brackets: each variable, with its range where it stands alone nowhere. Call it when
        the expressions that read the variables are written."""
        return ", ".join(v if v in self._bare else f"{v}: {self.extent(dim)}" for v, dim in zip(variables, dims))

    def call(self, function: str, *arguments: str) -> str:
        """A call of one of FUNCTIONS."""
        self._define(function)
        return f"{function}({', '.join(arguments)})"

    def extent(self, dim: Dim) -> Dim:
        return self._dims.resolve(dim)

    def element(self, name: str, indices: Indices) -> str:
        """The element of a tensor of the kernel."""
        self._bare.update(index for index in indices if re.fullmatch(r"[a-z]\d?", index))
        return f"{name}[{', '.join(indices)}]" if indices else name

    def helper(self, like: Value, body: Callable[["Scope"], str], indices: Indices, suffix: str = "part") -> str:
        """The name of a value with the dimensions of another, for what reads it at other places."""
        outer = self._bare, self._used
        self._bare, self._used = set(), set(indices)
        name = self._names.fresh(f"{self._names.of(like.name)}_{suffix}")
        expression = body(self)
        self.statements.append(f"let {name}[{self.ranges(indices, like.shape)}] = {expression};")
        self._bare, self._used = outer
        return name

    # What writes the kernel.

    def define(self, definition: Definition, kept: Set[int], written: Set[int]) -> List[Tuple[Result, str]]:
        """Writes the statements of a definition: of the values that others here read (kept) and that others in
        the model read (written). Returns the results of the kernel among them, with their names."""
        results = []
        self.statements.append(f"// {definition.node.title}")
        for result in definition.results:
            name = self._names.of(result.value.name)
            if id(result.value) in kept:
                is_written = id(result.value) in written
                inner = self._let(result.value, f"{name}_here" if is_written else name, result.body, result.variables)
                if is_written:
                    results.append((result, name))
                    self._assign(name, result, lambda scope, own: scope.element(inner, own))
            elif id(result.value) in written:
                results.append((result, name))
                self._assign(name, result, result.body)
        return results

    def _let(self, value: Value, name: str, body: Body, variables: str = "") -> str:
        """Names a value of this kernel alone."""
        if id(value) not in self._lets:
            if name != self._names.of(value.name):
                name = self._names.fresh(name)
            outer = self._bare, self._used
            text = self._statement(name, value.shape, body, variables)
            self._bare, self._used = outer
            self.statements.append(f"let {text}")
            self._lets[id(value)] = name
        return self._lets[id(value)]

    def _assign(self, name: str, result: Result, body: Body) -> None:
        stored = body
        if result.value.kind == BOOL:
            stored = lambda scope, own: f"select({body(scope, own)}, 1, 0)"  # noqa: E731
        self.statements.append(self._statement(name, result.memory or result.value.shape, stored, result.variables))

    def _statement(self, name: str, shape: Shape, body: Body, letters: str) -> str:
        self._bare, self._used = set(), set()
        indices = self.variables(letters, len(shape))
        expression = body(self, indices)
        left = f"{name}[{self.ranges(indices, shape)}]" if shape else name
        return f"{left} = {expression};"

    def _parameter(self, value: Value, shape: Shape) -> Parameter:
        shape = tuple(map(self.extent, shape))
        key = (id(value), shape)
        if key not in self.parameters:
            name = self._names.of(value.name)
            if any(each.name == name for each in self.parameters.values()):
                name = self._names.fresh(name)
            self.parameters[key] = Parameter(value, name, shape)
            self.parameters[key].is_reshaped = shape != tuple(map(self.extent, value.shape))
        return self.parameters[key]

    def _define(self, function: str) -> None:
        for other in USED_BY.get(function, []):
            self._define(other)
        if FUNCTIONS[function] not in self.functions:
            self.functions.append(FUNCTIONS[function])


def base_definition(value: Value) -> Optional[Definition]:
    while value.definition and value.definition.is_transparent:
        value = value.definition.source
    return value.definition


def declared(parameter: Parameter) -> str:
    """A parameter as the kernel declares it."""
    kind = element(parameter.value.kind).mmk
    if not parameter.shape:
        return f"{parameter.name}: {'i32' if kind in ('i8', 'i32') else 'f32'}"
    if any(dim == 0 for dim in parameter.shape):
        raise NotImportable(f"'{parameter.value.name}' has no elements")
    constant = "const " if parameter.value.constant is not None else ""
    return f"{parameter.name}: {constant}{kind}[{', '.join(map(str, parameter.shape))}]"
