"""Random graphs: what is computed together and what is read in place changes no result.

    onnx_random_test.py [SEED [COUNT]]    other graphs, or more
"""

import pathlib
import sys
import tempfile
import unittest

import numpy
import torch
from onnx_models import Builder, loaded
from package import main

from mmk.onnx import import_model

SEED, COUNT, NODES = 1, 25, 14


class Graph:
    """A graph that grows by random nodes, each with the value that PyTorch computes."""

    def __init__(self, seed):
        self.builder = Builder(seed)
        self.random = self.builder.random
        self.values = {}
        for name, shape in (("x", (2, 3, 4)), ("y", (3, 4)), ("z", (2, 4, 3))):
            self.builder.input(name, shape)
            self.values[name] = torch.from_numpy(self.random.standard_normal(shape).astype("f"))
        self.data = {name: value.numpy().copy() for name, value in self.values.items()}

    def chosen(self, fits=lambda value: True):
        """A random value, more often a late one."""
        names = [name for name, value in self.values.items() if fits(value)]
        return names[-1 - int(self.random.integers(min(len(names), 4)))] if names else None

    def add(self, operator, inputs, value, **attributes):
        name = f"v{len(self.values)}"
        self.builder.node(operator, inputs, name, **attributes)
        self.values[name] = value.contiguous()

    def grow(self):
        step = getattr(self, self.random.choice([name for name in dir(self) if name.startswith("grow_")]))
        step(self.chosen())

    def grow_unary(self, x):
        operator, function = [("Relu", torch.relu), ("Tanh", torch.tanh), ("Neg", torch.neg), ("Abs", torch.abs),
                              ("Sigmoid", torch.sigmoid)][self.random.integers(5)]
        self.add(operator, [x], function(self.values[x]))

    def grow_binary(self, x):
        def broadcasts(value):
            try:
                torch.broadcast_shapes(value.shape, self.values[x].shape)
            except RuntimeError:
                return False
            return True

        y = self.chosen(broadcasts)
        operator, function = [("Add", torch.add), ("Sub", torch.sub), ("Mul", torch.mul),
                              ("Max", torch.maximum)][self.random.integers(4)]
        self.add(operator, [x, y], function(self.values[x], self.values[y]))

    def grow_transpose(self, x):
        order = [int(axis) for axis in self.random.permutation(self.values[x].dim())]
        self.add("Transpose", [x], self.values[x].permute(order), perm=order)

    def grow_reduction(self, x):
        axis = int(self.random.integers(self.values[x].dim()))
        operator, function = [("ReduceMean", torch.mean), ("ReduceMax", torch.amax)][self.random.integers(2)]
        self.add(operator, [x], function(self.values[x], axis, keepdim=True), axes=[axis])

    def grow_softmax(self, x):
        axis = int(self.random.integers(self.values[x].dim()))
        self.add("Softmax", [x], torch.softmax(self.values[x], axis), axis=axis)

    def grow_product(self, x):
        y = self.chosen(lambda value: value.dim() == 2 or value.shape[:-2] == self.values[x].shape[:-2])
        y = y if y and self.values[y].shape[-2] == self.values[x].shape[-1] else None
        if not y:
            y = self.builder.weight(f"w{len(self.values)}", self.values[x].shape[-1], int(self.random.integers(1, 6)))
        other = self.values.get(y, torch.from_numpy(self.builder.weights.get(y, numpy.zeros(1))))
        self.add("MatMul", [x, y], self.values[x] @ other)

    def grow_reshape(self, x):
        shape = [-1, *self.values[x].shape[2:]] if self.random.random() < 0.5 else [*self.values[x].shape[:1], -1]
        to = self.builder.constant(f"shape{len(self.values)}", numpy.array(shape))
        value = self.values[x].reshape(shape)
        if value.dim() > 1:
            self.add("Reshape", [x, to], value)

    def grow_slice(self, x):
        axis = int(self.random.integers(self.values[x].dim()))
        size = self.values[x].shape[axis]
        first, step = int(self.random.integers(size)), int(self.random.integers(1, 3))
        bounds = [self.builder.constant(f"{word}{len(self.values)}", numpy.array([number])) for word, number in
                  (("start", first), ("end", size), ("axis", axis), ("step", step))]
        places = torch.arange(first, size, step)
        self.add("Slice", [x, *bounds], self.values[x].index_select(axis, places))

    def grow_concat(self, x):
        first = self.values[x]
        y = self.chosen(lambda value: value.dim() == first.dim() and value.shape[1:] == first.shape[1:])
        self.add("Concat", [x, y], torch.cat([self.values[x], self.values[y]]), axis=0)

    def grow_unsqueeze(self, x):
        if self.values[x].dim() < 4:
            axis = int(self.random.integers(self.values[x].dim()))
            axes = self.builder.constant(f"axes{len(self.values)}", numpy.array([axis]))
            self.add("Unsqueeze", [x, axes], self.values[x].unsqueeze(axis))

    def model(self):
        """The model; its outputs are what no node reads, and some other value."""
        read = {name for node in self.builder.nodes for name in node.input}
        inner = [name for name in self.values if name not in self.data]
        outputs = {name for name in inner if name not in read} | {inner[self.random.integers(len(inner))]}
        for name in sorted(outputs):
            self.builder.output(name, list(self.values[name].shape))
        return self.builder.model(), {name: self.values[name].numpy() for name in outputs}


class RandomTest(unittest.TestCase):
    def test_graphs(self):
        seed, count = (list(map(int, sys.argv[1:])) + [SEED, COUNT][len(sys.argv) - 1:])[:2]
        for each in range(seed, seed + count):
            with self.subTest(seed=each), tempfile.TemporaryDirectory() as folder:
                graph = Graph(each)
                while len(graph.values) < NODES:
                    graph.grow()
                model, expected = graph.model()
                imported = import_model(model, folder)
                self.assertEqual((imported.refused, imported.apart), ([], []), imported)
                found = loaded(pathlib.Path(folder)).run(**graph.data)
                for name, array in expected.items():
                    numpy.testing.assert_allclose(found[name], array, 1e-4, 1e-5, err_msg=f"{name}\n{imported}")


if __name__ == "__main__":
    main(argv=sys.argv[:1])
