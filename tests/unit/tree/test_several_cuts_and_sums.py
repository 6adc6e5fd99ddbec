"""Nodes with several cuts, and nodes that ask for a sum of columns."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest
from unit.tree.hand_trees import build, cut, leaf, numeric, ordinal, schema_of

from treewright.data.fitted_schema import ColumnSpec
from treewright.errors import ModelFormatError
from treewright.tree.arrays import INTERVALS, LINEAR
from treewright.tree.question import Intervals, LinearCut
from treewright.tree.tree import Tree

WHOLE = ColumnSpec(name="n", kind="numeric", storage="int")


def with_arrays(tree: Tree, **changes) -> Tree:
    arrays = dataclasses.replace(tree.arrays, **changes)
    return Tree(arrays=arrays, schema=tree.schema, classes=tree.classes, criterion=tree.criterion)


def intervals(column: ColumnSpec, cuts: list, *, own_branch: bool = False) -> Tree:
    """A root with a leaf for each interval (and one for missing values); the leaf is its class."""
    n = len(cuts) + 1 + own_branch
    leaves = [leaf(*np.eye(n)[i] * (i + 1)) for i in range(n)]
    tree = build(
        schema_of(column),
        cut(column.name, 0, *leaves, missing_branch=n - 1 if own_branch else -1),
        "abcdef"[:n],
    )
    first = np.zeros(n + 1, dtype=np.int64)
    is_float = column.storage == "float"
    return with_arrays(
        tree,
        kind=np.where(first + np.arange(n + 1) == 0, INTERVALS, 0),
        threshold=np.full(n + 1, np.nan),
        threshold_int=first,
        cut_offset=np.where(np.arange(n + 1) == 0, 0, -1),
        cut_count=np.where(np.arange(n + 1) == 0, len(cuts), 0),
        cut=np.array(cuts if is_float else [np.nan] * len(cuts)),
        cut_int=np.array([0] * len(cuts) if is_float else cuts),
    )


def sums(*terms: tuple[str, float], threshold: float) -> Tree:
    schema = schema_of(numeric("u"), numeric("v"), WHOLE)
    tree = build(schema, cut(terms[0][0], threshold, leaf(3, 0), leaf(0, 5)), "ab")
    n_terms = len(terms)
    return with_arrays(
        tree,
        kind=np.array([LINEAR, 0, 0]),
        threshold=np.array([threshold, np.nan, np.nan]),
        term_offset=np.array([0, -1, -1]),
        term_count=np.array([n_terms, 0, 0]),
        term_column=np.array([schema.index(name) for name, _ in terms]),
        term_coefficient=np.array([factor for _, factor in terms]),
        term_share=np.full(n_terms, 1 / n_terms),
    )


@pytest.mark.parametrize("own_branch", [False, True])
@pytest.mark.parametrize(
    ("column", "cuts", "values"),
    [
        (numeric("x"), [1.5, 2.5, 7.0], [-np.inf, 1.5, 1.6, 2.5, 2.6, 7.0, 7.1, np.inf]),
        (WHOLE, [-3, 2**60], [-(2**62), -3, -2, 2**60, 2**60 + 1]),
        (ordinal("s", "low", "mid", "high", "top"), [0, 2], ["low", "mid", "high", "top"]),
    ],
)
def test_a_value_goes_to_its_interval(column, cuts, values, own_branch: bool) -> None:
    tree = intervals(column, cuts, own_branch=own_branch)
    tree.arrays.validate(tree.schema)
    question = tree.question(0)
    assert isinstance(question, Intervals)
    table = pd.DataFrame({column.name: values})
    code = {value: i for i, value in enumerate(column.values)}
    stored = [code.get(value, value) for value in values]
    expected = [sum(value > cut for cut in cuts) for value in stored]
    assert [question.branch_of(value) for value in stored] == expected
    assert (tree.apply(table) - 1).tolist() == expected
    for rule, branch in zip(tree.rules(), range(question.n_branches), strict=True):
        meets = [rule.matches({column.name: value}) for value in values]
        assert meets == [each == branch for each in expected]


def test_missing_values_follow_their_branch_or_all() -> None:
    tree = intervals(numeric("x"), [1.0, 2.0], own_branch=True)
    assert tree.predict([[np.nan]]).tolist() == ["d"]
    assert tree.question(0).text(3) == "x is missing"
    divided = intervals(numeric("x"), [1.0, 2.0])
    np.testing.assert_allclose(divided.predict_proba([[np.nan]]), [[1 / 6, 2 / 6, 3 / 6]])
    assert len(divided.explain([np.nan]).leaves) == 3


def test_a_sum_of_columns_is_compared() -> None:
    tree = sums(("u", 20.0), ("n", -1.0), threshold=100.0)
    tree.arrays.validate(tree.schema)
    question = tree.question(0)
    assert isinstance(question, LinearCut)
    assert question.text(0) == "20*u - n <= 100"
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"u": rng.normal(5, 1, 200), "v": 0.0, "n": rng.integers(-50, 50, 200)})
    above = 20 * table["u"] - table["n"] > 100
    assert (tree.predict(table) == np.where(above, "b", "a")).all()
    first, second = tree.rules()
    assert first.matches(dict(table.iloc[0])) != above[0]
    assert second.matches(dict(table.iloc[0])) == above[0]
    explained = tree.explain(dict(table.iloc[0]))
    assert explained.label == ("b" if above[0] else "a")
    assert "20*u - n" in str(explained)
    assert tree.unused_columns == ("v",)
    np.testing.assert_allclose(tree.importances(), [0.5, 0, 0.5])


def test_a_sum_is_missing_where_a_value_is() -> None:
    tree = sums(("u", 1.0), ("v", 1.0), threshold=0.0)
    np.testing.assert_allclose(
        tree.predict_proba([[1.0, np.nan, 0], [-1.0, 0.0, 0]]), [[3 / 8, 5 / 8], [1, 0]]
    )


def test_both_survive_pickling_and_become_plain() -> None:
    for tree in (intervals(numeric("x"), [1.0, 2.0]), sums(("u", 2.0), threshold=1.0)):
        assert pickle.loads(pickle.dumps(tree)).arrays.equals(tree.arrays)
    assert intervals(WHOLE, [1, 2]).to_dict()["nodes"][0]["question"]["cuts"] == [1, 2]
    described = sums(("u", 2.0), ("v", -0.5), threshold=1.0).to_dict()["nodes"][0]["question"]
    assert described["terms"] == [[0, 2.0], [1, -0.5]]
    assert described["threshold"] == 1.0


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"cut": [2.0, 1.0]}, "cut does not ascend: node 0."),
        ({"cut": [np.nan, 1.0]}, "cut is NaN for some cuts of a node only: node 0."),
        ({"cut": [np.nan, np.nan], "cut_int": [1, 2]}, "cut is not of the column's type: node 0."),
        ({"cut_count": [3, 0, 0, 0]}, "n_branches is neither"),
        ({"cut_offset": [1, -1, -1, -1]}, "cut_offset gives a slice that leaves cut: node 0."),
        ({"cut_offset": [0, 0, -1, -1]}, "cut_offset is not -1 at another kind of node: node 1."),
    ],
)
def test_broken_cuts_are_named(changes: dict, complaint: str) -> None:
    tree = intervals(numeric("x"), [1.0, 2.0])
    arrays = dataclasses.replace(tree.arrays, **{k: np.array(v) for k, v in changes.items()})
    with pytest.raises(ModelFormatError) as caught:
        arrays.validate(tree.schema)
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"term_column": [0, 3]}, "term_column is none of the 3 columns: term 1."),
        ({"term_column": [1, 0]}, "column is not the first of a sum: node 0."),
        ({"term_column": [0, -1]}, "term_column is negative: term 1."),
        ({"term_coefficient": [1.0, np.inf]}, "term_coefficient is not a finite number: term 1."),
        ({"term_count": [1, 0, 0]}, "term_count leaves entries without a node."),
        ({"threshold": [np.nan] * 3}, "threshold is NaN at a sum: node 0."),
    ],
)
def test_broken_sums_are_named(changes: dict, complaint: str) -> None:
    tree = sums(("u", 1.0), ("v", 1.0), threshold=0.0)
    arrays = dataclasses.replace(tree.arrays, **{k: np.array(v) for k, v in changes.items()})
    with pytest.raises(ModelFormatError) as caught:
        arrays.validate(tree.schema)
    assert str(caught.value) == complaint
