"""Evaluation: how good a learner is, how sure that is, and whether it is better than another."""

from treewright.evaluate.compare import compare
from treewright.evaluate.comparison import Comparison
from treewright.evaluate.confusion import Confusion, confusion
from treewright.evaluate.cross_validate import CrossValidation, cross_validate
from treewright.evaluate.holdout import Holdout, holdout
from treewright.evaluate.intervals import Interval
from treewright.evaluate.scores import Scores, judge, scores
from treewright.evaluate.stable.stability import stability
from treewright.evaluate.stable.stability_table import Stability

__all__ = [
    "Comparison",
    "Confusion",
    "CrossValidation",
    "Holdout",
    "Interval",
    "Scores",
    "Stability",
    "compare",
    "confusion",
    "cross_validate",
    "holdout",
    "judge",
    "scores",
    "stability",
]
