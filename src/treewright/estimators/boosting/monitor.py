"""The ``monitor`` of gradient boosting: a function of the user's, called after each round."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from treewright.boosting.rounds import GradientRound


class Monitor:
    """Calls a function of the user's after every round; it may stop boosting.

    Parameters
    ----------
    given
        The function; it gets the number of the round (from 0), the estimator with the model so
        far, and `told`. Boosting ends after the round for which it returns True.
    estimator
        The estimator that is being fitted.
    told
        What scikit-learn gives as the local variables of its loop: here the data.

    Attributes
    ----------
    figures : list
        The figures of the rounds so far.
    learn : function
        Sets the fitted attributes of an estimator to the model so far.
    """

    every_round = True

    def __init__(self, given: Callable[..., Any], estimator: Any, told: dict[str, Any]) -> None:
        self._given, self._estimator, self._told = given, estimator, told
        self.figures: list[GradientRound] = []
        self.learn: Callable[[Any], None] = lambda estimator: None

    def begin(self) -> None:
        """Let a round begin."""

    def end(self, figures: GradientRound) -> bool:
        """Return whether the function asks to stop after this round."""
        self.figures.append(figures)
        so_far = copy.copy(self._estimator)
        self.learn(so_far)
        number = figures.number - 1
        return bool(self._given(number, so_far, {"i": number, "self": so_far, **self._told}))
