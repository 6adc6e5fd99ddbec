"""Bytes to text: the encoding a byte-order mark says, UTF-8, or the customary one of Windows."""

from __future__ import annotations

from treewright.data.files.formats import BYTE_ORDER_MARKS
from treewright.data.reading import ReadNote
from treewright.errors import FileFormatError, ParameterError

_STDIN = "stdin"


def decode(
    data: bytes, name: str, encoding: str | None, *, looking: bool = False
) -> tuple[str, str, ReadNote | None]:
    """Return the text, its encoding, and a note where that is a guess.

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
    >>> decode("größe".encode("cp1252"), "t.csv", None, looking=True)[:2]
    ('größe', 'cp1252')
    """
    if not data.strip():
        raise FileFormatError(_empty(name))
    is_found = encoding is None
    if encoding is None:
        encoding = marked_encoding(data) or "utf-8"
    note: ReadNote | None = None
    try:
        text = data.decode(encoding)
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
        text, encoding = windows_text(data)
        note = guessed_note(name, encoding, byte, line)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileFormatError(
            f"{name} has a NUL byte in line {line}; it is not plain text.\n"
            "  Hint: if it is UTF-16 without a byte-order mark, pass encoding='utf-16-le'."
        )
    if not text.strip():
        raise FileFormatError(_empty(name))
    return text.removeprefix("\ufeff"), encoding, note


def marked_encoding(data: bytes) -> str | None:
    """Return the encoding that a byte-order mark says."""
    marks = (name for mark, name in BYTE_ORDER_MARKS if data.startswith(mark))
    return next(marks, None)


def windows_text(data: bytes) -> tuple[str, str]:
    """Return bytes as text of cp1252, or of Latin-1 if cp1252 has no character for one of them."""
    try:
        return data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


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


def _empty(name: str) -> str:
    if name == _STDIN:
        return (
            "nothing came on stdin.\n"
            "  The command before the pipe printed no rows; its own message is above."
        )
    return f"{name} is empty."
