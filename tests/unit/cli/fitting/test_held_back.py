"""``--holdout`` and ``--test``: learners judged on rows held back, or on those of another table."""

import re
from pathlib import Path

import pytest
from unit.cli.tables import write_parts
from unit.cli.test_python_lines import executed
from unit.cli.typed import run

import treewright as tw


@pytest.fixture(scope="module")
def here(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("held_back")
    write_parts(folder)
    rows = [f"{i % 9},{'0x'[i // 30]}{i % 3},{'ab'[i % 2]},{1 + i % 2}" for i in range(60)]
    head = "size,code,kind,times"
    files = {
        "codes": rows,
        "more": rows[:9],
        "gaps": ["1,00,,1", "2,01,a,1", "3,02,b,1"],
        "stray": [*rows[:30], "big,01,a,1"],
    }
    for name, lines in files.items():
        (folder / f"{name}.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    (folder / "less.csv").write_text("size,kind,times\n1,a,1\n", encoding="utf-8")
    return folder


def test_evaluate_holds_rows_back_as_the_library_does(here: Path) -> None:
    line = "evaluate example:loans -a c45 --holdout 0.2 --seed 4"
    done = run(f"{line} --width 80", here=here)
    assert done.out.startswith(
        "example:loans: 2,000 rows, 3 classes; c45, 400 rows held out, drawn by seed 4\n"
    )
    loans = tw.load_example("loans")
    parts = tw.evaluate.holdout(loans.X, loans.y, test=0.2, random_state=4)
    found = parts.judge(tw.C45Classifier())
    result = run(f"{line} --json", here=here).document["result"]
    assert result["metrics"]["error"]["value"] == found["error"].value
    assert result["metrics"]["error"]["low"] == found["error"].low
    assert (result["rows"], result["folds"]) == (400, None)
    assert result["confusion"]["counts"] == found.confusion.counts.tolist()


def test_evaluate_on_another_table_judges_as_the_saved_model_does(here: Path) -> None:
    done = run("evaluate train.csv -t outcome --test test.csv --width 80", here=here)
    assert done.code == 0
    assert done.out.splitlines()[0] == (
        "train.csv: 1,500 rows, 3 classes; tree, 500 rows of test.csv"
    )
    by_model = run("evaluate risk.tw test.csv --width 80", here=here)
    assert done.out.split("\n\n")[1:] == by_model.out.split("\n\n")[1:]


def test_fit_says_the_same_of_the_other_table(here: Path) -> None:
    line = "train.csv -t outcome --test test.csv --json"
    fitted = run(f"fit {line} --out x.tw", here=here).document["result"]
    judged = run(f"evaluate {line}", here=here).document["result"]
    assert fitted["check"]["method"] == judged["method"] == "500 rows of test.csv"
    assert fitted["check"]["error"] == judged["metrics"]["error"]
    assert fitted["check"]["baseline"] == judged["baseline"]["value"]


def test_the_other_table_is_read_as_the_first_one_was(here: Path) -> None:
    # All codes are digits there, but texts in the table that was learned from.
    done = run("evaluate codes.csv -t kind --test more.csv --json", here=here)
    assert done.code == 0
    assert done.document["result"]["rows"] == 9
    done = run("evaluate codes.csv -t kind --test gaps.csv --json", here=here)
    assert done.document["result"]["rows"] == 2
    assert done.document["notes"][-1]["message"] == "1 row without 'kind' left out"


def test_rows_without_a_target_leave_with_their_weights_and_groups(here: Path) -> None:
    rows = [f"{i % 7},{'ab'[i % 2] if i else ''},{1 + i % 3},g{i // 4}" for i in range(60)]
    text = "\n".join(["size,kind,times,group", *rows])
    (here / "weighted.csv").write_text(f"{text}\n", encoding="utf-8")
    line = "evaluate weighted.csv -t kind --weight times --groups group --folds 3 --json"
    done = run(line, here=here)
    assert done.code == 0
    assert done.document["result"]["rows"] == 59


WEIGHTED = "-t kind --weight times --groups group"


@pytest.fixture
def weighted(tmp_path: Path) -> Path:
    """Tables whose errors weigh more, and one where the weights have another name."""
    for name, n_rows, times in (("june", 60, "times"), ("july", 30, "times"), ("bare", 30, "n")):
        rows = [
            f"{i % 7},{'ab'[(i % 7 > 3) ^ (i % 5 == 0)]},{1 + 2 * (i % 5 == 0)},g{i // 4}"
            for i in range(n_rows)
        ]
        text = "\n".join([f"size,kind,{times},group", *rows])
        (tmp_path / f"{name}.csv").write_text(f"{text}\n", encoding="utf-8")
    assert run(f"fit june.csv {WEIGHTED} --no-check -q", here=tmp_path).code == 0
    return tmp_path


def test_rows_of_the_other_table_weigh_what_their_column_says(weighted: Path) -> None:
    line = f"evaluate june.csv {WEIGHTED} --test july.csv --json"
    result = run(line, here=weighted).document["result"]
    july = tw.read(weighted / "july.csv", target="kind")
    model = tw.load(weighted / "june.tw")
    found = tw.evaluate.judge(model, july.X.select(["size"]), july.y, sample_weight=july.X["times"])
    assert result["metrics"]["error"]["value"] == found["error"].value
    plain = tw.evaluate.judge(model, july.X.select(["size"]), july.y)
    assert found["error"].value != plain["error"].value
    is_a = july.y == "a"
    assert result["baseline"]["value"] == pytest.approx(
        july.X["times"][~is_a].sum() / july.X["times"].sum()
    )
    fitted = run(f"fit june.csv {WEIGHTED} --test july.csv --json", here=weighted)
    assert fitted.document["result"]["check"]["error"] == result["metrics"]["error"]


def test_a_saved_model_is_judged_on_weighted_groups_and_a_sample(weighted: Path) -> None:
    line = "evaluate june.tw july.csv --weight times"
    result = run(f"{line} --json", here=weighted).document["result"]
    other = run(f"evaluate june.csv {WEIGHTED} --test july.csv --json", here=weighted)
    assert result["metrics"]["error"] == other.document["result"]["metrics"]["error"]
    grouped = run(f"{line} --groups group --json", here=weighted).document["result"]
    assert grouped["metrics"]["error"]["value"] == result["metrics"]["error"]["value"]
    assert grouped["metrics"]["error"] != result["metrics"]["error"]  # wider or narrower
    fewer = run(f"{line} --sample 11 --json", here=weighted).document["result"]
    assert fewer["rows"] == 11
    printed = executed(run(f"{line} --groups group --python", here=weighted).out, weighted)
    assert f"{100 * result['metrics']['error']['value']:.1f} %" in printed


@pytest.mark.parametrize("way", ["", "--test july.csv", "--holdout 0.3", "--no-check"])
def test_the_lines_of_fit_weigh_rows_too(weighted: Path, way: str) -> None:
    line = f"fit june.csv {WEIGHTED} {way} --out x.tw"
    assert run(f"{line} -q", here=weighted).code == 0
    by_command = (weighted / "x.tw").read_bytes()
    told = run(f"{line} --python", here=weighted)
    (weighted / "x.tw").unlink()
    executed(told.out, weighted)
    assert (weighted / "x.tw").read_bytes() == by_command


@pytest.mark.parametrize("command", ["compare june.csv tree c45 --folds 3", "tune june.csv -a id3"])
def test_the_lines_of_other_commands_weigh_rows_too(weighted: Path, command: str) -> None:
    told = run(f"{command} {WEIGHTED} --python", here=weighted)
    lines = " ".join(told.out.split())
    assert 'sample_weight=june.X["times"], groups=june.X["group"]' in lines
    assert 'june.X.select(["size"])' in lines


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            f"evaluate june.csv {WEIGHTED} --test bare.csv",
            "error: no column 'times' in bare.csv: it is the weights in june.csv\n",
        ),
        (
            "fit june.csv -t kind --weight group",
            "error: column 'group' of june.csv has no weights: it has texts\n"
            "  Hint: --weight with a column of numbers, 0 or more, in every row\n",
        ),
        ("fit june.csv -t kind --weight tims", "  Hint: --weight times\n"),
        ("fit june.csv -t kind --groups grup", "  Hint: --groups group\n"),
        ("evaluate june.tw july.csv --weight tims", "  Hint: --weight times\n"),
        ("fit minus.csv -t kind --weight times", "has no weights: row 2 has -1\n"),
        ("fit gaps.csv -t kind --weight times", "has no weights: it is missing in row 2\n"),
    ],
)
def test_weights_that_are_none_are_told(weighted: Path, line: str, said: str) -> None:
    for name, weight in (("minus", "-1"), ("gaps", "")):
        text = f"size,kind,times\n1,a,1\n2,b,{weight}\n3,a,1\n"
        (weighted / f"{name}.csv").write_text(text, encoding="utf-8")
    done = run(line, here=weighted)
    assert done.code == 1
    assert said in done.err


@pytest.mark.parametrize(
    "option", ["-a c45", "--set max_depth=2", "--folds 3", "--ignore size", "--task numbers"]
)
def test_what_is_for_learners_is_refused_for_a_saved_model(weighted: Path, option: str) -> None:
    done = run(f"evaluate june.tw july.csv {option}", here=weighted)
    assert done.code == 2
    said = " ".join(done.err.split())
    assert "is for a learner; a saved model is judged on all rows as it is" in said


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (
            "evaluate codes.csv -t kind --test codes.csv",
            2,
            "error: --test codes.csv is the table to learn from; its rows say nothing about\n"
            "  new ones\n  Hint: --test with another table, or --holdout 0.2\n",
        ),
        (
            "evaluate codes.csv -t kind --test more.csv --holdout 0.2",
            2,
            "error: --test and --holdout are two ways to judge\n  Hint: --test or --holdout\n",
        ),
        (
            "fit codes.csv -t kind --holdout 0.2 --no-check",
            2,
            "error: --holdout and --no-check are two ways to judge\n",
        ),
        (
            "evaluate risk.tw test.csv --holdout 0.2",
            2,
            "error: --holdout is for a learner; a saved model is judged on all rows as it is\n"
            "  Hint: treewright evaluate test.csv --holdout 0.2\n",
        ),
        (
            "evaluate codes.csv -t kind --holdout 2",
            2,
            "error: --holdout takes a share between 0 and 1, not 2\n",
        ),
        (
            "fit codes.csv -t kind --test less.csv",
            1,
            "error: no column 'code' in less.csv: it is a column to learn from in codes.csv\n"
            "  3 columns: size, kind, times\n",
        ),
        ("evaluate codes.csv -t kind --test stray.csv", 1, "error: column 'size': "),
        ("evaluate codes.csv -t kind --test mor.csv", 1, "error: no file 'mor.csv' here\n"),
    ],
)
def test_what_cannot_be_judged_is_told(here: Path, line: str, code: int, said: str) -> None:
    done = run(line, here=here)
    assert said in done.err
    assert done.code == code
    assert not (here / "codes.tw").exists()


@pytest.mark.parametrize("way", ["--holdout 0.3", "--test test.csv", "--folds 3 --repeats 2"])
def test_the_lines_of_python_find_the_same_figures(here: Path, way: str) -> None:
    line = f"evaluate train.csv -t outcome -a cart --set max_depth=3 {way}"
    told = run(f"{line} --python", here=here)
    assert (told.code, max(map(len, told.out.splitlines())) <= 80) == (0, True)
    error = re.search(r"^error +(\d+\.\d %) +(.*) \(95 %\)", run(line, here=here).out, re.M)
    assert error is not None
    printed = executed(told.out, here)
    assert error[1] in printed
    assert error[2] in printed


def test_the_lines_of_fit_write_the_same_bytes(here: Path) -> None:
    line = "fit codes.csv -t times --task numbers -a cart --test more.csv --out x.tw"
    told = run(f"{line} --python", here=here)
    assert run(f"{line} -q", here=here).code == 0
    by_command = (here / "x.tw").read_bytes()
    (here / "x.tw").unlink()
    executed(told.out, here)
    assert (here / "x.tw").read_bytes() == by_command
