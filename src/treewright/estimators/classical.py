"""The classical algorithms under their own names; each is a row of ``learn/recipes.py``."""

from __future__ import annotations

from typing import Any

from treewright.data.schema import Schema
from treewright.estimators.base import TreeClassifier, TreeRegressor
from treewright.learn import recipes
from treewright.learn.options import GrowthOptions, check_flag, check_number


class ID3Classifier(TreeClassifier):
    """ID3 (Quinlan 1986): information gain, one branch per declared value, no pruning.

    A column is not asked twice on a path, a branch without rows is a leaf with its parent's
    majority, ties go to the first column. Numeric columns, an extension, are cut between classes
    and stay available. Missing values follow all branches.

    Parameters
    ----------
    max_depth : int, optional
    combine : {"branch_fractions", "leaf_counts"}
        How the leaves reached by a row with missing values are weighed.
    unseen : {"missing", "majority", "error"}
    schema : Schema, optional
        Declared domains, columns to ignore, ...
    n_jobs : int, optional

    Examples
    --------
    >>> from treewright import ID3Classifier, load_example
    >>> play = load_example("play_tennis")
    >>> tree = ID3Classifier().fit(play.X, play.y).tree_
    >>> tree.depth, tree.n_leaves
    (2, 5)
    """

    def __init__(
        self,
        *,
        max_depth: int | None = None,
        combine: str = "branch_fractions",
        unseen: str = "missing",
        schema: Schema | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.combine = combine
        self.unseen = unseen
        self.schema = schema
        self.n_jobs = n_jobs

    def _options(self) -> GrowthOptions:
        return recipes.ID3.replace(
            max_depth=self.max_depth,
            combine=self.combine,
            unseen=self.unseen,
        )


class C45Classifier(TreeClassifier):
    """C4.5's growing (Quinlan 1993, release 8): gain ratio, divided cases, thresholds that occur.

    The tree is not pruned.

    Parameters
    ----------
    min_cases : float
        Weight that at least two branches of a split need (C4.5's -m).
    gain_guard : bool
        Compare gain ratios only among columns of at least average gain.
    mdl_penalty : bool
        Take log2(number of cuts) / cases off the gain of a numeric column (release 8).
    column_costs, cost_rule, cost_exponent
        As for :class:`DecisionTreeClassifier`.
    class_weight, categorical_features, schema, unseen, combine, n_jobs
        As for :class:`DecisionTreeClassifier`.

    Examples
    --------
    >>> from treewright import C45Classifier, load_example
    >>> play = load_example("play_tennis")
    >>> C45Classifier().fit(play.X, play.y).tree_.unused_columns
    ('Temperature',)
    """

    def __init__(
        self,
        *,
        min_cases: float = 2,
        gain_guard: bool = True,
        mdl_penalty: bool = True,
        column_costs: Any = None,
        cost_rule: str = "tan_schlimmer",
        cost_exponent: float = 1.0,
        class_weight: Any = None,
        categorical_features: Any = None,
        unseen: str = "missing",
        combine: str = "branch_fractions",
        schema: Schema | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_cases = min_cases
        self.gain_guard = gain_guard
        self.mdl_penalty = mdl_penalty
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.combine = combine
        self.schema = schema
        self.n_jobs = n_jobs

    def _options(self) -> GrowthOptions:
        check_number("min_cases", self.min_cases, low=1.0)
        check_flag("gain_guard", self.gain_guard)
        check_flag("mdl_penalty", self.mdl_penalty)
        return recipes.C45.replace(
            min_cases=float(self.min_cases),
            gain_guard=bool(self.gain_guard),
            mdl_penalty=bool(self.mdl_penalty),
            column_costs=self.column_costs,
            cost_rule=self.cost_rule,
            cost_exponent=self.cost_exponent,
            unseen=self.unseen,
            combine=self.combine,
        )


class CARTClassifier(TreeClassifier):
    """CART (Breiman et al. 1984): binary splits by Gini or twoing, surrogates for missing values.

    Limits default to rpart's (20 rows to split, 7 in a leaf, depth 30). The tree is not pruned.

    Parameters
    ----------
    criterion : {"gini", "twoing", "entropy", ...}
    min_samples_split, min_samples_leaf, max_depth
        As for :class:`DecisionTreeClassifier`.
    max_surrogates : int
        Questions kept at each node for rows that lack its column.
    priors, class_weight, column_costs, cost_rule, categorical_features, schema, unseen, n_jobs
        As for :class:`DecisionTreeClassifier`; the default `cost_rule` is rpart's, gain / cost.

    Examples
    --------
    >>> from treewright import CARTClassifier, load_example
    >>> iris = load_example("iris")
    >>> CARTClassifier().fit(iris.X, iris.y).get_n_leaves()
    6
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        max_depth: int | None = 30,
        max_surrogates: int = 5,
        priors: Any = None,
        class_weight: Any = None,
        column_costs: Any = None,
        cost_rule: str = "rpart",
        categorical_features: Any = None,
        unseen: str = "missing",
        schema: Schema | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_surrogates = max_surrogates
        self.priors = priors
        self.class_weight = class_weight
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.schema = schema
        self.n_jobs = n_jobs

    def _options(self) -> GrowthOptions:
        return recipes.CART_CLASSIFIER.replace(**{name: getattr(self, name) for name in _CART})


class CARTRegressor(TreeRegressor):
    """CART for numbers (Breiman et al. 1984): least squares or least absolute deviation.

    Limits default to rpart's (20 rows to split, 7 in a leaf, depth 30). The tree is not pruned.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", ...}
        ``"absolute_error"`` judges nominal columns by one value against the rest.
    min_samples_split, min_samples_leaf, max_depth, max_surrogates, column_costs, cost_rule, \
categorical_features, schema, unseen, n_jobs
        As for :class:`CARTClassifier`.

    Examples
    --------
    >>> from treewright import CARTRegressor, load_example
    >>> diabetes = load_example("diabetes")
    >>> model = CARTRegressor(max_depth=2).fit(diabetes.X, diabetes.y)
    >>> model.tree_.n_leaves
    4
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        max_depth: int | None = 30,
        max_surrogates: int = 5,
        column_costs: Any = None,
        cost_rule: str = "rpart",
        categorical_features: Any = None,
        unseen: str = "missing",
        schema: Schema | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_surrogates = max_surrogates
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.schema = schema
        self.n_jobs = n_jobs

    def _options(self) -> GrowthOptions:
        options = recipes.CART_REGRESSOR.replace(**{name: getattr(self, name) for name in _CART})
        # A best subset has no ordering theorem for absolute deviations.
        is_absolute = isinstance(self.criterion, str) and self.criterion == "absolute_error"
        return options.replace(nominal="one_vs_rest") if is_absolute else options


_CART = (
    "criterion",
    "min_samples_split",
    "min_samples_leaf",
    "max_depth",
    "max_surrogates",
    "column_costs",
    "cost_rule",
    "unseen",
)
"""Parameters of the CART estimators that are knobs of the same name."""
