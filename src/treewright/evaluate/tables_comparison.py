"""What a comparison of learners over several tables found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart import Picture, RankChart
from treewright.data.frame import Frame
from treewright.errors import DataError
from treewright.evaluate.cross_validate import CrossValidation
from treewright.evaluate.metrics import Metric
from treewright.evaluate.result import Result, frame_of
from treewright.evaluate.significance import (
    Friedman,
    HypothesisTest,
    Nemenyi,
    adjusted,
    average_ranks,
    friedman,
    nemenyi,
    wilcoxon,
)
from treewright.evaluate.verdict import listed, side_of, verdict_of
from treewright.text.names import short_in_middle
from treewright.text.numbers import figure, figures, p_values
from treewright.text.table import TextColumn, lay_out, width_of
from treewright.text.wrap import wrap_words

_WIDTH = 80
_MOST_NAME = 24


@dataclass(frozen=True, kw_only=True, eq=False)
class TableFigures:
    """The learners on one table.

    Parameters
    ----------
    name
        Of the table.
    values
        The figure of each learner; nan of one that failed.
    n_rows, method
        Its rows, and how they were divided.
    results
        What cross-validation found of each learner.
    why_left_out
        Why the table takes no part in the tests; empty where it does.
    """

    name: str
    values: tuple[float, ...]
    n_rows: int = 0
    method: str = ""
    results: tuple[CrossValidation | None, ...] = field(default=(), repr=False)
    why_left_out: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class TablesComparison(Result):
    """Learners on the same folds of several tables; ``print`` it.

    Parameters
    ----------
    names
        Of the learners, in the order given.
    tables
        The figures of each table that was reached.
    n_tables
        Number of tables given.
    reference
        Position of the learner that the others are compared with.
    metric
        What is compared.
    level
        Confidence level.
    seed
        Of the divisions into folds.
    was_stopped
        Whether Ctrl-C ended the work early.
    """

    names: tuple[str, ...]
    tables: tuple[TableFigures, ...] = field(repr=False)
    n_tables: int
    reference: int
    metric: Metric = field(repr=False)
    level: float
    seed: int
    was_stopped: bool = False

    @property
    def left_out(self) -> dict[str, str]:
        """Why tables take no part in the tests, by their names."""
        return {each.name: each.why_left_out for each in self.tables if each.why_left_out}

    @property
    def ranked(self) -> tuple[TableFigures, ...]:
        """The tables that every learner has a figure of."""
        return tuple(each for each in self.tables if not each.why_left_out)

    @cached_property
    def values(self) -> FloatArray:
        """The figures of the ranked tables: tables x learners."""
        return np.array([each.values for each in self.ranked]).reshape(-1, len(self.names))

    @cached_property
    def average_ranks(self) -> tuple[float, ...]:
        """The average rank of each learner; 1 is best."""
        if len(self.ranked) < 2:
            return (float("nan"),) * len(self.names)
        better = self.metric.higher_is_better
        return tuple(average_ranks(self.values, higher_is_better=better).tolist())

    @cached_property
    def friedman(self) -> Friedman | None:
        """Whether all learners do alike; None of two learners or fewer than two tables."""
        if len(self.ranked) < 2 or len(self.names) < 3:
            return None
        return friedman(self.values, higher_is_better=self.metric.higher_is_better)

    @cached_property
    def nemenyi(self) -> Nemenyi | None:
        """Which two learners differ in rank; None of two learners or fewer than two tables."""
        if self.friedman is None:
            return None
        return nemenyi(
            self.values,
            names=self.names,
            higher_is_better=self.metric.higher_is_better,
            level=1 - self.level,
        )

    @cached_property
    def tests(self) -> tuple[HypothesisTest | None, ...]:
        """Wilcoxon's test of each learner and the reference; None of the reference itself."""
        if len(self.ranked) < 2:
            return (None,) * len(self.names)
        beside = self.values[:, self.reference]
        return tuple(
            None if i == self.reference else wilcoxon(self.values[:, i], beside)
            for i in range(len(self.names))
        )

    @cached_property
    def p_values(self) -> dict[str, float]:
        """P-values of these tests, adjusted by Holm, by name."""
        known = {
            name: test.p_value
            for name, test in zip(self.names, self.tests, strict=True)
            if test is not None
        }
        return dict(zip(known, adjusted(list(known.values())).tolist(), strict=True))

    @property
    def order(self) -> list[int]:
        """Positions of the learners, best average rank first."""
        return sorted(range(len(self.names)), key=lambda i: self.average_ranks[i])

    @property
    def best(self) -> str:
        """Name of the learner with the best average rank; its lead may be chance."""
        if len(self.ranked) < 2:
            raise DataError(self.verdict)
        return self.names[self.order[0]]

    @property
    def least_p(self) -> float:
        """The least p that so many tables can give: 2 / 2^N, times the number of comparisons."""
        return min(1.0, 2.0 ** (1 - len(self.ranked)) * (len(self.names) - 1))

    @property
    def verdict(self) -> str:
        """What may be concluded, and what not."""
        n = len(self.ranked)
        if n < 2:
            some = f"{n} table has" if n else "no table has"
            return f"Nothing can be concluded: {some} figures of every learner."
        sides = {
            self.names[i]: side_of(
                _difference(self.tests[i]),
                self.p_values[self.names[i]],
                higher_is_better=self.metric.higher_is_better,
                level=self.level,
            )
            for i in self.order
            if i != self.reference
        }
        beside = self.names[self.reference]
        told = verdict_of(sides, beside, where="tables like these", units=f"{n} tables")
        if self.least_p > 1 - self.level:
            (p,) = p_values([self.least_p])
            told += f" So few tables cannot decide: if one always won, p would be {p}."
        return told

    def text(self) -> str:
        """Return figures by table, ranks, tests and the verdict."""
        methods = list(dict.fromkeys(each.method for each in self.ranked))
        how = f"; {methods[0]}" if len(methods) == 1 else ""
        n = len(self.names)
        head = f"{n} learners on {len(self.ranked)} tables{how}; seed {self.seed}"
        if self.was_stopped:
            head += f"\nstopped after {len(self.tables)} of {self.n_tables} tables"
        parts = [head, self._by_table(), self._by_learner()]
        return "\n\n".join(part for part in parts if part) + "\n" + "\n".join(self._told())

    def _by_table(self) -> str:
        shown = [short_in_middle(each.name, _MOST_NAME) for each in self.tables]
        rows = [f"{each.n_rows:,}" if each.n_rows else "" for each in self.tables]
        columns = [
            TextColumn(self.metric.title, shown),
            TextColumn("rows", rows, right=True),
        ]
        for i, name in enumerate(self.names):
            cells = self._cells([each.values[i] for each in self.tables])
            columns.append(TextColumn(short_in_middle(name, _MOST_NAME), cells, right=True))
        return lay_out(columns) if width_of(columns) <= _WIDTH else ""

    def _cells(self, values: Sequence[float]) -> list[str]:
        known = [None if np.isnan(value) else value for value in values]
        if self.metric.is_share:
            return ["failed" if each is None else self.metric.format(each) for each in known]
        return [text or "failed" for text in figures(known)]

    def _by_learner(self) -> str:
        if len(self.ranked) < 2:
            return ""
        order = self.order
        tests = [self.tests[i] for i in order]
        apart = [None if test is None else test.difference for test in tests]
        p = [self.p_values.get(self.names[i]) for i in order]
        columns = [
            TextColumn("mean rank", figures([self.average_ranks[i] for i in order]), right=True),
            TextColumn("won, tied, lost", [self._wins(i) for i in order], right=True),
            TextColumn(
                f"against {short_in_middle(self.names[self.reference], _MOST_NAME)}",
                self.metric.differences(apart),
                right=True,
            ),
            TextColumn("p", p_values(p), right=True),
        ]
        rest = _WIDTH - width_of(columns) - 2
        names = [short_in_middle(self.names[i], rest) for i in order]
        return lay_out([TextColumn("learner", names), *columns])

    def _wins(self, i: int) -> str:
        """Return on how many tables a learner is better than the reference, as good, and worse."""
        if i == self.reference:
            return ""
        sign = 1 if self.metric.higher_is_better else -1
        apart = np.sign(sign * (self.values[:, i] - self.values[:, self.reference]))
        return " ".join(f"{int(np.sum(apart == side)):>2}" for side in (1, 0, -1))

    def _told(self) -> list[str]:
        told = []
        if len(self.ranked) > 1:
            several = ", adjusted by Holm" if len(self.names) > 2 else ""
            unit = " in points" if self.metric.is_share else ""
            beside = self.names[self.reference]
            told.append(f"differences from {beside}{unit}: median, Wilcoxon's test{several}")
        if self.friedman is not None and self.nemenyi is not None:
            told.append(str(self.friedman.f))
            alike = "; ".join(listed(list(names)) for names in self.nemenyi.alike)
            told.append(
                f"Nemenyi test: critical difference {figure(self.nemenyi.critical_difference)}"
                f" ({100 * (1 - self.level):g} %); "
                + (f"not told apart: {alike}" if alike else "every two differ")
            )
        told.append(self.verdict)
        told += [f"{name} is left out of the ranks: {why}" for name, why in self.left_out.items()]
        return [wrap_words(each) for each in told]

    def to_frame(self) -> Frame:
        """Return a row per table and learner: its figure, and whether the table was ranked."""
        rows = [(table, i) for table in self.tables for i in range(len(self.names))]
        return frame_of(
            {
                "table": [table.name for table, _ in rows],
                "learner": [self.names[i] for _, i in rows],
                self.metric.name: [
                    None if np.isnan(table.values[i]) else table.values[i] for table, i in rows
                ],
                "rows": [table.n_rows for table, _ in rows],
                "ranked": [not table.why_left_out for table, _ in rows],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return figures, ranks, tests and verdict as plain lists, strings and numbers."""
        return {
            "metric": self.metric.name,
            "learners": [
                {
                    "name": name,
                    "mean_rank": self.average_ranks[i],
                    "difference": None if (test := self.tests[i]) is None else test.difference,
                    "p": None if test is None else test.p_value,
                    "p_adjusted": self.p_values.get(name),
                }
                for i, name in enumerate(self.names)
            ],
            "tables": [
                {
                    "name": each.name,
                    "rows": each.n_rows,
                    "values": dict(zip(self.names, each.values, strict=True)),
                    "left_out": each.why_left_out or None,
                }
                for each in self.tables
            ],
            "friedman_p": None if self.friedman is None else self.friedman.f.p_value,
            "critical_difference": (
                None if self.nemenyi is None else self.nemenyi.critical_difference
            ),
            "verdict": self.verdict,
        }

    def draw(self) -> Picture:
        """Return the average ranks with the critical difference as a picture."""
        if self.nemenyi is None:
            is_open = any(p > 1 - self.level for p in self.p_values.values())
            critical, groups = None, ((0, 1),) if is_open else ()
            method = "Joined where Wilcoxon's test does not decide"
        else:
            critical, groups = self.nemenyi.critical_difference, None
            method = (
                f"Joined where the Nemenyi test at {100 * (1 - self.level):g} % does not decide"
            )
        return RankChart(
            title=self._title(),
            subtitle=f"Mean rank by {self.metric.title} on {len(self.ranked)} tables; 1 is best",
            caption=f"{method}; seed {self.seed}",
            names=self.names,
            ranks=np.array(self.average_ranks),
            critical_difference=critical,
            groups=groups,
            verdict=self.verdict,
        )

    def _title(self) -> str:
        if len(self.ranked) < 2:
            return "Nothing can be ranked"
        name = self.best
        if sorted(self.average_ranks)[0] == sorted(self.average_ranks)[1]:
            return "No learner ranks best"
        if self.nemenyi is None:
            is_sure = all(p <= 1 - self.level for p in self.p_values.values())
            return f"{name} ranks best{'' if is_sure else ', but its lead may be chance'}"
        near = [each for group in self.nemenyi.alike if name in group for each in group]
        rivals = [each for each in near if each != name]
        if not rivals:
            return f"{name} ranks best"
        beside = listed(rivals) if len(rivals) < 3 else f"{len(rivals)} others"
        return f"{name} ranks best, but cannot be told from {beside}"


def _difference(test: HypothesisTest | None) -> float:
    return 0.0 if test is None or test.difference is None else test.difference
