"""Importances of columns: against their definitions, noise at 0, the same however computed."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from oracle import importances as oracle
from scipy.stats import spearmanr
from sklearn.inspection import permutation_importance

from treewright import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    DecisionTreeClassifier,
    ExtraTreesRegressor,
    M5Regressor,
    RandomForestClassifier,
    RandomForestRegressor,
    Schema,
)
from treewright.core import canonical_order
from treewright.ensemble.ensemble import Ensemble, ListedTrees
from treewright.errors import CompactError, DataError, ParameterError, UnsupportedError
from treewright.forest.importances import debiased_importances, permutation_importances
from treewright.forest.packed import PackedTrees

N_ROWS = 90
# The mean of those above 0 is a power of 2, so that no weight is rounded.
WEIGHTS = {"alike": [1.0], "as a row or not": [0.0, 1.0], "by weight": [0.0, 1.0, 3.0]}


def table(kind: str) -> dict[str, list[Any]]:
    random = np.random.default_rng(3)
    X: dict[str, list[Any]] = {
        "a": random.normal(size=N_ROWS).round(2).tolist(),
        "b": random.normal(size=N_ROWS).round(2).tolist(),
        "c": random.integers(0, 4, N_ROWS).tolist(),
    }
    if kind == "mixed":
        X["colour"] = [["red", "green", "blue"][i] for i in random.integers(0, 3, N_ROWS)]
        for row in random.integers(0, N_ROWS, 12):
            X["a"][row] = None
    return X


def target(task: str) -> list[Any]:
    X = table("plain")
    random = np.random.default_rng(4)
    value = np.array(X["a"]) + 0.5 * np.array(X["c"]) + 0.3 * random.normal(size=N_ROWS)
    if task == "values":
        return (value + 100).tolist()
    return [("low", "middle", "high")[i] for i in np.digitize(value, [0.2, 1.2])]


def listed(ensemble: Ensemble) -> Ensemble:
    return Ensemble(
        trees=ListedTrees(list(ensemble)),
        schema=ensemble.schema,
        classes=ensemble.classes,
        criterion=ensemble.criterion,
    )


@pytest.mark.parametrize("task", ["classes", "values"])
@pytest.mark.parametrize("kind", ["plain", "mixed"])
@pytest.mark.parametrize("weighs", WEIGHTS)
@pytest.mark.parametrize("missing", ["learned_side", "divide", "surrogates"])
def test_measures_are_their_definitions(task: str, kind: str, weighs: str, missing: str) -> None:
    X, y = table(kind), target(task)
    made = RandomForestClassifier if task == "classes" else RandomForestRegressor
    weight = np.random.default_rng(5).permutation(np.resize(WEIGHTS[weighs], N_ROWS))
    model = made(5, max_features=2, random_state=7, min_samples_leaf=2, missing=missing)
    model.fit(X, y, weight)
    packs = kind == "plain" and missing == "learned_side" and weighs != "by weight"
    assert isinstance(model.ensemble_.trees, PackedTrees) == packs
    forest = model._training
    assert forest is not None
    assert forest.sampling is not None
    order = canonical_order(forest.columns, forest.target, 1)
    shuffling, debiasing = [], []
    for number, tree in enumerate(model.ensemble_):
        copies = forest.sampling.draw(number).tolist()
        unseen = [int(row) for row in order if copies[row] == 0 and weight[row] > 0]
        weights = weight.tolist()
        shuffling.append(
            oracle.permutation(tree, X, y, weights, unseen, seed=7, number=number, n_repeats=2)
        )
        drawn = [n * w for n, w in zip(copies, weights, strict=True)]
        counted = [0 if n else w for n, w in zip(copies, weights, strict=True)]
        debiasing.append(oracle.debiased(tree, X, y, drawn, counted))
    found = model.importances("permutation", n_repeats=2)
    np.testing.assert_allclose(found.by_tree, shuffling, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        model.importances("debiased").by_tree, debiasing, rtol=1e-12, atol=1e-12
    )
    assert found.mean == pytest.approx(np.mean(shuffling, axis=0), abs=1e-12)
    assert found.standard_error == pytest.approx(
        np.std(shuffling, axis=0, ddof=1) / np.sqrt(5), abs=1e-12
    )


@pytest.mark.parametrize("task", ["classes", "values"])
def test_packed_and_listed_trees_measure_alike(task: str) -> None:
    X, y = table("plain"), target(task)
    made = RandomForestClassifier if task == "classes" else ExtraTreesRegressor
    model = made(n_estimators=8, bootstrap=True).fit(X, y)
    assert isinstance(model.ensemble_.trees, PackedTrees)
    for measure in (permutation_importances, debiased_importances):
        packed = measure(model.ensemble_, model._training)
        again = measure(listed(model.ensemble_), model._training)
        np.testing.assert_allclose(packed.by_tree, again.by_tree, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["plain", "mixed"])
@pytest.mark.parametrize("measure", ["permutation", "debiased"])
def test_threads_and_the_order_of_rows_change_nothing(kind: str, measure: Any) -> None:
    X, y = table(kind), target("values")
    model = RandomForestRegressor(n_estimators=7, random_state=1).fit(X, y)
    expected = model.importances(measure).by_tree.tobytes()
    for n_jobs in (1, 2, 3, 4):
        model.set_params(n_jobs=n_jobs)
        assert model.importances(measure).by_tree.tobytes() == expected
    rows = np.random.default_rng(0).permutation(N_ROWS).tolist()
    moved = RandomForestRegressor(n_estimators=7, random_state=1)
    moved.fit(oracle.table_of(X, rows), [y[row] for row in rows])
    assert moved.importances(measure).by_tree.tobytes() == expected


@pytest.mark.parametrize("task", ["classes", "values"])
def test_on_the_rows_of_a_tree_the_debiased_measure_is_the_impurity_it_removes(task: str) -> None:
    """Proposition 1 of Li et al."""
    X, y = table("plain"), target(task)
    made = RandomForestClassifier if task == "classes" else RandomForestRegressor
    model = made(n_estimators=3, max_features=2).fit(X, y)
    for number, tree in enumerate(model.ensemble_):
        copies = model._training.sampling.draw(number).tolist()
        expected = oracle.debiased(tree, X, y, copies, copies)
        assert tree.importances(normalize=False).mean == pytest.approx(expected, abs=1e-12)


def noisy(seed: int) -> tuple[Any, Any]:
    """Two columns that matter, and noise of 2, 5, 50 and (thrice) very many values."""
    random = np.random.default_rng(seed)
    n = 250
    noise = [random.integers(0, 2, n), random.integers(0, 5, n), random.integers(0, 50, n)]
    X = np.column_stack([random.normal(size=(n, 2)), *noise, random.normal(size=(n, 3))])
    return X, X[:, 0] * (1 + X[:, 1]) + 0.5 * random.normal(size=n)


@pytest.mark.parametrize("task", ["classes", "values"])
def test_noise_has_no_debiased_importance(task: str) -> None:
    means = []
    for seed in range(40):
        X, y = noisy(seed)
        made = RandomForestClassifier if task == "classes" else RandomForestRegressor
        model = made(n_estimators=60, max_features=3, random_state=seed)
        model.fit(X, (y > 0).astype(int) if task == "classes" else y)
        impurity, debiased = model.importances(), model.importances("debiased")
        # The bias of impurity: a share for noise, the more the more values it has.
        assert impurity.mean[2:].min() > 0.002
        assert impurity.mean[5:].min() > 2 * impurity.mean[2]
        assert debiased.mean[:2].min() > 2 * np.abs(debiased.mean[2:]).max()
        means.append(debiased.mean[2:])
    by_table = np.mean(means, axis=1)
    error = by_table.std(ddof=1) / np.sqrt(len(by_table))
    assert abs(by_table.mean()) < 2 * error
    # Not one kind of noise is above 0: neither that of few nor that of many values.
    by_column = np.mean(means, axis=0) / (np.std(means, axis=0, ddof=1) / np.sqrt(len(means)))
    assert (by_column < 2.5).all()


def test_permutation_ranks_columns_as_scikit_learn_does() -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(500, 5))
    y = X @ [4.0, 3.0, 2.0, 1.0, 0.0]
    model = RandomForestRegressor(n_estimators=40, random_state=0).fit(X, y)
    found = model.importances("permutation", n_repeats=3)
    held_out = random.normal(size=(500, 5))
    theirs = permutation_importance(
        model, held_out, held_out @ [4.0, 3.0, 2.0, 1.0, 0.0], n_repeats=3, random_state=0
    )
    assert spearmanr(found.mean, theirs.importances_mean).statistic == pytest.approx(1.0)
    # Breiman's theory: shuffling an independent column adds twice its variance.
    assert found.mean[0] == pytest.approx(32, rel=0.3)
    assert [column.name for column in found] == ["x0", "x1", "x2", "x3", "x4"]


def test_impurity_is_what_feature_importances_has() -> None:
    X, y = table("mixed"), target("classes")
    model = RandomForestClassifier(n_estimators=6).fit(X, y)
    found = model.importances()
    np.testing.assert_allclose(found.mean, model.feature_importances_, rtol=1e-12)
    assert np.isnan(found.z).all()
    assert np.isnan(found.p_value).all()


def test_derived_columns_are_credited_to_what_they_are_made_of() -> None:
    random = np.random.default_rng(1)
    X = {name: random.normal(size=200) for name in ("height", "width", "noise")}
    y = X["height"] * X["width"]
    schema = Schema(derived=["area = height * width"])
    model = RandomForestRegressor(n_estimators=10, schema=schema).fit(X, y)
    for kind in ("impurity", "permutation", "debiased"):
        found = model.importances(kind)
        assert found.names == ("height", "width", "noise")
        assert min(found["height"].mean, found["width"].mean) > 10 * abs(found["noise"].mean)


@pytest.mark.parametrize("class_weight", ["balanced", "balanced_subsample", {0: 1, 1: 5}])
def test_class_weights_weigh_impurities_as_growing_does(class_weight: Any) -> None:
    X, y = noisy(0)
    rare = (y > 1).astype(int)
    model = RandomForestClassifier(30, class_weight=class_weight, random_state=0).fit(X, rare)
    debiased, permutation = model.importances("debiased"), model.importances("permutation")
    assert debiased["x0"].p_value < 1e-6
    assert debiased["x0"].mean > 10 * np.abs(debiased.mean[2:]).max()
    assert permutation["x0"].p_value < 1e-6


def test_several_outputs_are_measured_together() -> None:
    X, y = noisy(1)
    both = np.column_stack([y > 0, X[:, 1] > 0]).astype(int)
    for made, given in ((RandomForestClassifier, both), (RandomForestRegressor, both * 2.0)):
        model = made(20, random_state=0).fit(X, given)
        for kind in ("permutation", "debiased"):
            found = model.importances(kind)
            assert found.mean[:2].min() > 5 * np.abs(found.mean[2:]).max()


def test_a_loaded_forest_asks_for_its_rows_and_knows_them() -> None:
    X, y = table("plain"), target("classes")
    model = RandomForestClassifier(n_estimators=5, random_state=np.random.RandomState(3)).fit(X, y)
    expected = model.importances("permutation").by_tree
    loaded = pickle.loads(pickle.dumps(model))
    with pytest.raises(DataError, match="no training data"):
        loaded.importances("permutation")
    assert (loaded.importances("permutation", X, y).by_tree == expected).all()
    other = dict(X, a=[value + 0.5 for value in X["a"]])
    with pytest.raises(DataError, match="the rows are not those that the forest was grown from"):
        loaded.importances("permutation", other, y)
    with pytest.raises(DataError, match="the classes are not those"):
        loaded.importances("permutation", X, [name.upper() for name in y])
    with pytest.raises(DataError, match="column 'z' is not what it was"):
        loaded.importances("permutation", {"a": X["a"], "z": X["b"], "c": X["c"]}, y)


@pytest.mark.parametrize("kind", ["permutation", "debiased"])
def test_forests_whose_trees_see_all_rows_say_so(kind: Any) -> None:
    X, y = table("plain"), target("classes")
    everything = RandomForestClassifier(n_estimators=3, bootstrap=False).fit(X, y)
    with pytest.raises(UnsupportedError, match=r"has seen all rows\.\n  Hint: bootstrap"):
        everything.importances(kind)
    often = dict.fromkeys(("low", "middle", "high"), 50 * N_ROWS)
    few = RandomForestClassifier(n_estimators=2, sampling=often).fit(X, y)
    with pytest.raises(UnsupportedError, match="every tree has seen all rows"):
        few.importances(kind)
    with pytest.raises(CompactError, match="a compacted forest has no importances"):
        RandomForestClassifier(n_estimators=2).fit(X, y).compact().importances(kind, X, y)


def test_parameters_are_checked() -> None:
    model = RandomForestClassifier(n_estimators=2).fit(table("plain"), target("classes"))
    with pytest.raises(ParameterError, match="kind='gain'"):
        model.importances("gain")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="n_repeats=0"):
        model.importances("permutation", n_repeats=0)
    with pytest.raises(ParameterError, match="n_repeats=3 is for kind='permutation'"):
        model.importances("debiased", n_repeats=3)


def test_trees_of_any_recipe_are_measured_or_refused_by_name() -> None:
    X, y = noisy(2)
    rules = BaggingClassifier(C45Classifier(), n_estimators=5).fit(X, y > 0)
    costly = RandomForestClassifier(
        10, estimator=DecisionTreeClassifier(cost_matrix=[[0, 1], [9, 0]]), random_state=0
    ).fit(X, (y > 0).astype(int))
    models = BaggingRegressor(M5Regressor(), n_estimators=5).fit(X, y)
    for forest in (rules, costly, models):
        assert forest.importances("permutation").order[0] == 0
    for forest in (rules, costly):
        assert forest.importances("debiased").order[0] == 0
    with pytest.raises(UnsupportedError, match=r"linear models(.|\n)*kind='permutation'"):
        models.importances("debiased")


@pytest.mark.parametrize("power", [-900, 450, 900])
def test_targets_whose_squares_no_number_holds_are_scaled(power: int) -> None:
    X, y = noisy(3)
    plain = RandomForestRegressor(20).fit(X, y)
    extreme = RandomForestRegressor(20).fit(X, np.ldexp(y, power))
    for kind in ("permutation", "debiased"):
        one, other = plain.importances(kind), extreme.importances(kind)
        _, _, divided = other.measure.partition("y / 2^")
        shift = int(divided.split()[0]) if divided else 0
        rescaled = np.ldexp(other.mean, 2 * (shift - power))
        # Draws depend on the content of rows, so that the trees are not the same.
        assert rescaled[:2] == pytest.approx(one.mean[:2], rel=0.3)
        assert np.isfinite(other.standard_error).all()
        assert "x0" in str(other)


def test_rows_with_very_long_paths_are_measured_like_others() -> None:
    """The core keeps 64 questions of a path; rows with more walk from the root again."""
    noise = np.random.default_rng(0).integers(0, 2, 2_000)
    X, y = np.column_stack([np.arange(2_000.0), noise]), np.arange(2_000) % 2
    model = RandomForestClassifier(3, max_features=None, bootstrap=False, max_samples=0.95)
    model.fit(X, y)
    depths = [tree.levels[tree.apply(X)] for tree in model.ensemble_]
    assert all((depth > 64).any() and (depth <= 64).any() for depth in depths)
    packed = permutation_importances(model.ensemble_, model._training, n_repeats=2)
    again = permutation_importances(listed(model.ensemble_), model._training, n_repeats=2)
    np.testing.assert_allclose(packed.by_tree, again.by_tree, rtol=1e-12, atol=1e-12)
