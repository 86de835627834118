"""Arrays without elements: no kernel is launched, and a sum over nothing is what the language says."""

import unittest

import numpy
import torch
from package import main

import mmk
import mmk.torch

KINDS = """kernel k(x: f32[M, N], w: i8[M, N]) -> s: f32[M], p: f32[M], most: f32[M], least: f32[M], average: f32[M],
    first: i32[M], whole: i32[M], top: i8[M], soft: f32[M, N], running: i32[M, N], all: f32 {
  s = sum[N](x);
  p = prod[N](x);
  most = max[N](x);
  least = min[N](x);
  average = mean[N](x);
  first = argmax[N](x);
  whole = sum[N](w);
  top = max[N](w);
  soft = softmax[N](x);
  running = cumsum[N](w);
  all = max[M, N](x);
}"""
LAYER = "kernel k(x: f32[M, K], w: f32[K, N], b: f32[N]) -> y: f32[M, N] { y = relu(x @ w + b); }"
WINDOW = "kernel k(x: f32[B, H]) -> y: f32[B, P], z: f32[B] { dim P = H - 2; y[b, p] = max[r: 3](x[b, p + r]); " \
         "z[b] = sum[p: P](x[b, p + 2]); }"
MACHINES = "host", "ascend910b3", "ascend310p3", "ascend950pr"


def zeros(*shape, kind="f"):
    return numpy.zeros(shape, kind)


class EmptyTest(unittest.TestCase):
    def test_reductions(self):
        for machine in MACHINES:
            with self.subTest(machine):
                kernel = mmk.compile(KINDS, machine=machine)
                made = kernel(zeros(2, 0), zeros(2, 0, kind="int8"))
                for name, number in {"s": 0, "p": 1, "most": -numpy.inf, "least": numpy.inf, "average": numpy.nan,
                                     "first": 0, "whole": 0, "top": -128}.items():
                    numpy.testing.assert_array_equal(getattr(made, name), [number] * 2, name)
                self.assertEqual((made.soft.shape, made.running.shape, made.all.item()), ((2, 0), (2, 0), -numpy.inf))
                made = kernel(zeros(0, 3), zeros(0, 3, kind="int8"))
                self.assertEqual((made.s.shape, made.soft.shape, made.all.item()), ((0,), (0, 3), -numpy.inf))

    def test_products(self):
        bias = numpy.array([-1, 2], "f")
        for machine in "host", "ascend910b3":
            with self.subTest(machine):
                kernel = mmk.compile(LAYER, machine=machine)
                self.assertEqual(kernel(zeros(0, 3), zeros(3, 2), bias).shape, (0, 2))
                self.assertEqual(kernel(zeros(4, 3), zeros(3, 0), zeros(0)).shape, (4, 0))
                numpy.testing.assert_array_equal(kernel(zeros(3, 0), zeros(0, 2), bias), [[0, 2]] * 3)
                wide = numpy.full((6, 4), 5, "f")
                kernel(zeros(3, 0), zeros(0, 2), bias, out=wide[::2, 1:3])
                numpy.testing.assert_array_equal(wide[:2], [[5, 0, 2, 5], [5, 5, 5, 5]])
                kernel(zeros(0, 3), zeros(3, 2), bias, out=wide[:0, :2])
                if machine != "host":
                    self.assertEqual(kernel.count(M=0, N=2, K=3).cycles, 0)

    def test_derived_dimensions(self):
        for machine in MACHINES:
            with self.subTest(machine):
                kernel = mmk.compile(WINDOW, machine=machine)
                made = kernel(numpy.ones((3, 2), "f"))
                self.assertEqual(made.y.shape, (3, 0))
                numpy.testing.assert_array_equal(made.z, [0] * 3)
                with self.assertRaises(mmk.Error) as refused:
                    kernel(zeros(3, 1))
                self.assertEqual(refused.exception.message,
                                 "P = H - 2 is 1 - 2 = -1, and a dimension is 0 to 2147483647")

    def test_an_element_that_is_read(self):
        kernel = mmk.compile("kernel k(x: f32[N]) -> y: f32 { y = x[0]; }")
        with self.assertRaises(mmk.Error) as refused:
            kernel(zeros(0))
        self.assertEqual(refused.exception.message, "'k' requires 0 < N (for the index 0 of 'x'), found 0 < 0")

    def test_torch(self):
        kernel = mmk.compile(LAYER)
        y = kernel(torch.ones(0, 3), torch.ones(3, 2), torch.ones(2))
        self.assertEqual((type(y), tuple(y.shape)), (torch.Tensor, (0, 2)))
        y = kernel(torch.ones(4, 0), torch.ones(0, 2), torch.ones(2))
        self.assertEqual(y.tolist(), [[1, 1]] * 4)
        layer = mmk.torch.op("mmk_empty::layer", kernel)
        self.assertEqual(tuple(layer(torch.ones(0, 3), torch.ones(3, 2), torch.ones(2)).shape), (0, 2))

    def test_packed(self):
        kernel = mmk.compile(LAYER.replace("w: f32", "w: const f32"))
        packed = kernel.pack(w=numpy.ones((3, 2), "f"))
        self.assertEqual(kernel(zeros(0, 3), packed, zeros(2)).shape, (0, 2))
        nothing = kernel.pack(w=zeros(0, 2))
        numpy.testing.assert_array_equal(kernel(zeros(3, 0), nothing, numpy.ones(2, "f")), numpy.ones((3, 2)))


if __name__ == "__main__":
    main()
