"""Axes as every chart has them: words, sizes and colours set on them alone, nothing global.

Sizes and widths of the SVG are pixels, those of matplotlib points: three quarters of them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from treewright.chart.colours import colour
from treewright.chart.marks import Axis, Stroke
from treewright.chart.scale import Scale
from treewright.chart.widths import shorten_apart, shorten_end
from treewright.chart.words import clean_sentence, tick_labels
from treewright.errors import UnsupportedError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treewright.chart.picture import Picture

POINTS = 0.75
"""Points in a pixel."""

STRIP_BOTTOM = -0.36
"""Where a histogram under the plot ends, as a share of the height of the plot."""

_FONTS = ("Arial", "Liberation Sans", "Arimo", "Helvetica")
_INCHES = (7.6, 4.7)

MOST_NAME = 180.0
"""Pixels that a name may take beside the plot: the plot must keep most of the width."""


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
        **_font(),
    }


def halo() -> list[Any]:
    """Return what keeps a text readable over lines: a border of paper, 4 pixels wide."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=4 * POINTS, foreground=paint("paper"))]


@cache
def _font() -> dict[str, Any]:
    """Return the first of our fonts that is installed, and matplotlib's own behind it."""
    from matplotlib.font_manager import get_font_names

    installed = set(get_font_names())
    found = [name for name in _FONTS if name in installed][:1]
    # matplotlib brings DejaVu Sans: it has the letters that ours lack.
    return {"fontfamily": [*found, "DejaVu Sans"]}


def line_style(stroke: Stroke) -> dict[str, Any]:
    """Return how a line is drawn."""
    dashes = [float(part) for part in stroke.dash.split()]
    # matplotlib counts dashes in widths of the line.
    style = (0, [part / stroke.width for part in dashes]) if dashes else "-"
    return {"color": paint(stroke.colour), "linewidth": stroke.width * POINTS, "linestyle": style}


def write_words(picture: Picture, ax: Axes) -> None:
    """Write title and subtitle above the axes, verdict and caption under them."""
    on_top = ax.xaxis.get_ticks_position() == "top"
    above = 10 + (16 if on_top or ax.get_ylabel() else 0)
    if picture.subtitle:
        _beside(ax, picture.subtitle, (0, 1), (0, above), 13, "ink2", "bottom")
        above += 16
    title = clean_sentence(picture.title)
    ax.set_title(title, loc="left", pad=above, **text_style(17, "ink", bold=True))
    under = 12 if on_top else 34 if ax.get_xlabel() else 22
    under += 18 if _has_key_below(ax) else 0
    foot = (0.0, STRIP_BOTTOM if ax.child_axes else 0.0)
    if picture.verdict:
        _beside(ax, picture.verdict, foot, (0, -under), 13.5, "ink", "top")
        under += 46
    if picture.full_caption:
        _beside(ax, picture.full_caption, foot, (0, -under), 11.5, "ink3", "top")


def _has_key_below(ax: Axes) -> bool:
    legend = ax.get_legend()
    return legend is not None and bool(legend.get_bbox_to_anchor().y1 <= ax.bbox.y0 + 1)


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
        clean_sentence(text),
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


def set_scale(ax: Axes, which: str, axis: Axis, limits: tuple[float, float]) -> None:
    """Give one axis its scale, its ends, and ticks at round numbers."""
    if axis.is_log:
        getattr(ax, f"set_{which}scale")("log")
    getattr(ax, f"set_{which}lim")(*limits)
    ticks = Scale(*limits, 0.0, 1.0, log=axis.is_log).ticks(9 if axis.is_log else 8)
    labels = tick_labels(ticks, axis.form)
    if axis.unit is not None and labels:
        labels[0] += f" {clean_sentence(axis.unit[0 if ticks[0] == 1 else 1])}"
    getattr(ax, f"set_{which}ticks")(ticks, labels, **text_style(12, "ink2"))
    getattr(ax, f"set_{which}ticks")([], minor=True)
    if not axis.label:
        return
    style = text_style(12, "ink2")
    label = shorten_end(clean_sentence(axis.label), 400, 12)
    if which == "x":
        ax.set_xlabel(label, **style)
    else:  # above its axis: no text is rotated
        ax.set_ylabel(label, rotation=0, ha="left", va="bottom", **style)
        ax.yaxis.set_label_coords(0.0, 1.02)


def set_rows(ax: Axes, names: list[str], *, tokens: list[str]) -> None:
    """Write the names of lines at the left, the first on top, and the ticks of x on top."""
    shown = shorten_apart(names, MOST_NAME, 12.5)
    ax.set_yticks(range(len(names)), shown, **text_style(12.5, "ink"))
    for label, token in zip(ax.get_yticklabels(), tokens, strict=True):
        label.set_color(paint(token))
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(axis="x", color=paint("rule"), linewidth=POINTS)
