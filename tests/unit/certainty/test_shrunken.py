"""Leaves mixed with the nodes above, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import DecisionTreeClassifier, ID3Classifier, load_example
from treewright.certainty.labels import labels_by
from treewright.certainty.shrunken import PRIOR_WEIGHTS, shrunken
from treewright.errors import ParameterError


def test_by_hand() -> None:
    play = load_example("play_tennis")
    tree = ID3Classifier().fit(play.X, play.y).tree_
    m = 2.0
    root = (np.array([5, 9]) + 0.5) / 15
    sunny = (np.array([3, 2]) + m * root) / (5 + m)
    high = (np.array([3, 0]) + m * sunny) / (3 + m)
    node = next(i for i in range(tree.n_nodes) if tree.path(i) == [0, 1, i])
    assert tree.counts(node).classes == {"No": 3.0, "Yes": 0.0}
    assert shrunken(tree, m).answers[node] == pytest.approx(high, abs=1e-15)


@pytest.mark.parametrize("weight", PRIOR_WEIGHTS)
def test_shares_stay_shares_and_never_reach_zero(weight: float) -> None:
    loans = load_example("loans")
    tree = DecisionTreeClassifier().fit(loans.X, loans.y).tree_
    answers = shrunken(tree, weight).answers
    assert answers.min() > 0
    np.testing.assert_allclose(answers.sum(axis=1), 1.0, rtol=1e-12)


def test_labels_of_rows() -> None:
    X = {"shop": ["a", None, "b"], "size": [1, 2, 2], "x": [0.5, np.nan, 1.5]}
    assert labels_by(X, "shop").tolist() == ["a", None, "b"]
    assert labels_by(X, "size").tolist() == [1, 2, 2]
    assert labels_by(X, "x").tolist() == [0.5, None, 1.5]
    assert labels_by(np.array([[1.0, 2.0]]), 1).tolist() == [2.0]
    with pytest.raises(ParameterError, match="by='shp' is no column of X"):
        labels_by(X, "shp")
    with pytest.raises(ParameterError, match="by=2 is no column of X"):
        labels_by(np.array([[1.0, 2.0]]), 2)
