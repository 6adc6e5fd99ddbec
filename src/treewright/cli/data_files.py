"""Tables of files and examples: the one place where the command line reads them.

The target, what it is, and the columns that are left out are decided here by the rules of the help
(``treewright help targets``), and every decision that nobody typed is a note.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Failure, usage
from treewright.cli.progress import Working
from treewright.cli.reading.how_to_read import HowToRead as HowToRead
from treewright.cli.reading.how_to_read import learn_like, like_reading, options_of
from treewright.cli.reading.how_to_read import with_schema as with_schema
from treewright.cli.reading.row_weights import row_groups, row_weights
from treewright.cli.reading.tables import EXAMPLE as EXAMPLE
from treewright.cli.reading.tables import Drawn as Drawn
from treewright.cli.reading.tables import LearningTable as LearningTable
from treewright.cli.reading.tables import RawTable as RawTable
from treewright.cli.reading.tables import stem_of as stem_of
from treewright.cli.session import Session
from treewright.data.column_roles import (
    FEW_ROWS,
    all_differ,
    is_identifier,
    n_distinct,
    target_values,
    task_of,
)
from treewright.data.column_roles import Task as Task
from treewright.text.names import list_names

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.data.column import Column
    from treewright.data.frame import Frame
    from treewright.data.reading import Reading, ReadNote

_TARGET_NAMES = ("target", "class", "label", "y")


def read_table(
    session: Session,
    data: str,
    how: HowToRead | None = None,
    *,
    like: Reading | None = None,
    kinds: Mapping[str, Any] | None = None,
) -> RawTable:
    """Return the columns of a file, of standard input (``-``) or of an example.

    Parameters
    ----------
    how
        What was typed about reading.
    like
        The reading of the table that a model was grown from: this one is read alike.
    kinds
        What its columns held, where another model is to be grown: stray texts are then refused.
    """
    if data.startswith(EXAMPLE):
        return _example(data)
    frame = _frame_of_file(session, data, with_schema(how or HowToRead()), like, kinds)
    if frame.n_rows == 0:
        raise Failure(code="no-rows", message=f"{data} has no rows below its header", file=data)
    return RawTable(source=data, frame=frame)


def _example(data: str) -> RawTable:
    import treewright as tw
    from treewright.cli.names import EXAMPLES
    from treewright.data.frame import Frame
    from treewright.parameters import nearest

    name = data.removeprefix(EXAMPLE)
    if name not in EXAMPLES:
        near = nearest(name, EXAMPLES)
        raise Failure(
            code="unknown-example",
            message=f"no example {name!r}",
            hint=f"{EXAMPLE}{near}" if near else "treewright demo --list names all",
        )
    example = tw.load_example(name)
    columns = {each: example.X.column(each) for each in example.X.columns}
    if example.target is not None and example.y is not None:
        from treewright.data.objects import read_objects

        columns[example.target] = read_objects(example.y.tolist(), example.target)
    frame = Frame(columns, weights=example.weights)
    return RawTable(source=data, frame=frame, target=example.target, classes=example.classes)


def _frame_of_file(
    session: Session,
    data: str,
    how: HowToRead,
    like: Reading | None,
    kinds: Mapping[str, Any] | None,
) -> Frame:
    from treewright.cli.reading.file_faults import check_before_reading, told_as_options
    from treewright.data.files.any_file import read_file

    check_before_reading(data, how)
    options = options_of(how)
    with told_as_options(data, how), Working(session, f"reading {data}"):
        if kinds is not None:
            options = learn_like(options, like, kinds)
        elif like is not None:
            options = like_reading(options, like)
        frame = read_file(data, options)
    if how.dates is not None and all(
        frame.column(name).storage != "datetime" for name in frame.columns
    ):
        session.note("dates-not-found", f"no column has dates as {how.dates!r}")
    return frame


def table_like(session: Session, data: str, model: str, loaded: Any) -> LearningTable:
    """Return a table read as that of a model was, with the model's target and columns."""
    from treewright.cli.model_files import remembered_of

    kept = remembered_of(model)
    raw = read_table(session, data, like=kept.reading)
    target = kept.target or raw.target
    if target is None or target not in raw.frame.columns:
        target, _ = assumed_target(raw, raw.frame)
    column = raw.frame.column(target)
    task: Task = "numbers" if getattr(loaded, "classes_", None) is None else "classes"
    if not hasattr(loaded, "classes_") and getattr(loaded, "classes", None) is not None:
        task = "classes"
    return LearningTable(
        raw=raw,
        X=raw.frame.drop(target),
        y=target_values(column, task),
        target=target,
        task=task,
        weights=raw.frame.weights,
    )


def learning_table(
    session: Session,
    raw: RawTable,
    *,
    target: str | None = None,
    task: str | None = None,
    ignore: Sequence[str] = (),
    use: Sequence[str] = (),
    order: Sequence[tuple[str, str]] = (),
    weight: str | None = None,
    groups: str | None = None,
    columns: Sequence[str] | None = None,
) -> LearningTable:
    """Return a table with its target, and note what was assumed.

    Parameters
    ----------
    target, task, ignore, use, order, weight, groups
        The options of these names.
    columns
        The columns to learn from, as a model has them; None: all but identifiers.
    """
    frame = raw.frame
    aside = {"--weight": weight, "--groups": groups}
    named = {"--ignore": ignore, "--use": use}
    named |= {option: [name] for option, name in aside.items() if name is not None}
    for option, names in named.items():
        for name in names:
            check_column(raw, name, option)
    kept = frame.drop(*ignore)
    chosen = _target(session, raw, kept, target)
    for name, values in order:
        _check_order(raw, name, values.split(","))
    column = kept.column(chosen)
    found = _task(session, chosen, column, task, announced=target is not None or raw.is_example)
    X = kept.drop(chosen, *(name for name in aside.values() if name is not None))
    left_out = _left_out(session, raw, X, use=use, columns=columns)
    _tell_reading(session, frame, skip=set(ignore))
    X = X.drop(*left_out)
    if not X.columns:
        raise Failure(
            code="no-columns",
            message=f"{raw.source} has no column to learn {chosen!r} from",
            hint="--use NAMES keeps columns that look like identifiers" if left_out else "",
            file=raw.source,
        )
    return LearningTable(
        raw=raw,
        X=X,
        y=target_values(column, found),
        target=chosen,
        task=found,
        left_out=left_out,
        ignored=tuple(ignore),
        order={name: tuple(values.split(",")) for name, values in order},
        weights=frame.weights if weight is None else row_weights(frame, weight, raw.source),
        groups=None if groups is None else row_groups(frame, groups, raw.source),
        weight_column=weight,
        group_column=groups,
    )


def _left_out(
    session: Session, raw: RawTable, X: Frame, *, use: Sequence[str], columns: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the columns that are not learned from: identifiers, or those a model does not have."""
    if columns is not None:
        others = tuple(name for name in X.columns if name not in columns and name not in use)
        if others:
            session.note(
                "not-of-model",
                f"left out, not of the model: {list_names(others)}",
                remedy="--use NAMES",
            )
        return others
    found = tuple(
        name
        for name in X.columns
        if name not in use and not raw.is_example and is_identifier(name, X.column(name))
    )
    for name in found:
        session.note(
            "identifier-left-out",
            f"{name!r} left out: all {X.n_rows:,} values differ",
            remedy=f"--use {name}",
            column=name,
        )
    return found


def check_column(raw: RawTable, name: str, option: str) -> None:
    """Refuse a name that is no column, with the nearest that is one."""
    names = raw.frame.columns
    if name in names:
        return
    from treewright.parameters import nearest

    near = nearest(name, names)
    raise Failure(
        code="column-not-found",
        message=f"no column {name!r} in {raw.source}",
        found=f"{len(names)} columns: {_some(names)}.",
        hint=f"{option} {near}" if near else f"treewright info {raw.source} lists them",
        file=raw.source,
        column=name,
    )


def _check_order(raw: RawTable, name: str, values: Sequence[str]) -> None:
    """Refuse an order that lacks values of its column, or that is of no column."""
    check_column(raw, name, "--order")
    column = raw.frame.column(name)
    if column.storage != "value":
        return
    absent = [str(each) for each in column.values if str(each) not in values]
    if absent:
        listed = ",".join([*values, *absent])
        raise Failure(
            code="order",
            message=f"--order {name} lacks {list_names(absent)}, which {raw.source} has",
            hint=f"--order {shlex.quote(f'{name}={listed}')}, each in its place",
            file=raw.source,
            column=name,
        )


def _some(names: Sequence[str]) -> str:
    """Return the first five names and the last, which may be the target."""
    if len(names) <= 6:
        return ", ".join(names)
    return f"{', '.join(names[:5])}, … {names[-1]}"


def assumed_target(raw: RawTable, frame: Frame) -> tuple[str, str]:
    """Return the column that is the target unless another is named, and why it is."""
    if raw.target is not None and raw.target in frame.columns:
        return raw.target, "of the example"
    named = [name for name in frame.columns if name.casefold() in _TARGET_NAMES]
    if len(named) == 1:
        return named[0], "by its name"
    return frame.columns[-1], "the last column"


def _target(session: Session, raw: RawTable, frame: Frame, given: str | None) -> str:
    if given is not None:
        check_column(raw, given, "--target")
        if given not in frame.columns:
            raise usage(f"--target and --ignore both name {given!r}", code="target-ignored")
        return given
    if not frame.columns:
        raise Failure(code="no-columns", message=f"{raw.source} has no columns left")
    name, reason = assumed_target(raw, frame)
    column = frame.column(name)
    if column.storage == "value" and all_differ(column) and len(column) >= FEW_ROWS:
        raise Failure(
            code="no-target",
            message=f"{name!r}, {reason}, is no target: all {len(column):,} texts differ",
            found=f"{len(frame.columns)} columns: {_some(frame.columns)}.",
            hint="--target NAME",
            file=raw.source,
            column=name,
        )
    if not raw.is_example:
        found = task_of(column)
        n_classes = n_distinct(column)
        what = f"{n_classes} {'class' if n_classes == 1 else 'classes'}"
        what = what if found == "classes" else "numbers"
        session.note(
            "target-assumed",
            f"target {name!r}, {reason}; {what}",
            remedy="--target NAME",
            column=name,
        )
    return name


def _task(
    session: Session, name: str, column: Column, given: str | None, *, announced: bool
) -> Task:
    found = task_of(column)
    if given == "numbers" and column.storage == "value":
        texts = list_names(map(str, column.values), most=3)
        raise Failure(
            code="target-is-text",
            message=f"--task numbers: {name!r} has texts ({texts})",
            hint="--target with a column of numbers",
            column=name,
        )
    if given == "classes":
        return "classes"
    if column.storage in ("datetime", "duration"):
        what = "dates" if column.storage == "datetime" else "durations"
        raise Failure(
            code="target-is-date",
            message=f"the target {name!r} has {what}, which no algorithm predicts",
            hint=f"--target with another column; or --kind {name}=text, if they are classes",
            column=name,
        )
    if given is not None:
        return "numbers"
    if announced and found == "classes" and column.storage in ("int", "uint"):
        session.note(
            "whole-numbers-are-classes",
            f"{name!r} has {n_distinct(column)} whole numbers: taken as classes",
            remedy="--task numbers",
            column=name,
        )
    return found


def _tell_reading(session: Session, frame: Frame, *, skip: set[str]) -> None:
    """Note what was decided while the file was read."""
    reading: Any = getattr(frame, "reading", None)
    for note in () if reading is None else reading.notes:
        if note.column in skip:
            continue
        session.note(
            note.code, note.brief or note.message, remedy=_remedy(note), column=note.column
        )


def _remedy(note: ReadNote) -> str:
    """Return the options that read a column otherwise."""
    if note.code == "marks-missing":
        return "--missing none"
    from treewright.cli.reading.file_faults import options_in_words

    if declared := re.search(r"Hint: kinds=\{(['\"])(.+)\1: 'number'\}", note.message):
        return f"--kind {shlex.quote(declared[2])}=number"
    found = re.search(r"(?:Hint|;): *((?:decimal|thousands|dates)=.*?) reads ", note.message)
    return "" if found is None else options_in_words(found[1])


def with_sample(raw: RawTable, n_rows: int | None, seed: int) -> RawTable:
    """Return so many rows of a table, drawn by the seed, in their order; None: all."""
    drawn = drawn_rows(raw.frame.n_rows, n_rows, seed)
    return raw if drawn is None or n_rows is None else raw.rows(drawn, Drawn(n_rows, seed))


def drawn_rows(n_rows: int, n_drawn: int | None, seed: int) -> Array | None:
    """Return positions of so many rows, drawn by the seed, ascending; None: all of them."""
    if n_drawn is None or n_drawn >= n_rows:
        return None
    import numpy as np

    return np.sort(np.random.default_rng(seed).choice(n_rows, size=n_drawn, replace=False))
