"""Scores that rank rows by how much they speak for a class, beside the rows that have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray, FloatArray, Int64Array
from treewright.data.read.dataframes import target_array
from treewright.data.read.target import read_classes
from treewright.errors import DataError
from treewright.evaluate.metrics import ranked_codes
from treewright.evaluate.trial.answers import Answers, as_target
from treewright.evaluate.trial.task_data import read_task_data
from treewright.text.names import list_names


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassScores:
    """Scores for one class against the rest.

    Parameters
    ----------
    name
        The class.
    index
        Its position among all classes, which gives it its colour.
    is_there
        Whether each row has the class.
    score
        How much speaks for it; only calibration needs a probability.
    weights, groups
        Weights of the rows, and what belongs together; None where there are none.
    """

    name: Any
    index: int
    is_there: BoolArray
    score: FloatArray
    weights: FloatArray | None = None
    groups: Array | None = None

    def __len__(self) -> int:
        return len(self.score)

    @property
    def row_weights(self) -> FloatArray:
        """The weight of each row; 1 where none are given."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @property
    def base_rate(self) -> float:
        """Share of the rows that have the class."""
        return float(np.average(self.is_there, weights=self.weights))

    def ranks(self) -> tuple[FloatArray, Int64Array]:
        """Return the distinct scores, ascending, and the place of each row's among them.

        Curves depend on the order of scores alone; ranks keep infinite ones apart from large ones.
        """
        distinct, rank = np.unique(self.score, return_inverse=True)
        return distinct, rank.astype(np.int64)


def read_scores(
    y: Any,
    scores: Any,
    *,
    classes: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
) -> Answers:
    """Return scores beside the truth; answers are the classes of highest score.

    Parameters
    ----------
    y
        The class of each row.
    scores
        One number per row, which speaks for the positive class, or rows x classes.
    classes
        All classes in order; by default those of `y`, ascending.
    positive
        The class that is asked about; by default the second of two, and of more each.
    sample_weight, groups
        Weights of the rows; what belongs together.
    """
    actual = as_target(y)
    listed = read_classes(actual, owner="a curve").classes[0].tolist()
    given = _as_numbers(scores)
    names = listed if classes is None else list(classes)
    if len(names) == 1:
        raise DataError(
            f"a curve needs two classes; every row is {names[0]!r}.\n"
            "  Hint: classes=[...] names those that these rows do not have."
        )
    data = read_task_data(
        {"row": np.arange(len(actual))},
        actual,
        task="classes",
        owner="a curve",
        classes=names,
        positive=positive,
        sample_weight=sample_weight,
        groups=groups,
    )
    if given.ndim == 1:
        given = _of_both(given, data.positive, data.classes)
    if given.shape != (data.n_rows, len(data.classes)):
        raise DataError(
            f"scores has shape {given.shape}; {data.n_rows} rows and {len(data.classes)} classes"
            f" need {(data.n_rows, len(data.classes))}, or one score per row for one class."
        )
    return data.judged_codes(data.all_rows, given.argmax(axis=1), given)


def class_scores(answers: Answers, *, what: str, one_side: bool = False) -> tuple[ClassScores, ...]:
    """Return the scores of the class that is asked about, or of each of more than two.

    Parameters
    ----------
    answers
        Answers with probabilities, or with other scores in their place.
    what
        The curve, for messages.
    one_side
        Whether a class that every row has, or none, has such a curve too.
    """
    if not answers.classes:
        raise DataError(f"{what} is for classes; numbers were predicted.")
    if answers.probabilities is None:
        raise DataError(
            f"{what} needs the probabilities of the classes; the learner gives none.\n"
            "  Hint: a learner with predict_proba."
        )
    codes: Sequence[int] = ranked_codes(answers)
    if one_side:
        everyone = range(len(answers.classes))
        codes = everyone if answers.positive is None else [answers.positive_code]
    if not codes:
        there = list_names(map(repr, dict.fromkeys(answers.actual.tolist())))
        raise DataError(
            f"{what} needs rows that have a class and rows that have not; every row is {there}."
        )
    return tuple(
        ClassScores(
            name=answers.classes[code],
            index=code,
            is_there=answers.actual_codes == code,
            score=answers.probabilities[:, code],
            weights=answers.weights,
            groups=answers.groups,
        )
        for code in codes
    )


def _as_numbers(scores: Any) -> FloatArray:
    try:
        given = np.asarray(target_array(scores), dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("scores has an entry that is no number.") from None
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim not in (1, 2):
        raise DataError(f"scores has {given.ndim} dimensions; one or two are judged.")
    wrong = np.argwhere(np.isnan(given))
    if len(wrong):
        raise DataError(
            f"scores is nan in row {wrong[0][0]} ({len(np.unique(wrong[:, 0]))} of"
            f" {len(given)} rows).\n  Hint: leave such rows out, or fill them."
        )
    return given


def _of_both(score: FloatArray, positive: Any, classes: Sequence[Any]) -> FloatArray:
    """Return a column per class: what does not speak for the one speaks for the others."""
    if positive is None:
        raise DataError(
            f"scores has one number per row, which speaks for one class; there are {len(classes)}:"
            f" {list_names(map(repr, classes))}.\n  Hint: positive=..., or a column per class."
        )
    is_share = len(score) > 0 and score.min() >= 0 and score.max() <= 1
    columns = np.tile((1 - score if is_share else -score)[:, None], len(classes))
    columns[:, classes.index(positive)] = score
    return columns
