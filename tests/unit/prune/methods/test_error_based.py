"""Error-based pruning: Quinlan's own example, raised branches, and the rows it needs."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import play_tennis

from treewright import C45Classifier, DecisionTreeClassifier, Schema, Tree
from treewright.errors import DataError, TreewrightError
from treewright.measures import added_errors
from treewright.prune import ErrorBased


def votes() -> tuple[dict[str, list[str]], list[str]]:
    """Quinlan 1993, section 4.2: education spending, of 16 democrats but for one republican."""
    spending = ["no"] * 6 + ["yes"] * 9 + ["unknown"]
    return {"spending": spending}, ["democrat"] * 15 + ["republican"]


def whole_tree(X: Any, y: Any, **options: Any) -> Tree:
    return C45Classifier(confidence=None, collapse=False, **options).fit(X, y).tree_


def test_quinlans_subtree_becomes_a_leaf() -> None:
    X, y = votes()
    tree = DecisionTreeClassifier(nominal="multiway").fit(X, y).tree_
    record = ErrorBased(collapse=False, raising=False).prune(tree).pruning
    assert record is not None
    assert record.before[0] == pytest.approx(6 * 0.206 + 9 * 0.143 + 1 * 0.750, abs=2e-3)
    assert record.after[0] == pytest.approx(16 * 0.157, abs=6e-3)  # the book rounds the rate
    assert record.after[0] == pytest.approx(1 + float(added_errors(16, 1)))
    assert record.method == "error_based"


def test_a_subtree_as_good_as_a_leaf_collapses() -> None:
    X = {"x": [1.0, 2.0, 3.0, 4.0] * 5}
    y = ["a", "a", "a", "b"] * 5
    tree = DecisionTreeClassifier(criterion="entropy").fit(X, y).tree_
    blurred = DecisionTreeClassifier(max_depth=1).fit(X, ["a", "a", "b", "a"] * 5).tree_
    assert ErrorBased(confidence=None).prune(tree).n_leaves == tree.n_leaves
    assert ErrorBased(confidence=None).prune(blurred).n_leaves == 1  # both leaves say a
    assert ErrorBased(confidence=None, collapse=False).prune(blurred).n_leaves == 2


def noisy(seed: int, n_rows: int = 60) -> tuple[dict[str, Any], Any]:
    generator = np.random.default_rng(seed)
    X = {
        "a": generator.choice(list("pqr"), n_rows),
        "b": generator.choice(list("st"), n_rows),
        "c": generator.normal(size=n_rows).round(1),
        "d": generator.normal(size=n_rows).round(1),
    }
    return X, np.where((X["c"] + X["d"] > 0) ^ (generator.random(n_rows) < 0.2), "u", "v")


def raised_tree() -> tuple[Tree, dict[str, Any], Any]:
    """A tree whose node 3 was raised: it asks about d where b was asked."""
    X, y = noisy(16, 40)
    model = C45Classifier(min_cases=1, gain_guard=False, confidence=0.5).fit(X, y)
    tree = model.tree_
    assert tree.pruning is not None
    assert "raised" in {step.action for step in tree.pruning.steps}
    return tree, X, y


def moved_nodes(tree: Tree) -> list[int]:
    record = tree.pruning
    assert record is not None
    assert record.source is not None
    moved = []
    for node in range(tree.n_nodes):
        was, there = 0, True
        for above, below in zip(tree.path(node), tree.path(node)[1:], strict=False):
            there &= record.source[above] == was
            was = record.tree.children(was)[below - tree.children(above).start] if there else was
        if not there or record.source[node] != was:
            moved.append(node)
    return moved


def test_a_larger_confidence_prunes_less() -> None:
    X, y = noisy(0, 200)
    tree = whole_tree(X, y, min_cases=1)
    sizes = [ErrorBased(confidence=cf).prune(tree).n_leaves for cf in (0.01, 0.1, 0.25, 0.5, 0.9)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_raising_leaves_other_trees() -> None:
    tree, X, y = raised_tree()
    plain = C45Classifier(min_cases=1, gain_guard=False, confidence=0.5, raising=False).fit(X, y)
    record = plain.tree_.pruning
    assert record is not None
    assert {step.action for step in record.steps} == {"leaf"}
    assert plain.tree_.n_leaves != tree.n_leaves


def test_nodes_that_kept_their_place_say_why() -> None:
    tree, _, _ = raised_tree()
    moved = moved_nodes(tree)
    assert 0 < len(moved) < tree.n_nodes
    for node in set(range(tree.n_nodes)) - set(moved):
        why = tree.why(node)
        assert why.n_rows == tree.arrays.n_rows[node]
        assert why.counts == tuple(tree.arrays.value[node].tolist())
        question = tree.question(node)
        if question is not None:
            assert why.chosen is not None
            assert why.chosen.column == question.column.name


def test_nodes_in_anothers_place_refuse_to_say_why() -> None:
    tree, X, y = raised_tree()
    for node in moved_nodes(tree):
        for again in (tree, pickle.loads(pickle.dumps(tree))):
            given = () if again is tree else (X, y)
            with pytest.raises(TreewrightError) as caught:
                again.why(node, *given)
            assert str(caught.value) == (
                f"Pruning put node {node}, or one above it, in another's place: it was not chosen"
                " for the rows it has now.\n"
                "  Hint: tree.pruning.tree is the tree as it was before."
            )
    assert tree.pruning is not None
    assert tree.pruning.tree.why(0).chosen is not None


def test_pruning_once_more_keeps_account_of_what_was_raised() -> None:
    tree, _, _ = raised_tree()
    smaller = tree.prune("to_depth")
    for node in range(smaller.n_nodes):
        was = 0
        for branch in smaller.branches_to(node):
            was = tree.children(was)[branch]
        if was in moved_nodes(tree):
            with pytest.raises(TreewrightError, match="in another's place"):
                smaller.why(node)
        else:
            assert smaller.why(node).n_rows == smaller.arrays.n_rows[node]


def test_a_raised_tree_is_read_like_any_other() -> None:
    tree, X, y = raised_tree()
    rows = [{name: values[i] for name, values in X.items()} for i in range(len(y))]
    rules = tree.rules()
    assert len(rules) == tree.n_leaves
    assert sum(rule.n_rows for rule in rules) == len(y)
    labels = tree.predict(X)
    for row, label in list(zip(rows, labels, strict=True))[:10]:
        assert tree.explain(row).label == label
    assert len(tree.text().splitlines()) == tree.n_nodes + 1
    assert tree.importances().mean.sum() == pytest.approx(1.0)


def test_the_record_names_the_nodes_of_the_tree_before() -> None:
    tree, _, _ = raised_tree()
    record = tree.pruning
    assert record is not None
    assert "its largest branch" in str(record)
    for step in record.steps:
        assert not record.tree.is_leaf(step.node)
        if step.action == "raised":
            assert step.after <= step.before + 0.1


def test_a_loaded_tree_needs_its_rows_again() -> None:
    X, y = noisy(3)
    tree = whole_tree(X, y)
    loaded = pickle.loads(pickle.dumps(tree))
    with pytest.raises(TreewrightError) as caught:
        loaded.prune("error_based")
    assert str(caught.value) == (
        "This tree no longer has its training data.\n"
        "  Hint: pass them, ErrorBased().prune(tree, X, y)."
    )
    assert loaded.prune("error_based", X, y).arrays.equals(tree.prune("error_based").arrays)


def test_rows_that_are_not_the_training_rows_are_refused() -> None:
    X, y = noisy(3)
    tree = pickle.loads(pickle.dumps(whole_tree(X, y)))
    hint = "\n  Hint: pass the very table, target and weights the tree was fitted on."
    half = {name: values[::2] for name, values in X.items()}
    counts = [int((y == name).sum()) for name in "uv"]
    halves = [int((y[::2] == name).sum()) for name in "uv"]
    with pytest.raises(DataError) as caught:
        tree.prune("error_based", half, y[::2])
    assert str(caught.value) == (
        f"ErrorBased: the rows given have class weights {halves[0]}, {halves[1]}; the tree was"
        f" grown on {counts[0]}, {counts[1]}.{hint}"
    )
    with pytest.raises(DataError, match=r"more rows of a class reach node \d+ than in training"):
        tree.prune("error_based", X, y[::-1])  # as many of each class, in other places
    with pytest.raises(TreewrightError, match="The classes of y are not those"):
        tree.prune("error_based", X, np.where(y == "u", "u", "w"))


@pytest.mark.parametrize("missing", ["divide", "most_likely_in_class", "surrogates", "own_branch"])
def test_the_training_rows_are_known_again_with_their_gaps(missing: str) -> None:
    X, y = noisy(5)
    X["a"] = np.where(np.arange(60) % 5 == 0, None, X["a"])
    X["c"] = np.where(np.arange(60) % 7 == 0, np.nan, X["c"])
    weight = np.random.default_rng(0).uniform(0.1, 3.0, 60)
    model = DecisionTreeClassifier(missing=missing, class_weight="balanced").fit(X, y, weight)
    loaded = pickle.loads(pickle.dumps(model.tree_))
    pruned = loaded.prune("error_based", X, y, sample_weight=weight)
    assert pruned.arrays.equals(model.tree_.prune("error_based").arrays)


def test_c5_counts_what_the_errors_cost() -> None:
    """C5.0, prune.c, ExtraErrs: errors are added to the counted ones and weighed by their cost."""
    X = {"x": [0.0] * 10 + [1.0] * 10}
    y = ["u"] * 9 + ["v"] + ["v"] * 8 + ["u"] * 2
    tree = DecisionTreeClassifier(cost_matrix={"u": {"v": 3}}).fit(X, y).tree_
    record = ErrorBased(variant="c5", collapse=False, confidence=0.01).prune(tree).pruning
    assert record is not None
    assert record.steps[0].action == "leaf"
    added = [float(added_errors(10, e, 0.01, variant="c5")) for e in (1, 2)]
    assert record.before[0] == pytest.approx(1 + added[0] + 3 * (2 + added[1]))
    # 11 u and 9 v: taken for u, nine errors that cost 1.
    assert record.after[0] == pytest.approx(9 + float(added_errors(20, 9, 0.01, variant="c5")))


def test_costs_prune_other_nodes() -> None:
    X, y = noisy(3, 300)
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])
    plain = DecisionTreeClassifier().fit(X, y).tree_
    costly = DecisionTreeClassifier(cost_matrix=costs).fit(X, y).tree_
    pruned = costly.prune("error_based")
    assert 1 < pruned.n_leaves < costly.n_leaves
    assert not pruned.arrays.equals(plain.prune("error_based").arrays)
    codes = np.searchsorted(["u", "v"], y)
    chosen = np.searchsorted(["u", "v"], pruned.predict(X))
    assert pruned.pruning is not None
    assert pruned.pruning.curve.errors["train"][-1] == pytest.approx(costs[codes, chosen].mean())


def test_a_tree_without_memory_says_so() -> None:
    with pytest.raises(TreewrightError, match="keeps no record of how it was grown"):
        play_tennis().prune("error_based")


def test_other_rows_are_followed_step_by_step() -> None:
    X, y = noisy(16, 40)
    tree = whole_tree(X, y, min_cases=1, gain_guard=False)
    others, labels = noisy(1, 80)
    rows = (others, labels)
    pruner = ErrorBased(confidence=0.5)
    pruned = pruner.prune(tree, validation=rows, test=(X, y))
    assert pruned.pruning is not None
    assert "raised" in {step.action for step in pruned.pruning.steps}
    curve = pruned.pruning.curve
    assert curve.errors["validation"][0] == pytest.approx((tree.predict(others) != labels).mean())
    assert curve.errors["validation"][-1] == pytest.approx(
        (pruned.predict(others) != labels).mean()
    )
    np.testing.assert_allclose(curve.errors["test"], curve.errors["train"])
    lines = str(curve).splitlines()
    assert lines[0].split() == ["leaves", "train", "validation", "test"]
    assert {len(line.split()) for line in lines} == {4}
    assert pruner.prune(tree).arrays.equals(pruned.arrays)


def test_collapsing_alone_is_followed() -> None:
    X, y = noisy(0, 120)
    rows = noisy(1, 80)
    pruned = ErrorBased(confidence=None).prune(whole_tree(X, y), validation=rows, test=rows)
    assert pruned.pruning is not None
    errors = pruned.pruning.curve.errors
    np.testing.assert_array_equal(errors["validation"], errors["test"])
    assert errors["test"][-1] == pytest.approx((pruned.predict(rows[0]) != rows[1]).mean())


@pytest.mark.parametrize("variant", ["release8", "j48"])
def test_an_empty_branch_keeps_its_class_or_asks_its_node(variant: str) -> None:
    X = {"colour": ["r"] * 6 + ["g"] * 5}
    y = ["a"] * 6 + ["b"] * 5
    schema = Schema(values={"colour": ("r", "g", "never")})
    tree = C45Classifier(variant=variant, schema=schema).fit(X, y).tree_
    empty = int(np.flatnonzero(tree.arrays.n_rows == 0)[0])
    assert tree.arrays.weight[empty] == 0.0
    assert tree.arrays.value[empty].tolist() == ([1.0, 0.0] if variant == "release8" else [0, 0])
    assert tree.label(empty) == "a"
    assert tree.predict({"colour": ["never"]}).tolist() == ["a"]


def test_c5_cuts_once_more_by_one_standard_error() -> None:
    X, y = noisy(0, 300)
    tree = C45Classifier(variant="c5", min_cases=1).fit(X, y).tree_
    methods = []
    while tree.pruning is not None:
        methods.append(tree.pruning.method)
        tree = tree.pruning.tree
    assert methods == ["merge_leaves", "one_standard_error", "error_based"]


def test_branches_grown_again_count_what_errors_cost() -> None:
    costs = np.array([[0.0, 1.0], [4.0, 0.0]])
    n_regrown = 0
    for seed in (5, 8, 10):
        generator = np.random.default_rng(seed)
        X = {name: generator.normal(size=300) for name in "abc"}
        y = np.where(X["a"] + 0.8 * generator.normal(size=300) > 0, "u", "v")
        model = DecisionTreeClassifier(
            cost_matrix=costs, splitter="random", random_state=seed, min_samples_leaf=3
        )
        tree = model.fit(X, y).tree_
        pruned = ErrorBased(variant="c5", confidence=0.4).prune(tree, test=(X, y))
        kept = ErrorBased(variant="c5", confidence=0.4, regrowing=False).prune(tree)
        n_regrown += not pruned.arrays.equals(kept.arrays)
        np.testing.assert_array_equal(pruned.arrays.value[0], tree.arrays.value[0])
        codes, chosen = (np.searchsorted(["u", "v"], labels) for labels in (y, pruned.predict(X)))
        assert pruned.pruning is not None
        curve = pruned.pruning.curve
        assert curve.n_leaves[-1] == pruned.n_leaves
        for name in ("train", "test"):
            assert curve.errors[name][-1] == pytest.approx(costs[codes, chosen].mean())
    assert n_regrown == 3


@pytest.mark.parametrize("variant", ["release8", "j48", "c5"])
@pytest.mark.parametrize("weighs", [False, True])
def test_threads_change_nothing(variant: str, weighs: bool) -> None:
    """Rows are copied by several threads, 16,384 to each at a time."""
    draw = np.random.default_rng(8)
    n_rows = 40_000
    table = {
        "single": draw.normal(size=n_rows).astype(np.float32),
        "double": draw.normal(size=n_rows),
        "whole": draw.integers(0, 9, n_rows),
        "word": draw.choice(["a", "b", "c", "d"], n_rows),
    }
    y = (table["double"] > 0) ^ (table["word"] == "c") ^ (draw.random(n_rows) < 0.3)
    weight = draw.integers(0, 3, n_rows) if weighs else None
    pruned = []
    for n_jobs in (1, 2, 5):
        model = DecisionTreeClassifier(min_samples_leaf=5, n_jobs=n_jobs)
        pruned.append(model.fit(table, y, weight).tree_.prune(ErrorBased(variant=variant)))
    assert 1 < pruned[0].n_leaves < model.tree_.n_leaves
    for other in pruned[1:]:
        assert other.arrays.equals(pruned[0].arrays)
        assert other.pruning is not None
        assert pruned[0].pruning is not None
        assert other.pruning.text() == pruned[0].pruning.text()
