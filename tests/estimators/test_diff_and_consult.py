"""Every estimator's tree can be compared with another and asks what prediction would look at."""

from typing import Any

import numpy as np
import pytest
from every_estimator import CLASSIFIERS, ESTIMATORS

from treewright import load_example
from treewright.estimators.base import TreeEstimator

LOANS = load_example("loans")


@pytest.mark.parametrize(
    "made",
    [made for made in ESTIMATORS if isinstance(made(), TreeEstimator)],
    ids=lambda made: made.__name__,
)
def test_compared_and_consulted(made: Any) -> None:
    X = LOANS.X.rows(np.arange(0, 2000, 5))
    y = LOANS.y[::5]
    if made not in CLASSIFIERS:
        y = np.where(y == "repaid", 0.0, np.arange(400) % 7 + 1.0)
    tree = made().fit(X, y).tree_
    assert tree.diff(tree, X).relation == "same"
    other = made().fit(X, y, sample_weight=np.arange(400) % 3).tree_
    diff = tree.diff(other, X)
    assert diff.rows is not None
    before, after = tree.predict(X), other.predict(X)
    if made in CLASSIFIERS:
        is_other = before != after
    else:
        is_other = ~np.isclose(before, after, rtol=1e-9, atol=1e-9)
    assert diff.rows.label.tolist() == np.flatnonzero(is_other).tolist()
    for row in range(0, 400, 40):
        values = {name: X[name][row] for name in X.columns}
        consultation = tree.consult()
        while (question := consultation.question) is not None:
            consultation.answer(values[question.column])
        expected = tree.predict(X.rows([row]))[0]
        if made in CLASSIFIERS:
            assert consultation.label == expected
        else:
            assert consultation.label == pytest.approx(expected)
