"""Statements about gradient boosting that hold for every table."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.boosting import boost
from sklearn.base import clone

import treewright as tw

MAY_HAVE_NO_SPLIT = "ignore::treewright.errors.NoSplitWarning"  # of a few rows
OPTIONS: list[dict[str, Any]] = [
    {},
    {"subsample": 0.5},
    {"row_sampling": "goss", "subsample": 0.2},
    {"leaf_model": "linear"},
    {"loss": "huber"},
    {"loss": "absolute_error"},
    {"early_stopping": True},
]


def logistic(score: float, y: float) -> tuple[float, float]:
    p = 1 / (1 + math.exp(-score))
    return p - y, p * (1 - p)


@st.composite
def numbers(draw: st.DrawFn) -> tuple[Any, Any]:
    n_rows, n_columns = draw(st.integers(6, 50)), draw(st.integers(1, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = random.normal(size=(n_rows, n_columns))
    if draw(st.booleans()):
        X = np.round(X)
    X[random.random(X.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    return X, random.normal(size=n_rows)


def check_squared_error(
    table: tuple[Any, Any], *, max_leaves: int, min_leaf: int, l2: float, line_l2: float | None
) -> None:
    """Compare three rounds with the oracle's; with `line_l2`, leaves have lines."""
    X, y = table
    lines: dict[str, Any] = (
        {} if line_l2 is None else {"leaf_model": "linear", "linear_l2": line_l2}
    )
    model = tw.GradientBoostingRegressor(
        n_estimators=3,
        max_leaf_nodes=max_leaves,
        min_samples_leaf=min_leaf,
        l2_regularization=l2,
        learning_rate=0.5,
        max_features=1.0,
        **lines,
    ).fit(X, y)
    expected = boost(
        X.tolist(),
        y.tolist(),
        derivatives=lambda score, value: (score - value, 1.0),
        start=float(y.mean()),
        n_rounds=3,
        rate=0.5,
        max_leaves=max_leaves,
        min_leaf=min_leaf,
        l2=l2,
        line_l2=line_l2,
    )
    assert model.predict(X) == pytest.approx(expected, abs=1e-6)


@pytest.mark.filterwarnings(MAY_HAVE_NO_SPLIT)
@given(
    table=numbers(),
    max_leaves=st.integers(2, 6),
    min_leaf=st.integers(1, 4),
    l2=st.sampled_from([0.0, 1.0]),
)
@settings(max_examples=150, deadline=None)
def test_squared_error_is_boosted_as_the_oracle_does(
    table: tuple[Any, Any], max_leaves: int, min_leaf: int, l2: float
) -> None:
    check_squared_error(table, max_leaves=max_leaves, min_leaf=min_leaf, l2=l2, line_l2=None)


@st.composite
def sparse_numbers(draw: st.DrawFn) -> tuple[Any, Any]:
    """So many columns that are mostly of one value that only their other cells are listed."""
    n_rows, n_columns = draw(st.integers(60, 120)), draw(st.integers(45, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = np.full((n_rows, n_columns), draw(st.sampled_from([0.0, -7.0, 9.0, np.nan])))
    is_away = random.random(X.shape) < 0.1
    X[is_away] = random.normal(size=is_away.sum())
    return X, np.nansum(X[:, :5], axis=1) + random.normal(size=n_rows)


@pytest.mark.filterwarnings(MAY_HAVE_NO_SPLIT)
@given(table=sparse_numbers(), max_leaves=st.integers(2, 8), min_leaf=st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_sparse_columns_are_boosted_as_the_oracle_does(
    table: tuple[Any, Any], max_leaves: int, min_leaf: int
) -> None:
    check_squared_error(table, max_leaves=max_leaves, min_leaf=min_leaf, l2=0.5, line_l2=None)


@pytest.mark.filterwarnings(MAY_HAVE_NO_SPLIT)
@given(
    table=numbers(),
    max_leaves=st.integers(2, 6),
    min_leaf=st.integers(1, 5),
    line_l2=st.sampled_from([0.3, 2.0]),
)
@settings(max_examples=150, deadline=None)
def test_lines_in_leaves_are_those_of_the_oracle(
    table: tuple[Any, Any], max_leaves: int, min_leaf: int, line_l2: float
) -> None:
    check_squared_error(table, max_leaves=max_leaves, min_leaf=min_leaf, l2=0.5, line_l2=line_l2)


@pytest.mark.filterwarnings(MAY_HAVE_NO_SPLIT)
@given(table=numbers(), max_leaves=st.integers(2, 5))
@settings(max_examples=100, deadline=None)
def test_log_loss_is_boosted_as_the_oracle_does(table: tuple[Any, Any], max_leaves: int) -> None:
    X, values = table
    y = (values > np.median(values)).astype(int)
    y[:2] = [0, 1]
    model = tw.GradientBoostingClassifier(
        n_estimators=2,
        max_leaf_nodes=max_leaves,
        min_samples_leaf=2,
        l2_regularization=0.5,
        min_hessian=0.0,
        learning_rate=0.1,
        max_features=1.0,
    ).fit(X, y)
    share = y.mean()
    expected = boost(
        X.tolist(),
        y.tolist(),
        derivatives=logistic,
        start=math.log(share / (1 - share)),
        n_rounds=2,
        rate=0.1,
        max_leaves=max_leaves,
        min_leaf=2,
        l2=0.5,
    )
    # Classes give many splits of exactly equal gain: the scores then differ, the loss does not.
    mine = model.decision_function(X)
    loss = [np.logaddexp(0, scores) - y * scores for scores in (mine, np.array(expected))]
    assert loss[0].mean() == pytest.approx(loss[1].mean(), rel=2e-2)


def mixed(n_rows: int, seed: int) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": random.normal(size=n_rows),
            "whole": random.integers(0, 400, n_rows),
            "kind": random.choice(list("abcdefgh"), n_rows),
            "many": random.integers(0, 700, n_rows).astype(str),
            "one": random.integers(0, 50, n_rows) == 0,
            "other": random.integers(0, 50, n_rows) == 1,
        }
    )
    X.loc[random.random(n_rows) < 0.1, "x"] = np.nan
    X.loc[random.random(n_rows) < 0.1, "kind"] = None
    y = (
        X["x"].fillna(1.0)
        + X["kind"].isin(["a", "c"])
        + (X["whole"] > 200)
        + random.normal(size=n_rows)
    )
    return X, y


@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")
@pytest.mark.parametrize("n_classes", [0, 2, 4])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"growth": "depth_wise", "max_depth": 3},
        {"subsample": 0.5, "features_per_tree": 0.7, "max_features": 0.7},
        {"row_sampling": "goss", "subsample": 0.2},
    ],
)
def test_the_model_does_not_depend_on_the_number_of_threads(
    n_classes: int, options: dict[str, Any]
) -> None:
    X, values = mixed(20_000, 1)
    y = values if n_classes == 0 else pd.qcut(values, n_classes, labels=False)
    made = tw.GradientBoostingRegressor if n_classes == 0 else tw.GradientBoostingClassifier
    models = [
        made(n_estimators=4, n_jobs=n_jobs, random_state=3, **options).fit(X, y)
        for n_jobs in (1, 2, 3, 4)
    ]
    first = pickle.dumps(models[0].ensemble_)
    answers = models[0].predict(X)
    for model in models[1:]:
        assert pickle.dumps(model.ensemble_) == first
        assert (model.predict(X) == answers).all()


@pytest.mark.parametrize(
    "options", [{}, {"max_features": 0.1, "subsample": 0.5}, {"min_samples_leaf": 400}]
)
def test_a_model_of_a_broad_table_does_not_depend_on_the_number_of_threads(
    options: dict[str, Any],
) -> None:
    """Threads share the blocks of hundreds of columns."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2_000, 300))
    X[random.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 1] * X[:, 2] + X[:, 250]) + random.normal(size=len(X)) > 0
    models = [
        tw.GradientBoostingClassifier(n_estimators=4, n_jobs=n, random_state=3, **options).fit(X, y)
        for n in (1, 2, 3)
    ]
    first = pickle.dumps(models[0].ensemble_)
    assert all(pickle.dumps(model.ensemble_) == first for model in models)


@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_batches_single_rows_trees_and_leaves_tell_the_same(n_classes: int) -> None:
    X, values = mixed(3_000, 2)
    y = values if n_classes == 0 else pd.qcut(values, n_classes, labels=False)
    made = tw.GradientBoostingRegressor if n_classes == 0 else tw.GradientBoostingClassifier
    model = made(n_estimators=5, min_samples_leaf=5).fit(X, y)
    ensemble = model.ensemble_
    table = model._table(X)
    scores = ensemble.scores(table)
    alone = np.vstack([ensemble.scores(model._table(X.iloc[[row]])) for row in range(0, 3000, 97)])
    assert (alone == scores[::97]).all()
    # The trees as trees of values, which validate and are led down by another engine.
    width, added = scores.shape[1], np.tile(ensemble.base, (len(X), 1))
    leaves = model.apply(X).reshape(len(X), -1)
    for index, tree in enumerate(ensemble):
        tree.arrays.validate(ensemble.schema)
        assert (tree.plan.apply(table) == leaves[:, index]).all()
        added[:, index % width] += tree.arrays.value[leaves[:, index], 0]
    assert (added == scores).all()
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.ensemble_.scores(table) == scores).all()


@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.sampled_from([0, 2, 3]),
    options=st.sampled_from(OPTIONS[:-1]),  # rows to stop by are held out by their position
    is_weighted=st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_the_order_of_the_rows_does_not_matter(
    seed: int, n_classes: int, options: dict[str, Any], is_weighted: bool
) -> None:
    random = np.random.default_rng(seed)
    X, values = random.normal(size=(300, 3)).round(1), random.normal(size=300).round(1)
    n_classes = 0 if "loss" in options else n_classes
    y = values if n_classes == 0 else random.integers(0, n_classes, 300)
    made = tw.GradientBoostingRegressor if n_classes == 0 else tw.GradientBoostingClassifier
    order = random.permutation(300)
    weight = random.choice([0.5, 1.0, 1.5], 300) if is_weighted else np.ones(300)
    model = made(n_estimators=6, min_samples_leaf=5, random_state=2, **options)
    models = [clone(model).fit(X[rows], y[rows], weight[rows]) for rows in (np.arange(300), order)]
    scores = [model.ensemble_.scores(model._table(X)) for model in models]
    assert scores[1] == pytest.approx(scores[0], abs=1e-9)


def boosted(
    seed: int, n_classes: int, options: dict[str, Any], weight: Any, rows: Any = None
) -> Any:
    """Return the scores of a small table, boosted with weights."""
    random = np.random.default_rng(seed)
    X, values = random.normal(size=(80, 3)).round(1), random.normal(size=80).round(1)
    n_classes = 0 if "loss" in options else n_classes
    y = values if n_classes == 0 else random.permutation(np.arange(80) % n_classes)
    made = tw.GradientBoostingRegressor if n_classes == 0 else tw.GradientBoostingClassifier
    rows = np.arange(80) if rows is None else rows
    model = made(n_estimators=6, min_samples_leaf=5, min_hessian=0.1, random_state=2, **options)
    model.fit(X[rows], y[rows], None if weight is None else weight[rows])
    return model.ensemble_.scores(model._table(X))


@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.sampled_from([0, 2, 3]),
    options=st.sampled_from(OPTIONS),
    factor=st.sampled_from([0.1, 3.0, 1e-6, 1e6, 2.0**40]),
)
@settings(max_examples=60, deadline=None)
def test_only_the_ratios_of_weights_matter(
    seed: int, n_classes: int, options: dict[str, Any], factor: float
) -> None:
    weight = np.random.default_rng(seed).choice([0.0, 0.3, 1.0, 2.0], 80, p=[0.1, 0.3, 0.3, 0.3])
    plain = boosted(seed, n_classes, options, weight)
    assert np.array_equal(boosted(seed, n_classes, options, factor * weight), plain)
    left = np.flatnonzero(weight)
    assert np.array_equal(boosted(seed, n_classes, options, weight, left), plain)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.sampled_from([0, 2, 3]),
    options=st.sampled_from(OPTIONS),
    size=st.sampled_from([0.1, 10.0, 1e-6, 1e6, 2.0**40]),
)
@settings(max_examples=40, deadline=None)
def test_equal_weights_are_none(
    seed: int, n_classes: int, options: dict[str, Any], size: float
) -> None:
    plain = boosted(seed, n_classes, options, None)
    assert np.array_equal(boosted(seed, n_classes, options, np.full(80, size)), plain)


@given(seed=st.integers(0, 2**32 - 1), loss=st.sampled_from(["squared_error", "poisson"]))
@settings(max_examples=25, deadline=None)
def test_weights_are_copies_where_nothing_counts_rows_or_penalizes(seed: int, loss: str) -> None:
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(60, 3)), random.exponential(size=60)
    weight = random.integers(0, 4, 60)
    weight[:6] = 1
    rows = np.repeat(np.arange(60), weight)
    options = {"min_samples_leaf": 1, "min_hessian": 0.0, "l2_regularization": 0.0}
    model = tw.GradientBoostingRegressor(
        n_estimators=4, max_leaf_nodes=4, max_features=1.0, loss=loss, **options
    )
    weighed = model.fit(X, y, sample_weight=weight).predict(X)
    # Weights have 24 bits, gradients not many more.
    assert model.fit(X[rows], y[rows]).predict(X) == pytest.approx(weighed, rel=1e-5)


@given(
    seed=st.integers(0, 2**32 - 1),
    sign=st.sampled_from([-1, 1]),
    loss=st.sampled_from(["squared_error", "absolute_error", "quantile", "huber"]),
    is_weighted=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_answers_follow_monotonic_constraints(
    seed: int, sign: int, loss: str, is_weighted: bool
) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(200, 2))
    y = random.normal(size=200) + np.sin(3 * X[:, 0])
    weight = random.integers(0, 4, 200) * 0.7 if is_weighted else None
    model = tw.GradientBoostingRegressor(
        n_estimators=20, min_samples_leaf=3, monotonic_cst=[sign, 0], loss=loss
    ).fit(X, y, sample_weight=weight)
    for other in (-1.0, 0.3):
        line = np.column_stack([np.linspace(-3, 3, 300), np.full(300, other)])
        assert (np.diff(model.predict(line)) * sign >= 0).all()


def test_a_path_asks_only_columns_that_may_meet() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]
    model = tw.GradientBoostingRegressor(n_estimators=10, interaction_cst=[{0, 2}]).fit(X, y)
    for tree in model.ensemble_:
        arrays = tree.arrays
        for leaf in np.flatnonzero(arrays.n_branches == 0):
            asked, node = set(), arrays.parent[leaf]
            while node >= 0:
                asked.add(int(arrays.column[node]))
                node = arrays.parent[node]
            assert asked <= {0, 2} or asked <= {1, 3}
