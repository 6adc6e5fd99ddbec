"""Why a node is a leaf: pure, pruned, a limit reached, or nothing to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.grow.problem import Problem
from treewright.text.numbers import figure

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


def why_leaf(tree: Tree, node: int, problem: Problem, *, any_question: bool) -> str | None:
    """Return in a few words why a node is a leaf, with the limit that made it one; None if not.

    Parameters
    ----------
    tree, node
        The node.
    problem
        What the tree was grown from.
    any_question
        Whether a column had a question that was considered.
    """
    if not tree.is_leaf(node):
        return None
    n_rows = int(tree.arrays.n_rows[node])
    if n_rows == 0:
        return "no training row reaches it"
    if tree.arrays.impurity[node] == 0.0:
        return "pure" if tree.classes is not None else "pure, all targets are equal"
    if _was_pruned(tree, node):
        return "what was below it has been pruned"
    reached = _limit_reached(tree, node, problem, n_rows)
    if reached is not None:
        return reached
    if not any_question:
        return "no column has a question that parts its rows"
    return "no question gains enough"


def _was_pruned(tree: Tree, node: int) -> bool:
    """Return whether the node asked a question before the tree was pruned."""
    if tree.pruning is None:
        return False
    before, at = tree.pruning.tree, 0
    for branch in tree.branches_to(node):
        if before.is_leaf(at):  # the tree has been altered since: nothing is known
            return False
        at = before.children(at)[branch]
    return not before.is_leaf(at) or _was_pruned(before, at)


def _limit_reached(tree: Tree, node: int, problem: Problem, n_rows: int) -> str | None:
    options = problem.options
    if options.max_depth is not None and len(tree.ancestors(node)) >= options.max_depth:
        return f"max_depth={options.max_depth} is reached"
    rows = f"{n_rows} row{'s' * (n_rows > 1)}"
    if options.min_cases is not None:
        if float(tree.arrays.weight[node]) < 2 * options.min_cases:
            return f"{rows}, and two branches need min_cases={figure(options.min_cases)} each"
    else:
        for name, times in (("min_samples_split", 1), ("min_samples_leaf", 2)):
            if n_rows < times * options.amount(name, problem.n_copies):
                what = "each of two branches needs" if times == 2 else "a question needs"
                return f"{rows}, and {what} {name}={getattr(options, name)}"
    if options.min_impurity > 0.0 and tree.arrays.impurity[node] <= options.min_impurity:
        return f"its impurity is at most min_impurity={figure(options.min_impurity)}"
    if options.max_leaf_nodes is not None and tree.n_leaves >= options.max_leaf_nodes:
        return f"max_leaf_nodes={options.max_leaf_nodes} is reached"
    return None
