"""The report of a gate: its words, the command to type next, and its JSON and Markdown forms."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec

from callscore.comparing.comparison import gate_to_dict
from callscore.comparing.sides import case_name
from callscore.core.phrases import Phrase, Plural, count_of, say
from callscore.core.rendering import clip_middle, escape
from callscore.reports import compare as compare_wording
from callscore.reports.compare import (
    ALARMS,
    DEFAULT_MOST,
    VERDICTS,
    below_notes,
    case_names,
    certainty_line,
    change_blocks,
    change_line,
    changed_slices,
    comparison_notes,
    fact_blocks,
    has_several_evaluations,
    note_items,
    nothing_compared_text,
    points_with_unit,
    slice_blocks,
    slice_name,
)
from callscore.reports.formatting import code, details, first_names, html_entities
from callscore.words.value_text import encode_json, json_safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.comparing.changes import Alarm, CaseChange, ChangeKind
    from callscore.comparing.comparison import Comparison
    from callscore.comparing.differences import Slice
    from callscore.comparing.gating import Gate, Reason, ReasonKind
    from callscore.core.phrases import Language

__all__ = [
    "fail_on_text",
    "gate_title",
    "inconclusive_line",
    "reason_lines",
    "suggested_command",
    "write_json",
    "write_markdown",
]


# Phrases, in English and in Russian, and the suggested command.

NEXT = Phrase("Next: {command}", "Дальше: {command}")
_OPEN = Phrase("Gate open", "Проверка пройдена")
_CLOSED = Phrase("Gate closed", "Проверка не пройдена")
_FROM_TO = Phrase("{verdict}, {before} → {after}", "{verdict}, {before} → {after}")
_FAIL_ON = Phrase("--fail-on {fail_on}", "--fail-on {fail_on}")
_REGRESSED = Phrase("regressed: {change}", "стало хуже: {change}")
_INCONCLUSIVE_LOSS = Phrase(
    "too few cases to tell, and a loss of 10 points or more: {down} worse, {up} better, {change}",
    "случаев слишком мало для вывода, а потеря не меньше 10 п. п.: хуже {down}, лучше {up}, {change}",
)
_INCONCLUSIVE = Phrase(
    "too few cases to tell: {down} worse, {up} better, {change}; --fail-on broken is stricter",
    "случаев слишком мало для вывода: хуже {down}, лучше {up}, {change}; --fail-on broken строже",
)
_SAME_RUN = Phrase(
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


def fail_on_text(gate: Gate, lang: Language) -> str:
    """How strict the gate is."""
    return say(_FAIL_ON, lang, fail_on=gate.fail_on)


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
            for sentence, names in _reason_sentences(gate.comparison, reason, lang, write)
        ]
    return lines


def _reason_sentences(
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
        return say(_SAME_RUN, lang, run=write(comparison.after.run))
    if reason.kind == "in doubt":
        return _loss_sentence(_INCONCLUSIVE_LOSS, comparison, lang)
    return nothing_compared_text(comparison, lang, write=write)


def _numbers(comparison: Comparison, reason: Reason, lang: Language) -> str:
    return certainty_line(comparison.main, lang) if reason.kind == "regressed" else ""


def _names(comparison: Comparison, reason: Reason, lang: Language) -> str:
    names = case_names(reason.cases, comparison)
    if reason.kind == "slice":
        names = [slice_name(part, lang) for part in regressed_slices(comparison)]
    return first_names(names, reason.count, lang)


def regressed_slices(comparison: Comparison) -> list[Slice]:
    """The tools and the tags that regressed, the surest first."""
    return [each for each in changed_slices(comparison) if each in comparison.regressed_slices]


def shown_change_kind(gate: Gate) -> ChangeKind:
    """The cases to show: those that broke; where none did, and it is worse, those that changed."""
    is_worse = gate.is_doubtful or any(
        reason.kind in {"regressed", "slice", "in doubt"} for reason in gate.reasons
    )
    return "changed" if is_worse and not gate.comparison.changed("broken") else "broken"


def _loss_sentence(phrase: Phrase, comparison: Comparison, lang: Language) -> str:
    main = comparison.main
    change = points_with_unit(main.change, lang)
    return say(phrase, lang, down=main.down, up=main.up, change=change)


def inconclusive_line(gate: Gate, lang: Language) -> str:
    """What is to be known of a gate that a loss did not close; empty where there is none, or it did."""
    return _loss_sentence(_INCONCLUSIVE, gate.comparison, lang) if gate.is_doubtful else ""


def suggested_command(gate: Gate, *, baseline: str | None = None, is_partial: bool = False) -> str:
    """What to type next: to see what is wrong, or to go on from what is good.

    Nothing that is not whole, or not well, is ever proposed as what others are to be held against.

    Args:
        gate: what it says.
        baseline: the name of the baseline that it was held against; None where it was another run.
        is_partial: whether the run has left cases out by itself.
    """
    words = _suggested_words(gate, None if is_partial or gate.comparison.after.errors else baseline)
    return shlex.join(["callscore", *words])


def _suggested_words(gate: Gate, baseline: str | None) -> list[str]:
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
        cases += comparison.changed(shown_change_kind(gate))
    if "changed" in kinds:
        cases += comparison.changes
    if not cases:
        return ""
    first = cases[0]
    is_named = has_several_evaluations(comparison)
    name = case_name(first.evaluation, first.case) if is_named else first.case
    return name if name.isprintable() and not name.startswith("-") else ""


# JSON.


def write_json(
    gate: Gate, *, next_command: str, most: int | None = None, lang: Language = "en"
) -> str:
    """The document, indented.

    Args:
        gate: what it says.
        next_command: what to type next.
        most: taken, and of no use: all cases are in the document, however many there are.
        lang: the language of the sentences in it, never of the keys.
    """
    del most
    fields = {**gate_to_dict(gate, lang=lang), "next": json_safe(next_command)}
    return msgspec.json.format(encode_json(fields), indent=2).decode() + "\n"


# Markdown.

_COMMAND_WIDTH = 1000


def write_markdown(
    gate: Gate, *, next_command: str, most: int = DEFAULT_MOST, lang: Language = "en"
) -> str:
    """The verdict with its reasons; the cases are folded in.

    Args:
        gate: what it says.
        next_command: what to type next.
        most: how many cases to show that went otherwise in the same way, and how many tools and tags.
        lang: the language.
    """
    blocks = [
        *_opening_blocks(gate, lang),
        *_detail_blocks(gate, most, lang),
        _next_block(gate, next_command, lang),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _opening_blocks(gate: Gate, lang: Language) -> Iterator[str]:
    comparison, main = gate.comparison, gate.comparison.main
    title, about = gate_title(gate, lang, write=code)
    yield f"## {title}: {about}"
    reasons = reason_lines(gate, lang, write=code)
    items = [(words, "" if kind == "regressed" else names) for kind, words, names in reasons]
    warning = inconclusive_line(gate, lang)
    warnings = [(warning, "")] if warning else []
    yield "\n".join([*note_items(items, is_grave=True), *note_items(warnings)])
    if main.change is not None and "regressed" not in [kind for kind, _, _ in reasons]:
        yield f"**{compare_wording.change_line(comparison, lang, write=code)}**"
    yield from fact_blocks(comparison, lang)
    said = {reason.kind for reason in gate.reasons}
    yield "\n".join(note_items(comparison_notes(comparison, lang, write=code, said=said)))


def _detail_blocks(gate: Gate, most: int, lang: Language) -> Iterator[str]:
    comparison = gate.comparison
    yield from slice_blocks(comparison, regressed_slices(comparison), most, lang)
    changes = [*change_blocks(comparison, most, lang)]
    if changes:
        title = ", ".join(words for words, _ in compare_wording.flip_counts(comparison, lang))
        body = "\n\n".join(changes)
        yield details(html_entities(title), body)


def _next_block(gate: Gate, next_command: str, lang: Language) -> str:
    command = code(next_command, width=_COMMAND_WIDTH)
    return f"{say(NEXT, lang, command=command)} ({code(fail_on_text(gate, lang))})"
