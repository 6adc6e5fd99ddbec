"""Python without any import: a module with ``predict`` and ``predict_proba`` of one row."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING

import numpy as np

from treewright.export.code.ifs import Syntax, nested_ifs
from treewright.export.code.names import identifier, identifiers, in_comment
from treewright.export.code.program import Program, program_of
from treewright.export.code.template import fill
from treewright.export.code.texts import answer_in_words, head_of, left_out_of, takes
from treewright.export.exported import Exported
from treewright.export.form.build import form_of

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.export.form.form import Form

_PER_LINE = 95
_RESERVED = (*keyword.kwlist, "CLASSES", "COLUMNS", "predict", "row", "cells", "float", "nan")


def python_source(model: object, *, name: str = "model") -> Exported:
    """Return a model as a Python module that imports nothing.

    Its function ``predict(row)`` takes a dict from names of columns to values; ``predict_proba``
    returns the probabilities in the order of ``CLASSES``. A value that is None, NaN or absent is
    missing. Answers are bit-equal to the model's, except probabilities that need an exponential
    (boosting), which agree to a few units in the last place.

    Parameters
    ----------
    model
        A fitted estimator, tree, ensemble or rule set.
    name
        The name of the module.
    """
    form = form_of(model)
    name = identifier(name, otherwise="model")
    program = program_of(form)
    return Exported(
        content=_text(program, name),
        target="python",
        entry="predict(row)",
        name=name,
        said=f"Python without imports: predict(row), {_said(program)}",
        left_out=left_out_of(form),
    )


def _said(program: Program) -> str:
    form = program.form
    if program.has_ifs:
        return f"{form.size} as nested ifs"
    return f"{form.size} as tables"


def number(value: float) -> str:
    """Return the literal of a float64, which reads back exactly."""
    value = float(value)
    if np.isinf(value):
        return 'float("inf")' if value > 0 else '-float("inf")'
    return 'float("nan")' if np.isnan(value) else repr(value)


def _text(program: Program, name: str) -> str:
    form = program.form
    texts = {
        "head": head_of(form, "python", name),
        "about": _about(form),
        "answer": answer_in_words(form),
        "columns": _tuple(repr(each.name) for each in form.inputs),
        "classes": _tuple(map(repr, form.classes or ())),
        "codes": _tuple(_codes(each) for each in form.inputs),
        "unsigned": _tuple(str(i) for i, x in enumerate(form.inputs) if x.type == "unsigned"),
        "or_divided": ", -1 where it is divided" if form.graph.divides else "",
    }
    texts |= _ifs(program)
    texts |= _tables(program)
    texts |= _arithmetic(form)
    return fill("python.template", program.features, texts)


def _about(form: Form) -> str:
    lines = [f"Predictions of {in_comment(form.model)}: {form.size}.", "", "A row has:", ""]
    lines += [f"    {in_comment(each.name)}: {takes(each)}" for each in form.inputs]
    return "\n".join(lines) + "\n"


def _codes(each: object) -> str:
    values = getattr(each, "values", ())
    if not getattr(each, "is_category", False):
        return "None"
    return "{" + ", ".join(f"{value!r}: {code}" for code, value in enumerate(values)) + "}"


def _tuple(entries: object) -> str:
    words = list(entries)  # type: ignore[call-overload]
    return "(" + ", ".join(words) + ("," if len(words) == 1 else "") + ")"


def _ifs(program: Program) -> dict[str, str]:
    form = program.form
    if not program.has_ifs:
        return dict.fromkeys(("ifs", "variables", "arguments"), "")
    names = identifiers([each.name for each in form.inputs], reserved=_RESERVED)
    variables, arguments = [], []
    for place, (each, variable) in enumerate(zip(form.inputs, names, strict=True)):
        cell = f"cells[{place}]"
        variables.append(variable)
        if each.is_category:
            arguments.append(f"-1 if {cell} is None else -2 if {cell} is _UNSEEN else {cell}")
        elif each.is_whole:
            variables += [f"{variable}_missing", f"{variable}_number"]
            arguments += [cell, f"{cell} is None"]
            arguments.append(f'float("nan") if {cell} is None else float({cell})')
        else:
            arguments.append(f'float("nan") if {cell} is None else {cell}')
    syntax = Syntax(
        number=number,
        whole=repr,
        both="and",
        either="or",
        denies="not ",
        opens="if {}:",
        otherwise_if="elif {}:",
        otherwise="else:",
        closes=None,
        returns="return {}",
        comment="  # {}",
    )
    return {
        "ifs": nested_ifs(form, names, syntax),
        "variables": ", ".join(variables),
        "arguments": ", ".join(arguments),
    }


def _tables(program: Program) -> dict[str, str]:
    texts = {
        name: _quoted(table) if table.ndim == 1 else _listed(table)
        for name, table in program.tables().items()
    }
    graph = program.form.graph
    for name in ("line_of_leaf", "leaf_weight"):
        if name in texts:
            texts[name] = _split(program.tables()[name])
    models = graph.models
    if models is not None:
        tables = program.tables()
        for name in ("start", "intercept", "input", "coefficient", "fill", "unit", "low", "high"):
            texts[f"model_{name}"] = _split(tables[f"model_{name}"])
        starts = models.code_start.tolist()
        codes = [
            _tuple(map(str, models.code[a:b].tolist()))
            if program.form.inputs[place].is_category
            else "None"
            for place, a, b in zip(models.input.tolist(), starts[:-1], starts[1:], strict=True)
        ]
        texts["model_codes"] = "[" + ", ".join(codes) + "]"
    return texts


def _numbers(table: Array) -> list[str]:
    if table.dtype.kind == "f":
        return [repr(each) for each in table.tolist()]
    return list(map(str, table.tolist()))


def _wrapped(words: list[str]) -> str:
    """Return words in lines of much the same length."""
    longest = max(map(len, words[:1000]), default=1)
    at_once = max(1, _PER_LINE // (longest + 1))
    lines = [" ".join(words[i : i + at_once]) for i in range(0, len(words), at_once)]
    return "\n".join(lines)


def _quoted(table: Array) -> str:
    """Return numbers as a text that the program splits: quick to load, however many."""
    words = _wrapped(_numbers(table))
    return f'"""\n{words}\n"""' if "\n" in words else f'"{words}"'


def _split(table: Array) -> str:
    kind = "float" if table.dtype.kind == "f" else "int"
    return f"[{kind}(number) for number in {_quoted(table)}.split()]"


def _listed(table: Array) -> str:
    if len(table) <= 64:
        lines = [f"    [{', '.join(map(number, line))}]," for line in table.tolist()]
        return "[\n" + "\n".join(lines) + "\n]"
    width = table.shape[1]
    return (
        f"[\n    [float(number) for number in line.split()]\n    for line in"
        f' """{_lines(table, width)}""".split("\\n")\n]'
    )


def _lines(table: Array, width: int) -> str:
    return "\n".join(" ".join(map(repr, line)) for line in table.tolist())


def _arithmetic(form: Form) -> dict[str, str]:
    decision, graph = form.decision, form.graph
    weights = form.vote_weights
    half = 0.0 if weights is None else float(np.add.accumulate(weights)[-1] / 2.0)
    listed = _tuple(map(number, () if weights is None else weights.tolist()))
    costs = [] if decision.costs is None else decision.costs.T.tolist()
    base = () if form.base is None else form.base.tolist()
    thresholds = () if form.thresholds is None else form.thresholds.tolist()
    otherwise = () if form.otherwise is None else form.otherwise.tolist()
    by_leaf = decision.class_of_leaf
    return {
        "width": str(graph.width),
        "divisor": number(form.divisor),
        "vote_weights": listed,
        "half": number(half),
        "otherwise": _tuple(map(number, otherwise)),
        "base": _tuple(map(number, base)),
        "sharpness": number(form.sharpness) if form.softens else "",
        "n_outputs": str(form.n_outputs),
        "scale": number(2.0**form.shift),
        "thresholds": _tuple(map(number, thresholds)),
        "class_of_leaf": _tuple(map(str, () if by_leaf is None else by_leaf.tolist())),
        "cost_columns": _tuple(_tuple(map(number, column)) for column in costs),
        "default_class": str(form.default_class),
        "preferred": str(decision.preferred),
    }
