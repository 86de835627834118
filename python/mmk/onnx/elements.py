"""The element types of ONNX: what the language calls them, and what stands for those that it lacks."""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional

import numpy
from onnx import TensorProto

from mmk.onnx.errors import NotImportable

FLOAT, FLOAT16, BOOL = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BOOL
INT8, UINT8, INT32, INT64 = TensorProto.INT8, TensorProto.UINT8, TensorProto.INT32, TensorProto.INT64


class Element(NamedTuple):
    """A type of ONNX in kernels."""

    name: str  # of NumPy, and of what the user gives and gets
    mmk: str  # the type of parameters and results
    carrier: str  # the type of NumPy for `mmk`
    wraps: Optional[int] = None  # how many values an integer has whose arithmetic f32 computes without rounding


ELEMENTS: Dict[int, Element] = {
    FLOAT: Element("float32", "f32", "float32"),
    FLOAT16: Element("float16", "f16", "float16"),
    INT8: Element("int8", "i8", "int8", 256),
    UINT8: Element("uint8", "i32", "int32", 256),
    INT32: Element("int32", "i32", "int32"),
    INT64: Element("int64", "i32", "int32"),
    BOOL: Element("bool", "i8", "int8"),
}
# i32 in kernels: arithmetic goes through f32, which has all integers up to this one.
LARGEST_EXACT = 2**24


def element(kind: int) -> Element:
    """The element of a type of ONNX; raises NotImportable where the language has nothing for it."""
    if kind in ELEMENTS:
        return ELEMENTS[kind]
    name = TensorProto.DataType.Name(kind).lower() if kind else "of no type that is known"
    name = "float64" if name == "double" else name
    if name == "bfloat16":
        raise NotImportable("its tensors are bfloat16, which NumPy does not have")
    raise NotImportable(f"its tensors are {name}; the language has float32, float16, int8 and int32, and mmk import "
                        "converts bool, uint8 and int64")


def is_integer(kind: int) -> bool:
    return kind in (INT8, UINT8, INT32, INT64)


def is_wide(kind: int) -> bool:
    """Whether its arithmetic in f32 may round."""
    return kind in (INT32, INT64)


def least(kind: int) -> str:
    """What a maximum of no elements is."""
    return {INT8: "-128", UINT8: "0", INT32: "-2147483648", INT64: "-2147483648"}.get(kind, "-inf")


def literal(value: object) -> str:
    """A number as the language writes it."""
    number = float(numpy.asarray(value).item())
    if numpy.isnan(number):
        return "nan"
    if numpy.isinf(number):
        return "inf" if number > 0 else "(-inf)"
    nearest = numpy.float32(number)
    if float(number).is_integer() and abs(number) <= LARGEST_EXACT:
        text = str(int(number))
    elif number.is_integer() and float(nearest) != number and numpy.asarray(value).dtype.kind in "iu":
        raise NotImportable(f"the constant {int(number)} is no f32: integers in a kernel are exact up to 2^24")
    else:
        text = str(nearest).replace("e+", "e")
    return f"({text})" if text.startswith("-") else text
