"""Partial dependence is the mean of the predictions, whatever the table, weights and model."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright import (
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestRegressor,
)

NUMBERS = st.one_of(st.none(), st.integers(-3, 3).map(float), st.sampled_from([0.5, 1e6, -1e-9]))
NAMES = st.sampled_from(["a", "b", "c", None])


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, list[Any]], np.ndarray, np.ndarray]:
    """Draw a table with gaps and names, a target of classes' numbers, and weights."""
    n = draw(st.integers(6, 70))
    rows = {
        "x": draw(st.lists(NUMBERS, min_size=n, max_size=n)),
        "z": draw(st.lists(NUMBERS, min_size=n, max_size=n)),
        "name": draw(st.lists(NAMES, min_size=n, max_size=n)),
    }
    rows["x"][0], rows["z"][0], rows["name"][:2] = 1.0, 2.0, ["a", "b"]
    target = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    target[:2] = [0, 1]
    weights = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    weights[:2] = 1.0
    return rows, target, weights


MODELS = [
    lambda: DecisionTreeClassifier(missing="divide", nominal="multiway"),
    lambda: DecisionTreeRegressor(nominal="subset", missing="surrogates"),
    lambda: DecisionTreeRegressor(missing="divide", nominal="multiway", max_depth=4),
    lambda: BaggingClassifier(DecisionTreeClassifier(missing="divide"), n_estimators=3),
    lambda: RandomForestRegressor(n_estimators=3),
    lambda: GradientBoostingClassifier(n_estimators=4, min_samples_leaf=1),
    lambda: GradientBoostingRegressor(n_estimators=4, min_samples_leaf=1),
    lambda: GradientBoostingRegressor(n_estimators=4, min_samples_leaf=1, loss="poisson"),
]


@settings(max_examples=60, deadline=None)
@given(drawn=tables(), which=st.sampled_from(range(len(MODELS))), column=st.sampled_from("xzn"))
def test_means_and_single_rows_are_those_of_the_predictions(
    drawn: tuple[dict[str, list[Any]], np.ndarray, np.ndarray], which: int, column: str
) -> None:
    rows, target, weights = drawn
    name = {"x": "x", "z": "z", "n": "name"}[column]
    model: Any = MODELS[which]().set_params(random_state=0)
    model.fit(rows, target, sample_weight=weights)
    found = model.partial_dependence(rows, name, sample_weight=weights, rows=None)
    size = 1.0 + float(np.abs(found.mean).max())
    for place, value in enumerate(found.values):
        changed = {**rows, name: [value] * len(target)}
        is_class = hasattr(model, "predict_proba")
        answers = model.predict_proba(changed) if is_class else model.predict(changed)
        answers = np.asarray(answers).reshape(len(target), -1)
        mean = np.average(answers, axis=0, weights=weights)
        assert np.abs(found.mean[place] - mean).max() <= 1e-12 * size
        assert np.abs(found.rows[:, place] - answers).max() <= 1e-12 * size
