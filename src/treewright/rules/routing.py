"""Routing of rows through one node, where the value asked for may be missing.

Conditions tell which rows take a branch because of a value. Where the value is missing, a node may
ask about other columns (surrogates), send the row down one branch, or divide it among all branches.
A :class:`Passage` describes this for one branch: a row passes wholly, not at all, or by the share
that the branch has of the training rows. The share that reaches a leaf is the product along its
path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treewright.data.table import UNSEEN
from treewright.tree.condition import sum_of_columns
from treewright.tree.question import EVERY_BRANCH, Categories, Cut, Intervals, LinearCut, Question
from treewright.tree.surrogate import Surrogate

if TYPE_CHECKING:
    from treewright.array_types import BoolArray, Int64Array
    from treewright.data.table import Table
    from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True, eq=False)
class Crossing:
    """An inner node, with its treatment of missing values.

    Parameters
    ----------
    question, surrogates
        Its question, and its surrogates, best first.
    """

    question: Question
    surrogates: tuple[Surrogate, ...] = ()

    @cached_property
    def column_indices(self) -> frozenset[int]:
        """Positions of the columns of the question and its surrogates."""
        questions = [self.question, *(each.question for each in self.surrogates)]
        sums = [each.terms for each in questions if isinstance(each, LinearCut)]
        return frozenset(each.index for each in questions).union(
            index for terms in sums for index, _ in terms
        )

    def branches(self, table: Table) -> Int64Array:
        """Return the branch of each row; :data:`EVERY_BRANCH` where a row is divided."""
        question = self.question
        branch, missing = _decided(question, table)
        unknown = branch < 0
        if not unknown.any():
            return branch
        for surrogate in self.surrogates:
            other, _ = _decided(surrogate.question, table)
            if surrogate.flipped:
                other = np.where(other >= 0, 1 - other, other)
            branch = np.where(unknown & (branch < 0), other, branch)
        rest = np.where(missing, question.missing_branch, question.unseen_branch)
        return np.where(branch < 0, rest, branch)


@dataclass(frozen=True, kw_only=True, eq=False)
class Passage:
    """One branch of an inner node.

    Parameters
    ----------
    crossing, branch
        The node and the branch.
    share
        Share of a divided row that takes the branch.
    """

    crossing: Crossing
    branch: int
    share: float


def needs_passages(tree: Tree) -> bool:
    """Return whether a row may be divided, or routed by a surrogate, anywhere in a tree."""
    arrays = tree.arrays
    asks = arrays.n_branches > 0
    divides = (arrays.missing_branch < 0) | (arrays.unseen_branch < 0)
    return bool((asks & divides).any()) or arrays.n_surrogates > 0


def walk_passages(tree: Tree) -> Iterator[tuple[int, tuple[Passage, ...]]]:
    """Yield the leaves in reading order, with the passages to each."""
    pending: list[tuple[int, tuple[Passage, ...]]] = [(0, ())]
    while pending:
        node, way = pending.pop()
        question = tree.question(node)
        if question is None:
            yield node, way
            continue
        crossing = Crossing(question=question, surrogates=tree.surrogates(node))
        shares = tree.branch_shares(node).tolist()
        children = tree.children(node)
        for branch in range(len(children) - 1, -1, -1):
            passage = Passage(crossing=crossing, branch=branch, share=shares[branch])
            pending.append((children[branch], (*way, passage)))


def _decided(question: Question, table: Table) -> tuple[Int64Array, BoolArray]:
    """Return the branch of each row by its value, -1 for none, and whether it is missing."""
    if isinstance(question, Categories):
        codes = np.asarray(table.columns[question.index])
        # Codes -2 and -1 index from the end: room for both after the declared values.
        branch_of_code = np.full(len(question.column.values) + 2, EVERY_BRANCH, dtype=np.int64)
        branch_of_code[:-2] = question.rest_branch
        branch_of_code[list(question.codes)] = question.branches
        return branch_of_code[codes], table.is_missing(question.index)
    if isinstance(question, LinearCut):
        values = sum_of_columns(question.terms, table)
        missing = np.isnan(values)
    else:
        values, missing = (
            np.asarray(table.columns[question.index]),
            table.is_missing(question.index),
        )
    unknown = missing | (values == UNSEEN) if question.column.storage == "value" else missing
    return np.where(unknown, EVERY_BRANCH, np.searchsorted(_cuts(question), values)), missing


def _cuts(question: Cut | Intervals | LinearCut) -> np.ndarray:
    cuts = question.cuts if isinstance(question, Intervals) else (question.threshold,)
    exact = np.float64 if question.column.storage == "float" else np.int64
    return np.array(cuts, dtype=exact)
