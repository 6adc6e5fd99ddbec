"""The scores of rows after each round: rows are coded once for all rounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treewright.array_types import FloatArray
from treewright.boosting.ensemble import BoostedEnsemble
from treewright.data.core_columns import lend
from treewright.data.table import Table


def scores_by_round(
    model: BoostedEnsemble, table: Table, start: FloatArray, *, n_threads: int = 1
) -> Iterator[FloatArray]:
    """Yield the scores after each round, rows x outputs.

    Parameters
    ----------
    model
        The rounds.
    table
        The rows.
    start
        Their scores before the first round.
    n_threads
        Threads to use; the scores are the same for any number.
    """
    core, scores = model.core, np.ascontiguousarray(start)
    rows, width = core.code(lend(table), n_threads), core.n_outputs
    for first in range(0, model.n_rounds * width, width):
        scores = core.add_scores(rows, first, first + width, scores, n_threads)
        yield scores
