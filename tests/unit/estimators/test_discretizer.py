"""Numeric columns cut in advance, whatever table they are in."""

from __future__ import annotations

import pickle
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from treewright import DecisionTreeClassifier, Discretizer, ID3Classifier, Schema, load_example
from treewright.errors import ColumnMismatchError, DataError, ParameterError

MIXED = pd.DataFrame(
    {
        "size": [1.0, 2.0, np.nan, 4.0, 50.0, 60.0],
        "colour": ["red", "blue", None, "red", "blue", "red"],
        "count": pd.array([1, 2, 3, None, 5, 6], dtype="Int64"),
        "day": pd.to_datetime(["2024-01-01"] * 3 + ["2024-06-01"] * 3),
        "grade": pd.Categorical(list("abacba"), categories=list("abc"), ordered=True),
    },
    index=[10, 11, 12, 13, 14, 15],
)
Y = ["no", "no", "no", "yes", "yes", "yes"]


def test_mdlp_cuts_iris_where_the_literature_does() -> None:
    """The cut points that R's package discretization prints for iris."""
    iris = load_example("iris")
    cuts = Discretizer().fit(iris.X, iris.y).cuts_
    assert {name: cut.round(6).tolist() for name, cut in cuts.items()} == {
        "sepal length (cm)": [5.55, 6.15],
        "sepal width (cm)": [2.95, 3.35],
        "petal length (cm)": [2.45, 4.75],
        "petal width (cm)": [0.8, 1.75],
    }


@pytest.mark.parametrize("method", ["mdlp", "cal5"])
def test_the_cuts_are_those_of_the_root_of_a_tree(method: str) -> None:
    iris = load_example("iris")
    tree = DecisionTreeClassifier(numeric=method, criterion="entropy").fit(iris.X, iris.y).tree_
    question: Any = tree.question(0)
    cuts = Discretizer(method=method).fit(iris.X, iris.y).cuts_
    np.testing.assert_array_equal(cuts[question.column.name], question.cuts)


def test_quantiles_hold_equally_many_rows_and_part_no_equals() -> None:
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=1000), random.integers(0, 3, 1000)])
    codes = Discretizer(method="quantile", n_bins=5).fit_transform(X)
    assert np.bincount(codes[:, 0].astype(int)).tolist() == pytest.approx([200] * 5, abs=1)
    assert len(np.unique(codes[:, 1])) == 3
    for value in (0, 1, 2):
        assert len(np.unique(codes[X[:, 1] == value, 1])) == 1
    weights = random.integers(0, 3, 1000)
    weighted = Discretizer(method="quantile").fit(X, sample_weight=weights)
    written = Discretizer(method="quantile").fit(np.repeat(X, weights, axis=0))
    np.testing.assert_array_equal(weighted.cuts_["x0"], written.cuts_["x0"])


def test_uniform_intervals_have_one_width() -> None:
    X = np.array([[0.0], [10.0], [3.0], [np.inf], [-np.inf], [np.nan]])
    cut = Discretizer(method="uniform", n_bins=4).fit(X)
    assert cut.cuts_["x0"].tolist() == [2.5, 5.0, 7.5]
    codes = cut.transform(X)[:, 0]
    np.testing.assert_array_equal(codes, [0, 3, 1, 3, 0, np.nan])
    whole = Discretizer(method="uniform", n_bins=3).fit({"n": [2**60, 2**60 + 1, 2**60 + 2]})
    assert whole.cuts_["n"].tolist() == [2**60, 2**60 + 1]


@pytest.mark.parametrize("method", ["mdlp", "cal5", "quantile", "uniform"])
def test_a_column_without_values_or_with_one_has_one_interval(method: str) -> None:
    X = {"none": np.full(4, np.nan), "one": np.full(4, 7.0), "text": list("abab")}
    cut = Discretizer(method=method).fit(X, [0, 1, 0, 1])
    assert cut.labels_["none"] == cut.labels_["one"] == ("(-inf, inf)",)
    answer = cut.transform(X)
    assert answer[:, 2].tolist() == list("abab")
    assert answer[:, 1].tolist() == [0.0] * 4
    assert np.isnan(answer[:, 0].astype(float)).all()


def test_other_columns_and_gaps_stay_as_they_are() -> None:
    cut = Discretizer(method="quantile", n_bins=2).fit(MIXED)
    answer = cut.transform(MIXED)
    assert answer.dtype == object
    assert answer[:, 1].tolist() == ["red", "blue", None, "red", "blue", "red"]
    assert answer[:, 4].tolist() == list("abacba")
    np.testing.assert_array_equal(answer[:, 0].astype(float), [0, 0, np.nan, 1, 1, 1])
    np.testing.assert_array_equal(answer[:, 2].astype(float), [0, 0, 1, np.nan, 1, 1])
    assert cut.cuts_["day"].dtype.kind == "M"
    assert cut.labels_["day"][0].startswith("(-inf, 2024-03-17")
    assert cut.get_feature_names_out().tolist() == MIXED.columns.tolist()


def test_frames_come_out_as_asked_with_types_and_index() -> None:
    cut = Discretizer(method="quantile", n_bins=2).set_output(transform="pandas")
    frame = cut.fit_transform(MIXED)
    assert frame.index.tolist() == MIXED.index.tolist()
    assert frame["size"].dtype == np.float64
    assert frame["grade"].cat.ordered
    assert frame["colour"].isna().tolist() == MIXED["colour"].isna().tolist()
    labels = cut.set_params(encode="label").fit_transform(MIXED)
    assert labels["size"].cat.ordered
    assert labels["size"].cat.categories.tolist() == ["(-inf, 3]", "(3, inf)"]
    assert labels["size"].isna().tolist() == [False, False, True, False, False, False]
    in_polars = cut.set_output(transform="polars").fit_transform(pl.from_pandas(MIXED))
    assert isinstance(in_polars, pl.DataFrame)
    assert in_polars.columns == MIXED.columns.tolist()
    assert in_polars["size"].null_count() == 1


def test_numbers_of_intervals_can_be_read() -> None:
    cut = Discretizer(method="quantile", n_bins=2).fit(MIXED)
    said = cut.inverse_transform(cut.transform(MIXED))
    assert said[:, 0].tolist() == ["(-inf, 3]"] * 2 + [None] + ["(3, inf)"] * 3
    assert said[:, 1].tolist() == ["red", "blue", None, "red", "blue", "red"]
    labelled = clone(cut).set_params(encode="label").fit(MIXED)
    np.testing.assert_array_equal(labelled.transform(MIXED)[:, 0], said[:, 0])
    with pytest.raises(DataError) as caught:
        cut.inverse_transform(MIXED)
    assert str(caught.value) == (
        "column 'size', row 1 holds np.float64(2.0), which is no interval: they are numbered from"
        " 0 to 1.\n  Hint: pass what transform gave."
    )
    with pytest.raises(DataError, match="X has 2 features, but Discretizer is expecting 5"):
        cut.inverse_transform(MIXED.iloc[:, :2])


def test_what_the_schema_sets_apart_is_left_alone() -> None:
    schema = Schema(kinds={"count": "nominal"}, ignore=["size"])
    cut = Discretizer(method="quantile", n_bins=2, schema=schema).fit(MIXED)
    assert list(cut.cuts_) == ["day"]
    answer = cut.transform(MIXED)
    assert answer[0, 0] == 1.0
    assert answer[4, 2] == 5
    assert answer[3, 2] is None


def test_new_tables_are_matched_by_name_and_values_by_the_cuts() -> None:
    cut = Discretizer(method="quantile", n_bins=2).fit(MIXED)
    other = pd.DataFrame(
        {
            "size": [3.0, np.inf],
            "colour": ["green", "red"],
            "count": [2.5, 100.0],
            "day": [date(1999, 1, 1), date(2030, 1, 1)],
            "grade": pd.Categorical(["c", None], categories=list("abc"), ordered=True),
        }
    )
    other["day"] = pd.to_datetime(other["day"])
    answer = cut.transform(other)
    assert answer[:, 0].tolist() == [0.0, 1.0]
    assert answer[:, 1].tolist() == ["green", "red"]
    assert answer[:, 3].tolist() == [0.0, 1.0]
    with pytest.raises(ColumnMismatchError, match="'grade'"):
        cut.transform(other.drop(columns="grade"))


def test_it_works_in_a_pipeline_and_survives_pickling() -> None:
    iris = load_example("iris")
    pipe = make_pipeline(Discretizer(encode="label"), ID3Classifier()).fit(iris.X, iris.y)
    assert pipe.score(iris.X, iris.y) > 0.95
    again = pickle.loads(pickle.dumps(pipe[0]))
    np.testing.assert_array_equal(again.transform(iris.X), pipe[0].transform(iris.X))


def test_sample_weights_of_any_unit_make_the_same_cuts() -> None:
    iris = load_example("iris")
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 150)
    one = Discretizer().fit(iris.X, iris.y, weights).cuts_
    other = Discretizer().fit(iris.X, iris.y, 8 * weights).cuts_
    for name, cuts in one.items():
        np.testing.assert_array_equal(cuts, other[name])


def test_ranges_have_names_in_a_table_with_the_names_of_the_columns() -> None:
    iris = load_example("iris")
    names = ["low", "medium", "high"]
    cut = Discretizer(method="quantile", n_bins=3, labels=names).fit(iris.X)
    frame = cut.to_frame(iris.X)
    assert frame.columns == iris.X.columns
    tree = ID3Classifier(max_depth=1).fit(frame, iris.y).tree_
    assert tree.schema.columns[0].kind == "ordinal"
    assert tree.question(0).text(0) in (f"{tree.question(0).column.name} = low",)
    nominal = Discretizer(method="quantile", n_bins=3, labels=names, ordered=False).fit(iris.X)
    tree = ID3Classifier(max_depth=1).fit(nominal.to_frame(iris.X), iris.y).tree_
    assert tree.question(0).n_branches == 3
    assert nominal.set_output(transform="pandas").transform(iris.X).shape == (150, 4)


def test_ranges_are_told_in_words() -> None:
    iris = load_example("iris")
    cut = Discretizer(encode="label", labels="ranges").fit(iris.X, iris.y)
    assert cut.labels_["petal width (cm)"] == ("up to 0.8", "0.8 to 1.75", "above 1.75")
    assert cut.transform(iris.X)[0, 3] == "up to 0.8"
    some = Discretizer(labels={"petal width (cm)": ["s", "m", "l"]}).fit(iris.X, iris.y)
    assert some.labels_["petal width (cm)"] == ("s", "m", "l")
    assert some.labels_["petal length (cm)"][0] == "(-inf, 2.45]"


def test_intervals_of_unnamed_arrays_are_named_again() -> None:
    X = np.arange(24.0).reshape(12, 2)
    cut = Discretizer(method="uniform", n_bins=3, labels=["a", "b", "c"]).fit(X)
    assert cut.inverse_transform(cut.transform(X))[[0, 5, 11]].tolist() == [
        ["a", "a"],
        ["b", "b"],
        ["c", "c"],
    ]
    named = load_example("iris")
    known = Discretizer().fit(named.X, named.y)
    assert known.inverse_transform(known.transform(named.X))[0, 3] == "(-inf, 0.8]"


def test_names_that_do_not_fit_are_refused() -> None:
    iris = load_example("iris")
    with pytest.raises(DataError, match=r"'sepal width .* has 3 intervals, but labels has 2 names"):
        Discretizer(labels={"sepal width (cm)": ["a", "b"]}).fit(iris.X, iris.y)
    with pytest.raises(DataError, match="'width', which is no numeric column"):
        Discretizer(labels={"width": ["a", "b"]}).fit(iris.X, iris.y)
    for wrong in ("names", 3, ["a", "a"], []):
        with pytest.raises(ParameterError, match="labels="):
            Discretizer(labels=wrong).fit(iris.X, iris.y)
