"""Rows at the boundaries of a model: where an exported model that is wrong is most likely found.

For each column: every cut and its two neighbours in floating point, every category, an unseen
category, a missing value, infinities and extremes. All combinations are tried where there are few;
else half of the rows are drawn by going down a random path of a random tree and taking values that
lead there, so that deep leaves are reached, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.codes import INT64_MAX, INT64_MIN
from treewright.data.column import Column
from treewright.data.frame import Frame
from treewright.data.objects import read_objects
from treewright.export.form import graph as kinds
from treewright.export.form.states import branches_of_codes

if TYPE_CHECKING:
    from treewright.array_types import Array, Int64Array
    from treewright.data.fitted_schema import FittedSchema
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input

_MOST_VALUES = 2_000
"""Values of one column; of more, evenly spread ones are taken."""
_LARGEST = float(np.finfo(np.float64).max)
_UNSEEN_TEXT = "a category that no training row had"


@dataclass(frozen=True, kw_only=True, eq=False)
class Cases:
    """Rows to ask about, as positions in lists of values.

    Parameters
    ----------
    inputs
        The columns.
    values
        The values of each column: floats, ints in stored form (of unsigned columns, the value
        itself), texts, booleans; None is missing.
    rows
        Rows x columns: which value each row has.
    drawn
        None where the rows are all combinations, else how they were chosen.
    n_table
        How many of the last rows came from a table.
    """

    inputs: tuple[Input, ...]
    values: tuple[tuple[Any, ...], ...]
    rows: Int64Array
    drawn: str | None = None
    n_table: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def frame(self, schema: FittedSchema) -> Frame:
        """Return the rows as a table of the model's columns; those that are not asked are empty."""
        place_of = {each.name: place for place, each in enumerate(self.inputs)}
        columns: dict[str, Column] = {}
        for spec in schema.sources:
            place = place_of.get(spec.name)
            if place is None:
                blank: Array = np.full(len(self), np.nan)
                columns[spec.name] = Column(storage="float", data=blank)
                if spec.storage == "value":
                    codes = np.full(len(self), -1, dtype=np.int32)
                    columns[spec.name] = Column(storage="value", data=codes, values=spec.values)
                elif spec.storage != "float":
                    columns[spec.name] = Column(
                        storage=spec.storage,
                        data=np.zeros(len(self), dtype=np.int64),
                        present=np.zeros(len(self), dtype=bool),
                        unit=spec.unit,
                        time_zone=spec.time_zone,
                    )
                continue
            columns[spec.name] = self._column(place).take(self.rows[:, place])
        return Frame(columns)

    def _column(self, place: int) -> Column:
        each, values = self.inputs[place], self.values[place]
        spec = each.spec
        if each.type == "number":
            numbers = [np.nan if value is None else value for value in values]
            return Column(storage="float", data=np.array(numbers, dtype=np.float64))
        if each.is_category:
            return read_objects(list(values), each.name)
        offset = 1 << 63 if each.type == "unsigned" else 0
        whole = np.array([0 if v is None else v - offset for v in values], dtype=np.int64)
        present = np.array([value is not None for value in values])
        return Column(
            storage=spec.storage,
            data=whole,
            present=present,
            unit=spec.unit,
            time_zone=spec.time_zone,
        )

    def row_in_words(self, row: int) -> str:
        """Return a row as names and values."""
        words = [
            f"{each.name}={self.values[place][self.rows[row, place]]!r}"
            for place, each in enumerate(self.inputs)
        ]
        return ", ".join(words)


def boundary_cases(form: Form, *, n_rows: int = 20_000, seed: int = 0) -> Cases:
    """Return rows at the boundaries of a model.

    Parameters
    ----------
    form
        The model.
    n_rows
        Up to this number all combinations of boundary values are taken; of more, as many are drawn.
    seed
        Of the draws.
    """
    random = np.random.default_rng(seed)
    values = tuple(tuple(_values(form, place, random)) for place in range(len(form.inputs)))
    n_all = 1
    for each in values:
        n_all *= len(each)
        if n_all > n_rows:
            break
    if n_all <= n_rows:
        grid = np.indices([len(each) for each in values]).reshape(len(values), n_all).T
        return Cases(inputs=form.inputs, values=values, rows=np.ascontiguousarray(grid))
    sizes = np.array([len(each) for each in values])
    rows = (random.random((n_rows, len(values))) * sizes).astype(np.int64)
    _lead_down(form, values, rows[: n_rows // 2], random)
    drawn = f"{n_rows:,} rows drawn (seed {seed}), half of them along paths of trees"
    return Cases(inputs=form.inputs, values=values, rows=rows, drawn=drawn)


def with_table(cases: Cases, frame: Frame, *, most: int = 20_000) -> Cases:
    """Return cases and, after them, the rows of a table, of which no more than `most` are taken."""
    if len(frame) > most:
        frame = frame.rows(np.linspace(0, len(frame) - 1, most).astype(np.int64))
    values, added = list(cases.values), []
    for place, each in enumerate(cases.inputs):
        own = _values_in(frame, each)
        place_of: dict[object, int] = {}
        for value in own:
            place_of.setdefault(_key(value), len(values[place]) + len(place_of))
        distinct: dict[object, Any] = {}
        for value in own:
            distinct.setdefault(_key(value), value)
        values[place] = (*values[place], *distinct.values())
        added.append(np.array([place_of[_key(value)] for value in own], dtype=np.int64))
    rows = np.stack(added, axis=1) if added else np.empty((len(frame), 0), dtype=np.int64)
    return Cases(
        inputs=cases.inputs,
        values=tuple(values),
        rows=np.concatenate([cases.rows, rows]),
        drawn=cases.drawn,
        n_table=len(rows),
    )


def _key(value: object) -> object:
    return (type(value).__name__, repr(value))


def _values_in(frame: Frame, each: Input) -> list[Any]:
    column = frame.column(each.name)
    missing = column.missing.tolist()
    if column.storage == "value":
        found: list[Any] = column.to_numpy().tolist()
    elif column.storage == "float":
        found = column.data.astype(np.float64).tolist()
    else:
        offset = 1 << 63 if column.storage == "uint" else 0
        found = [int(value) + offset for value in column.data.tolist()]
    if each.type == "number":
        found = [None if gone else float(v) for v, gone in zip(found, missing, strict=True)]
    return [None if gone else value for value, gone in zip(found, missing, strict=True)]


def _values(form: Form, place: int, random: np.random.Generator) -> list[Any]:
    each = form.inputs[place]
    if each.is_category:
        return _categories(form, each)
    cuts = form.threshold_values(place)
    if len(cuts) > _MOST_VALUES // 3:
        cuts = [cuts[i] for i in np.linspace(0, len(cuts) - 1, _MOST_VALUES // 3).astype(int)]
    if each.is_whole:
        near = {int(np.floor(min(max(cut, INT64_MIN), INT64_MAX))) for cut in cuts}
        whole = {v + d for v in near for d in (-1, 0, 1)} | {INT64_MIN + 1, 0, INT64_MAX}
        offset = 1 << 63 if each.type == "unsigned" else 0
        inside = sorted(value for value in whole if INT64_MIN < value <= INT64_MAX)
        return [None, *(value + offset for value in inside)]
    numbers: set[float] = {0.0, -np.inf, np.inf, _LARGEST, -_LARGEST, 5e-324}
    with np.errstate(over="ignore"):  # infinity is the neighbour of the largest number
        for side in (-np.inf, np.inf):
            numbers |= set(np.nextafter(np.array(cuts), side).tolist())
    numbers |= set(map(float, cuts))
    if form.graph.models is not None or form.graph.has(kinds.LINEAR):
        scale = max((abs(cut) for cut in cuts if np.isfinite(cut)), default=1.0)
        numbers |= set((random.normal(size=8) * scale).tolist())
    return [None, *sorted(numbers)]


def _categories(form: Form, each: Input) -> list[Any]:
    values = list(each.values)
    if len(values) > _MOST_VALUES:
        values = [values[i] for i in np.linspace(0, len(values) - 1, _MOST_VALUES).astype(int)]
    unseen: list[Any] = []
    if each.type == "text" and not form.refuses_unseen:
        unseen = [_UNSEEN_TEXT, ""]
        unseen += [f"{value} " for value in values[:1]]
    elif each.type == "numeral" and not form.refuses_unseen:
        numbers = [float(value) for value in values]  # type: ignore[arg-type]
        unseen = [max(numbers) + 1.0, min(numbers) - 0.5]
    elif each.type == "flag" and not form.refuses_unseen:
        unseen = [False, True]
    return [None, *values, *(value for value in unseen if value not in values)]


def _lead_down(
    form: Form, values: Sequence[Sequence[Any]], rows: Array, random: np.random.Generator
) -> None:
    """Change rows so that each follows a random path of a random tree."""
    graph = form.graph
    ranks = [_ordered(each, own) for each, own in zip(form.inputs, values, strict=True)]
    tables: dict[int, Array] = {}
    for row in rows:
        node = int(graph.roots[random.integers(graph.n_trees)])
        allowed: dict[int, Array] = {}
        while graph.kind[node] != kinds.LEAF:
            children = graph.children(node)
            place = int(graph.input[node])
            if graph.kind[node] == kinds.LINEAR:
                node = children[random.integers(len(children))]
                continue
            if node not in tables:
                tables[node] = _branches(form, node, ranks[place])
            branches = tables[node]
            open_to = allowed.get(place, np.ones(len(branches), dtype=bool))
            possible = np.unique(branches[open_to & (branches >= 0)])
            if not len(possible):
                break
            branch = int(possible[random.integers(len(possible))])
            allowed[place] = open_to & (branches == branch)
            node = children[branch]
        for place, open_to in allowed.items():
            chosen = np.flatnonzero(open_to)
            row[place] = chosen[random.integers(len(chosen))]


def _ordered(each: Input, values: Sequence[Any]) -> Array:
    """Return values as the graph compares them: floats, stored int64, or codes."""
    if each.type == "number":
        return np.array([np.nan if value is None else value for value in values])
    if each.is_category:
        find = {value: code for code, value in enumerate(each.values)}
        return np.array([-1 if value is None else find.get(value, -2) for value in values])
    offset = 1 << 63 if each.type == "unsigned" else 0
    return np.array([INT64_MIN if v is None else v - offset for v in values], dtype=np.int64)


def _branches(form: Form, node: int, values: Array) -> Array:
    """Return the branch that each value takes at a node; -1 for all."""
    graph = form.graph
    each = form.inputs[int(graph.input[node])]
    if each.is_category:
        branch_of = branches_of_codes(form, node)
        return np.array([branch_of[code] for code in values.tolist()])
    own = slice(int(graph.at[node]), int(graph.at[node] + graph.count[node]))
    if graph.kind[node] == kinds.CUT:
        cuts: Array = graph.number[node : node + 1]
    else:
        cuts = graph.cuts[own] if graph.kind[node] == kinds.CUTS else graph.whole[own]
    missing = np.isnan(values) if values.dtype.kind == "f" else values == INT64_MIN
    return np.where(missing, graph.missing[node], np.searchsorted(cuts, values))
