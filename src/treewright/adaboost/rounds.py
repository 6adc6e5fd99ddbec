"""The rounds of AdaBoost as a printed table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from treewright.ensemble.rounds import MAX_LINES, number_column, rounds_text
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figure
from treewright.text.table import TextColumn

if TYPE_CHECKING:
    from treewright.chart import Chart
    from treewright.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class Round:
    """One round.

    Attributes
    ----------
    number
        The round, from 1.
    learner
        The learner in words: the question of a stump, the size of a tree.
    error
        Weight of the rows that the learner misclassifies, as a share; for AdaBoost.R2 the mean
        loss.
    alpha
        Its vote weight: ``learning_rate x log((1 - error) / error)``, for SAMME plus
        ``log(classes - 1)``. Texts that number the classes -1 and 1 have half of it.
    sum_of_weights
        What is left of the weights, which add up to 1, when those of correctly classified rows are
        multiplied by ``exp(-alpha)`` (AdaBoost.R2: by ``beta^(1 - loss)``); they are divided by it.
    bound
        Upper bound of the training error so far, the product of ``2 sqrt(error (1 - error))``
        (Freund and Schapire 1997, theorem 6); for two classes without shrinkage, else NaN.
    training_error
        Share of the initial weight that the learners so far together misclassify; NaN for
        regression.
    """

    number: int
    learner: str
    error: float
    alpha: float
    sum_of_weights: float
    bound: float
    training_error: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by name; None for those that do not apply."""
        return {name: None if value != value else value for name, value in asdict(self).items()}


class Rounds(ShownInNotebooks):
    """The rounds of boosting: a sequence of ``Round``, and a table when printed.

    Parameters
    ----------
    figures
        The numbers of each round; the learner's description is made when it is asked for.
    learner_of
        Returns the description of the learner of a round (counted from 0).
    stopped
        Why there was no further round.

    Examples
    --------
    >>> from treewright import AdaBoostClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["+", "+", "-", "-", "+", "-"]
    >>> boosted = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> print(boosted.rounds_)
    round  learner                error   alpha     sum   bound  training error
        1  x0 <= 2.5: +, else -  0.1667  1.6094  0.3333  0.7454          0.1667
        2  x0 <= 5.5: +, else -  0.2000  1.3863  0.4000  0.5963          0.1667
        3  x0 <= 4.5: -, else +  0.1875  1.4663  0.3750  0.4655          0.0000
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
        """Return one dict per round; ``pandas.DataFrame(rounds.to_dicts())`` is a frame."""
        return [each.to_dict() for each in self]

    def text(self, *, max_rounds: int | None = None) -> str:
        """Return the table, and why boosting stopped.

        Parameters
        ----------
        max_rounds
            Show so many rounds, the first and the last of them; None shows all.
        """
        return rounds_text(list(self), self._columns, max_rounds=max_rounds, end=self.stopped)

    def draw(self) -> Chart:
        """Return a picture: the training error of the votes so far, beside that of each learner."""
        from treewright.adaboost.rounds_chart import rounds_chart

        return rounds_chart(self)

    @staticmethod
    def _columns(shown: Sequence[Round]) -> list[TextColumn]:
        return [
            TextColumn("round", [str(each.number) for each in shown], right=True),
            TextColumn("learner", [each.learner for each in shown]),
            number_column("error", [each.error for each in shown]),
            number_column("alpha", [each.alpha for each in shown]),
            number_column("sum", [each.sum_of_weights for each in shown]),
            number_column("bound", [each.bound for each in shown]),
            number_column("training error", [each.training_error for each in shown]),
        ]

    def __str__(self) -> str:
        return self.text(max_rounds=MAX_LINES)

    def __repr__(self) -> str:
        return f"Rounds(n_rounds={len(self)}, stopped={self.stopped!r})"


@dataclass(frozen=True, kw_only=True)
class RoundFigures:
    """The numbers of a round; `bound` is its factor of the bound on the training error."""

    error: float
    alpha: float
    sum_of_weights: float
    bound: float
    training_error: float


def learner_in_words(tree: Tree) -> str:
    """Return a tree in words: the question of a stump and its predictions, or the tree's size."""
    question = tree.question(0)
    if question is None:
        return f"always {_label(tree, 0)}"
    if tree.depth > 1 or question.n_branches > 2:
        return f"tree of {tree.n_leaves} leaves"
    return f"{question.text(0)}: {_label(tree, 1)}, else {_label(tree, 2)}"


def _label(tree: Tree, node: int) -> str:
    label = tree.label(node)
    return figure(label) if isinstance(label, float) and tree.classes is None else str(label)
