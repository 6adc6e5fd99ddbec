"""What the page on plots shows, runs, and its pictures are those that its lines save."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.test_pages import PYTHON, ROOT, printed

PAGE = ROOT / "docs" / "plots.md"
PICTURES = ("partial-dependence", "shap-row", "shap-columns")


def test_blocks_print_what_they_show_and_save_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    found = PYTHON.findall(page)
    assert len(found) == page.count("```python") > 0
    for code, output in found:
        assert printed(code) == output
    for name in PICTURES:
        shown = (ROOT / "docs" / "pictures" / f"{name}.svg").read_bytes()
        assert (tmp_path / f"{name}.svg").read_bytes() == shown, name
