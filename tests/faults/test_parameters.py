"""Every parameter of every estimator with values it should not have (FAULTS 43)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from every_estimator import ESTIMATORS
from strange_values import BILLION, STRANGE

from treewright import DecisionTreeClassifier, Discretizer
from treewright.errors import ColumnMismatchError, ParameterError

ALL = [*ESTIMATORS, Discretizer]
PARAMETERS = [(estimator, name) for estimator in ALL for name in estimator().get_params()]
RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=(60, 3))
Y = RANDOM.integers(0, 2, 60)


def refusal_of(model: Any) -> str | None:
    """What fit says against the parameters; any other error is not caught."""
    try:
        model.fit(X, Y)
    except (ParameterError, ColumnMismatchError) as refusal:  # or names a column not there
        return str(refusal)
    return None


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.filterwarnings("ignore::treewright.errors.NoSplitWarning")  # a limit no leaf meets
@pytest.mark.filterwarnings("ignore::treewright.errors.AbsentClassWarning")  # of class_weight
@pytest.mark.parametrize(
    ("estimator", "name"), PARAMETERS, ids=[f"{e.__name__}-{name}" for e, name in PARAMETERS]
)
def test_a_strange_value_works_or_is_refused_by_name(estimator: Any, name: str) -> None:
    """FAULTS 43: validated in fit, never in the constructor, and nothing is left half-learned."""
    is_drawn = name == "max_samples"  # row by row: a billion of them are the next test
    for value in STRANGE:
        value = 10**6 if is_drawn and value is BILLION else value
        model = estimator(**{name: value}, **({"n_estimators": 1} if is_drawn else {}))
        refusal = refusal_of(model)
        if refusal is None:
            answer = model.transform(X) if isinstance(model, Discretizer) else model.predict(X)
            assert len(answer) == 60
        else:
            assert name in refusal, (value, refusal)
            assert not hasattr(model, "n_features_in_")


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [e for e, name in PARAMETERS if name == "max_samples"])
def test_a_billion_rows_are_drawn(estimator: Any) -> None:
    """FAULTS 43."""
    model = estimator(n_estimators=1, max_samples=BILLION)
    assert refusal_of(model) is not None or len(model.predict(X)) == 60


@pytest.mark.parametrize("whole", [np.int8, np.int32, np.int64, np.uint16])
def test_numpy_integers_are_integers(whole: Any) -> None:
    """FAULTS 43."""
    plain = DecisionTreeClassifier(
        max_depth=4, max_leaf_nodes=9, min_samples_leaf=3, min_samples_split=7, max_features=2
    ).fit(X, Y)
    same = DecisionTreeClassifier(
        max_depth=whole(4),
        max_leaf_nodes=whole(9),
        min_samples_leaf=whole(3),
        min_samples_split=whole(7),
        max_features=whole(2),
        random_state=whole(0),
        n_jobs=whole(2),
    ).fit(X, Y)
    assert same.tree_.arrays.equals(plain.tree_.arrays)


@pytest.mark.parametrize("name", ["max_depth", "max_leaf_nodes"])
def test_a_limit_beyond_all_rows_is_no_limit(name: str) -> None:
    """FAULTS 43."""
    plain = DecisionTreeClassifier().fit(X, Y).tree_
    for limit in (10**9, 10**30):
        assert DecisionTreeClassifier(**{name: limit}).fit(X, Y).tree_.n_leaves == plain.n_leaves


@pytest.mark.parametrize("name", ["min_samples_leaf", "min_samples_split"])
def test_a_leaf_that_must_have_more_rows_than_there_are_is_the_root(name: str) -> None:
    """FAULTS 43."""
    assert DecisionTreeClassifier(**{name: 10**9}).fit(X, Y).tree_.n_nodes == 1


def test_contradictions_are_refused_with_a_way_out() -> None:
    """FAULTS 43."""
    contradictions: list[dict[str, Any]] = [
        {"criterion": "twoing", "missing": "own_branch"},
        {"thresholds": "class_boundaries", "splitter": "random"},
        {"numeric": "mdlp", "splitter": "random"},
        {"numeric": "cal5", "thresholds": "class_boundaries"},
        {"numeric": "mdlp", "monotonic_cst": [1, 0, 0]},
        {"numeric": "mdlp", "criterion": "twoing"},
        {"numeric": "cal5", "missing": "surrogates"},
        {"class_weight": "balanced", "priors": [0.5, 0.5]},
    ]
    for parameters in contradictions:
        with pytest.raises(ParameterError, match="Hint: ") as caught:
            DecisionTreeClassifier(**parameters).fit(X, Y)
        assert all(name in str(caught.value) for name in parameters)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_class_weights_of_any_size_work(size: float) -> None:
    """FAULTS 43."""
    plain = DecisionTreeClassifier(max_depth=3).fit(X, Y)
    model = DecisionTreeClassifier(max_depth=3, class_weight={0: size, 1: size})
    assert (model.fit(X, Y).predict(X) == plain.predict(X)).all()
    assert (model.fit(X, Y, np.full(60, size)).predict(X) == plain.predict(X)).all()
    assert np.isfinite(model.tree_.arrays.value).all()


def test_a_fit_that_fails_leaves_the_estimator_as_it_was() -> None:
    """FAULTS 43."""
    model = DecisionTreeClassifier().fit(X, Y)
    tree, answer = model.tree_, model.predict(X)
    model.set_params(max_depth=-1)
    with pytest.raises(ParameterError, match="max_depth=-1"):
        model.fit(X[:, :2], Y)
    assert model.tree_ is tree
    assert model.n_features_in_ == 3
    assert (model.predict(X) == answer).all()
