"""A tree that learns from rows as they come: the tree of all rows seen, after every update."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from treewright.data.read.groups import RowGroups
from treewright.data.read.leaks import warn_of_leaks
from treewright.data.read.table import typed_by_weight
from treewright.data.read.weights import RowWeights
from treewright.data.schema import Schema
from treewright.errors import SmallDataWarning, UnsupportedError, warn
from treewright.estimators.certainty.keeps_rows import all_or_nothing
from treewright.estimators.checks import check_verbose, seed_of
from treewright.estimators.decision_tree import DecisionTreeClassifier
from treewright.grow.costs import deciding, with_costs
from treewright.grow.fit import check_problem
from treewright.grow.problem import Problem
from treewright.grow.training_data import Reading
from treewright.prune import ReducedError
from treewright.prune.fit import fit_pruned, holds_out, pruned
from treewright.stream.rows import KeptRows, first_rows, with_more_rows
from treewright.stream.served import is_updated_by_node
from treewright.stream.update import Grown, grown, of_tree, updated
from treewright.threads import n_threads
from treewright.tree.tree import Tree


class IncrementalTreeClassifier(DecisionTreeClassifier):
    """A decision tree for classes that is updated with further rows, exactly.

    After every :meth:`partial_fit` the tree is the one that :class:`DecisionTreeClassifier` with
    the same parameters grows of all rows seen, in the order in which they came, to the last bit:
    however they were divided into batches (Utgoff, Berkman and Clouse 1997). It keeps all rows.

    By the default parameters an update judges again the nodes on the way of the new rows, and grows
    anew only what is below a question that has changed. So it is for Gini and entropy, unweighted
    rows, ``missing="learned_side"``, and limits that are numbers of rows; columns of more than ten
    categories need ``guard_many_values=False`` and two classes. With other parameters the tree is
    the right one as well, but is grown anew of all rows kept.

    Parameters
    ----------
    criterion, splitter, nominal, numeric, cal5_threshold, cal5_alpha, missing, unseen, combine, \
thresholds, threshold_at, max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, \
min_weight_fraction_leaf, min_impurity, max_class_share, min_impurity_decrease, max_p_value, \
max_features, features_per, guard_many_values, column_costs, cost_rule, cost_exponent, \
class_weight, priors, cost_matrix, leaf, leaf_m, monotonic_cst, categorical_features, schema, \
random_state, n_jobs, verbose
        As for :class:`DecisionTreeClassifier`.
    prune, ccp_alpha
        As for :class:`DecisionTreeClassifier`. The tree without pruning is what is updated, and it
        is pruned after every update.

    Attributes
    ----------
    tree_, classes_, n_classes_, n_features_in_, feature_names_in_, feature_importances_
        As for :class:`DecisionTreeClassifier`.
    n_rows_seen_ : int
        Number of rows that the tree was grown of.
    n_rows_regrown_ : int
        How many of them are in the parts of the tree that the last call grew anew.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, IncrementalTreeClassifier, load_example
    >>> iris = load_example("iris")
    >>> model = IncrementalTreeClassifier()
    >>> for begin in (0, 100):
    ...     model = model.partial_fit(iris.X[begin : begin + 100], iris.y[begin : begin + 100])
    >>> model.n_rows_seen_
    150
    >>> at_once = DecisionTreeClassifier().fit(iris.X, iris.y)
    >>> model.tree_.arrays.equals(at_once.tree_.arrays)
    True
    """

    # With scikit-learn's metadata routing; a plain dict, as in the base.
    __metadata_request__partial_fit = {"classes": True}  # noqa: RUF012

    _rows: KeptRows | None = None
    _grown: Grown | None = None
    _has_groups = False
    _takes_outputs = False

    def __init__(
        self,
        *,
        criterion: Any = "gini",
        splitter: str = "best",
        nominal: str = "subset",
        numeric: str = "threshold",
        cal5_threshold: float = 0.8,
        cal5_alpha: float = 0.3,
        missing: str = "learned_side",
        unseen: str = "missing",
        combine: str = "branch_fractions",
        thresholds: str = "all",
        threshold_at: str = "midpoint",
        max_depth: int | str | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float = 0.0,
        max_class_share: float = 1.0,
        min_impurity_decrease: float = 0.0,
        max_p_value: float | None = None,
        max_features: Any = None,
        features_per: str = "node",
        guard_many_values: bool = True,
        column_costs: Any = None,
        cost_rule: str = "tan_schlimmer",
        cost_exponent: float = 1.0,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        leaf: str = "majority",
        leaf_m: float = 2.0,
        prune: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            nominal=nominal,
            numeric=numeric,
            cal5_threshold=cal5_threshold,
            cal5_alpha=cal5_alpha,
            missing=missing,
            unseen=unseen,
            combine=combine,
            thresholds=thresholds,
            threshold_at=threshold_at,
            max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            min_impurity=min_impurity,
            max_class_share=max_class_share,
            min_impurity_decrease=min_impurity_decrease,
            max_p_value=max_p_value,
            max_features=max_features,
            features_per=features_per,
            guard_many_values=guard_many_values,
            column_costs=column_costs,
            cost_rule=cost_rule,
            cost_exponent=cost_exponent,
            class_weight=class_weight,
            priors=priors,
            cost_matrix=cost_matrix,
            leaf=leaf,
            leaf_m=leaf_m,
            prune=prune,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
            schema=schema,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Grow the tree of these rows, and forget those seen before; parameters as elsewhere."""
        reading = self._checked_reading()
        rows = first_rows(X, y, sample_weight, None, reading)
        together = RowGroups.read(groups, rows.n_rows)
        problem = self._problem_of(rows, reading, together)
        warn_of_leaks(problem.table, problem.target)
        if rows.n_rows == 1:  # in an update more rows will come
            warn(
                "the table has a single row (n_samples = 1): the tree is one leaf.",
                SmallDataWarning,
            )
        if holds_out(self._pruner()):
            problem.warn_of_groups("The size of the tree is chosen")
        tree, made = self._from_scratch(problem)
        with all_or_nothing(self):
            self._take(tree, made, rows, problem, problem.table.n_rows)
            self._has_groups = together is not None
            self._keep(X, y, sample_weight, groups)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the tree with further rows; the first call is as `fit`.

        Parameters
        ----------
        X : table
            Any table, of one row or many. A dataframe has the columns of the first, a dict (or
            list of dicts) in any order. Categories, and decimals in a column of whole numbers, may
            be new.
        y : array-like
            The class of each row; classes may be new.
        classes : array-like, optional
            Announces classes: they are among ``classes_``, with probability 0 as long as no row has
            them, and `y` may have no others. Needed by no call; those of earlier calls stay.
        sample_weight : array-like, optional
            Weight of each row; rows of calls without weights weigh 1.

        Returns
        -------
        self
            If anything fails, the estimator is as it was.
        """
        if self._rows is None:
            if hasattr(self, "tree_"):
                self._refuse_to_go_on("it no longer has the rows it was fitted to")
            return self._first(X, y, classes, sample_weight)
        if self._has_groups:
            self._refuse_to_go_on("fit was given groups, and those of further rows are not known")
        assert self._grown is not None
        reading = self._checked_reading()
        schema = self._grown.tree.schema
        rows = with_more_rows(self._rows, X, y, sample_weight, classes, reading, schema)
        problem = self._problem_of(rows, reading, None)
        tree, made, n_regrown = self._from_before(problem, self._grown, self._rows.n_rows)
        with all_or_nothing(self):
            self._take(tree, made, rows, problem, n_regrown)
            self._keep(X, y, sample_weight, None)
            self._fitted_to = None  # these are not all rows
        return self

    def _first(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        reading = self._checked_reading()
        rows = first_rows(X, y, sample_weight, classes, reading)
        problem = self._problem_of(rows, reading, None)
        warn_of_leaks(problem.table, problem.target)
        tree, made = self._from_scratch(problem)
        with all_or_nothing(self):
            self._take(tree, made, rows, problem, problem.table.n_rows)
            self._keep(X, y, sample_weight, None)
        return self

    def _refuse_to_go_on(self, reason: str) -> None:
        raise UnsupportedError(
            f"{type(self).__name__} cannot be updated: {reason}.\n"
            "  Hint: fit(X, y) with all rows, and partial_fit from there on."
        )

    def _checked_reading(self) -> Reading:
        """Check the parameters; return how rows are read."""
        self._checked_options()
        check_verbose(self.verbose)
        reading: Reading = self._reading()
        return reading

    def _problem_of(self, rows: KeptRows, reading: Reading, groups: RowGroups | None) -> Problem:
        """Return the problem of all rows, as it would be read from one table of them."""
        table, target = rows.table(reading), rows.target(reading)
        weights = RowWeights.read(
            rows.weight,
            rows.n_rows,
            target,
            class_weight=reading.class_weight,
            priors=reading.priors,
        )
        table = typed_by_weight(table, weights.weight)
        n_cells = table.n_rows * len(table.schema.columns)
        problem = Problem(
            table=table,
            target=target,
            weights=weights,
            groups=groups,
            options=self._options().replace(n_threads=n_threads(self.n_jobs, n_cells)),
            seed=seed_of(self.random_state),
            class_weight=reading.class_weight,
            priors=reading.priors,
        )
        return with_costs(problem, self._leaf_settings().rule(target))

    def _from_scratch(self, problem: Problem) -> tuple[Tree, Grown]:
        """Return the tree of a problem, and the one to be updated."""
        check_problem(problem)
        pruner = self._pruner()
        plain = replace(problem, leaf=problem.leaf.for_growing())
        if isinstance(pruner, ReducedError):  # which holds other rows out once there are more
            tree = fit_pruned(plain, pruner)
            return deciding(tree, problem.leaf), of_tree(tree, plain, can_be_updated=False)
        made = grown(plain)
        return deciding(pruned(plain, made.tree, pruner), problem.leaf), made

    def _from_before(
        self, problem: Problem, before: Grown, n_before: int
    ) -> tuple[Tree, Grown, int]:
        """Return the tree of a problem, that to be updated next, and how many rows were regrown."""
        pruner = self._pruner()
        plain = replace(problem, leaf=problem.leaf.for_growing())
        is_alike = not isinstance(pruner, ReducedError) and before.is_of(plain)
        if not is_alike or not is_updated_by_node(plain):
            return *self._from_scratch(problem), problem.table.n_rows
        check_problem(plain)
        made, n_regrown = updated(plain, before, n_before)
        return deciding(pruned(plain, made.tree, pruner), problem.leaf), made, n_regrown

    def _take(
        self, tree: Tree, made: Grown, rows: KeptRows, problem: Problem, n_regrown: int
    ) -> None:
        self._learned(tree, problem)
        self._rows, self._grown = rows, made
        self._has_groups = False
        self.n_rows_seen_ = rows.n_rows
        self.n_rows_regrown_ = n_regrown

    def _only_prunes(self) -> bool:
        return False  # what is grown by others has no rows to go on from

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
