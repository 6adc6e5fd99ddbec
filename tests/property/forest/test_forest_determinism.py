"""Forests as a whole: one answer for any number of threads, order of rows or scale of weights.

Both forms are tried: packed (plain numbers) and listed (text, gaps).
"""

import hashlib
import pickle
import subprocess
import sys
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from property.growing import examples
from property.tables import STORAGES, Sample, small_tables
from sklearn.base import clone

from treewright import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.ensemble.ensemble import ListedTrees
from treewright.forest.packed import PackedTrees

FORESTS: list[Any] = [
    RandomForestClassifier,
    RandomForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
]
FORMS: list[Any] = ["packed", "listed"]
Form = Literal["packed", "listed"]
N_ROWS = 300


@cache
def columns(form: Form) -> dict[str, list[Any]]:
    random = np.random.default_rng(17)
    table: dict[str, list[Any]] = {
        "real": random.normal(size=N_ROWS).tolist(),
        "tied": random.integers(0, 9, N_ROWS).tolist(),
        "other": random.normal(size=N_ROWS).round(1).tolist(),
    }
    if form == "listed":
        table["colour"] = [["red", "green", "blue", None][i] for i in random.integers(0, 4, N_ROWS)]
        for row in range(0, N_ROWS, 7):
            table["real"][row] = None
    return table


@cache
def targets(made: Any) -> list[Any]:
    table = columns("packed")
    noise = np.random.default_rng(18).normal(size=N_ROWS)
    value = np.array(table["real"]) + 0.3 * np.array(table["tied"]) + noise
    if made in (RandomForestRegressor, ExtraTreesRegressor):
        return value.tolist()
    return [("low", "middle", "high")[i] for i in np.digitize(value, [0.5, 2.0])]


def take(table: dict[str, list[Any]], rows: Any) -> dict[str, list[Any]]:
    return {name: [values[row] for row in rows] for name, values in table.items()}


def answers(model: Any, X: Any) -> bytes:
    said = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    return np.ascontiguousarray(said).tobytes()


def fitted(made: Any, form: Form, **parameters: Any) -> Any:
    parameters = {"n_estimators": 9, "random_state": 5, **parameters}
    model = made(**parameters).fit(columns(form), targets(made))
    held = PackedTrees if form == "packed" else ListedTrees
    assert isinstance(model.ensemble_.trees, held)
    return model


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("made", FORESTS)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_threads_change_no_byte_of_model_or_answers(made: Any, form: Form, bootstrap: bool) -> None:
    one = fitted(made, form, bootstrap=bootstrap)
    model, said = pickle.dumps(one.ensemble_), answers(one, columns(form))
    for n_jobs in (1, 2, 3, 4):
        many = fitted(made, form, bootstrap=bootstrap, n_jobs=n_jobs)
        assert pickle.dumps(many.ensemble_) == model
        assert answers(many, columns(form)) == said


def digests(n_jobs: int) -> list[str]:
    said = []
    for made in FORESTS:
        for form in FORMS:
            model = fitted(made, form, bootstrap=True, n_jobs=n_jobs)
            both = pickle.dumps(model.ensemble_) + answers(model, columns(form))
            said.append(hashlib.sha256(both).hexdigest())
    return said


def test_another_process_makes_the_same_bytes() -> None:
    """With another seed for the hashes of text, too."""
    code = "import property.forest.test_forest_determinism as own; print(*own.digests(3))"
    environment = {"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "123"}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60
    )
    assert ran.stdout.split() == digests(1), ran.stderr


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("made", FORESTS)
def test_the_order_of_rows_changes_no_answer(made: Any, form: Form) -> None:
    expected = answers(fitted(made, form, bootstrap=True), columns(form))
    rows = np.random.default_rng(1).permutation(N_ROWS)
    moved = made(n_estimators=9, random_state=5, bootstrap=True)
    moved.fit(take(columns(form), rows), [targets(made)[row] for row in rows])
    assert answers(moved, columns(form)) == expected


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("made", FORESTS)
@pytest.mark.parametrize(
    "drawing",
    [{"bootstrap": True}, {"bootstrap": False}, {"bootstrap": False, "max_samples": 0.5}],
    ids=["bootstrap", "all rows", "half of them"],
)
def test_a_constant_factor_of_weights_changes_no_byte(
    made: Any, form: Form, drawing: dict[str, Any]
) -> None:
    weight = np.random.default_rng(2).choice([0.0, 0.3, 1.0, 2.0], N_ROWS)
    model = made(n_estimators=9, random_state=5, **drawing)
    X, y = columns(form), targets(made)
    trees = pickle.dumps(model.fit(X, y, weight).ensemble_)
    said = answers(model, X)
    for factor in (0.1, 3.0, 1e-6, 1e6, 2.0**40):
        assert pickle.dumps(model.fit(X, y, factor * weight).ensemble_) == trees
        assert answers(model, X) == said


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("made", FORESTS)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_equal_weights_and_rows_of_weight_zero_change_no_byte(
    made: Any, form: Form, bootstrap: bool
) -> None:
    one = fitted(made, form, bootstrap=bootstrap)
    X, y = columns(form), targets(made)
    trees, said = pickle.dumps(one.ensemble_), answers(one, X)
    for weight in (0.1, 10.0, 2.0**40):
        assert pickle.dumps(one.fit(X, y, np.full(N_ROWS, weight)).ensemble_) == trees
    more = {name: [*values, *values[:50]] for name, values in X.items()}
    weight = np.repeat([10.0, 0.0], [N_ROWS, 50])
    # Where rows are not drawn, the general engine leaves out those of weight 0.
    assert answers(one.fit(more, [*y, *y[:50]], weight), X) == said


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("made", FORESTS)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_growing_on_is_growing_at_once(made: Any, form: Form, bootstrap: bool) -> None:
    at_once = fitted(made, form, bootstrap=bootstrap)
    X, y = columns(form), targets(made)
    bit_by_bit = clone(at_once).set_params(n_estimators=2, warm_start=True, n_jobs=2).fit(X, y)
    first = bit_by_bit.ensemble_
    for n_trees in (3, 7, 9):
        bit_by_bit.set_params(n_estimators=n_trees).fit(X, y)
    assert len(first) == 2
    trees = zip(bit_by_bit.ensemble_, at_once.ensemble_, strict=True)
    assert all(one.arrays.equals(other.arrays) for one, other in trees)
    assert answers(bit_by_bit, X) == answers(at_once, X)


def forest_of(sample: Sample, *, extra: bool, bootstrap: bool) -> Any:
    if sample.is_classification:
        made: Any = ExtraTreesClassifier if extra else RandomForestClassifier
    else:
        made = ExtraTreesRegressor if extra else RandomForestRegressor
    model = made(5, max_features=0.6, bootstrap=bootstrap, schema=sample.schema)
    return model.fit(sample.frame, list(sample.target), sample.weights)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("storages", [STORAGES, ("float", "float32")], ids=["any", "numbers"])
@given(data=st.data())
@settings(examples(0.5))
def test_awkward_tables_in_any_order(target: Any, storages: Any, data: st.DataObject) -> None:
    weightings = ["none", "whole", "dyadic"]
    sample = data.draw(small_tables(target=target, storages=storages, weightings=weightings))
    assume(sample.n_rows > 1 and sample.total_weight > 0)
    order = data.draw(st.permutations(range(sample.n_rows)))
    extra = data.draw(st.booleans())
    model = forest_of(sample, extra=extra, bootstrap=True)
    moved = forest_of(sample.take(order), extra=extra, bootstrap=True)
    assert answers(moved, sample.frame) == answers(model, sample.frame)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@given(data=st.data(), factor=st.sampled_from([0.1, 3.0, 1e-6, 1e6, 2.0**40]))
@settings(examples(0.5))
def test_awkward_tables_with_weights_of_another_scale(
    target: Any, data: st.DataObject, factor: float
) -> None:
    weightings = ["whole", "dyadic", "awkward"]
    sample = data.draw(small_tables(target=target, weightings=weightings))
    assume(sample.n_rows > 1 and sample.total_weight > 0)
    assert sample.weights is not None
    scaled = replace(sample, weights=tuple(factor * weight for weight in sample.weights))
    extra, bootstrap = data.draw(st.booleans()), data.draw(st.booleans())
    model = forest_of(sample, extra=extra, bootstrap=bootstrap)
    other = forest_of(scaled, extra=extra, bootstrap=bootstrap)
    assert answers(other, sample.frame) == answers(model, sample.frame)


@pytest.mark.parametrize("target", ["classes", "numbers"])
@given(data=st.data())
@settings(examples(0.5))
def test_awkward_tables_without_their_rows_of_weight_zero(target: Any, data: st.DataObject) -> None:
    sample = data.draw(small_tables(target=target, weightings=["whole", "dyadic"]))
    assert sample.weights is not None
    left = [row for row, weight in enumerate(sample.weights) if weight > 0]
    assume(len(left) > 1 and sample.weighed_target == set(sample.target))
    extra, bootstrap = data.draw(st.booleans()), data.draw(st.booleans())
    model = forest_of(sample, extra=extra, bootstrap=bootstrap)
    other = forest_of(sample.take(left), extra=extra, bootstrap=bootstrap)
    # A number that no float equals makes its column one of integers, also in a row of weight 0.
    assume(model.ensemble_.schema == other.ensemble_.schema)
    assert answers(other, sample.frame) == answers(model, sample.frame)
