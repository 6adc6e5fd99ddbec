"""Each folder of alternatives has a list; what is not on it cannot be used."""

import importlib
import inspect
from pathlib import Path

import pytest

from treewright import export, prune
from treewright.boosting.losses import CLASS_LOSSES, VALUE_LOSSES, Loss
from treewright.boosting.losses import base as losses_base
from treewright.core import GrowOptions, criteria, losses
from treewright.criteria import CLASS_CRITERIA, CRITERIA, VALUE_CRITERIA
from treewright.grow.missing import POLICIES

METHODS = Path(prune.__file__).parent / "methods"
LOSSES = Path(losses_base.__file__).parent
CPP = Path(__file__).parents[2] / "cpp" / "include" / "treewright"


def test_every_criterion_file_is_registered() -> None:
    registry = (CPP / "criteria" / "registry.hpp").read_text()
    others = {"concept.hpp", "registry.hpp", "sums.hpp", "traits.hpp", "regression_impurity.hpp"}
    for file in (CPP / "criteria").glob("*.hpp"):
        if file.name not in others:
            assert f'#include "treewright/criteria/{file.name}"' in registry, file.name


def test_every_missing_policy_file_is_registered() -> None:
    registry = (CPP / "missing" / "registry.hpp").read_text()
    for file in (CPP / "missing").glob("*.hpp"):
        if file.name not in ("concept.hpp", "registry.hpp", "traits.hpp"):
            assert f'#include "treewright/missing/{file.name}"' in registry, file.name
    files = {file.stem for file in (CPP / "missing").glob("*.hpp")}
    assert set(POLICIES) == files - {"concept", "registry", "traits"}


def test_the_criteria_that_users_may_name_are_those_of_the_core() -> None:
    selections = {"gain_ratio", "impurity_ratio"}  # entropy, selected otherwise
    offered = {each["name"] for each in criteria() if each["is_offered"]}
    assert set(CLASS_CRITERIA) | set(VALUE_CRITERIA) == offered | selections
    # The rounding of release 8 and of rpart; squared_error with the sums that CHAID's F-tests need.
    assert set(CRITERIA) - offered - selections == {
        "single_entropy",
        "rpart_gini",
        "given",
        "given_of_numbers",
        "anova",
    }


def test_the_core_refuses_a_name_it_does_not_know() -> None:
    with pytest.raises(RuntimeError, match="unknown option: nonsense"):
        GrowOptions().set_nominal("nonsense")


def test_every_header_of_a_loss_is_registered() -> None:
    folder = CPP / "boosting" / "losses"
    registry = (folder / "registry.hpp").read_text()
    headers = {file.stem for file in folder.glob("*.hpp")} - {"concept", "registry"}
    for stem in headers:
        assert f'#include "treewright/boosting/losses/{stem}.hpp"' in registry, stem
    assert set(losses()) == headers


def test_every_loss_is_listed_and_known_to_the_core() -> None:
    listed: list[type[Loss]] = [*CLASS_LOSSES, *VALUE_LOSSES]
    # A user's function has no name to be asked for by.
    files = {file.stem for file in LOSSES.glob("*.py")} - {"base", "__init__", "given"}
    assert {each.name for each in listed} == files == set(losses())
    assert len(listed) == len(files) == len(losses())
    for each in listed:
        assert each.__module__ == f"treewright.boosting.losses.{each.name}"


def pruner_classes() -> list[type[prune.Pruner]]:
    """Every class of the folder that prunes, whether it is on the list or not."""
    modules = [
        importlib.import_module(f"treewright.prune.methods.{file.stem}")
        for file in METHODS.glob("*.py")
        if file.stem != "__init__"
    ]
    return [
        each
        for module in modules
        for each in vars(module).values()
        if inspect.isclass(each)
        and issubclass(each, prune.Pruner)
        and each is not prune.Pruner
        and each.__module__ == module.__name__
    ]


def test_every_pruner_is_registered() -> None:
    found = pruner_classes()
    assert set(found) == set(prune.PRUNERS)
    assert len({each.name for each in found}) == len(found)
    for each in found:
        assert each.__name__ in prune.__all__
        assert each.__module__ == f"treewright.prune.methods.{each.name}"


@pytest.mark.parametrize("made", prune.PRUNERS, ids=lambda made: made.name)
def test_every_pruner_shows_an_example_and_names_its_parameters(
    made: type[prune.Pruner],
) -> None:
    text = inspect.getdoc(made)
    assert text is not None
    assert f">>> from treewright.prune import {made.__name__}" in text
    for parameter in inspect.signature(made).parameters:
        assert f"{parameter} :" in text, parameter


def test_every_exporter_is_registered() -> None:
    folder = Path(export.__file__).parent / "targets"
    files = {file.stem for file in folder.glob("*.py")} - {"__init__"}
    assert set(export.TARGETS) == files
    for name, target in export.TARGETS.items():
        assert target.source.__module__ == f"treewright.export.targets.{name}"
        assert name in export.__all__
        assert callable(getattr(export, name))
