"""What ONNX's node tests leave out of the operators, against PyTorch and NumPy: groups, dilations, open dimensions,
other types, and rare attributes. onnx_integers_test.py is about integers."""

import unittest
import warnings

import numpy
import torch
from onnx_models import single
from package import main
from torch.nn import functional

TYPES = {"f": 1e-4, "e": 2e-2}  # with the tolerance
CONVOLUTIONS = [
    # image, filters, group, strides, pads, dilations
    ((2, 3, 17), (4, 3, 5), 1, [2], [2, 1], None),
    ((2, 3, 9, 8), (4, 3, 3, 2), 1, [2, 1], [1, 0, 2, 1], [1, 2]),
    ((1, 2, 5, 6, 7), (3, 2, 2, 3, 2), 1, None, [1, 1, 0, 0, 1, 1], None),
    ((2, 6, 9, 8), (8, 3, 3, 3), 2, None, [1, 1, 1, 1], None),
    ((2, 6, 9, 8), (9, 2, 3, 3), 3, [2, 2], None, None),
    ((2, 6, 9, 8), (6, 1, 3, 3), 6, None, [1, 1, 1, 1], None),
    ((2, 6, 9, 8), (12, 1, 3, 3), 6, None, [1, 1, 1, 1], None),
    ((2, 6, 9, 8), (5, 6, 1, 1), 1, None, None, None),
    ((2, 6, 9), (4, 3, 1), 2, None, None, None),
]
TRANSPOSED = [
    # image, filters, group, strides, pads on both sides, dilations, output padding
    ((2, 3, 5, 4), (3, 4, 3, 3), 1, [2, 2], [1, 1], None, [1, 0]),
    ((2, 3, 5, 4), (3, 4, 3, 3), 1, [2, 3], [1, 0], [2, 1], None),
    ((2, 4, 5, 4), (4, 3, 3, 3), 2, [2, 2], None, None, None),
    ((2, 3, 5), (3, 4, 4), 1, [3], [1], None, None),
]
EQUATIONS = [
    ("ij,jk->ik", (3, 4), (4, 5)), ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)), ("ii->i", (4, 4)), ("ii", (4, 4)),
    ("ij->", (3, 4)), ("i,i", (5,), (5,)), ("ij,jk", (3, 4), (4, 5)), ("bhid,bhjd->bhij", (2, 2, 3, 4), (2, 2, 5, 4)),
    ("i,j->ij", (3,), (4,)), ("ij,kj,lk->il", (3, 4), (5, 4), (2, 5)), ("ij,ij->ij", (3, 4), (3, 4)),
    ("ij,j->i", (3, 4), (4,)), ("b...d,b...d->b...", (2, 3, 4), (2, 3, 4)), ("Ab,bC->AC", (3, 4), (4, 5)),
    ("ij,ij->i", (3, 4), (3, 4)),
]


def given(**attributes):
    return {name: value for name, value in attributes.items() if value is not None}


class OperatorsTest(unittest.TestCase):
    def setUp(self):
        self.random = numpy.random.default_rng(5)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype("f")

    def expect(self, found, *expected, tolerance=1e-5):
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, map(numpy.asarray, expected)):
            self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape))
            numpy.testing.assert_allclose(one.astype(float), other.astype(float), tolerance, tolerance)

    def test_convolutions(self):
        for kind, tolerance in TYPES.items():
            for image, filters, group, strides, pads, dilations in CONVOLUTIONS:
                x, w, b = (self.normal(*shape).astype(kind) for shape in (image, filters, filters[:1]))
                count = len(image) - 2
                edge = pads or [0] * 2 * count
                padded = functional.pad(torch.from_numpy(x.astype("f")), [
                    width for axis in reversed(range(count)) for width in (edge[axis], edge[count + axis])])
                function = [functional.conv1d, functional.conv2d, functional.conv3d][count - 1]
                y = function(padded, *(torch.from_numpy(each.astype("f")) for each in (w, b)), stride=strides or 1,
                             dilation=dilations or 1, groups=group).numpy().astype(kind)
                named = {0: ["N", image[1], *"DHW"[-count:]]}
                for shapes in (None, named):
                    with self.subTest(image=image, filters=filters, kind=kind, shapes=shapes):
                        found = single("Conv", [x, w, b], shapes=shapes, group=group,
                                       **given(strides=strides, pads=pads, dilations=dilations))
                        self.expect(found, y, tolerance=tolerance)

    def test_transposed_convolutions(self):
        for image, filters, group, strides, pads, dilations, more in TRANSPOSED:
            x, w, b = self.normal(*image), self.normal(*filters), self.normal(filters[1] * group)
            function = [functional.conv_transpose1d, functional.conv_transpose2d][len(image) - 3]
            y = function(*map(torch.from_numpy, (x, w, b)), stride=strides, padding=pads or 0, output_padding=more or 0,
                         dilation=dilations or 1, groups=group).numpy()
            for shapes in (None, {0: ["N", image[1], *"HW"[-len(image) + 2:]]}):
                with self.subTest(image=image, filters=filters, shapes=shapes):
                    found = single("ConvTranspose", [x, w, b], shapes=shapes, group=group, strides=strides, **given(
                        pads=pads and pads * 2, dilations=dilations, output_padding=more))
                    self.expect(found, y, tolerance=1e-4)

    def test_einsum(self):
        for equation, *shapes in EQUATIONS:
            with self.subTest(equation):
                arrays = [self.normal(*shape) for shape in shapes]
                self.expect(single("Einsum", arrays, equation=equation), numpy.einsum(equation, *arrays).astype("f"))

    def test_products(self):
        for a, b in [((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 6)),
                     ((1, 4), (4, 1))]:
            for kind, tolerance in TYPES.items():
                with self.subTest(a=a, b=b, kind=kind):
                    x, y = self.normal(*a), self.normal(*b)
                    self.expect(single("MatMul", [x.astype(kind), y.astype(kind)]), numpy.matmul(x, y).astype(kind),
                                tolerance=tolerance)

    def test_cumulative_sums(self):
        for kind in "fe":
            x = (5 * self.normal(3, 4, 5)).astype(kind)
            for reverse in (0, 1):
                for exclusive in (0, 1):
                    with self.subTest(kind=kind, reverse=reverse, exclusive=exclusive):
                        ordered = x[:, ::-1] if reverse else x
                        y = numpy.cumsum(ordered, 1, dtype=kind)
                        if exclusive:
                            y = numpy.concatenate([numpy.zeros_like(y[:, :1]), y[:, :-1]], 1)
                        found = single("CumSum", [x, numpy.array(1)], known=[1], reverse=reverse, exclusive=exclusive)
                        self.expect(found, y[:, ::-1] if reverse else y, tolerance=1e-2 if kind == "e" else 1e-5)

    def test_reductions(self):
        for kind, tolerance in TYPES.items():
            x = self.normal(3, 4, 5).astype(kind)
            y = numpy.log(numpy.exp(x.astype("f")).sum(1)).astype(kind)
            self.expect(single("ReduceLogSumExp", [x], axes=[1], keepdims=0), y, tolerance=tolerance)
        for p in (1, 2):
            x = self.normal(3, 4, 5)
            for axis in (0, -1):
                y = functional.normalize(torch.from_numpy(x), p, axis, 1e-30).numpy()
                self.expect(single("LpNormalization", [x], p=p, axis=axis), y)

    def test_poolings(self):
        x = self.normal(2, 3, 6, 7)
        t = torch.from_numpy(x)
        for words, image in [
                ({"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]},
                 lambda: functional.max_pool2d(functional.pad(t, (0, 1, 1, 1), value=-numpy.inf), (3, 2), (2, 1))),
                ({"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1},
                 lambda: functional.max_pool2d(t, 2, 2, ceil_mode=True)),
                ({"kernel_shape": [2, 2], "dilations": [2, 3]},
                 lambda: functional.max_pool2d(t, 2, 1, dilation=(2, 3)))]:
            self.expect(single("MaxPool", [x], **words), image().numpy())
        y, places = functional.max_pool2d(t, 3, 2, 1, return_indices=True)
        places = places.numpy() + (42 * numpy.arange(6)).reshape(2, 3, 1, 1)
        words = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
        self.expect(single("MaxPool", [x], outputs=2, **words), y.numpy(), places)
        for with_padding in (0, 1):
            y = functional.avg_pool2d(t, 3, 2, 1, count_include_pad=bool(with_padding)).numpy()
            for shapes in (None, {0: ["N", 3, "H", "W"]}):
                self.expect(single("AveragePool", [x], shapes=shapes, count_include_pad=with_padding, **words), y)

    def test_powers(self):
        x = numpy.array([[-2, -1.5, -1, 0, .5, 1, 2, 3]], "f").T
        y = numpy.array([[-3, -2, -1, -.5, 0, .5, 1, 2, 3, 4.5, numpy.inf, -numpy.inf]], "f")
        whole = numpy.arange(-3, 13, dtype=numpy.int32)[None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.expect(single("Pow", [x, y]), numpy.power(x, y))
            self.expect(single("Pow", [x, whole]), numpy.power(x, whole.astype("f")))
        for exponent in (0.5, 1, 2, 3, -1, -0.5, 2.5):
            positive = abs(self.normal(9)) + 0.1
            found = single("Pow", [positive, numpy.array(exponent, "f")], known=[1])
            self.expect(found, positive**numpy.float32(exponent))

    def test_casts(self):
        kinds = [numpy.dtype(kind) for kind in ("f", "e", "i4", "i1", "?", "i8", "u1")]
        from onnx.helper import mapping
        for source in kinds:
            for target in kinds:
                with self.subTest(source=source, target=target):
                    x = numpy.array([0, 1, 2, 3, 100, 7]).astype(source)
                    if source.kind == "f":
                        x = x + numpy.array([0, .5, .7, -.2, 0, .99], source)
                    if source.kind in "fi" and target.kind != "u":
                        x = x * numpy.array([1, -1, 1, 1, -1, 1], source)
                    self.expect(single("Cast", [x], to=mapping.NP_TYPE_TO_TENSOR_TYPE[target]), x.astype(target))

    def test_places(self):
        x = self.normal(4, 5, 6)
        array = numpy.array
        self.expect(single("Gather", [x, array(-2)], known=[1], axis=1), x[:, -2])
        self.expect(single("Gather", [x, array([3, 2, 1])], known=[1], axis=1), x[:, [3, 2, 1]])
        self.expect(single("Slice", [x, array([5, 1]), array([-100, 4]), array([2, 1]), array([-2, 2])],
                           known=[1, 2, 3, 4]), x[:, 1:4:2, 5::-2])
        self.expect(single("Concat", [x, x[:, :2].copy(), x], axis=1), numpy.concatenate([x, x[:, :2], x], 1))
        self.expect(single("Tile", [x, array([1, 2, 3])], known=[1]), numpy.tile(x, (1, 2, 3)))
        padded = numpy.pad(x, [(0, 0), (1, 0), (0, 3)], constant_values=2.5)[:, :-1]
        self.expect(single("Pad", [x, array([0, 1, 0, 0, -1, 3]), array(2.5, "f")], known=[1, 2]), padded)

    def test_softmax_of_old_versions(self):
        """Over all dimensions from the axis on, as before version 13."""
        x = self.normal(2, 3, 4)
        flat = torch.from_numpy(x).flatten(1)
        self.expect(single("Softmax", [x], opset=11, axis=1), torch.softmax(flat, 1).reshape(x.shape).numpy())
        self.expect(single("Softmax", [x], axis=1), torch.softmax(torch.from_numpy(x), 1).numpy())

    def test_mish(self):
        """It is newer than the package onnx, which the import does not mind."""
        x = 10 * self.normal(3, 4)
        self.expect(single("Mish", [x]), functional.mish(torch.from_numpy(x)).numpy())

    def test_dropout(self):
        """In training, a share of the elements is 0; the mask says which, and the others make up for them."""
        x = numpy.ones((100, 100), "f")
        y, mask = single("Dropout", [x, numpy.array(0.25, "f"), numpy.array(True)], known=[1, 2], outputs=2, seed=3)
        numpy.testing.assert_allclose(y, mask / numpy.float32(0.75), 1e-6)
        self.assertAlmostEqual(mask.mean(), 0.75, delta=0.02)


if __name__ == "__main__":
    main()
