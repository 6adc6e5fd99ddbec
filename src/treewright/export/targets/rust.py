"""Rust without crates: a struct for a row, and functions that predict its class or number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from treewright.export.code.ifs import Syntax, nested_ifs
from treewright.export.code.inputs_text import refuse_texts
from treewright.export.code.names import identifier, identifiers, in_comment
from treewright.export.code.narrow import MOST_WRITTEN_OUT, narrowed
from treewright.export.code.program import Program, program_of
from treewright.export.code.template import fill
from treewright.export.code.texts import head_of, left_out_of, takes
from treewright.export.exported import Exported
from treewright.export.form.build import form_of

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input

_WORDS = """
as break const continue crate else enum extern false fn for if impl in let loop match mod move mut
pub ref return self Self static struct super trait true type unsafe use where while async await dyn
abstract become box do final macro override priv typeof unsized virtual yield try gen cells row
union raw i64 f64 usize
"""
_RESERVED = tuple(_WORDS.split())
_TYPES = {
    "number": "f64",
    "whole": "Option<i64>",
    "unsigned": "Option<u64>",
    "instant": "Option<i64>",
    "duration": "Option<i64>",
    "text": "Option<&'a str>",
    "flag": "Option<bool>",
    "numeral": "f64",
}
_PER_LINE = 12


def rust_source(model: object, *, name: str = "model") -> Exported:
    """Return a model as Rust; see :func:`treewright.export.rust`."""
    form = form_of(model)
    refuse_texts(form, "rust")
    name = identifier(name, otherwise="model")
    program = program_of(form)
    answer = "f64" if form.classes is None else "usize"
    return Exported(
        content=_text(program, name),
        target="rust",
        entry=f"pub fn predict(row: &Row) -> {answer}",
        name=name,
        said=f"Rust without crates: pub fn predict(row: &Row) -> {answer}",
        left_out=left_out_of(form),
    )


def field_names(form: Form) -> tuple[str, ...]:
    """Return the field of each input in the struct of a row."""
    names = [each.name.lower() for each in form.inputs]
    return tuple(name.lower() for name in identifiers(names, reserved=_RESERVED))


def number(value: float) -> str:
    """Return the literal of an f64, which reads back exactly."""
    value = float(value)
    if np.isnan(value):
        return "f64::NAN"
    if np.isinf(value):
        return "f64::INFINITY" if value > 0 else "f64::NEG_INFINITY"
    return repr(value) if "e" in repr(value) or "." in repr(value) else f"{value!r}.0"


def whole(value: int) -> str:
    """Return the literal of an i64."""
    return f"{value}i64" if value > -(1 << 63) else "i64::MIN"


def text(value: str) -> str:
    """Return the literal of a text: printable ASCII, the rest as code points."""
    plain = "".join(
        each if " " <= each <= "~" and each not in '"\\' else f"\\u{{{ord(each):x}}}"
        for each in value
    )
    return f'"{plain}"'


def _text(program: Program, name: str) -> str:
    form = program.form
    fields = field_names(form)
    has_text = "text" in program.features
    reads = [_read(each, f"row.{field}") for each, field in zip(form.inputs, fields, strict=True)]
    texts = {
        "head": head_of(form, "rust", name),
        "about": f"Predictions of {in_comment(form.model)}: {form.size}.",
        "lifetime": "<'a>" if has_text else "",
        "fields": _fields(form, fields),
        "n_cells": str(max(len(form.inputs), 1)),
        "reads": ",\n        ".join(reads or ["Cell::number(f64::NAN)"]),
        "or_divided": "; -1 where it is divided" if form.graph.divides else "",
        "tables": _tables(program),
        "model_says": "adds to its line" if "centred" in program.features else "says of a row",
    }
    texts |= _ifs(program, fields)
    texts |= _arithmetic(form)
    return fill("rust.template", program.features, texts)


def _fields(form: Form, fields: tuple[str, ...]) -> str:
    lines = []
    for each, field in zip(form.inputs, fields, strict=True):
        lines.append(f"    /// {in_comment(each.name)}: {takes(each)}")
        lines.append(f"    pub {field}: {_TYPES[each.type]},")
    return "\n".join(lines)


def _read(each: Input, value: str) -> str:
    if each.type == "number":
        return f"Cell::number({value})"
    if each.type == "unsigned":
        return f"Cell::whole({value}.map(|v| (v ^ (1 << 63)) as i64))"
    if each.is_whole:
        return f"Cell::whole({value})"
    if each.type == "numeral":
        arms = " ".join(
            f"else if v == {number(float(v))} {{ Some({code}) }}"  # type: ignore[arg-type]
            for code, v in enumerate(each.values)
        )
        find = f"{{ let v = {value}; {arms.removeprefix('else ')} else {{ None }} }}"
        return f"Cell::category({value}.is_nan(), {find})"
    write = _text_of if each.type == "text" else _flag_of
    arms = "".join(
        f"\n            Some({write(v)}) => Some({c})," for c, v in enumerate(each.values)
    )
    both = each.type == "flag" and len(set(each.values)) == 2
    last = "None => None" if both else "_ => None"
    found = f"match {value} {{{arms}\n            {last},\n        }}"
    return f"Cell::category({value}.is_none(), {found})"


def _text_of(value: object) -> str:
    return text(str(value))


def _flag_of(value: object) -> str:
    return "true" if value else "false"


def _ifs(program: Program, fields: tuple[str, ...]) -> dict[str, str]:
    if not program.has_ifs:
        return {"ifs": "", "variables": ""}
    form = program.form
    syntax = Syntax(
        number=number,
        whole=whole,
        comment="  // {}",
        opens="if {} {{",
        otherwise_if="}} else if {} {{",
    )
    body = nested_ifs(form, fields, syntax)
    lines = []
    for place, (each, field) in enumerate(zip(form.inputs, fields, strict=True)):
        cell = f"cells[{place}]"
        if each.is_category:
            lines.append((field, f"    let {field} = {cell}.code();"))
            continue
        lines.append((field, f"    let {field} = {cell}.{'n' if each.is_whole else 'x'};"))
        missing = f"{field}_missing"
        lines.append((missing, f"    let {missing} = {cell}.state == State::Missing;"))
        lines.append((f"{field}_number", f"    let {field}_number = {cell}.x;"))
    words = set(re.findall(r"\w+", re.sub(r"//.*", "", body)))
    return {"ifs": body, "variables": "\n".join(line for word, line in lines if word in words)}


def _tables(program: Program) -> str:
    tables = program.tables()
    parts = [_table(name, table) for name, table in tables.items()]
    form = program.form
    models = form.graph.models
    if models is not None:
        is_set = np.array([form.inputs[i].is_category for i in models.input.tolist()])
        parts.append(_table("model_is_set", is_set.astype(np.int8)))
        unsigned = np.array([each.type == "unsigned" for each in form.inputs])
        parts.append(_table("is_unsigned", unsigned.astype(np.int8)))
    if form.vote_weights is not None:
        parts.append(_table("vote_weight", form.vote_weights))
    return "\n".join(parts)


def _table(name: str, table: Array) -> str:
    """Return a table and the function that reads it; a large one is a text of bytes."""
    narrow = narrowed(table)
    is_real = narrow.dtype.kind == "f"
    result = "f64" if is_real else "i64"
    own = "f64" if is_real else f"i{8 * narrow.dtype.itemsize}"
    n = len(narrow)
    if n > MOST_WRITTEN_OUT:
        data = narrow.tobytes()
        pieces = [
            "".join(_BYTES[byte] for byte in data[start : start + 4096])
            for start in range(0, len(data), 4096)
        ]
        size = narrow.dtype.itemsize
        listed = "\\\n".join(pieces)
        return (
            f'static T_{name.upper()}: &[u8; {len(data)}] = b"{listed}";\n'
            f"fn {name}(i: usize) -> {result} {{\n"
            f"    let mut own = [0u8; {size}];\n"
            f"    own.copy_from_slice(&T_{name.upper()}[{size} * i..{size} * i + {size}]);\n"
            f"    {own}::from_le_bytes(own) as {result}\n}}"
        )
    write = number if is_real else str
    words = [write(value) for value in narrow.tolist()]
    rows = [", ".join(words[i : i + _PER_LINE]) for i in range(0, n, _PER_LINE)]
    listed = ",\n    ".join(rows)
    return (
        f"static T_{name.upper()}: [{own}; {n}] = [\n    {listed}];\n"
        f"fn {name}(i: usize) -> {result} {{\n    T_{name.upper()}[i] as {result}\n}}"
    )


_BYTES = [
    chr(byte) if 33 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"
    for byte in range(256)
]


def _arithmetic(form: Form) -> dict[str, str]:
    decision = form.decision

    def listed(values: Array | None) -> str:
        return ", ".join(map(number, [] if values is None else np.asarray(values).tolist()))

    weights = form.vote_weights
    half = 0.0 if weights is None else float(np.add.accumulate(weights)[-1] / 2.0)
    classes = form.classes or ()
    class_type = "f64"
    names = [
        number(float(each))
        for each in classes
        if isinstance(each, int | float) and abs(each) < 1 << 53
    ]
    if len(names) < len(classes):
        class_type, names = "&str", [text(str(each)) for each in classes]
    costs = [] if decision.costs is None else list(decision.costs)
    by_leaf = decision.class_of_leaf
    return {
        "width": str(form.graph.width),
        "n_trees": str(form.n_trees),
        "n_classes": str(len(classes)),
        "class_type": class_type,
        "classes": ", ".join(names),
        "divisor": number(form.divisor),
        "half": number(half),
        "otherwise": listed(form.otherwise),
        "base": listed(form.base),
        "sharpness": number(form.sharpness) if form.softens else "",
        "n_outputs": str(form.n_outputs),
        "scale": number(2.0**form.shift),
        "thresholds": listed(form.thresholds),
        "class_of_leaf": ", ".join(map(str, [] if by_leaf is None else by_leaf.tolist())),
        "costs": ", ".join(f"[{listed(line)}]" for line in costs),
        "default_class": str(form.default_class),
        "preferred": str(decision.preferred),
    }
