"""A learner judged on rows that it did not learn from: by folds, held back, or another table's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.cli.failure import usage
from treewright.cli.fitting.constant import constant_answers
from treewright.cli.fitting.model_table import other_table
from treewright.cli.progress import Working
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.data_files import LearningTable
    from treewright.evaluate import Scores

_FEW_ROWS = 50
_MANY_CELLS = 1_000_000
_OUT_OF_BAG = ("forest", "bagging")
_SHARE = 0.2
"""So much of a table is held back, where no share was typed."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was typed about judging.

    Parameters
    ----------
    folds, repeats, holdout, test, no_check
        The options of these names.
    seed
        Seed of folds and of rows held back.
    """

    folds: int | None = None
    repeats: int | None = None
    holdout: float | None = None
    test: str | None = None
    no_check: bool = False
    seed: int = 0

    @property
    def share(self) -> float:
        """The share of the rows that is held back."""
        return _SHARE if self.holdout is None else self.holdout


@dataclass(frozen=True, kw_only=True)
class Judged:
    """How good a learner is on rows that it did not learn from.

    Parameters
    ----------
    scores
        The figures, with those of the best constant answer.
    method
        How they were found, in words.
    whole
        Everything that :mod:`treewright.evaluate` says of it, for the model's file.
    folds
        The figures of each fold; None where there were none.
    n_folds
        How many folds there were to be.
    was_stopped
        Whether Ctrl-C left folds out.
    """

    scores: Scores
    method: str
    whole: dict[str, Any]
    folds: list[dict[str, Any]] | None = None
    n_folds: int | None = None
    was_stopped: bool = False


def asked_of(options: Mapping[str, Any], seed: int, *, data: str) -> Asked:
    """Return what was typed about judging; refuse two ways at once."""
    ways = {
        "--test": options["test"],
        "--holdout": options["holdout"],
        "--folds": options["folds"],
        "--repeats": options["repeats"],
        "--no-check": options.get("no_check") or None,
    }
    typed = [option for option, value in ways.items() if value is not None]
    if len(typed) > 1 and typed != ["--folds", "--repeats"]:
        raise usage(
            f"{typed[0]} and {typed[1]} are two ways to judge",
            code="two-ways",
            hint=f"{typed[0]} or {typed[1]}",
            parameter=typed[1].lstrip("-"),
        )
    test = options["test"]
    if test is not None and test == data:
        raise usage(
            f"--test {test} is the table to learn from; its rows say nothing about new ones",
            code="test-is-data",
            hint="--test with another table, or --holdout 0.2",
            parameter="test",
        )
    return Asked(
        folds=options["folds"],
        repeats=options["repeats"],
        holdout=options["holdout"],
        test=test,
        no_check=bool(options.get("no_check")),
        seed=seed,
    )


def method_of(table: LearningTable, asked: Asked, algorithm: str) -> str:
    """Return how to judge; the rule counts cells, not seconds."""
    n_rows, n_columns = table.X.shape
    if asked.no_check:
        return "none"
    if asked.test is not None:
        return "other rows"
    if asked.holdout is not None:
        return "held out"
    if asked.folds is not None or asked.repeats is not None:
        return f"{asked.folds or 10}-fold cross-validation"
    if algorithm in _OUT_OF_BAG:
        return "out of bag"
    if n_rows < _FEW_ROWS:
        return "leave-one-out"
    if n_rows * n_columns > _MANY_CELLS:
        return "held out"
    return "10-fold cross-validation"


def method_of_folds(table: LearningTable, asked: Asked) -> str:
    """Return how to judge where large tables and forests are cross-validated, too."""
    is_free = asked == Asked(seed=asked.seed)
    if is_free and table.X.n_rows >= _FEW_ROWS:
        asked = replace(asked, folds=10)
    return method_of(table, asked, "")


def fitted(estimator: Any, table: LearningTable) -> Any:
    """Return a fitted copy of an estimator."""
    from copy import deepcopy

    given: dict[str, Any] = {}
    if table.weights is not None:
        given["sample_weight"] = table.weights
    return deepcopy(estimator).fit(table.X, table.y, **given)


def judge_learner(
    session: Session,
    estimator: Any,
    table: LearningTable,
    asked: Asked,
    how: str,
    *,
    metrics: list[str] | None,
    other: LearningTable | None = None,
    model: Any = None,
) -> Judged:
    """Return how good a learner is, by the way that :func:`method_of` says.

    Parameters
    ----------
    metrics
        What is found out, the first of all judges; None: what is usual.
    other
        The table of ``--test``, where it was read already.
    model
        The learner fitted to all rows, where there is one already.
    """
    if how == "other rows":
        assert asked.test is not None
        other = other or other_table(session, asked.test, table)
        return _on_other_rows(session, estimator, table, other, metrics=metrics, model=model)
    from treewright import evaluate

    common: dict[str, Any] = {
        "metrics": metrics,
        "sample_weight": table.weights,
        "groups": table.groups,
        "cost_matrix": table.costs,
        "random_state": asked.seed,
    }
    if how == "held out":
        with Working(session, f"judging on {asked.share:.0%} of the rows"):
            parts = evaluate.holdout(table.X, table.y, test=asked.share, task=table.task, **common)
            found = parts.judge(estimator)
        method = f"{len(parts.test):,} rows held out, drawn by seed {asked.seed}"
        return Judged(scores=found, method=method, whole=found.to_dict())
    cv: Any = "leave_one_out" if how == "leave-one-out" else asked.folds or 10
    repeats = asked.repeats or 1
    method = how + ("" if repeats == 1 else f", {repeats} times")
    with Working(session, f"judging, {method}"):
        done = evaluate.cross_validate(
            estimator, table.X, table.y, cv=cv, repeats=repeats, refit=False, **common
        )
    folds = [
        {"fold": i, **{name: each[i] for name, each in done.values.items() if i < len(each)}}
        for i in range(len(done.done))
    ]
    return Judged(
        scores=done.scores,
        method=method,
        whole=done.to_dict(),
        folds=folds,
        n_folds=len(done.folds),
        was_stopped=done.was_stopped,
    )


def _on_other_rows(
    session: Session,
    estimator: Any,
    table: LearningTable,
    other: LearningTable,
    *,
    metrics: list[str] | None,
    model: Any,
) -> Judged:
    """Return the figures of a learner, fitted to a table, on the rows of another."""
    from treewright import evaluate

    if model is None:
        with Working(session, "growing"):
            model = fitted(estimator, table)
    found = evaluate.judge(
        model,
        other.X,
        other.y,
        metrics=metrics,
        sample_weight=other.weights,
        cost_matrix=table.costs,
    )
    # What is kept in a file has no constant: the model's own table has to be there to know it.
    whole = found.to_dict()
    found = replace(found, baseline=constant_answers(table, other))
    method = f"{len(other.y):,} rows of {other.raw.source}"
    return Judged(scores=found, method=method, whole=whole)
