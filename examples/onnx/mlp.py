"""Writes mlp.onnx and an input: two layers and a softmax, with a batch of any size.

    python3 examples/onnx/mlp.py    # needs numpy and onnx
    mmk import examples/onnx/mlp.onnx -o mlp
    python3 mlp/run.py x=examples/onnx/x.npy
"""

import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent
random = numpy.random.default_rng(0)
weights = {"fc1.weight": (32, 16), "fc1.bias": (32,), "fc2.weight": (4, 32), "fc2.bias": (4,)}
nodes = [
    helper.make_node("Gemm", ["x", "fc1.weight", "fc1.bias"], ["hidden"], name="fc1", transB=1),
    helper.make_node("Relu", ["hidden"], ["active"], name="relu"),
    helper.make_node("Gemm", ["active", "fc2.weight", "fc2.bias"], ["logits"], name="fc2", transB=1),
    helper.make_node("Softmax", ["logits"], ["y"], name="softmax"),
]
graph = helper.make_graph(
    nodes, "mlp", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 16])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])],
    [numpy_helper.from_array(random.standard_normal(shape).astype("f") / 4, name) for name, shape in weights.items()])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
onnx.save(model, FOLDER / "mlp.onnx")
numpy.save(FOLDER / "x.npy", random.standard_normal((5, 16)).astype("f"))
