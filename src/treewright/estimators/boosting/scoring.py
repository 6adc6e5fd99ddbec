"""Rounds judged by scikit-learn's scorers.

A scorer asks an estimator to predict rows. It is given a copy that is fitted with the rounds made
so far and that knows the scores of the judged rows already: no tree is evaluated again.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.boosting.ensemble import BoostedEnsemble
from treewright.boosting.problem import BoostingProblem
from treewright.data.read.target import ClassTarget
from treewright.errors import ParameterError
from treewright.grow.training_data import TrainingData


@dataclass(frozen=True, eq=False)
class Held:
    """Scores of rows that are known already, and the model they come from."""

    X: Any
    scores: FloatArray
    model: Callable[[], BoostedEnsemble]


def scorer_of(estimator: Any, scoring: object) -> Any:
    """Return the scorer; None where rounds are judged by the loss.

    Parameters
    ----------
    estimator
        The estimator whose predictions are scored; its own `score` is used for None.
    scoring
        ``"loss"``, the name of a scorer, a function of estimator, X and y, or None.
    """
    if isinstance(scoring, str) and scoring == "loss":
        return None
    if not (scoring is None or isinstance(scoring, str) or callable(scoring)):
        raise ParameterError(
            f"scoring={scoring!r} must be 'loss', the name of one of scikit-learn's scorers, a"
            " function, or None."
        )
    from sklearn.metrics import check_scoring  # imported late: it loads many modules

    try:
        return check_scoring(estimator, scoring=scoring)
    except ValueError as error:
        raise ParameterError(f"scoring={scoring!r} cannot be used: {error}") from error


class ByScorer:
    """Judges the scores of rows by a scorer.

    Parameters
    ----------
    scorer
        A function of estimator, X, y and maybe weights.
    estimator
        A copy that may be changed; fitted but for its model.
    X, y, sample_weight
        The rows in their original form, their targets and weights.

    Attributes
    ----------
    model : function
        Returns the model so far, for predictions of other rows.
    """

    def __init__(self, scorer: Any, estimator: Any, *, X: Any, y: Any, sample_weight: Any) -> None:
        self._scorer, self._estimator = scorer, estimator
        self._X, self._y = X, y
        self._weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.model: Callable[[], BoostedEnsemble] = _no_model

    def __call__(self, scores: FloatArray) -> float:
        """Return the score; more is better."""
        self._estimator._held = Held(self._X, scores, self.model)
        told = self._scorer(self._estimator, self._X, self._y, **self._weights)
        try:
            return float(told)
        except (TypeError, ValueError):
            raise ParameterError(f"scoring must give one number, not {told!r}.") from None


def judging_by(
    scorer: Any, estimator: Any, data: TrainingData, init: Any, judged: BoostingProblem, X: Any
) -> ByScorer:
    """Return what judges these rows by the scorer, with a copy of the estimator."""
    copied = copy.copy(estimator)
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(copied, name)
    copied._init = init
    copied._learned_columns(data)
    y: Array
    if isinstance(data.target, ClassTarget):
        y = data.target.classes[0][judged.y.astype(np.intp)]
    else:
        y = np.ldexp(judged.y, data.shift)
    return ByScorer(scorer, copied, X=X, y=y, sample_weight=judged.weight)


def _no_model() -> BoostedEnsemble:
    raise AssertionError("rows are judged while boosting goes on")
