"""Warnings of the library on the command line: what to type, and no Python."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from unit.cli.typed import run

import treewright as tw
from treewright.cli.failure import failure_of

PYTHON = re.compile(r"Schema|fit\(|X\.|\bpd\.|\by\.|=[\['{]")


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four visits of each of 60 patients, a copy of the target, dates, and differing codes."""
    folder = tmp_path_factory.mktemp("visits")
    random = np.random.default_rng(1)
    rows = ["patient,x,z,day,code,kind,copy"]
    for visit in range(240):
        patient, kind = visit // 4, "ab"[visit // 4 % 2]
        numbers = f"{random.random():.3f},{random.random():.2f}"
        rows.append(f"p{patient},{numbers},2024-03-{1 + visit % 28:02},k{visit}z,{kind},{kind}")
    (folder / "visits.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("line", "code", "remedy", "column"),
    [
        ("--ignore copy", "groups", "--groups patient", None),
        ("", "leak", "--ignore copy", "copy"),
        ("--use code --ignore copy", "identifier", "--ignore code", "code"),
        ("--kind day=text --ignore copy", "other-type", "--kind day=date", "day"),
        (
            "-a boosting --set min_samples_leaf=200 --ignore copy",
            "no-split",
            "smaller limits",
            None,
        ),
    ],
)
def test_a_warning_says_the_option(
    visits: Path, line: str, code: str, remedy: str, column: str | None
) -> None:
    done = run(f"fit visits.csv -t kind --no-check {line} --json --out x.tw", here=visits)
    assert done.code == 0
    warned = {note["code"]: note for note in done.document["notes"] if note["kind"] == "warning"}
    assert warned[code]["remedy"].startswith(remedy)
    assert column is None or warned[code]["column"] == column
    for note in warned.values():
        assert not PYTHON.search(f"{note['message']} {note['remedy']}"), note
    shown = run(f"fit visits.csv -t kind --no-check {line} --width 80 --out x.tw", here=visits).err
    assert "warning: " in shown
    assert not PYTHON.search(shown), shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_hint_of_a_parameter_is_an_option() -> None:
    error = tw.errors.UnsupportedError("criterion 'x' cannot.\n  Hint: nominal='one_vs_rest' can.")
    failure = failure_of(error)
    assert failure is not None
    assert failure.text() == "error: criterion 'x' cannot\n  Hint: --set nominal=one_vs_rest can"


def test_a_model_without_names_says_what_the_columns_must_be_called(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    tw.save(tw.DecisionTreeClassifier(max_depth=2).fit(X, X[:, 0] > 0), tmp_path / "bare.tw")
    rows = [f"{a},{b},{a > 0}" for a, b in X[:5].tolist()]
    for name, head in (("named", "a,b,y"), ("numbered", "x0,x1,y")):
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    done = run("predict bare.tw named.csv", here=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: the model was fitted to columns without names: no column 'x0'\n"
        "  Given: a, b, y\n"
        "  Hint: name the columns x0, x1, in the order of the fit\n"
    )
    for line in ("predict bare.tw numbered.csv", "explain bare.tw numbered.csv --row 1"):
        done = run(line, here=tmp_path)
        assert (done.code, done.err) == (0, ""), line
    assert run("evaluate bare.tw numbered.csv", here=tmp_path).err == ""
