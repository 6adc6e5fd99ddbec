"""Numbers and dates in another notation are told with the option that reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.cli.typed import Done, run

WAYS = "--dates '%m/%d/%Y' or --dates '%d/%m/%Y'"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with tables of one column and a target, 40 rows each."""
    days = [f"{1 + i % 12}/{1 + i % 10}/2024" for i in [*range(20), *range(20)]]  # or months first?
    columns = {
        "days": days,
        "mixed": [day if i % 2 else f"{1 + i % 28}.01.2024" for i, day in enumerate(days)],
        "groups": [f'"{1 + i},{100 + i}"' for i in range(40)],
        "times": [f"{i // 4:02}:{15 * (i % 4):02}" for i in range(40)],
        "large": [*range(39), 2**70],
        "plain": [f"{i}.5" for i in range(40)],
    }
    for name, values in columns.items():
        lines = [f"{value},{'ab'[i // 20]}" for i, value in enumerate(values)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y", *lines]) + "\n")
    return tmp_path


def remedies(done: Done) -> dict[str, str | None]:
    return {note["code"]: note["remedy"] for note in done.document["notes"]}


def test_a_note_says_which_option_reads_them(here: Path) -> None:
    found = remedies(run("fit days.csv --no-check --json", here=here))
    assert found["near-numbers"] == WAYS
    assert found["other-type"] == WAYS  # and not --kind x=date, which is refused
    assert run("fit days.csv --no-check -q --dates %d/%m/%Y", here=here).code == 0
    # What would be left out for its differing texts, is told, too.
    found = remedies(run("fit groups.csv --json", here=here))
    assert found["near-numbers"] == "--thousands ',' or --decimal ','"
    assert found["identifier-left-out"] == "--use x"
    assert run("fit groups.csv --no-check -q --thousands ,", here=here).code == 0
    found = remedies(run("fit times.csv --json", here=here))
    assert (found["near-numbers"], found["identifier-left-out"]) == (None, "--use x")
    found = remedies(run("fit large.csv --json", here=here))
    assert found["near-numbers"] == "--kind x=number"
    assert run("fit large.csv --no-check -q --kind x=number", here=here).code == 0
    assert "other-type" in remedies(run("fit mixed.csv --no-check --json", here=here))


def test_an_error_says_which_option_reads_them(here: Path) -> None:
    done = run("fit days.csv --kind x=date", here=here)
    assert (done.code, done.err) == (
        1,
        "error: column 'x': 0 of 40 values are dates, but line 2 has '1/1/2024'\n"
        "  Hint: --dates '%m/%d/%Y' or --dates '%d/%m/%Y'; or --missing '1/1/2024'; or\n"
        "  --kind x=text\n",
    )
    assert run("fit plain.csv --no-check -q", here=here).code == 0
    (here / "comma.csv").write_text((here / "plain.csv").read_text().replace(",", ";"))
    (here / "comma.csv").write_text((here / "comma.csv").read_text().replace(".", ","))
    done = run("predict plain.tw comma.csv", here=here)
    assert (done.code, done.err) == (
        1,
        "error: column 'x': 0 of 40 values are numbers, but line 2 has '0,5'\n"
        "  Hint: --decimal ','; or --missing '0,5'; or --kind x=text\n",
    )
    assert run("predict plain.tw comma.csv --decimal , --only", here=here).code == 0


def test_a_notation_of_no_column_is_told(here: Path) -> None:
    found = remedies(run("fit days.csv --no-check --dates x=%d/%m/%Y --json", here=here))
    assert "dates-not-found" in found
    found = remedies(run("fit days.csv --no-check --dates %d/%m/%Y --json", here=here))
    assert "dates-not-found" not in found


def test_folds_say_once_what_they_all_say(here: Path) -> None:
    done = run("fit mixed.csv", here=here)
    assert done.err.count("holds dates as text") == 1
    (here / "two.csv").write_text("x,y\n1,a\n2,b\n")
    assert "warning" not in run("fit two.csv", here=here).err  # of a table of one row
