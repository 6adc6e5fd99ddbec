"""What is said about charts that cannot be drawn, word for word."""

from __future__ import annotations

from typing import Any

import pytest

from treewright.chart import (
    Axis,
    BarRow,
    Chart,
    DotChart,
    DotRow,
    Dots,
    Line,
    Mark,
    MatrixChart,
    RankChart,
    Rule,
    StackedBars,
    Strip,
)
from treewright.errors import ParameterError, UnsupportedError

EMPTY = Chart(title="a")

REFUSED: list[tuple[Any, str]] = [
    (lambda: Line([1, 2], [1]), "y has 1 values, but x has 2."),
    (lambda: Line([1], [1], low=[0]), "low and high are given together or not at all."),
    (lambda: Line([[1]], [1]), "x must be a list of numbers, not 2-dimensional."),
    (lambda: Line("ab", [1]), "x must be a list of numbers, not 'ab'."),
    (lambda: Line([1], None), "y must be a list of numbers, not 0-dimensional."),
    (
        lambda: Line([1], [1], role="tests"),  # type: ignore[arg-type]
        "role='tests' must be one of 'ice', 'other', 'reference', 'training', 'test', 'class', "
        "'validated'.\n  Hint: did you mean 'test'?",
    ),
    (lambda: Line([1], [1], class_index=-1), "class_index=-1 must be at least 0."),
    (lambda: Dots([1, 2], [1, 2], hollow=[True]), "hollow has 1 values, but x has 2."),
    (lambda: Mark(1, 1, kind="good"), "kind='good' must be one of 'chosen', 'best', 'chance'."),  # type: ignore[arg-type]
    (lambda: Rule(), "A rule is at one x or at one y, not x=None, y=None."),
    (lambda: Rule(x=1, y=2), "A rule is at one x or at one y, not x=1, y=2."),
    (lambda: Strip([0, 1], [1, 2]), "edges has 2 values, but 2 counts need one more."),
    (
        lambda: Axis(limits=(2, 1)),
        "limits=(2, 1) must be two ends, ascending; None where data decide.",
    ),
    (
        lambda: Chart(title="a", marks=[Line([1], [1], name="b", columns=("c",))]),
        "Line 'b' has 1 columns, but the chart has 0 heads.",
    ),
    (
        lambda: DotChart(title="a", rows=[DotRow("b", 1.0, columns=("c",))]),
        "DotRow 'b' has 1 columns, but the chart has 0 heads.",
    ),
    (
        lambda: MatrixChart(title="a", classes=["b"], counts=[[1, 2]]),  # type: ignore[arg-type]
        "counts is (1, 2), but 1 classes need (1, 1).",
    ),
    (lambda: StackedBars(title="a", parts=()), "A bar has 1 to 5 parts, not 0."),
    (
        lambda: StackedBars(title="a", parts=("b",), rows=[BarRow("c", (1, 2))]),
        "Bar 'c' has 2 values for 1 parts.",
    ),
    (
        lambda: StackedBars(title="a", parts=("b",), rows=[BarRow("c", (-1,))]),
        "Bar 'c' has a part below 0: -1.",
    ),
    (
        lambda: StackedBars(title="a", parts=("b",), x=Axis(scale="log")),
        "Bars start at 0, so their axis cannot be scale='log'.",
    ),
    (lambda: RankChart(title="a", names=["b"], ranks=[]), "ranks has 0 values for 1 names."),  # type: ignore[arg-type]
    (
        lambda: RankChart(title="a", names=["b"], ranks=[1], groups=[(0, 1)]),  # type: ignore[arg-type]
        "groups holds (0, 1), but positions go from 0 to 0.",
    ),
    (lambda: EMPTY.svg(width=100), "width=100 must be at least 320."),
    (lambda: EMPTY.svg(height=1.5), "height=1.5 must be a whole number or None."),  # type: ignore[arg-type]
    (
        lambda: EMPTY.svg(theme="drk"),  # type: ignore[arg-type]
        "theme='drk' must be one of 'auto', 'light', 'dark', 'print'.\n"
        "  Hint: did you mean 'dark'?",
    ),
    (
        lambda: EMPTY.svg(prefix="1 a"),
        "prefix='1 a' must be a letter, then letters, digits, hyphens, underscores.",
    ),
]


@pytest.mark.parametrize(("work", "message"), REFUSED, ids=[text for _, text in REFUSED])
def test_what_cannot_be_drawn(work: Any, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        work()
    assert str(caught.value) == message


def test_other_files_than_pictures() -> None:
    with pytest.raises(UnsupportedError) as caught:
        EMPTY.save("chart.gif")
    assert str(caught.value) == (
        "save writes .svg, .html, .png, .pdf files, but the file is 'chart.gif'.\n"
        "  Hint: name it *.svg, or use plot().figure.savefig(path) with matplotlib."
    )
