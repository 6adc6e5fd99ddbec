"""``to_sklearn()``: models of scikit-learn that answer as ours do."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LogisticRegression

import treewright as tw
from treewright.errors import ConversionWarning, UnsupportedError

N_ROWS = 500


def table(*, missing: float = 0.0, dtype: type = np.float32) -> np.ndarray:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N_ROWS, 4)).astype(dtype)
    X[rng.random(X.shape) < missing] = np.nan
    return X


def value_of(X: np.ndarray) -> np.ndarray:
    known = np.nan_to_num(X.astype(np.float64))
    return np.abs(known[:, 0]) + known[:, 1] + 0.2 * known[:, 2] * known[:, 3]


def target(X: np.ndarray, kind: str) -> np.ndarray:
    value = value_of(X)
    names = np.array(["low", "middle", "high"])
    kinds = {
        "two": value > 0.5,
        "three": names[np.digitize(value, [0.0, 1.0])],
        "outputs": np.column_stack([np.digitize(value, [0.0, 1.0]), value > 0]).astype(int),
        "number": value,
        "numbers": np.column_stack([value, value**2]),
    }
    return kinds[kind]


def assert_same_answers(ours, theirs, X) -> None:
    """Hold every answer of both against each other, to the last bit."""
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))
    if hasattr(ours, "classes_"):
        got, due = theirs.predict_proba(X), ours.predict_proba(X)
        assert type(got) is type(due)
        for mine, other in zip(got, due, strict=True):
            np.testing.assert_array_equal(mine, other)
    if hasattr(ours, "decision_function"):
        np.testing.assert_array_equal(theirs.decision_function(X), ours.decision_function(X))


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["two", "three", "outputs", "number", "numbers"])
def test_a_tree_answers_alike(kind: str, weighted: bool, missing: float) -> None:
    X = table(missing=missing)
    task = "Regressor" if kind.startswith("number") else "Classifier"
    weight = np.random.default_rng(1).uniform(0, 3, N_ROWS) if weighted else None
    ours = getattr(tw, f"DecisionTree{task}")().fit(X, target(X, kind), sample_weight=weight)
    theirs = ours.to_sklearn()
    assert type(theirs) is getattr(sklearn.tree, f"DecisionTree{task}")
    assert_same_answers(ours, theirs, X)
    np.testing.assert_array_equal(theirs.apply(X), ours.apply(X))
    np.testing.assert_array_equal(
        theirs.decision_path(X).toarray(), ours.decision_path(X).toarray()
    )
    np.testing.assert_allclose(theirs.feature_importances_, ours.feature_importances_, rtol=1e-9)


FORESTS = {
    "RandomForest": ("RandomForest", {"n_estimators": 15}),
    "ExtraTrees": ("ExtraTrees", {"n_estimators": 15}),
    "Bagging": ("RandomForest", {"n_estimators": 8}),
}


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("kind", ["two", "three", "outputs", "number", "numbers"])
@pytest.mark.parametrize("name", FORESTS)
def test_a_forest_answers_alike(name: str, kind: str, missing: float) -> None:
    X = table(missing=missing)
    task = "Regressor" if kind.startswith("number") else "Classifier"
    theirs_name, parameters = FORESTS[name]
    weight = np.random.default_rng(1).uniform(0.1, 3, N_ROWS)
    ours = getattr(tw, name + task)(**parameters).fit(X, target(X, kind), sample_weight=weight)
    theirs = ours.to_sklearn()
    assert type(theirs) is getattr(sklearn.ensemble, theirs_name + task)
    assert len(theirs.estimators_) == parameters["n_estimators"]
    assert_same_answers(ours, theirs, X)
    np.testing.assert_array_equal(theirs.apply(X), ours.apply(X))


def test_hard_votes_are_counted_alike() -> None:
    X = table()
    ours = tw.RandomForestClassifier(n_estimators=9, max_depth=3, vote="hard")
    ours.fit(X, target(X, "three"))
    assert_same_answers(ours, ours.to_sklearn(), X)


def test_bagging_by_scikit_learn_is_given_back() -> None:
    X = table()
    bagged = tw.BaggingRegressor(sklearn.tree.DecisionTreeRegressor(max_depth=2))
    theirs = bagged.fit(X, value_of(X)).to_sklearn()
    assert type(theirs) is sklearn.ensemble.BaggingRegressor
    assert_same_answers(bagged, theirs, X)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("kind", ["two", "three"])
def test_boosted_classes_are_alike(kind: str, missing: float) -> None:
    X = table(missing=missing, dtype=np.float64)
    weight = np.random.default_rng(1).uniform(0.1, 3, N_ROWS)
    ours = tw.GradientBoostingClassifier(n_estimators=20)
    ours.fit(X, target(X, kind), sample_weight=weight)
    theirs = ours.to_sklearn()
    assert type(theirs) is sklearn.ensemble.HistGradientBoostingClassifier
    assert theirs.n_iter_ == 20
    assert theirs.precision_ == "float64"
    new = np.random.default_rng(2).normal(size=(N_ROWS, 4)) * 3
    for rows in (X, new):
        assert_same_answers(ours, theirs, rows)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_exponential_loss_gives_the_same_probabilities_of_twice_the_scores() -> None:
    X = table(missing=0.1)
    ours = tw.GradientBoostingClassifier(n_estimators=20, loss="exponential")
    theirs = ours.fit(X, target(X, "two")).to_sklearn()
    np.testing.assert_array_equal(theirs.predict_proba(X), ours.predict_proba(X))
    np.testing.assert_array_equal(theirs.decision_function(X), 2 * ours.decision_function(X))


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"]
)
def test_boosted_numbers_are_alike_for_every_loss(loss: str) -> None:
    X = table(missing=0.1, dtype=np.float64)
    y = np.abs(value_of(X)) + 0.1
    ours = tw.GradientBoostingRegressor(n_estimators=20, loss=loss).fit(X, y)
    theirs = ours.to_sklearn()
    assert type(theirs) is sklearn.ensemble.HistGradientBoostingRegressor
    assert_same_answers(ours, theirs, X)


@pytest.mark.parametrize("start", [{"init": "zero"}, {"n_estimators": "auto"}])
def test_boosting_of_other_beginnings_is_alike(start: dict) -> None:
    X = table(dtype=np.float64)
    ours = tw.GradientBoostingRegressor(**{"n_estimators": 5, **start}).fit(X, value_of(X) * 1e200)
    assert_same_answers(ours, ours.to_sklearn(), X)


def mixed_table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(table(missing=0.1, dtype=np.float64), columns=["a", "b", "c", "d"])
    X.insert(1, "name", rng.choice(["x", "y", "zz", None], N_ROWS))
    size = rng.choice(["small", "middle", "large"], N_ROWS)
    X["size"] = pd.Categorical(size, ["small", "middle", "large"], ordered=True)
    X["yes"] = rng.random(N_ROWS) < 0.5
    X["count"] = rng.integers(0, 9, N_ROWS)
    return X


def booleans(*, missing: float = 0.0) -> pd.DataFrame:
    """Return a table as ``pd.get_dummies`` makes them: booleans beside a number."""
    rng = np.random.default_rng(11)
    X = pd.get_dummies(pd.DataFrame({"kind": rng.choice(list("abcd"), N_ROWS)}))
    assert {dtype.kind for dtype in X.dtypes} == {"b"}
    X["often"] = rng.random(N_ROWS) < 0.9
    X["size"] = rng.normal(size=N_ROWS).astype(np.float32)
    if missing:
        X["often"] = X["often"].astype("boolean").mask(rng.random(N_ROWS) < missing)
        X["kind_a"] = X["kind_a"].astype("boolean").mask(rng.random(N_ROWS) < missing)
    return X


def noisy(X: pd.DataFrame) -> pd.Series:
    often = X["often"].fillna(False).astype(bool)
    noise = np.random.default_rng(4).random(N_ROWS) < 0.15
    return ((X["kind_b"] & often) | (X["size"] > 1)) ^ noise


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize(
    "model",
    [
        tw.DecisionTreeClassifier(),
        tw.DecisionTreeClassifier(nominal="one_vs_rest", criterion="entropy"),
        tw.DecisionTreeRegressor(),
        tw.DecisionTreeClassifier(missing="majority", max_depth=4),
        tw.RandomForestClassifier(n_estimators=7),
        tw.ExtraTreesRegressor(n_estimators=7),
        tw.BaggingClassifier(n_estimators=4),
        tw.GradientBoostingClassifier(n_estimators=9),
    ],
)
def test_booleans_are_cut_at_a_half(model, missing: float) -> None:
    X = booleans(missing=missing)
    ours = clone(model).fit(X, noisy(X).astype(int))
    theirs = ours.to_sklearn()
    assert_same_answers(ours, theirs, X)
    flipped = X.assign(kind_b=~X["kind_b"], often=False)
    assert_same_answers(ours, theirs, flipped)
    if hasattr(ours, "tree_"):
        np.testing.assert_array_equal(theirs.apply(X), ours.apply(X))
        asks = theirs.tree_.feature >= 0
        about = theirs.tree_.feature[asks] != X.columns.get_loc("size")
        assert np.isin(theirs.tree_.threshold[asks][about], [0.5, np.inf]).all()
        assert about.any()


def test_a_matrix_of_booleans_alone_is_alike() -> None:
    X = np.random.default_rng(0).random((N_ROWS, 6)) < 0.5
    ours = tw.DecisionTreeClassifier(min_samples_leaf=3).fit(X, X[:, 0] ^ X[:, 3] & X[:, 5])
    theirs = ours.to_sklearn()
    assert_same_answers(ours, theirs, X)
    assert_same_answers(ours, theirs, ~X)


def test_a_boolean_that_is_known_or_missing_is_alike() -> None:
    X = pd.DataFrame({"yes": pd.array([True, None, False, None], dtype="boolean")})
    for y in ([0, 1, 0, 1], [1, 0, 1, 0]):
        ours = tw.DecisionTreeClassifier().fit(X, y)
        theirs = ours.to_sklearn()
        assert ours.predict(X).tolist() == y
        assert theirs.tree_.threshold[0] == np.inf
        assert_same_answers(ours, theirs, X)


def test_scikit_learns_names_tell_of_booleans() -> None:
    X = booleans()
    tree = tw.DecisionTreeClassifier(max_depth=3).fit(X, noisy(X)).tree_
    X = X.astype(float).to_numpy()
    node = np.zeros(N_ROWS, dtype=int)
    for _ in range(tree.max_depth):  # walk down by scikit-learn's names alone
        left = X[np.arange(N_ROWS), tree.feature[node]] <= tree.threshold[node]
        below = np.where(left, tree.children_left[node], tree.children_right[node])
        node = np.where(below >= 0, below, node)
    np.testing.assert_array_equal(node, tree.apply(booleans()))
    assert "kind_b <= 0.50" in sklearn.tree.export_text(
        tw.DecisionTreeClassifier(max_depth=3).fit(booleans(), noisy(booleans())),
        feature_names=list(booleans().columns),
    )


def test_classical_trees_of_booleans_lose_missing_values_only() -> None:
    X = booleans()
    ours = tw.C45Classifier().fit(X, noisy(X))
    with pytest.warns(ConversionWarning, match="to_sklearn: scikit-learn neither divides rows"):
        theirs = ours.to_sklearn()
    assert_same_answers(ours, theirs, X)


def test_boosting_of_categories_is_alike() -> None:
    X = mixed_table()
    y = X["a"].fillna(0) + 2 * (X["name"] == "y") - (X["size"] == "middle") + X["yes"] * X["count"]
    ours = tw.GradientBoostingRegressor(n_estimators=30).fit(X, y)
    theirs = ours.to_sklearn()
    assert_same_answers(ours, theirs, X)
    unseen = X.assign(name="never")
    assert_same_answers(ours, theirs, unseen)


def test_boosting_of_numbers_that_are_categories_is_alike() -> None:
    X = table(missing=0.1, dtype=np.float64)
    X[:, 2] = np.random.default_rng(3).integers(3, 40, N_ROWS)
    ours = tw.GradientBoostingClassifier(n_estimators=15, categorical_features=[2])
    ours.fit(X, (X[:, 2] % 3 == 0) ^ (X[:, 1] > 0))
    assert_same_answers(ours, ours.to_sklearn(), X)


def test_single_precision_is_told_and_thresholds_fit_it() -> None:
    X = table(dtype=np.float64)
    ours = tw.DecisionTreeRegressor().fit(X, value_of(X))
    theirs = ours.to_sklearn()
    assert theirs.precision_ == "float32"
    rounded = X.astype(np.float32)
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(rounded))
    asked = theirs.tree_.feature >= 0
    threshold = theirs.tree_.threshold[asked]
    np.testing.assert_array_equal(threshold, threshold.astype(np.float32))
    assert (threshold <= ours.tree_.threshold[asked]).all()


def test_names_of_columns_and_pickles_are_kept() -> None:
    X = pd.DataFrame(table(), columns=["a", "b", "c", "d"])
    ours = tw.RandomForestClassifier(n_estimators=3).fit(X, target(table(), "three"))
    theirs = pickle.loads(pickle.dumps(ours.to_sklearn()))
    assert theirs.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert theirs.classes_.tolist() == ["high", "low", "middle"]
    assert_same_answers(ours, theirs, X)


def test_partial_dependence_by_recursion_works_on_the_result() -> None:
    X = table()
    for ours in (
        tw.DecisionTreeRegressor(max_depth=4),
        tw.GradientBoostingRegressor(n_estimators=9),
    ):
        theirs = ours.fit(X, value_of(X)).to_sklearn()
        got = partial_dependence(theirs, X, [0], method="recursion")["average"]
        brute = partial_dependence(ours, X, [0], method="brute")["average"]
        assert np.corrcoef(got[0], brute[0])[0, 1] > 0.9


def test_the_result_can_be_fitted_again() -> None:
    X = table()
    theirs = tw.C45Classifier().fit(X, target(X, "two"))
    with pytest.warns(ConversionWarning, match="sends all rows that lack a value to one branch"):
        made = theirs.to_sklearn()
    assert clone(made).fit(X, target(X, "two")).get_n_leaves() > 1


@pytest.mark.parametrize("model", [tw.C45Classifier(), tw.CARTClassifier(), tw.ID3Classifier()])
def test_only_missing_values_are_lost_of_classical_trees(model) -> None:
    X = table()
    ours = model.fit(X, target(X, "three"))
    with pytest.warns(ConversionWarning, match="to_sklearn: scikit-learn neither divides rows"):
        theirs = ours.to_sklearn()
    assert_same_answers(ours, theirs, X)


def refused() -> dict:
    X, mixed = table(missing=0.1), mixed_table()
    full, y = table(), value_of(table())
    day = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=N_ROWS)})
    many = pd.DataFrame({"name": [f"v{i % 300}" for i in range(N_ROWS)]})
    more = tw.Schema().derive("more = a > b")
    named = pd.DataFrame(full, columns=["a", "b", "c", "d"])
    boost = tw.GradientBoostingRegressor
    costs = [[0, 1], [9, 0]]
    return {
        "category": (tw.DecisionTreeClassifier(), mixed[["name"]], mixed["name"] == "y"),
        "divided": (tw.C45Classifier(), X, value_of(X) > 0),
        "branches": (tw.CHAIDRegressor(), full, y),
        "lines": (tw.M5Regressor(), full, y),
        "oblique": (tw.ObliqueTreeRegressor(), full, full[:, 0] + full[:, 1]),
        "costs": (tw.DecisionTreeClassifier(max_depth=2, cost_matrix=costs), full, y > 0.5),
        "rules": (tw.C45RulesClassifier(), full, y > 0),
        "forest": (tw.RandomForestClassifier(n_estimators=3), mixed[["name"]], mixed["yes"]),
        "forest costs": (
            tw.RandomForestClassifier(
                n_estimators=3, estimator=tw.DecisionTreeClassifier(cost_matrix=costs)
            ),
            full,
            y > 0.5,
        ),
        "boosted lines": (boost(n_estimators=3, leaf_model="linear"), full, y),
        "init": (boost(n_estimators=3, init=tw.CARTRegressor()), full, y),
        "date": (boost(n_estimators=3), day, np.arange(N_ROWS) ** 2),
        "derived": (boost(n_estimators=3, schema=more), named, (named["a"] > named["b"]) * 1.0),
        "many": (boost(n_estimators=3), many, y),
        "one class": (tw.GradientBoostingClassifier(n_estimators=3), full, np.zeros(N_ROWS)),
    }


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("category", "node 0 asks for the category of column 'name'"),
        ("divided", "node 0 divides rows among its branches"),
        ("branches", r"node \d has \d+ branches"),
        ("lines", "its leaves hold linear models"),
        ("oblique", r"node \d asks about a linear combination of columns"),
        ("costs", r"leaf \d does not predict its most probable class"),
        ("rules", "rules make its predictions"),
        ("forest", "in tree 0 node 0 asks for the category of column 'name'"),
        ("forest costs", "chosen by a cost matrix"),
        ("boosted lines", "its leaves hold linear models"),
        ("init", "its scores start from another model, init=CARTRegressor"),
        ("date", "it asks about column 'day', whose values are dates"),
        ("derived", "it asks about 'more', a derived column"),
        ("many", "column 'name' has 300 categories, and scikit-learn takes 255"),
        ("one class", "it knows one class only"),
    ],
)
@pytest.mark.filterwarnings("ignore::treewright.errors.TreewrightWarning")
def test_what_scikit_learn_cannot_have_is_named(part: str, told: str) -> None:
    model, X, y = refused()[part]
    with pytest.raises(UnsupportedError, match=told) as caught:
        model.fit(X, y).to_sklearn()
    assert f"{type(model).__name__}.to_sklearn: no model of scikit-learn can" in str(caught.value)


@pytest.mark.parametrize(
    "model",
    [
        tw.DecisionTreeClassifier(),
        tw.CARTClassifier(),
        tw.C45Classifier(),
        tw.RandomForestClassifier(n_estimators=3),
        tw.ExtraTreesClassifier(n_estimators=3),
        tw.BaggingClassifier(n_estimators=3),
        tw.BaggingClassifier(LogisticRegression(), n_estimators=3),
        tw.GradientBoostingClassifier(n_estimators=3),
        tw.HistGradientBoostingClassifier(max_iter=3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("calibrate", ["temperature", "isotonic"])
def test_calibrated_probabilities_are_not_lost_in_silence(model: Any, calibrate: str) -> None:
    X, model = table(), clone(model).set_params(calibrate=calibrate)
    with pytest.raises(UnsupportedError) as caught:
        model.fit(X, value_of(X) > 0.5).to_sklearn()
    assert str(caught.value) == (
        f"{type(model).__name__}.to_sklearn: the probabilities of this model are calibrated"
        f" (calibrate={calibrate!r}), and a model of scikit-learn tells those of its trees.\n"
        "  Hint: use the model itself, which has scikit-learn's methods; or fit with"
        " calibrate=None."
    )


def test_costs_of_scikit_learns_bagging_are_not_lost_in_silence() -> None:
    X, costs = table(), [[0, 1], [9, 0]]
    bagged = tw.BaggingClassifier(LogisticRegression(), n_estimators=3, cost_matrix=costs)
    with pytest.raises(UnsupportedError, match="chosen by a cost matrix"):
        bagged.fit(X, value_of(X) > 0.5).to_sklearn()


@pytest.mark.parametrize(
    "model", [tw.CARTClassifier(), tw.ExtraTreesRegressor(), tw.GradientBoostingClassifier()]
)
def test_an_unfitted_model_says_so(model) -> None:
    with pytest.raises(NotFittedError):
        model.to_sklearn()
