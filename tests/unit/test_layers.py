"""Who may see the compiled core; the other layers are import-linter contracts in pyproject.toml."""

import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "treewright"


def test_only_encoding_model_and_learn_import_the_core() -> None:
    allowed = {"data/core_columns.py", "model", "learn"}
    for file in SOURCE.rglob("*.py"):
        if not re.search(r"^\s*(from treewright import .*_core|import treewright\._core)",
                         file.read_text(), re.MULTILINE):  # fmt: skip
            continue
        place = file.relative_to(SOURCE).as_posix()
        assert place in allowed or place.split("/")[0] in allowed, place


def test_importing_the_package_loads_none_of_the_estimators_of_scikit_learn() -> None:
    code = "import sys, treewright; print(*sorted(m for m in sys.modules if m.count('.') == 1))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "sklearn.base" in loaded
    heavy = {"sklearn.ensemble", "sklearn.linear_model", "sklearn.metrics", "sklearn.tree"}
    assert not heavy & set(loaded)
