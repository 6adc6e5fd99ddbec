"""Small trees as features: what each of them says is a column for a linear learner."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.data.read.table import match_table
from treewright.data.read.target import ClassTarget, task_of_target
from treewright.data.schema import Schema
from treewright.ensemble.ensemble import Ensemble
from treewright.ensemble.output_names import output_names
from treewright.ensemble.tree_outputs import OUTPUTS, TreeOutputs
from treewright.errors import DataError, ParameterError, TreewrightWarning, UnsupportedError
from treewright.estimators.certainty.keeps_rows import all_or_nothing
from treewright.estimators.certainty.unseen import GivenRows
from treewright.estimators.checks import output_container, seed_of, takes_any_table
from treewright.estimators.estimator_parameter import check_tree, is_tree
from treewright.estimators.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from treewright.estimators.refusals import RefusesMistakes
from treewright.parameters import check_choice, check_flag
from treewright.threads import n_threads

_TASKS = ("auto", "classes", "numbers")
_OF_THE_TREES = ("criterion", "max_depth", "max_leaf_nodes", "min_samples_leaf")
"""Parameters that `estimator` decides, if it is given."""


class TreeFeatures(RefusesMistakes, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table into what many small trees say of its rows, for a linear learner.

    The trees are grown side by side, each on a random half of the columns, and each is an expert
    for a part of the table; a linear model then learns how much to trust each of them. With its
    defaults this is 100 stumps that say yes (1) or no (-1).

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : str, optional
        How a split is judged, as for :class:`RandomForestClassifier` and ``-Regressor``; None is
        their default.
    max_depth : int, optional
        Questions on the longest path: 1 is a stump, None is no limit.
    max_leaf_nodes : int, optional
        Leaves of a tree; the node of largest gain is split first.
    min_samples_leaf : int or float
        Rows that every branch needs; a decimal is a share.
    max_features : int, float, "sqrt", "log2", optional
        Columns drawn: a number, or a share of all; None is all.
    features_per : {"tree", "node"}
        Whether columns are drawn once for each tree, which then asks no others, or for each node.
    bootstrap : bool
        Whether the rows of a tree are drawn with replacement.
    max_samples : int, float, optional
        Rows drawn for a tree: a number, or a share of all; 0.5 is a random half. None is all.
    estimator : estimator, optional
        A single tree that every tree is like, such as ``C45Classifier()``: it decides criterion,
        limits, missing values and pruning, and the task.
    output : {"value", "proba", "leaf"}
        ``"value"``: of two classes one column per tree, 1 where it decides for the second of
        ``classes_`` and -1 where for the first; of several classes a column for each, 1 where the
        tree decides for it and else -1; of numbers what the tree predicts. ``"proba"``: shares
        of the leaf instead of 1 and -1. ``"leaf"``: a column per leaf, 1 for the rows in it and
        else 0 (of a row divided among leaves, for the one with its largest part).
    task : {"auto", "classes", "numbers"}
        What y is. ``"auto"`` takes text, booleans and up to 20 different whole numbers for classes,
        decimals for numbers, and asks where it cannot tell.
    cv : int, splitter or pairs of rows, optional
        Make `fit_transform` answer for each row by trees that have not seen it, grown on the other
        of so many parts (or those of a splitter of scikit-learn's): for trees that fit their rows
        closely, which are right there more often than on new rows. None takes the trees of all
        rows, as `transform` does.
    sparse_output : bool or "auto"
        Whether the columns of leaves come as a sparse matrix; ``"auto"`` makes them sparse unless
        ``set_output`` asks for a frame.
    categorical_features : list, optional
        Numeric columns that are codes of categories.
    schema : Schema, optional
        Declarations about the columns.
    random_state : int, optional
        Seed; None means 0, so that the same call gives the same trees.
    n_jobs : int, optional
        Threads; the result is the same for any number. None is as many as pay.
    verbose : int
        Show progress on standard error.

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees: ``len``, indexing and iteration give each of them as a :class:`Tree`.
    forest_ : RandomForestClassifier or RandomForestRegressor
        The trees as a fitted forest: its summary, importances, predictions.
    estimators_ : list
        The trees as fitted estimators.
    task_ : str
        ``"classes"`` or ``"numbers"``.
    classes_ : array or list of arrays
        Only of classes.
    n_features_in_ : int
    feature_names_in_ : array

    Examples
    --------
    >>> from treewright import TreeFeatures, load_example
    >>> play = load_example("play_tennis")
    >>> stumps = TreeFeatures(n_estimators=3).fit(play.X, play.y)
    >>> stumps.get_feature_names_out()[:2].tolist()
    ['tree 0: Yes if Wind = Weak', 'tree 1: Yes if Outlook = Overcast']
    >>> stumps.transform(play.X)[:3].tolist()
    [[1.0, -1.0, -1.0], [-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]

    A linear model over stumps, in one call:

    >>> from sklearn.linear_model import SGDClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(TreeFeatures(max_samples=0.5), SGDClassifier(random_state=0))
    >>> model.fit(play.X, play.y).predict(play.X)[:3].tolist()
    ['No', 'No', 'Yes']
    """

    # With scikit-learn's metadata routing, the groups of a splitter are those of the learner too.
    __metadata_request__fit = {"groups": True}  # noqa: RUF012 - scikit-learn reads a plain dict

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str | None = None,
        max_depth: int | None = 1,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: float = 1,
        max_features: Any = 0.5,
        features_per: str = "tree",
        bootstrap: bool = False,
        max_samples: Any = None,
        estimator: Any = None,
        output: str = "value",
        task: str = "auto",
        cv: Any = None,
        sparse_output: Any = "auto",
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.features_per = features_per
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.estimator = estimator
        self.output = output
        self.task = task
        self.cv = cv
        self.sparse_output = sparse_output
        self.categorical_features = categorical_features
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table
            Any table, as for the trees.
        y : array-like
            The target, one entry per row (a column per output where there are several).
        sample_weight : array-like, optional
            Weight of each row in growing; only the ratios matter.
        groups : array-like, optional
            A label for each row: rows of one label belong together. Where rows are drawn, whole
            groups are, and `cv` keeps them in one part.

        Returns
        -------
        self
        """
        self._check()
        forest = self._forest(y)
        self._grow(forest, X=X, y=y, sample_weight=sample_weight, groups=groups)
        self._learn(forest)
        return self

    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None
    ) -> Any:
        """Grow the trees, and return what they say of the same rows; with `cv`, trees of others.

        Parameters
        ----------
        X, y, sample_weight, groups
            As for `fit`.

        Returns
        -------
        array or sparse matrix of shape (rows, columns)
        """
        if self.cv is None:
            return self.fit(X, y, sample_weight, groups=groups).transform(X)
        self._check()
        if self.output == "leaf":
            raise UnsupportedError(
                "cv makes columns by trees of parts of the rows, and their leaves are not those of"
                " the trees of all rows.\n  Hint: output='value' or 'proba'; or cv=None."
            )
        forest = self._forest(y)
        given = GivenRows(X=X, y=y, sample_weight=sample_weight, groups=groups)
        self._grow(forest, **given.whole())
        columns = self._out_of_fold(forest, given)
        self._learn(forest)
        return columns

    def transform(self, X: Any) -> Any:
        """Return what the trees say of each row.

        Parameters
        ----------
        X : table
            A table with the columns of `fit`.

        Returns
        -------
        array or sparse matrix of shape (rows, columns)
            A pandas or polars frame after ``set_output``.
        """
        check_is_fitted(self)
        self._check()
        return self._say(self.ensemble_, X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns, which say when they are high.

        Parameters
        ----------
        input_features : list of str, optional
            Names of the columns of the table, where it had none in `fit`.

        Returns
        -------
        array of str
            Such as ``"tree 3: Yes if Outlook = Overcast"``; of leaves all their conditions.
        """
        check_is_fitted(self)
        self._check()
        given = _check_feature_names_in(self, input_features)
        known = self.ensemble_.schema.input_names
        renamed = {old: str(new) for old, new in zip(known, given, strict=True) if old != new}
        names = output_names(self.ensemble_, str(self.output), renamed=renamed)
        return np.array(names, dtype=object)

    @property
    def estimators_(self) -> list[Any]:
        """The trees as fitted estimators; they are made anew on every access."""
        check_is_fitted(self)
        fitted: list[Any] = self.forest_.estimators_
        return fitted

    def _check(self) -> None:
        check_choice("output", self.output, OUTPUTS)
        check_choice("task", self.task, _TASKS)
        if self.sparse_output != "auto":
            check_flag("sparse_output", self.sparse_output)
            if self.sparse_output and self.output != "leaf":
                raise UnsupportedError(
                    f"sparse_output=True is for leaves, most of whose columns are 0; those of"
                    f" output={self.output!r} are not.\n  Hint: output='leaf'."
                )

    def _task_of(self, y: Any) -> str:
        """Return what is learned: as `task` or `estimator` says, else as the target looks."""
        own, wanted = type(self).__name__, str(self.task)
        if self.estimator is None:
            return task_of_target(y, owner=own) if wanted == "auto" else wanted
        if not is_tree(self.estimator):
            check_tree(self.estimator, owner=self)
        found = "classes" if self.estimator._is_classifier() else "numbers"
        if wanted not in ("auto", found):
            raise ParameterError(
                f"estimator={type(self.estimator).__name__}(...) is for {found}, and task is"
                f" {wanted!r}.\n  Hint: leave task out; or another tree."
            )
        return found

    def _forest(self, y: Any) -> Any:
        """Return the forest that grows the trees, not fitted."""
        kind: Any = RandomForestRegressor
        if self._task_of(y) == "classes":
            kind = RandomForestClassifier
        of_trees = {name: getattr(self, name) for name in _OF_THE_TREES}
        if self.estimator is not None:  # which decides: the forest refuses what is set beside it
            usual = inspect.signature(type(self)).parameters
            of_trees = {
                name: value for name, value in of_trees.items() if value != usual[name].default
            }
        if self.criterion is None:
            of_trees.pop("criterion", None)
        return kind(
            self.n_estimators,
            **of_trees,
            max_features=self.max_features,
            features_per=self.features_per,
            bootstrap=self.bootstrap,
            max_samples=self.max_samples,
            estimator=self.estimator,
            categorical_features=self.categorical_features,
            schema=self.schema,
            random_state=seed_of(self.random_state),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _grow(self, forest: Any, **given: Any) -> None:
        """Fit the forest; errors name this estimator."""
        forest._speaks_for = type(self).__name__
        try:
            forest.fit(**given)
        finally:
            del forest._speaks_for

    def _learn(self, forest: Any) -> None:
        with all_or_nothing(self):
            for name in ("classes_", "feature_names_in_"):
                self.__dict__.pop(name, None)
                if hasattr(forest, name):
                    setattr(self, name, getattr(forest, name))
            self.n_features_in_ = forest.n_features_in_
            self.forest_ = forest
            self.ensemble_: Ensemble = forest.ensemble_
            self.task_ = "numbers" if self.ensemble_.classes is None else "classes"

    def _out_of_fold(self, forest: Any, given: GivenRows) -> FloatArray:
        """Return what trees say of rows that they have not seen.

        The trees of a number draw the same columns in all parts, so that they are much alike: a
        column is made by one expert, who has been taught a little differently in each part.
        """
        n_rows = forest._training.problem.table.n_rows
        columns: FloatArray | None = None
        n_told = np.zeros(n_rows, dtype=np.int64)
        for learned, asked in self._parts(forest, given):
            part = clone(forest).set_params(verbose=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TreewrightWarning)  # said of the whole table
                self._grow(part, **given.part(learned))
            said = self._say(part.ensemble_, given.asked(asked)["X"], forest.ensemble_.classes)
            if columns is None:
                columns = np.empty((n_rows, said.shape[1]))
            columns[asked] = said
            n_told[asked] += 1
        if columns is None or np.any(n_told != 1):
            raise DataError(
                f"cv must leave out every row once, and leaves out row {int(n_told.argmin())}"
                f" {int(n_told.min())} times, row {int(n_told.argmax())} {int(n_told.max())}"
                " times.\n  Hint: a number of parts, as in cv=5."
            )
        return columns

    def _parts(self, forest: Any, given: GivenRows) -> Iterator[tuple[Int64Array, Int64Array]]:
        """Yield rows to grow trees on, and rows to ask them about."""
        from treewright.evaluate.trial.splits import make_folds  # late: it loads the metrics
        from treewright.evaluate.trial.task_data import TaskData, read_groups

        problem = forest._training.problem
        n_rows = problem.table.n_rows
        of_classes = isinstance(problem.target, ClassTarget)
        target = problem.target.codes if of_classes else problem.target.values
        target = target.reshape(n_rows, -1)[:, 0]
        data = TaskData(
            X=None,
            y_as_given=target,
            y=target,
            task="classes" if of_classes else "numbers",
            classes=tuple(range(len(problem.target.classes[0]))) if of_classes else (),
            groups=read_groups(given.groups, n_rows),
        )
        for split in make_folds(data, self.cv).splits:
            yield split.train, split.test

    def _say(self, ensemble: Ensemble, X: Any, classes: tuple[Array, ...] | None = None) -> Any:
        """Return the columns of a table by the trees of an ensemble."""
        table = match_table(X, ensemble.schema, owner=type(self).__name__, unseen=ensemble.unseen)
        outputs = TreeOutputs(ensemble=ensemble, output=str(self.output), classes=classes)
        threads = n_threads(self.n_jobs, table.n_rows * len(ensemble))
        if self._is_sparse():
            return outputs.sparse(table, n_threads=threads)
        return outputs.dense(table, n_threads=threads)

    def _is_sparse(self) -> bool:
        if self.sparse_output == "auto":
            return bool(self.output == "leaf" and output_container(self) == "default")
        return bool(self.sparse_output)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes_any_table(tags)
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = []
        return tags
