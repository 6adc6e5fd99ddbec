"""``added_errors`` and ``wilson_interval`` against the book, against halving, and at the edges."""

import numpy as np
import pytest
from oracle.errors import exact_deviate, upper_errors, wilson

from treewright.errors import DataError, ParameterError
from treewright.measures import added_errors, wilson_interval


def rate(n: float, e: float, variant: str = "release8") -> float:
    return float((e + added_errors(n, e, 0.25, variant=variant)) / n)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("n", "e", "expected"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)]
)
def test_the_limits_that_quinlan_prints(n: int, e: int, expected: float) -> None:
    """Quinlan 1993, section 4.2: U25%(E, N)."""
    assert rate(n, e) == pytest.approx(expected, abs=5e-4)


def test_quinlans_subtree_is_replaced_by_a_leaf() -> None:
    subtree = sum(float(added_errors(n, 0)) for n in (6, 9, 1))
    leaf = 1 + float(added_errors(16, 1))
    assert subtree == pytest.approx(3.273, abs=5e-4)
    assert leaf == pytest.approx(2.507, abs=5e-4)  # the book rounds to 16 x 0.157 = 2.512
    assert leaf < subtree


@pytest.mark.parametrize("variant", ["release8", "j48", "c5"])
@pytest.mark.parametrize("confidence", [0.001, 0.05, 0.1, 0.25, 0.4])
def test_the_limits_are_what_halving_finds(variant: str, confidence: float) -> None:
    for n in (0.3, 1, 1.4, 2, 5.5, 16, 250, 40_000):
        for share in (0, 1e-3, 0.1, 0.5, 0.9, 0.99, 1):
            e = n * share
            found = e + added_errors(n, e, confidence, variant=variant)  # type: ignore[arg-type]
            expected = upper_errors(n, e, confidence, program=variant)
            assert float(found) == pytest.approx(expected, abs=1e-6 * max(1, n)), (n, e)


def test_programs_differ_as_documented() -> None:
    assert rate(16, 1, "j48") == pytest.approx(0.154732, abs=1e-6)  # z = 0.6745, not 0.6925
    assert float(added_errors(5, 4.5)) == pytest.approx(0.67 * 0.5)
    assert float(added_errors(5, 4.5, variant="j48")) == pytest.approx(0.5)
    assert float(added_errors(20, 3, 0.6, variant="j48")) == 0.0
    assert float(added_errors(20, 3, 0.6)) > 0.0


def test_arrays_broadcast() -> None:
    found = added_errors(np.array([[10.0], [20.0]]), np.array([0.0, 1.0, 2.0]))
    assert found.shape == (2, 3)
    assert found[1, 2] == added_errors(20, 2)


def test_a_sum_of_parts_that_is_nearly_whole_is_whole() -> None:
    assert float(added_errors(10, 3e-7)) == float(added_errors(10, 0))
    nearly = float(added_errors(10, 1 - 1e-7))
    assert nearly == pytest.approx(float(added_errors(10, 1)), abs=1e-6)


def test_nothing_covered_adds_nothing() -> None:
    assert added_errors(0, 0).tolist() == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 3, "e": 4}, "e holds 4.0, which is more than n, 3.0."),
        ({"n": -1, "e": 0}, "n holds -1.0, but counts are finite and at least 0."),
        ({"n": 3, "e": float("nan")}, "e holds nan, but counts are finite and at least 0."),
    ],
)
def test_counts_are_checked(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(DataError) as caught:
        added_errors(**arguments)
    assert str(caught.value) == message


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match=r"confidence=0 must be above 0 and at most 1\."):
        added_errors(1, 0, 0)
    with pytest.raises(ParameterError, match="variant='J48' must be one of"):
        added_errors(1, 0, variant="J48")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"level=1 must be above 0 and below 1\."):
        wilson_interval(1, 2, level=1)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_wilsons_interval_is_what_halving_finds(level: float) -> None:
    z = exact_deviate((1 - level) / 2)
    for n in (1, 2.5, 10, 400):
        for share in (0, 0.01, 0.5, 0.9, 1):
            low, high = wilson_interval(n * share, n, level=level)
            assert (float(low), float(high)) == pytest.approx(wilson(n * share, n, z), abs=1e-9)


def test_nothing_seen_leaves_everything_open() -> None:
    low, high = wilson_interval([0, 1], [0, 1])
    assert (low[0], high[0], high[1]) == (0, 1, 1)
