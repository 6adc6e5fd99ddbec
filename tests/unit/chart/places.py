"""Where the texts and cards of a picture are: nothing overlaps, nothing leaves the picture."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

from treewright.chart.placement import Box

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[tuple[str, Box, float]]:
    """Return every text of a picture, its box and its size."""
    found = []
    for element in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        width, size = float(element.get("textLength", "0")), float(element.get("font-size", "0"))
        x, y = float(element.get("x", "0")), float(element.get("y", "0"))
        anchor = element.get("text-anchor", "start")
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        box = Box(left, y - 0.72 * size, left + width, y + 0.2 * size)
        # Without the title, which is shown on hovering.
        written = (element.text or "") + "".join(each.tail or "" for each in element)
        found.append((written, box, size))
    return found


def cards(svg: str) -> list[Box]:
    """Return the cards of a picture of a tree."""
    found = []
    for element in ElementTree.fromstring(svg).iter(f"{SVG}rect"):
        if element.get("rx") == "4":
            x, y, width, height = (float(element.get(a, 0)) for a in ("x", "y", "width", "height"))
            found.append(Box(x, y, x + width, y + height))
    return found


def check_apart(svg: str) -> None:
    """Fail where texts overlap, are too small or leave the picture, or a card is crossed."""
    root = ElementTree.fromstring(svg)
    whole = Box(-0.6, -0.6, float(root.get("width", 0)) + 0.6, float(root.get("height", 0)) + 0.6)
    found = texts(svg)
    for text, box, size in found:
        assert size >= 11, text
        assert box.inside(whole), (text, box, whole)
    for (one, first, _), (other, second, _) in combinations(found, 2):
        assert not first.overlaps(second), (one, other)
    boxes = cards(svg)
    for box in boxes:
        assert box.inside(whole), (box, whole)
        for text, place, _ in found:
            assert place.inside(box) or not place.overlaps(box), (text, place, box)
    for first, second in combinations(boxes, 2):
        assert not first.overlaps(second, gap=8)
