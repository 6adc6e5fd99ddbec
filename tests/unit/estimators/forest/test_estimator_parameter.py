"""Forests of any tree: `estimator` and `ccp_alpha`."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier as TheirForest

import treewright as tw
from treewright.errors import ParameterError, TargetError
from treewright.prune import CostComplexity

LOANS = tw.load_example("loans")
X, Y = LOANS.X.rows(np.arange(0, 2000, 8)), LOANS.y[::8]
NUMBERS = np.where(Y == "repaid", 0.0, np.arange(len(Y)) % 7 + 1.0)

PRUNED = [
    tw.C45Classifier(),
    tw.C45Classifier(variant="c5"),
    tw.CARTClassifier(prune=CostComplexity(cv=3)),
    tw.DecisionTreeClassifier(prune="reduced_error"),
    tw.DecisionTreeClassifier(prune="pessimistic"),
    tw.ID3Classifier(prune="chi_square"),
    tw.M5Regressor(),
    tw.DecisionTreeRegressor(leaf_model="linear", max_depth=2),
]


class FitsItsOwnWay(tw.DecisionTreeClassifier):
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> FitsItsOwnWay:
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        return super().predict(X)


def forest_of(base: Any, n_trees: int = 3, **options: Any) -> Any:
    made = tw.RandomForestClassifier if base._is_classifier() else tw.RandomForestRegressor
    return made(n_trees, estimator=base, **options)


def target_of(base: Any) -> Any:
    return Y if base._is_classifier() else NUMBERS


@pytest.mark.parametrize("base", PRUNED, ids=lambda base: repr(base).split("(")[0])
def test_every_tree_is_what_the_base_makes_of_its_rows(base: Any) -> None:
    forest = forest_of(base, features_per="tree", max_features=5).fit(X, target_of(base))
    for number, tree in enumerate(forest.ensemble_):
        problem = forest._training.tree_problem(number)
        assert len(problem.columns) == 5
        made = base._grow(problem, None)
        assert tree.arrays.equals(made.arrays)
        assert tree.pruning is None  # what was cut is not kept
        np.testing.assert_array_equal(tree.predict(X), made.predict(X))
        unused = {tree.schema.names[i] for i in range(len(tree.schema)) if i not in problem.columns}
        assert unused <= set(tree.unused_columns)


@pytest.mark.parametrize("base", [tw.C45Classifier(), tw.M5Regressor()])
def test_the_forest_is_the_same_for_any_number_of_threads(base: Any) -> None:
    y = target_of(base)
    answers = [
        (model.predict_proba if base._is_classifier() else model.predict)(X)
        for n_jobs in (None, 2, 3, 8)
        for model in [forest_of(base, 4, n_jobs=n_jobs).fit(X, y)]
    ]
    assert all((answer == answers[0]).all() for answer in answers)


def test_more_trees_are_added_to_pruned_ones() -> None:
    whole = forest_of(tw.C45Classifier(), 5).fit(X, Y)
    grown = forest_of(tw.C45Classifier(), 2, warm_start=True).fit(X, Y)
    grown.set_params(n_estimators=5).fit(X, Y)
    for tree, other in zip(whole.ensemble_, grown.ensemble_, strict=True):
        assert tree.arrays.equals(other.arrays)


def test_a_pickled_forest_answers_alike() -> None:
    forest = forest_of(tw.M5Regressor()).fit(X, NUMBERS)
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.predict(X), forest.predict(X))
    assert again.estimator.get_params() == forest.estimator.get_params()
    assert clone(again).get_params(deep=True)["estimator__smoothing"] == 15.0


def test_costs_of_the_base_decide_for_the_forest() -> None:
    costs = {"default": {"repaid": 30.0}}
    careful = forest_of(tw.DecisionTreeClassifier(cost_matrix=costs, max_depth=3), 9).fit(X, Y)
    plain = forest_of(tw.DecisionTreeClassifier(max_depth=3), 9).fit(X, Y)
    assert np.mean(careful.predict(X) == "default") > np.mean(plain.predict(X) == "default")
    shares = careful.predict_proba(X)
    order = careful.classes_.tolist()
    matrix = np.array(
        [[0.0 if a == p else costs.get(a, {}).get(p, 1.0) for p in order] for a in order]
    )
    expected = careful.classes_[np.argmin(shares @ matrix, axis=1)]
    assert careful.predict(X).tolist() == expected.tolist()
    voting = clone(careful).set_params(vote="hard").fit(X, Y)
    votes = np.array([tree.predict(X) for tree in voting])
    shares = np.mean(votes[:, :, np.newaxis] == voting.classes_, axis=0)
    np.testing.assert_allclose(voting.predict_proba(X), shares)
    assert voting.predict(X).tolist() == voting.classes_[shares.argmax(axis=1)].tolist()


def test_class_weight_may_stand_in_either_place() -> None:
    weight = {"default": 5.0}
    inside = forest_of(tw.C45Classifier(class_weight=weight)).fit(X, Y)
    outside = forest_of(tw.C45Classifier(), class_weight=weight).fit(X, Y)
    np.testing.assert_array_equal(inside.predict_proba(X), outside.predict_proba(X))
    assert (
        inside.predict_proba(X) != forest_of(tw.C45Classifier()).fit(X, Y).predict_proba(X)
    ).any()


def test_ccp_alpha_prunes_each_tree_as_scikit_learn_does() -> None:
    iris = tw.load_example("iris")
    x, y = np.column_stack([iris.X[name] for name in iris.X.columns]), iris.y
    for alpha in (0.0, 0.02, 0.1, 1.0):
        ours = tw.RandomForestClassifier(5, bootstrap=False, max_features=None, ccp_alpha=alpha)
        theirs = TheirForest(5, bootstrap=False, max_features=None, ccp_alpha=alpha, random_state=0)
        sizes = {tree.tree_.n_leaves for tree in theirs.fit(x, y).estimators_}
        assert {tree.n_leaves for tree in ours.fit(x, y).ensemble_} == sizes, alpha
    with pytest.raises(ParameterError, match="ccp_alpha=-1 must be at least 0"):
        tw.RandomForestClassifier(ccp_alpha=-1).fit(x, y)


def test_estimators_are_the_trees() -> None:
    forest = tw.ExtraTreesClassifier(3, max_depth=4, class_weight="balanced").fit(X, Y)
    for tree, estimator in zip(forest.ensemble_, forest.estimators_, strict=True):
        assert isinstance(estimator, tw.DecisionTreeClassifier)
        assert (estimator.splitter, estimator.max_depth) == ("random", 4)
        assert estimator.predict(X).tolist() == tree.predict(X).tolist()
        assert estimator.feature_names_in_.tolist() == forest.feature_names_in_.tolist()
    assert isinstance(forest_of(tw.M5Regressor()).fit(X, NUMBERS).estimators_[0], tw.M5Regressor)


@pytest.mark.parametrize(
    ("forest", "message"),
    [
        (
            tw.RandomForestClassifier(estimator=tw.C45Classifier(), max_depth=3),
            "max_depth=3 is not used beside estimator, whose trees it is about.\n  Hint: leave"
            " it out.",
        ),
        (
            tw.RandomForestClassifier(estimator=tw.CARTClassifier(), criterion="entropy"),
            "criterion='entropy' is not used beside estimator, whose trees it is about.\n"
            "  Hint: estimator=CARTClassifier(criterion='entropy').",
        ),
        (
            tw.RandomForestClassifier(estimator=tw.DecisionTreeClassifier(), ccp_alpha=0.1),
            "ccp_alpha=0.1 is not used beside estimator",
        ),
        (
            tw.RandomForestClassifier(estimator=tw.DecisionTreeClassifier(max_features=2)),
            "max_features=2 of estimator=DecisionTreeClassifier(...) is not used: the forest draws"
            " columns.\n  Hint: RandomForestClassifier(estimator=..., max_features=2).",
        ),
        (
            tw.RandomForestClassifier(
                estimator=tw.C45Classifier(class_weight="balanced"), class_weight="balanced"
            ),
            "class_weight is given both to RandomForestClassifier and to its estimator.\n"
            "  Hint: give it once.",
        ),
        (
            tw.RandomForestClassifier(estimator=tw.CARTRegressor()),
            "estimator=CARTRegressor(...) predicts numbers, but RandomForestClassifier predicts"
            " classes.\n  Hint: estimator=CARTClassifier(), or another tree for classes.",
        ),
        (
            tw.RandomForestClassifier(estimator=tw.C45RulesClassifier()),
            "estimator=C45RulesClassifier(...) must be a single tree of Treewright."
            " C45RulesClassifier"
            " answers by rules.",
        ),
        (
            tw.RandomForestClassifier(estimator=FitsItsOwnWay()),
            "estimator=FitsItsOwnWay(...) must be a single tree of Treewright. FitsItsOwnWay has"
            " methods of its own: fit and predict.",
        ),
        (
            tw.RandomForestClassifier(estimator=tw.C45Classifier),
            "estimator=C45Classifier must be a single tree of Treewright. Give an estimator,"
            " C45Classifier(...), not its class.",
        ),
        (
            tw.RandomForestClassifier(estimator="c45"),
            "estimator='c45' must be a single tree of Treewright.\n"
            "  Hint: estimator=C45Classifier(), CARTRegressor(), M5Regressor(), ...",
        ),
        (
            tw.ExtraTreesClassifier(estimator=tw.C45Classifier()),
            "ExtraTreesClassifier draws its cuts, and C45Classifier looks for the best.\n"
            "  Hint: RandomForestClassifier(estimator=C45Classifier(...)).",
        ),
        (
            tw.RandomForestClassifier(estimator=tw.C45Classifier(), vote="loud"),
            "vote='loud' must be one of 'soft', 'hard'.",
        ),
        (tw.RandomForestClassifier(estimator=tw.C45Classifier(min_cases=0)), "min_cases=0 must be"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(forest: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        forest.fit(X, Y)
    assert not hasattr(forest, "ensemble_")


def test_several_targets_are_refused_where_the_base_takes_one() -> None:
    with pytest.raises(TargetError, match="learns one target, but y has 2 columns"):
        forest_of(tw.C45Classifier()).fit(X, np.column_stack([Y, Y]))


def test_an_error_of_one_tree_is_the_error_of_the_forest() -> None:
    base = tw.CARTClassifier(prune=CostComplexity(cv=40))
    x, y = np.arange(40.0)[:, np.newaxis], [0, 1] * 20
    with pytest.raises(ValueError, match="cannot be dealt to cv=40 folds"):
        forest_of(base.set_params(min_samples_split=2, min_samples_leaf=1), n_jobs=2).fit(x, y)
