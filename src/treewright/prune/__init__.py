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

from collections.abc import Mapping
from dataclasses import fields

from treewright.errors import ParameterError, UnknownParameterError
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


def pruner_of(pruner: str | Pruner, **settings: object) -> Pruner:
    """Return the pruner of a name, with its settings; a pruner is returned unchanged."""
    if isinstance(pruner, Pruner):
        if settings:
            given = ", ".join(f"{each}={value!r}" for each, value in settings.items())
            raise ParameterError(
                f"{given} beside a pruner: settings go with a name.\n"
                f"  Hint: prune({pruner.name!r}, {given})."
            )
        return pruner
    names = [each.name for each in PRUNERS]
    for each in PRUNERS:
        if isinstance(pruner, str) and each.name == pruner:
            _check_settings(each, settings)
            return each(**settings)
    if isinstance(pruner, type) and issubclass(pruner, Pruner):
        hint = f"\n  Hint: {pruner.__name__}() is one, its class is not."
    else:
        hint = value_hint(pruner, names) or nearest_hint(pruner, names)
    raise ParameterError(
        f"prune={pruner!r} must be a pruner of treewright.prune or one of"
        f" {', '.join(map(repr, names))}.{hint}"
    )


def _check_settings(pruner: type[Pruner], settings: Mapping[str, object]) -> None:
    """Refuse a setting that a pruner does not have."""
    known = [each.name for each in fields(pruner)]
    for each in settings:
        if each not in known:
            told = f"Settings: {', '.join(known)}" if known else "It has no settings"
            raise UnknownParameterError(
                f"{pruner.name!r} has no setting {each!r}.\n  {told}.{nearest_hint(each, known)}"
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
