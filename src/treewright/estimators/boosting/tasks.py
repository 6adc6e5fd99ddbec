"""Gradient boosting for classes and for regression: their losses, scores and stages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.boosting.losses import (
    Loss,
    loss_of_classes,
    loss_of_values,
    needs_order,
    takes_quantile,
)
from treewright.data.read.target import ClassTarget
from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.base import ClassTask, ValueTask, logarithms
from treewright.estimators.boosting.base import BoostingEstimator
from treewright.estimators.boosting.certainty import PredictsBoostedIntervals, PredictsBoostedSets
from treewright.grow.training_data import TrainingData
from treewright.parameters import check_share
from treewright.tree.leaf import decide


def numbers_of(init: Any, answers: Any, *, n_axes: int) -> FloatArray:
    """Return the predictions of the `init` estimator as numbers."""
    try:
        numbers = np.asarray(answers, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"init={init!r} gives answers that are no numbers.") from None
    if numbers.ndim != n_axes:
        raise ParameterError(
            f"init={init!r} gives answers of shape {numbers.shape}; {n_axes} axes are due."
        )
    return numbers


class BoostingClassifier(PredictsBoostedSets, ClassTask, BoostingEstimator):
    """Boosted trees that predict classes."""

    def _loss(self, target: Any) -> Loss:
        if needs_order(self.loss):
            target.require_order(f"loss={self.loss!r}")
        return loss_of_classes(self.loss, len(target.classes[0]))

    def _numbers(self, data: TrainingData) -> FloatArray:
        assert isinstance(data.target, ClassTarget)
        return data.target.codes.astype(np.float64)

    def _check_init(self) -> None:
        super()._check_init()
        if needs_order(self.loss) and not (self.init is None or isinstance(self.init, str)):
            raise UnsupportedError(
                f"init={self.init!r} predicts a probability for each class, and loss={self.loss!r}"
                " has one score for all.\n  Hint: init=None."
            )
        if not (self.init is None or isinstance(self.init, str)) and not hasattr(
            self.init, "predict_proba"
        ):
            raise ParameterError(
                f"init={self.init!r} gives no probabilities.\n"
                "  Hint: an estimator with predict_proba."
            )

    def _scores_of_init(self, init: Any, X: Any, link: str, shift: int) -> FloatArray:
        shares = np.log(np.maximum(numbers_of(init, init.predict_proba(X), n_axes=2), 1e-15))
        if link == "softmax":
            return shares
        if shares.shape[1] == 1:
            return np.zeros((len(shares), 1))
        odds = (shares[:, 1] - shares[:, 0])[:, np.newaxis]
        return odds / 2 if link == "half_logistic" else odds

    @property
    def thresholds_(self) -> FloatArray:
        """Where the scores of ordered classes part (``loss="ordinal"``), one less than classes."""
        thresholds = self._model().thresholds
        if thresholds is None:
            raise AttributeError(
                f"classes have thresholds between them with loss='ordinal', not {self.loss!r}."
            )
        return np.asarray(thresholds[-1])

    def apply(self, X: Any) -> Int64Array:
        """Return the leaf of each row in each tree: rows x rounds x trees of a round.

        A round has a tree for each of three or more classes, and one for two.
        """
        return self._leaves(X)

    def predict(self, X: Any, *, offset: Any = None) -> Array:
        """Return the most probable class of each row; of equally probable ones the first.

        Parameters
        ----------
        X : table
            The rows.
        offset : array-like or float, optional
            Added to their scores, as in `fit`; asked for where the training rows had offsets.
        """
        if self._calibration is not None:
            return self._decided_calibrated(X, offset=offset)
        return self._decided(self._answers(X, offset))

    def predict_proba(self, X: Any, *, offset: Any = None) -> FloatArray:
        """Return each row's class probabilities; parameters as for `predict`."""
        if self._calibration is not None:
            return self._calibrated(X, offset=offset)[0]
        return self._uncalibrated(X, offset=offset)

    def _uncalibrated(self, X: Any, offset: Any = None) -> FloatArray:
        return np.asarray(self._answers(X, offset))

    def predict_log_proba(self, X: Any, *, offset: Any = None) -> Any:
        """Return the logarithm of the probabilities; -inf where a probability is 0."""
        return logarithms(self.predict_proba(X, offset=offset))

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None) -> float:
        """Return the share of rows whose class is predicted; parameters as for `predict`."""
        if offset is None:
            return float(super().score(X, y, sample_weight))
        from sklearn.metrics import accuracy_score  # late: it loads many modules

        found = self.predict(X, offset=offset)
        return float(accuracy_score(y, found, sample_weight=sample_weight))

    def decision_function(self, X: Any, *, offset: Any = None) -> FloatArray:
        """Return the scores of each row: of the second of two classes, or of each of several.

        With ``loss="ordinal"`` a row has one score, which ``thresholds_`` part into classes.
        """
        scores = self._scores(X, offset)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_decision_function(self, X: Any, *, offset: Any = None) -> Iterator[FloatArray]:
        """Yield the scores after each round, which no calibration changes."""
        for scores in self._staged(X, offset):
            yield scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_predict_proba(self, X: Any, *, offset: Any = None) -> Iterator[FloatArray]:
        """Yield the class probabilities after each round; the last are those of `predict_proba`.

        With ``calibrate=`` all are calibrated by what was learned for the whole model.
        """
        model, made = self._model(), self._calibration
        for number, scores in enumerate(self._staged(X, offset), start=1):
            told = model.apply_link(scores, n_rounds=number)
            yield told if made is None else made[0](told)

    def staged_predict(self, X: Any, *, offset: Any = None) -> Iterator[Array]:
        """Yield the predicted classes after each round; the last are those of `predict`."""
        for shares in self.staged_predict_proba(X, offset=offset):
            yield decide(shares, (self.classes_,), self._model().leaf)


class BoostingRegressor(PredictsBoostedIntervals, ValueTask, BoostingEstimator):
    """Boosted trees that predict numbers."""

    def _loss(self, target: Any) -> Loss:
        if self.alpha is not None and self.quantile is not None:
            raise ParameterError(
                f"alpha={self.alpha!r} and quantile={self.quantile!r} are two names of one thing."
                "\n  Hint: leave one of them out."
            )
        quantile = self.quantile
        if self.alpha is not None:
            # scikit-learn's, which may be given with any loss: its own checks do.
            check_share("alpha", self.alpha)
            quantile = self.alpha if takes_quantile(self.loss) else None
        return loss_of_values(self.loss, quantile=quantile, power=self.tweedie_power)

    def apply(self, X: Any) -> Int64Array:
        """Return the leaf of each row in the tree of each round, rows x rounds."""
        return self._leaves(X)[:, :, 0]

    def _numbers(self, data: TrainingData) -> FloatArray:
        return data.learned_values()

    def _scores_of_init(self, init: Any, X: Any, link: str, shift: int) -> FloatArray:
        values = np.ldexp(numbers_of(init, init.predict(X), n_axes=1), -shift)[:, np.newaxis]
        return np.log(np.maximum(values, 1e-15)) if link == "log" else values

    def predict(self, X: Any, *, offset: Any = None) -> FloatArray:
        """Return the number predicted for each row.

        Parameters
        ----------
        X : table
            The rows.
        offset : array-like or float, optional
            Added to their scores, as in `fit`; asked for where the training rows had offsets.

        Examples
        --------
        Claims in a time at risk, and the rate of a whole year:

        >>> import numpy as np
        >>> from treewright import GradientBoostingRegressor
        >>> X, years = [["city"], ["land"]] * 40, np.array([0.5, 0.5, 2.0, 1.0] * 20)
        >>> claims = np.array([1, 0, 4, 1] * 20)
        >>> model = GradientBoostingRegressor(loss="poisson", n_estimators=100)
        >>> model = model.fit(X, claims, offset=np.log(years))
        >>> model.predict([["city"], ["city"]], offset=np.log([0.5, 1.0])).round(1).tolist()
        [1.0, 2.0]
        """
        return np.asarray(self._answers(X, offset)[:, 0])

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None) -> float:
        """Return the share of the variance that is explained (R2); parameters as for `predict`."""
        if offset is None:
            return float(super().score(X, y, sample_weight))
        from sklearn.metrics import r2_score  # late: it loads many modules

        found = self.predict(X, offset=offset)
        return float(r2_score(y, found, sample_weight=sample_weight))

    def staged_predict(self, X: Any, *, offset: Any = None) -> Iterator[FloatArray]:
        """Yield the predicted numbers after each round."""
        model = self._model()
        return (model.apply_link(scores)[:, 0] for scores in self._staged(X, offset))
