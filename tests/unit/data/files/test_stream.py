"""Tables in chunks: the same cells and numbers as the whole, whatever the format."""

import codecs
import gzip
import io
import json
import tracemalloc
from pathlib import Path

import pandas as pd
import pytest

from treewright.data.files import stream as streams
from treewright.data.files.any_file import ReadOptions, read_file
from treewright.data.files.chunk import kinds_of
from treewright.data.files.stream import open_table_stream
from treewright.data.files.write_rows import TableWriter, format_of
from treewright.data.read.table import read_table
from treewright.errors import FileFormatError, ParameterError, StrayTextError


@pytest.fixture
def small_chunks(monkeypatch) -> None:
    """Chunks of 16 rows, and blocks of so few bytes that rows are cut anywhere."""
    monkeypatch.setattr(streams, "CHUNK_ROWS", 16)
    monkeypatch.setattr(streams, "_BLOCK", 37)
    monkeypatch.setattr(streams, "_FIRST_BLOCK", 150)


def rows(n: int, delimiter: str = ",") -> str:
    lines = [delimiter.join(("code", "text", "size"))]
    for i in range(n):
        text = '"a ""quoted""\nline"' if i % 7 == 0 else f"word {i % 3}"
        lines.append(delimiter.join((f"{i:03}", text, f"{i / 4}")))
    return "\n".join(lines) + "\n"


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "¦"])
def test_chunks_are_the_whole(ending: str, delimiter: str) -> None:
    content = rows(100, delimiter).replace("\n", ending).encode()
    options = ReadOptions(delimiter=delimiter)
    whole = read_file(io.BytesIO(content), options)
    chunks = list(
        open_table_stream(io.BytesIO(content), options).chunks({"size": "number", "text": "text"})
    )
    assert [chunk.n_rows for chunk in chunks] == [16] * 6 + [4]
    assert [chunk.first_row for chunk in chunks] == [16 * i for i in range(7)]
    sizes = [value for chunk in chunks for value in chunk.frame["size"].tolist()]
    texts = [value for chunk in chunks for value in chunk.frame["text"].tolist()]
    codes = [value for chunk in chunks for value in chunk.texts("code")]
    assert sizes == whole["size"].tolist()
    assert texts == whole["text"].tolist()
    assert codes == [f"{i:03}" for i in range(100)]
    assert whole["code"].tolist() == list(range(100))


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "utf-16-le"])
def test_other_encodings_come_in_chunks(encoding: str) -> None:
    content = ("größe;y\n" + "".join(f"{i},5;ä{i}\n" for i in range(50))).encode(encoding)
    options = ReadOptions(encoding=encoding if encoding == "utf-16-le" else None)
    stream = open_table_stream(io.BytesIO(content), options)
    assert stream.columns == ("größe", "y")
    assert stream.reading.decimal == ","
    found = [
        pair
        for chunk in stream.chunks({"größe": "number"})
        for pair in zip(chunk.frame["größe"].tolist(), chunk.texts("y"), strict=True)
    ]
    assert found == [(i + 0.5, f"ä{i}") for i in range(50)]


@pytest.mark.usefixtures("small_chunks")
def test_json_lines_come_in_chunks() -> None:
    lines = [json.dumps({"a": i, "b": f"ü{i}"}, ensure_ascii=False) for i in range(50)]
    stream = open_table_stream(io.BytesIO("\n".join(lines).encode()), ReadOptions())
    chunks = list(stream.chunks({"a": "number", "b": "text"}))
    assert [chunk.n_rows for chunk in chunks] == [16, 16, 16, 2]
    assert [v for chunk in chunks for v in chunk.frame["a"].tolist()] == list(range(50))
    assert chunks[3].texts("b") == ["ü48", "ü49"]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    "content",
    [
        json.dumps([{"a": i, "b": "x"} for i in range(40)]),
        "@relation r\n@attribute a numeric\n@attribute b {x}\n@data\n"
        + "".join(f"{i},x\n" for i in range(40)),
    ],
)
def test_other_formats_come_in_chunks(content: str) -> None:
    stream = open_table_stream(io.BytesIO(content.encode()), ReadOptions())
    chunks = list(stream.chunks({"a": "number"}))
    assert [chunk.n_rows for chunk in chunks] == [16, 16, 8]
    assert [v for chunk in chunks for v in chunk.frame["a"].tolist()] == list(range(40))


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("from_pipe", [False, True])
def test_parquet_comes_in_chunks(tmp_path: Path, from_pipe: bool) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": range(40), "b": ["x"] * 40}).to_parquet(path)
    source = io.BytesIO(path.read_bytes()) if from_pipe else path
    chunks = list(open_table_stream(source, ReadOptions()).chunks({"a": "number"}))
    assert [chunk.n_rows for chunk in chunks] == [16, 16, 8]
    assert chunks[2].texts("b") == ["x"] * 8


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (rows(60) + "1,2\n", "line 71 has 2 fields, not 3"),
        (rows(60) + '1,"x,2\n', "line 71: unexpected end of data"),
        (rows(60) + '1,"x"y,2\n', "line 71: ',' expected after"),
        (rows(60) + "1,\0,2\n", "NUL byte in line 71"),
        ('{"a": 1}\n' * 50 + "{\n", "line 51 is no JSON"),
        ("", "is empty"),
        ("  \n\n", "is empty"),
    ],
)
def test_faults_name_the_line_of_the_file(content: str, said: str) -> None:
    with pytest.raises(FileFormatError, match=said):
        list(open_table_stream(io.BytesIO(content.encode()), ReadOptions()).chunks({}))


@pytest.mark.usefixtures("small_chunks")
def test_bytes_that_are_no_text_late_in_the_file_are_named() -> None:
    content = rows(60).encode() + b"1,\xe4,2\n"
    with pytest.raises(FileFormatError, match=r"not utf-8: byte 0xe4 in line 71"):
        list(open_table_stream(io.BytesIO(content), ReadOptions()).chunks({}))
    with pytest.raises(ParameterError, match="encoding='klingon'"):
        open_table_stream(io.BytesIO(content), ReadOptions(encoding="klingon"))


@pytest.mark.usefixtures("small_chunks")
def test_a_stray_text_names_its_line_and_marks_are_missing() -> None:
    content = rows(60) + "1,x,-\n"
    chunks = open_table_stream(io.BytesIO(content.encode()), ReadOptions()).chunks(
        {"size": "number"}
    )
    assert sum(int(chunk.frame.column("size").missing.sum()) for chunk in chunks) == 1
    content += "1,x,12O0\n"
    chunks = open_table_stream(io.BytesIO(content.encode()), ReadOptions()).chunks(
        {"size": "number"}
    )
    with pytest.raises(StrayTextError, match="line 72 has '12O0'"):
        _ = [chunk.frame for chunk in chunks]


@pytest.mark.usefixtures("small_chunks")
def test_a_single_column_keeps_its_gaps_across_chunks() -> None:
    content = "a\n" + "1\n\n" * 40
    chunks = list(open_table_stream(io.BytesIO(content.encode()), ReadOptions()).chunks({}))
    assert sum(chunk.n_rows for chunk in chunks) == 79


def test_kinds_follow_from_what_was_fitted() -> None:
    fitted = read_table(
        {"a": [1.5], "b": ["x"], "c": [True], "d": pd.to_datetime(["2024-01-01"])}
    ).schema
    assert kinds_of(fitted) == {"a": "number", "b": "text", "c": "boolean", "d": "date"}


def test_memory_does_not_grow_with_the_file() -> None:
    def peak(n: int) -> int:
        content = io.BytesIO(b"a,b\n" + b"12.5,some text\n" * n)
        tracemalloc.start()
        for chunk in open_table_stream(content, ReadOptions()).chunks({"a": "number"}):
            assert len(chunk.frame) == chunk.n_rows
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(1_600_000) < 1.5 * peak(800_000)


def written(content: bytes, *, keep: tuple[str, ...] | None = None, **options) -> bytes:
    made = io.BytesIO()
    stream = open_table_stream(io.BytesIO(content), ReadOptions())
    with TableWriter(made, **options) as writer:
        for chunk in stream.chunks({}):
            added = {"said": [f"r{chunk.first_row + i}" for i in range(chunk.n_rows)]}
            writer.write(chunk, stream.columns if keep is None else keep, added)
    return made.getvalue()


@pytest.mark.usefixtures("small_chunks")
def test_cells_pass_as_they_were_written() -> None:
    content = rows(40)
    made = written(content.encode()).decode()
    assert made.startswith("code,text,size,said\n000,")
    back = read_file(io.BytesIO(made.encode()), ReadOptions(kinds={"code": "text"}))
    assert back["code"].tolist() == [f"{i:03}" for i in range(40)]
    assert back["said"].tolist() == [f"r{i}" for i in range(40)]
    assert back["text"].tolist()[7] == 'a "quoted"\nline'
    only = written(content.encode(), keep=()).decode()
    assert only == "said\n" + "".join(f"r{i}\n" for i in range(40))


@pytest.mark.parametrize("keep", [("size", "code"), ("text",)])
def test_some_columns_are_kept(keep: tuple[str, ...]) -> None:
    made = written(rows(9).encode(), keep=keep, format="tsv")
    back = read_file(io.BytesIO(made), ReadOptions())
    assert back.columns == (*keep, "said")
    assert (
        back[keep[0]].tolist()
        == read_file(io.BytesIO(rows(9).encode()), ReadOptions())[keep[0]].tolist()
    )


def test_csv_becomes_json_lines() -> None:
    made = written(b'a,b,c\n007,1.50,"x ""y"""\n-3,,z\n', format="jsonl").decode()
    assert made == (
        '{"a": "007", "b": 1.50, "c": "x \\"y\\"", "said": "r0"}\n'
        '{"a": -3, "b": null, "c": "z", "said": "r1"}\n'
    )


def test_json_lines_become_csv_and_parquet() -> None:
    content = b'{"a": 1.5, "b": "x,y"}\n{"a": null, "b": true}\n'
    assert written(content) == b'a,b,said\n1.5,"x,y",r0\n,true,r1\n'
    content = b'{"a": 1.5, "b": "x,y"}\n{"a": null, "b": "z"}\n'
    back = pd.read_parquet(io.BytesIO(written(content, format="parquet")))
    assert back["b"].tolist() == ["x,y", "z"]
    assert back["said"].tolist() == ["r0", "r1"]


def test_a_delimiter_at_the_end_of_every_line_is_not_passed_on() -> None:
    assert written(b"a,b,\n1,2,\n") == b"a,b,said\n1,2,r0\n"


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv.bz2", ".jsonl.xz", ".parquet"])
def test_files_are_written_by_their_suffix(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    stream = open_table_stream(io.BytesIO(b"a,b\n1,x\n2,y\n"), ReadOptions())
    with TableWriter(path) as writer:
        for chunk in stream.chunks({"a": "number"}):
            writer.write(chunk, stream.columns, {"p": [0.25, 0.1 + 0.2]})
    back = read_file(path, ReadOptions())
    assert back["p"].tolist() == [0.25, 0.1 + 0.2]
    assert back["b"].tolist() == ["x", "y"]
    assert writer.n_rows == 2
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    (chunk,) = open_table_stream(io.BytesIO(b"a\n1\n"), ReadOptions()).chunks({})

    def fail() -> None:
        with TableWriter(path) as writer:
            writer.write(chunk, chunk.columns, {})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_rows_give_the_same_compressed_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("one.csv.gz", "two.csv.gz"):
        with TableWriter(tmp_path / name) as writer:
            for chunk in open_table_stream(io.BytesIO(b"a\n1\n"), ReadOptions()).chunks({}):
                writer.write(chunk, chunk.columns, {})
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    assert gzip.decompress(made[0]) == b"a\n1\n"


def test_formats_by_name() -> None:
    assert format_of("a.parquet") == "parquet"
    assert format_of("a.TSV.GZ") == "tsv"
    assert format_of("a.out") is None
    with pytest.raises(ParameterError, match="format='xls' must be"):
        TableWriter(io.BytesIO(), format="xls")  # type: ignore[arg-type]


def test_a_mark_of_byte_order_is_no_part_of_the_first_name() -> None:
    stream = open_table_stream(io.BytesIO(codecs.BOM_UTF8 + b"a,b\n1,2\n"), ReadOptions())
    assert stream.columns == ("a", "b")
