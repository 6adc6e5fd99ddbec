"""C4.5rules' choice among the rules of one class: the subset of minimum description length.

The description length of a subset is the bits that encode its rules and then its exceptions: the
rows it covers but should not (false positives) and those of the class that it leaves out (false
negatives).
Quinlan (1993, section 5.2); the exceptions are coded as release 8 codes them (Quinlan, *MDL and
categorical theories (continued)*, ICML 1995). Bits are compared in single precision, as the
program does: two subsets that differ by rounding alone tie, and the first one stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.special import xlogy

from treewright.rules.learn.description_length import log2_factorial

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, FloatArray
    from treewright.rules.learn.library_random import RandomNumbers

Search: TypeAlias = Literal["greedy", "annealing"]
SEARCHES: tuple[Search, ...] = ("greedy", "annealing")

_THEORY_WEIGHT = 0.5
"""Weight of the bits of rules (release 8's CodeWeight): a rule has several equal encodings."""

_MOST_TRIED_OUT = 10
"""Up to this many rules, every subset is tried."""

_CLIMBS = 11
"""Greedy climbs, from random subsets of 0 %, 10 %, ... 100 % of the rules."""

_IMPOSSIBLE = 1e6
"""Bits of errors where the code expects none (release 8)."""

_NOTHING = 1e-6
"""Weight below which a row counts as none (release 8), as sums of parts of rows may leave."""

_LEAST_SAVING = 1e-6
"""Least bits saved; less is a rounding error of sums, and could be saved again and again."""

_HOT, _COLD, _COOLING, _TRIES = 1000.0, 0.001, 0.95, 100
"""Temperatures of the annealing, and draws for one accepted change (release 8)."""


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The rules of one class, to choose from.

    Parameters
    ----------
    matches
        Rules x rows, 1 where the row meets the rule.
    bits
        Bits that encode each rule.
    weight
        The weight of each row.
    is_target
        Whether the row is of the class.
    """

    matches: csr_array
    bits: FloatArray
    weight: FloatArray
    is_target: BoolArray


def choose_subset(candidates: Candidates, *, search: Search, random: RandomNumbers) -> BoolArray:
    """Return a subset of few bits; the best one for up to ten rules."""
    n_rules = len(candidates.bits)
    if n_rules <= _MOST_TRIED_OUT:
        return _best_of_all(candidates)
    state = _State(candidates)
    if search == "annealing":
        _anneal(state, random)
        state.restart(state.best)
        _climb(state)
    else:
        for climb in range(_CLIMBS):
            state.restart(random.random(n_rules) < climb / (_CLIMBS - 1))
            _climb(state)
    return state.best


def exception_bits(
    fires: FloatArray, false_positives: FloatArray, false_negatives: FloatArray, n_rows: float
) -> FloatArray:
    """Return the bits that encode the exceptions of a subset that covers the weight `fires`.

    The larger side of the table is encoded as if errors were shared evenly between the sides, so
    that errors of one kind are not favoured.
    """
    even = 0.5 * (false_positives + false_negatives)
    covers_most = fires > 0.5 * n_rows
    covered = _coded(fires, false_positives, np.where(covers_most, even, false_positives))
    rest = _coded(n_rows - fires, false_negatives, np.where(covers_most, false_negatives, even))
    return np.asarray(np.log2(n_rows) + covered + rest)


def _coded(n: FloatArray, errors: FloatArray, expected: FloatArray) -> FloatArray:
    """Return the bits that mark which of `n` rows are errors, with `expected` errors expected."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = expected / n
        bits = -(xlogy(errors, rate) + xlogy(n - errors, 1 - rate)) / np.log(2)
    none, every = expected <= _NOTHING, expected >= n - _NOTHING
    bits = np.where(every, np.where(errors >= n - _NOTHING, 0.0, _IMPOSSIBLE), bits)
    return np.where(none, np.where(errors <= _NOTHING, 0.0, _IMPOSSIBLE), bits)


def _best_of_all(candidates: Candidates) -> BoolArray:
    """Return the best of all subsets; of equals the first in binary order, first rule lowest."""
    n_rules = len(candidates.bits)
    subsets = np.arange(2**n_rules)
    pattern = (1 << np.arange(n_rules)) @ candidates.matches.toarray().astype(np.int64)
    members = ((subsets[:, np.newaxis] >> np.arange(n_rules)) & 1).astype(bool)

    def missed(weight: FloatArray) -> FloatArray:
        """Return the weight of the rows that no rule of each subset covers."""
        within = np.bincount(pattern, weights=weight, minlength=len(subsets)).astype(np.float64)
        for rule in range(n_rules):  # now within[s]: rows whose rules are all in s
            halves = within.reshape(-1, 2, 1 << rule)
            halves[:, 1] += halves[:, 0]
        return within[::-1]  # the rules left out are those of the complement

    is_target, weight = candidates.is_target, candidates.weight
    false_negatives = missed(np.where(is_target, weight, 0.0))
    others_missed = missed(np.where(is_target, 0.0, weight))
    false_positives = float(weight[~is_target].sum()) - others_missed
    fires = float(weight.sum()) - false_negatives - others_missed
    rules = members @ candidates.bits - log2_factorial(members.sum(axis=1))
    exceptions = exception_bits(fires, false_positives, false_negatives, float(weight.sum()))
    total = (_THEORY_WEIGHT * rules + exceptions).astype(np.float32)
    chosen: BoolArray = members[int(total.argmin())]
    return chosen


class _State:
    """A subset under search, with the bits that each change would cost or save.

    Weights have two rows: for the class, and for the others.
    """

    def __init__(self, candidates: Candidates) -> None:
        self._rows_of_rule = candidates.matches
        self._rules_of_row = csc_array(candidates.matches)
        self._bits = candidates.bits
        is_target, weight = candidates.is_target, candidates.weight
        self._weight = np.array(
            [np.where(is_target, weight, 0.0), np.where(is_target, 0.0, weight)]
        )
        self._total = self._weight.sum(axis=1)
        self.best_bits = np.float32(np.inf)
        self.best = np.zeros(len(self._bits), dtype=bool)
        self.restart(self.best)

    def restart(self, chosen: BoolArray) -> None:
        """Restart with these rules."""
        self.chosen = chosen.copy()
        self._n_covering = np.asarray(chosen.astype(np.int64) @ self._rows_of_rule)
        uncovered = np.where(self._n_covering == 0, self._weight, 0.0)
        covered_once = np.where(self._n_covering == 1, self._weight, 0.0)
        self._missed = uncovered.sum(axis=1)
        # Of each rule, the rows that no chosen rule covers, and those that one alone does.
        self._fresh = np.asarray(self._rows_of_rule @ uncovered.T).T
        self._sole = np.asarray(self._rows_of_rule @ covered_once.T).T

    def savings(self) -> FloatArray:
        """Return the bits saved by adding each rule, or by dropping it if it is in the subset."""
        chosen = self.chosen
        n_chosen = int(chosen.sum())
        rule_bits = float(self._bits[chosen].sum() - log2_factorial(n_chosen))
        now = float(self._whole(rule_bits, self._missed))
        if np.float32(now) < self.best_bits:
            self.best_bits, self.best = np.float32(now), chosen.copy()
        sign = np.where(chosen, -1.0, 1.0)
        n_ordered = np.where(chosen, max(n_chosen, 1), n_chosen + 1)
        then = self._whole(
            rule_bits + sign * (self._bits - np.log2(n_ordered)),
            self._missed[:, np.newaxis] - sign * np.where(chosen, self._sole, self._fresh),
        )
        return np.asarray(now - then)

    def change(self, rule: int) -> None:
        """Add a rule, or drop it if it is in the subset."""
        matches = self._rows_of_rule
        rows = matches.indices[matches.indptr[rule] : matches.indptr[rule + 1]]
        before = self._n_covering[rows]
        self.chosen[rule] = not self.chosen[rule]
        after = before + (1 if self.chosen[rule] else -1)
        self._n_covering[rows] = after
        touched = np.minimum(before, after) <= 1
        rows, before, after = rows[touched], before[touched], after[touched]
        covering, weight = self._rules_of_row[:, rows], self._weight[:, rows]
        opened = ((after == 0).astype(np.float64) - (before == 0)) * weight
        alone = ((after == 1).astype(np.float64) - (before == 1)) * weight
        self._missed += opened.sum(axis=1)
        self._fresh += np.asarray(covering @ opened.T).T
        self._sole += np.asarray(covering @ alone.T).T

    def _whole(self, rules: FloatArray | float, missed: FloatArray) -> FloatArray:
        """Return the bits of rules and exceptions, from the weights that no rule covers."""
        false_positives = self._total[1] - missed[1]
        fires = self._total.sum() - missed[0] - missed[1]
        exceptions = exception_bits(fires, false_positives, missed[0], float(self._total.sum()))
        return _THEORY_WEIGHT * rules + exceptions


def _climb(state: _State) -> None:
    """Make the change that saves most bits, until none saves any."""
    while True:
        savings = state.savings()
        best = int(savings.argmax())
        if savings[best] <= _LEAST_SAVING:
            return
        state.change(best)


def _anneal(state: _State, random: RandomNumbers) -> None:
    """Make random changes, those that cost bits with falling probability (annealing)."""
    temperature = _HOT
    while temperature > _COLD:
        savings = state.savings()
        for _ in range(_TRIES):
            rule = int(len(savings) * random.random(1)[0])
            if savings[rule] > 0 or random.random(1)[0] < np.exp(savings[rule] / temperature):
                state.change(rule)
                break
        else:
            return
        temperature *= _COOLING
