from __future__ import annotations

from typing import Any

import pytest
from unit.chart.places import check_apart, texts

from treewright import (
    AdaBoostClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    load_example,
)
from treewright.errors import ParameterError


@pytest.mark.parametrize("width", [900, 400])
def test_some_trees_side_by_side(width: int) -> None:
    loans, diabetes = load_example("loans"), load_example("diabetes")
    models: list[Any] = [
        RandomForestClassifier(n_estimators=70, random_state=0).fit(loans.X, loans.y),
        RandomForestRegressor(n_estimators=5, random_state=0).fit(diabetes.X, diabetes.y),
        GradientBoostingClassifier(n_estimators=5).fit(loans.X, loans.y),
        AdaBoostClassifier(n_estimators=5).fit(loans.X, loans.y),
    ]
    for model in models:
        svg = model.draw().svg(width=width)
        check_apart(svg)
        assert len(svg) < 300_000


def test_typical_trees_are_drawn_in_their_order() -> None:
    loans = load_example("loans")
    forest = RandomForestClassifier(n_estimators=9, random_state=0).fit(loans.X, loans.y)
    picture = forest.draw(n_trees=3)
    numbers = picture.numbers()
    assert len(numbers.rows) == 3
    assert list(picture.numbers_of_trees) == sorted(picture.numbers_of_trees)
    with pytest.raises(ParameterError, match="n_trees=0 must be at least 1"):
        forest.draw(n_trees=0)


def test_a_tree_without_training_rows_has_no_empty_histogram() -> None:
    loans = load_example("loans")
    model = GradientBoostingClassifier(n_estimators=2, max_leaf_nodes=5).fit(loans.X, loans.y)
    svg = model.ensemble_[0].draw().svg()
    check_apart(svg)
    assert not any(text == "−0.000" for text, _, _ in texts(svg))
    diabetes = load_example("diabetes")
    weighted = DecisionTreeRegressor(max_leaf_nodes=4).fit(
        diabetes.X, diabetes.y, sample_weight=[2] * len(diabetes.y)
    )
    assert any("884" in text for text, _, _ in texts(weighted.draw().svg()))


def test_boosting_shows_its_first_trees_and_the_largest() -> None:
    loans = load_example("loans")
    model = GradientBoostingClassifier(n_estimators=30, random_state=0).fit(loans.X, loans.y)
    picture = model.draw()
    first = ["round 1, default", "round 1, late", "round 1, repaid", "round 2, default"]
    assert list(picture.names[:4]) == first
    sizes = [model.ensemble_[i].n_leaves for i in picture.numbers_of_trees]
    assert max(sizes) == max(tree.n_leaves for tree in list(model.ensemble_)[:60])
    assert "Shade: what a leaf adds" in picture.subtitle


def test_the_typical_size_is_that_of_a_tree() -> None:
    loans = load_example("loans")
    forest = RandomForestClassifier(n_estimators=8, random_state=1).fit(loans.X, loans.y)
    told = int(forest.draw().title.split()[-2])
    assert told in [tree.n_leaves for tree in forest.ensemble_]
