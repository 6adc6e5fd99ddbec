"""Screens: width, colour and characters, by the stream, the environment and the options."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from unit.cli.typed import run

from treewright.cli.screen.screen import Screen, screen_of
from treewright.cli.screen.table import Column, aligned, tab_separated


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "colour"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TREEWRIGHT_PLAIN": "1"}, False),
    ],
)
def test_a_terminal_has_colour_unless_it_is_refused(
    environment: dict[str, str], colour: bool
) -> None:
    assert screen_of(Terminal(), environment=environment).colour is colour


def test_a_pipe_has_neither_colour_nor_width() -> None:
    screen = screen_of(io.StringIO(), environment={})
    assert (screen.colour, screen.width) == (False, None)
    assert screen_of(io.StringIO(), environment={"FORCE_COLOR": "1"}).colour


def test_a_stream_that_cannot_show_strokes_gets_ascii() -> None:
    screen = screen_of(io.TextIOWrapper(io.BytesIO(), encoding="ascii"), environment={})
    assert (screen.ascii, screen.arrow, screen.ellipsis) == (True, "->", "...")


def test_columns_are_cut_then_dropped_then_cut_further() -> None:
    columns = [
        Column("question", ["a_very_long_name_of_a_column <= 17250"], cut=20),
        Column("rows", ["1755"], right=True),
        Column("late", ["149"], right=True, drop=1),
    ]
    narrow = aligned(columns, width=27).splitlines()
    assert "late" not in narrow[0]
    assert all(len(line) <= 27 for line in narrow)
    assert narrow[1].endswith("1755")  # numbers are never cut


def test_wide_letters_take_two_columns() -> None:
    made = aligned([Column("a", ["大", "x"]), Column("b", ["1", "2"])], width=None)
    assert made == "a   b\n大  1\nx   2"


def test_plain_tables_are_tab_separated_and_on_one_line_each() -> None:
    columns = [Column("name", ["a\tb\nc"]), Column("n", ["1"], right=True)]
    assert tab_separated(columns) == "name\tn\na\\tb\\nc\t1"


def test_colours_stand_around_what_is_printed_and_nothing_else() -> None:
    screen = Screen(colour=True)
    table = screen.table([Column("x", ["1", "22"], right=True, styles=["bold", None])])
    assert table == " x\n \x1b[1m1\x1b[0m\n22"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_trees_fit_any_width(width: int, grown: Path) -> None:
    shown = run(f"show loans.tw --width {width}", here=grown).out.splitlines()
    if width >= 40:
        assert max(map(len, shown)) <= width
    assert ("late" in shown[0]) is (width >= 70)
    assert ("node" in shown[0]) is (width >= 50)


def test_plain_shows_every_node_with_its_level_and_whole_condition(grown: Path) -> None:
    lines = run("show tennis.tw --plain", here=grown).out.splitlines()
    assert lines[0].split("\t") == [
        "node", "level", "parent", "condition", "rows", "No", "Yes", "answer",
    ]  # fmt: skip
    assert lines[3].split("\t") == ["4", "2", "1", "Humidity = High", "3", "3", "0", "No"]
    by_environment = run("show tennis.tw", here=grown, TREEWRIGHT_PLAIN="1")
    assert by_environment.out.splitlines() == lines


def test_every_document_of_json_has_the_same_frame(grown: Path) -> None:
    for line in (
        "info loans.csv", "info loans.tw", "show tennis.tw", "why tennis.tw", "rules tennis.tw",
        "explain tennis.tw Outlook=Overcast", "consult tennis.tw Outlook=Overcast",
        "diff tennis.tw d15.tw", "demo --list",
    ):  # fmt: skip
        done = run(f"{line} --json", here=grown)
        assert (done.code, done.err) == (0, ""), line
        document = done.document
        assert document["format"] == 1
        assert document["ok"] is True
        assert document["command"] == line.split()[0]
        assert isinstance(document["result"], dict)
