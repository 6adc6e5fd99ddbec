"""Random forests and extremely randomised trees behind scikit-learn's interface."""

from __future__ import annotations

import sys
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, hstack
from sklearn.utils.validation import check_is_fitted

from treewright.data.schema import Schema
from treewright.data.target import read_weights
from treewright.errors import DataError, ParameterError
from treewright.estimators.base import (
    ClassTask,
    TableEstimator,
    ValueTask,
    n_threads,
)
from treewright.learn import recipes
from treewright.learn.fit import Report, RowWeights
from treewright.learn.forest import Draws, ForestProblem, draws_of
from treewright.learn.options import GrowthOptions, check_choice, check_count
from treewright.model.ensemble import Ensemble

FloatArray = npt.NDArray[np.float64]

_KNOBS = (
    "criterion",
    "nominal",
    "missing",
    "unseen",
    "max_depth",
    "max_leaf_nodes",
    "min_samples_split",
    "min_samples_leaf",
    "min_impurity_decrease",
    "max_features",
    "features_per",
    "monotonic_cst",
)
"""Parameters that are knobs of the same name."""

VOTES = ("soft", "hard")


class ForestEstimator(TableEstimator):
    """Many trees behind scikit-learn's interface."""

    ensemble_: Ensemble
    n_estimators: Any
    bootstrap: Any
    warm_start: Any
    _takes_outputs = True
    _splitter = "best"
    _training: ForestProblem | None = None

    def _recipe(self) -> GrowthOptions:
        raise AssertionError("a forest has a task")

    def _options(self) -> GrowthOptions:
        knobs = {name: getattr(self, name) for name in _KNOBS}
        return self._recipe().replace(
            splitter=self._splitter,
            min_fraction_leaf=self.min_weight_fraction_leaf,
            **knobs,
        )

    def _draws(self, target: Any, weight: FloatArray | None, n_rows: int) -> Draws | None:
        """Settle how rows are drawn; None where every tree sees all of them."""
        if not isinstance(self.bootstrap, bool | np.bool_):
            raise ParameterError(f"bootstrap={self.bootstrap!r} must be True or False.")
        sampling = getattr(self, "sampling", "all")
        plain = isinstance(sampling, str) and sampling == "all"
        if not self.bootstrap and plain and self.max_samples is None:
            return None
        balances = self._balances_draws()
        return draws_of(
            target,
            weight,
            n_rows=n_rows,
            max_samples=self.max_samples,
            sampling=sampling,
            with_replacement=bool(self.bootstrap),
            factor=None if balances else self._class_factor(target, weight),
            balances=balances,
        )

    def _balances_draws(self) -> bool:
        return False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table
            Any table, as for the single trees.
        y : array-like
            The target, one entry per row (a column per output where there are several).
        sample_weight : array-like, optional
            Weight of each row: with ``bootstrap`` how likely it is to be drawn, else what it
            counts. Whole numbers mean copies.

        Returns
        -------
        self
        """
        check_count("n_estimators", self.n_estimators, least=1)
        forest = self._read(X, y, sample_weight)
        ensemble = self._grow(forest)
        self.ensemble_ = ensemble
        self._training = forest
        self._learned_columns(forest.problem)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> ForestProblem:
        draws: list[Draws | None] = []

        def weights_of(target: Any, n_rows: int) -> RowWeights:
            weight = read_weights(sample_weight, n_rows)
            draws.append(self._draws(target, weight, n_rows))
            if draws[0] is not None:
                return RowWeights()
            return RowWeights.of(weight, self._class_factor(target, weight))

        problem = self._problem(X, y, weights_of)
        return ForestProblem(problem=problem, draws=draws[0], vote=getattr(self, "vote", "soft"))

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> ForestProblem:
        """Give what the forest was grown from: kept since `fit`, or read again after loading."""
        self._model()
        if X is not None:
            return self._read(X, y, sample_weight)
        if self._training is None:
            raise DataError(
                "a loaded forest has no training data.\n  Hint: give X, y (and sample_weight) as"
                " they were given to fit."
            )
        return self._training

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_training"}

    def _grow(self, forest: ForestProblem) -> Ensemble:
        n_trees = int(self.n_estimators)
        grown: Ensemble | None = getattr(self, "ensemble_", None) if self.warm_start else None
        n_before = 0 if grown is None else len(grown)
        if n_trees < n_before:
            raise ParameterError(
                f"n_estimators={n_trees} is less than the {n_before} trees grown already.\n"
                "  Hint: warm_start=False grows a forest anew."
            )
        if grown is not None and n_trees == n_before:
            return grown
        verbose = getattr(self, "verbose", 0)
        report = _reporter(forest, n_trees - n_before) if verbose else None
        more = forest.grow(n_before, n_trees - n_before, report=report)
        if verbose:
            print(f"\rgrown: {n_trees} trees".ljust(40), file=sys.stderr, flush=True)
        return more if grown is None else grown.joined(more)

    def _model(self) -> Ensemble:
        try:
            return self.ensemble_
        except AttributeError:
            check_is_fitted(self)
            raise

    def _answers(self, X: Any) -> FloatArray:
        table = self._table(X)
        return self.ensemble_.answers(table, n_threads=n_threads(self.n_jobs))

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """Give the leaf of each row in each tree, rows x trees."""
        table = self._table(X)
        leaves = self.ensemble_.apply(table, n_threads=n_threads(self.n_jobs))
        return leaves.astype(np.int64)

    def decision_path(self, X: Any) -> tuple[csr_matrix, npt.NDArray[np.int64]]:
        """Give the nodes each row passes in all trees, side by side, and where each tree starts."""
        table = self._table(X)
        paths = []
        for tree in self.ensemble_:
            start, visited = tree.plan.decision_path(table)
            ones = np.ones(len(visited), dtype=np.int8)
            paths.append(csr_matrix((ones, visited, start), shape=(table.n_rows, tree.n_nodes)))
        offsets = np.concatenate([[0], np.cumsum([path.shape[1] for path in paths])])
        joined = hstack(paths, format="csr")
        joined.sort_indices()
        return joined, offsets

    def __len__(self) -> int:
        return len(self._model())

    def __getitem__(self, index: int) -> Any:
        return self._model()[index]

    def __iter__(self) -> Any:
        return iter(self._model())


class ForestClassifier(ClassTask, ForestEstimator):
    """Many trees that predict classes."""

    def _recipe(self) -> GrowthOptions:
        check_choice("vote", getattr(self, "vote", "soft"), VOTES)
        return recipes.GENERAL_CLASSIFIER

    def _balances_draws(self) -> bool:
        return isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"

    def _class_factor(self, target: Any, weights: FloatArray | None) -> FloatArray | None:
        if self._balances_draws():  # without draws every tree sees all rows
            from treewright.learn.class_weights import class_factors

            return class_factors(target, weights, class_weight="balanced")
        return super()._class_factor(target, weights)


class ForestRegressor(ValueTask, ForestEstimator):
    """Many trees that predict numbers."""

    def _recipe(self) -> GrowthOptions:
        return recipes.GENERAL_REGRESSOR


def _reporter(forest: ForestProblem, n_trees: int) -> Report:
    draws = forest.draws
    n_rows = forest.problem.table.n_rows
    per_tree = n_rows if draws is None else draws.total * (1 - np.exp(-1))

    def report(n_done: int) -> None:
        share = min(n_done / (per_tree * n_trees), 1)
        print(f"\rgrowing: {share:4.0%} of {n_trees} trees", end="", file=sys.stderr, flush=True)

    return report


class RandomForestClassifier(ForestClassifier):
    """A random forest for classes."""

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        features_per: str = "node",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: Any = None,
        sampling: Any = "all",
        vote: str = "soft",
        nominal: str = "subset",
        missing: str = "learned_side",
        unseen: str = "missing",
        class_weight: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.features_per = features_per
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.sampling = sampling
        self.vote = vote
        self.nominal = nominal
        self.missing = missing
        self.unseen = unseen
        self.class_weight = class_weight
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.schema = schema
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RandomForestRegressor(ForestRegressor):
    """A random forest for numbers."""

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        features_per: str = "node",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: Any = None,
        nominal: str = "subset",
        missing: str = "learned_side",
        unseen: str = "missing",
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.features_per = features_per
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.nominal = nominal
        self.missing = missing
        self.unseen = unseen
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.schema = schema
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomised trees for classes."""

    _splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        features_per: str = "node",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        max_samples: Any = None,
        sampling: Any = "all",
        vote: str = "soft",
        nominal: str = "subset",
        missing: str = "learned_side",
        unseen: str = "missing",
        class_weight: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            features_per=features_per,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            max_samples=max_samples,
            sampling=sampling,
            vote=vote,
            nominal=nominal,
            missing=missing,
            unseen=unseen,
            class_weight=class_weight,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
            schema=schema,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )


class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomised trees for numbers."""

    _splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        features_per: str = "node",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        max_samples: Any = None,
        nominal: str = "subset",
        missing: str = "learned_side",
        unseen: str = "missing",
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            features_per=features_per,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            max_samples=max_samples,
            nominal=nominal,
            missing=missing,
            unseen=unseen,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
            schema=schema,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
