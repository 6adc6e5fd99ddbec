"""The progress that ``verbose`` shows on standard error while a model is fitted."""

from __future__ import annotations

import math
import time

from treewright.adaboost.rounds import RoundFigures
from treewright.boosting.rounds import GradientRound
from treewright.forest.problem import ForestProblem
from treewright.grow.fit import Report
from treewright.progress import has_listener, is_wanted
from treewright.progress import show as show

_SECONDS_IN_SILENCE = 2.0


class Silence:
    """Lasts as long as ``verbose=0`` keeps quiet: two seconds at a terminal, else for good."""

    def __init__(self, *, verbose: object) -> None:
        at_once = bool(verbose) or has_listener()
        self._ends = time.monotonic() + (0.0 if at_once else _SECONDS_IN_SILENCE)
        self._may_end = bool(verbose) or is_wanted()

    @property
    def is_over(self) -> bool:
        """Whether progress is shown from now on."""
        return self._may_end and time.monotonic() >= self._ends


def tree_progress(n_rows: int) -> Report:
    """Return a callback that shows how many rows of a tree have reached a leaf."""

    def report(n_done: int) -> None:
        show(f"growing: {min(n_done / n_rows, 1):4.0%} of the rows placed")

    return report


def forest_progress(forest: ForestProblem, n_trees: int) -> Report:
    """Return a callback that shows how much of a forest is grown."""
    draws = forest.draws
    per_tree = forest.problem.table.n_rows if draws is None else draws.n_distinct

    def report(n_done: int) -> None:
        show(f"growing: {min(n_done / (per_tree * n_trees), 1):4.0%} of {n_trees} trees")

    return report


class AdaBoostProgress:
    """A listener that shows AdaBoost's rounds and their errors."""

    every_round = False

    def __init__(self, n_rounds: int) -> None:
        self._n_rounds = n_rounds
        self._number = 0

    def begin(self) -> None:
        """Count the round."""
        self._number += 1

    def end(self, figures: RoundFigures) -> bool:
        """Show the figures of the round."""
        end = "\n" if self._number == self._n_rounds else ""
        told = f"boosting: round {self._number} of {self._n_rounds}, error {figures.error:.4f}"
        show(told, end=end)
        return False


class BoostingProgress:
    """A listener that shows the rounds of gradient boosting, their losses and scores."""

    every_round = False

    def __init__(self, n_rounds: int, silence: Silence) -> None:
        self._n_rounds = n_rounds
        self._silence = silence

    def begin(self) -> None:
        """Show nothing yet."""

    def end(self, figures: GradientRound) -> bool:
        """Show the figures of the round."""
        if not self._silence.is_over:
            return False
        told = (
            ("train", figures.train_loss),
            ("validation", figures.validation_loss),
            ("train score", figures.train_score),
            ("validation score", figures.validation_score),
        )
        known = [f"{name} {value:.5f}" for name, value in told if not math.isnan(value)]
        show("  ".join([f"round {figures.number} of {self._n_rounds}", *known]).ljust(60))
        return False


def show_choice(max_depth: int | None, n_rounds: int, loss: float) -> None:
    """Show the shape that is tried while the number of rounds is chosen."""
    depth = "no limit" if max_depth is None else f"depth {max_depth}"
    show(f"choosing rounds ({depth}): {n_rounds}  held-out loss {loss:.5f}".ljust(60))
