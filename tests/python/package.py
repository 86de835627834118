"""What the tests of the package share: a cache of their own, and the examples."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from shards import ALL, divided, main, mine, pairs  # noqa: for the tests of this folder

_cache = tempfile.TemporaryDirectory()
os.environ["MMK_CACHE_DIR"] = _cache.name

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"

FUSED = """\
kernel fused(a: f32[M, K], b: f32[K, N], bias: f32[N], alpha: f32 = 0.5) -> c: f32[M, N] {
  c = leaky_relu(a @ b + bias, alpha);
}
"""
