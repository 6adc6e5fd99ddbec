"""Axes as every chart has them: words, sizes and colours set on them alone, nothing global.

Sizes and widths of the SVG are pixels, those of matplotlib points: three quarters of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.chart.colours import colour
from treewright.chart.marks import Axis, Stroke
from treewright.chart.scale import Scale
from treewright.chart.words import clean_sentence, tick_labels
from treewright.errors import UnsupportedError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.chart.picture import Picture

POINTS = 0.75
"""Points in a pixel."""

FONTS = ["Arial", "Liberation Sans", "Arimo", "Helvetica", "DejaVu Sans"]
_INCHES = (7.6, 4.7)


def axes_for(picture: Picture, ax: Axes | None) -> Axes:
    """Return the axes to draw on: those given, or new ones of the usual size."""
    if ax is None:
        try:
            from matplotlib.figure import Figure
            from matplotlib.pyplot import figure
        except ImportError as error:
            raise UnsupportedError(
                f"{type(picture).__name__}.plot needs matplotlib, which is not installed.\n"
                "  Hint: svg() and save('chart.svg') need nothing."
            ) from error
        drawn: Figure = figure(figsize=_INCHES, layout="constrained")
        ax = drawn.add_subplot()
    ax.set_facecolor(paint("paper"))
    for side in ("left", "top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(paint("axis"))
    ax.set_axisbelow(True)
    return ax


def paint(token: str) -> Any:
    """Return the colour of a token for matplotlib: its light value, with its opacity."""
    found = colour(token, "light")
    return (found.value, found.opacity) if found.opacity < 1 else found.value


def text_style(size: float, token: str, *, bold: bool = False) -> dict[str, Any]:
    """Return how a text is written whose size is given in pixels."""
    return {
        "fontsize": size * POINTS,
        "color": paint(token),
        "fontweight": "bold" if bold else "normal",
        "parse_math": False,  # a name with dollar signs is a name
    }


def line_style(stroke: Stroke) -> dict[str, Any]:
    """Return how a line is drawn."""
    dashes = [float(part) for part in stroke.dash.split()]
    # matplotlib counts dashes in widths of the line.
    style = (0, [part / stroke.width for part in dashes]) if dashes else "-"
    return {"color": paint(stroke.colour), "linewidth": stroke.width * POINTS, "linestyle": style}


def write_words(picture: Picture, ax: Axes) -> None:
    """Write title, subtitle and caption around the axes."""
    title, subtitle = clean_sentence(picture.title), clean_sentence(picture.subtitle)
    ax.set_title(title, loc="left", pad=28 if subtitle else 14, **text_style(17, "ink", bold=True))
    on_top = ax.xaxis.get_ticks_position() == "top"
    if subtitle:
        _beside(ax, subtitle, (0, 1), (0, 24 if on_top else 12), 13, "ink2", "bottom")
        if on_top:
            ax.set_title(title, loc="left", pad=42, **text_style(17, "ink", bold=True))
    if picture.full_caption:
        under = 12 if on_top else 34 if ax.get_xlabel() else 22
        _beside(ax, picture.full_caption, (0, 0), (0, -under), 11.5, "ink3", "top")


def _beside(
    ax: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float],
    size: float,
    token: str,
    vertical: str,
) -> None:
    """Write a text at a corner of the axes, some points away; long ones are broken."""
    ax.annotate(
        text,
        at,
        xycoords="axes fraction",
        xytext=offset,
        textcoords="offset points",
        ha="left",
        va=vertical,
        wrap=True,
        annotation_clip=False,
        **text_style(size, token),
    )


def set_scale(
    ax: Axes, which: str, axis: Axis, limits: tuple[float, float], *, most: int = 7
) -> None:
    """Give one axis its scale, its ends, and ticks at round numbers."""
    if axis.is_log:
        getattr(ax, f"set_{which}scale")("log")
    getattr(ax, f"set_{which}lim")(*limits)
    ticks = Scale(*limits, 0.0, 1.0, log=axis.is_log).ticks(most)
    labels = tick_labels(ticks, axis.form)
    if axis.unit is not None and labels:
        labels[0] += f" {axis.unit[0 if ticks[0] == 1 else 1]}"
    getattr(ax, f"set_{which}ticks")(ticks, labels, **text_style(12, "ink2"))
    getattr(ax, f"set_{which}ticks")([], minor=True)
    if axis.label:
        getattr(ax, f"set_{which}label")(clean_sentence(axis.label), **text_style(12, "ink2"))


def set_rows(ax: Axes, names: list[str], *, tokens: list[str]) -> None:
    """Write the names of lines at the left, the first on top, and the ticks of x on top."""
    ax.set_yticks(range(len(names)), names, **text_style(12.5, "ink"))
    for label, token in zip(ax.get_yticklabels(), tokens, strict=True):
        label.set_color(paint(token))
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(axis="x", color=paint("rule"), linewidth=POINTS)
