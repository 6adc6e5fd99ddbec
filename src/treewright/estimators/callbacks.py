"""scikit-learn's callbacks, where it has them (1.9 and later): the rounds of boosting are tasks.

The only place that knows ``sklearn.callback``. With an earlier scikit-learn, estimators have no
``set_callbacks`` and nothing else changes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

from treewright.ensemble.listeners import Figures

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this scikit-learn has no callbacks."""

    def with_callbacks(method: Method) -> Method:
        """Return the method as it is."""
        return method


def ends_callbacks(fit: Method) -> Method:
    """Have callbacks put away once `fit` is over, whether it went well or not."""
    return cast("Method", with_callbacks(fit))


class HasCallbacks(CallbackSupportMixin):  # type: ignore[misc]
    """An estimator that learns in rounds, which callbacks may follow and end."""

    def _tasks(
        self, X: Any, y: Any, sample_weight: Any, *, n_rounds: int
    ) -> RoundTasks[Any] | None:
        """Tell callbacks that `fit` begins; None where nobody listens."""
        if not hasattr(self, "_skl_callbacks") and not hasattr(self, "_parent_callback_ctx"):
            return None
        return RoundTasks(self, X, y, sample_weight, n_rounds=n_rounds)


class RoundTasks(Generic[Figures]):
    """The fit of an estimator and its rounds as tasks that callbacks hear of.

    Parameters
    ----------
    estimator, X, y, sample_weight
        What is fitted, and to what.
    n_rounds
        Rounds there may be.

    Attributes
    ----------
    figures : list
        What came of the rounds so far.
    learn : function
        Has an estimator learn what there is so far; called only if a callback wants to know.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any, *, n_rounds: int
    ) -> None:
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._about = {"estimator": estimator, "X": X, "y": y, "metadata": weights}
        self._fit = estimator._init_callback_context(max_subtasks=n_rounds)
        self._fit.call_on_fit_task_begin(**self._about)
        self._round: Any = None
        self.figures: list[Figures] = []
        self.learn: Callable[[Any], None] = lambda estimator: None

    def begin(self) -> None:
        """Tell that a round begins."""
        self._round = self._fit.subcontext(task_name="round")
        self._round.call_on_fit_task_begin(**self._about)

    def end(self, figures: Figures) -> bool:
        """Tell that a round is over; say whether a callback wants it to be the last."""
        self.figures.append(figures)
        done, self._round = self._round, None
        told = done.call_on_fit_task_end(**self._about, reconstruction_attributes=self._learned)
        return bool(told)

    def close(self) -> None:
        """Tell that `fit` is over."""
        if self._round is not None:  # what it learned was left out
            self._round.call_on_fit_task_end(estimator=self._about["estimator"])
        self._fit.call_on_fit_task_end(**self._about, reconstruction_attributes=self._learned)

    def _learned(self) -> dict[str, Any]:
        """Return the attributes that are other than before `fit`."""
        before = vars(self._about["estimator"])
        copied = copy.copy(self._about["estimator"])
        self.learn(copied)
        return {
            name: value
            for name, value in vars(copied).items()
            if name not in before or before[name] is not value
        }
