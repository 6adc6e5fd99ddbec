"""Weak learners that are not trees of Treewright: any estimator that follows scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, has_fit_parameter

from treewright.adaboost.ensemble import medians, on_grid
from treewright.adaboost.fit import Rows
from treewright.array_types import Array, FloatArray
from treewright.data.read.sparse import is_sparse
from treewright.errors import DataError, ParameterError
from treewright.estimators.base import TableEstimator
from treewright.estimators.estimator_parameter import is_tree
from treewright.tree.leaf import LeafRule


def is_external(given: object) -> bool:
    """Return whether an object is an estimator, but not a single tree of Treewright."""
    is_estimator = hasattr(given, "fit") and hasattr(given, "predict")
    return is_estimator and not isinstance(given, type) and not is_tree(given)


def check_task(given: Any, *, owner: Any) -> None:
    """Refuse a weak learner whose task (classes or regression) is not that of its owner."""
    wants_classes = is_classifier(owner)
    if is_classifier(given) == wants_classes:
        return
    kind, other = ("classes", "numbers") if wants_classes else ("numbers", "classes")
    raise ParameterError(
        f"estimator={type(given).__name__}(...) predicts {other}, but {type(owner).__name__}"
        f" predicts {kind}."
    )


def resamples(given: object, estimator: Any, *, by_default: bool) -> bool:
    """Return whether rows are drawn by their weights, or the weights are passed to the learner."""
    takes_weights = has_fit_parameter(estimator, "sample_weight")
    if given is None:
        return by_default or not takes_weights
    if not isinstance(given, bool | np.bool_):
        raise ParameterError(f"resample={given!r} must be True, False or None.")
    if not given and not takes_weights:
        raise ParameterError(
            f"resample=False hands weights to the weak learner, but {type(estimator).__name__} does"
            " not take sample_weight.\n  Hint: resample=True draws rows by their weights instead."
        )
    return bool(given)


class ExternalLearner:
    """A weak learner that fits a clone of an estimator in every round.

    Parameters
    ----------
    estimator
        The estimator that is cloned and fitted.
    X, y
        The training data; `y` as a one-dimensional array.
    classes
        The classes by their numbers; None for regression.
    resample
        Draw as many rows as there are, with replacement, by their weights.
    seed
        Seed of the draws and of the estimators' own ``random_state``.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Array,
        *,
        classes: Array | None,
        resample: bool,
        seed: int,
    ) -> None:
        self._estimator = estimator
        self._X = X
        self._y = y
        self._classes = classes
        self._resample = resample
        # scikit-learn's AdaBoost passes weights that add up to 1; trees of Treewright count cases
        # by them.
        self._total = float(len(y)) if isinstance(estimator, TableEstimator) else 1.0
        self._random = np.random.RandomState(seed % 2**32)
        self.members: list[Any] = []

    def learn(self, rows: Rows, number: int) -> Array:
        """Fit the estimator of a round; return its predictions."""
        made = clone(self._estimator)
        self._seed(made)
        shares = rows.shares()
        if self._resample:
            drawn = self._random.choice(len(shares), size=len(shares), p=shares / shares.sum())
            made.fit(_safe_indexing(self._X, drawn), self._y[drawn])
        else:
            made.fit(self._X, self._y, sample_weight=shares * self._total)
        self.members.append(made)
        return predictions_of(made, self._X, self._classes, len(shares))

    def _seed(self, made: Any) -> None:
        """Give the estimator, and those inside it, seeds of their own, as scikit-learn does."""
        names = sorted(made.get_params(deep=True))
        seeds = {
            name: self._random.randint(np.iinfo(np.int32).max)
            for name in names
            if name == "random_state" or name.endswith("__random_state")
        }
        if seeds:
            made.set_params(**seeds)


class ExternalEnsemble:
    """Fitted estimators with vote weights.

    Parameters
    ----------
    members
        The estimators.
    weights
        The vote weight of each.
    classes
        The classes by their numbers; None for regression.
    leaf
        How probabilities become a class.
    """

    def __init__(
        self, members: list[Any], weights: FloatArray, classes: Array | None, leaf: LeafRule
    ) -> None:
        self.members = members
        self.leaf = leaf
        self._weights = on_grid(weights)
        self._classes = classes

    def answers(self, X: Any) -> FloatArray:
        """Return each class's share of the votes, or the weighted median, a line per row."""
        *_, last = self.staged_answers(X, from_round=len(self.members))
        return last

    def staged_answers(self, X: Any, *, from_round: int = 1) -> Iterator[FloatArray]:
        """Yield the predictions of the first member, the first two, and so on."""
        predictions = np.column_stack([*self.predictions(X)])
        for n_members in range(from_round, len(self.members) + 1):
            weights, said = self._weights[:n_members], predictions[:, :n_members]
            if self._classes is None:
                yield medians(np.ascontiguousarray(said), weights)
                continue
            shares = [(said == number) @ weights for number in range(len(self._classes))]
            yield np.column_stack(shares) / weights.sum()

    def predictions(self, X: Any) -> Iterator[Array]:
        """Yield the predictions of each member."""
        table = as_table(X)
        for member in self.members:
            yield predictions_of(member, table, self._classes, _num_samples(table))

    def importances(self) -> FloatArray:
        """Return the mean importances of the members that have any, weighted by their votes."""
        for member in self.members:
            if not hasattr(member, "feature_importances_"):
                raise AttributeError(
                    f"{type(member).__name__} has no feature_importances_ to add up."
                )
        shares = np.array([member.feature_importances_ for member in self.members])
        mean: FloatArray = self._weights @ shares / self._weights.sum()
        return mean


def as_table(X: Any) -> Any:
    """Return the data in a form that rows can be taken from."""
    if is_sparse(X):
        return X if X.format == "csc" else X.tocsr()
    return X if hasattr(X, "shape") or hasattr(X, "iloc") else np.asarray(X)


def predictions_of(member: Any, X: Any, classes: Array | None, n_rows: int) -> Array:
    """Return the predictions of a fitted estimator: numbers, or classes by their numbers."""
    predicted = np.asarray(member.predict(X))
    if predicted.shape != (n_rows,):
        _refuse(member, f"an array of shape {predicted.shape} for {n_rows} rows")
    if classes is None:
        return predicted.astype(np.float64)
    number_of = {label: number for number, label in enumerate(classes.tolist())}
    labels, which = np.unique(predicted, return_inverse=True)
    numbers = [number_of.get(label, -1) for label in labels.tolist()]
    if -1 in numbers:
        _refuse(member, f"{labels[numbers.index(-1)]!r}, which is not among the classes")
    return np.array(numbers, dtype=np.int32)[which]


def _refuse(member: Any, what: str) -> NoReturn:
    raise DataError(f"the weak learner {type(member).__name__} predicts {what}.")
