"""What `monotonic_cst` promises holds to the last bit, whatever it is combined with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from property.growing import examples
from treewright.errors import TreewrightError, UnsupportedError
from treewright.prune import PRUNERS, ErrorBased

RISES = {"x": 1, "y": -1}
GRID = np.linspace(-3.0, 3.0, 121)
PRUNED: tuple[Any, ...] = (
    *(each.name for each in PRUNERS),
    ErrorBased(raising=False),
    ErrorBased(variant="j48", confidence=0.1),
    ErrorBased(variant="c5"),
)
COSTS = (None, None, [[0, 1], [5, 0]], [[0, 3], [1, 0]])


def drawn(seed: int) -> tuple[dict[str, Any], Any]:
    """Return a table of columns with few values, with gaps, and noisy classes."""
    random = np.random.default_rng(seed)
    n_rows = int(random.integers(20, 90))
    table: dict[str, Any] = {name: random.normal(size=n_rows).round(1) for name in "xyz"}
    score = table["x"] - table["y"] + random.normal(size=n_rows) * random.choice([0.5, 1.0, 2.0])
    table["name"] = random.choice(["u", "v", "w"], size=n_rows)
    if random.random() < 0.5:
        table["z"][random.random(n_rows) < 0.2] = np.nan
    classes = np.where(score > random.choice([0.0, 0.7]), 1, 0)
    classes[:3], classes[3:6] = 0, 1  # some of both, for folds
    return table, classes


def assert_monotone(model: Any, table: dict[str, Any]) -> None:
    for name, sign in RISES.items():
        for row in range(0, len(table["x"]), 7):
            moved = {each: np.repeat(column[row], len(GRID)) for each, column in table.items()}
            moved[name] = GRID
            told = model.predict(moved)
            if hasattr(model, "predict_proba"):
                assert np.all(np.diff(told) * sign >= 0)
                told = model.predict_proba(moved)[:, 1]
            assert np.all(np.diff(told) * sign >= 0)


def fit_and_check(model: Any, seed: int, *, of_numbers: bool = False) -> None:
    table, target = drawn(seed)
    if of_numbers:
        target = target + np.random.default_rng(seed).normal(size=len(target)).round(1)
    try:
        model.fit(table, target)
    except UnsupportedError:
        raise
    except TreewrightError:  # folds, or rows held out, have too few rows of a class
        return
    assert_monotone(model, table)


SEEDS = st.integers(0, 2**32 - 1)
CALIBRATIONS = st.sampled_from([None, None, "temperature", "isotonic"])
WEIGHTS = st.sampled_from([None, None, "balanced", {0: 1.0, 1: 7.3}])


@pytest.mark.filterwarnings("ignore::treewright.errors.TreewrightWarning")
@given(data=st.data(), seed=SEEDS)
@settings(examples(3))
def test_pruned_trees_stay_monotone(data: st.DataObject, seed: int) -> None:
    model = tw.DecisionTreeClassifier(
        monotonic_cst=RISES,
        prune=data.draw(st.sampled_from(PRUNED)),
        cost_matrix=data.draw(st.sampled_from(COSTS)),
        class_weight=data.draw(WEIGHTS),
        criterion=data.draw(st.sampled_from(["gini", "entropy"])),
        splitter=data.draw(st.sampled_from(["best", "random"])),
        random_state=0,
    )
    fit_and_check(model, seed)


@pytest.mark.filterwarnings("ignore::treewright.errors.TreewrightWarning")
@given(data=st.data(), seed=SEEDS)
@settings(examples(2))
def test_calibrated_classifiers_stay_monotone(data: st.DataObject, seed: int) -> None:
    tree = tw.DecisionTreeClassifier(monotonic_cst=RISES, max_depth=3)
    few = {"n_estimators": 5, "random_state": 0}
    model = data.draw(
        st.sampled_from(
            [
                tw.DecisionTreeClassifier(monotonic_cst=RISES),
                tw.DecisionTreeClassifier(monotonic_cst=RISES, prune="error_based"),
                tw.ExtraTreeClassifier(monotonic_cst=RISES, random_state=0),
                tw.RandomForestClassifier(monotonic_cst=RISES, **few),
                tw.ExtraTreesClassifier(monotonic_cst=RISES, **few),
                tw.BaggingClassifier(tree, **few),
                tw.AdaBoostClassifier(tree, **few),
                tw.GradientBoostingClassifier(monotonic_cst=RISES, **few),
                tw.HistGradientBoostingClassifier(monotonic_cst=RISES, max_iter=5),
            ]
        )
    )
    given = {"calibrate": data.draw(CALIBRATIONS), "class_weight": data.draw(WEIGHTS)}
    given["cost_matrix"] = data.draw(st.sampled_from(COSTS))
    if given["class_weight"] is not None and given["calibrate"] is None:
        given["calibrate"] = "shares"
    known = model.get_params(deep=False)
    if "class_weight" not in known and given["calibrate"] == "shares":
        given["calibrate"] = None
    model = model.__class__(**known | {name: given[name] for name in given if name in known})
    fit_and_check(model, seed)


@given(data=st.data(), seed=SEEDS)
@settings(examples(1))
def test_regression_stays_monotone(data: st.DataObject, seed: int) -> None:
    few = {"monotonic_cst": RISES, "n_estimators": 5, "random_state": 0}
    pruned = [each.name for each in PRUNERS if each.for_numbers and each.name != "chi_square"]
    model = data.draw(
        st.sampled_from(
            [
                *(tw.DecisionTreeRegressor(monotonic_cst=RISES, prune=each) for each in pruned),
                tw.DecisionTreeRegressor(
                    monotonic_cst=RISES, criterion="absolute_error", nominal="one_vs_rest"
                ),
                tw.RandomForestRegressor(**few),
                tw.ExtraTreesRegressor(**few),
                tw.AdaBoostRegressor(tw.DecisionTreeRegressor(monotonic_cst=RISES), n_estimators=5),
                *(
                    tw.GradientBoostingRegressor(loss=loss, **few)
                    for loss in ("squared_error", "absolute_error", "huber")
                ),
            ]
        )
    )
    fit_and_check(model, seed, of_numbers=True)
