"""The number of rounds, and the depth of the trees, chosen by cross-validation.

Too few rounds underfit, too many learn the noise, and the right number differs by a factor of
thirty from table to table. The number with the least loss on held-out rows is chosen (Hastie,
Tibshirani and Friedman 2009, section 10.12), by rounds of a large learning rate: as many more are
then made as the rate of the model is smaller. Losses are looked at ever more rarely: after each
round at first, after every sixteenth of the rounds made later.

Folds are boosted side by side, and so are the shapes of trees that are tried. All rounds that will
be made whatever they show, those before patience can end, are one call into the core. A shape ends
sooner where it cannot become the best any more, and one that leads and still falls after half of
the most rounds has all of them. docs/decisions/017 has what that costs, and what it saves.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.boosting.defaults import SHAPES, final_rate, is_auto, n_folds_judged
from treewright.boosting.fit import MOST_SCORE, Boosting, losses_of_folds
from treewright.boosting.options import BoostingOptions
from treewright.boosting.problem import BoostingProblem
from treewright.boosting.rounds import RoundsChoice, TriedShape
from treewright.core import RoundsAhead, make_side_by_side
from treewright.errors import DataError

N_FOLDS = 5
LEAST_ROWS = 30
"""Rows that cross-validation needs: with fewer, a fifth of them says too little."""
_LEAST_PATIENCE = 40
"""In rounds of the model's own rate."""
_PATIENCE_SHARE = 3
"""A shape ends once its loss has not fallen for a third of the rounds of the least loss."""
_ROUNDS_TO_COMPARE = 120
"""In rounds of the model's own rate: what plain trees can say is learned by then (0.95^120 of it is
left), and the loss shows what the shape can do."""
_ROUNDS_PER_LOOK = 16
_SCORES_AT_A_TIME = 1_000_000
"""Scores of held-out rows, at all looks together, that one call into the core returns."""
_LEAST_GAIN = 1e-7
"""As a share of the loss; less is rounding."""

Watch = Callable[[int | None, int, float], None]
"""A callback: takes the depth, the rounds made so far and the loss after the last of them."""


def folds_of(problem: BoostingProblem) -> Int64Array | None:
    """Return the fold that leaves each row out, -1 for rows of weight 0; None for few rows.

    Rows are dealt out in turn, class by class, in an order given by their content (weight and
    offset too), so that it does not matter in which order they are given. Copies of a row are
    dealt over the folds like any rows: kept together they would make a table of many copies look
    as if each of them was to be predicted from other rows, which it will not be. Where rows belong
    to groups, which will be predicted from other groups, whole groups are dealt out, by the
    commonest class of their rows and by size.
    """
    weight, y = problem.weight, problem.y
    counts = np.ones(len(y), dtype=np.bool_) if weight is None else weight > 0.0
    rows = np.flatnonzero(counts)
    if len(rows) < LEAST_ROWS:
        return None
    folds = np.full(len(y), -1, dtype=np.int64)
    if problem.groups is not None:
        folds[rows] = _folds_of_groups(problem.take(rows))
        return folds
    rows = problem.by_content(rows)
    if problem.loss.of_classes:
        rows = rows[np.argsort(y[rows], kind="stable")]
    folds[rows] = np.arange(len(rows)) % N_FOLDS
    return folds


def _folds_of_groups(problem: BoostingProblem) -> Int64Array:
    groups = problem.groups
    assert groups is not None
    if groups.n_groups < N_FOLDS:
        raise DataError(
            f"rows belong to {groups.n_groups} groups, but {N_FOLDS} are the least by which"
            " cross-validation can choose the number of rounds.\n"
            "  Hint: n_estimators=100, or another number, chooses none."
        )
    classes = problem.y if problem.loss.of_classes else None
    order = groups.in_order(problem.draw_hashes(), classes=classes)
    return groups.folds(order, N_FOLDS, classes=classes)


def choose_rounds(
    problem: BoostingProblem,
    options: BoostingOptions,
    folds: Int64Array,
    *,
    n_threads: int = 1,
    choosing_rate: float | None = None,
    watch: Watch | None = None,
) -> RoundsChoice:
    """Return the best number of rounds, and the best depth where it is ``"auto"``.

    Parameters
    ----------
    problem
        The rows, target and loss.
    options
        The options; `n_estimators` is the largest number of rounds that is tried.
    folds
        The fold of each row, as :func:`folds_of` returns them; not all of them are judged in a
        large table.
    n_threads
        Threads that share the folds.
    choosing_rate
        A larger learning rate to choose by; None is that of `options`.
    watch
        Called as the rounds proceed.
    """
    shapes = SHAPES if is_auto(options.max_depth) else ((options.max_depth, 1.0),)
    n_judged = n_folds_judged(problem.n_rows)
    parts = [
        (problem.take(learn), problem.take(judge)) for learn, judge in _splits(folds, n_judged)
    ]
    rate = choosing_rate or float(options.learning_rate)
    faster = rate / float(options.learning_rate)
    # A large table, of which one fold judges, has its shapes tried in turn: it is coded for each.
    n_together = len(shapes) if n_judged > 1 else 1
    n_inside = max(1, n_threads // (n_judged * n_together))
    final = float(options.learning_rate)
    of_classes = problem.loss.of_classes

    def rate_of(n_best: int) -> float:
        if choosing_rate is None:
            return final
        return final_rate(final, n_best, chosen_by=choosing_rate, of_classes=of_classes)

    tried: list[TriedShape] = []
    before = (math.inf, False)
    for first in range(0, len(shapes), n_together):
        group = []
        for depth, share in shapes[first : first + n_together]:
            if not is_auto(options.subsample):
                share = options.subsample
            own = replace(
                options, max_depth=depth, subsample=share, learning_rate=rate, n_threads=n_inside
            )
            most = max(1, round(options.n_estimators / faster))
            group.append(_Shape(parts, own, most=most, faster=faster))
        _boost(group, before, n_threads, watch)
        before = min(before, *((shape.best[1], shape.falls_on) for shape in group))
        tried += [shape.outcome(rate_of) for shape in group]
    return RoundsChoice(tried)


class _Shape:
    """A shape of trees that is tried: its folds, and the mean loss of held-out rows so far.

    Parameters
    ----------
    parts
        The rows to learn from and those to judge by, of each fold.
    options
        The options of its rounds.
    most
        Rounds that a model may have.
    faster
        The learning rate as a multiple of the model's.
    """

    def __init__(
        self,
        parts: list[tuple[BoostingProblem, BoostingProblem]],
        options: BoostingOptions,
        *,
        most: int,
        faster: float,
    ) -> None:
        self.options = options
        self._most, self._half = most, (most + 1) // 2
        self._patience = _LEAST_PATIENCE / faster
        self._n_to_compare = _ROUNDS_TO_COMPARE / faster
        self._stage = 0.0
        self.folds = [
            Boosting(learn, options, make=_no_model, validation=judge) for learn, judge in parts
        ]
        self.judged = [each.judged() for each in self.folds]
        weights = [len(own.y) if own.weight is None else own.weight.sum() for _, own in parts]
        self._shares = np.array(weights) / np.sum(weights)
        self._is_beaten = self._is_decided = False
        n_scores = max(len(own.y) for _, own in parts) * parts[0][0].loss.n_outputs
        self._most_looks = max(1, _SCORES_AT_A_TIME // n_scores)
        self.losses: list[tuple[int, float]] = []
        """Numbers of rounds, and the loss after them."""
        self.best = (0, math.inf)
        """The number of rounds of least loss so far, and that loss."""

    @property
    def _n_made(self) -> int:
        return self.losses[-1][0] if self.losses else 0

    @property
    def _ends_at(self) -> float:
        """The rounds after which it ends, as far as is known: later ones may be better."""
        best = self.best[0]
        return min(best + max(self._patience, best // _PATIENCE_SHARE), self._most)

    @property
    def falls_on(self) -> bool:
        """Whether half of the rounds have been made, and the last of them are the best."""
        return self._n_made >= self._half and self.best[0] == self._n_made

    @property
    def is_over(self) -> bool:
        """Whether the loss has not fallen for long enough, cannot fall far enough, or goes on.

        One that goes on falling is followed no further once it is known which shape is best: it
        leads, or the one that leads falls on too, and has led after as many rounds.
        """
        is_known = self._is_decided and self.falls_on
        return self._is_beaten or is_known or self._n_made >= self._ends_at

    def compare(self, least: float, *, falls_on: bool) -> None:
        """Note how it stands beside the least loss, and whether that one still falls.

        It ends where its loss, by what it fell lately, will not come down to the least.

        A loss falls about as much each time the rounds double, or less: what it fell by since half
        of the rounds is the most that it will, for each time they can still double.
        """
        n_made, loss = self._n_made, self.best[1]
        self._is_decided = falls_on or loss <= least
        if n_made < self._n_to_compare:
            return
        half = bisect_right(self.losses, n_made // 2, key=lambda pair: pair[0])
        fell = self.losses[max(half - 1, 0)][1] - loss
        to_come = max(fell, 0.0) * math.log2(self._most / n_made)
        self._is_beaten = loss - to_come > least

    def outcome(self, rate_of: Callable[[int], float]) -> TriedShape:
        """Return the rounds to make by the rate of a model, which follows from their number."""
        n_best, loss = self.best
        if self.falls_on:
            n_best = self._most
        rate = rate_of(n_best)
        return TriedShape(
            max_depth=self.options.max_depth,
            subsample=self.options.subsample,
            learning_rate=rate,
            n_rounds=max(1, round(n_best * float(self.options.learning_rate) / rate)),
            loss=loss,
        )

    def begin_stage(self) -> None:
        """Fix how many rounds are made, whatever they show, before it is compared with others."""
        end = self._ends_at
        self._stage = min(end, self._half) if self._n_made < self._half else end

    def looks_ahead(self) -> list[int]:
        """Return the numbers of rounds after which to look next, none once the stage is made."""
        looks: list[int] = []
        n_made = self._n_made
        while n_made < self._stage and len(looks) < self._most_looks:
            end = self._half if n_made < self._half else self._most
            n_made += min(max(1, n_made // _ROUNDS_PER_LOOK), end - n_made)
            looks.append(n_made)
        return looks

    def ahead(self, looks: list[int]) -> list[RoundsAhead]:
        """Return the rounds of each fold up to the last of the looks: all make the same."""
        return [self.folds[0].ahead(self._n_made, looks)] * len(self.folds)

    def note(self, looks: list[int], losses: FloatArray) -> None:
        """Take down the losses of folds at these looks, of rounds that have been made."""
        by_look = np.ascontiguousarray(losses.T)
        means = [float(self._shares @ own) for own in by_look]
        self.losses.extend(zip(looks, means, strict=True))
        self.best = _best(self.losses)


def _boost(
    shapes: list[_Shape], before: tuple[float, bool], n_threads: int, watch: Watch | None
) -> None:
    """Make rounds of all shapes until the last is over.

    `before` is the least loss of earlier ones, and whether it still fell.
    """
    while going := [each for each in shapes if not each.is_over]:
        for each in going:
            each.begin_stage()
        # What is decided after a stage does not depend on how many calls make it.
        while looks := [(each, own) for each in going if (own := each.looks_ahead())]:
            ahead = [each.ahead(own) for each, own in looks]
            make_side_by_side(
                [judged for each, _ in looks for judged in each.judged],
                [rounds for each in ahead for rounds in each],
                MOST_SCORE,
                n_threads,
            )
            _note(looks)
            for each, own in looks:
                if watch is not None:
                    for n_made, loss in each.losses[-len(own) :]:
                        watch(each.options.max_depth, n_made, loss)
        leader = min(shapes, key=lambda each: each.best[1])
        least, falls_on = min((leader.best[1], leader.falls_on), before)
        for each in going:
            each.compare(least, falls_on=falls_on)


def _note(looks: list[tuple[_Shape, list[int]]]) -> None:
    """Take down the losses of rounds that have been made; of shapes with the same looks at once."""
    for own, made in groupby(looks, key=itemgetter(1)):
        alike = [each for each, _ in made]
        folds = [fold for each in alike for fold in each.folds]
        losses = losses_of_folds(folds, [judged for each in alike for judged in each.judged])
        for each in alike:
            part, losses = losses[: len(each.folds)], losses[len(each.folds) :]
            each.note(own, part)


def _no_model(core: Any, base: Any, thresholds: Any) -> Any:
    raise AssertionError("folds are judged, not kept")


def _splits(folds: Int64Array, n_judged: int) -> Iterator[tuple[Int64Array, Int64Array]]:
    for fold in range(n_judged):
        yield np.flatnonzero((folds >= 0) & (folds != fold)), np.flatnonzero(folds == fold)


def _best(losses: list[tuple[int, float]]) -> tuple[int, float]:
    """Return the number of rounds of least loss; of equal losses the fewest rounds."""
    least = min(loss for _, loss in losses)
    enough = least + _LEAST_GAIN * abs(least)
    return next(pair for pair in losses if pair[1] <= enough)
