"""Reductions over every dimension on every kind of machine, against NumPy and against each other:
fused, one by one, in parts, whole, and watched."""

import random
import re

import numpy as np

from command import CommandTest, main, pairs, sets

MACHINES = ["ascend910b3", "ascend310p3", "host"]


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def norm(x, axis):
    return x / np.sqrt((x * x).mean(axis=axis, keepdims=True) + 1e-5)


# A kernel of x and what NumPy says; its results are y, and z where there are two.
KERNELS = [
    ("x: f32[M, N]", "y: f32[M, N]", "y = softmax[N](x);", lambda x: [softmax(x, 1)]),
    ("x: f32[M, N]", "y: f32[M, N]", "y = softmax[M](x);", lambda x: [softmax(x, 0)]),
    ("x: f16[M, N]", "y: f32[M]", "y = sum[N](x);", lambda x: [x.sum(1)]),
    ("x: f16[M, N]", "y: f32[N]", "y = sum[M](x);", lambda x: [x.sum(0)]),
    ("x: f32[M, N]", "y: f32", "y = mean[M, N](x);", lambda x: [x.mean(keepdims=True).ravel()]),
    ("x: f32[N]", "y: f32[N]", "y = softmax[N](x);", lambda x: [softmax(x, 0)]),
    ("x: f32[M, N]", "y: f32[M]", "y = prod[N](1 + x / 64);", lambda x: [(1 + x / 64).prod(1)]),
    ("x: f32[M, N]", "y: f32[N], z: f32[N]", "y = max[M](x); z = min[M](x);",
     lambda x: [x.max(0), x.min(0)]),
    ("x: f32[M, N]", "y: i32[M]", "y = argmax[N](x);", lambda x: [x.argmax(1)]),
    ("x: f32[M, N]", "y: i32[N]", "y = argmin[M](x);", lambda x: [x.argmin(0)]),
    ("x: f32[M, N]", "y: f32[M, N]", "y = select(any[N](x > 0.99), x, 0);",
     lambda x: [np.where((x > 0.99).any(1, keepdims=True), x, 0)]),
    ("x: f32[M, N]", "y: f32[N]", "y = select(all[M](x > -0.9), 1, 0);",
     lambda x: [(x > -0.9).all(0).astype(np.float64)]),
    ("x: f32[A, M, N]", "y: f32[M, N]", "y = sum[A](x);", lambda x: [x.sum(0)]),
    ("x: f32[A, M, N]", "y: f32[A, N]", "y = max[M](x);", lambda x: [x.max(1)]),
    ("x: f32[A, M, N]", "y: f32[M]", "y = sum[A, N](x);", lambda x: [x.sum((0, 2))]),
    ("x: f32[A, M, N]", "y: f32[A, M, N]", "y = x - mean[M, N](x);",
     lambda x: [x - x.mean((1, 2), keepdims=True)]),
    ("x: f16[M, N]", "y: f32[M, N], z: f32[M, N]",
     "let t = x * 2; y = t; z = t / sqrt(mean[N](t * t) + 0.00001);",
     lambda x: [2 * x, norm(2 * x, 1)]),
    ("x: f32[M, N]", "y: f32[N, M]", "y = transpose(softmax[N](x));", lambda x: [softmax(x, 1).T]),
    ("x: f32[M, N]", "y: f32[M, N]", "let c = softmax[N](x); y = c / sum[M](c);",
     lambda x: [softmax(x, 1) / softmax(x, 1).sum(0, keepdims=True)]),
    ("x: i8[M, N]", "y: i32[M], z: i8[M]", "y = sum[N](x); z = max[N](x);",
     lambda x: [x.sum(1), x.max(1)]),
]

EXTENTS = [1, 2, 3, 15, 16, 17, 33, 100, 257, 1000]


class Reductions(CommandTest):
    def run_kernel(self, number, dims, machine, words):
        parameter, result, body, expected = KERNELS[number]
        names = [name for name in "AMN" if name in parameter.split("[")[1]]
        shape = [dims[name] for name in names]
        generator = np.random.default_rng(number)
        if "i8" in parameter:
            x = generator.integers(-128, 128, shape).astype(np.int8)
        else:
            x = generator.uniform(-1, 1, shape)
            x = x.astype(np.float16 if "f16" in parameter else np.float32)
        np.save(self.folder / "x.npy", x)
        (self.folder / "k.mmk").write_text(f"kernel k({parameter}) -> {result} {{ {body} }}\n")
        outputs = [f"{name}={name}.npy" for name in "yz" if f"{name}:" in result]
        for output in outputs:
            words = [*words, "--output", output]
        report, = self.report("k.mmk", *[f"{name}={dims[name]}" for name in names], "--machine",
                              machine, "--input", "x=x.npy", *words)
        self.assertTrue(report["check"]["passed"], report)
        wide = x.astype(np.int64 if x.dtype == np.int8 else np.float64)
        for output, value in zip(outputs, expected(wide)):
            found = np.load(self.folder / output.split("=")[1])
            np.testing.assert_allclose(found.reshape(np.shape(value)), value, rtol=2e-4, atol=2e-4)
        return report

    def test_every_dimension(self):
        draw = random.Random(20261123)
        for number in range(len(KERNELS)):
            for machine in MACHINES:
                dims = {name: draw.choice(EXTENTS) for name in "MN"} | {"A": draw.choice([1, 2, 7])}
                words = draw.choice([[], ["--set", "fuse=none"], ["--watch"]])
                with self.subTest(kernel=KERNELS[number][2], machine=machine, dims=dims,
                                  words=words):
                    report = self.run_kernel(number, dims, machine, words)
                    if words == ["--watch"]:
                        self.assertEqual(report["watch"]["hazards"], [])

    def test_in_parts_and_whole(self):
        for number, reduce, machine in pairs((0, 1, 6, 8, 16), ("whole", "two_pass"), MACHINES[:2]):
            words = ["--set", f"reduce={reduce}", "--set", "tile.M=64", "--set", "tile.N=128", "--watch"]
            with self.subTest(kernel=KERNELS[number][2], reduce=reduce, machine=machine):
                report = self.run_kernel(number, {"M": 50, "N": 121}, machine, words)
                self.assertEqual(report["watch"]["hazards"], [])
        # Sums of exponentials that are rescaled.
        for number in (0, 1, 5, 17):
            for machine in MACHINES[:2]:
                words = ["--set", "reduce=online", "--set", "tile.N=16", "--watch"]
                with self.subTest(kernel=KERNELS[number][2], reduce="online", machine=machine):
                    report = self.run_kernel(number, {"M": 70, "N": 121}, machine, words)
                    self.assertEqual(report["watch"]["hazards"], [])
        # Parts of a row that is longer than a tile.
        for number in (0, 1, 6, 8, 16):
            self.run_kernel(number, {"M": 300, "N": 1000}, "ascend910b3",
                            ["--set", "tile.M=16", "--set", "tile.N=48"])

    def test_words_of_single_dimensions(self):
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N], z: f32[A, B, C]) -> y: f32[M, N], s: f32[A], t: f32[A, B] {\n"
            "  y = softmax[N](x);\n  s = sum[B, C](z);\n  t = variance[C](z);\n"
            "  schedule { reduce N = online | whole, C = two_pass; }\n}\n")
        dims = ["M=37", "N=300", "A=5", "B=7", "C=33"]
        for words, name in (([], "reduce.N=online,reduce.C=two_pass"),
                            (["reduce.N=whole"], "reduce.N=whole,reduce.C=two_pass"),
                            (["reduce.C=whole"], "reduce.N=online,reduce.C=whole"),
                            (["reduce=whole"], "reduce=whole,reduce.N=online,reduce.C=two_pass")):
            for machine in MACHINES:
                with self.subTest(words=words, machine=machine):
                    report, = self.report("k.mmk", *dims, "--machine", machine, *sets(words))
                    self.assertTrue(report["check"]["passed"], report)
                    self.assertTrue(report["variant"].endswith(name), report["variant"])
                    again, = self.report("k.mmk", *dims, "--machine", machine, "--variant",
                                         report["variant"])
                    self.assertEqual(again["variant"], report["variant"])

    def test_a_word_that_one_group_of_rows_has_not(self):
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N], z: f32[A, C]) -> y: f32[M, N], t: f32[A] {\n"
            "  y = softmax[N](x);\n  t = variance[C](z);\n}\n")
        dims = ["M=7", "N=50", "A=3", "C=21"]
        self.mmk("run", "k.mmk", *dims, "--machine", "ascend910b3", "--set", "reduce=online", exit=2)
        self.mmk("run", "k.mmk", *dims, "--machine", "ascend910b3", "--set", "reduce.N=online")
        self.mmk("run", "k.mmk", *dims, "--machine", "ascend910b3", "--set", "reduce.C=online",
                 exit=2)
        self.assertIn("reduce.C = online rescales sums of exponentials while their maximum grows; "
                      "here a reduction waits for another in another way; nearest legal: "
                      "reduce.C = two_pass", self.said)

    def test_rows_of_a_product(self):
        # A kernel, what NumPy says of the product p, a residual r and a weight g, and its results.
        kernels = [
            ("y: f32[M, N]", "y = softmax[N](x @ w);", lambda p, r, g: [softmax(p, 1)]),
            ("y: f32[M, N], z: f32[M, N]",
             "let t = x @ w + r; y = t; z = t / sqrt(mean[N](t * t) + 0.00001) * g;",
             lambda p, r, g: [p + r, norm(p + r, 1) * g]),
            ("y: i32[M], z: f32[M]", "let t = x @ w - g; y = argmax[N](t); z = max[N](abs(t));",
             lambda p, r, g: [(p - g).argmax(1), np.abs(p - g).max(1)]),
            ("y: f32[M, N]", "let t = (x @ w) * g; y = (t - mean[N](t)) * (1 + sum[N](r));",
             lambda p, r, g: [(p * g - (p * g).mean(1, keepdims=True))
                              * (1 + r.sum(1, keepdims=True))]),
        ]
        draw, numbers = random.Random(20261124), np.random.default_rng(20261124)
        for result, body, expected in kernels:
            for machine in MACHINES[:2]:
                m, n, k = draw.choice([1, 17, 100, 130]), draw.choice([1, 16, 33, 200]), 45
                x, w, r, g = (numbers.uniform(-1, 1, shape) for shape in
                              ((m, k), (k, n), (m, n), (n,)))
                x, w = x.astype(np.float16), w.astype(np.float16)
                r, g = r.astype(np.float32), g.astype(np.float32)
                for name, tensor in zip("xwrg", (x, w, r, g)):
                    np.save(self.folder / f"{name}.npy", tensor)
                used = [name for name in "xwrg" if re.search(rf"\b{name}\b", body)]
                types = {"x": "f16[M, K]", "w": "f16[K, N]", "r": "f32[M, N]", "g": "f32[N]"}
                parameters = ", ".join(f"{name}: {types[name]}" for name in used)
                (self.folder / "k.mmk").write_text(
                    f"kernel k({parameters}) -> {result} {{ {body} }}\n")
                outputs = [f"{name}={name}.npy" for name in "yz" if f"{name}:" in result]
                words = [word for output in outputs for word in ("--output", output)]
                words += [word for name in used for word in ("--input", f"{name}={name}.npy")]
                with self.subTest(kernel=body, machine=machine, m=m, n=n):
                    for more in ([], ["--set", "tile.M=32", "--set", "tile.N=208"]):
                        report, = self.report("k.mmk", f"M={m}", f"N={n}", f"K={k}", "--machine",
                                              machine, "--set", "fuse=rows", "--watch", *words,
                                              *more)
                        self.assertEqual(report["watch"]["hazards"], [])
                        product = x.astype(np.float64) @ w.astype(np.float64)
                        for output, value in zip(outputs, expected(product, r, g)):
                            found = np.load(self.folder / output.split("=")[1])
                            np.testing.assert_allclose(found, value, rtol=2e-4, atol=2e-4)

    def test_a_row_that_is_too_long_to_be_whole(self):
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }\n")
        self.mmk("run", "k.mmk", "M=2", "N=513", "--machine", "ascend910b3", "--set",
                 "reduce=whole", "--set", "tile.N=512", "--set", "tile.M=1", exit=2)
        self.assertIn("N = 513, but what this variant reduces whole is at most 512 long; "
                      "legal: a longer tile.N, or reduce.N = two_pass", self.said)

    def test_a_million_terms(self):
        for number, dims in ((2, {"M": 2, "N": 1000003}), (3, {"M": 1000003, "N": 2}),
                             (5, {"N": 1000003})):
            for machine in MACHINES:
                with self.subTest(kernel=KERNELS[number][2], machine=machine):
                    parameter, result, body, _ = KERNELS[number]
                    (self.folder / "k.mmk").write_text(
                        f"kernel k({parameter}) -> {result} {{ {body} }}\n")
                    report, = self.report("k.mmk", *[f"{d}={n}" for d, n in dims.items()],
                                          "--machine", machine, "--data", "normal")
                    self.assertTrue(report["check"]["passed"], report)

    def test_rows_that_begin_with_tiles_of_minus_infinity(self):
        x = np.random.default_rng(3).uniform(-1, 1, (3, 700)).astype(np.float32)
        x[:, :300] = -np.inf
        x[1, :] = -np.inf
        x[1, 699] = 2
        np.save(self.folder / "x.npy", x)
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }\n")
        for machine in MACHINES:
            parts = ["--set", "tile.N=64", "--set", "tile.M=1"]
            for words in ([], parts, [*parts, "--set", "reduce=online"]):
                self.mmk("run", "k.mmk", "M=3", "N=700", "--machine", machine, "--input",
                         "x=x.npy", "--output", "y=y.npy", *words)
                found = np.load(self.folder / "y.npy")
                np.testing.assert_allclose(found, softmax(x.astype(np.float64), 1), rtol=1e-5,
                                           atol=1e-7)


if __name__ == "__main__":
    main()
