"""The page about the report prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from unit.test_pages import PYTHON, printed

PAGE = (Path(__file__).parents[3] / "docs" / "report.md").read_text(encoding="utf-8")


def test_the_example_prints_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = PYTHON.findall(PAGE)
    assert len(found) == PAGE.count("```python") == 1
    code, output = found[0]
    assert printed(code) == output
    assert (tmp_path / "loans-report.html").stat().st_size > 100_000


def test_the_page_names_every_section_in_order() -> None:
    from unit.reporting.tables import loans_report

    lines = re.findall(r"^\| \d \| (.*?) \|", PAGE, re.M)
    without_rivals = [each for each in lines if each != "Other learners"]
    assert without_rivals == [each.name for each in loans_report().sections]
