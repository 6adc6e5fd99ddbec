"""Sets of classes that contain the true one with a given probability.

Sadinle, Lei and Wasserman, *Least Ambiguous Set-Valued Classifiers With Bounded Error Levels*, JASA
114, 2019: all classes whose probability reaches a threshold. Sets are as small as can be on
average; one is empty where no class is likely enough.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.array_types import Array, BoolArray, FloatArray
from treewright.certainty.conformal import threshold, thresholds_by
from treewright.certainty.intervals import unknown_label


@dataclass(frozen=True, kw_only=True, eq=False)
class Sets:
    """What is known of a model's probabilities of the true class, for rows it had not seen.

    Parameters
    ----------
    of_truth
        Probability told of the true class, rows x outputs.
    weight
        Weight of each row; None if all are equal.
    source
        Where the rows come from, in words.
    grade
        Which of the model's probabilities they are, where it has several.
    labels
        Labels of the rows by the column that has been asked for.
    """

    of_truth: FloatArray
    weight: FloatArray | None
    source: str
    grade: Any = None
    labels: dict[Any, Array] = field(default_factory=dict)

    def of(
        self,
        probabilities: FloatArray,
        output: int,
        level: float,
        *,
        known_labels: Array | None = None,
        labels: Array | None = None,
    ) -> BoolArray:
        """Return which classes belong to the set of each row, rows x classes."""
        scores = 1.0 - self.of_truth[:, output]
        strange = 1.0 - probabilities
        if known_labels is None or labels is None:
            within: BoolArray = strange <= threshold(scores, self.weight, level)
            return within
        found = thresholds_by(known_labels, scores, self.weight, level)
        for label in dict.fromkeys(labels.tolist()):
            if label not in found:
                raise unknown_label(label, known_labels)
        limit = np.array([found[label] for label in labels.tolist()])
        return np.asarray(strange <= limit[:, np.newaxis])
