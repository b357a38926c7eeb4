"""Every sentence that a result is put into, in English and in Russian."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.arguments import json_type
from callscore.core.malformed import (
    CONCATENATED,
    INVALID,
    NOT_AN_OBJECT,
    NOT_CAPTURED,
    TOO_DEEP,
    TRUNCATED,
)
from callscore.core.phrase import Language, Phrase, Plural, count_of, require_language, say
from callscore.core.text import clip, clip_middle, escape, excerpts

if TYPE_CHECKING:
    from callscore.core.arguments import Difference
    from callscore.core.model import Score
    from callscore.core.results import Results

__all__ = [
    "Language",
    "Phrase",
    "Plural",
    "count_of",
    "decimal",
    "fault_text",
    "percent",
    "rating",
    "reason",
    "require_language",
    "results_line",
    "say",
    "short_path",
    "summary_line",
    "type_name",
]


def percent(value: float) -> str:
    """A share with one decimal: 100.0% and 0.0% are said only of all and of nothing."""
    return f"{_rounded_inwards(value, 1000) / 10:.1f}%"


def decimal(value: float) -> str:
    """A share with three decimals: 1.000 and 0.000 are said only of all and of nothing."""
    return f"{_rounded_inwards(value, 1000) / 1000:.3f}"


def _rounded_inwards(value: float, steps: int) -> int:
    nearest = round(value * steps)
    if value < 1:
        nearest = min(nearest, steps - 1)
    return max(nearest, 1) if value > 0 else nearest


_RATINGS = (
    (0.9, Phrase("Excellent", "Отлично")),
    (0.7, Phrase("Good", "Хорошо")),
    (0.5, Phrase("Moderate", "Средне")),
    (0.0, Phrase("Poor", "Плохо")),
)


def rating(score: float, *, lang: Language = "en") -> str:
    """A score in one word; one between two bands belongs to the lower."""
    return say(next(word for start, word in _RATINGS if score >= start), lang)


SUMMARY_LINE = Phrase(
    "Accuracy Score: {score} | Correct: {correct}/{expected} | Incorrect: {incorrect}"
    " | Missed: {missed} | Extra: {extra}",
    "Оценка точности: {score} | Верно: {correct}/{expected} | Неверно: {incorrect}"
    " | Пропущено: {missed} | Лишних: {extra}",
)


FORBIDDEN_CALLS = Phrase(" | Forbidden: {forbidden}", " | Запрещено: {forbidden}")


def summary_line(score: Score, *, lang: Language = "en") -> str:
    """The score and the four counts of a case on one line, and how many calls were forbidden."""
    line = say(
        SUMMARY_LINE,
        lang,
        score=percent(score.f1),
        correct=len(score.correct),
        expected=len(score.expected),
        incorrect=len(score.incorrect),
        missed=len(score.missed),
        extra=len(score.extra),
    )
    forbidden = len(score.forbidden)
    return line + say(FORBIDDEN_CALLS, lang, forbidden=forbidden) if forbidden else line


RESULTS_LINE = Phrase(
    "Macro F1: {score} | Cases: {cases} | Passed: {passed} | Exact: {exact}",
    "Macro F1: {score} | Случаев: {cases} | Пройдено: {passed} | Точно: {exact}",
)


def results_line(results: Results, *, lang: Language = "en") -> str:
    """The headline of many cases on one line."""
    summary = results.summary
    f1 = summary.macro_f1
    return say(
        RESULTS_LINE,
        lang,
        score="-" if f1 is None else percent(f1),
        cases=summary.cases,
        passed=summary.passed,
        exact=summary.exact,
    )


MISSING = Phrase("{path}: expected, but not given", "{path}: ожидалось, но не передано")
UNEXPECTED = Phrase(
    "{path}: given, but not expected (value {actual})",
    "{path}: передано, но не ожидалось (значение {actual})",
)
OTHER_VALUE = Phrase(
    "{path}: expected {expected}, got {actual}",
    "{path}: ожидалось {expected}, получено {actual}",
)
OTHER_TYPE = Phrase(
    "{path}: expected {expected}, got {actual}",
    "{path}: ожидалось: {expected}; получено: {actual}",
)
# Where a rule looks inside a value: which rule it was.
MISSING_BY = Phrase(
    "{path}: {matcher}: expected {expected}, but not given",
    "{path}: {matcher}: ожидалось {expected}, но не передано",
)
UNEXPECTED_BY = Phrase(
    "{path}: {matcher}: given, but not expected (value {actual})",
    "{path}: {matcher}: передано, но не ожидалось (значение {actual})",
)
NOT_MET = Phrase("{path}: {expected}, got {actual}", "{path}: {expected}, получено {actual}")
MALFORMED = Phrase(
    "the arguments are not a JSON object: {problem}",
    "аргументы не являются объектом JSON: {problem}",
)
NOT_WRITTEN_DOWN = Phrase(
    "the trace does not say what the arguments were",
    "в трассе не записано, какие были аргументы",
)
# What `ToolCall.error` has a word for; whatever else is there are the words of the trace.
_FAULTS = {
    INVALID: Phrase("not JSON", "это не JSON"),
    TRUNCATED: Phrase("the text breaks off", "текст обрывается"),
    CONCATENATED: Phrase("several objects, one after another", "несколько объектов один за другим"),
    NOT_AN_OBJECT: Phrase("another kind of value", "значение другого рода"),
    TOO_DEEP: Phrase("nested too deeply", "слишком глубокая вложенность"),
}
# `null` names itself, and what JSON does not know prints with its type.
_TYPES = {
    "boolean": Phrase("the boolean", "логическое значение"),
    "number": Phrase("the number", "число"),
    "string": Phrase("the string", "строка"),
    "object": Phrase("the object", "объект"),
    "array": Phrase("the array", "массив"),
}


def fault_text(error: str, *, lang: Language = "en") -> str:
    """What is wrong with the arguments of a call, as one sentence."""
    if error == NOT_CAPTURED:
        return say(NOT_WRITTEN_DOWN, lang)
    known = _FAULTS.get(error)
    return say(MALFORMED, lang, problem=say(known, lang) if known else clip(escape(error), 240))


def reason(difference: Difference, *, lang: Language = "en") -> str:
    """One sentence that says where two calls differ and names both values."""
    if difference.kind == "malformed":
        return clip(fault_text(difference.detail or "", lang=lang), 300)
    expected, actual = excerpts(difference.expected, difference.actual)
    if difference.kind == "type":
        expected = _with_type(difference.expected, expected, lang)
        actual = _with_type(difference.actual, actual, lang)
    by_rule = {} if difference.matcher is None else _REASONS_BY_RULE
    sentence = say(
        by_rule.get(difference.kind) or _REASONS[difference.kind],
        lang,
        path=short_path(difference.path),
        expected=expected,
        actual=actual,
        matcher=difference.matcher,
    )
    note = difference.note
    return sentence if note is None else f"{sentence} ({clip(escape(note.text(lang)), 240)})"


_REASONS = {
    "missing": MISSING,
    "unexpected": UNEXPECTED,
    "value": OTHER_VALUE,
    "type": OTHER_TYPE,
    "matcher": NOT_MET,
}
_REASONS_BY_RULE = {"missing": MISSING_BY, "unexpected": UNEXPECTED_BY}


def _with_type(value: object, text: str, lang: Language) -> str:
    phrase = _TYPES.get(json_type(value))
    return text if phrase is None else f"{say(phrase, lang)} {text}"


_TYPE_NAMES = {
    "boolean": Phrase("boolean", "логическое"),
    "number": Phrase("number", "число"),
    "string": Phrase("string", "строка"),
    "object": Phrase("object", "объект"),
    "array": Phrase("array", "массив"),
}


def type_name(value: object, *, lang: Language = "en") -> str:
    """The JSON type of a value in one word; null and what JSON does not know as they are."""
    kind = json_type(value)
    return say(_TYPE_NAMES[kind], lang) if kind in _TYPE_NAMES else kind


def short_path(path: str, *, width: int = 80) -> str:
    """A JSON path without its root, in at most `width` columns: `passengers[0].name`."""
    inner = path.removeprefix("$").removeprefix(".") or path
    if len(inner) > 8 * width:  # no screen is wide enough for what is in between
        inner = inner[: 4 * width] + inner[-4 * width :]
    return clip_middle(escape(inner), width)
