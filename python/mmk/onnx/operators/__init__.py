"""The operators that are imported, each by a function that makes the definition of a node."""

from __future__ import annotations

from typing import Callable, Dict, List, Union

from mmk.onnx.definitions import Definition
from mmk.onnx.node import Node

Operator = Callable[[Node], Union[Definition, List[Definition]]]
OPERATORS: Dict[str, Operator] = {}


def operator(*names: str) -> Callable[[Operator], Operator]:
    """Registers a function for operators of these names."""

    def register(function: Operator) -> Operator:
        OPERATORS.update(dict.fromkeys(names, function))
        return function

    return register


from mmk.onnx.operators import (elementwise, moves, normalisations, pooling, products, reductions,  # noqa: E402, F401
                                convolutions)
