"""Kernels of two products and row algebra between them, as `mmk compile --emit=ascendc` writes them.
ASCENDC_VARIANTS=20 is the long run."""

from variants import VariantTest
from command import EXAMPLES, main

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


class Attention(VariantTest):
    choices = {
        "cores": (1, 3, 20), "tile.M": (16, 32, 64), "tile.N": (32, 64, 128), "fuse": ("products", "rows", "all", "none"),
        "preload": (1, 2, 3), "skew": ("stages", "none"), "buffers.l0": (1, 2), "buffers.l1": (1, 2),
        "buffers.acc": (1, 2), "buffers.out": (1, 2), "buffers.ub": (1, 2),
    }
    first = ({"fuse": "products", "preload": 2, "skew": "stages", "tile.N": 32}, {})

    def test_examples(self):
        self.check_examples(EXTENTS, 1)

    def test_flags(self):
        self.expect_flags(EXAMPLES / "attention" / "attention.mmk", (1, 1, 40, 40, 200, 32), "--set", "cores=1",
                          "--set", "tile.M=32", "--set", "tile.N=32", "--set", "fuse=products", "--set", "preload=2",
                          "--set", "skew=stages", "--set", "stage.D=64", "--set", "stage.N=64", least=40)


if __name__ == "__main__":
    main()
