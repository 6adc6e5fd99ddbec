"""A tree read from a model's file without its estimator answers as the model does."""

from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ModelFormatError
from treewright.persist.tree_alone import load_tree


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (tw.ID3Classifier(), "play_tennis"),
        (tw.CARTClassifier(prune=tw.prune.CostComplexity(rule="1-SE")), "loans"),
        (tw.M5Regressor(), "diabetes"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_the_tree_is_the_models(model: object, name: str, tmp_path: Path) -> None:
    table = tw.load_example(name)
    fitted = model.fit(table.X, table.y)  # type: ignore[attr-defined]
    tw.save(fitted, tmp_path / "model.tw")
    tree = load_tree(tmp_path / "model.tw")
    assert tree is not None
    assert tree.text() == fitted.tree_.text()
    assert np.array_equal(tree.predict(table.X), fitted.predict(table.X))
    assert tree.why(0).text() == fitted.tree_.why(0).text()


def test_a_tree_of_its_own_is_read_as_it_is(tmp_path: Path) -> None:
    play = tw.load_example("play_tennis")
    tw.save(tw.ID3Classifier().fit(play.X, play.y).tree_, tmp_path / "tree.json")
    tree = load_tree(tmp_path / "tree.json")
    assert tree is not None
    assert tree.n_leaves == 5


def test_a_forest_has_no_one_tree(tmp_path: Path) -> None:
    iris = tw.load_example("iris")
    forest = tw.RandomForestClassifier(n_estimators=2, random_state=0).fit(iris.X, iris.y)
    tw.save(forest, tmp_path / "forest.tw")
    assert load_tree(tmp_path / "forest.tw") is None


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    play = tw.load_example("play_tennis")
    tw.save(tw.ID3Classifier().fit(play.X, play.y), tmp_path / "model.tw")
    data = (tmp_path / "model.tw").read_bytes()
    for size in range(0, len(data), 997):
        (tmp_path / "model.tw").write_bytes(data[:size])
        with pytest.raises(ModelFormatError):
            load_tree(tmp_path / "model.tw")
