"""Estimators whose first questions may be given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treewright.errors import UnsupportedError
from treewright.estimators.base import TreeEstimator
from treewright.grow.costs import deciding
from treewright.grow.fit import Report
from treewright.grow.problem import Problem
from treewright.grow.start.fit import fit_started
from treewright.tree.tree import Tree


class StartsFromQuestions(TreeEstimator):
    """A tree that may start with given questions: the parameter `start`."""

    start: Any = None  # not a parameter of every estimator

    def _grow_deciding(self, problem: Problem, report: Report | None) -> Tree:
        if self.start is None:
            return super()._grow_deciding(problem, report)
        if getattr(self, "leaf_model", "constant") != "constant":
            raise UnsupportedError(
                f"start cannot be used with leaf_model={self.leaf_model!r}.\n"
                "  Hint: leaf_model='constant'."
            )
        plain = replace(problem, leaf=problem.leaf.for_growing())
        tree = fit_started(plain, self.start, lambda part: self._grow(part, None))
        return deciding(tree, problem.leaf)

    def _only_prunes(self) -> bool:
        return self.start is None and super()._only_prunes()
