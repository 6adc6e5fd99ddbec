"""Growing a tree below questions that are given.

A given question parts the training rows; the rows of each open leaf are a problem of their own (the
whole table, with the weight of the rows that are elsewhere 0), and the trees of these problems are
put below the questions. Limits hold for the whole tree; what prunes a tree prunes each part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.data.read.target import ClassTarget
from treewright.errors import ParameterError, UnsupportedError
from treewright.grow.fit import fit_tree
from treewright.grow.missing import branches_of_fills
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.grow.start.read import Start, read_start
from treewright.grow.training_record import Part, Path, TrainingRecord
from treewright.tree.arrays import CUT, LEAF
from treewright.tree.edit import followed_by, rebuilt
from treewright.tree.tree import Tree


def fit_started(problem: Problem, given: Any, grow: Callable[[Problem], Tree]) -> Tree:
    """Return the tree that asks given questions first.

    Parameters
    ----------
    problem
        What the tree is grown from.
    given
        The questions, see :func:`~treewright.grow.start.read.read_start`.
    grow
        Returns the tree of the problem of an open leaf.
    """
    _check(problem.options)
    target = problem.target
    classes = target.classes if isinstance(target, ClassTarget) else ()
    start = read_start(
        given,
        problem.table.schema,
        n_values=sum(map(len, classes)) if classes else problem.n_outputs,
        labels=[label for names in classes for label in names.tolist()],
    )
    growth = _Growth(problem, start, grow)
    tree = growth.below(0, np.ones(problem.table.n_rows), ())
    arrays = tree.arrays
    if problem.fills is not None:
        branch = branches_of_fills(arrays, problem.table.schema, problem.fills)
        arrays = replace(arrays, missing_branch=branch)
    arrays.validate(problem.table.schema)
    leaf = tree.leaf
    if leaf.preferred is not None:  # of the whole tree, not of a part
        leaf = replace(leaf, preferred=int(arrays.value[0].argmax()))
    record = TrainingRecord.keep(problem)
    return Tree(
        arrays=arrays,
        schema=tree.schema,
        classes=tree.classes,
        criterion=tree.criterion,
        combine=tree.combine,
        unseen=tree.unseen,
        leaf=leaf,
        record=None if record is None else replace(record, parts=growth.parts),
        engine=tree.engine,
    )


def _check(options: GrowthOptions) -> None:
    refused = {
        "max_leaf_nodes": "max_depth, min_samples_leaf or a pruner bounds the tree.",
        "monotonic_cst": "leave out one of the two.",
    }
    for name, hint in refused.items():
        if getattr(options, name) is not None:
            raise UnsupportedError(
                f"start cannot be used with {name}: what is below each given question is grown on"
                f" its own.\n  Hint: {hint}"
            )


@dataclass(eq=False)
class _Growth:
    """The tree below each of the given nodes, and what it was grown from."""

    problem: Problem
    start: Start
    grow: Callable[[Problem], Tree]
    parts: dict[Path, Part] = field(default_factory=dict)

    def below(self, node: int, share: FloatArray, path: Path) -> Tree:
        """Return the tree of a given node and the shares of the rows that reach it."""
        arrays, column = self.start.arrays, self.start.free[node]
        part = self._part(share, depth=len(path))
        if arrays.n_branches[node]:
            asked, says_missing = self._question(node), self.start.says_missing
            children = range(arrays.first_child[node], arrays.first_child[node] + asked.n_leaves)
            at_root = fit_tree(_to_depth(part, 0))
        elif column >= 0:
            asked, says_missing = self._found(part, column), True
            children, at_root = None, asked
        else:
            return self._grown(part, path)
        self.parts[path] = Part(part, is_given=True)
        shares, asked = self._parted(asked, part, share, says_missing=says_missing)
        made = []
        for branch, of_branch in enumerate(shares):
            further = (*path, branch)
            if children is None:
                made.append(self._grown(self._part(of_branch, depth=len(further)), further))
            else:
                made.append(self.below(children[branch], of_branch, further))
        return _joined(asked, at_root, made)

    def _grown(self, part: Problem, path: Path) -> Tree:
        """Return the tree of an open leaf."""
        self.parts[path] = Part(part, is_given=False)
        return self._at_training_values(self.grow(part))

    def _at_training_values(self, tree: Tree) -> Tree:
        """Return the tree with its cuts where C4.5 puts them: at values of the whole table."""
        problem, arrays = self.problem, tree.arrays
        if problem.options.threshold_at != "training":
            return tree
        weight = problem.weights.weight
        counts = np.ones(problem.table.n_rows) > 0 if weight is None else weight > 0
        names = ("threshold", "threshold_int", "cut", "cut_int")
        new = {name: getattr(arrays, name).copy() for name in names}
        owner = np.repeat(arrays.column, arrays.cut_count)
        for index in np.unique(arrays.column[arrays.kind != LEAF]).tolist():
            is_float = tree.schema.columns[index].storage == "float"
            known = counts & ~problem.table.is_missing(index)
            values = np.sort(np.asarray(problem.table.columns[index])[known])
            asks = (arrays.column == index) & (arrays.kind == CUT)
            for name, chosen in (("threshold", asks), ("cut", owner == index)):
                cuts = new[name if is_float else f"{name}_int"]
                place = np.searchsorted(values, cuts, side="right") - 1
                moves = chosen & (place >= 0) & np.isfinite(cuts)
                cuts[moves] = values[place[moves]]
        return tree.with_arrays(replace(arrays, **new), linear=tree.linear)

    def _part(self, share: FloatArray, *, depth: int) -> Problem:
        """Return the problem of some rows, with the limits of the whole."""
        whole, weights = self.problem, self.problem.weights
        options = whole.options
        if options.threshold_at == "training":  # see _at_training_values
            options = options.replace(threshold_at="midpoint")
            whole = replace(whole, options=options)
        limit = options.depth(len(whole.table.schema.columns))
        if np.all(share == 1.0):
            return whole if limit is None else _to_depth(whole, max(limit - depth, 0))
        weight = share if weights.weight is None else weights.weight * share
        copies = weights.copies
        if copies is not None or not np.all((share == 0.0) | (share == 1.0)):
            copies = share if copies is None else copies * share
        case_weight = None if weights.case_weight is None else weights.case_weight * share
        part = replace(
            whole,
            weights=replace(weights, weight=weight, copies=copies, case_weight=case_weight),
        )
        ratio = whole.total_weight / part.total_weight
        rows = ("min_samples_leaf", "min_samples_split")
        limits: dict[str, Any] = {name: int(options.amount(name, whole.n_copies)) for name in rows}
        limits["min_fraction_leaf"] = float(options.min_fraction_leaf) * ratio
        limits["min_impurity_decrease"] = float(options.min_impurity_decrease) * ratio
        part = replace(part, options=options.replace(**limits))
        return part if limit is None else _to_depth(part, max(limit - depth, 0))

    def _question(self, node: int) -> Tree:
        """Return the tree of one given question, its branches leaves."""
        arrays = self.start.arrays
        n_branches = int(arrays.n_branches[node])
        first = int(arrays.first_child[node])
        source = np.array([node, *range(first, first + n_branches)], dtype=np.int32)
        shape = {
            "first_child": np.array([1] + [-1] * n_branches, dtype=np.int32),
            "n_branches": np.array([n_branches] + [0] * n_branches, dtype=np.int32),
            "parent": np.array([-1] + [0] * n_branches, dtype=np.int32),
            "weight": np.array([float(n_branches)] + [1.0] * n_branches),
            "value": np.zeros((n_branches + 1, 1)),
        }
        schema = self.problem.table.schema
        whole = Tree(arrays=arrays, schema=schema, classes=None, criterion="squared_error")
        return rebuilt(whole, source, shape)

    def _found(self, part: Problem, column: int) -> Tree:
        """Return the tree of the best question about a column."""
        found = self._at_training_values(fit_tree(_to_depth(replace(part, columns=(column,)), 1)))
        if found.n_leaves == 1:
            raise ParameterError(
                f"start: column {found.schema.columns[column].name!r} has no question for the"
                f" {found.arrays.n_rows[0]:,} rows that reach it: they have one value, or every"
                " question leaves a branch too small or gains nothing.\n"
                "  Hint: another column, or a lower min_samples_leaf."
            )
        return found

    def _parted(
        self, asked: Tree, part: Problem, share: FloatArray, *, says_missing: bool
    ) -> tuple[list[FloatArray], Tree]:
        """Return each branch's shares of the rows, and the question with its missing branch."""
        first, leaf, _ = asked.plan.parts(part.table)
        n_parts = np.diff(first)
        is_known = n_parts == 1
        branch = np.where(is_known, leaf[np.minimum(first[:-1], len(leaf) - 1)] - 1, -1)
        weight = share if part.weights.weight is None else part.weights.weight
        known = is_known & (weight > 0)
        n_branches = asked.n_leaves
        reach: FloatArray = np.bincount(
            branch[known], weights=weight[known], minlength=n_branches
        ).astype(np.float64)
        for empty in np.flatnonzero(reach <= 0).tolist():
            question = asked.question(0)
            assert question is not None
            raise ParameterError(
                f"start: no training row goes to the branch {question.text(empty)!r} of a given"
                " question.\n  Hint: ask another question there, or none."
            )
        if not says_missing and asked.arrays.missing_branch[0] < 0:
            asked = self._with_policy(asked, reach)
            if asked.arrays.missing_branch[0] >= 0:
                branch[~is_known] = int(asked.arrays.missing_branch[0])
                is_known = np.ones_like(is_known)
        of_branch = reach / reach.sum()
        shares = [
            np.where(is_known, share * (branch == each), share * of_branch[each])
            for each in range(n_branches)
        ]
        return shares, asked

    def _with_policy(self, asked: Tree, reach: FloatArray) -> Tree:
        """Return a question that does not say where missing values go, as the policy has it."""
        options, arrays = self.problem.options, asked.arrays
        heaviest = int(reach.argmax())
        missing = -1 if options.missing_policy.divides else heaviest
        unseen = heaviest if options.unseen == "majority" else missing
        if arrays.rest_branch[0] >= 0:
            unseen = int(arrays.unseen_branch[0])

        def at_root(entries: Any, branch: int) -> Any:
            changed = entries.copy()
            changed[0] = branch
            return changed

        return asked.with_arrays(
            replace(
                arrays,
                missing_branch=at_root(arrays.missing_branch, missing),
                unseen_branch=at_root(arrays.unseen_branch, unseen),
            )
        )


def _to_depth(problem: Problem, depth: int) -> Problem:
    return replace(problem, options=problem.options.replace(max_depth=depth))


def _joined(asked: Tree, node: Tree, below: list[Tree]) -> Tree:
    """Return the tree of a question with the figures of its node, and a tree for each branch."""
    arrays, n_branches, at_root = asked.arrays, len(below), node.arrays
    weight = np.array([tree.arrays.weight[0] for tree in below])
    if node.classes is not None:  # as in growing
        factors = node.leaf.growing_factors(at_root.value[0])
        weight = np.array([tree.arrays.value[0] @ factors for tree in below])
    after = float(weight @ [tree.arrays.impurity[0] for tree in below] / weight.sum())
    gain = max(float(at_root.impurity[0]) - after, 0.0)
    n_values = at_root.value.shape[1]
    first: dict[str, Any] = {
        "n_rows": at_root.n_rows[0],
        "weight": at_root.weight[0],
        "impurity": at_root.impurity[0],
        "gain": at_root.gain[0] if at_root.n_branches[0] else gain,
        "score": at_root.score[0] if at_root.n_branches[0] else gain,
    }
    changed: dict[str, Any] = {}
    for name, figure in first.items():
        changed[name] = getattr(arrays, name).copy()
        changed[name][0] = figure
    changed["value"] = np.zeros((n_branches + 1, n_values))
    changed["value"][0] = at_root.value[0]
    nodes = replace(arrays, **changed)
    roots: list[int] = []
    inner: list[int] = []
    for tree in below:
        offset = nodes.n_nodes
        roots.append(offset)
        inner += range(offset + 1, offset + tree.n_nodes)
        nodes = followed_by(nodes, tree.arrays)
    source = np.array([0, *roots, *inner], dtype=np.int32)
    number = np.full(nodes.n_nodes + 1, -1, dtype=np.int32)  # the last is of no node
    number[source] = np.arange(len(source), dtype=np.int32)
    parent = number[nodes.parent[source]]
    first_child = number[nodes.first_child[source]]
    parent[0], parent[1 : n_branches + 1], first_child[0] = -1, 0, 1
    links = {
        "first_child": first_child,
        "n_branches": nodes.n_branches[source],
        "parent": parent,
    }
    return rebuilt(below[0].without_record(), source, links, nodes=nodes)
