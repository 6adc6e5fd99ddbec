"""Every call of ``docs/requirements.md`` runs, and gives what the page says."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "requirements.md").read_text(encoding="utf-8")
LINE = re.compile(r"^\| (\d+) \| (.+?) \| `(.+)` \| `(.+)` \|$", re.MULTILINE)
LINES = [(int(n), words, *_unescaped) for n, words, *_unescaped in LINE.findall(PAGE)]
ASKED = set(range(1, 138))


@cache
def beginning() -> dict[str, Any]:
    """What the lines before the tables define."""
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {}
    exec(compile(found[1], "requirements.md", "exec"), names)
    return names


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        pytest.param(call.replace(r"\|", "|"), answer.replace(r"\|", "|"), id=f"{n}: {words}")
        for n, words, call, answer in LINES
    ],
)
def test_the_call_gives_what_the_page_says(call: str, answer: str) -> None:
    module = ast.parse(call)
    last = module.body.pop()
    assert isinstance(last, ast.Expr)
    names = dict(beginning())
    exec(compile(module, "requirements.md", "exec"), names)
    assert (
        repr(eval(compile(ast.Expression(last.value), "requirements.md", "eval"), names)) == answer
    )


def test_every_requirement_has_a_line() -> None:
    n_rows = sum(line.startswith("| ") and line[2].isdigit() for line in PAGE.splitlines())
    assert len(LINES) == n_rows, "a line that is not read"
    assert {n for n, *_ in LINES} == ASKED
