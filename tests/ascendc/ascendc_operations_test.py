"""Each vector instruction as `mmk compile --emit=ascendc` writes it, with numbers of all kinds; and what
dav-2201 has no instruction for."""

import subprocess

import numpy

from projects import ProjectTest, Signature
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
BYTES = """\
kernel product(a: i8[M, N], b: i8[M, N], c: i8[M, 1], w: bf16[M, N], t: i32)
    -> x: i8[M, N], y: f32[M, N], u: bf16[M, N], v: i8[M, N] {
  x = select(a < b, a, c);
  y = select(a >= 3 && b != c || !(a == b) && cast<f32>(t) > 3, 1, 2) + select(a <= b && c > a, 4, 8);
  u = cast<bf16>(a);
  v = cast<i8>(w * 100);
}
"""
# More columns than the spare room has pieces.
COLUMNS = """\
kernel product(x: f32[M, N], COLUMNS) -> y: f32[M, N] {
  y = tanh(x) + SUM;
}
""".replace("COLUMNS", ", ".join(f"c{i}: f32[M, 1]" for i in range(9))).replace(
    "SUM", " + ".join(f"min(x, c{i}) * max(c{(i + 4) % 9}, c{i})" for i in range(9)))
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
# Those for which the interface has no reduction of a repeat, and sums up to each column.
FOLDED = """\
kernel product(a: f32[M, N], h: f16[M, N], n: i32[M, N])
    -> p: f32[M], q: f16[M], r: i32[M], s: i32[M], t: i32[M], u: f32[M, N], v: i32[M, N] {
  p = prod[N](a * 0.25 + 1);
  q = sum[N](h);
  r = sum[N](n);
  s = max[N](n);
  t = min[N](n) + prod[N](n);
  u = cumsum[N](a);
  v = cumsum[N](n);
}
"""
# Numbers of the scalar unit.
SCALARS = """\
kernel product(a: f32[M, N], s: f32, t: f32) -> x: f32[M, N] {
  x = a * hardswish(s) + cast<bf16>(t) * cast<f16>(s) + clamp(t, -2, s);
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
# Elements at indices, and bounds of loops, of what a pass before has computed.
COMPUTED = """\
kernel product(x: f32[M, N], n: i32[M]) -> y: f32[M, N], z: f32[M] {
  let t = exp(x) / sum[M](exp(x));
  y[i, j] = pad(t, 0.5)[i / 2, (j * 3) / 2 - 1];
  let m[i] = n[i] / 16;
  z[i] = sum[j | j < m[i]](t[i, j]);
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
    (CAST.replace("f32[", "i8[").replace("c: i8[M, N] {", "c: i8[M] {").replace("CODE", "max[N](a)"), (), "2:7",
     "the reduction max of i8 along columns"),
    (CAST.replace("f32[", "i8[").replace("c: i8[M, N] {", "c: i8[N] {").replace("CODE", "min[M](a)"), (), "2:7",
     "the reduction min of i8 along rows"),
    (CAST.replace("f32[", "i32[").replace("c: i32[M, N] {", "c: i32[M] {").replace("CODE", "argmax[N](a)"), (), "2:7",
     "the reduction argmax of i32 along columns"),
    (CAST.replace("a: f32[M, N]", "a: f32[M, N], x: i32[N]").replace("CODE", "max(a, cast<i8>(x))"), ("--set", "tile.N=16"), "2:7",
     "vector work on rows that begin at no block of 32 bytes"),
    (CAST.replace("a: f32[M, N]", "a: f32[M, N], s: f32").replace("CODE", "a * rsqrt(s)"), (), "2:11",
     "the operation math.sqrt"),
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

    def test_bytes(self):
        self.check(BYTES, [(9, 301), (1, 1)], scalars=["t=9"])

    def test_columns(self):
        self.check(COLUMNS, [(9, 301), (1, 1)])

    def test_reductions(self):
        self.check(REDUCTIONS, [(19, 301), (1, 1)])

    def test_folded(self):
        self.check(FOLDED, [(19, 301), (1, 1), (33, 16)])
        self.check(FOLDED, [(19, 301), (3, 2100)], "--set", "tile.N=2048", "--set", "tile.M=2")

    def test_scalars(self):
        self.check(SCALARS, [(9, 301)], scalars=["s=1.7", "t=-0.3"])

    def test_positions(self):
        self.check(POSITIONS, [(19, 301), (1, 1)])

    def test_indices(self):
        self.check(INDICES, [(9, 71), (1, 1)])

    def test_lengths(self):
        """Bounds of loops that depend on data."""
        self.check(LENGTHS, [(19, 200), (1, 1)], scalars=["most=130"])

    def test_computed(self):
        self.check(COMPUTED, [(9, 71), (1, 1)])
        header = self.header(self.emit(COMPUTED))
        clean = "  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(acc_ws);\n"
        text = header.read_text()
        self.assertIn(clean, text)
        header.write_text(text.replace(clean, ""))
        driver, dims = self.driver([header])
        raws, expected = self.data(Signature(COMPUTED), dict(M=9, N=71))
        done, _ = self.ran(driver, raws, [len(bits) for bits in expected], [9, 71], "ahead")
        self.assertIn("expected a read of what has not been written since the cache was cleaned", done.stderr)

    def test_wide(self):
        """Rows that are more blocks apart than a field of repeats holds."""
        self.check(WIDE, [(5, 4000)])

    def test_cores(self):
        """Passes over vector cores alone meet, which takes the scheduler of a mixed kernel."""
        sums = EXAMPLES / "column_sums.mmk"
        for words, cores, task_type in ((("--set", "grid.M=2"), "__mix__(0, 1)", "KERNEL_TYPE_MIX_AIV_1_0"),
                                        ((), "__vector__", "KERNEL_TYPE_AIV_ONLY")):
            code = self.header(self.emit(sums, *words)).read_text()
            self.assertIn(f"__global__ MMK_CORES({cores}) void column_sums(", code)
            self.assertIn(f"  MMK_TASK_TYPE({task_type});\n", code)
            self.assertEqual("SyncAll<true>()" in code, words != ())

    def test_many_flags(self):
        """CANN 8.5 has fewer flags between cores."""
        program = EXAMPLES / "attention" / "attention.mmk"
        words = "--set", "fuse=products", "--set", "preload=3", "--set", "buffers.ub=2", "--set", "tile.N=64"
        project = self.emit(program, *words)
        self.assertIn('#error "flags between cores beyond 10, which CANN 8.5 does not have"',
                      self.header(project).read_text())

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
