"""The report on a table as large as the census of 1994 (48,842 rows): how long, how large."""

from __future__ import annotations

import time

import pytest

from treewright import report
from treewright.data.examples.loans import make_loans

MOST_SECONDS, MOST_BYTES = 120, 3_000_000
"""Processor time, of all threads: 60 seconds on two cores."""


@pytest.mark.slow
def test_the_whole_report_takes_a_minute_on_two_cores_and_three_megabytes() -> None:
    X, y = make_loans(48_842)
    began = time.process_time()
    found = report(X, y)
    page = found.html()
    assert time.process_time() - began < MOST_SECONDS
    assert len(page.encode()) < MOST_BYTES
    assert found.findings.n_judged_rows == 48_842
    assert [each.anchor for each in found.sections] == [
        "data",
        "tree",
        "size",
        "rules",
        "quality",
        "rivals",
        "columns",
        "answers",
        "repeat",
    ]
