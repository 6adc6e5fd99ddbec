"""Rule post-pruning in four steps (Mitchell 1997, section 3.7.1.2; after Quinlan 1993).

Grow a tree; read it as rules; drop from each rule the preconditions without which it is estimated
to be more accurate; sort the rules by that estimate and apply them in this order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from treewright.measures.error_estimates import raw_added_errors
from treewright.parameters import check_choice, check_number
from treewright.rules.counting import LabelledRows
from treewright.rules.decision_list import decision_list
from treewright.rules.extract import rules as rules_of
from treewright.rules.learn.shorten import Round, shorten
from treewright.rules.paths import walk_paths
from treewright.rules.rule import Rule, identity
from treewright.text.numbers import figure, percent
from treewright.text.table import TextColumn, lay_out
from treewright.tree.condition import SHORT, Condition, Wording, merge
from treewright.tree.tree import Tree, check_is_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treewright.array_types import FloatArray, Int64Array
    from treewright.rules.ruleset import RuleSet


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Estimated accuracy of a rule.

    Parameters
    ----------
    covered, wrong
        The weight of the rows that meet it, and of those it is wrong about.
    value
        The estimated accuracy; 0 for a rule that no row meets.
    """

    covered: float
    wrong: float
    value: float

    @property
    def accuracy(self) -> float:
        """Share of the rows covered that it predicts correctly; 0 where there are none."""
        return 1 - self.wrong / self.covered if self.covered > 0 else 0.0


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One round of pruning a rule: its estimate, and its estimates without each condition.

    Parameters
    ----------
    estimate
        Estimate of the rule as it is.
    without
        Each condition with the estimate of the rule without it.
    dropped
        The condition that was dropped; None where none was.
    """

    estimate: Estimate
    without: tuple[tuple[Condition, Estimate], ...]
    dropped: Condition | None


@dataclass(frozen=True, kw_only=True)
class PrunedRule:
    """One rule before and after pruning, and every round.

    Parameters
    ----------
    before, after
        The rule of the tree, and the pruned rule.
    trials
        One for each condition dropped, and a last one in which none was.
    """

    before: Rule
    after: Rule
    trials: tuple[Trial, ...]

    @property
    def dropped(self) -> tuple[Condition, ...]:
        """Conditions that were dropped, in order."""
        return tuple(trial.dropped for trial in self.trials if trial.dropped is not None)


@dataclass(frozen=True, kw_only=True)
class PostPruned:
    """The pruned rules, and the steps taken; ``print`` it.

    Parameters
    ----------
    ruleset
        A decision list, the most accurate rule first.
    rules
        The pruning of the rule of each leaf, from left to right.
    """

    ruleset: RuleSet
    rules: tuple[PrunedRule, ...]

    def __str__(self) -> str:
        return self.text()

    def text(self, wording: Wording = SHORT) -> str:
        """Return the text of the conditions dropped from each rule, with estimates."""
        lines = [line for number, rule in enumerate(self.rules) for line in _lines(number, rule)]
        premises, dropped, covered, estimates = zip(*lines, strict=True)
        table = lay_out(
            [
                TextColumn("rule", premises),
                TextColumn("dropped", dropped),
                TextColumn("covers", covered, right=True),
                TextColumn("estimate", estimates, right=True),
            ]
        )
        return f"{table}\n\n{self.ruleset.text(wording=wording)}"


def _lines(number: int, rule: PrunedRule) -> Iterator[tuple[str, str, str, str]]:
    words = f"{number + 1}  {rule.before.premise(SHORT)} -> {rule.before.label}"
    for trial in rule.trials:
        before = rule.trials[0] is trial
        dropped = "" if trial.dropped is None else trial.dropped.text(SHORT)
        estimate = trial.estimate
        yield words if before else "", dropped, figure(estimate.covered), percent(estimate.value)


def post_prune(
    tree: Tree,
    X: object,
    y: object,
    *,
    sample_weight: object = None,
    estimate: Literal["validation", "pessimistic"] = "validation",
    confidence: float = 0.25,
    accept: Literal["better", "not_worse"] = "better",
) -> PostPruned:
    """Return the decision list of a tree after rule post-pruning.

    Each bound of a numeric column is a precondition of its own. In each round the precondition
    whose removal gives the highest estimate is dropped; of equals the one whose removal covers more
    rows, then the one nearest to the leaf. Figures of the rules are those on the rows given.

    Parameters
    ----------
    tree
        A grown tree that predicts one class per row.
    X, y, sample_weight
        The rows to evaluate on: validation rows, which had no part in growing the tree, or (for the
        pessimistic estimate) its training rows.
    estimate
        ``"validation"``: the accuracy of a rule on the rows. ``"pessimistic"``: 1 minus
        the upper confidence limit of its error rate, as C4.5 estimates it.
    confidence
        CF of the pessimistic estimate.
    accept
        Whether a drop must improve the estimate, or only not worsen it.

    Examples
    --------
    >>> from treewright import ID3Classifier, load_example
    >>> from treewright.rules import post_prune
    >>> play = load_example("play_tennis")
    >>> tree = ID3Classifier().fit(play.X, play.y).tree_
    >>> pruned = post_prune(tree, play.X, play.y, estimate="pessimistic")
    >>> [rule.premise() for rule in pruned.ruleset][:2]
    ['Outlook = Overcast', 'Humidity = Normal']
    """
    check_is_tree("tree", tree)
    check_choice("estimate", estimate, ("validation", "pessimistic"))
    check_choice("accept", accept, ("better", "not_worse"))
    check_number("confidence", confidence, low=0.0, high=1.0, open_low=True)
    rows = LabelledRows.read(
        X, y, sample_weight, schema=tree.schema, classes=tree.classes, owner="post_prune"
    )
    judge = _Judge(
        confidence=confidence if estimate == "pessimistic" else None,
        accepts_equals=accept == "not_worse",
    )
    pruned = [
        _prune(rule, tests, shorten(met, rows.weight, _wrong(rule, rows), judge.choose), judge)
        for rule, (_, tests, met) in zip(rules_of(tree), walk_paths(tree, rows.table), strict=True)
    ]
    distinct: dict[object, PrunedRule] = {}
    for each in pruned:
        key = (each.after.label, frozenset(map(identity, each.after.conditions)))
        distinct.setdefault(key, each)
    best_first = sorted(distinct.values(), key=lambda each: _rank(each.trials[-1].estimate))
    ruleset = decision_list(
        [each.after for each in best_first],
        rows,
        confidences=[each.trials[-1].estimate.value for each in best_first],
        tree=tree,
    )
    return PostPruned(ruleset=ruleset, rules=tuple(pruned))


def _rank(estimate: Estimate) -> tuple[float, float]:
    return -estimate.value, -estimate.covered


def _wrong(rule: Rule, rows: LabelledRows) -> FloatArray:
    is_right = rows.codes == rows.classes.tolist().index(rule.label)
    return np.where(is_right, 0.0, rows.weight)


def _prune(
    rule: Rule, tests: tuple[Condition, ...], rounds: list[Round], judge: _Judge
) -> PrunedRule:
    trials = []
    for each in rounds:
        worth = [
            Estimate(covered=float(n), wrong=float(e), value=float(value))
            for n, e, value in zip(
                each.covered, each.wrong, judge.values(each.covered, each.wrong), strict=True
            )
        ]
        asked = [tests[i] for i in each.conditions.tolist()]
        trials.append(
            Trial(
                estimate=worth[0],
                without=tuple(zip(asked, worth[1:], strict=True)),
                dropped=None if each.dropped is None else tests[each.dropped],
            )
        )
    after = rule.shortened(merge(tests[i] for i in rounds[-1].conditions.tolist()))
    return PrunedRule(before=rule, after=after, trials=tuple(trials))


@dataclass(frozen=True, kw_only=True)
class _Judge:
    """Estimates accuracy, and chooses the condition to drop from a rule."""

    confidence: float | None
    accepts_equals: bool

    def values(self, covered: FloatArray, wrong: FloatArray) -> FloatArray:
        """Return the estimated accuracies."""
        errors = wrong
        if self.confidence is not None:
            errors = wrong + raw_added_errors(covered, wrong, self.confidence, "release8")
        some = np.where(covered > 0, covered, 1.0)
        return np.where(covered > 0, 1 - errors / some, 0.0)

    def choose(self, _: Int64Array, covered: FloatArray, wrong: FloatArray) -> int | None:
        """Return the condition to drop, or None."""
        values = self.values(covered, wrong)
        order = np.lexsort((np.arange(1, len(values)), covered[1:], values[1:]))
        best = int(order[-1])
        gain = values[1 + best] - values[0]
        improves = gain >= 0 if self.accepts_equals else gain > 0
        return best if improves else None
