from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from unit.tree.hand_trees import (
    TENNIS,
    build,
    chain,
    cut,
    leaf,
    loans,
    nominal,
    numeric,
    play_tennis,
    schema_of,
)

from treewright.errors import ModelFormatError
from treewright.tree.arrays import TreeArrays


def changed(name: str, index: object, value: object, *, arrays: TreeArrays) -> TreeArrays:
    array = getattr(arrays, name).copy()
    array[index] = value
    return dataclasses.replace(arrays, **{name: array})


def with_stand_ins():
    """A cut with two stand-ins, the second by categories; its slice is the only one."""
    schema = schema_of(numeric("a"), numeric("b"), nominal("c", "u", "v", "w"))
    stand_ins = (("b", 2.0, True), ("c", {"u": 1, "w": 0}, False))
    return build(schema, cut("a", 1.0, leaf(1, 0), leaf(0, 1), surrogates=stand_ins), "xy")


@pytest.mark.parametrize(
    "tree",
    [
        play_tennis(),
        play_tennis(humidity_low=True),
        loans(),
        chain(50),
        build(TENNIS, leaf(1, 2), "ab"),
        with_stand_ins(),
    ],
    ids=["tennis", "empty leaf", "loans", "chain", "root alone", "stand-ins"],
)
def test_what_is_built_right_is_valid(tree) -> None:
    tree.arrays.validate()
    tree.arrays.validate(tree.schema)


@pytest.mark.parametrize(
    ("name", "index", "value", "complaint"),
    [
        ("kind", 0, 7, "kind is none of 0, 1, 2, 3, 4: node 0."),
        ("kind", 2, 1, "column is negative at a node that asks: node 2."),
        ("kind", 1, 0, "n_branches is not 0 at a leaf: node 1."),
        ("first_child", 3, 3, "first_child does not come after its parent: node 3."),
        ("first_child", 3, 0, "first_child does not come after its parent: node 3."),
        ("first_child", 3, 7, "first_child points past the last node: node 3."),
        ("first_child", 3, 2**31 - 1, "first_child points past the last node: node 3."),
        ("n_branches", 3, 1, "n_branches is below 2 at a node that asks: node 3."),
        ("n_branches", 0, 2, "n_branches adds up to 6, but a tree of 8 nodes has 7 branches."),
        ("parent", 0, 0, "parent is 0 at the root instead of -1."),
        ("parent", 4, 3, "parent is not the node whose branch leads here: node 4."),
        ("missing_branch", 1, 2, "missing_branch is no branch: node 1."),
        ("unseen_branch", 1, -2, "unseen_branch is no branch: node 1."),
        ("branch_of_code", 0, -1, "branch_of_code is no branch: node 0."),
        ("branch_of_code", 3, 2, "branch_of_code is no branch: node 1."),
        ("code", 0, -1, "code is negative: node 0."),
        ("code", 1, 0, "code does not ascend: node 0."),
        ("code", 1, 2, "code does not ascend: node 0."),
        ("code", 6, 2, "code is no value of the column: node 3."),
        ("code", 6, 2**31 - 1, "code is no value of the column: node 3."),
        ("code_count", 3, 3, "code_offset gives a slice that leaves code: node 3."),
        ("code_count", 3, 2**31 - 1, "code_offset gives a slice that leaves code: node 3."),
        ("code_count", 3, -1, "code_count is negative: node 3."),
        ("code_count", 2, 1, "code_count is not 0 without categories: node 2."),
        ("code_count", 0, 4, "code_offset gives overlapping slices of code: node 1."),
        ("column", 0, 4, "column is none of the 4 columns: node 0."),
        ("code_offset", 3, 6, "code_offset gives a slice that leaves code: node 3."),
        ("code_offset", 3, -1, "code_offset gives a slice that leaves code: node 3."),
        ("code_offset", 3, 2**63 - 1, "code_offset gives a slice that leaves code: node 3."),
        ("code_offset", 3, 0, "code_offset gives overlapping slices of code: node 3."),
        ("code_offset", 2, 0, "code_offset is not -1 without categories: node 2."),
        ("n_rows", 2, -1, "n_rows is negative: node 2."),
        ("weight", 2, -1.0, "weight is negative: node 2."),
        ("weight", slice(None), np.nan, "weight is not a finite number: node 0 (and 7 more)."),
        ("score", 0, np.nan, "score is not a number: node 0."),
        ("value", (5, 1), np.inf, "value is not a finite number: node 5."),
        ("surrogate_start", 8, 1, "surrogate_start runs from 0 to 1 instead of from 0 to 0."),
        ("surrogate_start", 3, 5, "surrogate_start decreases: node 3."),
    ],
)
def test_a_broken_invariant_is_named(name: str, index: object, value: object, complaint: str):
    arrays = changed(name, index, value, arrays=play_tennis().arrays)
    with pytest.raises(ModelFormatError) as caught:
        arrays.validate(TENNIS)
    assert str(caught.value) == complaint


def test_a_cut_has_two_branches_or_a_third_for_missing_values() -> None:
    tree = loans()
    arrays = changed("missing_branch", 0, 1, arrays=tree.arrays)
    with pytest.raises(ModelFormatError, match="n_branches is neither that of"):
        arrays.validate()


def test_a_cut_of_a_float_column_needs_a_threshold() -> None:
    tree = loans()
    arrays = changed("threshold", 2, np.nan, arrays=tree.arrays)
    with pytest.raises(ModelFormatError, match="threshold is NaN: node 2"):
        arrays.validate(tree.schema)


def test_a_cut_of_whole_numbers_has_one_threshold() -> None:
    tree = loans()
    arrays = changed("threshold", 5, 1.5, arrays=tree.arrays)
    with pytest.raises(ModelFormatError, match="threshold is set beside threshold_int: node 5"):
        arrays.validate(tree.schema)


def test_a_number_has_no_categories() -> None:
    tree = loans()
    arrays = changed("kind", 2, 2, arrays=tree.arrays)
    with pytest.raises(ModelFormatError, match="kind asks for categories of a number: node 2"):
        arrays.validate(tree.schema)


def test_a_nominal_column_cannot_be_cut() -> None:
    arrays = changed("kind", 3, 1, arrays=play_tennis().arrays)
    with pytest.raises(ModelFormatError, match="kind cuts a column without order: node 3"):
        arrays.validate(TENNIS)


def test_only_the_values_a_node_has_seen_are_kept() -> None:
    arrays = play_tennis().arrays
    assert arrays.code.tolist() == [0, 1, 2, 0, 1, 0, 1]  # no row of node 1 has Humidity = Low
    assert arrays.code_offset.tolist() == [0, 3, -1, 5, -1, -1, -1, -1]
    assert arrays.code_count.tolist() == [3, 2, 0, 2, 0, 0, 0, 0]


def test_slices_may_leave_gaps_be_empty_and_come_in_any_order() -> None:
    dataclasses.replace(
        play_tennis().arrays,
        code_offset=[3, 6, -1, 0, -1, -1, -1, -1],
        code_count=[3, 0, 0, 2, 0, 0, 0, 0],
        code=[0, 1, -5, 0, 1, 2],
        branch_of_code=[0, 1, 9, 0, 1, 2],
    ).validate(TENNIS)


def test_every_code_has_its_branch() -> None:
    arrays = dataclasses.replace(play_tennis().arrays, branch_of_code=[0, 1])
    with pytest.raises(ModelFormatError, match="branch_of_code has 2 entries where 7 are due"):
        arrays.validate()


@pytest.mark.parametrize(
    ("name", "index", "value", "complaint"),
    [
        ("surrogate_code_offset", 0, 0, "code_offset is not -1 without categories: node 0."),
        ("surrogate_code_offset", 1, 1, "code_offset gives a slice that leaves code: node 0."),
        ("surrogate_code_count", 1, 3, "code_offset gives a slice that leaves code: node 0."),
        ("surrogate_kind", 1, 1, "kind cuts a column without order: node 0."),
        ("surrogate_column", 1, 3, "column is none of the 3 columns: node 0."),
        ("branch_of_code", 1, 2, "branch_of_code is no branch: node 0."),
        ("code", 1, 3, "code is no value of the column: node 0."),
    ],
)
def test_a_stand_in_is_checked_like_a_node(name: str, index: int, value: int, complaint: str):
    tree = with_stand_ins()
    with pytest.raises(ModelFormatError) as caught:
        changed(name, index, value, arrays=tree.arrays).validate(tree.schema)
    assert str(caught.value) == complaint


def test_lengths_must_agree() -> None:
    arrays = dataclasses.replace(play_tennis().arrays, gain=np.zeros(3))
    with pytest.raises(ModelFormatError, match=r"gain has 3 entries where 8 are due \(8 nodes\)"):
        arrays.validate()


def test_a_tree_has_a_root() -> None:
    tree = play_tennis()
    empty = {entry.name: [] for entry in dataclasses.fields(tree.arrays)}
    with pytest.raises(ModelFormatError, match="no nodes"):
        TreeArrays(**{**empty, "value": np.empty((0, 2))}).validate()


def test_numbers_of_another_kind_are_refused() -> None:
    with pytest.raises(ModelFormatError, match="first_child holds float64, but int32 is due"):
        dataclasses.replace(play_tennis().arrays, first_child=np.zeros(8))


def test_arrays_are_read_only_also_after_pickling() -> None:
    arrays = play_tennis().arrays
    for each in (arrays, pickle.loads(pickle.dumps(arrays))):
        with pytest.raises(ValueError, match="read-only"):
            each.value[0, 0] = 1.0
        assert each.equals(arrays)


def test_the_callers_array_stays_writeable() -> None:
    weight = np.ones(8)
    dataclasses.replace(play_tennis().arrays, weight=weight)
    weight[0] = 2.0


def test_equals_compares_bits() -> None:
    arrays = play_tennis().arrays
    assert arrays.equals(play_tennis().arrays)
    assert not arrays.equals(changed("weight", 3, 5.5, arrays=arrays))
    assert not arrays.equals(play_tennis(humidity_low=True).arrays)


def test_validation_of_a_large_tree_is_quick_and_survives_any_damage() -> None:
    generator = np.random.default_rng(0)
    trees = [loans(), play_tennis(), with_stand_ins()]
    for tree in trees * 150:
        integers = [
            entry.name
            for entry in dataclasses.fields(tree.arrays)
            if getattr(tree.arrays, entry.name).dtype.kind == "i"
            and getattr(tree.arrays, entry.name).size
        ]
        name = str(generator.choice(integers))
        array = getattr(tree.arrays, name).copy()
        limits = np.iinfo(array.dtype)
        index = generator.integers(len(array))
        array[index] = generator.choice([limits.min, limits.max, -1, 0, 1, len(array)])
        damaged = dataclasses.replace(tree.arrays, **{name: array})
        try:
            damaged.validate(tree.schema)
        except ModelFormatError:
            continue
