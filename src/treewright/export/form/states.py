"""What may be known of a value, as sets of states: between two cuts, a category, missing, unseen.

A set is a whole number with a bit for each state, so that a column of a thousand cuts takes two
hundred bytes and one operation.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from treewright.export.form import graph as kinds

if TYPE_CHECKING:
    from treewright.export.form.form import Form

MISSING, UNSEEN = -1, -2
"""Instead of the code of a category."""


class States:
    """The sets of states of a form's inputs.

    Bits of an ordered input: a missing value, then the values up to each cut of the model, then
    those above the last. Of a categorical one: missing, unseen, then each category.
    """

    def __init__(self, form: Form) -> None:
        self.form = form
        self._cuts = [
            [] if each.is_category else form.threshold_values(place)
            for place, each in enumerate(form.inputs)
        ]
        self._of_node: dict[int, list[tuple[int, int]]] = {}

    def outcomes(self, node: int, known: dict[int, int]) -> list[tuple[int, int | None]]:
        """Return the branches that a row may take, -1 for all at once, with what is then known.

        Parameters
        ----------
        node
            The node.
        known
            What is known of inputs, by their places.
        """
        graph = self.form.graph
        if graph.kind[node] == kinds.LINEAR:
            return [(branch, None) for branch in sorted({0, 1, int(graph.missing[node])})]
        here = known.get(int(graph.input[node]), -1)  # every bit is set
        found = [(branch, states & here) for branch, states in self._branches(node)]
        return [(branch, states) for branch, states in found if states]

    def _branches(self, node: int) -> list[tuple[int, int]]:
        if node not in self._of_node:
            of_branch: dict[int, int] = {}
            for branch, states in self._parts(node):
                of_branch[branch] = of_branch.get(branch, 0) | states
            self._of_node[node] = sorted(of_branch.items())
        return self._of_node[node]

    def _parts(self, node: int) -> list[tuple[int, int]]:
        form, graph = self.form, self.form.graph
        place = int(graph.input[node])
        if form.inputs[place].is_category:
            return [(b, 1 << (code + 2)) for code, b in branches_of_codes(form, node).items()]
        own = slice(int(graph.at[node]), int(graph.at[node] + graph.count[node]))
        if graph.kind[node] == kinds.CUT:
            cuts: list[float | int] = [float(graph.number[node])]
        else:
            is_real = graph.kind[node] == kinds.CUTS
            cuts = (graph.cuts[own] if is_real else graph.whole[own]).tolist()
        all_cuts = self._cuts[place]
        # Bit 0 is missing; bit i + 1 is the values up to cut i, the last those above all.
        ends = [bisect_left(all_cuts, cut) + 2 for cut in cuts] + [len(all_cuts) + 2]
        parts, start = [(int(graph.missing[node]), 1)], 1
        for branch, end in enumerate(ends):
            parts.append((branch, (1 << end) - (1 << start)))
            start = end
        return parts


def branches_of_codes(form: Form, node: int) -> dict[int, int]:
    """Return the branch of every code of a categorical input at a node, -1 and -2 included."""
    graph = form.graph
    n_values = len(form.inputs[int(graph.input[node])].values)
    missing, unseen = int(graph.missing[node]), int(graph.unseen[node])
    own = slice(int(graph.at[node]), int(graph.at[node] + graph.count[node]))
    branch_of = {MISSING: missing, UNSEEN: unseen}
    if graph.kind[node] == kinds.MEMBERS:
        rest = int(graph.rest[node])
        branch_of.update(dict.fromkeys(range(n_values), rest if rest >= 0 else unseen))
        listed = zip(graph.code[own].tolist(), graph.branch[own].tolist(), strict=True)
        branch_of.update((code, branch) for code, branch in listed if code < n_values)
        return branch_of
    cuts = graph.whole[own].tolist()
    for code in range(n_values):
        branch_of[code] = sum(code > cut for cut in cuts)
    return branch_of
