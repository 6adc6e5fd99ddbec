"""What the README and the guide show, runs: Python, and lines typed at a shell.

After a change was looked at, ``python -m unit.test_pages`` in ``tests/`` writes the README's
outputs anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path

import pytest
from unit.cli.typed import run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
PYTHON = re.compile(r"```python\n(.*?)```\n\n```\n(.*?)```", re.DOTALL)
TYPED = re.compile(r"^\$ treewright (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def printed(code: str) -> str:
    """What Python lines print."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    return out.getvalue()


def seen(line: str, folder: Path) -> str:
    """What a typed line prints on both streams; engines are as new as the machine has them."""
    done = run(f"{line} --width 80", here=folder)
    assert done.code == 0, done.both
    return re.sub(r"sqlite \d+\.\d+\.\d+", "sqlite 3", done.both)


def test_the_readmes_python_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = PYTHON.findall(README)
    assert len(found) == README.count("```python") > 0
    for code, output in found:
        assert printed(code) == output
    picture = (ROOT / "docs" / "pictures" / "loans.svg").read_bytes()
    assert (tmp_path / "loans.svg").read_bytes() == picture


def test_the_readmes_commands_print_what_it_shows(tmp_path: Path) -> None:
    found = TYPED.findall(README)
    assert len(found) == README.count("\n$ ") > 0
    for line, output in found:
        assert seen(line, tmp_path) == output, line


@pytest.mark.parametrize(("code", "output"), PYTHON.findall(GUIDE))
def test_the_guides_python_prints_what_it_shows(code: str, output: str) -> None:
    assert output in printed(code)


def test_every_block_of_the_guide_is_run() -> None:
    assert len(PYTHON.findall(GUIDE)) == GUIDE.count("```python") > 0


def test_the_commands_of_make_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)`", README + GUIDE):
        assert f"\n{target}:" in makefile, target


@pytest.mark.parametrize(
    "page", ["README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]
)
def test_links_inside_resolve(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in LINK.findall(text):
        assert ((ROOT / page).parent / target).exists(), target


def write_anew() -> None:
    """Write the README's outputs as they are now."""
    text = README
    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            text = TYPED.sub(lambda m: f"$ treewright {m[1]}\n{seen(m[1], Path(folder))}", text)
            text = PYTHON.sub(lambda m: f"```python\n{m[1]}```\n\n```\n{printed(m[1])}```", text)
            picture = Path("loans.svg").read_bytes()
        finally:
            os.chdir(before)
    (ROOT / "docs" / "pictures" / "loans.svg").write_bytes(picture)
    (ROOT / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_anew()
