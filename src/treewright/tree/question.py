"""The question of a node: a cut of a numeric or ordinal column, or a branch for each category.

A cut may be of a linear combination of columns (oblique; in the code a sum of columns). A question
gives the branch of a value and the condition of each branch; texts are made by
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
from treewright.tree.arrays import CATEGORIES, INTERVALS, LINEAR
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
"""Instead of a branch: every branch, in proportion to its weight."""
NO_BRANCH = -1
"""Instead of a branch: none."""


@dataclass(frozen=True, kw_only=True)
class _Ordered:
    """Methods shared by the questions that cut ordered values."""

    index: int
    column: ColumnSpec
    n_branches: int = 2
    missing_branch: int = EVERY_BRANCH
    unseen_branch: int = EVERY_BRANCH

    def value_in(self, table: Table, row: int = 0) -> Stored:
        """Return the value of a row that the question is about."""
        return stored_value(table, self.index, row)

    def knows(self, value: Stored) -> bool:
        """Return whether the value determines the branch: it is neither missing nor unseen."""
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
        """Return the condition of one branch."""
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
        """Return the text of the condition of one branch."""
        return self.condition(branch).text(wording)


@dataclass(frozen=True, kw_only=True)
class Cut(_Ordered):
    """A cut: ``x <= threshold`` goes to branch 0, larger values to branch 1.

    Parameters
    ----------
    index, column
        Position of the column in the schema, and its description.
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
        """Whether no value is above the threshold: the question only separates missing values."""
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
        Position of the column in the schema, and its description.
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
    """A cut of a linear combination of columns: up to the threshold branch 0, above it branch 1.

    Where one of the values is missing, so is the linear combination.

    Parameters
    ----------
    terms
        Position of each column in the schema, and its coefficient; the first is also `index`.
    column
        The linear combination as a column of its own, whose name is its text.
    threshold
        The largest value of branch 0.
    n_branches, missing_branch, unseen_branch
        As for :class:`Cut`.
    """

    terms: tuple[tuple[int, float], ...]
    threshold: float

    def value_in(self, table: Table, row: int = 0) -> Stored:
        """Return the linear combination for a row of a table."""
        total = float(sum_of_columns(self.terms, table, slice(row, row + 1))[0])
        return None if total != total else total

    def _branch_of_known(self, value: float | int) -> int:
        return 0 if value <= self.threshold else 1

    def _bounds(self, branch: int) -> tuple[float | int | None, float | int | None]:
        low = self.threshold if branch == 1 else None
        return low, self.threshold if branch == 0 else None

    def condition(self, branch: int) -> LinearInterval:
        """Return the condition of one branch."""
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
    """A branch for each category: multiway, subset and one-vs-rest splits alike.

    Parameters
    ----------
    index, column
        Position of the column in the schema, and its description.
    codes, branches
        The categories that are assigned a branch, as ascending codes, and the
        branch of each.
    n_branches
        Number of branches.
    missing_branch, unseen_branch
        Branch of missing values, and of categories unseen in the node or in all of training;
        :data:`EVERY_BRANCH` divides them.
    rest_branch
        Branch of all other categories of the domain, as in ``x = v``; :data:`NO_BRANCH` where no
        training row of the node had them, and they are treated as unseen.
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
        """Return the value of a row that the question is about."""
        return stored_value(table, self.index, row)

    @cached_property
    def branch_of_code(self) -> Mapping[int, int]:
        """Branch of each code that has one."""
        return dict(zip(self.codes, self.branches, strict=True))

    @cached_property
    def codes_of_branch(self) -> tuple[frozenset[int], ...]:
        """Codes of each branch."""
        codes: list[list[int]] = [[] for _ in range(self.n_branches)]
        for code, branch in zip(self.codes, self.branches, strict=True):
            codes[branch].append(code)
        return tuple(map(frozenset, codes))

    def knows(self, value: Stored) -> bool:
        """Return whether the value determines the branch: it is neither missing nor unseen here."""
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
        """Return the condition of one branch."""
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
        """Return the text of the condition of one branch; ``!= v`` for all categories but one."""
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


def question_at(arrays: TreeArrays, schema: FittedSchema, node: int) -> Question | None:
    """Return the question of a node; None at a leaf."""
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
    """Return the question of a node with several cuts, or with a linear combination."""
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
    """Return a cut of a linear combination of columns, named by its text."""
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
    """Return the positions in the schema of the columns of a question."""
    if isinstance(question, LinearCut):
        return tuple(index for index, _ in question.terms)
    return (question.index,)
