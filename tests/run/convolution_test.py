"""Convolutions of random parameters on every kind of machine, under the watch, compared with PyTorch in
double; and the functions of the prelude.

    COUNT=300 MMK_SEED=NUMBER convolution_test.py     more of them, others
"""

import os
import random

import numpy as np
import torch

from attention_test import loaded, rounded, stored
from command import ALL, CommandTest, divided, in_turn, main, mine, sets

MACHINES = {"ascend910b3": ("f32", "f16", "bf16", "i8"), "ascend310p3": ("f16", "i8"),
            "host": ("f32", "f16", "bf16", "i8")}
CONVOLUTIONS = {1: torch.nn.functional.conv1d, 2: torch.nn.functional.conv2d,
                3: torch.nn.functional.conv3d}
# Multiplications of one run.
MOST = 1e6


class Parameters:
    """Random parameters of one convolution; each of the lists has an element for each spatial dimension."""

    def __init__(self, draw):
        self.rank = draw.choice((1, 2, 2, 2, 3))
        each = lambda values: [draw.choice(values) for _ in range(self.rank)]
        while True:
            self.taps, self.stride = each((1, 2, 3, 3, 4, 5)), each((1, 1, 1, 2, 2, 3))
            self.dilation, self.padding = each((1, 1, 1, 2, 3)), each((0, 0, 1, 1, 2, 3))
            self.image = each((1, 2, 3, 5, 7, 8, 13, 16, 17, 29, 33))
            self.batch, self.channels = draw.choice((1, 1, 2, 3)), draw.choice((1, 2, 3, 4, 8, 15, 16, 17, 33))
            self.results = draw.choice((1, 2, 3, 7, 16, 17, 40))
            # None: each channel by itself. With groups, three dimensions would have nine variables.
            self.groups = draw.choice((1, 1, 1, 2, 3, None) if self.rank < 3 else (1, None))
            self.out = [(x + 2 * p - d * (t - 1) - 1) // s + 1 for x, p, d, t, s in zip(
                self.image, self.padding, self.dilation, self.taps, self.stride)]
            work = self.batch * self.channels * self.results * (self.groups or 1) * np.prod(self.taps)
            if min(self.out) > 0 and work * np.prod(self.out) <= MOST:
                break
        self.type = draw.choice(("f32", "f16", "bf16", "i8"))
        self.channels_last = self.groups == 1 and draw.random() < 0.4
        self.fused = self.type != "i8" and draw.random() < 0.4
        self.constant = draw.random() < 0.3

    def __str__(self):
        return ", ".join(f"{name} {value}" for name, value in vars(self).items())

    def dims(self):
        """Of the kernel, by name."""
        all_ = {"B": self.batch, "C": self.channels}
        if self.groups is not None:
            all_["O"] = self.results
        if self.groups not in (None, 1):
            all_["G"] = self.groups
        for axis in range(self.rank):
            all_[f"X{axis}"], all_[f"T{axis}"] = self.image[axis], self.taps[axis]
        return all_

    def text(self):
        axes = range(self.rank)
        group = ("G", "g") if self.groups not in (None, 1) else None
        images, taps, results = ([f"{x}{axis}" for axis in axes] for x in ("X", "T", "P"))
        r, p = [f"r{axis}" for axis in axes], [f"p{axis}" for axis in axes]
        at = [f"{self.stride[i]}*p{i} + {self.dilation[i]}*r{i} - {self.padding[i]}" for i in axes]

        def dims(batch, channels, spatial, upper):
            """In the order in which the tensor has them."""
            g = [group[0 if upper else 1]] if group else []
            if self.channels_last:
                return spatial + channels if batch is None else [batch] + spatial + channels
            return ([] if batch is None else [batch]) + g + channels + spatial

        depthwise = self.groups is None
        out, outs = ("c", "C") if depthwise else ("o", "O")
        w = (taps + ["C", "O"], r + ["c", "o"]) if self.channels_last else (
            dims(None, ["C"] if depthwise else ["O", "C"], taps, True),
            dims(None, ["c"] if depthwise else ["o", "c"], r, False))
        y = dims("B", [outs], results, True), dims("n", [out], p, False)
        over = ([] if depthwise else ["c"]) + r
        value = (f"sum[{', '.join(over)}](pad(x, 0)[{', '.join(dims('n', ['c'], at, False))}]"
                 f" * w[{', '.join(w[1])}])")
        extra, of_group = "", ("G, ", "g, ") if group else ("", "")
        if self.fused:
            value = f"max({value} + bias[{of_group[1]}{out}], residual[{', '.join(y[1])}])"
            extra = f", bias: f32[{of_group[0]}{outs}], residual: f32[{', '.join(y[0])}]"
        derived = "".join(
            f"  dim P{i} = (X{i} + {2 * self.padding[i]} - {self.dilation[i]}*(T{i} - 1) - 1)"
            f" / {self.stride[i]} + 1;\n" for i in axes)
        return (f"kernel k(x: {self.type}[{', '.join(dims('B', ['C'], images, True))}],"
                f" w: {'const ' if self.constant else ''}{self.type}[{', '.join(w[0])}]{extra})"
                f" -> y: {'i32' if self.type == 'i8' else 'f32'}[{', '.join(y[0])}] {{\n{derived}"
                f"  y[{', '.join(y[1])}] = {value};\n}}\n")

    def direct(self, draw):
        """Choices by which the cube core loads the windows; nothing where it cannot."""
        if self.rank > 2 or self.groups is None:
            return []
        pixels = "".join(f"P{axis}" for axis in range(self.rank))
        taps = "".join(f"R{axis}" for axis in range(self.rank))
        depth, rows = "C" + taps, ("N" if self.channels_last else "") + pixels
        channels = {"f32": 8, "f16": 16, "bf16": 16, "i8": 32}[self.type] * draw.choice((1, 1, 2))
        tile = draw.choice((32, 64, 96))
        stage = -(-int(np.prod(self.taps)) * channels // tile) * tile
        return [f"window=direct({channels})", f"tile.{depth}={tile}", f"stage.{depth}={stage}",
                f"tile.O={draw.choice((32, 48))}", f"tile.{rows}={draw.choice((32, 48, 80))}",
                f"store={draw.choice(('after', 'overlapped'))}", f"skew={draw.choice(('none', 'stages'))}"]

    def operands(self, generator):
        """As PyTorch has them, in the kernel's type."""
        groups = self.groups or self.channels
        channels = self.channels * (self.groups or 1)
        of_group = 1 if self.groups is None else self.channels
        results = self.channels if self.groups is None else self.results * self.groups
        shapes = {"x": (self.batch, channels, *self.image), "w": (results, of_group, *self.taps)}
        if self.type == "i8":
            values = {name: generator.integers(-128, 128, shape).astype(np.int8)
                      for name, shape in shapes.items()}
        else:
            values = {name: rounded(generator.uniform(-1, 1, shape), self.type)
                      for name, shape in shapes.items()}
        if self.fused:
            values["bias"] = generator.uniform(-1, 1, results).astype(np.float32)
            values["residual"] = generator.uniform(
                -1, 1, (self.batch, results, *self.out)).astype(np.float32)
        x, w = (torch.from_numpy(values[name].astype(np.float64)) for name in "xw")
        y = CONVOLUTIONS[self.rank](x, w, None, self.stride, self.padding, self.dilation, groups).numpy()
        if self.fused:
            y = np.maximum(y + values["bias"].reshape(-1, *[1] * self.rank), values["residual"])
        return values, y

    def placed(self, name, x):
        """An operand in the order in which the kernel has it."""
        if name == "bias" or not self.channels_last:
            return x
        axes = range(2, 2 + self.rank)
        return np.ascontiguousarray(x.transpose(*axes, 1, 0) if name == "w" else x.transpose(0, *axes, 1))


class DrawnTest(CommandTest):
    def run_in_turn(self, number, cases, parameters, words, expected, **tolerance):
        """Compares the result with what is expected, exactly if without a tolerance, on the pairs of a machine
        and choices whose turn it is."""
        for machine, choices in in_turn(number, cases):
            with self.subTest(machine=machine, choices=choices, parameters=str(parameters),
                              text=parameters.text()):
                self.mmk("run", "k.mmk", "--machine", machine, "--watch", *words, *sets(choices),
                         "--output", "y=y.npy")
                found = np.load(self.folder / "y.npy").reshape(expected.shape)
                if tolerance:
                    np.testing.assert_allclose(found, expected, **tolerance)
                else:
                    np.testing.assert_array_equal(found, expected)


class Convolutions(DrawnTest):
    def compare(self, parameters, generator, draw, number):
        values, expected = parameters.operands(generator)
        (self.folder / "k.mmk").write_text(parameters.text())
        words = [f"{name}={extent}" for name, extent in parameters.dims().items()]
        for name, x in values.items():
            as_stored = name in "xw" and parameters.type != "i8"
            np.save(self.folder / f"{name}.npy",
                    parameters.placed(name, stored(x, parameters.type) if as_stored else x).reshape(
                        self.shape(parameters, name, x)))
            words += ["--input", f"{name}={name}.npy"]
        expected = parameters.placed("y", expected)
        cases = []
        for machine, types in MACHINES.items():
            if parameters.type in types:
                direct = parameters.direct(draw) if machine != "host" else []
                cases += [(machine, []), *[(machine, direct)] * bool(direct)]
        tolerance = {} if parameters.type == "i8" else dict(rtol=1e-5, atol=3e-5)
        self.run_in_turn(number, cases, parameters, words, expected, **tolerance)

    @staticmethod
    def shape(parameters, name, x):
        """The kernel's: with the groups, and without the one channel of depthwise weights."""
        shape = list(parameters.placed(name, x).shape)
        groups = parameters.groups
        if groups is None and name == "w":
            return [shape[0], *shape[2:]]
        if groups in (None, 1) or name == "bias":
            return [groups, -1] if groups not in (None, 1) and name == "bias" else shape
        if name == "w":
            return [groups, shape[0] // groups, *shape[1:]]
        return [shape[0], groups, shape[1] // groups, *shape[2:]]

    @divided
    def test_random_parameters(self):
        seed, count = int(os.environ.get("MMK_SEED", "1")), int(os.environ.get("COUNT", "40" if ALL else "24"))
        print(f"{count} convolutions of seed {seed}, compared with PyTorch {torch.__version__}")
        for number in mine(range(count)):
            draw = random.Random(f"{seed} {number}")
            self.compare(Parameters(draw), np.random.default_rng([seed, number]), draw, number)

    def test_strided_pointwise(self):
        """A 1x1 window with a stride has no dimension of taps, and the cube loads it as one with taps."""
        generator = np.random.default_rng(5)
        for type, channels, stride in (("f16", 16, 2), ("f16", 32, 3), ("i8", 32, 2)):
            result = "i32" if type == "i8" else "f32"
            (self.folder / "k.mmk").write_text(f"""
kernel first(x: {type}[B, C, H, W], w: const {type}[O, C, 1, 1]) -> y: {result}[B, O, P, Q] {{
  dim P = (H - 1) / {stride} + 1;
  dim Q = (W - 1) / {stride} + 1;
  y = conv2d(x, w, {stride}, 0, 1);
}}
kernel last(x: {type}[B, H, W, C], w: {type}[1, 1, C, O]) -> y: {result}[B, P, Q, O] {{
  dim P = (H - 1) / {stride} + 1;
  dim Q = (W - 1) / {stride} + 1;
  y = conv2d_nhwc(x, w, {stride}, 0, 1);
}}
kernel line(x: {type}[B, C, W], w: {type}[O, C, 1]) -> y: {result}[B, O, Q] {{
  dim Q = (W - 1) / {stride} + 1;
  y = conv1d(x, w, {stride}, 0, 1);
}}
""")
            x, w = (generator.integers(-8, 9, shape).astype(np.int8 if type == "i8" else np.float16)
                    for shape in ((2, 37, 13, 18), (21, 37, 1, 1)))
            whole = np.einsum("nchw,oc->nohw", x.astype(np.float64), w[..., 0, 0].astype(np.float64))
            strided = whole[:, :, ::stride, ::stride]
            for kernel, image, weights, expected, words in (
                    ("first", x, w, strided, ["H=13"]),
                    ("last", x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0), strided.transpose(0, 2, 3, 1), ["H=13"]),
                    ("line", x[:, :, 0], w[..., 0], strided[:, :, 0], [])):
                np.save(self.folder / "x.npy", np.ascontiguousarray(image))
                np.save(self.folder / "w.npy", np.ascontiguousarray(weights))
                for machine in ("ascend910b3", "ascend310p3", "ascend950pr"):
                    for window in (f"direct({channels})", "unfolded"):
                        with self.subTest(type=type, stride=stride, kernel=kernel, machine=machine, window=window):
                            self.mmk("run", "k.mmk", "--kernel", kernel, "--machine", machine, "--watch", "--set",
                                     f"window={window}", "B=2", "C=37", "O=21", "W=18", *words, "--input", "x=x.npy",
                                     "--input", "w=w.npy", "--output", "y=y.npy")
                            np.testing.assert_array_equal(np.load(self.folder / "y.npy"), expected)

    def test_default_of_strided_pointwise(self):
        """With channels first the elements of a line lie apart, and the default reads the image by windows."""
        for machine in ("ascend910b2", "ascend310p3"):
            said = self.mmk("run", "examples/convolution/resnet50.mmk", "--kernel", "pointwise_stride2", "--case",
                            "layer_56_256_512", "--machine", machine, "--count-only", "--no-cache")
            self.assertIn("window=direct(", said)

    def test_limits_of_direct_windows(self):
        """A run whose taps or lines do not fit is refused with what is legal."""
        small = ["B=1", "C=16", "O=16", "H=8"]
        for words, message in (
                ([*small, "W=8", "R=3", "S=3", "--set", "tile.CRS=64", "--set", "stage.CRS=64"],
                 "the taps of 16 channels are 144 deep, but stage.CRS is 64; legal: stage.CRS of 144 or more, "
                 "or window = unfolded"),
                ([*small, "W=20000", "R=3", "S=3", "--set", "tile.PQ=64", "--set", "tile.O=128"],
                 "a tile of 64 pixels takes 80000 pixels of the image, but this variant holds 6128 in L1; legal: "
                 "shorter tiles or stages, fewer channels in window = direct(n), or window = unfolded"),
                ([*small, "W=40000", "R=3", "S=3"],
                 "W = 40000, but window = direct loads images of at most 32767 lines and columns; legal: "
                 "window = unfolded"),
                ([*small, "W=400", "R=1", "S=300"],
                 "S = 300, but window = direct loads windows of at most 255 taps; legal: window = unfolded")):
            with self.subTest(words=words):
                self.mmk("run", "examples/convolution/conv2d.mmk", "--kernel", "conv2d", "--count-only",
                         "--set", "window=direct", *words, exit=2)
                self.assertIn(message, self.said)
        self.mmk("run", "-", "--count-only", "--set", "window=direct", "B=1", "C=16", "O=16", "W=8", "S=3",
                 exit=2, text="kernel k(x: f16[B, C, W], w: f16[O, C, S]) -> y: f32[B, O, P] {\n"
                 "  dim P = W + 300;\n  y[n, o, p] = sum[c, s](pad(x, 0)[n, c, p + s] * w[o, c, s]);\n}\n")
        self.assertIn("windows end 302 pixels behind W = 8, and window = direct pads at most 255; legal: "
                      "window = unfolded", self.said)

    def test_depthwise_of_literal_size(self):
        """The host repeats the code of few taps, for one vector of results and for several, and computes
        several rows together where their taps are inside: the same bits on each number of threads."""
        generator = np.random.default_rng(4)
        for type, strides in (("f32", (1, 2, 3)), ("f16", (2,)), ("bf16", (1,))):
            for stride in strides:
                (self.folder / "k.mmk").write_text(f"""
kernel rows(x: {type}[B, C, H, W], w: f32[C, 3, 5]) -> y: f32[B, C, P, Q], z: f32[B, C, P, Q] {{
  dim P = (H - 1) / {stride} + 1;
  dim Q = (W - 1) / {stride} + 1;
  y[n, c, p, q] = sum[r, s](pad(x, 2)[n, c, {stride}*p + r - 1, {stride}*q + s - 2] * w[c, r, s]);
  z[n, c, p, q] = max[r: 3, s: 5](pad(x, -inf)[n, c, {stride}*p + r - 1, {stride}*q + s - 2]);
}}
kernel channels(x: {type}[B, H, W, C], w: f32[3, 5, C]) -> y: f32[B, P, Q, C], z: f32[B, P, Q, C] {{
  dim P = (H - 1) / {stride} + 1;
  dim Q = (W - 1) / {stride} + 1;
  y[n, p, q, c] = sum[r, s](pad(x, 2)[n, {stride}*p + r - 1, {stride}*q + s - 2, c] * w[r, s, c]);
  z[n, p, q, c] = max[r: 3, s: 5](pad(x, -inf)[n, {stride}*p + r - 1, {stride}*q + s - 2, c]);
}}
""")
                for channels, height, width in ((3, 5, 1), (5, 9, 7), (3, 8, 15), (3, 5, 17), (3, 14, 40), (3, 5, 130),
                                                (70, 19, 20)):
                    x = rounded(generator.uniform(-1, 1, (2, channels, height, width)), type)
                    w = generator.uniform(-1, 1, (channels, 1, 3, 5)).astype(np.float32)
                    wide, weights = (torch.from_numpy(each.astype(np.float64)) for each in (x, w))
                    sums = torch.nn.functional.conv2d(
                        torch.nn.functional.pad(wide, (2, 2, 1, 1), value=2), weights, None, stride,
                        groups=channels)
                    most = torch.nn.functional.max_pool2d(
                        torch.nn.functional.pad(wide, (2, 2, 1, 1), value=-torch.inf), (3, 5), stride)
                    kernels = ("rows", "channels")
                    for kernel in in_turn(height + stride, kernels):
                        last = (0, 2, 3, 1) if kernel == "channels" else (0, 1, 2, 3)
                        np.save(self.folder / "x.npy", stored(x.transpose(last), type))
                        np.save(self.folder / "w.npy", w[:, 0].transpose(
                            (1, 2, 0) if kernel == "channels" else (0, 1, 2)))
                        words = ("run", "k.mmk", "--kernel", kernel, "--machine", "host", "B=2",
                                 f"C={channels}", f"H={height}", f"W={width}", "--input", "x=x.npy",
                                 "--input", "w=w.npy", "--output", "y=y.npy", "--output", "z=z.npy")
                        with self.subTest(kernel=kernel, type=type, stride=stride, width=width):
                            self.mmk(*words, "--threads", "1")
                            of_one = np.load(self.folder / "y.npy")
                            self.mmk(*words)
                            np.testing.assert_array_equal(np.load(self.folder / "y.npy"), of_one)
                            np.testing.assert_allclose(np.load(self.folder / "y.npy"),
                                                       sums.numpy().transpose(last), atol=1e-4)
                            np.testing.assert_array_equal(np.load(self.folder / "z.npy"),
                                                          most.numpy().transpose(last))

    def test_depthwise_of_bf16(self):
        """Pairs of bf16, which the host widens apart: next to infinities and NaN, and where results are
        subnormal. The result in bf16 is that in f32, rounded."""
        generator = np.random.default_rng(5)
        for stride, dilation, padding in ((1, 1, 0.0), (1, 2, 3.0), (2, 1, 0.0)):
            at = lambda p, r: f"{stride}*{p} + {dilation}*{r} - {dilation}"
            dims = "".join(f"  dim {out} = ({x} - 1) / {stride} + 1;\n" for out, x in ("PH", "QW"))
            (self.folder / "k.mmk").write_text(f"""
kernel rows(x: bf16[B, C, H, W], w: bf16[C, 3, 3], b: f32[C]) -> y: f32[B, C, P, Q], z: bf16[B, C, P, Q] {{
{dims}  let v[n, c, p: P, q: Q] =
    sum[r, s](pad(x, {padding})[n, c, {at("p", "r")}, {at("q", "s")}] * w[c, r, s]) + b[c];
  y[n, c, p, q] = v[n, c, p, q];
  z[n, c, p, q] = v[n, c, p, q];
}}
kernel channels(x: bf16[B, H, W, C], w: bf16[3, 3, C], b: f32[C]) -> y: f32[B, P, Q, C], z: bf16[B, P, Q, C] {{
{dims}  let v[n, p: P, q: Q, c] =
    sum[r, s](pad(x, {padding})[n, {at("p", "r")}, {at("q", "s")}, c] * w[r, s, c]) + b[c];
  y[n, p, q, c] = v[n, p, q, c];
  z[n, p, q, c] = v[n, p, q, c];
}}
""")
            for channels, height, width in ((33, 7, 7), (31, 9, 14), (64, 8, 33), (3, 5, 71)):
                for scale, specials in ((1, True), (2.0**-128, False)):
                    x = rounded(generator.uniform(-1, 1, (2, channels, height, width)) * scale, "bf16")
                    if specials:
                        for special in (np.inf, -np.inf, np.nan):
                            x.ravel()[generator.integers(x.size, size=3)] = special
                    w = rounded(generator.uniform(-1, 1, (channels, 3, 3)), "bf16")
                    bias = (generator.uniform(-1, 1, channels) * scale).astype(np.float32)
                    wide, weights, added = (torch.from_numpy(each.astype(np.float64))
                                            for each in (x, w, bias))
                    expected = torch.nn.functional.conv2d(
                        torch.nn.functional.pad(wide, (dilation,) * 4, value=padding), weights[:, None],
                        added, stride, 0, dilation, channels)
                    kernels = ("rows", "channels")
                    for kernel in in_turn(width + specials, kernels):
                        last = (0, 2, 3, 1) if kernel == "channels" else (0, 1, 2, 3)
                        np.save(self.folder / "x.npy", stored(x.transpose(last), "bf16"))
                        np.save(self.folder / "w.npy",
                                stored(w.transpose((1, 2, 0)) if kernel == "channels" else w, "bf16"))
                        np.save(self.folder / "b.npy", bias)
                        with self.subTest(kernel=kernel, stride=stride, dilation=dilation, width=width,
                                          scale=scale):
                            self.mmk("run", "k.mmk", "--kernel", kernel, "--machine", "host", "B=2",
                                     f"C={channels}", f"H={height}", f"W={width}", "--input", "x=x.npy",
                                     "--input", "w=w.npy", "--input", "b=b.npy", "--output", "y=y.npy",
                                     "--output", "z=z.npy")
                            found = np.load(self.folder / "y.npy")
                            np.testing.assert_allclose(found, expected.numpy().transpose(last),
                                                       atol=1e-5 * scale)
                            narrow = loaded(np.load(self.folder / "z.npy"), "bf16")
                            numbers = ~np.isnan(found)
                            np.testing.assert_array_equal(np.isnan(narrow), ~numbers)
                            np.testing.assert_array_equal(narrow[numbers], rounded(found, "bf16")[numbers])

    def test_windows_of_channels(self):
        """Runs that begin outside of the tensor, or whose taps do, are not whole."""
        for kernel in (
                "x: bf16[B, H, W, C], w: bf16[3, 3, C]) -> y: f32[B, H, W, C] {\n  y[n, p, q, c] = sum[r, s]("
                "pad(x, 2)[n, p + r - 1, q + s - 1, c - 1] * w[r, s, c]);\n}",
                "x: f32[B, H, W, C], w: f32[3, 3, C]) -> y: f32[B, H, W, C] {\n  y[n, p, q, c] = sum[r, s]("
                "pad(x, 2)[n, p + r - 1, q, c + s - 1] * w[r, s, c]);\n}",
                "x: f32[B, C, H, W], w: f32[C, 3, 3]) -> y: f32[B, C, H, W] {\n  y[n, c, p, q] = sum[r, s]("
                "pad(x, 2)[n, c - 1, p + r - 1, q + s - 1] * w[c, r, s]);\n}"):
            for channels, height, width in ((570, 9, 7), (33, 4, 8), (7, 5, 33)):
                with self.subTest(kernel=kernel, channels=channels):
                    # Each result is compared with the reference.
                    self.mmk("run", "-", "--machine", "host", "B=2", f"C={channels}", f"H={height}",
                             f"W={width}", text=f"kernel k({kernel}\n")

    def test_prelude(self):
        generator = np.random.default_rng(3)
        nn = torch.nn.functional
        last = lambda x: x.permute(0, 2, 3, 1)
        # The call, the results' spatial dimensions by those of x, the shapes of x and w, and what
        # PyTorch says.
        strided = [f"({d} + 2*2 - 2*({t} - 1) - 1) / 2 + 1" for d, t in ("HR", "WS", "DT")]
        enlarged = [f"2*({d} - 1) + {t} - 2" for d, t in ("HR", "WS")]
        pooled = [f"({d} + 2 - 3) / 2 + 1" for d in "HW"]
        for call, dims, results, x, w, model in (
                ("conv1d(x, w, 2, 2, 2)", "BCW OCS", ["B", "O", strided[1]], (2, 3, 13), (5, 3, 4),
                 lambda x, w: nn.conv1d(x, w, None, 2, 2, 2)),
                ("conv2d(x, w, 2, 2, 2)", "BCHW OCRS", ["B", "O", *strided[:2]], (2, 3, 7, 13),
                 (5, 3, 3, 4), lambda x, w: nn.conv2d(x, w, None, 2, 2, 2)),
                ("conv3d(x, w, 2, 2, 2)", "BCDHW OCTRS", ["B", "O", strided[2], *strided[:2]],
                 (1, 3, 4, 7, 6), (5, 3, 2, 3, 4), lambda x, w: nn.conv3d(x, w, None, 2, 2, 2)),
                ("conv2d_nhwc(x, w, 2, 2, 2)", "BHWC RSCO", ["B", *strided[:2], "O"], (2, 7, 13, 3),
                 (3, 4, 3, 5), lambda x, w: last(nn.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1),
                                                           None, 2, 2, 2))),
                ("grouped_conv2d(x, w, 2, 2, 2)", "BGCHW GOCRS", ["B", "G", "O", *strided[:2]],
                 (2, 2, 3, 7, 13), (2, 5, 3, 3, 4),
                 lambda x, w: nn.conv2d(x.flatten(1, 2), w.flatten(0, 1), None, 2, 2, 2, 2)),
                ("depthwise_conv2d(x, w, 2, 2, 2)", "BCHW CRS", ["B", "C", *strided[:2]], (2, 3, 7, 13),
                 (3, 3, 4), lambda x, w: nn.conv2d(x, w[:, None], None, 2, 2, 2, 3)),
                ("conv_transpose2d(x, w, 2, 1)", "BCHW CORS", ["B", "O", *enlarged], (2, 3, 7, 5),
                 (3, 5, 4, 3), lambda x, w: nn.conv_transpose2d(x, w, None, 2, 1)),
                ("max_pool2d(x, 3, 2, 1)", "BCHW", ["B", "C", *pooled], (2, 3, 7, 8), None,
                 lambda x, w: nn.max_pool2d(x, 3, 2, 1)),
                ("avg_pool2d(x, 3, 2, 1)", "BCHW", ["B", "C", *pooled], (2, 3, 7, 8), None,
                 lambda x, w: nn.avg_pool2d(x, 3, 2, 1))):
            values = {"x": rounded(generator.uniform(-1, 1, x), "f16")}
            if w:
                values["w"] = rounded(generator.uniform(-1, 1, w), "f16")
            names = dict(zip("xw", dims.split()))
            parameters = ", ".join(f"{name}: f16[{', '.join(names[name])}]" for name in values)
            derived = "".join(f"  dim N{i} = {each};\n" for i, each in enumerate(results)
                              if len(each) > 1)
            shape = ", ".join(f"N{i}" if len(each) > 1 else each for i, each in enumerate(results))
            (self.folder / "k.mmk").write_text(
                f"kernel k({parameters}) -> y: f32[{shape}] {{\n{derived}  y = {call};\n}}\n")
            words = []
            for name, value in values.items():
                np.save(self.folder / f"{name}.npy", value.astype(np.float16))
                words += ["--input", f"{name}={name}.npy"]
                words += [f"{d}={n}" for d, n in zip(names[name], value.shape) if f"{d}={n}" not in words]
            wide = [torch.from_numpy(value.astype(np.float64)) for value in values.values()]
            expected = model(*wide, *[None] * (2 - len(wide))).numpy()
            for machine in MACHINES:
                with self.subTest(call=call, machine=machine):
                    self.mmk("run", "k.mmk", "--machine", machine, "--watch", *words, "--output",
                             "y=y.npy")
                    found = np.load(self.folder / "y.npy").reshape(expected.shape)
                    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=3e-5)


if __name__ == "__main__":
    main()
