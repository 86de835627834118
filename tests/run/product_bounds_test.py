"""Products under conditions: what they exclude from all rows of a tile is not multiplied, whatever it
is. NumPy sums the elements alone for which the condition holds."""

import numpy as np

from command import CommandTest, divided, main, mine, pairs, sets

MACHINES = ("ascend910b3", "ascend310p3", "ascend950pr", "host")
M, N, D, BATCHES = 70, 200, 48, 2
# What the tiles are, where the operands stay, and how the depth is divided.
SCHEDULES = (["fuse=all"], ["fuse=none"], ["tile.M=16", "tile.N=16"], ["tile.M=32", "grid.N=2"],
             ["tile.M=16", "skew=stages", "tile.N=16", "stage.N=32"], ["tile.M=16", "store=overlapped"],
             ["tile.M=16", "keep=A(256)", "order=rows"], ["tile.M=16", "keep=B(256)", "order=columns"])
ON_HOST = (["fuse=all"], ["fuse=none"], ["tile.M=16"], ["tile.M=32", "grid.N=2"])
# A condition, what it leaves for a bound n, and the first position that it excludes from all rows.
CONDITIONS = (
    ("j < n && j <= i + 8", lambda i, j, n: (j < n) & (j <= i + 8), lambda n: min(n, M + 8)),
    ("j <= i", lambda i, j, n: j <= i, lambda n: M),
    ("j < n && (i + 2 * j) % 3 != 1", lambda i, j, n: (j < n) & ((i + 2 * j) % 3 != 1), lambda n: n),
)
# The declarations and how an element is read.
OPERANDS = (("a: f16[M, N]", "a[i, j]", "v: f16[N, D]", "v[j, e]"),
            ("a: f16[N, M]", "a[j, i]", "v: f16[D, N]", "v[e, j]"),
            ("a: f16[M, N]", "a[i, j]", "v: const f16[N, D]", "v[j, e]"))


def product(left, right, holds):
    """Of [.., M, N] and [N, D], over the elements that are left."""
    left, right = left.astype(np.float64), np.where(np.isfinite(right), right.astype(np.float64), 0)
    return np.where(holds, left, 0) @ right


class ProductBounds(CommandTest):
    def check(self, text, machine, schedule, arrays, words, expected):
        (self.folder / "k.mmk").write_text(text)
        for name, array in arrays.items():
            np.save(self.folder / f"{name}.npy", array)
            words = [*words, "--input", f"{name}={name}.npy"]
        self.mmk("run", "k.mmk", *words, "--machine", machine, *sets(schedule), "--output", "o=o.npy")
        np.testing.assert_allclose(np.load(self.folder / "o.npy"), expected, rtol=2e-2, atol=2e-2)

    def schedules(self, machine):
        return ON_HOST if machine == "host" else SCHEDULES

    def test_rows_joined_with_batches(self):
        """The right operand is the same for all batches, so that a product has all rows at once."""
        text = """kernel k(a: f16[H, M, N], v: f16[4, 1, N, D], n: i32) -> o: f32[4, H, M, D] {
  o[c, h, i, e] = sum[j | j < n && i > 2](a[h / 2, i, j] * v[c, 0, j, e]);
}
"""
        generator = np.random.default_rng(3)
        heads, rows, depth, width, n = 3, 40, 12, 9, 10
        left = generator.normal(size=(heads, rows, depth)).astype(np.float16)
        right = generator.normal(size=(4, 1, depth, width)).astype(np.float16)
        left[:, :, n:], right[:, :, n:] = np.inf, np.nan
        first = np.where(np.arange(rows)[:, None] > 2, left[np.arange(heads) // 2, :, :n].astype(np.float64), 0)
        expected = np.einsum("hij,cje->chie", first, right[:, 0, :n].astype(np.float64))
        for machine in MACHINES:
            self.check(text, machine, [], {"a": left, "v": right}, [f"n={n}"], expected)

    @divided
    def test_bounds(self):
        generator = np.random.default_rng(1)
        i, j = np.arange(M)[:, None], np.arange(N)[None, :]
        for machine in MACHINES:
            for (condition, holds, end), (a, readA, v, readV), n, schedule in pairs(
                    CONDITIONS, OPERANDS, (0, 1, 37), mine(self.schedules(machine))):
                left = generator.normal(size=(M, N)).astype(np.float16)
                right = generator.normal(size=(N, D)).astype(np.float16)
                kept = holds(i, j, n)
                right[end(n):] = np.nan
                right[end(n) + 1::2] = np.inf
                expected = product(left, right, kept)
                left[~kept] = np.nan
                arrays = {"a": left.T.copy() if a.endswith("[N, M]") else left,
                          "v": right.T.copy() if v.endswith("[D, N]") else right}
                with self.subTest(condition=condition, a=a, v=v, n=n, machine=machine, schedule=schedule):
                    self.check(f"kernel k({a}, {v}, n: i32) -> o: f32[M, D] {{\n"
                               f"  o[i, e] = sum[j | {condition}]({readA} * {readV});\n}}\n",
                               machine, schedule, arrays, [f"n={n}"], expected)

    @divided
    def test_batches_of_rows(self):
        """The rows of all batches are one dimension, where they share the other operand, whose columns the
        condition reads; none is left of the columns from N on."""
        generator = np.random.default_rng(6)
        j, e = np.arange(N)[:, None], np.arange(N + D)[None, :]
        for machine in MACHINES:
            for (condition, holds), schedule in pairs((("j <= e && j < 60", (j <= e) & (j < 60)),
                                                       ("j == e", j == e), ("j > e", j > e)),
                                                      mine(self.schedules(machine))):
                left = generator.normal(size=(3, 7, N)).astype(np.float16)
                right = generator.normal(size=(N, N + D)).astype(np.float16)
                expected = left.astype(np.float64) @ np.where(holds, right.astype(np.float64), 0)
                with self.subTest(condition=condition, machine=machine, schedule=schedule):
                    self.check("kernel k(a: f16[B, M, N], v: f16[N, D]) -> o: f32[B, M, D] {\n"
                               f"  o[b, i, e] = sum[j | {condition}](a[b, i, j] * v[j, e]);\n}}\n",
                               machine, schedule, {"a": left, "v": right}, [], expected)

    def test_first_positions(self):
        generator = np.random.default_rng(2)
        i, j = np.arange(M)[:, None], np.arange(N)[None, :]
        for machine in MACHINES:
            for schedule in self.schedules(machine):
                left = generator.normal(size=(M, N)).astype(np.float16)
                right = generator.normal(size=(N, D)).astype(np.float16)
                right[:100] = np.nan
                with self.subTest(machine=machine, schedule=schedule):
                    self.check("kernel k(a: f16[M, N], v: f16[N, D]) -> o: f32[M, D] {\n"
                               "  o[i, e] = sum[j | j >= i + 100](a[i, j] * v[j, e]);\n}\n",
                               machine, schedule, {"a": left, "v": right}, [],
                               product(left, right, j >= i + 100))

    @divided
    def test_lengths(self):
        # Of rows, and of batches that share an operand: each has its own bound.
        generator = np.random.default_rng(3)
        j = np.arange(N)[None, None, :]
        for machine in MACHINES:
            for longest, schedule in pairs((0, 5, 90), mine(self.schedules(machine))):
                left = generator.normal(size=(BATCHES, M, N)).astype(np.float16)
                right = generator.normal(size=(N, D)).astype(np.float16)
                right[longest:] = np.nan
                rows = generator.integers(-2, longest + 1, size=(BATCHES, M)).astype(np.int32)
                for name, lengths, read in (("B, M", rows, "b, i"), ("B", rows[:, 0], "b")):
                    kept = j < lengths.reshape(BATCHES, -1, 1)
                    with self.subTest(lengths=name, longest=longest, machine=machine, schedule=schedule):
                        self.check(
                            f"kernel k(a: f16[B, M, N], v: f16[N, D], l: i32[{name}]) -> o: f32[B, M, D] {{\n"
                            f"  o[b, i, e] = sum[j | j < l[{read}]](a[b, i, j] * v[j, e]);\n}}\n",
                            machine, schedule, {"a": left, "v": right, "l": np.ascontiguousarray(lengths)}, [],
                            product(left, right, np.broadcast_to(kept, left.shape)))

    def test_softmax_in_front(self):
        # Keys behind n are not initialised, and the last rows have no others.
        generator = np.random.default_rng(4)
        i, j = np.arange(M)[:, None], np.arange(N)[None, :]
        text = ("kernel k(q: f16[M, K], k: f16[N, K], v: f16[N, D], n: i32) -> o: f32[M, D] {\n"
                "  let s[i, j] = 0.125 * sum[d](q[i, d] * k[j, d]);\n"
                "  o[i, e] = sum[j | j < n && j <= i + 8](cast<f16>(softmax[j | j < n && j <= i + 8](s[i, j]))"
                " * v[j, e]);\n}\n")
        for machine in MACHINES:
            for n, schedule in pairs((0, 37), (*self.schedules(machine), ["fuse=products"])):
                q, k, v = (generator.normal(size=size).astype(np.float16) for size in ((M, 32), (N, 32), (N, D)))
                kept = (j < n) & (j <= i + 8)
                scores = np.where(kept, 0.125 * (q.astype(np.float64) @ k.astype(np.float64).T), -np.inf)
                weights = np.exp(scores - np.maximum(scores.max(1, keepdims=True), -1e30))
                weights /= np.maximum(weights.sum(1, keepdims=True), 1e-30)
                k[n:], v[n:] = np.inf, np.nan
                with self.subTest(n=n, machine=machine, schedule=schedule):
                    self.check(text, machine, schedule, {"q": q, "k": k, "v": v}, [f"n={n}"],
                               product(weights, v, kept))

    def test_masked_product_in_front(self):
        # What a chain of two products would multiply by 0.
        generator = np.random.default_rng(8)
        a, b, d = (generator.normal(size=size).astype(np.float16) for size in ((40, 90), (90, 64), (64, 16)))
        kept = np.arange(90) < 37
        expected = np.maximum(np.where(kept, a, 0).astype(np.float64) @ b.astype(np.float64), 0)
        expected = expected.astype(np.float16).astype(np.float64) @ d.astype(np.float64)
        a[:, 37:], b[37:] = np.inf, np.nan
        text = ("kernel k(a: f16[M, K], b: f16[K, N], d: f16[N, E], n: i32) -> o: f32[M, E] {\n"
                "  let s[i, j] = sum[k | k < n](a[i, k] * b[k, j]);\n"
                "  o = cast<f16>(relu(s)) @ d;\n}\n")
        for machine in MACHINES:
            with self.subTest(machine=machine):
                self.check(text, machine, [], {"a": a, "b": b, "d": d}, ["n=37"], expected)

    def test_check(self):
        # Behind a bound NaN is wrong; between rows it is right, as is what NumPy has.
        text = ("kernel k(a: f32[M, N], v: f32[N, D]) -> o: f32[M, D] {\n"
                "  o[i, e] = sum[j | j <= i](a[i, j] * v[j, e]);\n}\n")
        (self.folder / "k.mmk").write_text(text)
        for machine in ("ascend910b3", "host"):
            for schedule in (["fuse=all"], ["fuse=none"]):
                for seed in range(3):
                    with self.subTest(machine=machine, schedule=schedule, seed=seed):
                        self.mmk("run", "k.mmk", "M=60", "N=90", "D=20", "--data", "special", "--seed", seed,
                                 "--machine", machine, *sets(schedule))


if __name__ == "__main__":
    main()
