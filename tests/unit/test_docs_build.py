"""The documentation as Sphinx builds it: no warning, every public name, no request when read."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import treewright

pytestmark = pytest.mark.slow  # half a minute; .ci/run builds the pages anyway
pytest.importorskip("furo", reason="the extra docs is not installed")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    options = ["-n", "-W", "--keep-going", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(out / "html")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out / "html"


def public_names() -> set[str]:
    """Public names of the package, and those of its public modules."""
    names = set()
    for name in treewright.__all__:
        found = getattr(treewright, name)
        if not hasattr(found, "__spec__"):
            names.add(f"treewright.{name}")
            continue
        module = importlib.import_module(f"treewright.{name}")
        listed = getattr(module, "__all__", None) or [
            each for each, value in vars(module).items() if isinstance(value, type)
        ]
        names |= {f"treewright.{name}.{each}" for each in listed}
    return names


def test_every_public_name_is_in_the_index(site: Path) -> None:
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    found = {line.split()[0] for line in zlib.decompress(inventory).decode().splitlines()}
    elsewhere = {"rules.RuleSet", "persist.load", "persist.save"}  # pages of the package itself
    constants = {"prune.PRUNERS", "export.TARGETS"}
    left_out = {f"treewright.{name}" for name in elsewhere | constants}
    missing = public_names() - found - left_out
    assert missing <= {"treewright.evaluate.Interval"}
    assert "treewright.evaluate.intervals.Interval" in found
    assert {"treewright.C45Classifier.why", "treewright.Tree.prune"} <= found


def test_pages_ask_for_nothing_from_the_network(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 100
    for page in [*pages, *site.rglob("*.css")]:
        text = page.read_text(encoding="utf-8")
        wanted = re.findall(r"""(?:src=|<link[^>]*href=|url\()["']?(https?://[^"')\s]*)""", text)
        assert not wanted, (page.name, wanted)
