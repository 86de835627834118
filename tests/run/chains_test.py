"""Products with rows between on the host CPU, as in attention, against NumPy in double
precision: types, sizes, conditions, biases, dropout, results of rows, and numbers that are not
finite."""

import numpy as np

from command import CommandTest, in_turn, main, pairs
from rows_test import bf16, wide

DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}
GUARDS = {
    "": lambda i, j, M, N: np.ones_like(i + j, bool),
    "j <= i + N - M": lambda i, j, M, N: j <= i + N - M,
    "j <= i && i < j + 40": lambda i, j, M, N: (j <= i) & (i < j + 40),
    "j < i": lambda i, j, M, N: j < i,
    "(i + j) % 3 != 1": lambda i, j, M, N: (i + j) % 3 != 1,
}


class Chain:
    """One kernel, its arguments and its results."""

    def __init__(self, seed, type="f32", guard="", shape=(1, 2, 33, 65, 16, 16), bias=False,
                 cap=False, lengths=False, rows=False, gate=False, rounds=False, grid=0):
        B, H, M, N, D, E = shape
        self.dims = dict(B=B, H=H, M=M, N=N, D=D, E=E)
        self.type = type
        numbers = np.random.default_rng(seed)
        self.inputs, self.exact = {}, {}
        parameters, lines = [], []

        def add(name, stored, *extents):
            values = numbers.normal(size=extents)
            self.inputs[name] = bf16(values) if stored == "bf16" else values.astype(DTYPES[stored])
            self.exact[name] = wide(self.inputs[name], stored)

        for name, extents, axes in (("q", (B, H, M, D), "B, H, M, D"),
                                    ("k", (B, H, N, D), "B, H, N, D"),
                                    ("v", (B, H, N, E), "B, H, N, E")):
            add(name, type, *extents)
            parameters.append(f"{name}: {type}[{axes}]")
        score = "0.25 * sum[d](q[b, h, i, d] * k[b, h, j, d])"
        if cap:
            score = f"4 * tanh(0.25 * ({score}))"
        if bias:
            add("bias", "f32", H, M, N)
            parameters.append("bias: f32[H, M, N]")
            score += " + bias[h, i, j]"
        guards = [guard] if guard else []
        if lengths:
            self.inputs["length"] = numbers.integers(0, N + 1, size=(B, H)).astype(np.int32)
            parameters.append("length: i32[B, H]")
            guards.append("j < length[b, h]")
        condition = " && ".join(f"({each})" for each in guards)
        over = f"j | {condition}" if condition else "j"
        weight = "p[b, h, i, j]"
        if type != "f32":
            weight = f"cast<{type}>({weight})"
        lines.append(f"let s[b, h, i, j] = {score};")
        lines.append(f"let p[b, h, i, j] = softmax[{over}](s[b, h, i, j]);")
        product = f"sum[{over}]({weight} * v[b, h, j, e])"
        results = [f"o: {type if rounds else 'f32'}[B, H, M, E]"]
        if gate:
            add("g", type, B, H, M, E)
            parameters.append(f"g: {type}[B, H, M, E]")
            product = f"sigmoid(g[b, h, i, e]) * ({product}) + 1"
        lines.append(f"o[b, h, i, e] = {product};")
        if rows:
            results.append("l: f32[B, H, M]")
            lines.append(f"l[b, h, i] = logsumexp[{over}](s[b, h, i, j]);")
        self.text = (f"kernel k({', '.join(parameters)}) -> {', '.join(results)} {{\n  " +
                     "\n  ".join(lines) + "\n  schedule { fuse = products | all; " +
                     (f"grid N = {grid}; tile N = 64; " if grid else "") + "}\n}\n")
        self.options = dict(guard=guard, bias=bias, cap=cap, lengths=lengths, gate=gate)
        self.results = ["o"] + (["l"] if rows else [])

    def expected(self):
        x, d, o = self.exact, self.dims, self.options
        i, j = np.arange(d["M"])[:, None], np.arange(d["N"])[None, :]
        holds = np.broadcast_to(GUARDS[o["guard"]](i, j, d["M"], d["N"]),
                                (d["B"], d["H"], d["M"], d["N"]))
        if o["lengths"]:
            holds = holds & (j < self.inputs["length"][:, :, None, None])
        with np.errstate(all="ignore"):
            s = 0.25 * np.einsum("bhid,bhjd->bhij", x["q"], x["k"])
            if o["cap"]:
                s = 4 * np.tanh(s / 4)
            if o["bias"]:
                s = s + x["bias"]
            s = np.where(holds, s, -np.inf)
            top = s.max(-1, keepdims=True)
            e = np.where(holds, np.exp(s - top), 0)
            total = e.sum(-1, keepdims=True)
            p = np.where(holds, e / total, 0)
            # Excluded elements are not read, whatever they are.
            out = np.zeros((d["B"], d["H"], d["M"], d["E"]))
            v = x["v"]
            if np.isfinite(v).all():
                out = p @ v
            else:
                for row in np.ndindex(d["B"], d["H"], d["M"]):
                    keys = holds[row]
                    out[row] = p[row][keys] @ v[row[:2]][keys]
            if o["gate"]:
                out = out / (1 + np.exp(-x["g"])) + 1
            l = np.where(np.isinf(top), top, top + np.log(total))[..., 0]
        return {"o": out, "l": l}


class Chains(CommandTest):
    def run_chain(self, chain, checks=True, tolerance=None):
        (self.folder / "k.mmk").write_text(chain.text)
        words = [f"{name}={size}" for name, size in chain.dims.items()]
        for name, stored in chain.inputs.items():
            np.save(self.folder / f"{name}.npy", stored)
            words += ["--input", f"{name}={name}.npy"]
        for name in chain.results:
            words += ["--output", f"{name}={name}.npy"]
        bits = []
        for threads in (1, 2):
            self.mmk("run", "k.mmk", *words, "--machine", "host", "--threads", threads,
                     exit=0 if checks else None)
            self.assertIn(self.code, (0, 1), self.said)
            bits.append({name: np.load(self.folder / f"{name}.npy") for name in chain.results})
        expected = chain.expected()
        stored = "f32" if "o: f32" in chain.text else chain.type
        for name in chain.results:
            np.testing.assert_array_equal(bits[0][name].view(np.uint8), bits[1][name].view(np.uint8))
            found = wide(bits[0][name], stored if name == "o" else "f32")
            own = tolerance or {"f32": 2e-5, "f16": 2e-3, "bf16": 1.6e-2}[chain.type]
            np.testing.assert_allclose(found, expected[name], rtol=own, atol=own)

    def each(self, *arguments, **options):
        chain = Chain(*arguments, **options)
        with self.subTest(arguments=arguments, options=options, kernel=chain.text):
            self.run_chain(chain)

    def test_sizes(self):
        for seed, (m, n) in enumerate([(1, 1), (1, 1000), (17, 1), (127, 127), (1000, 17), (300, 400),
                                       (64, 192), (33, 193)]):
            self.each(seed, shape=(1, 2, m, n, 40, 24))

    def test_depths(self):
        for seed, (d, e) in enumerate([(1, 1), (40, 40), (64, 128), (129, 65), (256, 256), (513, 7),
                                       (1100, 20), (8, 600)]):
            self.each(seed, shape=(1, 1, 37, 70, d, e))

    def test_types(self):
        shapes = [(1, 1, 1, 1, 1, 1), (2, 2, 65, 250, 64, 64), (1, 1, 19, 33, 41, 37)]
        forms = [dict(), dict(rounds=True, guard="j <= i + N - M", rows=True)]
        for type, shape, form in pairs(["f16", "bf16"], shapes, forms):
            self.each(0, type, shape=shape, **form)

    def test_conditions(self):
        for seed, guard in enumerate(GUARDS):
            for shape in [(1, 1, 1, 1, 8, 8), (1, 2, 90, 90, 16, 16), (1, 1, 300, 500, 16, 16),
                          (1, 1, 260, 30, 16, 16)]:
                self.each(seed, guard=guard, shape=shape, rows=True)

    def test_forms(self):
        shape = (2, 3, 50, 210, 32, 48)
        for seed, options in enumerate([dict(bias=True), dict(cap=True), dict(lengths=True),
                                        dict(gate=True), dict(rows=True),
                                        dict(bias=True, guard="j <= i + N - M", lengths=True,
                                             gate=True, rows=True, cap=True)]):
            for type in ("f32", "bf16"):
                self.each(seed, type, shape=shape, **options)

    # Few rows, whose operands are read in place; and one row more.
    def test_few_rows(self):
        for seed, (m, n, d, e) in enumerate([(1, 1, 1, 1), (1, 700, 64, 80), (2, 193, 41, 37),
                                             (3, 5, 16, 128), (5, 400, 100, 65), (8, 390, 128, 24),
                                             (8, 50, 513, 16), (4, 70, 24, 600), (9, 250, 40, 40)]):
            for at, type in enumerate(DTYPES):
                plain = dict(rows=True)
                bounded = dict(rounds=True, lengths=True, guard="j <= i + N - M", cap=True)
                # Every size with every type, in one of the forms.
                for form in in_turn(seed + at, (plain, bounded)):
                    self.each(seed, type, shape=(2, 2, m, n, d, e), **form)

    # Each part of the columns has a maximum and a result of its own; some are empty.
    def test_divided_columns(self):
        shapes = [(1, 1, 1, 500, 64, 64), (2, 2, 7, 200, 24, 40), (1, 2, 40, 300, 16, 16), (1, 1, 3, 30, 16, 16)]
        forms = [dict(rows=True, grid=3), dict(lengths=True, guard="j <= i + N - M", cap=True, grid=4)]
        for shape, type, form in pairs(shapes, ("f32", "bf16"), forms):
            self.each(shapes.index(shape), type, shape=shape, **form)
        self.assertIn("cpu.rows", self.mmk("compile", "k.mmk", "--machine", "host", "--emit=aicore"))

    def test_not_finite(self):
        for guard, rows, type, value in pairs(["j <= i + N - M", "(i + j) % 3 != 1"], (70, 7), DTYPES, (np.nan, np.inf)):
            chain = Chain(rows, type, guard, shape=(1, 1, rows, 230, 16, 20), rows=True)
            stored = bf16(np.float32(value)) if type == "bf16" else value
            for name in ("v", "k"):
                chain.inputs[name][0, 0, 200, 3] = stored
                chain.exact[name][0, 0, 200, 3] = value
            chain.exact["k"][0, 0, 200, 3] = chain.exact["v"][0, 0, 200, 3]
            with self.subTest(guard=guard, type=type, value=value, rows=rows):
                self.run_chain(chain, checks=False)

    # A rounding of such scores shows in their exponentials.
    def test_large_scores(self):
        chain = Chain(1, shape=(1, 1, 40, 400, 16, 16), guard="j <= i + N - M", rows=True)
        for name in ("q", "k"):
            chain.inputs[name] *= 30
            chain.exact[name] = chain.inputs[name].astype(np.float64)
        self.run_chain(chain, tolerance=5e-3)


class Lists(CommandTest):
    """Several products of scores and of weights in one loop."""

    DIMS = dict(B=2, M=75, N=230, D=40, E=24, F=72)
    TEXT = """kernel k(q: {t}[B, M, D], r: {t}[B, M, E], k: {t}[B, N, D], l: {t}[B, N, E], x: {t}[B, N, D],
         v: {t}[B, N, E], w: {t}[B, N, F], u: {t}[B, N, D], gate: f32[F])
    -> a: f32[B, M, E], b: {t}[B, M, F], c: f32[B, M, D], top: f32[B, M] {{
  let s[n, i, j] = 0.2 * sum[d](q[n, i, d] * k[n, j, d]) + 0.3 * sum[e](r[n, i, e] * l[n, j, e]);
  let p[n, i, j] = softmax[j{where}](s[n, i, j]);
  let z[n, i, j] = tanh(sum[d](q[n, i, d] * x[n, j, d]));
  a[n, i, e] = sum[j{where}]({p} * v[n, j, e]);
  b[n, i, f] = gate[f] * sum[j{where}]({p} * w[n, j, f]);
  c[n, i, d] = sum[j{where}]({pz} * u[n, j, d]);
  top[n, i] = max[j{where}](s[n, i, j]);
}}
"""

    def check(self, type, where, dims):
        def cast(value):
            return value if type == "f32" else f"cast<{type}>({value})"
        (self.folder / "k.mmk").write_text(self.TEXT.format(
            t=type, where=f" | {where}" if where else "", p=cast("p[n, i, j]"),
            pz=cast("p[n, i, j] * z[n, i, j]")))
        numbers = np.random.default_rng(4)
        words, exact = [f"{name}={extent}" for name, extent in dims.items()], {}
        for name, axes in dict(q="BMD", r="BME", k="BND", l="BNE", x="BND", v="BNE", w="BNF", u="BND",
                               gate="F").items():
            own = "f32" if name == "gate" else type
            values = numbers.normal(size=[dims[axis] for axis in axes])
            stored = bf16(values) if own == "bf16" else values.astype(DTYPES[own])
            np.save(self.folder / f"{name}.npy", stored)
            exact[name] = wide(stored, own).astype(np.float64)
            words += ["--input", f"{name}={name}.npy"]
        results = ("a", "b", "c", "top")
        words += [word for name in results for word in ("--output", f"{name}={name}.npy")]
        bits = []
        for threads in (1, 2):
            (report,) = self.report("k.mmk", *words, "--machine", "host", "--threads", threads)
            self.assertIn("fuse=products", report["variant"])
            bits.append({name: np.load(self.folder / f"{name}.npy") for name in results})
        x = exact
        s = 0.2 * x["q"] @ x["k"].swapaxes(1, 2) + 0.3 * x["r"] @ x["l"].swapaxes(1, 2)
        i, j = np.arange(dims["M"])[:, None], np.arange(dims["N"])[None, :]
        holds = GUARDS[where](i, j, dims["M"], dims["N"])
        s = np.where(holds, s, -np.inf)
        top = s.max(-1, keepdims=True)
        with np.errstate(all="ignore"):
            p = np.where(holds, np.exp(s - top), 0)
            p = np.where(holds, p / p.sum(-1, keepdims=True), 0)
        z = np.tanh(x["q"] @ x["x"].swapaxes(1, 2))
        expected = {"a": p @ x["v"], "b": x["gate"] * (p @ x["w"]), "c": (p * z) @ x["u"], "top": top[..., 0]}
        tolerance = {"f32": 3e-5, "f16": 3e-3, "bf16": 2.5e-2}[type]
        for name in results:
            np.testing.assert_array_equal(bits[0][name].view(np.uint8), bits[1][name].view(np.uint8))
            np.testing.assert_allclose(wide(bits[0][name], type if name == "b" else "f32"),
                                       expected[name], rtol=tolerance, atol=tolerance, err_msg=name)

    def test_types_and_conditions(self):
        for type in DTYPES:
            for where in ("", "j <= i + N - M", "j <= i && i < j + 40", "(i + j) % 3 != 1"):
                with self.subTest(type=type, where=where):
                    self.check(type, where, self.DIMS)

    # Few rows, whose operands are read in place; products of several depths and widths in parts.
    def test_sizes(self):
        for dims in (dict(B=1, M=5, N=300, D=40, E=16, F=32), dict(B=1, M=1, N=1, D=1, E=1, F=1),
                     dict(B=1, M=20, N=50, D=300, E=7, F=20), dict(B=1, M=20, N=50, D=24, E=200, F=500)):
            for type in ("f32", "bf16"):
                with self.subTest(type=type, dims=dims):
                    self.check(type, "", dims)


if __name__ == "__main__":
    main()
