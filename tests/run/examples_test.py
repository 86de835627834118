"""Every example on every machine gives what its reference gives."""

import re

from command import ALL, EXAMPLES, CommandTest, divided, main, mine, pairs, sets

FILES = [file for folder in (".", "attention", "convolution")
         for file in sorted((EXAMPLES / folder).glob("*.mmk"))]

# One machine of each kind; the other chips differ from these only in figures.
MACHINES = ["ascend910b3", "ascend310p3", "ascend950pr", "host"]
# The largest cases take seconds each, and test nothing more than the smaller ones.
LARGE = re.compile("S[123]|square|layer.*" if ALL else "S[123]|square|layer.*|vocabulary|long|stem")


class Examples(CommandTest):
    def small_cases(self, example):
        """The words that choose a kernel of the file and its small cases, for each of them."""
        for text in re.split(r"^kernel ", example.read_text(), flags=re.M)[1:]:
            words = ["--kernel", re.match(r"\w+", text)[0]]
            for name in re.findall(r"^ *case (\w+)", text, re.M):
                if not LARGE.fullmatch(name):
                    words += ["--case", name]
            yield words

    @divided
    def test_every_machine(self):
        for example, machine, watched in mine(pairs(FILES, MACHINES, (False, True))):
            # The 310p's cube has no bf16.
            if "bf16" in example.read_text() and machine == "ascend310p3":
                continue
            for words in self.small_cases(example):
                with self.subTest(example=example.name, machine=machine, watched=watched, words=words):
                    reports = self.report(example, "--machine", machine, *(["--watch"] if watched else []), *words)
                    self.assertTrue(reports)
                    for report in reports:
                        self.assertTrue(report["check"]["passed"], report)
                        if watched:
                            self.assertEqual(report["watch"]["hazards"], [])
                            self.assertGreater(report["watch"]["accesses"], 0)

    def test_every_chip_counts(self):
        for chip in ["ascend910b1", "ascend910b2", "ascend910b4"]:
            (report,) = self.report(EXAMPLES / "matmul_bias_leakyrelu.mmk", "--case", "S4",
                                    "--machine", chip)
            self.assertTrue(report["check"]["passed"])
            self.assertGreater(report["clock"]["cycles"], 0)

    def test_the_variants_of_the_fused_kernel(self):
        """Whole numbers: whatever the order of summation, every variant gives the same bits. And
        what it touches is there, written, and in order."""
        for choices in [["fuse=none"], ["order=zigzag"], ["order=swizzle(4)"], ["l1=1"],
                        ["l0=1", "out=1", "ub=1"], ["tile=64x64x32", "stage=128", "acc=2"],
                        ["cores=1"], ["grid.M=2", "grid.N=3"], ["bias=table"],
                        ["keep=A(208)", "order=rows", "tile.M=64", "bias=table"],
                        ["tile.M=16", "tile.N=16", "tile.K=16", "stage.K=16", "store=after"]]:
            with self.subTest(choices=choices):
                words = sets(choices)
                (report,) = self.report(EXAMPLES / "matmul_bias_leakyrelu.mmk", "M=130", "N=70",
                                        "K=200", "--data", "integers", "--watch", *words)
                self.assertEqual(report["watch"]["hazards"], [])
                self.assertTrue(report["check"]["passed"])
                self.assertEqual(report["check"]["max_abs_error"], 0)


if __name__ == "__main__":
    main()
