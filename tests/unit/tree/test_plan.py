from __future__ import annotations

import gc
from dataclasses import replace

import numpy as np
import pytest
from unit.tree.hand_trees import play_tennis

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, core
from treewright.data.core_columns import lend
from treewright.data.read.table import read_table
from treewright.errors import ModelFormatError
from treewright.tree.arrays import TreeArrays
from treewright.tree.leaf import by_output, decide
from treewright.tree.plan import compile_plan

ANSWERS = np.array([[0.2, 0.8, 0.5, 0.5, 0.0], [0.5, 0.5, 0.0, 0.1, 0.9]])
CLASSES = (np.array(["no", "yes"]), np.array(["a", "b", "c"]))


def test_answers_are_cut_by_output() -> None:
    first, second = by_output(ANSWERS, CLASSES)
    assert first.tolist() == [[0.2, 0.8], [0.5, 0.5]]
    assert second.tolist() == [[0.5, 0.5, 0.0], [0.0, 0.1, 0.9]]


def test_the_first_of_equally_likely_classes_is_predicted() -> None:
    assert decide(ANSWERS[:, :2], CLASSES[:1]).tolist() == ["yes", "no"]
    assert decide(ANSWERS, CLASSES).tolist() == [["yes", "a"], ["no", "c"]]


def test_outputs_of_different_types_keep_them() -> None:
    classes = (CLASSES[0], np.array([1, 2, 3]))
    assert decide(ANSWERS, classes).tolist() == [["yes", 1], ["no", 3]]


def test_one_number_per_row_has_one_dimension() -> None:
    assert decide(ANSWERS[:, :1], None).tolist() == [0.2, 0.5]
    assert decide(ANSWERS, None).shape == (2, 5)


def test_whether_a_whole_number_is_known_beside_names() -> None:
    """The cut is at the greatest of 64 bits, past which no code can be counted."""
    sizes = [2**63 - 1, -(2**63), None, 0] * 4
    colours = ["red", "blue"] * 4 + ["blue", "red"] * 4
    table = {"size": sizes, "colour": colours}
    y = [f"{size} {colour}" for size, colour in zip(sizes, colours, strict=True)]
    tree = DecisionTreeClassifier().fit(table, y).tree_
    assert "size is known" in tree.text()
    assert tree.arrays.threshold_int.max() == 2**63 - 1
    assert tree.predict(table).tolist() == y


def test_a_broken_tree_never_reaches_compiled_code() -> None:
    tree = play_tennis()
    broken = replace(tree.arrays, parent=np.zeros(8, dtype=np.int32))
    with pytest.raises(ModelFormatError, match="at the root"):
        compile_plan(broken, tree.schema, n_classes=(2,), combine="branch_fractions")


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_a_plan_outlives_the_arrays_it_was_made_of(n_outputs: int) -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 2)), random.normal(size=(300, n_outputs))
    tree = DecisionTreeRegressor().fit(X, y[:, 0] if n_outputs == 1 else y).tree_
    columns = lend(read_table(X))
    expected = tree.plan.core.predict(columns, "branch_fractions", 1)
    arrays = TreeArrays(**{name: np.array(each) for name, each in tree.arrays.to_dict().items()})
    value = np.array(arrays.value)
    plans = [core.Plan(arrays, [], None), core.Plan(arrays, [], value)]
    del arrays, value, tree
    gc.collect()
    spoiled = [np.full((600, n_outputs), np.nan) for _ in range(50)]  # takes what memory was freed
    for plan in plans:
        assert np.array_equal(plan.predict(columns, "branch_fractions", 1), expected)
    assert len(spoiled) == 50


def test_any_number_of_threads_makes_the_same_plan() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(250_000, 2)).astype(np.float32)
    tree = DecisionTreeClassifier(n_jobs=2).fit(X, random.integers(0, 2, len(X))).tree_
    assert tree.n_nodes > 2 * 65_536  # below, one thread packs it
    columns = lend(read_table(X[:5_000]))
    one, two = (core.Plan(tree.arrays, [2], None, n_threads) for n_threads in (1, 2))
    assert np.array_equal(one.apply(columns, 1), two.apply(columns, 1))
    answers = one.predict(columns, "branch_fractions", 1)
    assert np.array_equal(answers, two.predict(columns, "branch_fractions", 1))
    assert np.array_equal(answers, tree.answers[one.apply(columns, 1)])


def test_an_empty_leaf_counts_as_the_node_that_speaks_for_it() -> None:
    tree = play_tennis()
    weight, value = np.array(tree.arrays.weight), np.array(tree.arrays.value)
    rows = {"Outlook": ["Sunny"], "Humidity": ["High"], "Wind": ["Weak"]}
    leaf = int(tree.apply(rows)[0])
    weight[leaf], value[leaf] = 0.0, 0.0
    silent = tree.with_arrays(replace(tree.arrays, weight=weight, value=value))
    node = int(tree.arrays.parent[leaf])
    assert silent.speakers[leaf] == node
    assert silent.apply(rows).tolist() == [leaf]
    shares = value[node] / value[node].sum()
    assert silent.predict_proba(rows).tolist() == [shares.tolist()]
