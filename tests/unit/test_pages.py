"""What the README and the pages of docs/ show, runs: Python, and lines typed at a shell.

The blocks of a page run one after the other, with the names and files that those above have made.
After a change was looked at, ``python -m unit.test_pages`` in ``tests/`` writes what is printed
anew (of all pages, or of those named behind it), and the pictures.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from unit.cli.typed import run

from treewright import load_example

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
ELSEWHERE = {"docs/exports.md", "docs/requirements.md"}
"""Pages with tests of their own: what they show depends on the machine, or is in tables."""

BLOCK = re.compile(
    r"```python\n(?P<code>.*?)```\n(?:\n```\n(?P<output>.*?)```\n)?|```console\n(?P<typed>.*?)```\n",
    re.DOTALL,
)
TYPED = re.compile(r"^\$ treewright (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
COMMANDS_IN_TEXT = re.compile(r"`make ([a-z-]+)`")


def pages() -> list[str]:
    """The README and every page of docs/, the decisions aside: those stay as they were written."""
    found = [page.relative_to(ROOT).as_posix() for page in DOCS.rglob("*.md")]
    return ["README.md", *sorted(name for name in found if "/decisions/" not in name)]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def without_versions(text: str) -> str:
    """Engines are as new as the machine has them."""
    return re.sub(r"(sqlite|python) 3[.0-9]*\d", r"\1 3", text)


def seen(line: str) -> str:
    """What a typed line prints on both streams; engines are as new as the machine has them."""
    done = run(f"{line} --width 80", here=Path.cwd())
    assert done.code == 0, done.both
    return done.both


def as_run(page: str) -> Iterator[tuple[str, str]]:
    """Run the blocks of a page; yields each as it stands, and as it would have to stand."""
    names: dict[str, object] = {"__name__": page}
    for block in BLOCK.finditer(read(page)):
        if block["typed"] is not None:
            lines = TYPED.sub(lambda m: f"$ treewright {m[1]}\n{seen(m[1])}", block["typed"])
            yield block[0], f"```console\n{without_versions(lines)}```\n"
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block["code"], page, "exec"), names)
        printed = without_versions(out.getvalue())
        shown = f"\n```\n{printed}```\n" if printed else ""
        yield block[0], f"```python\n{block['code']}```\n{shown}"


def made_pictures(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.svg") if (PICTURES / path.name).exists()]


RUN = [page for page in pages() if page not in ELSEWHERE and BLOCK.search(read(page))]


@pytest.mark.parametrize("page", RUN)
def test_what_a_page_shows_is_what_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for stands, would_stand in as_run(page):
        assert stands == would_stand
    for picture in made_pictures(tmp_path):
        assert picture.read_bytes() == (PICTURES / picture.name).read_bytes(), picture.name


def test_every_block_is_run() -> None:
    for page in pages():
        text = read(page)
        if page not in ELSEWHERE:
            blocks = [block[0] for block in BLOCK.finditer(text)]
            assert len(blocks) == len(re.findall(r"```(?:python|console)", text)), page
            typed = [line for block in blocks for line in re.findall(r"^\$ .*", block, re.M)]
            assert all(line.startswith("$ treewright ") for line in typed), page


def test_the_commands_of_make_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in [*pages(), "CONTRIBUTING.md"]:
        for target in COMMANDS_IN_TEXT.findall(read(page)):
            assert f"\n{target}:" in makefile, (page, target)


def test_the_lines_of_the_command_lines_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = read("docs/command-line.md")
    loans = load_example("loans")
    customer = [row // 4 for row in range(loans.X.n_rows)]
    table = loans.X.to_pandas().assign(customer=customer, outcome=loans.y).head(200)
    for name in ("loans", "new", "may", "june"):
        table.to_csv(f"{name}.csv", index=False)
    ill = load_example("diabetes")
    numbers = ill.X.to_pandas().assign(price=ill.y).head(100)
    for name in ("prices", "asked"):
        numbers.to_csv(f"{name}.csv", index=False)
    for name in ("may", "risk"):
        seen(f"fit {name if name == 'may' else 'loans'}.csv --out {name}.tw")
    seen("fit example:play_tennis_d15 --algorithm id3 --out d15.tw")
    Path("costs.csv").write_text(page.split("$ cat costs.csv\n")[1].split("$ ")[0])
    lines = re.findall(r"^\$ treewright (.*?)(?:  .*)?$", page, re.MULTILINE)
    assert len(lines) > 20
    for line in lines:
        done = run(line, here=tmp_path)
        is_asked = line.startswith("consult")  # and nobody is there to answer
        assert done.code == (1 if is_asked else 0), (line, done.both)


def write_anew(page: str) -> None:
    """Write what a page prints as it is now, and its pictures."""
    text = read(page)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for stands, would_stand in as_run(page):
            text = text.replace(stands, would_stand, 1)
        for name in re.findall(r"pictures/([\w-]+\.svg)", text):
            if Path(name).exists():
                (PICTURES / name).write_bytes(Path(name).read_bytes())
    (ROOT / page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("error")
    os.environ.setdefault("PYTHONWARNINGS", "error")
    for name in sys.argv[1:] or RUN:
        write_anew(name)
