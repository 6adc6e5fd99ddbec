"""Predict time: columns brought to their fitted form, or refused by name."""

from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.read.table import match_table, read_table
from treewright.errors import DataError, OtherTypeWarning


def matched(fitted_on: object, given: object):
    fitted = read_table({"x": fitted_on}).schema
    table = match_table({"x": given}, fitted, owner="Tree")
    return table.columns[0], table.masks[0]


def test_categories_are_matched_by_value_whatever_their_codes() -> None:
    fitted_on = pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"])
    other_order = pd.Series(pd.Categorical(["hi", "lo", "new"], categories=["new", "hi", "lo"]))
    codes, _ = matched(pd.Series(fitted_on), other_order)
    assert codes.tolist() == [2, 0, -2]
    assert matched(pd.Series(fitted_on), ["mid", None])[0].tolist() == [1, -1]


def test_numbers_widen_from_int_to_float() -> None:
    data, mask = matched([1.5, 2.5], np.array([3, 4], dtype=np.int8))
    assert (data.dtype, data.tolist(), mask) == (np.float64, [3.0, 4.0], None)
    data, _ = matched([1.5, 2.5], [3, None])
    np.testing.assert_array_equal(data, [3.0, np.nan])
    assert matched([1.5], [True])[0].tolist() == [1.0]
    assert matched([1.5], np.array([2**64 - 1], dtype=np.uint64))[0].tolist() == [2.0**64]


def test_a_fraction_is_taken_as_it_is_where_whole_numbers_were_fitted() -> None:
    data, mask = matched([1, 2], [1.5, None, 2])
    np.testing.assert_array_equal(data, [1.5, np.nan, 2.0])
    assert mask is None


@given(
    st.integers(-(2**63), 2**64 - 1) | st.integers(2**53 - 9, 2**53 + 9),
    st.floats(allow_nan=False) | st.integers(-(2**65), 2**65).map(float),
)
def test_integers_in_a_float_column_answer_every_question_as_before(x: int, t: float) -> None:
    # A float and an integer are compared exactly by Python, but not by NumPy.
    kind = np.uint64 if x > 2**63 - 1 else np.int64
    for fitted_on in ([1.5, 2.5], [1, 2]):
        data, mask = matched(fitted_on, np.array([x], dtype=kind))
        assert (data.dtype, mask) == (np.float64, None)
        assert (float(data[0]) <= t) == (x <= t)
        assert x <= int(data[0])


def test_an_integer_that_no_float_equals_goes_to_the_next_float_up() -> None:
    given = [2**53 + 1, -(2**53) - 1, 2**53 + 2, None]
    up = [2.0**53 + 2, -(2.0**53), 2.0**53 + 2, np.nan]
    np.testing.assert_array_equal(matched([1, 2], given)[0], up)
    np.testing.assert_array_equal(matched([1.5], given)[0], up)


@given(
    st.floats(allow_nan=False) | st.integers(-(2**70), 2**70).map(float),
    st.integers(-(2**63), 2**63 - 2),
)
def test_floats_in_an_integer_column_answer_every_question_as_before(x: float, t: int) -> None:
    data, mask = matched([2**53 + 1, 2], np.array([x]))
    assert (data.dtype, mask) == (np.int64, None)
    assert (int(data[0]) <= t) == (x <= t)


@given(
    st.floats(allow_nan=False) | st.integers(-(2**66), 2**66).map(float),
    st.integers(0, 2**64 - 2),
)
def test_floats_in_an_unsigned_column_answer_every_question_as_before(x: float, t: int) -> None:
    data, _ = matched(np.array([2**64 - 1], dtype=np.uint64), np.array([x]))
    assert (int(data[0]) + 2**63 <= t) == (x <= t)


def test_nan_in_an_integer_column_is_missing() -> None:
    _, mask = matched([2**53 + 1, 2], np.array([np.nan, 1.0]))
    assert mask is not None
    assert mask.tolist() == [False, True]
    data, mask = matched([1, 2], np.array([np.nan, 1.0]))
    np.testing.assert_array_equal(data, [np.nan, 1.0])
    assert mask is None


def test_integers_of_the_other_sign_saturate() -> None:
    unsigned = np.array([2**64 - 1, 5], dtype=np.uint64)
    assert matched(unsigned, [-3, 7])[0].tolist() == [-(2**63), 7 - 2**63]
    assert matched([2**53 + 1, 2], unsigned)[0].tolist() == [2**63 - 1, 5]
    assert matched([1, 2], unsigned)[0].tolist() == [2.0**64, 5.0]


def test_a_column_of_gaps_fits_any_kind() -> None:
    gaps = [None, None]
    assert matched(["a", "b"], gaps)[0].tolist() == [-1, -1]
    np.testing.assert_array_equal(matched([1.0], gaps)[0], [np.nan, np.nan])
    np.testing.assert_array_equal(matched([1], gaps)[0], [np.nan, np.nan])
    for fitted_on in ([2**53 + 1], np.array(["2024-01-01"], dtype="M8[D]"), [timedelta(1)]):
        _, mask = matched(fitted_on, gaps)
        assert mask is not None
        assert not mask.any()
    nat = np.array(["NaT"], dtype="M8[ns]")
    assert matched(["a"], nat)[0].tolist() == [-1]
    assert np.isnan(matched([1.0], nat)[0]).all()


def test_dates_come_to_the_fitted_unit() -> None:
    near = np.array(["2024-03-01"], dtype="M8[D]")
    far = np.array(["9999-01-01", "2024-03-01"], dtype="M8[D]")
    data, _ = matched(near, far)
    assert data.tolist() == [2**63 - 1, int(near.astype("M8[ns]").astype(int)[0])]
    fine = np.array(["2024-03-01T00:00:00.000000001"], dtype="M8[ns]")
    data, _ = matched(far, fine)
    assert data.tolist() == [int(near.astype("M8[us]").astype(int)[0]) + 1]


def test_dates_of_another_time_zone_are_the_same_instants() -> None:
    in_utc = pd.Series(pd.to_datetime(["2024-03-01 12:00"]).tz_localize("UTC"))
    fitted = read_table({"x": in_utc}).schema
    assert fitted.columns[0].time_zone == "UTC"
    berlin = match_table({"x": in_utc.dt.tz_convert("Europe/Berlin")}, fitted, owner="Tree")
    assert (
        berlin.columns[0].tolist()
        == match_table({"x": in_utc}, fitted, owner="Tree").columns[0].tolist()
    )


def test_dates_with_and_without_a_time_zone_do_not_match() -> None:
    naive = pd.Series(pd.to_datetime(["2024-03-01"]))
    with pytest.raises(DataError) as caught:
        matched(naive, naive.dt.tz_localize("Europe/Berlin"))
    assert str(caught.value) == (
        "column 'x' was fitted on dates without a time zone, but is given dates with a time zone"
        " (Europe/Berlin).\n"
        "  Hint: attach a time zone to the dates, or remove it, as it was in fit."
    )
    with pytest.raises(DataError, match=r"fitted on dates with a time zone \(UTC\), but is given"):
        matched(naive.dt.tz_localize("UTC"), naive)


@pytest.mark.parametrize(
    ("fitted_on", "given", "message"),
    [
        ([1.5], ["2", "a"], r"column 'x' was fitted on numbers, but row 0 holds the text '2'"),
        ([1], [None, "a"], r"column 'x' was fitted on numbers, but row 1 holds the text 'a'"),
        ([1.5], np.array(["2024-01-01"], "M8[D]"), r"fitted on numbers, but row 0 holds '2024"),
        (["a"], [True], r"column 'x' was fitted on text, but row 0 holds True.\n  Fitted on: 'a'"),
        ([True], ["yes"], r"column 'x' was fitted on values that are not text, but row 0 holds"),
        (["a"], np.array([1], "m8[D]"), r"column 'x' was fitted on text, but row 0 holds"),
        (np.array(["2024-01-01"], "M8[D]"), ["2024-01-01"], r"was fitted on dates, but row 0"),
        (np.array(["2024-01-01"], "M8[D]"), [3.5], r"was fitted on dates, but row 0 holds '3.5'"),
        ([timedelta(1)], np.array(["2024-01-01"], "M8[D]"), r"was fitted on durations, but row 0"),
    ],
)
def test_another_type_than_fitted_is_refused_by_name(
    fitted_on: object, given: object, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        matched(fitted_on, given)


def test_numbers_where_text_was_fitted_are_unknown_with_a_warning() -> None:
    with pytest.warns(OtherTypeWarning) as caught:
        codes = matched(["a", "b"], [None, 5])[0].tolist()
    assert codes == [-1, -2]
    assert str(caught[0].message) == (
        "column 'x' was fitted on text, but row 1 holds '5', one of whole numbers; numbers count"
        " as categories that are not known.\n  Hint: convert it to text as it was in fit."
    )


def test_booleans_match_the_numbers_they_equal() -> None:
    assert matched([True, False], np.array([0, 1, 2]))[0].tolist() == [0, 1, -2]
    assert matched([True, False], [False, None])[0].tolist() == [0, -1]


def test_ordinals_are_matched_by_value() -> None:
    ordered = pd.Series(pd.Categorical(["lo", "hi"], categories=["lo", "hi"], ordered=True))
    fitted = read_table({"x": ordered}).schema
    assert fitted.columns[0].kind == "ordinal"
    table = match_table({"x": ["hi", "lo", "mid"]}, fitted, owner="Tree")
    assert table.columns[0].tolist() == [1, 0, -2]
