"""Answers about trees that decide together, asked of ``Ensemble``."""

from __future__ import annotations

from typing import Any

import numpy as np

import treewright as tw
from golden.lectures import Lecture, Query
from golden.tree_answers import grow
from treewright.data.read.table import match_table
from treewright.ensemble.ensemble import ListedTrees
from treewright.forest.sampling import share_drawn
from treewright.tree.leaf import decide


def _copies(data: Lecture, bag: list[Any]) -> list[int]:
    """How often each row of the table is in a bag."""
    return [bag.count(name) for name in data.ids]


def _stumps(data: Lecture, query: Query) -> list[tw.Tree]:
    stump = tw.DecisionTreeClassifier(max_depth=1, thresholds="class_boundaries")
    X = data.records(data.attributes)
    return [stump.fit(X, data.y, sample_weight=_copies(data, bag)).tree_ for bag in query["bags"]]


def _together(trees: list[tw.Tree], *, vote: str) -> tw.Ensemble:
    first = trees[0]
    return tw.Ensemble(
        trees=ListedTrees(trees),
        schema=first.schema,
        classes=first.classes,
        criterion=first.criterion,
        vote=vote,
    )


def _says(forest: tw.Ensemble, rows: Any) -> list[Any]:
    answers = forest.answers(match_table(rows, forest.schema, owner="Ensemble"))
    said: list[Any] = decide(answers, forest.classes, forest.leaf).tolist()
    return said


def bagging_stumps(data: Lecture, query: Query) -> list[dict[str, Any]]:
    return [
        {
            "threshold": float(tree.arrays.threshold[0]),
            "below": tree.label(1),
            "at_or_above": tree.label(2),
        }
        for tree in _stumps(data, query)
    ]


def bagging_vote(data: Lecture, query: Query) -> list[Any]:
    forest = _together(_stumps(data, query), vote="hard")
    return _says(forest, data.records(data.attributes))


def forest_average(data: Lecture, query: Query) -> float:
    grown = [grow(data, each) for each in query["trees"]]
    forest = _together([each.tree for each in grown], vote="soft")
    return float(_says(forest, grown[0].row(query["instance"]))[0])


def out_of_bag(data: Lecture, query: Query) -> list[list[Any]]:
    ids = np.array(data.ids)
    return [ids[np.array(_copies(data, bag)) == 0].tolist() for bag in query["bags"]]


def bootstrap_unique(_: Lecture, query: Query) -> float:
    return share_drawn(query["n"], query["n"])


ANSWERS = {
    "bagging_stumps": bagging_stumps,
    "bagging_vote": bagging_vote,
    "bootstrap_unique": bootstrap_unique,
    "forest_average": forest_average,
    "out_of_bag": out_of_bag,
}
