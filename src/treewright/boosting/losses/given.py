"""A loss of the user's: a function that gives gradients and hessians."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.losses.base import Loss
from treewright.errors import ParameterError

UserLoss = Callable[[FloatArray, FloatArray], tuple[Any, Any]]


@dataclass(frozen=True, kw_only=True)
class Given(Loss):
    """What a function makes small, which does not say how large it is.

    Parameters
    ----------
    gradients
        Gives gradients and hessians for targets and scores.
    stand_in
        The loss that rows are judged by and whose scores mean the same.
    """

    name: ClassVar[str] = "given"
    gradients: UserLoss
    stand_in: Loss

    @property
    def n_outputs(self) -> int:
        """Scores of a row."""
        return self.stand_in.n_outputs

    @property
    def of_classes(self) -> bool:
        """Whether the target is a class, by index, or a value."""
        return self.stand_in.of_classes

    @property
    def link(self) -> str:
        """What a score means."""
        return self.stand_in.link

    def start(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the log odds of classes, and 0 for values, of which nothing is known."""
        return self.stand_in.start(y, weight) if self.of_classes else np.zeros(self.n_outputs)

    def start_beside(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray
    ) -> FloatArray:
        """Return where classes start beside offsets, and 0 for values."""
        if not self.of_classes:
            return self.start(y, weight)
        return self.stand_in.start_beside(y, weight, offset)

    def base_score(
        self, y: FloatArray, weight: FloatArray | None, offset: FloatArray | None
    ) -> FloatArray:
        """Return where scores start; of values it is 0 whatever the offsets."""
        return super().base_score(y, weight, offset if self.of_classes else None)

    def of_rows(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the loss of each row by the one that stands in."""
        return self.stand_in.of_rows(scores, y, weight)


def user_gradients(
    loss: Given, y: FloatArray, scores: FloatArray, number: int
) -> tuple[FloatArray, FloatArray]:
    """Return the gradients and hessians of the user's function, outputs x rows, checked.

    Parameters
    ----------
    loss
        The function.
    y
        The target, rows.
    scores
        Outputs x rows.
    number
        Of the round, for messages.
    """
    seen = scores[0] if loss.n_outputs == 1 else scores.T
    try:
        given = loss.gradients(y.copy(), seen.copy())
    except Exception as error:
        raise ParameterError(
            f"round {number}: the function given as loss failed: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(given, tuple) or len(given) != 2:
        raise ParameterError(
            f"round {number}: the loss must give two arrays, gradients and hessians."
        )
    checked = []
    for name, part in zip(("gradient", "hessian"), given, strict=True):
        try:
            values = np.asarray(part, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"round {number}: the {name} must be numbers.") from None
        if values.shape != seen.shape:
            raise ParameterError(
                f"round {number}: the {name} has shape {values.shape}, not {seen.shape}."
            )
        bad = np.flatnonzero(~np.isfinite(values.reshape(len(y), -1)).all(axis=1))
        if len(bad):
            raise ParameterError(
                f"round {number}: the {name} of row {bad[0]} is not finite"
                f" ({values.reshape(len(y), -1)[bad[0]].tolist()})."
            )
        checked.append(np.ascontiguousarray(values.T))
    if (checked[1] < 0).any():
        raise ParameterError(f"round {number}: a hessian is negative; they must be at least 0.")
    return checked[0], checked[1]
