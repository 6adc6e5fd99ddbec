"""Stacking (Wolpert 1992): a final estimator learns from what members answer out of fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn import ensemble
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.metadata_routing import _routing_enabled, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _estimator_has, check_is_fitted

from treewright.array_types import Array, FloatArray
from treewright.data.read.dataframes import target_array
from treewright.data.read.take_rows import take_rows
from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.certainty.keeps_rows import all_or_nothing
from treewright.estimators.certainty.predicts_intervals import PredictsIntervals
from treewright.estimators.certainty.predicts_sets import PredictsSets
from treewright.estimators.certainty.unseen import GivenRows
from treewright.estimators.combine.base import CombinesMembers, Held
from treewright.estimators.combine.folds import Fold
from treewright.estimators.combine.members import Member, asked, check_task, passed_to
from treewright.estimators.combine.passthrough import beside, check_columns, needs_frame
from treewright.estimators.combine.pool import ConvexSum, OpinionPool
from treewright.estimators.combine.rows import Rows, learns_names
from treewright.estimators.combine.weights import MemberWeights, scores_of, weights_of_final
from treewright.parameters import check_choice, check_flag

_METHODS = ("auto", "predict_proba", "decision_function", "predict")
_FINAL = "final_estimator"
_PREFIT = "prefit"


class StacksMembers(CombinesMembers):
    """Members whose answers are the columns of a final estimator."""

    final_estimator: Any
    final_estimator_: Any
    passthrough: Any
    stack_method: Any
    stack_method_: list[str]
    _n_feature_outs: list[int]
    _final: Member
    _as_frame = False  # whether the final estimator gets the table's columns in their own types

    def _default_final(self, members: Sequence[Member], rows: Rows) -> Any:
        raise AssertionError("a stack has a final estimator")

    def _check_members(self, members: Sequence[Member], rows: Rows) -> None:
        raise AssertionError("a stack has members")

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **metadata: Any
    ) -> Self:
        """Fit the members, and the final estimator to what they answer out of fold.

        Parameters
        ----------
        X : table
            Any table; learners of other libraries get a dataframe of what they cannot read.
        y : array-like
            The target, one entry per row.
        sample_weight : array-like, optional
            Weight of each row, for members and the final estimator.
        groups : array-like, optional
            A label for each row: rows of one label belong together and are never divided between
            folds. Members that take groups get them too.
        **metadata
            What members have asked for by ``set_fit_request``, where scikit-learn's metadata
            routing is enabled.

        Returns
        -------
        self
        """
        self._check_calibrate()
        members = self._checked_members()
        check_flag("passthrough", self.passthrough)
        rows = self._read(X, y, sample_weight, groups)
        self._check_members(members, rows)
        passed = self._passed(members, rows, metadata)
        members = [replace(each, method=self._method_of(each)) for each in members]
        final = self._final_of(members, rows)
        with all_or_nothing(self):
            self._learn(members, final, rows, passed, metadata)
            self._keep(X, y, sample_weight, groups)
        return self

    def _learn(
        self,
        members: Sequence[Member],
        final: Member,
        rows: Rows,
        passed: dict[str, dict[str, Any]],
        metadata: dict[str, Any],
    ) -> None:
        self._learned_target(rows)
        self._draw_seed()
        as_frame = bool(self.passthrough) and needs_frame(rows.X)
        if as_frame:
            check_columns(rows.X, final.estimator)
        folds: list[Fold] = []
        if self._is_prefit():
            models = [_prefit(each) for each in members]
            answers = asked(members, models, rows.X, rows.classes)
        else:
            folds = self._divided(rows, dealt=self.final_estimator is None)
            fitter = self._fitter(members, rows, passed)
            models, answers = fitter.fitted(), fitter.out_of_fold(folds)
        self._learned_members(members, models)
        self.stack_method_ = [each.method for each in members]
        self._as_frame = as_frame
        meta = replace(rows, X=self._concatenate_predictions(rows.X, answers))
        given = self._passed_to_final(final, meta, metadata)
        self.final_estimator_ = final.fit(meta, None, given, seed=self._seed)
        self._final = replace(final, estimator=self.final_estimator_)
        self._held = self._crossed(final, meta, folds, answers, given)
        self._weights = self._found_weights()

    def _passed_to_final(
        self, final: Member, meta: Rows, metadata: dict[str, Any]
    ) -> dict[str, Any]:
        if not _routing_enabled():
            return passed_to([final], meta, None)[final.name]
        weights = {} if meta.sample_weight is None else {"sample_weight": meta.sample_weight}
        return metadata | weights  # as scikit-learn's

    def _learned_target(self, rows: Rows) -> None:
        """Take over what is known of the target."""

    def _is_prefit(self) -> bool:
        return isinstance(self.cv, str) and self.cv == _PREFIT

    def _method_of(self, member: Member) -> str:
        check_choice("stack_method", self.stack_method, _METHODS)
        names = _METHODS[1:] if self.stack_method == "auto" else (self.stack_method,)
        found = next((name for name in names if hasattr(member.estimator, name)), None)
        if found is None:
            raise ParameterError(
                f"Underlying estimator {member.name} does not implement the method"
                f" {self.stack_method}: {type(member.estimator).__name__} has none.\n"
                "  Hint: stack_method='auto' takes what each member has."
            )
        return found

    def _final_of(self, members: Sequence[Member], rows: Rows) -> Member:
        given = self.final_estimator
        if given is None:
            return Member(name=_FINAL, estimator=self._default_final(members, rows))
        is_right = is_classifier if self._of_classes else is_regressor
        task = "classifier" if self._of_classes else "regressor"
        if isinstance(given, type) or not hasattr(given, "fit") or not is_right(given):
            raise ParameterError(
                f"'final_estimator' parameter should be a {task}. Got {given!r}.\n"
                "  Hint: final_estimator=None takes the usual one."
            )
        method = "predict_proba" if hasattr(given, "predict_proba") else "predict"
        return Member(
            name=_FINAL, estimator=given, method=method if self._of_classes else "predict"
        )

    # ------------------------------------------------------------------ answers
    def _concatenate_predictions(self, X: Any, predictions: Sequence[Array]) -> Any:
        """Return the columns of the final estimator, as scikit-learn's stacks have them."""
        two = self._of_classes and len(self.classes_) == 2
        columns = []
        for method, found in zip(self.stack_method_, predictions, strict=True):
            if found.ndim == 1:
                columns.append(found.reshape(-1, 1))
            else:  # of two classes the first adds nothing
                columns.append(found[:, 1:] if two and method == "predict_proba" else found)
        self._n_feature_outs = [each.shape[1] for each in columns]
        answers = np.hstack(columns)
        if not self.passthrough:
            return answers
        return beside(answers, self._answer_names(), X, as_frame=self._as_frame)

    def _answer_names(self) -> list[str]:
        own = type(self).__name__.lower()
        return [
            f"{own}_{member.name}{i if width > 1 else ''}"
            for member, width in zip(self._members, self._n_feature_outs, strict=True)
            for i in range(width)
        ]

    def _transform(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._concatenate_predictions(X, self._answers_of_members(X))

    # ------------------------------------------------------------------ what is learned of it
    def _crossed(
        self,
        final: Member,
        meta: Rows,
        folds: Sequence[Fold],
        answers: Sequence[Array],
        passed: dict[str, Any],
    ) -> Held:
        """Return what the stack answers about rows that its final estimator has not seen either."""
        parts = list(folds) or self._divided(meta, dealt=True)
        is_whole = meta.classes is None or all(
            len(np.unique(meta.target[train])) == len(meta.classes) for train, _ in parts
        )
        held = Held(rows=meta, folds=parts, members=list(answers))
        if not is_whole:
            return held
        found = []
        for number, (train, test) in enumerate(parts):
            model = final.fit(
                meta,
                train,
                passed,
                where=f" when fold {number} is held out",
                seed=self._seed,
            )
            X = take_rows(meta.table_of(final.estimator), test)
            found.append(final.answers(model, X, meta.classes))
        order = np.argsort(np.concatenate([test for _, test in parts]), kind="stable")
        return replace(held, whole=np.concatenate(found)[order])

    def _held_for(self, given: GivenRows) -> Held | None:
        if given is self._fitted_to:
            held = self._held
        else:
            again = clone(self).set_params(**({"calibrate": None} if self._of_classes else {}))
            held = again.fit(**given.whole())._held
        if self._of_classes and self._final.method != "predict_proba":
            raise UnsupportedError(
                f"how sure {type(self).__name__} is depends on probabilities, and final_estimator"
                f" {type(self.final_estimator_).__name__} tells none.\n"
                "  Hint: final_estimator=None, or one with predict_proba."
            )
        return held

    def _found_weights(self) -> MemberWeights:
        held, rows = self._held, self._held.rows if self._held else None
        assert held is not None
        assert rows is not None
        classes = rows.classes
        n_classes = 0 if classes is None else len(classes)
        kind, values, of_classes, notes = weights_of_final(
            self.final_estimator_, self._n_feature_outs, classes
        )
        scores = tuple(
            scores_of(found, member.method, rows.target, n_classes, rows.weight)
            for member, found in zip(self._members, held.members, strict=True)
        )
        whole = {}
        if held.whole is not None:
            method = self._final.method
            whole = scores_of(held.whole, method, rows.target, n_classes, rows.weight)
        n_folds, by = len(held.folds), "" if rows.groups is None else ", by group"
        if self._is_prefit():
            notes = (
                *notes,
                "Members were fitted before; their figures are of the rows given, seen or not.",
            )
        return MemberWeights(
            title=f"{type(self).__name__} of {len(self._members)} members, weighed by"
            f" {type(self.final_estimator_).__name__}",
            names=tuple(each.name for each in self._members),
            kind=kind,
            values=values,
            of_classes=of_classes,
            scores=scores,
            whole=whole,
            source="" if self._is_prefit() else f"{n_folds} folds{by}",
            notes=notes,
        )


class StackingClassifier(StacksMembers, PredictsSets, ensemble.StackingClassifier):  # type: ignore[misc]
    """Stacking for classes: learners of any kind, and one that learns what each is worth.

    A drop-in replacement for scikit-learn's, which it derives from: change the import. With a
    `final_estimator` of scikit-learn and numbers in the table, it gives the same answers. Members
    of Treewright get the table and the classes as they are (text, gaps, ordered classes, costs by
    name); members of other libraries get what they can read.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members with their names; ``"drop"`` leaves one out.
    final_estimator : estimator, optional
        The classifier that learns from the members' answers. None is
        :class:`~treewright.estimators.combine.pool.OpinionPool`, one weight for each member on the
        logarithms of its probabilities; scikit-learn's ``LogisticRegression`` where a member has no
        probabilities or the table passes through.
    cv : int, splitter, iterable or "prefit", optional
        Folds that members answer out of. None is 5, fewer where there are fewer rows; whole groups
        where `fit` has groups. ``"prefit"`` takes fitted members as they are.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}
        What members are asked for; auto takes the first that each has.
    n_jobs : int, optional
        Fits side by side; the model is the same for any number. None and 1 run one after the other,
        each with all threads.
    passthrough : bool
        Whether the final estimator sees the columns of the table too: any, if it is one of
        Treewright, else numbers.
    verbose : int
        Show progress on standard error.
    random_state : int, optional
        Seed of the folds, and of members that draw without one of their own. None takes rows in
        their order, as scikit-learn does, if `final_estimator` is given; else they are dealt by
        seed 0.
    calibrate : {"temperature", "isotonic"}, optional
        Make probabilities true of new rows, as for :class:`DecisionTreeClassifier`.

    Attributes
    ----------
    estimators_, named_estimators_, final_estimator_, stack_method_, classes_
        As in scikit-learn.
    weights_ : MemberWeights
        What each member counts for, beside its own log loss and accuracy out of fold and those of
        the stack; print it.

    Examples
    --------
    >>> from treewright import C45Classifier, RandomForestClassifier, StackingClassifier
    >>> from treewright import load_example
    >>> iris = load_example("iris")
    >>> members = [("forest", RandomForestClassifier()), ("tree", C45Classifier())]
    >>> stack = StackingClassifier(members).fit(iris.X, iris.y)
    >>> stack.predict(iris.X)[[0, 75, 149]].tolist()
    ['setosa', 'versicolor', 'virginica']
    >>> stack.weights_["forest"] > stack.weights_["tree"]
    True
    """

    _of_classes = True
    _label_encoder: Any

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        stack_method: str = "auto",
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
        random_state: Any = None,
        calibrate: str | None = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.stack_method = stack_method
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose
        self.random_state = random_state
        self.calibrate = calibrate

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **metadata: Any
    ) -> Self:
        """Fit the members, and the final estimator to what they answer out of fold.

        Parameters
        ----------
        X : table
            Any table; learners of other libraries get a dataframe of what they cannot read.
        y : array-like
            The classes, one for each row; an ordered categorical keeps its order. Several columns
            of 0 and 1 (multilabel) are left to scikit-learn.
        sample_weight : array-like, optional
            Weight of each row, for members and the final estimator.
        groups : array-like, optional
            A label for each row: rows of one label belong together and are never divided between
            folds. Members that take groups get them too.
        **metadata
            What members have asked for by ``set_fit_request``, where scikit-learn's metadata
            routing is enabled.

        Returns
        -------
        self
        """
        if y is not None and _is_multilabel(y):
            with all_or_nothing(self):
                self._fit_several(X, y, sample_weight, groups, metadata)
            return self
        return super().fit(X, y, sample_weight, groups, **metadata)

    def _fit_several(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, metadata: dict[str, Any]
    ) -> None:
        """Fit several outputs by scikit-learn's stack."""
        if groups is not None or self.calibrate is not None:
            raise UnsupportedError(
                "groups and calibrate are for one output; y has several.\n  Hint: leave them out,"
                " or fit a stack for each column of y."
            )
        for name in ("_members", "_held", "_weights", "_final", "_fitted_to", "_calibration"):
            self.__dict__.pop(name, None)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        ensemble.StackingClassifier.fit(self, X, y, **weights, **metadata)

    @property
    def _is_several(self) -> bool:
        return isinstance(getattr(self, "_label_encoder", None), list)

    def _learned_target(self, rows: Rows) -> None:
        self.classes_ = rows.classes
        self._label_encoder = LabelEncoder()
        self._label_encoder.classes_ = rows.classes

    def _check_members(self, members: Sequence[Member], rows: Rows) -> None:
        if not rows.is_ordered:  # a regressor learns the place of a class in their order
            check_task(members, of_classes=True, owner=type(self).__name__)

    def _default_final(self, members: Sequence[Member], rows: Rows) -> Any:
        if self.passthrough or any(each.method != "predict_proba" for each in members):
            return LogisticRegression()
        assert rows.classes is not None
        return OpinionPool(n_members=len(members), n_classes=len(rows.classes))

    def _final_of(self, members: Sequence[Member], rows: Rows) -> Member:
        found = super()._final_of(members, rows)
        if self.final_estimator is not None:
            return found
        return replace(found, method="predict_proba")

    def _concatenate_predictions(self, X: Any, predictions: Any) -> Any:
        if self._is_several:
            theirs = ensemble.StackingClassifier._concatenate_predictions
            return theirs(self, X, predictions)
        return super()._concatenate_predictions(X, predictions)

    def _transform(self, X: Any) -> Any:
        if self._is_several:
            return ensemble.StackingClassifier._transform(self, X)
        return super()._transform(X)

    @available_if(_estimator_has("predict", delegates=("final_estimator_", "final_estimator")))  # type: ignore[untyped-decorator]
    def predict(self, X: Any, **predict_params: Any) -> Array:
        """Return the class of each row, as the final estimator decides.

        Parameters
        ----------
        X : table
            The rows.
        **predict_params
            For the ``predict`` of the final estimator.

        Returns
        -------
        array
        """
        check_is_fitted(self)
        if self._calibration is not None:
            places = np.argmax(self._calibrated(X)[0], axis=1)
            decided: Array = self.classes_[places]
            return decided
        if self._is_several or not learns_names(self.final_estimator_):
            return np.asarray(ensemble.StackingClassifier.predict(self, X, **predict_params))
        if _routing_enabled():
            routed = process_routing(self, "predict", **predict_params)
            predict_params = routed.final_estimator_["predict"]
        return np.asarray(self.final_estimator_.predict(self.transform(X), **predict_params))

    @available_if(
        _estimator_has("predict_proba", delegates=("final_estimator_", "final_estimator"))
    )  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class, in the order of ``classes_``.

        Parameters
        ----------
        X : table
            The rows.

        Returns
        -------
        array
            Rows x classes.
        """
        check_is_fitted(self)
        if self._is_several:
            return np.asarray(ensemble.StackingClassifier.predict_proba(self, X))
        return self._uncalibrated(X) if self._calibration is None else self._calibrated(X)[0]

    def _uncalibrated(self, X: Any) -> FloatArray:
        found = replace(self._final, method="predict_proba")
        shares: FloatArray = found.answers(self.final_estimator_, self.transform(X), self.classes_)
        return shares

    def _sk_visual_block_(self) -> Any:
        final = OpinionPool() if self.final_estimator is None else self.final_estimator
        return self._sk_visual_block_with_final_estimator(final)


class StackingRegressor(StacksMembers, PredictsIntervals, ensemble.StackingRegressor):  # type: ignore[misc]
    """Stacking for numbers: learners of any kind, and one that learns what each is worth.

    A drop-in replacement for scikit-learn's, which it derives from: change the import. See
    :class:`StackingClassifier` for tables and members.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members with their names; ``"drop"`` leaves one out.
    final_estimator : estimator, optional
        The regressor that learns from the members' answers. None is
        :class:`~treewright.estimators.combine.pool.ConvexSum`, the mean by weights that add to 1;
        scikit-learn's ``RidgeCV`` where the table passes through.
    cv, n_jobs, passthrough, verbose, random_state
        As for :class:`StackingClassifier`.

    Attributes
    ----------
    estimators_, named_estimators_, final_estimator_, stack_method_
        As in scikit-learn.
    weights_ : MemberWeights
        What each member counts for, beside its own error out of fold and that of the stack; print
        it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from treewright import CARTRegressor, StackingRegressor
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> y = 2 * X[:, 0] + (X[:, 0] > 20) * 10
    >>> members = [("line", LinearRegression()), ("tree", CARTRegressor())]
    >>> stack = StackingRegressor(members).fit(X, y)
    >>> stack.weights_.names, stack.weights_["line"] > stack.weights_["tree"]
    (('line', 'tree'), True)
    """

    _of_classes = False
    stack_method = "predict"  # of numbers there is nothing else to ask

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose
        self.random_state = random_state

    def _check_members(self, members: Sequence[Member], rows: Rows) -> None:
        check_task(members, of_classes=False, owner=type(self).__name__)

    def _default_final(self, members: Sequence[Member], rows: Rows) -> Any:
        return RidgeCV() if self.passthrough else ConvexSum()

    def _sk_visual_block_(self) -> Any:
        final = ConvexSum() if self.final_estimator is None else self.final_estimator
        return self._sk_visual_block_with_final_estimator(final)


def _prefit(member: Member) -> Any:
    """Return a member that is fitted already."""
    try:
        check_is_fitted(member.estimator)
    except NotFittedError:
        raise NotFittedError(
            f"{member.shown} is not fitted, and cv='prefit' takes members as they are.\n"
            "  Hint: fit it before, or cv=5."
        ) from None
    return member.estimator


def _is_multilabel(y: Any) -> bool:
    array = target_array(y)
    return (
        array.ndim == 2 and array.shape[1] > 1 and type_of_target(array) == "multilabel-indicator"
    )
