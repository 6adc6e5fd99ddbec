"""What must not depend on how a table is written: by hypothesis, for every estimator."""

import json
from functools import partial
from typing import Any

import numpy as np
import pytest
from every_estimator import ESTIMATORS, trees_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import is_classifier

from treewright import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

pytestmark = pytest.mark.filterwarnings("ignore::treewright.errors.TreewrightWarning")
SEEDS = st.integers(0, 2**32 - 1)
N_ROWS = 40


def target(made: Any, generator: np.random.Generator, signal: Any) -> Any:
    noisy = signal + generator.normal(size=len(signal))
    return np.where(noisy > np.median(noisy), "b", "a") if is_classifier(made()) else noisy


def answers(model: Any, X: Any) -> Any:
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@pytest.mark.parametrize("made", ESTIMATORS)
@given(seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_integers_are_the_floats_of_equal_value(made: Any, seed: int) -> None:
    generator = np.random.default_rng(seed)
    whole = generator.integers(-4, 9, size=(N_ROWS, 3))
    y = target(made, generator, whole[:, 0])
    asked = generator.integers(-10, 25, size=(50, 3)) / 2
    first, second = made().fit(whole, y), made().fit(whole.astype(float), y)
    assert np.array_equal(answers(first, asked), answers(second, asked))
    if hasattr(first, "text"):
        assert first.text() == second.text()
    small = made().fit(whole.astype(np.int8), y)  # which float32 holds
    assert np.array_equal(answers(small, asked), answers(second, asked))


STRANGE = (2**53 + 1, 2**62 + 1, -(2**53) - 1, 2**63 - 1)


@pytest.mark.parametrize("made", ESTIMATORS)
@given(seed=SEEDS, gaps=st.booleans())
@settings(max_examples=5, deadline=None)
def test_whole_numbers_of_weight_zero_are_as_if_absent(made: Any, seed: int, gaps: bool) -> None:
    generator = np.random.default_rng(seed)
    whole = generator.integers(-4, 9, size=(N_ROWS, 3))
    y = target(made, generator, whole[:, 0])
    absent = generator.random(N_ROWS) < 0.2
    absent[:2] = True, False
    whole[absent] = generator.choice(STRANGE, size=(absent.sum(), 3))
    X = {
        str(i): [None if gaps and generator.random() < 0.1 else int(v) for v in whole[:, i]]
        for i in range(3)
    }
    left = {name: [v for v, gone in zip(X[name], absent, strict=True) if not gone] for name in X}
    first = made().fit(X, y, sample_weight=(~absent).astype(float))
    second = made().fit(left, y[~absent])
    for tree, other in zip(trees_of(first), trees_of(second), strict=True):
        assert tree.arrays.equals(other.arrays)
        assert tree.text() == other.text()


# Policies that take a gap for unknown do not ask whether there is one (C4.5, ID3, CART, M5); CHAID
# has its own tests, and a sum of columns that has a gap is a gap.
# Draws of rows depend on their content, and so do folds, so that all rows are taken, and as many
# rounds as are asked for.
ALL_ROWS = {"bootstrap": False, "max_features": None, "n_estimators": 3}
ASKS_FOR_GAPS: list[Any] = [
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    partial(RandomForestClassifier, **ALL_ROWS),
    partial(RandomForestRegressor, **ALL_ROWS),
    partial(ExtraTreesClassifier, **ALL_ROWS),
    partial(ExtraTreesRegressor, **ALL_ROWS),
    partial(BaggingClassifier, bootstrap=False, n_estimators=3),
    partial(BaggingRegressor, bootstrap=False, n_estimators=3),
    partial(AdaBoostClassifier, n_estimators=5),
    partial(AdaBoostRegressor, n_estimators=5, resample=False),
    partial(GradientBoostingClassifier, n_estimators=10),
    partial(GradientBoostingRegressor, n_estimators=10),
]


@pytest.mark.parametrize("made", ASKS_FOR_GAPS)
@given(seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_a_flag_of_gaps_says_what_a_column_of_0_and_1_says(made: Any, seed: int) -> None:
    generator = np.random.default_rng(seed)
    is_given = generator.random(N_ROWS) < 0.6
    other = generator.normal(size=N_ROWS)
    y = target(made, generator, 3.0 * is_given)
    flags = {1.0: [1.0, None], "yes": ["yes", None]}
    if "Gradient" in str(made):
        del flags["yes"]  # categories are smoothed
    numbers = made().fit({"flag": (~is_given).astype(float), "x": other}, y)
    expected = answers(numbers, {"flag": [0.0, 1.0], "x": [0.0, 0.0]})
    for word, asked in flags.items():
        column = [word if each else None for each in is_given]
        gaps = made().fit({"flag": column, "x": other}, y)
        told = answers(gaps, {"flag": asked, "x": [0.0, 0.0]})
        assert told == pytest.approx(expected, rel=1e-9)


MONOTONE = [each for each in ESTIMATORS if "monotonic_cst" in each().get_params()]
MONOTONE += [partial(DecisionTreeRegressor, criterion="absolute_error")]
MONOTONE += [partial(RandomForestRegressor, 5, criterion="absolute_error")]


@pytest.mark.parametrize("made", MONOTONE)
@given(seed=SEEDS, direction=st.sampled_from([-1, 1]), is_weighted=st.booleans())
@settings(max_examples=15, deadline=None)
def test_monotone_is_monotone_to_the_last_bit(
    made: Any, seed: int, direction: int, is_weighted: bool
) -> None:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(N_ROWS, 2)).round(1)
    y = target(made, generator, X[:, 0])
    weight = generator.random(N_ROWS) + 0.01 if is_weighted else None
    model = made(monotonic_cst=[direction, 0]).fit(X, y, sample_weight=weight)
    line = np.linspace(-3.0, 3.0, 60)
    for second in (-1.0, 0.0, 1.0):
        told = answers(model, np.column_stack([line, np.full(60, second)]))
        told = told[:, 1] if told.ndim == 2 else told
        assert (direction * np.diff(told) >= 0).all()


LINES = partial(DecisionTreeRegressor, leaf_model="linear", min_samples_leaf=10)
STOPPED = [
    partial(made, n_estimators=20, early_stopping=True, validation_fraction=0.3)
    for made in (GradientBoostingClassifier, GradientBoostingRegressor)
]


@pytest.mark.parametrize("made", [*ESTIMATORS, LINES, *STOPPED])
@given(seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_the_order_of_rows_does_not_show(made: Any, seed: int) -> None:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(N_ROWS, 3))
    X[:, 2] = X[:, 2].round()
    y = target(made, generator, X @ [1.0, 0.3, 0.5])
    order = generator.permutation(N_ROWS)
    asked = generator.normal(size=(50, 3))
    seeded = {"random_state": 0} if "random_state" in made().get_params() else {}
    first = made(**seeded).fit(X, y)
    second = made(**seeded).fit(X[order], y[order])
    assert answers(first, asked).tobytes() == answers(second, asked).tobytes()


@pytest.mark.parametrize("made", ESTIMATORS)
@given(seed=SEEDS)
@settings(max_examples=3, deadline=None)
def test_a_tree_as_a_dictionary_is_json(made: Any, seed: int) -> None:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=N_ROWS)
    table = {
        "x": np.where(generator.random(N_ROWS) < 0.2, np.nan, x),
        "whole": generator.integers(0, 4, N_ROWS),
        "huge": generator.integers(0, 4, N_ROWS) + 2**60,
        "endless": np.where(generator.random(N_ROWS) < 0.2, np.inf, -x),
        "word": [
            None if each < 1 else "abc"[each - 1] for each in generator.integers(0, 4, N_ROWS)
        ],
        "day": np.datetime64("2024-02-28") + generator.integers(0, 9, N_ROWS),
        "flag": x > 0.5,
    }
    model = made().fit(table, target(made, generator, x))
    for tree in trees_of(model):
        described = tree.to_dict()
        assert json.loads(json.dumps(described, allow_nan=False)) == described
