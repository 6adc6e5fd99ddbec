"""CHAID under its own name; ``grow/recipes.py`` has its settings."""

from __future__ import annotations

from typing import Any

from treewright.data.schema import Schema
from treewright.estimators.base import TreeClassifier, TreeRegressor, parameters_for
from treewright.grow import recipes
from treewright.grow.chaid import Merging
from treewright.grow.options import GrowthOptions
from treewright.parameters import check_choice

_CRITERION_OF_TEST = {"pearson": "chi2", "likelihood_ratio": "entropy"}


class CHAIDClassifier(TreeClassifier):
    """CHAID (Kass 1980): similar values are merged, and each group that remains is a branch.

    In every node and for every column, the two values (or groups) whose classes differ least are
    merged while a chi-square test finds no difference between them. The column whose groups differ
    most significantly, after a Bonferroni correction for the number of ways to form them, splits
    the node; where none is significant the node is a leaf. Nothing is pruned.

    Numeric columns are divided once, before growing, into `n_bins` bins of about equally many rows;
    of these and of ordinal columns only neighbours are merged. A column gets at most 128 branches:
    of more than 128 values, neighbours (nominal values in the order of their class shares) are
    merged until 128 groups are left, which is a heuristic.

    Parameters
    ----------
    alpha_merge : float
        Two groups are merged while the p-value of their difference is above this; 1 merges none.
    alpha_split : float
        A node is split where the smallest adjusted p-value is at most this.
    alpha_split_merge : float, optional
        Try to split a group of three or more merged values in two again, and do so where that is
        significant at this level; at most `alpha_merge`.
    exhaustive : bool
        Merge down to two groups and take the step with the smallest p-value (Biggs, de Ville and
        Suen 1991); `alpha_merge` is not used.
    test : {"pearson", "likelihood_ratio"}
        The chi-square statistic.
    bonferroni : bool
        Multiply p-values by the number of ways to form the groups.
    n_bins : int
        Bins of a numeric column, 2 to 128.
    missing : {"floating", "last"}
        Missing values are a category. In a nominal column it is one like the others. In an ordered
        column it may be merged with any group: from the start, ``"floating"`` (Kass), or once the
        groups of the other values are formed, ``"last"`` (SPSS).
    max_depth : int, optional
    min_samples_split, min_samples_leaf : int or float
        Rows that a node needs to be split, and that every branch needs: a smaller group joins the
        one it differs least from. The defaults are those of R's package CHAID; SPSS has 100, 50 and
        a depth of 3.
    unseen : {"missing", "majority", "error"}
        A category that training, or the node, did not know: it is treated as a missing value (where
        the node had none, it follows the majority), follows the majority, or is an error.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and the tree and its probabilities are as without.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.
    class_weight, categorical_features, schema, n_jobs, verbose
        As for :class:`DecisionTreeClassifier`.

    Examples
    --------
    >>> from treewright import CHAIDClassifier, load_example
    >>> iris = load_example("iris")
    >>> tree = CHAIDClassifier().fit(iris.X, iris.y).tree_
    >>> [tree.question(0).text(branch) for branch in (0, 1)]
    ['petal width (cm) <= 0.4', '0.4 < petal width (cm) <= 1.3']
    """

    def __init__(
        self,
        *,
        alpha_merge: float = 0.05,
        alpha_split: float = 0.05,
        alpha_split_merge: float | None = None,
        exhaustive: bool = False,
        test: str = "pearson",
        bonferroni: bool = True,
        n_bins: int = 10,
        missing: str = "floating",
        max_depth: int | None = None,
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        unseen: str = "missing",
        class_weight: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha_merge = alpha_merge
        self.alpha_split = alpha_split
        self.alpha_split_merge = alpha_split_merge
        self.exhaustive = exhaustive
        self.test = test
        self.bonferroni = bonferroni
        self.n_bins = n_bins
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.unseen = unseen
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        check_choice("test", self.test, tuple(_CRITERION_OF_TEST))
        options = _with_merging(recipes.CHAID_CLASSIFIER, self)
        return options.replace(criterion=_CRITERION_OF_TEST[self.test])


class CHAIDRegressor(TreeRegressor):
    """CHAID for a numeric target: values are merged, and columns chosen, by F-tests.

    Parameters
    ----------
    alpha_merge, alpha_split, alpha_split_merge, exhaustive, bonferroni, n_bins, missing, \
max_depth, min_samples_split, min_samples_leaf, unseen, categorical_features, schema, n_jobs, \
verbose
        As for :class:`CHAIDClassifier`; groups are compared by a one-way analysis of variance.

    Examples
    --------
    >>> from treewright import CHAIDRegressor
    >>> X = {"shop": ["a", "b", "c", "d"] * 10}
    >>> y = [1.0, 2.0, 8.0, 9.0, 2.0, 1.0, 9.0, 8.0] * 5
    >>> print(CHAIDRegressor().fit(X, y).tree_.question(0).text(0))
    shop in {a, b}
    """

    def __init__(
        self,
        *,
        alpha_merge: float = 0.05,
        alpha_split: float = 0.05,
        alpha_split_merge: float | None = None,
        exhaustive: bool = False,
        bonferroni: bool = True,
        n_bins: int = 10,
        missing: str = "floating",
        max_depth: int | None = None,
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        unseen: str = "missing",
        categorical_features: Any = None,
        schema: Schema | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha_merge = alpha_merge
        self.alpha_split = alpha_split
        self.alpha_split_merge = alpha_split_merge
        self.exhaustive = exhaustive
        self.bonferroni = bonferroni
        self.n_bins = n_bins
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.unseen = unseen
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        return _with_merging(recipes.CHAID_REGRESSOR, self)


def _with_merging(recipe: GrowthOptions, tree: CHAIDClassifier | CHAIDRegressor) -> GrowthOptions:
    merging = parameters_for(Merging, tree)
    limits = {
        name: value
        for name, value in parameters_for(GrowthOptions, tree).items()
        if name not in merging  # `missing` is part of the merging
    }
    return recipe.replace(merging=Merging(**merging), **limits)
