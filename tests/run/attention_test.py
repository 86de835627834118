"""Attention in its forms, compared with NumPy on three machines. How its products and reductions are
fused is left open."""

import numpy as np

from command import CommandTest, main

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
              scalars=(), group=1, dims=None, model=None, name="", lse=False, tolerance=None):
        """`condition` of the reductions over j, `score` from s = scale * q * k, `weight` from the
        result of the softmax; `model(s, place)` gives in NumPy the scores, the condition and what
        the weights are multiplied with."""
        dims = {"B": 2, "H": 4, "M": 33, "N": 70, "D": 64, "E": 64, **(dims or {})}
        heads = dims["H"] // group
        where = f" | {condition}" if condition else ""
        k = "k[b, h / group, j, d]" if group > 1 else "k[b, h, j, d]"
        v = "v[b, h / group, j, e]" if group > 1 else "v[b, h, j, e]"
        logsum = "-> o: {0}[B, H, M, E]".format(type) + (", l: f32[B, H, M]" if lse else "")
        text = f"""
kernel attention(q: {type}[B, H, M, D], k: {type}[B, G, N, D], v: {type}[B, G, N, E],
                 group: int = {group}, scale: f32 = 0.125{extra}) {logsum} {{
  require H == G * group;
  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * {k});
  let t[b, h, i, j] = {score};
  let p[b, h, i, j] = softmax[j{where}](t[b, h, i, j]);
  o[b, h, i, e] = sum[j{where}](cast<{type}>({weight}) * {v});
  {f"l[b, h, i] = logsumexp[j{where}](t[b, h, i, j]);" if lse else ""}
}}
"""
        text = text.replace("k[b, h,", "k[b, h,") if group > 1 else text.replace(
            "[B, G, N,", "[B, H, N,").replace("  require H == G * group;\n", "").replace(
            f"group: int = {group}, ", "")
        (self.folder / "k.mmk").write_text(text)
        generator = np.random.default_rng(7)
        values = {name: rounded(generator.uniform(-1, 1, shape), type) for name, shape in (
            ("q", (dims["B"], dims["H"], dims["M"], dims["D"])),
            ("k", (dims["B"], heads, dims["N"], dims["D"])),
            ("v", (dims["B"], heads, dims["N"], dims["E"])))}
        inputs = {name: stored(x, type) for name, x in values.items()}
        inputs.update(arrays or {})
        words = [f"{name}={extent}" for name, extent in dims.items() if name != "G"]
        words += ([f"G={heads}"] if group > 1 else []) + list(scalars)
        for name_, array in inputs.items():
            np.save(self.folder / f"{name_}.npy", array)
            words += ["--input", f"{name_}={name_}.npy"]
        place = np.ogrid[tuple(slice(dims[x]) for x in "BHMN")]
        k64, v64 = (np.repeat(values[x].astype(np.float64), group, axis=1) for x in "kv")
        s = 0.125 * values["q"].astype(np.float64) @ k64.swapaxes(2, 3)
        t, keep, factor = (model or (lambda s, place: (s, True, 1)))(s, place)
        keep = np.broadcast_to(keep, s.shape)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            top = np.where(keep, t, -np.inf).max(3, keepdims=True)
            e = np.exp(np.where(keep, t, -np.inf) - top)
            total = e.sum(3, keepdims=True)
            p = np.where(keep, e / total, 0)
            expected = np.where(keep, p * factor, 0) @ v64
            expectedL = (top + np.log(total))[..., 0]
        atol = tolerance or {"f16": 2e-3, "bf16": 1.5e-2, "f32": 2e-4}[type]
        for machine in (machine for machine, types in MACHINES.items() if type in types):
            with self.subTest(form=name, machine=machine, type=type, dims=dims, group=group):
                outputs = ["--output", "o=o.npy"] + (["--output", "l=l.npy"] if lse else [])
                self.mmk("run", "k.mmk", "--machine", machine, *words, *outputs)
                found = loaded(np.load(self.folder / "o.npy"), type)
                np.testing.assert_allclose(found, expected, atol=atol)
                if lse:
                    np.testing.assert_allclose(np.load(self.folder / "l.npy"), expectedL, atol=1e-3)

    @staticmethod
    def causal(s, place):
        b, h, i, j = place
        return s, j <= i + s.shape[3] - s.shape[2], 1

    def test_full(self):
        for type in ("f16", "bf16", "f32"):
            self.check(type, name="full")
        for shape in ((1, 1, 40), (17, 127, 80), (1, 1000, 96), (127, 17, 128), (5, 33, 256)):
            m, n, d = shape
            self.check(name="full", dims={"B": 1, "H": 2, "M": m, "N": n, "D": d, "E": d})
        self.check(name="full", dims={"D": 40, "E": 24})

    CAUSAL = "j <= i + N - M"

    def test_causal(self):
        for type in ("f16", "bf16", "f32"):
            self.check(type, self.CAUSAL, name="causal", model=self.causal)
        for m, n, d, e in ((1, 1, 64, 64), (17, 17, 40, 40), (127, 127, 80, 32), (1, 127, 96, 96),
                           (130, 1000, 128, 128)):
            self.check("f16", self.CAUSAL, name="causal", model=self.causal,
                       dims={"B": 1, "H": 2, "M": m, "N": n, "D": d, "E": e})

    def test_sliding_window(self):
        def model(s, place):
            b, h, i, j = place
            at = i + s.shape[3] - s.shape[2]
            return s, (j <= at) & (j > at - 20), 1
        where = self.CAUSAL + " && j > i + N - M - W"
        self.check("f16", where, extra=", W: int = 20", name="window", model=model)
        self.check("f16", where, extra=", W: i32", scalars=["W=20"], name="window", model=model)

    def test_grouped_heads(self):
        self.check(group=4, name="multi-query")
        self.check("bf16", self.CAUSAL, group=2, name="grouped", model=self.causal)
        self.check("f32", self.CAUSAL, group=2, name="grouped", model=self.causal)

    def test_lengths(self):
        length = np.array([0, 70, 13, -4, 1], np.int32)
        dims = {"B": 5, "H": 2}
        def model(s, place):
            return s, place[3] < length[:, None, None, None], 1
        for group in (1, 2):
            self.check("f16", "j < length[b]", extra=", length: i32[B]", arrays={"length": length},
                       dims=dims, group=group, name="lengths", model=model)
        def both(s, place):
            b, h, i, j = place
            n = length[:, None, None, None]
            return s, (j < n) & (j <= i + n - s.shape[2]), 1
        self.check("f16", "j < length[b] && j <= i + length[b] - M", extra=", length: i32[B]",
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
        self.check(score="cap * tanh(s[b, h, i, j] / cap)", extra=", cap: f32 = 0.5", name="cap",
                   model=lambda s, place: (0.5 * np.tanh(s / 0.5), True, 1))
        self.check(name="logsumexp", lse=True)
        self.check("f16", self.CAUSAL, name="causal logsumexp", lse=True, model=self.causal,
                   dims={"M": 17, "N": 127})

    def test_dropout(self):
        def model(s, place):
            numbers = uniform(np.arange(s.size), 42).reshape(s.shape)
            return s, True, np.where(numbers < np.float32(0.3), 0, 1 / (1 - 0.3))
        self.check(weight="dropout[b, h, i, j](p[b, h, i, j], 0.3, seed)", extra=", seed: i32",
                   scalars=["seed=42"], name="dropout", model=model)


if __name__ == "__main__":
    main()
