"""What was typed about reading a table, and what the library is told for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Failure, usage

if TYPE_CHECKING:
    from treewright.data.files.any_file import ReadOptions
    from treewright.data.reading import Reading


@dataclass(frozen=True, kw_only=True)
class HowToRead:
    """What the options say about reading, as they were typed; the rest is found by looking.

    Parameters
    ----------
    missing, decimal, delimiter, encoding, thousands, dates, header, kind, order, schema, from_
        The values of these options.
    """

    missing: tuple[str, ...] = ()
    decimal: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    thousands: str | None = None
    dates: str | None = None
    header: str | None = None
    kind: tuple[tuple[str, str], ...] = ()
    order: tuple[tuple[str, str], ...] = ()
    schema: str | None = None
    from_: str | None = None


def like_reading(options: ReadOptions, reading: Reading) -> ReadOptions:
    """Return the options to read a table as a model's was, the marks for gaps included.

    What is stray here was judged when the model was grown: a text that is no number is missing.
    """
    marks = [text for note in reading.notes if note.code == "marks-missing" for text in note.texts]
    made = options.like(reading)
    return replace(made, also_missing=(*made.also_missing, *marks), strict=False)


def learn_like(
    options: ReadOptions, reading: Reading | None, kinds: Mapping[str, Any]
) -> ReadOptions:
    """Return the options to read a table that a model is to be grown from as another's was.

    Customary marks for gaps are looked for again, unless the other table's gaps were listed.
    """
    from treewright.data.reading import MISSING_TEXTS

    made = replace(options, expected=kinds)
    if reading is None:
        return made
    usual = options.missing is None and set(reading.missing) == set(MISSING_TEXTS)
    made = made.like(reading)
    return replace(made, missing=None) if usual else made


def with_schema(how: HowToRead) -> HowToRead:
    """Return how to read with what a schema's file says; what was typed goes first."""
    if how.schema is None:
        return how
    import json

    from treewright.cli.model_files import check_exists

    check_exists(how.schema)
    try:
        columns = json.loads(Path(how.schema).read_text(encoding="utf-8"))["columns"]
        kinds = tuple((name, each["kind"]) for name, each in columns.items())
        orders = tuple(
            (name, ",".join(each["order"])) for name, each in columns.items() if "order" in each
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Failure(
            code="schema",
            message=f"{how.schema} is no schema",
            hint="treewright info DATA --to schema writes one",
            file=how.schema,
        ) from None
    typed = {name for name, _ in how.kind}, {name for name, _ in how.order}
    return replace(
        how,
        schema=None,
        kind=(*how.kind, *(pair for pair in kinds if pair[0] not in typed[0])),
        order=(*how.order, *(pair for pair in orders if pair[0] not in typed[1])),
    )


def options_of(how: HowToRead) -> ReadOptions:
    """Return how a file is read, as the library takes it."""
    from treewright.data.files.any_file import ReadOptions

    only_empty = "none" in how.missing
    return ReadOptions(
        delimiter={"tab": "\t", "\\t": "\t"}.get(how.delimiter or "", how.delimiter),
        encoding=how.encoding,
        header=None if how.header is None else how.header == "yes",
        missing=("",) if only_empty else None,
        also_missing=tuple(text for text in how.missing if text != "none"),
        decimal=how.decimal,
        thousands=how.thousands,
        dates=how.dates,
        kinds=_kinds(how.kind),
        format=how.from_,
        strict=True,
    )


def _kinds(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    known = ("number", "text", "date", "boolean")
    for name, kind in pairs:
        if kind not in known:
            raise usage(
                f"--kind {name} is {', '.join(known[:-1])} or {known[-1]}, not {kind!r}",
                code="option-value",
                parameter="kind",
            )
    return dict(pairs)
