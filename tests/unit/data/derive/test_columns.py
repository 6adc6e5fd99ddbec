"""Derived columns computed at fit and at predict: kinds, missing values, orders, drift, refusals.

Values against an oracle, over all kinds of operands, are in tests/property/test_derived.py.
"""

from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright.data.fitted_schema import ColumnSpec
from treewright.data.read.table import match_table, read_table
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.errors import ColumnMismatchError, DataError, ParameterError


def derived(columns: Any, *definitions: str, **declared: Any) -> Table:
    return read_table(columns, schema=Schema(**declared).derive(*definitions))


def last(table: Table) -> list[Any]:
    """Values of the last column: None where missing."""
    spec, data, mask = table.schema.columns[-1], table.columns[-1], table.masks[-1]
    present = np.ones(table.n_rows, bool) if mask is None else mask
    if spec.storage == "value":
        return [None if code < 0 else spec.values[code] for code in data]
    found = zip(data.tolist(), present.tolist(), strict=True)
    return [value if there and value == value else None for value, there in found]


# What comes out


def test_comparisons_are_nominal_and_false_comes_first() -> None:
    table = derived({"a": [1.0, 2.0], "b": [2.0, 1.0]}, "less = a < b")
    assert table.schema.columns[-1] == ColumnSpec(
        name="less", kind="nominal", storage="value", values=(False, True)
    )
    assert table.columns[-1].tolist() == [1, 0]


def test_both_truth_values_are_in_the_domain_where_one_occurs() -> None:
    table = derived({"a": ["x", "y"], "b": ["x", "y"]}, "same = a == b")
    assert table.schema.column("same").values == (False, True)


def test_text_is_compared_by_value_whatever_its_codes() -> None:
    columns = {
        "head": pd.Categorical(["circle", "square", None], categories=["square", "circle"]),
        "body": ["circle", "circle", "circle"],
    }
    table = derived(pd.DataFrame(columns), "same = head == body", "other = head != body")
    assert table.columns[-2].tolist() == [1, 0, -1]
    assert table.columns[-1].tolist() == [0, 1, -1]


def test_arithmetic_of_whole_numbers_is_exact_where_64_bits_hold_it() -> None:
    table = derived({"a": [2**60 + 1, 5], "b": [2**60, 7]}, "d = a - b", "s = a + b")
    assert [spec.storage for spec in table.schema] == ["int", "float", "float", "int"]
    assert table.columns[-2].tolist() == [1.0, -2.0]
    assert last(table) == [2**61 + 1, 12]
    unsigned = derived({"a": [2**62, 1], "b": [2**62 + 2**63 - 1, 1]}, "s = a + b")
    assert unsigned.schema.columns[-1].storage == "uint"
    assert unsigned.columns[-1].tolist() == [2**63 - 1, 2 - 2**63]
    wide = derived({"a": [2**62, 1], "b": [2**62, 3]}, "p = a * b")
    assert wide.schema.columns[-1].storage == "float"
    assert last(wide) == [2.0**124, 3.0]


def test_single_precision_is_calculated_in_double() -> None:
    X = np.array([[0.1, 0.2], [3.0, 4.0]], dtype=np.float32)
    table = derived(X, "d = x0 * x1")
    assert table.columns[-1].dtype == np.float64
    assert table.columns[-1].tolist() == (X[:, 0].astype(float) * X[:, 1]).tolist()


@pytest.mark.parametrize("zero", [0, 0.0, -0.0])
def test_a_ratio_by_zero_is_infinite_and_nothing_by_nothing_missing(zero: float) -> None:
    table = derived({"a": [3.0, -3.0, 0.0], "b": [zero] * 3}, "r = a / b")
    assert last(table) == [np.inf, -np.inf, None]


def test_what_has_no_answer_is_missing() -> None:
    columns = {"a": [np.inf, np.inf, 0.0], "b": [np.inf, 1.0, np.inf]}
    assert last(derived(columns, "d = a - b")) == [None, np.inf, -np.inf]
    assert last(derived(columns, "d = a * b")) == [np.inf, np.inf, None]


def test_dates_differ_by_a_duration_and_move_by_one() -> None:
    day, noon = datetime(2024, 3, 1), datetime(2024, 3, 2, 12)
    columns = {"from": [day, day, None], "to": [noon, day, noon]}
    table = derived(columns, "stay = to - `from`", "again = to + stay", "share = stay / stay")
    stay, again, share = table.schema.columns[-3:]
    assert (stay.kind, stay.storage, stay.unit) == ("numeric", "duration", "ns")
    assert stay.format(table.columns[-3][0]) == "1 day 12:00:00"
    assert again.storage == "datetime"
    assert again.format(table.columns[-2][0]) == "2024-03-04"
    assert share.storage == "float"
    assert last(table) == [1.0, None, None]
    assert [mask.tolist() for mask in table.masks[-3:-1] if mask is not None] == [
        [True, True, False],
        [True, True, False],
    ]


def test_dates_of_two_zones_are_the_same_instants() -> None:
    berlin = pd.Series(pd.to_datetime(["2024-03-01 12:00"])).dt.tz_localize("Europe/Berlin")
    frame = pd.DataFrame({"a": berlin, "b": berlin.dt.tz_convert("UTC")})
    assert last(derived(frame, "same = a == b")) == [True]
    moved = derived(frame, "gap = a - b", "later = a + gap")
    assert moved.schema.column("later").time_zone == "Europe/Berlin"


def test_dates_that_are_nanoseconds_apart_over_centuries_are_told_in_microseconds() -> None:
    columns = {"a": pd.to_datetime(["2200-01-01"]), "b": pd.to_datetime(["1700-01-01"])}
    spec = derived(pd.DataFrame(columns), "d = a - b").schema.columns[-1]
    assert (spec.storage, spec.unit) == ("duration", "us")


def test_a_constant_stands_for_every_row() -> None:
    columns = {"holds": ["sword", "ball", None], "age": [20, 17, 18], "day": [None, None, None]}
    assert last(derived(columns, "armed = holds == 'sword'")) == [True, False, None]
    assert last(derived(columns, "adult = 18 <= age")) == [True, False, True]
    assert last(derived(columns, "years = 65 - age")) == [45, 48, 47]


def test_a_text_beside_dates_is_a_date() -> None:
    days = {"day": [datetime(2024, 3, 1), datetime(2023, 3, 1)]}
    table = derived(days, "late = day > '2024-01-01'", "since = day - '2024-02-29T12:00'")
    assert table.columns[-2].tolist() == [1, 0]
    assert table.schema.columns[-1].format(table.columns[-1][0]) == "0 days 12:00:00"


def test_a_column_may_be_made_of_earlier_ones() -> None:
    columns = {"mass": [80.0, 60.0], "height": [2.0, 1.5]}
    table = derived(columns, "area = height * height", "bmi = mass / area")
    assert table.schema.names == ("mass", "height", "area", "bmi")
    assert last(table) == [20.0, 60 / 2.25]


# Kinds and orders


def test_ordinals_are_compared_in_their_order() -> None:
    sizes = ["small", "medium", "large"]
    columns = {"asked": ["large", "small", None], "got": ["medium", "medium", "small"]}
    table = derived(columns, "short = got < asked", order={"asked": sizes, "got": sizes})
    assert last(table) == [True, False, None]
    later = match_table({"asked": ["huge"], "got": ["small"]}, table.schema, owner="Tree")
    assert later.columns[-1].tolist() == [-1]  # no rank, no answer


def test_an_order_may_be_part_of_the_other() -> None:
    order = {"a": ["S", "L"], "b": ["XS", "S", "M", "L"]}
    columns = {"a": ["S", "L", "L"], "b": ["M", "M", "L"]}
    assert last(derived(columns, "d = a <= b", order=order)) == [True, False, True]
    assert last(derived(columns, "d = b >= 'M'", order=order)) == [True, True, True]
    assert last(derived(columns, "d = a == b", order=order)) == [False, False, True]


def test_ordinal_numbers_are_compared_as_numbers() -> None:
    columns = {"a": [1, 4, 2], "b": [1, 3, 5], "c": [1.5, 1.5, 1.5]}
    kinds = {"a": "ordinal", "b": "ordinal"}
    assert last(derived(columns, "d = a < b", kinds=kinds)) == [False, False, True]
    assert last(derived(columns, "d = a > c", kinds=kinds)) == [False, True, True]
    assert last(derived(columns, "d = a >= 2.5", kinds=kinds)) == [False, True, False]


def test_an_order_of_numbers_that_does_not_ascend_is_followed() -> None:
    columns = {"a": [1, 3, 2], "b": [2, 2, 2]}
    order = {"a": [3, 2, 1], "b": [3, 2, 1]}
    assert last(derived(columns, "d = a < b", order=order)) == [False, True, False]
    assert last(derived(columns, "d = a < 2", order=order)) == [False, True, False]


def test_codes_are_equal_to_numbers_by_value() -> None:
    columns = {"a": [1, 2, None], "b": [1.0, 2.5, 3.0], "c": [True, False, True]}
    kinds = {"a": "nominal"}
    assert last(derived(columns, "d = a == b", kinds=kinds)) == [True, False, None]
    assert last(derived(columns, "d = a == 2", kinds=kinds)) == [False, True, None]
    assert last(derived(columns, "d = c == a", kinds=kinds)) == [True, False, None]


def test_numbers_declared_numeric_are_calculated_with() -> None:
    columns = {"a": [True, False], "b": [3, 4]}
    assert last(derived(columns, "d = a + b", kinds={"a": "numeric"})) == [4, 4]


def test_a_column_without_a_value_has_no_relation_to_any() -> None:
    columns = {"a": [None, None], "b": [1, 2], "c": ["x", "y"]}
    table = derived(columns, "same = a == c", "less = a < b", "d = a - b")
    assert [column.tolist() for column in table.columns[-3:]] == [[-1, -1]] * 3
    assert table.schema.column("same").values == (False, True)
    later = match_table({"a": [3], "b": [1], "c": ["x"]}, table.schema, owner="Tree")
    assert [column.tolist() for column in later.columns[-3:]] == [[-1]] * 3


# Columns left out, costs


def test_ignored_columns_may_be_used() -> None:
    columns = {"id": [7, 8], "born": [1950, 1990], "seen": [2000, 2010], "x": [1.0, 2.0]}
    table = derived(columns, "age = seen - born", ignore=["id", "born", "seen"])
    fitted = table.schema
    assert fitted.names == ("x", "age")
    assert fitted.input_names == ("id", "born", "seen", "x")
    assert (fitted.positions, fitted.source_names) == ((3,), ("born", "seen", "x"))
    assert last(table) == [50, 20]
    later = match_table([{"x": 0.0, "seen": 2020, "born": 1980}], fitted, owner="Tree")
    assert last(later) == [40]
    in_order = pd.DataFrame(columns)[["born", "seen", "x"]]
    assert last(match_table(in_order, fitted, owner="Tree")) == [50, 20]
    with pytest.raises(ColumnMismatchError, match=r"yet now missing:\n- born\n"):
        match_table([{"x": 0.0, "seen": 2020}], fitted, owner="Tree")
    with pytest.raises(DataError, match="column 'born' was fitted on numbers, but row 0 holds"):
        match_table([{"x": 0.0, "seen": 2020, "born": "long ago"}], fitted, owner="Tree")


def test_all_columns_of_the_table_may_be_ignored_but_not_all_columns() -> None:
    columns = {"a": [1, 2], "b": [3, 3]}
    assert derived(columns, "d = a - b", ignore=["a", "b"]).schema.names == ("d",)
    with pytest.raises(DataError, match="Every column is ignored"):
        derived(columns, "d = a - b", ignore=["a", "b", "d"])


def test_a_step_may_be_ignored() -> None:
    columns = {"mass": [80.0, 60.0], "height": [2.0, 1.5]}
    schema = Schema(ignore=["area"]).derive("area = height * height", "bmi = mass / area")
    table = read_table(columns, schema=schema)
    assert table.schema.names == ("mass", "height", "bmi")
    again = match_table(columns, table.schema, owner="Tree")
    assert last(table) == last(again) == [20.0, 60 / 2.25]


def test_a_derived_column_costs_what_its_columns_cost() -> None:
    columns = {"a": [1, 2], "b": [1, 2], "c": [1, 2]}
    definitions = ("free = b + c", "both = a * a", "sum = a + b", "all = sum + c", "own = a - c")
    table = derived(columns, *definitions, costs={"a": 5.0, "own": 0.5})
    assert [spec.cost for spec in table.schema] == [5.0, 1.0, 1.0, 1.0, 5.0, 6.0, 7.0, 0.5]
    assert table.schema.prices({"c": 10.0}) == [5.0, 1.0, 10.0, 11.0, 5.0, 6.0, 16.0, 15.0]
    assert table.schema.prices({"c": 10.0, "free": 2.0})[3] == 2.0


def test_shares_of_derived_columns_go_to_the_columns_they_are_made_of() -> None:
    columns = {"id": [1, 2], "a": [1, 2], "b": [1, 2], "c": [1, 2]}
    table = derived(columns, "s = a + b", "t = s * id", "u = c * 2", ignore=["id"])
    shares = np.array([0.1, 0.2, 0.0, 0.2, 0.3, 0.2])
    np.testing.assert_allclose(table.schema.by_input(shares), [0.1, 0.3, 0.4, 0.2])


# At predict


def test_values_not_seen_in_training_are_compared_all_the_same() -> None:
    fitted = derived({"head": ["circle"], "body": ["circle"]}, "same = head == body").schema
    table = match_table({"head": ["star", "star"], "body": ["star", "moon"]}, fitted, owner="Tree")
    assert [column.tolist() for column in table.columns] == [[-2, -2], [-2, -2], [1, 0]]


def test_a_decimal_where_training_saw_whole_numbers_is_not_rounded_first() -> None:
    small, large = {"a": [1, 9], "b": [2, 3]}, {"a": [2**53 + 1, 9], "b": [1, 3]}
    for columns, storage, stored in ((small, "float", 1.25), (large, "int", 2)):
        fitted = derived(columns, "p = a * b", "more = p > 1").schema
        assert fitted.column("p").storage == storage
        table = match_table({"a": [0.5], "b": [2.5]}, fitted, owner="Tree")
        # 1.25 <= t exactly when 2 <= t, for whole t
        assert table.columns[-2].tolist() == [stored]
        assert table.columns[-1].tolist() == [1]
        less = match_table({"a": [0.5], "b": [2]}, fitted, owner="Tree")
        assert less.columns[-1].tolist() == [0]


def test_whole_numbers_beyond_the_fitted_form_become_its_ends() -> None:
    large = {"a": [2**53 + 3, 2**54 + 2], "b": [2, 1]}
    fitted = derived(large, "d = a - b", "s = d + a").schema
    assert [fitted.column(name).storage for name in ("d", "s")] == ["int", "int"]
    low, high = -(2**63), 2**63 - 1
    rows = {"a": [low, high, 5], "b": [1, -1, 7]}
    table = match_table(rows, fitted, owner="Tree")
    assert table.columns[2].tolist() == [low, high, -2]
    assert table.columns[3].tolist() == [low, high, 3]
    floats = derived({"a": [1], "b": [2]}, "d = a - b", "s = d + a").schema
    table = match_table(rows, floats, owner="Tree")
    assert table.columns[2].tolist() == [-(2.0**63), 2.0**63, -2.0]
    assert table.columns[3].tolist() == [-(2.0**64), 2.0**64, 3.0]
    dates = derived({"a": pd.to_datetime(["2000-01-01"])}, "d = a - '1999-01-01'").schema
    far = match_table({"a": np.array(["9999-01-01"], "M8[us]")}, dates, owner="Tree")
    assert far.columns[-1].tolist() == [high]


def test_a_column_of_gaps_gives_gaps() -> None:
    day = np.array(["2024-01-01"], "M8[D]")
    columns = {"a": [1], "b": [2.5], "c": ["x"], "d": day, "e": day}
    fitted = derived(columns, "p = a + b", "q = c == 'x'", "r = d - e", "s = a < 2").schema
    table = match_table([dict.fromkeys(columns)], fitted, owner="Tree")
    p, q, r, s = table.columns[-4:]
    assert np.isnan(p).all()
    assert q.tolist() == s.tolist() == [-1]
    assert r.dtype == np.int64
    assert [mask.tolist() for mask in table.masks if mask is not None][-1] == [False]


def test_a_float_matrix_brings_its_derived_columns_along() -> None:
    X = np.arange(6.0).reshape(3, 2)
    table = derived(X, "d = x1 - x0")
    assert not table.schema.named
    assert not table.schema.is_float_matrix
    assert last(match_table(X[:1], table.schema, owner="Tree")) == [1.0]
    ignored = derived(X, "d = x1 - x0", ignore=[0])  # as many columns as the matrix has
    assert ignored.schema.names == ("x1", "d")
    again = match_table(X, ignored.schema, owner="Tree")
    assert [column.tolist() for column in again.columns] == [[1.0, 3.0, 5.0], [1.0] * 3]


def test_a_column_with_the_name_of_a_derived_one_is_ignored_by_name_and_refused_otherwise() -> None:
    fitted = derived({"a": [1, 2], "b": [2, 2]}, "same = a == b").schema
    rows = [{"a": 1, "b": 1, "same": False}]
    table = match_table(rows, fitted, owner="Tree", by_name=True)
    assert last(table) == [True]
    with pytest.raises(ColumnMismatchError, match=r"unseen at fit time:\n- same\n"):
        match_table(rows, fitted, owner="Tree")


# Declarations


def test_derive_gives_a_new_schema() -> None:
    first = Schema(costs={"a": 2.0})
    second = first.derive("d = a + b")
    assert first.derived == ()
    assert second == Schema(costs={"a": 2.0}, derived=["d = a + b"])
    assert second.derive("e = d * 2").derived == ("d = a + b", "e = d * 2")
    assert second.derive() == second


@pytest.mark.parametrize(
    "declared", [{"kinds": {"d": "nominal"}}, {"values": {"d": [1]}}, {"order": {"d": [1]}}]
)
def test_the_kind_of_a_derived_column_is_not_declared(declared: dict[str, Any]) -> None:
    (parameter,) = declared
    with pytest.raises(ParameterError) as caught:
        Schema(**declared).derive("d = a + b")
    assert str(caught.value) == (
        f"{parameter} declares column 'd', which is derived: its kind and its values follow from"
        " its definition.\n  Definition: d = a + b\n"
        f"  Hint: leave 'd' out of {parameter}."
    )


def test_a_wrong_definition_is_refused_before_anything_is_fitted() -> None:
    with pytest.raises(ParameterError, match="wrong at character 7"):
        Schema().derive("d = a = b")
    with pytest.raises(ParameterError, match="must be a list of definitions"):
        Schema(derived="d = a + b")
    with pytest.raises(ParameterError, match="it must be text"):
        Schema().derive(["d = a + b"])  # type: ignore[arg-type]
