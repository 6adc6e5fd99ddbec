"""A cost matrix decides in every classifier: the class of least expected cost is predicted."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import treewright as tw
from treewright.errors import ParameterError, UnsupportedError

SMALL: dict[str, dict[str, Any]] = {
    "AdaBoostClassifier": {"n_estimators": 8},
    "BaggingClassifier": {"n_estimators": 5, "random_state": 0},
    "ExtraTreesClassifier": {"n_estimators": 8, "min_samples_leaf": 5},
    "RandomForestClassifier": {"n_estimators": 8, "min_samples_leaf": 5},
    "GradientBoostingClassifier": {"n_estimators": 8},
    "HistGradientBoostingClassifier": {"max_iter": 8},
    "CHAIDClassifier": {"min_samples_leaf": 5},
    "ID3Classifier": {"max_depth": 2},
    "C45Classifier": {"min_cases": 10},
    "C45RulesClassifier": {"min_cases": 10},
    "ObliqueTreeClassifier": {"min_samples_leaf": 20},
}
DECIDES_ONLY = [getattr(tw, name)(**options) for name, options in SMALL.items()]
MEMBERS = [("line", LogisticRegression()), ("tree", tw.C45Classifier(min_cases=10))]
FURTHER = [
    tw.C45Classifier(variant="c5", min_cases=10),
    tw.C45RulesClassifier(variant="c5", confidence=0.9),
    tw.RandomForestClassifier(8, vote="hard", min_samples_leaf=5),
    tw.RandomForestClassifier(8, vote="hard", estimator=tw.C45Classifier(min_cases=10)),
    tw.RandomForestClassifier(8, bootstrap=False, min_samples_leaf=5, oob_score=False),
    tw.BaggingClassifier(tw.C45Classifier(variant="c5", min_cases=10), n_estimators=3),
    tw.BaggingClassifier(LogisticRegression(), n_estimators=3),
    tw.BaggingClassifier(LinearSVC(), n_estimators=9),
    tw.AdaBoostClassifier(LogisticRegression(), n_estimators=3),
    tw.AdaBoostClassifier(tw.C45Classifier(min_cases=20), n_estimators=3),
    tw.GradientBoostingClassifier(n_estimators=5, init=LogisticRegression()),
    tw.StackingClassifier(MEMBERS),
    tw.StackingClassifier(MEMBERS, LogisticRegression()),
    tw.StackingClassifier(MEMBERS, tw.DecisionTreeClassifier(max_depth=2), passthrough=True),
    tw.VotingClassifier(MEMBERS, voting="soft"),
    tw.VotingClassifier(MEMBERS, voting="soft", weights="out_of_fold"),
]
COSTS = np.array([[0.0, 2.0, 90.0], [1.0, 0.0, 1.0], [30.0, 0.5, 0.0]])


def noisy(n_rows: int = 400, n_classes: int = 3, seed: int = 2) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n_rows, 3)).round(1)
    noise = 0.7 * generator.normal(size=n_rows)
    y = np.digitize(x[:, 0] + noise, [-0.5, 0.8][: n_classes - 1])
    return x, np.array(["a", "b", "c"])[y]


X, Y = noisy()


def test_every_classifier_takes_costs() -> None:
    made = [getattr(tw, name) for name in tw.__all__]
    classifiers = [
        each for each in made if inspect.isclass(each) and hasattr(each, "predict_proba")
    ]
    fit = [
        each for each in classifiers if hasattr(each, "fit") and issubclass(each, ClassifierMixin)
    ]
    assert len(fit) >= 15
    without = [each.__name__ for each in fit if "cost_matrix" not in each._get_param_names()]
    assert not without


@pytest.mark.parametrize("model", [*DECIDES_ONLY, *FURTHER], ids=repr)
def test_costs_decide_and_change_nothing_else(model: Any) -> None:
    plain = clone(model).fit(X, Y)
    fitted = clone(model).set_params(cost_matrix=COSTS).fit(X, Y)
    shares = fitted.predict_proba(X)
    np.testing.assert_array_equal(shares, plain.predict_proba(X))
    expected = (shares @ COSTS).argmin(axis=1)
    predicted = fitted.predict(X)
    assert (predicted == fitted.classes_[expected]).all()
    assert (predicted != plain.predict(X)).any()


@pytest.mark.parametrize("model", [*DECIDES_ONLY, *FURTHER], ids=repr)
def test_costs_are_pickled_with_the_model(model: Any) -> None:
    fitted = clone(model).set_params(cost_matrix=COSTS).fit(X, Y)
    loaded = pickle.loads(pickle.dumps(fitted))
    assert (loaded.predict(X) == fitted.predict(X)).all()


@pytest.mark.parametrize("model", DECIDES_ONLY, ids=repr)
def test_classes_are_named(model: Any) -> None:
    named = {"a": {"b": 2, "c": 90}, "c": {"a": 30, "b": 0.5}}
    by_name = clone(model).set_params(cost_matrix=named).fit(X, Y)
    by_place = clone(model).set_params(cost_matrix=COSTS).fit(X, Y)
    assert (by_name.predict(X) == by_place.predict(X)).all()


@pytest.mark.parametrize("model", [*DECIDES_ONLY, *FURTHER], ids=repr)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0, 1], [1, 0]], "cost_matrix must have 3 rows (actual) and 3 columns (predicted)"),
        ([[0, 1, -1], [1, 0, 1], [1, 1, 0]], "cost_matrix must hold finite numbers of 0 or more."),
        ([[0, 1, np.nan], [1, 0, 1], [1, 1, 0]], "cost_matrix must hold finite numbers"),
        (np.zeros((3, 3)), "cost_matrix is all 0"),
        ({"a": {"z": 3}}, "cost_matrix names class 'z', which is not in y."),
    ],
    ids=["shape", "negative", "nan", "zero", "name"],
)
def test_what_is_no_cost_matrix_is_refused(model: Any, given: Any, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        clone(model).set_params(cost_matrix=given).fit(X, Y)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("model", DECIDES_ONLY, ids=repr)
def test_a_cost_of_being_right_counts(model: Any) -> None:
    """A diagonal that is not 0 is a cost like any other."""
    always = np.array([[9.0, 9.0, 0.0], [9.0, 9.0, 0.0], [9.0, 9.0, 0.0]])
    fitted = clone(model).set_params(cost_matrix=always).fit(X, Y)
    assert set(fitted.predict(X)) == {"c"}


@pytest.mark.parametrize("model", DECIDES_ONLY, ids=repr)
def test_one_class_has_one_decision(model: Any) -> None:
    fitted = clone(model).set_params(cost_matrix=[[1.0]]).fit(X[:30], ["a"] * 30)
    assert set(fitted.predict(X)) == {"a"}


@pytest.mark.parametrize(
    "model", [tw.RandomForestClassifier(3), tw.ExtraTreesClassifier(3), tw.BaggingClassifier()]
)
def test_costs_are_for_one_target(model: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        model.set_params(cost_matrix=COSTS).fit(X, np.column_stack([Y, Y]))
    assert str(caught.value) == "cost_matrix is for one target of classes, but y has 2 columns."


@pytest.mark.parametrize("model", [*DECIDES_ONLY, tw.DecisionTreeClassifier(max_depth=4)], ids=repr)
def test_rare_cases_cost_less(model: Any) -> None:
    """One row in twelve is a case, and a missed one costs 20."""
    x, y = noisy(2000, n_classes=2, seed=5)
    rare = (y == "a") | (np.random.default_rng(1).random(len(y)) < 0.12)
    x, y = x[rare], np.where(y[rare] == "b", "case", "none")
    half = len(y) // 2
    costs = np.array([[0.0, 20.0], [1.0, 0.0]])

    def mean_cost(made: Any) -> float:
        said = made.fit(x[:half], y[:half]).predict(x[half:])
        wrong = {("case", "none"): 20.0, ("none", "case"): 1.0}
        return float(np.mean([wrong.get(pair, 0.0) for pair in zip(y[half:], said, strict=True)]))

    careful = clone(model).set_params(cost_matrix=costs)
    assert mean_cost(careful) < 0.8 * mean_cost(clone(model))


def test_stages_decide_by_costs() -> None:
    for model in (
        tw.AdaBoostClassifier(n_estimators=5),
        tw.GradientBoostingClassifier(n_estimators=5),
    ):
        fitted = model.set_params(cost_matrix=COSTS).fit(X, Y)
        stages = zip(fitted.staged_predict(X), fitted.staged_predict_proba(X), strict=True)
        for said, shares in stages:
            assert (said == fitted.classes_[(shares @ COSTS).argmin(axis=1)]).all()


def test_the_labels_of_a_tree_and_of_rules_are_those_predicted() -> None:
    model = tw.C45Classifier(min_cases=10, cost_matrix=COSTS).fit(X, Y)
    at_leaf = model.apply(X)
    assert [model.tree_.label(leaf) for leaf in at_leaf] == model.predict(X).tolist()
    rules = tw.C45RulesClassifier(min_cases=10, cost_matrix=COSTS).fit(X, Y).ruleset_
    said = [(*rules, rules.default)[number].label for number in rules.apply(X)]
    assert said == rules.predict(X).tolist()
    for rule in rules:
        right = rule.weights[["a", "b", "c"].index(rule.label)]
        assert rule.errors == pytest.approx(rule.covers - right)


def test_a_tree_that_decides_by_costs_has_the_importances_of_one_that_does_not() -> None:
    for model in (tw.C45Classifier(), tw.RandomForestClassifier(5), tw.CHAIDClassifier()):
        plain = clone(model).fit(X, Y).feature_importances_
        costly = model.set_params(cost_matrix=COSTS).fit(X, Y).feature_importances_
        np.testing.assert_array_equal(plain, costly)


def test_the_impurities_of_pruning_are_those_of_growing() -> None:
    plain = tw.ID3Classifier().cost_complexity_pruning_path(X, Y)
    costly = tw.ID3Classifier(cost_matrix=COSTS).cost_complexity_pruning_path(X, Y)
    np.testing.assert_array_equal(plain.ccp_alphas, costly.ccp_alphas)


def test_out_of_bag_decides_by_costs() -> None:
    forest = tw.RandomForestClassifier(20, oob_score=True, cost_matrix=COSTS, min_samples_leaf=5)
    forest.fit(X, Y)
    shares = forest.oob_decision_function_
    said = forest.classes_[(shares @ COSTS).argmin(axis=1)]
    assert forest.oob_score_ == pytest.approx(np.mean(said == Y))


def test_more_trees_decide_by_the_costs_of_the_last_fit() -> None:
    forest = tw.RandomForestClassifier(5, warm_start=True).fit(X, Y)
    forest.set_params(n_estimators=8, cost_matrix=COSTS).fit(X, Y)
    again = tw.RandomForestClassifier(8, cost_matrix=COSTS).fit(X, Y)
    assert (forest.predict(X) == again.predict(X)).all()


def test_trees_of_a_forest_are_not_grown_by_its_costs() -> None:
    forest = tw.RandomForestClassifier(3, cost_matrix=COSTS).fit(X, Y)
    assert "cost_matrix" not in forest.estimator_params
    assert forest.estimator_.cost_matrix is None


def test_costs_of_forest_and_estimator_are_given_once() -> None:
    base = tw.C45Classifier(cost_matrix=COSTS)
    for model in (
        tw.BaggingClassifier(base, cost_matrix=COSTS),
        tw.RandomForestClassifier(3, estimator=base, cost_matrix=COSTS),
    ):
        with pytest.raises(ParameterError) as caught:
            model.fit(X, Y)
        assert "cost_matrix is given both to" in str(caught.value)


def test_costs_of_the_estimator_decide_for_the_forest() -> None:
    base = tw.C45Classifier(min_cases=10)
    mine = tw.RandomForestClassifier(5, estimator=base, cost_matrix=COSTS).fit(X, Y)
    base = tw.C45Classifier(min_cases=10, cost_matrix=COSTS)
    theirs = tw.RandomForestClassifier(5, estimator=base).fit(X, Y)
    assert (mine.predict(X) == theirs.predict(X)).all()


def test_costs_are_weighed_by_the_calibrated_probabilities_of_stacks_and_votes() -> None:
    for model in (tw.StackingClassifier(MEMBERS), tw.VotingClassifier(MEMBERS, voting="soft")):
        fitted = model.set_params(calibrate="temperature", cost_matrix=COSTS).fit(X, Y)
        shares = fitted.predict_proba(X)
        assert (fitted.predict(X) == fitted.classes_[(shares @ COSTS).argmin(axis=1)]).all()
        plain = clone(model).set_params(cost_matrix=None).fit(X, Y)
        np.testing.assert_array_equal(shares, plain.predict_proba(X))
        fitted.set_params(cost_matrix=None).fit(X, Y)
        assert (fitted.predict(X) == plain.predict(X)).all()


def test_costs_need_probabilities() -> None:
    hard = tw.VotingClassifier(MEMBERS, cost_matrix=COSTS)
    with pytest.raises(UnsupportedError, match=r"a vote by majority has none.\n.*voting='soft'"):
        hard.fit(X, Y)
    stack = tw.StackingClassifier(MEMBERS, LinearSVC(), cost_matrix=COSTS)
    with pytest.raises(UnsupportedError, match="final_estimator LinearSVC tells none"):
        stack.fit(X, Y)


def test_costs_of_stack_and_final_estimator_are_given_once() -> None:
    final = tw.C45Classifier(cost_matrix=COSTS)
    with pytest.raises(ParameterError, match="cost_matrix is given both to StackingClassifier"):
        tw.StackingClassifier(MEMBERS, final, cost_matrix=COSTS).fit(X, Y)
    several = np.column_stack([Y == "a", Y == "b"]).astype(int)
    with pytest.raises(UnsupportedError, match="cost_matrix are for one output; y has several"):
        tw.StackingClassifier(MEMBERS, cost_matrix=COSTS).fit(X, several)


def test_a_part_of_the_rows_may_lack_a_class_that_has_costs() -> None:
    labels = Y.astype(object).copy()
    labels[0] = "once"
    costs = 1.0 - np.eye(4)
    for model in (
        tw.RandomForestClassifier(5, bootstrap=False),
        tw.GradientBoostingClassifier(n_estimators=3),
        tw.C45Classifier(),
    ):
        fitted = model.set_params(cost_matrix=costs, calibrate="temperature").fit(X, labels)
        assert fitted.predict_proba(X).shape == (len(X), 4)
        assert fitted.predict_set(X).shape == (len(X), 4)


def test_scikit_learn_has_no_costs() -> None:
    for model in (
        tw.C45Classifier(),
        tw.RandomForestClassifier(3),
        tw.GradientBoostingClassifier(),
    ):
        fitted = model.set_params(cost_matrix=COSTS).fit(X, Y)
        with pytest.raises(UnsupportedError, match="cost matrix"):
            fitted.to_sklearn()


@pytest.mark.parametrize("algorithm", ["SAMME", "M1"])
def test_votes_are_explained_as_they_are_decided(algorithm: str) -> None:
    model = tw.AdaBoostClassifier(n_estimators=5, algorithm=algorithm, cost_matrix=COSTS).fit(X, Y)
    for row in X[:40]:
        found = model.explain(row)
        assert found.label == model.predict(row[np.newaxis])[0]
        assert found.shap is not None
        assert found.shap.output_names == (f"decision function of {found.label}",)
