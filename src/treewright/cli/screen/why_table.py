"""The candidates of a node on a screen: every column's best question, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.cli.screen.screen import Screen
from treewright.cli.screen.table import Column, Style, display_width
from treewright.cli.screen.words import counted, whole_percent
from treewright.explain.why_table import MEASURES
from treewright.text.names import on_one_line
from treewright.text.numbers import figure, figures, p_values
from treewright.tree.node_text import classes_in_words

if TYPE_CHECKING:
    from treewright.explain.why_table import CandidateRow, WhyTable

_USUAL = {"cost": 1.0, "missing_weight": 0.0, "n_cuts": 1}
"""Measures that are not shown where they are the same everywhere, and this."""
_ALWAYS_LEFT_OUT = ("n_cuts",)
_THREE_DECIMALS = 0.111
"""Beside it an impurity has as many decimals as in the table: 0.940."""


def node_heading(found: WhyTable, screen: Screen, place: str, *, counts_first: bool = False) -> str:
    """Return the line above a table: the node, its rows, their impurity and classes."""
    parts = [counted(found.n_rows, "row")]
    if found.weight != found.n_rows:
        parts.append(f"weight {figure(found.weight)}")
    impurity = f"{found.measure} {figures([found.impurity, _THREE_DECIMALS])[0]}"
    told = ""
    if found.counts:
        told = classes_in_words(found.classes, found.counts, ascii=screen.ascii)
    elif found.mean is not None:
        told = f"mean {figure(found.mean)}"
    head = f"node {found.node} ({place}): "
    if counts_first:
        return head + ", ".join([*parts, *([told] if told else []), impurity])
    return head + ", ".join([*parts, impurity]) + (f"; {told}" if told else "")


def candidates_on_screen(
    found: WhyTable, screen: Screen, *, top: int | None, measures: tuple[str, ...] | None = None
) -> str:
    """Return the table of candidates, what was left out of it, and what was removed before.

    Parameters
    ----------
    top
        How many are shown; None: all.
    measures
        The measures shown; by default what the algorithm chooses by.
    """
    asked = in_order(found)
    shown = asked[:top]
    if not shown:
        return "no column has a question"
    columns = _columns(found, shown, screen, measures or found.measures)
    lines = [screen.table(columns)]
    removed = [row for row in found.candidates if row.guard is not None and not row.asks_something]
    if screen.plain:
        return "\n".join([*lines, *(f"\t{row.column}\t{row.guard}" for row in removed)])
    if len(shown) < len(asked):
        lines.append(f"   {screen.ellipsis} {len(asked) - len(shown)} more (--top all)")
    width = max(display_width(each) for each in (*columns[1].cells, "question"))
    lines += [
        f"   {screen.safe(row.column).ljust(width)}  {row.guard}"
        for row in (removed if top is None else removed[:top])
    ]
    if top is not None and len(removed) > top:
        lines.append(f"   {screen.ellipsis} {len(removed) - top} more not considered (--top all)")
    return "\n".join(lines)


def in_order(found: WhyTable) -> list[CandidateRow]:
    """Return the candidates that ask something, best first, the chosen one at the top."""
    asked = [row for row in found.candidates if row.asks_something]
    return sorted(
        asked, key=lambda row: (not row.chosen, row.guard is not None, -(row.score or 0.0))
    )


def asked_in_words(row: CandidateRow) -> str:
    """Return a candidate: the column alone where each value has a branch of its own."""
    labels = [branch.label for branch in row.branches]
    if labels and all(label.startswith("= ") for label in labels):
        return row.column
    return row.question


def verdict(found: WhyTable) -> str:
    """Return why the node asks what it asks, in a sentence."""
    if found.given is not None:
        return f"Its question was given: {found.given}."
    if found.leaf is not None:
        return f"This is a leaf: {found.leaf}."
    chosen = found.chosen
    if chosen is None:
        return ""
    measure = found.score_name
    best = "highest" if measure in ("gain", "gain ratio") else "best"
    told = f"{on_one_line(chosen.column)} is asked: it has the {best} {measure}."
    if found.ties:
        alike = ", ".join(map(on_one_line, found.ties[1:]))
        return f"{told} {alike} scores alike, and comes later in the table."
    others = [row for row in in_order(found) if not row.chosen and row.guard is None]
    if others and others[0].score is not None and chosen.score:
        share = others[0].score / chosen.score
        if 0 <= share <= 1 and best == "highest":
            told += f" Next best: {on_one_line(others[0].column)}, {whole_percent(share)} % of it."
        else:
            told += f" Next best: {on_one_line(others[0].column)}."
    return told


def working(found: WhyTable, row: CandidateRow, screen: Screen) -> str:
    """Return how the gain of a question is computed from its branches; empty where it is not so.

    Quinlan 1986: the impurity of the node, less those of the branches by their share of the weight.
    """
    if row.gain is None or not row.branches or found.weight <= 0:
        return ""
    sizes = [branch.weight for branch in row.branches]
    computed = found.impurity - sum(
        size / found.weight * branch.impurity
        for size, branch in zip(sizes, row.branches, strict=True)
    )
    if abs(computed - row.gain) > 1e-9 * max(1.0, abs(found.impurity)):
        return ""  # rows with missing values are divided, or counted otherwise
    texts = figures([found.impurity, *(branch.impurity for branch in row.branches), row.gain])
    times = "*" if screen.ascii else "·"
    terms = [
        f"{figure(size)}/{figure(found.weight)} {times} {text}"
        for size, text in zip(sizes, texts[1:-1], strict=True)
    ]
    name = on_one_line(row.column)
    line = f"gain({name}) = {' - '.join([texts[0], *terms])} = {texts[-1]}"
    if row.gain_ratio is not None and found.score_name == "gain ratio":
        parts = figures([row.gain, row.split_information, row.gain_ratio])
        line += f"\ngain ratio({name}) = {parts[0]} / {parts[1]} = {parts[2]}"
    return "\n".join(screen.sentence(each, indent="  ") for each in line.splitlines())


def _columns(
    found: WhyTable, shown: list[CandidateRow], screen: Screen, measures: tuple[str, ...]
) -> list[Column]:
    marks = [screen.arrow if row.chosen else "" for row in shown]
    impurity = figures([row.weighted_impurity for row in shown])
    styles: list[Style | int | None] = ["bold" if row.chosen else None for row in shown]
    columns = [
        Column("", marks, key="asked"),
        Column("question", [asked_in_words(row) for row in shown], styles=styles, cut=24),
        Column(found.measure, impurity, right=True, drop=1),
    ]
    names = dict(MEASURES)
    if found.score_name not in names.values():
        names["score"] = found.score_name if len(found.score_name) <= 14 else "score"
    for name, header in names.items():
        if (name not in measures and name != "score") or name in _ALWAYS_LEFT_OUT:
            continue
        values = [getattr(row, name) for row in shown]
        if all(value is None or value == _USUAL.get(name) for value in values):
            continue
        in_words = p_values if name in ("p_value", "adjusted_p") else figures
        is_score = header == found.score_name or name == "score"
        # On a narrow screen the missing go first, then what the algorithm does not choose by.
        drop = 0 if is_score else 99 if name == "missing_weight" else 2 + len(columns)
        columns.append(Column(header, in_words(values), right=True, drop=drop))
    return columns
