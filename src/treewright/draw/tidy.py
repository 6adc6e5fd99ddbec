"""Tidy places for the nodes of a tree: no two cards overlap, parents above the middle of children.

Subtrees are drawn first, then set side by side as closely as their outlines allow, and their parent
is centred over the first and the last of them (Reingold and Tilford 1981, for any number of
children). An outline is kept as two lists, the lowest level first, and only the levels that two
neighbours share are looked at when they are joined, so the time is linear in the number of nodes.

Examples
--------
>>> tidy([range(1, 3), range(0), range(0)], step=100.0)
[50.0, 0.0, 100.0]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class _Outline:
    """The leftmost and the rightmost place of every level of a subtree, the lowest level first.

    A place is an entry plus its base: a subtree is moved by its bases alone.
    """

    left: list[float]
    right: list[float]
    left_base: float = 0.0
    right_base: float = 0.0

    def shift(self, by: float) -> None:
        self.left_base += by
        self.right_base += by


def tidy(children: Sequence[range], *, step: float) -> list[float]:
    """Return where the centre of each node is, the leftmost at 0; nodes that are not shown at 0.

    Parameters
    ----------
    children
        The children of each node that are drawn; every node is numbered before its children.
    step
        The least distance between the centres of neighbours: width of a card, and a gap.
    """
    shown = _shown(children)
    outline_of: dict[int, _Outline] = {}
    offset = [0.0] * len(children)
    for node in reversed(shown):
        below = children[node]
        if not below:
            outline_of[node] = _Outline([0.0], [0.0])
            continue
        joined = outline_of.pop(below[0])
        for child in below[1:]:
            added = outline_of.pop(child)
            offset[child] = _distance(joined, added, step)
            added.shift(offset[child])
            joined = _join(joined, added)
        middle = (offset[below[0]] + offset[below[-1]]) / 2
        for child in below:
            offset[child] -= middle
        joined.shift(-middle)
        joined.left.append(-joined.left_base)
        joined.right.append(-joined.right_base)
        outline_of[node] = joined
    whole = outline_of[0]
    leftmost = min(whole.left) + whole.left_base
    place = [0.0] * len(children)
    place[0] = -leftmost
    for node in shown:
        for child in children[node]:
            place[child] = place[node] + offset[child]
    return place


def _shown(children: Sequence[range]) -> list[int]:
    """Return the nodes that are drawn, each before its children."""
    order = [0]
    for node in order:  # grows while it is read
        order.extend(children[node])
    return order


def _distance(one: _Outline, other: _Outline, step: float) -> float:
    """Return how far the second must be moved so that it clears the first on every level."""
    shared = min(len(one.right), len(other.left))
    bases = one.right_base - other.left_base
    return step + bases + max(one.right[-k] - other.left[-k] for k in range(1, shared + 1))


def _join(one: _Outline, other: _Outline) -> _Outline:
    """Return the outline of two neighbours; it takes over the longer lists of both."""
    left, left_base = _upper(one.left, one.left_base, other.left, other.left_base)
    right, right_base = _upper(other.right, other.right_base, one.right, one.right_base)
    return _Outline(left, right, left_base, right_base)


def _upper(
    upper: list[float], base: float, lower: list[float], lower_base: float
) -> tuple[list[float], float]:
    """Return the first list where it reaches, and the second one on the levels below."""
    if len(upper) >= len(lower):
        return upper, base
    for k in range(1, len(upper) + 1):
        lower[-k] = upper[-k] + base - lower_base
    return lower, lower_base
