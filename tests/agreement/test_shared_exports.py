"""Exports of models of the shared tables, run by their engines on rows of these tables.

Models are fitted to tables as they are read: text, dates, gaps and all. Every artefact is run on
the rows it was fitted to and on boundary rows, and its answers have to be the model's.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import treewright as tw
from agreement.shared_tables import Labelled, entries, needs_shared, read_labelled
from treewright import export
from treewright.errors import UnsupportedError

pytestmark = [needs_shared, pytest.mark.slow]

N_ROWS = 1_000
N_BOUNDARY_ROWS = 300
NAMES = list(entries()) or ["no table"]
DECIDED: dict[str, Any] = {"missing": "learned_side", "unseen": "majority"}
KINDS: dict[str, Callable[[bool], Any]] = {
    "tree": lambda c: (tw.DecisionTreeClassifier if c else tw.DecisionTreeRegressor)(
        min_samples_leaf=5, max_depth=8, **DECIDED
    ),
    "divided": lambda c: tw.C45Classifier() if c else tw.DecisionTreeRegressor(min_samples_leaf=5),
    "rules": lambda c: tw.C45RulesClassifier() if c else tw.M5Regressor(),
    "forest": lambda c: (tw.RandomForestClassifier if c else tw.RandomForestRegressor)(
        n_estimators=3, max_depth=5, random_state=0, **DECIDED
    ),
    "adaboost": lambda c: (tw.AdaBoostClassifier if c else tw.AdaBoostRegressor)(
        n_estimators=5, random_state=0
    ),
    "boosting": lambda c: (tw.GradientBoostingClassifier if c else tw.GradientBoostingRegressor)(
        n_estimators=5, max_depth=4, random_state=0
    ),
}
QUICK = ("python", "c", "javascript", "sqlite", "duckdb", "onnx", "treelite")
PROGRAMS = ("python", "c", "javascript", "rust")
"""What divides rows; others ask the branches one after the other, which takes long trees."""
LONG = ("rust", "postgresql", "pmml")
DIALECTS = ("sqlite", "duckdb", "postgresql")
SEVERAL = (
    *("weather_nominal", "iris", "vote", "soybean", "labor", "credit_g", "hypothyroid", "adult"),
    *("auto_mpg", "servo", "autos", "diamonds", "bike_sharing", "nycflights"),
)
"""Tables of every kind for engines that take long: names, gaps, dates, many classes, numbers."""

BINARY = ("onnx", "treelite", "pmml")
LONGEST_QUERY = 60_000
"""DuckDB plans longer ones for minutes: forests and boosted models of many classes."""
REFUSED = {
    **{(target, "rules"): "rules are no trees|linear models" for target in BINARY},
    **{(target, "adaboost"): "weighted median" for target in (*BINARY, *DIALECTS)},
    ("pmml", "boosting"): "takes a chain of models",
    ("pmml", "adaboost"): "weighted median|takes a chain of models",
}
"""What a target cannot express, with words of the reason."""


@cache
def table(name: str) -> Labelled:
    labelled = read_labelled(entries()[name])
    n_rows = len(labelled.y)
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, N_ROWS)).astype(int))
    return Labelled(X=labelled.X.rows(rows), y=labelled.y[rows])


@cache
def model(name: str, kind: str) -> Any:
    own = table(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows, unseen values: not what is tested here
        return KINDS[kind](entries()[name].is_classification).fit(own.X, own.y)


def check(name: str, kind: str, target: str) -> None:
    made = exported(name, kind, target)
    if made is None:
        return
    if isinstance(made, UnsupportedError):
        assert (target, kind) in REFUSED, made
        assert re.search(REFUSED[target, kind], str(made))
        return
    if made.proof.not_run:
        pytest.skip(made.proof.not_run)
    assert made.proof.holds, str(made.proof)
    assert made.proof.table_rows == len(table(name).y)


def exported(name: str, kind: str, target: str) -> Any:
    """Return the artefact with its proof, or the refusal; None for a query that is too long."""
    make: Any = export.sql if target in DIALECTS else getattr(export, target)
    options: dict[str, Any] = {"dialect": target, "proba": True} if target in DIALECTS else {}
    try:
        if target == "duckdb":
            query = make(model(name, kind), proof=False, **options)
            if len(query.text) > LONGEST_QUERY:
                return None
        return make(model(name, kind), X=table(name).X, n_rows=N_BOUNDARY_ROWS, **options)
    except UnsupportedError as error:
        return error


@pytest.mark.parametrize("target", QUICK)
@pytest.mark.parametrize("name", NAMES)
def test_every_table(name: str, target: str) -> None:
    for kind in KINDS:
        if kind != "divided" or target in PROGRAMS:
            check(name, kind, target)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", LONG)
@pytest.mark.parametrize("name", SEVERAL)
def test_engines_that_take_long(name: str, target: str, kind: str) -> None:
    if kind == "divided" and target not in PROGRAMS:
        pytest.skip("asked of programs")
    check(name, kind, target)
