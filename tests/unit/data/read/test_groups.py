"""Groups of rows: labels of any kind, their order, hashes and variances."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright.data.read.groups import RowGroups
from treewright.errors import DataError


@pytest.mark.parametrize(
    "labels",
    [
        ["ann", "bob", "ann", "cy"],
        np.array(["ann", "bob", "ann", "cy"]),
        [7, -1, 7, 2**40],
        [0.5, np.inf, 0.5, -0.25],
        [True, 2, True, "x"],
        [date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 1), date(2024, 2, 1)],
        pd.Series(["ann", "bob", "ann", "cy"], dtype="category"),
        pd.Series(["ann", "bob", "ann", "cy"], dtype="string"),
        pl.Series(["ann", "bob", "ann", "cy"]),
        np.array(["2024-01-01", "2024-01-02", "2024-01-01", "2024-01-03"], dtype="M8[D]"),
    ],
)
def test_labels_of_any_kind_number_groups(labels: Any) -> None:
    groups = RowGroups.read(labels, 4)
    assert groups is not None
    codes = groups.codes
    assert codes.dtype == np.uint32
    assert groups.n_groups == 3
    assert codes[0] == codes[2]
    assert len({*codes.tolist()}) == 3
    assert sorted({*codes.tolist()}) == [0, 1, 2]


def test_no_groups_stay_none() -> None:
    assert RowGroups.read(None, 4) is None


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("patient", "groups='patient' is a text; groups are labels, one for each row."),
        (["a", "b"], "groups has 2 labels, the table has 3 rows."),
        ([["a"], ["b"], ["c"]], "groups has shape (3, 1); it must have one label for each row."),
        (5, "groups has shape (); it must have one label for each row."),
        (["a", None, "b"], "groups has no label for 1 of 3 rows, the first of them row 1."),
        ([1.0, 2.0, np.nan], "groups has no label for 1 of 3 rows, the first of them row 2."),
        (pd.Series(["a", pd.NA, pd.NA]), "groups has no label for 2 of 3 rows"),
        (np.array([{}, {}, {}]), "groups holds a dict, which is no label."),
    ],
)
def test_what_is_no_label_for_each_row_is_refused(labels: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        RowGroups.read(labels, 3)


def test_groups_are_ordered_by_commonest_class_then_size_then_key() -> None:
    random = np.random.default_rng(0)
    codes = random.integers(0, 40, size=300).astype(np.uint32)
    classes = random.integers(0, 3, size=300)
    key = random.random(300)
    groups = RowGroups(codes=codes)

    def place(group: int) -> tuple[int, int, float]:
        rows = np.flatnonzero(codes == group)
        counts = np.bincount(classes[rows], minlength=3)
        return int(counts.argmax()), -len(rows), float(key[rows].max())

    expected = sorted({*codes.tolist()}, key=place)
    assert groups.in_order(key, classes=classes).tolist() == expected
    assert groups.commonest(classes)[expected].tolist() == [place(each)[0] for each in expected]
    by_mean = sorted({*codes.tolist()}, key=lambda each: key[codes == each].mean())
    assert groups.in_order(key, values=key).tolist() == by_mean


def test_folds_are_even_for_groups_of_any_size_and_rows_are_dealt_in_turn() -> None:
    random = np.random.default_rng(3)
    sizes = np.concatenate([[60, 50, 40], random.integers(1, 9, size=70)])
    codes = np.repeat(np.arange(len(sizes)), sizes).astype(np.uint32)
    classes = (random.random(len(sizes)) < 0.3)[codes].astype(np.int64)
    groups = RowGroups(codes=codes)
    order = groups.in_order(random.random(len(codes)), classes=classes)
    folds = groups.folds(order, 5, classes=classes)
    for group in range(len(sizes)):
        assert len(set(folds[codes == group].tolist())) == 1
    counts = np.bincount(folds, minlength=5)
    assert counts.max() - counts.min() < 30  # one class has 90 rows, 60 of them in one group
    ill = np.bincount(folds, weights=classes, minlength=5)
    assert ill.max() - ill.min() < 45
    alone = RowGroups(codes=np.arange(100, dtype=np.uint32))
    kinds = random.integers(0, 3, size=100)
    order = alone.in_order(random.random(100), classes=kinds)
    found = alone.folds(order, 4, classes=kinds)
    assert np.array_equal(found[order], np.arange(100) % 4)


def test_the_hash_of_a_group_is_that_of_its_rows_in_any_order() -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 9, size=80).astype(np.uint32)
    of_rows = random.integers(0, 2**64, size=80, dtype=np.uint64)
    found = RowGroups(codes=codes).hashes(of_rows)
    for row in range(80):
        together = sum(int(each) for each in of_rows[codes == codes[row]]) % 2**64
        assert int(found[row]) == together
    order = random.permutation(80)
    relabelled = RowGroups(codes=(8 - codes)[order]).hashes(of_rows[order])
    assert np.array_equal(relabelled, found[order])
    alone = RowGroups(codes=np.arange(80, dtype=np.uint32))
    assert np.array_equal(alone.hashes(of_rows), of_rows)


def test_the_variance_of_a_mean_is_that_of_means_of_resampled_groups() -> None:
    random = np.random.default_rng(2)
    sizes = random.integers(1, 9, size=60)
    codes = np.repeat(np.arange(60), sizes).astype(np.uint32)
    values = random.normal(size=60)[codes] + 0.3 * random.normal(size=len(codes))
    weight = random.uniform(0.5, 2.0, size=len(codes))
    groups = RowGroups(codes=codes)
    sums, weights = groups.sums(values * weight), groups.sums(weight)
    drawn = random.integers(0, 60, size=(4000, 60))
    means = sums[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    assert groups.variance_of_mean(values, weight) == pytest.approx(means.var(), rel=0.1)
    assert (
        RowGroups(codes=np.zeros(3, np.uint32)).variance_of_mean(values[:3], weight[:3]) == np.inf
    )
