"""What is typed wrongly is told in the words of the command line: no Python, no guess from afar."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.cli.typed import run


@pytest.mark.parametrize(
    ("line", "code", "block"),
    [
        (
            "fit loans.csv more",
            2,
            "fit does not know what to do with 'more'\n  Hint: treewright fit DATA [OPTIONS]",
        ),
        ("fit loans.csv --quiet=3", 2, "--quiet takes no value\n  Hint: treewright fit --help"),
        (
            "fit loans.csv --version",
            2,
            "fit has no option --version\n  Hint: treewright fit --help-all lists its options",
        ),
        (
            "fit loans.csv --max-dept 3",
            2,
            "fit has no option --max-dept\n  Hint: --set max_depth=3",
        ),
        (
            "fit loans.csv --algorithm=forest --n-estimators=50",
            2,
            "fit has no option --n-estimators\n  Hint: --set n_estimators=50",
        ),
        (
            "fit loans.csv --ccp-alpha -q",
            2,
            "fit has no option --ccp-alpha\n  Hint: --set ccp_alpha=VALUE",
        ),
        (  # a parameter spelled right goes before an option that is near
            "fit loans.csv --min-samples-leaf 9",
            2,
            "fit has no option --min-samples-leaf\n  Hint: --set min_samples_leaf=9",
        ),
        ("fit loans.csv --wieght w", 2, "fit has no option --wieght\n  Hint: --weight"),
        ("fit nope.csv", 1, "no file 'nope.csv' here"),
        ("fit laons.csv", 1, "no file 'laons.csv' here\n  Hint: loans.csv"),
        (
            "fit loans.csv -o -",
            2,
            "fit saves its model in a file, not on standard output\n  Hint: model.tw or model.json",
        ),
        (
            "fit loans.csv -o x.svg",
            2,
            "x.svg ends neither in .tw nor in .json\n  Hint: x.tw or x.json; export writes code",
        ),
        (
            "fit loans.csv --kind foo=text",
            1,
            "no column 'foo' in loans.csv\n"
            "  Columns: customer, age, education, employment, years_employed and 11 more\n"
            "  Hint: treewright info loans.csv lists them",
        ),
        (
            "fit loans.csv -t has_guarantor --order channel=web,branch,phone",
            1,
            "--order channel lacks broker, which loans.csv has\n"
            "  Hint: --order channel=web,branch,phone,broker, each in its place",
        ),
        (
            "fit loans.csv -t last_contact",
            1,
            "the target 'last_contact' has dates, which no algorithm predicts\n"
            "  Hint: --target with another column; or --kind last_contact=text, if they are\n"
            "  classes",
        ),
        (
            "fit loans.csv -t outcome --groups region --ignore customer,income",
            1,
            "column 'region' of loans.csv has no groups: it is missing in row 63\n"
            "  Hint: --groups with a column that has a value in every row",
        ),
        ("compare loans.csv tree treee", 2, "no algorithm 'treee'\n  Hint: tree; treewright"),
        (
            "compare loans.csv tree cart:maxdepth=3",
            2,
            "cart has no parameter 'maxdepth'\n  Hint: cart:max_depth=30",
        ),
        (
            "evaluate loans.csv tennis.tw",
            2,
            "tennis.tw is the model, and stands first\n"
            "  Hint: treewright evaluate tennis.tw loans.csv",
        ),
        (
            "evaluate loans.tw loans.csv --at-least acuracy=0.9",
            2,
            "metric 'acuracy' is not known\n  Hint: --at-least accuracy=0.9",
        ),
        (
            "predict loans.csv loans.tw",
            1,
            "loans.csv is no model\n  Hint: treewright fit loans.csv makes one of a table",
        ),
        (
            "predict loans.tw loans.csv -o out.xlsx",
            2,
            "out.xlsx: predict writes csv, tsv, jsonl or parquet\n"
            "  Hint: --out out.csv, or --to csv whatever its name",
        ),
        (
            "predict loans.tw example:iris",
            1,
            "no column 'age' and 13 more, which the model needs\n"
            "  Fitted on: age, education, employment, years_employed, income and 9 more\n",
        ),
        (
            "predict loans.tw loans.csv --interval 0.9",
            1,
            "loans.tw has not learned how sure it is\n"
            "  Hint: treewright fit DATA --interval 0.9 --out loans.tw",
        ),
        (
            "diff tennis.tw d15.tw --data example:iris",
            1,
            "the table has no column 'Humidity' and 2 more, which the model needs\n",
        ),
        (
            "diff tennis.tw d15.tw --at-most changed=0.1",
            2,
            "'changed' is counted on rows, and there are none\n  Hint: --data DATA",
        ),
        (
            "prune loans.tw --method reduced_error",
            2,
            "ReducedError judges by rows that did not take part in growing\n"
            "  Hint: treewright prune MODEL DATA",
        ),
        ("info loans.tw --to schema", 2, "--to schema: loans.tw is a model, and a schema is of a"),
        ("explain loans.tw amount=abc", 1, "column 'amount': 'abc' is not a number"),
        (
            "explain tennis.tw Outlook=Rian",
            1,
            "'Rian' is no value of 'Outlook', which has Sunny, Overcast, Rain\n"
            "  Hint: Outlook=Rain",
        ),
        (
            "explain loans.tw amount=1",
            1,
            "the row has no value of 'employment', which node 1 asks about\n"
            "  Given: amount\n"
            "  Hint: employment=VALUE, or employment=? if it is not known",
        ),
        (
            "export loans.tw --to c --dialect sqlite",
            2,
            "--dialect is one of SQL; --to c has none\n  Hint: --to sql --dialect sqlite",
        ),
        (
            "export loans.tw --to sql --dialect foo",
            2,
            "--dialect is sqlite, duckdb or postgresql, not 'foo'",
        ),
        ("export loans.tw --to onnx -o -", 2, "onnx is no text, and goes to a file: --out FILE"),
    ],
)
def test_it_is_told_in_the_words_of_the_command_line(
    line: str, code: int, block: str, grown: Path
) -> None:
    done = run(line, here=grown)
    assert (done.code, done.out) == (code, "")
    told = "error:" + done.err.partition("error:")[2]
    assert told.startswith(f"error: {block}"), told
    assert max(map(len, told.splitlines())) <= 80


def test_what_a_format_cannot_express_is_told_with_options(tmp_path: Path) -> None:
    assert run("fit example:iris -a oblique --no-check -q", here=tmp_path).code == 0
    done = run("export iris.tw --out iris.onnx", here=tmp_path)
    assert (done.code, done.err) == (
        1,
        "error: iris.tw as onnx: a question there is about one column\n"
        "  Hint: --to c | python | javascript | rust | sql\n",
    )


def test_an_artefact_that_fails_is_told_in_one_sentence(tmp_path: Path, grown: Path) -> None:
    assert run(f"export tennis.tw --out {tmp_path}/t.py -q", here=grown).code == 0
    text = (tmp_path / "t.py").read_text(encoding="utf-8")
    (tmp_path / "t.py").write_text(text + "\nraise ValueError('broken')\n", encoding="utf-8")
    done = run(f"verify tennis.tw {tmp_path}/t.py --width 80", here=grown)
    assert done.code == 3
    assert "ValueError: broken" in " ".join(done.out.split())
    assert "Traceback" not in done.both


def test_a_picture_is_not_proved_and_nothing_is_to_be_installed(tmp_path: Path) -> None:
    line = "fit example:iris --no-check -q"
    assert run(line, here=tmp_path).code == 0
    assert run("export iris.tw --out iris.dot -q", here=tmp_path).code == 0
    done = run("verify iris.tw iris.dot", here=tmp_path)
    assert (done.code, done.err) == (1, "error: iris.dot was not proved: dot answers nothing\n")


def test_code_and_models_go_to_standard_output(grown: Path, tmp_path: Path) -> None:
    done = run("export tennis.tw --to sql --out -", here=grown)
    assert done.code == 0
    assert done.out.startswith("-- ID3Classifier")
    assert "proof: " in done.err
    done = run("convert tennis.tw -", here=grown)
    (tmp_path / "t.json").write_text(done.out, encoding="utf-8")
    again = run("show t.json", here=tmp_path)
    assert again.out == run("show tennis.tw", here=grown).out


def test_rows_whose_target_is_not_known_are_left_out(loans: Path) -> None:
    done = run("fit loans.csv -t income --no-check --width 80", here=loans)
    assert done.code == 0
    assert "note: 190 rows without 'income' left out\n" in done.err
    assert "   0  (all rows)" in done.out
    assert " 1810 " in done.out.splitlines()[1]


def test_a_model_that_learned_how_sure_it_is_says_it_from_its_file(tmp_path: Path) -> None:
    line = "fit example:{} --interval 0.9 --no-check -q"
    assert run(line.format("iris"), here=tmp_path).code == 0
    assert run(line.format("diabetes"), here=tmp_path).code == 0
    classes = run("predict iris.tw example:iris --interval 0.9 --only", here=tmp_path)
    assert classes.out.splitlines()[:2] == ["prediction,prediction_set", "setosa,setosa"]
    numbers = run("predict diabetes.tw example:diabetes --interval 0.9 --only", here=tmp_path)
    first, low, high = map(float, numbers.out.splitlines()[1].split(","))
    assert low < first < high


def test_a_folder_is_no_table_and_no_name_no_file(tmp_path: Path) -> None:
    (tmp_path / "days").mkdir()
    assert run("fit days", here=tmp_path).err == "error: 'days' is a folder\n"
    done = run("fit example:iris --out ''", here=tmp_path)
    assert (done.code, done.err) == (2, "error: --out has no name\n")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device that never ends")
def test_a_device_is_not_read(tmp_path: Path) -> None:
    for line in ("info /dev/zero", "fit /dev/zero --out x.tw", "show /dev/zero"):
        done = run(line, here=tmp_path)
        assert (done.code, done.err) == (1, "error: '/dev/zero' is neither a file nor a pipe\n")


def test_more_folds_than_rows_are_told_as_the_option(tmp_path: Path) -> None:
    done = run("fit example:iris --folds 1000 --out iris.tw", here=tmp_path)
    assert done.code == 1
    assert done.err.endswith(
        "error: --folds 1000 needs at least as many rows; there are 150\n  Hint: --folds 150\n"
    )


def test_a_name_that_others_use_may_be_mistyped() -> None:
    done = run("fit example:iris --algorithm random_froest")
    assert done.err.startswith("error: no algorithm 'random_froest'\n  Hint: --algorithm forest; ")


def test_what_was_never_exported_is_not_verified(grown: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    done = run(f"verify tennis.tw {tmp_path}/rows.csv", here=grown)
    assert (done.code, done.err) == (
        1,
        "error: 'rows.csv' does not say what it was exported to\n"
        "  Hint: treewright export MODEL --to FORMAT --out FILE writes one that does\n",
    )
    (tmp_path / "rows.c").write_bytes(b"int \xe9;")
    done = run(f"verify tennis.tw {tmp_path}/rows.c", here=grown)
    assert (done.code, done.err) == (
        1,
        "error: 'rows.c' is no text in UTF-8 (byte 4), as exported code is\n",
    )


def test_rules_are_no_graph_and_the_hint_is_for_the_shell(tmp_path: Path) -> None:
    fitted = run("fit example:play_tennis -a c45rules --no-check -q --out r.tw", here=tmp_path)
    assert fitted.code == 0
    done = run("export r.tw --to dot", here=tmp_path)
    assert (done.code, done.err) == (
        1,
        "error: r.tw as dot: rules are no tree to draw\n"
        "  Hint: treewright rules MODEL; or --to sql\n",
    )
