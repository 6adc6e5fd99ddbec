"""Tables that are empty, constant, missing, infinite or contradictory (FAULTS 1-13)."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from every_estimator import CLASSIFIERS, ESTIMATORS, trees_of

from treewright import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
)
from treewright.errors import MemoryLimitError, NoSplitWarning, SmallDataWarning
from treewright.grow.options import CHOICES

MISSING = CHOICES["missing"]


def column(*values: float, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    return np.array(values, dtype=dtype)[:, np.newaxis]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_rows_is_an_error_in_sklearns_wording(estimator: Any) -> None:
    """FAULTS 1."""
    with pytest.raises(ValueError, match=r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1"):
        estimator().fit(np.empty((0, 3)), [])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_rows_to_predict_is_an_error(estimator: Any) -> None:
    """FAULTS 1."""
    model = estimator().fit(column(1, 2, 3), [0, 1, 1])
    with pytest.raises(ValueError, match=r"0 sample\(s\) \(shape=\(0, 1\)\) while a minimum of 1"):
        model.predict(np.empty((0, 1)))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_columns_is_an_error_in_sklearns_wording(estimator: Any) -> None:
    """FAULTS 2."""
    with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"):
        estimator().fit(np.empty((3, 0)), [0, 1, 1])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_row_is_a_root_leaf_and_warns(estimator: Any) -> None:
    """FAULTS 3."""
    with pytest.warns(SmallDataWarning, match="single row"):
        model = estimator().fit([[1.0, 2.0]], [3])
    assert all(tree.n_nodes == 1 for tree in trees_of(model))
    assert model.predict([[9.0, 9.0]]).tolist() == [3]


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_one_class_is_a_constant_model_of_probability_one(estimator: Any) -> None:
    """FAULTS 4."""
    model = estimator().fit(column(1, 2, 3), ["yes", "yes", "yes"])
    assert all(tree.n_nodes == 1 for tree in trees_of(model))
    assert model.predict(column(-1, 7)).tolist() == ["yes", "yes"]
    assert model.predict_proba(column(-1, 7)).tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "chi2", "hellinger"])
def test_a_class_for_every_row(criterion: str) -> None:
    """FAULTS 5."""
    n_rows = 300
    x = np.arange(float(n_rows))[:, np.newaxis]
    model = DecisionTreeClassifier(criterion=criterion).fit(x, np.arange(n_rows))
    assert model.tree_.n_leaves == n_rows
    assert (model.predict(x) == np.arange(n_rows)).all()


def test_ten_thousand_classes() -> None:
    """FAULTS 5."""
    x = np.arange(30_000.0)[:, np.newaxis]
    y = np.arange(30_000) % 10_000
    model = DecisionTreeClassifier(max_leaf_nodes=8).fit(x, y)
    assert model.predict_proba(x[:2]).shape == (2, 10_000)
    assert model.tree_.n_leaves == 8


def test_too_many_classes_for_the_memory_are_refused_before_allocating() -> None:
    """FAULTS 5."""
    n_rows = 2_000_000
    x = np.arange(n_rows, dtype=np.float32)[:, np.newaxis]
    with pytest.raises(MemoryLimitError, match=r"2,000,000 classes each could need 128000\.0 GB"):
        DecisionTreeClassifier().fit(x, np.arange(n_rows))


@pytest.mark.parametrize("missing", MISSING)
def test_a_column_of_nothing_but_nan_is_never_asked_about(missing: str) -> None:
    """FAULTS 6."""
    x = np.column_stack([np.full(8, np.nan), np.arange(8.0)])
    model = DecisionTreeClassifier(missing=missing).fit(x, [0, 0, 1, 1, 0, 0, 1, 1])
    assert model.feature_importances_.tolist() == [0.0, 1.0]
    assert model.tree_.unused_columns == ("x0",)
    assert model.predict(x).tolist() == [0, 0, 1, 1, 0, 0, 1, 1]


def says_if_boosting(estimator: Any) -> Any:
    """Expect what boosting says where no column tells rows apart."""
    if "GradientBoosting" not in estimator.__name__:
        return nullcontext()
    return pytest.warns(NoSplitWarning, match="every row gets the same answer")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_table_of_nothing_but_nan_is_a_root_leaf(estimator: Any) -> None:
    """FAULTS 7."""
    x = np.full((30, 2), np.nan)
    with says_if_boosting(estimator):
        model = estimator().fit(x, [0] * 20 + [1] * 10)
    assert all(tree.n_nodes == 1 for tree in trees_of(model))
    assert model.feature_importances_.tolist() == [0.0, 0.0]
    assert len(np.unique(model.predict(x))) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threshold_at", ["midpoint", "observed"])
def test_infinities_are_ordered_and_thresholds_finite(dtype: Any, threshold_at: str) -> None:
    """FAULTS 8."""
    x = column(-np.inf, -1, 1, np.inf, dtype=dtype)
    model = DecisionTreeClassifier(threshold_at=threshold_at).fit(x, [0, 1, 0, 1])
    assert model.predict(x).tolist() == [0, 1, 0, 1]
    asked = model.tree_.arrays.threshold[model.tree_.arrays.n_branches > 0]
    assert len(asked) == 3
    if threshold_at == "midpoint":
        assert np.isfinite(asked).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_midpoint_of_the_largest_numbers_does_not_overflow(dtype: Any) -> None:
    """FAULTS 9."""
    largest = np.finfo(dtype).max
    x = column(-largest, largest, dtype=dtype)
    model = DecisionTreeClassifier().fit(x, [0, 1])
    threshold = model.tree_.arrays.threshold[0]
    assert np.isfinite(threshold)
    assert -largest <= threshold < largest
    assert model.predict(x).tolist() == [0, 1]
    x = column(largest / 2, largest, dtype=dtype)
    model = DecisionTreeRegressor().fit(x, [0, 1])
    assert x[0, 0] <= model.tree_.arrays.threshold[0] < x[1, 0]
    assert model.predict(x).tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("start", [1.0, -1.0, 1e30, 0.1])
def test_neighbouring_floats_are_told_apart(dtype: Any, start: float) -> None:
    """FAULTS 10."""
    low = dtype(start)
    x = column(low, np.nextafter(low, dtype(np.inf)), dtype=dtype)
    for model in (DecisionTreeClassifier(), DecisionTreeRegressor(), ID3Classifier()):
        assert model.fit(x, [0, 1]).predict(x).tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_denormal_numbers_are_told_apart(dtype: Any) -> None:
    """FAULTS 10."""
    tiny = np.finfo(dtype).smallest_subnormal
    x = column(-tiny, 0, tiny, 2 * tiny, dtype=dtype)
    model = DecisionTreeClassifier().fit(x, [0, 1, 0, 1])
    assert model.predict(x).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_minus_zero_is_zero(dtype: Any) -> None:
    """FAULTS 10."""
    x = column(-0.0, 0.0, dtype=dtype)
    assert DecisionTreeClassifier().fit(x, [0, 1]).tree_.n_nodes == 1
    model = DecisionTreeClassifier().fit(column(-1, -0.0, 1, dtype=dtype), [0, 1, 0])
    assert model.predict(column(0.0, -0.0, dtype=dtype)).tolist() == [1, 1]
    listed = DecisionTreeClassifier(categorical_features=[0])
    listed.fit(column(0.0, 1, -0.0, 1, dtype=dtype), [0, 1, 0, 1])
    assert listed.tree_.schema.columns[0].values == (0.0, 1.0)
    assert listed.predict(column(-0.0, dtype=dtype)).tolist() == [0]


@pytest.mark.parametrize("missing", MISSING)
def test_nan_only_at_predict_follows_what_the_model_recorded(missing: str) -> None:
    """FAULTS 11."""
    x = column(1, 2, 3, 4, 5)
    model = DecisionTreeClassifier(missing=missing).fit(x, ["a", "a", "b", "b", "b"])
    branch = int(model.tree_.arrays.missing_branch[0])
    answer = model.predict_proba([[np.nan]])
    if branch == -1:
        assert answer.tolist() == [[0.4, 0.6]]
    else:
        child = model.tree_.children(0)[branch]
        assert answer.tolist() == [model.tree_.distribution(child).tolist()]
    assert model.predict([[np.nan]]).tolist() == ["b"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_constant_columns_are_a_root_leaf(estimator: Any) -> None:
    """FAULTS 12."""
    with says_if_boosting(estimator):
        model = estimator().fit(np.ones((40, 3)), [0, 1] * 20)
    assert all(tree.n_nodes == 1 for tree in trees_of(model))
    assert model.feature_importances_.tolist() == [0.0, 0.0, 0.0]


def test_a_constant_column_beside_another_is_not_asked_about() -> None:
    """FAULTS 12."""
    x = np.column_stack([np.ones(6), np.arange(6.0)])
    model = DecisionTreeClassifier().fit(x, [0, 0, 0, 1, 1, 1])
    assert model.tree_.unused_columns == ("x0",)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_equal_rows_with_different_classes_end_in_a_leaf_that_says_so(estimator: Any) -> None:
    """FAULTS 13."""
    x = np.repeat(column(1, 2), 30, axis=0)
    y = [0] * 20 + [1] * 10 + [1] * 30
    at_once = {"learning_rate": 1.0} if "learning_rate" in estimator().get_params() else {}
    model = estimator(**at_once).fit(x, y)
    # The trees of a forest have drawn their rows, and say by how many of each class they have;
    # boosted ones come nearer with every round.
    tolerance = 1e-9 if hasattr(model, "tree_") else 0.2
    expected = np.array([[2 / 3, 1 / 3], [0, 1]])
    assert model.predict_proba(column(1, 2)) == pytest.approx(expected, abs=tolerance)
