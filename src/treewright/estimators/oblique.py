"""Oblique trees: nodes may ask a linear combination of columns where that is better than one."""

from __future__ import annotations

from typing import Any

from treewright.data.schema import Schema
from treewright.estimators.base import TreeClassifier, TreeRegressor, parameters_for
from treewright.estimators.decision_tree import with_sklearn_name
from treewright.grow import recipes
from treewright.grow.oblique import ObliqueOptions
from treewright.grow.options import GrowthOptions


class ObliqueTreeClassifier(TreeClassifier):
    """A decision tree for classes whose nodes may ask a linear combination, `a*x + b*y <= c`.

    Every node first finds the best question about each column alone, as
    :class:`DecisionTreeClassifier` does; a linear combination of numeric columns is used only where
    it gains more. Terms that do not help are left out, and coefficients and thresholds are rounded
    as far as no training row of the node changes sides. Columns are standardised within the node,
    so their units do not matter. A node with no more than two rows per numeric column asks one
    column only. Nominal and ordinal columns, dates and integers beyond int64 are asked alone, and
    so is a column that holds infinities or numbers beyond 1e150.

    Parameters
    ----------
    search : {"oc1", "hhcart", "hhcart_dominant", "cart_lc", "random_projections"}
        How linear combinations are searched for. ``"oc1"`` (Murthy, Kasif and Salzberg 1994)
        changes one coefficient at a time, jumps in random directions and starts again elsewhere.
        ``"hhcart"`` (Wickramarachchi et al. 2016, HHCART(A)) reflects the rows along each
        eigenvector of each class's covariance and cuts across the axes; ``"hhcart_dominant"``
        (HHCART(D)) uses only the first eigenvector of each class. ``"cart_lc"`` is CART's search
        (Breiman et al. 1984), one coefficient at a time from the best axis-parallel cut.
        ``"random_projections"`` tries sparse combinations with coefficients of 1 and -1 (of
        standardised columns; Li, Hastie and Church 2006). Only the first and the last depend on
        `random_state`.
    n_restarts : int, optional
        Hyperplanes that OC1 starts from, the first being the best axis-parallel cut; None means 10.
    n_jumps : int, optional
        Consecutive failed random jumps after which OC1 stops; None means 5.
    n_projections : int, optional
        Random projections drawn per node; None means twice the number of columns, 20 at least.
    criterion : {"gini", "entropy", "gain_ratio", "misclassification", "chi2", "twoing", \
"hellinger", "ordinal_gini", "impurity_ratio"}
        How a split is judged, as for :class:`DecisionTreeClassifier`.
    missing : {"learned_side", "divide", "surrogates", "own_branch", "majority"}
        How a missing value is treated; a linear combination with a missing value is missing.
    column_costs : dict or list, optional
        Price of each column; a linear combination costs the sum of its columns' prices.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and the tree and its probabilities are as without.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.
    nominal, unseen, combine, max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, \
min_fraction_leaf, min_weight_fraction_leaf, min_impurity, min_impurity_decrease, max_p_value, \
max_features, features_per, cost_rule, cost_exponent, class_weight, priors, categorical_features, \
schema, random_state, n_jobs, verbose
        As for :class:`DecisionTreeClassifier`. Where `max_features` draws columns, combinations are
        made of those. `max_p_value` does not allow for the number of combinations tried.

    Examples
    --------
    >>> from treewright import ObliqueTreeClassifier
    >>> X = {"width": [1, 2, 3, 4, 5, 6, 7, 8], "height": [8, 2, 7, 1, 6, 3, 2, 5]}
    >>> y = ["big", "small", "big", "small", "big", "small", "small", "big"]
    >>> model = ObliqueTreeClassifier().fit(X, y)
    >>> model.tree_.n_leaves
    2
    """

    def __init__(
        self,
        *,
        search: str = "oc1",
        n_restarts: int | None = None,
        n_jumps: int | None = None,
        n_projections: int | None = None,
        criterion: str = "gini",
        nominal: str = "subset",
        missing: str = "learned_side",
        unseen: str = "missing",
        combine: str = "branch_fractions",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_fraction_leaf: float = 0.0,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_p_value: float | None = None,
        max_features: Any = None,
        features_per: str = "node",
        column_costs: Any = None,
        cost_rule: str = "tan_schlimmer",
        cost_exponent: float = 1.0,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.search = search
        self.n_restarts = n_restarts
        self.n_jumps = n_jumps
        self.n_projections = n_projections
        self.criterion = criterion
        self.nominal = nominal
        self.missing = missing
        self.unseen = unseen
        self.combine = combine
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_fraction_leaf = min_fraction_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity = min_impurity
        self.min_impurity_decrease = min_impurity_decrease
        self.max_p_value = max_p_value
        self.max_features = max_features
        self.features_per = features_per
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.categorical_features = categorical_features
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        return with_sklearn_name(_of(self, recipes.OBLIQUE_CLASSIFIER), self)


class ObliqueTreeRegressor(TreeRegressor):
    """A decision tree for regression whose nodes may ask a linear combination, `a*x + b*y <= c`.

    Parameters
    ----------
    search : {"oc1", "hhcart", "hhcart_dominant", "cart_lc", "random_projections"}
        As for :class:`ObliqueTreeClassifier`. HHCART was written for classes: here the rows above
        the node's mean and those below it take their place, each row weighted by its distance from
        the mean, so that a target of 0 and 1 gives the same directions as two classes.
    criterion : {"squared_error", "poisson", "weighted_squared_error"}
        How a split is judged, as for :class:`DecisionTreeRegressor`.
    n_restarts, n_jumps, n_projections, missing, column_costs, nominal, unseen, combine, \
max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_fraction_leaf, \
min_weight_fraction_leaf, min_impurity, min_impurity_decrease, max_p_value, max_features, \
features_per, cost_rule, cost_exponent, categorical_features, schema, random_state, n_jobs, verbose
        As for :class:`ObliqueTreeClassifier`; `max_p_value` is tested by F.

    Examples
    --------
    >>> from treewright import ObliqueTreeRegressor
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [2, 0], [1, 2], [2, 1]]
    >>> y = [0.0, 0.0, 0.0, 5.0, 5.0, 5.0, 9.0, 9.0]
    >>> model = ObliqueTreeRegressor().fit(X, y)
    >>> model.tree_.n_leaves
    3
    """

    def __init__(
        self,
        *,
        search: str = "oc1",
        n_restarts: int | None = None,
        n_jumps: int | None = None,
        n_projections: int | None = None,
        criterion: str = "squared_error",
        nominal: str = "subset",
        missing: str = "learned_side",
        unseen: str = "missing",
        combine: str = "branch_fractions",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_fraction_leaf: float = 0.0,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_p_value: float | None = None,
        max_features: Any = None,
        features_per: str = "node",
        column_costs: Any = None,
        cost_rule: str = "tan_schlimmer",
        cost_exponent: float = 1.0,
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.search = search
        self.n_restarts = n_restarts
        self.n_jumps = n_jumps
        self.n_projections = n_projections
        self.criterion = criterion
        self.nominal = nominal
        self.missing = missing
        self.unseen = unseen
        self.combine = combine
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_fraction_leaf = min_fraction_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity = min_impurity
        self.min_impurity_decrease = min_impurity_decrease
        self.max_p_value = max_p_value
        self.max_features = max_features
        self.features_per = features_per
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.categorical_features = categorical_features
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        return with_sklearn_name(_of(self, recipes.OBLIQUE_REGRESSOR), self)


def _of(
    estimator: ObliqueTreeClassifier | ObliqueTreeRegressor, recipe: GrowthOptions
) -> GrowthOptions:
    """Return the recipe with the estimator's parameters."""
    oblique = ObliqueOptions(**parameters_for(ObliqueOptions, estimator))
    return recipe.replace(**parameters_for(GrowthOptions, estimator), oblique=oblique)
