"""``treewright report``: the file it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from unit.cli.test_python_lines import executed
from unit.cli.typed import run

from treewright.cli.algorithms import Choice
from treewright.data.column_roles import Task
from treewright.reporting.learners import default_model

FEW = "--folds 3"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A folder with the report on a table, and what was printed."""
    folder = tmp_path_factory.mktemp("report")
    lines = ["id,size,colour,kind"]
    lines += [f"{i},{i % 9},{'rgb'[i % 3]},{'ab'[i % 9 > 4]}" for i in range(1, 91)]
    (folder / "things.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = run(f"report things.csv {FEW} --width 80", here=folder)
    assert told.code == 0, told.err
    return folder, told.out, told.err


def test_it_writes_a_file_named_after_the_table(made: tuple[Path, str, str]) -> None:
    folder, out, err = made
    page = (folder / "things-report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "note: 'id' left out: all 90 values differ" in err
    assert re.search(r"^saved things-report\.html: [\d,]+ bytes$", err, re.M)
    assert out.splitlines()[0].startswith("2 leaves get 100 % of new rows right")
    assert "How to repeat this" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_page_says_how_to_make_it_again(made: tuple[Path, str, str]) -> None:
    page = (made[0] / "things-report.html").read_text(encoding="utf-8")
    assert "<pre>treewright report things.csv --folds 3 --width 80</pre>" in page
    assert "tw.report(things" in page
    assert "<b>id</b> is left out: all its values differ: it names rows." in page


def test_the_lines_of_python_make_the_same_report(made: tuple[Path, str, str]) -> None:
    folder = made[0]
    told = run(f"report things.csv {FEW} --out python.html --python", here=folder)
    assert told.code == 0
    assert not (folder / "python.html").exists()  # nothing was run
    printed = executed(told.out, folder)
    assert "2 leaves get 100 % of new rows right" in printed
    names = ("things-report.html", "python.html")
    pages = [(folder / name).read_text(encoding="utf-8") for name in names]
    # All but the notes of the command line, and what is said of how and when it was made.
    parts = [re.split(r'(?=<section [^>]*id="(?:tree|repeat)")', each) for each in pages]
    assert len(parts[0]) == len(parts[1]) == 3
    assert parts[0][1] == parts[1][1]


def test_json_has_the_file_and_the_findings(made: tuple[Path, str, str]) -> None:
    folder, _, _ = made
    told = run(f"report things.csv {FEW} --json", here=folder)
    assert told.code == 0
    document = told.document
    assert document["ok"] is True
    assert document["result"]["file"] == "things-report.html"
    assert document["result"]["replaced"] is True
    assert document["result"]["judged"]["metrics"]["error"]["value"] == 0.0
    assert document["result"]["findings"]["rules"]
    assert json.loads(told.out) == document


def test_it_replaces_its_own_file_and_no_other(made: tuple[Path, str, str]) -> None:
    folder, _, _ = made
    other = folder / "mine.html"
    other.write_text("<p>by hand</p>", encoding="utf-8")
    refused = run(f"report things.csv {FEW} --out mine.html", here=folder)
    assert refused.code == 1
    assert "mine.html exists, and treewright did not write it" in refused.err
    assert other.read_text(encoding="utf-8") == "<p>by hand</p>"
    forced = run(f"report things.csv {FEW} --out mine.html --force -q", here=folder)
    assert forced.code == 0
    assert (forced.out, forced.err) == ("", "")
    again = run(f"report things.csv {FEW} --out mine.html", here=folder)
    assert again.code == 0
    assert "replaced mine.html" in again.err


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("report things.csv --out things.csv", 2, "things.csv does not end in .html"),
        ("report things.csv --out report.pdf", 2, "Hint: --out report.html"),
        ("report gone.csv", 1, "no file 'gone.csv' here"),
        ("report things.csv --target kin", 1, "no column 'kin' in things.csv"),
        ("report things.csv -a m5", 1, "m5 predicts numbers"),
        ("report things.csv -a carrt", 2, "no algorithm 'carrt'"),
        ("report things.csv --rivals none", 2, "report has no option --rivals"),
        ("report things.csv --out nowhere/r.html", 1, "no folder 'nowhere'"),
    ],
)
def test_what_is_refused(line: str, code: int, told: str, made: tuple[Path, str, str]) -> None:
    done = run(line, here=made[0])
    assert done.code == code
    assert told in done.err


def test_groups_weights_and_another_learner(made: tuple[Path, str, str]) -> None:
    folder, _, _ = made
    line = "report things.csv --groups colour -a cart --set cp=0.1 --seed 3 --out g.html"
    told = run(f"{line} --folds 3", here=folder)
    assert told.code == 0, told.err
    page = (folder / "g.html").read_text(encoding="utf-8")
    assert "CARTClassifier" in page
    assert "3 groups, which are never divided" in page
    lines = run(f"{line} --folds 3 --python", here=folder).out
    assert 'groups=things.X["colour"]' in lines
    assert "random_state=3" in lines
    (folder / "g.html").unlink()
    executed(lines, folder)
    assert "3 groups, which are never divided" in (folder / "g.html").read_text(encoding="utf-8")


def test_an_example_is_a_table_too(tmp_path: Path) -> None:
    told = run("report example:play_tennis -a id3 -q", here=tmp_path)
    assert told.code == 0
    page = (tmp_path / "play_tennis-report.html").read_text(encoding="utf-8")
    assert "Outlook comes first, then Humidity and Wind" in page
    assert "report example:play_tennis -a id3 -q" in page


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_its_tree_is_the_one_of_fit(task: Task) -> None:
    of_fit = Choice(algorithm="tree").estimator(task).get_params()
    of_report = default_model(task, 100).get_params()
    assert {**of_report, "random_state": 0} == of_fit
