"""Trees of an ensemble side by side: small icicles of those of typical size, of boosting the
first and the largest, never all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.boosting.ensemble import BoostedEnsemble
from treewright.chart.picture import Area, Frame, Numbers, Picture
from treewright.chart.svg import Drawing
from treewright.chart.widths import measure, shorten_end, shorten_middle
from treewright.chart.words import clean, clean_sentence
from treewright.draw.icicle import draw_icicle
from treewright.draw.node_marks import draw_class_key
from treewright.draw.sketch import Sketch, sketch_of
from treewright.draw.values import label_text, unit_text
from treewright.parameters import check_count

if TYPE_CHECKING:
    from treewright.ensemble.tree_ensemble import TreeEnsemble

_MOST_LOOKED_AT = 60
"""Trees whose size is looked at; of a larger ensemble so many, evenly along it."""

_LINE = 9.0
_MOST_LEVELS = 14
_GAP = 28.0
_LEAST_PANEL = 260.0


@dataclass(frozen=True, kw_only=True, eq=False)
class EnsemblePicture(Picture):
    """Small multiples of some trees of an ensemble.

    Parameters
    ----------
    numbers_of_trees
        Which trees they are, counted from 0.
    names
        What stands above each.
    sketches
        The trees.
    """

    numbers_of_trees: tuple[int, ...]
    names: tuple[str, ...]
    sketches: tuple[Sketch, ...]

    def numbers(self) -> Numbers:
        """Return a line per tree that is drawn: its size, and what it asks first."""
        rows = [
            (
                name,
                f"{sketch.tree.n_leaves:,}",
                f"{sketch.tree.depth:,}",
                sketch.asked(0) or label_text(sketch.label(0)),
            )
            for name, sketch in zip(self.names, self.sketches, strict=True)
        ]
        return Numbers(("tree", "leaves", "depth", "asks first"), tuple(rows))

    def _usual_width(self) -> int:
        return 900

    def _usual_height(self, is_narrow: bool, frame: Frame, words: float) -> float | None:
        return None

    def _draw(self, drawing: Drawing, area: Area) -> float:
        n_across = max(1, min(3, int((area.width + _GAP) // (_LEAST_PANEL + _GAP))))
        width = (area.width - _GAP * (n_across - 1)) / n_across
        top = area.top
        if self.sketches:
            _, key = draw_class_key(drawing, self.sketches[0], (area.left, top), area.right)
            top = key + 26
        for first in range(0, len(self.sketches), n_across):
            lowest = top
            for i in range(first, min(first + n_across, len(self.sketches))):
                left = area.left + (i - first) * (width + _GAP)
                panel = Area(left, top + 8, left + width, None, area.is_narrow)
                lowest = max(lowest, self._draw_panel(drawing, i, panel, top))
            top = lowest + 30
        return top - 30

    def _draw_panel(self, drawing: Drawing, i: int, panel: Area, baseline: float) -> float:
        sketch = self.sketches[i]
        number = shorten_end(self.names[i], 0.5 * panel.width, 12, bold=True)
        leaves = f"{sketch.tree.n_leaves:,} {'leaf' if sketch.tree.n_leaves == 1 else 'leaves'}"
        room = panel.width - measure(number, 12, bold=True) - 10
        asked = sketch.asked(0)
        told = f"{asked} first, {leaves}" if asked else leaves
        if measure(told, 12) > room and asked:
            rest = measure(f" first, {leaves}", 12)
            told = f"{shorten_middle(asked, max(room - rest, 0), 12)} first, {leaves}"
        drawing.text((panel.left, baseline), number, 12, "ink", bold=True, title=self.names[i])
        x = panel.left + measure(number, 12, bold=True) + 8
        drawing.text((x, baseline), told if measure(told, 12) <= room else leaves, 12, "ink2")
        shown = sketch.to_depth(_MOST_LEVELS)
        return draw_icicle(drawing, shown, panel, line=_LINE, small=True)

    def _plot(self, ax: Any) -> None:
        from treewright.chart.convert import show_on_axes

        show_on_axes(self.svg(theme="light"), ax)


def draw_ensemble(
    ensemble: TreeEnsemble, *, n_trees: int = 6, name: str = "", unit: str = "rows"
) -> EnsemblePicture:
    """Return a picture of some trees of an ensemble: those of median size, in their order.

    Parameters
    ----------
    ensemble
        The trees.
    n_trees
        How many are drawn.
    name
        What the ensemble is, first in the subtitle.
    unit
        What a row is called, in the plural.
    """
    check_count("n_trees", n_trees, least=1)
    unit = unit_text(unit)
    total = len(ensemble)
    looked_at = np.unique(
        np.linspace(0, max(total - 1, 0), min(total, _MOST_LOOKED_AT)).round().astype(int)
    )
    if isinstance(ensemble, BoostedEnsemble):
        looked_at = np.union1d(np.arange(min(n_trees, total)), looked_at)
    trees = {int(i): ensemble[int(i)] for i in looked_at if i < total}
    sizes = {i: tree.n_leaves for i, tree in trees.items()}
    many = f"{total:,} {'tree' if total == 1 else 'trees'}"
    ends = f"{min(sizes.values(), default=0):,} to {max(sizes.values(), default=0):,} leaves"
    if isinstance(ensemble, BoostedEnsemble):
        chosen, which = _first_and_largest(sizes, n_trees), "the first trees, and the largest"
        title, names = f"{many} of {ends}", [_round_name(ensemble, i) for i in chosen]
    else:
        in_order = sorted(sizes.values()) or [0]
        median = in_order[(len(in_order) - 1) // 2]  # the size of a tree, no mean of two
        chosen = sorted(sorted(sizes, key=lambda i: (abs(sizes[i] - median), i))[:n_trees])
        title, which = f"{many}; a typical one has {median:,} leaves", "trees of median size"
        which = f"{len(chosen)} {which}"
        names = [f"tree {i}" for i in chosen]
    seen = "" if len(trees) == total else f", of which {len(trees)} were looked at"
    return EnsemblePicture(
        title=title,
        subtitle=f"{clean_sentence(name)}{': ' if name else ''}{which}. "
        f"Width: share of the {unit}; a line per level, the root on top.{_shades(ensemble)}",
        caption=f"Trees of {ends}{seen}. Levels below {_MOST_LEVELS} are left out.",
        numbers_of_trees=tuple(chosen),
        names=tuple(names),
        sketches=tuple(sketch_of(trees[i], None, unit=unit) for i in chosen),
    )


def _first_and_largest(sizes: dict[int, int], n_trees: int) -> list[int]:
    """Return the first trees of those looked at, and the largest; each corrects those before it."""
    first = sorted(sizes)[:n_trees]
    largest = max(sizes, key=lambda i: (sizes[i], -i), default=0)
    return first if largest in first or not first else [*first[: n_trees - 1], largest]


def _round_name(ensemble: BoostedEnsemble, i: int) -> str:
    """Return the round of a tree, and its class where a round has a tree for each."""
    width = ensemble.core.n_outputs
    told = f"round {i // width + 1:,}"
    return told if width == 1 else f"{told}, {clean(ensemble.score_names()[i % width])}"


def _shades(ensemble: TreeEnsemble) -> str:
    if isinstance(ensemble, BoostedEnsemble):
        return " Shade: what a leaf adds to the score, the fuller the more."
    if ensemble.classes is None:
        return " Shade: the mean, the fuller the larger."
    return " Colour: the main class, the paler the more mixed."
