"""``treewright fit``: grow a model from a table, measure its error, save it."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli.command import DATA, Answer, Command
from treewright.cli.data_files import LearningTable
from treewright.cli.failure import Failure
from treewright.cli.fitting.certain import learn_certainty
from treewright.cli.fitting.judge_learner import asked_of
from treewright.cli.fitting.judging import Check, fit_and_judge, training_figure
from treewright.cli.fitting.judging_metric import judging_metric
from treewright.cli.fitting.learner import choice_of, estimator_of, seed_of, table_of
from treewright.cli.fitting.like import like_of
from treewright.cli.fitting.model_words import (
    check_lines,
    description_to_dict,
    size_in_words,
    unanswered_in_words,
)
from treewright.cli.options import LEARNER, ROWS, TABLE
from treewright.cli.out_files import OutFile, check_model_name, check_out
from treewright.cli.reading.file_faults import check_is_table
from treewright.cli.screen.figures import lines_on_screen
from treewright.cli.screen.table import display_width
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.screen.screen import Screen


@dataclass(frozen=True, kw_only=True)
class _Grown:
    """A model that was grown, and what is said of it."""

    model: Any
    table: LearningTable
    check: Check | None
    training: float | None


def fit(
    session: Session,
    *,
    data: str,
    steps: bool,
    interval: float | None,
    out: str | None,
    **options: Any,
) -> Answer:
    """Grow a model from a table, judge it, and save it."""
    asked = asked_of(options, seed_of(options), data=data)
    like = like_of(options["like"])
    choice = choice_of(session, options, like)
    check_is_table(data)
    file = _out_file(session, data, out)
    table = table_of(session, data, options, like)
    estimator = estimator_of(choice, table)
    _check_target(table)
    session.tell_notes(blank=not session.quiet)
    if steps and not session.json:
        from treewright.cli.fitting.steps import show_steps

        stopped = show_steps(session, estimator, table)
        if stopped is not None:
            session.writing = None
            said = [f"stopped after step {stopped}; nothing saved"]
            return Answer(text=None, result=lambda: {"stopped_after": stopped}, said=said)
    model, check = fit_and_judge(session, estimator, table, asked, algorithm=choice.algorithm)
    if interval is not None:
        learn_certainty(session, model, table, interval)
    grown = _Grown(model=model, table=table, check=check, training=training_figure(model, table))
    said = _save(session, grown, file)
    return Answer(
        text=lambda screen: _text(grown, screen),
        result=lambda: _result(grown, file),
        said=said,
        is_screen=True,
    )


def _out_file(session: Session, data: str, out: str | None) -> OutFile | None:
    """Return where the model goes; checked before anything is read."""
    if out is None:
        if data == "-" or Path(data).is_fifo():
            message = f"from {'stdin' if data == '-' else 'a pipe'} nothing is saved without --out"
            session.note("not-saved", message, remedy="--out FILE")
            return None
        from treewright.cli.data_files import stem_of

        out = f"{stem_of(data)}.tw"
    inputs = () if data == "-" or data.startswith("example:") else (data,)
    file = check_out(session, out, inputs=inputs)
    check_model_name(out, command="fit")
    return file


def _check_target(table: LearningTable) -> None:
    """Refuse a target that has one value only."""
    if table.task == "numbers":
        return
    values = {each for each in table.y.tolist() if each is not None}
    if len(values) == 1:
        raise Failure(
            code="one-class",
            message=(
                f"the target {table.target!r} has one value in"
                f" {'its only row' if len(table.y) == 1 else f'all {len(table.y):,} rows'}:"
                f" {values.pop()}"
            ),
            hint=(f"--target with another column; treewright info {table.raw.source} lists them"),
            file=table.raw.source,
            column=table.target,
        )


def remembered(table: LearningTable, check: Check | None) -> dict[str, Any]:
    """Return what a model's file keeps beside it: target, way of reading, error."""
    kept: dict[str, Any] = {"target": table.target}
    reading = table.reading
    if reading is not None:
        kept["reading"] = reading.to_dict()
    if check is not None:
        kept["check"] = check.whole
    return kept


def _save(session: Session, grown: _Grown, file: OutFile | None) -> list[str]:
    import treewright as tw

    if file is None:
        return []
    tw.save(grown.model, file.path, remember=remembered(grown.table, grown.check))
    session.writing = None
    screen = session.side
    name = screen.safe(file.path)
    nexts = ("why", "rules") if hasattr(grown.model, "tree_") else ("info", "predict")
    typed = name if re.fullmatch(r"[^\s'\"$`&|<>()*;\\]+", name) else shlex.quote(name)
    told = f"next: {', '.join(f'treewright {each} {typed}' for each in nexts)}"
    shown = f"{file.word} {name} {screen.dot} {told}"
    if screen.width is None or display_width(shown) <= screen.width:
        return [f"{file.said(screen)} {screen.dot} {screen.dim(told)}"]
    return [file.said(screen), *(screen.dim(line) for line in screen.sentence(told).splitlines())]


def _text(grown: _Grown, screen: Screen) -> str:
    from treewright.cli.screen.trees import tree_on_screen
    from treewright.evaluate.metrics import metric_of

    parts = []
    tree = getattr(grown.model, "tree_", None)
    if tree is not None:
        parts.append(tree_on_screen(tree, screen, whole=False))
    lines = [screen.sentence(size_in_words(grown.model))]
    if tree is not None and grown.table.task == "classes":
        lines.append(screen.sentence(unanswered_in_words(tree, grown.table.y.tolist())))
    metric = metric_of(judging_metric(grown.table), grown.table.task)
    rows = check_lines(grown.check, grown.training, metric)
    lines.append(lines_on_screen(rows, screen, answers=grown.check is not None))
    return "\n\n".join([*parts, "\n".join(line for line in lines if line)])


def _result(grown: _Grown, file: OutFile | None) -> dict[str, Any]:
    from treewright.persist.description import describe

    tree = getattr(grown.model, "tree_", None)
    described = None if file is None else description_to_dict(describe(file.path))
    return {
        "model": described,
        "file": None if file is None else file.path,
        "replaced": file is not None and file.replaces,
        "tree": None if tree is None else tree.to_dict(),
        "check": None if grown.check is None else grown.check.to_dict(),
        "training_error": grown.training,
    }


def python(
    session: Session,
    *,
    data: str,
    steps: bool,
    interval: float | None,
    out: str | None,
    **options: Any,
) -> str:
    """Return the lines that grow, judge and save the same model."""
    from treewright.cli.fitting.python_fit import fit_lines

    asked = asked_of(options, seed_of(options), data=data)
    like = like_of(options["like"])
    choice = choice_of(session, options, like)
    table = table_of(session, data, options, like)
    path = out or f"{table.raw.stem}.tw"
    return fit_lines(session, choice, table, asked, path, interval=interval)


COMMAND = Command(
    name="fit",
    sentence="Grow a model from a table, measure its error on rows it has not seen, and save it.",
    arguments=(DATA,),
    options=(
        *TABLE,
        *LEARNER,
        "steps",
        "folds",
        "repeats",
        "holdout",
        "test",
        *ROWS,
        "no_check",
        "interval",
        "out",
        "force",
    ),
    examples=(
        ("treewright fit loans.csv", "a tree and its error"),
        ("treewright fit loans.csv -t outcome -a forest", "a forest, out of bag"),
        ("treewright fit example:play_tennis -a id3 --steps", "how ID3 grows"),
    ),
    run=fit,
    python=python,
    more=(
        "With --interval SHARE the model learns how sure it is, by ten models of nine tenths of the"
        " rows (forests: out of bag); predict --interval then needs no rows.\n\n"
        "Judged by itself: forests out of bag; under 50 rows leave-one-out; up to 1,000,000 cells"
        " 10-fold cross-validation; larger tables by 20 % of the rows, held back, and then a fit on"
        " all."
    ),
)
