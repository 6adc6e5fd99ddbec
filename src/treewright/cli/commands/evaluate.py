"""``treewright evaluate``: how good a model is on a table, or a learner by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.cli.checks import bounds_of, checked, failed
from treewright.cli.command import Answer, Argument, Command
from treewright.cli.data_files import HowToRead, LearningTable
from treewright.cli.failure import Failure, usage
from treewright.cli.fitting.constant import constant_answers
from treewright.cli.fitting.costs import costs_of_file
from treewright.cli.fitting.judging import interval_dict
from treewright.cli.fitting.judging_metric import few_metrics, judging_metric
from treewright.cli.fitting.learner import choice_of, estimator_of, seed_of, table_of
from treewright.cli.fitting.like import like_of
from treewright.cli.fitting.model_table import model_table
from treewright.cli.model_files import check_exists, describe_model, is_model, load_model
from treewright.cli.options import READING
from treewright.cli.progress import Working
from treewright.cli.python_lines import Raw, call, literal, load_line, statement
from treewright.cli.screen.figures import confusion_on_screen, figures_on_screen
from treewright.cli.screen.words import counted
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.screen.screen import Screen
    from treewright.evaluate import Scores

_FEW_ROWS = 50
_BESIDE = {"classes": ("error", "accuracy"), "numbers": ("rmse", "mae", "r2")}


@dataclass(frozen=True, kw_only=True)
class _Judged:
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
        judged = _cross_validated(session, first, options)
    else:
        judged = _tested(session, first, second, options)
    return Answer(
        text=lambda screen: _text(judged, screen),
        result=lambda: _result(judged),
        failed=failed(judged.checks),
    )


def _is_model_file(path: str) -> bool:
    if path == "-" or path.startswith("example:"):
        return False
    check_exists(path)
    return is_model(path)


def _tested(session: Session, model: str, data: str, options: dict[str, Any]) -> _Judged:
    """Return the figures of a saved model on the rows of a table."""
    from treewright import evaluate as library
    from treewright.persist.file_answers import input_names, schema_of
    from treewright.persist.training_rows import grew

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
        )
        found = replace(found, baseline=constant_answers(table, table.y))
    n_rows = len(table.y)
    return _Judged(
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
    table = model_table(session, data, model, loaded, how=how, target=options["target"])
    table = _known_rows(session, table)
    if options["cost"] is None:
        return table
    known = list(getattr(loaded, "classes_", ()))
    return replace(table, costs=costs_of_file(options["cost"], table, known=known))


def _known_rows(session: Session, table: LearningTable) -> LearningTable:
    """Return the rows whose target is known; what is left out is told."""
    import numpy as np

    missing = table.raw.frame.column(table.target).missing
    if not missing.any():
        return table
    if missing.all():
        raise Failure(
            code="no-target",
            message=f"{table.raw.source}: the target {table.target!r} is missing in every row",
            hint="predict answers rows whose target is not known",
            file=table.raw.source,
            column=table.target,
        )
    n_left_out = int(missing.sum())
    session.note(
        "target-missing",
        f"{counted(n_left_out, 'row')} without {table.target!r} left out",
        column=table.target,
    )
    rows = np.flatnonzero(~missing)
    return replace(table, X=table.X.rows(rows), y=table.y[rows])


def _cross_validated(session: Session, data: str, options: dict[str, Any]) -> _Judged:
    """Return the figures of a learner on folds of a table."""
    from treewright import evaluate as library

    like = like_of(options["like"])
    choice = choice_of(session, options, like)
    table = table_of(session, data, options, like)
    estimator = estimator_of(choice, table)
    table = _known_rows(session, table)
    cv, method = _folds(table, options)
    with Working(session, f"judging, {method}"):
        done = library.cross_validate(
            estimator,
            table.X,
            table.y,
            cv=cv,
            repeats=options["repeats"] or 1,
            metrics=_metrics(table, options),
            cost_matrix=table.costs,
            sample_weight=table.weights,
            groups=table.groups,
            refit=False,
            random_state=seed_of(options),
        )
    stopped = ""
    if done.was_stopped:
        stopped = f"stopped after {len(done.runs)} of {len(done.folds)} folds"
    n_rows = len(table.y)
    values = done.values
    folds = [
        {"fold": i, **{name: each[i] for name, each in values.items() if i < len(each)}}
        for i in range(len(done.done))
    ]
    return _Judged(
        title=(
            f"{data}: {counted(n_rows, 'row')}{_classes(done.scores)}; {choice.algorithm}, {method}"
        ),
        method=method,
        task=table.task,
        shown=few_metrics(table),
        n_rows=n_rows,
        scores=done.scores,
        checks=_checks(done.scores, options),
        folds=folds,
        stopped=stopped,
    )


def _folds(table: LearningTable, options: dict[str, Any]) -> tuple[Any, str]:
    n_folds, repeats = options["folds"], options["repeats"]
    if n_folds is None and repeats is None and table.X.n_rows < _FEW_ROWS:
        return "leave_one_out", "leave-one-out"
    times = "" if not repeats or repeats == 1 else f", {repeats} times"
    return n_folds or 10, f"{n_folds or 10}-fold cross-validation{times}"


def _metrics(table: LearningTable, options: dict[str, Any]) -> list[str]:
    """Return the metrics to find: the usual ones, and those that checks name."""
    from treewright.errors import ParameterError
    from treewright.evaluate.metrics import metric_of

    task = table.task
    usual = ["balanced_accuracy", "auc", "log_loss"] if task == "classes" else []
    found = [judging_metric(table), *_BESIDE[task], *usual]
    for name, _ in (*options["at_least"], *options["at_most"]):
        metric = name.rpartition(".")[0] or name
        try:
            asked = metric_of(metric, task)
        except ParameterError as error:
            words = str(error).splitlines()
            raise usage(
                words[0].rstrip("."),
                code="unknown-metric",
                hint=words[-1].strip().removeprefix("Hint: ").rstrip("."),
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


def _text(judged: _Judged, screen: Screen) -> str:
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


def _result(judged: _Judged) -> dict[str, Any]:
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
    from treewright.cli.fitting.python_fit import X_of, costs_name, read_lines, variable

    if second is None:
        like = like_of(options["like"])
        choice = choice_of(session, options, like)
        table = table_of(session, first, options, like)
        lines = [choice.imports, *read_lines(table)]
        name = variable(table.raw.stem)
        cv, _ = _folds(table, options)
        judged = call(
            "tw.evaluate.cross_validate",
            Raw(choice.python(table)),
            Raw(X_of(table, name)),
            Raw(f"{name}.y"),
            cv=None if cv == 10 else cv,
            repeats=options["repeats"],
            metrics=list(dict.fromkeys([*few_metrics(table), *_BESIDE[table.task]])),
            cost_matrix=costs_name(table),
            refit=Raw("False"),
            random_state=Raw(str(seed_of(options))),
        )
        return "\n".join([*lines, statement(f"print({judged})")])
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
    )
    return "\n".join([*lines, statement(f"print({judged})")])


COMMAND = Command(
    name="evaluate",
    sentence=(
        "Measure the error of a saved model on a table, or of a learner by cross-validation, with"
        " its interval."
    ),
    arguments=(
        Argument(name="first", metavar="[MODEL] DATA", takes="data"),
        Argument(name="second", metavar="DATA", takes="data", required=False),
    ),
    options=(
        "target",
        "ignore",
        "use",
        "task",
        *READING,
        "sample",
        "algorithm",
        "settings",
        "like",
        "seed",
        "threads",
        "folds",
        "repeats",
        "groups",
        "weight",
        "cost",
        "at_least",
        "at_most",
    ),
    examples=(
        ("treewright evaluate loans.csv -a c45", "10-fold"),
        ("treewright evaluate loans.tw new.csv", "other rows"),
        ("treewright evaluate loans.tw new.csv --at-most error=0.2", "else exit 3"),
    ),
    run=evaluate,
    python=python,
)
