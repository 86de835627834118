"""The rules of the interface: the ranges of its fields, what bits of CTRL do, and what kernels need of both chips."""

import re
import subprocess

import calls
from projects import CLANG, DRIVER_HEADERS, SHIM, ProjectTest, Signature, compiled
from ascendc_convolution_test import DIRECT, SAME, dims
from command import LONGEST, main

# A kernel of one core; BODY is in line 6.
KERNEL = """\
#include "kernel_operator.h"
#include <cstdio>
using namespace AscendC;
void kernel(uint8_t *gm) {
  InitSocState();
  BODY
  PipeBarrier<PIPE_ALL>();
  static_cast<void>(gm);
}
"""
RUN = ("int main() { void *gm; aclrtMalloc(&gm, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST); "
       "MMK_LAUNCH(kernel, 1, nullptr, static_cast<uint8_t *>(gm));")
L1 = "const LocalTensor<float> l1(TPosition::A1, 0, 4096);"
UB = "const LocalTensor<float> ub(TPosition::VECCALC, 0, 4096);"
GM = "GlobalTensor<float> out; out.SetGlobalBuffer(reinterpret_cast<float *>(gm));"
# The chip, a body, and what is said of it.
BROKEN = (
    ("2201", "Nd2NzParams p; p.srcDValue = int64_t(65536);",
     "expected Nd2NzParams::srcDValue of 1 to 65535, found 65536"),
    ("3510", "Nd2NzParams p; p.nValue = int64_t(16385);", "expected Nd2NzParams::nValue of 0 to 16384, found 16385"),
    ("2201", "static_cast<void>(DataCopyExtParams(4096, 32, 0, 0, 0));",
     "expected DataCopyExtParams::blockCount of 0 to 4095, found 4096"),
    ("3510", f"{UB} {GM} DataCopyPad(ub, out, DataCopyExtParams(1, 32, 0, 65536, 0), DataCopyPadExtParams<float>());",
     "expected DataCopyExtParams::dstStride of 0 to 65535, found 65536"),
    ("2201", "LoadData3DParamsV2<half> p; p.padList[1] = -1;",
     "expected LoadData3DParamsV2::padList of 0 to 255, found -1"),
    ("2201", "MmadParams p; p.m = int64_t(4096);", "expected MmadParams::m of 0 to 4095, found 4096"),
    ("2201", "FixpipeParamsV220 p; p.mSize = int64_t(8193);",
     "expected FixpipeParamsV220::mSize of 0 to 8192, found 8193"),
    ("3510", "LoadData2DParamsV2 p; p.mStep = int64_t(256);",
     "expected LoadData2DParamsV2::mStep of 0 to 255, found 256"),
    ("3510", f"{L1} DataCopy(LocalTensor<float>(TPosition::C2, 0, 512), l1, DataCopyParams(1, 3, 0, 0));",
     "expected an even number of blocks"),
    ("3510", f"{L1} LoadDataWithStride(LocalTensor<float>(TPosition::A2, 0, 512), l1, LoadData3DParamsV2<float>());",
     "expected SetLoadDataRepeatWithStride in front of it"),
    ("3510", "const LocalTensor<float> c(TPosition::CO1, 0, 256), a(TPosition::A2, 0, 256), b(TPosition::B2, 0, 256); "
     "MmadParams p; p.m = 16; p.n = 16; p.k = 16; p.kDirectionAlign = true; Mmad(c, a, b, p);",
     "expected f32 with a depth of whole squares, of dav-2201"),
    ("2201", "static_cast<void>(CopyRepeatParams(1, 1, 4096, 0));",
     "expected CopyRepeatParams::dstRepeatSize of 0 to 4095, found 4096"),
)
# What this chip does not have.
ABSENT = (
    ("2201", "LoadDataRepeatParamWithStride p;", "LoadDataRepeatParamWithStride"),
    ("2201", "SetCtrlSpr<48, 48>(1);", "SetCtrlSpr"),
    ("3510", "LoadData2DParams p;", "LoadData2DParams"),
    ("3510", "LoadDataRepeatParam p; p.dstStride = 1;", "LoadDataRepeatParam"),
    ("3510", "set_ctrl(0);", "set_ctrl"),
)
# Elements of a tensor, an instruction that changes them, and the bits of the result with and without a bit of CTRL.
COMPUTED = """\
const LocalTensor<FROM> from(TPosition::VECCALC, 0, 256);
const LocalTensor<TO> to(TPosition::VECCALC, 1024, 256);
GlobalTensor<TO> out; out.SetGlobalBuffer(reinterpret_cast<TO *>(gm));
SET
Duplicate(from, static_cast<FROM>(NUMBER), int32_t(64));
CALL
DataCopyPad(out, to, DataCopyExtParams(1, 32, 0, 0, 0));
"""
ADDED, CAST = "Add(to, from, from, int32_t(64));", "Cast(to, from, RoundMode::CAST_RINT, uint32_t(64));"
MODES = (
    ("half", "half", "65504", ADDED, 48, ("7bff", "7c00")),
    ("float", "half", "1e6f", CAST, 48, ("7bff", "7c00")),
    ("float", "half", "__builtin_nanf(\"\")", "Muls(from, from, -1.0f, int32_t(64)); " + CAST, 48, ("0000", "[7f]e00")),
    ("int32_t", "int32_t", "2000000000", ADDED, 53, ("ee6b2800", "7fffffff")),
    ("half", "int8_t", "300", CAST, 59, ("7f", "2c")),
)
NARROW = """\
kernel narrow(x: f32[M, N]) -> y: f16[M, N], z: i8[M, N] {
  y = cast<f16>(x * 100000.0);
  z = cast<i8>(x * 1000.0);
}
"""
SUMS = """\
kernel product(a: f16[M, K], b: f16[K, N]) -> c: f16[M, N] {
  c = (a @ b);
}
"""
ROWS = """\
kernel sums(x: f32[M, N]) -> y: f32[M] {
  y[m] = sum[n](x[m, n]);
  schedule { tile M = 4400; buffers ub = 1, out = 1; }
}
"""
LONG = """\
kernel product(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule { cores = 1; tile M = 16, N = 16, K = 16; }
}
"""
# A row of more elements than 16 bits count.
WIDE = """\
kernel wide(x: i8[M, N]) -> y: i8[M, N] {
  y = max(x, 3);
  schedule { cores = 1; tile M = 1, N = 65536; buffers ub = 1, out = 1; }
}
"""
BIAS = """\
kernel product(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {
  c = a @ b + bias;
  schedule { cores = 2; tile M = 32, N = 64, K = 32; bias = table; }
}
"""


class InterfaceTest(ProjectTest):
    def on_shim(self, chip, body, main=RUN + " }"):
        """What comes of a kernel: the process that runs it, or the compiler's where that refuses it."""
        source = self.folder / "kernel.cpp"
        source.write_text(KERNEL.replace("BODY", body) + '#include "acl/acl.h"\n' + main)
        chosen = ["-D__NPU_ARCH__=3510", "-DMMK_CANN_9_1"] if chip == "3510" else ["-DMMK_CANN_8_5"]
        headers = compiled(*chosen, "-fpch-instantiate-templates", "-x", "c++-header", DRIVER_HEADERS)
        done = subprocess.run([*CLANG, *chosen, "-isystem", SHIM, "-include-pch", headers, self.pipes, source, "-o",
                               self.folder / "kernel"], capture_output=True, text=True, timeout=LONGEST)
        if done.returncode != 0:
            return done
        return subprocess.run([self.folder / "kernel"], capture_output=True, text=True, timeout=LONGEST)

    def test_tables(self):
        """The page has the ranges of the shim."""
        for chip in calls.CHIPS:
            listed = {name: calls.range_of(text) for name, text in calls.listed_fields(chip).items()
                      if re.match(r"-?\d", text)}
            self.assertEqual(listed, calls.shim_ranges(chip))

    def test_broken(self):
        for chip, body, said in BROKEN:
            with self.subTest(body=body):
                done = self.on_shim(chip, body)
                self.assertEqual((done.returncode, done.stderr), (3, f"{self.folder}/kernel.cpp:6: {said}\n"))

    def test_absent(self):
        for chip, body, name in ABSENT:
            with self.subTest(chip=chip, body=body):
                self.assertRegex(self.on_shim(chip, body).stderr, f"kernel.cpp:6:.* error: .*'{name}'")

    def test_modes(self):
        """What a bit of CTRL does, on both chips."""
        for chip in calls.CHIPS:
            for source, target, number, call, bit, results in MODES:
                for value, expected in enumerate(results):
                    with self.subTest(chip=chip, call=call, bit=bit, value=value):
                        setting = (f"set_ctrl(sbitset{value}(get_ctrl(), {bit}));" if chip == "2201"
                                   else f"SetCtrlSpr<{bit}, {bit}>({value});")
                        body = COMPUTED.replace("FROM", source).replace("TO", target).replace("NUMBER", number)
                        bits = f"uint{8 * {'half': 2, 'int32_t': 4, 'int8_t': 1}[target]}_t"
                        printed = f' std::printf("%0*x", int(2 * sizeof({bits})), *static_cast<{bits} *>(gm)); }}'
                        done = self.on_shim(chip, body.replace("CALL", call).replace("SET", setting).replace("\n", " "),
                                            RUN + printed)
                        self.assertEqual((done.returncode, done.stderr), (0, ""))
                        self.assertRegex(done.stdout, f"^{expected}$")


class KernelsTest(ProjectTest):
    """What kernels of this chip need."""

    def change(self, name, bits):
        if name == "a":
            bits.reshape(-1)[:] *= 1000
        if name == "b":
            bits.reshape(-1)[:] *= 500

    def test_narrow(self):
        """Infinities stay, integers end at the last one; not without what BeginKernel sets."""
        self.check(NARROW, [(9, 70)], orders=("ahead",))
        self.check(SUMS, [(20, 40, 30)], orders=("ahead",))
        self.expect_other(NARROW, (9, 70), r"set_ctrl\(sbit.*|SetCtrlSpr<48, 48>\(1\);", "")

    def test_many_rows(self):
        """More than a transfer moves at once."""
        self.check(ROWS, [(4400, 5)], orders=("7",))

    def test_bias(self):
        self.check(BIAS, [(40, 50, 70)], orders=("behind",))
        self.expect_other(BIAS, (40, 50, 70), r"QuotientUp\((columns \* sizeof\(T\)), 64\)", r"QuotientUp(\1, 128)")

    def expect_other(self, program, extents, pattern, by, *words):
        """That a project gives other results where its instructions are changed."""
        project = self.emit(program, *words)
        file = project / "instructions.h"
        changed, count = re.subn(pattern, by, file.read_text())
        self.assertGreater(count, 0)
        file.write_text(changed)
        driver, dims = self.driver([self.header(project)])
        values = extents if isinstance(extents, dict) else dict(zip(dims, extents))
        raws, expected = self.data(Signature(program), values)
        done, found = self.ran(driver, raws, [len(bits) for bits in expected], [values[d] for d in dims], "ahead")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(found == expected)

    def test_long_rows(self):
        """A row stride beyond 16 bits: of dav-2201 row by row, of dav-3510 at once."""
        self.check(LONG, [(3, 20, 66000)], orders=("ahead",))

    def test_together(self):
        """Cores that meet start together; others need not."""
        split = self.emit(SUMS, "--set", "grid.K=2")
        self.assertIn("MMK_TOGETHER __global__ MMK_CORES(", self.header(split).read_text())
        self.assertNotIn("MMK_TOGETHER __global__", self.header(self.emit(SUMS)).read_text())


class Kernels950Test(KernelsTest):
    machine = ("--machine", "ascend950pr")

    def test_wide_rows(self):
        self.check(WIDE, [(2, 65536)], orders=("ahead",))

    def test_part_of_l0(self):
        """Windows into a part of L0A: LoadData would take it to have their rows alone."""
        windows, extents = SAME.format(kind="f16", result="f32"), dims(2, 7, 5, 5, 33)
        sets = (*DIRECT, "--set", "store=overlapped", "--set", "tile.NPQ=64")
        self.check(windows, [extents], *sets, orders=("ahead",))
        self.expect_other(windows, extents, "LoadDataWithStride", "LoadData", *sets)


if __name__ == "__main__":
    main()
