"""The general trees: every option is a parameter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treewright.data.schema import Schema
from treewright.estimators.base import TreeClassifier, TreeEstimator, TreeRegressor, parameters_for
from treewright.estimators.sklearn_trees import SklearnTreeClassifier, SklearnTreeRegressor
from treewright.estimators.start import StartsFromQuestions
from treewright.grow import recipes
from treewright.grow.fit import Report
from treewright.grow.given_impurity import (
    GIVEN,
    GIVEN_OF_NUMBERS,
    check_takes_sums,
    is_function,
)
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.m5.fit_linear_leaves import check_linear_leaves, with_linear_leaves
from treewright.parameters import check_choice, check_number
from treewright.tree.tree import Tree


class DecisionTreeClassifier(StartsFromQuestions, SklearnTreeClassifier, TreeClassifier):
    """A decision tree for classes, grown exactly from any table.

    Parameters
    ----------
    criterion : {"gini", "entropy", "gain_ratio", "misclassification", "chi2", "twoing", \
"hellinger", "ordinal_gini", "impurity_ratio"} or callable
        How a split is judged; ``"log_loss"`` and ``"information_gain"`` are names of
        ``"entropy"``. ``"gain_ratio"`` is gain / split information (within a column, of the
        cut of best gain), ``"chi2"`` Pearson's statistic, ``"impurity_ratio"`` the textbook's
        gain / weighted impurity. ``"ordinal_gini"`` is for classes in an order (numbers, an
        ordered categorical, or ``Schema(class_order=...)``): a wrong class costs by its distance
        (Piccarreta 2008); the most probable class is predicted all the same. Or a function of your
        own: it takes an array of class weights, a line for each set of rows, and returns the
        impurity of every line; what counts is by how much it falls. It is called for every cut,
        which takes some microseconds each.
    splitter : {"best", "random"}
        ``"random"`` draws one threshold (or subset) per column instead of the best.
    nominal : {"subset", "multiway", "one_vs_rest", "groups"}
        Questions about nominal columns: ``x in S``, one branch per value, ``x = v``, or a branch
        for each group of values, as C5.0 forms them by the gain ratio. The best subset is exact for
        two classes and, up to ten values in the node, for more; beyond that the values are ordered
        by each class's share in turn, which is a heuristic.
    numeric : {"threshold", "mdlp", "cal5"}
        Questions about numeric and ordinal columns: one cut ``x <= t``, or several at once, with a
        branch for each interval. ``"mdlp"`` cuts where entropy falls most, and again on either
        side, while a cut is worth its description length (Fayyad and Irani 1993). ``"cal5"`` grows
        each interval from the left until one class dominates it or none can (Mueller and Wysotzki
        1994). The criterion then compares the columns as usual.
    cal5_threshold, cal5_alpha : float
        CAL5: a class dominates where its share is above `cal5_threshold` with confidence
        1 - `cal5_alpha` (by Chebyshev's inequality; where all rows are of one class it takes
        ``S / ((1 - S) alpha)`` rows, 14 by default). A node that one class dominates is a leaf.
    missing : {"learned_side", "divide", "surrogates", "most_likely", "most_likely_in_class", \
"most_likely_in_training", "own_branch", "majority"}
        How a missing value is treated: it goes to the side with the larger gain in training; it
        follows all branches in proportion (C4.5); surrogate questions replace the node's (CART); it
        is replaced by the node's most frequent value (the median of a number), or by that of the
        row's class, or by that of the whole training table (the mean of a number; also at
        prediction); it is a value of its own; it follows the majority.
    unseen : {"missing", "majority", "error"}
        How a category is treated that training, or the node, did not know: as a missing value
        (with ``missing="learned_side"``, which has learned no side for it, it follows all branches
        in proportion), it follows the majority, or it is an error (if training did not know it).
    combine : {"branch_fractions", "leaf_counts"}
        How the leaves reached by a divided row are weighted.
    thresholds : {"all", "class_boundaries"}
        Cuts tried: between all neighbouring values, or only where classes change.
    threshold_at : {"midpoint", "observed", "training"}
        Where a cut is placed: halfway, at the lower neighbour in the node, or (C4.5) at the largest
        value of the whole training set below the midpoint.
    max_depth, max_leaf_nodes : int, optional
        Limits on the tree; with ``max_leaf_nodes`` the node of largest gain is split first.
        ``max_depth="suggested"`` is the rule of thumb log2(number of columns), at least 1.
    min_samples_split, min_samples_leaf : int or float
        Rows that a node needs to be split, and that every branch needs; decimals are shares of all
        rows.
        Whole-number sample weights count as copies of a row.
    min_fraction_leaf, min_weight_fraction_leaf : float
        Share of all weight that every branch needs; the second is scikit-learn's name for it, and
        the larger of the two applies.
    min_impurity : float
        A node of at most this impurity is a leaf.
    max_class_share : float
        A node whose most frequent class has at least this share of its weight is a leaf, whatever
        the criterion: 0.98 permits two percent of other classes.
    min_impurity_decrease : float
        Gain a split needs, times the node's share of all weight.
    max_p_value : float, optional
        The split of best gain must be significant at this level (chi-square test of branch x
        class); otherwise the node is a leaf.
    max_features : int, float, "sqrt", "log2", optional
        Columns drawn, for every node or once per tree as `features_per` says.
    features_per : {"node", "tree"}
        See `max_features`.
    guard_many_values : bool
        Whether a nominal column of more than ten values pays for the choice of subsets that it
        offers: its gain is compared with those of other columns less what a column that says
        nothing would gain. Not with criteria whose score is no gain (chi2, hellinger, twoing,
        gain_ratio), nor where splits are drawn.
    column_costs : dict or list, optional
        Price of each column; `cost_rule` sets gain against it.
    cost_rule : {"tan_schlimmer", "nunez", "rpart"}
        ``gain**2 / cost``, ``(2**gain - 1) / (cost + 1)**cost_exponent``, ``gain / cost``.
    cost_exponent : float
        The w of Nunez's rule, between 0 (costs do not matter) and 1.
    class_weight : dict, "balanced", optional
        Factor of the weight of each class's rows. A class that ``y`` lacks is a warning.
    priors : dict or list, optional
        Shares the classes should have; changes weights accordingly.
    cost_matrix : array or dict of dicts, optional
        Costs of decisions: rows are the actual class, columns the predicted one, in the order of
        ``classes_``; or ``{actual: {predicted: cost}}``, where pairs not named cost 1. The class
        of least expected cost is predicted, pruners weight errors by their cost, and in growing a
        class is weighted by the cost of its errors (altered priors; exact for two classes).
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, by what trees of half the rows tell of the others;
        `predict` then decides by them. ``"temperature"`` makes them less (or more) extreme,
        ``"isotonic"`` takes any increasing function, ``"shares"`` only puts back the shares of the
        classes that `class_weight` has changed, which the others do as well. ``calibration_`` tells
        what was done.
    leaf : {"majority", "laplace", "m_estimate"}
        Probabilities in a leaf: the shares of its rows, (n_k + 1) / (n + K), or
        (n_k + m p_k) / (n + m) with the shares p_k of all rows.
    leaf_m : float
        The m of the m-estimate.
    start : Tree, dict or str, optional
        Questions asked first: a tree (:meth:`Tree.build`, or that of another fit), nested questions
        as for :meth:`Tree.build`, or the name of a column. They are taken as they are, and the tree
        is grown below them from the rows that reach each leaf; a leaf of nested questions that is
        the name of a column has its question found by the algorithm, others (None, a class) are
        just grown on. Missing values go where a question says, else they are divided
        (``missing="divide"``) or follow the heaviest branch; so does a category that no branch
        lists. Limits count from the root, but given questions are asked whatever the limits, and
        pruning prunes what is grown below each leaf as a tree of its own: given questions stay.
        Not with `max_leaf_nodes` or `monotonic_cst`.
    prune : str or Pruner, optional
        A pruner of :mod:`treewright.prune` or its name, such as ``"cost_complexity"`` (which
        cross-validates) or ``"reduced_error"`` (which holds some rows out).
    ccp_alpha : float
        scikit-learn's cost-complexity pruning: the penalty per leaf, on impurity.
    monotonic_cst : dict or list, optional
        Per column 1 (probability of the second class may not fall), -1 or 0; two classes only, and
        ``leaf="majority"``.
    categorical_features : list, optional
        Numeric columns that are codes of categories.
    schema : Schema, optional
        Declarations about the columns.
    random_state : int, optional
        Seed; None means 0, so that the same call gives the same tree.
    n_jobs : int, optional
        Threads; the tree is the same for any number. None is as many as pay: one for small
        work or in a worker of another pool, else all processors that this process may use, as -1.
    verbose : int
        Show progress on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree; the estimator's own ``text()``, ``rules()``, ``why()`` and ``explain()`` read it.
    classes_ : array or list of arrays
    n_classes_ : int or list of int
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> play = load_example("play_tennis")
    >>> tree = DecisionTreeClassifier(criterion="entropy", nominal="multiway").fit(play.X, play.y)
    >>> print(tree.tree_.rules().for_label("No")[0].text())
    IF Outlook = Sunny AND Humidity = High THEN No  (3 covered, 0 wrong)

    The first question given; its branch ``Weak`` asks for the best question about ``Outlook``:

    >>> start = {"Wind": {"Weak": "Outlook", "Strong": None}}
    >>> tree = DecisionTreeClassifier(nominal="multiway", start=start).fit(play.X, play.y).tree_
    >>> tree.question(0).column.name, tree.question(1).column.name
    ('Wind', 'Outlook')
    """

    _takes_outputs = True
    _grows_by_cost = True

    def __init__(
        self,
        *,
        criterion: Any = "gini",
        splitter: str = "best",
        nominal: str = "subset",
        numeric: str = "threshold",
        cal5_threshold: float = 0.8,
        cal5_alpha: float = 0.3,
        missing: str = "learned_side",
        unseen: str = "missing",
        combine: str = "branch_fractions",
        thresholds: str = "all",
        threshold_at: str = "midpoint",
        max_depth: int | str | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_fraction_leaf: float = 0.0,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float = 0.0,
        max_class_share: float = 1.0,
        min_impurity_decrease: float = 0.0,
        max_p_value: float | None = None,
        max_features: Any = None,
        features_per: str = "node",
        guard_many_values: bool = True,
        column_costs: Any = None,
        cost_rule: str = "tan_schlimmer",
        cost_exponent: float = 1.0,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        leaf: str = "majority",
        leaf_m: float = 2.0,
        start: Any = None,
        prune: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.nominal = nominal
        self.numeric = numeric
        self.cal5_threshold = cal5_threshold
        self.cal5_alpha = cal5_alpha
        self.missing = missing
        self.unseen = unseen
        self.combine = combine
        self.thresholds = thresholds
        self.threshold_at = threshold_at
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_fraction_leaf = min_fraction_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity = min_impurity
        self.max_class_share = max_class_share
        self.min_impurity_decrease = min_impurity_decrease
        self.max_p_value = max_p_value
        self.max_features = max_features
        self.features_per = features_per
        self.guard_many_values = guard_many_values
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.leaf = leaf
        self.leaf_m = leaf_m
        self.start = start
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        options = recipes.GENERAL_CLASSIFIER.replace(**parameters_for(GrowthOptions, self))
        if is_function(self.criterion):
            options = options.replace(criterion=GIVEN, impurity=self.criterion)
        return with_sklearn_name(options, self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.numeric == "threshold"
        return tags


class DecisionTreeRegressor(StartsFromQuestions, SklearnTreeRegressor, TreeRegressor):
    """A decision tree for regression, grown exactly from any table.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson", "weighted_squared_error", \
"standard_deviation", "fifth_root"} or callable
        How a split is judged: variance about the mean, mean deviation from the median, half
        Poisson deviance, the textbook's sums of squares weighted by n_b / n, M5's standard
        deviation, or the fifth root of the variance, which Weka's M5P uses instead.
        ``"friedman_mse"`` is a name of ``"squared_error"``. Or a function of your own: it takes the
        weight, the sum and the sum of squares of the target of sets of rows, an array each, and
        returns an array of their impurities; what counts is by how much it falls. It is called for
        every cut, which takes some microseconds each; leaves predict the mean.
    splitter, nominal, missing, unseen, combine, threshold_at, max_depth, max_leaf_nodes, \
min_samples_split, min_samples_leaf, min_fraction_leaf, min_weight_fraction_leaf, min_impurity, \
min_impurity_decrease, max_p_value, max_features, features_per, column_costs, cost_rule, \
cost_exponent, guard_many_values, \
monotonic_cst, prune, ccp_alpha, categorical_features, schema, random_state, n_jobs, verbose
        As for :class:`DecisionTreeClassifier`; `max_p_value` is tested by F.
    start : Tree, dict or str, optional
        Questions asked first, as for :class:`DecisionTreeClassifier`.
    leaf_model : {"constant", "linear"}
        ``"linear"`` fits every leaf, once the tree is grown and pruned, a least-squares model of
        the numeric columns (of all, on its path or not); terms are dropped as long as the error
        times (n + v) / (n - v) falls, with n rows and v parameters: leaves of few rows stay
        constants. A line answers no less and no more than for the rows of its leaf. A missing value
        counts as the leaf's mean. Without any limit on the tree, leaves have ten rows at least (if
        there are numeric columns), or there would be no lines. One target and squared errors only.

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> DecisionTreeRegressor(max_depth=1).fit(X, [0.0, 0.0, 5.0, 7.0]).predict([[1.5], [9.0]])
    array([0., 6.])

    >>> X = [[float(x)] for x in range(8)]
    >>> lines = DecisionTreeRegressor(max_depth=1, leaf_model="linear")
    >>> print(lines.fit(X, [0, 1, 2, 3, 9, 8, 7, 6]).tree_.rules())
    IF x0 <= 3.5 THEN 0 + x0, kept within 0 and 3  (4 covered)
    IF x0 > 3.5 THEN 13 - x0, kept within 6 and 9  (4 covered)

    A criterion of your own:

    >>> def variance(weight, total, squares):
    ...     return squares / weight - (total / weight) ** 2
    >>> own = DecisionTreeRegressor(criterion=variance, max_depth=1)
    >>> own.fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 6.0]).predict([[1], [4]]).tolist()
    [1.0, 5.5]
    """

    _takes_outputs = True

    def __init__(
        self,
        *,
        criterion: Any = "squared_error",
        splitter: str = "best",
        nominal: str = "subset",
        missing: str = "learned_side",
        unseen: str = "missing",
        combine: str = "branch_fractions",
        threshold_at: str = "midpoint",
        max_depth: int | str | None = None,
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
        guard_many_values: bool = True,
        column_costs: Any = None,
        cost_rule: str = "tan_schlimmer",
        cost_exponent: float = 1.0,
        leaf_model: str = "constant",
        start: Any = None,
        prune: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.nominal = nominal
        self.missing = missing
        self.unseen = unseen
        self.combine = combine
        self.threshold_at = threshold_at
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
        self.guard_many_values = guard_many_values
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.leaf_model = leaf_model
        self.start = start
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        check_choice("leaf_model", self.leaf_model, ("constant", "linear"))
        options = recipes.GENERAL_REGRESSOR.replace(**parameters_for(GrowthOptions, self))
        if is_function(self.criterion):
            check_takes_sums(self.criterion)
            options = options.replace(criterion=GIVEN_OF_NUMBERS, impurity=self.criterion)
        return with_sklearn_name(options, self)

    def _only_prunes(self) -> bool:
        return bool(self.leaf_model != "linear") and super()._only_prunes()

    def _grow(self, problem: Problem, report: Report | None) -> Tree:
        if self.leaf_model != "linear":
            return super()._grow(problem, report)
        check_linear_leaves(problem)
        options = problem.options
        is_limited = any(getattr(options, name) != unset for name, unset in _NO_LIMITS.items())
        has_numbers = any(spec.kind == "numeric" for spec in problem.table.schema.columns)
        if has_numbers and not (is_limited or self.prune or self.ccp_alpha):
            options = options.replace(min_samples_leaf=_ROWS_OF_A_LINE)
            problem = replace(problem, options=options)
        return with_linear_leaves(super()._grow(problem, report), problem)


_ROWS_OF_A_LINE = 10
_NO_LIMITS = {
    "max_depth": None,
    "max_leaf_nodes": None,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_fraction_leaf": 0.0,
    "min_impurity": 0.0,
    "min_impurity_decrease": 0.0,
    "max_p_value": None,
}
"""The limits of a tree, and what means that there is none."""


def with_sklearn_name(options: GrowthOptions, tree: TreeEstimator) -> GrowthOptions:
    """Return the options with the larger of min_fraction_leaf and scikit-learn's name for it."""
    shares = [getattr(tree, name) for name in ("min_fraction_leaf", "min_weight_fraction_leaf")]
    for name, share in zip(("min_fraction_leaf", "min_weight_fraction_leaf"), shares, strict=True):
        check_number(name, share, low=0.0, high=0.5)
    return options.replace(min_fraction_leaf=max(shares))
