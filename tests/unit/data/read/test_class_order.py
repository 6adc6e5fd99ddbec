"""The order of classes: declared by the target's type or by the schema, and kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw
from treewright.data.read.target import read_classes
from treewright.errors import ParameterError, TargetError

LEVELS = ["low", "mid", "high"]
Y = ["high", "low", "high", "mid"]
X = [[4.0], [1.0], [3.0], [2.0]]


def arrow() -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array([2, 0, 2, 1]), pa.array(LEVELS), ordered=True)


ORDERED: dict[str, Any] = {
    "pandas categorical": pd.Categorical(Y, categories=LEVELS, ordered=True),
    "pandas series": pd.Series(Y, dtype=pd.CategoricalDtype(LEVELS, ordered=True)),
    "pandas frame": pd.DataFrame({"y": pd.Categorical(Y, categories=LEVELS, ordered=True)}),
    "polars enum": pl.Series(Y, dtype=pl.Enum(LEVELS)),
    "arrow dictionary": pa.chunked_array([arrow()]),
}


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize("name", ORDERED)
def test_an_ordered_type_keeps_its_order(name: str) -> None:
    target = read_classes(ORDERED[name], owner="the test")
    assert target.classes[0].tolist() == LEVELS
    assert target.codes.tolist() == [2, 0, 2, 1]
    assert target.ordered


def test_classes_that_do_not_occur_are_left_out() -> None:
    y = pd.Categorical(["c", "a"], categories=["d", "c", "b", "a"], ordered=True)
    target = read_classes(y, owner="the test")
    assert target.classes[0].tolist() == ["c", "a"]
    assert target.n_declared == 4


def test_without_an_order_classes_ascend() -> None:
    for y in (Y, pd.Series(Y, dtype="category"), pl.Series(Y, dtype=pl.Categorical)):
        target = read_classes(y, owner="the test")
        assert target.classes[0].tolist() == ["high", "low", "mid"]
        assert not target.ordered


@pytest.mark.parametrize("y", [[3, 1, 2], [True, False, True], [1.0, 2.0, 1.0]])
def test_numbers_have_their_own_order(y: Any) -> None:
    assert read_classes(y, owner="the test").ordered


def test_the_schema_says_an_order() -> None:
    schema = tw.Schema(class_order=LEVELS)
    for made in (tw.DecisionTreeClassifier, tw.C45Classifier, tw.RandomForestClassifier):
        model = made(schema=schema).fit(X, Y)
        assert model.classes_.tolist() == LEVELS
        assert model.predict_proba(X).shape == (4, 3)
    tree = tw.DecisionTreeClassifier(schema=schema).fit(X, Y)
    assert tree.predict(X).tolist() == Y
    assert list(tree.tree_.counts(0).classes.items()) == [("low", 1), ("mid", 1), ("high", 2)]
    # It is stronger than the order of a type, and goes with a schema of columns.
    other = tw.Schema(class_order=["high", "low", "mid"], kinds={0: "numeric"})
    found = tw.DecisionTreeClassifier(schema=other).fit(X, ORDERED["pandas series"])
    assert found.classes_.tolist() == ["high", "low", "mid"]


def test_a_tree_prints_classes_in_their_order() -> None:
    y = pd.Series(Y, dtype=pd.CategoricalDtype(LEVELS, ordered=True))
    tree = tw.DecisionTreeClassifier().fit(X, y).tree_
    heading = str(tree.why(0)).splitlines()[2]
    assert heading.split()[2:5] == LEVELS


def test_wrong_orders_are_refused() -> None:
    with pytest.raises(TargetError) as caught:
        tw.DecisionTreeClassifier(schema=tw.Schema(class_order=["low", "high"])).fit(X, Y)
    assert str(caught.value) == (
        "y, row 3 holds class 'mid', which class_order does not list.\n  Listed: 'low', 'high'"
    )
    with pytest.raises(ParameterError, match="class_order lists 'a' twice"):
        tw.Schema(class_order=["a", "a"])
    with pytest.raises(ParameterError, match="class_order must be a list of values, not 'abc'"):
        tw.Schema(class_order="abc")
    with pytest.raises(ParameterError, match="class_order lists None, which means a missing value"):
        tw.Schema(class_order=["a", None])
    assert tw.Schema(class_order=np.array(["b", "a"])).class_order == ("b", "a")
