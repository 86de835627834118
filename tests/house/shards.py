"""What divides the tests loses none: the shards of a file have all its tests, and `pairs` has every two values
of two axes."""

import itertools
import os
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))
import shards  # noqa: see there

FILE = """
import unittest
from shards import divided, main, mine

class First(unittest.TestCase):
    def test_a(self): print("a")
    def test_b(self): print("b")
    @divided
    def test_many(self): print(*mine(range(7)), sep="\\n")

class Second(unittest.TestCase):
    def test_c(self): print("c")
    def test_d(self): print("d")

if __name__ == "__main__":
    main()
"""


def printed(shard):
    done = subprocess.run([sys.executable, "-c", FILE], env=dict(os.environ, MMK_SHARD=shard, PYTHONPATH=str(TESTS)),
                          capture_output=True, text=True, check=True)
    return done.stdout.split()


def main():
    expected = sorted("abcd0123456")
    for count in (1, 2, 3, 5):
        parts = [printed(f"{number}/{count}") for number in range(1, count + 1)]
        assert sorted(itertools.chain(*parts)) == expected, parts
        assert all(parts), parts
    axes = (range(5), "xyz", (False, True), range(3))
    chosen = shards.pairs(*axes)
    assert len(chosen) < 30 or shards.ALL, len(chosen)
    for (i, left), (j, right) in itertools.combinations(enumerate(axes), 2):
        assert {(each[i], each[j]) for each in chosen} == set(itertools.product(left, right))
    assert shards.pairs("ab", "xy") == list(itertools.product("ab", "xy"))


main()
