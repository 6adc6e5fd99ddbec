"""Every link inside the documentation leads somewhere, every page and public name is reached."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import treewright

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page.relative_to(ROOT).as_posix() for page in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]
)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
TREES = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def anchors(text: str) -> set[str]:
    """The slugs of the headings of a page, as code hosts and Sphinx make them."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.MULTILINE)
    plain = (re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES)
def test_links_inside_lead_somewhere(page: str) -> None:
    for target, anchor in LINK.findall(FENCED.sub("", read(page))):
        path = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path.read_text(encoding="utf-8")), f"{target}#{anchor}"


def listed(page: Path) -> list[Path]:
    """The pages below one, by its tables of contents."""
    names = [
        line
        for tree in TREES.findall(page.read_text(encoding="utf-8"))
        for line in tree.split("\n")
    ]
    return [page.parent / f"{name}.md" for name in names if name and not name.startswith(":")]


def test_every_page_is_in_a_table_of_contents() -> None:
    reached = open_pages = {DOCS / "index.md"}
    while open_pages:
        open_pages = {below for page in open_pages for below in listed(page)} - reached
        assert all(page.exists() for page in open_pages), open_pages
        reached = reached | open_pages
    decisions = DOCS / "decisions"
    assert reached == {page for page in DOCS.rglob("*.md") if page.parent != decisions} | {
        decisions / "README.md"
    }


def test_every_decision_has_its_line() -> None:
    table = read("docs/decisions/README.md")
    for page in (DOCS / "decisions").glob("[0-9]*.md"):
        assert f"]({page.name})" in table, page.name


REFERENCE = "\n".join(read(page) for page in PAGES if page.startswith("docs/reference/"))


@pytest.mark.parametrize("name", treewright.__all__)
def test_every_public_name_stands_in_the_reference(name: str) -> None:
    """Sphinx then lists all public names of a module, and all methods of a class."""
    if hasattr(getattr(treewright, name), "__path__") or name == "errors":
        assert f".. automodule:: treewright.{name}\n   :members:" in REFERENCE
    else:
        listed = rf"^   {name}$|^\.\. autofunction:: {name}$"
        assert len(re.findall(listed, REFERENCE, re.MULTILINE)) == 1


@pytest.mark.parametrize("name", re.findall(r"^   (treewright\..*)$", REFERENCE, re.MULTILINE))
def test_results_in_the_reference_exist(name: str) -> None:
    home, _, thing = name.rpartition(".")
    assert getattr(importlib.import_module(home), thing).__doc__


def test_names_left_out_of_a_module_stand_elsewhere() -> None:
    for names in re.findall(r":exclude-members: (.*)", REFERENCE):
        for name in names.split(", "):
            assert re.search(
                rf"^   {name}$|autofunction:: {name}$|evaluate.intervals", REFERENCE, re.M
            )
