"""scikit-learn's tests get our classes, scikit-learn itself keeps its own (`make test-peers`)."""

import sys
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from peers.expected import Entry, find, read_list
from peers.stand_in import PeerFinder, peer_files, uses_ours

import treewright

TEST = """
import sklearn.ensemble
from sklearn import tree
from sklearn.tree import DecisionTreeClassifier

TREES = {"classes": DecisionTreeClassifier}
REAL = sklearn.ensemble.RandomForestClassifier.__module__


def by_name():
    return DecisionTreeClassifier


def by_list():
    return TREES


def by_module():
    return tree.DecisionTreeClassifier


def by_import():
    from sklearn.ensemble import BaggingClassifier

    return BaggingClassifier


def by_function():
    return by_list()


def by_neither():
    return sklearn.ensemble.IsolationForest
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "test_made_up.py").write_text(TEST)
    name = "sklearn.tree.tests.test_made_up"
    import sklearn.tree.tests as package

    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    monkeypatch.setattr(sys, "meta_path", [PeerFinder(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, name, raising=False)
    __import__(name)
    made: ModuleType = sys.modules.pop(name)
    return made


def test_a_test_module_sees_our_classes_however_it_imports_them(module: ModuleType) -> None:
    assert module.by_name() is treewright.DecisionTreeClassifier
    assert module.by_list() == {"classes": treewright.DecisionTreeClassifier}
    assert module.by_module() is treewright.DecisionTreeClassifier
    assert module.by_import() is treewright.BaggingClassifier
    assert module.by_neither() is sklearn.ensemble.IsolationForest
    assert module.REAL.startswith("treewright.")


def test_scikit_learn_keeps_its_own(module: ModuleType) -> None:
    assert sklearn.tree.DecisionTreeClassifier is not module.by_name()
    forest = sklearn.ensemble.RandomForestClassifier(n_estimators=1).fit(np.eye(4), [0, 1, 0, 1])
    assert type(forest.estimators_[0]) is sklearn.tree.DecisionTreeClassifier


def test_what_a_test_patches_is_the_real_module(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = sklearn.tree.export_text
    with monkeypatch.context() as patch:
        patch.setattr(module.tree, "export_text", len)
        assert sklearn.tree.export_text is len
    assert sklearn.tree.export_text is known


@pytest.mark.parametrize("name", ["by_name", "by_list", "by_module", "by_import", "by_function"])
def test_tests_of_our_classes_are_run(module: ModuleType, name: str) -> None:
    function = vars(module)[name]
    assert isinstance(function, FunctionType)
    assert uses_ours(function, [])


def test_tests_of_other_classes_are_not_run(module: ModuleType) -> None:
    assert not uses_ours(module.by_neither, [])
    assert uses_ours(module.by_neither, [treewright.DecisionTreeRegressor()])
    assert not uses_ours(module.by_name, ["IsolationForest"])
    assert uses_ours(module.by_name, ["DecisionTreeClassifier"])


def test_the_list_is_well_formed_and_means_files_that_there_are() -> None:
    names = {"/".join(path.parts[path.parts.index("sklearn") + 1 :]) for path in peer_files()}
    assert {entry.file for entry in read_list()} <= names


def test_only_the_star_stands_for_anything() -> None:
    entry = Entry("a.py::test_x[0-*]", "missing", "something")
    assert entry.means("a.py::test_x[0-tree]")
    assert not entry.means("a.py::test_x0")
    assert find([entry], "b.py::test_x[0-tree]") is None


def test_an_entry_must_mean_a_test_that_fails() -> None:
    entry = Entry("a.py::test_x*", "missing", "something")
    assert "means no test" in str(entry.complaint())
    entry.outcomes.append("passed")
    assert "passes" in str(entry.complaint())
    entry.outcomes.append("failed")
    assert entry.complaint() is None
