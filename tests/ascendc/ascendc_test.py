"""`mmk compile --emit=ascendc`: what it writes compiles without a warning on the shim, gives the bits of
the emulated core, and is wrong without any of its flags; what it cannot write it refuses."""

import os
import pathlib
import re
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from command import EXAMPLES, LONGEST, CommandTest, main

HERE = pathlib.Path(__file__).resolve().parent
SHIM = HERE / "shim"
CLANG = [os.environ["CXX"], "-std=c++20", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
ORDERS = ("ahead", "behind", "7")

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
CHAIN = """\
kernel product(a: f16[M, K], b: f16[K, N], d: f16[N, P]) -> c: f32[M, P] {
  let e = cast<f16>(a @ b);
  c = e @ d;
}
"""
TABLE = """\
kernel product(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {
  c = a @ b + bias;
  schedule { tile M = 128; bias = table; }
}
"""
PLANE = """\
kernel product(x: f16[4, M, K], b: f16[K, N]) -> c: f32[M, N] {
  c[m, n] = sum[k](x[2, m, k] * b[k, n]);
}
"""
DERIVED = """\
kernel product(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  dim P = M / 2;
  require P < 100;
  c = a @ b;
}
"""
ALONE = """\
kernel product(a: f16[M, N]) -> c: f16[M, N] {
  c = a * a;
}
"""
COLUMN = """\
kernel product(a: f16[M, K], b: f16[K, N], s: f32[M, 1]) -> c: f32[M, N] {
  c = a @ b + s;
}
"""
RANDOM = """\
kernel product(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b + random[M, N](1);
}
"""
# A program, options, the place, and what is not written.
REFUSED = (
    (PRODUCT.replace("a @ b", "exp(a @ b)"), (), "2:7", "the vector instruction exp"),
    (ALONE, (), "1:8", "a kernel of the vector cores alone"),
    (COLUMN, (), "2:7", "a tile of more than two dimensions, or whose columns are not those of the tensor"),
    (COLUMN.replace("[M, 1]", "[N]").replace("+ s", "+ abs(s)"), (), "2:15",
     "a vector instruction on one row for all"),
    (COLUMN.replace("[M, 1]", "[N]"), ("--set", "tile.M=512", "--set", "tile.N=16", "--set", "tile.K=16"), "2:7",
     "a row for all rows of a tile of more than 255 rows, or of more than 255 blocks of 32 bytes in a row"),
    (RANDOM, (), "2:7", "the operation aicore.random"),
    (PRODUCT.replace("a @ b", "a @ b / 3.0"), (), "2:7", "the vector instruction div with a scalar there"),
    (PRODUCT.replace("a @ b", "1.0 - a @ b"), (), "2:7", "the vector instruction sub with a scalar there"),
    (PRODUCT.replace("a @ b", "select(a @ b > 0.5, 1.0, 2.0)"), (), "1:8",
     "a buffer of another type than f32, f16 and bf16"),
    (CHAIN, (), "3:7", "a second pass over all cores"),
    (TABLE, (), "3:28", "a buffer in bt"),
    (PRODUCT.replace("f16", "f32"), (), "2:7", "a product of another type than f16 and bf16"),
    (PRODUCT.replace("f16", "i8").replace("f32", "i32"), (), "1:8",
     "a tensor of another type than f32, f16 and bf16"),
    (PRODUCT.replace("f32[M, N]", "f32[M, N], d: f32[M, N]").replace("b;", "b; d = a @ b;"), (), "1:8",
     "a kernel of several results"),
    (PRODUCT.replace("[K, N]", "[K, N], s: i32"), (), "1:8", "the scalar s, which is no f32"),
    (PLANE, (), "1:8", "the reference of this kernel, for the host program"),
    (DERIVED, (), "1:8", "a dimension that follows from others"),
    (PRODUCT.replace("a:", "step:").replace("a @", "step @"), (), "1:8",
     "the name step, which has another meaning in C++ or in the project's files"),
    (PRODUCT, ("--machine", "ascend310p3"), "1:8",
     "code of ascend310p3, whose interface no public source establishes (ascend910b1 to ascend910b4 have one)"),
    (PRODUCT, ("--machine", "host"), "1:8", "code of the machine host, which is no NPU"),
)
NOTE = ("note: written: products of f16 or bf16 in one pass (grid.K=1), stored as f32, f16 or bf16, with additions, "
        "multiplications, minima, maxima and leaky_relu behind them; mmk run and --emit=aicore take every kernel\n")


class AscendC(CommandTest):
    def emit(self, program, *words, exit=0):
        """Writes the project of a program into a new folder, which it returns."""
        if not isinstance(program, pathlib.Path):
            path = self.folder / "product.mmk"
            path.write_text(program)
            program = path
        self.program = program
        project = self.folder / f"project{len(list(self.folder.iterdir()))}"
        self.mmk("compile", program, *words, "--emit=ascendc", "-o", project, exit=exit)
        if exit == 0:
            self.variant = re.search("// variant +(.*)", self.header(project).read_text())[1]
        return project

    def header(self, project):
        header, = (path for path in project.glob("*.h") if path.stem != "instructions")
        return header

    def build(self, output, *words):
        done = subprocess.run([*CLANG, "-isystem", SHIM, *map(str, words), SHIM / "pipes.cpp", "-o", output],
                              capture_output=True, text=True, timeout=LONGEST)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def driver(self, header, shapes, scalars=()):
        """An executable that launches the kernel of a header, of parameters and a result."""
        dims = {dim: i for i, dim in enumerate(dict.fromkeys(d for shape in shapes for d in shape))}
        workspace = f"{header.stem}_workspace_bytes"
        hasWorkspace = workspace in header.read_text()
        call = ", ".join(["nullptr", *(f"t[{i}]" for i in range(len(shapes))), *["workspace"] * hasWorkspace,
                          *(word.split("=")[1] for word in scalars), *(f"d[{i}]" for i in range(len(dims)))])
        output = header.with_suffix(".driver")
        self.build(output, f'-DKERNEL="{header}"', f"-DLAUNCH={header.stem}_launch({call})",
                   f"-DWORKSPACE={workspace if hasWorkspace else 1}", HERE / "driver.cpp")
        return output, list(dims)

    def data(self, names, shapes, types, dims, scalars=()):
        """Files of random parameters, and the bits of the result on the emulated core."""
        random = numpy.random.default_rng(3)
        words, raws = [], []
        for name, shape, kind in list(zip(names, shapes, types))[:-1]:
            values = random.uniform(-1, 1, [dims[d] for d in shape]).astype(numpy.float32)
            bits = (values.view(numpy.uint32) >> 16).astype(numpy.uint16) if kind == "bf16" \
                else values.astype(numpy.float16) if kind == "f16" else values
            numpy.save(self.folder / f"{name}.npy", bits)
            bits.tofile(self.folder / f"{name}.bin")
            words += ["--input", f"{name}={self.folder / name}.npy"]
            raws.append(self.folder / f"{name}.bin")
        # The variant of the project, whatever another one is chosen for these dimensions.
        self.mmk("run", self.program, "--variant", self.variant, *(f"{d}={extent}" for d, extent in dims.items()), *scalars, *words,
                 "--no-check", "--output", f"c={self.folder / 'c.npy'}")
        return raws, numpy.load(self.folder / "c.npy").tobytes()

    def ran(self, driver, raws, size, extents, order, **environment):
        result = self.folder / "c.bin"
        result.unlink(missing_ok=True)
        done = subprocess.run([driver, *raws, f"{result}:{size}", *map(str, extents)], capture_output=True,
                              text=True, timeout=LONGEST, env=dict(os.environ, SHIM_ORDER=order, **environment))
        return done, result.read_bytes() if result.exists() else b""

    def check(self, program, shapes, types, all_dims, *words, names="abc", scalars=()):
        header = self.header(self.emit(program, *words))
        driver, dims = self.driver(header, shapes, scalars)
        for extents in all_dims:
            raws, expected = self.data(names, shapes, types, dict(zip(dims, extents)), scalars)
            for order in ORDERS:
                with self.subTest(program=program, extents=extents, order=order):
                    done, found = self.ran(driver, raws, len(expected), extents, order)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual(found, expected)

    def test_half(self):
        self.check(EXAMPLES / "matmul_half.mmk", ("MK", "NK", "MN"), ("f16", "f16", "f16"),
                   [(300, 200, 500), (1, 1, 1), (17, 530, 33)])

    def test_variant(self):
        self.check(EXAMPLES / "matmul.mmk", ("MK", "KN", "MN"), ("f16", "f16", "f32"),
                   [(129, 65, 257), (40, 300, 100)], "--set", "tile.M=64", "--set", "tile.N=128",
                   "--set", "buffers.acc=2", "--set", "cores=5", "--set", "order=zigzag")

    def test_bf16(self):
        self.check(BF16, ("MK", "KN", "MN"), ("bf16", "bf16", "bf16"), [(33, 70, 50), (100, 129, 101)])

    def test_transposed(self):
        self.check(TRANSPOSED, ("KM", "NK", "MN"), ("f16", "f16", "f32"), [(100, 70, 90), (49, 1, 65)])

    def test_batches(self):
        self.check(BATCHED, ("BMK", "BKN", "BMN"), ("f16", "f16", "f16"), [(3, 20, 40, 50)])

    def test_long_rows(self):
        """A row stride that the transfer's field cannot hold."""
        self.check(EXAMPLES / "matmul_half.mmk", ("MK", "NK", "MN"), ("f16", "f16", "f16"), [(3, 66000, 5)])

    def expect_flags(self, program, shapes, types, extents, *words, names="abc", scalars=(), least):
        header = self.header(self.emit(program, *words))
        flags = 0

        def numbered(match):
            nonlocal flags
            flags += 1
            return f"if (kept({flags})) {match[0]}"

        text = re.sub(r"(CrossCore)?(Set|Wait)Flag<[^>]*>\([^;]*;", numbered, header.read_text())
        header.write_text(text.replace("#pragma once", """#pragma once
#include <cstdlib>
inline bool kept(int flag) { return std::atoi(std::getenv("WITHOUT")) != flag; }"""))
        driver, dims = self.driver(header, shapes, scalars)
        raws, expected = self.data(names, shapes, types, dict(zip(dims, extents)), scalars)
        self.assertGreater(flags, least)
        for flag in range(flags + 1):
            outcomes = [self.ran(driver, raws, len(expected), extents, order, WITHOUT=str(flag))
                        for order in ORDERS]
            right = all(done.returncode == 0 and found == expected for done, found in outcomes)
            self.assertEqual(right, flag == 0, f"without flag {flag}")

    def test_flags(self):
        """Without any one of its flags the kernel stops with a message, or is wrong."""
        self.expect_flags(BF16, ("MK", "KN", "MN"), ("bf16", "bf16", "bf16"), (100, 129, 101), least=15)

    def test_flags_of_both_cores(self):
        self.expect_flags(EPILOGUE, ("MK", "KN", "N", "MN"), ("f16", "f16", "f32", "f32"), (140, 90, 300),
                          names=["a", "b", "bias", "c"], scalars=["alpha=0.25"], least=40)

    def test_bias_leaky_relu(self):
        self.check(EXAMPLES / "matmul_bias_leakyrelu.mmk", ("MK", "KN", "N", "MN"), ("f16", "f16", "f32", "f32"),
                   [(129, 65, 257), (300, 200, 500), (1, 1, 1)], names=["a", "b", "bias", "c"],
                   scalars=["alpha=0.25"])

    def test_residual(self):
        """Half-precision operands of the epilogue, and all that it may compute."""
        self.check(RESIDUAL, ("MK", "KN", "MN", "MN"), ("f16", "f16", "f16", "f16"), [(100, 70, 90)],
                   names=["a", "b", "r", "c"], scalars=["s=0.75"])

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
