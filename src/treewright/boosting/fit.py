"""Gradient boosting: the rounds, and early stopping.

Each round takes the gradients of the loss at the scores so far and grows a tree on them for every
score of a row (Friedman 2001); rows are coded once and stay in the core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.ensemble import BoostedEnsemble
from treewright.boosting.losses.given import Given, user_gradients
from treewright.boosting.options import BoostingOptions
from treewright.boosting.problem import (
    BoostingProblem,
    core_target,
    warn_of_many_categories,
)
from treewright.boosting.rounds import GradientRound, GradientRounds, PlainRounds
from treewright.boosting.training_record import RoundDraws, TrainingRecord, keys_of_rounds
from treewright.core import Booster, BoostForest, JudgedBooster, RoundsAhead
from treewright.data.core_columns import lend
from treewright.ensemble.listeners import Listener
from treewright.errors import NoSplitWarning, ParameterError, warn

PATIENCE = 10
"""Rounds without improvement after which early stopping stops, by default."""
_STEPS_OF_THRESHOLDS = 100
"""Newton steps at most, before the first round."""
MOST_SCORE = 1e300
"""Beyond this, differences of scores overflow."""
_MOST_TOGETHER = 64
_CELLS_TOGETHER = 2_000_000
"""Rounds that one call into the core makes, where nothing is asked in between: so many at most, and
so many cells (rows x columns x outputs), which take some 50 ms."""

Judge = Callable[[FloatArray], float]
"""Returns how good the scores (rows x outputs) of the validation or training rows are."""


@dataclass(kw_only=True)
class Boosted:
    """The result of boosting."""

    ensemble: BoostedEnsemble
    rounds: GradientRounds


class Boosting:
    """Boosting in progress.

    Parameters
    ----------
    problem, options
        What is boosted, and how.
    make
        Makes a model from trees, base scores and thresholds of ordered classes.
    before
        The model to continue from.
    validation
        Held-out rows to judge the rounds by.
    watches
        Stop early, once the loss no longer falls or the score no longer rises, and keep the best
        rounds.
    judge
        Returns a score to watch instead of the loss.
    """

    def __init__(
        self,
        problem: BoostingProblem,
        options: BoostingOptions,
        *,
        make: Callable[[BoostForest, FloatArray, FloatArray | None], BoostedEnsemble],
        before: BoostedEnsemble | None = None,
        validation: BoostingProblem | None = None,
        watches: bool = False,
        judge: Judge | None = None,
    ) -> None:
        loss, problem = problem.loss, problem.counted()
        options.check_leaf(loss)
        warn_of_many_categories(problem.table)
        options = options.settled(problem)
        self._problem, self._options = problem, options
        self._validation, self._watches, self._judge = validation, watches, judge
        if before is None:
            self._base = loss.base_score(problem.y, problem.weight, problem.offset)
        else:
            self._base = before.base
        starts_alike = before is None and problem.starts_alike
        scores = self._base if starts_alike else self._start(problem, before).T
        self._before, self._make = before, make
        self._booster = Booster(
            lend(problem.table),
            core_target(problem),
            int(options.max_bins),
            loss.name,
            loss.parameter,
            options.core_sample(len(problem.table.schema.columns)),
            loss.n_outputs,
            np.ascontiguousarray(scores).reshape(-1),
            options.n_threads,
            None if before is None else before.core,
        )
        if problem.groups is not None and self.draws.share < 1.0:
            self._booster.draw_by(problem.draw_hashes())
        self._thresholds = self._first_thresholds(starts_alike)
        self._growth = options.core_growth(problem)
        self._n_judged = 0
        if validation is not None:
            self._validation_scores = self._start(validation, before)
            self._validation_rows = self._booster.forest(0, 0).code(
                lend(validation.table), options.n_threads
            )

    def _start(self, problem: BoostingProblem, before: BoostedEnsemble | None) -> FloatArray:
        scores = problem.first_scores(self._base)
        if before is None:
            return scores
        return before.scores(problem.table, n_threads=self._options.n_threads, start=scores)

    def _first_thresholds(self, starts_alike: bool) -> list[FloatArray]:
        """Return the thresholds so far, by rounds; none where classes are not ordered."""
        problem, before = self._problem, self._before
        first = problem.loss.first_thresholds(problem.y, problem.weight)
        if first is None:
            return []
        if before is not None:
            assert before.thresholds is not None
            self._booster.set_thresholds(
                np.ascontiguousarray(before.thresholds[-1]), 0, self._options.n_threads
            )
            return list(before.thresholds)
        n_steps = 0 if starts_alike else _STEPS_OF_THRESHOLDS
        self._booster.set_thresholds(first, n_steps, self._options.n_threads)
        return [self._booster.thresholds]

    def record(self) -> TrainingRecord:
        """Return what tells the losses of training rows once they are asked for."""
        return TrainingRecord(self._problem, seed=self._options.seed)

    @property
    def draws(self) -> RoundDraws:
        """How the rounds draw their rows."""
        options = self._options
        share = 1.0 if options.row_sampling == "goss" else float(options.subsample)
        return RoundDraws(first=self.n_before, seed=options.seed, share=share)

    @property
    def n_before(self) -> int:
        """Number of rounds of the model that boosting continues from."""
        return 0 if self._before is None else self._before.n_rounds

    def run(self, listener: Listener[GradientRound]) -> Boosted:
        """Make the remaining rounds; return the model without last rounds that did not help."""
        parts: list[PlainRounds | Sequence[GradientRound]] = []
        # `tol` decides when to stop; of the rounds made, those up to the least loss are kept.
        best, waited = np.inf, 0
        least, kept = np.inf, self.n_before
        patience = self._options.n_iter_no_change or PATIENCE
        for made in self._told(listener):
            parts.append(made)
            if not self._watches:
                continue
            (done,) = made  # watching asks after each round
            watched = self._watched(done)
            waited += 1
            if watched < best - self._options.tol:
                best, waited = watched, 0
            if watched < least:
                least, kept = watched, done.number
            if waited >= patience:
                break
        rounds = GradientRounds.joined(parts)
        self._warn_if_nothing_is_learned(rounds)
        whole = self._model(self._booster.give_forest())
        if self._watches and kept < whole.n_rounds:
            whole = whole.first(kept)
            rounds = GradientRounds([*rounds][: kept - self.n_before])
        return Boosted(ensemble=whole, rounds=rounds)

    def _told(
        self, listener: Listener[GradientRound]
    ) -> Iterator[PlainRounds | Sequence[GradientRound]]:
        """Make the rounds; yield those of each call. The listener, told of the last, may end it."""
        first, last = self.n_before, int(self._options.n_estimators)
        n_together = self._n_together(listener)
        while first < last:
            listener.begin()
            made = self._rounds(first, min(first + n_together, last))
            first += len(made)
            is_ended = listener.end(made[-1])
            yield made
            if is_ended:
                return

    def _n_together(self, listener: Listener[GradientRound]) -> int:
        """Return how many rounds one call may make: 1 where something is asked after each."""
        problem = self._problem
        asks = self._watches or self._validation is not None or listener.every_round
        if asks or self._thresholds or isinstance(problem.loss, Given):
            return 1
        n_cells = problem.table.n_rows * len(problem.table.schema.columns) * problem.loss.n_outputs
        return int(np.clip(_CELLS_TOGETHER // max(n_cells, 1), 1, _MOST_TOGETHER))

    def figures_at_start(self) -> GradientRound:
        """Return the losses and scores before the first round."""
        return GradientRound(number=self.n_before, n_leaves=0, **self._figures(0), seconds=0.0)

    def _warn_if_nothing_is_learned(self, rounds: GradientRounds) -> None:
        problem = self._problem
        starts_alike = self._before is None and problem.starts_alike
        if not starts_alike or rounds.n_leaves != len(rounds) * problem.loss.n_outputs:
            return
        if len(rounds) == 0 or np.all(problem.y == problem.y[0]):
            return
        warn(
            f"no round of boosting found a split in {problem.n_rows:,} rows: every row gets the"
            " same answer.\n  Hint: smaller limits (min_samples_leaf, min_hessian, min_gain) or"
            " penalties (l2_regularization), if the columns say anything about the target.",
            NoSplitWarning,
        )

    def so_far(self) -> BoostedEnsemble:
        """Return the model of all rounds made so far."""
        return self._model(self._booster.forest(0, self._booster.n_trees))

    def _model(self, grown: BoostForest) -> BoostedEnsemble:
        thresholds = np.stack(self._thresholds) if self._thresholds else None
        if self._before is not None:
            return self._before.joined(grown, thresholds)
        return self._make(grown, self._base, thresholds)

    def _watched(self, done: GradientRound) -> float:
        """Return the figure that early stopping minimises."""
        if self._judge is not None:
            return -(done.train_score if self._validation is None else done.validation_score)
        return done.train_loss if self._validation is None else done.validation_loss

    def _rounds(self, first: int, last: int) -> PlainRounds | Sequence[GradientRound]:
        """Make the rounds of these numbers (from 0, without the last), in order; one if asked."""
        problem, options, booster = self._problem, self._options, self._booster
        loss, began = problem.loss, time.perf_counter()
        if isinstance(loss, Given):
            booster.set_gradients(*user_gradients(loss, problem.y, booster.scores, last))
        first_tree = booster.n_trees
        keys = keys_of_rounds(options.seed, first, last)
        rate = float(options.learning_rate)
        seconds = booster.rounds(self._growth, rate, keys, MOST_SCORE, options.n_threads).tolist()
        if self._thresholds:
            self._thresholds.append(booster.thresholds)
        self.check_reach()
        n_leaves = booster.leaf_counts(first_tree)
        if last == first + 1:
            figures = self._figures(first)
            took = time.perf_counter() - began
            return [GradientRound(number=last, n_leaves=n_leaves[0], **figures, seconds=took)]
        return PlainRounds(first=first + 1, n_leaves=n_leaves, seconds=seconds)

    def check_reach(self) -> None:
        """Refuse scores that have grown beyond all bounds."""
        booster, loss = self._booster, self._problem.loss
        if booster.reach < MOST_SCORE:
            return
        number = self.n_before + booster.n_trees // loss.n_outputs
        given = " and the gradients and hessians of this loss" if isinstance(loss, Given) else ""
        raise ParameterError(
            f"round {number}: scores grow beyond all bounds with"
            f" learning_rate={self._options.learning_rate!r}{given}."
            "\n  Hint: a smaller learning_rate, or a larger l2_regularization."
        )

    @property
    def validation(self) -> BoostingProblem:
        """The validation rows, where there are any."""
        assert self._validation is not None
        return self._validation

    @property
    def has_thresholds(self) -> bool:
        """Whether thresholds between ordered classes are learned beside the trees."""
        return bool(self._thresholds)

    def judged(self) -> JudgedBooster:
        """Return the booster with its validation rows, for rounds side by side with others."""
        start = np.ascontiguousarray(self._validation_scores).reshape(-1)
        return JudgedBooster(self._booster, self._growth, self._validation_rows, start)

    def ahead(self, n_made: int, looks: list[int]) -> RoundsAhead:
        """Return rounds to make after the first `n_made`, up to the last of the looks.

        Parameters
        ----------
        n_made
            The rounds made so far.
        looks
            The numbers of rounds made after which validation rows are looked at.
        """
        keys = keys_of_rounds(self._options.seed, n_made, looks[-1])
        rate = float(self._options.learning_rate)
        return RoundsAhead(rate, keys, [look - n_made for look in looks])

    def _figures(self, number: int) -> dict[str, float]:
        """Return the losses and scores after a round."""
        booster, judged = self._booster, self._validation
        if judged is None and not self._watches:
            return {}
        if judged is None:
            of, judged, scores = "train", self._problem, booster.scores.T
        else:
            more = booster.forest(self._n_judged, booster.n_trees)
            self._n_judged = booster.n_trees
            of, scores = (
                "validation",
                more.add_scores(
                    self._validation_rows,
                    0,
                    more.n_trees,
                    np.ascontiguousarray(self._validation_scores),
                    self._options.n_threads,
                ),
            )
            self._validation_scores = scores
        loss = (
            judged.loss.with_thresholds(self._thresholds[-1]) if self._thresholds else judged.loss
        )
        figures = {f"{of}_loss": loss.mean(scores, judged.y, judged.weight)}
        if self._judge is not None:
            figures[f"{of}_score"] = score = self._judge(scores)
            if np.isnan(score):
                raise ParameterError(f"round {number + 1}: scoring gave nan, which is no score.")
        return figures


def losses_of_folds(folds: list[Boosting], judged: list[JudgedBooster]) -> FloatArray:
    """Return the loss of the validation rows of folds at each look of the rounds just made.

    Folds x looks; infinite where a loss is no number.
    """
    for each in folds:
        each.check_reach()
    own = [each.validation for each in folds]
    if not folds[0].has_thresholds:
        y, weight = [each.y for each in own], [each.weight for each in own]
        found = own[0].loss.means([each.found for each in judged], y, weight)
    else:
        found = np.array(
            [
                [
                    rows.loss.with_thresholds(thresholds[0]).mean(scores, rows.y, rows.weight)
                    for scores, thresholds in zip(each.found, each.found_thresholds, strict=True)
                ]
                for rows, each in zip(own, judged, strict=True)
            ]
        )
    return found if np.isfinite(found).all() else np.nan_to_num(found, nan=np.inf)
