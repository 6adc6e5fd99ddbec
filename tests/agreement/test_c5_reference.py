"""C5.0 (R's C50 0.2.0) on its own folds: accuracy, and leaves on average over the folds.

R's package groups the values of nominal columns and knows only the classes that occur. Means of
leaves are stored to four digits. ``docs/decisions/011-c45-variants.md`` says what is reproduced.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreement.shared_tables import (
    _in_single_precision,
    declared_table,
    entries,
    figures_of,
    folds,
    needs_shared,
)
from treewright import C45Classifier

pytestmark = [
    needs_shared,
    pytest.mark.filterwarnings("ignore::treewright.errors.IdentifierWarning"),
]

LARGE = {"letter", "waveform", "segment"}


def ran(name: str) -> bool:
    figures = figures_of(name, "r", "C5.0")
    return entries()[name].is_classification and figures is not None and "accuracy" in figures


TABLES = [name for name in entries() if ran(name)]


def scores(name: str, **parameters: Any) -> tuple[float, float]:
    """Accuracy over the folds, in percent, and leaves on average."""
    table, fold = declared_table(name), folds(name)
    X, classes = _in_single_precision(table.X), np.unique(table.y)
    held = [fold == 1] if fold.max() == 1 else [fold == k for k in range(fold.max() + 1)]
    n_right, n_leaves = 0, []
    for tested in held:
        train, test = np.flatnonzero(~tested), np.flatnonzero(tested)
        y = pd.Series(pd.Categorical(table.y[train], categories=classes))
        model = C45Classifier(variant="c5", nominal="groups", schema=table.schema, **parameters)
        model.fit(X.rows(train), y)
        n_right += int((model.predict(X.rows(test)) == table.y[test]).sum())
        n_leaves.append(model.tree_.n_leaves)
    return 100 * n_right / sum(tested.sum() for tested in held), float(np.mean(n_leaves))


def is_equal(found: tuple[float, float], name: str) -> bool:
    figures = figures_of(name, "r", "C5.0")
    assert figures is not None
    same_size = float(f"{found[1]:.4g}") == pytest.approx(figures["leaves_mean_folds"])
    return same_size and found[0] == pytest.approx(figures["accuracy"], abs=0.0101)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in TABLES],
)
def test_as_accurate_and_as_large_as_c5(name: str) -> None:
    found = scores(name, single_precision=True)
    assert is_equal(found, name), (found, figures_of(name, "r", "C5.0"))


def test_all_tables_that_c5_ran_on_are_compared() -> None:
    assert len(TABLES) == 35


@pytest.mark.slow
def test_in_doubles_most_tables_are_equal_and_the_others_nearly() -> None:
    found = {name: scores(name) for name in TABLES}
    apart = []
    for name, (accuracy, _) in found.items():
        figures = figures_of(name, "r", "C5.0")
        assert figures is not None
        apart.append(abs(accuracy - figures["accuracy"]))
    assert sum(is_equal(each, name) for name, each in found.items()) >= 32
    assert np.mean(apart) < 0.011
    assert max(apart) < 0.34
