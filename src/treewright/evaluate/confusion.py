"""The confusion matrix: which class was taken for which, rows actual."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.chart import MatrixChart, Picture
from treewright.chart.words import percent as whole_percent
from treewright.data.frame import Frame
from treewright.evaluate.metrics import METRICS, f_beta
from treewright.evaluate.result import Result, frame_of
from treewright.evaluate.trial.answers import Answers
from treewright.evaluate.trial.task_data import read_answers
from treewright.text.numbers import figures, percent
from treewright.text.table import TextColumn, lay_out

_MOST_CLASSES = 8
"""Beyond, the counts do not fit into 80 columns, and the worst confusions are listed instead."""
_MOST_CONFUSIONS = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Confusion(Result):
    """Counts of rows by actual class (lines) and predicted class (columns).

    Recall of a class that never occurs and precision of one that is never predicted are 0/0 and
    count as 0.

    Parameters
    ----------
    answers
        What was answered, beside the truth.
    """

    answers: Answers = field(repr=False)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in order."""
        return self.answers.classes

    @property
    def counts(self) -> FloatArray:
        """Rows (or their weight): actual x predicted."""
        return self.answers.counts()

    @property
    def recall(self) -> FloatArray:
        """Share of each class that is recognised."""
        return _shares(np.diag(self.counts), self.counts.sum(axis=1))

    @property
    def precision(self) -> FloatArray:
        """Share of the answers of each class that are right."""
        return _shares(np.diag(self.counts), self.counts.sum(axis=0))

    @property
    def f1(self) -> FloatArray:
        """Harmonic mean of precision and recall."""
        return _shares(2 * self.precision * self.recall, self.precision + self.recall)

    @property
    def accuracy(self) -> float:
        """Share of the answers that are right."""
        return METRICS["accuracy"].value(self.answers)

    def f_beta(self, beta: float) -> float:
        """Return F_beta of the positive class, or its mean over more than two classes."""
        return f_beta(beta).value(self.answers)

    def __getitem__(self, name: str) -> float:
        """Return a metric of the answers, such as ``confusion["mcc"]``."""
        return METRICS[name].value(self.answers)

    def text(self) -> str:
        """Return the matrix with the figures of each class; of many classes the worst pairs."""
        names = [str(each) for each in self.classes]
        per_class = [
            TextColumn("recall", [percent(each) for each in self.recall], right=True),
            TextColumn("precision", [percent(each) for each in self.precision], right=True),
            TextColumn("F1", figures(self.f1.tolist()), right=True),
        ]
        if len(names) > _MOST_CLASSES:
            rows = self.counts.sum(axis=1).tolist()
            first = [TextColumn("class", names), TextColumn("rows", figures(rows), right=True)]
            return f"{lay_out([*first, *per_class])}\n\n{self._worst()}"
        columns = [
            TextColumn(name, figures(column.tolist()), right=True)
            for name, column in zip(names, self.counts.T, strict=True)
        ]
        return lay_out([TextColumn("actual \\ predicted", names), *columns, *per_class])

    def _worst(self) -> str:
        off = self.counts.copy()
        np.fill_diagonal(off, 0)
        order = np.argsort(-off, axis=None, kind="stable")[:_MOST_CONFUSIONS]
        pairs = [divmod(int(cell), len(self.classes)) for cell in order if off.flat[cell] > 0]
        if not pairs:
            return "no row is taken for another class"
        return lay_out(
            [
                TextColumn("actual", [str(self.classes[i]) for i, _ in pairs]),
                TextColumn("taken for", [str(self.classes[j]) for _, j in pairs]),
                TextColumn("rows", figures([off[pair] for pair in pairs]), right=True),
                TextColumn(
                    "of the class",
                    [percent(off[pair] / self.counts[pair[0]].sum()) for pair in pairs],
                    right=True,
                ),
            ]
        )

    def to_frame(self) -> Frame:
        """Return a row per pair of actual and predicted class."""
        pairs = [(i, j) for i in range(len(self.classes)) for j in range(len(self.classes))]
        counts = self.counts
        return frame_of(
            {
                "actual": [self.classes[i] for i, _ in pairs],
                "predicted": [self.classes[j] for _, j in pairs],
                "rows": [float(counts[pair]) for pair in pairs],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return classes and counts as plain lists."""
        return {"classes": list(self.classes), "counts": self.counts.tolist()}

    def draw(self) -> Picture:
        """Return the matrix as a picture."""
        counts, recall = self.counts, self.recall
        occur = np.flatnonzero(counts.sum(axis=1) > 0)
        best, worst = occur[np.argmax(recall[occur])], occur[np.argmin(recall[occur])]
        title = "Confusion matrix"
        if recall[best] > recall[worst]:
            title = (
                f"{self.classes[best]} is recognised in {whole_percent(recall[best])} of cases,"
                f" {self.classes[worst]} in {whole_percent(recall[worst])}"
            )
        return MatrixChart(
            title=title,
            subtitle="Actual classes down, predicted ones across; shade is the share of the actual",
            caption=f"{len(self.answers):,} rows",
            classes=[str(each) for each in self.classes],
            counts=counts,
        )


def confusion(
    y: Any, predicted: Any, *, classes: Any = None, positive: Any = None, sample_weight: Any = None
) -> Confusion:
    """Return the confusion matrix of answers: rows actual, columns predicted.

    Parameters
    ----------
    y, predicted
        The truth and the answer, an entry per row.
    classes
        All classes in order; by default those of `y` and `predicted`, ascending.
    positive
        The class that precision and recall are about; by default the second of two.
    sample_weight
        Weights of the rows.

    Examples
    --------
    >>> print(confusion([*"AABBBC"], [*"ABBBCC"]))
    actual \\ predicted  A  B  C   recall  precision     F1
    A                   1  1  0   50.0 %    100.0 %  0.667
    B                   0  2  1   66.7 %     66.7 %  0.667
    C                   0  0  1  100.0 %     50.0 %  0.667
    """
    answers = read_answers(
        y,
        predicted,
        task="classes",
        classes=classes,
        positive=positive,
        sample_weight=sample_weight,
    )
    return Confusion(answers=answers)


def _shares(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
