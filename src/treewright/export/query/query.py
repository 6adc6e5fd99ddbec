"""The query of a model: what trees say, what that makes together, and the class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.export.form import graph as kinds
from treewright.export.query.expressions import Expressions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treewright.export.form.form import Form
    from treewright.export.query.dialects import Dialect

_MOST_COLUMNS = 1_500
"""Columns of one step: SQLite has 2,000 at most, of which the table needs some."""

_MOST_GIVEN = 100
"""Numbers given to one function: SQLite takes 127."""


class Query(Expressions):
    """Writes the query of a form.

    Parameters
    ----------
    form
        The model.
    dialect
        The dialect.
    table
        The table whose rows are asked about, as SQL: a quoted name, or a query in parentheses.
    proba
        Whether class probabilities are columns of the result, too.
    """

    def __init__(self, form: Form, dialect: Dialect, *, table: str, proba: bool) -> None:
        super().__init__(form, dialect)
        self.table, self.proba = table, proba
        self.steps: list[tuple[str, list[str]]] = []

    # ------------------------------------------------------------------ the whole
    def text(self) -> str:
        """Return the query."""
        form = self.form
        is_one = form.combination == "single" and not self._needs_steps() and not self.proba
        if is_one and (form.is_rules or self.graph.depth() <= self.dialect.most_depth):
            leaf = self._says_class if form.classes is not None else self._says_number
            said = self._tree(0, leaf) if not form.is_rules else self._rule_list(leaf)
            return f'SELECT *,\n  {said} AS "prediction"\nFROM {self.table}'
        answers = self._answers()
        columns = []
        if form.classes is None:
            columns.append(f'{answers[0]} AS "prediction"')
        else:
            self._step("answered", [f"{each} AS tw_p{k}" for k, each in enumerate(answers)])
            names = [f"tw_p{k}" for k in range(len(answers))]
            columns.append(f'{self._decided(names)} AS "prediction"')
            if self.proba:
                columns += [
                    f"{name} AS {self.dialect.quoted(f'p_{label}')}"
                    for name, label in zip(names, self.form.classes or (), strict=True)
                ]
        return self._with_steps(columns)

    def _with_steps(self, columns: list[str]) -> str:
        """Return the query of all steps, each of which adds columns to the one before."""
        parts, last = [], self.table
        for name, added in self.steps:
            listed = ",\n    ".join(added)
            parts.append(f"{name} AS MATERIALIZED (\n  SELECT *,\n    {listed}\n  FROM {last}\n)")
            last = name
        steps = "WITH " + ",\n".join(parts) + "\n" if parts else ""
        kept = ", ".join(self._kept())
        return f"{steps}SELECT {kept},\n  " + ",\n  ".join(columns) + f"\nFROM {last}"

    def _kept(self) -> list[str]:
        return ["*"]

    def _step(self, name: str, columns: list[str]) -> None:
        """Add a step; many columns make several steps."""
        for number, start in enumerate(range(0, len(columns), _MOST_COLUMNS)):
            self.steps.append((f"tw_{name}_{number}", columns[start : start + _MOST_COLUMNS]))

    # ------------------------------------------------------------------ answers
    def _answers(self) -> list[str]:
        """Return an expression for each number of the answer; steps are added for its parts."""
        form = self.form
        if form.combination == "single":
            return self._of_single()
        if form.combination in ("median", "votes") or self._needs_steps():
            what = {
                "median": "the weighted median of many trees",
                "votes": "votes of trees about rows that are divided",
            }.get(form.combination, "trees that divide rows, or ask surrogates, in an ensemble")
            raise form.refuse(
                "sql",
                f"SQL has no practical way to express {what}",
                "export to c, python, javascript or rust",
            )
        if form.combination == "rules":
            return self._of_votes()
        sums = self._sums()
        if form.combination == "mean":
            divisor = self.dialect.number(form.divisor)
            shares = [f"{each} / {divisor}" for each in sums]
            return self._softened(shares) if form.softens else shares
        return self._linked(sums)

    def _of_single(self) -> list[str]:
        form = self.form
        if self._needs_steps():
            return self._of_divided()
        is_list = form.is_rules
        leaf_column = "tw_leaf"
        if is_list:
            self._step("leaf", [f"{self._rule_list(str)} AS tw_leaf"])
        else:
            (leaf_column,) = self._leaf_columns("leaf", [("tw_leaf", 0)])
        if form.classes is None:
            return [self._by_leaf(leaf_column, range(self.graph.n_leaves), 0)]
        return [
            self._by_leaf(leaf_column, range(self.graph.n_leaves), k)
            for k in range(self.graph.width)
        ]

    def _leaf_columns(self, step: str, trees: list[tuple[str, int]]) -> list[str]:
        """Add columns with the leaves of trees, and return their names.

        A tree deeper than one expression may be is walked in several steps: a column that still has
        the number of a question, below 0, is led on by the next.
        """
        names = [name for name, _ in trees]
        open_nodes: list[list[int]] = []
        columns = []
        for name, root in trees:
            cut: list[int] = []
            columns.append(f"{self._tree(root, str, level=3, cut=cut)} AS {name}")
            open_nodes.append(cut)
        self._step(step, columns)
        number = 0
        while any(open_nodes):
            number += 1
            columns = []
            for place, nodes in enumerate(open_nodes):
                if not nodes:
                    continue
                cut, cases = [], []
                for node in nodes:
                    below = self._tree(node, str, level=4, cut=cut)
                    cases.append(f"WHEN {-1 - node} THEN\n        {below}")
                before = names[place]
                names[place] = f"{trees[place][0]}_{number}"
                listed = "\n      ".join(cases)
                columns.append(f"CASE {before} {listed} ELSE {before} END AS {names[place]}")
                open_nodes[place] = cut
            self._step(f"{step}_{number}", columns)
        return names

    def _by_leaf(self, column: str, leaves: Sequence[int], k: int) -> str:
        """Return one number that leaves say, by the column that has the leaf."""
        models = self.graph.models
        has_models = models is not None
        words: dict[str, list[str]] = {}
        for leaf in leaves:
            said = (
                self._says_number(leaf)
                if has_models
                else self.dialect.number(float(self.graph.lines[self.graph.line_of_leaf[leaf], k]))
            )
            words.setdefault(said, []).append(str(leaf))
        most = max(words, key=lambda each: len(words[each]))
        cases = " ".join(
            f"WHEN {column} IN ({', '.join(own)}) THEN {said}"
            for said, own in words.items()
            if said != most
        )
        return f"CASE {cases} ELSE {most} END" if cases else most

    def _of_divided(self) -> list[str]:
        """Return the answers of a tree that divides rows: by the share of every leaf."""
        form, graph, dialect = self.form, self.graph, self.dialect
        inner = np.flatnonzero(graph.n_branches > 0).tolist()
        leaves = self._leaves_with_paths()
        if len(inner) > _MOST_COLUMNS or len(leaves) > dialect.most_terms:
            raise form.refuse(
                "sql",
                f"the tree divides rows among its {len(leaves)} leaves, too many for one query",
                "prune it, or export to c, python, javascript or rust",
            )
        if form.by_counts:
            raise form.refuse(
                "sql",
                "divided rows combine the counts of leaves",
                "export to c, python, javascript or rust",
            )
        asked = []
        for node in inner:
            found, otherwise = self.conditions.cases(node)
            words = " ".join(f"WHEN {condition} THEN {branch}" for condition, branch in found)
            asked.append(f"CASE {words} ELSE {otherwise} END AS tw_b{node}")
        self._step("asked", asked)
        one, none = dialect.number(1.0), dialect.number(0.0)
        weighed = []
        for leaf, path in leaves:
            words = one
            for node, branch, child in path:
                share = 0.0 if graph.share is None else float(graph.share[child])
                part = f"CASE tw_b{node} WHEN {branch} THEN {one}"
                if graph.share is not None:
                    part += f" WHEN -1 THEN {dialect.number(share)}"
                words += f" * {part} ELSE {none} END"
            weighed.append(f"{words} AS tw_w{leaf}")
        self._step("weighed", weighed)
        numbers = [leaf for leaf, _ in leaves]
        n_reached = " + ".join(f"CASE WHEN tw_w{leaf} > 0 THEN 1 ELSE 0 END" for leaf in numbers)
        mixed = []
        for k in range(graph.width):
            said = [
                self._says_number(leaf)
                if graph.models is not None
                else dialect.number(float(graph.lines[graph.line_of_leaf[leaf], k]))
                for leaf in numbers
            ]
            terms = [f"tw_w{leaf} * {each}" for leaf, each in zip(numbers, said, strict=True)]
            mixed.append(f"{none} + " + " + ".join(terms) + f" AS tw_m{k}")
        total = f"{none} + " + " + ".join(f"tw_w{leaf}" for leaf in numbers)
        self._step("mixed", [*mixed, f"{n_reached} AS tw_n", f"{total} AS tw_total"])
        if graph.models is not None:
            return ["tw_m0"]
        if form.classes is not None:
            all_of = f"({none} + " + " + ".join(f"tw_m{k}" for k in range(graph.width)) + ")"
        else:
            all_of = "tw_total"
        return [
            f"CASE WHEN tw_n = 1 THEN tw_m{k} ELSE tw_m{k} / {all_of} END"
            for k in range(graph.width)
        ]

    def _leaves_with_paths(self) -> list[tuple[int, list[tuple[int, int, int]]]]:
        """Return leaves in reading order, each with the nodes, branches and children above it."""
        found = []
        waiting: list[tuple[int, list[tuple[int, int, int]]]] = [(0, [])]
        while waiting:
            node, path = waiting.pop()
            if self.graph.kind[node] == kinds.LEAF:
                found.append((int(self.graph.child[node]), path))
                continue
            children = self.graph.children(node)
            for branch in range(len(children) - 1, -1, -1):
                waiting.append((children[branch], [*path, (node, branch, children[branch])]))
        return found

    def _sums(self) -> list[str]:
        """Return columns with the sums of what trees say, added from the first tree to the last."""
        form, graph, dialect = self.form, self.graph, self.dialect
        is_mean = form.combination == "mean"
        n_sums = graph.width if is_mean else form.n_outputs
        sums = [dialect.number(0.0 if is_mean else float(x)) for x in _starts(form, n_sums)]
        at_once = max(1, min(dialect.most_terms, _MOST_COLUMNS // 2))
        leaf_of_tree = _leaves_by_tree(form)
        for start in range(0, form.n_trees, at_once):
            own = range(start, min(start + at_once, form.n_trees))
            roots = [(f"tw_t{t}", int(graph.roots[t])) for t in own]
            leaf_of = dict(zip(own, self._leaf_columns(f"leaves_{start}", roots), strict=True))
            columns = []
            for k in range(n_sums):
                mine = [t for t in own if is_mean or t % form.n_outputs == k]
                terms = [
                    self._by_leaf(leaf_of[t], leaf_of_tree[t], k if is_mean else 0) for t in mine
                ]
                columns.append(" + ".join([sums[k], *terms]) + f" AS tw_s{k}_{start}")
            self._step(f"sums_{start}", columns)
            sums = [f"tw_s{k}_{start}" for k in range(n_sums)]
        return sums

    def _of_votes(self) -> list[str]:
        """Return shares of votes, or the default's where a row meets no rule."""
        form, graph, dialect = self.form, self.graph, self.dialect
        assert form.otherwise is not None
        none = dialect.number(0.0)
        met = [f"{self._vote_met(rule)} AS tw_r{rule}" for rule in range(form.n_trees)]
        self._step("met", met)
        columns = []
        for k in range(graph.width):
            terms = [none]
            for rule in range(form.n_trees):
                leaf = int(graph.child[self._end_of_rule(rule)])
                weight = float(graph.lines[graph.line_of_leaf[leaf], k])
                if weight:
                    terms.append(
                        f"CASE tw_r{rule} WHEN 1 THEN {dialect.number(weight)} ELSE {none} END"
                    )
            if len(terms) > dialect.most_terms:
                raise form.refuse(
                    "sql",
                    f"{len(terms)} rules vote for one class, too many for one query",
                    "export to c, python, javascript or rust",
                )
            columns.append(" + ".join(terms) + f" AS tw_v{k}")
        self._step("votes", columns)
        total = "(" + " + ".join([none, *(f"tw_v{k}" for k in range(graph.width))]) + ")"
        return [
            f"CASE WHEN {total} > 0 THEN tw_v{k} / {total}"
            f" ELSE {dialect.number(float(form.otherwise[k]))} END"
            for k in range(graph.width)
        ]

    def _end_of_rule(self, rule: int) -> int:
        node = int(self.graph.roots[rule])
        while self.graph.kind[node] != kinds.LEAF:
            node += 1
        return node

    def _vote_met(self, rule: int) -> str:
        start, end = int(self.graph.roots[rule]), self._end_of_rule(rule)
        met = [
            self._in_chain(node, self.graph.children(node).index(node + 1))
            for node in range(start, end)
        ]
        return f"CASE WHEN {' AND '.join(met) or 'TRUE'} THEN 1 ELSE 0 END"

    def _linked(self, scores: list[str]) -> list[str]:
        form, dialect = self.form, self.dialect
        one = dialect.number(1.0)

        def expit(score: str) -> str:
            return f"{one} / ({one} + {self._exp(f'-({score})')})"

        if form.link == "one":
            return [one]
        if form.link == "identity":
            scale = f" * {dialect.number(2.0**form.shift)}" if form.shift else ""
            return [scores[0] + scale]
        if form.link == "log":
            scale = f" * {dialect.number(2.0**form.shift)}" if form.shift else ""
            return [self._exp(scores[0]) + scale]
        if form.link in ("logistic", "half_logistic"):
            score = scores[0]
            if form.link == "half_logistic":
                score = f"{dialect.number(2.0)} * {score}"
            self._step("linked", [f"{expit(score)} AS tw_second"])
            return [f"{one} - tw_second", "tw_second"]
        if form.link == "softmax":
            return self._softmax(scores)
        assert form.thresholds is not None
        cuts = form.thresholds.tolist()
        self._step(
            "below",
            [
                f"{expit(f'{dialect.number(cut)} - {scores[0]}')} AS tw_u{k}"
                for k, cut in enumerate(cuts)
            ],
        )
        shares = ["tw_u0 - " + dialect.number(0.0)]
        shares += [f"tw_u{k} - tw_u{k - 1}" for k in range(1, len(cuts))]
        return [*shares, f"{one} - tw_u{len(cuts) - 1}"]

    def _softmax(self, scores: list[str]) -> list[str]:
        self._step("most", [f"{self._most(scores)} AS tw_most"])
        self._step(
            "powers",
            [f"{self._exp(f'{s} - tw_most')} AS tw_e{k}" for k, s in enumerate(scores)],
        )
        none = self.dialect.number(0.0)
        total = " + ".join([none, *(f"tw_e{k}" for k in range(len(scores)))])
        return [f"tw_e{k} / ({total})" for k in range(len(scores))]

    def _softened(self, shares: list[str]) -> list[str]:
        """Return probabilities of shares of votes; votes alone where nothing asks for them."""
        self._step("votes", [f"{each} AS tw_v{k}" for k, each in enumerate(shares)])
        votes = [f"tw_v{k}" for k in range(len(shares))]
        if not self.proba and self.form.decision.costs is None:
            return votes
        factor = self.dialect.number(self.form.sharpness)
        self._step("scores", [f"{factor} * {each} AS tw_z{k}" for k, each in enumerate(votes)])
        return self._softmax([f"tw_z{k}" for k in range(len(votes))])

    def _most(self, numbers: Sequence[str]) -> str:
        """Return the largest of at least two numbers, without depth: parsers bound that, too."""
        while len(numbers) > 1:
            parts = [numbers[i : i + _MOST_GIVEN] for i in range(0, len(numbers), _MOST_GIVEN)]
            numbers = [
                f"{self.dialect.greatest}({', '.join(part)})" if len(part) > 1 else part[0]
                for part in parts
            ]
        return numbers[0]

    def _exp(self, value: str) -> str:
        """Return an exponential; PostgreSQL raises an error where it would be 0 or infinite."""
        if self.dialect.name != "postgresql":
            return f"exp({value})"
        zero, infinite = self.dialect.number(0.0), self.dialect.number(float("inf"))
        return (
            f"CASE WHEN {value} < -700 THEN {zero} WHEN {value} > 709 THEN {infinite}"
            f" ELSE exp({value}) END"
        )

    # ------------------------------------------------------------------ the class
    def _decided(self, shares: list[str]) -> str:
        """Return the label of the class that is chosen by probabilities."""
        form, dialect = self.form, self.dialect
        decision = form.decision
        if len(shares) == 1:
            return self._label(0)
        if decision.class_of_leaf is not None:
            by_label: dict[int, list[str]] = {}
            for leaf, code in enumerate(decision.class_of_leaf.tolist()):
                by_label.setdefault(code, []).append(str(leaf))
            cases = " ".join(
                f"WHEN tw_leaf IN ({', '.join(own)}) THEN {self._label(code)}"
                for code, own in by_label.items()
            )
            return f"CASE {cases} END"
        if decision.costs is not None:
            return self._by_cost(shares)
        votes = [f"tw_v{k}" for k in range(len(shares))]
        if form.softens:  # votes that differ may have equal probabilities
            shares = votes
        if form.combination == "rules":
            first = self._first_of(votes)
            default = form.default_class
            others = [v for k, v in enumerate(votes) if k != default]
            best = " AND ".join(f"{votes[default]} >= {each}" for each in others)
            return f"CASE WHEN {best} THEN {self._label(default)} ELSE {first} END"
        chosen = self._first_of(shares)
        if decision.preferred is None:
            return chosen
        near = dialect.number(1 - 1e-12)
        own = shares[decision.preferred]
        ties = " AND ".join(f"{own} >= {each} * {near}" for each in shares if each != own)
        return f"CASE WHEN {ties} THEN {self._label(decision.preferred)} ELSE {chosen} END"

    def _first_of(self, numbers: list[str]) -> str:
        """Return the label of the largest number, the first of equal ones."""
        cases = []
        for k, number in enumerate(numbers[:-1]):
            later = " AND ".join(f"{number} >= {each}" for each in numbers[k + 1 :])
            cases.append(f"WHEN {later} THEN {self._label(k)}")
        return f"CASE {' '.join(cases)} ELSE {self._label(len(numbers) - 1)} END"

    def _by_cost(self, shares: list[str]) -> str:
        dialect, costs = self.dialect, self.form.decision.costs
        assert costs is not None
        expected = []
        for k in range(len(shares)):
            terms = [
                f"{share} * {dialect.number(float(costs[actual, k]))}"
                for actual, share in enumerate(shares)
            ]
            expected.append(" + ".join([dialect.number(0.0), *terms]) + f" AS tw_c{k}")
        self._step("costs", expected)
        least = "tw_c0"
        for k in range(1, len(shares)):
            least = f"{dialect.least}({least}, tw_c{k})"
        bound = f"{least} * {dialect.number(1 + 1e-12)}"
        cases = " ".join(
            f"WHEN tw_c{k} <= {bound} THEN {self._label(k)}" for k in range(len(shares))
        )
        return f"CASE {cases} END"


def _starts(form: Form, n_sums: int) -> list[float]:
    return [0.0] * n_sums if form.base is None else form.base.tolist()


def _leaves_by_tree(form: Form) -> list[list[int]]:
    """Return the leaves of each tree."""
    graph = form.graph
    ends = [*graph.roots[1:].tolist(), graph.n_nodes]
    return [
        [
            int(graph.child[node])
            for node in range(int(root), int(end))
            if graph.kind[node] == kinds.LEAF
        ]
        for root, end in zip(graph.roots.tolist(), ends, strict=True)
    ]
