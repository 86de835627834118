"""The element types of ONNX: what the language calls them, and what stands for those that it lacks."""

from __future__ import annotations

from typing import Dict, NamedTuple

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


ELEMENTS: Dict[int, Element] = {
    FLOAT: Element("float32", "f32", "float32"),
    FLOAT16: Element("float16", "f16", "float16"),
    INT8: Element("int8", "i8", "int8"),
    UINT8: Element("uint8", "i32", "int32"),
    INT32: Element("int32", "i32", "int32"),
    INT64: Element("int64", "i32", "int32"),
    BOOL: Element("bool", "i8", "int8"),
}


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


def least(kind: int) -> str:
    """What a maximum of no elements is."""
    return {INT8: "-128", UINT8: "0", INT32: "-2147483648", INT64: "-2147483648"}.get(kind, "-inf")


def literal(value: object) -> str:
    """A number as the language writes it."""
    number = numpy.asarray(value).item()
    if isinstance(number, float):  # 2.0, since 2 is an integer
        text = str(numpy.float32(number)).replace("e+", "e")
    elif -2**31 <= number < 2**31:
        text = str(int(number))
    else:
        raise NotImportable(f"the constant {number} has more than 32 bits, which kernels do not have")
    return f"({text})" if text.startswith("-") else text
