"""Dimensions that are one: each kernel beside its form with fewer dimensions, by its time and its results."""

from command import CommandTest, main

CLOCKED = ["ascend910b3", "ascend310p3", "ascend950pr"]
MACHINES = [*CLOCKED, "host"]


def kernel(parameters, result, body, cases=""):
    return f"kernel k({parameters}) -> y: {result} {{\n  y = {body};\n  {cases}\n}}\n"


class JoinedDimensions(CommandTest):
    def run_kernel(self, text, *words):
        (self.folder / "k.mmk").write_text(text)
        return self.report("k.mmk", *words)[0]

    def time(self, text, *words):
        """us on ascend910b3."""
        return self.run_kernel(text, "--count-only", *words)["clock"]["time_us"]

    def expect_right(self, text, *words):
        for machine in MACHINES:
            report = self.run_kernel(text, "--machine", machine, *words)
            self.assertTrue(report["check"]["passed"], (machine, report))

    def expect_as_flat(self, text, flat, most=1.1):
        self.expect_right(text)
        self.assertLessEqual(self.time(text), most * self.time(flat), text)

    def test_elementwise(self):
        self.expect_as_flat(kernel("x: f16[32, 512, 7, 7]", "f16[32, 512, 7, 7]", "relu(x)"),
                            kernel("x: f16[802816]", "f16[802816]", "relu(x)"))

    def test_units(self):
        shape = "f16[1, 32768, 1, 128]"
        self.expect_as_flat(kernel(f"x: {shape}, r: {shape}", shape, "x + r"),
                            kernel("x: f16[4194304], r: f16[4194304]", "f16[4194304]", "x + r"))

    def test_channels(self):
        flat = kernel("x: f16[16384, 49], g: f16[16384, 1], b: f16[16384, 1]", "f16[16384, 49]",
                      "relu(x * g + b)")
        shape = "f16[32, 512, 7, 7]"
        for channels in ("f16[1, 512, 1, 1]", "f16[512, 1, 1]"):
            self.expect_as_flat(kernel(f"x: {shape}, g: {channels}, b: {channels}", shape,
                                       "relu(x * g + b)"), flat, 1.5)

    def test_rows(self):
        case = "case a { D = 128; }"
        flat = kernel("x: f16[32768, D], w: f16[D]", "f16[32768, D]", "rms_norm[D](x, w, 0.00001)", case)
        for outer in ("4096, 8", "32768, 1"):
            shape = f"f16[{outer}, D]"
            self.expect_as_flat(kernel(f"x: {shape}, w: f16[D]", shape,
                                       "rms_norm[D](x, w, 0.00001)", case), flat)

    def test_softmax(self):
        case = "case a { D = 512; }"
        self.expect_as_flat(kernel("x: f16[64, 32, 1, D]", "f16[64, 32, 1, D]", "softmax[D](x)", case),
                            kernel("x: f16[2048, D]", "f16[2048, D]", "softmax[D](x)", case))

    def test_units_of_the_shape(self):
        open_ = kernel("x: f16[N, C, H, W], w: f16[C, 1, 1]", "f16[N, C, H, W]", "relu(x * w)",
                       "case a { N = 100; C = 1000; H = 1; W = 1; }")
        flat = kernel("x: f16[N, C], w: f16[C]", "f16[N, C]", "relu(x * w)",
                      "case a { N = 100; C = 1000; }")
        self.expect_as_flat(open_, flat)
        # The same kernel runs where they are not 1, and the variant for 1 does not.
        self.expect_right(open_, "N=3", "C=5", "H=2", "W=3")
        self.mmk("run", "k.mmk", "N=3", "C=5", "H=2", "W=1", "--count-only", "--set", "extent.H=1",
                 exit=None)
        self.assertIn("H = 2, but this variant leaves H out, with extent.H = 1", self.said)

    def test_units_of_the_shape_on_the_host(self):
        """Only where loops would go along them: code of the host fits itself to other shapes."""
        open_ = kernel("x: f32[N, C, H, W], w: f32[C, 1, 1]", "f32[N, C, H, W]", "relu(x * w)",
                       "case a { N = 10; C = 30; H = 1; W = 1; }")
        for shape, units in (((10, 30, 1, 1), "extent.H=1,extent.W=1,"), ((10, 30, 5, 1), "extent.W=1,"),
                             ((10, 1, 1, 5), ""), ((1, 30, 2, 2), ""), ((1, 1, 1, 1), "")):
            with self.subTest(shape=shape):
                words = [f"{name}={extent}" for name, extent in zip("NCHW", shape)]
                report = self.run_kernel(open_, "--machine", "host", *words)
                self.assertTrue(report["check"]["passed"])
                self.assertEqual("".join(f"{word}," for word in report["variant"].split(",") if "extent" in word),
                                 units)

    def test_siblings(self):
        open_ = "case a { B = 3; T = 5; H = 4; D = 24; }"
        for text in (
                # a layer norm over the last two dimensions, and a reduction of one in the middle
                kernel("x: f32[B, T, H, D], g: f32[H, D], b: f32[H, D]", "f32[B, T, H, D]",
                       "layer_norm[H, D](x, g, b, 0.00001)", open_),
                kernel("x: f32[B, T, H, D]", "f32[B, T, D]", "sum[H](x)", open_),
                kernel("x: f32[B, T, H, D]", "f32[B, H, D]", "max[T](x)", open_),
                # batches of products, and rows of several dimensions
                kernel("x: f16[B, H, T, D], w: f16[B, H, D, T]", "f32[B, H, T, T]", "relu(x @ w)",
                       open_.replace("B = 3", "B = 1")),
                kernel("x: f16[B, T, D], w: f16[D, H], r: f32[B, T, H], b: f32[H]",
                       "f32[B, T, H]", "relu(x @ w + b) + r", open_),
                # what stays apart: transposed, a part, positions, a condition
                kernel("x: f32[B, T, H, D]", "f32[B, T, D, H]", "transpose(x) * 2", open_),
                kernel("x: f32[B, T, H, D], r: f32[B, T, D, H]", "f32[B, T, H, D]",
                       "x + transpose(r)", open_),
                # channels last and first
                kernel("x: f32[B, T, H, D], c: f32[D]", "f32[B, T, H, D]", "x * c", open_),
                kernel("x: f32[B, T, H, D], c: f32[T, 1, 1]", "f32[B, T, H, D]", "x * c", open_)):
            with self.subTest(text=text):
                self.expect_right(text)

    def test_indices(self):
        open_ = "case a { B = 3; T = 9; H = 4; D = 24; }"
        for statement in ("y[b, t, h, d] = x[b, t, h, d] * 2 + t",
                          "y[b, t, h, d] = select(d <= h, x[b, t, h, d], 0)",
                          "y[b, t, h, d] = x[b, t, H - 1 - h, d]",
                          "y[b, t, h, d] = x[b, t, h, d] + x[b, t / 2, h, d]"):
            text = f"kernel k(x: f32[B, T, H, D]) -> y: f32[B, T, H, D] {{\n  {statement};\n  {open_}\n}}\n"
            with self.subTest(statement=statement):
                self.expect_right(text)

    def test_named_in_a_rule_stay_apart(self):
        text = kernel("x: f16[B, T, D]", "f16[B, T, D]", "relu(x)",
                      "case a { B = 4; T = 60; D = 100; }\n  schedule { require tile.D <= 64; }")
        self.expect_right(text)

    def test_names_of_variants_with_dimensions_apart(self):
        """A list of tiles has the dimensions that memory joins; those that a choice keeps apart are named."""
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f16[B, H, M, D]) -> y: f32[B, H, M] { y[b, h, i] = sum[d](x[b, h, i, d] * x[b, h, i, d]); }")
        words = ("k.mmk", "B=2", "H=3", "M=33", "D=40", "--count-only")
        for choices in ([], ["--set", "tile.M=16"], ["--set", "tile.M=16", "--set", "tile.D=40"]):
            (chosen,) = self.report(*words, *choices)
            self.assertEqual("tile.M=16" in chosen["variant"], bool(choices), chosen["variant"])
            (named,) = self.report(*words, "--variant", chosen["variant"])
            self.assertEqual((named["variant"], named["clock"]["cycles"]),
                             (chosen["variant"], chosen["clock"]["cycles"]))

    def test_named_stay_apart(self):
        text = kernel("x: f16[B, T, D]", "f16[B, T, D]", "relu(x)", "case a { B = 4; T = 60; D = 100; }")
        self.assertIn("tile=", self.run_kernel(text, "--count-only")["variant"])
        for choice, tiles in (("tile.D=64", 2), ("tile.B=2", 2), ("tile.B*T*D=512", 1)):
            with self.subTest(choice=choice):
                report = self.run_kernel(text, "--set", choice)
                self.assertTrue(report["check"]["passed"])
                named = [word for word in report["variant"].split(",") if word.startswith("tile")]
                self.assertEqual(sum(word.count("x") + 1 for word in named), tiles)


if __name__ == "__main__":
    main()
