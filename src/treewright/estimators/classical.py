"""The classical algorithms under their own names; each is a row of ``grow/recipes.py``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from treewright.criteria import CRITERIA
from treewright.data.schema import Schema
from treewright.errors import UnsupportedError
from treewright.estimators.base import (
    TreeClassifier,
    TreeRegressor,
    parameters_for,
)
from treewright.estimators.sklearn_trees import SklearnTreeClassifier, SklearnTreeRegressor
from treewright.estimators.start import StartsFromQuestions
from treewright.grow import recipes
from treewright.grow.fit import Report
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.grow.training_record import TrainingRecord
from treewright.measures.error_estimates import ErrorVariant
from treewright.parameters import check_choice, check_flag, check_number
from treewright.prune import CostComplexity, ErrorBased, OneStandardError, Pruner
from treewright.prune.merge_leaves import merge_leaves
from treewright.tree.tree import Tree

_ID3_CRITERIA = {
    "gain": "entropy",
    "gain_ratio": "gain_ratio",
    "impurity_ratio": "impurity_ratio",
    "gini": "gini",
    "misclassification": "misclassification",
}
_ID3_NOMINAL = {"multiway": "multiway", "binary": "one_vs_rest"}


class ID3Classifier(StartsFromQuestions, SklearnTreeClassifier, TreeClassifier):
    """ID3 (Quinlan 1986): information gain, one branch per declared value.

    A column is not asked twice on a path, a branch without rows is a leaf with its parent's
    majority, ties go to the first column. Numeric columns, an extension, are cut between classes
    and stay available. Missing values follow all branches.

    The parameters turn it into the variants that lectures derive from it; the defaults are ID3.

    Parameters
    ----------
    criterion : {"gain", "gain_ratio", "impurity_ratio", "gini", "misclassification"}
        Information gain, gain / split information, the textbook's gain / weighted entropy, or the
        decrease of the Gini index or of the misclassified share.
    nominal : {"multiway", "binary"}
        One branch per value, or tests ``column = value`` with two branches.
    missing : str
        As for :class:`DecisionTreeClassifier`; by default rows follow all branches in proportion.
    column_costs, cost_rule, cost_exponent
        As for :class:`DecisionTreeClassifier`.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and the tree and its probabilities are as without.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.
    max_depth : int or "suggested", optional
    start : Tree, dict or str, optional
        Questions asked first, as for :class:`DecisionTreeClassifier`.
    prune : str or Pruner, optional
        A pruner of :mod:`treewright.prune` or its name; ID3 itself has none.
    combine : {"branch_fractions", "leaf_counts"}
        How the leaves reached by a row with missing values are weighted.
    unseen : {"missing", "majority", "error"}
    categorical_features : list, optional
        Numeric columns that are codes of categories.
    schema : Schema, optional
        Declared domains, columns to ignore, ...
    random_state : int, optional
        Seed of a pruner that draws rows; None means 0.
    n_jobs : int, optional
    verbose : int
        Show progress on standard error.

    Examples
    --------
    >>> from treewright import ID3Classifier, load_example
    >>> play = load_example("play_tennis")
    >>> tree = ID3Classifier().fit(play.X, play.y).tree_
    >>> tree.depth, tree.n_leaves
    (2, 5)
    """

    criterion = "entropy"  # no parameter: what drawings by scikit-learn call the impurity of a node

    def __init__(
        self,
        *,
        criterion: str = "gain",
        nominal: str = "multiway",
        missing: str = "divide",
        column_costs: Any = None,
        cost_rule: str = "tan_schlimmer",
        cost_exponent: float = 1.0,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        max_depth: int | str | None = None,
        start: Any = None,
        prune: Any = None,
        combine: str = "branch_fractions",
        unseen: str = "missing",
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.missing = missing
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.max_depth = max_depth
        self.start = start
        self.prune = prune
        self.combine = combine
        self.unseen = unseen
        self.categorical_features = categorical_features
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        check_choice("criterion", self.criterion, tuple(_ID3_CRITERIA))
        check_choice("nominal", self.nominal, tuple(_ID3_NOMINAL))
        named = {
            "criterion": _ID3_CRITERIA[self.criterion],
            "nominal": _ID3_NOMINAL[self.nominal],
        }
        return recipes.ID3.replace(**parameters_for(GrowthOptions, self) | named)


class C45Classifier(StartsFromQuestions, SklearnTreeClassifier, TreeClassifier):
    """C4.5 (Quinlan 1993, release 8): gain ratio, divided cases, error-based pruning.

    Parameters
    ----------
    variant : {"release8", "j48", "c5"}
        Whose details are followed: Quinlan's own release 8, Weka's J48, or C5.0;
        ``docs/decisions/011-c45-variants.md`` lists the differences.
    confidence : float or None
        CF of error-based pruning (C4.5's -c): smaller values prune more. None does not prune (J48's
        -U).
    min_cases : float
        Weight that at least two branches of a split need (C4.5's -m).
    raising : bool
        Whether pruning may replace a node by its largest branch (J48's -S turns it off).
    collapse : bool
        Cut subtrees that do not classify the training rows better than a leaf would, whether the
        tree is pruned or not (J48's -O turns it off).
    single_precision : bool
        Compute gains and midpoints in single precision, and do not separate values closer than
        0.00001, as release 8 does: rounding errors then choose between nearly equal splits as they
        do there.
    nominal : {"multiway", "groups"}
        A branch for each value or, for ``variant="c5"``, for each group of values (C5.0's -s, the
        default of R's C50): values are merged into groups while the gain ratio does not fall.
    gain_guard : bool
        Compare gain ratios only among columns of at least average gain.
    mdl_penalty : bool
        Subtract log2(number of cuts) / cases from the gain of a numeric column (release 8).
    column_costs, cost_rule, cost_exponent
        As for :class:`DecisionTreeClassifier`.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and the tree and its probabilities are as without.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.
    start : Tree, dict or str, optional
        Questions asked first, as for :class:`DecisionTreeClassifier`.
    class_weight, categorical_features, schema, unseen, combine, n_jobs, verbose
        As for :class:`DecisionTreeClassifier`.

    Examples
    --------
    >>> from treewright import C45Classifier, load_example
    >>> play = load_example("play_tennis")
    >>> C45Classifier().fit(play.X, play.y).tree_.unused_columns
    ('Temperature',)
    """

    criterion = "entropy"  # no parameter: what drawings by scikit-learn call the impurity of a node

    def __init__(
        self,
        *,
        variant: str = "release8",
        confidence: float | None = 0.25,
        min_cases: float = 2,
        raising: bool = True,
        collapse: bool = True,
        single_precision: bool = False,
        nominal: str = "multiway",
        gain_guard: bool = True,
        mdl_penalty: bool = True,
        column_costs: Any = None,
        cost_rule: str = "tan_schlimmer",
        cost_exponent: float = 1.0,
        class_weight: Any = None,
        start: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        categorical_features: Any = None,
        unseen: str = "missing",
        combine: str = "branch_fractions",
        schema: Schema | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.confidence = confidence
        self.min_cases = min_cases
        self.raising = raising
        self.collapse = collapse
        self.single_precision = single_precision
        self.nominal = nominal
        self.gain_guard = gain_guard
        self.mdl_penalty = mdl_penalty
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.class_weight = class_weight
        self.start = start
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.combine = combine
        self.schema = schema
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        check_number("min_cases", self.min_cases, low=1.0)
        check_flag("gain_guard", self.gain_guard)
        check_flag("single_precision", self.single_precision)
        check_flag("mdl_penalty", self.mdl_penalty)
        check_choice("variant", self.variant, tuple(recipes.C45_VARIANTS))
        check_choice("nominal", self.nominal, ("multiway", "groups"))
        if self.nominal == "groups" and self.variant != "c5":
            raise UnsupportedError(
                f"nominal='groups' is C5.0's; variant={self.variant!r} has a branch for each value."
                "\n  Hint: variant='c5'."
            )
        recipe = recipes.C45_VARIANTS[self.variant]
        if self.single_precision:
            recipe = recipes.in_single_precision(recipe)
        flags = ("gain_guard", "mdl_penalty", "single_precision")
        as_core_has_them: dict[str, Any] = {name: bool(getattr(self, name)) for name in flags}
        as_core_has_them["min_cases"] = float(self.min_cases)
        return recipe.replace(**parameters_for(GrowthOptions, self) | as_core_has_them)

    def _grow(self, problem: Problem, report: Report | None) -> Tree:
        tree = super()._grow(problem, report)
        if self.variant != "c5":
            return tree
        if self.confidence is not None:
            second = OneStandardError(single_precision=bool(self.single_precision))
            tree = second.run(tree, training=TrainingRecord(problem))
        return self._as_c5_leaves_it(tree)

    def _as_c5_leaves_it(self, tree: Tree) -> Tree:
        """Merge leaves of one class; where classes are equally probable, take that of the root."""
        tree = merge_leaves(tree, grouped=self.nominal == "groups")
        most = int(tree.arrays.value[0].argmax())
        return tree.with_arrays(tree.arrays, leaf=replace(tree.leaf, preferred=most))

    def _only_prunes(self) -> bool:
        # C5.0 prunes again, and merges leaves.
        return self.variant != "c5" and super()._only_prunes()

    def _pruner(self) -> Pruner | None:
        pruner = ErrorBased(
            confidence=self.confidence,
            raising=self.raising,
            collapse=self.collapse,
            variant=cast(ErrorVariant, self.variant),
        )
        pruner.check()
        return None if self.confidence is None and not self.collapse else pruner


def _as_rpart_reads(problem: Problem) -> Problem:
    """Return the problem without rows of which nothing is known; a row counts once, as weighted."""
    table = problem.table
    unknown = np.ones(table.n_rows, dtype=bool)
    for index in range(len(table.schema.columns)):
        unknown &= table.is_missing(index)
    if unknown.any() and not unknown.all():
        problem = problem.take(np.flatnonzero(~unknown))
    return replace(problem, weights=replace(problem.weights, copies=None))


class FollowsBookOrRpart(StartsFromQuestions):
    """What CART for classes and for numbers share: the choice between the book and rpart."""

    variant: str

    def _of_variant(self, options: GrowthOptions) -> GrowthOptions:
        check_choice("variant", self.variant, tuple(recipes.CART_VARIANTS))
        return options.replace(**recipes.CART_VARIANTS[self.variant])

    def _pruner(self) -> Pruner | None:
        pruner = super()._pruner()
        if self.variant == "rpart" and isinstance(pruner, CostComplexity) and pruner.cp is not None:
            return replace(pruner, variant="rpart")
        return pruner

    def _grow(self, problem: Problem, report: Report | None) -> Tree:
        return super()._grow(
            _as_rpart_reads(problem) if self.variant == "rpart" else problem, report
        )

    def _only_prunes(self) -> bool:
        return self.variant != "rpart" and super()._only_prunes()  # it leaves out rows first


class CARTClassifier(FollowsBookOrRpart, SklearnTreeClassifier, TreeClassifier):
    """CART (Breiman et al. 1984): binary splits by Gini or twoing, surrogates for missing values.

    Limits default to rpart's (20 rows to split, 7 in a leaf, depth 30).

    Parameters
    ----------
    variant : {"book", "rpart"}
        Whose details are followed where they differ: those of Breiman et al., or those of R's
        rpart (surrogates are judged by all rows that know the primary column, ties by rpart's
        rounding, `cp` while growing); ``docs/decisions/020-cart-as-rpart.md`` lists them.
    criterion : {"gini", "twoing", "entropy", ...}
    prune : str or Pruner, optional
        CART's own way is ``CostComplexity(rule="1-SE")``; None keeps the whole tree.
    cp : float, optional
        rpart's parameter instead of `prune`: a split must take away this share of the risk of the
        root, for each leaf that it adds.
    start : Tree, dict or str, optional
        Questions asked first, as for :class:`DecisionTreeClassifier`.
    cost_matrix
        As for :class:`DecisionTreeClassifier`.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.
    min_samples_split, min_samples_leaf, max_depth
        As for :class:`DecisionTreeClassifier`.
    max_surrogates : int
        Surrogate questions kept at each node for rows that lack the value it asks for.
    priors, class_weight, column_costs, cost_rule, categorical_features, schema, unseen, \
random_state, n_jobs, verbose
        As for :class:`DecisionTreeClassifier`; the default `cost_rule` is rpart's, gain / cost.

    Examples
    --------
    >>> from treewright import CARTClassifier, load_example
    >>> iris = load_example("iris")
    >>> CARTClassifier().fit(iris.X, iris.y).get_n_leaves()
    6
    """

    _grows_by_cost = True

    def __init__(
        self,
        *,
        variant: str = "book",
        criterion: str = "gini",
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        max_depth: int | None = 30,
        max_surrogates: int = 5,
        prune: Any = None,
        cp: float | None = None,
        start: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        priors: Any = None,
        class_weight: Any = None,
        column_costs: Any = None,
        cost_rule: str = "rpart",
        categorical_features: Any = None,
        unseen: str = "missing",
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_surrogates = max_surrogates
        self.prune = prune
        self.cp = cp
        self.start = start
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.priors = priors
        self.class_weight = class_weight
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        recipe = self._of_variant(recipes.CART_CLASSIFIER)
        return recipe.replace(**parameters_for(GrowthOptions, self))


class CARTRegressor(FollowsBookOrRpart, SklearnTreeRegressor, TreeRegressor):
    """CART for regression (Breiman et al. 1984): least squares or least absolute deviation.

    Limits default to rpart's (20 rows to split, 7 in a leaf, depth 30).

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", ...}
        ``"absolute_error"`` splits nominal columns by one value against the rest.
    variant, min_samples_split, min_samples_leaf, max_depth, max_surrogates, prune, cp, start, \
column_costs, cost_rule, categorical_features, schema, unseen, random_state, n_jobs, verbose
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
        variant: str = "book",
        criterion: str = "squared_error",
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        max_depth: int | None = 30,
        max_surrogates: int = 5,
        prune: Any = None,
        cp: float | None = None,
        start: Any = None,
        column_costs: Any = None,
        cost_rule: str = "rpart",
        categorical_features: Any = None,
        unseen: str = "missing",
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_surrogates = max_surrogates
        self.prune = prune
        self.cp = cp
        self.start = start
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        recipe = self._of_variant(recipes.CART_REGRESSOR)
        options = recipe.replace(**parameters_for(GrowthOptions, self))
        # A best subset has no ordering theorem for absolute deviations.
        known = CRITERIA.get(options.criterion) if isinstance(options.criterion, str) else None
        is_sorted = known is not None and not known.is_additive  # no subset can be searched for
        return options.replace(nominal="one_vs_rest") if is_sorted else options
