"""What is said of one case of a run, in English and in Russian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.plain import encode_json
from callscore.core.run import Answer
from callscore.core.text import clip, display_width, escape
from callscore.core.wording import Phrase, Plural, count_of, say
from callscore.reports.run_wording import (
    ATTEMPTS,
    HAS_FAILED,
    HAS_NO_NUMBER,
    HAS_PASSED,
    KINDS,
    duration,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.kept_case import KeptCase
    from callscore.core.run import Result
    from callscore.core.wording import Language

__all__ = [
    "AS_KEPT",
    "INPUT",
    "METADATA",
    "TAGS",
    "TRIAL",
    "cost",
    "outcome",
    "text_lines",
    "trials_passed",
    "wrapped",
]

INPUT = Phrase("Input", "Вход")
METADATA = Phrase("Metadata", "Метаданные")
TRIAL = Phrase("Trial {number}", "Попытка {number}")
TAGS = Phrase("tags: {tags}", "теги: {tags}")
AS_KEPT = Phrase(
    "What was expected cannot be scored from the history; below is what the run has kept of it.",
    "Ожидание нельзя оценить по истории; ниже то, что сохранил прогон.",
)
_TRIALS = Phrase("{part}/{whole} trials passed", "попыток пройдено: {part}/{whole}")
_REUSED = Phrase("reused", "из сохранённых")
_REQUESTS = Plural(("request", "requests"), ("запрос", "запроса", "запросов"))
_TOKENS = Phrase("{read} tokens in, {written} out", "токены: {read} на входе, {written} на выходе")
_ROLE, _CONTENT = "role", "content"


def outcome(trial: Result, lang: Language) -> tuple[str, str]:
    """What became of a trial, in a few words, and the style they are shown in."""
    if trial.failure is not None:
        return say(KINDS[trial.failure.kind], lang), "red"
    if trial.passed is None:
        return say(HAS_NO_NUMBER, lang), "dim"
    return (say(HAS_PASSED, lang), "green") if trial.passed else (say(HAS_FAILED, lang), "red")


def trials_passed(case: KeptCase, lang: Language) -> str:
    """How many trials passed; empty where there is one."""
    if len(case.trials) == 1:
        return ""
    passed = sum(trial.passed is True for trial in case.trials)
    return say(_TRIALS, lang, part=passed, whole=len(case.trials))


def cost(trial: Result, lang: Language) -> str:
    """How long a trial took, and what it cost."""
    answer = trial.answer or Answer()
    parts = [duration(answer.seconds, lang)] if answer.seconds else []
    if answer.attempts > 1:
        parts.append(count_of(ATTEMPTS, answer.attempts, lang))
    if answer.usage.requests > 1:
        parts.append(count_of(_REQUESTS, answer.usage.requests, lang))
    if answer.usage.input_tokens or answer.usage.output_tokens:
        read = number(answer.usage.input_tokens, lang)
        written = number(answer.usage.output_tokens, lang)
        parts.append(say(_TOKENS, lang, read=read, written=written))
    if answer.is_reused:
        parts.append(say(_REUSED, lang))
    return ", ".join(parts)


def text_lines(value: Any, width: int) -> list[str]:
    """A value as lines that are safe to show: words as they are, messages by who says them, else JSON."""
    return [line for text in _texts(value) for line in wrapped(escape(text), width)]


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.splitlines() or [""]
    if isinstance(value, list) and value and all(_is_message(item) for item in value):
        return [line for item in value for line in f"{item[_ROLE]}: {item[_CONTENT]}".splitlines()]
    return msgspec.json.format(encode_json(value), indent=2).decode().splitlines()


def _is_message(item: Any) -> bool:
    is_plain = isinstance(item, dict) and set(item) == {_ROLE, _CONTENT}
    return is_plain and isinstance(item[_ROLE], str) and isinstance(item[_CONTENT], str)


def wrapped(line: str, width: int) -> Iterator[str]:
    """A line in pieces that have room, broken at blanks where there are any."""
    while display_width(line) > width:
        head = clip(line, width + 1)[:-1] or line[:1]
        blank = head.rfind(" ")
        end = blank if blank > len(head) // 2 else len(head)
        yield line[:end].rstrip()
        line = line[end:].lstrip()
    yield line
