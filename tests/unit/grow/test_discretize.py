"""Cuts found in advance: exact where the search looks at a part of the cuts only."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from treewright import Discretizer
from treewright.grow.discretize import even_cuts


def every_cut_tried(x: Any, y: Any, n_classes: int) -> list[float]:
    """MDLP by its definition: all cuts of all intervals, whole rows."""
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    before = np.zeros((len(x) + 1, n_classes))
    before[1:][np.arange(len(x)), y] = 1
    before = before.cumsum(axis=0)

    def purity(counts: Any) -> Any:
        def x_log_x(a: Any) -> Any:
            return np.where(a > 0, a * np.log2(np.maximum(a, 1)), 0)

        return x_log_x(counts).sum(axis=-1) - x_log_x(counts.sum(axis=-1))

    cuts = []
    pending = [(0, len(x))]
    while pending:
        begin, end = pending.pop()
        place = np.arange(begin + 1, end)
        place = place[x[place] != x[place - 1]]
        if not len(place):
            continue
        left, right = before[place] - before[begin], before[end] - before[place]
        found = purity(left) + purity(right)
        best = int(np.flatnonzero(found >= found.max() - 1e-9)[0])
        parts = [before[end] - before[begin], left[best], right[best]]
        n = end - begin
        h = [float(-purity(part) / part.sum()) for part in parts]
        k = [int((part > 0).sum()) for part in parts]
        delta = math.log2(3.0 ** k[0] - 2) - (k[0] * h[0] - k[1] * h[1] - k[2] * h[2])
        if h[0] + float(found[best]) / n > (math.log2(n - 1) + delta) / n:
            cut = int(place[best])
            cuts.append((x[cut - 1] + x[cut]) / 2)
            pending += [(begin, cut), (cut, end)]
    return sorted(cuts)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
def test_no_cut_is_overlooked(n_classes: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=3000) if seed else random.integers(0, 500, 3000).astype(float)
    rank = np.argsort(np.argsort(x, kind="stable"))
    taking_turns = rank // 15 % n_classes
    steps = np.digitize(x, np.quantile(x, np.sort(random.uniform(size=20)))) % n_classes
    noisy = np.where(random.uniform(size=3000) < 0.3, random.integers(0, n_classes, 3000), steps)
    for y in (taking_turns, steps, noisy, random.integers(0, n_classes, 3000)):
        found = Discretizer().fit(x[:, None], y).cuts_["x0"]
        np.testing.assert_allclose(found, every_cut_tried(x, y, n_classes))


def test_even_cuts_of_extreme_values_are_finite() -> None:
    cuts = even_cuts(np.array([-1.7e308, 1.7e308]), 4)
    assert np.isfinite(cuts).all()
    assert cuts[1] == 0.0
    assert even_cuts(np.array([3.0, 3.0]), 4).tolist() == []
    assert even_cuts(np.array([np.inf, -np.inf]), 4).tolist() == []
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    assert even_cuts(np.array([least, most]), 2).tolist() == [-1]
