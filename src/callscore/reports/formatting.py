"""Numbers, durations, names and settings as every report writes them, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.phrases import Phrase, Plural, count_of, say
from callscore.core.rendering import clip_middle, display_width, escape
from callscore.core.settings import DEFAULT
from callscore.words.explanation import FORBIDDEN_CALLS
from callscore.words.summary_lines import forbidden_tools
from callscore.words.value_text import decimal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.phrases import Language
    from callscore.core.results import MetricValue
    from callscore.core.settings import Settings
    from callscore.core.summary import Summary

__all__ = [
    "CASES",
    "ERROR_COUNT",
    "MORE",
    "NO_NUMBER",
    "duration",
    "first_names",
    "forbidden_line",
    "grouped_number",
    "low_scorers",
    "metric_cells",
    "number_text",
    "settings_text",
]

CASES = Plural(("case", "cases"), ("случай", "случая", "случаев"))
MODE_PHRASES = {
    "strict": Phrase("strict", "режим STRICT"),
    "flexible": Phrase("flexible from {threshold}", "режим FLEXIBLE, порог {threshold}"),
    "any": Phrase("any order", "порядок любой"),
    "in_order": Phrase("in order", "по порядку"),
    "exact": Phrase("exact order", "позиция к позиции"),
}
# Other settings, mentioned only where they differ from the default.
_SETTING_PHRASES = {
    "extra_arguments": Phrase("extra arguments count", "лишние аргументы учитываются"),
    "count_calls": Phrase("writes only", "только изменяющие вызовы"),
    "failed_calls": Phrase("failed calls ignored", "вызовы с ошибкой не учитываются"),
    "repeated_calls": Phrase("repeats collapsed", "повторы считаются одним вызовом"),
    "arrays": Phrase("arrays in any order", "порядок в массивах любой"),
    "nested_objects": Phrase("extra keys in objects allowed", "в объектах допустимы лишние ключи"),
    "arguments": Phrase("rules for arguments ({value})", "правила для аргументов ({value})"),
    "strip_prefix": Phrase("prefixes stripped", "префиксы отброшены"),
    "normalise_name": Phrase("names normalised", "имена нормализованы"),
    "effects": Phrase("effects ({value})", "эффекты ({value})"),
    "top_k": Phrase("best of {value} answers", "лучший из ответов, до {value}"),
    "similarity": Phrase("own similarity", "своя мера сходства"),
    "judge": Phrase("with a judge", "с судьёй"),
    "at_least": Phrase("passed from {value}", "пройдено от {value}"),
}
MORE = Phrase("… {count} more", "… ещё {count}")
_NAMES_SHOWN = 5
_RULES_SHOWN = 4
_RULE_WIDTH = 40
_NAME_WIDTH = 60
_LONG_NAME_WIDTH = 100


# A sentence that starts with a number of cases.
UNCOUNTED_CASES = Plural(
    (
        "case: no call counts under these settings, so it passes",
        "cases: no call counts under these settings, so they pass",
    ),
    (
        "случай: по этим настройкам ни один вызов не учитывается, поэтому он пройден",
        "случая: по этим настройкам ни один вызов не учитывается, поэтому они пройдены",
        "случаев: по этим настройкам ни один вызов не учитывается, поэтому они пройдены",
    ),
)
FORBIDDEN_LINE = Phrase(
    "{calls}, in {cases}: such a case scores 0",
    "{calls} (затронуто: {cases}), оценка такого случая 0",
)


def forbidden_line(summary: Summary, lang: Language) -> tuple[str, str] | None:
    """How many calls must not have been made: a sentence, and the tools; None where there are none."""
    if not summary.forbidden_cases:
        return None
    tools = tuple([tool for tool, _ in forbidden_tools(summary)])
    sentence = say(
        FORBIDDEN_LINE,
        lang,
        calls=count_of(FORBIDDEN_CALLS, summary.forbidden, lang),
        cases=count_of(CASES, summary.forbidden_cases, lang),
    )
    return sentence, first_names(tools, len(tools), lang, width=_LONG_NAME_WIDTH)


def first_names(
    names: Sequence[str], count: int, lang: Language, *, width: int = _NAME_WIDTH
) -> str:
    """The first of some names, and how many more there are."""
    shown = [clip_middle(escape(name), width) for name in names[:_NAMES_SHOWN]]
    if shown and count > len(shown):
        shown.append(say(MORE, lang, count=count - len(shown)))
    return ", ".join(shown)


def settings_text(
    settings: Settings, lang: Language, *, write: Callable[[str], str] = escape
) -> str:
    """How the calls were compared, in a few words; defaults are not mentioned.

    Args:
        settings: what decided that.
        lang: the language.
        write: makes the patterns in the settings safe to show.
    """
    threshold = f"{settings.argument_match_threshold:g}"
    mode = say(MODE_PHRASES[settings.mode], lang, threshold=threshold)
    changes = [
        say(phrase, lang, value=_short_value(name, settings, lang, write))
        for name, phrase in _SETTING_PHRASES.items()
        if getattr(settings, name) != getattr(DEFAULT, name)
    ]
    return ", ".join([mode, say(MODE_PHRASES[settings.order], lang), *changes])


def _short_value(name: str, settings: Settings, lang: Language, write: Callable[[str], str]) -> str:
    if name == "arguments":
        rules = [(rule.pattern, rule.rule) for rule in settings.arguments]
    elif name == "effects":
        rules = [(pattern, effect) for pattern, effect in settings.effects]
    else:
        return f"{getattr(settings, name)}"
    shown = [
        write(clip_middle(escape(f"{pattern} {what}"), _RULE_WIDTH))
        for pattern, what in rules[:_RULES_SHOWN]
    ]
    if len(rules) > _RULES_SHOWN:
        shown.append(say(MORE, lang, count=len(rules) - _RULES_SHOWN))
    return ", ".join(shown)


ERROR_COUNT = Plural(("error", "errors"), ("ошибка", "ошибки", "ошибок"))
_MILLISECONDS = Phrase("{count} ms", "{count} мс")
_SECONDS = Phrase("{count:.1f} s", "{count:.1f} с")
_MINUTES = Phrase("{minutes} min {seconds} s", "{minutes} мин {seconds} с")
_HOURS = Phrase("{hours} h {minutes} min", "{hours} ч {minutes} мин")

_MINUTE = 60
_HOUR = 3600


def grouped_number(count: int, lang: Language) -> str:
    """A number with its thousands apart, as the language has it."""
    return f"{count:,}".replace(",", "\N{NO-BREAK SPACE}" if lang == "ru" else ",")


def duration(seconds: float, lang: Language) -> str:
    """A time as people say it: `230 ms`, `4.2 s`, `2 min 5 s`."""
    if round(seconds, 1) < 1:
        return say(_MILLISECONDS, lang, count=round(seconds * 1000) or "< 1")
    if round(seconds, 1) < _MINUTE:
        return say(_SECONDS, lang, count=seconds)
    whole = round(seconds)
    if whole < _HOUR:
        return say(_MINUTES, lang, minutes=whole // _MINUTE, seconds=whole % _MINUTE)
    return say(_HOURS, lang, hours=whole // _HOUR, minutes=whole % _HOUR // _MINUTE)


def low_scorers(values: Sequence[MetricValue], at_least: float) -> list[MetricValue]:
    """The scorers that are not content."""
    return [found for found in values if found.value is not None and found.value < at_least]


NO_NUMBER = "–"
_ROUNDED_DIGITS = 9  # of a number that may be a sum of shares, 0.9999999999999999 for 1
_CELL_SPACE = "   "


def number_text(value: float | None) -> str:
    """A number of any tool with three decimals; 1.000 and 0.000 are said only of those."""
    return NO_NUMBER if value is None else decimal(round(value, _ROUNDED_DIGITS))


def metric_cells(values: Sequence[MetricValue], width: int) -> list[list[tuple[str, str]]]:
    """The numbers of one case in lines of cells, a number and a name, aligned from case to case.

    Names are never cut, since people copy them: one that has no room is on a line of its own.
    """
    numbers = [number_text(found.value) for found in values]
    most = max(map(len, map(number_text, [0.0, *[found.value for found in values]])))
    names = [escape(found.name) for found in values]
    cells = [(number.rjust(most), name) for number, name in zip(numbers, names, strict=True)]
    used = sum(display_width(name) + most + 1 for name in names) + len(_CELL_SPACE) * (
        len(names) - 1
    )
    if used <= width:
        return [cells]
    widest = max(map(display_width, names))
    in_a_line = max((width + len(_CELL_SPACE)) // (widest + most + 1 + len(_CELL_SPACE)), 1)
    lines = [cells[start : start + in_a_line] for start in range(0, len(cells), in_a_line)]
    return [[*[_padded(cell, widest) for cell in line[:-1]], line[-1]] for line in lines]


def _padded(cell: tuple[str, str], width: int) -> tuple[str, str]:
    number, name = cell
    return number, name + " " * (width - display_width(name))
