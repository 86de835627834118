"""Divides the tests of a file: one shard of several is an entry of ctest by itself, so that no entry is
long. MMK_SHARD=2/5 in the environment names the second of five; without it a file runs whole.

Tests are distributed over the shards in turn. A test with many cases is marked @divided and takes
`mine(cases)`: it is part of every shard, with a share of its cases.
"""

import itertools
import os
import unittest

# `./dev test --all`: more samples of what the others test.
ALL = "MMK_ALL" in os.environ
NUMBER, COUNT = map(int, os.environ.get("MMK_SHARD", "1/1").split("/"))


def divided(test):
    test.is_divided = True
    return test


def mine(cases):
    """The cases of this shard: every COUNT-th."""
    return [case for turn, case in enumerate(cases) if turn % COUNT == NUMBER - 1]


def in_turn(number, cases, of=2):
    """Of `of` parts of some cases that of this number, so that a few samples in a row have all of them; with
    ALL, all cases."""
    return cases if ALL or len(cases) < of else cases[number % of :: of]


def pairs(*axes):
    """Combinations of a value of each axis in which every two values of two axes occur together; with ALL,
    all combinations."""
    combinations = list(itertools.product(*axes))
    if ALL or len(axes) < 3:
        return combinations
    # By the places of the values, as values need not be hashable.
    places = list(itertools.product(*(range(len(axis)) for axis in axes)))
    covers = [set(itertools.combinations(enumerate(place), 2)) for place in places]
    left, chosen = set().union(*covers), []
    while left:
        best = max(range(len(places)), key=lambda at: len(covers[at] & left))
        left -= covers[best]
        chosen.append(best)
    return [combinations[at] for at in sorted(chosen)]


class _Loader(unittest.TestLoader):
    turn = 0

    def getTestCaseNames(self, test_class):
        names = []
        for name in super().getTestCaseNames(test_class):
            if not getattr(getattr(test_class, name), "is_divided", False):
                self.turn += 1
                if (self.turn - 1) % COUNT != NUMBER - 1:
                    continue
            names.append(name)
        return names


def main(**options):
    """unittest.main, with its options, of this shard."""
    unittest.main(testLoader=_Loader(), **options)
