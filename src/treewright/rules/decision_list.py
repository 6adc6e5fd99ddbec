"""Ordered rules as a decision list: figures of each rule, and a default.

The coverage and accuracy of a rule are counted on all rows that meet it, whatever rules come before
it. Its probabilities are counted on the rows that it decides on: those that meet no earlier rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.rules.counting import LabelledRows, count, count_by_rule, with_figures
from treewright.rules.matching import Matcher
from treewright.rules.rule import Rule
from treewright.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.tree.tree import Tree


def decision_list(
    rules: Sequence[Rule],
    rows: LabelledRows,
    *,
    confidences: Sequence[float],
    tree: Tree,
    default: int | None = None,
) -> RuleSet:
    """Return a decision list: rules with their figures on some rows, and a default class.

    Parameters
    ----------
    rules, confidences
        The rules in their order, and the confidence of each.
    rows
        The rows to count.
    tree
        The tree that the rules come from.
    default
        The default class, as a position; if None, the most frequent class of the rows that
        meet no rule, of equally frequent ones the more frequent among all rows.
    """
    *tallies, left = count(rules, rows)
    if default is None:
        default = int(np.lexsort((-rows.class_weights, -left.weights))[0])
    label = rows.classes.tolist()[default]
    otherwise = Rule(conditions=(), label=label, schema=tree.schema)
    counted = [
        with_figures(rule, tally, rows, confidence=float(confidence))
        for rule, tally, confidence in zip(rules, tallies, confidences, strict=True)
    ]
    counted.append(with_figures(otherwise, left, rows))
    decided = count_by_rule(Matcher(rules).first(rows.table), len(rules), rows)
    *listed, last = (
        replace(rule, distribution=_shares(by_itself, rule.weights, rows.class_weights + 1e-300))
        for rule, by_itself in zip(counted, decided, strict=True)
    )
    return RuleSet(listed, default=last, classes=tree.classes, mode="ordered", unseen=tree.unseen)


def _shares(*weights: FloatArray) -> FloatArray:
    """Return the proportions of the first of these class weights that is not all 0."""
    some = next(line for line in weights if line.sum() > 0)
    return np.asarray(some / some.sum())
