"""The parts that all forests share: drawing rows and columns, growing, predicting."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix, hstack, vstack
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import FloatArray, Int64Array
from treewright.data.read.weights import RowWeights
from treewright.data.table import Table
from treewright.ensemble.ensemble import Ensemble
from treewright.ensemble.thread_pool import Grower
from treewright.errors import DataError, ParameterError, TreewrightWarning, warn
from treewright.estimators.base import (
    ClassTask,
    TreeEstimator,
    ValueTask,
    parameters_for,
)
from treewright.estimators.certainty.keeps_rows import all_or_nothing
from treewright.estimators.checks import check_n_estimators
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.estimators.estimator_parameter import check_tree, given_once, refuse_twice
from treewright.estimators.forest.certainty import AnswersOutOfBag, DrawnShares
from treewright.estimators.forest.compact import Compacts
from treewright.estimators.forest.importances import MeasuresImportances
from treewright.estimators.forest.out_of_bag import EstimatesOutOfBag
from treewright.estimators.forest.shared_leaves import ComparesRows, PredictsQuantiles
from treewright.estimators.forest.to_sklearn import forest_to_sklearn
from treewright.estimators.members import SumsTrees
from treewright.estimators.progress import forest_progress, show
from treewright.forest.check_same_rows import (
    refuse_other_columns,
    refuse_other_draws,
    refuse_other_rows,
)
from treewright.forest.early_stopping import StopRule, grow_until_stable
from treewright.forest.problem import ForestProblem
from treewright.forest.sampling import Draws, draws_of
from treewright.grow import recipes
from treewright.grow.costs import LeafSettings
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.grow.training_data import Reading
from treewright.interrupts import converted, row_blocks
from treewright.parameters import check_choice, check_flag, check_number
from treewright.prune import CostComplexity, Pruner
from treewright.prune.fit import judges_by_tree
from treewright.threads import n_threads

VOTES = ("soft", "hard")


class ForestEstimator(
    AnswersOutOfBag, ComparesRows, Compacts, EstimatesOutOfBag, MeasuresImportances, SumsTrees
):
    """Many trees with scikit-learn's interface."""

    _not_pickled: ClassVar[tuple[str, ...]] = ("_training",)

    ensemble_: Ensemble
    n_estimators: Any
    bootstrap: Any
    warm_start: Any
    _splitter = "best"
    _training: ForestProblem | None = None
    _seed: int = 0  # kept because random_state may be a generator

    @property
    def _takes_outputs(self) -> bool:  # type: ignore[override]
        base = self._base_given()
        return True if base is None else bool(getattr(base, "_takes_outputs", False))

    def _recipe(self) -> GrowthOptions:
        raise AssertionError("a forest has a task")

    def _base_given(self) -> Any:
        """Return `estimator` as the user gave it; None for the forest's own trees."""
        return self.estimator

    def _base(self) -> TreeEstimator | None:
        """Return `estimator` after checking it; None for the forest's own trees."""
        given = self._base_given()
        if given is None:
            return None
        base = check_tree(given, owner=self)
        refuse_twice(self, base, self._tree_parameters())
        if self._splitter == "random" and "splitter" not in base.get_params():
            raise ParameterError(
                f"{type(self).__name__} draws its cuts, and {type(base).__name__} looks for the"
                f" best.\n  Hint: {type(self).__name__.replace('ExtraTrees', 'RandomForest')}"
                f"(estimator={type(base).__name__}(...))."
            )
        return base

    def _tree_parameters(self) -> list[str]:
        """Return the names of parameters about the trees, which `estimator` decides if given."""
        return [*parameters_for(GrowthOptions, self), "min_weight_fraction_leaf", "ccp_alpha"]

    def _options(self) -> GrowthOptions:
        base = self._base()
        if base is not None:
            splitter = {"splitter": "random"} if self._splitter == "random" else {}
            return base._options().replace(
                max_features=self.max_features, features_per=self.features_per, **splitter
            )
        share = self.min_weight_fraction_leaf
        check_number("min_weight_fraction_leaf", share, low=0.0, high=0.5)
        return self._recipe().replace(
            splitter=self._splitter,
            min_fraction_leaf=share,
            **parameters_for(GrowthOptions, self),
        )

    def _reading(self) -> Reading:
        reading = replace(super()._reading(), relative_weights=True)
        base = self._base()
        if base is not None:
            names = ("schema", "categorical_features", "class_weight", "priors")
            reading = replace(reading, **{name: given_once(name, self, base) for name in names})
        if self._balances_draws():  # without draws every tree takes all rows
            reading = replace(reading, class_weight="balanced", priors=None)
        return reading

    def _leaf_settings(self) -> LeafSettings:
        own, base = super()._leaf_settings(), self._base()
        if base is None:
            return own
        given_once("cost_matrix", self, base)
        theirs = base._leaf_settings()
        if own.cost_matrix is None:
            return theirs
        return replace(theirs, cost_matrix=own.cost_matrix, grows_by_cost=own.grows_by_cost)

    def _finish(self) -> tuple[Pruner | None, Grower | None]:
        """Return the pruner, or the maker of trees where more is done than growing and pruning."""
        base = self._base()
        if base is None:
            alpha = getattr(self, "ccp_alpha", 0.0)
            check_number("ccp_alpha", alpha, low=0.0)
            return (CostComplexity(alpha=float(alpha), on="impurity") if alpha else None), None
        pruner = base._pruner()
        if base._only_prunes() and (pruner is None or judges_by_tree(pruner)):
            return pruner, None
        return None, base._grow_deciding

    def _column_draws(self, n_columns: int) -> tuple[int, bool]:
        """Return the columns drawn per tree (0: see the options), and whether with replacement."""
        return 0, False

    def _draws(self, problem: Problem, sample_weight: Any) -> Draws | None:
        """Return how rows are drawn; None where every tree takes all of them."""
        check_flag("bootstrap", self.bootstrap)
        sampling = getattr(self, "sampling", "all")
        every = self.max_samples is None or (
            isinstance(self.max_samples, float) and self.max_samples == 1.0
        )
        if not self.bootstrap and not self._draws_by_class() and every:
            return None
        n_rows, balances = problem.table.n_rows, self._balances_draws()
        weight = factor = RowWeights.read(sample_weight, n_rows).relative().weight
        if not balances:
            factor = self._reading().read_weights(sample_weight, problem.target, n_rows).weight
        return draws_of(
            problem.target,
            weight,
            n_rows=n_rows,
            max_samples=self.max_samples,
            sampling=sampling,
            with_replacement=bool(self.bootstrap),
            factor=factor,
            balances=balances,
            groups=problem.groups,
        )

    def _draws_by_class(self) -> bool:
        """Return whether `sampling` draws from each class by itself."""
        sampling = getattr(self, "sampling", "all")
        return not (isinstance(sampling, str) and sampling == "all")

    def _balances_draws(self) -> bool:
        return False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table
            Any table, as for the single trees.
        y : array-like
            The target, one entry per row (a column per output where there are several).
        sample_weight : array-like, optional
            Weight of each row in growing, each time that it is drawn. Only the ratios matter: rows
            are drawn alike whatever their weights (but not at all if the weight is 0), and limits
            count rows. So a row of weight k is not the same as k copies of it, as in single trees,
            which would be drawn independently.
        groups : array-like, optional
            A label for each row: rows of one label belong together (visits of a patient). Whole
            groups are drawn, `max_samples` counts groups, and a row is out of bag for the trees
            that have seen no row of its group: out-of-bag figures hold for new groups.

        Returns
        -------
        self
        """
        self._check_calibrate()
        check_n_estimators(self.n_estimators)
        check_flag("warm_start", self.warm_start)
        forest = self._read(X, y, sample_weight, groups)
        if self.warm_start and hasattr(self, "ensemble_"):
            forest = forest.with_seed(self._seed)  # so that all trees draw from one sequence
        rule = self._check_out_of_bag(forest)
        if rule is not None or getattr(self, "oob_score", False):
            forest.problem.warn_of_groups("Out-of-bag figures hold")
        ensemble = self._grow(forest, rule)
        ensemble = ensemble.deciding(forest.rule)
        told = self._told_out_of_bag(forest, ensemble)
        columns = forest.problem.table.schema.columns
        with all_or_nothing(self):
            self.ensemble_ = ensemble
            self.n_estimators_ = len(ensemble)
            self.max_features_ = forest.problem.options.n_features(len(columns))
            self._seed = forest.problem.seed
            self._learn_out_of_bag(told)
            self._training = forest
            self._learned_columns(forest.problem)
            self._keep(X, y, sample_weight, groups)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> ForestProblem:
        vote = getattr(self, "vote", "soft")
        check_choice("vote", vote, VOTES)
        pruner, grower = self._finish()
        problem = self._read_problem(X, y, sample_weight, groups)
        decides = problem.leaf
        problem = replace(problem, leaf=decides.for_growing())
        draws = self._draws(problem, sample_weight)
        per_tree, repeats = self._column_draws(len(problem.table.schema.columns))
        return ForestProblem(
            problem=problem if draws is None else replace(problem, weights=RowWeights()),
            draws=None if draws is None else draws.with_costs(problem),
            vote=vote,
            decides=decides,
            columns_per_tree=per_tree,
            repeats_columns=repeats,
            pruner=pruner,
            grower=grower,
        )

    def _training_data(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> ForestProblem:
        """Return the problem of the forest: kept since `fit`, or read again after loading."""
        self._model()
        if X is not None:
            again = self._read(X, y, sample_weight, groups).with_seed(self._seed)
            refuse_other_rows(self.ensemble_, again)
            return again
        if self._training is None:
            raise DataError(
                "a loaded or compacted forest has no training data.\n  Hint: give X, y (and"
                " sample_weight, groups) as they were given to fit."
            )
        return self._training

    def _grow(self, forest: ForestProblem, rule: StopRule | None) -> Ensemble:
        n_trees = int(self.n_estimators)
        grown: Ensemble | None = getattr(self, "ensemble_", None) if self.warm_start else None
        n_before = 0 if grown is None else len(grown)
        if n_trees < n_before:
            raise ParameterError(
                f"n_estimators={n_trees} is less than the {n_before} trees grown already.\n"
                "  Hint: warm_start=False grows a forest anew."
            )
        if grown is not None:
            anew = "warm_start=False grows a forest anew."
            refuse_other_columns(grown, forest, hint=anew)
            refuse_other_draws(self._training, forest, hint=anew)
        if grown is not None and n_trees == n_before:
            warn(
                f"n_estimators={n_trees} is the number of trees grown already: fit adds none.\n"
                "  Hint: a larger n_estimators adds trees; warm_start=False grows a forest anew.",
                TreewrightWarning,
            )
            return grown
        verbose = self.verbose

        def grow(first: int, n_more: int) -> Ensemble:
            report = forest_progress(forest, n_more) if verbose else None
            return forest.grow(first, n_more, report=report)

        if rule is not None:
            whole = grow_until_stable(forest, rule, n_trees=n_trees, grow=grow, grown=grown)
        else:
            more = grow(n_before, n_trees - n_before)
            whole = more if grown is None else grown.joined(more)
        if verbose:
            show(f"grown: {len(whole)} trees".ljust(39), end="\n")
        return whole

    def _model(self) -> Ensemble:
        try:
            return self.ensemble_
        except AttributeError:
            check_is_fitted(self)
            raise

    def _answers(self, X: Any) -> FloatArray:
        table = self._table(X)
        return self.ensemble_.answers(table, n_threads=self._threads_for(table))

    def apply(self, X: Any) -> Int64Array:
        """Return the leaf of each row in each tree, rows x trees."""
        table = self._table(X)
        leaves = self.ensemble_.apply(table, n_threads=self._threads_for(table))
        return converted(leaves, np.int64)

    def _threads_for(self, table: Table) -> int:
        return n_threads(self.n_jobs, table.n_rows * len(self.ensemble_))

    def _n_trees_grown(self) -> int:
        return int(self.n_estimators)

    def decision_path(self, X: Any) -> tuple[csr_matrix, Int64Array]:
        """Return the nodes that each row passes in all trees.

        Parameters
        ----------
        X : table
            The rows.

        Returns
        -------
        indicator : sparse matrix, rows x nodes of all trees
            1 where the row passes the node.
        first_node : array
            The first node of each tree among these columns, and their number at the end.
        """
        table = self._table(X)
        paths = []
        for tree in self.ensemble_:
            start, visited = tree.plan.decision_path(table)
            ones = np.ones(len(visited), dtype=np.int8)
            paths.append(csr_matrix((ones, visited, start), shape=(table.n_rows, tree.n_nodes)))
        offsets = np.concatenate([[0], np.cumsum([path.shape[1] for path in paths])])
        blocks = row_blocks(table.n_rows, max(1, (1 << 16) // len(paths)))
        joined = [hstack([path[block] for path in paths], format="csr") for block in blocks]
        return vstack(joined, format="csr"), offsets

    def to_sklearn(self) -> Any:
        """Return the forest as a fitted forest of scikit-learn, of which shap and others know.

        Bagged trees become a random forest, and hard votes leaves of one class. Answers are ours,
        bit for bit, for numbers of single precision, as for single trees
        (:meth:`DecisionTreeClassifier.to_sklearn` has the details, and what cannot be converted).

        Examples
        --------
        >>> from treewright import RandomForestRegressor
        >>> forest = RandomForestRegressor(n_estimators=3).fit([[1], [2], [3]], [5.0, 7.0, 7.0])
        >>> theirs = forest.to_sklearn()
        >>> theirs
        RandomForestRegressor(n_estimators=3)
        >>> (theirs.predict([[0], [4]]) == forest.predict([[0], [4]])).tolist()
        [True, True]
        """
        kind = "ExtraTrees" if self._splitter == "random" else "RandomForest"
        return forest_to_sklearn(self._model(), kind, owner=self)

    def _own_tree(self) -> TreeEstimator:
        """Return the general tree of the task."""
        raise AssertionError("a forest has a task")

    @property
    def estimator_(self) -> TreeEstimator:
        """The tree estimator that all members are like, not fitted."""
        self._model()
        base = self._base()
        if base is not None:
            made: TreeEstimator = clone(base)
            return made
        tree = self._own_tree()
        shared = {name: getattr(self, name) for name in self.estimator_params}
        if self._balances_draws():
            del shared["class_weight"]
        own = {"splitter": self._splitter, "random_state": None, "n_jobs": None, "verbose": 0}
        tree.set_params(**shared | own)
        return tree

    @property
    def estimator_params(self) -> tuple[str, ...]:
        """The names of the parameters that the trees take over from the forest."""
        mine = set(self.get_params(deep=False)) - {"cost_matrix"}  # by which the forest decides
        return tuple(name for name in self._own_tree().get_params() if name in mine)

    @property
    def estimators_samples_(self) -> list[Int64Array]:
        """The rows that each tree was grown on, as often as it has drawn them."""
        forest = self._training_data()
        rows = np.arange(forest.problem.table.n_rows)
        n_trees = len(self.ensemble_)
        if forest.sampling is None:
            return [rows] * n_trees
        return [np.repeat(rows, forest.sampling.draw(number)) for number in range(n_trees)]

    def _member(self) -> TreeEstimator:
        return self.estimator_


class ForestClassifier(DrawnShares, ClassTask, ForestEstimator):
    """Many trees that predict classes."""

    def _recipe(self) -> GrowthOptions:
        return recipes.GENERAL_CLASSIFIER

    def _balances_draws(self) -> bool:
        class_weight = getattr(self, "class_weight", None)
        return isinstance(class_weight, str) and class_weight == "balanced_subsample"

    def _own_tree(self) -> TreeEstimator:
        return DecisionTreeClassifier()


class ForestRegressor(PredictsQuantiles, ValueTask, ForestEstimator):
    """Many trees that predict numbers."""

    def _recipe(self) -> GrowthOptions:
        return recipes.GENERAL_REGRESSOR

    def _own_tree(self) -> TreeEstimator:
        return DecisionTreeRegressor()
