"""No picture overlaps, leaves its frame or breaks, whatever it is given."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from unit.chart.pictures import HOSTILE, USUAL
from unit.chart.places import check_apart

from treewright.chart import Picture

EVERY = {**USUAL, **HOSTILE}


@pytest.mark.parametrize("width", [760, 368, 320])
@pytest.mark.parametrize("frame", ["alone", "report"])
@pytest.mark.parametrize("name", EVERY)
def test_no_text_overlaps_or_leaves_the_picture(name: str, width: int, frame: str) -> None:
    check_apart(EVERY[name].svg(width=width, frame=frame))  # type: ignore[arg-type]


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
