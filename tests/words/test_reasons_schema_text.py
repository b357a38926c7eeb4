"""What a schema asks for and did not get, in words."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.schemas.validation import SchemaError, validation_errors
from callscore.words.reasons import schema_error_note

CASES: list[tuple[dict[str, Any], Any, str, str]] = [
    (
        {"properties": {"a": {"type": "integer"}}},
        {"a": "x"},
        '$.a: must be of the type integer, got "x"',
        '$.a: нужен тип integer, получено "x"',
    ),
    (
        {"type": ["null", "integer"]},
        "x",
        'must be of the type null | integer, got "x"',
        'нужен тип null | integer, получено "x"',
    ),
    (
        {"required": ["a"]},
        {},
        "$.a: required, but not given",
        "$.a: обязательно, но не передано",
    ),
    (
        {"additionalProperties": False},
        {"a": 1},
        "$.a: not known to the schema (value 1)",
        "$.a: схеме не известно (значение 1)",
    ),
    (
        {"enum": ["a", 1]},
        "b",
        'must be one of "a", 1, got "b"',
        'нужно одно из "a", 1, получено "b"',
    ),
    ({"const": None}, 1, "must be null, got 1", "нужно null, получено 1"),
    ({"minimum": 5}, 1, "must be at least 5, got 1", "нужно не меньше 5, получено 1"),
    ({"maximum": 5}, 9, "must be at most 5, got 9", "нужно не больше 5, получено 9"),
    ({"exclusiveMinimum": 5}, 5, "must be more than 5, got 5", "нужно больше 5, получено 5"),
    ({"exclusiveMaximum": 5}, 5, "must be less than 5, got 5", "нужно меньше 5, получено 5"),
    ({"multipleOf": 2}, 5, "must be a multiple of 2, got 5", "нужно кратное 2, получено 5"),
    (
        {"minLength": 2},
        "a",
        'its length must be at least 2, got "a"',
        'длина должна быть не меньше 2, получено "a"',
    ),
    (
        {"maxItems": 1},
        [1, 2],
        "the number of items must be at most 1, got [1, 2]",
        "число элементов должно быть не больше 1, получено [1, 2]",
    ),
    (
        {"minProperties": 1},
        {},
        "the number of members must be at least 1, got {}",
        "число полей должно быть не меньше 1, получено {}",
    ),
    (
        {"uniqueItems": True},
        [1, 1],
        "no item may be there twice, got [1, 1]",
        "элементы не должны повторяться, получено [1, 1]",
    ),
    (
        {"pattern": "^a"},
        "b",
        'must match ^a, got "b"',
        'должно соответствовать ^a, получено "b"',
    ),
    (
        {"format": "date"},
        "b",
        'must be of the format date, got "b"',
        'нужен формат date, получено "b"',
    ),
    (
        {"properties": {"a": False}},
        {"a": 1},
        "$.a: must not be given (value 1)",
        "$.a: не должно передаваться (значение 1)",
    ),
    (
        {"oneOf": [{}, {}]},
        1,
        "fits more than one of the alternatives, got 1",
        "подходит больше чем под один вариант, получено 1",
    ),
    (
        {"contains": {"type": "string"}},
        [1],
        "not as the schema asks (None of [1] are valid under the given schema)",
        "не соответствует схеме (None of [1] are valid under the given schema)",
    ),
    (
        {"type": "string"},
        {1},
        "could not be checked (not JSON: Unsupported type: 'set')",
        "не удалось проверить (not JSON: Unsupported type: 'set')",
    ),
]


@pytest.mark.parametrize(("schema", "value", "english", "russian"), CASES)
def test_an_error_is_half_a_sentence_in_both_languages(
    schema: dict[str, Any], value: Any, english: str, russian: str
) -> None:
    (error,) = validation_errors(schema, value)

    note = schema_error_note(error)

    assert (note.text("en"), note.text("ru")) == (english, russian)


def test_whatever_the_schema_and_the_value_hold_it_stays_one_short_line() -> None:
    long = "\x1b[31m\n" * 1000
    texts = [
        schema_error_note(SchemaError(keyword, (long, 3), wanted, [long] * 1000, long)).text("en")
        for keyword, wanted in (("type", long), ("enum", [long] * 1000), ("enum", 3), ("x", 1))
    ]

    assert all(text.isprintable() and len(text) < 500 for text in texts)
