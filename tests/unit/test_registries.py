"""Each folder of alternatives has a list; what is not on it cannot be used."""

import importlib
import inspect
from pathlib import Path

import pytest

from treewright import prune
from treewright.core import GrowOptions, criteria
from treewright.criteria import CLASS_CRITERIA, CRITERIA, VALUE_CRITERIA

METHODS = Path(prune.__file__).parent / "methods"
CPP = Path(__file__).parents[2] / "cpp" / "include" / "treewright"


def test_every_criterion_file_is_registered() -> None:
    registry = (CPP / "criteria" / "registry.hpp").read_text()
    others = {"concept.hpp", "registry.hpp", "sums.hpp", "traits.hpp", "regression_impurity.hpp"}
    for file in (CPP / "criteria").glob("*.hpp"):
        if file.name not in others:
            assert f'#include "treewright/criteria/{file.name}"' in registry, file.name


def test_every_missing_policy_file_is_used() -> None:
    registry = (CPP / "missing" / "registry.hpp").read_text()
    growth = (CPP / "grow" / "growth.hpp").read_text()
    for file in (CPP / "missing").glob("*.hpp"):
        if file.name != "registry.hpp":
            include = f'#include "treewright/missing/{file.name}"'
            assert include in registry or include in growth, file.name


def test_the_criteria_that_users_may_name_are_those_of_the_core() -> None:
    selections = {"gain_ratio", "impurity_ratio"}  # entropy, selected otherwise
    offered = {each["name"] for each in criteria() if each["is_offered"]}
    assert set(CLASS_CRITERIA) | set(VALUE_CRITERIA) == offered | selections
    # Release 8's own precision; squared_error with the sums that CHAID's F-tests need.
    assert set(CRITERIA) - offered - selections == {"single_entropy", "anova"}


def test_the_core_refuses_a_name_it_does_not_know() -> None:
    with pytest.raises(RuntimeError, match="unknown option: nonsense"):
        GrowOptions().set_nominal("nonsense")


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
