"""``evaluate``, ``compare``, ``tune``, ``prune`` and ``convert``: screens, checks, documents."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from unit.cli.tables import write_parts
from unit.cli.typed import run

import treewright as tw


@pytest.fixture(scope="module")
def here(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("judging")
    write_parts(folder)
    return folder


def test_evaluate_prints_the_screen_of_the_walk_through(here: Path) -> None:
    line = "evaluate risk.tw test.csv --at-least accuracy=0.5 --width 80"
    done = run(line, here=here)
    assert (done.code, done.err) == (0, "")
    head, figures, confusion = done.out.strip("\n").split("\n\n")
    assert head == "risk.tw on test.csv: 500 rows, 3 classes"
    share = r"\d+\.\d %"
    error, always, accuracy = figures.splitlines()
    ends = r"\d+\.\d to \d+\.\d %"
    assert re.fullmatch(rf"error               {share}   {ends} \(95 %\)", error)
    assert re.fullmatch(rf"always 'repaid'     {share}", always)
    asked = r"at least 50\.0 % asked: met"
    assert re.fullmatch(rf"accuracy            {share}   {asked}", accuracy)
    lines = confusion.splitlines()
    assert lines[0] == "actual \\ predicted  default  late  repaid  recall  precision     F1"
    assert [each.split()[0] for each in lines[1:]] == ["default", "late", "repaid"]
    assert sum(int(n) for each in lines[1:] for n in each.split()[1:4]) == 500
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_check_that_is_not_met_exits_3_and_a_metric_that_is_none_2(here: Path) -> None:
    done = run("evaluate risk.tw test.csv --at-least accuracy.low=0.99", here=here)
    assert done.code == 3
    assert "at least 99.0 % asked: not met" in done.out
    assert re.search(r"check failed: accuracy\.low is 0\.\d+, at least 0\.990 asked", done.err)
    done = run("evaluate risk.tw test.csv --at-most error=0.01 --json", here=here)
    assert done.code == 3
    assert done.document["result"]["checks"][0]["met"] is False
    done = run("evaluate risk.tw test.csv --at-least acuracy=0.5", here=here)
    assert done.code == 2
    assert "accuracy" in done.err
    done = run("evaluate risk.tw test.csv --at-least accuracy=high", here=here)
    assert done.code == 2


def test_evaluate_warns_of_rows_that_grew_the_model(here: Path) -> None:
    done = run("evaluate risk.tw train.csv", here=here)
    assert done.code == 0
    assert done.err == (
        "warning: these rows grew the model; without the model, evaluate train.csv"
        " cross-validates\n"
    )


def test_evaluate_gives_the_figures_of_the_library(here: Path) -> None:
    document = run("evaluate risk.tw test.csv --json", here=here).document
    assert document["ok"]
    result = document["result"]
    counts = np.array(result["confusion"]["counts"])
    accuracy = result["metrics"]["accuracy"]
    assert accuracy["value"] == np.trace(counts) / 500
    assert accuracy["low"] < accuracy["value"] < accuracy["high"]
    assert result["confusion"]["classes"] == ["default", "late", "repaid"]
    assert [each["class"] for each in result["per_class"]] == ["default", "late", "repaid"]
    assert result["baseline"]["answer"] == "always 'repaid'"
    predicted = run("predict risk.tw test.csv --keep outcome", here=here).out.splitlines()[1:]
    right = sum(line.split(";")[0] == line.split(";")[1] for line in predicted)
    assert right == np.trace(counts)


def test_evaluate_cross_validates_a_learner(here: Path) -> None:
    done = run("evaluate example:play_tennis -a id3 --width 80", here=here)
    assert done.out.startswith(
        "example:play_tennis: 14 rows, 2 classes; id3, leave-one-out\n\n"
        "error               21.4 %   7.6 to 47.6 % (95 %)\n"
    )
    done = run("evaluate example:iris -a cart --folds 3 --json", here=here)
    assert len(done.document["result"]["folds"]) == 3


def test_evaluate_of_numbers_shows_rmse_with_mae_and_r2(here: Path) -> None:
    run("fit example:diabetes --out diabetes.tw --no-check -q", here=here)
    done = run("evaluate diabetes.tw example:diabetes --at-least r2=0.1 --width 80", here=here)
    assert [line.split()[0] for line in done.out.splitlines()[2:6]] == [
        "RMSE",
        "always",
        "MAE",
        "R2",
    ]
    assert done.code == 0


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("evaluate risk.tw", 2, "error: risk.tw is a model; the table to judge it on is missing"),
        ("evaluate risk.tw tset.csv", 1, "error: no file 'tset.csv' here\n  Hint: test.csv"),
        ("evaluate risk.tw nameless.csv", 1, "error: no column 'outcome' in nameless.csv"),
        ("compare train.csv tree", 2, "error: compare needs two learners or more"),
        ("compare train.csv tree tree", 2, "error: tree is there twice"),
        ("compare train.csv tree randomforest", 2, "error: no algorithm 'randomforest'"),
        ("compare train.csv tree c45:confidense=0.1", 2, "c45 has no parameter 'confidense'"),
        ("compare train.csv tree m5", 1, "error: algorithm m5 predicts numbers; 'outcome' has 3"),
        ("prune risk.tw --method reduced_eror", 2, "error: no way of pruning 'reduced_eror'"),
        ("prune risk.tw --method to_depth --set dept=3", 2, "error: to_depth has no parameter"),
        ("prune risk.tw --out risk.tw", 1, "error: risk.tw is the input"),
        ("convert risk.tw risk.csv", 2, "error: risk.csv ends neither in .tw nor in .json"),
        ("convert test.csv x.json", 1, "error: "),
    ],
)
def test_what_cannot_be_is_told_in_one_block(here: Path, line: str, code: int, said: str) -> None:
    (here / "nameless.csv").write_text("age;income\n30;1000\n", encoding="utf-8")
    done = run(line, here=here)
    assert said in done.err
    assert done.code == code
    assert "Traceback" not in done.err


def test_compare_prints_the_screen_of_the_walk_through(here: Path) -> None:
    done = run("compare train.csv tree c45 cart:max_depth=2 --folds 5 --width 80", here=here)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "5 folds, the same for every learner; 1,500 rows; seed 0"
    assert lines[2].split("  ")[0] == "learner"
    assert "against tree" in lines[2]
    assert "95 % for all 2" in lines[2]
    assert {line.split()[0] for line in lines[3:6]} == {"tree", "c45", "cart"}
    assert lines[6].startswith("differences in points: corrected resampled t-test")
    assert max(map(len, lines)) <= 80
    narrow = run("compare train.csv tree c45 --folds 3 --width 50 -q", here=here).out.splitlines()
    assert max(map(len, narrow[2:5])) <= 50
    assert "leaves" not in narrow[2]


def test_compare_gives_pairs_and_a_verdict_and_checks_the_best(here: Path) -> None:
    line = "compare example:iris cart c45 --folds 3 --json --at-most error=0.0"
    done = run(line, here=here)
    assert done.code == 3
    result = done.document["result"]
    assert [each["name"] for each in result["learners"]] == ["cart", "c45"]
    assert result["learners"][0]["algorithm"] == "CARTClassifier"
    assert result["pairs"][0].keys() >= {"a", "b", "difference", "low", "high", "p", "p_adjusted"}
    assert result["verdict"]


def test_prune_cuts_by_rows_held_back_and_saves_the_smaller_tree(here: Path) -> None:
    grown = "fit train.csv --target outcome -a cart --set prune=none --out grown.tw --no-check -q"
    assert run(grown, here=here).code == 0
    done = run("prune grown.tw test.csv --width 80 --json", here=here)
    assert done.code == 0
    result = done.document["result"]
    assert result["file"] == "grown-pruned.tw"
    assert result["leaves"]["after"] < result["leaves"]["before"]
    assert result["steps"][-1]["leaves"] == result["leaves"]["after"]
    pruned, before = tw.load(here / "grown-pruned.tw"), tw.load(here / "grown.tw")
    assert pruned.tree_.n_leaves == result["leaves"]["after"]
    assert type(pruned) is type(before)
    answers = run("predict grown-pruned.tw test.csv --only", here=here)
    assert answers.code == 0
    kept = tw.persist.describe(here / "grown-pruned.tw").remembered
    assert kept["target"] == "outcome"


def test_prune_without_rows_says_by_what(here: Path) -> None:
    done = run("prune risk.tw --width 80 --out less.tw", here=here)
    assert done.code == 0
    assert done.err.startswith("note: pessimistic pruning, as without rows")
    assert done.err.endswith("saved less.tw\n")
    done = run("prune risk.tw --method to-depth --set depth=1 --out one.tw -q", here=here)
    assert done.out.splitlines()[0].startswith("to_depth: ")
    assert tw.load(here / "one.tw").tree_.depth == 1


def test_tune_keeps_what_is_set(here: Path) -> None:
    line = "tune example:play_tennis --folds 2 --set max_depth=1 --out tuned.tw --json"
    result = json.loads(run(line, here=here).out)["result"]
    assert "max_depth" not in {name for each in result["tried"] for name in each["parameters"]}
    assert tw.load(here / "tuned.tw").max_depth == 1
    told = run(line.replace("--json", "--python"), here=here).out
    assert 'fixed=["max_depth"]' in told
    refused = run("tune example:play_tennis --set max_depth=2..4 --out x.tw", here=here)
    assert (refused.code, (here / "x.tw").exists()) == (2, False)
    assert "max_depth='2..4' must be a whole number or None" in refused.err


def test_tune_saves_the_tuned_model(here: Path) -> None:
    line = "tune example:play_tennis -a id3 --folds 2 --out tuned.tw --json"
    done = run(line, here=here)
    assert done.code == 0
    result = done.document["result"]
    assert result["file"] == "tuned.tw"
    assert result["tried"][0].keys() == {"parameters", "score"}
    assert result["check"]["folds"] == 5
    assert run("predict tuned.tw example:play_tennis --only", here=here).code == 0


def test_convert_there_and_back_answers_alike(here: Path) -> None:
    assert run("convert risk.tw risk.json", here=here).err.startswith("saved risk.json: ")
    done = run("convert risk.json back.tw --json", here=here)
    assert done.document["result"]["file"] == "back.tw"
    answers = [run(f"predict {m} test.csv --proba", here=here).out for m in ("risk.tw", "back.tw")]
    assert answers[0] == answers[1]
    assert run("convert risk.tw risk.json", here=here).err.startswith("replaced risk.json")
    # What only the file knows is not lost, such as which rows grew the model.
    assert (here / "back.tw").read_bytes() == (here / "risk.tw").read_bytes()
    assert run("convert back.tw -", here=here).out == (here / "risk.json").read_text()
    judged = run("evaluate risk.json train.csv", here=here).err
    assert judged.startswith("warning: these rows grew the model")


@pytest.mark.parametrize(
    "line",
    [
        "evaluate risk.tw test.csv",
        "evaluate example:iris -a cart --folds 3",
        "compare example:iris cart c45 --folds 3",
        "prune risk.tw test.csv --out p.tw",
        "convert risk.tw c.json",
    ],
)
def test_the_lines_of_python_run(here: Path, line: str) -> None:
    done = run(f"{line} --python", here=here)
    assert done.code == 0
    assert done.out.startswith("import treewright as tw\n")
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", done.out],
        cwd=here,
        check=True,
        stdout=subprocess.DEVNULL,
    )
