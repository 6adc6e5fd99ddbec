"""The candidates of one node: every column's best question, with its measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treewright.text.numbers import figure, figures, p_values
from treewright.text.table import TextColumn, lay_out
from treewright.tree.node_text import class_columns, classes_in_words


@dataclass(frozen=True, kw_only=True)
class BranchRow:
    """One branch of a candidate question.

    Parameters
    ----------
    label
        Text of the branch: a value, ``<= 2.45``, ``missing``.
    n_rows, weight
        Training rows of the branch, and their weight.
    impurity
        Their impurity.
    counts
        Weight of each class; empty for regression.
    mean, sse
        Mean of the target, and sum of squares about it; None for classification.
    """

    label: str
    n_rows: int
    weight: float
    impurity: float
    counts: tuple[float, ...] = ()
    mean: float | None = None
    sse: float | None = None


@dataclass(frozen=True, kw_only=True)
class CandidateRow:
    """The best question about one column, and all its measures.

    A measure that does not apply is None. A column that offers no question at all (constant here,
    all missing) has no branches and no measures, and its ``guard`` says why.

    Parameters
    ----------
    column, question
        Name of the column, and text of the question.
    branches
        The branches.
    weighted_impurity, gain
        Impurity after the split, and by how much it is less than before, whatever the criterion.
    split_information, gain_ratio
        Entropy of the branches, and the gain per bit of it; None but for entropy.
    chi2, df, p_value
        Pearson's statistic of the branch x class table, and the p-value of the test in use.
    adjusted_p
        The p-value times the number of ways to form the branches (CHAID).
    cost, cost_score
        Cost of measuring the column, and the score weighed against it.
    score, n_cuts, missing_weight
        Score of the criterion; number of cuts (or subsets) tried; weight of rows with a missing
        value.
    guard
        Reason why the column could not be chosen, or None.
    chosen, tied
        Whether this is the node's question; whether its score equals the chosen one's.
    """

    column: str
    question: str
    branches: tuple[BranchRow, ...] = ()
    weighted_impurity: float | None = None
    gain: float | None = None
    split_information: float | None = None
    gain_ratio: float | None = None
    chi2: float | None = None
    df: int | None = None
    p_value: float | None = None
    adjusted_p: float | None = None
    cost: float | None = None
    cost_score: float | None = None
    score: float | None = None
    n_cuts: int | None = None
    missing_weight: float | None = None
    guard: str | None = None
    chosen: bool = False
    tied: bool = False

    @property
    def asks_something(self) -> bool:
        """Whether the column has a candidate question."""
        return bool(self.branches) or self.gain is not None


_MEASURES = {
    "gain": "gain",
    "split_information": "split info",
    "gain_ratio": "gain ratio",
    "chi2": "chi2",
    "df": "df",
    "p_value": "p",
    "adjusted_p": "adjusted p",
    "cost": "cost",
    "cost_score": "cost score",
    "n_cuts": "cuts",
    "missing_weight": "missing",
}
"""Optional measures in the order of printing, with their headers."""


@dataclass(frozen=True, kw_only=True)
class WhyTable:
    """All candidates of one node.

    Parameters
    ----------
    node, n_rows, weight, impurity
        The node, its training rows, their weight and impurity.
    measure
        The name of the impurity (``entropy``, ``gini``, ``variance``).
    score_name
        Name of the criterion's score; where it is none of the printed measures, a column
        of its own shows it.
    classes, counts
        Texts of the classes, and their weights; empty for regression.
    mean, sse
        Mean and sum of squares of the target; None for classification.
    candidates
        One per column, in column order, and last the best linear combination of columns (oblique),
        where one was searched for.
    """

    node: int
    n_rows: int
    weight: float
    impurity: float
    measure: str
    candidates: tuple[CandidateRow, ...]
    score_name: str = "gain"
    classes: tuple[str, ...] = ()
    counts: tuple[float, ...] = ()
    mean: float | None = None
    sse: float | None = None

    @property
    def chosen(self) -> CandidateRow | None:
        """The candidate chosen by the node; None at a leaf."""
        return next((row for row in self.candidates if row.chosen), None)

    @property
    def ties(self) -> tuple[str, ...]:
        """Columns whose score equals the chosen one's, the chosen one first."""
        if self.chosen is None:
            return ()
        others = [row.column for row in self.candidates if row.tied and not row.chosen]
        return (self.chosen.column, *others) if others else ()

    def __str__(self) -> str:
        return self.text()

    def text(self, *, detail: bool = True, ascii: bool = False) -> str:
        """Return the text of the table.

        Parameters
        ----------
        detail
            Show the branches of each question below it.
        ascii
            Add only ASCII characters.
        """
        lines = [self._heading(ascii=ascii), "", self._body(detail=detail, ascii=ascii)]
        if self.ties:
            first, *others = self.ties
            lines += ["", f"Tie: {first} and {', '.join(others)} score alike; {first} comes first."]
        removed = [row for row in self.candidates if row.guard is not None]
        if removed:
            width = max(len(row.column) for row in removed)
            lines += ["", "Not considered:"]
            lines += [f"  {row.column.ljust(width)}  {row.guard}" for row in removed]
        return "\n".join(lines)

    def _heading(self, *, ascii: bool) -> str:
        parts = [f"Node {self.node}", f"{self.n_rows} rows"]
        if self.weight != self.n_rows:
            parts.append(f"weight {figure(self.weight)}")
        if self.counts:
            parts.append(classes_in_words(self.classes, self.counts, ascii=ascii))
        if self.mean is not None:
            parts.append(f"mean {figure(self.mean)}")
        if self.sse is not None:
            parts.append(f"SSE {figure(self.sse)}")
        parts.append(f"{self.measure} {figure(self.impurity)}")
        return (" | " if ascii else " · ").join(parts)

    def _body(self, *, detail: bool, ascii: bool) -> str:
        shown: list[CandidateRow | BranchRow] = []
        for candidate in self.candidates:
            if candidate.asks_something:
                shown += [candidate, *(candidate.branches if detail else ())]
        arrow = "->" if ascii else "→"
        marks = [arrow if isinstance(row, CandidateRow) and row.chosen else "" for row in shown]
        columns = [
            TextColumn("", marks),
            TextColumn("question", [_name(row) for row in shown]),
        ]
        if detail:
            columns += self._branch_columns(shown, ascii=ascii)
        impurity = [
            row.weighted_impurity if isinstance(row, CandidateRow) else row.impurity
            for row in shown
        ]
        columns.append(TextColumn(self.measure, figures(impurity), right=True))
        columns += self._measure_columns(shown)
        return lay_out(columns, max_width=48)

    def _branch_columns(
        self, shown: Sequence[CandidateRow | BranchRow], *, ascii: bool
    ) -> list[TextColumn]:
        branches = [row if isinstance(row, BranchRow) else None for row in shown]
        columns = [
            TextColumn("rows", [str(row.n_rows) if row else "" for row in branches], right=True)
        ]
        if any(row is not None and row.weight != row.n_rows for row in branches):
            weights = figures(row.weight if row else None for row in branches)
            columns.append(TextColumn("weight", weights, right=True))
        if self.classes:
            counts = [row.counts if row else None for row in branches]
            columns += class_columns(self.classes, counts, ascii=ascii)
        if self.mean is not None:
            means = figures(row.mean if row else None for row in branches)
            squares = figures(row.sse if row else None for row in branches)
            columns += [
                TextColumn("mean", means, right=True),
                TextColumn("SSE", squares, right=True),
            ]
        return columns

    def _measure_columns(self, shown: Sequence[CandidateRow | BranchRow]) -> list[TextColumn]:
        measures = dict(_MEASURES)
        if self.score_name not in measures.values():
            measures["score"] = self.score_name
        columns = []
        for attribute, header in measures.items():
            values = [getattr(row, attribute, None) for row in shown]
            # A cost of 1 and no missing value are the default, and get no printed column.
            usual = {"cost": 1.0, "missing_weight": 0.0}.get(attribute)
            if all(value is None or value == usual for value in values):
                continue
            in_words = p_values if attribute in ("p_value", "adjusted_p") else figures
            columns.append(TextColumn(header, in_words(values), right=True))
        return columns


def _name(row: CandidateRow | BranchRow) -> str:
    return row.question if isinstance(row, CandidateRow) else f"  {row.label}"
