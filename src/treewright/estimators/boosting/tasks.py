"""Gradient boosting for classes and for regression: their losses, scores and stages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.boosting.losses import Loss, loss_of_classes, loss_of_values, takes_quantile
from treewright.data.read.target import ClassTarget
from treewright.errors import ParameterError
from treewright.estimators.base import ClassTask, ValueTask
from treewright.estimators.boosting.base import BoostingEstimator
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


class BoostingClassifier(ClassTask, BoostingEstimator):
    """Boosted trees that predict classes."""

    def _loss(self, target: Any) -> Loss:
        return loss_of_classes(self.loss, len(target.classes[0]))

    def _numbers(self, data: TrainingData) -> FloatArray:
        assert isinstance(data.target, ClassTarget)
        return data.target.codes.astype(np.float64)

    def _check_init(self) -> None:
        super()._check_init()
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

    def apply(self, X: Any) -> Int64Array:
        """Return the leaf of each row in each tree: rows x rounds x trees of a round.

        A round has a tree for each of three or more classes, and one for two.
        """
        return self._leaves(X)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of each row: of the second of two classes, or of each of several."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the scores after each round."""
        for scores in self._staged(X):
            yield scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_predict_proba(self, X: Any) -> Iterator[FloatArray]:
        """Yield the class probabilities after each round."""
        model = self._model()
        return (model.apply_link(scores) for scores in self._staged(X))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Yield the predicted classes after each round."""
        for shares in self.staged_predict_proba(X):
            yield decide(shares, (self.classes_,), self._model().leaf)


class BoostingRegressor(ValueTask, BoostingEstimator):
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

    def staged_predict(self, X: Any) -> Iterator[FloatArray]:
        """Yield the predicted numbers after each round."""
        model = self._model()
        return (model.apply_link(scores)[:, 0] for scores in self._staged(X))
