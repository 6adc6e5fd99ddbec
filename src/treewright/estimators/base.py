"""What all tree estimators share: reading data, fitting, predicting, scikit-learn's conventions.

``__init__`` only stores; ``fit`` validates and changes the estimator only once all has gone well;
what is learned ends in ``_``.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.data.read.class_weights import class_factors
from treewright.data.read.table import match_table, read_table
from treewright.data.read.target import ClassTarget, ValueTarget, read_classes, read_values
from treewright.data.read.weights import RowWeights, read_weights
from treewright.data.table import Table
from treewright.errors import ParameterError, SmallDataWarning, TargetError, warn
from treewright.estimators.checks import (
    check_schema,
    check_verbose,
    n_threads,
    seed_of,
    takes_any_table,
)
from treewright.estimators.progress import show, tree_progress
from treewright.grow.costs import read_costs, with_costs
from treewright.grow.fit import Report
from treewright.grow.options import CLASS_CRITERIA, VALUE_CRITERIA, GrowthOptions
from treewright.grow.problem import Problem
from treewright.parameters import check_choice, check_number
from treewright.prune import CostComplexity, Pruner, pruner_of
from treewright.prune.fit import fit_pruned
from treewright.tree.leaf import LEAF_ESTIMATES, LeafRule, by_output, decide
from treewright.tree.tree import Tree


class TableEstimator(BaseEstimator):  # type: ignore[misc]
    """What learns trees from a table, behind scikit-learn's interface."""

    schema: Any
    n_jobs: Any

    _takes_outputs = False  # several targets at once

    def _options(self) -> GrowthOptions:
        """Return the options of a tree; each algorithm has its recipe."""
        raise AssertionError("an estimator has a recipe")

    def _read_target(self, y: Any, n_rows: int) -> ClassTarget | ValueTarget:
        raise AssertionError("an estimator has a task")

    def _model(self) -> Any:
        """Return what has been learned: it has a schema, classes, a leaf rule."""
        raise AssertionError("an estimator learns something")

    def _answers(self, X: Any) -> FloatArray:
        raise AssertionError("an estimator answers")

    def _class_factor(self, target: Any, weights: FloatArray | None) -> FloatArray | None:
        return None

    def _with_costs(self, problem: Problem) -> Problem:
        return problem

    def _check_pruner(self) -> None:
        """Refuse a pruner that is none before the data are read."""

    def _declared(self) -> tuple[Any, Any]:
        """Return the schema and the columns of codes that the user has declared."""
        return self.schema, getattr(self, "categorical_features", None)

    def _problem(self, X: Any, y: Any, weights_of: Any) -> Problem:
        """Check the parameters and read the data; `weights_of(target, n_rows)` gives weights."""
        options = self._options()
        options.check(CLASS_CRITERIA if self._is_classifier() else VALUE_CRITERIA)
        options = options.replace(n_threads=n_threads(self.n_jobs))
        self._check_pruner()
        schema, categorical_features = self._declared()
        check_schema(schema)
        check_verbose(getattr(self, "verbose", 0))
        seed = seed_of(getattr(self, "random_state", None))
        table = read_table(X, schema=schema, categorical_features=categorical_features)
        target = self._read_target(y, table.n_rows)
        self._check_outputs(target)
        problem = self._with_costs(
            Problem(
                table=table,
                target=target,
                weights=weights_of(target, table.n_rows),
                options=options,
                seed=seed,
                class_weight=getattr(self, "class_weight", None),
                priors=getattr(self, "priors", None),
            )
        )
        if table.n_rows == 1:
            warn(
                "the table has a single row (n_samples = 1): the tree is one leaf.",
                SmallDataWarning,
            )
        return problem

    def _check_outputs(self, target: ClassTarget | ValueTarget) -> None:
        if not target.single and not self._takes_outputs:
            raise TargetError(
                f"{type(self).__name__} learns one target, but y has {_n_outputs(target)} columns."
                "\n  Hint: DecisionTreeClassifier and DecisionTreeRegressor take several."
            )

    def _learned_columns(self, problem: Problem) -> None:
        schema = problem.table.schema
        self.n_features_in_ = len(schema.input_names)
        if schema.named:
            self.feature_names_in_ = np.array(schema.input_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_outputs_ = problem.n_outputs

    def _is_classifier(self) -> bool:
        return isinstance(self, ClassifierMixin)

    def _table(self, X: Any) -> Table:
        model = self._model()
        return match_table(X, model.schema, owner=type(self).__name__, unseen=model.unseen)

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of the impurity decrease that each column brings; columns left out have 0.

        What a derived column brings is credited to the columns it is made of, in equal parts;
        the model's own ``importances()`` has it apart.
        """
        model = self._model()
        importances: FloatArray = model.schema.by_input(model.importances())
        return importances

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes_any_table(tags)
        tags.target_tags.required = True
        tags.target_tags.multi_output = self._takes_outputs
        return tags


class HoldsTrees(TableEstimator):
    """Many trees: their number, each of them, all of them in a loop."""

    def __len__(self) -> int:
        return len(self._model())

    def __getitem__(self, index: int) -> Any:
        return self._model()[index]

    def __iter__(self) -> Any:
        return iter(self._model())


class TreeEstimator(TableEstimator):
    """A single tree behind scikit-learn's interface."""

    tree_: Tree

    def _pruner(self) -> Pruner | None:
        """Return the pruner asked for; an algorithm may have its own."""
        given = getattr(self, "prune", None)
        alpha = getattr(self, "ccp_alpha", 0.0)
        check_number("ccp_alpha", alpha, low=0.0)
        if given is None:
            return CostComplexity(alpha=float(alpha), on="impurity") if alpha else None
        if alpha:
            raise ParameterError(
                f"prune={given!r} and ccp_alpha={alpha!r} are two ways to prune.\n"
                "  Hint: prune=CostComplexity(alpha=..., on='impurity') is what ccp_alpha does."
            )
        pruner = pruner_of(given)
        pruner.check()
        return pruner

    def _check_pruner(self) -> None:
        self._pruner()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : table
            Any table: pandas, polars, pyarrow, NumPy, scipy sparse, a list of dicts. Text,
            categories, booleans, dates and missing values are taken as they are.
        y : array-like
            The target, one entry per row (a column per output where several are supported).
        sample_weight : array-like, optional
            Weight of each row; whole numbers mean copies.

        Returns
        -------
        self
        """

        def weights_of(target: Any, n_rows: int) -> RowWeights:
            weights = read_weights(sample_weight, n_rows)
            return RowWeights.of(weights, self._class_factor(target, weights))

        problem = self._problem(X, y, weights_of)
        verbose = getattr(self, "verbose", 0)
        tree = self._grow(problem, tree_progress(problem.table.n_rows) if verbose else None)
        if verbose:
            show(f"grown: {tree.n_leaves} leaves".ljust(39), end="\n")
        self._learned(tree, problem)
        return self

    def _grow(self, problem: Problem, report: Report | None) -> Tree:
        """Make the tree of a problem; some algorithms do more than grow it."""
        return fit_pruned(problem, self._pruner(), report=report)

    def _only_prunes(self) -> bool:
        """Return whether a grown tree is at most pruned, and nothing else is done to it."""
        return True

    def _learned(self, tree: Tree, problem: Problem) -> None:
        self.tree_ = tree
        self._learned_columns(problem)

    def _model(self) -> Tree:
        try:
            return self.tree_
        except AttributeError:
            check_is_fitted(self)
            raise

    def _answers(self, X: Any) -> FloatArray:
        table = self._table(X)
        return self.tree_.plan.answers(table, n_threads=n_threads(self.n_jobs))

    def apply(self, X: Any) -> Int64Array:
        """Return the leaf of each row; of a divided row, the leaf that gets most of it."""
        table = self._table(X)
        return self.tree_.plan.apply(table, n_threads=n_threads(self.n_jobs))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes each row passes, as a sparse indicator of rows x nodes."""
        start, visited = self._model().plan.decision_path(self._table(X))
        ones = np.ones(len(visited), dtype=np.int8)
        path = csr_matrix((ones, visited, start), shape=(len(start) - 1, self.tree_.n_nodes))
        path.sort_indices()
        return path

    def get_depth(self) -> int:
        """Return the number of tests on the longest path."""
        return self._model().depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._model().n_leaves


class ClassTask(ClassifierMixin):  # type: ignore[misc]
    """Predicting classes, whatever has been learned."""

    classes_: Any
    n_classes_: Any
    _model: Any
    _answers: Any

    def _with_costs(self, problem: Problem) -> Problem:
        """Take the cost matrix and the estimate of probabilities into account."""
        estimate = getattr(self, "leaf", "majority")
        check_choice("leaf", estimate, LEAF_ESTIMATES)
        m = getattr(self, "leaf_m", 2.0)
        check_number("leaf_m", m, low=0.0)
        assert isinstance(problem.target, ClassTarget)
        costs = read_costs(getattr(self, "cost_matrix", None), problem.target)
        return with_costs(problem, LeafRule(estimate=estimate, m=float(m), cost_matrix=costs))

    def _read_target(self, y: Any, n_rows: int) -> ClassTarget:
        return read_classes(y, owner=type(self).__name__, n_rows=n_rows)

    def _class_factor(self, target: Any, weights: FloatArray | None) -> FloatArray | None:
        return class_factors(
            target,
            weights,
            class_weight=getattr(self, "class_weight", None),
            priors=getattr(self, "priors", None),
        )

    def _learned_columns(self, problem: Problem) -> None:
        super()._learned_columns(problem)
        assert isinstance(problem.target, ClassTarget)
        classes = problem.target.classes
        single = len(classes) == 1
        self.classes_ = classes[0] if single else list(classes)
        counts = [len(names) for names in classes]
        self.n_classes_ = counts[0] if single else counts

    def predict(self, X: Any) -> Array:
        """Return the most probable class of each row; of equally probable ones the first."""
        answers, model = self._answers(X), self._model()
        return decide(answers, model.classes, model.leaf)

    def predict_proba(self, X: Any) -> FloatArray | list[FloatArray]:
        """Return each row's class probabilities; a list of arrays for several outputs."""
        parts = by_output(self._answers(X), self._model().classes)
        return parts[0] if len(parts) == 1 else parts

    def predict_log_proba(self, X: Any) -> FloatArray | list[FloatArray]:
        """Return the logarithm of the probabilities; -inf where a probability is 0."""
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if isinstance(probabilities, list):
                return [np.log(part) for part in probabilities]
            return np.asarray(np.log(probabilities))


class TreeClassifier(ClassTask, TreeEstimator):
    """A single tree that predicts classes."""


class ValueTask(RegressorMixin):  # type: ignore[misc]
    """Predicting numbers, whatever has been learned."""

    _answers: Any

    def _read_target(self, y: Any, n_rows: int) -> ValueTarget:
        return read_values(y, owner=type(self).__name__, n_rows=n_rows)

    def predict(self, X: Any) -> FloatArray:
        """Return the value predicted for each row; a column per output where there are several."""
        return decide(self._answers(X), None)


class TreeRegressor(ValueTask, TreeEstimator):
    """A single tree that predicts numbers."""


def _n_outputs(target: ClassTarget | ValueTarget) -> int:
    if isinstance(target, ClassTarget):
        return len(target.classes)
    return 1 if target.single else int(target.values.shape[1])
