"""The rounds of gradient boosting, and the choice of their number, as printed tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from treewright.ensemble.rounds import MAX_LINES, number_column, rounds_text
from treewright.text.notebook import ShownInNotebooks
from treewright.text.table import TextColumn, lay_out

if TYPE_CHECKING:
    from treewright.chart import Chart


@dataclass(frozen=True, kw_only=True)
class GradientRound:
    """One round of gradient boosting; losses and scores that were not asked for are NaN.

    Attributes
    ----------
    number
        The round, from 1.
    n_leaves
        Leaves of its trees.
    train_loss, validation_loss
        Mean loss after the trees were added.
    train_score, validation_score
        Value of the scorer (``scoring``); more is better.
    seconds
        Time that the round took; NaN in a model from a file, which holds no times: the same fit
        makes the same file.
    """

    number: int
    n_leaves: int
    train_loss: float = math.nan
    validation_loss: float = math.nan
    train_score: float = math.nan
    validation_score: float = math.nan
    seconds: float = field(metadata={"kept": False})


@dataclass(frozen=True, kw_only=True)
class PlainRounds:
    """Rounds without losses and scores, each made when it is asked for: there are many.

    Parameters
    ----------
    first
        The number of the first.
    n_leaves, seconds
        Of each round.
    """

    first: int
    n_leaves: list[int]
    seconds: list[float]

    def __len__(self) -> int:
        return len(self.n_leaves)

    def __getitem__(self, index: int) -> GradientRound:
        number = self.first + index % len(self)
        return GradientRound(
            number=number, n_leaves=self.n_leaves[index], seconds=self.seconds[index]
        )

    def __iter__(self) -> Iterator[GradientRound]:
        return map(self.__getitem__, range(len(self)))


class GradientRounds(ShownInNotebooks):
    """The rounds of gradient boosting: a sequence, and a table when printed.

    Examples
    --------
    >>> figures = {"n_leaves": 4, "seconds": 0.2}
    >>> rounds = [GradientRound(number=n, validation_loss=1 / n, **figures) for n in (1, 2)]
    >>> print(GradientRounds(rounds))
    round  leaves  validation loss  seconds
        1       4         1.000000    0.200
        2       4         0.500000    0.200
    """

    def __init__(self, rounds: Iterable[GradientRound]) -> None:
        self._parts: Sequence[PlainRounds | Sequence[GradientRound]] = (tuple(rounds),)

    @classmethod
    def joined(cls, parts: Sequence[PlainRounds | Sequence[GradientRound]]) -> GradientRounds:
        """Return the rounds of several parts as one sequence."""
        made = cls(())
        made._parts = parts
        return made

    @cached_property
    def _rounds(self) -> tuple[GradientRound, ...]:
        return tuple(chain.from_iterable(self._parts))

    def __getstate__(self) -> dict[str, Any]:
        return {"_rounds": self._rounds}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._parts = (state["_rounds"],)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @property
    def n_leaves(self) -> int:
        """Leaves of the trees of all rounds."""
        return sum(
            sum(part.n_leaves if isinstance(part, PlainRounds) else (r.n_leaves for r in part))
            for part in self._parts
        )

    def __getitem__(self, index: int) -> GradientRound:
        return self._rounds[index]

    def __iter__(self) -> Iterator[GradientRound]:
        return iter(self._rounds)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict per round; ``pandas.DataFrame(rounds.to_dicts())`` is a frame."""
        return [asdict(each) for each in self]

    def draw(self) -> Chart:
        """Return a picture: the loss of training and of held-out rows after each round."""
        from treewright.boosting.rounds_chart import rounds_chart

        return rounds_chart(self)

    def text(self, *, max_rounds: int | None = None) -> str:
        """Return the table; with `max_rounds` only so many rounds, the first and the last."""
        return rounds_text(self._rounds, self._columns, max_rounds=max_rounds)

    @staticmethod
    def _columns(shown: Sequence[GradientRound]) -> list[TextColumn]:
        return [
            TextColumn("round", [str(each.number) for each in shown], right=True),
            TextColumn("leaves", [str(each.n_leaves) for each in shown], right=True),
            number_column("training loss", [each.train_loss for each in shown], decimals=6),
            number_column("validation loss", [each.validation_loss for each in shown], decimals=6),
            number_column("training score", [each.train_score for each in shown], decimals=6),
            number_column(
                "validation score", [each.validation_score for each in shown], decimals=6
            ),
            number_column("seconds", [each.seconds for each in shown], decimals=3),
        ]

    def __str__(self) -> str:
        return self.text(max_rounds=MAX_LINES)

    def __repr__(self) -> str:
        return f"GradientRounds(n_rounds={len(self)})"


@dataclass(frozen=True, kw_only=True)
class TriedShape:
    """A depth and row share that were tried when rounds were chosen, and their result.

    Attributes
    ----------
    max_depth
        The limit on the depth of trees; None is no limit.
    subsample
        The share of the rows that a round draws.
    learning_rate, n_rounds
        The rate and the number of rounds of a model of least loss; they may have been chosen by
        fewer rounds of a larger rate.
    loss
        The least loss of held-out rows.
    """

    max_depth: int | None
    subsample: float
    learning_rate: float
    n_rounds: int
    loss: float


class RoundsChoice(ShownInNotebooks):
    """The choice of rounds and depth: the shapes tried; printed, a table.

    Examples
    --------
    >>> deep = TriedShape(
    ...     max_depth=None, subsample=1.0, learning_rate=0.05, n_rounds=64, loss=0.4512)
    >>> shallow = TriedShape(
    ...     max_depth=3, subsample=0.7, learning_rate=0.05, n_rounds=118, loss=0.4401)
    >>> choice = RoundsChoice([deep, shallow])
    >>> choice.best.n_rounds
    118
    >>> print(choice)
    max_depth  subsample  rate  rounds  held-out loss
    none               1  0.05      64       0.451200
    3                0.7  0.05     118       0.440100  chosen
    """

    def __init__(self, tried: Iterable[TriedShape]) -> None:
        self.tried = tuple(tried)

    @property
    def best(self) -> TriedShape:
        """The shape of least loss; the first of equal ones."""
        return min(self.tried, key=lambda each: each.loss)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict per shape."""
        return [asdict(each) for each in self.tried]

    def __str__(self) -> str:
        tried, best = self.tried, self.best
        columns = [
            TextColumn("max_depth", [str(each.max_depth or "none") for each in tried]),
            TextColumn("subsample", [f"{each.subsample:g}" for each in tried], right=True),
            TextColumn("rate", [f"{each.learning_rate:.3g}" for each in tried], right=True),
            TextColumn("rounds", [str(each.n_rounds) for each in tried], right=True),
            number_column("held-out loss", [each.loss for each in tried], decimals=6),
            TextColumn("", ["chosen" if each is best else "" for each in tried]),
        ]
        return "\n".join(line.rstrip() for line in lay_out(columns).split("\n"))

    def __repr__(self) -> str:
        best = self.best
        return (
            f"RoundsChoice(max_depth={best.max_depth}, subsample={best.subsample:g},"
            f" n_rounds={best.n_rounds})"
        )
