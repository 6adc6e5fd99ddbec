"""AdaBoost: weak learners, each fitted with more weight on the rows that earlier ones get wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import softmax

from treewright.adaboost.fit import (
    ALGORITHMS,
    LOSSES,
    Boosted,
    Rows,
    WeakLearner,
    boost_classes,
    boost_values,
    losses_of,
    reweigh_classes,
    reweigh_values,
)
from treewright.adaboost.rounds import RoundFigures
from treewright.array_types import Array, FloatArray
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.dependence.additive import Additive
from treewright.ensemble.explanation import EnsembleExplanation
from treewright.ensemble.listeners import Listener
from treewright.estimators.adaboost.base import WeightBoosting
from treewright.estimators.base import ClassTask, TreeEstimator, ValueTask
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.explain.shap_values import ShapValues
from treewright.parameters import check_choice, check_flag
from treewright.tree.leaf import decide


class AdaBoostClassifier(ClassTask, WeightBoosting):
    """AdaBoost for classes: AdaBoost.M1 and SAMME, with any weak learner.

    A drop-in replacement for scikit-learn's: change the import. Stumps, the default, are found by
    the engine on columns read once; they ask about categories and handle missing values. Other
    trees of Treewright grow on the engine, too; any other estimator is fitted with weights or,
    where it takes none, to rows drawn by their weights.

    Parameters
    ----------
    estimator : estimator, optional
        The weak learner: a single tree of Treewright, or any classifier that follows scikit-learn.
        None is ``DecisionTreeClassifier(max_depth=1)``, a stump of least Gini impurity;
        ``DecisionTreeClassifier(max_depth=1, criterion="misclassification")`` is one of least
        weighted error. Class weights are the learner's
        (``DecisionTreeClassifier(max_depth=1, class_weight="balanced")``) or, for the first round
        alone, a matter of `sample_weight`.
    n_estimators : int
        Number of rounds, at most.
    learning_rate : float
        Factor of the vote weight (alpha) of each learner.
    algorithm : {"SAMME", "M1"}
        ``"M1"`` (Freund and Schapire 1996) needs weighted errors below 1/2; ``"SAMME"`` (Zhu et al.
        2009) only errors below guessing among K classes, 1 - 1/K. For two classes they are equal.
    resample : bool, optional
        Whether learners are fitted to rows drawn by their weights instead of with the weights; None
        draws only for learners that take no weights.
    stop_when_correct : bool
        Stop as soon as the learners so far together classify every training row correctly.
    random_state : int, optional
        Seed of the draws and of learners that draw; None means 0, so that fits repeat.
    n_jobs : int, optional
        Threads; the model is the same for any number. None is as many as
        pay: one for small work or in a worker of another pool, else all processors that this
        process may use, as -1.
    verbose : int
        Show progress on standard error.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and votes and probabilities are as without.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, by what models of halves tell of the other half;
        `predict` then decides by them. ``"temperature"`` makes them less (or more) extreme,
        ``"isotonic"`` takes any increasing function, ``"shares"`` only puts back the shares of the
        classes that `class_weight` has changed, which the others do as well. ``calibration_`` tells
        what was done.
    categorical_features : list, optional
        Numeric columns that are codes of categories; here or in `estimator`, not in both.
    schema : Schema, optional
        What is declared about the columns; here or in `estimator`, not in both.

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees with their vote weights; absent where `estimator` is not a tree of Treewright.
    rounds_ : Rounds
        A table of the rounds: learner, weighted error, alpha, sum of weights, training error.
    estimators_ : list
        The fitted learners.
    estimator_weights_ : array
        Vote weight (alpha) of each learner.
    estimator_errors_ : array
        Weighted error of each learner in its round.
    n_estimators_ : int
        Number of learners: boosting may stop early.
    classes_ : array
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array

    Notes
    -----
    A learner with weighted error 0 is the last, with alpha 1. One that is no better than guessing
    stops boosting and is left out; a first one has to be used, with alpha 1. Of classes with equal
    votes the first is predicted.

    Examples
    --------
    >>> from treewright import AdaBoostClassifier, load_example
    >>> play = load_example("play_tennis")
    >>> boosted = AdaBoostClassifier(n_estimators=10).fit(play.X, play.y)
    >>> [round(score, 2) for score in boosted.staged_score(play.X, play.y)][:3]
    [0.64, 0.71, 0.86]
    >>> print(boosted.rounds_.text(max_rounds=4))
    round  learner                             error   alpha     sum   bound  training error
        1  Outlook != Overcast: No, else Yes  0.3571  0.5878  0.7143  0.9583          0.3571
        2  Humidity = High: No, else Yes      0.2667  1.0116  0.5333  0.8476          0.2857
      ...  6 rounds more
        9  Outlook != Overcast: No, else Yes  0.3427  0.6511  0.6855  0.4637          0.1429
       10  Humidity = High: No, else Yes      0.3585  0.5820  0.7170  0.4447          0.1429
    n_estimators=10 rounds were made

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5
    >>> AdaBoostClassifier(KNeighborsClassifier(1)).fit(X, y).predict([[0.2], [2.8]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        algorithm: str = "SAMME",
        resample: bool | None = None,
        stop_when_correct: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.algorithm = algorithm
        self.resample = resample
        self.stop_when_correct = stop_when_correct
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.categorical_features = categorical_features
        self.schema = schema

    def _own_tree(self) -> TreeEstimator:
        return DecisionTreeClassifier(max_depth=1)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("algorithm", self.algorithm, ALGORITHMS)
        check_flag("stop_when_correct", self.stop_when_correct)

    def _boost(
        self,
        rows: Rows,
        learner: WeakLearner,
        target: Any,
        listener: Listener[RoundFigures] | None,
    ) -> Boosted:
        return boost_classes(
            rows,
            learner,
            n_classes=len(target.classes[0]),
            n_rounds=int(self.n_estimators),
            algorithm=self.algorithm,
            learning_rate=float(self.learning_rate),
            stop_when_correct=bool(self.stop_when_correct),
            listener=listener,
        )

    def _reweigh(self, rows: Rows, predicted: Any, target: Any, number: int) -> None:
        reweigh_classes(rows, predicted, self._boosted.rounds[number].alpha)

    def predict(self, X: Any) -> Array:
        """Return the class with the most votes for each row; of equal ones the first.

        With a cost matrix, the class of least expected cost.
        """
        if self._calibration is not None:
            return decide(self._calibrated(X)[0], (self.classes_,), self._decides)
        return self._decided(self._answers(X))

    def _decided(self, shares: FloatArray) -> Array:
        rule = self._decides
        if rule.cost_matrix is not None:
            shares = self._probabilities(shares)
        return decide(shares, (self.classes_,), rule)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision function: the votes, scaled as in scikit-learn.

        For two classes one number per row: twice the share of votes for the second class less that
        for the first. For K classes a column each: the share of votes for the class, less the share
        of the others divided by K - 1.
        """
        return self._decision(self._answers(X))

    def _decision(self, shares: FloatArray) -> FloatArray:
        n_classes = shares.shape[1]
        if n_classes == 1:
            return np.zeros_like(shares)
        if n_classes == 2:
            return np.asarray(2.0 * (shares[:, 1] - shares[:, 0]))
        return np.asarray(shares - (1.0 - shares) / (n_classes - 1))

    def _explained(
        self, table: Table, background: Table | None, *, interactions: bool
    ) -> ShapValues:
        """Return the SHAP values of the decision function, which is linear in the votes."""
        shares = super()._explained(table, background, interactions=interactions)
        n_classes = len(shares.output_names)
        base = np.atleast_1d(shares.base_values)
        if n_classes == 1:
            return replace(shares, base_values=0.0, scale="decision function")
        if n_classes == 2:
            second = 4.0 * shares.values[..., 1]
            return replace(
                shares,
                values=second,
                base_values=float(2.0 * (base[1] - base[0])),
                output_names=shares.output_names[1:],
                scale="decision function",
            )
        return replace(
            shares,
            values=n_classes / (n_classes - 1) * shares.values,
            base_values=self._decision(base[np.newaxis])[0],
            scale="decision function",
        )

    def explain(self, row: object) -> EnsembleExplanation:
        """Return why one row is predicted as it is: see :meth:`RandomForestClassifier.explain`.

        What columns add is added to the decision function, which is linear in the votes.
        """
        model = self._model()
        table = model.row(row)
        votes = model.answers(table)
        told = self._probabilities(votes)[0]
        return self._explanation(
            model,
            table,
            answer=told,
            decides=votes[0] if self._decides.cost_matrix is None else told,
            explained=lambda rows: self._explained(rows, None, interactions=False),
        )

    def predict_proba(self, X: Any) -> FloatArray:
        """Return class probabilities: the softmax of the decision function (Zhu et al. 2009)."""
        return self._uncalibrated(X) if self._calibration is None else self._calibrated(X)[0]

    def _uncalibrated(self, X: Any) -> FloatArray:
        return self._probabilities(self._answers(X))

    def _added_up(self, output: str) -> Additive | str:
        added = super()._added_up(output)
        if isinstance(added, str) or output == "score":
            return added
        return replace(added, link=self._probabilities)

    def _answering(self, output: str) -> tuple[Callable[[Table], FloatArray], str]:
        if output == "score":
            return self._answers, "share of the votes"
        if self._calibration is not None:
            return super()._answering(output)
        return self._uncalibrated, "probability"

    def _probabilities(self, shares: FloatArray) -> FloatArray:
        n_classes = shares.shape[1]
        if n_classes == 1:
            return np.ones_like(shares)
        decision = self._decision(shares)
        if n_classes == 2:
            decision = np.column_stack([-decision, decision]) / 2.0
        else:
            decision = decision / (n_classes - 1)
        return np.asarray(softmax(decision, axis=1))

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the decision function after each round, which no calibration changes."""
        return map(self._decision, self._staged_answers(X))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Yield the predicted classes after each round; the last are those of `predict`."""
        if self._calibration is None:
            return map(self._decided, self._staged_answers(X))
        return (
            decide(told, (self.classes_,), self._decides) for told in self.staged_predict_proba(X)
        )

    def staged_predict_proba(self, X: Any) -> Iterator[FloatArray]:
        """Yield the class probabilities after each round; the last are those of `predict_proba`.

        With ``calibrate=`` all are calibrated by what was learned for the whole model.
        """
        told = map(self._probabilities, self._staged_answers(X))
        return told if self._calibration is None else map(self._calibration[0], told)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy after each round."""
        from sklearn.metrics import accuracy_score  # imported late: it loads many modules

        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))


class AdaBoostRegressor(ValueTask, WeightBoosting):
    """AdaBoost for regression: AdaBoost.R2 (Drucker 1997), with any weak learner.

    A drop-in replacement for scikit-learn's: change the import. As in the paper every learner is
    fitted to as many rows as there are, drawn with replacement by their weights; trees of
    Treewright draw them by their content, so that neither the order of the rows nor writing a row
    twice instead of giving it weight 2 changes a tree. The weighted median of the learners is
    predicted.

    Parameters
    ----------
    estimator : estimator, optional
        The weak learner: a single tree of Treewright, or any regressor that follows scikit-learn.
        None is ``DecisionTreeRegressor(max_depth=3)``.
    n_estimators : int
        Number of rounds, at most.
    learning_rate : float
        Factor of the vote weight (alpha) of each learner.
    loss : {"linear", "square", "exponential"}
        How deviations, as shares of the largest one of the round, count in a round's error.
    resample : bool, optional
        Whether learners are fitted to rows drawn by their weights (None, as in the paper) or with
        the weights themselves (False).
    random_state : int, optional
        Seed of the draws and of learners that draw; None means 0, so that fits repeat.
    n_jobs : int, optional
        Threads; the model is the same for any number. None is as many as
        pay: one for small work or in a worker of another pool, else all processors that this
        process may use, as -1.
    verbose : int
        Show progress on standard error.
    categorical_features : list, optional
        Numeric columns that are codes of categories; here or in `estimator`, not in both.
    schema : Schema, optional
        What is declared about the columns; here or in `estimator`, not in both.

    Attributes
    ----------
    ensemble_, rounds_, estimators_, estimator_weights_, estimator_errors_, n_estimators_
        As for :class:`AdaBoostClassifier`; errors are mean losses.
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array

    Examples
    --------
    >>> from treewright import AdaBoostRegressor
    >>> X = [[x] for x in range(40)]
    >>> y = [float(x > 20) for x in range(40)]
    >>> AdaBoostRegressor(n_estimators=10).fit(X, y).predict([[5], [30]]).tolist()
    [0.0, 1.0]
    """

    _resamples_by_default = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        resample: bool | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        categorical_features: Any = None,
        schema: Schema | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.categorical_features = categorical_features
        self.schema = schema

    def _own_tree(self) -> TreeEstimator:
        return DecisionTreeRegressor(max_depth=3)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("loss", self.loss, LOSSES)

    def _boost(
        self,
        rows: Rows,
        learner: WeakLearner,
        target: Any,
        listener: Listener[RoundFigures] | None,
    ) -> Boosted:
        return boost_values(
            rows,
            learner,
            target.values,
            n_rounds=int(self.n_estimators),
            loss=self.loss,
            learning_rate=float(self.learning_rate),
            listener=listener,
        )

    def _reweigh(self, rows: Rows, predicted: Any, target: Any, number: int) -> None:
        losses = losses_of(rows, predicted, target.values, self.loss, number)
        reweigh_values(rows, losses, self._boosted.rounds[number].alpha)

    def staged_predict(self, X: Any) -> Iterator[FloatArray]:
        """Yield the predictions after each round."""
        return (answers[:, 0] for answers in self._staged_answers(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the coefficient of determination after each round."""
        from sklearn.metrics import r2_score  # imported late: it loads many modules

        for predicted in self.staged_predict(X):
            yield float(r2_score(y, predicted, sample_weight=sample_weight))
