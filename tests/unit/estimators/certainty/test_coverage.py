"""Do intervals and sets hold the truth as often as they say? Many tables, drawn anew each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.array_types import Array, FloatArray

N_REPEATS = 500
N_ROWS, N_NEW = 300, 200
LEVEL = 0.9

REGRESSORS: dict[str, Callable[[], Any]] = {
    "tree": lambda: tw.DecisionTreeRegressor(min_samples_leaf=5),
    "full tree": tw.DecisionTreeRegressor,
    "forest": lambda: tw.RandomForestRegressor(50, random_state=0),
    "extra trees": lambda: tw.ExtraTreesRegressor(20, random_state=0),
    "boosting": lambda: tw.GradientBoostingRegressor(n_estimators=40, max_depth=3),
    "stack": lambda: tw.StackingRegressor(
        [
            ("forest", tw.RandomForestRegressor(20, random_state=0)),
            ("tree", tw.CARTRegressor(max_depth=4)),
        ]
    ),
}
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "tree": lambda: tw.DecisionTreeClassifier(min_samples_leaf=5),
    "full tree": tw.DecisionTreeClassifier,
    "forest": lambda: tw.RandomForestClassifier(50, random_state=0),
    "extra trees": lambda: tw.ExtraTreesClassifier(60, random_state=0),
    "boosting": lambda: tw.GradientBoostingClassifier(n_estimators=20, max_depth=3),
    "adaboost": lambda: tw.AdaBoostClassifier(n_estimators=20),
    "stack": lambda: tw.StackingClassifier(
        [
            ("forest", tw.RandomForestClassifier(20, random_state=0)),
            ("tree", tw.C45Classifier()),
        ]
    ),
}


def columns(random: np.random.Generator, n_rows: int) -> dict[str, Array]:
    """Return a table of numbers, names and gaps."""
    x = random.uniform(size=(n_rows, 4))
    x[random.uniform(size=n_rows) < 0.1, 3] = np.nan
    shop = random.choice(["north", "south", "east"], p=[0.5, 0.3, 0.2], size=n_rows)
    return {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "d": x[:, 3], "shop": shop}


def numbers(random: np.random.Generator, n_rows: int) -> tuple[dict[str, Array], FloatArray]:
    """Return a table with a target whose noise differs from row to row and shop to shop."""
    X = columns(random, n_rows)
    spread = (0.2 + X["a"]) * np.where(X["shop"] == "north", 1.0, 2.0)
    y = 5 * np.sin(3 * X["a"]) + 3 * X["b"] + (X["shop"] == "east")
    return X, y + spread * random.normal(size=n_rows)


def classes(random: np.random.Generator, n_rows: int) -> tuple[dict[str, Array], Array]:
    """Return a table with a target of three classes, of unequal shares."""
    X = columns(random, n_rows)
    score = 2 * X["a"] + X["b"] + (X["shop"] == "east") + random.logistic(size=n_rows) / 3
    return X, np.array(["low", "middle", "high"])[np.digitize(score, [1.1, 2.3])]


def told_numbers(model: Any, seed: int, by: str | None) -> tuple[Array, Any]:
    """Return whether intervals hold the targets of new rows, and the shops of these."""
    random = np.random.default_rng(seed)
    X, y = numbers(random, N_ROWS)
    new, truth = numbers(random, N_NEW)
    low, high = model.fit(X, y).predict_interval(new, LEVEL, by=by).T
    return (low <= truth) & (truth <= high), new["shop"]


def told_classes(model: Any, seed: int, by: str | None) -> tuple[Array, Any]:
    """Return whether sets hold the classes of new rows, and the shops of these."""
    random = np.random.default_rng(seed)
    X, y = classes(random, N_ROWS)
    new, truth = classes(random, N_NEW)
    sets = model.fit(X, y).predict_set(new, LEVEL, by=by)
    place = {label: number for number, label in enumerate(model.classes_.tolist())}
    return sets[np.arange(N_NEW), [place[label] for label in truth.tolist()]], new["shop"]


def coverage(told: Any, make: Callable[[], Any], n_repeats: int, by: str | None = None) -> Any:
    """Return the share of new rows that are covered, of all and of each shop."""
    parts = [told(make(), seed, by) for seed in range(n_repeats)]
    covered = np.concatenate([part[0] for part in parts])
    shops = np.concatenate([part[1] for part in parts])
    return covered.mean(), {shop: covered[shops == shop].mean() for shop in np.unique(shops)}


@pytest.mark.slow
@pytest.mark.parametrize("name", REGRESSORS)
def test_intervals_cover_within_a_point(name: str) -> None:
    found, _ = coverage(told_numbers, REGRESSORS[name], N_REPEATS)
    print(f"intervals of {name}: {found:.4f}")
    assert found == pytest.approx(LEVEL, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_sets_cover_within_a_point(name: str) -> None:
    found, _ = coverage(told_classes, CLASSIFIERS[name], N_REPEATS)
    print(f"sets of {name}: {found:.4f}")
    assert found == pytest.approx(LEVEL, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", REGRESSORS)
def test_intervals_cover_each_shop_within_three_points(name: str) -> None:
    _, found = coverage(told_numbers, REGRESSORS[name], N_REPEATS // 2, by="shop")
    print(f"intervals of {name} by shop: {found}")
    assert all(share == pytest.approx(LEVEL, abs=0.03) for share in found.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_sets_cover_each_shop_within_three_points(name: str) -> None:
    _, found = coverage(told_classes, CLASSIFIERS[name], N_REPEATS // 2, by="shop")
    print(f"sets of {name} by shop: {found}")
    assert all(share == pytest.approx(LEVEL, abs=0.03) for share in found.values())
