"""What members count for, beside how good each is by itself on rows that it had not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from treewright.array_types import Array, FloatArray
from treewright.data.frame import Frame
from treewright.data.read.arrays import read_array
from treewright.errors import ParameterError
from treewright.estimators.combine.pool import ConvexSum, OpinionPool
from treewright.estimators.combine.simplex import LEAST_PROBABILITY
from treewright.parameters import nearest_hint
from treewright.text.names import list_names, short_in_middle
from treewright.text.numbers import figures
from treewright.text.table import TextColumn, lay_out, width_of
from treewright.text.wrap import wrap_words

_WIDTH = 80
_NAME_WIDTH = 24

Scores = dict[str, float]
"""Figures of one learner by name: log loss and accuracy, or RMSE."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MemberWeights:
    """The weights of members, with figures out of fold; ``print`` it.

    Parameters
    ----------
    title
        What the members make up.
    names
        Of the members, in order.
    kind
        What a weight is: "weight", "coefficient", "importance", or "unknown".
    values
        Members x columns; None where the final estimator tells nothing.
    of_classes
        The class of each column of `values`; empty where a member has one weight.
    scores
        Figures of each member out of fold; empty where they are not known.
    whole
        Those of all together.
    source
        Where the figures come from, in words.
    notes
        What else is to be known.
    """

    title: str
    names: tuple[str, ...]
    kind: str
    values: FloatArray | None
    of_classes: tuple[Any, ...] = ()
    scores: tuple[Scores, ...] = ()
    whole: Scores = field(default_factory=dict)
    source: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> float | FloatArray:
        """The weight of a member: a number, or one for each class."""
        if name not in self.names:
            raise ParameterError(
                f"{name!r} is none of the members {list_names(map(repr, self.names))}."
                f"{nearest_hint(name, self.names)}"
            )
        if self.values is None:
            raise ParameterError(f"the weight of {name!r} is not known: {' '.join(self.notes)}")
        own: FloatArray = self.values[self.names.index(name)]
        return float(own[0]) if len(own) == 1 else own

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the figures."""
        return tuple(dict.fromkeys(name for each in (*self.scores, self.whole) for name in each))

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by name; None for those that are not known."""
        members = []
        for i, name in enumerate(self.names):
            weight = None if self.values is None else self.values[i].tolist()
            if weight is not None and not self.of_classes:
                weight = weight[0]
            scores = self.scores[i] if self.scores else {}
            members.append({"member": name, self.kind: weight, **_plain(scores, self.metrics)})
        return {
            "title": self.title,
            "kind": self.kind,
            "classes": list(self.of_classes),
            "members": members,
            "whole": _plain(self.whole, self.metrics),
            "source": self.source,
        }

    def to_frame(self) -> Frame:
        """Return the table, a line for each member, and one for the whole where it is known."""
        names = [*self.names, *(["(all)"] if self.whole else [])]
        more = len(names) - len(self.names)
        columns: dict[str, Array] = {"member": np.array(names, dtype=object)}
        if self.values is not None:
            heads = [f"{self.kind} {each}" for each in self.of_classes] or [self.kind]
            for head, values in zip(heads, self.values.T, strict=True):
                columns[head] = np.concatenate([values, np.full(more, np.nan)])
        for metric in self.metrics:
            scores = [*(self.scores or [{}] * len(self.names)), *([self.whole] * more)]
            columns[metric] = np.array([each.get(metric, np.nan) for each in scores])
        return Frame({name: read_array(values, name) for name, values in columns.items()})

    def text(self) -> str:
        """Return the table as text of at most 80 columns."""
        more = [""] if self.whole else []
        names = [short_in_middle(each, _NAME_WIDTH) for each in self.names]
        head = [TextColumn("member", [*names, *(["all together"] if self.whole else [])])]
        scores = [*self.scores, *([self.whole] if self.whole else [])]
        if self.whole and not self.scores:
            scores = [*[{}] * len(names), self.whole]
        tail = [
            TextColumn(metric, figures(_known(each, metric) for each in scores), right=True)
            for metric in self.metrics
        ]
        weights: list[TextColumn] = []
        if self.values is not None:
            heads = [str(each) for each in self.of_classes] or [self.kind]
            rounded = np.round(self.values, 4)
            for title, values in zip(heads, rounded.T, strict=True):
                cells = [*figures(values.tolist()), *more]
                weights.append(TextColumn(short_in_middle(title, 12), cells, right=True))
        n_all = len(weights)
        while len(weights) > 1 and width_of([*head, *weights, *tail]) > _WIDTH:
            weights.pop()
        notes = list(self.notes)
        if len(weights) < n_all:
            notes.append(f"{n_all - len(weights)} more classes are in to_frame().")
        if self.of_classes:
            notes.insert(0, f"A {self.kind} for each class, of the member's answer for it.")
        if self.source:
            notes.append(f"Figures are of rows that were not seen: {self.source}.")
        table = lay_out([*head, *weights, *tail], max_width=_WIDTH)
        said = [wrap_words(note, width=_WIDTH) for note in notes]
        return "\n".join([self.title, "", table, *(["", *said] if said else [])])

    def __str__(self) -> str:
        return self.text()


def scores_of(
    answers: Array, method: str, truth: Array, n_classes: int, weight: FloatArray | None
) -> Scores:
    """Return how good answers are: log loss and accuracy of classes, the root of mean squares."""
    if n_classes == 0:
        squares = np.square(np.asarray(answers, dtype=np.float64).reshape(-1) - truth)
        return {"RMSE": float(np.sqrt(np.average(squares, weights=weight)))}
    scores: Scores = {}
    said = np.asarray(answers)
    if method == "predict_proba":
        of_truth = np.maximum(said[np.arange(len(truth)), truth], LEAST_PROBABILITY)
        scores["log loss"] = float(np.average(-np.log(of_truth), weights=weight)) + 0.0
    if said.ndim == 2 and said.shape[1] > 1:
        said = said.argmax(axis=1)
    elif method == "decision_function":
        said = (said.reshape(-1) > 0).astype(np.int64)
    scores["accuracy"] = float(np.average(np.rint(said.reshape(-1)) == truth, weights=weight))
    return scores


def weights_of_final(
    final: Any, widths: Sequence[int], classes: Array | None
) -> tuple[str, FloatArray | None, tuple[Any, ...], tuple[str, ...]]:
    """Return what a final estimator weighs members by: kind, weights, their classes and notes.

    Parameters
    ----------
    final
        The fitted final estimator, whose columns are those of the members and then others.
    widths
        Number of columns of each member.
    classes
        The classes; None for numbers.
    """
    inner = final.steps[-1][1] if isinstance(final, Pipeline) else final
    if isinstance(inner, OpinionPool | ConvexSum) and len(widths) == len(inner.weights_):
        return "weight", inner.weights_[:, np.newaxis], (), ()
    notes = ("Of columns that the pipeline has made.",) if inner is not final else ()
    coefficients = getattr(inner, "coef_", None)
    if coefficients is not None and not hasattr(coefficients, "tocsr"):
        found = np.atleast_2d(np.asarray(coefficients, dtype=np.float64))
        values = _by_member(found, widths)
        if values is not None:
            several = tuple(classes.tolist()) if classes is not None and len(found) > 1 else ()
            return "coefficient", values, several, notes
    importances = getattr(inner, "feature_importances_", None)
    if importances is not None and len(importances) >= sum(widths):
        starts = np.cumsum([0, *widths])
        sums = [float(np.sum(importances[a:b])) for a, b in pairwise(starts)]
        return "importance", np.array(sums)[:, np.newaxis], (), notes
    return "unknown", None, (), (f"{type(inner).__name__} does not tell what it weighs.",)


def _by_member(coefficients: FloatArray, widths: Sequence[int]) -> FloatArray | None:
    """Return members x scores: of several columns of a member that of the score's own class."""
    n_scores, n_columns = coefficients.shape
    if n_columns < sum(widths) or any(width not in (1, n_scores) for width in widths):
        return None
    lines = []
    start = 0
    for width in widths:
        own = coefficients[:, start : start + width]
        lines.append(own[:, 0] if width == 1 else np.diag(own))
        start += width
    return np.stack(lines)


def _known(scores: Scores, metric: str) -> float | None:
    value = scores.get(metric)
    return None if value is None else float(np.round(value, 6))


def _plain(scores: Scores, metrics: Sequence[str]) -> dict[str, float | None]:
    return {metric: scores.get(metric) for metric in metrics}
