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
        return float(np.mean(table.y))
    from treewright.data.read.target import read_classes
    from treewright.grow.costs import read_costs

    target = read_classes(table.y, owner="the best constant")
    classes = target.classes[0]
    counts = np.bincount(target.codes.ravel(), minlength=len(classes))
    costs = read_costs(table.costs, target)
    return classes[counts.argmax() if costs is None else (counts @ costs).argmin()]


def constant_answers(table: LearningTable, y: Any) -> Answers:
    """Return what the best constant of a table answers about rows, beside the truth."""
    import numpy as np

    from treewright import evaluate

    answers = np.full(len(y), constant_of(table), dtype=y.dtype)
    metric = judging_metric(table)
    found = evaluate.scores(y, answers, task=table.task, metrics=[metric], cost_matrix=table.costs)
    return found.answers
