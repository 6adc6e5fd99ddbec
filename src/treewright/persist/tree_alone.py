"""The tree of a model file without its estimator: to read or ask a tree needs no scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treewright.errors import ModelFormatError
from treewright.persist.decode import Decoder
from treewright.state.files import damaged, mapped, told_of

if TYPE_CHECKING:
    from treewright.tree.tree import Tree

_LEFT_OUT = ("pruning", "_recall")
"""Fields of a tree that say how it was grown and pruned, and need the code that did so."""
ASK_THEIR_TREE = frozenset(
    (
        *("C45Classifier", "CARTClassifier", "CARTRegressor", "CHAIDClassifier", "CHAIDRegressor"),
        *("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier"),
        *("ExtraTreeRegressor", "ID3Classifier", "IncrementalTreeClassifier", "M5Regressor"),
        *("ObliqueTreeClassifier", "ObliqueTreeRegressor"),
    )
)
"""Estimators of single trees: unless calibrated, they predict what their tree does."""


def load_tree(path: str | os.PathLike[str]) -> Tree | None:
    """Return the one tree of a file, without its record of pruning; None where it has no one tree.

    Parameters
    ----------
    path
        A file that :func:`treewright.save` has written.
    """
    return _loaded(path, lambda entry: True)


def load_answering_tree(path: str | os.PathLike[str]) -> Tree | None:
    """Return the tree of a file that answers as its estimator does; None where none does so.

    Parameters
    ----------
    path
        A file that :func:`treewright.save` has written.
    """
    return _loaded(path, _answers_as_its_tree)


def _answers_as_its_tree(entry: dict[str, Any]) -> bool:
    """Return whether a model predicts what its tree does: not so by rules, or calibrated."""
    if entry["class"] == "Tree":
        return True
    return entry["class"] in ASK_THEIR_TREE and entry["state"].get("_calibration") is None


def _loaded(path: str | os.PathLike[str], is_asked: Callable[[Any], bool]) -> Tree | None:
    with mapped(path) as data:
        state = told_of(path, data)
        try:
            alone = _tree_alone(state.model, is_asked)
            return None if alone is None else Decoder(state.arrays).whole(alone)
        except ModelFormatError as error:
            raise damaged(path, str(error).rstrip(".")) from error


def _tree_alone(model: Any, is_asked: Callable[[Any], bool]) -> dict[str, Any] | None:
    """Return the plain values of a model's tree, as those of a model of its own."""
    try:
        objects = model["objects"]
        place = model["model"]["is"]
        entry = objects[place]
        if not is_asked(entry):
            return None
        if entry["class"] != "Tree":
            place = entry["state"]["tree_"]["is"]
            entry = objects[place]
        if entry["class"] != "Tree":
            return None
        state = {name: None if name in _LEFT_OUT else v for name, v in entry["state"].items()}
    except (LookupError, TypeError, AttributeError):
        return None  # no single tree, or nothing that is known: whoever loads it all will say
    own = {place: {**entry, "state": state}}
    pending = [state]
    while pending:
        for each in _references(pending.pop()):
            # An object refers to those before it only, so that this ends.
            if each not in own and type(each) is int and 0 <= each < place:
                own[each] = objects[each]
                pending.append(objects[each])
    number = {old: new for new, old in enumerate(sorted(own))}
    listed = [_renumbered(own[old], number) for old in sorted(own)]
    return {"objects": listed, "model": {"is": number[place]}}


def _references(value: Any) -> list[Any]:
    """Return the numbers of the objects that some values refer to."""
    found = []
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            found += [each["is"]] if "is" in each else []
            pending += each.values()
    return found


def _renumbered(value: Any, number: dict[int, int]) -> Any:
    """Return values whose references are to the new numbers; one to nothing will be refused."""
    if isinstance(value, list):
        return [_renumbered(each, number) for each in value]
    if not isinstance(value, dict):
        return value
    if "is" in value:
        return {**value, "is": number.get(value["is"], -1)}
    return {name: _renumbered(each, number) for name, each in value.items()}
