"""What boosting makes small: losses, where scores start, and what is asked of the target.

Gradients and hessians are taken in the core (boost/loss.hpp); here is what is needed once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.array_types import FloatArray
from treewright.errors import ParameterError, TargetError
from treewright.parameters import check_choice, check_number, check_share

UserLoss = Callable[[FloatArray, FloatArray], tuple[Any, Any]]

CLASS_LOSSES = ("log_loss", "exponential")
VALUE_LOSSES = (
    "squared_error",
    "absolute_error",
    "huber",
    "quantile",
    "poisson",
    "gamma",
    "tweedie",
)
_LOG_LINK = ("poisson", "gamma", "tweedie")
_LEVEL = ("huber", "quantile")
"""Losses whose parameter is a quantile."""


@dataclass(frozen=True, kw_only=True)
class Loss:
    """A loss, as it was asked for.

    Attributes
    ----------
    name : str
        One of the losses above, ``"multinomial"``, or ``"given"``.
    level : float
        Of ``"quantile"``, which quantile is predicted; of ``"huber"``, the quantile of the absolute
        residuals beyond which the loss is linear (Friedman's alpha).
    power : float
        Of ``"tweedie"``, the power of the variance.
    n_outputs : int
        Scores of a row.
    slopes : function, optional
        The user's gradients and hessians, of ``"given"``.
    """

    name: str
    level: float = 0.9
    power: float = 1.5
    n_outputs: int = 1
    slopes: UserLoss | None = None
    of_classes: bool = False

    @property
    def link(self) -> str:
        """What a score means."""
        if self.of_classes:
            if self.n_outputs > 1:
                return "softmax"
            return "half_logistic" if self.name == "exponential" else "logistic"
        return "log" if self.name in _LOG_LINK else "identity"

    @property
    def parameter(self) -> float:
        """The number that the core needs to know of the loss."""
        return self.power if self.name == "tweedie" else self.level

    def baseline(self, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Return the scores that, without a tree, make the loss least."""
        if self.of_classes:
            n_classes = max(2, self.n_outputs)
            shares = np.bincount(y.astype(np.intp), weights=weight, minlength=n_classes)
            if self.n_outputs == 1:
                odds = _log(shares[1]) - _log(shares[0])
                return np.array([odds / 2 if self.name == "exponential" else odds])
            return np.array([_log(share / shares.sum()) for share in shares])
        if self.name == "given":
            return np.zeros(self.n_outputs)
        if self.name in ("absolute_error", "huber"):
            return np.array([weighted_quantile(y, weight, 0.5)])
        if self.name == "quantile":
            return np.array([weighted_quantile(y, weight, self.level)])
        mean = float(np.average(y, weights=weight))
        return np.array([float(np.log(mean)) if self.name in _LOG_LINK else mean])

    def mean(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> float:
        """Return the mean loss of rows; scores are rows x outputs."""
        with np.errstate(over="ignore"):  # a loss beyond all numbers is infinite, and says so
            return float(np.average(self._each(scores, y, weight), weights=weight))

    def _each(self, scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> FloatArray:
        score = scores[:, 0]
        if self.of_classes and self.n_outputs > 1:
            own = scores[np.arange(len(y)), y.astype(np.intp)]
            most = scores.max(axis=1)
            return np.asarray(np.log(np.exp(scores - most[:, np.newaxis]).sum(axis=1)) + most - own)
        if self.name == "exponential":
            return np.asarray(np.exp(np.where(y > 0.5, -score, score)))
        if self.of_classes:
            return np.asarray(np.logaddexp(0.0, score) - y * score)
        if self.name == "absolute_error":
            return np.abs(score - y)
        if self.name == "quantile":
            return np.maximum((1.0 - self.level) * (score - y), self.level * (y - score))
        if self.name == "huber":
            distance = np.abs(score - y)
            delta = weighted_quantile(distance, weight, self.level)
            inside = 0.5 * distance**2
            return np.asarray(np.where(distance <= delta, inside, delta * (distance - 0.5 * delta)))
        if self.name == "poisson":
            return np.asarray(np.exp(score) - y * score)
        if self.name == "gamma":
            return np.asarray(score + y * np.exp(-score))
        if self.name == "tweedie":
            rest, one = 2.0 - self.power, 1.0 - self.power
            return np.asarray(np.exp(rest * score) / rest - y * np.exp(one * score) / one)
        return 0.5 * (score - y) ** 2  # squared error; a loss of the user's is judged by it too


def loss_of_values(given: object, *, quantile: object, power: object) -> Loss:
    """Return the loss that a regressor was asked for."""
    if callable(given):
        return Loss(name="given", slopes=given)
    check_choice("loss", given, VALUE_LOSSES)
    name = str(given)
    level = 0.9 if name == "huber" else 0.5
    if quantile is not None:
        check_share("quantile", quantile)
        if name not in _LEVEL:
            raise ParameterError(
                f"quantile={quantile!r} belongs to loss='quantile' or 'huber', not {name!r}."
            )
        level = float(quantile)  # type: ignore[arg-type]
    check_number("tweedie_power", power, low=1.0, high=2.0, open_low=True, open_high=True)
    return Loss(name=name, level=level, power=float(power))  # type: ignore[arg-type]


def loss_of_classes(given: object, n_classes: int) -> Loss:
    """Return the loss that a classifier was asked for."""
    n_outputs = n_classes if n_classes > 2 else 1
    if callable(given):
        return Loss(name="given", slopes=given, n_outputs=n_outputs, of_classes=True)
    check_choice("loss", given, CLASS_LOSSES)
    if given == "exponential" and n_classes > 2:
        raise ParameterError(
            f"loss='exponential' tells two classes apart, and y has {n_classes}.\n"
            "  Hint: loss='log_loss'."
        )
    name = "multinomial" if n_outputs > 1 else str(given)
    return Loss(name=name, n_outputs=n_outputs, of_classes=True)


def check_target(loss: Loss, y: FloatArray, weight: FloatArray | None, *, shift: int = 0) -> None:
    """Refuse values that a loss has no meaning for; they were `shift` powers of two larger."""
    counted = y if weight is None else y[weight > 0]
    low = float(np.ldexp(counted.min(initial=np.inf), shift))
    if loss.name in ("poisson", "tweedie") and (low < 0.0 or not counted.any()):
        raise TargetError(
            f"loss={loss.name!r} needs values that are not negative and not all 0; y has {low:g}."
        )
    if loss.name == "gamma" and low <= 0.0:
        raise TargetError(f"loss='gamma' needs values above 0; y has {low:g}.")


def user_slopes(
    loss: Loss, y: FloatArray, scores: FloatArray, number: int
) -> tuple[FloatArray, FloatArray]:
    """Ask the user's loss for gradients and hessians, outputs x rows, and check them.

    Parameters
    ----------
    loss
        A given one.
    y
        The target, rows.
    scores
        Outputs x rows.
    number
        Of the round, for messages.
    """
    assert loss.slopes is not None
    seen = scores[0] if loss.n_outputs == 1 else scores.T
    try:
        given = loss.slopes(y.copy(), seen.copy())
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


def weighted_quantile(values: FloatArray, weight: FloatArray | None, level: float) -> float:
    """Return the least value with this share of the weight up to it, midway where it is exactly so.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0, 4.0]), None, 0.5)
    2.5
    """
    order = np.argsort(values, kind="stable")
    shares = np.ones(len(values)) if weight is None else weight[order]
    below = np.cumsum(shares)
    counted = values[order][shares > 0]
    below = below[shares > 0]
    at = int(np.searchsorted(below, level * below[-1]))
    if below[at] == level * below[-1] and at + 1 < len(counted):
        return float((counted[at] + counted[at + 1]) / 2)
    return float(counted[at])


def _log(value: float) -> float:
    """Return the logarithm, of 0 too: a class without rows is very unlikely, not impossible."""
    return float(np.log(max(value, 1e-15)))
