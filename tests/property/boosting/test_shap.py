"""SHAP values of boosted trees: Shapley's definition, sums, and one answer for any batch."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import shapley
from property.growing import examples

from treewright.core import BoostForest, Columns

GRID = [-1.0, 0.0, 0.5, 2.0]
N_CATEGORIES = 70  # their bits fill more than a word
WIDE = 300  # cuts of a column whose codes take two bytes


@dataclass
class Made:
    """Boosted trees of any shape, and rows to explain."""

    cuts: shapley.Cuts
    n_codes: list[int]
    trees: list[dict[str, Any]]
    n_outputs: int
    rows: list[shapley.Row]
    forest: Any = field(init=False)

    def __post_init__(self) -> None:
        self.forest = BoostForest(
            [None if cuts is None else np.array(cuts, dtype=float) for cuts in self.cuts],
            self.n_codes,
            self.trees,
            self.n_outputs,
        )

    def columns(self, rows: list[shapley.Row]) -> Any:
        columns = Columns()
        for column, cuts in enumerate(self.cuts):
            own = [row[column] for row in rows]
            if cuts is None:
                columns.add_codes(np.array(own, dtype=np.int32), self.n_codes[column], False)
            else:
                columns.add_float(np.array(own, dtype=float))
        return columns

    def shap(self, rows: list[shapley.Row], n_threads: int = 1, **options: Any) -> Any:
        return self.part(rows, 0, len(self.trees), n_threads, **options)

    def part(self, rows: list[shapley.Row], first: int, last: int, *given: Any, **more: Any) -> Any:
        """Of each output the values of the columns and then what is expected, side by side."""
        values, expected, _, _ = self.forest.shap(self.columns(rows), first, last, *given, **more)
        base = np.broadcast_to(expected[np.newaxis, :, np.newaxis], (*values.shape[:2], 1))
        width = values.shape[1] * (values.shape[2] + 1)
        return np.concatenate([values, base], axis=2).reshape(len(rows), width)

    def scores(self, rows: list[shapley.Row]) -> Any:
        start = np.zeros(self.n_outputs)
        return self.forest.add_scores(self.columns(rows), 0, len(self.trees), start, 1)


class Growing:
    """The arrays of a tree, node by node: each split is told by ``ask``, each leaf by ``tell``."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.bits: list[int] = []

    def add(self) -> int:
        self.nodes.append(
            {
                "first_child": -1,
                "column": 0,
                "cut": 0,
                "subset": -1,
                "missing_first": 0,
                "n_rows": 0,
                "weight": 0.0,
                "gain": 0.0,
                "value": 0.0,
            }
        )
        return len(self.nodes) - 1

    def split(self, node: int, **question: Any) -> tuple[int, int]:
        first, second = self.add(), self.add()
        self.nodes[node].update(question, first_child=first)
        return first, second

    def arrays(self) -> dict[str, Any]:
        for node in reversed(self.nodes):
            if node["first_child"] >= 0:
                children = self.nodes[node["first_child"] : node["first_child"] + 2]
                for cover in ("n_rows", "weight"):
                    node[cover] = children[0][cover] + children[1][cover]
        types = {
            "first_child": np.int32,
            "column": np.int32,
            "cut": np.int32,
            "subset": np.int32,
            "missing_first": np.uint8,
            "n_rows": np.uint32,
            "weight": np.float64,
            "gain": np.float64,
            "value": np.float64,
        }
        arrays: dict[str, Any] = {
            name: np.array([node[name] for node in self.nodes], dtype=kind)
            for name, kind in types.items()
        }
        return arrays | {"subset_bits": np.array(self.bits, dtype=np.uint64)}


def draw_tree(
    draw: Callable[[Any], Any], cuts: shapley.Cuts, n_codes: list[int], max_splits: int
) -> dict[str, Any]:
    growing = Growing()
    growing.add()
    open_nodes = [0]
    for _ in range(draw(st.integers(0, max_splits))):
        node = open_nodes.pop(draw(st.integers(0, len(open_nodes) - 1)))
        column = draw(st.integers(0, len(cuts) - 1))
        question: dict[str, Any] = {"column": column, "missing_first": draw(st.integers(0, 1))}
        if cuts[column] is None:
            question["subset"] = len(growing.bits)
            growing.bits += [draw(st.integers(0, 2**64 - 1)) for _ in range(N_CATEGORIES // 64 + 1)]
        else:
            question["cut"] = draw(st.integers(0, n_codes[column] - 1))
        open_nodes += growing.split(node, **question)
    for node in open_nodes:
        growing.nodes[node].update(
            value=draw(st.integers(-40, 40)) / 8,
            n_rows=draw(st.integers(0, 9)),
            weight=draw(st.integers(0, 9)) / 4,
        )
    return growing.arrays()


@st.composite
def models(draw: Callable[[Any], Any], max_splits: int = 7) -> Made:
    kinds = draw(st.lists(st.sampled_from(["few", "wide", "nominal"]), min_size=1, max_size=5))
    cuts: shapley.Cuts = [
        {"few": GRID, "wide": [float(i) for i in range(WIDE)], "nominal": None}[kind]
        for kind in kinds
    ]
    n_codes = [N_CATEGORIES if own is None else len(own) + 1 for own in cuts]
    n_outputs = draw(st.integers(1, 3))
    n_trees = n_outputs * draw(st.integers(1, 2))
    value = {
        "few": st.sampled_from([*GRID, -9.0, 0.25, math.inf, -math.inf, math.nan]),
        "wide": st.integers(-2, 2 * WIDE + 2).map(lambda i: i / 2) | st.just(math.nan),
        "nominal": st.integers(-2, N_CATEGORIES - 1),  # -2 was never seen, -1 is missing
    }
    rows = draw(
        st.lists(st.tuples(*(value[kind] for kind in kinds)).map(list), min_size=1, max_size=3)
    )
    trees = [draw_tree(draw, cuts, n_codes, max_splits) for _ in range(n_trees)]
    return Made(cuts, n_codes, trees, n_outputs, rows)


def by_definition(made: Made, row: shapley.Row, cover: str) -> Any:
    total = np.zeros((made.n_outputs, len(row) + 1))
    for index, tree in enumerate(made.trees):
        total[index % made.n_outputs] += shapley.values(tree, row, made.cuts, made.n_codes, cover)
    return total.ravel()


@examples(2)
@given(made=models())
def test_values_are_those_of_the_definition(made: Made) -> None:
    found = made.shap(made.rows)
    for row, own in zip(made.rows, found, strict=True):
        np.testing.assert_allclose(own, by_definition(made, row, "n_rows"), rtol=0, atol=1e-11)


@examples(0.5)
@given(made=models())
def test_hessians_may_be_the_cover(made: Made) -> None:
    found = made.shap(made.rows, by_hessian=True)
    for row, own in zip(made.rows, found, strict=True):
        np.testing.assert_allclose(own, by_definition(made, row, "weight"), rtol=0, atol=1e-11)


def sums(made: Made, found: Any) -> Any:
    return found.reshape(len(found), made.n_outputs, -1).sum(axis=2)


@examples(0.5)
@given(made=models(max_splits=40))
def test_values_add_up_to_the_score(made: Made) -> None:
    np.testing.assert_allclose(
        sums(made, made.shap(made.rows)), made.scores(made.rows), rtol=0, atol=1e-9
    )


def chain(n_columns: int, n_splits: int, n_trees: int = 1) -> Made:
    """Trees that ask column after column, ever again, with rows that leave them anywhere."""
    random = np.random.default_rng(3)
    trees = []
    for _ in range(n_trees):
        growing = Growing()
        node = growing.add()
        for split in range(n_splits):
            question = {"column": split % n_columns, "cut": int(random.integers(0, len(GRID)))}
            left, node = growing.split(node, **question)
            growing.nodes[left].update(
                n_rows=int(random.integers(1, 50)), value=float(random.normal())
            )
        growing.nodes[node].update(n_rows=3, value=1.0)
        trees.append(growing.arrays())
    rows = random.choice([*GRID, 0.25, 9.0, 9.0, math.nan], (333, n_columns)).tolist()
    return Made([GRID] * n_columns, [len(GRID) + 1] * n_columns, trees, 1, rows)


@pytest.mark.parametrize(
    ("n_columns", "n_splits"), [(1, 1), (2, 3), (12, 40), (19, 19), (80, 200), (300, 300)]
)
def test_deep_trees_lose_nothing(n_columns: int, n_splits: int) -> None:
    made = chain(n_columns, n_splits)
    np.testing.assert_allclose(
        sums(made, made.shap(made.rows)), made.scores(made.rows), rtol=0, atol=1e-12
    )


def test_many_columns_of_one_path_are_those_of_the_definition() -> None:
    made = chain(11, 16)
    row = made.rows[0]
    np.testing.assert_allclose(
        made.shap([row])[0], by_definition(made, row, "n_rows"), rtol=0, atol=1e-12
    )


def test_rows_threads_and_batches_change_no_bit() -> None:
    made = chain(7, 30, n_trees=5)
    rows = made.rows * 5
    found = made.shap(rows)
    for n_threads in (2, 3, 8):
        assert np.array_equal(made.shap(rows, n_threads), found)
    for row in (0, 63, 64, 332):
        assert np.array_equal(made.shap(rows[row : row + 1])[0], found[row])
    assert np.array_equal(made.shap(rows[5:74]), found[5:74])
    assert made.shap([]).shape == (0, 8)


def test_trees_in_part() -> None:
    made = chain(4, 9, n_trees=6)
    parts = [made.part(made.rows, first, first + 2, 1) for first in (0, 2, 4)]
    np.testing.assert_allclose(sum(parts), made.shap(made.rows), rtol=0, atol=1e-13)
    assert not made.part(made.rows, 3, 3, 1).any()


def test_a_leaf_alone_gives_no_column_anything() -> None:
    growing = Growing()
    growing.nodes[growing.add()].update(value=2.5, n_rows=4)
    made = Made([GRID, None], [5, N_CATEGORIES], [growing.arrays()], 1, [[0.0, 3.0]])
    assert made.shap(made.rows).tolist() == [[0.0, 0.0, 2.5]]


@pytest.mark.parametrize("first_child", [[1, -1, -1, -1], [1, 2, -1, -1], [1, 3, 3, -1, -1]])
def test_nodes_of_no_parent_or_two_are_no_tree(first_child: list[int]) -> None:
    growing = Growing()
    for child in first_child:
        growing.nodes[growing.add()]["first_child"] = child
    with pytest.raises(ValueError, match="not boosted trees"):
        Made([GRID], [5], [growing.arrays()], 1, [])
