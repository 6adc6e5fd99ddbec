"""Lines in the leaves of boosted trees."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import ModelFormatError, ParameterError, UnsupportedError

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(3000, 3))
VALUES = np.where(X[:, 0] > 0.3, 3 * X[:, 1] + X[:, 0], -2 * X[:, 1]) + RANDOM.normal(size=3000) / 9
CLASSES = np.where(VALUES > 0, "up", "down")


def mixed(n_rows: int) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "x": RANDOM.normal(size=n_rows),
            "whole": RANDOM.integers(0, 400, n_rows),
            "day": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(RANDOM.integers(0, 900, n_rows), unit="D"),
            "huge": RANDOM.integers(0, 2**12, n_rows).astype(np.uint64) * np.uint64(2**52),
            "kind": RANDOM.choice(list("abc"), n_rows),
        }
    )
    frame.loc[RANDOM.random(n_rows) < 0.1, "x"] = np.nan
    frame.loc[RANDOM.random(n_rows) < 0.05, "x"] = np.inf
    frame.loc[RANDOM.random(n_rows) < 0.1, "day"] = pd.NaT
    return frame


def values_of(frame: pd.DataFrame) -> Any:
    x = frame["x"].replace(np.inf, 0.0).fillna(0.5)
    days = (frame["day"] - pd.Timestamp("2020-01-01")).dt.days.fillna(0)
    trend = np.where(frame["kind"] == "a", days / 300, -days / 500)
    return x * (frame["whole"] / 200) + trend + frame["huge"].astype(float) / 2**62


@pytest.mark.parametrize(("max_leaf_nodes", "share"), [(4, 0.6), (31, 0.8)])
def test_lines_explain_piecewise_linear_targets_better_than_constants(
    max_leaf_nodes: int, share: float
) -> None:
    more = RANDOM.normal(size=(8000, 3))
    y = np.where(more[:, 0] > 0.3, 3 * more[:, 1] + more[:, 0], -2 * more[:, 1])
    errors = {}
    for leaf in ("constant", "linear"):
        model = tw.GradientBoostingRegressor(
            n_estimators=100,
            max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=20,
            max_features=1.0,
            leaf_model=leaf,
        )
        model.fit(more[:4000], y[:4000])
        errors[leaf] = np.mean((model.predict(more[4000:]) - y[4000:]) ** 2)
    assert errors["linear"] < share * errors["constant"]


def test_one_round_without_penalty_finds_the_lines() -> None:
    y = np.where(X[:, 0] > 0.3, 7.0 + 2 * X[:, 0], 1.0 - X[:, 0])
    options: dict[str, Any] = {
        "n_estimators": 1,
        "learning_rate": 1.0,
        "l2_regularization": 0.0,
        "linear_l2": 0.0,
        "max_features": 1.0,
    }
    model = tw.GradientBoostingRegressor(leaf_model="linear", max_leaf_nodes=8, **options).fit(X, y)
    # One bin holds rows of both sides; in all other leaves the line is exact.
    assert np.quantile(np.abs(model.predict(X) - y), 0.98) < 1e-6


def test_numbers_that_are_missing_or_infinite_stand_at_the_mean() -> None:
    model = tw.GradientBoostingRegressor(leaf_model="linear", n_estimators=5).fit(X, VALUES)
    for tree in model.ensemble_:
        assert tree.linear is not None
        for leaf in np.flatnonzero(np.diff(tree.linear.start)):
            line = tree.linear.model(int(leaf))
            assert line is not None
            at_mean = line.intercept + np.dot(line.coefficients, line.fills)
            assert at_mean == pytest.approx(tree.arrays.value[leaf, 0], abs=1e-9)
    strange = np.array([[np.inf, 0.1, 0.2], [-np.inf, 0.1, 0.2], [np.nan, np.nan, np.nan]])
    assert np.isfinite(model.predict(strange)).all()


def test_a_line_adds_no_more_than_it_did_in_training() -> None:
    model = tw.GradientBoostingRegressor(leaf_model="linear").fit(X, VALUES)
    far = X[:200].copy()
    far[:, 1] *= 1e6
    assert np.abs(model.predict(far)).max() < 5 * np.abs(VALUES).max()


def test_trees_alone_stages_batches_and_copies_tell_the_same() -> None:
    frame = mixed(3000)
    y = values_of(frame)
    model = tw.GradientBoostingRegressor(leaf_model="linear", n_estimators=8).fit(frame, y)
    table = model._table(frame)
    scores = model.ensemble_.scores(table)
    added = np.tile(model.ensemble_.base, (len(frame), 1))
    for tree in model.ensemble_:
        added += tree.plan.answers(table)
    assert added == pytest.approx(scores, abs=1e-6)
    assert {model.ensemble_.schema.names[i] for i in model.ensemble_[0].linear.columns} <= {
        "x",
        "whole",
        "day",
        "huge",
    }
    alone = [model.predict(frame.iloc[[row]])[0] for row in range(0, 3000, 211)]
    assert alone == model.predict(frame)[::211].tolist()
    stages = list(model.staged_predict(frame))
    assert (stages[-1] == model.predict(frame)).all()
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict(frame) == model.predict(frame)).all()


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_lines_do_not_depend_on_the_number_of_threads(n_classes: int) -> None:
    frame = mixed(20_000)
    y = values_of(frame)
    made: Any = tw.GradientBoostingRegressor
    if n_classes:
        made, y = tw.GradientBoostingClassifier, pd.qcut(y, n_classes, labels=False)
    models = [
        made(leaf_model="linear", n_estimators=3, subsample=0.8, n_jobs=n_jobs).fit(frame, y)
        for n_jobs in (1, 2, 3)
    ]
    assert len({pickle.dumps(model.ensemble_) for model in models}) == 1
    assert models[0].ensemble_.has_lines


@pytest.mark.parametrize("loss", ["squared_error", "huber", "poisson", "gamma", "tweedie"])
def test_every_loss_with_curvature_takes_lines(loss: str) -> None:
    y = np.exp(VALUES / 3)
    losses = {}
    for leaf in ("constant", "linear"):
        model = tw.GradientBoostingRegressor(
            loss=loss,
            leaf_model=leaf,
            n_estimators=20,
            early_stopping=True,
            validation_fraction=None,
        )
        losses[leaf] = model.fit(X, y).rounds_[-1].train_loss
    assert losses["linear"] < losses["constant"]


@pytest.mark.parametrize(
    "loss", ["log_loss", "exponential", lambda y, score: (score - y, 1 + 0 * y)]
)
def test_classes_and_given_losses_take_lines(loss: Any) -> None:
    constant, linear = (
        tw.GradientBoostingClassifier(loss=loss, leaf_model=leaf, n_estimators=20, max_leaf_nodes=4)
        .fit(X[:2000], CLASSES[:2000])
        .score(X[2000:], CLASSES[2000:])
        for leaf in ("constant", "linear")
    )
    assert linear > constant


def test_rows_that_weigh_nothing_change_nothing() -> None:
    more = np.vstack([X, 1e3 * X[:50]])
    options: dict[str, Any] = {"leaf_model": "linear", "n_estimators": 5, "row_sampling": "goss"}
    weight = np.r_[np.ones(3000), np.zeros(50)]
    for y in (VALUES, CLASSES):
        made = tw.GradientBoostingRegressor if y is VALUES else tw.GradientBoostingClassifier
        own = {key: options[key] for key in ("leaf_model", "n_estimators")}
        with_them = made(**own).fit(more, np.r_[y, y[:50]], sample_weight=weight)
        without = made(**own).fit(X, y)
        table = without._table(X)
        assert with_them.ensemble_.scores(table) == pytest.approx(
            without.ensemble_.scores(table), abs=1e-6
        )
    drawn = tw.GradientBoostingRegressor(subsample=0.1, **options).fit(X, VALUES)
    assert drawn.score(X, VALUES) > 0.5


def test_a_warm_start_may_change_the_leaves() -> None:
    model = tw.GradientBoostingRegressor(n_estimators=5, warm_start=True, max_leaf_nodes=4)
    model.fit(X, VALUES)
    before = model.predict(X)
    assert not model.ensemble_.has_lines
    model.set_params(n_estimators=40, leaf_model="linear").fit(X, VALUES)
    assert model.ensemble_.has_lines
    assert (next(iter(model.ensemble_.first(5))).linear) is None
    assert (list(model.staged_predict(X))[4] == before).all()
    assert np.mean((model.predict(X) - VALUES) ** 2) < 0.3 * np.mean((before - VALUES) ** 2)


def test_columns_that_say_the_same_share_no_slope() -> None:
    twice = np.column_stack([X, X[:, 1]])
    options: dict[str, Any] = {
        "leaf_model": "linear",
        "linear_l2": 0.0,
        "n_estimators": 10,
        "min_samples_leaf": 20,
        "max_features": 1.0,
    }
    model = tw.GradientBoostingRegressor(**options).fit(twice, VALUES)
    plain = tw.GradientBoostingRegressor(**options).fit(X, VALUES)
    assert model.predict(twice) == pytest.approx(plain.predict(X), abs=1e-6)


def test_what_lines_cannot_do_is_refused_by_name() -> None:
    linear: dict[str, Any] = {"leaf_model": "linear", "n_estimators": 2}
    with pytest.raises(
        UnsupportedError, match="leaf_model='linear' cannot be used with monotonic_cst"
    ):
        tw.GradientBoostingRegressor(monotonic_cst=[1, 0, 0], **linear).fit(X, VALUES)
    for loss in ("absolute_error", "quantile"):
        with pytest.raises(UnsupportedError, match=f"loss='{loss}' has no curvature"):
            tw.GradientBoostingRegressor(loss=loss, **linear).fit(X, VALUES)
    with pytest.raises(
        ParameterError, match="leaf_model='lines' must be one of 'constant', 'linear'"
    ):
        tw.GradientBoostingClassifier(leaf_model="lines").fit(X, CLASSES)
    with pytest.raises(ParameterError, match="linear_l2=-1 must be at least 0"):
        tw.GradientBoostingRegressor(linear_l2=-1).fit(X, VALUES)


@pytest.mark.parametrize(
    ("part", "damage"),
    [
        ("line_start", lambda given: given[:-1]),
        ("line_start", lambda given: given[::-1].copy()),
        ("line_column", lambda given: given + np.uint32(9)),
        ("line_coefficient", lambda given: given[1:]),
        ("line_center", lambda given: given * np.nan),
        ("line_limits", lambda given: given[::-1, ::-1].copy()),
    ],
)
def test_damaged_lines_are_not_loaded(part: str, damage: Any) -> None:
    ensemble = (
        tw.GradientBoostingRegressor(leaf_model="linear", n_estimators=1).fit(X, VALUES).ensemble_
    )
    state = ensemble.__getstate__()
    trees = state["trees"]
    given = trees[part].reshape(-1, 2) if part == "line_limits" else trees[part]
    trees[part] = damage(given).reshape(-1)
    trees[f"{part}_size"] = np.array([trees[part].size])  # of the one tree: the core has to see it
    with pytest.raises(ModelFormatError, match="trees of a boosted model are damaged"):
        ensemble.__setstate__(state)
