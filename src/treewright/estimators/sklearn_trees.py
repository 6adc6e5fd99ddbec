"""Trees that scikit-learn's functions for trees accept: ``plot_tree``, ``export_text`` and others.

These functions check by ``isinstance`` that they are given a ``DecisionTreeClassifier`` or
``DecisionTreeRegressor`` of scikit-learn. Both are abstract base classes, so that ours can be
registered as virtual subclasses of them, once ``sklearn.tree`` has been imported. Treewright does
not import it, as that takes a hundred times as long as a small fit (0.2 s against 2 ms), and a user
may import it at any time, after the fit as well. So the classes are registered when somebody calls
``isinstance``, which begins by asking the object for its ``__class__``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from treewright.array_types import Array, FloatArray
from treewright.dependence.recursion import partial_dependence
from treewright.tree.tree import Tree


class SklearnTree:
    """A tree that counts as one of scikit-learn's; its ``tree_`` has the names they read."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        _register()
        return type(self)


class SklearnTreeClassifier(SklearnTree):
    """A tree that counts as scikit-learn's ``DecisionTreeClassifier``."""


class SklearnTreeRegressor(SklearnTree):
    """A tree that counts as scikit-learn's ``DecisionTreeRegressor``."""

    tree_: Tree

    def _compute_partial_dependence_recursion(
        self, grid: Array, target_features: Sequence[int]
    ) -> FloatArray:
        """Return the partial dependence, as ``sklearn.inspection`` asks regression trees for it."""
        answers = partial_dependence(self.tree_, list(target_features), grid)
        return answers[:, 0] if answers.shape[1] == 1 else answers.T


_OURS: dict[str, type] = {
    "DecisionTreeClassifier": SklearnTreeClassifier,
    "DecisionTreeRegressor": SklearnTreeRegressor,
}
_registered: list[Any] = []


def _register() -> None:
    """Register our trees with scikit-learn's, if these have been imported."""
    theirs: Any = sys.modules.get("sklearn.tree")
    if theirs is None or theirs in _registered:
        return
    if all(hasattr(theirs, name) for name in _OURS):  # else it is being imported just now
        for name, ours in _OURS.items():
            getattr(theirs, name).register(ours)
        _registered.append(theirs)
