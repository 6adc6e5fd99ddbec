from __future__ import annotations

import re

import numpy as np
import pytest
from unit.chart.places import check_apart
from unit.draw.trees import NASTY, loans_tree

from treewright import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    load_example,
)
from treewright.errors import ColumnMismatchError, UnsupportedError

PETALS = ("petal length (cm)", "petal width (cm)")


def test_boxes_are_those_of_the_tree() -> None:
    iris = load_example("iris")
    tree = DecisionTreeClassifier().fit(iris.X.select(PETALS), iris.y).tree_
    picture = tree.draw_regions(*PETALS)
    rng = np.random.default_rng(0)
    points = rng.uniform([0, 0], [8, 3], (500, 2))
    leaves = tree.apply(dict(zip(PETALS, points.T, strict=True)))
    for (x, y), leaf in zip(points.tolist(), leaves.tolist(), strict=True):
        inside = [
            each.leaf
            for each in picture.regions
            if each.left < x <= each.right and each.low < y <= each.high
        ]
        assert inside == [leaf]


def test_what_is_told() -> None:
    iris = load_example("iris")
    model = DecisionTreeClassifier(max_leaf_nodes=3).fit(iris.X.select(PETALS), iris.y)
    picture = model.draw_regions(*PETALS)
    assert picture.title == "Two cuts separate 96\u202f% of the rows"
    assert sum(picture.wrong) == 6
    assert len(picture.numbers().rows) == 3


@pytest.mark.parametrize("width", [320, 400, 760])
def test_nothing_overlaps(width: int) -> None:
    iris, diabetes = load_example("iris"), load_example("diabetes")
    trees = [
        DecisionTreeClassifier().fit(iris.X.select(PETALS), iris.y).tree_.draw_regions(*PETALS),
        DecisionTreeRegressor(max_leaf_nodes=9)
        .fit(diabetes.X.select(["bmi", "s5"]), diabetes.y)
        .draw_regions("bmi", "s5"),
        DecisionTreeClassifier()
        .fit({NASTY: [1.0, 1e9, 3.0, -1e9], "y": [0.0, 1e-9, 1.0, 2.0]}, [NASTY, "a", "b", "a"])
        .draw_regions(NASTY, "y"),
    ]
    for picture in trees:
        check_apart(picture.svg(width=width))


def test_other_columns_are_held_at_a_row() -> None:
    tree = loans_tree(12)
    with pytest.raises(
        UnsupportedError, match=r"asks about .* which is neither 'amount' nor 'income'"
    ):
        tree.draw_regions("amount", "income")
    held = {"employment": "salaried", "months": 24, "years_employed": 3}
    picture = tree.draw_regions("amount", "income", at=held)
    assert "of these rows" in picture.title
    for region in picture.regions:
        x = region.right if np.isfinite(region.right) else region.left + 1
        y = region.high if np.isfinite(region.high) else region.low + 1
        assert tree.explain({**held, "amount": x, "income": y}).leaves == (region.leaf,)


def test_what_is_refused() -> None:
    play = load_example("play_tennis")
    tree = ID3Classifier().fit(play.X, play.y).tree_
    with pytest.raises(UnsupportedError, match="but 'Outlook' is nominal"):
        tree.draw_regions("Outlook", "Wind")
    with pytest.raises(ColumnMismatchError, match="there is no column 'Outlok'"):
        tree.draw_regions("Outlok", "Wind")


def test_dots_of_numbers_can_be_told_from_their_boxes() -> None:
    diabetes = load_example("diabetes")
    model = DecisionTreeRegressor(max_leaf_nodes=6).fit(
        diabetes.X.select(["bmi", "s5"]), diabetes.y
    )
    picture = model.tree_.draw_regions("bmi", "s5")
    assert "Shade: the mean." in picture.subtitle
    drawing = picture.svg(theme="dark")
    boxes = set(re.findall(r'<rect [^>]*fill="(#\w+)" stroke="#14181D"', drawing))
    dots = set(re.findall(r'<circle [^>]*fill="(#\w+)"', drawing))
    assert boxes
    assert dots
    assert not boxes & dots
