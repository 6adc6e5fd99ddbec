"""Ticks at round numbers, and axes that show every number given."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.chart.scale import Scale, has_place, limits_of

ENDS = st.floats(-1e299, 1e299, allow_subnormal=False)


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (0.0, 1.0, 6, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.0, 1.0, 5, [0.0, 0.5, 1.0]),
        (0.054, 0.193, 8, [0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18]),
        (-0.3, 0.3, 4, [-0.2, 0.0, 0.2]),
        (1990.0, 2020.0, 8, [1990.0, 1995.0, 2000.0, 2005.0, 2010.0, 2015.0, 2020.0]),
    ],
)
def test_linear_ticks(low: float, high: float, most: int, ticks: list[float]) -> None:
    assert Scale(low, high, 0, 1).ticks(most) == ticks


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (1, 100, 9, [1, 2, 5, 10, 20, 50, 100]),
        (1, 1000, 7, [1, 3, 10, 30, 100, 300, 1000]),
        (1, 1e6, 4, [1, 100, 10_000, 1_000_000]),
        (11, 14, 9, [11, 11.5, 12, 12.5, 13, 13.5, 14]),
    ],
)
def test_log_ticks(low: float, high: float, most: int, ticks: list[float]) -> None:
    assert Scale(low, high, 0, 1, log=True).ticks(most) == ticks


@given(values=st.lists(ENDS, max_size=5), most=st.integers(2, 9), padded=st.booleans())
def test_an_axis_holds_all_numbers_and_at_most_so_many_ticks(
    values: list[float], most: int, padded: bool
) -> None:
    low, high = limits_of(np.array(values), (None, None), log=False, padded=padded)
    scale = Scale(low, high, 400.0, 100.0)
    assert low < high
    assert all(scale.holds(value) for value in values)
    assert all(99 <= scale.at(value) <= 401 for value in values)
    ticks = scale.ticks(most)
    assert len(ticks) <= most
    assert ticks == sorted(ticks)
    assert all(scale.holds(tick) for tick in ticks)


@given(values=st.lists(st.floats(1e-290, 1e290), max_size=5), most=st.integers(3, 9))
def test_a_log_axis_holds_all_numbers(values: list[float], most: int) -> None:
    low, high = limits_of(np.array(values), (None, None), log=True, padded=True)
    scale = Scale(low, high, 0.0, 100.0, log=True)
    assert all(-1 <= scale.at(value) <= 101 for value in values)
    assert len(scale.ticks(most)) <= most


def test_numbers_without_a_place() -> None:
    values = np.array([np.nan, np.inf, -np.inf, 0.0, -1.0, 1.0, 1e305])
    assert has_place(values, log=False).tolist() == [False] * 3 + [True] * 3 + [False]
    assert has_place(values, log=True).tolist() == [False] * 5 + [True, False]
