"""Every fault of a call as one sentence, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.phrase import Phrase, say
from callscore.core.schema_text import demand_of
from callscore.core.text import clip, clip_middle, escape
from callscore.core.wording import fault_text, short_path

if TYPE_CHECKING:
    from callscore.core.fault import Fault, FaultKind
    from callscore.core.phrase import Language

__all__ = ["KIND_NAMES", "fault_reason", "fault_sentence", "kind_name"]

_NAME_WIDTH = 60
_DETAIL_WIDTH = 120

_ABOUT = Phrase("{tool}: {what}", "{tool}: {what}")
_UNKNOWN_TOOL = Phrase(
    "there is no such tool{hint}",
    "такого инструмента нет{hint}",
)
_HINT = Phrase("; is {meant} meant?", "; может быть, {meant}?")
_REPEAT = Phrase(
    "the same call as number {number}",
    "тот же вызов, что и номер {number}",
)
_LOOP = Phrase(
    "the third round of a loop that began with number {number} ({cycle})",
    "третий круг цикла, который начался с номера {number} ({cycle})",
)
_RETRY = Phrase(
    "number {number} failed, and this is the same call again",
    "номер {number} завершился ошибкой, и это снова тот же вызов",
)
_SEQUENCES = {"repeat": _REPEAT, "loop": _LOOP, "retry_unchanged": _RETRY}

KIND_NAMES: dict[FaultKind, Phrase] = {
    "unknown_tool": Phrase("unknown tool", "неизвестный инструмент"),
    "missing_argument": Phrase("missing argument", "нет аргумента"),
    "unknown_argument": Phrase("unknown argument", "неизвестный аргумент"),
    "wrong_type": Phrase("wrong type", "не тот тип"),
    "invalid_value": Phrase("invalid value", "недопустимое значение"),
    "malformed": Phrase("malformed arguments", "нечитаемые аргументы"),
    "repeat": Phrase("repeat", "повтор"),
    "loop": Phrase("loop", "цикл"),
    "retry_unchanged": Phrase("retry unchanged", "повтор после ошибки"),
}


def kind_name(kind: FaultKind, *, lang: Language = "en") -> str:
    """A class of failures in a word or two."""
    return say(KIND_NAMES[kind], lang)


def fault_sentence(fault: Fault, *, lang: Language = "en") -> str:
    """What is wrong with a call: the tool, the place, what was wanted and what was given.

    Calls are numbered from 1. The sentence is on one line and of bounded length, whatever the trace
    holds.
    """
    return say(_ABOUT, lang, tool=_name(fault.tool), what=fault_reason(fault, lang=lang))


def fault_reason(fault: Fault, *, lang: Language = "en") -> str:
    """The same without the tool, for where that is said already."""
    if fault.kind == "unknown_tool":
        hint = "" if fault.wanted is None else say(_HINT, lang, meant=_name(fault.wanted))
        return say(_UNKNOWN_TOOL, lang, hint=hint)
    if fault.kind in _SEQUENCES:
        number, cycle = (fault.since or 0) + 1, clip(escape(fault.detail or ""), _DETAIL_WIDTH)
        return say(_SEQUENCES[fault.kind], lang, number=number, cycle=cycle)
    if fault.kind == "malformed":
        return clip(fault_text(fault.detail or "", lang=lang), 2 * _DETAIL_WIDTH)
    return _demand(fault, lang)


def _name(name: object) -> str:
    return clip_middle(escape(str(name)), _NAME_WIDTH)


def _demand(fault: Fault, lang: Language) -> str:
    where = "" if fault.path == "$" else short_path(fault.path)
    values = fault.wanted, fault.value
    return demand_of(fault.keyword or "", where, values, fault.detail or "").text(lang)
