"""Listeners: they are told of every round of boosting, and may end it."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

Figures = TypeVar("Figures", contravariant=True)


class Listener(Protocol[Figures]):
    """Is told of rounds (a callback)."""

    def begin(self) -> None:
        """Hear that a round begins."""

    def end(self, figures: Figures) -> bool:
        """Hear what came of the round that began last; say whether it shall be the last."""


class Listeners(Generic[Figures]):
    """Several of them, as one; any of them may end the rounds.

    Parameters
    ----------
    *listeners
        Those there are; None stands for nobody.

    Examples
    --------
    >>> Listeners(None).end("the figures of a round")
    False
    """

    def __init__(self, *listeners: Listener[Figures] | None) -> None:
        self._listeners = [each for each in listeners if each is not None]

    def begin(self) -> None:
        """Tell all that a round begins."""
        for each in self._listeners:
            each.begin()

    def end(self, figures: Figures) -> bool:
        """Tell all what came of it; all hear of it before it is the last."""
        wants = [each.end(figures) for each in self._listeners]
        return any(wants)
