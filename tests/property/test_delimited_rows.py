"""Our tokenizer of delimited text against Python's csv module, which shares no code with it."""

import csv
import io
import re
import sys

from hypothesis import given
from hypothesis import strategies as st

from treewright.core import DelimitedRows
from treewright.data.files.notation import NUMBER, WHOLE

PIECES = st.sampled_from(
    [",", ";", '"', '""', "\n", "\r\n", "\r", " ", "a", "é", "1.5", "x y", '"q"', "\t", "¦"]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def by_csv(text: str, delimiter: str) -> tuple[list[list[str]], list[int], str]:
    """Return rows, their lines, and what is wrong with the text."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    rows: list[list[str]] = []
    lines: list[int] = []
    width = 0
    fault = ""
    while not fault:
        try:
            row = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            fault = "unclosed" if "end of data" in str(error) else "after_quote"
            break
        is_blank = len(row) < 2 and not "".join(row).strip()
        if is_blank and width != 1:
            continue
        width = width or len(row)
        if is_blank:
            row = row or [None]  # type: ignore[list-item]
        if len(row) != width:
            fault = "width"
            break
        rows.append(row)
        lines.append(reader.line_num)
    while not fault and rows and rows[-1] == [None]:
        del rows[-1], lines[-1]
    return [[cell or "" for cell in row] for row in rows], lines, fault


@given(text=TEXTS, delimiter=st.sampled_from([",", ";", "\t", "¦"]))
def test_cells_are_those_of_python(text: str, delimiter: str) -> None:
    cells = DelimitedRows(text.encode(), delimiter)
    cells.read(sys.maxsize, True)
    rows, lines, fault = by_csv(text, delimiter)
    assert cells.fault == fault
    ours = list(zip(*(cells.texts(place, 0) for place in range(cells.n_columns)), strict=True))
    if cells.n_rows:
        assert [list(row) for row in ours] == rows
    else:
        assert not rows
    assert cells.lines().tolist() == lines


@given(text=TEXTS, cut=st.integers(1, 30))
def test_a_text_in_pieces_is_the_text(text: str, cut: int) -> None:
    data = text.encode()
    whole = DelimitedRows(data, ",")
    whole.read(sys.maxsize, True)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    buffer, at, line, width, fault = b"", 0, 1, 0, ""
    while not fault:
        is_end = at >= len(data)
        buffer, at = buffer + data[at : at + cut], at + cut
        cells = DelimitedRows(buffer, ",", line, width)
        cells.read(sys.maxsize, is_end)
        rows += zip(*(cells.texts(place, 0) for place in range(cells.n_columns)), strict=True)
        lines += cells.lines().tolist()
        buffer, line, width = buffer[cells.consumed :], cells.next_line, cells.n_columns
        fault = cells.fault
        if is_end:
            break
    assert fault == whole.fault
    expected = [
        tuple(whole.texts(place, 0)[row] for place in range(whole.n_columns))
        for row in range(whole.n_rows)
    ]
    if width == 1 and not fault:  # empty lines at the end are found to be so only there
        while rows and len(rows) > len(expected) and rows[-1] == ("",):
            del rows[-1], lines[-1]
    assert rows == expected
    assert lines == whole.lines().tolist()


NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=True).map(repr),
    st.from_regex(NUMBER, fullmatch=True),
    st.text("0123456789+-.eEinf_ ", max_size=12),
)


@given(texts=st.lists(NUMBERS, min_size=1, max_size=8))
def test_numbers_are_those_of_python(texts: list[str]) -> None:
    cells = DelimitedRows("\n".join(f"{text};x" for text in texts).encode(), ";")
    cells.read(sys.maxsize, True)
    found = cells.numbers(0, 0, ["", "?"], ".", "")
    assert found is not None
    is_whole, is_beyond, n_numbers, values, wholes, present, others = found
    plain = [text.strip() for text in texts]
    is_number = [NUMBER.fullmatch(text) is not None for text in plain]
    assert [bool(p) for p in present] == is_number
    assert n_numbers == sum(is_number)
    assert {text for text, _, _ in others} == {
        text for text, known in zip(plain, is_number, strict=True) if not known and text
    }
    known = [text for text, is_one in zip(plain, is_number, strict=True) if is_one]
    assert is_whole == all(WHOLE.fullmatch(text) for text in known)
    for text, value, whole, is_one in zip(plain, values, wholes, is_number, strict=True):
        if is_one:
            assert value == float(text)
            if is_whole and not is_beyond:
                assert int(whole) == int(text)


@given(number=st.integers(0, 10**9), decimals=st.text("0123456789", max_size=4))
def test_marks_of_thousands_are_taken_out(number: int, decimals: str) -> None:
    text = re.sub(",", ".", f"{number:,}") + (f",{decimals}" if decimals else "")
    cells = DelimitedRows(f"{text};\n".encode(), ";")
    cells.read(sys.maxsize, True)
    found = cells.numbers(0, 0, [], ",", ".")
    assert found is not None
    assert found[3][0] == float(f"{number}.{decimals or 0}")
