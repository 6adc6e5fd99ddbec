"""Targets: the classes or numbers that a model is trained to predict, checked once.

Messages that scikit-learn's estimator checks look for begin with its wording; the rest says where
and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray, FloatArray, Int32Array, Int64Array
from treewright.data.codes import code_numbers, code_text, code_text_array
from treewright.data.objects import read_objects
from treewright.data.read.arrays import refuse_dtype
from treewright.data.read.dataframes import declared_classes, target_array
from treewright.data.read.sparse import is_sparse
from treewright.errors import DataError, OtherTypeWarning, TargetError, warn
from treewright.text.names import list_names

_OF_BOTH_TASKS = (
    "AdaBoost",
    "CART",
    "CHAID",
    "DecisionTree",
    "GradientBoosting",
    "ObliqueTree",
)
"""Stems of the estimators that exist both for classes and for numbers."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassTarget:
    """A target of classes.

    Attributes
    ----------
    codes : int32 array of shape (n,) or (n, outputs)
        Position of each row's class in `classes`.
    classes : tuple of arrays
        For each output its classes in the type of the target: in their order where one is
        declared, else ascending.
    single : bool
        Whether there is one output.
    ordered : bool
        Whether the order of the classes means something: it is declared, or they are numbers.
    n_declared : int
        Number of classes that the type of a single target declares (a categorical), occurring or
        not; 0 where it declares none.
    """

    codes: Int32Array
    classes: tuple[Array, ...]
    single: bool
    ordered: bool = False
    n_declared: int = 0

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return len(self.classes)

    def require_order(self, what: str) -> None:
        """Refuse classes without an order, which `what` is for."""
        if not self.ordered:
            names = list_names(map(repr, self.classes[0].tolist()))
            raise TargetError(
                f"{what} is for classes in an order, and y has names without one: {names}.\n"
                "  Hint: schema=Schema(class_order=[...]), lowest first, or an ordered categorical"
                " as y."
            )

    def take(self, rows: Int64Array) -> ClassTarget:
        """Return the target of the given rows."""
        return replace(self, codes=self.codes[rows])


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueTarget:
    """A target of numbers: float64 of shape (n,) or (n, outputs)."""

    values: FloatArray

    @property
    def single(self) -> bool:
        """Whether there is one output."""
        return self.values.ndim == 1

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return 1 if self.values.ndim == 1 else int(self.values.shape[1])

    def take(self, rows: Int64Array) -> ValueTarget:
        """Return the target of the given rows."""
        return ValueTarget(values=self.values[rows])


def read_classes(
    y: Any, *, owner: str, n_rows: int | None = None, class_order: Sequence[Any] = ()
) -> ClassTarget:
    """Return a target of classes: text, booleans, or whole numbers.

    Parameters
    ----------
    y : array-like
        One class per row, or one column per output.
    owner : str
        Name of the estimator, for messages.
    n_rows : int, optional
        Number of rows of the table, to compare with.
    class_order : sequence, optional
        The classes in their order; by default that of an ordered categorical, or ascending.

    Examples
    --------
    >>> target = read_classes(["no", "yes", "no"], owner="ID3Classifier")
    >>> target.codes.tolist(), target.classes[0].tolist()
    ([0, 1, 0], ['no', 'yes'])
    >>> target = read_classes(["low", "high"], owner="Tree", class_order=["low", "mid", "high"])
    >>> target.codes.tolist(), target.classes[0].tolist(), target.ordered
    ([0, 1], ['low', 'high'], True)
    """
    outputs, single = _outputs(y, owner, n_rows, of_classes=True)
    coded = [_code_classes(output, owner) for output in outputs]
    ordered = all(output.dtype.kind in "biuf" for output in outputs)
    declared = declared_classes(y)
    if class_order:
        coded, ordered = [_in_order(*each, class_order) for each in coded], True
    elif single and declared.ordered:
        coded, ordered = [_in_order(*coded[0], declared.values)], True
    codes = coded[0][0] if single else np.stack([code for code, _ in coded], axis=1)
    return ClassTarget(
        codes=codes,
        classes=tuple(classes for _, classes in coded),
        single=single,
        ordered=ordered,
        n_declared=len(declared.values),
    )


def read_values(y: Any, *, owner: str, n_rows: int | None = None) -> ValueTarget:
    """Return a target of numbers; parameters as for :func:`read_classes`.

    >>> read_values([1, 2.5], owner="CARTRegressor").values.tolist()
    [1.0, 2.5]
    """
    outputs, single = _outputs(y, owner, n_rows, of_classes=False)
    values = [_as_numbers(output, owner) for output in outputs]
    return ValueTarget(values=values[0] if single else np.stack(values, axis=1))


def _how_to_align(array: Array, n_rows: int) -> str:
    if array.ndim == 2 and array.shape == (1, n_rows):
        return "y lies on its side; pass y.ravel()."
    return "select the rows of both alike: keep = ...; fit(X[keep], y[keep])."


MOST_CLASSES = 20
"""More different whole numbers than these may be classes or amounts: nobody can tell."""


def task_of_target(y: Any, *, owner: str) -> str:
    """Return what a target looks like: ``"classes"`` or ``"numbers"``.

    Text and booleans are classes, decimals are numbers. Whole numbers are classes as long as they
    are few; many of them are numbers where their type is one of decimals, and else are refused.

    >>> task_of_target(["no", "yes"], owner="TreeFeatures")
    'classes'
    >>> task_of_target([0.5, 2.0], owner="TreeFeatures")
    'numbers'
    """
    outputs, _ = _outputs(y, owner, None, of_classes=False)
    found = {_task_of_output(output, owner) for output in outputs}
    if len(found) > 1:
        raise TargetError(
            f"{owner} predicts classes or numbers, and y has columns of both.\n"
            "  Hint: task='classes' or task='numbers' says which; or fit one for each."
        )
    return found.pop()


def _task_of_output(output: Array, owner: str) -> str:
    kind = output.dtype.kind
    if kind not in "fiu":
        return "classes"
    if kind == "f" and not bool((np.floor(output) == output).all()):
        return "numbers"
    n_distinct = len(np.unique(output))
    if n_distinct <= MOST_CLASSES:
        return "classes"
    if kind == "f":
        return "numbers"
    raise TargetError(
        f"y has {n_distinct:,} different whole numbers, which may be classes or amounts.\n"
        f"  Hint: {owner}(task='classes') or {owner}(task='numbers') says which."
    )


def _outputs(
    y: Any, owner: str, n_rows: int | None, *, of_classes: bool
) -> tuple[list[Array], bool]:
    """Return one flat array per output, none of them with missing values."""
    if y is None:
        raise TargetError(
            f"{owner} requires y to be passed, but the target y is None.\n"
            "  Hint: fit(X, y), where y has one value for each row of X."
        )
    if isinstance(y, str):
        raise TargetError(
            f"y is the text {y!r}, not the values of the target.\n"
            f"  Hint: fit(X.drop(columns={y!r}), X[{y!r}]), if that is its column."
        )
    if is_sparse(y):
        raise TargetError("a sparse target is not supported.\n  Hint: pass y.toarray().")
    array = target_array(y)
    if array.dtype.kind in "cSV":
        refuse_dtype(array, "y")
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] == 0):
        raise TargetError(
            f"y should be a 1d array, got an array of shape {array.shape} instead.\n"
            "  Hint: a list, an array or a column, with one value for each row of X."
        )
    if n_rows is not None and len(array) != n_rows:
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(array)]}.\n"
            f"  X has {n_rows} rows, y has {len(array)}.\n  Hint: {_how_to_align(array, n_rows)}"
        )
    if len(array) == 0:
        raise TargetError(
            f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    if array.ndim == 2 and array.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape"
            " of y to (n_samples, ), for example using ravel().",
            DataConversionWarning,
        )
        array = array[:, 0]
    single = array.ndim == 1
    outputs = [array] if single else array.T
    return [_known(output, of_classes=of_classes) for output in outputs], single


def _known(output: Array, *, of_classes: bool) -> Array:
    """Return an output in its own type instead of objects; text stays an object array."""
    if output.dtype.kind == "T":
        output = output.astype(object)
    if output.dtype.kind == "O":
        try:
            column = read_objects(output.tolist(), "y")
        except DataError as error:
            raise TargetError(str(error).replace("column 'y'", "the target", 1)) from None
        _refuse_gaps(column.missing)
        read = column.to_numpy()
        if read.dtype.kind == "f" and of_classes:
            _refuse_classes_that_merge(output.tolist(), read)
        output = read
    if output.dtype.kind == "f":
        _refuse_gaps(np.isnan(output))
        is_infinite = np.isinf(output)
        if is_infinite.any():
            row = int(np.flatnonzero(is_infinite)[0])
            raise TargetError(
                "Input y contains infinity or a value too large for dtype('float64').\n"
                f"  {int(is_infinite.sum())} of {len(output)} values are infinite, the first in"
                f" row {row}.\n  Hint: leave those rows out, or cap the target."
            )
    elif output.dtype.kind in "Mm":
        _refuse_gaps(np.isnat(output))
    return output


def _refuse_classes_that_merge(given: list[Any], read: Array) -> None:
    """Refuse different whole numbers beyond 64 bits that one float stands for."""
    number_of_float: dict[float, Any] = {}
    for row, (value, number) in enumerate(zip(given, read.tolist(), strict=True)):
        if isinstance(value, int) and number_of_float.setdefault(number, value) != value:
            raise TargetError(
                f"y, row {row} holds {value}, which 64 bits cannot tell from"
                f" {number_of_float[number]}.\n  Hint: convert the classes to text."
            )


def _refuse_gaps(missing: BoolArray) -> None:
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise TargetError(
            f"Input y contains NaN.\n  {int(missing.sum())} of {len(missing)} values are missing,"
            f" the first in row {row}.\n  Hint: leave those rows out: their target is unknown."
        )


def _code_classes(output: Array, owner: str) -> tuple[Int32Array, Array]:
    kind = output.dtype.kind
    if kind in "UO":
        is_array = kind == "U"
        codes, distinct = code_text_array(output) if is_array else code_text(output.tolist())
        return codes, np.array(distinct, dtype=output.dtype)
    if kind in "Mm":
        raise TargetError(
            f"Unknown label type: {owner} needs classes, but the target holds"
            f" {'dates' if kind == 'M' else 'durations'}.\n  Hint: convert them to text or bins."
        )
    if kind == "f" and not bool((np.floor(output) == output).all()):
        n_distinct = f"{len(np.unique(output)):,}".replace(",", " ")
        raise TargetError(
            f"Unknown label type: continuous. {owner} needs classes, but the target has"
            f" {n_distinct} distinct decimal numbers.\n"
            f"  Hint: {_use_instead(owner, 'Regressor')}bin the target first."
        )
    return code_numbers(output, None)


def _in_order(codes: Int32Array, classes: Array, order: Sequence[Any]) -> tuple[Int32Array, Array]:
    """Return codes and classes such that the classes are in an order; refuse one outside it."""
    place = {name: rank for rank, name in enumerate(order)}
    names = classes.tolist()
    for code, name in enumerate(names):
        if name not in place:
            row = int(np.argmax(codes == code))
            raise TargetError(
                f"y, row {row} holds class {name!r}, which class_order does not list.\n"
                f"  Listed: {list_names(map(repr, order))}"
            )
    by_place = np.argsort([place[name] for name in names])
    rank = np.empty(len(names), dtype=np.int32)
    rank[by_place] = np.arange(len(names), dtype=np.int32)
    return rank[codes], classes[by_place]


def _as_numbers(output: Array, owner: str) -> FloatArray:
    if output.dtype.kind not in "fiub":
        what = {"M": "dates", "m": "durations"}.get(output.dtype.kind, "text")
        numbers = _numbers_in_text(output) if what == "text" else None
        if numbers is not None:
            warn(
                f"the target holds numbers as text ({str(output[0])!r}); they were converted.\n"
                "  Hint: y.astype(float).",
                OtherTypeWarning,
            )
            return numbers
        use = _use_instead(owner, "Classifier") if what == "text" else ""
        raise TargetError(
            f"{owner} needs numbers, but the target holds {what}: row 0 is {str(output[0])!r}.\n"
            f"  Hint: {use}convert the target to numbers."
        )
    # -0.0 becomes 0.0: which of the two a leaf answers would depend on the order of rows.
    numbers_of_rows: FloatArray = np.add(output, 0.0, dtype=np.float64)
    return numbers_of_rows


def _numbers_in_text(output: Array) -> FloatArray | None:
    """Return the numbers that texts spell out; None where one of them spells none."""
    if not all(isinstance(value, str) for value in output):
        return None
    try:
        numbers = output.astype(np.float64)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _use_instead(owner: str, task: str) -> str:
    """Return the name of the estimator for the other task, where `owner` is an estimator."""
    learner, is_estimator = re.subn("(Classifier|Regressor)$", "", owner)
    if not is_estimator:
        return ""
    return f"use {learner if learner in _OF_BOTH_TASKS else 'DecisionTree'}{task}, or "
