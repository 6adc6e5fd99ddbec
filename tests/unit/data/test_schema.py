"""Schema, FittedSchema and ColumnSpec: what is declared, what is fitted, how values are said."""

import pickle

import numpy as np
import pytest

from treewright.data.fitted_schema import ColumnSpec, FittedSchema
from treewright.data.read.table import read_table
from treewright.data.schema import Schema
from treewright.errors import ColumnMismatchError, DataError, ParameterError


def stored(text: str, unit: str = "ns") -> int:
    return int(np.datetime64(text, unit).astype(np.int64))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (2.45, "2.45"),
        (0.1 + 0.2, "0.3"),
        (1_000_000.0, "1000000"),
        (1_234_567.5, "1234567.5"),
        (float("inf"), "inf"),
        (-0.0, "0"),
        (1e300, "1e+300"),
        (np.float32(0.8), "0.800000012"),
    ],
)
def test_a_threshold_is_written_with_few_digits(value: float, said: str) -> None:
    assert ColumnSpec(name="x", kind="numeric", storage="float").format(value) == said


def test_digits_are_added_until_the_gap_is_told_apart() -> None:
    spec = ColumnSpec(name="x", kind="numeric", storage="float")
    assert spec.format(0.8000000119, gap=0.1) == "0.8"
    low, high = 1.0, np.nextafter(1.0, 2.0)
    assert spec.format(high, gap=high - low) != spec.format(low, gap=high - low)


def test_integers_are_said_exactly() -> None:
    assert ColumnSpec(name="x", kind="numeric", storage="int").format(2**60 + 1) == str(2**60 + 1)
    stored_form = (2**64 - 1) - 2**63
    spec = ColumnSpec(name="x", kind="numeric", storage="uint")
    assert spec.format(stored_form) == str(2**64 - 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024-03-01T12:00", "2024-03-01 12:00:00"),
        ("2024-03-01T00:00:00.25", "2024-03-01 00:00:00.25"),
        ("1969-12-31T23:59:59", "1969-12-31 23:59:59"),
    ],
)
@pytest.mark.parametrize("unit", ["ns", "us"])
def test_dates_are_said_as_dates(text: str, said: str, unit: str) -> None:
    spec = ColumnSpec(name="day", kind="numeric", storage="datetime", unit=unit)  # type: ignore[arg-type]
    assert spec.format(stored(text, unit)) == said


def test_a_date_with_a_time_zone_is_said_in_it() -> None:
    spec = ColumnSpec(
        name="day", kind="numeric", storage="datetime", unit="ns", time_zone="Europe/Berlin"
    )
    assert spec.format(stored("2024-03-01T11:00")) == "2024-03-01 12:00:00+01:00"
    assert spec.format(stored("2024-07-01T22:00")) == "2024-07-02 00:00:00+02:00"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (3 * 86_400 + 7200, "3 days 02:00:00"),
        (86_400, "1 day 00:00:00"),
        (-60, "-0 days 00:01:00"),
        (0.5, "0 days 00:00:00.5"),
    ],
)
def test_durations_are_said_as_durations(seconds: float, said: str) -> None:
    spec = ColumnSpec(name="wait", kind="numeric", storage="duration", unit="us")
    assert spec.format(int(seconds * 10**6)) == said


def test_values_of_a_domain_are_said_as_they_are() -> None:
    spec = ColumnSpec(name="x", kind="nominal", storage="value", values=("a", True, 3, 2.0))
    assert [spec.format(value) for value in spec.values] == ["a", "True", "3", "2"]
    assert spec.format(None) == "missing"


def test_declared_kinds_domains_costs_and_ignored_columns_are_taken() -> None:
    schema = Schema(
        kinds={"code": "nominal"},
        values={"Humidity": ["High", "Normal", "Low"]},
        order={"size": ["small", "medium", "large"]},
        costs={"size": 0.5},
        ignore=["Day"],
    )
    table = read_table(
        {
            "Day": ["D1", "D2"],
            "code": [7, 3],
            "Humidity": ["Normal", "High"],
            "size": ["large", "small"],
        },
        schema=schema,
    )
    code, humidity, size = table.schema
    assert (code.kind, code.values) == ("nominal", (3, 7))
    assert humidity.values == ("High", "Normal", "Low")
    assert (size.kind, size.cost, humidity.cost) == ("ordinal", 0.5, 1.0)
    assert [column.tolist() for column in table.columns] == [[1, 0], [1, 0], [2, 0]]
    assert table.schema.input_names == ("Day", "code", "Humidity", "size")
    assert table.schema.names == ("code", "Humidity", "size")


def test_columns_of_an_array_are_declared_by_position() -> None:
    table = read_table(np.array([[1.0, 5.0], [2.0, 5.0]]), schema=Schema(kinds={1: "nominal"}))
    assert [spec.kind for spec in table.schema] == ["numeric", "nominal"]


def test_costs_alone_keep_the_matrix_whole() -> None:
    matrix = np.eye(3)
    table = read_table(matrix, schema=Schema(costs={0: 2.0}))
    assert table.matrix is matrix
    assert [spec.cost for spec in table.schema] == [2.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"kinds": {"x": "nominall"}}, r"kind 'nominall' of column 'x' is none of"),
        ({"values": {"x": "abc"}}, r"values of column 'x' must be a list of values, not 'abc'"),
        ({"values": {"x": ["a", "a"]}}, r"values of column 'x' lists 'a' twice"),
        ({"order": {"x": []}}, r"order of column 'x' is empty"),
        ({"order": {"x": [1, None]}}, r"order of column 'x' lists None, which means a missing"),
        ({"values": {"x": [1]}, "order": {"x": [1]}}, r"column 'x' is in both values and order"),
        ({"values": {"x": [1]}, "kinds": {"x": "numeric"}}, r"column 'x' has kind 'numeric' but"),
        ({"costs": {"x": -1}}, r"cost -1 of column 'x' must be a finite number"),
        ({"costs": {"x": float("nan")}}, r"cost nan of column 'x'"),
        ({"costs": {"x": "dear"}}, r"cost 'dear' of column 'x' must be a finite number"),
        ({"costs": [1, 2]}, r"costs=\[1, 2\] must be a dict of column to price\."),
        ({"kinds": "nominal"}, r"kinds='nominal' must be a dict of column to 'numeric', 'nominal'"),
        ({"values": {"x": 3}}, r"values of column 'x' must be a list of values, not 3"),
        ({"order": {"x": {"a", "b"}}}, r"order of column 'x' must be a list of values"),
        ({"order": {"x": [["a"]]}}, r"order of column 'x' lists \['a'\], which is no single value"),
        ({"derived": 3}, r"derived=3 must be a list of definitions\."),
        ({"ignore": 3}, r"ignore=3 must be a list of columns\."),
        ({"ignore": "Day"}, r"ignore='Day' must be a list of columns.\n  Hint: ignore=\['Day'\]"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(declared: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Schema(**declared)


def test_a_declared_column_that_is_not_there_is_named_with_the_nearest() -> None:
    with pytest.raises(DataError, match=r"declares column 'Outlok'[\s\S]*did you mean 'Outlook'"):
        read_table({"Outlook": ["Sunny"]}, schema=Schema(ignore=["Outlok"]))


def test_a_value_outside_its_declared_domain_names_column_row_and_value() -> None:
    with pytest.raises(DataError) as caught:
        read_table({"x": ["a", "b", "c"]}, schema=Schema(values={"x": ["a", "b"]}))
    assert str(caught.value) == (
        "column 'x', row 2 holds 'c', which is not in its declared domain.\n"
        "  Declared: 'a', 'b'\n"
        "  Hint: add the value to the domain, or make it missing."
    )


def test_an_ordinal_column_of_text_needs_its_order() -> None:
    with pytest.raises(DataError, match=r"declared ordinal, but nothing says the order"):
        read_table({"x": ["a", "b"]}, schema=Schema(kinds={"x": "ordinal"}))
    table = read_table({"x": [30, 10]}, schema=Schema(kinds={"x": "ordinal"}))
    assert (table.schema.columns[0].values, table.columns[0].tolist()) == ((10, 30), [1, 0])


def test_text_declared_numeric_is_refused_with_its_row() -> None:
    with pytest.raises(DataError, match=r"column 'x' is declared numeric, but row 1 holds"):
        read_table({"x": [None, "a"]}, schema=Schema(kinds={"x": "numeric"}))


def test_booleans_can_be_declared_numeric() -> None:
    table = read_table({"x": [True, None, False]}, schema=Schema(kinds={"x": "numeric"}))
    assert table.schema.columns[0].storage == "float"
    np.testing.assert_array_equal(table.columns[0], [1.0, np.nan, 0.0])
    assert table.masks[0] is None


def test_a_fitted_schema_pickles_without_its_lookup_tables() -> None:
    fitted = read_table({"x": ["a", "b"], "y": [1, 2]}).schema
    assert fitted.column("x").code_of_value == {"a": 0, "b": 1}
    assert fitted.index("y") == 1
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy == fitted
    assert "code_of_value" not in vars(copy.columns[0])
    assert pickle.loads(pickle.dumps(Schema(order={"x": ["a"]}))) == Schema(order={"x": ("a",)})


def test_looking_up_an_unknown_column_offers_the_nearest() -> None:
    fitted = FittedSchema(
        columns=(ColumnSpec(name="income", kind="numeric", storage="float"),), named=True
    )
    with pytest.raises(ColumnMismatchError, match=r"no column 'Income'[\s\S]*mean 'income'"):
        fitted.column("Income")
