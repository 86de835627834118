"""What the tests of the package share: a cache of their own, and the examples."""

import os
import pathlib
import tempfile
import unittest

_cache = tempfile.TemporaryDirectory()
os.environ["MMK_CACHE_DIR"] = _cache.name

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"

FUSED = """\
kernel fused(a: f32[M, K], b: f32[K, N], bias: f32[N], alpha: f32 = 0.5) -> c: f32[M, N] {
  c = leaky_relu(a @ b + bias, alpha);
}
"""

main = unittest.main
