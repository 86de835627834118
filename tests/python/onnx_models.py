"""Models built by onnx.helper: small whole ones, each with inputs and the outputs that PyTorch computes, and single
nodes."""

import importlib.util
import pathlib
import tempfile

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from mmk.onnx import import_model

FLOAT = TensorProto.FLOAT


class Builder:
    """A model that is put together node by node."""

    def __init__(self, seed=0, opset=17):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs = [], {}, [], []
        self.opset = opset

    def input(self, name, shape, kind=FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, shape, kind=FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def weight(self, name, *shape, scale=0.5):
        self.weights[name] = (scale * self.random.standard_normal(shape)).astype("f")
        return name

    def constant(self, name, value):
        self.weights[name] = numpy.asarray(value)
        return name

    def node(self, operator, inputs, output, **attributes):
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(operator, inputs, outputs, name=f"{outputs[0]}.node", **attributes))
        return outputs[0]

    def model(self):
        graph = helper.make_graph(self.nodes, "model", self.inputs, self.outputs,
                                  [numpy_helper.from_array(array, name) for name, array in self.weights.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        onnx.checker.check_model(model)
        return model

    def tensors(self):
        return {name: torch.from_numpy(array) for name, array in self.weights.items() if array.dtype == numpy.float32}


def mlp(batch="batch"):
    b = Builder()
    x = b.input("x", [batch, 16])
    h = b.node("Gemm", [x, b.weight("fc1.weight", 32, 16), b.weight("fc1.bias", 32)], "h", transB=1)
    a = b.node("Relu", [h], "a")
    b.node("Gemm", [a, b.weight("fc2.weight", 4, 32), b.weight("fc2.bias", 4)], "logits", transB=1)
    b.node("Softmax", ["logits"], "y")
    b.output("y", [batch, 4])
    data = {"x": b.random.standard_normal((5, 16)).astype("f")}
    w = b.tensors()
    linear = torch.nn.functional.linear
    hidden = torch.relu(linear(torch.from_numpy(data["x"]), w["fc1.weight"], w["fc1.bias"]))
    y = torch.softmax(linear(hidden, w["fc2.weight"], w["fc2.bias"]), -1)
    return b.model(), data, {"y": y.numpy()}


def residual(batch=2):
    """Two convolutions with BatchNormalization, a projection beside them, and a global mean."""
    b = Builder(1)
    b.input("image", [batch, 3, 12, 10])
    w = b.weight

    def norm(source, name, channels):
        b.constant(f"{name}.var", (0.5 + b.random.random(channels)).astype("f"))
        return b.node("BatchNormalization", [source, w(f"{name}.scale", channels), w(f"{name}.bias", channels),
                                             w(f"{name}.mean", channels), f"{name}.var"], name)

    b.node("Conv", ["image", w("conv1.w", 8, 3, 3, 3)], "conv1", pads=[1, 1, 1, 1], strides=[2, 2])
    b.node("Relu", [norm("conv1", "bn1", 8)], "relu1")
    b.node("Conv", ["relu1", w("conv2.w", 8, 8, 3, 3)], "conv2", pads=[1, 1, 1, 1])
    b.node("Conv", ["image", w("down.w", 8, 3, 1, 1)], "down", strides=[2, 2])
    b.node("Add", [norm("conv2", "bn2", 8), norm("down", "bn3", 8)], "sum")
    b.node("Relu", ["sum"], "features")
    b.node("GlobalAveragePool", ["features"], "pooled")
    b.node("Flatten", ["pooled"], "flat")
    b.node("Gemm", ["flat", w("fc.w", 8, 4), w("fc.b", 4)], "y")
    b.output("y", [batch, 4])
    b.output("features", [batch, 8, 6, 5])
    data = {"image": b.random.standard_normal((2, 3, 12, 10)).astype("f")}
    t = b.tensors()
    conv = torch.nn.functional.conv2d

    def normed(x, name):
        return torch.nn.functional.batch_norm(x, t[f"{name}.mean"], t[f"{name}.var"], t[f"{name}.scale"],
                                              t[f"{name}.bias"])

    x = torch.from_numpy(data["image"])
    main = torch.relu(normed(conv(x, t["conv1.w"], stride=2, padding=1), "bn1"))
    main = normed(conv(main, t["conv2.w"], padding=1), "bn2")
    features = torch.relu(main + normed(conv(x, t["down.w"], stride=2), "bn3"))
    y = features.mean((2, 3)) @ t["fc.w"] + t["fc.b"]
    return b.model(), data, {"y": y.numpy(), "features": features.numpy()}


def transformer(batch="batch", length="length", exported=False):
    """A block with attention over two heads and LayerNormalization. As exporters write it, `exported`: shapes are
    computed by nodes, and LayerNormalization, Softmax and GELU are made of simpler nodes."""
    b = Builder(2)
    heads, width = 2, 16
    depth = width // heads
    b.input("x", [batch, length, width])
    w = b.weight

    def linear(source, name, inner, outer, activation=None):
        b.node("MatMul", [source, w(f"{name}.weight", inner, outer, scale=0.2)], f"{name}.product")
        return b.node("Add", [f"{name}.product", w(f"{name}.bias", outer)], name)

    def norm(source, name):
        scale, bias = w(f"{name}.weight", width), w(f"{name}.bias", width)
        if not exported:
            return b.node("LayerNormalization", [source, scale, bias], name)
        b.node("ReduceMean", [source], f"{name}.mean", axes=[-1])
        b.node("Sub", [source, f"{name}.mean"], f"{name}.centered")
        b.node("Pow", [f"{name}.centered", b.constant(f"{name}.two", numpy.float32(2))], f"{name}.square")
        b.node("ReduceMean", [f"{name}.square"], f"{name}.variance", axes=[-1])
        b.node("Add", [f"{name}.variance", b.constant(f"{name}.eps", numpy.float32(1e-5))], f"{name}.shifted")
        b.node("Sqrt", [f"{name}.shifted"], f"{name}.deviation")
        b.node("Div", [f"{name}.centered", f"{name}.deviation"], f"{name}.unit")
        b.node("Mul", [f"{name}.unit", scale], f"{name}.scaled")
        return b.node("Add", [f"{name}.scaled", bias], name)

    def size(source, place, name):
        b.node("Shape", [source], f"{name}.shape")
        b.node("Gather", [f"{name}.shape", b.constant(f"{name}.place", numpy.int64(place))], f"{name}.size", axis=0)
        return b.node("Unsqueeze", [f"{name}.size", b.constant(f"{name}.axes", numpy.array([0]))], name)

    def shape(source, name, *rest):
        if not exported:
            return b.constant(name, numpy.array([0, 0, *rest]))
        parts = [size(source, 0, f"{name}.0"), size(source, 1, f"{name}.1")]
        parts += [b.constant(f"{name}.{n}", numpy.array([number])) for n, number in enumerate(rest, 2)]
        return b.node("Concat", parts, name, axis=0)

    def softmax():
        if not exported:
            return b.node("Softmax", ["scaled"], "weights", axis=-1)
        b.node("ReduceMax", ["scaled"], "top", axes=[-1])
        b.node("Sub", ["scaled", "top"], "below")
        b.node("Exp", ["below"], "powers")
        b.node("ReduceSum", ["powers", b.constant("last", numpy.array([-1]))], "total")
        return b.node("Div", ["powers", "total"], "weights")

    def split(name, order):
        linear("norm1", name, width, width)
        b.node("Reshape", [name, shape(name, f"{name}.to", heads, depth)], f"{name}.heads")
        return b.node("Transpose", [f"{name}.heads"], f"{name}.t", perm=order)

    norm("x", "norm1")
    q, k, v = split("q", [0, 2, 1, 3]), split("k", [0, 2, 3, 1]), split("v", [0, 2, 1, 3])
    b.node("MatMul", [q, k], "scores")
    b.node("Mul", ["scores", b.constant("scale", numpy.float32(depth**-0.5))], "scaled")
    softmax()
    b.node("MatMul", ["weights", v], "mixed")
    b.node("Transpose", ["mixed"], "mixed.t", perm=[0, 2, 1, 3])
    b.node("Reshape", ["mixed.t", shape("mixed.t", "joined.to", width)], "joined")
    linear("joined", "out", width, width)
    b.node("Add", ["out", "x"], "attended")
    linear(norm("attended", "norm2"), "up", width, 4 * width)
    b.node("Div", ["up", b.constant("root", numpy.float32(2**0.5))], "up.scaled")
    b.node("Erf", ["up.scaled"], "up.erf")
    b.node("Add", ["up.erf", b.constant("one", numpy.float32(1))], "up.shifted")
    b.node("Mul", ["up", "up.shifted"], "up.doubled")
    b.node("Mul", ["up.doubled", b.constant("half", numpy.float32(0.5))], "gelu")
    linear("gelu", "down", 4 * width, width)
    b.node("Add", ["down", "attended"], "y")
    b.output("y", [batch, length, width])
    data = {"x": b.random.standard_normal((3, 7, width)).astype("f")}
    return b.model(), data, {"y": _transformer(torch.from_numpy(data["x"]), b.tensors(), heads).numpy()}


def _transformer(x, t, heads):
    functional = torch.nn.functional

    def linear(source, name):
        return source @ t[f"{name}.weight"] + t[f"{name}.bias"]

    def norm(source, name):
        return functional.layer_norm(source, source.shape[-1:], t[f"{name}.weight"], t[f"{name}.bias"])

    normed = norm(x, "norm1")
    q, k, v = (linear(normed, name).unflatten(-1, (heads, -1)).transpose(1, 2) for name in "qkv")
    weights = torch.softmax(q @ k.transpose(-1, -2) * q.shape[-1]**-0.5, -1)
    attended = linear((weights @ v).transpose(1, 2).flatten(2), "out") + x
    return linear(functional.gelu(linear(norm(attended, "norm2"), "up")), "down") + attended


MODELS = {"mlp": mlp, "residual": residual, "transformer": transformer,
          "exported": lambda: transformer(exported=True)}


def loaded(folder):
    """The driver run.py of a folder, as a module."""
    spec = importlib.util.spec_from_file_location("imported", folder / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def single(operator, arrays, opset=17, outputs=1, shapes=None, known=(), machine="host", **attributes):
    """The results of one node on arrays. `shapes` are those of inputs with open dimensions, by place; the inputs at
    `known` places are given to the import, and None is an input that the node lacks."""
    b = Builder(opset=opset)
    names = ["" if array is None else b.input(f"x{place}", (shapes or {}).get(place, array.shape),
                                              helper.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype])
             for place, array in enumerate(arrays)]
    b.node(operator, names, [f"y{place}" for place in range(outputs)], **attributes)
    b.outputs = [onnx.ValueInfoProto(name=f"y{place}") for place in range(outputs)]
    graph = helper.make_graph(b.nodes, "single", b.inputs, b.outputs)
    model = onnx.shape_inference.infer_shapes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]))
    with tempfile.TemporaryDirectory() as folder:
        imported = import_model(model, folder, {names[place]: arrays[place] for place in known}, machine)
        assert not imported.refused, imported
        driver = loaded(pathlib.Path(folder))
        driver.model.machine = machine
        return list(driver.run(**{name: arrays[int(name[1:])] for name in driver.model.inputs}).values())
