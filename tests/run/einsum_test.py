"""Random contractions of two operands in index notation: batch, free and summed indices in any order,
on every kind of machine, against NumPy."""

import random

import numpy as np

from command import CommandTest, in_turn, main, sets

MACHINES = ["ascend910b3", "ascend310p3", "host"]
COUNT = 60


def draw(random):
    """A kernel, the extents of its dimensions, and the contraction as numpy.einsum takes it."""
    batch = ["b"] * random.choice([0, 0, 1])
    rows = random.choice([["i"], ["i"], ["i", "h"]])
    columns = random.choice([["j"], ["j"], ["j", "g"]])
    summed = random.choice([["k"], ["k"], ["k", "l"]])
    left, right = batch + rows + summed, batch + columns + summed
    out = batch + rows + columns
    for indices in (left, right, out):
        random.shuffle(indices)
    extents = {index: random.choice([1, 2, 3, 7, 16, 17, 33, 48, 65] if index in "ijk" else [1, 2, 3])
               for index in sorted(set(left + right))}
    element = random.choice(["f32", "f16"])

    def shape(indices):
        return "[" + ", ".join(index.upper() for index in indices) + "]"

    def at(indices):
        return "[" + ", ".join(indices) + "]"

    kernel = (f"kernel contraction(x: {element}{shape(left)}, y: {element}{shape(right)}) -> "
              f"z: f32{shape(out)} {{\n  z{at(out)} = sum{at(summed)}(x{at(left)} * y{at(right)});\n}}\n")
    return kernel, extents, ("".join(left), "".join(right), "".join(out)), element


class Einsum(CommandTest):
    def test_random_contractions(self):
        generator = random.Random(60)
        numbers = np.random.default_rng(60)
        for number in range(COUNT):
            kernel, extents, (left, right, out), element = draw(generator)
            (self.folder / "k.mmk").write_text(kernel)
            dims = [f"{index.upper()}={extent}" for index, extent in extents.items()]
            operands = []
            for name, indices in (("x", left), ("y", right)):
                values = numbers.uniform(-1, 1, [extents[index] for index in indices])
                operands.append(values.astype(np.float16 if element == "f16" else np.float32))
                np.save(self.folder / f"{name}.npy", operands[-1])
            expected = np.einsum(f"{left},{right}->{out}", *(x.astype(np.float64) for x in operands))
            # The 310p's cube has no f32.
            machines = [each for each in MACHINES if element == "f16" or each != "ascend310p3"]
            for machine in in_turn(number, machines):
                with self.subTest(kernel=kernel, dims=dims, machine=machine):
                    self.mmk("run", "k.mmk", *dims, "--machine", machine, "--input", "x=x.npy",
                             "--input", "y=y.npy", "--output", "z=z.npy")
                    found = np.load(self.folder / "z.npy")
                    self.assertEqual(found.shape, expected.shape)
                    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


class Roles(CommandTest):
    """One dimension in two roles, each with its own tile."""

    def test_tiles_of_each_role(self):
        (self.folder / "k.mmk").write_text(
            "kernel gram(x: f16[M, K]) -> c: f32[M, M] {\n"
            "  c[i, j] = sum[k](x[i, k] * x[j, k]);\n"
            "  schedule { tile c.i = 64, c.j = 256 | 128, K = 64; }\n}\n"
            "kernel attention(x: f16[M, D]) -> o: f32[M, D] {\n"
            "  let s[i, j] = 0.25 * sum[d](x[i, d] * x[j, d]);\n"
            "  let p[i, j] = softmax[j](s[i, j]);\n"
            "  o[i, d] = sum[j](cast<f16>(p[i, j]) * x[j, d]);\n"
            "  schedule { tile s.i = 32, s.j = 128; }\n}\n"
            "kernel symmetric(x: f32[M, M]) -> y: f32[M, M] {\n"
            "  y[i, j] = softmax[j](x[i, j] + x[j, i]);\n"
            "  schedule { tile y.i = 8, y.j = 512; reduce y.j = whole | online; }\n}\n")
        for kernel, extents, words in (("gram", {"M": 300, "K": 100}, ["tile.c.j=128"]),
                                       ("attention", {"M": 77, "D": 48}, ["tile.s.j=64"]),
                                       ("symmetric", {"M": 130}, ["reduce.y.j=online", "tile.y.j=48"])):
            for machine in MACHINES:
                with self.subTest(kernel=kernel, machine=machine):
                    dims = [f"{name}={extent}" for name, extent in extents.items()]
                    for more in ([], sets(words)):
                        report, = self.report("k.mmk", "--kernel", kernel, *dims, "--machine",
                                              machine, *more)
                        self.assertTrue(report["check"]["passed"], report)
                        self.assertEqual(report["dims"], extents)


if __name__ == "__main__":
    main()
