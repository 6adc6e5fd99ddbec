"""Intervals that contain the target with a given probability, from errors on unseen rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.certainty.conformal import threshold
from treewright.certainty.local_spread import LocalSpread
from treewright.errors import DataError

_PARTS = (0.0, 0.5, 0.9)
"""Parts of the local spread that are tried; the rest is the mean, the same for all rows."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Intervals:
    """What is known of a model's errors on rows that it had not seen.

    An interval is ``answer + spread * [low, high]``, where `spread` is the mean absolute error,
    mixed with the one to be expected of the row, and `low` and `high` are conformal thresholds of
    the errors divided by it: the same size on both sides, or each with half of what may lie
    outside. Of all that, what gives the narrowest intervals for the rows that are known is taken.

    Parameters
    ----------
    errors
        Target less answer, rows x outputs.
    weight
        Weight of each row; None if all are equal.
    spread
        Model of the absolute errors; None takes the mean.
    expected
        What it tells of each row, without having seen it.
    source
        Where the rows come from, in words.
    labels
        Labels of the rows by the column that has been asked for.
    """

    errors: FloatArray
    weight: FloatArray | None
    source: str
    spread: LocalSpread | None = None
    expected: FloatArray | None = None
    labels: dict[Any, Array] = field(default_factory=dict)

    def ends(
        self,
        answers: FloatArray,
        expected: FloatArray | None,
        level: float,
        *,
        known_labels: Array | None = None,
        labels: Array | None = None,
    ) -> FloatArray:
        """Return the ends of the intervals of rows, rows x outputs x 2.

        Parameters
        ----------
        answers
            What the model predicts, rows x outputs.
        expected
            What the model of absolute errors tells of the rows.
        level
            Probability that an interval contains the target.
        known_labels, labels
            Labels of the rows that are known and of those asked about, where each label is to be
            covered by itself.
        """
        made = np.empty((*answers.shape, 2))
        for output in range(answers.shape[1]):
            own = None if expected is None else expected[:, output]
            for known, asked in _by_label(known_labels, labels, len(self.errors), len(answers)):
                part = None if own is None else own[asked]
                made[asked, output] = self._ends(output, known, part, level)
        return answers[:, :, np.newaxis] + made

    def _ends(
        self, output: int, known: Array, expected: FloatArray | None, level: float
    ) -> FloatArray:
        """Return the ends less the answers of rows, from the known rows of the same label."""
        errors = self.errors[known, output]
        weight = None if self.weight is None else self.weight[known]
        mean = float(np.average(np.abs(errors), weights=weight))
        best: tuple[float, float, float, float] | None = None
        for part in _PARTS if self.expected is not None and expected is not None else (0.0,):
            spread = np.full(len(errors), mean)
            if part:
                assert self.expected is not None
                spread += part * (self.expected[known, output] - mean)
            spread = np.maximum(spread, 1e-300)
            for low, high in _sides(errors / spread, weight, level):
                width = (high - low) * float(np.average(spread, weights=weight))
                if best is None or width < best[0]:
                    best = (width, part, low, high)
        assert best is not None
        _, part, low, high = best
        scale: FloatArray | float = max(mean, 1e-300)  # of 0 and no threshold: no end
        if part and expected is not None:
            scale = np.maximum(mean + part * (expected - mean), 1e-300)[:, np.newaxis]
        ends: FloatArray = scale * np.array([low, high])
        return ends


def _sides(
    scores: FloatArray, weight: FloatArray | None, level: float
) -> Iterator[tuple[float, float]]:
    """Yield thresholds of signed scores, the same on both sides, then with equal shares outside."""
    both = threshold(np.abs(scores), weight, level)
    yield -both, both
    one = 1.0 - (1.0 - level) / 2.0
    yield -threshold(-scores, weight, one), threshold(scores, weight, one)


def _by_label(
    known: Array | None, asked: Array | None, n_known: int, n_asked: int
) -> Iterator[tuple[Array, Array]]:
    """Yield positions of the known rows and of those asked about, label by label."""
    if known is None or asked is None:
        yield np.arange(n_known), np.arange(n_asked)
        return
    for label, rows in positions_of(asked).items():
        own = np.flatnonzero(known == label)
        if not len(own):
            raise unknown_label(label, known)
        yield own, rows


def positions_of(labels: Array) -> dict[Any, Array]:
    """Return the positions of each label."""
    return {label: np.flatnonzero(labels == label) for label in dict.fromkeys(labels.tolist())}


def unknown_label(label: object, known: Array) -> DataError:
    """Return the error of a label that no known row has."""
    names = ", ".join(sorted(map(repr, dict.fromkeys(known.tolist())))[:8])
    return DataError(
        f"no row that the certainty was learned from has {label!r} in the column of `by`; they"
        f" have {names}.\n  Hint: leave such rows out, or by=None."
    )
