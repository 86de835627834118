"""The gradients of attention as fused kernels (examples/attention/attention_backward.mmk) against NumPy in
double precision, and that against finite differences and PyTorch."""

import json
import re
import unittest

import numpy as np
import torch

from command import ALL, EXAMPLES, CommandTest, in_turn, main, pairs
from rows_test import bf16, wide

BACKWARD = EXAMPLES / "attention/attention_backward.mmk"
# One chip of each kind.
KINDS = ("ascend910b2", "ascend310p3")
CHIPS = ("ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4", "ascend310p3")
RESULTS = {"delta": ("delta",), "dq": ("dq",), "dkv": ("dk", "dv")}
SCALE = 0.125


def visible(m, n, causal):
    """Whether query i sees key j."""
    return np.arange(n) <= np.arange(m)[:, None] + n - m if causal else np.ones((m, n), bool)


def forward(q, k, v, causal):
    """The result of attention, its weights, and the logarithm of the sum of exponentials."""
    keep = visible(q.shape[2], k.shape[2], causal)
    s = np.where(keep, SCALE * q @ k.swapaxes(2, 3), -np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        top = s.max(3, keepdims=True)
        e = np.where(keep, np.exp(s - top), 0)
        total = e.sum(3, keepdims=True)
        p = np.where(keep, e / total, 0)
        l = np.where(total > 0, top + np.log(total), -np.inf)[..., 0]
    return p @ v, p, l


def gradients(q, k, v, g, causal):
    o, p, _ = forward(q, k, v, causal)
    delta = (o * g).sum(3)
    ds = SCALE * p * (g @ v.swapaxes(2, 3) - delta[..., None])
    return {"delta": delta, "dq": ds @ k, "dk": ds.swapaxes(2, 3) @ q, "dv": p.swapaxes(2, 3) @ g}


def operands(m, n, d, batch=1, heads=2, seed=5):
    generator = np.random.default_rng(seed)
    shapes = {"q": m, "k": n, "v": n, "g": m}
    return {name: generator.uniform(-1, 1, (batch, heads, length, d)).astype(np.float16)
            for name, length in shapes.items()}


class Gradients(unittest.TestCase):
    """What the kernels are compared with."""

    def each(self):
        for causal in (False, True):
            for m, n, d in ((3, 4, 2), (5, 3, 3)):
                inputs = {name: x.astype(np.float64) for name, x in operands(m, n, d).items()}
                yield inputs, causal, gradients(**inputs, causal=causal)

    def test_finite_differences(self):
        step = 1e-5
        for inputs, causal, expected in self.each():
            for name in "qkv":
                found = np.zeros_like(inputs[name])
                for place in np.ndindex(found.shape):
                    losses = []
                    for sign in (1, -1):
                        moved = {each: x.copy() for each, x in inputs.items()}
                        moved[name][place] += sign * step
                        o, _, _ = forward(moved["q"], moved["k"], moved["v"], causal)
                        losses.append((o * inputs["g"]).sum())
                    found[place] = (losses[0] - losses[1]) / (2 * step)
                np.testing.assert_allclose(found, expected["d" + name], atol=1e-8)

    def test_pytorch(self):
        for inputs, causal, expected in self.each():
            q, k, v, g = (torch.tensor(inputs[name], requires_grad=name != "g") for name in "qkvg")
            keep = visible(q.shape[2], k.shape[2], causal)
            s = (SCALE * q @ k.transpose(2, 3)).masked_fill(torch.tensor(~keep), -torch.inf)
            # A row of no key has a softmax of NaN there, and no gradient here.
            rows = torch.tensor(keep.any(1))
            p = torch.softmax(s[:, :, rows], 3)
            (p @ v * g[:, :, rows]).sum().backward()
            for name, x in (("dq", q), ("dk", k), ("dv", v)):
                np.testing.assert_allclose(x.grad.numpy(), expected[name], atol=1e-12)


class Backward(CommandTest):
    def run_kernel(self, kernel, dims, inputs, *words, machine, **scalars):
        """The results of a kernel, and the report of its run."""
        results = RESULTS[kernel.removesuffix("_causal")]
        words = list(words)
        for name, array in inputs.items():
            np.save(self.folder / f"{name}.npy", array)
            words += ["--input", f"{name}={name}.npy"]
        for name in results:
            words += ["--output", f"{name}={name}.npy"]
        (report,) = self.report(BACKWARD, "--kernel", kernel, "--machine", machine, *words,
                                *(f"{name}={value}" for name, value in {**dims, **scalars}.items()))
        self.assertTrue(report["check"]["passed"], report)
        return {name: np.load(self.folder / f"{name}.npy") for name in results}, report

    def check(self, m, n, d, causal=False, machines=CHIPS, words=(), batch=1, heads=2):
        inputs = operands(m, n, d, batch, heads)
        exact = {name: x.astype(np.float64) for name, x in inputs.items()}
        expected = gradients(**exact, causal=causal)
        o, _, l = forward(exact["q"], exact["k"], exact["v"], causal)
        dims = {"B": batch, "H": heads, "M": m, "D": d}
        suffix = "_causal" if causal else ""
        for machine in machines:
            with self.subTest(machine=machine, m=m, n=n, d=d, causal=causal):
                found, _ = self.run_kernel("delta", dims, {"o": o.astype(np.float16), "g": inputs["g"]},
                                           machine=machine)
                saved = {**inputs, "l": l.astype(np.float32), "delta": found["delta"]}
                for kernel in ("dq", "dkv"):
                    results, report = self.run_kernel(kernel + suffix, {**dims, "N": n}, saved, *words,
                                                      machine=machine, scale=SCALE)
                    found.update(results)
                    if "--watch" in words:
                        self.assertEqual(report["watch"]["hazards"], [])
                for name, x in found.items():
                    scale = max(1, np.abs(expected[name]).max())
                    np.testing.assert_allclose(x.astype(np.float64), expected[name],
                                               atol=3e-3 * scale, err_msg=name)

    def test_lengths(self):
        for at, (m, n, d) in enumerate(((1, 1, 64), (17, 127, 40), (127, 17, 64), (1, 1000, 96), (1000, 127, 128))):
            self.check(m, n, d, words=("--watch",), machines=in_turn(at, KINDS))

    def test_causal(self):
        for at, (m, n, d) in enumerate(((1, 1, 64), (17, 127, 40), (127, 17, 64), (127, 1000, 128))):
            self.check(m, n, d, causal=True, words=("--watch",), machines=in_turn(at + 1, KINDS))

    def test_every_machine(self):
        """Every kernel on every machine and with each condition is in attention_pairs, too."""
        machines = (*CHIPS, "host")
        for at, causal in enumerate((False, True)):
            self.check(127, 130, 64, causal, machines=in_turn(at, machines), batch=2)

    def test_one_loop(self):
        """Also where passes would be faster, and with parts that are ahead of each other."""
        for preload, machine in ((1, "ascend910b2"), (3, "ascend310p3")):
            self.check(130, 300, 64, causal=preload == 3, machines=KINDS if ALL else (machine,),
                       words=("--set", "fuse=products", "--set", f"preload={preload}"))

    def test_same_bits(self):
        dims = {"B": 1, "H": 2, "M": 200, "N": 130, "D": 64}
        inputs = operands(200, 130, 64)
        exact = [inputs[name].astype(np.float64) for name in "qkv"]
        o, _, l = forward(*exact, False)
        saved = {**inputs, "l": l.astype(np.float32),
                 "delta": (o * inputs["g"]).sum(3).astype(np.float32)}
        for kernel in ("dq", "dkv"):
            runs = [self.run_kernel(kernel, dims, saved, "--threads", threads, "--set", "fuse=products",
                                    machine="ascend910b2", scale=SCALE)[0] for threads in (1, 2, 1)]
            for name in RESULTS[kernel]:
                for other in runs[1:]:
                    np.testing.assert_array_equal(runs[0][name].view(np.uint16),
                                                  other[name].view(np.uint16))

    def test_from_the_forward_pass(self):
        """The result and the logarithms that attention stores."""
        inputs = operands(61, 117, 40)
        words = ["B=1", "H=2", "M=61", "N=117", "D=40", f"scale={SCALE}"]
        for name in "qkv":
            np.save(self.folder / f"{name}.npy", inputs[name])
            words += ["--input", f"{name}={name}.npy"]
        for machine in ("ascend910b2", "ascend310p3"):
            with self.subTest(machine=machine):
                self.mmk("run", EXAMPLES / "attention/attention_causal.mmk", "--machine", machine, *words,
                         "--output", "o=o.npy", "--output", "l=l.npy")
                saved = {"l": np.load(self.folder / "l.npy"), "g": inputs["g"]}
                found, _ = self.run_kernel("delta", {"B": 1, "H": 2, "M": 61, "D": 40},
                                           {"o": np.load(self.folder / "o.npy"), "g": inputs["g"]},
                                           machine=machine)
                saved = {**inputs, "l": saved["l"], "delta": found["delta"]}
                for kernel in ("dq_causal", "dkv_causal"):
                    results, _ = self.run_kernel(kernel, {"B": 1, "H": 2, "M": 61, "N": 117, "D": 40},
                                                 saved, machine=machine, scale=SCALE)
                    found.update(results)
                exact = {name: x.astype(np.float64) for name, x in inputs.items()}
                for name, x in gradients(**exact, causal=True).items():
                    np.testing.assert_allclose(found[name].astype(np.float64), x, atol=1e-2)

    def test_memory(self):
        """Between passes two matrices of M x N are held, in one loop none. What the cores exchange are
        parts, in rings of one size for all lengths."""
        for kernel in ("dq", "dkv", "dq_causal", "dkv_causal"):
            def memory(fuse):
                return json.loads(self.mmk("compile", BACKWARD, "--kernel", kernel, "--machine", "ascend910b2",
                                           "--set", f"fuse={fuse}", "--emit=memory", "--json", "-"))[0]
            self.assertGreaterEqual(len(memory("all")["workspaces"]), 2)
            self.assertEqual(memory("products")["workspaces"], [])
            (phase,) = memory("products")["phases"]
            (exchanged,) = [space for space in phase["memories"] if space["name"] == "gm"]
            self.assertLess(exchanged["used"], 2 << 20)

    def test_bytes(self):
        """What passes through global memory is proportional to the rows of the first products, and
        linear in their columns."""
        for kernel, rows, columns in (("dq", "M", "N"), ("dkv", "N", "M")):
            words = [word for choice in (f"tile.{rows}=128", f"tile.{columns}=128", "tile.D=128",
                                         "stage.D=128", "preload=2", "skew=stages", "buffers.l1=1",
                                         "buffers.acc=2", "fuse=products")
                     for word in ("--set", choice)]

            def moved(m, n):
                (report,) = self.report(BACKWARD, "--kernel", kernel, "B=1", "H=1", f"{rows}={m}",
                                        f"{columns}={n}", "D=128", "--count-only", "--machine",
                                        "ascend910b2", *words)
                return report["clock"]["global_bytes"]
            of_columns = [moved(1024, n) for n in (1024, 2048, 4096)]
            step = of_columns[1] - of_columns[0]
            self.assertEqual(of_columns[2], of_columns[0] + 3 * step)
            self.assertEqual(moved(4096, 1024), 4 * of_columns[0])

    def test_the_choice(self):
        """mmk takes one loop by itself, and says so."""
        for kernel in ("dq", "dkv"):
            (report,) = self.report(BACKWARD, "--kernel", kernel, "--case", "S2", "--machine", "ascend910b2",
                                    "--count-only")
            self.assertIn("fuse=products", report["variant"])
            said = self.mmk("explain", BACKWARD, "--kernel", kernel, "--case", "S2", "--machine", "ascend910b2")
            self.assertIn("fuse=products", said.splitlines()[0])

    def test_time(self):
        """All gradients take at most 3.5 times the cycles of the forward pass."""
        def cycles(file, kernel, dims):
            words = [f"{name}={value}" for name, value in dims.items()]
            (report,) = self.report(EXAMPLES / "attention" / file, "--kernel", kernel, "--machine",
                                    "ascend910b2", "--count-only", *words)
            return report["clock"]["cycles"]
        for length, heads in ((2048, 1), (8192, 1), (2048, 8)):
            rows = {"B": 1, "H": heads, "M": length, "D": 128}
            dims = {**rows, "N": length}
            ahead = cycles("attention.mmk", "attention", {**dims, "E": 128})
            back = cycles("attention_backward.mmk", "delta", rows) + sum(
                cycles("attention_backward.mmk", kernel, dims) for kernel in ("dq", "dkv"))
            self.assertLessEqual(back, 3.5 * ahead, (length, heads))


class Host(CommandTest):
    """The same kernels of every type of the host, in one loop there."""

    DTYPES = {"f32": np.float32, "f16": np.float16}
    TOLERANCE = {"f32": 2e-5, "f16": 3e-3, "bf16": 2e-2}

    def write(self, type):
        text = BACKWARD.read_text()
        # The weights themselves are an operand in f32.
        text = (re.sub(r"cast<f16>\(([^()]*)\)", r"\1", text) if type == "f32" else text)
        (self.folder / "back.mmk").write_text(text.replace("f16", type))

    def stored(self, type, x):
        return bf16(x) if type == "bf16" else x.astype(self.DTYPES[type])

    def saved(self, type, m, n, d, causal, heads=2, seed=7, change=None):
        """What is stored, and the same in double precision."""
        generator = np.random.default_rng(seed)
        inputs = {name: self.stored(type, generator.uniform(-1, 1, (1, heads, length, d)))
                  for name, length in {"q": m, "k": n, "v": n, "g": m}.items()}
        if change:
            change(inputs)
        exact = {name: wide(x, type).astype(np.float64) for name, x in inputs.items()}
        o, _, l = forward(exact["q"], exact["k"], exact["v"], causal)
        inputs["l"] = l.astype(np.float32)
        inputs["delta"] = (o * exact["g"]).sum(3).astype(np.float32)
        return inputs, exact

    def run_kernel(self, kernel, inputs, dims, *words):
        results = RESULTS[kernel.removesuffix("_causal")]
        words = ["--kernel", kernel, "--machine", "host", f"scale={SCALE}", *words,
                 *(f"{name}={extent}" for name, extent in dims.items())]
        for name, array in inputs.items():
            np.save(self.folder / f"{name}.npy", array)
            words += ["--input", f"{name}={name}.npy"]
        for name in results:
            words += ["--output", f"{name}={name}.npy"]
        (report,) = self.report("back.mmk", *words)
        self.assertIn("fuse=products", report["variant"])
        self.assertTrue(report["check"]["passed"], report)
        return {name: np.load(self.folder / f"{name}.npy") for name in results}

    def check(self, type, m, n, d, causal):
        self.write(type)
        inputs, exact = self.saved(type, m, n, d, causal)
        expected = gradients(**exact, causal=causal)
        dims = {"B": 1, "H": 2, "M": m, "N": n, "D": d}
        for kernel in ("dq", "dkv"):
            kernel += "_causal" if causal else ""
            with self.subTest(kernel=kernel, type=type, m=m, n=n, d=d):
                one, two = (self.run_kernel(kernel, inputs, dims, "--threads", threads)
                            for threads in (1, 2))
                for name in one:
                    np.testing.assert_array_equal(one[name].view(np.uint8), two[name].view(np.uint8))
                    scale = max(1, np.abs(expected[name]).max())
                    np.testing.assert_allclose(wide(one[name], type), expected[name],
                                               atol=self.TOLERANCE[type] * scale, err_msg=name)

    # Also few rows, whose other operands are read in place, and depths in parts.
    def test_lengths(self):
        for (m, n, d), type, causal in pairs(
                ((1, 1, 64), (17, 127, 40), (127, 17, 96), (1, 1000, 80), (1000, 5, 128), (300, 260, 256), (40, 70, 400)),
                ("f32", "f16", "bf16"), (False, True)):
            self.check(type, m, n, d, causal)

    def test_long(self):
        self.check("f32", 1000, 1000, 64, True)
        self.check("bf16", 1000, 1000, 64, True)

    def test_excluded(self):
        """The last key is seen by the last query alone, and the first query sees the first key alone:
        what these have elsewhere is not read."""
        m = n = 150
        for type in ("f32", "bf16"):
            self.write(type)
            for value in (np.nan, np.inf):
                nothing = self.stored(type, np.float32(value))
                def change(inputs, names, at):
                    for name in names:
                        inputs[name][0, 0, at, 3] = nothing
                dims = {"B": 1, "H": 1, "M": m, "N": n, "D": 40}
                for kernel, names, at, kept in (("dq_causal", "kv", n - 1, slice(0, m - 1)),
                                                ("dkv_causal", "qg", 0, slice(1, n))):
                    with self.subTest(kernel=kernel, type=type, value=value):
                        clean, _ = self.saved(type, m, n, 40, True, heads=1)
                        other = {name: x.copy() for name, x in clean.items()}
                        change(other, names, at)
                        expected = self.run_kernel(kernel, clean, dims)
                        found = self.run_kernel(kernel, other, dims)
                        for name, x in found.items():
                            self.assertFalse(np.isfinite(wide(x, type)).all())
                            np.testing.assert_allclose(wide(x, type)[:, :, kept],
                                                       wide(expected[name], type)[:, :, kept],
                                                       atol=self.TOLERANCE[type])

    def test_memory(self):
        """No matrix of queries and keys is in memory."""
        for kernel in ("dq", "dkv", "dq_causal", "dkv_causal"):
            def workspaces(fuse):
                return json.loads(self.mmk("compile", BACKWARD, "--kernel", kernel, "--machine", "host", "--set",
                                           f"fuse={fuse}", "--emit=memory", "--json", "-"))[0]["workspaces"]
            self.assertGreaterEqual(len(workspaces("all")), 2)
            self.assertEqual(workspaces("products"), [])

    def test_from_the_forward_pass(self):
        """All gradients of what attention stores, beside PyTorch's autograd."""
        generator = torch.Generator().manual_seed(3)
        q, k, v, g = (torch.randn((1, 2, 130, 64), generator=generator) for _ in range(4))
        for tensor in (q, k, v):
            tensor.requires_grad_()
        keep = torch.tensor(visible(130, 130, True))
        s = (SCALE * q @ k.transpose(2, 3)).masked_fill(~keep, -torch.inf)
        (torch.softmax(s, 3) @ v).backward(g)
        self.write("f32")
        arrays = {name: x.detach().numpy() for name, x in zip("qkvg", (q, k, v, g))}
        o, _, l = forward(*(arrays[name].astype(np.float64) for name in "qkv"), True)
        arrays["l"] = l.astype(np.float32)
        arrays["delta"] = (o * arrays["g"]).sum(3).astype(np.float32)
        dims = {"B": 1, "H": 2, "M": 130, "N": 130, "D": 64}
        found = {**self.run_kernel("dq_causal", arrays, dims), **self.run_kernel("dkv_causal", arrays, dims)}
        for name, tensor in (("dq", q), ("dk", k), ("dv", v)):
            np.testing.assert_allclose(found[name], tensor.grad.numpy(), atol=1e-5)


if __name__ == "__main__":
    main()
