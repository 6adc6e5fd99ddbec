"""From class weights to probabilities and a decision."""

from __future__ import annotations

import numpy as np
import pytest
from unit.tree.hand_trees import build, categories, cut, leaf, numeric, play_tennis, schema_of

from treewright import DecisionTreeClassifier
from treewright.tree.leaf import LeafRule, labels_of
from treewright.tree.tree import Tree

COSTS = np.array([[0.0, 1.0], [10.0, 0.0]])
ROW = {"Outlook": ["Sunny"], "Temperature": ["Hot"], "Humidity": ["High"], "Wind": ["Weak"]}
NEVER_MET = ROW | {"Humidity": ["Low"]}


def tennis(estimate: str, m: float = 2.0, **options: object) -> Tree:
    rule = LeafRule(estimate=estimate, m=m)
    return play_tennis(humidity_low=True, leaf=rule, **options)


def test_majority_takes_the_shares_as_they_are() -> None:
    assert tennis("majority").predict_proba(ROW) == pytest.approx(np.array([[1.0, 0.0]]))


def test_laplace_adds_a_row_to_every_class() -> None:
    # 3 No and 0 Yes: (3 + 1) / (3 + 2).
    assert tennis("laplace").predict_proba(ROW) == pytest.approx(np.array([[4 / 5, 1 / 5]]))


@pytest.mark.parametrize("m", [0.0, 2.0, 7.5])
def test_the_m_estimate_adds_rows_as_all_rows_are_shared(m: float) -> None:
    # 5 of 14 rows are No.
    expected = [(3 + m * 5 / 14) / (3 + m), (0 + m * 9 / 14) / (3 + m)]
    assert tennis("m_estimate", m).predict_proba(ROW) == pytest.approx(np.array([expected]))


@pytest.mark.parametrize(
    ("estimate", "shares"),
    [
        ("majority", [3 / 5, 2 / 5]),
        ("laplace", [4 / 7, 3 / 7]),
        ("m_estimate", [(3 + 10 / 14) / 7, (2 + 18 / 14) / 7]),
    ],
)
def test_a_leaf_without_rows_answers_as_its_node(estimate: str, shares: list[float]) -> None:
    tree = tennis(estimate)
    empty = int(np.flatnonzero(tree.arrays.weight == 0)[0])
    assert tree.distribution(empty) == pytest.approx(np.array(shares))
    assert tree.predict_proba(NEVER_MET) == pytest.approx(np.array([shares]))
    assert tree.predict(NEVER_MET).tolist() == ["No"] == [tree.label(empty)]
    assert tree.explain({name: cell[0] for name, cell in NEVER_MET.items()}).label == "No"


@pytest.mark.parametrize("combine", ["branch_fractions", "leaf_counts"])
def test_a_divided_row_adds_up_the_estimates(combine: str) -> None:
    # Without humidity, a sunny day goes to both leaves: 3 of 5 rows, and 2 of 5.
    tree = tennis("laplace", combine=combine)
    row = ROW | {"Humidity": [None]}
    if combine == "branch_fractions":
        expected = [3 / 5 * 4 / 5 + 2 / 5 * 1 / 4, 3 / 5 * 1 / 5 + 2 / 5 * 3 / 4]
    else:  # (3 + 1, 0 + 1) and (0 + 1, 2 + 1)
        expected = [5 / 9, 4 / 9]
    assert tree.predict_proba(row) == pytest.approx(np.array([expected]))


def test_probabilities_of_several_outputs_are_smoothed_apart() -> None:
    X = [[0.0], [0.0], [1.0], [1.0]]
    y = np.array([["a", "u"], ["a", "v"], ["b", "w"], ["b", "w"]])
    model = DecisionTreeClassifier(leaf="laplace", max_depth=1).fit(X, y)
    first, second = model.predict_proba([[1.0]])
    assert first == pytest.approx(np.array([[1 / 4, 3 / 4]]))
    assert second == pytest.approx(np.array([[1 / 5, 1 / 5, 3 / 5]]))


def test_the_decision_of_least_expected_cost() -> None:
    rule = LeafRule(cost_matrix=COSTS)
    shares = np.array([[1.0, 0.0], [0.95, 0.05], [0.9, 0.1], [0.5, 0.5]])
    assert rule.choose(shares).tolist() == [0, 0, 1, 1]  # from 1 in 11 on


def test_of_equally_good_decisions_the_first() -> None:
    assert LeafRule().choose(np.array([[0.5, 0.5], [0.2, 0.8]])).tolist() == [0, 1]
    rule = LeafRule(cost_matrix=np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]))
    thirds = np.array([[1, 0, 1]]) / 2
    assert rule.choose(thirds).tolist() == [0]  # all three cost 1
    sevenths = np.array([[3, 0, 3]]) / 6 + np.array([[1e-17, 0, -1e-17]])
    assert rule.choose(sevenths).tolist() == [0]


def test_what_a_decision_costs() -> None:
    weights = np.array([[3.0, 2.0], [0.0, 5.0]])
    assert LeafRule().cost_of(weights, np.array([0, 0])).tolist() == [2.0, 5.0]
    rule = LeafRule(cost_matrix=COSTS)
    assert rule.cost_of(weights, np.array([0, 1])).tolist() == [20.0, 0.0]
    assert rule.cost_of(weights, np.array([1, 0])).tolist() == [3.0, 50.0]


def test_rules_are_equal_by_what_they_decide() -> None:
    assert LeafRule().equals(LeafRule())
    assert LeafRule(cost_matrix=COSTS).equals(LeafRule(cost_matrix=COSTS.copy()))
    assert not LeafRule(cost_matrix=COSTS).equals(LeafRule())
    assert not LeafRule().equals(LeafRule(cost_matrix=COSTS))
    assert not LeafRule(estimate="laplace").equals(LeafRule())
    assert not LeafRule(m=3.0).equals(LeafRule())


def test_costs_decide_labels_rules_and_text() -> None:
    root = cut("x", 0.0, leaf(8, 1), leaf(30, 1))
    tree = build(schema_of(numeric("x")), root, ["a", "b"], leaf=LeafRule(cost_matrix=COSTS))
    assert [tree.label(node) for node in range(3)] == ["a", "b", "a"]
    assert [rule.label for rule in tree.rules()] == ["b", "a"]
    assert tree.predict({"x": [-1.0, 1.0]}).tolist() == ["b", "a"]
    assert "→ b" in tree.text().splitlines()[2]


def test_costs_of_a_divided_row_are_those_of_its_sum() -> None:
    root = cut("x", 0.0, leaf(8, 1), leaf(31, 0))
    tree = build(schema_of(numeric("x")), root, ["a", "b"], leaf=LeafRule(cost_matrix=COSTS))
    assert tree.predict({"x": [-1.0, np.nan]}).tolist() == ["b", "a"]  # 1 in 9, and 1 in 40


def test_smoothing_and_costs_go_together() -> None:
    root = categories("colour", (["r"], leaf(20, 0)), (["g"], leaf(3, 0)))
    from unit.tree.hand_trees import nominal

    rule = LeafRule(estimate="laplace", cost_matrix=COSTS)
    tree = build(schema_of(nominal("colour", "r", "g")), root, ["a", "b"], leaf=rule)
    assert tree.predict({"colour": ["r", "g"]}).tolist() == ["a", "b"]  # 1 in 22, and 1 in 5


def test_labels_of_several_outputs_keep_their_types() -> None:
    codes = [np.array([0, 1]), np.array([1, 0])]
    mixed = labels_of(codes, (np.array([10, 20]), np.array(["x", "y"])))
    assert mixed.tolist() == [[10, "y"], [20, "x"]]
    assert labels_of(codes[:1], (np.array(["x", "y"]),)).tolist() == ["x", "y"]
