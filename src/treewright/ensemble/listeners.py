"""Listeners (callbacks): they are called before and after every round, and may stop training."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

Figures = TypeVar("Figures", contravariant=True)


class Listener(Protocol[Figures]):
    """A callback for the rounds of boosting."""

    @property
    def every_round(self) -> bool:
        """Whether each round waits for it; else it is told of the last of several."""

    def begin(self) -> None:
        """Be called when a round begins."""

    def end(self, figures: Figures) -> bool:
        """Be called when a round has ended; return whether to stop after it."""


class Listeners(Generic[Figures]):
    """Several listeners as one; any of them may stop training.

    Parameters
    ----------
    *listeners
        The listeners; None entries are ignored.

    Examples
    --------
    >>> Listeners(None).end("the figures of a round")
    False
    """

    def __init__(self, *listeners: Listener[Figures] | None) -> None:
        self._listeners = [each for each in listeners if each is not None]

    @property
    def every_round(self) -> bool:
        """Whether rounds wait for any of them."""
        return any(each.every_round for each in self._listeners)

    def begin(self) -> None:
        """Call every listener at the beginning of a round."""
        for each in self._listeners:
            each.begin()

    def end(self, figures: Figures) -> bool:
        """Call every listener at the end of a round; return whether any of them asks to stop."""
        wants = [each.end(figures) for each in self._listeners]
        return any(wants)
