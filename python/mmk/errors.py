"""The exceptions of mmk: its messages, with the place in the program that they are about."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional


class Place(NamedTuple):
    """A place in a program, counted from 1."""

    file: str
    line: int
    column: int


class Error(Exception):
    """A mistake in a program, an option or the arguments of a call.

    `message` is what the command would print, with the line and a caret; `place` is the first place that
    it names, or None.
    """

    def __init__(self, message: str):
        super().__init__(message)
        self.message = message
        found = re.match(r"(.*?):(\d+):(\d+): ", message)
        self.place: Optional[Place] = found and Place(found[1], int(found[2]), int(found[3]))


class Bug(RuntimeError):
    """A fault of mmk itself."""


class NotEnoughMemory(MemoryError):
    """The intermediate tensors of a kernel do not fit."""


MISTAKE, NO_MEMORY = 2, 4  # mmk_error_kind


def exception_of(kind: int, message: str) -> BaseException:
    """The exception for an error of the library."""
    if kind == MISTAKE:
        return Error(message)
    return NotEnoughMemory(message) if kind == NO_MEMORY else Bug(message)
