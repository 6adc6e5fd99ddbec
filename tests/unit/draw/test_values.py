from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright import DecisionTreeClassifier
from treewright.draw.values import cut_text, label_text, number_text


@pytest.mark.parametrize(
    ("cut", "low", "high", "text"),
    [
        (2030.835, 2028.77, 2035.9, "2,031"),
        (2490.475, 2490.18, 2491.56, "2,490.5"),
        (17250.0, 17200.0, 17300.0, "17,250"),
        (3.5, 3.0, 4.0, "3"),
        (-0.004, -0.1, 0.2, "0"),
        (-0.45, -0.5, -0.4, "−0.5"),
        (0.00000123, 0.000001, 0.0000014, "1.2e−6"),
        (17_260_000.0, 17_210_000.0, 17_290_000.0, "1.726e7"),
        (0.1 + 0.2, 0.3, 0.30000000000000009, "0.3"),
    ],
)
def test_cuts_have_as_few_decimals_as_separate_the_rows(
    cut: float, low: float, high: float, text: str
) -> None:
    assert cut_text(cut, low, high) == text


finite = st.floats(-1e12, 1e12)


@given(finite, finite)
def test_every_row_stays_on_its_side_of_the_written_cut(one: float, other: float) -> None:
    low, high = sorted((one, other))
    cut = low + (high - low) / 2
    if not low <= cut < high:
        return
    text = cut_text(cut, low, high)
    written = float(text.replace(",", "").replace("−", "-"))
    exact = number_text(cut) == text  # too close for decimals: six digits
    assert exact or low <= written < high


def test_without_neighbours_six_digits() -> None:
    assert cut_text(1204.514999, -np.inf, np.inf) == "1,204.51"
    assert number_text(0.000001234567) == "1.23457e−6"


def test_labels() -> None:
    assert label_text(False) == "no"
    assert label_text(("a", 2.0)) == "a, 2"
    assert label_text("") == "(empty)"


def test_dates_have_the_time_of_day_only_where_it_decides() -> None:
    days = np.array(["2019-03-20", "2019-03-21", "2019-03-24", "2019-03-25"], "M8[ns]")
    tree = DecisionTreeClassifier().fit({"day": days}, ["a", "a", "b", "b"]).tree_
    assert "≤ 22 Mar 2019" in tree.draw().svg()
    hours = np.array(["2019-03-20T08", "2019-03-20T09", "2019-03-20T17", "2019-03-20T18"], "M8[ns]")
    tree = DecisionTreeClassifier().fit({"day": hours}, ["a", "a", "b", "b"]).tree_
    assert "≤ 20 Mar 2019 13:00" in tree.draw().svg()
