"""The tables and the model of walk-through 2: rows to learn from, rows to judge by."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from unit.cli.messy import write_loans
from unit.cli.typed import run


def write_parts(folder: Path) -> None:
    """Write train.csv (1,500 loans), test.csv (500) and risk.tw into a folder."""
    head, *rows = write_loans(folder).read_text(encoding="utf-8").splitlines()
    drawn = np.random.default_rng(1).permutation(len(rows))
    parts = {"train.csv": drawn[:1500], "test.csv": drawn[1500:]}
    for name, own in parts.items():
        lines = [head, *(rows[i] for i in np.sort(own))]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("fit train.csv --target outcome --out risk.tw --no-check --quiet", here=folder)
    assert (done.code, done.both) == (0, "")
