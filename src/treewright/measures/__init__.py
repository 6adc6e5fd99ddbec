"""The measures that trees are grown by, on plain counts and tables, as the books define them.

A *table* of a split has one row per branch and one column per class; ``contingency`` makes one from
two columns. Nothing here needs a fitted tree or the compiled core.
"""

from treewright.measures.contingency import Contingency, contingency, passes
from treewright.measures.costs import cost_score, expected_costs, mean_cost
from treewright.measures.cross_table import CrossTable, cross_table
from treewright.measures.equivalent import EquivalentTests, equivalent_tests
from treewright.measures.error_estimates import added_errors, wilson_interval
from treewright.measures.histogram import Histogram, histogram
from treewright.measures.impurity import entropy, gini, impurities, misclassification, ordinal_gini
from treewright.measures.missing import gain_with_missing, most_common
from treewright.measures.regression import (
    absolute_deviation,
    error_reduction,
    fifth_root,
    poisson_deviance,
    sse,
    standard_deviation,
    variance,
    weighted_error,
)
from treewright.measures.sizes import suggested_depth
from treewright.measures.splits import (
    ChiSquare,
    chi2,
    gain,
    gain_ratio,
    hellinger,
    impurity_ratio,
    split_information,
    split_score,
    twoing,
    weighted_impurity,
)
from treewright.measures.thresholds import (
    ThresholdScores,
    candidate_thresholds,
    threshold_scores,
)

__all__ = [
    "ChiSquare",
    "Contingency",
    "CrossTable",
    "EquivalentTests",
    "Histogram",
    "ThresholdScores",
    "absolute_deviation",
    "added_errors",
    "candidate_thresholds",
    "chi2",
    "contingency",
    "cost_score",
    "cross_table",
    "entropy",
    "equivalent_tests",
    "error_reduction",
    "expected_costs",
    "fifth_root",
    "gain",
    "gain_ratio",
    "gain_with_missing",
    "gini",
    "hellinger",
    "histogram",
    "impurities",
    "impurity_ratio",
    "mean_cost",
    "misclassification",
    "most_common",
    "ordinal_gini",
    "passes",
    "poisson_deviance",
    "split_information",
    "split_score",
    "sse",
    "standard_deviation",
    "suggested_depth",
    "threshold_scores",
    "twoing",
    "variance",
    "weighted_error",
    "weighted_impurity",
    "wilson_interval",
]
