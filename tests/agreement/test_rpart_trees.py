"""CART with ``variant="rpart"`` against trees that R's rpart 4.1.19 grew, node by node.

The trees were written down from ``rpart(y ~ ., control = rpart.control(cp = 0.01, xval = 0))``:
rows and class counts (or the mean), the question that leads to the first branch, its surrogates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreement.rpart_tables import MadeTable, made_table
from treewright import CARTClassifier, CARTRegressor, Tree
from treewright.errors import ParameterError
from treewright.tree.arrays import CUT
from treewright.tree.question import Question

GAPS_IN_NUMBERS = """
150: 89 61 | x2 < 4.5; x4 in bde; x3 < 4.5
. 84: 65 19
. 66: 24 42 | x1 < 4.5
. . 8: 6 2
. . 58: 18 40 | x1 < 7.5
. . . 46: 17 29 | x4 in ade
. . . . 35: 16 19 | x3 < 6.5
. . . . . 26: 10 16
. . . . . 9: 6 3
. . . . 11: 1 10
. . . 12: 1 11
"""
GAPS_IN_NAMES = """
150: 27 63 42 18 | x4 in u; x1 in ac; x3 >= 4.5; x2 in ac
. 68: 3 15 33 17 | x1 in ac; x3 >= 5.5
. . 38: 0 2 25 11 | x1 in a
. . . 29: 0 2 21 6
. . . 9: 0 0 4 5
. . 30: 3 13 8 6 | x2 in ac; x3 >= 4.5
. . . 11: 0 3 3 5
. . . 19: 3 10 5 1
. 82: 24 48 9 1 | x2 in ae; x3 >= 3.5; x1 in ae
. . 40: 3 28 8 1 | x3 < 6.5
. . . 33: 3 25 4 1
. . . 7: 0 3 4 0
. . 42: 21 20 1 0 | x1 in ae
. . . 7: 2 5 0 0
. . . 35: 19 15 1 0 | x3 < 1.5
. . . . 9: 4 5 0 0
. . . . 26: 15 10 1 0
"""
GAPS_AND_A_NUMBER = """
100: 28.0200 | x4 < 3.5
. 28: 17.7500 | x4 < 2.5
. . 18: 15.0556
. . 10: 22.6000
. 72: 32.0139 | x2 in ac; x4 >= 5.5
. . 35: 35.2286
. . 37: 28.9730 | x2 in b
. . . 10: 26.3000
. . . 27: 29.9630 | x4 < 4.5
. . . . 10: 26.5000
. . . . 17: 32.0000
"""
TIED_QUESTIONS = """
115: 59 56 | x4 in abce
. 103: 48 55 | x4 in ab; x3 in v; x2 in bcd; x5 in v; x1 in v
. . 52: 29 23 | x5 in u; x4 in a; x2 in ac; x1 in u; x3 in u
. . . 25: 12 13 | x2 in ae; x3 in v
. . . . 13: 7 6
. . . . 12: 5 7
. . . 27: 17 10
. . 51: 19 32 | x1 in u; x3 in u; x5 in u; x2 in ace; x4 in c
. . . 30: 7 23
. . . 21: 12 9 | x2 in abd; x3 in v; x5 in v
. . . . 9: 3 6
. . . . 12: 9 3
. 12: 11 1
"""
TIED_SURROGATES = """
87: 17 35 32 3 | x2 < 3.5; x1 < 4.5; x3 in v; x4 in bd
. 39: 13 18 8 0 | x4 in ae; x3 in u
. . 13: 7 5 1 0
. . 26: 6 13 7 0
. 48: 4 17 24 3 | x2 < 5.5; x1 < 4.5; x3 in v; x4 in bde
. . 22: 4 5 11 2 | x3 in u; x1 >= 6.5; x4 in ac
. . . 10: 1 0 8 1
. . . 12: 3 5 3 1
. . 26: 0 12 13 1 | x1 < 6.5; x2 < 6.5; x4 in bce
. . . 15: 0 5 10 0
. . . 11: 0 7 3 1
"""
TAKEN_BACK = """
163: 52 78 33 | x1 < 5.5; x3 in bde; x2 in bde
. 111: 40 56 15 | x3 in a; x2 in c
. . 16: 6 5 5
. . 95: 34 51 10
. 52: 12 22 18 | x3 in ab; x2 in abe; x1 < 7.5
. . 27: 9 12 6
. . 25: 3 10 12 | x1 < 6.5; x2 in e
. . . 9: 0 6 3
. . . 16: 3 4 9
"""
WEIGHTED = """
150: 179 121 | x2 < 4.5; x4 in bde; x3 < 3.5
. 84: 132 37
. 66: 47 84 | x1 < 4.5
. . 8: 10 4
. . 58: 37 80
"""
WITH_COSTS = """
150: 89 61 | x2 < 4.5; x4 in bde; x3 < 4.5
. 84: 65 19
. 66: 24 42 | x1 < 7.5
. . 54: 23 31 | x4 in ade
. . . 42: 22 20
. . . 12: 1 11
. . 12: 1 11
"""

Recipe = dict[str, Any]
TREES: dict[str, tuple[Recipe, str]] = {
    "gaps in numbers": (
        {"seed": 3, "n_rows": 150, "kinds": "nnnc", "n_classes": 2, "gaps": 30, "noise": 30},
        GAPS_IN_NUMBERS,
    ),
    "gaps in names": (
        {"seed": 4, "n_rows": 150, "kinds": "ccnb", "n_classes": 4, "gaps": 15, "noise": 12},
        GAPS_IN_NAMES,
    ),
    "gaps and a number": (
        {"seed": 2, "n_rows": 100, "kinds": "ncbn", "n_classes": 0, "gaps": 25, "noise": 30},
        GAPS_AND_A_NUMBER,
    ),
    "tied questions": (
        {"seed": 149, "n_rows": 115, "kinds": "bcbcb", "n_classes": 2, "gaps": 0, "noise": 60},
        TIED_QUESTIONS,
    ),
    "tied surrogates": (
        {"seed": 28, "n_rows": 87, "kinds": "nnbc", "n_classes": 4, "gaps": 0, "noise": 40},
        TIED_SURROGATES,
    ),
    "taken back": (  # the nested sequence of cost-complexity pruning has 12 leaves here
        {"seed": 143, "n_rows": 163, "kinds": "ncc", "n_classes": 3, "gaps": 0, "noise": 60},
        TAKEN_BACK,
    ),
}


def grown(table: MadeTable, *, weight: Any = None, **parameters: Any) -> Any:
    kind = CARTClassifier if isinstance(table.y[0], str) else CARTRegressor
    return kind(cp=0.01, **parameters).fit(pd.DataFrame(table.columns), table.y, weight)


def written(tree: Tree) -> str:
    """Write a tree down as the trees above are."""
    return "\n".join(_lines(tree, 0, ""))


def _lines(tree: Tree, node: int, indent: str) -> Iterator[str]:
    value = tree.arrays.value[node]
    shown = f"{value[0]:.4f}" if tree.classes is None else " ".join(f"{count:g}" for count in value)
    line = f"{indent}{tree.arrays.n_rows[node]}: {shown}"
    question = tree.question(node)
    if question is None:
        yield line
        return
    asked = [_asked(tree, question, node, flipped=False)]
    start = tree.arrays.surrogate_start
    for place, each in enumerate(tree.surrogates(node)):
        asked.append(
            _asked(
                tree, each.question, int(start[node]) + place, flipped=each.flipped, of="surrogate_"
            )
        )
    yield f"{line} | {'; '.join(asked)}"
    for child in tree.children(node):
        yield from _lines(tree, child, indent + ". ")


def _asked(tree: Tree, question: Question, at: int, *, flipped: bool, of: str = "") -> str:
    arrays = tree.arrays
    column = tree.schema.columns[int(getattr(arrays, f"{of}column")[at])]
    if getattr(arrays, f"{of}kind")[at] == CUT:
        # rpart asks x < midpoint, the tree x <= the number before it.
        cut = np.nextafter(getattr(arrays, f"{of}threshold")[at], np.inf)
        return f"{column.name} {'>=' if flipped else '<'} {cut:g}"
    first = int(getattr(arrays, f"{of}code_offset")[at])
    codes = range(first, first + int(getattr(arrays, f"{of}code_count")[at]))
    names = [column.values[arrays.code[i]] for i in codes if arrays.branch_of_code[i] == 0]
    return f"{column.name} in {''.join(map(str, names))}"


@pytest.mark.parametrize("name", TREES)
def test_the_tree_is_that_of_rpart(name: str) -> None:
    recipe, tree = TREES[name]
    assert written(grown(made_table(**recipe), variant="rpart").tree_) == tree.strip()


@pytest.mark.parametrize("name", TREES)
def test_the_book_differs_from_rpart_in_these_tables(name: str) -> None:
    recipe, tree = TREES[name]
    book = written(grown(made_table(**recipe)).tree_)
    assert book != tree.strip()


def test_a_row_counts_once_in_limits_whatever_its_weight() -> None:
    table = made_table(**TREES["gaps in numbers"][0])
    weight = [1 + row % 3 for row in range(150)]
    model = grown(table, variant="rpart", weight=weight)
    assert written(model.tree_) == WEIGHTED.strip()


def test_costs_of_errors_do_not_count_in_surrogates() -> None:
    table = made_table(**TREES["gaps in numbers"][0])
    model = grown(table, variant="rpart", cost_matrix=[[0, 3], [1, 0]])
    assert written(model.tree_) == WITH_COSTS.strip()


def test_rows_with_gaps_are_predicted_as_rpart_predicts_them() -> None:
    model = grown(made_table(**TREES["gaps in numbers"][0]), variant="rpart")
    rows = pd.DataFrame(
        {
            "x1": [np.nan, np.nan, np.nan, 7.5, 4.0],
            "x2": [np.nan, 4.5, np.nan, 9.0, np.nan],  # 4.5 is the cut itself
            "x3": [np.nan, np.nan, np.nan, 6.5, 4.5],
            "x4": [None, None, "a", "e", None],
        }
    )
    of_leaf = np.array([[65, 19], [10, 16], [10, 16], [1, 11], [6, 2]], dtype=float)
    expected = of_leaf / of_leaf.sum(axis=1, keepdims=True)
    assert model.predict_proba(rows) == pytest.approx(expected)


def test_whole_numbers_are_cut_as_decimals_are() -> None:
    table = made_table(9, 200, kinds="nnn", n_classes=2, gaps=0, noise=20)
    decimals = pd.DataFrame(table.columns)
    between = pd.DataFrame({name: range(-1, 12) for name in table.columns})
    ours = CARTClassifier(variant="rpart", cp=0.01).fit(decimals, table.y)
    whole = CARTClassifier(variant="rpart", cp=0.01).fit(decimals.astype(int), table.y)
    assert np.array_equal(ours.tree_.arrays.n_rows, whole.tree_.arrays.n_rows)
    assert np.array_equal(ours.predict_proba(between.astype(float)), whole.predict_proba(between))


def test_an_unknown_variant_is_refused() -> None:
    table = made_table(**TREES["tied questions"][0])
    with pytest.raises(ParameterError, match=r"variant='rpat' must be one of 'book', 'rpart'"):
        grown(table, variant="rpat")


def test_rows_of_which_nothing_is_known_are_left_out() -> None:
    table = made_table(**TREES["gaps in numbers"][0])
    nothing: dict[str, list[Any]] = {name: [*v, None] for name, v in table.columns.items()}
    more = MadeTable(columns=nothing, y=[*table.y, "q"])
    assert written(grown(more, variant="rpart").tree_) == GAPS_IN_NUMBERS.strip()
    assert grown(more).tree_.arrays.n_rows[0] == 151
