"""Tensors in and out through .npy files, against the same arithmetic in NumPy."""

import numpy as np

from command import EXAMPLES, CommandTest, main

MACHINES = ["ascend910b3", "ascend310p3", "host"]


class Npy(CommandTest):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(7)

    def save(self, name, array):
        np.save(self.folder / f"{name}.npy", array)
        return ["--input", f"{name}={name}.npy"]

    def half(self, *shape):
        return self.random.uniform(-1, 1, shape).astype(np.float16)

    def test_product_with_epilogue(self):
        m, n, k, alpha = 37, 53, 71, -0.25
        a, b = self.half(m, k), self.half(k, n)
        bias = self.random.uniform(-1, 1, n).astype(np.float32)
        inputs = self.save("a", a) + self.save("b", b) + self.save("bias", bias)
        linear = a.astype(np.float64) @ b.astype(np.float64) + bias
        expected = np.where(linear >= 0, linear, alpha * linear)
        for machine in MACHINES:
            self.mmk("run", EXAMPLES / "matmul_bias_leakyrelu.mmk", f"M={m}", f"N={n}", f"K={k}",
                     f"alpha={alpha}", "--machine", machine, *inputs, "--output", "c=c.npy")
            c = np.load(self.folder / "c.npy")
            self.assertEqual((c.dtype, c.shape), (np.float32, (m, n)))
            np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)

    def test_broadcast_in_four_dimensions(self):
        x = self.half(2, 3, 5, 40)
        bias = self.random.uniform(-1, 1, 40).astype(np.float32)
        inputs = self.save("x", x) + self.save("bias", bias)
        self.mmk("run", EXAMPLES / "bias_relu.mmk", "B=2", "H=3", "W=5", "C=40", *inputs,
                 "--output", "y=y.npy")
        expected = np.maximum(x.astype(np.float32) + bias, 0).astype(np.float16)
        np.testing.assert_array_equal(np.load(self.folder / "y.npy"), expected)

    def test_whole_numbers(self):
        m, n, k = 19, 45, 100
        a = self.random.integers(-128, 128, (m, k)).astype(np.int8)
        b = self.random.integers(-128, 128, (k, n)).astype(np.int8)
        scale = self.random.uniform(0, 2, n).astype(np.float32)
        inputs = self.save("a", a) + self.save("b", b) + self.save("scale", scale)
        self.mmk("run", EXAMPLES / "matmul_int8_dequant.mmk", f"M={m}", f"N={n}", f"K={k}",
                 "shift=1.5", *inputs, "--output", "c=c.npy")
        total = a.astype(np.int32) @ b.astype(np.int32)
        expected = (total.astype(np.float32) * scale / 16384 + np.float32(1.5)).astype(np.float16)
        np.testing.assert_allclose(np.load(self.folder / "c.npy"), expected, rtol=1e-3)

    def test_batches_that_broadcast(self):
        a, b = self.half(3, 2, 20, 33), self.half(1, 2, 33, 17)
        inputs = self.save("a", a) + self.save("b", b)
        self.mmk("run", EXAMPLES / "batched_matmul.mmk", "B=3", "H=2", "M=20", "N=17", "K=33",
                 *inputs, "--output", "c=c.npy")
        np.testing.assert_allclose(np.load(self.folder / "c.npy"),
                                   a.astype(np.float64) @ b.astype(np.float64), atol=1e-4)

    def test_the_files_bind_the_dimensions(self):
        a, b = self.half(33, 47), self.half(47, 65)
        inputs = self.save("a", a) + self.save("b", b)
        self.mmk("run", EXAMPLES / "matmul.mmk", *inputs, "--output", "c=c.npy")
        np.testing.assert_allclose(np.load(self.folder / "c.npy"),
                                   a.astype(np.float64) @ b.astype(np.float64), atol=1e-4)

    def test_infinities_and_nan_pass_through(self):
        x = np.array([[[[np.inf, -np.inf, np.nan, -0.0, 6e-8]]]], dtype=np.float16)
        inputs = self.save("x", x) + self.save("bias", np.zeros(5, dtype=np.float32))
        self.mmk("run", EXAMPLES / "bias_relu.mmk", "B=1", "H=1", "W=1", "C=5", *inputs,
                 "--output", "y=y.npy")
        y = np.load(self.folder / "y.npy")[0, 0, 0]
        np.testing.assert_array_equal(y, np.array([np.inf, 0, np.nan, 0, 6e-8], dtype=np.float16))

    def test_a_tensor_that_is_not_given_comes_from_the_seed(self):
        def run(seed):
            self.mmk("run", EXAMPLES / "matmul.mmk", "M=16", "N=16", "K=16", "--seed", seed,
                     "--output", "c=c.npy")
            return np.load(self.folder / "c.npy")

        np.testing.assert_array_equal(run(5), run(5))
        self.assertTrue((run(5) != run(6)).any())

    def test_wrong_results_are_written_and_reported(self):
        # Without the bound of its roundings, no product in f16 passes with a tolerance of zero.
        program = self.folder / "exact.mmk"
        program.write_text("kernel exact(a: f16[M, K], b: f16[K, N]) -> c: f16[M, N] {\n"
                           "  c = exp(a @ b);\n"
                           "  check { rtol = 0; atol = 0; rounding = 0; }\n}\n")
        a = self.half(64, 300)
        inputs = self.save("a", a) + self.save("b", self.half(300, 64))
        text = self.mmk("run", program, "M=64", "N=64", "K=300", *inputs, "--output", "c=c.npy",
                        exit=1)
        self.assertIn("wrong", text)
        self.assertRegex(text, r"\n\S.*: \d+ of 4096 elements of c are wrong \(.*, at most 0 are "
                               r"allowed\); the first: c\[\d+, \d+\] = \S+, expected \S+; it may "
                               r"differ by 0: rtol 0, atol 0\n$")
        self.assertEqual(np.load(self.folder / "c.npy").shape, (64, 64))


if __name__ == "__main__":
    main()
