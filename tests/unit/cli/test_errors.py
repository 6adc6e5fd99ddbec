"""Every error a person may meet: what is wrong, what was found, what to type, and the exit code."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from unit.cli.typed import Done, run

import treewright


def told(done: Done) -> str:
    """The block on standard error, without the notes before it."""
    return "error:" + done.err.partition("error:")[2]


def test_a_wrong_column_is_told_with_the_right_one(loans: Path) -> None:
    done = run("fit loans.csv --target outcom", here=loans)
    assert done.code == 1
    assert done.out == ""
    assert done.err == (
        "error: no column 'outcom' in loans.csv\n"
        "  16 columns: customer, age, education, employment, years_employed, … outcome.\n"
        "  Hint: --target outcome\n"
    )
    document = run("fit loans.csv --target outcom --json", here=loans).document
    assert document["ok"] is False
    assert document["error"]["code"] == "column-not-found"
    assert document["error"]["column"] == "outcom"
    assert document["error"]["exit"] == 1


def test_an_algorithm_for_numbers_refuses_texts(loans: Path) -> None:
    done = run("fit loans.csv --algorithm m5", here=loans)
    assert (done.code, done.out) == (1, "")
    assert told(done) == (
        "error: algorithm m5 predicts numbers; 'outcome' has 3 texts (repaid, late,\n"
        "  default)\n"
        "  Hint: --algorithm c45, or --target with a column of numbers\n"
    )


def test_a_workbook_is_named(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "loans.xlsx", "w") as made:
        made.writestr("[Content_Types].xml", "<Types/>")
        made.writestr("xl/workbook.xml", "<workbook/>")
    done = run("fit loans.xlsx", here=tmp_path)
    assert done.code == 1
    assert told(done) == (
        "error: loans.xlsx is an Excel workbook; treewright reads CSV, TSV, JSON lines,\n"
        "  Parquet, ARFF\n"
        "  Hint: save the sheet as CSV\n"
    )


def test_a_missing_file_is_told_with_one_nearly_so_called(loans: Path) -> None:
    done = run("fit laons.csv", here=loans)
    assert (done.code, done.err) == (1, "error: no file 'laons.csv' here\n  Hint: loans.csv\n")


def test_stray_text_among_numbers_stops_the_fit(loans: Path) -> None:
    text = (loans / "loans.csv").read_text().replace("5444,54", "54O0")
    (loans / "loans.csv").write_text(text)
    done = run("fit loans.csv", here=loans)
    assert done.code == 1
    assert done.out == ""
    assert done.err == (
        "error: column 'income': 1,809 of 1,841 values are numbers, but line 2 has '54O0'\n"
        "  Hint: mend it; or --missing 54O0; or --kind income=text\n"
    )
    error = run("fit loans.csv --json", here=loans).document["error"]
    assert (error["code"], error["line"], error["column"]) == ("stray-text", 2, "income")
    assert run("fit loans.csv --missing 54O0 --no-check -q", here=loans).code == 0


def test_a_damaged_and_a_newer_model_are_told_apart(grown: Path, tmp_path: Path) -> None:
    data = (grown / "tennis.tw").read_bytes()
    n_head = 8 + int.from_bytes(data[:8], "little")
    arrays = json.loads(data[8:n_head])
    at = n_head + arrays["column"]["data_offsets"][0]
    changed = {
        "risk": data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :],
        "cut": data[:100],
        "newer": data.replace(b'"format":"1"', b'"format":"3"'),
    }
    for name, altered in changed.items():
        (tmp_path / f"{name}.tw").write_bytes(altered)
    words = {
        "risk": f"damaged, or no model file: the array 'column' (byte {at:,})",
        "cut": f"damaged, or no model file: its header ends at byte {n_head:,}",
    }
    for name, said in words.items():
        done = run(f"show {name}.tw", here=tmp_path)
        assert (done.code, done.out) == (1, "")
        block = " ".join(done.err.split())
        assert block.startswith(f"error: {name}.tw is {said}")
        assert block.endswith("Hint: copy it again, or fit and save the model anew")
        document = run(f"show {name}.tw --json", here=tmp_path).document
        assert document["error"]["code"] == "model-damaged"
    done = run("show newer.tw", here=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        f"error: newer.tw has format 3; this treewright {treewright.__version__} reads up to 1\n"
        "  Hint: pip install --upgrade treewright\n"
    )
    document = run("show newer.tw --json", here=tmp_path).document
    assert document["error"]["code"] == "model-newer"


@pytest.mark.parametrize(
    ("line", "block"),
    [
        ("fit loans.csv --traget outcome", "error: fit has no option --traget\n  Hint: --target\n"),
        (
            "fit loans.csv -a c45 --set confidense=0.1",
            "error: c45 has no parameter 'confidense'\n  Hint: --set confidence=0.25\n",
        ),
        (
            "fit loans.csv --algorithm randomforest",
            "error: no algorithm 'randomforest'\n"
            "  Hint: --algorithm forest; treewright help algorithms lists all\n",
        ),
    ],
)
def test_usage_is_refused_with_exit_2(line: str, block: str, loans: Path) -> None:
    done = run(line, here=loans)
    assert (done.code, done.out) == (2, "")
    assert done.err == block  # and no note: nothing was read
    document = run(f"{line} --json", here=loans).document
    assert document["ok"] is False
    assert document["error"]["exit"] == 2


def test_a_target_of_one_value_is_refused(tmp_path: Path) -> None:
    rows = "\n".join(f"{i % 7},repaid" for i in range(20))
    (tmp_path / "loans.csv").write_text(f"x,outcome\n{rows}\n")
    done = run("fit loans.csv", here=tmp_path)
    assert done.code == 1
    assert told(done) == (
        "error: the target 'outcome' has one value in all 20 rows: repaid\n"
        "  Hint: --target with another column; treewright info loans.csv lists them\n"
    )


def test_texts_that_all_differ_are_no_target(tmp_path: Path) -> None:
    rows = "\n".join(f"{i % 7},name{i}" for i in range(20))
    (tmp_path / "people.csv").write_text(f"x,name\n{rows}\n")
    done = run("fit people.csv", here=tmp_path)
    assert done.code == 1
    assert told(done).startswith("error: 'name', the last column, is no target: all 20 texts")


def test_ctrl_c_says_that_nothing_was_saved(loans: Path) -> None:
    with mock.patch("treewright.cli.commands.fit.fit_and_judge", side_effect=KeyboardInterrupt):
        done = run("fit loans.csv", here=loans)
    assert (done.code, done.out) == (130, "")
    assert done.err.endswith("\nstopped. Nothing saved; loans.tw is as it was.\n")
    assert not (loans / "loans.tw").exists()


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Ctrl-C as the fifth C4.5 tree is grown."""
    real, count = treewright.C45Classifier.fit, iter(range(1, 1000))

    def fit(self: Any, *given: Any, **named: Any) -> Any:
        if next(count) == 5:
            raise KeyboardInterrupt
        return real(self, *given, **named)

    with mock.patch.object(treewright.C45Classifier, "fit", fit):
        yield


@pytest.mark.usefixtures("interrupted")
def test_ctrl_c_in_evaluate_prints_the_finished_folds(loans: Path) -> None:
    done = run("evaluate loans.csv -a c45 --width 80", here=loans)
    assert done.code == 130
    assert done.out.splitlines()[:4] == [
        "loans.csv: 2,000 rows, 3 classes; c45, 10-fold cross-validation",
        "stopped after 4 of 10 folds",
        "",
        "error               11.9 %   9.8 to 14.3 % (95 %)",
    ]
    assert done.err.endswith("\nstopped.\n")


@pytest.mark.usefixtures("interrupted")
def test_ctrl_c_in_compare_prints_the_finished_folds(loans: Path) -> None:
    done = run("compare loans.csv cart c45 --width 80", here=loans)
    assert done.code == 130
    assert re.match(r".*\nstopped after \d of 10 folds\n\nlearner ", done.out)
    assert done.err.endswith("\nstopped.\n")


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize("command", ["evaluate", "tune"])
def test_ctrl_c_gives_scripts_one_document(command: str, loans: Path) -> None:
    done = run(f"{command} loans.csv -a c45 --json", here=loans)
    assert (done.code, done.err) == (130, "")
    assert done.document["error"]["code"] == "stopped"
    assert done.document["result"]  # what there is
    assert not (loans / "loans.tw").exists()


def test_no_space_is_told_before_the_fit(loans: Path) -> None:
    full = shutil.disk_usage(loans)._replace(free=1000)
    with mock.patch("treewright.cli.out_files.shutil.disk_usage", return_value=full):
        done = run("fit loans.csv", here=loans)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: no space left for loans.tw (0.0 MB free)\n  Hint: --out on another disk\n"
    )


def test_a_disk_that_fills_up_is_told_in_words(loans: Path) -> None:
    assert run("fit loans.csv --no-check -q", here=loans).code == 0
    before = (loans / "loans.tw").read_bytes()
    error = OSError(errno.ENOSPC, "No space left on device")
    with mock.patch("treewright.state.atomic.os.fsync", side_effect=error):
        done = run("fit loans.csv --no-check", here=loans)
    assert (done.code, done.out) == (1, "")
    assert re.fullmatch(
        r"error: no space left for loans\.tw \([\d,.]+ [GM]B free\); the old loans\.tw is"
        r" untouched Hint: --out on another disk",
        " ".join(told(done).split()),
    )
    assert (loans / "loans.tw").read_bytes() == before
    assert sorted(file.name for file in loans.iterdir()) == ["loans.csv", "loans.tw"]


@pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")
def test_no_permission_is_told_before_the_fit(loans: Path) -> None:
    (loans / "models").mkdir()
    with mock.patch("treewright.cli.out_files.os.access", return_value=False):
        done = run("fit loans.csv --out models/loans.tw", here=loans)
    assert (done.code, done.out) == (1, "")
    assert done.err == (  # and no note: nothing was read
        f"error: may not write in 'models' (owned by {(loans / 'models').owner()})\n"
        "  Hint: --out somewhere else\n"
    )


def test_an_empty_pipe_is_told(tmp_path: Path) -> None:
    done = run("fit - --out x.tw", stdin="", here=tmp_path)
    assert (done.code, told(done)) == (
        1,
        "error: nothing came on stdin\n"
        "  The command before the pipe printed no rows; its own message is above.\n",
    )


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of addresses, as Linux tells it")
def test_a_table_larger_than_memory_is_refused(loans: Path) -> None:
    """In a process that may have 50 MB more, ``ulimit -v``."""
    (loans / "big.csv").write_text((loans / "loans.csv").read_text() * 60)
    limited = """
        import resource, sys
        from pathlib import Path
        import sklearn.ensemble  # whose libraries reserve more than that when they begin
        from treewright.cli.main import main
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 50_000_000,) * 2)
        sys.exit(main(["fit", "big.csv"]))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(limited)], cwd=loans, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        r"error: big\.csv needs about \d+ MB to fit \(120,037 rows x 16 columns\);"
        r" \d\d(\.\d)? MB are free Hint: fewer rows: head -n [1-9]0{4} of the file;"
        r" fewer columns: cut, or a Parquet file",
        " ".join(done.stderr.split()),
    ), done.stderr


def test_a_wrong_delimiter_is_told_with_the_right_one(loans: Path) -> None:
    done = run("fit loans.csv --delimiter ,", here=loans)
    assert done.code == 1
    assert done.err == (
        "error: loans.csv has one column, 'customer;age;educ…', and ';' 15 times in every\n"
        "  line\n"
        "  Hint: --delimiter ';'\n"
    )


def test_other_files_are_not_replaced(loans: Path) -> None:
    (loans / "notes.tw").write_text("mine")
    done = run("fit loans.csv --out notes.tw", here=loans)
    assert done.code == 1
    assert told(done) == (
        "error: notes.tw exists, and treewright did not write it\n"
        "  Hint: --out with another name, or --force\n"
    )
    assert (loans / "notes.tw").read_text() == "mine"
    assert run("fit loans.csv --out notes.tw --force --no-check -q", here=loans).code == 0
    again = run("fit loans.csv --out notes.tw --no-check", here=loans)
    assert again.err.splitlines()[-1].startswith("replaced notes.tw")
    # The input is never replaced, whatever is said.
    refused = run("fit loans.csv --out loans.csv --force", here=loans)
    assert told(refused).startswith("error: loans.csv is the input; it is never replaced")


def test_a_fault_of_ours_has_its_traceback_and_exit_70(grown: Path) -> None:
    with mock.patch("treewright.persist.tree_alone.load_tree", side_effect=ZeroDivisionError("oh")):
        done = run("show tennis.tw", here=grown)
    assert done.code == 70
    assert "Traceback" in done.err
    assert "a fault of treewright itself: ZeroDivisionError: oh" in done.err


def test_debug_shows_the_traceback_of_any_error(grown: Path) -> None:
    assert "Traceback" not in run("show no.tw", here=grown).err
    assert "Traceback" in run("show no.tw --debug", here=grown).err


def test_strict_makes_warnings_failed_checks(tmp_path: Path) -> None:
    rows = "\n".join(f"{i % 3},{i % 5},{'ab'[i % 2]}" for i in range(6))
    (tmp_path / "few.csv").write_text(f"x,z,y\n{rows}\n")
    plain = run("fit few.csv --no-check", here=tmp_path)
    strict = run("fit few.csv --no-check --strict", here=tmp_path)
    if "warning:" in plain.err:
        assert (plain.code, strict.code) == (0, 3)
        assert "check failed: warning:" in strict.err
    else:
        assert strict.code == 0


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\nb", "\u202eevil", "*/", "<script>", "é😀"])
def test_hostile_names_are_escaped_on_the_screen(name: str, tmp_path: Path) -> None:
    rows = [{name: i % 4, "y": "ab"[i % 2]} for i in range(40)]
    text = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "t.jsonl").write_text(text + "\n", encoding="utf-8")
    done = run("fit t.jsonl --no-check", here=tmp_path)
    assert done.code == 0, done.err
    for line in ("show t.tw", "why t.tw", "rules t.tw", "info t.tw", "info t.jsonl"):
        shown = run(line, here=tmp_path)
        assert shown.code == 0, shown.err
        assert all(each.isprintable() for each in shown.both.splitlines()), shown.both


def test_models_and_tables_are_told_apart(grown: Path) -> None:
    done = run("fit tennis.tw", here=grown)
    assert (done.code, told(done).splitlines()[0]) == (
        1,
        "error: tennis.tw is a model, not a table",
    )
    for command in ("show", "rules", "why"):
        done = run(f"{command} loans.csv", here=grown)
        assert (done.code, told(done)) == (
            1,
            "error: loans.csv is no model\n  Hint: treewright fit loans.csv makes one of a table\n",
        )


def test_a_picture_of_another_kind_is_refused_with_exit_2(grown: Path) -> None:
    done = run("show loans.tw --out tree.gif", here=grown)
    assert done.code == 2
    assert "tree.gif ends in none of .svg, .html, .png, .pdf" in done.err
    assert "Hint: --out tree.svg" in done.err


def test_what_is_told_of_a_messy_column_is_told_once_and_for_a_shell(tmp_path: Path) -> None:
    shares = ["10%", "-", "12%", "7%", "n/a", "8%", "9%", "3%", "10%", "2%"]
    rows = [f"{i};{share};{'yn'[i % 2]}" for i, share in enumerate(shares, 5)]
    (tmp_path / "shop.csv").write_text("\n".join(["size;paid;bought", *rows]), encoding="utf-8")
    seen = run("info shop.csv --width 80", here=tmp_path).out
    assert "'paid' is read as names" in seen
    assert "\\n" not in seen
    assert "missing=[" not in seen
    told = run("fit shop.csv", here=tmp_path).err
    assert told.count("'paid' looks like an identifier") <= 1
