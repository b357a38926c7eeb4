"""Every difference, fault and schema error as one sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from callscore.core.call import (
    CONCATENATED,
    INVALID,
    NOT_AN_OBJECT,
    NOT_CAPTURED,
    TOO_DEEP,
    TRUNCATED,
)
from callscore.core.equality import json_type
from callscore.core.phrases import Language, Note, Phrase, say
from callscore.core.rendering import (
    ELLIPSIS,
    EMPTY_NAME,
    clip,
    clip_middle,
    clip_value,
    display_width,
    escape,
    excerpts,
    render_value,
)
from callscore.words.look_alikes import code_points_text
from callscore.words.value_text import path_text, short_path

if TYPE_CHECKING:
    from callscore.core.arguments import Difference
    from callscore.core.schemas.validation import SchemaError
    from callscore.core.score import Fault, FaultKind

_OTHER_VALUE = Phrase(
    "{path}: expected {expected}, got {actual}", "{path}: ожидалось {expected}, получено {actual}"
)
# By the kind of the difference.
_REASONS = {
    "missing": Phrase("{path}: expected, but not given", "{path}: ожидалось, но не передано"),
    "unexpected": Phrase(
        "{path}: given, but not expected (value {actual})",
        "{path}: передано, но не ожидалось (значение {actual})",
    ),
    "value": _OTHER_VALUE,
    "type": _OTHER_VALUE,
    "matcher": Phrase("{path}: {expected}, got {actual}", "{path}: {expected}, получено {actual}"),
}
# The same for a rule that compares the inside of a value.
_REASONS_BY_RULE = {
    "missing": Phrase(
        "{path}: {matcher}: expected {expected}, but not given",
        "{path}: {matcher}: ожидалось {expected}, но не передано",
    ),
    "unexpected": Phrase(
        "{path}: {matcher}: given, but not expected (value {actual})",
        "{path}: {matcher}: передано, но не ожидалось (значение {actual})",
    ),
}
_EXPECTED_VALUE = Phrase("expected {value}", "ожидалось {value}")
_ACTUAL_VALUE = Phrase("got {value}", "получено {value}")
MALFORMED = Phrase(
    "the arguments are not a JSON object: {problem}",
    "аргументы не являются объектом JSON: {problem}",
)
NOT_RECORDED = Phrase("the trace does not contain the arguments", "в трассе нет аргументов")
# The known values of `ToolCall.error`; any other value is text from the trace.
_MALFORMED_KINDS = {
    INVALID: Phrase("not JSON", "это не JSON"),
    TRUNCATED: Phrase("truncated text", "текст обрывается"),
    CONCATENATED: Phrase("several objects in a row", "несколько объектов один за другим"),
    NOT_AN_OBJECT: Phrase("a value of another type", "значение другого типа"),
    TOO_DEEP: Phrase("nested too deeply", "слишком глубокая вложенность"),
}
# `null`, and the repr of a value that is not JSON, already show their type.
_TYPES = {
    "boolean": Phrase("the boolean {value}", "{value} (логическое значение)"),
    "number": Phrase("the number {value}", "{value} (число)"),
    "string": Phrase("the string {value}", "{value} (строка)"),
    "object": Phrase("the object {value}", "{value} (объект)"),
    "array": Phrase("the array {value}", "{value} (массив)"),
}


def malformed_text(error: str, *, lang: Language = "en") -> str:
    """A sentence about arguments that cannot be read."""
    if error == NOT_CAPTURED:
        return say(NOT_RECORDED, lang)
    known = _MALFORMED_KINDS.get(error)
    return say(MALFORMED, lang, problem=say(known, lang) if known else clip(escape(error), 240))


def difference_reason(
    difference: Difference, *, others: Sequence[Difference] = (), lang: Language = "en"
) -> str:
    """One sentence: where two calls differ, and both values.

    `others` are all differences of the pair, for names of arguments that look the same.
    """
    if difference.kind == "malformed":
        return clip(malformed_text(difference.detail or "", lang=lang), 300)
    expected, actual = _both_values(difference, lang)
    by_rule = {} if difference.matcher is None else _REASONS_BY_RULE
    sentence = say(
        by_rule.get(difference.kind) or _REASONS[difference.kind],
        lang,
        path=short_path(difference.path),
        expected=expected,
        actual=actual,
        matcher=difference.matcher,
    )
    note = _difference_note(difference, others, lang)
    return sentence if note is None else f"{sentence} ({note})"


def difference_reason_lines(
    difference: Difference, *, others: Sequence[Difference], width: int, lang: Language
) -> list[str]:
    """The same sentence; if it is longer than `width`, both values have lines of their own."""
    sentence = difference_reason(difference, others=others, lang=lang)
    if display_width(sentence) <= width or difference.kind not in {"value", "type", "matcher"}:
        return [sentence]
    expected, actual = _both_values(difference, lang)
    note = _difference_note(difference, others, lang)
    return [
        f"{short_path(difference.path)}:",
        f"  {say(_EXPECTED_VALUE, lang, value=expected)}",
        f"  {say(_ACTUAL_VALUE, lang, value=actual)}",
        *([] if note is None else [f"  ({note})"]),
    ]


def _both_values(difference: Difference, lang: Language) -> tuple[str, str]:
    expected, actual = excerpts(difference.expected, difference.actual)
    if difference.kind == "type":
        expected = _with_type(difference.expected, expected, lang)
        actual = _with_type(difference.actual, actual, lang)
    return expected, actual


def _difference_note(
    difference: Difference, others: Sequence[Difference], lang: Language
) -> str | None:
    note = difference.note
    if note is not None:
        return clip(escape(note.text(lang)), 240)
    return difference_code_points(difference, others, lang)


def difference_code_points(
    difference: Difference, others: Sequence[Difference], lang: Language
) -> str | None:
    """Where two values, or names of arguments, that look the same differ; None if none do.

    `others` are all differences of the pair: a missing argument may look like an unexpected one.
    """
    if difference.kind == "value":
        return code_points_text(difference.expected, difference.actual, lang)
    if difference.kind != "missing":
        return None
    given = [other.path for other in others if other.kind == "unexpected"]
    found = (code_points_text(path_text(difference.path), path_text(path), lang) for path in given)
    return next((text for text in found if text is not None), None)


_PARTS = re.compile(r"\w+\W*|\W+")
_MOST_PARTS = 2000  # words that are compared; more of them take long


def hidden_differences(expected: object, actual: object, shown: str) -> int:
    """In how many more places two strings differ that `shown`, an excerpt of the first, leaves out."""
    if not (isinstance(expected, str) and isinstance(actual, str)) or ELLIPSIS not in shown:
        return 0
    from difflib import SequenceMatcher

    words, others = _PARTS.findall(expected), _PARTS.findall(actual)
    if max(len(words), len(others)) > _MOST_PARTS:
        return 0
    places = [
        (start, end)
        for kind, start, end, _, _ in SequenceMatcher(None, words, others).get_opcodes()
        if kind != "equal"
    ]
    # None, where the strings differ only in what is hidden.
    first = places[0][0] if places else 0
    return sum(escape("".join(words[first:end])).rstrip() not in shown for start, end in places[1:])


def _with_type(value: object, text: str, lang: Language) -> str:
    phrase = _TYPES.get(json_type(value))
    return text if phrase is None else say(phrase, lang, value=text)


_WIDTH = 80

_UNKNOWN = Phrase(
    "{where}not in the schema (value {value})", "{where}нет в схеме (значение {value})"
)
_OTHER = Phrase(
    "{where}does not match the schema ({detail})", "{where}не соответствует схеме ({detail})"
)
# By the keyword of the schema.
_KEYWORD_PHRASES = {
    "required": Phrase(
        "{where}required, but not given", "{where}обязательное значение не передано"
    ),
    "additionalProperties": _UNKNOWN,
    "unevaluatedProperties": _UNKNOWN,
    "propertyNames": _UNKNOWN,
    "type": Phrase(
        "{where}must be of type {required}, got {value}",
        "{where}нужен тип {required}, получено {value}",
    ),
    "enum": Phrase(
        "{where}must be one of {required}, got {value}",
        "{where}нужно одно из значений: {required}; получено {value}",
    ),
    "const": Phrase(
        "{where}must be {required}, got {value}", "{where}нужно {required}, получено {value}"
    ),
    "minimum": Phrase(
        "{where}must be at least {required}, got {value}",
        "{where}нужно не меньше {required}, получено {value}",
    ),
    "maximum": Phrase(
        "{where}must be at most {required}, got {value}",
        "{where}нужно не больше {required}, получено {value}",
    ),
    "exclusiveMinimum": Phrase(
        "{where}must be more than {required}, got {value}",
        "{where}нужно больше {required}, получено {value}",
    ),
    "exclusiveMaximum": Phrase(
        "{where}must be less than {required}, got {value}",
        "{where}нужно меньше {required}, получено {value}",
    ),
    "multipleOf": Phrase(
        "{where}must be a multiple of {required}, got {value}",
        "{where}нужно кратное {required}, получено {value}",
    ),
    "minLength": Phrase(
        "{where}its length must be at least {required}, got {value}",
        "{where}длина должна быть не меньше {required}, получено {value}",
    ),
    "maxLength": Phrase(
        "{where}its length must be at most {required}, got {value}",
        "{where}длина должна быть не больше {required}, получено {value}",
    ),
    "minItems": Phrase(
        "{where}the number of items must be at least {required}, got {value}",
        "{where}число элементов должно быть не меньше {required}, получено {value}",
    ),
    "maxItems": Phrase(
        "{where}the number of items must be at most {required}, got {value}",
        "{where}число элементов должно быть не больше {required}, получено {value}",
    ),
    "minProperties": Phrase(
        "{where}the number of members must be at least {required}, got {value}",
        "{where}число полей должно быть не меньше {required}, получено {value}",
    ),
    "maxProperties": Phrase(
        "{where}the number of members must be at most {required}, got {value}",
        "{where}число полей должно быть не больше {required}, получено {value}",
    ),
    "uniqueItems": Phrase(
        "{where}items must be unique, got {value}",
        "{where}элементы не должны повторяться, получено {value}",
    ),
    "pattern": Phrase(
        "{where}must match {required}, got {value}",
        "{where}должно соответствовать {required}, получено {value}",
    ),
    "format": Phrase(
        "{where}must have the format {required}, got {value}",
        "{where}нужен формат {required}, получено {value}",
    ),
    "falseSchema": Phrase(
        "{where}must not be given (value {value})",
        "{where}не должно передаваться (значение {value})",
    ),
    "oneOf": Phrase(
        "{where}matches more than one alternative, got {value}",
        "{where}подходит более чем под один вариант, получено {value}",
    ),
    "unchecked": Phrase(
        "{where}could not be checked ({detail})", "{where}не удалось проверить ({detail})"
    ),
}
# Keywords whose value is shown as words, not as JSON.
_WORD_KEYWORDS = frozenset({"type", "format", "pattern"})


def schema_error_note(error: SchemaError) -> Note:
    """The error as a clause in any language."""
    where = "" if not error.steps else error.path
    return keyword_note(error.keyword, where, (error.required, error.value), error.message)


def keyword_note(keyword: str, where: str, values: tuple[Any, Any], detail: str) -> Note:
    """What a keyword of a schema requires, and what it got instead, which are the two `values`.

    `where` is the path that precedes the clause, and may be empty. `detail` is the message of the
    library, for keywords that have no phrase here.
    """
    required, value = values
    if keyword in _WORD_KEYWORDS:
        words = required if isinstance(required, list) else [required]
        shown = clip(escape(" | ".join(map(str, words))), _WIDTH)
    elif keyword == "enum" and isinstance(required, list):
        items = [render_value(item, limit=_WIDTH) for item in required[:_WIDTH]]
        shown = clip(", ".join(items), _WIDTH)
    else:
        shown = render_value(required, limit=_WIDTH)
    return Note(
        _KEYWORD_PHRASES.get(keyword, _OTHER),
        {
            "where": f"{clip(escape(where), _WIDTH)}: " if where else "",
            "required": shown,
            "value": clip_value(value, _WIDTH),
            "detail": clip(escape(detail.rstrip(".")), 2 * _WIDTH),
        },
    )


_NAME_WIDTH = 60
_DETAIL_WIDTH = 120

_UNKNOWN_TOOL = Phrase("unknown tool{hint}", "неизвестный инструмент{hint}")
_HINT = Phrase(". Did you mean '{meant}'?", ". Возможно, имелся в виду «{meant}»?")
_SEQUENCES = {
    "repeat": Phrase("exact repeat of call {number}", "точный повтор вызова {number}"),
    "loop": Phrase(
        "third repetition of a loop that starts at call {number} ({cycle})",
        "третье повторение цикла, который начался с вызова {number} ({cycle})",
    ),
    "retry_unchanged": Phrase(
        "unchanged repeat of call {number}, which failed",
        "повтор неудачного вызова {number} без изменений",
    ),
}

FAULT_KIND_NAMES: dict[FaultKind, Phrase] = {
    "unknown_tool": Phrase("unknown tool", "неизвестный инструмент"),
    "missing_argument": Phrase("missing argument", "нет аргумента"),
    "unknown_argument": Phrase("unknown argument", "неизвестный аргумент"),
    "wrong_type": Phrase("wrong type", "неверный тип"),
    "invalid_value": Phrase("invalid value", "недопустимое значение"),
    "malformed": Phrase("malformed arguments", "нечитаемые аргументы"),
    "repeat": Phrase("repeat", "повтор"),
    "loop": Phrase("loop", "цикл"),
    "retry_unchanged": Phrase("unchanged retry", "повтор после неудачи"),
}


def fault_kind_name(kind: FaultKind, *, lang: Language = "en") -> str:
    """A kind of fault in a word or two."""
    return say(FAULT_KIND_NAMES[kind], lang)


def fault_sentence(fault: Fault, *, lang: Language = "en") -> str:
    """What is wrong with a call: the tool, the path, what was required and what was given.

    Calls are numbered from 1. The sentence is on one line and of bounded length.
    """
    tool = clip_middle(escape(fault.tool) or EMPTY_NAME, _NAME_WIDTH)
    return f"{tool}: {fault_reason(fault, lang=lang)}"


def fault_reason(fault: Fault, *, lang: Language = "en") -> str:
    """The same sentence without the tool's name."""
    if fault.kind == "unknown_tool":
        meant = clip_middle(escape(str(fault.required)), _NAME_WIDTH)
        hint = "" if fault.required is None else say(_HINT, lang, meant=meant)
        code_points = code_points_text(fault.required, fault.tool, lang)
        note = "" if code_points is None else f" ({code_points})"
        return say(_UNKNOWN_TOOL, lang, hint=hint) + note
    if fault.kind in _SEQUENCES:
        number, cycle = (fault.since or 0) + 1, clip(escape(fault.detail or ""), _DETAIL_WIDTH)
        return say(_SEQUENCES[fault.kind], lang, number=number, cycle=cycle)
    if fault.kind == "malformed":
        return clip(malformed_text(fault.detail or "", lang=lang), 2 * _DETAIL_WIDTH)
    where = "" if fault.path == "$" else short_path(fault.path)
    values = fault.required, fault.value
    return keyword_note(fault.keyword or "", where, values, fault.detail or "").text(lang)
