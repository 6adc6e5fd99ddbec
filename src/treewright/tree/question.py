"""What a node asks: a cut of a numeric or ordinal column, or a branch for each category.

A question knows to which branch a value goes and what each branch requires; the words are those of
:mod:`treewright.tree.condition`.

Examples
--------
>>> from treewright.data.fitted_schema import ColumnSpec
>>> petal = ColumnSpec(name="petal length", kind="numeric", storage="float")
>>> cut = Cut(index=0, column=petal, threshold=2.45)
>>> cut.text(0), cut.text(1)
('petal length <= 2.45', 'petal length > 2.45')
>>> cut.branch_of(1.4)
0
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from treewright.data.codes import INT64_MAX
from treewright.data.fitted_schema import ColumnSpec
from treewright.data.table import MISSING, UNSEEN
from treewright.tree.arrays import CATEGORIES, CUT, INTERVALS, LINEAR
from treewright.tree.condition import (
    SHORT,
    Interval,
    LinearInterval,
    Members,
    Wording,
    sum_in_words,
    sum_of_columns,
)

if TYPE_CHECKING:
    from treewright.data.fitted_schema import FittedSchema
    from treewright.data.table import Table
    from treewright.tree.arrays import TreeArrays


Stored: TypeAlias = float | int | None
"""A value as its column stores it: a number, the code of a category, or None for missing."""

EVERY_BRANCH = -1
"""In place of a branch: to every branch, in proportion to its weight."""
NO_BRANCH = -1
"""In place of a branch: there is none."""


@dataclass(frozen=True, kw_only=True)
class _Ordered:
    """What questions about the order of values share."""

    index: int
    column: ColumnSpec
    n_branches: int = 2
    missing_branch: int = EVERY_BRANCH
    unseen_branch: int = EVERY_BRANCH

    def value_in(self, table: Table, row: int = 0) -> Stored:
        """Return what a row of a table has to say."""
        return stored_value(table, self.index, row)

    def knows(self, value: Stored) -> bool:
        """Return whether the value itself decides; it does not when missing or unseen."""
        return value is not None and not (self.column.storage == "value" and value == UNSEEN)

    def branch_of(self, value: Stored) -> int:
        """Return the branch of a value in stored form, or :data:`EVERY_BRANCH`."""
        if value is None:
            return self.missing_branch
        if not self.knows(value):
            return self.unseen_branch
        return self._branch_of_known(value)

    def _branch_of_known(self, value: float | int) -> int:
        raise AssertionError("a question has its cuts")

    def _bounds(self, branch: int) -> tuple[float | int | None, float | int | None]:
        raise AssertionError("a question has its cuts")

    def condition(self, branch: int) -> Interval:
        """Return what a row must meet to follow one branch."""
        low, high = self._bounds(branch)
        return Interval(
            index=self.index,
            column=self.column,
            low=low,
            high=high,
            known=self._takes_known(branch),
            missing=branch == self.missing_branch,
            unseen=branch == self.unseen_branch,
        )

    def _takes_known(self, branch: int) -> bool:
        low, high = self._bounds(branch)
        return low is not None or high is not None

    def text(self, branch: int, wording: Wording = SHORT) -> str:
        """Say what one branch requires."""
        return self.condition(branch).text(wording)


@dataclass(frozen=True, kw_only=True)
class Cut(_Ordered):
    """``x <= threshold`` goes to branch 0, what is above to branch 1.

    Parameters
    ----------
    index, column
        The column's place in the schema, and its description.
    threshold
        In the column's stored form; on an ordinal column the last code of branch 0.
    n_branches
        2, or 3 where missing values have branch 2 to themselves.
    missing_branch, unseen_branch
        Where missing values and unknown ordinal values go; :data:`EVERY_BRANCH` divides them.
    """

    threshold: float | int

    @property
    def is_open(self) -> bool:
        """Whether no value lies above the threshold: all that is asked is whether there is one."""
        if self.column.storage == "value":
            return self.threshold == len(self.column.values) - 1
        return self.threshold == (math.inf if self.column.storage == "float" else INT64_MAX)

    def _branch_of_known(self, value: float | int) -> int:
        return 0 if value <= self.threshold else 1

    def _bounds(self, branch: int) -> tuple[float | int | None, float | int | None]:
        if self.is_open:
            return None, None
        low = self.threshold if branch == 1 else None
        return low, self.threshold if branch == 0 else None

    def _takes_known(self, branch: int) -> bool:
        return branch == 0 if self.is_open else super()._takes_known(branch)


@dataclass(frozen=True, kw_only=True)
class Intervals(_Ordered):
    """Several cuts at once: values up to the first go to branch 0, and so on.

    Parameters
    ----------
    index, column
        The column's place in the schema, and its description.
    cuts
        Ascending, in the column's stored form; on an ordinal column the last code of each branch.
    n_branches
        One more than cuts, or two more where missing values have the last branch to themselves.
    missing_branch, unseen_branch
        Where missing values and unknown ordinal values go; :data:`EVERY_BRANCH` divides them.

    Examples
    --------
    >>> from treewright.data.fitted_schema import ColumnSpec
    >>> age = ColumnSpec(name="age", kind="numeric", storage="int")
    >>> groups = Intervals(index=0, column=age, cuts=(17, 64), n_branches=3)
    >>> [groups.text(branch) for branch in range(3)]
    ['age <= 17', '17 < age <= 64', 'age > 64']
    >>> groups.branch_of(30)
    1
    """

    cuts: tuple[float | int, ...]

    def _branch_of_known(self, value: float | int) -> int:
        return bisect_left(self.cuts, value)

    def _bounds(self, branch: int) -> tuple[float | int | None, float | int | None]:
        if branch > len(self.cuts):
            return None, None
        low = self.cuts[branch - 1] if branch > 0 else None
        return low, self.cuts[branch] if branch < len(self.cuts) else None


@dataclass(frozen=True, kw_only=True)
class LinearCut(_Ordered):
    """A sum of columns up to the threshold goes to branch 0, what is above to branch 1.

    Where one of the values is missing, so is the sum.

    Parameters
    ----------
    terms
        The place of each column in the schema and its coefficient; the first is also `index`.
    column
        The sum as a column of its own, named as it is said.
    threshold
        The largest sum of branch 0.
    n_branches, missing_branch, unseen_branch
        As for :class:`Cut`.
    """

    terms: tuple[tuple[int, float], ...]
    threshold: float

    def value_in(self, table: Table, row: int = 0) -> Stored:
        """Return the sum for a row of a table."""
        total = float(sum_of_columns(self.terms, table, slice(row, row + 1))[0])
        return None if total != total else total

    def _branch_of_known(self, value: float | int) -> int:
        return 0 if value <= self.threshold else 1

    def _bounds(self, branch: int) -> tuple[float | int | None, float | int | None]:
        low = self.threshold if branch == 1 else None
        return low, self.threshold if branch == 0 else None

    def condition(self, branch: int) -> LinearInterval:
        """Return what a row must meet to follow one branch."""
        plain = super().condition(branch)
        return LinearInterval(
            index=self.index,
            column=self.column,
            low=plain.low,
            high=plain.high,
            known=plain.known,
            missing=plain.missing,
            unseen=plain.unseen,
            terms=self.terms,
        )


@dataclass(frozen=True, kw_only=True)
class Categories:
    """Each value seen in the node has its branch: multiway, subset and one-vs-rest alike.

    Parameters
    ----------
    index, column
        The column's place in the schema, and its description.
    codes, branches
        The values of the domain that have a branch of their own, as ascending codes, and the
        branch of each.
    n_branches
        Number of branches.
    missing_branch, unseen_branch
        Where missing values, and values that the node or all of training did not have, go;
        :data:`EVERY_BRANCH` divides them.
    rest_branch
        Where all other values of the domain go, as ``x = v`` has it; :data:`NO_BRANCH` where no
        training row of the node had them, and they go the way of unseen ones.
    """

    index: int
    column: ColumnSpec
    codes: tuple[int, ...]
    branches: tuple[int, ...]
    n_branches: int
    missing_branch: int = EVERY_BRANCH
    unseen_branch: int = EVERY_BRANCH
    rest_branch: int = NO_BRANCH

    def value_in(self, table: Table, row: int = 0) -> Stored:
        """Return what a row of a table has to say."""
        return stored_value(table, self.index, row)

    @cached_property
    def branch_of_code(self) -> Mapping[int, int]:
        """The branch of each code that has one."""
        return dict(zip(self.codes, self.branches, strict=True))

    @cached_property
    def codes_of_branch(self) -> tuple[frozenset[int], ...]:
        """The codes that each branch collects."""
        codes: list[list[int]] = [[] for _ in range(self.n_branches)]
        for code, branch in zip(self.codes, self.branches, strict=True):
            codes[branch].append(code)
        return tuple(map(frozenset, codes))

    def knows(self, value: Stored) -> bool:
        """Return whether the value itself decides; it does not when missing or unseen here."""
        if value is None or value < 0:
            return False
        return self.rest_branch >= 0 or value in self.branch_of_code

    def branch_of(self, value: Stored) -> int:
        """Return the branch of a code, or :data:`EVERY_BRANCH`."""
        if value is None:
            return self.missing_branch
        has_rest = self.rest_branch >= 0 and value >= 0
        other = self.rest_branch if has_rest else self.unseen_branch
        return self.branch_of_code.get(int(value), other)

    def condition(self, branch: int) -> Members:
        """Return what a row must meet to follow one branch."""
        takes_unseen = branch == self.unseen_branch
        takes_rest = branch == self.rest_branch if self.rest_branch >= 0 else takes_unseen
        codes = self.codes_of_branch[branch]
        return Members(
            index=self.index,
            column=self.column,
            codes=codes,
            barred=frozenset(self.codes) - codes if takes_rest else None,
            missing=branch == self.missing_branch,
            unseen=takes_unseen,
        )

    def text(self, branch: int, wording: Wording = SHORT) -> str:
        """Say what one branch requires; against a single value, the rest is ``!=`` that value."""
        codes = self.codes_of_branch
        if self.n_branches == 2 and (len(codes[branch]) > 1 or branch == self.rest_branch):
            name, other = wording.name(self.column), codes[1 - branch]
            words = None
            if len(other) == 1:
                words = f"{name} {wording.excluded(self.column, other)}"
            elif not other and self.missing_branch == 1 - branch != self.rest_branch:
                words = f"{name} is known"
            if words is not None:
                says_missing = wording.missing and self.missing_branch == branch
                return f"{words} or missing" if says_missing else words
        return self.condition(branch).text(wording)


Question: TypeAlias = Cut | Categories | Intervals | LinearCut


@dataclass(frozen=True, kw_only=True)
class Surrogate:
    """A question that stands in where the value a node asks for is missing (CART).

    Parameters
    ----------
    question
        What is asked instead.
    flipped
        Whether the two branches of its cut change places.
    agreement
        Share of the node's rows that both questions send the same way.
    """

    question: Question
    flipped: bool
    agreement: float

    def branch_of(self, value: Stored) -> int:
        """Return the branch, or :data:`EVERY_BRANCH` where this question cannot tell either."""
        if value is None:
            return EVERY_BRANCH
        branch = self.question.branch_of(value)
        return 1 - branch if self.flipped and branch >= 0 else branch

    def text(self, branch: int, wording: Wording = SHORT) -> str:
        """Say what one branch of the node requires of the stand-in."""
        return self.question.text(1 - branch if self.flipped else branch, wording)


def question_at(arrays: TreeArrays, schema: FittedSchema, node: int) -> Question | None:
    """Return what a node asks; None at a leaf."""
    index = int(arrays.column[node])
    if index < 0:
        return None
    if arrays.kind[node] in (INTERVALS, LINEAR):
        return _several(arrays, schema, node)
    return _question(
        arrays,
        schema,
        kind=int(arrays.kind[node]),
        index=index,
        threshold=float(arrays.threshold[node]),
        threshold_int=int(arrays.threshold_int[node]),
        code_offset=int(arrays.code_offset[node]),
        code_count=int(arrays.code_count[node]),
        n_branches=int(arrays.n_branches[node]),
        missing_branch=int(arrays.missing_branch[node]),
        unseen_branch=int(arrays.unseen_branch[node]),
        rest_branch=int(arrays.rest_branch[node]),
    )


def _several(arrays: TreeArrays, schema: FittedSchema, node: int) -> Intervals | LinearCut:
    """Return the question of a node that has several cuts, or a sum of several columns."""
    index = int(arrays.column[node])
    n_branches, missing = int(arrays.n_branches[node]), int(arrays.missing_branch[node])
    unseen = int(arrays.unseen_branch[node])
    if arrays.kind[node] == INTERVALS:
        column = schema.columns[index]
        first = int(arrays.cut_offset[node])
        owned = slice(first, first + int(arrays.cut_count[node]))
        cuts = arrays.cut[owned] if column.storage == "float" else arrays.cut_int[owned]
        return Intervals(
            index=index,
            column=column,
            cuts=tuple(cuts.tolist()),
            n_branches=n_branches,
            missing_branch=missing,
            unseen_branch=unseen,
        )
    first = int(arrays.term_offset[node])
    owned = slice(first, first + int(arrays.term_count[node]))
    columns, coefficients = arrays.term_column[owned], arrays.term_coefficient[owned]
    return linear_cut(
        tuple(zip(columns.tolist(), coefficients.tolist(), strict=True)),
        schema,
        threshold=float(arrays.threshold[node]),
        n_branches=n_branches,
        missing_branch=missing,
        unseen_branch=unseen,
    )


def linear_cut(
    terms: tuple[tuple[int, float], ...],
    schema: FittedSchema,
    *,
    threshold: float,
    n_branches: int = 2,
    missing_branch: int = EVERY_BRANCH,
    unseen_branch: int = EVERY_BRANCH,
) -> LinearCut:
    """Put a cut of a sum of columns together; the sum is named as it is said."""
    name = sum_in_words([(schema.columns[i].name, factor) for i, factor in terms])
    return LinearCut(
        index=terms[0][0],
        column=ColumnSpec(name=name, kind="numeric", storage="float"),
        terms=terms,
        threshold=threshold,
        n_branches=n_branches,
        missing_branch=missing_branch,
        unseen_branch=unseen_branch,
    )


def surrogates_at(arrays: TreeArrays, schema: FittedSchema, node: int) -> tuple[Surrogate, ...]:
    """Return the stand-ins of a node, best first."""
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
            # The branches of categories are spelled out: only a cut can be the other way round.
            flipped=bool(arrays.surrogate_reversed[i]) and arrays.surrogate_kind[i] == CUT,
            agreement=float(arrays.surrogate_agreement[i]),
        )
        for i in range(int(arrays.surrogate_start[node]), int(arrays.surrogate_start[node + 1]))
    )


def _question(
    arrays: TreeArrays,
    schema: FittedSchema,
    *,
    kind: int,
    index: int,
    threshold: float,
    threshold_int: int,
    code_offset: int,
    code_count: int,
    n_branches: int,
    missing_branch: int,
    unseen_branch: int,
    rest_branch: int,
) -> Question:
    column = schema.columns[index]
    if kind == CATEGORIES:
        seen = slice(code_offset, code_offset + code_count)
        return Categories(
            index=index,
            column=column,
            codes=tuple(arrays.code[seen].tolist()),
            branches=tuple(arrays.branch_of_code[seen].tolist()),
            n_branches=n_branches,
            missing_branch=missing_branch,
            unseen_branch=unseen_branch,
            rest_branch=rest_branch,
        )
    return Cut(
        index=index,
        column=column,
        threshold=threshold if column.storage == "float" else threshold_int,
        n_branches=n_branches,
        missing_branch=missing_branch,
        unseen_branch=unseen_branch,
    )


def stored_value(table: Table, index: int, row: int = 0) -> Stored:
    """Return one value of a table in stored form: None where missing, codes for categories."""
    value = table.columns[index][row].item()
    if table.schema.columns[index].storage == "value":
        return None if value == MISSING else int(value)
    if isinstance(value, float):
        return None if value != value else value  # NaN
    present = table.masks[index]
    return None if present is not None and not present[row] else int(value)


def columns_of(question: Question) -> tuple[int, ...]:
    """Return the places in the schema of the columns that a question looks at."""
    if isinstance(question, LinearCut):
        return tuple(index for index, _ in question.terms)
    return (question.index,)
