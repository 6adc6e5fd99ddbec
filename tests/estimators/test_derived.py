"""Trees on derived columns: the first robot example, and all that is done with a tree."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from every_estimator import ESTIMATORS
from sklearn.base import clone, is_classifier
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import cross_val_score

from treewright import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    Schema,
    load_example,
)
from treewright.errors import ColumnMismatchError, ParameterError

# Posik, Decision Trees, Example 1: "allies have the same shape of their head and body". The text
# has no table of it; the robots are those of Example 2, where "some robots changed their
# attitudes".
ROBOTS = load_example("robots").X
ATTITUDE = np.where(ROBOTS["head"] == ROBOTS["body"], "ally", "enemy")
SAME_SHAPE = Schema().derive("same_shape = head == body")

CLASSIFIERS = [DecisionTreeClassifier, ID3Classifier, C45Classifier]


@pytest.fixture(params=CLASSIFIERS)
def robots(request: pytest.FixtureRequest) -> Any:
    return request.param(schema=SAME_SHAPE).fit(ROBOTS, ATTITUDE)


def test_one_split_tells_the_robots_apart(robots: Any) -> None:
    assert sorted(ATTITUDE) == ["ally"] * 4 + ["enemy"] * 4
    assert robots.tree_.n_tests == 1
    assert robots.tree_.text() == (
        "node                         rows  ally  enemy\n"
        "   0  (all rows)                8     4      4\n"
        "   1  ├─ same_shape = False     4     0      4  → enemy\n"
        "   2  └─ same_shape = True      4     4      0  → ally"
    )
    assert robots.score(ROBOTS, ATTITUDE) == 1.0
    plain = clone(robots).set_params(schema=None).fit(ROBOTS, ATTITUDE)
    assert plain.tree_.n_tests > 1 or plain.score(ROBOTS, ATTITUDE) < 0.8


def test_the_relation_holds_for_shapes_never_seen(robots: Any) -> None:
    # Other columns may be missing: only the relation is asked about.
    others = dict.fromkeys(("smile", "neck", "holds"))
    rows = [{"head": "star", "body": "star"}, {"head": "star", "body": "moon"}]
    assert robots.predict([row | others for row in rows]).tolist() == ["ally", "enemy"]
    assert robots.tree_.explain({"head": None, "body": "star"}).steps[0].value == "missing"


def test_what_is_said_about_the_table_is_about_its_own_columns(robots: Any) -> None:
    assert robots.n_features_in_ == 5
    assert robots.feature_names_in_.tolist() == ["head", "body", "smile", "neck", "holds"]
    assert robots.tree_.schema.names == (*robots.feature_names_in_, "same_shape")
    assert robots.tree_.importances().mean.tolist() == [0, 0, 0, 0, 0, 1]
    assert robots.feature_importances_.tolist() == [0.5, 0.5, 0, 0, 0]
    assert robots.tree_.unused_columns == ("smile", "neck", "holds")


def test_rules_and_explanations_name_the_relation(robots: Any) -> None:
    tree = robots.tree_
    assert [str(rule) for rule in tree.rules()] == [
        "IF same_shape = False THEN enemy  (4 covered, 0 wrong)",
        "IF same_shape = True THEN ally  (4 covered, 0 wrong)",
    ]
    assert tree.dnf("ally").text() == "(same_shape = True)"
    assert tree.dnf("ally").evaluate(ROBOTS).tolist() == (ATTITUDE == "ally").tolist()
    row = {"head": "circle", "body": "circle"}
    explained = tree.explain(row)
    assert explained.label == "ally"
    assert [(step.column, step.value) for step in explained.steps] == [("same_shape", "True")]
    assert tree.rules()[1].matches(row)
    assert not tree.rules()[0].matches(row)
    assert tree.explain(["circle", "square", "yes", "tie", "ball"]).label == "enemy"
    with pytest.raises(ColumnMismatchError, match="body"):
        tree.explain({"head": "circle"})
    assert "same_shape = False" in tree.why(0).text(detail=False)


def test_a_pickled_tree_computes_its_columns(robots: Any) -> None:
    again = pickle.loads(pickle.dumps(robots))
    np.testing.assert_array_equal(again.predict(ROBOTS), ATTITUDE)
    assert again.tree_.schema == robots.tree_.schema
    assert str(again.tree_.why(0, ROBOTS, ATTITUDE)) == str(robots.tree_.why(0))
    described = json.loads(json.dumps(again.tree_.to_dict()))
    assert described["derived"] == ["same_shape = head == body"]
    assert described["columns"][-1]["name"] == "same_shape"


def test_trees_take_columns_by_name_and_estimators_in_order(robots: Any) -> None:
    frame = ROBOTS.to_pandas()
    turned = frame[frame.columns[::-1]].assign(same_shape=False, other=1)
    np.testing.assert_array_equal(robots.tree_.predict(turned), ATTITUDE)
    with pytest.raises(ColumnMismatchError, match="Feature names unseen at fit time"):
        robots.predict(turned)
    with pytest.raises(ColumnMismatchError, match="same order"):
        robots.predict(frame[frame.columns[::-1]])


def test_scikit_learn_clones_selects_and_validates() -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(300, 4)), columns=list("abcd"))
    y = (X["a"] - X["b"] > 0.2).astype(int)
    model = DecisionTreeClassifier(schema=Schema().derive("gap = a - b"), max_depth=1)
    assert clone(model).get_params()["schema"] == model.schema
    assert cross_val_score(model, X, y, cv=3).min() > 0.95
    plain = DecisionTreeClassifier(max_depth=1)
    assert cross_val_score(plain, X, y, cv=3).max() < 0.9
    chosen = SelectFromModel(model).fit(X, y)
    assert chosen.get_support().tolist() == [True, True, False, False]


@pytest.mark.parametrize("made", [made for made in ESTIMATORS if "schema" in made().get_params()])
def test_every_estimator_with_a_schema_takes_them(made: Any) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(120, 3))
    y = np.where(X[:, 0] > X[:, 1], 1, 0)
    y = y if is_classifier(made()) else y * 10.0 + X[:, 2]
    schema = Schema().derive("more = x0 > x1", "gap = x0 - x1")
    # Few rounds at a low rate go only part of the way.
    steps = {"learning_rate": 0.5} if "GradientBoosting" in type(made()).__name__ else {}
    model = made(schema=schema, **steps).fit(X, y)
    answers = model.predict(X)
    is_right = answers == y if is_classifier(model) else np.abs(answers - y) < 5
    assert is_right.mean() > 0.95
    assert model.n_features_in_ == 3
    one_by_one = [model.predict(row[np.newaxis])[0] for row in X[:10]]
    np.testing.assert_allclose(one_by_one, answers[:10], rtol=1e-12)


def test_lists_that_are_about_columns_are_about_those_of_the_table() -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(200, 3))
    schema = Schema().derive("gap = x0 - x1")
    model = DecisionTreeRegressor(schema=schema, monotonic_cst=[0, 0, 1], max_depth=3)
    model.fit(X, X[:, 2] + (X[:, 0] > X[:, 1]))
    named = DecisionTreeRegressor(schema=schema, monotonic_cst={"x2": 1}, max_depth=3)
    named.fit(X, X[:, 2] + (X[:, 0] > X[:, 1]))
    assert model.tree_.text() == named.tree_.text()
    with pytest.raises(ParameterError, match="has length 4, but the table has 3 columns"):
        DecisionTreeRegressor(schema=schema, monotonic_cst=[0, 0, 1, 0]).fit(X, X[:, 0])


def test_a_relation_of_dear_columns_is_dear() -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(200, 3))
    gap = X[:, 0] - X[:, 1]
    y = (gap > 0).astype(int)
    X[:, 2] = gap + random.normal(size=200)  # cheap, and nearly as good
    schema = Schema().derive("gap = x0 - x1")

    def first_asked(**settings: Any) -> str:
        model = DecisionTreeClassifier(schema=schema, max_depth=1, **settings).fit(X, y)
        question = model.tree_.question(0)
        assert question is not None
        return question.column.name

    assert first_asked() == "gap"
    assert first_asked(column_costs={"x0": 50.0}) == "x2"
    assert first_asked(column_costs=[50.0, 50.0, 1.0]) == "x2"
    assert first_asked(column_costs={"x0": 50.0, "gap": 1.0}) == "gap"
    with pytest.raises(ParameterError, match=r"column_costs\['x0'\]='dear'"):
        first_asked(column_costs={"x0": "dear"})
