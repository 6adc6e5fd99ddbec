"""What every picture has: a title that says what was found, and ways to show and to save it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treewright.chart.svg import ANY_THEME, AnyTheme, Drawing
from treewright.chart.widths import wrap
from treewright.chart.words import clean_sentence
from treewright.errors import ParameterError, UnsupportedError
from treewright.parameters import check_choice, check_count
from treewright.text.table import TextColumn, lay_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Frame = Literal["alone", "notebook", "report"]

_FRAMES: tuple[Frame, ...] = ("alone", "notebook", "report")

SUFFIXES = (".svg", ".html", ".png", ".pdf")
"""Of the files that a picture is saved to."""

_FIXED_THEMES: dict[str, AnyTheme] = {".png": "light", ".pdf": "print"}

_NARROW = 440
"""Below this width a picture is drawn for a narrow column."""

_LEAST_WIDTH, _LEAST_HEIGHT = 320, 120
_MOST_DESCRIBED = 50
"""Lines of numbers in the text for a screen reader."""


@dataclass(frozen=True)
class Area:
    """The part of a picture between its heading and its caption; `bottom` where it is given."""

    left: float
    top: float
    right: float
    bottom: float | None
    is_narrow: bool

    @property
    def width(self) -> float:
        """From the left to the right."""
        return self.right - self.left


@dataclass(frozen=True)
class Numbers:
    """The numbers of a picture as a table of texts."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        columns = zip(*self.rows, strict=True) if self.rows else ([] for _ in self.heads)
        return lay_out(
            [
                TextColumn(head, list(cells), right=i > 0)
                for i, (head, cells) in enumerate(zip(self.heads, columns, strict=True))
            ]
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Picture(ABC):
    """A picture with its words: what was found, what is drawn, and how it came about.

    Parameters
    ----------
    title
        What was found.
    subtitle
        What is drawn, with the unit.
    caption
        How: number of rows, method, seed, what the interval is.
    verdict
        What may be concluded, then what may not: two sentences at most, under the picture.
    finding
        A sentence for people who hear the picture read; the numbers follow it.
    """

    title: str
    subtitle: str = ""
    caption: str = ""
    verdict: str = ""
    finding: str = ""

    def svg(
        self,
        *,
        width: int | None = None,
        height: int | None = None,
        theme: AnyTheme = "auto",
        frame: Frame = "alone",
        prefix: str | None = None,
    ) -> str:
        """Return the picture as SVG, drawn for this width.

        Parameters
        ----------
        width, height
            In pixels; None: as is usual. A picture grows beyond `height` where its words need it.
        theme
            "auto" follows what the reader prefers; "light", "dark" and "print" are fixed.
        frame
            "alone" has margins, title and caption; "notebook" no margins and a small title;
            "report" none of them, for a page that writes them itself.
        prefix
            Of the ids in the picture; by default one that is taken from its content.
        """
        check_count("width", width, least=_LEAST_WIDTH, optional=True)
        check_count("height", height, least=_LEAST_HEIGHT, optional=True)
        check_choice("theme", theme, ANY_THEME)
        check_choice("frame", frame, _FRAMES)
        if prefix is not None and not re.fullmatch(r"[A-Za-z][\w-]*", prefix, re.ASCII):
            raise ParameterError(
                f"prefix={prefix!r} must be a letter, then letters, digits, hyphens, underscores."
            )
        width = width or self._usual_width()
        is_narrow = width < _NARROW
        margin = 0 if frame != "alone" else 16 if is_narrow else 28
        drawing = Drawing(theme)
        top = self._draw_heading(drawing, margin, width - margin, frame)
        caption = [] if frame == "report" else wrap(self.full_caption, width - 2 * margin, 11.5)
        foot = max(4, margin - 10) + (15 * len(caption) + 12 if caption else 0)
        wished = height or self._usual_height(is_narrow, frame, top + foot)
        bottom = None if wished is None else wished - foot
        area = Area(margin, top, width - margin, bottom, is_narrow)
        used = self._draw(drawing, area)
        if self.verdict:
            used = _draw_verdict(drawing, clean_sentence(self.verdict), area, used + 20)
        if height is not None:
            used = max(used, height - foot)
        for i, line in enumerate(caption):
            drawing.text((margin, used + 12 + 15 * (i + 1)), line, 11.5, "ink3")
        return drawing.finish(
            width,
            round(used + foot),
            title=clean_sentence(self.title),
            description=self._description(),
            prefix=prefix,
        )

    def save(
        self,
        path: str | Path,
        *,
        width: int | None = None,
        height: int | None = None,
        theme: AnyTheme = "auto",
    ) -> None:
        """Write the picture to a file: ``.svg``, ``.html``, ``.png`` or ``.pdf`` by its name.

        PNG (twice as many pixels) and PDF need the extra ``treewright[images]``; in the theme
        "auto" they are light, and for print.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in SUFFIXES:
            raise UnsupportedError(
                f"save writes {', '.join(SUFFIXES)} files, but the file is {str(path)!r}.\n"
                "  Hint: name it *.svg, or use plot().figure.savefig(path) with matplotlib."
            )
        # Late, as hardly any picture is converted.
        from treewright.chart.convert import to_pdf, to_png

        shown = theme
        if theme == "auto" and suffix in _FIXED_THEMES:
            shown = _FIXED_THEMES[suffix]
        if suffix == ".html":
            content = self._page(width=width, height=height, theme=theme).encode()
        else:
            svg = self.svg(width=width, height=height, theme=shown)
            content = {".png": to_png, ".pdf": to_pdf}.get(suffix, str.encode)(svg)
        Path(path).write_bytes(content)

    def _page(self, *, width: int | None, height: int | None, theme: AnyTheme) -> str:
        """Return the page of HTML that is saved."""
        from treewright.chart.convert import to_page

        svg = self.svg(width=width, height=height, theme=theme)
        return to_page(svg, clean_sentence(self.title))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the picture on matplotlib axes and return them; new ones where none are given."""
        # Late, as matplotlib is not needed for anything else.
        from treewright.chart.on_axes import frame

        given = frame.axes_for(self, ax)
        self._plot(given)
        frame.write_words(self, given)
        if ax is None:
            frame.settle(given)
        return given

    @property
    def full_caption(self) -> str:
        """The caption, and how many points without a number were left out."""
        left_out = self._n_left_out()
        said = clean_sentence(self.caption)
        if not left_out:
            return said
        points = (
            "1 point without a number is"
            if left_out == 1
            else (f"{left_out:,} points without a number are")
        )
        return f"{said} {points} left out.".strip()

    @abstractmethod
    def numbers(self) -> Numbers:
        """Return the numbers that are drawn, as a table of texts."""

    def _repr_html_(self) -> str:
        return self._repr_svg_()

    def _repr_svg_(self) -> str:
        return self.svg(frame="notebook")

    @abstractmethod
    def _draw(self, drawing: Drawing, area: Area) -> float:
        """Draw what is between heading and caption; return the lowest pixel that it takes."""

    @abstractmethod
    def _plot(self, ax: Any) -> None:
        """Draw the same on matplotlib axes."""

    def _usual_width(self) -> int:
        return 760

    def _usual_height(self, is_narrow: bool, frame: Frame, words: float) -> float | None:
        """Return the height of a picture that is not as high as its content; `words` take some."""
        return None

    def _n_left_out(self) -> int:
        return 0

    def _draw_heading(self, drawing: Drawing, left: float, right: float, frame: Frame) -> float:
        """Write title and subtitle; return where the picture may begin."""
        if frame == "report":
            return 12.0
        size, leading = (17.0, 22.0) if frame == "alone" else (13.0, 17.0)
        baseline = left + size - 2
        for i, line in enumerate(wrap(clean_sentence(self.title), right - left, size, bold=True)):
            baseline += leading if i else 0
            drawing.text((left, baseline), line, size, "ink", bold=True)
        for i, line in enumerate(wrap(clean_sentence(self.subtitle), right - left, 13)):
            baseline += 17 if i else 21
            drawing.text((left, baseline), line, 13, "ink2")
        return baseline + 24

    def _description(self) -> str:
        numbers = self.numbers()
        lines = [
            ", ".join(
                f"{head} {cell}" if head else cell
                for head, cell in zip(numbers.heads, row, strict=True)
            )
            for row in numbers.rows[:_MOST_DESCRIBED]
        ]
        rest = len(numbers.rows) - _MOST_DESCRIBED
        lines += [f"{rest:,} more"] if rest > 0 else []
        said = clean_sentence(self.finding) or clean_sentence(self.subtitle)
        verdict = clean_sentence(self.verdict)
        return "\n".join(part for part in (said, verdict, *lines) if part)


def _draw_verdict(drawing: Drawing, verdict: str, area: Area, top: float) -> float:
    lines = wrap(verdict, area.width - 14, 13.5)
    bottom = top + 19 * len(lines) + 2
    drawing.rectangle((area.left, top), (3, bottom - top), "accent")
    for i, line in enumerate(lines):
        drawing.text((area.left + 14, top + 15 + 19 * i), line, 13.5, "ink")
    return bottom
