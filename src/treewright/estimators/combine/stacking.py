"""Stacking (Wolpert 1992): a final estimator learns from what members answer out of fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn import ensemble
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.utils.metadata_routing import _routing_enabled, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, FloatArray
from treewright.data.read.dataframes import target_array
from treewright.errors import UnsupportedError
from treewright.estimators.certainty.keeps_rows import all_or_nothing
from treewright.estimators.certainty.predicts_intervals import PredictsIntervals
from treewright.estimators.combine.decides import DecidesByProbabilities
from treewright.estimators.combine.members import Member, check_task
from treewright.estimators.combine.pool import ConvexSum, OpinionPool
from treewright.estimators.combine.rows import Rows, learns_names
from treewright.estimators.combine.stack_members import StacksMembers
from treewright.estimators.estimator_parameter import given_once

_LEARNED_OF_ONE = (
    "_members",
    "_held",
    "_weights",
    "_final",
    "_fitted_to",
    "_calibration",
    "_decides",
)
"""What is learned of one output, and not by scikit-learn's stack of several."""


def _final_has(name: str) -> Any:
    """Return a check of whether the final estimator has a method; the usual one has it."""

    def check(stack: Any) -> bool:
        final = getattr(stack, "final_estimator_", stack.final_estimator)
        return final is None or getattr(final, name) is not None

    return check


class StackingClassifier(StacksMembers, DecidesByProbabilities, ensemble.StackingClassifier):  # type: ignore[misc]
    """Stacking for classes: learners of any kind, and one that learns what each is worth.

    A drop-in replacement for scikit-learn's, which it derives from: change the import. With a
    `final_estimator` of scikit-learn and numbers in the table, it gives the same answers. Members
    of Treewright get the table and the classes as they are (text, gaps, ordered classes, costs by
    name); members of other libraries get what they can read.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members with their names; ``"drop"`` leaves one out.
    final_estimator : estimator, optional
        The classifier that learns from the members' answers. None is
        :class:`~treewright.estimators.combine.pool.OpinionPool`, one weight for each member on the
        logarithms of its probabilities; scikit-learn's ``LogisticRegression`` where a member has no
        probabilities or the table passes through.
    cv : int, splitter, iterable or "prefit", optional
        Folds that members answer out of. None is 5, fewer where there are fewer rows; whole groups
        where `fit` has groups. ``"prefit"`` takes fitted members as they are.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}
        What members are asked for; auto takes the first that each has.
    n_jobs : int, optional
        Fits side by side; the model is the same for any number. None and 1 run one after the other,
        each with all threads.
    passthrough : bool
        Whether the final estimator sees the columns of the table too: any, if it is one of
        Treewright, else numbers.
    verbose : int
        Show progress on standard error.
    random_state : int, optional
        Seed of the folds, and of members that draw without one of their own. None takes rows in
        their order, as scikit-learn does, if `final_estimator` is given; else they are dealt by
        seed 0.
    calibrate : {"temperature", "isotonic"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and members, final estimator and probabilities are as
        without. Here or in `final_estimator`, not in both.

    Attributes
    ----------
    estimators_, named_estimators_, final_estimator_, stack_method_, classes_
        As in scikit-learn.
    weights_ : MemberWeights
        What each member counts for, beside its own log loss and accuracy out of fold and those of
        the stack; print it.

    Examples
    --------
    >>> from treewright import C45Classifier, RandomForestClassifier, StackingClassifier
    >>> from treewright import load_example
    >>> iris = load_example("iris")
    >>> members = [("forest", RandomForestClassifier()), ("tree", C45Classifier())]
    >>> stack = StackingClassifier(members).fit(iris.X, iris.y)
    >>> stack.predict(iris.X)[[0, 75, 149]].tolist()
    ['setosa', 'versicolor', 'virginica']
    >>> stack.weights_["forest"] > stack.weights_["tree"]
    True
    """

    _of_classes = True
    _label_encoder: Any

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        stack_method: str = "auto",
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
        random_state: Any = None,
        calibrate: str | None = None,
        cost_matrix: Any = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.stack_method = stack_method
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose
        self.random_state = random_state
        self.calibrate = calibrate
        self.cost_matrix = cost_matrix

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **metadata: Any
    ) -> Self:
        """Fit the members, and the final estimator to what they answer out of fold.

        Parameters
        ----------
        X : table
            Any table; learners of other libraries get a dataframe of what they cannot read.
        y : array-like
            The classes, one for each row; an ordered categorical keeps its order. Several columns
            of 0 and 1 (multilabel) are left to scikit-learn.
        sample_weight : array-like, optional
            Weight of each row, for members and the final estimator.
        groups : array-like, optional
            A label for each row: rows of one label belong together and are never divided between
            folds. Members that take groups get them too.
        **metadata
            What members have asked for by ``set_fit_request``, where scikit-learn's metadata
            routing is enabled.

        Returns
        -------
        self
        """
        if y is not None and _is_multilabel(y):
            with all_or_nothing(self):
                self._fit_several(X, y, sample_weight, groups, metadata)
            return self
        return super().fit(X, y, sample_weight, groups, **metadata)

    def _fit_several(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, metadata: dict[str, Any]
    ) -> None:
        """Fit several outputs by scikit-learn's stack."""
        if any(each is not None for each in (groups, self.calibrate, self.cost_matrix)):
            raise UnsupportedError(
                "groups, calibrate and cost_matrix are for one output; y has several.\n  Hint:"
                " leave them out, or fit a stack for each column of y."
            )
        for name in _LEARNED_OF_ONE:
            self.__dict__.pop(name, None)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        ensemble.StackingClassifier.fit(self, X, y, **weights, **metadata)

    @property
    def _is_several(self) -> bool:
        return isinstance(getattr(self, "_label_encoder", None), list)

    def _learned_target(self, rows: Rows) -> None:
        self._label_encoder = self._learned_classes(rows)

    def _check_members(self, members: Sequence[Member], rows: Rows) -> None:
        if not rows.is_ordered:  # a regressor learns the place of a class in their order
            check_task(members, of_classes=True, owner=type(self).__name__)

    def _default_final(self, members: Sequence[Member], rows: Rows) -> Any:
        if self.passthrough or any(each.method != "predict_proba" for each in members):
            return LogisticRegression()
        assert rows.classes is not None
        return OpinionPool(n_members=len(members), n_classes=len(rows.classes))

    def _final_of(self, members: Sequence[Member], rows: Rows) -> Member:
        found = super()._final_of(members, rows)
        if self.final_estimator is None:
            return replace(found, method="predict_proba")
        costs = given_once("cost_matrix", self, self.final_estimator)
        if self.cost_matrix is not None and found.method != "predict_proba":
            raise UnsupportedError(
                f"cost_matrix={costs!r} is weighed by probabilities, and final_estimator"
                f" {type(self.final_estimator).__name__} tells none.\n"
                "  Hint: final_estimator=None, or one with predict_proba."
            )
        return found

    def _concatenate_predictions(self, X: Any, predictions: Any) -> Any:
        if self._is_several:
            theirs = ensemble.StackingClassifier._concatenate_predictions
            return theirs(self, X, predictions)
        return super()._concatenate_predictions(X, predictions)

    def _transform(self, X: Any) -> Any:
        if self._is_several:
            return ensemble.StackingClassifier._transform(self, X)
        return super()._transform(X)

    @available_if(_final_has("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any, **predict_params: Any) -> Array:
        """Return the class of each row, as the final estimator decides.

        With a cost matrix, the class of least expected cost.

        Parameters
        ----------
        X : table
            The rows.
        **predict_params
            For the ``predict`` of the final estimator.

        Returns
        -------
        array
        """
        check_is_fitted(self)
        if self._decides_itself():
            return self._decided(X)
        if self._is_several or not learns_names(self.final_estimator_):
            return np.asarray(ensemble.StackingClassifier.predict(self, X, **predict_params))
        if _routing_enabled():
            routed = process_routing(self, "predict", **predict_params)
            predict_params = routed.final_estimator_["predict"]
        return np.asarray(self.final_estimator_.predict(self.transform(X), **predict_params))

    @available_if(_final_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class, in the order of ``classes_``.

        Parameters
        ----------
        X : table
            The rows.

        Returns
        -------
        array
            Rows x classes.
        """
        check_is_fitted(self)
        if self._is_several:
            return np.asarray(ensemble.StackingClassifier.predict_proba(self, X))
        return self._uncalibrated(X) if self._calibration is None else self._calibrated(X)[0]

    def _uncalibrated(self, X: Any) -> FloatArray:
        found = replace(self._final, method="predict_proba")
        shares: FloatArray = found.answers(self.final_estimator_, self.transform(X), self.classes_)
        return shares

    def _sk_visual_block_(self) -> Any:
        final = OpinionPool() if self.final_estimator is None else self.final_estimator
        return self._sk_visual_block_with_final_estimator(final)


class StackingRegressor(StacksMembers, PredictsIntervals, ensemble.StackingRegressor):  # type: ignore[misc]
    """Stacking for numbers: learners of any kind, and one that learns what each is worth.

    A drop-in replacement for scikit-learn's, which it derives from: change the import. See
    :class:`StackingClassifier` for tables and members.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members with their names; ``"drop"`` leaves one out.
    final_estimator : estimator, optional
        The regressor that learns from the members' answers. None is
        :class:`~treewright.estimators.combine.pool.ConvexSum`, the mean by weights that add to 1;
        scikit-learn's ``RidgeCV`` where the table passes through.
    cv, n_jobs, passthrough, verbose, random_state
        As for :class:`StackingClassifier`.

    Attributes
    ----------
    estimators_, named_estimators_, final_estimator_, stack_method_
        As in scikit-learn.
    weights_ : MemberWeights
        What each member counts for, beside its own error out of fold and that of the stack; print
        it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from treewright import CARTRegressor, StackingRegressor
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> y = 2 * X[:, 0] + (X[:, 0] > 20) * 10
    >>> members = [("line", LinearRegression()), ("tree", CARTRegressor())]
    >>> stack = StackingRegressor(members).fit(X, y)
    >>> stack.weights_.names, stack.weights_["line"] > stack.weights_["tree"]
    (('line', 'tree'), True)
    """

    _of_classes = False
    stack_method = "predict"  # of numbers there is nothing else to ask

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose
        self.random_state = random_state

    def _check_members(self, members: Sequence[Member], rows: Rows) -> None:
        check_task(members, of_classes=False, owner=type(self).__name__)

    def _default_final(self, members: Sequence[Member], rows: Rows) -> Any:
        return RidgeCV() if self.passthrough else ConvexSum()

    @available_if(_final_has("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any, **predict_params: Any) -> Array:
        """Return the number of each row, as the final estimator predicts it.

        Parameters
        ----------
        X : table
            The rows to predict.
        **predict_params
            For the ``predict`` of the final estimator.
        """
        check_is_fitted(self)
        return np.asarray(ensemble.StackingRegressor.predict(self, X, **predict_params))

    def _sk_visual_block_(self) -> Any:
        final = ConvexSum() if self.final_estimator is None else self.final_estimator
        return self._sk_visual_block_with_final_estimator(final)


def _is_multilabel(y: Any) -> bool:
    array = target_array(y)
    return (
        array.ndim == 2 and array.shape[1] > 1 and type_of_target(array) == "multilabel-indicator"
    )
