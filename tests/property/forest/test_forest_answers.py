"""Forests with names answer as their trees do one by one, whose paths are followed node by node."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from property.growing import examples

from treewright import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    Schema,
)
from treewright.data.read.table import match_table
from treewright.data.table import Table
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import ParameterError
from treewright.grow.missing import NAMES
from treewright.tree.tree import Tree

N_TREES = 3
LEVELS = (2, 3, 30, 61, 62, 63, 64, 65, 120, 300)
"""Around the 64 bits of a word, of which two are those of missing and unseen values."""
KINDS = ("objects", "texts", "pandas", "categories", "polars", "pyarrow", "dicts")


def columns_like(
    draw: st.DrawFn, random: np.random.Generator, n_rows: int, levels: list[int], gaps: float
) -> dict[str, Any]:
    """Return columns of names, numbers and ordered words; `gaps` of the cells are missing."""
    table: dict[str, Any] = {}
    for i, n_levels in enumerate(levels):
        names = np.array([f"n{code}" for code in random.integers(0, n_levels, n_rows)], object)
        names[random.random(n_rows) < gaps] = None
        names[0] = "n0"  # a column without a name has no type
        table[f"n{i}"] = names
    table["x0"] = np.where(random.random(n_rows) < gaps, np.nan, random.normal(size=n_rows))
    table["x1"] = random.integers(-3, 5, n_rows).astype(np.float32)
    order = np.array(["low", "middle", "high"], object)[random.integers(0, 3, n_rows)]
    order[random.random(n_rows) < gaps] = None
    table["o"] = order
    return table


def as_kind(table: dict[str, Any], kind: str) -> Any:
    """Return the same rows as another kind of table."""
    if kind == "texts":  # fixed width, which has no gaps
        return {
            name: values.astype(str) if name[0] in "no" and None not in values else values
            for name, values in table.items()
        }
    if kind == "pandas":
        return pd.DataFrame(table)
    if kind == "categories":
        return pd.DataFrame(table).astype({name: "category" for name in table if name[0] == "n"})
    lists = {name: values.tolist() for name, values in table.items()}
    if kind == "polars":
        return pl.DataFrame(lists, nan_to_null=True)
    if kind == "pyarrow":
        return pa.table(lists)
    if kind == "dicts":
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    return table


def added_one_by_one(ensemble: Ensemble, table: Table, vote: str) -> Any:
    """Return what trees answer, each row's path followed by itself, added up tree by tree."""
    sums: Any = None
    for tree in ensemble:
        answers = followed(tree, table)
        if vote == "hard":
            said = np.zeros_like(answers)
            said[np.arange(len(said)), tree.leaf.choose(answers)] = 1.0
            answers = said
        sums = answers if sums is None else sums + answers
    return sums / len(ensemble)


def followed(tree: Tree, table: Table) -> Any:
    """Return the answers of a tree by the last node of each path, where it has one leaf."""
    start, visited = tree.plan.decision_path(table)
    answers = np.empty((table.n_rows, tree.answers.shape[1]))
    is_leaf = np.asarray(tree.arrays.n_branches) == 0
    for row in range(table.n_rows):
        path = visited[start[row] : start[row + 1]]
        leaves = path[is_leaf[path]]
        if len(leaves) == 1:
            answers[row] = tree.answers[leaves[0]]
        else:
            one = table.take(np.array([row]))
            answers[row] = tree.plan.answers(one)[0]
    return answers


@st.composite
def fitted_forests(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Return a fitted forest, the rows that it has learnt from and other rows."""
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_rows = draw(st.integers(2, 120))
    levels = draw(st.lists(st.sampled_from(LEVELS), min_size=1, max_size=3))
    gaps = draw(st.sampled_from([0.0, 0.1, 0.5]))
    table = columns_like(draw, random, n_rows, levels, gaps)
    is_numbers = draw(st.booleans())
    target: Any = random.integers(-4, 5, n_rows) / 4.0
    if not is_numbers:
        target = random.integers(0, draw(st.sampled_from([2, 4])), n_rows)
        target[:2] = 0, 1
    kinds: Any = (
        (RandomForestRegressor, ExtraTreesRegressor)
        if is_numbers
        else (RandomForestClassifier, ExtraTreesClassifier)
    )
    forest = draw(st.sampled_from(kinds))(
        N_TREES,
        max_depth=draw(st.sampled_from([None, None, 2])),
        nominal=draw(st.sampled_from(["subset", "one_vs_rest", "multiway"])),
        missing=draw(st.sampled_from(["learned_side", *NAMES])),
        unseen=draw(st.sampled_from(["missing", "majority"])),
        schema=Schema(order={"o": ["low", "middle", "high"]}),
        random_state=0,
        n_jobs=draw(st.sampled_from([1, 3])),
    )
    n_others = draw(st.sampled_from([1, 15, 16, 17, 100, 5000]))
    others = columns_like(
        draw, random, n_others, [level + 3 for level in levels], draw(st.sampled_from([0.0, gaps]))
    )
    try:
        forest.fit(table, target)
    except ParameterError:  # not every policy goes with every question
        reject()
    return forest, table, others


@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")
@given(made=fitted_forests(), kind=st.sampled_from(KINDS))
@settings(examples(1))
def test_forests_answer_as_their_trees_one_by_one(made: Any, kind: str) -> None:
    forest, table, others = made
    ensemble = forest.ensemble_
    for rows in (table, others):
        read = match_table(as_kind(rows, kind), ensemble.schema, owner="forest")
        expected = added_one_by_one(ensemble, read, ensemble.vote)
        assert ensemble.answers(read, n_threads=forest.n_jobs).tobytes() == expected.tobytes()
        leaves = ensemble.apply(read, n_threads=forest.n_jobs)
        for number, tree in enumerate(ensemble):
            np.testing.assert_array_equal(leaves[:, number], tree.plan.apply(read))


@pytest.mark.parametrize("kind", [BaggingClassifier, BaggingRegressor])
@pytest.mark.parametrize("n_levels", [5, 300])
def test_bagged_trees_with_names_vote_as_they_do_one_by_one(kind: Any, n_levels: int) -> None:
    random = np.random.default_rng(2)
    table = {
        "n": random.integers(0, n_levels, 400).astype(str),
        "x": random.normal(size=400),
    }
    forest = kind(n_estimators=4, random_state=0).fit(table, random.integers(0, 3, 400))
    ensemble = forest.ensemble_
    read = match_table(table, ensemble.schema, owner="forest")
    expected = added_one_by_one(ensemble, read, ensemble.vote)
    assert ensemble.answers(read).tobytes() == expected.tobytes()
