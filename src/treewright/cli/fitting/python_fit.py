"""The lines of Python that ``fit`` stands for, every assumption written out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from treewright.cli.fitting.judging import method_of
from treewright.cli.python_lines import Raw, call, literal, statement

if TYPE_CHECKING:
    from treewright.cli.algorithms import Choice
    from treewright.cli.data_files import LearningTable
    from treewright.cli.fitting.judging import Asked


def fit_lines(choice: Choice, table: LearningTable, asked: Asked, path: str) -> str:
    """Return the lines that grow, judge and save the model of a table."""
    name = variable(table.raw.stem)
    lines = [choice.imports, *read_lines(table)]
    method = method_of(table, asked, choice.algorithm)
    made = choice.python(table, oob_score=method == "out of bag")
    X = X_of(table, name)
    lines.append(statement(f"model = {made}.fit({X}, {name}.y)"))
    judged = _judged(method, [X, f"{name}.y"], table, asked)
    if judged:
        lines.append(statement(f"check = {judged}"))
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


_TREES = ("tree", "id3", "c45", "cart", "chaid", "m5", "oblique")


def variable(stem: str) -> str:
    """Return a name for a table that Python accepts.

    >>> variable("2024 loans-final"), variable("class")
    ('t2024_loans_final', 'class_')
    """
    import keyword

    name = re.sub(r"\W+", "_", stem).strip("_") or "table"
    name = f"t{name}" if name[0].isdigit() else name
    return (
        f"{name}_" if keyword.iskeyword(name) or name in ("tw", "model", "check", "costs") else name
    )


def X_of(table: LearningTable, name: str) -> str:
    """Return the columns to learn from; an example is read with all of them."""
    left = {*table.ignored, *table.left_out}
    if not table.raw.is_example or not left:
        return f"{name}.X"
    return f"{name}.X.select({literal(list(table.X.columns))})"


def costs_name(table: LearningTable) -> Raw | None:
    """Return what stands for the costs of answers, where there are any."""
    return None if table.costs is None else Raw("costs")


def read_lines(table: LearningTable) -> list[str]:
    """Return the lines that read a table, and say what answers cost."""
    lines = [statement(f"{variable(table.raw.stem)} = {read_call(table)}")]
    if table.costs is not None:
        lines.append(statement(f"costs = {literal(table.costs)}"))
    return lines


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


def _judged(method: str, rows: list[str], table: LearningTable, asked: Asked) -> str:
    metrics = None if table.task == "classes" else ["rmse", "mae", "r2"]
    if method == "none":
        return ""
    if method == "out of bag":
        return ""
    if method == "other rows":
        assert asked.test is not None
        other = call("tw.read", asked.test, target=table.target)
        return f"(lambda other: tw.evaluate.judge(model, other.X, other.y))({other})"
    if method == "held out":
        parts = call(
            "tw.evaluate.holdout",
            *map(Raw, rows),
            test=asked.holdout or 0.2,
            task=table.task,
            metrics=metrics,
            cost_matrix=costs_name(table),
            random_state=asked.seed or None,
        )
        return f"{parts}.judge(model)"
    cv: Any = "leave_one_out" if method == "leave-one-out" else asked.folds
    return call(
        "tw.evaluate.cross_validate",
        Raw("model"),
        *map(Raw, rows),
        cv=cv,
        repeats=asked.repeats,
        metrics=metrics,
        cost_matrix=costs_name(table),
        refit=Raw("False"),
        random_state=asked.seed or None,
    )
