"""Each stage that `mmk compile` writes, and `mmk check`."""

import json
import subprocess

from command import EXAMPLES, MMK, CommandTest, main

FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"
# What a stage has that the one before it has not.
MARKS = {"ast": "kernel matmul_bias_leakyrelu\n", "mmk": "linalg.contract", "tiled": "mmk.nest",
         "aicore": "aicore.mmad", "llvm": "; ModuleID", "asm": "\nmmk_phase_0:\n"}


class Compile(CommandTest):
    def test_stages(self):
        for stage, mark in MARKS.items():
            with self.subTest(stage=stage):
                text = self.mmk("compile", FUSED, f"--emit={stage}")
                self.assertTrue(mark in text)
                self.mmk("compile", FUSED, "--emit", stage, "-o", "out")
                self.assertTrue((self.folder / "out").read_text() == text)
        self.assertEqual(self.mmk("compile", FUSED), self.mmk("compile", FUSED, "--emit=aicore"))

    def test_stages_of_mlir_are_read_by_mmk_opt(self):
        for stage in ["mmk", "tiled", "aicore"]:
            text = self.mmk("compile", FUSED, f"--emit={stage}")
            done = subprocess.run([MMK.parent / "mmk-opt"], input=text, capture_output=True,
                                  text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.rstrip(), text.rstrip())

    def test_object(self):
        self.mmk("compile", FUSED, "--emit=obj", "--output", "fused.o")
        self.assertEqual((self.folder / "fused.o").read_bytes()[:4], b"\x7fELF")

    def test_the_same_text_every_time(self):
        for stage in MARKS:
            self.assertEqual(self.mmk("compile", FUSED, f"--emit={stage}"),
                             self.mmk("compile", FUSED, f"--emit={stage}"))

    def test_choices_show(self):
        text = self.mmk("compile", FUSED, "--emit=mmk", "--set", "tile.M=64")
        self.assertIn('mmk.choice "tile.M" = [64]', text)

    def test_print_after(self):
        plain = self.mmk("compile", FUSED)
        self.assertEqual(self.said, "")
        self.assertEqual(self.mmk("compile", FUSED, "--print-after", "aicore-place"), plain)
        self.assertEqual(self.said.count("IR Dump After"), 1)
        self.mmk("compile", FUSED, "--print-after", "all")
        self.assertGreater(self.said.count("IR Dump After"), 8)

    def test_check_names_every_kernel_and_its_variant(self):
        text = self.mmk("check", FUSED, "--machine", "host", "--set", "tile.M=64")
        self.assertRegex(text, r"^ok: 1 kernel, 6 cases; on host:\n"
                               r"  matmul_bias_leakyrelu: cores=\d+,tile=64x256x64,.*\n"
                               r"    fills of a core: l1 \d+ %, l0a \d+ %,.*\n$")

    def test_check_as_json(self):
        (kernel,) = json.loads(self.mmk("check", FUSED, "--json", "-"))
        self.assertEqual(list(kernel), ["kernel", "machine", "variant", "cases", "memory"])
        self.assertEqual(kernel["cases"], ["S1", "S2", "S3", "S4", "ragged", "thin"])
        self.assertEqual(set(kernel["memory"]["l1"]), {"used", "capacity"})

    def test_check_looks_behind_a_kernel_that_is_wrong(self):
        (self.folder / "two.mmk").write_text(
            "".join(f"kernel {name}(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {{\n  c = a @ b;\n"
                    f"  schedule {{ tile M = {tile}; }}\n}}\n"
                    for name, tile in [("one", 1024), ("right", 64), ("two", 2048)]))
        self.mmk("check", "two.mmk", exit=2)
        self.assertIn("two.mmk:3:19: error: L0A", self.said)
        self.assertIn("note: nearest legal: tile.M = 128 (--set tile.M=128)\n", self.said)
        self.assertIn("two.mmk:11:19: error: L0A", self.said)
        self.assertNotIn("two.mmk:7:", self.said)

    def test_warnings_stop_nothing(self):
        (self.folder / "warn.mmk").write_text(
            "kernel k(x: f32[N], unused: f32 = 1) -> y: f32[N] { y = x; }\n")
        self.assertIn("ok: 1 kernel", self.mmk("check", "warn.mmk"))
        self.assertIn("warn.mmk:1:21: warning:", self.said)


if __name__ == "__main__":
    main()
