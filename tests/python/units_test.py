"""Dimensions that are 1 in a call: the kernel without them, compiled at the first such call, beside NumPy."""

import threading
import unittest

import numpy
from package import main

import mmk

SCALED = "kernel k(x: f32[N, C, H, W], w: f32[C, 1, 1]) -> y: f32[N, C, H, W] { y = relu(x * w); }"
SOFTMAX = "kernel k(x: f32[T, B, D, W]) -> y: f32[T, B, D, W] { y = softmax[D](x); }"
SHAPES = [(10, 30, 1, 1), (10, 30, 5, 1), (4, 5, 3, 2), (1, 30, 1, 1), (10, 1, 1, 5), (5, 1, 1, 1), (1, 1, 1, 1),
          (10, 30, 1, 1), (3, 30, 1, 1)]


def inputs(shape, seed=3):
    random = numpy.random.default_rng(seed)
    return (random.standard_normal(shape, "f"), random.standard_normal((shape[1], 1, 1), "f"))


def softmax(x):
    e = numpy.exp(x - x.max(axis=2, keepdims=True))
    return e / e.sum(axis=2, keepdims=True)


class Units(unittest.TestCase):
    def test_shapes_in_turn(self):
        for machine in ("host", "ascend910b3"):
            scaled, rows = mmk.compile(SCALED, machine=machine), mmk.compile(SOFTMAX, machine=machine)
            for shape in SHAPES:
                with self.subTest(machine=machine, shape=shape):
                    x, w = inputs(shape)
                    numpy.testing.assert_array_equal(scaled(x, w), numpy.maximum(x * w, 0))
                    numpy.testing.assert_allclose(rows(x), softmax(x), rtol=1e-5)

    def test_strides_and_in_place(self):
        kernel = mmk.compile(SCALED)
        x, w = inputs((10, 30, 1, 1))
        expected = numpy.maximum(x * w, 0)
        wide = numpy.zeros((10, 60, 1, 1), "f")
        wide[:, ::2] = x
        numpy.testing.assert_array_equal(kernel(wide[:, ::2], w), expected)
        kernel(x, w, out=x)
        numpy.testing.assert_array_equal(x, expected)

    def test_given_shape(self):
        kernel = mmk.compile(SCALED, shape={"N": 10, "C": 30, "H": 1, "W": 1})
        for shape in SHAPES:
            with self.subTest(shape=shape):
                x, w = inputs(shape)
                numpy.testing.assert_array_equal(kernel(x, w), numpy.maximum(x * w, 0))

    def test_choices_and_rules(self):
        """The general form runs where a choice or a rule is about such a dimension."""
        ruled = SCALED.replace("relu(x * w); }", "relu(x * w); schedule { require tile.H <= 65536; } }")
        for text, options in ((SCALED, {"variant": "tile.H*W=2048"}), (ruled, {})):
            kernel = mmk.compile(text, **options)
            for shape in SHAPES:
                with self.subTest(options=options, shape=shape):
                    x, w = inputs(shape)
                    numpy.testing.assert_array_equal(kernel(x, w), numpy.maximum(x * w, 0))

    def test_literal_unit_behind(self):
        kernel = mmk.compile("kernel k(x: f32[N, C, W, 1], w: f32[C, 1, 1]) -> y: f32[N, C, W, 1] { y = x * w; }")
        for shape in ((4, 7, 1, 1), (4, 7, 3, 1), (0, 7, 1, 1)):
            x, w = inputs(shape)
            numpy.testing.assert_array_equal(kernel(x, w), x * w)

    def test_packed_constant(self):
        """Its panels are those of the general form."""
        kernel = mmk.compile("kernel k(x: f32[B, M, K], w: const f32[K, N], s: f32[B, M, U], v: f32[M, U])"
                             " -> y: f32[B, M, N], z: f32[B, M, U] { y = x @ w; z = s * v; }")
        x, w = numpy.ones((2, 8, 16), "f"), numpy.ones((16, 8), "f")
        s, v = numpy.ones((2, 8, 1), "f"), numpy.full((8, 1), 3, "f")
        for weights in (kernel.pack(w=w), w):
            y, z = kernel(x, weights, s, v)
            numpy.testing.assert_array_equal(y, numpy.full((2, 8, 8), 16))
            numpy.testing.assert_array_equal(z, numpy.full((2, 8, 1), 3))

    def test_threads(self):
        """The first calls of several threads."""
        kernel, wrong = mmk.compile(SCALED), []

        def call(shape):
            x, w = inputs(shape)
            for _ in range(20):
                if not numpy.array_equal(kernel(x, w), numpy.maximum(x * w, 0)):
                    wrong.append(shape)
        threads = [threading.Thread(target=call, args=(shape,)) for shape in SHAPES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    main()
