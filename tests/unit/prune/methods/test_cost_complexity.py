"""Cost-complexity pruning: the sequence of a small tree, and the choice of one of its trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from unit.tree.hand_trees import build, cut, leaf, numeric, schema_of

from treewright import DecisionTreeClassifier, Tree, load_example
from treewright.errors import ParameterError
from treewright.prune import CostComplexity, cost_complexity_path
from treewright.prune.methods.cost_complexity import standard_error
from treewright.tree.leaf import LeafRule


def small_tree(**options: object) -> Tree:
    """100 rows; node 1 saves 10 errors with 2 leaves more, node 2 saves 5 with one more."""
    left = cut("x", -1.0, cut("x", -2.0, leaf(30, 0), leaf(0, 5)), leaf(0, 5))
    right = cut("x", 1.0, leaf(5, 0), leaf(0, 55))
    return build(schema_of(numeric("x")), cut("x", 0.0, left, right), ["a", "b"], **options)


def test_all_ties_are_cut_at_once() -> None:
    # Three links of 5 errors for each leaf, 0.05 of 100 rows; then the root, (35 - 15) / 1.
    path = cost_complexity_path(small_tree())
    assert path.alphas == pytest.approx([0.0, 0.05, 0.2])
    assert path.n_leaves.tolist() == [5, 2, 1]
    assert path.risks == pytest.approx([0.0, 0.15, 0.35])
    assert len(path) == 3


def test_the_path_is_printed_in_columns() -> None:
    assert str(cost_complexity_path(small_tree())) == (
        "alpha  leaves  risk\n 0.00       5  0.00\n 0.05       2  0.15\n 0.20       1  0.35"
    )


def test_a_tree_is_best_from_its_penalty_on() -> None:
    path = cost_complexity_path(small_tree())
    sizes = {alpha: path.at(alpha).n_leaves for alpha in (0.0, 0.0499, 0.05, 0.199, 0.2, np.inf)}
    assert list(sizes.values()) == [5, 5, 2, 2, 1, 1]
    for alpha in (0.0, 0.0499, 0.05, 0.2):
        assert CostComplexity(alpha=alpha).prune(small_tree()).n_leaves == sizes[alpha]


def test_every_tree_of_the_path_has_the_least_cost_of_all_cuts() -> None:
    cancer = load_example("breast_cancer")
    tree = DecisionTreeClassifier().fit(cancer.X, cancer.y).tree_
    path = cost_complexity_path(tree)
    lines = [path.risks + alpha * path.n_leaves for alpha in path.typical_alphas[1:-1]]
    assert [int(np.argmin(line)) for line in lines] == list(range(1, len(path) - 1))
    assert np.all(np.diff(path.n_leaves) < 0)
    for earlier, later in zip(path.alphas[:-1], path.alphas[1:], strict=True):
        kept = set(np.flatnonzero(path.marked(float(earlier))))
        cuts = path.marked(float(later))
        assert all(cuts[node] or _is_below(tree, node, cuts) for node in kept)


def _is_below(tree: Tree, node: int, marked: np.ndarray) -> bool:
    return any(marked[above] for above in tree.ancestors(node))


def test_questions_that_save_nothing_are_gone_at_once() -> None:
    root = cut("x", 0.0, cut("x", -1.0, leaf(5, 1), leaf(5, 2)), leaf(0, 9))
    path = cost_complexity_path(build(schema_of(numeric("x")), root, ["a", "b"]))
    assert path.alphas[0] == 0.0
    assert path.n_leaves.tolist() == [2, 1]


def test_on_impurity_it_is_another_sequence() -> None:
    tree = small_tree()
    path = cost_complexity_path(tree, on="impurity")
    assert path.alphas[-1] != pytest.approx(0.2)
    assert path.risks[-1] == pytest.approx(tree.arrays.impurity[0])
    assert path.risks[0] == pytest.approx(0.0)


def test_costs_take_the_place_of_errors() -> None:
    costs = np.array([[0.0, 1.0], [3.0, 0.0]])
    path = cost_complexity_path(small_tree(leaf=LeafRule(cost_matrix=costs)))
    assert path.risks[-1] == pytest.approx(35 / 100)  # all are called b; 35 a's cost 1 each
    assert path.risks[0] == 0.0


def test_typical_penalties_are_geometric_means() -> None:
    path = cost_complexity_path(small_tree())
    assert path.typical_alphas == pytest.approx([0.0, np.sqrt(0.05 * 0.2), np.inf])


def rows_of(n_wrong_right: int) -> tuple[dict[str, list[float]], list[str]]:
    """100 rows, all right on the left; on the right of 0 and up to 1 some that are no a."""
    x = [-3.0] * 40 + [0.5] * 10 + [2.0] * 50
    y = ["a"] * 40 + ["b"] * n_wrong_right + ["a"] * (10 - n_wrong_right) + ["b"] * 50
    return {"x": x}, y


def test_validation_rows_choose_the_best_tree() -> None:
    X, y = rows_of(3)
    pruned = CostComplexity().prune(small_tree(), X, y)
    assert pruned.n_leaves == 5  # 3 errors; of the smaller tree 7
    X, y = rows_of(8)
    pruned = CostComplexity().prune(small_tree(), X, y)
    assert pruned.n_leaves == 2


def test_of_equally_good_trees_the_smallest() -> None:
    X, y = rows_of(5)
    assert CostComplexity().prune(small_tree(), X, y).n_leaves == 2


def test_one_standard_error_allows_a_smaller_tree() -> None:
    X, y = rows_of(4)  # 4 errors in 100, or 6: within sqrt(0.04 x 0.96 / 100) = 0.0196 it is not
    assert CostComplexity(rule="1-SE").prune(small_tree(), X, y).n_leaves == 5
    X, y = {"x": X["x"] * 2}, y + rows_of(5)[1]  # 9 errors in 200, or 11: 0.055 <= 0.045 + 0.0147
    assert CostComplexity(rule="min").prune(small_tree(), X, y).n_leaves == 5
    assert CostComplexity(rule="1-SE").prune(small_tree(), X, y).n_leaves == 2


def test_the_steps_are_in_the_order_of_penalties() -> None:
    cancer = load_example("breast_cancer")
    tree = DecisionTreeClassifier().fit(cancer.X, cancer.y).tree_
    record = CostComplexity(alpha=0.02).prune(tree).pruning
    assert record is not None
    assert np.all(np.diff(record.before) >= 0)
    assert np.all(record.before <= record.after)


def test_on_the_penalties_of_a_path_a_tree_is_that_of_the_path() -> None:
    cancer = load_example("breast_cancer")
    tree = DecisionTreeClassifier(criterion="entropy").fit(cancer.X, cancer.y).tree_
    for on in ("errors", "impurity"):
        path = cost_complexity_path(tree, on=on)
        for alpha, n_leaves in zip(path.alphas.tolist(), path.n_leaves.tolist(), strict=True):
            assert CostComplexity(alpha=alpha, on=on).prune(tree).n_leaves == n_leaves


@pytest.mark.parametrize("size", [1.0, 1e-300, 1e200, 1e300])
def test_the_standard_error_of_losses_of_any_size(size: float) -> None:
    losses, weight = size * np.array([0.0, 1.0, 1.0, 2.0]), np.ones(4)
    assert standard_error(losses, weight) / size == pytest.approx(np.sqrt(0.5 / 4))
    assert standard_error(np.zeros(4), weight) == 0.0


@pytest.mark.parametrize("alpha", [-1.0, float("nan"), "all", None])
def test_a_tree_of_the_path_is_asked_for_by_a_penalty(alpha: Any) -> None:
    path = cost_complexity_path(small_tree())
    assert path.at(float("inf")).n_leaves == 1
    with pytest.raises(ParameterError, match=rf"alpha={alpha!r} must be "):
        path.at(alpha)


def test_the_path_of_what_is_no_tree() -> None:
    with pytest.raises(ParameterError, match=r"tree=3 is no Tree\.$"):
        cost_complexity_path(3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"on='risk' must be one of 'errors', 'impurity'\."):
        cost_complexity_path(small_tree(), on="risk")
