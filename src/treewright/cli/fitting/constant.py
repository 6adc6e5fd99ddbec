"""The best answer that is the same for every row: what a model has to be better than."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.cli.fitting.judging_metric import judging_metric

if TYPE_CHECKING:
    from treewright.cli.data_files import LearningTable
    from treewright.evaluate.trial.answers import Answers


def constant_of(table: LearningTable) -> Any:
    """Return the mean, the most frequent class, or the class of least cost in a table's rows."""
    import numpy as np

    if table.task == "numbers":
        return float(np.average(table.y, weights=table.weights))
    from treewright.data.read.target import read_classes
    from treewright.grow.costs import read_costs

    target = read_classes(table.y, owner="the best constant")
    classes = target.classes[0]
    counts = np.bincount(target.codes.ravel(), table.weights, minlength=len(classes))
    costs = read_costs(table.costs, target)
    return classes[counts.argmax() if costs is None else (counts @ costs).argmin()]


def constant_answers(table: LearningTable, rows: LearningTable) -> Answers:
    """Return what the best constant of a table answers about the rows of one, beside the truth."""
    import numpy as np

    from treewright import evaluate

    y = rows.y
    found = evaluate.scores(
        y,
        np.full(len(y), constant_of(table), dtype=y.dtype),
        task=table.task,
        metrics=[judging_metric(table)],
        cost_matrix=table.costs,
        sample_weight=rows.weights,
    )
    return found.answers
