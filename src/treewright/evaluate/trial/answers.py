"""What a learner answered about rows that it may not have seen, beside what is true of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray, FloatArray, Int64Array
from treewright.data.read.dataframes import target_array
from treewright.errors import DataError, ParameterError
from treewright.parameters import nearest_hint
from treewright.text.names import list_names

_FEW = 16
_TYPES_OF_KIND: dict[str, tuple[type, ...]] = {"U": (str,), "b": (bool,), "i": (int,)}
"""Types of classes that are compared with a whole array as they are with one of its values."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """Answers about some rows, and the truth; what every metric is computed from.

    Parameters
    ----------
    actual, predicted
        The truth and the answer, one entry per row.
    classes
        All classes, in order; empty for numbers.
    probabilities
        Rows x classes; None where the learner gives none.
    weights
        Weight of each row; None for equal ones.
    groups
        What belongs together, one entry per row.
    positive
        The class that precision, recall and the like are about; None for more than two classes.
    cost_matrix
        Cost of each answer: actual classes x predicted ones.
    """

    actual: Array
    predicted: Array
    classes: tuple[Any, ...] = ()
    probabilities: FloatArray | None = None
    weights: FloatArray | None = None
    groups: Array | None = None
    positive: Any = None
    cost_matrix: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.actual)

    def with_codes(self, actual: Int64Array, predicted: Int64Array) -> Answers:
        """Return the same, whose positions among the classes are known already."""
        vars(self).update(actual_codes=actual, predicted_codes=predicted)
        return self

    def rows(self, rows: Int64Array | BoolArray) -> Answers:
        """Return the answers about some of the rows."""
        parts = {
            name: values[rows]
            for name in ("actual", "predicted", "probabilities", "weights", "groups")
            if (values := getattr(self, name)) is not None
        }
        return replace(self, **parts)

    @cached_property
    def actual_codes(self) -> Int64Array:
        """Position of each row's class among the classes."""
        return code_classes(self.actual, self.classes)

    @cached_property
    def predicted_codes(self) -> Int64Array:
        """Position of each row's answer among the classes."""
        return code_classes(self.predicted, self.classes)

    @cached_property
    def is_right(self) -> BoolArray:
        """Whether the answer is the truth."""
        right: BoolArray = self.actual_codes == self.predicted_codes
        return right

    @property
    def row_weights(self) -> FloatArray:
        """The weight of each row; 1 where none are given."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @property
    def positive_code(self) -> int:
        """Position of the positive class."""
        return self.classes.index(self.positive)

    def counts(self) -> FloatArray:
        """Return the weight of the rows by actual class (rows) and predicted class (columns)."""
        n_classes = len(self.classes)
        cells = self.actual_codes * n_classes + self.predicted_codes
        counted = np.bincount(cells, weights=self.weights, minlength=n_classes**2)
        return counted.reshape(n_classes, n_classes).astype(np.float64)


def joined(parts: Sequence[Answers]) -> Answers:
    """Return the answers of several parts, such as folds, one after the other."""
    together: dict[str, Any] = {}
    for name in ("actual", "predicted", "probabilities", "weights", "groups"):
        values = [getattr(part, name) for part in parts]
        is_whole = all(each is not None for each in values)
        together[name] = np.concatenate(values) if is_whole else None
    whole = replace(parts[0], **together)
    if not whole.classes:
        return whole
    return whole.with_codes(
        np.concatenate([part.actual_codes for part in parts]),
        np.concatenate([part.predicted_codes for part in parts]),
    )


def code_classes(values: Array, classes: Sequence[Any]) -> Int64Array:
    """Return the position of each value among the classes; refuse a value that is none of them.

    >>> code_classes(np.array(["b", "a"]), ["a", "b"]).tolist()
    [1, 0]
    """
    codes = _by_comparing(values, classes)
    if codes is not None:
        return codes
    position = {_plain(each): i for i, each in enumerate(classes)}
    try:
        listed = [position[value] for value in values.tolist()]
    except (KeyError, TypeError):
        unknown = [repr(value) for value in values.tolist() if value not in position]
        raise DataError(
            f"{list_names(dict.fromkeys(unknown))} is none of the classes"
            f" {list_names(map(repr, position))}."
        ) from None
    return np.array(listed, dtype=np.int64)


def _by_comparing(values: Array, classes: Sequence[Any]) -> Int64Array | None:
    """Return the positions for few classes of one plain type, in a hundredth of the time; or None.

    None too where a value is none of the classes: the way by a dictionary tells which.
    """
    types = _TYPES_OF_KIND.get(values.dtype.kind)
    if types is None or len(classes) > _FEW or not all(type(each) in types for each in classes):
        return None
    codes = np.full(len(values), -1, dtype=np.int64)
    for i, each in enumerate(classes):
        codes[values == each] = i
    return codes if len(codes) and codes.min() >= 0 else None


def check_probabilities(found: FloatArray, name: str) -> None:
    """Refuse probabilities, rows x classes, that are none; 1 may be passed by a rounding error."""
    if found.size and found.min() >= 0 and found.max() <= 1 + 1e-9:  # not with NaN
        return
    wrong = np.flatnonzero(~((found >= 0) & (found <= 1 + 1e-9)).all(axis=1))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(f"{name} in row {row} are {found[row].tolist()}: not from 0 to 1.")


def as_target(y: Any, *, name: str = "y") -> Array:
    """Return a target, or answers, as a flat array."""
    array = target_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(
            f"{name} has {array.ndim} dimensions (shape {array.shape}); one value per row is"
            " judged.\n  Hint: judge one output at a time."
        )
    if len(array) == 0:
        raise DataError(f"{name} has no rows.")
    return array


def find_positive(positive: Any, classes: Sequence[Any]) -> Any:
    """Return the class that is asked about: the one given, or the second of two."""
    if positive is None:
        return classes[1] if len(classes) == 2 else None
    if _plain(positive) not in map(_plain, classes):
        hint = nearest_hint(positive, [each for each in classes if isinstance(each, str)])
        raise ParameterError(
            f"positive={positive!r} is none of the classes {list_names(map(repr, classes))}.{hint}"
        )
    return _plain(positive)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
