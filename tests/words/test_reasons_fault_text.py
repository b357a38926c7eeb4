"""Faults in words."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import get_args

import pytest

from callscore.core.score import Fault, FaultKind
from callscore.words.reasons import fault_kind_name, fault_reason, fault_sentence

LONG = "\x1b[31m\n" * 1000
SENTENCES = [
    (
        Fault("unknown_tool", "serch", 0, wanted="search"),
        "serch: there is no such tool; is search meant?",
        "serch: такого инструмента нет; может быть, search?",
    ),
    (
        Fault("unknown_tool", "fly", 0),
        "fly: there is no such tool",
        "fly: такого инструмента нет",
    ),
    (
        Fault("missing_argument", "f", 0, "$.a", keyword="required"),
        "f: a: required, but not given",
        "f: a: обязательно, но не передано",
    ),
    (
        Fault("unknown_argument", "f", 0, "$.a", 1, keyword="additionalProperties"),
        "f: a: not known to the schema (value 1)",
        "f: a: схеме не известно (значение 1)",
    ),
    (
        Fault("wrong_type", "f", 0, "$", [], "object", keyword="type"),
        "f: must be of the type object, got []",
        "f: нужен тип object, получено []",
    ),
    (
        Fault("invalid_value", "f", 0, "$.a[0].b", 1, 5, keyword="minimum"),
        "f: a[0].b: must be at least 5, got 1",
        "f: a[0].b: нужно не меньше 5, получено 1",
    ),
    (
        Fault("invalid_value", "f", 0, "$.a", detail="in other words"),
        "f: a: not as the schema asks (in other words)",
        "f: a: не соответствует схеме (in other words)",
    ),
    (
        Fault("malformed", "f", 0, detail="truncated_json"),
        "f: the arguments are not a JSON object: the text breaks off",
        "f: аргументы не являются объектом JSON: текст обрывается",
    ),
    (
        Fault("repeat", "f", 3, since=0),
        "f: the same call as number 1",
        "f: тот же вызов, что и номер 1",
    ),
    (
        Fault("loop", "f", 5, since=0, detail="f, g"),
        "f: the third round of a loop that began with number 1 (f, g)",
        "f: третий круг цикла, который начался с номера 1 (f, g)",
    ),
    (
        Fault("retry_unchanged", "f", 3, since=2),
        "f: number 3 failed, and this is the same call again",
        "f: номер 3 завершился ошибкой, и это снова тот же вызов",
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
