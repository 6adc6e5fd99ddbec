"""Compact forests, which keep only what prediction needs."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import clone

_KEPT = (
    "classes_",
    "n_classes_",
    "n_outputs_",
    "n_features_in_",
    "feature_names_in_",
    "n_estimators_",
    "_seed",
    "_calibration",
    "_grade",
    "_intervals",
    "_sets",
)
"""Attributes that prediction (and reading the training data again) needs, besides the trees."""


class Compacts:
    """A forest that can be compacted."""

    _model: Any

    def compact(self) -> Self:
        """Return a forest of the same predictions, bit for bit, that takes less memory.

        It is a new forest; this one is unchanged. ``predict``, ``predict_proba`` and ``apply``
        return the same as before. The training data are dropped, and all of the trees but their
        questions and leaf values: single trees, ``decision_path`` and importances raise a
        :class:`~treewright.errors.CompactError`, and methods that need training data ask for them.

        Returns
        -------
        forest
            A forest of the same class and parameters.

        Notes
        -----
        Leaves of equal values share one entry. Trees that ask about categories, or were grown
        with missing values or fractional weights, are kept whole: only the training data are
        dropped.

        Examples
        --------
        >>> import numpy as np
        >>> from treewright import RandomForestClassifier
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> y = X[:, 0] > X[:, 1]
        >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
        >>> small = forest.compact()
        >>> small.ensemble_.nbytes < forest.ensemble_.nbytes
        True
        >>> bool(np.all(small.predict_proba(X) == forest.predict_proba(X)))
        True
        """
        ensemble = self._model().compacted()
        small: Self = clone(self)
        for name in _KEPT:
            if name in vars(self):
                setattr(small, name, getattr(self, name))
        small.ensemble_ = ensemble  # type: ignore[attr-defined]
        return small
