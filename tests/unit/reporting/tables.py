"""Tables and reports that several tests look at."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from treewright import load_example, report
from treewright.reporting.report import Report

HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"quotes' & <b>",
    "\u0645\u0631\u202eabc",
    "x" * 10_000,
    "a\nb\tc",
    'style="x" onload="y"',
)
"""Names that would break a page that trusted them."""


@cache
def loans_report() -> Report:
    """The report on the loans, without rivals."""
    return report(load_example("loans"), rivals=[])


@cache
def numbers_report() -> Report:
    """The report on a target of numbers."""
    diabetes = load_example("diabetes")
    return report(diabetes, rivals=[])


def hostile_table() -> tuple[dict[str, Any], Any]:
    """A table whose names and values are hostile, and its classes."""
    random = np.random.default_rng(0)
    X: dict[str, Any] = {name: random.normal(size=120) for name in HOSTILE[:5]}
    values = np.array(["<img src=x onerror=alert(1)>", '"q"', "\u202ertl", "z" * 5_000])
    X[HOSTILE[5]] = values[random.integers(0, 4, 120)]
    classes = np.array(["</script>", '"late" & <b>', "\u0642" * 300 + "\u202e"])
    return X, classes[(X[HOSTILE[1]] > 0).astype(int) + (X[HOSTILE[3]] > 1)]


@cache
def hostile_report() -> Report:
    """The report on it."""
    X, y = hostile_table()
    return report(X, y, target='t"><script>', name='</title>"tab' * 30, rivals=[])
