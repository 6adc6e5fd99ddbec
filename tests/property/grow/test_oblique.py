"""Nodes that ask for sums of columns: true of every table."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from property.growing import examples, grow, scale_of_score
from property.tables import Column, Sample, small_tables

from treewright.criteria import CLASS_CRITERIA, VALUE_CRITERIA, criterion_named
from treewright.data.read.table import read_table
from treewright.grow.oblique import MISSING, SEARCHES, ObliqueOptions
from treewright.tree.arrays import LINEAR
from treewright.tree.condition import rows_that_meet
from treewright.tree.tree import Tree

CRITERIA = [*CLASS_CRITERIA, *(each for each in VALUE_CRITERIA if each != "absolute_error")]


@st.composite
def oblique(draw: st.DrawFn) -> ObliqueOptions:
    search = draw(st.sampled_from(SEARCHES))
    return ObliqueOptions(search=search, n_restarts=3 if search == "oc1" else None)


def slanted(seed: int, *, target: str, weighting: str, missing: bool) -> Sample:
    """A table whose target depends on a sum, with ties, gaps and a nominal column."""
    rng = np.random.default_rng(seed)
    n_rows, n_numbers = int(rng.integers(9, 40)), int(rng.integers(2, 4))
    numbers = rng.normal(size=(n_rows, n_numbers)).round(int(rng.integers(0, 3)))
    goal = numbers @ rng.integers(-2, 3, n_numbers) + rng.normal(size=n_rows) / 2
    gaps = rng.random(numbers.shape) < (0.1 if missing else 0.0)
    columns = [
        Column(
            storage="float",
            values=tuple(
                None if gap else float(x) for x, gap in zip(numbers[:, j], gaps[:, j], strict=True)
            ),
        )
        for j in range(n_numbers)
    ]
    columns.append(Column(storage="nominal", values=tuple(rng.choice(list("pqr"), n_rows))))
    goals: tuple[Any, ...] = tuple(float(y) for y in np.maximum(goal.round(1), 0.0))
    classes: tuple[str, ...] = ()
    if target == "classes":
        n_classes = int(rng.integers(2, 4))
        places = np.searchsorted(np.quantile(goal, np.linspace(0, 1, n_classes + 1)[1:-1]), goal)
        goals, classes = tuple("abc"[place] for place in places), tuple("abc"[:n_classes])
    pool = {"none": None, "whole": [0.0, 1.0, 2.0, 3.0], "dyadic": [0.25, 0.5, 1.75]}[weighting]
    weights = None if pool is None else tuple(rng.choice(pool, n_rows).tolist())
    return Sample(columns=tuple(columns), target=goals, weights=weights, classes=classes)


@st.composite
def cases(
    draw: st.DrawFn, *, weightings: tuple[str, ...] = ("none", "whole", "dyadic"), **kinds: Any
) -> tuple[Sample, dict[str, Any]]:
    """A table with columns to add up, and options that go together."""
    criterion = draw(st.sampled_from(CRITERIA))
    target = "classes" if criterion in CLASS_CRITERIA else "counts"
    if draw(st.booleans()):
        sample = slanted(
            draw(st.integers(0, 10**6)),
            target=target,
            weighting=draw(st.sampled_from(weightings)),
            missing=draw(st.booleans()),
        )
    else:  # infinities, numbers beyond 2^53, constant columns
        sample = draw(small_tables(target=target, min_rows=6, weightings=weightings, **kinds))
    assume(any(sample.weights or [1.0]))
    assume(criterion != "poisson" or any(y > 0 for y in sample.weighed_target))
    policies = [each for each in MISSING if (criterion, each) != ("twoing", "own_branch")]
    options = {
        "criterion": criterion,
        "missing": draw(st.sampled_from(policies)),
        "nominal": draw(st.sampled_from(["subset", "one_vs_rest"])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 2])),
        "max_leaf_nodes": draw(st.sampled_from([None, None, 3])),
        "oblique": draw(oblique()),
    }
    return sample, options


def rows_that_count(sample: Sample) -> np.ndarray:
    return np.ones(sample.n_rows, bool) if sample.weights is None else np.array(sample.weights) > 0


@given(case=cases())
@examples(4)
def test_the_first_split_is_never_worse_than_one_by_a_single_column(case: Any) -> None:
    sample, options = case
    tree = grow(sample, **options)
    alone = grow(sample, **{**options, "oblique": None})
    if alone.is_leaf(0):
        return
    best = alone.arrays.score[0]
    slack = 1e-12 * scale_of_score(sample, options["criterion"])
    assert tree.arrays.score[0] >= best - slack
    if tree.arrays.kind[0] == LINEAR:
        assert tree.arrays.score[0] > best
    elif options["max_leaf_nodes"] is None:
        assert tree.question(0) == alone.question(0)


@given(case=cases())
@examples(4)
def test_training_rows_go_where_they_were_counted(case: Any) -> None:
    sample, options = case
    if options["missing"] == "divide" and sample.any_missing:
        options["missing"] = "learned_side"
    tree = grow(sample, **options)
    leaves = tree.apply(sample.frame)[rows_that_count(sample)]
    expected = np.where(tree.arrays.n_branches == 0, tree.arrays.n_rows, 0)
    np.testing.assert_array_equal(np.bincount(leaves, minlength=tree.n_nodes), expected)


@given(case=cases())
@examples(2)
def test_rules_say_what_the_tree_says(case: Any) -> None:
    sample, options = case
    assume(options["missing"] not in ("divide", "surrogates"))
    tree = grow(sample, **options)
    table = read_table(sample.frame, schema=sample.schema)
    leaf_of_row = tree.apply(sample.frame)
    count = rows_that_count(sample)  # others may hold values that the tree has not seen
    for rule in tree.rules():
        meets = rows_that_meet(rule.conditions, table)
        np.testing.assert_array_equal(meets[count], (leaf_of_row == rule.leaf)[count])


@given(case=cases())
@examples(2)
def test_a_node_can_be_asked_why(case: Any) -> None:
    sample, options = case
    criterion = options["criterion"]
    tree = grow(sample, **options)
    for node in range(tree.n_nodes):
        why = tree.why(node)
        chosen = why.chosen
        if tree.is_leaf(node):
            assert chosen is None
            continue
        assert chosen is not None
        # The impurity ratio is worked out here as well, from the gain.
        assert chosen.score == pytest.approx(tree.arrays.score[node], rel=1e-12)
        if criterion_named(criterion).gains_impurity:
            assert chosen.gain == tree.arrays.gain[node]
        elif not sample.any_missing:  # by its definition, whatever the criterion compares
            fall = max(0.0, why.impurity - chosen.weighted_impurity)
            assert chosen.gain == pytest.approx(fall, abs=1e-12)
        question = tree.question(node)
        assert question is not None
        if question.n_branches == 2:
            assert chosen.question == question.text(0)
        if tree.arrays.kind[node] == LINEAR:
            assert chosen is why.candidates[-1] or chosen.column == "sum of columns"


def stop_where_rows_are_divided(sample: Sample, options: dict[str, Any]) -> None:
    """Below a node that divides rows, weights are thirds and sevenths, rounded."""
    if options["missing"] == "divide" and sample.any_missing:
        options["max_depth"] = 1


def shape(tree: Tree) -> dict[str, Any]:
    """All that a tree is but for the numbers of rows, which copies change."""
    names = ("first_child", "column", "kind", "threshold", "threshold_int", "term_column")
    return {name: getattr(tree.arrays, name).tolist() for name in (*names, "term_coefficient")}


@given(case=cases(weightings=("whole",)))
@examples(2)
def test_a_weight_of_k_is_the_row_written_k_times(case: Any) -> None:
    sample, options = case
    stop_where_rows_are_divided(sample, options)
    np.testing.assert_equal(
        shape(grow(sample, **options)), shape(grow(sample.written_out(), **options))
    )


@given(case=cases(), data=st.data())
@examples(2)
def test_the_order_of_rows_does_not_matter(case: Any, data: st.DataObject) -> None:
    sample, options = case
    assume(sample.has_copies)  # other weights add up to what their order makes of them
    stop_where_rows_are_divided(sample, options)
    order = data.draw(st.permutations(range(sample.n_rows)))
    np.testing.assert_equal(
        shape(grow(sample, **options)), shape(grow(sample.take(order), **options))
    )


@given(case=cases(storages=["float32", "nominal"]), data=st.data())
@examples(2)
def test_units_change_coefficients_alone(case: Any, data: st.DataObject) -> None:
    sample, options = case
    powers = [data.draw(st.integers(-9, 9)) for _ in sample.columns]
    scaled = replace(
        sample,
        columns=tuple(
            replace(
                column,
                values=tuple(
                    v if v is None or column.storage == "nominal" else float(np.ldexp(v, power))
                    for v in column.values
                ),
            )
            for column, power in zip(sample.columns, powers, strict=True)
        ),
    )
    one, other = grow(sample, **options).arrays, grow(scaled, **options).arrays
    for name in ("first_child", "kind", "column", "n_rows", "gain", "value"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.term_column, other.term_column)


@pytest.mark.parametrize("way", ["lists", "codes", "counting", "sorting"])
@given(case=cases())
@examples(1)
def test_every_way_to_tally_gives_the_same_bits(way: str, case: Any) -> None:
    sample, options = case
    assume(options["missing"] != "surrogates")
    first = grow(sample, **options)
    for wide in (False, True):
        assert grow(sample, tally=way, wide=wide, fuse=wide, **options).arrays.equals(first.arrays)


@given(case=cases())
@examples(1)
def test_threads_do_not_matter(case: Any) -> None:
    sample, options = case
    first = grow(sample, **options).arrays
    for n_threads in (2, 4):
        assert grow(sample, n_threads=n_threads, **options).arrays.equals(first)
