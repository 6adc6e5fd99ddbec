"""The classical algorithms as settings of the knobs of one tree.

If two algorithms cannot be told apart by their recipe alone, a knob is missing from
:class:`~treewright.learn.options.GrowthOptions`.
"""

from __future__ import annotations

from treewright.learn.options import GrowthOptions, Merging

GENERAL_CLASSIFIER = GrowthOptions(criterion="gini")
GENERAL_REGRESSOR = GrowthOptions(criterion="squared_error")

ID3 = GrowthOptions(
    # Quinlan 1986: information gain, one branch per declared value; a branch without rows is a leaf
    # with its parent's majority. Numeric columns (an extension) are cut between classes.
    criterion="entropy",
    nominal="multiway",
    missing="divide",
    thresholds="class_boundaries",
    empty_branches=True,
)
C45 = GrowthOptions(
    # Quinlan 1993 and release 8: gain ratio among columns of at least average gain, cases with
    # missing values divided, cuts penalised by log2(cuts) / cases, thresholds that occur.
    criterion="gain_ratio",
    nominal="multiway",
    missing="divide",
    threshold_at="training",
    min_cases=2.0,
    empty_branches=True,
    strict_gain=True,
    gain_guard=True,
    mdl_penalty=True,
    c45_sides=True,
    two_branches_suffice=True,
)
CART_CLASSIFIER = GrowthOptions(
    # Breiman et al. 1984 with rpart's limits: binary splits, surrogates for missing values.
    criterion="gini",
    nominal="subset",
    missing="surrogates",
    cost_rule="rpart",
    min_samples_split=20,
    min_samples_leaf=7,
    max_depth=30,
)
CART_REGRESSOR = CART_CLASSIFIER.replace(criterion="squared_error")
CHAID_CLASSIFIER = GrowthOptions(
    # Kass 1980 as SPSS and R's CHAID have it: values merged by tests, a branch per group, missing
    # values a category, bins that end at values which occur; the limits are those of R's package.
    criterion="chi2",
    missing="own_branch",
    threshold_at="observed",
    min_samples_split=20,
    min_samples_leaf=7,
    merging=Merging(),
)
CHAID_REGRESSOR = CHAID_CLASSIFIER.replace(criterion="squared_error")
