"""One small model of every kind that can be exported, each fitted once."""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import treewright as tw
from treewright import Schema, load_example


@cache
def loans() -> Any:
    return load_example("loans")


@cache
def iris() -> Any:
    return load_example("iris")


@cache
def diabetes() -> Any:
    return load_example("diabetes")


@cache
def every_type() -> tuple[dict[str, Any], Any, Schema]:
    """A table with a column of every type: dates, int64, uint64, flags, orders, numerals."""
    random = np.random.default_rng(0)
    n = 400
    X: dict[str, Any] = {
        "day": np.datetime64("2020-01-01") + random.integers(0, 1000, n).astype("m8[D]"),
        "big": (1 << 60) + random.integers(0, 1000, n),
        "unsigned": np.uint64(1 << 63) + random.integers(0, 1000, n).astype(np.uint64),
        "flag": random.random(n) < 0.5,
        "size": random.choice(["small", "medium", "large"], n),
        "grade": random.choice([1, 2, 5], n),
        "lasting": random.integers(0, 10**6, n).astype("m8[s]"),
        "x": random.normal(size=n),
    }
    y = (
        2 * X["x"]
        + X["flag"]
        + (X["day"] > np.datetime64("2021-06-01"))
        + 2 * (X["size"] == "large")
        + 1.5 * (X["big"] > (1 << 60) + 500)
        + (X["unsigned"] > np.uint64((1 << 63) + 300))
        + (X["lasting"] > np.timedelta64(500_000, "s"))
        + X["grade"]
    )
    order = {"size": ["small", "medium", "large"]}
    return X, y, Schema(order=order, kinds={"grade": "nominal"})


def _trees(**given: Any) -> Any:
    return tw.DecisionTreeClassifier(max_depth=4, **given).fit(loans().X, loans().y)


def _of_types(estimator: Any, *, classes: bool = False) -> Any:
    X, y, _ = every_type()
    return estimator.fit(X, y > 4 if classes else y)


def _boosted(**given: Any) -> Any:
    return tw.GradientBoostingRegressor(n_estimators=8, max_depth=3, **given).fit(
        diabetes().X, diabetes().y
    )


def _schema() -> Schema:
    return every_type()[2]


COSTS = [[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [9.0, 3.0, 0.0]]

MAKERS: dict[str, Callable[[], Any]] = {
    "cuts": lambda: tw.DecisionTreeClassifier().fit(iris().X, iris().y),
    "bare_tree": lambda: tw.DecisionTreeClassifier(max_depth=3).fit(iris().X, iris().y).tree_,
    "one_leaf": lambda: tw.DecisionTreeClassifier(max_depth=1, min_samples_split=1000).fit(
        iris().X, iris().y
    ),
    "id3": lambda: tw.ID3Classifier().fit(
        load_example("play_tennis").X, load_example("play_tennis").y
    ),
    "c45": lambda: tw.C45Classifier().fit(loans().X, loans().y),
    "cart": lambda: tw.CARTClassifier(max_depth=4).fit(loans().X, loans().y),
    "chaid": lambda: tw.CHAIDClassifier().fit(loans().X, loans().y),
    "learned_side": lambda: _trees(missing="learned_side", nominal="subset"),
    "divide": lambda: _trees(missing="divide", nominal="multiway"),
    "surrogates": lambda: _trees(missing="surrogates", nominal="subset"),
    "own_branch": lambda: _trees(missing="own_branch", nominal="one_vs_rest"),
    "majority": lambda: _trees(missing="majority", unseen="majority"),
    "laplace": lambda: _trees(leaf="laplace"),
    "costs": lambda: _trees(cost_matrix=COSTS),
    "oblique": lambda: tw.ObliqueTreeClassifier(random_state=0, max_depth=3).fit(
        iris().X, iris().y
    ),
    "m5": lambda: tw.M5Regressor().fit(diabetes().X, diabetes().y),
    "types": lambda: _of_types(tw.DecisionTreeRegressor(schema=_schema(), max_depth=5)),
    "types_divided": lambda: _of_types(
        tw.DecisionTreeClassifier(schema=_schema(), max_depth=5, missing="divide"), classes=True
    ),
    "types_m5": lambda: _of_types(tw.M5Regressor(schema=_schema())),
    "types_boosted": lambda: _of_types(
        tw.GradientBoostingRegressor(schema=_schema(), n_estimators=10)
    ),
    "forest": lambda: tw.RandomForestClassifier(n_estimators=7, random_state=0).fit(
        iris().X, iris().y
    ),
    "forest_divided": lambda: tw.RandomForestClassifier(
        n_estimators=5, random_state=0, max_depth=4
    ).fit(loans().X, loans().y),
    "forest_hard": lambda: tw.RandomForestClassifier(
        n_estimators=5, random_state=0, max_depth=4, vote="hard"
    ).fit(loans().X, loans().y),
    "forest_numbers": lambda: tw.RandomForestRegressor(
        n_estimators=5, random_state=0, max_depth=4
    ).fit(diabetes().X, diabetes().y),
    "bagging": lambda: tw.BaggingClassifier(tw.C45Classifier(), n_estimators=3, random_state=0).fit(
        loans().X, loans().y
    ),
    "adaboost": lambda: tw.AdaBoostClassifier(n_estimators=6, random_state=0).fit(
        iris().X, iris().y
    ),
    "adaboost_divided": lambda: tw.AdaBoostClassifier(n_estimators=5, random_state=0).fit(
        loans().X, loans().y
    ),
    "adaboost_costs": lambda: tw.AdaBoostClassifier(
        n_estimators=6, random_state=0, cost_matrix=COSTS
    ).fit(iris().X, iris().y),
    "adaboost_two": lambda: tw.AdaBoostClassifier(n_estimators=6, random_state=0).fit(
        iris().X, np.asarray(iris().y) == "versicolor"
    ),
    "adaboost_votes": lambda: model("adaboost").ensemble_,
    "adaboost_divided_votes": lambda: model("adaboost_divided").ensemble_,
    "adaboost_numbers": lambda: tw.AdaBoostRegressor(n_estimators=6, random_state=0).fit(
        diabetes().X, diabetes().y
    ),
    "boosted": lambda: tw.GradientBoostingClassifier(n_estimators=6, max_depth=3).fit(
        loans().X, loans().y
    ),
    "boosted_two": lambda: tw.GradientBoostingClassifier(n_estimators=6, max_depth=3).fit(
        iris().X, np.asarray(iris().y) == "versicolor"
    ),
    "boosted_exponential": lambda: tw.GradientBoostingClassifier(
        n_estimators=6, max_depth=3, loss="exponential"
    ).fit(iris().X, np.asarray(iris().y) == "versicolor"),
    "boosted_ordinal": lambda: tw.GradientBoostingClassifier(
        n_estimators=6, max_depth=3, loss="ordinal"
    ).fit(iris().X, np.unique(np.asarray(iris().y), return_inverse=True)[1]),
    "boosted_numbers": lambda: _boosted(),
    "boosted_poisson": lambda: _boosted(loss="poisson"),
    "boosted_lines": lambda: _boosted(leaf_model="linear"),
    "rules": lambda: tw.C45RulesClassifier().fit(loans().X, loans().y),
    "rules_that_vote": lambda: tw.C45RulesClassifier(variant="c5").fit(loans().X, loans().y),
    "ruleset": lambda: tw.RuleSet.of_tree(
        tw.DecisionTreeClassifier(max_depth=3).fit(iris().X, iris().y).tree_
    ),
}


@cache
def model(name: str) -> Any:
    """Return one of the models, fitted once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MAKERS[name]()
