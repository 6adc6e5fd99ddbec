"""Bias and variance of learners, over training sets drawn again and again.

Examples
--------
>>> from treewright import BaggingClassifier, DecisionTreeClassifier, load_example
>>> loans = load_example("loans")
>>> tree, bagged = DecisionTreeClassifier(), BaggingClassifier(n_estimators=20, random_state=0)
>>> found = bias_variance({"one tree": tree, "bagging": bagged}, loans.X, loans.y, n_samples=20)
>>> print(found)
20 training sets, bootstrap, the same rows judge all; 667 rows judged; seed 0
<BLANKLINE>
learner    error    bias  + variance  - variance  KW bias²  KW variance
one tree  17.1 %  14.1 %       6.3 %       3.4 %     9.5 %        7.6 %
bagging   13.3 %  12.0 %       3.1 %       1.8 %     9.6 %        3.8 %
bagging removes half of the variance.
Noise is not known, and part of the bias.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from treewright.array_types import FloatArray, Int64Array
from treewright.chart import Axis, BarRow, Picture, StackedBars
from treewright.chart.words import percent as whole_percent
from treewright.data.frame import Frame
from treewright.errors import DataError, ParameterError
from treewright.evaluate.curves.decomposition import (
    LOSSES,
    Loss,
    SquaredParts,
    ZeroOneParts,
    squared_parts,
    zero_one_parts,
)
from treewright.evaluate.curves.measured import failure_notes
from treewright.evaluate.intervals import row_mean
from treewright.evaluate.result import Result, frame_of
from treewright.evaluate.trial.answers import as_target
from treewright.evaluate.trial.learners import learners_of, task_of
from treewright.evaluate.trial.run import Run, run_all
from treewright.evaluate.trial.splits import Folds, Split, hold_out
from treewright.evaluate.trial.task_data import TaskData, read_task_data
from treewright.parameters import check_choice, check_count, check_flag, check_share
from treewright.text.names import short_in_middle
from treewright.text.numbers import figures, percent
from treewright.text.table import TextColumn, lay_out, width_of
from treewright.text.wrap import wrap_words

Sampling: TypeAlias = Literal["bootstrap", "subsample"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)
OUT_OF_BAG = "out_of_bag"

_WORDS = ((0.25, "a quarter"), (1 / 3, "a third"), (0.5, "half"), (2 / 3, "two thirds"))
_NEAR = 0.04
_WIDTH = 80


@dataclass(frozen=True, kw_only=True, eq=False)
class BiasVariance(Result):
    """Bias and variance of learners; ``result["bagging"]`` are those of one. ``print`` it.

    Parameters
    ----------
    names
        Of the learners, in the order given; the others are compared with the first.
    parts
        Bias and variance of each, row by row.
    loss
        "squared" or "zero_one".
    has_noise
        Whether the best possible answers were given, so that noise is known.
    method
        How training sets were drawn.
    n_samples, n_rows
        Training sets, and rows judged.
    seed
        Of the draws.
    notes
        What is to be known about the figures.
    """

    names: tuple[str, ...]
    parts: tuple[SquaredParts | ZeroOneParts, ...] = field(repr=False)
    loss: Loss
    has_noise: bool
    method: str
    n_samples: int
    n_rows: int
    seed: int
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> SquaredParts | ZeroOneParts:
        if name not in self.names:
            raise ParameterError(f"{name!r} is none of the learners {', '.join(self.names)}.")
        return self.parts[self.names.index(name)]

    @property
    def finding(self) -> str:
        """Which learner removes most of the variance of the first, beyond chance."""
        first = self.parts[0]
        found, most = "", 0.0
        of_first = f" of {self.names[0]}" if len(self.names) > 2 else ""
        for name, part in zip(self.names[1:], self.parts[1:], strict=True):
            apart = row_mean(_row_variance(first) - _row_variance(part))
            share = apart.value / first.total_variance if first.total_variance > 0 else 0.0
            if apart.low > 0 and share > most:
                most = share
                found = f"{name} removes {_share_in_words(share)} of the variance{of_first}"
        return found

    def text(self) -> str:
        """Return the parts of the error as a table."""
        head = f"{self.method}; {self.n_rows:,} rows judged; seed {self.seed}"
        told = [f"{self.finding}."] if self.finding else []
        if not self.has_noise:
            told.append("Noise is not known, and part of the bias.")
        told += [f"note: {note}" for note in self.notes]
        lines = [self._table(), *(wrap_words(each) for each in told)]
        return f"{wrap_words(head)}\n\n" + "\n".join(lines)

    def _table(self) -> str:
        columns = []
        for head, values in self._figures().items():
            shown = list(map(percent, values)) if self.loss == "zero_one" else figures(values)
            columns.append(TextColumn(head, shown, right=True))
        names = [short_in_middle(name, _WIDTH - width_of(columns) - 2) for name in self.names]
        return lay_out([TextColumn("learner", names), *columns])

    def _figures(self) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {"error": [each.error for each in self.parts]}
        if self.loss == "zero_one":
            kinds = [each for each in self.parts if isinstance(each, ZeroOneParts)]
            found["bias"] = [each.bias for each in kinds]
            found["+ variance"] = [each.unbiased_variance for each in kinds]
            found["- variance"] = [each.biased_variance for each in kinds]
            found["KW bias²"] = [each.squared_bias for each in kinds]
            found["KW variance"] = [each.total_variance for each in kinds]
        else:
            found["bias²"] = [each.squared_bias for each in self.parts]
            found["variance"] = [each.total_variance for each in self.parts]
        if self.has_noise:
            found["noise"] = [each.noise for each in self.parts]
        return found

    def to_frame(self) -> Frame:
        """Return a row per learner."""
        return frame_of({"learner": list(self.names), **self._figures()})

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain lists, strings and numbers."""
        return {
            "loss": self.loss,
            "method": self.method,
            "rows": self.n_rows,
            "samples": self.n_samples,
            "learners": [
                {"name": name, **{head: values[i] for head, values in self._figures().items()}}
                for i, name in enumerate(self.names)
            ],
            "finding": self.finding,
            "notes": list(self.notes),
        }

    def draw(self) -> Picture:
        """Return bias and variance as stacked bars; of classes Kohavi and Wolpert's, which add."""
        with_noise = self.has_noise and self.loss == "squared"
        rows = [
            BarRow(
                name,
                (
                    part.squared_bias,
                    part.total_variance,
                    *((part.noise,) if with_noise else ()),
                ),
            )
            for name, part in zip(self.names, self.parts, strict=True)
        ]
        is_share = self.loss == "zero_one"
        what = "Share of wrong answers" if is_share else "Mean squared error"
        who = " Parts: Kohavi and Wolpert 1996." if is_share else ""
        noise = "" if with_noise else " Noise is part of the bias."
        return StackedBars(
            title=self.finding or "Bias and variance",
            subtitle=f"{what}, as a sum of bias and variance",
            caption=f"{self.method}; {self.n_rows:,} rows judged; seed {self.seed}.{who}{noise}",
            parts=("bias²", "variance", *(("noise",) if with_noise else ())),
            rows=rows,
            x=Axis(form="percent" if is_share else "number"),
        )


def bias_variance(
    learners: Any,
    X: Any,
    y: Any,
    *,
    n_samples: int = 50,
    sampling: Sampling = "bootstrap",
    test: Any = 1 / 3,
    loss: Loss | None = None,
    optimal: Any = None,
    stratify: bool = True,
    groups: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> BiasVariance:
    """Return the error of learners as bias and variance, over training sets drawn again.

    Parameters
    ----------
    learners
        One or several, as for :func:`compare`; the others are compared with the first.
    X, y
        Table and target.
    n_samples
        Training sets.
    sampling
        "bootstrap" draws as many rows as there are, with replacement; "subsample" half of them,
        without (Kohavi and Wolpert 1996).
    test
        Share of the rows that judge every model, or "out_of_bag": each row is judged by the models
        that have not seen it.
    loss
        "zero_one" for classes or "squared" for numbers; by default as the learners are.
    optimal
        The best possible answer about each row, where it is known: what the truth differs from it
        is noise, and apart from the bias (of Domingos, for classes). Of numbers, bias², variance
        and noise then add up to the error on average over truths, not for these alone.
    stratify
        Whether the rows that judge have the classes in the proportions of the table.
    groups
        What belongs together: whole groups are drawn.
    sample_weight
        Weights of the rows, in learning. Rows judged count alike.
    n_jobs
        Fits side by side; the figures do not depend on it.
    random_state
        Seed of the draws, and of learners that draw without a seed of their own.

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor, load_example
    >>> diabetes = load_example("diabetes")
    >>> small, large = DecisionTreeRegressor(max_depth=1), DecisionTreeRegressor()
    >>> found = bias_variance([small, large], diabetes.X, diabetes.y, n_samples=20)
    >>> found.parts[0].squared_bias > found.parts[1].squared_bias
    True
    >>> found.parts[0].total_variance < found.parts[1].total_variance
    True
    """
    check_count("n_samples", n_samples, least=2)
    check_choice("sampling", sampling, SAMPLINGS)
    check_flag("stratify", stratify)
    entrants = learners_of(learners)
    task = task_of(entrants, as_target(y))
    data = read_task_data(
        X, y, task=task, owner="bias_variance", sample_weight=sample_weight, groups=groups
    )
    chosen: Loss = ("zero_one" if task == "classes" else "squared") if loss is None else loss
    check_choice("loss", chosen, LOSSES)
    if (chosen == "squared") != (task == "numbers"):
        other = "numbers" if chosen == "squared" else "classes"
        raise ParameterError(
            f"loss={chosen!r} is for {other}; {task} are predicted here.\n  Hint: loss=None."
        )
    rest, judged = _rows_that_judge(test, data, stratify, random_state)
    best = _best_answers(optimal, data)
    folds = _samples(data, rest, judged, n_samples, sampling, random_state)
    runs, was_stopped = run_all(entrants, data, folds, n_jobs=n_jobs, seed=random_state)
    notes: tuple[str, ...] = ()
    for number, each in enumerate(entrants):
        notes += failure_notes(each.name, [run for run in runs if run.learner == number])
    if was_stopped:
        notes += (f"stopped after {len(runs)} of {len(entrants) * n_samples} fits",)
    rows, tables = _answers(data, folds, runs, len(entrants))
    if len(rows) < data.n_rows and judged is None:
        notes += (f"{data.n_rows - len(rows)} rows were in every training set: not judged",)
    return BiasVariance(
        names=tuple(each.name for each in entrants),
        parts=tuple(_parts(data, rows, each, best) for each in tables),
        loss=chosen,
        has_noise=optimal is not None,
        method=f"{n_samples} training sets, {folds.method}",
        n_samples=n_samples,
        n_rows=len(rows),
        seed=random_state,
        notes=notes,
    )


def _rows_that_judge(
    test: Any, data: TaskData, stratify: bool, seed: int
) -> tuple[Int64Array, Int64Array | None]:
    """Return the rows drawn from, and those that judge; None where the rest of each set does."""
    if isinstance(test, str):
        check_choice("test", test, (OUT_OF_BAG,))
        return data.all_rows, None
    check_share("test", test)
    by_class = stratify and data.task == "classes"
    rest, judged = hold_out(data, data.all_rows, float(test), by_class, seed)
    if not len(rest) or not len(judged):
        raise DataError(f"{data.n_rows} rows are too few to hold out a share of {test:g}.")
    return rest, judged


def _samples(
    data: TaskData,
    rest: Int64Array,
    judged: Int64Array | None,
    n_samples: int,
    sampling: Sampling,
    seed: int,
) -> Folds:
    """Return the training sets, each with the rows that judge its model."""
    units = _units(data, rest)
    if len(units) < 2:
        raise DataError("training sets need at least two rows (or groups) to draw from.")
    splits = []
    for number in range(n_samples):
        generator = np.random.default_rng([seed, number])
        if sampling == "bootstrap":
            drawn = generator.integers(len(units), size=len(units))
        else:
            drawn = generator.choice(len(units), size=(len(units) + 1) // 2, replace=False)
        train = np.sort(np.concatenate([units[i] for i in drawn.tolist()]))
        left = judged if judged is not None else np.setdiff1d(rest, train)
        if len(left):
            splits.append(Split(train=train, test=left))
    if not splits:
        raise DataError("no training set leaves a row to judge it by.\n  Hint: more rows.")
    kind = "bootstrap" if sampling == "bootstrap" else "halves"
    grouped = " of groups" if data.groups is not None else ""
    who = "judged out of bag" if judged is None else "the same rows judge all"
    return Folds(splits=tuple(splits), method=f"{kind}{grouped}, {who}", seed=seed)


def _units(data: TaskData, rows: Int64Array) -> list[Int64Array]:
    if data.groups is None:
        return list(rows[:, None])
    _, group = np.unique(data.groups[rows], return_inverse=True)
    order = np.argsort(group, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(group[order])) + 1)


def _answers(
    data: TaskData, folds: Folds, runs: tuple[Run, ...], n_learners: int
) -> tuple[Int64Array, list[FloatArray]]:
    """Return the rows that every learner judged, and its answers: samples x rows, nan for none."""
    tables = [np.full((len(folds), data.n_rows), math.nan) for _ in range(n_learners)]
    for run in runs:
        if run.answers is not None:
            answered = run.answers.predicted_codes if data.classes else run.answers.predicted
            tables[run.learner][run.part, folds.splits[run.part].test] = answered
    is_known = np.all([np.isfinite(each).any(axis=0) for each in tables], axis=0)
    rows = np.flatnonzero(is_known)
    if not len(rows):
        for number in range(n_learners):
            own = [run for run in runs if run.learner == number]
            if own and all(run.failure is not None for run in own):
                raise DataError(
                    f"learner {number} failed on every training set: {own[0].failure_text}"
                )
        raise DataError("no row was judged by every learner.\n  Hint: more samples.")
    return rows, [each[:, rows] for each in tables]


def _parts(
    data: TaskData, rows: Int64Array, answers: FloatArray, best: FloatArray
) -> SquaredParts | ZeroOneParts:
    if data.task == "numbers":
        return squared_parts(answers, data.y[rows].astype(np.float64), best[rows])
    codes = np.where(np.isfinite(answers), answers, -1.0).astype(np.int64)
    optimal = best[rows].astype(np.int64)
    return zero_one_parts(codes, data.codes[rows], optimal, len(data.classes))


def _best_answers(optimal: Any, data: TaskData) -> FloatArray:
    """Return the best possible answers, as numbers or codes of classes."""
    if optimal is None:
        return np.asarray(data.codes if data.classes else data.y, dtype=np.float64)
    given = as_target(optimal, name="optimal")
    if len(given) != data.n_rows:
        raise DataError(f"optimal has {len(given)} entries; {data.n_rows} rows need as many.")
    known = data.judged(data.all_rows, given, None)
    best = known.predicted_codes if data.classes else known.predicted
    return np.asarray(best, dtype=np.float64)


def _row_variance(part: SquaredParts | ZeroOneParts) -> FloatArray:
    return part.row_variance if isinstance(part, ZeroOneParts) else part.variance


def _share_in_words(share: float) -> str:
    for value, words in _WORDS:
        if abs(share - value) <= _NEAR:
            return words
    return whole_percent(share)
