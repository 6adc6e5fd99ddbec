"""Conformal thresholds, intervals and sets, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.certainty.conformal import threshold, thresholds_by
from treewright.certainty.folds import deal
from treewright.certainty.intervals import Intervals
from treewright.certainty.sets import Sets
from treewright.data.read.groups import RowGroups
from treewright.errors import DataError

SCORES = st.lists(st.floats(-50, 50), min_size=1, max_size=40)


@given(SCORES, st.sampled_from([0.5, 0.8, 0.9, 0.95, 1.0]))
def test_the_threshold_is_the_kth_smallest(scores: list[float], level: float) -> None:
    k = math.ceil(level * (len(scores) + 1) - 1e-9)
    expected = sorted(scores)[k - 1] if k <= len(scores) else math.inf
    assert threshold(np.array(scores), None, level) == expected


@given(SCORES, st.floats(1e-6, 1e6))
def test_equal_weights_of_any_scale_are_none(scores: list[float], scale: float) -> None:
    found = threshold(np.array(scores), np.full(len(scores), scale), 0.8)
    assert found == threshold(np.array(scores), None, 0.8)


def test_weight_counts() -> None:
    scores, weight = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 1.0, 1.0, 97.0])
    assert threshold(scores, weight, 0.5) == 4.0
    assert threshold(scores, weight[::-1], 0.5) == 1.0


def test_each_label_by_itself() -> None:
    labels = np.array(["a"] * 9 + ["b"] * 9, dtype=object)
    scores = np.r_[np.arange(9.0), 10 * np.arange(9.0)]
    assert thresholds_by(labels, scores, None, 0.8) == {"a": 7.0, "b": 70.0}


def test_intervals_are_the_errors_thresholds_around_answers() -> None:
    errors = np.r_[np.arange(-9.0, 0.0), np.arange(1.0, 11.0)][:, np.newaxis]
    known = Intervals(errors=errors, weight=None, source="")
    assert known.ends(np.array([[100.0]]), None, 0.9)[0, 0].tolist() == [91.0, 109.0]


def test_errors_on_one_side_move_one_end() -> None:
    errors = np.arange(0.0, 1000.0)[:, np.newaxis]
    ends = Intervals(errors=errors, weight=None, source="").ends(np.array([[0.0]]), None, 0.9)
    low, high = ends[0, 0]
    assert low == pytest.approx(50, abs=1)
    assert high == pytest.approx(950, abs=1)


def test_too_few_rows_know_nothing() -> None:
    known = Intervals(errors=np.zeros((4, 1)), weight=None, source="")
    assert np.isinf(known.ends(np.array([[1.0]]), None, 0.9)).all()
    assert Sets(of_truth=np.ones((4, 1)), weight=None, source="").of(np.eye(2), 0, 0.9).all()


def test_sets_hold_what_is_probable_enough() -> None:
    known = Sets(of_truth=np.linspace(0.1, 0.99, 99)[:, np.newaxis], weight=None, source="")
    limit = np.linspace(0.1, 0.99, 99)[9]  # a tenth of the rows were told less
    asked = np.array([[0.95, 0.05], [0.5, 0.5], [1 - limit + 1e-9, limit - 1e-9], [0.1, 0.9]])
    assert known.of(asked, 0, 0.9).tolist() == [
        [True, False],
        [True, True],
        [True, False],
        [False, True],
    ]


def test_a_label_that_no_row_has() -> None:
    labels = np.array(["a", "b"] * 10, dtype=object)
    known = Sets(of_truth=np.ones((20, 1)), weight=None, source="")
    with pytest.raises(DataError, match="has 'c' in the column of `by`; they have 'a', 'b'"):
        known.of(np.eye(2), 0, 0.5, known_labels=labels, labels=np.array(["a", "c"], dtype=object))


@given(st.integers(2, 60), st.integers(2, 10), st.integers(1, 4))
def test_folds_have_their_share_of_each_class(n_rows: int, n_folds: int, n_classes: int) -> None:
    classes = np.arange(n_rows) % n_classes
    folds = deal(n_rows, min(n_folds, n_rows), classes=classes)
    sizes = np.bincount(folds, minlength=min(n_folds, n_rows))
    assert sizes.max() - sizes.min() <= 1
    for code in range(n_classes):
        own = np.bincount(folds[classes == code], minlength=len(sizes))
        assert own.max() - own.min() <= 1


def test_folds_keep_groups_whole() -> None:
    labels = np.repeat(np.arange(20), 3)
    groups = RowGroups.read(labels, 60)
    folds = deal(60, 5, classes=np.arange(60) % 2, groups=groups)
    assert all(len(set(folds[labels == label])) == 1 for label in range(20))
    assert len(set(folds.tolist())) == 5
