"""Arrays, lists, dicts and sparse matrices in; dataframes are tested in tests/frames."""

import re
import warnings

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import scipy.sparse as sp
from unit.tree.hand_trees import TENNIS

from treewright.data.examples.load import load_example
from treewright.data.read import sparse
from treewright.data.read.table import match_table, read_table
from treewright.data.schema import Schema
from treewright.errors import (
    ColumnMismatchError,
    DataError,
    IdentifierWarning,
    MemoryLimitError,
    ParameterError,
)

RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or"
    " array.reshape(1, -1) if it contains a single sample."
)


class ArrayLike:
    """Something that only promises to become an array."""

    def __init__(self, data: object) -> None:
        self.data = np.asarray(data)

    def __array__(self, dtype: npt.DTypeLike = None, copy: bool | None = None) -> np.ndarray:
        return self.data


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_float_matrix_is_taken_as_it_is(dtype: type, order: str) -> None:
    matrix = np.zeros((4, 3), dtype=dtype, order=order)  # type: ignore[call-overload]
    matrix.flags.writeable = False
    table = read_table(matrix)
    assert table.matrix is matrix
    assert all(np.shares_memory(column, matrix) for column in table.columns)
    assert match_table(matrix[::-2], table.schema, owner="Tree").n_rows == 2


@pytest.mark.parametrize("dtype", ["f2", ">f4", ">f8", "g"])
def test_other_floats_are_converted_once(dtype: str) -> None:
    table = read_table(np.arange(6, dtype=dtype).reshape(2, 3))
    assert table.matrix is not None
    assert table.matrix.dtype in (np.float32, np.float64)
    assert table.matrix.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_memory_map_is_not_copied(tmp_path) -> None:
    matrix = np.memmap(tmp_path / "x", dtype=np.float64, mode="w+", shape=(3, 2))
    table = read_table(matrix)
    assert table.matrix is not None
    assert np.shares_memory(table.matrix, matrix)


def test_infinities_and_nan_are_ordinary() -> None:
    matrix = np.array([[np.inf, np.nan], [-np.inf, 1.0]])
    assert read_table(matrix).matrix is matrix


def test_integers_of_an_array_are_exact() -> None:
    table = read_table(np.array([[2**53 + 1, 1], [2**53, 2]]))
    assert [spec.storage for spec in table.schema] == ["int", "float"]
    assert table.columns[0].tolist() == [2**53 + 1, 2**53]
    assert table.columns[1].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("size", [8, 16, 32, 64])
@pytest.mark.parametrize("sign", ["int", "uint"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_integer_matrix_is_a_float_matrix_of_equal_values(
    size: int, sign: str, order: str
) -> None:
    kind = np.dtype(f"{sign}{size}")
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    if size == 64:  # the largest that a float holds
        high -= high % 2**11
    matrix = np.array([[low, 1], [high, 2]], dtype=kind, order=order)  # type: ignore[call-overload]
    table = read_table(matrix)
    assert table.matrix is not None
    assert table.matrix.dtype == (np.float32 if size <= 16 else np.float64)
    assert [[int(value) for value in row] for row in table.matrix] == [[low, 1], [high, 2]]
    assert table.schema == read_table(matrix.astype(np.float64)).schema
    again = match_table(matrix[::-1], table.schema, owner="Tree")
    assert again.matrix is not None
    assert again.matrix.tolist() == table.matrix[::-1].tolist()


def test_an_integer_that_no_float_equals_makes_its_column_one_of_integers() -> None:
    exact = [2**53 + 2, -(2**53), 2**62, 0]
    assert read_table({"x": exact}).schema.columns[0].storage == "float"
    for odd, storage in ((2**53 + 1, "int"), (-(2**53) - 1, "int"), (2**63 + 1025, "uint")):
        columns = {"x": [odd, None, 7], "y": [1, None, 7]}
        table = read_table(columns)
        assert [spec.storage for spec in table.schema] == [storage, "float"]
        assert table.columns[0].dtype == np.int64
        assert table.masks[0] is not None
        assert table.masks[0].tolist() == [True, False, True]
        assert table.masks[1] is None
        np.testing.assert_array_equal(table.columns[1], [1.0, np.nan, 7.0])


def test_a_gap_does_not_make_a_column_one_of_integers() -> None:
    hidden = np.ma.masked_array(np.array([[2**53 + 1, 1], [5, 2]]), mask=[[True, False]] * 2)
    hidden.mask[1, 0] = False
    table = read_table(hidden)
    assert [spec.storage for spec in table.schema] == ["float", "float"]
    np.testing.assert_array_equal(table.columns[0], [np.nan, 5.0])


def test_object_arrays_of_numbers_are_numeric_and_of_text_nominal() -> None:
    table = read_table(np.array([[1.5, "a", 1], [None, "b", 2]], dtype=object))
    assert [(spec.kind, spec.storage) for spec in table.schema] == [
        ("numeric", "float"),
        ("nominal", "value"),
        ("numeric", "float"),
    ]
    assert table.columns[2].tolist() == [1.0, 2.0]
    assert read_table(np.array([["a"], ["b"]])).schema.columns[0].values == ("a", "b")


def test_anything_that_becomes_an_array_is_one() -> None:
    table = read_table(ArrayLike([[1.0], [2.0]]))
    assert table.matrix is not None
    assert table.schema.names == ("x0",)
    assert not table.schema.named


def test_lists_of_lists_are_matrices_unless_that_loses_something() -> None:
    assert read_table([[1, 0.5], [2, 1.5]]).matrix is not None
    mixed = read_table([[1, "a"], [2, "b"]])
    assert [spec.kind for spec in mixed.schema] == ["numeric", "nominal"]
    exact = read_table([[2**60 + 1, 0.5], [2**60, 1.5]])
    assert exact.columns[0].tolist() == [2**60 + 1, 2**60]
    gaps = read_table([(1, None), (None, "a")])
    assert [spec.kind for spec in gaps.schema] == ["numeric", "nominal"]


def test_a_key_that_a_row_does_not_have_is_a_missing_value() -> None:
    table = read_table([{"a": 1, "b": "x"}, {"b": "y", "c": 2.5}])
    assert table.schema.names == ("a", "b", "c")
    assert table.masks == (None, None, None)
    np.testing.assert_array_equal(table.columns[0], [1.0, np.nan])
    np.testing.assert_array_equal(table.columns[2], [np.nan, 2.5])
    large = read_table([{"a": 2**53 + 1, "b": "x"}, {"b": "y"}])
    assert large.masks[0] is not None
    assert large.masks[0].tolist() == [True, False]


def test_dicts_are_matched_by_name_in_any_order() -> None:
    fitted = read_table([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]).schema
    table = match_table([{"b": "y", "a": 1}], fitted, owner="Tree")
    assert [column.tolist() for column in table.columns] == [[1], [1]]
    assert match_table({"b": ["x"], "a": [2]}, fitted, owner="Tree").columns[1].tolist() == [0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros(3), r"Expected 2D array, got 1D array instead:\narray=\[0\. 0\. 0\.\]\."),
        (np.float64(3.0), r"Expected 2D array, got scalar array instead:\narray=3\.0\."),
        ([], r"Expected 2D array, got 1D array instead"),
        ([1, 2], r"Expected 2D array, got 1D array instead"),
        (None, r"Expected 2D array, got scalar array instead"),
        (np.zeros((2, 2, 2)), r"^Found array with dim 3, while dim <= 2 is required\.$"),
        (
            np.empty((0, 3)),
            r"^Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of",
        ),
        (np.empty((3, 0)), r"^Found array with 0 feature\(s\) \(shape=\(3, 0\)\) while a minimum"),
        ({}, r"0 sample\(s\)"),
        (np.array([[1j]]), r"^Complex data not supported"),
        ([[1j]], r"^Complex data not supported"),
        (np.zeros(2, dtype=[("a", int)]), r"structured array with the fields a\.\n  Hint: pass"),
        ([[1, 2], [3]], r"^row 1 has 1 values, row 0 has 2\.$"),
        ([[1, 2], 3], r"^row 1 is 3, row 0 has 2\.$"),
        ([{"a": 1}, [2]], r"^row 1 is a list, row 0 is a dict\.$"),
        ({"a": [1, 2], "b": [1]}, r"^column 'b' has 1 values, column 'a' has 2\.$"),
        ({"a": "text"}, r"column 'a' of the dict is 'text'[\s\S]*Hint: pass one row as \[\{"),
        ("data.csv", r"X is the text 'data.csv', not a table.\n  Hint: treewright.read"),
        (pd.Series([1.0]), r"Expected a 2-dimensional container but got <class 'pandas"),
        (sp.coo_array(np.ones(3)), r"Expected 2D input, got input with shape \(3,\)"),
    ],
)
def test_what_is_no_table_is_refused(given: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_table(given)
    fitted = read_table(np.zeros((2, 3))).schema
    with pytest.raises(DataError, match=message):
        match_table(given, fitted, owner="Tree")


def test_a_column_of_a_dict_is_flat() -> None:
    with pytest.raises(DataError, match=r"column 'a' has shape \(2, 2\); it must be flat"):
        read_table({"a": np.zeros((2, 2))})


def test_wrong_dimensions_say_how_to_reshape() -> None:
    with pytest.raises(DataError, match=re.escape(RESHAPE)):
        read_table(np.zeros(3))


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("largest", [2, 2**53 + 1])
def test_sparse_means_what_dense_does(make, dtype: type, largest: int) -> None:
    dense = np.array([[0, largest, 0], [1, 0, 0]], dtype=dtype)
    table, expected = read_table(make(dense)), read_table(dense)
    assert table.schema == expected.schema
    storage = "int" if dtype is np.int64 and largest > 2 else "float"
    assert [spec.storage for spec in table.schema] == ["float", storage, "float"]
    for column, own, values in zip(table.columns, expected.columns, dense.T, strict=True):
        assert column.dtype == own.dtype
        assert column.tolist() == own.tolist() == values.tolist()


def test_odd_sparse_entries_add_up() -> None:
    rows, columns = np.array([1, 1, 0, 1]), np.array([1, 0, 0, 1])
    values = np.array([2.0, 5.0, 0.0, 3.0])  # one duplicate, one explicit zero, unsorted
    table = read_table(sp.coo_array((values, (rows, columns)), shape=(2, 2)))
    assert table.matrix is not None
    assert table.matrix.tolist() == [[0, 0], [5, 5]]
    wide = sp.csr_array(np.eye(2))
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert read_table(wide).columns[1].tolist() == [0, 1]


def test_a_sparse_table_too_large_to_be_dense_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(sparse, "available_memory", lambda: 2**30)
    huge = sp.csr_array((100_000, 10_000), dtype=np.float64)
    with pytest.raises(MemoryLimitError) as caught:
        read_table(huge)
    assert str(caught.value) == (
        "the sparse table of 100000 rows and 10000 columns would take 7.5 GiB when dense;"
        " 1.0 GiB are available.\n  Hint: keep fewer columns, or store it as float32."
    )


@pytest.mark.parametrize("listed", [[1], ["x1"], [False, True, False], np.array([1]), [-2]])
def test_columns_listed_as_categorical_become_nominal(listed) -> None:
    matrix = np.array([[0.5, 7, 1], [1.5, 3, 2], [2.5, np.nan, 2]], dtype=np.float32)
    table = read_table(matrix, categorical_features=listed)
    assert table.matrix is None
    assert [spec.kind for spec in table.schema] == ["numeric", "nominal", "numeric"]
    assert table.schema.columns[1].values == (3, 7)
    assert table.columns[1].tolist() == [1, 0, -1]
    assert np.shares_memory(table.columns[0], matrix)


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ([3], r"categorical_features lists 3, but the table has no such column"),
        (["colr"], r"categorical_features lists 'colr'[\s\S]*Hint: did you mean 'color'\?"),
        ("color", r"categorical_features='color' must be a list of columns"),
        ([True], r"categorical_features has 1 booleans, the table 2 columns"),
    ],
)
def test_a_list_that_fits_no_table_is_refused(listed, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_table({"color": [1, 2], "size": [1, 2]}, categorical_features=listed)


def test_categories_of_numbers_are_matched_by_value() -> None:
    fitted = read_table(np.array([[7.0], [3.0]]), categorical_features=[0]).schema
    given = np.array([[3], [7], [8]])
    assert match_table(given, fitted, owner="Tree").columns[0].tolist() == [0, 1, -2]
    floats = np.array([[3.5], [np.nan], [7.0]])
    assert match_table(floats, fitted, owner="Tree").columns[0].tolist() == [-2, -1, 1]


def test_a_hundred_thousand_categories_are_quick() -> None:
    texts = np.array([f"value {i}" for i in range(100_000)])
    with pytest.warns(IdentifierWarning):
        table = read_table({"x": texts})
    assert len(table.schema.columns[0].values) == 100_000
    again = match_table({"x": texts[::-1]}, table.schema, owner="Tree")
    assert (again.columns[0] == table.columns[0][::-1]).all()


def test_identifiers_are_warned_of() -> None:
    n = 60
    columns = {
        "name": [f"p{i}" for i in range(n)],
        "customer_id": list(range(n)),
        "userId": list(range(n)),
        "amount": list(range(n)),
        "valid": ["a", "b"] * (n // 2),
    }
    with pytest.warns(IdentifierWarning) as caught:
        read_table(columns)
    named = [re.match(r"column '(\w+)'", str(w.message)) for w in caught]
    assert [match[1] for match in named if match] == ["name", "customer_id", "userId"]
    assert str(caught[0].message) == (
        "column 'name' looks like an identifier: all 60 values are distinct, so what it says"
        " about these rows says nothing about others.\n"
        "  Hint: leave it out, by dropping it or with schema=Schema(ignore=['name'])."
    )


def test_no_identifier_in_arrays_small_tables_or_ignored_columns() -> None:
    texts = [f"p{i}" for i in range(60)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(np.array(texts).reshape(-1, 1))
        read_table({"name": texts[:7]})
        read_table({"row_id": list(range(49))})
        read_table({"name": texts, "x": [1.0] * 60}, schema=Schema(ignore=["name"]))


def test_an_ignored_column_may_be_there_or_not() -> None:
    schema = Schema(ignore=["Day"])
    fitted = read_table({"Day": ["D1"], "x": [1.0], "y": [2.0]}, schema=schema).schema
    for given in ({"Day": ["D2"], "x": [3.0], "y": [4.0]}, {"x": [3.0], "y": [4.0]}):
        table = match_table(given, fitted, owner="Tree")
        assert [column.tolist() for column in table.columns] == [[3.0], [4.0]]
    array = read_table(np.array([[1.0, 2.0], [3.0, 4.0]]), schema=Schema(ignore=[0]))
    matched = match_table(np.array([[5.0, 6.0]]), array.schema, owner="Tree")
    assert [column.tolist() for column in matched.columns] == [[6.0]]
    with pytest.raises(ColumnMismatchError, match="X has 1 features, but Tree is expecting 2"):
        match_table(np.array([[5.0]]), array.schema, owner="Tree")


def test_ignoring_every_column_is_an_error() -> None:
    with pytest.raises(DataError, match=r"0 feature\(s\)[\s\S]*Every column is ignored"):
        read_table({"x": [1]}, schema=Schema(ignore=["x"]))


def test_the_number_of_columns_is_compared_in_scikit_learns_words() -> None:
    fitted = read_table(np.zeros((2, 3))).schema
    with pytest.raises(ColumnMismatchError) as caught:
        match_table(np.zeros((2, 2)), fitted, owner="DecisionTreeClassifier")
    assert str(caught.value) == (
        "X has 2 features, but DecisionTreeClassifier is expecting 3 features as input."
    )


def test_a_frame_keeps_its_declared_domains() -> None:
    frame = load_example("play_tennis_penn").X
    table = read_table(frame)
    assert table.schema.column("H").values == ("H", "N", "L")
    assert table.schema.named
    assert match_table(frame[[0]], table.schema, owner="Tree").n_rows == 1


def test_values_that_only_dropped_rows_had_leave_an_inferred_domain() -> None:
    from treewright.data.column import text_column
    from treewright.data.frame import Frame

    frame = Frame({"x": text_column(["a", "b", "c", None])})
    table = read_table(frame.rows([2, 0, 3]))
    assert table.schema.columns[0].values == ("a", "c")
    assert table.columns[0].tolist() == [1, 0, -1]


def test_rows_are_taken_from_a_table() -> None:
    table = read_table({"x": [1, None, 3], "y": ["a", "b", None]})
    some = table.take(np.array([2, 0]))
    assert [column.tolist() for column in some.columns] == [[3, 1], [-1, 0]]
    assert len(some) == 2
    assert read_table(np.eye(3)).take(np.array([1])).columns[1].tolist() == [1.0]


@pytest.mark.parametrize(
    "name",
    ["", "x" * 10_000, "שלום", "<script>alert(1)</script>", "'; DROP TABLE x", "a\nb"],
)
def test_any_text_is_a_name(name: str) -> None:
    table = read_table({name: [1.0, 2.0]})
    assert table.schema.names == (name,)
    assert match_table({name: [1.0]}, table.schema, owner="Tree").n_rows == 1
    with pytest.raises(ColumnMismatchError) as caught:
        match_table({"other": [1.0]}, table.schema, owner="Tree")
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array])
@pytest.mark.parametrize("index", [10**6, -7])
def test_a_sparse_table_whose_indices_lead_outside_is_refused(make, index: int) -> None:
    table = make(np.eye(30)[:, :5] + 1)
    (table.col if hasattr(table, "col") else table.indices)[0] = index
    with pytest.raises(DataError, match="the sparse table is damaged"):
        read_table(table)


def test_unseen_values_can_be_refused() -> None:
    rows = [
        {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": wind}
        for wind in ("Weak", "Gale", None, "Gale")
    ]
    match_table(rows[:1], TENNIS, owner="Tree", by_name=True, unseen="error")
    with pytest.raises(DataError) as caught:
        match_table(rows, TENNIS, owner="Tree", by_name=True, unseen="error")
    assert str(caught.value) == (
        "column 'Wind', row 1 holds 'Gale', which was not there at fit (nor were those of 1 more"
        " rows).\n"
        "  Hint: unseen='missing' or unseen='majority' gives such rows an answer."
    )


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_arrays_of_text_match_as_lists_of_text_do(n_jobs: int | None) -> None:
    random = np.random.default_rng(0)
    words = np.array(["", "oak", "ash", "a long name", "yew"])
    fitted = read_table({"a": words.tolist(), "b": words.tolist(), "n": range(5)}).schema
    given = np.array(["oak", "ash", "elm", "a longer name", "", "a long name"])
    columns = {
        "a": random.choice(given, 50_000),
        "b": random.choice(words[:3], 50_000),
        "n": np.arange(50_000),
    }
    table = match_table(columns, fitted, owner="Tree", n_jobs=n_jobs)
    plain = {name: column.tolist() for name, column in columns.items()}
    expected = match_table(plain, fitted, owner="Tree")
    for found, due in zip(table.columns, expected.columns, strict=True):
        assert np.array_equal(found, due)
    with pytest.raises(DataError, match=r"'elm'|'a longer name'"):
        match_table(columns, fitted, owner="Tree", unseen="error", n_jobs=n_jobs)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64", "bool", "float32"])
def test_columns_of_numpy_types_are_read_as_their_arrays(dtype: str) -> None:
    values = np.array([3, 0, 1, 7, 1]).astype(dtype)
    of_frame = read_table(pd.DataFrame({"x": values, "y": [1.5, 2.0, 3.0, 4.0, 5.0]}))
    of_arrays = read_table({"x": values, "y": np.array([1.5, 2.0, 3.0, 4.0, 5.0])})
    assert of_frame.schema == of_arrays.schema
    assert of_frame.columns[0].dtype == of_arrays.columns[0].dtype
    np.testing.assert_array_equal(of_frame.columns[0], of_arrays.columns[0])
    assert of_frame.masks == of_arrays.masks
