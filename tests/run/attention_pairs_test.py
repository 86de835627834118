"""Attention and its gradients in random combinations of their settings, so that any two values of two
settings occur together, on every machine, compared with PyTorch in double.

    MMK_SEED=NUMBER attention_pairs_test.py     other combinations
"""

import itertools
import os
import random
import re

import numpy as np
import torch

import attention_test as forms
from command import ALL, EXAMPLES, CommandTest, divided, main, mine
from rows_test import bf16, wide

# 1000 has as many tiles as any mechanism distinguishes.
LONG = (4097,) if ALL else ()
SETTINGS = {
    "type": ("f16", "bf16", "f32"),
    "queries": (1, 17, 127, 1000, *LONG),
    "keys": (1, 17, 127, 1000, *LONG),
    "depth": (16, 40, 64, 128),
    "width": (24, 64, 128),
    "heads": ((1, 1), (4, 4), (4, 2), (6, 1)),  # of queries, of keys
    "condition": ("none", "causal", "window", "lengths", "causal lengths"),
    "score": ("plain", "bias", "mask", "alibi", "cap"),
    "lse": (False, True),
    "machine": ("ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4", "ascend310p3", "host"),
    "fuse": ("open", "products", "divided", "all"),
    "watch": (False, True),
}
GRADIENT_SETTINGS = {
    **{name: SETTINGS[name] for name in ("type", "queries", "keys", "machine", "watch")},
    "kernel": ("dq", "dkv"),
    "depth": (16, 40, 64, 128, 256),
    "heads": ((1, 1), (3, 3)),
    "condition": ("none", "causal", "window"),
    "fuse": ("open", "products", "all"),
}
# Multiplications of a run, and of a watched one.
MOST, MOST_WATCHED = 7e8, 2e7
WINDOW = 20


def is_legal(case):
    if case["machine"] == "ascend310p3" and case["type"] != "f16":
        return False
    heads, queries, keys = case["heads"][0], case["queries"], case["keys"]
    # L0C and L1 have no room for the parts of a gradient's loop.
    is_large = "kernel" in case and (case["depth"] > 128 or case["type"] == "f32")
    if is_large and case["machine"] != "host" and case["fuse"] == "products":
        return False
    work = heads * queries * keys * (case["depth"] + case.get("width", 3 * case["depth"]))
    return work <= (MOST_WATCHED if case["watch"] else MOST)


def pairs_of(case):
    return {((x, case[x]), (y, case[y])) for x, y in itertools.combinations(case, 2)}


def combinations(generator, settings=SETTINGS):
    """Legal combinations in which all pairs occur that occur in a legal one: each is the best of a few at
    random that have a pair which is left."""
    left = set()
    for x, y in itertools.combinations(settings, 2):
        left |= {((x, a), (y, b)) for a in settings[x] for b in settings[y]}
    def drawn(pair):
        for _ in range(200):
            case = {name: generator.choice(values) for name, values in settings.items()}
            case.update(dict(pair))
            if is_legal(case):
                return case
        return None
    while left:
        pair = generator.choice(sorted(left, key=repr))
        cases = [case for case in (drawn(pair) for _ in range(30)) if case]
        if not cases:  # no legal case has it
            left.remove(pair)
            continue
        best = max(cases, key=lambda case: len(pairs_of(case) & left))
        left -= pairs_of(best)
        yield best


class Pairs(CommandTest):
    check = forms.Attention.check

    @staticmethod
    def evaluate(q, k, v, place, model):
        q, k, v = (torch.from_numpy(x) for x in (q, k, v))
        t, keep, factor = model((0.125 * torch.matmul(q, k.transpose(2, 3))).numpy(), place)
        t = torch.from_numpy(np.array(t))
        t.masked_fill_(torch.from_numpy(~np.broadcast_to(keep, t.shape)), -torch.inf)
        o = torch.matmul(torch.nan_to_num(torch.softmax(t, 3)) * factor, v)
        return o.numpy(), torch.logsumexp(t, 3).numpy()

    def run_case(self, case, generator):
        queries, keys = case["queries"], case["keys"]
        heads, groups = case["heads"]
        batch = 2 if "lengths" in case["condition"] else 1
        lengths = generator.integers(0, keys + 1, batch).astype(np.int32)
        arrays, extra, words = {}, "", []
        conditions = {"none": "", "causal": "j <= i + N - M",
                      "window": f"j <= i + N - M && j > i + N - M - {WINDOW}",
                      "lengths": "j < length[b]",
                      "causal lengths": "j < length[b] && j <= i + length[b] - M"}
        if "lengths" in case["condition"]:
            arrays["length"], extra = lengths, ", length: i32[B]"
        scores = {"plain": "s[b, h, i, j]", "bias": "s[b, h, i, j] + bias[h, i, j]",
                  "mask": "select(mask[b, j] != 0, s[b, h, i, j], -1000)",
                  "alibi": "s[b, h, i, j] + slopes[h] * (j - i)",
                  "cap": "0.5 * tanh(s[b, h, i, j] / 0.5)"}
        if case["score"] == "bias":
            arrays["bias"] = generator.uniform(-1, 1, (heads, queries, keys)).astype(np.float32)
            extra += ", bias: f32[H, M, N]"
        elif case["score"] == "mask":
            arrays["mask"] = (generator.random((batch, keys)) < 0.7).astype(np.int8)
            extra += ", mask: i8[B, N]"
        elif case["score"] == "alibi":
            arrays["slopes"] = (2.0 ** -np.arange(4, 4 + heads)).astype(np.float32)
            extra += ", slopes: f32[H]"

        def model(s, place):
            b, h, i, j = place
            length = lengths[:, None, None, None]
            at = i + keys - queries
            keep = {"none": True, "causal": j <= at, "window": (j <= at) & (j > at - WINDOW),
                    "lengths": j < length,
                    "causal lengths": (j < length) & (j <= i + length - queries)}[case["condition"]]
            t = {"plain": lambda: s, "bias": lambda: s + arrays["bias"],
                 "mask": lambda: np.where(arrays["mask"][:, None, None, :] != 0, s, -1000),
                 "alibi": lambda: s + arrays["slopes"][:, None, None] * (j - i),
                 "cap": lambda: 0.5 * np.tanh(s / 0.5)}[case["score"]]()
            return t, keep, 1

        parts = generator.integers(2, 9)
        choices = {"open": (), "products": ("--set", "fuse=products"), "all": ("--set", "fuse=all"),
                   "divided": ("--set", "fuse=products", "--set", f"grid.N={parts}")}[case["fuse"]]
        # With two copies in UB, the default there, some of these have more states of their flags than the
        # proof follows; mmk says so.
        if case["machine"] == "ascend310p3" and case["fuse"] in ("products", "divided"):
            choices += ("--set", "buffers.ub=1")
        self.check(case["type"], conditions[case["condition"]], score=scores[case["score"]], extra=extra,
                   arrays=arrays, scalars=words, group=heads // groups, model=model, lse=case["lse"],
                   dims={"B": batch, "H": heads, "M": queries, "N": keys, "D": case["depth"],
                         "E": case["width"]},
                   choices=choices + (("--watch",) if case["watch"] else ()), name=str(case),
                   machines={case["machine"]: (case["type"],)})

    @divided
    def test_pairs(self):
        seed = int(os.environ.get("MMK_SEED", "1"))
        cases = list(combinations(random.Random(seed)))
        print(f"{len(cases)} combinations of seed {seed}, compared with PyTorch "
              f"{torch.__version__}")
        for number, case in mine(list(enumerate(cases))):
            self.run_case(case, np.random.default_rng([seed, number]))


class GradientPairs(CommandTest):
    TEXT = (EXAMPLES / "attention/attention_backward.mmk").read_text()
    CONDITIONS = {"none": "", "causal": "j <= i + N - M",
                  "window": f"j <= i + N - M && j > i + N - M - {WINDOW}"}
    SCALE = 0.125

    @staticmethod
    def keep(condition, queries, keys):
        i, j = np.arange(queries)[:, None] + keys - queries, np.arange(keys)
        return {"none": np.ones((queries, keys), bool), "causal": j <= i,
                "window": (j <= i) & (j > i - WINDOW)}[condition]

    def gradients(self, inputs, keep):
        """What attention saves, and the gradients by autograd; rows that see no key have none."""
        q, k, v, g = (torch.tensor(inputs[name], requires_grad=name != "g") for name in "qkvg")
        rows = torch.tensor(keep.any(1))
        s = (self.SCALE * q @ k.transpose(2, 3)).masked_fill(torch.tensor(~keep), -torch.inf)
        o = torch.softmax(s[:, :, rows], 3) @ v
        (o * g[:, :, rows]).sum().backward()
        l = torch.logsumexp(s.detach(), 3).numpy()
        delta = np.zeros(l.shape)
        delta[:, :, rows.numpy()] = (o * g[:, :, rows]).sum(3).detach().numpy()
        return l, delta, {"dq": q.grad.numpy(), "dk": k.grad.numpy(), "dv": v.grad.numpy()}

    def run_case(self, case, generator):
        type, queries, keys, depth = case["type"], case["queries"], case["keys"], case["depth"]
        text = re.sub(r"cast<f16>\(([^()]*)\)", r"\1", self.TEXT) if type == "f32" else self.TEXT
        text = text.replace("f16", type)
        if case["condition"] != "none":
            text = text.replace("j <= i + N - M", self.CONDITIONS[case["condition"]])
        (self.folder / "back.mmk").write_text(text)
        words, exact = ["--machine", case["machine"], f"scale={self.SCALE}"], {}
        words += [f"{name}={extent}" for name, extent in
                  dict(B=1, H=case["heads"][0], M=queries, N=keys, D=depth).items()]
        for name, length in dict(q=queries, k=keys, v=keys, g=queries).items():
            x = generator.uniform(-1, 1, (1, case["heads"][0], length, depth))
            stored = bf16(x) if type == "bf16" else x.astype({"f16": np.float16, "f32": np.float32}[type])
            exact[name] = wide(stored, type)
            np.save(self.folder / f"{name}.npy", stored)
        l, delta, expected = self.gradients(exact, self.keep(case["condition"], queries, keys))
        np.save(self.folder / "l.npy", l.astype(np.float32))
        np.save(self.folder / "delta.npy", delta.astype(np.float32))
        results = {"dq": ("dq",), "dkv": ("dk", "dv")}[case["kernel"]]
        for name in ("q", "k", "v", "g", "l", "delta"):
            words += ["--input", f"{name}={name}.npy"]
        for name in results:
            words += ["--output", f"{name}={name}.npy"]
        words += ["--kernel", case["kernel"] + ("" if case["condition"] == "none" else "_causal")]
        if case["fuse"] != "open":
            words += ["--set", f"fuse={case['fuse']}"]
        # As for attention itself.
        if case["machine"] == "ascend310p3" and case["fuse"] == "products":
            words += ["--set", "buffers.ub=1"]
        with self.subTest(case=case):
            (report,) = self.report("back.mmk", *words, *(["--watch"] if case["watch"] else []))
            self.assertTrue(report["check"]["passed"], report)
            if case["watch"] and case["machine"] != "host":
                self.assertEqual(report["watch"]["hazards"], [])
            tolerance = {"f32": 1e-4, "f16": 3e-3, "bf16": 2e-2}[type]
            for name in results:
                found = wide(np.load(self.folder / f"{name}.npy"), type)
                np.testing.assert_allclose(found, expected[name], err_msg=name,
                                           atol=tolerance * max(1, np.abs(expected[name]).max()))

    @divided
    def test_pairs(self):
        seed = int(os.environ.get("MMK_SEED", "1"))
        cases = list(combinations(random.Random(seed), GRADIENT_SETTINGS))
        print(f"{len(cases)} combinations of seed {seed}, compared with PyTorch {torch.__version__}")
        for number, case in mine(list(enumerate(cases))):
            self.run_case(case, np.random.default_rng([seed, number]))


if __name__ == "__main__":
    main()
