"""The patient JSON reader."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from callscore.core.call import Malformed, malformed_part
from callscore.core.large_number import decode_json
from callscore.sources import lenient_json
from callscore.sources.lenient_json import NotJSON, decode_leniently

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
json_values = st.recursive(
    scalars,
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)
# Texts that are nearly JSON: the two readers must agree about each of them as well.
fragments = st.lists(
    st.sampled_from([*'{}[],:"\\ \n\t', "1", "-", "0", ".", "e5", "true", "nul", '"a"', "\\u00e9"])
).map("".join)


def read(text: str | bytes, unit: str = "line") -> Any:
    return decode_leniently(text.encode() if isinstance(text, str) else text, unit=unit)


def broken(text: str | bytes, unit: str = "line") -> NotJSON:
    with pytest.raises(NotJSON) as caught:
        read(text, unit)
    return caught.value


@given(json_values)
def test_valid_json_gives_the_same_value_as_the_fast_decoder(value: Any) -> None:
    text = msgspec.json.encode(value)

    assert repr(read(text)) == repr(msgspec.json.decode(text))


@given(json_values)
def test_indented_json_gives_the_same_value_as_the_fast_decoder(value: Any) -> None:
    text = msgspec.json.format(msgspec.json.encode(value), indent=2)

    assert repr(read(text)) == repr(msgspec.json.decode(text))


@given(fragments)
@example("1e511")  # a number that is larger than every float
def test_a_text_without_a_mark_is_read_exactly_when_the_strict_decoder_reads_it(text: str) -> None:
    try:
        expected = decode_json(text)
    except ValueError:
        try:
            value = read(text)
        except NotJSON:
            return
        assert malformed_part(value) is not None
    else:
        assert repr(read(text)) == repr(expected)


@given(st.binary())
def test_any_bytes_have_a_place_where_they_are_no_json(data: bytes) -> None:
    error = broken(b"[" + data.replace(b"]", b""))

    assert 1 <= error.line <= data.count(b"\n") + 1
    assert 1 <= error.column <= len(data) + 2


@pytest.mark.parametrize(
    ("text", "raw", "problem"),
    [
        ("NaN", "NaN", "NaN is not a JSON number"),
        ("Infinity", "Infinity", "Infinity is not a JSON number"),
        ("-Infinity", "-Infinity", "-Infinity is not a JSON number"),
        ('"\\ud83d"', '"\\ud83d"', "half of a surrogate pair, which is not text"),
        ('"\\ude00\\ud83d"', '"\\ude00\\ud83d"', "half of a surrogate pair, which is not text"),
        (b'"caf\xe9"', '"caf\\xe9"', "bytes that are not UTF-8"),
        (b'"\xed\xa0\x80"', '"\\xed\\xa0\\x80"', "bytes that are not UTF-8"),
        ('"a\tb"', '"a\tb"', "a control character inside a string"),
        ('"\\x41"', '"\\x41"', "an invalid escape sequence"),
        ('"\\u12"', '"\\u12"', "an invalid escape sequence"),
    ],
)
def test_a_faulty_value_of_clear_extent_is_marked(
    text: str | bytes, raw: str, problem: str
) -> None:
    assert read(text) == Malformed(raw, problem)


def test_an_integer_longer_than_python_prints_is_a_number() -> None:
    assert read("1" * 4300) == int("1" * 4300)
    assert repr(read("1" * 4301)) == "1" * 4301


def test_brackets_without_end_are_refused_before_they_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lenient_json, "_MAX_OPEN", 1000)

    with pytest.raises(NotJSON, match="more than 1,000 objects and arrays are open"):
        read("[" * 2000)


def test_100000_nested_brackets_are_one_malformed_value() -> None:
    text = '{"a": ' + "[" * 100_000 + "]" * 100_000 + ', "b": 1}'

    value = read(text)

    assert value["b"] == 1
    fault = malformed_part(value["a"])
    assert fault is not None
    assert fault == Malformed("[" * 2000 + "…", "nested deeper than 500 levels")


def test_a_10_mb_string_is_read() -> None:
    text = "я\\n" * 2_500_000

    value = read(f'["{text}", NaN]')

    assert value[0] == "я\n" * 2_500_000
