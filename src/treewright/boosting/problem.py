"""The problem of boosting: the rows, their targets as numbers, their weights and base scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.array_types import Array, FloatArray, Int64Array, IntegerArray, UInt64Array
from treewright.boosting.losses.base import Loss
from treewright.core import MOST_CATEGORIES, Target, content_hashes
from treewright.data.core_columns import lend
from treewright.data.read.groups import RowGroups
from treewright.data.read.weights import RowWeights
from treewright.data.table import Table
from treewright.errors import ManyCategoriesWarning, ParameterError, warn
from treewright.parameters import check_number, is_whole


@dataclass(frozen=True, kw_only=True)
class BoostingProblem:
    """The problem of boosting: rows, a target as numbers (classes by index), weights, a loss."""

    table: Table
    y: FloatArray
    weights: RowWeights
    loss: Loss
    start: FloatArray | None = None
    """Scores that the rows start from (rows x outputs), instead of the loss's base score."""
    groups: RowGroups | None = None
    """Groups of rows that are drawn and held out together."""
    offset: FloatArray | None = None
    """What is added to the scores of each row (rows x outputs), wherever they start."""

    @property
    def n_rows(self) -> int:
        """Number of rows of positive weight."""
        weight = self.weight
        return self.table.n_rows if weight is None else int(np.count_nonzero(weight))

    @property
    def n_rarest(self) -> int | None:
        """Number of rows of the rarest class; None for numbers."""
        if not self.loss.of_classes:
            return None
        counts = np.bincount(self.y.astype(np.int64))
        return int(counts[counts > 0].min())

    @property
    def weight(self) -> FloatArray | None:
        """Weight of each row, of mean 1; None if all are equal."""
        return self.weights.weight

    def take(self, rows: Int64Array) -> BoostingProblem:
        """Return the problem with some of the rows."""
        weights = self.weights.take(rows)
        if weights.weight is not None and np.all(weights.weight == 1.0):
            weights = RowWeights()
        return BoostingProblem(
            table=self.table.take(rows),
            y=self.y[rows],
            weights=weights,
            loss=self.loss,
            start=None if self.start is None else self.start[rows],
            groups=None if self.groups is None else self.groups.take(rows),
            offset=None if self.offset is None else self.offset[rows],
        )

    def draw_hashes(self) -> UInt64Array:
        """Return the hash that each row is drawn by: of its content, or of its whole group."""
        hashes = content_hashes(lend(self.table), core_target(self))
        return hashes if self.groups is None else self.groups.hashes(hashes)

    def by_content(self, rows: Int64Array) -> Int64Array:
        """Return rows in an order that their content gives, weight and offset too.

        What is dealt or drawn in this order does not depend on the order in which rows are given.
        """
        keys: list[Array] = [self.draw_hashes()[rows]]
        if self.weight is not None:
            keys.insert(0, self.weight[rows])
        if self.offset is not None:
            keys = [*self.offset[rows].T, *keys]
        return rows[np.lexsort(keys)]

    @property
    def starts_alike(self) -> bool:
        """Whether all rows start from the same scores."""
        return self.start is None and self.offset is None

    def first_scores(self, base: FloatArray) -> FloatArray:
        """Return the scores of the rows before the first tree, rows x outputs.

        Parameters
        ----------
        base
            The base score of each output.
        """
        scores = np.tile(base, (self.table.n_rows, 1)) if self.start is None else self.start
        return np.ascontiguousarray(scores if self.offset is None else scores + self.offset)

    def counted(self) -> BoostingProblem:
        """Return the problem without the rows of weight 0."""
        if self.weight is None or np.all(self.weight > 0):
            return self
        return self.take(np.flatnonzero(self.weight > 0))


def held_out(
    problem: BoostingProblem, given: object, *, seed: int, of_classes: bool
) -> tuple[Int64Array, Int64Array]:
    """Return training rows and held-out rows of positive weight; of every class the same share.

    Where rows belong to groups, whole groups are held out, by the commonest class of their rows.
    The draw is of content: the same rows are held out in whatever order they are given.

    Parameters
    ----------
    problem
        The rows.
    given
        The share or the number of the rows (or groups) to hold out.
    seed
        Of the draw.
    of_classes
        Whether the target is a class.
    """
    y, weight = problem.y, problem.weight
    counts = np.ones(len(y), dtype=np.bool_) if weight is None else weight > 0
    rows = np.flatnonzero(counts)
    together = None if problem.groups is None else problem.groups.take(rows)
    n_units = len(rows) if together is None else together.n_groups
    if is_whole(given) and given >= 1:
        share = given / n_units
    else:
        check_number("validation_fraction", given, low=0.0, high=1.0, open_low=True, open_high=True)
        share = float(given)  # type: ignore[arg-type]
    generator = np.random.default_rng(seed)
    chosen = np.zeros(len(y), dtype=np.bool_)
    if together is None:
        rows = problem.by_content(rows)
        chosen[_drawn(generator, share, rows, y[rows] if of_classes else None)] = True
    else:
        units, first = np.unique(together.codes, return_index=True)
        units = units[np.argsort(problem.draw_hashes()[rows[first]], kind="stable")]
        kinds = together.commonest(y[rows])[units] if of_classes else None
        chosen[rows] = np.isin(together.codes, _drawn(generator, share, units, kinds))
    if not chosen.any() or chosen.sum() == len(rows):
        raise ParameterError(
            f"validation_fraction={given!r} of {n_units}"
            f" {'rows' if together is None else 'groups'} leaves none to learn from, or none to"
            " validate by."
        )
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)


def _drawn(
    generator: np.random.Generator, share: float, units: IntegerArray, kinds: Array | None
) -> IntegerArray:
    """Return a share of rows or groups, the same of each kind."""
    kinds = np.zeros(len(units)) if kinds is None else kinds
    parts = [units[kinds == kind] for kind in np.unique(kinds)]
    n_drawn = [min(round(share * len(part)), len(part)) for part in parts]
    drawn = [generator.choice(p, n, replace=False) for p, n in zip(parts, n_drawn, strict=True)]
    return np.concatenate(drawn)


def warn_of_many_categories(table: Table) -> None:
    """Warn of each nominal column that has more categories than two-byte codes can tell apart."""
    most = MOST_CATEGORIES
    for index, spec in enumerate(table.schema.columns):
        if spec.kind == "nominal" and len(spec.values) > most:
            n_rows = int(np.count_nonzero(np.asarray(table.columns[index]) >= most))
            warn(
                f"column {spec.name!r} has {len(spec.values):,} categories; boosting tells the"
                f" first {most:,} of them apart, and the others, of {n_rows:,} rows, count as"
                " missing.\n  Hint: join rare categories, or leave the column out with"
                f" Schema(ignore=[{spec.name!r}]).",
                ManyCategoriesWarning,
            )


def core_target(problem: BoostingProblem) -> Target:
    """Lend the targets and weights of the rows to the core."""
    target = Target.values(np.ascontiguousarray(problem.y), 1)
    problem.weights.lend(target)
    return target
