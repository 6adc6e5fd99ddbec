"""No picture overlaps, leaves its frame or breaks, whatever it is given."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest
from unit.chart.pictures import HOSTILE, USUAL

from treewright.chart import Picture
from treewright.chart.placement import Box

SVG = "{http://www.w3.org/2000/svg}"
EVERY = {**USUAL, **HOSTILE}


def texts(svg: str) -> list[tuple[str, Box, float]]:
    """Return every text of a picture, its box and its size."""
    found = []
    for element in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        width, size = float(element.get("textLength", "0")), float(element.get("font-size", "0"))
        x, y = float(element.get("x", "0")), float(element.get("y", "0"))
        anchor = element.get("text-anchor", "start")
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        box = Box(left, y - 0.72 * size, left + width, y + 0.2 * size)
        found.append(("".join(element.itertext()), box, size))
    return found


@pytest.mark.parametrize("width", [760, 368, 320])
@pytest.mark.parametrize("frame", ["alone", "report"])
@pytest.mark.parametrize("name", EVERY)
def test_no_text_overlaps_or_leaves_the_picture(name: str, width: int, frame: str) -> None:
    svg = EVERY[name].svg(width=width, frame=frame)  # type: ignore[arg-type]
    root = ElementTree.fromstring(svg)
    whole = Box(-0.6, -0.6, float(root.get("width", 0)) + 0.6, float(root.get("height", 0)) + 0.6)
    found = texts(svg)
    for text, box, size in found:
        assert size >= 11, text
        assert box.inside(whole), (text, box, whole)
    for (one, first, _), (other, second, _) in combinations(found, 2):
        assert not first.overlaps(second), (one, other)


@pytest.mark.parametrize("theme", ["auto", "light", "dark", "print"])
@pytest.mark.parametrize("name", EVERY)
def test_every_theme_has_no_number_that_is_none(name: str, theme: str) -> None:
    svg = EVERY[name].svg(theme=theme)  # type: ignore[arg-type]
    drawn = svg.split("</desc>")[1]
    attributes = [
        value
        for element in ElementTree.fromstring(svg).iter()
        for key, value in element.attrib.items()
        if key not in ("class", "id")
    ]
    assert drawn
    assert not any("nan" in value or "inf" in value for value in attributes)


@pytest.mark.parametrize("name", EVERY)
def test_same_picture_same_bytes(name: str) -> None:
    picture: Picture = EVERY[name]
    assert picture.svg() == picture.svg()
