"""What happened in each round of boosting, as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from treewright.text.numbers import figure
from treewright.text.table import TextColumn, lay_out

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

_Any = TypeVar("_Any")
_MAX_LINES = 60
"""Rounds that print() shows: a screen or two."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """One round.

    Attributes
    ----------
    number
        The round, from 1.
    learner
        What was learned, in words: the question of a stump, the size of a tree.
    error
        Weight of the rows that the learner has wrong, as a share; for AdaBoost.R2 the mean loss.
    alpha
        What its vote counts: ``learning_rate x log((1 - error) / error)``, for SAMME plus
        ``log(classes - 1)``. Texts that number the classes -1 and 1 have half of it.
    sum_of_weights
        What is left of the weights, which add up to 1, when those of the rows it has right are
        multiplied by ``exp(-alpha)`` (AdaBoost.R2: by ``beta^(1 - loss)``); they are divided by it.
    bound
        Upper bound of the training error so far, the product of ``2 sqrt(error (1 - error))``
        (Freund and Schapire 1997, theorem 6); for two classes without shrinkage, else NaN.
    training_error
        Share of the initial weight that the learners so far have wrong together; NaN for numbers.
    """

    number: int
    learner: str
    error: float
    alpha: float
    sum_of_weights: float
    bound: float
    training_error: float

    def to_dict(self) -> dict[str, Any]:
        """Give the figures by name; None for those that do not apply."""
        return {name: None if value != value else value for name, value in asdict(self).items()}


class Rounds:
    """The rounds of boosting: a sequence of :class:`Round`, and a table when printed.

    Parameters
    ----------
    figures
        The rounds but for what was learned, as it takes words to say that.
    learner_of
        Says what was learned in a round (counted from 0).
    stopped
        Why there was no further round.

    Examples
    --------
    >>> from treewright import AdaBoostClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["+", "+", "-", "-", "+", "-"]
    >>> boosted = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> print(boosted.rounds_)
    round  learner              error   alpha     sum   bound  training error
        1  x0 <= 2: +, else -  0.1667  1.6094  0.3333  0.7454          0.1667
        2  x0 <= 5: +, else -  0.2000  1.3863  0.4000  0.5963          0.1667
        3  x0 <= 4: -, else +  0.1875  1.4663  0.3750  0.4655          0.0000
    n_estimators=3 rounds were made
    """

    def __init__(
        self,
        figures: tuple[RoundFigures, ...],
        *,
        learner_of: Callable[[int], str],
        stopped: str,
    ) -> None:
        self._figures = figures
        self._learner_of = learner_of
        self.stopped = stopped

    def __len__(self) -> int:
        return len(self._figures)

    def __getitem__(self, index: int) -> Round:
        at = range(len(self))[index]
        bound = math.prod(figures.bound for figures in self._figures[: at + 1])
        return self._round(at, bound)

    def __iter__(self) -> Iterator[Round]:
        bound = 1.0
        for at, figures in enumerate(self._figures):
            bound *= figures.bound
            yield self._round(at, bound)

    def _round(self, at: int, bound: float) -> Round:
        figures = self._figures[at]
        return Round(
            number=at + 1,
            learner=self._learner_of(at),
            error=figures.error,
            alpha=figures.alpha,
            sum_of_weights=figures.sum_of_weights,
            bound=bound,
            training_error=figures.training_error,
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Give one dict a round; ``pandas.DataFrame(rounds.to_dicts())`` is a frame."""
        return [each.to_dict() for each in self]

    def text(self, *, max_rounds: int | None = None) -> str:
        """Give the table, and why boosting stopped.

        Parameters
        ----------
        max_rounds
            Show so many, the first and the last of them; None shows all.
        """
        return _text(list(self), self._columns, max_rounds=max_rounds, end=self.stopped)

    @staticmethod
    def _columns(shown: Sequence[Round]) -> list[TextColumn]:
        return [
            TextColumn("round", [str(each.number) for each in shown], right=True),
            TextColumn("learner", [each.learner for each in shown]),
            _column("error", [each.error for each in shown]),
            _column("alpha", [each.alpha for each in shown]),
            _column("sum", [each.sum_of_weights for each in shown]),
            _column("bound", [each.bound for each in shown]),
            _column("training error", [each.training_error for each in shown]),
        ]

    def __str__(self) -> str:
        return self.text(max_rounds=_MAX_LINES)

    def __repr__(self) -> str:
        return f"Rounds(n_rounds={len(self)}, stopped={self.stopped!r})"


@dataclass(frozen=True, kw_only=True)
class RoundFigures:
    """The numbers of a round; `bound` is what it multiplies the bound of the rounds before by."""

    error: float
    alpha: float
    sum_of_weights: float
    bound: float
    training_error: float


@dataclass(frozen=True, kw_only=True)
class GradientRound:
    """One round of gradient boosting; losses and scores are NaN where nobody asked for them.

    Attributes
    ----------
    number
        The round, from 1.
    n_leaves
        Leaves of its trees.
    train_loss, validation_loss
        Mean loss once the trees were added.
    train_score, validation_score
        What a scorer says (``scoring``); more is better.
    seconds
        What the round took.
    """

    number: int
    n_leaves: int
    train_loss: float = math.nan
    validation_loss: float = math.nan
    train_score: float = math.nan
    validation_score: float = math.nan
    seconds: float


class GradientRounds:
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
        self._rounds = tuple(rounds)

    def __len__(self) -> int:
        return len(self._rounds)

    def __getitem__(self, index: int) -> GradientRound:
        return self._rounds[index]

    def __iter__(self) -> Iterator[GradientRound]:
        return iter(self._rounds)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Give one dict a round; ``pandas.DataFrame(rounds.to_dicts())`` is a frame."""
        return [asdict(each) for each in self]

    def text(self, *, max_rounds: int | None = None) -> str:
        """Give the table; with `max_rounds` the first and the last of so many."""
        return _text(self._rounds, self._columns, max_rounds=max_rounds)

    @staticmethod
    def _columns(shown: Sequence[GradientRound]) -> list[TextColumn]:
        return [
            TextColumn("round", [str(each.number) for each in shown], right=True),
            TextColumn("leaves", [str(each.n_leaves) for each in shown], right=True),
            _column("training loss", [each.train_loss for each in shown], decimals=6),
            _column("validation loss", [each.validation_loss for each in shown], decimals=6),
            _column("training score", [each.train_score for each in shown], decimals=6),
            _column("validation score", [each.validation_score for each in shown], decimals=6),
            _column("seconds", [each.seconds for each in shown], decimals=3),
        ]

    def __str__(self) -> str:
        return self.text(max_rounds=_MAX_LINES)

    def __repr__(self) -> str:
        return f"GradientRounds(n_rounds={len(self)})"


@dataclass(frozen=True, kw_only=True)
class TriedShape:
    """What came of a shape of trees when rounds were chosen.

    Attributes
    ----------
    max_depth
        The limit on the depth of trees; None is none.
    subsample
        The share of the rows that a round sees.
    n_rounds
        The rounds after which the loss is least.
    loss
        That loss, of rows left out.
    """

    max_depth: int | None
    subsample: float
    n_rounds: int
    loss: float


class RoundsChoice:
    """What rounds and trees were chosen from: the shapes tried, and a table when printed.

    Examples
    --------
    >>> choice = RoundsChoice(
    ...     [TriedShape(max_depth=None, subsample=1.0, n_rounds=64, loss=0.4512),
    ...      TriedShape(max_depth=3, subsample=0.7, n_rounds=118, loss=0.4401)])
    >>> choice.best.n_rounds
    118
    >>> print(choice)
    max_depth  subsample  rounds  loss of rows left out
    none               1      64               0.451200
    3                0.7     118               0.440100  chosen
    """

    def __init__(self, tried: Iterable[TriedShape]) -> None:
        self.tried = tuple(tried)

    @property
    def best(self) -> TriedShape:
        """The shape of least loss, the first of those alike."""
        return min(self.tried, key=lambda each: each.loss)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Give one dict a shape."""
        return [asdict(each) for each in self.tried]

    def __str__(self) -> str:
        tried, best = self.tried, self.best
        columns = [
            TextColumn("max_depth", [str(each.max_depth or "none") for each in tried]),
            TextColumn("subsample", [f"{each.subsample:g}" for each in tried], right=True),
            TextColumn("rounds", [str(each.n_rounds) for each in tried], right=True),
            _column("loss of rows left out", [each.loss for each in tried], decimals=6),
            TextColumn("", ["chosen" if each is best else "" for each in tried]),
        ]
        return "\n".join(line.rstrip() for line in lay_out(columns).split("\n"))

    def __repr__(self) -> str:
        best = self.best
        return (
            f"RoundsChoice(max_depth={best.max_depth}, subsample={best.subsample:g},"
            f" n_rounds={best.n_rounds})"
        )


def _text(
    rounds: Sequence[_Any],
    columns_of: Callable[[Sequence[_Any]], list[TextColumn]],
    *,
    max_rounds: int | None,
    end: str | None = None,
) -> str:
    """Lay rounds out, the first and the last of them if there are more than are to be shown."""
    shown = list(rounds)
    left_out = 0
    if max_rounds is not None and len(shown) > max_rounds:
        left_out = len(shown) - max_rounds
        n_last = max_rounds // 2
        shown = shown[: max_rounds - n_last] + (shown[-n_last:] if n_last else [])
    lines = lay_out([column for column in columns_of(shown) if any(column.cells)]).split("\n")
    if left_out:
        n_first = len(shown) - max_rounds // 2 if max_rounds else 0
        lines.insert(1 + n_first, f"  ...  {left_out:,} rounds more")
    return "\n".join(lines if end is None else [*lines, end])


def learner_in_words(tree: Tree) -> str:
    """Say what a tree has learned: the question of a stump and its answers, or its size."""
    question = tree.question(0)
    if question is None:
        return f"always {_label(tree, 0)}"
    if tree.depth > 1 or question.n_branches > 2:
        return f"tree of {tree.n_leaves} leaves"
    return f"{question.text(0)}: {_label(tree, 1)}, else {_label(tree, 2)}"


def _label(tree: Tree, node: int) -> str:
    label = tree.label(node)
    return figure(label) if isinstance(label, float) and tree.classes is None else str(label)


def _column(header: str, numbers: list[float], *, decimals: int = 4) -> TextColumn:
    cells = ["" if number != number else f"{number:.{decimals}f}" for number in numbers]
    return TextColumn(header, cells, right=True)
