"""Values to codes: equal values and only those share a code, in the order of the values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.core import find_fixed_texts
from treewright.data.codes import (
    NumberCodes,
    TextCodes,
    code_if_text,
    code_numbers,
    code_text,
    code_text_array,
    floor_to_int64,
)

FLOATS = st.floats(allow_nan=True, allow_infinity=True)
WHOLES = st.integers(min_value=0, max_value=70_000).map(float)


@given(st.lists(st.one_of(FLOATS, WHOLES), max_size=40), st.sampled_from([np.float32, np.float64]))
def test_numbers_are_coded_as_np_unique_would(values: list[float], dtype: type) -> None:
    with np.errstate(over="ignore"):
        array = np.array(values, dtype=dtype)
    missing = np.isnan(array)
    codes, distinct = code_numbers(array, missing)
    assert distinct.tolist() == sorted(set(array[~missing].tolist()))
    assert (codes[missing] == -1).all()
    assert (distinct[codes[~missing]] == array[~missing]).all()


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.float32])
def test_counting_and_sorting_code_alike(dtype: type) -> None:
    small = np.array([5, 3, 5, 9, 0], dtype=dtype)
    codes, distinct = code_numbers(small, None)
    spread_codes, _ = code_numbers(small.astype(np.float64) * 1e6 + 0.5, None)
    assert codes.tolist() == spread_codes.tolist() == [2, 1, 2, 3, 0]
    assert distinct.dtype == dtype


def test_integers_beyond_2_to_53_get_codes_of_their_own() -> None:
    values = np.array([2**53, 2**53 + 1, 2**63 - 1], dtype=np.int64)
    assert code_numbers(values, None)[0].tolist() == [0, 1, 2]


def test_nothing_known_gives_an_empty_domain() -> None:
    codes, distinct = code_numbers(np.array([np.nan]), np.array([True]))
    assert (codes.tolist(), len(distinct)) == ([-1], 0)


def test_text_is_sorted_and_the_rest_is_missing() -> None:
    codes, distinct = code_text(["b", float("nan"), "a", None, "b", ""])
    assert codes.tolist() == [2, -1, 1, -1, 2, 0]
    assert distinct == ("", "a", "b")


TEXTS = st.one_of(st.none(), st.just(float("nan")), st.text(max_size=12))


@given(st.lists(TEXTS, max_size=30))
def test_texts_among_objects_are_coded_in_their_order(values: list[object]) -> None:
    given = [value for value in values if isinstance(value, str)]
    array = np.empty(2 * len(values), dtype=object)
    array[::2] = values  # each second entry of an array: its entries do not stand side by side
    for objects in (values, tuple(values), array[::2]):
        coded = code_if_text(objects)
        if not given:
            assert coded is None
            continue
        assert coded is not None
        codes, distinct = coded
        assert distinct == tuple(sorted(set(given)))
        assert [distinct[code] if code >= 0 else None for code in codes.tolist()] == [
            value if isinstance(value, str) else None for value in values
        ]


@pytest.mark.parametrize("n_texts", [3, 400, 30_000])
def test_equal_texts_in_different_objects_share_a_code(n_texts: int) -> None:
    numbers = np.random.default_rng(0).integers(0, n_texts, 70_000)  # beyond one look for Ctrl-C
    texts = [f"a text of number {i}" for i in numbers.tolist()]
    coded = code_if_text(texts)
    assert coded is not None
    codes, distinct = coded
    assert distinct == tuple(sorted(set(texts)))
    assert [distinct[code] for code in codes.tolist()] == texts


def test_objects_met_before_keep_their_codes_whatever_stood_between() -> None:
    random = np.random.default_rng(0)
    texts = [f"t{i}" for i in range(600)]
    pool: list[object] = [*texts[:3], None, float("nan")]
    others = [*texts, *("".join(list(text)) for text in texts), None, float("nan")]
    values = np.empty(70_000, dtype=object)  # beyond the rows after which places are forgotten
    values[:] = [pool[i] for i in random.integers(0, len(pool), len(values))]
    values[20_000:30_000] = [others[i] for i in random.integers(0, len(others), 10_000)]
    coded = code_if_text(values)
    assert coded is not None
    codes, distinct = coded
    assert distinct == tuple(sorted({value for value in values if isinstance(value, str)}))
    known = [distinct[code] if code >= 0 else None for code in codes.tolist()]
    assert known == [value if isinstance(value, str) else None for value in values]


@pytest.mark.parametrize(
    "values",
    [
        ["a", 1],
        ["a", float("inf")],
        ["a", np.str_("b")],
        ["a", "\ud800"],
        ["a", b"b"],
        [None, float("nan")],
        [],
        np.array([["a"]], dtype=object)[:, :0].ravel(),
    ],
)
def test_what_is_not_text_alone_is_left_to_others(values: list[object]) -> None:
    assert code_if_text(values) is None


def test_an_array_of_objects_that_nothing_was_written_to_is_missing() -> None:
    array = np.empty(3, dtype=object)
    array[1] = "a"
    coded = code_if_text(array)
    assert coded is not None
    assert coded[0].tolist() == [-1, 0, -1]


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=3), min_size=1))
def test_text_arrays_are_coded_as_lists_are(texts: list[str]) -> None:
    codes, distinct = code_text_array(np.array(texts))
    expected_codes, expected = code_text(texts)
    assert (codes.tolist(), distinct) == (expected_codes.tolist(), expected)


@pytest.mark.parametrize("n_texts", [2, 50, 20_000])  # hashes of so many collide
@pytest.mark.parametrize("dtype", ["<U10", ">U10"])
def test_long_text_arrays_are_coded_as_lists_are(n_texts: int, dtype: str) -> None:
    numbers = np.random.default_rng(0).integers(0, n_texts, 70_000)  # more than one block
    texts = [f"text {i}" for i in numbers.tolist()]
    codes, distinct = code_text_array(np.array(texts, dtype=dtype))
    expected_codes, expected = code_text(texts)
    np.testing.assert_array_equal(codes, expected_codes)
    assert distinct == expected


def test_floor_saturates() -> None:
    given_values = np.array([1.9, -1.1, 1e30, -1e30, np.inf, -np.inf, 2.0**63, -(2.0**63)])
    low, high = -(2**63), 2**63 - 1
    assert floor_to_int64(given_values).tolist() == [1, -2, high, low, high, low, high, low]


DOMAINS = st.lists(
    st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(0, 300)), min_size=1, unique=True
)


@given(DOMAINS, st.lists(st.integers(0, 300)))
def test_numbers_are_found_by_value(domain: list[int], wanted: list[int]) -> None:
    code_of_value = {value: code for code, value in enumerate(domain)}
    numbers = np.array(wanted + domain, dtype=np.int64)
    found = NumberCodes(domain).find(numbers, absent=-2)
    assert found.tolist() == [code_of_value.get(value, -2) for value in numbers.tolist()]


def test_fractions_are_not_rounded_into_a_domain_of_integers() -> None:
    codes = NumberCodes((1, 2)).find(np.array([1.0, 1.5, np.nan, np.inf, -1.0]), absent=-2)
    assert codes.tolist() == [0, -2, -2, -2, -2]


def test_text_in_a_domain_is_no_number() -> None:
    assert len(NumberCodes(("a", "b"))) == 0
    assert NumberCodes(("a", 5)).find(np.array([5, 6]), absent=-2).tolist() == [1, -2]


def test_a_domain_of_floats_is_compared_as_floats() -> None:
    assert NumberCodes((0.5, 2.5)).find(np.array([2, 0.5]), absent=-2).tolist() == [-2, 0]
    assert NumberCodes((False, True)).find(np.array([1, 0, 2]), absent=-2).tolist() == [1, 0, -2]


SHORT_TEXTS = st.text(alphabet="ab\0é😀", max_size=4)


@given(
    st.lists(SHORT_TEXTS, unique=True, min_size=1, max_size=30),
    st.lists(SHORT_TEXTS, min_size=1, max_size=40),
    st.integers(1, 3),
)
def test_arrays_of_text_are_looked_up_as_their_texts_are(
    domain: list[str], texts: list[str], n_threads: int
) -> None:
    code_of_text = {text: code for code, text in enumerate(domain)}
    texts = [*texts, *(text for text in domain if len(text) <= 3)]  # narrower than the domain
    codes = TextCodes(domain)
    for array in (np.array(texts), np.array(texts, dtype="U9"), np.array(texts * 2)[1::2]):
        known = codes.known_to(array)
        if array.dtype.itemsize == 0:
            assert known is None
            continue
        assert known is not None
        expected = [code_of_text.get(text, -2) for text in array.tolist()]
        found = find_fixed_texts([array, array], [known, known], -2, n_threads)
        assert [each.tolist() for each in found] == [expected, expected]


@pytest.mark.parametrize("domain", [(), (1.0, 2.0), ("a", 7), (False, True)])
def test_domains_of_other_values_have_no_texts_to_look_up(domain: tuple[object, ...]) -> None:
    assert TextCodes(domain).known_to(np.array(["a"])) is None


def test_texts_in_the_order_of_other_processors_are_not_looked_up() -> None:
    array = np.array(["a"])
    assert TextCodes(("a",)).known_to(array.astype(array.dtype.newbyteorder())) is None


def test_many_long_texts_are_not_brought_to_the_form_of_an_array() -> None:
    wide = np.array(["a"], dtype="U100000")
    assert TextCodes(tuple(map(str, range(100)))).known_to(wide) is None
    assert TextCodes(tuple(map(str, range(10)))).known_to(wide) is not None
