"""The node tests of ONNX: each a model of one node, with inputs and the outputs to expect.

    onnx_nodes.py [--machine NAME] [--table] [REGEX]    runs those that match, and prints the counts by operator
"""

import argparse
import collections
import pathlib
import re
import sys
import tempfile
from typing import NamedTuple

import numpy
import onnx
from onnx import TensorProto, numpy_helper
from onnx_models import loaded

import mmk
from mmk.onnx import import_model
from mmk.onnx.operators import OPERATORS

DATA = pathlib.Path("/usr/share/libonnx-testdata/data/node")
LISTED = """Abs Add And ArgMax ArgMin AveragePool BatchNormalization Cast Ceil Celu Clip Conv ConvTranspose CumSum Div
Dropout Einsum Elu Equal Erf Exp Expand Floor Gemm GlobalAveragePool GlobalMaxPool Greater HardSigmoid HardSwish
InstanceNormalization LayerNormalization LeakyRelu Less Log LogSoftmax LpNormalization MatMul MatMulInteger Max MaxPool
Mean Min Mish Mul Neg PRelu Pow Reciprocal ReduceL1 ReduceL2 ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd
ReduceSum ReduceSumSquare Relu Selu Sigmoid Sign Softmax Softplus Softsign Sqrt Sub Sum Tanh ThresholdedRelu Transpose
Where""".split()
TYPES = {TensorProto.FLOAT: "f32", TensorProto.FLOAT16: "f16", TensorProto.INT8: "i8", TensorProto.INT32: "i32"}
OWN = tuple(TYPES.values())
RETYPED = "f64 as f32"  # a test of float64 with all its data in float32
TOLERANCE = {RETYPED: (1e-3, 1e-6)}
RTOL, ATOL = 1e-3, 1e-7  # of ONNX's own runner


class Outcome(NamedTuple):
    operator: str
    name: str
    kind: str  # of its data: "f32", ...; another type's name where the language does not have it
    is_passed: bool
    reason: str  # of a test that fails


def data(folder, prefix):
    """The arrays of a test, in their order."""
    found = []
    for path in sorted((folder / "test_data_set_0").glob(f"{prefix}_*.pb"), key=lambda p: int(p.stem.split("_")[1])):
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.read_bytes())
        found.append(numpy_helper.to_array(tensor))
    return found


def kind_of(model):
    """The type of the data: what the language does not have, else the first type but bool. Indices in int64 and
    conditions beside it are converted."""
    infos = [*model.graph.input, *model.graph.output]
    if not all(info.type.HasField("tensor_type") for info in infos):
        return "sequence"
    kinds = [info.type.tensor_type.elem_type for info in infos]
    foreign = [kind for kind in kinds if kind not in TYPES and kind not in (TensorProto.BOOL, TensorProto.INT64)]
    numbers = [kind for kind in kinds if kind != TensorProto.BOOL]
    chosen = (foreign or numbers or kinds)[0]
    return TYPES.get(chosen) or numpy_name(chosen)


def numpy_name(kind):
    return {TensorProto.DOUBLE: "float64"}.get(kind, TensorProto.DataType.Name(kind).lower())


def retype(model, arrays):
    """float64 becomes float32 everywhere."""
    for info in [*model.graph.input, *model.graph.output]:
        if info.type.tensor_type.elem_type == TensorProto.DOUBLE:
            info.type.tensor_type.elem_type = TensorProto.FLOAT
    return {name: array.astype("f") if array.dtype == numpy.float64 else array for name, array in arrays.items()}


def imported(model, arrays, folder, machine):
    """The report and the driver of a model. Inputs that shape its kernels are given when the import needs them."""
    given = {}
    while True:
        result = import_model(model, folder, given, machine)
        needed = re.search(r"give it: mmk import \.\.\. (.*)=VALUE", str(result))
        if not needed:
            return result, loaded(folder)
        given[needed[1]] = arrays[needed[1]]


def run(folder, machine="host", is_retyped=False):
    """The outcome of one test; None where the model has several nodes, or one of an operator that is neither listed
    nor imported."""
    model = onnx.load(folder / "model.onnx")
    operators = [node.op_type for node in model.graph.node]
    if len(operators) != 1 or operators[0] not in {*LISTED, *OPERATORS}:
        return None
    kind = RETYPED if is_retyped else kind_of(model)

    def outcome(is_passed, reason=""):
        return Outcome(operators[0], folder.name.removeprefix("test_"), kind, is_passed, reason)

    if kind == "sequence":
        return outcome(False, "its operand is no tensor")
    arrays = dict(zip((info.name for info in model.graph.input), data(folder, "input")))
    expected = dict(zip((info.name for info in model.graph.output), data(folder, "output")))
    if is_retyped:
        arrays, expected = retype(model, arrays), retype(model, expected)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            result, driver = imported(model, arrays, pathlib.Path(scratch), machine)
            if result.refused:
                return outcome(False, result.refused[0].reason.splitlines()[0])
            driver.model.machine = machine
            found = driver.run(**{word: arrays[name] for name, word in driver.model.inputs.items()})
        except (mmk.Error, TypeError, OverflowError) as error:
            return outcome(False, str(error).splitlines()[0])
    for name, array in expected.items():
        one = found[name]
        if (one.dtype, one.shape) != (array.dtype, array.shape):
            return outcome(False, f"{name} is {one.dtype}{list(one.shape)}, not {array.dtype}{list(array.shape)}")
        if not numpy.allclose(one, array, *TOLERANCE.get(kind, (RTOL, ATOL)), equal_nan=True):
            return outcome(False, f"the values of '{name}' differ")
    return outcome(True)


def suite(pattern="", machine="host"):
    """The outcomes of the tests whose names match; those of float64 that the language lacks also in float32."""
    found = []
    for folder in sorted(DATA.iterdir()):
        if re.search(pattern, folder.name):
            found.append(run(folder, machine))
            if found[-1] and found[-1].kind == "float64" and found[-1].operator != "Cast":
                found.append(run(folder, machine, is_retyped=True))
    return [each for each in found if each]


def counted(outcomes):
    return f"{sum(each.is_passed for each in outcomes)}/{len(outcomes)}" if outcomes else ""


def table(outcomes):
    """Passed and all tests of each operator, by type."""
    columns = [*OWN, RETYPED, "other types"]
    lines = [f"| operator | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    rows = collections.defaultdict(list)
    for each in outcomes:
        rows[each.operator].append(each)
    for operator in sorted({*rows, *LISTED}, key=lambda name: (name not in LISTED, name)):
        cells = [counted([each for each in rows[operator] if each.kind == kind]) for kind in columns[:-1]]
        cells.append(counted([each for each in rows[operator] if each.kind not in columns]))
        name = operator if operator in LISTED else f"*{operator}*"
        lines.append(f"| {name} | {' | '.join(cells)} |".replace("|  ", "| ").replace("|  ", "| "))
    return lines


def summary(outcomes):
    """The counts of listed operators and of others."""
    lines = []
    for title, is_listed in (("listed operators", True), ("other operators", False)):
        chosen = [each for each in outcomes if (each.operator in LISTED) == is_listed]
        parts = [f"{counted([each for each in chosen if each.kind == kind])} in {kind}" for kind in (*OWN, RETYPED)
                 if any(each.kind == kind for each in chosen)]
        own = [each for each in chosen if each.kind in OWN]
        others = counted([each for each in chosen if each.kind not in (*OWN, RETYPED)])
        lines.append(f"{title}: {counted(own)} in f32, f16, i8 and i32 ({', '.join(parts)}); {others} in other types")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--machine", default="host")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("pattern", nargs="?", default="")
    words = parser.parse_args()
    outcomes = suite(words.pattern, words.machine)
    print("\n".join([*(table(outcomes) if words.table else []), *summary(outcomes)]))
    for each in outcomes:
        if not each.is_passed:
            print(f"{each.operator} {each.name} ({each.kind}): {each.reason}")


if __name__ == "__main__":
    sys.exit(main())
