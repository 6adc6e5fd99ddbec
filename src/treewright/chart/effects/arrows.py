"""A chart of arrows, each from where the last one ended: what each column adds to an answer.

Examples
--------
>>> from treewright.chart.effects import Arrow, ArrowChart
>>> chart = ArrowChart(
...     title="amount raises the score of late most",
...     start=("all rows on average", -2.5),
...     arrows=[Arrow("amount", "20,600", 0.9), Arrow("income", "5,445", -0.4)],
...     end="row 0",
... )
>>> print(chart.numbers())
                     adds    to
all rows on average        −2.5
amount = 20,600      +0.9  −1.6
income = 5,445       −0.4  −2.0
row 0                      −2.0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.chart.axes import draw_top_axis, ticks_across
from treewright.chart.marks import Axis
from treewright.chart.picture import Area, Numbers, Picture
from treewright.chart.placement import Box
from treewright.chart.scale import Scale, limits_of
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_apart, shorten_end
from treewright.chart.words import clean, clean_sentence, numbers

_SIZE = 12.5
_LINE, _ARROW, _POINT = 30.0, 16.0, 6.0
_GAP = 14.0


@dataclass(frozen=True)
class Arrow:
    """What one column adds; `value` is its value in the row, may be empty."""

    name: str
    value: str
    adds: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ArrowChart(Picture):
    """Arrows that lead from a start to an end, in the order given.

    Parameters
    ----------
    title, subtitle, caption, verdict, finding
        As of every `Picture`.
    start
        What the arrows start from, and its number.
    arrows
        What each adds.
    end
        What they lead to.
    end_note
        What is told beside the number at the end.
    colour
        Token of arrows that lead upwards; the others are grey.
    form
        How numbers are written.
    """

    start: tuple[str, float]
    arrows: Sequence[Arrow] = ()
    end: str = ""
    end_note: str = ""
    colour: str = "accent"
    x: Axis = field(default_factory=Axis)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrows", tuple(self.arrows))

    @property
    def stops(self) -> list[float]:
        """The number at the start and after each arrow."""
        found = [self.start[1]]
        for arrow in self.arrows:
            found.append(found[-1] + arrow.adds)
        return found

    def adds_texts(self) -> list[str]:
        """Return what each arrow adds as a text with its sign."""
        adds = [arrow.adds for arrow in self.arrows]
        if self.x.form != "percent":
            return numbers(adds, "signed")
        texts = numbers(adds, "percent")
        return [f"+{text}" if value > 0 else text for text, value in zip(texts, adds, strict=True)]

    def stop_texts(self) -> list[str]:
        """Return the number at the start and after each arrow as texts."""
        return numbers(self.stops, self.x.form)

    def numbers(self) -> Numbers:
        """Return a line per arrow: what it adds, and to what."""
        stops = self.stop_texts()
        rows = [(clean(self.start[0]), "", stops[0])]
        for arrow, adds, stop in zip(self.arrows, self.adds_texts(), stops[1:], strict=True):
            rows.append((_named(arrow), adds, stop))
        rows.append((clean(self.end), "", stops[-1]))
        return Numbers(("", "adds", "to"), tuple(rows))

    def limits(self) -> tuple[float, float]:
        """Return the ends of the axis."""
        stops = np.array(self.stops)
        return limits_of(stops, self.x.limits or (None, None), log=False, padded=True)

    def _draw(self, drawing: Drawing, area: Area) -> float:
        layout = _Layout.of(self, area)
        plot, scale = layout.plot, layout.scale
        ticks = ticks_across(scale, self.x, within=(plot.left - 20, area.right))
        draw_top_axis(drawing, plot, ticks, scale)
        stops = [scale.at(stop) for stop in self.stops]
        texts = self.stop_texts()
        at = plot.left - _GAP, layout.centre(0) + 4
        cut = shorten_end(clean(self.start[0]), layout.names, _SIZE)
        drawing.text(at, cut, _SIZE, "ink2", anchor="end", title=clean(self.start[0]))
        drawing.circle((stops[0], layout.centre(0)), 4.5, "ink", title=texts[0])
        drawing.text((stops[0] + 10, layout.centre(0) + 4), texts[0], _SIZE, "ink")
        for i, arrow in enumerate(self.arrows):
            drawing.line(
                (stops[i], layout.centre(i) + (4.5 if i == 0 else _ARROW / 2)),
                (stops[i], layout.centre(i + 1) - _ARROW / 2),
                "axis",
            )
            self._draw_arrow(drawing, layout, i, arrow, (stops[i], stops[i + 1]))
        self._draw_end(drawing, area, layout, stops[-1], texts[-1])
        return plot.bottom

    def _draw_arrow(
        self,
        drawing: Drawing,
        layout: _Layout,
        i: int,
        arrow: Arrow,
        ends: tuple[float, float],
    ) -> None:
        y = layout.centre(i + 1)
        name, value = layout.cut[i]
        right = layout.plot.left - _GAP
        text = f"= {value}" if value else ""
        if text:
            drawing.text(
                (right, y + 4), text, _SIZE, "ink2", anchor="end", title=clean(arrow.value)
            )
            right -= measure(text, _SIZE) + 5
        drawing.text(
            (right, y + 4), name, _SIZE, "ink", bold=True, anchor="end", title=clean(arrow.name)
        )
        start, end = ends
        up = arrow.adds >= 0
        tip = min(_POINT, abs(end - start))
        neck = end - tip if up else end + tip
        half = _ARROW / 2
        shape = [
            (start, y - half),
            (neck, y - half),
            (end, y),
            (neck, y + half),
            (start, y + half),
        ]
        adds = self.adds_texts()[i]
        drawing.area(shape, self.colour if up else "axis", title=f"{_named(arrow)}: {adds}")
        beside = max(start, end) + 7
        drawing.text((beside, y + 4), adds, _SIZE, "ink", bold=i < 3, halo=True)

    def _draw_end(
        self, drawing: Drawing, area: Area, layout: _Layout, at: float, text: str
    ) -> None:
        y = layout.centre(len(self.arrows) + 1)
        drawing.line((area.left, y - _LINE / 2), (area.right, y - _LINE / 2), "rule")
        drawing.line((at, y - _LINE + _ARROW / 2), (at, y), "axis")
        name = shorten_end(clean(self.end), layout.names, _SIZE, bold=True)
        place = layout.plot.left - _GAP, y + 4
        full = clean(self.end)
        drawing.text(place, name, _SIZE, "ink", bold=True, anchor="end", title=full)
        told = f"{text}; {clean_sentence(self.end_note)}" if self.end_note else text
        drawing.circle((at, y), 5.5, "ink", title=told)
        width = measure(told, _SIZE, bold=True)
        if at + 11 + width <= area.right:
            drawing.text((at + 11, y + 4), told, _SIZE, "ink", bold=True)
        elif at - 11 - width >= layout.plot.left:
            drawing.text((at - 11, y + 4), told, _SIZE, "ink", bold=True, anchor="end")
        else:
            drawing.text((at + 11, y + 4), text, _SIZE, "ink", bold=True)

    def _plot(self, ax: Any) -> None:
        from treewright.chart.on_axes.effects import plot_arrows

        plot_arrows(self, ax)


def _named(arrow: Arrow) -> str:
    name = clean(arrow.name)
    return f"{name} = {clean(arrow.value)}" if arrow.value else name


def _value_text(arrow: Arrow, names: float) -> str:
    """Return a value cut to its share of the room; a number is cut only beyond most of it.

    Half a number says something else.
    """
    value = clean(arrow.value)
    if not arrow.value:
        return ""
    name = measure(clean(arrow.name), _SIZE, bold=True)
    room = max(0.4 * names, names - name - measure("= ", _SIZE) - 5)
    is_number = value[-1].isdigit() and value.lstrip("−-")[:1].isdigit()
    return shorten_end(value, 0.7 * names if is_number else room, _SIZE)


@dataclass(frozen=True)
class _Layout:
    """Where an arrow chart has its plot, and the names that fit beside it."""

    plot: Box
    scale: Scale
    names: float
    cut: list[tuple[str, str]]

    @classmethod
    def of(cls, chart: ArrowChart, area: Area) -> _Layout:
        most = (0.4 if area.is_narrow else 0.32) * area.width
        wanted = [measure(clean(text), _SIZE) for text in (chart.start[0], chart.end)]
        wanted += [measure(_named(arrow), _SIZE, bold=True) + 5 for arrow in chart.arrows]
        names = min(max(wanted), most)
        values = [_value_text(arrow, names) for arrow in chart.arrows]
        left = [names - (measure(f"= {value}", _SIZE) + 5 if value else 0.0) for value in values]
        full = [clean(arrow.name) for arrow in chart.arrows]
        room = min(left, default=names)
        short = shorten_apart(full, room, _SIZE, bold=True)
        shown = [
            name if measure(name, _SIZE, bold=True) <= width else cut
            for name, width, cut in zip(full, left, short, strict=True)
        ]
        widest = max((measure(text, _SIZE, bold=True) for text in chart.adds_texts()), default=0.0)
        start = area.left + names + _GAP
        top = area.top + 14
        plot = Box(start, top, area.right - widest - 10, top + _LINE * (len(chart.arrows) + 2))
        low, high = chart.limits()
        scale = Scale(low, high, plot.left, plot.right)
        return cls(plot, scale, names, list(zip(shown, values, strict=True)))

    def centre(self, i: int) -> float:
        """Return the middle of a line; 0 is that of the start."""
        return self.plot.top + _LINE * (i + 0.5)
