"""C: the system's compiler, gcc or whatever ``cc`` is."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.export.proof.engines.base import call, read_answers, rows_as_text, version_of
from treewright.export.targets import c as written

if TYPE_CHECKING:
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.proof.model_answers import Answers
    from treewright.export.proof.rows import Cases

_FLAGS = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-overlength-strings")
"""Warnings are errors: what is exported is to compile anywhere without one."""


class CEngine:
    """Compiles a source together with a program that asks it about rows."""

    def version(self) -> str | None:
        """Return name and version of the compiler."""
        if shutil.which("gcc"):
            return version_of(["gcc", "-dumpfullversion"], 0, "gcc")
        return version_of(["cc", "-dumpversion"], 0, "cc") if shutil.which("cc") else None

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no gcc here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows as they are: a program takes any."""
        return cases

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the program's answers about rows."""
        compiler = "gcc" if shutil.which("gcc") else "cc"
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            model, main, program = (Path(folder) / each for each in ("model.c", "main.c", "ask"))
            model.write_bytes(exported.data())
            main.write_text(harness(form, exported.name, cases), encoding="utf-8")
            call([compiler, *_FLAGS, "-o", program, main, "-lm"])
            printed = call([program], text=rows_as_text(cases))
        return read_answers(form, printed, len(cases))


def harness(form: Form, name: str, cases: Cases) -> str:
    """Return a program that reads rows of positions and prints answers."""
    parts = ['#include "model.c"', "#include <stdio.h>", "#include <string.h>"]
    sets = []
    fields = written.field_names(form)
    for place, (each, field) in enumerate(zip(form.inputs, fields, strict=True)):
        values = cases.values[place]
        known = [value is not None for value in values]
        if each.is_whole:
            write = (lambda v: f"UINT64_C({v})") if each.type == "unsigned" else written.whole
            words = [write(0 if value is None else value) for value in values]
            kind = "uint64_t" if each.type == "unsigned" else "int64_t"
            gone = ", ".join("0" if each_known else "1" for each_known in known)
            parts.append(f"static const unsigned char gone_{place}[] = {{{gone}}};")
            sets.append(f"row.{field}_missing = gone_{place}[at[{place}]];")
        elif each.type == "text":
            kind = "char *const"
            words = ["NULL" if value is None else written.text(value) for value in values]
        elif each.type == "flag":
            kind = "signed char"
            words = ["-1" if value is None else str(int(value)) for value in values]
        else:
            kind = "double"
            words = ["UNKNOWN" if value is None else written.number(value) for value in values]
        parts.append(f"static const {kind} values_{place}[] = {{{', '.join(words)}}};")
        sets.append(f"row.{field} = values_{place}[at[{place}]];")
    n = max(len(form.inputs), 1)
    width = form.n_answers
    if form.classes is None:
        asks = f"answers[0] = {name}_predict(&row);"
    else:
        asks = f'printf("%d ", {name}_predict(&row)); {name}_predict_proba(&row, answers);'
    reads = f"for (int i = 0; i < {len(form.inputs)}; ++i)"
    reads += '\n            if (scanf("%d", &at[i]) != 1) return 1;'
    loop = f"for (int line = 0; line < {len(cases)}; ++line)"
    parts.append(
        f"int main(void) {{\n    {name}_row row;\n    int at[{n}];\n    double answers[{width}];\n"
        "    memset(&row, 0, sizeof row);\n    (void)at;\n"
        f"    {loop} {{\n        {reads}\n        {' '.join(sets)}\n        {asks}\n"
        f"        for (int k = 0; k < {width}; ++k) {{\n            uint64_t bits;\n"
        "            memcpy(&bits, &answers[k], sizeof bits);\n"
        '            printf("%lx ", (unsigned long)bits);\n        }\n'
        '        printf("\\n");\n    }\n    return 0;\n}'
    )
    return "\n".join(parts) + "\n"
