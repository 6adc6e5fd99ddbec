"""Treelite: its own reference predictor, GTIL."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import numpy as np

from treewright.export.proof.engines.base import EngineError
from treewright.export.proof.model_answers import Answers

if TYPE_CHECKING:
    from treewright.export.exported import Exported
    from treewright.export.form.form import Form
    from treewright.export.proof.rows import Cases


class TreeliteEngine:
    """Predicts by treelite.gtil."""

    def version(self) -> str | None:
        """Return name and version; None where it is not installed."""
        try:
            treelite = importlib.import_module("treelite")
        except ImportError:
            return None
        return f"treelite {treelite.__version__}"

    def absent(self) -> str:
        """Return why nothing runs."""
        return "no treelite here"

    def reach(self, form: Form, cases: Cases) -> Cases:
        """Return the rows as they are."""
        return cases

    def run(self, form: Form, exported: Exported, cases: Cases) -> Answers:
        """Return the model's answers about rows."""
        treelite = importlib.import_module("treelite")
        gtil = importlib.import_module("treelite.gtil")
        columns = []
        for place, each in enumerate(form.inputs):
            own = cases.values[place]
            if each.is_category:
                code_of = {value: code for code, value in enumerate(each.values)}
                unseen = float(len(each.values))
                numbers = [np.nan if v is None else float(code_of.get(v, unseen)) for v in own]
            else:
                numbers = [np.nan if v is None else float(v) for v in own]
            columns.append(np.array(numbers)[cases.rows[:, place]])
        matrix = np.stack(columns, axis=1) if columns else np.zeros((len(cases), 1))
        try:
            model = treelite.Model.deserialize_bytes(exported.data())
            found = np.asarray(gtil.predict(model, matrix, nthread=1), dtype=np.float64)
        except treelite.TreeliteError as error:
            raise EngineError(f"treelite refused the model: {error}") from error
        found = found.reshape(len(cases), -1)
        if form.classes is not None and found.shape[1] == 1 and form.n_answers == 2:
            found = np.hstack([1.0 - found, found])
        return Answers(numbers=found)
