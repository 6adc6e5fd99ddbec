"""The folds out of which members answer: rows that a member has not seen when it is asked."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
from sklearn import model_selection as sk

from treewright.array_types import Array, Int64Array
from treewright.errors import DataError, ParameterError, SmallDataWarning, warn
from treewright.estimators.checks import seed_of
from treewright.estimators.combine.rows import Rows
from treewright.parameters import is_whole

_USUAL = 5

Fold = tuple[Int64Array, Int64Array]
"""Rows to learn from, and rows to answer about."""


def divide(cv: Any, rows: Rows, random_state: Any) -> list[Fold]:
    """Return the folds: every row is answered about once, and groups are never divided.

    Parameters
    ----------
    cv
        None: five, or as many as there are rows (groups) if they are fewer. A number, a splitter of
        scikit-learn's kind, or pairs of positions.
    rows
        The rows.
    random_state
        None takes rows in their order, as scikit-learn does; anything else deals them.

    Examples
    --------
    >>> from treewright.estimators.combine.rows import read_rows
    >>> rows = read_rows([[0]] * 4, [1.0, 2, 3, 4], None, None, of_classes=False, owner="stack")
    >>> [held_out.tolist() for _, held_out in divide(2, rows, None)]
    [[0, 1], [2, 3]]
    """
    splitter = _splitter(cv, rows, random_state)
    by = rows.X if hasattr(rows.X, "shape") else np.zeros((rows.n_rows, 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of rare classes; told below
            pairs = list(splitter.split(by, rows.target, rows.groups))
    except ValueError as problem:
        raise DataError(f"cv={cv!r} cannot divide the {rows.n_rows} rows: {problem}") from problem
    folds = [(_positions(train), _positions(test)) for train, test in pairs]
    _check(folds, rows, cv)
    return folds


def _splitter(cv: Any, rows: Rows, random_state: Any) -> Any:
    if cv is not None and not is_whole(cv):
        if isinstance(cv, str) or not (hasattr(cv, "split") or np.iterable(cv)):
            raise ParameterError(
                f"cv={cv!r} must be a number of folds, a splitter of scikit-learn's kind, or pairs"
                " of row positions."
            )
        made = copy.deepcopy(sk.check_cv(cv))
        if random_state is not None and getattr(made, "random_state", 0) is None:
            made.random_state = seed_of(random_state) % 2**32
        return made
    n_folds = _n_folds(cv, rows)
    drawn: dict[str, Any] = {}
    if random_state is not None:
        drawn = {"shuffle": True, "random_state": seed_of(random_state) % 2**32}
    counts = np.bincount(rows.target) if rows.classes is not None else None
    if rows.groups is not None:
        if counts is not None and counts.max() >= n_folds:
            return sk.StratifiedGroupKFold(n_folds, **drawn)
        return sk.GroupKFold(n_folds, **drawn)
    # Classes of fewer rows than folds each can have no share in every fold.
    is_dealt_by_class = counts is not None and (cv is not None or counts.max() >= n_folds)
    return (sk.StratifiedKFold if is_dealt_by_class else sk.KFold)(n_folds, **drawn)


def _n_folds(cv: Any, rows: Rows) -> int:
    n_units = rows.n_rows if rows.groups is None else len(set(rows.groups.tolist()))
    unit = "row" if rows.groups is None else "group"
    if n_units < 2:
        raise DataError(
            f"n_samples={rows.n_rows}: folds need at least 2 {unit}s, of which one is held out;"
            f" there is {n_units}.\n  Hint: more rows; a single learner needs no folds."
        )
    if cv is None:
        return min(_USUAL, n_units)
    if cv < 2:
        raise ParameterError(f"cv={cv!r} must be at least 2 folds.")
    if cv > n_units:
        raise DataError(
            f"cv={cv} folds need at least as many {unit}s; there are {n_units}"
            f" (n_samples={rows.n_rows}).\n  Hint: cv={n_units}, or cv=None."
        )
    return int(cv)


def _check(folds: list[Fold], rows: Rows, cv: Any) -> None:
    held_out = np.concatenate([test for _, test in folds]) if folds else np.empty(0, np.int64)
    times = np.bincount(held_out, minlength=rows.n_rows) if len(held_out) else np.zeros(1)
    if len(times) != rows.n_rows or (times != 1).any():
        wrong = int(np.argmax(times != 1)) if len(times) == rows.n_rows else 0
        raise ParameterError(
            f"cv={cv!r} does not hold out every row once (row {wrong}: {int(times[wrong])} times);"
            " answers out of fold need partitions of the rows.\n  Hint: KFold, StratifiedKFold or"
            " GroupKFold."
        )
    if rows.groups is not None:
        for number, (train, test) in enumerate(folds):
            both = set(rows.groups[train].tolist()) & set(rows.groups[test].tolist())
            if both:
                raise ParameterError(
                    f"cv={cv!r} divides group {min(both, key=str)!r}: fold {number} holds out some"
                    " of its rows and learns from others.\n  Hint: cv=5, or GroupKFold."
                )
    if rows.classes is not None:
        _tell_unseen_classes(folds, rows.target, rows.classes)


def _tell_unseen_classes(folds: list[Fold], codes: Array, classes: Array) -> None:
    """Warn of classes that are held out with all their rows."""
    for number, (train, test) in enumerate(folds):
        unseen = np.setdiff1d(codes[test], codes[train])
        if len(unseen):
            label = classes[unseen[0]]
            label = label.item() if isinstance(label, np.generic) else label
            warn(
                f"class {label!r} has {int((codes == unseen[0]).sum())} rows, all held out in fold"
                f" {number}: its probability is 0 there.\n  Hint: leave such classes out, or join"
                " them with another.",
                SmallDataWarning,
            )
            return


def _positions(rows: Any) -> Int64Array:
    found = np.asarray(rows)
    return np.flatnonzero(found) if found.dtype == bool else found.astype(np.int64)
