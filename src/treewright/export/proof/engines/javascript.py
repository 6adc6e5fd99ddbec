"""JavaScript: Node."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.export.proof.engines.base import call, read_answers, rows_as_text, version_of
from treewright.export.targets.javascript import literal

if TYPE_CHECKING:
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.form.inputs import Input
    from treewright.export.proof.model_answers import Answers
    from treewright.export.proof.rows import Cases

_HARNESS = """
const model = require("./artefact.js");
const values = {values};
const lines = require("fs").readFileSync(0, "utf8").split("\\n");
const bits = new DataView(new ArrayBuffer(8));
const out = [];
for (let line = 0; line < {n_rows}; ++line) {{
    const at = lines[line].split(" ");
    const row = {{}};
    model.COLUMNS.forEach(function (name, place) {{
        Object.defineProperty(row, name, {{value: values[place][at[place]], enumerable: true}});
    }});
    const said = {said};
    {code}
    for (const each of said) {{
        bits.setFloat64(0, each);
        out.push(bits.getBigUint64(0).toString(16));
    }}
}}
process.stdout.write(out.join(" "));
"""


class JavaScriptEngine:
    """Runs scripts by Node."""

    def version(self) -> str | None:
        """Return name and version."""
        return version_of(["node", "--version"], 0, "node")

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no node here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows as they are: a program takes any."""
        return cases

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the script's answers about rows."""
        is_class = form.classes is not None
        listed = [
            "[" + ", ".join(_value(value, each) for value in own) + "]"
            for each, own in zip(form.inputs, cases.values, strict=True)
        ]
        harness = _HARNESS.format(
            values="[" + ",\n".join(listed) + "]",
            n_rows=len(cases),
            said="model.predictProba(row)" if is_class else "[model.predict(row)]",
            code="out.push(model.CLASSES.indexOf(model.predict(row)));" if is_class else "",
        )
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            (Path(folder) / "artefact.js").write_bytes(exported.data())
            main = Path(folder) / "ask.js"
            main.write_text(harness, encoding="utf-8")
            printed = call(["node", main], text=rows_as_text(cases))
        return read_answers(form, printed, len(cases))


def _value(value: object, each: Input) -> str:
    if value is None:
        return "null"
    if each.is_whole:
        return f"{value}n"
    if each.type in ("number", "numeral"):
        return literal(float(value))  # type: ignore[arg-type]
    return literal(value)
