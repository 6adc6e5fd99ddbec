"""Importances of the columns of a model: the one type that all models return."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import ndtr

from treewright.errors import ColumnMismatchError
from treewright.text.notebook import ShownInNotebooks
from treewright.text.table import TextColumn, lay_out
from treewright.tree.impurity import impurity_decrease

if TYPE_CHECKING:
    from treewright.array_types import Array, FloatArray, Int64Array
    from treewright.chart import DotChart
    from treewright.tree.tree import Tree


Kind: TypeAlias = Literal["impurity", "permutation", "debiased", "gain", "split"]
KINDS: tuple[Kind, ...] = ("impurity", "permutation", "debiased")
"""Kinds of importances of a forest."""

IMPURITY_SHARE = "share of the decrease of impurity"
_SHARES = ("impurity", "gain", "split")
"""Kinds that are above 0 for noise as well, so that they are not tested against 0."""


@dataclass(frozen=True, kw_only=True)
class ColumnImportance:
    """The importance of one column.

    Attributes
    ----------
    name
        The column.
    mean
        Its importance: the mean over the trees.
    standard_error
        Standard deviation over the trees, divided by the root of their number; NaN for a single
        tree. The trees share one table, so this is the error of the mean for other seeds, not for
        other data.
    z
        Mean divided by standard error (Breiman & Cutler); NaN where no two trees differ, and for
        ``kind="impurity"``, whose shares are above 0 for noise as well.
    p_value
        Probability of such a `z` or a larger one if the true mean were 0, by the normal
        distribution (one-sided).
    """

    name: str
    mean: float
    standard_error: float
    z: float
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by name; None for those that are undefined."""
        given = {
            "name": self.name,
            "mean": self.mean,
            "standard_error": self.standard_error,
            "z": self.z,
            "p_value": self.p_value,
        }
        return {name: None if value != value else value for name, value in given.items()}


@dataclass(frozen=True, kw_only=True, eq=False)
class Importances(ShownInNotebooks):
    """Importances of the columns: iterate from the most to the least important, or print.

    Parameters
    ----------
    kind
        Kind of importance.
    measure
        Text of what the numbers are.
    names
        The columns, in the order of the table.
    by_tree
        The importance of each column (columns) for each tree (rows) that has one; one row where
        it was measured for the whole model.
    measured_on
        What the rows of `by_tree` are.

    Examples
    --------
    >>> from treewright import RandomForestClassifier, load_example
    >>> iris = load_example("iris")
    >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(iris.X, iris.y)
    >>> found = forest.importances("permutation")
    >>> [column.name for column in found][:2]
    ['petal length (cm)', 'petal width (cm)']
    >>> found["sepal width (cm)"].mean < found["petal width (cm)"].mean
    True
    """

    kind: Kind
    measure: str
    names: tuple[str, ...]
    by_tree: FloatArray
    measured_on: str = "tree"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the means, in the order of the table."""
        return np.array(self.mean, dtype=dtype)

    @property
    def n_trees(self) -> int:
        """Number of trees that the means are taken over."""
        return len(self.by_tree)

    @cached_property
    def mean(self) -> FloatArray:
        """Importance of each column, in the order of the table: the mean over the trees."""
        if not self.n_trees:
            return np.zeros(len(self.names))
        mean: FloatArray = self.by_tree.mean(axis=0)
        return mean

    @cached_property
    def standard_error(self) -> FloatArray:
        """Standard error of each mean over the trees; NaN for fewer than two."""
        if self.n_trees < 2:
            return np.full(len(self.names), np.nan)
        largest = np.abs(self.by_tree).max(axis=0)
        unit = np.where(largest > 0, largest, 1.0)  # squares of extreme numbers stay finite
        deviation = (self.by_tree / unit).std(axis=0, ddof=1)
        error: FloatArray = unit * deviation / np.sqrt(self.n_trees)
        return error

    @cached_property
    def z(self) -> FloatArray:
        """Mean divided by standard error; NaN where there is none, and for shares of impurity."""
        known = (self.standard_error > 0) & (self.kind not in _SHARES)
        z = np.full(len(self.names), np.nan)
        np.divide(self.mean, self.standard_error, out=z, where=known)
        return z

    @cached_property
    def p_value(self) -> FloatArray:
        """Probability of such a z or a larger one if the true mean were 0."""
        p_value: FloatArray = ndtr(-self.z)
        return p_value

    @cached_property
    def order(self) -> Int64Array:
        """Positions of the columns from the most to the least important."""
        return np.argsort(-self.mean, kind="stable")

    def _column(self, position: int) -> ColumnImportance:
        return ColumnImportance(
            name=self.names[position],
            mean=float(self.mean[position]),
            standard_error=float(self.standard_error[position]),
            z=float(self.z[position]),
            p_value=float(self.p_value[position]),
        )

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[ColumnImportance]:
        return (self._column(int(position)) for position in self.order)

    def __getitem__(self, name: str) -> ColumnImportance:
        if name not in self.names:
            raise ColumnMismatchError(
                f"there is no column {name!r}.\n  Columns: {', '.join(map(repr, self.names[:8]))}"
                + (", ..." if len(self.names) > 8 else "")
            )
        return self._column(self.names.index(name))

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single trees as plain lists, strings and numbers."""
        return {
            "kind": self.kind,
            "measure": self.measure,
            "n_trees": self.n_trees,
            "columns": [column.to_dict() for column in self],
        }

    def text(self, *, max_columns: int | None = None) -> str:
        """Return a table of the columns, the most important first.

        Parameters
        ----------
        max_columns
            Number of columns shown; None shows all.
        """
        shown = list(self)[:max_columns]
        means = [column.mean for column in shown]
        errors = [column.standard_error for column in shown]
        decimals = _decimals(means, errors)
        columns = [
            TextColumn("column", [column.name for column in shown]),
            TextColumn("mean", _fixed(means, decimals), right=True),
            TextColumn("std. error", _fixed(errors, decimals), right=True),
        ]
        if self.kind not in _SHARES:
            z, p_value = [column.z for column in shown], [column.p_value for column in shown]
            columns.append(TextColumn("z", _fixed(z, 1), right=True))
            columns.append(TextColumn("p", [_p_value(p) for p in p_value], right=True))
        heading = self.measure
        if self.n_trees != 1:
            heading += f", mean of {self.n_trees:,} {self.measured_on}s"
        lines = [heading, "", lay_out([column for column in columns if any(column.cells)])]
        if len(shown) < len(self):
            lines.append(f"... and {len(self) - len(shown):,} more columns")
        return "\n".join(lines)

    def draw(self) -> DotChart:
        """Return a picture: a dot for each column, with an interval where trees give one.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, load_example
        >>> iris = load_example("iris")
        >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(iris.X, iris.y)
        >>> forest.importances("permutation").draw().title
        'petal length (cm) matters most; 1 of 4 columns cannot be told from noise'
        """
        from treewright.explain.importance_chart import importance_chart

        return importance_chart(self)

    def __str__(self) -> str:
        return self.text(max_columns=_MAX_LINES)

    def __repr__(self) -> str:
        best = f", most={self.names[self.order[0]]!r}" if len(self) else ""
        return f"Importances(kind={self.kind!r}, n_columns={len(self)}{best})"


_MAX_LINES = 60
"""Number of columns that print() shows: a screen or two."""


def _decimals(means: list[float], errors: list[float]) -> int | None:
    """Return decimals that show a figure of the smallest error, at most five of the largest mean.

    None for numbers so large or small that fixed decimals are hard to read.
    """
    largest = max(map(abs, means), default=0.0)
    if largest == 0.0:
        return 0
    if not 1e-6 <= largest < 1e9:
        return None
    most = 4 - _magnitude(largest)
    known = [error for error in errors if error > 0]
    wanted = -_magnitude(min(known)) if known else most - 1
    return max(0, min(wanted, most))


def _magnitude(number: float) -> int:
    return math.floor(math.log10(number))


def _fixed(numbers: list[float], decimals: int | None) -> list[str]:
    shown = ".4g" if decimals is None else f"z.{decimals}f"
    return ["" if number != number else format(number, shown) for number in numbers]


def _p_value(p: float) -> str:
    if p != p:
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def importances_of_tree(tree: Tree, *, normalize: bool) -> Importances:
    """Return the importances of a tree; see :meth:`Tree.importances`."""
    if normalize:
        return one_line("impurity", IMPURITY_SHARE, tree.schema.names, tree.column_shares())
    decrease = impurity_decrease(tree)
    return one_line("impurity", "decrease of impurity", tree.schema.names, decrease)


def one_line(
    kind: Kind, measure: str, names: Sequence[str], importances: FloatArray
) -> Importances:
    """Return importances that were measured once, for the whole model."""
    return Importances(
        kind=kind, measure=measure, names=tuple(names), by_tree=importances[np.newaxis]
    )
