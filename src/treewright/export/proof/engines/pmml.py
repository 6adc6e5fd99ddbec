"""PMML: JPMML-Evaluator, by the package jpmml_evaluator and a Java machine."""

from __future__ import annotations

import importlib
import importlib.metadata
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.export.proof.engines.base import EngineError
from treewright.export.proof.model_answers import Answers
from treewright.export.targets.pmml import said

if TYPE_CHECKING:
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.proof.rows import Cases


class PmmlEngine:
    """Evaluates documents by JPMML."""

    def version(self) -> str | None:
        """Return name and version; None where it is not installed."""
        if shutil.which("java") is None:
            return None
        try:
            importlib.import_module("jpmml_evaluator")
            return f"jpmml-evaluator {importlib.metadata.version('jpmml_evaluator')}"
        except ImportError:
            return None

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no jpmml_evaluator and Java here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows; the empty text is missing to readers of PMML."""
        rows = cases.rows.copy()
        for place, each in enumerate(cases.inputs):
            own = cases.values[place]
            bad = [i for i, v in enumerate(own) if isinstance(v, str) and not _is_plain(v)]
            if each.type == "text" and bad:
                rows[np.isin(rows[:, place], bad), place] = own.index(None)
        return replace(cases, rows=rows)

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the document's answers about rows."""
        package: Any = importlib.import_module("jpmml_evaluator")
        with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
            path = Path(folder) / "model.pmml"
            path.write_bytes(exported.data())
            try:
                evaluator = package.make_evaluator(str(path)).verify()
                found = [evaluator.evaluate(row) for row in _rows(form, cases)]
            except Exception as error:  # whatever the Java machine raises
                raise EngineError(f"jpmml refused the document: {error}") from error
        if form.classes is None:
            numbers = np.array([[float(row["prediction"])] for row in found])
            return Answers(numbers=numbers)
        shares = np.array(
            [[float(row[f"probability_{k}"]) for k in range(form.n_answers)] for row in found]
        )
        code_of = {said(label): code for code, label in enumerate(form.classes)}
        codes = [code_of.get(said(row["prediction"]), -1) for row in found]
        return Answers(classes=np.array(codes, dtype=np.int64), numbers=shares)


def _is_plain(text: str) -> bool:
    """Return whether a text is neither empty nor has spaces at its ends."""
    return bool(text) and text == text.strip()


def _rows(form: Form, cases: Cases) -> list[dict[str, Any]]:
    columns = []
    for each, own in zip(form.inputs, cases.values, strict=True):
        is_number = each.type in ("number", "numeral")
        columns.append([float(v) if is_number and v is not None else v for v in own])
    return [
        {each.name: columns[p][i] for p, (each, i) in enumerate(zip(form.inputs, row, strict=True))}
        for row in cases.rows.tolist()
    ]
