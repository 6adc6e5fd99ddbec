"""Rules that vote, as C5.0 makes them from a pruned tree (``formrules.c``, ``siftrules.c``).

Every node below the root becomes a rule and drops conditions while that does not raise its error
by Laplace's estimate, or while the bits it saves on its class are fewer than its own. Of all rules
together, whatever their class, a subset is chosen by hill climbing on its description length: the
bits of its rules and of the errors of its votes. The vote weight of a rule is
(n - m + 1) / (n + 2), where it covers n rows and is wrong about m.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import xlogy

from treewright.rules.counting import LabelledRows, RuleCounts, count, with_figures
from treewright.rules.learn.description_length import TestCode, log2_factorial
from treewright.rules.learn.shorten import shorten
from treewright.rules.matching import match_matrix
from treewright.rules.paths import tests_of, walk_paths
from treewright.rules.rule import Rule, identity
from treewright.rules.ruleset import RuleSet
from treewright.tree.condition import merge

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, FloatArray, Int64Array
    from treewright.tree.tree import Tree

_THEORY = 0.23
"""Weight of the bits of rules (C5.0's THEORYFRAC)."""

_LEAST_LIFT = 0.95
"""Least lift of a rule: its accuracy over the frequency of its class (C5.0)."""

_LEAST_NODE, _LEAST_COVER = 1 - 1e-9, 0.99
_NOTHING = 1e-3


def c5rules(tree: Tree, rows: LabelledRows, *, min_cases: float) -> RuleSet:
    """Return the voting rules that C5.0 makes of a pruned tree.

    Parameters
    ----------
    tree
        The tree.
    rows
        The training rows.
    min_cases
        Least number of rows that a rule of the first theory must predict correctly.
    """
    code = TestCode.c5(rows)
    rules = _generalise(tree, rows, code)
    *tallies, _ = count(rules, rows)
    rules = [with_figures(rule, tally, rows) for rule, tally in zip(rules, tallies, strict=True)]
    bits = np.array(
        [code.rule_bits([t for each in rule.conditions for t in tests_of(each)]) for rule in rules]
    )
    theory = _Theory(rules, rows, bits=bits, error_rate=_expected_error(tree, rows))
    theory.start(_first_theory(theory, rows, min_cases))
    theory.climb()
    chosen = np.flatnonzero(theory.chosen)
    by_class = np.lexsort((-theory.votes[chosen], theory.codes[chosen]))
    listed = [rules[i] for i in chosen[by_class].tolist()]
    *_, left = count(listed, rows)
    default = _default_code(left, rows)
    labels = rows.classes.tolist()
    otherwise = Rule(conditions=(), label=labels[default], schema=tree.schema)
    shares = left.weights if left.weights.sum() > 0 else rows.class_weights
    return RuleSet(
        listed,
        default=replace(with_figures(otherwise, left, rows), distribution=shares / shares.sum()),
        classes=tree.classes,
        mode="voting",
        unseen=tree.unseen,
    )


def _generalise(tree: Tree, rows: LabelledRows, code: TestCode) -> list[Rule]:
    """Return a rule of every node below the root, generalised by dropping conditions."""
    total = float(rows.weight.sum())
    labels = rows.classes.tolist()
    code_of_label = {label: code for code, label in enumerate(labels)}
    found: dict[object, Rule] = {}
    for node, tests, met in walk_paths(tree, rows.table, inner=True):
        if tree.arrays.weight[node] < _LEAST_NODE or not tests:
            continue
        target = code_of_label[tree.label(node)]
        frequency = float(rows.class_weights[target])
        judge = _Judge(
            test_bits=np.array(list(map(code.bits, tests))), frequency=frequency, total=total
        )
        wrong = np.where(rows.codes == target, 0.0, rows.weight)
        last = shorten(met, rows.weight, wrong, judge.choose)[-1]
        covered, errors = float(last.covered[0]), float(last.wrong[0])
        lift = (covered - errors + 1) / ((covered + 2) * frequency / total)
        if covered <= _LEAST_COVER or not judge.pays(last.conditions, covered, errors):
            continue
        if lift < _LEAST_LIFT:
            continue
        kept = merge(tests[i] for i in last.conditions.tolist())
        key = (target, frozenset(map(identity, kept)))
        found.setdefault(key, Rule(conditions=kept, label=labels[target], schema=tree.schema))
    return list(found.values())


@dataclass(frozen=True, kw_only=True)
class _Judge:
    """Chooses the condition to drop from a rule (C5.0's ``PruneRule``)."""

    test_bits: FloatArray
    frequency: float
    total: float

    def choose(self, left: Int64Array, covered: FloatArray, wrong: FloatArray) -> int | None:
        """Return the condition whose removal gives the lowest error, of equals the last."""
        errors = np.where(covered < _NOTHING, 0.5, (wrong + 1) / (covered + 2))
        best = len(errors) - 2 - int(errors[:0:-1].argmin())
        is_needed = errors[1 + best] > errors[0]
        if len(left) == 1 or (is_needed and self.pays(left, float(covered[0]), float(wrong[0]))):
            return None
        return best

    def pays(self, left: Int64Array, covered: float, wrong: float) -> bool:
        """Return whether a rule saves more bits on its class than it takes to encode."""
        cost = float(self.test_bits[left].sum() - log2_factorial(len(left)))
        others = self.total - self.frequency
        right = covered - wrong
        told = _mixture(self.frequency, others) - _mixture(right, wrong)
        told -= _mixture(self.frequency - right, others - wrong)
        return bool(_THEORY * cost <= told)


def _mixture(one: float, other: float) -> float:
    """Return the bits that encode which of two classes each of some rows has."""
    whole = one + other
    nats = xlogy(whole, whole) - xlogy(one, one) - xlogy(other, other)
    return float(nats / np.log(2))


def _expected_error(tree: Tree, rows: LabelledRows) -> float:
    """Return the expected error rate of the votes: about that of the tree."""
    is_leaf = tree.arrays.n_branches == 0
    wrong = tree.arrays.value[is_leaf]
    errors = float((wrong.sum(axis=1) - wrong.max(axis=1)).sum())
    n_classes = len(rows.classes)
    rate = (errors + n_classes - 1) / (float(rows.weight.sum()) + n_classes)
    return 0.45 if rate > 0.5 else max(rate, 1e-9)


class _Theory:
    """A subset of rules, the errors of its votes, and how each change would alter them."""

    def __init__(
        self, rules: list[Rule], rows: LabelledRows, *, bits: FloatArray, error_rate: float
    ) -> None:
        self._rows = rows
        self._bits = bits
        # Bits that mark a row as wrong and encode its class, and that mark it as right.
        named = np.log2(max(len(rows.classes) - 1, 1))
        self._bits_wrong, self._bits_right = named - np.log2(error_rate), -np.log2(1 - error_rate)
        code_of_label = {label: code for code, label in enumerate(rows.classes.tolist())}
        self.codes = np.array([code_of_label[rule.label] for rule in rules], dtype=np.int64)
        trust = np.array([rule.confidence for rule in rules], dtype=np.float64)
        self.votes = np.floor(1000 * trust + 0.5)
        self._matches = match_matrix(rules, rows.table)
        self._rules_of_row = self._matches.T.tocsr()
        self.start(np.zeros(len(rules), dtype=bool))

    def rows_of(self, rule: int) -> Int64Array:
        """Return the rows that meet a rule."""
        matches = self._matches
        span = slice(matches.indptr[rule], matches.indptr[rule + 1])
        return np.asarray(matches.indices[span], dtype=np.int64)

    def start(self, chosen: BoolArray) -> None:
        """Start with these rules."""
        self.chosen = chosen.copy()
        n_rows, n_classes = self._rows.table.n_rows, len(self._rows.classes)
        # One more column, for rows without any votes: no class.
        self._sums = np.zeros((n_rows, n_classes + 1))
        for rule in np.flatnonzero(chosen).tolist():
            self._sums[self.rows_of(rule), self.codes[rule]] += self.votes[rule]
        self._top = np.full(n_rows, -1)
        self._next = np.full(n_rows, -1)
        everything = np.arange(n_rows)
        self._find_tops(everything)
        self.errors = float(self._rows.weight[self._top != self._rows.codes].sum())
        self._change = self._errors_added(everything)

    def climb(self) -> None:
        """Make the change that saves most bits, repeatedly; when none does, only drop rules."""
        n_first = int(self.chosen.sum())
        last, only_drops = -1, False
        while len(self.codes):
            n_chosen, bits = int(self.chosen.sum()), float(self._bits[self.chosen].sum())
            sign = np.where(self.chosen, -1, 1)
            now = float(self._length(n_chosen, bits, self.errors))
            then = self._length(
                n_chosen + sign, bits + sign * self._bits, self.errors + self._change
            )
            then[~self.chosen & (only_drops or self.errors < _NOTHING)] = np.inf
            if last >= 0:
                then[last] = np.inf
            best = self._best(then, now)
            only_drops = only_drops or best is None
            if best is None or (only_drops and n_chosen <= n_first):
                return
            self._make(best)
            last = best

    def _best(self, then: FloatArray, now: float) -> int | None:
        """Return the change that leaves fewest bits; if it saves none, only one that drops."""
        lowest = float(then.min())
        if lowest > now:
            return None
        equal = np.flatnonzero(then == lowest)
        drops = equal[self.chosen[equal]]
        if len(drops):
            return int(drops[-1])
        return int(equal[0]) if lowest < now else None

    def _length(
        self, n_rules: int | Int64Array, bits: float | FloatArray, errors: float | FloatArray
    ) -> FloatArray:
        right = float(self._rows.weight.sum()) - errors
        theory = _THEORY * np.maximum(0.0, bits - log2_factorial(n_rules))
        return np.asarray(theory + errors * self._bits_wrong + right * self._bits_right)

    def _find_tops(self, rows: Int64Array) -> None:
        """Update the class with most votes for some rows, and the second; -1 for none."""
        sums = self._sums[rows, :-1]
        place = np.arange(len(rows))
        top = sums.argmax(axis=1)
        most = sums[place, top]
        sums[place, top] = -1.0
        second = sums.argmax(axis=1)
        self._top[rows] = np.where(most > 0, top, -1)
        self._next[rows] = np.where(sums[place, second] > 0, second, -1)

    def _errors_added(self, rows: Int64Array) -> FloatArray:
        """Return the errors among some rows that changing each rule would add."""
        covering = self._rules_of_row[rows]
        rule, row = covering.indices, np.repeat(rows, np.diff(covering.indptr))
        top, instead = self._top[row], self._next[row]
        own, vote, drops = self.codes[rule], self.votes[rule], self.chosen[rule]
        lead = self._sums[row, instead] - (self._sums[row, top] - vote)
        falls = drops & (own == top) & _is_preferred(lead, instead, top)
        lead = self._sums[row, own] + vote - self._sums[row, top]
        rises = ~drops & (own != top) & _is_preferred(lead, own, top)
        said = np.where(falls, instead, np.where(rises, own, top))
        real = self._rows.codes[row]
        change = (said != real).astype(np.float64) - (top != real)
        added = np.bincount(
            rule, weights=change * self._rows.weight[row], minlength=len(self.codes)
        )
        return added.astype(np.float64)

    def _make(self, rule: int) -> None:
        """Add a rule, or drop it if it is in the subset."""
        rows = self.rows_of(rule)
        self.errors += float(self._change[rule])
        before = self._errors_added(rows)
        self.chosen[rule] = not self.chosen[rule]
        sign = 1 if self.chosen[rule] else -1
        self._sums[rows, self.codes[rule]] += sign * self.votes[rule]
        self._find_tops(rows)
        self._change += self._errors_added(rows) - before


def _is_preferred(lead: FloatArray, one: Int64Array, other: Int64Array) -> BoolArray:
    return np.asarray((lead > 0) | ((lead == 0) & (one < other)))


def _first_theory(theory: _Theory, rows: LabelledRows, min_cases: float) -> BoolArray:
    """Return a first subset: the most confident rules of each class, while rows of it remain."""
    chosen = np.zeros(len(theory.codes), dtype=bool)
    for code in np.unique(theory.codes).tolist():
        is_open = np.ones(rows.table.n_rows, dtype=bool)
        left, taken = float(rows.class_weights[code]), 0.0
        of_class = np.flatnonzero(theory.codes == code)
        for rule in of_class[np.argsort(-theory.votes[of_class], kind="stable")].tolist():
            if left <= taken:
                break
            met = theory.rows_of(rule)
            weight, is_right = rows.weight[met], rows.codes[met] == code
            if weight[is_right].sum() < min_cases:
                continue
            fresh = is_open[met]
            right = float(weight[fresh & is_right].sum())
            wrong = float(weight[fresh & ~is_right].sum())
            if right - wrong <= min_cases + 1e-4:
                continue
            chosen[rule] = True
            left, taken = left - right, taken + wrong
            is_open[met] = False
    return chosen


def _default_code(left: RuleCounts, rows: LabelledRows) -> int:
    """Return the default class, frequent both among rows that meet no rule and among all."""
    share = (left.weights + 1) / (float(left.weights.sum()) + _NOTHING + 2)
    return int((share + rows.class_weights / rows.class_weights.sum()).argmax())
