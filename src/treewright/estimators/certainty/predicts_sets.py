"""Sets of classes, and calibrated probabilities, by any classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import BoolArray, FloatArray
from treewright.certainty.calibration import (
    CALIBRATIONS,
    Calibration,
    Chain,
    OnGrid,
    Shares,
    best_tempered,
)
from treewright.certainty.sets import Sets
from treewright.data.read.class_weights import class_factors
from treewright.data.read.target import ClassTarget, read_classes
from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.certainty.keeps_rows import N_FOLDS, JudgedRows, KeepsRows
from treewright.estimators.certainty.unseen import GivenRows, Unseen, in_order_of, known_target
from treewright.parameters import check_choice, check_number

_N_CALIBRATING = 3
"""Parts for a calibration: models of half of the rows are too unlike the model, and more parts than
three gain little for their time (docs/decisions/031)."""


class PredictsSets(KeepsRows):
    """A classifier that predicts sets of classes, and whose probabilities may be calibrated."""

    calibrate: Any = None
    classes_: Any
    predict_proba: Any
    _uncalibrated: Any  # the probabilities of the model itself
    _sets: Sets | None = None
    _grade: Any = None  # that of the probabilities which `sets` and `calibration` were learned from
    _calibration: list[Calibration] | None = None

    # ------------------------------------------------------------------ grades of probabilities
    def _grades(self) -> tuple[Any, ...]:
        """Return how finely probabilities may be told; what tells best of unseen rows is taken."""
        return (None,)

    def _graded(self, grade: Any, X: Any, **asked: Any) -> Any:
        """Return the probabilities of a grade, not calibrated."""
        return self._uncalibrated(X, **asked)

    def _all_graded(self, X: Any, **asked: Any) -> dict[Any, Any]:
        """Return the probabilities of every grade."""
        return {grade: self._graded(grade, X, **asked) for grade in self._grades()}

    # ------------------------------------------------------------------ calibration
    def _check_calibrate(self) -> None:
        """Refuse a calibration that there is not."""
        if self.calibrate is None:
            return
        check_choice("calibrate", self.calibrate, tuple(CALIBRATIONS))
        if self.calibrate == "shares" and not self._changes_shares():
            raise ParameterError(
                "calibrate='shares' puts back the shares of the classes that class_weight (in"
                f" forests also sampling) has changed, and this {type(self).__name__} has none.\n"
                "  Hint: calibrate='temperature' or 'isotonic'."
            )

    @property
    def calibration_(self) -> Calibration | list[Calibration]:
        """The map that calibrates probabilities, ``told()`` says what it does; of each output."""
        made = self._calibration
        if made is None:
            raise AttributeError(
                f"this {type(self).__name__} is not calibrated.\n"
                "  Hint: calibrate='temperature', then fit(X, y)."
            )
        return made[0] if len(made) == 1 else made

    def _keep(self, X: Any, y: Any, sample_weight: Any, groups: Any, offset: Any = None) -> None:
        super()._keep(X, y, sample_weight, groups, offset)
        self._learn_calibration()

    def _learn_calibration(self) -> None:
        """Learn the calibration that was asked for, once the model is there."""
        if self.calibrate is None:
            return
        given = self._fitted_to
        assert given is not None
        shares = self._class_shares(given)
        fit = CALIBRATIONS[self.calibrate]
        if fit is None:
            assert shares is not None
            self._calibration = [self._keeping_order(shares)]
            return
        unseen = self._unseen(given, _N_CALIBRATING)
        weight = self._judging_weight(given, unseen)
        self._grade = self._best_grade(unseen)
        made: list[Calibration] = []
        for output, told in enumerate(unseen.answers[self._grade]):
            if shares is not None:
                told = shares(told)
            found = fit(told, unseen.truth[:, output], weight)[0]
            made.append(
                self._keeping_order(found if shares is None else Chain(first=shares, second=found))
            )
        self._calibration = made

    def _keeping_order(self, found: Calibration) -> Calibration:
        """Return a calibration that keeps the order which `monotonic_cst` promises."""
        given = [self, getattr(self, "estimator", None)]
        if all(getattr(each, "monotonic_cst", None) is None for each in given):
            return found
        if len(self.classes_) > 2:  # ordered ones
            raise UnsupportedError(
                f"calibrate={self.calibrate!r} cannot be used with monotonic_cst and"
                f" {len(self.classes_)} classes: the probability of each is moved by itself.\n"
                "  Hint: calibrate=None; or two classes."
            )
        return Chain(first=OnGrid(), second=found)

    def _best_grade(self, unseen: Unseen) -> Any:
        """Return the grade of least log loss after calibration, by the first output."""
        grades = list(unseen.answers)
        if len(grades) == 1:
            return grades[0]
        found = [unseen.answers[grade][0] for grade in grades]
        return grades[best_tempered(found, unseen.truth[:, 0], unseen.weight)]

    def _class_weighting(self) -> tuple[Any, Any]:
        """Return `class_weight` and `priors`, of which one at most is given."""
        return None, None

    def _changes_shares(self) -> bool:
        """Return whether classes count otherwise in learning than in the table."""
        return self._class_weighting()[0] is not None

    def _class_factor(self, target: ClassTarget, given: GivenRows) -> FloatArray:
        """Return how many times as much as in the table each class has counted in learning."""
        class_weight = self._class_weighting()[0]
        factors = class_factors(target, given.weights(), class_weight=class_weight)
        of_class = np.ones(len(target.classes[0]))
        if factors is not None:
            of_class[target.codes.reshape(-1)] = factors
        return of_class

    def _class_shares(self, given: GivenRows) -> Shares | None:
        """Return what puts the shares of the table back; None where they were not changed."""
        if not self._changes_shares():
            return None
        owner = type(self).__name__
        target = read_classes(given.y, owner=owner)
        if not target.single:
            raise UnsupportedError(
                f"calibrate={self.calibrate!r} undoes class weights of one output; y has"
                f" {target.n_outputs}.\n  Hint: class_weight=None."
            )
        factor = np.zeros(len(self.classes_))
        factor[in_order_of(self.classes_, target.classes[0], owner)] = self._class_factor(
            target, given
        )
        return Shares(factor=factor)

    def _judging_weight(self, given: GivenRows, unseen: Unseen) -> FloatArray | None:
        """Return the weights that probabilities are to be true of: by the priors, if given."""
        priors = self._class_weighting()[1]
        if priors is None:
            return unseen.weight
        target = read_classes(given.y, owner=type(self).__name__)
        factors = class_factors(target, given.weights(), priors=priors)
        assert factors is not None
        own = factors[unseen.rows]
        return own if unseen.weight is None else own * unseen.weight

    def _calibrated(self, X: Any, **asked: Any) -> list[FloatArray]:
        """Return calibrated probabilities, an array for each output."""
        assert self._calibration is not None
        found = self._graded(self._grade, X, **asked)
        parts = found if isinstance(found, list) else [found]
        return [made(part) for made, part in zip(self._calibration, parts, strict=True)]

    # ------------------------------------------------------------------ sets
    def conformalize(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn how sure the model is from rows that it has not seen (split conformal).

        `predict_set` then uses these rows, instead of models fitted anew to parts of the training
        rows; they are kept with the model.

        Parameters
        ----------
        X, y, sample_weight
            Rows that were not given to `fit`, with their classes and weights.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        given = GivenRows(X=X, y=y, sample_weight=sample_weight)
        truth = known_target(self, y, of_classes=True)
        weight = given.weights()
        rows = np.arange(len(truth)) if weight is None else np.flatnonzero(weight > 0)
        answers = {}
        for grade, found in self._all_graded(X).items():
            parts = found if isinstance(found, list) else [found]
            answers[grade] = [part[rows] for part in parts]
        unseen = Unseen(
            rows=rows,
            answers=answers,
            truth=truth[rows],
            weight=None if weight is None else weight[rows],
            source="rows given for it",
        )
        self._sets = self._learned_sets(given, unseen)
        return self

    def predict_set(
        self,
        X: Any,
        level: float = 0.9,
        *,
        by: Any = None,
        X_train: Any = None,
        y_train: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> BoolArray | list[BoolArray]:
        """Return for each row a set of classes that contains the true one with this probability.

        Parameters
        ----------
        X : table
            The rows to predict.
        level : float
            The probability, above 0 and at most 1.
        by : str or int, optional
            A column of X (which the model need not use) whose values, few of them, are each to be
            covered with this probability, and not only all rows together.
        X_train, y_train, sample_weight, groups
            The training data as they were given to ``fit``; only needed where the model no longer
            has them, as after loading it, and only once.

        Returns
        -------
        array of bool
            Rows x classes, in the order of ``classes_``; a list of them for several outputs. A set
            of several classes means that the model cannot tell, an empty one that the row is unlike
            most of its kind.

        Notes
        -----
        Rows that the model has not seen (out of bag where there are such, else out of ten folds)
        tell how probable the true class has to be: Sadinle, Lei and Wasserman, JASA 114, 2019. Sets
        cover on average over rows like the training rows, not for every row.

        Examples
        --------
        >>> from treewright import RandomForestClassifier, load_example
        >>> iris = load_example("iris")
        >>> forest = RandomForestClassifier(random_state=0).fit(iris.X, iris.y)
        >>> sets = forest.predict_set(iris.X, level=0.99)
        >>> sets[[0, 70]].tolist()
        [[True, False, False], [False, True, True]]
        """
        check_number("level", level, low=0.0, high=1.0, open_low=True)
        check_is_fitted(self)
        again = (X_train, y_train, sample_weight, groups)
        return self._set(X, float(level), by, again, asked={})

    def _set(
        self, X: Any, level: float, by: Any, again: tuple[Any, ...], asked: dict[str, Any]
    ) -> BoolArray | list[BoolArray]:
        sets = self._sets
        if sets is None or again[0] is not None:
            given = self._rows_given(*again)
            sets = self._learned_sets(given, self._unseen(given, N_FOLDS))
            self._sets = sets
        found = self._graded(sets.grade, X, **asked)
        parts = found if isinstance(found, list) else [found]
        labels = self._labels(sets.labels, X, by)
        made = [sets.of(part, output, level, **labels) for output, part in enumerate(parts)]
        return made[0] if len(made) == 1 else made

    def _learned_sets(self, given: GivenRows, unseen: Unseen) -> Sets:
        grade = self._best_grade(unseen)
        rows = np.arange(len(unseen.rows))
        of_truth = [
            part[rows, unseen.truth[:, output]] for output, part in enumerate(unseen.answers[grade])
        ]
        self._judged = JudgedRows(X=given.X, rows=unseen.rows)
        return Sets(
            of_truth=np.stack(of_truth, axis=1),
            weight=unseen.weight,
            source=unseen.source,
            grade=grade,
        )
