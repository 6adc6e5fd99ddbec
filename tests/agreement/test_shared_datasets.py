"""Every shared table, straight from its file: fitted, predicted, and held to plain facts.

Nothing is prepared: text, dates, gaps and identifiers go in as they are read. Only the classes of
a table are taken as names where the file writes them as numbers.
"""

import json
import time
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agreement.shared_tables import (
    DATASETS,
    Labelled,
    entries,
    figures_of,
    needs_shared,
    read_labelled,
)
from treewright import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, read
from treewright.data.frame import Frame

pytestmark = needs_shared

Array = npt.NDArray[Any]
SLOW = ("nycflights",)  # a full tree of 270,000 leaves that asks for one of 4,037 tail numbers


def tables(*, is_classification: bool) -> list[Any]:
    """The names of the tables of one task."""
    return [
        pytest.param(entry.name, marks=[pytest.mark.slow] if entry.name in SLOW else [])
        for entry in entries().values()
        if entry.is_classification == is_classification
    ]


@cache
def labelled(name: str) -> Labelled:
    return read_labelled(entries()[name])


def alike(X: Frame) -> npt.NDArray[np.int64]:
    """Number the rows; two have one number if they agree in every column, gaps included."""
    numbers = np.zeros(len(X), dtype=np.int64)
    for name in X.columns:
        column = X.column(name)
        values = np.where(column.missing, 0, column.data)
        codes = np.unique(values, return_inverse=True)[1] + 1
        codes[column.missing] = 0
        both = numbers * (int(codes.max()) + 1) + codes
        numbers = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return numbers


def best_training_accuracy(X: Frame, y: Array) -> float:
    """Return the accuracy of answering each group of like rows with its most frequent class."""
    codes = np.unique(y, return_inverse=True)[1]
    n_classes = int(codes.max()) + 1
    pairs, counts = np.unique(alike(X) * n_classes + codes, return_counts=True)
    most = np.zeros(int(pairs.max()) // n_classes + 1, dtype=np.int64)
    np.maximum.at(most, pairs // n_classes, counts)
    return float(most.sum() / len(y))


@pytest.mark.parametrize("name", entries())
def test_a_file_is_read_as_the_index_describes_it(name: str) -> None:
    described = json.loads((DATASETS / "index.json").read_text(encoding="utf-8"))["datasets"]
    known = next(entry for entry in described if entry["name"] == name)
    frame = read(entries()[name].path)
    assert len(frame) == known["rows"]
    assert list(frame.columns) == [column["name"] for column in known["column_info"]]
    gaps = {column: int(frame.column(column).missing.sum()) for column in frame.columns}
    assert gaps == {column["name"]: column["missing"] for column in known["column_info"]}
    numeric = [column["name"] for column in known["column_info"] if column["kind"] == "numeric"]
    assert all(frame.column(column).storage in ("int", "float") for column in numeric)
    if "class_counts" in known:
        names, counts = np.unique(labelled(name).y, return_counts=True)
        wanted = {label: count for label, count in known["class_counts"].items() if count}
        assert dict(zip(names.tolist(), counts.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("name", tables(is_classification=True))
def test_a_full_tree_learns_every_class_that_rows_tell_apart(name: str) -> None:
    X, y = labelled(name).X, labelled(name).y
    started = time.perf_counter()
    model = DecisionTreeClassifier(n_jobs=2).fit(X, y)
    predicted = model.predict(X)
    print(f"{name}: {time.perf_counter() - started:.2f} s")  # shown by pytest -rP
    assert np.mean(predicted == y) == best_training_accuracy(X, y)
    assert np.isin(predicted, np.unique(y)).all()
    assert_sound(model, X)


@pytest.mark.parametrize("name", tables(is_classification=False))
def test_a_full_tree_learns_every_number_that_rows_tell_apart(name: str) -> None:
    X, y = labelled(name).X, labelled(name).y
    started = time.perf_counter()
    model = DecisionTreeRegressor(n_jobs=2).fit(X, y)
    predicted = model.predict(X)
    print(f"{name}: {time.perf_counter() - started:.2f} s")  # shown by pytest -rP
    group = alike(X)
    mean = np.bincount(group, weights=y) / np.bincount(group)
    np.testing.assert_allclose(predicted, mean[group], rtol=1e-9)
    assert_sound(model, X)


@pytest.mark.parametrize("name", tables(is_classification=True))
def test_c45_grows_and_answers(name: str) -> None:
    X, y = labelled(name).X, labelled(name).y
    started = time.perf_counter()
    model = C45Classifier(n_jobs=2).fit(X, y)
    shares = np.asarray(model.predict_proba(X))
    print(f"{name}: {time.perf_counter() - started:.2f} s")  # shown by pytest -rP
    assert np.isfinite(shares).all()
    assert shares.min() >= 0
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])
    accuracy = np.mean(model.predict(X) == y)
    assert np.unique(y, return_counts=True)[1].max() / len(y) <= accuracy
    assert accuracy <= best_training_accuracy(X, y)
    assert_sound(model, X)


def assert_sound(model: Any, X: Frame) -> None:
    """Facts of every tree: rows and weight add up, and ``apply`` gives the leaf that answers."""
    tree = model.tree_
    arrays = tree.arrays
    assert arrays.n_rows[0] == len(X)
    tests = np.flatnonzero(arrays.n_branches > 0)
    below = np.bincount(arrays.parent[1:], weights=arrays.weight[1:], minlength=tree.n_nodes)
    np.testing.assert_allclose(below[tests], arrays.weight[tests], rtol=1e-9)
    assert (arrays.gain[tests] >= 0).all()
    leaf = model.apply(X)
    assert (arrays.n_branches[leaf] == 0).all()
    importances = model.feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert importances.min() >= 0


def third(n_rows: int) -> npt.NDArray[np.bool_]:
    """Which rows are held out."""
    held_out = np.zeros(n_rows, dtype=bool)
    held_out[np.random.default_rng(0).permutation(n_rows)[: n_rows // 3]] = True
    return held_out


REFERENCES = (
    ("weka", "J48", "accuracy"),
    ("weka", "J48 -U", "accuracy"),
    ("weka", "REPTree", "accuracy"),
    ("c4.5", "C4.5 R8", "accuracy_unpruned"),
)


def lead_of_references(name: str, n_held_out: int) -> float:
    """How far the worst of the reference trees, some unpruned as ours, is above the majority.

    In standard errors of a share of the held-out rows; 0 where no reference was run.
    """
    majority = figures_of(name, "weka", "ZeroR")
    found = [(figures_of(name, program, learner), what) for program, learner, what in REFERENCES]
    scores = [figures[what] / 100 for figures, what in found if figures and what in figures]
    if majority is None or not scores:
        return 0.0
    share = majority["accuracy"] / 100
    return float((min(scores) - share) / np.sqrt(share * (1 - share) / n_held_out))


@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")  # zoo without one frog
@pytest.mark.parametrize("learner", [DecisionTreeClassifier, C45Classifier])
@pytest.mark.parametrize("name", tables(is_classification=True))
def test_a_held_out_third_is_predicted_better_than_by_the_majority(name: str, learner: Any) -> None:
    X, y = labelled(name).X, labelled(name).y
    held_out = third(len(y))
    model = learner(n_jobs=2).fit(X[~held_out], y[~held_out])
    accuracy = float(np.mean(model.predict(X[held_out]) == y[held_out]))
    names, counts = np.unique(y[~held_out], return_counts=True)
    majority = float(np.mean(y[held_out] == names[counts.argmax()]))
    print(f"{name}: accuracy {accuracy:.4f}, majority {majority:.4f}")
    if lead_of_references(name, int(held_out.sum())) > 3:
        assert accuracy > majority


@pytest.mark.parametrize("name", tables(is_classification=False))
def test_a_held_out_third_is_predicted_better_than_by_the_mean(name: str) -> None:
    X, y = labelled(name).X, labelled(name).y
    held_out = third(len(y))
    model = DecisionTreeRegressor(n_jobs=2).fit(X[~held_out], y[~held_out])
    error = float(np.sqrt(np.mean((model.predict(X[held_out]) - y[held_out]) ** 2)))
    plain = float(np.sqrt(np.mean((y[~held_out].mean() - y[held_out]) ** 2)))
    print(f"{name}: RMSE {error:.4f}, of the mean {plain:.4f}")
    assert error < plain


def test_a_limited_tree_of_the_largest_table_of_numbers() -> None:
    X, y = labelled("nycflights").X, labelled("nycflights").y
    started = time.perf_counter()
    model = DecisionTreeRegressor(max_depth=8, min_samples_leaf=50, n_jobs=2).fit(X, y)
    predicted = model.predict(X)
    print(f"nycflights: {time.perf_counter() - started:.2f} s")  # shown by pytest -rP
    assert np.mean((predicted - y) ** 2) < 0.5 * np.var(y)
    assert_sound(model, X)
