"""The program of every estimator, whatever its options, answers as its predict and predict_proba.

The proof of an export compares with these, too, but takes the rows from the form that is exported;
here rows are drawn, read by the estimator from a table, and by the program as they are.
"""

import warnings
from typing import Any

import numpy as np
import pytest
from every_estimator import CLASSIFIERS, ESTIMATORS

import treewright as tw
from treewright import export
from treewright.errors import TreewrightError, UnsupportedError
from treewright.export.form.build import form_of

N_ROWS, N_NEW = 120, 150
LETTERS = ["c", "a", "b", "e", "d"]
COSTS = [[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [9.0, 3.0, 0.0]]
STUMP_WITH_COSTS = tw.DecisionTreeClassifier(
    max_depth=2, cost_matrix=COSTS, missing="majority", unseen="majority"
)
OPTIONS: list[dict[str, Any]] = [
    {},
    *({name: "balanced"} for name in ("class_weight",)),
    {"priors": [0.2, 0.3, 0.5]},
    *({"leaf": each} for each in ("laplace", "m_estimate")),
    {"combine": "leaf_counts"},
    {"vote": "hard"},
    *(
        {"missing": each}
        for each in ("divide", "learned_side", "majority", "surrogates", "own_branch")
    ),
    {"missing": "learned_side", "unseen": "majority"},
    *({"nominal": each} for each in ("multiway", "subset", "one_vs_rest")),
    *({"variant": each} for each in ("c5", "weka")),
    {"algorithm": "M1"},
    {"init": "zero"},
    {"leaf_model": "linear"},
    *({"linear": each} for each in (True, False)),
    *({"loss": each} for each in ("exponential", "ordinal", "square", "absolute_error", "huber")),
    *({"loss": each} for each in ("poisson", "gamma", "tweedie")),
    {"loss": "quantile", "quantile": 0.7},
    {"bootstrap": False},
    {"estimator": tw.C45Classifier(), "resample": True},
    {"estimator": tw.C45Classifier()},
    {"estimator": tw.DecisionTreeClassifier(max_depth=2)},
    {"estimator": STUMP_WITH_COSTS},
    {"estimator": tw.DecisionTreeRegressor(max_depth=2)},
]


def table(random: np.random.Generator, n_rows: int, letters: list[str]) -> dict[str, Any]:
    """Return a number and a text with gaps, and a whole number; numbers are often the same."""
    x = random.normal(size=n_rows).round(1)
    x[random.random(n_rows) < 0.1] = np.nan
    text = random.choice(letters, n_rows).astype(object)
    text[random.random(n_rows) < 0.1] = None
    return {"x": x, "text": text, "whole": random.integers(0, 6, n_rows)}


RANDOM = np.random.default_rng(0)
X = table(RANDOM, N_ROWS, LETTERS)
SCORE = np.nan_to_num(X["x"]) + X["whole"] / 2 + (X["text"] == "a") + RANDOM.normal(size=N_ROWS) / 2
NEW = table(RANDOM, N_NEW, [*LETTERS, "unseen"])
TARGETS = {
    "three": np.array(["mid", "low", "top"])[np.digitize(SCORE, [1.0, 2.0])],
    "two": SCORE > 1.5,
    "ranks": np.digitize(SCORE, [1.0, 2.0]),
    "numbers": np.exp(SCORE / 4),
}


def fitted(made: Any, options: dict[str, Any], target: str) -> Any:
    """Return the fitted model; None where the estimator knows or allows no such option."""
    estimator = made()
    if not set(options) <= set(estimator.get_params(deep=False)):
        return None
    if "max_depth" in estimator.get_params(deep=False):
        estimator.set_params(max_depth=4)
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return estimator.set_params(**options).fit(X, TARGETS[target])
    except TreewrightError:
        return None


def check(model: Any, said: str) -> None:
    rows = {name: values.copy() for name, values in NEW.items()}
    if getattr(model, "unseen", None) == "error":
        rows["text"][rows["text"] == "unseen"] = None
    program: dict[str, Any] = {}
    exec(export.python(model, proof=False).text, program)
    answers = [
        dict(zip(rows, each, strict=True)) for each in zip(*map(list, rows.values()), strict=True)
    ]
    found = [program["predict"](row) for row in answers]
    # Exponentials of libraries differ in the last places, all else is equal to the last bit.
    allowed = 0.0 if form_of(model).is_exact else 8 * np.finfo(np.float64).eps
    if not hasattr(model, "predict_proba"):
        np.testing.assert_allclose(found, model.predict(rows), rtol=allowed, err_msg=said)
        return
    assert found == model.predict(rows).tolist(), said
    shares = [program["predict_proba"](row) for row in answers]
    right = model.predict_proba(rows)
    np.testing.assert_allclose(shares, right, rtol=0.0, atol=allowed, err_msg=said)


@pytest.mark.parametrize("made", ESTIMATORS, ids=lambda made: made.__name__)
def test_the_program_answers_as_the_estimator(made: Any) -> None:
    is_classifier = made in CLASSIFIERS
    n_checked = 0
    for options in OPTIONS:
        costs: list[dict[str, Any]] = [{}]
        targets = ["numbers"]
        if is_classifier:
            costs = [{}, {"cost_matrix": COSTS}, {"cost_matrix": [[0.0, 1.0], [4.0, 0.0]]}]
            targets = ["ranks"] if options.get("loss") == "ordinal" else ["three", "two"]
        for target in targets:
            for cost in costs:
                model = fitted(made, options | cost, target)
                if model is not None:
                    check(model, f"{model!r} of {target}")
                    n_checked += 1
    assert n_checked >= 1


@pytest.mark.parametrize("made", CLASSIFIERS, ids=lambda made: made.__name__)
def test_calibrated_probabilities_are_refused(made: Any) -> None:
    model = fitted(made, {"calibrate": "temperature"}, "two")
    if model is not None:
        with pytest.raises(UnsupportedError, match=r"are calibrated[^\n]*\n  Hint: "):
            export.python(model)
