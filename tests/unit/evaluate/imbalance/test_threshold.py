"""The threshold under costs: the best of all on the rows given, honest on those it has not seen."""

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, load_example
from treewright.errors import DataError, ParameterError, UnsupportedError
from treewright.evaluate import (
    ChosenThreshold,
    LeastCost,
    compare_imbalance,
    cross_validate,
    scores,
    threshold,
)

LOANS = load_example("loans")
RISK = np.where(LOANS.y == "repaid", "good", "bad")
COSTS = {"bad": {"good": 5}, "good": {"bad": 1}}
TREE = DecisionTreeClassifier(min_samples_leaf=20)


def cost_at(actual: Any, given_scores: Any, at: float, fp: float, fn: float) -> float:
    """The slow and obvious way."""
    costs = [
        (fn if is_positive and not score >= at else 0.0)
        + (fp if not is_positive and score >= at else 0.0)
        for is_positive, score in zip(actual, given_scores, strict=True)
    ]
    return float(np.mean(costs))


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from(np.linspace(0, 1, 11))), min_size=2),
    st.floats(0.1, 10),
    st.floats(0.1, 10),
)
def test_no_threshold_costs_less(
    pairs: list[tuple[bool, float]], alarm: float, missed: float
) -> None:
    actual = np.array([int(each) for each, _ in pairs])
    given_scores = np.array([score for _, score in pairs])
    if len(set(actual.tolist())) < 2:
        return
    judged = scores(actual, (given_scores >= 0.5).astype(int), probabilities=given_scores)
    found = threshold(judged, cost_matrix=[[0, alarm], [missed, 0]])
    least = min(
        cost_at(actual, given_scores, at, alarm, missed) for at in np.linspace(-0.05, 1.05, 23)
    )
    assert found.value_at(found.threshold) == pytest.approx(least)
    assert cost_at(actual, given_scores, found.threshold, alarm, missed) == pytest.approx(least)
    assert found.theory == pytest.approx(alarm / (alarm + missed))


def test_theory_is_best_where_probabilities_are_true() -> None:
    rng = np.random.default_rng(0)
    given_scores = rng.uniform(size=40_000)
    actual = (rng.uniform(size=40_000) < given_scores).astype(int)
    judged = scores(actual, actual, probabilities=given_scores)
    found = threshold(judged, cost_matrix=[[0, 1], [4, 0]])
    assert found.theory == 0.2
    assert found.threshold == pytest.approx(0.2, abs=0.03)


def test_f_and_youden_are_those_of_scikit_learn() -> None:
    found = cross_validate(TREE, LOANS.X, RISK, positive="bad", cv=5)
    best = threshold(found, by="f1")
    answers = found.scores.answers
    assert answers.probabilities is not None
    given_scores = answers.probabilities[:, 0]
    actual = answers.actual == "bad"
    every = [f1_score(actual, given_scores >= at) for at in np.unique(given_scores)]
    assert best.value_at(best.threshold) == pytest.approx(max(every))
    youden = threshold(found, by="youden")
    says = given_scores >= youden.threshold
    expected = says[actual].mean() - says[~actual].mean()
    assert youden.value_at(youden.threshold) == pytest.approx(expected)


def test_the_honest_figure_is_not_chosen_by_its_own_rows() -> None:
    """With scores by lot a choice gains on its own rows alone."""
    rng = np.random.default_rng(1)
    gains, honest = [], []
    for _ in range(20):
        X, y = rng.normal(size=(120, 3)), np.arange(120) % 2
        found = threshold(DecisionTreeClassifier(max_depth=3), X, y, cv=5)
        assert found.honest_value is not None
        gains.append(found.value_at(found.threshold))
        honest.append(found.honest_value)
    assert np.mean(gains) < 0.49
    assert np.mean(honest) == pytest.approx(0.5, abs=0.04)


def test_the_choice_is_used_by_a_model() -> None:
    model = ChosenThreshold(TREE, cost_matrix=COSTS, positive="bad").fit(LOANS.X, RISK)
    shares = model.predict_proba(LOANS.X)[:, 0]
    assert model.predict(LOANS.X).tolist() == [
        "bad" if share >= model.threshold_ else "good" for share in shares
    ]
    found = threshold(TREE, LOANS.X, RISK, cost_matrix=COSTS, positive="bad", cv=5)
    assert model.threshold_ == found.threshold
    assert found.decide([0.0, 1.0]).tolist() == [False, True]


def test_least_cost_answers_what_costs_least() -> None:
    costs = np.array([[0, 1, 9], [2, 0, 1], [1, 3, 0]])
    model = LeastCost(TREE, cost_matrix=costs).fit(LOANS.X, LOANS.y)
    shares = model.predict_proba(LOANS.X)
    expected = [
        min(range(3), key=lambda k, row=row: sum(row[a] * costs[a, k] for a in range(3)))
        for row in shares
    ]
    assert model.predict(LOANS.X).tolist() == model.classes_[expected].tolist()


def test_two_classes_at_least_cost_are_parted_at_the_threshold_of_theory() -> None:
    model = LeastCost(TREE, cost_matrix=COSTS).fit(LOANS.X, RISK)
    shares = model.predict_proba(LOANS.X)[:, 0]
    clear = np.abs(shares - 1 / 6) > 1e-9
    assert ((model.predict(LOANS.X) == "bad") == (shares > 1 / 6))[clear].all()


def test_balanced_costs_count_classes_alike() -> None:
    model = LeastCost(TREE).fit(LOANS.X, RISK)
    rows = np.bincount((RISK == "good").astype(int))
    np.testing.assert_allclose(
        model.cost_matrix_[0, 1] * rows[0], model.cost_matrix_[1, 0] * rows[1]
    )
    weights = np.where(RISK == "bad", 2.0, 1.0)
    weighted = LeastCost(TREE).fit(LOANS.X, RISK, sample_weight=weights)
    assert weighted.cost_matrix_[0, 1] < model.cost_matrix_[0, 1]


@pytest.mark.parametrize("costs", [COSTS, None])
def test_ways_to_treat_imbalance_are_compared_in_one_call(costs: Any) -> None:
    found = compare_imbalance(TREE, LOANS.X, RISK, cost_matrix=costs, positive="bad", cv=3)
    assert not found.failures
    assert found.names[found.reference] == "as it is"
    ways = {"oversampled", "undersampled", "class weights", "least cost", "chosen threshold"}
    assert ways | ({"grown by costs"} if costs else set()) == set(found.names) - {"as it is"}
    assert found.metric.name == ("mean_cost" if costs else "balanced_accuracy")
    assert found.order.index(0) > 2  # as it is, the tree ignores costs and rare classes
    assert max(map(len, str(found).splitlines())) <= 80


def test_several_classes_are_compared_without_a_threshold() -> None:
    found = compare_imbalance(TREE, LOANS.X, LOANS.y, cv=3)
    assert "chosen threshold" not in found.names
    assert not found.failures


@pytest.mark.parametrize("by", ["cost", "youden", "f1", "f0.5"])
def test_the_result_is_read_and_drawn(by: str) -> None:
    found = threshold(TREE, LOANS.X, RISK, by=by, cost_matrix=COSTS, positive="bad", cv=3)
    assert max(map(len, str(found).splitlines())) <= 80
    for width in (368, 760):
        ET.fromstring(found.draw().svg(width=width))
    assert ("theory" in str(found)) == (by == "cost")
    assert len(found.to_frame()) == len(found.curve[0])
    assert found.to_dict()["threshold"] == found.threshold


def test_weights_count() -> None:
    actual, given_scores = np.array([0, 0, 1, 1]), np.array([0.1, 0.6, 0.4, 0.9])
    heavy = scores(actual, actual, probabilities=given_scores, sample_weight=[1, 9, 1, 1])
    light = scores(actual, actual, probabilities=given_scores, sample_weight=[1, 1, 9, 1])
    assert threshold(heavy).threshold > 0.6
    assert threshold(light).threshold < 0.4


def test_what_has_no_threshold_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="two classes, and there are 3"):
        threshold(TREE, LOANS.X, LOANS.y, cv=3)
    with pytest.raises(ParameterError, match=r"a learner needs X and y"):
        threshold(TREE)
    with pytest.raises(ParameterError, match="did you mean 'youden'"):
        threshold(TREE, LOANS.X, RISK, by="yuden", cv=3)
    with pytest.raises(UnsupportedError, match="answers gives no probabilities"):
        threshold(scores([0, 1], [0, 1]))
    with pytest.raises(DataError, match="every row is 1"):
        threshold(scores([1, 1], [1, 1], classes=[0, 1], probabilities=[0.5, 0.6]))
    with pytest.raises(UnsupportedError, match="right answer that costs more"):
        threshold(TREE, LOANS.X, RISK, cost_matrix=[[3, 1], [1, 0]], cv=3)
    with pytest.raises(ParameterError, match="X and y are for a learner"):
        threshold(scores([0, 1], [0, 1]), LOANS.X, RISK)
    with pytest.raises(UnsupportedError, match="nothing can be balanced"):
        compare_imbalance(DecisionTreeRegressor(), [[1.0], [2.0]], [1.0, 2.5])
    with pytest.raises(ParameterError, match="cost_matrix='equal' must be 'balanced'"):
        LeastCost(TREE, cost_matrix="equal").fit(LOANS.X, RISK)
