"""What is said about parameters of M5Regressor and linear leaves, word for word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import DecisionTreeRegressor, M5Regressor
from treewright.errors import ParameterError, TargetError, UnsupportedError
from treewright.prune import CostComplexity

X = np.arange(12.0).reshape(12, 1)
Y = X[:, 0] ** 2


def said(estimator: Any, y: Any = Y) -> str:
    with pytest.raises((ParameterError, TargetError)) as caught:
        estimator.fit(X, y)
    return str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"variant": "Weka"},
            "variant='Weka' must be one of 'weka', 'paper'.\n  Hint: did you mean 'weka'?",
        ),
        ({"min_cases": 3}, "min_cases=3 must be at least 4."),
        ({"min_cases": 1, "variant": "paper"}, "min_cases=1 must be at least 2."),
        ({"min_cases": 4.5}, "min_cases=4.5 must be a whole number."),
        ({"min_deviation": -0.1}, "min_deviation=-0.1 must be between 0 and 1."),
        ({"smoothing": -1}, "smoothing=-1 must be at least 0."),
        ({"smoothing": True}, "smoothing=True must be a number."),
        ({"prune": None}, "prune=None must be True or False."),
        ({"linear": "yes"}, "linear='yes' must be True or False."),
        ({"extrapolate": 1}, "extrapolate=1 must be True or False."),
        ({"unseen": 0}, "unseen=0 must be one of 'missing', 'majority', 'error'."),
    ],
)
def test_parameters_of_m5(parameters: dict[str, Any], message: str) -> None:
    assert said(M5Regressor(**parameters)) == message


def test_m5_learns_one_target() -> None:
    assert said(M5Regressor(), np.column_stack([Y, Y])) == (
        "M5Regressor learns one target, but y has 2 columns.\n"
        "  Hint: DecisionTreeClassifier and DecisionTreeRegressor take several."
    )


def test_leaf_of_a_regressor() -> None:
    assert said(DecisionTreeRegressor(leaf_model="lineal")) == (
        "leaf_model='lineal' must be one of 'constant', 'linear'.\n  Hint: did you mean 'linear'?"
    )


def test_linear_leaves_are_pruned_beforehand() -> None:
    tree = DecisionTreeRegressor(leaf_model="linear", max_depth=2).fit(X, Y).tree_
    with pytest.raises(UnsupportedError) as caught:
        tree.prune(CostComplexity(alpha=1.0))
    assert str(caught.value) == (
        "CostComplexity judges leaves by their constants; this tree's answer by linear models.\n"
        "  Hint: DecisionTreeRegressor(prune=..., leaf_model='linear') prunes first and fits them"
        " afterwards; M5Regressor prunes by its models."
    )
