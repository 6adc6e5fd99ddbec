"""Evaluation: how good a learner is, and how stable its trees are."""

from treewright.evaluate.stability import stability
from treewright.evaluate.stability_table import Stability

__all__ = ["Stability", "stability"]
