"""Forests that keep only what predicting needs."""

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
)
"""What predicting (and reading the training data again) needs, besides the trees."""


class Compacts:
    """What a forest offers to become small."""

    _model: Any

    def compact(self) -> Self:
        """Return a forest that predicts the same, bit for bit, from less memory.

        It is a forest of its own; this one stays as it is. ``predict``, ``predict_proba`` and
        ``apply`` answer as before. Gone are the training data and all that trees know besides
        their questions and answers: single trees, ``decision_path`` and importances raise a
        :class:`~treewright.errors.CompactError`, and what needs training data asks for them.

        Returns
        -------
        forest
            Of the same class and parameters.

        Notes
        -----
        Leaves that say the same share one answer. Trees that ask about categories, or were grown
        with missing values or fractional weights, are kept whole: they lose nothing but the
        training data.

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
