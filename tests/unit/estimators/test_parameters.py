"""Options classes are the only lists of knobs: signatures, docstrings and options agree."""

import dataclasses
import inspect
import re
from typing import Any

import pytest

import treewright as tw
from treewright.boosting.options import BoostingOptions
from treewright.estimators.base import TreeEstimator
from treewright.grow.options import GrowthOptions

ESTIMATORS = [
    made
    for name in tw.__all__
    if inspect.isclass(made := getattr(tw, name)) and hasattr(made, "get_params")
]
BOOSTING = (tw.GradientBoostingClassifier, tw.GradientBoostingRegressor)


def parameters_of(made: type) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(made).parameters)


def documented(made: type) -> list[str]:
    """The names that the section Parameters of a docstring speaks about."""
    text = inspect.getdoc(made) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", text, re.S | re.M)
    assert section is not None, made.__name__
    lines = re.findall(r"^([a-zA-Z][a-z_0-9A-Z, ]*?)(?: :.*)?$", section[1], re.M)
    return [name for line in lines for name in re.split(r", *", line) if name]


@pytest.mark.parametrize("made", ESTIMATORS)
def test_every_parameter_is_documented_and_nothing_else_is(made: type) -> None:
    names = documented(made)
    assert sorted(names) == sorted(set(names)), "a parameter is documented twice"
    assert set(names) == set(parameters_of(made))


@pytest.mark.parametrize("made", ESTIMATORS)
def test_init_stores_every_parameter_under_its_name(made: Any) -> None:
    parameters = parameters_of(made)
    given = {name: [] for name, each in parameters.items() if each.default is each.empty}
    for name, parameter in parameters.items():
        assert getattr(made(**given), name) is given.get(name, parameter.default), name


@pytest.mark.parametrize("made", [each for each in ESTIMATORS if issubclass(each, TreeEstimator)])
def test_defaults_are_those_of_the_recipe(made: Any) -> None:
    options = made()._options()
    shared = {field.name for field in dataclasses.fields(GrowthOptions)} & set(parameters_of(made))
    if "alpha_merge" in parameters_of(made):
        shared.discard("missing")  # CHAID's own: where missing values float
    if made is tw.M5Regressor:
        shared.discard("min_cases")  # M5 counts rows, and not those of a branch
    if made is tw.ID3Classifier:
        assert options.criterion == "entropy"
        shared.discard("criterion")  # in the lectures' words: "gain"
    for name in shared:
        assert getattr(options, name) == parameters_of(made)[name].default, name


@pytest.mark.parametrize("made", BOOSTING)
def test_every_option_of_boosting_is_a_parameter(made: type) -> None:
    fields = {field.name for field in dataclasses.fields(BoostingOptions)}
    assert fields - {"n_threads", "seed"} <= set(parameters_of(made))


def test_every_knob_of_a_general_tree_is_a_parameter_or_a_recipe_s() -> None:
    names = [field.name for field in dataclasses.fields(GrowthOptions)]
    of_recipes = set(names[names.index("max_surrogates") :])
    offered = set(parameters_of(tw.DecisionTreeClassifier))
    assert set(names) - of_recipes <= offered


@pytest.mark.parametrize("made", [tw.DecisionTreeClassifier, tw.DecisionTreeRegressor])
@pytest.mark.parametrize(
    ("max_features", "n_columns"),
    [(None, 5), ("sqrt", 2), ("log2", 2), (3, 3), (9, 5), (0.5, 2), (0.01, 1), (1.0, 5)],
)
def test_a_tree_tells_how_many_columns_a_node_draws(
    made: Any, max_features: Any, n_columns: int
) -> None:
    tree = made(max_features=max_features).fit([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]], [0, 1])
    assert tree.max_features_ == n_columns
