"""Shapes and texts written as SVG: escaped, measured, and coloured by theme.

A theme's values are written as attributes, which is what converters to raster and PDF need. The
theme ``"auto"`` writes the light ones and, in one ``<style>``, what changes for dark.
Every id and every rule of the style begins with a prefix of the picture's own, taken from its
content, so that pictures can stand together on a page and the same picture has the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from treewright.chart.colours import Theme, colour
from treewright.chart.widths import measure

AnyTheme = Literal["auto", "light", "dark", "print"]

ANY_THEME: tuple[AnyTheme, ...] = ("auto", "light", "dark", "print")

FONT = "Arial,'Liberation Sans',Arimo,Helvetica,sans-serif"

Anchor = Literal["start", "middle", "end"]
Points = Iterable[tuple[float, float]]

_HALO = 4.0


def _px(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Drawing:
    """A picture being drawn; colours are tokens of `treewright.chart.colours`."""

    def __init__(self, theme: AnyTheme) -> None:
        self._theme = theme
        self._parts: list[str] = []
        self._used: set[tuple[str, str]] = set()

    def line(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        stroke: str,
        *,
        width: float = 1.0,
        dash: str = "",
    ) -> None:
        """Draw a straight line."""
        ends = [("x1", start[0]), ("y1", start[1]), ("x2", end[0]), ("y2", end[1])]
        self._add("line", [*_placed(ends), *_stroked(width, dash)], stroke=stroke)

    def path(
        self, points: Points, stroke: str, *, width: float, dash: str = "", title: str = ""
    ) -> None:
        """Draw a line through points."""
        attributes = [("d", _path(points)), *_stroked(width, dash), ("stroke-linejoin", "round")]
        self._add("path", attributes, fill="none", stroke=stroke, title=title)

    def curve(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        stroke: str,
        *,
        width: float,
        title: str = "",
    ) -> None:
        """Draw a cubic that leaves its start downwards and arrives at its end from above."""
        (x1, y1), (x2, y2) = start, end
        turns = f"{_px(x1)},{_px(y2 - 4)} {_px(x2)},{_px(y1 + 4)} {_px(x2)},{_px(y2)}"
        attributes = [("d", f"M{_px(x1)},{_px(y1)} C{turns}"), *_stroked(width)]
        self._add("path", attributes, fill="none", stroke=stroke, title=title)

    @contextmanager
    def group(self, title: str = "") -> Iterator[None]:
        """Hold together what is drawn within; `title` is what is read and shown of it."""
        self._parts.append(f"<g><title>{escape(title)}</title>" if title else "<g>")
        yield
        self._parts.append("</g>")

    def area(self, points: Points, fill: str, *, title: str = "") -> None:
        """Fill what points enclose."""
        self._add("path", [("d", _path(points) + "Z")], fill=fill, title=title)

    def rectangle(
        self,
        corner: tuple[float, float],
        size: tuple[float, float],
        fill: str,
        *,
        stroke: str = "",
        width: float = 0.0,
        radius: float = 0.0,
        title: str = "",
    ) -> None:
        """Fill a rectangle, given its upper left corner; with a frame where it has a stroke."""
        placed = [("x", corner[0]), ("y", corner[1]), ("width", size[0]), ("height", size[1])]
        attributes = _placed(placed) + (_placed([("rx", radius)]) if radius else [])
        attributes += _stroked(width) if stroke else []
        self._add("rect", attributes, fill=fill, stroke=stroke, title=title)

    def circle(
        self,
        centre: tuple[float, float],
        radius: float,
        fill: str,
        *,
        stroke: str = "",
        width: float = 0.0,
        title: str = "",
    ) -> None:
        """Draw a dot, with a ring where it has a stroke."""
        placed = _placed([("cx", centre[0]), ("cy", centre[1]), ("r", radius)])
        attributes = placed + (_stroked(width) if stroke else [])
        self._add("circle", attributes, fill=fill, stroke=stroke, title=title)

    def dots(self, centres: Points, radius: float, fill: str) -> None:
        """Draw many dots of one colour: a tenth of the bytes of as many circles."""
        starts = " ".join(f"M{_px(x)},{_px(y)}h.01" for x, y in centres)
        attributes = [("d", starts), *_stroked(2 * radius), ("stroke-linecap", "round")]
        self._add("path", attributes, fill="none", stroke=fill)

    def text(
        self,
        at: tuple[float, float],
        text: str,
        size: float,
        fill: str,
        *,
        bold: bool = False,
        anchor: Anchor = "start",
        halo: bool = False,
        title: str = "",
    ) -> None:
        """Write one line, its baseline at a point; `title` is the text before it was cut."""
        if not text:
            return
        text = _with_spaces(text)
        attributes = [*_placed([("x", at[0]), ("y", at[1])]), ("font-size", f"{size:g}")]
        if bold:
            attributes.append(("font-weight", "700"))
        if anchor != "start":
            attributes.append(("text-anchor", anchor))
        length = f"{measure(text, size, bold=bold):.1f}"
        attributes += [("textLength", length), ("lengthAdjust", "spacingAndGlyphs")]
        if halo:
            attributes += [
                *_stroked(_HALO),
                ("paint-order", "stroke"),
                ("stroke-linejoin", "round"),
            ]
        self._add(
            "text",
            attributes,
            fill=fill,
            stroke="paper" if halo else "",
            content=escape(text),
            title=title if title != text else "",
        )

    def finish(
        self, width: float, height: float, *, title: str, description: str, prefix: str | None
    ) -> str:
        """Return the SVG, with a ground and what a screen reader reads."""
        body = "\n".join(self._parts)
        if prefix is None:
            content = "\n".join([_px(width), _px(height), title, description, body])
            prefix = f"tw-{hashlib.sha256(content.encode()).hexdigest()[:10]}"
        self._parts = []
        self.rectangle((0, 0), (width, height), "paper")
        ground = self._parts[0]
        name = quoteattr(prefix)[1:-1]
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" width="{_px(width)}" '
            f'height="{_px(height)}" viewBox="0 0 {_px(width)} {_px(height)}" role="img" '
            f'aria-labelledby="{name}-t {name}-d" font-family="{FONT}">'
        )
        heading = f'<title id="{name}-t">{escape(title)}</title>'
        described = f'<desc id="{name}-d">{escape(description)}</desc>'
        style = self._style(name)
        parts = [opening, heading, described, style, ground, body, "</svg>"]
        return "\n".join(part for part in parts if part) + "\n"

    def _add(
        self,
        tag: str,
        attributes: list[tuple[str, str]],
        *,
        fill: str = "",
        stroke: str = "",
        content: str = "",
        title: str = "",
    ) -> None:
        painted = [*self._painted("fill", fill), *self._painted("stroke", stroke)]
        classes = [value for name, value in painted if name == "class"]
        attributes = attributes + [pair for pair in painted if pair[0] != "class"]
        if classes:
            attributes.append(("class", " ".join(classes)))
        # Numbers, tokens and colours of our own: no attribute has a text that somebody else chose.
        written = " ".join([f'{name}="{value}"' for name, value in attributes])
        inside = f"<title>{escape(title)}</title>{content}" if title else content
        end = f">{inside}</{tag}>" if inside else "/>"
        self._parts.append(f"<{tag} {written}{end}")

    def _painted(self, what: str, token: str) -> list[tuple[str, str]]:
        if not token:
            return []
        if token == "none":
            return [(what, token)]
        shown: Theme = "light" if self._theme == "auto" else self._theme
        found = colour(token, shown)
        written = [(what, found.value)]
        if found.opacity < 1:
            written.append((f"{what}-opacity", f"{found.opacity:g}"))
        if self._theme == "auto" and colour(token, "dark") != found:
            self._used.add((what, token))
            written.append(("class", f"{what[0]}-{token}"))
        return written

    def _style(self, prefix: str) -> str:
        if not self._used:
            return ""
        rules = []
        for what, token in sorted(self._used):
            dark, light = colour(token, "dark"), colour(token, "light")
            rule = f"{what}:{dark.value}"
            if dark.opacity != light.opacity:
                rule += f";{what}-opacity:{dark.opacity:g}"
            rules.append(f"#{prefix} .{what[0]}-{token}{{{rule}}}")
        return f"<style>@media (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"


def _with_spaces(text: str) -> str:
    """Return a text whose spaces all count.

    SVG drops those at the ends and all but one of several: what is left would be stretched to the
    width that was measured.
    """
    if "  " not in text and text == text.strip(" "):
        return text
    inner = text.strip(" ")
    before = len(text) - len(text.lstrip(" "))
    after = len(text) - before - len(inner)
    fixed = "\u00a0"
    return fixed * before + inner.replace("  ", f" {fixed}") + fixed * after


def _placed(pairs: Sequence[tuple[str, float]]) -> list[tuple[str, str]]:
    return [(name, _px(value)) for name, value in pairs]


def _stroked(width: float, dash: str = "") -> list[tuple[str, str]]:
    return [("stroke-width", _px(width)), *([("stroke-dasharray", dash)] if dash else [])]


def _path(points: Points) -> str:
    return "M" + " L".join(f"{_px(x)},{_px(y)}" for x, y in points)
