"""The parts that all tree estimators share: reading, fitting, predicting, scikit-learn's rules.

``__init__`` only stores; ``fit`` validates and changes the estimator only once all has succeeded;
fitted attributes end in ``_``.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, FloatArray, Int64Array, Probabilities
from treewright.criteria import CLASS_CRITERIA, VALUE_CRITERIA
from treewright.data.read.table import match_table, open_table, read_frame
from treewright.data.read.target import ClassTarget
from treewright.data.table import Table
from treewright.errors import ParameterError
from treewright.estimators.certainty.keeps_rows import KeepsRows, all_or_nothing
from treewright.estimators.certainty.predicts_intervals import PredictsIntervals
from treewright.estimators.certainty.predicts_sets import PredictsSets
from treewright.estimators.certainty.shrinks_leaves import ShrinksLeaves
from treewright.estimators.checks import check_schema, check_verbose, seed_of, takes_any_table
from treewright.estimators.counterfactual.has_counterfactuals import HasCounterfactuals
from treewright.estimators.dependence.has_dependence import HasDependence
from treewright.estimators.notebook import ShowsModel
from treewright.estimators.progress import show, tree_progress
from treewright.estimators.refusals import RefusesMistakes
from treewright.estimators.to_sklearn import tree_to_sklearn
from treewright.estimators.tree_methods import HasTreeMethods
from treewright.explain.importances import IMPURITY_SHARE, Importances, one_line
from treewright.explain.shap import explain_tree
from treewright.explain.shap_values import ShapValues
from treewright.grow.costs import LeafSettings, deciding, for_growing, with_costs
from treewright.grow.fit import Report
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.grow.training_data import Reading, TrainingData, read_training_data
from treewright.parameters import check_flag, check_number
from treewright.prune import CostComplexity, Pruner, cost_complexity_path, pruner_of
from treewright.prune.fit import fit_pruned, holds_out
from treewright.threads import n_threads
from treewright.tree.leaf import by_output, decide
from treewright.tree.plan import Plan
from treewright.tree.tree import Tree


class TableEstimator(KeepsRows, ShowsModel, RefusesMistakes, BaseEstimator):  # type: ignore[misc]
    """An estimator that learns trees from a table, with scikit-learn's interface."""

    schema: Any
    # With scikit-learn's metadata routing, the groups of a splitter are those of the learner too.
    __metadata_request__fit = {"groups": True}  # noqa: RUF012 - scikit-learn reads a plain dict

    random_state: Any = None  # not a parameter of estimators that draw nothing
    n_jobs: Any
    verbose: Any

    _takes_outputs = False  # several targets at once
    _speaks_for: str | None = None  # the estimator that this one is fitted for: errors name it
    _grows_by_cost = False  # a cost matrix decides, and matters neither in growing nor in pruning

    def _options(self) -> GrowthOptions:
        """Return the options of a tree; each algorithm has its recipe."""
        raise AssertionError("an estimator has a recipe")

    def _checked_options(self) -> GrowthOptions:
        """Return the options; raise for an invalid parameter."""
        n_threads(self.n_jobs)  # refuse a wrong number before the data are read
        options = self._options()
        options.check(CLASS_CRITERIA if self._is_classifier() else VALUE_CRITERIA)
        return options

    def _model(self) -> Any:
        """Return the fitted model, which has a schema, classes and a leaf rule."""
        raise AssertionError("an estimator learns something")

    def _answers(self, X: Any) -> FloatArray:
        raise AssertionError("an estimator answers")

    def _reading(self) -> Reading:
        """Return how the training data are read."""
        reading = Reading(
            owner=self._speaks_for or type(self).__name__,
            learns="classes" if self._is_classifier() else "numbers",
            several_outputs=self._takes_outputs,
            **parameters_for(Reading, self),
        )
        check_schema(reading.schema)
        return reading

    def _leaf_settings(self) -> LeafSettings:
        """Return the settings of the leaves of a classification tree."""
        given = parameters_for(LeafSettings, self)
        return LeafSettings(**given, grows_by_cost=self._grows_by_cost)

    def _read_problem(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Problem:
        """Check the parameters, then return the problem that trees are grown from."""
        options = self._checked_options()
        reading = self._reading()
        check_verbose(self.verbose)
        seed = seed_of(self.random_state)
        data = read_training_data(X, y, sample_weight, reading, groups=groups)
        n_cells = data.table.n_rows * len(data.table.schema.columns)
        options = options.replace(n_threads=n_threads(self.n_jobs, self._n_trees_grown() * n_cells))
        problem = Problem(
            table=data.table,
            target=data.target,
            weights=data.weights,
            groups=data.groups,
            options=options,
            seed=seed,
            class_weight=reading.class_weight,
            priors=reading.priors,
        )
        if isinstance(data.target, ClassTarget):
            return with_costs(problem, self._leaf_settings().rule(data.target))
        return problem

    def _n_trees_grown(self) -> int:
        """Return how many trees `fit` grows: work that threads may share."""
        return 1

    def _learned_columns(self, data: TrainingData) -> None:
        schema = data.table.schema
        self.n_features_in_ = len(schema.input_names)
        if schema.named:
            self.feature_names_in_ = np.array(schema.input_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_outputs_ = data.n_outputs

    def _is_classifier(self) -> bool:
        return isinstance(self, ClassifierMixin)

    def _table(self, X: Any) -> Table:
        if isinstance(X, Table):  # rows that were made of one that was read
            return X
        model = self._model()
        owner, n_jobs = type(self).__name__, self.n_jobs
        return match_table(X, model.schema, owner=owner, unseen=model.unseen, n_jobs=n_jobs)

    def _as_read(self, X: Any) -> Any:
        """Return a table whose types and texts have been read once, if no other library reads it.

        A dataframe is read column by column, and its texts are coded, in most of the time that a
        small tree takes.
        """
        given = self.get_params(deep=False).values()
        others = [
            each for each in given if hasattr(each, "fit") and not isinstance(each, TableEstimator)
        ]
        return read_frame(X) if not others and open_table(X).names is not None else X

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of the impurity decrease that each column brings; 0 for columns that are not used.

        The share of a derived column is credited to its source columns, in equal parts; the model's
        own ``importances()`` keeps it apart.
        """
        model = self._model()
        importances: FloatArray = model.schema.by_input(model.column_shares())
        return importances

    def importances(self) -> Importances:
        """Return the importances of the columns, as in ``feature_importances_``."""
        names, shares = self._model().schema.input_names, self.feature_importances_
        return one_line("impurity", IMPURITY_SHARE, names, shares)

    def shap_values(
        self, X: Any, *, interactions: bool = False, background: Any = None
    ) -> ShapValues:
        """Return the SHAP values of each row: what each column adds to what is predicted.

        Of classes the probabilities are explained (the shares of the votes, where trees vote), of
        regression the number. Values and base value add up to it. They are exact; see
        :meth:`Tree.shap_values` for what a column that is not known means.

        Parameters
        ----------
        X : table
            The rows.
        interactions : bool
            Return the values of pairs of columns: symmetric, and each line sums to the value of its
            column.
        background : table, optional
            Rows that stand for what is not known (interventional SHAP); the values are the means
            over them. None takes the shares of the training rows (path-dependent SHAP).

        Returns
        -------
        ShapValues
            Rows x columns (x outputs, where there are several), with names; print it for a table.
        """
        check_flag("interactions", interactions)
        table = self._table(X)
        beside = None if background is None else self._table(background)
        return self._explained(table, beside, interactions=bool(interactions))

    def _explained(
        self, table: Table, background: Table | None, *, interactions: bool
    ) -> ShapValues:
        raise AssertionError("an estimator explains")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes_any_table(tags)
        tags.target_tags.required = True
        tags.target_tags.multi_output = self._takes_outputs
        return tags


class TreeEstimator(HasTreeMethods, HasDependence, HasCounterfactuals, TableEstimator):
    """A single tree with scikit-learn's interface."""

    tree_: Tree

    def _pruner(self) -> Pruner | None:
        """Return the pruner; an algorithm may have its own."""
        given = getattr(self, "prune", None)
        alpha = getattr(self, "ccp_alpha", 0.0)
        check_number("ccp_alpha", alpha, low=0.0)
        cp = getattr(self, "cp", None)
        if cp is not None:
            check_number("cp", cp, low=0.0)
            if given is not None:
                raise ParameterError(
                    f"prune={given!r} and cp={cp!r} are two ways to prune.\n"
                    "  Hint: prune=CostComplexity(cp=...) is what cp does."
                )
            return CostComplexity(cp=float(cp))
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

    def _checked_options(self) -> GrowthOptions:
        options = super()._checked_options()
        self._pruner()  # refuse a wrong pruner before the data are read
        return options

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Self:
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
        groups : array-like, optional
            A label for each row: rows of one label belong together (visits of a patient). A pruner
            that holds rows out, or cross-validates, keeps them on one side, so that it judges by
            groups that the tree has not seen. Nothing else depends on them.

        Returns
        -------
        self
        """

        self._check_calibrate()
        problem = self._read_problem(X, y, sample_weight, groups)
        if holds_out(self._pruner()):
            problem.warn_of_groups("The size of the tree is chosen")
        verbose = self.verbose
        report = tree_progress(problem.table.n_rows) if verbose else None
        tree = self._grow_deciding(problem, report)
        if verbose:
            show(f"grown: {tree.n_leaves} leaves".ljust(39), end="\n")
        with all_or_nothing(self):
            self._learned(tree, problem)
            self._keep(X, y, sample_weight, groups)
        return self

    def _grow(self, problem: Problem, report: Report | None) -> Tree:
        """Return the tree of a problem; some algorithms do more than grow it."""
        return fit_pruned(problem, self._pruner(), report=report)

    def _grow_deciding(self, problem: Problem, report: Report | None) -> Tree:
        """Return the tree of a problem, which decides by its leaf rule once all else is done."""
        grown = self._grow(for_growing(problem), report)
        return deciding(grown, problem.leaf)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the penalties at which cost-complexity pruning cuts the tree, as scikit-learn's.

        The tree is grown without pruning, and the estimator stays as it is.
        :func:`treewright.prune.cost_complexity_path` tells more of a tree that is there.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        Bunch
            ``ccp_alphas``, from 0 on, and ``impurities``, the sum over the leaves of the tree that
            is left at each.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> X, y = [[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "a"]
        >>> path = DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
        >>> path.ccp_alphas.round(3).tolist(), path.impurities.round(3).tolist()
        ([0.0, 0.24], [0.0, 0.48])
        """
        grown = fit_pruned(self._read_problem(X, y, sample_weight), None)
        alphas, impurities = cost_complexity_path(grown, on="impurity").steps()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def _only_prunes(self) -> bool:
        """Return whether grown trees are at most pruned, without any further step."""
        return True

    def _learned(self, tree: Tree, problem: Problem) -> None:
        self.tree_ = tree
        self.max_features_ = problem.options.n_features(len(problem.table.schema.columns))
        self._learned_columns(problem)

    def _model(self) -> Tree:
        try:
            return self.tree_
        except AttributeError:
            check_is_fitted(self)
            raise

    def _plan(self) -> Plan:
        tree = self._model()
        return tree.plan_by(n_threads(self.n_jobs, tree.n_nodes))

    def _answers(self, X: Any) -> FloatArray:
        table = self._table(X)
        return self._plan().answers(table, n_threads=n_threads(self.n_jobs, table.n_rows))

    def apply(self, X: Any) -> Int64Array:
        """Return the leaf of each row; for a divided row, the leaf with the largest part of it."""
        table = self._table(X)
        return self._plan().apply(table, n_threads=n_threads(self.n_jobs, table.n_rows))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes that each row passes, as a sparse indicator matrix of rows x nodes."""
        start, visited = self._plan().decision_path(self._table(X))
        ones = np.ones(len(visited), dtype=np.int8)
        return csr_matrix((ones, visited, start), shape=(len(start) - 1, self.tree_.n_nodes))

    def to_sklearn(self) -> Any:
        """Return the tree as a fitted ``DecisionTreeClassifier`` or ``-Regressor`` of scikit-learn.

        For programs that read scikit-learn's models: shap, skl2onnx and others. Its answers are
        ours, bit for bit, for numbers of single precision: scikit-learn rounds every table to that
        (``precision_`` of the result says so), and thresholds are rounded so that no such number
        changes sides. Its parameters, but for `criterion`, are scikit-learn's defaults.

        Raises
        ------
        UnsupportedError
            Unless every question cuts a column of numbers in two, every leaf predicts a constant
            and the most probable class is predicted, uncalibrated. Surrogates, and how missing
            values are divided, are lost with a :class:`~treewright.errors.ConversionWarning`.

        Examples
        --------
        >>> from treewright import DecisionTreeRegressor
        >>> theirs = DecisionTreeRegressor().fit([[1], [2], [3]], [5.0, 7.0, 7.0]).to_sklearn()
        >>> theirs, theirs.predict([[0], [4]]).tolist()
        (DecisionTreeRegressor(), [5.0, 7.0])
        """
        return tree_to_sklearn(self._model(), owner=self)

    def _explained(
        self, table: Table, background: Table | None, *, interactions: bool
    ) -> ShapValues:
        return explain_tree(
            self._model(),
            table,
            background=background,
            interactions=interactions,
            n_threads=n_threads(self.n_jobs, table.n_rows),
        )

    def get_depth(self) -> int:
        """Return the number of questions on the longest path."""
        return self._model().depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._model().n_leaves


class ClassTask(PredictsSets, ClassifierMixin):  # type: ignore[misc]
    """The prediction of classes, for any kind of model."""

    classes_: Any
    n_classes_: Any
    _model: Any
    _answers: Any
    _reading: Any

    def _class_weighting(self) -> tuple[Any, Any]:
        reading = self._reading()
        return reading.class_weight, reading.priors

    def _learned_columns(self, data: TrainingData) -> None:
        super()._learned_columns(data)
        assert isinstance(data.target, ClassTarget)
        classes = data.target.classes
        single = len(classes) == 1
        self.classes_ = classes[0] if single else list(classes)
        counts = [len(names) for names in classes]
        self.n_classes_ = counts[0] if single else counts

    def predict(self, X: Any) -> Array:
        """Return the most probable class of each row; of equally probable ones the first.

        With a cost matrix, the class of least expected cost; both by the calibrated probabilities,
        where there are such.
        """
        if self._calibration is not None:
            return self._decided_calibrated(X)
        return self._decided(self._answers(X))

    def _decided(self, answers: FloatArray) -> Array:
        model = self._model()
        return decide(answers, model.classes, model.leaf)

    def _decided_calibrated(self, X: Any, **asked: Any) -> Array:
        model = self._model()
        return decide(np.hstack(self._calibrated(X, **asked)), model.classes, model.leaf)

    def predict_proba(self, X: Any) -> Probabilities:
        """Return each row's class probabilities; a list of arrays for several outputs."""
        if self._calibration is None:
            return self._uncalibrated(X)
        parts = self._calibrated(X)
        return parts[0] if len(parts) == 1 else parts

    def _uncalibrated(self, X: Any) -> Probabilities:
        parts = by_output(self._answers(X), self._model().classes)
        return parts[0] if len(parts) == 1 else parts

    def predict_log_proba(self, X: Any) -> Probabilities:
        """Return the logarithm of the probabilities; -inf where a probability is 0."""
        return logarithms(self.predict_proba(X))


def logarithms(probabilities: Probabilities) -> Probabilities:
    """Return the logarithm of probabilities; -inf where one is 0."""
    with np.errstate(divide="ignore"):
        if isinstance(probabilities, list):
            return [np.log(part) for part in probabilities]
        return np.asarray(np.log(probabilities))


class TreeClassifier(ShrinksLeaves, ClassTask, TreeEstimator):
    """A single tree that predicts classes."""


class ValueTask(PredictsIntervals, RegressorMixin):  # type: ignore[misc]
    """The prediction of numbers, for any kind of model."""

    _answers: Any

    def predict(self, X: Any) -> FloatArray:
        """Return the number predicted for each row; a column per output where there are several."""
        return decide(self._answers(X), None)


class TreeRegressor(ValueTask, TreeEstimator):
    """A single tree that predicts numbers."""


def parameters_for(options: type, estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters of an estimator that are fields of an options class."""
    kind: Any = type(estimator)
    names = _parameters_of(options, kind)
    return {name: getattr(estimator, name) for name in names}


@cache  # to read a signature takes longer than to fit a small tree
def _parameters_of(options: type, estimator: Any) -> tuple[str, ...]:
    given = set(estimator._get_param_names())
    return tuple(field.name for field in fields(options) if field.name in given)
