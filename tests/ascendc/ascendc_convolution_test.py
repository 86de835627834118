"""Convolutions as Ascend C: windows that LoadData makes, and those that are written out. ASCENDC_VARIANTS=20 is
the long run."""

import subprocess

from projects import HERE
from variants import VARIANTS, VariantTest
from command import EXAMPLES, LONGEST, divided, main

DIRECT = ("--set", "window=direct(16)")
SAME = """\
kernel convolution(x: {kind}[B, H, W, C], w: {kind}[3, 3, C, O]) -> y: {result}[B, H, W, O] {{
  y[n, p, q, o] = sum[r, s, c](pad(x, 0)[n, p + r - 1, q + s - 1, c] * w[r, s, c, o]);
}}
"""
# With strides, lines of the image are longer than the windows reach; without padding.
STRIDED = """\
kernel convolution(x: f16[B, H, W, C], w: f16[R, S, C, O]) -> y: f32[B, P, Q, O] {
  dim P = (H - R) / 2 + 1;
  dim Q = (W - S) / 3 + 1;
  y[n, p, q, o] = sum[r, s, c](x[n, 2 * p + r, 3 * q + s, c] * w[r, s, c, o]);
}
"""
DILATED = """\
kernel convolution(x: f16[B, H, W, C], w: f16[3, 3, C, O], bias: f32[O]) -> y: f16[B, H, W, O] {
  y[n, p, q, o] = relu(sum[r, s, c](pad(x, 0)[n, p + 2 * r - 2, q + 2 * s - 2, c] * w[r, s, c, o]) + bias[o]);
}
"""

# With more padding than taps, the windows of some tiles lie in it alone.
PADDED = """\
kernel convolution(x: f16[B, H, W, C], w: f16[R, S, C, O]) -> y: f32[B, P, Q, O] {
  dim P = H - R + 7;
  dim Q = W - S + 3;
  y[n, p, q, o] = sum[r, s, c](pad(x, 0)[n, p + r - 3, q + s - 1, c] * w[r, s, c, o]);
}
"""
# A product for each tap of the pooling, out of the same lines.
POOLED = """\
kernel pooled(x: f16[B, H, W, C], w: f16[3, 3, C, O], bias: f32[O]) -> y: f16[B, P, Q, O] {
  dim P = H / 2;
  dim Q = W / 2;
  let z[n, h: H, v: W, o] =
      relu(sum[r, s, c](pad(x, 0)[n, h + r - 1, v + s - 1, c] * w[r, s, c, o]) + bias[o]);
  y[n, p, q, o] = max[i: 2, j: 2](z[n, 2*p + i, 2*q + j, o]);
}
"""


def dims(B, H, W, C, O, R=3, S=3, strides=None):
    """The dimensions of a convolution, also those of its result; with strides without padding."""
    P, Q = (H, W) if strides is None else ((H - R) // strides[0] + 1, (W - S) // strides[1] + 1)
    return dict(B=B, H=H, W=W, C=C, O=O, R=R, S=S, P=P, Q=Q)


# Of examples, in the order of the dimensions that a launch takes.
EXTENTS = {
    "convolution/conv2d:conv2d_nhwc": ((2, 11, 9, 5, 3, 3, 7),),
    "convolution/conv2d:conv2d": ((2, 5, 11, 9, 7, 3, 3),),
    "convolution/conv1d:conv1d": ((2, 5, 37, 19, 4),),
    "convolution/conv2d_bias_relu": ((2, 5, 11, 9, 7),),
    "convolution/pooling:conv_max_pool": ((2, 5, 11, 9, 7),),
}
# Of the long run.
OTHERS = {
    "convolution/conv1d:conv1d_causal": ((2, 5, 37, 19),),
    "convolution/grouped": ((2, 3, 5, 9, 7, 3),),
    "convolution/conv3d": ((2, 3, 4, 5, 7, 5, 3, 2, 3),),
    "convolution/resnet50:stem": ((1, 5, 9, 11, 7),),
    "convolution/resnet50:window": ((2, 5, 9, 11, 7),),
    "convolution/transposed": ((2, 5, 7, 6, 3, 4, 3),),
}


class Convolution(VariantTest):
    choices = {
        "tile.NPQ": (16, 64, 128), "tile.O": (16, 64), "tile.RSC": (16, 32, 64), "buffers.l1": (1, 2),
        "buffers.l0": (1, 2), "buffers.acc": (1, 2), "cores": (1, 3, 20), "order": ("rows", "columns"),
        "skew": ("none", "stages"), "store": ("after", "overlapped"),
        "window": ("direct(16)", "direct(32)", "unfolded"),
    }
    refused = "a tile whose columns do not follow each other in memory"
    first = ({"window": "direct(16)"}, {"window": "unfolded"})

    @divided
    def test_examples(self):
        self.check_examples(EXTENTS | OTHERS if VARIANTS else EXTENTS, 1)

    def test_types(self):
        for kind, result in (("f16", "f32"), ("f32", "f32"), ("bf16", "bf16")):
            self.check(SAME.format(kind=kind, result=result), [dims(1, 1, 1, 1, 1), dims(2, 7, 9, 5, 33), dims(1, 14, 30, 40, 20)],
                       *DIRECT)

    def test_strides(self):
        self.check(STRIDED, [dims(1, 1, 1, 1, 1, 1, 1, (2, 3)), dims(2, 12, 19, 5, 33, 3, 2, (2, 3)),
                             dims(1, 14, 30, 40, 20, 5, 3, (2, 3))], *DIRECT)

    def test_padding_alone(self):
        for H, R in ((5, 1), (4, 2), (1, 3)):
            self.check(PADDED, [dict(B=2, H=H, W=17, C=9, O=20, R=R, S=3, P=H - R + 7, Q=17)], *DIRECT, "--set", "tile.NPQ=16")

    def test_dilation_and_epilogue(self):
        self.check(DILATED, [dims(2, 7, 9, 5, 33)], *DIRECT)

    def test_pooled(self):
        for more in ((), ("--set", "buffers.l0=1", "--set", "skew=stages", "--set", "bias=table")):
            self.check(POOLED, [dict(B=B, H=H, W=W, C=C, O=O, P=H // 2, Q=W // 2)
                                for B, H, W, C, O in ((1, 2, 2, 1, 1), (2, 12, 18, 40, 33), (1, 7, 9, 17, 20))],
                       *DIRECT, "--set", "fuse=windows", "--set", "tile.B*P*Q=16", "--set", "tile.O=32", *more)

    def test_flags_of_pooled(self):
        self.expect_flags(POOLED, dict(B=2, H=12, W=18, C=40, O=33, P=6, Q=9), "--set", "window=direct(32)", "--set",
                          "fuse=windows", "--set", "tile.B*P*Q=16", "--set", "tile.O=32", "--set", "cores=1", least=15)

    def test_flags(self):
        self.expect_flags(SAME.format(kind="f16", result="f32"), dims(2, 14, 20, 50, 33), "--set",
                          "window=direct(32)", "--set", "cores=1", least=15)

    def test_launch(self):
        """Dimensions that follow from others are computed by the launch."""
        project = self.emit(EXAMPLES / "convolution" / "transposed.mmk")
        self.assertRegex((project / "transposed.h").read_text(),
                         r"transposed_workspace_bytes\(int64_t B, int64_t C, int64_t H, int64_t W, int64_t O,"
                         r"\s+int64_t R, int64_t S\) \{\n  const int64_t P = ")

    def test_host_programs(self):
        for name, kernel, extents in (("transposed", "transposed", ()),
                                      ("mobilenet_v2", "filter", ("B=2", "C=5", "H=11", "W=9"))):
            project = self.emit(EXAMPLES / "convolution" / f"{name}.mmk", "--kernel", kernel,
                                *(extents or ("--case", "ragged")))
            self.build(project / "run", "-x", "c++", project / "main.asc")
            done = subprocess.run([project / "run", "repeat=1"], capture_output=True, text=True, timeout=LONGEST)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.build(project / "torch.so", "-shared", "-fPIC", "-isystem", HERE / "torch", "-x", "c++",
                       project / "torch.asc")

    def test_channels_first(self):
        """The product is transposed; the scalar unit then moves its columns out of the workspace."""
        self.check(EXAMPLES / "convolution" / "conv2d.mmk", [dict(B=2, C=5, H=11, W=9, O=7, R=3, S=3, P=11, Q=9)], *DIRECT,
                   kernel="conv2d", orders=("ahead",))


if __name__ == "__main__":
    main()
