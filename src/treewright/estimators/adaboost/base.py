"""The parts that AdaBoost for classes and for regression share: weak learner, rounds, model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted

from treewright.adaboost.ensemble import WeightedEnsemble
from treewright.adaboost.fit import Boosted, Rows, WeakLearner, rows_of
from treewright.adaboost.rounds import RoundFigures, Rounds, learner_in_words
from treewright.adaboost.weak_trees import Stumps, WeightedTrees, is_stump
from treewright.array_types import Array, FloatArray
from treewright.data.read.class_weights import class_factors
from treewright.data.read.target import ClassTarget, ValueTarget
from treewright.data.read.weights import RowWeights
from treewright.data.table import Table
from treewright.ensemble.listeners import Listener, Listeners
from treewright.estimators.adaboost.weak_learner import (
    ExternalEnsemble,
    ExternalLearner,
    as_table,
    check_task,
    is_external,
    resamples,
)
from treewright.estimators.base import TreeEstimator
from treewright.estimators.callbacks import HasCallbacks, RoundTasks, ends_callbacks
from treewright.estimators.certainty.keeps_rows import all_or_nothing
from treewright.estimators.checks import check_n_estimators, check_verbose, seed_of
from treewright.estimators.estimator_parameter import (
    check_tree,
    given_once,
    refuse_declarations,
    refuse_groups,
)
from treewright.estimators.members import SumsTrees
from treewright.estimators.progress import AdaBoostProgress
from treewright.grow.costs import with_costs
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.grow.training_data import Reading
from treewright.parameters import check_number
from treewright.threads import n_threads
from treewright.tree.leaf import BY_MAJORITY, LeafRule


class WeightBoosting(HasCallbacks, SumsTrees):
    """AdaBoost with scikit-learn's interface."""

    estimator: Any
    n_estimators: Any
    learning_rate: Any
    resample: Any
    random_state: Any
    verbose: Any
    _resamples_by_default = False
    _boosted: Boosted
    ensemble_: WeightedEnsemble
    _external: ExternalEnsemble | None = None  # set where the learner is not a tree of Treewright

    def _own_tree(self) -> TreeEstimator:
        raise AssertionError("boosting has a task")

    def _boost(
        self,
        rows: Rows,
        learner: WeakLearner,
        target: ClassTarget | ValueTarget,
        listener: Listener[RoundFigures] | None,
    ) -> Boosted:
        raise AssertionError("boosting has an algorithm")

    def _reweigh(self, rows: Rows, predicted: Any, target: Any, number: int) -> None:
        raise AssertionError("boosting has an algorithm")

    def _is_external(self) -> bool:
        return is_external(self.estimator)

    def _base(self) -> TreeEstimator:
        given = self._own_tree() if self.estimator is None else self.estimator
        return check_tree(given, owner=self, others=True)

    def _options(self) -> GrowthOptions:
        return self._base()._options()

    def _checked_options(self) -> GrowthOptions:
        options = super()._checked_options()
        self._base()._pruner()  # refuse a wrong pruner before the data are read
        return options

    def _reading(self) -> Reading:
        reading = super()._reading()
        if self._is_external():
            return reading
        base = self._base()
        names = ("schema", "categorical_features")
        return replace(reading, **{name: given_once(name, self, base) for name in names})

    def _read_problem(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Problem:
        """Return the problem of the trees; whole-number weights are not copies: ratios matter."""
        problem = super()._read_problem(X, y, sample_weight, groups)
        return replace(problem, weights=problem.weights.ratios())

    def _check_parameters(self) -> None:
        check_n_estimators(self.n_estimators)
        check_number("learning_rate", self.learning_rate, low=1e-9, high=1e9)

    @ends_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit the weak learners, round by round.

        Parameters
        ----------
        X : table
            Any table, as for the single trees; for other estimators whatever `estimator` takes.
        y : array-like
            The target, one entry per row.
        sample_weight : array-like, optional
            Weight of each row in the first round. Only the ratios matter.
        groups : array-like, optional
            A label for each row, as for the single trees: where these are pruned by rows held out,
            whole groups are. Rows are drawn one by one (`resample`), because their weights differ.

        Returns
        -------
        self
        """
        self._check_calibrate()
        self._check_parameters()
        if self._is_external():
            refuse_groups(self, groups)
            return self._fit_external(X, y, sample_weight)
        base = self._base()
        resample = resamples(self.resample, base, by_default=self._resamples_by_default)
        problem = self._read_problem(X, y, sample_weight, groups)
        decides, target = problem.leaf, problem.target
        problem = replace(problem, leaf=decides.for_growing())
        learner = self._tree_learner(base, problem, resample=resample)

        def learn(estimator: Self, boosted: Boosted) -> None:
            ensemble = WeightedEnsemble(
                weights=boosted.alphas,
                trees=learner.trees(len(boosted.rounds)),
                schema=problem.table.schema,
                classes=target.classes if isinstance(target, ClassTarget) else None,
                criterion=problem.options.criterion,
                unseen=problem.options.unseen,
                leaf=decides,
            )
            estimator._learned(boosted, target, ensemble_=ensemble)
            estimator._learned_columns(problem)

        tasks = self._tasks(X, y, sample_weight, n_rounds=int(self.n_estimators))
        rows = rows_of(target, problem.weights)
        boosted = self._boost_with_listeners(rows, learner, target, learn, tasks)
        with all_or_nothing(self):
            learn(self, boosted)
            self._keep(X, y, sample_weight, groups)
        return self

    def _boost_with_listeners(
        self,
        rows: Rows,
        learner: WeakLearner,
        target: ClassTarget | ValueTarget,
        learn: Callable[[Self, Boosted], None],
        tasks: RoundTasks[RoundFigures] | None,
    ) -> Boosted:
        """Boost, with the callbacks and the progress display as listeners."""
        if tasks is None:
            return self._boost(rows, learner, target, self._progress())
        tasks.learn = lambda copied: learn(
            copied, Boosted(rounds=tuple(tasks.figures), stopped="boosting goes on")
        )
        boosted = self._boost(rows, learner, target, Listeners(self._progress(), tasks))
        tasks.close()
        return boosted

    def _tree_learner(
        self, base: TreeEstimator, problem: Problem, *, resample: bool
    ) -> Stumps | WeightedTrees:
        weighs = {
            name: getattr(base, name, None) for name in ("class_weight", "priors", "cost_matrix")
        }
        as_it_is = all(given is None for given in weighs.values())
        is_bare = base._pruner() is None and base._only_prunes()
        if not resample and as_it_is and is_bare and is_stump(problem):
            return Stumps(problem)
        target = problem.target
        if not isinstance(target, ClassTarget):
            return WeightedTrees(problem, base._grow_deciding, resample=resample)
        leaf = base._leaf_settings().rule(target)
        reading = base._reading()
        return WeightedTrees(
            problem,
            lambda own, report: base._grow_deciding(with_costs(own, leaf), report),
            resample=resample,
            factor=lambda weights: class_factors(
                target, weights, class_weight=reading.class_weight, priors=reading.priors
            ),
        )

    def _fit_external(self, X: Any, y: Any, sample_weight: Any) -> Self:
        check_task(self.estimator, owner=self)
        refuse_declarations(self)
        check_verbose(self.verbose)
        n_threads(self.n_jobs)
        resample = resamples(self.resample, self.estimator, by_default=self._resamples_by_default)
        table = as_table(X)
        target, weights = self._read_external(table, y, sample_weight)
        classes, decides = None, BY_MAJORITY
        if isinstance(target, ClassTarget):
            classes, decides = target.classes[0], self._leaf_settings().rule(target)
        learner = ExternalLearner(
            self.estimator,
            table,
            labels_of(target),
            classes=classes,
            resample=resample,
            seed=seed_of(self.random_state),
        )

        def learn(estimator: Self, boosted: Boosted) -> None:
            members = learner.members[: len(boosted.rounds)]
            other = ExternalEnsemble(members, boosted.alphas, classes, decides)
            estimator._learned(boosted, target, _external=other)
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(members[0], name):
                    setattr(estimator, name, getattr(members[0], name))

        tasks = self._tasks(X, y, sample_weight, n_rounds=int(self.n_estimators))
        rows = rows_of(target, weights)
        boosted = self._boost_with_listeners(rows, learner, target, learn, tasks)
        with all_or_nothing(self):
            learn(self, boosted)
            self._keep(X, y, sample_weight, None)
        return self

    def _read_external(
        self, table: Any, y: Any, sample_weight: Any
    ) -> tuple[ClassTarget | ValueTarget, RowWeights]:
        n_rows = _num_samples(table)
        reading = self._reading()
        target = reading.read_target(y, n_rows)
        return target, reading.read_weights(sample_weight, target, n_rows).ratios()

    def _learned(self, boosted: Boosted, target: ClassTarget | ValueTarget, **model: Any) -> None:
        """Set the fitted attributes; those of an earlier fit are removed."""
        for name in [name for name in vars(self) if name.endswith("_") or name == "_external"]:
            delattr(self, name)
        self._boosted = boosted
        self.estimator_weights_ = boosted.alphas
        self.estimator_errors_ = boosted.errors
        self.n_estimators_ = len(boosted.rounds)
        for name, value in model.items():
            setattr(self, name, value)
        if isinstance(target, ClassTarget):
            self.classes_ = target.classes[0]
            self.n_classes_ = len(target.classes[0])

    def _progress(self) -> AdaBoostProgress | None:
        return AdaBoostProgress(int(self.n_estimators)) if self.verbose else None

    def _model(self) -> WeightedEnsemble:
        check_is_fitted(self, "estimator_weights_")
        if self._external is not None:
            raise AttributeError(
                f"{type(self).__name__} of {type(self.estimator).__name__} has no trees of"
                " Treewright.\n  Hint: estimators_ has the fitted estimators."
            )
        return self.ensemble_

    @property
    def _decides(self) -> LeafRule:
        """How probabilities become a class."""
        return self.ensemble_.leaf if self._external is None else self._external.leaf

    def _staged_answers(self, X: Any) -> Iterator[FloatArray]:
        """Yield shares of votes, or predicted numbers, after each round."""
        check_is_fitted(self, "estimator_weights_")
        if self._external is not None:
            return self._external.staged_answers(X)
        table = self._table(X)
        return self.ensemble_.staged_answers(table, n_threads=self._threads_for(table))

    def _answers(self, X: Any) -> FloatArray:
        check_is_fitted(self, "estimator_weights_")
        if self._external is not None:
            return self._external.answers(X)
        table = self._table(X)
        return self.ensemble_.answers(table, n_threads=self._threads_for(table))

    def _threads_for(self, table: Table) -> int:
        return n_threads(self.n_jobs, table.n_rows * len(self.ensemble_))

    def staged_weights(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[FloatArray]:
        """Yield the weights of the training rows before each round, and after the last one.

        They are not kept by `fit` but computed again from the learners: the weights of the rows
        that a learner classifies correctly are multiplied by ``exp(-alpha)``, then all are divided
        by their sum. For two classes this makes the weight of correct and of wrong rows 1/2 each.

        Parameters
        ----------
        X, y, sample_weight
            As given to `fit`.

        Yields
        ------
        array of shape (n_rows,)
            Weights that add up to 1.

        Examples
        --------
        >>> from treewright import AdaBoostClassifier
        >>> X, y = [[1], [2], [3], [4], [5], [6]], ["+", "+", "-", "-", "+", "-"]
        >>> boosted = AdaBoostClassifier(n_estimators=2).fit(X, y)
        >>> for weights in boosted.staged_weights(X, y):
        ...     print(weights.round(4).tolist())
        [0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.1667]
        [0.1, 0.1, 0.1, 0.1, 0.5, 0.1]
        [0.0625, 0.0625, 0.25, 0.25, 0.3125, 0.0625]
        """
        check_is_fitted(self, "estimator_weights_")
        predictions: Iterator[Array]
        if self._external is not None:
            target, weights = self._read_external(as_table(X), y, sample_weight)
            predictions = self._external.predictions(X)
        else:
            problem = self._read_problem(X, y, sample_weight)
            target, weights = problem.target, problem.weights
            predictions = self._tree_predictions(X)
        rows = rows_of(target, weights)
        yield rows.shares()
        for number, predicted in enumerate(predictions):
            figures = self._boosted.rounds[number]
            if figures.sum_of_weights != 1.0:  # 1: the last round, which changed no weights
                self._reweigh(rows, predicted, target, number)
            yield rows.shares()

    def _tree_predictions(self, X: Any) -> Iterator[Array]:
        table = self._table(X)
        for tree in self.ensemble_:
            answers = tree.plan.answers(table, n_threads=n_threads(self.n_jobs, table.n_rows))
            if tree.classes is None:
                yield answers[:, 0]
            else:
                yield tree.leaf.choose(answers).astype(np.int32)

    @property
    def rounds_(self) -> Rounds:
        """The rounds as a table: learner, weighted error, vote weight (alpha), training error."""
        check_is_fitted(self, "estimator_weights_")

        def learner_of(round: int) -> str:
            if self._external is not None:
                return type(self._external.members[round]).__name__
            return learner_in_words(self.ensemble_[round])

        return Rounds(self._boosted.rounds, learner_of=learner_of, stopped=self._boosted.stopped)

    @property
    def estimator_(self) -> Any:
        """The weak learner, not fitted."""
        check_is_fitted(self, "estimator_weights_")
        return clone(self._own_tree() if self.estimator is None else self.estimator)

    def _member(self) -> TreeEstimator:
        member: TreeEstimator = self.estimator_
        return member

    def _members(self) -> Sequence[Any]:
        check_is_fitted(self, "estimator_weights_")
        return super()._members() if self._external is None else self._external.members

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of the impurity decrease that each column brings, learners weighted by alpha."""
        check_is_fitted(self, "estimator_weights_")
        if self._external is not None:
            return self._external.importances()
        return super().feature_importances_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._is_external():
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def labels_of(target: ClassTarget | ValueTarget) -> Array:
    """Return a single target in its original form: labels or numbers."""
    if isinstance(target, ClassTarget):
        labels: Array = target.classes[0][target.codes.reshape(-1)]
        return labels
    return target.values
