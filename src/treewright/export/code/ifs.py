"""A single tree as nested questions, in the words of any language with ifs.

Variables hold numbers (a missing one is NaN), int64 with a second variable that says whether they
are missing, or the codes of categories (-1 missing, -2 unseen).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treewright.export.code.names import in_comment
from treewright.export.form import graph as kinds
from treewright.export.form.states import MISSING, UNSEEN, branches_of_codes

if TYPE_CHECKING:
    from treewright.export.form.form import Form

DIVIDED = -1
"""Returned in place of a leaf where a row is divided."""


@dataclass(frozen=True, kw_only=True)
class Syntax:
    """How a language writes questions.

    Parameters
    ----------
    number, whole
        The literal of a float64 and of an int64.
    both, either
        ``&&`` and ``||``.
    opens, otherwise_if, otherwise, closes
        Lines around the branches of a question; the first two take a condition.
    returns
        The line that returns a leaf.
    comment
        A comment at the end of a line.
    """

    number: Callable[[float], str]
    whole: Callable[[int], str]
    both: str = "&&"
    either: str = "||"
    denies: str = "!"
    opens: str = "if ({}) {{"
    otherwise_if: str = "}} else if ({}) {{"
    otherwise: str = "} else {"
    closes: str | None = "}"
    returns: str = "return {};"
    comment: str = "  /* {} */"


def nested_ifs(form: Form, variables: Sequence[str], syntax: Syntax, *, indent: int = 1) -> str:
    """Return the questions of a single tree, one line each, as nested ifs that return leaves."""
    writer = _Writer(form, variables, syntax)
    lines: list[str] = []
    waiting: list[tuple[int, int, str | None]] = [(0, indent, None)]
    while waiting:  # no recursion: a chain may be as deep as Python's stack
        node, level, line = waiting.pop()
        if line is not None:
            lines.append("    " * level + line)
            continue
        if form.graph.kind[node] == kinds.LEAF:
            lines.append("    " * level + writer.leaf(node))
            continue
        waiting.extend(reversed(writer.question(node, level)))
    return "\n".join(lines)


class _Writer:
    def __init__(self, form: Form, variables: Sequence[str], syntax: Syntax) -> None:
        self.form, self.graph = form, form.graph
        self.variables, self.syntax = variables, syntax

    def leaf(self, node: int) -> str:
        leaf = int(self.graph.child[node])
        line = self.graph.lines[self.graph.line_of_leaf[leaf]]
        if self.form.classes is None:
            has_model = self.graph.models is not None and bool(
                self.graph.models.start[leaf + 1] > self.graph.models.start[leaf]
            )
            said = "a linear model" if has_model else f"{line[0]:.6g}"
        else:
            said = in_comment(str(self.form.classes[int(line.argmax())]))
        rows = f", {int(self.graph.n_rows[node]):,} rows" if self.graph.n_rows[node] else ""
        return self.syntax.returns.format(leaf) + self.syntax.comment.format(said + rows)

    def question(self, node: int, level: int) -> list[tuple[int, int, str | None]]:
        """Return the lines of a question and, between them, its children."""
        parts: list[tuple[int, int, str | None]] = []
        syntax, graph = self.syntax, self.graph
        conditions, last, divided = self.conditions(node)
        children = graph.children(node)

        def add(text: str) -> None:
            parts.append((-1, level, text))

        if divided is not None:
            add(syntax.opens.format(divided) + syntax.comment.format("divided"))
            parts.append((-1, level + 1, syntax.returns.format(DIVIDED)))
        is_first = divided is None
        for branch, condition, comment in conditions:
            line = (syntax.opens if is_first else syntax.otherwise_if).format(condition)
            add(line + (syntax.comment.format(in_comment(comment)) if comment else ""))
            parts.append((children[branch], level + 1, None))
            is_first = False
        if is_first:  # every row takes one branch
            parts.append((children[last], level, None))
            return parts
        add(syntax.otherwise)
        parts.append((children[last], level + 1, None))
        if syntax.closes is not None:
            add(syntax.closes)
        return parts

    def conditions(self, node: int) -> tuple[list[tuple[int, str, str]], int, str | None]:
        """Return conditions of branches, with comments; the branch of all else; what divides."""
        each = self.form.inputs[int(self.graph.input[node])]
        if self.graph.kind[node] == kinds.LINEAR:
            return self._of_sum(node)
        if each.is_category:
            return self._of_codes(node)
        return self._of_cuts(node)

    def _of_sum(self, node: int) -> tuple[list[tuple[int, str, str]], int, str | None]:
        graph, syntax = self.graph, self.syntax
        own = range(int(graph.at[node]), int(graph.at[node] + graph.count[node]))
        total = syntax.number(0.0)
        for term in own:
            variable = self.variables[int(graph.term_input[term])]
            if self.form.inputs[int(graph.term_input[term])].is_whole:
                variable = f"{variable}_number"
            factor = syntax.number(float(graph.term_coefficient[term]))
            total = f"{total} + {factor} * {variable}"
        return self._of_expression(node, total, [float(graph.number[node])])

    def _of_expression(
        self, node: int, value: str, cuts: list[float]
    ) -> tuple[list[tuple[int, str, str]], int, str | None]:
        """Return conditions on a float64, which is NaN where it is missing."""
        syntax, missing = self.syntax, int(self.graph.missing[node])
        is_missing = f"{value} != {value}"
        if " " in value:
            is_missing = f"({value}) != ({value})"
        conditions = []
        for branch, cut in enumerate(cuts):
            condition = f"{value} <= {syntax.number(cut)}"
            if missing == branch:
                condition = f"{condition} {syntax.either} {is_missing}"
            conditions.append((branch, condition, ""))
        last = len(cuts)
        n_branches = int(self.graph.n_branches[node])
        if n_branches > last + 1 and missing == last + 1:  # a branch of their own
            conditions.insert(0, (missing, is_missing, "missing"))
        return conditions, last, is_missing if missing < 0 else None

    def _of_cuts(self, node: int) -> tuple[list[tuple[int, str, str]], int, str | None]:
        graph, syntax = self.graph, self.syntax
        place = int(graph.input[node])
        variable = self.variables[place]
        own = slice(int(graph.at[node]), int(graph.at[node] + graph.count[node]))
        if not self.form.inputs[place].is_whole:
            is_single = graph.kind[node] == kinds.CUT
            cuts = [float(graph.number[node])] if is_single else graph.cuts[own].tolist()
            return self._of_expression(node, variable, cuts)
        missing = int(graph.missing[node])
        spec = self.form.inputs[place].spec
        conditions = []
        for branch, cut in enumerate(graph.whole[own].tolist()):
            condition = f"{variable} <= {syntax.whole(cut)}"
            denied = f"{syntax.denies}{variable}_missing"
            condition = (
                f"{variable}_missing {syntax.either} {condition}"
                if missing == branch
                else f"{denied} {syntax.both} {condition}"
            )
            conditions.append((branch, condition, f"up to {spec.format(cut)}"))
        last = len(conditions)
        if missing == last + 1 and int(graph.n_branches[node]) > last + 1:
            conditions.insert(0, (missing, f"{variable}_missing", "missing"))
        return conditions, last, f"{variable}_missing" if missing < 0 else None

    def _of_codes(self, node: int) -> tuple[list[tuple[int, str, str]], int, str | None]:
        graph = self.graph
        place = int(graph.input[node])
        values = self.form.inputs[place].values
        branch_of = branches_of_codes(self.form, node)
        states: dict[int, list[int]] = {}
        for code in (UNSEEN, MISSING, *range(len(values))):
            states.setdefault(branch_of[code], []).append(code)
        divided = states.pop(DIVIDED, None)
        sizes = {branch: len(codes) for branch, codes in states.items()}
        last = max(sizes, key=lambda branch: (sizes[branch], branch))
        conditions = []
        for branch in sorted(states):
            if branch == last:
                continue
            named = [
                "missing" if code == MISSING else "unseen" if code == UNSEEN else str(values[code])
                for code in states[branch][:5]
            ]
            more = ", ..." if len(states[branch]) > 5 else ""
            conditions.append((branch, self._in(place, states[branch]), ", ".join(named) + more))
        return conditions, last, None if divided is None else self._in(place, divided)

    def _in(self, place: int, codes: list[int]) -> str:
        """Return the condition that a code is one of some, as ranges."""
        syntax, variable = self.syntax, self.variables[place]
        ranges: list[list[int]] = []
        for code in sorted(codes):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
        words = []
        for first, last in ranges:
            if first == last:
                words.append(f"{variable} == {first}")
            elif len(ranges) == 1:
                words.append(f"{variable} >= {first} {syntax.both} {variable} <= {last}")
            else:
                words.append(f"({variable} >= {first} {syntax.both} {variable} <= {last})")
        return f" {syntax.either} ".join(words)
