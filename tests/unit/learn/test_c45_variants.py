"""What sets C4.5's programs apart in growing (docs/decisions/011-c45-variants.md)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treewright import C45Classifier

EXCLUSIVE_OR = pd.DataFrame(
    [(a, b, str(a != b)) for a in "xy" for b in "xy" for _ in range(5)],
    columns=["a", "b", "differ"],
)


@pytest.mark.parametrize(("variant", "n_nodes"), [("release8", 7), ("j48", 1), ("c5", 1)])
def test_release_8_asks_a_nominal_column_that_gains_nothing(variant: str, n_nodes: int) -> None:
    X, y = EXCLUSIVE_OR[["a", "b"]], EXCLUSIVE_OR["differ"]
    assert C45Classifier(variant=variant).fit(X, y).tree_.n_nodes == n_nodes


def test_release_8_asks_no_numeric_column_that_gains_nothing() -> None:
    X = (EXCLUSIVE_OR[["a", "b"]] == "y").astype(float)
    assert C45Classifier().fit(X, EXCLUSIVE_OR["differ"]).tree_.n_nodes == 1


@pytest.mark.parametrize(("single_precision", "threshold"), [(False, 1.18), (True, 1.19)])
def test_a_value_halfway_is_the_threshold_in_single_precision(
    single_precision: bool, threshold: float
) -> None:
    """In doubles 1.19 is above the middle of 1.18 and 1.20, all three rounded to floats."""
    x = np.array([1.18] * 3 + [1.2] * 3 + [1.19] * 3, dtype=np.float32)
    X = pd.DataFrame({"group": ["a"] * 6 + ["b"] * 3, "x": x})
    y = ["low"] * 3 + ["high"] * 3 + ["other"] * 3
    tree = C45Classifier(single_precision=single_precision).fit(X, y).tree_
    (cut,) = np.flatnonzero(tree.arrays.kind == 1)
    assert tree.arrays.threshold[cut] == np.float32(threshold)


@pytest.mark.parametrize(("single_precision", "chosen"), [(False, 0), (True, 1)])
def test_in_single_precision_a_cut_may_beat_the_values_that_part_rows_alike(
    single_precision: bool, chosen: int
) -> None:
    """As in a node of ``adult``: education is nominal, education_num the same in numbers."""
    X = pd.DataFrame(
        {"education": ["school"] * 12 + ["college"] * 2, "education_num": [9.0] * 12 + [10.0] * 2}
    )
    y = ["<=50K"] * 2 + [">50K"] * 10 + ["<=50K"] * 2
    tree = C45Classifier(single_precision=single_precision).fit(X, y).tree_
    assert tree.arrays.column[0] == chosen
