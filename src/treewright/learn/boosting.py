"""Gradient boosting: the rounds, and when they end.

Each round takes the gradients of the loss at the scores so far and grows a tree on them for every
score of a row (Friedman 2001); rows are coded once and stay in the core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.data.encoding import lend
from treewright.data.schema import FittedSchema
from treewright.data.table import Table
from treewright.errors import ManyCategoriesWarning, ParameterError, UnsupportedError, warn
from treewright.learn import boosting_defaults as defaults
from treewright.learn.boosting_defaults import check_auto, is_auto
from treewright.learn.follow import Follower
from treewright.learn.losses import Loss, user_slopes
from treewright.learn.options import check_per_column
from treewright.learn.per_column import monotonic_signs
from treewright.learn.problem import RowWeights
from treewright.model.boosted import BoostedEnsemble
from treewright.model.rounds import GradientRound, GradientRounds
from treewright.parameters import check_choice, check_count, check_flag, check_number, is_whole

FloatArray = npt.NDArray[np.float64]

GROWTHS = ("leaf_wise", "depth_wise")
SAMPLINGS = ("uniform", "goss")
LEAVES = ("constant", "linear")
_STEEP = ("absolute_error", "quantile")
"""Losses without curvature: there is no least-squares step to take."""
MOST_BINS = 255
_GOLDEN = 0x9E3779B97F4A7C15
"""The step between keys of rounds; any odd number would do."""

_MOST_SCORE = 1e300
"""Beyond, differences of scores are no longer numbers."""


@dataclass(frozen=True, kw_only=True)
class BoostingOptions:
    """The knobs of boosting; the estimators say what each of them means."""

    n_estimators: Any
    learning_rate: Any
    max_leaf_nodes: Any
    max_depth: Any
    growth: Any
    min_samples_leaf: Any
    min_hessian: Any
    l2_regularization: Any
    min_gain: Any
    max_bins: Any
    subsample: Any
    sampling: Any
    top_rate: Any
    max_features: Any
    features_per_tree: Any
    nominal_smoothing: Any
    nominal_l2: Any
    max_categories: Any
    min_category_rows: Any
    leaf: Any
    linear_l2: Any
    monotonic_cst: Any
    interaction_cst: Any
    n_iter_no_change: Any
    tol: Any
    validation_fraction: Any
    n_threads: int = 1
    seed: int = 0

    def check(self) -> None:
        """Refuse what cannot be meant."""
        if not is_auto(self.n_estimators):
            check_count("n_estimators", self.n_estimators, least=1)
        check_auto("learning_rate", self.learning_rate, low=0.0, open_low=True)
        check_count("max_leaf_nodes", self.max_leaf_nodes, least=2, optional=True)
        if isinstance(self.max_depth, str) and not is_auto(self.max_depth):
            raise ParameterError(
                f"max_depth={self.max_depth!r} must be a whole number, None or 'auto'."
            )
        if not is_auto(self.max_depth):
            check_count("max_depth", self.max_depth, least=1, optional=True)
        check_choice("growth", self.growth, GROWTHS)
        check_count("min_samples_leaf", self.min_samples_leaf, least=1)
        for name in ("min_hessian", "l2_regularization"):
            check_auto(name, getattr(self, name), low=0.0)
        for name in ("min_gain", "tol"):
            check_number(name, getattr(self, name), low=0.0)
        for name in ("nominal_smoothing", "nominal_l2", "linear_l2"):
            check_number(name, getattr(self, name), low=0.0)
        check_count("max_categories", self.max_categories, least=1)
        check_count("min_category_rows", self.min_category_rows, least=1, optional=True)
        check_count("max_bins", self.max_bins, least=2)
        if self.max_bins > MOST_BINS:
            raise ParameterError(f"max_bins={self.max_bins!r} must be at most {MOST_BINS}.")
        check_auto("max_features", self.max_features, low=0.0, high=1.0, open_low=True)
        check_auto("subsample", self.subsample, low=0.0, high=1.0, open_low=True)
        check_number("features_per_tree", self.features_per_tree, low=0.0, high=1.0, open_low=True)
        check_choice("sampling", self.sampling, SAMPLINGS)
        check_number("top_rate", self.top_rate, low=0.0, high=1.0, open_low=True, open_high=True)
        share = defaults.GOSS_SHARE if is_auto(self.subsample) else self.subsample
        if self.sampling == "goss" and self.top_rate + share > 1.0:
            raise UnsupportedError(
                f"sampling='goss' keeps top_rate={self.top_rate!r} of the rows and draws"
                f" subsample={share!r} of them from the others: together at most 1.\n"
                "  Hint: top_rate=0.2, subsample=0.1."
            )
        check_choice("leaf", self.leaf, LEAVES)
        check_count("n_iter_no_change", self.n_iter_no_change, least=1)
        check_per_column("monotonic_cst", self.monotonic_cst)

    def check_leaf(self, loss: Loss) -> None:
        """Refuse what lines in the leaves would contradict."""
        if self.leaf != "linear":
            return
        if self.monotonic_cst is not None:
            raise UnsupportedError(
                "leaf='linear' cannot be used with monotonic_cst: a line may run against the"
                " constraint.\n  Hint: leaf='constant'."
            )
        if loss.name in _STEEP:
            raise UnsupportedError(
                f"leaf='linear' takes steps of least squares, for which loss={loss.name!r} has no"
                " curvature.\n  Hint: loss='huber', or leaf='constant'."
            )

    def settled(self, problem: BoostingProblem, *, ends_by_itself: bool = False) -> BoostingOptions:
        """Give the options with a number for whatever is left to the rules.

        Parameters
        ----------
        problem
            What is boosted.
        ends_by_itself
            Whether rows left out say when it is enough; depth and share of the rows stay open then.
        """
        is_open = ends_by_itself and is_auto(self.n_estimators)
        n_rows, of_classes = problem.n_rows, problem.loss.of_classes
        share = defaults.row_share(
            self.subsample,
            n_rows=problem.table.n_rows,  # as they are written: copies are drawn together
            has_nominal=any(spec.kind == "nominal" for spec in problem.table.schema.columns),
            is_goss=self.sampling == "goss",
        )
        return replace(
            self,
            n_estimators=defaults.n_rounds(self.n_estimators, ends_by_itself=is_open),
            max_depth=None if is_auto(self.max_depth) and not is_open else self.max_depth,
            subsample=share if share < 1.0 or not is_open else self.subsample,
            learning_rate=defaults.learning_rate(
                self.learning_rate, n_rows=n_rows, of_classes=of_classes, ends_by_itself=is_open
            ),
            min_hessian=defaults.min_hessian(self.min_hessian, ends_by_itself=is_open),
            l2_regularization=defaults.l2_regularization(
                self.l2_regularization, ends_by_itself=is_open
            ),
            max_features=defaults.column_share(self.max_features, n_rows),
            min_category_rows=defaults.category_rows(self.min_category_rows, n_rows),
        )

    def core_growth(self, schema: FittedSchema, *, loss: Loss) -> _core.BoostGrowth:
        """Give what the core needs to know to grow a tree."""
        growth = _core.BoostGrowth()
        growth.max_leaves = 0 if self.max_leaf_nodes is None else min(self.max_leaf_nodes, 2**31)
        growth.max_depth = 0 if self.max_depth is None else min(self.max_depth, 2**31)
        growth.depth_wise = self.growth == "depth_wise"
        growth.min_leaf = min(int(self.min_samples_leaf), 2**31)
        growth.min_hessian = float(self.min_hessian)
        growth.l2 = float(self.l2_regularization)
        growth.min_gain = float(self.min_gain)
        growth.nominal_smoothing = float(self.nominal_smoothing)
        growth.nominal_l2 = float(self.nominal_l2)
        growth.max_categories = min(int(self.max_categories), 2**31)
        growth.min_category = min(int(self.min_category_rows), 2**31)
        n_columns = len(schema.columns)
        if self.max_features < 1.0:
            growth.columns_per_node = max(1, round(self.max_features * n_columns))
        signs = monotonic_signs(schema, self.monotonic_cst)
        if signs is not None:
            if loss.n_outputs > 1:
                raise UnsupportedError(
                    "monotonic_cst needs an order of the answers: two classes, or numbers."
                )
            growth.monotonic = signs
        growth.interactions = interaction_sets(schema, self.interaction_cst)
        growth.has_lines = self.leaf == "linear"
        growth.line_l2 = float(self.linear_l2)
        return growth

    def core_sample(self, n_columns: int) -> _core.RoundSample:
        """Give which rows and columns a round sees."""
        sample = _core.RoundSample()
        sample.share = float(self.subsample)
        if self.sampling == "goss":
            sample.top_share = float(self.top_rate)
        if self.features_per_tree < 1.0:
            sample.n_columns = max(1, round(self.features_per_tree * n_columns))
        return sample


@dataclass(frozen=True, kw_only=True)
class BoostingProblem:
    """What is boosted: rows, a target as numbers (classes by index), weights, a loss."""

    table: Table
    y: FloatArray
    weights: RowWeights
    loss: Loss
    start: FloatArray | None = None
    """Scores that the rows start from (rows x outputs), in place of the loss's own."""

    @property
    def n_rows(self) -> int:
        """How many rows there are: whole-number weights are copies."""
        copies = self.weights.copies
        return self.table.n_rows if copies is None else int(copies.sum())

    @property
    def weight(self) -> FloatArray | None:
        """What each row weighs."""
        return self.weights.copies if self.weights.weight is None else self.weights.weight

    def take(self, rows: npt.NDArray[np.int64]) -> BoostingProblem:
        """Give the problem with some of the rows."""
        weights = RowWeights(
            weight=None if self.weights.weight is None else self.weights.weight[rows],
            copies=None if self.weights.copies is None else self.weights.copies[rows],
        )
        return BoostingProblem(
            table=self.table.take(rows),
            y=self.y[rows],
            weights=weights,
            loss=self.loss,
            start=None if self.start is None else self.start[rows],
        )


Judge = Callable[[FloatArray], float]
"""Gives how good scores (rows x outputs) of the validation rows, or else the training rows, are."""


@dataclass(kw_only=True)
class Boosted:
    """What boosting gives."""

    ensemble: BoostedEnsemble
    rounds: GradientRounds


class Boosting:
    """Boosting in progress.

    Parameters
    ----------
    problem, options
        What is boosted, and how.
    make
        Makes a model of trees and the scores to start from.
    before
        The rounds to go on from.
    validation
        Rows to judge the rounds by.
    watches
        Stop once the loss falls no more, or the score rises no more, and keep the best rounds.
    judge
        Gives a score to watch in place of the loss.
    """

    def __init__(
        self,
        problem: BoostingProblem,
        options: BoostingOptions,
        *,
        make: Callable[[_core.BoostForest, FloatArray], BoostedEnsemble],
        before: BoostedEnsemble | None = None,
        validation: BoostingProblem | None = None,
        watches: bool = False,
        judge: Judge | None = None,
    ) -> None:
        loss = problem.loss
        options.check_leaf(loss)
        warn_of_many_categories(problem.table)
        options = options.settled(problem)
        self._problem, self._options = problem, options
        self._validation, self._watches, self._judge = validation, watches, judge
        self._base = loss.baseline(problem.y, problem.weight) if before is None else before.base
        starts_alike = before is None and problem.start is None
        scores = self._base if starts_alike else self._start(problem, before).T
        self._before, self._make = before, make
        self._booster = _core.Booster(
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
        schema = problem.table.schema
        self._growth = options.core_growth(schema, loss=loss)
        if validation is not None:
            self._validation_scores = self._start(validation, before)
            self._validation_rows = self._booster.forest(0, 0).code(
                lend(validation.table), options.n_threads
            )

    def _start(self, problem: BoostingProblem, before: BoostedEnsemble | None) -> FloatArray:
        if before is not None:
            return before.scores(
                problem.table, n_threads=self._options.n_threads, start=problem.start
            )
        if problem.start is not None:
            return problem.start
        return np.tile(self._base, (problem.table.n_rows, 1))

    @property
    def n_before(self) -> int:
        """Rounds that were there already."""
        return 0 if self._before is None else self._before.n_rounds

    def run(self, follower: Follower[GradientRound]) -> Boosted:
        """Go through the rounds that are left; the last are given back where they did not help."""
        rounds: list[GradientRound] = []
        best, best_number = np.inf, self.n_before
        for number in range(self.n_before, int(self._options.n_estimators)):
            follower.begin()
            done = self.round(number)
            rounds.append(done)
            is_ended = follower.end(done)
            watched = self._watched(done)
            if watched < best - self._options.tol:
                best, best_number = watched, number + 1
            is_stuck = number + 1 - best_number >= self._options.n_iter_no_change
            if is_ended or (self._watches and is_stuck):
                break
        whole = self.so_far()
        if self._watches and best_number < whole.n_rounds:
            whole, rounds = whole.first(best_number), rounds[: best_number - self.n_before]
        return Boosted(ensemble=whole, rounds=GradientRounds(rounds))

    def so_far(self) -> BoostedEnsemble:
        """Give the model of all rounds that were made."""
        grown = self._booster.forest(0, self._booster.n_trees)
        if self._before is not None:
            return self._before.joined(grown)
        return self._make(grown, self._base)

    def _watched(self, done: GradientRound) -> float:
        """Give what is to become small."""
        if self._judge is not None:
            return -(done.train_score if self._validation is None else done.validation_score)
        return done.train_loss if self._validation is None else done.validation_loss

    def round(self, number: int) -> GradientRound:
        """Make the round of a number (from 0); one after the other."""
        problem, options, booster = self._problem, self._options, self._booster
        loss, began = problem.loss, time.perf_counter()
        if loss.name == "given":
            booster.set_slopes(*user_slopes(loss, problem.y, booster.scores, number + 1))
        first = booster.n_trees
        key = (options.seed + number * _GOLDEN) % 2**64
        booster.round(self._growth, float(options.learning_rate), key, options.n_threads)
        if not booster.reach < _MOST_SCORE:
            raise ParameterError(
                f"round {number + 1}: scores grow beyond all bounds with"
                f" learning_rate={options.learning_rate!r}"
                + (" and the gradients and hessians of this loss." if loss.name == "given" else ".")
                + "\n  Hint: a smaller learning_rate, or a larger l2_regularization."
            )
        return GradientRound(
            number=number + 1,
            n_leaves=booster.n_leaves(first),
            **self._figures(first, number),
            seconds=time.perf_counter() - began,
        )

    def _figures(self, first: int, number: int) -> dict[str, float]:
        """Give the losses and scores after a round whose trees start at `first`."""
        booster, judged = self._booster, self._validation
        if judged is None and not self._watches:
            return {}
        if judged is None:
            of, judged, scores = "train", self._problem, booster.scores.T
        else:
            more = booster.forest(first, booster.n_trees)
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
        figures = {f"{of}_loss": judged.loss.mean(scores, judged.y, judged.weight)}
        if self._judge is not None:
            figures[f"{of}_score"] = score = self._judge(scores)
            if np.isnan(score):
                raise ParameterError(f"round {number + 1}: scoring gave nan, which is no score.")
        return figures


def warn_of_many_categories(table: Table) -> None:
    """Warn of each column of categories that codes of two bytes cannot tell apart."""
    most = _core.MOST_CATEGORIES
    for index, spec in enumerate(table.schema.columns):
        if spec.kind == "nominal" and len(spec.values) > most:
            n_rows = int(np.count_nonzero(np.asarray(table.columns[index]) >= most))
            warn(
                f"column {spec.name!r} has {len(spec.values):,} categories; boosting tells the"
                f" first {most:,} of them apart, and the others, of {n_rows:,} rows, count as"
                " missing.\n  Hint: join rare categories, or leave the column out with"
                f" Schema(ignore=[{spec.name!r}]).",
                ManyCategoriesWarning,
            )


def core_target(problem: BoostingProblem) -> _core.Target:
    """Lend the core what is to be predicted, and what rows weigh."""
    target = _core.Target.values(np.ascontiguousarray(problem.y), 1)
    if problem.weights.weight is not None:
        target.set_weight(np.ascontiguousarray(problem.weights.weight))
    if problem.weights.copies is not None:
        target.set_copies(np.ascontiguousarray(problem.weights.copies))
    return target


def interaction_sets(schema: FittedSchema, given: object) -> list[list[int]]:
    """Give the sets of columns that may be asked on one path; none where all may.

    Parameters
    ----------
    schema
        The columns.
    given
        None, ``"pairwise"``, ``"no_interactions"``, or a list of sets of columns, by name or by
        position. Columns in none of them form a set of their own, as in scikit-learn.
    """
    n_columns = len(schema.columns)
    if given is None:
        return []
    if isinstance(given, str):
        check_choice("interaction_cst", given, ("pairwise", "no_interactions"))
        if given == "no_interactions":
            return [[column] for column in range(n_columns)]
        return [[a, b] for b in range(n_columns) for a in range(b)] or [[0]]
    if not isinstance(given, Sequence | set | frozenset):
        raise ParameterError(f"interaction_cst={given!r} must be a list of sets of columns.")
    sets = []
    for one in given:
        if isinstance(one, str) or not isinstance(one, Iterable):
            raise ParameterError(f"interaction_cst holds {one!r}, which is no set of columns.")
        sets.append(sorted({_column(schema, column) for column in one}))
    rest = sorted(set(range(n_columns)) - {column for one in sets for column in one})
    return [*sets, rest] if rest else sets


def _column(schema: FittedSchema, given: object) -> int:
    if isinstance(given, str) and given in schema.names:
        return schema.index(given)
    if is_whole(given) and 0 <= given < len(schema.columns):
        return int(given)
    raise ParameterError(f"interaction_cst names column {given!r}, which the table does not have.")


def held_out(
    problem: BoostingProblem, share: object, *, seed: int, of_classes: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Draw rows to learn from and rows to validate by, which count; of every class its share."""
    check_number("validation_fraction", share, low=0.0, high=1.0, open_low=True, open_high=True)
    generator = np.random.default_rng(seed)
    y, weight = problem.y, problem.weight
    groups = y if of_classes else np.zeros(len(y))
    counts = np.ones(len(y), dtype=np.bool_) if weight is None else weight > 0
    chosen = np.zeros(len(y), dtype=np.bool_)
    for group in np.unique(groups):
        rows = np.flatnonzero((groups == group) & counts)
        n_drawn = round(float(share) * len(rows))  # type: ignore[arg-type]
        chosen[generator.choice(rows, n_drawn, replace=False)] = True
    n_counted = int(counts.sum())
    if not chosen.any() or chosen.sum() == n_counted:
        raise ParameterError(
            f"validation_fraction={share!r} of {n_counted} rows leaves none to learn from, or none"
            " to validate by."
        )
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)


def check_early_stopping(value: object) -> bool:
    """Tell whether boosting stops before the last round."""
    check_flag("early_stopping", value)
    return bool(value)
