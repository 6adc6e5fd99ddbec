"""From a model and a row to the nearest row that gets the wanted answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from treewright.array_types import Array, FloatArray
from treewright.counterfactual.axes import Axis, NumberAxis
from treewright.counterfactual.changed_rows import (
    Moves,
    as_values,
    changed,
    is_unseen_code,
    python_value,
)
from treewright.counterfactual.counterfactual import Change, Counterfactual
from treewright.counterfactual.cuts import (
    cuts_of_rules,
    cuts_of_trees,
    refuse_loose_sums,
    sums_of_rules,
    sums_of_trees,
    with_steps,
)
from treewright.counterfactual.regions import Regions
from treewright.counterfactual.search import Decided, Search
from treewright.counterfactual.setting import Cuts, Limits, axes_of
from treewright.counterfactual.wanted import Wanted, wanted
from treewright.data.read.rows import read_rows
from treewright.data.table import Table
from treewright.errors import NoSuchRowError
from treewright.text.names import list_names
from treewright.tree.condition import SHORT, Conjunction
from treewright.tree.question import Stored
from treewright.tree.tree import Tree

_REGIONS_AT_ONCE = 64
_REGIONS_PER_TREE = 20
"""Regions of each tree of an ensemble that are starts of the search."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """What a user asks of a model: about which row, for which answer, within which limits.

    Parameters
    ----------
    row
        The row, as a table.
    given, to, fixed, costs
        The row and the rest as given to ``counterfactual``.
    reference
        Rows that say how the columns spread; None where there are none.
    decided
        The prediction that counts; that of an estimator may differ from that of its trees.
    """

    row: Table
    given: object
    to: object
    fixed: object
    costs: object
    reference: Table | None
    decided: Decided


@dataclass(frozen=True, kw_only=True, eq=False)
class Answering:
    """What is asked of a model of any kind.

    Parameters
    ----------
    classes, n_outputs
        The classes of each output (None for numbers), and how many outputs there are.
    used
        Positions of the columns that the model uses.
    answers
        Function that returns its probabilities or numbers.
    """

    classes: tuple[Array, ...] | None
    n_outputs: int
    used: Sequence[int]
    answers: Callable[[Table], FloatArray]


def reference_rows(X: object, row: Table, used: Iterable[int]) -> Table | None:
    """Return a table of rows; columns that the model does not use may be absent. None of None."""
    if X is None:
        return None
    schema = row.schema
    return read_rows(X, schema, owner="counterfactual", optional=schema.unused_by(used))


def of_tree(tree: Tree, asked: Asked) -> Counterfactual:
    """Return the nearest row that gets the wanted answer of a tree.

    It is the nearest one, unless leaves have linear models: their regions have many answers.
    """
    model = Answering(
        classes=tree.classes,
        n_outputs=tree.n_outputs,
        used=tree.used_columns,
        answers=tree.plan.answers,
    )
    if tree.linear is not None:
        return of_trees([tree], model, asked)
    inquiry = _inquiry(asked, model, cuts_of_trees([tree]), sums_of_trees([tree]))
    regions = Regions(tree, inquiry.search.axes, asked.row)
    nearest = iter(regions)
    while some := [inquiry.search.moves(values) for _, values in islice(nearest, _REGIONS_AT_ONCE)]:
        found = inquiry.search.first_met(some)
        if found is not None:
            return inquiry.told(found, is_exact=True)
    if not regions.is_cut_short:
        raise inquiry.none(is_proved=True)
    return inquiry.searched(())


def of_trees(trees: Sequence[Tree], model: Answering, asked: Asked) -> Counterfactual:
    """Return a near row that gets the wanted answer of trees that predict together."""
    cuts = cuts_of_trees(trees)
    if asked.reference is not None and any(tree.linear is not None for tree in trees):
        cuts = with_steps(cuts, asked.reference, model.used)
    inquiry = _inquiry(asked, model, cuts, sums_of_trees(trees))

    def regions() -> Iterator[Moves]:
        for tree in trees:
            nearest = Regions(tree, inquiry.search.axes, asked.row)
            for _, values in islice(nearest, _REGIONS_PER_TREE):
                yield values

    return inquiry.searched(regions())


def of_rules(conjunctions: Sequence[Conjunction], model: Answering, asked: Asked) -> Counterfactual:
    """Return a near row that gets the wanted answer of rules with these conditions."""
    inquiry = _inquiry(asked, model, cuts_of_rules(conjunctions), sums_of_rules(conjunctions))
    axes = inquiry.search.axes

    def regions() -> Iterator[Moves]:
        for conjunction in conjunctions:
            near = {
                each.index: axes[each.index].nearest(axes[each.index].meeting(each))
                for each in conjunction
                if each.key == each.index
            }
            values = {index: found[1] for index, found in near.items() if found is not None}
            if len(values) == len(near):
                yield values

    return inquiry.searched(regions())


@dataclass(frozen=True, kw_only=True, eq=False)
class _Inquiry:
    """One search, and what is told of its outcome."""

    asked: Asked
    wanted: Wanted
    limits: Limits
    search: Search

    def searched(self, regions: Iterable[Moves]) -> Counterfactual:
        """Return the nearest row that the search finds."""
        if self.search.first_met([{}]) is not None:
            return self.told({}, is_exact=True)
        found = self.search.found(regions, self.asked.reference)
        if found is None:
            raise self.none(is_proved=False)
        return self.told(found, is_exact=False)

    def told(self, values: Moves, *, is_exact: bool) -> Counterfactual:
        """Return the result for a row with some values changed."""
        axes, row, moves = self.search.axes, self.asked.row, self.search.moves(values)
        ordered = sorted(moves, key=lambda index: (-axes[index].cost(moves[index]), index))
        after = changed(row, [moves])
        label, to = (self.asked.decided(table)[0] for table in (row, after))
        return Counterfactual(
            label=label.item() if isinstance(label, np.generic) else label,
            wanted=str(self.wanted),
            to=to.item() if isinstance(to, np.generic) else to,
            changes=tuple(self._change(axes[index], moves[index]) for index in ordered),
            distance=self.search.cost(moves),
            is_exact=is_exact,
            row=as_values(
                after, self.asked.given, whole=[i for i in axes if axes[i].has_whole_numbers]
            ),
        )

    def _change(self, axis: Axis, value: Stored) -> Change:
        is_unseen = is_unseen_code(axis.column, axis.value)
        before_text, after_text = _texts(axis, value, self.search.cuts)
        return Change(
            column=axis.column.name,
            before=None if is_unseen else _python_value(axis, axis.value),
            after=_python_value(axis, value),
            before_text=before_text,
            after_text=after_text,
            distance=axis.cost(value),
        )

    def none(self, *, is_proved: bool) -> NoSuchRowError:
        """Return the error for an answer that no row gets."""
        fixed = sorted(self.limits.fixed)
        stays = f" while {list_names(fixed)} {_stay(len(fixed))}" if fixed else ""
        hints = []
        if fixed:
            hints.append("fix fewer columns")
        if not is_proved:
            hints.append("X= with rows that get it gives the search more to start from")
        what = "no row gets" if is_proved else "no row was found that gets"
        doubt = "" if is_proved else " That does not prove that there is none."
        hint = f"\n  Hint: {'; or '.join(hints)}." if hints else ""
        return NoSuchRowError(f"{what} the answer {self.wanted}{stays}.{doubt}{hint}")


def _stay(n_columns: int) -> str:
    return "stays as it is" if n_columns == 1 else "stay as they are"


def _inquiry(
    asked: Asked, model: Answering, cuts: Cuts, sums: Iterable[tuple[int, ...]]
) -> _Inquiry:
    """Return the search for what is asked, once it is known to make sense."""
    schema = asked.row.schema
    want = wanted(asked.to, model.classes, n_outputs=model.n_outputs)
    limits = Limits.of(schema, asked.fixed, asked.costs)
    refuse_loose_sums(sums, schema, limits)
    search = Search(
        row=asked.row,
        axes=axes_of(asked.row, model.used, cuts, limits, asked.reference),
        cuts=cuts,
        wanted=want,
        decided=asked.decided,
        answers=model.answers,
    )
    return _Inquiry(asked=asked, wanted=want, limits=limits, search=search)


def _python_value(axis: Axis, value: Stored) -> object:
    return python_value(axis.column, value, is_whole=axis.has_whole_numbers)


def _in_words(axis: Axis, value: Stored) -> str:
    if value is None:
        return "missing"
    if is_unseen_code(axis.column, value):
        return "unseen"
    shown = axis.column.values[int(value)] if axis.column.storage == "value" else value
    return SHORT.value(axis.column, shown)


def _texts(axis: Axis, value: Stored, cuts: Cuts) -> tuple[str, str]:
    """Return the value of the row and the new one in words.

    A decimal number is told by the cut that it is just above. Numbers that would read alike are
    written in full.
    """
    before, after, lead = _in_words(axis, axis.value), _in_words(axis, value), ""
    shown = value
    if isinstance(axis, NumberAxis) and axis.step is None and value is not None:
        for cut in cuts.get(axis.index, ()):
            if cut < value and axis.first_above(cut) == value:
                shown, lead = cut, "just above "
        after = _in_words(axis, shown)
    if before == after and shown != axis.value and axis.column.storage == "float":
        before, after = repr(axis.value), repr(shown)
    return before, f"{lead}{after}"
