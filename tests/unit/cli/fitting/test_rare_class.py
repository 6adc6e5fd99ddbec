"""A class that no leaf answers is told by ``fit``, with what helps."""

from pathlib import Path

import pytest
from unit.cli.typed import run

TOLD = "no leaf answers fraud (6 rows): --cost FILE says what missing them costs\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    lines = [f"{row % 2},{row % 7},{('good', 'bad')[row % 2]}" for row in range(200)]
    lines += [f"{row % 2},3,fraud" for row in range(6)]
    (tmp_path / "rare.csv").write_text("a,b,class\n" + "\n".join(lines) + "\n")
    return tmp_path


def test_a_class_without_a_leaf_is_told(table: Path) -> None:
    assert TOLD in run("fit rare.csv", here=table).out


def test_costs_give_it_a_leaf(table: Path) -> None:
    costs = "actual,bad,fraud,good\nbad,0,1,1\nfraud,90,0,90\ngood,1,1,0\n"
    (table / "costs.csv").write_text(costs)
    done = run("fit rare.csv --cost costs.csv", here=table)
    assert "→ fraud" in done.out
    assert "no leaf answers fraud" not in done.out


@pytest.mark.parametrize("line", ["example:play_tennis", "example:iris", "example:diabetes"])
def test_nothing_is_told_where_each_class_has_a_leaf_or_there_is_one_leaf_or_no_class(
    line: str, tmp_path: Path
) -> None:
    assert "no leaf answers" not in run(f"fit {line} --no-check", here=tmp_path).out
