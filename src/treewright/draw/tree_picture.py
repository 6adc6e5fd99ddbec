"""A tree as a picture: cards, a ledger, an icicle or an outline, whichever fits.

Examples
--------
>>> from treewright import ID3Classifier, load_example
>>> play = load_example("play_tennis")
>>> picture = ID3Classifier().fit(play.X, play.y).tree_.draw()
>>> picture.title
'Outlook decides first'
>>> print(str(picture.numbers()).replace("\\u202f", " "))
condition           rows     answer
all rows              14   Yes 64 %
Outlook = Sunny        5    No 60 %
Humidity = High        3   No 100 %
Humidity = Normal      2  Yes 100 %
Outlook = Overcast     4  Yes 100 %
Outlook = Rain         5   Yes 60 %
Wind = Weak            3  Yes 100 %
Wind = Strong          2   No 100 %
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.chart.picture import Area, Frame, Numbers, Picture
from treewright.chart.svg import ANY_THEME, AnyTheme, Drawing
from treewright.chart.words import clean_sentence
from treewright.draw import cards, icicle, ledger, outline
from treewright.draw.node_marks import draw_class_key
from treewright.draw.row_path import row_path
from treewright.draw.sketch import Sketch, sketch_of
from treewright.draw.training_rows import TrainingRows
from treewright.draw.tree_words import (
    LAYOUTS,
    Layout,
    caption_of,
    reading_of,
    subtitle_of,
    title_of,
)
from treewright.draw.values import unit_text
from treewright.parameters import check_choice, check_count, check_flag

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

_AVAILABLE: dict[Frame, int] = {"alone": 1280, "notebook": 900, "report": 960}
_NARROW = 520
"""Below this width a tree is written as an outline."""

_LEAST_CARDS = 480
_MOST_IN_NOTEBOOK = 600
"""Height of a picture in a notebook; what does not fit is closed."""

_DESCRIBED = 50
"""Lines of the outline in the text for a screen reader."""


@dataclass(frozen=True, eq=False)
class _Plan:
    """How a tree is drawn at a width."""

    layout: Layout
    sketch: Sketch
    width: int
    cards: cards.Cards | None = None
    most_height: float | None = None

    @property
    def has_ledger(self) -> bool:
        """Whether a ledger of the largest parts stands beneath an icicle."""
        is_wide = self.width >= _NARROW
        return self.layout == "icicle" and self.most_height is None and is_wide


@dataclass(frozen=True, kw_only=True, eq=False)
class TreePicture(Picture):
    """A picture of a tree; made by :meth:`treewright.Tree.draw`.

    Parameters
    ----------
    sketch
        What is drawn.
    layout
        ``"cards"``, ``"ledger"``, ``"icicle"``, ``"outline"``; None: whichever fits.
    distributions
        Whether inner nodes show the values that they ask about.
    interactive
        Whether a notebook shows the interactive page.
    plan
        How it is drawn at a width; made by :meth:`svg`.
    """

    sketch: Sketch
    layout: Layout | None = None
    distributions: bool = False
    interactive: bool = False
    plan: _Plan | None = None

    def svg(
        self,
        *,
        width: int | None = None,
        height: int | None = None,
        theme: AnyTheme = "auto",
        frame: Frame = "alone",
        prefix: str | None = None,
    ) -> str:
        """Return the picture as SVG, laid out for this width.

        Parameters
        ----------
        width, height
            In pixels; None: as is usual.
        theme
            "auto" follows what the reader prefers; "light", "dark" and "print" are fixed.
        frame
            "alone" has margins, title and caption; "notebook" no margins and a small title;
            "report" none of them.
        prefix
            Of the ids in the picture; by default one that is taken from its content.
        """
        fixed = self.laid_out(width=width, frame=frame)
        assert fixed.plan is not None
        return Picture.svg(
            fixed, width=fixed.plan.width, height=height, theme=theme, frame=frame, prefix=prefix
        )

    def laid_out(self, *, width: int | None = None, frame: Frame = "alone") -> TreePicture:
        """Return the picture as it is drawn at a width: its words say how to read it."""
        check_count("width", width, least=320, optional=True)
        check_choice("frame", frame, tuple(_AVAILABLE))
        most_height = _MOST_IN_NOTEBOOK if frame == "notebook" else None
        plan = self._planned(width, frame, most_height)
        shows = plan.cards is not None and any(
            map(plan.cards.shows_distribution, plan.sketch.shown)
        )
        told = caption_of(
            plan.sketch,
            plan.layout,
            self.sketch,
            distributions=shows,
            with_ledger=plan.has_ledger,
        )
        found = replace(self, plan=plan, caption=f"{self.caption} {told}".strip())
        return replace(found, subtitle=f"{self.subtitle} {found.reading}".strip())

    @property
    def reading(self) -> str:
        """How to read what is drawn: its bars, lines and shades; of cards before it is laid out."""
        if self.plan is None:
            return reading_of(self.sketch, "cards")
        return reading_of(self.plan.sketch, self.plan.layout)

    def html(self, *, theme: AnyTheme = "auto") -> str:
        """Return the interactive page: one file that asks nothing of the network."""
        from treewright.draw.page.page import interactive_page

        check_choice("theme", theme, ANY_THEME)
        return interactive_page(self, theme)

    def numbers(self) -> Numbers:
        """Return a line per node that is drawn: its condition, its rows and its answer."""
        sketch = self.sketch
        lines = []
        for node in sketch.shown:
            said = sketch.answer(node).full if node else f"all {sketch.unit}"
            answer = f"{sketch.label(node)} {sketch.share_text(node)}".strip()
            lines.append((said, sketch.count_text(node, unit=False), answer))
        return Numbers(("condition", sketch.unit, "answer"), tuple(lines))

    def _planned(self, width: int | None, frame: Frame, most_height: float | None) -> _Plan:
        """Return the first layout that fits, and what must be closed for it."""
        margin = 0 if frame != "alone" else 16 if width is not None and width < 440 else 28
        total = width or _AVAILABLE[frame]
        room = total - 2 * margin
        layout, sketch = self.layout, self.sketch
        if layout is None and total < _NARROW:
            layout = "outline"
        if layout in (None, "cards"):
            # Distributions are drawn in cards alone: what does not fit is closed.
            is_asked = layout == "cards" or (self.distributions and sketch.rows is not None)
            is_given = width is not None or layout is None
            found = self._cards(room, is_asked=is_asked, is_given=is_given)
            if found is not None:
                return self._plan_cards(found, width, margin, most_height)
        if layout is None:
            layout = "ledger" if len(sketch.ends) <= ledger.MOST_LEAVES else "icicle"
        if layout == "outline":
            sketch = sketch.to_leaves(_ends_within(most_height, 46.0, outline.MOST_LEAVES))
        elif layout == "ledger":
            sketch = sketch.to_leaves(_ends_within(most_height, 20.0, 1_000))
        return _Plan(layout, sketch, total, most_height=most_height)

    def _cards(self, room: float, *, is_asked: bool, is_given: bool) -> cards.Cards | None:
        """Return the cards of the tree if they fit; those asked for are made to."""
        sketch = self.sketch
        if not is_asked and len(sketch.ends) > cards.MOST_LEAVES:
            return None
        for narrow in (False, True):
            found = cards.cards_of(sketch, distributions=self.distributions, narrow=narrow)
            if found.total_width <= room or (is_asked and not is_given):
                return found
        if not is_asked:
            return None

        def made(each: Sketch) -> cards.Cards:
            return cards.cards_of(each, distributions=self.distributions, narrow=True)

        return made(sketch.until(lambda each: made(each).total_width <= room))

    def _plan_cards(
        self, found: cards.Cards, width: int | None, margin: int, most_height: float | None
    ) -> _Plan:
        if most_height is not None and found.total_height > most_height - 100:
            closed = found.sketch.until(
                lambda each: replace(found, sketch=each).total_height <= most_height - 100
            )
            found = replace(found, sketch=closed)
        needed = round(max(found.total_width, _LEAST_CARDS - 2 * margin) + 2 * margin)
        return _Plan("cards", found.sketch, width or needed, found, most_height)

    def _draw(self, drawing: Drawing, area: Area) -> float:
        plan = self.plan
        assert plan is not None  # svg() made it
        sketch = plan.sketch
        x, key = draw_class_key(drawing, sketch, (area.left, area.top), area.right)
        if plan.layout == "icicle":
            x, key = (x + 18, key) if sketch.has_hues else (area.left, area.top)
            icicle.draw_shade_key(drawing, sketch, x, area.right, key)
        top = key + (24 if plan.layout != "outline" else 14)
        below = replace(area, top=top)
        if plan.layout == "cards":
            assert plan.cards is not None
            return cards.draw_cards(drawing, plan.cards, below)
        if plan.layout == "outline":
            return outline.draw_outline(drawing, sketch, below)
        if plan.layout == "ledger":
            found = ledger.ledger_of(sketch, area.width)
            return ledger.draw_ledger(drawing, found, below)
        bottom = icicle.draw_icicle(drawing, sketch, below)
        if not plan.has_ledger:
            return bottom
        largest = ledger.ledger_of(sketch.to_leaves(icicle.LEDGER_LEAVES), area.width)
        head = "The same tree, cut back to where most rows are"
        drawing.text((area.left, bottom + 36), head, 13, "ink", bold=True)
        return ledger.draw_ledger(drawing, largest, replace(area, top=bottom + 50))

    def _plot(self, ax: Any) -> None:
        from treewright.chart.convert import show_on_axes

        show_on_axes(self.svg(theme="light"), ax)

    def _page(self, *, width: int | None, height: int | None, theme: AnyTheme) -> str:
        return self.html(theme=theme)

    def _repr_html_(self) -> str:
        if not self.interactive:
            return super()._repr_html_()
        from treewright.draw.page.page import in_a_frame

        return in_a_frame(self.html())

    def _description(self) -> str:
        sketch = self.sketch if self.plan is None else self.plan.sketch
        lines = []
        for node in sketch.shown[:_DESCRIBED]:
            said = sketch.answer(node).full if node else f"all {sketch.unit}"
            lines.append(f"{'  ' * min(sketch.levels[node], 20)}{said}: {sketch.outcome(node)}")
        rest = len(sketch.shown) - _DESCRIBED
        lines += [f"{rest:,} more"] if rest > 0 else []
        said = clean_sentence(self.finding) or clean_sentence(self.subtitle)
        return "\n".join(part for part in (said, clean_sentence(self.verdict), *lines) if part)


def _ends_within(most_height: float | None, line: float, most: int) -> int:
    """Return how many ends fit in a height, the words of a picture taking some of it."""
    return most if most_height is None else min(most, int((most_height - 120) / line))


def draw_tree(
    tree: Tree,
    *,
    row: object = None,
    max_depth: int | None = None,
    layout: Layout | None = None,
    distributions: bool = False,
    interactive: bool = False,
    title: str | None = None,
    name: str = "",
    unit: str = "rows",
) -> TreePicture:
    """Return the picture of a tree; see :meth:`treewright.tree.tree.Tree.draw`."""
    check_count("max_depth", max_depth, least=0, optional=True)
    if layout is not None:
        check_choice("layout", layout, LAYOUTS)
    check_flag("distributions", distributions)
    check_flag("interactive", interactive)
    rows = TrainingRows.kept_by(tree)
    path = None if row is None else row_path(tree, row, rows)
    sketch = sketch_of(tree, rows, max_depth=max_depth, path=path, unit=unit_text(unit))
    return TreePicture(
        title=title_of(sketch) if title is None else title,
        subtitle=subtitle_of(sketch, clean_sentence(name)),
        sketch=sketch,
        layout=layout,
        distributions=bool(distributions),
        interactive=bool(interactive),
    )
