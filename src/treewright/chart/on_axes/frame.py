"""Axes as every chart has them: words, sizes and colours set on them alone, nothing global.

Sizes and widths of the SVG are pixels, those of matplotlib points: three quarters of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from treewright.chart.axes import round_ticks
from treewright.chart.colours import colour
from treewright.chart.marks import Axis, Stroke
from treewright.chart.scale import Scale
from treewright.chart.widths import measure, shorten_apart, shorten_end, wrap
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
_INCHES, _WITH_STRIP = (7.6, 4.7), (7.6, 6.8)
_MARGIN = 0.14
"""Inches around new axes."""

_WIDER = 1.1
"""What is added to measured widths: another font may stand in where none of ours is installed."""

KEY_HEIGHT = 20.0
"""Points that a key under the axes takes."""
_KEY = "key below"

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
        has_strip = getattr(picture, "strip", None) is not None
        drawn: Figure = figure(figsize=_WITH_STRIP if has_strip else _INCHES, layout="constrained")
        engine: Any = drawn.get_layout_engine()
        engine.set(w_pad=_MARGIN, h_pad=_MARGIN)
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
    room = _room(ax)
    above = 10.0 + (16 if on_top or ax.get_ylabel() else 0)
    subtitle = wrap(clean_sentence(picture.subtitle), room, 13)
    if subtitle:
        _beside(ax, subtitle, (0, 1), above, 13, "ink2", "bottom")
        above += 13 * len(subtitle) + 3
    title = wrap(clean_sentence(picture.title), room, 17, bold=True)
    ax.set_title("\n".join(title), loc="left", pad=above, **text_style(17, "ink", bold=True))
    has_strip = bool(ax.child_axes)  # which is below the label
    under = 12.0 if on_top or has_strip else 34.0 if ax.get_xlabel() else 22.0
    under += KEY_HEIGHT if ax.get_legend() is not None and _has_key_below(ax) else 0
    foot = (0.0, STRIP_BOTTOM if has_strip else 0.0)
    verdict = wrap(clean_sentence(picture.verdict), room, 13.5)
    if verdict:
        _beside(ax, verdict, foot, -under, 13.5, "ink", "top")
        under += 14 * len(verdict) + 6
    caption = wrap(picture.full_caption, room, 11.5)
    if caption:
        _beside(ax, caption, foot, -under, 11.5, "ink3", "top")


def settle(ax: Axes) -> None:
    """Find the places of new axes: words under a square plot move with it, and with them its size.

    A picture is laid out once when it is saved, which is once too few.
    """
    if ax.get_box_aspect() is not None:
        figure: Any = ax.get_figure(root=True)
        figure.draw_without_rendering()


def _room(ax: Axes) -> float:
    """Return how wide the words of axes may be, in pixels: from the plot to the figure's edge."""
    figure: Any = ax.get_figure(root=True)
    usual = 0.775  # share of a figure that the plot of a single subplot takes
    share = min(ax.get_position().width / usual, 1.0)
    whole = figure.get_figwidth() * 72 / POINTS * share
    names = [measure(label.get_text(), 12.5) for label in ax.get_yticklabels()]
    beside = 60.0 + max(names, default=0.0)
    return float(max((whole - beside) / _WIDER, 0.4 * whole))


def key_below(ax: Axes, order: Sequence[int] | None = None, *, most: int = 4) -> None:
    """Write what the colours stand for on a line under the axes."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.get_figure(root=True)
    down = 6 if ax.xaxis.get_ticks_position() == "top" else 30
    handles, labels = ax.get_legend_handles_labels()
    shown = list(order if order is not None else range(len(labels)))
    legend = ax.legend(
        [handles[i] for i in shown],
        [labels[i] for i in shown],
        frameon=False,
        ncols=min(len(shown), most),
        loc="upper left",
        borderaxespad=0,
        borderpad=0,
        bbox_to_anchor=(0, 0),
        bbox_transform=ax.transAxes + ScaledTranslation(0, -down / 72, figure.dpi_scale_trans),
        labelcolor=paint("ink"),
    )
    for text in legend.get_texts():
        text.set(**text_style(12.5, "ink"))
    legend.set_gid(_KEY)


def _has_key_below(ax: Axes) -> bool:
    legend = ax.get_legend()
    return legend is not None and legend.get_gid() == _KEY


def _beside(
    ax: Axes,
    lines: list[str],
    at: tuple[float, float],
    offset: float,
    size: float,
    token: str,
    vertical: str,
) -> None:
    """Write lines at a corner of the axes, some points above or below it."""
    ax.annotate(
        "\n".join(lines),
        at,
        xycoords="axes fraction",
        xytext=(0, offset),
        textcoords="offset points",
        ha="left",
        va=vertical,
        annotation_clip=False,
        **text_style(size, token),
    )


def set_scale(
    ax: Axes, which: str, axis: Axis, limits: tuple[float, float], *, most: int = 0
) -> None:
    """Give one axis its scale, its ends, and ticks at round numbers."""
    if axis.is_log:
        getattr(ax, f"set_{which}scale")("log")
    getattr(ax, f"set_{which}lim")(*limits)
    scale = Scale(*limits, 0.0, 1.0, log=axis.is_log)
    ticks = round_ticks(scale, axis, most or (9 if axis.is_log else 8))
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
