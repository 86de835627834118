"""Whole models, imported and run as a user does: results are PyTorch's, and the nodes that are computed together are
those that the page says."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy
from onnx_models import MODELS, Builder, loaded, mlp, residual, transformer
from package import EXAMPLES, main

from mmk.onnx import import_model

# The operators of each kernel.
KERNELS = {
    "mlp": ["Gemm Relu", "Gemm Softmax"],
    "residual": ["Conv BatchNormalization Relu", "Conv BatchNormalization", "Conv BatchNormalization Add Relu",
                 "GlobalAveragePool", "Gemm"],
    "transformer": ["LayerNormalization", "MatMul Add", "MatMul Add", "MatMul Add",
                    "MatMul Mul Softmax MatMul Transpose",
                    "MatMul Add Add LayerNormalization", "MatMul Add Div Erf Add Mul Mul", "MatMul Add Add"],
    "exported": ["ReduceMean Sub Pow ReduceMean Add Sqrt Div Mul Add", "MatMul Add", "MatMul Add", "MatMul Add",
                 "MatMul Mul ReduceMax Sub Exp ReduceSum Div MatMul Transpose",
                 "MatMul Add Add ReduceMean Sub Pow ReduceMean Add Sqrt Div Mul Add", "MatMul Add Div Erf Add Mul Mul",
                 "MatMul Add Add"],
}


class ModelsTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_model(self, model, data, machine="host", **given):
        imported = import_model(model, self.folder, given, machine)
        self.assertEqual((imported.refused, imported.apart), ([], []), imported)
        driver = loaded(self.folder)
        driver.model.machine = machine
        return imported, driver.run(**data)

    def expect(self, found, expected, tolerance=1e-5):
        self.assertEqual(list(found), list(expected))
        for name, array in expected.items():
            numpy.testing.assert_allclose(found[name], array, tolerance, tolerance, err_msg=name)

    def test_models(self):
        for name, make in MODELS.items():
            with self.subTest(name):
                model, data, expected = make()
                imported, found = self.run_model(model, data)
                self.expect(found, expected)
                self.assertEqual([" ".join(node.operator for node in kernel.nodes) for kernel in imported.kernels],
                                 KERNELS[name])

    def test_machine(self):
        for make in (mlp, residual, transformer):
            with self.subTest(make.__name__):
                model, data, expected = make()
                self.expect(self.run_model(model, data, "ascend910b3")[1], expected, 1e-3)

    def test_sizes(self):
        """A named dimension is one when the model runs, unless it is given."""
        model, _, _ = mlp()
        imported, _ = self.run_model(model, {"x": numpy.zeros((1, 16), "f")})
        driver = loaded(self.folder)
        for batch in (2, 33):
            self.assertEqual(driver.run(numpy.zeros((batch, 16), "f"))["y"].shape, (batch, 4))
        self.assertIn("x: f32[Batch, 16]", imported.kernels[0].text)
        imported, _ = self.run_model(model, {"x": numpy.zeros((3, 16), "f")}, batch=3)
        self.assertIn("x: f32[3, 16]", imported.kernels[0].text)

    def test_two_sizes_of_an_image(self):
        """Height and width are open; those of results follow from them."""
        b = Builder(3)
        b.input("x", ["N", 3, "H", "W"])
        b.node("Conv", ["x", b.weight("w", 4, 3, 3, 3)], "c", pads=[1, 1, 1, 1], strides=[2, 2])
        b.node("MaxPool", ["c"], "p", kernel_shape=[2, 2], strides=[2, 2])
        b.node("Flatten", ["p"], "y")
        b.output("y", ["N", "F"])
        imported, found = self.run_model(b.model(), {"x": numpy.ones((2, 3, 16, 12), "f")})
        self.assertIn("dim P = (H - 1) / 2 + 1;", imported.kernels[0].text)
        self.assertEqual(found["y"].shape, (2, 4 * 4 * 3))
        self.assertEqual(loaded(self.folder).run(numpy.ones((1, 3, 9, 20), "f"))["y"].shape, (1, 4 * 2 * 5))

    def test_missing_node(self):
        """What a node would compute that is not imported is an input of the driver."""
        b = Builder()
        b.input("angle", [3, 4])
        b.node("Sin", ["angle"], "wave")
        b.node("Add", ["wave", "angle"], "y")
        b.node("Cos", ["y"], "z")
        b.output("y", [3, 4])
        b.output("z", [3, 4])
        imported = import_model(b.model(), self.folder)
        self.assertEqual(str(imported), "\n".join([
            "model.onnx: 3 nodes: 1 in 1 kernels, 0 read in place, 0 computed at import, 2 not imported",
            "  01_y_node.mmk: Add 'y.node'",
            "  not imported: node 0, Sin 'wave.node': the language does not have this function",
            "  not imported: node 2, Cos 'z.node': the language does not have this function",
            "  inputs of run.py in their place: wave"]))
        angle = numpy.ones((3, 4), "f")
        found = loaded(self.folder).run(angle=angle, wave=numpy.sin(angle))
        self.expect(found, {"y": numpy.sin(angle) + angle})

    def test_refused_together(self):
        """Nodes of a kernel that the compiler refuses are imported each by itself, and the report says so."""
        b = Builder()
        b.input("x", [16, 16])
        b.node("MatMul", ["x", "x"], "m")
        b.node("Relu", ["m"], "y")
        b.output("y", [16, 16])
        imported = import_model(b.model(), self.folder, machine="ascend310p3")
        reason = "mmk refuses its kernel: ascend310p3 has no cube instruction for 'f32' operands"
        self.assertEqual(str(imported), "\n".join([
            "model.onnx: 2 nodes: 1 in 1 kernels, 0 read in place, 0 computed at import, 1 not imported",
            "  01_y_node.mmk: Relu 'y.node'",
            f"  computed apart: MatMul 'm.node', Relu 'y.node': {reason}",
            f"  not imported: node 0, MatMul 'm.node': {reason}",
            "  inputs of run.py in their place: m"]))

    def test_integers(self):
        """int64 is carried in i32; what may not fit is refused when the model runs."""
        b = Builder()
        b.input("x", [3], 7)
        b.node("Mul", ["x", "x"], "squared")
        b.node("Add", ["squared", b.constant("seven", numpy.array([7]))], "y")
        b.output("y", [3], 7)
        imported = import_model(b.model(), self.folder)
        self.assertEqual(len(imported.kernels), 2)  # the limit of the sum is computed from the square
        self.assertIn("""
    x = model.input('x', x, 'int64')
    model.expect_32_bits('squared', model.most(x) * model.most(x))
    squared = squared_node(x=x)
    del x
    model.expect_32_bits('y', model.most(squared) + 7)
    y = y_node(squared=squared)
""", (self.folder / "run.py").read_text())
        run = loaded(self.folder).run
        self.expect(run(numpy.array([-3, 0, 46340])), {"y": numpy.array([16, 7, 46340**2 + 7])})
        self.expect(run(numpy.zeros(3, int)), {"y": numpy.full(3, 7)})
        for value, message in [
                (50000, "'squared' may have integers beyond 32 bits, which kernels do not have"),
                (-2**31, "'squared' may have integers beyond 32 bits, which kernels do not have"),
                (2**40, "'x' has integers beyond 32 bits, which kernels do not have")]:
            with self.assertRaises(OverflowError) as context:
                run(numpy.array([0, 0, value]))
            self.assertEqual(str(context.exception), message)

    def test_command_line(self):
        """The example, by the driver's own command line."""
        import_model(EXAMPLES / "onnx/mlp.onnx", self.folder)
        words = [sys.executable, self.folder / "run.py"]
        shell = lambda *more: subprocess.run([*words, *more], capture_output=True, text=True)  # noqa: E731
        for machine in ("host", "ascend910b3"):
            done = shell(f"x={EXAMPLES}/onnx/x.npy", "-o", self.folder / machine, "--machine", machine)
            self.assertEqual((done.stdout, done.stderr),
                             (f"y: float32[5, 4] in {self.folder / machine / 'y.npy'}\n", ""))
        x = numpy.load(EXAMPLES / "onnx/x.npy")
        self.expect({"y": numpy.load(self.folder / "host/y.npy")}, loaded(self.folder).run(x))
        on_core, on_host = (numpy.load(self.folder / machine / "y.npy") for machine in ("ascend910b3", "host"))
        numpy.testing.assert_allclose(on_core, on_host, 1e-4)
        done = shell()
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                         (2, "run.py: error: expected NAME=FILE.npy for each of x; found none"))
        numpy.save(self.folder / "wrong.npy", x.astype("d"))
        done = shell(f"x={self.folder}/wrong.npy")
        self.assertEqual((done.returncode, done.stderr), (1, "error: 'x' is float32, found float64\n"))
        done = shell("x=none.npy")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "error: [Errno 2] No such file or directory: 'none.npy'\n"))


class PageTest(unittest.TestCase):
    maxDiff = None

    def test_console(self):
        """The commands of docs/onnx.md print what is shown."""
        shown = re.search(r"```console\n(.*?)```", (EXAMPLES.parent / "docs/onnx.md").read_text(), re.S)[1]
        folders = [str(pathlib.Path(path).parent) for path in (os.environ["MMK"], sys.executable)]
        environment = {**os.environ, "PATH": ":".join([*folders, os.environ["PATH"]])}
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "examples").symlink_to(EXAMPLES)
            printed = ""
            for command in re.findall(r"^\$ (.*)$", shown, re.M):
                done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
                printed += f"$ {command}\n{done.stdout}{done.stderr}"
        self.assertEqual(printed, shown)


if __name__ == "__main__":
    main()
