"""Operators that the language cannot say, with the reason."""

from __future__ import annotations

from typing import Dict


def _each(reason: str, *operators: str) -> Dict[str, str]:
    return dict.fromkeys(operators, reason)


UNSUPPORTED: Dict[str, str] = {
    **_each("it reads or writes at places that data determine; the language reads at sums of index variables",
            "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND", "OneHot", "MaxUnpool", "RoiAlign",
            "GridSample", "ReverseSequence"),
    **_each("the number of its results depends on data", "NonZero", "Unique", "Compress", "NonMaxSuppression"),
    **_each("it sorts, which the language does not", "TopK"),
    **_each("it is control flow, with graphs inside", "If", "Loop", "Scan", "SequenceMap"),
    **_each("it is a recurrence: each step reads the one before", "LSTM", "GRU", "RNN"),
    **_each("the language does not have this function", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh",
            "Asinh", "Acosh", "Atanh"),
    **_each("the language has no operations on bits", "BitShift"),
    **_each("its operands are sequences of tensors", "SequenceAt", "SequenceConstruct", "SequenceEmpty",
            "SequenceErase", "SequenceInsert", "SequenceLength", "SplitToSequence", "ConcatFromSequence"),
    **_each("its operands are strings", "StringNormalizer", "TfIdfVectorizer"),
}
