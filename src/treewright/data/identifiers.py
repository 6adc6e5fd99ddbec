"""Columns that fit the training rows alone: identifiers of rows or groups, and dates as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.data.match_columns import TypedColumn
from treewright.data.table import Table
from treewright.errors import GroupsWarning, IdentifierWarning, OtherTypeWarning, warn
from treewright.text.names import list_names

# Fewer numbers than this may all differ by chance; names that all differ say nothing at any size.
_ROWS_TO_SEE_AN_IDENTIFIER = 50
_FEW_ROWS = 8
_NUMBERS = ("float", "int", "uint")
_IDENTIFIER_NAME = re.compile(r"(?i:(?:^|[^a-z])(?:id|uuid|guid|key|index)$)|[a-z]I[dD]$")


# 2024-03-01, 2024/3/1 12:30 or 01.03.2024
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}( .*)?")
_VALUES_TO_SEE_DATES = 20


def warn_of_dates(typed: Sequence[TypedColumn]) -> None:
    """Warn of each column of text that holds dates: every date is a category of its own."""
    for column in typed:
        if _holds_dates(column):
            name, value = column.spec.name, column.spec.values[0]
            warn(
                f"column {name!r} holds dates as text ({value!r}): every date is a category of its"
                " own, and new dates are unknown.\n"
                f"  Hint: pd.to_datetime(X[{name!r}]), or"
                f" schema=Schema(kinds={{{name!r}: 'nominal'}}) if that is meant.",
                OtherTypeWarning,
            )


def _holds_dates(column: TypedColumn) -> bool:
    values = column.spec.values
    if len(values) < _FEW_ROWS:
        return False
    some = values[:: max(1, len(values) // _VALUES_TO_SEE_DATES)]
    return all(isinstance(value, str) and _DATE.fullmatch(value) for value in some)


def warn_of_identifiers(typed: Sequence[TypedColumn], n_rows: int) -> None:
    """Warn of each column whose values are all distinct and which is text or named like a key."""
    if n_rows < _FEW_ROWS:
        return
    for column in typed:
        if _looks_like_identifier(column, n_rows):
            name = column.spec.name
            warn(
                f"column {name!r} looks like an identifier: all {n_rows} values are distinct, so"
                " what it says about these rows says nothing about others.\n"
                f"  Hint: leave it out, by dropping it or with schema=Schema(ignore=[{name!r}]).",
                IdentifierWarning,
            )


def _looks_like_identifier(column: TypedColumn, n_rows: int) -> bool:
    spec, data = column.spec, column.data
    if spec.storage == "value":
        is_text = len(spec.values) >= n_rows and isinstance(spec.values[0], str)
        if not is_text or data.min() < 0 or _holds_dates(column):
            return False
        return int(np.bincount(data).max()) == 1
    if spec.storage not in _NUMBERS or column.mask is not None:
        return False
    if n_rows < _ROWS_TO_SEE_AN_IDENTIFIER or not _IDENTIFIER_NAME.search(spec.name):
        return False
    is_whole = spec.storage != "float" or bool((data == np.floor(data)).all())
    return is_whole and len(np.unique(data)) == n_rows


# Calibrated on 52 tables that are no groups of rows and on panels that are (docs/decisions/024).
_GROUP_NAME = re.compile(
    r"(?i:^(?:patient|subject|person|participant|respondent|individual|customer|client|user"
    r"|member|household|family|student|pupil|child|animal|speaker|donor)"
    r"(?:[^a-z]?(?:id|no|nr|num|number|code|key|name))?[^a-z]*$)"
)
_LEAST_GROUPS = 20
_LEAST_GROUP, _MOST_GROUP = 2.0, 50.0
"""Rows per value of a column that is not named as an identifier."""
_LEAST_SHARED = 2
"""Other columns that must be constant within its values."""
_MOST_COLUMNS = 50
"""Columns compared with each other; of a wider table they are spread evenly."""
_CONSTANT = 0.95
"""Share of the rows in whose groups a column that counts as constant is."""
_VARIES = 0.9
"""Share of the groups that may have the commonest value of a column that counts as varying."""
_LEAST_ALIKE = 0.1
"""Correlation of the targets of two rows of a group from which figures of known groups mislead."""


@dataclass(frozen=True, kw_only=True)
class _Grouping:
    """The rows by the values of one column, values that one row has alone and gaps left out."""

    name: str
    n_values: int
    rows: Int64Array
    first: Int64Array  # position of each group's first row in `rows`
    shared: tuple[str, ...] = ()


def warn_of_groups(table: Table, target: Array, *, of_classes: bool, figures: str) -> None:
    """Warn, once, if rows seem to belong to groups, where none were given.

    They do where a column has a few rows for each of many values, is named as the identifier of
    a person or determines several other columns, and rows of one value have like targets. Groups
    that only several columns tell together (sex, date of birth and postcode) are not found: any
    few columns of measurements tell rows apart as well as a person's do.

    Parameters
    ----------
    table
        The rows.
    target
        The class (as a code) or number of each row.
    of_classes
        Which of the two it is.
    figures
        What holds for known groups only, with its verb, for the message.
    """
    found = _find_groups(table)
    if found is None or _alike(found, target, of_classes=of_classes) < _LEAST_ALIKE:
        return
    same = f" and the same {list_names(found.shared)}" if found.shared else ""
    warn(
        f"rows seem to belong to groups: column {found.name!r} has {found.n_values:,} values of"
        f" about {table.n_rows / found.n_values:.2g} rows each, and rows of one value have like"
        f" targets{same}. {figures} for such groups, not for new ones.\n"
        f"  Hint: fit(..., groups=...) with a label for each group, such as column {found.name!r};"
        " leave a column that only names the groups out of X.",
        GroupsWarning,
    )


def _find_groups(table: Table) -> _Grouping | None:
    """Return the rows by the column that most looks like the identifier of a group."""
    n_rows = table.n_rows
    if n_rows < _LEAST_GROUP * _LEAST_GROUPS:
        return None
    derived = {each.spec.name for each in table.schema.derived}
    own = [i for i, spec in enumerate(table.schema.columns) if spec.name not in derived]
    for index in own:
        if _is_named(table, index) and (grouping := _grouping(table, index)) is not None:
            return grouping
    own = own[:: -(-len(own) // _MOST_COLUMNS)] if own else own
    if not any(_may_have_groups(table, index) for index in own):
        return None
    some = np.random.default_rng(0).permutation(n_rows)[: int(4 * n_rows**0.5)]
    sample = np.stack([_with_gaps_apart(table, each, some) for each in own])
    values: list[FloatArray] | None = None
    best: _Grouping | None = None
    for place, index in enumerate(own):
        if not (_may_have_groups(table, index) and _may_group(sample, place, n_rows)):
            continue
        grouping = _grouping(table, index)
        if grouping is None or n_rows / grouping.n_values > _MOST_GROUP:
            continue
        if values is None:
            values = [_with_gaps_apart(table, each, slice(None)) for each in own]
        shared = [own[each] for each in _shared(values, grouping) if each != place]
        if len(shared) >= max(_LEAST_SHARED, 0 if best is None else len(best.shared) + 1):
            names = tuple(table.schema.columns[each].name for each in shared)
            best = replace(grouping, shared=names)
    return best


def _is_named(table: Table, index: int) -> bool:
    """Return whether a column has the name of an identifier, and its values can be one."""
    spec, values = table.schema.columns[index], table.columns[index]
    if not (_IDENTIFIER_NAME.search(spec.name) or _GROUP_NAME.search(spec.name)):
        return False
    return values.dtype.kind != "f" or bool((np.floor(values) == values)[~np.isnan(values)].all())


def _may_have_groups(table: Table, index: int) -> bool:
    """Return whether a column may have values enough for groups, without a look at its rows."""
    spec = table.schema.columns[index]
    return spec.storage != "value" or len(spec.values) >= _LEAST_GROUPS


def _may_group(sample: FloatArray, place: int, n_rows: int) -> bool:
    """Return whether a column may have groups of rows, from 4 sqrt(n) rows (columns x rows).

    If each value has two rows, some pairs are among them, and most of these agree in other columns;
    if each has more than 50, there are few distinct values.
    """
    order = np.argsort(sample[place])
    ordered = sample[place][order]
    is_pair = ordered[1:] == ordered[:-1]
    n_values = n_rows / _MOST_GROUP
    expected = n_values * -np.expm1(-len(order) / n_values)
    if not is_pair.any() or len(order) - np.count_nonzero(is_pair) < 0.5 * expected:
        return False
    agree = sample[:, order[1:][is_pair]] == sample[:, order[:-1][is_pair]]
    return bool(np.count_nonzero(agree.mean(axis=1) > 0.8) > _LEAST_SHARED)


def _grouping(table: Table, index: int) -> _Grouping | None:
    known = np.flatnonzero(~table.is_missing(index))
    values = table.columns[index][known]
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.append(True, values[order][1:] != values[order][:-1]))[: len(order)]
    sizes = np.diff(starts, append=len(order))
    is_group = sizes > 1
    if is_group.sum() < _LEAST_GROUPS or len(known) < _LEAST_GROUP * len(sizes):
        return None
    return _Grouping(
        name=table.schema.columns[index].name,
        n_values=len(sizes),
        rows=known[order][np.repeat(is_group, sizes)],
        first=np.cumsum(sizes[is_group]) - sizes[is_group],
    )


def _with_gaps_apart(table: Table, index: int, rows: Int64Array | slice) -> FloatArray:
    values = table.columns[index][rows].astype(np.float64)
    values[table.is_missing(index)[rows]] = np.inf
    return values


def _shared(values: Sequence[FloatArray], grouping: _Grouping) -> list[int]:
    """Return the positions of columns that vary, but are constant within groups."""
    left = list(range(len(values)))
    n_all = len(grouping.first)
    for n_groups in (min(_LEAST_GROUPS, n_all), n_all):  # most columns differ in the first groups
        end = len(grouping.rows) if n_groups == n_all else int(grouping.first[n_groups])
        rows, first = grouping.rows[:end], grouping.first[:n_groups]
        sizes = np.diff(first, append=end)
        there = np.stack([values[each][rows] for each in left])
        low, high = np.minimum.reduceat(there, first, axis=1), np.maximum.reduceat(there, first, 1)
        is_constant = ((low == high) * sizes).sum(axis=1) >= _CONSTANT * end
        left = [each for each, kept in zip(left, is_constant, strict=True) if kept]
        if len(left) < 1 + _LEAST_SHARED:  # the column itself is one of them
            return []
    kept_lines = low[is_constant]
    return [each for each, line in zip(left, kept_lines, strict=True) if _is_of_groups(line)]


def _is_of_groups(values: FloatArray) -> bool:
    """Return whether the values of groups, in order of their column, vary and are no ranges of it.

    An age group is a range of ages, which says nothing about who is who.
    """
    counts = np.unique(values, return_counts=True)[1]
    if counts.max() > _VARIES * len(values):
        return False
    rises, falls = values[1:] > values[:-1], values[1:] < values[:-1]
    n_runs = 1 + np.count_nonzero(rises | falls)
    is_binned = n_runs == len(counts) < len(values) / 2
    return not is_binned and bool(rises.any()) and bool(falls.any())


def _alike(grouping: _Grouping, target: Array, *, of_classes: bool) -> float:
    """Return the correlation of the targets of two rows of one group (Fisher 1925, chapter 7).

    For classes, by how much more often than two rows of the table they agree (Scott's pi, 1955).
    """
    sizes = np.diff(grouping.first, append=len(grouping.rows)).astype(np.float64)
    n_pairs = float((sizes * (sizes - 1.0)).sum())
    if not of_classes:
        apart: FloatArray = target - target.mean()
        variance = float(apart @ apart) / len(apart)
        apart = apart[grouping.rows]
        products = np.add.reduceat(apart, grouping.first) ** 2
        products -= np.add.reduceat(apart**2, grouping.first)
        return float(products.sum()) / n_pairs / variance if variance > 0 else 0.0
    group = np.repeat(np.arange(len(sizes)), sizes.astype(np.int64))
    pairs = group * (int(target.max()) + 1) + target[grouping.rows].astype(np.int64)
    counts = np.unique(pairs, return_counts=True)[1].astype(np.float64)
    agree = float((counts * (counts - 1.0)).sum()) / n_pairs
    shares = np.bincount(target.astype(np.int64)) / len(target)
    by_chance = float(shares @ shares)
    return (agree - by_chance) / (1.0 - by_chance) if by_chance < 1.0 else 0.0
