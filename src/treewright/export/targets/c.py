"""C99 without libraries: a struct for a row, and functions that predict its class or number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from treewright.export.code.ifs import Syntax, nested_ifs
from treewright.export.code.inputs_text import refuse_texts
from treewright.export.code.names import identifier, identifiers, in_comment
from treewright.export.code.narrow import MOST_WRITTEN_OUT, narrowed, octal
from treewright.export.code.program import Program, program_of
from treewright.export.code.template import fill
from treewright.export.code.texts import head_of, left_out_of, takes
from treewright.export.exported import Exported
from treewright.export.form import graph as kinds
from treewright.export.form.build import form_of

if TYPE_CHECKING:
    from treewright.array_types import Array
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input

_PER_LINE = 12
_MOST_ON_STACK = 1 << 16
"""Leaves that a row may be divided among: a megabyte of the stack."""
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while _Bool class new delete this private public protected template
operator bool true false and or not xor try catch throw namespace using virtual friend typename
explicit cells row INFINITE UNKNOWN KNOWN MISSING UNSEEN cell NULL int32_t int64_t uint64_t
size_t exp isfinite isinf main linux unix
"""
_RESERVED = tuple(_WORDS.split())
_TYPES = {
    "number": "double",
    "whole": "int64_t",
    "unsigned": "uint64_t",
    "instant": "int64_t",
    "duration": "int64_t",
    "text": "const char *",
    "flag": "signed char",
    "numeral": "double",
}
_ELEMENT = {"<i1": "signed char", "<i2": "int16_t", "<i4": "int32_t", "<i8": "int64_t"}


def c_source(model: object, *, name: str = "model") -> Exported:
    """Return a model as C99; see :func:`treewright.export.c`."""
    form = form_of(model)
    refuse_texts(form, "c", zero_ends=True)
    name = identifier(name, otherwise="model")
    program = program_of(form)
    if form.graph.divides and _most_leaves(form) > _MOST_ON_STACK:
        raise form.refuse(
            "c",
            f"a row may be divided among {_most_leaves(form):,} leaves of a tree, more than a"
            " function should keep on its stack",
            "export to rust, javascript or python, or fit with missing='learned_side'",
        )
    is_class = form.classes is not None
    entry = f"{'int' if is_class else 'double'} {name}_predict(const {name}_row *row)"
    return Exported(
        content=_text(program, name),
        target="c",
        entry=entry,
        name=name,
        said=f"C99 without libraries: {entry}",
        left_out=left_out_of(form),
    )


def _most_leaves(form: Form) -> int:
    """Return the leaves of the tree that has most."""
    graph = form.graph
    ends = np.append(graph.roots[1:], graph.n_nodes)
    leaves = np.concatenate([[0], np.cumsum(graph.kind == kinds.LEAF)])
    return max(1, int((leaves[ends] - leaves[graph.roots]).max(initial=1)))


def field_names(form: Form) -> tuple[str, ...]:
    """Return the field of each input in the struct of a row."""
    return identifiers([each.name for each in form.inputs], reserved=_RESERVED)


def number(value: float) -> str:
    """Return the literal of a double, which reads back exactly."""
    value = float(value)
    if np.isnan(value):
        return "UNKNOWN"
    if np.isinf(value):
        return "INFINITE" if value > 0 else "-INFINITE"
    return repr(value)


def whole(value: int) -> str:
    """Return the literal of an int64."""
    return f"INT64_C({value})" if value > -(1 << 63) else "(-INT64_C(9223372036854775807) - 1)"


def text(value: str) -> str:
    """Return the literal of a text in UTF-8."""
    return '"' + '" "'.join(octal(value.encode("utf-8"))) + '"'


def _text(program: Program, name: str) -> str:
    form = program.form
    graph = form.graph
    features = set(program.features) | {"lines"}
    if _is_simple(program):
        features.add("simple")
        if _is_lonely(form):
            features.add("lonely")
    fields = field_names(form)
    keeps_votes = form.combination == "rules" or form.softens
    texts = {
        "head": head_of(form, "c", name),
        "about": f"Predictions of {in_comment(form.model)}: {form.size}.",
        "but_math": " but <math.h> for exp" if "exp" in features else "",
        "name": name,
        "NAME": name.upper(),
        "fields": _fields(form, fields),
        "n_cells": str(max(len(form.inputs), 1)),
        "domains": _domains(form),
        "reads": "\n".join(
            _read(place, each, field)
            for place, (each, field) in enumerate(zip(form.inputs, fields, strict=True))
        ),
        "or_divided": "; -1 where it is divided" if graph.divides else "",
        "tables": _tables(program, simple="simple" in features),
        "stack": str(form.depth_of_stack() + 1),
        "most_leaves": str(_most_leaves(form)),
        "and_votes": ", double *votes" if keeps_votes else "",
        "pass_votes": ", votes" if keeps_votes else "",
        "declare_votes": f"double votes[{graph.width}];" if keeps_votes else "",
        # Votes that differ may have equal probabilities.
        "judged": "votes" if form.softens else "answers",
        "each_tree": _each_tree(form, simple="simple" in features),
        "model_says": "adds to its line" if "centred" in features else "says of a row",
    }
    texts |= _ifs(program, fields)
    texts |= _arithmetic(form)
    return fill("c.template", features, texts)


def _is_simple(program: Program) -> bool:
    """Return whether trees only cut numbers in two, so that several are walked together."""
    graph = program.form.graph
    return (
        "several" in program.features
        and "tables" in program.features
        and not graph.divides
        and graph.links is None
        and graph.surrogates is None
        and bool(np.isin(graph.kind, [kinds.LEAF, kinds.CUT]).all())
        and bool(np.isin(graph.n_branches, [0, 2]).all())
        and len(program.form.inputs) < 1 << 15
        and program.form.combination in ("mean", "scores")
    )


def _fields(form: Form, fields: tuple[str, ...]) -> str:
    lines = []
    for each, field in zip(form.inputs, fields, strict=True):
        kind = _TYPES[each.type]
        gap = "" if kind.endswith("*") else " "
        lines.append(f"    {kind}{gap}{field}; /* {in_comment(each.name)}: {takes(each)} */")
        if each.is_whole:
            lines.append(f"    unsigned char {field}_missing; /* 1 where it is missing */")
    return "\n".join(lines) or "    char unused;"


def _domains(form: Form) -> str:
    """Return the tables by which categories become codes."""
    parts = []
    for place, each in enumerate(form.inputs):
        if not each.is_category or not each.values:
            continue
        if each.type == "text":
            order = sorted(range(len(each.values)), key=lambda i: str(each.values[i]).encode())
            listed = ",\n    ".join(text(str(each.values[code])) for code in order)
            parts.append(f"static const char *const domain_{place}[] = {{\n    {listed}}};")
            parts.append(_array(f"code_{place}", np.array(order)))
        elif each.type == "numeral":
            values = ", ".join(number(float(value)) for value in each.values)  # type: ignore[arg-type]
            parts.append(f"static const double domain_{place}[] = {{{values}}};")
    return "\n".join(parts)


def _read(place: int, each: Input, field: str) -> str:
    cell, value = f"cells[{place}]", f"row->{field}"
    if each.type == "number":
        state = f"{value} == {value} ? KNOWN : MISSING"
        return f"    {cell}.x = {value};\n    {cell}.n = 0;\n    {cell}.state = {state};"
    if each.is_whole:
        stored = value
        if each.type == "unsigned":
            sign = "UINT64_C(0x8000000000000000)"
            stored = (
                f"{value} >= {sign} ? (int64_t)({value} - {sign})"
                f" : (int64_t){value} - INT64_C(9223372036854775807) - 1"
            )
        return (
            f"    {cell}.n = {stored};\n    {cell}.state = {value}_missing ? MISSING : KNOWN;\n"
            f"    {cell}.x = {value}_missing ? UNKNOWN : (double){cell}.n;"
        )
    return f"{_code(place, each, value)}\n    {cell}.n = code;\n    {cell}.x = UNKNOWN;"


def _code(place: int, each: Input, value: str) -> str:
    """Return the statements that set code and state of a category."""
    cell = f"cells[{place}]"
    if each.type == "text":
        find = f"place_of({value}, domain_{place}, {len(each.values)})" if each.values else "-1"
        known = f"code_{place}[code]" if each.values else "0"
        return (
            f"    code = {value} ? {find} : -2;\n"
            f"    {cell}.state = code >= 0 ? KNOWN : code == -1 ? UNSEEN : MISSING;\n"
            f"    if (code >= 0) code = {known};"
        )
    if each.type == "flag":
        code_of = {bool(v): code for code, v in enumerate(each.values)}
        yes, no = code_of.get(True, -1), code_of.get(False, -1)
        return (
            f"    code = {value} < 0 ? -2 : {value} ? {yes} : {no};\n"
            f"    {cell}.state = code >= 0 ? KNOWN : code == -1 ? UNSEEN : MISSING;"
        )
    return (
        f"    code = {len(each.values)};\n"
        f"    while (--code >= 0 && domain_{place}[code] != {value}) {{\n    }}\n"
        f"    {cell}.state = {value} != {value} ? MISSING : code >= 0 ? KNOWN : UNSEEN;"
    )


def _ifs(program: Program, fields: tuple[str, ...]) -> dict[str, str]:
    if not program.has_ifs:
        return {"ifs": "", "variables": ""}
    form = program.form
    body = nested_ifs(form, fields, Syntax(number=number, whole=whole))
    lines = []
    for place, (each, field) in enumerate(zip(form.inputs, fields, strict=True)):
        cell = f"cells[{place}]"
        if each.is_category:
            code = f"{cell}.state == KNOWN ? (int){cell}.n : -{cell}.state"
            lines.append((field, f"    const int {field} = {code};"))
        elif each.is_whole:
            lines.append((field, f"    const int64_t {field} = {cell}.n;"))
            lines.append((f"{field}_missing", f"    const int {field}_missing = {cell}.state;"))
            lines.append((f"{field}_number", f"    const double {field}_number = {cell}.x;"))
        else:
            lines.append((field, f"    const double {field} = {cell}.x;"))
    words = set(re.findall(r"\w+", re.sub(r"/\*.*?\*/", "", body)))
    kept = [line for variable, line in lines if variable in words]
    if not kept:
        kept = ["    (void)cells;"]
    return {"ifs": body, "variables": "\n".join(kept)}


def _array(name: str, table: Array, *, wide: bool = False) -> str:
    """Return the declaration of a table, as numbers or, where it is large, as bytes of a text."""
    narrow = table.astype("<i4") if wide else narrowed(table)
    element = _ELEMENT.get(narrow.dtype.str.replace("|", "<"), "double")
    if len(narrow) > MOST_WRITTEN_OUT:
        pieces = "\n    ".join(f'"{piece}"' for piece in octal(narrow.tobytes()))
        union = f"union {{ char bytes[{narrow.nbytes} + 1]; {element} at[{len(narrow)}]; }}"
        declared = f"static const {union} {name}_bytes = {{\n    {pieces}}};"
        return f"{declared}\n#define {name} {name}_bytes.at"
    write = number if element == "double" else (whole if element == "int64_t" else str)
    words = [write(value) for value in narrow.tolist()] or ["0"]
    lines = [", ".join(words[i : i + _PER_LINE]) for i in range(0, len(words), _PER_LINE)]
    listed = ",\n    ".join(lines)
    return f"static const {element} {name}[] = {{\n    {listed}}};"


_ENDIAN = """#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the tables of this model are little-endian"
#endif"""


def _tables(program: Program, *, simple: bool) -> str:
    """Return the declarations of the tables that the program reads."""
    tables = program.tables()
    features = program.features
    wanted = [] if simple and _is_lonely(program.form) else ["lines", "line_of_leaf"]
    if "tables" in features:
        wanted += ["root"] if "several" in features else []
        if not simple:
            wanted += ["kind", "input", "number", "missing", "unseen", "child"]
            wanted += ["at", "count"] if "lists" in features else []
            wanted += ["rest", "code", "branch"] if "members" in features else []
            for name in ("whole", "cuts", "links"):
                wanted += [name] if name in features else []
            wanted += ["n_branches", "share"] if "divides" in features else []
            wanted += ["term_input", "term_coefficient"] if "linear" in features else []
            wanted += [name for name in tables if name.startswith("surrogate_")]
    wanted += [name for name in tables if name.startswith(("leaf_", "model_"))]
    renamed = {"branch": "branch_of_code"}
    parts = [_array(renamed.get(name, name), tables[name], wide=name == "root") for name in wanted]
    form = program.form
    models = form.graph.models
    if models is not None and not models.is_centred:
        is_set = np.array([form.inputs[i].is_category for i in models.input.tolist()])
        parts.append(_array("model_is_set", is_set.astype(np.int8)))
        if "unsigned" in features:
            unsigned = np.array([each.type == "unsigned" for each in form.inputs])
            parts.append(_array("is_unsigned", unsigned.astype(np.int8)))
    if simple:
        parts.append(_steps(form))
    if form.vote_weights is not None:
        parts.append(_array("vote_weight", form.vote_weights))
    joined = "\n".join(parts)
    return f"{_ENDIAN}\n{joined}" if "_bytes = {" in joined else joined


def _steps(form: Form) -> str:
    """Return nodes as structs of 16 bytes."""
    graph = form.graph
    is_leaf = graph.kind == kinds.LEAF
    node = np.arange(graph.n_nodes)
    steps = np.zeros(
        graph.n_nodes,
        dtype=[("number", "<f8"), ("child", "<i4"), ("input", "<i2"), ("missing_first", "<i2")],
    )
    steps["number"] = np.where(is_leaf, np.nan, graph.number)
    steps["child"] = np.where(is_leaf, node - 1, graph.child)
    steps["input"] = np.where(is_leaf, 0, graph.input)
    steps["missing_first"] = np.where(is_leaf, 0, graph.missing == 0)
    declared = (
        "typedef struct {\n    double number;\n    int32_t child;\n    int16_t input;\n"
        "    int16_t missing_first;\n} step;"
    )
    leaf = np.where(is_leaf, graph.child, 0)
    leaf_of = _array("leaf_of_step", leaf)
    if _is_lonely(form):
        value = np.where(is_leaf, graph.lines[graph.line_of_leaf[leaf], 0], 0.0)
        leaf_of = _array("value_of_step", value)
    if graph.n_nodes > MOST_WRITTEN_OUT:
        pieces = "\n    ".join(f'"{piece}"' for piece in octal(steps.tobytes()))
        union = f"union {{ char bytes[{steps.nbytes} + 1]; step at[{len(steps)}]; }}"
        data = f"static const {union} step_bytes = {{\n    {pieces}}};\n#define steps step_bytes.at"
    else:
        lines = [
            f"    {{{number(n)}, {child}, {place}, {first}}},"
            for n, child, place, first in steps.tolist()
        ]
        data = "static const step steps[] = {\n" + "\n".join(lines) + "\n};"
    return f"{declared}\n{data}\n{leaf_of}"


def _each_tree(form: Form, *, simple: bool) -> str:
    """Return the loop that adds what trees say."""
    into = "answers" if form.combination == "mean" else f"&scores[tree % {form.n_outputs}]"
    if form.combination == "scores" and form.n_outputs == 1:
        into = "scores"
    n_trees = form.n_trees
    if not simple:
        if form.graph.divides:
            return (
                f"for (int tree = 0; tree < {n_trees}; ++tree) add_tree(cells, root[tree], {into});"
            )
        leaf = "leaf_from(cells, root[tree])"
        adds = f"add_leaf(cells, {leaf}, 1.0, {into});"
        return f"for (int tree = 0; tree < {n_trees}; ++tree)\n        {adds}"
    n_cells = max(len(form.inputs), 1)
    moved = into.replace("tree %", "(tree + i) %")
    adds = f"add_leaf(cells, leaf_of_step[ends[i]], 1.0, {moved});"
    if _is_lonely(form):
        into = "answers[0]" if form.combination == "mean" else moved.removeprefix("&")
        into = "scores[0]" if into == "scores" else into
        adds = f"{into} += value_of_step[ends[i]];"
    return (
        f"double x[{n_cells}] = {{0.0}};\n"
        "    int has_gaps = 0;\n"
        f"    for (int i = 0; i < {len(form.inputs)}; ++i) {{\n"
        "        x[i] = cells[i].x;\n"
        "        has_gaps |= x[i] != x[i];\n"
        "    }\n"
        f"    for (int tree = 0; tree < {n_trees}; tree += TOGETHER) {{\n"
        f"        const int n = {n_trees} - tree < TOGETHER ? {n_trees} - tree : TOGETHER;\n"
        "        int32_t ends[TOGETHER];\n"
        "        ends_of(x, has_gaps, root + tree, n, ends);\n"
        f"        for (int i = 0; i < n; ++i) {adds}\n"
        "    }"
    )


def _is_lonely(form: Form) -> bool:
    """Return whether a leaf says one number, which then stands beside its node."""
    return form.graph.width == 1 and form.graph.models is None


def _arithmetic(form: Form) -> dict[str, str]:
    decision = form.decision

    def listed(values: object) -> str:
        return ", ".join(map(number, np.asarray(values).tolist()))

    weights = form.vote_weights
    half = 0.0 if weights is None else float(np.add.accumulate(weights)[-1] / 2.0)
    classes = form.classes or ()
    class_type = "double"
    names = [
        number(float(each))
        for each in classes
        if isinstance(each, int | float) and abs(each) < 1 << 53
    ]
    if len(names) < len(classes):
        class_type, names = "char *const", [text(str(each)) for each in classes]
    costs = [] if decision.costs is None else decision.costs.tolist()
    by_leaf = () if decision.class_of_leaf is None else decision.class_of_leaf.tolist()
    return {
        "width": str(form.graph.width),
        "n_trees": str(form.n_trees),
        "n_classes": str(len(classes)),
        "class_type": class_type,
        "classes": ", ".join(names),
        "divisor": number(form.divisor),
        "half": number(half),
        "otherwise": listed([] if form.otherwise is None else form.otherwise),
        "base": listed([0.0] if form.base is None else form.base),
        "sharpness": number(form.sharpness) if form.softens else "",
        "n_outputs": str(form.n_outputs),
        "scale": number(2.0**form.shift),
        "thresholds": listed([] if form.thresholds is None else form.thresholds),
        "class_of_leaf": ", ".join(map(str, by_leaf)),
        "costs": ", ".join("{" + listed(line) + "}" for line in costs),
        "default_class": str(form.default_class),
        "preferred": str(decision.preferred),
    }
