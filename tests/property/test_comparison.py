"""What a comparison prints adds up, whatever the learners answered."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.array_types import Array
from treewright.evaluate import compare
from treewright.evaluate.metrics import METRICS

METRICS_OF = {
    task: [name for name, each in METRICS.items() if each.task == task and each.needs != "costs"]
    for task in ("classes", "numbers")
}


@dataclass
class Told:
    """A model whose answers stand in the table."""

    column: int
    classes: Any = None

    def predict(self, X: Array) -> Array:
        given = X[:, self.column]
        return given if self.classes is None else (given > 0.5).astype(int)

    def predict_proba(self, X: Array) -> Array:
        return np.column_stack([1 - X[:, self.column], X[:, self.column]])


def printed(figure: str) -> Decimal:
    """Return a number as it is printed, its thousands apart."""
    return Decimal(figure.replace(",", ""))


def check_sums(text: str, n_learners: int) -> None:
    """Check that each printed difference is that of the two figures printed."""
    head, *lines = (
        re.split(r"\s{2,}", line.strip()) for line in text.split("\n")[2 : 3 + n_learners]
    )
    place = next(i for i, each in enumerate(head) if each in ("against told 0", "difference"))
    figure = {line[0]: printed(line[1].removesuffix(" %")) for line in lines}
    assert set(figure) == {f"told {i}" for i in range(n_learners)}
    n_compared = 0
    for line in lines:
        if line[0] != "told 0" and len(line) > place:
            assert printed(line[place]) == figure[line[0]] - figure["told 0"], text
            n_compared += 1
    assert n_compared == n_learners - 1 or "no difference can be judged" in text


@given(
    task=st.sampled_from(["classes", "numbers"]),
    n_rows=st.integers(20, 80),
    n_folds=st.integers(2, 7),
    scale=st.sampled_from([1e-3, 1.0, 37.0, 1e6]),
    has_groups=st.booleans(),
    has_weights=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_printed_differences_are_those_of_the_printed_figures(
    task: str,
    n_rows: int,
    n_folds: int,
    scale: float,
    has_groups: bool,
    has_weights: bool,
    seed: int,
    data: st.DataObject,
) -> None:
    random = np.random.default_rng(seed)
    metric = data.draw(st.sampled_from(METRICS_OF[task]))
    X = random.random((n_rows, 3))
    y: Array = (random.random(n_rows) < 0.5).astype(int)
    y[:2] = [0, 1]
    known: Any = ([0, 1],)
    if task == "numbers":
        X, y, known = X * scale, random.random(n_rows) * scale, None
    learners = {f"told {i}": Told(i, known) for i in range(3)}
    found = compare(
        learners,
        X,
        y,
        cv=n_folds,
        metrics=metric,
        groups=random.integers(0, 9, n_rows) if has_groups else None,
        sample_weight=random.random(n_rows) if has_weights else None,
    )
    check_sums(str(found), 3)
    for name, each in zip(found.names[1:], found.differences[1:], strict=True):
        if each is not None:  # exactly, and the interval around it
            exact = found[name][metric].value - found["told 0"][metric].value
            assert each.value == pytest.approx(exact, rel=1e-9, abs=1e-12 * scale)
            assert each.interval.low <= each.value <= each.interval.high
            assert (0 in each.interval) == (each.p_value > 0.05)
