"""Targets and weights: what is learned from, checked once."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from treewright.data.frame import Frame
from treewright.data.objects import read_objects
from treewright.data.read.target import read_classes, read_values
from treewright.data.read.weights import read_weights
from treewright.errors import DataError, TargetError

OWNER = "DecisionTreeClassifier"


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["no", "yes", "no"], ["no", "yes"]),
        (np.array(["no", "yes", "no"]), ["no", "yes"]),
        (np.array([False, True, False]), [False, True]),
        ([3, 7, 3], [3, 7]),
        ([-1.0, 2.0, -1.0], [-1.0, 2.0]),
        (np.array([10, 200, 10], dtype=np.uint8), [10, 200]),
        (np.array([1, 2**60, 1], dtype=object), [1, 2**60]),
        (pd.Series(["a", "b", "a"], dtype="category"), ["a", "b"]),
        (pd.Series([1, 2, 1], dtype="Int64"), [1, 2]),
        (pl.Series(["a", "b", "a"]), ["a", "b"]),
        (pa.chunked_array([["a"], ["b", "a"]]), ["a", "b"]),
        (("x", "y", "x"), ["x", "y"]),
    ],
)
def test_classes_of_every_kind(y: object, classes: list) -> None:
    target = read_classes(y, owner=OWNER, n_rows=3)
    assert target.single
    assert target.codes.dtype == np.int32
    assert target.codes.tolist() == [0, 1, 0]
    assert target.classes[0].tolist() == classes


@pytest.mark.parametrize("dtype", ["U3", "i4", "f4", "?", "u1", object])
def test_classes_keep_the_type_of_the_target(dtype: object) -> None:
    y = np.array(["1", "0"]).astype(int).astype(dtype)  # type: ignore[call-overload]
    expected = np.dtype(np.int64) if dtype is object else y.dtype
    assert read_classes(y, owner=OWNER).classes[0].dtype == expected


def test_two_columns_are_two_outputs() -> None:
    y = np.array([["a", "x"], ["b", "y"], ["a", "z"]])
    target = read_classes(y, owner=OWNER)
    assert not target.single
    assert target.codes.tolist() == [[0, 0], [1, 1], [0, 2]]
    assert [classes.tolist() for classes in target.classes] == [["a", "b"], ["x", "y", "z"]]
    frame = pd.DataFrame({"p": ["a", "b", "a"], "q": [3, 1, 3]})
    assert read_classes(frame, owner=OWNER).classes[1].tolist() == [1, 3]
    values = read_values(pl.DataFrame({"p": [1.5, 2.0], "q": [1, 2]}), owner=OWNER)
    assert (values.single, values.values.tolist()) == (False, [[1.5, 1.0], [2.0, 2.0]])


def test_there_is_one_zero() -> None:
    given = np.array([-0.0, 0.0, -1.5])
    values = read_values(given, owner=OWNER).values
    assert np.signbit(values).tolist() == [False, False, True]
    assert np.signbit(given[0])


@pytest.mark.parametrize("read", [read_classes, read_values])
def test_a_column_vector_warns_in_scikit_learns_words(read) -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array"):
        target = read(np.array([[1], [0]]), owner=OWNER)
    assert target.single


def test_a_frame_of_ours_is_a_target() -> None:
    frame = Frame({"y": read_objects([1, 2], "y"), "z": read_objects([3, 4], "z")})
    assert read_values(frame, owner=OWNER).values.tolist() == [[1, 3], [2, 4]]
    assert read_classes(frame["y"], owner=OWNER).classes[0].tolist() == [1, 2]


@pytest.mark.parametrize("read", [read_classes, read_values])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, r"^DecisionTreeClassifier requires y to be passed, but the target y is None.\n"),
        ([1.0, np.nan, np.nan], r"^Input y contains NaN\.\n  2 of 3 values are missing, the first"),
        ([1, None], r"^Input y contains NaN\.\n  1 of 2 values are missing, the first in row 1"),
        ([None, "a"], r"^Input y contains NaN\.\n  1 of 2 values are missing, the first in row 0"),
        (pd.Series([1, None], dtype="Int64"), r"^Input y contains NaN\."),
        (np.ma.MaskedArray([1, 2], mask=[False, True]), r"^Input y contains NaN\."),
        (
            [1.0, np.inf],
            r"^Input y contains infinity or a value too large for dtype\('float64'\)\.\n  1 of 2",
        ),
        (["a", 1], r"mixes text and numbers: row 0 holds 'a', row 1 holds 1"),
        (np.array([1j]), r"^Complex data not supported"),
        (np.zeros((2, 2, 2)), r"^y should be a 1d array, got an array of shape \(2, 2, 2\)"),
        (np.float64(1), r"^y should be a 1d array, got an array of shape \(\) instead"),
        ([], r"0 sample\(s\)"),
        (sp.csr_array([[1]]), r"a sparse target is not supported"),
        (np.array(["2024-01-01"], dtype="M8[D]"), r"DecisionTreeClassifier needs .* holds dates"),
        ([b"a"], r"bytes"),
    ],
)
def test_targets_that_cannot_be_learned(read, y: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(y, owner=OWNER)


def test_lengths_are_compared() -> None:
    with pytest.raises(TargetError) as caught:
        read_values(np.zeros(9), owner=OWNER, n_rows=10)
    assert str(caught.value) == (
        "Found input variables with inconsistent numbers of samples: [10, 9].\n"
        "  X has 10 rows, y has 9.\n"
        "  Hint: select the rows of both alike: keep = ...; fit(X[keep], y[keep])."
    )


def test_decimals_are_no_classes() -> None:
    y = np.arange(9812) + 0.5
    with pytest.raises(TargetError) as caught:
        read_classes(y, owner="C45Classifier")
    assert str(caught.value) == (
        "Unknown label type: continuous. C45Classifier needs classes, but the target has 9 812"
        " distinct decimal numbers.\n  Hint: use DecisionTreeRegressor, or bin the target first."
    )


def test_text_is_no_number() -> None:
    with pytest.raises(TargetError) as caught:
        read_values(["low", "high"], owner="CARTRegressor")
    assert str(caught.value) == (
        "CARTRegressor needs numbers, but the target holds text: row 0 is 'low'.\n"
        "  Hint: use CARTClassifier, or convert the target to numbers."
    )
    with pytest.raises(TargetError, match="Hint: use DecisionTreeClassifier, or convert"):
        read_values(["low", "high"], owner="M5Regressor")  # there is no M5 for classes


@pytest.mark.parametrize("y", [[1, 2], [True, False], np.array([1, 2], dtype=">f4"), (1.0, 2.0)])
def test_numbers_become_float64(y: object) -> None:
    values = read_values(y, owner=OWNER).values
    assert (values.dtype, values.flags.c_contiguous) == (np.float64, True)


def test_no_weights_stay_none_and_a_scalar_is_for_all() -> None:
    assert read_weights(None, 3) is None
    weights = read_weights(2, 3)
    assert weights is not None
    assert weights.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series])
def test_weights_of_every_kind(make) -> None:
    weights = read_weights(make([1, 0, 3]), 3)
    assert weights is not None
    assert weights.tolist() == [1.0, 0.0, 3.0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2, 3], r"Negative values in data passed to `sample_weight`: row 1 has -2\."),
        ([1, np.nan, 3], r"sample_weight of row 1 is nan"),
        ([1, None, 3], r"sample_weight of row 1 is nan"),
        ([1, 2, np.inf], r"sample_weight of row 2 is inf"),
        ([0, 0, 0], r"sample_weight is zero for every row"),
        ([1, 2], r"sample_weight has 2 values, the table has 3 rows\."),
        (np.ones((3, 2)), r"shape \(3, 2\); Sample weights must be 1D array or scalar"),
        (["a", "b", "c"], r"sample_weight must be numbers"),
    ],
)
def test_weights_that_make_no_sense(weights: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_weights(weights, 3)


@given(st.sampled_from([1e300, 1.7e308, 1e-300, 5e-324, 1.0, 1e30]))
def test_extreme_weights_are_scaled_by_a_power_of_two(largest: float) -> None:
    given_weights = np.array([largest, largest / 4, 0.0])
    weights = read_weights(given_weights, 3)
    assert weights is not None
    assert np.isfinite(weights.sum() ** 2)
    assert weights[0] > 0
    assert weights[1] / weights[0] == given_weights[1] / given_weights[0]
    if 1e-50 < largest < 1e50:
        assert weights.tolist() == given_weights.tolist()


def test_lists_of_different_lengths() -> None:
    for read in (read_classes, read_values):
        with pytest.raises(DataError, match="lists of different lengths, where one value for each"):
            read([[1, 2], [3]], owner=OWNER)


def test_complex_weights() -> None:
    with pytest.raises(DataError, match=r"sample_weight must be numbers, not complex128\."):
        read_weights(np.array([1j, 2]), 2)
