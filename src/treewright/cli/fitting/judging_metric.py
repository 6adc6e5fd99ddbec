"""What judges a learner: one figure first, and what is shown beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright.cli.data_files import LearningTable


def judging_metric(table: LearningTable) -> str:
    """Return what judges: the mean cost where answers have costs, else the error."""
    if table.task == "numbers":
        return "rmse"
    return "error" if table.costs is None else "mean_cost"


def few_metrics(table: LearningTable) -> list[str]:
    """Return what judges and what is shown beside it."""
    if table.task == "numbers":
        return ["rmse", "mae", "r2"]
    return list(dict.fromkeys([judging_metric(table), "error"]))


def usual_metrics(table: LearningTable) -> list[str] | None:
    """Return all that is found out; None: what is usual for classes, costs first."""
    return None if table.task == "classes" else few_metrics(table)
