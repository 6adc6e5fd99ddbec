"""Consultation: a tree asks for one value at a time, cheapest first, until it can predict.

A column is asked about only when an open node needs it. Where a value is unknown, the row is
routed as in prediction: surrogates are asked for, then the row follows the branch for missing
values or is divided, and several nodes are open. Then the cheapest of their columns comes first;
among equally cheap ones the one that a larger share of the row waits for. The consultation ends
when every leaf that can still be reached gives the same prediction.

Examples
--------
>>> from treewright import ID3Classifier, load_example
>>> play = load_example("play_tennis")
>>> tree = ID3Classifier().fit(play.X, play.y).tree_
>>> consultation = tree.consult()
>>> consultation.question.column, consultation.question.choices
('Outlook', ('Sunny', 'Overcast', 'Rain'))
>>> consultation.answer("Rain")
>>> print(consultation.question)
Wind: Weak or Strong?  (to tell Wind = Weak from Wind = Strong)
>>> consultation.answer("Weak")
>>> consultation.is_settled, consultation.label
(True, 'Yes')
>>> print(consultation)
Yes  (Yes 100.0 %), settled at a cost of 2.
<BLANKLINE>
asked    answer  cost
Outlook  Rain       1
Wind     Weak       1
<BLANKLINE>
Not needed: Temperature, Humidity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from treewright.consult.reachable import AnswersBelow, OpenNode, PartialRow
from treewright.data.objects import is_missing
from treewright.data.read.rows import read_row
from treewright.errors import (
    ColumnMismatchError,
    DataError,
    TreewrightError,
    UnsupportedError,
)
from treewright.parameters import check_mapping, check_number, is_number, nearest_hint
from treewright.text.names import list_names, on_one_line
from treewright.text.numbers import figure, figures, percent
from treewright.text.table import TextColumn, lay_out
from treewright.tree.condition import SHORT
from treewright.tree.leaf import by_output
from treewright.tree.node_text import answer_in_words, label_in_words

if TYPE_CHECKING:
    from treewright.array_types import FloatArray, Probabilities
    from treewright.data.fitted_schema import ColumnSpec
    from treewright.data.table import Table
    from treewright.tree.tree import Tree

_EXPECTED = {
    "float": "a number",
    "int": "a whole number",
    "uint": "a whole number",
    "datetime": "a date",
    "duration": "a duration",
}
_MOST_NAMED = 12
_MOST_BRANCHES = 4


@dataclass(frozen=True, kw_only=True)
class Enquiry:
    """The next question to a person; ``print`` it.

    Parameters
    ----------
    column
        The column.
    choices
        Texts of its values; empty where a number, date or duration is asked for.
    expects
        Description of valid replies: ``"Weak or Strong"``, ``"a number"``.
    why
        What the reply decides.
    cost
        Cost of measuring the column.
    share
        The share of the row that waits for it; 1 unless the row was divided on its path.
    spec
        The column's description.
    """

    column: str
    choices: tuple[str, ...]
    expects: str
    why: str
    cost: float
    share: float
    spec: ColumnSpec = field(repr=False)

    def __str__(self) -> str:
        price = "" if self.cost == 1 else f", cost {figure(self.cost)}"
        return f"{SHORT.name(self.spec)}: {self.expects}?  ({self.why}{price})"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One reply of a person.

    Parameters
    ----------
    column, value
        The column, and its value as it was given; None for unknown.
    cost
        Its cost; an unknown value costs nothing.
    """

    column: str
    value: Any
    cost: float

    @property
    def words(self) -> str:
        """Text of the value; decimals with six figures."""
        if self.value is None:
            return "unknown"
        return (
            f"{self.value:.6g}" if isinstance(self.value, float) else on_one_line(str(self.value))
        )


class Consultation:
    """A tree that asks for values one at a time until its prediction is settled.

    Made by :meth:`treewright.Tree.consult`.

    Parameters
    ----------
    tree
        The tree.
    known
        Values known beforehand, by column; None for one that is known to be missing.
    costs
        Cost of measuring each column; by default as declared in the schema. Derived columns have
        none: the columns they are derived from are asked for.
    tolerance
        Numbers this close count as one prediction.
    """

    def __init__(
        self,
        tree: Tree,
        *,
        known: Mapping[str, object] | None = None,
        costs: Mapping[str, float] | None = None,
        tolerance: float = 0.0,
    ) -> None:
        _check_tolerance(tree, tolerance)
        self.tree = tree
        self._tolerance = float(tolerance)
        self._spec_of_name = {spec.name: spec for spec in tree.schema.sources}
        self._cost_of_name = {name: spec.cost for name, spec in self._spec_of_name.items()}
        if costs is not None:
            check_mapping("costs", costs, of="column to price")
            for name, cost in costs.items():
                self._check_name(name)
                check_number(f"costs[{name!r}]", cost, low=0.0)
                self._cost_of_name[name] = float(cost)
        self._known: dict[str, object] = {}
        if known is not None:
            check_mapping("known", known, of="column to value")
            for name in known:
                self._check_name(name)
                self._check_type(name, known[name])
            self._known = dict(known)
        self._replies: list[Reply] = []
        self._table = self._read({})

    # The dialogue

    @property
    def question(self) -> Enquiry | None:
        """The next question; None once the prediction is settled."""
        return self._state.enquiry

    def answer(self, value: object) -> None:
        """Reply to the question; None (or NaN) means that the value is unknown.

        Raises
        ------
        DataError
            Where the column cannot have such a value; the question stays open.
        TreewrightError
            Where the prediction is settled.
        """
        asked = self.question
        if asked is None:
            raise TreewrightError(
                "The answer is settled; nothing is asked any more.\n"
                "  Hint: undo() takes the last answer back."
            )
        self._check_type(asked.column, value)
        table = self._read({asked.column: value})
        if is_missing(value):
            reply = Reply(column=asked.column, value=None, cost=0.0)
        else:
            reply = Reply(column=asked.column, value=value, cost=asked.cost)
        self._replies.append(reply)
        self._change(table)

    def _check_type(self, column: str, value: object) -> None:
        """Refuse a number for a column of text; in a table it would be a category not known."""
        schema = self.tree.schema
        if column not in schema.names or not is_number(value) or is_missing(value):
            return
        spec = schema.columns[schema.index(column)]
        if spec.storage == "value" and spec.values and not len(spec.code_of_number):
            raise DataError(
                f"column {column!r} was fitted on text, and {value!r} is a number.\n"
                f"  Hint: one of {list_names(map(repr, spec.values))}."
            )

    def undo(self) -> None:
        """Undo the last reply."""
        if not self._replies:
            raise TreewrightError("No question has been answered; there is nothing to take back.")
        self._replies.pop()
        self._change(self._read({}))

    # The state

    @property
    def is_settled(self) -> bool:
        """Whether no value that is still open could change the label (or number)."""
        return self._state.is_settled

    @property
    def label(self) -> Any:
        """Predicted class or number from what is known so far; final once settled."""
        return self.tree.label_of(self._answer)

    @property
    def probabilities(self) -> Probabilities:
        """Class probabilities from what is known so far, all else missing.

        A list of arrays where the tree has several outputs.
        """
        if self.tree.classes is None:
            raise UnsupportedError("This tree predicts numbers and has no class probabilities.")
        parts = [part[0] for part in by_output(self._answer[None], self.tree.classes)]
        return parts[0] if len(parts) == 1 else parts

    @property
    def asked(self) -> tuple[Reply, ...]:
        """Replies, in order."""
        return tuple(self._replies)

    @property
    def known(self) -> dict[str, object]:
        """Values known: those given beforehand, then replies; None for unknown."""
        return {**self._known, **{reply.column: reply.value for reply in self._replies}}

    @property
    def cost_so_far(self) -> float:
        """Total cost of the values asked for; unknown ones and those given beforehand are free."""
        return sum(reply.cost for reply in self._replies)

    def __repr__(self) -> str:
        state = "settled" if self.is_settled else "open"
        return f"<Consultation: {len(self._replies)} answers, {state}>"

    def __str__(self) -> str:
        return self.text()

    def text(self, *, ascii: bool = False) -> str:
        """Return the text of the prediction and the replies."""
        label = self.tree.label_of(self._answer)
        answer = answer_in_words(label, self._answer, self.tree.classes)
        cost = figure(self.cost_so_far)
        if self.is_settled:
            parts = [f"{answer}, settled at a cost of {cost}."]
        else:
            parts = [f"So far {answer}, not settled; cost until now {cost}."]
        if self._known:
            values = (f"{name} = {value}" for name, value in self._known.items())
            parts.append(f"Known: {', '.join(map(on_one_line, values))}.")
        if self._replies:
            parts.append(
                lay_out(
                    [
                        TextColumn("asked", [on_one_line(reply.column) for reply in self._replies]),
                        TextColumn("answer", [reply.words for reply in self._replies]),
                        TextColumn(
                            "cost", figures(reply.cost for reply in self._replies), right=True
                        ),
                    ]
                )
            )
        left = [name for name in self._spec_of_name if name not in self.known]
        if self.is_settled and left:
            parts.append(f"Not needed: {list_names(left, most=_MOST_NAMED)}.")
        text = "\n\n".join(parts)
        return text.replace("…", "...") if ascii else text

    # Implementation

    @cached_property
    def _answers_below(self) -> AnswersBelow:
        return AnswersBelow(self.tree)

    @cached_property
    def _answer(self) -> FloatArray:
        answer: FloatArray = self.tree.plan.answers(self._table)[0]
        return answer

    @cached_property
    def _state(self) -> _State:
        row = PartialRow(self.tree, self._table, self.known.keys())
        open_nodes = row.open_nodes()
        if not open_nodes or row.is_settled(self._answers_below, tolerance=self._tolerance):
            return _State(is_settled=True, enquiry=None)
        return _State(is_settled=False, enquiry=self._next(open_nodes))

    def _next(self, open_nodes: list[OpenNode]) -> Enquiry:
        """Return the question about the cheapest column; of equals, that of the largest share."""
        waiting: dict[str, float] = {}
        for each in open_nodes:
            for name in each.needs:
                waiting[name] = waiting.get(name, 0.0) + each.share
        place = {name: i for i, name in enumerate(self._spec_of_name)}
        cost = self._cost_of_name
        name = min(waiting, key=lambda each: (cost[each], -waiting[each], place[each]))
        at = max((each for each in open_nodes if name in each.needs), key=lambda each: each.share)
        spec = self._spec_of_name[name]
        choices = tuple(SHORT.value(spec, value) for value in spec.values)
        return Enquiry(
            column=name,
            choices=choices,
            expects=_EXPECTED.get(spec.storage) or _one_of(choices),
            why=self._why(at),
            cost=cost[name],
            share=waiting[name],
            spec=spec,
        )

    def _why(self, at: OpenNode) -> str:
        words = self._purpose(at)
        return words if at.share == 1.0 else f"{words}, for {percent(at.share)} of the row"

    def _purpose(self, at: OpenNode) -> str:
        question, own = at.question, self.tree.question(at.node)
        if question is None or own is None:
            return f"to work out {label_in_words(self.tree.label(at.node))}"
        branches = [question.text(branch) for branch in range(question.n_branches)]
        if len(branches) == 2:
            words = f"to tell {branches[0]} from {branches[1]}"
        elif len(branches) <= _MOST_BRANCHES:
            words = f"to choose among {', '.join(branches[:-1])} and {branches[-1]}"
        else:
            words = f"to choose one of {len(branches)} branches"
        return words if own == question else f"{words}, in place of {SHORT.name(own.column)}"

    def _read(self, more: Mapping[str, object]) -> Table:
        """Return the row as a table, with more values; open values are missing in it."""
        schema = self.tree.schema
        row = {**dict.fromkeys(schema.input_names), **self.known, **more}
        return read_row(row, schema, unseen=self.tree.unseen)

    def _change(self, table: Table) -> None:
        self._table = table
        for name in ("_answer", "_state"):
            self.__dict__.pop(name, None)

    def _check_name(self, name: object) -> None:
        if name not in self._spec_of_name:
            names = list(self._spec_of_name)
            raise ColumnMismatchError(
                f"there is no column {name!r} to ask for.\n"
                f"  Columns: {list_names(names)}{nearest_hint(name, names)}"
            )


@dataclass(frozen=True, kw_only=True)
class _State:
    """Results that follow from the values known."""

    is_settled: bool
    enquiry: Enquiry | None


def _check_tolerance(tree: Tree, tolerance: float) -> None:
    check_number("tolerance", tolerance, low=0.0)
    if tolerance and tree.classes is not None:
        raise UnsupportedError(
            f"tolerance={tolerance!r} is for trees that predict numbers; this one predicts classes."
        )


def _one_of(choices: tuple[str, ...]) -> str:
    if len(choices) > _MOST_NAMED:
        return f"one of {len(choices)} values such as {', '.join(choices[:3])}"
    return " or ".join(filter(None, [", ".join(choices[:-1]), choices[-1]]))
