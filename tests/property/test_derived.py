"""Derived columns: as Python computes them row by row, and as if the user had computed them."""

from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle.relations import derive

from property.growing import examples
from treewright import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, Schema
from treewright.data.definitions import ColumnName, Constant, Definition, parse_definition
from treewright.data.fitted_schema import UINT_OFFSET
from treewright.data.read.table import match_table, read_table
from treewright.data.table import Table
from treewright.errors import ParameterError

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_START = datetime(1970, 1, 1)
_WHOLE = (-3, 0, 1, 7, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, -(2**62) - 5, 2**63 - 1, -(2**63))
_UNSIGNED = (0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1)
_FLOATS = (-np.inf, -1e300, -1.5, -0.0, 0.0, 0.1, 1.0, 2.0**53, 2.0**63, 2.0**64, np.inf)
_DATES = tuple(_START + timedelta(days=d, microseconds=u) for d, u in [(0, 0), (0, 1), (9000, 5)])
_FAR_DATES = (*_DATES, datetime(9999, 12, 31), datetime(1, 1, 1), datetime(1700, 1, 1))
_DURATIONS = (timedelta(0), timedelta(microseconds=1), timedelta(days=-3), timedelta(days=90_000))
_FAR_DURATIONS = (*_DURATIONS, timedelta(days=3_000_000), timedelta(days=-2_000_000))

NUMBERS: tuple[tuple[Any, ...], ...] = (_WHOLE, _UNSIGNED, _FLOATS)
DATES: tuple[tuple[Any, ...], ...] = (_DATES, _FAR_DATES)
DURATIONS: tuple[tuple[Any, ...], ...] = (_DURATIONS, _FAR_DURATIONS)
TEXTS: tuple[tuple[Any, ...], ...] = (("circle", "square"), ("square", "triangle", "circle"))
PAIRS = [
    *((sign, NUMBERS, NUMBERS) for sign in (*COMPARISONS, *"+-*/")),
    *((sign, DATES, DATES) for sign in (*COMPARISONS, "-")),
    *((sign, DURATIONS, DURATIONS) for sign in (*COMPARISONS, *"+-/")),
    ("+", DATES, DURATIONS),
    ("-", DATES, DURATIONS),
    ("+", DURATIONS, DATES),
    ("==", TEXTS, TEXTS),
    ("!=", TEXTS, TEXTS),
]


@st.composite
def two_columns(draw: st.DrawFn, left: Any, right: Any, max_rows: int = 8) -> dict[str, list[Any]]:
    n_rows = draw(st.integers(1, max_rows))
    columns = {}
    for name, pools in (("a", left), ("b", right)):
        pool = draw(st.sampled_from(pools))
        values = st.none() | st.sampled_from(pool) if draw(st.booleans()) else st.sampled_from(pool)
        columns[name] = draw(st.lists(values, min_size=n_rows, max_size=n_rows))
    return columns


def value(table: Table, row: int) -> Any:
    """What the last column of a table says in a row, as a Python value."""
    spec, data, mask = table.schema.columns[-1], table.columns[-1], table.masks[-1]
    stored = data[row].item()
    if (mask is not None and not mask[row]) or stored != stored:
        return None
    if spec.storage == "value":
        return None if stored < 0 else spec.values[stored]
    if spec.storage in ("datetime", "duration"):
        assert stored % 1000 == 0 or spec.unit == "us"
        since = timedelta(microseconds=stored // 1000 if spec.unit == "ns" else stored)
        return _START + since if spec.storage == "datetime" else since
    return stored + UINT_OFFSET if spec.storage == "uint" else stored


def as_stored(expected: Any, storage: str) -> Any:
    """Whole numbers that 64 bits do not all hold become floats."""
    is_rounded = isinstance(expected, int) and storage == "float"
    return float(expected) if is_rounded else expected


@pytest.mark.parametrize(("sign", "left", "right"), PAIRS)
@examples(0.5)
@given(data=st.data())
def test_as_python_computes_it_row_by_row(data: Any, sign: str, left: Any, right: Any) -> None:
    columns = data.draw(two_columns(left, right))
    assume(all(any(v is not None for v in values) for values in columns.values()))
    expected = [derive(a, sign, b) for a, b in zip(columns["a"], columns["b"], strict=True)]
    if sign in "+-" and DATES in (left, right):
        assume(all(e is not None or None in pair for e, pair in _paired(expected, columns)))
    table = read_table(columns, schema=Schema().derive(f"d = a {sign} b"))
    storage = table.schema.columns[-1].storage
    assert [value(table, i) for i in range(len(expected))] == [
        as_stored(each, storage) for each in expected
    ]
    # Every row by itself, as it is predicted: not another bit.
    again = match_table(columns, table.schema, owner="Tree")
    for i in range(len(expected)):
        alone = match_table([{k: v[i] for k, v in columns.items()}], table.schema, owner="Tree")
        assert value(again, i) == value(alone, 0) == value(table, i)


@pytest.mark.parametrize(
    ("sign", "pools"),
    [
        *((sign, NUMBERS) for sign in (*COMPARISONS, *"+-*/")),
        ("==", TEXTS),
        ("!=", TEXTS),
    ],
)
@examples(0.25)
@given(data=st.data())
def test_a_constant_is_a_column_of_one_value(data: Any, sign: str, pools: Any) -> None:
    values = data.draw(two_columns(pools, pools))["a"]
    assume(any(each is not None for each in values))
    constant = data.draw(st.sampled_from(data.draw(st.sampled_from(pools))))
    assume(isinstance(constant, int | str) or np.isfinite(constant))
    columns = {"a": values, "b": [constant] * len(values)}
    written = Constant(constant)
    for given_as, between in (
        (f"a {sign} {written}", f"a {sign} b"),
        (f"{written} {sign} a", f"b {sign} a"),
    ):
        table = read_table(columns, schema=Schema().derive(f"d = {given_as}"))
        expected = read_table(columns, schema=Schema().derive(f"d = {between}"))
        assert table.schema.columns == expected.schema.columns
        np.testing.assert_array_equal(table.columns[-1], expected.columns[-1])
        again = match_table(columns, table.schema, owner="Tree")
        np.testing.assert_array_equal(again.columns[-1], table.columns[-1])


def _paired(expected: list[Any], columns: dict[str, list[Any]]) -> Any:
    return zip(expected, zip(columns["a"], columns["b"], strict=True), strict=True)


TREE_FLOATS = (-np.inf, -2.5, -1.0, 0.0, 0.5, 1.0, 3.0, np.inf)
TREE_WHOLE = (-2, 0, 1, 2**53, 2**53 + 1)
KINDS = [
    *((sign, TREE_FLOATS) for sign in (*COMPARISONS, *"+-*/")),
    *((sign, TREE_WHOLE) for sign in (*COMPARISONS, *"+-/")),
    *((sign, tuple(map(pd.Timestamp, _DATES))) for sign in (*COMPARISONS, "-")),
    ("==", ("circle", "square", "triangle")),
    ("!=", ("circle", "square", "triangle")),
]
MODELS = [
    C45Classifier(min_cases=1),
    DecisionTreeClassifier(nominal="multiway"),
    DecisionTreeRegressor(),
]


@pytest.mark.parametrize(("sign", "pool"), KINDS)
@examples(0.3)
@given(data=st.data())
def test_as_if_the_user_had_computed_the_column(sign: str, pool: Any, data: Any) -> None:
    n_rows = data.draw(st.integers(4, 16))
    rows = st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows)
    X = pd.DataFrame({"a": data.draw(rows), "b": data.draw(rows), "c": range(n_rows)})
    if data.draw(st.booleans()) and pool is not TREE_WHOLE:  # pandas would round whole numbers
        X.loc[data.draw(st.lists(st.integers(0, n_rows - 1), max_size=3)), "a"] = None
    y = data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    model = data.draw(st.sampled_from(MODELS))
    with_derived = model.set_params(schema=Schema().derive(f"d = a {sign} b")).fit(X, y).tree_
    by_user = X.assign(d=_in_pandas(X, sign))
    explicit = model.set_params(schema=None).fit(by_user, y).tree_
    for each in fields(explicit.arrays):
        ours, theirs = (getattr(tree.arrays, each.name) for tree in (with_derived, explicit))
        np.testing.assert_array_equal(ours, theirs, err_msg=each.name)
    assert with_derived.schema.columns == explicit.schema.columns
    assert with_derived.text() == explicit.text()
    shuffled = X.iloc[::-1]
    shuffled = shuffled.assign(b=np.roll(shuffled["b"], 1))
    answers = explicit.predict(shuffled.assign(d=_in_pandas(shuffled, sign)))
    np.testing.assert_array_equal(with_derived.predict(shuffled), answers)


def _in_pandas(X: pd.DataFrame, sign: str) -> Any:
    with np.errstate(all="ignore"):
        result = {
            "==": X["a"].eq,
            "!=": X["a"].ne,
            "<": X["a"].lt,
            "<=": X["a"].le,
            ">": X["a"].gt,
            ">=": X["a"].ge,
            "+": X["a"].add,
            "-": X["a"].sub,
            "*": X["a"].mul,
            "/": X["a"].div,
        }[sign](X["b"])
    if sign in COMPARISONS:
        return result.astype("boolean").mask(X["a"].isna() | X["b"].isna())
    return result


_NAMES = st.text(min_size=1, max_size=8) | st.sampled_from(["a b", "`", "x.y", "'", "a=b", "\n"])
_OPERANDS = st.one_of(
    _NAMES.map(ColumnName),
    st.just(ColumnName("")),
    st.integers(-(2**70), 2**70).map(Constant),
    st.floats(allow_nan=False, allow_infinity=False).map(Constant),
    st.text(max_size=8).map(Constant),
)


@given(_NAMES, _OPERANDS, st.sampled_from([*COMPARISONS, *"+-*/"]), _OPERANDS)
def test_a_definition_is_read_as_it_is_written(name: str, left: Any, sign: str, right: Any) -> None:
    assume(isinstance(left, ColumnName) or isinstance(right, ColumnName))
    definition = Definition(name=name, left=left, operator=sign, right=right)
    assert parse_definition(str(definition)) == definition


@given(st.text() | st.lists(st.sampled_from(["a", "=", "==", "<", "-", " ", "`", "'", "1"])))
def test_any_text_is_a_definition_or_a_parameter_error(parts: Any) -> None:
    text = "".join(parts)
    try:
        read = parse_definition(text)
    except ParameterError as error:
        message = str(error)
    else:
        message = "wrong at character" if parse_definition(str(read)) == read else text
    assert "wrong at character" in message
