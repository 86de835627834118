"""Whole messages of the import: wrong files, wrong values, and nodes that the language cannot say."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import onnx
from onnx import TensorProto
from onnx_models import Builder, mlp
from package import EXAMPLES, main

from mmk.onnx import ModelError, import_model
from mmk.onnx import __main__ as command

MLP = EXAMPLES / "onnx/mlp.onnx"
PLACES = "it reads at places that data determine; the language reads at sums of index variables"


def reason(operator, shapes, kinds=None, constants=None, opset=17, **attributes):
    """Why a node is not imported. Its inputs have these shapes; those of `constants`, by place, are known."""
    b = Builder(opset=opset)
    names = []
    for place, shape in enumerate(shapes):
        if place in (constants or {}):
            names.append(b.constant(f"x{place}", constants[place]))
        else:
            names.append(b.input(f"x{place}", shape, (kinds or {}).get(place, TensorProto.FLOAT)))
    b.node(operator, names, "y", **attributes)
    b.outputs = [onnx.ValueInfoProto(name="y")]
    graph = onnx.helper.make_graph(b.nodes, "one", b.inputs, b.outputs,
                                   [onnx.numpy_helper.from_array(array, name) for name, array in b.weights.items()])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
    with tempfile.TemporaryDirectory() as folder:
        imported = import_model(model, folder)
    return imported.refused[0].reason if imported.refused else None


class ErrorsTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def mmk(self, *words, **environment):
        path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        return subprocess.run([os.environ["MMK"], "import", *map(str, words)], cwd=self.folder, text=True,
                              capture_output=True, env={**os.environ, "PATH": path, **environment})

    def test_command(self):
        done = self.mmk(MLP)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", "\n".join([
            "mlp.onnx: 4 nodes: 4 in 2 kernels, 0 read in place, 0 computed at import, 0 not imported",
            "  01_fc1.mmk: Gemm 'fc1', Relu 'relu'",
            "  02_fc2.mmk: Gemm 'fc2', Softmax 'softmax'",
            "wrote 2 kernels, weights.npz and run.py to mlp\n"])))
        self.assertEqual(sorted(path.name for path in (self.folder / "mlp").iterdir()),
                         ["01_fc1.mmk", "02_fc2.mmk", "run.py", "weights.npz"])

    def test_module(self):
        """Python's module is the same command; without the native one, the kernels have another layout."""
        environment = {**os.environ, "PATH": ""}
        del environment["MMK"]
        for more, note in (({"MMK": os.environ["MMK"]}, ""),
                           ({}, "note: the kernels are not formatted, since the command mmk is not in PATH\n")):
            done = subprocess.run([sys.executable, "-m", "mmk.onnx", MLP, "-o", "mlp"], cwd=self.folder, text=True,
                                  capture_output=True, env={**environment, **more})
            self.assertEqual((done.returncode, done.stderr), (0, note))
            text = (self.folder / "mlp/02_fc2.mmk").read_text()
            self.assertEqual("  active:     f32[Batch, 32],\n" in text, not note)

    def test_part_of_a_model(self):
        """The exit code says that nodes are left out."""
        b = Builder()
        b.input("x", [4])
        b.node("Sin", ["x"], "y")
        b.output("y", [4])
        onnx.save(b.model(), self.folder / "sine.onnx")
        done = self.mmk("sine.onnx")
        self.assertEqual((done.returncode, done.stderr, done.stdout), (1, "", "\n".join([
            "sine.onnx: 1 nodes: 0 in 0 kernels, 0 read in place, 0 computed at import, 1 not imported",
            "  not imported: node 0, Sin 'y.node': the language does not have this function",
            "wrote 0 kernels, weights.npz and run.py to sine\n"])))

    def test_unknown_operator(self):
        """The other nodes are imported; Mish is newer than the package, and known."""
        b = Builder()
        b.input("x", [4])
        b.nodes += [onnx.helper.make_node("Mish", ["x"], ["m"], name="mish"),
                    onnx.helper.make_node("Newest", ["m"], ["y"], name="new")]
        b.output("m", [4])
        b.output("y", [4])
        graph = onnx.helper.make_graph(b.nodes, "g", b.inputs, b.outputs)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
        onnx.save(model, self.folder / "n.onnx")
        done = self.mmk("n.onnx")
        self.assertEqual((done.returncode, done.stderr, done.stdout), (1, "", "\n".join([
            "n.onnx: 2 nodes: 1 in 1 kernels, 0 read in place, 0 computed at import, 1 not imported",
            "  01_mish.mmk: Mish 'mish'",
            "  not imported: node 1, Newest 'new': mmk import does not know this operator",
            "wrote 1 kernels, weights.npz and run.py to n\n"])))

    def test_wrong_words(self):
        (self.folder / "text.onnx").write_text("no model")
        (self.folder / "empty.onnx").write_bytes(b"")
        numpy.save(self.folder / "x.npy", numpy.zeros((2, 3), "f"))
        number = "expected NAME=VALUE with a number, numbers as 1,2,3 or a .npy file, found"
        for words, message in [
                (["none.onnx"], "cannot read 'none.onnx': No such file or directory"),
                (["text.onnx"], "'text.onnx' is no model of ONNX: Error parsing message with type 'onnx.ModelProto'"),
                ([MLP, "bat=16"], "the model has no input or dimension 'bat'; it has x, batch"),
                ([MLP, "batch"], f"{number} 'batch'"),
                ([MLP, "batch=many"], f"{number} 'batch=many'"),
                ([MLP, "batch=0"], "'batch' is a dimension, a whole number from 1, found 0"),
                ([MLP, "batch=1.5"], "'batch' is a dimension, a whole number from 1, found 1.5"),
                ([MLP, "batch=1,2"], "'batch' is a dimension, a whole number from 1, found [1, 2]"),
                ([MLP, "x=none.npy"], "cannot read 'none.npy': No such file or directory"),
                ([MLP, "x=x.npy"], "'x' is float32[Batch, 16], and its value has the shape [2, 3]"),
                ([MLP, "-o", "text.onnx"], "cannot write 'text.onnx': File exists"),
        ]:
            with self.subTest(message):
                done = self.mmk(*words)
                self.assertEqual((done.returncode, done.stderr), (2, f"error: {message}\n"))
        done = self.mmk("empty.onnx")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^error: 'empty.onnx' is no model of ONNX: ")
        done = self.mmk(MLP, "--machine", "ascend")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^error: unknown machine ascend; legal: ascend310p3, ")

    def python(self, folder, line):
        """A python3 in a folder of its own."""
        (self.folder / folder).mkdir()
        python = self.folder / folder / "python3"
        python.write_text(f"#!/bin/sh\nexec {line} \"$@\"\n")
        python.chmod(0o755)
        return python

    def test_missing_packages(self):
        """The first Python that has the packages is used; where none has, the message says which were tried."""
        bare, whole = self.python("bare", f"{sys.executable} -S"), self.python("whole", sys.executable)
        done = self.mmk(MLP, PATH=f"{bare.parent}:{whole.parent}:/usr/bin", PYTHONPATH="")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (self.folder / "binary").mkdir()
        (self.folder / "binary/python3").write_bytes(b"\x7fELF")
        (self.folder / "binary/python3").chmod(0o755)
        for folder in self.folder / "binary", "/nowhere":
            with self.subTest("the system's Python", folder=folder):
                done = self.mmk("none.onnx", PATH=str(folder))
                self.assertEqual((done.returncode, done.stderr), (
                    2, "error: cannot read 'none.onnx': No such file or directory\n"))
        (self.folder / "onnx.py").write_text("raise ImportError('none', name='onnx')\n")
        done = self.mmk(MLP, TMPDIR="/nowhere")
        self.assertEqual((done.returncode, done.stderr), (
            2, "error: mmk import: no temporary file: No such file or directory\n"))
        broken = self.python("broken", "/bin/false")
        done = self.mmk(MLP, PATH=f"{bare.parent}:{broken.parent}:{bare.parent}", PYTHONPATH=str(self.folder))
        self.assertEqual((done.returncode, done.stderr), (
            2, "error: mmk import needs a python3 with the packages numpy, onnx and mmk, Debian's python3-numpy and "
               f"python3-onnx; tried: {bare} (no package numpy), {broken} (does not start), /usr/bin/python3 "
               "(no package onnx)\n"))

    def test_shapes(self):
        """What a model leaves out of its shapes is inferred; where that fails, only a node that needs it is refused."""
        def value(name, kind=TensorProto.FLOAT, *shape):
            return onnx.helper.make_tensor_value_info(name, kind, shape[0] if shape else None)

        weight = onnx.numpy_helper.from_array(numpy.ones((4, 3), "f"), "w")
        product = [onnx.helper.make_node("MatMul", ["x", "w"], ["h"], name="h"),
                   onnx.helper.make_node("Relu", ["h"], ["y"], name="y")]
        untyped = onnx.ValueInfoProto(name="y")
        unknown = "its input 'x' has no type and shape that are known"
        for name, inputs, outputs, words, refused in [
                ("shape", [value("x", 1, ["batch", 4])], [value("y")], [], []),
                ("type", [value("x", 1, ["batch", 4])], [untyped], [], []),
                ("between", [value("x", 1, ["batch", 4])], [value("y"), value("h")], [], []),
                ("odd", [value("x", 1, ["batch-size + 1", 4])], [value("y", 1, ["", 3])], [], []),
                ("below", [value("x", 1, [-1, 4])], [value("y", 1, [-1, 3])], [], []),
                ("listed", [value("x", 1, ["n", 4]), value("w", 1, [4, 3])], [value("y")], [], []),
                ("rank", [value("x")], [value("y")], [], [unknown, unknown.replace("'x'", "'h'")]),
                ("given", [value("x")], [value("y")], ["x=x.npy"], []),
        ]:
            numpy.save(self.folder / "x.npy", numpy.zeros((2, 4), "f"))
            for version in onnx.IR_VERSION, onnx.IR_VERSION + 2:
                with self.subTest(name, version=version):
                    graph = onnx.helper.make_graph(product, "g", inputs, outputs, [weight])
                    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
                    model.ir_version = version
                    (self.folder / "m.onnx").write_bytes(model.SerializeToString())
                    done = self.mmk("m.onnx", *words)
                    self.assertEqual((done.returncode, done.stderr), (1 if refused else 0, ""))
                    self.assertEqual([line.rpartition(": ")[2] for line in done.stdout.splitlines()
                                      if "  not imported" in line], refused)
        graph = onnx.helper.make_graph(product, "g", [value("x", 1, ["n", 4])], [value("y"), value("z")], [weight])
        (self.folder / "m.onnx").write_bytes(onnx.helper.make_model(graph).SerializeToString())
        done = self.mmk("m.onnx")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "error: no node computes the output 'z' of the model\n"))

    def test_bug(self):
        """What is no user error says that it is a bug."""
        script = ("import sys, mmk.onnx.importer as importer\nimporter.Plan = None\n"
                  f"from mmk.onnx.__main__ import main\nsys.exit(main([{str(MLP)!r}]))")
        done = subprocess.run([sys.executable, "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, command.BUG)
        self.assertIn(f"error: a bug in mmk import; please report it with {MLP}\n", done.stderr)

    def test_values_of_inputs(self):
        """What shapes a kernel has to be known; the message says how to give it."""
        b = Builder()
        b.input("x", [2, 3])
        b.input("shape", [2], TensorProto.INT64)
        b.node("Expand", ["x", "shape"], "y")
        b.outputs = [onnx.ValueInfoProto(name="y")]
        model = onnx.helper.make_model(onnx.helper.make_graph(b.nodes, "g", b.inputs, b.outputs))
        imported = import_model(model, self.folder)
        self.assertEqual(imported.refused[0].reason,
                         "its shape shapes the kernel and is not known before the model runs: give it: mmk import ... "
                         "shape=VALUE")
        imported = import_model(model, self.folder, {"shape": [2, 3]})
        self.assertEqual(imported.refused, [])
        with self.assertRaises(ModelError):
            import_model(mlp()[0], self.folder, {"y": 1})

    def test_reasons(self):
        i64 = TensorProto.INT64
        for expected, words in [
                ("the language does not have this function", ("Sin", [[3]])),
                ("mmk import does not know this operator", ("Trilu", [[3, 3]])),
                ("its tensors are float64; the language has float32, float16, int8 and int32, and mmk import converts "
                 "bool, uint8 and int64", ("Abs", [[3]], {0: TensorProto.DOUBLE})),
                ("its tensors are bfloat16, which NumPy does not have", ("Abs", [[3]], {0: TensorProto.BFLOAT16})),
                (PLACES, ("Gather", [[3], [2]], {1: i64})),
                ("it reads at places without an order; the language reads at sums of index variables",
                 ("Gather", [[5], [3]], {}, {1: numpy.array([0, 3, 1])})),
                ("its dimensions 3 and 4 differ", ("Add", [[3], [4]])),
                ("its axis 3 is outside of rank 2", ("Softmax", [[3, 4]], {}, {}, 17, {"axis": 3})),
                ("it multiplies a scalar", ("MatMul", [[], [3]])),
                ("its operand is int32; only that of floats is known", ("Exp", [[3]], {0: TensorProto.INT32})),
                ("it pads by the mode edge; the language pads with a value",
                 ("Pad", [[3], [2]], {}, {1: numpy.array([1, 1])}, 17, {"mode": "edge"})),
                ("its windows of 5 do not fit an image of 3",
                 ("MaxPool", [[1, 1, 3]], {}, {}, 17, {"kernel_shape": [5]})),
                ("'x0' has no elements", ("Relu", [[0]])),
                ("its result has no elements",
                 ("Slice", [[3], [1], [1]], {}, {1: numpy.array([3]), 2: numpy.array([3])})),
                ("the constant 2147483648 has more than 32 bits, which kernels do not have",
                 ("Less", [[3], []], {0: i64}, {1: numpy.array(2**31)})),
                ("the dimension N would shape the kernel; give it: mmk import ... N=SIZE",
                 ("ReduceProd", [["N", 3]], {0: i64})),
                ("its operand is bool; only that of floats is known", ("Sigmoid", [[3]], {0: TensorProto.BOOL})),
                ("its p is 3; 1 and 2 are known", ("GlobalLpPool", [[1, 1, 3]], {}, {}, 17, {"p": 3})),
                ("its p is 3; ONNX has 1 and 2", ("LpNormalization", [[3]], {}, {}, 17, {"p": 3})),
                ("it detects neither of the infinities",
                 ("IsInf", [[3]], {}, {}, 17, {"detect_positive": 0, "detect_negative": 0})),
                ("it broadcasts along an axis, as before version 7 of ONNX's operators; this model has 6",
                 ("Add", [[2, 3], [2]], {}, {}, 6, {"broadcast": 1, "axis": 0})),
                ("its slope has a dimension for channels, as before version 7 of ONNX's operators",
                 ("PRelu", [[1, 2, 3], [2]], {}, {}, 6)),
                ("it is over several dimensions, as before version 13 of ONNX's operators; this model has 11",
                 ("Hardmax", [[2, 3, 4]], {}, {}, 11)),
                ("it has a mean for each element (spatial = 0), which newer versions of ONNX do not have",
                 ("BatchNormalization", [[1, 2, 3]] + [[6]] * 4, {}, {}, 8, {"spatial": 0})),
                ("its image has rank 2; it needs channels and a dimension", ("Conv", [[1, 2], [1, 2]])),
                ("a tensor of the language has at most 8 dimensions, and its result 9",
                 ("Unsqueeze", [[1] * 8, [1]], {}, {1: numpy.array([0])})),
        ]:
            operator, shapes, kinds, constants, opset, attributes = (*words, *[{}, {}, 17, {}][len(words) - 2:])
            with self.subTest(operator, expected=expected):
                self.assertEqual(reason(operator, shapes, kinds, constants, opset, **attributes), expected)


if __name__ == "__main__":
    main()
