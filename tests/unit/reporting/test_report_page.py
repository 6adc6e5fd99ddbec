"""The page of a report: one file, no script, no request, one style, and names that stay names."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from unit.reporting.tables import hostile_report, loans_report, numbers_report

from treewright.reporting.page.markup import cut_in_middle, markup, named, shown, tag
from treewright.reporting.page.style import style_of, without_style
from treewright.reporting.page.tables import Head, table
from treewright.reporting.report import Report

REPORTS = [loans_report, numbers_report, hostile_report]
VOID = {"meta", "br", "hr", "line", "path", "rect", "circle"}


class Read(HTMLParser):
    """The elements of a page: their tags, attributes and texts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        # Names stand in full where they are read aloud, or shown on hovering.
        if self.open and self.open[-1] not in ("style", "title", "desc"):
            self.texts.append(data)


@pytest.fixture(params=REPORTS, ids=["loans", "numbers", "hostile"])
def made(request: pytest.FixtureRequest) -> Report:
    found: Report = request.param()
    return found


def test_it_runs_no_script_and_asks_for_nothing(made: Report) -> None:
    page = Read(made.html())
    tags = {tag for tag, _ in page.elements}
    assert not tags & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "image",
    }
    for _, attributes in page.elements:
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name not in ("style", "src", "srcset", "action", "xlink:href")
            if name == "href":
                assert str(value).startswith("#")
    style = re.findall(r"<style>(.*?)</style>", made.html(), re.S)
    assert len(style) == 1
    assert "url(" not in style[0]
    assert "@import" not in style[0]


def test_the_policy_allows_the_one_style_alone(made: Report) -> None:
    page = made.html()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)
    style = re.search(r"<style>(.*?)</style>", page, re.S)
    assert policy is not None
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy[1] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def test_every_element_is_closed_and_every_id_is_there_once(made: Report) -> None:
    page = Read(made.html())
    assert page.wrong == []
    assert page.open == []
    ids = Counter(str(each["id"]) for _, each in page.elements if "id" in each)
    assert [name for name, n in ids.items() if n > 1] == []
    for tag_name, attributes in page.elements:
        target = attributes.get("href")
        if tag_name == "a" and target is not None:
            assert target[1:] in ids
        for name in str(attributes.get("aria-labelledby") or "").split():
            assert name in ids


def test_pictures_are_drawn_for_wide_and_narrow_pages_with_their_numbers() -> None:
    page = loans_report().html()
    figures = re.findall(r"<figure>.*?</figure>", page, re.S)
    drawn = [each for each in figures if 'class="drawn"' in each]
    assert len(drawn) > 8
    for each in drawn:
        assert each.count('<div class="wide"><svg') == 1
        assert each.count('<div class="narrow"><svg') == 1
        assert "<details><summary>The numbers</summary><table" in each


def test_hostile_names_stay_names() -> None:
    made = hostile_report()
    page = Read(made.html())
    assert "</script>" in "".join(page.texts)  # it is told, as text
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", made.html())
    assert len(made.html()) < 3_000_000
    words = [word for text in page.texts for word in text.split()]
    assert max(map(len, words)) <= 120  # 10,000 letters are cut


def test_the_dark_and_the_paper_have_the_colours_of_every_picture() -> None:
    page = loans_report().html()
    style = re.search(r"<style>(.*?)</style>", page, re.S)
    assert style is not None
    used = {
        name
        for each in re.findall(r'<(?:line|path|rect|circle|text) [^<>]*class="([^"]*)"', page)
        for name in each.split()
    }
    dark, paper = style[1].split("@media print", 1)
    assert used
    for name in used:
        assert f".{name}{{" in dark
    assert ".f-ink{fill:#000000}" in paper
    assert page.count("<style>") == 1  # no picture has a style of its own


def test_a_class_in_a_text_is_no_class_of_a_picture() -> None:
    told = '<svg><text x="1" class="f-ink">class="f-nosuch"</text></svg>'
    assert "nosuch" not in style_of([told])
    styled = "<svg><style>@media x{}</style>\n<rect/></svg>"
    assert without_style(styled) == "<svg><rect/></svg>"


def test_markup_escapes_what_is_no_markup() -> None:
    assert tag("p", "<b>", tag("i", "x")) == "<p>&lt;b&gt;<i>x</i></p>"
    assert tag("p", "x", title='"><b>') == '<p title="&quot;&gt;&lt;b&gt;">x</p>'
    assert markup(["a", ["b", "&"]]) == "ab&amp;"
    assert "\u202e" not in markup("a\u202eb")


def test_long_names_are_cut_in_the_middle() -> None:
    assert shown("short") == "short"
    assert shown(True) == "yes"
    assert len(shown("y" * 10_000)) == 48
    assert cut_in_middle("abcdefghij", 5) == "ab…ij"
    long = named("n" * 10_000)
    assert 'title="' in long
    assert len(long) < 2_200
    assert len(markup("w" * 10_000)) == 80
    assert len(markup("a b " * 10_000)) <= 3_000


def test_long_tables_are_folded_and_short_ones_are_not() -> None:
    heads = [Head("a"), Head("n", is_number=True, drop=True)]
    few = table(heads, [["x", "1"]] * 23)
    assert "<details>" not in few
    assert few.count("<tr>") == 24
    many = table(heads, [["x", "1"]] * 24)
    assert "<summary>Show the other 4</summary>" in many
    assert many.count("<tr>") == 26
    assert '<td class="n drop">1</td>' in many


def test_numbers_and_answers_read_alike_everywhere() -> None:
    page = loans_report().html().replace("\u202f", " ")
    assert "</b> = without work</td>" in page  # and not "employment without work"
    assert "instead of 2,000" in page
    assert "It would be “" in page
    assert "10 %</text>" in page[page.index('id="importance') :].split("</figure>")[0]
    text = loans_report().html()
    assert "95 % interval" not in text
