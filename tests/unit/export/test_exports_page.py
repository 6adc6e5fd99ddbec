"""The page of the exports does what it says."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from treewright import export

PAGE = Path(__file__).parents[3] / "docs" / "exports.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not installed")
def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    made: dict[str, export.Exported] = {}
    exec(program.replace('"risk.c")', '"risk.c", n_rows=500)'), made)
    shown = str(made["made"]).splitlines()
    assert shown[0] in text
    assert (tmp_path / "risk.c").exists()
    assert export.is_exported(tmp_path / "risk.c")


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not installed")
@pytest.mark.skipif(
    any(shutil.which(each) is None for each in ("bash", "sqlite3", "cc")),
    reason="no bash, sqlite3 and cc here",
)
def test_the_steps_of_the_page_run_in_a_database_and_in_a_program(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    ((script, shown),) = re.findall(r"```sh\n(.*?)```\n\n```\n(.*?)```", text, flags=re.DOTALL)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"\n{shown}")
    with (tmp_path / "loans.csv").open(encoding="utf-8") as file:
        wanted = [row["prediction"] for row in csv.DictReader(file)]
    with (tmp_path / "answers.csv").open(encoding="utf-8") as file:
        assert [row[-1] for row in csv.reader(file)] == wanted


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not installed")
def test_the_page_names_every_target() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in export.TARGETS:
        assert f"`export.{name}`" in text, name
