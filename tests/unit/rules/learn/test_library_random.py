"""The C library's random numbers, and the rules of C4.5rules that they lead to."""

import numpy as np

from treewright import C45RulesClassifier
from treewright.rules.learn.library_random import LibraryRandom


def test_the_numbers_are_those_of_the_c_library() -> None:
    drawn = LibraryRandom().random(3) * 2**31
    assert drawn.tolist() == [1804289383, 846930886, 1681692777]


def test_numbers_come_one_after_the_other() -> None:
    random = LibraryRandom()
    parts = np.concatenate([random.random(5), random.random(40)])
    assert parts.tolist() == LibraryRandom().random(45).tolist()


def test_without_a_seed_the_rules_are_always_the_same() -> None:
    random = np.random.default_rng(3)
    X = random.integers(0, 4, (400, 8))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.integers(0, 3, 400)) % 3
    texts = {str(C45RulesClassifier().fit(X, y).ruleset_) for _ in range(3)}
    assert len(texts) == 1
