"""A table that a saved model is judged on: read as the model's own was, its target taken out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treewright.cli.data_files import (
    EXAMPLE,
    Drawn,
    HowToRead,
    LearningTable,
    RawTable,
    Task,
    assumed_target,
    check_column,
    drawn_rows,
    read_table,
)
from treewright.cli.failure import Failure
from treewright.cli.model_files import remembered_of
from treewright.cli.progress import Working
from treewright.cli.reading.file_faults import check_before_reading, told_as_options
from treewright.cli.reading.how_to_read import options_of
from treewright.cli.reading.row_weights import row_groups, row_weights
from treewright.cli.screen.words import counted
from treewright.cli.session import Session
from treewright.data.column_roles import kinds_to_say
from treewright.text.names import list_names

if TYPE_CHECKING:
    from treewright.array_types import Array


def model_table(
    session: Session,
    data: str,
    model: str,
    loaded: Any,
    *,
    how: HowToRead | None = None,
    target: str | None = None,
    weight: str | None = None,
    groups: str | None = None,
) -> LearningTable:
    """Return a table with the columns typed as a model has them, and the model's target.

    Parameters
    ----------
    data, model, loaded
        The table, the model's file, and the model.
    how
        What was typed about reading.
    target, weight, groups
        What was typed as these columns.
    """
    kept = remembered_of(model)
    raw = _raw(session, data, loaded, how or HowToRead(), kept.reading)
    typed = {"--target": target, "--weight": weight, "--groups": groups}
    for option, column in typed.items():
        if column is not None:
            check_column(raw, column, option)
    if target is not None:
        name = target
    else:
        name = kept.target or raw.target or assumed_target(raw, raw.frame)[0]
    if name not in raw.frame.columns:
        raise Failure(
            code="column-not-found",
            message=f"no column {name!r} in {data}: it is the target of {model}",
            found=f"{len(raw.frame.columns)} columns: {', '.join(raw.frame.columns[:6])}",
            hint="--target NAME; predict answers rows whose target is not known",
            file=data,
            column=name,
        )
    is_of_classes = hasattr(loaded, "classes_") or getattr(loaded, "classes", None) is not None
    task: Task = "classes" if is_of_classes else "numbers"
    return LearningTable(
        raw=raw,
        X=raw.frame.drop(name),
        y=_target(raw, name, task, getattr(loaded, "classes_", None)),
        target=name,
        task=task,
        weights=raw.frame.weights if weight is None else row_weights(raw.frame, weight, data),
        groups=None if groups is None else row_groups(raw.frame, groups, data),
        weight_column=weight,
        group_column=groups,
    )


def other_table(session: Session, data: str, table: LearningTable) -> LearningTable:
    """Return a table to judge on what was learned from another: read alike, its columns there."""
    from treewright.data.files.chunk import kinds_of
    from treewright.data.read.table import read_table as read_typed

    kinds = kinds_of(read_typed(table.X).schema)
    expected = {name: kind for name, kind in kinds.items() if kind != "any"}
    raw = read_table(session, data, like=table.reading, kinds=expected)
    raw = replace(raw, kinds=kinds_to_say(expected, raw.frame))
    weight = table.weight_column
    roles = {table.target: "the target"} | dict.fromkeys(table.X.columns, "a column to learn from")
    if weight is not None:
        roles[weight] = "the weights"
    absent = [name for name in roles if name not in raw.frame.columns]
    if absent:
        source, what = table.raw.source, roles[absent[0]]
        raise Failure(
            code="column-not-found",
            message=f"no column {absent[0]!r} in {data}: it is {what} in {source}",
            found=f"{len(raw.frame.columns)} columns: {list_names(raw.frame.columns)}",
            file=data,
            column=absent[0],
        )
    return known_rows(
        session,
        LearningTable(
            raw=raw,
            X=raw.frame.select(table.X.columns),
            y=_target(raw, table.target, table.task, table.y),
            target=table.target,
            task=table.task,
            weights=raw.frame.weights if weight is None else row_weights(raw.frame, weight, data),
            weight_column=weight,
        ),
    )


def known_rows(session: Session, table: LearningTable) -> LearningTable:
    """Return the rows whose target is known; what is left out is told."""
    import numpy as np

    missing = table.raw.frame.column(table.target).missing
    if not missing.any():
        return table
    if missing.all():
        raise Failure(
            code="no-target",
            message=f"{table.raw.source}: the target {table.target!r} is missing in every row",
            hint="predict answers rows whose target is not known",
            file=table.raw.source,
            column=table.target,
        )
    n_left_out = int(missing.sum())
    session.note(
        "target-missing",
        f"{counted(n_left_out, 'row')} without {table.target!r} left out",
        column=table.target,
    )
    known = np.flatnonzero(~missing)
    return replace(_rows_of(table, known), raw=table.raw.rows(known, "known"))


def sampled(table: LearningTable, n_rows: int | None, seed: int) -> LearningTable:
    """Return so many rows of a table, drawn by the seed, in their order; None: all."""
    rows = drawn_rows(len(table.y), n_rows, seed)
    if rows is None or n_rows is None:
        return table
    return replace(_rows_of(table, rows), raw=table.raw.rows(rows, Drawn(n_rows, seed)))


def _rows_of(table: LearningTable, rows: Array) -> LearningTable:
    return replace(
        table,
        X=table.X.rows(rows),
        y=table.y[rows],
        weights=None if table.weights is None else table.weights[rows],
        groups=None if table.groups is None else table.groups[rows],
    )


def _raw(session: Session, data: str, loaded: Any, how: HowToRead, reading: Any) -> RawTable:
    from treewright.data.files.any_file import read_file
    from treewright.data.files.chunk import kinds_of
    from treewright.persist.file_answers import schema_of

    if data.startswith(EXAMPLE):
        return read_table(session, data)
    check_before_reading(data, how)
    schema = schema_of(loaded)
    kinds: dict[str, Any] = {} if schema is None else dict(kinds_of(schema))
    expected = {name: kind for name, kind in kinds.items() if kind != "any"}
    options = replace(options_of(how), expected=expected, format=how.from_)
    with told_as_options(data, how), Working(session, f"reading {data}"):
        frame = read_file(data, options if reading is None else options.like(reading))
    if frame.n_rows == 0:
        raise Failure(code="no-rows", message=f"{data} has no rows below its header", file=data)
    return RawTable(source=data, frame=frame)


def _target(raw: RawTable, name: str, task: Task, known: Any) -> Any:
    """Return the target as the model writes it: classes of text stay text."""
    import numpy as np

    from treewright.data.files.target_column import target_values

    values = target_values(raw.frame.column(name))
    if task == "numbers":
        if values.dtype.kind in "OU":
            raise Failure(
                code="target-is-text",
                message=f"{name!r} in {raw.source} holds text; the model predicts numbers",
                hint="--target with a column of numbers",
                file=raw.source,
                column=name,
            )
        return values.astype(np.float64)
    if known is not None and np.asarray(known).dtype.kind in "OU" and values.dtype.kind in "ifb":
        texts = [None if each != each else _text(each) for each in values.tolist()]
        return np.array(texts, dtype=object)
    return values


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
