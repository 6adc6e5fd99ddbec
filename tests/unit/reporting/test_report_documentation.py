"""The page about the report names what a report has (that its example runs: unit/test_pages.py)."""

from __future__ import annotations

import re
from pathlib import Path

from unit.reporting.tables import loans_report

PAGE = (Path(__file__).parents[3] / "docs" / "report.md").read_text(encoding="utf-8")


def test_the_page_names_every_section_in_order() -> None:
    lines = re.findall(r"^\| \d \| (.*?) \|", PAGE, re.M)
    without_rivals = [each for each in lines if each != "Other learners"]
    assert without_rivals == [each.name for each in loans_report().sections]
