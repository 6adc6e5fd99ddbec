"""``explain(row)`` of ensembles: the answer, the votes, and the columns that carried it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from every_estimator import CLASSIFIERS, ENSEMBLES, ESTIMATORS
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import treewright as tw
from treewright.errors import ColumnMismatchError, CompactError, DataError, UnsupportedError
from treewright.explain.importances import Importances

N_ROWS = 300
RANDOM = np.random.default_rng(3)
X = pd.DataFrame(
    {
        "income": RANDOM.normal(1000, 300, N_ROWS).round(),
        "kind": RANDOM.choice(["red", "green", "blue"], N_ROWS),
        "age": RANDOM.integers(18, 80, N_ROWS),
        "idle": np.zeros(N_ROWS),
    }
)
VALUE = X["income"] / 100 + 5 * (X["kind"] == "red") + RANDOM.normal(size=N_ROWS)
CLASSES = np.where(VALUE > 14, "high", np.where(VALUE > 10, "middle", "low"))
ROW = X.iloc[[7]]


def target_of(made: Any) -> Any:
    return CLASSES if made in CLASSIFIERS else VALUE


@pytest.mark.parametrize("made", ENSEMBLES)
def test_an_explanation_adds_up_to_the_prediction(made: Any) -> None:
    model = made().fit(X, target_of(made))
    told = model.explain(ROW)
    assert told.label == model.predict(ROW)[0]
    if made in CLASSIFIERS:
        np.testing.assert_array_equal(told.answer, model.predict_proba(ROW)[0])
        assert f"{told.label}  (" in str(told)
    explained = told.shap.answers[0]
    if hasattr(model, "decision_function"):  # of the predicted class
        due = model.decision_function(ROW)[0][model.classes_.tolist().index(told.label)]
    elif made in CLASSIFIERS:
        due = told.answer.max()
    else:
        due = told.label
    assert explained == pytest.approx(due, rel=1e-9)


@pytest.mark.parametrize("made", ENSEMBLES)
def test_an_explanation_fits_on_a_small_screen(made: Any) -> None:
    wide = X.assign(
        **{f"a column with a rather long name {i}": RANDOM.normal(size=N_ROWS) for i in range(9)}
    )
    wide["kind"] = wide["kind"] + " and further words that nobody needs"
    names = np.array(["a class of which much can be said", "another such class"])
    y = names[(VALUE > 12).astype(int)] if made in CLASSIFIERS else VALUE
    lines = str(made().fit(wide, y).explain(wide.iloc[[3]])).splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 80
    assert lines[-1].startswith("answer")


def test_the_votes_are_those_of_the_trees() -> None:
    forest = tw.RandomForestClassifier(n_estimators=30, max_depth=2).fit(X, CLASSES)
    told = forest.explain(ROW)
    due = [tree.predict(ROW)[0] for tree in forest]
    assert told.said[:, 0].tolist() == due
    counts = sorted(((due.count(name), name) for name in set(due)), reverse=True)
    assert told.votes.startswith(f"{counts[0][0]} of 30 trees say {counts[0][1]}, ")
    assert told.votes.endswith(f"{counts[-1][0]} {counts[-1][1]}")


def test_votes_are_weighted_where_the_model_weighs_them() -> None:
    model = tw.AdaBoostClassifier(n_estimators=5).fit(X, CLASSES)
    said = model.explain(ROW).said[:, 0]
    share = model.estimator_weights_[said == said[0]].sum() / model.estimator_weights_.sum()
    assert f"{100 * share:.1f} %" in str(model.explain(ROW))


def test_numbers_tell_the_spread_of_the_trees() -> None:
    forest = tw.RandomForestRegressor(n_estimators=20).fit(X, VALUE)
    told = forest.explain(ROW)
    assert told.said.mean() == pytest.approx(told.label)
    assert "half of 20 trees say " in str(told)


def test_the_median_is_explained_by_its_tree() -> None:
    model = tw.AdaBoostRegressor(n_estimators=9).fit(X, VALUE)
    told = model.explain(ROW)
    tree = model[int(np.argmax(told.said[:, 0] == told.label))]
    np.testing.assert_array_equal(told.shap.values, tree.shap_values(ROW).values)


def test_rounds_add_up_to_the_score() -> None:
    model = tw.GradientBoostingClassifier(n_estimators=12).fit(X, VALUE > 12)
    told = model.explain(ROW)
    score = model.decision_function(ROW)[0]
    assert told.said.sum() + model.ensemble_.base[0] == pytest.approx(score)
    n_up = int((told.said > 0).sum())
    assert f"{n_up} of 12 rounds raise the score of True" in str(told)


def test_only_values_that_are_asked_are_needed() -> None:
    for model in (
        tw.RandomForestClassifier(n_estimators=5, max_features=None),
        tw.GradientBoostingClassifier(n_estimators=5),
        tw.AdaBoostClassifier(n_estimators=5),
        tw.BaggingClassifier(tw.CARTClassifier(), n_estimators=3),
    ):
        model.fit(X, CLASSES)
        row = ROW.iloc[0].to_dict()
        told = str(model.explain(row))
        del row["idle"]
        assert str(model.explain(row)).replace("?", "0") == told.replace("?", "0")
        del row["income"]
        with pytest.raises(ColumnMismatchError, match="income"):
            model.explain(row)


def test_several_outputs_are_explained_side_by_side() -> None:
    forest = tw.RandomForestClassifier(n_estimators=9)
    both = np.column_stack([CLASSES, np.where(VALUE > 12, "yes", "no")])
    told = forest.fit(X, both).explain(ROW)
    assert told.label == tuple(forest.predict(ROW)[0])
    np.testing.assert_allclose(
        told.shap.answers[0], [part.max() for part in forest.predict_proba(ROW)]
    )
    assert max(map(len, str(told).splitlines())) <= 80
    many = tw.ExtraTreesRegressor(n_estimators=3).fit(X, np.column_stack([VALUE] * 5))
    assert "and 3 more outputs" in str(many.explain(ROW))


def test_what_is_no_sum_of_columns_says_so_and_still_tells_the_votes() -> None:
    gaps = X.assign(income=X["income"].mask(RANDOM.random(N_ROWS) < 0.2))
    model = tw.BaggingClassifier(tw.C45Classifier(combine="leaf_counts"), n_estimators=5)
    model.fit(gaps, CLASSES)
    told = model.explain({"income": None, "kind": "red", "age": 30})
    assert told.shap is None
    assert "no sum of columns" in told.no_shap
    assert "of 5 trees" in str(told)


def test_what_cannot_be_explained_is_refused() -> None:
    with pytest.raises(NotFittedError):
        tw.RandomForestClassifier().explain(ROW)
    model = tw.GradientBoostingRegressor(n_estimators=2, init=tw.CARTRegressor()).fit(X, VALUE)
    with pytest.raises(UnsupportedError, match="explain explains the trees, and init adds"):
        model.explain(ROW)
    compact = tw.ExtraTreesRegressor(n_estimators=2).fit(X[["age"]], VALUE).compact()
    with pytest.raises(CompactError):
        compact.explain([30])
    others = tw.BaggingClassifier(LogisticRegression()).fit(X[["age"]], CLASSES)
    with pytest.raises(AttributeError, match="LogisticRegression has no trees"):
        others.explain([30])
    with pytest.raises(DataError, match="One row is due"):
        tw.RandomForestClassifier(n_estimators=2).fit(X, CLASSES).explain(X)


@pytest.mark.parametrize("y", [np.zeros(N_ROWS), np.array(["one"] * N_ROWS)])
@pytest.mark.filterwarnings("ignore::treewright.errors.TreewrightWarning")
def test_one_class_is_explained(y: Any) -> None:
    for made in CLASSIFIERS:
        if made in ENSEMBLES:
            told = made().fit(X, y).explain(ROW)
            assert told.label == y[0]
            assert "100.0 %" in str(told)


@pytest.mark.parametrize("made", ESTIMATORS)
def test_every_model_has_importances_by_name_and_explains(made: Any) -> None:
    model = made().fit(X, target_of(made))
    importances = model.importances()
    assert isinstance(importances, Importances)
    assert importances.names == tuple(X.columns)
    np.testing.assert_allclose(importances.mean, model.feature_importances_, atol=1e-12)
    assert "income" in str(importances)
    assert str(model.predict(ROW)[0])[:3] in str(model.explain(ROW))
