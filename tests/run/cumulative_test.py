"""Cumulative sums over every dimension, against NumPy: on every machine by rows and by columns, on the
host also a few long rows in parts."""

import numpy as np

from command import CommandTest, main, pairs

TYPES = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "i32": np.int32}
MACHINES = ["ascend910b3", "ascend310p3", "host"]
EXTENTS = [1, 2, 3, 15, 16, 17, 63, 100, 257, 1000]


class CumulativeSums(CommandTest):
    def cumulate(self, kernel, dims, x, words=(), machine="host"):
        np.save(self.folder / "x.npy", x)
        (self.folder / "k.mmk").write_text(kernel)
        report, = self.report("k.mmk", *[f"{name}={extent}" for name, extent in dims.items()],
                              "--machine", machine, "--input", "x=x.npy", "--output", "y=y.npy",
                              *words)
        self.assertTrue(report["check"]["passed"], report)
        return np.load(self.folder / "y.npy")

    def test_every_dimension(self):
        generator = np.random.default_rng(20261123)
        places = [(names, along) for names in ("N", "MN", "AMN") for along in names]
        for type, (names, along), machine in pairs(("f32", "f16", "i8", "i32"), places, MACHINES):
            result = "i32" if type[0] == "i" else "f32"
            dims = {name: int(generator.choice(EXTENTS[:4] if name == "A" else EXTENTS)) for name in names}
            shape = tuple(dims.values())
            x = generator.uniform(-1, 1, shape) if type[0] == "f" else generator.integers(-128, 128, shape)
            x = x.astype(TYPES[type])
            list_ = ", ".join(names)
            kernel = (f"kernel k(x: {type}[{list_}]) -> y: {result}[{list_}] "
                      f"{{ y = cumsum[{along}](x); }}\n")
            wide = np.cumsum(x.astype(np.float64), names.index(along))
            with self.subTest(kernel=kernel, dims=dims, machine=machine):
                found = self.cumulate(kernel, dims, x, machine=machine)
                np.testing.assert_allclose(found, wide, rtol=1e-6, atol=1e-3)

    def test_beside_other_work(self):
        kernel = ("kernel k(x: f32[M, N], w: f32[N, K]) -> y: f32[K, M], z: f32[M, K] {\n"
                  "  let s = cumsum[K]((x @ w) * 2);\n"
                  "  y = transpose(s + 1);\n"
                  "  z = s / max[K](abs(s)) + cumsum[M](s);\n}\n")
        x = np.random.default_rng(2).uniform(-1, 1, (33, 20)).astype(np.float32)
        for words in ([], ["--set", "fuse=none"], ["--set", "cores=1"], ["--watch"]):
            with self.subTest(words=words):
                self.cumulate(kernel, {"M": 33, "N": 20, "K": 70}, x, words)

    def test_long_rows(self):
        # In f32 alone the errors of so many terms would show.
        generator = np.random.default_rng(3)
        for dims, along in (({"M": 1, "N": 1000003}, "N"), ({"M": 2, "N": 300001}, "N"),
                            ({"M": 200000, "N": 3}, "M"), ({"M": 50000, "N": 70}, "M")):
            with self.subTest(dims=dims):
                x = generator.uniform(0, 1, tuple(dims.values())).astype(np.float32)
                kernel = ("kernel k(x: f32[M, N]) -> y: f32[M, N] "
                          f"{{ y = cumsum[{along}](x); }}\n")
                found = self.cumulate(kernel, dims, x)
                wide = np.cumsum(x.astype(np.float64), "MN".index(along))
                np.testing.assert_allclose(found, wide, rtol=4e-7)

    def test_special_values(self):
        x = np.ones((2, 40), np.float32)
        x[0, 5], x[0, 30], x[1, 17] = np.inf, -np.inf, np.nan
        for words in ([], ["--set", "cores=1"]):
            found = self.cumulate("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = cumsum[N](x); }\n",
                                  {"M": 2, "N": 40}, x, words)
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(found, np.cumsum(x, 1))


if __name__ == "__main__":
    main()
