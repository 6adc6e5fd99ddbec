"""Confidence intervals of figures: shares, means, areas under the curve, and any metric at all."""

from treewright.evaluate.intervals.areas import auc, auc_one_vs_rest
from treewright.evaluate.intervals.average_precision import average_precision
from treewright.evaluate.intervals.bootstrap import bootstrap, bootstrap_counts
from treewright.evaluate.intervals.interval import Interval
from treewright.evaluate.intervals.means import fold_error, fold_mean, root_mean_square, row_mean
from treewright.evaluate.intervals.shares import clopper_pearson, normal, share, wilson

__all__ = [
    "Interval",
    "auc",
    "auc_one_vs_rest",
    "average_precision",
    "bootstrap",
    "bootstrap_counts",
    "clopper_pearson",
    "fold_error",
    "fold_mean",
    "normal",
    "root_mean_square",
    "row_mean",
    "share",
    "wilson",
]
