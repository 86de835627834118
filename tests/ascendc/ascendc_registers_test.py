"""Work of the vector cores of Ascend 950 (dav-3510) as functions on registers, alone and between products."""

import subprocess

from projects import ProjectTest
from ascendc_operations_test import BYTES, CONVERSIONS, INTEGERS, OPERATIONS
from command import EXAMPLES, main

SOFTMAX = """\
kernel softmax(x: f32[M, N]) -> y: f32[M, N] {
  let e[i, j] = exp(x[i, j] - max[j](x[i, j]));
  y[i, j] = e[i, j] / sum[j](e[i, j]);
}
"""
REDUCTIONS = """\
kernel product(a: f32[M, N], h: f16[M, N], i: i32[M, N])
    -> p: i32[M], s: f32[N], t: f32[M], u: f32[N], v: f32[M], w: f16[M], z: i32[M] {
  p = argmax[N](a);
  s = max[M](a);
  t = min[N](h) + sum[N](a);
  u = prod[M](a);
  v = max[N](a);
  w = sum[N](h);
  z = sum[N](i);
}
"""


class Registers(ProjectTest):
    machine = ("--machine", "ascend950pr")
    attention = EXAMPLES / "attention" / "attention.mmk"

    def test_softmax(self):
        self.check(SOFTMAX, [(128, 128), (63, 77)], "--set", "cores=1")

    def test_vector(self):
        for text, sizes in ((OPERATIONS, (19, 77)), (CONVERSIONS, (19, 77)), (INTEGERS, (19, 77)), (BYTES, (17, 70)),
                            (REDUCTIONS, (19, 301))):
            scalars = ["s=2.5"] if " s: f32)" in text else ["t=3"] if " t: i32)" in text else []
            self.check(text, [sizes], scalars=scalars, orders=("7",))

    def test_relu(self):
        """Applied by Fixpipe, behind a row of the bias table."""
        for result in ("f32", "bf16"):
            self.check(f"""\
kernel product(a: bf16[M, K], b: bf16[K, N], bias: f32[N]) -> c: {result}[M, N] {{
  c = relu(a @ b + bias);
  schedule {{ cores = 2; tile M = 32, N = 64, K = 16; bias = table; }}
}}
""", [(50, 40, 130)])

    def test_attention(self):
        for through in ("direct", "products", "global"):
            with self.subTest(through=through):
                self.check(self.attention, [(1, 2, 77, 32, 130, 48)], "--set", f"through={through}", "--set", "tile.M=48",
                           "--set", "tile.N=32", "--set", "preload=2", "--set", "fuse=products", orders=("7",))

    def test_attention_flags(self):
        self.expect_flags(self.attention, (1, 1, 40, 40, 200, 32), "--set", "cores=1", "--set", "tile.M=32", "--set",
                          "tile.N=32", "--set", "fuse=products", "--set", "preload=2", "--set", "skew=stages", least=40)

    def test_barriers(self):
        """A loop that does not wait for what the one before it stores, in one function with it."""
        project = self.emit(SOFTMAX, "--set", "cores=1")
        header = project / "softmax.h"
        text = header.read_text()
        barrier = "Reg::LocalMemBar<Reg::MemType::VEC_STORE, Reg::MemType::VEC_LOAD>();"
        self.assertIn(barrier, text)
        header.write_text(text.replace(barrier, ""))
        driver, _ = self.driver([header])
        (self.folder / "x.bin").write_bytes(bytes(4 * 64))
        done = subprocess.run([driver, "0", self.folder / "x.bin", f"{self.folder / 'y.bin'}:256", "4", "16"],
                              capture_output=True, text=True)
        self.assertIn("expected LocalMemBar between a store and a load", done.stderr)


if __name__ == "__main__":
    main()
