"""scikit-learn's callbacks, where it has them (1.9 and later): the rounds of boosting are tasks.

Only this file knows ``sklearn.callback``. With an earlier scikit-learn, estimators have no
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
        """An empty class: this scikit-learn has no callbacks."""

    def with_callbacks(method: Method) -> Method:
        """Return the method unchanged."""
        return method


def ends_callbacks(fit: Method) -> Method:
    """Return `fit` such that its callbacks are closed at the end, also after an error."""
    return cast("Method", with_callbacks(fit))


class HasCallbacks(CallbackSupportMixin):  # type: ignore[misc]
    """An estimator that learns in rounds; callbacks are called for each and may stop them."""

    def _tasks(
        self, X: Any, y: Any, sample_weight: Any, *, n_rounds: int
    ) -> RoundTasks[Any] | None:
        """Begin `fit` for the callbacks; return None where there are none."""
        if not hasattr(self, "_skl_callbacks") and not hasattr(self, "_parent_callback_ctx"):
            return None
        return RoundTasks(self, X, y, sample_weight, n_rounds=n_rounds)


class RoundTasks(Generic[Figures]):
    """The fit of an estimator and its rounds as tasks of callbacks.

    Parameters
    ----------
    estimator, X, y, sample_weight
        The estimator, and the data it is fitted to.
    n_rounds
        The largest number of rounds.

    Attributes
    ----------
    figures : list
        The figures of the rounds so far.
    learn : function
        Sets the fitted attributes of an estimator to the model so far; called only if a callback
        asks for it.
    """

    every_round = True  # callbacks may look at the model so far, and stop

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
        """Call the callbacks at the beginning of a round."""
        self._round = self._fit.subcontext(task_name="round")
        self._round.call_on_fit_task_begin(**self._about)

    def end(self, figures: Figures) -> bool:
        """Call the callbacks at the end of a round; return whether one of them asks to stop."""
        self.figures.append(figures)
        done, self._round = self._round, None
        told = done.call_on_fit_task_end(**self._about, reconstruction_attributes=self._learned)
        return bool(told)

    def close(self) -> None:
        """Call the callbacks at the end of `fit`."""
        if self._round is not None:  # a round whose learner was left out
            self._round.call_on_fit_task_end(estimator=self._about["estimator"])
        self._fit.call_on_fit_task_end(**self._about, reconstruction_attributes=self._learned)

    def _learned(self) -> dict[str, Any]:
        """Return the attributes that `fit` has changed."""
        before = vars(self._about["estimator"])
        copied = copy.copy(self._about["estimator"])
        self.learn(copied)
        return {
            name: value
            for name, value in vars(copied).items()
            if name not in before or before[name] is not value
        }
