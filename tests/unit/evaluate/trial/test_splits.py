"""Every row judges once, never where it was learned from; groups stay together."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import TimeSeriesSplit

from treewright.errors import DataError, ParameterError
from treewright.evaluate.trial.splits import Folds, make_folds
from treewright.evaluate.trial.task_data import TaskData, read_task_data, take_rows


def table(n_rows: int = 40, *, groups: Any = None, task: Any = "classes") -> TaskData:
    y = ["a", "b", "b", "b"] * (n_rows // 4) if task == "classes" else np.arange(n_rows) + 0.5
    X = np.zeros((n_rows, 1))
    return read_task_data(X, y, task=task, owner="test", groups=groups)


def judged_once(folds: Folds, n_rows: int) -> None:
    for repeat in range(folds.n_repeats):
        parts = [each for each in folds.splits if each.repeat == repeat]
        assert sorted(np.concatenate([each.test for each in parts]).tolist()) == list(range(n_rows))
        for each in parts:
            assert not set(each.train.tolist()) & set(each.test.tolist())
            assert len(each.train) + len(each.test) == n_rows


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("repeats", [1, 3])
def test_each_row_judges_once_in_each_repeat(task: str, repeats: int) -> None:
    data = table(task=task)
    folds = make_folds(data, 5, repeats=repeats)
    judged_once(folds, 40)
    assert len(folds) == 5 * repeats
    if task == "classes":
        assert all((data.y[each.test] == "a").sum() == 2 for each in folds.splits)


def test_the_sizes_of_folds_differ_by_one_at_most() -> None:
    folds = make_folds(table(20, task="numbers"), 3)
    assert sorted(len(each.test) for each in folds.splits) == [6, 7, 7]


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("cv", [4, "leave_one_out"])
def test_no_group_is_on_both_sides(task: str, cv: Any) -> None:
    groups = np.repeat(np.arange(10), 4)
    folds = make_folds(table(groups=groups, task=task), cv)
    judged_once(folds, 40)
    for each in folds.splits:
        assert not set(groups[each.train]) & set(groups[each.test])


def test_leave_one_out_has_a_part_for_every_row() -> None:
    folds = make_folds(table(), "leave_one_out")
    assert len(folds) == 40
    judged_once(folds, 40)


def test_splitters_and_pairs_are_taken_as_they_are() -> None:
    data = table(task="numbers")
    folds = make_folds(data, TimeSeriesSplit(3))
    assert all(each.train.max() < each.test.min() for each in folds.splits)
    folds = make_folds(data, [(np.arange(30), np.arange(30, 40))])
    assert len(folds) == 1


@pytest.mark.parametrize(
    ("cv", "error", "words"),
    [
        (1, ParameterError, "at least 2 folds"),
        (50, DataError, r"cv=50 folds need at least as many rows; there are 40"),
        ("loo", ParameterError, "cv='loo' must be a number of folds, 'leave_one_out'"),
        (None, ParameterError, "cv=None must be"),
        ([], DataError, "cv has no parts"),
        ([([], [1])], DataError, "part 0 of cv has no rows to learn from"),
        ([([0, 1], [1, 2])], DataError, "part 0 of cv judges row 1, which it learns from"),
        ([([0], [99])], DataError, "positions beyond the 40 rows"),
    ],
)
def test_what_divides_nothing_is_refused(cv: Any, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        make_folds(table(), cv)


def test_repeats_need_a_number_of_folds() -> None:
    with pytest.raises(ParameterError, match="repeats=2 is for a number of folds"):
        make_folds(table(), "leave_one_out", repeats=2)


def test_more_folds_than_groups_are_refused() -> None:
    with pytest.raises(DataError, match="at least as many groups; there are 2"):
        make_folds(table(groups=np.arange(40) % 2), 3)


def test_folds_larger_than_every_class_are_not_stratified_and_say_so() -> None:
    data = read_task_data(np.zeros((8, 1)), [*"aabbccdd"], task="classes", owner="test")
    folds = make_folds(data, 4)
    assert folds.notes == ("no class has 4 rows: folds are not stratified",)
    judged_once(folds, 8)


@pytest.mark.parametrize("kind", ["csr", "coo", "dok", "lil"])
def test_sparse_tables_of_every_kind_are_divided(kind: str) -> None:
    X = sparse.csr_matrix(np.arange(12.0).reshape(6, 2)).asformat(kind)
    assert take_rows(X, np.array([4, 1])).toarray().tolist() == [[8.0, 9.0], [2.0, 3.0]]
