"""Questions as conditions of SQL that are true or not, whatever is NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.data.codes import INT64_MAX
from treewright.export.form import graph as kinds
from treewright.export.form.states import MISSING, UNSEEN, branches_of_codes

if TYPE_CHECKING:
    from treewright.export.form.form import Form
    from treewright.export.query.dialects import Dialect


class Conditions:
    """Writes the questions of a form's nodes.

    Parameters
    ----------
    form
        The model.
    dialect
        The dialect.
    """

    def __init__(self, form: Form, dialect: Dialect) -> None:
        self.form, self.graph, self.dialect = form, form.graph, dialect

    def column(self, place: int) -> str:
        """Return the name of an input."""
        return self.dialect.quoted(self.form.inputs[place].name)

    def cases(self, node: int) -> tuple[list[tuple[str, int]], int]:
        """Return conditions, each with its branch, and the branch where none of them is true.

        A branch of -1 divides a row. Conditions are tried from the first to the last.
        """
        each = self.form.inputs[int(self.graph.input[node])]
        if self.graph.surrogates is not None:
            start = self.graph.surrogates.start
            if start[node + 1] > start[node]:
                return self._with_surrogates(node)
        if self.graph.kind[node] != kinds.LINEAR and each.is_category:
            return self._of_categories(node)
        value, bounds = self._bounds(node)
        missing = int(self.graph.missing[node])
        last = len(bounds)
        if missing == last and self._is_boundless(node):
            return [(self._is_missing(node, value), missing)], 0
        if missing == last:  # NULL and NaN are up to no bound
            return [(f"{value} <= {bound}", branch) for branch, bound in enumerate(bounds)], last
        found = [(self._is_missing(node, value), missing)]
        found += [(f"{value} <= {bound}", branch) for branch, bound in enumerate(bounds)]
        if missing == 0 and last == 1 and not self.dialect.has_nan:
            return [(f"{value} > {bounds[0]}", 1)], 0
        return found, last

    def is_met(self, node: int, branch: int) -> str:
        """Return the condition that a row takes a branch of a node of two branches."""
        found, otherwise = self.cases(node)
        if len(found) == 1 and found[0][1] == branch:
            return found[0][0]
        if otherwise == branch and len(found) == 1:
            return f"NOT coalesce({found[0][0]}, FALSE)"
        words = " ".join(f"WHEN {condition} THEN {place}" for condition, place in found)
        return f"CASE {words} ELSE {otherwise} END = {branch}"

    def _is_boundless(self, node: int) -> bool:
        """Return whether a node only parts missing values from all others."""
        graph = self.graph
        if graph.kind[node] == kinds.WHOLE_CUTS and graph.count[node] == 1:
            return int(graph.whole[graph.at[node]]) == INT64_MAX
        return bool(graph.kind[node] == kinds.CUT and graph.number[node] == np.inf)

    def _is_missing(self, node: int, value: str) -> str:
        each = self.form.inputs[int(self.graph.input[node])]
        if self.graph.kind[node] == kinds.LINEAR or each.type == "number":
            return self.dialect.is_unknown(value)
        return f"{value} IS NULL"

    def _bounds(self, node: int) -> tuple[str, list[str]]:
        """Return what a node compares, and its bounds from the lowest on."""
        graph, dialect = self.graph, self.dialect
        own = slice(int(graph.at[node]), int(graph.at[node] + graph.count[node]))
        kind, place = int(graph.kind[node]), int(graph.input[node])
        if kind == kinds.LINEAR:
            total = dialect.number(0.0)
            for i in range(own.start, own.stop):
                factor = dialect.number(float(graph.term_coefficient[i]))
                total += f" + {factor} * {self.column(int(graph.term_input[i]))}"
            return f"({total})", [dialect.number(float(graph.number[node]))]
        if kind == kinds.CUT:
            return self.column(place), [dialect.bound(float(graph.number[node]))]
        if kind == kinds.CUTS:
            return self.column(place), [dialect.bound(cut) for cut in graph.cuts[own].tolist()]
        return self.column(place), [self._whole(place, cut) for cut in graph.whole[own].tolist()]

    def _whole(self, place: int, cut: int) -> str:
        each = self.form.inputs[place]
        if each.type == "unsigned":
            return str(cut + (1 << 63))
        if each.type != "instant":
            # The least int64 has no literal: its digits without the sign are beyond the largest.
            return str(cut) if cut > -(1 << 63) else "(-9223372036854775807 - 1)"
        words = self.dialect.instant(cut, each.spec.unit or "ns", each.spec.time_zone)
        if words is None:
            if cut > 0:
                last = "'9999-12-31 23:59:59.999999999'"
                return last if self.dialect.name == "sqlite" else "TIMESTAMP 'infinity'"
            raise self.form.refuse(
                "sql",
                f"a cut of column {each.name!r} lies outside the years 1 to 9999",
                "export to c, python, javascript or rust",
            )
        return words

    def _of_categories(self, node: int) -> tuple[list[tuple[str, int]], int]:
        place = int(self.graph.input[node])
        branch_of = branches_of_codes(self.form, node)
        otherwise = branch_of[UNSEEN]
        members: dict[int, list[int]] = {}
        for code, branch in branch_of.items():
            if branch != otherwise and code >= 0:
                members.setdefault(branch, []).append(code)
        missing = branch_of[MISSING]
        if missing != otherwise:
            members.setdefault(missing, [])
        column = self.column(place)
        found = []
        for branch in sorted(members):
            codes = sorted(members[branch])
            words = [self._value(place, code) for code in codes]
            condition = f"{column} IN ({', '.join(words)})" if words else ""
            if len(words) == 1:
                condition = f"{column} = {words[0]}"
            if branch == missing:
                condition = f"{condition} OR {column} IS NULL" if condition else f"{column} IS NULL"
            found.append((condition, branch))
        return found, otherwise

    def _value(self, place: int, code: int) -> str:
        each = self.form.inputs[place]
        value = each.values[code]
        if each.type == "flag":
            return "TRUE" if value else "FALSE"
        if each.type == "text":
            return self.dialect.text(str(value))
        assert isinstance(value, bool | int | float)
        return str(int(value)) if float(value).is_integer() else self.dialect.bound(float(value))

    def _with_surrogates(self, node: int) -> tuple[list[tuple[str, int]], int]:
        """Return the conditions of a node with surrogates: its own, then theirs, then the rest."""
        own, graph = self.graph.surrogates, self.graph
        assert own is not None
        place = int(graph.input[node])
        found = []
        missing, unseen = int(graph.missing[node]), int(graph.unseen[node])
        if self.form.inputs[place].is_category:
            branch_of = branches_of_codes(self.form, node)
            known = _known_codes(self.form, node)
            for branch in sorted({branch_of[code] for code in known}):
                codes = [code for code in known if branch_of[code] == branch]
                words = ", ".join(self._value(place, code) for code in codes)
                found.append((f"{self.column(place)} IN ({words})", branch))
        else:
            value, bounds = self._bounds(node)
            found += [(f"{value} <= {bound}", branch) for branch, bound in enumerate(bounds)]
            above = f"{value} > {bounds[-1]}"
            if self.form.inputs[place].type == "number" and self.dialect.has_nan:
                above = f"{above} AND NOT {self.dialect.is_unknown(value)}"
            found.append((above, len(bounds)))
        for i in range(int(own.start[node]), int(own.start[node + 1])):
            found += self._of_surrogate(i)
        if missing != unseen and self.form.inputs[place].is_category:
            found.append((f"{self.column(place)} IS NULL", missing))
            return found, unseen
        return found, missing

    def _of_surrogate(self, i: int) -> list[tuple[str, int]]:
        own = self.graph.surrogates
        assert own is not None
        place, kind = int(own.input[i]), int(own.kind[i])
        column = self.column(place)
        flipped = bool(own.flipped[i])
        if kind == kinds.MEMBERS:
            listed = slice(int(own.at[i]), int(own.at[i] + own.count[i]))
            codes, branches = self.graph.code[listed].tolist(), self.graph.branch[listed].tolist()
            return [
                (
                    f"{column} IN ("
                    + ", ".join(
                        self._value(place, c)
                        for c, b in zip(codes, branches, strict=True)
                        if b == branch
                    )
                    + ")",
                    branch,
                )
                for branch in sorted(set(branches))
            ]
        each = self.form.inputs[place]
        if each.is_category:  # ordinal: codes up to the cut
            cut = int(self.graph.whole[own.at[i]])
            low = [self._value(place, c) for c in range(len(each.values)) if c <= cut]
            high = [self._value(place, c) for c in range(len(each.values)) if c > cut]
            sides = [(low, 1 if flipped else 0), (high, 0 if flipped else 1)]
            return [(f"{column} IN ({', '.join(words)})", side) for words, side in sides if words]
        if kind == kinds.CUT:
            bound = self.dialect.bound(float(own.number[i]))
        else:
            bound = self._whole(place, int(self.graph.whole[own.at[i]]))
        above = f"{column} > {bound}"
        if kind == kinds.CUT and self.dialect.has_nan:
            above = f"{above} AND NOT {self.dialect.is_unknown(column)}"
        return [(f"{column} <= {bound}", 1 if flipped else 0), (above, 0 if flipped else 1)]


def _known_codes(form: Form, node: int) -> list[int]:
    """Return the codes that a node knows: for others it asks its surrogates."""
    graph = form.graph
    n_values = len(form.inputs[int(graph.input[node])].values)
    if graph.kind[node] != kinds.MEMBERS or graph.rest[node] >= 0:
        return list(range(n_values))
    own = slice(int(graph.at[node]), int(graph.at[node] + graph.count[node]))
    return [code for code in graph.code[own].tolist() if code < n_values]
