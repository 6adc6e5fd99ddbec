"""``treewright.report``: one HTML file with all that there is to say about a table and its tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treewright.chart.words import NARROW_SPACE
from treewright.data.column_roles import Task
from treewright.errors import UnsupportedError
from treewright.parameters import check_choice, check_count
from treewright.reporting.find import MOST_CELLS, find
from treewright.reporting.findings import Findings
from treewright.reporting.given import Given, read_given
from treewright.reporting.learners import check_model, default_model, named_rivals
from treewright.reporting.page.page import page_of
from treewright.reporting.sections.all import sections_of
from treewright.reporting.sections.head import Head, head_of
from treewright.reporting.sections.section import Section
from treewright.state.atomic import write_whole
from treewright.text.wrap import wrap_words


@dataclass(frozen=True, kw_only=True, eq=False)
class Report:
    """A report: ``save`` it, or ``print`` what it found; a notebook shows it.

    Parameters
    ----------
    findings
        Everything that it says, as data: ``findings.judged["error"]``, ``findings.comparison``.
    """

    findings: Findings = field(repr=False)

    @cached_property
    def _html(self) -> str:
        return page_of(self.findings, self.head, self.sections)

    @cached_property
    def head(self) -> Head:
        """The head: the finding, the lede, four figures, and what to know first."""
        return head_of(self.findings)

    @cached_property
    def sections(self) -> list[Section]:
        """The sections, each with its question and its finding."""
        return sections_of(self.findings)

    def html(self) -> str:
        """Return the page: one file that asks nothing of the network and runs no script."""
        return self._html

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, ``.html``."""
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise UnsupportedError(
                f"a report is one HTML file, but the file is {str(path)!r}.\n"
                "  Hint: name it report.html."
            )
        write_whole(Path(path), [self._html.encode()])

    def text(self) -> str:
        """Return what was found: the head, and a sentence of each section."""
        lines = [wrap_words(self.head.finding), "", wrap_words(self.head.lede), ""]
        for number, each in enumerate(self.sections, start=1):
            lines.append(wrap_words(f"{number}  {each.name}: {each.finding}"))
        return "\n".join(lines).replace(NARROW_SPACE, " ")

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Report({self.findings.given.name!r}, target={self.findings.given.target!r})"

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain lists, strings and numbers."""
        found = self.findings
        return {
            "table": found.given.name,
            "target": found.given.target,
            "task": found.given.task,
            "rows": found.data.n_rows,
            "rows_judged": found.n_judged_rows,
            "judged": found.judged.to_dict(),
            "comparison": None if found.comparison is None else found.comparison.to_dict(),
            "findings": {each.anchor: each.finding for each in self.sections},
            "warnings": [words for _, words in found.warnings],
            "not_done": list(found.not_done),
        }

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self._html, quote=True)}" sandbox="" width="100%" '
            'height="800" title="report"></iframe>'
        )


def report(
    data: Any,
    y: Any = None,
    *,
    target: str | None = None,
    task: Task | None = None,
    model: Any = None,
    rivals: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    cost_matrix: Any = None,
    folds: int | None = None,
    max_cells: int = MOST_CELLS,
    name: str | None = None,
    out: str | PathLike[str] | None = None,
    random_state: int = 0,
) -> Report:
    """Return a report on a table: its data, a tree of it, how good that is, and what else is.

    Parameters
    ----------
    data
        A table with `y`; a table that holds its target, named by `target`; what
        :func:`treewright.read` or :func:`treewright.load_example` give; or the path of a file. Of a
        file, columns that only name rows are left out, and the report says so.
    y, target
        The target, or the name of its column.
    task
        ``"classes"`` or ``"numbers"``; by default text and at most ten whole numbers are classes.
    model
        The learner that the report is about, an estimator of ours: by default a tree with 5 rows a
        leaf, pruned by 10-fold cost complexity to the smallest that is as good as the best.
    rivals
        What it is compared with: learners, or a mapping from names. By default C4.5 (of numbers
        M5), a random forest and gradient boosting; ``[]`` compares with none.
    groups, sample_weight
        An entry per row, or the name of a column: what belongs together, and weights.
    cost_matrix
        Cost of each answer, actual classes x predicted ones; learners that can take it into
        account.
    folds
        Of the cross-validation that judges. By default 10, of tables with more than 250,000 cells
        5, and under 50 rows each row is judged by itself.
    max_cells
        Rows x columns that are judged at most: of a larger table so many rows are drawn by the
        seed, to judge learners by and to compare them, and the report says so. The tree is grown
        from all rows.
    name
        What the table is called.
    out
        A file to write the report to.
    random_state
        Seed of all that is drawn.

    Returns
    -------
    Report
        ``print`` it, ``save`` it; its ``findings`` are data.

    Examples
    --------
    >>> from treewright import load_example, report
    >>> found = report(load_example("play_tennis"), rivals=[])
    >>> found.findings.judged["error"].value
    0.35714285714285715
    """
    given = read_given(
        data,
        y,
        target=target,
        task=task,
        sample_weight=sample_weight,
        groups=groups,
        cost_matrix=cost_matrix,
        name=name,
    )
    found = report_on(
        given, model=model, rivals=rivals, folds=folds, max_cells=max_cells, seed=random_state
    )
    if out is not None:
        found.save(out)
    return found


def report_on(
    given: Given,
    *,
    model: Any = None,
    rivals: Any = None,
    folds: int | None = None,
    max_cells: int = MOST_CELLS,
    seed: int = 0,
) -> Report:
    """Return the report on a table that was read; see :func:`report`."""
    check_count("folds", folds, least=2, optional=True)
    check_count("max_cells", max_cells, least=1)
    check_count("random_state", seed, least=0)
    check_choice("task", given.task, ("classes", "numbers"))
    learner = default_model(given.task, _n_units(given)) if model is None else model
    check_model(learner, given.task)
    others = dict(named_rivals(rivals, given.task))
    found = find(given, learner, others, folds=folds, max_cells=max_cells, seed=seed)
    return Report(findings=found)


def _n_units(given: Given) -> int:
    """Return how many rows, or groups of rows, can be dealt to folds."""
    return given.n_rows if given.groups is None else len(set(np.asarray(given.groups).tolist()))
