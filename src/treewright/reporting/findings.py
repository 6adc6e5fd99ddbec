"""What was found out for a report: the one object that its sections turn into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from treewright.data.column_roles import is_identifier
from treewright.evaluate.comparison import Comparison
from treewright.evaluate.cross_validate import CrossValidation
from treewright.explain.importances import Importances
from treewright.reporting.examples import Example
from treewright.reporting.given import Given
from treewright.reporting.learners import tree_of
from treewright.reporting.size import SizeCurve
from treewright.reporting.table.suspicion import TableProfile

if TYPE_CHECKING:
    from treewright.dependence.dependence import PartialDependence
    from treewright.evaluate.metrics import Metric
    from treewright.evaluate.trial.task_data import TaskData
    from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True, eq=False)
class Findings:
    """Everything that a report says, as data.

    Parameters
    ----------
    given
        The table with its target.
    data
        The same as it was checked for judging.
    name, noun
        The learner in comparisons; what it is called in a sentence.
    model
        The learner fitted to all rows.
    judged
        How good the learner is on rows that it has not seen.
    comparison
        The learner beside others; None where there were none.
    n_judged_rows
        Rows that were judged: all of them, unless the table is large.
    profile
        What the table holds, and what in it could mislead.
    warnings
        What the library warned of, each kind with its words.
    not_done
        What the report leaves out, and why.
    size
        Error by the size of the tree; None where sizes were not compared.
    importances
        How much each column matters; None where that is not known.
    dependences
        The mean answer by the value of the columns that matter most.
    examples
        Rows, one by one.
    data_hash
        SHA-256 of the file, or else of the table as it was read; None where it is large.
    seed, seconds, made_at
        Of everything that is drawn; how long the work took; when it was done.
    """

    given: Given
    data: TaskData
    name: str
    noun: str
    model: Any
    judged: CrossValidation
    comparison: Comparison | None
    n_judged_rows: int
    profile: TableProfile = field(repr=False)
    warnings: Sequence[tuple[str, str]] = ()
    not_done: Sequence[str] = ()
    size: SizeCurve | None = field(default=None, repr=False)
    importances: Importances | None = None
    dependences: Sequence[PartialDependence] = field(default=(), repr=False)
    examples: Sequence[Example] = field(default=(), repr=False)
    data_hash: str | None = None
    seed: int = 0
    seconds: float = 0.0
    made_at: datetime | None = None

    @property
    def tree(self) -> Tree | None:
        """The tree, of a learner that grows one."""
        return tree_of(self.model)

    @property
    def metric(self) -> Metric:
        """What judges."""
        return self.judged.metric

    @property
    def is_classification(self) -> bool:
        """Whether classes are predicted."""
        return self.data.task == "classes"

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in order; none where numbers are predicted."""
        return self.data.classes

    @property
    def value(self) -> float:
        """The figure that judges, of rows that were not seen."""
        return self.judged[self.metric.name].value

    @property
    def baseline(self) -> float:
        """The same figure of the best constant answer."""
        assert self.judged.scores.baseline is not None
        return self.metric.value(self.judged.scores.baseline)

    @property
    def is_better_than_constant(self) -> bool:
        """Whether the interval of the figure leaves out that of the best constant answer."""
        found = self.judged[self.metric.name]
        if self.metric.higher_is_better:
            return found.low > self.baseline
        return found.high < self.baseline

    @property
    def best_rival(self) -> str | None:
        """Name of the other learner with the best figure; None where there is none."""
        if self.comparison is None:
            return None
        names = [self.comparison.names[i] for i in self.comparison.order]
        judged = [
            name
            for name in names
            if name != self.name and self.comparison.results[self.comparison.names.index(name)]
        ]
        return judged[0] if judged else None

    @cached_property
    def identifiers(self) -> list[str]:
        """Columns to learn from whose values all differ, so that they name rows."""
        X = self.given.X
        return [name for name in X.columns if is_identifier(name, X.column(name))]

    @property
    def group_warnings(self) -> list[str]:
        """What was said about rows that seem to belong together."""
        return [f"{words.rstrip('.')}." for kind, words in self.warnings if kind == "Groups"]

    @property
    def table_warnings(self) -> list[str]:
        """What else the library warned of; identifiers and leaks are remarks of their columns."""
        own = ("Groups", "Identifier", "Leak")
        return [words.rstrip(".") for kind, words in self.warnings if kind not in own]
