from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from unit.tree.hand_trees import (
    TENNIS,
    build,
    chain,
    cut,
    leaf,
    loans,
    mean_leaf,
    numeric,
    play_tennis,
    schema_of,
)

from treewright.errors import ModelFormatError, TreewrightError, UnsupportedError
from treewright.explain import why as explain_why
from treewright.tree.tree import Tree


def regression_tree() -> Tree:
    root = cut("x", 0.5, mean_leaf(10, 3.25, variance=1.3), mean_leaf(6, 10.0, variance=4.0))
    return build(schema_of(numeric("x"), numeric("y")), root)


def two_output_tree() -> Tree:
    tree = build(schema_of(numeric("x")), cut("x", 1.0, leaf(3, 1, 4, 0), leaf(0, 2, 1, 1)), "abcd")
    classes = (np.array(["no", "yes"]), np.array([10, 20]))
    return Tree(arrays=tree.arrays, schema=tree.schema, classes=classes, criterion="gini")


def test_sizes_as_the_lectures_count_them() -> None:
    tree = play_tennis()
    assert (tree.n_nodes, tree.n_leaves, tree.n_tests, tree.depth) == (8, 5, 3, 2)
    assert tree.leaf_levels().tolist() == [0, 1, 4]
    assert tree.levels.tolist() == [0, 1, 1, 1, 2, 2, 2, 2]


def test_a_root_alone() -> None:
    tree = build(TENNIS, leaf(5, 9), ["No", "Yes"])
    assert (tree.n_nodes, tree.n_leaves, tree.n_tests, tree.depth) == (1, 1, 0, 0)
    assert tree.leaf_levels().tolist() == [1]
    assert tree.expected_tests() == 0
    assert tree.importances().mean.tolist() == [0, 0, 0, 0]
    assert tree.unused_columns == TENNIS.names
    assert tree.label(0) == "Yes"


def test_walks() -> None:
    tree = play_tennis()
    assert list(tree.children(0)) == [1, 2, 3]
    assert list(tree.children(2)) == []
    assert tree.path(7) == [0, 3, 7]
    assert tree.ancestors(7) == [3, 0]
    assert tree.path(0) == [0]
    assert tree.reading_order.tolist() == [0, 1, 4, 5, 2, 3, 6, 7]
    seen: set[int] = set()
    for node in tree.bottom_up():
        assert seen.issuperset(tree.children(node))
        seen.add(node)
    assert tree.arrays.weight[tree.children(0)].sum() == 14


def test_labels_and_distributions() -> None:
    tree = play_tennis()
    assert [tree.label(node) for node in range(8)] == [
        "Yes",
        "No",
        "Yes",
        "Yes",
        "No",
        "Yes",
        "Yes",
        "No",
    ]
    assert tree.distribution(0).tolist() == [5 / 14, 9 / 14]
    assert isinstance(tree.label(0), str)


def test_a_tie_goes_to_the_first_class() -> None:
    assert build(TENNIS, leaf(3, 3), ["No", "Yes"]).label(0) == "No"


def test_an_empty_leaf_answers_with_its_parents_classes() -> None:
    tree = play_tennis(humidity_low=True)
    assert tree.arrays.weight[6] == 0
    assert tree.distribution(6).tolist() == tree.distribution(1).tolist() == [0.6, 0.4]
    assert tree.label(6) == "No"


def test_empty_nodes_below_empty_nodes_look_further_up() -> None:
    schema = schema_of(numeric("x"))
    below = cut("x", 0.5, leaf(0, 0), cut("x", 0.7, leaf(0, 0), leaf(0, 0)))
    tree = build(schema, cut("x", 1.0, below, leaf(1, 3)), "ab")
    assert {tree.label(node) for node in range(tree.n_nodes)} == {"b"}
    assert tree.distribution(6).tolist() == [0.25, 0.75]


def test_regression_labels() -> None:
    tree = regression_tree()
    assert tree.label(1) == 3.25
    with pytest.raises(UnsupportedError, match="predicts numbers and has no classes"):
        tree.distribution(0)


def test_several_outputs() -> None:
    tree = two_output_tree()
    assert tree.n_outputs == 2
    assert tree.label(0) == ("no", 10)
    assert tree.label(2) == ("yes", 10)
    assert tree.distribution(1, output=1).tolist() == [1.0, 0.0]
    assert "→ yes, 10" in tree.text()


def test_classes_must_match_the_arrays() -> None:
    with pytest.raises(ModelFormatError, match="2 entries per node, but there are 3 classes"):
        build(TENNIS, leaf(3, 3), ["a", "b", "c"])


def test_unused_columns_leave_out_what_a_surrogate_needs() -> None:
    assert play_tennis().unused_columns == ("Temperature",)
    schema = schema_of(numeric("a"), numeric("b"), numeric("c"))
    root = cut("a", 1.0, leaf(1, 0), leaf(0, 1), surrogates=(("b", 2.0, True),))
    assert build(schema, root, "xy").unused_columns == ("c",)


def test_expected_tests() -> None:
    # 4 rows end after one test, 10 after two.
    assert play_tennis().expected_tests() == pytest.approx(24 / 14)


def test_importances_are_the_impurity_each_column_removes() -> None:
    tree = play_tennis()
    raw = tree.importances(normalize=False).mean
    assert raw == pytest.approx([0.246750, 0, 5 / 14 * 0.970951, 5 / 14 * 0.970951], abs=1e-6)
    assert tree.importances().mean == pytest.approx(raw / raw.sum())


def test_to_dict_is_plain_and_flat() -> None:
    described = json.loads(json.dumps(loans().to_dict(), allow_nan=False))
    root = described["nodes"][0]
    assert root["children"] == [1, 2, 3]
    assert root["branches"] == ["income <= 30000.5", "income > 30000.5", "income is missing"]
    assert root["question"]["missing_branch"] == 2
    assert described["nodes"][1]["question"]["codes"] == [0, 1, 2, 3]
    assert described["nodes"][1]["question"]["branch_of_code"] == [0, 1, 1, 0]
    assert described["classes"] == [["default", "repaid"]]
    assert described["columns"][1]["unit"] == "ns"
    assert [node["id"] for node in described["nodes"]] == list(range(14))


def test_to_dict_spells_out_what_json_lacks() -> None:
    schema = schema_of(numeric("x"), numeric("u", "uint"))
    root = cut("x", -np.inf, leaf(1, 0), cut("u", 5 - 2**63, leaf(1, 0), leaf(0, 1)))
    nodes = build(schema, root, [1, 2]).to_dict()["nodes"]
    assert nodes[0]["question"]["threshold"] == "-inf"
    assert nodes[2]["question"]["threshold"] == 5
    assert nodes[0]["label"] == 1


def test_several_outputs_in_to_dict() -> None:
    described = two_output_tree().to_dict()
    assert described["classes"] == [["no", "yes"], [10, 20]]
    assert described["nodes"][2]["label"] == ["yes", 10]


class Memory:
    """Stands for a record; nothing asks what is in it."""


def recall(tree: Tree, X: object, y: object, sample_weight: object, *, owner: str) -> Memory:
    return Memory()


def test_why_is_made_from_the_record_that_the_tree_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    record = Memory()
    monkeypatch.setattr(explain_why, "why", lambda tree, node, record, **_: (node, record))
    assert play_tennis(record=record).why(3) == (3, record)


def test_why_of_a_loaded_tree_needs_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain_why, "why", lambda tree, node, record, **_: node)
    tree = pickle.loads(pickle.dumps(play_tennis(record=Memory(), recall=recall)))
    with pytest.raises(TreewrightError) as caught:
        tree.why(1)
    assert str(caught.value) == (
        "This tree no longer has its training data.\n  Hint: pass them, tree.why(1, X, y)."
    )
    assert tree.why(1, [[0]], [0]) == 1


def test_why_without_any_record_says_so() -> None:
    with pytest.raises(TreewrightError, match="keeps no record of how it was grown"):
        play_tennis().why(0, [[0]], [0])
    with pytest.raises(TreewrightError, match="no node 8; the tree has nodes 0 to 7"):
        play_tennis(record=Memory()).why(8)


def test_pickling_keeps_the_tree_and_drops_the_record() -> None:
    tree = play_tennis(record=Memory(), combine="leaf_counts", unseen="majority")
    assert tree.depth == 2  # cached values are not pickled
    loaded = pickle.loads(pickle.dumps(tree))
    assert loaded.arrays.equals(tree.arrays)
    assert loaded.text() == tree.text()
    assert (loaded.combine, loaded.unseen) == ("leaf_counts", "majority")
    assert loaded._record is None
    assert "levels" not in loaded.__dict__ or loaded.levels is not tree.levels


def test_repr_is_short_and_str_keeps_to_a_few_screens() -> None:
    tree = chain(1000)
    assert repr(tree) == "Tree(n_nodes=2001, n_leaves=1001, depth=1000, criterion='gini')"
    assert len(str(tree).splitlines()) <= 201
    assert str(play_tennis()) == play_tennis().text()


@pytest.fixture(scope="module")
def deep() -> Tree:
    return chain(100_000)


def test_a_deep_chain_has_sizes(deep: Tree) -> None:
    deep.arrays.validate(deep.schema)
    assert deep.depth == 100_000
    assert deep.leaf_levels()[1:].tolist() == [1] * 99_999 + [2]
    # Leaf t lies below t + 1 tests; the last one shares its level.
    total = sum(range(1, 100_001)) + 100_000
    assert deep.expected_tests() == pytest.approx(total / 100_001)
    assert len(deep.path(200_000)) == 100_001


def test_a_deep_chain_prints_with_bounded_indentation(deep: Tree) -> None:
    lines = deep.text().splitlines()
    assert len(lines) == 200_002
    assert max(map(len, lines)) < 200
    assert "└─ [100000] x > 99999" in lines[-1]


def test_a_deep_chain_becomes_json(deep: Tree) -> None:
    nodes = deep.to_dict()["nodes"]
    assert nodes[-1]["parent"] == 199_998
    json.dumps(nodes[-3:])


def test_a_deep_chain_explains_its_last_leaf(deep: Tree) -> None:
    explanation = deep.explain({"x": 1e9})
    assert explanation.leaves == (200_000,)
    assert len(explanation.steps) == 100_000
    assert len(str(explanation).splitlines()) == 100_003


def test_a_deep_chain_pickles(deep: Tree) -> None:
    assert pickle.loads(pickle.dumps(deep)).arrays.equals(deep.arrays)


def test_weights_are_shown_where_they_differ_from_rows() -> None:
    tree = play_tennis()
    arrays = replace(tree.arrays, weight=tree.arrays.weight * 1.5, value=tree.arrays.value * 1.5)
    weighted = Tree(arrays=arrays, schema=TENNIS, classes=tree.classes, criterion="entropy")
    header, first, *_ = weighted.text().splitlines()
    assert header.split() == ["node", "rows", "weight", "No", "Yes"]
    assert first.split()[-4:] == ["14", "21.0", "7.5", "13.5"]
