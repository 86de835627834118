"""Fused kernels compiled from one page of text, run on arrays in place.

    kernel = mmk.compile("kernel double(x: f32[N]) -> y: f32[N] { y = 2 * x; }")
    y = kernel(x)
"""

from mmk._mmk import PackedConstant, keep_memory, kept_memory
from mmk._mmk import version as __version__
from mmk.errors import Bug, Error, NotEnoughMemory
from mmk.kernel import Kernel, compile

__all__ = ["Bug", "Error", "Kernel", "NotEnoughMemory", "PackedConstant", "compile", "keep_memory",
           "kept_memory"]
