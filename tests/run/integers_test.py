"""Integers over the whole range of i32, on every kind of machine, against NumPy in 64 bits."""

import numpy as np

from command import CommandTest, main, sets

LOW, HIGH = -2**31, 2**31 - 1
MACHINES = ["ascend910b3", "ascend310p3", "ascend950pr", "host"]


def wrap(value):
    return (np.asarray(value, np.int64) + 2**31) % 2**32 - 2**31


def remainder(x, y):
    return np.where(y == 0, 0, x % np.where(y == 0, 1, y))


def whole(numbers, shape):
    """Any number of 32 bits, one near 0, or one near an end."""
    near = [numbers.integers(LOW, HIGH + 1, shape), numbers.integers(-9, 10, shape),
            numbers.integers(LOW, LOW + 600, shape), numbers.integers(HIGH - 600, HIGH + 1, shape),
            numbers.choice([LOW, -1, 0, 1, HIGH], shape)]
    return np.choose(numbers.integers(0, len(near), shape), near).astype(np.int32)


ELEMENTWISE = """
kernel k(x: i32[M, N], y: i32[M, N], b: i8[M, N], r: i32[N], n: i32, w: int = 3)
    -> a: i32[M, N], c: i32[M, N], d: i8[M, N], e: f32[M, N], f: i32[M, N], g: i32[M, N], h: i32[M, N] {
  a = x * y + 7 - n * b;
  c = x % y + (x - r) % -w + r % n;
  d = max(min(x, -y), abs(b)) - relu(r);
  e = (x - y) / 3;
  f = select(x < y && b >= n % 5, x, -b) + select(x == r, 1, -1) * M;
  g = x * 2654435761 + 65537 * 65537;
  h[i, j] = x[i, j] % (i + 2) - j * y[i, j] + i * i;
}
"""

REDUCTIONS = """
kernel k(x: i32[M, N], last: i32[M], n: i32)
    -> a: i32[M], c: i32[M], d: i32[M], e: i32[M, N], f: i32[M], g: i32[N], h: i32[M] {
  a = sum[N](x * x);
  c = prod[N](2 * x + 1);
  d = max[N](-x) - argmin[N](x % 1000);
  e = cumsum[N](x - n);
  f[i] = sum[j | j <= last[i] - 1 && j > i - n](x[i, j]);
  g[j] = sum[i](select(x[i, j] % 2 == 0, 1, 0)) + N;
  h[i] = sum[j | last[i] + i <= j + n](x[i, j]);
}
"""

PRODUCTS = """
kernel k(a: i8[M, K], b: i8[K, N], bias: i32[N], r: i32[M, N]) -> y: i32[M, N], z: i8[M, N], u: f32[M, N] {
  let c = a @ b + bias;
  y = max(c, 0) - r;
  z = c % 200 - 100;
  u = 0.5 * c;
}
"""


class Integers(CommandTest):
    def compare(self, text, words, inputs, expected, choices):
        (self.folder / "k.mmk").write_text(text)
        for name, array in inputs.items():
            np.save(self.folder / f"{name}.npy", array)
        words = [*words, *(f"--input={name}={name}.npy" for name in inputs),
                 *(f"--output={name}={name}.out.npy" for name in expected)]
        for machine, *choice in choices:
            with self.subTest(text=text, machine=machine, choice=choice):
                self.mmk("run", "k.mmk", *words, "--machine", machine, *sets(choice))
                for name, value in expected.items():
                    np.testing.assert_array_equal(np.load(self.folder / f"{name}.out.npy"), value, name)

    def test_elementwise(self):
        numbers = np.random.default_rng(1)
        shape = 13, 203
        x, y, row = (whole(numbers, each) for each in (shape, shape, shape[1:]))
        b = numbers.integers(-128, 128, shape).astype(np.int8)
        X, Y, B, R = (each.astype(np.int64) for each in (x, y, b, row))
        i, j = np.ogrid[:13, :203]
        for n in -7, LOW, HIGH:
            inner = remainder(X, Y)
            expected = {
                "a": wrap(wrap(X * Y) + 7 - n * B),
                "c": wrap(inner + remainder(wrap(X - R), np.int64(-3)) + remainder(R, np.int64(n))),
                "d": np.clip(wrap(np.maximum(np.minimum(X, wrap(-Y)), abs(B)) - np.maximum(R, 0)), -128, 127),
                "e": wrap(X - Y).astype(np.float32) / np.float32(3),
                "f": wrap(np.where((X < Y) & (B >= n % 5), X, -B) + np.where(X == R, 13, -13)),
                "g": wrap(X * 2654435761 + 65537 * 65537),
                "h": wrap(X % (i + 2) - wrap(j * Y) + i * i),
            }
            self.compare(ELEMENTWISE, ["M=13", "N=203", f"n={n}"], {"x": x, "y": y, "b": b, "r": row}, expected,
                         [(machine,) for machine in MACHINES])

    def test_reductions(self):
        numbers = np.random.default_rng(2)
        x = whole(numbers, (11, 307))
        last = numbers.integers(-3, 310, 11).astype(np.int32)
        last[:4] = LOW, HIGH, LOW + 1, HIGH - 2
        X, L = x.astype(np.int64), last.astype(np.int64)[:, None]
        i, j = np.ogrid[:11, :307]
        product = np.ones(11, np.int64)
        for column in wrap(2 * X + 1).T:
            product = wrap(product * column)
        for n in 20, LOW, HIGH:
            expected = {
                "a": wrap(wrap(X * X).sum(1)), "c": product,
                "d": wrap(wrap(-X).max(1) - (X % 1000).argmin(1)), "e": wrap(wrap(X - n).cumsum(1)),
                "f": wrap(np.where((j <= L - 1) & (j > wrap(i - n)), X, 0).sum(1)),
                "g": (X % 2 == 0).sum(0) + 307,
                "h": wrap(np.where(wrap(L + i) <= wrap(j + n), X, 0).sum(1)),
            }
            self.compare(REDUCTIONS, ["M=11", "N=307", f"n={n}"], {"x": x, "last": last}, expected,
                         [(machine,) for machine in MACHINES] + [("ascend910b3", "reduce=two_pass", "tile.N=64")])

    def test_reductions_of_one_number(self):
        """It decides whatever it is combined with, so that nothing is left of the combination."""
        x = whole(np.random.default_rng(5), (9, 70))
        text = (f"kernel k(x: i32[M, N]) -> a: i32[M], c: i32[N], d: i32[M], e: i32[M] {{\n  a = prod[N](x - x);\n"
                f"  c = max[M](x * 0 + {HIGH});\n  d = min[N](x % 1 - {HIGH} - 1);\n  e = sum[N](x - x);\n}}\n")
        self.compare(text, [], {"x": x}, {"a": np.zeros(9), "c": np.full(70, HIGH), "d": np.full(9, LOW),
                                          "e": np.zeros(9)}, [(machine,) for machine in MACHINES])

    def test_beside_floats(self):
        """Compared with a float, an integer is an f32, which has not all beyond 2^24."""
        x = np.array([2**24 - 1, 2**24, 2**24 + 1, 2**24 + 2, 5], np.int32)
        self.compare("kernel k(x: i32[N]) -> y: i32[N] { y = select(x == 16777216.0, 1, 0); }", [], {"x": x},
                     {"y": (x.astype(np.float32) == np.float32(2**24)).astype(np.int32)},
                     [(machine,) for machine in MACHINES])

    def test_products(self):
        numbers = np.random.default_rng(3)
        a, b = (numbers.integers(-128, 128, shape).astype(np.int8) for shape in ((21, 4096), (4096, 70)))
        bias, r = whole(numbers, 70), whole(numbers, (21, 70))
        c = wrap(a.astype(np.int64) @ b.astype(np.int64) + bias)
        expected = {"y": wrap(np.maximum(c, 0) - r), "z": np.clip(c % 200 - 100, -128, 127),
                    "u": np.float32(0.5) * c.astype(np.float32)}
        self.compare(PRODUCTS, ["M=21", "N=70", "K=4096"], {"a": a, "b": b, "bias": bias, "r": r}, expected,
                     [(machine, f"fuse={fuse}") for machine in MACHINES for fuse in ("all", "none")])


if __name__ == "__main__":
    main()
