"""The values are scikit-learn's, with weights and without, for every metric it has."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from treewright.errors import DataError, ParameterError, UnsupportedError
from treewright.evaluate import confusion, scores
from treewright.evaluate.metrics import METRICS, f_beta

OF_CLASSES = [
    name for name, each in METRICS.items() if each.task == "classes" and each.needs != "costs"
]


@st.composite
def answered(draw: Any, n_classes: int) -> tuple[Any, Any, Any, Any]:
    n_rows = draw(st.integers(n_classes + 1, 25))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)])
    predicted = np.where(rng.random(n_rows) < 0.6, y, rng.integers(0, n_classes, n_rows))
    probabilities = rng.dirichlet(np.ones(n_classes), n_rows).round(1)
    probabilities /= np.maximum(probabilities.sum(axis=1, keepdims=True), 1e-9)
    probabilities[probabilities.sum(axis=1) == 0] = 1 / n_classes
    weight = rng.integers(1, 5, n_rows) / 2 if draw(st.booleans()) else None
    return y, predicted, probabilities, weight


@settings(max_examples=40, deadline=None)
@given(case=answered(2))
def test_two_classes_have_scikit_learns_values(case: tuple[Any, Any, Any, Any]) -> None:
    y, predicted, probabilities, weight = case
    found = scores(
        y,
        predicted,
        probabilities=probabilities,
        sample_weight=weight,
        metrics=[
            name for name in METRICS if METRICS[name].task == "classes" and name != "mean_cost"
        ]
        + ["f1", "f0.5"],
    )
    w = {"sample_weight": weight}
    zero = {"zero_division": 0, **w}
    expected = {
        "accuracy": sk.accuracy_score(y, predicted, **w),
        "error": 1 - sk.accuracy_score(y, predicted, **w),
        "balanced_accuracy": sk.balanced_accuracy_score(y, predicted, **w),
        "precision": sk.precision_score(y, predicted, **zero),
        "recall": sk.recall_score(y, predicted, **zero),
        "specificity": sk.recall_score(y, predicted, pos_label=0, **zero),
        "f1": sk.f1_score(y, predicted, **zero),
        "f0.5": sk.fbeta_score(y, predicted, beta=0.5, **zero),
        "mcc": sk.matthews_corrcoef(y, predicted, **w),
        "auc": sk.roc_auc_score(y, probabilities[:, 1], **w),
        "average_precision": sk.average_precision_score(y, probabilities[:, 1], **w),
        "log_loss": sk.log_loss(y, probabilities, **w),
        "brier": sk.brier_score_loss(y, probabilities[:, 1], **w),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, abs=1e-12), name
    kappa = sk.cohen_kappa_score(y, predicted, **w)
    assert found["kappa"].value == pytest.approx(kappa, abs=1e-12)
    for interval in found.intervals.values():
        assert interval.low <= interval.value <= interval.high


@settings(max_examples=30, deadline=None)
@given(case=answered(4))
def test_several_classes_have_the_mean_over_classes(case: tuple[Any, Any, Any, Any]) -> None:
    y, predicted, probabilities, weight = case
    names = ["precision", "recall", "f1", "mcc", "kappa", "auc", "log_loss", "brier"]
    found = scores(y, predicted, probabilities=probabilities, sample_weight=weight, metrics=names)
    w = {"sample_weight": weight}
    macro = {"average": "macro", "zero_division": 0, **w}
    expected = {
        "precision": sk.precision_score(y, predicted, **macro),
        "recall": sk.recall_score(y, predicted, **macro),
        "f1": sk.f1_score(y, predicted, **macro),
        "mcc": sk.matthews_corrcoef(y, predicted, **w),
        "kappa": sk.cohen_kappa_score(y, predicted, **w),
        "auc": np.mean([sk.roc_auc_score(y == k, probabilities[:, k], **w) for k in range(4)]),
        "log_loss": sk.log_loss(y, probabilities, **w),
        "brier": np.average(np.sum((probabilities - np.eye(4)[y]) ** 2, axis=1), weights=weight),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, abs=1e-12), name


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), is_weighted=st.booleans())
def test_numbers_have_scikit_learns_values(seed: int, is_weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=12)
    predicted = y + rng.normal(size=12)
    weight = rng.integers(1, 4, 12) * 1.0 if is_weighted else None
    found = scores(y, predicted, sample_weight=weight, metrics=["rmse", "mse", "mae", "r2"])
    w = {"sample_weight": weight}
    assert found["rmse"].value == pytest.approx(sk.root_mean_squared_error(y, predicted, **w))
    assert found["mse"].value == pytest.approx(sk.mean_squared_error(y, predicted, **w))
    assert found["mae"].value == pytest.approx(sk.mean_absolute_error(y, predicted, **w))
    assert found["r2"].value == pytest.approx(sk.r2_score(y, predicted, **w))


def test_the_delta_method_agrees_with_the_bootstrap() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 400)
    predicted = np.where(rng.random(400) < 0.7, y, rng.integers(0, 3, 400))
    found = scores(y, predicted, metrics=["f1", "mcc", "kappa", "balanced_accuracy", "precision"])
    drawn = rng.integers(0, 400, (1500, 400))
    for name, interval in found.intervals.items():
        metric = f_beta(1) if name == "f1" else METRICS[name]
        values = [metric.value(found.answers.rows(rows)) for rows in drawn]
        width = np.quantile(values, 0.975) - np.quantile(values, 0.025)
        assert interval.high - interval.low == pytest.approx(width, rel=0.1), name


def test_the_interval_of_r2_agrees_with_the_bootstrap() -> None:
    rng = np.random.default_rng(4)
    y = rng.normal(size=500)
    predicted = 0.8 * y + rng.normal(scale=0.5, size=500)
    found = scores(y, predicted, metrics="r2")
    drawn = rng.integers(0, 500, (2000, 500))
    values = [METRICS["r2"].value(found.answers.rows(rows)) for rows in drawn]
    width = np.quantile(values, 0.975) - np.quantile(values, 0.025)
    assert found["r2"].high - found["r2"].low == pytest.approx(width, rel=0.12)


def test_nothing_over_nothing_is_zero() -> None:
    found = confusion(["no"] * 3 + ["yes"] * 2, ["no"] * 5)
    assert found["precision"] == 0.0
    assert found["recall"] == 0.0
    assert found.f_beta(1) == 0.0
    assert found["mcc"] == 0.0
    assert found.precision.tolist() == [0.6, 0.0]
    alone = confusion(["a", "a"], ["a", "a"])
    assert alone["kappa"] == 0.0
    assert alone.accuracy == 1.0


def test_one_class_has_no_area() -> None:
    found = scores([1, 1], [1, 1], probabilities=[0.5, 0.6], classes=[0, 1], metrics="auc")
    assert math.isnan(found["auc"].value)
    assert "not known" in str(found)


def test_the_mean_cost_is_that_of_the_matrix() -> None:
    y = ["neg"] * 95 + ["pos"] * 5
    said = ["neg"] * 93 + ["pos"] * 2 + ["pos"] * 2 + ["neg"] * 3
    found = scores(y, said, cost_matrix={"pos": {"neg": 10}})
    assert found.metric.name == "mean_cost"
    assert found["mean_cost"].value == pytest.approx(0.32)


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("acuracy", ParameterError, "Hint: did you mean 'accuracy'"),
        ("rmse", UnsupportedError, "metric 'rmse' is for numbers, and classes are predicted"),
        ([], ParameterError, "metrics=\\[\\] names none"),
        ("f", ParameterError, "metric 'f' is not known"),
        ("f-1", ParameterError, "metric 'f-1' is not known"),
        ("auc", DataError, "gives no probabilities, and auc needs them"),
    ],
)
def test_an_unknown_metric_is_answered_with_those_there_are(
    name: Any, error: type, words: str
) -> None:
    with pytest.raises(error, match=words):
        scores(["a", "b"], ["a", "a"], metrics=name)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"probabilities": [0.5]}, "probabilities has shape"),
        ({"probabilities": [0.5, 1.5]}, "probabilities in row 1"),
        ({"classes": ["a"]}, "'b' is none of the classes 'a'"),
        ({"level": 1.5}, "level=1.5 must be"),
        ({"task": "ranks"}, "task='ranks' must be one of"),
    ],
)
def test_answers_are_checked(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        scores(["a", "b"], ["a", "a"], **given)
    with pytest.raises(DataError, match="y has 2 rows and predicted has 1"):
        scores(["a", "b"], ["a"])
