"""A single tree is saved with its tables of why, and needs no training rows to show them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import TreewrightError
from treewright.persist import whys

PLAY = tw.load_example("play_tennis")


@pytest.fixture
def model() -> Any:
    return tw.ID3Classifier().fit(PLAY.X, PLAY.y)


def test_every_table_is_what_it_was(model: Any, tmp_path: Path) -> None:
    tw.save(model, tmp_path / "play.tw")
    again = tw.load(tmp_path / "play.tw")
    for node in range(model.tree_.n_nodes):
        assert again.tree_.why(node) == model.tree_.why(node)
        asked: dict[str, Any] = {"measures": ("chi2",), "top": 2, "sort": "column"}
        assert again.tree_.why(node, **asked) == model.tree_.why(node, **asked)


def test_numbers_are_kept_as_well_as_classes(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3))
    model = tw.DecisionTreeRegressor(max_depth=2).fit(X, X[:, 0] + X[:, 1])
    tw.save(model, tmp_path / "numbers.json")
    again = tw.load(tmp_path / "numbers.json")
    assert again.tree_.why(0, measures="all") == model.tree_.why(0, measures="all")


def test_they_survive_being_saved_and_pickled_again(model: Any, tmp_path: Path) -> None:
    tw.save(model.tree_, tmp_path / "play.tw")
    tw.save(tw.load(tmp_path / "play.tw"), tmp_path / "again.tw")
    tree = pickle.loads(pickle.dumps(tw.load(tmp_path / "again.tw")))
    assert tree.why(1) == model.tree_.why(1)


def test_a_wrong_question_is_refused_as_ever(model: Any, tmp_path: Path) -> None:
    tw.save(model, tmp_path / "play.tw")
    again = tw.load(tmp_path / "play.tw")
    with pytest.raises(TreewrightError, match="must be one of 'score', 'column'"):
        again.tree_.why(0, sort="size")
    with pytest.raises(TreewrightError, match="node"):
        again.tree_.why(99)


def test_without_them_the_training_rows_are_asked_for(model: Any, tmp_path: Path) -> None:
    tw.save(model, tmp_path / "play.tw", why=False)
    again = tw.load(tmp_path / "play.tw")
    with pytest.raises(TreewrightError, match=r"pass them, tree.why\(0, X, y\)"):
        again.tree_.why(0)
    assert again.tree_.why(0, PLAY.X, PLAY.y) == model.tree_.why(0)


def test_a_large_tree_keeps_those_of_its_first_nodes(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whys, "_SECONDS", 1e-9)
    tw.save(model, tmp_path / "play.tw")
    again = tw.load(tmp_path / "play.tw")
    assert again.tree_.kept_whys.nodes == (0,)
    assert again.tree_.why(0) == model.tree_.why(0)
    with pytest.raises(TreewrightError, match=r"pass them, tree.why\(1, X, y\)"):
        again.tree_.why(1)


def test_a_pruned_tree_does_not_show_those_of_the_grown_one(model: Any, tmp_path: Path) -> None:
    tw.save(model, tmp_path / "play.tw")
    pruned = tw.load(tmp_path / "play.tw").tree_.prune(tw.prune.ToDepth(depth=1))
    assert pruned.kept_whys is None
