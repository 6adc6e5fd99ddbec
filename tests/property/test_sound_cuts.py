"""The quick check of compiled code passes no tree that the rules in Python refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis.strategies import integers

from treewright import DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier
from treewright.core import has_sound_cuts
from treewright.errors import ModelFormatError
from treewright.tree import invariants
from treewright.tree.arrays import TreeArrays
from treewright.tree.tree import Tree

GENERATOR = np.random.default_rng(0)
NUMBERS = GENERATOR.normal(size=(60, 3))
GAPS = np.where(GENERATOR.random(NUMBERS.shape) < 0.1, np.nan, NUMBERS)
CLASSES = (NUMBERS[:, 0] * NUMBERS[:, 1] > 0).astype(int)
MIXED = pd.DataFrame(
    {
        "size": GAPS[:, 0],
        "age": GENERATOR.integers(0, 9, 60),
        "grade": pd.Categorical(GENERATOR.choice(list("abc"), 60), list("abc"), ordered=True),
    }
)
OF_CUTS: dict[str, Tree] = {
    "classes": DecisionTreeClassifier().fit(NUMBERS, CLASSES).tree_,
    "numbers": DecisionTreeRegressor().fit(NUMBERS, NUMBERS).tree_,
    "gaps": DecisionTreeClassifier().fit(GAPS, CLASSES).tree_,
    "a leaf": DecisionTreeRegressor().fit(NUMBERS, np.ones(60)).tree_,
    "types": DecisionTreeClassifier().fit(MIXED, CLASSES).tree_,
}


def passes(arrays: TreeArrays, tree: Tree) -> bool:
    return has_sound_cuts(arrays.to_dict(), invariants._cut_as(tree.schema))


def keeps_rules(arrays: TreeArrays, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> bool:
    with monkeypatch.context() as patch:
        patch.setattr(invariants, "has_sound_cuts", lambda *_: False)
        try:
            invariants.check(arrays, tree.schema)
        except ModelFormatError:
            return False
    return True


def altered(arrays: TreeArrays, generator: np.random.Generator) -> TreeArrays:
    """Alter one entry of one array that has any, or the length of an array."""
    changed: dict[str, Any] = {name: np.array(each) for name, each in arrays.to_dict().items()}
    name = generator.choice([name for name, each in changed.items() if each.size > 0])
    array = changed[name]
    if generator.random() < 0.05:
        changed[name] = array[:-1]
        return TreeArrays(**changed)
    flat = array.reshape(-1)
    place = int(generator.integers(len(flat)))
    if array.dtype.kind == "f":
        flat[place] = generator.choice([np.nan, np.inf, -np.inf, -1.0, 0.0, 1e300])
    else:
        near = int(flat[place]) + int(generator.integers(-3, 4))
        limits = np.iinfo(array.dtype)
        flat[place] = generator.choice([-1, 0, 1, 2, near, limits.max, limits.min])
    return TreeArrays(**changed)


@pytest.mark.parametrize("kind", OF_CUTS)
def test_trees_of_cuts_pass_the_quick_check(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = OF_CUTS[kind]
    assert passes(tree.arrays, tree)
    assert keeps_rules(tree.arrays, tree, monkeypatch)
    assert has_sound_cuts(tree.arrays.to_dict(), None)


def test_other_questions_are_left_to_the_rules() -> None:
    colours = {"colour": GENERATOR.choice(["red", "green", "blue"], 60)}
    tree = ID3Classifier().fit(colours, CLASSES).tree_
    assert tree.n_nodes > 1
    assert not passes(tree.arrays, tree)
    tree.arrays.validate(tree.schema)


def test_columns_are_those_of_the_schema() -> None:
    arrays = OF_CUTS["classes"].arrays
    assert not has_sound_cuts(arrays.to_dict(), ["real"] * int(arrays.column.max()))
    assert not has_sound_cuts(arrays.to_dict(), ["whole"] * 3)
    assert not has_sound_cuts(arrays.to_dict(), ["none"] * 3)


@given(seed=integers(0, 2**32 - 1))
def test_what_passes_the_quick_check_keeps_the_rules(seed: int) -> None:
    generator = np.random.default_rng(seed)
    tree = OF_CUTS[generator.choice(list(OF_CUTS))]
    arrays = altered(tree.arrays, generator)
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert not passes(arrays, tree) or keeps_rules(arrays, tree, monkeypatch)
