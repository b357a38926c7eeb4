"""The patient JSON reader."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from callscore.core.call import FaultyArray, FaultyObject, Malformed, malformed_part
from callscore.core.large_number import decode_json
from callscore.sources import lenient_json
from callscore.sources.lenient_json import NotJSON, decode_leniently, marked_array, marked_object

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


def test_the_values_around_a_faulty_one_are_read_as_ever() -> None:
    value = read('{"a": [1, NaN, "x"], "b": {"c": null}}')

    assert value == {"a": [1, Malformed("NaN", "NaN is not a JSON number"), "x"], "b": {"c": None}}


def test_a_container_knows_what_is_wrong_in_it_and_its_own_text() -> None:
    value = read('{"ok": [1], "bad": [ {"a": NaN} , 1e9999]}')

    assert type(value["ok"]) is list
    assert isinstance(value["bad"], FaultyArray)
    assert isinstance(value["bad"][0], FaultyObject)
    assert malformed_part(value["bad"][0]) == Malformed('{"a": NaN}', "NaN is not a JSON number")
    assert malformed_part(value["bad"]) == Malformed(
        '[ {"a": NaN} , 1e9999]', "NaN is not a JSON number"
    )


def test_a_faulty_key_spoils_its_object() -> None:
    value = read('{"\\ud800": 1}')

    fault = Malformed('{"\\ud800": 1}', "a key has half of a surrogate pair, which is not text")
    assert malformed_part(value) == fault


def test_the_raw_text_of_a_long_value_is_shortened() -> None:
    value = read('["' + "x" * 5000 + '", NaN]')

    fault = malformed_part(value)
    assert fault is not None
    assert fault.raw == '["' + "x" * 1998 + "…"


@pytest.mark.parametrize("digits", ["123456789012345678901234567890", "-" + "9" * 100])
def test_integers_of_any_size_stay_exact(digits: str) -> None:
    assert read(digits) == int(digits)


def test_an_integer_longer_than_python_prints_is_a_number() -> None:
    assert read("1" * 4300) == int("1" * 4300)
    assert repr(read("1" * 4301)) == "1" * 4301


def test_brackets_without_end_are_refused_before_they_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lenient_json, "_MAX_OPEN", 1000)

    with pytest.raises(NotJSON, match="more than 1,000 objects and arrays are open"):
        read("[" * 2000)


def test_of_a_key_that_is_there_twice_the_last_wins() -> None:
    assert read('{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_500_levels_are_read_and_the_501st_is_marked(opening: str, closing: str) -> None:
    assert malformed_part(read(opening * 500 + "0" + closing * 500)) is None
    fault = malformed_part(read(opening * 501 + "0" + closing * 501))
    assert fault is not None
    assert fault.problem == "nested deeper than 500 levels"


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


def test_an_unfinished_10_mb_string_is_refused() -> None:
    assert "inside a string" in broken('"' + "\\n" * 5_000_000).problem


@pytest.mark.parametrize(
    ("text", "column", "noun"),
    [
        ("", 1, "a value"),
        ("{", 2, "an object"),
        ('{"a"', 5, "an object"),
        ('{"a":', 6, "an object"),
        ('{"a": [1,', 10, "an array"),
        ('{"a": "b', 9, "a string"),
        ('{"a": "b\\', 10, "a string"),
        ('{"a": tru', 10, "a word"),
        ('{"имя": "по\n', 12, "a string"),
        pytest.param("[" * 100_000, 100_001, "an array", id="brackets"),
    ],
)
def test_a_line_that_ends_too_early_says_in_the_middle_of_what(
    text: str, column: int, noun: str
) -> None:
    error = broken(text)

    assert (error.line, error.column) == (1, column)
    assert error.problem == f"the line ends inside {noun}. The file may be truncated."


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ('{"a": 1,}', 9, "unexpected comma before '}'. Remove it."),
        ("[1, ]", 5, "unexpected comma before ']'. Remove it."),
        ("{'a': 1}", 2, "unexpected single quote. JSON uses double quotes"),
        ("{a: 1}", 2, "not JSON: expected a key in double quotes, got 'a'."),
        ('{"a" 1}', 6, "not JSON: expected a colon after the key, got '1'."),
        ("[1 2]", 4, "not JSON: expected a comma or ], got '2'."),
        ("[undefined]", 2, "not JSON: expected a value, got 'u'."),
        ("[tru, 1]", 2, "not JSON: expected a value, got 't'."),
        ("[-]", 2, "not JSON: expected a value, got '-'."),
        ('{"поиск": }', 11, "not JSON: expected a value, got '}'."),
        ("hello", 1, "got 'h'. Write one JSON object per line."),
        ("{} {}", 4, "unexpected text after the JSON value. Write one JSON object per"),
        (b"[\xff]", 2, "the byte 0xff is not UTF-8. Save the file as UTF-8."),
    ],
)
def test_broken_structure_is_refused_with_its_column(
    text: str | bytes, column: int, problem: str
) -> None:
    error = broken(text)

    assert (error.line, error.column) == (1, column)
    assert problem in error.problem


def test_in_a_file_the_line_counts_too() -> None:
    error = broken('{\n  "a": 1\n  "b": 2\n}', unit="file")

    assert (error.line, error.column) == (3, 3)


def test_a_string_that_runs_over_its_line_is_not_called_cut_off() -> None:
    error = broken('{\n  "a": "b,\n  "c": 1\n}', unit="file")

    assert (error.line, error.column) == (2, 8)
    assert "does not end on its line" in error.problem


def test_several_documents_in_a_file_are_refused_with_advice() -> None:
    error = broken("{\n}\n{\n}", unit="file")

    assert (error.line, error.column) == (3, 1)
    assert "Write one JSON array of cases, or one object per line." in error.problem


def test_an_integer_too_large_for_a_float_is_exact() -> None:
    assert read("[1e999, -1.5e400]") == [10**999, -15 * 10**399]


# Objects and arrays put together from parts.

NAN = Malformed("NaN", "NaN is not a JSON number")


def test_sound_parts_make_a_sound_whole() -> None:
    assert type(marked_object({"a": 1, "b": [2]})) is dict
    assert type(marked_array([1, {"b": 2}])) is list


def test_a_faulty_part_spoils_the_whole_at_every_depth() -> None:
    value = marked_object({"a": 1, "b": marked_array([{"c": 2}, marked_object({"d": NAN})])})

    assert isinstance(value, FaultyObject)
    assert isinstance(value["b"], FaultyArray)
    assert malformed_part(value) == malformed_part(value["b"]) == NAN
    assert value == {"a": 1, "b": [{"c": 2}, {"d": NAN}]}
