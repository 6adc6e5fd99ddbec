"""What holds between two trees and their difference, whatever the table."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import tree_pairs

from property.grow.test_invariance import assume_fit, draw_tree_options
from property.growing import examples, grow
from property.tables import Sample, small_tables
from property.test_predictions import answers_of, tables_alike
from treewright.data.fitted_schema import FittedSchema
from treewright.tree.edit import with_leaves
from treewright.tree.tree import Tree

TASKS = [("classes", "gini"), ("numbers", "squared_error")]
MIRRORED = {"same": "same", "smaller": "larger", "larger": "smaller", "different": "different"}


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(1))
def test_a_tree_is_the_same_as_itself(target: Any, criterion: str, data: st.DataObject) -> None:
    sample, other = data.draw(tables_alike(target=target))
    assume_fit(sample, criterion)
    tree = grow(sample, **draw_tree_options(data, criterion))
    diff = tree.diff(tree, other.frame)
    assert diff.relation == "same"
    assert (diff.similarity, diff.n_reweighed, diff.differences) == (1.0, 0, ())
    assert diff.rows is not None
    assert not diff.rows.is_any
    assert len(str(diff).splitlines()) == 1


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(1))
def test_a_pruned_tree_is_smaller(target: Any, criterion: str, data: st.DataObject) -> None:
    sample, other = data.draw(tables_alike(target=target))
    assume_fit(sample, criterion)
    tree = grow(sample, **draw_tree_options(data, criterion))
    marked = np.array([data.draw(st.integers(0, 3)) == 0 for _ in range(tree.n_nodes)])
    pruned = with_leaves(tree, marked)
    topmost = [
        node
        for node in np.flatnonzero(marked & (tree.arrays.n_branches > 0)).tolist()
        if not marked[tree.ancestors(node)].any()
    ]
    diff = tree.diff(pruned, other.frame)
    assert diff.relation == ("smaller" if topmost else "same")
    assert sorted(each.first_node for each in diff.differences) == topmost
    assert {each.change for each in diff.differences} <= {"pruned"}
    removed = sum(each.first_size - each.second_size for each in diff.differences)
    assert removed == tree.n_nodes - pruned.n_nodes
    assert diff.n_common == pruned.n_tests
    assert diff.rows is not None
    # Who comes to a node that was cut off takes another path, and nobody else.
    paths = tree.decision_path(other.frame)[:, topmost].sum(axis=1)
    assert diff.rows.path.tolist() == np.flatnonzero(paths).tolist()


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(1))
def test_rows_change_as_the_predictions_do(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample, other = data.draw(tables_alike(target=target))
    assume_fit(sample, criterion)
    one = grow(sample, **draw_tree_options(data, criterion))
    kept = data.draw(st.lists(st.sampled_from(range(sample.n_rows)), min_size=1, unique=True))
    part = sample.take(sorted(kept))
    assume(not sample.is_classification or set(part.target) == set(sample.target))
    assume(part.weights is None or any(part.weights))
    assume_fit(part, criterion)
    two = grow(part, **draw_tree_options(data, criterion))
    there, back = one.diff(two, other.frame), two.diff(one, other.frame)
    assert MIRRORED[there.relation] == back.relation
    assert there.n_common == back.n_common
    assert len(there.differences) == len(back.differences)
    assert there.rows is not None
    assert back.rows is not None
    changes = answers_of(one, other), answers_of(two, other)
    scale = np.maximum(1, np.maximum(*map(np.abs, changes)))
    is_other = (np.abs(changes[0] - changes[1]) > 1e-9 * scale).any(axis=1)
    labels = one.predict(other.frame), two.predict(other.frame)
    if sample.is_classification:
        assert np.array_equal(there.rows.probabilities, np.flatnonzero(is_other))
        is_other = labels[0] != labels[1]
    assert np.array_equal(there.rows.label, np.flatnonzero(is_other))
    for kind in ("path", "label", "probabilities"):
        assert np.array_equal(getattr(there.rows, kind), getattr(back.rows, kind))
    # What takes the same path to the same probabilities has the same label.
    unchanged = set(range(other.n_rows)) - set(there.rows.path.tolist())
    if not there.differences and not there.n_reweighed and one.combine == two.combine:
        assert len(unchanged) == other.n_rows


@pytest.mark.parametrize(
    ("target", "criterion"), [("classes", "gini"), ("numbers", "squared_error")]
)
@given(data=st.data())
@settings(examples(2))
def test_the_walk_finds_what_recursion_finds(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample, other = data.draw(tables_alike(target=target, storages=("float", "int")))
    options = {"criterion": criterion, "missing": "learned_side"}
    one = grow(sample, **options)
    order = data.draw(st.permutations(range(sample.n_rows)))
    part = sample.take(order[: data.draw(st.integers(1, sample.n_rows))])
    assume(target != "classes" or set(part.target) == set(sample.target))
    assume(part.weights is None or any(part.weights))
    two = grow(part, max_depth=data.draw(st.sampled_from([None, 1, 2])), **options)
    assume(all(a.storage == b.storage for a, b in zip(one.schema, two.schema, strict=True)))
    diff = one.diff(two, other.frame, tolerance=0)
    first, second = one.to_dict(), two.to_dict()
    found = [(each.change, each.first_node, each.second_node) for each in diff.differences]
    assert found == tree_pairs.changes(first, second)
    rows = [
        {f"c{i}": column.values[row] for i, column in enumerate(other.columns)}
        for row in range(other.n_rows)
    ]
    expected = [i for i, row in enumerate(rows) if tree_pairs.has_other_path(first, second, row)]
    assert diff.rows is not None
    assert diff.rows.path.tolist() == expected


def in_other_order(tree: Tree, columns: list[int], codes: dict[int, list[int]]) -> Tree:
    """The same tree, its columns and the values of nominal ones in another order."""
    arrays = tree.arrays
    place = {old: new for new, old in enumerate(columns)}
    new_code = {old: {o: n for n, o in enumerate(order)} for old, order in codes.items()}
    specs = []
    for old in columns:
        spec = tree.schema.columns[old]
        if old in codes:
            spec = replace(spec, values=tuple(spec.values[code] for code in codes[old]))
        specs.append(spec)
    code, branch = arrays.code.copy(), arrays.branch_of_code.copy()
    owners = [
        *zip(arrays.column, arrays.code_offset, arrays.code_count, strict=True),
        *zip(
            arrays.surrogate_column,
            arrays.surrogate_code_offset,
            arrays.surrogate_code_count,
            strict=True,
        ),
    ]
    for column, offset, count in owners:
        if count and int(column) in new_code:
            owned = slice(offset, offset + count)
            pairs = sorted(
                (new_code[int(column)][old], b)
                for old, b in zip(code[owned].tolist(), branch[owned].tolist(), strict=True)
            )
            code[owned] = [each for each, _ in pairs]
            branch[owned] = [each for _, each in pairs]
    moved = np.array([*(place[i] for i in range(len(columns))), -1])
    return Tree(
        arrays=replace(
            arrays,
            column=moved[arrays.column],
            surrogate_column=moved[arrays.surrogate_column],
            code=code,
            branch_of_code=branch,
        ),
        schema=FittedSchema(columns=tuple(specs), named=True),
        classes=tree.classes,
        criterion=tree.criterion,
        combine=tree.combine,
    )


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(1))
def test_the_order_of_columns_and_values_does_not_matter(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample: Sample
    sample, other = data.draw(tables_alike(target=target))
    assume_fit(sample, criterion)
    tree = grow(sample, **draw_tree_options(data, criterion))
    columns = data.draw(st.permutations(range(len(tree.schema))))
    codes = {
        i: list(data.draw(st.permutations(range(len(spec.values)))))
        for i, spec in enumerate(tree.schema)
        if spec.kind == "nominal"
    }
    moved = in_other_order(tree, columns, codes)
    diff = tree.diff(moved, other.frame)
    assert diff.relation == "same"
    assert diff.rows is not None
    assert not diff.rows.is_any


@given(sample=small_tables(target="classes"), seed=st.integers(0, 3))
@settings(examples(1))
def test_the_order_of_classes_does_not_matter(sample: Sample, seed: int) -> None:
    tree = grow(sample)
    assert tree.classes is not None
    order = np.random.default_rng(seed).permutation(len(tree.classes[0]))
    moved = Tree(
        arrays=replace(tree.arrays, value=tree.arrays.value[:, order]),
        schema=tree.schema,
        classes=(tree.classes[0][order],),
        criterion=tree.criterion,
    )
    diff = tree.diff(moved, sample.frame)
    assert diff.n_reweighed == 0
    assert diff.rows is not None
    assert len(diff.rows.probabilities) == 0
    # Ties go to the first class: only they may change.
    changed = {each.first_node for each in diff.differences}
    tied = np.sum(tree.answers == tree.answers.max(axis=1, keepdims=True), axis=1) > 1
    assert changed <= set(np.flatnonzero(tied).tolist())
