"""Tables read in chunks of rows: files larger than memory, pipes, with the answers of the whole.

A chunk has the columns that a model asks for, typed as the model has them, and the cells as they
were written, so that they can be passed on: ``007`` stays ``007``.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO, cast

from treewright.core import DelimitedRows
from treewright.data.files.any_file import ReadOptions, read_opened
from treewright.data.files.chunk import Chunk, FrameChunk, RecordChunk, TextChunk
from treewright.data.files.csv import CsvOptions, delimiter_of
from treewright.data.files.decode import (
    empty,
    guessed_note,
    marked_encoding,
    refuse_nul,
    windows_encoding,
)
from treewright.data.files.delimiters import find_marks
from treewright.data.files.formats import refuse_other_formats, text_format
from treewright.data.files.json_records import record_of
from treewright.data.files.open_bytes import FileSource, OpenedFile, open_bytes
from treewright.data.files.parquet import PARQUET_MAGIC, parquet_chunks
from treewright.data.files.split_rows import SplitRows, header_names, refuse_faults
from treewright.data.files.typed_texts import TextKind
from treewright.data.frame import Frame
from treewright.data.match_names import default_names
from treewright.data.reading import Reading, ReadNote
from treewright.errors import FileFormatError, ParameterError

CHUNK_ROWS = 1 << 16
_BLOCK = 1 << 23
_FIRST_BLOCK = 1 << 17  # something is to be seen soon
_C45 = (".data", ".test", ".names")


@dataclass(frozen=True, eq=False)
class TableStream:
    """A table that is read in chunks, once.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns of the first rows; JSON records may bring more.
    reading : Reading
        How the file is read.
    """

    columns: tuple[str, ...]
    reading: Reading
    make_chunks: Callable[[Mapping[str, TextKind]], Iterator[Chunk]]
    close: Callable[[], None] = lambda: None

    def __enter__(self) -> TableStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def chunks(self, kinds: Mapping[str, TextKind]) -> Iterator[Chunk]:
        """Yield the chunks; `kinds` says which columns are typed, and as what ("any": by look)."""
        return self.make_chunks(kinds)


def open_table_stream(source: FileSource | Frame, options: ReadOptions) -> TableStream:
    """Return a file, standard input, an open binary file or a frame in chunks of 65,536 rows.

    CSV, TSV and JSON lines of any size, and Parquet, take the memory of a chunk; ARFF, C4.5 and
    a JSON array are read whole.

    >>> stream = open_table_stream(io.BytesIO(b"a,b\\n007,x\\n"), ReadOptions())
    >>> chunk = next(stream.chunks({"a": "number"}))
    >>> chunk.frame["a"].tolist(), chunk.texts("a")
    ([7], ['007'])
    """
    if isinstance(source, Frame):
        reading = source.reading or Reading(source="the table", format="frame")
        return _of_frames(_pieces(source), reading)
    options = options.checked()
    file = open_bytes(source)
    try:
        return _opened(file, options)
    except BaseException:
        file.close()
        raise


def _opened(file: OpenedFile, options: ReadOptions) -> TableStream:
    head = file.head()
    if head.startswith(PARQUET_MAGIC):
        frames = parquet_chunks(file, CHUNK_ROWS)
        return _of_frames(frames, Reading(source=file.name, format="parquet"), file.close)
    refuse_other_formats(head, file.name)
    if not head or (len(head) < 100 and head.isspace() and not (head := file.head()).strip()):
        raise FileFormatError(empty(file.name))
    text = _Utf8(file, options)
    format_ = text_format(
        text.peek().decode("utf-8", "ignore")[: 1 << 16], file.suffix, options.format
    )
    is_array = format_ == "json" and text.peek().lstrip().startswith(b"[")
    if format_ == "arff" or is_array or file.suffix in _C45:
        whole = OpenedFile(file.name, file.path, _buffered(text.rest()), None)
        frame = read_opened(whole, replace(options, encoding="utf-8"))
        file.close()
        assert frame.reading is not None
        return _of_frames(_pieces(frame), frame.reading)
    if format_ == "json":
        return _json_stream(text, file, options)
    return _csv_stream(text, file, options.for_csv(file.suffix))


def _pieces(frame: Frame) -> Iterator[Frame]:
    for begin in range(0, max(1, len(frame)), CHUNK_ROWS):
        yield frame.rows(slice(begin, begin + CHUNK_ROWS))


def _of_frames(
    frames: Iterator[Frame], reading: Reading, close: Callable[[], None] = lambda: None
) -> TableStream:
    first = next(frames, None)
    if first is None:
        raise FileFormatError(f"{reading.source} has no rows.")

    def chunks(kinds: Mapping[str, TextKind]) -> Iterator[Chunk]:
        del kinds  # the file declares its types
        frame: Frame | None = first
        first_row = 0
        try:
            while frame is not None:
                yield FrameChunk(frame=frame, first_row=first_row)
                first_row += len(frame)
                frame = next(frames, None)
        finally:
            close()

    return TableStream(first.columns, reading, chunks, close)


def _buffered(data: bytes) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, io.BytesIO(data))))


class _Utf8:
    """The text of a file in UTF-8, block by block."""

    def __init__(self, file: OpenedFile, options: ReadOptions) -> None:
        self.file = file
        self.note: ReadNote | None = None
        first = file.read(_FIRST_BLOCK)
        self.is_end = not first
        self.encoding = options.encoding or marked_encoding(first) or "utf-8"
        self.is_plain = self.encoding in ("utf-8", "utf-8-sig")
        if self.is_plain and options.encoding is None and options.look:
            self._guess(first)
        if self.is_plain:
            self.buffer = first.removeprefix(codecs.BOM_UTF8)
        else:
            try:
                self.decoder = codecs.getincrementaldecoder(self.encoding)()
            except LookupError:
                raise ParameterError(
                    f"encoding={self.encoding!r} is not known; try 'latin-1'."
                ) from None
            self.buffer = self._decoded(first).removeprefix(codecs.BOM_UTF8)
        if not self.buffer.strip():
            raise FileFormatError(empty(file.name))

    def _guess(self, first: bytes) -> None:
        whole_lines = first[: first.rfind(b"\n") + 1] or first
        try:
            whole_lines.decode("utf-8")
        except UnicodeDecodeError as error:
            self.encoding = windows_encoding(whole_lines)
            self.is_plain = False
            line = first.count(b"\n", 0, error.start) + 1
            byte = first[error.start]
            self.note = guessed_note(self.file.name, self.encoding, byte, line)

    def _decoded(self, block: bytes) -> bytes:
        try:
            return self.decoder.decode(block, self.is_end).encode("utf-8")
        except UnicodeDecodeError as error:
            raise FileFormatError(
                f"{self.file.name} is not {self.encoding}: {error.reason}.\n"
                "  Hint: pass another encoding, or save the file as UTF-8."
            ) from None

    def peek(self) -> bytes:
        """Return what is in the buffer."""
        return self.buffer

    def more(self) -> None:
        """Add a block to the buffer, or find that there is none."""
        block = self.file.read(max(_BLOCK, len(self.buffer)))
        self.is_end = not block
        self.buffer += block if self.is_plain else self._decoded(block)

    def drop(self, n_bytes: int, first_line: int) -> None:
        """Take the first bytes, which are whole rows, out of the buffer; refuse what is no text."""
        used = self.buffer[:n_bytes]
        refuse_nul(used, self.file.name, first_line)
        if self.is_plain and not used.isascii():
            try:
                used.decode("utf-8")
            except UnicodeDecodeError as error:
                line = first_line + used.count(b"\n", 0, error.start)
                raise FileFormatError(
                    f"{self.file.name} is not utf-8: byte 0x{used[error.start]:02x} in line"
                    f" {line:,}.\n  Hint: pass encoding='cp1252', or save the file as UTF-8."
                ) from None
        self.buffer = self.buffer[n_bytes:]

    def rest(self) -> bytes:
        """Return the whole text."""
        while not self.is_end:
            self.more()
        refuse_nul(self.buffer, self.file.name, 1)
        return self.buffer


def _csv_stream(text: _Utf8, file: OpenedFile, options: CsvOptions) -> TableStream:
    delimiter, n_told = delimiter_of(
        text.peek(), options.delimiter, source=file.name, is_end=text.is_end
    )
    blocks = _row_blocks(text, file, delimiter, n_told)
    first = next(blocks)
    names = header_names(
        first.first, file.name, header=options.header, looking=options.looking.marks
    )
    rows = first if names is None else first.after_first()
    has_header = names is not None
    names = names or default_names(len(first.first))
    is_trailing = len(names) > 1 and not names[-1] and rows.is_blank(len(names) - 1)
    if is_trailing:  # every line ends in a delimiter
        names = names[:-1]
    notation = options.notation
    if not options.marks_known:
        samples = [rows.sample(place) for place in range(len(names))]
        notation = find_marks(samples, notation)
    reading = Reading(
        source=file.name,
        delimiter=delimiter,
        decimal=notation.decimal,
        thousands=notation.thousands,
        encoding=text.encoding,
        header=has_header,
        missing=tuple(sorted(notation.missing)),
        dates=dict(options.dates_of) or None,
        compressed=file.compressed,
        notes=() if text.note is None else (text.note,),
    )
    typed = replace(options, notation=notation)
    is_raw = not is_trailing and delimiter != " "

    def chunks(kinds: Mapping[str, TextKind]) -> Iterator[Chunk]:
        first_row = 0
        block: SplitRows | None = rows
        try:
            while block is not None:
                yield TextChunk(
                    rows=block,
                    columns=names,
                    kinds=kinds,
                    options=typed,
                    delimiter=delimiter if is_raw else None,
                    source=file.name,
                    first_row=first_row,
                )
                first_row += block.n_rows
                block = next(blocks, None)
        finally:
            file.close()

    return TableStream(names, reading, chunks, file.close)


def _row_blocks(text: _Utf8, file: OpenedFile, delimiter: str, n_told: int) -> Iterator[SplitRows]:
    """Yield the rows of delimited text in blocks, the header in the first of them."""
    line = 1
    if n_told:
        text.drop(n_told, 1)
        line = 2
    width = 0
    while text.peek() or not text.is_end:
        cells = DelimitedRows(text.peek(), delimiter, line, width)
        most_rows = CHUNK_ROWS + (width == 0)  # and the header
        cells.read(most_rows, text.is_end)
        if cells.n_rows < most_rows and not text.is_end and not cells.fault:
            text.more()
            continue
        refuse_faults(cells, source=file.name, delimiter=delimiter)
        if cells.n_columns == 1 and not text.peek()[cells.consumed :].strip(b"\r\n"):
            # Empty lines are gaps, except at the end: it is seen whether this is the end.
            is_end = text.is_end
            while not text.is_end and not text.peek()[cells.consumed :].strip(b"\r\n"):
                text.more()
            if text.is_end and not is_end:
                continue
        text.drop(cells.consumed, line)
        line, width = cells.next_line, cells.n_columns
        if cells.n_rows:
            yield SplitRows(cells)
        elif text.is_end:
            return


def _json_stream(text: _Utf8, file: OpenedFile, options: ReadOptions) -> TableStream:
    csv = options.for_csv("")
    blocks = _record_blocks(text, file)
    first = next(blocks, None)
    if first is None:
        raise FileFormatError(f"{file.name} has no records.")
    names = tuple(dict.fromkeys(key for record in first[2] for key in record))
    reading = Reading(
        source=file.name,
        format="json",
        encoding=text.encoding,
        missing=tuple(sorted(csv.notation.missing)),
        compressed=file.compressed,
        notes=() if text.note is None else (text.note,),
    )
    made = partial(RecordChunk, options=csv, source=file.name, columns=names)

    def chunks(kinds: Mapping[str, TextKind]) -> Iterator[Chunk]:
        first_row = 0
        block: _Records | None = first
        try:
            while block is not None:
                lines, raw, records = block
                yield made(kinds=kinds, lines=lines, raw=raw, records=records, first_row=first_row)
                first_row += len(records)
                block = next(blocks, None)
        finally:
            file.close()

    return TableStream(names, reading, chunks, file.close)


_Records = tuple[Sequence[int], list[str], list[dict[str, object]]]


def _record_blocks(text: _Utf8, file: OpenedFile) -> Iterator[_Records]:
    lines: list[int] = []
    raw: list[str] = []
    records: list[dict[str, object]] = []
    number = 0
    while text.peek() or not text.is_end:
        end = len(text.peek()) if text.is_end else text.peek().rfind(b"\n") + 1
        if end == 0:
            text.more()
            continue
        block = text.peek()[:end]
        text.drop(end, number + 1)
        for line in block.decode("utf-8").removesuffix("\n").split("\n"):
            number += 1
            if not line.strip():
                continue
            lines.append(number)
            raw.append(line.strip())
            records.append(record_of(line, number, file.name))
            if len(records) == CHUNK_ROWS:
                yield lines, raw, records
                lines, raw, records = [], [], []
        if not text.is_end:
            text.more()
    if records:
        yield lines, raw, records
