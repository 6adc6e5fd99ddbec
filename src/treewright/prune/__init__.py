"""Pruning: one class per method, each ``prune(tree, ...) -> Tree`` on a grown tree.

Every result has ``tree.pruning``: the nodes cut, why, and the curve of size against error.

Examples
--------
>>> from treewright import DecisionTreeClassifier, load_example
>>> from treewright.prune import CostComplexity
>>> cancer = load_example("breast_cancer")
>>> tree = DecisionTreeClassifier().fit(cancer.X, cancer.y).tree_
>>> pruned = CostComplexity(alpha=0.01).prune(tree)
>>> tree.n_leaves, pruned.n_leaves
(22, 4)
"""

from __future__ import annotations

from treewright.errors import ParameterError
from treewright.other_names import value_hint
from treewright.parameters import nearest_hint
from treewright.prune.base import Pruner
from treewright.prune.complexity_table import ComplexityTable, complexity_table
from treewright.prune.methods.chi_square import ChiSquare
from treewright.prune.methods.cost_complexity import (
    CostComplexity,
    CostComplexityPath,
    cost_complexity_path,
)
from treewright.prune.methods.critical_value import CriticalValue
from treewright.prune.methods.error_based import ErrorBased
from treewright.prune.methods.mdl import MDL
from treewright.prune.methods.minimum_error import MinimumError
from treewright.prune.methods.minimum_fraction import MinimumFraction
from treewright.prune.methods.one_standard_error import OneStandardError
from treewright.prune.methods.pessimistic import Pessimistic
from treewright.prune.methods.reduced_error import ReducedError
from treewright.prune.methods.to_depth import ToDepth

PRUNERS: tuple[type[Pruner], ...] = (
    ReducedError,
    CostComplexity,
    ErrorBased,
    OneStandardError,
    Pessimistic,
    ChiSquare,
    MinimumFraction,
    CriticalValue,
    MinimumError,
    MDL,
    ToDepth,
)
"""Every pruner; the names accepted by ``prune=`` follow from this list."""


def pruner_of(pruner: str | Pruner) -> Pruner:
    """Return the pruner of a name; a pruner is returned unchanged."""
    if isinstance(pruner, Pruner):
        return pruner
    names = [each.name for each in PRUNERS]
    for each in PRUNERS:
        if isinstance(pruner, str) and each.name == pruner:
            return each()
    if isinstance(pruner, type) and issubclass(pruner, Pruner):
        hint = f"\n  Hint: {pruner.__name__}() is one, its class is not."
    else:
        hint = value_hint(pruner, names) or nearest_hint(pruner, names)
    raise ParameterError(
        f"prune={pruner!r} must be a pruner of treewright.prune or one of"
        f" {', '.join(map(repr, names))}.{hint}"
    )


__all__ = [
    "MDL",
    "PRUNERS",
    "ChiSquare",
    "ComplexityTable",
    "CostComplexity",
    "CostComplexityPath",
    "CriticalValue",
    "ErrorBased",
    "MinimumError",
    "MinimumFraction",
    "OneStandardError",
    "Pessimistic",
    "Pruner",
    "ReducedError",
    "ToDepth",
    "complexity_table",
    "cost_complexity_path",
    "pruner_of",
]
