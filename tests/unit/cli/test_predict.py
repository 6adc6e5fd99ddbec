"""``treewright predict``: streams in and out, what it says, and where it stops."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from unit.cli.tables import write_parts
from unit.cli.typed import run

import treewright as tw


@pytest.fixture(scope="module")
def here(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("predict")
    write_parts(folder)
    return folder


def answers(text: str, delimiter: str = ";") -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), sep=delimiter, dtype=str, keep_default_na=False)


def by_python(here: Path) -> tuple[list[str], list[list[float]]]:
    model = tw.load(here / "risk.tw")
    kept = tw.persist.describe(here / "risk.tw").remembered
    from treewright.data.reading import Reading

    X = tw.read(here / "test.csv", like=Reading.from_dict(kept["reading"]), also_missing=["-"])
    X = X.select(list(model.feature_names_in_))
    return model.predict(X).tolist(), model.predict_proba(X).tolist()


def test_the_table_passes_as_it_is_written_with_the_answers_at_its_end(here: Path) -> None:
    done = run("predict risk.tw test.csv --proba", here=here)
    assert (done.code, done.err) == (0, "")
    given = (here / "test.csv").read_text(encoding="utf-8").splitlines()
    lines = done.out.splitlines()
    assert lines[0] == given[0] + ";prediction;p_default;p_late;p_repaid"
    assert all(line.startswith(row + ";") for line, row in zip(lines, given, strict=True))
    found = answers(done.out)
    classes, shares = by_python(here)
    assert found["prediction"].tolist() == classes
    columns = [found[name].str.replace(",", ".").astype(float) for name in list(found)[-3:]]
    assert [list(row) for row in zip(*columns, strict=True)] == shares


def test_gzip_from_a_pipe_and_the_answers_alone(here: Path, monkeypatch) -> None:
    compressed = gzip.compress((here / "test.csv").read_bytes())
    with subprocess.Popen(
        [sys.executable, "-m", "treewright", "predict", "risk.tw", "-", "--proba", "--only"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=here,
    ) as process:
        out, _ = process.communicate(compressed)
    assert process.returncode == 0
    lines = out.decode().splitlines()
    assert lines[0] == "prediction;p_default;p_late;p_repaid"
    assert len(lines) == 501


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".jsonl", ".parquet"])
def test_files_in_and_out_by_their_suffix(here: Path, suffix: str) -> None:
    made = f"answers{suffix}"
    done = run(f"predict risk.tw test.csv --keep customer,income --out {made}", here=here)
    assert (done.code, done.out, done.err) == (0, "", f"saved {made}: 500 rows\n")
    again = run(f"predict risk.tw test.csv --keep customer,income --out {made} --json", here=here)
    assert again.code == 1  # treewright replaces what it knows to be its own: models and exports
    assert again.document["error"]["code"] == "would-overwrite"
    decimal = "," if suffix in (".csv", ".tsv.gz") else None
    frame = tw.read(here / made, decimal=decimal, also_missing=["-"])
    assert frame.columns == ("customer", "income", "prediction")
    assert frame["prediction"].tolist() == by_python(here)[0]
    (here / made).unlink()


def test_parquet_and_json_lines_are_answered_alike(here: Path) -> None:
    run("predict risk.tw test.csv --out all.parquet", here=here)
    run("predict risk.tw test.csv --out all.jsonl", here=here)
    for name in ("all.parquet", "all.jsonl"):
        done = run(f"predict risk.tw {name} --as again --to csv", here=here)
        found = answers(done.out, ",")
        assert found["again"].tolist() == found["prediction"].tolist()
        (here / name).unlink()


def test_json_gives_lines_of_rows_or_a_document(here: Path) -> None:
    done = run("predict risk.tw test.csv --json --keep customer,income", here=here)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert rows[0].keys() == {"customer", "income", "prediction"}
    assert {type(row["income"]) for row in rows} == {float, type(None)}
    done = run("predict risk.tw test.csv --json --only --out a.csv", here=here)
    assert done.document["result"] == {"file": "a.csv", "rows": 500, "unseen": {}}
    (here / "a.csv").unlink()


def test_unseen_categories_are_counted_in_a_warning(here: Path) -> None:
    text = (here / "test.csv").read_text(encoding="utf-8")
    n_students = text.count(";self-employed;")
    (here / "new.csv").write_text(
        text.replace(";self-employed;", ";student;").replace(";salaried;", ";intern;", 3),
        encoding="utf-8",
    )
    done = run("predict risk.tw new.csv --only", here=here)
    assert done.code == 0
    assert done.err == (
        f"warning: {n_students + 3} of 500 rows have an 'employment' unknown to risk.tw"
        f" (student {n_students}, intern 3); treated as missing\n"
    )
    assert run("predict risk.tw new.csv --only --strict", here=here).code == 3
    assert run("predict risk.tw new.csv --only --quiet", here=here).err == ""
    done = run("predict risk.tw new.csv --only --json --out a.csv", here=here)
    assert done.document["result"]["unseen"] == {"employment": {"student": n_students, "intern": 3}}
    (here / "a.csv").unlink()


def test_a_model_that_refuses_unseen_values_names_the_line(here: Path) -> None:
    fitted = "fit train.csv --target outcome --out strict.tw --no-check -q --set unseen=error"
    assert run(fitted, here=here).code == 0
    done = run("predict strict.tw new.csv", here=here)
    assert done.code == 1
    assert "error: line " in done.err
    assert "employment 'intern' was not there at the fit" in done.err


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("predict risk.tw tset.csv", 1, "error: no file 'tset.csv' here\n  Hint: test.csv\n"),
        ("predict rusk.tw test.csv", 1, "error: no file 'rusk.tw' here\n  Hint: risk.tw\n"),
        (
            "predict risk.tw test.csv --as income",
            2,
            "error: test.csv has a column 'income' already\n  Hint: --as income_2, or --only\n",
        ),
        (
            "predict risk.tw test.csv --keep custmer",
            1,
            "error: there is no column 'custmer' to keep in test.csv\n",
        ),
        ("predict risk.tw test.csv --to xls", 2, "error: --to xls: predict writes csv, tsv, jsonl"),
        ("predict risk.tw risk.tw", 1, "error: risk.tw is a model of treewright"),
        ("predict test.csv risk.tw", 1, "error: test.csv"),
        ("predict risk.tw test.csv --out no/a.csv", 1, "error: no folder 'no'"),
        ("predict risk.tw test.csv --out test.csv", 1, "error: test.csv is the input"),
        ("predict risk.tw few.csv", 1, "error: "),
        ("predict risk.tw -", 1, "error: nothing came on stdin\n  The command before the pipe"),
    ],
)
def test_what_cannot_be_is_told_in_one_block(here: Path, line: str, code: int, said: str) -> None:
    (here / "few.csv").write_text("age;income\n30;1000\n", encoding="utf-8")
    done = run(line, here=here)
    assert done.err.startswith(said)
    assert done.out == ""
    assert "Traceback" not in done.err
    if not line.endswith("income"):
        assert done.code == code


def test_a_column_that_is_not_there_is_named(here: Path) -> None:
    done = run("predict risk.tw few.csv", here=here)
    assert "Hint: add the column 'education'" in done.err


def test_stray_text_names_its_line(here: Path) -> None:
    head, first, *rest = (here / "test.csv").read_text(encoding="utf-8").splitlines()
    cells = first.split(";")
    cells[head.split(";").index("amount")] = "12O0"
    (here / "stray.csv").write_text("\n".join([head, *rest, ";".join(cells)]) + "\n")
    done = run("predict risk.tw stray.csv", here=here)
    assert done.code == 1
    assert "column 'amount': 499 of 500 values are numbers, but line 501 has" in done.err
    assert "'12O0'" in done.err
    assert run("predict risk.tw stray.csv --missing 12O0 --only", here=here).code == 0


def test_a_header_alone_gives_a_header(here: Path) -> None:
    head = (here / "test.csv").read_text(encoding="utf-8").splitlines()[0]
    (here / "head.csv").write_text(head + "\n", encoding="utf-8")
    done = run("predict risk.tw head.csv", here=here)
    assert (done.code, done.out) == (0, f"{head};prediction\n")


def test_examples_are_predicted(here: Path) -> None:
    run("fit example:play_tennis -a id3 --out tennis.tw --no-check -q", here=here)
    done = run("predict tennis.tw example:play_tennis --only", here=here)
    assert done.out.splitlines()[:4] == ["prediction", "No", "No", "Yes"]


def test_numbers_are_predicted_and_have_no_probabilities(here: Path) -> None:
    run("fit example:diabetes --out diabetes.tw --no-check -q", here=here)
    done = run("predict diabetes.tw example:diabetes --only", here=here)
    assert float(done.out.splitlines()[1]) > 0
    done = run("predict diabetes.tw example:diabetes --proba", here=here)
    assert done.code == 1
    assert "predicts numbers; it has no probabilities" in done.err


def test_the_lines_of_python_write_the_same_bytes(here: Path) -> None:
    line = "predict risk.tw test.csv --proba --keep customer --out by-cli.csv"
    done = run(f"{line} --python", here=here)
    assert done.code == 0
    run(line, here=here)
    lines = done.out.replace("by-cli.csv", "by-python.csv")
    subprocess.run([sys.executable, "-c", lines], cwd=here, check=True)
    assert (here / "by-python.csv").read_bytes() == (here / "by-cli.csv").read_bytes()


@pytest.mark.alone
def test_a_closed_pipe_and_ctrl_c_end_quietly(here: Path) -> None:
    rows = (here / "test.csv").read_text(encoding="utf-8").splitlines()
    big = here / "big.csv"
    big.write_text("\n".join([rows[0], *rows[1:] * 400]) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "treewright", "predict", "risk.tw", "big.csv"]
    with subprocess.Popen(
        command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().endswith(b";prediction\n")
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141
    before = set(os.listdir(here))
    with subprocess.Popen(
        [*command, "--out", "stopped.csv"], cwd=here, stderr=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + 60
        while set(os.listdir(here)) == before and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read().decode()
    assert process.returncode == 130
    assert said.startswith("stopped. Nothing saved")
    assert set(os.listdir(here)) == before
    big.unlink()
