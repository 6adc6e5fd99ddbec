"""Values that only Python, Arrow or scipy can hold: each is read, or refused by name and row."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

from treewright import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.errors import DataError, TargetError

X = [[1.0], [2.0], [3.0], [4.0]]
HALF = "\ud800"  # half a character


def test_classes_beyond_64_bits_are_told_apart_or_refused() -> None:
    with pytest.raises(TargetError, match=f"y, row 1 holds {10**30 + 1}, which 64 bits cannot"):
        DecisionTreeClassifier().fit(X, [10**30, 10**30 + 1, 10**30, 3])
    model = DecisionTreeClassifier().fit(X, [10**30, 10**30, 3, 3])
    assert model.predict(X).tolist() == [1e30, 1e30, 3.0, 3.0]


def test_a_target_beyond_all_floats_is_infinite() -> None:
    with pytest.raises(TargetError, match="contains infinity"):
        DecisionTreeRegressor().fit(X, [10**400, 1, 2, 3])
    assert DecisionTreeRegressor().fit(X, [10**30, 10**30 + 1, 2, 3]).predict([[4.0]]) == [3.0]


def test_a_signalling_nan_is_a_gap() -> None:
    column = [Decimal("sNaN"), Decimal(2), Decimal(3), Decimal(4)]
    assert (
        DecisionTreeClassifier().fit({"d": column}, [0, 0, 1, 1]).score({"d": column}, [0, 0, 1, 1])
    )
    with pytest.raises(TargetError, match="first in row 0"):
        DecisionTreeRegressor().fit(X, column)


@pytest.mark.parametrize("index", [pa.uint8(), pa.uint32(), pa.int8()])
def test_dictionaries_of_arrow_may_have_unsigned_indices(index: pa.DataType) -> None:
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1], index), pa.array(["x", "y"]))
    model = DecisionTreeClassifier().fit(pa.table({"u": coded}), [0, 1, 0, 1])
    assert model.predict(pa.table({"u": coded})).tolist() == [0, 1, 0, 1]


def test_a_union_is_refused_by_name() -> None:
    union = pa.UnionArray.from_sparse(
        pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])]
    )
    with pytest.raises(DataError, match="column 'u' has type sparse_union"):
        DecisionTreeClassifier().fit(pa.table({"u": union}), [0, 1, 0])


@pytest.mark.parametrize("index", [5, -7])
def test_lists_of_lists_that_lead_outside_are_refused(index: int) -> None:
    matrix = sp.lil_matrix((3, 2))
    matrix.rows[1], matrix.data[1] = [index], [2.0]
    with pytest.raises(DataError, match="row 1 has an index outside the matrix"):
        DecisionTreeClassifier().fit(matrix, [0, 1, 0])


def test_half_a_character_is_a_text_like_any_other() -> None:
    words = pd.Series([HALF, "b", HALF], dtype=object)
    for table in (pd.DataFrame({"a": words}), {"a": words.tolist()}):
        model = DecisionTreeClassifier().fit(table, [0, 1, 0])
        assert model.predict(table).tolist() == [0, 1, 0]
        assert "\\ud800" in model.text()
    assert np.array_equal(DecisionTreeClassifier().fit(X[:3], words).predict(X[:3]), words)
