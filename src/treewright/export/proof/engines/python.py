"""Python: a new interpreter runs the module."""

from __future__ import annotations

import platform
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.export.proof.engines.base import call, read_answers, rows_as_text

if TYPE_CHECKING:
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.proof.model_answers import Answers
    from treewright.export.proof.rows import Cases

_HARNESS = """

import struct as _struct
import sys as _sys

_VALUES = {values}
for _line in _sys.stdin:
    _row = {{}}
    for _name, _own, _place in zip(COLUMNS, _VALUES, _line.split()):
        _row[_name] = _own[int(_place)]
    _said = {said}
    print({code}*(f"{{_struct.unpack('<Q', _struct.pack('<d', _n))[0]:x}}" for _n in _said))
"""


class PythonEngine:
    """Runs modules by the interpreter that runs this one."""

    def version(self) -> str | None:
        """Return name and version."""
        return f"python {platform.python_version()}"

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no python here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows as they are: a program takes any."""
        return cases

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the module's answers about rows."""
        is_class = form.classes is not None
        listed = "[" + ",\n".join(f"[{_literals(own)}]" for own in cases.values) + "]"
        harness = _HARNESS.format(
            values=listed,
            said="predict_proba(_row)" if is_class else "[predict(_row)]",
            code="CLASSES.index(predict(_row)), " if is_class else "",
        )
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            path = Path(folder) / "artefact.py"
            path.write_text(exported.text + harness, encoding="utf-8")
            printed = call([sys.executable, "-I", "-S", path], text=rows_as_text(cases))
        return read_answers(form, printed, len(cases))


def _literals(values: tuple[object, ...]) -> str:
    words = []
    for value in values:
        if isinstance(value, float) and value in (float("inf"), float("-inf")):
            words.append(f'float("{value}")')
        else:
            words.append(repr(value))
    return ", ".join(words)
