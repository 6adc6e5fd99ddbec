"""Quantiles from leaf co-membership, against the definition written out."""

import numpy as np
import pytest

from treewright.forest.quantiles import LeafTargets, calibrated_levels

LEVELS = np.array([0.0, 0.1, 0.25, 0.5, 0.77, 0.9, 1.0])


def weights_by_definition(trained, leaves, weight, times):
    """w_i(x) of Meinshausen (2006), rows x training rows."""
    n_rows, n_trees = leaves.shape
    weights = np.zeros((n_rows, len(trained)))
    n_said = np.zeros(n_rows)
    for tree in range(n_trees):
        own = weight * times[:, tree]
        for row in range(n_rows):
            here = np.where(trained[:, tree] == leaves[row, tree], own, 0.0)
            if here.sum() > 0:
                weights[row] += here / here.sum()
                n_said[row] += 1
    return weights / n_said[:, np.newaxis]


def quantile_by_definition(values, weights, level):
    """Return the least y with F(y) >= level."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) >= level - 1e-9
    positive = weights[order] > 0
    found = values[order][reached & positive]
    return found[0] if len(found) else values[order][positive][-1]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("drawn", [False, True])
def test_quantiles_follow_the_definition(weighted, drawn):
    random = np.random.default_rng(3)
    n_trained, n_rows, n_trees = 40, 25, 7
    trained = random.integers(1, 6, size=(n_trained, n_trees)).astype(np.int32)
    leaves = random.integers(1, 6, size=(n_rows, n_trees)).astype(np.int32)
    values = random.integers(0, 15, size=(n_trained, 2)) / 4.0
    weight = random.choice([0.0, 0.5, 1.0, 3.0], n_trained) if weighted else np.ones(n_trained)
    times = (
        random.integers(0, 3, size=trained.shape).astype(np.uint32)
        if drawn
        else np.ones(trained.shape, dtype=np.uint32)
    )
    targets = LeafTargets(
        trained,
        values,
        weight=weight if weighted else None,
        times=(lambda tree: np.ascontiguousarray(times[:, tree])) if drawn else None,
    )
    shuffled = random.permutation(len(LEVELS))
    found = targets.quantiles(leaves, LEVELS[shuffled])
    assert found.shape == (n_rows, 2, len(LEVELS))
    weights = weights_by_definition(trained, leaves, weight, times)
    for row in range(n_rows):
        for output in range(2):
            for at, level in enumerate(LEVELS[shuffled]):
                expected = quantile_by_definition(values[:, output], weights[row], level)
                assert found[row, output, at] == expected


def test_one_tree_of_one_leaf_gives_the_inverted_distribution_function():
    values = np.random.default_rng(0).normal(size=101)
    leaves = np.zeros((101, 1), dtype=np.int32)
    found = LeafTargets(leaves, values[:, np.newaxis]).quantiles(leaves[:1], LEVELS)
    np.testing.assert_array_equal(found[0, 0], np.quantile(values, LEVELS, method="inverted_cdf"))


def test_weight_k_is_k_copies():
    random = np.random.default_rng(1)
    trained = random.integers(0, 4, size=(30, 5)).astype(np.int32)
    leaves = random.integers(0, 4, size=(50, 5)).astype(np.int32)
    values = random.normal(size=(30, 1))
    weight = random.integers(0, 4, size=30)
    weighted = LeafTargets(trained, values, weight=weight.astype(float))
    copied = LeafTargets(np.repeat(trained, weight, axis=0), np.repeat(values, weight, axis=0))
    np.testing.assert_array_equal(
        weighted.quantiles(leaves, LEVELS), copied.quantiles(leaves, LEVELS)
    )


def test_a_row_that_meets_nobody_has_no_quantiles():
    targets = LeafTargets(np.array([[1], [1]], dtype=np.int32), np.array([[1.0], [2.0]]))
    assert np.isnan(targets.quantiles(np.array([[2]], dtype=np.int32), LEVELS)).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("stands_there", [False, True])
def test_own_shares_leave_the_row_itself_out(weighted, stands_there):
    random = np.random.default_rng(8)
    n_rows, n_trees = 30, 6
    leaves = random.integers(0, 9, size=(n_rows, n_trees)).astype(np.int32)
    values = random.integers(0, 6, size=(n_rows, 1)).astype(float)
    weight = random.choice([0.1, 0.7, 2.0], n_rows) if weighted else np.ones(n_rows)
    asked = random.uniform(size=leaves.shape) < 0.5
    # Rows stand in the leaves of the trees that are asked about them, or of the others.
    times = (asked if stands_there else ~asked).astype(np.uint32)
    targets = LeafTargets(
        leaves,
        values,
        weight=weight if weighted else None,
        times=lambda tree: np.ascontiguousarray(times[:, tree]),
    )
    found = targets.own_shares(
        np.where(asked, leaves, np.int32(-1)), stands_there=stands_there, n_threads=2
    )
    assert found.shape == (1, n_rows, 2)
    for row in range(n_rows):
        shares = []
        for tree in np.flatnonzero(asked[row]):
            here = (leaves[:, tree] == leaves[row, tree]) * times[:, tree] * weight
            here[row] = 0.0
            if here.sum() > 0:
                ends = values[:, 0] < values[row, 0], values[:, 0] <= values[row, 0]
                shares.append([here[end].sum() / here.sum() for end in ends])
        expected = np.mean(shares, axis=0) if shares else [np.nan, np.nan]
        np.testing.assert_allclose(found[0, row], expected, atol=1e-9)


def test_own_shares_leave_the_other_rows_of_a_group_out():
    random = np.random.default_rng(9)
    n_rows, n_trees = 40, 5
    groups = random.integers(0, 12, n_rows).astype(np.uint32)
    leaves = random.integers(0, 4, size=(n_rows, n_trees)).astype(np.int32)
    values = random.integers(0, 6, size=(n_rows, 1)).astype(float)
    weight = random.choice([0.1, 0.7, 2.0], n_rows)
    targets = LeafTargets(leaves, values, weight=weight)
    found = targets.own_shares(leaves, stands_there=True, groups=groups, n_threads=2)
    for row in range(n_rows):
        shares = []
        for tree in range(n_trees):
            here = (leaves[:, tree] == leaves[row, tree]) * (groups != groups[row]) * weight
            if here.sum() > 0:
                ends = values[:, 0] < values[row, 0], values[:, 0] <= values[row, 0]
                shares.append([here[end].sum() / here.sum() for end in ends])
        np.testing.assert_allclose(found[0, row], np.mean(shares, axis=0), atol=1e-9)


def test_calibrated_levels_leave_out_what_is_left_over():
    shares = np.sort(np.random.default_rng(0).uniform(size=(999, 2)), axis=1)
    for level in (0.5, 0.8, 0.95):
        low, high = calibrated_levels(shares, None, level)
        rest = (1 - level) / 2 * 1000
        assert np.sum(shares[:, 1] <= low) == round(rest)
        assert np.sum(shares[:, 0] >= high) == round(rest) - 1  # the end itself is inside
        assert np.mean((shares[:, 1] >= low) & (shares[:, 0] < high)) >= level - 0.002


def test_calibrated_levels_of_few_rows_or_none_take_everything():
    few = np.array([[0.2, 0.4], [0.5, 0.6], [np.nan, np.nan]])
    assert calibrated_levels(few, None, 0.9).tolist() == [0.0, 1.0]
    assert calibrated_levels(few[2:], None, 0.9).tolist() == [0.0, 1.0]


def test_calibrated_levels_count_weight_k_as_k_rows():
    random = np.random.default_rng(0)
    shares = np.sort(random.uniform(size=(200, 2)), axis=1)
    weight = random.integers(0, 4, size=200)
    np.testing.assert_array_equal(
        calibrated_levels(shares, weight.astype(float), 0.8),
        calibrated_levels(np.repeat(shares, weight, axis=0), None, 0.8),
    )
