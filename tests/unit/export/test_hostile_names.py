"""Names and categories of every kind survive every target, and nothing in them is executed."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treewright import DecisionTreeClassifier, export
from treewright.errors import ParameterError, UnsupportedError

NAMES = [
    "it's",
    'say "hello"',
    "two\nlines",
    "a */ int x; /*",
    "<script>alert(1)</script>",
    "'; DROP TABLE data; --",
    "$(touch /tmp/x) `id`",
    "emoji 🌳 ünïcode",
    "back\\slash \\n \\",
    "@head@ %s {0} ${x}",
    "?? trigraph ??/",
    '"""',
    "class",
    "x" * 10_000,
    "]]> & <!-- -->",
]


def hostile_model() -> Any:
    random = np.random.default_rng(0)
    n = 400
    columns = {name: random.choice(NAMES, n) for name in NAMES[:8]}
    columns |= {name: random.normal(size=n) for name in NAMES[8:]}
    label = np.array(
        [columns[NAMES[0]][i] if columns[NAMES[8]][i] > 0 else NAMES[i % 3] for i in range(n)]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = DecisionTreeClassifier(max_depth=5, missing="majority", unseen="majority")
        return tree.fit(columns, label)


@pytest.mark.parametrize("target", ["python", "c", "javascript", "sql", "onnx", "treelite"])
def test_hostile_names_survive(target: str, tmp_path: Path) -> None:
    path = tmp_path / f"out{export.TARGETS[target].suffixes[0]}"
    made = getattr(export, target)(hostile_model(), path, n_rows=400)
    assert made.proof is not None
    if made.proof.not_run:
        pytest.skip(made.proof.not_run)
    assert made.proof.holds, str(made.proof)[:2000]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["rust", "pmml"])
def test_hostile_names_survive_slow_engines(target: str) -> None:
    made = getattr(export, target)(hostile_model(), n_rows=200)
    if made.proof.not_run:
        pytest.skip(made.proof.not_run)
    assert made.proof.holds, str(made.proof)[:2000]


def test_a_name_of_a_program_is_made_an_identifier() -> None:
    made = export.c(hostile_model(), name="x; system(1)", proof=False)
    assert made.name == "x_system_1"
    with pytest.raises(ParameterError, match="must be a text"):
        export.c(hostile_model(), name=3)  # type: ignore[arg-type]


def test_a_zero_byte_is_refused_where_it_ends_a_text() -> None:
    tree = DecisionTreeClassifier().fit({"x": ["a\0b", "c"] * 20}, [0, 1] * 20)
    for target in ("c", "sql"):
        with pytest.raises(UnsupportedError, match="zero byte"):
            getattr(export, target)(tree)
    made = export.python(tree, n_rows=20)
    assert made.proof is not None
    assert made.proof.holds


def test_text_that_is_no_unicode_is_refused_but_by_python() -> None:
    tree = DecisionTreeClassifier().fit({"x": ["a\ud800b", "c"] * 20}, [0, 1] * 20)
    for target in ("c", "rust", "onnx"):
        with pytest.raises(UnsupportedError, match="no valid Unicode"):
            getattr(export, target)(tree)
    assert "\\ud800" in export.python(tree, proof=False).text


def test_a_graph_of_hostile_names_has_one_line_for_each_node() -> None:
    text = export.dot(hostile_model()).text
    tree = hostile_model().tree_
    assert text.count("\n") == 2 * tree.n_nodes - 1 + 5
