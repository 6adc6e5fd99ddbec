"""Arrays and Python objects to typed columns."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from treewright.data.objects import is_missing, read_objects
from treewright.data.read.arrays import read_array
from treewright.errors import DataError


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_native_numbers_are_not_copied(dtype: type) -> None:
    strided = np.zeros((6, 4), dtype=dtype)[::-2, 1]
    assert read_array(strided, "x").data is strided


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("f2", "f4"), (">f4", "f4"), (">f8", "f8"), ("g", "f8"), ("i1", "i8"), (">i4", "i8")],
)
def test_other_numbers_are_widened(dtype: str, expected: str) -> None:
    column = read_array(np.array([3, -1, 2], dtype=dtype), "x")
    assert column.data.dtype == np.dtype(expected)
    assert column.data.tolist() == [3, -1, 2]


def test_an_unaligned_array_is_copied() -> None:
    raw = np.zeros(8 * 3 + 1, dtype=np.uint8)
    unaligned = raw[1:].view(np.float64)
    assert read_array(unaligned, "x").data.flags.aligned


def test_the_largest_unsigned_integers_keep_their_order_and_value() -> None:
    values = [2**64 - 1, 0, 2**63, 2**63 - 1]
    column = read_array(np.array(values, dtype=np.uint64), "x")
    assert column.storage == "uint"
    assert np.argsort(column.data).tolist() == sorted(range(4), key=values.__getitem__)
    assert column.to_numpy().tolist() == values
    assert read_array(np.array([1], dtype=np.uint64), "x").storage == "int"


def test_booleans_are_nominal_with_both_values() -> None:
    column = read_array(np.array([True, True]), "x")
    assert (column.values, column.data.tolist()) == ((False, True), [1, 1])


def test_masked_entries_are_missing() -> None:
    mask = [False, True, False]
    whole = read_array(np.ma.MaskedArray([1, 2, 3], mask=mask), "x")
    assert whole.missing.tolist() == mask
    text = read_array(np.ma.MaskedArray(np.array(["a", {}, "b"], object), mask=mask), "x")
    assert text.to_numpy().tolist() == ["a", None, "b"]
    floats = read_array(np.ma.MaskedArray([1.0, 2.0, 3.0], mask=mask), "x")
    assert np.isnan(floats.data).tolist() == mask


@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
def test_dates_of_any_unit_are_nanoseconds(unit: str) -> None:
    column = read_array(np.array(["2024-03-01", "NaT"], dtype=f"M8[{unit}]"), "day")
    assert (column.storage, column.unit) == ("datetime", "ns")
    assert column.missing.tolist() == [False, True]
    assert column.to_numpy()[0] == np.datetime64("2024-03-01")


def test_far_dates_are_microseconds() -> None:
    column = read_array(np.array(["0001-01-01", "9999-12-31"], dtype="M8[D]"), "day")
    assert column.unit == "us"
    assert column.to_numpy().astype(str).tolist()[1].startswith("9999-12-31")
    assert read_array(np.array([-(2**62)], dtype="M8[us]"), "day").unit == "us"
    with pytest.raises(DataError, match=r"column 'day' holds .* too far away"):
        read_array(np.array([10**15], dtype="M8[D]"), "day")


def test_durations_are_read_but_months_have_no_length() -> None:
    column = read_array(np.array([90, -1], dtype="m8[m]"), "wait")
    assert (column.storage, column.data.tolist()) == ("duration", [5400 * 10**9, -60 * 10**9])
    with pytest.raises(DataError, match="column 'wait' holds durations in months"):
        read_array(np.array([1], dtype="m8[M]"), "wait")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1j]), r"Complex data not supported\n[\s\S]*column 'x' has type complex128"),
        (np.array([b"a"]), r"column 'x' holds bytes \(type \|S1\)[\s\S]*decode"),
        (np.zeros(1, dtype=[("a", int)]), r"column 'x' is a structured array with the fields a"),
    ],
)
def test_types_that_hold_no_values_are_refused(array: np.ndarray, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_array(array, "x")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((gap, True) for gap in (None, np.nan, pd.NA, pd.NaT, np.datetime64("NaT", "D"))),
        *((value, False) for value in ("", "nan", 0, np.float32(1), False)),
        (Decimal("NaN"), True),
    ],
)
def test_what_means_missing(value: object, expected: bool) -> None:
    assert is_missing(value) is expected


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_objects_with_gaps_keep_their_type(gap: object) -> None:
    text = read_objects(["b", gap, "a"], "x")
    assert (text.values, text.data.tolist()) == (("a", "b"), [1, -1, 0])
    whole = read_objects([2**60 + 1, gap, 5], "x")
    assert (whole.storage, whole.data.tolist()[0]) == ("int", 2**60 + 1)
    assert whole.missing.tolist() == [False, True, False]
    flags = read_objects([True, gap, np.False_], "x")
    assert (flags.values, flags.data.tolist()) == ((False, True), [1, -1, 0])
    numbers = read_objects([1, gap, 2.5, Decimal("0.5"), Fraction(1, 4)], "x")
    np.testing.assert_array_equal(numbers.data, [1, np.nan, 2.5, 0.5, 0.25])


def test_only_gaps_is_a_blank_column() -> None:
    for values in ([None, None], [np.nan, None], [pd.NA, pd.NaT]):
        column = read_objects(values, "x")
        assert (column.storage, column.values) == ("value", ())
        assert column.missing.all()


def test_integers_beyond_64_bits_become_floats() -> None:
    assert read_objects([2**64 - 1, 0], "x").storage == "uint"
    np.testing.assert_array_equal(read_objects([2**70, -1, 10**400], "x").data, [2**70, -1, np.inf])


def test_dates_of_every_python_kind() -> None:
    column = read_objects([date(2024, 3, 1), None, datetime(2024, 3, 1, 12)], "day")
    assert column.to_numpy().astype("M8[s]").astype(str).tolist() == [
        "2024-03-01T00:00:00",
        "NaT",
        "2024-03-01T12:00:00",
    ]
    exact = pd.Timestamp("2024-03-01 00:00:00.000000001")
    assert read_objects([exact], "day").to_numpy()[0] == np.datetime64(exact.value, "ns")


def test_dates_with_a_time_zone_are_instants() -> None:
    berlin = timezone(timedelta(hours=1))
    column = read_objects([datetime(2024, 3, 1, 12, tzinfo=berlin), pd.NaT], "day")
    assert column.time_zone == "UTC+01:00"
    assert column.to_numpy()[0] == np.datetime64("2024-03-01T11:00")
    assert column.missing.tolist() == [False, True]


def test_dates_with_and_without_a_time_zone_do_not_mix() -> None:
    with pytest.raises(DataError) as caught:
        read_objects([None, datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2)], "day")
    assert str(caught.value) == (
        "column 'day' mixes dates with and without a time zone: row 1 holds"
        " '2024-01-01 00:00:00+00:00', row 2 holds '2024-01-02 00:00:00'.\n"
        "  Hint: give every date a time zone, or none."
    )


def test_durations_of_every_kind() -> None:
    column = read_objects([timedelta(hours=1), pd.Timedelta(1, "ns"), None], "wait")
    assert column.storage == "duration"
    assert column.data.tolist()[:2] == [3600 * 10**9, 1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", None, 5], r"column 'x' mixes text and numbers: row 0 holds 'a', row 2 holds 5\."),
        ([True, 2], r"column 'x' mixes true/false and numbers: row 0 holds True, row 1 holds 2\."),
        ([date(2024, 1, 1), 3.5], r"column 'x' mixes dates and numbers"),
        (["a", [1]], r"column 'x', row 1 holds a list: \[1\]\.\n  Hint: make one column of each"),
        ([{"k": 1}], r"column 'x', row 0 holds a dict: .*\n  Hint: make one column of each key"),
        ([1.0, 2j], r"Complex data not supported\n  column 'x', row 1 holds 2j"),
        ([None, b"a"], r"column 'x', row 1 holds a bytes: b'a'\.\n  Hint: decode"),
        ([time(1, 2)], r"column 'x', row 0 holds a time: .*\n  Hint: use the hour"),
        ([object], r"column 'x', row 0 holds a type"),
    ],
)
def test_what_is_no_value_names_column_and_row(values: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_objects(values, "x")


def test_a_column_goes_back_to_numpy_as_it_came() -> None:
    assert read_objects([1, None], "x").to_numpy().tolist() == [1, None]
    assert read_array(np.array([True, False]), "x").to_numpy().dtype == bool
    assert read_objects([True, None], "x").to_numpy().tolist() == [True, None]
