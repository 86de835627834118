"""Each stage that `mmk compile` writes, and `mmk check`."""

import json
import subprocess

from command import EXAMPLES, MMK, CommandTest, main

FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"
# A kernel that fills one memory with buffers of every kind.
MAP = """\
bias_relu on ascend910b3: cores=20,tile.W=32,tile.C=256,out=2,ub=2,order=rows

ub: 163584 of 196352 bytes used (83.3 %), 32768 free; 256 more reserved by the system
  AAAAAAaaaaaaaBBBBBBBbbbbbbCc.........................DDDDDDDDDDDDD..............
     buffer                 offset  bytes  copies  total  line  live
  A  x: 32 x 256 f16             0  16384       2  32768     3  2 load to 4 vector
  B  out: 32 x 256 f16       32768  16384       2  32768     3  4 vector to 5 store
  C  bias: 1 x 256 f32       65536   1024       2   2048     3  1 load to 4 vector
  D  scratch: 32 x 256 f32  130816  32768       1  32768     3  4 vector

bars: the whole memory to scale, a letter for each buffer (every second copy in lower case), a dot
for what is free; live: the first and the last instruction that touch it, counted in program order
"""
GEMM = """\
kernel gemm(a: f32[M, K], b: f32[K, N], bias: f32[N], alpha: f32) -> c: f32[M, N] {
  let acc = a @ b;
  c = leaky_relu(acc + bias, alpha);
  schedule { tile M = 16, N = 16, K = 16; fuse     = all | none; }
}
"""
# b comes as the transpose of a dense matrix, and c is part of a wider one. The plan of one shape
# does not fit the next.
PROGRAM = """\
#include "gemm.h"
#include <stdio.h>
enum { m = 37, n = 51, k = 29, pitch = 60 };
static float a[m * k], b[n * k], bias[n], expected[m * n], c[m * pitch];
static void get(const char *file, float *values, size_t count) {
  FILE *stream = fopen(file, "rb");
  if (!stream || fread(values, sizeof *values, count, stream) != count)
    exit(3);
  fclose(stream);
}
static int wrong(void) {
  int count = 0;
  for (int i = 0; i < m * pitch; ++i)
    count += c[i] != (i % pitch < n ? expected[i / pitch * n + i % pitch] : -7);
  return count;
}
int main(void) {
  get("a.bin", a, m * k);
  get("b.bin", b, n * k);
  get("bias.bin", bias, n);
  get("expected.bin", expected, m * n);
  gemm_arguments with = {};
  with.a = a;
  with.b = b;
  with.b_strides[0] = 1;
  with.b_strides[1] = k;
  with.bias = bias;
  with.alpha = 0.5f;
  with.c = c;
  with.c_strides[0] = pitch;
  with.c_strides[1] = 1;
  int count = 0;
  void *scratch = aligned_alloc(4096, gemm_scratch_bytes);
  for (int times = 0; times < 2; ++times) {
    with.M = with.N = with.K = 1;
    if (gemm(&with, NULL))
      return 2;
    with.M = m;
    with.N = n;
    with.K = k;
    for (int i = 0; i < m * pitch; ++i)
      c[i] = -7;
    if (gemm(&with, times ? scratch : NULL))
      return 2;
    count += wrong();
  }
  free(scratch);
  printf("%d wrong\\n", count);
  return count != 0;
}
"""
# The operations that a stage has and the one before it lacks.
MARKS = {"ast": "kernel matmul_bias_leakyrelu\n", "mmk": "linalg.contract", "tiled": "mmk.fusion_group",
         "aicore": "aicore.mmad", "memory": "\nl0c: ", "llvm": "; ModuleID", "asm": "\nmmk_phase_0:\n"}


# Every second pixel, weighted. P, Q and the merged NPQ follow from the others.
APART = """\
kernel apart(x: f32[N, H, W, C], w: f32[C, O]) -> y: f32[N, P, Q, O] {
  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y[n, p, q, o] = sum[c](x[n, 2*p, 2*q, c] * w[c, o]);
}
"""
APART_PROGRAM = """\
#include "apart.h"
#include <stdio.h>
int main(void) {
  static float x[2 * 5 * 7 * 3], w[3 * 4], y[2 * 3 * 4 * 4];
  for (int i = 0; i < 2 * 5 * 7 * 3; ++i)
    x[i] = (float)(i % 11);
  for (int i = 0; i < 3 * 4; ++i)
    w[i] = (float)(i % 5);
  apart_arguments with = {};
  with.N = 2;
  with.H = 5;
  with.W = 7;
  with.C = 3;
  with.O = 4;
  with.x = x;
  with.w = w;
  with.y = y;
  if (apart(&with, NULL) != 0)
    return 1;
  for (int i = 0; i < 2 * 3 * 4 * 4; ++i)
    printf("%g ", y[i]);
  with.P = 3; /* given, it has to be what follows */
  return apart(&with, NULL);
}
"""


class Compile(CommandTest):
    def test_stages(self):
        for stage, mark in MARKS.items():
            with self.subTest(stage=stage):
                text = self.mmk("compile", FUSED, f"--emit={stage}")
                self.assertTrue(mark in text)
                self.mmk("compile", FUSED, "--emit", stage, "-o", "out")
                self.assertTrue((self.folder / "out").read_text() == text)
        self.assertEqual(self.mmk("compile", FUSED), self.mmk("compile", FUSED, "--emit=aicore"))

    def test_the_next_stage_of_a_core_is_prefetched(self):
        staged = self.mmk("compile", FUSED).count("aicore.load_l0 ")
        prefetches = self.mmk("compile", FUSED, "--emit=llvm").count("call void @prefetch_rows(")
        self.assertEqual(prefetches, staged)

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

    def test_header_and_object_in_a_program(self):
        """A C program with the header and the object computes what NumPy does."""
        import numpy
        (self.folder / "gemm.mmk").write_text(GEMM)
        machines = [("host", ()), ("ascend910b3", ("--set", "fuse=none"))]
        m, n, k = 37, 51, 29
        random = numpy.random.default_rng(1)
        a, b = (random.integers(-4, 5, shape).astype(numpy.float32) for shape in ((m, k), (n, k)))
        bias = random.integers(-4, 5, n).astype(numpy.float32)
        expected = a @ b.T + bias
        expected = numpy.where(expected >= 0, expected, numpy.float32(0.5) * expected)
        for name, values in ("a", a), ("b", b), ("bias", bias), ("expected", expected):
            values.tofile(self.folder / f"{name}.bin")
        (self.folder / "main.c").write_text(PROGRAM)
        for machine, options in machines:
            with self.subTest(machine=machine):
                self.mmk("compile", "gemm.mmk", "--machine", machine, *options,
                         "--emit=obj,header", "-o", "gemm.o")
                self.assertEqual((self.folder / "gemm.h").read_text(),
                                 self.mmk("compile", "gemm.mmk", "--machine", machine, *options,
                                          "--emit=header"))
                for compiler, words in (("clang-22", ("-std=c11",)),
                                        ("clang++-22", ("-x", "c++", "-std=c++17"))):
                    done = subprocess.run(
                        [compiler, *words, "-Wall", "-Wextra", "-Werror", "-O1", "main.c", "-x",
                         "none", "gemm.o", "-o", "program"], cwd=self.folder, capture_output=True,
                        text=True)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    done = subprocess.run([self.folder / "program"], cwd=self.folder,
                                          capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stdout), (0, "0 wrong\n"))

    def test_header_with_a_dimension_of_zero(self):
        """Results without elements are left; others are refused before anything is written."""
        (self.folder / "rows.mmk").write_text("kernel rows(x: f32[M, N]) -> y: f32[M, N], s: f32[M] {\n"
                                              "  y = x + x;\n  s = sum[N](x);\n}\n")
        (self.folder / "main.c").write_text(
            "#include \"rows.h\"\n#include <stdio.h>\n"
            "int main(void) {\n  float s[2] = {7, 7};\n"
            "  rows_arguments none = {.M = 0, .N = 3}, left = {.M = 2, .N = 0, .s = s};\n"
            "  int first = rows(&none, NULL), second = rows(&left, NULL);\n"
            "  printf(\"%d %d %g\", first, second, s[1]);\n  return 0;\n}\n")
        for machine in "host", "ascend910b3":
            self.mmk("compile", "rows.mmk", "--machine", machine, "--emit=obj,header", "-o", "rows.o")
            done = subprocess.run(["clang-22", "-std=c11", "-Wall", "-Werror", "main.c", "-x", "none", "rows.o", "-o",
                                   "program"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = subprocess.run([self.folder / "program"], capture_output=True, text=True)
            self.assertEqual(done.stdout, "0 -2 7")

    def test_header_computes_dimensions_that_follow_from_others(self):
        import numpy
        (self.folder / "apart.mmk").write_text(APART)
        (self.folder / "main.c").write_text(APART_PROGRAM)
        self.mmk("compile", "apart.mmk", "--machine", "host", "--emit=obj,header", "-o", "apart.o")
        self.assertIn("  int64_t P; /* 0: (floor_quotient((H - 1), 2) + 1) */\n",
                      (self.folder / "apart.h").read_text())
        x = (numpy.arange(2 * 5 * 7 * 3) % 11).reshape(2, 5, 7, 3)[:, ::2, ::2]
        expected = x @ (numpy.arange(3 * 4) % 5).reshape(3, 4)
        for compiler, words in (("clang-22", ("-std=c11",)), ("clang++-22", ("-x", "c++", "-std=c++17"))):
            done = subprocess.run([compiler, *words, "-Wall", "-Wextra", "-Werror", "-O1", "main.c", "-x", "none",
                                   "apart.o", "-o", "program"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = subprocess.run([self.folder / "program"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, [int(word) for word in done.stdout.split()]),
                             (0, expected.flatten().tolist()))

    def test_object_and_header_need_a_file(self):
        self.mmk("compile", FUSED, "--emit=obj,header", exit=2)
        self.assertEqual(self.said, "error: --emit=obj,header writes two files; name the object: "
                                    "-o FILE.o\n")
        self.mmk("compile", FUSED, "--emit=obj,header", "-o", "gemm.h", exit=2)
        self.mmk("compile", FUSED, "--emit=obj,asm", "-o", "gemm.o", exit=2)
        self.assertEqual(self.said, "error: --emit names one stage, or obj,header; found "
                                    "'obj,asm'\n")

    def test_timing(self):
        plain = self.mmk("compile", FUSED, "--emit=asm")
        self.assertEqual(self.mmk("compile", FUSED, "--emit=asm", "--timing"), plain)
        lines = self.said.splitlines()
        self.assertEqual(lines[0].split(), ["ms", "%"])
        self.assertRegex(lines[1], r"^ +[\d.]+  100\.0  total$")
        names = [line[19:] for line in lines[1:]]
        self.assertIn("  passes", names)
        self.assertTrue(any(name.startswith("  generate machine code") for name in names))

    def test_map_of_the_memories(self):
        self.assertEqual(self.mmk("compile", EXAMPLES / "bias_relu.mmk", "--emit=memory"), MAP)

    def test_map_of_two_phases(self):
        text = self.mmk("compile", FUSED, "--emit=memory", "--set", "fuse=none",
                        "--machine", "ascend310p3")
        self.assertIn("\nbetween phases, in global memory: acc [M, N] f32\n", text)
        self.assertIn("\nphase 2 of 2\n\nub: ", text)

    def test_map_as_json(self):
        (kernel,) = json.loads(self.mmk("compile", FUSED, "--emit=memory", "--json", "-"))
        self.assertEqual(list(kernel), ["kernel", "machine", "variant", "workspaces", "phases"])
        (phase,) = kernel["phases"]
        memories = {memory["name"]: memory for memory in phase["memories"]}
        self.assertEqual(list(memories), ["l1", "l0a", "l0b", "l0c", "ub", "gm"])
        self.assertNotIn("capacity", memories["gm"])
        for memory in memories.values():
            ends = [buffer["offset"] + buffer["copies"] * buffer["bytes"]
                    for buffer in memory["buffers"]]
            self.assertEqual(max(ends), memory["used"])
        (acc,) = memories["l0c"]["buffers"]
        self.assertEqual(acc["line"], 9)
        self.assertEqual([acc[key]["instruction"] for key in ["first", "last"]],
                         ["mmad", "spill"])

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
        self.assertEqual(self.mmk("compile", FUSED, "--print-after", "aicore-insert-transfers"), plain)
        self.assertEqual(self.said.count("IR Dump After"), 1)
        self.mmk("compile", FUSED, "--print-after", "all")
        self.assertGreater(self.said.count("IR Dump After"), 8)

    def test_check_names_every_kernel_and_its_variant(self):
        text = self.mmk("check", FUSED, "--machine", "host", "--set", "tile.M=64")
        self.assertRegex(text, r"^ok: 1 kernel, 6 cases; on host:\n"
                               r"  matmul_bias_leakyrelu: cores=\d+,tile=64x256x64,.*\n"
                               r"    fills of a core: l0a \d+ %, l0b \d+ %,.*\n$")

    def test_check_as_json(self):
        (kernel,) = json.loads(self.mmk("check", FUSED, "--json", "-"))
        self.assertEqual(list(kernel), ["kernel", "machine", "variant", "cases", "memory"])
        self.assertEqual(kernel["cases"], ["S1", "S2", "S3", "S4", "ragged", "thin"])
        self.assertEqual(set(kernel["memory"]["l1"]), {"used", "capacity"})

    def test_check_looks_behind_a_kernel_that_is_wrong(self):
        (self.folder / "two.mmk").write_text(
            "".join(f"kernel {name}(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {{\n  c = a @ b;\n"
                    f"  schedule {{ tile M = {tile}; }}\n}}\n"
                    for name, tile in [("one", 3072), ("right", 64), ("two", 2048)]))
        self.mmk("check", "two.mmk", exit=2)
        self.assertIn("two.mmk:3:19: error: L0A", self.said)
        self.assertIn("note: nearest legal: tile.M = 1024 (--set tile.M=1024)\n", self.said)
        self.assertIn("two.mmk:11:19: error: L0A", self.said)
        self.assertNotIn("two.mmk:7:", self.said)

    def test_warnings_stop_nothing(self):
        (self.folder / "warn.mmk").write_text(
            "kernel k(x: f32[N], unused: f32 = 1) -> y: f32[N] { y = x; }\n")
        self.assertIn("ok: 1 kernel", self.mmk("check", "warn.mmk"))
        self.assertIn("warn.mmk:1:21: warning:", self.said)


if __name__ == "__main__":
    main()
