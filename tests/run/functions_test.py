"""Functions over tensors in both notations, on every kind of machine, against NumPy."""

import numpy as np

from command import CommandTest, main

MACHINES = ["ascend910b3", "ascend310p3", "host"]
SHAPE = {"B": 2, "C": 3, "H": 17, "W": 10}


def windows(x, k, s):
    """The windows of the last two dimensions, in two dimensions more."""
    view = np.lib.stride_tricks.sliding_window_view(x, (k, k), axis=(2, 3))
    return view[:, :, ::s, ::s]


def convolution(x, w, s, e):
    padded = np.pad(x, ((0, 0), (0, 0), (e, e), (e, e)))
    view = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], axis=(2, 3))
    return np.einsum("ncpqrt,ocrt->nopq", view[:, :, ::s, ::s], w)


def ramp():
    return np.arange(2 * SHAPE["H"]) / 2 + SHAPE["H"]


FUNCTIONS = """
fn conv(x[B, C, H, W], w[O, C, R, S], s: int, e: int)
    [n, o, p: (H + 2*e - R) / s + 1, q: (W + 2*e - S) / s + 1] =
    sum[c, r, t](pad(x, 0)[n, c, s*p + r - e, s*q + t - e] * w[o, c, r, t]);
fn half(x[B, C, H, W])[n, c, p: H / 2, q: W / 2] = relu(max_pool(x, 2, 2)[n, c, p, q]);
fn gram(x[M, N, H, W])[b, i, j] = sum[h, w](x[b, i, h, w] * x[b, j, h, w]);
fn centred(x[B, C, H, W], a)[b, c, h, w] = a * (x[b, c, h, w] - total(x) / (B * C * H * W));
fn total(x[A, B, C, D]) = sum[i, j, k, l](x[i, j, k, l]);
fn ramp(x[B, C, H, W], n: int)[i: n * H] = i / n + H;
fn smooth(x) = avg_pool(exp(x), 3, 1);
fn edge(x[A, B, H, W])[a, b, h: H + 2, w: W] = pad(half(x), 7)[a, b, h / 2 - 1, w / 2];
"""

# Results, the body, and what NumPy says of x and w.
KERNELS = [
    ("y: f32[B, C, P, Q]", "dim P = (H - 3) / 2 + 1; dim Q = (W - 3) / 2 + 1; y = max_pool(x, 3, 2);",
     lambda x, w: [windows(x, 3, 2).max((4, 5))]),
    ("y: f32[B, C, P, Q]", "dim P = H - 2; dim Q = W - 2; y[n, c, p, q] = avg_pool(x, 3, 1)[n, c, p, q];",
     lambda x, w: [windows(x, 3, 1).mean((4, 5))]),
    ("y: f16[B, C, P, Q]", "dim P = 3*H; dim Q = 3*W; y = relu(upsample(x, 3));",
     lambda x, w: [np.maximum(x, 0).repeat(3, 2).repeat(3, 3)]),
    ("y: f32[B, O, P, Q]", "dim P = (H + 2 - R) / s + 1; dim Q = (W + 2 - S) / s + 1; y = conv(x, w, s, 1);",
     lambda x, w: [convolution(x, w, 2, 1)]),
    ("y: f32[B, O, P, Q]", "dim P = H / 2 - R + 1; dim Q = W / 2 - S + 1; let h = cast<f16>(half(x)); "
     "y[n, o, p, q] = conv(h, w, 1, 0)[n, o, p, q] + p;",
     lambda x, w: [convolution(np.maximum(windows(x, 2, 2).max((4, 5)), 0), w, 1, 0) +
                   np.arange(SHAPE["H"] // 2 - w.shape[2] + 1)[:, None]]),
    ("y: f32[B, C, C]", "y = gram(x);", lambda x, w: [np.einsum("bihw,bjhw->bij", x, x)]),
    ("y: f32[B, C, H, W], z: f32", "y = centred(x, 2 * s); z = total(x) + 1;",
     lambda x, w: [4 * (x - x.mean()), x.sum() + 1]),
    ("y: f32[N], z: f32", "dim N = 2 * H; y = ramp(x, s); z = sum[i](ramp(x, B)[i]);",
     lambda x, w: [ramp(), ramp().sum()]),
    ("y: f32[B, C, P, Q]", "dim P = H - 2; dim Q = W - 2; y = smooth(x) - smooth(-x);",
     lambda x, w: [(windows(np.exp(x), 3, 1) - windows(np.exp(-x), 3, 1)).mean((4, 5))]),
    ("y: f32[B, C, P, W]", "dim P = H + 2; y = edge(x);",
     lambda x, w: [np.pad(np.maximum(windows(x, 2, 2).max((4, 5)), 0), ((0, 0), (0, 0), (1, 1), (0, 0)),
                          constant_values=7).repeat(2, 2)[:, :, :SHAPE["H"] + 2].repeat(2, 3)]),
]


class FunctionsOverTensors(CommandTest):
    def test_against_numpy(self):
        numbers = np.random.default_rng(5)
        x = numbers.uniform(-1, 1, list(SHAPE.values())).astype(np.float16)
        w = numbers.uniform(-1, 1, (5, 3, 2, 3)).astype(np.float16)
        np.save(self.folder / "x.npy", x)
        np.save(self.folder / "w.npy", w)
        for results, body, expected in KERNELS:
            reads_w = "O" in results
            parameters = "x: f16[B, C, H, W]" + (", w: f16[O, C, R, S]" if reads_w else "")
            parameters += ", s: int = 2"
            (self.folder / "k.mmk").write_text(
                f"{FUNCTIONS}kernel k({parameters}) -> {results} {{ {body} }}\n")
            words = ["B=2", "C=3", "H=17", "W=10", "--input", "x=x.npy"]
            words += ["O=5", "R=2", "S=3", "--input", "w=w.npy"] if reads_w else []
            names = [name for name in "yz" if f"{name}:" in results]
            for machine in MACHINES:
                with self.subTest(body=body, machine=machine):
                    outputs = [word for name in names for word in ("--output", f"{name}={name}.npy")]
                    self.mmk("run", "k.mmk", *words, *outputs, "--machine", machine)
                    wide = x.astype(np.float64), w.astype(np.float64)
                    for name, value in zip(names, expected(*wide)):
                        found = np.load(self.folder / f"{name}.npy")
                        np.testing.assert_allclose(found.reshape(np.shape(value)), value, rtol=1e-3,
                                                   atol=2e-3)

    def test_a_window_that_does_not_fit(self):
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[B, C, H, W]) -> y: f32[B, C] {\n"
            "  let t = max_pool(x, 5, 2);\n  y[b, c] = sum[p, q](t[b, c, p, q]);\n}\n")
        self.mmk("run", "k.mmk", "B=1", "C=1", "H=5", "W=8")
        self.mmk("run", "k.mmk", "B=1", "C=1", "H=3", "W=8")
        self.mmk("run", "k.mmk", "B=1", "C=1", "H=2", "W=8", exit=2)
        self.assertIn("P = (H - 5) / 2 + 1 is (2 - 5) / 2 + 1 = -1, and a dimension is 0 to", self.said)


if __name__ == "__main__":
    main()
