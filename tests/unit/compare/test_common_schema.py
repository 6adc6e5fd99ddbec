"""Two trees of different tables, compared in common terms or refused."""

from __future__ import annotations

import pytest
from unit.compare.test_diff import changes, on_x
from unit.tree.hand_trees import (
    build,
    cut,
    leaf,
    nominal,
    numeric,
    ordinal,
    schema_of,
)

from treewright import (
    DecisionTreeClassifier,
    ID3Classifier,
    Schema,
)
from treewright.errors import ColumnMismatchError
from treewright.tree.tree import Tree


def test_columns_are_matched_by_name() -> None:
    one = on_x(1.0)
    swapped = build(
        schema_of(numeric("y"), numeric("x")), cut("x", 1.0, leaf(3, 0), leaf(0, 5)), "ab"
    )
    assert one.diff(swapped, {"x": [0.0, 2.0], "y": [0.0, 0.0]}).relation == "same"


def test_classes_in_another_order() -> None:
    one = on_x(1.0)
    other = build(one.schema, cut("x", 1.0, leaf(0, 3), leaf(5, 0)), "ba")
    diff = one.diff(other, {"x": [0.0, 2.0], "y": [0.0, 0.0]})
    assert (diff.relation, diff.n_reweighed) == ("same", 0)
    assert diff.rows is not None
    assert not diff.rows.is_any


def test_a_category_that_only_one_table_has() -> None:
    X = [{"c": value} for value in "abcabc"]
    one = ID3Classifier().fit(X, list("xyzxyz")).tree_
    two = ID3Classifier().fit([{"c": "A"}, *X], list("xxyzxyz")).tree_
    diff = one.diff(two, X)
    assert [(each.change, each.first, each.second) for each in diff.differences] == [
        ("branches", "-", "c = A")
    ]
    assert diff.rows is not None
    assert not diff.rows.is_any


def test_whole_numbers_and_decimals() -> None:
    whole = schema_of(numeric("n", "int"))
    real = schema_of(numeric("n"))
    one = build(whole, cut("n", 2, leaf(1, 0), leaf(0, 1)), "ab")
    two = build(real, cut("n", 2.0, leaf(1, 0), leaf(0, 1)), "ab")
    three = build(real, cut("n", 2.5, leaf(1, 0), leaf(0, 1)), "ab")
    assert one.diff(two).relation == two.diff(one).relation == "same"
    assert changes(one, three) == [("threshold", "n <= 2", "n <= 2.5")]
    unsigned = build(
        schema_of(numeric("n", "uint")), cut("n", 2 - 2**63, leaf(1, 0), leaf(0, 1)), "ab"
    )
    assert one.diff(unsigned).relation == "same"


def test_orders_with_different_values() -> None:
    def tree(threshold: str, *values: str) -> Tree:
        schema = schema_of(ordinal("s", *values))
        return build(schema, cut("s", values.index(threshold), leaf(1, 0), leaf(0, 1)), "ab")

    one = tree("mid", "low", "mid", "high")
    assert one.diff(tree("mid", "mid", "high", "top")).relation == "same"
    assert one.diff(tree("mid", "lowest", "low", "mid", "higher", "high")).relation == "same"
    assert changes(one, tree("low", "low", "high")) == [("threshold", "s <= mid", "s = low")]
    with pytest.raises(
        ColumnMismatchError, match="'s' is ordered low, mid, high in the first tree"
    ):
        one.diff(tree("mid", "mid", "low", "high"))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (nominal("x", "u"), "column 'x' is numeric in the first tree and nominal in the second."),
        (
            numeric("x", "datetime", unit="ns"),
            "column 'x' is float in the first tree and datetime in the second.",
        ),
        (numeric("z"), "The trees are about different columns.\n  Only the first has: x\n"),
    ],
)
def test_other_columns_are_refused(column, message: str) -> None:
    one = build(schema_of(numeric("x")), leaf(1, 2), "ab")
    with pytest.raises(ColumnMismatchError) as raised:
        one.diff(build(schema_of(column), leaf(1, 2), "ab"))
    assert str(raised.value).startswith(message)
    assert "Hint:" in str(raised.value)


def test_other_dates_are_refused() -> None:
    def tree(**options) -> Tree:
        return build(schema_of(numeric("t", "datetime", **options)), leaf(1, 2), "ab")

    with pytest.raises(ColumnMismatchError, match="'t' is stored in ns in the first tree and"):
        tree(unit="ns").diff(tree(unit="us"))
    with pytest.raises(ColumnMismatchError, match="'t' is without a time zone in the first tree"):
        tree(unit="ns").diff(tree(unit="ns", time_zone="UTC"))


def test_columns_derived_in_another_way_are_refused() -> None:
    X = {"a": [1, 2, 3, 4], "b": [1, 1, 4, 4]}
    y = [0, 1, 1, 0]
    one = DecisionTreeClassifier(schema=Schema(derived=["d = a == b"])).fit(X, y).tree_
    two = DecisionTreeClassifier(schema=Schema(derived=["d = a != b"])).fit(X, y).tree_
    assert one.diff(one, X).relation == "same"
    with pytest.raises(ColumnMismatchError, match="column 'd' is d = a == b in the first tree"):
        one.diff(two)
