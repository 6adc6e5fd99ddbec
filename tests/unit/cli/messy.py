"""The loans of the walk-throughs as a person would have them: a CSV of a spreadsheet.

Semicolons, decimal commas, an identifier, and a ``-`` in 31 rows of the incomes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treewright import load_example

_N_STRAY = 31


def write_loans(folder: Path) -> Path:
    """Write loans.csv into a folder."""
    loans = load_example("loans")
    names = loans.X.columns
    gaps = np.flatnonzero(loans.X.column("income").missing)
    stray = set(np.random.default_rng(3).choice(gaps, _N_STRAY, replace=False).tolist())
    lines = [";".join(["customer", *names, "outcome"])]
    columns = [loans.X.column(name) for name in names]
    values = [_objects(loans.X[name]) for name in names]
    for i in range(loans.X.n_rows):
        cells = [f"C{10_000 + 7 * i}"]
        for name, column, own in zip(names, columns, values, strict=True):
            if name == "income" and i in stray:
                cells.append("-")
            elif column.missing[i]:
                cells.append("")
            else:
                cells.append(_cell(own[i]))
        lines.append(";".join([*cells, str(loans.y[i])]))
    path = folder / "loans.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.15g}".replace(".", ",")
    return str(value)


def _objects(values: np.ndarray) -> list[object]:
    """The values as they are written: dates by their day."""
    return (values.astype("M8[D]").astype(str) if values.dtype.kind == "M" else values).tolist()
