"""Weights of rows as single trees take them, and without their scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.read.class_weights import class_factors
from treewright.data.read.target import read_classes
from treewright.data.read.weights import RowWeights
from treewright.errors import AbsentClassWarning

ORDINARY = st.floats(2.0**-20, 2.0**20)


def relative(weights: list[float]) -> RowWeights:
    return RowWeights.read(weights, len(weights)).relative()


def test_whole_numbers_are_copies_and_others_are_not() -> None:
    whole = RowWeights.read([2, 0, 3], 3)
    assert whole.copies is not None
    assert whole.copies.tolist() == [2.0, 0.0, 3.0]
    assert RowWeights.read([2, 0.5, 3], 3).copies is None


@given(st.lists(ORDINARY | st.just(0.0), min_size=1, max_size=30).filter(any))
def test_relative_weights_have_mean_1_over_the_rows_that_count(weights: list[float]) -> None:
    found = relative(weights)
    assert found.copies is None
    if found.weight is None:
        assert min(weights) == max(weights)
        return
    assert np.array_equal(found.weight > 0, np.array(weights) > 0)
    n_rows = np.count_nonzero(weights)
    assert found.weight == pytest.approx(np.array(weights) * n_rows / sum(weights), rel=2.0**-23)
    assert found.weight.sum() == pytest.approx(n_rows, rel=2.0**-23)


@given(
    weights=st.lists(ORDINARY | st.integers(0, 9), min_size=1, max_size=30).filter(any),
    factor=st.sampled_from([0.1, 1 / 3, 3.0, 1e-6, 1e6, 2.0**40, 1e-150, 1e150]),
)
def test_a_constant_factor_changes_no_bit(weights: list[float], factor: float) -> None:
    # Halfway between two numbers of 24 bits a rounded product may fall to either side.
    parts = np.frexp(np.array(weights) * (np.count_nonzero(weights) / np.sum(weights)))[0]
    beyond = np.ldexp(parts, 24) % 1.0
    if np.any(np.abs(beyond - 0.5) < 1e-6):
        return
    plain, scaled = relative(weights), relative([factor * weight for weight in weights])
    if plain.weight is None:
        assert scaled.weight is None
    else:
        assert scaled.weight is not None
        assert scaled.weight.tobytes() == plain.weight.tobytes()


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0, 5e-324, 1e300])
def test_equal_weights_are_none(size: float) -> None:
    assert relative([size] * 7).weight is None
    some = relative([size, 0.0, size]).weight
    assert some is not None
    assert some.tolist() == [1.0, 0.0, 1.0]


def test_class_weight_may_name_classes_that_a_part_of_the_rows_lacks() -> None:
    target = read_classes(["a", "b", "a"], owner="Tree", n_rows=3)
    with pytest.warns(AbsentClassWarning, match="names class 'rare', which is not in y"):
        factors = class_factors(target, None, class_weight={"a": 2.0, "b": 3.0, "rare": 50.0})
    assert factors is not None
    assert factors.tolist() == [2.0, 3.0, 2.0]
