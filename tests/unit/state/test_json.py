"""JSON is read strictly: what RFC 8259 does not allow is refused, with the byte."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from treewright.state.json_text import json_bytes, parsed_json

GOOD = [
    *("null", "true", "false", "0", "-0", "-0.0", "12", "1e5", "1E-5", "0.1", "[]", "{}", '""'),
    *("  [ 1 , 2 ]\n", '{"a": {"b": [1, {"c": null}]}}', '"\\u00e9\\n\\"\\\\\\/"', '"größe 🌳"'),
    *('"\\ud83c\\udf33"', "123456789012345678901234567890", "1.7976931348623157e308", "5e-324"),
]
BAD = {
    "": "ends too soon (byte 0)",
    "[1,]": "this is no JSON (byte 3)",
    "[1 2]": "a comma is due (byte 3)",
    "{1: 2}": "a key of an object is due (byte 1)",
    '{"a" 1}': "a colon is due (byte 5)",
    '{"a": 1,}': "a key of an object is due (byte 8)",
    '{"a": 1, "a": 2}': "the key 'a' twice (byte 0)",
    '{"\\u0061": 1, "a": 2}': "the key 'a' twice (byte 0)",
    "01": "a number starts with 0 (byte 0)",
    "+1": "this is no JSON (byte 0)",
    ".5": "this is no JSON (byte 0)",
    "5.": "a number lacks a digit (byte 2)",
    "1e": "a number lacks a digit (byte 2)",
    "-": "a number lacks a digit (byte 1)",
    "NaN": "this is no JSON (byte 0)",
    "Infinity": "this is no JSON (byte 0)",
    "1e999": "beyond what a float can hold (byte 0)",
    "1" * 1001: "more than 1,000 digits (byte 0)",
    "nul": "this is no JSON (byte 0)",
    '"a': "a text does not end (byte 0)",
    '"\\x"': "an escape in a text is none (byte 1)",
    '"\\u12g4"': "an escape in a text is none (byte 1)",
    '"a\nb"': "a control character that is not escaped (byte 2)",
    "[1] 2": "something follows its end (byte 4)",
    "[" * 65: "nested more than 64 deep (byte 64)",
    "[" * 100_000: "nested more than 64 deep (byte 64)",
    "[1": "it ends too soon (byte 2)",
    '{"a":': "it ends too soon (byte 5)",
    "{": "a key of an object is due (byte 1)",
    "'a'": "this is no JSON (byte 0)",
    "[1]//": "something follows its end (byte 3)",
}


@pytest.mark.parametrize("text", GOOD)
def test_json_is_read_as_python_reads_it(text: str) -> None:
    ours, theirs = parsed_json(text.encode()), json.loads(text)
    assert ours == theirs
    assert type(ours) is type(theirs)
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("text", BAD, ids=lambda text: repr(text)[:20])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"byte") as told:
        parsed_json(text.encode())
    assert BAD[text] in str(told.value)


@pytest.mark.parametrize(
    "text",
    [
        *(b'"\xff"', b'"\xc0\x80"', b'"\xe0\x80\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"'),
        *(b'"\xf0\x80\x80\x80"', b'"\xc3"', b'"\xe2\x82"', b'"\x80"', b'"\xf5\x80\x80\x80"'),
    ],
)
def test_what_is_no_utf8_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"not valid UTF-8 \(byte 1\)"):
        parsed_json(text)


def test_surrogates_alone_survive() -> None:
    for text in ("\ud800", "a\udfff", "\ude00\ud83d", "🌳\ud83d", "\ud800\\u"):
        assert parsed_json(json_bytes([text, {text: 1}])) == [text, {text: 1}]


def test_floats_are_exact() -> None:
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 2**64, 5000, dtype=np.uint64).view(np.float64)
    floats = bits[np.isfinite(bits)].tolist()
    again = parsed_json(json_bytes(floats))
    assert all(
        a == b and math.copysign(1, a) == math.copysign(1, b)
        for a, b in zip(floats, again, strict=True)
    )


def test_small_values_cannot_take_much_memory() -> None:
    text = b"[" + b"[]," * 3_000_000 + b"[]]"
    with pytest.raises(ValueError, match="more than ten times the memory of the file"):
        parsed_json(text)
