"""C5.0 from one end to the other: the oracle's tree, on tables drawn once and for all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from oracle import c5

from treewright import C45Classifier

N_VALUES = (0, 0, 5, 2, 4)


def drawn_columns(seed: int, *, gaps: float) -> tuple[list[c5.Column], np.ndarray, int]:
    """Classes that hang on a number, on groups of values and on chance; some cells are missing."""
    generator = np.random.default_rng(seed)
    n_rows = 120
    x, z = np.round(generator.normal(size=(2, n_rows)) * 8) / 8
    drawn = [x, z, *(generator.integers(0, n, n_rows).astype(float) for n in N_VALUES[2:])]
    n_classes = int(generator.integers(2, 4))
    score = x + 0.7 * (drawn[2] % 2) + 0.5 * (drawn[4] == 1) + 0.8 * generator.normal(size=n_rows)
    edges = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    y = np.digitize(score, edges)
    for index in (0, 2, 4):
        missing = generator.random(n_rows) < gaps
        drawn[index] = np.where(missing, -1.0 if N_VALUES[index] else np.nan, drawn[index])
    columns = [c5.Column(data, n) for data, n in zip(drawn, N_VALUES, strict=True)]
    return columns, y, n_classes


def frame_of(columns: list[c5.Column]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            f"c{index}": pd.Categorical.from_codes(
                column.data.astype(int), [f"v{v}" for v in range(column.n_values)]
            )
            if column.n_values
            else column.data
            for index, column in enumerate(columns)
        }
    )


@pytest.mark.parametrize("nominal", ["multiway", "groups"])
@pytest.mark.parametrize("gaps", [0.0, 0.12])
def test_c5_is_the_oracles(nominal: str, gaps: float) -> None:
    n_regrown = 0
    for seed in range(15):
        columns, y, n_classes = drawn_columns(seed, gaps=gaps)
        expected = c5.C5(columns, y, n_classes, groups=nominal == "groups")
        model = C45Classifier(variant="c5", nominal=nominal).fit(frame_of(columns), y)
        assert model.tree_.n_leaves == len(expected.root.leaves()), seed
        fresh, _, _ = drawn_columns(seed + 1000, gaps=gaps)
        rows = np.column_stack([column.data for column in fresh]).tolist()
        shares = np.array([expected.shares(row) for row in rows])
        np.testing.assert_allclose(model.predict_proba(frame_of(fresh)), shares, atol=1e-9)
        assert model.predict(frame_of(fresh)).tolist() == [expected.predict(row) for row in rows]
        n_regrown += expected.n_regrown
    assert n_regrown > 0
