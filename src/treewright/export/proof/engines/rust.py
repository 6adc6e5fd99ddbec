"""Rust: rustc."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.export.proof.engines.base import call, read_answers, rows_as_text, version_of
from treewright.export.targets import rust as written

if TYPE_CHECKING:
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input
    from treewright.export.proof.model_answers import Answers
    from treewright.export.proof.rows import Cases


class RustEngine:
    """Compiles a source together with a program that asks it about rows."""

    def version(self) -> str | None:
        """Return name and version."""
        return version_of(["rustc", "--version"], 1, "rustc")

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no rustc here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows as they are: a program takes any."""
        return cases

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the program's answers about rows."""
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            main, program = Path(folder) / "main.rs", Path(folder) / "ask"
            (Path(folder) / "model.rs").write_bytes(exported.data())
            main.write_text(harness(form, cases), encoding="utf-8")
            call(["rustc", "--edition", "2021", "-C", "opt-level=1", "-o", program, main])
            printed = call([program], text=rows_as_text(cases))
        return read_answers(form, printed, len(cases))


def harness(form: Form, cases: Cases) -> str:
    """Return a program that reads rows of positions and prints answers."""
    tables, fields = [], []
    names = written.field_names(form)
    for place, (each, field) in enumerate(zip(form.inputs, names, strict=True)):
        values = cases.values[place]
        kind = written._TYPES[each.type].replace("'a", "'static")
        listed = ", ".join(_value(value, each) for value in values)
        tables.append(f"static V{place}: [{kind}; {len(values)}] = [{listed}];")
        fields.append(f"{field}: V{place}[at[{place}]]")
    if form.classes is None:
        asks = "let said = [model::predict(&row)];"
    else:
        asks = 'print!("{} ", model::predict(&row)); let said = model::predict_proba(&row);'
    body = (
        "#![allow(warnings)]\nmod model;\n" + "\n".join(tables) + "\nfn main() {\n"
        "    let mut all = String::new();\n"
        "    std::io::Read::read_to_string(&mut std::io::stdin(), &mut all).unwrap();\n"
        f"    for line in all.split('\\n').take({len(cases)}) {{\n"
        "        let at: Vec<usize> = line.split_whitespace().map(|w| w.parse().unwrap())"
        ".collect();\n"
        f"        let row = model::Row {{ {', '.join(fields)} }};\n        {asks}\n"
        '        for each in said { print!("{:x} ", each.to_bits()); }\n        println!();\n'
        "    }\n}\n"
    )
    return body


def _value(value: object, each: Input) -> str:
    if each.type in ("number", "numeral"):
        return "f64::NAN" if value is None else written.number(float(value))  # type: ignore[arg-type]
    if value is None:
        return "None"
    if each.type == "text":
        return f"Some({written.text(str(value))})"
    if each.type == "flag":
        return "Some(true)" if value else "Some(false)"
    return f"Some({value})"
