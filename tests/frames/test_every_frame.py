"""One behaviour, every dataframe library: the same table whatever it comes in."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.data.read.table import match_table, read_table
from treewright.data.table import Table
from treewright.errors import DataError

Construct = Callable[[dict[str, list[Any]]], Any]


def spec_of(table: Table) -> tuple[str, str]:
    return table.schema.columns[0].kind, table.schema.columns[0].storage


def test_floats_with_gaps(construct: Construct) -> None:
    table = read_table(construct({"x": [1.5, None, float("inf")]}))
    assert spec_of(table) == ("numeric", "float")
    np.testing.assert_array_equal(table.columns[0], [1.5, np.nan, np.inf])


def test_integers_are_exact(construct: Construct) -> None:
    table = read_table(construct({"x": [2**60 + 1, 2**60, -1]}))
    assert spec_of(table) == ("numeric", "int")
    assert table.columns[0].tolist() == [2**60 + 1, 2**60, -1]


def test_integers_with_gaps(construct: Construct) -> None:
    table = read_table(construct({"x": [1, None, 3]}))
    assert spec_of(table) == ("numeric", "float")
    np.testing.assert_array_equal(table.columns[0], [1.0, np.nan, 3.0])
    assert table.masks[0] is None


def test_integers_that_no_float_equals_with_gaps(construct: Construct) -> None:
    table = read_table(construct({"x": [2**53 + 1, None, 3]}))
    kind, storage = spec_of(table)
    assert kind == "numeric"
    if storage == "float":  # plain pandas has made floats of them already
        np.testing.assert_array_equal(table.columns[0], [2.0**53, np.nan, 3.0])
    else:
        mask = table.masks[0]
        assert mask is not None
        assert mask.tolist() == [True, False, True]
        assert table.columns[0][mask].tolist() == [2**53 + 1, 3]


def test_text_with_gaps(construct: Construct) -> None:
    table = read_table(construct({"x": ["b", None, "a", "b"]}))
    assert spec_of(table) == ("nominal", "value")
    assert table.schema.columns[0].values == ("a", "b")
    assert table.columns[0].tolist() == [1, -1, 0, 1]
    assert table.columns[0].dtype == np.int32


def test_booleans_with_gaps(construct: Construct) -> None:
    table = read_table(construct({"x": [True, None, False]}))
    assert spec_of(table) == ("nominal", "value")
    assert table.schema.columns[0].values == (False, True)
    assert table.columns[0].tolist() == [1, -1, 0]


def test_dates_with_gaps(construct: Construct) -> None:
    table = read_table(construct({"x": [datetime(2024, 3, 1, 12), None, datetime(2024, 3, 2)]}))
    spec, mask = table.schema.columns[0], table.masks[0]
    assert (spec.kind, spec.storage, spec.unit, spec.time_zone) == (
        "numeric",
        "datetime",
        "ns",
        None,
    )
    assert mask is not None
    assert mask.tolist() == [True, False, True]
    assert spec.format(table.columns[0][0]) == "2024-03-01 12:00:00"


def test_days(construct: Construct) -> None:
    table = read_table(construct({"x": [date(2024, 3, 1), date(2024, 3, 2)]}))
    spec = table.schema.columns[0]
    assert spec.storage == "datetime"
    assert [spec.format(value) for value in table.columns[0]] == ["2024-03-01", "2024-03-02"]


def test_dates_with_a_time_zone(construct: Construct) -> None:
    table = read_table(construct({"x": [datetime(2024, 3, 1, 12, tzinfo=UTC)]}))
    spec = table.schema.columns[0]
    assert (spec.storage, spec.time_zone) == ("datetime", "UTC")
    assert spec.format(table.columns[0][0]) == "2024-03-01 12:00:00+00:00"


def test_dates_with_and_without_a_time_zone_do_not_match(construct: Construct) -> None:
    naive, aware = datetime(2024, 3, 1), datetime(2024, 3, 1, tzinfo=UTC)
    fitted = read_table(construct({"x": [naive]})).schema
    with pytest.raises(DataError, match="column 'x' was fitted on dates without a time zone"):
        match_table(construct({"x": [aware]}), fitted, owner="Tree")


def test_durations(construct: Construct) -> None:
    table = read_table(construct({"x": [timedelta(days=1, hours=2), None]}))
    spec = table.schema.columns[0]
    assert spec.storage == "duration"
    assert spec.format(table.columns[0][0]) == "1 day 02:00:00"


def test_decimals_are_floats(construct: Construct) -> None:
    table = read_table(construct({"x": [Decimal("1.50"), None, Decimal("0.25")]}))
    assert spec_of(table) == ("numeric", "float")
    np.testing.assert_array_equal(table.columns[0], [1.5, np.nan, 0.25])


def test_a_column_of_gaps_has_no_domain_and_matches_anything(construct: Construct) -> None:
    gaps = construct({"x": [None, None]})
    table = read_table(gaps)
    assert spec_of(table) == ("nominal", "value")
    assert table.schema.columns[0].values == ()
    assert table.columns[0].tolist() == [-1, -1]
    days = [datetime(2024, 2, 29), datetime(2024, 3, 1)]
    for given in (["a", "b"], [1.5, 2.5], days, [timedelta(days=1), timedelta(days=2)]):
        later = match_table(construct({"x": given}), table.schema, owner="Tree")
        assert later.columns[0].tolist() == [-2, -2]
    text = read_table({"x": ["a"]}).schema
    assert match_table(gaps, text, owner="Tree").columns[0].tolist() == [-1, -1]
    numbers = read_table({"x": [1.5]}).schema
    assert np.isnan(match_table(gaps, numbers, owner="Tree").columns[0]).all()


def test_names_come_with_the_table(construct: Construct) -> None:
    table = read_table(construct({"b": [1.0, 2.0], "a": ["x", "y"]}))
    assert table.schema.named
    assert table.schema.names == ("b", "a")
    assert table.n_rows == 2


def test_fit_and_predict_agree(construct: Construct) -> None:
    columns = {
        "size": [1.5, None, 2.5],
        "colour": ["red", "blue", None],
        "count": [3, 1, 2],
        "is_new": [True, False, True],
        "day": [datetime(2024, 1, 1), None, datetime(2024, 1, 3)],
    }
    given = construct(columns)
    table = read_table(given)
    again = match_table(given, table.schema, owner="Tree")
    for first, second in zip(table.columns, again.columns, strict=True):
        np.testing.assert_array_equal(first, second)
    fewer = construct({name: values[1:] for name, values in columns.items()})
    some = match_table(fewer, table.schema, owner="Tree")
    assert some.columns[1].tolist() == table.columns[1].tolist()[1:]


def test_an_unseen_category_has_its_own_code(construct: Construct) -> None:
    fitted = read_table(construct({"x": ["a", "b"]})).schema
    table = match_table(construct({"x": ["c", "b"]}), fitted, owner="Tree")
    assert table.columns[0].tolist() == [-2, 1]


def test_text_for_a_number_is_refused_by_name(construct: Construct) -> None:
    fitted = read_table(construct({"income": [1.0, 2.0]})).schema
    with pytest.raises(DataError, match=r"column 'income' was fitted on numbers, but row 0 holds"):
        match_table(construct({"income": ["high", "low"]}), fitted, owner="Tree")


@pytest.mark.parametrize(
    ("gaps", "storage"),
    [
        (pd.DataFrame({"x": np.array(["NaT", "NaT"], "M8[ns]")}), "datetime"),
        (pd.DataFrame({"x": np.array(["NaT", "NaT"], "m8[ns]")}), "duration"),
        (pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Date)}), "datetime"),
        (pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Duration)}), "duration"),
        (pa.table({"x": pa.array([None, None], pa.timestamp("us"))}), "datetime"),
    ],
)
def test_a_column_of_gaps_keeps_the_type_of_a_time(gaps: Any, storage: str) -> None:
    table = read_table(gaps)
    assert spec_of(table) == ("numeric", storage)
    known = pd.Timestamp(2024, 2, 29) if storage == "datetime" else pd.Timedelta(days=1)
    later = match_table(pd.DataFrame({"x": [known, known]}), table.schema, owner="Tree")
    assert not later.is_missing(0).any()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_no_rows_are_refused(make: Construct) -> None:
    fitted = read_table({"x": [1.0]}).schema
    with pytest.raises(DataError, match=r"^Found array with 0 sample\(s\) \(shape=\(0, 1\)\)"):
        match_table(make({"x": []}), fitted, owner="Tree")


@pytest.mark.parametrize("value", [[1, 2], {"k": 1}])
def test_lists_and_structs_name_column_and_row(construct: Construct, value: object) -> None:
    with pytest.raises(DataError, match=r"column 'y', row 1 holds a (list|dict|ndarray)"):
        read_table(construct({"x": [1.0, 2.0], "y": [None, value]}))


@pytest.mark.parametrize(
    ("value", "type_of_column"),
    [
        (1, ("numeric", "int")),
        (1.5, ("numeric", "float")),
        (True, ("nominal", "value")),
        (date(2024, 3, 1), ("numeric", "datetime")),
        (timedelta(days=1), ("numeric", "duration")),
        ("a", ("nominal", "value")),
    ],
    ids=str,
)
def test_the_type_is_that_of_all_rows(
    construct: Construct, value: object, type_of_column: tuple[str, str]
) -> None:
    """Objects in pandas tell it as well where the first hundred are gaps."""
    values = [None] * 150 + [value] * 2
    table = read_table(construct({"x": values}))
    kind, storage = spec_of(table)
    assert (kind, storage) == type_of_column or (kind, storage, value) == ("numeric", "float", 1)
    assert [*table.is_missing(0)] == [given is None for given in values]


@pytest.mark.parametrize("value", [5, date(2024, 3, 1), b"x", [1]], ids=str)
def test_objects_beside_text_are_refused_in_any_row(value: object) -> None:
    series = pd.Series(["a"] * 150 + [value], dtype=object)
    with pytest.raises(DataError, match=r"column 'x'.* row 150 holds"):
        read_table(pd.DataFrame({"x": series}))


def test_a_batch_of_records_has_names() -> None:
    batch = pa.RecordBatch.from_pydict({"a": [1.0, 2.0], "b": ["x", None]})
    table = read_table(batch)
    assert table.schema == read_table(pa.Table.from_batches([batch])).schema
    assert table.schema.names == ("a", "b")
