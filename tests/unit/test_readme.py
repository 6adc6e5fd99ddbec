"""What the README shows, runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_readmes_examples_print_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```(\w*)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    kinds = [kind for kind, _ in blocks]
    assert kinds == ["python", ""] * (len(kinds) // 2)
    for (_, code), (_, output) in zip(blocks[::2], blocks[1::2], strict=True):
        exec(compile(code, "README.md", "exec"), {})
        assert output in capsys.readouterr().out


def test_the_readmes_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make ([a-z-]+)`", (ROOT / "README.md").read_text()):
        assert f"\n{target}:" in makefile, target
