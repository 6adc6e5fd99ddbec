"""How ``fit`` judges what it grew: one rule that counts cells, so that every machine prints alike.

Forests out of bag; under 50 rows leave-one-out; up to 1,000,000 cells 10-fold cross-validation;
larger tables by a fifth of the rows, held back, and then a fit on all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.cli.fitting.constant import constant_answers
from treewright.cli.fitting.judging_metric import few_metrics, usual_metrics
from treewright.cli.progress import Working
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.data_files import LearningTable
    from treewright.evaluate import Interval, Scores

_FEW_ROWS = 50
_MANY_CELLS = 1_000_000
_OUT_OF_BAG = ("forest", "extra-trees", "bagging")


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


@dataclass(frozen=True, kw_only=True)
class Check:
    """How good a model is on rows that it was not grown from.

    Parameters
    ----------
    method
        How that was found, in words.
    title, value
        The metric that judges, and its figure with its interval.
    baseline, baseline_text
        The figure of the best constant answer, and what it is.
    beside
        Further figures, by title.
    whole
        Everything that :mod:`treewright.evaluate` says of it, for the model's file.
    folds
        How many folds there were.
    """

    method: str
    title: str
    value: Interval
    baseline: float | None
    baseline_text: str
    beside: dict[str, Interval]
    whole: dict[str, Any]
    folds: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it for ``--json`` and for the model's file."""
        return {
            "method": self.method,
            "folds": self.folds,
            "metric": self.title,
            "error": interval_dict(self.value),
            "baseline": self.baseline,
            "beside": {name: interval_dict(each) for name, each in self.beside.items()},
        }


def interval_dict(found: Interval) -> dict[str, Any]:
    """Return a figure with its interval for ``--json``."""
    return {"value": found.value, "low": found.low, "high": found.high, "level": found.level}


def fit_and_judge(
    session: Session, estimator: Any, table: LearningTable, asked: Asked, *, algorithm: str
) -> tuple[Any, Check | None]:
    """Return the model fitted to all rows, and how good it is by the rule or as was asked."""
    from treewright import evaluate

    how = method_of(table, asked, algorithm)
    if how == "out of bag":
        estimator.set_params(oob_score=True)
    with Working(session, "growing"):
        model = _fitted(estimator, table)
    if how == "none":
        return model, None
    if how == "out of bag":
        return model, _out_of_bag(model, table)
    common: dict[str, Any] = {
        "metrics": usual_metrics(table),
        "sample_weight": table.weights,
        "groups": table.groups,
        "cost_matrix": table.costs,
    }
    if how == "other rows":
        assert asked.test is not None
        return model, _on_other_rows(session, model, table, asked.test)
    if how == "held out":
        share = 0.2 if asked.holdout is None else asked.holdout
        with Working(session, f"judging on {share:.0%} of the rows"):
            parts = evaluate.holdout(
                table.X, table.y, test=share, task=table.task, random_state=asked.seed, **common
            )
            found = parts.judge(estimator)
        n_judged = len(parts.test)
        method = f"{n_judged:,} rows held out, drawn by seed {asked.seed}"
        return model, _check(found, method, whole=found.to_dict())
    cv: Any = "leave_one_out" if how == "leave-one-out" else asked.folds or 10
    with Working(session, f"judging, {how}"):
        done = evaluate.cross_validate(
            estimator,
            table.X,
            table.y,
            cv=cv,
            repeats=asked.repeats or 1,
            refit=False,
            random_state=asked.seed,
            **common,
        )
    if done.was_stopped:
        raise KeyboardInterrupt
    times = "" if not asked.repeats or asked.repeats == 1 else f", {asked.repeats} times"
    method = how + times
    return model, _check(done.scores, method, whole=done.to_dict(), folds=len(done.folds))


def _on_other_rows(session: Session, model: Any, table: LearningTable, test: str) -> Check:
    """Return the figures of a model on the rows of another table, read as its own was."""
    from treewright import evaluate
    from treewright.cli.data_files import check_column, read_table
    from treewright.cli.reading.column_roles import target_values

    raw = read_table(session, test, like=table.reading)
    check_column(raw, table.target, "--target")
    y = target_values(raw.frame.column(table.target), table.task)
    for name in table.X.columns:
        check_column(raw, name, "a column of the model:")
    X = raw.frame.select(table.X.columns)
    found = evaluate.judge(model, X, y, metrics=usual_metrics(table), cost_matrix=table.costs)
    method = f"{len(y):,} rows of {test}"
    whole = found.to_dict()
    return _check(replace(found, baseline=constant_answers(table, y)), method, whole=whole)


def _fitted(estimator: Any, table: LearningTable) -> Any:
    """Return a fitted copy of an estimator."""
    from copy import deepcopy

    given: dict[str, Any] = {}
    if table.weights is not None:
        given["sample_weight"] = table.weights
    return deepcopy(estimator).fit(table.X, table.y, **given)


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
    if algorithm in _OUT_OF_BAG and algorithm != "extra-trees":
        return "out of bag"
    if n_rows < _FEW_ROWS:
        return "leave-one-out"
    if n_rows * n_columns > _MANY_CELLS:
        return "held out"
    return "10-fold cross-validation"


def _out_of_bag(model: Any, table: LearningTable) -> Check:
    """Return the figures of the answers that the trees give about rows they were not grown from."""
    from treewright import evaluate

    bag = model.out_of_bag()
    known = bag.known
    found = evaluate.scores(
        table.y[known],
        bag.predictions,
        task=table.task,
        metrics=few_metrics(table),
        cost_matrix=table.costs,
    )
    rows = "" if known.all() else f", {int(known.sum()):,} of {len(known):,} rows"
    whole = found.to_dict()
    found = replace(found, baseline=constant_answers(table, table.y))
    return _check(found, f"out of bag{rows}", whole=whole)


def _check(
    found: Scores,
    method: str,
    *,
    whole: dict[str, Any],
    folds: int | None = None,
) -> Check:
    baseline = found.baseline
    of_classes = found.metric.task == "classes"
    beside = [each for each in found.metrics[1:] if not of_classes or each.name == "error"]
    return Check(
        method=method,
        title=found.metric.title,
        value=found[found.metric.name],
        baseline=None if baseline is None else found.metric.value(baseline),
        baseline_text="" if baseline is None else found.baseline_text,
        beside={each.title: found[each.name] for each in beside},
        whole=whole,
        folds=folds,
    )
