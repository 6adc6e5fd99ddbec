"""What is found by looking at a file whose target is named: told, remembered, read alike."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.data.files.any_file import ReadOptions, read, read_file
from treewright.data.reading import Reading
from treewright.errors import (
    ColumnMismatchError,
    FileFormatError,
    ParameterError,
    ReadWarning,
    StrayTextError,
)


@pytest.fixture
def save(tmp_path: Path):
    def write(content: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def column_file(values: list[str], *, other: str = "x") -> str:
    return "a;y\n" + "".join(f"{value};{other}{i % 2}\n" for i, value in enumerate(values))


def found(content: str | bytes, **options: Any):
    return read_file(
        io.BytesIO(content.encode() if isinstance(content, str) else content),
        ReadOptions(**options),
    )


def test_three_lines_from_a_file_to_predictions_on_another(save) -> None:
    rows = [(i, "yes" if i > 7 else "no") for i in range(30)]
    learn = save("size;answer\n" + "".join(f"{i},5;{said}\n" for i, said in rows))
    new = save("answer;size\n?;3,5\n?;20,25\n", name="new.csv")
    data = tw.read(learn, target="answer")
    model = tw.DecisionTreeClassifier().fit(data.X, data.y)
    X = tw.read(new, like=data.reading, ignore=["answer"])
    assert model.predict(X).tolist() == ["no", "yes"]


def test_a_target_divides_the_table(save) -> None:
    data = read(save("id,a,y\n1,2.5,b\n2,3.5,a\n"), target="y", ignore=["id"])
    assert data.X.columns == ("a",)
    assert data.y is not None
    assert (data.y.tolist(), data.task, data.classes) == (["b", "a"], "classification", ("a", "b"))
    assert data.target == "y"
    assert repr(data) == (
        "LabelledTable table.csv: 2 rows, 1 columns; target 'y', classification\n"
        "separated by commas, UTF-8"
    )


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["1", "2", "1"], "classification"),
        ([str(n) for n in range(12)], "regression"),
        (["1.5", "2"], "regression"),
        (["true", "false"], "classification"),
    ],
)
def test_the_task_follows_from_the_target(save, values: list[str], task: str) -> None:
    path = save("a,y\n" + "".join(f"{i}.5,{value}\n" for i, value in enumerate(values)))
    assert read(path, target="y").task == task


def test_a_target_with_gaps_keeps_them(save) -> None:
    y = read(save("a,y\n1.5,12\n2.5,\n" + "3.5,13\n" * 3), target="y").y
    assert np.isnan(np.asarray(y, dtype=float)).tolist() == [False, True, False, False, False]


def test_an_absent_target_names_the_columns(save) -> None:
    with pytest.raises(ColumnMismatchError, match=r"no column 'outcom'(.|\n)*Hint.*'outcome'"):
        read(save("a,outcome\n1,2\n"), target="outcom")
    with pytest.raises(ParameterError, match="no column 'b'"):
        read(save("a,y\n1,2\n"), target="y", ignore=["b"])
    with pytest.raises(ParameterError, match=r"ignore='ab' must be a list of texts"):
        read(save("a,y\n1,2\n"), target="y", ignore="ab")


@pytest.mark.parametrize(
    ("values", "decimal", "thousands", "numbers"),
    [
        (["1,5", "2,25"], ",", None, [1.5, 2.25]),
        (["1.234,5", "7,25"], ",", ".", [1234.5, 7.25]),
        (["1,234.5", "7.25"], ".", ",", [1234.5, 7.25]),
        (["1 234", "950"], ".", " ", [1234, 950]),
        (["1'234", "950"], ".", "'", [1234, 950]),
        (["1\u00a0234", "950"], ".", "\u00a0", [1234, 950]),
    ],
)
def test_marks_of_numbers_are_found(
    values: list[str], decimal: str, thousands: str | None, numbers: list[float]
) -> None:
    frame = found(column_file(values))
    reading = frame.reading
    assert reading is not None
    assert (reading.decimal, reading.thousands) == (decimal, thousands)
    assert frame["a"].tolist() == numbers


def test_one_comma_and_three_digits_are_decided_by_the_other_columns() -> None:
    assert found("a;b\n1,234;x\n2,345;y\n")["a"].tolist() == ["1,234", "2,345"]
    assert found("a;b\n1,234;1,5\n2,345;2,5\n")["a"].tolist() == [1.234, 2.345]


def test_columns_that_are_numbers_stay_so() -> None:
    frame = found("a;b\n1.5;1,5\n2.5;2,5\n")
    assert frame["a"].tolist() == [1.5, 2.5]
    assert frame["b"].tolist() == ["1,5", "2,5"]


NUMBERS = [f"{n}.5" for n in range(40)]


@pytest.mark.parametrize("mark", ["-", "--", ".", "n/a", "none", "Missing", "UNKNOWN"])
def test_customary_marks_among_numbers_are_missing(mark: str) -> None:
    frame = found(column_file([*NUMBERS, mark, mark]))
    assert frame.column("a").missing.tolist() == [False] * 40 + [True] * 2
    assert frame.reading is not None
    (note,) = frame.reading.notes
    assert note.message == (
        f"a: {mark!r} in 2 rows (first on line 42) among 40 numbers; read as missing"
    )
    assert note.brief == f"2 {mark!r} in 'a' read as missing"
    assert (note.code, note.column, note.texts, note.line) == ("marks-missing", "a", (mark,), 42)


def test_marks_are_told_in_python_until_they_are_meant(save) -> None:
    path = save(column_file([*NUMBERS, "-"]))
    with pytest.warns(ReadWarning, match=r"read as missing.\n  Hint: also_missing=\['-'\] says"):
        data = read(path, target="y")
    assert (
        read(path, target="y", also_missing=["-"]).X["a"].tolist()[:40] == data.X["a"][:40].tolist()
    )


def test_whoever_lists_the_gaps_has_said_what_is_none(save) -> None:
    with pytest.warns(ReadWarning, match="is read as names"):
        data = read(save(column_file([*NUMBERS, "-"])), target="y", missing=[""])
    assert data.X["a"].tolist()[-1] == "-"


def test_marks_are_values_where_numbers_are_few() -> None:
    assert found(column_file(["low", "-", "high", "none"]))["a"].tolist()[1] == "-"


def test_another_text_among_numbers_is_an_error_where_it_is_asked_for(save) -> None:
    content = column_file([*NUMBERS, "12O0"])
    with pytest.raises(StrayTextError) as caught:
        found(content, strict=True)
    assert str(caught.value) == (
        "column 'a': 40 of 41 values are numbers, but line 42 has '12O0'.\n"
        "  Hint: mend it; or also_missing=['12O0']; or kinds={'a': 'text'}."
    )
    assert (caught.value.column, caught.value.line, caught.value.text) == ("a", 42, "12O0")
    assert found(content, strict=True, kinds={"a": "text"})["a"].tolist()[0] == "0.5"
    assert found(content, strict=True, also_missing=("12O0",)).column("a").storage == "float"
    with pytest.warns(ReadWarning, match="is read as names"):
        read(save(content), target="y")


def test_dates_are_found_where_one_notation_reads_them() -> None:
    frame = found(column_file(["31.12.2024", "1.2.2025"] * 10))
    assert frame["a"].astype("M8[D]").astype(str).tolist()[:2] == ["2024-12-31", "2025-02-01"]
    assert frame.reading is not None
    assert frame.reading.dates == {"a": "%d.%m.%Y"}
    again = found(column_file(["1.2.2025"]), dates=frame.reading.dates)
    assert again.column("a").storage == "datetime"
    assert found(column_file(["3/4/2024", "5/6/2024"]))["a"].tolist()[0] == "3/4/2024"


@pytest.mark.parametrize(("encoding", "said"), [("cp1252", "cp1252"), ("utf-16", "utf-16")])
def test_encodings_are_found_and_told(encoding: str, said: str) -> None:
    frame = found("größe,y\n1,€\n".encode(encoding))
    assert frame.columns == ("größe", "y")
    assert frame["y"].tolist() == ["€"]
    assert frame.reading is not None
    assert frame.reading.encoding == said
    assert [note.code for note in frame.reading.notes] == (
        ["encoding-guessed"] if encoding == "cp1252" else []
    )


def test_bytes_that_windows_has_no_letter_for_are_latin_1() -> None:
    reading = found(b"a,y\n1,\x81\xe4\n").reading
    assert reading is not None
    assert reading.encoding == "latin-1"


def test_a_first_line_of_numbers_is_data_and_told(save) -> None:
    frame = found("1,2\n3,4\n")
    assert (frame.columns, len(frame)) == (("x0", "x1"), 2)
    assert frame.reading is not None
    assert "no header" in frame.reading.told()
    with pytest.warns(ReadWarning, match="line 1 holds only numbers"):
        read(save("1,2\n3,4\n"), target="x1")


def test_what_was_found_can_be_written_down_and_read_again() -> None:
    reading = found(column_file([*NUMBERS, "-"]).replace(".", ",")).reading
    assert reading is not None
    assert Reading.from_dict(reading.to_dict()) == reading
    assert Reading.from_dict({**reading.to_dict(), "later": 1}) == reading
    assert reading.options() == {"delimiter": ";", "decimal": ","}
    assert reading.told() == "separated by ';', decimal comma, UTF-8"


def test_a_file_read_alike_takes_its_own_delimiter(save) -> None:
    reading = found(column_file(["1,5", "2,5"])).reading
    path = save("y\ta\nx\t3,5\n", name="other.tsv")
    assert read(path, like=reading)["a"].tolist() == [3.5]


def test_declared_kinds_hold_whatever_the_rows_are() -> None:
    frame = found("a;b;c\n1;-;true\n2;-;\n", kinds={"a": "text", "b": "number", "c": "boolean"})
    assert frame["a"].tolist() == ["1", "2"]
    assert frame.column("b").missing.all()
    assert frame["c"].tolist() == [True, None]
    with pytest.raises(StrayTextError, match="0 of 1 values are numbers, but line 2 has 'x'"):
        found("a;b\nx;1\n", kinds={"a": "number"})
    with pytest.raises(StrayTextError, match="1 of 2 values are dates"):
        found("a;b\n2024-01-01;1\n5;2\n", kinds={"a": "date"})
    with pytest.raises(ParameterError, match="no column 'c'"):
        found("a;b\nx;1\n", kinds={"c": "number"})


def test_an_open_file_and_standard_input_are_read(monkeypatch) -> None:
    file = io.BytesIO(b"a,y\n1,2\n")
    assert read(file).columns == ("a", "y")
    assert not file.closed
    with pytest.raises(ParameterError, match=r"open as text.*\n.*open\(path, 'rb'\)"):
        read(io.StringIO("a,y\n"))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="int is no path"):
        read(5)  # type: ignore[arg-type]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,y\n1,2\n")))
    assert read("-")["y"].tolist() == [2]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(FileFormatError, match=r"^nothing came on stdin\.\n  The command before"):
        read("-")
