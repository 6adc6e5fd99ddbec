"""Each folder of alternatives has a list; what is not on it cannot be used."""

from pathlib import Path

import pytest

from treewright import _core
from treewright.learn.options import CLASS_CRITERIA, VALUE_CRITERIA

CPP = Path(__file__).parents[2] / "cpp" / "include" / "treewright"


def test_every_criterion_file_is_registered() -> None:
    registry = (CPP / "criteria" / "registry.hpp").read_text()
    others = {"concept.hpp", "registry.hpp"}
    for file in (CPP / "criteria").glob("*.hpp"):
        if file.name not in others:
            assert f'#include "treewright/criteria/{file.name}"' in registry, file.name


def test_every_missing_policy_file_is_used() -> None:
    policy = (CPP / "missing" / "policy.hpp").read_text()
    growth = (CPP / "grow" / "growth.hpp").read_text()
    for file in (CPP / "missing").glob("*.hpp"):
        if file.name != "policy.hpp":
            include = f'#include "treewright/missing/{file.name}"'
            assert include in policy or include in growth, file.name


def test_python_offers_every_criterion_of_the_core() -> None:
    selections = {"gain_ratio", "impurity_ratio"}  # entropy, selected otherwise
    # Release 8's own precision; squared_error with the sums that CHAID's F-tests need.
    internal = {"single_entropy", "anova"}
    offered = set(CLASS_CRITERIA) | set(VALUE_CRITERIA)
    assert offered - selections == set(_core.criteria()) - internal


def test_the_core_refuses_a_name_it_does_not_know() -> None:
    with pytest.raises(RuntimeError, match="unknown option: nonsense"):
        _core.GrowOptions().set_nominal("nonsense")
