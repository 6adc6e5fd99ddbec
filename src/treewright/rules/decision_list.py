"""Rules in their order made into a decision list: figures for each of them, and a default.

A rule's weight covered and accuracy are its own, whatever rules come before it. The probabilities
it gives are those of the rows that it decides on, which earlier rules leave to it.
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
    """Count what each rule covers among some rows, and find the default class.

    Parameters
    ----------
    rules, confidences
        The rules in their order, and how far each is trusted.
    rows
        The rows to count.
    tree
        The tree that the rules come from.
    default
        The default class, as a position; unless given, the most frequent class of the rows that
        meet no rule, and of equally frequent ones that of all rows.
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
    """Return the shares of the first of these class weights that has any."""
    some = next(line for line in weights if line.sum() > 0)
    return np.asarray(some / some.sum())
