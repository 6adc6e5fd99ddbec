"""``treewright info``: what is in a file, a table's columns or a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from treewright.cli.command import Answer, Argument, Command
from treewright.cli.failure import usage
from treewright.cli.number_words import top_of
from treewright.cli.options import READING
from treewright.cli.python_lines import call
from treewright.cli.screen.screen import Screen
from treewright.cli.screen.table import Column
from treewright.cli.screen.words import counted
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.data_files import RawTable
    from treewright.data.column import Column as TypedColumn

_TOP = 40
_VALUES_SHOWN = 2
_TEXTS_SHOWN = 3


def info(session: Session, *, file: str, top: str | None, to: str | None, **how: Any) -> Answer:
    """Return what a file holds, by its content: a model, or a table."""
    from treewright.cli.model_files import check_exists, is_model

    if file != "-" and not file.startswith("example:"):
        check_exists(file)
        if is_model(file):
            if to is not None:
                raise usage(
                    f"--to {to}: {file} is a model, and a schema is of a table",
                    code="option-value",
                    hint=f"treewright info {file} --json",
                    parameter="to",
                )
            return _model(file)
    return _table(session, file, how, top=top_of(top, _TOP), to=to)


def _model(file: str) -> Answer:
    from treewright.cli.fitting.model_words import description_to_dict
    from treewright.cli.model_files import describe_model

    found = describe_model(file)
    return Answer(
        text=lambda screen: _model_text(file, found, screen),
        result=lambda: description_to_dict(found),
    )


def _model_text(file: str, found: Any, screen: Screen) -> str:
    """Return a model in lines: what it is, what it was grown from, how good it is."""
    from treewright.cli.model_files import remembered_in
    from treewright.text.names import list_names
    from treewright.text.numbers import percent

    kept = remembered_in(found)
    rows = "" if found.rows is None else f" of {found.rows:,} rows"
    head = f"{screen.safe(file)}: {screen.bold(found.kind)}{rows}, {len(found.columns)} columns"
    lines: list[tuple[str, str]] = []
    target = "" if kept.target is None else screen.safe(kept.target)
    if found.classes is not None:
        classes = "; ".join(list_names(each, most=8) for each in found.classes)
        lines.append(("target", f"{target}: {classes}" if target else classes))
    elif target:
        lines.append(("target", f"{target}: numbers"))
    lines.append(("columns", list_names([name for name, _ in found.columns], most=12)))
    if found.size:
        lines.append(("size", _size(found.size)))
    check = kept.check
    if check is not None and isinstance(check.get("metrics"), dict) and check["metrics"]:
        name, figure = next(iter(check["metrics"].items()))
        share = name in ("error", "accuracy")
        numbers = [figure["value"], figure["low"], figure["high"]]
        texts = [percent(n, unit=False) if share else f"{n:,.4g}" for n in numbers]
        unit = " %" if share else ""
        method = f", {check['method']}" if "method" in check else ""
        lines.append((name, f"{texts[0]}{unit}, {texts[1]} to {texts[2]}{unit}{method}"))
    if kept.reading is not None:
        lines.append(("read from", f"{screen.safe(kept.reading.source)}: {kept.reading.told()}"))
    own = _chosen_parameters(found)
    if own:
        lines.append(("parameters", ", ".join(f"{name}={value}" for name, value in own.items())))
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    lines.append(("versions", versions))
    lines.append(("file", f"format {found.format}, {found.n_bytes:,} bytes"))
    if screen.plain:
        return "\n".join([f"file\t{file}", f"algorithm\t{found.kind}", *map("\t".join, lines)])
    width = max(len(name) for name, _ in lines)
    indent = " " * (width + 2)
    body = [screen.sentence(f"{name.ljust(width)}  {text}", indent=indent) for name, text in lines]
    return "\n".join([head, "", *body])


def _size(size: Mapping[str, int]) -> str:
    """Return a size in words: ``23 nodes, 12 leaves, depth 5``."""
    words = [
        f"{n:,} {what}" for what, n in size.items() if what != "depth" and (what, n) != ("trees", 1)
    ]
    return ", ".join([*words, *([f"depth {size['depth']}"] if "depth" in size else [])])


_ALWAYS_NAMED = ("criterion", "prune", "min_samples_leaf", "n_estimators", "random_state")


def _chosen_parameters(found: Any) -> dict[str, str]:
    """Return the parameters that people ask about, and of the others none that are off."""
    return {name: found.parameters[name] for name in _ALWAYS_NAMED if name in found.parameters}


def _table(
    session: Session, file: str, how: dict[str, Any], *, top: int | None, to: str | None
) -> Answer:
    from treewright.cli.data_files import HowToRead, read_table

    raw = read_table(session, file, HowToRead(**{name: how[name] for name in READING}))
    if to is not None:
        return _schema(raw, to)
    lines = [_described(raw, name) for name in raw.frame.columns]
    remarks = _remarks(raw)
    return Answer(
        text=lambda screen: _table_text(raw, lines, remarks, screen, top=top),
        result=lambda: _table_result(raw, lines),
    )


def _described(raw: RawTable, name: str) -> dict[str, Any]:
    """Return a column: kind, gaps, distinct values, and what they are."""
    from treewright.data.column_roles import is_identifier, n_distinct

    column = raw.frame.column(name)
    kinds = {"value": "text", "datetime": "date", "duration": "duration"}
    kind = kinds.get(column.storage, "number")
    if kind == "text" and set(column.values) <= {True, False} and column.values:
        kind = "boolean"
    return {
        "name": name,
        "kind": kind,
        "missing": int(column.missing.sum()),
        "distinct": n_distinct(column),
        "values": _values(column, kind),
        "role": "identifier" if is_identifier(name, column) and not raw.is_example else None,
    }


def _values(column: TypedColumn, kind: str) -> list[Any]:
    """Return the ends of numbers and dates, or the texts with their counts, most frequent first."""
    import numpy as np

    known = ~column.missing
    if not known.any():
        return []
    if column.storage == "value":
        counts = np.bincount(column.data[known], minlength=len(column.values))
        order = sorted(range(len(counts)), key=lambda code: (-counts[code], code))
        return [[column.values[code], int(counts[code])] for code in order if counts[code]]
    values = np.asarray(column.to_numpy()[known])
    ends = [values.min(), values.max()]
    if kind == "date":
        return [_day(end) for end in ends]
    return [end.item() if hasattr(end, "item") else end for end in ends]


def _day(moment: Any) -> str:
    text = str(moment)
    return text.split("T")[0] if "T00:00:00" in text else text


def _table_text(
    raw: RawTable,
    lines: list[dict[str, Any]],
    remarks: list[str],
    screen: Screen,
    *,
    top: int | None,
) -> str:
    reading = raw.frame.reading
    told = "an example" if reading is None else reading.told()
    n_rows, n_columns = raw.frame.shape
    size = f"{counted(n_rows, 'row')}, {counted(n_columns, 'column')}"
    head = f"{screen.safe(raw.source)}: {size}; {told}"
    shown = lines[:top]
    table = screen.table(
        [
            Column("column", [each["name"] for each in shown], cut=16),
            Column("kind", [each["kind"] for each in shown]),
            Column("missing", [f"{each['missing']:,}" for each in shown], right=True),
            Column("distinct", [f"{each['distinct']:,}" for each in shown], right=True),
            Column("values", [_in_words(each, screen) for each in shown]),
        ]
    )
    if len(shown) < len(lines):
        table += f"\n{screen.ellipsis} {len(lines) - len(shown):,} more (--top all)"
    parts = [screen.sentence(head), table]
    if remarks:
        parts.append("\n".join(screen.sentence(screen.safe(each)) for each in remarks))
    return "\n\n".join(parts)


def _in_words(each: dict[str, Any], screen: Screen) -> str:
    values = each["values"]
    if not values:
        return ""
    if each["kind"] in ("text", "boolean"):
        if each["distinct"] == values[0][1] * len(values) and values[0][1] == 1 < len(values):
            shown = [str(value) for value, _ in values[:_TEXTS_SHOWN]]
        else:
            shown = [f"{value} {count}" for value, count in values[:_VALUES_SHOWN]]
        more = f", {screen.ellipsis}" if len(values) > len(shown) else ""
        return ", ".join(shown) + more
    low, high = (f"{v:.10g}" if isinstance(v, float) else str(v) for v in values)
    return f"{low} to {high}"


def _remarks(raw: RawTable) -> list[str]:
    """Return what fit would do with the columns, and what was decided in reading them."""
    from treewright.cli.data_files import assumed_target
    from treewright.data.column_roles import is_identifier

    if raw.is_example:
        return [] if raw.target is None else [f"{raw.target}: the target"]
    made = [
        f"{name}: every value differs, an identifier; fit leaves it out"
        for name in raw.frame.columns
        if is_identifier(name, raw.frame.column(name))
    ]
    reading = raw.frame.reading
    # The hints below a note's first line are for Python.
    made += [] if reading is None else [note.message.partition("\n")[0] for note in reading.notes]
    target, reason = assumed_target(raw, raw.frame)
    why = reason if reason.startswith("by ") else f"being {reason}"
    return [*made, f"{target}: fit would take it for the target, {why}"]


def _table_result(raw: RawTable, lines: list[dict[str, Any]]) -> dict[str, Any]:
    from treewright.cli.data_files import assumed_target

    reading = raw.frame.reading
    target, _ = assumed_target(raw, raw.frame)
    for each in lines:
        if each["name"] == target:
            each["role"] = "target"
    return {
        "rows": raw.frame.n_rows,
        "columns": lines,
        "reading": None if reading is None else reading.to_dict(),
    }


def _schema(raw: RawTable, to: str) -> Answer:
    """Return a file to edit: kinds and orders of the columns, as ``--schema`` reads it."""
    if to != "schema":
        raise usage(f"info --to is schema, not {to!r}", code="option-value", parameter="to")
    import json

    lines = [_described(raw, name) for name in raw.frame.columns]
    made = {each["name"]: {"kind": each["kind"]} for each in lines}
    return Answer(
        text=lambda screen: json.dumps({"columns": made}, indent=2, ensure_ascii=False),
        result=lambda: {"columns": made},
    )


def python(session: Session, *, file: str, top: str | None, to: str | None, **how: Any) -> str:
    """Return the lines that show the same file, in the words of the library."""
    from treewright.cli.model_files import check_exists, is_model

    if file.startswith("example:"):
        shown = call("tw.load_example", file.removeprefix("example:")) + ".X"
    else:
        check_exists(file)
        shown = call("tw.persist.describe" if is_model(file) else "tw.read", file)
    return f"import treewright as tw\nprint({shown})"


COMMAND = Command(
    name="info",
    sentence="Print what is in a file: the columns of a table, or what a model is.",
    arguments=(Argument(name="file", metavar="FILE", takes="data"),),
    options=("top", "to", *READING),
    examples=(
        ("treewright info loans.csv", "kinds, gaps and values of its columns"),
        ("treewright info loans.tw", "what the model is, and how good"),
        ("treewright info example:iris --json", "for scripts"),
    ),
    run=info,
    python=python,
)
