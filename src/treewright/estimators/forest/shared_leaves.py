"""Estimates from rows that share leaves: quantiles of the target, and proximities of rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright.array_types import FloatArray
from treewright.data.read.target import ValueTarget
from treewright.data.table import Table
from treewright.ensemble.ensemble import Ensemble
from treewright.errors import ParameterError
from treewright.estimators.certainty.predicts_intervals import PredictsIntervals
from treewright.forest.problem import ForestProblem
from treewright.forest.proximity import Proximity
from treewright.forest.quantiles import LeafTargets, Times, calibrated_levels
from treewright.parameters import check_choice, check_flag, check_number
from treewright.threads import n_threads

ROWS = ("all", "in_bag", "oob")
"""Training rows that are counted in the leaves of a tree."""

_ROWS_AT_ONCE = 1 << 16
"""Rows whose leaves are held in memory together while quantiles are computed."""


class ComparesRows:
    """A forest that computes proximities of rows."""

    n_jobs: Any
    _table: Any
    _model: Any
    _training_data: Any

    def proximity(
        self,
        X: Any = None,
        Y: Any = None,
        *,
        rows: str = "all",
        y: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> Proximity:
        """Return the proximities of rows: the share of trees in which two fall into the same leaf.

        Parameters
        ----------
        X : table, optional
            The rows; None is the training rows.
        Y : table, optional
            Rows to compare them with; None compares them with each other.
        rows : {"all", "oob"}
            ``"all"`` uses every tree. ``"oob"`` compares training rows by the trees for which both
            are out of bag (and with ``Y`` by those for which the training row is): trees fit the
            rows they have drawn, and separate them too well.
        y, sample_weight, groups : array-like, optional
            The rest of the training data as given to ``fit``, where ``rows="oob"`` and the forest
            no longer has them, as after loading it; ``X`` is the table then.

        Returns
        -------
        Proximity
            Computes what it is asked for (``of``, ``row``, ``nearest``, ``sparse``,
            ``outliers``, ``prototypes``); only its ``matrix`` makes a matrix of rows x rows.

        Notes
        -----
        Breiman and Cutler, *Random Forests*, 2003. A row that is divided among leaves counts in the
        one with the largest part of it.

        Examples
        --------
        >>> import numpy as np
        >>> from treewright import RandomForestClassifier
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> y = [0, 0, 0, 1, 1, 1]
        >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
        >>> proximity = forest.proximity()
        >>> proximity.of(0, 1) > 0.9, proximity.of(0, 5) < 0.1
        (True, True)
        """
        ensemble: Ensemble = self._model()
        check_choice("rows", rows, ("all", "oob"))
        rest = (y, sample_weight, groups)
        if any(given is not None for given in rest) and (rows == "all" or X is None):
            raise ParameterError(
                "y, sample_weight and groups tell, with X, which rows each tree has drawn: they"
                " need X and rows='oob'."
            )
        asked = None
        if rows == "all" and X is not None:
            table = self._table(X)
        else:
            training: ForestProblem = self._training_data(X, y, sample_weight, groups)
            table = training.problem.table
        threads = n_threads(self.n_jobs, table.n_rows * len(ensemble))
        if rows == "oob":
            drawn = _times(training, "oob")
            assert drawn is not None
            asked = np.column_stack([drawn(tree) > 0 for tree in range(len(ensemble))])
        leaves = ensemble.apply(table, n_threads=threads)
        others = None if Y is None else ensemble.apply(self._table(Y), n_threads=threads)
        return Proximity(leaves, others, asked=asked, n_threads=threads)


class PredictsQuantiles(PredictsIntervals):
    """A forest for regression that predicts quantiles and intervals."""

    _not_pickled: ClassVar[tuple[str, ...]] = ("_leaf_targets",)

    n_jobs: Any
    _table: Any
    _model: Any
    _training_data: Any
    _leaf_targets: _KnownTargets | None = None

    def predict_quantiles(
        self,
        X: Any,
        quantiles: Any = (0.05, 0.5, 0.95),
        *,
        rows: str = "all",
        X_train: Any = None,
        y_train: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> FloatArray:
        """Return quantiles of the target for each row, from the training rows in its leaves.

        Parameters
        ----------
        X : table
            The rows to predict.
        quantiles : float or sequence of floats
            Shares from 0 to 1, in any order.
        rows : {"all", "in_bag", "oob"}
            Which training rows are counted in the leaves of a tree: all of them (Meinshausen),
            those it was grown on as often as it has drawn them, or its out-of-bag rows, which the
            leaves were not fitted to: quantiles are then wider.
        X_train, y_train, sample_weight, groups
            The training data as they were given to ``fit``; only needed where the forest no longer
            has them, as after loading it, and only once.

        Returns
        -------
        array
            Rows x quantiles; for several outputs rows x outputs x quantiles. A single quantile is
            left out of the shape. NaN where no tree has such a training row in the leaf.

        Notes
        -----
        Each tree spreads a weight of 1 over the training rows in the leaf (in proportion to
        ``sample_weight``); these weights are averaged over the trees, and the quantile a is the
        least target up to which they add up to a or more (Meinshausen, *Quantile Regression
        Forests*, JMLR 7, 2006): always an observed target, never one in between. 0 and 1 give the
        least and the greatest target in the leaves.

        Examples
        --------
        >>> import numpy as np
        >>> from treewright import RandomForestRegressor
        >>> random = np.random.default_rng(0)
        >>> X = random.uniform(size=(2000, 1))
        >>> y = X[:, 0] * random.normal(size=2000)  # the spread grows with x
        >>> forest = RandomForestRegressor(min_samples_leaf=20, random_state=0).fit(X, y)
        >>> low, high = forest.predict_quantiles([[0.1], [0.9]], (0.1, 0.9)).T
        >>> bool(high[1] - low[1] > 4 * (high[0] - low[0]))
        True
        """
        self._model()
        levels = _levels(quantiles)
        check_choice("rows", rows, ROWS)
        table = self._table(X)
        known = self._known(rows, X_train, y_train, sample_weight, groups)
        found = self._quantiles_of(table, known.targets, levels.reshape(-1))
        if found.shape[1] == 1:
            found = found[:, 0]
        return found[..., 0] if levels.ndim == 0 else found

    def predict_interval(
        self,
        X: Any,
        level: float = 0.9,
        *,
        calibrate: bool | None = None,
        rows: str = "all",
        by: Any = None,
        X_train: Any = None,
        y_train: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> FloatArray:
        """Return an interval for each row that contains the target with this probability.

        Parameters
        ----------
        X : table
            The rows to predict.
        level : float
            The probability, above 0 and at most 1.
        calibrate : bool, optional
            None takes intervals around the prediction, as
            :meth:`DecisionTreeRegressor.predict_interval` does, by what trees that have not drawn a
            row are off by (where every tree takes every row, forests of parts of the rows). The
            others are quantiles of the targets in the leaves: with False those that leave equal
            shares out on both sides, which are too narrow or too wide for leaves of few rows; with
            True those between which the asked-for share of the training rows lies, each predicted
            by the trees for which it is out of bag.
        by : str or int, optional
            A column of X whose values, few of them, are each to be covered with this probability.
        rows, X_train, y_train, sample_weight, groups
            As for :meth:`predict_quantiles`.

        Returns
        -------
        array
            Lower and upper end for each row, rows x 2; for several outputs rows x outputs x 2.

        Notes
        -----
        On ten tables intervals around the prediction were narrower than calibrated quantiles at
        the same coverage on each (docs/decisions/031). Calibration of quantiles is *distributional
        conformal prediction* (Chernozhukov, Wuethrich and Zhu, PNAS 118, 2021) on out-of-bag rows:
        they extend at most from the least to the greatest target in the leaves, and cover somewhat
        more than asked where trees are few, as training rows are predicted by about a third of the
        trees. Intervals cover on average over rows, not for every row.

        Examples
        --------
        >>> import numpy as np
        >>> from treewright import RandomForestRegressor
        >>> random = np.random.default_rng(0)
        >>> X = random.uniform(size=(3000, 2))
        >>> y = X[:, 0] + 0.1 * random.normal(size=3000)
        >>> forest = RandomForestRegressor(random_state=0).fit(X[:2000], y[:2000])
        >>> low, high = forest.predict_interval(X[2000:], level=0.9).T
        >>> bool(np.mean((low <= y[2000:]) & (y[2000:] <= high)) > 0.88)
        True
        """
        check_number("level", level, low=0.0, high=1.0, open_low=True)
        if calibrate is not None:
            check_flag("calibrate", calibrate)
        check_choice("rows", rows, ROWS)
        again = (X_train, y_train, sample_weight, groups)
        if calibrate is None:
            check_is_fitted(self)
            if rows != "all":
                raise ParameterError(
                    f"rows={rows!r} is about quantiles of the targets in leaves.\n"
                    "  Hint: calibrate=True or False takes them."
                )
            return self._interval(X, float(level), by, again, asked={})
        if by is not None:
            raise ParameterError(
                f"by={by!r} needs calibrate=None: quantiles of leaves cover all rows together."
            )
        table = self._table(X)
        known = self._known(rows, *again)
        rest = (1.0 - float(level)) / 2.0
        n_outputs = known.values.shape[1]
        levels = np.tile([rest, 1.0 - rest], (n_outputs, 1))
        if calibrate:
            n_asked = known.training.problem.table.n_rows * len(self._model())
            shares = known.own_shares(n_threads(self.n_jobs, n_asked))
            for output in range(n_outputs):
                levels[output] = calibrated_levels(shares[output], known.weight, float(level))
        found = self._quantiles_of(table, known.targets, levels.reshape(-1))
        ends = np.stack([found[:, o, 2 * o : 2 * o + 2] for o in range(n_outputs)], axis=1)
        return ends[:, 0] if n_outputs == 1 else ends

    def _quantiles_of(self, table: Table, targets: LeafTargets, levels: FloatArray) -> FloatArray:
        ensemble: Ensemble = self._model()
        threads = n_threads(self.n_jobs, table.n_rows * len(ensemble))
        parts = [
            targets.quantiles(ensemble.apply(part, n_threads=threads), levels, n_threads=threads)
            for part in _blocks(table)
        ]
        return np.concatenate(parts)

    def _known(self, rows: str, X: Any, y: Any, sample_weight: Any, groups: Any) -> _KnownTargets:
        """Return the targets in the leaves; the last result is cached."""
        ensemble: Ensemble = self._model()
        if X is None and any(given is not None for given in (y, sample_weight, groups)):
            raise ParameterError(
                "y_train, sample_weight and groups belong to X_train, which is missing."
            )
        kept = self._leaf_targets
        if X is None and kept is not None and kept.ensemble is ensemble and kept.rows == rows:
            return kept
        training: ForestProblem = self._training_data(X, y, sample_weight, groups)
        threads = n_threads(self.n_jobs, training.problem.table.n_rows * len(ensemble))
        known = _KnownTargets(ensemble, training, rows, threads)
        self._leaf_targets = known
        return known


class _KnownTargets:
    """The targets in the leaves of a forest, and the training data they came from."""

    def __init__(
        self, ensemble: Ensemble, training: ForestProblem, rows: str, threads: int
    ) -> None:
        problem, draws = training.problem, training.draws
        assert isinstance(problem.target, ValueTarget)
        self.ensemble = ensemble
        self.training = training
        self.rows = rows
        self.values = problem.target.values.reshape(problem.table.n_rows, -1)
        self.weight = problem.weights.weight if draws is None else draws.weight
        self.targets = LeafTargets(
            ensemble.apply(problem.table, n_threads=threads),
            self.values,
            weight=self.weight,
            times=_times(training, rows),
        )
        self._shares: FloatArray | None = None

    def own_shares(self, threads: int) -> FloatArray:
        """Return where the targets of the rows lie in their out-of-bag distributions."""
        if self._shares is None:
            drawn = _times(self.training, "oob")
            assert drawn is not None
            leaves = self.ensemble.apply(self.training.problem.table, n_threads=threads)
            for tree in range(len(self.ensemble)):
                leaves[drawn(tree) == 0, tree] = -1
            groups = self.training.problem.groups
            self._shares = self.targets.own_shares(
                leaves,
                stands_there=self.rows != "in_bag",
                groups=None if groups is None else groups.codes,
                n_threads=threads,
            )
        return self._shares


def _times(training: ForestProblem, rows: str) -> Times | None:
    """Return a function that counts the rows in the leaves of a tree; None is once each."""
    sampling = training.sampling
    if rows == "all" or (rows == "in_bag" and sampling is None):
        return None
    if sampling is None:
        raise ParameterError(
            "rows='oob' needs rows that trees have not drawn, but every tree was grown on all rows."
            "\n  Hint: bootstrap=True (or max_samples) draws rows; rows='all' asks every tree."
        )
    return sampling.draw if rows == "in_bag" else sampling.left_out


def _levels(quantiles: Any) -> FloatArray:
    try:
        levels = np.asarray(quantiles, dtype=np.float64)
    except (TypeError, ValueError):
        levels = np.full(2, np.nan)
    if levels.ndim > 1 or not np.all((levels >= 0.0) & (levels <= 1.0)):
        raise ParameterError(f"quantiles={quantiles!r} must be shares from 0 to 1.")
    return levels


def _blocks(table: Table) -> list[Table]:
    if table.n_rows <= _ROWS_AT_ONCE:
        return [table]
    starts = range(0, table.n_rows, _ROWS_AT_ONCE)
    return [
        table.take(np.arange(start, min(start + _ROWS_AT_ONCE, table.n_rows))) for start in starts
    ]
