"""Every argument of what is done with a fitted tree, with values it should not have (FAULTS 43)."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from strange_values import STRANGE

from treewright import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RuleSet,
    Schema,
)
from treewright.errors import TreewrightError
from treewright.evaluate import stability
from treewright.measures import added_errors, entropy, gain, wilson_interval
from treewright.prune import (
    MDL,
    PRUNERS,
    CostComplexity,
    ErrorBased,
    ReducedError,
    cost_complexity_path,
)
from treewright.rules import Rule, post_prune

RANDOM = np.random.default_rng(0)
N = 60
X = {
    "a": RANDOM.normal(size=N),
    "b": [None, *RANDOM.normal(size=N - 1)],
    "c": [("p", "q", None)[i] for i in RANDOM.integers(0, 3, N)],
}
Y = np.where(X["a"] + RANDOM.normal(size=N) > 0, "no", "yes")
VALUES = X["a"] + RANDOM.normal(size=N)
TREE = DecisionTreeClassifier().fit(X, Y).tree_
OTHER = DecisionTreeClassifier(max_depth=2).fit(X, Y).tree_
NUMBERS = DecisionTreeRegressor().fit(X, VALUES).tree_
BOOSTED = GradientBoostingRegressor(n_estimators=2)
RULES = RuleSet.of_tree(DecisionTreeClassifier(missing="majority").fit(X, Y).tree_)


def of_ruleset(**given: Any) -> Any:
    usual: dict[str, Any] = {"rules": RULES.rules, "default": RULES.default}
    rules = RuleSet(**(usual | {"classes": RULES.classes} | given))
    return rules.predict(X), rules.simplify()


def typed(value: Any) -> Any:
    """A conversation in which the same is always typed, and the input ends after ten times."""
    entries = iter([value] * 10)

    def ask(question: str) -> Any:
        try:
            return next(entries)
        except StopIteration:
            raise EOFError from None

    return TREE.consult(ask=ask, tell=lambda _: None)


CALLS: dict[str, Callable[[Any], Any]] = {
    "tree.prune": lambda v: TREE.prune(v),
    "MDL.prune tree": lambda v: MDL().prune(v),
    "MDL.prune X": lambda v: MDL().prune(TREE, v, Y),
    "MDL.prune test": lambda v: MDL().prune(TREE, test=v),
    "ReducedError.prune X": lambda v: ReducedError().prune(TREE, v, Y),
    "ReducedError.prune y": lambda v: ReducedError().prune(TREE, X, v),
    "ReducedError.prune y of numbers": lambda v: ReducedError().prune(NUMBERS, X, v),
    "ReducedError.prune weight": lambda v: ReducedError().prune(TREE, X, Y, sample_weight=v),
    "ErrorBased.prune X": lambda v: ErrorBased().prune(TREE, v, Y),
    "ErrorBased.prune y": lambda v: ErrorBased().prune(TREE, X, v),
    "ErrorBased.prune weight": lambda v: ErrorBased().prune(TREE, X, Y, sample_weight=v),
    "cost_complexity_path tree": lambda v: cost_complexity_path(v),
    "cost_complexity_path on": lambda v: cost_complexity_path(TREE, on=v),
    "CostComplexity.path on": lambda v: CostComplexity(on=v).path(TREE),
    "path.at": lambda v: cost_complexity_path(TREE).at(v),
    "curve.text": lambda v: MDL().prune(TREE).pruning.curve.text(max_lines=v),  # type: ignore[union-attr]
    "simplify probabilities": lambda v: TREE.simplify(probabilities=v),
    "simplify missing": lambda v: TREE.simplify(missing=v),
    "importances": lambda v: TREE.importances(normalize=v),
    "text": lambda v: TREE.text(max_depth=v),
    "why": lambda v: TREE.why(v),
    "dnf": lambda v: TREE.dnf(v),
    "diff other": lambda v: TREE.diff(v),
    "diff X": lambda v: TREE.diff(OTHER, v),
    "diff tolerance": lambda v: TREE.diff(OTHER, X, tolerance=v),
    "consult known": lambda v: TREE.consult(known=v).question,
    "consult value": lambda v: TREE.consult(known={"a": v, "c": v}).question,
    "consult costs": lambda v: TREE.consult(costs=v).question,
    "consult cost": lambda v: TREE.consult(costs={"a": v}).question,
    "consult tolerance": lambda v: TREE.consult(tolerance=v).question,
    "consult tolerance of numbers": lambda v: NUMBERS.consult(tolerance=v).question,
    "consult typed": typed,
    "consult answer": lambda v: TREE.consult().answer(v),
    "RuleSet.of_tree": lambda v: RuleSet.of_tree(v),
    "RuleSet rule": lambda v: of_ruleset(rules=[v]),
    "RuleSet default": lambda v: of_ruleset(default=v),
    "RuleSet classes": lambda v: of_ruleset(classes=v),
    "RuleSet mode": lambda v: of_ruleset(mode=v),
    "RuleSet combine": lambda v: of_ruleset(combine=v),
    "RuleSet unseen": lambda v: of_ruleset(unseen=v),
    "RuleSet.predict": RULES.predict,
    "RuleSet.dnf": RULES.dnf,
    "RuleSet.simplify": lambda v: RULES.simplify(keep=v),
    "RuleSet.text level": lambda v: RULES.text(level=v),
    "RuleSet.text max_rules": lambda v: RULES.text(max_rules=v),
    "RuleSet.measured X": lambda v: RULES.measured(v, Y),
    "RuleSet.measured y": lambda v: RULES.measured(X, v),
    "RuleSet.measured weight": lambda v: RULES.measured(X, Y, sample_weight=v),
    "Rule.interval": RULES[0].interval,
    "Rule.of schema": lambda v: Rule.of(v, [("c", "=", "p")], "no"),
    "Rule.of conditions": lambda v: Rule.of(TREE.schema, v, "no"),
    "Rule.of condition": lambda v: Rule.of(TREE.schema, [v], "no"),
    "Rule.of column": lambda v: Rule.of(TREE.schema, [(v, "=", "p")], "no"),
    "Rule.of test": lambda v: Rule.of(TREE.schema, [("a", v, 1)], "no"),
    "Rule.of test of values": lambda v: Rule.of(TREE.schema, [("c", v, "p")], "no"),
    "Rule.of bound": lambda v: Rule.of(TREE.schema, [("a", "<=", v)], "no").text(),
    "Rule.of value": lambda v: Rule.of(TREE.schema, [("c", "=", v)], "no").text(),
    "Rule.of values": lambda v: Rule.of(TREE.schema, [("c", "in", v)], "no").text(),
    "post_prune tree": lambda v: post_prune(v, X, Y),
    "post_prune X": lambda v: post_prune(TREE, v, Y),
    "post_prune y": lambda v: post_prune(TREE, X, v),
    "post_prune weight": lambda v: post_prune(TREE, X, Y, sample_weight=v),
    "post_prune estimate": lambda v: post_prune(TREE, X, Y, estimate=v),
    "post_prune confidence": lambda v: post_prune(TREE, X, Y, confidence=v),
    "post_prune accept": lambda v: post_prune(TREE, X, Y, accept=v),
    "stability estimator": lambda v: stability(v, X, Y),
    "stability X": lambda v: stability(DecisionTreeClassifier(), v, Y),
    "stability y": lambda v: stability(DecisionTreeClassifier(), X, v),
    "derive": lambda v: Schema().derive(v).definitions,
    "Schema derived": lambda v: Schema(derived=v),
    "Schema kinds": lambda v: Schema(kinds=v),
    "Schema values": lambda v: Schema(values=v),
    "Schema order": lambda v: Schema(order=v),
    "Schema domain": lambda v: Schema(order={"c": v}),
    "Schema costs": lambda v: Schema(costs=v),
    "Schema cost": lambda v: Schema(costs={"c": v}),
    "Schema ignore": lambda v: Schema(ignore=v),
    "Schema class_order": lambda v: Schema(class_order=v),
    "Schema class": lambda v: DecisionTreeClassifier(
        schema=Schema(class_order=["no", v, "yes"])
    ).fit(X, Y),
    "boosting offset": lambda v: BOOSTED.fit(X, VALUES, offset=v),
    "boosting offset_val": lambda v: BOOSTED.fit(
        X, VALUES, offset=0.0, X_val=X, y_val=VALUES, offset_val=v
    ),
    "boosted offset": lambda v: BOOSTED.fit(X, VALUES, offset=0.0).predict(X, offset=v),
    "boosting class": lambda v: GradientBoostingClassifier(
        n_estimators=2, loss="ordinal", schema=Schema(class_order=v)
    ).fit(X, Y),
    "wilson_interval": lambda v: wilson_interval(1, 2, level=v),
    "added_errors": lambda v: added_errors(2, 1, v),
    "entropy base": lambda v: entropy([1, 2], base=v),
    "gain measure": lambda v: gain([[1, 2]], measure=v),
}


@pytest.mark.filterwarnings("ignore::treewright.errors.OtherTypeWarning")  # a number for a text
@pytest.mark.parametrize("call", CALLS)
def test_a_strange_argument_works_or_is_refused(call: str) -> None:
    """FAULTS 43: whatever else is raised, or warned of, fails the test."""
    for value in STRANGE:
        with contextlib.suppress(TreewrightError):
            CALLS[call](value)


@pytest.mark.parametrize(
    ("pruner", "name"),
    [(each, field.name) for each in PRUNERS for field in dataclasses.fields(each)],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_strange_parameter_of_a_pruner_works_or_is_refused_by_name(
    pruner: Any, name: str
) -> None:
    """FAULTS 43."""
    for value in STRANGE:
        rows = (X, Y) if pruner in (ReducedError, CostComplexity) else ()
        refusal = name
        try:
            assert str(pruner(**{name: value}).prune(TREE, *rows).pruning)
        except TreewrightError as error:
            refusal = str(error)
        assert name in refusal, value
