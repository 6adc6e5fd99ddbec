"""The interactive page: one file, data that cannot run, and the data themselves."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

import numpy as np
from unit.draw.trees import LONG, NASTY, loans_tree, number_tree
from unit.tree.hand_trees import chain

from treewright import CARTClassifier, DecisionTreeClassifier, Tree, load_example


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="tree-data">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def hostile() -> Tree:
    X = {NASTY: [1.0, 2.0, 3.0, 4.0], LONG: [NASTY, "</script>", "<!--", "]]>"]}
    return DecisionTreeClassifier().fit(X, [NASTY, "<script>", "b", "b"]).tree_


def test_the_policy_allows_the_one_script_and_the_one_style() -> None:
    page = hostile().draw().html()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)
    assert policy is not None
    assert policy.group(1).startswith("default-src 'none'; ")
    assert "unsafe" not in policy.group(1)
    for tag, what in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        content = re.search(what, page, re.S)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content.group(1).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy.group(1)
        assert len(content.group(1)) < 200_000


def test_names_cannot_leave_the_block_of_data() -> None:
    page = hostile().draw(row=0).html()
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "alert('x')</script>" not in page
    assert data_of(page)["columns"][0]["name"] in (NASTY, LONG)


def test_nothing_is_asked_of_the_network() -> None:
    page = loans_tree(15).draw().html()
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_nodes_and_questions() -> None:
    tree = loans_tree(8)
    data = data_of(tree.draw().html())
    assert len(data["nodes"]) == tree.n_nodes
    root = data["nodes"][0]
    assert root["q"]["t"] == [17250.0]
    assert root["c"] == [1, 1 + len(data["nodes"]) - 6] or len(root["c"]) == 2
    assert [name for name, _, _ in data["classes"]] == ["default", "late", "repaid"]
    assert sum(child["rows"] for child in (data["nodes"][i] for i in root["c"])) == root["rows"]


def test_surrogates_numbers_and_dates_are_told() -> None:
    loans = load_example("loans")
    tree = CARTClassifier(max_depth=3).fit(loans.X, loans.y).tree_
    data = data_of(tree.draw().html())
    assert any(node.get("q", {}).get("s") for node in data["nodes"])
    days = np.array(["2019-03-20", "2019-03-21", "2019-03-24", "2019-03-25"], "M8[ns]")
    tree = DecisionTreeClassifier().fit({"day": days}, ["a", "a", "b", "b"]).tree_
    cut = data_of(tree.draw().html())["nodes"][0]["q"]["t"][0]
    assert cut == np.datetime64("2019-03-22T12", "ms").astype(int)
    whole = [2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3]
    tree = DecisionTreeClassifier().fit({"id": whole}, ["a", "a", "b", "b"]).tree_
    cut = data_of(tree.draw().html())["nodes"][0]["q"]["t"][0]
    assert cut == str(2**60 + 1)
    assert data_of(number_tree(5).draw(row=3).html())["nodes"][0]["d"]["at"][1] > 0


def test_a_large_tree_is_cut_back() -> None:
    page = chain(20_000).draw().html()
    assert len(data_of(page)["nodes"]) <= 4_000


def test_the_page_says_how_to_read_its_cards() -> None:
    assert (
        "Bar: share of the classes. Line width: share of the rows." in loans_tree(5).draw().html()
    )
