"""The same charts on matplotlib axes: colours, words, order, and nothing global."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from unit.chart.pictures import HOSTILE, USUAL, comparison, confusion, curve

from treewright.chart import Chart, Line, Mark
from treewright.errors import UnsupportedError


def test_without_matplotlib_an_error_says_what_works(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("matplotlib", "matplotlib.figure", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UnsupportedError) as caught:
        curve().plot()
    assert str(caught.value) == (
        "Chart.plot needs matplotlib, which is not installed.\n"
        "  Hint: svg() and save('chart.svg') need nothing."
    )


@pytest.fixture
def pyplot() -> Iterator[Any]:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize("name", [*USUAL, *sorted(HOSTILE.keys() - {"60 classes"})])  # slow
def test_every_picture_is_drawn(name: str, pyplot: Any) -> None:
    picture = {**USUAL, **HOSTILE}[name]
    before = dict(pyplot.rcParams)
    ax = picture.plot()
    ax.figure.canvas.draw()
    assert dict(pyplot.rcParams) == before
    if name in USUAL:
        assert ax.get_title(loc="left") == "What was found"


def test_axes_given_are_used_and_returned(pyplot: Any) -> None:
    _, axes = pyplot.subplots(1, 2)
    assert curve().plot(axes[1]) is axes[1]
    assert not axes[0].lines
    assert axes[1].get_xscale() == "log"
    assert not any(axes[1].spines[side].get_visible() for side in ("left", "top", "right"))


def test_lines_have_the_colours_and_widths_of_the_svg(pyplot: Any) -> None:
    ax = curve().plot()
    named = {line.get_label(): line for line in ax.lines}
    assert named["cross-validated"].get_color() == "#17694A"
    assert named["cross-validated"].get_linewidth() == 2.25 * 0.75
    assert named["training"].get_color() == "#69727D"
    assert named["cross-validated"].get_zorder() > named["training"].get_zorder()
    (low, high) = ax.get_ylim()
    assert (low, high) == curve().limits()[1]
    assert ax.get_xticklabels()[0].get_text() == "1 leaf"


def test_names_of_marks_lie_over_no_line(pyplot: Any) -> None:
    from matplotlib.text import Text

    x = np.arange(1.0, 21.0)
    falling, rising = 0.4 / x, 0.15 + 0.01 * np.abs(x - 3)
    for chosen, lowest in ((1, 3), (3, 5), (10, 3)):
        chart = Chart(
            title="What was found",
            marks=[
                Line(x=x, y=rising, name="cross-validated", role="validated"),
                Line(x=x, y=falling, name="training", role="training"),
                Mark(
                    x=chosen,
                    y=rising[chosen - 1],
                    name=f"chosen: {chosen} leaves",
                    note="simplest within 1 SE of the lowest",
                    kind="chosen",
                ),
                Mark(x=lowest, y=rising[lowest - 1], name=f"lowest: {lowest} leaves", kind="best"),
            ],
        )
        _, ax = pyplot.subplots(figsize=(7.6, 4.7))
        chart.plot(ax)
        boxes = [Text.get_window_extent(t) for t in ax.texts if t.get_text()[:6] in _MARKS]
        assert len(boxes) == 2
        assert not boxes[0].overlaps(boxes[1])
        fine = np.linspace(1, 20, 5000)
        for y in (falling, rising):
            points = ax.transData.transform(np.column_stack([fine, np.interp(fine, x, y)]))
            assert not any(box.count_contains(points) for box in boxes)


_MARKS = ("chosen", "lowest")


def test_rows_are_in_order_from_the_top(pyplot: Any) -> None:
    ax = comparison().plot()
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [f"learner {i}" for i in range(5)]
    assert ax.yaxis_inverted()
    words = {text.get_text() for text in ax.texts}
    assert {"behind the best", "0.084", comparison().verdict} <= words


def test_cells_have_their_counts(pyplot: Any) -> None:
    ax = confusion(3).plot()
    words = [text.get_text() for text in ax.texts]
    assert words.count("50") + words.count("54") + words.count("51") >= 3
    assert len(ax.patches) == 9


@pytest.mark.parametrize("name", ["curve", "calibration", "comparison", "columns", "arrows"])
def test_all_words_lie_in_the_figure_and_apart(name: str, pyplot: Any) -> None:
    long = "what was found is told in a title of more words than have room on one line of it " * 2
    ax = replace(USUAL[name], title=long, subtitle=long, caption=long).plot()
    ax.figure.canvas.draw()
    whole = ax.figure.bbox.padded(2)
    title = ax.title if ax.title.get_text() else ax._left_title
    words = [title, *(t for t in ax.texts if " ".join(t.get_text().split()) == long.strip())]
    boxes = [each.get_window_extent() for each in words]
    assert len(boxes) == 3
    for box in boxes:
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1
        assert whole.y0 <= box.y0
        assert box.y1 <= whole.y1
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
