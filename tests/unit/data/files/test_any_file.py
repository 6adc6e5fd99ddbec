"""CSV, TSV and Parquet files: read as they are meant, or refused with the line."""

import bz2
import gzip
import lzma
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from treewright.data.files import parquet as parquet_reader
from treewright.data.files.any_file import read
from treewright.data.frame import Frame
from treewright.data.read.table import read_table
from treewright.errors import FileFormatError, ParameterError, ReadWarning


@pytest.fixture
def save(tmp_path: Path):
    def write(content: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def rows_of(frame: Frame) -> list[list[object]]:
    return [list(row) for row in zip(*(frame[name].tolist() for name in frame), strict=True)]


def test_kinds_are_told_by_the_whole_column(save) -> None:
    frame = read(
        save(
            "whole,number,text,flag,day,at\n"
            "1,1.5,a,true,2024-03-01,2024-03-01 12:30\n"
            "-2,1e3,7b,false,2024-03-02,2024-03-01T12:30:01.5\n"
        )
    )
    storages = [frame.column(name).storage for name in frame]
    assert storages == ["int", "float", "value", "value", "datetime", "datetime"]
    assert frame["number"].tolist() == [1.5, 1000.0]
    assert frame["flag"].tolist() == ["true", "false"]
    assert str(frame["at"][1]) == "2024-03-01T12:30:01.500000000"


@pytest.mark.parametrize("gap", ["", "?", "NA", "NaN", "null", " ", '""'])
def test_gaps_are_missing_in_every_kind_of_column(save, gap: str) -> None:
    frame = read(save(f"a,b,c,d\n1,1.5,x,2024-01-01\n{gap},{gap},{gap},{gap}\n"))
    for name in frame:
        assert frame.column(name).missing.tolist() == [False, True]
    assert frame.column("a").storage == "int"


def test_none_is_a_value_and_the_gaps_can_be_chosen(save) -> None:
    path = save("size\nnone\nNA\n-\n")
    assert read(path)["size"].tolist() == ["none", None, "-"]
    assert read(path, missing=["-"])["size"].tolist() == ["none", "NA", None]


def test_a_column_of_gaps_is_blank(save) -> None:
    assert read(save("a,b\n1,\n2,\n"))["b"].tolist() == [None, None]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found(save, delimiter: str, ending: str) -> None:
    lines = [delimiter.join(row) for row in (["a", "b"], ["1", "x y"], ["2", "z"])]
    frame = read(save(ending.join(lines) + ending))
    assert rows_of(frame) == [[1, "x y"], [2, "z"]]


def test_decimal_commas_are_read_when_asked_for(save) -> None:
    path = save("a;b\n1,5;x\n2,5;y\n")
    assert read(path, decimal=",")["a"].tolist() == [1.5, 2.5]
    with pytest.warns(ReadWarning, match="decimal=',' reads them as numbers"):
        assert read(path)["a"].tolist() == ["1,5", "2,5"]


def test_quotes_hold_delimiters_newlines_and_quotes(save) -> None:
    frame = read(save('a,b\n"x, ""y""\nz",1\n"it\'s, 5",2\n'))
    assert frame["a"].tolist() == ['x, "y"\nz', "it's, 5"]


def test_spaces_after_the_delimiter_are_dropped(save) -> None:
    frame = read(save('age, job\n39, Private\n50, "a, b"\n51, ?\n'))
    assert frame.columns == ("age", "job")
    assert frame["job"].tolist() == ["Private", "a, b", None]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_are_understood(save, encoding: str) -> None:
    frame = read(save("größe,x\n1,ä\n".encode(encoding)))
    assert frame.columns == ("größe", "x")
    assert frame["x"].tolist() == ["ä"]


def test_another_encoding_is_named_with_its_byte(save) -> None:
    path = save("a,b\n1,x\n2,größe\n".encode("latin-1"))
    with pytest.raises(FileFormatError) as caught:
        read(path)
    assert str(caught.value) == (
        "table.csv is not utf-8: byte 0xf6 at position 12, line 3.\n"
        "  Hint: pass encoding='latin-1' or encoding='cp1252', or save the file as UTF-8."
    )
    assert read(path, encoding="latin-1")["b"].tolist() == ["x", "größe"]
    with pytest.raises(ParameterError, match="encoding='klingon' is not known"):
        read(path, encoding="klingon")


def test_integers_are_exact_and_long_digits_are_text(save) -> None:
    frame = read(save(f"a,b,c\n{2**60 + 1},{2**64 - 1},{10**30 + 1}\n1,0,{10**30}\n"))
    assert frame["a"].tolist() == [2**60 + 1, 1]
    assert frame["b"].tolist() == [2**64 - 1, 0]
    assert frame["c"].tolist() == [str(10**30 + 1), str(10**30)]


def test_a_whole_number_beyond_64_bits_among_others_is_told(save) -> None:
    lines = "\n".join(["a", *map(str, range(40)), str(2**70)]) + "\n"
    with pytest.warns(
        ReadWarning, match="(?s)40 of its 41 values are whole numbers of 64 bits.*kinds"
    ):
        assert read(save(lines))["a"].dtype == object
    numbers = read(save(lines), kinds={"a": "number"})["a"]
    assert (numbers.dtype, numbers[-1]) == (np.float64, 2.0**70)
    mixed = f"a\n-1\n{2**63}\n5\n"
    with pytest.warns(ReadWarning, match=f"2 of its 3 values .* not so '{2**63}' .first in line 3"):
        read(save(mixed))
    assert read(save(f"a\n{10**30}\n{10**30 + 1}\n"))["a"].tolist() == [
        str(10**30),
        str(10**30 + 1),
    ]


@pytest.mark.parametrize("text", ["1_000", "١٢", "0x10", "1e", "--1", "nan1"])
def test_what_only_python_takes_for_a_number_is_text(save, text: str) -> None:
    assert read(save(f"a\n{text}\n"))["a"].tolist() == [text]


NUMBERS = [str(n / 4) for n in range(40)]


@pytest.mark.parametrize(
    ("values", "said", "hint"),
    [
        (
            [*NUMBERS, "-"],
            r"40 of its 41 values are numbers; not so '-' \(first in line 42\)",
            "gaps",
        ),
        ([*NUMBERS, "10%"], "not so '10%'", "write '10%' as plain numbers"),
        ([*NUMBERS, "1,50"], "not so '1,50'", "write '1,50' with the marks of the other numbers"),
        ([*NUMBERS, "$10.50"], r"not so '\$10.50'", "without signs and units"),
        (["31.12.2024", "1.2.2025"], "in another notation: '31.12.2024'", "dates='%d.%m.%Y'"),
        (["12/31/2024", "2/1/2025"], "in another notation", "dates='%m/%d/%Y'"),
        (["1,000", "12,345"], "in another notation", "thousands=',' or decimal=','"),
        (
            ["1,200", "2,300", "-", "1,100", "4,000", "2,150", "900"],
            "in another notation: '1,200'",
            r"thousands=','.*missing=\[..., '-'\]",
        ),
        (
            ["1.000,5", "12"],
            "1 of its 2 values is a number; not so '1.000,5'",
            r"decimal=',', thousands='\.'",
        ),
        (
            ["1,200", "-", "10%", "5", "6", "7"],
            r"3 of its 6 values are numbers; not so '1,200', '-', '10%' \(first in line 2\)",
            r"thousands=',' .*; write '10%' as plain .*; missing=\[..., '-'\] makes such values",
        ),
        (["1", "2", "-"], "2 of its 3 values are numbers; not so '-'", "missing="),
        (["5", "."], r"1 of its 2 values is a number; not so '\.'", "missing="),
        (["3", "unknown", "4"], "not so 'unknown'", "missing="),
        (["1.5", "#DIV/0!", "2"], "not so '#DIV/0!'", "missing="),
        (["12", "15", "18", "x", "21"], "4 of its 5 values are numbers; not so 'x'", "missing="),
        (["1.5", "2.5", "none"], "not so 'none'", "missing="),
        (["-5", "3", "low", "8"], "not so 'low'", "missing="),
        (["<5", "12", "7", "8.5"], "not so '<5'", "missing="),
        (["12", "7", "133", "1O0", "5", "21"], "not so '1O0'", "missing="),
        ([*map(str, range(20)), *["low"] * 30], "20 of its 50 values are numbers", "missing="),
        ([*map(str, range(95)), *["V57"] * 5], "95 of its 100 values are numbers", "missing="),
        (["10%", "3 %"], "its values look like numbers in another notation: '10%'", "plain"),
        (["$1,200.50", "$5", "n/a "], "2 of its 3 values look like", "plain numbers.*missing="),
        (["(5.00)", "3", "\u22124", "5"], r"not so '\(5.00\)', '−4'", "plain numbers"),
        (["EUR 5", "7 EUR"], "in another notation", "plain numbers"),
        (["10kg", "7 kg", "2.5kg"], "in another notation", "plain numbers"),
        (["'5'", "'7'"], "in another notation", "plain numbers"),
        (["1 200", "950", "3 400"], "in another notation", "thousands=' ' reads"),
        (["1\u00a0200", "3\u00a0400"], "in another notation", r"thousands='\\xa0' reads"),
        (["1'200", "3'400"], "in another notation", """thousands="'" reads"""),
        (["12:30", "13:45"], "in another notation", "minutes since midnight"),
        (["2024-01-01", "-", "2024-01-03"], "2 of its 3 values are dates; not so '-'", "missing="),
        (["2024-02-29", "2024-02-30"], "1 of its 2 values is a date", "missing="),
        (["2024/01/31", "2024/02/01"], "look like dates in", "dates='%Y/%m/%d'"),
        (["2024-1-5", "2024-11-5"], "look like dates in", "dates='%Y-%m-%d'"),
        (["31-Jan-2024", "3-Feb-2024"], "look like dates in", "dates='%d-%b-%Y'"),
        (["Jan 31, 2024", "Feb 3, 2024"], "look like dates in", "dates='%b %d, %Y'"),
        (["3/4/24", "3/15/24"], "look like dates in", "dates='%m/%d/%y' reads"),
        (["3/4/2024", "5/6/2024"], "look like dates in", "'%m/%d/%Y' or dates='%d/%m/%Y'"),
        (["31.1.2024 10:30", "1.2.2024 9:00"], "look like dates in", "dates='%d.%m.%Y %H:%M'"),
        (["2024-01-01", "15.3.2024"], "is a date; not so '15.3.2024'", "dates='%d.%m.%Y'"),
    ],
)
def test_numbers_that_are_read_as_names_are_told(
    save, values: list[str], said: str, hint: str
) -> None:
    text = "a;b\n" + "".join(f"{value};x\n" for value in values)
    with pytest.warns(
        ReadWarning, match=rf"column 'a' is read as names, although .*{said}"
    ) as told:
        frame = read(save(text), delimiter=";")
    assert frame["a"].tolist() == values
    assert re.search(hint, str(told[0].message).split("Hint: ")[1])


def test_columns_that_one_option_mends_share_a_warning(save) -> None:
    text = "a;b;c;d\n" + "1,5;2,5;31.12.2024;1,0\n2,5;3,5;1.2.2025;-\n" * 3
    with pytest.warns(ReadWarning) as told:
        read(save(text), delimiter=";")
    first, *others = (str(each.message) for each in told)
    assert "column 'a' is read as names" in first
    assert "\n  The same holds for 'b'.\n  Hint: decimal=',' reads them as numbers." in first
    assert [message.split("Hint: ")[1][:8] for message in others] == ["dates='%", "decimal="]


@pytest.mark.parametrize(
    "values",
    [
        ["a1", "b2"],
        ["12a", "7b", "3c"],
        ["1", "2", "other"],
        ["x"],
        ["1", "2", "3", "U"],
        ["A12", "17", "B7", "23", "C9", "4"],
        ["10115", "SW1A 1AA", "80331", "K1A 0B1", "20095", "75001"],
        ["10115", "SW1A 1AA", "80331", "20095", "50667", "75001"],
        [*(str(10000 + 37 * n) for n in range(60)), *["SW1A 1AA", "K1A 0B1"] * 10],
        ["01234", "02139", "K1A", "00501", "99501", "101"],
        ["12", "14", "12a", "7b", "3", "9c"],
        ["113803", "A/5 21171", "PC 17599", "373450", "330877", "17463"],
        ["10-20", "20-30", "30-40"],
        ["1", "2", "3", "4-5", "6+"],
        ["<18", ">=18"],
        ["1st", "2nd", "3rd"],
        ["3rd", "5th"],
        ["4WD", "2WD", "FWD"],
        ["2XL", "3XL", "XL"],
        ["12A", "14C", "3F"],
        ["10", "11", "12", "K"] * 20,
        ["1917", "Up", "Alien", "300", "Heat", "Jaws", "Her"],
        ["192.168.1.10", "10.0.0.1", "8.8.8.8"],
        ["1.2.3", "1.3.0"],
        ["555-1234", "555-9876"],
        ["978-3-16-148410-0", "978-0-306-40615-7"],
        ["yes", "no", "-"],
        ["Q1 2024", "Q2 2024"],
        ["3:2", "1:0"],
        ["10x20", "5x8"],
        ["12-34-5678", "99-88-7777"],
        [str(10**30), str(10**30 + 1)],
    ],
)
def test_names_are_read_as_names_without_a_word(save, values: list[str]) -> None:
    path = save("a;b\n" + "".join(f"{value};x\n" for value in values))
    assert read(path, delimiter=";")["a"].tolist() == values


def test_notations_are_read_when_declared(save) -> None:
    path = save("n;d\n1.234,5;31.12.2024\n-1.000.000;2024-02-29\n;\n")
    frame = read(path, decimal=",", thousands=".", dates="%d.%m.%Y")
    assert frame["n"].tolist()[:2] == [1234.5, -1e6]
    assert np.isnan(frame["n"][2])
    days = frame["d"].astype("M8[D]").astype(str).tolist()
    assert days == ["2024-12-31", "2024-02-29", "NaT"]


def test_a_thousands_mark_stands_between_groups_of_three(save) -> None:
    with pytest.warns(ReadWarning):
        assert read(save("a;b\n1,23;x\n"), thousands=",")["a"].tolist() == ["1,23"]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_are_read(save, compress: Any) -> None:
    path = save(compress(b"a\tb\n1,5\tx y\n"), name="table.tsv.gz")
    assert read(path, decimal=",")["a"].tolist() == [1.5]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"thousands": "."}, "thousands and decimal are both '.'"),
        ({"thousands": "1"}, "thousands='1' must be one character"),
        ({"dates": "day first"}, "dates='day first' must say how dates are written"),
    ],
)
def test_notations_that_cannot_be_are_refused(save, options: dict[str, str], said: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(said)):
        read(save("a\n1\n"), **options)


def test_infinities_are_numbers(save) -> None:
    assert read(save("a\ninf\n-Infinity\n1.0\n"))["a"].tolist() == [np.inf, -np.inf, 1.0]


def test_a_date_in_no_calendar_is_text(save) -> None:
    assert read(save("a\n2024-02-30\n"))["a"].tolist() == ["2024-02-30"]


def test_a_delimiter_at_the_end_of_every_line_makes_no_column(save) -> None:
    assert rows_of(read(save("a,b,\n1,2,\n3,4,\n"))) == [[1, 2], [3, 4]]
    assert read(save("a,b,\n1,2,\n3,4,x\n")).columns == ("a", "b", "")


def test_lines_of_spaces_are_blank(save) -> None:
    assert rows_of(read(save("a,b\n1,2\n   \n3,4\n"))) == [[1, 2], [3, 4]]


def test_excels_first_line_names_the_delimiter(save) -> None:
    path = save("sep=;\r\na;b\r\n1,5;x\r\n")
    assert rows_of(read(path, decimal=",")) == [[1.5, "x"]]
    with pytest.raises(FileFormatError, match="line 3 has 1 fields, not 2"):
        read(save("sep=;\na;b\n1,x\n"))
    with pytest.raises(FileFormatError, match="is empty but for its first line, 'sep=;'"):
        read(save("sep=;\n"))


def test_columns_divided_by_spaces_are_told(save) -> None:
    path = save("age height\n12 1.5\n13 1.6\n")
    with pytest.warns(ReadWarning, match=r"divide at spaces into 2 parts.\n  Hint: delimiter=' '"):
        read(path)
    assert rows_of(read(path, delimiter=" ")) == [[12, 1.5], [13, 1.6]]
    assert read(save("first name\nAnna Maria\nJean Paul\n")).columns == ("first name",)


def test_dates_with_a_time_zone_are_instants(save) -> None:
    column = read(save("a\n2024-03-01T12:00:00Z\n2024-03-01T12:00:00+01:00\n")).column("a")
    assert column.time_zone == "UTC"
    assert column.data[0] - column.data[1] == 3600 * 10**9
    with pytest.raises(FileFormatError, match=r"table.csv: column 'a' mixes dates"):
        read(save("a\n2024-03-01 12:00:00Z\n2024-03-01 12:00:00\n"))


def test_one_column_keeps_its_empty_lines_as_gaps(save) -> None:
    assert read(save("a\n1\n\n3\n\n"))["a"].tolist() == [1, None, 3]
    assert len(read(save("a,b\n1,2\n\n3,4\n\n\n"))) == 2


def test_a_header_alone_is_a_table_without_rows(save) -> None:
    frame = read(save("a,b\n"))
    assert (frame.columns, len(frame)) == (("a", "b"), 0)


def test_no_header(save) -> None:
    path = save("1,2\n3,4\n")
    with pytest.raises(FileFormatError) as caught:
        read(path)
    assert str(caught.value) == (
        "table.csv, line 1 holds only numbers (1, 2), not names of columns.\n"
        "  Hint: pass header=False if it is data, header=True if these are the names."
    )
    assert rows_of(read(path, header=False)) == [[1, 2], [3, 4]]
    assert read(path, header=False).columns == ("x0", "x1")
    assert read(path, header=True).columns == ("1", "2")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3\n", r"^table.csv, line 3 has 1 fields, not 2\.\n  Hint: fields are divided"),
        ("a,b\n1,2,3\n", r"^table.csv, line 2 has 3 fields, not 2\."),
        ('a,b\n1,"x"y\n', r"^table.csv, line 2: .*\n  Hint: a quote inside a quoted field"),
        ('a,b\n1,"x\n2,y\n', r"^table.csv, line 3: .*\n  Hint: a quote is opened and never closed"),
        ('a\n"' + "x" * 200_000, r"^table.csv, line 2 has a field of more .*\n  Hint: a quote may"),
        ("a,b,a\n1,2,3\n", r"^table.csv, line 1 has more than one column called 'a'\."),
        ("Loans of May,,\na,b,c\n1,2,3\n", r"^table.csv, line 1 has 2 columns without a name\.\n"),
        ("a,b\n1,\0\n", r"^table.csv has a NUL byte in line 2; it is not plain text"),
        ("", r"^table.csv is empty\.$"),
        ("  \n\n", r"^table.csv is empty\.$"),
        (
            gzip.compress(b"a,b\n1,2\n", mtime=0)[:-4],
            r"^table.csv is compressed with gzip, and damaged",
        ),
        (b"PK\x03\x04rest", r"^table.csv is a zip archive or a spreadsheet"),
    ],
)
def test_what_is_no_table_names_the_line(save, content: str | bytes, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        read(save(content))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "ab"}, "delimiter='ab' must be one character"),
        ({"delimiter": '"'}, "must be one character"),
        ({"decimal": ";"}, "decimal=';' must be"),
        ({"delimiter": ",", "decimal": ","}, "delimiter and decimal are both ','"),
    ],
)
def test_options_are_checked(save, options: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read(save("a\n1\n"), **options)


def test_a_missing_file_is_pythons_own_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "no.csv")


def test_tabs_are_taken_from_the_name(save) -> None:
    assert rows_of(read(save("a\tb\n1, 5\tx\n", name="table.tsv"))) == [["1, 5", "x"]]


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    pd.DataFrame(
        {
            "count": pd.array([2**60 + 1, None], dtype="Int64"),
            "size": pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"], ordered=True),
            "name": ["b", None],
            "day": pd.to_datetime(["2024-03-01", None]),
        }
    ).to_parquet(path)
    return path


def test_parquet_keeps_its_types(parquet: Path) -> None:
    frame = read(parquet)
    assert frame["count"].tolist() == [2**60 + 1, None]
    assert frame["name"].tolist() == ["b", None]
    assert frame.column("day").missing.tolist() == [False, True]
    assert read_table(frame).schema.column("size").values == ("lo", "mid", "hi")


def test_parquet_needs_only_one_of_two_libraries(parquet: Path, monkeypatch) -> None:
    monkeypatch.setattr(
        parquet_reader, "find_spec", lambda name: None if name == "pyarrow" else object()
    )
    assert read(parquet)["name"].tolist() == ["b", None]
    monkeypatch.setattr(parquet_reader, "find_spec", lambda name: None)
    with pytest.raises(FileFormatError, match=r"needs polars or pyarrow.\n  Hint: pip install"):
        read(parquet)


def test_damaged_parquet_is_refused(parquet: Path, save) -> None:
    damaged = save(parquet.read_bytes()[:-20], name="cut.parquet")
    with pytest.raises(FileFormatError, match=r"cut\.parquet is a damaged Parquet file"):
        read(damaged)
    with pytest.raises(FileFormatError, match=r"text\.parquet is not a Parquet file"):
        read(save("a,b\n", name="text.parquet"))


def test_parquet_is_known_by_its_first_bytes(parquet: Path, save) -> None:
    assert read(save(parquet.read_bytes(), name="named.csv"))["name"].tolist() == ["b", None]
