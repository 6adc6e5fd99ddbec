"""Bytes to text: the encoding a byte-order mark says, UTF-8, or the customary one of Windows."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from treewright.data.files.formats import BYTE_ORDER_MARKS
from treewright.data.reading import ReadNote
from treewright.errors import FileFormatError, ParameterError

_STDIN = "stdin"


@dataclass(frozen=True, eq=False)
class DecodedText:
    """Text in UTF-8, without a byte-order mark.

    Attributes
    ----------
    utf8 : bytes
        The text.
    encoding : str
        The encoding it was in.
    note : ReadNote or None
        Told where the encoding is a guess.
    """

    utf8: bytes
    encoding: str
    note: ReadNote | None = None

    @property
    def text(self) -> str:
        """The whole text."""
        return self.utf8.decode("utf-8")

    @property
    def head(self) -> str:
        """The beginning of the text, by which its format and delimiter are found."""
        return self.utf8[: 1 << 16].decode("utf-8", "ignore")


def decode(data: bytes, name: str, encoding: str | None, *, looking: bool = False) -> DecodedText:
    """Return bytes as text.

    Parameters
    ----------
    data, name
        The bytes, and the name of the file.
    encoding
        As declared; None means to be found.
    looking
        Whether bytes that are no UTF-8 are read as Windows' cp1252 (or Latin-1), and told.

    Examples
    --------
    >>> decoded = decode("größe".encode("cp1252"), "t.csv", None, looking=True)
    >>> decoded.text, decoded.encoding
    ('größe', 'cp1252')
    """
    if not data or data.isspace():
        raise FileFormatError(empty(name))
    is_found = encoding is None
    if encoding is None:
        encoding = marked_encoding(data) or "utf-8"
    note: ReadNote | None = None
    try:
        utf8 = as_utf8(data, encoding)
    except LookupError:
        raise ParameterError(f"encoding={encoding!r} is not known; try 'latin-1'.") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        if not (looking and is_found and encoding == "utf-8" and b"\0" not in data):
            raise FileFormatError(
                f"{name} is not {encoding}: byte 0x{byte:02x} at position {error.start}, line"
                f" {line}.\n"
                "  Hint: pass encoding='latin-1' or encoding='cp1252', or save the file as UTF-8."
            ) from None
        encoding = windows_encoding(data)
        utf8 = as_utf8(data, encoding)
        note = guessed_note(name, encoding, byte, line)
    refuse_nul(utf8, name, 1)
    if not utf8 or utf8.isspace():
        raise FileFormatError(empty(name))
    return DecodedText(utf8, encoding, note)


def as_utf8(data: bytes, encoding: str) -> bytes:
    """Return text in UTF-8; bytes that are it already are checked and not copied."""
    if codecs.lookup(encoding).name in ("utf-8", "ascii"):
        if not data.isascii():
            data.decode("utf-8")
        return data.removeprefix(codecs.BOM_UTF8)
    return data.decode(encoding).removeprefix("\ufeff").encode("utf-8")


def refuse_nul(utf8: bytes, name: str, first_line: int) -> None:
    """Refuse text with a NUL byte."""
    if (place := utf8.find(b"\0")) >= 0:
        line = utf8.count(b"\n", 0, place) + first_line
        raise FileFormatError(
            f"{name} has a NUL byte in line {line}; it is not plain text.\n"
            "  Hint: if it is UTF-16 without a byte-order mark, pass encoding='utf-16-le'."
        )


def marked_encoding(data: bytes) -> str | None:
    """Return the encoding that a byte-order mark says."""
    marks = (name for mark, name in BYTE_ORDER_MARKS if data.startswith(mark))
    return next(marks, None)


def windows_encoding(data: bytes) -> str:
    """Return cp1252, or Latin-1 if cp1252 has no character for one of the bytes."""
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def guessed_note(name: str, encoding: str, byte: int, line: int) -> ReadNote:
    """Return the note on an encoding that is a guess."""
    return ReadNote(
        code="encoding-guessed",
        line=line,
        message=(
            f"{name} is not UTF-8 (byte 0x{byte:02x}, line {line:,}); it is read as {encoding}.\n"
            f"  Hint: encoding={encoding!r} if that is right, or save the file as UTF-8."
        ),
        brief=f"not UTF-8 (line {line:,}); read as {encoding}",
    )


def empty(name: str) -> str:
    """Return the message on a file that holds nothing."""
    if name == _STDIN:
        return (
            "nothing came on stdin.\n"
            "  The command before the pipe printed no rows; its own message is above."
        )
    return f"{name} is empty."
