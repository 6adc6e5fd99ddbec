"""Any model to its form: estimators, trees, ensembles of every kind, and rule sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.adaboost.ensemble import WeightedEnsemble, on_grid
from treewright.adaboost.stump_trees import StumpTrees
from treewright.boosting.ensemble import BoostedEnsemble
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import ParameterError, UnsupportedError
from treewright.export.form.form import SOFTENED, Decision, Form
from treewright.export.form.inputs import inputs_of
from treewright.export.form.rules import form_of_rules
from treewright.export.form.stumps import voting_stump
from treewright.export.form.trees import TreesToGraph, boosted_graph
from treewright.rules.ruleset import RuleSet
from treewright.text.names import short_name
from treewright.tree.leaf import LeafRule
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.array_types import Array


def form_of(model: object) -> Form:
    """Return the form of a fitted estimator, a tree, an ensemble or a rule set.

    Raises
    ------
    UnsupportedError
        For what no target can express: several outputs, offsets, a start from another model,
        calibrated probabilities, derived columns.
    ParameterError
        For an object that is no model of treewright, or is not fitted.
    """
    name = type(model).__name__
    fitted = fitted_model(model)
    classes = getattr(fitted, "classes", None)
    n_outputs = len(classes) if classes is not None else getattr(fitted, "n_outputs", 1)
    if n_outputs > 1:
        raise UnsupportedError(
            f"export: {name} predicts {n_outputs} targets at once, and exported programs one.\n"
            "  Hint: fit a model for each target."
        )
    if isinstance(fitted, RuleSet):
        return form_of_rules(fitted, name)
    if isinstance(fitted, Tree):
        return _form_of_tree(fitted, name)
    if isinstance(fitted, BoostedEnsemble):
        return _form_of_boosted(fitted, name)
    if isinstance(fitted, WeightedEnsemble):
        return _form_of_weighted(fitted, name, softens=model is not fitted)
    return _form_of_ensemble(fitted, name)


def fitted_model(model: Any) -> Tree | Ensemble | BoostedEnsemble | RuleSet:
    """Return what a fitted estimator predicts with, or the model itself."""
    if isinstance(model, Tree | Ensemble | BoostedEnsemble | RuleSet):
        return model
    name = type(model).__name__
    if isinstance(model, type) or not hasattr(model, "fit"):
        raise ParameterError(
            f"model={short_name(repr(model))} is no model of treewright.\n"
            "  Hint: a fitted estimator, its tree_, ensemble_ or ruleset_."
        )
    if getattr(model, "_calibration", None) is not None:
        raise UnsupportedError(
            f"export: the probabilities of {name} are calibrated (calibrate={model.calibrate!r}),"
            " and exported programs tell those of its trees.\n"
            "  Hint: fit with calibrate=None, or export its tree_ or ensemble_."
        )
    if getattr(model, "_starts_from_init", False):
        raise UnsupportedError(
            f"export: {name} starts from the scores of init={model.init!r}, which is no tree.\n"
            "  Hint: fit with init=None."
        )
    for attribute in ("ruleset_", "ensemble_", "tree_"):
        fitted = getattr(model, attribute, None)
        if isinstance(fitted, Tree | Ensemble | BoostedEnsemble | RuleSet):
            return fitted
    if hasattr(model, "estimators_"):
        raise UnsupportedError(
            f"export: {name} combines models of any kind, which no target can express.\n"
            "  Hint: export its members, estimators_."
        )
    raise ParameterError(
        f"model={model!r} has no trees: it is not fitted, or learns none.\n  Hint: fit it first."
    )


def plain_classes(classes: tuple[Array, ...] | None) -> tuple[object, ...] | None:
    """Return the classes of one output as plain Python values."""
    if classes is None:
        return None
    return tuple(
        value.item() if isinstance(value, np.generic) else value for value in classes[0].tolist()
    )


def decision_of(rule: LeafRule) -> Decision:
    """Return how a leaf rule decides."""
    return Decision(costs=rule.cost_matrix, preferred=rule.preferred)


def _form_of_tree(tree: Tree, name: str) -> Form:
    inputs = inputs_of(tree.schema, tree.used_columns)
    builder = TreesToGraph(inputs, by_counts=tree.combine == "leaf_counts")
    builder.add(tree)
    return Form(
        model=name,
        inputs=inputs,
        classes=plain_classes(tree.classes),
        graph=builder.graph(),
        combination="single",
        by_counts=builder.by_counts and builder.divides,
        decision=decision_of(tree.leaf) if tree.classes is not None else Decision(),
        refuses_unseen=tree.unseen == "error",
    )


def _form_of_ensemble(ensemble: Ensemble, name: str) -> Form:
    inputs = inputs_of(ensemble.schema, ensemble.used_columns)
    is_hard = ensemble.vote == "hard"
    by_counts = any(tree.combine == "leaf_counts" for tree in _some_trees(ensemble))
    builder = TreesToGraph(inputs, by_counts=by_counts)
    for tree in ensemble:
        _refuse_mixture(by_counts, tree)
        builder.add(tree, vote=1.0 if is_hard else None)
    votes_late = is_hard and builder.divides
    return Form(
        model=name,
        inputs=inputs,
        classes=plain_classes(ensemble.classes),
        graph=builder.graph(),
        combination="votes" if votes_late else "mean",
        divisor=float(len(ensemble)),
        vote_weights=np.ones(len(ensemble)) if votes_late else None,
        by_counts=by_counts and builder.divides,
        decision=decision_of(ensemble.leaf) if ensemble.classes is not None else Decision(),
        refuses_unseen=ensemble.unseen == "error",
    )


def _some_trees(ensemble: Ensemble) -> list[Tree]:
    """Return the first tree: packed ones never divide a row, and listed ones have one recipe."""
    return [ensemble[0]]


def _refuse_mixture(by_counts: bool, tree: Tree) -> None:
    if (tree.combine == "leaf_counts") != by_counts:
        raise UnsupportedError(
            "export: the trees of this ensemble combine the leaves of a divided row in different"
            " ways.\n  Hint: export the trees one by one."
        )


def _form_of_weighted(ensemble: WeightedEnsemble, name: str, *, softens: bool) -> Form:
    """Return the form of AdaBoost's trees, which vote, or of its estimator, which softens votes."""
    inputs = inputs_of(ensemble.schema, ensemble.used_columns)
    weights = on_grid(ensemble.weights)
    by_counts = ensemble[0].combine == "leaf_counts"
    builder = TreesToGraph(inputs, by_counts=by_counts)
    is_median = ensemble.classes is None
    has_stumps = isinstance(ensemble.trees, StumpTrees)
    for grown, weight in zip(ensemble, weights.tolist(), strict=True):
        _refuse_mixture(by_counts, grown)
        tree = voting_stump(grown) if has_stumps else grown
        builder.add(tree, vote=None if is_median else weight)
    late = is_median or builder.divides
    classes = plain_classes(ensemble.classes)
    return Form(
        model=name,
        inputs=inputs,
        classes=classes,
        graph=builder.graph(),
        combination="median" if is_median else "votes" if late else "mean",
        divisor=float(weights.sum()),
        vote_weights=weights if late else None,
        link=SOFTENED if softens and classes is not None and len(classes) > 1 else "identity",
        by_counts=by_counts and builder.divides,
        decision=decision_of(ensemble.leaf) if not is_median else Decision(),
        refuses_unseen=ensemble.unseen == "error",
    )


def _form_of_boosted(ensemble: BoostedEnsemble, name: str) -> Form:
    if ensemble.has_offsets:
        raise UnsupportedError(
            f"export: {name} was fitted with offsets, which every row to predict needs beside its"
            " columns.\n  Hint: fit without offset, or make the exposure a sample_weight."
        )
    inputs = inputs_of(ensemble.schema, ensemble.used_columns)
    classes = plain_classes(ensemble.classes)
    thresholds = None if ensemble.thresholds is None else ensemble.thresholds[-1]
    return Form(
        model=name,
        inputs=inputs,
        classes=classes,
        graph=boosted_graph(ensemble, inputs),
        combination="scores",
        n_outputs=ensemble.core.n_outputs,
        base=np.asarray(ensemble.base, dtype=np.float64),
        link="one" if classes is not None and len(classes) == 1 else ensemble.link,
        shift=ensemble.shift if classes is None else 0,
        thresholds=thresholds,
        decision=decision_of(ensemble.leaf) if classes is not None else Decision(),
        refuses_unseen=ensemble.unseen == "error",
    )
