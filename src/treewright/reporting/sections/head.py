"""The head of a report: is it any good? The finding, four key figures, and what to know first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.chart.words import NARROW_SPACE, percent
from treewright.reporting.findings import Findings
from treewright.reporting.page.markup import Markup, Piece, markup, shown, tag
from treewright.reporting.sections.first import first_to_know
from treewright.reporting.words import (
    capital,
    counted,
    interval_text,
    metric_text,
    metric_texts,
    quoted,
    share,
)

_BADLY_RECOGNISED = 0.5
_NUMBER_WORDS = ("No", "One thing", "Two things", "Three things")


@dataclass(frozen=True, kw_only=True)
class KeyFigure:
    """A figure in large type, with what it is and what stands beside it."""

    name: str
    figure: str
    beside: Piece


@dataclass(frozen=True, kw_only=True)
class Head:
    """The head of a report."""

    finding: str
    lede: str
    keys: Sequence[KeyFigure]
    first: Sequence[Markup]

    def html(self, about: Piece) -> Markup:
        """Return the head as part of the page."""
        keys = [
            tag(
                "div",
                tag("dt", each.name),
                tag("dd", each.figure, class_="figure"),
                tag("dd", each.beside, class_="beside"),
            )
            for each in self.keys
        ]
        first: Piece = ""
        if self.first:
            title = f"{_NUMBER_WORDS[len(self.first)]} to know first"
            items = tag("ul", [tag("li", each) for each in self.first])
            first = tag("div", tag("p", title), items, class_="aside")
        return tag(
            "header",
            tag("p", about, class_="about"),
            tag("h1", self.finding),
            tag("p", self.lede, class_="lede"),
            tag("dl", keys, class_="keys"),
            first,
        )


def head_of(found: Findings) -> Head:
    """Return the head."""
    return Head(
        finding=_finding(found),
        lede=_lede(found),
        keys=(_error_key(found), _baseline_key(found), _size_key(found), _table_key(found)),
        first=first_to_know(found),
    )


def _finding(found: Findings) -> str:
    if found.tree is not None and found.tree.n_leaves == 1:
        return _one_leaf(found)
    who = _who(found)
    if not found.is_classification:
        return _of_numbers(found, who)
    if found.metric.name == "mean_cost":
        one, two, *_ = _together(found)
        verb = "cost" if _is_plural(found) else "costs"
        return f"{who} {verb} {one} a row on average; the same answer for all rows {two}"
    right = share(1 - found.value)
    verb = "get" if _is_plural(found) else "gets"
    text = f"{who} {verb} {right} of new rows right"
    if not found.is_better_than_constant:
        return f"{text}, which cannot be told from one answer for all rows"
    worst = worst_class(found)
    if worst is None:
        return text
    name, recall = worst
    verb = "recognise" if _is_plural(found) else "recognises"
    few = f"only {percent(recall)}" if recall > 0 else "none"
    return f"{text}, but {verb} {few} of {shown(name)}"


def _one_leaf(found: Findings) -> str:
    # Trees of the folds may ask, and be better than the one answer.
    helps = found.is_better_than_constant
    said = "The tree asks nothing" if helps else "No question helps"
    if not found.is_classification:
        verb = "answers" if helps else "is the best answer for"
        return f"{said}: the mean {verb} {_target(found)}"
    assert found.tree is not None
    label = quoted(shown(found.tree.label(0)))
    if found.metric.name == "mean_cost":
        return f"{said}: {label} is {'the' if helps else 'the best'} answer for all rows"
    right = share(1 - found.baseline)
    return f"{said}: {label} for all rows is right for {right} of new ones"


def _of_numbers(found: Findings, who: str) -> str:
    target = _target(found)
    value = metric_text(found.metric, found.value)
    if not found.is_better_than_constant:
        verb = "predict" if _is_plural(found) else "predicts"
        return f"{who} {verb} {target} no better than its mean, as far as can be told"
    r2 = next((each for each in found.judged.scores.metrics if each.name == "r2"), None)
    if r2 is None:
        verb = "predict" if _is_plural(found) else "predicts"
        return f"{who} {verb} {target} of new rows with {found.metric.title} {value}"
    verb = "explain" if _is_plural(found) else "explains"
    explained = percent(found.judged["r2"].value)
    return f"{who} {verb} {explained} of the variance of {target} in new rows"


def _who(found: Findings) -> str:
    if found.tree is not None:
        return counted(found.tree.n_leaves, "leaf", "leaves")
    return f"The {found.noun}"


def _is_plural(found: Findings) -> bool:
    return found.tree is not None and found.tree.n_leaves > 1


def _target(found: Findings) -> str:
    return shown(found.given.target)


def worst_class(found: Findings) -> tuple[object, float] | None:
    """Return the class that is recognised least, if that is less than half of its rows."""
    confusion = found.judged.scores.confusion
    occurs = np.flatnonzero(confusion.counts.sum(axis=1) > 0)
    if not len(occurs):
        return None
    worst = int(occurs[np.argmin(confusion.recall[occurs])])
    recall = float(confusion.recall[worst])
    return (confusion.classes[worst], recall) if recall < _BADLY_RECOGNISED else None


def _lede(found: Findings) -> str:
    value, base, *_ = _together(found)
    always = baseline_words(found)
    is_one_leaf = found.tree is not None and found.tree.n_leaves == 1
    if is_one_leaf and found.metric.name == "error" and value != base:
        told = (
            f"Trees grown from parts of the table ask more, and are wrong for {value} of the "
            f"other rows; {always} is wrong for {base}."
        )
    elif found.metric.name == "error":
        told = (
            f"The {found.noun} is wrong for {value} of the rows it has not seen; "
            f"{always} is wrong for {base}."
        )
    elif found.is_classification:
        told = (
            f"The {found.noun} has {found.metric.title} {value} on rows it has not seen; "
            f"{always} has {base}."
        )
    else:
        told = (
            f"The {found.metric.title} on rows that the {found.noun} has not seen is {value}; "
            f"{always} has {base}."
        )
    return " ".join(each for each in (told, _rival(found)) if each)


def _together(found: Findings) -> list[str]:
    """Return the figure, that of the best constant, and of the best rival where there is one."""
    values = [found.value, found.baseline]
    if found.best_rival is not None and found.comparison is not None:
        values.append(found.comparison[found.best_rival][found.metric.name].value)
    return metric_texts(found.metric, values)


def _rival(found: Findings) -> str:
    """Return a sentence about the best other learner, as far as it can be told from this one."""
    name = found.best_rival
    if name is None or found.comparison is None:
        return ""
    theirs = found.comparison[name][found.metric.name].value
    text = _together(found)[-1]
    p_value = found.comparison.p_values.get(name, 1.0)
    is_sure = p_value <= 1 - found.comparison.level
    is_better = (theirs > found.value) == found.metric.higher_is_better and theirs != found.value
    without = ", without a tree to read" if found.tree is not None and not _reads(name) else ""
    who = capital(shown(name))
    if is_better and is_sure:
        return f"{who} gets to {text}{without}."
    if is_better:
        return f"{who} has {text}, a difference that may be chance."
    return f"None of the other learners that were tried does better; {shown(name)} has {text}."


def _reads(name: str) -> bool:
    """Return whether a usual rival is itself a tree that can be read."""
    return name in ("C4.5", "M5")


def baseline_words(found: Findings) -> str:
    """Return what the best constant answer is, as a phrase."""
    assert found.judged.scores.baseline is not None
    if not found.is_classification:
        return "always answering the mean"
    answers = list(dict.fromkeys(found.judged.scores.baseline.predicted.tolist()))
    if len(answers) > 1:
        return "always answering the most frequent class"
    return f"always answering {quoted(shown(answers[0]))}"


def _error_key(found: Findings) -> KeyFigure:
    interval = found.judged[found.metric.name]
    level = f"{100 * interval.level:g}{NARROW_SPACE}%"
    return KeyFigure(
        name=f"{capital(found.metric.title)} on unseen rows",
        figure=_together(found)[0],
        beside=f"{level}: {interval_text(found.metric, interval)}",
    )


def _baseline_key(found: Findings) -> KeyFigure:
    words = baseline_words(found).replace("answering ", "")
    return KeyFigure(
        name="Same answer for all" if found.is_classification else "The mean for all",
        figure=_together(found)[1],
        beside=words,
    )


def _size_key(found: Findings) -> KeyFigure:
    n_columns = found.given.X.shape[1]
    if found.tree is None:
        return KeyFigure(
            name="The learner",
            figure=f"{n_columns:,} columns" if n_columns > 1 else "1 column",
            beside=type(found.model).__name__,
        )
    tree = found.tree
    n_asked = n_columns - len(tree.unused_columns)
    return KeyFigure(
        name="Size of the tree",
        figure=counted(tree.n_leaves, "leaf", "leaves"),
        beside=f"depth {tree.depth}, {n_asked:,} of {counted(n_columns, 'column')}",
    )


def _table_key(found: Findings) -> KeyFigure:
    n_columns = found.given.X.shape[1]
    n_gaps = sum(bool(found.given.X.column(name).missing.any()) for name in found.given.X.columns)
    gaps = f"{n_gaps:,} with gaps" if n_gaps else "none with gaps"
    return KeyFigure(
        name="Table",
        figure=counted(found.data.n_rows, "row"),
        beside=f"{counted(n_columns, 'column')}, {gaps}",
    )


def about_line(found: Findings, day: str) -> Markup:
    """Return the line above the finding: what the report is about, and when it was made."""
    target = tag("b", _target(found))
    return markup(["treewright report, ", shown(found.given.name), ", target ", target, f", {day}"])
