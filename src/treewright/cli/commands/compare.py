"""``treewright compare``: which learner is better on a table, and could it be chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.cli.algorithms import Choice, parse_learner
from treewright.cli.checks import checked, failed
from treewright.cli.command import DATA, Answer, Argument, Command
from treewright.cli.data_files import LearningTable
from treewright.cli.failure import Failure, usage
from treewright.cli.fitting.judging import interval_dict
from treewright.cli.fitting.judging_metric import judging_metric
from treewright.cli.fitting.learner import estimator_of, seed_of, table_of
from treewright.cli.fitting.like import Like, like_of
from treewright.cli.options import ROWS, TABLE
from treewright.cli.progress import Working
from treewright.cli.python_lines import Raw, call, statement
from treewright.cli.screen.table import Column
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.screen.screen import Screen
    from treewright.evaluate import Comparison


def compare(session: Session, *, data: str, learners: tuple[str, ...], **options: Any) -> Answer:
    """Compare learners on the same folds of a table."""
    from treewright import evaluate

    like = like_of(options["like"])
    choices = _choices(learners, options, like)
    table = table_of(session, data, options, like)
    estimators = {name: estimator_of(each, table) for name, each in choices.items()}
    with Working(session, f"comparing {len(choices)} learners"):
        found = evaluate.compare(
            estimators,
            table.X,
            table.y,
            cv=options["folds"],
            repeats=options["repeats"],
            metrics=judging_metric(table),
            cost_matrix=table.costs,
            sample_weight=table.weights,
            groups=table.groups,
            random_state=seed_of(options),
        )
    checks = checked(_figures(found), at_least=options["at_least"], at_most=options["at_most"])
    return Answer(
        text=lambda screen: _text(found, screen),
        result=lambda: _result(found, choices, table, checks),
        failed=failed(checks),
        stopped=found.was_stopped,
    )


def _parsed(typed: str, options: dict[str, Any]) -> Choice:
    """Return one learner; hints are as it is typed here."""
    try:
        return parse_learner(typed, seed=options["seed"], threads=options["threads"])
    except Failure as failure:
        name = typed.partition(":")[0]
        failure.hint = failure.hint.replace("--set ", f"{name}:").replace("--algorithm ", "")
        raise


def _choices(
    learners: tuple[str, ...], options: dict[str, Any], like: Like | None
) -> dict[str, Choice]:
    """Return the learners by the names they are shown by, that of ``--like`` first."""
    if len(learners) + (like is not None) < 2:
        raise usage(
            "compare needs two learners or more",
            code="few-learners",
            hint="treewright compare DATA tree forest; evaluate DATA is for one",
        )
    parsed = [_parsed(each, options) for each in learners]
    plain = [each.algorithm for each in parsed]
    names = [
        name if plain.count(name) == 1 else text for name, text in zip(plain, learners, strict=True)
    ]
    for name in names:
        if names.count(name) > 1:
            raise usage(f"{name} is there twice", code="same-learner")
    others = dict(zip(names, parsed, strict=True))
    if like is None:
        return others
    seed, threads = options["seed"], options["threads"]
    first = Choice(algorithm=like.algorithm, seed=seed, threads=threads, like=like)
    return {like.path: first, **others}


def _figures(found: Comparison) -> dict[str, Any]:
    """Return the figure of the best learner by the metric's name, and of each as NAME.METRIC."""
    metric = found.metric.name
    made: dict[str, Any] = {}
    for name, result in zip(found.names, found.results, strict=True):
        if result is not None:
            made[f"{name}.{metric}"] = interval_dict(result[metric])
            if name == found.best:
                made[metric] = interval_dict(result[metric])
    return made


def _text(found: Comparison, screen: Screen) -> str:
    seed = "" if found.folds.seed is None else f"; seed {found.folds.seed}"
    method = found.folds.method.removesuffix(", stratified")
    head = f"{method}, the same for every learner; {found.n_rows:,} rows{seed}"
    if found.was_stopped:
        n_done = max((len(each.runs) for each in found.results if each), default=0)
        head += f"\nstopped after {n_done} of {len(found.folds)} folds"
    lines = [screen.table(_columns(found))]
    known = [each for each in found.differences if each is not None]
    if known:
        unit = " in points" if found.metric.is_share else ""
        told = f"differences{unit}: {known[0].test.name}"
        if len(known) > 1:
            told += f", {known[0].method} for {len(known)}"
        lines.append(screen.sentence(told))
        lines.append(screen.sentence(found.verdict))
    lines += [
        screen.sentence(screen.safe(f"{name} failed: {words}"))
        for name, words in found.failures.items()
    ]
    return f"{head}\n\n" + "\n".join(lines)


def _columns(found: Comparison) -> list[Column]:
    """Return the table, best first; leaves go first where it is narrow, then intervals."""
    from treewright.evaluate.column_texts import ColumnTexts
    from treewright.text.numbers import p_values

    order = found.order
    results = [found.results[i] for i in order]
    differences = [found.differences[i] for i in order]
    metric = found.metric
    texts = ColumnTexts.of(metric, [None if r is None else r[metric.name] for r in results])
    beside = order.index(found.reference)
    n_compared = sum(each is not None for each in differences)
    share = f"{100 * found.level:g} %"
    all_of = f" for all {n_compared}" if n_compared > 1 else " of it"
    less = [
        "" if d is None or results[beside] is None else texts.less(place, beside)
        for place, d in enumerate(differences)
    ]
    ranges = [
        ""
        if d is None
        else "no spread"
        if d.interval.low == float("-inf")
        else f"{texts.signed(d.interval.low)} to {texts.signed(d.interval.high)}"
        for d in differences
    ]
    reference = found.names[found.reference]
    values = ["failed" if r is None else t for r, t in zip(results, texts.values, strict=True)]
    bold = ["bold" if found.names[i] == found.best else None for i in order]
    columns = [
        Column("learner", [found.names[i] for i in order], cut=12),
        Column(metric.title, values, right=True, styles=bold),  # type: ignore[arg-type]
        Column(f"{share} interval", texts.ends, right=True, drop=2),
        Column(f"against {reference}", less, right=True),
        Column(f"{share}{all_of}", ranges, right=True, drop=1),
        Column("p", p_values([None if d is None else d.p_value for d in differences]), right=True),
    ]
    leaves = [_leaves(each) for each in results]
    if any(leaves):
        columns.append(Column("leaves", leaves, right=True, drop=3))
    return columns


def _leaves(result: Any) -> str:
    counts = [] if result is None else [run.n_leaves for run in result.done if run.n_leaves]
    return f"{sum(counts) / len(counts):.0f}" if counts else ""


def _result(
    found: Comparison,
    choices: dict[str, Choice],
    table: LearningTable,
    checks: list[dict[str, Any]],
) -> dict[str, Any]:
    made = found.to_dict()
    for each in made["learners"]:
        choice = choices[each["name"]]
        each["algorithm"] = choice.class_name(table.task)
        each["parameters"] = dict(choice.settings)
        each["error"] = each.get("error", each.get(found.metric.name))
    return {**made, "metric": found.metric.name, "rows": found.n_rows, "checks": checks}


def python(session: Session, *, data: str, learners: tuple[str, ...], **options: Any) -> str:
    """Return the lines that compare the same learners."""
    from treewright.cli.fitting.python_fit import (
        X_of,
        costs_name,
        read_lines,
        row_arguments,
        variable,
    )

    like = like_of(options["like"])
    choices = _choices(learners, options, like)
    table = table_of(session, data, options, like)
    name = variable(table.raw.stem)
    made = {each: Raw(choice.python(table)) for each, choice in choices.items()}
    found = call(
        "tw.evaluate.compare",
        made,
        Raw(X_of(table, name)),
        Raw(f"{name}.y"),
        cv=options["folds"],
        repeats=options["repeats"],
        metrics=[judging_metric(table)],
        cost_matrix=costs_name(table),
        **row_arguments(table, name),
        random_state=Raw(str(seed_of(options))),
    )
    return "\n".join(
        [
            next(iter(choices.values())).imports,
            *read_lines(table),
            statement(f"print({found})"),
        ]
    )


COMMAND = Command(
    name="compare",
    sentence="Compare learners on the same folds of a table, and say whether it could be chance.",
    arguments=(
        DATA,
        Argument(name="learners", metavar="LEARNER", takes="algorithm", several=True),
    ),
    options=(
        *TABLE,
        "like",
        "seed",
        "threads",
        "folds",
        "repeats",
        *ROWS,
        "at_least",
        "at_most",
    ),
    examples=(
        ("treewright compare loans.csv tree c45 forest", "against tree"),
        ("treewright compare loans.csv tree boosting:n_estimators=100", "a parameter"),
        ("treewright compare loans.csv c45 cart --repeats 5", "more folds"),
    ),
    run=compare,
    python=python,
    more=(
        "A learner is an algorithm, or A:name=value,name=value with parameters. The first is what"
        " the others are compared with. --at-most NAME.error=X asks it of one learner, error=X of"
        " the best. With --like MODEL the others are compared with a learner like MODEL."
    ),
)
