"""Products of windows, such as convolutions, on every kind of machine, against NumPy: one product in
which pixels and filters are merged, with what follows from it, in any order of dimensions."""

import random

import numpy as np

from command import CommandTest, main

MACHINES = ["ascend910b3", "ascend310p3", "host"]

DIMS = {"B": 2, "C": 5, "H": 9, "W": 7, "O": 6, "R": 3, "S": 2, "G": 3, "D": 4, "F": 2}


def taps(x, filter, stride=1, dilation=1, edge=0, value=0):
    """Of x[..., H, W], for as many last dimensions as the filter has: [..., P, Q, R, S]."""
    n = len(filter)
    x = np.pad(x, [(0, 0)] * (x.ndim - n) + [(edge, edge)] * n, constant_values=value)
    reach = [dilation * (f - 1) + 1 for f in filter]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=tuple(range(x.ndim - n, x.ndim)))
    return view[(...,) + (slice(None, None, stride),) * n + (slice(None, None, dilation),) * n]


def conv(x, w, **how):
    return np.einsum("bcpqrs,ocrs->bopq", taps(x, w.shape[2:], **how), w)


def transposed(x, w, stride):
    """Each element of x adds w times it to y, `stride` apart."""
    y = np.zeros((x.shape[0], w.shape[0], stride * (x.shape[2] - 1) + w.shape[2],
                  stride * (x.shape[3] - 1) + w.shape[3]))
    for h in range(x.shape[2]):
        for v in range(x.shape[3]):
            y[:, :, stride * h:stride * h + w.shape[2], stride * v:stride * v + w.shape[3]] += \
                np.einsum("bc,ocrs->bors", x[:, :, h, v], w)
    return y


PQ = "dim P = (H + 2*e - R) / t + 1; dim Q = (W + 2*e - S) / t + 1; "
SUM = "sum[c, r, s](pad(x, 0)[b, c, t*p + r - e, t*q + s - e] * w[o, c, r, s])"
NCHW = "x: f16[B, C, H, W], w: f16[O, C, R, S]"

# Parameters, results, the body, what NumPy says of the tensors, and of the products' dimensions.
KERNELS = [
    (NCHW, "y: f32[B, O, P, Q]", f"{PQ}y[b, o, p, q] = {SUM};",
     lambda x, w: conv(x, w, stride=2, edge=1), "O x PQ x CRS"),
    (f"{NCHW}, bias: f32[O], z: f16[B, O, P, Q]", "y: f16[B, O, P, Q]",
     f"{PQ}y[b, o, p, q] = relu({SUM} + bias[o]) + z[b, o, p, q];",
     lambda x, w, bias, z: np.maximum(conv(x, w, stride=2, edge=1) + bias[:, None, None], 0) + z,
     "O x PQ x CRS"),
    # What has rows and columns of pixels apart is not in the merged dimensions.
    (f"{NCHW}, bias: f32[P], z: f32[B, O, P, Q]", "y: f32[B, O, P, Q]",
     f"{PQ}let u[b, o, p: P, q: Q] = {SUM} * z[b, o, p, q]; y[b, o, p, q] = u[b, o, p, q] + bias[p] + q;",
     lambda x, w, bias, z: conv(x, w, stride=2, edge=1) * z + bias[:, None] + np.arange(z.shape[3]),
     "O x PQ x CRS"),
    ("x: f16[B, H, W, C], w: const f16[R, S, C, O], bias: f32[O]", "y: f16[B, P, Q, O]",
     f"{PQ}y[b, p, q, o] = relu(bias[o] + "
     "sum[c, r, s](pad(x, 0)[b, t*p + r - e, t*q + s - e, c] * w[r, s, c, o]));",
     lambda x, w, bias: np.maximum(conv(x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), stride=2,
                                        edge=1).transpose(0, 2, 3, 1) + bias, 0), "BPQ x O x CRS"),
    # Weights in an order that is not that of the pixels.
    ("x: f16[B, H, W, C], w: f16[O, C, R, S]", "y: f32[B, P, Q, O]",
     "dim P = H - R + 1; dim Q = W - S + 1; "
     "y[b, p, q, o] = sum[c, r, s](x[b, p + r, q + s, c] * w[o, c, r, s]);",
     lambda x, w: conv(x.transpose(0, 3, 1, 2), w).transpose(0, 2, 3, 1), "BPQ x O x CRS"),
    ("x: f16[B, C, H, W], w: f16[O, C, R, S]", "y: f32[B, O, P, Q], m: f32[B, O]",
     "dim P = H - 2*(R - 1); dim Q = W - 2*(S - 1); let u[b, o, p: P, q: Q] = "
     "sum[c, r, s](x[b, c, p + 2*r, q + 2*s] * w[o, c, r, s]);"
     "y[b, o, p, q] = -u[b, o, p, q]; m[b, o] = mean[p, q](u[b, o, p, q]);",
     lambda x, w: (-conv(x, w, dilation=2), conv(x, w, dilation=2).mean((2, 3))), "O x PQ x CRS"),
    ("x: f16[B, C, W], w: f16[O, C, S]", "y: f32[B, O, Q]",
     "dim Q = W - S + 1; y[b, o, q] = sum[c, s](x[b, c, q + s] * w[o, c, s]);",
     lambda x, w: np.einsum("bcqs,ocs->boq", taps(x, w.shape[2:]), w), "O x Q x CS"),
    ("x: f16[B, W, C], w: f16[S, C, O]", "y: f32[B, Q, O]",
     "dim Q = W - S + 1; y[b, q, o] = sum[c, s](x[b, q + s, c] * w[s, c, o]);",
     lambda x, w: np.einsum("bcqs,sco->bqo", taps(x.transpose(0, 2, 1), w.shape[:1]), w),
     "BQ x O x CS"),
    ("x: f16[B, C, D, H, W], w: f16[O, C, F, R, S]", "y: f32[B, O, E, P, Q]",
     "dim E = D - F + 1; dim P = H - R + 1; dim Q = W - S + 1; y[b, o, d, p, q] = "
     "sum[c, f, r, s](x[b, c, d + f, p + r, q + s] * w[o, c, f, r, s]);",
     lambda x, w: np.einsum("bcdpqtrs,octrs->bodpq", taps(x, w.shape[2:]), w), "O x DPQ x CFRS"),
    ("x: f16[B, G, C, H, W], w: f16[G, O, C, R, S], bias: f32[G, O]", "y: f16[B, G, O, P, Q]",
     f"{PQ}y[b, g, o, p, q] = bias[g, o] + "
     "sum[c, r, s](pad(x, 0)[b, g, c, t*p + r - e, t*q + s - e] * w[g, o, c, r, s]);",
     lambda x, w, bias: np.einsum("bgcpqrs,gocrs->bgopq", taps(x, w.shape[3:], 2, edge=1), w) +
     bias[:, :, None, None], "O x PQ x CRS"),
    # A window of columns alone, in steps.
    ("x: f16[B, C, H, W], w: f16[O, C]", "y: f32[B, O, P, Q]",
     "dim P = (H - 1) / t + 1; dim Q = (W - 1) / t + 1;"
     "y[b, o, p, q] = sum[c](x[b, c, t*p, t*q] * w[o, c]);",
     lambda x, w: conv(x, w[:, :, None, None], stride=2), "O x PQ x C"),
    (f"{NCHW}, z: f16[B, O, P, Q]", "y: f32[B, O, P, Q], n: f32[B, O, P, Q]",
     f"{PQ}let u[b, o, p: P, q: Q] = {SUM}; y = gelu(u) * tanh(z); n[b, o, p, q] = exp(u[b, o, p, q]);",
     lambda x, w, z: (gelu(conv(x, w, stride=2, edge=1)) * np.tanh(z),
                      np.exp(conv(x, w, stride=2, edge=1))), "O x PQ x CRS"),
    # The second reads the first, which is elementwise work behind it.
    (f"{NCHW}, v: f16[O, O, R, S]", "y: f32[B, O, P, Q]",
     f"dim P = H; dim Q = W; let h[b, o, p: P, q: Q] = cast<f16>(relu({SUM.replace('t*', '')}));"
     "y[b, i, p, q] = sum[o, r, s](pad(h, 0)[b, o, p + r - e, q + s - e] * v[i, o, r, s]) + h[b, i, p, q];",
     lambda x, w, v: twice(x, w, v), "O x PQ x CRS"),
    ("x: i8[B, C, H, W], w: i8[O, C, R, S]", "y: i32[B, O, P, Q]", f"{PQ}y[b, o, p, q] = {SUM};",
     lambda x, w: conv(x, w, stride=2, edge=1), "O x PQ x CRS"),
    ("x: f16[B, C, H, W], w: f16[C, R, S]", "y: f32[B, C, P, Q]",
     f"{PQ}y[b, c, p, q] = sum[r, s](pad(x, 0)[b, c, t*p + r - e, t*q + s - e] * w[c, r, s]);",
     lambda x, w: np.einsum("bcpqrs,crs->bcpq", taps(x, w.shape[1:], 2, edge=1), w), None),
    # Each pixel as it is: no window is written out.
    ("x: f16[B, C, H, W], w: f16[O, C, 1, 1], z: f16[B, O, H, W]", "y: f16[B, O, H, W]",
     "y[b, o, p, q] = sum[c, r, s](pad(x, 0)[b, c, p + r, 1*q + s - 0] * w[o, c, r, s]) + z[b, o, p, q];",
     lambda x, w, z: conv(x, w) + z, "O x PQ x C"),
    # Of the taps that are there.
    (NCHW, "y: f32[B, O, P, Q]",
     "dim P = t*(H - 1) + R; dim Q = t*(W - 1) + S; y[b, o, p, q] = sum[c, r, s | "
     "(p - r) % t == 0 && (q - s) % t == 0](pad(x, 0)[b, c, (p - r) / t, (q - s) / t] * w[o, c, r, s]);",
     lambda x, w: transposed(x, w, 2), "O x PQ x CRS"),
    # Every second row of a matrix, with elementwise work behind the product.
    ("x: f16[3, 4], w: f16[4, 4]", "y: f32[2, 4]",
     "let u[i: 2, j] = sum[k](x[t*i, k] * w[k, j]); y[i, j] = abs(u[i, j]);",
     lambda x, w: abs(x[::2] @ w), None),
]


def gelu(x):
    from math import erf
    return x * (1 + np.vectorize(erf)(x / np.sqrt(2))) / 2


def twice(x, w, v):
    h = np.maximum(conv(x, w, edge=1), 0)[:, :, :, :x.shape[3]].astype(np.float16).astype(np.float64)
    return conv(h, v, edge=1)[:, :, :, :x.shape[3]] + h


class Windows(CommandTest):
    def write(self, number, schedule=""):
        parameters, results, body, *_ = KERNELS[number]
        (self.folder / "k.mmk").write_text(f"kernel k({parameters}, t: int = 2, e: int = 1) -> "
                                           f"{results} {{ {body} {schedule} }}\n")

    def tensors(self, number, dims):
        """The parameters, in f64, from files that are written."""
        numbers = np.random.default_rng(number)
        calculated = dict(dims, P=(dims["H"] + 2 - dims["R"]) // 2 + 1,
                          Q=(dims["W"] + 2 - dims["S"]) // 2 + 1)
        given, words = [], []
        for parameter in KERNELS[number][0].split("], "):
            name, rest = parameter.split(": ")
            type, names = rest.rstrip("]").split("[")
            shape = [int(each) if each.isdigit() else calculated[each] for each in names.split(", ")]
            x = numbers.integers(-2, 3, shape).astype(np.float64)
            stored = {"f16": np.float16, "f32": np.float32, "i8": np.int8}[type.removeprefix("const ")]
            np.save(self.folder / f"{name}.npy", x.astype(stored))
            words += ["--input", f"{name}={name}.npy"]
            given.append(x)
        return given, words

    def check(self, number, dims, machine, *more):
        parameters, results, _, expected, _ = KERNELS[number]
        given, words = self.tensors(number, dims)
        used = [name for name in dims if f"{name}," in parameters or f"{name}]" in parameters]
        names = [result.split(":")[0] for result in results.split("], ")]
        outputs = [word for name in names for word in ("--output", f"{name}={name}.npy")]
        report, = self.report("k.mmk", *[f"{name}={dims[name]}" for name in used], *words, *outputs,
                              "--machine", machine, *more)
        self.assertTrue(report["check"]["passed"], report)
        if "--watch" in more:
            self.assertEqual(report["watch"]["hazards"], [])
        wanted = expected(*given)
        for name, value in zip(names, wanted if isinstance(wanted, tuple) else [wanted]):
            found = np.load(self.folder / f"{name}.npy")
            np.testing.assert_allclose(found.astype(np.float64), value, rtol=2e-3, atol=2e-3,
                                       err_msg=f"{KERNELS[number][2]} {machine} {more}")
        return report

    def test_machines(self):
        for number in range(len(KERNELS)):
            self.write(number)
            for machine in MACHINES:
                words = ["--watch"] if machine.startswith("ascend") and number % 2 else []
                with self.subTest(kernel=number, machine=machine):
                    self.check(number, DIMS, machine, *words)

    def test_sizes(self):
        generator = random.Random(21)
        for number in range(len(KERNELS)):
            self.write(number)
            dims = {name: generator.choice([1, 2, 3, 17, 33] if name in "BCO" else [4, 5, 6, 16])
                    for name in DIMS} | {name: generator.choice([1, 2, 3]) for name in "RSF"}
            dims["G"] = 2
            if number == 12: # of the second, the pixels of the first
                dims |= {"R": 3, "S": 3}
            machine = generator.choice(MACHINES)
            with self.subTest(kernel=number, dims=dims, machine=machine):
                self.check(number, dims, machine)

    def test_variants(self):
        for number, words in [(1, "fuse=none"), (1, "grid.CRS=2"), (1, "tile.PQ=16,tile.CRS=16"), (1, "grid.PQ=2,grid.O=2"),
                              (3, "tile.BPQ=32,tile.O=16"), (3, "bias=table"), (9, "fuse=none")]:
            self.write(number)
            with self.subTest(kernel=number, words=words):
                self.check(number, DIMS, "ascend910b3", "--set", words, "--watch")

    # A bias and an activation are part of the product's pass.
    def test_one_pass_behind_the_window(self):
        for number, passes in [(0, 2), (1, 2), (3, 2), (9, 2), (10, 2), (15, 1)]:
            self.write(number)
            text = self.mmk("compile", "k.mmk", "--emit=tiled")
            self.assertEqual(text.count("mmk.fusion_group"), passes, KERNELS[number][2])
            self.assertEqual(text.count("linalg.contract"), 1)

    def test_names(self):
        for number, kernel in enumerate(KERNELS):
            if kernel[4] is None:
                continue
            rows, columns, depth = kernel[4].split(" x ")
            self.write(number, f"schedule {{ tile {rows} = 16, {columns} = 16, {depth} = 32; }}")
            self.mmk("compile", "k.mmk", "--emit=tiled")


if __name__ == "__main__":
    main()
