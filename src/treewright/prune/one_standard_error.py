"""C5.0's second stage: weakest links are cut while the training errors hardly rise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treewright.model.tree import Tree
from treewright.parameters import check_number
from treewright.prune.base import Cuts, Pruner
from treewright.prune.cost_complexity import CostComplexity, cost_complexity_path
from treewright.prune.sample import Sample
from treewright.prune.sums import training_risk


@dataclass(frozen=True, kw_only=True)
class OneStandardError(Pruner):
    """Cut weakest links until the training errors have risen by a standard error (C5.0, prune.c).

    Of the nested trees of cost-complexity pruning the smallest one is taken whose training errors E
    are at most those of the whole tree plus sqrt(E (1 - E / N)). C5.0 does so after error-based
    pruning. Under a cost matrix the trees cost at most a standard error of what rows cost more.

    Parameters
    ----------
    n_standard_errors : float
        How many standard errors the training errors may rise.

    Examples
    --------
    >>> from treewright import C45Classifier, load_example
    >>> from treewright.prune import OneStandardError
    >>> loans = load_example("loans")
    >>> tree = C45Classifier().fit(loans.X, loans.y).tree_
    >>> tree.n_leaves, OneStandardError().prune(tree).n_leaves
    (53, 43)
    """

    name: ClassVar[str] = "one_standard_error"
    for_numbers: ClassVar[bool] = False
    several_outputs: ClassVar[bool] = False
    n_standard_errors: float = 1.0

    def check(self) -> None:
        """Refuse parameters outside their range."""
        check_number("n_standard_errors", self.n_standard_errors, low=0.0)

    def _cuts(self, tree: Tree, validation: Sample | None) -> Cuts:
        path = cost_complexity_path(tree, on="errors")
        at_leaves = tree.arrays.n_branches == 0
        total = float(tree.arrays.weight[0]) or 1.0
        rate = float(training_risk(tree)[at_leaves].sum()) / total
        squares = float(training_risk(tree, squared=True)[at_leaves].sum()) / total
        allowed = rate + self.n_standard_errors * np.sqrt(max(squares - rate**2, 0.0) / total)
        last = int(np.flatnonzero(path.risks <= allowed + 1e-12)[-1])
        return CostComplexity().cuts_at(path, float(path.alphas[last]))
