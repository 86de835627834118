"""What a kernel reports beside its results: descriptions, counts, explanations, searches, profiles."""

import html.parser
import unittest

import numpy
from package import EXAMPLES, FUSED, main

import mmk

SHAPE = {"M": 64, "N": 96, "K": 128}


class Wellformed(html.parser.HTMLParser):
    """Fails where an element ends that did not begin."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag


class ReportsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernel = mmk.compile(FUSED, machine="ascend910b3")

    def expect_html(self, report):
        parser = Wellformed()
        parser.feed(report._repr_html_())
        self.assertEqual(parser.open, [])

    def test_description(self):
        self.assertEqual(self.kernel.parameters,
                         {"a": "f32[M, K]", "b": "f32[K, N]", "bias": "f32[N]", "alpha": "f32"})
        self.assertEqual(self.kernel.results, {"c": "f32[M, N]"})
        self.assertEqual(self.kernel.name, "fused")
        self.assertEqual(repr(self.kernel),
                         "<mmk.Kernel fused(a: f32[M, K], b: f32[K, N], bias: f32[N], alpha: f32) -> c: f32[M, N], "
                         "ascend910b3>")

    def test_count(self):
        count = self.kernel.count(**SHAPE)
        self.assertGreater(count.cycles, 1000)
        self.assertEqual(repr(count), f"fused M=64 N=96 K=128: {count.microseconds:.2f} us, {count.cycles} cycles "
                         "on ascend910b3")
        self.expect_html(count)

    def test_explain(self):
        explanation = self.kernel.explain(**SHAPE)
        self.assertEqual(explanation.cycles, self.kernel.count(**SHAPE).cycles)
        self.assertEqual(explanation["variant"], self.kernel.variant)
        self.assertIn(f"bound by {explanation.bound} of the", repr(explanation))
        self.expect_html(explanation)

    def test_tune(self):
        tune = self.kernel.tune(budget=20, **SHAPE)
        best = tune.kernel()
        self.assertEqual(best.variant, tune.best)
        self.assertEqual(best.count(**SHAPE).cycles, tune["best"]["cycles"])
        self.assertGreaterEqual(tune.speedup, 1)
        self.expect_html(tune)
        a, b, bias = (numpy.ones(shape, numpy.float32) for shape in ((64, 128), (128, 96), 96))
        numpy.testing.assert_array_equal(best(a, b, bias), numpy.full((64, 96), 129))

    def test_profile(self):
        profile = self.kernel.profile(**SHAPE)
        self.assertTrue((profile.directory / "trace.json").exists())
        self.assertIn("critical_path", str(profile.summary))
        self.assertIn(f'"variant": "{self.kernel.variant}"'.replace(" ", ""), profile.html.replace(" ", ""))
        self.expect_html(profile)

    def test_paths_and_names(self):
        kernel = mmk.compile(EXAMPLES / "convolution/resnet50.mmk", kernel="pointwise", machine="ascend910b2",
                             shape={"B": 1, "C": 64, "H": 56, "W": 56, "O": 64})
        self.assertEqual(kernel.name, "pointwise")
        with self.assertRaises(mmk.Error) as context:
            mmk.compile(str(EXAMPLES / "convolution/resnet50.mmk"))
        self.assertIn("name one of them: stem, pointwise", str(context.exception))

    def test_ints(self):
        text = "kernel strided(x: f32[M], s: int = 2) -> y: f32[P] { dim P = M / s; y[i] = x[s * i]; }"
        x = numpy.arange(12, dtype=numpy.float32)
        numpy.testing.assert_array_equal(mmk.compile(text)(x), x[::2])
        numpy.testing.assert_array_equal(mmk.compile(text, ints={"s": 3})(x), x[::3])


if __name__ == "__main__":
    main()
