"""skops, which takes objects apart, is sent to ``treewright.save``; pickle and copy go on."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.ensemble import StackingClassifier as TheirStack
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import treewright as tw
from treewright.errors import UnsupportedError

MODELS: dict[str, Callable[[Any], Any]] = {
    "unfitted": lambda d: tw.DecisionTreeClassifier(max_depth=4),
    "tree": lambda d: tw.DecisionTreeClassifier(max_depth=4).fit(d.X, d.y),
    "c45": lambda d: tw.C45Classifier().fit(d.X, d.y),
    "rules": lambda d: tw.C45RulesClassifier().fit(d.X, d.y),
    "forest": lambda d: tw.RandomForestClassifier(n_estimators=3, random_state=0).fit(d.X, d.y),
    "boosting": lambda d: tw.GradientBoostingClassifier(n_estimators=3).fit(d.X, d.y),
    "adaboost": lambda d: tw.AdaBoostClassifier(n_estimators=3, random_state=0).fit(d.X, d.y),
    "features": lambda d: tw.TreeFeatures(n_estimators=3, random_state=0).fit(d.X, d.y),
}


def parts_of(model: Any) -> list[Any]:
    """Return a model, and what it has that can be kept by itself."""
    names = ("tree_", "ensemble_", "ruleset_")
    return [model, *(getattr(model, name) for name in names if hasattr(model, name))]


@pytest.mark.parametrize("name", MODELS)
def test_a_dump_of_skops_is_refused_and_names_what_to_call(name: str) -> None:
    sio = pytest.importorskip("skops.io")
    for part in parts_of(MODELS[name](tw.load_example("loans"))):
        with pytest.raises(UnsupportedError, match=r"treewright\.save\(model"):
            sio.dumps(part)


def test_within_the_models_of_others_it_is_refused_too() -> None:
    sio = pytest.importorskip("skops.io")
    data = tw.load_example("loans")
    own = tw.DecisionTreeClassifier(max_depth=2)
    stack = TheirStack([("tree", own)], final_estimator=tw.DecisionTreeClassifier(max_depth=1))
    for model in (make_pipeline(FunctionTransformer(), own), stack):
        with pytest.raises(UnsupportedError, match=r"treewright\.save\(model"):
            sio.dumps(model.fit(data.X, data.y))


@pytest.mark.parametrize("name", MODELS)
def test_pickle_copy_and_joblib_go_on(name: str) -> None:
    data = tw.load_example("loans")
    model = MODELS[name](data)
    for part in parts_of(model):
        copies = [pickle.loads(pickle.dumps(part, protocol)) for protocol in range(6)]
        copies += [copy.copy(part), copy.deepcopy(part)]
        assert {type(each) for each in copies} == {type(part)}
        if part is model and hasattr(model, "predict_proba") and name != "unfitted":
            told = model.predict_proba(data.X)
            assert all(np.array_equal(each.predict_proba(data.X), told) for each in copies)
    assert joblib.hash(model) == joblib.hash(copy.deepcopy(model))


def test_a_subclass_may_have_its_own_way() -> None:
    restored = pickle.loads(pickle.dumps(_Own(max_depth=3)))
    assert restored.max_depth == 7


class _Own(tw.DecisionTreeClassifier):
    def __reduce__(self) -> Any:
        return _made, ()


def _made() -> _Own:
    return _Own(max_depth=7)
