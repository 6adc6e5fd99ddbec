"""Surrogate questions: they stand in where a value is missing (CART)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treewright.tree.arrays import CUT
from treewright.tree.condition import (
    SHORT,
    Wording,
)
from treewright.tree.question import EVERY_BRANCH, NO_BRANCH, Question, Stored, _question

if TYPE_CHECKING:
    from treewright.data.fitted_schema import FittedSchema
    from treewright.tree.arrays import TreeArrays


@dataclass(frozen=True, kw_only=True)
class Surrogate:
    """A surrogate split, used where the value a node asks for is missing (CART).

    Parameters
    ----------
    question
        The question asked instead.
    flipped
        Whether the two branches of its cut are swapped.
    agreement
        Share of the node's rows that both questions send the same way.
    """

    question: Question
    flipped: bool
    agreement: float

    def branch_of(self, value: Stored) -> int:
        """Return the branch, or :data:`EVERY_BRANCH` where its own value is missing too."""
        if value is None:
            return EVERY_BRANCH
        branch = self.question.branch_of(value)
        return 1 - branch if self.flipped and branch >= 0 else branch

    def text(self, branch: int, wording: Wording = SHORT) -> str:
        """Return the text of the surrogate's condition for one branch of the node."""
        return self.question.text(1 - branch if self.flipped else branch, wording)


def surrogates_at(arrays: TreeArrays, schema: FittedSchema, node: int) -> tuple[Surrogate, ...]:
    """Return the surrogates of a node, best first."""
    return tuple(
        Surrogate(
            question=_question(
                arrays,
                schema,
                kind=int(arrays.surrogate_kind[i]),
                index=int(arrays.surrogate_column[i]),
                threshold=float(arrays.surrogate_threshold[i]),
                threshold_int=int(arrays.surrogate_threshold_int[i]),
                code_offset=int(arrays.surrogate_code_offset[i]),
                code_count=int(arrays.surrogate_code_count[i]),
                n_branches=2,
                missing_branch=EVERY_BRANCH,
                unseen_branch=EVERY_BRANCH,
                rest_branch=NO_BRANCH,
            ),
            # Questions about categories list their branches: only a cut can be reversed.
            flipped=bool(arrays.surrogate_reversed[i] and arrays.surrogate_kind[i] == CUT),
            agreement=float(arrays.surrogate_agreement[i]),
        )
        for i in range(int(arrays.surrogate_start[node]), int(arrays.surrogate_start[node + 1]))
    )
