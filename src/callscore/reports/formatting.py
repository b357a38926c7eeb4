"""What reports share: numbers, durations and names in two languages, Markdown and JUnit text."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from callscore.core.phrases import Phrase, Plural, count_of, say
from callscore.core.rendering import clip_middle, display_width, escape
from callscore.core.settings import DEFAULT
from callscore.words.explanation import FORBIDDEN_CALLS
from callscore.words.value_text import decimal, forbidden_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from callscore.core.phrases import Language
    from callscore.core.results import MetricValue, Noted
    from callscore.core.settings import Settings
    from callscore.core.summary import Summary

__all__ = [
    "CASES",
    "ERROR_COUNT",
    "MORE",
    "NO_NUMBER",
    "add_noted",
    "add_properties",
    "add_test",
    "code",
    "details",
    "document_text",
    "duration",
    "fenced",
    "first_names",
    "forbidden_line",
    "grouped_number",
    "html_entities",
    "low_scorers",
    "metric_cells",
    "note_item",
    "number_text",
    "settings_text",
    "table",
    "xml_safe",
]


# Numbers, durations, names and settings as every report writes them, in English and in Russian.

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


# Text from the data as Markdown that can neither end early, break a table, nor become HTML.

_MARKDOWN_NAME_WIDTH = 80
# Room for all the names of a note, each of which is short already.
_NOTE_WIDTH = 1000
# Text of these characters alone has no meaning in Markdown between backticks.
_SAFE_IN_CODE = re.compile(r"[\w .,:;/+=#@$%*'\"(){}\[\]!?~^…-]*")
_WORDLIKE = re.compile(r"[^\W_]|[ …]")
_NUMBER = re.compile("[+−]?[0-9]")


def code(text: str, *, width: int = _MARKDOWN_NAME_WIDTH) -> str:
    """Text as code, on one line and in at most so many columns."""
    short = clip_middle(escape(text), width)
    if short.strip() and _SAFE_IN_CODE.fullmatch(short):
        return f"`{short}`"
    return f"<code>{html_entities(short)}</code>"


def fenced(text: str, language: str) -> str:
    """Text as a block of code, whatever it holds."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def table(labels: Iterable[str], rows: Sequence[tuple[object, ...]]) -> str:
    """A table of at least one row, whose columns of numbers are set to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    rules = ["---:" if _NUMBER.match(cell) else "---" for cell in cells[0]]
    return "\n".join(f"| {' | '.join(row)} |" for row in (list(labels), rules, *cells))


def html_entities(text: str) -> str:
    """Text that can stand inside HTML inside Markdown."""
    # Written as a number, a character means itself and nothing else, to Markdown as to HTML.
    return "".join(
        character if _WORDLIKE.fullmatch(character) else f"&#{ord(character)};"
        for character in text
    )


def note_item(sentence: str, names: str, *, is_bold: bool = True, width: int = _NOTE_WIDTH) -> str:
    """A note as an item of a list: a sentence, and the first names that it is about."""
    mark = "**" if is_bold else ""
    return f"- {mark}{sentence}{mark}" + (f" ({code(names, width=width)})" if names else "")


def details(title: str, body: str) -> str:
    """Something that is folded in below its title; the title is HTML already."""
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


# JUnit XML, which every build server shows: suites, tests, properties and the counts of tests.


def document_text(root: Element) -> str:
    """The document, indented, with the counts of tests in every suite."""
    for suite in (root, *root):
        _count_tests(suite)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _count_tests(element: Element) -> None:
    """Write down how many tests there are in a suite, or in suites, and what became of them."""
    element.set("tests", str(len(element.findall(".//testcase"))))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(len(element.findall(f".//testcase/{tag}"))))


def add_properties(
    element: Element, numbers: Sequence[tuple[str, float | None, str | None]]
) -> Element:
    """Add what other tools, or scorers, say: a name, a number, and why there is none."""
    properties = Element("properties")
    if numbers:
        element.append(properties)
    for name, number, why in numbers:
        # Under the name of a metric stand numbers alone: build servers draw them.
        if number is None:
            _add_property(properties, f"{name}: not scorable", why or "")
        else:
            _add_property(properties, name, repr(number))
    return properties


def _add_property(properties: Element, name: str, value: str) -> None:
    SubElement(properties, "property", name=xml_safe(name), value=xml_safe(value))


def add_noted(suite: Element, noted: Noted, tag: str, why: Phrase, lang: Language) -> None:
    """Add a test for each thing that was counted and named, and one for those without a name."""
    for name in noted.names:
        SubElement(add_test(suite, name), tag, message=say(why, lang))
    unnamed = noted.count - len(noted.names)
    if unnamed > 0:
        test = add_test(suite, say(MORE, lang, count=unnamed))
        SubElement(test, tag, message=say(why, lang))


def add_test(suite: Element, name: str) -> Element:
    """Add a test to a suite, by whose name it goes, too."""
    return SubElement(suite, "testcase", classname=suite.get("name", ""), name=xml_safe(name))


def xml_safe(text: str) -> str:
    """The text with everything spelled out that XML cannot say, or that hides or turns the rest."""
    return "\n".join(map(escape, text.split("\n")))
