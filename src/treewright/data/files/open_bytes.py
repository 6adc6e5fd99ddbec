"""Where bytes come from: a path, standard input, or an open binary file; decompressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from treewright.errors import DataError, FileFormatError, ParameterError

FileSource = str | os.PathLike[str] | BinaryIO
"""A path, ``"-"`` for standard input, or an open binary file."""

_COMPRESSED: tuple[tuple[bytes, str, Callable[[Any], IO[bytes]]], ...] = (
    (b"\x1f\x8b", "gzip", lambda file: cast(IO[bytes], gzip.GzipFile(fileobj=file))),
    (b"BZh", "bzip2", bz2.BZ2File),
    (b"\xfd7zXZ\x00", "xz", lzma.LZMAFile),
)
_SUFFIXES = (".gz", ".bz2", ".xz", ".gzip")
_BLOCK = 1 << 20
# Enough for every signature, and for the names in the first entries of a zip archive.
_HEAD = 1 << 12
_DAMAGE = (EOFError, ValueError, lzma.LZMAError, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True, eq=False)
class OpenedFile:
    """Bytes to read, decompressed.

    Attributes
    ----------
    name : str
        Name for messages, without the suffix of a compression.
    path : Path or None
        Where it is, if it is a file.
    stream : binary file
        What is inside.
    compressed : str or None
        ``"gzip"``, ``"bzip2"`` or ``"xz"``.
    """

    name: str
    path: Path | None
    stream: BinaryIO
    compressed: str | None
    closing: list[Callable[[], object]] = field(default_factory=list)

    @property
    def suffix(self) -> str:
        """Suffix of the name, lower case, that of a compression left out."""
        return Path(self.name).suffix.lower()

    def head(self) -> bytes:
        """Return the first bytes; they will be read again."""
        stream = cast(io.BufferedReader, self.stream)
        with self.told_damage():
            return stream.peek(_HEAD)[:_HEAD]

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, all by default."""
        with self.told_damage():
            if size >= 0:
                return self.stream.read(size)
            blocks = []
            while block := self.stream.read(_BLOCK):  # Ctrl-C comes between two blocks
                blocks.append(block)
            return b"".join(blocks)

    def told_damage(self) -> _Damage:
        """Return a context in which damaged compressed data are refused by name."""
        return _Damage(self.path.name if self.path else self.name, self.compressed)

    def close(self) -> None:
        """Close what was opened here, innermost first; a file of the caller's stays open."""
        while self.closing:
            self.closing.pop(0)()

    def __enter__(self) -> OpenedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class _Damage:
    name: str
    compressed: str | None

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self.compressed is None or isinstance(error, DataError):
            return
        # gzip's own error is an OSError; one of the disk has a number.
        is_damage = isinstance(error, _DAMAGE) or (
            isinstance(error, OSError) and error.errno is None
        )
        if is_damage:
            raise FileFormatError(
                f"{self.name} is compressed with {self.compressed}, and damaged: {error}.\n"
                "  Hint: copy or download it again."
            ) from None


def open_bytes(source: FileSource) -> OpenedFile:
    """Return a file, standard input (``"-"``) or an open binary file, ready to be read.

    >>> with open_bytes(io.BytesIO(gzip.compress(b"a,b"))) as file:
    ...     file.compressed, file.read()
    ('gzip', b'a,b')
    """
    path: Path | None = None
    closing: list[Callable[[], object]] = []
    if isinstance(source, str | os.PathLike) and os.fspath(source) != "-":
        path = Path(source)
        raw: Any = path.open("rb")
        name = path.name
        closing.append(raw.close)
    elif isinstance(source, str | os.PathLike):
        raw, name = sys.stdin.buffer, "stdin"
    elif hasattr(source, "read"):
        if isinstance(source, io.TextIOBase):
            raise ParameterError(
                "the file is open as text; it is read as bytes.\n  Hint: open(path, 'rb')."
            )
        raw = source
        given = getattr(source, "name", None)
        name = Path(given).name if isinstance(given, str) else "the file"
    else:
        raise ParameterError(
            f"{type(source).__name__} is no path and no open binary file.\n"
            "  Hint: pass a path, '-' for standard input, or open(path, 'rb'); a table in memory"
            " goes to fit as it is."
        )
    stream = raw
    if not hasattr(raw, "peek"):
        stream = io.BufferedReader(raw, _BLOCK)
        closing.insert(0, stream.detach)  # else it would close the caller's file with itself
    head = stream.peek(6)
    for magic, what, opened in _COMPRESSED:
        if head.startswith(magic):
            inner = io.BufferedReader(cast(io.RawIOBase, opened(stream)), _BLOCK)
            stem = name[: -len(Path(name).suffix)] if name.lower().endswith(_SUFFIXES) else name
            return OpenedFile(stem, path, cast(BinaryIO, inner), what, [inner.close, *closing])
    return OpenedFile(name, path, stream, None, closing)
