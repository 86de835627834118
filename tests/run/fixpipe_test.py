"""Leaky ReLU in the fixpipe: bits of its results, when it is used, and what `mmk explain` says of it."""

import json

import numpy as np

from command import EXAMPLES, ROOT, CommandTest, main

ON = ("--machine-set", "fixpipe_leaky_relu.use=on")
HALF = EXAMPLES / "matmul_bias_leakyrelu_half.mmk"
KERNEL = """kernel k(a: f16[M, K], b: f16[K, N], alpha: f32 = 0.1) -> c: {result}[M, N] {{
  c = leaky_relu(a @ b, {slope});
  check {{ {check} }}
}}
"""
# Of one product each, so that infinities and NaN meet no zero.
VALUES = [1, -1, 0.3333, -0.3333, 6e-8, -6e-8, 65504, -65504, 0, np.inf, -np.inf, np.nan, -1000.5, 3e-5, -3e-5]


def leaky_relu(x, slope, bits):
    slope = np.array([slope], np.float32)
    slope = (slope.view(np.uint32) & np.uint32(2**32 - 2**(32 - bits))).view(np.float32)
    with np.errstate(all="ignore"):
        return np.where(x >= 0, x, slope * x).astype(np.float16)


class Fixpipe(CommandTest):
    def write(self, slope="alpha", result="f16", check="math = fast;"):
        (self.folder / "k.mmk").write_text(KERNEL.format(slope=slope, result=result, check=check))

    def is_used(self, *words):
        """Whether the program stores with leaky ReLU, and then has no vector core."""
        text = self.mmk("compile", "k.mmk", "M=64", "N=64", "K=64", "--emit=aicore", *ON, *words)
        self.assertNotEqual("leaky_relu(" in text, "aicore.vector" in text)
        return "leaky_relu(" in text

    def test_bits(self):
        a = np.array(VALUES, np.float16).reshape(-1, 1)
        np.save(self.folder / "a.npy", a)
        np.save(self.folder / "b.npy", np.ones((1, 40), np.float16))
        self.write()
        for machine, bits in (("ascend910b3", 32), ("ascend950pr", 19)):
            for slope in (0.001, 0.1, -0.5, 2, 0):
                with self.subTest(machine=machine, slope=slope):
                    found = {}
                    for use in ("on", "off"):
                        self.mmk("run", "k.mmk", f"M={len(a)}", "N=40", "K=1", f"alpha={slope}", "--machine", machine,
                                 "--machine-set", f"fixpipe_leaky_relu.use={use}", "--input", "a=a.npy", "--input",
                                 "b=b.npy", "--output", "c=c.npy", "--no-check")
                        found[use] = np.load(self.folder / "c.npy")
                    for use, of_slope in (("on", bits), ("off", 32)):
                        expected = np.repeat(leaky_relu(a.astype(np.float32), slope, of_slope), 40, axis=1)
                        np.testing.assert_array_equal(np.isnan(found[use]), np.isnan(expected))
                        self.assertEqual(np.nan_to_num(found[use]).tobytes(), np.nan_to_num(expected).tobytes())

    def test_when_it_is_used(self):
        for words, expected in ((("--machine", "ascend910b3"), True), (("--machine", "ascend950pr"), True)):
            self.write()
            self.assertEqual(self.is_used(*words), expected)
        # Other results leave the fixpipe without it.
        for result in ("f32", "bf16"):
            self.write(result=result)
            self.assertFalse(self.is_used())
        # The 950 takes 19 bits of a slope.
        for slope, expected in (("alpha", False), ("0.1", False), ("0.125", True)):
            self.write(slope=slope, check="atol = 0.001;")
            self.assertEqual(self.is_used("--machine", "ascend950pr"), expected)
            self.assertTrue(self.is_used("--machine", "ascend910b3"))
        # A slope of each element is none.
        self.write(slope="a @ b")
        self.assertFalse(self.is_used())

    def test_watched(self):
        for machine in ("ascend910b3", "ascend950pr"):
            for words in ((), ("--set", "tile=32x64x32"), ("--set", "bias=table", "--set", "store=overlapped")):
                with self.subTest(machine=machine, words=words):
                    report, = self.report(HALF, "--case", "ragged", "--machine", machine, *ON, *words, "--watch")
                    self.assertTrue(report["check"]["passed"], report["check"])
                    self.assertEqual(report["watch"]["hazards"], [])

    def test_explained(self):
        text = self.mmk("explain", HALF, "--case", "S3")
        self.assertIn("with leaky ReLU in the fixpipe: 8.20 us, 3.23 times as fast\n  --machine-set "
                      "fixpipe_leaky_relu.use=on; off by default, as no run of it on a chip is published\n", text)
        explained, = json.loads(self.mmk("explain", HALF, "--case", "S3", "--json", "-"))
        counted, = self.report(HALF, "--case", "S3", *ON, "--count-only")
        change = explained["with_machine_set"]
        self.assertEqual((change["cycles"], change["variant"]), (counted["clock"]["cycles"], counted["variant"]))
        # On, and where no kernel uses it.
        self.assertNotIn("fixpipe:", self.mmk("explain", HALF, "--case", "S3", *ON))
        self.assertNotIn("fixpipe:", self.mmk("explain", EXAMPLES / "matmul_bias_leakyrelu.mmk", "--case", "S3"))

    def test_the_table_of_the_page(self):
        page = (ROOT / "docs" / "machines.md").read_text()
        cases = [word for case in ("S1", "S2", "S3", "S4") for word in ("--case", case)]
        for machine in ("ascend910b3", "ascend950pr"):
            off, on = (self.report(HALF, *cases, "--machine", machine, "--count-only", *words) for words in ((), ON))
            for before, after in zip(off, on):
                self.assertIn("| {} | {} | {:.2f} | {:.2f} |\n".format(
                    machine, before["case"], before["clock"]["time_us"], after["clock"]["time_us"]), page)


if __name__ == "__main__":
    main()
