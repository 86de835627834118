"""Calls with arrays: of NumPy, with strides of every kind, of PyTorch, and of whatever has DLPack; results
that are made, given, and several."""

import array
import gc
import unittest

import numpy
import torch
from package import FUSED, main

import mmk

SEVERAL = """\
kernel moments(x: f32[M, N]) -> mean: f32[M], largest: f32[M] {
  mean[i] = sum[j](x[i, j]) / N;
  largest[i] = max[j](x[i, j]);
}
"""
TYPES = """\
kernel widen(a: i8[N], b: f16[N], c: i32[N]) -> d: i32[N], e: f16[N], f: f32[N] {
  d = cast<i32>(cast<f32>(a)) + c;
  e = b + b;
  f = cast<f32>(a) * cast<f32>(b);
}
"""
DERIVED = """\
kernel halves(x: f32[M]) -> y: f32[P] {
  dim P = M / 2;
  y[i] = x[2 * i];
}
"""
BF16 = "kernel doubled(x: bf16[M, N]) -> y: bf16[M, N] { y = x + x; }"


def fused_reference(a, b, bias, alpha):
    c = a.astype(numpy.float64) @ b + bias
    return numpy.where(c > 0, c, alpha * c)


class ArraysTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fused = mmk.compile(FUSED)
        cls.random = numpy.random.default_rng(23)

    def operands(self, m=33, k=20, n=47):
        return [self.random.integers(-4, 5, shape).astype(numpy.float32) for shape in ((m, k), (k, n), (n,))]

    def test_positions_and_names(self):
        a, b, bias = self.operands()
        expected = fused_reference(a, b, bias, 0.5)
        for c in (self.fused(a, b, bias), self.fused(a, bias=bias, b=b), self.fused(b=b, a=a, bias=bias, alpha=0.5),
                  self.fused(a, b, bias, 0.5, threads=1)):
            self.assertIsInstance(c, numpy.ndarray)
            self.assertEqual(c.dtype, numpy.float32)
            numpy.testing.assert_array_equal(c, expected)
        numpy.testing.assert_array_equal(self.fused(a, b, bias, alpha=2), fused_reference(a, b, bias, 2))

    def test_scalars_alone(self):
        """A kernel that takes no array makes its result, too."""
        kernel = mmk.compile("kernel total(x: f32, y: f32) -> z: f32 { z = x + y; }")
        self.assertEqual([kernel(1, 2).item(), kernel(y=3, x=4).item()], [3, 7])

    def test_given_results(self):
        a, b, bias = self.operands()
        expected = fused_reference(a, b, bias, 0.5)
        room = numpy.full((66, 47), numpy.nan, numpy.float32)
        c = room[::2]
        self.assertIs(self.fused(a, b, bias, out=c), c)
        numpy.testing.assert_array_equal(c, expected)
        self.assertTrue(numpy.isnan(room[1::2]).all())
        c = numpy.empty_like(expected, numpy.float32)
        self.assertIs(self.fused(a, b, bias, c=c), c)
        numpy.testing.assert_array_equal(c, expected)

    def test_strides(self):
        a, b, bias = self.operands(64, 40, 94)
        views = {
            "rows": (a[::2], b[:40], bias), "columns": (a[:, :20], b[5:25], bias),
            "backwards": (a[::-1], b[::-1, ::-1], bias[::-1]),
            "transposed": (numpy.asfortranarray(a), numpy.asfortranarray(b), bias),
            "repeated": (numpy.broadcast_to(a[:1], (64, 40)), b, numpy.broadcast_to(bias[3], 94)),
            "one element": (numpy.broadcast_to(numpy.float32(3), (64, 40)),
                            numpy.broadcast_to(numpy.float32(2), (40, 94)), bias),
        }
        for name, (x, y, z) in views.items():
            with self.subTest(name):
                numpy.testing.assert_array_equal(self.fused(x, y, z), fused_reference(x, y, z, 0.5))

    def test_several_results(self):
        x = self.random.standard_normal((9, 31)).astype(numpy.float32)
        moments = mmk.compile(SEVERAL)
        found = moments(x)
        self.assertEqual(found._fields, ("mean", "largest"))
        numpy.testing.assert_allclose(found.mean, x.mean(axis=1), rtol=1e-5, atol=1e-6)
        numpy.testing.assert_array_equal(found.largest, x.max(axis=1))
        largest = numpy.zeros(9, numpy.float32)
        mean, given = moments(x, largest=largest)
        self.assertIs(given, largest)
        numpy.testing.assert_array_equal(mean, found.mean)
        numpy.testing.assert_array_equal(largest, found.largest)
        both = (numpy.zeros(9, numpy.float32), numpy.zeros(9, numpy.float32))
        again = moments(x, out=both)
        self.assertIs(again.mean, both[0])
        numpy.testing.assert_array_equal(both[1], found.largest)

    def test_types(self):
        a = self.random.integers(-100, 100, 57).astype(numpy.int8)
        b = self.random.integers(-9, 9, 57).astype(numpy.float16)
        c = self.random.integers(-100000, 100000, 57).astype(numpy.int32)
        d, e, f = mmk.compile(TYPES)(a, b, c)
        numpy.testing.assert_array_equal(d, a.astype(numpy.int32) + c)
        numpy.testing.assert_array_equal(e, b + b)
        numpy.testing.assert_array_equal(f, a.astype(numpy.float32) * b)
        self.assertEqual([each.dtype for each in (d, e, f)], [numpy.int32, numpy.float16, numpy.float32])

    def test_derived_dimensions_and_new_shapes(self):
        halves = mmk.compile(DERIVED)
        for n in (2, 7, 8, 2, 1000):
            x = self.random.standard_normal(n).astype(numpy.float32)
            numpy.testing.assert_array_equal(halves(x), x[:n // 2 * 2:2])

    def test_torch(self):
        a, b, bias = (torch.from_numpy(each) for each in self.operands())
        c = self.fused(a, b, bias)
        self.assertIsInstance(c, torch.Tensor)
        numpy.testing.assert_array_equal(c.numpy(), fused_reference(a.numpy(), b.numpy(), bias.numpy(), 0.5))
        out = torch.zeros(33, 50)[:, 3:]
        self.assertIs(self.fused(a, b.t().contiguous().t(), bias.numpy(), out=out), out)
        numpy.testing.assert_array_equal(out.numpy(), c.numpy())

    def test_bf16(self):
        doubled = mmk.compile(BF16)
        x = torch.randn(5, 9).to(torch.bfloat16)
        y = doubled(x)
        self.assertEqual(y.dtype, torch.bfloat16)
        self.assertTrue(torch.equal(y, x + x))

    def test_other_arrays(self):
        class OfDlpack:
            def __init__(self, tensor):
                self.tensor = tensor

            def __dlpack__(self):
                return self.tensor.__dlpack__()

        a, b, bias = self.operands()
        expected = fused_reference(a, b, bias, 0.5)
        found = self.fused(OfDlpack(torch.from_numpy(a)), memoryview(b), array.array("f", bias))
        numpy.testing.assert_array_equal(found, expected)

    def test_results_live_alone(self):
        """The memory of a result is its own for as long as anything refers to it."""
        a, b, bias = self.operands()
        expected = fused_reference(a, b, bias, 0.5)
        kept = [self.fused(a, b, bias)[1:, ::3] for _ in range(20)]
        gc.collect()
        for _ in range(20):
            self.fused(a, b, bias, -1)
        for each in kept:
            numpy.testing.assert_array_equal(each, expected[1:, ::3])
        tensors = [self.fused(*map(torch.from_numpy, (a, b, bias)))[2:] for _ in range(5)]
        for _ in range(20):
            self.fused(a, b, bias, -1)
        for each in tensors:
            numpy.testing.assert_array_equal(each.numpy(), expected[2:])

    def test_kept_memory(self):
        mmk.keep_memory(0)
        self.assertEqual(mmk.kept_memory(), 0)
        mmk.keep_memory(1 << 20)
        a, b, bias = self.operands()
        first = self.fused(a, b, bias)
        address = first.ctypes.data
        del first
        self.assertGreaterEqual(mmk.kept_memory(), 33 * 47 * 4)
        self.assertEqual(self.fused(a, b, bias).ctypes.data, address)
        mmk.keep_memory(100)
        self.assertEqual(mmk.kept_memory(), 0)
        mmk.keep_memory(1 << 30)

    def test_constants(self):
        layer = mmk.compile("kernel layer(x: f32[M, K], w: const f32[K, N]) -> y: f32[M, N] { y = x @ w; }")
        x = self.random.integers(-4, 5, (7, 300)).astype(numpy.float32)
        w = self.random.integers(-4, 5, (300, 200)).astype(numpy.float32)
        packed = layer.pack(w=w)
        self.assertGreaterEqual(packed.nbytes, 300 * 200 * 4)
        for weights in (packed, w, layer.pack(w=torch.from_numpy(w))):
            numpy.testing.assert_array_equal(layer(x, weights), x @ w)

    def test_emulated_core(self):
        a, b, bias = self.operands()
        kernel = mmk.compile(FUSED, machine="ascend910b3", tile_M=32, choices={"tile.N": 48})
        self.assertIn("tile=32x48x", kernel.variant)
        numpy.testing.assert_array_equal(kernel(a, b, bias), fused_reference(a, b, bias, 0.5))


if __name__ == "__main__":
    main()
