"""examples/olivetti_forest.py: it draws what it measures, and says so where there is no table."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "olivetti_forest.py"


def load_example() -> Any:
    found = spec_from_file_location("olivetti_forest", EXAMPLE)
    assert found is not None
    assert found.loader is not None
    module = sys.modules[found.name] = module_from_spec(found)  # dataclasses look it up
    found.loader.exec_module(module)
    return module


example = load_example()


def write_faces(path: Path) -> None:
    """Write twelve "faces" each of four people, told apart by the level of their grey."""
    random = np.random.default_rng(0)
    lines = ["p0,p1,p2,person"]
    for person in range(4):
        grey = 10 * person + random.integers(0, 4, size=(12, 3))
        lines += [",".join([*map(str, face), f"person{person}"]) for face in grey]
    path.write_text("\n".join(lines) + "\n")


def test_the_picture_has_a_point_for_every_alpha(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, picture = tmp_path / "faces.csv", tmp_path / "made" / "picture.svg"
    write_faces(table)
    example.main(["--table", str(table), "--trees", "3", "--out", str(picture)])
    lines = ElementTree.fromstring(picture.read_text()).findall("{*}polyline")
    assert len(lines) == 4  # a tree and a forest, faces seen and not
    assert all(len(line.attrib["points"].split()) == len(example.ALPHAS) for line in lines)
    assert "100.0 (100.0)" in capsys.readouterr().out.splitlines()[2]  # alpha is 0


def test_says_that_it_skips_where_the_table_is_absent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "picture.svg"
    example.main(["--table", str(tmp_path / "none.parquet"), "--out", str(picture)])
    assert capsys.readouterr().out.startswith("Skipped: the Olivetti faces are not at")
    assert not picture.exists()


@pytest.mark.slow
@pytest.mark.skipif(not example.FACES.exists(), reason="../shared/datasets is not here")
def test_a_forest_beats_a_tree_on_faces_at_every_alpha() -> None:
    forest, tree = example.compare(*example.read_faces(example.FACES), n_trees=50)
    apart = forest.unseen.mean(axis=1) - tree.unseen.mean(axis=1)
    assert np.all(apart > 30)
    assert forest.unseen[0].mean() > 90  # fully grown
