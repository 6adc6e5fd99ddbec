from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from treewright.draw.tidy import tidy


@st.composite
def shapes(draw: st.DrawFn) -> list[range]:
    """Return the children of each node of a random tree."""
    children: list[range] = []
    n_nodes = 1
    while len(children) < n_nodes:
        n = draw(st.sampled_from([0, 0, 2, 2, 3, 5])) if n_nodes < 60 else 0
        children.append(range(n_nodes, n_nodes + n))
        n_nodes += n
    return children


def levels_of(children: list[range]) -> list[list[int]]:
    levels = [[0]]
    while levels[-1]:
        levels.append([child for node in levels[-1] for child in children[node]])
    return levels[:-1]


@given(shapes())
def test_neighbours_keep_their_distance_and_their_order(children: list[range]) -> None:
    place = tidy(children, step=10.0)
    assert min(place) == 0.0
    for level in levels_of(children):
        for left, right in pairwise(level):
            assert place[right] - place[left] >= 10.0 - 1e-9


@given(shapes())
def test_parents_are_above_the_middle_of_their_children(children: list[range]) -> None:
    place = tidy(children, step=10.0)
    for node, below in enumerate(children):
        if below:
            middle = (place[below[0]] + place[below[-1]]) / 2
            assert abs(place[node] - middle) < 1e-9


def test_time_is_linear_in_a_chain() -> None:
    def seconds(n: int) -> float:
        # Node 2i asks; its children are 2i + 1, a leaf, and 2i + 2, which asks on.
        children = [
            range(node + 1, node + 3) if node % 2 == 0 and node < 2 * n else range(0)
            for node in range(2 * n + 1)
        ]
        start = time.process_time()
        tidy(children, step=10.0)
        return time.process_time() - start

    seconds(100)
    assert seconds(40_000) < 40 * max(min(seconds(4_000) for _ in range(3)), 1e-3)
