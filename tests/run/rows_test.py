"""Random row kernels, in both notations, on every kind of machine against NumPy in double precision.

A kernel has elementwise work before and behind reductions over some of its dimensions, with masks,
conditions of reductions and positions. MMK_ROWS_SEED draws others, MMK_ROWS_COUNT more of them."""

import os
import random
import re

import numpy as np

from command import CommandTest, divided, in_turn, main, mine

MACHINES = ["ascend910b3", "ascend310p3", "host"]
SEED = int(os.environ.get("MMK_ROWS_SEED", "20261124"))
COUNT = int(os.environ.get("MMK_ROWS_COUNT", "60"))
EXTENTS = [1, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 127, 257, 1000]
MOST_ELEMENTS = 60000
NAMES, VARIABLES = "MNL", "ijk"
DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i32": np.int32, "i8": np.int8}


def bf16(values):
    """Rounded to nearest even, as 16 bits."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def wide(stored, type):
    if type == "bf16":
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return stored.astype(np.float64)


def single(array):
    """Infinite where a float of 32 bits is; the rounding to one is left to the tolerance."""
    largest = np.finfo(np.float32).max
    return np.where(np.abs(array) > largest, np.copysign(np.inf, array), array)


class Value:
    """A value with the dimensions `axes`; `array` has all dimensions, of extent 1 where it has not.
    `isInteger` is the type of one."""

    def __init__(self, text, array, axes, isInteger=""):
        self.text, self.array, self.axes, self.isInteger = text, single(array), tuple(axes), isInteger


class Draw:
    """One kernel: its text, its arguments and its results."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.isIndexed = self.random.random() < 0.5
        self.rank = self.random.choice([1, 2, 2, 2, 3])
        while True:
            self.extents = [self.random.choice(EXTENTS) for _ in range(self.rank)]
            if np.prod(self.extents) <= MOST_ELEMENTS:
                break
        self.axes = tuple(range(self.rank))
        self.parameters, self.lines, self.inputs, self.results = [], [], {}, {}
        self.lets = 0
        with np.errstate(all="ignore"):
            self.kernel()

    # --- text

    def shape(self, axes):
        return f"[{', '.join(NAMES[axis] for axis in axes)}]" if axes else ""

    def places(self, axes):
        return f"[{', '.join(VARIABLES[axis] for axis in axes)}]" if axes else ""

    def introduced(self, axes, text):
        """The dimensions that brackets go over. A variable that no element has in a place of its own
        says what it ranges over."""
        words = []
        for axis in axes:
            variable = VARIABLES[axis]
            inner = r"\w+\[[^][]*\b" + variable + r"\b[^][]*\]"
            plain = re.search(inner + r"(?!\()", text)
            hidden = re.search(r"\w+\[" + r"[^\]]*\b" + variable + r"\b[^\]]*(\[[^]]*\])?[^\]]*\]\(", text)
            saysRange = self.isIndexed and (hidden or not plain or self.random.random() < 0.2)
            words.append((variable if self.isIndexed else NAMES[axis]) +
                         (f": {NAMES[axis]}" if saysRange else ""))
        return ", ".join(words)

    def read(self, name, axes):
        return name + self.places(axes) if self.isIndexed else name

    def full(self, array, axes):
        """An array with all dimensions of a stored one with `axes`."""
        return array.reshape([self.extents[axis] if axis in axes else 1 for axis in self.axes])

    # --- leaves

    def parameter(self, name, type, axes):
        shape = [self.extents[axis] for axis in axes]
        if type in ("i32", "i8"):
            stored = self.numbers.integers(-100, 100, shape).astype(DTYPES[type])
        else:
            values = self.numbers.uniform(-2, 2, shape)
            stored = bf16(values) if type == "bf16" else values.astype(DTYPES[type])
        self.parameters.append(f"{name}: {type}{self.shape(axes)}")
        self.inputs[name] = stored
        # Without index notation a value is aligned at its last dimension.
        return Value(self.read(name, axes), self.full(wide(stored, type), axes), axes,
                     type if type in ("i32", "i8") else "")

    def let(self, value):
        name = f"t{self.lets}"
        self.lets += 1
        places = f"[{self.introduced(value.axes, value.text)}]" if self.isIndexed and value.axes else ""
        self.lines.append(f"let {name}{places} = {value.text};")
        return Value(self.read(name, value.axes), value.array, value.axes, value.isInteger)

    # --- elementwise work

    def unary(self, x):
        scale = "0.01 * " if x.isInteger else ""
        a = x.array * (np.float64(np.float32(0.01)) if x.isInteger else 1)
        text = f"({scale}{x.text})"
        return self.random.choice([
            lambda: Value(f"exp(min({text}, 2))", np.exp(np.minimum(a, 2)), x.axes),
            lambda: Value(f"sqrt(abs({text}) + 0.5)", np.sqrt(abs(a) + 0.5), x.axes),
            lambda: Value(f"tanh({text})", np.tanh(a), x.axes),
            lambda: Value(f"relu({text})", np.maximum(a, 0), x.axes),
            lambda: Value(f"(1 - 2 * {text})", 1 - 2 * a, x.axes),
            lambda: Value(f"(1 / (1 + abs({text})))", 1 / (1 + abs(a)), x.axes),
            lambda: Value(f"sigmoid({text})", 1 / (1 + np.exp(-a)), x.axes),
            lambda: Value(f"clamp({text}, -0.75, 0.75)", np.minimum(np.maximum(a, -0.75), 0.75), x.axes),
            # The sum is never 1, where an infinity times 0 would depend on the rounding.
            lambda: Value(f"log(abs({text}) + 0.5137)", np.log(abs(a) + 0.5137), x.axes),
        ])()

    def binary(self, x, y):
        axes = tuple(sorted(set(x.axes) | set(y.axes)))
        return self.random.choice([
            lambda: Value(f"({x.text} + {y.text})", x.array + y.array, axes),
            lambda: Value(f"({x.text} - {y.text})", x.array - y.array, axes),
            lambda: Value(f"({x.text} * {y.text})", x.array * y.array, axes),
            lambda: Value(f"({x.text} / (abs({y.text}) + 1))", x.array / (abs(y.array) + 1), axes),
            lambda: Value(f"max({x.text}, {y.text})", np.maximum(x.array, y.array), axes),
            lambda: Value(f"min({x.text}, {y.text})", np.minimum(x.array, y.array), axes),
        ])()

    def condition(self):
        """Of what is known exactly: arguments, and positions."""
        x = self.random.choice(self.arguments)
        bound = self.random.choice([0, 0.5, -1])
        symbol, compare = self.random.choice([(">", np.greater), ("<=", np.less_equal)])
        choices = [Value(f"{x.text} {symbol} {bound}", compare(x.array, bound), x.axes)]
        if self.isIndexed:
            axis = self.random.choice(self.axes)
            at = np.arange(self.extents[axis]).reshape(
                [-1 if each == axis else 1 for each in self.axes])
            variable, name = VARIABLES[axis], NAMES[axis]
            choices += [
                Value(f"2 * {variable} < {name}", 2 * at < self.extents[axis], (axis,)),
                Value(f"{variable} % 3 != 1", at % 3 != 1, (axis,))]
            if self.rank > 1:
                first, second = self.random.sample(self.axes, 2)
                left, right = (np.arange(self.extents[each]).reshape(
                    [-1 if other == each else 1 for other in self.axes]) for each in (first, second))
                choices.append(Value(f"{VARIABLES[first]} <= {VARIABLES[second]}", left <= right,
                                     tuple(sorted((first, second)))))
        return self.random.choice(choices)

    def work(self, x):
        for _ in range(self.random.choice([0, 1, 1, 2])):
            kind = self.random.random()
            if kind < 0.45:
                x = self.unary(x)
            elif kind < 0.8:
                x = self.binary(x, self.random.choice(self.arguments + self.known))
            else:
                c = self.condition()
                axes = tuple(sorted(set(x.axes) | set(c.axes)))
                x = Value(f"select({c.text}, {x.text}, 0.25)", np.where(c.array, x.array, 0.25), axes)
        return x

    # --- reductions

    def guard(self, x, over):
        """A condition of a reduction, in the text and as an array that is true where it holds."""
        if not self.isIndexed or self.random.random() < 0.6:
            return "", None
        axis = self.random.choice(over)
        at = np.arange(self.extents[axis]).reshape([-1 if each == axis else 1 for each in self.axes])
        others = [other for other in x.axes if other not in over]
        if others and self.random.random() < 0.5:
            other = self.random.choice(others)
            end = np.arange(self.extents[other]).reshape(
                [-1 if each == other else 1 for each in self.axes])
            return f" | {VARIABLES[axis]} <= {VARIABLES[other]}", at <= end
        if others and self.random.random() < 0.5:
            name = f"n{len(self.inputs)}"
            n = self.parameter(name, "i32", (others[0],))
            return f" | {VARIABLES[axis]} < {n.text}", at < n.array
        return f" | {VARIABLES[axis]} < {NAMES[axis]} - 1", at < self.extents[axis] - 1

    def reduction(self, x):
        over = tuple(sorted(self.random.sample(x.axes, self.random.choice(
            [1, 1, len(x.axes)]) if len(x.axes) > 1 else 1)))
        kept = tuple(axis for axis in x.axes if axis not in over)
        where, holds = self.guard(x, over)
        a = x.array
        mask = np.broadcast_to(True if holds is None else holds, np.broadcast_shapes(
            a.shape, np.shape(holds) if holds is not None else a.shape))
        a = np.broadcast_to(a, mask.shape)
        if holds is not None:  # a condition of a dimension that is kept gives the value that
            kept = tuple(axis for axis in self.axes if axis in kept)
        brackets = f"[{self.introduced(over, x.text)}{where}]"
        many = dict(axis=over, keepdims=True)
        count = mask.sum(**many)
        total = np.where(mask, a, 0).sum(**many)
        top = np.where(mask, a, -np.inf).max(**many)
        mean = total / count

        def named(name, array, axes, arguments=""):
            return Value(f"{name}{brackets}({x.text}{arguments})", array, axes)

        e = np.where(mask, np.exp(a - top), 0).sum(**many)
        finite = np.where(np.isinf(top), 0, top)
        log = finite + np.log(np.where(mask, np.exp(a - finite), 0).sum(**many))
        spread = np.where(mask, np.square(a - mean), 0).sum(**many) / count
        square = np.where(mask, a * a, 0).sum(**many)
        choices = [
            lambda: named("sum", total, kept),
            lambda: Value(f"prod{brackets}(1 + 0.001 * tanh({x.text}))",
                          np.where(mask, 1 + 0.001 * np.tanh(a), 1).prod(**many), kept),
        ]
        if (count > 0).all() or not x.isInteger:
            choices += [lambda: named("max", top, kept),
                        lambda: named("min", np.where(mask, a, np.inf).min(**many), kept)]
        if (count > 0).all():
            choices += [
                lambda: named("mean", mean, kept),
                lambda: named("variance", spread, kept),
                lambda: named("softmax", single(np.exp(a - top)) / e, x.axes),
                lambda: named("softmax", single(np.exp(a - top)) / e, x.axes),
                lambda: named("log_softmax", a - top - np.log(e), x.axes),
                lambda: named("logsumexp", log, kept),
                lambda: named("layer_norm", (a - mean) / np.sqrt(spread + 0.5), x.axes, ", 1, 0, 0.5"),
                lambda: named("rms_norm", a / np.sqrt(square / count + 0.5), x.axes, ", 1, 0.5"),
                lambda: named("l2_normalize", a / np.maximum(np.sqrt(square), 0.5), x.axes, ", 0.5"),
            ]
        if holds is None and len(over) == 1:
            choices.append(lambda: named("cumsum", a.cumsum(over[0]), x.axes))
        value = self.random.choice(choices)()
        # A condition outside of a function's own reductions may have other dimensions than x.
        axes = tuple(axis for axis in self.axes
                     if axis in value.axes or (value.array.shape[axis] > 1))
        return Value(value.text, value.array, axes)

    def exact(self):
        """A reduction of arguments without rounding: its result is compared exactly."""
        x = self.random.choice(self.arguments)
        axis = self.random.choice(x.axes)
        kept = tuple(each for each in x.axes if each != axis)
        brackets = f"[{self.introduced((axis,), x.text)}]"
        choices = [
            lambda: (f"argmax{brackets}({x.text})", x.array.argmax(axis)),
            lambda: (f"argmin{brackets}({x.text})", x.array.argmin(axis)),
            lambda: (f"select(any{brackets}({x.text} > 1.5), 1, 0)", (x.array > 1.5).any(axis)),
            lambda: (f"select(all{brackets}({x.text} < 1.5), 1, 0)", (x.array < 1.5).all(axis)),
        ]
        if x.isInteger:
            choices += 2 * [lambda: (f"sum{brackets}({x.text})", x.array.sum(axis)),
                            lambda: (f"max{brackets}({x.text})", x.array.max(axis))]
        text, array = self.random.choice(choices)()
        return Value(text, np.expand_dims(array, axis).astype(np.float64), kept, "i32")

    # --- the kernel

    def kernel(self):
        types = self.random.sample(["f32", "f32", "f16", "bf16", "i32", "i8"], 2)
        self.arguments, self.known = [], []
        self.arguments.append(self.parameter("x", types[0], self.axes))
        # Aligned at the last dimension in both notations.
        some = self.axes[self.random.randrange(self.rank):]
        self.arguments.append(self.parameter("w", types[1], some))
        value = self.work(self.arguments[0])
        for _ in range(self.random.choice([1, 1, 2, 3])):
            if not value.axes:
                break
            if self.random.random() < 0.5:
                value = self.let(value)
            reduced = self.reduction(value)
            if self.random.random() < 0.6:
                reduced = self.let(reduced)
            if self.random.random() < 0.7:
                self.known.append(reduced)
                value = self.binary(value, reduced)
            else:
                value = reduced
            value = self.work(value)
            # What is next does not grow without end.
            if np.isfinite(value.array).all() and abs(value.array).max() > 100:
                value = Value(f"tanh(0.01 * {value.text})",
                              np.tanh(np.float64(np.float32(0.01)) * value.array), value.axes)
        self.result("y", value, self.random.choice(["f32", "f32", "f16", "bf16"]))
        if self.random.random() < 0.4:
            self.result("z", self.exact(), self.random.choice(["i32", "f32"]))

    def result(self, name, value, type):
        places = self.places(value.axes) if self.isIndexed else ""
        self.lines.append(f"{name}{places} = {value.text};")
        self.results[name] = (type, value)

    def text(self):
        results = ", ".join(f"{name}: {type}{self.shape(value.axes)}"
                            for name, (type, value) in self.results.items())
        return (f"kernel k({', '.join(self.parameters)}) -> {results} {{\n  " +
                "\n  ".join(self.lines) + "\n}\n")


class Rows(CommandTest):
    def compare(self, draw, name):
        type, value = draw.results[name]
        found = wide(np.load(self.folder / f"{name}.npy"), type)
        shape = [draw.extents[axis] for axis in value.axes]
        expected = np.broadcast_to(value.array, [draw.extents[axis] if axis in value.axes else 1
                                                 for axis in draw.axes]).reshape(shape)
        found = found.reshape(shape)
        if value.isInteger:
            np.testing.assert_array_equal(found, expected)
            return
        with np.errstate(all="ignore"):
            expected = np.where(abs(expected) > 65504, np.sign(expected) * np.inf,
                                expected) if type == "f16" else expected
        finite = abs(expected[np.isfinite(expected)])
        scale = max(1, finite.max()) if finite.size else 1
        rounding = {"f32": 0, "f16": 1e-3, "bf16": 8e-3}[type]
        np.testing.assert_allclose(found, expected, rtol=5e-4 + rounding, atol=1e-4 * scale)

    def run_draw(self, seed, machines):
        draw = Draw(seed)
        (self.folder / "k.mmk").write_text(draw.text())
        words = [f"{NAMES[axis]}={draw.extents[axis]}" for axis in draw.axes]
        for name, stored in draw.inputs.items():
            np.save(self.folder / f"{name}.npy", stored)
            words += ["--input", f"{name}={name}.npy"]
        for name in draw.results:
            words += ["--output", f"{name}={name}.npy"]
        choice = draw.random.choice([[], [], ["--set", "fuse=none"], ["--set", "reduce=two_pass"]])
        for machine in machines:
            with self.subTest(seed=seed, kernel=draw.text(), words=words, machine=machine,
                              choice=choice):
                self.mmk("run", "k.mmk", *words, "--machine", machine, *choice)
                for name in draw.results:
                    self.compare(draw, name)

    @divided
    def test_random_kernels(self):
        for number in mine(range(COUNT)):
            self.run_draw(SEED * 1000 + number, in_turn(number, MACHINES))


if __name__ == "__main__":
    print(f"MMK_ROWS_SEED={SEED} MMK_ROWS_COUNT={COUNT}")
    main()
