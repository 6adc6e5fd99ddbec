"""Why a node is a leaf: pure, pruned, a limit reached, or nothing to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.grow.options import GrowthOptions
from treewright.text.numbers import figure

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


def why_leaf(tree: Tree, node: int, options: GrowthOptions) -> str | None:
    """Return in a few words why a node is a leaf, with the limit that made it one.

    None if it is none, or if no limit says it: no question is left, or none gains enough.
    """
    if not tree.is_leaf(node):
        return None
    if tree.arrays.n_rows[node] == 0:
        return "no training row reaches it"
    if tree.arrays.impurity[node] <= 0.0:
        return "pure" if tree.classes is not None else "pure, all targets are equal"
    if _was_pruned(tree, node):
        return "what was below it has been pruned"
    return _too_few_rows(tree, node, options) or _other_limit(tree, node, options)


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


def _too_few_rows(tree: Tree, node: int, options: GrowthOptions) -> str | None:
    # Whole-number weights count as rows.
    n_rows, n_all = (
        max(int(tree.arrays.n_rows[at]), int(tree.arrays.weight[at])) for at in (node, 0)
    )
    rows = f"{n_rows} row{'s' * (n_rows != 1)}"
    if options.min_cases is not None:
        if float(tree.arrays.weight[node]) < 2 * options.min_cases:
            return f"{rows}, and two branches need min_cases={figure(options.min_cases)} each"
        return None
    for name, times in (("min_samples_split", 1), ("min_samples_leaf", 2)):
        if n_rows < times * options.amount(name, n_all):
            what = "each of two branches needs" if times == 2 else "a question needs"
            return f"{rows}, and {what} {name}={getattr(options, name)}"
    return None


def _other_limit(tree: Tree, node: int, options: GrowthOptions) -> str | None:
    arrays = tree.arrays
    most = options.depth(len(tree.schema))
    if most is not None and len(tree.ancestors(node)) >= most:
        return f"max_depth={most} is reached"
    if arrays.impurity[node] <= options.min_impurity:
        return f"its impurity is at most min_impurity={figure(options.min_impurity)}"
    if tree.classes is not None and tree.n_outputs == 1 and options.max_class_share < 1.0:
        share = float(arrays.value[node].max() / arrays.value[node].sum())
        if share >= options.max_class_share:
            limit = f"max_class_share={figure(options.max_class_share)}"
            return f"its largest class has {100 * share:.1f} %, and {limit}"
    if options.max_leaf_nodes is not None and tree.n_leaves >= options.max_leaf_nodes:
        return f"max_leaf_nodes={options.max_leaf_nodes} is reached"
    if options.merging is not None:
        return f"no column is significant at alpha_split={figure(options.merging.alpha_split)}"
    return None
