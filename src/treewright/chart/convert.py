"""A picture as PNG, PDF or a page of HTML; the first two by CairoSVG, which is an extra."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from treewright.errors import MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Callable

PIXELS_PER_PIXEL = 2.0
"""Pixels of a PNG for each of the picture, in width and in height."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a page of a picture may load: nothing; and it has no script."""


def to_png(svg: str, *, scale: float = PIXELS_PER_PIXEL) -> bytes:
    """Return an SVG as PNG, with so many pixels for each of its own."""
    return bytes(_converter("svg2png")(bytestring=svg.encode(), scale=scale))


def to_pdf(svg: str) -> bytes:
    """Return an SVG as PDF; its text stays text."""
    return bytes(_converter("svg2pdf")(bytestring=svg.encode()))


def show_on_axes(svg: str, ax: Any) -> None:
    """Show an SVG as an image on matplotlib axes, for pictures that have no axes of their own."""
    from io import BytesIO

    from matplotlib.image import imread

    ax.imshow(imread(BytesIO(to_png(svg)), format="png"))
    ax.set_axis_off()


def to_page(svg: str, title: str) -> str:
    """Return a page of HTML that shows an SVG and asks nothing of the network."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n"
        "<style>body{margin:0}svg{display:block;max-width:100%;height:auto}"
        "@media(prefers-color-scheme:dark){body{background:#14181D}}</style>\n"
        f"</head>\n<body>\n{svg}</body>\n</html>\n"
    )


def _converter(name: str) -> Callable[..., Any]:
    try:
        import cairosvg
    except (ImportError, OSError) as error:  # OSError: the package is there, its library is not
        raise MissingPackageError(
            f"PNG and PDF files are written by CairoSVG, which cannot be used here: {error}.\n"
            "  Hint: pip install 'treewright[images]' (it needs the system's cairo library), or "
            "save as *.svg or *.html."
        ) from error
    converter: Callable[..., Any] = getattr(cairosvg, name)
    return converter
