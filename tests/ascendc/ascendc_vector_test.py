"""Vector work of `mmk compile --emit=ascendc`: examples without a product in several variants, and what the
interface has no instruction for. ASCENDC_VARIANTS=20 is the long run."""

import subprocess

from projects import HERE
from variants import VariantTest
from command import EXAMPLES, LONGEST, divided, main

EXTENTS = {
    "add_rms_norm": (33, 203),
    "bias_relu": (2, 3, 17, 100),
    "causal_softmax": (2, 19, 77),
    "column_sums": (201, 33),
    "cross_entropy": (27, 301),
    "dropout_residual_layer_norm": (7, 303),
    "global_average_pool": (2, 33, 5, 9),
    "group_norm_silu": (2, 3, 5, 7, 33),
    "layer_norm": (31, 301),
    "matmul_bias_gelu": (40, 40, 72),
    "max_pool": (1, 2, 17, 31),
    "quantize_rows": (27, 301),
    "rms_norm": (41, 523),
    "rope": (19, 3, 37),
    "row_argmax": (33, 601),
    "softmax": (63, 347),
    "swiglu": (27, 301),
}

HOST_PROGRAMS = ("cross_entropy", "dropout_residual_layer_norm", "max_pool", "quantize_rows", "row_argmax")


class Vector(VariantTest):
    choices = {
        "cores": (1, 3, 20), "tile.M": (1, 4, 16, 40), "tile.N": (64, 128, 512), "tile.C": (128, 256),
        "tile.W": (16, 64), "buffers.ub": (1, 2), "buffers.out": (1, 2), "reduce": ("whole", "two_pass", "online"),
        "grid.M": (1, 2), "grid.N": (1, 2),
    }

    @divided
    def test_examples(self):
        self.check_examples({name: (extents, (1,) * len(extents)) for name, extents in EXTENTS.items()}, 2)

    def test_host_programs(self):
        """Each checks its results against the body of the kernel in double."""
        for name in HOST_PROGRAMS:
            with self.subTest(name=name):
                project = self.emit(EXAMPLES / f"{name}.mmk", "--case", "ragged")
                self.build(project / "run", "-x", "c++", project / "main.asc")
                done = subprocess.run([project / "run", "repeat=1"], capture_output=True, text=True, timeout=LONGEST)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertRegex(done.stdout, r"^(\w+: \d+ of \d+ elements checked, 0 wrong\n)+.* us a run")
                self.build(project / "torch.so", "-shared", "-fPIC", "-isystem", HERE / "torch", "-x", "c++",
                           project / "torch.asc")

    def test_flags(self):
        self.expect_flags(EXAMPLES / "softmax.mmk", (70, 300), "--set", "cores=1", "--set", "tile.M=40", least=15)


if __name__ == "__main__":
    main()
