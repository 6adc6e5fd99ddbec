"""Whether a stack beats its best member on the shared tables of over 500 rows, in five folds.

    python benchmarks/stacking.py [table ...] [--rows 1000] [--trees 100]

Members: a forest, boosting, C4.5 (M5 for numbers) and a linear pipeline. Log loss and accuracy of
classes, root of mean squares of numbers; of each table the best member (by all five folds), the
stack, and the same stack with scikit-learn's default final estimator.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from tables import Table, splitter, tables

import treewright as tw

LEAST_CLASS = 10  # rows of a class; log loss of a class that a fold lacks says nothing
TABLES = [
    "monks3",
    "monks2",
    "diabetes",
    "anneal",
    "credit_g",
    "yeast6",
    "segment",
    "kr_vs_kp",
    "sick",
    "page_blocks",
    "higgs_small",
    "bike_sharing",
    "california_housing",
    "bank_marketing",
    "adult",
    "nycflights",
]


def linear(*, of_classes: bool) -> Any:
    """Return a linear model of any table."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    fill = SimpleImputer(strategy="constant", fill_value="?", missing_values=None)
    text = make_pipeline(fill, OneHotEncoder(handle_unknown="ignore"))
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (text, make_column_selector(dtype_exclude="number")),
    )
    last = LogisticRegression(max_iter=500) if of_classes else RidgeCV()
    return make_pipeline(columns, last)


def members(*, of_classes: bool, n_trees: int) -> list[tuple[str, Any]]:
    """Return the members."""
    if of_classes:
        return [
            ("forest", tw.RandomForestClassifier(n_trees, random_state=0)),
            ("boosting", tw.GradientBoostingClassifier(n_estimators=n_trees)),
            ("C4.5", tw.C45Classifier()),
            ("linear", linear(of_classes=True)),
        ]
    return [
        ("forest", tw.RandomForestRegressor(n_trees, random_state=0)),
        ("boosting", tw.GradientBoostingRegressor(n_estimators=n_trees)),
        ("M5", tw.M5Regressor()),
        ("linear", linear(of_classes=False)),
    ]


def judge(table: Table, n_trees: int) -> dict[str, tuple[float, float]]:
    """Return loss and accuracy of every member and of the stacks, over all five folds."""
    of_classes = table.is_classification
    X, y = table.X.reset_index(drop=True), table.y
    if of_classes:
        names, counts = np.unique(y, return_counts=True)
        kept = np.flatnonzero(np.isin(y, names[counts >= LEAST_CLASS]))
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    known = members(of_classes=of_classes, n_trees=n_trees)
    told: dict[str, Any] = {}
    for train, test in splitter(table, 0).split(X, y):
        stack = (tw.StackingClassifier if of_classes else tw.StackingRegressor)(known)
        stack.fit(X.iloc[train], y[train])
        theirs = OtherFinal(stack, LogisticRegression() if of_classes else RidgeCV())
        asked = dict(stack.named_estimators_) | {"stack": stack, "scikit-learn's final": theirs}
        for name, model in asked.items():
            method = "predict_proba" if of_classes else "predict"
            answers = getattr(model, method)(X.iloc[test])
            told.setdefault(name, []).append((answers, y[test]))
    return {name: _figures(parts, np.unique(y), of_classes) for name, parts in told.items()}


class OtherFinal:
    """A stack with another final estimator, on the same answers of members."""

    def __init__(self, stack: Any, final: Any) -> None:
        self._stack = stack
        held = stack._held
        self._final = final.fit(held.rows.X, held.rows.target)

    def predict(self, X: Any) -> Any:
        return self._final.predict(self._stack.transform(X))

    def predict_proba(self, X: Any) -> Any:
        return self._final.predict_proba(self._stack.transform(X))


def _figures(parts: list[Any], classes: Any, of_classes: bool) -> tuple[float, float]:
    answers = np.concatenate([each for each, _ in parts])
    truth = np.concatenate([each for _, each in parts])
    if of_classes:
        right = float(np.mean(classes[answers.argmax(axis=1)] == truth))
        return float(log_loss(truth, answers, labels=classes)), right
    return float(np.sqrt(np.mean((answers - truth) ** 2))), float("nan")


def main() -> None:
    """Print a line for each table, and how often the stack is best."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--trees", type=int, default=100)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    won = beats = 0
    for n, table in enumerate(tables(given.tables or TABLES, given.rows), 1):
        found = judge(table, given.trees)
        own = {name: found[name] for name in list(found)[:-2]}
        best = min(own, key=lambda name: own[name][0])
        stack, theirs = found["stack"], found["scikit-learn's final"]
        won += stack[0] < own[best][0]
        beats += stack[0] < theirs[0]
        print(
            f"{table.name:<20} best {best:<9} {own[best][0]:9.4f} {own[best][1]:6.3f}"
            f"  stack {stack[0]:9.4f} {stack[1]:6.3f}"
            f"  scikit-learn's final {theirs[0]:9.4f} {theirs[1]:6.3f}  {won}/{n} {beats}/{n}",
            flush=True,
        )


if __name__ == "__main__":
    main()
