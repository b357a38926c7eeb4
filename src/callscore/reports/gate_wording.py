"""What a gate says, and what to type next, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from callscore.comparing.comparison import name_of
from callscore.core.text import clip_middle, escape
from callscore.core.wording import Phrase, Plural, count_of, say
from callscore.reports.compare_notes import ALARMS, below_notes
from callscore.reports.compare_parts import case_names, has_several, moved_slices, slice_name
from callscore.reports.compare_wording import (
    VERDICTS,
    change_line,
    nothing_compared,
    points_words,
    sure_line,
)
from callscore.reports.wording import first_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.comparing.comparison import Alarm, CaseChange, ChangeKind, Comparison, Slice
    from callscore.comparing.gating import Gate, Reason, ReasonKind
    from callscore.core.wording import Language

__all__ = [
    "NEXT",
    "doubt_line",
    "gate_title",
    "next_command",
    "reason_lines",
    "regressed_slices",
    "shown_kind",
    "strictness",
]

NEXT = Phrase("Next: {command}", "Дальше: {command}")
_OPEN = Phrase("Gate open", "Проверка пройдена")
_CLOSED = Phrase("Gate closed", "Проверка не пройдена")
_FROM_TO = Phrase("{verdict}, {before} → {after}", "{verdict}, {before} → {after}")
_STRICTNESS = Phrase("--fail-on {fail_on}", "--fail-on {fail_on}")
_REGRESSED = Phrase("regressed: {change}", "стало хуже: {change}")
_IN_DOUBT = Phrase(
    "too few cases to tell, and a loss of 10 points or more: {down} worse, {up} better, {change}",
    "случаев слишком мало для вывода, а потеря не меньше 10 п. п.: хуже {down}, лучше {up}, {change}",
)
_DOUBT = Phrase(
    "too few cases to tell: {down} worse, {up} better, {change}; --fail-on broken is stricter",
    "случаев слишком мало для вывода: хуже {down}, лучше {up}, {change}; --fail-on broken строже",
)
_ITSELF = Phrase(
    "{run} is held against itself: run the evaluations again, and then the gate",
    "{run} сравнивается сам с собой: запустите оценки снова, потом gate",
)
_UNFINISHED = Phrase("{run} did not come to its end", "прогон {run} не завершён")
_COUNTED: dict[ReasonKind, Plural] = {
    "broken": Plural(
        ("case broken", "cases broken"),
        ("случай сломан", "случая сломано", "случаев сломано"),
    ),
    "changed": Plural(
        ("case otherwise than before", "cases otherwise than before"),
        (
            "случай не такой, как раньше",
            "случая не такие, как раньше",
            "случаев не такие, как раньше",
        ),
    ),
    "missing": Plural(
        ("case is gone, or has no number any more", "cases are gone, or have no number any more"),
        (
            "случай пропал или остался без оценки",
            "случая пропало или осталось без оценки",
            "случаев пропало или осталось без оценки",
        ),
    ),
    "slice": Plural(
        ("tool or tag regressed", "tools and tags regressed"),
        ("срез стал хуже", "среза стали хуже", "срезов стали хуже"),
    ),
    "forbidden": ALARMS["forbidden"],
    "schema": ALARMS["schema"],
}
_NAME_WIDTH = 60


def gate_title(
    gate: Gate, lang: Language, *, write: Callable[[str], str] = escape
) -> tuple[str, str]:
    """Whether the gate is open, and of what it says so."""
    comparison = gate.comparison
    about = say(
        _FROM_TO,
        lang,
        before=write(clip_middle(comparison.before.label, _NAME_WIDTH)),
        after=write(clip_middle(comparison.after.label, _NAME_WIDTH)),
        verdict=say(VERDICTS[comparison.verdict], lang),
    )
    return say(_OPEN if gate.is_open else _CLOSED, lang), about


def strictness(gate: Gate, lang: Language) -> str:
    """How strict the gate is."""
    return say(_STRICTNESS, lang, fail_on=gate.fail_on)


def reason_lines(
    gate: Gate, lang: Language, *, write: Callable[[str], str] = escape
) -> list[tuple[ReasonKind, str, str]]:
    """Why the gate is closed: the kind of each reason, a sentence, and the first names, or numbers.

    Args:
        gate: what it says.
        lang: the language.
        write: makes what stands in the data safe to show.
    """
    lines: list[tuple[ReasonKind, str, str]] = []
    for reason in gate.reasons:
        lines += [
            (reason.kind, sentence, names)
            for sentence, names in _lines(gate.comparison, reason, lang, write)
        ]
    return lines


def _lines(
    comparison: Comparison, reason: Reason, lang: Language, write: Callable[[str], str]
) -> list[tuple[str, str]]:
    if reason.kind == "below":
        return below_notes(comparison, lang, write=write)
    if reason.kind == "unfinished":
        sides = [getattr(comparison, side) for side in reason.sides or ("after",)]
        return [(say(_UNFINISHED, lang, run=write(side.run or side.label)), "") for side in sides]
    if reason.kind in _COUNTED:
        sentence = count_of(_COUNTED[reason.kind], reason.count, lang)
        return [(sentence, _names(comparison, reason, lang))]
    return [(_sentence(comparison, reason, lang, write), _numbers(comparison, reason, lang))]


def _sentence(
    comparison: Comparison, reason: Reason, lang: Language, write: Callable[[str], str]
) -> str:
    if reason.kind == "regressed":
        return say(_REGRESSED, lang, change=change_line(comparison, lang, write=write))
    if reason.kind == "same run":
        return say(_ITSELF, lang, run=write(comparison.after.run))
    if reason.kind == "in doubt":
        return _worse(_IN_DOUBT, comparison, lang)
    return nothing_compared(comparison, lang, write=write)


def _numbers(comparison: Comparison, reason: Reason, lang: Language) -> str:
    return sure_line(comparison.main, lang) if reason.kind == "regressed" else ""


def _names(comparison: Comparison, reason: Reason, lang: Language) -> str:
    names = case_names(reason.cases, comparison)
    if reason.kind == "slice":
        names = [slice_name(part, lang) for part in regressed_slices(comparison)]
    return first_names(names, reason.count, lang)


def regressed_slices(comparison: Comparison) -> list[Slice]:
    """The tools and the tags that regressed, the surest first."""
    return [each for each in moved_slices(comparison) if each in comparison.regressed_slices]


def shown_kind(gate: Gate) -> ChangeKind:
    """The cases to show: those that broke; where none did, and it is worse, those that changed."""
    is_worse = gate.is_doubtful or any(
        reason.kind in {"regressed", "slice", "in doubt"} for reason in gate.reasons
    )
    return "changed" if is_worse and not gate.comparison.changed("broken") else "broken"


def _worse(phrase: Phrase, comparison: Comparison, lang: Language) -> str:
    main = comparison.main
    change = points_words(main.change, lang)
    return say(phrase, lang, down=main.down, up=main.up, change=change)


def doubt_line(gate: Gate, lang: Language) -> str:
    """What is to be known of a gate that a loss did not close; empty where there is none, or it did."""
    return _worse(_DOUBT, gate.comparison, lang) if gate.is_doubtful else ""


def next_command(gate: Gate, *, baseline: str | None = None, is_partial: bool = False) -> str:
    """What to type next: to see what is wrong, or to go on from what is good.

    Nothing that is not whole, or not well, is ever proposed as what others are to be held against.

    Args:
        gate: what it says.
        baseline: the name of the baseline that it was held against; None where it was another run.
        is_partial: whether the run has left cases out by itself.
    """
    words = _next(gate, None if is_partial or gate.comparison.after.errors else baseline)
    return shlex.join(["callscore", *words])


def _next(gate: Gate, baseline: str | None) -> list[str]:
    before, after = gate.comparison.before, gate.comparison.after
    kinds = {reason.kind for reason in gate.reasons}
    is_left = any("after" in (reason.sides or ("after",)) for reason in _unfinished(gate))
    if is_left or "same run" in kinds or ("nothing compared" in kinds and not after.cases):
        return ["run", *(["--resume"] if is_left else [])]
    case = _first_case(gate)
    if after.run and (case or kinds & {"below", "nothing compared"}):
        return ["show", after.run, *([case] if case else [])]
    if after.run and baseline is not None and gate.is_open:
        return ["baseline", "set", after.run, "--name", baseline]
    return ["compare", before.label, after.run or after.label]


def _unfinished(gate: Gate) -> list[Reason]:
    return [reason for reason in gate.reasons if reason.kind == "unfinished"]


def _first_case(gate: Gate) -> str:
    """The case to look at first; empty where there is none that a shell could be told."""
    comparison = gate.comparison
    kinds = {reason.kind for reason in gate.reasons}
    cases: list[Alarm | CaseChange] = [each for each in comparison.alarms if each.kind in kinds]
    if kinds & {"regressed", "slice", "in doubt", "broken"} or gate.is_doubtful:
        cases += comparison.changed(shown_kind(gate))
    if "changed" in kinds:
        cases += comparison.changes
    if not cases:
        return ""
    first = cases[0]
    is_named = has_several(comparison)
    name = name_of(first.evaluation, first.case) if is_named else first.case
    return name if name.isprintable() and not name.startswith("-") else ""
