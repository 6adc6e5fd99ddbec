"""What a stack does: members answer out of fold, and a final estimator learns from that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.metadata_routing import _routing_enabled
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array
from treewright.data.read.take_rows import take_rows
from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.certainty.keeps_rows import all_or_nothing
from treewright.estimators.certainty.unseen import GivenRows
from treewright.estimators.combine.base import CombinesMembers, Held
from treewright.estimators.combine.folds import Fold
from treewright.estimators.combine.members import Member, asked, passed_to
from treewright.estimators.combine.passthrough import beside, check_columns, needs_frame
from treewright.estimators.combine.rows import Rows
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
        self._check_metadata(metadata)
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
