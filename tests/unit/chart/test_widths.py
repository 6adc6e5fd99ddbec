"""Texts are measured by Arial's own widths, and cut or broken to fit them."""

from itertools import pairwise

import pytest

from treewright.chart.widths import (
    measure,
    shorten_apart,
    shorten_end,
    shorten_labels,
    shorten_middle,
    wrap,
)


@pytest.mark.parametrize(
    ("text", "size", "bold", "width"),
    [
        # Of the mock-ups' SVG, which a browser drew with Liberation Sans.
        ("Beyond about 20 leaves the tree learns noise", 17, True, 363.7),
        ("Error against the number of leaves (log scale)", 13, False, 263.0),
        ("smallest within 1 SE of the lowest", 11.5, False, 170.7),
        ("± 1 SE", 11.5, False, 34.4),
        # Of Arial's metrics: digits and the space are 1139 and 569 of 2048 units.
        ("0123456789", 2048, False, 11390),
        (" ", 2048, True, 569),
        ("\u2212", 2048, False, 1196),
    ],
)
def test_width_is_that_of_arial(text: str, size: float, bold: bool, width: float) -> None:
    assert measure(text, size, bold=bold) == pytest.approx(width, abs=0.06)


def test_characters_outside_the_table() -> None:
    assert measure("漢字", 10) == 20.0
    assert measure("\U0001f333", 10) == 10.0  # a tree
    assert measure("\ufffd", 10) == pytest.approx(6.0, abs=0.01)
    assert measure("e\u0301", 10) == measure("e", 10)


def test_cut_text_fits_and_says_so() -> None:
    for cut in (shorten_end, shorten_middle):
        short = cut("average_monthly_balance_after_tax", 90, 13)
        assert "…" in short
        assert 75 < measure(short, 13) <= 90
        assert cut("age", 90, 13) == "age"
        assert cut("age", 0, 13) == "…"


def test_names_that_are_cut_stay_different() -> None:
    names = [f"the_same_beginning_{i}_and_the_same_end_of_all" for i in range(3)]
    assert len(set(shorten_apart(names, 150, 13))) == 3
    assert len(set(shorten_labels([f"a long beginning {i}" for i in range(9)], 80, 13))) == 9


def test_lines_are_as_wide_as_they_may_be() -> None:
    text = "Chosen: the smallest tree within one standard error of the lowest error"
    lines = wrap(text, 200, 11.5)
    assert " ".join(lines) == text
    assert all(measure(line, 11.5) <= 200 for line in lines)
    assert all(measure(f"{line} {rest.split()[0]}", 11.5) > 200 for line, rest in pairwise(lines))
    assert wrap("", 200, 11.5) == []
