from __future__ import annotations

from dataclasses import replace

import numpy as np
from unit.tree.hand_trees import nominal, numeric

from treewright.compare.same_answers import differs, models_differ
from treewright.tree.linear_leaves import IndicatorTerm, LinearModel, NumberTerm

X = NumberTerm(index=0, column=numeric("x"), low=0.0, high=9.0)
C = IndicatorTerm(index=1, column=nominal("c", "u", "v"), codes=frozenset([1]))
MODEL = LinearModel(intercept=1.0, coefficients=(2.0, 3.0), terms=(X, C), fills=(4.0, 0.5))


def test_rounding_is_no_difference() -> None:
    one = np.array([[0.1 + 0.2], [1e12], [0.0], [1.0]])
    two = np.array([[0.3], [1e12 + 1], [1e-8], [-1.0]])
    assert differs(one, two, tolerance=1e-9).tolist() == [False, False, True, True]
    assert differs(one, two, tolerance=0).tolist() == [True, True, True, True]


def test_models_are_compared_by_name() -> None:
    def is_other(**changes: object) -> bool:
        return models_differ(MODEL, replace(MODEL, **changes), tolerance=1e-9)

    turned = replace(C, index=0, column=nominal("c", "v", "u"), codes=frozenset([0]))
    assert not is_other()
    assert not is_other(
        terms=(turned, replace(X, index=1)), coefficients=(3.0, 2.0), fills=(0.5, 4.0)
    )
    assert not is_other(intercept=1.0 + 1e-12)
    for change in (
        {"intercept": 1.1},
        {"coefficients": (2.0, 3.1)},
        {"fills": (4.0, 0.6)},
        {"limits": (0.0, 9.0)},
        {"terms": (X, replace(C, codes=frozenset([0])))},
        {"terms": (X, X)},
        {"terms": (replace(X, high=8.0), C)},
        {"terms": (X,), "coefficients": (2.0,), "fills": (4.0,)},
    ):
        assert is_other(**change), change
    assert models_differ(MODEL, 1.0, tolerance=1e-9)
