"""What a search tries: values for parameters, drawn at random or all of them in turn.

Drawing at random finds good values sooner than a grid where few parameters matter (Bergstra and
Bengio 2012, *Random search for hyper-parameter optimization*, JMLR 13).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.parameters import as_float, check_flag, is_list, is_number, is_whole, nearest_hint

_SHARE_AS_GIVEN = 1 / 3
"""Of the draws of each parameter, how many leave it as the learner has it."""


@dataclass(frozen=True, kw_only=True)
class Range:
    """The numbers from `low` to `high`, to draw from.

    Parameters
    ----------
    low, high
        The ends; whole numbers are drawn where both are whole.
    log
        Whether equal ratios, and not equal differences, are equally likely.

    Examples
    --------
    >>> import numpy as np
    >>> Range(low=1, high=100, log=True).draw(np.random.default_rng(0))
    18
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        check_flag("log", self.log)
        ends = (self.low, self.high)
        if not all(is_number(end) and math.isfinite(as_float(end)) for end in ends):
            raise ParameterError(f"Range(low={self.low!r}, high={self.high!r}) needs two numbers.")
        if not self.low < self.high or (self.log and self.low <= 0):
            above = " above 0" if self.log else ""
            raise ParameterError(
                f"Range(low={self.low!r}, high={self.high!r}) needs ascending ends{above}."
            )

    def draw(self, random: np.random.Generator) -> float | int:
        """Return a number between the ends."""
        if is_whole(self.low) and is_whole(self.high):
            if not self.log:
                return int(random.integers(self.low, self.high + 1))
            drawn = math.exp(random.uniform(math.log(self.low), math.log(self.high + 1)))
            return min(int(drawn), self.high)
        if self.log:
            return float(math.exp(random.uniform(math.log(self.low), math.log(self.high))))
        return float(random.uniform(self.low, self.high))


Space = Mapping[str, Any]
"""Of each parameter the values to try: a list, a `Range`, or a distribution of scipy's kind."""


def check_space(space: object, learner: Any, *, name: str) -> Space:
    """Return a space whose parameters the learner has and whose values can be drawn."""
    if not isinstance(space, Mapping) or not space:
        raise ParameterError(
            f"space={space!r} must be a dict of parameters and what to try.\n"
            "  Hint: space={'max_depth': [2, 4, 8], 'min_samples_leaf': Range(low=1, high=50)}."
        )
    known = learner.get_params(deep=True)
    for parameter, values in space.items():
        if parameter not in known:
            raise ParameterError(
                f"space has {parameter!r}, which is no parameter of {name}."
                f"{nearest_hint(parameter, known)}"
            )
        is_one = not is_list(values) or not len(values)
        if is_one and not isinstance(values, Range) and not hasattr(values, "rvs"):
            raise ParameterError(
                f"space[{parameter!r}]={values!r} must be a list of values, a Range, or a"
                " distribution with rvs."
            )
    return space


def draw_candidates(
    learner: Any, space: Space, n_candidates: int, *, random_state: int
) -> list[dict[str, Any]]:
    """Return different settings to try, the first of which leaves all parameters as they are.

    Where all values are listed and their combinations are fewer than asked for, it is all of them.
    A parameter is else left as it is in a third of the draws, so that few are changed at once.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> draw_candidates(DecisionTreeClassifier(), {"max_depth": [1, None]}, 9, random_state=0)
    [{}, {'max_depth': 1}]
    """
    as_given = learner.get_params(deep=True)
    found: dict[str, dict[str, Any]] = {repr({}): {}}

    def add(setting: dict[str, Any]) -> None:
        changed = {
            name: value for name, value in setting.items() if repr(value) != repr(as_given[name])
        }
        found.setdefault(repr(changed), changed)

    lists = [list(values) for values in space.values() if is_list(values)]
    if len(lists) == len(space) and math.prod(map(len, lists)) < n_candidates:
        for values in product(*lists):
            add(dict(zip(space, values, strict=True)))
        return list(found.values())
    random = np.random.default_rng(random_state)
    for _ in range(20 * n_candidates):  # a small space may not have as many
        if len(found) == n_candidates:
            break
        add(
            {
                name: _draw(values, random)
                for name, values in space.items()
                if random.uniform() >= _SHARE_AS_GIVEN
            }
        )
    return list(found.values())


def _draw(values: Any, random: np.random.Generator) -> Any:
    if isinstance(values, Range):
        return values.draw(random)
    if hasattr(values, "rvs"):
        drawn = values.rvs(random_state=random)
        return drawn.item() if isinstance(drawn, np.generic) else drawn
    listed: Sequence[Any] = list(values)
    return listed[int(random.integers(len(listed)))]
