"""The rows that members learn from: one table and target, told to each member in its own way.

Learners of Treewright get the table as it was given and the classes themselves; others get a table
that they can read and the codes of the classes, as in scikit-learn's stacks and votes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from treewright.array_types import Array, Int64Array
from treewright.data.frame import Frame
from treewright.data.read.dataframes import declared_classes, target_array
from treewright.data.read.groups import RowGroups
from treewright.data.read.sparse import is_sparse
from treewright.data.read.table import open_table, read_frame
from treewright.data.read.take_rows import take_rows
from treewright.data.read.target import ClassTarget, read_classes, read_values
from treewright.data.read.weights import RowWeights
from treewright.errors import TargetError
from treewright.estimators.refusals import RefusesMistakes


def is_ours(estimator: Any) -> bool:
    """Return whether an estimator is one of Treewright's, which takes any table."""
    return isinstance(estimator, RefusesMistakes)


def learns_names(estimator: Any) -> bool:
    """Return whether what learns, in a pipeline or a search too, is one of Treewright's."""
    while not is_ours(estimator):
        inner = (
            estimator.steps[-1][1]
            if isinstance(estimator, Pipeline)
            else getattr(estimator, "estimator", None)
        )
        if not hasattr(inner, "fit"):
            return False
        estimator = inner
    return True


def for_others(X: Any) -> Any:
    """Return a table in a type that other libraries read: a dataframe of what they do not know.

    Arrays, sparse matrices, lists of lists and frames of pandas and polars stay as they are.
    """
    if is_sparse(X) or isinstance(X, np.ndarray):
        return X
    if isinstance(X, list | tuple) and not (X and isinstance(X[0], Mapping)):
        return X
    if hasattr(X, "iloc") or type(X).__module__.partition(".")[0] == "polars":
        return X
    if not isinstance(X, Frame | Mapping | list | tuple) and not hasattr(X, "column_names"):
        return X
    frame = read_frame(X)
    if find_spec("pandas") is not None:
        return frame.to_pandas()
    if find_spec("polars") is not None:
        return frame.to_polars()
    columns = [np.asarray(frame[name]) for name in frame.columns]
    is_plain = all(column.dtype.kind in "biuf" for column in columns)
    return np.stack(columns if is_plain else [each.astype(object) for each in columns], axis=1)


def table_for(estimator: Any, X: Any) -> Any:
    """Return the table as an estimator gets it."""
    return X if is_ours(estimator) else for_others(X)


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """A table and its target, checked.

    Parameters
    ----------
    X
        As given.
    labels
        The target as learners of Treewright get it: classes in their own type and order.
    target
        The target as others get it: codes of classes, or numbers in their own type.
    classes
        The classes in their order; None for numbers.
    is_ordered
        Whether the order of the classes means something.
    sample_weight, groups
        An entry per row, or None.
    """

    X: Any
    labels: Any
    target: Array
    classes: Array | None = None
    is_ordered: bool = False
    sample_weight: Array | None = None
    groups: Array | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.target)

    @cached_property
    def _X_of_others(self) -> Any:
        return for_others(self.X)

    def table_of(self, estimator: Any) -> Any:
        """Return the table as an estimator gets it."""
        return self.X if is_ours(estimator) else self._X_of_others

    def part(self, estimator: Any, rows: Int64Array | None) -> tuple[Any, Any]:
        """Return table and target of some rows (None: all), as an estimator gets them."""
        X = self.table_of(estimator)
        y = self.labels if learns_names(estimator) else self.target
        return (X, y) if rows is None else (take_rows(X, rows), take_rows(y, rows))

    def class_target(self) -> ClassTarget:
        """Return the classes as trees read them."""
        assert self.classes is not None
        return ClassTarget(
            codes=self.target.astype(np.int32),
            classes=(self.classes,),
            single=True,
            ordered=self.is_ordered,
        )

    @cached_property
    def weight(self) -> Array | None:
        """Weight of each row as floats, where they differ."""
        return RowWeights.read(self.sample_weight, self.n_rows).weight


def read_rows(
    X: Any, y: Any, sample_weight: Any, groups: Any, *, of_classes: bool, owner: str
) -> Rows:
    """Return the rows that members learn from; refuse a target, weights or groups that do not fit.

    Examples
    --------
    >>> rows = read_rows([[1], [2]], ["no", "yes"], None, None, of_classes=True, owner="vote")
    >>> rows.labels.tolist(), rows.target.tolist()
    (['no', 'yes'], [0, 1])
    """
    n_rows = open_table(X).n_rows
    given: dict[str, Any] = {}
    if of_classes:
        found = read_classes(y, owner=owner, n_rows=n_rows)
        if not found.single:
            _refuse_outputs(owner, found.n_outputs)
        classes = found.classes[0]
        codes = found.codes.astype(np.int64)
        is_declared = bool(declared_classes(y).values)
        given["labels"] = y if is_declared else classes[codes]
        given |= {"target": codes, "classes": classes, "is_ordered": found.ordered}
    else:
        values = read_values(y, owner=owner, n_rows=n_rows)
        if not values.single:
            _refuse_outputs(owner, values.n_outputs)
        own = target_array(y).reshape(-1)
        given["labels"] = values.values
        given["target"] = own if own.dtype.kind in "iuf" else values.values
    if sample_weight is not None:
        RowWeights.read(sample_weight, n_rows)  # refuse wrong ones
        given["sample_weight"] = target_array(sample_weight)
    if groups is not None:
        RowGroups.read(groups, n_rows)
        given["groups"] = target_array(groups)
    return Rows(X=X, **given)


def _refuse_outputs(owner: str, n_outputs: int) -> None:
    raise TargetError(
        f"{owner} predicts one output, and y has {n_outputs}.\n  Hint: fit one for each column of"
        " y, or sklearn.multioutput."
    )
