"""Kernels of two products and row algebra between them, as `mmk compile --emit=ascendc` writes them.
ASCENDC_VARIANTS=20 is the long run."""

from variants import VariantTest
from command import EXAMPLES, divided, main

EXTENTS = {
    "attention/attention": ((1, 2, 33, 32, 65, 48), (1, 1, 1, 1, 1, 1)),
    "attention/attention_causal": ((1, 2, 33, 32, 65),),
    "attention/attention_window": ((1, 1, 33, 32, 65),),
    "attention/attention_decode:attention_decode_group": ((1, 1, 4, 32, 300),),
    "attention/attention_decode:attention_decode": ((1, 4, 2, 32, 1, 70),),
    "attention/attention_gqa": ((1, 16, 33, 32, 2, 65),),
    "attention/attention_backward:delta": ((1, 2, 33, 32),),
    "attention/attention_backward:dq": ((1, 1, 33, 32, 65),),
    "attention/attention_backward:dkv": ((1, 1, 33, 32, 65),),
    "attention/attention_backward:dq_causal": ((1, 1, 65, 32, 65),),
    "attention/attention_backward:dkv_causal": ((1, 1, 65, 32, 65),),
    "attention_scores": ((1, 33, 1, 32, 65),),
    "attention_weights": ((1, 33, 32, 65),),
    "linear_rms_norm": ((33, 65, 96),),
}


# The left operand of one product is transposed on its way into L0A, that of the other is not; of the second the depth
# is no whole square.
SHARED = """\
kernel product(q: f32[H, D, M], k: f32[H, N, D], v: f32[H, E, N]) -> y: f16[H, M, E] {
  let s[h, i, j] = 0.1 * sum[d](q[h, d, i] * k[h, j, d]);
  let p[h, i, j] = exp(s[h, i, j] - max[j](s[h, i, j]));
  y[h, i, e] = sum[j](cast<f32>(p[h, i, j]) * v[h, e, j]);
  schedule { fuse = products; tile N = 16, D = 32; }
}
"""


class Attention(VariantTest):
    choices = {
        "cores": (1, 3, 20), "tile.M": (16, 32, 64), "tile.N": (32, 64, 128), "fuse": ("products", "rows", "all", "none"),
        "preload": (1, 2, 3), "skew": ("stages", "none"), "buffers.l0": (1, 2), "buffers.l1": (1, 2),
        "buffers.acc": (1, 2), "buffers.out": (1, 2), "buffers.ub": (1, 2),
    }
    first = ({"fuse": "products", "preload": 2, "skew": "stages", "tile.N": 32}, {})

    @divided
    def test_examples(self):
        self.check_examples(EXTENTS, 1)

    def test_shared_buffer(self):
        """Found by a random kernel."""
        self.check(SHARED, [dict(H=2, D=72, M=100, N=6, E=80)])

    def test_flags(self):
        self.expect_flags(EXAMPLES / "attention" / "attention.mmk", (1, 1, 40, 40, 200, 32), "--set", "cores=1",
                          "--set", "tile.M=32", "--set", "tile.N=32", "--set", "fuse=products", "--set", "preload=2",
                          "--set", "skew=stages", "--set", "stage.D=64", "--set", "stage.N=64", least=40)


if __name__ == "__main__":
    main()
