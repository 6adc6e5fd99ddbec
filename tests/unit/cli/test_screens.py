"""The walk-throughs, screen by screen, at 80 columns: what is printed is what is shown.

``screens/*.txt`` hold what a person types and sees. A screen that changed is looked at, and then
written anew: ``python -m unit.cli.test_screens`` in ``tests/``.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import pytest
from unit.cli.messy import write_loans
from unit.cli.typed import run

SCREENS = Path(__file__).parent / "screens"


def commands(text: str) -> list[tuple[str, str]]:
    """The lines typed and what was seen below each."""
    parts = re.split(r"^\$ treewright ?(.*)\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def seen(line: str, folder: Path) -> str:
    """What a line prints on both streams, and its exit code where it is not 0."""
    done = run(f"{line} --width 80", here=folder)
    told = done.both
    # Engines are as new as the machine has them.
    told = re.sub(r"(sqlite|gcc) \d+\.\d+\.\d+", r"\1 N", told)
    told = re.sub(r"^versions .*\n", "", told, flags=re.M)
    told = re.sub(r"format (\d+), [\d,]+ bytes", r"format \1, N bytes", told)
    return told + (f"(exit {done.code})\n" if done.code else "")


def prepare(folder: Path) -> None:
    """Put into a folder what the walk-throughs begin with."""
    path = write_loans(folder)
    head, *rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "train.csv").write_text(head + "".join(rows[:1500]), encoding="utf-8")
    (folder / "test.csv").write_text(head + "".join(rows[1500:]), encoding="utf-8")
    (folder / "last.csv").write_text(head + "".join(rows[:1200]), encoding="utf-8")


@pytest.mark.parametrize("name", sorted(file.stem for file in SCREENS.glob("*.txt")))
def test_a_walk_through_prints_what_it_shows(name: str, tmp_path: Path) -> None:
    if name == "exports" and shutil.which("gcc") is None:
        pytest.skip("no gcc here, which proves the C")
    prepare(tmp_path)
    for line, expected in commands((SCREENS / f"{name}.txt").read_text(encoding="utf-8")):
        found = seen(line, tmp_path)
        assert found == expected, f"treewright {line}\n{found}"
        assert max(map(len, found.splitlines()), default=0) <= 80


def write_anew() -> None:
    """Write every screen as it is printed now."""
    for file in SCREENS.glob("*.txt"):
        with tempfile.TemporaryDirectory() as folder:
            prepare(Path(folder))
            lines = [line for line, _ in commands(file.read_text(encoding="utf-8"))]
            text = "".join(f"$ treewright {line}\n{seen(line, Path(folder))}" for line in lines)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_anew()
