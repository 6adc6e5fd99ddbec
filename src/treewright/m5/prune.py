"""M5's pruning: a subtree is cut where the model of its root has no larger estimated error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treewright.prune.base import Cuts

if TYPE_CHECKING:
    from treewright.array_types import FloatArray
    from treewright.tree.tree import Tree

_NEARLY_EXACT = 1e-5
"""A model with an error below this share of the target's deviation always replaces its subtree."""


@dataclass(frozen=True, kw_only=True)
class M5Pruning:
    """The choice between a node's model and its subtree, bottom up.

    Parameters
    ----------
    variant : {"weka", "paper"}
        ``"weka"`` compares root mean squared errors times ``(n + 2 v) / (n - v)``, the subtree's v
        being the parameters of both branches and one for the question. ``"paper"`` compares mean
        absolute errors times ``(n + v) / (n - v)``, the subtree's being the mean over its leaves,
        each with its own v (Quinlan 1992; Witten and Frank 2005, figure 6.15).
    """

    variant: str

    def cuts(
        self,
        tree: Tree,
        *,
        n_cases: FloatArray,
        weight: FloatArray,
        loss: FloatArray,
        n_parameters: FloatArray,
        deviation: float,
    ) -> Cuts:
        """Return the nodes that become leaves, each after those below it.

        Parameters
        ----------
        tree
            The grown tree.
        n_cases, weight
            Training rows of each node, and their weight.
        loss
            The sum over the node's rows of the squared (by the paper: absolute) errors of its own
            model.
        n_parameters
            Number of parameters of that model, the intercept included.
        deviation
            Standard deviation of the target.
        """
        if self.variant == "weka":
            found = _by_program(tree, n_cases, weight, loss, n_parameters, deviation)
        else:
            found = _by_paper(tree, n_cases, weight, loss, n_parameters)
        return Cuts.of(found, "the estimated error of the subtree, and of the node's own model")


def _by_program(
    tree: Tree,
    n_cases: FloatArray,
    weight: FloatArray,
    loss: FloatArray,
    n_parameters: FloatArray,
    deviation: float,
) -> list[tuple[int, float, float]]:
    cases, weights = n_cases.tolist(), weight.tolist()
    lost, parameters = loss.tolist(), n_parameters.tolist()  # of the better alternative so far
    found = []
    for node in tree.bottom_up():
        if tree.is_leaf(node):
            continue
        n = cases[node]
        below = sum(lost[child] for child in tree.children(node))
        n_below = 1 + sum(parameters[child] for child in tree.children(node))
        of_subtree = math.sqrt(below / weights[node]) * weka_factor(n, n_below)
        of_model = math.sqrt(lost[node] / weights[node]) * weka_factor(n, parameters[node])
        if of_model <= of_subtree or of_model < _NEARLY_EXACT * deviation:
            found.append((node, of_subtree, of_model))
        else:
            lost[node], parameters[node] = below, n_below
    return found


def _by_paper(
    tree: Tree,
    n_cases: FloatArray,
    weight: FloatArray,
    loss: FloatArray,
    n_parameters: FloatArray,
) -> list[tuple[int, float, float]]:
    cases = n_cases.tolist()
    estimates = [
        lost / heavy * error_factor(n, parameters)
        for lost, heavy, n, parameters in zip(
            loss.tolist(), weight.tolist(), cases, n_parameters.tolist(), strict=True
        )
    ]
    found = []
    for node in tree.bottom_up():
        if tree.is_leaf(node):
            continue
        children = tree.children(node)
        below = sum(cases[child] * estimates[child] for child in children) / cases[node]
        if estimates[node] <= below:
            found.append((node, below, estimates[node]))
        else:
            estimates[node] = below
    return found


def error_factor(n_cases: float, n_parameters: float) -> float:
    """Return ``(n + v) / (n - v)``, by which the error on new rows exceeds the training error.

    >>> error_factor(6, 2)
    2.0
    """
    if n_cases <= n_parameters:
        return math.inf
    return (n_cases + n_parameters) / (n_cases - n_parameters)


def weka_factor(n_cases: float, n_parameters: float) -> float:
    """Return ``(n + 2 v) / (n - v)``, or 10 where there are no more cases than parameters.

    >>> weka_factor(6, 2), weka_factor(2, 2)
    (2.5, 10.0)
    """
    if n_cases <= n_parameters:
        return 10.0
    return (n_cases + 2 * n_parameters) / (n_cases - n_parameters)
