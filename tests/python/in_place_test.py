"""Results in the memory of a parameter: the bits of a call with memory of its own where a variant allows it, else a
message."""

import unittest

import numpy
from package import main

import mmk

ADD = "kernel k(x: f32[M, N], y: f32[M, N]) -> z: f32[M, N] { z = x + y; }"
SOFTMAX = "kernel k(x: f32[M, N]) -> z: f32[M, N] { z = softmax[N](x); }"
NORM = """kernel k(x: f16[M, N], r: f16[M, N], g: f32[N]) -> z: f16[M, N] {
  let s = x + r;
  z = s * rsqrt(mean[N](s * s) + 1e-5) * g;
}"""
ADAM = """kernel k(x: f32[N], g: f32[N], m: f32[N], v: f32[N]) -> z: f32[N], m1: f32[N], v1: f32[N] {
  let mean = 0.9 * m + 0.1 * g;
  let square = 0.999 * v + 0.001 * g * g;
  m1 = mean;
  v1 = square;
  z = x - 0.001 * mean / (sqrt(square) + 1e-8);
}"""
ALLOWED = {
    "add": ADD, "softmax": SOFTMAX, "norm": NORM, "adam": ADAM,
    "gelu": "kernel k(x: f16[M, N]) -> z: f16[M, N] { z = gelu(x); }",
    "twice": "kernel k(x: f32[M, N]) -> z: f32[M, N] { z = x * x - abs(x); }",
    "channels": "kernel k(x: f32[N, C, H, W], g: f32[C, 1, 1]) -> z: f32[N, C, H, W] { z = relu(x * g); }",
    "columns": "kernel k(x: f32[M, N]) -> z: f32[M, N] { z = x - mean[M](x); }",
    "batches": "kernel k(x: f32[B, M, N], m: f32[B, 1, N]) -> z: f32[B, M, N] { z = softmax[N](x + m); }",
    "rounded": "kernel k(x: f32[M, N]) -> z: f32[M, N] { let e = cast<f16>(exp(x - max[N](x))); z = e / sum[N](e); }",
    "causal": "kernel k(x: f32[M, N]) -> z: f32[M, N] { z[i, j] = softmax[j | j <= i](x[i, j]); }",
}
OTHER, LATER = "is read at other elements than that which is written", "is read by several passes over memory"
SHARED = "is an operand of other elements of it, or of another result"
REFUSED = [
    ("kernel k(x: f32[N, N]) -> z: f32[N, N] { z = transpose(x); }", OTHER),
    ("kernel k(x: f32[N, N]) -> z: f32[N, N] { z = x + transpose(x); }", OTHER),
    ("kernel k(x: f16[N, N], y: f16[N, N]) -> z: f16[N, N] { z = cast<f16>(x @ y); }", OTHER),
    ("kernel k(x: f32[N]) -> z: f32[N] { z[i] = x[N - 1 - i]; }", OTHER),
    ("kernel k(x: f32[N]) -> z: f32[N] { z[i] = x[i] + pad(x, 0)[i + 1]; }", OTHER),
    ("kernel k(x: f32[M, N]) -> z: f32[M, N] { z = cumsum[N](x); }", SHARED),
    ("kernel k(x: f32[M, N]) -> z: f32[M, N], w: f32[M, N] { z = x + 1; w = exp(x - max[N](x)); }", SHARED),
    ("kernel k(x: f32[M, N]) -> z: f32[M, N] { z = (x - mean[M](x)) / sum[N](x * x); }", LATER),
]
MEMORY = {"z": "x", "m1": "m", "v1": "v"}  # of a result
MACHINES = "host", "ascend910b3", "ascend310p3", "ascend950pr"


def arguments(kernel, sizes):
    """Arrays of random numbers for the parameters."""
    random = numpy.random.default_rng(1)
    made = {}
    for name, declared in kernel.parameters.items():
        kind, _, shape = declared.rstrip("]").partition("[")
        extents = [int(dim) if dim.isdigit() else sizes[dim] for dim in shape.split(", ")]
        made[name] = random.uniform(0.1, 2, extents).astype({"f32": "float32", "f16": "float16"}[kind])
    return made


class InPlaceTest(unittest.TestCase):
    maxDiff = None

    def expect_same(self, kernel, sizes):
        given = arguments(kernel, sizes)
        expected = kernel(**given)
        results = list(kernel.results)
        out = tuple(given[MEMORY[name]] for name in results)
        made = kernel(**given, out=out)
        for name, own, found in zip(results, expected if len(results) > 1 else [expected],
                                    made if len(results) > 1 else [made]):
            self.assertIs(found, given[MEMORY[name]])
            numpy.testing.assert_array_equal(found, own, name)

    def test_shapes(self):
        for name, text in ALLOWED.items():
            for machine in MACHINES:
                kernel = mmk.compile(text, machine=machine)
                for m, n in [(1, 1), (5, 17), (33, 70), (2, 1100)]:
                    with self.subTest(name, machine=machine, m=m, n=n):
                        self.expect_same(kernel, {"M": m, "N": n, "B": 3, "C": m, "H": n, "W": 2})

    def test_schedules(self):
        """What is decided belongs to the variant."""
        for name in "softmax", "norm", "columns":
            for choices in ({"reduce": "whole", "tile_M": 16, "tile_N": 64},
                            {"reduce": "two_pass", "tile_M": 8, "tile_N": 32},
                            {"reduce": "two_pass", "tile_M": 3, "tile_N": 16, "cores": 1},
                            {"reduce": "two_pass", "tile_M": 1, "tile_N": 64}):
                with self.subTest(name, choices=choices):
                    kernel = mmk.compile(ALLOWED[name], machine="ascend910b3", **choices)
                    self.expect_same(kernel, {"M": 16, "N": 61})

    def test_long_rows(self):
        kernels = [mmk.compile(ALLOWED[name]) for name in ("add", "softmax", "norm", "columns")]
        for kernel in kernels:
            for m, n in [(1, 70001), (1003, 9), (40, 4099)]:
                with self.subTest(kernel, m=m, n=n):
                    self.expect_same(kernel, {"M": m, "N": n})

    def test_strides(self):
        wide = numpy.random.default_rng(2).random((9, 40), "f")
        expected = wide.copy()
        kernel = mmk.compile(SOFTMAX)
        expected[::2, 3:30] = kernel(wide[::2, 3:30].copy())
        kernel(wide[::2, 3:30], out=wide[::2, 3:30])
        numpy.testing.assert_array_equal(wide, expected)

    def test_both_operands(self):
        x = numpy.arange(6, dtype="f").reshape(2, 3)
        mmk.compile(ADD)(x, x, out=x)
        numpy.testing.assert_array_equal(x, 2 * numpy.arange(6).reshape(2, 3))

    def test_refused(self):
        for text, why in REFUSED:
            for machine in MACHINES:
                with self.subTest(text, machine=machine):
                    kernel = mmk.compile(text, machine=machine)
                    given = arguments(kernel, {"M": 40, "N": 40})
                    before = given["x"].copy()
                    with self.assertRaises(mmk.Error) as refused:
                        kernel(**given, z=given["x"])
                    self.assertEqual(refused.exception.message,
                                     f"the result 'z' has the memory of 'x', which {why}; legal: memory of its own")
                    numpy.testing.assert_array_equal(given["x"], before)

    def test_behind_a_product(self):
        """An AI core keeps sums on the chip; on the host they may be in the result."""
        text = "kernel k(a: f16[M, K], b: f16[K, N], x: f32[M, N]) -> z: f32[M, N] { z = relu(a @ b + x); }"
        for choices in {}, {"store": "overlapped"}, {"order": "columns", "tile_M": 32, "tile_N": 32}:
            kernel = mmk.compile(text, machine="ascend910b3", **choices)
            for sizes in {"M": 40, "N": 70, "K": 33}, {"M": 1, "N": 1, "K": 300}:
                with self.subTest(choices=choices, sizes=sizes):
                    self.expect_same(kernel, sizes)
        kernel = mmk.compile(text)
        given = arguments(kernel, {"M": 40, "N": 70, "K": 33})
        with self.assertRaises(mmk.Error) as refused:
            kernel(**given, z=given["x"])
        self.assertEqual(refused.exception.message,
                         "the result 'z' has the memory of 'x', which is read by a pass with a product, which may "
                         "keep sums in it; legal: memory of its own")

    def test_limits(self):
        """A variant that is too small for a call is no bug."""
        kernel = mmk.compile(SOFTMAX, machine="ascend910b3", reduce="whole", tile_N=32)
        with self.assertRaises(mmk.Error) as refused:
            kernel(numpy.ones((2, 300), "f"))
        self.assertNotIsInstance(refused.exception, mmk.Bug)
        self.assertEqual(refused.exception.message, "N = 300, but what this variant reduces whole is at most 32 long; "
                                                    "legal: a longer tile.N, or reduce.N = two_pass")

    def test_a_part(self):
        kernel = mmk.compile(ADD)
        memory = numpy.ones((5, 8), "f")
        with self.assertRaises(mmk.Error) as refused:
            kernel(memory[:4], numpy.ones((4, 8), "f"), out=memory[1:])
        self.assertEqual(refused.exception.message,
                         "the result 'z' overlaps 'x' in memory; legal: memory of its own, or exactly that of a "
                         "parameter where the kernel allows it")


if __name__ == "__main__":
    main()
