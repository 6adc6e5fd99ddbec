"""The comparison of docs/linear-learners.md is what the example prints."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "linear-learners.md").read_text(encoding="utf-8")
COMPARISON = PAGE.split("## The comparison")[1]


def load_comparison() -> Any:
    path = ROOT / "examples" / "lecture_comparison.py"
    found = spec_from_file_location("lecture_comparison", path)
    assert found is not None
    assert found.loader is not None
    module = sys.modules[found.name] = module_from_spec(found)
    found.loader.exec_module(module)
    return module


example = load_comparison()


def test_a_small_comparison_has_every_learner_the_lectures_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    example.main(["breast_cancer", "--trees", "3", "--folds", "2"])
    printed = capsys.readouterr().out
    assert "failed" not in printed
    for name in ("SGD alone", "tree", "tree of depth 4", "pruned tree", "bagged trees", "forest"):
        assert re.search(rf"^{name}  +\d", printed, re.MULTILINE), name
    for name in ("boosted stumps", "stack", "SGD over stumps", "SGD over depth 4"):
        assert re.search(rf"^{name}  +\d", printed, re.MULTILINE), name


@pytest.mark.slow
@pytest.mark.parametrize("table", example.TABLES)
def test_the_page_shows_what_the_example_prints(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    example.main([table])
    assert capsys.readouterr().out.strip() in COMPARISON
