"""Reductions and results with a condition, which skip what it excludes: what is there is never read,
whatever it is."""

import numpy as np

from command import CommandTest, main

SHAPES = [(1, 1), (5, 3), (17, 40), (64, 64), (100, 257), (33, 20000)]


class Guards(CommandTest):
    def run_kernel(self, parameters, result, body, dims, **arrays):
        (self.folder / "k.mmk").write_text(f"kernel k({parameters}) -> {result} {{ {body} }}\n")
        words = []
        for name, array in arrays.items():
            np.save(self.folder / f"{name}.npy", array)
            words += ["--input", f"{name}={name}.npy"]
        self.mmk("run", "k.mmk", f"M={dims[0]}", f"N={dims[1]}", "--machine", "host", *words,
                 "--output", "y=y.npy")
        return np.load(self.folder / "y.npy")

    def test_triangles(self):
        generator = np.random.default_rng(1)
        for shape in SHAPES:
            i, j = np.indices(shape)
            for type, dtype in (("f32", np.float32), ("f16", np.float16)):
                with self.subTest(shape=shape, type=type):
                    x = generator.uniform(-1, 1, shape).astype(dtype)
                    x[j > i] = np.where(generator.random((j > i).sum()) < 0.5, np.nan, np.inf)
                    found = self.run_kernel(
                        f"x: {type}[M, N]", "y: f32[M]", "y[i] = sum[j | j <= i](x[i, j]);",
                        shape, x=x)
                    wide = x.astype(np.float64)
                    np.testing.assert_allclose(found, np.where(j <= i, wide, 0).sum(1), atol=1e-3)
                    found = self.run_kernel(
                        f"x: {type}[M, N]", "y: f32[M]",
                        "y[i] = max[j | j < i + 1](x[i, j]) + min[j | i >= j](x[i, j]);", shape, x=x)
                    np.testing.assert_allclose(
                        found, np.where(j <= i, wide, -np.inf).max(1) +
                        np.where(j <= i, wide, np.inf).min(1), atol=1e-3)
                    x = np.where(j <= i, 0, x).astype(dtype).T.copy()
                    found = self.run_kernel(f"x: {type}[N, M]", "y: f32[M]",
                                            "y[i] = sum[j | j <= i](x[j, i]);", shape, x=x)
                    np.testing.assert_array_equal(found, np.zeros(shape[0]))

    def test_lengths(self):
        generator = np.random.default_rng(2)
        for shape in SHAPES:
            with self.subTest(shape=shape):
                i, j = np.indices(shape)
                n = generator.integers(-3, shape[1] + 5, shape[0]).astype(np.int32)
                n[0] = 0
                isThere = j < n[:, None]
                x = generator.uniform(-1, 1, shape).astype(np.float32)
                x[~isThere] = np.nan
                parameters = "x: f32[M, N], n: i32[M]"
                found = self.run_kernel(parameters, "y: f32[M]",
                                        "y[i] = sum[j | j < n[i]](x[i, j]);", shape, x=x, n=n)
                np.testing.assert_allclose(found, np.where(isThere, x, 0).sum(1), atol=1e-4)
                found = self.run_kernel(parameters, "y: f32[M]",
                                        "y[i] = max[j | j < n[i]](x[i, j]);", shape, x=x, n=n)
                np.testing.assert_array_equal(found, np.where(isThere, x, -np.inf).max(1))
                isNear = isThere & (abs(j - i) <= 2)
                found = self.run_kernel(
                    parameters, "y: f32[M]",
                    "y[i] = prod[j | j >= i - 2 && j <= i + 2 && j < n[i]](x[i, j]);", shape, x=x,
                    n=n)
                np.testing.assert_allclose(found, np.where(isNear, x, 1).prod(1), atol=1e-5)

    def test_softmax(self):
        # Outside of the condition its result is needed, or is not.
        generator = np.random.default_rng(3)
        for shape in SHAPES:
            with self.subTest(shape=shape):
                i, j = np.indices(shape)
                x = generator.uniform(-1, 1, shape).astype(np.float32)
                wide = x.astype(np.float64)
                e = np.exp(wide - np.where(j <= i, wide, -np.inf).max(1, keepdims=True))
                e /= np.where(j <= i, e, 0).sum(1, keepdims=True)
                for body, expected in (
                        ("softmax[j | j <= i](x[i, j])", e),
                        ("select(j <= i, softmax[j | j <= i](x[i, j]), 0)", np.where(j <= i, e, 0))):
                    found = self.run_kernel("x: f32[M, N]", "y: f32[M, N]", f"y[i, j] = {body};",
                                            shape, x=x)
                    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)

    def test_results_on_cores(self):
        # Where the condition does not hold, the result is a constant, and what is there is not read.
        generator = np.random.default_rng(5)
        for body, condition in (("j <= i", lambda i, j: j <= i),
                                ("j >= 2 * i", lambda i, j: j >= 2 * i),
                                ("j <= i && j + 40 > i", lambda i, j: (j <= i) & (j + 40 > i))):
            for machine in ("ascend910b3", "ascend310p3"):
                for m, n in ((61, 117), (133, 301)):
                    i, j = np.indices((m, n))
                    x = generator.uniform(-1, 1, (m, n)).astype(np.float32)
                    keep = condition(i, j)
                    wide = np.where(keep, x.astype(np.float64), -np.inf)
                    with np.errstate(invalid="ignore", divide="ignore"):
                        e = np.exp(wide - wide.max(1, keepdims=True))
                        expected = np.where(keep, e / e.sum(1, keepdims=True), 0.5)
                    x[~keep] = np.where(generator.random((~keep).sum()) < 0.5, np.nan, np.inf)
                    np.save(self.folder / "x.npy", x)
                    (self.folder / "k.mmk").write_text(
                        "kernel k(x: f32[M, N]) -> y: f16[M, N] { y[i, j] = cast<f16>("
                        f"select({body}, softmax[j | {body}](x[i, j]), 0.5)); }}\n")
                    for words in (["reduce=whole", "tile.N=320"], ["reduce=two_pass", "tile.N=32"],
                                  ["reduce=online", "tile.N=32"]):
                        sets = [word for choice in (*words, "tile.M=7") for word in ("--set", choice)]
                        with self.subTest(body=body, machine=machine, m=m, n=n, words=words):
                            report, = self.report("k.mmk", f"M={m}", f"N={n}", "--machine", machine,
                                                  "--input", "x=x.npy", "--output", "y=y.npy",
                                                  "--no-check", "--watch", *sets)
                            self.assertEqual(report["watch"]["hazards"], [])
                            # A whole row is computed from its start.
                            skips = words[0] != "reduce=whole" or body != "j >= 2 * i"
                            self.assertEqual(report["clock"]["conditions"]["skipped"] > 0, skips)
                            np.testing.assert_allclose(np.load(self.folder / "y.npy"), expected,
                                                       rtol=2e-3, atol=1e-4)

    def test_counts_of_the_report(self):
        # Rows of a tile share a range: 64 x 64 in tiles of 16 x 16, below the diagonal.
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N]) -> y: f32[M] { y[i] = sum[j | j <= i](x[i, j]); }\n")
        report, = self.report("k.mmk", "M=64", "N=64", "--machine", "ascend310p3", "--count-only",
                              "--set", "reduce=two_pass", "--set", "tile.M=16", "--set", "tile.N=16")
        counts = report["clock"]["conditions"]
        self.assertEqual(counts["elements"], 64 * 64)
        self.assertEqual(counts["skipped"], 6 * 16 * 16)
        self.assertEqual(counts["unmasked"], 6 * 16 * 16)

    def test_bytes(self):
        generator = np.random.default_rng(4)
        for shape in SHAPES:
            with self.subTest(shape=shape):
                i, j = np.indices(shape)
                x = generator.integers(-100, 100, shape).astype(np.int8)
                found = self.run_kernel("x: i8[M, N]", "y: i8[M]",
                                        "y[i] = max[j | j <= i](x[i, j]);", shape, x=x)
                np.testing.assert_array_equal(found, np.where(j <= i, x, -128).max(1))


if __name__ == "__main__":
    main()
