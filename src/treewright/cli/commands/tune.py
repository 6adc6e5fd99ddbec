"""``treewright tune``: better parameters, and what they honestly gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.cli.command import DATA, Answer, Command
from treewright.cli.data_files import stem_of
from treewright.cli.fitting.judging import interval_dict, training_figure
from treewright.cli.fitting.judging_metric import few_metrics
from treewright.cli.fitting.learner import choice_of, estimator_of, seed_of, table_of
from treewright.cli.fitting.like import like_of
from treewright.cli.fitting.model_words import description_to_dict
from treewright.cli.options import LEARNER, ROWS, TABLE
from treewright.cli.out_files import OutFile, check_model_name, check_out
from treewright.cli.progress import Working
from treewright.cli.python_lines import Raw, call, statement
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.algorithms import Choice
    from treewright.cli.data_files import LearningTable
    from treewright.evaluate import Tuning


def tune(session: Session, *, data: str, out: str | None, force: bool, **options: Any) -> Answer:
    """Search for better parameters, and save the model that has them."""
    del force  # the session has it
    from treewright import evaluate

    like = like_of(options["like"])
    choice = choice_of(session, options, like)
    path = out or (None if data == "-" else f"{stem_of(data)}.tw")
    if path is not None:
        check_model_name(path, command="tune")
    file = None if path is None else check_out(session, path, inputs=_inputs(data))
    if file is None:
        session.note("not-saved", "from stdin nothing is saved without --out", remedy="--out FILE")
    table = table_of(session, data, options, like)
    estimator = estimator_of(choice, table)
    with Working(session, f"tuning {choice.algorithm}"):
        found = evaluate.tune(
            estimator,
            table.X,
            table.y,
            fixed=_fixed(choice),
            cv=options["folds"] or 5,
            metrics=few_metrics(table),
            cost_matrix=table.costs,
            sample_weight=table.weights,
            groups=table.groups,
            random_state=seed_of(options),
        )
    said = []
    if file is not None and not found.was_stopped:
        import treewright as tw

        remember: dict[str, Any] = {"target": table.target}
        if table.reading is not None:
            remember["reading"] = table.reading.to_dict()
        tw.save(found.model, file.path, remember=remember)
        session.writing = None
        said = [f"{file.said(session.side)}, the tuned model"]
    return Answer(
        text=lambda screen: found.text(),
        result=lambda: _result(found, table, file if said else None),
        said=said,
        stopped=found.was_stopped,
    )


def _fixed(choice: Choice) -> list[str]:
    """Return the parameters of ``--set``: who says them wants them so."""
    return [name for name, _ in choice.settings]


def _inputs(data: str) -> tuple[str, ...]:
    return () if data == "-" or data.startswith("example:") else (data,)


def _result(found: Tuning, table: LearningTable, file: OutFile | None) -> dict[str, Any]:
    from treewright.persist.description import describe

    metric, model = found.metric.name, getattr(found, "model", None)
    tree = getattr(model, "tree_", None)
    check = None
    if found.comparison is not None:
        check = {
            "method": f"{found.n_outer} outer folds, a search of its own in each",
            "folds": found.n_outer,
            "error": interval_dict(found[metric]),
            "verdict": found.verdict,
        }
    return {
        **found.to_dict(),
        "model": None if file is None else description_to_dict(describe(file.path)),
        "file": None if file is None else file.path,
        "replaced": file is not None and file.replaces,
        "tree": None if tree is None else tree.to_dict(),
        "training_error": None if model is None else training_figure(model, table),
        "parameters": {name: _plain(value) for name, value in found.best_parameters.items()},
        "check": check,
        "tried": [
            {
                "parameters": {name: _plain(value) for name, value in each.parameters.items()},
                "score": each.value,
            }
            for each in found.tried
        ],
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def python(session: Session, *, data: str, out: str | None, force: bool, **options: Any) -> str:
    """Return the lines that tune and save the same model."""
    from treewright.cli.fitting.python_fit import (
        X_of,
        costs_name,
        read_lines,
        row_arguments,
        variable,
    )

    like = like_of(options["like"])
    choice = choice_of(session, options, like)
    table = table_of(session, data, options, like)
    name = variable(table.raw.stem)
    found = call(
        "tw.evaluate.tune",
        Raw(choice.python(table)),
        Raw(X_of(table, name)),
        Raw(f"{name}.y"),
        fixed=_fixed(choice),
        cv=options["folds"],
        metrics=few_metrics(table),
        cost_matrix=costs_name(table),
        **row_arguments(table, name),
        random_state=Raw(str(seed_of(options))),
    )
    lines = [
        choice.imports,
        *read_lines(table),
        statement(f"found = {found}"),
        "print(found)",
    ]
    path = out or (None if data == "-" else f"{stem_of(data)}.tw")
    if path is not None:
        remember: dict[str, Any] = {"target": table.target}
        if table.reading is not None:
            remember["reading"] = Raw(f"{name}.reading.to_dict()")
        lines.append(statement(call("tw.save", Raw("found.model"), path, remember=remember)))
    return "\n".join(lines)


COMMAND = Command(
    name="tune",
    sentence=(
        "Search for better parameters of an algorithm, judge them on folds that chose nothing, and"
        " save the model."
    ),
    arguments=(DATA,),
    options=(
        *TABLE,
        *LEARNER,
        "folds",
        *ROWS,
        "out",
        "force",
    ),
    examples=(
        ("treewright tune loans.csv -a c45", "the best C4.5, in loans.tw"),
        ("treewright tune loans.csv -a boosting -o best.tw", "takes minutes"),
        ("treewright tune loans.csv --set max_depth=3", "which stays as it is"),
    ),
    run=tune,
    python=python,
)
