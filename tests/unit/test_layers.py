"""Who may see the compiled core; the other layers are import-linter contracts in pyproject.toml."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "treewright"


def test_only_encoding_model_and_learn_import_the_core() -> None:
    allowed = {"data/encoding.py", "model", "learn"}
    for file in SOURCE.rglob("*.py"):
        if not re.search(r"^\s*(from treewright import .*_core|import treewright\._core)",
                         file.read_text(), re.MULTILINE):  # fmt: skip
            continue
        place = file.relative_to(SOURCE).as_posix()
        assert place in allowed or place.split("/")[0] in allowed, place
