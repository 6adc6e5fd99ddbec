"""The candidates of one node: every column's best question, with its measures."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from treewright.text.names import on_one_line
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figure, figures, p_values
from treewright.text.table import TextColumn, lay_out
from treewright.tree.node_text import class_columns, classes_in_words


@dataclass(frozen=True, kw_only=True)
class BranchRow:
    """One branch of a candidate question.

    Parameters
    ----------
    label
        Text of the branch without the column's name: ``= Sunny``, ``<= 2.45``.
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


MEASURES = {
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

Sort: TypeAlias = Literal["score", "column"]
SORTS: tuple[Sort, ...] = ("score", "column")

_WIDTH = 80
_LONGEST_HEADER = 14
_SCORE = "score"


@dataclass(frozen=True, kw_only=True)
class WhyTable(ShownInNotebooks):
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
    leaf
        Why the node is a leaf; None if it is none.
    given
        The node's question where it was given (``start=``), and not chosen; else None.
    top, sort, measures
        How many candidates are printed (None: all), in which order, and which of the optional
        measures, by their names here.
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
    leaf: str | None = None
    given: str | None = None
    top: int | None = 10
    sort: Sort = "score"
    measures: tuple[str, ...] = tuple(MEASURES)

    @property
    def chosen(self) -> CandidateRow | None:
        """The candidate chosen by the node; None at a leaf, and where its question was given."""
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
        lines = [self._heading(ascii=ascii)]
        if self.leaf is not None:
            lines.append(f"This is a leaf: {self.leaf}.")
        if self.given is not None:
            lines.append(f"Its question was given: {self.given}.")
        if self.impurity == 0.0:
            return "\n".join(lines)  # no question gains anything
        asked = self._in_order()
        shown = asked[: self.top]
        if shown:
            lines += ["", self._body(shown, detail=detail, ascii=ascii)]
        if len(shown) < len(asked):
            n_more = len(asked) - len(shown)
            lines.append(f"{n_more} more column{'s' * (n_more > 1)}: top=None shows all.")
        if shown and self._score_header() == _SCORE:
            lines += ["", f"{_SCORE}: {self.score_name}"]
        if self.ties:
            first, *others = self.ties
            tie = f"Tie: {first} and {', '.join(others)} score alike; {first} comes first."
            lines += ["", *textwrap.wrap(tie, _WIDTH, break_long_words=False)]
        removed = [row for row in self.candidates if row.guard is not None]
        if removed:
            lines += ["", "Not considered:"]
            lines += self._removed(removed)
        return "\n".join(lines)

    def _in_order(self) -> list[CandidateRow]:
        """Return the candidates that ask something, in the order of printing."""
        asked = [row for row in self.candidates if row.asks_something]
        if self.sort == "column":
            return asked
        # Of equals the chosen one, then the first column; what was not considered comes last.
        return sorted(
            asked, key=lambda row: (not row.chosen, row.guard is not None, -(row.score or 0.0))
        )

    def _removed(self, removed: Sequence[CandidateRow]) -> list[str]:
        """Return a line for each column that was left out, or for each reason if there are many."""
        if self.top is None or len(removed) <= self.top:
            width = max(len(row.column) for row in removed)
            return [f"  {row.column.ljust(width)}  {row.guard}" for row in removed]
        reasons: dict[str, list[str]] = {}
        for row in removed:
            reasons.setdefault(str(row.guard), []).append(row.column)
        return [
            f"  {len(columns)} column{'s' * (len(columns) > 1)}: {reason}"
            for reason, columns in reasons.items()
        ]

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

    def _body(self, candidates: Sequence[CandidateRow], *, detail: bool, ascii: bool) -> str:
        """Return questions and branches in one table, or where it would be too wide in two."""
        rows: list[CandidateRow | BranchRow] = []
        for each in candidates:
            rows += [each, *each.branches]
        if not detail:
            return self._table(candidates, "question", detail=False, ascii=ascii)
        whole = self._table(rows, "question", ascii=ascii)
        if max(map(len, whole.splitlines())) <= _WIDTH:
            return whole
        questions = self._table(candidates, "question", detail=False, ascii=ascii)
        branches = self._table(rows, "branch", measured=False, ascii=ascii)
        return f"{questions}\n\n{branches}"

    def _table(
        self,
        shown: Sequence[CandidateRow | BranchRow],
        header: str,
        *,
        detail: bool = True,
        measured: bool = True,
        ascii: bool,
    ) -> str:
        arrow = "->" if ascii else "→"
        marks = [arrow if isinstance(row, CandidateRow) and row.chosen else "" for row in shown]
        columns = [TextColumn("", marks)]
        columns.append(TextColumn(header, [_name(row, detail=detail) for row in shown]))
        if detail:
            columns += self._branch_columns(shown, ascii=ascii)
        impurity = [_impurity(row, measured=measured) for row in shown]
        columns.append(TextColumn(self.measure, figures(impurity), right=True))
        if measured:
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

    def _score_header(self) -> str | None:
        """Return the header of the score; None where it is one of the other measures."""
        if self.score_name in MEASURES.values():
            return None
        return self.score_name if len(self.score_name) <= _LONGEST_HEADER else _SCORE

    def _measure_columns(self, shown: Sequence[CandidateRow | BranchRow]) -> list[TextColumn]:
        measures = {name: header for name, header in MEASURES.items() if name in self.measures}
        header = self._score_header()
        if header is not None:
            measures["score"] = header
        columns = []
        for attribute, header in measures.items():
            values = [getattr(row, attribute, None) for row in shown]
            # A cost of 1, no missing value and one way to ask are usual: no printed column.
            usual = {"cost": 1.0, "missing_weight": 0.0, "n_cuts": 1}.get(attribute)
            if all(value is None or value == usual for value in values):
                continue
            in_words = p_values if attribute in ("p_value", "adjusted_p") else figures
            columns.append(TextColumn(header, in_words(values), right=True))
        return columns


def _name(row: CandidateRow | BranchRow, *, detail: bool) -> str:
    if isinstance(row, BranchRow):
        return f"  {row.label}"
    # The branches below say the cut.
    return on_one_line(row.column) if detail and row.branches else row.question


def _impurity(row: CandidateRow | BranchRow, *, measured: bool) -> float | None:
    if isinstance(row, BranchRow):
        return row.impurity
    return row.weighted_impurity if measured else None
