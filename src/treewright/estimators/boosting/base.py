"""The parts that gradient boosting of classes and of numbers share: reading and the rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from treewright.array_types import FloatArray, Int64Array
from treewright.boosting.choose_rounds import choose_rounds, folds_of
from treewright.boosting.defaults import CHOOSING_RATE, KEPT_OF_CHOICE, is_auto
from treewright.boosting.ensemble import BoostedEnsemble
from treewright.boosting.fit import Boosted, Boosting
from treewright.boosting.losses import Given, Loss
from treewright.boosting.options import BoostingOptions, stops_early
from treewright.boosting.problem import BoostingProblem, held_out
from treewright.boosting.rounds import GradientRound, GradientRounds
from treewright.data.read.table import match_table
from treewright.data.read.target import ClassTarget, ValueTarget
from treewright.data.read.weights import RowWeights
from treewright.ensemble.listeners import Listeners
from treewright.errors import DataError, ParameterError, TargetError
from treewright.estimators.boosting.fitted_names import HasFittedNames
from treewright.estimators.boosting.monitor import Monitor
from treewright.estimators.boosting.offsets import training_offsets, validation_offsets
from treewright.estimators.boosting.scoring import ByScorer, judging_by, scorer_of
from treewright.estimators.callbacks import HasCallbacks, RoundTasks, ends_callbacks
from treewright.estimators.certainty.keeps_rows import all_or_nothing
from treewright.estimators.checks import check_n_estimators, check_verbose, seed_of
from treewright.estimators.progress import BoostingProgress, Silence, show, show_choice
from treewright.grow.training_data import Reading, TrainingData, read_training_data
from treewright.parameters import check_callable, check_flag
from treewright.threads import n_threads
from treewright.tree.leaf import BY_MAJORITY, LeafRule

_SHARED_WORK = 0.6
"""Share of the cells that counts as work for threads: they meet at every node of every tree."""
_CHOOSING_WORK = 500
"""The same where the rounds are chosen: threads have folds of their own, and meet some ten times in
several hundred rounds."""


def _show_choice(silence: Silence, max_depth: int | None, n_rounds: int, loss: float) -> None:
    if silence.is_over:
        show_choice(max_depth, n_rounds, loss)


class BoostingEstimator(HasCallbacks, HasFittedNames):
    """Boosted trees with scikit-learn's interface."""

    n_estimators: Any
    warm_start: Any

    def _loss(self, target: Any) -> Loss:
        raise AssertionError("a boosting estimator has a task")

    def _numbers(self, data: TrainingData) -> FloatArray:
        """Return the target in the core's form."""
        raise AssertionError("a boosting estimator has a task")

    @property
    def _name_of_rounds(self) -> str:
        """The name by which the number of rounds was given."""
        return "n_estimators" if self.max_iter is None else "max_iter"

    def _n_rounds(self) -> int | str:
        name = self._name_of_rounds
        given = getattr(self, name)
        if is_auto(given):
            return "auto"
        if isinstance(given, str):
            raise ParameterError(f"{name}={given!r} must be a number or 'auto'.")
        check_n_estimators(given, name=name)
        return int(given)

    def _given(self, name: str) -> Any:
        """Return what was given for an option."""
        return getattr(self, name)

    def _boosting_options(self) -> BoostingOptions:
        n_threads(self.n_jobs)  # refuse a wrong number before the data are read
        own = {"n_estimators", "n_threads", "seed"}
        named = [each.name for each in fields(BoostingOptions) if each.name not in own]
        options = BoostingOptions(
            n_estimators=self._n_rounds(),
            seed=seed_of(self.random_state),
            **{name: self._given(name) for name in named},
        )
        check_verbose(self.verbose)
        options.check()
        if self.warm_start and not is_auto(options.n_estimators):
            # More rounds of the kind that was chosen before.
            kept: dict[str, Any] = getattr(self, "_made_with", {})
            open_ = [name for name in kept if is_auto(getattr(options, name))]
            options = replace(options, **{name: kept[name] for name in open_})
        return options

    def _stops_early(self, *, has_validation: bool, n_rows: int) -> bool:
        """Return whether boosting stops before the last round."""
        del n_rows  # matters to HistGradientBoosting only
        return stops_early(
            self.early_stopping, self.n_iter_no_change, has_validation=has_validation
        )

    @ends_callbacks
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        offset: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        offset_val: Any = None,
        monitor: Callable[..., Any] | None = None,
    ) -> Self:
        """Fit the model, round by round.

        Parameters
        ----------
        X : table
            Any table, as for the single trees.
        y : array-like
            The target, one entry per row.
        sample_weight : array-like, optional
            Weight of each row. Only the ratios matter: penalties and limits count a row of mean
            weight as one.
        groups : array-like, optional
            A label for each row: rows of one label belong together (visits of a patient). Rounds
            are chosen, and early stopping judges, by groups that the model has not seen, and
            `subsample` draws whole groups (but not ``row_sampling="goss"``).
        offset : array-like or float, optional
            Added to the score of each row, in training and prediction: the model learns the rest.
            With a logarithmic link (``"poisson"``, ``"gamma"``, ``"tweedie"``) the logarithm of
            the exposure, with log loss log odds, else a first guess of the target. One number for
            each row; of three or more classes one for each row and class, in the order of
            ``classes_``. Where scores start is learned beside the offsets. `predict` then asks for
            the offsets of its rows.
        X_val, y_val, sample_weight_val, offset_val : optional
            Validation rows, which switch early stopping on (see `early_stopping`). Where it stops
            without them, a share of the rows is held out.
        monitor : function, optional
            Called after each round as ``monitor(i, model, data)``: the number of the round from 0,
            the model so far, and a dict of the data. Boosting ends when it returns True.

        Returns
        -------
        self
        """
        if monitor is not None:
            check_callable("monitor", monitor)
        self._check_calibrate()
        has_validation = X_val is not None
        self._stops_early(has_validation=has_validation, n_rows=0)  # refuse before data are read
        check_flag("warm_start", self.warm_start)
        self._check_init()
        scorer = scorer_of(self, self.scoring)
        options = self._boosting_options()
        silence = Silence(verbose=self.verbose)
        data = read_training_data(X, y, sample_weight, self._reading(), groups=groups)
        leaf = self._rule(data)
        stops = self._stops_early(has_validation=has_validation, n_rows=data.table.n_rows)
        n_cells = data.table.n_rows * len(data.table.schema.columns)
        options = replace(options, n_threads=n_threads(self.n_jobs, _SHARED_WORK * n_cells))
        init = self._fitted_init(X, y, sample_weight)
        own = self._own_problem(data, init, X, offset)
        folds = None if stops else self._folds(own, options)
        is_judged = has_validation or self.validation_fraction is not None
        if folds is not None or (stops and is_judged and not has_validation):
            data.warn_of_groups("The number of rounds is chosen")
        chooses = is_auto(options.n_estimators)
        options = options.settled(own, ends_by_itself=folds is not None or (stops and is_judged))
        choice = None
        if folds is not None:
            watch = partial(_show_choice, silence)
            by = CHOOSING_RATE if is_auto(self.learning_rate) else None
            threads = n_threads(self.n_jobs, _CHOOSING_WORK * n_cells)
            choice = choose_rounds(
                own, options, folds, n_threads=threads, choosing_rate=by, watch=watch
            )
            options = replace(
                options,
                n_estimators=choice.best.n_rounds,
                max_depth=choice.best.max_depth,
                subsample=choice.best.subsample,
                learning_rate=choice.best.learning_rate,
            )
        if chooses and self.warm_start and hasattr(self, "ensemble_"):
            n_rounds = max(int(options.n_estimators), self.ensemble_.n_rounds)
            options = replace(options, n_estimators=n_rounds)
        validation = self._validation(data, own, init, X_val, y_val, sample_weight_val, offset_val)
        judged_X = X if validation is None else X_val
        if validation is None and stops and self.validation_fraction is not None:
            learn, judge = held_out(
                own,
                self.validation_fraction,
                seed=options.seed,
                of_classes=self._is_classifier(),
            )
            validation, own = own.take(judge), own.take(learn)
            judged_X = X if scorer is None else _safe_indexing(X, judge)
        by_scorer = None
        if scorer is not None:
            if validation is None and own.weight is not None:
                judged_X = _safe_indexing(X, np.flatnonzero(own.weight > 0))
            judged = own.counted() if validation is None else validation
            by_scorer = judging_by(scorer, self, data, init, judged, judged_X)
        rounds = self._rounds(
            data, own, options, validation, stops=stops, judge=by_scorer, leaf=leaf
        )
        n_more = int(options.n_estimators) - rounds.n_before
        start = self._figures_at_start(rounds, stops=stops)
        tasks = self._tasks(X, y, sample_weight, n_rounds=n_more)
        told = {"X": X, "y": y, "sample_weight": sample_weight}
        watched = None if monitor is None else Monitor(monitor, self, told)
        boosted = self._boost_with_listeners(rounds, data, init, options, tasks, silence, watched)
        made_with = options.settled(own)
        with all_or_nothing(self):
            self._learned(data, init, boosted)
            self.choice_ = choice
            self.learning_rate_ = float(made_with.learning_rate)
            self.do_early_stopping_ = stops
            self._start_figures = start
            self._learned_record(rounds)
            self.max_features_ = made_with.n_features(len(data.table.schema.columns))
            self._made_with = (
                {name: getattr(made_with, name) for name in KEPT_OF_CHOICE} if chooses else {}
            )
            self._keep(X, y, sample_weight, groups, offset)
        return self

    def _rule(self, data: TrainingData) -> LeafRule:
        """Return how probabilities become a class."""
        if isinstance(data.target, ClassTarget):
            return self._leaf_settings().rule(data.target)
        return BY_MAJORITY

    def _folds(self, own: BoostingProblem, options: BoostingOptions) -> Int64Array | None:
        """Return the fold of each row where rounds are chosen by cross-validation, else None.

        They are not with a loss of the user's, whose value is unknown, nor with scores that start
        from another estimator, which has been fitted to the held-out rows as well.
        """
        chooses = is_auto(options.n_estimators)
        starts_plainly = self.init is None or isinstance(self.init, str)
        is_judged = starts_plainly and not isinstance(own.loss, Given)
        return folds_of(own) if chooses and is_judged else None

    def _learned(self, data: TrainingData, init: Any, boosted: Boosted) -> None:
        n_before = boosted.ensemble.n_rounds - len(boosted.rounds)
        earlier = [*getattr(self, "_all_rounds", ())][:n_before] if n_before > 0 else []
        both = GradientRounds((*earlier, *boosted.rounds)) if earlier else boosted.rounds
        self._all_rounds = both
        self._loss_unit = self._loss(data.target).units_per_loss
        self.ensemble_ = boosted.ensemble
        self.rounds_ = boosted.rounds
        self.n_iter_ = boosted.ensemble.n_rounds
        self._init = init
        self._rests_on = self._basis(boosted.ensemble.criterion)
        self._learned_columns(data)

    def _boost_with_listeners(
        self,
        rounds: Boosting,
        data: TrainingData,
        init: Any,
        options: BoostingOptions,
        tasks: RoundTasks[GradientRound] | None,
        silence: Silence,
        monitor: Monitor | None,
    ) -> Boosted:
        """Make the rounds, with the callbacks and the progress display as listeners."""
        reporter = BoostingProgress(int(options.n_estimators), silence)
        for each in (tasks, monitor):
            if each is not None:
                each.learn = partial(self._learn_so_far, data, init, rounds, each.figures)
        boosted = rounds.run(Listeners(reporter, tasks, monitor))
        if silence.is_over:
            show(f"boosted: {boosted.ensemble.n_rounds} rounds".ljust(59), end="\n")
        if tasks is not None:
            tasks.learn = lambda copied: copied._learned(data, init, boosted)
            tasks.close()
        return boosted

    @staticmethod
    def _learn_so_far(
        data: TrainingData, init: Any, rounds: Boosting, done: list[GradientRound], copied: Any
    ) -> None:
        """Set the fitted attributes of an estimator to the model of the rounds done so far."""
        so_far = Boosted(ensemble=rounds.so_far(), rounds=GradientRounds(done))
        copied._learned(data, init, so_far)
        copied._learned_record(rounds)

    def _rounds(
        self,
        data: TrainingData,
        own: BoostingProblem,
        options: BoostingOptions,
        validation: BoostingProblem | None,
        *,
        stops: bool,
        judge: ByScorer | None,
        leaf: LeafRule,
    ) -> Boosting:
        before = self._before(own, data, options)

        def make(core: Any, base: FloatArray, thresholds: FloatArray | None) -> BoostedEnsemble:
            target = data.target
            return BoostedEnsemble(
                core=core,
                base=base if own.start is None else np.zeros_like(base),
                link=own.loss.link,
                schema=data.table.schema,
                classes=target.classes if isinstance(target, ClassTarget) else None,
                criterion=own.loss.name,
                shift=data.shift,
                leaf=leaf,
                has_offsets=own.offset is not None,
                thresholds=thresholds,
            )

        rounds = Boosting(
            own,
            options,
            make=make,
            before=before,
            validation=validation,
            watches=stops,
            judge=judge,
        )
        if judge is not None:
            judge.model = rounds.so_far
        return rounds

    def _figures_at_start(self, rounds: Boosting, *, stops: bool) -> GradientRound | None:
        """Return the figures before the first round, where they are told; None elsewhere."""
        return None

    def _before(
        self, own: BoostingProblem, data: TrainingData, options: BoostingOptions
    ) -> BoostedEnsemble | None:
        before: BoostedEnsemble | None = getattr(self, "ensemble_", None)
        if not self.warm_start or before is None:
            return None
        hint = "warm_start=False boosts anew."
        for name, now in self._basis(own.loss.name).items():
            then = getattr(self, "_rests_on", {}).get(name, now)
            if now != then:
                raise ParameterError(
                    f"warm_start goes on from rounds of {name}={then!r}; {name}={now!r} now.\n"
                    f"  Hint: {hint}"
                )
        has_offsets = own.offset is not None
        if has_offsets != before.has_offsets:
            then, now = ("with", "without") if before.has_offsets else ("without", "with")
            raise ParameterError(
                f"warm_start goes on from rounds {then} offsets; they are made {now} offsets now.\n"
                f"  Hint: {hint}"
            )
        if options.n_estimators < before.n_rounds:
            raise ParameterError(
                f"{self._name_of_rounds}={options.n_estimators} is less than the"
                f" {before.n_rounds} rounds done already.\n  Hint: {hint}"
            )
        classes = data.target.classes if isinstance(data.target, ClassTarget) else ()
        same_classes = [list(names) for names in classes] == [
            list(names) for names in before.classes or ()
        ]
        if own.table.schema != before.schema or not same_classes or before.shift != data.shift:
            raise DataError(
                "the columns, their categories, the classes or the size of the target are not"
                f" those that boosting began with.\n  Hint: {hint}"
            )
        return before

    def _reading(self) -> Reading:
        return replace(super()._reading(), relative_weights=True)

    def _basis(self, loss: str) -> dict[str, Any]:
        """Return the settings that later rounds must share with earlier ones."""
        init = self.init
        named = init if init is None or isinstance(init, str) else type(init).__name__
        return {"loss": loss, "init": named, "max_bins": self.max_bins}

    def _own_problem(self, data: TrainingData, init: Any, X: Any, offset: Any) -> BoostingProblem:
        loss = self._loss(data.target)
        y = self._numbers(data)
        weights = data.weights
        own = BoostingProblem(
            table=data.table,
            y=y,
            weights=weights,
            loss=loss,
            start=self._start(init, X, data.table.n_rows, loss, data.shift),
            groups=data.groups,
            offset=training_offsets(offset, len(y), loss, shift=data.shift, init=self.init),
        )
        loss.check_target(y, own.weight, shift=data.shift)
        return own

    def _validation(
        self,
        data: TrainingData,
        own: BoostingProblem,
        init: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        offset: Any,
    ) -> BoostingProblem | None:
        if X is None and y is None:
            for name, given in (("sample_weight_val", sample_weight), ("offset_val", offset)):
                if given is not None:
                    raise ParameterError(f"{name} belongs to X_val and y_val: give all.")
            return None
        if X is None or y is None:
            raise ParameterError("X_val and y_val belong together: give both, or neither.")
        table = match_table(X, data.table.schema, owner=type(self).__name__)
        target = self._reading().read_target(y, table.n_rows)
        values: FloatArray
        if isinstance(target, ClassTarget):
            assert isinstance(data.target, ClassTarget)
            known = {name: code for code, name in enumerate(data.target.classes[0].tolist())}
            unknown = [name for name in target.classes[0].tolist() if name not in known]
            if unknown:
                raise TargetError(f"y_val has class {unknown[0]!r}, which y does not have.")
            codes = np.array([known[name] for name in target.classes[0].tolist()], dtype=np.float64)
            values = codes[target.codes]
        else:
            assert isinstance(target, ValueTarget)
            values = np.ldexp(target.values, -data.shift)
        return BoostingProblem(
            table=table,
            y=values,
            weights=RowWeights.read(sample_weight, table.n_rows).relative(),
            loss=own.loss,
            start=self._start(init, X, table.n_rows, own.loss, data.shift),
            offset=validation_offsets(
                offset,
                table.n_rows,
                own.loss,
                shift=data.shift,
                has_offsets=own.offset is not None,
            ),
        )

    # ------------------------------------------------------------------ where scores start
    def _check_init(self) -> None:
        given = self.init
        if given is None or (isinstance(given, str) and given == "zero"):
            return
        if isinstance(given, type) or not hasattr(given, "fit") or not hasattr(given, "predict"):
            raise ParameterError(f"init={given!r} must be None, 'zero' or an estimator.")

    def _fitted_init(self, X: Any, y: Any, sample_weight: Any) -> Any:
        if self.init is None or isinstance(self.init, str):
            return self.init
        if self.warm_start and hasattr(self, "ensemble_"):
            return self._init
        if sample_weight is None:
            return clone(self.init).fit(X, y)
        if not has_fit_parameter(self.init, "sample_weight"):
            raise ParameterError(f"init={self.init!r} takes no sample_weight.")
        return clone(self.init).fit(X, y, sample_weight=sample_weight)

    def _start(self, init: Any, X: Any, n_rows: int, loss: Loss, shift: int) -> FloatArray | None:
        if init is None:
            return None
        if isinstance(init, str):
            return np.zeros((n_rows, loss.n_outputs))
        scores = self._scores_of_init(init, X, loss.link, shift)
        if scores.shape != (n_rows, loss.n_outputs):
            raise ParameterError(
                f"init={self.init!r} gives answers of shape {scores.shape} where"
                f" {(n_rows, loss.n_outputs)} is due: a row each."
            )
        is_finite = np.isfinite(scores).all(axis=1)
        if not is_finite.all():
            raise ParameterError(
                f"init={self.init!r} predicts what is no finite number for row"
                f" {int(np.argmin(is_finite))}; boosting has to start from finite scores."
            )
        return scores
