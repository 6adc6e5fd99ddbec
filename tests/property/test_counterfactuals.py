"""No row that gets the wanted answer is nearer, and what is found gets it, from any model."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import counterfactuals as oracle

from property.grow.test_invariance import assume_fit, draw_tree_options
from property.growing import examples, grow
from property.tables import STORAGES, Column, Sample
from property.test_predictions import row_of, tables_alike
from treewright import (
    AdaBoostClassifier,
    C45RulesClassifier,
    DecisionTreeClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RuleSet,
)
from treewright.counterfactual.counterfactual import Counterfactual
from treewright.errors import NoSuchRowError, TreewrightError
from treewright.tree.question import Categories, Intervals
from treewright.tree.tree import Tree

TASKS = [("classes", "gini"), ("classes", "gain_ratio"), ("numbers", "squared_error")]


def cuts_of(tree: Tree, index: int) -> list[Any]:
    """Every cut of a column, those of surrogates included."""
    cuts: list[Any] = []
    for node in range(tree.n_nodes):
        asked = tree.question(node)
        if asked is None:
            continue
        for question in (asked, *(each.question for each in tree.surrogates(node))):
            if question.index != index or isinstance(question, Categories):
                continue
            if isinstance(question, Intervals):
                cuts += question.cuts
            elif not question.is_open:
                cuts.append(question.threshold)
    return cuts


def moves_of(tree: Tree, index: int, column: Column, row: Any) -> tuple[list[Any], float | None]:
    """The values of a column that are tried, and its scale; `column` is of the rows given."""
    known = [value for value in column.values if value is not None]
    if column.storage == "nominal":
        return list(dict.fromkeys([row, *tree.schema.columns[index].values])), None
    if column.storage == "ordinal":
        ranks = range(len(tree.schema.columns[index].values))
        return list(dict.fromkeys([row, *ranks])), oracle.spread(known)
    finite = sorted(v for v in known if np.isfinite(v))
    is_float = column.storage == "int" and tree.schema.columns[index].storage == "float"
    moves = oracle.moves_of_number(
        row,
        cuts_of(tree, index),
        known,
        kind="float" if is_float else column.storage,  # floats hold all whole numbers of fit
        middle=finite[0] if finite else 0,
    )
    return moves, oracle.spread(known)


def least(tree: Tree, sample: Sample, row: list[Any], to: Any, fixed: set[str]) -> float | None:
    """The distance of the nearest row of the grid with the wanted answer, by brute force."""
    pairs = [
        moves_of(tree, index, column, value)
        for index, (column, value) in enumerate(zip(sample.columns, row, strict=True))
    ]
    moves = [
        [value] if f"c{index}" in fixed else tried
        for index, ((tried, _), value) in enumerate(zip(pairs, row, strict=True))
    ]

    def is_wanted(grid: list[tuple[Any, ...]]) -> list[bool]:
        columns = tuple(
            replace(column, values=values)
            for column, values in zip(sample.columns, zip(*grid, strict=True), strict=True)
        )
        said = tree.predict(replace(sample, columns=columns, target=("",) * len(grid)).frame)
        if tree.classes is not None:
            return [each == to for each in said.tolist()]
        return [to[0] <= each <= to[1] for each in said.tolist()]

    return oracle.nearest(row, moves, [scale for _, scale in pairs], is_wanted)


@pytest.mark.parametrize(("target", "criterion"), TASKS)
@given(data=st.data())
@settings(examples(1))
def test_no_row_with_the_wanted_answer_is_nearer(
    target: Any, criterion: str, data: st.DataObject
) -> None:
    sample, other = data.draw(tables_alike(target=target, max_rows=9, max_columns=3))
    assume_fit(sample, criterion)
    tree = grow(sample, **draw_tree_options(data, criterion))
    place = data.draw(st.integers(0, other.n_rows - 1))
    row = [column.values[place] for column in other.columns]
    fixed = {name for name in other.frame if data.draw(st.integers(0, 4)) == 0}
    if tree.classes is not None:
        to: Any = data.draw(st.sampled_from(tree.classes[0].tolist()))
    else:
        bounds = [data.draw(st.sampled_from(sample.target)) for _ in range(2)]
        to = (min(bounds), max(bounds))
    best = least(tree, sample, row, to, fixed)
    try:
        found = tree.counterfactual(
            row_of(other.frame, place), to=to, fixed=sorted(fixed), X=sample.frame
        )
    except NoSuchRowError:
        assert best is None
        return
    assert found.is_exact
    assert best is not None
    assert found.distance == pytest.approx(best, rel=1e-9, abs=1e-300)
    assert not fixed & {each.column for each in found.changes}
    is_right(tree, found, to)


def is_right(model: Any, found: Counterfactual, to: Any) -> None:
    """The row that is told gets the wanted answer, also when it is asked about as a dict."""
    (said,) = model.predict([found.row]).tolist()
    assert said == found.to
    assert said == to if isinstance(to, str) else to[0] <= said <= to[1]


def models(target: str) -> list[Any]:
    if target == "numbers":
        return [
            RandomForestRegressor(n_estimators=4, random_state=0),
            GradientBoostingRegressor(n_estimators=4, min_samples_leaf=1),
        ]
    return [
        DecisionTreeClassifier(),
        C45RulesClassifier(),
        RandomForestClassifier(n_estimators=4, random_state=0),
        AdaBoostClassifier(n_estimators=4),
        GradientBoostingClassifier(n_estimators=4, min_samples_leaf=1),
    ]


@pytest.mark.filterwarnings("ignore::treewright.errors.TreewrightWarning")  # of tiny tables
@pytest.mark.parametrize("place_of_model", range(5))
@pytest.mark.parametrize("target", ["classes", "numbers"])
@given(data=st.data())
@settings(examples(0.5))
def test_what_is_found_gets_the_wanted_answer(
    target: Any, place_of_model: int, data: st.DataObject
) -> None:
    listed = models(target)
    model = listed[place_of_model % len(listed)]
    knobs: Any = {"max_rows": 9, "weightings": ["none"], "fixed_classes": 2, "storages": STORAGES}
    sample, other = data.draw(tables_alike(target=target, **knobs))
    model.set_params(schema=sample.schema)
    try:
        model.fit(sample.frame, list(sample.target))
    except TreewrightError:
        return
    place = data.draw(st.integers(0, other.n_rows - 1))
    low = min(sample.target)
    to: Any = data.draw(st.sampled_from(model.classes_.tolist())) if target == "classes" else None
    to = to or (low, low + 1.0)
    asked = [model]
    if isinstance(model, DecisionTreeClassifier | C45RulesClassifier):
        asked.append(RuleSet.of_tree(model.tree_))
    for each in asked:
        try:
            found = each.counterfactual(row_of(other.frame, place), to=to)
        except NoSuchRowError:
            continue
        is_right(each, found, to)
