"""``--python``: the lines run as they are, and do what the command does, byte for byte."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import warnings
from pathlib import Path

import pytest
from unit.cli.typed import run

from treewright.cli.python_lines import Raw, call, statement
from treewright.errors import ReadWarning


def executed(lines: str, folder: Path) -> str:
    """What lines of Python print, run in a folder."""
    out = io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore", ReadWarning)
            exec(compile(lines, "lines", "exec"), {})
    finally:
        os.chdir(before)
    return out.getvalue()


def test_fit_writes_the_same_bytes(loans: Path) -> None:
    told = run("fit loans.csv --folds 3 --python", here=loans)
    assert told.code == 0
    assert not (loans / "loans.tw").exists()  # nothing was run
    assert 'tw.read("loans.csv", target="outcome", ignore=["customer"],' in told.out
    assert 'delimiter=";", decimal=",")' in told.out
    assert "min_samples_leaf=5" in told.out
    assert max(map(len, told.out.splitlines())) <= 80
    assert run("fit loans.csv --folds 3 -q", here=loans).code == 0
    by_command = (loans / "loans.tw").read_bytes()
    (loans / "loans.tw").unlink()
    executed(told.out, loans)
    assert (loans / "loans.tw").read_bytes() == by_command


@pytest.mark.parametrize(
    "line",
    [
        "fit example:play_tennis -a id3 --out x.tw",
        "fit example:play_tennis -a c45 --set confidence=0.5 --no-check --out x.tw",
        "fit example:iris -a forest --set n_estimators=5 --no-check --out x.tw",
        "fit example:iris -a boosting --set n_estimators=5 --no-check --out x.tw",
        "fit example:iris -a adaboost --set n_estimators=5 --no-check --out x.tw",
        "fit example:iris -a c45rules --no-check --out x.tw",
        "fit example:play_tennis -a chaid --no-check --out x.tw",
        "fit example:diabetes -a m5 --holdout 0.3 --out x.tw",
        "fit example:diabetes -a m5 --groups age --folds 3 --out x.tw",
    ],
)
def test_fits_of_examples_write_the_same_bytes(line: str, tmp_path: Path) -> None:
    told = run(f"{line} --python", here=tmp_path)
    assert told.code == 0
    assert run(f"{line} -q", here=tmp_path).code == 0
    by_command = (tmp_path / "x.tw").read_bytes()
    (tmp_path / "x.tw").unlink()
    executed(told.out, tmp_path)
    assert (tmp_path / "x.tw").read_bytes() == by_command


@pytest.mark.parametrize(
    "line",
    [
        "fit loans.csv -t income --no-check --out x.tw",  # of some rows it is not known
        "fit loans.csv --sample 300 --no-check --out x.tw",
        "fit loans.csv --missing - --missing unknown --no-check --out x.tw",
        "fit loans.csv --missing none --kind income=text --no-check --out x.tw",
        "fit loans.csv -a forest --set n_estimators=40 --out x.tw",
        "fit loans.csv --interval 0.9 --no-check --sample 300 --out x.tw",
        "prune loans.tw loans.csv --out x.tw",
        "predict loans.tw loans.csv --proba --only --out x.csv",
        "export loans.tw --out x.py",
        "convert loans.tw x.json",
        "show loans.tw --out x.svg",
    ],
)
def test_what_is_written_of_a_messy_table_is_the_same(
    line: str, grown: Path, tmp_path: Path
) -> None:
    for name in ("loans.csv", "loans.tw"):
        shutil.copy(grown / name, tmp_path)
    made = tmp_path / f"x.{line.rpartition('.')[2]}"
    told = run(f"{line} --python", here=tmp_path)
    assert told.code == 0, told.err
    assert run(f"{line} -q", here=tmp_path).code == 0
    by_command = made.read_bytes()
    made.unlink()
    executed(told.out, tmp_path)
    assert made.read_bytes() == by_command


@pytest.mark.parametrize(
    ("line", "shared"),
    [
        ("show tennis.tw", "Outlook = Overcast"),
        ("show tennis.tw --node 1", "Humidity = High"),
        ("why tennis.tw --node 1 --measures all", "gain ratio"),
        ("rules tennis.tw --class Yes --formula", "(Outlook = Overcast)"),
        ("explain tennis.tw Outlook=Rain Wind=Weak", "Wind = Weak"),
        ("explain loans.tw loans.csv --row 1", "income > 2490.475"),
        ("diff tennis.tw d15.tw --data example:play_tennis", "Outlook = Sunny"),
        ("info tennis.tw", "ID3Classifier"),
        ("info example:iris", "petal length (cm)"),
    ],
)
def test_what_reads_prints_the_same(line: str, shared: str, grown: Path) -> None:
    told = run(f"{line} --python", here=grown)
    assert told.code == 0, told.err
    assert shared in run(line, here=grown).out
    assert shared in executed(told.out, grown)


def test_show_prints_what_the_library_prints(grown: Path) -> None:
    assert executed(run("show tennis.tw --python", here=grown).out, grown) == (
        run("show tennis.tw", here=grown).out
    )


def test_a_line_without_a_comma_in_its_first_80_columns_is_broken_after_a_bracket() -> None:
    inner = call("made", Raw(call("clone", "a model with a long name.tw") + ".set_params(a=1)"))
    line = f"result = outer(inner.{inner}.fit(table.X.select({['column'] * 3}), table.y), more=2)"
    broken = statement(line)
    assert max(map(len, broken.splitlines())) <= 80
    assert compile(broken, "broken", "exec").co_code == compile(line, "line", "exec").co_code
