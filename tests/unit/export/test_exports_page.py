"""The page of the exports does what it says."""

import re
from pathlib import Path

import pytest

from treewright import export

PAGE = Path(__file__).parents[3] / "docs" / "exports.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not installed")
def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    made: dict[str, export.Exported] = {}
    exec(program.replace('"risk.c")', '"risk.c", n_rows=500)'), made)
    shown = str(made["made"]).splitlines()
    assert shown[0] in text
    assert (tmp_path / "risk.c").exists()
    assert export.is_exported(tmp_path / "risk.c")


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not installed")
def test_the_page_names_every_target() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in export.TARGETS:
        assert f"`export.{name}`" in text, name
