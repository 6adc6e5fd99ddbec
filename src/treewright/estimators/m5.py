"""M5 model trees: linear models in the leaves."""

from __future__ import annotations

from typing import Any

from treewright.data.schema import Schema
from treewright.estimators.base import TreeRegressor
from treewright.grow import recipes
from treewright.grow.fit import Report
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.m5.fit import M5Settings, fit_m5
from treewright.parameters import check_choice, check_count, check_flag, check_number
from treewright.tree.tree import Tree

VARIANTS = ("weka", "paper")


class M5Regressor(TreeRegressor):
    """M5' (Wang and Witten 1997) and M5 (Quinlan 1992): a tree with linear models in its leaves.

    The tree is grown to reduce the deviation of the target, every node gets a linear model of the
    columns that the questions below it ask, terms that do not pay are dropped, subtrees that are
    not expected to beat their node's model are pruned, and a leaf's prediction is smoothed with the
    models above it. Where all terms are dropped a leaf is a constant: the algorithm decides.

    Nominal columns enter as indicators of sets of values, ordered by their mean target. A missing
    value is replaced by the column's mean, or its most frequent value.

    Parameters
    ----------
    variant : {"weka", "paper"}
        ``"weka"`` follows Weka's M5P: the fifth root of the variance instead of the standard
        deviation, more than a fifth of a node's rows on each side of a split, terms dropped by
        Akaike's criterion, squared errors times (n + 2v) / (n - v). ``"paper"`` follows Quinlan:
        the standard deviation, at least two rows on each side, terms dropped and subtrees pruned by
        absolute errors times (n + v) / (n - v).
    min_cases : int
        Rows that a node needs to be split (Weka's -M); at least 4, or 2 for ``"paper"``.
    min_deviation : float
        A node whose target deviates by less than this share of the whole table's is a leaf.
    linear : bool
        False gives a regression tree: all models are constants (Weka's -R).
    prune : bool
        False keeps the tree as it was grown (Weka's -N); its leaves' own models are then constants.
    smoothing : float
        The k of (n p + k q) / (n + k), which mixes a prediction p of a node of n rows with
        the prediction q of the node above; 0 turns smoothing off (Weka's -U).
    extrapolate : bool
        False keeps predictions within the targets of the leaf's training rows.
    categorical_features, schema, unseen, n_jobs, verbose
        As for :class:`DecisionTreeRegressor`; an unseen category counts as a missing value in
        linear models.

    Attributes
    ----------
    tree_ : Tree
        The tree; ``tree_.linear`` has the models, ``print(tree_)`` shows them.
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array

    Examples
    --------
    >>> from treewright import M5Regressor
    >>> X = [[x] for x in range(40)]
    >>> y = [2.0 * x if x < 20 else 300.0 - 3.0 * x for x in range(40)]
    >>> model = M5Regressor(smoothing=0).fit(X, y)
    >>> print(model.tree_.rules())
    IF x0 <= 19.5 THEN 0 + 2*x0  (20 covered)
    IF x0 > 19.5 THEN 300 - 3*x0  (20 covered)
    """

    def __init__(
        self,
        *,
        variant: str = "weka",
        min_cases: int = 4,
        min_deviation: float = 0.05,
        linear: bool = True,
        prune: bool = True,
        smoothing: float = 15.0,
        extrapolate: bool = True,
        categorical_features: Any = None,
        unseen: str = "missing",
        schema: Schema | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.min_cases = min_cases
        self.min_deviation = min_deviation
        self.linear = linear
        self.prune = prune
        self.smoothing = smoothing
        self.extrapolate = extrapolate
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.schema = schema
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        check_choice("variant", self.variant, VARIANTS)
        is_weka = self.variant == "weka"
        check_count("min_cases", self.min_cases, least=4 if is_weka else 2)
        check_number("min_deviation", self.min_deviation, low=0.0, high=1.0)
        check_number("smoothing", self.smoothing, low=0.0)
        for name in ("linear", "prune", "extrapolate"):
            check_flag(name, getattr(self, name))
        recipe = recipes.M5_WEKA if is_weka else recipes.M5_PAPER
        return recipe.replace(min_samples_split=int(self.min_cases), unseen=self.unseen)

    def _pruner(self) -> None:
        """Return None: M5 prunes by the models of its nodes, which no other pruner uses."""

    def _only_prunes(self) -> bool:
        return False

    def _grow(self, problem: Problem, report: Report | None) -> Tree:
        settings = M5Settings(
            variant=self.variant,
            linear=bool(self.linear),
            prune=bool(self.prune),
            smoothing=float(self.smoothing),
            min_deviation=float(self.min_deviation),
            extrapolate=bool(self.extrapolate),
        )
        return fit_m5(problem, settings, report=report)
