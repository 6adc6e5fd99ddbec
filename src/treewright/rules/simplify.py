"""Shorter decision lists with the same predictions.

Everything that is dropped is proved redundant for every possible row, missing values and unseen
categories included, by comparing the sets of :mod:`treewright.rules.regions`; no table is used.
The rows that a rule covers are compared with those of one other rule, or of several that differ
along one column: more could be proved by combining any number of rules, at a cost that
grows exponentially with them. Each rule is compared with all others, so time is quadratic in their
number: 5,000 rules take some seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.rules.regions import CutAxis, Space
from treewright.rules.sets import Sets, sets_along
from treewright.tree.condition import Condition, Conjunction, Interval

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, Int64Array
    from treewright.rules.rule import Rule


def without_idle_conditions(rules: Sequence[Rule]) -> list[Rule]:
    """Return rules without those that no row can meet, and conditions that every row meets."""
    space = Space(rule.conditions for rule in rules)
    kept = []
    for rule in rules:
        box = space.box(rule.conditions)
        if all(cells.any() for cells in box.values()):
            kept.append(_with(rule, tuple(each for each in rule.conditions if each.key in box)))
    return kept


def simplified_list(rules: Sequence[Rule], answers: Int64Array) -> list[Rule]:
    """Return a decision list, simplified; each of its conditions must restrict something.

    Parameters
    ----------
    rules
        The rules in their order.
    answers
        Prediction of each rule, and last of the default, as numbers: equal for equal
        predictions.
    """
    cover = _Cover([rule.conditions for rule in rules])
    for number in range(len(rules)):
        cover.shorten(number)
    for number in range(len(rules) - 1, -1, -1):
        cover.drop_if_repeated(number, answers)
    return [
        _with(rule, cover.conditions[number])
        for number, rule in enumerate(rules)
        if cover.alive[number]
    ]


def _with(rule: Rule, conditions: Conjunction) -> Rule:
    return rule if conditions == rule.conditions else rule.shortened(conditions)


class _Cover:
    """The rules of a decision list as boxes, some of them already shortened or dropped."""

    def __init__(self, conjunctions: Sequence[Conjunction]) -> None:
        n_rules = len(conjunctions)
        space = Space(conjunctions)
        self.conditions = list(conjunctions)
        self.alive = np.ones(n_rules, dtype=bool)
        self._n_keys = np.array([len(each) for each in conjunctions], dtype=np.int64)
        self._sets = {key: sets_along(axis, space.said[key]) for key, axis in space.axes.items()}

    def shorten(self, number: int) -> None:
        """Drop a rule that earlier ones cover, else the conditions that they make redundant."""
        while self.alive[number]:
            near = self._held_but_for_one_key(number)
            if near is None or self._is_used_up(number, near):
                self.alive[number] = False
            elif not self._relax(number, near):
                return

    def drop_if_repeated(self, number: int, answers: Int64Array) -> None:
        """Drop a rule whose rows all get the same prediction from the rules after it."""
        later = np.arange(number + 1, len(self.conditions))
        meets = self.alive[number + 1 :].copy()
        n_held = np.zeros(len(later), dtype=np.int64)
        for condition in self.conditions[number]:
            sets = self._sets[condition.key]
            after = sets.rules > number
            place = sets.rules[after] - number - 1
            meets[place] &= sets.meet(number)[after]
            n_held[place] += sets.hold(number)[after]
        holds = meets & (n_held == self._n_keys[number + 1 :])
        same = answers[number + 1 : -1] == answers[number]
        in_the_way = np.flatnonzero(meets & ~same)
        stop = int(in_the_way[0]) if len(in_the_way) else len(later)
        falls_to_default = len(in_the_way) == 0 and answers[-1] == answers[number]
        if falls_to_default or (holds & same)[:stop].any():
            self.alive[number] = False

    def _held_but_for_one_key(self, number: int) -> dict[object, Int64Array] | None:
        """Return the earlier rules that contain a rule except along one column, by that column.

        None if one of them contains the rule wholly.
        """
        n_held = np.zeros(number, dtype=np.int64)
        fails: dict[object, Int64Array] = {}
        for condition in self.conditions[number]:
            sets = self._sets[condition.key]
            before = sets.rules < number
            held = sets.hold(number)[before]
            n_held[sets.rules[before][held]] += 1
            fails[condition.key] = sets.rules[before][~held]
        lacking = np.where(self.alive[:number], self._n_keys[:number] - n_held, -1)
        if (lacking == 0).any():
            return None
        near = {key: rules[lacking[rules] == 1] for key, rules in fails.items()}
        told = np.concatenate([np.empty(0, dtype=np.int64), *near.values()])
        apart: dict[object, list[int]] = {}  # along a column that the rule does not restrict
        for rule in np.setdiff1d(np.flatnonzero(lacking == 1), told).tolist():
            (key,) = (each.key for each in self.conditions[rule] if each.key not in near)
            apart.setdefault(key, []).append(rule)
        return near | {key: np.array(rules) for key, rules in apart.items()}

    def _is_used_up(self, number: int, near: dict[object, Int64Array]) -> bool:
        """Return whether rules that differ along one column together cover a rule."""
        for key, rules in near.items():
            if len(rules) == 0:
                continue
            sets = self._sets[key]
            left = ~sets.union(rules)
            if sets.lists(number):
                left &= sets.union(np.array([number]))
            if not left.any():
                return True
        return False

    def _relax(self, number: int, near: dict[object, Int64Array]) -> bool:
        """Drop a condition or a bound beyond which earlier rules decide; return whether one was."""
        conditions = self.conditions[number]
        for place, condition in enumerate(conditions):
            if len(near[condition.key]) == 0:
                continue
            sets = self._sets[condition.key]
            spoken_for = sets.union(np.append(near[condition.key], number))
            if spoken_for.all():
                self.conditions[number] = (*conditions[:place], *conditions[place + 1 :])
                self._n_keys[number] -= 1
                sets.forget(number)
                return True
            shorter = _with_fewer_bounds(condition, sets, spoken_for)
            if shorter is not None:
                self.conditions[number] = (
                    *conditions[:place],
                    shorter,
                    *conditions[place + 1 :],
                )
                sets.put(number, shorter)
                return True
        return False


def _with_fewer_bounds(condition: Condition, sets: Sets, spoken_for: BoolArray) -> Condition | None:
    """Return an interval without one bound if all cells beyond it are covered, else None."""
    if not isinstance(condition, Interval) or not isinstance(sets.axis, CutAxis):
        return None
    low, high = sets.axis.range_of(condition)
    if condition.low is not None and spoken_for[:low].all():
        return replace(condition, low=None)
    if condition.high is not None and spoken_for[high + 1 : -1].all():
        return replace(condition, high=None)
    return None
