"""Models to files and back."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

from treewright.errors import ModelFormatError, UnsupportedError
from treewright.parameters import check_flag
from treewright.persist.about import about
from treewright.persist.decode import Decoder
from treewright.persist.encode import Encoder
from treewright.persist.registry import MODELS, name_of
from treewright.persist.whys import whys_of
from treewright.state.files import checked_path, damaged, mapped, told_of, write_model
from treewright.state.model_state import ModelState


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    remember: Mapping[str, Any] | None = None,
    why: bool = True,
) -> None:
    """Save a model to a file that holds no code: any estimator, Tree, Ensemble or RuleSet.

    The file is replaced as a whole or not at all, whatever happens meanwhile. The training rows are
    not in it, but a small tree's tables of :meth:`~treewright.Tree.why` are; an
    :class:`~treewright.IncrementalTreeClassifier` keeps its rows, and so does its file.

    Parameters
    ----------
    model
        The model, fitted or not.
    path
        Where to: ``.tw`` is small and quick, ``.json`` the same as text that people can read.
    remember
        Texts, numbers, lists and mappings to keep beside it, such as how its table was read;
        :func:`treewright.persist.describe` gives them back.
    why
        Whether a single tree is saved with its tables of :meth:`~treewright.Tree.why`, from the
        root on: as many as take about a second. They need training rows, which are not saved.

    Raises
    ------
    UnsupportedError
        If the model has a part that no file can hold: a Python function, a learner of another
        library. The error names the parameter.
    ModelFileError
        If the file cannot be written; an old one is as it was.

    Examples
    --------
    >>> import tempfile, pathlib, treewright as tw
    >>> play = tw.load_example("play_tennis")
    >>> model = tw.ID3Classifier().fit(play.X, play.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.save(model, pathlib.Path(folder) / "play.tw")
    ...     again = tw.load(pathlib.Path(folder) / "play.tw")
    >>> again.tree_.text() == model.tree_.text()
    True
    """
    target = checked_path(path)
    check_flag("why", why)
    write_model(target, state_of_model(model, remember=remember, why=why))


def load(path: str | os.PathLike[str]) -> Any:
    """Return the model that a file holds, of the class that was saved.

    Every byte is checked before it is used, and nothing is run: a file from a stranger may be
    refused, but cannot do harm.

    Parameters
    ----------
    path
        A file that :func:`treewright.save` has written, whatever its name.

    Raises
    ------
    ModelFileError
        If the file cannot be read.
    ModelFormatError
        If it is no model file, is damaged, or is of a newer treewright; the error says where.
    """
    with mapped(path) as data:
        return _model_in(path, told_of(path, data))


def _model_in(path: str | os.PathLike[str], state: ModelState) -> Any:
    """Return the model of a file's state; errors name the file."""
    try:
        return model_of(state)
    except ModelFormatError as error:
        raise damaged(path, str(error).rstrip(".")) from error


def convert(path: str | os.PathLike[str], to_path: str | os.PathLike[str]) -> None:
    """Write a model's file in the other format, with all that it tells: nothing is lost.

    What only the file knows stays in it, too, which a model that is loaded and saved again no
    longer has: the fingerprint of its training rows, and what was to be remembered.

    Parameters
    ----------
    path
        A file that :func:`treewright.save` has written. It is checked as :func:`treewright.load`
        does.
    to_path
        Where to: ``.tw`` or ``.json``.

    Raises
    ------
    ModelFileError
        If a file cannot be read or written.
    ModelFormatError
        If it is no model file, is damaged, or is of a newer treewright.

    Examples
    --------
    >>> import pathlib, tempfile, treewright as tw
    >>> play = tw.load_example("play_tennis")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, second, third = (pathlib.Path(folder) / f"{name}" for name in
    ...                             ("a.tw", "b.json", "c.tw"))
    ...     tw.save(tw.ID3Classifier().fit(play.X, play.y), first)
    ...     tw.persist.convert(first, second)
    ...     tw.persist.convert(second, third)
    ...     first.read_bytes() == third.read_bytes()
    True
    """
    target = checked_path(to_path)
    with checked_state(path) as state:
        write_model(target, state)


@contextlib.contextmanager
def checked_state(path: str | os.PathLike[str]) -> Iterator[ModelState]:
    """Lend the state of a file that a model can be made of."""
    with mapped(path) as data:
        state = told_of(path, data)
        _model_in(path, state)
        yield state


def state_of_model(
    model: Any, *, remember: Mapping[str, Any] | None = None, why: bool = True
) -> ModelState:
    """Return a model as plain values and arrays."""
    from treewright import __version__

    kind = name_of(type(model))
    if kind not in MODELS:
        raise UnsupportedError(
            f"{type(model).__qualname__} is no model of treewright, and save has no file for it.\n"
            "  Hint: save takes treewright's estimators, Tree, Ensemble and RuleSet; pickle takes"
            " the rest."
        )
    encoder = Encoder(whys_of(model) if why else None)
    whole = encoder.whole(model)
    return ModelState(
        kind=kind,
        version=__version__,
        about=about(model, remember=remember),
        model=whole,
        arrays=encoder.arrays,
    )


def model_of(state: ModelState) -> Any:
    """Return the model that plain values and arrays stand for; a ModelFormatError if for none."""
    model = Decoder(state.arrays).whole(state.model)
    kind = name_of(type(model))
    if kind not in MODELS or kind != state.kind:
        raise ModelFormatError(f"it says that it holds {state.kind[:60]!r}, which it does not")
    return model
