"""``fit --interval``: how sure a model is, learned while its rows are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.cli.failure import Failure
from treewright.cli.progress import Working
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.data_files import LearningTable


def learn_certainty(session: Session, model: Any, table: LearningTable, share: float) -> None:
    """Let a model learn what its answers about unseen rows are off by; it keeps that."""
    asked = getattr(model, asking(table), None)
    if asked is None:
        raise Failure(
            code="no-interval",
            message=f"{type(model).__name__} does not say how sure it is",
            hint="without --interval",
            parameter="interval",
        )
    with Working(session, "learning how sure it is"):
        asked(table.X.rows([0]), level=share)


def asking(table: LearningTable) -> str:
    """Return the method that asks a model how sure it is: for a set of classes, or an interval."""
    return "predict_set" if table.task == "classes" else "predict_interval"
