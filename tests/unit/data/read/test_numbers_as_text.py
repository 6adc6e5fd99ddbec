"""Targets of numbers that are written as text."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import OtherTypeWarning, TargetError

X = np.arange(4.0)[:, np.newaxis]


@pytest.mark.parametrize(
    "y",
    [
        ["1.5", "2", "-3e1", "0"],
        np.array(["1.5", "2", "-3e1", "0"]),
        np.array(["1.5", "2", "-3e1", "0"], dtype=object),
    ],
)
def test_numbers_in_text_are_converted_with_a_warning(y: object) -> None:
    with pytest.warns(OtherTypeWarning, match=r"numbers as text \('1.5'\); they were converted"):
        model = tw.DecisionTreeRegressor().fit(X, y)
    assert model.predict(X).tolist() == [1.5, 2.0, -30.0, 0.0]


@pytest.mark.parametrize("odd", ["high", "nan", "inf", ""])
def test_other_text_is_no_target_of_numbers(odd: str) -> None:
    with pytest.raises(TargetError):
        tw.DecisionTreeRegressor().fit(X, ["1.5", "2", odd, "0"])
