"""Trees of numeric tables without gaps, node by node against scikit-learn's.

The two must gain the same at every node; ``walk`` says what is compared and what is excused.
scikit-learn reads tables in float32, so both are given float32.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn import datasets, tree
from sklearn.utils.class_weight import compute_sample_weight

from agreement import walk
from agreement.shared_tables import entries, needs_shared, numeric_table
from treewright import DecisionTreeClassifier, DecisionTreeRegressor

Array = npt.NDArray[Any]

BUNDLED_CLASSES = ("iris", "wine", "breast_cancer", "digits")
SHARED_CLASSES = (
    "diabetes",
    "glass",
    "heart_statlog",
    "higgs_small",
    "ionosphere",
    "iris",
    "letter",
    "page_blocks",
    "segment",
    "vehicle",
    "waveform",
    "yeast6",
)
SHARED_NUMBERS = ("auto_mpg", "cpu_with_vendor", "housing")
LIMITS: tuple[Mapping[str, Any], ...] = (
    {"max_depth": 4},
    {"min_samples_leaf": 7},
    {"min_samples_leaf": 0.02},
    {"min_samples_split": 30},
    {"min_samples_split": 0.1},
    {"max_leaf_nodes": 20},
    {"max_leaf_nodes": 12, "min_samples_leaf": 5},
    {"min_impurity_decrease": 0.002},
    {"max_depth": 6, "min_samples_leaf": 3, "min_samples_split": 12},
)


def bundled(name: str) -> tuple[npt.NDArray[np.float32], Array]:
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return X.astype(np.float32), y


def shared(name: str) -> tuple[npt.NDArray[np.float32], Array]:
    X, y = numeric_table(name)
    return (
        (X, np.unique(y, return_inverse=True)[1]) if entries()[name].is_classification else (X, y)
    )


def uneven_weights(n_rows: int) -> npt.NDArray[np.float64]:
    return np.random.default_rng(0).exponential(size=n_rows) + 0.05


def fit_both(
    X: npt.NDArray[np.float32],
    y: Array,
    *,
    criterion: str,
    weight: npt.NDArray[np.float64] | None = None,
    **options: Any,
) -> tuple[walk.Data, Any, Any]:
    is_classification = criterion in ("gini", "entropy")
    mine = DecisionTreeClassifier if is_classification else DecisionTreeRegressor
    other = tree.DecisionTreeClassifier if is_classification else tree.DecisionTreeRegressor
    ours = mine(criterion=criterion, **options).fit(X, y, sample_weight=weight)
    theirs = other(criterion=criterion, random_state=0, **options).fit(X, y, sample_weight=weight)
    effective = np.ones(len(y)) if weight is None else weight
    if options.get("class_weight") is not None:
        effective = effective * compute_sample_weight(options["class_weight"], y)
    data = walk.Data(X=X, y=y.reshape(len(y), -1), weight=effective, criterion=criterion)
    return data, ours, theirs


def check_agreement(data: walk.Data, ours: Any, theirs: Any) -> walk.Agreement:
    met = walk.compare(data, ours, theirs)
    assert met.n_same + len(met.ties) > 0
    if theirs.max_leaf_nodes is None:
        walk.compare_with_stumps(data, ours, theirs, met)
        if theirs.max_depth is None:
            # Every node of ours has met its counterpart or a stump; a node of one target value is
            # a leaf of ours that scikit-learn splits.
            n_compared = met.n_same + met.n_leaves + met.n_constant + len(met.parted)
            assert n_compared + met.n_stumps == ours.tree_.n_nodes
    elif not met.n_constant:
        assert ours.get_n_leaves() == theirs.get_n_leaves()
    if met.is_identical:
        _check_identical(data, ours, theirs, met)
    return met


def _check_identical(data: walk.Data, ours: Any, theirs: Any, met: walk.Agreement) -> None:
    """Trees that part nowhere have the same paths; both number nodes in their own way."""
    assert ours.get_depth() == theirs.get_depth()
    assert ours.tree_.n_nodes == theirs.tree_.node_count
    renamed = np.full(ours.tree_.n_nodes, -1)
    for mine, other in met.same_leaves:
        renamed[mine] = other
    np.testing.assert_array_equal(renamed[ours.apply(data.X)], theirs.apply(data.X))
    mine, other = ours.decision_path(data.X), theirs.decision_path(data.X)
    assert mine.shape == other.shape
    np.testing.assert_array_equal(mine.sum(axis=1), other.sum(axis=1))
    np.testing.assert_array_equal(np.asarray(mine.sum(axis=0)).ravel(), ours.tree_.arrays.n_rows)
    last = mine.indices[mine.indptr[1:] - 1]  # every node is numbered before its children
    np.testing.assert_array_equal(last, ours.apply(data.X))
    np.testing.assert_array_equal(ours.predict(data.X), ours.predict(data.X.astype(np.float64)))


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", BUNDLED_CLASSES)
def test_full_trees_of_bundled_tables_gain_the_same(name: str, criterion: str) -> None:
    X, y = bundled(name)
    check_agreement(*fit_both(X, y, criterion=criterion))


@needs_shared
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", SHARED_CLASSES)
def test_full_trees_of_shared_tables_gain_the_same(name: str, criterion: str) -> None:
    check_agreement(*fit_both(*shared(name), criterion=criterion))


@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
def test_full_trees_of_a_bundled_table_of_numbers_gain_the_same(criterion: str) -> None:
    X, y = bundled("diabetes")
    check_agreement(*fit_both(X, y, criterion=criterion))


@needs_shared
@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
@pytest.mark.parametrize("name", SHARED_NUMBERS)
def test_full_trees_of_numbers_gain_the_same(name: str, criterion: str) -> None:
    check_agreement(*fit_both(*shared(name), criterion=criterion))


@needs_shared
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("diamonds", {"max_depth": 10}),
        ("bike_sharing", {"min_samples_leaf": 4}),
        ("california_housing", {"min_samples_leaf": 4}),
    ],
)
def test_large_trees_of_numbers_gain_the_same(name: str, options: Mapping[str, Any]) -> None:
    check_agreement(*fit_both(*shared(name), criterion="squared_error", **options))


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("name", ["bike_sharing", "california_housing"])
def test_full_trees_of_many_rows_gain_the_same(name: str, is_weighted: bool) -> None:
    X, y = shared(name)
    weight = np.random.default_rng(0).exponential(size=len(y)) if is_weighted else None
    check_agreement(*fit_both(X, y, criterion="squared_error", weight=weight))


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("options", LIMITS, ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", ["breast_cancer", "wine"])
def test_limited_trees_of_classes_gain_the_same(
    name: str, criterion: str, options: Mapping[str, Any], is_weighted: bool
) -> None:
    X, y = bundled(name)
    weight = uneven_weights(len(y)) if is_weighted else None
    check_agreement(*fit_both(X, y, criterion=criterion, weight=weight, **options))


@needs_shared
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("options", LIMITS, ids=str)
@pytest.mark.parametrize("name", ["diabetes", "glass", "vehicle"])
def test_limited_trees_of_shared_tables_gain_the_same(
    name: str, options: Mapping[str, Any], is_weighted: bool
) -> None:
    X, y = shared(name)
    weight = uneven_weights(len(y)) if is_weighted else None
    check_agreement(*fit_both(X, y, criterion="gini", weight=weight, **options))


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("options", LIMITS, ids=str)
@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
def test_limited_trees_of_numbers_gain_the_same(
    criterion: str, options: Mapping[str, Any], is_weighted: bool
) -> None:
    X, y = bundled("diabetes")
    if "min_impurity_decrease" in options and criterion == "squared_error":
        options = {"min_impurity_decrease": 0.002 * float(np.var(y))}
    weight = uneven_weights(len(y)) if is_weighted else None
    check_agreement(*fit_both(X, y, criterion=criterion, weight=weight, **options))


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("class_weight", [{0: 5.0}, {0: 0.3, 1: 2.5}], ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_class_weights_mean_the_same(criterion: str, class_weight: Any, is_weighted: bool) -> None:
    X, y = bundled("breast_cancer")
    weight = uneven_weights(len(y)) if is_weighted else None
    fitted = fit_both(X, y, criterion=criterion, weight=weight, class_weight=class_weight)
    check_agreement(*fitted)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_balanced_classes_mean_the_same(criterion: str) -> None:
    # With sample weights scikit-learn counts rows and we count weight, as copies of a row would.
    X, y = bundled("breast_cancer")
    check_agreement(*fit_both(X, y, criterion=criterion, class_weight="balanced"))


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_whole_weights_mean_the_same_where_no_limit_counts_rows(criterion: str) -> None:
    X, y = bundled("diabetes")
    y = (y > np.median(y)).astype(np.int64) if criterion == "gini" else y
    weight = np.random.default_rng(1).integers(1, 4, size=len(y)).astype(np.float64)
    check_agreement(*fit_both(X, y, criterion=criterion, weight=weight))


@pytest.mark.parametrize("options", [{}, {"max_depth": 5}, {"min_samples_leaf": 4}], ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_several_outputs_of_classes_gain_the_same(
    criterion: str, options: Mapping[str, Any]
) -> None:
    X, y = bundled("digits")
    several = np.column_stack([y, y % 2, y // 4])
    check_agreement(*fit_both(X[:700], several[:700], criterion=criterion, **options))


@pytest.mark.parametrize("options", [{}, {"max_depth": 4}, {"min_samples_leaf": 3}], ids=str)
@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
def test_several_outputs_of_numbers_gain_the_same(
    criterion: str, options: Mapping[str, Any]
) -> None:
    X, y = bundled("diabetes")
    several = np.column_stack([y, (X[:, 2] * 100 + 60).round(1)])
    check_agreement(*fit_both(np.delete(X, 2, axis=1), several, criterion=criterion, **options))


def test_linnerud_s_three_targets_gain_the_same() -> None:
    X, y = bundled("linnerud")
    check_agreement(*fit_both(X, y, criterion="squared_error"))


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@pytest.mark.parametrize("options", [{"max_depth": 4}, {"max_leaf_nodes": 12}], ids=str)
def test_importances_agree_where_trees_do(criterion: str, options: Mapping[str, Any]) -> None:
    X, y = bundled("diabetes")
    y = (y > np.median(y)).astype(np.int64) if criterion == "gini" else y
    weight = uneven_weights(len(y))
    options = {**options, "min_samples_leaf": 10}
    data, ours, theirs = fit_both(X, y, criterion=criterion, weight=weight, **options)
    met = walk.compare(data, ours, theirs)
    assert met.is_identical
    assert not met.n_other_column
    np.testing.assert_allclose(
        ours.feature_importances_, theirs.feature_importances_, rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@pytest.mark.parametrize("options", [{}, {"max_depth": 5}, {"max_leaf_nodes": 15}], ids=str)
@pytest.mark.parametrize("sign", [1, -1])
def test_monotonic_trees_gain_the_same(
    criterion: str, options: Mapping[str, Any], sign: int
) -> None:
    X, y = bundled("diabetes")
    y = (y > np.median(y)).astype(np.int64) if criterion == "gini" else y
    signs = [1, -1, sign, 1, -sign, 1, -1, sign, 1, 1]
    weight = uneven_weights(len(y))
    fitted = fit_both(X, y, criterion=criterion, weight=weight, monotonic_cst=signs, **options)
    met = walk.compare(*fitted)
    # A node's bounds come from the splits above it, so below a tie nothing can be compared.
    assert met.n_same > 10
    check_monotonic(fitted[1], X, signs)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_columns_without_a_sign_keep_the_others_monotonic(criterion: str) -> None:
    # On a column without a sign scikit-learn accepts any split and clips what its leaves say; we
    # refuse a split with a branch out of bounds. Both are monotonic, so only that is compared.
    X, y = bundled("diabetes")
    y = (y > np.median(y)).astype(np.int64) if criterion == "gini" else y
    signs = [0, 0, 1, 0, -1, 0, -1, 0, 1, 0]
    _, ours, theirs = fit_both(X, y, criterion=criterion, monotonic_cst=signs)
    check_monotonic(ours, X, signs)
    check_monotonic(theirs, X, signs)


def check_monotonic(model: Any, X: npt.NDArray[np.float32], signs: list[int]) -> None:
    for column, sign in enumerate(signs):
        grid = np.repeat(X[:50], 20, axis=0)
        grid[:, column] = np.tile(np.linspace(X[:, column].min(), X[:, column].max(), 20), 50)
        is_classifier = hasattr(model, "predict_proba")
        level = model.predict_proba(grid)[:, 1] if is_classifier else model.predict(grid)
        steps = np.diff(level.reshape(50, 20), axis=1) * sign
        assert steps.min() >= -1e-12


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
def test_stated_gains_are_those_of_the_rows(criterion: str) -> None:
    is_classification = criterion in ("gini", "entropy")
    X, y = bundled("breast_cancer" if is_classification else "diabetes")
    data, ours, _ = fit_both(X, y, criterion=criterion, weight=uneven_weights(len(y)))
    walk.check_gains(data, ours.tree_)


@needs_shared
@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
@pytest.mark.parametrize("name", SHARED_NUMBERS)
def test_stated_gains_of_shared_tables_are_those_of_the_rows(name: str, criterion: str) -> None:
    data, ours, _ = fit_both(*shared(name), criterion=criterion)
    walk.check_gains(data, ours.tree_)


@pytest.mark.parametrize("far", [1e3, 1e6, 1e8])
def test_a_far_value_does_not_blur_the_splits_of_the_others(far: float) -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(100, 3)).astype(np.float32)
    y = generator.normal(size=100)
    X[0], y[0] = 9.0, far
    data, ours, theirs = fit_both(X, y, criterion="squared_error")
    # Every node below the root, which sets the far row apart, against a stump of its rows alone.
    walk.compare_with_stumps(data, ours, theirs, walk.Agreement(parted=[0]))
