import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.errors import DataError, ParameterError
from treewright.evaluate.significance import adjusted, bonferroni, max_t, paired_t

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P_VALUES, st.floats(0.001, 0.5))
def test_holm_rejects_step_by_step_from_the_smallest_p(p: list[float], level: float) -> None:
    found = adjusted(p)
    rejected = set()
    for step, i in enumerate(np.argsort(p, kind="stable").tolist()):
        if p[i] * (len(p) - step) > level:
            break
        rejected.add(i)
    assert {i for i, each in enumerate(found) if each <= level} == rejected


@given(P_VALUES)
def test_holm_is_between_none_and_bonferroni(p: list[float]) -> None:
    none, holm, most = (adjusted(p, method=m) for m in ("none", "holm", "bonferroni"))  # type: ignore[arg-type]
    assert (none <= holm).all()
    assert (holm <= most).all()
    assert most.max() <= 1


def tables(n_folds: int, n_compared: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.normal(size=(n_folds, n_compared)) + random.normal(size=n_compared)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(2, 12),
    st.integers(1, 6),
    st.integers(0, 10**6),
    st.sampled_from(["two-sided", "less", "greater"]),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_no_interval_contradicts_its_adjusted_verdict(
    n_folds: int, n_compared: int, seed: int, side: str, level: float
) -> None:
    table = tables(n_folds, n_compared, seed)
    nothing = np.zeros(n_folds)
    tests = [paired_t(column, nothing, alternative=side) for column in table.T]  # type: ignore[arg-type]
    for together in (
        bonferroni(tests, level=1 - level),
        max_t(table, alternative=side, level=1 - level),  # type: ignore[arg-type]
    ):
        for p_value, interval in zip(together.p_values, together.intervals, strict=True):
            assert (0 in interval) == (p_value > level)


def test_one_comparison_has_the_plain_test() -> None:
    table = tables(8, 1, 0)
    plain = paired_t(table[:, 0], np.zeros(8), test_to_train=0.25)
    together = max_t(table, test_to_train=0.25)
    assert together.p_values[0] == pytest.approx(plain.p_value, rel=1e-12)
    assert together.intervals[0].high == pytest.approx(plain.interval().high, rel=1e-9)


def test_max_t_is_sharper_than_bonferroni_for_differences_that_vary_together() -> None:
    random = np.random.default_rng(1)
    table = random.normal(size=(10, 1)) + 0.3 * random.normal(size=(10, 8))
    tests = [paired_t(column, np.zeros(10)) for column in table.T]
    widths = [
        [each.high - each.low for each in together.intervals]
        for together in (max_t(table), bonferroni(tests))
    ]
    plain = [test.interval().high - test.interval().low for test in tests]
    assert all(p < m < 0.9 * b for p, m, b in zip(plain, *widths, strict=True))


def test_the_same_differences_give_the_same_answer() -> None:
    table = tables(6, 3, 4)
    assert max_t(table) == max_t(table)


def test_columns_without_spread_follow_the_convention_of_one_test() -> None:
    table = np.column_stack([np.zeros(5), np.full(5, 0.25), [0.1, 0.2, -0.1, 0.0, 0.1]])
    together = max_t(table)
    assert together.p_values[0] == 1
    assert 0 in together.intervals[0]
    alone = paired_t(table[:, 1], np.zeros(5))
    assert together.p_values[1] == alone.p_value == 1
    for found in (together.intervals[1], alone.interval(), bonferroni([alone]).intervals[0]):
        assert (found.value, found.low, found.high) == (0.25, -math.inf, math.inf)
    assert 0 < together.p_values[2] < 1
    assert max_t(np.zeros((3, 2))).p_values == (1, 1)
    assert max_t(np.full((3, 2), 0.5)).intervals[0].low == -math.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: adjusted([0.5, 1.5]), r"p_values\[1\] is 1.5, but must be 0 to 1."),
        (lambda: adjusted([0.5, math.nan]), r"p_values\[1\] is nan"),
        (lambda: adjusted([0.5], method="sidak"), "method='sidak' must be one of"),  # type: ignore[arg-type]
        (lambda: max_t([0.1, 0.2]), r"a row for each of at least 2 folds .* shape is \(2,\)"),
        (lambda: max_t([[0.1], [math.nan]]), r"differences\[1, 0\] is nan, but must be finite."),
    ],
)
def test_wrong_figures_are_refused(call: object, message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        call()  # type: ignore[operator]


def test_no_comparison_is_no_error() -> None:
    assert bonferroni([]).intervals == ()
    assert adjusted([]).tolist() == []
