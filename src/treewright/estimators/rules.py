"""C4.5rules, and C5.0's rules, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.data.read.target import ClassTarget
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.dependence.additive import Additive
from treewright.errors import UnsupportedError
from treewright.estimators.classical import C45Classifier
from treewright.estimators.to_sklearn import refuse
from treewright.explain.shap_values import ShapValues
from treewright.grow.options import GrowthOptions
from treewright.grow.problem import Problem
from treewright.measures.error_estimates import ErrorVariant
from treewright.parameters import check_choice, check_number
from treewright.prune import ErrorBased, Pruner
from treewright.prune.merge_leaves import merge_leaves
from treewright.rules.counting import LabelledRows
from treewright.rules.learn.c5rules import c5rules
from treewright.rules.learn.c45rules import C45RulesOptions, c45rules
from treewright.rules.learn.library_random import LibraryRandom, RandomNumbers
from treewright.rules.learn.select import SEARCHES, Search
from treewright.rules.ruleset import RuleSet
from treewright.rules.text import RuleExplanation
from treewright.tree.tree import Tree


class C45RulesClassifier(C45Classifier):
    """C4.5rules (Quinlan 1993, chapter 5; release 8): a short list of rules out of a C4.5 tree.

    An unpruned tree is grown; each of its leaves becomes a rule, which drops the conditions that do
    not lower its pessimistic error; for every class, the set of rules of shortest description is
    kept; classes are ordered by their false positives; rows that meet no rule get the default
    class. A row with a missing value meets no condition on it.

    Parameters
    ----------
    variant : {"release8", "j48", "c5"}
        ``"release8"`` is C4.5rules. ``"j48"`` is the same on J48's tree and with J48's estimate of
        errors (Weka itself has no such rules). ``"c5"`` is C5.0's method: rules of all nodes of the
        pruned tree, chosen together, that vote with their confidence.
    confidence : float
        CF of the pessimistic error (-c): smaller values drop more conditions.
    min_cases : float
        Weight that at least two branches of a split need (-m of C4.5).
    redundancy : float
        Guessed number of times that columns repeat each other (-r): larger values allow longer
        rules. Not for ``"c5"``, nor are the next two.
    significance : float, optional
        Also drop conditions whose p-value in Fisher's exact test is higher (-F).
    search : {"greedy", "annealing"}
        How a subset of more than ten rules is searched for (-a anneals); of up to ten all are
        tried.
    single_precision, nominal, gain_guard, mdl_penalty, column_costs, cost_rule, cost_exponent
        Options of growing, as for :class:`C45Classifier`.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision, as for :class:`DecisionTreeClassifier`. It decides only: the class of
        least expected cost is predicted, and the rules and their probabilities are as without.
    calibrate : {"temperature", "isotonic", "shares"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.
    class_weight, categorical_features, unseen, schema, n_jobs, verbose
        As for :class:`DecisionTreeClassifier`. Weights count as cases, in rules as in pruning.
    random_state : int, Generator or None
        Seed of the eleven starts of the greedy search, or of the annealing. None draws the numbers
        that Quinlan's program draws, which are always the same.

    Attributes
    ----------
    ruleset_ : RuleSet
        The rules, with the weight each covers and its accuracy on the training rows.
    tree_ : Tree
        The tree that they were made from.

    Notes
    -----
    With ``single_precision=True`` and no ``random_state`` the rules are those of release 8;
    ``docs/decisions/011-c45-variants.md`` has the comparison. Without it gains are exact and values
    closer than 0.00001 are told apart, which chooses other rules on some tables.

    Every leaf is compared with every row, and every rule with every other: 50,000 rows with
    thousands of leaves take a minute.

    Examples
    --------
    >>> from treewright import C45RulesClassifier, load_example
    >>> play = load_example("play_tennis")
    >>> model = C45RulesClassifier().fit(play.X, play.y)
    >>> for rule in model.ruleset_:
    ...     print(rule)
    IF Outlook = Sunny AND Humidity = High THEN No  (3 covered, 0 wrong)
    IF Outlook = Rain AND Wind = Strong THEN No  (2 covered, 0 wrong)
    IF Outlook = Overcast THEN Yes  (4 covered, 0 wrong)
    IF Humidity = Normal THEN Yes  (7 covered, 1 wrong)
    IF Outlook = Rain AND Wind = Weak THEN Yes  (3 covered, 0 wrong)
    >>> model.ruleset_.default.label
    'Yes'
    """

    ruleset_: RuleSet
    combine = "branch_fractions"  # of the tree, which is not used for prediction

    def __init__(
        self,
        *,
        variant: str = "release8",
        confidence: float = 0.25,
        min_cases: float = 2,
        redundancy: float = 1.0,
        significance: float | None = None,
        search: str = "greedy",
        single_precision: bool = False,
        nominal: str = "multiway",
        gain_guard: bool = True,
        mdl_penalty: bool = True,
        column_costs: Any = None,
        cost_rule: str = "tan_schlimmer",
        cost_exponent: float = 1.0,
        class_weight: Any = None,
        cost_matrix: Any = None,
        calibrate: str | None = None,
        categorical_features: Any = None,
        unseen: str = "missing",
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.confidence = confidence
        self.min_cases = min_cases
        self.redundancy = redundancy
        self.significance = significance
        self.search = search
        self.single_precision = single_precision
        self.nominal = nominal
        self.gain_guard = gain_guard
        self.mdl_penalty = mdl_penalty
        self.column_costs = column_costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.calibrate = calibrate
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> GrowthOptions:
        check_choice("search", self.search, SEARCHES)
        check_number("confidence", self.confidence, low=0.0, high=1.0, open_low=True)
        check_number("redundancy", self.redundancy, low=0.0, open_low=True)
        check_number("significance", self.significance, low=0.0, high=1.0, optional=True)
        options = super()._options()
        usual = {"redundancy": 1.0, "significance": None, "search": "greedy"}
        changed = [name for name, value in usual.items() if getattr(self, name) != value]
        if self.variant == "c5" and changed:
            raise UnsupportedError(
                f"{changed[0]}={getattr(self, changed[0])!r} is C4.5rules' own;"
                " variant='c5' makes its rules without.\n  Hint: variant='release8'."
            )
        return options

    def _pruner(self) -> Pruner:
        # C4.5rules starts from an unpruned tree, which C4.5 collapses as it is grown.
        confidence = cast(float, self.confidence) if self.variant == "c5" else None
        return ErrorBased(confidence=confidence, variant=cast(ErrorVariant, self.variant))

    def _as_c5_leaves_it(self, tree: Tree) -> Tree:
        # Every branch becomes a rule of its own, and the tree is not used for prediction.
        return merge_leaves(tree, grouped=True) if self.nominal == "groups" else tree

    def _learned(self, tree: Tree, problem: Problem) -> None:
        ruleset = self._make_rules(tree, problem)
        super()._learned(tree, problem)
        self.ruleset_ = ruleset

    def _make_rules(self, tree: Tree, problem: Problem) -> RuleSet:
        costs = tree.leaf.cost_matrix
        plain = tree.with_arrays(tree.arrays, leaf=tree.leaf.for_growing())
        rules = self._rules_of(plain, problem)
        return rules if costs is None else rules.deciding(tree.leaf)

    def _rules_of(self, tree: Tree, problem: Problem) -> RuleSet:
        rows = _labelled(problem)
        if self.variant == "c5":
            return c5rules(tree, rows, min_cases=float(self.min_cases))
        options = C45RulesOptions(
            confidence=float(cast(float, self.confidence)),
            variant=cast(ErrorVariant, self.variant),
            redundancy=float(self.redundancy),
            significance=None if self.significance is None else float(self.significance),
            search=cast(Search, self.search),
        )
        random: RandomNumbers = LibraryRandom()
        if self.random_state is not None:
            random = np.random.default_rng(problem.seed)
        return c45rules(tree, rows, options=options, random=random)

    def predict(self, X: Any) -> Array:
        """Return the class of the first rule that each row meets (or the vote), or the default."""
        rules = self._rules()
        if self._calibration is not None:
            return self._decided_calibrated(X)
        return rules.decide(self._table(X))

    def _grades(self) -> tuple[Any, ...]:
        return (None,)  # rules have no nodes above them

    def _answers(self, X: Any) -> FloatArray:
        return self._rules().answers(self._table(X))

    def apply(self, X: Any) -> Int64Array:
        """Return the number of the rule that decides on each row, from 0; -1 is the default.

        Raises an error where rules vote, since they decide together.
        """
        return self._rules().apply_to(self._table(X))

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each column in the weight that rules cover, divided among the columns asked."""
        rules = self._rules()
        return rules.schema.by_input(rules.usage())

    def _rules(self) -> RuleSet:
        self._model()
        return self.ruleset_

    def _added_up(self, output: str) -> Additive | str:
        return "a list of rules decides"

    def _explained(
        self, table: Table, background: Table | None, *, interactions: bool
    ) -> ShapValues:
        raise UnsupportedError(
            "shap_values explains trees, and C45RulesClassifier predicts by a list of rules.\n"
            "  Hint: tree_.shap_values explains the tree that the rules were made from."
        )

    def text(self, **options: Any) -> str:
        """Return the rules as text, as :meth:`RuleSet.text` does; ``tree_.text()`` has the tree."""
        return self._rules().text(**options)

    def to_sklearn(self) -> Any:
        """Raise an error: scikit-learn has no rules; ``C45Classifier`` is a tree it can have."""
        self._model()
        raise refuse("rules make its predictions, not its tree", owner=self)

    def rules(self) -> RuleSet:
        """Return the rules that make the predictions."""
        return self._rules()

    def _model_asked(self) -> RuleSet:
        return self._rules()

    def explain(self, row: object) -> RuleExplanation:  # type: ignore[override]
        """Return which rules a row meets, and which of them decide.

        It tells what `predict` and `predict_proba` answer, calibrated where they are.
        """
        rules = self._rules()
        found = rules.explain(row)
        if self._calibration is None:
            return found
        answer = self._calibrated(rules.row(row))[0][0]
        return found.calibrated(answer)


def _labelled(problem: Problem) -> LabelledRows:
    """Return the rows of positive weight, with their classes and weights."""
    weight = problem.weights.weight
    if weight is not None and not weight.all():
        problem = problem.take(np.flatnonzero(weight))
        weight = problem.weights.weight
    target = problem.target
    assert isinstance(target, ClassTarget)
    return LabelledRows(
        table=problem.table,
        codes=target.codes.astype(np.int64),
        weight=np.ones(problem.table.n_rows) if weight is None else weight,
        classes=target.classes[0],
    )
