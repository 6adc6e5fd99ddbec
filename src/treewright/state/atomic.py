"""Files that are written as a whole or not at all.

A temporary file beside the old one is written, brought to the disk and renamed: at every moment,
also when the process is killed, the name leads to the whole old file or to the whole new one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from treewright.errors import ModelFileError
from treewright.text.names import on_one_line


def write_whole(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file so that its name never leads to a part of it.

    Parameters
    ----------
    path
        The file; one that exists is replaced when the new one is whole, and keeps its permissions.
        A symbolic link is followed.
    pieces
        The bytes.

    Raises
    ------
    ModelFileError
        If it cannot be written; an old file is as it was.
    """
    target = Path(os.path.realpath(path))
    temporary = None
    try:
        name = target.parent / f".{secrets.token_hex(8)}.writing"
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        temporary = name
        with os.fdopen(handle, "wb") as file:
            if target.exists():
                os.fchmod(file.fileno(), target.stat().st_mode & 0o777)
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        temporary = None
        _sync_folder(target.parent)
    except OSError as error:
        raise _refusal(path, error) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk; file systems that cannot are left alone."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


_HINTS = {
    errno.ENOSPC: "free some space, or save on another disk",
    errno.EDQUOT: "free some space, or save on another disk",
    errno.ENOENT: "make the folder first",
    errno.ENOTDIR: "make the folder first",
    errno.EACCES: "save in a folder that you may write to",
    errno.EPERM: "save in a folder that you may write to",
    errno.EROFS: "save in a folder that you may write to",
    errno.EISDIR: "give the name of a file",
}


def _refusal(path: Path, error: OSError) -> ModelFileError:
    reason = error.strerror or type(error).__name__
    hint = _HINTS.get(error.errno or 0, "save in another place")
    return ModelFileError(
        f"{on_one_line(str(path))} cannot be written: {reason}. What was there is as it was.\n"
        f"  Hint: {hint}."
    )
