"""Labels are moved apart as little as can be, and into free space."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treewright.chart.placement import Box, Occupied, spread


@given(wished=st.lists(st.floats(0, 300), max_size=8))
def test_labels_are_apart_in_order_and_within(wished: list[float]) -> None:
    places = spread(sorted(wished), [15.0] * max(len(wished) - 1, 0), low=0.0, high=300.0)
    assert all(b - a >= 15 - 1e-9 for a, b in pairwise(places))
    assert all(-1e-9 <= place <= 300 + 1e-9 for place in places)


def test_labels_that_are_apart_stay() -> None:
    assert spread([10.0, 100.0], [15.0], low=0.0, high=300.0) == [10.0, 100.0]
    assert spread([], [], low=0.0, high=1.0) == []


def test_nearest_places_by_search() -> None:
    wished = [10.0, 14.0, 16.0, 60.0]
    found = spread(wished, [15.0] * 3, low=0.0, high=200.0)
    best = sum((a - b) ** 2 for a, b in zip(found, wished, strict=True))
    rng = np.random.default_rng(0)
    for _ in range(2000):
        gaps = 15 + np.maximum(0, rng.normal(0, 5, 3))
        tried = np.concatenate([[0], np.cumsum(gaps)]) + rng.uniform(-20, 20)
        assert ((tried - wished) ** 2).sum() >= best - 1e-9


def test_a_line_between_two_points_takes_its_place() -> None:
    occupied = Occupied()
    occupied.add_line(np.array([0.0, 100.0]), np.array([0.0, 100.0]))
    assert not occupied.is_free(Box(45, 40, 60, 60))
    assert occupied.is_free(Box(60, 10, 90, 30))
    occupied.boxes.append(Box(60, 10, 90, 30))
    assert not occupied.is_free(Box(80, 20, 95, 40))
