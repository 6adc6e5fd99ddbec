"""How large the tree should be, and its rules: words by their conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from unit.reporting.tables import loans_report, numbers_report

from treewright import C45Classifier, DecisionTreeClassifier, load_example, report
from treewright.reporting.sections.size import finding_of
from treewright.reporting.size import SizeCurve
from treewright.reporting.tree_words import TreeWords


def curve(validated: list[float], chosen: int | None, **options: Any) -> SizeCurve:
    n = len(validated)
    return SizeCurve(
        n_leaves=np.array([1.0, 2, 5, 10, 20, 50][:n]),
        validated=np.array(validated),
        standard_error=np.full(n, 0.01),
        training=np.linspace(0.2, 0.0, n),
        chosen=chosen,
        measure="error",
        is_share=True,
        caption="",
        is_choice=True,
        **options,
    )


def test_a_curve_that_rises_at_its_end_learns_noise() -> None:
    rises = curve([0.2, 0.15, 0.1, 0.1, 0.12, 0.2], 2)
    assert rises.learns_noise
    assert rises.lowest == 2
    assert rises.draw().title == "Beyond about 5 leaves the tree learns noise"
    flat = curve([0.2, 0.15, 0.1, 0.1, 0.1, 0.105], 2)
    assert not flat.learns_noise
    assert flat.draw().title == "Error by the number of leaves"


@pytest.mark.parametrize(
    ("validated", "chosen", "n_leaves", "told"),
    [
        ([0.2, 0.15, 0.1, 0.1, 0.12, 0.2], 2, 5, "5 leaves are enough"),
        ([0.2, 0.15, 0.1, 0.1, 0.12, 0.2], 1, 2, "2 leaves are fewer than would do best"),
        ([0.2, 0.15, 0.1, 0.1, 0.09, 0.08], 5, 50, "50 leaves are not too many"),
        ([0.2, 0.1, 0.12, 0.15, 0.2, 0.2], 5, 50, "50 leaves are too many: about 2 would do"),
        ([0.2, 0.2], 0, 1, "No larger tree is better than one answer for all rows"),
        ([0.2, 0.2], None, 7, "The tree has 7 leaves"),
    ],
)
def test_the_finding_by_its_conditions(
    validated: list[float], chosen: int | None, n_leaves: int, told: str
) -> None:
    assert finding_of(curve(validated, chosen), n_leaves).startswith(told)


def test_the_curve_of_the_usual_tree_is_the_one_that_chose_its_size() -> None:
    for found in (loans_report().findings, numbers_report().findings):
        size, tree = found.size, found.tree
        assert size is not None
        assert tree is not None
        assert size.is_choice
        assert size.chosen is not None
        assert size.n_leaves[size.chosen] == tree.n_leaves
        within = np.flatnonzero(size.validated <= size.limit * (1 + 1e-3))
        assert size.chosen <= within[0] + 1
        assert tree.pruning is not None
        assert tree.n_leaves <= size.n_leaves[-1] <= tree.pruning.tree.n_leaves


def test_other_trees_have_a_curve_of_their_own_or_say_why_not() -> None:
    iris = load_example("iris")
    whole = report(iris, model=DecisionTreeClassifier(), rivals=[]).findings
    assert whole.size is not None
    assert not whole.size.is_choice
    c45 = report(iris, model=C45Classifier(), rivals=[]).findings
    assert c45.size is None
    assert any("Sizes were not compared" in each for each in c45.not_done)


def test_rules_of_the_rarest_class_come_first_and_their_rows_add_up() -> None:
    made = loans_report()
    found = made.findings
    tree = found.tree
    assert tree is not None
    assert sum(rule.covers for rule in tree.rules()) == found.data.n_rows
    own = [rule for rule in tree.rules() if rule.label == "late"]
    right = sum(rule.covers - (rule.errors or 0) for rule in own)
    share = round(100 * right / 250)
    section = next(each for each in made.sections if each.anchor == "rules")
    noun, verb = ("rule", "finds") if len(own) == 1 else ("rules", "find")
    assert section.finding.replace("\u202f", " ") == f"{len(own)} {noun} {verb} {share} % of late"
    body = "".join(section.blocks)
    assert body.index("<b>default</b>") < body.index("<b>late</b>") < body.index("<b>repaid</b>")


def test_conditions_have_the_rounded_cuts_of_the_picture() -> None:
    tree = loans_report().findings.tree
    assert tree is not None
    words = TreeWords(tree)
    told = [words.premise(rule) for rule in tree.rules()]
    assert told[0] == "amount ≤ 8,950, employment ≠ without work"
    assert any(" to 17,250, " in each for each in told)
    assert not any("<=" in each or "{" in each for each in told)


def test_rules_of_numbers_are_sorted_by_their_answer() -> None:
    made = numbers_report()
    tree = made.findings.tree
    assert tree is not None
    section = next(each for each in made.sections if each.anchor == "rules")
    assert section.finding.startswith(f"{tree.n_leaves} rules, with answers from ")
