"""The report of a gate on a terminal, and as JUnit XML, which quotes the same text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, Phrase, say
from callscore.core.rendering import escape
from callscore.reports import gate as wording
from callscore.reports.compare import (
    DEFAULT_MAX_SHOWN,
    change_line,
    meaning_line,
)
from callscore.reports.compare_notes import CHANGED, comparison_notes, removal_hint
from callscore.reports.compare_terminal import (
    VERDICT_STYLES,
    certainty_lines,
    change_section,
    flip_section,
    lost_sections,
    side_table,
    slice_sections,
)
from callscore.reports.formatting import (
    add_properties,
    add_property,
    add_test,
    document_text,
    with_names,
    xml_safe,
)
from callscore.reports.styled import Text
from callscore.reports.terminal import (
    SPACE,
    PlainPage,
    Section,
    note_line,
    print_sections,
    printed_text,
    report_width,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from rich.console import Console

    from callscore.comparing.gating import FailOn, Gate, ReasonKind

# The reasons whose cases have a section of their own.
_SHOWN_BELOW = ("broken",)


def render(
    gate: Gate,
    *,
    console: Console | PlainPage,
    next_command: str,
    max_shown: int = DEFAULT_MAX_SHOWN,
    lang: Language = "en",
) -> None:
    """Print the report, with at most `max_shown` cases that broke, and as many tools and tags."""
    print_sections(_sections(gate, report_width(console), max_shown, lang), console)
    console.print()
    line = Text().append(say(wording.NEXT, lang, command="")).append(escape(next_command), "bold")
    console.print(line, soft_wrap=True)  # a command that is copied must not be broken


def _sections(gate: Gate, width: int, max_shown: int, lang: Language) -> Iterator[Section]:
    comparison, main = gate.comparison, gate.comparison.main
    kinds = {reason.kind for reason in gate.reasons}
    word, about = wording.gate_title(gate, lang)
    title = Text().append(word, "bold green" if gate.is_open else "bold red")
    title.append(SPACE + about).append(f"{SPACE}--fail-on {gate.fail_on}", "dim")
    listed = {*_SHOWN_BELOW, *(("missing",) if comparison.missing else ())} if max_shown else {}
    reasons = [
        note_line(sentence, "" if kind in listed else names, style="bold red")
        for kind, sentence, names in wording.reason_lines(gate, lang)
    ]
    yield [title, *reasons, *[note_line(*line) for line in wording.first_notes(gate, lang)]]
    numbers = certainty_lines(main, lang)
    if "regressed" in kinds:  # the reason above has the numbers already
        numbers = [Text(meaning_line(main, lang), "dim")]
    elif numbers:
        change = Text(change_line(comparison, lang), VERDICT_STYLES[main.verdict])
        numbers = [change, *numbers]
    yield [*numbers, *flip_section(comparison, lang)]
    yield from lost_sections(comparison, width, max_shown=max_shown, lang=lang)
    if comparison.missing and not gate.is_partial:
        hint, lines = removal_hint(comparison, lang)
        yield [Text(hint, "dim"), *[Text(f"  {line}", overflow="fold") for line in lines]]
    slices = wording.regressed_slices(comparison)
    yield from slice_sections(comparison, slices, width, max_shown=max_shown, lang=lang)
    yield change_section(
        comparison, wording.shown_change_kind(gate), width, max_shown=max_shown, lang=lang
    )
    yield [side_table(comparison, lang)]
    yield [note_line(*line) for line in comparison_notes(comparison, lang, said=kinds | CHANGED)]


_TESTED: dict[ReasonKind, Phrase] = {
    "nothing compared": Phrase("the runs have cases in common", "у прогонов есть общие случаи"),
    "same run": Phrase("two different runs are compared", "сравниваются разные прогоны"),
    "unfinished": Phrase("the runs finished", "прогоны завершены"),
    "missing": Phrase("no missing cases", "пропавших случаев нет"),
    "unreadable": Phrase("all records could be read", "все записи прочитаны"),
    "regressed": Phrase("no regression", "не стало хуже"),
    "slice": Phrase("no tool or tag regressed", "ни один срез не стал хуже"),
    "broken": Phrase("no broken cases", "сломанных случаев нет"),
    "trials": Phrase("no large loss over all trials", "нет большой потери по всем попыткам"),
    "forbidden": Phrase("no new forbidden calls", "новых запрещённых вызовов нет"),
    "schema": Phrase("no new schema errors", "новых ошибок по схемам нет"),
    "below": Phrase("all means reach fail_under", "средние не ниже fail_under"),
    "settings": Phrase("no setting asks for less", "ни одна настройка не ослаблена"),
    "fewer trials": Phrase("no case has fewer trials", "попыток не стало меньше"),
    "unchecked": Phrase("all schemas are still checked", "проверка по схемам сохранена"),
}
_TESTS: dict[FailOn, dict[ReasonKind, Phrase]] = {
    "default": {
        **_TESTED,
        "broken": Phrase("no case broke beyond chance", "случаев, сломанных не случайно, нет"),
    },
    "broken": _TESTED,
    "regressed": {kind: phrase for kind, phrase in _TESTED.items() if kind != "broken"},
    "any": {
        **_TESTED,
        "settings": Phrase("no changed settings", "изменившейся настройки нет"),
        "changed": Phrase("no changed cases", "изменившихся случаев нет"),
        "expectations": Phrase("no changed expectations", "изменившихся эталонов нет"),
        "inputs": Phrase("no changed inputs", "изменившихся входных данных нет"),
        "new failing": Phrase("no new case fails", "новые случаи пройдены"),
    },
}


def write_junit(
    gate: Gate, *, next_command: str, max_shown: int = DEFAULT_MAX_SHOWN, lang: Language = "en"
) -> str:
    """A suite with the numbers as properties, and one test per reason that may close the gate."""
    from xml.etree.ElementTree import Element, SubElement  # most gates print a table

    root = Element("testsuites", name="callscore")
    suite = SubElement(root, "testsuite", name="callscore gate")
    _add_numbers(suite, gate)
    reasons: dict[ReasonKind, list[str]] = {}
    for kind, sentence, names in wording.reason_lines(gate, lang):
        reasons.setdefault(kind, []).append(with_names(sentence, names))
    not_tested: set[ReasonKind] = {"broken"} if gate.comparison.is_totals else set()
    if gate.allows_looser:
        not_tested |= {"settings", "fewer trials", "unchecked"}
    for kind, phrase in _TESTS[gate.fail_on].items():
        if kind in not_tested:
            continue
        test = add_test(suite, say(phrase, lang))
        if kind in reasons:
            SubElement(test, "failure", type=kind, message=xml_safe("; ".join(reasons[kind])))
    text = printed_text(render, gate, next_command=next_command, max_shown=max_shown, lang=lang)
    SubElement(suite, "system-out").text = xml_safe(text)
    return document_text(root)


def _add_numbers(suite: Element, gate: Gate) -> None:
    main = gate.comparison.main
    numbers = {"before": main.before, "after": main.after, "difference": main.change}
    known = [(name, number, None) for name, number in numbers.items() if number is not None]
    properties = add_properties(suite, known)
    if not known:
        suite.append(properties)
    words = {
        "verdict": gate.comparison.verdict,
        "measure": main.measure,
        "fail_on": gate.fail_on,
        "baseline": gate.comparison.before.label,
        "run": gate.comparison.after.run or gate.comparison.after.label,
    }
    for name, word in words.items():
        add_property(properties, name, word)
