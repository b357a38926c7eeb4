"""What a gate says, and what to type next, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from callscore.core.text import clip_middle, escape
from callscore.core.wording import Phrase, Plural, count_of, say
from callscore.reports.compare_notes import ALARMS, below_notes
from callscore.reports.compare_wording import NOTHING_COMMON, VERDICTS, change_line, sure_line
from callscore.reports.run_wording import first_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.comparing.comparison import CaseChange, Comparison, Difference
    from callscore.comparing.gating import Gate, Reason, ReasonKind
    from callscore.core.wording import Language

__all__ = ["NEXT", "gate_title", "next_command", "reason_lines", "strictness"]

NEXT = Phrase("Next: {command}", "Дальше: {command}")
_OPEN = Phrase("Gate open", "Проверка пройдена")
_CLOSED = Phrase("Gate closed", "Проверка не пройдена")
_FROM_TO = Phrase("{verdict}, {before} → {after}", "{verdict}, {before} → {after}")
_STRICTNESS = Phrase("--fail-on {fail_on}", "--fail-on {fail_on}")
_REGRESSED = Phrase("regressed: {change}", "стало хуже: {change}")
_IN_DOUBT = Phrase(
    "too few cases to tell, and more are broken than fixed: {down} to {up}",
    "случаев слишком мало для вывода, а сломано больше, чем исправлено: {down} против {up}",
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
        ("case is gone", "cases are gone"),
        ("случай пропал", "случая пропало", "случаев пропало"),
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
    main = comparison.main
    if reason.kind == "below":
        return below_notes(comparison, lang, write=write)
    if reason.kind == "regressed":
        change = change_line(main, lang, write=write)
        return [(say(_REGRESSED, lang, change=change), sure_line(main, lang))]
    if reason.kind == "unfinished":
        run = write(comparison.after.run or comparison.after.label)
        return [(say(_UNFINISHED, lang, run=run), "")]
    names = first_names(reason.cases, reason.count, lang)
    return [(_counted(main, reason, lang), names)]


def _counted(main: Difference, reason: Reason, lang: Language) -> str:
    if reason.kind in _COUNTED:
        return count_of(_COUNTED[reason.kind], reason.count, lang)
    if reason.kind == "in doubt":
        return say(_IN_DOUBT, lang, down=main.down, up=main.up)
    return say(NOTHING_COMMON, lang)


def next_command(gate: Gate, *, baseline: str | None = None) -> str:
    """What to type next: to see what is wrong, or to go on from what is good.

    Args:
        gate: what it says.
        baseline: the name of the baseline that it was held against; None where it was another run.
    """
    return shlex.join(["callscore", *_next(gate, baseline)])


def _next(gate: Gate, baseline: str | None) -> list[str]:
    before, after = gate.comparison.before, gate.comparison.after
    kinds = {reason.kind for reason in gate.reasons}
    if "unfinished" in kinds:
        return ["run", "--resume"]
    if after.run and baseline is not None and kinds <= {"nothing compared"}:
        return ["baseline", "set", after.run, "--name", baseline]
    case = _first_case(gate)
    if after.run and (case or kinds == {"below"}):
        return ["show", after.run, *([case] if case else [])]
    return ["compare", before.label, after.run or after.label]


def _first_case(gate: Gate) -> str:
    """The case to look at first; empty where there is none that a shell could be told."""
    comparison = gate.comparison
    kinds = {reason.kind for reason in gate.reasons}
    changes: list[CaseChange] = []
    if kinds & {"regressed", "in doubt", "broken"}:
        changes += comparison.changed("broken")
    if "changed" in kinds:
        changes += comparison.changes
    alarms = [alarm for alarm in comparison.alarms if alarm.kind in kinds]
    names = [*[alarm.case for alarm in alarms], *[change.case for change in changes]]
    name = next(iter(names), "")
    return name if name.isprintable() and not name.startswith("-") else ""
