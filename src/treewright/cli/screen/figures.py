"""Figures of a judgement on a screen: errors with their intervals, checks, confusion, classes."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treewright.cli.screen.screen import Screen
from treewright.cli.screen.table import Column
from treewright.text.numbers import figure, percent

if TYPE_CHECKING:
    from treewright.evaluate import Confusion, Scores

_LABELS = 18
_LEAST_REMARK = 20
_MOST_CLASSES = 6
_BOUND = {"least": "at least", "most": "at most"}


def figures_on_screen(
    scores: Scores, checks: Sequence[Mapping[str, Any]], screen: Screen, *, shown: Sequence[str]
) -> str:
    """Return a line for each figure: its name, its value, its interval or what was asked of it."""
    rows: list[tuple[str, str, str]] = []
    level = f"({100 * scores.level:g} %)"
    asked = {each["metric"]: each for each in checks}
    first = scores.metric.name
    for name in shown:
        metric = next(each for each in scores.metrics if each.name == name)
        found = scores[name]
        more = f"{found.ends_text()} {level}"
        if name in asked:
            told = check_in_words(asked.pop(name), is_share=metric.is_share)
            more = told if name != first else f"{more}; {told}"
        rows.append((metric.title, found.value_text(), more))
        if name == first and scores.baseline is not None:
            value = scores.metric.value(scores.baseline)
            rows.append((scores.baseline_text, scores.metric.format(value), ""))
    for name, each in asked.items():
        base = name.rpartition(".")[0] or name
        is_share = any(m.is_share for m in scores.metrics if m.name == base)
        told = percent(each["value"]) if is_share else figure(each["value"])
        rows.append((name, told, check_in_words(each, is_share=is_share)))
    return lines_on_screen(rows, screen)


def check_in_words(check: Mapping[str, Any], *, is_share: bool) -> str:
    """Return what was asked of a figure, and whether it is met."""
    bound = percent(check["bound"]) if is_share else figure(check["bound"])
    return f"{_BOUND[check['kind']]} {bound} asked: {'met' if check['met'] else 'not met'}"


def lines_on_screen(
    rows: Sequence[tuple[str, str, str]], screen: Screen, *, answers: bool = True
) -> str:
    """Return name, figure and remark below each other.

    Parameters
    ----------
    answers
        Whether the first figure is the answer.
    """
    if screen.plain:
        return "\n".join("\t".join(map(screen.safe, row)) for row in rows)
    width = max([_LABELS, *(len(screen.safe(name)) for name, _, _ in rows)])
    figures = max((len(value) for _, value, _ in rows), default=0)
    lines = []
    for i, (name, value, more) in enumerate(rows):
        shown = screen.bold(value) if i == 0 and answers else value
        space = " " * (figures - len(value))
        first, *rest = _beside(more, screen, width + figures + 5)
        lines.append(f"{screen.safe(name).ljust(width)}  {space}{shown}   {first}".rstrip())
        lines += rest
    return "\n".join(lines)


def _beside(remark: str, screen: Screen, place: int) -> list[str]:
    """Return the lines of a remark that begins at a place; those after the first are indented."""
    if screen.width is None or place + len(remark) <= screen.width:
        return [remark]
    room = screen.width - place
    indent = place if room >= _LEAST_REMARK else 2
    first, *rest = textwrap.wrap(remark, max(room, _LEAST_REMARK), break_on_hyphens=False)
    again = textwrap.wrap(" ".join(rest), max(screen.width - indent, _LEAST_REMARK))
    return [first, *(" " * indent + line for line in again)]


def confusion_on_screen(found: Confusion, screen: Screen) -> str:
    """Return counts by actual and predicted class, with each class's recall, precision and F1.

    Of more than six classes those most confused are shown, and it is said how many more there are.
    """
    names = [str(each) for each in found.classes]
    places = _most_confused(found, names)
    counts = found.counts
    header = "actual \\ predicted"
    columns = [Column(header, [names[i] for i in places], styles=list(places), cut=8)]
    columns += [
        Column(names[j], [_count(counts[i, j]) for i in places], right=True, cut=6) for j in places
    ]
    rest = [i for i in range(len(names)) if i not in places]
    if rest:
        others = [_count(counts[i, rest].sum()) for i in places]
        columns.append(Column("other", others, right=True))
    columns += [
        Column("recall", [_share(found.recall[i]) for i in places], right=True, drop=2),
        Column("precision", [_share(found.precision[i]) for i in places], right=True, drop=2),
        Column("F1", [_f1(found.f1[i]) for i in places], right=True, drop=1),
    ]
    table = screen.table(columns)
    if not rest:
        return table
    return f"{table}\n{screen.ellipsis} {len(rest)} more classes, less confused"


def _most_confused(found: Confusion, names: Sequence[str]) -> list[int]:
    if len(names) <= _MOST_CLASSES:
        return list(range(len(names)))
    wrong = found.counts - _diagonal(found.counts)
    confused = wrong.sum(axis=0) + wrong.sum(axis=1)
    ranked = sorted(range(len(names)), key=lambda i: -confused[i])[:_MOST_CLASSES]
    return sorted(ranked)


def _diagonal(counts: Any) -> Any:
    import numpy as np

    return np.diag(np.diag(counts))


def _count(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def _share(value: float) -> str:
    return "" if value != value else percent(value)


def _f1(value: float) -> str:
    return "" if value != value else f"{value:.3f}"
