"""ONNX's node tests: which fail, each with its reason, on the host; some of them on an emulated AI core; and the table
of docs/onnx.md."""

import os
import pathlib
import re
import unittest

import onnx
from onnx_nodes import LISTED, OWN, RETYPED, suite, summary, table
from package import main

from mmk.onnx.operators import OPERATORS
from mmk.onnx.unsupported import UNSUPPORTED

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/onnx.md"
RANDOM = "the values of 'y' differ"  # of those of NumPy's random numbers
# Tests of the types that the language has, of listed operators.
FAILING = {
    "pow_types_int32_float32":
        "an integer to the power of a float is cut to an integer, and exp and log are not exact",
    "training_dropout": RANDOM,
    "training_dropout_default": RANDOM,
    "training_dropout_default_mask": RANDOM,
    "training_dropout_mask": RANDOM,
}
# The same of other operators.
OTHERS_FAILING = {
    "edge_pad": "it pads by the mode edge; the language pads with a value",
    "reflect_pad": "it pads by the mode reflect; the language pads with a value",
    "mod_mixed_sign_float16": "the remainder of floats is not exact in the language",
    "mod_mixed_sign_float32": "the remainder of floats is not exact in the language",
    "reshape_allowzero_reordered": "its result has no elements",
    "slice_start_out_of_bounds": "its result has no elements",
    "split_zero_size_splits": "one of its results has no elements",
    **dict.fromkeys(["gather_0", "gather_1", "gather_2d_indices", "gather_negative_indices"],
                    "it reads at places that data determine; the language reads at sums of index variables"),
}
FOREIGN = re.compile(r"its tensors are (float64|bfloat16|string|u?int(8|16|32|64))|its operand is no tensor|"
                     r"an integer to the power of a float|it reads at places")


def failing(outcomes, is_listed):
    return {each.name: each.reason for each in outcomes
            if not each.is_passed and each.kind in OWN and (each.operator in LISTED) == is_listed}


class NodesTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.outcomes = suite()

    def test_listed(self):
        self.assertEqual(failing(self.outcomes, True), FAILING)
        own = [each for each in self.outcomes if each.operator in LISTED and each.kind in OWN]
        self.assertGreaterEqual(sum(each.is_passed for each in own), 0.95 * len(own))

    def test_others(self):
        self.assertEqual(failing(self.outcomes, False), OTHERS_FAILING)

    def test_float64_as_float32(self):
        retyped = [each for each in self.outcomes if each.kind == RETYPED]
        self.assertEqual([each.name for each in retyped if not each.is_passed and each.operator in LISTED], [])
        self.assertLessEqual({"CumSum", "Einsum", "ReduceLogSumExp"}, {each.operator for each in retyped})

    def test_other_types(self):
        """What fails there is of a type that is not converted; the others pass."""
        for each in self.outcomes:
            if each.kind not in (*OWN, RETYPED) and not each.is_passed:
                self.assertRegex(each.reason, FOREIGN, each)

    def test_page(self):
        """The table of docs/onnx.md. `./dev goldens python/onnx_nodes` rewrites it."""
        fresh = "\n".join([*(f"- {line}" for line in summary(self.outcomes)), "", *table(self.outcomes)])
        text = PAGE.read_text()
        before, rest = text.split("<!-- node tests -->\n")
        shown, after = rest.split("\n<!-- end -->")
        if os.environ.get("MMK_UPDATE"):
            PAGE.write_text(f"{before}<!-- node tests -->\n{fresh}\n<!-- end -->{after}")
        else:
            self.assertEqual(shown, fresh)

    def test_machine(self):
        """A part of the suite on an emulated AI core."""
        outcomes = suite("test_(basic_conv|convtranspose$|gemm|matmul|softmax_axis|layer_norm.*3d|argmax_keep|clip|"
                         "reduce_l|cumsum|einsum|maxpool_2d_p|batchnorm|where|and|min|transpose)", "ascend910b3")
        self.assertGreater(len(outcomes), 100)
        self.assertEqual(failing(outcomes, True), {})
        self.assertEqual([each for each in outcomes if each.kind == RETYPED and not each.is_passed], [])


class OperatorsTest(unittest.TestCase):
    def test_names(self):
        """Those that are imported, and those that have a reason, are of ONNX, and none is both."""
        known = {schema.name for schema in onnx.defs.get_all_schemas()} | {"Mish"}  # Mish is newer
        self.assertLessEqual({*OPERATORS, *UNSUPPORTED}, known)
        self.assertEqual({*OPERATORS} & {*UNSUPPORTED}, set())
        self.assertEqual({*LISTED} - {*OPERATORS}, set())


if __name__ == "__main__":
    main()
