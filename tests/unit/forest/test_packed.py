"""Forests packed in the core predict what their trees predict, however rows and leaves are held."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import RandomForestClassifier

GENERATOR = np.random.default_rng(3)
X = GENERATOR.normal(size=(3_000, 4)).astype(np.float32)
GAPS = np.where(GENERATOR.random(X.shape) < 0.1, np.float32(np.nan), X)
CLASSES = GENERATOR.integers(0, 30, len(X))


def by_trees(model: Any, rows: Any) -> Any:
    """Return the mean of the trees' predictions, added in order."""
    sums = np.zeros((len(rows), len(model.classes_)))
    for i in range(len(model.ensemble_)):
        sums += model.ensemble_[i].predict_proba(rows)
    return sums / len(model.ensemble_)


@pytest.mark.parametrize("max_depth", [None, 3])  # few classes in a leaf, and nearly all
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_classes_are_added_as_the_trees_have_them(max_depth: Any, dtype: Any) -> None:
    model = RandomForestClassifier(5, max_depth=max_depth, random_state=0).fit(X, CLASSES)
    assert model.ensemble_.engine == "best_cuts"
    rows = X.astype(dtype)
    answers = model.predict_proba(rows)
    assert np.array_equal(answers, by_trees(model, rows))
    few = [model.predict_proba(rows[begin : begin + 500]) for begin in range(0, 3_000, 500)]
    assert np.array_equal(answers, np.vstack(few))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_with_gaps_are_walked_as_one_by_one(dtype: Any) -> None:
    model = RandomForestClassifier(5, random_state=0).fit(X, CLASSES)
    rows = GAPS.astype(dtype)
    answers, leaves = model.predict_proba(rows), model.apply(rows)
    for begin in range(0, len(rows), 97):
        alone = rows[begin : begin + 1]
        assert np.array_equal(model.predict_proba(alone)[0], answers[begin])
        assert np.array_equal(model.apply(alone)[0], leaves[begin])
    assert np.array_equal(answers, by_trees(model, rows))
