"""A model of every kind, saved, loaded in a new process and asked: it answers bit for bit alike."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saved_models import answers, saved_models

import treewright as tw
from treewright.persist import registry

TESTS = Path(__file__).parents[2]
_LOAD_AND_ASK = """
import pickle, sys, warnings
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
from saved_models import answers
import treewright as tw
with open(sys.argv[2], "rb") as file:
    tables = pickle.load(file)
said = {path: answers(tw.load(path), X) for path, X in tables.items()}
with open(sys.argv[3], "wb") as file:
    pickle.dump(said, file)
"""


def has_whys(name: str, suffix: str) -> bool:
    """Return whether a model is saved with its tables of why, which take longest."""
    return suffix == "tw" and not name.endswith("numbers")


@pytest.mark.filterwarnings("ignore")
def test_every_model_answers_alike_in_a_new_process(tmp_path: Path) -> None:
    models = saved_models()
    tables, known = {}, {}
    for place, (name, (model, X)) in enumerate(models.items()):
        known[name] = answers(model, X)
        for suffix in ("tw", "json"):
            path = tmp_path / f"{place}.{suffix}"
            tw.save(model, path, why=has_whys(name, suffix))
            tables[str(path)] = X
    (tmp_path / "tables").write_bytes(pickle.dumps(tables))
    subprocess.run(
        [
            *(sys.executable, "-c", _LOAD_AND_ASK, str(TESTS)),
            *(str(tmp_path / "tables"), str(tmp_path / "said")),
        ],
        check=True,
    )
    said: dict[str, Any] = pickle.loads((tmp_path / "said").read_bytes())
    for place, name in enumerate(models):
        for suffix in ("tw", "json"):
            there = said[str(tmp_path / f"{place}.{suffix}")]
            for what, answer in known[name].items():
                if what != "whys" or has_whys(name, suffix):
                    assert there[what] == answer, f"{name}, .{suffix}: {what}"


def test_every_estimator_is_among_them() -> None:
    public = {
        name
        for name in tw.__all__
        if isinstance(getattr(tw, name), type) and hasattr(getattr(tw, name), "get_params")
    }
    saved = {type(model).__name__ for model, _ in saved_models().values()}
    assert public == registry.ESTIMATORS
    assert public | {"Tree", "Ensemble", "RuleSet", "BoostedEnsemble"} <= saved


def test_every_name_of_the_registry_leads_to_a_class() -> None:
    for name in registry.names():
        assert registry.name_of(registry.class_of(name)) == name


@pytest.mark.filterwarnings("ignore")
def test_a_model_is_written_alike_twice_and_after_loading(tmp_path: Path) -> None:
    for name, (model, _) in list(saved_models().items())[::5]:
        tw.save(model, tmp_path / "a.tw", why=False)
        tw.save(model, tmp_path / "b.tw", why=False)
        assert (tmp_path / "a.tw").read_bytes() == (tmp_path / "b.tw").read_bytes(), name
        again = tw.load(tmp_path / "a.tw")
        tw.save(again, tmp_path / "c.tw", why=False)
        tw.save(tw.load(tmp_path / "c.tw"), tmp_path / "d.tw", why=False)
        assert (tmp_path / "c.tw").read_bytes() == (tmp_path / "d.tw").read_bytes(), name


def test_a_random_state_makes_the_same_file(tmp_path: Path) -> None:
    """Wherever it stood in memory."""
    data = tw.load_example("iris")
    states = [np.random.RandomState(0), np.random.RandomState(0)]
    for name, state in zip(("a.tw", "b.tw"), states, strict=True):
        model = tw.DecisionTreeClassifier(random_state=state).fit(data.X, data.y)
        tw.save(model, tmp_path / name)
    assert (tmp_path / "a.tw").read_bytes() == (tmp_path / "b.tw").read_bytes()


def test_two_fits_make_the_same_file(tmp_path: Path) -> None:
    data = tw.load_example("loans")
    for name in ("a.tw", "b.tw"):
        model = tw.GradientBoostingClassifier(n_estimators=5, random_state=0)
        tw.save(model.fit(data.X, data.y), tmp_path / name)
        assert model.rounds_[0].seconds >= 0.0
    assert (tmp_path / "a.tw").read_bytes() == (tmp_path / "b.tw").read_bytes()
    again = tw.load(tmp_path / "a.tw").rounds_
    assert "seconds" not in str(again)
    assert [each.n_leaves for each in again] == [each.n_leaves for each in model.rounds_]
