"""Reductions and results with a condition, which skip what it excludes: what is there is never read,
whatever it is."""

import numpy as np

from command import CommandTest, main, pairs, sets

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
        conditions = (("j <= i", lambda i, j: j <= i), ("j >= 2 * i", lambda i, j: j >= 2 * i),
                      ("j <= i && j + 40 > i", lambda i, j: (j <= i) & (j + 40 > i)))
        forms = (["reduce=whole", "tile.N=320"], ["reduce=two_pass", "tile.N=32"], ["reduce=online", "tile.N=32"])
        for (body, condition), machine, (m, n), words in pairs(
                conditions, ("ascend910b3", "ascend310p3"), ((61, 117), (133, 301)), forms):
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
            with self.subTest(body=body, machine=machine, m=m, n=n, words=words):
                report, = self.report("k.mmk", f"M={m}", f"N={n}", "--machine", machine,
                                      "--input", "x=x.npy", "--output", "y=y.npy",
                                      "--no-check", "--watch", *sets([*words, "tile.M=7"]))
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

    def lengths(self, generator, count, columns):
        """Of rows: none, all, beyond both ends of i32 and some within."""
        n = generator.integers(-3, columns + 9, count).astype(np.int32)
        special = [0, columns, columns + 1, -1, 2**31 - 1, -2**31 + 8, 1, columns - 1]
        n[:len(special)] = special[:count]
        return generator.permutation(n)

    def run_on_cores(self, machine, words, dims, arrays):
        for name, array in arrays.items():
            np.save(self.folder / f"{name}.npy", array)
        inputs = [word for name in arrays for word in ("--input", f"{name}={name}.npy")]
        report, = self.report("k.mmk", *dims, "--machine", machine, *inputs, "--output", "y=y.npy",
                              "--no-check", "--watch", *sets(words))
        self.assertEqual(report["watch"]["hazards"], [])
        return report["clock"], np.load(self.folder / "y.npy")

    def test_lengths_on_cores(self):
        # What is beyond the length of each row of a tile is never read.
        generator = np.random.default_rng(6)
        forms = (("j < n[i]", lambda j, n, s: j < n),
                 ("j <= n[i] - 1", lambda j, n, s: j <= n - 1),
                 ("j + 3 < n[i]", lambda j, n, s: j + 3 < n),
                 ("j >= s[i]", lambda j, n, s: j >= s),
                 ("s[i] <= j && j < n[i]", lambda j, n, s: (s <= j) & (j < n)),
                 ("s[i] <= 2 * j && 2 * j < s[i] + 17",
                  lambda j, n, s: (s <= 2 * j) & (2 * j < s + 17)))
        m, columns = 45, 117
        j = np.arange(columns)
        for condition, holds in forms:
            n = self.lengths(generator, m, columns)
            s = self.lengths(generator, m, columns)
            wide = generator.uniform(-1, 1, (m, columns))
            keep = holds(j, n[:, None].astype(np.int64), s[:, None].astype(np.int64))
            x = wide.astype(np.float32)
            x[~keep] = np.where(generator.random((~keep).sum()) < 0.5, np.nan, np.inf)
            for body, expected in (
                    (f"sum[j | {condition}](x[i, j])", np.where(keep, wide, 0).sum(1)),
                    (f"max[j | {condition}](x[i, j])", np.where(keep, x, -np.inf).max(1)),
                    (f"sum[j | {condition}](exp(x[i, j] - max[j | {condition}](x[i, j])))",
                     self.sums_of_exponentials(wide, keep))):
                parameters = [f"{name}: i32[M]" for name in "ns" if f"{name}[" in condition]
                (self.folder / "k.mmk").write_text(
                    f"kernel k(x: f32[M, N], {', '.join(parameters)}) -> y: f32[M] "
                    f"{{ y[i] = {body}; }}\n")
                arrays = {"x": x, **{name: {"n": n, "s": s}[name] for name in "ns"
                                     if f"{name}[" in condition}}
                for machine, words in (("ascend910b3", ["reduce=two_pass", "tile.N=32", "tile.M=7"]),
                                       ("ascend310p3", ["reduce=whole", "tile.N=128", "tile.M=7"]),
                                       ("ascend910b3", ["reduce=whole", "tile.N=128", "tile.M=7"])):
                    with self.subTest(body=body, machine=machine, words=words):
                        clock, found = self.run_on_cores(machine, words, [f"M={m}", f"N={columns}"],
                                                         arrays)
                        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
                        self.assertGreater(clock["conditions"]["elements"], 0)
                        self.assertNotIn("assumed", clock["conditions"])

    def sums_of_exponentials(self, wide, keep):
        wide = np.where(keep, wide, -np.inf)
        with np.errstate(invalid="ignore"):
            e = np.exp(wide - wide.max(1, keepdims=True))
        return np.where(keep, e, 0).sum(1)

    def test_results_behind_lengths_on_cores(self):
        generator = np.random.default_rng(7)
        b, m, columns = 5, 13, 301
        n = np.array([0, columns, 7, 2 * columns, -5], np.int32)
        j = np.arange(columns)
        keep = np.broadcast_to(j < n[:, None, None], (b, m, columns))
        wide = generator.uniform(-1, 1, (b, m, columns))
        with np.errstate(invalid="ignore", divide="ignore"):
            masked = np.where(keep, wide, -np.inf)
            e = np.exp(masked - masked.max(2, keepdims=True))
            expected = np.where(keep, e / e.sum(2, keepdims=True), 0.5)
        x = wide.astype(np.float32)
        x[~keep] = np.nan
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[B, M, N], n: i32[B]) -> y: f16[B, M, N] { y[b, i, j] = cast<f16>("
            "select(j < n[b], softmax[j | j < n[b]](x[b, i, j]), 0.5)); }\n")
        for words in (["reduce=whole", "tile.N=320"], ["reduce=two_pass", "tile.N=32"],
                      ["reduce=online", "tile.N=32"]):
            for machine in ("ascend910b3", "ascend310p3"):
                with self.subTest(words=words, machine=machine):
                    clock, found = self.run_on_cores(
                        machine, [*words, "tile.M=7"], [f"B={b}", f"M={m}", f"N={columns}"],
                        {"x": x, "n": n})
                    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=1e-4)
                    self.assertGreater(clock["conditions"]["skipped"], 0)
                    self.assertGreater(clock["conditions"]["unmasked"], 0)

    def test_counts_of_lengths(self):
        # Tiles of 16 x 16: parts below the least length of a tile have no mask, those beyond the
        # greatest are skipped.
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N], n: i32[M]) -> y: f32[M] { y[i] = sum[j | j < n[i]](x[i, j]); }\n")
        n = np.repeat([16, 40, 64, 0], 16).astype(np.int32)
        n[16:24] = 33  # of the second tile: from 33 to 40
        np.save(self.folder / "n.npy", n)
        words = ["k.mmk", "M=64", "N=64", "--machine", "ascend310p3", "--set", "reduce=two_pass",
                 "--set", "tile.M=16", "--set", "tile.N=16"]
        report, = self.report(*words, "--input", "n=n.npy")
        counts = report["clock"]["conditions"]
        self.assertEqual(counts, {"elements": 64 * 64, "skipped": (3 + 1 + 0 + 4) * 256,
                                  "unmasked": (1 + 2 + 4 + 0) * 256})
        # Without data, lengths are taken to exclude nothing: the time is that of full rows.
        np.save(self.folder / "n.npy", np.full(64, 64, np.int32))
        full, = self.report(*words, "--input", "n=n.npy")
        counted, = self.report(*words, "--count-only")
        self.assertEqual(counted["clock"]["conditions"],
                         {"elements": 64 * 64, "skipped": 0, "unmasked": 64 * 64, "assumed": True})
        self.assertEqual(counted["clock"]["cycles"], full["clock"]["cycles"])
        # A scalar is known without data.
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N], n: i32) -> y: f32[M] { y[i] = sum[j | j < n](x[i, j]); }\n")
        for n, skipped, unmasked in ((17, 2, 1), (-1, 4, 0), (64, 0, 4), (2000000000, 0, 4)):
            report, = self.report(*words, f"n={n}", "--count-only")
            self.assertEqual(report["clock"]["conditions"],
                             {"elements": 64 * 64, "skipped": 4 * skipped * 256,
                              "unmasked": 4 * unmasked * 256})

    def test_short_rows_take_less_time(self):
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N], n: i32[M]) -> y: f32[M] { y[i] = sum[j | j < n[i]](x[i, j]); }\n")
        cycles = []
        for length in (8192, 1024):
            np.save(self.folder / "n.npy", np.full(512, length, np.int32))
            report, = self.report("k.mmk", "M=512", "N=8192", "--machine", "ascend910b3", "--input",
                                  "n=n.npy")
            cycles.append(report["clock"]["cycles"])
        self.assertLess(2 * cycles[1], cycles[0])

    def test_what_all_rows_share(self):
        # It is loaded once for a tile, whose windows end at different columns.
        generator = np.random.default_rng(9)
        m, columns = 90, 120
        i, j = np.indices((m, columns))
        x = generator.uniform(-1, 1, (m, columns)).astype(np.float32)
        w = generator.uniform(-1, 1, columns).astype(np.float32)
        n = self.lengths(generator, m, columns)
        for condition, keep in (("j <= i", j <= i), ("j < n[i]", j < n[:, None]),
                                ("j <= i && i < 50", (j <= i) & (i < 50))):
            lengths = ", n: i32[M]" if "n[" in condition else ""
            (self.folder / "k.mmk").write_text(
                f"kernel k(x: f32[M, N], w: f32[N]{lengths}) -> y: f32[M] "
                f"{{ y[i] = sum[j | {condition}](x[i, j] + w[j]); }}\n")
            inputs = {"x": np.where(keep, x, np.nan).astype(np.float32), "w": w}
            if lengths:
                inputs["n"] = n
            for words in (["reduce=whole", "tile.N=128", "tile.M=64"],
                          ["reduce=two_pass", "tile.N=32", "tile.M=64"]):
                with self.subTest(condition=condition, words=words):
                    _, found = self.run_on_cores("ascend910b3", words, [f"M={m}", f"N={columns}"],
                                                 inputs)
                    np.testing.assert_allclose(found, np.where(keep, x + w, 0).sum(1), atol=1e-4)

    def test_computed_lengths(self):
        # Lengths that the kernel computes stay a mask.
        generator = np.random.default_rng(8)
        m, columns = 33, 70
        x = generator.uniform(-1, 1, (m, columns)).astype(np.float32)
        n = self.lengths(generator, m, columns) % 50
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N], n: i32[M]) -> y: f32[M], t: i32[M] { "
            "let twice = cast<i32>(n + n); t[i] = twice[i]; "
            "y[i] = sum[j | j < twice[i]](x[i, j]); }\n")
        keep = np.arange(columns) < 2 * n[:, None]
        x[~keep] = np.nan
        _, found = self.run_on_cores("ascend910b3", [], [f"M={m}", f"N={columns}"], {"x": x, "n": n})
        np.testing.assert_allclose(found, np.where(keep, x, 0).sum(1), atol=1e-4)

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
