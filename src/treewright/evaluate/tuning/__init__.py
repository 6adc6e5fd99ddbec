"""Tuning: parameters chosen by folds, judged by rows that chose nothing."""

from treewright.evaluate.tuning.candidates import Range
from treewright.evaluate.tuning.search import Search, Tried
from treewright.evaluate.tuning.tune import tune
from treewright.evaluate.tuning.tuned import Tuned
from treewright.evaluate.tuning.tuning import Tuning

__all__ = ["Range", "Search", "Tried", "Tuned", "Tuning", "tune"]
