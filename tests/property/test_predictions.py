"""What holds between a tree, its predictions, its paths and its rules, whatever the table."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from property.grow.test_invariance import assume_fit, draw_tree_options
from property.grow.test_one_tree import TASKS
from property.growing import examples, grow
from property.tables import Sample, small_tables
from treewright.tree.tree import Tree

SETTLED = ("learned_side", "surrogates", "most_likely", "own_branch", "majority")
"""Policies that send a missing value the same way in training and in prediction."""


def row_of(frame: dict[str, Any], row: int) -> dict[str, Any]:
    return {name: values[row : row + 1] for name, values in frame.items()}


def is_consistent(sample: Sample) -> bool:
    """No two rows that look alike differ in the target."""
    seen: dict[Any, Any] = {}
    rows = zip(*(column.values for column in sample.columns), strict=True)
    return all(seen.setdefault(row, y) == y for row, y in zip(rows, sample.target, strict=True))


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.5))
def test_a_full_tree_knows_its_training_rows(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample = data.draw(small_tables(target=target, missing=False, weightings=["none", "awkward"]))
    assume(is_consistent(sample))
    assume_fit(sample, criterion)
    if criterion == "poisson":  # which does not part rows of target 0 from the others
        sample = replace(sample, target=tuple(y + 1.0 for y in sample.target))
    options = draw_tree_options(data, criterion) | {"max_leaf_nodes": None, "min_samples_leaf": 1}
    if sample.is_classification:
        options["thresholds"] = data.draw(st.sampled_from(["all", "class_boundaries"]))
    tree = grow(sample, **options)
    assert tree.predict(sample.frame).tolist() == list(sample.target)


@given(data=st.data())
@settings(examples(2))
def test_no_answer_of_a_poisson_tree_is_zero(data: st.DataObject) -> None:
    sample, other = data.draw(tables_alike(target="counts"))
    assume_fit(sample, "poisson")
    tree = grow(sample, **draw_tree_options(data, "poisson"))
    assert (tree.answers > 0.0).all()
    assert (tree.predict(other.frame) > 0.0).all()


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.5))
def test_a_row_is_answered_alike_alone_and_in_a_batch(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample, other = data.draw(tables_alike(target=target))
    assume_fit(sample, criterion)
    options = draw_tree_options(data, criterion)
    combine = data.draw(st.sampled_from(["branch_fractions", "leaf_counts"]))
    tree = grow(sample, combine=combine, **options)
    answers = answers_of(tree, other)
    leaves, paths = tree.apply(other.frame), tree.decision_path(other.frame)
    for row in range(other.n_rows):
        alone = row_of(other.frame, row)
        assert answers_of(tree, alone)[0].tobytes() == answers[row].tobytes()
        assert tree.apply(alone)[0] == leaves[row]
        visited = paths.indices[paths.indptr[row] : paths.indptr[row + 1]]
        assert np.array_equal(tree.decision_path(alone).indices, visited)


@st.composite
def tables_alike(draw: st.DrawFn, /, **knobs: Any) -> tuple[Sample, Sample]:
    """A table to grow on, and rows with the same columns to predict, cells drawn anew."""
    sample = draw(small_tables(**knobs))
    columns = tuple(
        replace(
            column,
            values=tuple(
                draw(st.sampled_from([*column.values, None])) for _ in range(sample.n_rows)
            ),
        )
        for column in sample.columns
    )
    return sample, replace(sample, columns=columns)


def answers_of(tree: Tree, rows: Any) -> Any:
    frame = rows.frame if isinstance(rows, Sample) else rows
    if tree.classes is None:
        return tree.predict(frame)[:, np.newaxis]
    return tree.predict_proba(frame)


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.5))
def test_paths_leaves_and_answers_agree(target: Any, criterion: str, data: st.DataObject) -> None:
    sample, other = data.draw(tables_alike(target=target))
    assume_fit(sample, criterion)
    options = draw_tree_options(data, criterion)
    tree = grow(sample, **options)
    leaves, answers = tree.apply(other.frame), answers_of(tree, other)
    paths = tree.decision_path(other.frame)
    for row in range(other.n_rows):
        visited = set(paths.indices[paths.indptr[row] : paths.indptr[row + 1]].tolist())
        reached = {node for node in visited if tree.is_leaf(node)}
        assert leaves[row] in reached
        assert all(tree.arrays.parent[node] in visited for node in visited if node > 0)
        if options["missing"] != "divide":
            assert len(reached) == 1
        if len(reached) == 1:
            assert sorted(visited) == sorted(tree.path(int(leaves[row])))
            np.testing.assert_allclose(answers[row], tree.answers[leaves[row]], rtol=1e-14)
        else:
            low = tree.answers[sorted(reached)].min(axis=0)
            high = tree.answers[sorted(reached)].max(axis=0)
            assert np.all(answers[row] >= low - 1e-12)
            assert np.all(answers[row] <= high + 1e-12)


@pytest.mark.parametrize("missing", SETTLED)
@given(data=st.data())
@settings(examples(0.75))
def test_training_rows_are_predicted_where_they_were_put(missing: str, data: st.DataObject) -> None:
    target: Any = data.draw(st.sampled_from(["classes", "numbers"]))
    sample = data.draw(small_tables(target=target, weightings=["none", "dyadic"]))
    nominal = (
        "subset" if missing == "surrogates" else data.draw(st.sampled_from(["multiway", "subset"]))
    )
    tree = grow(sample, missing=missing, nominal=nominal)
    weights = np.array(sample.weights or (1.0,) * sample.n_rows)
    leaves = tree.apply(sample.frame)[weights > 0]
    n_rows = np.bincount(leaves, minlength=tree.n_nodes)
    weight = np.bincount(leaves, weights=weights[weights > 0], minlength=tree.n_nodes)
    is_leaf = tree.arrays.n_branches == 0
    assert np.array_equal(n_rows[is_leaf], tree.arrays.n_rows[is_leaf])
    np.testing.assert_allclose(weight[is_leaf], tree.arrays.weight[is_leaf])


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(0.5))
def test_rules_predict_what_their_tree_predicts(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample, other = data.draw(tables_alike(target=target, max_rows=8))
    assume_fit(sample, criterion)
    options = draw_tree_options(data, criterion)
    if options["missing"] == "surrogates":  # they are no part of rules
        options["max_surrogates"] = 0
    tree = grow(sample, **options)
    rules = list(tree.rules())
    assert len(rules) == tree.n_leaves
    leaves, labels = tree.apply(other.frame), tree.predict(other.frame)
    paths = tree.decision_path(other.frame)
    for row in range(other.n_rows):
        visited = paths.indices[paths.indptr[row] : paths.indptr[row + 1]]
        is_divided = sum(map(tree.is_leaf, visited.tolist())) > 1
        cells = {name: values[row] for name, values in other.frame.items()}
        matching = [rule for rule in rules if rule.matches(cells)]
        assert len(matching) == (0 if is_divided else 1)
        for rule in matching:
            assert rule.leaf == leaves[row]
            assert rule.label == labels[row]


@given(data=st.data())
@settings(examples(1))
def test_a_tree_of_so_many_leaves_is_the_beginning_of_a_larger_one(data: st.DataObject) -> None:
    target: Any = data.draw(st.sampled_from(["classes", "numbers"]))
    sample = data.draw(small_tables(target=target, min_rows=5))
    missing = data.draw(st.sampled_from(["learned_side", "majority", "surrogates"]))
    whole = grow(sample, missing=missing)
    trees = [grow(sample, missing=missing, max_leaf_nodes=n) for n in range(2, 8)]
    for n, tree in enumerate(trees, start=2):
        assert tree.n_leaves == min(n, whole.n_leaves)
    for smaller, larger in pairwise(trees):
        asks = np.flatnonzero(smaller.arrays.n_branches > 0)
        for name in ("column", "kind", "threshold", "threshold_int", "first_child", "gain"):
            one, two = getattr(smaller.arrays, name), getattr(larger.arrays, name)
            assert one[asks].tobytes() == two[asks].tobytes(), name
        added = set(np.flatnonzero(larger.arrays.n_branches > 0)) - set(asks.tolist())
        # Of all leaves that could be split, the one was that gains most.
        for node in added:
            gains = larger.arrays.gain * larger.arrays.weight
            later = [
                other
                for other in range(smaller.n_nodes)
                if smaller.is_leaf(other) and trees[-1].arrays.n_branches[other] > 0
            ]
            most = max(
                (trees[-1].arrays.gain[other] * trees[-1].arrays.weight[other] for other in later),
                default=-math.inf,
            )
            assert gains[node] >= most * (1 - 1e-12)


@given(data=st.data())
@settings(examples(1))
def test_max_leaf_nodes_bounds_the_leaves_of_wide_splits_too(data: st.DataObject) -> None:
    sample = data.draw(small_tables(min_rows=5))
    most = data.draw(st.integers(2, 6))
    for missing in ("own_branch", "divide", "learned_side"):
        for empty_branches in (False, True):
            tree = grow(
                sample,
                missing=missing,
                nominal="multiway",
                empty_branches=empty_branches,
                max_leaf_nodes=most,
            )
            assert tree.n_leaves <= most


@given(data=st.data())
@settings(examples(2))
def test_monotonic_columns_have_monotonic_predictions(data: st.DataObject) -> None:
    target: Any = data.draw(st.sampled_from(["classes", "numbers", "counts"]))
    sample = data.draw(small_tables(target=target, fixed_classes=2, min_rows=4))
    of_numbers = data.draw(st.sampled_from(["squared_error", "absolute_error"]))
    criterion = {"classes": "entropy", "numbers": of_numbers, "counts": "poisson"}[target]
    assume_fit(sample, criterion)
    assume(not sample.is_classification or len(sample.classes) == 2)
    held = [i for i, column in enumerate(sample.columns) if column.storage != "nominal"]
    assume(held)
    signs = {f"c{i}": data.draw(st.sampled_from([-1, 1])) for i in held}
    missing = data.draw(st.sampled_from(["learned_side", "majority", "most_likely", "own_branch"]))
    tree = grow(
        sample,
        criterion=criterion,
        missing=missing,
        monotonic_cst=signs,
        max_leaf_nodes=data.draw(st.sampled_from([None, 4])),
        splitter=data.draw(st.sampled_from(["best", "random"])),
        nominal="one_vs_rest",
    )
    for i in held:
        values = sorted({value for value in sample.columns[i].values if value is not None})
        if not values:
            continue
        sign = signs[f"c{i}"]
        for row in range(sample.n_rows):
            moved = sample.take([row] * len(values), weights=[1.0] * len(values))
            columns = list(moved.columns)
            columns[i] = replace(columns[i], values=tuple(values))
            answers = answers_of(tree, replace(moved, columns=tuple(columns)))[:, -1]
            assert np.all(np.diff(answers) * sign >= -1e-12)


@given(sample=small_tables(), seed=st.integers(0, 5))
@settings(examples(1))
def test_a_drawn_split_is_a_split(sample: Sample, seed: int) -> None:
    weights = sample.weights or (1.0,) * sample.n_rows
    n_present = sum(weight > 0 for weight in weights)
    for missing in oracle.MISSING_POLICIES:
        tree = grow(sample, seed=seed, splitter="random", missing=missing, min_samples_leaf=2)
        tree.arrays.validate(tree.schema)
        counts_rows = sample.weights is None or not sample.has_copies
        if counts_rows and missing not in ("divide", "surrogates", "majority"):
            assert tree.arrays.n_rows[tree.arrays.n_branches == 0].min() >= min(2, n_present)
