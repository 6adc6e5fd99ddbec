"""The tables of :meth:`Tree.why` kept in few arrays, so that a saved tree explains itself.

All candidates of all nodes stand below one another, as do all their branches; a measure is one
array. A saved tree has them in the place of its training rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import Array, Int64Array
from treewright.errors import ModelFormatError
from treewright.explain.why_table import BranchRow, CandidateRow, WhyTable

_NOT_KEPT = ("top", "sort")
"""What whoever asks says anew."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KeptWhys:
    """The tables of some nodes of a tree.

    Parameters
    ----------
    texts
        Every text that occurs, once; others refer to it by its place.
    tables, candidates, branches
        The entries of :class:`WhyTable`, :class:`CandidateRow` and :class:`BranchRow` as arrays by
        name. Beside an array of numbers of which some are None stands ``name?``, which says where
        one is; beside an array of lists ``name[``, which says where each begins.
    """

    texts: tuple[str, ...]
    tables: Mapping[str, Array]
    candidates: Mapping[str, Array]
    branches: Mapping[str, Array]

    @classmethod
    def keep(cls, tables: Iterable[WhyTable]) -> KeptWhys:
        """Return tables, kept.

        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> tree = ID3Classifier().fit(play.X, play.y).tree_
        >>> kept = KeptWhys.keep([tree.why(0), tree.why(1)])
        >>> kept.nodes, kept.table(1) == tree.why(1)
        ((0, 1), True)
        """
        whole = tuple(tables)
        texts: dict[str, int] = {}
        rows = [row for table in whole for row in table.candidates]
        return cls(
            tables=_columns(WhyTable, whole, texts),
            candidates=_columns(CandidateRow, rows, texts),
            branches=_columns(BranchRow, [each for row in rows for each in row.branches], texts),
            texts=tuple(texts),
        )

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes whose tables are kept."""
        return tuple(self.tables["node"].tolist())

    def table(self, node: int) -> WhyTable | None:
        """Return the table of a node; None where it is not kept."""
        if node not in self.nodes:
            return None
        try:
            made: WhyTable = self._made(WhyTable, self.tables, self.nodes.index(node))
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise ModelFormatError(f"the table of node {node} is damaged: {error}.") from error
        return made

    def _made(self, kind: Any, columns: Mapping[str, Array], row: int) -> Any:
        """Return one table, candidate or branch."""
        values: dict[str, Any] = {}
        for field in dataclasses.fields(kind):
            if field.name in _NOT_KEPT:
                continue
            name, column = field.name, columns[field.name]
            if f"{name}[" in columns:
                start = columns[f"{name}["]
                places = range(int(start[row]), min(int(start[row + 1]), len(column)))
                values[name] = tuple(self._entry(field, column, place) for place in places)
            elif f"{name}?" in columns and not columns[f"{name}?"][row]:
                values[name] = None
            else:
                values[name] = self._entry(field, column, row)
        return kind(**values)

    def _entry(self, field: dataclasses.Field[Any], column: Array, place: int) -> Any:
        kind = str(field.type)
        if "CandidateRow" in kind:
            return self._made(CandidateRow, self.candidates, place)
        if "BranchRow" in kind:
            return self._made(BranchRow, self.branches, place)
        value = column[place].item()
        if "str" not in kind:
            return value
        if value < 0:
            return None
        return self.texts[value]


def _columns(kind: Any, rows: Sequence[Any], texts: dict[str, int]) -> dict[str, Array]:
    """Return the entries of some dataclasses as arrays by name."""
    columns: dict[str, Array] = {}
    for field in dataclasses.fields(kind):
        if field.name in _NOT_KEPT:
            continue
        name, values = field.name, [getattr(row, field.name) for row in rows]
        if str(field.type).startswith("tuple"):
            columns[f"{name}["] = _starts(values)
            values = [each for value in values for each in value]
        columns[name] = _column(str(field.type), values, texts)
        if "None" in str(field.type) and "str" not in str(field.type):
            columns[f"{name}?"] = np.array([value is not None for value in values], dtype=np.bool_)
    return columns


def _starts(values: Sequence[Any]) -> Int64Array:
    return np.cumsum([0, *map(len, values)], dtype=np.int64)


def _column(kind: str, values: Sequence[Any], texts: dict[str, int]) -> Array:
    if "Row" in kind:  # they stand in arrays of their own, one after the other
        return np.zeros(len(values), dtype=np.bool_)
    if "str" in kind:
        places = [-1 if value is None else texts.setdefault(value, len(texts)) for value in values]
        return np.array(places, dtype=np.int64)
    dtype = np.bool_ if kind == "bool" else np.int64 if "int" in kind else np.float64
    return np.array([0 if value is None else value for value in values], dtype=dtype)
