"""The classical algorithms as settings of the options of one tree.

If two algorithms cannot be told apart by their recipe alone, an option is missing from
:class:`~treewright.grow.options.GrowthOptions`.
"""

from __future__ import annotations

from treewright.grow.chaid import Merging
from treewright.grow.oblique import ObliqueOptions
from treewright.grow.options import GrowthOptions

SINGLE_PRECISION = {"entropy": "single_entropy"}
"""The core's criteria as C4.5 release 8 rounds them."""

ROUNDED_AS_RPART = {"gini": "rpart_gini"}
"""The core's criteria as rpart rounds them."""

GENERAL_CLASSIFIER = GrowthOptions(criterion="gini", guard_many_values=True)
GENERAL_REGRESSOR = GrowthOptions(criterion="squared_error", guard_many_values=True)

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
C45_VARIANTS = {
    "release8": C45.replace(min_information=1e-3, idle_values=True),
    "j48": C45.replace(min_gap=1e-5),
    "c5": C45.replace(penalty_by_interval=True, c5_selection=True, max_class_share=0.999),
}
"""How the programs differ in growing; docs/decisions/011-c45-variants.md says why."""


def in_single_precision(recipe: GrowthOptions) -> GrowthOptions:
    """Return C4.5 with the rounding of release 8, which does not cut between values within 1e-5.

    C5.0 does cut there, and keeps gains, not sums, in single precision.
    """
    min_gap = recipe.min_gap if recipe.c5_selection else 1e-5
    return recipe.replace(single_precision=True, min_gap=min_gap)


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
CART_VARIANTS = {"book": {}, "rpart": {"as_rpart": True, "strict_gain": True}}
"""What R's rpart does in its own way; docs/decisions/020-cart-as-rpart.md lists the differences."""

M5_PAPER = GrowthOptions(
    # Quinlan 1992: the decrease of the standard deviation, four rows to split, two on each side
    # (Witten and Frank 2005, section 6.5). Nominal columns have been put in order before.
    criterion="standard_deviation",
    missing="majority",
    min_samples_split=4,
    min_samples_leaf=2,
)
# Weka's M5P: the fifth root of the variance, and more than a fifth of the rows on each side.
M5_WEKA = M5_PAPER.replace(criterion="fifth_root", min_branch_share=0.2)

OBLIQUE_CLASSIFIER = GrowthOptions(
    # Murthy, Kasif, Salzberg 1994: a linear combination of columns (oblique) where it is better
    # than every column alone.
    criterion="gini",
    oblique=ObliqueOptions(),
    guard_many_values=True,
)
OBLIQUE_REGRESSOR = OBLIQUE_CLASSIFIER.replace(criterion="squared_error")
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
