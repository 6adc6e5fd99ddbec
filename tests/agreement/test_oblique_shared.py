"""Oblique trees beside axis-parallel ones on the shared tables of numbers."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from agreement.shared_tables import entries, needs_shared, read_labelled
from treewright import DecisionTreeClassifier, ObliqueTreeClassifier

TABLES = ("iris", "glass", "diabetes", "vehicle", "heart_statlog", "segment")


@needs_shared
@pytest.mark.parametrize("search", ["oc1", "hhcart", "cart_lc"])
def test_trees_are_smaller_and_on_average_no_worse(search: str) -> None:
    """Five folds; docs/decisions/010 has the figures of more tables and searches."""
    accuracy, n_leaves = [], []
    for name in TABLES:
        labelled = read_labelled(entries()[name])
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(
            np.zeros(len(labelled.y)), labelled.y
        ):
            models = [
                DecisionTreeClassifier(min_samples_leaf=5),
                ObliqueTreeClassifier(min_samples_leaf=5, search=search),
            ]
            for model in models:
                model.fit(labelled.X.rows(train), labelled.y[train])
            X, y = labelled.X.rows(test), labelled.y[test]
            accuracy.append([model.score(X, y) for model in models])
            n_leaves.append([model.get_n_leaves() for model in models])
    alone, oblique = np.mean(accuracy, axis=0)
    assert oblique > alone
    assert np.sum(n_leaves, axis=0)[1] < 0.75 * np.sum(n_leaves, axis=0)[0]
