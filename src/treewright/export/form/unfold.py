"""Trees that divide rows, unfolded into trees that do not.

A row that a question divides goes down every branch, and its leaves are combined by their shares.
The same answer is reached by asking one question after the other: first those of the first branch,
then those of the second, and so on; what the leaves found say together is then known when the tree
is written. That takes more questions, but every one of them has a branch for each row, which any
target can express. What is known of a column is not asked again, so most trees stay small: a branch
that no row can take here is left out of its question, and every branch of a question has a child of
its own, so that whoever follows the branches writes as many nodes as there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.data.codes import INT64_MAX
from treewright.export.form import graph as kinds
from treewright.export.form.graph import GraphBuilder
from treewright.export.form.states import MISSING, UNSEEN, States, branches_of_codes

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.export.form.form import Form

MOST_NODES = 20_000
"""Nodes of an unfolded model; a larger one is refused by targets that cannot divide rows."""


@dataclass(frozen=True)
class _Task:
    """What is left to be asked of a row, where it is so far, and what is known of it."""

    slot: int | None
    waiting: tuple[tuple[int, float], ...]
    found: tuple[tuple[int, float], ...] = ()
    known: dict[int, int] = field(default_factory=dict)


def unfolded(form: Form, *, most_nodes: int = MOST_NODES) -> Form | None:
    """Return the same model without divided rows; None if it would be too large.

    A model that divides no rows is returned as it is. Leaves with linear models, and questions with
    surrogates, are not unfolded.
    """
    graph = form.graph
    if graph.surrogates is not None:
        return None
    if not graph.divides:
        return form
    if graph.models is not None:
        return None
    writer = _Unfolding(form, most_nodes)
    for tree in range(graph.n_trees):
        if not writer.add_tree(tree):
            return None
    combination = "mean" if form.combination == "votes" else form.combination
    return replace(
        form,
        graph=writer.builder.graph(has_links=True),
        combination=combination,
        vote_weights=form.vote_weights if combination == "median" else None,
        by_counts=False,
        said_size=form.size,
    )


class _Unfolding:
    def __init__(self, form: Form, most_nodes: int) -> None:
        self.form, self.graph, self.most_nodes = form, form.graph, most_nodes
        self.builder = GraphBuilder()
        self.states = States(form)
        # Questions refer to the same lists of terms.
        for name in ("term_input", "term_coefficient"):
            self.builder.add(name, getattr(form.graph, name))
        self.links: list[int] = []

    def add_tree(self, tree: int) -> bool:
        """Append a tree; False if the whole is too large."""
        builder = self.builder
        builder.add("root", [builder.size("kind")])
        tasks = [_Task(None, ((int(self.graph.roots[tree]), 1.0),))]
        first_link = len(self.links)
        while tasks:
            if builder.size("kind") > self.most_nodes:
                return False
            task = tasks.pop()
            if task.slot is not None:
                self.links[task.slot] = builder.size("kind")
            tasks.extend(self._ask(task, tree))
        builder.add("links", self.links[first_link:])
        return True

    def _ask(self, task: _Task, tree: int) -> list[_Task]:
        """Write the next node of a task, and return the tasks of its branches."""
        graph = self.graph
        waiting, found, known = list(task.waiting), list(task.found), dict(task.known)
        while waiting:
            node, share = waiting[-1]
            if graph.kind[node] == kinds.LEAF:
                waiting.pop()
                found.append((int(graph.child[node]), share))
                continue
            outcomes = self.states.outcomes(node, known)
            if len(outcomes) > 1:
                return self._question(node, outcomes, waiting, found, known)
            waiting.pop()
            waiting += self._followed(node, share, outcomes[0][0])
        self._leaf(found, tree)
        return []

    def _followed(self, node: int, share: float, branch: int) -> list[tuple[int, float]]:
        """Return where a row goes from a node, the last first."""
        children = self.graph.children(node)
        if branch >= 0:
            return [(children[branch], share)]
        assert self.graph.share is not None
        shares = [float(self.graph.share[child]) for child in children]
        pairs = zip(reversed(children), reversed(shares), strict=True)
        return [(child, share * part) for child, part in pairs if part > 0]

    def _question(
        self,
        node: int,
        outcomes: list[tuple[int, int | None]],
        waiting: list[tuple[int, float]],
        found: list[tuple[int, float]],
        known: dict[int, int],
    ) -> list[_Task]:
        graph, into = self.graph, self.builder
        place, share = int(graph.input[node]), waiting[-1][1]
        taken = [branch for branch, _ in outcomes]
        if self.form.inputs[place].is_category and graph.kind[node] != kinds.LINEAR:
            own, ahead = self._of_category(node, taken)
        else:
            own, ahead = self._of_order(node, taken)
        first = len(self.links)
        self.links.extend([-1] * len(ahead))
        for name, value in {
            "input": place,
            "rest": kinds.ALL_BRANCHES,
            "child": first,
            "n_branches": len(ahead),
            "n_rows": 0,
            **own,
        }.items():
            into.add(name, [value])
        return [
            _Task(
                first + ahead.index(branch),
                (*waiting[:-1], *self._followed(node, share, branch)),
                tuple(found),
                known if states is None else {**known, place: states},
            )
            for branch, states in outcomes
        ]

    def _of_category(self, node: int, taken: list[int]) -> tuple[dict[str, float], list[int]]:
        """Return a question about a category, and the branch of the old one for each of its own."""
        into = self.builder
        place_of = {branch: place for place, branch in enumerate(taken)}
        # Categories that cannot be here go with the first: nothing asks about them.
        branch_of = {
            code: place_of.get(branch, 0)
            for code, branch in branches_of_codes(self.form, node).items()
        }
        codes = sorted(code for code in branch_of if code >= 0)
        question = {
            "kind": kinds.MEMBERS,
            "number": 0.0,
            "at": into.size("code"),
            "count": len(codes),
            "missing": branch_of[MISSING],
            "unseen": branch_of[UNSEEN],
        }
        into.add("code", codes)
        into.add("branch", [branch_of[code] for code in codes])
        return question, taken

    def _of_order(self, node: int, taken: list[int]) -> tuple[dict[str, float], list[int]]:
        """Return a question by cuts, and the branch of the old one for each of its own.

        Only cuts between branches that can be taken are asked; where there is none, and only a
        missing value goes its own way, every number is up to a cut that none is above.
        """
        graph = self.graph
        missing = int(graph.missing[node])
        n_cuts = 1 if graph.kind[node] in (kinds.CUT, kinds.LINEAR) else int(graph.count[node])
        known = [branch for branch in taken if 0 <= branch <= n_cuts]
        if missing not in taken:
            missing = known[-1]  # nothing is missing here
        ahead = known if missing in known else [*known, missing]
        place = ahead.index(missing)
        return {**self._cuts(node, known[:-1]), "missing": place, "unseen": place}, ahead

    def _cuts(self, node: int, asked: list[int]) -> dict[str, float]:
        """Return the question that has only some of a node's cuts."""
        graph, into = self.graph, self.builder
        kind, at = int(graph.kind[node]), int(graph.at[node])
        if kind == kinds.LINEAR:
            number = float(graph.number[node])
            return {"kind": kind, "number": number, "at": at, "count": int(graph.count[node])}
        if kind == kinds.WHOLE_CUTS:
            cuts = [int(graph.whole[at + branch]) for branch in asked] or [INT64_MAX]
            own = {"kind": kind, "number": 0.0, "at": into.size("whole"), "count": len(cuts)}
            into.add("whole", cuts)
            return own
        of_node = [graph.number[node]] if kind == kinds.CUT else graph.cuts[at:]
        numbers = [float(of_node[branch]) for branch in asked] or [np.inf]
        if len(numbers) == 1:
            return {"kind": kinds.CUT, "number": numbers[0], "at": 0, "count": 0}
        own = {"kind": kind, "number": 0.0, "at": into.size("cuts"), "count": len(numbers)}
        into.add("cuts", numbers)
        return own

    def _leaf(self, found: list[tuple[int, float]], tree: int) -> None:
        into = self.builder
        into.add("child", [into.size("line")])
        into.add("line", self._line(found, tree)[np.newaxis])
        for name, value in (("kind", 0), ("input", 0), ("number", 0.0), ("at", 0), ("count", 0)):
            into.add(name, [value])
        for name in ("missing", "unseen", "rest"):
            into.add(name, [-1])
        into.add("n_branches", [0])
        into.add("n_rows", [0])

    def _line(self, found: list[tuple[int, float]], tree: int) -> FloatArray:
        """Return what leaves say together, computed as prediction does."""
        form = self.form
        line = self._mixed(found)
        if form.combination != "votes":
            return line
        assert form.vote_weights is not None
        voted = np.zeros_like(line)
        voted[int(np.argmax(line))] = form.vote_weights[tree]
        return voted

    def _mixed(self, found: list[tuple[int, float]]) -> FloatArray:
        graph, form = self.graph, self.form
        if len(found) == 1:
            only: FloatArray = graph.lines[graph.line_of_leaf[found[0][0]]]
            return only
        mixed, total = np.zeros(graph.width), 0.0
        if form.by_counts:
            assert graph.weights_of_leaf is not None
            assert graph.counts_of_leaf is not None
            for leaf, _ in found:
                weight = float(graph.weights_of_leaf[leaf])
                if form.classes is None:
                    total += weight
                    mixed = mixed + weight * graph.lines[graph.line_of_leaf[leaf]]
                elif weight > 0:
                    total += 1.0
                    mixed = mixed + graph.counts_of_leaf[leaf]
        if total <= 0:
            mixed = np.zeros(graph.width)
            for leaf, share in found:
                total += share
                mixed = mixed + share * graph.lines[graph.line_of_leaf[leaf]]
        if form.classes is not None:
            total = float(np.add.accumulate(mixed)[-1])
        return mixed / total
