"""The notes of a comparison: what is missing, new or looser, and what else should be known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.comparing.comparison import RENAMED, Comparison
from callscore.comparing.sides import case_name
from callscore.core.phrases import Language, Note, Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.core.results import Noted
from callscore.reports.formatting import Escaper, first_names
from callscore.words.value_text import CASES, MORE, UNREADABLE_COUNT, encode_json

if TYPE_CHECKING:
    from callscore.comparing.changes import Alarm, Direction, SettingChange


def has_several_evaluations(comparison: Comparison) -> bool:
    """Whether several evaluations were compared, so that cases need the name of theirs."""
    return len(comparison.evaluations) > 1


def case_names(names: Iterable[str], comparison: Comparison) -> list[str]:
    """Names of cases to show: without the evaluation if only one was compared."""
    only = comparison.evaluations[0] if len(comparison.evaluations) == 1 else None
    return [name if only is None else name.removeprefix(case_name(only, "")) for name in names]


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
# The same if totals are compared: not about cases.
TOTAL_ALARMS = {
    "forbidden": Plural(
        (
            "tool with more forbidden calls than before",
            "tools with more forbidden calls than before",
        ),
        (
            "инструмент, у которого запрещённых вызовов стало больше",
            "инструмента, у которых запрещённых вызовов стало больше",
            "инструментов, у которых запрещённых вызовов стало больше",
        ),
    ),
    "schema": Plural(
        ("evaluation with more schema errors than before",) * 2,
        ("проверка, где ошибок по схемам стало больше",) * 3,
    ),
}
_ONLY_BEFORE = Phrase("{cases} only before, in {label}", "только раньше, в {label}: {cases}")
_ONLY_AFTER = Phrase("{cases} only after, in {label}", "только теперь, в {label}: {cases}")
_LOST = Phrase(
    "not compared, with a value only before: {cases}",
    "не сравнивается, значение есть только раньше: {cases}",
)
_UNDECIDED = Phrase(
    "not compared, without a value before or after: {cases}",
    "не сравнивается, раньше или теперь нет значения: {cases}",
)
_SAME_RUN = Phrase(
    "both sides are the same run: {run}", "с обеих сторон один и тот же прогон: {run}"
)
_MISSING = Plural(
    ("case is missing", "cases are missing"),
    ("случай пропал", "случая пропало", "случаев пропало"),
)
_WITHOUT_VALUE = Plural(
    ("case has no value now", "cases have no value now"),
    (
        "случай остался без оценки",
        "случая осталось без оценки",
        "случаев осталось без оценки",
    ),
)
NEW_FAILING = Plural(
    ("new case fails", "new cases fail"),
    ("новый случай не пройден", "новых случая не пройдено", "новых случаев не пройдено"),
)
EXPECTATIONS = Plural(
    ("case whose expected calls changed", "cases whose expected calls changed"),
    (
        "случай с изменённым эталоном",
        "случая с изменённым эталоном",
        "случаев с изменённым эталоном",
    ),
)
_STRICTER = Plural(
    ("case whose expected calls ask for more", "cases whose expected calls ask for more"),
    (
        "случай с более строгим эталоном",
        "случая с более строгим эталоном",
        "случаев с более строгим эталоном",
    ),
)
# What asks for less than before, by the reason of a gate.
LOOSER = {
    "looser": Plural(
        ("case whose expected calls ask for less", "cases whose expected calls ask for less"),
        (
            "случай с ослабленным эталоном",
            "случая с ослабленным эталоном",
            "случаев с ослабленным эталоном",
        ),
    ),
    "fewer trials": Plural(
        ("case with fewer trials than before", "cases with fewer trials than before"),
        (
            "случай, где попыток стало меньше",
            "случая, где попыток стало меньше",
            "случаев, где попыток стало меньше",
        ),
    ),
    "unchecked": Plural(
        (
            "case whose calls are no longer checked against schemas",
            "cases whose calls are no longer checked against schemas",
        ),
        (
            "случай, где вызовы больше не проверяются по схемам",
            "случая, где вызовы больше не проверяются по схемам",
            "случаев, где вызовы больше не проверяются по схемам",
        ),
    ),
}
INPUTS = Plural(
    ("case whose input changed", "cases whose input changed"),
    (
        "случай с изменёнными входными данными",
        "случая с изменёнными входными данными",
        "случаев с изменёнными входными данными",
    ),
)


def comparison_notes(
    comparison: Comparison, lang: Language, *, write: Escaper = escape, said: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Cases that only one run has, that have no number, or that are different: sentences, and names.

    `said` are notes that are given elsewhere, by the reasons of a gate: `missing`, `settings`, `same run`.
    """
    if comparison.is_same_run and "same run" not in said:
        yield say(_SAME_RUN, lang, run=write(comparison.after.run)), ""
    yield from _unmatched_notes(comparison, lang, write, said)
    new = comparison.new_failing
    if new.count and "new failing" not in said:
        yield count_of(NEW_FAILING, new.count, lang), _noted_names(new, comparison, lang)
    yield from changed_notes(comparison, lang, write=write, said=said)
    yield from _unreadable_notes(comparison, lang, write, said)
    yield from [(note_text(note, lang, write), "") for note in comparison.notes]


# The kinds of `changed_notes`, for reports that give these elsewhere.
CHANGED = frozenset({"looser", "expectations", "inputs", "settings", "fewer trials", "unchecked"})


def changed_notes(
    comparison: Comparison, lang: Language, *, write: Escaper = escape, said: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """What the second run asks or expects otherwise: sentences, and names."""
    for kind, plural, noted in _difference_counts(comparison):
        if noted.count and kind not in said:
            yield count_of(plural, noted.count, lang), _noted_names(noted, comparison, lang)
    if "settings" not in said:
        yield from [(setting_text(each, lang, write=write), "") for each in comparison.settings]


def _unreadable_notes(
    comparison: Comparison, lang: Language, write: Escaper, said: Collection[str]
) -> Iterator[tuple[str, str]]:
    for side in (comparison.before, comparison.after):
        is_said = side is comparison.after and "unreadable" in said
        if side.unreadable and not is_said:
            yield f"{write(side.label)}: {count_of(UNREADABLE_COUNT, side.unreadable, lang)}", ""


def _unmatched_notes(
    comparison: Comparison, lang: Language, write: Escaper, said: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Cases that only one run has, or that one of them has no number for."""
    undecided, lost = comparison.undecided, comparison.lost
    never_decided = Noted(
        undecided.count - lost.count,
        tuple(name for name in undecided.names if name not in lost.names),
    )
    before, after = write(comparison.before.label), write(comparison.after.label)
    if comparison.fewer_cases and "missing" not in said:
        yield count_of(_MISSING, comparison.fewer_cases, lang), ""
    counted = (
        (comparison.only_before, _ONLY_BEFORE, before),
        (comparison.only_after, _ONLY_AFTER, after),
        (lost, _LOST, ""),
        (never_decided, _UNDECIDED, ""),
    )
    for noted, phrase, label in counted:
        is_said = phrase in (_ONLY_BEFORE, _LOST) and "missing" in said
        if noted.count and not is_said:
            cases = count_of(CASES, noted.count, lang)
            yield say(phrase, lang, cases=cases, label=label), _noted_names(noted, comparison, lang)


def _difference_counts(comparison: Comparison) -> Iterator[tuple[str, Plural, Noted]]:
    """The cases that are different, each with the reason of a gate that names them."""
    changed, looser = comparison.expectations_changed, comparison.expectations_looser
    stricter = comparison.expectations_stricter
    named = {*looser.names, *stricter.names}
    rest = tuple([name for name in changed.names if name not in named])
    yield "looser", LOOSER["looser"], looser
    yield "expectations", _STRICTER, stricter
    yield "expectations", EXPECTATIONS, Noted(changed.count - looser.count - stricter.count, rest)
    yield "inputs", INPUTS, comparison.inputs_changed
    yield "fewer trials", LOOSER["fewer trials"], comparison.fewer_trials
    yield "unchecked", LOOSER["unchecked"], comparison.unchecked


_SETTING = Phrase(
    "{evaluation}: {name} {before} → {after}", "{evaluation}: {name} {before} → {after}"
)
_DIRECTIONS: dict[Direction, Phrase] = {
    "looser": Phrase("looser", "мягче"),
    "stricter": Phrase("stricter", "строже"),
    "different": Phrase("changed", "изменено"),
}


def setting_text(change: SettingChange, lang: Language, *, write: Escaper = escape) -> str:
    """A setting that differs, and whether it asks for less."""
    values = {"before": _value_text(change.before), "after": _value_text(change.after)}
    shown = {name: write(text) for name, text in values.items()}
    words = say(
        _SETTING, lang, evaluation=write(change.evaluation), name=write(change.name), **shown
    )
    return f"{words} ({say(_DIRECTIONS[change.direction], lang)})"


def _value_text(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else encode_json(value).decode()


class LostList(NamedTuple):
    """Cases of the first run that the second lacks, to be listed.

    Attributes:
        title: what they are, and how many.
        rows: the name of each, and the reason if there is one.
    """

    title: str
    rows: list[tuple[str, str]]


_NO_VALUE = Phrase("no value now", "теперь без оценки")
_MISSING_LIST = Phrase("Missing: {cases}", "Пропали: {cases}")
_REMOVED_LIST = Phrase("Removed on purpose: {cases}", "Удалены намеренно: {cases}")


def lost_lists(comparison: Comparison, lang: Language) -> list[LostList]:
    """The missing cases, and those that were removed on purpose; without those that are empty."""
    gone = len(comparison.missing) - comparison.lost.count
    missing = [
        (name, "" if place < gone else say(_NO_VALUE, lang))
        for place, name in enumerate(case_names(comparison.missing, comparison))
    ]
    names = case_names([each.name for each in comparison.removed], comparison)
    reasons = [each.reason for each in comparison.removed]
    removed = [*zip(names, reasons, strict=True)]
    return [
        LostList(say(title, lang, cases=count_of(CASES, len(rows), lang)), rows)
        for title, rows in ((_MISSING_LIST, missing), (_REMOVED_LIST, removed))
        if rows
    ]


_REMOVE = Phrase(
    "If this was on purpose, give the reason in callscore.toml:",
    "Если это сделано намеренно, укажите причину в callscore.toml:",
)
_OTHER_RUN = Phrase(
    "No case is in both runs: they may be of different evaluations. Check another run: callscore gate RUN;"
    " callscore history lists all.",
    "Ни одного случая нет в обоих прогонах: возможно, это разные проверки. Проверьте другой прогон:"
    " callscore gate RUN; все прогоны показывает callscore history.",
)
_WHY = Phrase("why it was removed", "почему удалён")
_RENAMED_TO = Phrase("renamed to {name}", "переименован в {name}")
_MOST_REMOVALS = 5


def has_no_common_case(comparison: Comparison) -> bool:
    """Whether both runs have cases, and none of them is in both."""
    gone = len(comparison.missing) - comparison.lost.count + len(comparison.removed)
    is_nothing_compared = not comparison.main.cases and bool(comparison.after.cases)
    return is_nothing_compared and gone >= comparison.before.cases > 0


def removal_hint(comparison: Comparison, lang: Language) -> tuple[str, list[str]]:
    """How to remove the missing cases on purpose: a sentence, and lines for the project's file.

    If the runs have nothing to do with each other, the sentence proposes another run, without lines.
    """
    if has_no_common_case(comparison):
        return say(_OTHER_RUN, lang), []
    renamed = {
        str(note.values["before"]): str(note.values["after"])
        for note in comparison.notes
        if note.phrase == RENAMED
    }
    lines = ["[gate.removed]"]
    for name in case_names(comparison.missing[:_MOST_REMOVALS], comparison):
        new = renamed.get(name, renamed.get(name.rpartition("::")[2]))
        why = say(_WHY, lang) if new is None else say(_RENAMED_TO, lang, name=new)
        lines.append(f"{_toml_string(name)} = {_toml_string(why)}")
    if len(comparison.missing) > _MOST_REMOVALS:
        more = say(MORE, lang, count=len(comparison.missing) - _MOST_REMOVALS)
        lines.append(f"# {more}")
    return say(_REMOVE, lang), lines


def _toml_string(text: str) -> str:
    """A text as TOML spells it: as JSON does, on one line."""
    quoted = encode_json(text).decode()
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in quoted)


def missing_sentences(
    comparison: Comparison, lang: Language, names: Sequence[str], count: int
) -> Iterator[tuple[str, str]]:
    """How many cases are missing, and how many have no value now, each with the first names.

    `names` are the first of all these cases: those that are missing come first.
    """
    gone = count - comparison.lost.count
    shown = case_names(names, comparison)
    for plural, number, some in (
        (_MISSING, gone, shown[:gone]),
        (_WITHOUT_VALUE, comparison.lost.count, shown[gone:]),
    ):
        if number:
            yield count_of(plural, number, lang), first_names(some, number, lang)


def missing_line(comparison: Comparison, lang: Language) -> str:
    """How many cases are missing, and the first of them; empty if there are none."""
    missing = comparison.missing
    count = len(missing) + comparison.fewer_cases
    found = missing_sentences(comparison, lang, missing, count)
    return "; ".join(f"{sentence}: {names}" if names else sentence for sentence, names in found)


def removed_notes(comparison: Comparison, lang: Language) -> list[tuple[str, str]]:
    """How many cases were removed on purpose, and the first of them; empty if there are none."""
    count = len(comparison.removed)
    if not count:
        return []
    names = case_names([each.name for each in comparison.removed], comparison)
    sentence = say(_REMOVED_LIST, lang, cases=count_of(CASES, count, lang))
    return [(sentence, first_names(names, count, lang))]


def alarm_notes(comparison: Comparison, lang: Language) -> list[tuple[str, str]]:
    """The cases with new forbidden calls and new schema errors; or the tools, if totals are compared."""
    return [line for kind in ALARMS for line in alarm_sentences(comparison, kind, lang)]


def alarm_sentences(comparison: Comparison, kind: str, lang: Language) -> Iterator[tuple[str, str]]:
    """How many alarms of a kind there are, with the first names and numbers."""
    alarms = [alarm for alarm in comparison.alarms if alarm.kind == kind]
    of_cases = [alarm for alarm in alarms if alarm.case]
    of_totals = [alarm for alarm in alarms if not alarm.case]
    for plurals, found in ((ALARMS, of_cases), (TOTAL_ALARMS, of_totals)):
        if found:
            names = [_alarm_text(each, comparison) for each in found]
            yield count_of(plurals[kind], len(found), lang), first_names(names, len(names), lang)


def _alarm_text(alarm: Alarm, comparison: Comparison) -> str:
    """The case, the tools, and the numbers before and after."""
    tools = ", ".join(alarm.tools)
    [case] = (
        case_names([case_name(alarm.evaluation, alarm.case)], comparison) if alarm.case else [""]
    )
    name = case or ("" if tools else alarm.evaluation)
    return " ".join(filter(None, [name, tools, f"{alarm.before} → {alarm.after}"]))


def below_notes(
    comparison: Comparison, lang: Language, *, write: Escaper = escape
) -> list[tuple[str, str]]:
    """The scorers of the second run that are below `fail_under`."""
    return [(note_text(note, lang, write), "") for note in comparison.after.below]


def note_text(note: Note, lang: Language, write: Escaper) -> str:
    """A note in a language, with its values made safe to show."""
    values = {
        name: write(value) if isinstance(value, str) else value
        for name, value in note.values.items()
    }
    return say(note.phrase, lang, **values)


def _noted_names(noted: Noted, comparison: Comparison, lang: Language) -> str:
    return first_names(case_names(noted.names, comparison), noted.count, lang)
