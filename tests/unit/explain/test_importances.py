"""What importances say of themselves."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import DecisionTreeClassifier
from treewright.errors import ColumnMismatchError
from treewright.explain.importances import Importances, Kind


def importances(by_tree: list[list[float]], kind: Kind = "permutation") -> Importances:
    values = np.array(by_tree, dtype=float)
    names = tuple(f"column {i}" for i in range(values.shape[1]))
    return Importances(kind=kind, measure="rise", names=names, by_tree=values)


def test_figures_follow_from_the_trees() -> None:
    found = importances([[0.1, 0.0, -0.2], [0.3, 0.0, 0.1], [0.2, 0.0, -0.2]])
    assert found.mean == pytest.approx([0.2, 0.0, -0.1])
    assert found.standard_error == pytest.approx([0.1 / 3**0.5, 0.0, 0.1])
    assert found.z[[0, 2]] == pytest.approx([2 * 3**0.5, -1.0])
    # Normal distribution: beyond 3.46 standard errors, and below 1.
    assert found.p_value[[0, 2]] == pytest.approx([0.000266003, 0.841345], rel=1e-5)
    assert np.isnan(found.z[1])
    assert found.order.tolist() == [0, 1, 2]
    assert found["column 2"].mean == pytest.approx(-0.1)
    assert len(found) == 3
    assert [column.name for column in found] == ["column 0", "column 1", "column 2"]


def test_columns_as_important_keep_their_order() -> None:
    assert importances([[0.0, 1.0, 0.0, 1.0]]).order.tolist() == [1, 3, 0, 2]


def test_it_prints_as_a_table_that_lines_up() -> None:
    found = importances([[0.31, -0.004, 0.0], [0.29, 0.002, 0.0], [0.34, 0.001, 0.0]])
    assert str(found) == (
        "rise, mean of 3 trees\n"
        "\n"
        "column     mean  std. error     z       p\n"
        "column 0  0.313       0.015  21.6  <0.001\n"
        "column 2  0.000       0.000\n"
        "column 1  0.000       0.002  -0.2   0.571"
    )
    assert found.text(max_columns=1).endswith("\n... and 2 more columns")


def test_numbers_beyond_reading_are_printed_short() -> None:
    assert str(importances([[3e200, 1e199]])).endswith("column 0  3e+200\ncolumn 1  1e+199")


def test_shares_of_impurity_are_not_tested_against_zero() -> None:
    found = importances([[0.9, 0.1], [0.8, 0.2]], kind="impurity")
    assert str(found) == (
        "rise, mean of 2 trees\n\ncolumn    mean  std. error\ncolumn 0  0.85        0.05\n"
        "column 1  0.15        0.05"
    )
    assert np.isnan(found.p_value).all()


def test_a_single_tree_has_no_error() -> None:
    found = importances([[2.0, 31_000.5]])
    assert np.isnan(found.standard_error).all()
    assert str(found).startswith("rise\n")
    assert found.to_dict()["columns"][0] == {
        "name": "column 1",
        "mean": 31_000.5,
        "standard_error": None,
        "z": None,
        "p_value": None,
    }


def test_no_tree_at_all_finds_nothing_important() -> None:
    found = Importances(kind="impurity", measure="share", names=("a",), by_tree=np.zeros((0, 1)))
    assert found.mean.tolist() == [0.0]
    assert "a" in str(found)
    assert repr(found) == "Importances(kind='impurity', n_columns=1, most='a')"


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(ColumnMismatchError, match=r"no column 'z'\.\n  Columns: 'column 0'"):
        importances([[1.0]])["z"]


def test_what_is_rounding_is_no_decrease() -> None:
    x, y = [[2.0], [0], [2], [1], [1], [1], [0], [2], [0]], [0, 1, 1, 1, 0, 0, 0, 0, 0]
    tree = DecisionTreeClassifier(criterion="misclassification").fit(x, y)
    assert tree.tree_.n_leaves > 1
    assert tree.feature_importances_.tolist() == [0.0]


def test_a_question_that_brings_nothing_has_no_negative_importance() -> None:
    random = np.random.default_rng(0)
    asked = 0
    for _ in range(200):  # classes in the same shares on both sides: only rounding can differ
        shares, sides = random.integers(1, 30, 2), random.integers(1, 9, 2)
        x = np.repeat([[0.0], [1.0]], shares.sum() * sides, axis=0)
        y = np.concatenate([np.repeat([0, 1], shares * side) for side in sides])
        tree = DecisionTreeClassifier(criterion="entropy", start="x0").fit(x, y)
        asked += tree.tree_.n_leaves == 2
        assert tree.feature_importances_.tolist() == [0.0]
    assert asked == 200
