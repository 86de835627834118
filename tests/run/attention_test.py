"""Attention in its forms, compared with NumPy on three machines. How its products and reductions are
fused is left open."""

import numpy as np

from command import ALL, CommandTest, main

MACHINES = {"ascend910b3": ("f16", "bf16", "f32"), "ascend310p3": ("f16",),
            "host": ("f16", "bf16", "f32")}


def rounded(x, type):
    """The values of x in an element type."""
    if type == "bf16":
        bits = np.asarray(x, np.float32).view(np.uint32)
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return bits.astype(np.uint32).view(np.float32)
    return np.asarray(x, {"f16": np.float16, "f32": np.float32}[type]).astype(np.float32)


def stored(x, type):
    """As a .npy file has them."""
    if type == "bf16":
        return (rounded(x, type).view(np.uint32) >> 16).astype(np.uint16)
    return np.asarray(x).astype({"f16": np.float16, "f32": np.float32}[type])


def loaded(x, type):
    return (x.astype(np.uint32) << 16).view(np.float32) if type == "bf16" else x.astype(np.float32)


def uniform(position, seed):
    """The numbers of `random`: Philox4x32-10 of the place."""
    position = position.astype(np.uint64)
    low = np.uint64(0xFFFFFFFF)
    counter = [position // 4 & low, position // 4 >> np.uint64(32),
               np.zeros_like(position), np.zeros_like(position)]
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(0)]
    for _ in range(10):
        first, second = counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)
        counter = [second >> np.uint64(32) ^ counter[1] ^ key[0], second & low,
                   first >> np.uint64(32) ^ counter[3] ^ key[1], first & low]
        key = [key[0] + np.uint64(0x9E3779B9) & low, key[1] + np.uint64(0xBB67AE85) & low]
    word = np.choose((position % 4).astype(np.int64), counter)
    return (word >> np.uint64(8)).astype(np.float64) * 2.0**-24


class Attention(CommandTest):
    """A form is the text of a kernel, and what its arguments do in NumPy."""

    def check(self, type="f16", condition="", score="s[b, h, i, j]", weight="p[b, h, i, j]", extra="", arrays=None,
              scalars=(), group=1, dims=None, model=None, name="", lse=False, mutate=None,
              choices=(), machines=MACHINES):
        """`condition` of the reductions over j, `score` from s = scale * q * k, `weight` from the
        result of the softmax; `model(s, place)` gives in NumPy the scores, the condition and what
        the weights are multiplied with. `mutate` changes inputs where nothing reads them."""
        dims = {"B": 2, "H": 4, "M": 33, "N": 70, "D": 64, "E": 64, **(dims or {})}
        heads = dims["H"] // group
        where = f" | {condition}" if condition else ""
        # Without groups, a head has keys and values of its own.
        heads_, head, int_, require = ("H", "h", "", "") if group == 1 else (
            "G", "h / group", f"group: int = {group}, ", "require H == G * group;")
        text = f"""
kernel attention(q: {type}[B, H, M, D], k: {type}[B, {heads_}, N, D], v: {type}[B, {heads_}, N, E],
                 {int_}scale: f32 = 0.125{extra})
    -> o: {type}[B, H, M, E]{", l: f32[B, H, M]" if lse else ""} {{
  {require}
  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * k[b, {head}, j, d]);
  let t[b, h, i, j] = {score};
  let p[b, h, i, j] = softmax[j{where}](t[b, h, i, j]);
  o[b, h, i, e] = sum[j{where}](cast<{type}>({weight}) * v[b, {head}, j, e]);
  {f"l[b, h, i] = logsumexp[j{where}](t[b, h, i, j]);" if lse else ""}
}}
"""
        (self.folder / "k.mmk").write_text(text)
        generator = np.random.default_rng(7)
        values = {name: rounded(generator.uniform(-1, 1, shape), type) for name, shape in (
            ("q", (dims["B"], dims["H"], dims["M"], dims["D"])),
            ("k", (dims["B"], heads, dims["N"], dims["D"])),
            ("v", (dims["B"], heads, dims["N"], dims["E"])))}
        inputs = {name: stored(x, type) for name, x in values.items()}
        if mutate:
            mutate(inputs)
        inputs.update(arrays or {})
        words = [f"{name}={extent}" for name, extent in dims.items()]
        words += ([f"G={heads}"] if group > 1 else []) + list(scalars)
        for each, array in inputs.items():
            np.save(self.folder / f"{each}.npy", array)
            words += ["--input", f"{each}={each}.npy"]
        place = np.ogrid[tuple(slice(dims[x]) for x in "BHMN")]
        k64, v64 = (np.repeat(values[x].astype(np.float64), group, axis=1) for x in "kv")
        expected, expectedL = self.evaluate(values["q"].astype(np.float64), k64, v64, place,
                                            model or (lambda s, place: (s, True, 1)))
        atol = {"f16": 2e-3, "bf16": 1.5e-2, "f32": 2e-4}[type]
        for machine in (machine for machine, types in machines.items() if type in types):
            with self.subTest(form=name, machine=machine, type=type, dims=dims, group=group):
                outputs = ["--output", "o=o.npy"] + (["--output", "l=l.npy"] if lse else [])
                self.mmk("run", "k.mmk", "--machine", machine, *words, *outputs, *choices)
                found = loaded(np.load(self.folder / "o.npy"), type)
                np.testing.assert_allclose(found, expected, atol=atol)
                if lse:
                    np.testing.assert_allclose(np.load(self.folder / "l.npy"), expectedL, atol=1e-3)

    turn = 0

    def sample(self, type="f16", *arguments, **options):
        """The same on one machine, on each in turn: attention_pairs has every two of these settings together."""
        legal = [machine for machine, types in MACHINES.items() if type in types]
        if not ALL:
            legal = [legal[self.turn % len(legal)]]
            self.turn += 1
        self.check(type, *arguments, machines={machine: (type,) for machine in legal}, **options)

    @staticmethod
    def evaluate(q, k, v, place, model):
        """The result and the log-sum-exp, in double."""
        s = 0.125 * q @ k.swapaxes(2, 3)
        t, keep, factor = model(s, place)
        keep = np.broadcast_to(keep, s.shape)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            top = np.where(keep, t, -np.inf).max(3, keepdims=True)
            e = np.exp(np.where(keep, t, -np.inf) - top)
            total = e.sum(3, keepdims=True)
            p = np.where(keep, e / total, 0)
            o = np.where(keep, p * factor, 0) @ v
            return o, np.where(keep.any(3), (top + np.log(total))[..., 0], -np.inf)

    @staticmethod
    def causal(s, place):
        b, h, i, j = place
        return s, j <= i + s.shape[3] - s.shape[2], 1

    def test_full(self):
        for type in ("f16", "bf16", "f32"):
            self.sample(type, name="full")
        for shape in ((1, 1, 40), (17, 127, 80), (1, 1000, 96), (127, 17, 128), (5, 33, 256)):
            m, n, d = shape
            self.sample(name="full", dims={"B": 1, "H": 2, "M": m, "N": n, "D": d, "E": d})
        self.sample(name="full", dims={"D": 40, "E": 24})

    CAUSAL = "j <= i + N - M"

    def test_causal(self):
        for type in ("f16", "bf16", "f32"):
            self.sample(type, self.CAUSAL, name="causal", model=self.causal)
        for m, n, d, e in ((1, 1, 64, 64), (17, 17, 40, 40), (127, 127, 80, 32), (1, 127, 96, 96),
                           (130, 1000, 128, 128)):
            self.sample("f16", self.CAUSAL, name="causal", model=self.causal,
                       dims={"B": 1, "H": 2, "M": m, "N": n, "D": d, "E": e})

    def test_long_heads(self):
        """The depth of the first product is the width of the second, beyond one instruction of the cube."""
        cores = [machine for machine in MACHINES if machine != "host"]
        for machine in cores:
            self.check("f16", self.CAUSAL, name="long heads", model=self.causal, machines={machine: ("f16",)},
                       dims={"B": 1, "H": 1, "M": 70, "N": 200, "D": 200, "E": 200},
                       choices=["--set", "fuse=products", "--watch"])
        for machine in cores:
            for d in (192, 256):
                with self.subTest(machine=machine, d=d):
                    (report,) = self.report("examples/attention/attention_causal.mmk", "--machine", machine, "B=2",
                                            "H=8", "M=1024", "N=1024", f"D={d}", "--count-only")
                    self.assertIn("fuse=products", report["variant"])

    def test_sliding_window(self):
        def model(s, place):
            b, h, i, j = place
            at = i + s.shape[3] - s.shape[2]
            return s, (j <= at) & (j > at - 20), 1
        where = self.CAUSAL + " && j > i + N - M - W"
        self.check("f16", where, extra=", W: int = 20", name="window", model=model)
        self.check("f16", where, extra=", W: i32", scalars=["W=20"], name="window", model=model)

    def test_grouped_heads(self):
        self.sample(group=4, name="multi-query")
        self.sample("bf16", self.CAUSAL, group=2, name="grouped", model=self.causal)
        self.sample("f32", self.CAUSAL, group=2, name="grouped", model=self.causal)

    def test_lengths(self):
        length = np.array([0, 70, 13, -4, 1], np.int32)
        dims = {"B": 5, "H": 2}
        def model(s, place):
            return s, place[3] < length[:, None, None, None], 1
        for group in (1, 2):
            self.sample("f16", "j < length[b]", extra=", length: i32[B]", arrays={"length": length},
                       dims=dims, group=group, name="lengths", model=model)
        def both(s, place):
            b, h, i, j = place
            n = length[:, None, None, None]
            return s, (j < n) & (j <= i + n - s.shape[2]), 1
        self.sample("f16", "j < length[b] && j <= i + length[b] - M", extra=", length: i32[B]",
                   arrays={"length": length}, dims=dims, name="causal lengths", model=both)

    def test_masks_and_biases(self):
        generator = np.random.default_rng(3)
        bias = generator.uniform(-1, 1, (4, 33, 70)).astype(np.float32)
        self.check(score="s[b, h, i, j] + bias[h, i, j]", extra=", bias: f32[H, M, N]",
                   arrays={"bias": bias}, name="bias", model=lambda s, place: (s + bias, True, 1))
        mask = (generator.random((2, 70)) < 0.7).astype(np.int8)
        keep = mask[:, None, None, :] != 0
        self.check(score="select(mask[b, j] != 0, s[b, h, i, j], -inf)", extra=", mask: i8[B, N]",
                   arrays={"mask": mask}, name="mask", model=lambda s, place: (s, keep, 1))
        self.check("f16", "mask[b, j] != 0", extra=", mask: i8[B, N]", arrays={"mask": mask},
                   name="mask as condition", model=lambda s, place: (s, keep, 1))
        slopes = np.array([0.5, 0.25, 0.125, 0.0625], np.float32)
        self.check("f16", self.CAUSAL, score="s[b, h, i, j] + slopes[h] * (j - i)",
                   extra=", slopes: f32[H]", arrays={"slopes": slopes}, name="alibi",
                   model=lambda s, place: (s + slopes[:, None, None] * (place[3] - place[2]),
                                           self.causal(s, place)[1], 1))

    def test_soft_cap_and_logsumexp(self):
        self.sample(score="cap * tanh(s[b, h, i, j] / cap)", extra=", cap: f32 = 0.5", name="cap",
                   model=lambda s, place: (0.5 * np.tanh(s / 0.5), True, 1))
        self.sample(name="logsumexp", lse=True)
        self.sample("f16", self.CAUSAL, name="causal logsumexp", lse=True, model=self.causal,
                   dims={"M": 17, "N": 127})

    def test_dropout(self):
        def model(s, place):
            numbers = uniform(np.arange(s.size), 42).reshape(s.shape)
            return s, True, np.where(numbers < np.float32(0.3), 0, 1 / (1 - 0.3))
        self.check(weight="dropout[b, h, i, j](p[b, h, i, j], 0.3, seed)", extra=", seed: i32",
                   scalars=["seed=42"], name="dropout", model=model)

    def test_what_is_excluded_is_not_read(self):
        length = np.array([0, 70, 13, 33, 1], np.int32)
        # Of bf16 a dot product takes pairs of keys, of which odd lengths leave one.
        for type, nan, inf in (("f16", np.nan, np.inf), ("bf16", 0x7fc0, 0x7f80)):
            def mutate(inputs):
                for b, n in enumerate(length):
                    inputs["k"][b, :, n:] = nan
                    inputs["v"][b, :, n:] = inf
            self.check(type, "j < length[b]", extra=", length: i32[B]", arrays={"length": length},
                       dims={"B": 5, "H": 2}, name="lengths", mutate=mutate,
                       model=lambda s, place: (np.nan_to_num(s), place[3] < length[:, None, None, None], 1))

    def test_what_is_included_is_read(self):
        """Beside infinities of v, also with weights of -0: of pairs of keys, too, which an odd bound ends."""
        text = """kernel k(q: bf16[M, K], c: bf16[N, K], v: bf16[N, E], n: i32) -> o: f32[M, E] {
  let s[i, j] = sum[d](q[i, d] * c[j, d]);
  let w[i, j] = cast<bf16>(-relu(s[i, j]));
  o[i, e] = sum[j | j < n](w[i, j] * v[j, e]);
}
"""
        (self.folder / "k.mmk").write_text(text)
        generator = np.random.default_rng(11)
        q, c, v = (rounded(generator.uniform(-1, 1, size), "bf16") for size in ((64, 32), (200, 32), (200, 16)))
        v[3] = np.inf
        for name, array in (("q", q), ("c", c), ("v", v)):
            np.save(self.folder / f"{name}.npy", stored(array, "bf16"))
        for n in (36, 37, 38):
            with self.subTest(n=n):
                words = [word for name in "qcv" for word in ("--input", f"{name}={name}.npy")]
                self.mmk("run", "k.mmk", f"n={n}", "--machine", "host", "--set", "fuse=products", *words,
                         "--output", "o=o.npy")
                weights = q.astype(np.float64) @ c.T.astype(np.float64) > 0
                found = np.load(self.folder / "o.npy")
                self.assertTrue(np.isnan(found[~weights[:, 3]]).all())
                self.assertTrue((found[weights[:, 3]] == -np.inf).all())

    def test_a_row_of_minus_infinity_has_weights_of_zero(self):
        # The first rows see keys of -inf alone; the quotient as written is NaN there.
        bias = np.zeros(70, np.float32)
        bias[:10] = -np.inf
        safe = ("let m[i] = max[j | j <= i](s[i, j]); let g[i] = select({below}, {values});"
                "let p[i, j] = exp(s[i, j] - g[i]); let t[i] = sum[j | j <= i](p[i, j]);"
                "let w[i, j] = p[i, j] / select(t[i] == 0, 1, t[i]);")
        forms = {
            "softmax": ("let w[i, j] = softmax[j | j <= i](s[i, j]);", 0),
            "safe": (safe.format(below="m[i] == -inf", values="0, m[i]"), 0),
            "safe, the other way": (safe.format(below="m[i] != -inf", values="m[i], 0"), 0),
            "safe below a number": (safe.format(below="m[i] < -30000", values="0, m[i]"), 0),
            "quotient": ("let m[i] = max[j | j <= i](s[i, j]); let p[i, j] = exp(s[i, j] - m[i]);"
                         "let w[i, j] = p[i, j] / sum[n | n <= i](exp(s[i, n] - m[i]));", np.nan),
        }
        generator = np.random.default_rng(5)
        q, k, v = (generator.uniform(-1, 1, (n, 64)).astype(np.float16) for n in (70, 70, 70))
        s = 0.125 * (q.astype(np.float64) @ k.T.astype(np.float64)) + bias
        s = np.where(np.tri(70, dtype=bool), s, -np.inf)[10:]
        e = np.exp(s - s.max(1, keepdims=True))
        rest = e / e.sum(1, keepdims=True) @ v.astype(np.float64)
        inputs = dict(q=q, k=k, v=v, bias=bias)
        words = []
        for name, array in inputs.items():
            np.save(self.folder / f"{name}.npy", array)
            words += ["--input", f"{name}={name}.npy"]
        for name, (text, none) in forms.items():
            (self.folder / "k.mmk").write_text(
                "kernel k(q: f16[M, D], k: f16[N, D], v: f16[N, D], bias: f32[N]) -> o: f32[M, D] {\n"
                "  let s[i, j] = 0.125 * sum[d](q[i, d] * k[j, d]) + bias[j];\n"
                f"  {text}\n  o[i, e] = sum[j | j <= i](cast<f16>(w[i, j]) * v[j, e]);\n}}\n")
            for machine in ("ascend910b3", "ascend310p3", "ascend950pr", "host"):
                for choices in ("", "fuse=products", "fuse=products grid.N=2", "fuse=all"):
                    with self.subTest(form=name, machine=machine, choices=choices):
                        options = [word for each in choices.split() for word in ("--set", each)]
                        self.mmk("run", "k.mmk", "--machine", machine, *words, *options, "--output", "o=o.npy")
                        found = np.load(self.folder / "o.npy")
                        np.testing.assert_array_equal(found[:10], np.full((10, 64), none, np.float32))
                        np.testing.assert_allclose(found[10:], rest, atol=2e-3)

    def test_stages_of_a_dimension_in_two_roles(self):
        # N is the columns of one product, in multiples of 16, and the depth of the other, of 8.
        self.check("f32", dims={"B": 1, "H": 2, "M": 16, "N": 400, "D": 128}, name="rows",
                   choices=("--set", "fuse=rows"), machines={"ascend910b3": ("f32",)})

    def test_divided_columns(self):
        # Parts of the keys are computed by different cores. Some are ragged, some empty.
        def divided(parts, *more):
            return ("--set", "fuse=products", "--set", f"grid.N={parts}", "--set", "tile.N=32", *more)
        few = {"B": 2, "H": 4, "M": 1}
        for parts, n in ((2, 70), (3, 1000), (5, 129), (24, 300), (7, 33)):
            self.sample(name="divided", dims={**few, "N": n}, choices=divided(parts, "--watch"), lse=True)
        self.sample("bf16", self.CAUSAL, group=2, name="divided causal", model=self.causal,
                   dims={**few, "M": 17, "N": 200}, choices=divided(4))
        self.check("f32", self.CAUSAL, name="divided causal, rows without columns", model=self.causal,
                   dims={**few, "M": 40, "N": 33}, choices=divided(2))
        length = np.array([0, 70, 13, -4, 1], np.int32)
        self.sample("f16", "j < length[b]", extra=", length: i32[B]", arrays={"length": length}, lse=True,
                   dims={"B": 5, "H": 2, "M": 3}, name="divided lengths", choices=divided(3, "--watch"),
                   model=lambda s, place: (s, place[3] < length[:, None, None, None], 1))
        def window(s, place):
            b, h, i, j = place
            at = i + s.shape[3] - s.shape[2]
            return s, (j <= at) & (j > at - 20), 1
        self.sample("f16", self.CAUSAL + " && j > i + N - M - 20", name="divided window", model=window,
                   dims={**few, "M": 5, "N": 300}, choices=divided(6))
        generator = np.random.default_rng(4)
        bias = generator.uniform(-1, 1, (4, 33, 70)).astype(np.float32)
        self.sample(score="cap * tanh(s[b, h, i, j] / cap) + bias[h, i, j]", choices=divided(2),
                   extra=", bias: f32[H, M, N], cap: f32 = 0.5", arrays={"bias": bias}, name="divided bias",
                   model=lambda s, place: (0.5 * np.tanh(s / 0.5) + bias, True, 1))
        def dropped(s, place):
            numbers = uniform(np.arange(s.size), 42).reshape(s.shape)
            return s, True, np.where(numbers < np.float32(0.3), 0, 1 / (1 - 0.3))
        self.check(weight="dropout[b, h, i, j](p[b, h, i, j], 0.3, seed)", extra=", seed: i32",
                   scalars=["seed=42"], name="divided dropout", model=dropped, choices=divided(2))

    # What rescales sums while a maximum grows takes the same forms where rows are divided: 0 where a
    # condition holds, a rounding before the sum, and a factor of the exponential. `run` compares.
    def test_divided_forms(self):
        product = """
kernel k(q: f16[B, M, D], k: f16[B, N, D], v: f16[B, N, E], drop: i32[B, N], scale: f32 = 0.125)
    -> o: f16[B, M, E] {{
  let s[b, i, j] = scale * sum[d](q[b, i, d] * k[b, j, d]);
  let m[b, i] = max[j](s[b, i, j]);
  let p[b, i, j] = {weights};
  let t[b, i] = sum[j](cast<f32>(p[b, i, j]));
  o[b, i, e] = sum[j](cast<f16>(p[b, i, j]{divided}) * v[b, j, e]){total};
  schedule {{ fuse = products; }}
}}
"""
        chosen = "select(drop[b, j] > 0, 0, exp(s[b, i, j] - m[b, i]))"
        rows = """
kernel k(x: f32[M, N], drop: i32[N]) -> t: f32[M] {
  let m[i] = max[j](x[i, j]);
  t[i] = sum[j](select(drop[j] > 0, 0, 2.0 * exp(x[i, j] - m[i])));
  schedule { reduce = online; }
}
"""
        dims = ("B=2", "M=3", "N=700", "D=64", "E=64")
        for name, text, extents in (
            ("zero where true", product.format(weights=chosen, divided=" / t[b, i]", total=""), dims),
            ("rounded", product.format(weights=f"cast<f16>({chosen})", divided="", total=" / t[b, i]"), dims),
            ("rows", rows, ("M=20", "N=700"))):
            (self.folder / "k.mmk").write_text(text)
            for machine in MACHINES:
                with self.subTest(form=name, machine=machine):
                    self.mmk("run", "k.mmk", "--machine", machine, "--set", "grid.N=4", *extents)

    def test_every_chip(self):
        chips = {f"ascend910b{i}": ("f16",) for i in (1, 2, 4)}
        self.check("f16", self.CAUSAL, group=2, name="causal", model=self.causal, machines=chips)

    # The rings between the cores have the size of a tile: no tensor of M x N is held, and what
    # passes through global memory is proportional to the rows, and linear in the columns.
    def test_memory_is_linear(self):
        words = ("examples/attention/attention.mmk", "--machine", "ascend910b2", "--variant",
                 "cores=24,tile=128x256x128x128,stage.D=128,stage.N=256,l1=2,l0=2,acc=2,out=2,ub=2,"
                 "skew=stages,order=rows,preload=2,fuse=products")
        self.assertNotIn("aicore.workspace", self.mmk("compile", *words))

        def bytes(m, n):
            return self.report(*words, "B=1", "H=1", f"M={m}", f"N={n}", "D=128", "E=128",
                               "--count-only")[0]["clock"]["global_bytes"]
        of_columns = [bytes(1024, n) for n in (1024, 2048, 3072, 8192)]
        step = of_columns[1] - of_columns[0]
        self.assertEqual(of_columns, [of_columns[0] + step * k for k in (0, 1, 2, 7)])
        self.assertEqual([bytes(m, 1024) for m in (2048, 8192)], [of_columns[0] * k for k in (2, 8)])


class OtherBatches(CommandTest):
    """Products of matrices that lie in other batches than those of the result."""

    def run_kernel(self, text, machine, **arrays):
        (self.folder / "k.mmk").write_text(text)
        words = []
        for name, array in arrays.items():
            np.save(self.folder / f"{name}.npy", array)
            words += ["--input", f"{name}={name}.npy"]
        self.mmk("run", "k.mmk", "--machine", machine, *(each for each in ("B=3", "C=7", "M=33", "K=40", "N=65")
                   if f"dim {each[0]}" not in text and (each != "C=7" or "[C" in text)), *words,
                 "--output", "y=y.npy")
        return np.load(self.folder / "y.npy")

    def test_computed_batches(self):
        generator = np.random.default_rng(11)
        x = generator.integers(-4, 5, (3, 33, 40)).astype(np.float16)
        w = generator.integers(-4, 5, (7, 40, 65)).astype(np.float16)
        b = np.arange(3)
        for index, place in (("2*b", 2 * b), ("b + 1", b + 1), ("(b + 1) / 2", (b + 1) // 2),
                             ("C - 1 - 2*b", 6 - 2 * b), ("b % 2", b % 2), ("5", 0 * b + 5)):
            for machine in MACHINES:
                for form in ("[C, K, N]", "[C, N, K]", "const", "computed"):
                    with self.subTest(index=index, machine=machine, form=form):
                        k, n = ("n", "k") if form == "[C, N, K]" else ("k", "n")
                        shape = "[C, N, K]" if form == "[C, N, K]" else "[C, K, N]"
                        source = "v" if form == "computed" else "w"
                        found = self.run_kernel(
                            f"""kernel k(x: f16[B, M, K], w: {"const " if form == "const" else ""}f16{shape})
    -> y: f32[B, M, N] {{
  {"let v[c, k, n] = cast<f16>(2 * w[c, k, n]);" if form == "computed" else ""}
  y[b, m, n] = sum[k](x[b, m, k] * {source}[{index}, {k}, {n}]);
}}
""", machine, x=x, w=w.swapaxes(1, 2).copy() if form == "[C, N, K]" else w)
                        factor = 2 if form == "computed" else 1
                        np.testing.assert_array_equal(
                            found, x.astype(np.float32) @ (factor * w[place].astype(np.float32)))

    def test_batches_of_both_under_a_condition(self):
        generator = np.random.default_rng(12)
        x = generator.integers(-4, 5, (7, 33, 40)).astype(np.float16)
        w = generator.integers(-4, 5, (7, 40, 65)).astype(np.float16)
        b, (m, k) = np.arange(3), np.indices((33, 40))
        for machine in MACHINES:
            with self.subTest(machine=machine):
                found = self.run_kernel("""kernel k(x: f16[C, M, K], w: f16[C, K, N]) -> y: f32[B, M, N] {
  dim B = C / 2;
  y[b, m, n] = sum[k | k >= m](x[2*b, m, k] * w[b + 1, k, n]);
}
""", machine, x=x, w=w)
                np.testing.assert_array_equal(
                    found, np.where(k >= m, x[2 * b], 0).astype(np.float32) @ w[b + 1].astype(np.float32))

    def test_heads_between_rows_and_columns(self):
        generator = np.random.default_rng(13)
        q, k, v = (generator.uniform(-1, 1, shape).astype(np.float16)
                   for shape in ((3, 33, 4, 40), (3, 65, 2, 40), (3, 65, 2, 40)))
        for machine in MACHINES:
            with self.subTest(machine=machine):
                found = self.run_kernel("""kernel k(q: f16[B, M, 4, K], k: f16[B, N, 2, K],
    v: f16[B, N, 2, K]) -> y: f16[B, M, 4, K] {
  let s[b, h: 4, i, j] = sum[d](q[b, i, h, d] * k[b, j, h / 2, d]);
  y[b, i, h, d] = sum[j](cast<f16>(softmax[j](s[b, h, i, j])) * v[b, j, h / 2, d]);
}
""", machine, q=q, k=k, v=v)
                k64, v64 = (np.repeat(x.astype(np.float64), 2, axis=2) for x in (k, v))
                e = np.exp(np.einsum("bihd,bjhd->bhij", q.astype(np.float64), k64))
                np.testing.assert_allclose(
                    found, np.einsum("bhij,bjhd->bihd", e / e.sum(3, keepdims=True), v64), atol=2e-3)

    def test_outside(self):
        (self.folder / "k.mmk").write_text("""kernel k(q: f16[H, M, D], k: f16[G, N, D]) -> s: f32[H, M, N] {
  s[h, i, j] = sum[d](q[h, i, d] * k[h / 4, j, d]);
}
""")
        self.mmk("run", "k.mmk", "H=9", "G=2", "M=3", "N=4", "D=5", exit=2)
        self.assertEqual(self.said, "error: this case: 'k' requires (H - 1) / 4 < G (for the index "
                                    "h / 4 of 'k'), found (9 - 1) / 4 < 2\n")


if __name__ == "__main__":
    main()
