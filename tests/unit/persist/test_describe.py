"""A file is described from its header alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from saved_models import HOSTILE, hostile_table

import treewright as tw
from treewright.persist import describe, files

PLAY = tw.load_example("play_tennis")


def test_what_is_told_of_a_tree(tmp_path: Path) -> None:
    model = tw.ID3Classifier(max_depth=3).fit(PLAY.X, PLAY.y)
    tw.save(model, tmp_path / "play.tw", remember={"target": "Play", "reading": {"decimal": ","}})
    found = describe(tmp_path / "play.tw")
    assert (found.kind, found.task, found.criterion) == (
        "ID3Classifier",
        "classification",
        "entropy",
    )
    assert found.classes == (("No", "Yes"),)
    assert found.columns[0] == ("Outlook", "nominal")
    assert found.size == {"trees": 1, "nodes": 8, "leaves": 5, "depth": 2}
    assert found.rows == 14
    assert found.parameters["max_depth"] == "3"
    assert found.versions["treewright"] == tw.__version__
    assert found.n_bytes == (tmp_path / "play.tw").stat().st_size
    assert found.remembered == {"target": "Play", "reading": {"decimal": ","}}
    assert found.fingerprint is not None
    assert found.fingerprint.startswith("sha256:")


def test_the_twin_tells_the_same(tmp_path: Path) -> None:
    model = tw.ID3Classifier().fit(PLAY.X, PLAY.y)
    tw.save(model, tmp_path / "a.tw")
    tw.save(model, tmp_path / "a.json")
    one, other = describe(tmp_path / "a.tw"), describe(tmp_path / "a.json")
    assert one.text().splitlines()[:-1] == other.text().splitlines()[:-1]


def test_the_text_has_a_line_for_each_fact(tmp_path: Path) -> None:
    tw.save(tw.ID3Classifier().fit(PLAY.X, PLAY.y), tmp_path / "a.tw")
    lines = str(describe(tmp_path / "a.tw")).splitlines()
    assert lines[0].split() == ["kind", "ID3Classifier"]
    assert "training rows  14" in lines
    assert "classes        No, Yes" in lines


def test_the_fingerprint_is_that_of_the_table(tmp_path: Path) -> None:
    def of(X: object, y: object) -> str | None:
        tw.save(tw.CARTClassifier(min_samples_split=4).fit(X, y), tmp_path / "a.tw")
        return describe(tmp_path / "a.tw").fingerprint

    X = np.arange(40.0).reshape(20, 2)
    y = X[:, 0] > 9
    assert of(X, y) == of(X.copy(), y.copy())
    assert of(X, y) != of(X + 1, y)
    assert of(X, y) != of(X, ~y)


@pytest.mark.parametrize(
    ("model", "task", "size"),
    [
        (tw.RandomForestRegressor(n_estimators=3), "regression", ["trees", "nodes"]),
        (tw.GradientBoostingClassifier(n_estimators=3), "classification", ["trees"]),
        (tw.C45RulesClassifier(), "classification", []),
        (tw.VotingRegressor([("a", tw.CARTRegressor())]), "regression", []),
        (tw.Discretizer(), "transformation", []),
    ],
)
def test_models_of_other_kinds(model: object, task: str, size: list[str], tmp_path: Path) -> None:
    X = np.arange(80.0).reshape(40, 2) % 7
    fitted = model.fit(X, (X[:, 0] > 3).astype(int))  # type: ignore[attr-defined]
    tw.save(fitted, tmp_path / "m.tw")
    found = describe(tmp_path / "m.tw")
    assert (found.kind, found.task) == (type(model).__name__, task)
    assert set(size) <= set(found.size)


def test_hostile_names_stay_on_their_line(tmp_path: Path) -> None:
    classes = np.random.default_rng(7).choice(list(HOSTILE), 60)
    tw.save(tw.DecisionTreeClassifier().fit(hostile_table(), classes), tmp_path / "h.tw", why=False)
    found = describe(tmp_path / "h.tw")
    assert [name for name, _ in found.columns] == list(HOSTILE)
    assert len(str(found).splitlines()) == 11


def test_the_model_is_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tw.save(tw.ID3Classifier().fit(PLAY.X, PLAY.y), tmp_path / "a.tw")
    monkeypatch.setattr(files, "model_of", None)
    assert describe(tmp_path / "a.tw").kind == "ID3Classifier"
