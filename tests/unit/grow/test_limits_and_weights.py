"""Limits, weights and constraints where they meet missing values or rows that do not count."""

import numpy as np
import pytest

from treewright import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.errors import UnsupportedError

NAN = float("nan")


def test_one_class_meets_no_constraint() -> None:
    model = DecisionTreeClassifier(monotonic_cst=[1]).fit([[1.0], [2.0], [3.0]], [7, 7, 7])
    assert model.predict([[9.0]]).tolist() == [7]


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_whether_a_value_is_known_is_not_under_a_constraint(criterion: str) -> None:
    X = [[1.0], [2.0], [3.0], [4.0], [NAN], [NAN], [NAN]] * 5
    y = [10.0, 10.0, 10.0, 10.0, 0.0, 0.0, 0.0] * 5
    for sign in (1, -1):
        model = DecisionTreeRegressor(criterion=criterion, monotonic_cst=[sign]).fit(X, y)
        assert model.predict([[2.0], [NAN]]).tolist() == [10.0, 0.0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sign", [1, -1])
def test_medians_left_and_right_of_a_cut_are_in_order(sign: int, weighted: bool) -> None:
    """The best cut of those whose medians keep to the constraint, by brute force."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        x = random.integers(0, 8, size=25).astype(float)
        y = random.integers(0, 12, size=25).astype(float)
        weight = random.integers(1, 4, size=25) if weighted else np.ones(25, dtype=int)
        model = DecisionTreeRegressor(
            criterion="absolute_error", monotonic_cst=[sign], max_depth=1
        ).fit(x[:, None], y, sample_weight=weight.astype(float))

        def side(chosen: np.ndarray, y: np.ndarray = y, n: np.ndarray = weight) -> np.ndarray:
            return np.repeat(y[chosen], n[chosen])

        def deviation(values: np.ndarray) -> float:
            return float(np.abs(values - np.median(values)).sum())

        whole = deviation(np.repeat(y, weight))
        left_over = [
            deviation(side(x <= cut)) + deviation(side(x > cut))
            for cut in np.unique(x)[:-1]
            if sign * (np.median(side(x > cut)) - np.median(side(x <= cut))) >= 0
        ]
        best = min(left_over, default=whole)
        at = model.apply(x[:, None])
        found = sum(deviation(side(at == leaf)) for leaf in np.unique(at))
        assert found == pytest.approx(best if best < whole else whole)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("missing", ["majority", "surrogates", "learned_side", "divide"])
def test_predictions_stay_monotonic_with_missing_values(missing: str, criterion: str) -> None:
    for seed in range(60):
        random = np.random.default_rng(seed)
        X = random.integers(0, 6, size=(60, 2)).astype(float)
        X[random.random(X.shape) < 0.25] = NAN
        y = np.nan_to_num(X[:, 0]) + random.normal(size=60) * 3
        model = DecisionTreeRegressor(
            monotonic_cst=[1, 0], missing=missing, criterion=criterion
        ).fit(X, y)
        for other in range(6):
            grid = np.column_stack([np.linspace(-1, 7, 30), np.full(30, float(other))])
            assert np.all(np.diff(model.predict(grid)) >= -1e-9)


def test_significance_counts_the_missing_branch() -> None:
    X = [[NAN]] * 20 + [[1.0]] * 10 + [[2.0]] * 10
    y = [1] * 20 + [0] * 20
    model = DecisionTreeClassifier(missing="own_branch", max_p_value=0.05).fit(X, y)
    assert model.score(X, y) == 1.0


def test_rows_without_weight_do_not_count_in_shares_of_rows() -> None:
    X = np.arange(20.0)[:, None]
    y = np.arange(20) % 10 // 3
    weight = np.repeat([0.5, 0.0], 10)
    with_zeros = DecisionTreeClassifier(min_samples_leaf=0.3).fit(X, y, weight)
    without = DecisionTreeClassifier(min_samples_leaf=0.3).fit(X[:10], y[:10], weight[:10])
    assert with_zeros.get_n_leaves() == without.get_n_leaves() == 3


def test_a_negative_count_of_no_weight_is_no_fault() -> None:
    model = DecisionTreeRegressor(criterion="poisson")
    model.fit([[1.0], [2.0], [3.0]], [1.0, 4.0, -1.0], [1.0, 1.0, 0.0])
    assert model.predict([[1.0], [2.0]]).tolist() == [1.0, 4.0]


def test_the_unit_of_weights_does_not_matter_for_shares_of_weight() -> None:
    X, y = np.arange(10.0)[:, None], [0] * 5 + [1] * 5
    for weight in (None, np.full(10, 0.1), np.full(10, 7.3)):
        model = DecisionTreeClassifier(min_fraction_leaf=0.5).fit(X, y, weight)
        assert model.get_n_leaves() == 2


def test_nunez_needs_gains_in_bits() -> None:
    with pytest.raises(UnsupportedError, match="raises 2 to the gain"):
        DecisionTreeRegressor(column_costs=[5, 1], cost_rule="nunez").fit([[0, 1], [1, 2]], [0, 1])


def test_absolute_error_takes_missing_as_a_category() -> None:
    X = {"c": ["p"] * 4 + [None] * 4}
    y = [0.0] * 4 + [5.0] * 4
    for nominal in ("multiway", "one_vs_rest"):
        model = DecisionTreeRegressor(
            criterion="absolute_error", nominal=nominal, missing="own_branch"
        )
        assert model.fit(X, y).score(X, y) == 1.0


def test_absolute_error_lets_missing_rows_fill_a_small_branch() -> None:
    X = {"c": ["p", "p", "q", None]}
    model = DecisionTreeRegressor(
        criterion="absolute_error", nominal="multiway", min_samples_leaf=2
    ).fit(X, [0.0, 0.0, 5.0, 5.0])
    assert model.predict(X).tolist() == [0.0, 0.0, 5.0, 5.0]


def test_drawn_thresholds_separate_the_extremes() -> None:
    X = np.array([[-np.inf], [-1.7976931348623157e308]])
    model = DecisionTreeClassifier(splitter="random").fit(X, [0, 1])
    assert model.predict(X).tolist() == [0, 1]


def test_the_unit_of_weights_does_not_matter_for_significance() -> None:
    X, y = np.arange(8.0)[:, None], [0] * 4 + [1] * 4
    for unit in (None, 0.1, 7.3):  # chi-square 8 of eight rows: p 0.005
        weight = None if unit is None else np.full(8, unit)
        for limit, n_leaves in ((0.01, 2), (0.001, 1)):
            model = DecisionTreeClassifier(max_p_value=limit).fit(X, y, weight)
            assert model.get_n_leaves() == n_leaves
