"""Evaluation: how good a learner is, how sure that is, and whether it is better than another."""

from treewright.evaluate.compare import compare
from treewright.evaluate.compare_on_tables import compare_on_tables
from treewright.evaluate.comparison import Comparison
from treewright.evaluate.confusion import Confusion, confusion
from treewright.evaluate.cross_validate import CrossValidation, cross_validate
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
    "ChosenThreshold",
    "Comparison",
    "Confusion",
    "CrossValidation",
    "Holdout",
    "Interval",
    "LeastCost",
    "Range",
    "Resampled",
    "Scores",
    "Stability",
    "TablesComparison",
    "ThresholdChoice",
    "Tuned",
    "Tuning",
    "compare",
    "compare_imbalance",
    "compare_on_tables",
    "confusion",
    "cross_validate",
    "holdout",
    "judge",
    "resample",
    "scores",
    "stability",
    "threshold",
    "tune",
]
