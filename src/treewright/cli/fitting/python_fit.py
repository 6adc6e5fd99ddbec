"""The lines of Python that ``fit`` stands for, every assumption written out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from treewright.cli.fitting.certain import asking
from treewright.cli.fitting.judge_learner import method_of
from treewright.cli.fitting.judging_metric import few_metrics
from treewright.cli.fitting.model_table import other_table
from treewright.cli.python_lines import Raw, call, literal, statement
from treewright.cli.session import Session

if TYPE_CHECKING:
    from treewright.cli.algorithms import Choice
    from treewright.cli.data_files import Drawn, LearningTable
    from treewright.cli.fitting.judge_learner import Asked


def fit_lines(
    session: Session,
    choice: Choice,
    table: LearningTable,
    asked: Asked,
    path: str,
    *,
    interval: float | None = None,
) -> str:
    """Return the lines that grow, judge and save the model of a table."""
    name = variable(table.raw.stem)
    lines = [choice.imports, *read_lines(table)]
    method = method_of(table, asked, choice.algorithm)
    made = choice.python(table, oob_score=method == "out of bag")
    X = X_of(table, name)
    rows = (Raw(X), Raw(f"{name}.y"))
    fitted = call(f"{made}.fit", *rows, **row_arguments(table, name, groups=False))
    lines.append(statement(f"model = {fitted}"))
    metrics = None if table.task == "classes" else few_metrics(table)
    judged = []
    if method == "out of bag":
        judged = _out_of_bag_lines(table)
        lines += judged
    elif method != "none":
        judged = judged_lines(session, None, table, asked, method, metrics=metrics)
        judged[-1] = f"check = {judged[-1]}"
        lines += map(statement, judged)
    if interval is not None:
        first = Raw(f"{X}.rows([0])")
        lines.append(statement(call(f"model.{asking(table)}", first, level=interval)))
    tree = choice.algorithm in _TREES
    lines.append("print(model.tree_.text())" if tree else "print(model)")
    kept: dict[str, Any] = {"target": table.target}
    if table.reading is not None:
        kept["reading"] = Raw(f"{name}.reading.to_dict()")
    if judged:
        lines.append("print(check)")
        kept["check"] = Raw("check.to_dict()")
    lines.append(statement(call("tw.save", Raw("model"), path, remember=kept)))
    return "\n".join(lines)


def _out_of_bag_lines(table: LearningTable) -> list[str]:
    """Return the lines that judge a forest by the trees that have not seen a row."""
    name = variable(table.raw.stem)
    weights = row_arguments(table, name, groups=False).get("sample_weight")
    scores = call(
        "tw.evaluate.scores",
        Raw(f"{name}.y[bag.known]"),
        Raw("bag.predictions"),
        task=table.task,
        metrics=few_metrics(table),
        cost_matrix=costs_name(table),
        sample_weight=None if weights is None else Raw(f"{weights}[bag.known]"),
    )
    return ["bag = model.out_of_bag()", statement(f"check = {scores}")]


_TREES = ("tree", "id3", "c45", "cart", "chaid", "m5", "oblique")


_NAMES = (
    "tw",
    "model",
    "check",
    "costs",
    "clone",
    "other",
    "found",
    "rows",
    "replace",
    "numpy",
    "bag",
)
"""Names that the lines give to other things."""


def variable(stem: str) -> str:
    """Return a name for a table that Python accepts.

    >>> variable("2024 loans-final"), variable("class")
    ('t2024_loans_final', 'class_')
    """
    import keyword

    name = re.sub(r"\W+", "_", stem).strip("_") or "table"
    name = f"t{name}" if name[0].isdigit() else name
    is_taken = keyword.iskeyword(name) or name in _NAMES
    return f"{name}_" if is_taken else name


def X_of(table: LearningTable, name: str) -> str:
    """Return the columns to learn from; weights, groups, all of an example are read, too."""
    aside = {table.weight_column, table.group_column} - {None}
    if table.raw.is_example:
        aside |= {*table.ignored, *table.left_out}
    if not aside:
        return f"{name}.X"
    return f"{name}.X.select({literal(list(table.X.columns))})"


def row_arguments(table: LearningTable, name: str, *, groups: bool = True) -> dict[str, Raw]:
    """Return what says the weights and groups of a table's rows, where it has any."""
    given = {}
    if table.weight_column is not None:
        given["sample_weight"] = Raw(f"{name}.X[{literal(table.weight_column)}]")
    elif table.weights is not None:
        given["sample_weight"] = Raw(f"{name}.X.weights")
    if groups and table.group_column is not None:
        given["groups"] = Raw(f"{name}.X[{literal(table.group_column)}]")
    return given


def costs_name(table: LearningTable) -> Raw | None:
    """Return what stands for the costs of answers, where there are any."""
    return None if table.costs is None else Raw("costs")


def read_lines(table: LearningTable) -> list[str]:
    """Return the lines that read a table, and say what answers cost."""
    name = variable(table.raw.stem)
    lines = [statement(f"{name} = {read_call(table)}")]
    if table.raw.taken:
        lines.append("from dataclasses import replace")
    for taken in table.raw.taken:
        lines += _rows_taken(name, taken)
    if table.costs is not None:
        lines.append(statement(f"costs = {literal(table.costs)}"))
    return lines


def _rows_taken(name: str, taken: Drawn | Literal["known"]) -> list[str]:
    """Return the lines that take some rows of a table."""
    if taken == "known":
        lines = [
            f"rows = [i for i, each in enumerate({name}.y)\n"
            "    if each is not None and each == each]"
        ]
    else:
        n_all = Raw(f"len({name}.y)")
        drawn = call(
            f"numpy.random.default_rng({taken.seed}).choice",
            n_all,
            size=taken.n_rows,
            replace=Raw("False"),
        )
        lines = ["import numpy", statement(f"rows = numpy.sort({drawn})")]
    some = call("replace", Raw(name), X=Raw(f"{name}.X.rows(rows)"), y=Raw(f"{name}.y[rows]"))
    return [*lines, statement(f"{name} = {some}")]


def read_call(table: LearningTable) -> str:
    """Return the call that reads a table with its target, what was found written out."""
    if table.raw.is_example:
        return call("tw.load_example", table.raw.stem)
    reading = table.reading
    used = {*table.X.columns, table.target}
    told = {} if reading is None else reading.options()
    return call(
        "tw.read",
        table.raw.source,
        target=table.target,
        ignore=[*table.ignored, *table.left_out],
        **told,
        kinds={each: kind for each, kind in table.raw.kinds.items() if each in used},
    )


def judged_lines(
    session: Session,
    learner: str | None,
    table: LearningTable,
    asked: Asked,
    method: str,
    *,
    metrics: list[str] | None,
) -> list[str]:
    """Return the lines that judge a learner, the last of them an expression.

    Parameters
    ----------
    learner
        What makes it; None: it is called ``model``, and was fitted.
    method
        How to judge, as :func:`~treewright.cli.fitting.judge_learner.method_of` says it.
    """
    name = variable(table.raw.stem)
    X, y = Raw(X_of(table, name)), Raw(f"{name}.y")
    model = Raw(learner or "model")
    found: dict[str, Any] = {"metrics": metrics, "cost_matrix": costs_name(table)}
    if method == "other rows":
        assert asked.test is not None
        other = other_table(session, asked.test, table)
        read = read_call(other)
        columns = literal(list(table.X.columns))
        fit = call(f"{learner}.fit", X, y, **row_arguments(table, name, groups=False))
        fitted = model if learner is None else Raw(fit)
        rows = Raw(f"other.X.select({columns})"), Raw("other.y")
        found |= row_arguments(other, "other")
        return [f"other = {read}", call("tw.evaluate.judge", fitted, *rows, **found)]
    found |= row_arguments(table, name)
    found["random_state"] = asked.seed or None
    if method == "held out":
        share = asked.share
        parts = call("tw.evaluate.holdout", X, y, test=share, task=table.task, **found)
        return [f"{parts}.judge({model})"]
    cv: Any = "leave_one_out" if method == "leave-one-out" else asked.folds
    found |= {"repeats": asked.repeats, "refit": Raw("False")}
    return [call("tw.evaluate.cross_validate", model, X, y, cv=cv, **found)]
