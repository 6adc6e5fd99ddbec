"""What tuning found: what was tried, what was chosen, and what it honestly gains."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.chart import Axis, DotChart, DotRow, Picture
from treewright.data.frame import Frame
from treewright.errors import ParameterError
from treewright.evaluate.comparison import Comparison, Difference
from treewright.evaluate.intervals import Interval
from treewright.evaluate.metrics import Metric
from treewright.evaluate.result import Result, frame_of
from treewright.evaluate.tuning.search import Search, Tried
from treewright.text.numbers import figure, figures, p_values, percent
from treewright.text.table import TextColumn, lay_out, width_of
from treewright.text.wrap import wrap_words

AS_GIVEN, TUNED = "as given", "tuned"
_MOST_SHOWN = 10
_WIDTH = 80


@dataclass(frozen=True, kw_only=True, eq=False)
class Tuning(Result):
    """A tuned learner, and how it compares with the learner as it was given; ``print`` it.

    Parameters
    ----------
    name
        Of the learner.
    search
        What was tried on all rows.
    model
        The tuned learner, fitted to all rows; None where Ctrl-C came before.
    comparison
        Tuned and as given, on outer folds with searches of their own; None without `outer`.
    n_outer
        Outer folds.
    level
        Confidence level.
    seconds
        Time in all.
    seed
        Of draws and folds.
    """

    name: str
    search: Search = field(repr=False)
    model: Any = field(repr=False)
    comparison: Comparison | None = field(repr=False)
    n_outer: int
    level: float
    seconds: float = field(repr=False)
    seed: int

    @property
    def metric(self) -> Metric:
        """What chose and judged."""
        return self.search.metric

    @property
    def best_parameters(self) -> dict[str, Any]:
        """The chosen parameters; empty where nothing was better than the learner as given."""
        return dict(self.search.best.parameters)

    @property
    def tried(self) -> tuple[Tried, ...]:
        """All that was tried, best first."""
        return self.search.tried

    @property
    def was_stopped(self) -> bool:
        """Whether Ctrl-C ended the work early."""
        outer_stopped = self.comparison is not None and self.comparison.was_stopped
        is_missing = self.model is None or (self.n_outer > 0 and self.comparison is None)
        return self.search.was_stopped or outer_stopped or is_missing

    def __getitem__(self, name: str) -> Interval:
        if self.comparison is None:
            raise ParameterError(
                "there is no honest figure: no outer folds were judged.\n  Hint: outer=5."
            )
        return self.comparison[TUNED][name]

    @property
    def difference(self) -> Difference | None:
        """Tuned less as given, on the outer folds."""
        return None if self.comparison is None else self.comparison.differences[1]

    @property
    def gain(self) -> float | None:
        """How much better tuned is, positive where it is; None without an honest figure."""
        found = self.difference
        if found is None:
            return None
        return found.value if self.metric.higher_is_better else -found.value

    @property
    def verdict(self) -> str:
        """What tuning gained, and whether it may be chance."""
        found, gain = self.difference, self.gain
        if found is None or gain is None:
            return "What tuning gains is not known: no outer folds were judged."
        shown = f"{percent(abs(gain), unit=False)} points" if self.metric.is_share else ""
        amount = shown or f"{figure(abs(gain))} of {self.metric.title}"
        (p,) = p_values([found.p_value])
        if abs(gain) < 1e-12:  # equal but for rounding
            return "Tuning gained nothing on the outer folds."
        side = "gained" if gain > 0 else "lost"
        told = f"Tuning {side} {amount} on the outer folds"
        if np.ptp(found.values) < 1e-12:  # one row on each fold, say; the t-test has p = 0 then
            return f"{told}, the same on each: without a spread no test tells if it is chance."
        chance = "it may be chance" if found.p_value > 1 - self.level else "more than chance"
        return f"{told}; {chance} (p = {p})."

    def text(self) -> str:
        """Return what was tried, what was chosen, and the honest figures."""
        search = self.search
        stopped = ", then stopped" if search.was_stopped else ""
        rungs = f" in {search.n_rungs} rounds" if search.n_rungs > 1 else ""
        head = (
            f"{self.name}: {len(self.tried)} settings{rungs}, {search.n_fits:,} fits{stopped};"
            f" {search.method}; {search.n_rows:,} rows; seed {self.seed}"
        )
        told = [wrap_words(f"chosen: {_told(self.best_parameters) or 'as given'}")]
        failed = [each for each in self.tried if each.failure]
        if failed:
            words = f"{len(failed)} settings failed; {_told(failed[0].parameters)}: "
            told.append(wrap_words(words + failed[0].failure))
        parts = [wrap_words(head), self._table() + "\n" + "\n".join(told), self._honest()]
        return "\n\n".join(parts)

    def _shown(self) -> list[tuple[int, Tried]]:
        """Return the best settings with their places, and the learner as it was given."""
        placed = list(enumerate(self.tried, start=1))
        return [pair for pair in placed if pair[0] <= _MOST_SHOWN or pair[1].number == 0]

    def _table(self) -> str:
        shown = self._shown()
        columns = [
            TextColumn("", [str(place) for place, _ in shown], right=True),
            TextColumn(
                f"mean {self.metric.title}", self._texts([e.value for _, e in shown]), right=True
            ),
            TextColumn("sd", self._texts([e.sd for _, e in shown]), right=True),
            TextColumn("rows", [f"{each.n_rows:,}" for _, each in shown], right=True),
            TextColumn("seconds", figures([each.seconds for _, each in shown]), right=True),
        ]
        rest = _WIDTH - width_of(columns) - 2
        names = [_cut(_told(each.parameters) or AS_GIVEN, rest) for _, each in shown]
        return lay_out([*columns, TextColumn("parameters", names)])

    def _texts(self, values: list[float]) -> list[str]:
        if self.metric.is_share:
            return ["" if math.isnan(each) else self.metric.format(each) for each in values]
        return figures([None if math.isnan(each) else each for each in values])

    def _honest(self) -> str:
        if self.comparison is None:
            why = "Ctrl-C came before" if self.was_stopped else "outer=None"
            return wrap_words(f"no honest figure ({why}): those above chose, and are too good")
        learners = [(name, each) for name in (TUNED, AS_GIVEN) if (each := self._result(name))]
        table = lay_out(
            [
                TextColumn("honest", [name for name, _ in learners]),
                TextColumn(self.metric.title, [e.value_text() for _, e in learners], right=True),
                TextColumn(
                    f"{100 * self.level:g} % interval",
                    [each.ends_text() for _, each in learners],
                    right=True,
                ),
            ]
        )
        n_done = len(self.comparison[AS_GIVEN].runs) if self._result(AS_GIVEN) else 0
        stopped = f"stopped after {n_done} of " if self.comparison.was_stopped else ""
        how = f"{stopped}{self.n_outer} outer folds, each with a search of its own:"
        how += f" {self.n_outer + 1} searches in all; corrected resampled t-test"
        failed = [f"{who} failed: {words}" for who, words in self.comparison.failures.items()]
        return "\n".join([table, *(wrap_words(each) for each in (how, self.verdict, *failed))])

    def _result(self, name: str) -> Interval | None:
        assert self.comparison is not None
        found = self.comparison.results[self.comparison.names.index(name)]
        return None if found is None else found[self.metric.name]

    def to_frame(self) -> Frame:
        """Return a row per setting: its figure, rung, rows, seconds and parameters."""
        names = list(dict.fromkeys(name for each in self.tried for name in each.parameters))
        parameters = {
            name: [_plain(each.parameters.get(name)) for each in self.tried] for name in names
        }
        return frame_of(
            {
                self.metric.name: [
                    None if math.isnan(each.value) else each.value for each in self.tried
                ],
                "folds": [len(each.values) for each in self.tried],
                "rows": [each.n_rows for each in self.tried],
                "rung": [each.rung for each in self.tried],
                "seconds": [each.seconds for each in self.tried],
                **{name: _alike(values) for name, values in parameters.items()},
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was tried and the honest figures as plain lists, strings and numbers."""
        return {
            "parameters": {k: _plain(v) for k, v in self.best_parameters.items()},
            "tried": [
                {
                    "parameters": {k: _plain(v) for k, v in each.parameters.items()},
                    "score": None if math.isnan(each.value) else each.value,
                    "folds": list(each.values),
                    "rows": each.n_rows,
                    "failed": each.failure or None,
                }
                for each in self.tried
            ],
            "metric": self.metric.name,
            "honest": None if self.comparison is None else self.comparison.to_dict(),
            "verdict": self.verdict,
        }

    def draw(self) -> Picture:
        """Return the best settings with their folds, the chosen one and the one given marked."""
        shown = [each for _, each in self._shown() if not math.isnan(each.value)]
        rows = [
            DotRow(
                _told(each.parameters) or AS_GIVEN,
                each.value,
                small=each.values,
                strong=each is self.search.best,
                columns=(f"{each.n_rows:,}", seconds),
            )
            for each, seconds in zip(shown, figures([e.seconds for e in shown]), strict=True)
        ]
        return DotChart(
            title=self.verdict.split(" (p =")[0].rstrip("."),
            subtitle=f"Mean {self.metric.title} of the best of {len(self.tried)} settings of"
            f" {self.name}; small dots are folds",
            caption=f"{self.search.method}; {self.search.n_rows:,} rows; seed {self.seed}."
            " The folds chose: the best of them is too good",
            rows=rows,
            heads=("rows", "seconds"),
            x=Axis(form="percent" if self.metric.is_share else "number"),
            verdict=self.verdict,
            shorten="end",
        )


def _told(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in parameters.items())


def _value(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else repr(value)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _plain(value: Any) -> Any:
    """Return a value that JSON and frames know; others as they are written."""
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def _alike(values: list[Any]) -> list[Any]:
    """Return numbers as they are, and a mixture of kinds as texts."""
    known = [value for value in values if value is not None]
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in known):
        return values
    return [None if value is None else str(value) for value in values]
