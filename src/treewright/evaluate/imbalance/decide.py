"""Classifiers that do not answer the most probable class: at least cost, or by a threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, FloatArray
from treewright.data.read.target import read_classes
from treewright.errors import ParameterError, UnsupportedError
from treewright.evaluate.imbalance.threshold import threshold
from treewright.evaluate.trial.wrapped import Wrapped, fitted_to
from treewright.grow.costs import read_costs


class LeastCost(ClassifierMixin, Wrapped):  # type: ignore[misc]
    """A classifier that answers the class of the least expected cost (Elkan 2001).

    Parameters
    ----------
    estimator
        A classifier with probabilities; it stays as it is.
    cost_matrix
        Cost of each answer, actual classes x predicted ones; or "balanced": an error about a class
        costs the more, the rarer the class is, so that all classes count alike.

    Attributes
    ----------
    estimator_
        The fitted classifier.
    cost_matrix_
        The costs.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> X, y = [[0.0]] * 8 + [[1.0]] * 8, ["pos"] + ["neg"] * 15
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> model = LeastCost(stump, cost_matrix={"pos": {"neg": 10}}).fit(X, y)
    >>> model.predict([[0.0], [1.0]]).tolist()
    ['pos', 'neg']
    """

    def __init__(self, estimator: Any, *, cost_matrix: Any = "balanced") -> None:
        self.estimator = estimator
        self.cost_matrix = cost_matrix

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> LeastCost:
        """Fit the classifier; weights and groups are passed on where it takes them."""
        self._refuse_numbers()
        if not hasattr(self.estimator, "predict_proba"):
            raise UnsupportedError(
                f"{type(self.estimator).__name__} gives no probabilities to weigh costs with."
            )
        known = read_classes(y, owner="LeastCost")
        if isinstance(self.cost_matrix, str):
            if self.cost_matrix != "balanced":
                raise ParameterError(
                    f"cost_matrix={self.cost_matrix!r} must be 'balanced' or the costs."
                )
            weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
            totals = np.bincount(known.codes.ravel(), weights, len(known.classes[0]))
            rarity = totals.sum() / (len(totals) * np.maximum(totals, 1e-300))
            costs: FloatArray | None = rarity[:, None] * (1.0 - np.eye(len(totals)))
        else:
            costs = read_costs(self.cost_matrix, known)
        if costs is None:
            raise ParameterError("cost_matrix=None must be 'balanced' or the costs.")
        self.estimator_ = fitted_to(
            self.estimator, X, y, sample_weight=sample_weight, groups=groups
        )
        self.cost_matrix_ = costs
        return self

    def predict(self, X: Any) -> Array:
        """Return the class of the least expected cost for each row; of equal ones the first."""
        check_is_fitted(self, "estimator_")
        answers: Array = self.classes_[np.argmin(self.predict_proba(X) @ self.cost_matrix_, axis=1)]
        return answers


class ChosenThreshold(ClassifierMixin, Wrapped):  # type: ignore[misc]
    """A classifier of two classes that chooses its threshold by cross-validation when it is fitted.

    Parameters
    ----------
    estimator
        A classifier with probabilities; it stays as it is.
    by, cost_matrix, positive
        As for :func:`threshold`; costs of "balanced" count both classes alike (Youden's J).
    cv
        Number of folds within the rows to learn from.
    random_state
        Seed of their division.

    Attributes
    ----------
    estimator_
        The classifier, fitted to all rows.
    threshold_
        From this probability on, a row is called positive.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> cancer = load_example("breast_cancer")
    >>> tree = DecisionTreeClassifier(min_samples_leaf=10)
    >>> model = ChosenThreshold(tree, by="f1").fit(cancer.X, cancer.y)
    >>> 0.0 < model.threshold_ < 1.0
    True
    """

    def __init__(
        self,
        estimator: Any,
        *,
        by: str = "cost",
        cost_matrix: Any = None,
        positive: Any = None,
        cv: int = 5,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.by = by
        self.cost_matrix = cost_matrix
        self.positive = positive
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> ChosenThreshold:
        """Choose the threshold on folds of these rows, and fit the classifier to all of them."""
        self._refuse_numbers()
        found = threshold(
            self.estimator,
            X,
            y,
            by=self.by,
            cost_matrix=self.cost_matrix,
            positive=self.positive,
            cv=self.cv,
            sample_weight=sample_weight,
            groups=groups,
            random_state=0 if self.random_state is None else self.random_state,
        )
        self.estimator_ = found.model
        self.threshold_ = found.threshold
        self.positive_code_ = found.goal.positive
        return self

    def predict(self, X: Any) -> Array:
        """Return the positive class where its probability reaches the threshold, else the other."""
        check_is_fitted(self, "estimator_")
        is_positive = self.predict_proba(X)[:, self.positive_code_] >= self.threshold_
        code = np.where(is_positive, self.positive_code_, 1 - self.positive_code_)
        answers: Array = self.classes_[code]
        return answers
