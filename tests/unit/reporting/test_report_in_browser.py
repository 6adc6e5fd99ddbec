"""The report in a browser: nothing asked for, nothing complained of, nothing beyond the edge."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from unit.reporting.tables import hostile_report, loans_report, numbers_report

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium"),
]

CUT = """() => {
  const wide = document.documentElement.clientWidth;
  const out = [];
  for (const each of document.querySelectorAll('main *')) {
    const box = each.getBoundingClientRect();
    if (box.width > 0 && box.right > wide + 1) out.push(each.tagName);
  }
  return out;
}"""
OVERLAPS = """() => {
  const out = [];
  for (const svg of document.querySelectorAll('main svg')) {
    const box = svg.getBoundingClientRect();
    if (!box.width) continue;
    for (const text of svg.querySelectorAll('text')) {
      const own = text.getBoundingClientRect();
      if (own.left < box.left - 2 || own.right > box.right + 2) out.push(text.textContent);
    }
  }
  return out;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield opened
        opened.close()


@pytest.mark.parametrize("width", [1280, 1000, 400])
@pytest.mark.parametrize("made", [loans_report, numbers_report, hostile_report])
def test_nothing_is_asked_complained_of_or_cut(
    browser: Any, made: Any, width: int, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    made().save(path)
    page = browser.new_page(viewport={"width": width, "height": 900})
    complaints: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    assert page.evaluate(CUT) == []
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate(CUT) == []
    assert complaints == []
    assert requests == [path.as_uri()]
    page.close()
