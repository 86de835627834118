"""Projects of `mmk compile --emit=ascendc`: writes one, compiles it on the shim, and compares its results
with those of the emulated core."""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))
import calls
from command import LONGEST, MMK, CommandTest

HERE = pathlib.Path(__file__).resolve().parent
SHIM = HERE / "shim"
DRIVER_HEADERS = HERE / "driver_headers.h"
COMPILED = pathlib.Path(os.environ["MMK_COMPILED"])
CLANG = [os.environ["CXX"], "-std=c++20", "-O0", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
# How the pipes run: as early as the flags allow, as late, and at random.
ORDERS = ("ahead", "behind", "7")
# The plan of an emitted kernel leaves this of UB (ascendc/vector_room.h).
ROOM = ("--machine-set", "memories.ub.reserved=16384")




def plain(bits, kind):
    """The bits of a result with one NaN for all: which sign x * -1 gives it is another on each computer."""
    floats = {"f32": numpy.uint32, "f16": numpy.uint16, "bf16": numpy.uint16}
    if kind not in floats:
        return bits
    least = {"f32": 0x7F800000, "f16": 0x7C00, "bf16": 0x7F80}[kind]
    elements = numpy.frombuffer(bits, floats[kind]).copy()
    elements[elements << 1 > floats[kind](least) << 1] = floats[kind](-1 % 2 ** (8 * elements.itemsize))
    return elements.tobytes()


def isCall(name):
    """Whether a call is taken away, of a place, or all calls of a flag."""
    return ".h:" in name


class Signature:
    """Parameters and results of a kernel: names, types and shapes, as its text has them."""

    def __init__(self, text, kernel=None):
        text = re.sub(r"//.*|\bconst\s", "", text)
        self.name, self.parameters, self.results = next(
            (name, self.parsed(parameters), self.parsed(results))
            for name, parameters, results in re.findall(r"kernel (\w+)\s*\((.*?)\)\s*->(.*?)\{", text, re.S)
            if kernel in (None, name))
        self.tensors = [each for each in self.parameters if each[2]]
        # Of scalars, and dimensions that follow from others.
        self.defaults = dict(re.findall(r"(\w+)\s*:\s*\w+\s*=\s*([^,\s)]+)", text))
        body = re.split(r"\bkernel\b", re.split(rf"\bkernel {self.name}\b", text)[1])[0]
        self.derived = dict(re.findall(r"\bdim\s+(\w+)\s*=\s*([^;]*);", body))
        # Dimensions that the caller gives.
        self.bound = {d for _, _, shape in self.parameters for d in shape} - set(self.derived)

    @staticmethod
    def parsed(text):
        found = re.findall(r"(\w+)\s*:\s*(\w+)\s*(?:\[(.*?)\])?", text)
        return [(name, kind, [d.strip() for d in shape.split(",") if d.strip()])
                for name, kind, shape in found if kind != "int"]


def numbers(random, kind, shape):
    """Random elements, as the file of a tensor holds them."""
    if kind == "i8":
        return random.integers(-128, 128, shape, numpy.int8)
    if kind == "i32":
        return random.integers(-1000, 1001, shape, numpy.int32)
    values = random.uniform(-1, 1, shape).astype(numpy.float32)
    if kind == "bf16":
        return (values.view(numpy.uint32) >> 16).astype(numpy.uint16)
    return values.astype(numpy.float16) if kind == "f16" else values


def compiled(*words):
    """What the compiler makes of these words and the files of the shim, once for all tests of a build folder."""
    key = hashlib.sha256(repr((CLANG, words)).encode())
    for file in [DRIVER_HEADERS, *sorted(path for path in SHIM.rglob("*") if path.is_file())]:
        key.update(file.read_bytes())
    output = COMPILED / key.hexdigest()[:20]
    if not output.exists():
        COMPILED.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=COMPILED) as folder:
            subprocess.run([*CLANG, "-isystem", SHIM, *words, "-o", f"{folder}/output"], check=True, timeout=LONGEST)
            os.replace(f"{folder}/output", output)
    return output


class ProjectTest(CommandTest):
    # ASCENDC_MACHINE runs the same tests for another chip.
    machine = ("--machine", os.environ["ASCENDC_MACHINE"]) if "ASCENDC_MACHINE" in os.environ else ()

    @property
    def defines(self):
        """The chip for which the shim stands."""
        return ["-D__NPU_ARCH__=3510", "-DMMK_CANN_9_1"] if "ascend950pr" in self.machine else []

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pipes = compiled("-O2", "-fPIC", "-c", SHIM / "pipes.cpp")

    def emit(self, program, *words, exit=0):
        """Writes the project of a program into a new folder, which it returns."""
        if not isinstance(program, pathlib.Path):
            path = self.folder / "product.mmk"
            path.write_text(program)
            program = path
        self.program = program
        project = self.folder / f"project{len(list(self.folder.glob('project*')))}"
        self.mmk("compile", program, *self.machine, *words, "--emit=ascendc", "-o", project, exit=exit)
        if self.code == 0:
            text = self.header(project).read_text()
            self.variant = re.search("// variant +(.*)", text)[1]
            # Each call and field is one that the tables of docs/ascendc.md have for the chip.
            self.assertEqual(set(), calls.unlisted(project, re.search(r"dav-(\d+)", text)[1]))
        return project

    def header(self, project):
        header, = (path for path in project.glob("*.h") if path.stem != "instructions")
        return header

    def build(self, output, *words, headers=()):
        """Compiles and links a program or a library with the shim; `headers` are precompiled."""
        done = subprocess.run([*CLANG, *self.defines, "-isystem", SHIM, *headers, self.pipes, *map(str, words), "-o",
                               output], capture_output=True, text=True, timeout=LONGEST)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def driver(self, headers, scalars=(), defaults=None):
        """An executable that launches one of some kernels, and the names of their dimensions."""
        values = {**(defaults or {}), **dict(word.split("=") for word in scalars)}
        source = headers[0].with_suffix(".driver.cpp")
        text, cases = [f'#include "{DRIVER_HEADERS}"'], []
        for number, header in enumerate(headers):
            launch, workspace = f"{header.stem}_launch", f"{header.stem}_workspace_bytes"
            code = header.read_text()
            arguments = re.search(rf"inline void {launch}\((.*?)\)", code, re.S)[1].split(",")[1:]
            names = [argument.split() for argument in arguments]
            tensors = [name[-1][1:] for name in names if name[-1][0] == "*" and name[-1] != "*workspace"]
            floats = [name[-1] for name in names if name[0] in ("float", "int32_t")]
            dims = [name[-1] for name in names if name[0] == "int64_t"]
            extents = [f"d[{i}]" for i in range(len(dims))]
            needs = workspace in code
            call = ["nullptr", *(f"t[{i}]" for i in range(len(tensors))), *["workspace"] * needs,
                    *(values[name] for name in floats), *extents]
            # Each kernel is for itself: the functions of their files have the same names.
            text.append(f'namespace variant{number} {{\n#include "{header}"\n}}')
            size = f"variant{number}::{workspace}({', '.join(extents)})" if needs else 1
            cases.append(f"case {number}: {{\nvoid *workspace = allocated({size});\nstatic_cast<void>(workspace);\n"
                         f"variant{number}::{launch}({', '.join(call)});\nbreak;\n}}")
        body = "\n".join(cases)
        source.write_text("\n".join(text) + f'\n#include "{HERE / "driver.h"}"\n'
                          "void launch(int variant, const std::vector<void *> &t,"
                          " [[maybe_unused]] const std::vector<int64_t> &d)"
                          f" {{\nswitch (variant) {{\n{body}\n}}\n}}\n")
        output = source.with_suffix("")
        # In CANN 8.5 a kernel says which cores run it, as a statement that the shim checks.
        older = [] if any("#error" in header.read_text() for header in headers) else ["-DMMK_CANN_8_5"]
        self.build(output, *older, source, headers=["-include-pch", compiled(
            *self.defines, *older, "-fpch-instantiate-templates", "-x", "c++-header", DRIVER_HEADERS)])
        return output, dims

    def change(self, name, bits):
        """What a test changes in the random elements of a parameter."""

    def data(self, signature, dims, scalars=(), words=()):
        """Files of random parameters, and the bits of each result on the emulated core."""
        random = numpy.random.default_rng(3)
        words, raws, results = list(words), [], []
        for name, kind, shape in signature.tensors:
            bits = numbers(random, kind, [dims[d] if d in dims else int(d) for d in shape])
            self.change(name, bits)
            numpy.save(self.folder / f"{name}.npy", bits)
            bits.tofile(self.folder / f"{name}.bin")
            words += ["--input", f"{name}={self.folder / name}.npy"]
            raws.append(self.folder / f"{name}.bin")
        for name, *_ in signature.results:
            words += ["--output", f"{name}={self.folder / f'{name}.npy'}"]
        # The variant of the project, whatever another one is chosen for these dimensions.
        self.mmk("run", self.program, "--variant", self.variant, *self.machine, *ROOM,
                 *(f"{d}={extent}" for d, extent in dims.items() if d in signature.bound), *scalars, *words,
                 "--no-check")
        self.kinds = [kind for _, kind, _ in signature.results]
        for name, kind, _ in signature.results:
            results.append(plain(numpy.load(self.folder / f"{name}.npy").tobytes(), kind))
        return raws, results

    def ran(self, driver, raws, sizes, extents, order, variant=0, **environment):
        """The process of a driver, and the bits of each result."""
        files = [self.folder / f"result{i}.bin" for i in range(len(sizes))]
        for file in files:
            file.unlink(missing_ok=True)
        done = subprocess.run([driver, str(variant), *raws, *(f"{file}:{size}" for file, size in zip(files, sizes)),
                               *map(str, extents)], capture_output=True, text=True, timeout=LONGEST,
                              env=dict(os.environ, SHIM_ORDER=order, **environment))
        return done, [plain(file.read_bytes(), kind) if file.exists() else b"" for file, kind in zip(files, self.kinds)]

    def compare(self, driver, raws, expected, extents, variant=0, orders=ORDERS):
        for order in orders:
            with self.subTest(program=self.program, variant=self.variant, extents=extents, order=order):
                self.expect_bits(driver, raws, expected, extents, order, variant)

    def expect_bits(self, driver, raws, expected, extents, order, variant=0):
        done, found = self.ran(driver, raws, [len(bits) for bits in expected], extents, order, variant)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        same = [len(bits) == len(other) and bits == other for bits, other in zip(found, expected)]
        self.assertTrue(all(same), f"other bits of the results: {same}")

    def check(self, program, all_dims, *words, scalars=(), kernel=None, orders=ORDERS):
        """Whether the kernel gives the bits of the emulated core, with all these extents: in the order of its
        dimensions, or by their names."""
        text = program.read_text() if isinstance(program, pathlib.Path) else program
        signature = Signature(text, kernel)
        named = ["--kernel", kernel] if kernel else []
        driver, dims = self.driver([self.header(self.emit(program, *words, *named))], scalars, signature.defaults)
        for extents in all_dims:
            extents = extents if isinstance(extents, dict) else dict(zip(dims, extents))
            raws, expected = self.data(signature, extents, scalars, named)
            self.compare(driver, raws, expected, [extents[d] for d in dims], orders=orders)

    def expect_flags(self, program, extents, *words, scalars=(), least, kernel=None):
        """That without any one of the flags that it comes by the kernel stops with a message, or is wrong."""
        text = program.read_text() if isinstance(program, pathlib.Path) else program
        signature = Signature(text, kernel)
        named = ["--kernel", kernel] if kernel else []
        driver, dims = self.driver([self.header(self.emit(program, *words, *named))], scalars, signature.defaults)
        extents = extents if isinstance(extents, dict) else dict(zip(dims, extents))
        raws, expected = self.data(signature, extents, scalars, named)
        names = self.flags(driver, raws, expected, [extents[d] for d in dims])
        self.assertGreater(len(names), least)
        found = self.redundant(driver, raws, expected, [extents[d] for d in dims], names)
        self.assertEqual([], [name for name in found if isCall(name) or self.isNeedless(name, *words, *named)])

    def flags(self, driver, raws, expected, extents):
        """The calls that the kernel comes by, by their places, and all flags by their pipes and numbers."""
        reached = self.folder / "reached"
        reached.unlink(missing_ok=True)
        self.ran(driver, raws, [len(bits) for bits in expected], extents, "ahead", SHIM_REACHED=str(reached))
        return sorted(reached.read_text().splitlines()) if reached.exists() else []

    def redundant(self, driver, raws, expected, extents, names):
        """Those of some flags without which the kernel still gives these bits, in every order of the pipes."""
        found = []
        for name in names:
            # All calls of a flag: what it made others wait for is as late as it can.
            source = re.match(r"(\w+)>", name)
            late = [source[1]] if source else ["FIX", "MTE2", "MTE3"] if name.startswith("cross") else []
            orders = [*ORDERS, *(f"{pipe}@{side}" for pipe in late for side in range(3))]
            outcomes = (self.ran(driver, raws, [len(bits) for bits in expected], extents, order, SHIM_WITHOUT=name)
                        for order in orders)
            if all(done.returncode == 0 and bits == expected for done, bits in outcomes):
                found.append(name)
        return found

    def isNeedless(self, flag, *words):
        """Whether the program of the emulated core is in order without a flag, "V>MTE2:3", for all extents."""
        ir = self.mmk("compile", self.program, "--emit=aicore", *self.machine, *ROOM, *words)
        source, target, number = re.fullmatch(r"(?:(\w+)>)?(\w+):(\d+)", flag).groups()
        pipes = {"M": "cube", "FIX": "fixpipe", "V": "vector", "S": "scalar"}
        if source:
            pair = " -> ".join(pipes.get(pipe, pipe.lower()) for pipe in (source, target))
            call = rf"aicore\.(?:set|wait)_flag \[{pair}\] (\d+)"
        else:
            call = r"aicore\.(?:set|wait)_cross .* (\d+)(?: \+.*)?$"
        # A flag with a slot stands for a number of each copy.
        first = max(int(base) for base in re.findall(call, ir, re.M) if int(base) <= int(number))
        rest = "\n".join(line for line in ir.splitlines() if (re.search(call, line) or [0, "none"])[1] != str(first))
        done = subprocess.run([MMK.parent / "mmk-opt", "--aicore-verify-sync"], input=rest, capture_output=True,
                              text=True, timeout=LONGEST)
        return done.returncode == 0
