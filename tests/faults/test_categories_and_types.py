"""Categories, integers, dates and columns that change between fit and predict (FAULTS 23-32)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from every_estimator import CLASSIFIERS, ESTIMATORS, trees_of
from scipy import sparse

from treewright import (
    DecisionTreeClassifier,
)
from treewright.errors import ColumnMismatchError, DataError, IdentifierWarning

COLOURS = pd.DataFrame({"colour": ["red", "green", "blue", "red", "blue", "blue"]})
LIKED = [1, 0, 0, 1, 0, 0]


def test_an_unseen_category_takes_the_branch_of_missing_values() -> None:
    """FAULTS 23."""
    model = DecisionTreeClassifier(missing="divide").fit(COLOURS, LIKED)
    unseen, missing = pd.DataFrame({"colour": ["mauve"]}), pd.DataFrame({"colour": [None]})
    assert model.predict_proba(unseen).tolist() == model.predict_proba(missing).tolist()


def test_an_unseen_category_can_follow_the_majority() -> None:
    """FAULTS 23."""
    model = DecisionTreeClassifier(unseen="majority", missing="divide").fit(COLOURS, LIKED)
    assert model.predict_proba(pd.DataFrame({"colour": ["mauve"]})).tolist() == [[1.0, 0.0]]


def test_an_unseen_category_can_be_an_error_that_names_it() -> None:
    """FAULTS 23."""
    model = DecisionTreeClassifier(unseen="error").fit(COLOURS, LIKED)
    with pytest.raises(DataError, match=r"column 'colour', row 1 holds 'mauve', which was not"):
        model.predict(pd.DataFrame({"colour": ["red", "mauve"]}))


# Boosting says more: that it tells fewer apart, and that none is worth a question.
@pytest.mark.filterwarnings("ignore::treewright.errors.ManyCategoriesWarning")
@pytest.mark.filterwarnings("ignore::treewright.errors.NoSplitWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_hundred_thousand_categories_are_fast_and_warn(estimator: Any) -> None:
    """FAULTS 24."""
    n_rows = 100_000
    ids = pd.DataFrame({"user": [f"u{i:06d}" for i in range(n_rows)]})
    y = np.arange(n_rows) % 3
    start = time.perf_counter()
    with pytest.warns(IdentifierWarning, match="column 'user' looks like an identifier"):
        model = estimator().fit(ids, y)
    assert len(trees_of(model)[0].schema.columns[0].values) == n_rows
    assert model.predict(ids[:5]).shape == (5,)
    assert time.perf_counter() - start < 10  # about 0.1 s when the machine is idle


def test_a_hundred_thousand_categories_that_repeat_do_not_warn() -> None:
    """FAULTS 24."""
    codes = np.random.default_rng(0).integers(0, 100_000, 300_000)
    x = pd.DataFrame({"shop": pd.Categorical.from_codes(codes, [f"s{i}" for i in range(100_000)])})
    model = DecisionTreeClassifier(max_depth=3).fit(x, codes % 2)
    assert (model.predict(x) == codes % 2).all()


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_categories_are_matched_by_value_not_by_code(estimator: Any) -> None:
    """FAULTS 25."""
    colours = [*COLOURS["colour"]] * 10
    fitted = pd.DataFrame({"colour": pd.Categorical(colours, ["red", "green", "blue"])})
    other = pd.DataFrame({"colour": pd.Categorical(colours, ["pink", "blue", "red", "green"])})
    # Three rounds of a small learning rate do not yet say what the rows say.
    at_once = {"learning_rate": 1.0} if "learning_rate" in estimator().get_params() else {}
    model = estimator(**at_once).fit(fitted, LIKED * 10)
    assert model.predict(fitted).tolist() == LIKED * 10
    assert model.predict(other).tolist() == LIKED * 10
    assert model.predict(pd.DataFrame({"colour": colours})).tolist() == LIKED * 10


@pytest.mark.parametrize(
    "start", [2**53, 2**62, -(2**63), 2**63 - 4], ids=["2^53", "2^62", "least", "largest"]
)
def test_large_integers_are_exact(start: int) -> None:
    """FAULTS 26."""
    x = np.array([[start], [start + 1], [start + 2], [start + 3]], dtype=np.int64)
    model = DecisionTreeClassifier().fit(x, [0, 1, 0, 1])
    assert model.predict(x).tolist() == [0, 1, 0, 1]
    assert f"x0 <= {start}" in model.tree_.text()


def test_the_largest_unsigned_integers_are_exact() -> None:
    """FAULTS 26."""
    x = np.array([[2**64 - 1], [2**64 - 2], [2**63], [0]], dtype=np.uint64)
    model = DecisionTreeClassifier().fit(x, [0, 1, 0, 1])
    assert model.predict(x).tolist() == [0, 1, 0, 1]
    assert f"x0 <= {2**64 - 2}" in model.tree_.text()


def test_integers_fitted_may_come_as_floats_and_the_reverse() -> None:
    """FAULTS 27."""
    whole = pd.DataFrame({"age": [1, 2, 3, 4]})
    decimal = whole.astype(float)
    for fitted in (whole, decimal):
        model = DecisionTreeClassifier().fit(fitted, [0, 1, 0, 1])
        assert model.predict(whole).tolist() == [0, 1, 0, 1]
        assert model.predict(decimal).tolist() == [0, 1, 0, 1]
        assert model.predict(decimal.astype("float32")).tolist() == [0, 1, 0, 1]
    for fitted in (whole, decimal):
        model = DecisionTreeClassifier().fit(fitted, [0, 0, 1, 1])
        assert model.predict(decimal + 0.5).tolist() == [0, 0, 1, 1]  # the cut is at 2.5
    # Of integers that no float equals cuts are whole: 2.5 is above 2.
    large = pd.DataFrame({"age": [1, 2, 2**53, 2**53 + 1]})
    beyond = DecisionTreeClassifier(threshold_at="observed").fit(large, [0, 0, 1, 1])
    assert beyond.tree_.schema.columns[0].storage == "int"
    assert beyond.predict(decimal + 0.5).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("dtype", [int, float])
def test_text_where_numbers_were_fitted_is_an_error_naming_the_column(dtype: type) -> None:
    """FAULTS 27."""
    x = pd.DataFrame({"age": [1, 2, 3, 4]}).astype(dtype)
    model = DecisionTreeClassifier().fit(x, [0, 1, 0, 1])
    with pytest.raises(DataError, match=r"column 'age' was fitted on numbers, but row 0 holds the"):
        model.predict(x.astype(str))


def test_dates_with_and_without_a_time_zone_do_not_mix() -> None:
    """FAULTS 28."""
    naive = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=4)})
    aware = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=4, tz="Europe/Berlin")})
    y = [0, 0, 1, 1]
    with pytest.raises(DataError, match="column 'day' was fitted on dates without a time zone"):
        DecisionTreeClassifier().fit(naive, y).predict(aware)
    with pytest.raises(DataError, match="column 'day' was fitted on dates with a time zone"):
        DecisionTreeClassifier().fit(aware, y).predict(naive)
    in_utc = pd.DataFrame({"day": aware["day"].dt.tz_convert("UTC")})
    assert DecisionTreeClassifier().fit(aware, y).predict(in_utc).tolist() == y


def test_dates_that_mix_time_zones_in_one_column_are_an_error() -> None:
    """FAULTS 28."""
    mixed = [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02", tz="UTC")]
    x = pd.DataFrame({"day": np.array(mixed, dtype=object)})
    with pytest.raises(DataError, match="column 'day' mixes dates with and without a time zone"):
        DecisionTreeClassifier().fit(x, [0, 1])


def test_not_a_time_is_missing() -> None:
    """FAULTS 28."""
    days = pd.DataFrame({"day": [*pd.date_range("2024-01-01", periods=4), pd.NaT]})
    model = DecisionTreeClassifier(missing="divide").fit(days, [0, 0, 1, 1, 1])
    assert model.tree_.schema.columns[0].storage == "datetime"
    shares = model.predict_proba(pd.DataFrame({"day": pd.to_datetime([None])}))
    # Half of the row without a day went left, where it is a fifth of the weight.
    assert shares == pytest.approx(np.array([[0.5 * 0.8, 0.5 * 0.2 + 0.5]]))


STRANGE_NAMES = {
    "empty": "",
    "long": "x" * 10_000,
    "right to left": "\u202eגיל",
    "markup": "<script>alert('x')</script>",
    "query": "'; DROP TABLE rows; --",
    "lines": "first\nsecond\r\tthird",
    "terminal": "\x1b[31mred\x00",
    "braces": "{0} %s \\n $x",
}


def test_repeated_column_names_are_an_error_that_names_them() -> None:
    """FAULTS 29."""
    x = pd.DataFrame([[1, 2, 3]], columns=["age", "size", "age"])
    with pytest.raises(DataError, match="the table has more than one column called 'age'"):
        DecisionTreeClassifier().fit(x, [0])


@pytest.mark.parametrize("name", STRANGE_NAMES.values(), ids=STRANGE_NAMES.keys())
def test_strange_column_names_work_and_keep_to_their_line(name: str) -> None:
    """FAULTS 29."""
    x = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0], "other": [1.0, 1.0, 1.0, 1.0]})
    model = DecisionTreeClassifier().fit(x, [0, 0, 1, 1])
    tree = model.tree_
    assert model.feature_names_in_.tolist() == [name, "other"]
    assert model.predict(x).tolist() == [0, 0, 1, 1]
    assert tree.predict(x[["other", name]]).tolist() == [0, 0, 1, 1]
    assert tree.explain({name: 1.0}).label == 0
    assert len(tree.text().splitlines()) == 4
    assert len(tree.rules().text().splitlines()) == 2
    for text in (tree.text(), tree.rules().text(), str(tree.dnf(1)), str(tree.why(0))):
        for line in text.splitlines():
            assert line.isprintable(), line
    assert max(map(len, tree.text().splitlines())) < 120
    assert tree.to_dict()["columns"][0]["name"] == name
    with pytest.raises(ColumnMismatchError) as caught:
        model.predict(x.rename(columns={name: "renamed"}))
    assert len(str(caught.value)) < 1000


def test_an_empty_column_name_is_printed_in_quotes() -> None:
    """FAULTS 29."""
    x = pd.DataFrame({"": [1.0, 2.0]})
    assert "'' <= 1.5" in DecisionTreeClassifier().fit(x, [0, 1]).tree_.text()


@pytest.mark.parametrize("value", STRANGE_NAMES.values(), ids=STRANGE_NAMES.keys())
def test_strange_categories_and_classes_keep_to_their_line(value: str) -> None:
    """FAULTS 29."""
    x = pd.DataFrame({"c": [value, "plain", value, "plain"]})
    tree = DecisionTreeClassifier().fit(x, [value, "plain", value, "plain"]).tree_
    assert tree.predict(x).tolist() == [value, "plain", value, "plain"]
    assert len(tree.text().splitlines()) == 4
    assert len(tree.rules().text().splitlines()) == 2
    assert all(line.isprintable() for line in tree.text().splitlines())


PEOPLE = pd.DataFrame(
    {"age": [20.0, 30, 40, 50], "income": [1.0, 4, 2, 3], "region": ["n", "s", "n", "s"]}
)


def test_the_fitted_columns_are_the_columns_due() -> None:
    """FAULTS 30: scikit-learn's rules, in its wording."""
    model = DecisionTreeClassifier().fit(PEOPLE, [0, 0, 1, 1])
    with pytest.raises(ColumnMismatchError, match="yet now missing:\n- income\n"):
        model.predict(PEOPLE[["age", "region"]])
    with pytest.raises(ColumnMismatchError, match="unseen at fit time:\n- height\n"):
        model.predict(PEOPLE.assign(height=1.0))
    with pytest.raises(ColumnMismatchError, match="must be in the same order as they were in fit"):
        model.predict(PEOPLE[["income", "age", "region"]])
    with pytest.raises(ColumnMismatchError, match=r"Hint: rename 'Income' to 'income'"):
        model.predict(PEOPLE.rename(columns={"income": "Income"}))


def test_the_tree_takes_columns_in_any_order_and_leaves_out_others() -> None:
    """FAULTS 30."""
    model = DecisionTreeClassifier().fit(PEOPLE, [0, 0, 1, 1])
    shuffled = PEOPLE.assign(height=1.0)[["income", "height", "region", "age"]]
    assert model.tree_.predict(shuffled).tolist() == [0, 0, 1, 1]


def test_arrays_with_another_number_of_columns_are_an_error() -> None:
    """FAULTS 30."""
    model = DecisionTreeClassifier().fit(np.eye(4), [0, 0, 1, 1])
    with pytest.raises(
        ColumnMismatchError, match="X has 3 features, but DecisionTreeClassifier is"
    ):
        model.predict(np.eye(3))


def _layouts(x: Any, folder: Path) -> dict[str, Any]:
    readonly = x.copy()
    readonly.flags.writeable = False
    mapped = np.memmap(folder / "x.bin", dtype=x.dtype, mode="w+", shape=x.shape)
    mapped[:] = x
    shifted = np.empty(x.nbytes + 1, dtype=np.uint8)[1:].view(x.dtype).reshape(x.shape)
    shifted[:] = x
    return {
        "read-only": readonly,
        "Fortran order": np.asfortranarray(x),
        "negative strides": np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
        "every other row and column": np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
        "memory map": mapped,
        "big-endian": x.astype(x.dtype.newbyteorder(">")),
        "not aligned": shifted,
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_layout_in_memory_gives_the_same_tree(dtype: Any, tmp_path: Path) -> None:
    """FAULTS 31."""
    x = np.random.default_rng(0).normal(size=(80, 4)).astype(dtype)
    y = (x[:, 0] + x[:, 1] ** 2 > 0.3).astype(int)
    plain = DecisionTreeClassifier().fit(x, y)
    for name, same in _layouts(x, tmp_path).items():
        model = DecisionTreeClassifier().fit(same, y)
        assert model.tree_.arrays.equals(plain.tree_.arrays), name
        assert (plain.predict(same) == y).all(), name
        assert (plain.apply(same) == plain.apply(x)).all(), name


def test_half_precision_works() -> None:
    """FAULTS 31."""
    x = np.random.default_rng(0).normal(size=(80, 4)).astype(np.float16)
    y = (x[:, 0] > 0).astype(int)
    model = DecisionTreeClassifier().fit(x, y)
    assert (model.predict(x) == y).all()
    assert (model.predict(x.astype(np.float64)) == y).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.float64(3.0), "Expected 2D array, got scalar array instead"),
        (np.zeros(4), "Expected 2D array, got 1D array instead"),
        (np.zeros((4, 2, 2)), "Found array with dim 3, while dim <= 2 is required"),
    ],
    ids=["0-d", "1-d", "3-d"],
)
def test_other_dimensions_are_an_error(estimator: Any, x: Any, message: str) -> None:
    """FAULTS 31."""
    with pytest.raises(DataError, match=message):
        estimator().fit(x, [0, 1, 0, 1])
    model = estimator().fit(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(DataError, match=message):
        model.predict(x)


def _sparse_forms(x: Any) -> dict[str, Any]:
    explicit = sparse.csr_matrix(x)
    explicit.data[::3] = 0.0
    wide = sparse.csr_matrix(x)
    wide.indices = wide.indices.astype(np.int64)
    wide.indptr = wide.indptr.astype(np.int64)
    rows, columns = np.nonzero(x)
    order = np.random.default_rng(0).permutation(len(rows))
    halves = np.concatenate([order, order])  # each entry twice, as two halves, in no order
    parts = sparse.coo_matrix((x[rows, columns][halves] / 2, (rows[halves], columns[halves])))
    parts.resize(x.shape)
    unsorted = sparse.csr_matrix(x)
    for row in range(x.shape[0]):
        part = slice(unsorted.indptr[row], unsorted.indptr[row + 1])
        unsorted.indices[part] = unsorted.indices[part][::-1].copy()
        unsorted.data[part] = unsorted.data[part][::-1].copy()
    unsorted.has_sorted_indices = False
    return {
        "explicit zeros": explicit,
        "64-bit indices": wide,
        "duplicates": parts,
        "unsorted": unsorted,
        "columns": sparse.csc_array(x),
    }


def test_sparse_tables_are_what_they_are_when_dense() -> None:
    """FAULTS 32."""
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 5)) * (random.random((60, 5)) < 0.4)
    y = random.integers(0, 2, 60)
    for name, form in _sparse_forms(x).items():
        dense = form.toarray()
        expected = DecisionTreeClassifier().fit(dense, y)
        model = DecisionTreeClassifier().fit(form, y)
        assert model.tree_.arrays.equals(expected.tree_.arrays), name
        assert (model.predict(form) == model.predict(dense)).all(), name
