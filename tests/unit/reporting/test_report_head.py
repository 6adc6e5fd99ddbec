"""The words of the head: each says what its figures say, and nothing where no condition is met."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from unit.reporting.tables import loans_report, numbers_report

from treewright import DecisionTreeClassifier, load_example, report
from treewright.reporting.sections.head import head_of, worst_class


def spaced(text: str) -> str:
    return text.replace("\u202f", " ")


def two_classes(n: int, noise: float) -> tuple[dict[str, Any], Any]:
    """A column that tells two classes apart, but for some rows."""
    random = np.random.default_rng(1)
    x = random.normal(size=n)
    wrong = random.random(n) < noise
    return {"x": x, "other": random.normal(size=n)}, np.where((x > 0) ^ wrong, "yes", "no")


def test_the_finding_says_the_accuracy_and_the_class_that_is_missed() -> None:
    found = loans_report().findings
    head = head_of(found)
    confusion = found.judged.scores.confusion
    assert found.tree is not None
    right = f"{100 * (1 - found.judged['error'].value):.1f} %"
    assert spaced(head.finding).startswith(f"{found.tree.n_leaves} leaves get {right} of new rows")
    worst = worst_class(found)
    assert worst is not None
    assert worst[1] == confusion.recall.min() < 0.5
    assert spaced(head.finding).endswith(f"of {worst[0]}")


def test_no_class_is_named_where_all_are_recognised() -> None:
    X, y = two_classes(300, 0.02)
    found = report(X, y, rivals=[])
    assert worst_class(found.findings) is None
    assert "but recognise" not in found.head.finding


def test_a_tree_that_is_no_better_than_one_answer_says_so() -> None:
    X, y = two_classes(200, 0.5)
    whole = report(X, y, rivals=[], model=DecisionTreeClassifier(random_state=0))
    assert not whole.findings.is_better_than_constant
    assert "cannot be told from one answer for all rows" in whole.head.finding
    single = report(X, y, rivals=[])
    assert single.findings.tree is not None
    assert single.findings.tree.n_leaves == 1
    right = f"{100 * (1 - single.findings.baseline):.1f} %"
    told = spaced(single.head.finding)
    assert told.startswith("No question helps: “")
    assert told.endswith(f" for all rows is right for {right} of new ones")


def test_of_one_leaf_the_answer_is_judged_and_not_the_trees_of_the_folds() -> None:
    X, y = two_classes(200, 0.5)
    found = report(X, y, rivals=[]).findings
    scores = found.judged.scores
    right = replace(scores.answers, predicted=scores.answers.actual)
    judged = replace(found.judged, scores=replace(scores, answers=right))
    better = head_of(replace(found, judged=judged))
    base = f"{100 * (1 - found.baseline):.1f} %"
    assert spaced(better.finding).startswith("The tree asks nothing: ")
    assert spaced(better.finding).endswith(f"for all rows is right for {base} of new ones")
    assert "Trees grown from parts of the table ask more, and are wrong for" in better.lede


def test_the_lede_names_error_baseline_and_the_best_rival() -> None:
    X, y = two_classes(300, 0.02)
    rivals = {"coin": "yes"}
    found = report(X, y, rivals=rivals)
    lede = spaced(found.head.lede)
    error, base = found.findings.value, found.findings.baseline
    assert f"The tree is wrong for {100 * error:.1f} % of the rows it has not seen" in lede
    assert f"is wrong for {100 * base:.1f} %." in lede
    assert "None of the other learners that were tried does better; coin has" in lede


def test_a_better_rival_is_named_as_sure_only_where_the_comparison_is() -> None:
    diabetes = load_example("diabetes")
    from treewright import M5Regressor

    found = report(diabetes, rivals={"M5": M5Regressor()})
    comparison = found.findings.comparison
    assert comparison is not None
    p_value = comparison.p_values["M5"]
    assert ("M5 gets to" in found.head.lede) == (p_value <= 0.05)
    assert ("M5 has" in found.head.lede) == (p_value > 0.05)


def test_numbers_are_told_by_the_variance_explained() -> None:
    found = numbers_report()
    share = round(100 * found.findings.judged["r2"].value)
    assert f"explain {share} % of the variance of " in spaced(found.head.finding)
    assert "always answering the mean has" in found.head.lede


def test_costs_are_told_as_costs() -> None:
    X, y = two_classes(200, 0.1)
    costs = {"no": {"no": 0, "yes": 5}, "yes": {"no": 1, "yes": 0}}
    found = report(X, y, rivals=[], cost_matrix=costs)
    assert found.findings.metric.name == "mean_cost"
    assert found.findings.model.get_params()["cost_matrix"] == costs
    assert " a row on average; the same answer for all rows " in found.head.finding


def test_the_four_key_figures() -> None:
    found = loans_report()
    error, base, size, table = found.head.keys
    assert spaced(error.figure) == f"{100 * found.findings.value:.1f} %"
    assert spaced(str(error.beside)).startswith("95 %: ")
    assert base.beside == "always “repaid”"
    tree = found.findings.tree
    assert tree is not None
    assert size.figure == f"{tree.n_leaves} leaves"
    assert str(size.beside).startswith(f"depth {tree.depth}, ")
    assert table.figure == "2,000 rows"


@pytest.mark.parametrize("n_rows", [30, 200])
def test_at_most_three_things_are_to_be_known_first(n_rows: int) -> None:
    random = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[random.choice(3, n_rows, p=[0.9, 0.07, 0.03])]
    y[:3] = ["a", "b", "c"]
    X = {
        "customer_id": np.arange(n_rows) + 500,
        "gaps": np.where(random.random(n_rows) < 0.5, np.nan, 1.0),
        "x": random.normal(size=n_rows),
    }
    found = report(X, y, rivals=[])
    assert 1 <= len(found.head.first) <= 3
    assert "customer_id" in found.head.first[0]
