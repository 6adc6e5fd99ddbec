"""Trees of tests with two outcomes each, for targets that know no others.

A value is a float64; a category is its code, a missing value NaN. Every test says where NaN goes;
an unseen category is a number that no test names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.export.form import graph as kinds
from treewright.export.form.states import MISSING, UNSEEN, branches_of_codes
from treewright.export.form.unfold import unfolded

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.export.form.form import Form


@dataclass(frozen=True, kw_only=True)
class Test:
    """A node: a test, or a leaf.

    Parameters
    ----------
    input
        The input that is tested; -1 at a leaf.
    number
        The test is ``x <= number`` ...
    codes
        ... or, where there are some, that x is one of these codes.
    yes, no
        The nodes to go to, by their places in the tree.
    missing_yes
        Whether NaN goes where the test is true.
    line
        What a leaf says, a line of the graph's ``lines``.
    """

    input: int = -1
    number: float = 0.0
    codes: tuple[int, ...] = ()
    yes: int = -1
    no: int = -1
    missing_yes: bool = False
    line: int = -1

    @property
    def is_leaf(self) -> bool:
        """Whether it is a leaf."""
        return self.input < 0


@dataclass(frozen=True, kw_only=True, eq=False)
class BinaryForm:
    """A model whose trees are of tests with two outcomes.

    Parameters
    ----------
    form
        The model, without divided rows.
    trees
        The nodes of each tree; the first is its root.
    """

    form: Form
    trees: tuple[tuple[Test, ...], ...]

    @property
    def lines(self) -> FloatArray:
        """What leaves say."""
        return self.form.graph.lines


def binary_form(form: Form, target: str, *, ranks: bool = False) -> BinaryForm:
    """Return a model as trees of tests with two outcomes.

    Parameters
    ----------
    form
        The model.
    target
        The target, for messages.
    ranks
        Whether whole numbers and dates are allowed: the value of such an input is then the number
        of its cuts (``form.threshold_values``) that are below it.

    Raises
    ------
    UnsupportedError
        For what such trees cannot express; the message names the target.
    """
    others = "export to c, python, javascript, rust or sql"
    graph = form.graph
    if form.is_rules:
        raise form.refuse(target, "rules are no trees there", others)
    if graph.models is not None:
        raise form.refuse(target, "leaves there have no linear models", others)
    if graph.has(kinds.LINEAR):
        raise form.refuse(target, "a question there is about one column", others)
    if graph.surrogates is not None:
        raise form.refuse(target, "a missing value there has no surrogates", others)
    if form.combination == "median":
        raise form.refuse(target, "it has no weighted median", others)
    for each in form.inputs:
        if each.is_whole and (not ranks or each.type == "unsigned"):
            raise form.refuse(
                target,
                f"column {each.name!r} holds dates or whole numbers beyond 2^53, and numbers there"
                " are floats",
                others,
            )
    flat = unfolded(form)
    if flat is None:
        raise form.refuse(
            target,
            "rows with missing or unseen values are divided among branches, and the tree that"
            " would say so in single steps is too large",
            f"fit with missing='learned_side' or 'majority', or {others}",
        )
    if flat.base is not None:
        flat = flat.with_base_in_trees()
    trees = tuple(_Writer(flat).tree(int(root)) for root in flat.graph.roots)
    return BinaryForm(form=flat, trees=trees)


class _Writer:
    def __init__(self, form: Form) -> None:
        self.form, self.graph = form, form.graph
        self.nodes: list[Test] = []
        self.ranks: dict[int, dict[int, int]] = {}

    def tree(self, root: int) -> tuple[Test, ...]:
        """Return the tests of a tree."""
        tasks: list[tuple[int, tuple[int, str] | None]] = [(root, None)]
        while tasks:
            node, slot = tasks.pop()
            if slot is not None:
                at, side = slot
                here = len(self.nodes)
                own = self.nodes[at]
                self.nodes[at] = replace(own, yes=here) if side == "yes" else replace(own, no=here)
            tasks.extend(self._write(node))
        return tuple(self.nodes)

    def _write(self, node: int) -> list[tuple[int, tuple[int, str] | None]]:
        graph = self.graph
        if graph.kind[node] == kinds.LEAF:
            self.nodes.append(Test(line=int(graph.line_of_leaf[graph.child[node]])))
            return []
        children = graph.children(node)
        tests, otherwise = self._tests(node)
        ahead: list[tuple[int, tuple[int, str] | None]] = []
        if not tests and not self._missing_apart(node, tests, otherwise):
            return [(children[otherwise], None)]  # written in the place of this one
        if self._missing_apart(node, tests, otherwise):
            # No number is above infinity, so that only NaN goes on to 'no'.
            at = len(self.nodes)
            place = int(self.graph.input[node])
            self.nodes.append(Test(input=place, number=float(np.inf), yes=at + 1))
            ahead.append((children[int(self.graph.missing[node])], (at, "no")))
            if not tests:
                ahead.append((children[otherwise], (at, "yes")))
        for place, (test, branch) in enumerate(tests):
            at = len(self.nodes)
            is_last = place + 1 == len(tests)
            self.nodes.append(replace(test, no=-1 if is_last else at + 1))
            ahead.append((children[branch], (at, "yes")))
            if is_last:
                ahead.append((children[otherwise], (at, "no")))
        return ahead

    def _missing_apart(self, node: int, tests: list[tuple[Test, int]], otherwise: int) -> bool:
        """Return whether missing values have a branch that no test leads to."""
        return int(self.graph.missing[node]) not in (otherwise, *(branch for _, branch in tests))

    def _rank(self, place: int, cut: int) -> int:
        if place not in self.ranks:
            found = self.form.threshold_values(place)
            self.ranks[place] = {int(each): rank for rank, each in enumerate(found)}
        return self.ranks[place][cut]

    def _tests(self, node: int) -> tuple[list[tuple[Test, int]], int]:
        """Return tests in their order, each with the branch if it is true; and the other branch."""
        graph = self.graph
        place = int(graph.input[node])
        missing = int(graph.missing[node])
        if self.form.inputs[place].is_category:
            branch_of = branches_of_codes(self.form, node)
            otherwise = branch_of[UNSEEN]
            missing = branch_of[MISSING]
            members: dict[int, list[int]] = {}
            for code, branch in branch_of.items():
                if code >= 0 and branch != otherwise:
                    members.setdefault(branch, []).append(code)
            tests = [
                (
                    Test(input=place, codes=tuple(sorted(codes)), missing_yes=branch == missing),
                    branch,
                )
                for branch, codes in sorted(members.items())
            ]
            return tests, otherwise
        own = slice(int(graph.at[node]), int(graph.at[node] + graph.count[node]))
        is_single = graph.kind[node] == kinds.CUT
        cuts = [float(graph.number[node])] if is_single else graph.cuts[own].tolist()
        if self.form.inputs[place].is_whole:
            cuts = [float(self._rank(place, cut)) for cut in graph.whole[own].tolist()]
        last = len(cuts)
        tests = [
            (Test(input=place, number=cut, missing_yes=missing == branch), branch)
            for branch, cut in enumerate(cuts)
        ]
        return tests, last
