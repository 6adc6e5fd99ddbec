"""C4.5rules: an unpruned tree turned into a short list of rules (Quinlan 1993, chapter 5).

Every leaf becomes a rule; each rule drops the conditions that do not lower its pessimistic error;
of the rules of each class the subset of minimum description length is kept; classes are ordered
by their false positives; rows that meet no rule get the default class; rules that increase the
errors on the training rows are dropped. Details that the book leaves open follow release 8
(``prunerule.c``, ``siftrules.c``, ``testrules.c``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from treewright.measures.error_estimates import ErrorVariant, raw_added_errors
from treewright.rules.counting import LabelledRows
from treewright.rules.decision_list import decision_list
from treewright.rules.learn.description_length import TestCode
from treewright.rules.learn.select import Candidates, Search, choose_subset
from treewright.rules.learn.shorten import shorten
from treewright.rules.matching import match_matrix
from treewright.rules.paths import walk_paths
from treewright.rules.rule import Rule, identity
from treewright.tree.condition import Conjunction, merge

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
    from treewright.rules.learn.library_random import RandomNumbers
    from treewright.rules.ruleset import RuleSet
    from treewright.tree.tree import Tree

_LEAST_LEAF = 1 - 1e-9
"""Leaves that hold less than one row (a divided row's parts) make no rule (release 8)."""

_LEAST_TRUST = 0.3
"""Rules with a larger error than 0.7 never fire (release 8)."""


@dataclass(frozen=True, kw_only=True)
class C45RulesOptions:
    """Options of C4.5rules.

    Parameters
    ----------
    confidence
        CF of the pessimistic error; a lower one generalises more.
    variant
        The program whose error estimate is used.
    redundancy
        Divides the bits that encode a column: more than 1 where columns repeat each
        other (option -r).
    significance
        Also drop a condition, whatever the errors, if Fisher's exact test gives it a higher p-value
        (option -F); None for no test.
    search
        How a subset of more than ten rules is searched: greedily from eleven starts, or by
        simulated annealing (option -a).
    """

    confidence: float = 0.25
    variant: ErrorVariant = "release8"
    redundancy: float = 1.0
    significance: float | None = None
    search: Search = "greedy"


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    """A rule generalised from a leaf: its tests, its class and its pessimistic error."""

    tests: Conjunction
    code: int
    error: float


def c45rules(
    tree: Tree, rows: LabelledRows, *, options: C45RulesOptions, random: RandomNumbers
) -> RuleSet:
    """Return the decision list that C4.5rules makes of a tree.

    Parameters
    ----------
    tree
        An unpruned tree, collapsed where a split does not lower the training error.
    rows
        The training rows.
    options
        The options.
    random
        Where the starts of the search are drawn from.
    """
    candidates = _generalise(tree, rows, options)
    labels = rows.classes.tolist()
    rules = [
        Rule(conditions=merge(each.tests), label=labels[each.code], schema=tree.schema)
        for each in candidates
    ]
    codes = np.array([each.code for each in candidates], dtype=np.int64)
    errors = np.array([each.error for each in candidates], dtype=np.float64)
    fires = (1 - errors >= _LEAST_TRUST).astype(np.float64)
    matches = csr_array(match_matrix(rules, rows.table).multiply(fires[:, np.newaxis]))
    matches.eliminate_zeros()
    code = TestCode.c45(rows, redundancy=options.redundancy)
    bits = np.array([code.rule_bits(each.tests) for each in candidates])
    chosen = []
    for focus in np.unique(codes).tolist():
        of_class = np.flatnonzero(codes == focus)
        subset = choose_subset(
            Candidates(
                matches=matches[of_class],
                bits=bits[of_class],
                weight=rows.weight,
                is_target=rows.codes == focus,
            ),
            search=options.search,
            random=random,
        )
        chosen.append(of_class[subset])
    order = _order(chosen, matches, codes, errors, rows)
    default = _default_code(order, matches, rows)
    order = _without_harm(order, matches, codes, default, rows)
    return decision_list(
        [rules[i] for i in order.tolist()],
        rows,
        confidences=(1 - errors[order]).tolist(),
        tree=tree,
        default=default,
    )


def _generalise(tree: Tree, rows: LabelledRows, options: C45RulesOptions) -> list[_Candidate]:
    """Return a rule of every leaf, generalised by dropping conditions."""
    total = float(rows.weight.sum())
    code_of_label = {label: code for code, label in enumerate(rows.classes.tolist())}
    found: dict[object, _Candidate] = {}
    for leaf, tests, met in walk_paths(tree, rows.table):
        if tree.arrays.weight[leaf] < _LEAST_LEAF:
            continue
        code = code_of_label[tree.label(leaf)]
        # The error of guessing the class, by Laplace's rule.
        guess = 1 - (float(rows.class_weights[code]) + 1) / (total + 2)
        judge = _Judge(options=options, guess=guess)
        wrong = np.where(rows.codes == code, 0.0, rows.weight)
        last = shorten(met, rows.weight, wrong, judge.choose)[-1]
        error = float(judge.rates(last.covered, last.wrong)[0])
        if len(last.conditions) == 0 or last.covered[0] <= 0 or error >= guess:
            continue
        kept = tuple(tests[i] for i in last.conditions.tolist())
        key = (code, frozenset(map(identity, kept)))
        known = found.get(key)
        if known is None or known.error < error:  # of equal rules, the more pessimistic estimate
            found[key] = _Candidate(tests=kept, code=code, error=error)
    return list(found.values())


@dataclass(frozen=True, kw_only=True)
class _Judge:
    """Chooses the condition to drop from a rule (release 8's ``PruneRule``)."""

    options: C45RulesOptions
    guess: float

    def rates(self, covered: FloatArray, wrong: FloatArray) -> FloatArray:
        """Return pessimistic error rates, in single precision; without rows, that of a guess."""
        added = raw_added_errors(covered, wrong, self.options.confidence, self.options.variant)
        some = np.where(covered > 0, covered, 1.0)
        rates = np.where(covered > 0, (wrong + added) / some, self.guess)
        return rates.astype(np.float32).astype(np.float64)

    def choose(self, _: Int64Array, covered: FloatArray, wrong: FloatArray) -> int | None:
        """Return the condition whose removal gives the lowest error, of equals the last.

        None unless there is one whose removal raises neither the pessimistic nor the plain error.
        """
        rates = self.rates(covered, wrong)
        plain = np.where(covered > 0, wrong / np.where(covered > 0, covered, 1.0), 0.0)
        is_idle = (rates[1:] <= rates[0]) | (plain[1:] <= plain[0])
        if self.options.significance is not None:
            is_idle |= _fisher(covered, wrong) > self.options.significance
        if not is_idle.any():
            return None
        return len(rates) - 2 - int(rates[:0:-1].argmin())


def _fisher(covered: FloatArray, wrong: FloatArray) -> FloatArray:
    """Return the p-value of each condition (Fisher's exact test)."""
    from scipy.stats import hypergeom

    n, n_wrong = np.rint(covered[1:]), np.rint(wrong[1:])
    kept, kept_wrong = np.rint(covered[0]), np.rint(wrong[0])
    lost, lost_wrong = n - kept, n_wrong - kept_wrong
    more_wrong_kept = kept_wrong * (lost - lost_wrong) > lost_wrong * (kept - kept_wrong)
    return np.where(
        more_wrong_kept,
        hypergeom.sf(kept_wrong - 1, n, n_wrong, kept),
        hypergeom.sf(lost_wrong - 1, n, n_wrong, lost),
    )


def _order(
    chosen: list[Int64Array],
    matches: csr_array,
    codes: Int64Array,
    errors: FloatArray,
    rows: LabelledRows,
) -> Int64Array:
    """Return the order of rules: classes by false positives among rows left, then by error."""
    order = [np.empty(0, dtype=np.int64)]
    open_weight = rows.weight.copy()
    groups = [group for group in chosen if len(group)]
    covered = [np.asarray(matches[group].sum(axis=0)) > 0 for group in groups]
    while groups:
        false_positives = [
            float(open_weight[rows_met & (rows.codes != codes[group[0]])].sum())
            for group, rows_met in zip(groups, covered, strict=True)
        ]
        best = int(np.argmin(false_positives))
        group = groups.pop(best)
        open_weight[covered.pop(best)] = 0.0
        order.append(group[np.argsort(errors[group], kind="stable")])
    return np.concatenate(order)


def _default_code(order: Int64Array, matches: csr_array, rows: LabelledRows) -> int:
    """Return the most frequent class of rows that meet no rule; of equals, among all rows."""
    uncovered = np.asarray(matches[order].sum(axis=0)) == 0
    left = np.bincount(
        rows.codes[uncovered], weights=rows.weight[uncovered], minlength=len(rows.classes)
    )
    return int(np.lexsort((-rows.class_weights, -left))[0])


def _without_harm(
    order: Int64Array, matches: csr_array, codes: Int64Array, default: int, rows: LabelledRows
) -> Int64Array:
    """Return the order without rules that cause more errors than they avoid, dropped one by one."""
    while True:
        listed = matches[order].tocsc()
        listed.sort_indices()
        code_of_place = np.append(codes[order], default)
        n_met = np.diff(listed.indptr)
        first, second = (np.full(rows.table.n_rows, len(order)) for _ in range(2))
        first[n_met > 0] = listed.indices[listed.indptr[:-1][n_met > 0]]
        second[n_met > 1] = listed.indices[listed.indptr[:-1][n_met > 1] + 1]
        said, instead = code_of_place[first], code_of_place[second]
        matters = (first < len(order)) & (said != instead)
        gain = np.where(said == rows.codes, 1.0, np.where(instead == rows.codes, -1.0, 0.0))
        gains = np.bincount(
            first[matters], weights=(gain * rows.weight)[matters], minlength=len(order)
        )
        harmful = np.flatnonzero(gains[: len(order)] < 0)
        if len(harmful) == 0:
            return order
        order = np.delete(order, harmful[0])
