"""Small trees as features: the columns, their names, and what a linear learner makes of them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline

import treewright as tw
from treewright import TreeFeatures, load_example
from treewright.errors import DataError, ParameterError, TargetError, UnsupportedError
from treewright.estimators.forest.random_forest import RandomForestClassifier

play, iris, loans = map(load_example, ("play_tennis", "iris", "loans"))
random = np.random.default_rng(0)
X_NUMBERS = random.normal(size=(300, 8))
YES = np.where(X_NUMBERS[:, 0] + X_NUMBERS[:, 1] ** 2 > 0.5, "yes", "no")
AMOUNT = X_NUMBERS[:, 0] * 3 + random.normal(size=300)


# ---------------------------------------------------------------- columns


def test_the_recipe_of_the_lecture_says_yes_and_no_by_a_hundred_stumps() -> None:
    features = TreeFeatures().fit(X_NUMBERS, YES)
    columns = features.transform(X_NUMBERS)
    assert columns.shape == (300, 100)
    assert set(np.unique(columns)) == {-1.0, 1.0}
    assert all(tree.depth == 1 for tree in features.ensemble_)
    for number in (0, 7, 99):
        says = features.estimators_[number].predict(X_NUMBERS)
        np.testing.assert_array_equal(columns[:, number] == 1.0, says == "yes")


def test_every_tree_asks_only_its_half_of_the_columns() -> None:
    features = TreeFeatures(50, max_depth=4).fit(X_NUMBERS, YES)
    assert all(len(tree.used_columns) <= 4 for tree in features.ensemble_)
    assert len({tree.used_columns for tree in features.ensemble_}) > 10


@pytest.mark.parametrize("data", [(X_NUMBERS, YES), (iris.X, iris.y), (loans.X, loans.y)])
def test_shares_are_those_of_the_trees(data: tuple[Any, Any]) -> None:
    X, y = data
    features = TreeFeatures(5, max_depth=3, output="proba").fit(X, y)
    columns = features.transform(X)
    shares = [np.asarray(tree.predict_proba(X)) for tree in features.estimators_]
    n_classes = len(features.classes_)
    each = [share[:, 1:] if n_classes == 2 else share for share in shares]
    np.testing.assert_array_equal(columns, np.hstack(each))


@pytest.mark.parametrize("data", [(iris.X, iris.y), (loans.X, loans.y)])
def test_of_several_classes_one_column_of_a_tree_is_high(data: tuple[Any, Any]) -> None:
    X, y = data
    features = TreeFeatures(4, max_depth=2).fit(X, y)
    by_tree = features.transform(X).reshape(len(y), 4, 3)
    np.testing.assert_array_equal(by_tree.sum(axis=2), -1.0)  # 1 - 1 - 1
    for number, tree in enumerate(features.estimators_):
        says = features.classes_[by_tree[:, number].argmax(axis=1)]
        np.testing.assert_array_equal(says, tree.predict(X))


@pytest.mark.parametrize("estimator", [None, tw.M5Regressor(), tw.CARTRegressor()])
def test_of_numbers_a_tree_says_what_it_predicts(estimator: Any) -> None:
    features = TreeFeatures(4, estimator=estimator).fit(X_NUMBERS, AMOUNT)
    assert features.task_ == "numbers"
    told = np.column_stack([tree.predict(X_NUMBERS) for tree in features.estimators_])
    np.testing.assert_array_equal(features.transform(X_NUMBERS), told)


def test_several_outputs_stand_side_by_side() -> None:
    both = np.column_stack([AMOUNT, -2.0 * AMOUNT])
    features = TreeFeatures(3).fit(X_NUMBERS, both)
    told = np.hstack([tree.predict(X_NUMBERS) for tree in features.estimators_])
    np.testing.assert_array_equal(features.transform(X_NUMBERS), told)
    assert len(features.get_feature_names_out()) == 6
    classes = np.column_stack([YES, np.where(X_NUMBERS[:, 2] > 0, "a", "b")])
    named = TreeFeatures(2).fit(X_NUMBERS, classes)
    assert named.transform(X_NUMBERS).shape == (300, 4)
    assert "(output 1)" in named.get_feature_names_out()[1]


@pytest.mark.parametrize("data", [(X_NUMBERS, YES), (loans.X, loans.y)])
def test_every_row_is_in_one_leaf_of_each_tree(data: tuple[Any, Any]) -> None:
    X, y = data
    features = TreeFeatures(6, max_depth=3, output="leaf").fit(X, y)
    columns = features.transform(X)
    assert issparse(columns)
    assert columns.nnz == 6 * len(y)
    names = features.get_feature_names_out()
    assert columns.shape[1] == len(names) == len(set(names)) > 12
    dense = features.set_params(sparse_output=False).transform(X)
    np.testing.assert_array_equal(dense, columns.toarray())
    first = 0
    for tree in features.ensemble_:
        own = dense[:, first : first + tree.n_leaves]
        np.testing.assert_array_equal(own.sum(axis=1), 1.0)
        leaves = tree.apply(X)
        for place, rule in enumerate(tree.rules()):
            np.testing.assert_array_equal(own[:, place] == 1.0, leaves == rule.leaf)
        first += tree.n_leaves


def test_divided_rows_are_told_by_all_their_branches() -> None:
    X = {"c": ["a", "a", "b", "b", "b", None] * 5}
    y = ["p", "p", "q", "q", "p", "q"] * 5
    features = TreeFeatures(2, max_features=None, estimator=tw.C45Classifier(), output="proba")
    features.fit(X, y)
    gap = features.transform({"c": [None]})
    tree = features.estimators_[0].predict_proba({"c": [None]})
    assert gap[0, 0] == tree[0, 1]
    assert gap[0, 0] not in features.transform({"c": ["a", "b"]})[:, 0]


# ---------------------------------------------------------------- names


def test_stumps_are_named_by_what_makes_them_say_yes() -> None:
    features = TreeFeatures(3).fit(play.X, play.y)
    assert features.get_feature_names_out().tolist() == [
        "tree 0: Yes if Wind = Weak",
        "tree 1: Yes if Outlook = Overcast",
        "tree 2: Yes if Outlook = Overcast",
    ]


def test_leaves_are_named_by_their_conditions() -> None:
    features = TreeFeatures(2, max_depth=2, output="leaf").fit(play.X, play.y)
    names = features.get_feature_names_out()
    assert "tree 1: Outlook in {Sunny, Rain} and Humidity = High" in names
    assert "tree 1: Outlook = Overcast" in names


@pytest.mark.parametrize(
    ("output", "name"),
    [
        ("value", "tree 0: setosa if petal width (cm) <= 0.8"),
        ("proba", "tree 0: share of setosa by petal width (cm)"),
        ("leaf", "tree 0: petal width (cm) <= 0.8"),
    ],
)
def test_names_of_each_output(output: str, name: str) -> None:
    features = TreeFeatures(1, max_depth=2, output=output).fit(iris.X, iris.y)
    assert features.get_feature_names_out()[0] == name


def test_a_tree_of_one_leaf_is_named() -> None:
    features = TreeFeatures(1, min_samples_leaf=20).fit(play.X, play.y)
    assert features.get_feature_names_out().tolist() == ["tree 0: always Yes"]
    features.set_params(output="leaf")
    assert features.get_feature_names_out().tolist() == ["tree 0: every row"]


def test_names_of_columns_may_be_given_afterwards() -> None:
    features = TreeFeatures(1, max_features=None).fit(X_NUMBERS, AMOUNT)
    assert features.get_feature_names_out()[0].startswith("tree 0: number by x0 <= ")
    named = features.get_feature_names_out([f"length {i}" for i in range(8)])
    assert named[0].startswith("tree 0: number by length 0 <= ")
    with pytest.raises(ValueError, match="input_features should have length equal"):
        features.get_feature_names_out(["a"])


# ---------------------------------------------------------------- out of fold


def test_out_of_fold_answers_do_not_know_the_row() -> None:
    noise = random.integers(0, 2, size=400)
    X = random.normal(size=(400, 4))
    plain = TreeFeatures(20, max_depth=None)
    held = clone(plain).set_params(cv=5)
    knows = np.mean(plain.fit_transform(X, noise) == np.where(noise == 1, 1.0, -1.0)[:, None])
    guesses = np.mean(held.fit_transform(X, noise) == np.where(noise == 1, 1.0, -1.0)[:, None])
    assert knows > 0.99
    assert abs(guesses - 0.5) < 0.08
    np.testing.assert_array_equal(held.transform(X), plain.transform(X))


def test_each_row_is_answered_by_trees_of_the_other_parts() -> None:
    folds = list(KFold(3).split(X_NUMBERS))
    held = TreeFeatures(5, max_depth=2, cv=folds).fit_transform(X_NUMBERS, YES)
    for train, test in folds:
        part = TreeFeatures(5, max_depth=2).fit(X_NUMBERS[train], YES[train])
        np.testing.assert_array_equal(held[test], part.transform(X_NUMBERS[test]))


def test_a_class_that_a_part_lacks_keeps_its_columns() -> None:
    y = np.array(["a"] * 20 + ["b"] * 20 + ["c"])
    X = np.arange(41.0).reshape(-1, 1)
    columns = TreeFeatures(2, cv=KFold(4), output="proba").fit_transform(X, y)
    assert columns.shape == (41, 6)
    np.testing.assert_allclose(columns[:, :3].sum(axis=1), 1.0)
    assert columns[40, 2] == 0.0


def test_groups_are_left_out_as_a_whole() -> None:
    groups = np.repeat(np.arange(60), 5)
    X = groups[:, None] + 0.1 * random.normal(size=(300, 1))
    y = random.integers(0, 2, size=60)[groups]
    hits = {}
    for name, given in (("rows", None), ("groups", groups)):
        columns = TreeFeatures(3, max_depth=None, cv=5).fit_transform(X, y, groups=given)
        hits[name] = np.mean(columns == np.where(y == 1, 1.0, -1.0)[:, None])
    assert hits["rows"] > 0.9
    assert hits["groups"] < 0.7


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"cv": 5, "output": "leaf"}, UnsupportedError, "their leaves are not those"),
        ({"cv": 1}, ParameterError, "must be at least 2 folds"),
        ({"cv": [([0, 1], [2]), ([0, 1], [2])]}, DataError, "leave out every row once"),
    ],
)
def test_cv_that_cannot_be_done_is_refused(
    parameters: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        TreeFeatures(2, **parameters).fit_transform(X_NUMBERS, YES)


# ---------------------------------------------------------------- task and parameters


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (YES, "classes"),
        (YES == "yes", "classes"),
        (np.arange(300) % 3, "classes"),
        (np.arange(300) % 2 * 1.0, "classes"),
        (AMOUNT, "numbers"),
        (np.arange(300.0), "numbers"),
    ],
)
def test_the_task_is_seen_in_the_target(y: Any, task: str) -> None:
    assert TreeFeatures(1).fit(X_NUMBERS, y).task_ == task


def test_many_whole_numbers_are_asked_about() -> None:
    with pytest.raises(TargetError, match="300 different whole numbers, which may be classes"):
        TreeFeatures(1).fit(X_NUMBERS, np.arange(300))
    assert TreeFeatures(1, task="numbers").fit(X_NUMBERS, np.arange(300)).task_ == "numbers"


@pytest.mark.parametrize(
    ("parameters", "y", "error", "words"),
    [
        ({}, None, TargetError, "TreeFeatures requires y to be passed"),
        ({"output": "values"}, YES, ParameterError, "did you mean 'value'"),
        ({"task": "class"}, YES, ParameterError, "did you mean 'classes'"),
        ({"task": "classes"}, AMOUNT, TargetError, "TreeFeatures needs classes"),
        ({"task": "numbers"}, YES, TargetError, "TreeFeatures needs numbers"),
        ({"sparse_output": 2}, YES, ParameterError, "sparse_output=2 must be True or False"),
        ({"sparse_output": True}, YES, UnsupportedError, "is for leaves"),
        ({"n_estimators": 0}, YES, ParameterError, "n_estimators=0"),
        ({"max_features": 1.5}, YES, ParameterError, "max_features=1.5"),
        ({"estimator": Ridge()}, YES, ParameterError, "must be a single tree of Treewright"),
        (
            {"estimator": tw.C45Classifier(), "task": "numbers"},
            YES,
            ParameterError,
            "is for classes, and task is 'numbers'",
        ),
        (
            {"estimator": tw.C45Classifier(), "max_depth": 3},
            YES,
            ParameterError,
            "max_depth=3 is not used beside estimator",
        ),
    ],
)
def test_wrong_parameters_are_refused(
    parameters: dict[str, Any], y: Any, error: type[Exception], words: str
) -> None:
    features = TreeFeatures(**parameters)
    with pytest.raises(error, match=words):
        features.fit(X_NUMBERS, y)
    assert not hasattr(features, "ensemble_")


def test_a_column_that_is_missing_is_named() -> None:
    features = TreeFeatures(2).fit(play.X, play.y)
    with pytest.raises(DataError, match="Outlook"):
        features.transform(play.X.select(["Wind", "Humidity", "Temperature"]))


# ---------------------------------------------------------------- with others


def test_results_depend_on_the_seed_alone() -> None:
    one = TreeFeatures(20, max_depth=3, max_samples=0.5, n_jobs=1, random_state=3)
    two = clone(one).set_params(n_jobs=2)
    told = one.fit_transform(X_NUMBERS, YES)
    np.testing.assert_array_equal(told, two.fit_transform(X_NUMBERS, YES))
    other = clone(one).set_params(random_state=4).fit_transform(X_NUMBERS, YES)
    assert (told != other).any()


def test_weights_reach_the_trees() -> None:
    weights = np.where(np.arange(300) < 150, 1.0, 0.0)
    weighted = TreeFeatures(5).fit(X_NUMBERS, YES, sample_weight=weights)
    half = TreeFeatures(5).fit(X_NUMBERS[:150], YES[:150])
    np.testing.assert_array_equal(weighted.transform(X_NUMBERS), half.transform(X_NUMBERS))


def test_a_copy_from_a_pickle_says_the_same() -> None:
    features = TreeFeatures(5, max_depth=2, output="leaf").fit(loans.X, loans.y)
    again = pickle.loads(pickle.dumps(features))
    assert (again.transform(loans.X) != features.transform(loans.X)).nnz == 0
    np.testing.assert_array_equal(again.get_feature_names_out(), features.get_feature_names_out())


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_frames_have_the_names(container: str) -> None:
    pytest.importorskip(container)
    features = TreeFeatures(3, max_depth=2, output="leaf").set_output(transform=container)
    frame = features.fit_transform(play.X, play.y)
    assert list(frame.columns) == features.get_feature_names_out().tolist()
    assert frame.to_numpy().sum() == 3 * 14


def test_trees_of_a_forest_are_at_hand() -> None:
    features = TreeFeatures(10, max_depth=2, max_samples=0.5).fit(X_NUMBERS, YES)
    assert isinstance(features.forest_, RandomForestClassifier)
    assert 0.0 < features.forest_.summary().strength.correlation < 1.0
    assert features.forest_._speaks_for is None
    assert len(features.estimators_) == len(features.ensemble_) == 10


def test_a_linear_model_over_trees_beats_it_alone() -> None:
    X = random.normal(size=(600, 10))
    y = (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4).astype(int)  # no weighted sum tells it
    linear = SGDClassifier(average=True, random_state=0)
    over = make_pipeline(TreeFeatures(max_depth=4), linear).fit(X[:400], y[:400])
    alone = clone(linear).fit(X[:400], y[:400])
    assert over.score(X[400:], y[400:]) > 0.8
    assert alone.score(X[400:], y[400:]) < 0.65


def test_inside_a_search_and_beside_other_columns() -> None:
    X = loans.X.to_pandas()
    both = make_column_transformer((TreeFeatures(5), list(X.columns)), remainder="drop")
    columns = both.fit_transform(X, loans.y)
    assert columns.shape == (2000, 15)
    assert both.get_feature_names_out()[0].startswith("treefeatures__tree 0: ")
    search = GridSearchCV(
        make_pipeline(TreeFeatures(10), SGDClassifier(random_state=0)),
        {"treefeatures__max_depth": [1, 3], "treefeatures__output": ["value", "leaf"]},
        cv=2,
    )
    assert set(search.fit(X_NUMBERS, YES).best_params_) == {
        "treefeatures__max_depth",
        "treefeatures__output",
    }


def test_an_interrupted_fit_leaves_the_estimator_as_it_was(monkeypatch: Any) -> None:
    features = TreeFeatures(3).fit(X_NUMBERS, YES)
    before = dict(vars(features))

    def interrupted(*args: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(RandomForestClassifier, "_grow", interrupted)
    with pytest.raises(KeyboardInterrupt):
        features.fit(X_NUMBERS, YES[::-1])
    assert vars(features) == before
