"""A tree read from a model's file without its estimator answers as the model does."""

import io
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ModelFormatError
from treewright.estimators.base import TreeClassifier, TreeRegressor
from treewright.persist.registry import ESTIMATORS, class_of
from treewright.persist.tree_alone import ASK_THEIR_TREE, load_answering_tree, load_tree


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


def test_the_estimators_that_ask_their_tree_are_those_of_single_trees() -> None:
    kinds = {name: class_of(name) for name in ESTIMATORS}
    single = {n for n, kind in kinds.items() if issubclass(kind, TreeClassifier | TreeRegressor)}
    assert single - {"C45RulesClassifier"} == ASK_THEIR_TREE  # it predicts by its rules
    for name in ASK_THEIR_TREE:
        base = TreeClassifier if issubclass(kinds[name], TreeClassifier) else TreeRegressor
        for method in ("predict", "predict_proba", "_answers", "_decided"):
            assert getattr(kinds[name], method, None) is getattr(base, method, None), name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(ASK_THEIR_TREE))
def test_a_file_of_rows_is_answered_as_by_the_estimator(name: str, tmp_path: Path) -> None:
    of_classes = name.endswith("Classifier")
    table = tw.load_example("loans" if of_classes else "diabetes")
    model = getattr(tw, name)()
    if name == "DecisionTreeClassifier":
        late = {"repaid": {"late": 1}, "late": {"repaid": 5}, "default": {"repaid": 9}}
        model.set_params(cost_matrix=late, leaf="m_estimate")
    model.fit(table.X, table.y)
    tw.save(model, tmp_path / "model.tw")
    tree = load_answering_tree(tmp_path / "model.tw")
    assert tree is not None
    assert np.array_equal(tree.predict(table.X), model.predict(table.X))
    if of_classes:
        assert np.array_equal(tree.predict_proba(table.X), model.predict_proba(table.X))
    made = io.BytesIO()
    told = tw.persist.predict_file(tmp_path / "model.tw", table.X, made, only=True)
    assert told.rows == len(table.y)
    assert made.getvalue().decode().split()[1:] == [str(each) for each in model.predict(table.X)]


def test_rules_and_calibrated_trees_answer_themselves(tmp_path: Path) -> None:
    table = tw.load_example("loans")
    for model in (tw.C45RulesClassifier(), tw.DecisionTreeClassifier(calibrate="isotonic")):
        tw.save(model.fit(table.X, table.y), tmp_path / "model.tw")
        assert load_answering_tree(tmp_path / "model.tw") is None
        made = io.BytesIO()
        tw.persist.predict_file(tmp_path / "model.tw", table.X, made, only=True)
        assert made.getvalue().decode().split()[1:] == model.predict(table.X).tolist()
