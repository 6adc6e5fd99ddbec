"""What a comparison of learners found, and how it is told."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from treewright.chart import Axis, DotChart, DotRow, Picture
from treewright.data.frame import Frame
from treewright.errors import ParameterError
from treewright.evaluate.column_texts import ColumnTexts
from treewright.evaluate.cross_validate import CrossValidation
from treewright.evaluate.intervals import Interval
from treewright.evaluate.metrics import Metric
from treewright.evaluate.result import Result, frame_of
from treewright.evaluate.significance import HypothesisTest
from treewright.evaluate.trial.splits import Folds
from treewright.evaluate.verdict import listed, side_of, verdict_of
from treewright.text.names import short_in_middle
from treewright.text.numbers import p_values
from treewright.text.table import TextColumn, lay_out, width_of
from treewright.text.wrap import wrap_words

_WIDTH = 80


@dataclass(frozen=True, kw_only=True, eq=False)
class Difference:
    """How a learner differs from the reference.

    Parameters
    ----------
    test
        The test of this difference alone.
    p_value, interval
        For all differences together: H0 is rejected exactly where the interval leaves out 0.
    method
        How they were made to hold together.
    values
        The difference on each part.
    """

    test: HypothesisTest
    p_value: float
    interval: Interval
    method: str
    values: tuple[float, ...] = field(repr=False)

    @property
    def value(self) -> float:
        """The learner's figure less the reference's."""
        return self.interval.value


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(Result):
    """Learners on the same parts of one table; ``print`` it.

    Parameters
    ----------
    names
        Of the learners, in the order given.
    results
        What cross-validation found of each; None of one that failed on every part.
    reference
        Position of the learner that the others are compared with.
    differences
        From the reference; None of itself.
    metric
        What is compared.
    test
        Name of the test.
    level
        Confidence level.
    folds
        How rows were divided.
    failures
        What a learner raised, by its name.
    was_stopped
        Whether Ctrl-C ended the work early.
    """

    names: tuple[str, ...]
    results: tuple[CrossValidation | None, ...] = field(repr=False)
    reference: int
    differences: tuple[Difference | None, ...] = field(repr=False)
    metric: Metric = field(repr=False)
    test: str
    level: float
    folds: Folds = field(repr=False)
    n_rows: int
    failures: dict[str, str]
    was_stopped: bool = False

    def __getitem__(self, name: str) -> CrossValidation:
        found = self.results[self.names.index(name)] if name in self.names else None
        if found is None:
            why = self.failures.get(name, "it is none of the learners")
            raise ParameterError(f"there are no figures of {name!r}: {why}.")
        return found

    @property
    def order(self) -> list[int]:
        """Positions of the learners, best first; those that failed at the end."""
        sign = -1.0 if self.metric.higher_is_better else 1.0

        def key(i: int) -> float:
            found = self.results[i]
            value = math.nan if found is None else found[self.metric.name].value
            return math.inf if math.isnan(value) else sign * value

        return sorted(range(len(self.names)), key=key)

    @property
    def best(self) -> str:
        """Name of the learner with the best figure; its lead may be chance."""
        return self.names[self.order[0]]

    @property
    def p_values(self) -> dict[str, float]:
        """Adjusted p-values of the differences from the reference, by name."""
        return {
            name: each.p_value
            for name, each in zip(self.names, self.differences, strict=True)
            if each is not None
        }

    @property
    def verdict(self) -> str:
        """What may be concluded, and what not."""
        sides = {
            self.names[i]: side_of(
                found.value,
                found.p_value,
                higher_is_better=self.metric.higher_is_better,
                level=self.level,
            )
            for i in self.order
            if (found := self.differences[i]) is not None
        }
        units = "rows" if self.test == "mcnemar" else "folds"
        return verdict_of(sides, self.names[self.reference], where="data like these", units=units)

    def text(self) -> str:
        """Return figures, differences and the verdict."""
        seed = "" if self.folds.seed is None else f"; seed {self.folds.seed}"
        head = f"{self.folds.method}, the same for every learner; {self.n_rows:,} rows{seed}"
        if self.was_stopped:
            n_done = max((len(each.runs) for each in self.results if each), default=0)
            head += f"\nstopped after {n_done} of {len(self.folds)} folds"
        notes = [f"note: {note}" for note in self._notes()]
        notes += [f"{name} failed: {words}" for name, words in self.failures.items()]
        told = [self._method(), self.verdict, *notes]
        lines = [self._table(), *(wrap_words(each) for each in told if each)]
        return f"{head}\n\n" + "\n".join(lines)

    def _notes(self) -> list[str]:
        notes = [note for each in self.results if each for note in each.scores.notes]
        judged = [i for i, each in enumerate(self.results) if each is not None]
        without = [i for i in judged if i != self.reference and self.differences[i] is None]
        if without and self.reference in judged:
            hint = "" if self.metric.is_row_mean else ", or a mean over rows: MAE, error"
            notes.append(
                f"{self.metric.title} has values on fewer than two folds of {self._names(without)}:"
                f" no difference can be judged (larger folds may help{hint})"
            )
        failed = [i for i in judged if self._has_failed(i) and i not in without]
        if failed and len(judged) > 1:
            notes.append(
                f"differences of {self._names(failed)} are of the folds that both learners answered"
            )
        return list(dict.fromkeys(notes))

    def _names(self, learners: list[int]) -> str:
        return listed([self.names[i] for i in learners])

    def _method(self) -> str:
        known = [each for each in self.differences if each is not None]
        if not known:
            return ""
        unit = " in points" if self.metric.is_share else ""
        text = f"differences from {self.names[self.reference]}{unit}: {known[0].test.name}"
        return text + (f", {known[0].method} for all {len(known)}" if len(known) > 1 else "")

    def _table(self) -> str:
        rows = [(i, self.results[i], self.differences[i]) for i in self.order]
        n_compared = sum(each is not None for each in self.differences)
        all_of = f" for all {n_compared}" if n_compared > 1 else " interval"
        share = f"{100 * self.level:g} %"
        leaves = [_mean_leaves(found) for _, found, _ in rows]
        values, ends, differences, ranges = self._texts([i for i, _, _ in rows])
        columns = [
            TextColumn("learner", [self.names[i] for i, _, _ in rows]),
            TextColumn(
                self.metric.title,
                [
                    "failed" if r is None else text
                    for (_, r, _), text in zip(rows, values, strict=True)
                ],
                right=True,
            ),
            TextColumn(f"{share} interval", ends, right=True),
            TextColumn(f"against {self.names[self.reference]}", differences, right=True),
            TextColumn(f"{share}{all_of}", ranges, right=True),
            TextColumn(
                "p", p_values([None if d is None else d.p_value for *_, d in rows]), right=True
            ),
        ]
        if any(leaves):
            columns.append(TextColumn("leaves", leaves, right=True))
        # Where names are long: the last line names the reference, then leaves go, then intervals.
        if width_of(columns) > _WIDTH:
            columns[3] = TextColumn("difference", columns[3].cells, right=True)
        for dropped in (6, 2):
            if width_of(columns) > _WIDTH and len(columns) > dropped:
                del columns[dropped]
        rest = _WIDTH - width_of(columns[1:]) - 2
        names = [short_in_middle(name, rest) for name in columns[0].cells]
        return lay_out([TextColumn("learner", names), *columns[1:]])

    def _texts(self, learners: list[int]) -> tuple[list[str], list[str], list[str], list[str]]:
        """Return figures, their intervals, differences and their intervals, as they are printed."""
        found = [self.results[i] for i in learners]
        beside = learners.index(self.reference) if self.reference in learners else None
        own = [None if each is None else each[self.metric.name] for each in found]
        differences = [self.differences[i] for i in learners]
        texts = ColumnTexts.of(self.metric, own)
        shown = [
            ""
            if each is None
            else texts.signed(each.value)
            if beside is None or self._has_failed(i) or self._has_failed(self.reference)
            else texts.less(place, beside)
            for place, (i, each) in enumerate(zip(learners, differences, strict=True))
        ]
        return texts.values, texts.ends, shown, [_range(texts, each) for each in differences]

    def _has_failed(self, learner: int) -> bool:
        found = self.results[learner]
        return found is None or bool(found.failures)

    def to_frame(self) -> Frame:
        """Return a row per learner and part: its value, seconds and leaves."""
        rows = [(name, run, found) for name, found in self._judged() for run in found.done]
        return frame_of(
            {
                "learner": [name for name, _, _ in rows],
                "fold": [run.part for _, run, _ in rows],
                self.metric.name: [
                    self.metric.value(run.answers) for _, run, _ in rows if run.answers is not None
                ],
                "seconds": [run.seconds for _, run, _ in rows],
                "leaves": [None if run.n_leaves is None else run.n_leaves for _, run, _ in rows],
            }
        )

    def _judged(self) -> list[tuple[str, CrossValidation]]:
        pairs = zip(self.names, self.results, strict=True)
        return [(name, found) for name, found in pairs if found is not None]

    def to_dict(self) -> dict[str, Any]:
        """Return figures, differences and verdict as plain lists, strings and numbers."""
        beside = self.names[self.reference]
        return {
            "learners": [
                {
                    "name": name,
                    self.metric.name: found[self.metric.name].to_dict(),
                    "folds": found.values[self.metric.name],
                    "failed": {str(part): words for part, words in found.failures.items()},
                }
                for name, found in self._judged()
            ],
            "pairs": [
                {
                    "a": name,
                    "b": beside,
                    "difference": each.value,
                    "low": each.interval.low,
                    "high": each.interval.high,
                    "p": each.test.p_value,
                    "p_adjusted": each.p_value,
                    "test": each.test.name,
                }
                for name, each in zip(self.names, self.differences, strict=True)
                if each is not None
            ],
            "failures": dict(self.failures),
            "verdict": self.verdict,
        }

    def draw(self) -> Picture:
        """Return figures with intervals and folds, and the differences, as a picture."""
        judged = [i for i in self.order if self.results[i] is not None]
        found = [self.differences[i] for i in judged]
        _, _, differences, ranges = self._texts(judged)
        columns = zip(
            differences,
            ranges,
            p_values([None if each is None else each.p_value for each in found]),
            strict=True,
        )
        rows = []
        for i, difference, texts in zip(judged, found, columns, strict=True):
            result = self[self.names[i]]
            interval = result[self.metric.name]
            rows.append(
                DotRow(
                    self.names[i],
                    interval.value,
                    interval.low,
                    interval.high,
                    small=result.values[self.metric.name],
                    strong=i == self.order[0],
                    hollow=difference is not None and difference.p_value > 1 - self.level,
                    columns=tuple(text.replace("-", "\N{MINUS SIGN}") for text in texts),
                )
            )
        seed = "" if self.folds.seed is None else f"; seed {self.folds.seed}"
        figure = self.metric.title
        return DotChart(
            title=self._title(),
            subtitle=f"{figure[0].upper()}{figure[1:]} with its {100 * self.level:g} % interval;"
            " small dots are folds",
            caption=f"{self.folds.method}; {self.n_rows:,} rows{seed}. D{self._method()[1:]}",
            rows=rows,
            heads=(f"against {self.names[self.reference]}", "for all together", "p"),
            x=Axis(form="percent" if self.metric.is_share else "number"),
            verdict=self.verdict,
            shorten="end",
        )

    def _title(self) -> str:
        best = self.order[0]
        errs = "errs least" if self.metric.name == "error" else "is best"
        if best == self.reference:
            rivals = [each for each in self.differences if each is not None]
            nearest_p = max((each.p_value for each in rivals), default=0.0)
        else:
            found = self.differences[best]
            nearest_p = 1.0 if found is None else found.p_value
        is_sure = nearest_p <= 1 - self.level
        name = self.names[best]
        if best == self.reference:
            return f"{name} {errs}" if is_sure else f"{name} {errs}, but its lead may be chance"
        beside = self.names[self.reference]
        return (
            f"{name} {errs}, and is better than {beside}"
            if is_sure
            else f"{name} {errs}, but its lead over {beside} may be chance"
        )


def _range(texts: ColumnTexts, found: Difference | None) -> str:
    if found is None:
        return ""
    if math.isinf(found.interval.low):
        return "no spread"
    return f"{texts.signed(found.interval.low)} to {texts.signed(found.interval.high)}"


def _mean_leaves(found: CrossValidation | None) -> str:
    counts = [] if found is None else [run.n_leaves for run in found.done if run.n_leaves]
    return f"{sum(counts) / len(counts):.0f}" if counts else ""
