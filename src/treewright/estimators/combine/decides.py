"""How stacks and votes of classifiers decide: by probabilities, and by what mistakes cost."""

from __future__ import annotations

from typing import Any

from sklearn.preprocessing import LabelEncoder

from treewright.array_types import Array
from treewright.estimators.certainty.predicts_sets import PredictsSets
from treewright.estimators.combine.rows import Rows
from treewright.grow.costs import LeafSettings
from treewright.tree.leaf import BY_MAJORITY, LeafRule, decide


class DecidesByProbabilities(PredictsSets):
    """Classifiers together, whose classes and costs are read before any of them is fitted."""

    cost_matrix: Any
    _decides: LeafRule = BY_MAJORITY

    def _learned_classes(self, rows: Rows) -> LabelEncoder:
        """Take over the classes, and how to decide among them; return their codes for others."""
        assert rows.classes is not None
        self._decides = LeafSettings(cost_matrix=self.cost_matrix).rule(rows.class_target())
        self.classes_ = rows.classes
        encoder = LabelEncoder()
        encoder.classes_ = rows.classes
        return encoder

    def _decides_itself(self) -> bool:
        """Return whether the class depends on calibrated probabilities, or on costs."""
        return self._calibration is not None or self._decides.cost_matrix is not None

    def _decided(self, X: Any) -> Array:
        return decide(self.predict_proba(X), (self.classes_,), self._decides)
