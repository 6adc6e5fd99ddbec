"""Every decision tree, grown exactly, explained fully, and faster than the library you use now."""

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright import errors, evaluate, export, measures, persist, prune, rules
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
    from treewright.estimators.combine.stacking import StackingClassifier, StackingRegressor
    from treewright.estimators.combine.tree_features import TreeFeatures
    from treewright.estimators.combine.voting import VotingClassifier, VotingRegressor
    from treewright.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
    from treewright.estimators.discretizer import Discretizer
    from treewright.estimators.extra_tree import ExtraTreeClassifier, ExtraTreeRegressor
    from treewright.estimators.forest.bagging import BaggingClassifier, BaggingRegressor
    from treewright.estimators.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
    from treewright.estimators.forest.random_forest import (
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from treewright.estimators.m5 import M5Regressor
    from treewright.estimators.oblique import ObliqueTreeClassifier, ObliqueTreeRegressor
    from treewright.estimators.rules import C45RulesClassifier
    from treewright.estimators.stream.incremental import IncrementalTreeClassifier
    from treewright.persist.files import load, save
    from treewright.reporting.report import report
    from treewright.rules.ruleset import RuleSet
    from treewright.tree.tree import Tree

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
    "IncrementalTreeClassifier",
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
    "load",
    "load_example",
    "measures",
    "persist",
    "prune",
    "read",
    "report",
    "rules",
    "save",
]

_MODULES = ("errors", "evaluate", "export", "measures", "persist", "prune", "rules")
"""Public names that are modules."""

_HOMES = {
    "AdaBoostClassifier": "treewright.estimators.adaboost.adaboost",
    "AdaBoostRegressor": "treewright.estimators.adaboost.adaboost",
    "BaggingClassifier": "treewright.estimators.forest.bagging",
    "BaggingRegressor": "treewright.estimators.forest.bagging",
    "BoostedEnsemble": "treewright.boosting.ensemble",
    "C45Classifier": "treewright.estimators.classical",
    "C45RulesClassifier": "treewright.estimators.rules",
    "CARTClassifier": "treewright.estimators.classical",
    "CARTRegressor": "treewright.estimators.classical",
    "CHAIDClassifier": "treewright.estimators.chaid",
    "CHAIDRegressor": "treewright.estimators.chaid",
    "DecisionTreeClassifier": "treewright.estimators.decision_tree",
    "DecisionTreeRegressor": "treewright.estimators.decision_tree",
    "Discretizer": "treewright.estimators.discretizer",
    "Ensemble": "treewright.ensemble.ensemble",
    "ExtraTreeClassifier": "treewright.estimators.extra_tree",
    "ExtraTreeRegressor": "treewright.estimators.extra_tree",
    "ExtraTreesClassifier": "treewright.estimators.forest.extra_trees",
    "ExtraTreesRegressor": "treewright.estimators.forest.extra_trees",
    "GradientBoostingClassifier": "treewright.estimators.boosting.gradient_boosting",
    "GradientBoostingRegressor": "treewright.estimators.boosting.gradient_boosting",
    "HistGradientBoostingClassifier": "treewright.estimators.boosting.hist_gradient_boosting",
    "HistGradientBoostingRegressor": "treewright.estimators.boosting.hist_gradient_boosting",
    "ID3Classifier": "treewright.estimators.classical",
    "IncrementalTreeClassifier": "treewright.estimators.stream.incremental",
    "M5Regressor": "treewright.estimators.m5",
    "ObliqueTreeClassifier": "treewright.estimators.oblique",
    "ObliqueTreeRegressor": "treewright.estimators.oblique",
    "RandomForestClassifier": "treewright.estimators.forest.random_forest",
    "RandomForestRegressor": "treewright.estimators.forest.random_forest",
    "RuleSet": "treewright.rules.ruleset",
    "Schema": "treewright.data.schema",
    "StackingClassifier": "treewright.estimators.combine.stacking",
    "StackingRegressor": "treewright.estimators.combine.stacking",
    "Tree": "treewright.tree.tree",
    "TreeFeatures": "treewright.estimators.combine.tree_features",
    "VotingClassifier": "treewright.estimators.combine.voting",
    "VotingRegressor": "treewright.estimators.combine.voting",
    "load": "treewright.persist.files",
    "save": "treewright.persist.files",
    "list_examples": "treewright.data.examples.load",
    "load_example": "treewright.data.examples.load",
    "read": "treewright.data.files.any_file",
    "report": "treewright.reporting.report",
}
"""Where every other name is. Names are imported when they are first used (PEP 562), so that the
command line, and whoever only predicts, does not wait for scikit-learn and scipy."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _MODULES:
        return importlib.import_module(f"treewright.{name}")
    if name not in _HOMES:
        from treewright.other_names import OF_THE_PACKAGE  # late: it is for this message alone

        hint = f".\n  Hint: {OF_THE_PACKAGE[name]}." if name in OF_THE_PACKAGE else ""
        message = f"module 'treewright' has no attribute {name!r}{hint}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found  # the next use is a plain look-up
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
