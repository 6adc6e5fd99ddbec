"""Rare classes and unequal costs: resampling, thresholds, decisions at least cost, compared."""

from treewright.evaluate.imbalance.compare_imbalance import compare_imbalance
from treewright.evaluate.imbalance.decide import ChosenThreshold, LeastCost
from treewright.evaluate.imbalance.resample import Resampled, resample
from treewright.evaluate.imbalance.threshold import threshold
from treewright.evaluate.imbalance.threshold_choice import ThresholdChoice

__all__ = [
    "ChosenThreshold",
    "LeastCost",
    "Resampled",
    "ThresholdChoice",
    "compare_imbalance",
    "resample",
    "threshold",
]
