"""What `partial_fit` of `IncrementalTreeClassifier` does to an estimator, and what it leaves."""

import copy
import pickle
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from treewright import DecisionTreeClassifier, IncrementalTreeClassifier, Schema
from treewright.errors import DataError, ModelFormatError, TargetError, UnsupportedError
from treewright.stream import update

pytestmark = pytest.mark.filterwarnings("ignore::treewright.errors.SmallDataWarning")


def large(n_rows: int, *, seed: int = 0) -> tuple[Any, Any]:
    """Return a table of which nodes are divided by all threads together, as a frame with names."""
    generator = np.random.default_rng(seed)
    columns: dict[str, Any] = {f"x{i}": generator.normal(size=n_rows) for i in range(16)}
    signal = columns["x0"] + 0.5 * columns["x1"] * columns["x2"]
    columns["name"] = generator.choice(["a", "b", "c"], n_rows)
    columns["rare"] = (columns["x3"] > 2.5).astype(int)  # constant in some of the nodes
    columns["flag"] = columns["x0"] > 0
    columns["gaps"] = np.where(generator.random(n_rows) < 0.1, np.nan, columns["x4"])
    y = np.where(signal + 0.5 * generator.normal(size=n_rows) > 0, "yes", "no")
    return pd.DataFrame(columns), y


@pytest.fixture
def iris() -> Any:
    return tw.load_example("iris")


def assert_same(model: Any, X: Any, y: Any, **options: Any) -> None:
    due = DecisionTreeClassifier(**options).fit(X, y)
    assert model.tree_.arrays.equals(due.tree_.arrays)
    assert model.tree_.schema == due.tree_.schema


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_large_table_is_updated_node_by_node(n_jobs: int) -> None:
    X, y = large(20_000)
    model = IncrementalTreeClassifier(n_jobs=n_jobs).fit(X[:19_960], y[:19_960])
    regrown = []
    for i in range(19_960, 20_000):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        regrown.append(model.n_rows_regrown_)
        if i % 4 == 3:
            assert_same(model, X[: i + 1], y[: i + 1])
    assert np.median(regrown[20:]) < 5_000


def test_large_updates_grow_the_tree_at_once() -> None:
    X, y = large(20_000)
    model = IncrementalTreeClassifier().fit(X[:15_000], y[:15_000])
    model.partial_fit(X[15_000:], y[15_000:])
    assert model.n_rows_regrown_ == model.n_rows_seen_ == 20_000
    assert_same(model, X, y)


def test_a_kept_node_is_divided_by_the_cut_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "_FEW_CELLS", 4)
    monkeypatch.setattr(update, "_MOST_REACHED", 2.0)
    monkeypatch.setattr(update, "_CELLS_TO_JUDGE", 1e9)
    generator = np.random.default_rng(1)
    X = generator.normal(size=(60, 3)).round(1)
    y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)
    model = IncrementalTreeClassifier().fit(X[:30], y[:30])
    roots, partly = set(), 0
    for i in range(30, 60):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        assert_same(model, X[: i + 1], y[: i + 1])
        roots.add(float(model.tree_.arrays.threshold[0]))
        partly += model.n_rows_regrown_ < model.n_rows_seen_
    assert len(roots) > 1
    assert partly > 10


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({"class_weight": "balanced"}, {"class_weight": "balanced"}),  # alike once classes are
        ({"priors": [0.2, 0.8]}, {"priors": None}),
        ({"class_weight": {0: 1, 1: 3}}, {"class_weight": None}),
        ({"cost_matrix": [[0, 1], [5, 0]]}, {"cost_matrix": None}),
        ({"prune": "reduced_error"}, {"prune": None}),
        ({"min_samples_leaf": 0.05}, {"min_samples_leaf": 1}),
    ],
)
def test_nothing_is_kept_of_a_tree_that_other_parameters_shaped(
    monkeypatch: pytest.MonkeyPatch, before: Any, now: Any
) -> None:
    monkeypatch.setattr(update, "_FEW_CELLS", 4)
    monkeypatch.setattr(update, "_MOST_REACHED", 2.0)
    generator = np.random.default_rng(0)
    for _ in range(5):
        X = generator.integers(0, 9, (201, 1)).astype(float)
        y = (X[:, 0] + generator.normal(size=201) * 5 > 4).astype(int)
        y[:100], y[100:200] = 0, 1
        X[:100] -= generator.integers(0, 4, (100, 1))
        model = IncrementalTreeClassifier(max_depth=4, **before).partial_fit(X[:199], y[:199])
        for end in (200, 201):
            model.set_params(**now).partial_fit(X[end - 1 : end], y[end - 1 : end])
            assert_same(model, X[:end], y[:end], max_depth=4, **now)


@pytest.mark.parametrize(
    "blank", [pd.array([None], dtype="boolean"), pd.Categorical([None], categories=[1, 2])]
)
@pytest.mark.parametrize("values", [[1.5, 2.5], ["a", "b"], pd.to_datetime(["2024", "2025"])])
def test_gaps_are_of_any_type(blank: Any, values: Any) -> None:
    known, gaps = pd.DataFrame({"x": values}), pd.DataFrame({"x": blank})
    for tables in ([known, gaps, known], [gaps, known, gaps]):
        model = IncrementalTreeClassifier()
        for table in tables:
            model.partial_fit(table, [0, 1][: len(table)])
        assert model.predict(known).tolist() == [0, 1]


def test_fit_starts_anew(iris: Any) -> None:
    model = IncrementalTreeClassifier().partial_fit(iris.X, iris.y)
    model.fit(iris.X[:100], iris.y[:100])
    assert model.n_rows_seen_ == 100
    assert_same(model, iris.X[:100], iris.y[:100])


def bad_updates(iris: Any) -> list[Any]:
    text = [{**row, iris.X.columns[1]: "long"} for row in [dict.fromkeys(iris.X.columns, 1.0)]]
    return [
        (text, [iris.y[0]], None),
        (iris.X.drop(iris.X.columns[0])[:5], iris.y[:5], None),
        (iris.X[:5], iris.y[:4], None),
        (iris.X[:5], [1, 2, 3, 4, 5], None),
        (iris.X[:5], iris.y[:5], [-1.0] * 5),
    ]


@pytest.mark.parametrize("which", range(5))
def test_a_failed_update_leaves_the_estimator(iris: Any, which: int) -> None:
    model = IncrementalTreeClassifier().fit(iris.X, iris.y)
    before = dict(vars(model))
    X, y, weight = bad_updates(iris)[which]
    with pytest.raises((DataError, TargetError)):
        model.partial_fit(X, y, sample_weight=weight)
    assert dict(vars(model)) == before
    model.partial_fit(iris.X[:7], iris.y[:7])
    rows = np.r_[np.arange(150), np.arange(7)]
    assert_same(model, iris.X[rows], iris.y[rows])


def test_an_interrupted_update_leaves_the_estimator(iris: Any) -> None:
    model = IncrementalTreeClassifier().fit(iris.X, iris.y)
    before = dict(vars(model))
    for where in (
        "stream.rows._weights",
        "estimators.stream.incremental.updated",
        "stream.update.fit_tree",
    ):
        stopped = patch(f"treewright.{where}", side_effect=KeyboardInterrupt)
        with stopped, pytest.raises(KeyboardInterrupt):
            model.partial_fit(iris.X[:3], iris.y[:3])
        assert dict(vars(model)) == before
    model.partial_fit(iris.X[:7], iris.y[:7])
    rows = np.r_[np.arange(150), np.arange(7)]
    assert_same(model, iris.X[rows], iris.y[rows])


def test_copies_go_their_own_ways(iris: Any) -> None:
    model = IncrementalTreeClassifier().fit(iris.X[:100], iris.y[:100])
    others = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    for n, each in enumerate([model, *others], start=1):
        each.partial_fit(iris.X[100 : 100 + n], iris.y[100 : 100 + n])
    for n, each in enumerate([model, *others], start=1):
        each.partial_fit(iris.X[130:], iris.y[130:])
        rows = np.r_[np.arange(100 + n), np.arange(130, 150)]
        assert_same(each, iris.X[rows], iris.y[rows])
    assert not hasattr(clone(model), "tree_")


@pytest.mark.parametrize("suffix", ["tw", "json"])
def test_a_loaded_model_goes_on(iris: Any, tmp_path: Path, suffix: str) -> None:
    X, y = large(600)
    model = IncrementalTreeClassifier(ccp_alpha=0.001).fit(X[:500], y[:500])
    tw.save(model, tmp_path / f"model.{suffix}")
    again = tw.load(tmp_path / f"model.{suffix}")
    again.partial_fit(X[500:], y[500:])
    assert_same(again, X, y, ccp_alpha=0.001)


def test_rows_of_a_damaged_file_are_refused(iris: Any) -> None:
    rows = IncrementalTreeClassifier().fit(iris.X, iris.y)._rows
    assert rows is not None
    state = rows.__getstate__()
    for changed in (
        {"codes": rows.codes + np.int32(7)},
        {"codes": rows.codes[:5]},
        {"weight": np.ones(3)},
        {"columns": None},
    ):
        with pytest.raises(ModelFormatError, match="rows kept are damaged"):
            type(rows).__new__(type(rows)).__setstate__({**state, **changed})


def test_announced_classes_have_probability_0_until_they_come(iris: Any) -> None:
    model = IncrementalTreeClassifier()
    model.partial_fit(iris.X[:60], iris.y[:60], classes=[*np.unique(iris.y), "other"])
    assert model.classes_.tolist() == ["other", *np.unique(iris.y)]
    at_once = DecisionTreeClassifier().fit(iris.X[:60], iris.y[:60])
    of_known = model.predict_proba(iris.X)[:, 1:3]
    assert np.array_equal(of_known, at_once.predict_proba(iris.X))
    assert not model.predict_proba(iris.X)[:, [0, 3]].any()
    model.partial_fit(iris.X[60:], iris.y[60:])
    assert model.classes_.tolist() == ["other", *np.unique(iris.y)]
    at_once.fit(iris.X, iris.y)
    assert model.tree_.n_nodes == at_once.tree_.n_nodes
    assert np.array_equal(model.predict_proba(iris.X)[:, 1:], at_once.predict_proba(iris.X))


def test_types_are_those_of_all_rows() -> None:
    day, one_day = np.datetime64("2024-01-01"), np.timedelta64(1, "D")
    batches: list[Any] = [
        {"whole": [1, 2], "big": [2**60 + 1, 3], "text": [None, None], "day": [day, day + one_day]},
        {"whole": [2.5], "big": [7], "text": ["b"], "day": [np.datetime64("NaT", "D")]},
        {"whole": [None], "big": [-5], "text": ["a"], "day": [day + 400 * one_day]},
    ]
    ys = [["x", "y"], ["y"], ["x"]]
    model = IncrementalTreeClassifier()
    for batch, y in zip(batches, ys, strict=True):
        model.partial_fit(batch, y)
    joined: dict[str, Any] = {
        name: [value for each in batches for value in each[name]] for name in batches[0]
    }
    joined["day"] = np.array(joined["day"], dtype="M8[D]")
    assert_same(model, joined, [label for y in ys for label in y])
    assert [spec.storage for spec in model.tree_.schema.columns] == [
        "float",
        "int",
        "value",
        "datetime",
    ]


@pytest.mark.parametrize("kind", ["pandas", "pandas categories", "polars", "pyarrow", "array"])
def test_tables_of_any_library(kind: str) -> None:
    X, y = large(300)
    table: Any = X
    if kind == "pandas categories":
        table = X.assign(name=pd.Categorical(X["name"], categories=["c", "b", "a", "none"]))
    elif kind == "array":
        table = X[["x0", "x1", "rare"]].to_numpy()
    elif kind != "pandas":
        table = pytest.importorskip(kind)
        table = table.from_pandas(X) if kind == "polars" else table.Table.from_pandas(X)
    cut = (lambda i, j: table.slice(i, j - i)) if kind == "pyarrow" else (lambda i, j: table[i:j])
    model = IncrementalTreeClassifier()
    for begin, end in ((0, 100), (100, 101), (101, 300)):
        model.partial_fit(cut(begin, end), y[begin:end])
    assert_same(model, table, y)
    assert model.n_features_in_ == len(model.tree_.schema.input_names)


def test_ignored_and_derived_columns() -> None:
    X, y = large(300)
    schema = Schema(ignore=["x5", "x1"]).derive("both = x0 + x1").derive("same = flag == rare")
    model = IncrementalTreeClassifier(schema=schema, categorical_features=["rare"])
    for begin, end in ((0, 150), (150, 300)):
        model.partial_fit(X[begin:end], y[begin:end])
    assert_same(model, X, y, schema=schema, categorical_features=["rare"])


MISTAKES: list[tuple[Any, Any, str]] = [
    (
        {"size": ["big"], "colour": ["red"]},
        ["a"],
        "column 'size' has held numbers so far, but row 0 holds 'big', of text or categories.\n"
        "  Hint: convert the column as it was in the rows before.",
    ),
    (
        {"size": [1], "colour": [2]},
        ["a"],
        "column 'colour' has held text or categories so far, but row 0 holds '2', of numbers.\n"
        "  Hint: convert the column as it was in the rows before.",
    ),
    (
        {"size": [1], "colour": [True]},
        ["a"],
        "column 'colour' has held text or categories so far, but row 0 holds 'True', of"
        " true/false.\n  Hint: convert the column as it was in the rows before.",
    ),
    (
        {"size": [True], "colour": ["red"]},
        ["a"],
        "column 'size' has held numbers so far, but row 0 holds 'True', of true/false.\n"
        "  Hint: convert the column as it was in the rows before.",
    ),
    (
        {"size": [1], "colour": ["red"]},
        [3],
        "y has held classes like 'a' so far, and now holds 3: text and numbers are not classes of"
        " one target.\n  Hint: convert the target as it was in the rows before.",
    ),
]


@pytest.mark.parametrize(("X", "y", "message"), MISTAKES)
def test_messages(X: Any, y: Any, message: str) -> None:
    first = {"size": [1, 2, 3], "colour": ["red", "blue", None]}
    model = IncrementalTreeClassifier().fit(first, ["a", "b", "a"])
    with pytest.raises(DataError) as raised:
        model.partial_fit(X, y)
    assert str(raised.value) == message


def test_a_class_that_was_not_announced_is_refused() -> None:
    with pytest.raises(TargetError) as raised:
        IncrementalTreeClassifier().partial_fit([[1], [2]], ["a", "c"], classes=["a", "b"])
    assert str(raised.value) == (
        "IncrementalTreeClassifier.partial_fit: y, row 1 holds class 'c', which classes= does not"
        " list.\n  Listed: 'a', 'b'\n  Hint: list every class that may come, or leave classes out."
    )


def test_groups_cannot_be_gone_on_from(iris: Any) -> None:
    model = IncrementalTreeClassifier(prune="cost_complexity")
    model.fit(iris.X, iris.y, groups=np.arange(150) // 2)
    with pytest.raises(UnsupportedError) as raised:
        model.partial_fit(iris.X, iris.y)
    assert str(raised.value) == (
        "IncrementalTreeClassifier cannot be updated: fit was given groups, and those of further"
        " rows are not known.\n  Hint: fit(X, y) with all rows, and partial_fit from there on."
    )


@pytest.mark.parametrize("prune", ["reduced_error", "cost_complexity", "pessimistic", "mdl"])
def test_pruners_that_judge_by_rows(iris: Any, prune: str) -> None:
    order = np.random.default_rng(0).permutation(150)
    X, y = iris.X[order], iris.y[order]
    model = IncrementalTreeClassifier(prune=prune)
    for begin in (0, 60, 120):
        model.partial_fit(X[begin : begin + 60], y[begin : begin + 60])
    assert_same(model, X, y, prune=prune)


def test_costs_and_an_order_of_classes(iris: Any) -> None:
    order = np.random.default_rng(0).permutation(150)
    X, y = iris.X[order], iris.y[order]
    names = np.unique(y)
    options: dict[str, Any] = {
        "cost_matrix": {names[0]: {names[1]: 3}},
        "schema": Schema(class_order=[names[2], names[0], names[1]]),
        "criterion": "ordinal_gini",
    }
    model = IncrementalTreeClassifier(**options)
    for begin in (0, 60, 120):
        model.partial_fit(X[begin : begin + 60], y[begin : begin + 60])
    assert_same(model, X, y, **options)
    assert model.classes_.tolist() == [names[2], names[0], names[1]]
