"""The table of every column's candidate, for :meth:`Tree.why`.

The core returns the candidates that it compared in a node; the other figures are counted here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from treewright import measures
from treewright.array_types import Array, BoolArray, FloatArray, Int32Array, Int64Array
from treewright.core import FEW_VALUES, inspect
from treewright.data.core_columns import lend
from treewright.data.fitted_schema import ColumnSpec
from treewright.data.read.target import ClassTarget
from treewright.errors import TreewrightError
from treewright.explain.why_table import MEASURES, SORTS, BranchRow, CandidateRow, Sort, WhyTable
from treewright.grow.column_parameters import column_costs
from treewright.grow.problem import Problem
from treewright.grow.why_leaf import why_leaf
from treewright.parameters import check_choice, check_count
from treewright.text.names import on_one_line
from treewright.tree.arrays import CUT, INTERVALS, LEAF, LINEAR
from treewright.tree.condition import sum_of_columns
from treewright.tree.question import Categories, Cut, Intervals, LinearCut, linear_cut

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Int64Array
    from treewright.tree.record import Record
    from treewright.tree.tree import Tree


Asked: TypeAlias = Cut | Intervals | Categories | LinearCut

_GUARDS = {
    "constant": "one value only",
    "limits": "branch too small",
    "no_gain": "no gain",
    "average_gain": "below average gain",
    "many_values": "a value for every few rows",
    "no_cut": "no cut accepted",
    "insignificant": "not significant",
    "not_drawn": "not drawn",
    "few_columns": "fewer than two numeric columns vary",
    "few_rows": "too few rows for a sum",
    "one_column": "one column does as well",
}

_MEASURES_OF_VALUES = {
    "deviance": measures.poisson_deviance,
    "absolute deviation": measures.absolute_deviation,
}
"""Impurities of values that are no power of the variance."""

_SUM = "sum of columns"
"""Name in place of a column for the best linear combination of columns (oblique)."""


def why(
    tree: Tree,
    node: int,
    record: Record,
    *,
    top: int | None = 10,
    sort: Sort = "score",
    measures: str | Sequence[str] | None = None,
) -> WhyTable:
    """Return every column's candidate in a node, with its measures."""
    _checked(top, sort, measures)
    part, path = record.part_of(tree.branches_to(node))
    problem: Problem = part.problem
    if was_raised(tree, node):
        raise TreewrightError(
            f"Pruning put node {node}, or one above it, in another's place: it was not chosen"
            " for the rows it has now.\n  Hint: tree.pruning.tree is the tree as it was before."
        )
    seen: Any = None
    try:
        seen = inspect(
            lend(problem.table),
            problem.core_target(),
            problem.core_options(),
            path,
        )
    except RuntimeError:  # the tree of these data has no such node
        n_given = 0
    else:
        n_given = len(seen["rows"])
    n_rows = int(tree.arrays.n_rows[node])
    if seen is None or n_given != n_rows:
        raise TreewrightError(
            f"The data given lead {n_given} rows to node {node}, training led"
            f" {n_rows}.\n  Hint: pass the very table the tree was fitted on."
        )
    working = _Working(problem, tree, node, seen, is_given=part.is_given)
    table = replace(working.table(), measures=working.measures())
    return shown(table, top=top, sort=sort, measures=measures)


def shown(
    table: WhyTable,
    *,
    top: int | None,
    sort: Sort,
    measures: str | Sequence[str] | None,
) -> WhyTable:
    """Return a table as it is to be printed; its own measures are what the algorithm compares."""
    chosen = _checked(top, sort, measures)
    given = table.measures if chosen is None else chosen
    return replace(table, top=top, sort=sort, measures=given)


def _checked(
    top: int | None, sort: str, measures: str | Sequence[str] | None
) -> tuple[str, ...] | None:
    """Return the names of the measures to print; None for those that the algorithm compares."""
    check_count("top", top, least=1, optional=True)
    check_choice("sort", sort, SORTS)
    if measures is None:
        return None
    if isinstance(measures, str) and measures == "all":
        return tuple(MEASURES)
    named = (measures,) if isinstance(measures, str) else tuple(measures)
    for each in named:
        check_choice("measures", each, ("all", *MEASURES))
    return named


class _Working:
    """The figures of one node."""

    def __init__(
        self, problem: Problem, tree: Tree, node: int, seen: Any, *, is_given: bool
    ) -> None:
        self.problem, self.tree, self.node, self.seen = problem, tree, node, seen
        self.is_given = is_given
        self.criterion = problem.options.criterion_traits
        self.rows = np.asarray(seen["rows"], dtype=np.int64)
        self.weight: FloatArray = np.asarray(seen["weight"])
        self.costs = column_costs(tree.schema, problem.options)
        self.asked_above = {tree.arrays.column.item(above) for above in tree.ancestors(node)}
        target = problem.target
        if isinstance(target, ClassTarget):
            codes = target.codes if target.codes.ndim == 1 else target.codes[:, 0]
            self.codes: Int32Array | None = codes[self.rows]
            self.names = tuple(str(name) for name in target.classes[0])
            self.values: FloatArray | None = None
        else:
            values = target.values if target.values.ndim == 1 else target.values[:, 0]
            self.codes, self.names = None, ()
            self.values = np.ldexp(values[self.rows], -problem.shift)

    def table(self) -> WhyTable:
        """Return the candidates of all columns, in their order."""
        rows = []
        best = None
        candidates = list(enumerate(self.seen["candidates"]))
        sums = [candidates.pop()] if self.problem.options.oblique is not None else []
        judged = {item["column"]: (i, item) for i, item in candidates}
        no_choice = self.is_given or self.tree.is_leaf(self.node)
        chosen = -1 if no_choice else int(self.seen["chosen"])
        if chosen >= 0:
            best = self.seen["candidates"][chosen]["score"]
        for column, spec in enumerate(self.problem.table.schema.columns):
            if column not in judged:
                reason = "constant" if self._is_constant(column) else "not_drawn"
                guard = self._guard(reason, column)
                rows.append(CandidateRow(column=spec.name, question=spec.name, guard=guard))
                continue
            index, item = judged[column]
            rows.append(self._candidate(spec.name, item, chosen=index == chosen, best=best))
        for index, item in sums:  # after all columns, as it is judged
            rows.append(self._candidate(_SUM, item, chosen=index == chosen, best=best))
        weight = float(self.weight.sum())
        counts: tuple[float, ...] = ()
        mean = sse = None
        if self.codes is not None:
            counts = tuple(self._counts(np.ones(len(self.rows), dtype=bool)).tolist())
        elif self.values is not None and len(self.values):
            mean, sse = self._moments(np.ones(len(self.rows), dtype=bool))
        return WhyTable(
            node=self.node,
            measure=self.criterion.impurity,
            score_name=self._score_name(),
            n_rows=len(self.rows),
            weight=weight,
            impurity=float(self.tree.arrays.impurity[self.node]),
            candidates=tuple(rows),
            classes=self.names,
            counts=counts,
            mean=mean,
            sse=sse,
            leaf=self._why_leaf(rows),
            given=self._given(),
        )

    def _given(self) -> str | None:
        question = self.tree.question(self.node) if self.is_given else None
        if question is None:
            return None
        return " | ".join(question.text(branch) for branch in range(question.n_branches))

    def _why_leaf(self, rows: list[CandidateRow]) -> str | None:
        if not self.tree.is_leaf(self.node):
            return None
        reached = why_leaf(self.tree, self.node, self.problem.options)
        if reached is not None:
            return reached
        if any(row.guard is None and row.asks_something for row in rows):
            return "no question gains enough"
        return "no column has a question that parts its rows"

    def measures(self) -> tuple[str, ...]:
        """Return the measures that the algorithm compares columns by, and what they are made of."""
        options = self.problem.options
        shown = ["gain", "missing_weight"]
        if self.criterion.selection == "gain_ratio":
            shown += ["split_information", "gain_ratio"]
        tests = options.merging is not None or options.max_p_value is not None
        if tests or self.criterion.score == "chi2":
            shown += ["chi2", "df", "p_value", "adjusted_p"]
        if self.costs is not None:
            shown += ["cost", "cost_score"]
        return tuple(name for name in MEASURES if name in shown)

    def _guard(self, reason: str, column: int) -> str:
        """Return why a column is not considered, in words."""
        if reason == "constant" and column in self.asked_above:
            return "asked above"
        return _GUARDS[reason]

    def _score_name(self) -> str:
        """Return the name of what columns are compared by, if it is none of the other measures."""
        options = self.problem.options
        if options.merging is not None:
            return "adjusted p"  # the score is its negative logarithm
        if self.costs is not None:
            return "cost score"
        name = self.criterion.score
        if self.problem.core_options().guard_many_values and any(
            len(spec.values) > FEW_VALUES and spec.kind == "nominal"
            for spec in self.tree.schema.columns
        ):
            name = f"guarded {name}"
        if options.mdl_penalty:
            name = f"penalised {name}"
        return f"mean {name}" if self.problem.n_outputs > 1 else name

    def _judges_by_impurity(self) -> bool:
        """Return whether the core's gain is that of the impurity printed, of the first target."""
        options = self.problem.options
        is_plain = options.merging is None and not options.mdl_penalty
        return is_plain and self.problem.n_outputs == 1 and self.criterion.gains_impurity

    def _is_constant(self, column: int) -> bool:
        """Return whether the rows of the node have no two values of the column."""
        stored = self.problem.table.columns[column][self.rows]
        return len(self.rows) > 0 and len(np.unique(stored[self._known(column)])) < 2

    def _known(self, column: int) -> BoolArray:
        """Return whether each row of the node has a value of the column."""
        return ~self.problem.table.is_missing(column)[self.rows]

    def _counts(self, chosen: BoolArray) -> FloatArray:
        assert self.codes is not None
        counts: FloatArray = np.bincount(
            self.codes[chosen], weights=self.weight[chosen], minlength=len(self.names)
        ).astype(np.float64)
        return counts

    def _impurity(self, counts: FloatArray) -> float:
        if not counts.sum() > 0:
            return 0.0
        given = self.problem.given_impurity
        if given is not None:
            return float(given(counts[np.newaxis])[0])
        return float(getattr(measures, self.criterion.impurity)(counts))

    def _moments(self, chosen: BoolArray) -> tuple[float, float]:
        assert self.values is not None
        weight, values = self.weight[chosen], self.values[chosen]
        if not len(values):
            return 0.0, 0.0
        mean = float(np.average(values, weights=weight))
        # Squares of a target of extreme size are those of the scaled target.
        sse = float(np.sum(weight * (values - mean) ** 2))
        return float(np.ldexp(mean, self.problem.shift)), sse

    def _branches(self, item: Any) -> tuple[Asked, Int64Array, BoolArray]:
        """Return the question, the branch of each row by its value, and whether it has one."""
        if item["kind"] == LINEAR:
            return self._branches_of_sum(item)
        column = item["column"]
        spec = self.problem.table.schema.columns[column]  # M5 has put its values in order
        stored = np.asarray(self.problem.table.columns[column])[self.rows]
        known = self._known(column)
        n_branches = int(item["n_branches"])
        question: Asked
        if item["kind"] in (CUT, INTERVALS):
            question, cuts = self._ordered(spec, item)
            branch = np.searchsorted(cuts, stored)
            if self.tree.schema.columns[column].kind == "nominal":
                question = self._cut_of_values(column, spec, int(stored[branch == 0].max()))
        else:
            codes, branches = np.asarray(item["code"]), np.asarray(item["branch_of_code"])
            question = Categories(
                index=column,
                column=spec,
                codes=tuple(codes.tolist()),
                branches=tuple(branches.tolist()),
                n_branches=n_branches,
                missing_branch=int(item["missing_branch"]),
                rest_branch=int(item["rest_branch"]),
            )
            table = np.full(len(spec.values), int(item["rest_branch"]))
            table[codes] = branches
            branch = np.where(known, table[np.maximum(stored, 0)], 0)
        return question, branch.astype(np.int64), known

    def _cut_of_values(self, column: int, ranked: ColumnSpec, rank: int) -> Categories:
        """Return a cut of ranked categories (M5) as a question about the tree's own column."""
        asked = self.tree.schema.columns[column]
        rank_of_value = {value: place for place, value in enumerate(ranked.values)}
        return Categories(
            index=column,
            column=asked,
            codes=tuple(range(len(asked.values))),
            branches=tuple(int(rank_of_value[value] > rank) for value in asked.values),
            n_branches=2,
        )

    def _branches_of_sum(self, item: Any) -> tuple[LinearCut, Int64Array, BoolArray]:
        factors = item["term_coefficient"].tolist()
        question = linear_cut(
            tuple(zip(item["term_column"].tolist(), factors, strict=True)),
            self.tree.schema,
            threshold=item["threshold"],
            n_branches=int(item["n_branches"]),
            missing_branch=int(item["missing_branch"]),
        )
        total = sum_of_columns(question.terms, self.problem.table)[self.rows]
        return question, np.where(total <= question.threshold, 0, 1), ~np.isnan(total)

    def _ordered(self, spec: ColumnSpec, item: Any) -> tuple[Cut | Intervals, Array]:
        """Return a question that cuts ordered values, and its cuts."""
        asked = {
            "index": item["column"],
            "column": spec,
            "n_branches": int(item["n_branches"]),
            "missing_branch": int(item["missing_branch"]),
        }
        is_float = spec.storage == "float"
        if item["kind"] == INTERVALS:
            cuts = np.asarray(item["cut"] if is_float else item["cut_int"])
            return Intervals(cuts=tuple(cuts.tolist()), **asked), cuts
        threshold = item["threshold"] if is_float else item["threshold_int"]
        return Cut(threshold=threshold, **asked), np.array([threshold])

    def _candidate(self, name: str, item: Any, *, chosen: bool, best: float | None) -> CandidateRow:
        guard = None if item["guard"] == "none" else self._guard(item["guard"], item["column"])
        if item["kind"] == LEAF:
            return CandidateRow(column=name, question=name, guard=guard)
        question, branch, known = self._branches(item)
        missing_weight = float(self.weight[~known].sum())
        policy = self.problem.options.missing_policy
        counted = known.copy()
        if item["missing_branch"] >= 0 and policy.is_judged and not policy.fills_by_class:
            branch = np.where(known, branch, item["missing_branch"])
            counted[:] = True
        rows = []
        table = []
        for i in range(question.n_branches):
            inside = counted & (branch == i)
            rows.append(self._branch(question, i, inside))
            if self.codes is not None:
                table.append(self._counts(inside))
        chi2 = df = p_value = adjusted_p = None
        if table:
            test = measures.chi2(self.problem.evidence * np.array(table))
            chi2, df, p_value = test.statistic, test.df, test.p_value
        if self.problem.options.merging is not None:
            p_value, adjusted_p = math.exp(item["log_p"]), math.exp(item["log_adjusted_p"])
        total = sum(row.weight for row in rows)
        left_over = sum(row.weight * row.impurity for row in rows) / total if total else 0.0
        gain = float(item["gain"])
        if not self._judges_by_impurity():
            # By its definition, over the rows that take part, times their share of the node's
            # (Quinlan 1993, chapter 3).
            gain = self._branch(None, 0, counted).impurity - left_over
            gain = max(0.0, gain * total / float(self.weight.sum()))
        information = self._split_information(rows, missing_weight if not counted.all() else 0.0)
        columns = item["term_column"] if item["kind"] == LINEAR else [item["column"]]
        cost = None if self.costs is None else sum(self.costs[column] for column in columns)
        score = float(item["score"])
        tied = best is not None and not chosen and guard is None and _alike(score, best)
        if self.criterion.selection == "impurity_ratio" and cost is None:
            # As the tree has it: of the node's impurity, so that it rises with the gain.
            rest = float(self.tree.arrays.impurity[self.node]) - gain
            score = gain / rest if rest > 1e-15 else math.inf
        return CandidateRow(
            column=name,
            question=question.text(0) if question.n_branches == 2 else name,
            branches=tuple(rows),
            weighted_impurity=left_over,
            gain=gain,
            split_information=information,
            gain_ratio=gain / information if information else None,
            chi2=chi2,
            df=df,
            p_value=p_value,
            adjusted_p=adjusted_p,
            cost=cost,
            cost_score=None if cost is None else score,
            score=score,
            n_cuts=None if self.problem.options.merging else int(item["n_cuts"]),
            missing_weight=missing_weight,
            guard=guard,
            chosen=chosen,
            tied=tied,
        )

    def _split_information(self, rows: list[BranchRow], missing_weight: float) -> float | None:
        """Return the entropy of the branches, in bits; None if gains are in other units."""
        if self.criterion.impurity != "entropy":
            return None
        weights = [row.weight for row in rows]
        if self.problem.options.missing_policy.divides and missing_weight > 0:
            weights.append(missing_weight)
        return float(measures.entropy([w for w in weights if w > 0]))

    def _branch(self, question: Asked | None, i: int, inside: BoolArray) -> BranchRow:
        """Return the rows of a branch, or some rows without a question."""
        weight = float(self.weight[inside].sum())
        label = "" if question is None else _without_column(question, i)
        if self.codes is not None:
            counts = self._counts(inside)
            impurity = self._impurity(counts)
            return BranchRow(
                label=label,
                n_rows=int(inside.sum()),
                weight=weight,
                impurity=impurity,
                counts=tuple(counts.tolist()),
            )
        mean, sse = self._moments(inside)
        impurity = sse if self.criterion.sums_over_rows else sse / (weight or 1.0)
        impurity **= self.criterion.power_of_variance
        measure = _MEASURES_OF_VALUES.get(self.criterion.impurity)
        if measure is not None and self.values is not None:
            impurity = measure(self.values[inside], weights=self.weight[inside]) if weight else 0.0
        given = self.problem.given_impurity
        if given is not None and self.values is not None:
            values = self.values[inside]
            sums = [self.weight[inside] @ values**power for power in range(3)]
            impurity = float(given(np.array([sums]))[0])
        return BranchRow(
            label=label,
            n_rows=int(inside.sum()),
            weight=weight,
            impurity=impurity,
            mean=mean,
            sse=sse,
        )


def _without_column(question: Asked, branch: int) -> str:
    """Return the text of a branch without the name of the column, which stands above it."""
    text = question.text(branch)
    if isinstance(question, LinearCut):
        return text
    name = on_one_line(question.column.name)
    low, between, high = text.partition(f" < {name} <= ")
    return f"> {low}, <= {high}" if between else text.removeprefix(f"{name} ")


def _alike(score: float, best: float) -> bool:
    return abs(score - best) <= 1e-12 * max(abs(best), 1e-300)


def was_raised(tree: Tree, node: int) -> bool:
    """Return whether pruning has raised a node, or an ancestor of it."""
    branches = tree.branches_to(node)
    while tree.pruning is not None:
        before, source = tree.pruning.tree, tree.pruning.source
        if source is not None:
            at = was = 0
            for branch in branches:
                if source[at] != was:
                    return True
                at, was = tree.children(at)[branch], before.children(was)[branch]
            if source[at] != was:
                return True
        tree = before
    return False
