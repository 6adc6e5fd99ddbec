from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from unit.model.hand_trees import TENNIS, build, chain, leaf, loans, play_tennis

from treewright.errors import ModelFormatError
from treewright.model.arrays import TreeArrays


def changed(name: str, index: object, value: object, *, arrays: TreeArrays) -> TreeArrays:
    array = getattr(arrays, name).copy()
    array[index] = value
    return dataclasses.replace(arrays, **{name: array})


@pytest.mark.parametrize(
    "tree",
    [
        play_tennis(),
        play_tennis(humidity_low=True),
        loans(),
        chain(50),
        build(TENNIS, leaf(1, 2), "ab"),
    ],
    ids=["tennis", "empty leaf", "loans", "chain", "root alone"],
)
def test_what_is_built_right_is_valid(tree) -> None:
    tree.arrays.validate()
    tree.arrays.validate(tree.schema)


@pytest.mark.parametrize(
    ("name", "index", "value", "complaint"),
    [
        ("kind", 0, 7, "kind is none of 0, 1, 2: node 0."),
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
        ("branch_of_code", 0, -2, "branch_of_code holds an entry below -1."),
        ("branch_of_code", 3, 2, "branch_of_code is no branch: node 1."),
        ("column", 0, 4, "column is none of the 4 columns: node 0."),
        ("code_offset", 3, 7, "code_offset points outside branch_of_code: node 3."),
        ("code_offset", 3, -1, "code_offset points outside branch_of_code: node 3."),
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
    with pytest.raises(ModelFormatError, match="n_branches is neither 2 nor"):
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


def test_slices_of_codes_do_not_overlap() -> None:
    arrays = dataclasses.replace(
        play_tennis().arrays, code_offset=[0, 0, -1, 0, -1, -1, -1, -1], branch_of_code=[0, 1, 1]
    )
    with pytest.raises(ModelFormatError, match="overlapping slices"):
        arrays.validate(TENNIS)


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
    tree = loans()
    integers = [
        entry.name
        for entry in dataclasses.fields(tree.arrays)
        if getattr(tree.arrays, entry.name).dtype.kind == "i"
        and getattr(tree.arrays, entry.name).size
    ]
    for _ in range(300):
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
