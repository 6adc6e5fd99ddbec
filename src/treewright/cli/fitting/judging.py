"""How ``fit`` judges what it grew: one rule that counts cells, so that every machine prints alike.

Forests out of bag; under 50 rows leave-one-out; up to 1,000,000 cells 10-fold cross-validation;
larger tables by a fifth of the rows, held back, and then a fit on all.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.cli.fitting.constant import constant_answers
from treewright.cli.fitting.judge_learner import Asked, Judged, fitted, judge_learner, method_of
from treewright.cli.fitting.judging_metric import few_metrics, judging_metric, usual_metrics
from treewright.cli.fitting.model_table import other_table
from treewright.cli.progress import Working
from treewright.cli.session import Session
from treewright.errors import SmallDataWarning

if TYPE_CHECKING:
    from treewright.cli.data_files import LearningTable
    from treewright.evaluate import Interval


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
    how = method_of(table, asked, algorithm)
    # Read first: what is wrong with it is said before the work, not after it.
    other = None if asked.test is None else other_table(session, asked.test, table)
    if how == "out of bag":
        estimator.set_params(oob_score=True)
    with Working(session, "growing"):
        model = fitted(estimator, table)
    if how == "none":
        return model, None
    if how == "out of bag":
        return model, _check(_out_of_bag(model, table))
    metrics = usual_metrics(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallDataWarning)  # said of the whole table, if it is small
        found = judge_learner(
            session, estimator, table, asked, how, metrics=metrics, other=other, model=model
        )
    if found.was_stopped:
        raise KeyboardInterrupt
    return model, _check(found)


def training_figure(model: Any, table: LearningTable) -> float | None:
    """Return the error on the rows that the model was grown from."""
    from treewright import evaluate

    metric = judging_metric(table)
    found = evaluate.judge(
        model,
        table.X,
        table.y,
        metrics=[metric],
        sample_weight=table.weights,
        cost_matrix=table.costs,
    )
    return found[metric].value


def _out_of_bag(model: Any, table: LearningTable) -> Judged:
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
        sample_weight=None if table.weights is None else table.weights[known],
    )
    rows = "" if known.all() else f", {int(known.sum()):,} of {len(known):,} rows"
    whole = found.to_dict()
    found = replace(found, baseline=constant_answers(table, table))
    return Judged(scores=found, method=f"out of bag{rows}", whole=whole)


def _check(judged: Judged) -> Check:
    found = judged.scores
    baseline = found.baseline
    of_classes = found.metric.task == "classes"
    beside = [each for each in found.metrics[1:] if not of_classes or each.name == "error"]
    return Check(
        method=judged.method,
        title=found.metric.title,
        value=found[found.metric.name],
        baseline=None if baseline is None else found.metric.value(baseline),
        baseline_text="" if baseline is None else found.baseline_text,
        beside={each.title: found[each.name] for each in beside},
        whole=judged.whole,
        folds=judged.n_folds,
    )
