"""CART pruned by the 1-SE rule against R's rpart, on the same folds."""

from __future__ import annotations

import numpy as np
import pytest

from agreement.shared_tables import entries, figures_of, needs_shared, outcome
from treewright import CARTClassifier
from treewright.prune import CostComplexity


@needs_shared
@pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning")
def test_within_a_point_of_rpart_on_average() -> None:
    # A full tree, pruned by ten-fold cross-validation; which row is in which fold is drawn.
    model = CARTClassifier(
        prune=CostComplexity(rule="1-SE"), min_samples_split=2, min_samples_leaf=1
    )
    apart = []
    for name, entry in entries().items():
        figures = figures_of(name, "r", "rpart 1-SE")
        if entry.is_classification and figures is not None and "accuracy" in figures:
            apart.append(outcome(name, model).accuracy - figures["accuracy"])
    assert len(apart) >= 20
    assert abs(np.mean(apart)) <= 1.0
