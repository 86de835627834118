"""Reductions whose rows are divided over the cores (`grid` of a reduced dimension), against NumPy:
every kind, over every dimension, on every emulated machine, watched; and with the same bits on any
number of cores."""

import random
import re

import numpy as np

from command import CommandTest, in_turn, main, sets
from reductions_test import EXTENTS, KERNELS, softmax

SPLIT, COUPLED = ["ascend910b1", "ascend910b3"], ["ascend310p3"]


def machines_of(number):
    """Of each kind of chip one for a kernel of this number."""
    return in_turn(number, SPLIT) + COUPLED


def reduced_dims(body):
    return sorted(set(name for names in re.findall(r"(?:softmax|sum|mean|prod|max|min|argmax|argmin|any|all)"
                                                   r"\[([A-Z, ]+)\]", body)
                      for name in names.split(", ")))


class Parts(CommandTest):
    def compare(self, number, dims, machine, words):
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
        outputs = [name for name in "yz" if f"{name}:" in result]
        report, = self.report("k.mmk", *[f"{name}={dims[name]}" for name in names], "--machine",
                              machine, "--input", "x=x.npy", "--watch", *sets(words),
                              *[word for name in outputs for word in ("--output", f"{name}={name}.npy")])
        self.assertTrue(report["check"]["passed"], report)
        self.assertEqual(report["watch"]["hazards"], [])
        wide = x.astype(np.int64 if x.dtype == np.int8 else np.float64)
        for name, value in zip(outputs, expected(wide)):
            found = np.load(self.folder / f"{name}.npy")
            np.testing.assert_allclose(found.reshape(np.shape(value)), value, rtol=2e-4, atol=2e-4)
        return report

    def test_every_reduction_over_every_dimension(self):
        draw = random.Random(20261125)
        for number, (_, _, body, _) in enumerate(KERNELS):
            for machine in machines_of(number):
                dims = {name: draw.choice(EXTENTS) for name in "MN"} | {"A": draw.choice([1, 2, 7])}
                words = [f"grid.{dim}={draw.choice([2, 3, 5, 8, 48])}"
                         for dim in reduced_dims(body)]
                words += draw.choice([[], ["tile.N=16"], ["tile.N=64", "reduce=two_pass"],
                                      ["fuse=none"], ["cores=3"]])
                with self.subTest(kernel=body, machine=machine, dims=dims, words=words):
                    report = self.compare(number, dims, machine, words)
                    for word in words[:1]:
                        self.assertIn(word, report["variant"])

    def test_online(self):
        for number in (0, 1, 5, 17):
            dims = reduced_dims(KERNELS[number][2])
            for machine in machines_of(number):
                words = [f"grid.{dims[0]}=5", "tile.N=32", "reduce=online"]
                with self.subTest(kernel=KERNELS[number][2], machine=machine):
                    self.compare(number, {"M": 70, "N": 321}, machine, words)

    def test_up_to_a_million_terms(self):
        for number, dims in ((2, {"M": 2, "N": 1000003}), (3, {"M": 1000003, "N": 2}),
                             (4, {"M": 1003, "N": 999}), (5, {"N": 1000003}),
                             (8, {"M": 2, "N": 100003})):
            parameter, result, body, _ = KERNELS[number]
            (self.folder / "k.mmk").write_text(f"kernel k({parameter}) -> {result} {{ {body} }}\n")
            for machine in machines_of(number):
                with self.subTest(kernel=body, machine=machine):
                    report, = self.report("k.mmk", *[f"{d}={n}" for d, n in dims.items()],
                                          "--machine", machine, "--data", "normal")
                    self.assertTrue(report["check"]["passed"], report)
                    self.assertIn("grid.", report["variant"])

    def run_on(self, x, words, body, result="y: f32[M, N]"):
        np.save(self.folder / "x.npy", x)
        (self.folder / "k.mmk").write_text(f"kernel k(x: f32[M, N]) -> {result} {{ {body} }}\n")
        self.mmk("run", "k.mmk", f"M={x.shape[0]}", f"N={x.shape[1]}", "--input", "x=x.npy",
                 "--output", "y=y.npy", *sets(words), "--no-check")
        return np.load(self.folder / "y.npy")

    def test_the_same_bits_on_any_number_of_cores(self):
        x = np.random.default_rng(5).uniform(-1, 1, (3, 20000)).astype(np.float32)
        for body, result in (("y = sum[N](x);", "y: f32[M]"), ("y = softmax[N](x);", "y: f32[M, N]")):
            for more in ([], ["reduce=online"] if "softmax" in body else []):
                found = [self.run_on(x, ["grid.N=7", "tile.N=512", "tile.M=2", f"cores={cores}",
                                         *more], body, result) for cores in (1, 2, 5, 20)]
                for other in found[1:]:
                    self.assertEqual(found[0].tobytes(), other.tobytes())

    def test_parts_of_minus_infinity_and_nan(self):
        x = np.random.default_rng(3).uniform(-1, 1, (4, 700)).astype(np.float32)
        x[:, :300] = -np.inf
        x[1, :] = -np.inf
        x[1, 699] = 2
        x[3, 650] = np.nan
        for more in ([], ["reduce=online"]):
            words = ["grid.N=6", "tile.N=64", "tile.M=1", *more]
            found = self.run_on(x, words, "y = softmax[N](x);")
            np.testing.assert_allclose(found, softmax(x.astype(np.float64), 1), rtol=1e-5, atol=1e-7)
        # Of a row that is -inf as a whole the weights are 0.
        x[2, :] = -np.inf
        for more in ([], ["reduce=online"]):
            found = self.run_on(x, [*words[:3], *more], "y = softmax[N](x);")
            np.testing.assert_array_equal(found[2], np.zeros(700, np.float32))
            self.assertTrue(np.isnan(found[3]).all())
            self.assertFalse(np.isnan(found[:2]).any())
        for kind in ("max", "min", "argmax", "argmin"):
            word = f"y = {kind}[N](x);"
            result = "y: i32[M]" if kind.startswith("arg") else "y: f32[M]"
            found = self.run_on(x, words[:3], word, result)
            np.testing.assert_array_equal(found, getattr(np, kind)(x, axis=1))

    def test_the_first_of_equals(self):
        x = np.zeros((3, 1000), np.float32)
        x[1, [333, 700, 999]] = 1
        x[2, 998:] = -1
        for kind in ("argmax", "argmin"):
            for grid in (2, 9, 48):
                found = self.run_on(x, [f"grid.N={grid}", "tile.N=16"], f"y = {kind}[N](x);",
                                    "y: i32[M]")
                np.testing.assert_array_equal(found, getattr(np, kind)(x, axis=1))

    def test_conditions(self):
        x = np.random.default_rng(4).uniform(-1, 1, (40, 300)).astype(np.float32)
        lower = np.arange(300) <= np.arange(40)[:, None] * 7 - 3
        masked = np.where(lower, x, -np.inf).astype(np.float64)
        with np.errstate(invalid="ignore"):
            kinds = {"sum": np.where(lower, x, 0).astype(np.float64).sum(1), "max": masked.max(1),
                     "argmax": masked.argmax(1)}
        for kind, expected in kinds.items():
            for words in (["grid.N=5"], ["grid.N=4", "tile.N=16", "tile.M=3"], []):
                result = "y: i32[M]" if kind == "argmax" else "y: f32[M]"
                found = self.run_on(x, words, f"y[i] = {kind}[j | j <= 7 * i - 3](x[i, j]);", result)
                np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
        shares = np.where(lower[1:], softmax(masked[1:], 1), 0)
        for more in ([], ["reduce=online"]):
            found = self.run_on(x, ["grid.N=5", "tile.N=32", *more],
                                "y[i, j] = select(j <= 7 * i - 3, "
                                "softmax[j | j <= 7 * i - 3](x[i, j]), 0);")
            np.testing.assert_allclose(found[1:], shares, rtol=1e-4, atol=1e-6)

    def test_cycles(self):
        for result, body, dims, cycles in (
                ("y: f32", "y = sum[M, N](x);", {"M": 4096, "N": 4096}, 90205),
                ("y: f32[N]", "y = sum[M](x);", {"M": 65536, "N": 64}, 25166),
                ("y: f32[M, N]", "y = softmax[N](x);", {"M": 4, "N": 1000000}, 56621),
                ("y: f32[M, N]", "y = softmax[N](x);", {"M": 16, "N": 4194304}, 1071097)):
            (self.folder / "k.mmk").write_text(f"kernel k(x: f32[M, N]) -> {result} {{ {body} }}\n")
            report, = self.report("k.mmk", *[f"{name}={extent}" for name, extent in dims.items()],
                                  "--machine", "ascend910b2", "--count-only")
            self.assertIn("grid.", report["variant"])
            self.assertEqual(report["clock"]["cycles"], cycles)

    def test_cycles_between_two_products(self):
        (self.folder / "k.mmk").write_text("""kernel k(q: f16[H, M, D], k: f16[G, N, D], v: f16[G, N, D])
    -> o: f16[H, M, D] {
  let s[h, i, j] = 0.125 * sum[d](q[h, i, d] * k[h / 4, j, d]);
  o[h, i, d] = sum[j](cast<f16>(softmax[j](s[h, i, j])) * v[h / 4, j, d]);
}
""")
        for grid, cycles in (([], 57625), (["--set", "grid.N=1"], 90125)):
            report, = self.report("k.mmk", "H=8", "G=2", "M=1", "N=8192", "D=128", "--machine", "ascend910b2",
                                  "--count-only", *grid)
            self.assertEqual("grid.N=3" in report["variant"], not grid)
            self.assertEqual(report["clock"]["cycles"], cycles)

    def test_what_is_refused(self):
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }\n")
        self.mmk("run", "k.mmk", "M=2", "N=500", "--machine", "ascend910b3", "--set",
                 "reduce=whole", "--set", "grid.N=4", exit=2)
        self.assertIn("grid.N = 4 divides rows over the cores, but reduce = whole keeps each on the "
                      "chip of one; nearest legal: grid.N = 1, reduce = two_pass", self.said)
        # The host divides long rows by itself.
        report, = self.report("k.mmk", "M=2", "N=500", "--machine", "host", "--set", "grid.N=4")
        self.assertTrue(report["check"]["passed"], report)


if __name__ == "__main__":
    main()
