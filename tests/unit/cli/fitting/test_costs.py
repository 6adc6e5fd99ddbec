"""``--cost FILE``: what wrong answers cost, read, refused, and what judges by it."""

import re
from pathlib import Path

import numpy as np
import pytest
from unit.cli.tables import write_parts
from unit.cli.test_python_lines import executed
from unit.cli.typed import run

import treewright as tw
from treewright.errors import ReadWarning

COSTS = {
    "default": {"default": 0.0, "late": 5.0, "repaid": 10.0},
    "late": {"default": 1.0, "late": 0.0, "repaid": 2.5},
    "repaid": {"default": 1.0, "late": 1.0, "repaid": 0.0},
}
_FILES = {
    "costs": ";repaid;late;default\nlate;2,5;0;1\nrepaid;0;1;1\ndefault;10;5;0\n",
    "stranger": "a;repaid;lat;default\nrepaid;0;1;1\nlat;2;0;1\ndefault;10;5;0\n",
    "absent": "a,repaid,late\nrepaid,0,1\nlate,2,0\n",
    "negative": "a,repaid,late,default\nrepaid,0,1,1\nlate,-2,0,1\ndefault,10,5,0\n",
    "gap": "a,repaid,late,default\nrepaid,0,1,1\nlate,,0,1\ndefault,10,5,0\n",
    "word": "a,repaid,late,default\nrepaid,0,1,x\nlate,1,0,1\ndefault,10,5,0\n",
    "wide": "a,repaid,late,default\nrepaid,0,1,1\nlate,2,0,1\n",
    "bare": "0,1,1\n2,0,1\n10,5,0\n",
    "zero": "a,repaid,late,default\nrepaid,0,0,0\nlate,0,0,0\ndefault,0,0,0\n",
    "twice": "a,repaid,late,default\nrepaid,0,0,0\nlate,0,0,0\nlate,1,0,0\n",
    "other": "a,repaid,late,default\nrepaid,0,0,0\nlate,0,0,0\ndefalt,1,0,0\n",
    "empty": "",
    "numbers": "class,0,1\n1,7,0\n0,0,1\n",
}
_LAYOUT = "  Hint: first row and column: the classes; rows actual, columns predicted\n"


@pytest.fixture(scope="module")
def here(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("costs")
    write_parts(folder)
    for name, text in _FILES.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    line = "fit train.csv -t outcome --cost costs.csv --no-check --out c.tw -q"
    assert run(line, here=folder).code == 0
    return folder


def test_fit_decides_and_is_judged_by_the_costs(here: Path) -> None:
    line = "fit train.csv -t outcome --cost costs.csv --folds 3 --out f.tw --width 80"
    done = run(line, here=here)
    lines = done.out.splitlines()[-4:]
    assert re.fullmatch(
        r"mean cost on new rows +0\.\d+ +0\.\d+ to 0\.\d+ \(95 %\), 3-fold .*", lines[0]
    )
    assert [each[:19].rstrip() for each in lines] == [
        "mean cost on new ro",
        "always 'repaid'",
        "training mean cost",
        "error",
    ]
    assert max(map(len, done.out.splitlines())) <= 80
    assert tw.load(here / "f.tw").cost_matrix == COSTS
    document = run(f"{line} --json", here=here).document
    assert document["result"]["check"]["metric"] == "mean cost"
    assert document["result"]["check"]["beside"].keys() == {"error"}


def test_the_figures_are_those_of_the_library(here: Path) -> None:
    line = "evaluate c.tw test.csv --cost costs.csv --json --at-most mean_cost=0.01"
    done = run(line, here=here)
    assert done.code == 3
    result = done.document["result"]
    counts = np.array(result["confusion"]["counts"])
    costs = np.array([list(row.values()) for row in COSTS.values()])
    assert result["metrics"]["mean_cost"]["value"] == pytest.approx((counts * costs).sum() / 500)
    assert result["baseline"]["metric"] == "mean_cost"
    assert list(result["metrics"])[:2] == ["mean_cost", "error"]


def test_the_best_constant_is_the_class_that_costs_least(here: Path) -> None:
    text = "a,repaid,late,default\nrepaid,0,1,1\nlate,9,0,9\ndefault,9,0,0\n"
    (here / "late.csv").write_text(text, encoding="utf-8")
    for line in (
        "evaluate c.tw test.csv --cost late.csv",
        "evaluate test.csv -t outcome --folds 3 --cost late.csv",
        "fit test.csv -t outcome -a forest --set n_estimators=9 --cost late.csv --out x.tw",
    ):
        assert re.search(r"^always 'late' +0\.8\d+$", run(line, here=here).out, re.M), line


def test_out_of_bag_answers_are_decided_by_the_costs(here: Path) -> None:
    line = "fit train.csv -t outcome -a forest --set n_estimators=30 --cost costs.csv"
    document = run(f"{line} --out forest.tw --json", here=here).document
    with pytest.warns(ReadWarning, match="read as missing"):
        train = tw.read(here / "train.csv", target="outcome", ignore=["customer"])
    forest = tw.RandomForestClassifier(
        n_estimators=30, oob_score=True, random_state=0, cost_matrix=COSTS
    ).fit(train.X, train.y)
    error = document["result"]["check"]["beside"]["error"]["value"]
    assert error == pytest.approx(forest.out_of_bag().error)
    plain = tw.RandomForestClassifier(n_estimators=30, oob_score=True, random_state=0)
    assert error > 1.2 * plain.fit(train.X, train.y).out_of_bag().error


def test_a_model_like_another_has_its_costs(here: Path) -> None:
    done = run("evaluate train.csv --like c.tw --folds 3 --json", here=here)
    typed = run("evaluate train.csv -t outcome --cost costs.csv --folds 3 --json", here=here)
    assert done.document["result"]["metrics"] == typed.document["result"]["metrics"]
    other = run("evaluate train.csv --like c.tw -a c45 --folds 3 --json", here=here)
    assert "mean_cost" not in other.document["result"]["metrics"]


def test_compare_and_tune_judge_by_the_costs(here: Path) -> None:
    line = "compare train.csv tree c45 -t outcome --folds 3 --cost costs.csv --width 80"
    done = run(line, here=here)
    assert done.code == 0
    assert done.out.splitlines()[2].split("  ")[:2] == ["learner", "mean cost"]
    told = run("tune train.csv -t outcome --cost costs.csv --python", here=here).out
    assert 'metrics=["mean_cost", "error"], cost_matrix=costs' in " ".join(told.split())


def test_classes_that_are_numbers_are_named_as_they_are_written(here: Path) -> None:
    rows = "\n".join(f"{i};{int(i % 3 == 0)}" for i in range(60))
    (here / "digits.csv").write_text(f"size;class\n{rows}\n", encoding="utf-8")
    line = "fit digits.csv --cost numbers.csv --no-check --out digits.tw -q"
    assert run(line, here=here).both == ""
    assert tw.load(here / "digits.tw").cost_matrix == {0: {0: 0, 1: 1}, 1: {0: 7, 1: 0}}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "stranger",
            "stranger.csv names class 'lat', which 'outcome' does not have\n"
            "  Hint: its classes: default, late, repaid\n",
        ),
        (
            "absent",
            "absent.csv has no costs of class 'default' of 'outcome'\n"
            "  Hint: a row and a column for each of default, late, repaid\n",
        ),
        (
            "negative",
            "negative.csv: the cost of predicting 'repaid' for 'late' is -2\n"
            "  Hint: costs are numbers, 0 or more\n",
        ),
        ("gap", "gap.csv: the cost of predicting 'repaid' for 'late' is empty\n"),
        ("word", "word.csv: the cost of predicting 'default' for 'repaid' is 'x'\n"),
        ("wide", f"wide.csv is no table of costs: it has 2 rows and 3 columns of them\n{_LAYOUT}"),
        ("bare", f"bare.csv, line 1 has more than one column called '1'\n{_LAYOUT}"),
        ("zero", f"zero.csv: every cost is 0; then no answer is better than another\n{_LAYOUT}"),
        ("twice", f"twice.csv has more than one row for class 'late'\n{_LAYOUT}"),
        ("other", f"other.csv has a row for class 'defalt', but no column\n{_LAYOUT}"),
        ("empty", f"empty.csv is empty\n{_LAYOUT}"),
        ("cost", "no file 'cost.csv' here\n  Hint: costs.csv\n"),
    ],
)
def test_what_is_no_table_of_costs_is_told(here: Path, name: str, said: str) -> None:
    done = run(f"fit train.csv -t outcome --cost {name}.csv --no-check -q", here=here)
    assert done.err.startswith(f"error: {said}")
    assert done.code == 1


def test_costs_of_numbers_and_mean_costs_without_costs_are_refused(here: Path) -> None:
    done = run("fit train.csv -t amount --cost costs.csv --json", here=here)
    assert done.code == 1
    assert done.document["error"]["code"] == "cost-matrix"
    assert done.document["error"]["message"] == "--cost is for classes; 'amount' has numbers"
    done = run("evaluate c.tw test.csv --at-most mean_cost=1", here=here)
    assert (done.code, done.err) == (
        2,
        "error: mean_cost needs what answers cost\n  Hint: --cost FILE\n",
    )


@pytest.mark.parametrize(
    "line",
    [
        "fit train.csv -t outcome --cost costs.csv --folds 3 --out x.tw",
        "fit test.csv --like c.tw --no-check --out x.tw",
    ],
)
def test_the_lines_of_python_write_the_same_bytes(here: Path, line: str) -> None:
    told = run(f"{line} --python", here=here)
    assert (told.code, max(map(len, told.out.splitlines())) <= 80) == (0, True)
    assert run(f"{line} -q", here=here).code == 0
    by_command = (here / "x.tw").read_bytes()
    (here / "x.tw").unlink()
    executed(told.out, here)
    assert (here / "x.tw").read_bytes() == by_command


def test_the_lines_of_python_judge_alike(here: Path) -> None:
    line = "evaluate c.tw test.csv --cost costs.csv"
    told = executed(run(f"{line} --python", here=here).out, here)
    figure = re.search(r"^mean cost +(0\.\d+)", run(line, here=here).out, re.M)
    assert figure is not None
    assert figure[1] in told
