"""Each vector instruction as `mmk compile --emit=ascendc` writes it, with numbers of all kinds; and what
dav-2201 has no instruction for."""

import subprocess

import numpy

from projects import ProjectTest
from command import EXAMPLES, LONGEST, main

OPERATIONS = """\
kernel product(a: f32[M, N], b: f32[M, N], r: f32[N], c: f32[M, 1], s: f32)
    -> x: f32[M, N], y: f32[M, N], z: f16[M, N] {
  x = select(a < b && a >= -1 || !(b == r), tanh(a * 2) + erf(b), exp(a) / log(abs(b) + 0.1));
  y = select(a != c || s > 2 && a <= b, floor(a * 3) - ceil(b / s), sqrt(abs(a)) * min(r, c) + max(a, s));
  z = cast<f16>(select(a > r, 1 - a, 2 / (b + 3)) + select(s < 3, c, 0));
}
"""
CONVERSIONS = """\
kernel product(h: f16[M, N], w: bf16[M, N], i: i8[M, N], n: i32[M, N], t: i32)
    -> x: f32[M, N], y: i8[M, N], z: i32[M, N], u: bf16[M, N], v: f16[M, N] {
  x = cast<f32>(h) + w + i + n;
  y = cast<i8>(h * 100 + w);
  z = cast<i32>(h * 1000) + n * 3 - t;
  u = cast<bf16>(cast<f32>(i) * h);
  v = cast<f16>(n);
}
"""
INTEGERS = """\
kernel product(a: i32[M, N], b: i32[M, N], c: i32[M, 1]) -> x: i32[M, N], y: i32[N], z: f32[M, N] {
  x = select(a < b, min(a, c), max(a * b, 7 - c));
  y = sum[M](a);
  z = select(a <= b && a != c || b > 5 && b == c || a >= 100, 1, 2);
}
"""
REDUCTIONS = """\
kernel product(a: f32[M, N], h: f16[M, N])
    -> p: i32[M], q: i32[M], s: f32[N], t: f32[M], u: f32[N], v: f32[M], w: f32[N] {
  p = argmax[N](a);
  q = argmin[N](a);
  s = max[M](a);
  t = min[N](h) + sum[N](h);
  u = prod[M](a);
  v = mean[N](a * a);
  w = min[M](h);
}
"""
POSITIONS = """\
kernel product(a: f32[M, N], h: f16[M, N]) -> p: i32[N], q: i32[N] {
  p = argmax[M](a);
  q = argmin[M](h);
  schedule { tile M = 8, N = 64; }
}
"""
LENGTHS = """\
kernel product(x: f32[M, N], length: i32[M], most: i32) -> y: f32[M], z: f32[M, N] {
  y[i] = sum[j | j < length[i] && j < most](x[i, j]);
  z = cumsum[M](x);
  schedule { tile M = 8, N = 64; reduce = two_pass; }
}
"""
INDICES = """\
kernel product(x: f32[M, N]) -> index: f32[M, N] {
  index[i, j] = pad(x, 0.25)[i / 2, j - j % 2] + pad(x, 0.5)[i - 1, (j - 3) / 2];
}
"""
WIDE = """\
kernel product(x: f32[M, N], r: f32[N], c: f32[M, 1]) -> y: f32[M, N], z: f16[M, N] {
  y = (x - r) * c;
  z = cast<f16>(x / c);
  schedule { tile M = 2, N = 4096; buffers ub = 1, out = 1; }
}
"""
CAST = "kernel product(a: f32[M, N]) -> c: f32[M, N] {\n  c = CODE;\n}\n"
# A program, options, the place, and what is not written.
REFUSED = (
    (CAST.replace("CODE", "cumsum[N](a)"), (), "2:7", "sums up to each column, of which dav-2201 has no instruction"),
    (CAST.replace("f32[M, N] {", "f32[M] {").replace("CODE", "prod[N](a)"), (), "2:7",
     "the reduction mul along columns"),
    (CAST.replace("f32[", "i32[").replace("i32[M, N] {", "i32[M] {").replace("CODE", "sum[N](a)"), (), "2:7",
     "the reduction add of i32 along columns"),
    (CAST.replace("f32[", "i32[").replace("c: i32[M, N] {", "c: i32[M] {").replace("CODE", "max[N](a)"), (), "2:7",
     "the reduction max of i32 along columns"),
    (EXAMPLES / "convolution" / "pooling.mmk", ("--kernel", "conv_max_pool"), "6:7",
     "elements at indices of a tensor that the kernel has computed"),
    (CAST.replace("CODE", "a / 3.0"), ("--machine-set", "memories.ub.reserved=256", "--set", "tile.M=23",
                                        "--set", "tile.N=512"), "1:8",
     "a plan that takes 188672 bytes of UB, where its instructions take those from 180224 on "
     "(--machine-set memories.ub.reserved=16384)"),
    (CAST.replace("CODE", "exp(a)"), ("--machine-set", "vector_cores_per_cube=1"), "1:8",
     "code of a machine with another number than two vector cores for each cube core"),
)


class Operations(ProjectTest):
    special = (numpy.nan, numpy.inf, -numpy.inf, -0.0, 0.0, 1.0, -1.0)

    def change(self, name, bits):
        if bits.dtype.kind == "f" and bits.size > 40:
            bits.reshape(-1)[:7] = self.special
            bits.reshape(-1)[30:34] = self.special[3::-1]
        if name == "length":
            bits[:] = numpy.arange(bits.size) * 7 % 150

    def test_operations(self):
        self.check(OPERATIONS, [(9, 301), (1, 1)], scalars=["s=2.5"])

    def test_conversions(self):
        self.check(CONVERSIONS, [(9, 301), (1, 1)], scalars=["t=9"])

    def test_integers(self):
        self.check(INTEGERS, [(9, 301), (1, 1)])

    def test_reductions(self):
        self.check(REDUCTIONS, [(19, 301), (1, 1)])

    def test_positions(self):
        self.check(POSITIONS, [(19, 301), (1, 1)])

    def test_indices(self):
        self.check(INDICES, [(9, 71), (1, 1)])

    def test_lengths(self):
        """Bounds of loops that depend on data."""
        self.check(LENGTHS, [(19, 200), (1, 1)], scalars=["most=130"])

    def test_wide(self):
        """Rows that are more blocks apart than a field of repeats holds."""
        self.check(WIDE, [(5, 4000)])

    def test_renamed(self):
        """The names of CANN 9.1."""
        project = self.emit(REDUCTIONS)
        self.build(project / "run", "-DMMK_CANN_9_1", "-x", "c++", project / "main.asc")
        done = subprocess.run([project / "run", "repeat=1", "M=9", "N=70"], capture_output=True, text=True,
                              timeout=LONGEST)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_refused(self):
        for program, words, place, what in REFUSED:
            with self.subTest(what=what):
                project = self.emit(program, *words, exit=2)
                self.assertIn(f"{self.program}:{place}: error: this is not written as Ascend C yet: {what}",
                              self.said)
                self.assertFalse(project.exists())


if __name__ == "__main__":
    main()
