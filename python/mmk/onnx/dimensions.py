"""Dimensions of tensors: whole numbers, or names of what is known when the model runs.

A name that follows from others has a definition, which a kernel states as `dim P = ...;`.
"""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple, Union

from mmk.onnx.errors import NotImportable

Dim = Union[int, str]
Shape = Tuple[Dim, ...]


class Dimensions:
    """The named dimensions of a model."""

    def __init__(self) -> None:
        self.definitions: Dict[str, str] = {}  # of derived dimensions, by name
        self._names: Dict[str, str] = {}  # of those of the model
        self._same: Dict[str, str] = {}  # names that a node has made equal to another

    def named(self, original: str) -> str:
        """The name in kernels of a dimension of the model."""
        if original not in self._names:
            word = re.sub(r"\W", "_", original, flags=re.ASCII).lstrip("_0123456789") or "D"
            self._names[original] = self._unused(word[0].upper() + word[1:])
        return self._names[original]

    def unknown(self) -> str:
        """A dimension of which nothing is known before the model runs."""
        name = self._unused("D")
        self._names[name] = name
        return name

    def derived(self, definition: str, hint: str = "P") -> Dim:
        """The dimension with this calculation: a number where it has no names."""
        if not re.search(r"[A-Za-z]", definition):
            return int(eval(definition.replace("/", "//")))  # of whole numbers that this package has written
        for name, known in self.definitions.items():
            if known == definition:
                return name
        name = self._unused(hint)
        self.definitions[name] = definition
        return name

    def _unused(self, word: str) -> str:
        taken = {*self._names.values(), *self.definitions}
        name, number = word[:100], 1
        while name in taken:
            number += 1
            name = f"{word[:100]}{number}"
        return name

    def resolve(self, dim: Dim) -> Dim:
        while dim in self._same:
            dim = self._same[dim]
        return dim

    def unify(self, a: Dim, b: Dim) -> Dim:
        """The dimension of two that a node needs to be equal: a number, else the one that is not derived."""
        a, b = self.resolve(a), self.resolve(b)
        if a == b:
            return a
        if isinstance(a, int) and isinstance(b, int):
            raise NotImportable(f"its dimensions {a} and {b} differ")
        if isinstance(b, int) or isinstance(a, str) and a in self.definitions:
            a, b = b, a
        self._same[str(b)] = a
        return a

    def broadcast(self, shapes: Sequence[Shape]) -> Shape:
        """The shape to which these broadcast. A name is taken to be no 1 when the model runs."""
        rank = max(map(len, shapes))
        result: List[Dim] = []
        for place in range(rank):
            joined: Dim = 1
            for shape in shapes:
                at = place - rank + len(shape)
                dim = self.resolve(shape[at]) if at >= 0 else 1
                if dim != 1:
                    joined = dim if joined == 1 else self.unify(joined, dim)
            result.append(joined)
        return tuple(result)

    def product(self, dims: Sequence[Dim]) -> Tuple[int, List[str]]:
        """A product as a number and names."""
        number, names = 1, []
        for dim in map(self.resolve, dims):
            if isinstance(dim, int):
                number *= dim
            else:
                names.append(dim)
        return number, sorted(names)

    def quotient(self, dims: Sequence[Dim], divisors: Sequence[Dim]) -> Dim:
        """The dimension that a reshape leaves open: a product divided by another."""
        above, names = self.product(dims)
        below, others = self.product(divisors)
        for name in list(others):
            if name in names:
                names.remove(name)
                others.remove(name)
        if below and above % below == 0:
            above, below = above // below, 1
        if not others and below == 1:
            return names[0] if above == 1 and len(names) == 1 else self.derived(
                " * ".join([*names, str(above)] if above != 1 or not names else names))
        if below == 0:
            raise NotImportable("its shape has a dimension of 0")
        upper = " * ".join([*names, str(above)])
        return self.derived(f"({upper}) / ({' * '.join([*others, str(below)])})")

    def symbols(self) -> Sequence[str]:
        """The names that the model gives its dimensions."""
        return list(self._names)

    def all(self) -> Sequence[str]:
        """All names in kernels."""
        return [*self._names.values(), *self.definitions]
