import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score, matthews_corrcoef, r2_score, roc_auc_score

from treewright.array_types import FloatArray
from treewright.errors import DataError, ParameterError
from treewright.evaluate.intervals import bootstrap, bootstrap_counts, row_mean

RANDOM = np.random.default_rng(0)
VALUES = RANDOM.gamma(2.0, size=60)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_draws_and_ends_are_those_of_scipy(method: str) -> None:
    ours = bootstrap(np.mean, VALUES, method=method, n_resamples=500, random_state=7)  # type: ignore[arg-type]
    theirs = stats.bootstrap(
        (VALUES,),
        np.mean,
        method={"bca": "BCa"}.get(method, method),  # type: ignore[arg-type]
        n_resamples=500,
        vectorized=False,
        random_state=7,
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


def test_the_same_seed_gives_the_same_interval_and_another_another() -> None:
    first, again, other = (
        bootstrap(np.mean, VALUES, n_resamples=200, random_state=seed) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_whole_groups_are_drawn() -> None:
    groups = np.repeat(np.arange(20), 5)
    values = np.repeat(RANDOM.normal(size=20), 5)
    by_group = bootstrap(np.mean, values, groups=groups, n_resamples=1000)
    robust = row_mean(values, groups=groups)
    by_row = bootstrap(np.mean, values, n_resamples=1000)
    assert by_group.high - by_group.low == pytest.approx(robust.high - robust.low, rel=0.15)
    assert by_row.high - by_row.low < 0.6 * (by_group.high - by_group.low)


def test_weights_stay_with_their_rows() -> None:
    def weighted(x: FloatArray, sample_weight: FloatArray) -> float:
        assert (sample_weight == x / x.max()).all() or (sample_weight == x / 4).all()
        return float(np.average(x, weights=sample_weight))

    found = bootstrap(weighted, [1.0, 2.0, 4.0], weights=[1.0, 2.0, 4.0], n_resamples=200)
    assert found.value == pytest.approx(3)
    assert found.method == "bootstrap, percentile, weighted"


def test_strata_keep_every_class_in_every_draw() -> None:
    is_one = np.array([1, 1] + [0] * 30)
    score = np.arange(32.0)[::-1]
    with pytest.raises(DataError, match=r"metric gave no finite number on \d+ of 200 draws"):
        bootstrap(
            lambda y, s: roc_auc_score(y, s) if 0 < y.mean() < 1 else math.nan,
            is_one,
            score,
            n_resamples=200,
        )
    found = bootstrap(roc_auc_score, is_one, score, strata=is_one, n_resamples=200)
    assert (found.low, found.high) == pytest.approx((1, 1))


@pytest.mark.parametrize("metric", [matthews_corrcoef, f1_score, r2_score])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_any_metric_has_an_interval_around_it(metric: object, method: str) -> None:
    actual = RANDOM.random(80) < 0.4
    predicted = np.where(RANDOM.random(80) < 0.8, actual, ~actual).astype(int)
    found = bootstrap(metric, actual.astype(int), predicted, method=method, n_resamples=200)  # type: ignore[arg-type]
    assert found.low < found.value < found.high


def accuracy(tables: FloatArray) -> FloatArray:
    return np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))


def test_counts_drawn_at_once_have_the_interval_of_rows() -> None:
    actual = np.repeat([0, 1, 2], [40, 30, 50])
    predicted = np.where(np.arange(120) % 4 == 0, (actual + 1) % 3, actual)
    counts = [[np.sum((actual == i) & (predicted == j)) for j in range(3)] for i in range(3)]
    at_once = bootstrap_counts(accuracy, counts, n_resamples=20_000)
    by_row = bootstrap(lambda a, b: np.mean(a == b), actual, predicted)
    assert at_once.value == by_row.value == 0.75
    assert (at_once.low, at_once.high) == pytest.approx((by_row.low, by_row.high), abs=0.012)
    assert at_once == bootstrap_counts(accuracy, counts, n_resamples=20_000)


@pytest.mark.parametrize("counts", [[[0, 0], [0, 0]], [[1.5, 0], [0, 1]], [[-1, 0], [0, 2]], []])
def test_counts_that_are_none_are_refused(counts: list[list[float]]) -> None:
    with pytest.raises(DataError, match="counts must be whole numbers, at least 0 and not all 0"):
        bootstrap_counts(accuracy, counts)


def test_one_row_or_group_has_no_bounds() -> None:
    assert bootstrap(np.mean, [3.0]).high == math.inf
    assert bootstrap(np.mean, [3.0, 4.0], groups=["a", "a"]).low == -math.inf


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_draws_that_are_all_alike_have_no_width(method: str) -> None:
    found = bootstrap(np.mean, [3.0] * 5, n_resamples=100, method=method)  # type: ignore[arg-type]
    assert found.low == found.value == found.high == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: bootstrap(np.mean),
            "bootstrap needs columns of one length; their shapes are: none",
        ),
        (lambda: bootstrap(np.mean, [1.0], [1.0, 2.0]), r"their shapes are: \(1,\), \(2,\)"),
        (lambda: bootstrap(np.mean, []), "the columns are empty"),
        (lambda: bootstrap("mean", [1.0]), "metric='mean' must be a function"),  # type: ignore[arg-type]
        (lambda: bootstrap(np.mean, [1.0], n_resamples=9), "n_resamples=9 must be at least 100"),
        (
            lambda: bootstrap(np.mean, [1.0, 2.0], strata=[1]),
            "strata has 1 values, but there are 2",
        ),
        (
            lambda: bootstrap(np.mean, [1.0, 2.0, 3.0], strata=[1, 2, 2], groups=[1, 1, 2]),
            "the group of row 0 has rows of several strata",
        ),
    ],
)
def test_wrong_arguments_are_refused(call: object, message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        call()  # type: ignore[operator]
