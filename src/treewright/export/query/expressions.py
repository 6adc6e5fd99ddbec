"""What trees, rules and leaves say, as expressions of SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from treewright.export.form import graph as kinds
from treewright.export.query.conditions import Conditions

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.export.form.form import Form
    from treewright.export.query.dialects import Dialect


class Expressions:
    """Writes single trees, lists of rules, and what their leaves say.

    Parameters
    ----------
    form
        The model.
    dialect
        The dialect.
    """

    def __init__(self, form: Form, dialect: Dialect) -> None:
        self.form, self.graph, self.dialect = form, form.graph, dialect
        self.conditions = Conditions(form, dialect)

    # ------------------------------------------------------------------ single trees
    def _needs_steps(self) -> bool:
        return self.graph.divides or self.graph.surrogates is not None

    def _tree(
        self,
        root: int,
        says: Callable[[int], str],
        level: int = 1,
        *,
        cut: list[int] | None = None,
    ) -> str:
        """Return a tree as nested CASE expressions whose leaves are written by `says`.

        With `cut`, questions deeper than the dialect takes are left out: the number of such a node,
        below 0, stands in its place, and the node is appended to `cut`.
        """
        lines: list[str] = []
        last = level + self.dialect.most_depth
        waiting: list[tuple[int, int, str | None]] = [(root, level, None)]
        while waiting:
            node, depth, line = waiting.pop()
            pad = "  " * depth
            if line is not None:
                lines.append(pad + line)
                continue
            if self.graph.kind[node] == kinds.LEAF:
                lines.append(pad + says(int(self.graph.child[node])))
                continue
            if cut is not None and depth >= last:
                cut.append(node)
                lines.append(f"{pad}{-1 - node}")
                continue
            children = self.graph.children(node)
            found, otherwise = self.conditions.cases(node)
            parts: list[tuple[int, int, str | None]] = [(-1, depth, "CASE")]
            for condition, branch in found:
                parts.append((-1, depth, f"WHEN {condition} THEN"))
                parts.append((children[branch], depth + 1, None))
            parts.append((-1, depth, "ELSE"))
            parts.append((children[otherwise], depth + 1, None))
            parts.append((-1, depth, "END"))
            waiting.extend(reversed(parts))
        return "\n".join(lines).lstrip()

    def _rule_list(self, says: Callable[[int], str]) -> str:
        """Return ordered rules as one CASE expression."""
        words = ["CASE"]
        for leaf, chain in rule_chains(self.form):
            met = [self._in_chain(node, branch) for node, branch in chain]
            condition = "\n    AND ".join(met) or "TRUE"
            words.append(f"  WHEN {condition}\n    THEN {says(leaf)}")
        last = self.graph.n_leaves - 1
        words.append(f"  ELSE {says(last)}")
        return "\n  ".join([*words, "END"])

    def _in_chain(self, node: int, branch: int) -> str:
        return f"({self.conditions.is_met(node, branch)})"

    # ------------------------------------------------------------------ what leaves say
    def _says_class(self, leaf: int) -> str:
        form = self.form
        decided = form.decision.class_of_leaf
        if decided is not None:
            return self._label(int(decided[leaf]))
        line = self.graph.lines[self.graph.line_of_leaf[leaf]]
        return self._label(choose(form, line))

    def _label(self, code: int) -> str:
        assert self.form.classes is not None
        label = self.form.classes[code]
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        if isinstance(label, int):
            return str(label)
        if isinstance(label, float):
            return self.dialect.number(label)
        return self.dialect.text(str(label))

    def _says_number(self, leaf: int) -> str:
        models = self.graph.models
        if models is not None and models.start[leaf + 1] > models.start[leaf]:
            return self._linear(leaf)
        return self.dialect.number(float(self.graph.lines[self.graph.line_of_leaf[leaf], 0]))

    def _linear(self, leaf: int) -> str:
        models, dialect = self.graph.models, self.dialect
        assert models is not None
        if models.is_centred:
            raise self.form.refuse(
                "sql",
                "leaves of boosted trees have lines, which take SQL too many steps",
                "export to c, python, javascript or rust, or fit without linear leaves",
            )
        words = dialect.number(float(models.intercept[leaf]))
        for term in range(int(models.start[leaf]), int(models.start[leaf + 1])):
            number = self._term(term)
            words += f" + {dialect.number(float(models.coefficient[term]))} * {number}"
        # As the model does where a product is beyond the largest number.
        most = dialect.number(float(np.finfo(np.float64).max))
        least = dialect.number(-float(np.finfo(np.float64).max))
        none = dialect.number(0.0)
        words = f"coalesce({dialect.least}({dialect.greatest}({words}, {least}), {most}), {none})"
        if models.limits is not None:
            low, high = (dialect.number(float(each)) for each in models.limits[leaf])
            return f"{dialect.least}({dialect.greatest}({words}, {low}), {high})"
        return words

    def _term(self, term: int) -> str:
        models, dialect = self.graph.models, self.dialect
        assert models is not None
        place = int(models.input[term])
        each = self.form.inputs[place]
        column = self.conditions.column(place)
        fill = dialect.number(float(models.fill[term]))
        if each.is_category:
            codes = models.code[models.code_start[term] : models.code_start[term + 1]].tolist()
            rest = [code for code in range(len(each.values)) if code not in codes]
            of = self.conditions._value
            listed = ", ".join(of(place, code) for code in codes)
            cases = f"WHEN {column} IN ({listed}) THEN {dialect.number(1.0)}" if codes else ""
            if rest:
                others = ", ".join(of(place, code) for code in rest)
                cases += f" WHEN {column} IN ({others}) THEN {dialect.number(0.0)}"
            return f"CASE {cases.strip()} ELSE {fill} END"
        if each.type == "number":
            infinite = dialect.number(np.inf)
            return (
                f"CASE WHEN {dialect.is_unknown(column)} THEN {fill}"
                f" WHEN {column} = {infinite} THEN {dialect.number(float(models.high[term]))}"
                f" WHEN {column} = {dialect.number(-np.inf)} THEN"
                f" {dialect.number(float(models.low[term]))} ELSE {column} END"
            )
        if each.type == "instant":
            raise self.form.refuse(
                "sql",
                f"a linear model in a leaf multiplies the dates of column {each.name!r}",
                "export to c, python, javascript or rust",
            )
        unit = float(models.unit[term])
        value = f"CAST({column} AS {dialect.double})"
        if unit != 1.0:
            value = f"{value} / {dialect.number(unit)}"
        return f"coalesce({value}, {fill})"


def rule_chains(form: Form) -> list[tuple[int, list[tuple[int, int]]]]:
    """Return the leaf of each ordered rule but the default, and its nodes with their branches."""
    graph = form.graph
    chains: list[tuple[int, list[tuple[int, int]]]] = []
    chain: list[tuple[int, int]] = []
    for node in range(graph.n_nodes - 1):
        if graph.kind[node] == kinds.LEAF:
            chains.append((int(graph.child[node]), chain))
            chain = []
        else:
            chain.append((node, graph.children(node).index(node + 1)))
    return chains


def choose(form: Form, line: FloatArray) -> int:
    """Return the class that a line of probabilities means by the form's decision."""
    decision = form.decision
    if decision.costs is not None:
        costs = line @ decision.costs
        return int(np.argmax(costs <= costs.min() * (1 + 1e-12)))
    if decision.preferred is not None and line[decision.preferred] >= line.max() * (1 - 1e-12):
        return decision.preferred
    return int(np.argmax(line))
