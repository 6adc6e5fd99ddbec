"""How rows are divided into those that are learned from and those that judge.

Folds are scikit-learn's, stratified where classes are predicted, so that each fold has the classes
in the proportions of the table; rows of one group are never on both sides.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn import model_selection as sk

from treewright.array_types import Int64Array
from treewright.errors import DataError, ParameterError
from treewright.evaluate.trial.task_data import TaskData
from treewright.parameters import check_count, is_whole

LEAVE_ONE_OUT = "leave_one_out"
_MOST_SEED = 2**31
"""Repeats and parts have the seeds after it, which scikit-learn takes up to 2^32."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """One division of the rows: positions to learn from, and positions to judge on."""

    train: Int64Array
    test: Int64Array
    repeat: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Folds:
    """Divisions of the same rows, how they were made, and what is to be known about them."""

    splits: tuple[Split, ...]
    method: str
    n_repeats: int = 1
    seed: int | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.splits)

    @cached_property
    def judges_again(self) -> bool:
        """Whether rows are judged in several parts, so that their answers belong together."""
        rows = np.concatenate([each.test for each in self.splits])
        return len(np.unique(rows)) < len(rows)

    @property
    def share_held_out(self) -> float:
        """Rows judged for each row learned from: what the corrected t-test corrects by."""
        return float(np.mean([len(each.test) / len(each.train) for each in self.splits]))


def make_folds(
    data: TaskData, cv: Any, *, repeats: int = 1, stratify: bool = True, seed: int = 0
) -> Folds:
    """Return the folds that the rows of a table are divided into.

    Parameters
    ----------
    data
        The rows.
    cv
        A number of folds, ``"leave_one_out"``, a splitter of scikit-learn's kind, or pairs of
        positions to learn from and to judge on.
    repeats
        How often the rows are divided anew.
    stratify
        Whether folds keep the proportions of classes.
    seed
        Of the division.
    """
    check_count("random_state", seed, least=0)
    if seed > _MOST_SEED:
        raise ParameterError(f"random_state={seed} must be at most {_MOST_SEED}.")
    if not is_whole(repeats) or repeats < 1:
        raise ParameterError(f"repeats={repeats!r} must be a whole number, at least 1.")
    made = _folds(data, cv, repeats, stratify, seed)
    if data.weights is not None:
        for number, split in enumerate(made.splits):
            for rows, name in ((split.train, "to learn from"), (split.test, "to judge on")):
                if not data.weights[rows].any():
                    raise DataError(
                        f"part {number} of cv: the rows {name} have no weight.\n"
                        "  Hint: leave out the rows of weight 0, or take fewer folds."
                    )
    return made


def _folds(data: TaskData, cv: Any, repeats: int, stratify: bool, seed: int) -> Folds:
    if is_whole(cv):
        return _k_folds(data, int(cv), repeats, stratify, seed)
    if repeats != 1:
        raise ParameterError(
            f"repeats={repeats!r} is for a number of folds; cv={cv!r} divides rows in one way."
        )
    if isinstance(cv, str) and cv == LEAVE_ONE_OUT:
        return _leave_one_out(data)
    if hasattr(cv, "split") and not isinstance(cv, str):
        return _by_splitter(data, cv)
    if isinstance(cv, str) or not isinstance(cv, Iterable):
        raise ParameterError(
            f"cv={cv!r} must be a number of folds, 'leave_one_out', a splitter of scikit-learn's"
            " kind, or pairs of row positions."
        )
    pairs = []
    for number, pair in enumerate(cv):
        if not isinstance(pair, Sequence | np.ndarray) or isinstance(pair, str) or len(pair) != 2:
            raise ParameterError(
                f"part {number} of cv is {pair!r}; it must be a pair: positions of the rows to"
                " learn from, and of those to judge on."
            )
        pairs.append((pair[0], pair[1]))
    part = "part" if len(pairs) == 1 else "parts"
    return Folds(splits=_checked(pairs, data.n_rows), method=f"{len(pairs)} given {part}")


def _k_folds(data: TaskData, k: int, repeats: int, stratify: bool, seed: int) -> Folds:
    if k < 2:
        raise ParameterError(f"cv={k} must be at least 2 folds.")
    n_units = data.n_rows if data.groups is None else len(set(data.groups.tolist()))
    unit = "rows" if data.groups is None else "groups"
    if k > n_units:
        hint = f"\n  Hint: cv={n_units}, or cv='leave_one_out'." if n_units > 1 else ""
        raise DataError(f"cv={k} folds need at least as many {unit}; there are {n_units}.{hint}")
    by_class = stratify and data.task == "classes"
    notes: list[str] = []
    codes = None
    if by_class:
        codes = data.codes
        counts = np.bincount(codes, minlength=len(data.classes))
        if counts.max() < k:
            by_class = False
            notes.append(f"no class has {k} rows: folds are not stratified")
        elif counts.min() < k:
            rare = data.classes[int(counts.argmin())]
            notes.append(
                f"class {rare!r} has {int(counts.min())} rows, fewer than {k} folds: some folds"
                " have none"
            )
    pairs = []
    for repeat in range(repeats):
        made = _splitter(k, by_class=by_class, grouped=data.groups is not None, seed=seed + repeat)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # said in the notes
            parts = list(made.split(np.zeros(data.n_rows), codes, data.groups))
        pairs += [(train, test, repeat) for train, test in parts if len(test) and len(train)]
    splits = tuple(
        Split(train=train.astype(np.int64), test=test.astype(np.int64), repeat=repeat)
        for train, test, repeat in pairs
    )
    kind = ", stratified" if by_class else ""
    grouped = ", by group" if data.groups is not None else ""
    times = f"{repeats} x " if repeats > 1 else ""
    return Folds(
        splits=splits,
        method=f"{times}{k} folds{kind}{grouped}",
        n_repeats=repeats,
        seed=seed,
        notes=tuple(notes),
    )


def _splitter(k: int, *, by_class: bool, grouped: bool, seed: int) -> Any:
    if by_class and grouped:
        return sk.StratifiedGroupKFold(k, shuffle=True, random_state=seed)
    if grouped:
        return sk.GroupKFold(k, shuffle=True, random_state=seed)
    if by_class:
        return sk.StratifiedKFold(k, shuffle=True, random_state=seed)
    return sk.KFold(k, shuffle=True, random_state=seed)


def _leave_one_out(data: TaskData) -> Folds:
    if data.groups is None:
        rows = np.arange(data.n_rows)
        pairs = [(np.delete(rows, row), rows[row : row + 1]) for row in range(data.n_rows)]
        return Folds(splits=_checked(pairs, data.n_rows), method="leave-one-out")
    splitter = sk.LeaveOneGroupOut()
    pairs = list(splitter.split(np.zeros(data.n_rows), groups=data.groups))
    return Folds(splits=_checked(pairs, data.n_rows), method="leave-one-group-out")


def _by_splitter(data: TaskData, splitter: Any) -> Folds:
    codes = data.codes if data.task == "classes" else data.y
    pairs = list(splitter.split(np.zeros((data.n_rows, 1)), codes, data.groups))
    name = type(splitter).__name__
    return Folds(splits=_checked(pairs, data.n_rows), method=f"{len(pairs)} parts by {name}")


def _checked(pairs: list[tuple[Any, Any]], n_rows: int) -> tuple[Split, ...]:
    made = []
    for number, (train, test) in enumerate(pairs):
        parts = [_positions(part, number, n_rows) for part in (train, test)]
        for part, name in zip(parts, ("to learn from", "to judge on"), strict=True):
            if len(part) == 0:
                raise DataError(f"part {number} of cv has no rows {name}.")
            if part.min() < -n_rows or part.max() >= n_rows:
                raise DataError(f"part {number} of cv has positions beyond the {n_rows} rows.")
        common = np.intersect1d(parts[0] % n_rows, parts[1] % n_rows)
        if len(common):
            raise DataError(
                f"part {number} of cv judges row {common[0]}, which it learns from: {len(common)}"
                " rows are on both sides."
            )
        judged, n_times = np.unique(parts[1] % n_rows, return_counts=True)
        if n_times.max() > 1:
            row = judged[n_times.argmax()]
            raise DataError(f"part {number} of cv judges row {row} {n_times.max()} times.")
        made.append(Split(train=parts[0] % n_rows, test=parts[1] % n_rows))
    if not made:
        raise DataError("cv has no parts.")
    return tuple(made)


def _positions(part: Any, number: int, n_rows: int) -> Int64Array:
    """Return the positions of rows that are given as such, or as a mask."""
    try:
        found = np.asarray(part)
    except ValueError:  # lists of unequal lengths
        found = np.empty((0, 0))
    is_mask = found.dtype == bool
    if found.ndim == 1 and len(found) == 0:
        return np.empty(0, dtype=np.int64)
    if found.ndim != 1 or found.dtype.kind not in "biu" or (is_mask and len(found) != n_rows):
        raise ParameterError(
            f"part {number} of cv has {found.dtype} entries of shape {found.shape}; it must have"
            f" positions of rows, or a mask of {n_rows} rows."
        )
    return np.flatnonzero(found) if is_mask else found.astype(np.int64)


def hold_out(
    data: TaskData, rows: Int64Array, share: float, by_class: bool, seed: int
) -> tuple[Int64Array, Int64Array]:
    """Return the rows that stay and those, a share of them, that are held out.

    No group is on both sides; `by_class` keeps the proportions of classes where that can be.
    """
    codes = data.codes[rows] if data.task == "classes" else None
    if data.groups is not None:
        groups = data.groups[rows]
        n_groups = len(set(groups.tolist()))
        if n_groups < 2:
            raise DataError("groups has one group: none can be held out.")
        if by_class:
            k = min(max(2, round(1 / share)), n_groups)
            made: Any = sk.StratifiedGroupKFold(k, shuffle=True, random_state=seed)
        else:
            made = sk.GroupShuffleSplit(1, test_size=share, random_state=seed)
        stay, held = next(made.split(np.zeros(len(rows)), codes, groups))
    elif by_class and codes is not None and np.bincount(codes)[np.bincount(codes) > 0].min() > 1:
        made = sk.StratifiedShuffleSplit(1, test_size=share, random_state=seed)
        try:
            stay, held = next(made.split(np.zeros(len(rows)), codes))
        except ValueError:  # fewer rows held out than there are classes
            stay, held = _shuffled(len(rows), share, seed)
    else:
        stay, held = _shuffled(len(rows), share, seed)
    return np.sort(rows[stay]), np.sort(rows[held])


def _shuffled(n_rows: int, share: float, seed: int) -> tuple[Int64Array, Int64Array]:
    order = np.random.default_rng(seed).permutation(n_rows)
    n_held = round(share * n_rows)
    return order[n_held:], order[:n_held]
