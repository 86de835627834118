"""Imported arithmetic of integers, against NumPy: int32 over its whole range, bytes that wrap around, and int64, of
which results beyond 32 bits are refused; on the host and on an emulated AI core."""

import itertools
import pathlib
import tempfile
import unittest
import warnings

import numpy
import onnx_models
from onnx import TensorProto, helper
from onnx_models import Builder
from package import main

from mmk.onnx import import_model

LEAST, MOST = -2**31, 2**31 - 1
EDGES = numpy.array([LEAST, LEAST + 1, -2**30, -2**24 - 1, -46341, -1000, -128, -7, -3, -2, -1, 0, 1, 2, 3, 7, 127, 255,
                     1000, 46341, 2**24 + 1, 2**25 + 3, 2**30, MOST - 1, MOST], numpy.int32)
BINARY = {
    "Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Max": numpy.maximum, "Min": numpy.minimum,
    "Mod": numpy.mod, "Equal": numpy.equal, "Greater": numpy.greater, "GreaterOrEqual": numpy.greater_equal,
    "Less": numpy.less, "LessOrEqual": numpy.less_equal,
}
UNARY = {"Abs": numpy.abs, "Neg": numpy.negative, "Sign": numpy.sign, "Relu": lambda x: numpy.maximum(x, 0)}
REDUCTIONS = {
    "ReduceSum": lambda x, axis: x.sum(axis, x.dtype), "ReduceProd": lambda x, axis: x.prod(axis, x.dtype),
    "ReduceMax": lambda x, axis: x.max(axis), "ReduceMin": lambda x, axis: x.min(axis),
    "ReduceMean": lambda x, axis: quotient(x.sum(axis, x.dtype), numpy.asarray(x.shape[axis], x.dtype)),
    "ReduceL1": lambda x, axis: numpy.abs(x).sum(axis, x.dtype),
    "ReduceSumSquare": lambda x, axis: (x * x).sum(axis, x.dtype),
}
BEYOND = "may have integers beyond 32 bits, which kernels do not have"


def quotient(x, y):
    """Cut towards 0, modulo the range of the type."""
    wide = numpy.abs(x.astype(numpy.int64)) // numpy.abs(y.astype(numpy.int64))
    return numpy.where((x < 0) == (y < 0), wide, -wide).astype(x.dtype)


def product_of_bytes(a, b, row, column):
    """Of the differences with zero points, of which a vector is one for each row or column."""
    a, b, row, column = (numpy.int64(0) if each is None else each.astype(numpy.int64) for each in (a, b, row, column))
    row = row[:, None] if row.ndim == 1 and a.ndim > 1 else row
    return ((a - row) @ (b - column)).astype(numpy.int32)


class IntegersTest(unittest.TestCase):
    machine = "host"

    def setUp(self):
        self.random = numpy.random.default_rng(7)
        quiet = warnings.catch_warnings()
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)
        warnings.simplefilter("ignore")  # NumPy's, of overflows and of divisors of 0

    def whole(self, *shape, low=LEAST, high=MOST, kind=numpy.int32):
        return self.random.integers(low, high, shape, endpoint=True).astype(kind)

    def pairs(self):
        """All pairs of edges, and random ones; of these some divisors are small and some quotients."""
        x, y = (each.ravel() for each in numpy.meshgrid(EDGES, EDGES))
        more = self.whole(3000)
        small = self.whole(1000, low=-1000, high=1000)
        near = more[1000:2000] // self.whole(1000, low=1, high=2000)
        return numpy.concatenate([x, more]), numpy.concatenate([y, small, near, self.whole(1000)])

    def expect(self, found, *expected):
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, map(numpy.asarray, expected)):
            self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape))
            numpy.testing.assert_array_equal(one, other)

    def single(self, operator, arrays, **words):
        return onnx_models.single(operator, arrays, machine=self.machine, **words)

    def run_model(self, b, **data):
        with tempfile.TemporaryDirectory() as folder:
            imported = import_model(b.model(), folder, machine=self.machine)
            self.assertEqual((imported.refused, imported.apart), ([], []), imported)
            driver = onnx_models.loaded(pathlib.Path(folder))
            driver.model.machine = self.machine
            return imported, list(driver.run(**data).values())

    def test_pairs(self):
        x, y = self.pairs()
        for operator, function in BINARY.items():
            with self.subTest(operator):
                self.expect(self.single(operator, [x, y]), function(x, y))
        self.expect(self.single("Mod", [x, y], fmod=1), numpy.fmod(x, y))
        self.expect(self.single("Where", [x % 2 > 0, x, y]), numpy.where(x % 2 > 0, x, y))
        self.expect(self.single("Sum", [x, y, x]), x + y + x)
        x, y = x[y != 0], y[y != 0]
        self.expect(self.single("Div", [x, y]), quotient(x, y))

    def test_quotients(self):
        """Around multiples, where the quotient of f32 is on the wrong side."""
        y = numpy.where(self.random.random(20000) < 0.5, self.whole(20000, low=1, high=70000), self.whole(20000))
        y = numpy.where(y == 0, 1, y).astype(numpy.int32)
        x = (self.whole(20000) // y * y + self.whole(20000, low=-1, high=1)).astype(numpy.int32)
        self.expect(self.single("Div", [x, y]), quotient(x, y))
        self.expect(self.single("Mod", [x, y]), numpy.mod(x, y))
        self.expect(self.single("Mod", [x, y], fmod=1), numpy.fmod(x, y))

    def test_elements(self):
        x = numpy.concatenate([EDGES, self.whole(100)])
        for operator, function in UNARY.items():
            with self.subTest(operator):
                self.expect(self.single(operator, [x]), function(x))
        for low, high in ((LEAST, MOST), (-2**24 - 1, 2**24 + 1), (LEAST + 1, LEAST + 1)):
            bounds = [numpy.array(each, numpy.int32) for each in (low, high)]
            for known in ((), (1, 2)):
                self.expect(self.single("Clip", [x, *bounds], known=known), numpy.clip(x, *bounds))

    def test_constants(self):
        """Integers beyond 2^24 in the text of a kernel."""
        for number in (2**24 + 1, MOST, LEAST, -2**30 - 1):
            constant = numpy.array(number, numpy.int32)
            for operator in ("Add", "Mul", "Less", "Max"):
                with self.subTest(operator, number=number):
                    self.expect(self.single(operator, [EDGES, constant], known=[1]), BINARY[operator](EDGES, constant))
        padded = numpy.pad(EDGES, 1, constant_values=2**24 + 1)
        fill = numpy.array(2**24 + 1, numpy.int32)
        self.expect(self.single("Pad", [EDGES, numpy.array([1, 1]), fill], known=[1, 2]), padded)

    def test_powers(self):
        n = numpy.array([0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 255, 256, 4097, 65535, 65536, 65543, 2**24 + 3,
                         2**30, 2**30 + 1, MOST], numpy.int32)[:, None]
        self.expect(self.single("Pow", [EDGES, n]), numpy.power(EDGES, n))
        for exponent in (1, 2, 3, 9):
            known = numpy.array(exponent, numpy.int32)
            self.expect(self.single("Pow", [EDGES, known], known=[1]), numpy.power(EDGES, known))
        x = numpy.array([-3, -2, -1, 1, 2, MOST, LEAST], numpy.int32)
        n = numpy.array([[-1], [-2], [-31], [LEAST], [LEAST + 1]], numpy.int32)
        self.expect(self.single("Pow", [x, n]), numpy.where(abs(x) == 1, x**(n % 2), 0).astype(numpy.int32))
        x = numpy.array([-1.01, -1, -0.5, 0, 0.99, 1, 1.1, 2], "f")
        n = numpy.array([[0], [1], [31], [32], [100], [127], [500], [-2], [-33], [-100]], numpy.int32)
        found, = self.single("Pow", [x, n])
        numpy.testing.assert_allclose(found, numpy.power(x.astype(float), n).astype("f"), 1e-4)

    def test_reductions(self):
        shape = (5, 37, 3)
        for x in (self.whole(*shape), self.whole(*shape, low=-3, high=3), numpy.full(shape, LEAST, numpy.int32)):
            for operator, function in REDUCTIONS.items():
                for axis in (1, 2):
                    given = {"known": [1]} if operator == "ReduceSum" else {"axes": [axis]}
                    operands = [x, numpy.array([axis])] if operator == "ReduceSum" else [x]
                    for shapes in (None, {0: ["A", "B", "C"]}):
                        with self.subTest(operator, axis=axis, shapes=shapes):
                            self.expect(self.single(operator, operands, keepdims=0, shapes=shapes, **given),
                                        function(x, axis))
        self.expect(self.single("ReduceProd", [2 * x + 1], keepdims=0), (2 * x + 1).prod(dtype=numpy.int32))

    def test_cumulative_sums(self):
        x = self.whole(3, 40, 2)
        for reverse in (0, 1):
            for exclusive in (0, 1):
                with self.subTest(reverse=reverse, exclusive=exclusive):
                    ordered = x[:, ::-1] if reverse else x
                    y = numpy.cumsum(ordered, 1, dtype=numpy.int32) - (ordered if exclusive else 0)
                    found = self.single("CumSum", [x, numpy.array(1)], known=[1], reverse=reverse, exclusive=exclusive)
                    self.expect(found, y[:, ::-1] if reverse else y)

    def test_casts(self):
        for kind in ("f", "e", "i1", "u1", "i8", "?"):
            with self.subTest(kind):
                target = helper.mapping.NP_TYPE_TO_TENSOR_TYPE[numpy.dtype(kind)]
                self.expect(self.single("Cast", [EDGES], to=target), EDGES.astype(kind))
        floats = numpy.array([2**24 + 2, -2**31, 2**31 - 128, 0.99, -0.99, -123456.7], "f")
        self.expect(self.single("Cast", [floats], to=TensorProto.INT32), floats.astype(numpy.int32))

    def test_types_in_a_kernel(self):
        """What is a float in the model does not wrap around, and what is an integer does, also between nodes."""
        b = Builder()
        b.input("x", [len(EDGES)], TensorProto.INT32)
        b.node("Cast", ["x"], "f", to=TensorProto.FLOAT)
        b.node("Mul", ["f", "f"], "y")
        b.node("Cast", ["f"], "back", to=TensorProto.INT32)
        b.node("Mul", ["back", "back"], "z")
        b.node("Less", ["x", b.constant("zero", numpy.int32(0))], "below")
        b.node("Where", ["below", b.constant("large", numpy.float32(1e9)), b.constant("two", numpy.float32(2))], "w")
        b.node("Mul", ["w", "w"], "v")
        for name, kind in (("y", 1), ("z", 6), ("v", 1)):
            b.output(name, [len(EDGES)], kind)
        imported, found = self.run_model(b, x=EDGES)
        self.assertEqual(len(imported.kernels), 2)
        f = EDGES.astype("f")
        back = numpy.clip(f.astype(numpy.int64), LEAST, MOST).astype(numpy.int32)
        w = numpy.where(EDGES < 0, numpy.float32(1e9), numpy.float32(2))
        self.expect(found, f * f, back * back, w * w)

    def test_moves(self):
        x = self.whole(3, 4)
        self.expect(self.single("Transpose", [x]), x.T)
        self.expect(self.single("Slice", [x, numpy.array([1]), numpy.array([3])], known=[1, 2]), x[1:3])
        self.expect(self.single("Concat", [x, x[:, :2].copy()], axis=1), numpy.concatenate([x, x[:, :2]], 1))
        self.expect(self.single("ArgMax", [x], axis=0, keepdims=0), x.argmax(0))
        image = self.whole(1, 2, 4, 5)
        self.expect(self.single("GlobalMaxPool", [image]), image.max((2, 3), keepdims=True))

    def test_places_of_maxima(self):
        """Beyond 2^24."""
        x = self.whole(1, 1, 4200, 4200, low=-128, high=127, kind=numpy.int8)
        places = numpy.array([[0, 4199], [4199 * 4200, 4200**2 - 1]])[None, None]
        found = self.single("MaxPool", [x], outputs=2, kernel_shape=[1, 1], strides=[4199, 4199])
        self.expect(found, x.ravel()[places], places)

    def test_products(self):
        """Of bytes with zero points, of any depth."""
        for kinds in (("u1", "u1"), ("u1", "i1"), ("i1", "i1")):
            (x, y), depth = ((numpy.iinfo(kind) for kind in kinds), 70000)
            a, b = (numpy.full(shape, range.max, range.dtype) for shape, range in (((2, depth), x), ((depth, 3), y)))
            a[1], b[:, 1] = (self.whole(depth, low=range.min, high=range.max, kind=range.dtype) for range in (x, y))
            zeros = [numpy.array(x.min, x.dtype), numpy.array([y.min, 0, y.max], y.dtype)]
            wide = [each.astype(numpy.int32) for each in (a, b, *zeros)]
            with self.subTest(kinds):
                self.expect(self.single("MatMulInteger", [a, b, *zeros]), (wide[0] - wide[2]) @ (wide[1] - wide[3]))
                self.expect(self.single("MatMulInteger", [a, b]), wide[0] @ wide[1])

    def test_zero_points(self):
        """None, one for all, or one for each row of the left operand and column of the right; known or not."""
        for kinds in itertools.product(("i1", "u1"), repeat=2):
            for depth in (1, 7, 300, 5000):
                for shapes in [
                        ((5, depth), (depth, 6), None, None), ((5, depth), (depth, 6), (), ()),
                        ((5, depth), (depth, 6), (5,), None), ((5, depth), (depth, 6), None, (6,)),
                        ((2, 3, depth), (depth, 6), (3, 1), (1, 6)),
                        ((2, 1, 3, depth), (4, depth, 2), (2, 1, 3, 1), (4, 1, 2)),
                        ((depth,), (depth, 6), (1,), (6,)), ((5, depth), (depth,), (5,), ()),
                        ((1, depth), (depth, 1), (), (1,))]:
                    arrays = [None if shape is None else self.whole(*shape, low=-128, high=127).astype(kind)
                              for shape, kind in zip(shapes, kinds * 2)]
                    known = [place for place in (1, 2, 3) if shapes[place] is not None and self.random.random() < 0.5]
                    with self.subTest(kinds=kinds, shapes=shapes, known=known):
                        self.expect(self.single("MatMulInteger", arrays, known=known), product_of_bytes(*arrays))
            arrays = [self.whole(*shape, low=-128, high=127).astype(kind)
                      for shape, kind in zip([(2, 5, 7), (7, 6), (5,), (6,)], kinds * 2)]
            with self.subTest(kinds=kinds, shapes="open"):
                self.expect(self.single("MatMulInteger", arrays, shapes={0: "BMK", 1: "KN", 2: "M", 3: "N"}),
                            product_of_bytes(*arrays))
            ends = [numpy.array([numpy.iinfo(kind).min, numpy.iinfo(kind).max], kind) for kind in kinds]
            for row, column in itertools.product(*ends):
                arrays = [ends[0][:, None], ends[1][None], row, column]
                with self.subTest(kinds=kinds, row=row, column=column):
                    self.expect(self.single("MatMulInteger", arrays, known=[2, 3]), product_of_bytes(*arrays))

    def test_convolutions(self):
        for kinds in (("u1", "u1"), ("i1", "i1")):
            x = self.whole(1, 100, 6, low=0, high=255).astype(kinds[0])
            w = self.whole(4, 100, 3, low=0, high=255).astype(kinds[1])
            zeros = [numpy.array(7, kinds[0]), numpy.array(9, kinds[1])]
            left = numpy.pad(x.astype(numpy.int32) - 7, [(0, 0), (0, 0), (1, 1)])
            windows = numpy.lib.stride_tricks.sliding_window_view(left, 3, 2)
            with self.subTest(kinds):
                self.expect(self.single("ConvInteger", [x, w, *zeros], known=[2], pads=[1, 1]), numpy.einsum(
                    "ncpr,ocr->nop", windows, w.astype(numpy.int32) - 9).astype(numpy.int32))

    def test_bytes(self):
        """All pairs."""
        every = numpy.arange(256).astype(numpy.uint8)
        for kind in (numpy.int8, numpy.uint8):
            x, y = (each.ravel().view(kind) for each in numpy.meshgrid(every, every))
            for operator in ("Add", "Sub", "Mul", "Mod", "Min", "Less"):
                with self.subTest(operator, kind=kind):
                    self.expect(self.single(operator, [x, y]), BINARY[operator](x, y))
            x, y = x[y != 0], y[y != 0]
            self.expect(self.single("Div", [x, y]), quotient(x, y))
            self.expect(self.single("Mod", [x, y], fmod=1), numpy.fmod(x, y))

    def test_int64(self):
        """Exact as far as 32 bits go. Beyond, what may not fit is refused, whatever it would be."""
        x = numpy.array([[-46340, 3, 46340]])
        axis = numpy.array([1])
        for operator, operands, words, expected in [
                ("Add", [x, x], {}, x + x), ("Sub", [x, x], {}, x - x), ("Mul", [x, x], {}, x * x),
                ("Div", [x, x], {}, x // x), ("Neg", [x], {}, -x), ("Abs", [x], {}, abs(x)),
                ("Pow", [x, numpy.array(2)], {"known": [1]}, x**2),
                ("Pow", [x // 100, numpy.array([[3]])], {}, (x // 100)**3),
                ("ReduceSum", [x, axis], {"known": [1]}, x.sum(1, keepdims=True)),
                ("ReduceProd", [x // 100], {}, (x // 100).prod(keepdims=True)),
                ("ReduceMean", [x], {"axes": [1]}, numpy.array([[1]])),
                ("ReduceSumSquare", [x // 2], {"axes": [1]}, ((x // 2)**2).sum(1, keepdims=True)),
                ("CumSum", [x, numpy.array(1)], {"known": [1]}, x.cumsum(1))]:
            with self.subTest(operator):
                self.expect(self.single(operator, operands, **words), expected)
                large = [numpy.where(abs(operands[0]) > 3, LEAST, operands[0]), *operands[1:]]
                with self.assertRaises(OverflowError) as context:
                    self.single(operator, large, **words)
                self.assertEqual(str(context.exception), f"'y0' {BEYOND}")
        large = numpy.array([LEAST, -5, MOST])
        for operator in ("Max", "Min", "Mod", "Equal", "Less"):
            with self.subTest(operator):
                self.expect(self.single(operator, [large, large[::-1]]), BINARY[operator](large, large[::-1]))
        self.expect(self.single("Add", [large[1:], numpy.array([0, 0])]), large[1:])

    def test_limits_of_int64(self):
        """The last that fits, and the first that does not."""
        row, axis = {"axes": [1]}, numpy.array([1])
        for operator, fits, exceeds, words in [
                ("Add", [[MOST - 5], [5]], [[MOST - 5], [6]], {}), ("Sub", [[MOST - 5], [-5]], [[MOST - 5], [-6]], {}),
                ("Mul", [[46340], [46341]], [[46341], [46341]], {}), ("Neg", [[MOST]], [[LEAST]], {}),
                ("Pow", [[1290], [3]], [[1291], [3]], {}), ("Pow", [[-1], [MOST]], [[2], [31]], {}),
                ("ReduceSum", [[[2**30, 2**30 - 1]], axis], [[[2**30, 2**30]], axis], {"known": [1]}),
                ("CumSum", [[[2**30, 2**30 - 1]], 1], [[[2**30, 2**30]], 1], {"known": [1]}),
                ("ReduceMean", [[[2**30, 2**30 - 1]]], [[[2**30, 2**30]]], row),
                ("ReduceL1", [[[-2**30, 2**30 - 1]]], [[[-2**30, 2**30]]], row),
                ("ReduceSumSquare", [[[30000, 30000]]], [[[30000, 30000, 30000]]], row),
                ("ReduceProd", [[[-1290, 1290, 1290]]], [[[1291, 1291, 1291]]], row)]:
            with self.subTest(operator):
                fits, exceeds = ([numpy.array(each, numpy.int64) for each in given] for given in (fits, exceeds))
                function = {"Neg": numpy.negative, "Pow": numpy.power, "CumSum": numpy.cumsum, **BINARY}.get(operator)
                y = function(*fits) if function else REDUCTIONS[operator](fits[0], 1)[:, None]
                self.expect(self.single(operator, fits, **words), y)
                with self.assertRaisesRegex(OverflowError, f"'y0' {BEYOND}"):
                    self.single(operator, exceeds, **words)
        nothing = numpy.zeros(0, numpy.int64)
        self.expect(self.single("Add", [nothing, nothing], shapes={0: ["N"], 1: ["N"]}), nothing)

    def test_chains_of_int64(self):
        """A limit is computed from what is in memory: its operands are results of other kernels, never of its own."""
        b = Builder()
        b.input("x", [2, 3], TensorProto.FLOAT)
        b.node("Cast", ["x"], "whole", to=TensorProto.INT64)
        b.node("Relu", ["x"], "r")
        b.node("Transpose", ["whole"], "turned")
        b.node("Mul", ["turned", "turned"], "square")
        b.node("ReduceSum", ["square", b.constant("axes", numpy.array([0]))], "total", keepdims=0)
        b.node("Cast", ["total"], "t", to=TensorProto.FLOAT)
        b.node("ReduceSum", ["r", b.constant("last", numpy.array([1]))], "s", keepdims=0)
        b.node("Add", ["s", "t"], "y")
        b.output("y", [2])
        x = numpy.array([[1, -2, 3], [1000, 30000, -7]], "f")
        _, found = self.run_model(b, x=x)
        self.expect(found, (x.clip(0).sum(1) + (x.astype(int)**2).sum(1)).astype("f"))
        for value, name in ((40000, "total"), (50000, "square")):
            with self.assertRaises(OverflowError) as context:
                self.run_model(b, x=numpy.full((2, 3), value, "f"))
            self.assertEqual(str(context.exception), f"'{name}' {BEYOND}")


class CoreTest(IntegersTest):
    """The same on an emulated AI core."""
    machine = "ascend910b3"


if __name__ == "__main__":
    main()
