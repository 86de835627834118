"""The examples with a product, as Ascend C in several variants. ASCENDC_VARIANTS=20 is the long run."""

from variants import VariantTest
from command import divided, main

# In the order of the dimensions that a launch takes.
PRODUCTS = {
    "matmul": (70, 200, 150),
    "matmul_half": (70, 200, 150),
    "matmul_transposed_b": (70, 130, 90),
    "matmul_small": (40, 500, 130),
    "matmul_bias_leakyrelu": (70, 130, 150),
    "matmul_bias_leakyrelu_half": (70, 130, 150),
    "matmul_bias_residual": (70, 130, 150),
    "matmul_int8_dequant": (50, 130, 150),
    "linear_relu": (70, 130, 150),
    "batched_matmul": (2, 2, 40, 70, 50),
    "einsum": (3, 33, 50, 17),
}


class Products(VariantTest):
    choices = {
        "tile.M": (16, 32, 64, 128), "tile.N": (32, 64, 128, 256), "tile.K": (16, 32, 64), "stage.K": (64, 128, 256),
        "buffers.l1": (1, 2), "buffers.l0": (1, 2), "buffers.acc": (1, 2), "buffers.out": (1, 2), "buffers.ub": (1, 2),
        "cores": (1, 2, 5, 20), "order": ("rows", "columns", "zigzag", "swizzle(2)"), "skew": ("none", "stages"),
        "store": ("after", "overlapped"), "grid.K": (1, 2, 4), "fuse": ("all", "none"), "bias": ("table", "vector"),
        "keep": ("a", "b", "none"),
    }
    refused = "columns of i8 in a part, which LoadDataWithTranspose transposes in squares of 32|has no room"
    first = ({"store": "overlapped", "skew": "stages", "tile.M": 32, "tile.N": 64},)

    @divided
    def test_examples(self):
        self.check_examples({name: (extents, (1,) * len(extents)) for name, extents in PRODUCTS.items()}, 2)


if __name__ == "__main__":
    main()
