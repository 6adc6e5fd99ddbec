"""Proximities against their definition, written out."""

import numpy as np
import pytest

from treewright.errors import DataError, MemoryLimitError, ParameterError
from treewright.forest import proximity as module
from treewright.forest.proximity import Proximity


@pytest.fixture
def leaves():
    return np.random.default_rng(4).integers(0, 6, size=(60, 20)).astype(np.int32)


@pytest.fixture
def asked():
    return np.random.default_rng(5).uniform(size=(60, 20)) < 0.3


def by_definition(left, right, left_asked=None, right_asked=None):
    counts = np.ones((len(left), len(right), left.shape[1]), dtype=bool)
    if left_asked is not None:
        counts &= left_asked[:, np.newaxis]
    if right_asked is not None:
        counts &= right_asked[np.newaxis]
    met = (left[:, np.newaxis] == right[np.newaxis]) & counts
    n_trees = counts.sum(axis=2)
    return np.where(n_trees > 0, met.sum(axis=2) / np.maximum(n_trees, 1), 0.0)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("out_of_bag", [False, True])
def test_every_way_of_asking_gives_the_share_of_trees(leaves, asked, out_of_bag, n_threads):
    mask = asked if out_of_bag else None
    proximity = Proximity(leaves, asked=mask, n_threads=n_threads)
    expected = by_definition(leaves, leaves, mask, mask)
    assert proximity.shape == (60, 60)
    np.testing.assert_array_equal(proximity.matrix(), expected)
    np.testing.assert_array_equal(proximity.sparse().toarray(), expected)
    np.testing.assert_array_equal(
        proximity.sparse(threshold=0.3).toarray(), np.where(expected >= 0.3, expected, 0.0)
    )
    for i in (0, 17, 59):
        np.testing.assert_array_equal(proximity.row(i), expected[i])
        assert [proximity.of(i, j) for j in range(60)] == expected[i].tolist()


def test_other_rows_are_compared_by_the_trees_that_count_for_the_first(leaves, asked):
    others = np.random.default_rng(6).integers(0, 6, size=(9, 20)).astype(np.int32)
    proximity = Proximity(leaves, others, asked=asked)
    expected = by_definition(leaves, others, asked)
    np.testing.assert_array_equal(proximity.matrix(), expected)
    assert proximity.of(3, 8) == expected[3, 8]
    nearest = proximity.nearest(2)
    np.testing.assert_array_equal(nearest.rows[:, 0], np.argmax(expected, axis=1))


def test_nearest_rows_are_the_most_similar_and_never_the_row_itself(leaves):
    proximity = Proximity(leaves)
    matrix = by_definition(leaves, leaves)
    np.fill_diagonal(matrix, -1.0)
    order = np.argsort(-matrix, axis=1, kind="stable")[:, :4]
    nearest = proximity.nearest(4)
    np.testing.assert_array_equal(nearest.rows, order)
    np.testing.assert_array_equal(nearest.shares, np.take_along_axis(matrix, order, axis=1))
    sparse = proximity.sparse(k=4)
    assert sparse.nnz == 60 * 4
    assert sparse[5, order[5, 0]] == matrix[5, order[5, 0]]


def test_rows_that_meet_too_few_have_gaps_among_their_nearest():
    nearest = Proximity(np.array([[1], [1], [2]], dtype=np.int32)).nearest(2)
    assert nearest.rows.tolist() == [[1, -1], [0, -1], [-1, -1]]
    assert nearest.shares.tolist() == [[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
    assert Proximity(np.array([[1], [1], [2]], dtype=np.int32)).sparse(k=2).nnz == 2


def test_blocks_of_rows_do_not_show(leaves, monkeypatch):
    whole = Proximity(leaves)
    expected = whole.matrix(), whole.sparse().toarray(), whole.outliers(leaves[:, 0])
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(whole.matrix(), expected[0])
    np.testing.assert_array_equal(whole.sparse().toarray(), expected[1])
    np.testing.assert_array_equal(whole.outliers(leaves[:, 0]), expected[2])


def test_no_matrix_is_made_that_memory_does_not_hold(leaves, monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: 2 * 8 * 60 * 60 - 2)
    proximity = Proximity(leaves)
    with pytest.raises(MemoryLimitError, match=r"Hint: nearest\(k\) and sparse"):
        proximity.matrix()
    with pytest.raises(MemoryLimitError, match="Hint: threshold="):
        proximity.sparse()
    assert proximity.nearest(3).rows.shape == (60, 3)


def test_outliers_are_far_from_their_class():
    random = np.random.default_rng(0)
    leaves = random.integers(0, 2, size=(50, 30)).astype(np.int32)
    classes = np.repeat(["a", "b"], 25)
    leaves[7] = 9  # meets nobody
    outliers = Proximity(leaves).outliers(classes)
    assert int(np.argmax(outliers)) == 7
    matrix = by_definition(leaves, leaves)
    raw = 50 / (matrix**2 * (classes[:, np.newaxis] == classes)).sum(axis=1)
    of_class = raw[:25]
    expected = (of_class - np.median(of_class)) / np.abs(of_class - np.median(of_class)).mean()
    np.testing.assert_allclose(outliers[:25], expected, atol=1e-12)


def test_prototypes_have_most_of_their_class_nearby():
    leaves = np.repeat(np.array([[1], [2], [3]], dtype=np.int32), [5, 4, 3], axis=0)
    classes = np.array(list("aaaabbbbbaaa"))
    found = Proximity(leaves).prototypes(classes, k=4, n=2)
    assert [prototype.label for prototype in found] == ["a", "a", "b", "b"]
    assert found[0].row == 4  # the one with four of class a around it
    assert sorted(found[0].neighbours.tolist()) == [0, 1, 2, 3]
    assert set(found[1].neighbours.tolist()) <= {9, 10, 11}
    assert set(found[2].neighbours.tolist()) <= {5, 6, 7, 8}
    assert found[3].neighbours.tolist() == [4]  # what the first has left


def test_what_makes_no_sense_is_refused(leaves):
    proximity = Proximity(leaves)
    with pytest.raises(ParameterError, match="k=0 must be at least 1"):
        proximity.nearest(0)
    with pytest.raises(ParameterError, match="k=61 is more than the 60 rows there are"):
        proximity.nearest(61)
    with pytest.raises(ParameterError, match="threshold=2 must be a share"):
        proximity.sparse(threshold=2)
    with pytest.raises(DataError, match=r"classes has shape \(3,\), but there are 60 rows"):
        proximity.outliers([1, 2, 3])
    with pytest.raises(DataError, match="compared with other rows"):
        Proximity(leaves, leaves[:3]).outliers(leaves[:, 0])
    with pytest.raises(IndexError, match="j=60 of 60 rows"):
        proximity.of(0, 60)
