"""SHAP values as every estimator returns them: sums, names, shapes, refusals."""

import sys
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.data.schema import Schema
from treewright.errors import CompactError, DataError, ParameterError, UnsupportedError
from treewright.explain.shap_values import ShapValues

RANDOM = np.random.default_rng(11)
X = RANDOM.normal(size=(150, 5)).round(1)
NUMBERS = X[:, 0] * X[:, 1] + np.where(X[:, 2] > 0, 2.0, X[:, 3])
TWO = np.where(NUMBERS > 0.5, "yes", "no")
THREE = np.array(["low", "mid", "top"])[np.digitize(NUMBERS, [0.0, 1.5])]
HOLES = np.where(RANDOM.random(X.shape) < 0.15, np.nan, X)
MIXED = {"a": HOLES[:, 0], "b": HOLES[:, 1], "k": np.where(X[:, 2] > 0, "p", THREE)}

CLASSIFIERS = [
    tw.DecisionTreeClassifier(max_depth=4),
    tw.C45Classifier(),
    tw.CARTClassifier(max_depth=4),
    tw.DecisionTreeClassifier(missing="surrogates", max_depth=4),
    tw.ID3Classifier(max_depth=3),
    tw.CHAIDClassifier(),
    tw.ObliqueTreeClassifier(max_depth=3),
    tw.RandomForestClassifier(n_estimators=7),
    tw.RandomForestClassifier(n_estimators=7, vote="hard"),
    tw.ExtraTreesClassifier(n_estimators=7),
    tw.BaggingClassifier(tw.C45Classifier(), n_estimators=5),
]
REGRESSORS = [
    tw.DecisionTreeRegressor(max_depth=5),
    tw.DecisionTreeRegressor(leaf_model="linear", max_depth=3),
    tw.CARTRegressor(max_depth=4),
    tw.CHAIDRegressor(),
    tw.M5Regressor(),
    tw.RandomForestRegressor(n_estimators=7),
    tw.ExtraTreesRegressor(n_estimators=7),
    tw.BaggingRegressor(tw.M5Regressor(), n_estimators=4),
    tw.GradientBoostingRegressor(n_estimators=9),
    tw.GradientBoostingRegressor(n_estimators=9, leaf_model="linear"),
]


def named(models: list[Any]) -> Any:
    return pytest.mark.parametrize("model", models, ids=[repr(model)[:60] for model in models])


def assert_adds_up(found: ShapValues, answers: Any) -> None:
    scale = max(1.0, float(np.abs(answers).max()))
    np.testing.assert_allclose(found.answers, answers, rtol=1e-12, atol=1e-12 * scale)


def tables_of(model: Any) -> list[Any]:
    if isinstance(model, tw.ObliqueTreeClassifier):
        return [X]
    return [X, HOLES, MIXED]


@named(CLASSIFIERS)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("beside", [False, True])
def test_values_add_up_to_the_probabilities(model: Any, y: Any, beside: bool) -> None:
    for table in tables_of(model):
        model.fit(table, y)
        rows = {k: v[:5] for k, v in table.items()} if isinstance(table, dict) else table[:5]
        if getattr(model, "vote", "soft") == "hard" and table is MIXED:
            continue  # unseen categories are divided, and trees that vote refuse such rows
        found = model.shap_values(table, background=rows if beside else None)
        assert found.output_names == tuple(model.classes_)
        assert found.values.shape == (150, model.n_features_in_, len(model.classes_))
        assert_adds_up(found, model.predict_proba(table))
        np.testing.assert_allclose(found.values.sum(axis=2), 0.0, atol=1e-12)


@named(REGRESSORS)
@pytest.mark.parametrize("beside", [False, True])
def test_values_add_up_to_the_number(model: Any, beside: bool) -> None:
    for table in tables_of(model):
        model.fit(table, NUMBERS)
        rows = {k: v[:5] for k, v in table.items()} if isinstance(table, dict) else table[:5]
        found = model.shap_values(table, background=rows if beside else None)
        assert found.output_names == ("prediction",)
        assert found.values.shape == (150, model.n_features_in_)
        assert_adds_up(found, model.predict(table))


@named([tw.RandomForestClassifier(n_estimators=5), tw.GradientBoostingRegressor(n_estimators=5)])
def test_threads_change_no_bit(model: Any) -> None:
    y = TWO if hasattr(model, "predict_proba") else NUMBERS
    one = model.set_params(n_jobs=1).fit(HOLES, y).shap_values(HOLES, background=HOLES[:3])
    many = model.set_params(n_jobs=3).shap_values(HOLES, background=HOLES[:3])
    assert np.array_equal(one.values, many.values)


def test_several_outputs_are_side_by_side() -> None:
    y = np.column_stack([TWO, THREE])
    model = tw.RandomForestClassifier(n_estimators=3).fit(X, y)
    found = model.shap_values(X)
    assert found.output_names[:3] == ("output 0: no", "output 0: yes", "output 1: low")
    assert_adds_up(found, np.hstack(model.predict_proba(X)))
    numbers = tw.DecisionTreeRegressor(max_depth=3).fit(X, np.column_stack([NUMBERS, X[:, 4]]))
    assert_adds_up(numbers.shap_values(X), numbers.predict(X))


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("depth", [1, 3])
def test_adaboost_explains_its_decision_function(y: Any, depth: int) -> None:
    tree = tw.DecisionTreeClassifier(max_depth=depth)
    model = tw.AdaBoostClassifier(tree, n_estimators=8).fit(HOLES, y)
    for background in (None, HOLES[:4]):
        found = model.shap_values(HOLES, background=background)
        assert_adds_up(found, model.decision_function(HOLES))
    assert found.scale == "decision function"
    pairs = model.shap_values(HOLES, interactions=True)
    assert_adds_up(pairs, model.decision_function(HOLES))


@pytest.mark.parametrize("leaf_model", ["constant", "linear"])
def test_boosting_explains_scores_and_probabilities(leaf_model: str) -> None:
    options: dict[str, Any] = {"n_estimators": 6, "leaf_model": leaf_model}
    model = tw.GradientBoostingClassifier(**options).fit(HOLES, TWO)
    assert_adds_up(model.shap_values(HOLES), model.decision_function(HOLES))
    found = model.shap_values(HOLES, background=HOLES[:6], output="probability")
    assert found.scale == "probability"
    assert found.output_names == ("yes",)
    assert_adds_up(found, model.predict_proba(HOLES)[:, 1])
    pairs = model.shap_values(HOLES, background=HOLES[:6], output="probability", interactions=True)
    np.testing.assert_allclose(pairs.values.sum(axis=2), found.values, atol=1e-12)
    many = tw.GradientBoostingClassifier(**options).fit(HOLES, THREE)
    assert_adds_up(many.shap_values(HOLES, background=HOLES[:3]), many.decision_function(HOLES))
    counts = tw.GradientBoostingRegressor(loss="poisson", n_estimators=5).fit(X, NUMBERS**2)
    assert_adds_up(counts.shap_values(X), np.log(counts.predict(X)))


def test_targets_of_extreme_size_add_up() -> None:
    for y in (NUMBERS * 1e300, NUMBERS * 1e-300):
        model = tw.GradientBoostingRegressor(n_estimators=4).fit(X, y)
        for background in (None, X[:3]):
            found = model.shap_values(X, background=background).answers
            assert found / np.abs(y).max() == pytest.approx(
                model.predict(X) / np.abs(y).max(), abs=1e-12
            )


def test_derived_columns_are_credited_to_their_sources() -> None:
    schema = Schema().derive("sum = x0 + x1")
    y = (X[:, 0] + X[:, 1] > 0).astype(float)
    model = tw.DecisionTreeRegressor(max_depth=1, schema=schema).fit(X, y)
    found = model.shap_values(X)
    assert found.feature_names == ("x0", "x1", "x2", "x3", "x4")
    assert_adds_up(found, model.predict(X))
    assert np.array_equal(found.values[:, 0], found.values[:, 1])
    assert not found.values[:, 2:].any()
    pairs = model.shap_values(X, interactions=True)
    assert_adds_up(pairs, model.predict(X))
    np.testing.assert_allclose(pairs.values.sum(axis=2), found.values, atol=1e-12)


def test_a_category_that_training_did_not_know_is_divided_and_adds_up() -> None:
    table = {"k": ["p", "q", "r", "p", "q", "r"] * 5, "x": X[:30, 0]}
    model = tw.DecisionTreeRegressor(max_depth=4).fit(table, NUMBERS[:30])
    new = {"k": ["s", None, "p"], "x": [0.1, np.nan, -2.0]}
    found = model.shap_values(new)
    assert_adds_up(found, model.predict(new))
    assert found.data.tolist()[0] == [None, 0.1]


def test_a_tree_has_the_method_too_and_takes_columns_by_name() -> None:
    model = tw.DecisionTreeClassifier(max_depth=3).fit(MIXED, TWO)
    turned = {name: MIXED[name] for name in ("k", "b", "a")}
    of_tree = model.tree_.shap_values(turned)
    assert np.array_equal(of_tree.values, model.shap_values(MIXED).values)


def test_it_is_an_array_and_prints_a_table() -> None:
    model = tw.DecisionTreeRegressor(max_depth=2).fit(MIXED, NUMBERS)
    found = model.shap_values(MIXED)
    assert np.array_equal(np.asarray(found), found.values)
    assert len(found) == 150
    assert repr(found) == "ShapValues(150 x 3, scale='prediction')"
    assert str(found).splitlines()[0].split() == ["column", "mean", "|prediction|"]
    one = found[0]
    assert one.values.shape == (1, 3)
    lines = str(one).splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["base", "answer"]
    assert float(lines[-1].split()[-1]) == pytest.approx(model.predict(MIXED)[0], abs=1e-3)
    assert found.text(max_columns=1).splitlines()[-1].startswith("2 more")
    assert found[2:5].values.shape == (3, 3)


def test_no_row_gives_no_values_and_the_base() -> None:
    tree = tw.DecisionTreeRegressor(max_depth=2).fit(X, NUMBERS).tree_
    assert tree.shap_values(X[:1]).base_values == pytest.approx(NUMBERS.mean())


def test_a_genuine_explanation_where_shap_is_installed() -> None:
    shap = pytest.importorskip("shap")
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X, THREE)
    given = model.shap_values(X).to_shap()
    assert isinstance(given, shap.Explanation)
    assert given.shape == (150, 5, 3)
    assert given.data.dtype == np.float64  # plots of shap look for nan, which objects cannot have
    mixed = tw.DecisionTreeRegressor(max_depth=2).fit(MIXED, NUMBERS).shap_values(MIXED)
    assert mixed.to_shap().data.dtype == object


def test_without_shap_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shap", None)
    found = tw.DecisionTreeRegressor(max_depth=1).fit(X, NUMBERS).shap_values(X)
    with pytest.raises(ImportError, match="pip install shap"):
        found.to_shap()


def refused(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)


def test_what_has_no_values_that_add_up_is_refused_with_the_reason() -> None:
    r2 = tw.AdaBoostRegressor(n_estimators=3).fit(X, NUMBERS)
    refused(lambda: r2.shap_values(X), UnsupportedError, "weighted median of its trees")
    refused(lambda: r2.shap_values(X, background=X), UnsupportedError, "weighted median")
    rules = tw.C45RulesClassifier().fit(X, TWO)
    refused(lambda: rules.shap_values(X), UnsupportedError, "predicts by a list of rules")
    assert rules.tree_.shap_values(X).values.shape == (150, 5, 2)
    counts = tw.C45Classifier(combine="leaf_counts").fit(HOLES, TWO)
    refused(lambda: counts.shap_values(HOLES), UnsupportedError, "no sum of columns")
    assert_adds_up(counts.shap_values(X), counts.predict_proba(X))
    hard = tw.RandomForestClassifier(estimator=tw.C45Classifier(), vote="hard", n_estimators=5).fit(
        HOLES, TWO
    )
    refused(lambda: hard.shap_values(HOLES), UnsupportedError, "its trees vote for the class")
    assert_adds_up(hard.shap_values(X), hard.predict_proba(X))
    wide = RANDOM.normal(size=(400, 18))
    oblique = tw.ObliqueTreeRegressor(max_depth=6).fit(wide, wide.sum(axis=1))
    if len(oblique.tree_.used_columns) > 14:
        refused(lambda: oblique.shap_values(wide[:1]), UnsupportedError, "are asked together")
    forest = tw.RandomForestClassifier(n_estimators=2).fit(X, TWO).compact()
    refused(lambda: forest.shap_values(X), CompactError, "compacted forest")


def test_what_boosting_cannot_explain_is_refused_with_the_reason() -> None:
    two = tw.GradientBoostingClassifier(n_estimators=2).fit(X, TWO)
    refused(lambda: two.shap_values(X, output="probability"), UnsupportedError, "needs background=")
    three = tw.GradientBoostingClassifier(n_estimators=2).fit(X, THREE)
    refused(
        lambda: three.shap_values(X, output="probability", background=X),
        UnsupportedError,
        "is for two classes",
    )
    numbers = tw.GradientBoostingRegressor(n_estimators=2).fit(X, NUMBERS)
    refused(
        lambda: numbers.shap_values(X, output="probability", background=X),
        UnsupportedError,
        "predicts numbers",
    )
    refused(lambda: two.shap_values(X, output="odds"), ParameterError, "output='odds'")
    refused(
        lambda: two.shap_values(X, by_hessian=True, background=X), UnsupportedError, "by_hessian"
    )
    tree = tw.DecisionTreeRegressor(max_depth=1).fit(X, NUMBERS)
    refused(lambda: tree.shap_values(X, background=X[:0]), DataError, "0 sample(s)")
    refused(lambda: tree.shap_values(X, interactions="yes"), ParameterError, "interactions='yes'")
