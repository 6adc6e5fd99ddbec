"""Votes of learners of any kind: by majority, by mean probabilities, by mean numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn import ensemble
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import Array, FloatArray, Int64Array
from treewright.errors import ParameterError, UnsupportedError
from treewright.estimators.certainty.keeps_rows import all_or_nothing
from treewright.estimators.certainty.predicts_intervals import PredictsIntervals
from treewright.estimators.combine.base import CombinesMembers, Held
from treewright.estimators.combine.decides import DecidesByProbabilities
from treewright.estimators.combine.folds import Fold
from treewright.estimators.combine.members import Member, asked, check_task, is_dropped
from treewright.estimators.combine.rows import Rows
from treewright.estimators.combine.simplex import (
    decided,
    least_errors,
    least_log_loss,
    least_squared_error,
)
from treewright.estimators.combine.weights import MemberWeights, scores_of
from treewright.parameters import check_choice, check_flag

OUT_OF_FOLD = "out_of_fold"


class Votes(CombinesMembers):
    """Members whose answers are counted or averaged."""

    weights: Any
    classes_: Any
    _chosen: FloatArray | None = None  # weights chosen out of fold

    def _method(self) -> str:
        """Return what members are asked for."""
        return "predict"

    def _best_weights(self, answers: Sequence[Array], rows: Rows, part: Int64Array) -> FloatArray:
        raise AssertionError("a vote has weights")

    def _together(self, answers: Sequence[Array], weights: FloatArray, n_classes: int) -> Array:
        """Return what members answer together by weights: shares of classes, or numbers."""
        raise AssertionError("a vote is counted")

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **metadata: Any
    ) -> Self:
        """Fit the members, and choose their weights where that is asked for.

        Parameters
        ----------
        X : table
            Any table; learners of other libraries get a dataframe of what they cannot read.
        y : array-like
            The target, one entry per row; an ordered categorical keeps its order.
        sample_weight : array-like, optional
            Weight of each row.
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
        self._check_vote(members)
        check_task(members, of_classes=self._of_classes, owner=type(self).__name__)
        self._check_weights()
        rows = self._read(X, y, sample_weight, groups)
        members = [replace(each, method=self._method()) for each in members]
        passed = self._passed(members, rows, metadata)
        with all_or_nothing(self):
            self._learned_target(rows)
            self._draw_seed()
            fitter = self._fitter(members, rows, passed)
            self._learned_members(members, fitter.fitted())
            self._chosen, self._held = None, None
            if self._chooses():
                folds = self._divided(rows, dealt=True)
                answers = fitter.out_of_fold(folds)
                self._chosen = self._best_weights(answers, rows, np.arange(rows.n_rows))
                self._held = self._crossed(rows, folds, answers)
            self._weights = self._found_weights()
            self._keep(X, y, sample_weight, groups)
        return self

    def _learned_target(self, rows: Rows) -> None:
        """Take over what is known of the target."""

    def _check_vote(self, members: Sequence[Member]) -> None:
        """Refuse members that cannot vote."""

    def _chooses(self) -> bool:
        return isinstance(self.weights, str) and self.weights == OUT_OF_FOLD

    def _check_weights(self) -> None:
        given = self.weights
        if given is None or self._chooses():
            return
        hint = "\n  Hint: weights='out_of_fold' chooses them."
        try:
            found = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.full(0, np.nan)
        if found.ndim != 1 or isinstance(given, str):
            raise ParameterError(
                f"weights={given!r} must be numbers, one for each member, 'out_of_fold' or None."
            )
        if len(found) != len(self.estimators):
            raise ParameterError(
                "Number of `estimators` and weights must be equal; got"
                f" {len(found)} weights, {len(self.estimators)} estimators.{hint}"
            )
        if not (np.isfinite(found).all() and found.min() >= 0.0):
            raise ParameterError(f"weights={given!r} must be finite, and 0 or more.{hint}")
        if sum(self._given_weights() or [1.0]) <= 0.0:
            raise ParameterError(f"weights={given!r} leave no member a vote.{hint}")

    def _given_weights(self) -> list[float] | None:
        if self.weights is None:
            return None
        pairs = zip(self._pairs(), self.weights, strict=False)
        return [weight for (_, each), weight in pairs if not is_dropped(each)]

    @property
    def _weights_not_none(self) -> Any:
        """The weights of the members that are not dropped; of scikit-learn's methods."""
        return self._given_weights() if self._chosen is None else self._chosen

    def _crossed(self, rows: Rows, folds: Sequence[Fold], answers: Sequence[Array]) -> Held:
        """Return what the vote answers about rows by which its weights were not chosen either."""
        n_classes = 0 if rows.classes is None else len(rows.classes)
        whole: list[Array] = []
        for train, test in folds:
            weights = self._best_weights([each[train] for each in answers], rows, train)
            whole.append(self._together([each[test] for each in answers], weights, n_classes))
        order = np.argsort(np.concatenate([test for _, test in folds]), kind="stable")
        return Held(
            rows=rows, folds=folds, members=list(answers), whole=np.concatenate(whole)[order]
        )

    def _found_weights(self) -> MemberWeights:
        n_members = len(self._members)
        given = self._weights_not_none
        values = np.full(n_members, 1.0) if given is None else np.asarray(given, dtype=np.float64)
        named: dict[str, Any] = {}
        held = self._held
        if held is not None and held.whole is not None:
            rows = held.rows
            n_classes = 0 if rows.classes is None else len(rows.classes)
            method = self._method()
            named["scores"] = tuple(
                scores_of(found, method, rows.target, n_classes, rows.weight)
                for found in held.members
            )
            whole = held.whole
            if n_classes and method == "predict":
                whole = whole.argmax(axis=1)
            named["whole"] = scores_of(whole, method, rows.target, n_classes, rows.weight)
            by = "" if rows.groups is None else ", by group"
            named["source"] = f"{len(held.folds)} folds{by}"
        how = "chosen out of fold" if held is not None else "given" if given else "equal"
        return MemberWeights(
            title=f"{type(self).__name__} of {n_members} members, weights {how}",
            names=tuple(each.name for each in self._members),
            kind="weight",
            values=(values / values.sum())[:, np.newaxis],
            **named,
        )

    def _predict(self, X: Any) -> Array:
        """Return what members predict, rows x members; codes of classes."""
        members = [replace(each, method="predict") for each in self._members]
        return np.asarray(asked(members, self.estimators_, X, self._known_classes())).T

    def _known_classes(self) -> Array | None:
        return self.classes_ if self._of_classes else None


class VotingClassifier(Votes, DecidesByProbabilities, ensemble.VotingClassifier):  # type: ignore[misc]
    """A vote of classifiers of any kind: by majority, or by mean probabilities.

    A drop-in replacement for scikit-learn's, which it derives from: change the import. Members of
    Treewright get the table and the classes as they are (text, gaps, ordered classes, costs by
    name); members of other libraries get what they can read.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members with their names; ``"drop"`` leaves one out.
    voting : {"hard", "soft"}
        Whether the classes that members predict are counted, or their probabilities averaged.
    weights : array-like or "out_of_fold", optional
        Weight of each member; None gives all the same. ``"out_of_fold"`` chooses them by answers
        about rows that members have not seen: none negative, adding to 1, of least log loss (soft)
        or fewest errors (hard; of equally many those nearer to equal weights).
    n_jobs : int, optional
        Fits side by side; the model is the same for any number. None and 1 run one after the other,
        each with all threads.
    flatten_transform : bool
        Whether ``transform`` of a soft vote returns rows x (members * classes), or members x rows x
        classes.
    verbose : bool
        Show progress on standard error.
    cv : int, splitter or iterable, optional
        Folds to choose weights by; None is 5, fewer where there are fewer rows.
    random_state : int, optional
        Seed of the folds (None means 0), and of members that draw without one of their own (None
        leaves them as they are).
    calibrate : {"temperature", "isotonic"}, optional
        Make the probabilities of a soft vote true of new rows, as for
        :class:`DecisionTreeClassifier`.
    cost_matrix : array or dict of dicts, optional
        Cost of each decision of a soft vote, as for :class:`DecisionTreeClassifier`. It decides
        only: the class of least expected cost is predicted, and members and probabilities are as
        without.

    Attributes
    ----------
    estimators_, named_estimators_, classes_, le_
        As in scikit-learn; members of Treewright know the classes by name.
    weights_ : MemberWeights
        What each member counts for, and its figures out of fold where weights were chosen; print
        it.

    Examples
    --------
    >>> from treewright import C45Classifier, RandomForestClassifier, VotingClassifier
    >>> from treewright import load_example
    >>> iris = load_example("iris")
    >>> members = [("forest", RandomForestClassifier()), ("tree", C45Classifier())]
    >>> vote = VotingClassifier(members, voting="soft", weights="out_of_fold")
    >>> vote.fit(iris.X, iris.y).predict(iris.X)[[0, 75, 149]].tolist()
    ['setosa', 'versicolor', 'virginica']
    >>> round(vote.weights_["forest"] + vote.weights_["tree"], 9)
    1.0
    """

    _of_classes = True

    def __init__(
        self,
        estimators: Any,
        *,
        voting: str = "hard",
        weights: Any = None,
        n_jobs: int | None = None,
        flatten_transform: bool = True,
        verbose: Any = False,
        cv: Any = None,
        random_state: Any = None,
        calibrate: str | None = None,
        cost_matrix: Any = None,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.n_jobs = n_jobs
        self.flatten_transform = flatten_transform
        self.verbose = verbose
        self.cv = cv
        self.random_state = random_state
        self.calibrate = calibrate
        self.cost_matrix = cost_matrix

    def _check_vote(self, members: Sequence[Member]) -> None:
        check_choice("voting", self.voting, ("hard", "soft"))
        check_flag("flatten_transform", self.flatten_transform)
        if self.voting == "hard":
            if self.calibrate is not None:
                raise UnsupportedError(
                    f"calibrate={self.calibrate!r} makes probabilities true, and a vote by majority"
                    " has none.\n  Hint: voting='soft'."
                )
            if self.cost_matrix is not None:
                raise UnsupportedError(
                    f"cost_matrix={self.cost_matrix!r} is weighed by probabilities, and a vote by"
                    " majority has none.\n  Hint: voting='soft'."
                )
            return
        for member in members:
            made = member.estimator
            if hasattr(made, "predict") and not hasattr(made, "predict_proba"):
                raise ParameterError(
                    f"{member.shown} has no predict_proba, which voting='soft' averages.\n"
                    "  Hint: CalibratedClassifierCV(...) around it, or voting='hard'."
                )

    def _learned_target(self, rows: Rows) -> None:
        self.le_ = self._learned_classes(rows)

    def _method(self) -> str:
        return "predict_proba" if self.voting == "soft" else "predict"

    def _best_weights(self, answers: Sequence[Array], rows: Rows, part: Int64Array) -> FloatArray:
        codes = rows.target[part]
        weight = None if rows.weight is None else rows.weight[part]
        if self.voting == "soft":
            places = np.arange(len(codes))
            of_truth = np.stack([each[places, codes] for each in answers], axis=1)
            return least_log_loss(of_truth, weight)
        assert rows.classes is not None
        return least_errors(np.stack(answers, axis=1), codes, len(rows.classes), weight)

    def _together(self, answers: Sequence[Array], weights: FloatArray, n_classes: int) -> Array:
        if self.voting == "soft":
            return np.average(np.asarray(answers), axis=0, weights=weights)
        return _shares_of_votes(np.stack(answers, axis=1), weights, n_classes)

    def _collect_probas(self, X: Any) -> Array:
        """Return the probabilities of members, members x rows x classes."""
        members = [replace(each, method="predict_proba") for each in self._members]
        return np.asarray(asked(members, self.estimators_, X, self.classes_))

    def predict(self, X: Any) -> Array:
        """Return the class of each row: of most votes, or of the highest mean probability.

        With a cost matrix, the class of least expected cost.

        Parameters
        ----------
        X : table
            The rows.

        Returns
        -------
        array
        """
        check_is_fitted(self)
        if self._decides_itself():
            return self._decided(X)
        if self.voting == "soft" or self._chosen is None:
            return np.asarray(ensemble.VotingClassifier.predict(self, X))
        found: Array = self.classes_[decided(self._predict(X), self._chosen, len(self.classes_))]
        return found

    @available_if(ensemble.VotingClassifier._check_voting)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the mean probability of each class, in the order of ``classes_``; of a soft vote.

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
        return self._uncalibrated(X) if self._calibration is None else self._calibrated(X)[0]

    def _uncalibrated(self, X: Any) -> FloatArray:
        if self.voting == "soft":
            answers = self._collect_probas(X)
            return np.asarray(np.average(answers, axis=0, weights=self._weights_not_none))
        given = self._weights_not_none
        weights = np.ones(len(self._members)) if given is None else np.asarray(given, float)
        return _shares_of_votes(self._predict(X), weights, len(self.classes_))


class VotingRegressor(Votes, PredictsIntervals, ensemble.VotingRegressor):  # type: ignore[misc]
    """The mean of regressors of any kind.

    A drop-in replacement for scikit-learn's, which it derives from: change the import. See
    :class:`VotingClassifier` for tables and members.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The members with their names; ``"drop"`` leaves one out.
    weights : array-like or "out_of_fold", optional
        Weight of each member; None gives all the same. ``"out_of_fold"`` chooses them by answers
        about rows that members have not seen: none negative, adding to 1, of least squared error.
    n_jobs, verbose, cv, random_state
        As for :class:`VotingClassifier`.

    Attributes
    ----------
    estimators_, named_estimators_
        As in scikit-learn.
    weights_ : MemberWeights
        What each member counts for, and its error out of fold where weights were chosen; print it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from treewright import CARTRegressor, VotingRegressor
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> y = 2 * X[:, 0] + (X[:, 0] > 20) * 10
    >>> members = [("line", LinearRegression()), ("tree", CARTRegressor())]
    >>> vote = VotingRegressor(members, weights=[3, 1]).fit(X, y)
    >>> vote.weights_["line"], vote.weights_["tree"]
    (0.75, 0.25)
    """

    _of_classes = False

    def __init__(
        self,
        estimators: Any,
        *,
        weights: Any = None,
        n_jobs: int | None = None,
        verbose: Any = False,
        cv: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.cv = cv
        self.random_state = random_state

    def _best_weights(self, answers: Sequence[Array], rows: Rows, part: Int64Array) -> FloatArray:
        weight = None if rows.weight is None else rows.weight[part]
        values = rows.labels[part]
        return least_squared_error(np.stack(answers, axis=1).astype(np.float64), values, weight)

    def _together(self, answers: Sequence[Array], weights: FloatArray, n_classes: int) -> Array:
        return np.average(np.stack(answers, axis=1), axis=1, weights=weights)


def _shares_of_votes(votes: Int64Array, weights: FloatArray, n_classes: int) -> FloatArray:
    cast = votes[:, :, np.newaxis] == np.arange(n_classes)
    shares: FloatArray = np.einsum("nmk,m->nk", cast, weights / weights.sum())
    return shares
