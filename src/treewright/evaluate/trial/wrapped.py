"""What every learner around another learner shares: it is fitted to rows, and passes answers on."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array
from treewright.data.read.table import open_table
from treewright.data.read.take_rows import take_rows
from treewright.errors import DataError, UnsupportedError
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.learners import fit_parameter
from treewright.evaluate.trial.task_data import read_groups, read_weights


class Wrapped(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A learner around another one, whose answers it gives unless a subclass says otherwise.

    A subclass has an ``estimator`` among its parameters, and sets ``estimator_`` in its ``fit``.
    """

    estimator: Any
    estimator_: Any

    @property
    def classes_(self) -> Array:
        """The classes, in order."""
        check_is_fitted(self, "estimator_")
        classes: Array = self.estimator_.classes_
        return classes

    @property
    def n_features_in_(self) -> int:
        """Number of columns that it was fitted to."""
        check_is_fitted(self, "estimator_")
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the columns that it was fitted to."""
        check_is_fitted(self, "estimator_")
        names: Array = self.estimator_.feature_names_in_
        return names

    def predict(self, X: Any) -> Array:
        """Return the answer about each row."""
        check_is_fitted(self, "estimator_")
        answers: Array = self.estimator_.predict(X)
        return answers

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class for each row, as the estimator gives them."""
        check_is_fitted(self, "estimator_")
        shares: Array = self.estimator_.predict_proba(X)
        return shares

    def _refuse_numbers(self) -> None:
        """Refuse a regressor, where classes are needed."""
        if is_regressor(self.estimator):
            raise UnsupportedError(
                f"{type(self).__name__} is for classes, and {type(self.estimator).__name__}"
                " predicts numbers."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = getattr(self.estimator, "__sklearn_tags__", None)
        if inner is not None:
            own = inner()
            for name in ("estimator_type", "classifier_tags", "regressor_tags", "input_tags"):
                setattr(tags, name, getattr(own, name))
        return tags


def fitted_to(
    estimator: Any,
    X: Any,
    y: Any,
    rows: Array | None = None,
    *,
    sample_weight: Any = None,
    groups: Any = None,
) -> Any:
    """Return a clone of an estimator fitted to some rows (None: all), each as often as named.

    Weights are refused where the estimator takes none; groups, which it need not know, are not.
    """
    target = as_target(y)
    n_rows = open_table(X).n_rows
    if n_rows != len(target):
        raise DataError(f"X has {n_rows} rows and y has {len(target)}; they must be equally many.")
    chosen = np.arange(n_rows) if rows is None else rows
    passed = {}
    weights, known = read_weights(sample_weight, n_rows), read_groups(groups, n_rows)
    for name, values in (("sample_weight", weights), ("groups", known)):
        asked = None if values is None else fit_parameter(estimator, name)
        if asked is not None:
            passed[asked] = values[chosen]  # type: ignore[index]
        elif values is not None and name == "sample_weight":
            raise UnsupportedError(
                f"{type(estimator).__name__} takes no {name}: its fit has no such parameter."
            )
    if rows is not None:
        X = take_rows(X, rows)
    return clone(estimator).fit(X, target[chosen], **passed)
