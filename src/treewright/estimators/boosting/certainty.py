"""Intervals and sets of boosted models: rows may have offsets, and quantiles can be learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import BoolArray, FloatArray
from treewright.certainty.conformal import threshold
from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.certainty.keeps_rows import N_FOLDS, KeepsRows
from treewright.estimators.certainty.predicts_intervals import PredictsIntervals
from treewright.estimators.certainty.predicts_sets import PredictsSets
from treewright.estimators.certainty.unseen import NOT_IN_PARTS, GivenRows
from treewright.parameters import check_choice, check_number

METHODS = ("residual", "quantile")


@dataclass(frozen=True, kw_only=True, eq=False)
class QuantileEnds:
    """Models of both ends, and by how much they are to be moved outwards."""

    low: Any
    high: Any
    moved: float

    def ends(self, X: Any, asked: dict[str, Any]) -> FloatArray:
        """Return the ends for rows, rows x 2."""
        low, high = self.low.predict(X, **asked), self.high.predict(X, **asked)
        middle = (low + high) / 2.0  # quantiles that cross leave no interval between them
        low, high = np.minimum(low, high), np.maximum(low, high)
        ends = np.stack([low - self.moved, high + self.moved], axis=1)
        crossed = ends[:, 0] > ends[:, 1]
        ends[crossed] = middle[crossed, np.newaxis]
        return ends


class RepeatsRounds(KeepsRows):
    """Boosting whose models of parts of the rows make the rounds that were made."""

    n_iter_: int
    learning_rate_: float
    _name_of_rounds: Any
    _made_with: Any

    def _settled_for_parts(self) -> dict[str, Any]:
        """Return the rounds that were made, and what was chosen with them."""
        rounds = {self._name_of_rounds: self.n_iter_}
        made = {"learning_rate": self.learning_rate_, "n_iter_no_change": None}
        return dict(self._made_with) | made | rounds


class PredictsBoostedIntervals(RepeatsRounds, PredictsIntervals):
    """A boosted regressor that predicts intervals."""

    _quantile_ends: dict[float, QuantileEnds] | None = None

    def _keep(self, X: Any, y: Any, sample_weight: Any, groups: Any, offset: Any = None) -> None:
        super()._keep(X, y, sample_weight, groups, offset)
        self._quantile_ends = None

    def predict_interval(
        self,
        X: Any,
        level: float = 0.9,
        *,
        method: str = "residual",
        by: Any = None,
        offset: Any = None,
        X_train: Any = None,
        y_train: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        offset_train: Any = None,
    ) -> FloatArray:
        """Return an interval for each row that contains the target with this probability.

        Parameters
        ----------
        X : table
            The rows to predict.
        level : float
            The probability, above 0 and at most 1 (below 1 with ``method="quantile"``).
        method : {"residual", "quantile"}
            ``"residual"`` is as for :meth:`DecisionTreeRegressor.predict_interval`, with the rounds
            that `fit` has made. ``"quantile"`` boosts both ends with the quantile loss, and moves
            them by what they miss of unseen rows (conformalised quantile regression, Romano,
            Patterson and Candes 2019): slower, and narrower where the spread differs much from
            row to row. Each level is learned when it is first asked for.
        by : str or int, optional
            A column whose values are each to be covered, for ``"residual"``.
        offset : array-like or float, optional
            The offsets of the rows, as for `predict`.
        X_train, y_train, sample_weight, groups, offset_train
            The training data as they were given to ``fit``; only needed where the model no longer
            has them, as after loading it, and only once.

        Returns
        -------
        array
            Lower and upper end for each row, rows x 2.
        """
        check_number("level", level, low=0.0, high=1.0, open_low=True)
        check_choice("method", method, METHODS)
        check_is_fitted(self)
        again = (X_train, y_train, sample_weight, groups, offset_train)
        asked = {} if offset is None else {"offset": offset}
        if method == "residual":
            return self._interval(X, float(level), by, again, asked)
        if by is not None:
            raise UnsupportedError(
                "method='quantile' covers all rows together.\n  Hint: by= with method='residual'."
            )
        if level == 1.0:
            raise ParameterError("level=1.0 has no quantiles; it must be below 1.")
        known = dict(self._quantile_ends or {})
        if float(level) not in known or X_train is not None:
            known[float(level)] = self._learned_ends(self._rows_given(*again), float(level))
            self._quantile_ends = known
        return known[float(level)].ends(X, asked)

    def _learned_ends(self, given: GivenRows, level: float) -> QuantileEnds:
        rest = (1.0 - level) / 2.0
        whole = given.whole()
        low, high = (self._of_quantile(share).fit(**whole) for share in (rest, 1.0 - rest))
        below, above = (part._unseen(given, N_FOLDS) for part in (low, high))
        values = below.truth[:, 0]
        ends = [part.answers[None][0][:, 0] for part in (below, above)]
        missed = np.maximum(ends[0] - values, values - ends[1])
        return QuantileEnds(low=low, high=high, moved=threshold(missed, below.weight, level))

    def _of_quantile(self, share: float) -> Any:
        model = clone(self)
        parameters = model.get_params(deep=False)
        fixed = NOT_IN_PARTS | {"loss": "quantile", "quantile": share, "alpha": None}
        return model.set_params(**{name: fixed[name] for name in fixed if name in parameters})


class PredictsBoostedSets(RepeatsRounds, PredictsSets):
    """A boosted classifier that predicts sets."""

    def predict_set(
        self,
        X: Any,
        level: float = 0.9,
        *,
        by: Any = None,
        offset: Any = None,
        X_train: Any = None,
        y_train: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        offset_train: Any = None,
    ) -> BoolArray | list[BoolArray]:
        """Return for each row a set of classes that contains the true one with this probability.

        Parameters
        ----------
        X, level, by, X_train, y_train, sample_weight, groups
            As for :meth:`DecisionTreeClassifier.predict_set`; models of parts of the rows make as
            many rounds as `fit` has made.
        offset, offset_train
            The offsets of the rows and of the training rows, where they have them.

        Returns
        -------
        array of bool
            Rows x classes, in the order of ``classes_``.
        """
        check_number("level", level, low=0.0, high=1.0, open_low=True)
        check_is_fitted(self)
        again = (X_train, y_train, sample_weight, groups, offset_train)
        asked = {} if offset is None else {"offset": offset}
        return self._set(X, float(level), by, again, asked)
