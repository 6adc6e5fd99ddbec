"""What must not change a tree: order and copies of rows, units of weights and of columns."""

import dataclasses
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from property.grow.test_one_tree import TASKS, knobs
from property.growing import examples, grow
from property.tables import Column, Sample, Storage, Weighting, small_tables

from treewright.tree.tree import Tree

LOGARITHMIC = ("entropy", "gain_ratio", "impurity_ratio", "poisson")
MEASURES = ("weight", "impurity", "gain", "score", "value")


def assert_same_tree(
    tree: Tree, other: Tree, *, but_for: tuple[str, ...] = (), nearly: tuple[str, ...] = ()
) -> None:
    """Bit for bit, but for some arrays, and to rounding in others."""
    for entry in dataclasses.fields(tree.arrays):
        if entry.name in but_for:
            continue
        one, two = getattr(tree.arrays, entry.name), getattr(other.arrays, entry.name)
        assert one.shape == two.shape, entry.name
        if entry.name in nearly:
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9, err_msg=entry.name)
        else:
            assert one.tobytes() == two.tobytes(), entry.name


def draw_tree_options(data: st.DataObject, criterion: str) -> dict[str, Any]:
    """Without randomness: what is drawn depends on the node, not on the data alone."""
    options = data.draw(knobs(criterion))
    return {**options, "splitter": "best", "max_features": None}


def assume_fit(sample: Sample, criterion: str) -> None:
    if criterion == "poisson":
        assume(any(y > 0 for y in sample.weighed_target))


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.75))
def test_the_order_of_rows_does_not_matter(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    # Other weights have sums that depend on their order.
    exact: Any = ("none", "whole", "dyadic") if target == "classes" else ("none", "whole")
    sample = data.draw(small_tables(target=target, weightings=exact))
    assume_fit(sample, criterion)
    order = data.draw(st.permutations(range(sample.n_rows)))
    options = draw_tree_options(data, criterion)
    nearly = limit_divided_rows(sample, options)
    tree, other = grow(sample, **options), grow(sample.take(order), **options)
    assert_same_tree(tree, other, nearly=nearly)


def limit_divided_rows(sample: Sample, options: dict[str, Any]) -> tuple[str, ...]:
    """Stop at the root where rows are divided: below it weights are thirds and sevenths, rounded.

    Gives the arrays that may differ by rounding.
    """
    if options["missing"] != "divide" or not sample.any_missing:
        return ()
    options["max_depth"] = 1
    ratio = ("score",) if options["criterion"] == "impurity_ratio" else ()  # made of impurities
    return ("weight", "impurity", "value", *ratio)


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.75))
def test_a_weight_of_k_is_the_row_written_k_times(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample = data.draw(small_tables(target=target, weightings=["whole"]))
    assume_fit(sample, criterion)
    options = draw_tree_options(data, criterion)
    if sample.is_classification:  # both must know the same classes
        assume(sample.weighed_target == set(sample.target))
    limit_divided_rows(sample, options)
    weighted, written = grow(sample, **options), grow(sample.written_out(), **options)
    assert_same_tree(weighted, written, but_for=("n_rows",), nearly=MEASURES)


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.75))
def test_rows_of_weight_zero_are_not_there(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample = data.draw(small_tables(target=target, weightings=["whole", "dyadic"]))
    assume_fit(sample, criterion)
    assert sample.weights is not None
    kept = [row for row in range(sample.n_rows) if sample.weights[row] > 0]
    without = sample.take(kept)
    if sample.is_classification:
        assume(set(without.target) == set(sample.target))
    options = draw_tree_options(data, criterion)
    whole, part = grow(sample, **options), grow(without, **options)
    # A number that no float equals makes its column one of integers, also in a row of weight 0.
    assume(whole.schema == part.schema)
    assert_same_tree(whole, part)


@given(sample=small_tables(target="numbers", weightings=["none"]), outlier=st.floats(1e6, 1e300))
def test_the_target_of_a_row_of_weight_zero_does_not_matter(sample: Sample, outlier: float) -> None:
    rows = [*range(sample.n_rows), 0]
    padded = sample.take(rows, weights=[1.0] * sample.n_rows + [0.0])
    padded = replace(padded, target=(*sample.target, outlier))
    assert_same_tree(grow(sample), grow(padded))


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.75))
def test_the_unit_of_weights_does_not_matter(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    weightings: list[Weighting] = ["none", "whole", "dyadic"]
    if criterion not in LOGARITHMIC:  # else rounding would decide between questions that tie
        weightings.append("awkward")
    sample = data.draw(small_tables(target=target, weightings=weightings))
    assume_fit(sample, criterion)
    weights = sample.weights or (1.0,) * sample.n_rows
    factor = 2.0 ** data.draw(st.sampled_from([-300, -60, -3, -1, 1, 7, 45, 60, 300]))
    # Limits (a surrogate's two rows on each side is one) count copies of rows, and those depend on
    # whether weights are whole numbers.
    no_limits = {"min_samples_leaf": 1, "max_surrogates": 0}
    options = draw_tree_options(data, criterion) | no_limits
    if (
        criterion in LOGARITHMIC
    ):  # which of two leaves gains more is a question of rounding if equal
        options["max_leaf_nodes"] = None
    in_other_units = sample.take(range(sample.n_rows), weights=[w * factor for w in weights])
    if options["missing"] == "divide":  # parts of a row are less than one
        assume(not sample.any_missing or not (sample.has_copies or in_other_units.has_copies))
    tree, scaled = grow(sample, **options), grow(in_other_units, **options)
    assert_same_tree(tree, scaled, but_for=MEASURES)
    np.testing.assert_allclose(tree.answers, scaled.answers, rtol=1e-9, atol=1e-300)
    shares = [each.arrays.weight / each.arrays.weight[0] for each in (tree, scaled)]
    np.testing.assert_allclose(shares[0], shares[1], rtol=1e-9)


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.75))
def test_an_increasing_transform_of_a_column_changes_thresholds_only(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    numeric: tuple[Storage, ...] = ("float", "float32", "int")
    sample = data.draw(small_tables(target=target, storages=("nominal", *numeric)))
    assume_fit(sample, criterion)
    options = draw_tree_options(data, criterion)
    # A surrogate is cut midway between rows that have the asked value: a row without it may lie
    # anywhere between those two, and which side that is depends on the values.
    assume(options["missing"] != "surrogates" or not sample.any_missing)
    columns = tuple(
        replace(column, values=transformed(column, data)) if column.storage in numeric else column
        for column in sample.columns
    )
    stretched = replace(sample, columns=columns)
    thresholds = ("threshold", "threshold_int")
    surrogates = tuple(f"surrogate_{name}" for name in thresholds)
    tree, other = grow(sample, **options), grow(stretched, **options)
    assert_same_tree(tree, other, but_for=thresholds + surrogates)


def transformed(column: Column, data: st.DataObject) -> tuple[Any, ...]:
    """Other values in the same order."""
    values = sorted({value for value in column.values if value is not None})
    if column.storage == "int":
        strategy: Any = st.integers(-(2**60), 2**60)
    else:
        width: Any = 64 if column.storage == "float" else 32
        strategy = st.floats(-(2.0**100), 2.0**100, width=width).map(lambda x: x + 0.0)
    size = len(values)
    drawn = sorted(data.draw(st.lists(strategy, min_size=size, max_size=size, unique=True)))
    new = dict(zip(values, drawn, strict=True))
    return tuple(None if value is None else new[value] for value in column.values)


@given(data=st.data())
@settings(examples(1))
def test_a_copy_of_a_column_is_never_asked(data: st.DataObject) -> None:
    sample = data.draw(small_tables(max_columns=2))
    twice = replace(sample, columns=sample.columns + sample.columns)
    tree, other = grow(sample, missing="majority"), grow(twice, missing="majority")
    assert_same_tree(tree, other)
