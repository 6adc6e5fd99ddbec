"""The fitted attributes of boosting under scikit-learn's names."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.fit import Boosting
from treewright.boosting.rounds import GradientRounds
from treewright.boosting.training_record import RoundDraws, TrainingFigures, TrainingRecord
from treewright.estimators.boosting.predictions import PredictsBoosted


class HasFittedNames(PredictsBoosted):
    """What scikit-learn's boosting tells of its rounds, told of ours."""

    _not_pickled: ClassVar[tuple[str, ...]] = ("_record",)

    n_iter_: int
    _all_rounds: GradientRounds  # also those made before a warm start
    _loss_unit: float
    _draws: tuple[RoundDraws, ...]
    _record: TrainingRecord | None = None
    _figures: TrainingFigures | None = None

    @property
    def n_estimators_(self) -> int:
        """The number of rounds kept."""
        return self._model().n_rounds

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees of a round: one, or one for each of three or more classes."""
        return self._model().core.n_outputs

    @property
    def init_(self) -> Any:
        """Where scores start: the fitted estimator, ``"zero"``, or one that predicts a constant."""
        model = self._model()
        if self._init is not None:
            return self._init
        from sklearn.dummy import DummyClassifier, DummyRegressor  # late: seldom needed

        start = model.apply_link(model.base[np.newaxis], n_rounds=0)[0]
        if model.classes is None:
            made = DummyRegressor(strategy="constant", constant=start[0])
            return made.fit(np.zeros((1, 1)), start[:1])
        classes = model.classes[0]
        made = DummyClassifier(strategy="prior")
        return made.fit(np.zeros((len(classes), 1)), classes, sample_weight=start)

    @property
    def train_score_(self) -> FloatArray:
        """Loss of training rows after each round; less is better.

        Of the rows that the round has drawn, and of 10,000 where there are more. In
        scikit-learn's units: squared error and the deviance of two classes are not halved. It is
        computed when it is first asked for, from rows that are not saved with the model.
        """
        return self._loss_unit * self._training_figures().train_loss

    @property
    def validation_score_(self) -> FloatArray:
        """Loss of the validation rows after each round; less is better."""
        self._model()
        losses = np.array([each.validation_loss for each in self._all_rounds])
        return self._known(losses, "early_stopping=True, or fit(..., X_val=, y_val=)")

    @property
    def oob_improvement_(self) -> FloatArray:
        """By how much each round lowered the loss of the rows that it had not drawn."""
        return self._known(self._training_figures().oob_improvement, "subsample=0.5")

    @property
    def oob_scores_(self) -> FloatArray:
        """Loss after each round of the rows that it had not drawn; less is better."""
        return self._known(self._training_figures().oob_loss, "subsample=0.5")

    @property
    def oob_score_(self) -> float:
        """The last of `oob_scores_`."""
        last: np.float64 = self.oob_scores_[-1]
        return last

    def _learned_record(self, rounds: Boosting) -> None:
        """Keep what `train_score_` and its kin are computed from."""
        earlier = self._draws if rounds.n_before else ()
        self._draws = (*earlier, rounds.draws)
        self._record, self._figures = rounds.record(), None

    def _training_figures(self) -> TrainingFigures:
        model = self._model()
        if self._figures is None:
            if self._record is None:
                raise AttributeError(
                    "a loaded model has no training rows, from which this is computed.\n"
                    "  Hint: ask for train_score_ once before the model is saved."
                )
            self._figures = self._record.figures(model, self._draws)
        return self._figures

    def _known(self, losses: FloatArray, hint: str) -> FloatArray:
        """Return losses in scikit-learn's units; an AttributeError where there are none."""
        if np.isnan(losses).all():
            raise AttributeError(
                f"this {type(self).__name__} has set no rows aside to compute it from.\n"
                f"  Hint: {hint}."
            )
        return self._loss_unit * losses
