"""Trees drawn into files by ``show --out``."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.cli.typed import run

import treewright as tw


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_show_draws_the_tree_into_a_file(grown: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"loans{suffix}"
    done = run(f"show loans.tw --depth 2 --out {out}", here=grown)
    assert done.code == 0
    assert done.out == ""
    assert done.err.startswith("saved ")
    drawn = tw.load(grown / "loans.tw").tree_.draw(max_depth=2)
    drawn.save(tmp_path / f"other{suffix}")
    assert out.read_bytes() == (tmp_path / f"other{suffix}").read_bytes()


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_a_picture_of_ours_is_replaced_and_another_is_not(
    grown: Path, tmp_path: Path, suffix: str
) -> None:
    out = tmp_path / f"tree{suffix}"
    run(f"show loans.tw --out {out}", here=grown)
    assert run(f"show loans.tw --out {out}", here=grown).err.startswith("replaced ")
    out.write_text("<svg>mine</svg>", encoding="utf-8")
    done = run(f"show loans.tw --out {out}", here=grown)
    assert done.code == 1
    assert "treewright did not write it" in done.err
    assert out.read_text(encoding="utf-8") == "<svg>mine</svg>"
