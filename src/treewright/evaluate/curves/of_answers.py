"""The curves of a result that has answers: ``result.roc()``, ``result.calibration()``, ..."""

from __future__ import annotations

from treewright.evaluate.curves.calibration import (
    STRATEGIES,
    CalibrationCurve,
    Strategy,
    calibration_of,
)
from treewright.evaluate.curves.lift import LiftCurve, lift_of
from treewright.evaluate.curves.precision_recall import PrecisionRecallCurve, precision_recall_of
from treewright.evaluate.curves.residuals import Residuals, residuals_of
from treewright.evaluate.curves.roc import RocCurve, roc_of
from treewright.evaluate.trial.answers import Answers
from treewright.parameters import check_choice, check_count


class CurvesOfAnswers:
    """Curves of the probabilities that were answered, for classes; residuals of numbers."""

    def _judged(self) -> tuple[Answers, float]:
        """Return the answers, and the confidence level."""
        raise AssertionError("a result with curves has answers")

    def roc(self) -> RocCurve:
        """Return the ROC curve of each class, or of the positive one of two."""
        answers, level = self._judged()
        return roc_of(answers, level=level)

    def precision_recall(self) -> PrecisionRecallCurve:
        """Return precision and recall at every threshold."""
        answers, level = self._judged()
        return precision_recall_of(answers, level=level)

    def calibration(self, *, bins: int = 10, strategy: Strategy = "quantile") -> CalibrationCurve:
        """Return how far the probabilities hold what they promise."""
        check_count("bins", bins, least=1)
        check_choice("strategy", strategy, STRATEGIES)
        answers, level = self._judged()
        return calibration_of(answers, bins=bins, strategy=strategy, level=level)

    def residuals(self, *, bins: int = 10) -> Residuals:
        """Return how far predicted numbers are from the truth; of regression."""
        check_count("bins", bins, least=1)
        answers, level = self._judged()
        return residuals_of(answers, bins=bins, level=level)

    def lift(self) -> LiftCurve:
        """Return how many rows of a class the rows of highest score hold."""
        answers, level = self._judged()
        return lift_of(answers, level=level)
