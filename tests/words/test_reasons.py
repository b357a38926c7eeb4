"""Reasons."""

from __future__ import annotations

import string
from datetime import date
from importlib import import_module
from typing import Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.arguments import Difference
from callscore.core.call import (
    CONCATENATED,
    INVALID,
    NOT_AN_OBJECT,
    NOT_CAPTURED,
    TOO_DEEP,
    TRUNCATED,
    ToolCall,
)
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.results import Results
from callscore.core.schemas.validation import SchemaError, validation_errors
from callscore.core.score import Fault, FaultKind, Score
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary
from callscore.errors import InvalidSettings
from callscore.words.reasons import (
    difference_reason,
    fault_kind_name,
    fault_reason,
    fault_sentence,
    hidden_differences,
    malformed_text,
    schema_error_note,
)
from callscore.words.value_text import (
    decimal,
    percent,
    rating,
    results_line,
    short_path,
    summary_line,
    type_name,
)

CASES = Plural(("case", "cases"), ("случай", "случая", "случаев"))


def example() -> Score:
    """Worked example (a): one call right, one with another text, one that nobody expected."""
    expected = (ToolCall("searchWeb", {"query": "AI"}), ToolCall("summarize", {"text": "long"}))
    actual = (
        ToolCall("searchWeb", {"query": "AI"}),
        ToolCall("summarize", {"text": "short"}),
        ToolCall("translateText", {"to": "ru"}),
    )
    return score_calls(expected, actual, DEFAULT)


@pytest.mark.parametrize(
    ("score", "en", "ru"),
    [
        (1.0, "Perfect match", "Полное совпадение"),
        (0.9999, "Excellent", "Отлично"),
        (0.9, "Excellent", "Отлично"),
        (0.895, "Good", "Хорошо"),
        (0.7, "Good", "Хорошо"),
        (0.695, "Moderate", "Средне"),
        (0.5, "Moderate", "Средне"),
        (0.495, "Poor", "Плохо"),
        (0.0, "Poor", "Плохо"),
    ],
)
def test_a_score_between_two_bands_belongs_to_the_lower_one(score: float, en: str, ru: str) -> None:
    assert rating(score) == en
    assert rating(score, lang="ru") == ru


def test_the_summary_line_of_the_worked_example() -> None:
    score = example()

    assert summary_line(score) == (
        "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1"
    )
    assert summary_line(score, lang="ru") == (
        "Оценка: 40.0% | Верно: 1/2 | Неверно: 1 | Пропущено: 0 | Лишних: 1"
    )
    assert score.summary == summary_line(score)
    assert score.rating == "Poor"


def test_the_summary_line_counts_forbidden_calls_where_there_are_any() -> None:
    score = Score((), (ToolCall("delete", {}),), 0, forbidden=(0,))

    assert summary_line(score).endswith(" | Missed: 0 | Extra: 1 | Forbidden: 1")
    assert summary_line(score, lang="ru").endswith(" | Лишних: 1 | Запрещённых: 1")


@pytest.mark.parametrize(
    ("value", "as_percent", "as_decimal"),
    [
        (0.0, "0.0%", "0.000"),
        (1e-9, "0.1%", "0.001"),
        (1 / 3, "33.3%", "0.333"),
        (0.8, "80.0%", "0.800"),
        (0.9996, "99.9%", "0.999"),
        (1.0, "100.0%", "1.000"),
    ],
)
def test_all_and_nothing_are_said_only_where_they_are_true(
    value: float, as_percent: str, as_decimal: str
) -> None:
    assert percent(value) == as_percent
    assert decimal(value) == as_decimal


@given(st.floats(min_value=0, max_value=1))
def test_a_percentage_is_at_most_a_tenth_off(value: float) -> None:
    shown = float(percent(value).removesuffix("%"))

    assert abs(shown - 100 * value) <= 0.1
    assert (shown == 100) == (value == 1)
    assert (shown == 0) == (value == 0)


@pytest.mark.parametrize(
    ("count", "en", "ru"),
    [
        (0, "0 cases", "0 случаев"),
        (1, "1 case", "1 случай"),
        (2, "2 cases", "2 случая"),
        (4, "4 cases", "4 случая"),
        (5, "5 cases", "5 случаев"),
        (11, "11 cases", "11 случаев"),
        (12, "12 cases", "12 случаев"),
        (14, "14 cases", "14 случаев"),
        (21, "21 cases", "21 случай"),
        (22, "22 cases", "22 случая"),
        (111, "111 cases", "111 случаев"),
        (1001, "1001 cases", "1001 случай"),
    ],
)
def test_a_noun_follows_its_number_in_the_right_form(count: int, en: str, ru: str) -> None:
    assert count_of(CASES, count, "en") == en
    assert count_of(CASES, count, "ru") == ru


VALUE = Difference("$.query", "value", "AI news", "news", "query")
MISSING = Difference("$.limit", "missing", 5, None, "limit")
UNEXPECTED = Difference("$.rm", "unexpected", None, "-rf", "rm")
OTHER_TYPE = Difference("$.count", "type", 1, "1", "count")
MALFORMED = Difference("$", "malformed", {"a": 1}, "{oops", detail="unexpected\x1b end")


@pytest.mark.parametrize(
    ("difference", "en", "ru"),
    [
        (
            VALUE,
            'query: expected "AI news", got "news"',
            'query: ожидалось "AI news", получено "news"',
        ),
        (MISSING, "limit: expected, but not given", "limit: ожидалось, но не передано"),
        (
            UNEXPECTED,
            'rm: given, but not expected (value "-rf")',
            'rm: передано, но не ожидалось (значение "-rf")',
        ),
        (
            OTHER_TYPE,
            'count: expected the number 1, got the string "1"',
            'count: ожидалось 1 (число), получено "1" (строка)',
        ),
        (
            MALFORMED,
            "the arguments are not a JSON object: unexpected\\u001b end",
            "аргументы не являются объектом JSON: unexpected\\u001b end",
        ),
    ],
)
def test_a_difference_is_one_sentence_with_its_place_and_both_values(
    difference: Difference, en: str, ru: str
) -> None:
    assert difference_reason(difference) == en
    assert difference.reason == en
    assert difference_reason(difference, lang="ru") == ru


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "the boolean true"),
        ({"a": 1}, 'the object {"a": 1}'),
        ([1], "the array [1]"),
        (date(2024, 1, 15), "datetime.date(2024, 1, 15)"),
    ],
)
def test_a_type_is_named_unless_the_value_names_it_itself(value: object, shown: str) -> None:
    difference = Difference("$.at", "type", "x", value, "at")

    assert difference_reason(difference) == f'at: expected the string "x", got {shown}'


@pytest.mark.parametrize(
    ("value", "en", "ru"),
    [
        (True, "boolean", "логическое"),
        (1.5, "number", "число"),
        ("x", "string", "строка"),
        ({}, "object", "объект"),
        ([], "array", "массив"),
        (None, "null", "null"),
        (date(2024, 1, 15), "date", "date"),
    ],
)
def test_a_type_has_one_word_in_every_language(value: object, en: str, ru: str) -> None:
    assert (type_name(value), type_name(value, lang="ru")) == (en, ru)


def test_the_line_of_results_can_be_had_in_russian() -> None:
    results = Results(settings=DEFAULT, summary=Summary())

    assert results_line(results, lang="ru") == "Macro F1: - | Случаев: 0 | Пройдено: 0 | Точно: 0"


def test_braces_in_a_value_are_not_taken_for_a_place_to_fill() -> None:
    difference = Difference("$.q", "value", "{path}", "{0}", "q")

    assert difference_reason(difference) == 'q: expected "{path}", got "{0}"'


def test_a_long_value_is_shortened_in_a_sentence() -> None:
    difference = Difference("$.q", "unexpected", None, "x" * 10_000, "q")

    assert len(difference_reason(difference)) < 200


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("$.passengers[0].name", "passengers[0].name"),
        ("$['my key']", "['my key']"),
        ("$", "$"),
        ("$.a" + "[0]" * 100_000 + ".end", "a[0][0][0]…][0].end"),
    ],
)
def test_a_path_is_shown_without_its_root_and_cut_in_the_middle(path: str, shown: str) -> None:
    assert short_path(path, width=20).startswith(shown[:8])
    assert short_path(path, width=20).endswith(shown[-4:])
    assert len(short_path(path, width=20)) <= 20


def test_a_language_that_nothing_is_written_in_is_refused() -> None:
    unknown: Literal["en", "ru"] = "de"  # type: ignore[assignment]

    with pytest.raises(InvalidSettings, match=r"lang: unknown value 'de'\. Choose from: en, ru"):
        rating(1.0, lang=unknown)
    with pytest.raises(InvalidSettings, match=r"lang: unknown value 'de'\. Choose from: en, ru"):
        count_of(CASES, 1, unknown)


def phrases() -> list[tuple[str, Phrase]]:
    modules = [
        import_module(f"callscore.{name}")
        for name in (
            *("words.diff", "words.explanation", "words.reasons", "words.value_text"),
            *("reports.check", "reports.formatting", "reports.score"),
        )
    ]
    return [
        found
        for module in modules
        for name, value in vars(module).items()
        for found in phrases_in(f"{module.__name__}.{name}", value)
    ]


def phrases_in(name: str, value: object) -> list[tuple[str, Phrase]]:
    if isinstance(value, Phrase):
        return [(name, value)]
    members: dict[object, object] = {}
    if isinstance(value, dict):
        members = value
    elif isinstance(value, tuple):
        members = dict(enumerate(value))
    return [
        found for key, member in members.items() for found in phrases_in(f"{name}.{key}", member)
    ]


@pytest.mark.parametrize(
    "phrase", [value for _, value in phrases()], ids=[name for name, _ in phrases()]
)
def test_a_phrase_has_the_same_places_to_fill_in_every_language(phrase: Phrase) -> None:
    en, ru = ({part[1] for part in string.Formatter().parse(text)} - {None} for text in phrase)

    assert en == ru


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_phrase_is_said_in_the_language_asked_for(lang: Language) -> None:
    assert say(Phrase("en {x}", "ru {x}"), lang, x="{y}") == f"{lang} {{y}}"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (INVALID, "the arguments are not a JSON object: not JSON"),
        (TRUNCATED, "the arguments are not a JSON object: truncated text"),
        (
            CONCATENATED,
            "the arguments are not a JSON object: several objects in a row",
        ),
        (NOT_AN_OBJECT, "the arguments are not a JSON object: a value of another type"),
        (TOO_DEEP, "the arguments are not a JSON object: nested too deeply"),
        (NOT_CAPTURED, "the trace does not contain the arguments"),
        ("as the trace\nputs it", "the arguments are not a JSON object: as the trace\\nputs it"),
    ],
)
def test_every_fault_of_arguments_is_a_sentence(error: str, sentence: str) -> None:
    assert malformed_text(error) == sentence
    assert malformed_text(error, lang="ru") != sentence


# Faults in words.

LONG = "\x1b[31m\n" * 1000
SENTENCES = [
    (
        Fault("unknown_tool", "serch", 0, required="search"),
        "serch: unknown tool. Did you mean 'search'?",
        "serch: неизвестный инструмент. Возможно, имелся в виду «search»?",
    ),
    (
        Fault("unknown_tool", "fly", 0),
        "fly: unknown tool",
        "fly: неизвестный инструмент",
    ),
    (
        Fault("missing_argument", "f", 0, "$.a", keyword="required"),
        "f: a: required, but not given",
        "f: a: обязательное значение не передано",
    ),
    (
        Fault("unknown_argument", "f", 0, "$.a", 1, keyword="additionalProperties"),
        "f: a: not in the schema (value 1)",
        "f: a: нет в схеме (значение 1)",
    ),
    (
        Fault("wrong_type", "f", 0, "$", [], "object", keyword="type"),
        "f: must be of type object, got []",
        "f: нужен тип object, получено []",
    ),
    (
        Fault("invalid_value", "f", 0, "$.a[0].b", 1, 5, keyword="minimum"),
        "f: a[0].b: must be at least 5, got 1",
        "f: a[0].b: нужно не меньше 5, получено 1",
    ),
    (
        Fault("invalid_value", "f", 0, "$.a", detail="in other words"),
        "f: a: does not match the schema (in other words)",
        "f: a: не соответствует схеме (in other words)",
    ),
    (
        Fault("malformed", "f", 0, detail="truncated_json"),
        "f: the arguments are not a JSON object: truncated text",
        "f: аргументы не являются объектом JSON: текст обрывается",
    ),
    (
        Fault("repeat", "f", 3, since=0),
        "f: exact repeat of call 1",
        "f: точный повтор вызова 1",
    ),
    (
        Fault("loop", "f", 5, since=0, detail="f, g"),
        "f: third repetition of a loop that starts at call 1 (f, g)",
        "f: третье повторение цикла, который начался с вызова 1 (f, g)",
    ),
    (
        Fault("retry_unchanged", "f", 3, since=2),
        "f: unchanged repeat of call 3, which failed",
        "f: повтор неудачного вызова 3 без изменений",
    ),
]


@pytest.mark.parametrize(("fault", "english", "russian"), SENTENCES)
def test_a_fault_is_one_sentence_in_both_languages(
    fault: Fault, english: str, russian: str
) -> None:
    assert fault_sentence(fault) == english
    assert fault_sentence(fault, lang="ru") == russian
    assert english == f"{fault.tool}: {fault_reason(fault)}"


@pytest.mark.parametrize("kind", get_args(FaultKind))
def test_whatever_the_trace_holds_it_stays_one_short_line(kind: FaultKind) -> None:
    fault = Fault(kind, LONG, 0, f"$.{LONG}", [LONG], [LONG], LONG, "type", 7)

    sentence = fault_sentence(fault)

    assert sentence.isprintable()
    assert len(sentence) < 600


@pytest.mark.parametrize("kind", get_args(FaultKind))
def test_every_class_has_a_name_in_both_languages(kind: FaultKind) -> None:
    assert fault_kind_name(kind) != fault_kind_name(kind, lang="ru")


# What a schema asks for and did not get, in words.

SCHEMA_TEXT_CASES: list[tuple[dict[str, Any], Any, str, str]] = [
    (
        {"properties": {"a": {"type": "integer"}}},
        {"a": "x"},
        '$.a: must be of type integer, got "x"',
        '$.a: нужен тип integer, получено "x"',
    ),
    (
        {"type": ["null", "integer"]},
        "x",
        'must be of type null | integer, got "x"',
        'нужен тип null | integer, получено "x"',
    ),
    (
        {"required": ["a"]},
        {},
        "$.a: required, but not given",
        "$.a: обязательное значение не передано",
    ),
    (
        {"additionalProperties": False},
        {"a": 1},
        "$.a: not in the schema (value 1)",
        "$.a: нет в схеме (значение 1)",
    ),
    (
        {"enum": ["a", 1]},
        "b",
        'must be one of "a", 1, got "b"',
        'нужно одно из значений: "a", 1; получено "b"',
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
        "items must be unique, got [1, 1]",
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
        'must have the format date, got "b"',
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
        "matches more than one alternative, got 1",
        "подходит более чем под один вариант, получено 1",
    ),
    (
        {"contains": {"type": "string"}},
        [1],
        "does not match the schema (None of [1] are valid under the given schema)",
        "не соответствует схеме (None of [1] are valid under the given schema)",
    ),
    (
        {"type": "string"},
        {1},
        "could not be checked (not JSON: Unsupported type: 'set')",
        "не удалось проверить (not JSON: Unsupported type: 'set')",
    ),
]


@pytest.mark.parametrize(("schema", "value", "english", "russian"), SCHEMA_TEXT_CASES)
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


def test_an_unknown_tool_that_looks_like_a_known_one_is_shown_with_code_points() -> None:
    fault = Fault("unknown_tool", "se\u0430rch", 0, required="search")

    assert fault_reason(fault).endswith("(looks the same, differs at character 3: U+0061 / U+0430)")


def test_the_differences_of_very_long_strings_are_not_counted() -> None:
    expected, actual = "a b " * 2000, "a c " * 2000

    assert hidden_differences(expected, actual, '"a b…"') == 0
    assert hidden_differences(1, 2, "1…") == 0
