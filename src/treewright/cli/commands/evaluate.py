"""``treewright evaluate``: how good a model is on a table, or a learner by cross-validation."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.cli.checks import bounds_of, checked, failed
from treewright.cli.command import Answer, Argument, Command
from treewright.cli.data_files import HowToRead, LearningTable
from treewright.cli.failure import usage
from treewright.cli.fitting.constant import constant_answers
from treewright.cli.fitting.costs import costs_of_file
from treewright.cli.fitting.judge_learner import asked_of, judge_learner, method_of_folds
from treewright.cli.fitting.judging import interval_dict
from treewright.cli.fitting.judging_metric import few_metrics, judging_metric
from treewright.cli.fitting.learner import choice_of, estimator_of, seed_of, table_of
from treewright.cli.fitting.like import like_of
from treewright.cli.fitting.model_table import known_rows, model_table, other_table, sampled
from treewright.cli.model_files import check_exists, describe_model, is_model, load_model
from treewright.cli.options import LEARNER, OPTIONS, READING, ROWS, TABLE
from treewright.cli.progress import Working
from treewright.cli.python_lines import Raw, call, literal, load_line, statement
from treewright.cli.screen.figures import confusion_on_screen, figures_on_screen
from treewright.cli.screen.words import counted
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.screen.screen import Screen
    from treewright.evaluate import Scores

_OF_LEARNERS = (
    *("like", "algorithm", "settings", "use", "ignore", "task"),
    *("holdout", "test", "folds", "repeats"),
)
_BESIDE = {"classes": ("error", "accuracy"), "numbers": ("rmse", "mae", "r2")}


@dataclass(frozen=True, kw_only=True)
class _Evaluated:
    """What was judged, how, and what came out."""

    title: str
    method: str
    task: str
    shown: list[str]
    n_rows: int
    scores: Scores
    checks: list[dict[str, Any]]
    folds: list[dict[str, Any]] | None = None
    stopped: str = ""


def evaluate(session: Session, *, first: str, second: str | None, **options: Any) -> Answer:
    """Judge a saved model on a table, or a learner by cross-validation."""
    for option, pairs in (("--at-least", "at_least"), ("--at-most", "at_most")):
        bounds_of(options[pairs], option)
    if second is None:
        if _is_model_file(first):
            raise usage(
                f"{first} is a model; the table to judge it on is missing",
                code="no-table",
                hint=f"treewright evaluate {first} DATA",
            )
        judged = _judged(session, first, options)
    else:
        _check_is_for_models(second, options)
        judged = _tested(session, first, second, options)
    return Answer(
        text=lambda screen: _text(judged, screen),
        result=lambda: _result(judged),
        failed=failed(judged.checks),
        stopped=bool(judged.stopped),
    )


def _check_is_for_models(data: str, options: dict[str, Any]) -> None:
    """Refuse options that say how a learner learns, where a saved model is judged as it is."""
    for name in _OF_LEARNERS:
        value, option = options[name], OPTIONS[name].long
        if value is not None and value != ():
            typed = f"{option} {value}" if isinstance(value, str | int | float) else "--help"
            raise usage(
                f"{option} is for a learner; a saved model is judged on all rows as it is",
                code="not-for-models",
                hint=f"treewright evaluate {data} {typed}",
                parameter=option.lstrip("-"),
            )


def _is_model_file(path: str) -> bool:
    if path == "-" or path.startswith("example:"):
        return False
    check_exists(path)
    return is_model(path)


def _tested(session: Session, model: str, data: str, options: dict[str, Any]) -> _Evaluated:
    """Return the figures of a saved model on the rows of a table."""
    from treewright import evaluate as library
    from treewright.persist.file_answers import input_names, schema_of
    from treewright.persist.training_rows import grew

    if not _is_model_file(model) and _is_model_file(data):
        raise usage(
            f"{data} is the model, and stands first",
            code="argument-order",
            hint=f"treewright evaluate {data} {model}",
        )
    described = describe_model(model)
    loaded = load_model(model)
    table = _model_table(session, data, model, loaded, options)
    if grew(described, loaded, table.X, table.y):
        session.warn(
            "training-rows",
            f"these rows grew the model; without the model, evaluate {data} cross-validates",
        )
    inputs = input_names(loaded, schema_of(loaded))
    X = table.X.select([name for name in inputs if name in table.X.columns] or table.X.columns)
    with Working(session, f"judging {model}"):
        found = library.judge(
            loaded,
            X,
            table.y,
            metrics=_metrics(table, options),
            cost_matrix=table.costs,
            sample_weight=table.weights,
            groups=table.groups,
        )
        found = replace(found, baseline=constant_answers(table, table))
    n_rows = len(table.y)
    return _Evaluated(
        title=f"{model} on {data}: {counted(n_rows, 'row')}{_classes(found)}",
        method="test",
        task=table.task,
        shown=few_metrics(table),
        n_rows=n_rows,
        scores=found,
        checks=_checks(found, options),
    )


def _model_table(
    session: Session, data: str, model: str, loaded: Any, options: dict[str, Any]
) -> LearningTable:
    """Return the table to judge a saved model on, with the costs of its answers."""
    how = HowToRead(**{name: options[name] for name in READING})
    typed = {name: options[name] for name in ("target", "weight", "groups")}
    table = known_rows(session, model_table(session, data, model, loaded, how=how, **typed))
    table = sampled(table, options["sample"], seed_of(options))
    if options["cost"] is None:
        return table
    known = list(getattr(loaded, "classes_", ()))
    return replace(table, costs=costs_of_file(options["cost"], table, known=known))


def _judged(session: Session, data: str, options: dict[str, Any]) -> _Evaluated:
    """Return the figures of a learner on rows that it did not learn from."""
    asked = asked_of(options, seed_of(options), data=data)
    like = like_of(options["like"])
    choice = choice_of(session, options, like)
    table = table_of(session, data, options, like)
    estimator = estimator_of(choice, table)
    how = method_of_folds(table, asked)
    metrics = _metrics(table, options)
    other = None if asked.test is None else other_table(session, asked.test, table)
    judged = judge_learner(session, estimator, table, asked, how, metrics=metrics, other=other)
    found, n_rows = judged.scores, len(table.y)
    stopped = ""
    if judged.was_stopped:
        stopped = f"stopped after {len(judged.folds or ())} of {judged.n_folds} folds"
    return _Evaluated(
        title=(
            f"{data}: {counted(n_rows, 'row')}{_classes(found)}; {choice.algorithm},"
            f" {judged.method}"
        ),
        method=judged.method,
        task=table.task,
        shown=few_metrics(table),
        n_rows=n_rows if judged.folds is not None else len(found.answers),
        scores=found,
        checks=_checks(found, options),
        folds=judged.folds,
        stopped=stopped,
    )


def _metrics(table: LearningTable, options: dict[str, Any]) -> list[str]:
    """Return the metrics to find: the usual ones, and those that checks name."""
    from treewright.errors import ParameterError
    from treewright.evaluate.metrics import metric_of

    task = table.task
    usual = ["balanced_accuracy", "auc", "log_loss"] if task == "classes" else []
    found = [judging_metric(table), *_BESIDE[task], *usual]
    typed = [("--at-least", each) for each in options["at_least"]]
    typed += [("--at-most", each) for each in options["at_most"]]
    for option, (name, bound) in typed:
        metric = name.rpartition(".")[0] or name
        try:
            asked = metric_of(metric, task)
        except ParameterError as error:
            first, *rest = str(error).splitlines()
            near = re.search(r"did you mean '(\w+)'", rest[-1] if rest else "")
            words = rest[-1].strip().removeprefix("Hint: ").rstrip(".") if rest else ""
            raise usage(
                first.rstrip("."),
                code="unknown-metric",
                hint=f"{option} {near[1]}={bound}" if near else words,
                parameter=option.lstrip("-"),
            ) from None
        if asked.needs == "costs" and table.costs is None:
            raise usage(
                f"{asked.name} needs what answers cost",
                code="unknown-metric",
                hint="--cost FILE",
                parameter="cost",
            )
        found.append(asked.name)
    return list(dict.fromkeys(found))


def _classes(found: Scores) -> str:
    return f", {len(found.answers.classes)} classes" if found.answers.classes else ""


def _checks(found: Scores, options: dict[str, Any]) -> list[dict[str, Any]]:
    asked = {
        name.rpartition(".")[0] or name for name, _ in (*options["at_least"], *options["at_most"])
    }
    asked |= {name for name, _ in (*options["at_least"], *options["at_most"])}
    figures = {
        each.name: interval_dict(found[each.name]) for each in found.metrics if each.name in asked
    }
    return checked(figures, at_least=options["at_least"], at_most=options["at_most"])


def _text(judged: _Evaluated, screen: Screen) -> str:
    shown = list(judged.shown)
    asked = [each["metric"] for each in judged.checks]
    shown += [each for each in _BESIDE[judged.task] if each in asked and each not in shown]
    parts = [screen.sentence(screen.safe(judged.title))]
    if judged.stopped:
        parts[0] += f"\n{judged.stopped}"
    parts.append(figures_on_screen(judged.scores, judged.checks, screen, shown=shown))
    if judged.task == "classes":
        parts.append(confusion_on_screen(judged.scores.confusion, screen))
    return "\n\n".join(parts)


def _result(judged: _Evaluated) -> dict[str, Any]:
    scores = judged.scores
    made: dict[str, Any] = {
        "method": judged.method,
        "rows": judged.n_rows,
        "metrics": {each.name: interval_dict(scores[each.name]) for each in scores.metrics},
        "baseline": None
        if scores.baseline is None
        else {
            "metric": scores.metric.name,
            "value": scores.metric.value(scores.baseline),
            "answer": scores.baseline_text,
        },
        "confusion": None,
        "per_class": None,
        "folds": judged.folds,
        "checks": judged.checks,
    }
    if judged.task == "classes":
        confusion = scores.confusion
        names = list(confusion.classes)
        made["confusion"] = {"classes": names, "counts": confusion.counts.tolist()}
        made["per_class"] = [
            {
                "class": name,
                "recall": confusion.recall[i],
                "precision": confusion.precision[i],
                "f1": confusion.f1[i],
            }
            for i, name in enumerate(names)
        ]
    return made


def python(session: Session, *, first: str, second: str | None, **options: Any) -> str:
    """Return the lines that find the same figures."""
    from treewright.cli.fitting.python_fit import (
        costs_name,
        judged_lines,
        read_lines,
        row_arguments,
        variable,
    )

    if second is None:
        asked = asked_of(options, seed_of(options), data=first)
        like = like_of(options["like"])
        choice = choice_of(session, options, like)
        table = table_of(session, first, options, like)
        how = method_of_folds(table, asked)
        metrics = list(dict.fromkeys([*few_metrics(table), *_BESIDE[table.task]]))
        learner = choice.python(table)
        lines = judged_lines(session, learner, table, asked, how, metrics=metrics)
        lines[-1] = f"print({lines[-1]})"
        return "\n".join([choice.imports, *read_lines(table), *map(statement, lines)])
    _check_is_for_models(second, options)
    loaded = load_model(first)
    table = _model_table(session, second, first, loaded, options)
    from treewright.persist.file_answers import input_names, schema_of

    name = variable(table.raw.stem)
    inputs = input_names(loaded, schema_of(loaded))
    lines = [load_line(first), *read_lines(table)]
    X = Raw(f"{name}.X.select({literal(list(inputs))})" if inputs else f"{name}.X")
    judged = call(
        "tw.evaluate.judge",
        Raw("model"),
        X,
        Raw(f"{name}.y"),
        metrics=list(dict.fromkeys([*few_metrics(table), *_BESIDE[table.task]])),
        cost_matrix=costs_name(table),
        **row_arguments(table, name),
    )
    return "\n".join([*lines, statement(f"print({judged})")])


COMMAND = Command(
    name="evaluate",
    sentence=(
        "Measure the error of a saved model on a table, or of a learner on rows it has not seen,"
        " with its interval."
    ),
    arguments=(
        Argument(name="first", metavar="[MODEL] DATA", takes="data"),
        Argument(name="second", metavar="", takes="data", required=False),
    ),
    options=(
        *TABLE,
        *LEARNER,
        "folds",
        "repeats",
        "holdout",
        "test",
        *ROWS,
        "at_least",
        "at_most",
    ),
    examples=(
        ("treewright evaluate loans.csv -a c45 --holdout 0.2", "else 10-fold"),
        ("treewright evaluate loans.tw new.csv", "other rows"),
        ("treewright evaluate loans.tw new.csv --at-most error=0.2", "else exit 3"),
    ),
    run=evaluate,
    python=python,
)
