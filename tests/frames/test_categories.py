"""Categorical types, which every library has in its own way."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.data.read.table import match_table, read_table

LEVELS = ["lo", "mid", "hi"]


def arrow_dictionary(ordered: bool) -> pa.Table:
    indices = pa.array([2, None, 0], type=pa.int8())
    column = pa.DictionaryArray.from_arrays(indices, LEVELS, ordered=ordered)
    return pa.table({"x": column})


def pandas_categories(ordered: bool) -> pd.DataFrame:
    return pd.DataFrame({"x": pd.Categorical(["hi", None, "lo"], LEVELS, ordered=ordered)})


CATEGORIES = {
    "pandas": pandas_categories(False),
    "pyarrow": arrow_dictionary(False),
    "polars enum": pl.DataFrame({"x": pl.Series(["hi", None, "lo"], dtype=pl.Enum(LEVELS))}),
}


@pytest.mark.parametrize("given", CATEGORIES.values(), ids=CATEGORIES.keys())
def test_the_categories_of_the_type_are_the_domain(given: Any) -> None:
    table = read_table(given)
    assert table.schema.columns[0].kind == "nominal"
    assert table.schema.columns[0].values == ("lo", "mid", "hi")
    assert table.columns[0].tolist() == [2, -1, 0]
    for other in CATEGORIES.values():
        assert match_table(other, table.schema, owner="Tree").columns[0].tolist() == [2, -1, 0]


@pytest.mark.parametrize("given", [pandas_categories(True), arrow_dictionary(True)])
def test_ordered_categories_are_ordinal(given: Any) -> None:
    spec = read_table(given).schema.columns[0]
    assert (spec.kind, spec.values) == ("ordinal", ("lo", "mid", "hi"))


def test_polars_shares_its_categories_so_only_those_that_occur_count() -> None:
    pl.Series(["elsewhere"], dtype=pl.Categorical)
    given = pl.DataFrame({"x": pl.Series(["b", None, "a"], dtype=pl.Categorical)})
    table = read_table(given)
    assert table.schema.columns[0].values == ("a", "b")
    assert table.columns[0].tolist() == [1, -1, 0]


def test_arrow_chunks_with_dictionaries_of_their_own() -> None:
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()]
    given = pa.table({"x": pa.chunked_array(chunks)})
    table = read_table(given)
    values = table.schema.columns[0].values
    assert [values[code] for code in table.columns[0]] == ["b", "a", "c", "b"]


def test_categories_that_are_numbers_are_matched_by_value() -> None:
    given = pd.DataFrame({"x": pd.Categorical([30, 10, None])})
    fitted = read_table(given).schema
    assert fitted.columns[0].values == (10, 30)
    table = match_table(pd.DataFrame({"x": [10.0, 30.0, 20.0]}), fitted, owner="Tree")
    assert table.columns[0].tolist() == [0, 1, -2]


def test_intervals_are_said_in_words() -> None:
    given = pd.DataFrame({"x": pd.cut(pd.Series([1, 5, 9]), [0, 3, 6, 10])})
    spec = read_table(given).schema.columns[0]
    assert (spec.kind, spec.values) == ("ordinal", ("(0, 3]", "(3, 6]", "(6, 10]"))


@pytest.mark.parametrize("dtype", ["UInt64", "uint64"])
def test_the_largest_unsigned_integers(dtype: Any) -> None:
    table = read_table(pd.DataFrame({"x": pd.Series([2**64 - 1, 0], dtype=dtype)}))
    spec = table.schema.columns[0]
    assert [spec.format(value) for value in table.columns[0]] == [str(2**64 - 1), "0"]


def test_wide_polars_integers() -> None:
    wide = pl.DataFrame({"x": pl.Series([2**60 + 1, None], dtype=pl.Int128)})
    table = read_table(wide)
    assert table.columns[0].tolist()[0] == 2**60 + 1
    beyond = pl.DataFrame({"x": pl.Series([2**100, None], dtype=pl.Int128)})
    np.testing.assert_array_equal(read_table(beyond).columns[0], [2.0**100, np.nan])


def test_pandas_floats_are_not_copied() -> None:
    values = np.array([1.0, 2.0, 3.0])
    given = pd.DataFrame({"x": values}, copy=False)
    assert np.shares_memory(read_table(given).columns[0], given["x"].to_numpy())


def test_pandas_sparse_and_half_floats() -> None:
    given = pd.DataFrame({"x": pd.arrays.SparseArray([0.0, 1.0, np.nan])})
    np.testing.assert_array_equal(read_table(given).columns[0], [0, 1, np.nan])
    half = pd.DataFrame({"x": np.array([1, 2], dtype=np.float16)})
    assert read_table(half).columns[0].dtype == np.float32
