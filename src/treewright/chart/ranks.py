"""A critical-difference diagram: mean ranks on one axis, joined where they cannot be told apart.

The diagram is that of Demšar (2006), *Statistical comparisons of classifiers over multiple data
sets*, J. Mach. Learn. Res. 7.

Examples
--------
>>> from treewright.chart import RankChart
>>> chart = RankChart(
...     title="forest and boosting cannot be told apart on 43 tables",
...     names=["forest", "boosting", "CART"],
...     ranks=[1.5, 1.6, 2.9],
...     critical_difference=0.51,
... )
>>> chart.joined()
((0, 1),)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart.axes import TICK_SIZE
from treewright.chart.marks import as_numbers
from treewright.chart.picture import Area, Numbers, Picture
from treewright.chart.scale import Scale
from treewright.chart.svg import Anchor, Drawing
from treewright.chart.widths import measure, shorten_labels
from treewright.chart.words import clean, number, numbers, tick_labels
from treewright.errors import ParameterError
from treewright.parameters import check_number

_ROW = 22.0
_BAR_STEP = 10.0
_NAME_SIZE = 12.5


@dataclass(frozen=True, kw_only=True, eq=False)
class RankChart(Picture):
    """Mean ranks, best left, with bars over those that cannot be told apart.

    Parameters
    ----------
    title, subtitle, caption, verdict, finding
        As of every `Picture`.
    names, ranks
        The learners and their mean ranks; 1 is best.
    critical_difference
        Ranks nearer than this are joined by a bar; drawn to scale on top. None: by `groups` alone.
    groups
        Learners that cannot be told apart, by their positions in `names`: one tuple per bar. None:
        all that are nearer than the critical difference.
    """

    names: Sequence[str]
    ranks: FloatArray
    critical_difference: float | None = None
    groups: Sequence[Sequence[int]] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(clean(name) for name in self.names))
        ranks = as_numbers("ranks", self.ranks)
        object.__setattr__(self, "ranks", ranks)
        if len(ranks) != len(self.names):
            raise ParameterError(f"ranks has {len(ranks)} values for {len(self.names)} names.")
        check_number("critical_difference", self.critical_difference, low=0.0, optional=True)
        for group in self.groups or ():
            if not all(0 <= i < len(ranks) for i in group):
                raise ParameterError(
                    f"groups holds {tuple(group)}, but positions go from 0 to {len(ranks) - 1}."
                )

    def order(self) -> list[int]:
        """Return the positions of the learners that have a rank, best first."""
        by_rank = np.argsort(self.ranks, kind="stable").tolist()
        return [i for i in by_rank if np.isfinite(self.ranks[i])]

    def joined(self) -> tuple[tuple[int, ...], ...]:
        """Return the learners under each bar, best first, without bars that others cover."""
        order = self.order()
        if self.groups is not None:
            known = [[i for i in order if i in group] for group in self.groups]
            return tuple(tuple(group) for group in known if len(group) > 1)
        if self.critical_difference is None:
            return ()
        found: list[tuple[int, ...]] = []
        last = -1
        for start, i in enumerate(order):
            near = [
                end
                for end in range(start, len(order))
                if self.ranks[order[end]] - self.ranks[i] < self.critical_difference
            ]
            if near and near[-1] > max(start, last):
                last = near[-1]
                found.append(tuple(order[start : last + 1]))
        return tuple(found)

    def numbers(self) -> Numbers:
        """Return the learners with their mean ranks, best first."""
        order = self.order()
        texts = numbers([float(self.ranks[i]) for i in order])
        rows = tuple((self.names[i], text) for i, text in zip(order, texts, strict=True))
        return Numbers(("", "mean rank"), rows)

    def limits(self) -> tuple[float, float]:
        """Return the ends of the axis: from 1 to the number of learners."""
        known = self.ranks[np.isfinite(self.ranks)]
        highest = max(2.0, float(len(self.names)), float(np.ceil(known.max(initial=1.0))))
        return min(1.0, float(np.floor(known.min(initial=1.0)))), highest

    def _n_left_out(self) -> int:
        return len(self.names) - len(self.order())

    def _draw(self, drawing: Drawing, area: Area) -> float:
        order, texts = self.order(), [row[1] for row in self.numbers().rows]
        half = (len(order) + 1) // 2
        side = (0.3 if area.is_narrow else 0.24) * area.width
        widest = max((measure(self.names[i], _NAME_SIZE) for i in order), default=0.0)
        value = max((measure(text, _NAME_SIZE) for text in texts), default=0.0)
        names = min(widest, side) + value + 14
        left, right = area.left + names + 12, area.right - names - 12
        low, high = self.limits()
        scale = Scale(low, high, left, right)
        axis = area.top + 8 + (self._draw_difference(drawing, scale, area) if order else 0.0)
        self._draw_axis(drawing, scale, axis)
        bars = axis + 12
        for k, group in enumerate(self.joined()):
            ends = scale.at(self.ranks[group[0]]) - 4, scale.at(self.ranks[group[-1]]) + 4
            y = bars + _BAR_STEP * k
            drawing.line((ends[0], y), (ends[1], y), "ink", width=4)
        cut = shorten_labels([self.names[i] for i in order], names - value - 14, _NAME_SIZE)
        first = bars + _BAR_STEP * len(self.joined()) + 14
        for k, i in enumerate(order):
            is_left = k < half
            row = k if is_left else len(order) - 1 - k
            at = scale.at(float(self.ranks[i])), first + _ROW * row
            self._draw_name(
                drawing, (cut[k], self.names[i], texts[k]), axis, at, left if is_left else right
            )
        return first + _ROW * max(half - 1, 0) + 14

    def _draw_difference(self, drawing: Drawing, scale: Scale, area: Area) -> float:
        """Draw the critical difference to scale; return how much height it takes."""
        difference = self.critical_difference
        if difference is None:
            return 20.0
        length = min(difference / (scale.high - scale.low), 1.0) * (scale.end - scale.start)
        y = area.top + 4
        drawing.line((scale.start, y), (scale.start + length, y), "ink2", width=2)
        for end in (scale.start, scale.start + length):
            drawing.line((end, y - 4), (end, y + 4), "ink2", width=2)
        text = f"critical difference {number(difference)}"
        at = min(scale.start + length + 8, area.right - measure(text, TICK_SIZE)), y + 4
        if at[0] < scale.start + length + 8:
            drawing.text((scale.start, y + 20), text, TICK_SIZE, "ink2")
            return 52.0
        drawing.text(at, text, TICK_SIZE, "ink2")
        return 36.0

    def _draw_axis(self, drawing: Drawing, scale: Scale, y: float) -> None:
        drawing.line((scale.start, y), (scale.end, y), "axis")
        ticks = [
            value
            for value in scale.ticks(max(2, min(9, int((scale.end - scale.start) / 24))))
            if value == int(value)
        ]
        for value, text in zip(ticks, tick_labels(ticks), strict=True):
            at = scale.at(value)
            drawing.line((at, y - 5), (at, y), "axis")
            drawing.text((at, y - 9), text, TICK_SIZE, "ink2", anchor="middle")

    def _draw_name(
        self,
        drawing: Drawing,
        words: tuple[str, str, str],
        axis: float,
        at: tuple[float, float],
        end: float,
    ) -> None:
        """Lead from a rank down and out to its name; `words` are name, full name, rank."""
        name, full, rank = words
        x, y = at
        is_left = end <= x
        drawing.path([(x, axis), (x, y), (end, y)], "ink2", width=1)
        drawing.circle((x, axis), 3.0, "ink", title=f"{full} {rank}")
        sign = -1 if is_left else 1
        near = end + sign * 6
        far = near + sign * (measure(rank, _NAME_SIZE) + 8)
        anchor: Anchor = "end" if is_left else "start"
        drawing.text((near, y + 4), rank, _NAME_SIZE, "ink2", anchor=anchor)
        drawing.text((far, y + 4), name, _NAME_SIZE, "ink", anchor=anchor, title=full)

    def _plot(self, ax: Any) -> None:
        from treewright.chart.on_axes.ranks import plot_ranks

        plot_ranks(self, ax)
