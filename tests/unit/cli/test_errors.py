"""Every error a person may meet: what is wrong, what was found, what to type, and the exit code."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from unittest import mock

import pytest
from unit.cli.typed import Done, run


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
    assert done.code == 1
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
        "  Hint: save the sheet as CSV.\n"
    )


def test_a_missing_file_is_told_with_one_nearly_so_called(loans: Path) -> None:
    done = run("fit laons.csv", here=loans)
    assert (done.code, done.err) == (1, "error: no file 'laons.csv' here\n  Hint: loans.csv\n")


def test_stray_text_among_numbers_stops_the_fit(loans: Path) -> None:
    text = (loans / "loans.csv").read_text().replace("5444,54", "54O0")
    (loans / "loans.csv").write_text(text)
    done = run("fit loans.csv", here=loans)
    assert done.code == 1
    assert told(done).startswith("error: column 'income': 1,809 of 1,841 values are numbers, but")
    assert "line 2" in done.err
    assert "'54O0'" in done.err
    assert "Hint: mend it; or --missing 54O0; or --kind income=text" in done.err
    assert run("fit loans.csv --missing 54O0 --no-check -q", here=loans).code == 0


def test_a_damaged_and_a_newer_model_are_told_apart(grown: Path, tmp_path: Path) -> None:
    data = bytearray((grown / "tennis.tw").read_bytes())
    data[len(data) // 2] ^= 255
    (tmp_path / "risk.tw").write_bytes(bytes(data))
    done = run("show risk.tw", here=tmp_path)
    assert done.code == 1
    assert told(done).startswith("error: risk.tw")
    assert "damaged" in done.err
    assert run("show risk.tw --json", here=tmp_path).document["error"]["code"] == "model-damaged"
    (tmp_path / "cut.tw").write_bytes(bytes(data[:100]))
    assert run("show cut.tw", here=tmp_path).code == 1


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
    assert done.code == 2
    assert told(done) == block


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
    assert done.code == 130
    assert done.err.endswith("stopped. Nothing saved; loans.tw is as it was.\n")


def test_no_space_is_told_before_the_fit(loans: Path) -> None:
    full = shutil.disk_usage(loans)._replace(free=1000)
    with mock.patch("treewright.cli.out_files.shutil.disk_usage", return_value=full):
        done = run("fit loans.csv", here=loans)
    assert done.code == 1
    assert told(done).startswith("error: no space left for loans.tw")
    assert "Hint: --out on another disk" in done.err


def test_a_disk_that_fills_up_is_told_in_words(loans: Path) -> None:
    error = OSError(errno.ENOSPC, "No space left on device")
    with mock.patch("treewright.save", side_effect=error):
        done = run("fit loans.csv --no-check", here=loans)
    assert done.code == 1
    assert "no space left on the disk" in done.err
    assert "Traceback" not in done.err


@pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")
def test_no_permission_is_told_before_the_fit(loans: Path) -> None:
    (loans / "models").mkdir()
    with mock.patch("treewright.cli.out_files.os.access", return_value=False):
        done = run("fit loans.csv --out models/loans.tw", here=loans)
    assert done.code == 1
    assert told(done).startswith("error: may not write in 'models'")
    assert "Hint: --out somewhere else" in done.err
    assert "note:" not in done.err  # nothing was read


def test_an_empty_pipe_is_told(tmp_path: Path) -> None:
    done = run("fit - --out x.tw", stdin="", here=tmp_path)
    assert (done.code, told(done)) == (
        1,
        "error: nothing came on stdin\n"
        "  The command before the pipe printed no rows; its own message is above.\n",
    )


def test_a_table_larger_than_memory_is_refused(loans: Path) -> None:
    big = (loans / "loans.csv").read_text() * 10
    (loans / "big.csv").write_text(big)
    with mock.patch("treewright.memory.available_memory", return_value=1_000_000):
        done = run("fit big.csv", here=loans)
    assert done.code == 1
    assert told(done).startswith("error: big.csv needs about 0 GB to fit (")
    assert "x 16" in done.err


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
