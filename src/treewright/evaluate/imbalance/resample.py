"""Resampling: rare classes drawn more often, or frequent ones more rarely, to learn from.

What is judged must be as it comes, so that rows are resampled after they are divided: a row with a
copy on the other side would be judged by a model that has seen it. :class:`Resampled` does so.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, Int64Array
from treewright.certainty.calibration import Shares
from treewright.data.read.target import read_classes
from treewright.errors import UnsupportedError
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.task_data import read_groups, read_weights
from treewright.evaluate.trial.wrapped import Wrapped, fitted_to
from treewright.parameters import check_choice, check_number

How: TypeAlias = Literal["over", "under"]


def resample(
    y: Any,
    *,
    how: How = "over",
    ratio: float = 1.0,
    groups: Any = None,
    random_state: int | np.random.Generator | None = 0,
) -> Int64Array:
    """Return positions of rows with classes in balance: some several times, or some not at all.

    Parameters
    ----------
    y
        The class of each row.
    how
        "over": classes get `ratio` times as many rows as the most frequent one, where they have
        fewer: every row as often as any other, and the rest drawn without replacement. "under":
        classes keep at most as many rows as the rarest one divided by `ratio`.
    ratio
        Rows of a rare class for each row of a frequent one; 1: equally many.
    groups
        What belongs together, an entry per row: the rows that a group has of a class are drawn
        together, so that numbers are met as nearly as whole groups allow.
    random_state
        Seed of the draws.

    Returns
    -------
    array of int
        Ascending; ``take(X, rows)`` and ``y[rows]`` are the resampled table.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array(["neg"] * 95 + ["pos"] * 5)
    >>> for how in ("over", "under"):
    ...     labels, counts = np.unique(y[resample(y, how=how)], return_counts=True)
    ...     print(how, dict(zip(labels.tolist(), counts.tolist())))
    over {'neg': 95, 'pos': 95}
    under {'neg': 5, 'pos': 5}
    """
    check_choice("how", how, get_args(How))
    check_number("ratio", ratio, low=0.0, high=1.0, open_low=True)
    codes = read_classes(y, owner="resample").codes.ravel().astype(np.int64)
    units = np.arange(len(codes))
    if groups is not None:
        known = read_groups(groups, len(codes))
        assert known is not None
        units = np.unique(known, return_inverse=True)[1]
    counts = np.bincount(codes)
    there = counts[counts > 0]
    random = np.random.default_rng(random_state)
    chosen = []
    for code in np.flatnonzero(counts):
        rows = np.flatnonzero(codes == code)
        if how == "over":
            wanted = max(len(rows), round(ratio * int(there.max())))
        else:
            wanted = min(len(rows), round(int(there.min()) / ratio))
        chosen.append(_drawn(rows, units[rows], wanted, random))
    return np.sort(np.concatenate(chosen)).astype(np.int64)


def _drawn(
    rows: Int64Array, units: Int64Array, wanted: int, random: np.random.Generator
) -> Int64Array:
    """Return rows `wanted` times in all: whole rounds, then whole units drawn for the rest."""
    rounds, rest = divmod(wanted, len(rows))
    parts = [rows] * rounds
    if rest:
        names, sizes = np.unique(units, return_counts=True)
        order = random.permutation(len(names))
        reached = np.cumsum(sizes[order])
        # The nearest number of rows; none at all only where rounds have drawn some already.
        n_units = int(np.argmin(np.abs(np.concatenate([[0], reached]) - rest)))
        drawn = names[order[: max(n_units, 0 if rounds else 1)]]
        parts.append(rows[np.isin(units, drawn)])
    return np.concatenate(parts)


class Resampled(ClassifierMixin, Wrapped):  # type: ignore[misc]
    """A classifier fitted to resampled rows; the rows it answers about stay as they are.

    In :func:`cross_validate`, :func:`compare` and every other place that divides rows, only the
    rows to learn from are resampled, so that no copy is ever judged. A classifier that holds out
    rows itself is told which are copies where its ``fit`` takes ``groups``; of one that does not,
    what it says about itself (out of bag, chosen rounds) is too good.

    Parameters
    ----------
    estimator
        The classifier; it stays as it is.
    how, ratio
        As for :func:`resample`.
    calibrate : {"shares"}, optional
        Put the shares of the classes in the table back into the probabilities, and decide by them:
        after resampling, rare classes seem as probable as frequent ones.
    random_state
        Seed of the draws; None: another one at each fit.

    Attributes
    ----------
    estimator_
        The fitted classifier.
    calibration_
        What is done to its probabilities, ``told()`` says it; None if nothing.
    rows_
        Positions of the rows that it was fitted to.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, load_example
    >>> from treewright.evaluate import cross_validate
    >>> loans = load_example("loans")
    >>> tree = DecisionTreeClassifier(max_depth=4)
    >>> for learner in (tree, Resampled(tree, random_state=0)):
    ...     found = cross_validate(learner, loans.X, loans.y, cv=5, metrics="balanced_accuracy")
    ...     print(found["balanced_accuracy"].value_text())
    50.1 %
    62.6 %
    """

    def __init__(
        self,
        estimator: Any,
        *,
        how: How = "over",
        ratio: float = 1.0,
        calibrate: str | None = None,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.how = how
        self.ratio = ratio
        self.calibrate = calibrate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Resampled:
        """Fit the classifier to resampled rows; a row drawn k times counts k times.

        Parameters
        ----------
        X, y
            Table and target.
        sample_weight
            Weights of the rows, where the classifier takes them.
        groups
            What belongs together: it is drawn together, and told to a classifier that asks.
        """
        self._refuse_numbers()
        if self.calibrate is not None:
            check_choice("calibrate", self.calibrate, ("shares",))
            if not hasattr(self.estimator, "predict_proba"):
                raise UnsupportedError(
                    f"calibrate='shares' changes probabilities, and"
                    f" {type(self.estimator).__name__} has none.\n  Hint: calibrate=None."
                )
        rows: Array = resample(
            y,
            how=self.how,
            ratio=self.ratio,
            groups=groups,
            random_state=self.random_state,
        )
        if groups is None:
            groups = np.arange(len(as_target(y)))  # copies of a row belong together
        fitted = fitted_to(self.estimator, X, y, rows, sample_weight=sample_weight, groups=groups)
        self.calibration_ = self._shares(fitted, y, rows, sample_weight)
        self.rows_ = rows
        self.estimator_ = fitted
        return self

    def _shares(self, fitted: Any, y: Any, rows: Array, sample_weight: Any) -> Shares | None:
        """Return what undoes that a class was drawn more often, or more rarely, than it is there.

        Rows are drawn whatever their weight, so that the weights of the drawn rows are compared.
        """
        if self.calibrate is None:
            return None
        target = as_target(y)
        weight = read_weights(sample_weight, len(target))
        weight = np.ones(len(target)) if weight is None else weight
        labels = np.asarray(fitted.classes_)
        there = np.array([weight[target == label].sum() for label in labels])
        drawn = np.array([weight[rows][target[rows] == label].sum() for label in labels])
        return Shares(factor=np.where(there > 0, drawn / np.where(there > 0, there, 1.0), 1.0))

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class for each row; of the table's shares if so asked."""
        told = super().predict_proba(X)
        return told if self.calibration_ is None else self.calibration_(np.asarray(told))

    def predict(self, X: Any) -> Array:
        """Return the answer about each row: the most probable class, where shares are put back."""
        check_is_fitted(self, "estimator_")
        if self.calibration_ is None:
            return super().predict(X)
        answers: Array = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return answers
