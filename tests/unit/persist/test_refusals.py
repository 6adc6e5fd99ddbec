"""What no file can hold is refused by the name of the parameter; nothing is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold

import treewright as tw
from treewright.errors import ModelFileError, ParameterError, UnsupportedError

X = np.arange(40.0).reshape(20, 2)
y = np.arange(20) % 2


def half_gini(counts: Any) -> Any:
    shares = counts / counts.sum(axis=1, keepdims=True)
    return (1 - (shares**2).sum(axis=1)) / 2


def refused(model: Any, tmp_path: Path) -> str:
    path = tmp_path / "model.tw"
    path.write_bytes(b"old")
    with pytest.raises(UnsupportedError) as told:
        tw.save(model, path)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["model.tw"]
    return str(told.value)


def test_a_function_is_refused_by_the_parameters_name(tmp_path: Path) -> None:
    model = tw.DecisionTreeClassifier(criterion=half_gini).fit(X, y)
    said = refused(model, tmp_path)
    assert "DecisionTreeClassifier.criterion is the function 'half_gini'" in said
    assert "Hint: name one of treewright's own; or pickle the model" in said


def test_a_learner_of_another_library_is_refused_by_the_parameters_name(tmp_path: Path) -> None:
    said = refused(tw.BaggingClassifier(LogisticRegression()), tmp_path)
    assert "BaggingClassifier.estimator is a sklearn LogisticRegression" in said
    said = refused(tw.StackingClassifier([("a", LogisticRegression())]), tmp_path)
    assert "StackingClassifier.estimators" in said


@pytest.mark.parametrize("value", [{"a": 1}, LogisticRegression(), print, None, 3])
def test_what_is_no_model_is_refused(value: Any, tmp_path: Path) -> None:
    assert "save takes treewright's estimators" in refused(value, tmp_path)


def test_a_class_derived_from_ours_is_refused(tmp_path: Path) -> None:
    class Mine(tw.CARTClassifier):
        pass

    assert "Mine is no model of treewright" in refused(Mine(), tmp_path)


def test_a_suffix_that_tells_no_format_is_refused(tmp_path: Path) -> None:
    for name in ("model", "model.pkl", "model.tw.gz"):
        with pytest.raises(ParameterError, match=r"tells no format.\n  Hint: 'model.tw' is small"):
            tw.save(tw.CARTClassifier(), tmp_path / name)
    with pytest.raises(ParameterError, match="is no path"):
        tw.save(tw.CARTClassifier(), 3)  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"gone.tw cannot be read: No such file"):
        tw.load(tmp_path / "gone.tw")
    with pytest.raises(OSError, match="cannot be read"):
        tw.load(tmp_path)
    if os.path.exists("/dev/zero"):
        with pytest.raises(ModelFileError, match="cannot be read: it is a device"):
            tw.load("/dev/zero")


def test_what_cannot_be_remembered_is_refused(tmp_path: Path) -> None:
    for given in ({"a": {1, 2}}, {3: "a"}, ["a"]):
        with pytest.raises(ParameterError, match="remember must map names to texts"):
            tw.save(tw.CARTClassifier(), tmp_path / "m.tw", remember=given)  # type: ignore[arg-type]


def test_numbers_that_json_lacks_are_remembered_as_none(tmp_path: Path) -> None:
    file = tmp_path / "m.tw"
    tw.save(tw.CARTClassifier(), file, remember={"a": float("nan"), "b": [float("inf"), 2.5]})
    assert tw.persist.describe(file).remembered == {"a": None, "b": [None, 2.5]}


@pytest.mark.parametrize(
    "seed",
    [
        np.random.RandomState(5),
        np.random.default_rng(5),
        np.random.Generator(np.random.Philox(5)),
        np.random.Generator(np.random.MT19937(5)),
    ],
)
def test_generators_go_on_where_they_were(seed: Any, tmp_path: Path) -> None:
    model = tw.ExtraTreeClassifier(random_state=seed)
    tw.save(model, tmp_path / "m.tw")
    again = tw.load(tmp_path / "m.tw").random_state
    assert type(again) is type(seed)
    assert again.normal() == seed.normal()


@pytest.mark.parametrize("cv", [KFold(4), StratifiedKFold(3, shuffle=True, random_state=2)])
def test_splitters_of_scikit_learn_are_kept(cv: Any, tmp_path: Path) -> None:
    model = tw.StackingClassifier([("a", tw.CARTClassifier())], cv=cv)
    tw.save(model, tmp_path / "m.json")
    assert repr(tw.load(tmp_path / "m.json").cv) == repr(cv)
