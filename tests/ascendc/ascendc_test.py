"""`mmk compile --emit=ascendc`: what it writes compiles without a warning on the shim, gives the bits of
the emulated core, and is wrong without any of its flags; what it cannot write it refuses."""

import os
import subprocess

from projects import HERE, ORDERS, ProjectTest
from command import EXAMPLES, LONGEST, main

# Each side waits on one pipe and sets on another. `OF_CUBE` is in line 6.
CROSSED = """\
#include "kernel_operator.h"
using namespace AscendC;
void crossed() {
  InitSocState();
  if (ASCEND_IS_AIC) {
    OF_CUBE
  }
  if (ASCEND_IS_AIV) {
    CrossCoreWaitFlag<2, PIPE_MTE2>(0);
    CrossCoreSetFlag<2, PIPE_MTE3>(1);
  }
}
int main() { MMK_LAUNCH(crossed, 1, nullptr); }
"""
SET, WAIT = "CrossCoreSetFlag<2, PIPE_FIX>(0); ", "CrossCoreWaitFlag<2, PIPE_MTE2>(1); "
BF16 = """\
kernel product(a: bf16[M, K], b: bf16[K, N]) -> c: bf16[M, N] {
  c = a @ b;
  schedule { cores = 3; tile M = 32, N = 48, K = 32; stage K = 64; buffers l1 = 2, l0 = 2, acc = 2; }
}
"""
TRANSPOSED = """\
kernel product(a: f16[K, M], b: f16[N, K]) -> c: f32[M, N] {
  c = transpose(a) @ transpose(b);
  schedule { cores = 2; tile M = 32, N = 64, K = 16; stage K = 48; buffers l1 = 2, l0 = 1, acc = 1; }
}
"""
BATCHED = """\
kernel product(a: f16[B, M, K], b: f16[B, K, N]) -> c: f16[B, M, N] {
  c = a @ b;
  schedule { cores = 4; tile M = 16, N = 32, K = 16; }
}
"""
EPILOGUE = """\
kernel product(a: f16[M, K], b: f16[K, N], bias: f32[N], alpha: f32) -> c: f32[M, N] {
  c = leaky_relu(a @ b + bias, alpha);
  schedule { cores = 1; tile M = 128, N = 256, K = 16; stage K = 32; buffers l1 = 2, l0 = 2; }
}
"""
RESIDUAL = """\
kernel product(a: f16[M, K], b: f16[K, N], r: f16[M, N], s: f32) -> c: f16[M, N] {
  c = max(a @ b * s - r, -0.25) / (r * r + 0.5) + min(abs(-r), 0.5);
  schedule { cores = 2; tile M = 32, N = 48, K = 32; }
}
"""
PRODUCT = """\
kernel product(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
}
"""
POOLED = """\
kernel pooled(x: f16[B, H, W, C], w: f16[3, 3, C, O]) -> y: f32[B, P, W, O] {
  dim P = H / 2;
  let z[n, h: H, v: W, o] = sum[r, s, c](pad(x, 0)[n, h + 2*r - 2, v + 2*s - 2, c] * w[r, s, c, o]);
  y[n, p, v, o] = max[i: 2](z[n, 2*p + i, v, o]);
}
"""
# A program, options, the place, and what is not written.
REFUSED = (
    (PRODUCT.replace("f16", "i8").replace("f32", "i32"),
     ("--set", "tile.M=16", "--set", "tile.N=16", "--set", "tile.K=2048", "--set", "buffers.l0=2"), "1:8",
     "fractals and squares that a tile does not fill, for whose rest L0B has no room"),
    (PRODUCT.replace("f16", "i8").replace("f32", "i32"), ("--set", "tile.N=96", "--set", "store=overlapped"), "2:7",
     "store = overlapped with 48 columns of i8 in a part, which LoadDataWithTranspose transposes in squares of 32: "
     "a multiple of 32 is"),
    (PRODUCT.replace("f32[M, N]", "f32[M, P]").replace("[K, N]", "[K, N], d: f16[N, P]").replace(
        "c = a @ b", "let e = cast<f16>(tanh(a @ b)); c = e @ d"),
     ("--set", "fuse=rows", "--set", "buffers.out=6"), "2:11",
     "a flag between cores beyond 10 beside a second pass, whose SyncAll uses those"),
    (PRODUCT.replace("[K, N]", "[K, N], bias: f32[N]").replace("a @ b", "a @ b + bias"),
     ("--set", "bias=table", "--set", "tile.N=48", "--set", "tile.M=32"), "2:7",
     "a row of the bias table at no multiple of 128 bytes"),
    (POOLED, ("--set", "fuse=windows", "--set", "window=direct(16)", "--set", "tile.B*P*W=16", "--set", "tile.O=32"), "3:29",
     "fuse = windows of a convolution with a dilation of lines"),
    (PRODUCT.replace("a:", "step:").replace("a @", "step @"), (), "1:8",
     "the name step, which has another meaning in C++ or in the project's files"),
    (PRODUCT, ("--machine", "ascend310p3"), "1:8",
     "code of ascend310p3, whose core has no DataCopyPad for rows of any length (ascend910b1 to ascend910b4 have it)"),
    (PRODUCT, ("--machine", "host"), "1:8", "code of the machine host, which is no NPU"),
)
NOTE = "note: docs/ascendc.md says what is written; mmk run and --emit=aicore take every kernel\n"


class AscendC(ProjectTest):
    def test_half(self):
        self.check(EXAMPLES / "matmul_half.mmk", [(300, 200, 500), (1, 1, 1), (17, 530, 33)])

    def test_variant(self):
        self.check(EXAMPLES / "matmul.mmk", [(129, 65, 257), (40, 300, 100)], "--set", "tile.M=64", "--set", "tile.N=128",
                   "--set", "buffers.acc=2", "--set", "cores=5", "--set", "order=zigzag")

    def test_bf16(self):
        self.check(BF16, [(33, 70, 50), (100, 129, 101)])

    def test_transposed(self):
        self.check(TRANSPOSED, [(100, 70, 90), (49, 1, 65)])

    def test_batches(self):
        self.check(BATCHED, [(3, 20, 40, 50)])

    def test_long_rows(self):
        """A row stride that the transfer's field cannot hold."""
        self.check(EXAMPLES / "matmul_half.mmk", [(3, 66000, 5)])

    def test_flags(self):
        self.expect_flags(BF16, (100, 129, 101), least=15)

    def test_flags_of_both_cores(self):
        self.expect_flags(EPILOGUE, (140, 90, 300), scalars=["alpha=0.25"], least=40)

    def test_wait_between_cores(self):
        """On dav-2201 it holds the whole core. What stands before it in the kernel goes on."""
        for architecture, of_cube, stops in (("2201", WAIT + SET, True), ("2201", SET + WAIT, False),
                                             ("3510", WAIT + SET, False)):
            with self.subTest(architecture=architecture, of_cube=of_cube):
                source = self.folder / "crossed.cpp"
                source.write_text(CROSSED.replace("OF_CUBE", of_cube))
                self.build(self.folder / "crossed", "-U__NPU_ARCH__", f"-D__NPU_ARCH__={architecture}", source)
                for order in ORDERS:
                    done = subprocess.run([self.folder / "crossed"], capture_output=True, text=True, timeout=LONGEST,
                                          env=dict(os.environ, SHIM_ORDER=order))
                    said = f"{source}:6: deadlock: nothing sets this flag any more\n" if stops else ""
                    self.assertEqual((done.returncode, done.stderr), (3 if stops else 0, said))

    def test_bias_leaky_relu(self):
        self.check(EXAMPLES / "matmul_bias_leakyrelu.mmk", [(129, 65, 257), (300, 200, 500), (1, 1, 1)],
                   scalars=["alpha=0.25"])

    def test_residual(self):
        """Half-precision operands of the epilogue, and all that it may compute."""
        self.check(RESIDUAL, [(100, 70, 90)], scalars=["s=0.75"])

    def test_host_program(self):
        project = self.emit(EXAMPLES / "matmul_half.mmk", "--case", "small")
        self.build(project / "run", "-x", "c++", project / "main.asc")

        def run(*words):
            return subprocess.run([project / "run", *words], capture_output=True, text=True, timeout=LONGEST)

        done = run("repeat=1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^c: 4055 of 150000 elements checked, 0 wrong\n.* us a run")
        done = run("M=20", "K=300", "N=18", "repeat=1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("c: 360 of 360 elements checked, 0 wrong\n", done.stdout)
        done = run("Q=1")
        self.assertEqual((done.returncode, done.stderr), (2, "expected NAME=VALUE, of M, K, N, repeat; found 'Q=1'\n"))
        # The sums of all but the last steps are lost.
        header = project / "instructions.h"
        header.write_text(header.read_text().replace("cmatrixInitVal = first", "cmatrixInitVal = first || k > 0"))
        self.build(project / "run", "-x", "c++", project / "main.asc")
        done = run("repeat=1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"^c\[0\]: expected .*\nc: 4055 of 150000 elements checked, [1-9]\d* wrong\n")

    def test_torch(self):
        project = self.emit(EXAMPLES / "matmul_bias_leakyrelu.mmk")
        self.build(project / "torch.so", "-shared", "-fPIC", "-isystem", HERE / "torch", "-x", "c++",
                   project / "torch.asc")

    def test_statements(self):
        """What stands at the top, and that a kernel is short enough to read."""
        project = self.emit(EXAMPLES / "matmul_half.mmk", "--case", "S1")
        text = (project / "matmul_half.h").read_text()
        cycles = self.report(EXAMPLES / "matmul_half.mmk", "--case", "S1", "--count-only")[0]["clock"]["cycles"]
        self.assertIn("// It has never been run on silicon.\n", text)
        self.assertRegex(text, rf"// prediction  M=2048, N=2048, K=2048: \d+\.\d\d us, {cycles} cycles, by the clock of mmk\n")
        self.assertRegex(text, r"// variant +cores=20,.*tile=128x256x64")
        self.assertIn("// machine     ascend910b3: 20 cube cores\n", text)
        self.assertIn("// line 4: c = a @ transpose(b);\n", text)
        kernel = self.emit(EXAMPLES / "matmul_bias_leakyrelu.mmk", "--case", "S1") / "matmul_bias_leakyrelu.h"
        self.assertLess(kernel.read_text().count("\n"), 400)
        self.assertLessEqual(max(len(line) for line in text.splitlines() if "variant" not in line), 100)
        text = (self.emit(EXAMPLES / "matmul_half.mmk") / "matmul_half.h").read_text()
        self.assertIn("// prediction  none: no shape was named (--case NAME, or M=VALUE ...)\n", text)

    def test_refused(self):
        for program, words, place, what in REFUSED:
            with self.subTest(what=what):
                project = self.emit(program, *words, exit=2)
                self.assertIn(f"{self.program}:{place}: error: this is not written as Ascend C yet: {what}\n",
                              self.said)
                self.assertTrue(self.said.endswith(NOTE))
                self.assertFalse(project.exists())


if __name__ == "__main__":
    main()
