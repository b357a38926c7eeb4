"""What should be known of a comparison beside its numbers, each as a sentence and some names."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.comparing.comparison import name_of
from callscore.core.results import Noted
from callscore.core.text import escape
from callscore.core.wording import Phrase, Plural, count_of, say
from callscore.reports.compare_parts import case_names
from callscore.reports.wording import CASES, first_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from callscore.comparing.comparison import Alarm, Comparison
    from callscore.core.phrase import Note
    from callscore.core.wording import Language

__all__ = ["ALARMS", "alarm_notes", "below_notes", "compare_notes", "note_text"]

ALARMS = {
    "forbidden": Plural(
        ("case with a new forbidden call", "cases with new forbidden calls"),
        (
            "случай с новым запрещённым вызовом",
            "случая с новыми запрещёнными вызовами",
            "случаев с новыми запрещёнными вызовами",
        ),
    ),
    "schema": Plural(
        ("case with a new schema error", "cases with new schema errors"),
        (
            "случай с новой ошибкой по схеме",
            "случая с новыми ошибками по схемам",
            "случаев с новыми ошибками по схемам",
        ),
    ),
}
_ONLY_BEFORE = Phrase("{cases} only before: {label}", "только раньше, {label}: {cases}")
_ONLY_AFTER = Phrase("{cases} only after: {label}", "только теперь, {label}: {cases}")
_LOST = Phrase(
    "{cases} with a number before and none after, left out",
    "с оценкой раньше и без оценки теперь, не учтено: {cases}",
)
_UNDECIDED = Phrase(
    "{cases} without a number before or after, left out",
    "без оценки раньше или теперь, не учтено: {cases}",
)
_SAME_RUN = Phrase("both are the same run: {run}", "это один и тот же прогон: {run}")
_EXPECTATIONS = Plural(
    (
        "case expects something else than before",
        "cases expect something else than before",
    ),
    (
        "случай с другим эталоном, чем раньше",
        "случая с другим эталоном, чем раньше",
        "случаев с другим эталоном, чем раньше",
    ),
)
_INPUTS = Plural(
    ("case asks something else than before", "cases ask something else than before"),
    (
        "случай с другим вопросом, чем раньше",
        "случая с другим вопросом, чем раньше",
        "случаев с другим вопросом, чем раньше",
    ),
)


def compare_notes(
    comparison: Comparison,
    lang: Language,
    *,
    write: Callable[[str], str] = escape,
    said: Collection[str] = (),
) -> list[tuple[str, str]]:
    """Cases that only one run has, that have no number, or that are others: sentences, and names.

    Args:
        comparison: what there is to say something about.
        lang: the language.
        write: makes what stands in the data safe to show.
        said: what has been said elsewhere: `missing` for cases that are gone, `same run`.
    """
    return list(_notes(comparison, lang, write, said))


def _notes(
    comparison: Comparison, lang: Language, write: Callable[[str], str], said: Collection[str]
) -> Iterator[tuple[str, str]]:
    if comparison.is_same_run and "same run" not in said:
        yield say(_SAME_RUN, lang, run=write(comparison.after.run)), ""
    before, after = write(comparison.before.label), write(comparison.after.label)
    counted = (
        (comparison.only_before, _ONLY_BEFORE, before),
        (comparison.only_after, _ONLY_AFTER, after),
        (comparison.lost, _LOST, ""),
        (_never_decided(comparison), _UNDECIDED, ""),
    )
    for noted, phrase, label in counted:
        is_said = phrase in (_ONLY_BEFORE, _LOST) and "missing" in said
        if noted.count and not is_said:
            cases = count_of(CASES, noted.count, lang)
            yield say(phrase, lang, cases=cases, label=label), _names(noted, comparison, lang)
    for noted, plural in (
        (comparison.expectations_changed, _EXPECTATIONS),
        (comparison.inputs_changed, _INPUTS),
    ):
        if noted.count:
            yield count_of(plural, noted.count, lang), _names(noted, comparison, lang)
    for note in comparison.notes:
        yield note_text(note, lang, write), ""


def alarm_notes(comparison: Comparison, lang: Language) -> list[tuple[str, str]]:
    """The cases in which something is new that no statistics makes good."""
    lines = []
    for kind, plural in ALARMS.items():
        alarms = [alarm for alarm in comparison.alarms if alarm.kind == kind]
        if alarms:
            names = [_alarm_name(alarm, comparison) for alarm in alarms]
            shown = first_names(names, len(names), lang)
            lines.append((count_of(plural, len(alarms), lang), shown))
    return lines


def below_notes(
    comparison: Comparison, lang: Language, *, write: Callable[[str], str] = escape
) -> list[tuple[str, str]]:
    """The thresholds that the second run misses."""
    return [(note_text(note, lang, write), "") for note in comparison.after.below]


def note_text(note: Note, lang: Language, write: Callable[[str], str]) -> str:
    """A note in a language; its words are ours, and its values are made safe to show."""
    values = {
        name: write(value) if isinstance(value, str) else value
        for name, value in note.values.items()
    }
    return say(note.phrase, lang, **values)


def _alarm_name(alarm: Alarm, comparison: Comparison) -> str:
    (name,) = case_names([name_of(alarm.evaluation, alarm.case)], comparison)
    tools = f" {', '.join(alarm.tools)}" if alarm.tools else ""
    return f"{name}{tools} {alarm.before} → {alarm.after}"


def _never_decided(comparison: Comparison) -> Noted:
    """The cases without a number that are not among those that have lost it."""
    undecided, lost = comparison.undecided, comparison.lost
    names = tuple(name for name in undecided.names if name not in lost.names)
    return Noted(undecided.count - lost.count, names)


def _names(noted: Noted, comparison: Comparison, lang: Language) -> str:
    return first_names(case_names(noted.names, comparison), noted.count, lang)
