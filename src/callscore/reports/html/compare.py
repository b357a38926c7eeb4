"""The report of two compared runs as an HTML file: every case, with both runs against the expectation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from callscore.comparing.case_pairs import PAIR_CHANGES, CasePair
from callscore.comparing.comparison import Comparison, SideSummary
from callscore.comparing.sides import F1, PASSED, EvaluationSide, case_name
from callscore.core.phrases import Language, Phrase, say
from callscore.core.statistics import wilson
from callscore.core.summary import Summary, ToolCounts
from callscore.hiding.hider import Hider, hide_for_report
from callscore.reports.compare import (
    VERDICTS,
    certainty_texts,
    change_line,
    changed_slices,
    flip_counts,
    is_over_cases,
    measure_name,
    points_with_unit,
)
from callscore.reports.compare_notes import (
    alarm_notes,
    below_notes,
    comparison_notes,
    lost_lists,
    setting_text,
)
from callscore.reports.html.compared_trials import TrialWriter, compared_item
from callscore.reports.html.document import (
    Counts,
    Document,
    Headline,
    NextStep,
    Note,
    Verdict,
    confusion_of,
    document_parts,
    interval_of,
    notes_of,
    tools_of,
    with_argument,
)
from callscore.reports.html.packing import Packer
from callscore.words.plain_data import calls_of
from callscore.words.value_text import json_safe, percent, rating_text

if TYPE_CHECKING:
    from callscore.comparing.differences import Difference
    from callscore.comparing.differences import Verdict as ComparedVerdict
    from callscore.reports.html.compared_trials import PairTrials


_STATUS: dict[ComparedVerdict, Literal["good", "bad", "neutral"]] = {
    "improved": "good",
    "regressed": "bad",
    "no evidence": "neutral",
    "not enough data": "neutral",
}
_WAS = Phrase("before: {before}, {change}", "было {before}, {change}")
_SEE: dict[str, Phrase] = {
    "broken": Phrase("See the first broken case in full", "Первый сломанный случай целиком"),
    "changed": Phrase("See the first changed case in full", "Первый изменившийся случай целиком"),
}


class ComparedRuns(Struct, frozen=True, kw_only=True):
    """What a report on two runs is made of, beside the trials of its cases.

    Attributes:
        comparison: the comparison, whose secrets are hidden here.
        pairs: all cases, in the order of the report.
        after: the writer of the trials of the second run, after it has written them.
        case_command: the command that explains or shows a case of the second run, up to its id.
        settings: how the calls were compared, as short texts.
        pass_mark: the score from which a case passes.
    """

    comparison: Comparison
    pairs: Sequence[CasePair]
    after: TrialWriter
    case_command: str = ""
    settings: tuple[str, ...] = ()
    pass_mark: float = 1.0


def html_parts(
    runs: ComparedRuns, cases: Iterable[PairTrials], *, lang: Language = "en"
) -> Iterator[bytes]:
    """The file of a report on two runs, in parts.

    `cases` are those of `runs.pairs`, with the trials of both runs.
    """
    return parts_of_runs(runs, cases, lambda: compared_document(runs, lang), lang)


def parts_of_runs(
    runs: ComparedRuns,
    cases: Iterable[PairTrials],
    write: Callable[[], Document],
    lang: Language,
) -> Iterator[bytes]:
    """The same for any document about two runs, which is made after the cases are packed."""
    with closing(Packer()) as packer:
        _pack(runs, cases, packer, lang)
        yield from document_parts(write(), packer, lang)


def compared_index(runs: ComparedRuns, cases: Iterable[PairTrials], lang: Language) -> bytes:
    """The index of all cases as JSON, without their details; the cases need only the shown side."""
    with closing(Packer()) as packer:
        _pack(runs, cases, packer, lang, has_details=False)
        return packer.index()


def _pack(
    runs: ComparedRuns,
    cases: Iterable[PairTrials],
    packer: Packer,
    lang: Language,
    *,
    has_details: bool = True,
) -> None:
    hider = Hider()
    _, positions = listed_evaluations(runs.pairs)
    for position, case in zip(positions, cases, strict=True):
        row, changed, view = compared_item(case, lang, evaluation=position, hider=hider)
        packer.add(row, view if has_details else b"", changed)


def listed_evaluations(pairs: Iterable[CasePair]) -> tuple[list[EvaluationSide], list[int]]:
    """The evaluations of some cases, in the order of the report, and the position of each case's."""
    known: dict[int, int] = {}
    found: list[EvaluationSide] = []
    positions = []
    for pair in pairs:
        evaluation = pair.evaluation
        if id(evaluation) not in known:
            known[id(evaluation)] = len(found)
            found.append(evaluation)
        positions.append(known[id(evaluation)])
    return found, positions


# --- the document ---------------------------------------------------------------------------------


def compared_document(
    runs: ComparedRuns, lang: Language, *, said: Collection[str] = ()
) -> Document:
    """The document of a report on two runs; `said` are notes that are given elsewhere, by a gate."""
    comparison = hide_for_report(runs.comparison)
    after = comparison.after
    evaluations, _ = listed_evaluations(runs.pairs)
    tools = _tool_counts(runs.pairs)
    return Document(
        kind="compare",
        lang=lang,
        title=f"{comparison.before.label} → {after.label}",
        subtitle=_subtitle(comparison),
        at=after.started_at,
        verdict=_verdict(comparison, lang),
        headline=_headline(comparison, lang),
        counts=Counts(
            cases=after.cases,
            trials=after.trials,
            passed=after.passed,
            failed=after.failed,
            errors=after.errors,
            unscored=after.trials - after.passed - after.failed - after.errors,
        ),
        calls=calls_of(runs.after.summary) if tools and runs.after.is_whole else None,
        tools=hide_for_report(tools_of(Summary(tools=tools))),
        confusion=confusion_of(runs.after.summary) if runs.after.is_whole else (),
        evaluations=_evaluation_parts(evaluations) if len(evaluations) > 1 else (),
        notes=tuple(_notes(comparison, lang, said)),
        next=_next(runs, lang),
        settings=runs.settings,
        pass_mark=runs.pass_mark,
        comparison=_comparison(comparison, runs.pairs, lang),
    )


def _subtitle(comparison: Comparison) -> tuple[str, ...]:
    """The evaluations, unless two files were compared, whose names are the title."""
    runs = comparison.before.run, comparison.after.run
    # Names such as `latest` mean another run tomorrow.
    ids = [" → ".join(run or "–" for run in runs)] if any(runs) else []
    return (*ids, *(comparison.evaluations if ids else ()))


def _verdict(comparison: Comparison, lang: Language) -> Verdict:
    word = say(VERDICTS[comparison.verdict], lang).capitalize()
    flips = ", ".join(words for words, _ in flip_counts(comparison, lang))
    details = [*certainty_texts(comparison.main, lang), *([flips] if flips else [])]
    text = f"{word}: {change_line(comparison, lang, write=str)}"
    return Verdict(_STATUS[comparison.verdict], text, tuple(details))


def _headline(comparison: Comparison, lang: Language) -> Headline | None:
    """The number of the second run by the measure that decides, over the compared cases."""
    main, over_cases = comparison.main, is_over_cases(comparison)
    if main.before is None or main.after is None:
        return None
    is_share = main.measure == PASSED
    interval = wilson(main.after * main.cases, main.cases) if is_share else None
    before = percent(main.before, border=main.required[0])
    return Headline(
        measure_name(main.measure, lang, write=str, over_cases=over_cases).capitalize(),
        main.after,
        interval_of(interval),
        rating_text(main.after, is_failed=_STATUS[main.verdict] == "bad", lang=lang)
        if main.measure == F1
        else None,
        say(_WAS, lang, before=before, change=points_with_unit(main.change, lang)),
    )


def _notes(comparison: Comparison, lang: Language, said: Collection[str]) -> Iterator[Note]:
    """What else is to know, most important first; new forbidden calls are alarms."""
    if "below" not in said:
        yield from notes_of(below_notes(comparison, lang, write=str), is_warning=True)
    # The differing settings are a part of the comparison.
    others = comparison_notes(comparison, lang, write=str, said={*said, "settings"})
    yield from notes_of([*others])
    if comparison.removed:
        removed = lost_lists(comparison, lang)[-1]
        names = [f"{name}: {why}" if why else name for name, why in removed.rows]
        yield Note(removed.title, tuple(names))


def _next(runs: ComparedRuns, lang: Language) -> list[NextStep]:
    """The command that shows the first case that broke, or that changed."""
    if not runs.case_command:
        return []
    evaluations, _ = listed_evaluations(runs.pairs)
    hide = Hider().text
    for pair in runs.pairs:
        name = pair.shown.case.id
        if len(evaluations) > 1:
            name = case_name(pair.evaluation.label, name)
        name = hide(name)
        # What cannot be typed in a shell, or would be an option, is not suggested.
        if pair.change in _SEE and name.isprintable() and not name.startswith("-"):
            why = say(_SEE[pair.change], lang)
            return [NextStep(with_argument(hide(runs.case_command), name), why)]
    return []


def _tool_counts(pairs: Iterable[CasePair]) -> dict[str, ToolCounts]:
    """How the calls of each tool went in the second run."""
    found: dict[str, ToolCounts] = {}
    for pair in pairs:
        for trial in () if pair.after is None else pair.after.case.trials:
            for tool, counts in (trial.tools or {}).items():
                found.setdefault(tool, ToolCounts()).add(counts)
    return found


def _evaluation_parts(evaluations: Iterable[EvaluationSide]) -> list[dict[str, Any]]:
    return hide_for_report([_evaluation_part(each) for each in evaluations])


def _evaluation_part(evaluation: EvaluationSide) -> dict[str, Any]:
    trials = [trial for case in evaluation.cases for trial in case.trials]
    answers = [trial for trial in trials if trial.status != "error"]
    return {
        "name": evaluation.name,
        "variant": evaluation.variant,
        "place": evaluation.place.partition("::")[0],
        "label": evaluation.label,
        "cases": len({case.id for case in evaluation.cases}),
        "answered": len(answers),
        "passed": sum(trial.passed is True for trial in answers),
        "failed": sum(trial.passed is False for trial in answers),
        "errors": len(trials) - len(answers),
        "undecided": sum(trial.passed is None for trial in answers),
        "scorers": [],
        "facts": [],
        "trend": [],
    }


# --- the comparison -------------------------------------------------------------------------------


def _comparison(
    comparison: Comparison, pairs: Iterable[CasePair], lang: Language
) -> dict[str, Any]:
    counted = Counter([pair.change for pair in pairs])
    over_cases = is_over_cases(comparison)
    return {
        "before": _side(comparison.before),
        "after": _side(comparison.after),
        "main": _measured(comparison.main, lang, over_cases=over_cases),
        "others": [_measured(other, lang, over_cases=over_cases) for other in comparison.others],
        "counts": {change: counted[change] for change in PAIR_CHANGES},
        "slices": [
            {
                "kind": each.kind,
                "name": json_safe(each.name),
                "difference": _measured(each.difference, lang),
            }
            for each in changed_slices(comparison)
        ],
        "settings": [
            {
                "name": json_safe(change.name),
                "before": json_safe(change.before),
                "after": json_safe(change.after),
                "text": setting_text(change, lang, write=str),
            }
            for change in comparison.settings
        ],
        "alarms": [f"{sentence}: {names}" for sentence, names in alarm_notes(comparison, lang)],
    }


def _side(side: SideSummary) -> dict[str, Any]:
    return {
        "label": json_safe(side.label),
        "run": side.run,
        "at": side.started_at,
        "commit": side.git_commit,
        "cases": side.cases,
        "trials": side.trials,
        "passed": side.passed,
        "failed": side.failed,
        "errors": side.errors,
        "f1": side.f1,
    }


def _measured(
    difference: Difference, lang: Language, *, over_cases: bool = False
) -> dict[str, Any]:
    name = measure_name(difference.measure, lang, write=str, over_cases=over_cases)
    return {
        "measure": json_safe(name),
        "before": difference.before,
        "after": difference.after,
        "difference": difference.change,
        "interval": interval_of(difference.interval),
        "p_value": difference.p_value,
        "verdict": difference.verdict,
        "verdict_text": say(VERDICTS[difference.verdict], lang),
        "cases": difference.cases,
    }
