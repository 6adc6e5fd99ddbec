"""Rows that were looked at, and whether they are still the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright.data.read.take_rows import fingerprint_of_seen, look_at_rows, shallow_copy

ROWS = np.array([0, 2])


def frame(text: str) -> pd.DataFrame:
    return pd.DataFrame(
        {"size": [1.0, 2.0, 3.0], "colour": pd.Series(["red", None, "blue"], dtype=text)}
    )


def is_same(X: Any, seen: list[Any]) -> bool:
    return fingerprint_of_seen(look_at_rows(X, ROWS)) == fingerprint_of_seen(seen)


@pytest.mark.parametrize("text", ["object", "str", "category"])
def test_rows_of_a_dataframe_stay_the_same_until_one_is_changed(text: str) -> None:
    X = frame(text)
    seen = look_at_rows(X, ROWS)
    assert is_same(X, seen)
    assert is_same(shallow_copy(X), seen)
    changed = X.copy()
    changed.loc[2, "colour"] = "red"
    assert not is_same(changed, seen)
    X.loc[2, "size"] = 4.0
    assert not is_same(X, seen)


@pytest.mark.parametrize("text", ["object", "str"])
def test_text_that_is_changed_in_its_own_array_is_seen(text: str) -> None:
    X = frame(text)
    seen = look_at_rows(X, ROWS)
    X.loc[2, "colour"] = "green"
    assert not is_same(X, seen)


@pytest.mark.parametrize("X", [np.arange(6.0).reshape(3, 2), [[1, "a"], [2, "b"], [3, "c"]]])
def test_rows_of_arrays_and_lists_are_what_they_were_when_seen(X: Any) -> None:
    seen = look_at_rows(X, ROWS)
    assert is_same(X, seen)
    X[2][0] = 7
    assert not is_same(X, seen)
