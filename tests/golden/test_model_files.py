"""Files that earlier releases have written load, and answer as they did then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import treewright as tw
from golden.model_files import FOLDER, answers

FILES = sorted(path for path in FOLDER.glob("*/*") if path.name != "answers.json")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_of_an_earlier_release_answers_as_it_did(path: Path) -> None:
    known = json.loads((path.parent / "answers.json").read_text())[path.name]
    assert answers(tw.load(path)) == known
    assert tw.persist.describe(path).kind == known["kind"]


def test_files_of_every_release_are_there() -> None:
    assert [folder.name for folder in sorted(FOLDER.iterdir())] == ["0.1"]
    assert len(FILES) >= 15
