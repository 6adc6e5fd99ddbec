"""Do intervals hold the truth, and tests their level, as often as they say? Minutes of draws."""

import math

import numpy as np
import pytest
from scipy import stats

from treewright.array_types import FloatArray
from treewright.evaluate.intervals import auc, clopper_pearson, root_mean_square, row_mean, share
from treewright.evaluate.intervals.shares import wilson
from treewright.evaluate.significance import max_t, paired_t

pytestmark = pytest.mark.slow

SIZES = (30, 100, 300, 1000, 3000)
RATES = (0.02, 0.1, 0.3, 0.5)


def coverage(interval: object, n: int, rate: float) -> float:
    """The exact probability, over all counts of n rows, that the interval holds the rate."""
    inside = [rate in interval(k, n) for k in range(n + 1)]  # type: ignore[operator]
    return float(stats.binom.pmf(np.arange(n + 1), n, rate) @ inside)


def mean_coverage(interval: object, n: int, rate: float) -> float:
    """The mean over rates nearby: a count is whole, so that a single rate may be off by chance."""
    spread = math.sqrt(rate * (1 - rate) / n)
    low, high = max(rate - spread, 0.25 * rate), min(rate + spread, 1 - 0.25 * rate)
    return float(np.mean([coverage(interval, n, at) for at in np.linspace(low, high, 15)]))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("n", SIZES)
def test_wilson_covers_rates_as_often_as_it_says(n: int, rate: float) -> None:
    found = mean_coverage(wilson, n, rate)
    print(f"wilson n={n} rate={rate}: alone {coverage(wilson, n, rate):.4f}, mean {found:.4f}")
    assert found == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("n", SIZES[:4])
def test_clopper_pearson_never_covers_less(n: int, rate: float) -> None:
    assert coverage(clopper_pearson, n, rate) >= 0.95


def held(n_draws: int, interval: object, truth: float) -> float:
    """The share of draws whose interval holds the truth."""
    return float(np.mean([truth in interval(np.random.default_rng(i)) for i in range(n_draws)]))  # type: ignore[operator]


@pytest.mark.parametrize("n", SIZES)
def test_means_and_their_roots_are_covered(n: int) -> None:
    mean = held(
        2000, lambda random: row_mean(np.abs(random.normal(size=n))), math.sqrt(2 / math.pi)
    )
    root = held(2000, lambda random: root_mean_square(random.normal(size=n)), 1.0)
    print(f"n={n}: mean absolute error {mean:.4f}, root mean square {root:.4f}")
    assert mean == pytest.approx(0.95, abs=0.02)
    assert root == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("n_groups", [30, 100])
def test_groups_keep_the_level_that_rows_alone_lose(n_groups: int) -> None:
    def drawn(random: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        rate = stats.beta.rvs(1.5, 3.5, size=n_groups, random_state=random)
        groups = np.repeat(np.arange(n_groups), 10)
        return (random.random(len(groups)) < rate[groups]).astype(float), groups

    def by_group(random: np.random.Generator) -> object:
        hits, groups = drawn(random)
        return share(hits, groups=groups)

    grouped = held(2000, by_group, 0.3)
    alone = held(2000, lambda random: share(drawn(random)[0]), 0.3)
    print(f"{n_groups} groups of 10: by group {grouped:.4f}, by row {alone:.4f}")
    assert grouped == pytest.approx(0.95, abs=0.02)
    assert alone < 0.9


@pytest.mark.parametrize("n", [30, 100, 300, 1000])
@pytest.mark.parametrize("shift", [0.5, 1.5])
def test_areas_are_covered(n: int, shift: float) -> None:
    truth = float(stats.norm.cdf(shift / math.sqrt(2)))
    is_one = np.arange(n) % 3 == 0

    def interval(random: np.random.Generator, scale: str) -> object:
        return auc(is_one, random.normal(size=n) + shift * is_one, scale=scale)  # type: ignore[arg-type]

    logit, plain = (
        held(2000, lambda random, s=scale: interval(random, s), truth)  # type: ignore[misc]
        for scale in ("logit", "plain")
    )
    print(f"area {truth:.3f}, n={n}: logit {logit:.4f}, plain {plain:.4f}")
    assert logit == pytest.approx(0.95, abs=0.02)


def split_scores(random: np.random.Generator, n_splits: int) -> FloatArray:
    """Accuracies of two equally good learners on random splits of one table, splits x learners.

    Each sees one of two columns that are alike, and answers with the nearer class mean.
    """
    n_rows, n_test = 200, 40
    y = np.arange(n_rows) % 2
    x = random.normal(size=(n_rows, 2)) + 0.8 * y[:, None]
    scores = np.empty((n_splits, 2))
    for split in range(n_splits):
        order = random.permutation(n_rows)
        test, train = order[:n_test], order[n_test:]
        means = [x[train][y[train] == label].mean(axis=0) for label in (0, 1)]
        says_one = np.abs(x[test] - means[1]) < np.abs(x[test] - means[0])
        scores[split] = (says_one == y[test][:, None]).mean(axis=0)
    return scores


def test_the_corrected_test_keeps_its_level_where_the_plain_one_does_not() -> None:
    plain, corrected = [], []
    for seed in range(2000):
        first, second = split_scores(np.random.default_rng(seed), 15).T
        plain.append(paired_t(first, second).rejects(0.05))
        corrected.append(paired_t(first, second, test_to_train=40 / 160).rejects(0.05))
    print(
        f"equal learners, 15 splits: plain {np.mean(plain):.4f}, corrected {np.mean(corrected):.4f}"
    )
    assert np.mean(plain) > 0.15
    assert np.mean(corrected) <= 0.07


def test_max_t_holds_all_differences_at_once() -> None:
    together, single = [], []
    for seed in range(1000):
        random = np.random.default_rng(seed)
        table = random.normal(size=(10, 1)) + random.normal(size=(10, 5))
        found = max_t(table)
        together.append(all(0 in each for each in found.intervals))
        nothing = np.zeros(10)
        single.append(not any(paired_t(column, nothing).rejects() for column in table.T))
    print(f"five differences of 0: max-t {np.mean(together):.4f}, each alone {np.mean(single):.4f}")
    assert np.mean(together) == pytest.approx(0.95, abs=0.02)
    assert np.mean(single) < 0.92
