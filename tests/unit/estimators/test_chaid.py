"""CHAID where a table says what it must do; the oracle (tests/property) has the rest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright import CHAIDClassifier, CHAIDRegressor, Schema
from treewright.errors import DataError
from treewright.tree.question import Categories, Cut, Intervals


def three_steps(n: int = 900, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The share of class 1 rises in three steps of the first column; the second is noise."""
    random = np.random.default_rng(seed)
    X = random.uniform(size=(n, 2))
    share = np.select([X[:, 0] < 0.3, X[:, 0] < 0.7], [0.1, 0.5], 0.9)
    return X, (random.uniform(size=n) < share).astype(int)


@pytest.mark.parametrize("exhaustive", [False, True])
def test_a_node_is_split_into_the_groups_that_differ(exhaustive: bool) -> None:
    X, y = three_steps()
    tree = CHAIDClassifier(exhaustive=exhaustive).fit(X, y).tree_
    question = tree.question(0)
    assert isinstance(question, Intervals)
    assert question.index == 0
    np.testing.assert_allclose(question.cuts, [0.3, 0.7], atol=0.02)
    assert tree.depth == 1


def test_values_of_a_target_are_told_apart_by_f() -> None:
    random = np.random.default_rng(1)
    shop = random.choice(list("abcdef"), 600)
    y = np.where(np.isin(shop, ["a", "d"]), 3.0, 0.0) + random.normal(size=600)
    tree = CHAIDRegressor().fit({"shop": shop}, y).tree_
    question = tree.question(0)
    assert isinstance(question, Categories)
    assert question.n_branches == 2
    assert tree.rules()[0].text().startswith("IF shop in {a, d} THEN")


@pytest.mark.parametrize("exhaustive", [False, True])
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_pure_noise_is_mostly_a_root(task: str, exhaustive: bool) -> None:
    """Each of five columns may err at 5 %; the correction for groupings is on the safe side."""
    n_roots = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        X = pd.DataFrame(random.normal(size=(300, 3)), columns=list("abc"))
        X["d"] = random.choice(list("pqrstu"), 300)
        X["e"] = random.choice(list("xyz"), 300)
        X.iloc[::9, 0] = np.nan
        is_class = task == "classes"
        y = random.integers(0, 3, 300) if is_class else random.normal(size=300)
        model = (CHAIDClassifier if is_class else CHAIDRegressor)(exhaustive=exhaustive)
        n_roots += model.fit(X, y).tree_.n_nodes == 1
    assert n_roots >= 28  # 0.95^5 of 40 is 31


def test_the_split_of_a_deeper_node_ends_where_a_bin_of_the_whole_table_does() -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(3000, 2)).round(3)
    y = (X.sum(axis=1) + random.normal(size=3000) > 0).astype(int)
    tree = CHAIDClassifier(n_bins=8).fit(X, y).tree_
    assert tree.depth >= 2
    ends = []
    for column in X.T:
        rank = pd.Series(column).rank()
        bins = np.floor(rank * 8 / 3001)
        ends.append(set(pd.Series(column).groupby(bins).max().tolist()))
    for node in range(tree.n_nodes):
        question = tree.question(node)
        if question is None:
            continue
        cuts = question.cuts if isinstance(question, Intervals) else (question.threshold,)
        assert set(cuts) <= ends[question.index]


def test_missing_values_may_stand_alone_or_join_a_group() -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=800)
    x[:200] = np.nan
    alone = (random.uniform(size=800) < np.where(np.isnan(x), 0.9, 0.2)).astype(int)
    tree = CHAIDClassifier(alpha_merge=0.001).fit(x[:, None], alone).tree_
    question = tree.question(0)
    assert isinstance(question, Cut)
    assert [question.text(branch) for branch in (0, 1)] == ["x0 is known", "x0 is missing"]
    assert tree.predict(np.array([[np.nan], [np.inf], [-np.inf], [1e300]])).tolist() == [1, 0, 0, 0]
    assert tree.rules().for_label(1)[0].text().startswith("IF x0 is missing THEN 1")

    joins = (random.uniform(size=800) < np.where(np.isnan(x) | (x > 0), 0.9, 0.2)).astype(int)
    for missing in ("floating", "last"):
        tree = CHAIDClassifier(alpha_merge=0.001, missing=missing).fit(x[:, None], joins).tree_
        question = tree.question(0)
        assert question is not None
        assert question.n_branches == 2
        assert question.missing_branch == 1


@pytest.mark.parametrize("storage", ["int", "ordinal", "date"])
def test_whether_there_is_a_value_can_be_asked_of_every_ordered_column(storage: str) -> None:
    random = np.random.default_rng(6)
    steps = random.integers(0, 4, 400)
    column: Any = pd.array(steps, dtype="Int64")
    if storage == "ordinal":
        column = pd.Categorical(
            np.array(list("abcd"))[steps], categories=list("abcd"), ordered=True
        )
    elif storage == "date":
        column = pd.to_datetime("2024-01-01") + pd.to_timedelta(steps, unit="D")
    frame = pd.DataFrame({"x": column})
    frame.loc[:99, "x"] = None
    y = np.where(
        np.arange(400) < 100, random.uniform(size=400) < 0.9, random.uniform(size=400) < 0.1
    )
    tree = CHAIDClassifier(alpha_merge=0.001).fit(frame, y.astype(int)).tree_
    tree.arrays.validate(tree.schema)
    question = tree.question(0)
    assert question is not None
    assert [question.text(branch) for branch in (0, 1)] == ["x is known", "x is missing"]
    assert tree.predict(frame).tolist() == (np.arange(400) < 100).astype(int).tolist()


def test_p_values_beyond_underflow_keep_their_order() -> None:
    random = np.random.default_rng(7)
    y = random.integers(0, 2, 40_000)
    noisy = np.where(random.uniform(size=len(y)) < 0.05, 1 - y, y)
    X = np.column_stack([noisy, y])
    tree = CHAIDClassifier().fit(X, y).tree_
    why = tree.why(0)
    assert tree.question(0).index == 1  # type: ignore[union-attr]
    assert why.candidates[0].p_value == why.candidates[1].p_value == 0.0
    assert math.isfinite(tree.arrays.score[0])
    assert tree.arrays.score[0] > why.candidates[0].score > 745  # e^-745 is the least double


def test_a_certain_p_value_is_the_smallest() -> None:
    """No spread within groups that differ: F is infinite."""
    group = np.repeat(np.arange(4), 25)
    X = pd.DataFrame({"nearly": group.astype(float), "fully": [f"g{i}" for i in group]})
    y = group * 10.0
    X.loc[3, "nearly"] = 1.0
    tree = CHAIDRegressor().fit(X, y).tree_
    assert tree.question(0).index == 1  # type: ignore[union-attr]
    assert tree.arrays.score[0] == math.inf
    assert tree.predict(X).tolist() == y.tolist()


def test_why_shows_both_p_values_and_what_is_not_significant() -> None:
    X, y = three_steps(seed=1)
    tree = CHAIDClassifier().fit(X, y).tree_
    table = tree.why(0)
    chosen = table.chosen
    assert chosen is not None
    assert chosen.adjusted_p == pytest.approx(math.exp(-tree.arrays.score[0]))
    assert chosen.adjusted_p == pytest.approx(chosen.p_value * math.comb(9, 2))  # type: ignore[operator]
    assert [branch.label for branch in chosen.branches][1].startswith("> 0.")
    assert table.candidates[1].guard == "not significant"
    assert "adjusted p" in str(table)


def test_small_groups_join_the_most_similar() -> None:
    random = np.random.default_rng(8)
    kind = np.array(["a"] * 100 + ["b"] * 100 + ["rare"] * 5)
    share = np.select([kind == "a", kind == "b"], [0.1, 0.9], 0.9)
    y = (random.uniform(size=205) < share).astype(int)
    question = CHAIDClassifier().fit({"kind": kind}, y).tree_.question(0)
    assert isinstance(question, Categories)
    assert [question.text(branch) for branch in (0, 1)] == ["kind = a", "kind != a"]


def test_merging_can_be_switched_off() -> None:
    X, y = three_steps()
    tree = CHAIDClassifier(alpha_merge=1.0, n_bins=6, max_depth=1).fit(X, y).tree_
    assert tree.n_leaves == 6


def test_merged_values_are_split_again_where_they_differ_after_all() -> None:
    counts = {"a": (19, 18), "b": (26, 38), "c": (43, 13), "d": (53, 5), "e": (28, 5)}
    kind = [k for k, (zeros, ones) in counts.items() for _ in range(zeros + ones)]
    y = [c for zeros, ones in counts.values() for c in [0] * zeros + [1] * ones]

    def groups(**parameters: Any) -> list[str]:
        model = CHAIDClassifier(bonferroni=False, **parameters).fit({"kind": kind}, y)
        question = model.tree_.question(0)
        assert question is not None
        return [question.text(branch) for branch in range(question.n_branches)]

    assert groups() == ["kind in {a, b}", "kind in {c, d, e}"]
    # c against d and e: chi-square 3.85, p 0.0498
    assert groups(alpha_split_merge=0.05) == ["kind in {a, b}", "kind = c", "kind in {d, e}"]
    assert groups(alpha_split_merge=0.01) == groups()


def test_weights_say_how_often_not_in_which_unit() -> None:
    X, y = three_steps(400)
    random = np.random.default_rng(9)
    copies = random.integers(0, 4, 400)
    rows = np.repeat(np.arange(400), copies)
    weighted = CHAIDClassifier().fit(X, y, copies).tree_
    written = CHAIDClassifier().fit(X[rows], y[rows]).tree_
    assert np.array_equal(weighted.arrays.weight, written.arrays.weight)
    assert np.array_equal(weighted.arrays.score, written.arrays.score)
    fractions = random.uniform(0.2, 3.0, 400)
    one = CHAIDClassifier().fit(X, y, fractions).tree_
    other = CHAIDClassifier().fit(X, y, 0.25 * fractions).tree_
    np.testing.assert_allclose(one.arrays.score, other.arrays.score, rtol=1e-9)
    assert np.array_equal(one.arrays.column, other.arrays.column)


def test_a_category_that_training_did_not_know() -> None:
    kind = ["a", "b", "c"] * 40
    y = [0, 1, 1] * 40
    X, new = {"kind": kind}, {"kind": ["z"]}
    assert CHAIDClassifier().fit(X, y).predict(new).tolist() == [1]  # the majority's branch
    assert CHAIDClassifier(unseen="majority").fit(X, y).predict(new).tolist() == [1]
    with pytest.raises(DataError, match="'z'"):
        CHAIDClassifier(unseen="error").fit(X, y).predict(new)


def test_very_many_categories_are_merged_in_little_time() -> None:
    random = np.random.default_rng(10)
    codes = random.integers(0, 5000, 50_000)
    share = np.where(codes % 7 < 3, 0.2, 0.8)
    y = (random.uniform(size=50_000) < share).astype(int)
    X = pd.DataFrame({"code": codes})
    # There are 2^4999 ways to form two groups: adjusted for them, nothing would be significant.
    model = CHAIDClassifier(bonferroni=False, schema=Schema(kinds={"code": "nominal"}))
    tree = model.fit(X, y).tree_
    assert 2 <= tree.arrays.n_branches[0] <= 128
    assert (tree.predict(X) == (share > 0.5)).mean() > 0.95


def test_any_number_of_threads_grows_the_same_tree() -> None:
    random = np.random.default_rng(11)
    X = random.normal(size=(30_000, 12))
    X[random.uniform(size=X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1] * X[:, 2]) > 0).astype(int)
    one = CHAIDClassifier(n_jobs=1).fit(X, y).tree_
    two = CHAIDClassifier(n_jobs=2).fit(X, y).tree_
    assert one.arrays.equals(two.arrays)
