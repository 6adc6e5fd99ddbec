"""Evaluation: how good a learner is, and how stable its trees are."""

from treewright.evaluate.cross_validate import CrossValidation, cross_validate
from treewright.evaluate.scores import Scores, judge, scores
from treewright.evaluate.stability import stability
from treewright.evaluate.stability_table import Stability

__all__ = [
    "CrossValidation",
    "Scores",
    "Stability",
    "cross_validate",
    "judge",
    "scores",
    "stability",
]
