"""SHAP values beside those of the package shap, on trees that both libraries grow alike."""

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw

shap = pytest.importorskip("shap")

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(300, 6)).astype(np.float32).astype(float)
NUMBERS = X[:, 0] * X[:, 1] + X[:, 2] + RANDOM.normal(size=300) / 5


LIMITS = {"max_depth": 5, "min_samples_leaf": 20}  # no ties between questions


def assert_same_tree(ours: Any, theirs: Any) -> None:
    asked = np.sort(ours.tree_.arrays.column), np.sort(np.maximum(theirs.tree_.feature, -1))
    assert np.array_equal(*asked)
    cuts = ours.tree_.arrays.threshold, theirs.tree_.threshold
    kept = [
        np.sort(each[column >= 0])
        for each, column in zip(cuts, (ours.tree_.arrays.column, theirs.tree_.feature), strict=True)
    ]
    np.testing.assert_allclose(*kept, atol=1e-6)


def both() -> tuple[Any, Any]:
    ours = tw.DecisionTreeRegressor(**LIMITS).fit(X, NUMBERS)
    theirs = DecisionTreeRegressor(**LIMITS, random_state=0).fit(X, NUMBERS)
    assert_same_tree(ours, theirs)
    return ours, theirs


def test_path_dependent_values() -> None:
    ours, theirs = both()
    due = shap.TreeExplainer(theirs).shap_values(X)
    np.testing.assert_allclose(ours.shap_values(X).values, due, atol=1e-12)


def test_interactions() -> None:
    ours, theirs = both()
    due = shap.TreeExplainer(theirs).shap_interaction_values(X)
    np.testing.assert_allclose(ours.shap_values(X, interactions=True).values, due, atol=1e-12)


def test_interventional_values() -> None:
    ours, theirs = both()
    explainer = shap.TreeExplainer(theirs, data=X[:20], feature_perturbation="interventional")
    due = explainer.shap_values(X)  # shap computes these in single precision
    np.testing.assert_allclose(ours.shap_values(X, background=X[:20]).values, due, atol=1e-6)


def test_classes_are_outputs_of_an_explanation() -> None:
    y = np.digitize(NUMBERS, [-0.5, 0.5])
    ours = tw.DecisionTreeClassifier(**LIMITS).fit(X, y)
    theirs = DecisionTreeClassifier(**LIMITS, random_state=0).fit(X, y)
    assert_same_tree(ours, theirs)
    found = ours.shap_values(X).to_shap()
    due = shap.TreeExplainer(theirs)(X)
    np.testing.assert_allclose(found.values, due.values, atol=1e-12)
    np.testing.assert_allclose(found.base_values, due.base_values, atol=1e-12)


def test_plots_take_the_explanation() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    found = both()[0].shap_values(X).to_shap()
    for plot in (shap.plots.beeswarm, shap.plots.bar):
        plot(found, show=False)
        pyplot.close("all")
    shap.plots.waterfall(found[0], show=False)
    pyplot.close("all")
