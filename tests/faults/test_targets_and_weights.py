"""Targets and weights that are missing, extreme, mixed or of another length (FAULTS 14-22, 33)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from every_estimator import CLASSIFIERS, ENSEMBLES, ESTIMATORS, SINGLE_MODELS, trees_of

from treewright import (
    C45Classifier,
    CARTClassifier,
    CHAIDClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ID3Classifier,
)
from treewright.criteria import VALUE_CRITERIA
from treewright.errors import DataError, TargetError

X = np.array([[1.0], [2.0], [3.0], [4.0]])


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("gap", [np.nan, None])
def test_gaps_in_the_target_are_counted_and_the_first_is_named(estimator: Any, gap: Any) -> None:
    """FAULTS 14."""
    with pytest.raises(TargetError, match=r"2 of 4 values are missing, the first in row 1"):
        estimator().fit(X, [1, gap, 2, gap])


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("endless", [np.inf, -np.inf])
def test_infinite_targets_are_counted_and_the_first_is_named(estimator: Any, endless: Any) -> None:
    """FAULTS 14."""
    with pytest.raises(TargetError, match=r"1 of 4 values are infinite, the first in row 2"):
        estimator().fit(X, [1, 0, endless, 2])


@pytest.mark.parametrize(
    ("estimator", "regressor"),
    [
        (DecisionTreeClassifier, "DecisionTreeRegressor"),
        (ID3Classifier, "DecisionTreeRegressor"),
        (C45Classifier, "DecisionTreeRegressor"),
        (CARTClassifier, "CARTRegressor"),
    ],
)
def test_decimal_numbers_as_classes_are_an_error_that_names_a_regressor(
    estimator: Any, regressor: str
) -> None:
    """FAULTS 15."""
    with pytest.raises(TargetError, match=f"Hint: use {regressor}, or bin the target first"):
        estimator().fit(X, [0.1, 0.2, 0.5, 0.7])


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize(
    "y",
    [
        ["no", "no", "yes", "yes"],
        np.array(["no", "no", "yes", "yes"], dtype=object),
        [False, False, True, True],
        [-3, -3, 8, 8],
        [1.0, 1.0, 2.0, 2.0],
    ],
)
def test_classes_keep_their_type(estimator: Any, y: Any) -> None:
    """FAULTS 16."""
    x = np.repeat(X, 10, axis=0)
    model = estimator().fit(x, np.repeat(np.asarray(y), 10))
    assert model.predict(X).tolist() == list(y)
    assert type(model.predict(X).tolist()[0]) is type(np.asarray(y).tolist()[0])
    assert len(model.classes_) == 2


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_text_and_numbers_in_one_target_are_an_error(estimator: Any) -> None:
    """FAULTS 16."""
    with pytest.raises(TargetError, match=r"the target mixes text and numbers: row 0 holds 'a'"):
        estimator().fit(X, ["a", 1, 2, 1])


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_a_constant_number_is_a_root_leaf(criterion: str) -> None:
    """FAULTS 17."""
    for constant in (5.0, 0.1, 1e300):
        model = DecisionTreeRegressor(criterion=criterion).fit(X, [constant] * 4)
        assert model.tree_.n_nodes == 1
        assert model.predict([[0.0]]).tolist() == [constant]


@pytest.mark.parametrize("criterion", VALUE_CRITERIA)
@pytest.mark.parametrize("size", [1e300, 1.7e308 / 4, 1e150, 1e-150, 1e-300, 1e-320])
def test_targets_of_any_size_give_the_tree_of_ordinary_ones(criterion: str, size: float) -> None:
    """FAULTS 17."""
    y = np.array([1.0, 2.0, 4.0, 4.0])
    ordinary = DecisionTreeRegressor(criterion=criterion).fit(X, y).tree_
    extreme = DecisionTreeRegressor(criterion=criterion).fit(X, y * size)
    assert extreme.tree_.arrays.threshold.tolist() == pytest.approx(
        ordinary.arrays.threshold.tolist(), nan_ok=True
    )
    assert extreme.predict(X) == pytest.approx(y * size, rel=1e-12)
    assert extreme.feature_importances_.tolist() == [1.0]
    assert "inf" not in str(extreme.tree_.why(0))
    assert "inf" not in extreme.tree_.text()


@pytest.mark.parametrize("criterion", [each for each in VALUE_CRITERIA if each != "poisson"])
@pytest.mark.parametrize("size", [1e300, 1.7e308])
def test_targets_from_one_end_of_the_numbers_to_the_other(criterion: str, size: float) -> None:
    """FAULTS 17."""
    y = [-size, -size, 0.0, size]
    model = DecisionTreeRegressor(criterion=criterion).fit(X, y)
    assert model.predict(X).tolist() == y
    assert np.isfinite(model.tree_.arrays.impurity).all()
    assert model.feature_importances_.tolist() == [1.0]
    weighted = DecisionTreeRegressor(criterion=criterion).fit(X, y, [1e300, 1, 1e-300, 1e300])
    assert weighted.predict(X)[[0, 3]].tolist() == [-size, size]


def test_limits_on_impurity_keep_their_meaning_for_extreme_targets() -> None:
    """FAULTS 17."""
    y = np.array([1.0, 2.0, 4.0, 4.0])
    for size in (1.0, 1e120):  # 1e240, the square, is still a number
        pure = DecisionTreeRegressor(min_impurity=0.3 * size**2).fit(X, y * size)
        assert pure.tree_.n_leaves == 2
        worth = DecisionTreeRegressor(min_impurity_decrease=1.0 * size**2).fit(X, y * size)
        assert worth.tree_.n_leaves == 2


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_target_of_another_length_is_an_error_with_both_lengths(estimator: Any) -> None:
    """FAULTS 18."""
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[4, 3\]"):
        estimator().fit(X, [0, 1, 1])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_weights_of_another_length_are_an_error_with_both_lengths(estimator: Any) -> None:
    """FAULTS 18."""
    with pytest.raises(ValueError, match=r"sample_weight has 5 values, the table has 4 rows"):
        estimator().fit(X, [0, 1, 1, 0], sample_weight=np.ones(5))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_negative_weights_are_an_error_that_names_the_row(estimator: Any) -> None:
    """FAULTS 19."""
    with pytest.raises(DataError, match=r"Negative values .*`sample_weight`: row 2 has -0.5"):
        estimator().fit(X, [0, 1, 1, 0], sample_weight=[1, 1, -0.5, 1])


def _random_table(n_rows: int = 120) -> tuple[Any, Any]:
    random = np.random.default_rng(5)
    x = random.normal(size=(n_rows, 3)).round(1)
    x[random.random(x.shape) < 0.1] = np.nan
    return x, random.integers(0, 3, n_rows)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("factor", [1.0, 0.3])
def test_rows_of_weight_zero_are_as_if_removed(estimator: Any, factor: float) -> None:
    """FAULTS 20."""
    x, y = _random_table()
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, factor)
    left = weight > 0
    weighted = trees_of(estimator().fit(x, y, sample_weight=weight))
    removed = trees_of(estimator().fit(x[left], y[left], sample_weight=weight[left]))
    for tree, other in zip(weighted, removed, strict=True):
        assert tree.text() == other.text()
        assert tree.arrays.equals(other.arrays)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("strange", [2**53 + 1, 2**64 - 1])
def test_a_whole_number_of_weight_zero_that_no_float_equals_moves_no_cut(
    estimator: Any, strange: int
) -> None:
    column = [0, 1, 2, 4, 7, 8, 12, 13, 15, 20, 21, 40]
    y = [0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1]
    X = {"a": [*column, strange], "b": [*column[::-1], 3]}
    weighted = trees_of(estimator().fit(X, [*y, 0], sample_weight=[1] * 12 + [0]))
    removed = trees_of(estimator().fit({"a": column, "b": column[::-1]}, y))
    for tree, other in zip(weighted, removed, strict=True):
        assert tree.text() == other.text()
        assert tree.arrays.equals(other.arrays)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_weights_that_are_all_zero_are_an_error(estimator: Any) -> None:
    """FAULTS 20."""
    with pytest.raises(DataError, match="sample_weight is zero for every row"):
        estimator().fit(X, [0, 1, 1, 0], sample_weight=np.zeros(4))


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_finite_numbers_are_an_error(estimator: Any, weight: float) -> None:
    """FAULTS 21."""
    with pytest.raises(DataError, match=f"sample_weight of row 1 is {weight}"):
        estimator().fit(X, [0, 1, 1, 0], sample_weight=[1, weight, 1, 1])


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("size", [2.0**996, 2.0**1023, 2.0**-996, 5e-324])
def test_weights_of_any_size_give_the_same_tree(estimator: Any, size: float) -> None:
    """FAULTS 21."""
    x, y = _random_table()
    plain = estimator().fit(x, y)
    weighted = estimator().fit(x, y, sample_weight=np.full(len(y), size))
    assert weighted.tree_.n_leaves == plain.tree_.n_leaves
    assert (weighted.predict(x) == plain.predict(x)).all()
    assert np.isfinite(weighted.tree_.arrays.weight).all()
    assert (weighted.tree_.arrays.weight > 0).all()


@pytest.mark.parametrize("estimator", SINGLE_MODELS)
def test_weight_k_is_the_row_written_k_times(estimator: Any) -> None:
    """FAULTS 22."""
    x, y = _random_table()
    times = np.random.default_rng(1).integers(1, 5, len(y))
    weighted = trees_of(estimator().fit(x, y, sample_weight=times))
    written = trees_of(estimator().fit(np.repeat(x, times, axis=0), np.repeat(y, times)))
    for tree, other in zip(weighted, written, strict=True):
        for name in ("first_child", "column", "missing_branch"):
            assert (getattr(tree.arrays, name) == getattr(other.arrays, name)).all(), name
        assert tree.arrays.weight == pytest.approx(other.arrays.weight, rel=1e-12)
        assert tree.arrays.value == pytest.approx(other.arrays.value, rel=1e-9, abs=1e-12)
        assert tree.arrays.threshold == pytest.approx(other.arrays.threshold, nan_ok=True)


def _answers(model: Any, x: Any) -> Any:
    return model.predict_proba(x) if hasattr(model, "predict_proba") else model.predict(x)


WEIGHTS = {
    "whole": np.random.default_rng(1).integers(0, 4, 120).astype(float),
    "decimal": np.random.default_rng(2).uniform(0.5, 2.0, 120),
    "of many sizes": np.exp(1.5 * np.random.default_rng(3).normal(size=120)),
}


@pytest.mark.parametrize("estimator", ENSEMBLES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("scale", [0.1, 3.0, 1e-6, 1e6, 2.0**40])
def test_only_the_ratios_of_weights_matter_to_an_ensemble(
    estimator: Any, kind: str, scale: float
) -> None:
    """FAULTS 22."""
    x, y = _random_table()
    weight = WEIGHTS[kind]
    plain = _answers(estimator().fit(x, y, weight), x)
    scaled = _answers(estimator().fit(x, y, scale * weight), x)
    if estimator.__name__.startswith("AdaBoost") and scale != 2.0**40:
        assert scaled == pytest.approx(plain, rel=1e-9)  # its weights keep all their digits
    else:
        assert np.array_equal(scaled, plain)


@pytest.mark.parametrize("estimator", ENSEMBLES)
@pytest.mark.parametrize("size", [0.1, 10.0, 1e-6, 1e6, 2.0**34, 2.0**40, 1e-300, 1e300])
def test_equal_weights_of_any_size_are_none_to_an_ensemble(estimator: Any, size: float) -> None:
    """FAULTS 21 and 33: 2^34 copies of each row would be more than 32 bits can count."""
    x, y = _random_table()
    plain, weighted = estimator().fit(x, y), estimator().fit(x, y, np.full(len(y), size))
    assert np.array_equal(_answers(weighted, x), _answers(plain, x))
    for tree, other in zip(trees_of(weighted), trees_of(plain), strict=True):
        assert tree.arrays.equals(other.arrays)


@pytest.mark.parametrize(
    "estimator", [each for each in CLASSIFIERS if "class_weight" in each().get_params()]
)
@pytest.mark.parametrize("bootstrap", [False, True])
def test_weights_of_classes_are_weights_of_their_rows(estimator: Any, bootstrap: bool) -> None:
    options = {"bootstrap": bootstrap} if "bootstrap" in estimator().get_params() else {}
    x, y = _random_table()
    by_class = {0: 0.3, 1: 1.0, 2: 2.7}
    weight = np.array([by_class[label] for label in y.tolist()])
    of_classes = estimator(class_weight=by_class, **options).fit(x, y)
    of_rows = estimator(**options).fit(x, y, weight)
    assert np.array_equal(of_classes.predict_proba(x), of_rows.predict_proba(x))
    twice = estimator(class_weight=by_class, **options).fit(x, y, WEIGHTS["decimal"])
    both = estimator(**options).fit(x, y, weight * WEIGHTS["decimal"])
    assert np.array_equal(twice.predict_proba(x), both.predict_proba(x))


@pytest.mark.parametrize("estimator", SINGLE_MODELS)
def test_counts_beyond_32_bits_do_not_wrap(estimator: Any) -> None:
    """FAULTS 33: weights that are whole numbers count as copies, here 1.7e12 in all."""
    x, y = _random_table(100)
    x = np.nan_to_num(x)
    plain = trees_of(estimator().fit(x, y, sample_weight=np.full(100, 2.0**24)))
    model = estimator().fit(x, y, sample_weight=np.full(100, 2.0**34))
    for tree, other in zip(trees_of(model), plain, strict=True):
        assert tree.arrays.weight[0] == 100 * 2.0**34
        assert tree.n_leaves == other.n_leaves
        # M5's smoothing reckons with the number of rows: 15 beside 2^24 are not quite nothing.
        assert np.allclose(tree.predict(x), other.predict(x), rtol=0.0, atol=1e-5)


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_weights_of_very_different_sizes_stay_finite(estimator: Any, size: float) -> None:
    """FAULTS 21."""
    model = estimator().fit(X, [0, 1, 0, 1], sample_weight=[size, 1, 1, size])
    heavy = [0, 3] if size > 1 else [1, 2]  # beside these the others weigh nothing
    assert model.predict(X)[heavy] == pytest.approx(np.array([0, 1, 0, 1])[heavy])
    assert np.isfinite(model.tree_.arrays.impurity).all()


@pytest.mark.parametrize("tiny", [1e-80, 1e-100, 1e-300])
def test_rows_that_weigh_next_to_nothing_leave_no_figure_that_is_no_number(tiny: float) -> None:
    """FAULTS 21: a node of such rows alone, whose weights are multiplied and divided by."""
    generator = np.random.default_rng(0)
    table = generator.integers(0, 9, size=(60, 2)).astype(float)
    y = generator.integers(0, 3, 60)
    weight = generator.choice([tiny, 1.0, 1.0 / tiny], 60)
    model = ExtraTreeClassifier(random_state=0).fit(table, y, sample_weight=weight)
    arrays = model.tree_.arrays
    assert (arrays.impurity[np.count_nonzero(arrays.value, axis=1) == 1] <= 1e-12).all()
    assert (arrays.gain >= 0).all()
    assert (model.feature_importances_ >= 0).all()
    assert np.isfinite(model.shap_values(table).values).all()


@pytest.mark.parametrize("test", ["pearson", "likelihood_ratio"])
def test_categories_whose_weights_vanish_beside_others_are_compared(test: str) -> None:
    """FAULTS 21: CHAID multiplies the weight of a category by that of a class."""
    codes, y = [0, 3, 2, 2, 3, 3, 0, 2, 0], [1, 2, 1, 0, 1, 0, 2, 2, 2]
    weight = [1.0, 1e300, 1.0, 1e-300, 1.0, 1.0, 1.0, 1e300, 1e-300]
    chaid = CHAIDClassifier(test=test, alpha_split=1.0, min_samples_split=2, min_samples_leaf=1)
    for column in (codes, [str(code) for code in codes]):
        model = chaid.fit({"a": column}, y, sample_weight=weight)
        assert np.isfinite(model.predict_proba({"a": column})).all()


def test_limits_count_copies_beyond_32_bits() -> None:
    """FAULTS 33."""
    weight = [2.0**33, 2.0**33, 2.0**33, 2.0**33 - 1]
    model = DecisionTreeClassifier(min_samples_leaf=2**33).fit(X, [0, 0, 0, 1], weight)
    assert model.tree_.n_leaves == 2
    assert model.tree_.arrays.weight[1:].min() == 2.0**34 - 1
