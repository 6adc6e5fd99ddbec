"""Every decision tree, grown exactly, explained fully, and faster than the library you use now."""

from typing import TYPE_CHECKING, Any

from treewright import errors, measures, prune, rules
from treewright.boosting.ensemble import BoostedEnsemble
from treewright.data.examples.load import list_examples, load_example
from treewright.data.files.any_file import read
from treewright.data.schema import Schema
from treewright.ensemble.ensemble import Ensemble
from treewright.estimators.adaboost.adaboost import AdaBoostClassifier, AdaBoostRegressor
from treewright.estimators.boosting.gradient_boosting import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from treewright.estimators.boosting.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from treewright.estimators.chaid import CHAIDClassifier, CHAIDRegressor
from treewright.estimators.classical import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
)
from treewright.estimators.combine.tree_features import TreeFeatures
from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.estimators.discretizer import Discretizer
from treewright.estimators.extra_tree import ExtraTreeClassifier, ExtraTreeRegressor
from treewright.estimators.forest.bagging import BaggingClassifier, BaggingRegressor
from treewright.estimators.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from treewright.estimators.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from treewright.estimators.m5 import M5Regressor
from treewright.estimators.oblique import ObliqueTreeClassifier, ObliqueTreeRegressor
from treewright.estimators.rules import C45RulesClassifier
from treewright.rules.ruleset import RuleSet
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright import evaluate, export
    from treewright.estimators.combine.stacking import StackingClassifier, StackingRegressor
    from treewright.estimators.combine.voting import VotingClassifier, VotingRegressor

__version__ = "0.1.0"

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BoostedEnsemble",
    "C45Classifier",
    "C45RulesClassifier",
    "CARTClassifier",
    "CARTRegressor",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Discretizer",
    "Ensemble",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "ID3Classifier",
    "M5Regressor",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RuleSet",
    "Schema",
    "StackingClassifier",
    "StackingRegressor",
    "Tree",
    "TreeFeatures",
    "VotingClassifier",
    "VotingRegressor",
    "errors",
    "evaluate",
    "export",
    "list_examples",
    "load_example",
    "measures",
    "prune",
    "read",
    "rules",
]


_LOADED_LATE = {
    "evaluate": "treewright.evaluate",
    "export": "treewright.export",
    "StackingClassifier": "treewright.estimators.combine.stacking",
    "StackingRegressor": "treewright.estimators.combine.stacking",
    "VotingClassifier": "treewright.estimators.combine.voting",
    "VotingRegressor": "treewright.estimators.combine.voting",
}
"""Where names are that are imported when first used: scikit-learn's ensembles take a while."""


def __getattr__(name: str) -> Any:
    """Import what is loaded late."""
    if name in _LOADED_LATE:
        import importlib

        module = importlib.import_module(_LOADED_LATE[name])
        return module if name in ("evaluate", "export") else getattr(module, name)
    raise AttributeError(f"module 'treewright' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_LOADED_LATE]
