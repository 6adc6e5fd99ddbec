"""Partial dependence and SHAP pictures of tables that nobody would make on purpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from unit.chart.pictures import LONG, NASTY
from unit.chart.places import check_apart

from treewright import DecisionTreeClassifier, GradientBoostingClassifier, RandomForestClassifier

RANDOM = np.random.default_rng(0)
NAME = NASTY.replace("\ud800", "")
ROWS: dict[str, list[Any]] = {
    NAME: [1.0] * 30,
    LONG: RANDOM.normal(size=30).tolist(),
    "gap": [None] * 30,
    "names": [f"{LONG} {i % 15}" for i in range(30)],
    "": RANDOM.normal(size=30).tolist(),
    "right to left": ["שלום", "مرحبا", "a"] * 10,
}
TARGET = [NAME if value > 0 else LONG for value in ROWS[LONG]]
MODELS = [
    DecisionTreeClassifier(),
    RandomForestClassifier(n_estimators=3, random_state=0),
    GradientBoostingClassifier(n_estimators=3, min_samples_leaf=1),
]


def assert_is_readable(found: Any) -> None:
    assert max(map(len, str(found).split("\n"))) <= 80
    for width in (760, 368, 320):
        check_apart(found.draw().svg(width=width))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_nothing_overlaps_or_is_wider_than_a_line(model: Any) -> None:
    model.fit(ROWS, TARGET)
    first_row = {name: values[:1] for name, values in ROWS.items()}
    for column in ROWS:
        assert_is_readable(model.partial_dependence(ROWS, column))
        assert_is_readable(model.partial_dependence(first_row, column))
    assert_is_readable(model.partial_dependence(ROWS))
    assert_is_readable(model.partial_dependence(ROWS, (LONG, "names")))
    values = model.shap_values(ROWS)
    for width in (760, 368, 320):
        check_apart(values.draw().svg(width=width))
        check_apart(values[0].draw().svg(width=width))


def test_a_target_that_is_always_the_same_depends_on_nothing() -> None:
    model = RandomForestClassifier(n_estimators=2, random_state=0).fit(ROWS, ["a"] * 30)
    found = model.partial_dependence(ROWS, LONG)
    assert found.draw().title.startswith("a does not depend on average_monthly_balance")
