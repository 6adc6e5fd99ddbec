"""Counterfactual: the changes that would give a row another answer, to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from treewright.chart import DotChart
from treewright.counterfactual.changes_chart import changes_chart
from treewright.text.names import on_one_line
from treewright.text.notebook import ShownInNotebooks
from treewright.text.numbers import figure
from treewright.tree.node_text import label_in_words

_WIDTH = 80


@dataclass(frozen=True, kw_only=True)
class Change:
    """One column that would have to change.

    Parameters
    ----------
    column
        Its name.
    before, after
        Its value now, None where missing, and the one that would change the answer.
    before_text, after_text
        Both in words; a decimal number that stands beside a cut is ``just above`` it.
    distance
        What the change counts.
    """

    column: str
    before: object
    after: object
    before_text: str
    after_text: str
    distance: float

    def __str__(self) -> str:
        return f"{on_one_line(self.column)} were {self.after_text} instead of {self.before_text}"


@dataclass(frozen=True, kw_only=True)
class Counterfactual(ShownInNotebooks):
    """The nearest row that gets the wanted answer; ``print`` it, or ``draw`` it.

    Parameters
    ----------
    label
        The answer now.
    wanted
        The answer that was asked for, in words.
    to
        The answer of the changed row.
    changes
        The columns that change, the largest change first; none where the answer is wanted already.
    distance
        The distance of the changed row: the sum of what its changes count.
    is_exact
        Whether it is proved that no row is nearer.
    row
        The changed row by column: ``model.predict([found.row])`` gives ``to``.
    """

    label: object
    wanted: str
    to: object
    changes: tuple[Change, ...]
    distance: float
    is_exact: bool
    row: Mapping[str, object]

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Return one sentence, in lines of 80 characters."""
        answer = _in_words(self.to)
        is_number = isinstance(self.to, float)
        asked = f" ({self.wanted} is wanted)" if is_number else ""
        if not self.changes:
            return fill(f"It is {answer} already{asked}: nothing needs to change.", _WIDTH)
        told = [str(each) for each in self.changes]
        listed = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
        lines = [
            fill(
                f"It would be {answer}{asked} if {listed} (and nothing else changed).",
                _WIDTH,
                break_on_hyphens=False,
            )
        ]
        if not self.is_exact:
            lines.append("The nearest row that was found; a nearer one is not ruled out.")
        return "\n".join(lines)

    def draw(self) -> DotChart:
        """Return a chart of what each change counts: ``draw().save("changes.svg")``.

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> tree = ID3Classifier().fit(play.X, play.y).tree_
        >>> row = {"Outlook": "Rain", "Humidity": "High", "Wind": "Strong"}
        >>> tree.counterfactual(row, to="Yes").draw().title
        "1 change would make it 'Yes'"
        """
        told = [
            (f"{each.column}: {each.before_text} → {each.after_text}", each.distance)
            for each in self.changes
        ]
        return changes_chart(told, answer=_in_words(self.to), is_exact=self.is_exact)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON but for dates.

        Examples
        --------
        >>> from treewright import ID3Classifier, load_example
        >>> play = load_example("play_tennis")
        >>> tree = ID3Classifier().fit(play.X, play.y).tree_
        >>> row = {"Outlook": "Rain", "Humidity": "High", "Wind": "Strong"}
        >>> found = tree.counterfactual(row, to="Yes", fixed=["Outlook"])
        >>> found.to_dict()["changes"]
        [{'column': 'Wind', 'before': 'Strong', 'after': 'Weak', 'distance': 1.0}]
        """
        return {
            "label": self.label,
            "to": self.to,
            "distance": self.distance,
            "is_exact": self.is_exact,
            "changes": [
                {
                    "column": each.column,
                    "before": each.before,
                    "after": each.after,
                    "distance": each.distance,
                }
                for each in self.changes
            ],
            "row": dict(self.row),
        }


def _in_words(label: object) -> str:
    if isinstance(label, float):
        return figure(label)
    return repr(label) if isinstance(label, str) else label_in_words(label)
