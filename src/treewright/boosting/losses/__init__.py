"""What boosting makes small: one class per loss, and the lists of them.

Examples
--------
>>> loss_of_values("huber", quantile=0.8, power=1.5)
Huber(level=0.8)
>>> loss_of_classes("log_loss", 3)
Multinomial(n_classes=3)
"""

from __future__ import annotations

from treewright.boosting.losses.absolute_error import AbsoluteError
from treewright.boosting.losses.base import ClassLoss, Loss, ValueLoss
from treewright.boosting.losses.exponential import Exponential
from treewright.boosting.losses.gamma import Gamma
from treewright.boosting.losses.given import Given
from treewright.boosting.losses.huber import Huber
from treewright.boosting.losses.log_loss import LogLoss
from treewright.boosting.losses.ordinal import Ordinal
from treewright.boosting.losses.poisson import Poisson
from treewright.boosting.losses.quantile import Quantile
from treewright.boosting.losses.squared_error import SquaredError
from treewright.boosting.losses.tweedie import Tweedie
from treewright.errors import ParameterError
from treewright.parameters import check_choice, check_number, check_share

CLASS_LOSSES: tuple[type[ClassLoss], ...] = (LogLoss, Exponential, Ordinal)
VALUE_LOSSES: tuple[type[ValueLoss], ...] = (
    SquaredError,
    AbsoluteError,
    Huber,
    Quantile,
    Poisson,
    Gamma,
    Tweedie,
)
"""The lists of losses, one line each; the names accepted by ``loss=`` follow from them."""

LOSSES_OF = {
    "a classifier": tuple(each.name for each in CLASS_LOSSES),
    "a regressor": tuple(each.name for each in VALUE_LOSSES),
}
"""Who takes which losses."""


def loss_of_classes(given: object, n_classes: int) -> Loss:
    """Return the loss that a classifier was asked for."""
    if callable(given):
        return Given(gradients=given, stand_in=LogLoss.for_classes(n_classes))
    check_choice("loss", given, LOSSES_OF["a classifier"], owners=LOSSES_OF)
    return next(each for each in CLASS_LOSSES if each.name == given).for_classes(n_classes)


def needs_order(given: object) -> bool:
    """Return whether the loss of a classifier has a meaning for ordered classes alone.

    >>> needs_order("ordinal"), needs_order("log_loss")
    (True, False)
    """
    if not isinstance(given, str):
        return False
    return any(each.needs_order for each in CLASS_LOSSES if each.name == given)


def takes_quantile(given: object) -> bool:
    """Return whether the loss of a regressor has a quantile among its parameters.

    >>> takes_quantile("huber"), takes_quantile("poisson")
    (True, False)
    """
    return any(each.takes_quantile for each in VALUE_LOSSES if each.name == given)


def loss_of_values(given: object, *, quantile: object, power: object) -> Loss:
    """Return the loss that a regressor was asked for.

    Parameters
    ----------
    given
        A name, or a function that gives gradients and hessians.
    quantile, power
        The parameters of the estimators, of which each loss takes its own.
    """
    if callable(given):
        return Given(gradients=given, stand_in=SquaredError())
    check_choice("loss", given, LOSSES_OF["a regressor"], owners=LOSSES_OF)
    chosen = next(each for each in VALUE_LOSSES if each.name == given)
    if quantile is not None:
        check_share("quantile", quantile)
        if not chosen.takes_quantile:
            raise ParameterError(
                f"quantile={quantile!r} belongs to loss='quantile' or 'huber', not {chosen.name!r}."
            )
    check_number("tweedie_power", power, low=1.0, high=2.0, open_low=True, open_high=True)
    return chosen.for_parameters(
        quantile=None if quantile is None else float(quantile),  # type: ignore[arg-type]
        power=float(power),  # type: ignore[arg-type]
    )


__all__ = [
    "CLASS_LOSSES",
    "VALUE_LOSSES",
    "Given",
    "Loss",
    "loss_of_classes",
    "loss_of_values",
    "needs_order",
    "takes_quantile",
]
