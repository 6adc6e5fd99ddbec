"""Intervals of every regressor and sets of every classifier: shapes, promises, what is kept."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from every_estimator import CLASSIFIERS, REGRESSORS
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge

import treewright as tw
from treewright.errors import DataError, ParameterError, UnsupportedError


def made(n_rows: int = 150, seed: int = 0) -> tuple[Any, Any, Any]:
    """Return a table of a number, a name and gaps, numbers and classes."""
    random = np.random.default_rng(seed)
    x = random.normal(size=n_rows).round(2)
    shop = random.choice(["north", "south"], size=n_rows)
    gaps = np.where(random.uniform(size=n_rows) < 0.1, np.nan, random.uniform(size=n_rows).round(2))
    y = x + (shop == "south") + 0.3 * random.normal(size=n_rows)
    return (
        {"x": x, "shop": shop, "gaps": gaps},
        y,
        np.array(["a", "b", "c"])[np.digitize(y, [-0.3, 0.9])],
    )


X, Y, LABELS = made()
NEW = made(40, seed=1)[0]
IDS = {"ids": lambda each: each.__name__}


@pytest.mark.parametrize("make", REGRESSORS, **IDS)
def test_intervals_of_every_regressor(make: Any) -> None:
    model = make().fit(X, Y)
    ends = model.predict_interval(NEW, 0.8)
    assert ends.shape == (40, 2)
    assert np.all(ends[:, 0] <= ends[:, 1])
    wider = model.predict_interval(NEW, 0.95)
    assert np.mean(wider[:, 1] - wider[:, 0]) > np.mean(ends[:, 1] - ends[:, 0])
    inside = (wider[:, 0] <= model.predict(NEW)) & (model.predict(NEW) <= wider[:, 1])
    assert inside.mean() > 0.9
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.predict_interval(NEW, 0.8), ends)
    np.testing.assert_array_equal(make().fit(X, Y).predict_interval(NEW, 0.8), ends)


@pytest.mark.parametrize("make", CLASSIFIERS, **IDS)
def test_sets_of_every_classifier(make: Any) -> None:
    model = make().fit(X, LABELS)
    sets = model.predict_set(NEW, 0.8)
    assert sets.shape == (40, 3)
    assert sets.dtype == bool
    assert np.all(sets <= model.predict_set(NEW, 0.95))
    assert model.predict_set(NEW, 1.0).all()
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.predict_set(NEW, 0.8), sets)
    np.testing.assert_array_equal(make().fit(X, LABELS).predict_set(NEW, 0.8), sets)


@pytest.mark.parametrize("make", REGRESSORS + CLASSIFIERS, **IDS)
def test_a_loaded_model_asks_for_its_rows_once(make: Any) -> None:
    model = make()
    numbers = make in REGRESSORS
    target = Y if numbers else LABELS
    name = "predict_interval" if numbers else "predict_set"
    model.fit(X, target)
    loaded = pickle.loads(pickle.dumps(model))
    with pytest.raises(
        DataError, match=r"no longer has its training rows.*\n.*X_train and y_train"
    ):
        getattr(loaded, name)(NEW)
    again = getattr(loaded, name)(NEW, X_train=X, y_train=target)
    np.testing.assert_array_equal(again, getattr(model, name)(NEW))
    np.testing.assert_array_equal(again, getattr(loaded, name)(NEW))


@pytest.mark.parametrize("make", REGRESSORS + CLASSIFIERS, **IDS)
def test_rows_given_for_it_are_enough(make: Any) -> None:
    other, y, labels = made(120, seed=2)
    numbers = make in REGRESSORS
    model = make().fit(X, Y if numbers else LABELS)
    loaded = pickle.loads(pickle.dumps(model))
    loaded.conformalize(other, y if numbers else labels)
    name = "predict_interval" if numbers else "predict_set"
    assert np.shape(getattr(loaded, name)(NEW, 0.8)) == (40, 2 if numbers else 3)
    once_more = pickle.loads(pickle.dumps(loaded))
    np.testing.assert_array_equal(getattr(once_more, name)(NEW), getattr(loaded, name)(NEW))


def test_columns_added_to_the_table_after_fit_are_not_seen() -> None:
    frame = pd.DataFrame(X)
    model = tw.DecisionTreeRegressor(min_samples_leaf=5).fit(frame, Y)
    expected = clone(model).fit(frame.copy(), Y).predict_interval(NEW)
    frame["told"] = Y
    np.testing.assert_array_equal(model.predict_interval(NEW), expected)


@pytest.mark.parametrize("is_frame", [False, True])
def test_a_table_changed_in_place_is_refused(is_frame: bool) -> None:
    values = np.random.default_rng(0).normal(size=(60, 3))
    table: Any = pd.DataFrame(values, columns=["a", "b", "c"]) if is_frame else values
    y = values[:, 0] + values[:, 1]
    model = tw.DecisionTreeRegressor().fit(table, y)
    y *= 2
    with pytest.raises(DataError, match=r"changed in place since.*\n.*X_train and y_train"):
        model.predict_interval(table)


def test_groups_are_left_out_whole() -> None:
    random = np.random.default_rng(3)
    groups = np.repeat(np.arange(60), 5)
    person = np.repeat(random.normal(size=60), 5)
    table = np.c_[person, random.normal(size=300)]  # the first column names the person
    y = np.repeat(random.normal(size=60), 5) + 0.01 * random.normal(size=300)
    kind = tw.DecisionTreeRegressor
    alone = kind().fit(table, y).predict_interval(table, 0.9)
    together = kind().fit(table, y, groups=groups).predict_interval(table, 0.9)
    new_people = random.normal(size=(400, 2))
    truth = random.normal(size=400)
    low, high = kind().fit(table, y, groups=groups).predict_interval(new_people, 0.9).T
    assert np.mean((low <= truth) & (truth <= high)) > 0.8
    assert np.mean(np.diff(together)) > 5 * np.mean(np.diff(alone))


def test_by_a_column_that_the_model_need_not_use() -> None:
    random = np.random.default_rng(4)
    shop = random.choice(["calm", "wild"], size=800)
    x = random.uniform(size=800)
    y = x + np.where(shop == "calm", 0.1, 1.0) * random.normal(size=800)
    table = pd.DataFrame({"x": x, "shop": shop})
    for kind in (tw.DecisionTreeRegressor(min_samples_leaf=20), tw.RandomForestRegressor(20)):
        schema = tw.Schema(ignore=["shop"])
        model = clone(kind).set_params(schema=schema).fit(table[:400], y[:400])
        new = table[400:]
        low, high = model.predict_interval(new, 0.9, by="shop").T
        covered = (low <= y[400:]) & (y[400:] <= high)
        for name in ("calm", "wild"):
            assert 0.8 < covered[new["shop"] == name].mean() <= 0.98
        widths = (
            (high - low)[new["shop"] == "wild"].mean(),
            (high - low)[new["shop"] == "calm"].mean(),
        )
        assert widths[0] > 1.5 * widths[1]
        loaded = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(loaded.predict_interval(new, 0.9, by="shop")[:, 0], low)
        with pytest.raises(DataError, match="no row that the certainty was learned from has 'new'"):
            model.predict_interval(new.assign(shop="new"), by="shop")


def test_several_outputs() -> None:
    both = np.stack([Y, -3 * Y], axis=1)
    for kind in (tw.DecisionTreeRegressor(min_samples_leaf=5), tw.RandomForestRegressor(10)):
        ends = kind.fit(X, both).predict_interval(NEW, 0.8)
        assert ends.shape == (40, 2, 2)
        widths = np.diff(ends)[:, :, 0].mean(axis=0)
        assert widths[1] == pytest.approx(3 * widths[0], rel=0.05)
    labels = np.stack([LABELS, np.where(Y > 0, "up", "down")], axis=1)
    for kind in (tw.DecisionTreeClassifier(min_samples_leaf=5), tw.RandomForestClassifier(10)):
        sets = kind.fit(X, labels).predict_set(NEW, 0.8)
        assert [part.shape for part in sets] == [(40, 3), (40, 2)]


@pytest.mark.parametrize("kind", [tw.GradientBoostingRegressor, tw.HistGradientBoostingRegressor])
def test_boosted_quantiles_are_moved_until_they_hold(kind: Any) -> None:
    random = np.random.default_rng(5)
    x = random.uniform(size=(1200, 2))
    y = x[:, 0] + x[:, 0] * random.normal(size=1200)
    rounds = {"max_iter": 40} if kind is tw.HistGradientBoostingRegressor else {"n_estimators": 40}
    model = kind(**rounds).fit(x[:600], y[:600])
    low, high = model.predict_interval(x[600:], 0.8, method="quantile").T
    assert 0.74 < np.mean((low <= y[600:]) & (y[600:] <= high)) < 0.86
    wide = (high - low)[x[600:, 0] > 0.7].mean()
    assert wide > 2 * (high - low)[x[600:, 0] < 0.3].mean()
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        loaded.predict_interval(x[600:], 0.8, method="quantile")[:, 0], low
    )
    with pytest.raises(UnsupportedError, match="covers all rows together"):
        model.predict_interval(x, method="quantile", by=0)
    with pytest.raises(ParameterError, match="below 1"):
        model.predict_interval(x, 1.0, method="quantile")


def test_offsets_of_boosting() -> None:
    random = np.random.default_rng(6)
    x = random.uniform(size=(400, 2))
    exposure = np.log(random.uniform(0.5, 5, size=400))
    y = random.poisson(np.exp(x[:, 0] + exposure)).astype(float)
    model = tw.GradientBoostingRegressor(n_estimators=20, loss="poisson")
    model.fit(x, y, offset=exposure)
    small = model.predict_interval(x[:5], offset=-2.0)
    large = model.predict_interval(x[:5], offset=2.0)
    assert np.all(small[:, 1] < large[:, 1])
    kinds = tw.GradientBoostingClassifier(n_estimators=10).fit(x, y > 3, offset=exposure)
    assert kinds.predict_set(x[:5], offset=0.0).shape == (5, 2)


def test_weights_count_and_their_scale_does_not() -> None:
    weight = np.random.default_rng(7).uniform(0.1, 3, size=150)
    for kind in (
        tw.RandomForestRegressor(10, random_state=0),
        tw.GradientBoostingRegressor(n_estimators=9),
    ):
        one, other = (clone(kind).fit(X, Y, sample_weight=scale * weight) for scale in (1.0, 64.0))
        np.testing.assert_array_equal(other.predict_interval(NEW), one.predict_interval(NEW))
    without = np.where(np.arange(150) < 75, 1.0, 0.0)
    wild = np.where(without > 0, Y, 1e6 * Y)
    model = tw.DecisionTreeRegressor(min_samples_leaf=5).fit(X, wild, sample_weight=without)
    assert np.abs(model.predict_interval(NEW)).max() < 100  # rows of no weight tell nothing


@pytest.mark.parametrize("make", REGRESSORS + CLASSIFIERS, **IDS)
@pytest.mark.parametrize("level", [0, -0.1, 1.01, "0.9", None, np.nan, True])
def test_levels_that_are_none(make: Any, level: Any) -> None:
    numbers = make in REGRESSORS
    model = make().fit(X, Y if numbers else LABELS)
    asked = model.predict_interval if numbers else model.predict_set
    with pytest.raises(ParameterError, match="level="):
        asked(NEW, level)


def test_one_row_cannot_tell() -> None:
    with pytest.warns(tw.errors.SmallDataWarning):
        model = tw.DecisionTreeRegressor().fit([[1.0]], [2.0])
    with pytest.raises(DataError, match="cannot be learned from 1 row"):
        model.predict_interval([[1.0]])
    two = tw.DecisionTreeRegressor().fit([[1.0], [2.0]], [2.0, 3.0])
    assert np.isinf(two.predict_interval([[1.0]])).all()


def test_arguments_that_belong_together() -> None:
    model = tw.DecisionTreeRegressor().fit(X, Y)
    with pytest.raises(ParameterError, match="X_train and y_train belong together"):
        model.predict_interval(NEW, X_train=X)
    with pytest.raises(ParameterError, match="belong to X_train"):
        model.predict_interval(NEW, y_train=Y)
    with pytest.raises(ParameterError, match=r"by='shp' is no column.*\n.*'shop'"):
        model.predict_interval(NEW, by="shp")
    with pytest.raises(DataError, match="X_train has 150 rows and y_train 10"):
        model.predict_interval(NEW, X_train=X, y_train=Y[:10])


def test_before_fit() -> None:
    with pytest.raises(Exception, match="not fitted"):
        tw.DecisionTreeRegressor().predict_interval(NEW)
    with pytest.raises(Exception, match="not fitted"):
        tw.DecisionTreeClassifier().conformalize(X, LABELS)


def test_what_is_learned_is_forgotten_by_another_fit() -> None:
    model = tw.DecisionTreeRegressor(min_samples_leaf=5).fit(X, Y)
    model.predict_interval(NEW)
    ends = model.fit(X, 10 * Y).predict_interval(NEW)
    fresh = tw.DecisionTreeRegressor(min_samples_leaf=5).fit(X, 10 * Y).predict_interval(NEW)
    np.testing.assert_array_equal(ends, fresh)


def test_any_number_of_threads() -> None:
    for kind in (
        tw.RandomForestRegressor(20, random_state=0),
        tw.GradientBoostingRegressor(n_estimators=9),
    ):
        one, two = (
            clone(kind).set_params(n_jobs=n).fit(X, Y).predict_interval(NEW) for n in (1, 2)
        )
        np.testing.assert_array_equal(one, two)


def test_bagging_and_boosting_of_other_libraries_learners() -> None:
    x = np.c_[X["x"], X["shop"] == "south"]
    ends = (
        tw.BaggingRegressor(Ridge(), n_estimators=5, random_state=0).fit(x, Y).predict_interval(x)
    )
    assert 0.85 < np.mean((ends[:, 0] <= Y) & (ends[:, 1] >= Y)) < 0.98
    for model in (tw.BaggingClassifier, tw.AdaBoostClassifier):
        sets = model(LogisticRegression(), n_estimators=5, random_state=0).fit(x, LABELS)
        assert (
            np.mean(sets.predict_set(x)[np.arange(150), np.unique(LABELS, return_inverse=True)[1]])
            > 0.85
        )


def test_a_class_that_a_part_lacks() -> None:
    labels = np.array(["a"] * 75 + ["b"] * 74 + ["rare"])
    sets = tw.DecisionTreeClassifier().fit(X, labels).predict_set(NEW, 0.9)
    assert sets.shape == (40, 3)
