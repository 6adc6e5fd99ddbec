"""Errors of stacks and votes say which member, which fold or column, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from treewright import (
    C45Classifier,
    CARTRegressor,
    DecisionTreeClassifier,
    GradientBoostingClassifier,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from treewright.errors import (
    DataError,
    MemberError,
    ParameterError,
    SmallDataWarning,
    TargetError,
    UnknownParameterError,
    UnsupportedError,
)

X = np.arange(40.0).reshape(-1, 2)
Y = np.array(["no", "yes"] * 10)
NUMBERS = np.arange(20.0)
CLASSIFIERS = [StackingClassifier, VotingClassifier]
REGRESSORS = [StackingRegressor, VotingRegressor]
TREE = ("tree", DecisionTreeClassifier())
TEXT = pd.DataFrame({"size": np.arange(20.0), "job": ["cook", "smith"] * 10})


@pytest.mark.parametrize("made", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize("given", [[], None, "tree", [C45Classifier()], [("tree",)]])
def test_members_are_pairs(made: Any, given: Any) -> None:
    with pytest.raises(ParameterError, match=r"list of \(string, estimator\) tuples") as raised:
        made(given).fit(X, Y)
    assert "Hint" in str(raised.value)


@pytest.mark.parametrize("made", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize("given", [[("tree",)], [("tree", CARTRegressor())]])
def test_metadata_without_routing_are_refused_before_members_are(made: Any, given: Any) -> None:
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        made(given).fit(X, Y, colour="blue")


@pytest.mark.parametrize("made", CLASSIFIERS)
def test_names_are_distinct_and_free(made: Any) -> None:
    with pytest.raises(ParameterError, match="has 2 members called 'tree'"):
        made([TREE, TREE]).fit(X, Y)
    with pytest.raises(ParameterError, match="'cv' is a parameter of"):
        made([("cv", C45Classifier())]).fit(X, Y)
    with pytest.raises(ParameterError, match="must not contain __"):
        made([("a__b", C45Classifier())]).fit(X, Y)
    with pytest.raises(ParameterError, match="All estimators are dropped"):
        made([("tree", "drop")]).fit(X, Y)
    with pytest.raises(ParameterError, match="with brackets"):
        made([("tree", C45Classifier)]).fit(X, Y)


@pytest.mark.parametrize("made", CLASSIFIERS)
def test_a_regressor_does_not_predict_names(made: Any) -> None:
    with pytest.raises(ParameterError, match=r"member 'a' of .* predicts numbers") as raised:
        made([("a", CARTRegressor())]).fit(X, Y)
    assert "CARTClassifier()" in str(raised.value)


@pytest.mark.parametrize("made", REGRESSORS)
def test_a_classifier_does_not_predict_numbers(made: Any) -> None:
    with pytest.raises(ParameterError, match=r"member 'tree' of .* predicts classes"):
        made([TREE]).fit(X, NUMBERS)


def test_rows_and_groups_are_as_many_as_folds() -> None:
    stack = StackingClassifier([TREE], cv=30)
    with pytest.raises(DataError, match=r"cv=30 folds need at least as many rows; there are 20"):
        stack.fit(X, Y)
    groups = np.arange(20) % 3
    with pytest.raises(DataError, match=r"at least as many groups; there are 3.*\n.*cv=3"):
        StackingClassifier([TREE], cv=4).fit(X, Y, groups=groups)
    with pytest.raises(DataError, match="at least 2 groups"):
        StackingClassifier([TREE]).fit(X, Y, groups=np.zeros(20))
    with pytest.raises(DataError, match="n_samples=1"):
        StackingRegressor([("tree", CARTRegressor())]).fit(X[:1], NUMBERS[:1])
    assert len(StackingClassifier([TREE]).fit(X, Y, groups=groups)._held.folds) == 3


def test_folds_hold_out_every_row_once_and_no_part_of_a_group() -> None:
    with pytest.raises(ParameterError, match="does not hold out every row once"):
        StackingClassifier([TREE], cv=ShuffleSplit(2, random_state=0)).fit(X, Y)
    with pytest.raises(ParameterError, match=r"divides group 0: fold 0"):
        StackingClassifier([TREE], cv=KFold(2)).fit(X, Y, groups=np.arange(20) % 4)
    with pytest.raises(ParameterError, match="cv='many' must be"):
        StackingClassifier([TREE], cv="many").fit(X, Y)


def test_a_class_of_one_row_is_told() -> None:
    y = np.array(["rare", *["no", "yes"] * 9, "no"])
    with pytest.warns(SmallDataWarning, match=r"class 'rare' has 1 rows, all held out"):
        stack = StackingClassifier([TREE]).fit(X, y)
    assert stack.classes_.tolist() == ["no", "rare", "yes"]
    assert stack.predict_proba(X).shape == (20, 3)


class _Broken(LogisticRegression):
    """Fails on some rows."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if X[0, 0] > 0:
            raise RuntimeError("out of ink")
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_member_that_fails_is_named_with_its_fold(n_jobs: Any) -> None:
    stack = StackingClassifier([TREE, ("pen", _Broken())], cv=KFold(4), n_jobs=n_jobs)
    with pytest.raises(
        MemberError,
        match=r"member 'pen' \(_Broken\) could not be fitted when fold 0"
        r" is held out: RuntimeError: out of ink",
    ) as raised:
        stack.fit(X, Y)
    assert isinstance(raised.value.__cause__, RuntimeError)
    assert not hasattr(stack, "estimators_")


def test_text_that_a_member_cannot_take_is_named() -> None:
    for made in CLASSIFIERS:
        with pytest.raises(MemberError, match=r"member 'near' .* cannot take column 'job'") as told:
            made([TREE, ("near", KNeighborsClassifier())]).fit(TEXT, Y)
        assert "OneHotEncoder" in str(told.value)
    gaps = TEXT[["size"]].mask(TEXT["size"] == 3)
    with pytest.raises(MemberError, match=r"member 'near' .* column 'size', which has gaps"):
        VotingClassifier([("near", KNeighborsClassifier())]).fit(gaps, Y)


def test_text_does_not_pass_through_to_other_libraries() -> None:
    stack = StackingClassifier([TREE], LogisticRegression(), passthrough=True)
    with pytest.raises(UnsupportedError, match=r"cannot take column 'job'") as told:
        stack.fit(TEXT, Y)
    assert "GradientBoostingClassifier()" in str(told.value)
    ours = StackingClassifier([TREE], GradientBoostingClassifier(n_estimators=3), passthrough=True)
    assert set(ours.fit(TEXT, Y).predict(TEXT)) <= {"no", "yes"}
    names = ["stackingclassifier_tree", "size", "job"]
    assert list(ours.get_feature_names_out()) == names


def test_weights_of_votes() -> None:
    with pytest.raises(ParameterError, match="got 2 weights, 1 estimators"):
        VotingClassifier([TREE], weights=[1, 2]).fit(X, Y)
    with pytest.raises(ParameterError, match="0 or more"):
        VotingClassifier([TREE], weights=[-1]).fit(X, Y)
    with pytest.raises(ParameterError, match="leave no member a vote"):
        VotingClassifier([TREE], weights=[0]).fit(X, Y)
    with pytest.raises(ParameterError, match="'out_of_fold' or None"):
        VotingClassifier([TREE], weights="best").fit(X, Y)


def test_what_members_lack_is_said() -> None:
    with pytest.raises(ParameterError, match="has no predict_proba, which voting='soft'"):
        VotingClassifier([("svc", LinearSVC())], voting="soft").fit(X, Y)
    with pytest.raises(ParameterError, match="does not implement the method predict_proba"):
        StackingClassifier([("svc", LinearSVC())], stack_method="predict_proba").fit(X, Y)
    with pytest.raises(UnknownParameterError, match=r"'near' .* has no sample_weight"):
        VotingClassifier([("near", KNeighborsClassifier())]).fit(X, Y, sample_weight=np.ones(20))
    with pytest.raises(NotFittedError, match=r"member 'tree' .* is not fitted"):
        StackingClassifier([TREE], cv="prefit").fit(X, Y)
    with pytest.raises(UnsupportedError, match="voting='soft'"):
        VotingClassifier([TREE], calibrate="temperature").fit(X, Y)
    with pytest.raises(ParameterError, match="should be a classifier"):
        StackingClassifier([TREE], LinearRegression()).fit(X, Y)
    with pytest.raises(TargetError, match="predicts one output"):
        VotingRegressor([("tree", CARTRegressor())]).fit(X, X)
    stack = StackingClassifier([TREE], LinearSVC()).fit(X, Y)
    with pytest.raises(UnsupportedError, match="depends on probabilities"):
        stack.predict_set(X)
