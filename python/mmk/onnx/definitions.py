"""What a node of a model computes, as index expressions that are written when the kernel is known."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence

import numpy

from mmk.onnx.dimensions import Shape

if TYPE_CHECKING:
    from mmk.onnx.scope import Scope

Indices = List[str]
Body = Callable[["Scope", Indices], str]
Mapping = Callable[[Indices], Indices]
# How large the magnitudes of a result may be, as run.py computes it: from a function that spells the largest
# magnitude of an operand, or of its sums along axes.
Limit = Callable[[Callable[..., str]], str]


class Value:
    """A tensor of the model. Of a constant the contents are known; those of a shape may have names."""

    def __init__(self, name: str, kind: int, shape: Shape, constant: Optional[numpy.ndarray] = None):
        self.name = name
        self.kind = kind  # the element type, of ONNX
        self.shape = shape
        self.constant = constant
        self.definition: Optional[Definition] = None  # None: in memory before the model runs

    @property
    def rank(self) -> int:
        return len(self.shape)


class Kind(enum.Enum):
    """How a definition reads its operands; see groups.py for what is computed together."""

    ELEMENTWISE = "elementwise"
    ROWS = "rows"  # reductions, and what is elementwise but for them
    PRODUCT = "product"
    WINDOW = "window"  # reads windows of an image
    MOVE = "move"  # other places of one operand: its readers read that
    RESHAPE = "reshape"  # the same memory with other dimensions: a view of NumPy


class Result:
    """One output of a node: `body` is the expression of the element at some indices."""

    def __init__(self, value: Value, body: Body, variables: str = "", memory: Optional[Shape] = None):
        self.value = value
        self.body = body
        self.variables = variables  # letters for its dimensions
        self.memory = memory  # the dimensions with which the kernel writes it, where they are others


class Definition:
    """What one node computes."""

    def __init__(self, node: Any, kind: Kind, reads: Sequence[Value], results: List[Result]):
        self.node = node
        self.kind = kind
        self.reads = list(reads)
        self.results = results
        self.limit: Optional[Limit] = None  # of an int64 that may exceed 32 bits
        self.is_closed = False  # whether nothing else may be computed with it
        self.mapping: Optional[Mapping] = None  # of a MOVE, or a RESHAPE that adds or removes 1s
        self.is_written = False  # a MOVE that some reader needs in memory
        for result in results:
            result.value.definition = self

    @property
    def source(self) -> Value:
        """What a MOVE or a RESHAPE reads."""
        return self.reads[0]

    @property
    def is_transparent(self) -> bool:
        """Whether readers read its source in its place."""
        return self.mapping is not None and not self.is_written


def base(value: Value) -> Value:
    """The tensor that readers of this one read."""
    while value.definition and value.definition.is_transparent:
        value = value.definition.source
    return value
