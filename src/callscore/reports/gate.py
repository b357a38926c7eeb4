"""The report of a gate: its phrases, JSON, Markdown, GitHub annotations, and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from callscore.comparing.comparison import Comparison, gate_to_dict
from callscore.comparing.sides import case_name
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip_middle, escape
from callscore.reports.compare import (
    CHANGES,
    DEFAULT_MAX_SHOWN,
    VERDICTS,
    certainty_line,
    change_blocks,
    change_line,
    change_rows,
    changed_slices,
    fact_blocks,
    flip_counts,
    lost_blocks,
    nothing_compared_text,
    points_with_unit,
    slice_blocks,
    slice_name,
)
from callscore.reports.compare_notes import (
    ALARMS,
    CHANGED,
    EXPECTATIONS,
    INPUTS,
    LOOSER,
    NEW_FAILING,
    alarm_sentences,
    below_notes,
    case_names,
    changed_notes,
    comparison_notes,
    has_no_common_case,
    has_several_evaluations,
    missing_sentences,
    removal_hint,
    removed_notes,
    setting_text,
)
from callscore.reports.formatting import (
    Escaper,
    code,
    details,
    fenced,
    first_names,
    html_entities,
    join_blocks,
    note_items,
    with_names,
)
from callscore.reports.inert import escape_commands
from callscore.words.value_text import UNREADABLE_COUNT, json_safe, percent, safe_document

if TYPE_CHECKING:
    from callscore.comparing.changes import Alarm, CaseChange, ChangeKind
    from callscore.comparing.differences import Slice
    from callscore.comparing.gating import Gate, Reason, ReasonKind

NEXT = Phrase("Next: {command}", "Дальше: {command}")
_OPEN = Phrase("Gate passed", "Гейт пройден")
_CLOSED = Phrase("Gate failed", "Гейт не пройден")
_REGRESSED = Phrase("regressed: {change}", "стало хуже: {change}")
_INCONCLUSIVE = Phrase(
    "too few cases for a verdict: {down} worse, {up} better, {change}",
    "случаев слишком мало для вывода: хуже {down}, лучше {up}, {change}",
)
_TOTAL_INCONCLUSIVE = Phrase(
    "too few cases for a verdict: {change}", "случаев слишком мало для вывода: {change}"
)
_MAY_BE_CHANCE = Phrase(
    "{cases}, {fixed} fixed, which may be chance; --fail-on broken is stricter",
    "{cases}, исправлено {fixed}: возможно, случайность; --fail-on broken строже",
)
_TRY_AGAIN = Phrase(
    "to see whether this is chance, run both versions with --trials 3",
    "чтобы проверить, не случайность ли это, запустите обе версии с --trials 3",
)
_BLESS = Phrase(
    "if the new calls are right, accept them with callscore bless",
    "если новые вызовы верны, примите их: callscore bless",
)
_ALLOW = Phrase(
    "this asks for less than before, or may do so. If it is meant, pass --allow-looser",
    "требования стали мягче или могли стать мягче. Если это сделано намеренно, укажите --allow-looser",
)
_UNKNOWN_CASES = Phrase(
    "which cases broke is not known: not every case is saved",
    "какие случаи сломаны, неизвестно: сохранены не все случаи",
)
_TRIALS = Phrase(
    "over all trials, passed {before} → {after}, {change}",
    "по всем попыткам пройдено {before} → {after}, {change}",
)
_SAME_RUN = Phrase(
    "{run} is compared with itself. Run the evaluations again, then run the gate",
    "прогон {run} сравнивается сам с собой. Запустите проверки снова, затем гейт",
)
_SELECTED = Phrase(
    "this run covers only the cases that were selected. Run all cases, or compare without a gate:"
    " callscore compare",
    "это прогон только по выбранным случаям. Запустите все случаи или сравните без гейта:"
    " callscore compare",
)
_UNFINISHED = Phrase("{run} did not finish", "прогон {run} не завершён")
_COUNTED: dict[ReasonKind, Plural] = {
    "broken": Plural(
        ("case broken", "cases broken"), ("случай сломан", "случая сломано", "случаев сломано")
    ),
    "changed": Plural(
        ("case changed", "cases changed"),
        ("случай изменился", "случая изменилось", "случаев изменилось"),
    ),
    "fewer trials": LOOSER["fewer trials"],
    "unchecked": LOOSER["unchecked"],
    "expectations": EXPECTATIONS,
    "inputs": INPUTS,
    "new failing": NEW_FAILING,
    "unreadable": UNREADABLE_COUNT,
    "slice": Plural(
        ("tool or tag regressed", "tools and tags regressed"),
        ("срез стал хуже", "среза стали хуже", "срезов стали хуже"),
    ),
    "forbidden": ALARMS["forbidden"],
    "schema": ALARMS["schema"],
}
_NAME_WIDTH = 60
# The reasons that `--allow-looser` takes away.
_LOOSER_SETTINGS = frozenset({"settings", "fewer trials", "unchecked"})


def gate_title(gate: Gate, lang: Language, *, write: Escaper = escape) -> tuple[str, str]:
    """Whether the gate is open, and the two runs; with the verdict, unless something else closed it."""
    comparison = gate.comparison
    kinds = {reason.kind for reason in gate.reasons}
    is_decisive = gate.is_open or "regressed" in kinds
    verdict = f"{say(VERDICTS[comparison.verdict], lang)}, " if is_decisive else ""
    before, after = (
        write(clip_middle(side.label, _NAME_WIDTH))
        for side in (comparison.before, comparison.after)
    )
    return say(_OPEN if gate.is_open else _CLOSED, lang), f"{verdict}{before} → {after}"


def reason_lines(
    gate: Gate, lang: Language, *, write: Escaper = escape
) -> list[tuple[ReasonKind, str, str]]:
    """Why the gate is closed: the kind of each reason, a sentence, and the first names, or numbers."""
    is_selected = gate.is_partial and any(reason.kind == "missing" for reason in gate.reasons)
    first: list[tuple[ReasonKind, str, str]] = (
        [("missing", say(_SELECTED, lang), "")] if is_selected else []
    )
    found = first + [
        (reason.kind, sentence, names)
        for reason in gate.reasons
        for sentence, names in _reason_sentences(gate.comparison, reason, lang, write)
    ]
    return [*found, *_advice_lines(gate, lang)]


def _advice_lines(gate: Gate, lang: Language) -> Iterator[tuple[ReasonKind, str, str]]:
    """What to do about broken cases, and about settings that ask for less."""
    run, kinds = gate.comparison.after, [reason.kind for reason in gate.reasons]
    if "broken" in kinds and run.run:
        may_be_chance = "regressed" not in kinds and not run.is_repeated
        hints = [_TRY_AGAIN, _BLESS] if run.command == "run" and may_be_chance else [_BLESS]
        yield "broken", "; ".join(say(hint, lang) for hint in hints), ""
    is_stricter = all(each.direction == "stricter" for each in gate.comparison.settings)
    looser = [kind for kind in kinds if kind in _LOOSER_SETTINGS]
    if looser and not (looser == ["settings"] and is_stricter):
        yield looser[0], say(_ALLOW, lang), ""


def _reason_sentences(
    comparison: Comparison, reason: Reason, lang: Language, write: Escaper
) -> Iterator[tuple[str, str]]:
    if reason.kind == "below":
        yield from below_notes(comparison, lang, write=write)
    elif reason.kind == "unfinished":
        for side in [getattr(comparison, name) for name in reason.sides or ("after",)]:
            yield say(_UNFINISHED, lang, run=write(side.run or side.label)), ""
    elif reason.kind == "settings":
        named = [
            each
            for each in comparison.settings
            if f"{each.evaluation}: {each.name}" in reason.cases
        ]
        yield from [(setting_text(each, lang, write=write), "") for each in named]
    elif reason.kind == "missing":
        yield from missing_sentences(comparison, lang, reason.cases, reason.count)
    elif reason.kind in ALARMS and comparison.is_totals:
        yield from alarm_sentences(comparison, reason.kind, lang)
    elif reason.kind in _COUNTED:
        yield _counted_sentence(comparison, reason, lang)
    else:
        yield _single_sentence(comparison, reason.kind, lang, write)


def _counted_sentence(comparison: Comparison, reason: Reason, lang: Language) -> tuple[str, str]:
    """A reason that is about cases or slices: how many they are, and the first of them."""
    sentence = count_of(_COUNTED[reason.kind], reason.count, lang)
    if reason.kind == "broken":
        broken = comparison.changed("broken")
        named = [each for each in broken if case_name(each.evaluation, each.case) in reason.cases]
        names = _changed_names(named, comparison, lang)
    elif reason.kind == "slice":
        names = [slice_name(part, lang) for part in regressed_slices(comparison)]
    else:
        names = case_names(reason.cases, comparison)
    return sentence, first_names(names, reason.count, lang)


def _changed_names(
    changes: Sequence[CaseChange], comparison: Comparison, lang: Language
) -> list[str]:
    """Each case with what changed in it."""
    rows = change_rows(changes, lang, has_evaluation=has_several_evaluations(comparison))
    return [
        " ".join(filter(None, (row.case, row.trials, row.f1 and f"F1 {row.f1}", row.remarks)))
        for row in rows
    ]


def _single_sentence(
    comparison: Comparison, kind: ReasonKind, lang: Language, write: Escaper
) -> tuple[str, str]:
    """A reason that is about the runs as a whole: a sentence, and its numbers."""
    numbers = ""
    if kind == "regressed":
        sentence = say(_REGRESSED, lang, change=change_line(comparison, lang, write=write))
        numbers = certainty_line(comparison.main, lang)
    elif kind == "trials":
        sentence = _all_trials_text(comparison, lang)
    elif kind == "same run":
        sentence = say(_SAME_RUN, lang, run=write(comparison.after.run))
    else:
        sentence = nothing_compared_text(comparison, lang, write=write)
    return sentence, numbers


def _all_trials_text(comparison: Comparison, lang: Language) -> str:
    before, after = comparison.all_trials or (0.0, 0.0)
    change = points_with_unit(after - before, lang)
    return say(_TRIALS, lang, before=percent(before), after=percent(after), change=change)


def regressed_slices(comparison: Comparison) -> list[Slice]:
    """The tools and the tags that regressed, the smallest p-value first."""
    return [each for each in changed_slices(comparison) if each in comparison.regressed_slices]


def shown_change_kind(gate: Gate) -> ChangeKind:
    """The cases to show: those that broke, or those that changed if it is worse and none broke."""
    is_worse = gate.is_doubtful or any(
        reason.kind in {"regressed", "slice", "trials"} for reason in gate.reasons
    )
    return "changed" if is_worse and not gate.comparison.changed("broken") else "broken"


def loss_notes(gate: Gate, lang: Language) -> list[tuple[str, str]]:
    """A loss that did not close the gate: a sentence, and the cases; empty if there is none."""
    comparison, main = gate.comparison, gate.comparison.main
    broken = comparison.changed("broken")
    if not gate.is_doubtful:
        return []
    if broken:
        cases = count_of(_COUNTED["broken"], len(broken), lang)
        sentence = say(_MAY_BE_CHANCE, lang, cases=cases, fixed=len(comparison.changed("fixed")))
        names = _changed_names(broken, comparison, lang)
        return [(sentence, first_names(names, len(broken), lang))]
    phrase = _TOTAL_INCONCLUSIVE if comparison.is_totals else _INCONCLUSIVE
    change = points_with_unit(main.change, lang)
    return [(say(phrase, lang, down=main.down, up=main.up, change=change), "")]


def first_notes(gate: Gate, lang: Language, *, write: Escaper = escape) -> list[tuple[str, str]]:
    """What did not close the gate, but must not be overlooked: sentences, and names.

    A loss that may be chance, changed expectations, inputs and settings, and removed cases.
    """
    comparison = gate.comparison
    said = {reason.kind for reason in gate.reasons}
    closing = {
        name for reason in gate.reasons if reason.kind == "settings" for name in reason.cases
    }
    others = [
        each for each in comparison.settings if f"{each.evaluation}: {each.name}" not in closing
    ]
    return [
        *loss_notes(gate, lang),
        *([(say(_UNKNOWN_CASES, lang), "")] if comparison.is_totals else []),
        *changed_notes(comparison, lang, write=write, said={*said, "settings"}),
        *[(setting_text(each, lang, write=write), "") for each in others],
        *removed_notes(comparison, lang),
    ]


def suggested_command(gate: Gate, *, baseline: str | None, is_removed_once: bool) -> str:
    """The command to type next: to see what is wrong, or to move the baseline.

    `baseline` is the name of the baseline of the gate; None if it compared with another run. A run
    that is partial or has errors is never proposed as a baseline. `is_removed_once` means that cases
    were removed for this gate only, and not in the project's file.
    """
    is_whole = not gate.is_partial and not gate.comparison.after.errors
    words = _suggested_words(gate, baseline if is_whole else None)
    if is_removed_once and gate.comparison.removed and words[0] == "baseline":
        words.append("--allow-incomplete")
    return shlex.join(["callscore", *words])


def _suggested_words(gate: Gate, baseline: str | None) -> list[str]:
    before, after = gate.comparison.before, gate.comparison.after
    kinds = {reason.kind for reason in gate.reasons}
    is_left = any(
        reason.kind == "unfinished" and "after" in (reason.sides or ("after",))
        for reason in gate.reasons
    )
    if is_left or "same run" in kinds or ("nothing compared" in kinds and not after.cases):
        return ["run", *(["--resume"] if is_left else [])]
    case = _first_case(gate)
    if after.run and (case or kinds & {"below", "nothing compared"}):
        is_other = has_no_common_case(gate.comparison)  # another run may be meant
        return ["history"] if is_other else ["show", after.run, *([case] if case else [])]
    if after.run and baseline is not None and gate.is_open:
        return ["baseline", "set", after.run, "--name", baseline]
    return ["compare", before.label, after.run or after.label]


def _first_case(gate: Gate) -> str:
    """The case to look at first; empty if there is none that can be typed in a shell."""
    comparison = gate.comparison
    kinds = {reason.kind for reason in gate.reasons}
    cases: list[Alarm | CaseChange] = [
        each for each in comparison.alarms if each.kind in kinds and each.case
    ]
    if kinds & {"regressed", "slice", "trials", "broken"} or gate.is_doubtful:
        cases += comparison.changed(shown_change_kind(gate))
    if "changed" in kinds:
        cases += comparison.changes
    if not cases:
        return ""
    first = cases[0]
    is_named = has_several_evaluations(comparison)
    name = case_name(first.evaluation, first.case) if is_named else first.case
    return name if name.isprintable() and not name.startswith("-") else ""


def write_json(
    gate: Gate, *, next_command: str, max_shown: int | None = None, lang: Language = "en"
) -> str:
    """An indented document with all cases, also beyond `max_shown`; its keys are always English."""
    del max_shown
    return safe_document({**gate_to_dict(gate, lang=lang), "next": json_safe(next_command)})


_COMMAND_WIDTH = 1000


def write_markdown(
    gate: Gate, *, next_command: str, max_shown: int = DEFAULT_MAX_SHOWN, lang: Language = "en"
) -> str:
    """The verdict with its reasons; the cases are folded in.

    At most `max_shown` cases of each kind of change are shown, and as many tools and tags.
    """
    return join_blocks(_markdown_blocks(gate, next_command, max_shown, lang))


def _markdown_blocks(
    gate: Gate, next_command: str, max_shown: int, lang: Language
) -> Iterator[str]:
    comparison, main = gate.comparison, gate.comparison.main
    title, about = gate_title(gate, lang, write=code)
    yield f"## {title}: {about}"
    reasons = reason_lines(gate, lang, write=code)
    items = [(words, "" if kind == "regressed" else names) for kind, words, names in reasons]
    warnings = first_notes(gate, lang, write=code)
    yield "\n".join(filter(None, [note_items(items), note_items(warnings, is_bold=False)]))
    said = {reason.kind for reason in gate.reasons} | CHANGED
    if main.change is not None and "regressed" not in said:
        yield f"**{change_line(comparison, lang, write=code)}**"
    yield from fact_blocks(comparison, lang)
    yield note_items(comparison_notes(comparison, lang, write=code, said=said), is_bold=False)
    yield from lost_blocks(comparison, max_shown, lang)
    if comparison.missing and not gate.is_partial:
        hint, lines = removal_hint(comparison, lang)
        yield hint
        yield fenced("\n".join(lines), "toml") if lines else ""
    yield from slice_blocks(comparison, regressed_slices(comparison), max_shown, lang)
    changes = [*change_blocks(comparison, max_shown, lang)]
    if changes:
        flips = ", ".join(words for words, _ in flip_counts(comparison, lang))
        yield details(html_entities(flips), "\n\n".join(changes))
    command = say(NEXT, lang, command=code(next_command, width=_COMMAND_WIDTH))
    yield f"{command} ({code(f'--fail-on {gate.fail_on}')})"


# GitHub shows ten annotations of a kind for each step, and drops the others.
_MOST_ANNOTATIONS = 10


def annotation_lines(
    gate: Gate, *, files: Mapping[str, str] | None = None, lang: Language = "en"
) -> list[str]:
    """GitHub's annotations: why the gate is closed, and the cases that broke.

    `files` is the file of each evaluation of the second run, by its name.
    """
    word, about = gate_title(gate, lang)
    title = f"callscore: {word}"
    if gate.is_open:
        main = gate.comparison.main
        warnings = [with_names(*note) for note in loss_notes(gate, lang)]
        change = change_line(gate.comparison, lang)
        sure = "".join(warnings) or f"{change}, {certainty_line(main, lang)}"
        return [workflow_command("notice", f"{about}; {sure}", title=title)]
    lines = [
        workflow_command("error", with_names(sentence, names), title=title)
        for _, sentence, names in reason_lines(gate, lang)
    ]
    return [*lines, *_case_annotations(gate.comparison, files or {}, lang)][:_MOST_ANNOTATIONS]


def _case_annotations(
    comparison: Comparison, files: Mapping[str, str], lang: Language
) -> Iterator[str]:
    """The cases that broke, each at the file of its evaluation."""
    changes = comparison.changed("broken")
    rows = change_rows(changes, lang, has_evaluation=has_several_evaluations(comparison))
    for change, row in zip(changes, rows, strict=True):
        about = {"title": say(CHANGES["broken"], lang, cases=row.case)}
        file = files.get(change.evaluation)
        if file:
            about = {"file": file, **about}
        numbers = (row.trials, row.f1 and f"F1 {row.f1}", row.remarks)
        parts = [change.evaluation, *filter(None, numbers)]
        yield workflow_command("error", ", ".join(parts), **about)


def workflow_command(kind: str, message: str, **properties: str) -> str:
    """A command to a GitHub runner; everything that could end it early is escaped."""

    def escaped(text: str) -> str:
        return escape_commands(escape(text)).replace("%", "%25")

    given = ",".join(
        f"{name}={escaped(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
    )
    return f"::{kind} {given}::{escaped(message)}"
