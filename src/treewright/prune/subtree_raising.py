"""Error-based pruning in the core, with subtree raising: rows are routed through other branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from treewright.array_types import Array, BoolArray, Int64Array
from treewright.core import Columns, ErrorPruning, Regrowing, Target, impurities
from treewright.core import prune_by_error as core_prune_by_error
from treewright.criteria import criterion_named
from treewright.data.core_columns import lend
from treewright.data.read.weights import RowWeights
from treewright.errors import UnsupportedError
from treewright.grow.given_impurity import GIVEN
from treewright.grow.missing import branches_of_fills
from treewright.grow.monotone import in_order
from treewright.measures.error_estimates import normal_deviate
from treewright.prune.error_costs import error_costs
from treewright.tree.arrays import TreeArrays, heaviest_branch
from treewright.tree.edit import followed_by, rebuilt
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int32Array
    from treewright.data.table import Table
    from treewright.measures.error_estimates import ErrorVariant
    from treewright.tree.record import Growth


_LEAST_BRANCH = 0.05
"""C5.0 leaves a branch empty that gets less than this of a row (GPL edition, defns.i)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Raised:
    """A tree pruned by estimated errors, and the steps taken.

    Parameters
    ----------
    tree, source
        The pruned tree, and the node of the old tree that each of its nodes was, or below which it
        was regrown.
    node, raised
        The nodes (of the old tree) that were replaced, in order, and whether by their largest
        branch rather than by a leaf.
    figures
        One row per step: estimated errors of the subtree, and of its replacement; then by how
        much the number of leaves and the training errors changed. Costs, where the tree has any.
    followed, left
        By how much the errors of each set of followers changed, one row per step, and what they are
        in the pruned tree.
    n_sent
        Rows that were routed through a branch to evaluate raising it.
    """

    tree: Tree
    source: Int32Array
    node: Int64Array
    raised: BoolArray
    figures: FloatArray
    followed: FloatArray
    left: FloatArray
    n_sent: int


Rows: TypeAlias = "tuple[Table, Array, FloatArray | None]"
"""A table, the class of each row as its position in ``tree.classes``, and weights (None: 1)."""


def prune_by_error(
    tree: Tree,
    training: Rows,
    *,
    followers: Sequence[Rows] = (),
    confidence: float,
    variant: ErrorVariant,
    raising: bool,
    collapse: bool,
    regrowing: bool,
    growth: Growth,
) -> Raised:
    """Return the tree with subtrees replaced by leaves or by their largest branch, as in C4.5.

    Parameters
    ----------
    tree
        The grown tree.
    training
        Its training rows.
    followers
        Sets of other rows that take no part in decisions; their errors are recorded.
    confidence, variant, raising, collapse, regrowing
        As for :class:`treewright.prune.ErrorBased`.
    growth
        How the tree was grown.
    """
    settings = ErrorPruning()
    settings.raising = bool(raising)
    settings.n_threads = growth.options.n_threads
    settings.log_confidence = float(np.log(confidence))
    settings.deviate_squared = normal_deviate(confidence, variant) ** 2
    settings.set_variant(variant, variant == "j48" and confidence > 0.5)
    is_c5 = variant == "c5"
    if is_c5:
        settings.joint_below, settings.least_branch = growth.options.min_leaf, _LEAST_BRANCH
    prices = error_costs(tree)
    settings.set_prices(prices.cost, prices.price, prices.added)
    table, target = _lend(tree, training, copies=growth.copies)
    tree.arrays.validate(tree.schema)  # compiled code never follows a bad index
    done: Any = core_prune_by_error(
        table,
        target,
        [_lend(tree, each) for each in followers],
        tree.arrays,
        settings,
        _regrowing(tree, growth, collapse=collapse) if is_c5 and regrowing else None,
    )
    value = done["value"]
    total = np.where(done["n_rows"] > 0, value.sum(axis=1), 0.0)
    changes = {name: done[name] for name in ("first_child", "n_branches", "parent", "n_rows")}
    changes |= {"value": value, "weight": total, "impurity": impurity_of(tree, value)}
    nodes = _with_regrown(tree, done["regrown"], growth)
    origin = np.append(np.arange(tree.n_nodes, dtype=np.int32), done["origin"])
    in_units = np.array([prices.unit, prices.unit, 1.0, prices.unit])
    pruned = rebuilt(tree, done["source"], changes, nodes=nodes)
    return Raised(
        tree=in_order(pruned, growth.options.monotonic or None),
        source=origin[done["source"]],
        node=origin[done["step_node"]].astype(np.int64),
        raised=done["step_raised"].astype(bool),
        figures=done["step_figures"] * in_units,
        followed=done["followed"] * prices.unit,
        left=done["errors_left"] * prices.unit,
        n_sent=done["n_sent"],
    )


def _regrowing(tree: Tree, growth: Growth, *, collapse: bool) -> Regrowing:
    factor = growth.class_factor
    return Regrowing(
        growth.options,
        collapse,
        [] if factor is None else factor.tolist(),
        tree.unseen == "majority",
    )


def _with_regrown(tree: Tree, regrown: dict[str, Any], growth: Growth) -> TreeArrays:
    """Return the nodes of the tree followed by the regrown ones."""
    if not len(regrown["parent"]):
        return tree.arrays
    if growth.fills is not None:
        made = TreeArrays.from_core(regrown)
        regrown["missing_branch"] = branches_of_fills(made, tree.schema, growth.fills)
    given = {"unseen_branch": heaviest_branch(regrown)} if tree.unseen == "majority" else {}
    return followed_by(tree.arrays, TreeArrays.from_core(regrown, **given))


def _lend(tree: Tree, rows: Rows, *, copies: FloatArray | None = None) -> tuple[Columns, Target]:
    assert tree.classes is not None
    table, codes, weight = rows
    target = Target.classes(np.ascontiguousarray(codes, dtype=np.int32), [len(tree.classes[0])])
    RowWeights(weight=weight, copies=copies).lend(target)
    return lend(table), target


def impurity_of(tree: Tree, value: FloatArray) -> FloatArray:
    """Return the impurity of nodes by the tree's own criterion."""
    if tree.criterion == GIVEN:
        raise UnsupportedError(
            "the tree was grown by a criterion of your own, which a raised branch would need again."
            "\n  Hint: raising=False."
        )
    name = criterion_named(tree.criterion).core
    return impurities(name, np.ascontiguousarray(value))
