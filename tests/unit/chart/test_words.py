"""Numbers and names as they stand in pictures."""

import pytest

from treewright.chart.words import clean, count, numbers, percent, tick_labels


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.004, "<1 %"),
        (0.996, ">99 %"),
        (0.5049, "50 %"),
        (-0.2, "−20 %"),
        (1.25, "125 %"),
        (float("nan"), "nan"),
    ],
)
def test_percentages_are_never_rounded_to_all_or_nothing(share: float, text: str) -> None:
    assert percent(share).replace("\u202f", " ") == text


def test_counts() -> None:
    assert [count(value) for value in (0, 999, 1000, 12.25, -1500)] == [
        "0",
        "999",
        "1,000",
        "12.2",
        "−1,500",
    ]
    assert count(1_234_567) == "1.2 M"
    assert count(1_234_567, exact=True) == "1,234,567"


def test_differences_are_signed() -> None:
    assert numbers([0.91, -0.45, 0.0], "signed") == ["+0.91", "−0.45", "0.00"]


def test_ticks_have_no_more_decimals_than_they_need() -> None:
    assert tick_labels([0.0, 0.05, 0.1]) == ["0", "0.05", "0.10"]
    assert tick_labels([0.0, 0.5, 1.0], "percent") == ["0\u202f%", "50\u202f%", "100\u202f%"]
    assert tick_labels([10_000.0, 20_000.0]) == ["10,000", "20,000"]
    assert tick_labels([1e12, 2e12]) == ["1e+12", "2e+12"]
    assert tick_labels([-0.2, 0.0, 0.2], "signed") == ["−0.2", "0", "+0.2"]


def test_what_cannot_be_printed_is_replaced() -> None:
    assert clean("a\nb\tc") == "a b c"
    assert clean("\u202eabc\u2066\x07\ud800") == "\ufffdabc\ufffd\ufffd\ufffd"
    assert clean("") == "(empty)"
    assert clean("naïve café 漢字 שלום") == "naïve café 漢字 שלום"
