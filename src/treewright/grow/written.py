"""A tree as a person writes it: nested dicts read into nodes with questions and edges.

The notation is that of :meth:`treewright.tree.tree.Tree.build`. What the columns are is not known
here; errors name the place in the tree, as the path of edges from the root.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.errors import DataError
from treewright.parameters import as_float, is_number, nearest_hint
from treewright.text.names import list_names

_EDGE = re.compile(r"\s*(<=|>=|<|>)\s*(.+?)\s*$")
_TEST = re.compile(r"\s*(<=|>=|!=|==|=|<|>|not\s+in\b|in\b)\s*(.+?)\s*$")
_OTHER_SIDE = {"<=": ">", "<": ">=", ">": "<=", ">=": "<"}
_YES, _NO = ("yes", "true"), ("no", "false")
_HINT = (
    "  Hint: a leaf is a class, a number or {class: count, ...}; a question is"
    " {column: {value: ..., value: ...}} or {'column <= number': {'yes': ..., 'no': ...}}."
)


@dataclass(frozen=True, kw_only=True)
class Edge:
    """One branch of a question as it is written.

    Parameters
    ----------
    text
        As it is written.
    values
        The values that take it; None among them is a missing value.
    test, bound
        A comparison instead of values.
    is_rest
        Whether all other values take it.
    """

    text: str
    values: tuple[Any, ...] = ()
    test: str | None = None
    bound: Any = None
    is_rest: bool = False

    @property
    def takes_missing(self) -> bool:
        """Whether missing values take it."""
        return None in self.values


@dataclass(frozen=True, kw_only=True)
class Written:
    """One node as it is written: a question with edges, or a leaf.

    Parameters
    ----------
    place
        Where it stands, for messages.
    question, column
        The text of the question, and the column that it asks; None at a leaf.
    edges, children
        The branches, and the node that each leads to.
    leaf
        The class, number or counts of a leaf.
    """

    place: str
    question: str = ""
    column: str | None = None
    edges: tuple[Edge, ...] = ()
    children: tuple[int, ...] = ()
    leaf: Any = None

    @property
    def is_compared(self) -> bool:
        """Whether its edges are comparisons, which cut a column."""
        return any(edge.test is not None for edge in self.edges)


def read_nested(
    nested: Any, names: Sequence[str] = (), *, open_leaves: bool = False
) -> list[Written]:
    """Return the nodes of a nested tree, every node before its children.

    Parameters
    ----------
    nested
        The tree as it is written.
    names
        Names of the columns, where they are known.
    open_leaves
        Whether a leaf may be None: nothing is said of it.
    """
    pending: list[tuple[Any, str]] = [(nested, "the root")]
    found: list[Written] = []
    while len(found) < len(pending):
        given, place = pending[len(found)]
        if not _is_question(given):
            is_open = open_leaves and given is None
            found.append(Written(place=place, leaf=None if is_open else _leaf(given, place)))
            continue
        ((question, answers),) = given.items()
        column, edges = _question(question, answers, names, place)
        first = len(pending)
        path = "" if place == "the root" else f"{place}, "
        below = list(zip(edges, answers.values(), strict=True))
        pending += [(sub, f"{path}{_step(column, edge)}") for edge, sub in below]
        found.append(
            Written(
                place=place,
                question=str(question),
                column=column,
                edges=edges,
                children=tuple(range(first, first + len(edges))),
            )
        )
    return found


def _is_question(given: Any) -> bool:
    return (
        isinstance(given, Mapping)
        and len(given) == 1
        and isinstance(next(iter(given.values())), Mapping)
    )


def _step(column: str, edge: Edge) -> str:
    if edge.test is not None:
        return f"{column} {edge.test} {edge.bound}"
    if edge.is_rest:
        return f"{column} {edge.text}"
    words = ", ".join("missing" if value is None else str(value) for value in edge.values)
    return f"{column} = {words}"


def _leaf(given: Any, place: str) -> Any:
    """Return the class, number or counts of a leaf, checked."""
    if isinstance(given, Mapping):
        if not given:
            raise DataError(f"{place}: an empty dict is no tree.\n{_HINT}")
        for label, count in given.items():
            if isinstance(count, Mapping):
                questions = list_names(map(str, given))
                raise DataError(
                    f"{place}: a node has one question, but there are {len(given)}: {questions}."
                    f"\n{_HINT}"
                )
            if not is_number(count) or not 0 <= count < float("inf"):
                raise DataError(
                    f"{place}: the leaf counts {count!r} rows of class {label!r}.\n{_HINT}"
                )
        if sum(given.values()) <= 0:
            raise DataError(f"{place}: the leaf counts no rows at all.\n{_HINT}")
        return dict(given)
    if is_number(given) and not math.isfinite(as_float(given)):
        raise DataError(f"{place}: a leaf cannot be {given!r}.\n{_HINT}")
    if given is None or not isinstance(given, Hashable) or isinstance(given, tuple):
        raise DataError(f"{place}: {given!r} is neither a question nor a leaf.\n{_HINT}")
    return given


def _question(
    question: Any, answers: Mapping[Any, Any], names: Sequence[str], place: str
) -> tuple[str, tuple[Edge, ...]]:
    """Return the column that a question asks, and its edges in the order they are written."""
    if not isinstance(question, str):
        raise DataError(f"{place}: the question {question!r} must be text.\n{_HINT}")
    if len(answers) < 2:
        raise DataError(
            f"{place}: the question {question!r} has {len(answers)} branches; it needs two or more."
        )
    name = question.strip()
    if name in names:
        return name, _edges_of_column(answers)
    test = _split_test(name, names)
    if test is not None and _are_yes_and_no(answers):
        return test[0], _edges_of_test(test[1], test[2], answers)
    if test is not None and (names or not _are_words(answers)):
        raise DataError(
            f"{place}: the test {question!r} needs the branches 'yes' and 'no'; it has"
            f" {list_names(map(str, answers))}."
        )
    if names:
        raise DataError(
            f"{place}: the question {question!r} asks for no column of the table.\n"
            f"  Columns: {list_names(names)}{nearest_hint(name, names)}"
        )
    return name, _edges_of_column(answers)


def _split_test(name: str, names: Sequence[str]) -> tuple[str, str, str] | None:
    """Return the column, the comparison and the right side of a test; None if it is none."""
    for known in sorted(names, key=len, reverse=True):
        if name.startswith(known):
            matched = _TEST.match(name[len(known) :])
            if matched:
                return known, " ".join(matched[1].split()), matched[2]
    if names:
        return None
    matched = re.match(rf"(.+?)(?:\s|(?=[<>=!])){_TEST.pattern}", name)
    return None if matched is None else (matched[1].strip(), matched[2], matched[3])


def _are_yes_and_no(answers: Mapping[Any, Any]) -> bool:
    said = [str(answer).casefold() for answer in answers if answer is not None]
    return len(said) == 2 and said[0] != said[1] and set(said) <= {*_YES, *_NO}


def _are_words(answers: Mapping[Any, Any]) -> bool:
    return not all(isinstance(answer, str) and _EDGE.match(answer) for answer in answers)


def _edges_of_column(answers: Mapping[Any, Any]) -> tuple[Edge, ...]:
    known = [answer for answer in answers if answer is not None]
    matched = [_EDGE.match(each) if isinstance(each, str) else None for each in known]
    if known and all(matched):
        return tuple(
            Edge(text="missing", values=(None,)) if answer is None else _comparison(answer)
            for answer in answers
        )
    return tuple(
        Edge(text=str(answer), values=tuple(answer) if _is_group(answer) else (answer,))
        for answer in answers
    )


def _is_group(answer: object) -> bool:
    return isinstance(answer, tuple | frozenset)


def _comparison(answer: str) -> Edge:
    matched = _EDGE.match(answer)
    assert matched is not None
    return Edge(text=answer, test=matched[1], bound=matched[2])


def _edges_of_test(test: str, right: str, answers: Mapping[Any, Any]) -> tuple[Edge, ...]:
    """Return the edges of a test; missing values may have a branch of their own."""
    edges = []
    for answer in answers:
        if answer is None:
            edges.append(Edge(text="missing", values=(None,)))
            continue
        holds = str(answer).casefold() in _YES
        if test in _OTHER_SIDE:
            sign = test if holds else _OTHER_SIDE[test]
            edges.append(Edge(text=f"{sign} {right}", test=sign, bound=right))
            continue
        values = _listed(right) if test.endswith("in") else (_bare(right),)
        is_negated = test in ("!=", "not in")
        is_rest = holds == is_negated
        words = f"!= {right}" if len(values) == 1 else f"not in {right}"
        edges.append(Edge(text=words, is_rest=True) if is_rest else Edge(text=right, values=values))
    return tuple(edges)


def _listed(right: str) -> tuple[str, ...]:
    inside = right.strip().strip("{}[]()")
    return tuple(_bare(each) for each in inside.split(","))


def _bare(text: str) -> str:
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text
