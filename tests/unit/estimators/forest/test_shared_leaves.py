"""Quantiles, intervals and proximities of forests, in both forms of their trees."""

import pickle

import numpy as np
import pytest

from treewright import (
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.ensemble.ensemble import ListedTrees
from treewright.errors import DataError, ParameterError
from treewright.forest.packed import PackedTrees

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
# The mean of those above 0 is a power of 2, so that no weight is rounded.
WEIGHT = np.random.default_rng(2).permutation(np.resize([0.0, 1.0, 3.0, 2.0], 400))


def made(n_rows, seed=0):
    """Rows whose target spreads the more the greater the third column is."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(n_rows, 4))
    y = (
        np.sin(3 * X[:, 0])
        + X[:, 1] ** 2
        + (0.2 + 0.5 * np.abs(X[:, 2])) * random.normal(size=n_rows)
    )
    return X, y


def listed(X):
    """Return the same table with a column of categories: its trees are not packed."""
    table = {f"x{i}": X[:, i] for i in range(X.shape[1])}
    table["sign"] = np.where(X[:, 0] > 0, "up", "down").tolist()
    return table


@pytest.fixture(scope="module")
def forests():
    X, y = made(400)
    weighted = RandomForestRegressor(20, min_samples_leaf=5, random_state=1).fit(X, y, WEIGHT)
    return {
        "packed": (RandomForestRegressor(20, random_state=1).fit(X, y), X, y),
        "listed": (RandomForestRegressor(20, random_state=1).fit(listed(X), y), listed(X), y),
        "weighted": (weighted, X, y),
    }


@pytest.mark.parametrize("min_samples_leaf", [1, 5])
@pytest.mark.parametrize("rows", ["all", "in_bag", "oob"])
def test_calibrated_intervals_cover_what_they_promise(min_samples_leaf, rows):
    X, y = made(5000, seed=7)
    y = np.column_stack([y, np.round(3 * X[:, 0] + np.random.default_rng(1).normal(size=5000))])
    forest = RandomForestRegressor(60, min_samples_leaf=min_samples_leaf, random_state=0)
    forest.fit(X[:2000], y[:2000])
    for level in (0.5, 0.8, 0.9):
        low, high = np.moveaxis(
            forest.predict_interval(X[2000:], level, calibrate=True, rows=rows), 2, 0
        )
        covered = np.mean((low <= y[2000:]) & (y[2000:] <= high), axis=0)
        # A standard error is 0.014 at most. Rows are judged by a third of the trees, which makes
        # intervals of few trees wide.
        assert np.all(covered > level - 0.03)
        assert np.all(covered < level + (0.04 if rows == "all" else 0.08))


def test_calibrating_needs_rows_that_trees_have_left_out():
    X, y = made(300)
    forest = ExtraTreesRegressor(10, min_samples_leaf=5, random_state=0).fit(X, y)
    plain = forest.predict_quantiles(X, (0.25, 0.75))
    np.testing.assert_array_equal(forest.predict_interval(X, 0.5, calibrate=False), plain)
    with pytest.raises(ParameterError, match="trees have not drawn"):
        forest.predict_interval(X, 0.5, calibrate=True)
    with pytest.raises(ParameterError, match="calibrate='yes' must be True or False"):
        forest.predict_interval(X, 0.5, calibrate="yes")
    drawn = RandomForestRegressor(10, random_state=0).fit(X, y)
    plain = drawn.predict_quantiles(X, (0.25, 0.75))
    np.testing.assert_array_equal(drawn.predict_interval(X, 0.5, calibrate=False), plain)
    assert np.any(drawn.predict_interval(X, 0.5, calibrate=True) != plain)


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_quantiles_of_leaves_of_several_rows_have_their_shares_below(kind):
    X, y = made(5000, seed=7)
    forest = kind(60, min_samples_leaf=5, max_features=0.5, random_state=0)
    forest.fit(X[:3000], y[:3000])
    fresh, truth = X[3000:], y[3000:]
    quantiles = forest.predict_quantiles(fresh, LEVELS)
    assert quantiles.shape == (2000, 5)
    assert np.all(np.diff(quantiles, axis=1) >= 0)
    below = np.mean(truth[:, np.newaxis] <= quantiles, axis=0)
    np.testing.assert_allclose(below, LEVELS, atol=0.04)
    spread = quantiles[:, 4] - quantiles[:, 0]
    tight, wide = np.abs(fresh[:, 2]) < 0.2, np.abs(fresh[:, 2]) > 0.8
    assert spread[wide].mean() > 1.15 * spread[tight].mean()


@pytest.mark.parametrize("form", ["packed", "listed", "weighted"])
@pytest.mark.parametrize("rows", ["all", "in_bag", "oob"])
def test_quantiles_follow_the_definition(forests, form, rows):
    forest, X, y = forests[form]
    assert isinstance(forest.ensemble_.trees, PackedTrees if form == "packed" else ListedTrees)
    leaves = forest.apply(X)
    own = WEIGHT if form == "weighted" else np.ones(len(y))
    weights = np.zeros((len(y), len(y)))
    n_said = np.zeros((len(y), 1))
    for tree in range(leaves.shape[1]):
        drawn = forest._training.sampling.draw(tree)
        times = {"all": np.ones(len(y)), "in_bag": drawn, "oob": drawn == 0}[rows]
        here = (leaves[:, [tree]] == leaves[:, tree]) * times * own
        total = here.sum(axis=1, keepdims=True)
        weights += np.divide(here, total, where=total > 0, out=np.zeros(here.shape))
        n_said += total > 0
    order = np.argsort(y)
    below = np.cumsum(weights[:, order], axis=1) / n_said
    expected = [y[order][np.argmax(below >= level - 1e-9, axis=1)] for level in LEVELS]
    found = forest.predict_quantiles(X, LEVELS, rows=rows)
    np.testing.assert_array_equal(found, np.column_stack(expected))
    if rows == "in_bag":  # the same weights give the forest's prediction
        np.testing.assert_allclose((weights / n_said) @ y, forest.predict(X), rtol=1e-9)


def test_shapes_follow_quantiles_and_outputs():
    X, y = made(200)
    one = RandomForestRegressor(5, random_state=0).fit(X, y)
    assert one.predict_quantiles(X[:7], 0.5).shape == (7,)
    assert one.predict_quantiles(X[:7], [0.5]).shape == (7, 1)
    assert one.predict_interval(X[:7]).shape == (7, 2)
    two = RandomForestRegressor(5, random_state=0).fit(X, np.column_stack([y, -y]))
    found = two.predict_quantiles(X, (0.1, 0.9))
    assert found.shape == (200, 2, 2)
    assert two.predict_quantiles(X[:7], 0.5).shape == (7, 2)
    assert np.all(found[:, 0, 0] <= found[:, 0, 1])
    assert np.isin(found[:, 1], -y).all()


def test_threads_and_batches_do_not_show():
    X, y = made(500)
    one = RandomForestRegressor(10, random_state=0, n_jobs=1).fit(X, y)
    two = RandomForestRegressor(10, random_state=0, n_jobs=3).fit(X, y)
    together = one.predict_quantiles(X, LEVELS)
    np.testing.assert_array_equal(two.predict_quantiles(X, LEVELS), together)
    np.testing.assert_array_equal(one.predict_quantiles(X[100:110], LEVELS), together[100:110])


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("rows", ["all", "in_bag"])
def test_quantiles_follow_from_the_ratios_of_weights(bootstrap, rows):
    X, y = made(120)
    weight = np.random.default_rng(2).integers(0, 3, size=120)
    forest = RandomForestRegressor(8, bootstrap=bootstrap, max_features=2, random_state=0)
    forest.fit(X, y, sample_weight=weight)
    expected = forest.predict_quantiles(X, LEVELS, rows=rows)
    for scale in (0.1, 3, 1e6):
        forest.fit(X, y, sample_weight=scale * weight)
        np.testing.assert_array_equal(forest.predict_quantiles(X, LEVELS, rows=rows), expected)
    forest.fit(X[weight > 0], y[weight > 0], sample_weight=weight[weight > 0])
    np.testing.assert_array_equal(forest.predict_quantiles(X, LEVELS, rows=rows), expected)


@pytest.mark.parametrize("form", ["packed", "listed"])
def test_a_loaded_forest_takes_the_training_data_once(forests, form):
    forest, X, y = forests[form]
    expected = forest.predict_quantiles(X, LEVELS)
    loaded = pickle.loads(pickle.dumps(forest))
    with pytest.raises(DataError, match="a loaded or compacted forest has no training data"):
        loaded.predict_quantiles(X)
    np.testing.assert_array_equal(
        loaded.predict_quantiles(X, LEVELS, X_train=X, y_train=y), expected
    )
    np.testing.assert_array_equal(loaded.predict_quantiles(X, LEVELS), expected)
    assert "_leaf_targets" not in loaded.__getstate__()
    with pytest.raises(DataError, match="no training data"):
        loaded.predict_quantiles(X, rows="oob")  # other leaves than those kept


def test_a_forest_that_grows_on_does_not_remember_its_old_leaves():
    X, y = made(150)
    forest = RandomForestRegressor(5, warm_start=True, random_state=0).fit(X, y)
    forest.predict_quantiles(X)
    forest.set_params(n_estimators=10).fit(X, y)
    anew = RandomForestRegressor(10, random_state=0).fit(X, y)
    np.testing.assert_array_equal(forest.predict_quantiles(X), anew.predict_quantiles(X))


def test_what_makes_no_sense_is_refused(forests):
    forest, X, _ = forests["packed"]
    for wrong in (1.5, [0.1, -0.1], "median", [[0.1]], np.nan):
        with pytest.raises(ParameterError, match="must be shares from 0 to 1"):
            forest.predict_quantiles(X, wrong)
    with pytest.raises(ParameterError, match=r"level=0 must be above 0 and at most 1"):
        forest.predict_interval(X, 0)
    with pytest.raises(ParameterError, match="rows='bag' must be one of"):
        forest.predict_quantiles(X, rows="bag")
    with pytest.raises(ParameterError, match="belong to X_train, which is missing"):
        forest.predict_quantiles(X, y_train=[1.0])
    with pytest.raises(ParameterError, match="they need X and rows='oob'"):
        forest.proximity(X, y=[1.0])
    X, y = made(60)
    every = ExtraTreesRegressor(3, random_state=0).fit(X, y)
    with pytest.raises(ParameterError, match="rows='oob' needs rows that trees have not drawn"):
        every.predict_quantiles(X, rows="oob")
    with pytest.raises(ParameterError, match="rows='oob' needs rows that trees have not drawn"):
        every.proximity(rows="oob")
    np.testing.assert_array_equal(
        every.predict_quantiles(X, rows="in_bag"), every.predict_quantiles(X)
    )


@pytest.mark.parametrize("form", ["packed", "listed"])
def test_proximity_is_the_share_of_trees_in_which_rows_meet(forests, form):
    forest, X, y = forests[form]
    leaves = forest.apply(X)
    expected = (leaves[:, np.newaxis] == leaves).mean(axis=2)
    np.testing.assert_allclose(forest.proximity().matrix(), expected, rtol=1e-15)
    np.testing.assert_allclose(forest.proximity(X).row(3), expected[3], rtol=1e-15)
    drawn = np.column_stack([forest._training.sampling.draw(t) for t in range(20)])
    unseen = drawn == 0
    both = unseen[:, np.newaxis] & unseen
    met = ((leaves[:, np.newaxis] == leaves) & both).sum(axis=2)
    expected = np.divide(met, both.sum(axis=2), where=both.any(axis=2), out=np.zeros(met.shape))
    proximity = forest.proximity(rows="oob")
    np.testing.assert_allclose(proximity.matrix(), expected, rtol=1e-15)
    loaded = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(loaded.proximity(X, y=y, rows="oob").row(5), proximity.row(5))


def test_new_rows_are_compared_with_training_rows():
    X, y = made(100)
    forest = RandomForestClassifier(15, random_state=0).fit(X, y > 0)
    fresh = made(8, seed=9)[0]
    proximity = forest.proximity(fresh, X)
    assert proximity.shape == (8, 100)
    expected = (forest.apply(fresh)[:, np.newaxis] == forest.apply(X)).mean(axis=2)
    np.testing.assert_allclose(proximity.matrix(), expected, rtol=1e-15)
    assert forest.proximity(Y=fresh, rows="oob").shape == (100, 8)


def test_rows_of_a_class_are_near_each_other():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = random.normal(size=(120, 3)) + 3 * np.eye(3)[y]
    X[5] = X[115]  # a row of class 0 amid class 2
    forest = RandomForestClassifier(100, min_samples_leaf=3, random_state=0).fit(X, y)
    proximity = forest.proximity(rows="oob")
    nearest = proximity.nearest(5)
    assert np.mean(y[nearest.rows] == y[:, np.newaxis]) > 0.8
    assert int(np.argmax(proximity.outliers(y)[:40])) == 5
    for prototype in proximity.prototypes(y, k=15):
        centre = np.median(X[prototype.neighbours], axis=0)
        assert int(np.argmax(centre)) == prototype.label
