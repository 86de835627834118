"""Poolings behind convolutions of random parameters, `fuse = windows`, on every kind of machine, under the
watch, compared with PyTorch in double.

    COUNT=100 MMK_SEED=NUMBER pooled_products_test.py     more of them, others
"""

import os
import random

import numpy as np
import torch

from attention_test import rounded, stored
from command import divided, main, mine
from convolution_test import DrawnTest

MACHINES = {"ascend910b3": ("f32", "f16", "bf16"), "ascend310p3": ("f16",), "ascend950pr": ("f16", "bf16"),
            "host": ("f32", "f16", "bf16")}
# Multiplications of one run.
MOST = 4e5


class Parameters:
    def __init__(self, draw):
        pair = lambda values: [draw.choice(values) for _ in range(2)]
        while True:
            self.taps, self.stride = pair((1, 2, 3, 3)), pair((1, 1, 2))
            self.dilation, self.padding = pair((1, 1, 2)), pair((0, 1, 1, 2))
            self.image = pair((3, 5, 8, 13, 16, 17, 29))
            self.batch, self.channels = draw.choice((1, 1, 2, 3)), draw.choice((1, 3, 8, 16, 17, 33))
            self.results = draw.choice((1, 3, 16, 17, 40))
            self.window = draw.choice(((2, 2), (2, 2), (1, 2), (2, 1), (3, 3), (2, 3)))
            self.step = [k + draw.choice((0, 0, 1)) for k in self.window]
            self.of_product = [(x + 2 * p - d * (t - 1) - 1) // s + 1 for x, p, d, t, s in zip(
                self.image, self.padding, self.dilation, self.taps, self.stride)]
            self.out = [(x - k) // s + 1 for x, k, s in zip(self.of_product, self.window, self.step)]
            work = self.batch * self.channels * self.results * np.prod(self.taps)
            if min(self.of_product) > 0 and min(self.out) > 0 and work * np.prod(self.of_product) <= MOST:
                break
        self.type = draw.choice(("f32", "f16", "bf16"))
        self.kind = draw.choice(("max", "max", "mean", "min"))
        self.channels_last = draw.random() < 0.5
        self.activation = draw.choice(("", "relu", "silu"))
        self.narrow = draw.random() < 0.3

    def __str__(self):
        return ", ".join(f"{name} {value}" for name, value in vars(self).items())

    def dims(self):
        (h, w), (r, s) = self.image, self.taps
        return {"B": self.batch, "C": self.channels, "O": self.results, "H": h, "W": w, "R": r, "S": s}

    def text(self):
        last = self.channels_last
        place = lambda batch, channel, spatial: ", ".join(
            [batch, *spatial, channel] if last else [batch, channel, *spatial])
        at = [f"{self.stride[i]}*{v} + {self.dilation[i]}*{t} - {self.padding[i]}"
              for i, (v, t) in enumerate(zip("hv", "rs"))]
        of_window = [f"{self.step[i]}*{v} + {t}" for i, (v, t) in enumerate(zip("pq", "ij"))]
        w = ("R, S, C, O", "r, s, c, o") if last else ("O, C, R, S", "o, c, r, s")
        over = "r, s, c" if last else "c, r, s"
        value = (f"sum[{over}](pad(x, 0)[{place('n', 'c', at)}] * w[{w[1]}]) + bias[o]")
        if self.activation:
            value = f"{self.activation}({value})"
        if self.narrow:
            value = f"cast<f16>({value})"
        derived = "".join(
            f"  dim {n} = ({x} + {2 * self.padding[i]} - {self.dilation[i]}*({t} - 1) - 1)"
            f" / {self.stride[i]} + 1;\n  dim {q} = ({n} - {self.window[i]}) / {self.step[i]} + 1;\n"
            for i, (n, q, x, t) in enumerate(zip("MN", "PQ", "HW", "RS")))
        taps = f"i: {self.window[0]}, j: {self.window[1]}"
        return (f"kernel k(x: {self.type}[{place('B', 'C', 'HW')}], w: {self.type}[{w[0]}], bias: f32[O])"
                f" -> y: f32[{place('B', 'O', 'PQ')}] {{\n{derived}"
                f"  let z[{place('n', 'o', ['h: M', 'v: N'])}] = {value};\n"
                f"  y[{place('n', 'o', 'pq')}] = {self.kind}[{taps}](z[{place('n', 'o', of_window)}]);\n}}\n")

    def direct(self, draw):
        """Choices by which the cube core loads the windows; nothing where it cannot: columns of padding
        are those of the first tap, and 0 or more for each."""
        taps = [(k - 1) * s for k, s in zip(self.window, self.stride)]
        step = [k * s for k, s in zip(self.step, self.stride)]
        pixels = "B*P*Q" if self.channels_last else "P*Q"
        if any(p < t for p, t in zip(self.padding, taps)) or max(step) > 63:
            return []
        channels = {"f32": 8, "f16": 16, "bf16": 16}[self.type] * draw.choice((1, 1, 2))
        tile = draw.choice((32, 64))
        stage = -(-int(np.prod(self.taps)) * channels // tile) * tile
        depth = "RSC" if self.channels_last else "CRS"
        return [f"window=direct({channels})", f"tile.{depth}={tile}", f"stage.{depth}={stage}",
                f"tile.O={draw.choice((16, 32))}", f"tile.{pixels}={draw.choice((16, 32, 48))}",
                f"buffers.l0={draw.choice((1, 2))}", f"skew={draw.choice(('none', 'stages'))}"]

    def operands(self, generator):
        """As PyTorch has them, in the kernel's type."""
        shapes = {"x": (self.batch, self.channels, *self.image),
                  "w": (self.results, self.channels, *self.taps)}
        values = {name: rounded(generator.uniform(-1, 1, shape), self.type)
                  for name, shape in shapes.items()}
        values["bias"] = generator.uniform(-1, 1, self.results).astype(np.float32)
        x, w, bias = (torch.from_numpy(values[name].astype(np.float64)) for name in ("x", "w", "bias"))
        z = torch.nn.functional.conv2d(x, w, bias, self.stride, self.padding, self.dilation)
        z = {"": lambda v: v, "relu": torch.relu, "silu": torch.nn.functional.silu}[self.activation](z)
        pools = {"max": lambda v: torch.nn.functional.max_pool2d(v, self.window, self.step),
                 "min": lambda v: -torch.nn.functional.max_pool2d(-v, self.window, self.step),
                 "mean": lambda v: torch.nn.functional.avg_pool2d(v, self.window, self.step)}
        return values, pools[self.kind](z).numpy()

    def placed(self, name, x):
        """An operand in the order in which the kernel has it."""
        if name == "bias" or not self.channels_last:
            return x
        return np.ascontiguousarray(x.transpose(2, 3, 1, 0) if name == "w" else x.transpose(0, 2, 3, 1))


class PooledProducts(DrawnTest):
    def compare(self, parameters, generator, draw, number):
        values, expected = parameters.operands(generator)
        (self.folder / "k.mmk").write_text(parameters.text())
        words = [f"{name}={extent}" for name, extent in parameters.dims().items()]
        for name, x in values.items():
            np.save(self.folder / f"{name}.npy",
                    parameters.placed(name, x if name == "bias" else stored(x, parameters.type)))
            words += ["--input", f"{name}={name}.npy"]
        expected = parameters.placed("y", expected)
        tolerance = 4e-3 if parameters.narrow else 3e-5
        cases = []
        for machine, types in MACHINES.items():
            if parameters.type in types:
                direct = parameters.direct(draw) if machine != "host" else []
                cases += [(machine, []), (machine, ["fuse=windows"])]
                cases += [(machine, ["fuse=windows", *direct])] if direct else []
        self.run_in_turn(number, cases, parameters, words, expected, rtol=tolerance, atol=tolerance)

    @divided
    def test_random_parameters(self):
        seed, count = int(os.environ.get("MMK_SEED", "1")), int(os.environ.get("COUNT", "16"))
        print(f"{count} poolings of seed {seed}, compared with PyTorch {torch.__version__}")
        for number in mine(range(count)):
            draw = random.Random(f"{seed} {number}")
            self.compare(Parameters(draw), np.random.default_rng([seed, number]), draw, number)

    def test_nothing_to_pool(self):
        """A window that overlaps, that is of another tensor, or a product that is needed whole."""
        kernel = """kernel k(x: f16[B, H, W, C], w: f16[C, O]) -> y: f32[B, P, Q, O]{result} {{
  dim P = (H - 3) / 2 + 1;
  dim Q = (W - 3) / 2 + 1;
  let z[n, h, v, o] = sum[c](x[n, h, v, c] * w[c, o]);
  {statement}
}}
"""
        overlapping = "y[n, p, q, o] = max[i: 3, j: 3](z[n, 2*p + i, 2*q + j, o]);"
        needed = "y[n, p, q, o] = max[i: 2, j: 2](z[n, 2*p + i, 2*q + j, o]); u[n, h, v, o] = z[n, h, v, o];"
        for result, statement in (("", overlapping), (", u: f32[B, H, W, O]", needed)):
            for machine in ("ascend910b3", "host"):
                with self.subTest(statement=statement, machine=machine):
                    self.mmk("run", "-", "--machine", machine, "--set", "fuse=windows", "B=1", "H=9", "W=8",
                             "C=4", "O=5", exit=2,
                             text=kernel.format(result=result, statement=statement))
                    self.assertIn("fuse = windows computes a product once for each tap of a pooling behind it, "
                                  "of at most 9 taps that do not overlap and are within the product, and this "
                                  "kernel has no such pooling; nearest legal: fuse = all", self.said)

    def test_traffic(self):
        """With channels first a pooling by itself reads pixels that lie apart. Beside the convolution it is
        the default, and the product does not go to memory as a whole."""
        words = ["examples/convolution/pooling.mmk", "--kernel", "conv_max_pool", "--case", "layer",
                 "--machine", "ascend910b3", "--count-only"]
        chosen, apart = (self.report(*words, *more)[0] for more in ([], ["--set", "fuse=all"]))
        self.assertIn("fuse=windows", chosen["variant"])
        of_work = [each["clock"]["time_us"] - each["clock"]["task_us"] for each in (chosen, apart)]
        self.assertLess(of_work[0], 0.5 * of_work[1])


if __name__ == "__main__":
    main()
