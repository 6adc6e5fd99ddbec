"""The classes that a model file may name, by names of their own: code can move, files cannot.

A name in a file is looked up here and nowhere else: nothing is imported by what a file says.
"""

from __future__ import annotations

import importlib
from functools import cache

_ESTIMATORS = {
    "estimators.adaboost.adaboost": "AdaBoostClassifier AdaBoostRegressor",
    "estimators.boosting.gradient_boosting": "GradientBoostingClassifier GradientBoostingRegressor",
    "estimators.boosting.hist_gradient_boosting": (
        "HistGradientBoostingClassifier HistGradientBoostingRegressor"
    ),
    "estimators.chaid": "CHAIDClassifier CHAIDRegressor",
    "estimators.classical": "C45Classifier CARTClassifier CARTRegressor ID3Classifier",
    "estimators.combine.stacking": "StackingClassifier StackingRegressor",
    "estimators.combine.tree_features": "TreeFeatures",
    "estimators.combine.voting": "VotingClassifier VotingRegressor",
    "estimators.decision_tree": "DecisionTreeClassifier DecisionTreeRegressor",
    "estimators.discretizer": "Discretizer",
    "estimators.extra_tree": "ExtraTreeClassifier ExtraTreeRegressor",
    "estimators.forest.bagging": "BaggingClassifier BaggingRegressor",
    "estimators.forest.extra_trees": "ExtraTreesClassifier ExtraTreesRegressor",
    "estimators.forest.random_forest": "RandomForestClassifier RandomForestRegressor",
    "estimators.m5": "M5Regressor",
    "estimators.oblique": "ObliqueTreeClassifier ObliqueTreeRegressor",
    "estimators.rules": "C45RulesClassifier",
    "estimators.stream.incremental": "IncrementalTreeClassifier",
}
_PARTS = {
    "adaboost.ensemble": "WeightedEnsemble",
    "adaboost.fit": "AdaBoosted=Boosted",
    "adaboost.rounds": "AdaBoostRound=Round AdaBoostRounds=Rounds RoundFigures",
    "adaboost.stump_trees": "StumpTrees",
    "boosting.ensemble": "BoostedEnsemble",
    "boosting.options": "BoostingOptions",
    "boosting.rounds": "GradientRound GradientRounds RoundsChoice TriedShape",
    "boosting.training_record": "RoundDraws TrainingFigures",
    "certainty.calibration": "Chain Isotonic OnGrid Shares Temperature",
    "certainty.intervals": "CertaintyIntervals=Intervals",
    "certainty.local_spread": "LocalSpread",
    "certainty.sets": "CertaintySets=Sets",
    "data.column": "Column",
    "data.definitions": "ColumnName Constant Definition",
    "data.files.notation": "Notation",
    "data.fitted_schema": "ColumnSpec DerivedColumn FittedSchema",
    "data.schema": "Schema",
    "ensemble.ensemble": "Ensemble ListedTrees",
    "estimators.combine.members": "Member",
    "estimators.combine.pool": "ConvexSum OpinionPool",
    "estimators.combine.weights": "MemberWeights",
    "explain.kept_whys": "KeptWhys",
    "forest.early_stopping": "StopRule",
    "forest.out_of_bag": "OutOfBag",
    "forest.packed": "PackedTrees",
    "grow.chaid": "Merging",
    "grow.discretize": "Discretization",
    "grow.missing": "MissingPolicy",
    "grow.oblique": "ObliqueOptions",
    "grow.options": "GrowthOptions",
    "grow.start.read": "Start",
    "grow.training_record": "Recall=_Recall",
    "grow.written": "Edge Written",
    "m5.fit": "M5Recall=_M5Recall M5Settings",
    "prune.methods.chi_square": "ChiSquare",
    "prune.methods.cost_complexity": "CostComplexity CostComplexityPath",
    "prune.methods.critical_value": "CriticalValue",
    "prune.methods.error_based": "ErrorBased",
    "prune.methods.mdl": "MDL",
    "prune.methods.minimum_error": "MinimumError",
    "prune.methods.minimum_fraction": "MinimumFraction",
    "prune.methods.one_standard_error": "OneStandardError",
    "prune.methods.pessimistic": "Pessimistic",
    "prune.methods.reduced_error": "ReducedError",
    "prune.methods.to_depth": "ToDepth",
    "prune.record": "Curve Pruning",
    "rules.extract": "RuleSequence",
    "rules.routing": "Crossing Passage",
    "rules.rule": "Rule",
    "rules.ruleset": "RuleSet",
    "stream.rows": "KeptRows",
    "stream.update": "Grown",
    "tree.arrays": "TreeArrays",
    "tree.condition": "Interval LinearInterval Members",
    "tree.leaf": "LeafRule",
    "tree.linear_leaves": "IndicatorTerm LinearLeaves NumberTerm",
    "tree.question": "Categories Cut Intervals LinearCut",
    "tree.tree": "Tree",
}


def _places(listed: dict[str, str]) -> dict[str, tuple[str, str]]:
    places = {}
    for module, names in listed.items():
        for each in names.split():
            name, _, known_as = each.partition("=")
            places[name] = (f"treewright.{module}", known_as or name)
    return places


ESTIMATORS = frozenset(_places(_ESTIMATORS))
"""Names of the estimators."""
MODELS = ESTIMATORS | {
    "BoostedEnsemble",
    "Ensemble",
    "RuleSequence",
    "RuleSet",
    "Tree",
    "WeightedEnsemble",
}
"""Names of what can be saved by itself."""
_PLACE_OF_NAME = _places(_ESTIMATORS) | _places(_PARTS)
_NAME_OF_PLACE = {place: name for name, place in _PLACE_OF_NAME.items()}


def names() -> tuple[str, ...]:
    """Return every name that a file may have."""
    return tuple(_PLACE_OF_NAME)


def name_of(kind: type) -> str | None:
    """Return the name of a class in files; None for a class that no file may name.

    >>> from treewright import Tree
    >>> name_of(Tree), name_of(dict)
    ('Tree', None)
    """
    return _NAME_OF_PLACE.get((kind.__module__, kind.__qualname__))


@cache
def class_of(name: str) -> type:
    """Return the class of a name; a KeyError for one that is not listed here."""
    module, known_as = _PLACE_OF_NAME[name]
    made: type = getattr(importlib.import_module(module), known_as)
    return made
