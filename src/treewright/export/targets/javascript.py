"""JavaScript for browsers and Node: ``predict`` and ``predictProba`` of one row."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np

from treewright.export.code.ifs import Syntax, nested_ifs
from treewright.export.code.names import identifier, identifiers, in_comment
from treewright.export.code.narrow import MOST_WRITTEN_OUT
from treewright.export.code.program import Program, program_of
from treewright.export.code.template import fill
from treewright.export.code.texts import head_of, left_out_of
from treewright.export.exported import Exported
from treewright.export.form.build import form_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treewright.array_types import Array
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input

_WORDS = """
abstract arguments await boolean break byte case catch char class const continue debugger default
delete do double else enum eval export extends false final finally float for function goto if
implements import in instanceof int interface let long native new null package private protected
public return short static super switch synchronized this throw throws transient true try typeof
undefined var void volatile while with yield cells own NaN Infinity exports module BigInt Number
KNOWN MISSING UNSEEN
"""
_RESERVED = tuple(_WORDS.split())


def javascript_source(model: object, *, name: str = "model") -> Exported:
    """Return a model as JavaScript; see :func:`treewright.export.javascript`."""
    form = form_of(model)
    name = identifier(name, otherwise="model")
    program = program_of(form)
    return Exported(
        content=_text(program, name),
        target="javascript",
        entry="predict(row)",
        name=name,
        said=f"JavaScript for browsers and Node: predict(row), {form.size}",
        left_out=left_out_of(form),
    )


def number(value: float) -> str:
    """Return the literal of a number, which reads back exactly."""
    value = float(value)
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def literal(value: object) -> str:
    """Return the literal of a text, flag or number; nothing in it ends a script of a page."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= 1 << 53:
        return f"{value}n"
    if isinstance(value, int | float):
        return number(value) if isinstance(value, float) else str(value)
    return json.dumps(str(value)).replace("<", "\\u003c").replace(">", "\\u003e")


def _listed(values: Iterable[str]) -> str:
    return "[" + ", ".join(values) + "]"


def _text(program: Program, name: str) -> str:
    form = program.form
    features = set(program.features)
    if any(each.is_whole for each in form.inputs):
        features.add("whole_inputs")
    texts = {
        "head": head_of(form, "javascript", name),
        "about": f"Predictions of {in_comment(form.model)}: {form.size}.",
        "name": name,
        "columns": _listed(literal(each.name) for each in form.inputs),
        "classes": _listed(map(literal, form.classes or ())),
        "codes": _listed(_codes(each) for each in form.inputs),
        "types": _listed(literal(_type(each)) for each in form.inputs),
        "or_divided": "; -1 where it is divided" if form.graph.divides else "",
        "tables": _tables(program),
        "model_says": "adds to its line" if "centred" in features else "says of a row",
    }
    texts |= _ifs(program)
    texts |= _arithmetic(form)
    return fill("javascript.template", features, texts)


def _type(each: Input) -> str:
    if each.type in ("number", "flag", "unsigned"):
        return each.type
    return "whole" if each.is_whole else "value"


def _codes(each: Input) -> str:
    if not each.is_category:
        return "null"
    pairs = ", ".join(
        f"[{literal(float(value) if _is_float(each) else value)}, {code}]"  # type: ignore[arg-type]
        for code, value in enumerate(each.values)
    )
    return f"new Map([{pairs}])"


def _is_float(each: Input) -> bool:
    return each.type == "numeral"


def _ifs(program: Program) -> dict[str, str]:
    if not program.has_ifs:
        return {"ifs": "", "variables": ""}
    form = program.form
    names = identifiers([each.name for each in form.inputs], reserved=_RESERVED)
    syntax = Syntax(
        number=number, whole=lambda value: f"{value}n", comment="  // {}", returns="return {};"
    )
    body = nested_ifs(form, names, syntax)
    lines = []
    for place, (each, name) in enumerate(zip(form.inputs, names, strict=True)):
        cell = f"cells[{place}]"
        if each.is_category:
            code = f"{cell}.state === KNOWN ? {cell}.n : -{cell}.state"
            lines.append((name, f"    const {name} = {code};"))
            continue
        lines.append((name, f"    const {name} = {cell}.{'n' if each.is_whole else 'x'};"))
        missing = f"{name}_missing"
        lines.append((missing, f"    const {missing} = {cell}.state === MISSING;"))
        lines.append((f"{name}_number", f"    const {name}_number = {cell}.x;"))
    words = set(re.findall(r"\w+", re.sub(r"//.*", "", body)))
    return {"ifs": body, "variables": "\n".join(line for word, line in lines if word in words)}


def _tables(program: Program) -> str:
    tables = program.tables()
    wanted = ["lines", "line_of_leaf"]
    features = program.features
    if program.has_tables:
        wanted += [name for name in tables if not name.startswith(("model_", "leaf_", "lines"))]
        wanted.remove("line_of_leaf")
        for name, feature in (("whole", "whole"), ("cuts", "cuts"), ("root", "several")):
            if feature not in features:
                wanted.remove(name)
    wanted += [name for name in tables if name.startswith(("model_", "leaf_"))]
    parts = [_table(name, tables[name]) for name in wanted]
    form = program.form
    models = form.graph.models
    if models is not None and not models.is_centred:
        is_set = np.array([form.inputs[i].is_category for i in models.input.tolist()])
        parts.append(_table("model_is_set", is_set.astype(np.int32)))
    if form.vote_weights is not None:
        parts.append(_table("vote_weight", form.vote_weights))
    return "\n".join(parts)


def _table(name: str, table: Array) -> str:
    """Return the declaration of a table; a large one is a text, which loads faster."""
    flat = table.ravel()
    if name == "whole":
        return f"const T_{name} = {_listed(f'{value}n' for value in flat.tolist())};"
    is_real = flat.dtype.kind == "f"
    words = [number(value) for value in flat.tolist()] if is_real else map(str, flat.tolist())
    if len(flat) <= MOST_WRITTEN_OUT:
        return f"const T_{name} = {_listed(words)};"
    kind = "Float64Array" if is_real else "Int32Array"
    return f'const T_{name} = {kind}.from("{" ".join(words)}".split(" "), Number);'


def _arithmetic(form: Form) -> dict[str, str]:
    decision = form.decision

    def listed(values: Array | None) -> str:
        return _listed(map(number, [] if values is None else np.asarray(values).tolist()))

    weights = form.vote_weights
    half = 0.0 if weights is None else float(np.add.accumulate(weights)[-1] / 2.0)
    costs = [] if decision.costs is None else list(decision.costs.T)
    by_leaf = decision.class_of_leaf
    return {
        "width": str(form.graph.width),
        "divisor": number(form.divisor),
        "half": number(half),
        "otherwise": listed(form.otherwise),
        "base": listed(form.base),
        "sharpness": number(form.sharpness) if form.softens else "",
        "n_outputs": str(form.n_outputs),
        "scale": number(2.0**form.shift),
        "thresholds": listed(form.thresholds),
        "class_of_leaf": _listed(map(str, [] if by_leaf is None else by_leaf.tolist())),
        "cost_columns": _listed(listed(column) for column in costs),
        "default_class": str(form.default_class),
        "preferred": str(decision.preferred),
    }
