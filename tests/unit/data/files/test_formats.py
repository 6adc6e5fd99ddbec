"""Formats are known by their content; what is no table is named."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import zipfile

import pandas as pd
import pytest

from treewright.data.files.any_file import ReadOptions, read, read_file
from treewright.errors import DataError, FileFormatError, StrayTextError


def found(content: bytes, **options):
    return read_file(io.BytesIO(content), ReadOptions(**options))


def workbook() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        # Without a date: the content names the test, which all workers must name alike.
        archive.writestr(zipfile.ZipInfo("[Content_Types].xml"), "<Types/>")
        archive.writestr(zipfile.ZipInfo("xl/workbook.xml"), "<workbook/>")
    return made.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (workbook(), "is an Excel workbook; treewright reads CSV"),
        (b"\xd0\xcf\x11\xe0rest", "is an old Excel workbook"),
        (b"%PDF-1.7", "is a PDF document"),
        (pickle.dumps({"a": 1}), "is a pickle of Python"),
        (pickle.dumps([1], protocol=2), "is a pickle of Python"),
        (b"<!DOCTYPE html><html>", r"is a web page \(HTML\)"),
        (b"\n <html><body>", r"is a web page \(HTML\)"),
        (b"<?xml version='1.0'?>", "is XML"),
        (b"SQLite format 3\0", "is an SQLite database"),
        (b"\x93NUMPY\x01\0", "is an array of NumPy"),
        (b"\x28\xb5\x2f\xfdrest", "is compressed with zstd"),
        ((40).to_bytes(8, "little") + b'{"format":1}', "is a model of treewright"),
    ],
)
def test_what_is_no_table_is_named(content: bytes, said: str) -> None:
    with pytest.raises(FileFormatError, match=rf"{said}(.|\n)*\n  Hint: "):
        found(content)


def test_a_pickle_is_named_inside_gzip_too() -> None:
    with pytest.raises(FileFormatError, match="is a pickle"):
        found(gzip.compress(pickle.dumps([1, 2])))


def test_json_lines_are_known_whatever_the_name(tmp_path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('{"a": 1, "b": "x", "c": true}\n\n{"b": "y", "a": 2.5}\n', encoding="utf-8")
    frame = read(path)
    assert frame.columns == ("a", "b", "c")
    assert frame["a"].tolist() == [1.0, 2.5]
    assert frame["c"].tolist() == [True, None]
    assert frame.reading is not None
    assert frame.reading.told() == "JSON, UTF-8"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_an_array_of_records_is_read(compress) -> None:
    rows = [{"a": 1, "day": "2024-01-01"}, {"a": None, "day": "2024-02-01"}]
    frame = found(compress(json.dumps(rows, indent=1).encode()))
    assert frame["a"].tolist() == [1, None]
    assert frame.column("day").storage == "datetime"


def test_strings_of_digits_stay_text_in_json() -> None:
    assert found(b'{"zip": "007"}\n{"zip": "123"}')["zip"].tolist() == ["007", "123"]


def test_whole_numbers_are_exact_in_json() -> None:
    assert found(b'{"a": 1152921504606846977}')["a"].tolist() == [2**60 + 1]


def test_strings_among_numbers_follow_the_rule_of_csv() -> None:
    rows = "".join(f'{{"a": {n}}}\n' for n in range(30))
    assert found((rows + '{"a": "-"}\n').encode()).column("a").missing.tolist()[-1] is True
    with pytest.raises(StrayTextError, match="line 31 has 'x1'"):
        found((rows + '{"a": "x1"}\n').encode(), strict=True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": 1}\n{"a": \n', "line 2 is no JSON"),
        (b'{"a": 1}\n5\n', r"line 2 holds the value 5, not a record"),
        (b'{"a": [1]}\n', r"line 1: 'a' holds a list"),
        (b'[{"a": {"b": 1}}]', r"record 1: 'a' holds a record"),
        (b'[{"a": 1}, 2]', "record 2 is the value 2"),
        (b"[]", "has no records"),
        (b'[{"a": 1}', "is no JSON"),
        (b'{"a": ' + b"[" * 100_000, "nested too deeply|no JSON"),
    ],
)
def test_damaged_json_names_the_line(content: bytes, said: str) -> None:
    with pytest.raises(FileFormatError, match=said):
        found(content)


def test_a_header_with_a_brace_is_csv() -> None:
    assert found(b"{a},b\n1,2\n").columns == ("{a}", "b")
    assert found(b"[a],b\n1,2\n").columns == ("[a]", "b")


def test_arff_is_known_by_its_content() -> None:
    frame = found(b"% made\n\n@RELATION x\n@attribute a {u,v}\n@data\nu\nv\n")
    assert frame["a"].tolist() == ["u", "v"]
    assert frame.reading is not None
    assert frame.reading.format == "arff"


def test_columns_are_left_out_of_every_format(tmp_path) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1], "b": [2]}).to_parquet(path)
    assert read(path, ignore=["b"]).columns == ("a",)
    assert found(b'{"a": 1, "b": 2}', ignore=("b",)).columns == ("a",)


@pytest.mark.parametrize("cut", range(2, 40))
def test_damaged_compression_is_refused_at_every_byte(cut: int) -> None:
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 200)
    with pytest.raises(DataError):
        found(whole[: min(cut, len(whole) - 1)])


def test_numbers_of_json_are_read_beside_a_decimal_comma() -> None:
    content = b'{"a": 1.5, "b": "2,5"}\n{"a": 2, "b": 3.5}\n'
    frame = found(content, decimal=",", expected={"a": "number", "b": "number"})
    assert frame["a"].tolist() == [1.5, 2.0]
    assert frame["b"].tolist() == [2.5, 3.5]
