"""Intervals for numbers, by any regressor."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import FloatArray
from treewright.certainty.intervals import Intervals
from treewright.certainty.local_spread import learn_spread
from treewright.data.read.table import read_table
from treewright.errors import TreewrightWarning
from treewright.estimators.certainty.keeps_rows import N_FOLDS, JudgedRows, KeepsRows
from treewright.estimators.certainty.unseen import GivenRows, Unseen, known_target
from treewright.parameters import check_number


class PredictsIntervals(KeepsRows):
    """A regressor that predicts intervals."""

    n_jobs: Any
    predict: Any
    _intervals: Intervals | None = None

    def conformalize(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn how far off the model is from rows that it has not seen (split conformal).

        `predict_interval` then uses these rows, instead of models fitted anew to parts of the
        training rows; they are kept with the model.

        Parameters
        ----------
        X, y, sample_weight
            Rows that were not given to `fit`, with their targets and weights.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        given = GivenRows(X=X, y=y, sample_weight=sample_weight)
        truth = known_target(self, y, of_classes=False)
        answers = np.reshape(self.predict(X), (len(truth), -1))
        weight = given.weights()
        rows = np.arange(len(truth)) if weight is None else np.flatnonzero(weight > 0)
        unseen = Unseen(
            rows=rows,
            answers={None: [answers[rows]]},
            truth=truth[rows],
            weight=None if weight is None else weight[rows],
            source="rows given for it",
        )
        self._intervals = self._learned_intervals(given, unseen)
        return self

    def predict_interval(
        self,
        X: Any,
        level: float = 0.9,
        *,
        by: Any = None,
        X_train: Any = None,
        y_train: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> FloatArray:
        """Return an interval for each row that contains the target with this probability.

        Parameters
        ----------
        X : table
            The rows to predict.
        level : float
            The probability, above 0 and at most 1.
        by : str or int, optional
            A column of X (which the model need not use) whose values, few of them, are each to be
            covered with this probability, and not only all rows together.
        X_train, y_train, sample_weight, groups
            The training data as they were given to ``fit``; only needed where the model no longer
            has them, as after loading it, and only once.

        Returns
        -------
        array
            Lower and upper end for each row, rows x 2; for several outputs rows x outputs x 2.
            Infinite where there are too few rows to know.

        Notes
        -----
        Cross-conformal prediction (Vovk 2015): when first asked, the model is fitted anew to nine
        tenths of the rows ten times (whole groups, where `fit` had groups), and what its answers
        about the other tenth were off by is part of the model from then on. Errors are divided by
        those to be expected (a small forest of them), where that makes intervals narrower.
        Intervals cover on average over rows like the training rows, not for every row.

        Examples
        --------
        >>> import numpy as np
        >>> from treewright import DecisionTreeRegressor
        >>> random = np.random.default_rng(0)
        >>> X = random.uniform(size=(2000, 1))
        >>> y = X[:, 0] + 0.1 * random.normal(size=2000)
        >>> tree = DecisionTreeRegressor(min_samples_leaf=20).fit(X[:1000], y[:1000])
        >>> low, high = tree.predict_interval(X[1000:], level=0.9).T
        >>> bool(0.87 < np.mean((low <= y[1000:]) & (y[1000:] <= high)) < 0.93)
        True
        """
        check_number("level", level, low=0.0, high=1.0, open_low=True)
        check_is_fitted(self)
        again = (X_train, y_train, sample_weight, groups)
        return self._interval(X, float(level), by, again, asked={})

    def _interval(
        self, X: Any, level: float, by: Any, again: tuple[Any, ...], asked: dict[str, Any]
    ) -> FloatArray:
        intervals = self._intervals
        if intervals is None or again[0] is not None:
            given = self._rows_given(*again)
            intervals = self._learned_intervals(given, self._unseen(given, N_FOLDS))
            self._intervals = intervals
        predicted = self.predict(X, **asked)
        answers = np.reshape(predicted, (len(predicted), -1))
        expected = None if intervals.spread is None else intervals.spread(X, self.n_jobs)
        ends = intervals.ends(answers, expected, level, **self._labels(intervals.labels, X, by))
        return ends[:, 0] if ends.shape[1] == 1 else ends

    def _learned_intervals(self, given: GivenRows, unseen: Unseen) -> Intervals:
        errors = unseen.truth - unseen.answers[None][0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TreewrightWarning)  # said of the table by fit
            table = read_table(given.X, schema=getattr(self, "schema", None)).take(unseen.rows)
            learned = learn_spread(table, np.abs(errors), given.groups_of(unseen.rows), self.n_jobs)
        self._judged = JudgedRows(X=given.X, rows=unseen.rows)
        return Intervals(
            errors=errors,
            weight=unseen.weight,
            source=unseen.source,
            spread=None if learned is None else learned[0],
            expected=None if learned is None else learned[1],
        )
