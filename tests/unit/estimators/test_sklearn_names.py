"""Every parameter and value that scikit-learn's namesakes accept, tried on ours.

scikit-learn lists what its estimators accept in ``_parameter_constraints``. Each value fits a small
table here, or is refused for a reason that stands in docs/coming-from/scikit-learn.md.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.metrics
import sklearn.tree
from sklearn.base import ClassifierMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils import _param_validation as constraints

import treewright as tw
from treewright.errors import TreewrightError

DOCS = Path(__file__).parents[3] / "docs" / "coming-from" / "scikit-learn.md"

NAMESAKES = [
    getattr(module, name)
    for module in (sklearn.tree, sklearn.ensemble)
    for name in module.__all__
    if name in tw.__all__
    and not name.startswith(("Stacking", "Voting"))  # of members: see combine/ and tests/peers
]

RANDOM = np.random.default_rng(8)
X = RANDOM.normal(size=(60, 4)).round(1)
VALUES = np.exp(X[:, 0] + 0.3 * RANDOM.normal(size=60))  # above 0, as some losses need
CLASSES = (X[:, 0] + X[:, 1] > 0).astype(int)

_BEYOND = "Every number beyond all targets has no loss; give a quantile above 0 and below 1."
REFUSED = [
    # what the names of estimators begin with, the parameter, the value, and why: as in the docs
    ("GradientBoosting", "learning_rate", "0.0", "A rate of 0 learns nothing."),
    (
        "HistGradientBoosting",
        "loss",
        "BaseLoss",
        "scikit-learn's private loss objects; a function that returns gradients and hessians is"
        " taken instead.",
    ),
    ("HistGradientBoostingRegressor", "quantile", "0.0", _BEYOND),
    ("HistGradientBoostingRegressor", "quantile", "1.0", _BEYOND),
    ("", "criterion", "Criterion", "scikit-learn's private criterion objects."),
    (
        "",
        "criterion",
        "'deprecated'",
        "A mark of scikit-learn's for a parameter that is not given.",
    ),
]
TOGETHER: dict[str, dict[str, Any]] = {
    # What a value needs beside it, there as here.
    "quantile": {"loss": "quantile"},
    "oob_score": {"bootstrap": True},
    "max_samples": {"bootstrap": True},
    "validation_fraction": {"early_stopping": True},
}


def values_of(name: str, constraint: Any, *, classes: bool) -> Iterator[Any]:
    """Yield values that a constraint accepts: its ends, and one inside."""
    if isinstance(constraint, constraints.Interval):
        low, high, closed = constraint.left, constraint.right, constraint.closed
        is_whole = "Integral" in str(constraint.type)
        if low is not None and closed in ("left", "both"):
            yield int(low) if is_whole else float(low)
        if high is not None and closed in ("right", "both"):
            yield int(high) if is_whole else float(high)
        if is_whole:
            yield int(low or 0) + 2
        else:
            yield (low or 0.0) + 0.25
    elif isinstance(constraint, constraints.StrOptions | constraints.Options):
        yield from sorted(constraint.options, key=str)
    elif isinstance(constraint, constraints.Hidden):
        yield from values_of(name, constraint.constraint, classes=classes)
    elif constraint in ("boolean", "verbose"):
        yield from (False, True)
        yield from () if constraint == "boolean" else (0, 2)
    elif constraint == "random_state":
        yield from (None, 3, np.random.RandomState(3))
    elif constraint is None:
        yield None
    else:
        yield from others_of(name, constraint, classes=classes)


def others_of(name: str, constraint: Any, *, classes: bool) -> Iterator[Any]:
    """Yield values of the constraints that say less than an interval or a list of names."""
    if name == "monotonic_cst":
        yield {"x0": 1, "x2": -1} if constraint is dict else [1, 0, 0, -1]
        if constraint is not dict:
            yield np.array([0, 0, -1, 0])
    elif name == "interaction_cst":
        yield constraint([{0, 1}, {2, 3}])
    elif name == "categorical_features":
        yield from ([3], np.array([False, False, False, True]))
    elif name == "class_weight":
        yield [{0: 1, 1: 3}] if constraint is list else {0: 1, 1: 3}
    elif name == "scoring":
        yield "accuracy" if classes else "r2"
        yield sklearn.metrics.make_scorer(sklearn.metrics.accuracy_score)
    elif name == "oob_score":
        yield sklearn.metrics.accuracy_score if classes else sklearn.metrics.r2_score
    elif name in ("init", "estimator"):
        yield DummyClassifier() if classes else DummyRegressor()
        yield tw.DecisionTreeClassifier() if classes else tw.DecisionTreeRegressor()
    elif name == "n_jobs":
        yield from (1, -1)
    elif inspect.isclass(constraint):
        yield constraint
    else:
        raise AssertionError(f"what does {name} accept by {constraint}?")


def cases() -> Iterator[Any]:
    for theirs in NAMESAKES:
        classes = issubclass(theirs, ClassifierMixin)
        taken = inspect.signature(theirs).parameters
        for name, listed in theirs._parameter_constraints.items():
            if name not in taken:
                continue
            for constraint in [listed] if isinstance(listed, str) else listed:
                for value in values_of(name, constraint, classes=classes):
                    yield pytest.param(
                        theirs.__name__, name, value, id=f"{theirs.__name__}-{name}-{shown(value)}"
                    )


def shown(value: Any) -> str:
    """Return the text of a value, which is the same in every process: without addresses."""
    if inspect.isclass(value):
        return value.__name__
    return re.sub(r"\s+", " ", re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value)))


def is_refused(estimator: str, name: str, value: Any) -> bool:
    return any(
        estimator.startswith(owner) and (name, shown(value)) == (parameter, refused)
        for owner, parameter, refused, _ in REFUSED
    )


@pytest.mark.filterwarnings("ignore::treewright.errors.NoSplitWarning")
@pytest.mark.parametrize(("owner", "name", "value"), list(cases()))
def test_a_value_that_scikit_learn_accepts_is_accepted_or_refused_for_a_reason(
    owner: str, name: str, value: Any
) -> None:
    made = getattr(tw, owner)
    assert name in inspect.signature(made).parameters, f"{owner} has no parameter {name}"
    taken = inspect.signature(made).parameters
    few = next((number for number in ("n_estimators", "max_iter") if number in taken), None)
    options: dict[str, Any] = {} if few is None else {few: 3}
    options |= {other: given for other, given in TOGETHER.get(name, {}).items() if other in taken}
    options[name] = value
    y = CLASSES if issubclass(made, ClassifierMixin) else VALUES
    if is_refused(owner, name, value):
        with pytest.raises(TreewrightError):
            made(**options).fit(X, y)
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
        model = made(**options).fit(X, y)
    assert len(model.predict(X)) == len(X)


def test_reasons_stand_in_the_docs() -> None:
    _, table = DOCS.read_text().split("## What is refused")
    table, _ = table.split("## What means something else")
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    for _, name, _, reason in REFUSED:
        assert any(f"| `{name}` |" in row and reason in row for row in rows), (name, reason)
    reasons = {reason for *_, reason in REFUSED}
    assert all(any(reason in row for reason in reasons) for row in rows), "a reason of no test"


@pytest.mark.parametrize("theirs", NAMESAKES, ids=lambda each: each.__name__)
def test_no_parameter_of_scikit_learns_is_missing(theirs: Any) -> None:
    ours = inspect.signature(getattr(tw, theirs.__name__)).parameters
    assert set(inspect.signature(theirs).parameters) <= set(ours)


@pytest.mark.parametrize(
    ("made", "given", "named"),
    [
        (tw.DecisionTreeClassifier, "log_loss", "entropy"),
        (tw.DecisionTreeClassifier, "information_gain", "entropy"),
        (tw.RandomForestClassifier, "log_loss", "entropy"),
        (tw.DecisionTreeRegressor, "friedman_mse", "squared_error"),
        (tw.ExtraTreesRegressor, "friedman_mse", "squared_error"),
        (tw.CARTRegressor, "friedman_mse", "squared_error"),
    ],
)
def test_other_names_of_criteria_give_the_same_trees(made: Any, given: str, named: str) -> None:
    models = [made(criterion=name).fit(X, CLASSES) for name in (given, named)]
    assert models[0].get_params()["criterion"] == given
    assert np.array_equal(models[0].predict(X), models[1].predict(X))
    assert models[0]._model().criterion == named


@pytest.mark.parametrize("made", [tw.ExtraTreeClassifier, tw.ExtraTreeRegressor])
def test_single_extra_trees_draw_their_cuts(made: Any) -> None:
    y = CLASSES if made is tw.ExtraTreeClassifier else VALUES
    trees = [made(random_state=seed).fit(X, y).tree_.text() for seed in range(4)]
    assert len(set(trees)) == 4
    assert made().fit(X, y).max_features_ == (2 if made is tw.ExtraTreeClassifier else 4)
