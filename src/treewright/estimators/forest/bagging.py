"""Bagging (Breiman 1996): any tree, or any estimator of scikit-learn, on resampled rows."""

from __future__ import annotations

import copy
import numbers
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, FloatArray, Int64Array, Probabilities
from treewright.data.read.target import read_classes
from treewright.data.schema import Schema
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import ParameterError
from treewright.estimators.base import TreeEstimator, logarithms
from treewright.estimators.certainty.keeps_rows import KeepsRows, all_or_nothing
from treewright.estimators.certainty.unseen import GivenRows, Unseen
from treewright.estimators.checks import check_n_estimators, seed_of
from treewright.estimators.estimator_parameter import (
    check_tree,
    is_tree,
    refuse_declarations,
)
from treewright.estimators.forest.base import ForestClassifier, ForestEstimator, ForestRegressor
from treewright.estimators.to_sklearn import check_not_calibrated, refuse
from treewright.grow.costs import LeafSettings
from treewright.grow.options import GrowthOptions
from treewright.parameters import check_count, check_flag
from treewright.tree.leaf import BY_MAJORITY, LeafRule, decide

_LEARNED = (
    "n_features_in_",
    "feature_names_in_",
    "classes_",
    "n_classes_",
    "estimators_features_",
    "oob_score_",
    "oob_decision_function_",
    "oob_prediction_",
)
"""Fitted attributes taken over from scikit-learn's Bagging, as far as it has them."""


def _decides_by_function(bagging: BaggingEstimator) -> bool:
    return bagging._is_external() and hasattr(bagging.estimator, "decision_function")


def _refuse_metadata(bagging: BaggingEstimator, method: str, metadata: dict[str, Any]) -> None:
    if metadata:
        raise ParameterError(
            f"{method} of {type(bagging).__name__} got {', '.join(metadata)}, which trees of"
            " Treewright do not take.\n"
            "  Hint: metadata go to an `estimator` of another kind that has asked for them."
        )


class BaggingEstimator(ForestEstimator):
    """Trees on resampled rows and columns; other estimators are delegated to scikit-learn."""

    estimator: Any
    max_features: Any
    bootstrap_features: Any
    oob_score: Any
    _delegate: Any = None  # scikit-learn's Bagging, if the estimator is not a tree of ours
    _decides: LeafRule = BY_MAJORITY  # of scikit-learn's Bagging
    _sklearn_name: str

    def _sklearn_bagging(self, **parameters: Any) -> Any:
        from sklearn import ensemble  # imported late: it loads a hundred modules

        return getattr(ensemble, self._sklearn_name)(**parameters)

    def _is_external(self) -> bool:
        """Return whether the estimator is one, but not a tree of Treewright."""
        given = self.estimator
        is_estimator = hasattr(given, "fit") and hasattr(given, "predict")
        return is_estimator and not isinstance(given, type) and not is_tree(given)

    def _base_given(self) -> Any:
        return self._own_tree() if self.estimator is None else self.estimator

    def _base(self) -> TreeEstimator:
        base = check_tree(self._base_given(), owner=self, others=True)
        if getattr(base, "features_per", "node") == "tree":
            raise ParameterError(
                f"features_per='tree' of estimator={type(base).__name__}(...) is not used: bagging"
                " draws the columns of each tree.\n"
                f"  Hint: {type(self).__name__}(..., max_features={base.max_features!r})."
            )
        return base

    def _options(self) -> GrowthOptions:
        return self._base()._options()

    def _column_draws(self, n_columns: int) -> tuple[int, bool]:
        check_flag("bootstrap_features", self.bootstrap_features)
        wanted = self.max_features
        is_share = isinstance(wanted, numbers.Real) and not isinstance(wanted, numbers.Integral)
        if is_share and 0.0 < float(wanted) <= 1.0:
            n_drawn = max(1, int(float(wanted) * n_columns))
        elif is_share:
            raise ParameterError(
                f"max_features={wanted!r}: a share of the columns must be above 0 and at most 1."
            )
        else:
            check_count("max_features", wanted, least=1)
            n_drawn = int(wanted)
        if n_drawn > n_columns:
            raise ParameterError(
                f"max_features={wanted!r} is more than the {n_columns} columns of the table."
            )
        if n_drawn == n_columns and not self.bootstrap_features:
            return 0, False
        return n_drawn, bool(self.bootstrap_features)

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        **metadata: Any,
    ) -> Self:
        """Fit the estimators, each to rows and columns drawn for it.

        Parameters
        ----------
        X : table
            Any table, as for the single trees; for other estimators whatever `estimator` takes.
        y : array-like
            The target, one entry per row.
        sample_weight : array-like, optional
            Weight of each row, each time that it is drawn. Only the ratios matter: rows are drawn
            alike whatever their weights, but not at all if the weight is 0.
        groups : array-like, optional
            A label for each row: rows of one label belong together, and whole groups are drawn, as
            in :meth:`RandomForestClassifier.fit`; for other estimators than trees of Treewright
            they are metadata like any other, and rows are drawn one by one.
        **metadata
            What `estimator` has asked for by ``set_fit_request``, where it is not a tree of
            Treewright and scikit-learn's metadata routing is enabled.

        Returns
        -------
        self
        """
        self._check_calibrate()
        if self._is_external():
            passed = metadata if groups is None else metadata | {"groups": groups}
            with all_or_nothing(self):
                self._fit_external(X, y, sample_weight, passed)
                self._keep(X, y, sample_weight, groups)
            return self
        _refuse_metadata(self, "fit", metadata)
        known = self._forget() if self._delegate is not None else {}
        try:
            super().fit(X, y, sample_weight, groups=groups)
        except BaseException:
            self.__dict__.update(known)
            raise
        forest = self._training_data()
        self.estimators_features_ = [
            np.array(forest.columns_of_tree(number), dtype=np.int64) for number in range(len(self))
        ]
        return self

    def _unseen(self, given: GivenRows, n_folds: int) -> Unseen:
        if self._delegate is not None:
            return KeepsRows._unseen(self, given, n_folds)
        return super()._unseen(given, n_folds)

    def _forget(self) -> dict[str, Any]:
        """Remove the fitted attributes, and return them."""
        learned = [name for name in self.__dict__ if name.endswith("_") or name == "_delegate"]
        return {name: self.__dict__.pop(name) for name in learned}

    def _fit_external(self, X: Any, y: Any, sample_weight: Any, metadata: dict[str, Any]) -> Self:
        check_n_estimators(self.n_estimators)
        check_flag("warm_start", self.warm_start)
        parameters = self._external_parameters()
        if self.warm_start and self._delegate is not None:
            delegate = copy.copy(self._delegate).set_params(**parameters)
            delegate.estimators_ = list(delegate.estimators_)
            delegate.estimators_features_ = list(delegate.estimators_features_)
        else:
            delegate = self._sklearn_bagging(**parameters)
        decides = self._external_rule(y)
        delegate.fit(X, y, sample_weight=sample_weight, **metadata)
        self._forget()
        self._training = None
        self._delegate = delegate
        self._decides = decides
        for name in _LEARNED:
            if hasattr(delegate, name):
                setattr(self, name, getattr(delegate, name))
        return self

    def _external_rule(self, y: Any) -> LeafRule:
        """Return the rule that decides by the probabilities of scikit-learn's Bagging."""
        given = getattr(self, "cost_matrix", None)
        if given is None:
            return BY_MAJORITY
        target = read_classes(y, owner=type(self).__name__)
        return LeafSettings(cost_matrix=given).rule(target)

    def _external_parameters(self) -> dict[str, Any]:
        refuse_declarations(self)
        parameters: dict[str, Any] = self.get_params(deep=False)
        for name in ("schema", "categorical_features", "cost_matrix", "calibrate"):
            parameters.pop(name, None)
        return parameters | {"random_state": seed_of(self.random_state) % 2**32}

    def _members(self) -> Any:
        return super()._members() if self._delegate is None else self._delegate.estimators_

    def _model(self) -> Ensemble:
        if self._delegate is not None:
            raise AttributeError(
                f"{type(self).__name__} of {type(self.estimator).__name__} has no trees: it was"
                " fitted by scikit-learn.\n  Hint: estimators_ has the fitted estimators."
            )
        return super()._model()

    def to_sklearn(self) -> Any:
        """Return a fitted model of scikit-learn: a random forest, or the bagging that was fitted.

        See :meth:`RandomForestClassifier.to_sklearn`; what is no tree of Treewright was bagged by
        scikit-learn itself.
        """
        if self._delegate is None:
            return super().to_sklearn()
        check_not_calibrated(self)
        if self._decides.cost_matrix is not None:
            raise refuse("its classes are chosen by a cost matrix", owner=self)
        return copy.deepcopy(self._delegate)

    @property
    def estimator_(self) -> Any:
        """The estimator that is fitted repeatedly, not fitted."""
        return super().estimator_ if self._delegate is None else self._delegate.estimator_

    @property
    def estimators_samples_(self) -> list[Int64Array]:
        """The rows drawn for each estimator, repeated as often as they were drawn."""
        if self._delegate is not None:
            drawn: list[Int64Array] = self._delegate.estimators_samples_
            return drawn
        return super().estimators_samples_

    def predict(self, X: Any, **metadata: Any) -> Array:
        """Return the combined prediction: the most probable class, or the mean.

        With a cost matrix, the class of least expected cost.
        """
        is_calibrated = getattr(self, "_calibration", None) is not None
        decides = self._decides.cost_matrix is not None or is_calibrated
        if self._delegate is not None and decides:
            shares = self.predict_proba(X, **metadata)
            return decide(shares, (self._delegate.classes_,), self._decides)
        return np.asarray(self._asked("predict", X, metadata))

    @available_if(_decides_by_function)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any, **metadata: Any) -> FloatArray:
        """Return the mean of the estimators' decision functions; only if they have one."""
        check_is_fitted(self)
        return np.asarray(self._asked("decision_function", X, metadata))

    def _asked(self, method: str, X: Any, metadata: dict[str, Any]) -> Any:
        """Return what scikit-learn's Bagging answers, if it is the model, or our trees."""
        if self._delegate is not None:
            return getattr(self._delegate, method)(X, **metadata)
        _refuse_metadata(self, method, metadata)
        return getattr(super(), method)(X)

    def get_metadata_routing(self) -> Any:
        """Return what metadata is asked for: by `estimator`, where it is not a tree of ours."""
        if self._is_external():
            return self._sklearn_bagging(estimator=self.estimator).get_metadata_routing()
        return super().get_metadata_routing()

    def __sklearn_tags__(self) -> Any:
        if self._is_external():
            return self._sklearn_bagging(estimator=self.estimator).__sklearn_tags__()
        return super().__sklearn_tags__()


class BaggingClassifier(BaggingEstimator, ForestClassifier):
    """Bagging for classes: trees (or other estimators) on resampled rows, averaged.

    A drop-in replacement for scikit-learn's: change the import. Trees of Treewright grow on its
    engine, from any table; the bootstrap is drawn by the content of rows: neither the order of the
    rows nor writing a row twice instead of giving it weight 2 changes a tree. Any other estimator
    is passed, with all parameters, to scikit-learn's ``BaggingClassifier``.

    Parameters
    ----------
    estimator : estimator, optional
        The estimator that is fitted repeatedly: a single tree of Treewright such as
        :class:`C45Classifier`, with its pruner, or a classifier that follows scikit-learn. None is
        :class:`DecisionTreeClassifier`.
    n_estimators : int
        Number of estimators.
    max_samples : int, float, optional
        Rows drawn for each: a number, or a share of all (trees: above 1 too, with replacement);
        None draws as many as there are.
    max_features : int or float
        Columns drawn for each: a number, or a share of all.
    bootstrap : bool
        Whether rows are drawn with replacement. Without, and with ``max_samples=1.0``, all
        estimators are fitted to all rows.
    bootstrap_features : bool
        Whether columns are drawn with replacement; a tree then has the distinct ones.
    oob_score : bool or callable
        Whether to estimate the accuracy out of bag. A function of the true and the predicted
        classes replaces accuracy (only if the estimators are trees of Treewright).
    warm_start : bool
        Whether `fit` keeps the existing estimators and adds to them up to `n_estimators`.
    n_jobs : int, optional
        Threads; the trees are the same for any number. None is as many as pay: one for small
        work or in a worker of another pool, else all processors that this process may use, as -1.
    random_state : int, optional
        Seed; None means 0, so that the same call gives the same trees.
    verbose : int
        Show progress on standard error.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and the estimators and their probabilities are as without.
        Here or in `estimator`, not in both.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.
    categorical_features : list, optional
        Numeric columns that are codes of categories; here or in `estimator`, not in both.
    schema : Schema, optional
        Declarations about the columns; here or in `estimator`, not in both.

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees; absent where `estimator` is not a tree of Treewright.
    estimators_ : list
        The fitted estimators.
    estimators_features_ : list of arrays
        Numbers of the columns drawn for each.
    estimators_samples_ : list of arrays
        Rows drawn for each; needs the training data, which are not pickled with trees.
    classes_ : array or list of arrays
    n_classes_ : int or list of int
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array
        Only where the estimators are trees.

    Examples
    --------
    >>> from treewright import BaggingClassifier, C45Classifier, load_example
    >>> play = load_example("play_tennis")
    >>> bagged = BaggingClassifier(C45Classifier(), n_estimators=25).fit(play.X, play.y)
    >>> len(bagged), bagged.predict(play.X)[:3].tolist()
    (25, ['No', 'No', 'Yes'])

    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5
    >>> BaggingClassifier(LogisticRegression()).fit(X, y).predict([[0.5], [2.5]]).tolist()
    [0, 1]
    """

    _sklearn_name = "BaggingClassifier"

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = 1.0,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.categorical_features = categorical_features
        self.schema = schema

    def predict_proba(self, X: Any, **metadata: Any) -> Probabilities:
        """Return the estimators' mean class probabilities (votes, where they have none)."""
        if self._delegate is not None and self._calibration is not None:
            return self._calibrated(X, **metadata)[0]
        return self._asked("predict_proba", X, metadata)

    def _class_weighting(self) -> tuple[Any, Any]:
        return (None, None) if self._is_external() else super()._class_weighting()

    def _uncalibrated(self, X: Any, **metadata: Any) -> Probabilities:
        if self._delegate is not None:
            return np.asarray(self._delegate.predict_proba(X, **metadata))
        return super()._uncalibrated(X)

    def predict_log_proba(self, X: Any, **metadata: Any) -> Probabilities:
        """Return the logarithm of the probabilities; -inf where a probability is 0."""
        if self._delegate is not None and self._calibration is not None:
            return logarithms(self.predict_proba(X, **metadata))
        return self._asked("predict_log_proba", X, metadata)


class BaggingRegressor(BaggingEstimator, ForestRegressor):
    """Bagging for regression: trees (or other estimators) on resampled rows, averaged.

    A drop-in replacement for scikit-learn's: change the import; see :class:`BaggingClassifier`.

    Parameters
    ----------
    estimator : estimator, optional
        The estimator that is fitted repeatedly: a single tree of Treewright such as
        :class:`M5Regressor`, or a regressor that follows scikit-learn. None is
        :class:`DecisionTreeRegressor`.
    n_estimators, max_samples, max_features, bootstrap, bootstrap_features, oob_score, \
warm_start, n_jobs, random_state, verbose, categorical_features, schema
        As for :class:`BaggingClassifier`; `oob_score` estimates the coefficient of determination.

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees; absent where `estimator` is not a tree of Treewright.
    estimators_, estimators_features_, estimators_samples_
        As for :class:`BaggingClassifier`.
    n_features_in_ : int
    feature_names_in_ : array
    feature_importances_ : array
        Only where the estimators are trees.

    Examples
    --------
    >>> from treewright import BaggingRegressor, M5Regressor
    >>> X = [[x] for x in range(40)]
    >>> y = [2.0 * x if x < 20 else 300.0 - 3.0 * x for x in range(40)]
    >>> bagged = BaggingRegressor(M5Regressor(smoothing=0), random_state=0).fit(X, y)
    >>> bagged.predict([[5], [30]]).round(3).tolist()
    [10.0, 210.0]
    """

    _sklearn_name = "BaggingRegressor"

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = 1.0,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        categorical_features: Any = None,
        schema: Schema | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.categorical_features = categorical_features
        self.schema = schema
