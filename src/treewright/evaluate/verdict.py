"""The sentence that ends a comparison: what may be concluded, and what not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Side: TypeAlias = Literal["better", "worse", "open"]


def side_of(difference: float, p_value: float, *, higher_is_better: bool, level: float) -> Side:
    """Return on which side of the reference a learner is; "open" where it may be chance.

    >>> side_of(-0.03, 0.01, higher_is_better=False, level=0.95)
    'better'
    """
    if p_value > 1 - level:
        return "open"
    return "better" if (difference > 0) == higher_is_better else "worse"


def verdict_of(sides: Mapping[str, Side], beside: str, *, where: str, units: str) -> str:
    """Return what may be concluded of learners beside a reference.

    Parameters
    ----------
    sides
        The side of each learner, best first.
    beside
        Name of the reference.
    where
        What the conclusion holds for, such as ``"data like these"``.
    units
        What decides it or not, such as ``"folds"``.

    Examples
    --------
    >>> verdict_of({"forest": "better"}, "tree", where="data like these", units="folds")
    'forest is better than tree on data like these.'
    """
    of_side: dict[Side, list[str]] = {"better": [], "worse": [], "open": []}
    for name, side in sides.items():
        of_side[side].append(name)
    told = [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} {side} than {beside} on {where}."
        for side, names in of_side.items()
        if names and side != "open"
    ]
    open_ones = of_side["open"]
    if open_ones:
        told.append(
            f"For {listed(open_ones)} these {units} do not decide it: the difference may be chance."
            if told
            else f"These {units} do not decide between {beside} and {listed(open_ones)}:"
            f" {'the differences' if len(open_ones) > 1 else 'the difference'} may be chance."
        )
    return " ".join(told) or "Nothing can be concluded: no learner can be compared."


def listed(names: list[str]) -> str:
    """Return names as a sentence has them.

    >>> listed(["tree", "forest", "boosting"])
    'tree, forest and boosting'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
