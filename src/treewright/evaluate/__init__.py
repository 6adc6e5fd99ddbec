"""Evaluation: how good a learner is, how sure that is, and whether it is better than another."""

from treewright.evaluate.compare import compare
from treewright.evaluate.compare_on_tables import compare_on_tables
from treewright.evaluate.comparison import Comparison
from treewright.evaluate.confusion import Confusion, confusion
from treewright.evaluate.cross_validate import CrossValidation, cross_validate
from treewright.evaluate.curves.bias_variance import BiasVariance, bias_variance
from treewright.evaluate.curves.calibration import CalibrationCurve, calibration_curve
from treewright.evaluate.curves.complexity import ComplexityCurve
from treewright.evaluate.curves.complexity_curve import complexity_curve
from treewright.evaluate.curves.decomposition import SquaredParts, ZeroOneParts, decompose
from treewright.evaluate.curves.learning import LearningCurve, learning_curve
from treewright.evaluate.curves.lift import LiftCurve, lift_curve
from treewright.evaluate.curves.noise import NoiseCurve, noise_curve
from treewright.evaluate.curves.precision_recall import PrecisionRecallCurve, precision_recall_curve
from treewright.evaluate.curves.residuals import Residuals, residuals
from treewright.evaluate.curves.roc import RocCurve, roc_curve
from treewright.evaluate.holdout import Holdout, holdout
from treewright.evaluate.imbalance import (
    ChosenThreshold,
    LeastCost,
    Resampled,
    ThresholdChoice,
    compare_imbalance,
    resample,
    threshold,
)
from treewright.evaluate.intervals import Interval
from treewright.evaluate.scores import Scores, judge, scores
from treewright.evaluate.stable.stability import stability
from treewright.evaluate.stable.stability_table import Stability
from treewright.evaluate.tables_comparison import TablesComparison
from treewright.evaluate.tuning import Range, Tuned, Tuning, tune

__all__ = [
    "BiasVariance",
    "CalibrationCurve",
    "ChosenThreshold",
    "Comparison",
    "ComplexityCurve",
    "Confusion",
    "CrossValidation",
    "Holdout",
    "Interval",
    "LearningCurve",
    "LeastCost",
    "LiftCurve",
    "NoiseCurve",
    "PrecisionRecallCurve",
    "Range",
    "Resampled",
    "Residuals",
    "RocCurve",
    "Scores",
    "SquaredParts",
    "Stability",
    "TablesComparison",
    "ThresholdChoice",
    "Tuned",
    "Tuning",
    "ZeroOneParts",
    "bias_variance",
    "calibration_curve",
    "compare",
    "compare_imbalance",
    "compare_on_tables",
    "complexity_curve",
    "confusion",
    "cross_validate",
    "decompose",
    "holdout",
    "judge",
    "learning_curve",
    "lift_curve",
    "noise_curve",
    "precision_recall_curve",
    "resample",
    "residuals",
    "roc_curve",
    "scores",
    "stability",
    "threshold",
    "tune",
]
