"""M5's choice between a node's model and its subtree, on figures worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from unit.tree.hand_trees import build, cut, mean_leaf, numeric, schema_of

from treewright.errors import UnsupportedError
from treewright.m5.prune import M5Pruning, error_factor, weka_factor
from treewright.prune import ReducedError
from treewright.prune.base import Cuts
from treewright.tree.tree import Tree


def stump() -> Tree:
    return build(schema_of(numeric("x")), cut("x", 1.0, mean_leaf(6, 1.0), mean_leaf(4, 5.0)), None)


def cuts(variant: str, loss: list[float], n_parameters: float, deviation: float = 3.0) -> Cuts:
    cases = np.array([10.0, 6.0, 4.0])
    return M5Pruning(variant=variant).cuts(
        stump(),
        n_cases=cases,
        weight=cases,
        loss=np.array(loss),
        n_parameters=np.array([n_parameters, 1.0, 1.0]),
        deviation=deviation,
    )


def test_the_program_adds_the_parameters_of_both_branches_and_one() -> None:
    # Subtree: sqrt(10 / 10) (10 + 6) / (10 - 3) = 16/7; model: sqrt(l / 10) (10 + 4) / (10 - 2).
    at_par = 10 * (16 / 7 / (14 / 8)) ** 2
    found = cuts("weka", [at_par - 1e-9, 6.0, 4.0], 2.0)
    assert found.node.tolist() == [0]
    assert found.before[0] == pytest.approx(16 / 7)
    assert found.after[0] == pytest.approx(16 / 7)
    assert len(cuts("weka", [at_par + 1e-6, 6.0, 4.0], 2.0).node) == 0


def test_the_program_takes_a_model_that_is_nearly_exact() -> None:
    loss = [1e-12, 0.0, 0.0]
    assert len(cuts("weka", loss, 2.0).node) == 1
    assert len(cuts("weka", loss, 2.0, deviation=1e-3).node) == 0


def test_the_paper_weighs_the_estimates_of_the_branches() -> None:
    # Branches: 0.5 x 7/5 and 1 x 5/3, so (6 x 0.7 + 4 x 5/3) / 10; model: l / 10 x 12/8.
    below = (6 * 0.7 + 4 * 5 / 3) / 10
    at_par = 10 * below / 1.5
    found = cuts("paper", [at_par - 1e-9, 3.0, 4.0], 2.0)
    assert found.before[0] == pytest.approx(below)
    assert len(cuts("paper", [at_par + 1e-6, 3.0, 4.0], 2.0).node) == 0


def test_factors() -> None:
    assert error_factor(10, 2) == 1.5
    assert error_factor(2, 2) == math.inf
    assert weka_factor(10, 2) == 14 / 8
    assert weka_factor(2, 5) == 10.0


def test_other_pruners_refuse_linear_leaves() -> None:
    from treewright import M5Regressor

    x = np.arange(20.0)[:, np.newaxis]
    tree = M5Regressor().fit(x, x[:, 0] ** 2).tree_
    with pytest.raises(UnsupportedError, match="this tree's answer by linear models"):
        ReducedError().prune(tree, x, x[:, 0])
