"""Who follows boosting round by round: is told of each, and may end them."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

Figures = TypeVar("Figures", contravariant=True)


class Follower(Protocol[Figures]):
    """Is told of rounds."""

    def begin(self) -> None:
        """Hear that a round begins."""

    def end(self, figures: Figures) -> bool:
        """Hear what came of the round that began last; say whether it shall be the last."""


class Followers(Generic[Figures]):
    """Several of them, as one; any of them may end the rounds.

    Parameters
    ----------
    *followers
        Those there are; None stands for nobody.

    Examples
    --------
    >>> Followers(None).end("the figures of a round")
    False
    """

    def __init__(self, *followers: Follower[Figures] | None) -> None:
        self._followers = [each for each in followers if each is not None]

    def begin(self) -> None:
        """Tell all that a round begins."""
        for each in self._followers:
            each.begin()

    def end(self, figures: Figures) -> bool:
        """Tell all what came of it; all hear of it before it is the last."""
        wants = [each.end(figures) for each in self._followers]
        return any(wants)
