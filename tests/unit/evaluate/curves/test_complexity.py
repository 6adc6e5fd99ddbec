"""The curve of complexity: training, validated and test error against a parameter."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from sklearn import tree as sk_tree
from sklearn.datasets import make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treewright import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    load_example,
)
from treewright.errors import DataError, ParameterError
from treewright.evaluate import complexity_curve, cross_validate

LOANS, IRIS, DIABETES = map(load_example, ("loans", "iris", "diabetes"))


def noisy_table() -> tuple[Any, Any]:
    return make_classification(300, 6, flip_y=0.3, random_state=0)


def test_the_overfitting_picture_of_the_lectures() -> None:
    found = complexity_curve(DecisionTreeClassifier(), LOANS.X, LOANS.y)
    training = [each.training for each in found.points]
    assert training == sorted(training, reverse=True)
    assert training[-1] == 0.0
    assert found.best.value == 22
    assert found.one_se.value == 16
    assert found.learns_noise
    assert found.draw().title == "Beyond about 20 leaves the tree learns noise"
    worst = found.overfits[-1]
    assert worst.model.training < worst.other.training
    assert worst.model.unseen > worst.other.unseen
    assert worst.other is found.best
    assert "overfits" in found.text()


def test_each_point_is_the_cross_validation_of_that_value() -> None:
    found = complexity_curve(
        DecisionTreeClassifier(), LOANS.X, LOANS.y, parameter="max_depth", values=[1, 4, 9], cv=5
    )
    for each in found.points:
        learner = DecisionTreeClassifier(max_depth=each.value)
        beside = cross_validate(learner, LOANS.X, LOANS.y, cv=5, metrics="error", refit=False)
        assert each.validated == beside["error"].value
        assert list(each.measured.values) == beside.values["error"]


def test_best_and_one_se_are_those_of_the_rule() -> None:
    X, y = noisy_table()
    found = complexity_curve(DecisionTreeClassifier(), X, y, parameter="max_depth", cv=5)
    errors = [each.validated for each in found.by_size]
    best = int(np.argmin(errors))
    assert found.by_size[best] is found.best
    limit = errors[best] + found.best.measured.standard_error
    simplest = next(i for i, error in enumerate(errors) if error <= limit)
    assert found.by_size[simplest] is found.one_se


def test_a_metric_of_which_more_is_better_is_turned_round() -> None:
    X, y = noisy_table()
    error, accuracy = (
        complexity_curve(
            DecisionTreeClassifier(), X, y, parameter="max_depth", cv=5, metrics=metric
        )
        for metric in ("error", "accuracy")
    )
    assert accuracy.best.value == error.best.value
    assert accuracy.one_se.value == error.one_se.value
    assert accuracy.limit == pytest.approx(1 - error.limit)
    assert len(accuracy.overfits) == len(error.overfits) > 0
    assert accuracy.learns_noise == error.learns_noise


def test_alphas_are_those_of_the_pruning_path_largest_first() -> None:
    X, y = noisy_table()
    for learner in (DecisionTreeClassifier(), sk_tree.DecisionTreeClassifier(random_state=0)):
        found = complexity_curve(learner, X, y, parameter="ccp_alpha", cv=5)
        alphas = [each.value for each in found.points]
        assert alphas == sorted(alphas, reverse=True)
        assert len(alphas) <= 24
        leaves = [each.measured.n_leaves for each in found.points]
        assert leaves[0] is not None
        assert leaves[-1] is not None
        assert leaves[0] < 2.0 < leaves[-1]
        assert found.has_leaves
        assert "leaves" in found.draw().title or "leaves" in found.draw().subtitle
        title = found.draw(against="parameter").title
        assert title.startswith(("Below ccp_alpha", "Error by ccp_alpha"))


def test_the_test_part_takes_no_part() -> None:
    X, y = noisy_table()
    rows = np.arange(0, 300, 3)
    found = complexity_curve(
        DecisionTreeClassifier(), X, y, parameter="max_depth", values=[2, 8], test=rows, cv=5
    )
    rest = np.setdiff1d(np.arange(300), rows)
    for each in found.points:
        model = DecisionTreeClassifier(max_depth=each.value).fit(X[rest], y[rest])
        assert each.test == pytest.approx(np.mean(model.predict(X[rows]) != y[rows]))
        alone = cross_validate(
            DecisionTreeClassifier(max_depth=each.value), X[rest], y[rest], cv=5, refit=False
        )
        assert each.validated == alone["error"].value
        assert each.unseen == each.test
    assert (found.n_rows, found.n_test_rows) == (200, 100)
    assert any(line.role == "test" for line in found.draw().lines)
    by_mask = complexity_curve(
        DecisionTreeClassifier(),
        X,
        y,
        parameter="max_depth",
        values=[2, 8],
        test=np.isin(np.arange(300), rows),
        cv=5,
    )
    assert by_mask.to_dict() == found.to_dict()


def test_a_share_of_the_rows_or_whole_groups_are_held_out() -> None:
    X, y = noisy_table()
    groups = np.repeat(np.arange(60), 5)
    found = complexity_curve(
        DecisionTreeClassifier(), X, y, parameter="max_depth", values=[2], test=0.2, groups=groups
    )
    assert found.n_test_rows % 5 == 0
    assert 40 <= found.n_test_rows <= 80


@pytest.mark.parametrize(
    ("learner", "parameter"),
    [
        (CARTClassifier(), "cp"),
        (C45Classifier(), "confidence"),
        (DecisionTreeClassifier(), "min_samples_leaf"),
        (DecisionTreeClassifier(), "min_impurity_decrease"),
        (RandomForestClassifier(random_state=0), "max_depth"),
    ],
)
def test_usual_values_go_from_simple_to_complex(learner: Any, parameter: str) -> None:
    if parameter == "max_depth":
        learner.set_params(n_estimators=5)
    found = complexity_curve(learner, IRIS.X, IRIS.y, parameter=parameter, cv=3)
    assert len(found.points) > 3
    training = [each.training for each in found.points]
    assert training[0] >= training[-1]
    leaves = [each.measured.n_leaves for each in found.points]
    if leaves[0] is not None:
        assert leaves[0] <= leaves[-1]
    else:
        assert not found.has_leaves
        with pytest.raises(ParameterError, match="no number of leaves"):
            found.draw(against="leaves")


def test_values_that_are_no_numbers_and_steps_of_pipelines() -> None:
    named = complexity_curve(
        DecisionTreeClassifier(),
        IRIS.X,
        IRIS.y,
        parameter="criterion",
        values=["gini", "entropy"],
        cv=3,
    )
    assert "gini" in named.text()
    assert named.draw().svg().startswith("<svg")
    made = make_pipeline(StandardScaler(), sk_tree.DecisionTreeClassifier(random_state=0))
    found = complexity_curve(
        made,
        IRIS.X.to_pandas(),
        IRIS.y,
        parameter="decisiontreeclassifier__max_depth",
        values=[1, 2],
        cv=3,
    )
    assert found.points[0].validated > found.points[1].validated


def test_numbers_have_a_curve_too_and_it_can_be_written_down() -> None:
    found = complexity_curve(
        DecisionTreeRegressor(), DIABETES.X, DIABETES.y, parameter="max_depth", cv=5
    )
    assert found.metric.name == "rmse"
    assert found.draw().subtitle.startswith("RMSE against max_depth")
    assert max(map(len, found.text().splitlines())) <= 80
    assert found.draw().svg(width=368).startswith("<svg")
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.to_frame()["max_depth"].tolist() == [each.value for each in found.points]


def test_leaves_of_scikit_learns_trees_are_counted() -> None:
    learner = sk_tree.DecisionTreeClassifier(random_state=0)
    found = complexity_curve(learner, *noisy_table(), parameter="max_depth", values=[1], cv=3)
    assert found.points[0].measured.n_leaves == 2.0


def test_the_figures_do_not_depend_on_the_number_of_jobs() -> None:
    one, two = (
        complexity_curve(
            RandomForestClassifier(n_estimators=3),
            IRIS.X,
            IRIS.y,
            parameter="max_depth",
            values=[1, 3],
            test=0.2,
            cv=3,
            n_jobs=n,
        )
        for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"parameter": "max_dept"}, ParameterError, "did you mean 'max_depth'"),
        ({"parameter": "max_features"}, ParameterError, "has no usual values"),
        ({"values": []}, ParameterError, r"values=\[\] must be a list"),
        ({"values": 3}, ParameterError, "values=3 must be a list"),
        ({"test": 1.5}, ParameterError, r"test=1\.5"),
        ({"test": [150]}, DataError, "positions beyond the 150 rows"),
        ({"test": "half"}, ParameterError, "must be a share of the rows, or positions"),
        ({"test": list(range(150))}, DataError, "there is none to learn from"),
    ],
)
def test_wrong_options_are_refused(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    given = {"parameter": "max_depth", **options}
    with pytest.raises(error, match=words):
        complexity_curve(DecisionTreeClassifier(), IRIS.X, IRIS.y, **given)


def test_a_learner_without_parameters_or_path_is_refused() -> None:
    with pytest.raises(ParameterError, match="has no parameters to vary"):
        complexity_curve("setosa", IRIS.X, IRIS.y)
    with pytest.raises(ParameterError, match="has no pruning path"):
        complexity_curve(
            RandomForestClassifier(n_estimators=2), IRIS.X, IRIS.y, parameter="ccp_alpha"
        )


def test_a_value_that_fails_is_reported_and_the_others_stand() -> None:
    found = complexity_curve(
        DecisionTreeClassifier(), IRIS.X, IRIS.y, parameter="max_depth", values=[1, -3, 2], cv=3
    )
    assert math.isnan(found.points[1].validated)
    assert found.points[1].measured.n_failed == 3
    assert found.best.value == 2
    assert "failed 3 of 9 times" in found.text()
    assert found.draw().svg().startswith("<svg")
    with pytest.raises(ParameterError, match="max_depth=-3"):
        complexity_curve(
            DecisionTreeClassifier(), IRIS.X, IRIS.y, parameter="max_depth", values=[-3], cv=3
        )
