"""Index notation on every kind of machine, against NumPy: conditions, positions as numbers, computed
indices, windows and random numbers, fused and not, and watched."""

import random

import numpy as np

from command import CommandTest, main

MACHINES = ["ascend910b3", "ascend310p3", "host"]


def positions(x):
    return np.meshgrid(*(np.arange(n) for n in x.shape), indexing="ij")


def masked(x, condition, identity):
    """x where the condition on its positions holds, else the identity."""
    return np.where(condition(*positions(x)), x, identity)


def softmax(x, where):
    x = np.where(where, x, -np.inf)
    with np.errstate(invalid="ignore"):
        e = np.where(where, np.exp(x - x.max(1, keepdims=True)), 0)
        return e / e.sum(1, keepdims=True)


def padded(x, value, index):
    """x at the indices, a list of arrays, and the value outside of it."""
    inside = np.ones(index[0].shape, bool)
    for i, n in zip(index, x.shape):
        inside &= (i >= 0) & (i < n)
    return np.where(inside, x[tuple(np.clip(i, 0, n - 1) for i, n in zip(index, x.shape))], value)


def shifted(x, value, *by):
    return padded(x, value, [p + b for p, b in zip(positions(x), by)])


def philox(elements, seed):
    """Philox4x32-10 as its authors give it, one block for each four elements."""
    blocks = np.arange((elements + 3) // 4, dtype=np.uint64)
    low = np.uint64(0xFFFFFFFF)
    c = [blocks & low, blocks >> np.uint64(32), np.zeros_like(blocks), np.zeros_like(blocks)]
    k = [np.uint64(seed & 0xFFFFFFFF), np.uint64(0)]
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(q >> np.uint64(32)) ^ c[1] ^ k[0], q & low, (p >> np.uint64(32)) ^ c[3] ^ k[1], p & low]
        k = [(k[0] + np.uint64(0x9E3779B9)) & low, (k[1] + np.uint64(0xBB67AE85)) & low]
    words = np.stack(c, 1).ravel()[:elements]
    return (words >> np.uint64(8)).astype(np.float64) * 2.0**-24


def uniform(shape, seed):
    return philox(int(np.prod(shape)), seed).reshape(shape)


# Parameters, results, body, what NumPy says, and the least extent.
KERNELS = [
    ("x: f32[M, N]", "y: f32[M]", "y[i] = sum[j | j <= i](x[i, j]);",
     lambda x: masked(x, lambda i, j: j <= i, 0).sum(1), 1),
    ("x: f32[M, N]", "y: f32[M]", "y[i] = max[j | j < i](x[i, j]);",
     lambda x: masked(x, lambda i, j: j < i, -np.inf).max(1), 1),
    ("x: f32[M, N]", "y: f32[N]", "y[j] = sum[i | i % 3 == 1](x[i, j]);",
     lambda x: masked(x, lambda i, j: i % 3 == 1, 0).sum(0), 1),
    ("x: f32[M, N]", "y: f32[N]", "y[j] = min[i | i >= j && i <= 2*j + 3](x[i, j]);",
     lambda x: masked(x, lambda i, j: (i >= j) & (i <= 2 * j + 3), np.inf).min(0), 1),
    ("x: f32[M, N]", "y: f32", "y = sum[i, j | i + j < M](x[i, j]);",
     lambda x: masked(x, lambda i, j: i + j < x.shape[0], 0).sum().reshape(1), 1),
    ("x: f32[M, N]", "y: i32[M]", "y[i] = argmax[j | j % 2 == i % 2 || j == 0](x[i, j]);",
     lambda x: masked(x, lambda i, j: (j % 2 == i % 2) | (j == 0), -np.inf).argmax(1), 1),
    ("x: f32[M, N]", "y: f32[M, N]",
     "y[i, j] = select(j <= i + 2, softmax[j | j <= i + 2](x[i, j]), 0);",
     lambda x: softmax(x, positions(x)[1] <= positions(x)[0] + 2), 1),
    ("x: f32[A, M, N]", "y: f32[A, N]", "y[a, j] = sum[i | i >= a + j - 4](x[a, i, j]);",
     lambda x: masked(x, lambda a, i, j: i >= a + j - 4, 0).sum(1), 1),
    ("x: f32[M, N]", "y: f32[M, N]", "y[i, j] = select(x[i, j] > 0, i - 2*j, (7*i + j) % 5);",
     lambda x: np.where(x > 0, positions(x)[0] - 2 * positions(x)[1],
                        (7 * positions(x)[0] + positions(x)[1]) % 5), 1),
    ("x: f32[M, N]", "y: f32[M, N]", "y[i, j] = x[M - 1 - i, N - 1 - j];",
     lambda x: x[::-1, ::-1], 1),
    ("x: f32[M, N]", "y: f32[M, N]", "y[i, j] = x[i / 2, j] + x[i, j / 3];",
     lambda x: x[positions(x)[0] // 2, positions(x)[1]] + x[positions(x)[0], positions(x)[1] // 3],
     1),
    ("x: f16[M, N]", "y: f32[M, N]", "y[i, j] = pad(x, -1)[i - 1, j + 2] + x[i, j];",
     lambda x: shifted(x, -1, -1, 2) + x, 1),
    ("x: f32[M, N]", "y: f32[M, N]", "let t[i, j] = 2*x[i, j]; y[i, j] = pad(t, 0)[i, j - 1] + t[i, j];",
     lambda x: 2 * shifted(x, 0, 0, -1) + 2 * x, 1),
    ("x: f32[M, N]", "y: f32[P, Q]",
     "dim P = (M - 3) / 2 + 1; dim Q = (N - 2) / 2 + 1;"
     "y[p, q] = max[r: 3, s: 2](x[2*p + r, 2*q + s]);",
     lambda x: np.max([x[r:, s:][::2, ::2][:(x.shape[0] - 3) // 2 + 1, :(x.shape[1] - 2) // 2 + 1]
                       for r in range(3) for s in range(2)], axis=0), 3),
    ("x: f32[M, N]", "y: f32[P, Q]",
     "dim P = (M - 1) / 2 + 1; dim Q = (N - 1) / 2 + 1;"
     "y[p, q] = mean[r: 3, s: 3](pad(x, 0)[2*p + r - 1, 2*q + s - 1]);",
     lambda x: np.mean([shifted(x, 0, r - 1, s - 1)[::2, ::2] for r in range(3) for s in range(3)],
                       axis=0), 1),
    ("x: f32[N]", "y: f32[N]", "y[i] = random[i](5) + x[i];",
     lambda x: uniform(x.shape, 5) + x, 1),
    ("x: f32[M, N]", "y: f32[N, M]", "y = transpose(random[M, N](-7) * x);",
     lambda x: (uniform(x.shape, -7) * x).T, 1),
    ("x: f32[A, M, N]", "y: f32[A, M, N]", "y = dropout[A, M, N](x, 0.25, 3);",
     lambda x: np.where(uniform(x.shape, 3) >= np.float32(0.25), x / 0.75, 0), 1),
    ("x: f32[M, N]", "y: f32[M, N]", "y = cumsum[N](x);", lambda x: x.cumsum(1), 1),
    ("x: f32[A, M, N]", "y: f32[A, M, N]", "y = cumsum[M](x) * 2;", lambda x: 2 * x.cumsum(1), 1),
    ("x: f32[M, N]", "y: f32[M, N]", "let t[i, j] = cumsum[j](2 * x[i, j]); y[i, j] = t[i, j] + x[i, 0];",
     lambda x: (2 * x).cumsum(1) + x[:, :1], 1),
    # What only repeats along a dimension that is reduced.
    ("x: f32[N]", "y: f32[N]", "y[i] = sum[j: N](exp(x[i])) / N;", lambda x: np.exp(x), 1),
    ("x: f32[M, N]", "y: f32[M, N]", "y[i, j] = x[i, j] * sum[k: M, l: N](1 - k) / M;",
     lambda x: x * x.shape[1] * (3 - x.shape[0]) / 2, 1),
    ("x: f32[M, N]", "y: f32[M, N]", "y[i, j] = x[i, j] - mean[i, j | i < M - 1](x[i, j]);",
     lambda x: x - x[:-1].mean(), 2),
    ("x: f32[M, N]", "y: f32[N]", "let t[j] = max[i](x[i, j]); y[j] = x[0, j] + sum[i: M, k: N](tanh(t[j])) / (M * N);",
     lambda x: x[0] + np.tanh(x.max(0)), 1),
]

EXTENTS = [1, 2, 3, 5, 8, 15, 16, 17, 33, 64, 100, 129]


class Indices(CommandTest):
    def run_kernel(self, number, dims, machine, words, excluded=None):
        parameter, result, body, expected, _ = KERNELS[number]
        names = [name for name in "AMN" if name in parameter.split("[")[1]]
        shape = [dims[name] for name in names]
        x = np.random.default_rng(number).uniform(-1, 1, shape)
        x = x.astype(np.float16 if "f16" in parameter else np.float32)
        np.save(self.folder / "x.npy", x if excluded is None else excluded(x))
        (self.folder / "k.mmk").write_text(f"kernel k({parameter}) -> {result} {{ {body} }}\n")
        report, = self.report("k.mmk", *[f"{name}={dims[name]}" for name in names], "--machine",
                              machine, "--input", "x=x.npy", "--output", "y=y.npy", *words)
        self.assertTrue(report["check"]["passed"], report)
        if "--watch" in words:
            self.assertEqual(report["watch"]["hazards"], [])
        given = np.load(self.folder / "y.npy")
        wanted = np.asarray(expected(x.astype(np.float64)))
        np.testing.assert_allclose(given.reshape(wanted.shape).astype(np.float64), wanted,
                                   rtol=2e-5, atol=2e-5, err_msg=f"{body} {dims} {machine} {words}")

    def sizes_of(self, generator, number):
        return {name: max(KERNELS[number][4], generator.choice(EXTENTS)) for name in "AMN"}

    def test_numbers(self):
        seed = 20261124
        generator = random.Random(seed)
        for number in range(len(KERNELS)):
            for machine in MACHINES:
                dims = self.sizes_of(generator, number)
                words = generator.choice([[], ["--set", "fuse=none"]])
                if machine != "host":
                    words = [*words, "--watch"]
                with self.subTest(number=number, machine=machine, seed=seed):
                    self.run_kernel(number, dims, machine, words)

    def test_parts(self):
        """Rows in parts: those without a term are skipped, and full ones have no mask."""
        for number in (0, 1, 3, 6):
            with self.subTest(number=number):
                self.run_kernel(number, {"M": 70, "N": 150}, "ascend910b3",
                                ["--set", "reduce=two_pass", "--set", "tile.N=32", "--set",
                                 "tile.M=8", "--watch"])

    def test_excluded_elements(self):
        """What a condition excludes may be anything."""
        def mutate(x):
            i, j = positions(x)
            return np.where(j <= i, x, np.where(j % 2 == 0, np.nan, np.inf)).astype(x.dtype)
        for machine in MACHINES:
            for words in ([], ["--set", "fuse=none"]):
                with self.subTest(machine=machine, words=words):
                    self.run_kernel(0, {"M": 70, "N": 90}, machine, words, mutate)


if __name__ == "__main__":
    main()
