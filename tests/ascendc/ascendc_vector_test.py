"""Vector work of `mmk compile --emit=ascendc`: examples without a product in several variants, and what the
interface has no instruction for.

ASCENDC_VARIANTS=20 is the long run; ASCENDC_ONLY names examples."""

import os
import random
import re

from projects import ProjectTest, Signature
from command import EXAMPLES, main

ONLY = os.environ.get("ASCENDC_ONLY", "").split()
VARIANTS = int(os.environ.get("ASCENDC_VARIANTS", "2"))
# Ragged extents of each example.
SHAPES = {
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
# What a variant may choose; what a kernel does not have, or what does not fit, is another choice.
CHOICES = {
    "cores": (1, 3, 20), "tile.M": (1, 4, 16, 40), "tile.N": (64, 128, 512), "tile.C": (128, 256), "tile.W": (16, 64),
    "buffers.ub": (1, 2), "buffers.out": (1, 2), "reduce": ("whole", "two_pass", "online"), "grid.M": (1, 2),
    "grid.N": (1, 2),
}


class Vector(ProjectTest):
    def variants(self, name, count):
        """Projects of some variants that are legal, the default first, each with its name."""
        program, draw, found = EXAMPLES / f"{name}.mmk", random.Random(name), {}
        for attempt in range(20 * count):
            if len(found) == count:
                break
            sets = {key: draw.choice(values) for key, values in CHOICES.items() if draw.random() < 0.3 and attempt}
            project = self.emit(program, *(word for key, value in sets.items() for word in ("--set", f"{key}={value}")),
                                exit=None)
            if self.code == 0:
                found.setdefault(self.variant, self.header(project))
            else:
                self.assertNotIn("this is not written as Ascend C yet", self.said)
        return found

    def check_example(self, name, shape):
        signature = Signature((EXAMPLES / f"{name}.mmk").read_text())
        found = self.variants(name, VARIANTS)
        driver, dims = self.driver(list(found.values()), defaults=signature.defaults)
        bound = [d for d in dims if d not in signature.derived]
        for number, variant in enumerate(found):
            self.variant = variant
            for extents, orders in ((shape, ("ahead", "behind")), ([1] * len(shape), ("7",))):
                values = dict(zip(bound, extents))
                for each, text in signature.derived.items():
                    values[each] = eval(text.replace("/", "//"), {}, dict(values))
                raws, expected = self.data(signature, values)
                self.compare(driver, raws, expected, [values[d] for d in dims], number, orders)

    def test_examples(self):
        for name, shape in SHAPES.items():
            if not ONLY or name in ONLY:
                with self.subTest(name=name):
                    self.check_example(name, shape)


if __name__ == "__main__":
    main()
