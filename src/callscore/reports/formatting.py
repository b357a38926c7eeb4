"""Shared by reports: numbers, durations and names; Markdown, JUnit and text for GitHub's log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from os import environ
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import (
    ELLIPSIS,
    EMPTY_NAME,
    clip,
    clip_middle,
    display_width,
    escape,
)
from callscore.core.settings import DEFAULT, Settings
from callscore.words.value_text import CASES, MORE, decimal, exact_decimal, forbidden_tools
from callscore.words.value_text import TRIALS as TRIAL_COUNT

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from callscore.core.results import MetricValue, Noted
    from callscore.core.summary import Summary

# Makes text from the data safe to show: `escape` on a terminal, `code` in Markdown.
Escaper = Callable[[str], str]

MODE_PHRASES = {
    "strict": Phrase("strict", "режим strict"),
    "flexible": Phrase("flexible (≥ {threshold})", "режим flexible (≥ {threshold})"),
    "any": Phrase("any order", "любой порядок"),
    "in_order": Phrase("in order", "по порядку"),
    "exact": Phrase("exact order", "точный порядок"),
    "in_turns": Phrase("in order within turns", "по порядку внутри хода"),
}
# Other settings, mentioned only where they differ from the default.
_SETTING_PHRASES = {
    "extra_arguments": Phrase("extra arguments count", "лишние аргументы учитываются"),
    "count_calls": Phrase("writes only", "только изменяющие вызовы"),
    "failed_calls": Phrase("failed calls ignored", "неудачные вызовы не учитываются"),
    "repeated_calls": Phrase("repeats counted once", "повторы считаются одним вызовом"),
    "arrays": Phrase("arrays in any order", "любой порядок в массивах"),
    "nested_objects": Phrase("extra keys in objects allowed", "в объектах допустимы лишние ключи"),
    "extra_calls": Phrase("extra calls: {value}", "лишние вызовы: {value}"),
    "schema_defaults": Phrase("schema defaults equal", "значения по умолчанию равны"),
    "turns": Phrase("turns cumulative", "ходы накапливаются"),
    "arguments": Phrase("rules for arguments ({value})", "правила для аргументов ({value})"),
    "strip_prefix": Phrase("prefixes stripped", "префиксы отброшены"),
    "normalize_name": Phrase("names normalized", "имена нормализованы"),
    "effects": Phrase("effects ({value})", "эффекты ({value})"),
    "top_k": Phrase("best of {value} answers", "лучший ответ из {value}"),
    "similarity": Phrase("custom similarity", "своя мера сходства"),
    "judge": Phrase("with a judge", "с судьёй"),
    "pass_mark": Phrase("pass mark {value}", "проходная оценка {value}"),
}
_NAMES_SHOWN = 5
_RULES_SHOWN = 4
_RULE_WIDTH = 40
_REASONS_SHOWN = 2
LONG_NAME_WIDTH = 100
_UNREAD_WIDTH = 240  # of a place, what is there, and what it may be
UNLIMITED_WIDTH = 1_000_000

# A counted noun and a sentence, for the records that were skipped.
SKIPPED_NOTE = (
    Plural(("record", "records"), ("запись", "записи", "записей")),
    Phrase("{count} skipped: unreadable", "не удалось прочитать: {count}"),
)
# Likewise, for the records with something that looks like calls and was not read.
UNREAD_NOTE = (
    SKIPPED_NOTE[0],
    Phrase(
        "{count} with something that looks like calls and was not read; 'callscore formats --identify"
        " FILE' shows how a file is read",
        "есть похожее на вызовы, но не прочитанное: {count}; как читается файл, покажет"
        " 'callscore formats --identify FILE'",
    ),
)
INTERVAL_TEXT = Phrase("95% interval {interval}", "95%-й интервал {interval}")
RUN_ID = Phrase("run {id}", "прогон {id}")
_UNCOUNTED_CASES = Plural(
    (
        "case without calls that count: passed, no rating",
        "cases without calls that count: passed, no rating",
    ),
    (
        "случай без учитываемых вызовов: пройден, без уровня",
        "случая без учитываемых вызовов: пройдены, без уровня",
        "случаев без учитываемых вызовов: пройдены, без уровня",
    ),
)
_UNCOUNTED_TRIALS = Plural(
    (
        "trial without calls that count: passed, no rating",
        "trials without calls that count: passed, no rating",
    ),
    (
        "попытка без учитываемых вызовов: пройдена, без уровня",
        "попытки без учитываемых вызовов: пройдены, без уровня",
        "попыток без учитываемых вызовов: пройдены, без уровня",
    ),
)
_VARIANT_COUNT = Plural(("variant", "variants"), ("вариант", "варианта", "вариантов"))
_TURN_CASES = Plural(
    ("case with turns", "cases with turns"),
    ("случая с ходами", "случаев с ходами", "случаев с ходами"),
)
_TURN_TRIALS = Plural(
    ("trial with turns", "trials with turns"),
    ("попытки с ходами", "попыток с ходами", "попыток с ходами"),
)
_WRONG_TURNS = Phrase(
    "a turn went wrong in {wrong} of {cases}", "неверный ход есть в {wrong} из {cases}"
)
# If there is only one: its noun is not counted.
_WRONG_TURN_IN_CASE = Phrase(
    "a turn went wrong in the only case with turns",
    "неверный ход есть в единственном случае с ходами",
)
_WRONG_TURN_IN_TRIAL = Phrase(
    "a turn went wrong in the only trial with turns",
    "неверный ход есть в единственной попытке с ходами",
)
_FIRST_WRONG = Phrase("first in {turns}", "первый: {turns}")
_FIRST_WRONG_IN = Phrase("turn {turn}: {cases}", "ход {turn} — {cases}")
_JOINED_TURNS = Phrase(
    "{cases} with turns compared as one: the trace does not say where a turn begins",
    "{cases} с ходами, которые сравнивались как один: в трассе не указано, где начинается ход",
)
_TURNS_SHOWN = 10
FORBIDDEN_LINE = Phrase(
    "{calls} in {cases}, scored 0",
    "{calls} ({cases}), оценка 0",
)


_FILE_WIDTH = 100
_NARROWEST = 40


def file_width(default: int = _FILE_WIDTH) -> int:
    """The width of a report in a file or a pipe: the variable COLUMNS, or 100."""
    columns = environ.get("COLUMNS", "")
    return max(int(columns), _NARROWEST) if columns.isdecimal() and int(columns) else default


def forbidden_line(summary: Summary, lang: Language) -> tuple[str, str] | None:
    """A sentence about forbidden calls, and their tools; None if there are none."""
    if not summary.forbidden_cases:
        return None
    from callscore.words.explanation import FORBIDDEN_CALLS  # few reports have any

    tools = tuple([tool for tool, _ in forbidden_tools(summary)])
    sentence = say(
        FORBIDDEN_LINE,
        lang,
        calls=count_of(FORBIDDEN_CALLS, summary.forbidden, lang),
        cases=count_of(scored_noun(summary), summary.forbidden_cases, lang),
    )
    return sentence, first_names(tools, len(tools), lang)


def turn_notes(summary: Summary, lang: Language) -> list[tuple[str, str]]:
    """In which turn cases went wrong first, and how many turns were compared as one; often nothing."""
    notes: list[tuple[str, str]] = []
    wrong = summary.wrong_turns
    if wrong:
        shown = [
            say(_FIRST_WRONG_IN, lang, turn=turn, cases=cases)
            for turn, cases in sorted(wrong.items())
        ]
        names = ", ".join(shown[:_TURNS_SHOWN])
        if len(shown) > _TURNS_SHOWN:
            names = f"{names}, {say(MORE, lang, count=len(shown) - _TURNS_SHOWN)}"
        notes.append((_wrong_turns(summary, lang), say(_FIRST_WRONG, lang, turns=names)))
    if summary.joined_turn_cases:
        joined = count_of(scored_noun(summary), summary.joined_turn_cases, lang)
        notes.append((say(_JOINED_TURNS, lang, cases=joined), ""))
    return notes


def _wrong_turns(summary: Summary, lang: Language) -> str:
    is_repeated = summary.has_repeated_trials
    if summary.turn_cases == 1:
        return say(_WRONG_TURN_IN_TRIAL if is_repeated else _WRONG_TURN_IN_CASE, lang)
    cases = count_of(_TURN_TRIALS if is_repeated else _TURN_CASES, summary.turn_cases, lang)
    return say(_WRONG_TURNS, lang, wrong=sum(summary.wrong_turns.values()), cases=cases)


def case_counts(
    cases: int, variants: int, trials: int, lang: Language, *, is_repeated: bool
) -> str:
    """`50 cases`; with several variants or trials per case, `3 cases, 2 variants, 12 trials`."""
    parts = [count_of(CASES, cases, lang)]
    if variants > 1:
        parts.append(count_of(_VARIANT_COUNT, variants, lang))
    if is_repeated:
        parts.append(count_of(TRIAL_COUNT, trials, lang))
    return ", ".join(parts)


def same_count(counts: Iterable[int]) -> int:
    """The number that all counts have; 1 if they differ."""
    found = set(counts)
    return found.pop() if len(found) == 1 else 1


def scored_noun(summary: Summary) -> Plural:
    """What the counts of a summary are about: cases, or trials if a case has several."""
    return TRIAL_COUNT if summary.has_repeated_trials else CASES


def uncounted_line(summary: Summary, lang: Language) -> str:
    """How many cases, or trials, have no call that counts; empty for none."""
    plural = _UNCOUNTED_TRIALS if summary.has_repeated_trials else _UNCOUNTED_CASES
    return count_of(plural, summary.uncounted_cases, lang) if summary.uncounted_cases else ""


def with_names(sentence: str, names: str) -> str:
    """A reason or a note on one line."""
    return f"{sentence} ({names})" if names else sentence


def first_names(
    names: Sequence[str],
    count: int,
    lang: Language,
    *,
    width: int = LONG_NAME_WIDTH,
    most: int = _NAMES_SHOWN,
) -> str:
    """The first of some names, and how many more there are."""
    shown = [clip_middle(escape(name) or EMPTY_NAME, width) for name in names[:most]]
    if shown and count > len(shown):
        shown.append(say(MORE, lang, count=count - len(shown)))
    return ", ".join(shown)


def unread_places(unread: Noted, lang: Language) -> str:
    """The first places of something that looks like calls and was not read, and what is there."""
    shown = [clip_middle(escape(name), _UNREAD_WIDTH) for name in unread.names[:_NAMES_SHOWN]]
    shown = [name.removesuffix(".") for name in shown]
    if unread.count > len(shown):
        shown.append(say(MORE, lang, count=unread.count - len(shown)))
    return "; ".join(shown)


def first_reasons(reasons: Sequence[str], width: int) -> str:
    """The first reasons as a list: sentences without their full stops."""
    shown = [clip(escape(reason).removesuffix("."), width) for reason in reasons[:_REASONS_SHOWN]]
    return "; ".join(shown)


def settings_text(settings: Settings, lang: Language, *, write: Escaper = escape) -> str:
    """How the calls were compared, in a few words; defaults are not mentioned."""
    threshold = f"{settings.argument_match_threshold:g}"
    mode = say(MODE_PHRASES[settings.mode], lang, threshold=threshold)
    changes = [
        say(phrase, lang, value=_short_value(name, settings, lang, write))
        for name, phrase in _SETTING_PHRASES.items()
        if getattr(settings, name) != getattr(DEFAULT, name)
    ]
    return ", ".join([mode, say(MODE_PHRASES[settings.order], lang), *changes])


def _short_value(name: str, settings: Settings, lang: Language, write: Escaper) -> str:
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


_MILLISECONDS = Phrase("{count} ms", "{count} мс")
_SECONDS = Phrase("{count:.1f} s", "{count:.1f} с")
_MINUTES = Phrase("{minutes} min {seconds} s", "{minutes} мин {seconds} с")
_HOURS = Phrase("{hours} h {minutes} min", "{hours} ч {minutes} мин")

_MINUTE = 60
_HOUR = 3600


def grouped_number(count: int, lang: Language) -> str:
    """A number with the language's thousands separator."""
    return f"{count:,}".replace(",", "\N{NO-BREAK SPACE}" if lang == "ru" else ",")


def duration(seconds: float, lang: Language) -> str:
    """A duration: `230 ms`, `4.2 s`, `2 min 5 s`."""
    if round(seconds, 1) < 1:
        return say(_MILLISECONDS, lang, count=round(seconds * 1000) or "< 1")
    if round(seconds, 1) < _MINUTE:
        return say(_SECONDS, lang, count=seconds)
    whole = round(seconds)
    if whole < _HOUR:
        return say(_MINUTES, lang, minutes=whole // _MINUTE, seconds=whole % _MINUTE)
    return say(_HOURS, lang, hours=whole // _HOUR, minutes=whole % _HOUR // _MINUTE)


def low_scorers(values: Sequence[MetricValue], pass_mark: float) -> list[MetricValue]:
    """The values below the bar."""
    return [found for found in values if found.value is not None and found.value < pass_mark]


NO_NUMBER = "–"
_ROUNDED_DIGITS = 12  # a sum of shares may be 0.9999999999999999 instead of 1
_CELL_SPACE = "   "


def number_text(value: float | None, *, border: float | None = None) -> str:
    """A number with three decimals on its side of the border, if any; a dash for None."""
    if value is None:
        return NO_NUMBER
    rounded = round(value, _ROUNDED_DIGITS)
    has_moved = border is not None and (rounded >= border) != (value >= border)
    return decimal(value if has_moved else rounded, border=border)


def limit_text(value: float | None) -> str:
    """A limit such as a pass mark, with all its decimals; a dash for None."""
    return NO_NUMBER if value is None else exact_decimal(value)


def metric_cells(
    values: Sequence[MetricValue], width: int, *, border: float | None = None
) -> list[list[tuple[str, str]]]:
    """The numbers of one case in lines of cells, a number and a name, aligned from case to case.

    Names are never cut, since people copy them: a name without room has a line of its own. `border`
    is the pass mark, if there is one.
    """
    numbers = [number_text(found.value, border=border) for found in values]
    most = max(map(len, [number_text(0.0), *numbers]))
    names = [escape(found.name) for found in values]
    cells = [(number.rjust(most), name) for number, name in zip(numbers, names, strict=True)]
    space = len(_CELL_SPACE)
    if sum(display_width(name) + most + 1 + space for name in names) - space <= width:
        return [cells]
    widest = max(map(display_width, names))
    per_line = max((width + space) // (widest + most + 1 + space), 1)
    lines = []
    for start in range(0, len(cells), per_line):
        *others, last = cells[start : start + per_line]
        padded = [(number, name + " " * (widest - display_width(name))) for number, name in others]
        lines.append([*padded, last])
    return lines


# In Markdown, text from the data must not end its block early, break a table, or become HTML.
_MARKDOWN_NAME_WIDTH = 80
_NOTE_WIDTH = 1000  # room for all names of a note; each of them is cut already
# Text of these characters alone has no meaning in Markdown between backticks.
_SAFE_IN_CODE = re.compile(r"[\w .,:;/+=#@$%*'\"(){}\[\]!?~^…-]*")
_NOT_WORDLIKE = re.compile(r"(?![ …])[\W_]")
_ASCII_ENTITIES = {code: f"&#{code};" for code in range(128) if _NOT_WORDLIKE.match(chr(code))}
_NUMBER = re.compile("[+−]?[0-9]")


def code(text: str, *, width: int = _MARKDOWN_NAME_WIDTH) -> str:
    """Text as code, on one line of at most `width` columns."""
    short = clip_middle(escape(text) or EMPTY_NAME, width)
    if short.strip() and _SAFE_IN_CODE.fullmatch(short):
        return f"`{short}`"
    return f"<code>{html_entities(short)}</code>"


def code_title(text: str) -> str:
    """Text as code in HTML, for the title of `details`."""
    return f"<code>{html_entities(clip_middle(escape(text), _MARKDOWN_NAME_WIDTH))}</code>"


def fenced(text: str, language: str) -> str:
    """Text as a block of code, whatever it contains."""
    longest = max(map(len, re.findall("`+", text)), default=0) if "`" in text else 0
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def table(labels: Iterable[str], rows: Sequence[tuple[object, ...]]) -> str:
    """A table of at least one row; columns of numbers are aligned to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    rules = ["---:" if _NUMBER.match(cell) else "---" for cell in cells[0]]
    return "\n".join(f"| {' | '.join(row)} |" for row in (list(labels), rules, *cells))


def html_entities(text: str) -> str:
    """Text that is safe inside HTML inside Markdown."""
    # A numeric character reference has no other meaning, neither in Markdown nor in HTML.
    if text.isascii():  # as most names are; the same, from a table
        return text.translate(_ASCII_ENTITIES)
    return _NOT_WORDLIKE.sub(lambda found: f"&#{ord(found[0])};", text)


def note_items(
    notes: Iterable[tuple[str, str]], *, is_bold: bool = True, width: int = _NOTE_WIDTH
) -> str:
    """Notes as a list: sentences, and the first names that each is about."""
    mark = "**" if is_bold else ""
    return "\n".join(
        f"- {mark}{sentence}{mark}" + (f" ({code(names, width=width)})" if names else "")
        for sentence, names in notes
    )


def numbers_line(values: Sequence[MetricValue], *, border: float | None = None) -> str:
    """The values of scorers or metrics for one case, on one line."""
    return ", ".join(
        f"{code(found.name)} {number_text(found.value, border=border)}" for found in values
    )


def value_blocks(values: Sequence[MetricValue], width: int, *, pass_mark: float) -> list[str]:
    """The values of the scorers for one case, and a list of their reasons."""
    reasons = [
        f"- {code(found.name)}: {code(found.reason, width=width)}"
        for found in values
        if found.reason
    ]
    numbers = numbers_line(values, border=pass_mark)
    return [block for block in (numbers, "\n".join(reasons)) if block]


def details(title: str, body: str) -> str:
    """A block that is folded below its title, which is HTML already."""
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def join_blocks(blocks: Iterable[str]) -> str:
    """A Markdown document of the blocks that are not empty."""
    return "\n\n".join(filter(None, blocks)) + "\n"


def document_text(root: Element, *, others: int = 0, failed: int = 0) -> str:
    """The JUnit document, indented, with the counts of tests in every suite.

    `others` are tests that are put in later, and `failed` is how many of them failed.
    """
    from xml.etree.ElementTree import indent, tostring  # other formats do not need it

    for suite in (root, *root):
        suite.set("tests", str(len(suite.findall(".//testcase")) + others))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            later = failed if tag == "failure" else 0
            suite.set(name, str(len(suite.findall(f".//testcase/{tag}")) + later))
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def add_properties(
    element: Element, numbers: Sequence[tuple[str, float | None, str | None]]
) -> Element:
    """Add the values of metrics or scorers: a name, a number, and why there is none."""
    from xml.etree.ElementTree import Element

    properties = Element("properties")
    if numbers:
        element.append(properties)
    for name, number, why in numbers:
        # Build servers draw the property of a metric, so it must always be a number.
        if number is None:
            add_property(properties, f"{name}: not scorable", why or "")
        else:
            add_property(properties, name, repr(number))
    return properties


def add_property(properties: Element, name: str, value: str) -> None:
    """Add a named text."""
    from xml.etree.ElementTree import SubElement

    SubElement(properties, "property", name=xml_safe(name), value=xml_safe(value))


def add_noted(suite: Element, noted: Noted, tag: str, why: Phrase, lang: Language) -> None:
    """Add a test for each name, and one for all others that were counted."""
    from xml.etree.ElementTree import SubElement

    unnamed = noted.count - len(noted.names)
    more = [say(MORE, lang, count=unnamed)] if unnamed > 0 else []
    for name in (*noted.names, *more):
        SubElement(add_test(suite, name), tag, message=say(why, lang))


def add_unread(suite: Element, unread: Noted, lang: Language) -> None:
    """Add what looks like calls and was not read, as the last thing in a suite."""
    from xml.etree.ElementTree import SubElement

    if unread.count:
        sentence = say(UNREAD_NOTE[1], lang, count=count_of(UNREAD_NOTE[0], unread.count, lang))
        SubElement(suite, "system-err").text = xml_safe("\n".join([f"{sentence}:", *unread.names]))


def add_test(suite: Element, name: str) -> Element:
    """Add a test to a suite; the name of the suite is the name of its class."""
    from xml.etree.ElementTree import SubElement

    return SubElement(suite, "testcase", classname=suite.get("name", ""), name=xml_safe(name))


def xml_safe(text: str) -> str:
    """The text with every character escaped that XML cannot contain or that hides others."""
    plain = text.replace("\n", "").replace(ELLIPSIS, "")
    if plain.isascii() and plain.isprintable():
        return text  # most texts: the lines of a diff, escaped already
    return "\n".join(map(escape, text.split("\n")))
