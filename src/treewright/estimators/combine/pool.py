"""Final estimators of stacks: members' answers, each with one weight that is not negative.

They have a number for each member (and one for each class), so that a few hundred rows tell them:
docs/decisions/029.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.errors import DataError
from treewright.estimators.combine.simplex import least_squared_error

_PRIOR_ROWS = 1.0
"""Rows that the prior counts as: equal weights, and classes in the shares of the rows."""


class OpinionPool(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Probabilities multiplied, each raised to its member's weight: a logarithmic opinion pool.

    The logarithm of a probability is ``sum(weight * log(probability)) + offset``, up to what makes
    them add to 1, with one weight, 0 or more, for each member and one offset for each class: those
    of least log loss. Genest and Zidek, *Combining Probability Distributions*, Statistical Science
    1, 1986; a logistic regression on logarithms whose coefficients are shared by the classes.

    Parameters
    ----------
    n_members : int
        How many members the columns belong to: one column of each, the probability of the second
        class, or as many as there are classes.
    n_classes : int
        How many classes there are.

    Attributes
    ----------
    weights_ : array
        Of the members.
    offsets_ : array
        Of the classes.
    classes_ : array
        Codes of the classes.

    Examples
    --------
    >>> told = np.array([[0.9, 0.4], [0.8, 0.6], [0.2, 0.5], [0.1, 0.5]] * 20)
    >>> pool = OpinionPool(n_members=2).fit(told, [1, 1, 0, 0] * 20)
    >>> (pool.weights_[0] > 1.0 > pool.weights_[1]).item()
    True
    >>> pool.predict_proba([[0.7, 0.5]]).round(1).tolist()
    [[0.1, 0.9]]
    """

    def __init__(self, n_members: int = 1, n_classes: int = 2) -> None:
        self.n_members = n_members
        self.n_classes = n_classes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights.

        Parameters
        ----------
        X : array
            Probabilities, as the stack has them: the columns of each member side by side.
        y : array
            Codes of the classes, from 0 on.
        sample_weight : array, optional
            Weight of each row.

        Returns
        -------
        self
        """
        codes = np.asarray(y, dtype=np.int64)
        weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, float)
        weight = weight * (np.count_nonzero(weight) / weight.sum())
        X = np.asarray(X, dtype=np.float64)
        self.n_features_in_ = X.shape[1]
        told = self._by_member(X)
        n_classes = told.shape[2]
        counts = np.bincount(codes, weight, minlength=n_classes) + 1.0
        self.shares_: FloatArray = counts / counts.sum()
        # n rows do not show that anything is less probable.
        self.mixed_ = 1.0 / (np.count_nonzero(weight) + 2.0)
        self.classes_: Int64Array = np.arange(n_classes)
        at = _least_log_loss(self._logarithms(told), codes, weight)
        self.weights_, offsets = at[: told.shape[1]], at[told.shape[1] :]
        self.offsets_ = offsets - offsets.mean()
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of the classes."""
        check_is_fitted(self)
        logs = self._logarithms(self._by_member(np.asarray(X, dtype=np.float64)))
        return _softmax(np.einsum("nmk,m->nk", logs, self.weights_) + self.offsets_)

    def predict(self, X: Any) -> Array:
        """Return the code of the most probable class; of equally probable ones the first."""
        codes: Array = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return codes

    def _by_member(self, X: FloatArray) -> FloatArray:
        """Return probabilities, rows x members x classes."""
        n_columns = X.shape[1] // self.n_members
        if n_columns * self.n_members != X.shape[1]:
            raise DataError(f"{X.shape[1]} columns are not those of {self.n_members} members.")
        if n_columns == 1 and self.n_classes == 2:
            return np.stack([1.0 - X, X], axis=2)
        return X.reshape(len(X), self.n_members, n_columns)

    def _logarithms(self, told: FloatArray) -> FloatArray:
        mixed = (1.0 - self.mixed_) * told + self.mixed_ * self.shares_
        logs: FloatArray = np.log(mixed)
        return logs


class ConvexSum(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The mean of members' answers by the weights, adding to 1, of least squared error.

    Breiman, *Stacked Regressions*, Machine Learning 24, 1996.

    Attributes
    ----------
    weights_ : array
        Of the members.

    Examples
    --------
    >>> answers = np.array([[1.0, 3.0], [2.0, 4.0], [3.0, 5.0]])
    >>> ConvexSum().fit(answers, [1.5, 2.5, 3.5]).weights_.round(6).tolist()
    [0.75, 0.25]
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights from answers, rows x members, and the true values.

        Parameters
        ----------
        X, y, sample_weight
            Answers, values and weights of the rows.

        Returns
        -------
        self
        """
        answers = np.asarray(X, dtype=np.float64)
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self.n_features_in_ = answers.shape[1]
        self.weights_ = least_squared_error(answers, np.asarray(y, dtype=np.float64), weight)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the weighted means."""
        check_is_fitted(self)
        means: FloatArray = np.asarray(X, dtype=np.float64) @ self.weights_
        return means


def _least_log_loss(logs: FloatArray, codes: Int64Array, weight: FloatArray) -> FloatArray:
    """Return the weights of members, 0 or more, and the offsets of classes of least log loss."""
    n_rows, n_members, n_classes = logs.shape
    rows = np.arange(n_rows)
    prior = np.concatenate([np.full(n_members, 1.0 / n_members), np.zeros(n_classes)])

    def loss(at: FloatArray) -> tuple[float, FloatArray]:
        scores = np.einsum("nmk,m->nk", logs, at[:n_members]) + at[n_members:]
        most = scores.max(axis=1, keepdims=True)
        powers = np.exp(scores - most)
        sums = powers.sum(axis=1, keepdims=True)
        losses = (np.log(sums) + most)[:, 0] - scores[rows, codes]
        off = powers / sums
        off[rows, codes] -= 1.0
        off *= weight[:, np.newaxis]
        gradient = np.concatenate([np.einsum("nk,nmk->m", off, logs), off.sum(axis=0)])
        away = at - prior
        whole = float(weight @ losses) + 0.5 * _PRIOR_ROWS * float(away @ away)
        return whole / n_rows, (gradient + _PRIOR_ROWS * away) / n_rows

    found = minimize(
        loss,
        prior,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * n_members + [(None, None)] * n_classes,
        options={"maxiter": 1000, "ftol": 1e-13, "gtol": 1e-9},
    )
    at: FloatArray = found.x
    return at


def _softmax(scores: FloatArray) -> FloatArray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares
