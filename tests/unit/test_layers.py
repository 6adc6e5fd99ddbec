"""What importing the package loads; who may import whom is checked by `make lint`."""

import importlib
import subprocess
import sys

import pytest

import treewright


def loaded_by(code: str) -> set[str]:
    """The modules that some code loads in a process of its own."""
    told = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return set(told.split())


def test_importing_the_package_loads_neither_scikit_learn_nor_numpy() -> None:
    loaded = loaded_by("import treewright")
    assert not {"sklearn", "scipy", "numpy", "narwhals", "treewright.core"} & loaded


def test_the_estimators_load_none_of_the_estimators_of_scikit_learn() -> None:
    loaded = loaded_by("from treewright import DecisionTreeClassifier, RandomForestClassifier")
    assert "sklearn.base" in loaded
    heavy = {"sklearn.ensemble", "sklearn.linear_model", "sklearn.metrics", "sklearn.tree"}
    assert not heavy & loaded


@pytest.mark.parametrize("name", treewright.__all__)
def test_every_public_name_is_found_and_stays_the_same(name: str) -> None:
    found = getattr(treewright, name)
    assert found is getattr(treewright, name)
    assert name in dir(treewright)
    if not name.islower():  # a class: its home is where it says
        assert getattr(importlib.import_module(found.__module__), name) is found


def test_a_name_that_is_none_is_refused_as_by_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'treewright' has no attribute 'Forest'"):
        treewright.Forest  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Forest'"):
        from treewright import Forest  # noqa: F401
