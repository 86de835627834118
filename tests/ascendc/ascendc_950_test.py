"""Products and convolutions for Ascend 950 (dav-3510), as `mmk compile --emit=ascendc --machine ascend950pr` writes
them: on the shim of that chip they give the bits of the emulated core. ASCENDC_MACHINE=ascend950pr runs the other
scripts for it."""

import subprocess

from projects import ProjectTest
from ascendc_convolution_test import DIRECT, SAME, dims
from ascendc_products_test import product
from ascendc_registers_test import SOFTMAX
from command import EXAMPLES, main

# Tiles whose rows are divided over the vector cores unevenly, and leave L0C in windows and in parts.
EPILOGUE = """\
kernel product(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f16[M, N] {
  c = cast<f16>(relu(a @ b + bias));
  schedule { cores = 3; tile M = 48, N = 96, K = 32; stage K = 64; buffers l1 = 2, l0 = 2, ub = 2; SCHEDULE }
}
"""


class Ascend950(ProjectTest):
    machine = ("--machine", "ascend950pr")

    def test_operands(self):
        """Each transposed, and not."""
        shapes = {"M": 70, "K": 101, "N": 90}
        for kind, result, left, right in (("f16", "f32", "KM", "KN"), ("bf16", "bf16", "MK", "NK"), ("f32", "f32", "KM", "KN"),
                                          ("i8", "i32", "KM", "KN"), ("i8", "i32", "MK", "NK")):
            with self.subTest(kind=kind, left=left, right=right):
                order = dict.fromkeys(left + right)
                self.check(product(kind, left, right, result), [[shapes[d] for d in order]], orders=("7",))

    def test_squares(self):
        """Of one byte, an odd number of fractals; of four, a depth of no whole square."""
        for kind, result, sets in (("i8", "i32", ("tile.M=48", "tile.N=80")), ("f32", "f32", ("tile.K=24", "stage.K=72"))):
            self.check(product(kind, "KM", "KN", result), [(101, 70, 90)], *(word for each in sets for word in ("--set", each)),
                       orders=("ahead",))

    def test_epilogue(self):
        for schedule in ("", "store = overlapped;", "through = global;"):
            with self.subTest(schedule=schedule):
                self.check(EPILOGUE.replace("SCHEDULE", schedule), [(100, 101, 150), (1, 1, 1)], orders=("behind",))

    def test_leaky_relu(self):
        """By 19 bits of its slope, which fast math allows."""
        self.machine = (*self.machine, "--machine-set", "fixpipe_leaky_relu.use=on")
        self.check("""\
kernel product(a: f16[M, K], b: f16[K, N], bias: f32[N], alpha: f32 = 0.1) -> c: f16[M, N] {
  c = leaky_relu(a @ b + bias, alpha);
  schedule { cores = 2; tile M = 32, N = 64, K = 16; bias = table; }
  check { math = fast; }
}
""", [(50, 40, 130)], scalars=["alpha=0.001"], orders=("behind",))

    def test_flags_of_both_cores(self):
        self.expect_flags(EPILOGUE.replace("SCHEDULE", ""), (100, 70, 150), least=30)

    def test_split(self):
        self.check(EXAMPLES / "matmul_small.mmk", [(60, 300, 130)], "--set", "grid.K=4", "--set", "tile.M=32",
                   "--set", "tile.N=64", "--set", "stage.K=128", orders=("ahead",))

    def test_convolution(self):
        self.check(SAME.format(kind="f16", result="f32"), [dims(2, 7, 9, 5, 33)], *DIRECT, orders=("7",))

    def test_project(self):
        project = self.emit(SOFTMAX, "M=128", "N=128")
        self.assertIn("--npu-arch=dav-3510", (project / "CMakeLists.txt").read_text())
        self.assertIn("${kernel} is written for dav-3510, which needs CANN 9.1 or later", (project / "CMakeLists.txt").read_text())
        self.assertIn("# softmax for Ascend 950\n", (project / "README.md").read_text())
        self.assertIn("// machine     ascend950pr: 32 cube cores\n", (project / "softmax.h").read_text())
        self.build(project / "run", "-x", "c++", project / "main.asc")
        done = subprocess.run([project / "run", "repeat=1"], capture_output=True, text=True)
        self.assertRegex(done.stdout, r"^y: 4096 of 16384 elements checked, 0 wrong\n|^y: \d+ of 16384 elements checked, 0 wrong\n")


if __name__ == "__main__":
    main()
