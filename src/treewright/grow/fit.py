"""Growing one tree: table, target and options in, tree out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from treewright.array_types import FloatArray, Int32Array
from treewright.core import grow
from treewright.data.core_columns import lend
from treewright.data.read.target import ClassTarget, ValueTarget
from treewright.errors import MemoryLimitError, ParameterError, TargetError, UnsupportedError
from treewright.grow.column_parameters import monotonic_signs
from treewright.grow.missing import branches_of_fills
from treewright.grow.monotone import in_order
from treewright.grow.options import GrowthOptions, check_combination
from treewright.grow.problem import Problem
from treewright.grow.target_scaling import restore
from treewright.grow.training_record import TrainingRecord, recall_of
from treewright.memory import available_memory
from treewright.tree.arrays import TreeArrays, heaviest_branch
from treewright.tree.tree import Tree

Report = Callable[[int], None]
_MOST_ROWS = 2**30
_BYTES_OF_NODE = 380
"""Memory of a node at its peak, while the parts of a tree are joined: 387 to 391 bytes a node were
measured with two classes and one branch a declared value."""


def check_problem(problem: Problem) -> None:
    """Refuse options that do not fit each other, the data or the memory available."""
    check_combination(
        problem.options,
        problem.table.schema,
        is_classification=problem.is_classification,
        n_outputs=problem.n_outputs,
    )
    _check_target(problem)
    _check_memory(problem)


def fit_tree(problem: Problem, *, report: Report | None = None) -> Tree:
    """Return the tree grown from a problem whose options have been checked."""
    check_problem(problem)
    table, core_options = problem.table, problem.core_options()
    available = available_memory()
    if available is not None:
        n_values = 1
        if isinstance(problem.target, ClassTarget):
            n_values = sum(len(names) for names in problem.target.classes)
        most_nodes = available // (_BYTES_OF_NODE + 8 * n_values)
        core_options.most_nodes = min(core_options.most_nodes, most_nodes)
    try:
        arrays, engine = grow(lend(table), problem.core_target(), core_options, report)
        return tree_of(problem, arrays, engine=engine)
    except MemoryError as error:
        raise MemoryLimitError(
            f"growing a tree on {table.n_rows:,} rows and {len(table.schema):,} columns ran out of"
            f" memory.\n  Hint: {_hint_of_memory(problem)}"
        ) from error


def _hint_of_memory(problem: Problem) -> str:
    """Return what makes a tree smaller."""
    if problem.options.empty_branches and problem.options.nominal == "multiway":
        most = max(problem.table.schema.columns, key=lambda column: len(column.values))
        if len(most.values) > 2:
            return (
                f"a question opens a branch for each value of its column, {len(most.values):,} for"
                f" {most.name!r};\n  max_depth bounds the tree, and DecisionTreeClassifier opens"
                " branches for the values that a node has."
            )
    return "max_depth, max_leaf_nodes or min_samples_leaf bounds the tree."


def tree_of(
    problem: Problem,
    arrays: Mapping[str, Any],
    *,
    recalls: bool = True,
    engine: str = "general",
) -> Tree:
    """Return the arrays that the core has grown as a tree; `recalls` makes ``why`` available."""
    options, target = problem.options, problem.target
    filled = dict(arrays)
    if problem.shift:
        # The score of merged values is a p-value, whatever the unit of the target.
        scaled = ("impurity", "gain") if options.merging else ("impurity", "gain", "score")
        restore(filled, options.criterion, problem.shift, scaled)
    if problem.fills is not None:
        made = TreeArrays.from_core(filled)
        filled["missing_branch"] = branches_of_fills(made, problem.table.schema, problem.fills)
    filled["unseen_branch"] = unseen_branches(filled, options)
    if options.criterion_traits.selection == "impurity_ratio":
        gain, impurity = filled["gain"], filled["impurity"]
        left_over = impurity - gain
        with np.errstate(divide="ignore", invalid="ignore"):
            filled["score"] = np.where(left_over > 1e-15, gain / left_over, np.inf) * (gain > 0)
            filled["score"] = np.nan_to_num(filled["score"], nan=0.0, posinf=np.inf)
    if problem.cost_factor is not None:  # costs altered the weights for growing only
        filled["value"] = _near_whole(filled["value"] / problem.cost_factor)
        filled["weight"] = filled["value"].sum(axis=1)
    made = TreeArrays.from_core(filled)
    if engine == "best_cuts" and not len(made.code):  # of cuts alone (docs/decisions/047)
        made.take_on_trust(problem.table.schema)
    tree = Tree(
        arrays=made,
        schema=problem.table.schema,
        classes=target.classes if isinstance(target, ClassTarget) else None,
        criterion=options.criterion,
        combine=options.combine,
        unseen=options.unseen,
        leaf=problem.leaf,
        engine=engine,
        record=TrainingRecord.keep(problem) if recalls else None,
        recall=recall_of(problem) if recalls else None,
    )
    if problem.cost_factor is None:
        return tree
    return in_order(tree, monotonic_signs(tree.schema, options.monotonic_cst))


def _near_whole(numbers: FloatArray) -> FloatArray:
    """Return numbers of which those that are whole but for rounding are whole: counts of rows."""
    whole = np.rint(numbers)
    return np.where(np.abs(numbers - whole) <= 1e-9 * np.maximum(whole, 1.0), whole, numbers)


def unseen_branches(arrays: Mapping[str, Any], options: GrowthOptions) -> Int32Array:
    """Return the branch of each node for an unseen category; -1 is every branch."""
    if options.unseen == "majority":
        return heaviest_branch(arrays)
    missing_branch: Int32Array = arrays["missing_branch"]
    if options.missing_policy.tries_sides:
        # A side was learned for missing values, none for categories unseen in the node: they
        # follow all branches (tree-cat-200k: accuracy 0.637, by the learned side 0.631).
        return np.where(arrays["kind"] == 2, np.int32(-1), missing_branch)
    return missing_branch


def _check_target(problem: Problem) -> None:
    traits = problem.options.criterion_traits
    if traits.needs_order and isinstance(problem.target, ClassTarget):
        problem.target.require_order(f"criterion={traits.name!r}")
    if problem.options.criterion_traits.is_deviance and isinstance(problem.target, ValueTarget):
        values = problem.target.values
        below = np.any(np.atleast_2d(values.T).T < 0, axis=1)
        if problem.weights.weight is not None:
            below &= problem.weights.weight > 0
        if np.any(below):
            row = int(np.argmax(below))
            raise TargetError(
                f"criterion {problem.options.criterion!r} needs targets of 0 or more, but row"
                f" {row} has"
                f" {np.min(values[row]):g}.\n  Hint: criterion='squared_error' takes any number."
            )
        if not np.all(np.any(values > 0, axis=0)):
            raise TargetError(
                f"criterion {problem.options.criterion!r} needs a target above 0 in at least one"
                " row."
            )
    if problem.options.monotonic_cst is not None:
        target = problem.target
        has_classes = isinstance(target, ClassTarget) and len(target.classes[0]) > 2
        if problem.n_outputs > 1 or has_classes:
            raise ParameterError("monotonic_cst needs one target of numbers or of two classes.")
        if problem.leaf.estimate != "majority":
            raise UnsupportedError(
                f"leaf={problem.leaf.estimate!r} cannot be used with monotonic_cst: it moves small"
                " leaves more than large ones, and may turn their order round.\n"
                "  Hint: leaf='majority', or calibrate='temperature' for shares that are no 0 or 1."
            )


def _check_memory(problem: Problem) -> None:
    """Refuse class counts of nodes that exceed the memory, before anything is allocated."""
    if problem.table.n_rows >= _MOST_ROWS:
        raise MemoryLimitError(
            f"the table has {problem.table.n_rows:,} rows; a tree takes at most {_MOST_ROWS - 1:,}."
            "\n  Hint: fit on a sample of the rows."
        )
    if not isinstance(problem.target, ClassTarget):
        return
    n_classes = sum(len(names) for names in problem.target.classes)
    options = problem.options
    n_nodes = 2 * problem.table.n_rows
    if options.max_leaf_nodes is not None:
        n_nodes = min(n_nodes, 2 * int(options.max_leaf_nodes))
    depth = options.depth(len(problem.table.schema.columns))
    if depth is not None:
        n_nodes = min(n_nodes, 2 ** min(depth + 1, 62))
    needed = 2 * 8 * n_nodes * n_classes
    if (
        not options.criterion_traits.is_fused
    ):  # class counts of every value of a column, in each thread
        needed += 8 * problem.table.n_rows * n_classes * options.n_threads
    available = available_memory()
    if available is not None and needed > available:
        raise MemoryLimitError(
            f"a tree of up to {n_nodes:,} nodes with the weights of {n_classes:,} classes each"
            f" could need {needed / 1e9:.1f} GB, and {available / 1e9:.1f} GB are available.\n"
            "  Hint: max_leaf_nodes or max_depth bounds the tree; or group rare classes."
        )
