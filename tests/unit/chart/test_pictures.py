"""What is drawn: colours by theme and class, words, sizes, numbers, ids."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from unit.chart.pictures import NASTY, USUAL, WORDS, calibration, comparison, confusion, curve, roc
from unit.chart.places import texts

from treewright.chart import Axis, Chart, DotChart, DotRow, Line, MatrixChart, RankChart
from treewright.chart.colours import THEMES, colour
from treewright.chart.effects import Arrow, ArrowChart

SVG = "{http://www.w3.org/2000/svg}"


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours (WCAG 2.2), written out a second time."""

    def luminance(value: str) -> float:
        red, green, blue = (int(value[i : i + 2], 16) / 255 for i in (1, 3, 5))
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (red, green, blue)
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read_in_every_theme(theme: str) -> None:
    paper = colour("paper", theme).value  # type: ignore[arg-type]
    for token in ("ink", "ink2", "ink3", "accent"):
        assert contrast(colour(token, theme).value, paper) >= 4.5, token  # type: ignore[arg-type]


def test_fixed_themes_differ_and_have_no_style() -> None:
    picture = USUAL["curve"]
    light, dark, printed = (picture.svg(theme=theme) for theme in ("light", "dark", "print"))
    assert "<style" not in light + dark + printed
    assert "#17694A" in light
    assert "#5CC79A" in dark
    assert "#17694A" not in dark
    assert "#E3E3E3" in printed
    assert "var(" not in light + dark + printed


def test_auto_is_light_with_dark_where_it_is_preferred() -> None:
    picture = USUAL["roc"]
    auto, light, dark = (picture.svg(theme=theme) for theme in ("auto", "light", "dark"))
    plain = re.sub(r' class="[^"]*"', "", re.sub(r"<style>.*</style>\n", "", auto))
    # The prefix of the ids is taken from what is drawn, which has classes here.
    ids = r"tw-[0-9a-f]{10}"
    assert re.sub(ids, "tw", plain) == re.sub(ids, "tw", light)
    style = re.search(r"<style>(.*)</style>", auto)
    assert style is not None
    for value in set(re.findall(r'(?:fill|stroke)="(#\w{6})"', dark)):
        assert value in style[1]


def test_ids_and_rules_have_a_prefix_of_their_own() -> None:
    first, second = USUAL["curve"].svg(), USUAL["ranks"].svg()
    ids = [set(re.findall(r' id="([^"]*)"', svg)) for svg in (first, second)]
    assert not ids[0] & ids[1]
    given = USUAL["curve"].svg(prefix="fig-1")
    assert set(re.findall(r' id="([^"]*)"', given)) == {"fig-1", "fig-1-t", "fig-1-d"}
    assert "#fig-1 .f-ink{" in given


def test_title_and_description_are_read_aloud() -> None:
    root = ElementTree.fromstring(curve(finding="Error falls, then rises.").svg(frame="report"))
    assert root.get("role") == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert title.text == "What was found"
    assert (description.text or "").startswith("Error falls, then rises.\nseries cross-validated")
    drawn = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert "What was found" not in drawn
    assert "How." not in drawn


def test_names_are_escaped_wherever_they_stand() -> None:
    picture = DotChart(**dict.fromkeys(WORDS, NASTY), rows=[DotRow(NASTY, 1.0)])
    root = ElementTree.fromstring(picture.svg())
    words = {"".join(text.itertext()) for text in root.iter(f"{SVG}text")}
    assert "<&\">'\ufffd\ufffd \ufffd end" in words


def test_sizes_are_drawn_anew() -> None:
    for width, frame, height in ((760, "alone", 470), (720, "report", 360), (368, "report", 300)):
        root = ElementTree.fromstring(curve().svg(width=width, frame=frame))  # type: ignore[arg-type]
        assert (root.get("width"), root.get("height")) == (str(width), str(height))
        ticks = [text for text in root.iter(f"{SVG}text") if text.get("font-size") == "12"]
        assert len(ticks) >= 8


def test_a_square_plot_is_square() -> None:
    root = ElementTree.fromstring(roc(3).svg())
    diagonal = next(
        path for path in root.iter(f"{SVG}path") if path.get("stroke-dasharray") == "2 3"
    )
    (x1, y1), (x2, y2) = (
        tuple(map(float, pair.split(",")))
        for pair in re.findall(r"[\d.]+,[\d.]+", diagonal.get("d", ""))
    )
    assert x2 - x1 == pytest.approx(y1 - y2)
    assert x2 - x1 > 300


def test_at_most_four_lines_are_coloured() -> None:
    chart = roc(6)
    strokes = [chart.stroke_of(line).colour for line in chart.lines]
    assert strokes == [*(f"class-line-{k}" for k in range(4)), "axis", "axis", "axis"]
    assert len({chart.stroke_of(line).dash for line in chart.lines[:4]}) == 4


def test_points_without_a_number_are_left_out_and_counted() -> None:
    y = [0.1, np.nan, 0.2, np.inf]
    chart = Chart(title="a", caption="How.", marks=[Line([1, 2, 3, 4], y)])
    assert chart.full_caption == "How. 2 points without a number are left out."
    assert len(chart.numbers().rows) == 2
    one = DotChart(title="a", rows=[DotRow("a", np.nan), DotRow("b", 1.0)])
    assert one.full_caption == "1 point without a number is left out."
    on_log = Chart(title="a", x=Axis(scale="log"), marks=[Line([0, 1], [0, 1])])
    assert on_log.full_caption == "1 point without a number is left out."


def test_numbers_of_a_long_line_are_thinned_with_both_ends() -> None:
    chart = Chart(title="a", marks=[Line(np.arange(1000), np.arange(1000))])
    rows = chart.numbers().rows
    assert len(rows) == 20
    assert (rows[0][1], rows[-1][1]) == ("0", "999")


def test_confusion_adds_up() -> None:
    chart = MatrixChart(
        title="a", classes=["x", "y", "z"], counts=[[8, 2, 0], [1, 1, 2], [0, 0, 0]]
    )
    plain = [text.replace("\u202f", " ") for text in chart.recall()]
    assert plain == ["80 %", "25 %", "–"]
    assert [text.replace("\u202f", " ") for text in chart.precision()] == ["89 %", "33 %", "0 %"]
    assert chart.accuracy().replace("\u202f", " ") == "64.3 %"
    assert [row[:3] for row in chart.worst()] == [("x", "y", "2"), ("y", "z", "2"), ("y", "x", "1")]


def test_many_classes_have_a_table_of_the_worst() -> None:
    words = [
        "".join(t.itertext())
        for t in ElementTree.fromstring(confusion(13).svg()).iter(f"{SVG}text")
    ]
    assert "predicted" in words
    assert "predicted" not in confusion(3).svg().split("</desc>")[1].replace(", predicted ", "")


def test_ranks_within_the_critical_difference_are_joined() -> None:
    chart = RankChart(
        title="a", names=list("abcde"), ranks=[3.0, 1.0, 1.9, 4.9, 2.8], critical_difference=1.0
    )
    assert chart.order() == [1, 2, 4, 0, 3]
    assert chart.joined() == ((1, 2), (2, 4), (4, 0))
    given = RankChart(title="a", names=list("abc"), ranks=[3, 1, 2], groups=[(0, 2), (1,)])
    assert given.joined() == ((2, 0),)


def test_columns_that_do_not_fit_are_left_out_and_remain_in_the_numbers() -> None:
    wide, narrow = (comparison().svg(width=width).split("</desc>")[1] for width in (760, 368))
    assert "p (Holm)" in wide
    assert "p (Holm)" not in narrow
    assert "behind the best" in narrow
    assert comparison().numbers().heads[-1] == "p (Holm)"


def test_sizes_of_dots_are_areas() -> None:
    dots = calibration().marks[1]
    radii = dots.radii  # type: ignore[union-attr]
    assert radii[-1] == 8.0
    assert radii[-1] ** 2 / radii[4] ** 2 == pytest.approx(950 / 450)


def test_saved_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    picture = USUAL["bars"]
    picture.save(path)
    assert path.read_text(encoding="utf-8") == picture.svg()
    shown = picture._repr_html_()
    assert shown == picture.svg(frame="notebook")
    assert 'font-size="17"' not in shown


def test_pictures_are_small() -> None:
    for name, picture in USUAL.items():
        assert len(picture.svg()) < 40_000, name


def test_a_name_that_has_room_is_not_cut_because_another_is_bold() -> None:
    rows = [DotRow("forest", 1.0, strong=True), DotRow("stump", 2.0)]
    assert "\N{HORIZONTAL ELLIPSIS}" not in DotChart(title="a", rows=rows).svg(theme="light")


def test_spaces_at_the_ends_of_a_name_keep_their_width() -> None:
    drawn = Chart(title="t", marks=[Line([1, 2], [1, 2], name=" 3  b ")]).svg()
    assert ">\u00a03 \u00a0b\u00a0<" in drawn  # SVG drops plain ones, and stretches what is left


def test_a_number_beside_an_arrow_is_whole() -> None:
    names = [Arrow(f"s{i}", "−0.00936", 1.0) for i in range(3)]
    chart = ArrowChart(title="t", start=("all", 0.0), arrows=names, end="row")
    for width in (320, 760):
        assert chart.svg(width=width).count("= −0.00936<") == 3


def test_the_cells_of_many_classes_are_a_list() -> None:
    counts = 9.0 * np.eye(20)
    counts[3, 5] = 2.0
    found = MatrixChart(title="t", classes=[f"c{i}" for i in range(20)], counts=counts).numbers()
    assert found.heads == ("actual", "predicted", "rows", "share")
    assert len(found.rows) == 21
    assert ("c3", "c5", "2", "18\u202f%") in found.rows


def test_dates_stand_on_an_axis_where_years_and_months_begin() -> None:
    days = np.array([17_897.0, 19_722.0])
    chart = Chart(title="t", x=Axis("applied", form="date"), marks=[Line(days, [1.0, 2.0])])
    said = {text for text, _, _ in texts(chart.svg())}
    assert {"2019", "2020", "2021", "2022", "2023"} <= said
    assert any("1 Jan 2019" in row for row in chart.numbers().rows)
    near = Chart(
        title="t", x=Axis(form="date", limits=(17_897.0, 17_900.0)), marks=[Line(days, [1.0, 2.0])]
    )
    assert "1 Jan 2019" in {text for text, _, _ in texts(near.svg())}
