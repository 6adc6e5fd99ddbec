"""ONNX: onnxruntime."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.data.codes import INT64_MIN
from treewright.export.proof.engines.base import EngineError
from treewright.export.proof.model_answers import Answers

if TYPE_CHECKING:
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.proof.rows import Cases


class OnnxEngine:
    """Runs models by onnxruntime, a package of Python."""

    def version(self) -> str | None:
        """Return name and version; None where it is not installed."""
        try:
            runtime = importlib.import_module("onnxruntime")
        except ImportError:
            return None
        return f"onnxruntime {runtime.__version__}"

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no onnxruntime here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows; the empty text, which is missing there, is tried as such."""
        rows = cases.rows.copy()
        for place, each in enumerate(cases.inputs):
            if each.type == "text" and "" in cases.values[place]:
                empty, gone = cases.values[place].index(""), cases.values[place].index(None)
                rows[rows[:, place] == empty, place] = gone
        return replace(cases, rows=rows)

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the model's answers about rows."""
        runtime = importlib.import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        feeds = {}
        for place, each in enumerate(form.inputs):
            own = cases.values[place]
            if each.type == "text":
                values = np.array(["" if value is None else value for value in own], dtype=object)
            elif each.is_whole:
                values = np.array([INT64_MIN if value is None else value for value in own])
            else:
                values = np.array([np.nan if v is None else float(v) for v in own])
            feeds[each.name] = values[cases.rows[:, place]][:, np.newaxis]
        try:
            session = runtime.InferenceSession(
                exported.data(), options, providers=["CPUExecutionProvider"]
            )
            found = dict(
                zip(
                    [out.name for out in session.get_outputs()],
                    session.run(None, feeds),
                    strict=True,
                )
            )
        except Exception as error:  # onnxruntime has no class of its own errors
            raise EngineError(f"onnxruntime refused the model: {error}") from error
        if form.classes is None:
            return Answers(numbers=found["prediction"])
        code_of = {_key(label): code for code, label in enumerate(form.classes)}
        said = [code_of.get(label, -1) for label in found["label"].tolist()]
        return Answers(classes=np.array(said, dtype=np.int64), numbers=found["probabilities"])


def _key(label: object) -> object:
    return label if isinstance(label, bool | int | float) else str(label)
