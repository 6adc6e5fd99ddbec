"""The folder of the walk-throughs, made once: a messy table and the models grown from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.cli.messy import write_loans
from unit.cli.typed import run


@pytest.fixture(scope="session")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with loans.csv, loans.tw, tennis.tw and d15.tw; nothing in it is changed."""
    folder = tmp_path_factory.mktemp("grown")
    write_loans(folder)
    for line in (
        "fit loans.csv --no-check -q",
        "fit example:play_tennis --algorithm id3 --out tennis.tw -q",
        "fit example:play_tennis_d15 --algorithm id3 --out d15.tw -q",
    ):
        assert run(line, here=folder).code == 0
    return folder


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    """A folder of its own with loans.csv."""
    write_loans(tmp_path)
    return tmp_path
