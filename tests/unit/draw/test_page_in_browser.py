"""The interactive page, driven in a browser: collapse, search, the path of a row."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit.draw.trees import LONG, NASTY, loans_tree

from treewright import CARTClassifier, DecisionTreeClassifier, Tree, load_example

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium"),
]


class Visit:
    """A page that is open, and what it complained of and asked for."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, tree: Tree, folder: Path, **options: Any) -> None:
        path = folder / "tree.html"
        tree.draw(**options).save(path)
        self.page.goto(path.as_uri())
        self.page.wait_for_selector(".node")

    def shown(self) -> int:
        return int(self.page.locator(".node").count())

    def type_row(self, row: dict[str, object]) -> None:
        for name, value in row.items():
            label = self.page.locator("#fields label").filter(has_text=name).first
            label.locator("input").fill("" if value is None else str(value))
        self.page.click("#row-form button[type=submit]")

    def leaves(self) -> list[int]:
        return [int(node) for node in self.page.get_attribute("#tree", "data-leaf").split()]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Visit]:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    visited = Visit(page)
    yield visited
    assert visited.complaints == []
    assert all(url.startswith("file:") for url in visited.requests)
    assert len(visited.requests) == 1
    page.close()


def test_collapse_and_open(visit: Visit, tmp_path: Path) -> None:
    visit.open(loans_tree(60), tmp_path)
    before = visit.shown()
    visit.page.locator('.node[data-node="0"]').click()
    assert visit.shown() == 1
    assert visit.page.get_attribute('.node[data-node="0"]', "aria-expanded") == "false"
    visit.page.keyboard.press("Enter")
    assert visit.shown() == before
    visit.page.click("#close-all")
    visit.page.click("#open-all")
    assert visit.shown() > before


def test_keys_go_through_the_tree(visit: Visit, tmp_path: Path) -> None:
    visit.open(loans_tree(8), tmp_path)
    visit.page.click("#close-all")
    visit.page.locator('.node[data-node="0"]').focus()
    visit.page.keyboard.press("ArrowRight")
    visit.page.keyboard.press("ArrowRight")
    focused = visit.page.evaluate("document.activeElement.dataset.node")
    assert focused == "1"
    visit.page.keyboard.press("ArrowLeft")
    assert visit.page.evaluate("document.activeElement.dataset.node") == "0"
    visit.page.keyboard.press("End")
    assert visit.page.evaluate("document.activeElement.getAttribute('role')") == "treeitem"


def test_search_opens_what_it_finds(visit: Visit, tmp_path: Path) -> None:
    tree = loans_tree(60)
    visit.open(tree, tmp_path)
    visit.page.click("#close-all")
    visit.page.keyboard.press("/")
    visit.page.keyboard.type("region")
    assert visit.page.inner_text("#hits").endswith("hits")
    visit.page.keyboard.press("Enter")
    assert visit.page.inner_text("#hits").startswith("1 of ")
    assert visit.page.locator(".node.now").count() == 1
    assert visit.shown() > 1
    visit.page.keyboard.press("Escape")
    assert visit.page.locator(".node.hit").count() == 0
    visit.page.fill("#search", "no such thing")
    assert visit.page.inner_text("#hits") == "0 hits"


def test_the_path_of_a_row_ends_where_the_tree_says(visit: Visit, tmp_path: Path) -> None:
    loans = load_example("loans")
    for tree in (loans_tree(60), CARTClassifier(max_depth=5).fit(loans.X, loans.y).tree_):
        visit.requests.clear()
        visit.open(tree, tmp_path)
        order = tree.draw().sketch.shown
        visit.page.click("#row summary")
        asked = {tree.schema.names[i] for i in tree.used_columns}
        for position in (0, 4, 72, 500, 1999):
            values = {name: loans.X[name][position] for name in loans.X.columns}
            visit.type_row({name: as_typed(values[name]) for name in sorted(asked)})
            expected = tree.explain(values)
            assert sorted(order[leaf] for leaf in visit.leaves()) == sorted(expected.leaves)
            assert f"predicted {expected.label}" in visit.page.inner_text("#told")


def as_typed(value: object) -> object:
    if value is None or value != value or isinstance(value, np.ma.core.MaskedConstant):
        return None
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else str(value)[:10]
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return value


def test_a_row_that_is_pasted(visit: Visit, tmp_path: Path) -> None:
    visit.open(loans_tree(8), tmp_path)
    visit.page.click("#row summary")
    visit.page.fill("#paste", "amount = 14,400, employment: pension, months=12; income=1361")
    visit.page.click("#row-form button[type=submit]")
    assert "This row is predicted late: amount 14,400" in visit.page.inner_text("#told")
    visit.page.click("#row-form button[type=reset]")
    assert visit.page.locator(".node.on").count() == 0


def test_hostile_names(visit: Visit, tmp_path: Path) -> None:
    X = {NASTY: [1.0, 2.0, 3.0, 4.0] * 5, LONG: [NASTY, "</script>", "<!--", "]]>"] * 5}
    y = [NASTY, "<img src=x onerror=alert(1)>", "b", "b"] * 5
    visit.open(DecisionTreeClassifier().fit(X, y).tree_, tmp_path, row=0)
    visit.page.fill("#search", "onerror")
    visit.page.keyboard.press("Enter")
    assert visit.page.locator("img").count() == 0
    assert visit.page.evaluate("document.scripts.length") == 2


def test_zoom_and_a_narrow_window(visit: Visit, tmp_path: Path) -> None:
    visit.open(loans_tree(60), tmp_path)
    width = float(visit.page.get_attribute("#tree", "width"))
    visit.page.click("#larger")
    assert float(visit.page.get_attribute("#tree", "width")) > width
    visit.page.set_viewport_size({"width": 400, "height": 700})
    visit.page.click("#whole")
    assert float(visit.page.get_attribute("#tree", "width")) <= 400
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 400
