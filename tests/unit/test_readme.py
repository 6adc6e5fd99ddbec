"""What the README shows, runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_readmes_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "(all rows)" in shown
    assert "THEN late" in shown


def test_the_readmes_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make ([a-z-]+)`", (ROOT / "README.md").read_text()):
        assert f"\n{target}:" in makefile, target
