"""Branches of one question that are leaves of the same class become one branch (C5.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.array_types import Array
from treewright.prune.record import Curve, Pruning, curve_of
from treewright.prune.subtree_raising import impurity_of
from treewright.tree.arrays import CATEGORIES, heaviest_branch
from treewright.tree.edit import rebuilt

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int32Array
    from treewright.tree.tree import Tree

_LEAST_VALUES = 3
"""Questions with fewer declared values are left alone: the tree would not get smaller."""


def merge_leaves(tree: Tree, *, grouped: bool) -> Tree:
    """Return the tree in which categories that lead to leaves of one class share a branch.

    Parameters
    ----------
    tree
        A tree of one target of classes, without surrogates.
    grouped
        Whether categories were grouped in growing. The last branch, for categories unseen in the
        node, then keeps only those that can reach it after the questions above, and a leaf without
        rows, which predicts as its parent does, joins others of that class. Otherwise leaves
        without rows join only one another.
    """
    return _Merging(tree, grouped=grouped).run()


class _Merging:
    def __init__(self, tree: Tree, *, grouped: bool) -> None:
        self.tree, self.grouped = tree, grouped
        arrays = tree.arrays
        self.first_child, self.n_branches = arrays.first_child.tolist(), arrays.n_branches.tolist()
        self.parent, self.column = arrays.parent.tolist(), arrays.column.tolist()
        self.label = arrays.value.argmax(axis=1).tolist()
        self.is_filled = (arrays.weight > 0).tolist()
        self.codes_of: dict[int, list[list[int]]] = {}
        for node in np.flatnonzero(arrays.kind == CATEGORIES).tolist():
            start = int(arrays.code_offset[node])
            stop = start + int(arrays.code_count[node])
            codes: list[list[int]] = [[] for _ in range(self.n_branches[node])]
            for code, branch in zip(
                arrays.code[start:stop].tolist(),
                arrays.branch_of_code[start:stop].tolist(),
                strict=True,
            ):
                codes[branch].append(code)
            self.codes_of[node] = codes

    def run(self) -> Tree:
        merged = {node: self._merge(node) for node in self.codes_of if self._may_merge(node)}
        if all(len(groups) == self.n_branches[node] for node, groups in merged.items()):
            return self.tree
        return self._rebuilt(merged)

    def _may_merge(self, node: int) -> bool:
        declared = self.tree.schema.columns[self.column[node]].values
        return len(declared) >= _LEAST_VALUES

    def _merge(self, node: int) -> list[list[int]]:
        """Return the groups of branches that become one."""
        codes = self.codes_of[node]
        branches = range(self.n_branches[node])
        if self.grouped:
            possible = self._possible(node)
            if possible is not None:
                codes[-1] = [code for code in codes[-1] if code in possible]
            if not codes[-1]:
                branches = branches[:-1]
        groups: list[list[int]] = []
        group_of_kind: dict[tuple[int, bool], list[int]] = {}
        for branch in branches:
            child = self.first_child[node] + branch
            if self.n_branches[child] > 0:
                groups.append([branch])
                continue
            is_filled = self.is_filled[child]
            label = self.label[child] if is_filled else self.label[node]
            kind = (label, is_filled or self.grouped)
            if kind not in group_of_kind:
                group_of_kind[kind] = []
                groups.append(group_of_kind[kind])
            group_of_kind[kind].append(branch)
        return groups

    def _possible(self, node: int) -> set[int] | None:
        """Return the categories that the questions above let through to a node; None: all."""
        below, above = node, self.parent[node]
        while above >= 0:
            if self.column[above] == self.column[node] and above in self.codes_of:
                return set(self.codes_of[above][below - self.first_child[above]])
            below, above = above, self.parent[above]
        return None

    def _rebuilt(self, merged: dict[int, list[list[int]]]) -> Tree:
        tree, arrays = self.tree, self.tree.arrays
        nodes = [[0]]  # the old nodes that each new one replaces
        parent, first_child, n_branches = [-1], [], []
        code: list[int] = []
        branch_of_code: list[int] = []
        code_offset, code_count = [], []
        at = 0
        while at < len(nodes):
            node = nodes[at][0]
            groups = merged.get(node, [[b] for b in range(self.n_branches[node])])
            if len(groups) < 2:  # a question with one branch asks nothing
                groups = []
            first_child.append(len(nodes) if groups else -1)
            n_branches.append(len(groups))
            owns_codes = bool(groups) and node in self.codes_of
            code_offset.append(len(code) if owns_codes else -1)
            listed: list[tuple[int, int]] = []
            for branch, group in enumerate(groups):
                nodes.append([self.first_child[node] + b for b in group])
                parent.append(at)
                if owns_codes:
                    listed += [(c, branch) for b in group for c in self.codes_of[node][b]]
            listed.sort()
            code_count.append(len(listed))
            code += [c for c, _ in listed]
            branch_of_code += [b for _, b in listed]
            at += 1
        source = np.array([group[0] for group in nodes], dtype=np.int32)
        value: FloatArray = np.array([arrays.value[group].sum(axis=0) for group in nodes])
        changes: dict[str, Array] = {
            "parent": np.array(parent, dtype=np.int32),
            "first_child": np.array(first_child, dtype=np.int32),
            "n_branches": np.array(n_branches, dtype=np.int32),
            "code": np.array(code, dtype=np.int32),
            "branch_of_code": np.array(branch_of_code, dtype=np.int32),
            "code_offset": np.array(code_offset, dtype=np.int64),
            "code_count": np.array(code_count, dtype=np.int32),
            "value": value,
            "n_rows": np.array([arrays.n_rows[group].sum() for group in nodes]),
            "weight": np.array([arrays.weight[group].sum() for group in nodes]),
            "impurity": impurity_of(tree, value),
        }
        if tree.unseen == "majority":
            changes["unseen_branch"] = heaviest_branch(changes)
        return self._recorded(rebuilt(tree, source, changes), merged, source)

    def _recorded(
        self, result: Tree, merged: dict[int, list[list[int]]], source: Int32Array
    ) -> Tree:
        tree = self.tree
        fewer = [at for at, groups in merged.items() if len(groups) < self.n_branches[at]]
        node = np.array(fewer, dtype=np.int64)
        before = np.array([self.n_branches[at] for at in fewer], dtype=np.float64)
        after = np.array([len(merged[at]) for at in fewer], dtype=np.float64)
        counts = tree.arrays.value
        risks = {"train": counts.sum(axis=1) - counts.max(axis=1)}
        totals = {"train": float(tree.arrays.weight[0]) or 1.0}
        start = curve_of(tree, node[:0], risks, totals)
        n_leaves = start.n_leaves[0] - np.append(0, np.cumsum(before - after)).astype(np.int64)
        errors = {name: np.full(len(n_leaves), at[0]) for name, at in start.errors.items()}
        pruning = Pruning(
            method="merge_leaves",
            compared="branches of the question",
            node=node,
            action="merged",
            before=before,
            after=after,
            tree=tree,
            risks=risks,
            totals=totals,
            followed=Curve(n_leaves=n_leaves, errors=errors),
            source=source.astype(np.int64),
        )
        return result.with_arrays(result.arrays, pruning=pruning)
