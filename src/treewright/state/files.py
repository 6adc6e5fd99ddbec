"""Model files on disk: the suffix decides how one is written, its content how it is read."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from treewright.core import NEWEST_FORMAT
from treewright.errors import ModelFileError, ModelFormatError, ParameterError
from treewright.state.atomic import write_whole
from treewright.state.container import NewerFormatError, container_pieces, read_state
from treewright.state.json_twin import read_twin, twin_bytes
from treewright.state.model_state import ModelState
from treewright.text.names import on_one_line

SUFFIXES = (".tw", ".json")
_PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"x\x01", b"x\x9c", b"\x1f\x8b")
"""First bytes of pickles, and of those that joblib compresses by zlib and gzip."""

_SMALL = 1 << 20
"""Files of at most so many bytes are read; larger ones are mapped, which saves a copy."""


def checked_path(path: str | os.PathLike[str]) -> Path:
    """Return a path to write to; refuse a suffix that tells no format."""
    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"path={path!r} is no path.\n  Hint: save(model, 'model.tw').")
    whole = Path(path)
    if whole.suffix.lower() not in SUFFIXES:
        raise ParameterError(
            f"path={str(path)!r} tells no format.\n"
            "  Hint: 'model.tw' is small and quick, 'model.json' can be read by people."
        )
    return whole


def write_model(path: Path, state: ModelState) -> None:
    """Write the state of a model to a file, as a whole or not at all."""
    if path.suffix.lower() == ".json":
        write_whole(path, [twin_bytes(state)])
    else:
        write_whole(path, container_pieces(state))


def parse_model(data: bytes | memoryview, *, only_about: bool = False) -> ModelState:
    """Return the state that some bytes hold, in whichever format; ValueError if in none."""
    # A container begins with a length, whose eighth byte is 0 and which no JSON text has.
    start = bytes(data[:64]).lstrip(b" \t\r\n")
    read = read_twin if start[:1] == b"{" and 0 not in data[:8] else read_state
    return read(data, only_about=only_about)


def read_model(path: str | os.PathLike[str], *, only_about: bool = False) -> ModelState:
    """Return the state of the model that a file holds.

    Raises
    ------
    ModelFileError
        If the file cannot be read.
    ModelFormatError
        If it is no model file, is damaged or is of a newer treewright.
    """
    with mapped(path, at_once=not only_about) as data:
        return told_of(path, data, only_about=only_about)


def told_of(
    path: str | os.PathLike[str], data: bytes | memoryview, *, only_about: bool = False
) -> ModelState:
    """Return the state that the bytes of a file hold; errors name the file."""
    try:
        return parse_model(data, only_about=only_about)
    except NewerFormatError as error:
        raise newer_format(path, error.found) from error
    except ValueError as error:
        raise _pickled(path, data) or damaged(path, str(error)) from error


def _pickled(path: str | os.PathLike[str], data: bytes | memoryview) -> ModelFormatError | None:
    """Return the refusal of a pickle, plain or joblib's compressed one; None for other files."""
    if bytes(data[:2]) not in _PICKLES:
        return None
    return ModelFormatError(
        f"{on_one_line(os.fspath(path))} is a pickle, and load runs no code.\n"
        "  Hint: pickle.load or joblib.load, if you trust it; then treewright.save(model,"
        " 'model.tw')."
    )


def newer_format(path: str | os.PathLike[str], found: int) -> ModelFormatError:
    """Return the refusal of a file that a newer treewright has written."""
    from importlib import metadata  # late: it is for this message alone

    version = metadata.version("treewright")
    return ModelFormatError(
        f"{on_one_line(os.fspath(path))} has format {found}; this treewright {version} reads up to"
        f" {NEWEST_FORMAT}.\n  Hint: pip install --upgrade treewright"
    )


def damaged(path: str | os.PathLike[str], what: str) -> ModelFormatError:
    """Return the refusal of a file that is no model file, or no longer one."""
    return ModelFormatError(
        f"{on_one_line(os.fspath(path))} is damaged, or no model file: {what}.\n"
        "  Hint: copy it again, or fit and save the model anew."
    )


@contextlib.contextmanager
def mapped(path: str | os.PathLike[str], *, at_once: bool = True) -> Iterator[bytes | memoryview]:
    """Lend the bytes of a file; whoever keeps some makes a copy.

    Where only some bytes are looked at, `at_once` is false: the others are not brought.

    A map is never kept: a file that is overwritten in place would change a model under the feet of
    compiled code that has checked it.
    """
    try:
        with open(path, "rb") as file:
            found = os.fstat(file.fileno())
            if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
                raise OSError(errno.ENODEV, "it is a device")  # some never end
            if found.st_size <= _SMALL:
                yield file.read()
                return
            # Closed with the last view of it: an error that is being told may hold one.
            yield memoryview(_map(file.fileno(), at_once))
    except OSError as error:
        raise ModelFileError(
            f"{on_one_line(os.fspath(path))} cannot be read: {error.strerror or error}."
        ) from error


def _map(handle: int, at_once: bool) -> mmap.mmap:
    """Return a map of a file, with all pages brought at once where the system can do that."""
    if at_once and hasattr(mmap, "MAP_POPULATE"):
        flags = mmap.MAP_PRIVATE | mmap.MAP_POPULATE
        return mmap.mmap(handle, 0, flags=flags, prot=mmap.PROT_READ)
    return mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
