"""The report of scored cases as an HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.reports.case_by_case import CaseFormat, ShownCases
from callscore.reports.formatting import scored_noun, settings_text
from callscore.reports.html.case_view import IndexRow, encode_view, index_row, view_of_case
from callscore.reports.html.document import (
    Counts,
    Document,
    Heading,
    Headline,
    NextStep,
    Verdict,
    confusion_of,
    document_parts,
    interval_of,
    notes_of,
    rate_facts,
    tools_of,
    with_argument,
)
from callscore.reports.html.packing import Packer, packed_line, read_line
from callscore.reports.score import (
    incomplete_lines,
    inputs_text,
    is_below,
    note_lines,
    summary_meaning,
)
from callscore.words.plain_data import calls_of
from callscore.words.value_text import percent, shown_rating

if TYPE_CHECKING:
    from callscore.core.results import Result, Results

MACRO_F1 = Phrase("Macro F1", "Macro F1")
_ALL_PASSED = Phrase("All {cases} passed", "Пройдено всё: {cases}")
_SOME_FAILED = Phrase("{failed} of {cases} failed", "Не пройдено {failed}, всего {cases}")
_PASSED = Phrase("The case passed", "Случай пройден")
_FAILED = Phrase("The case failed", "Случай не пройден")
_NOTHING_SCORED = Phrase("No case was scored", "Ни один случай не оценён")
_BELOW = Phrase(
    "Macro F1 {score} is below the required {required}",
    "Macro F1 {score} ниже требуемого значения {required}",
)
_REACHED = Phrase(
    "Macro F1 {score} reaches the required {required}",
    "Macro F1 {score} не ниже требуемого значения {required}",
)
_EXPLAIN_WORST = Phrase(
    "See step by step how the score of the worst case is calculated",
    "По шагам: как получилась оценка худшего случая",
)


def html_parts(
    results: Results, *, lang: Language = "en", heading: Heading | None = None
) -> Iterator[bytes]:
    """The file of a report on results that have all their cases, in parts."""
    lines = [case_line(case, lang) for case in results.cases]
    yield from parts_of_lines(results, lines, lang, heading)


def case_line(case: Result, lang: Language) -> bytes:
    """A case as it waits to be packed."""
    view = view_of_case(case, lang)
    return packed_line(index_row(view, case.score, lang), encode_view(view))


def parts_of_lines(
    results: Results, lines: Iterable[bytes], lang: Language, heading: Heading | None = None
) -> Iterator[bytes]:
    """The file of a report, in parts, from cases as `case_line` writes them."""
    with closing(Packer()) as packer:
        worst: IndexRow | None = None
        for line in lines:
            row, _, view = read_line(line)
            packer.add(row, view)
            if row.status != "passed" and (worst is None or _score(row) < _score(worst)):
                worst = row
        document = _document(results, (packer.count, worst), lang, heading or Heading())
        yield from document_parts(document, packer, lang)


def _score(row: IndexRow) -> float:
    return 1.0 if row.score is None else row.score


def _document(
    results: Results, cases: tuple[int, IndexRow | None], lang: Language, heading: Heading
) -> Document:
    """Everything but the cases, of which only their number and the worst one are needed."""
    summary, (listed, worst) = results.summary, cases
    failed = summary.cases - summary.passed - summary.unanswered
    warnings = incomplete_lines(results, lang)
    verdict = score_verdict(results, lang)
    is_failed = verdict.status == "bad"
    return Document(
        kind="score",
        lang=lang,
        title=heading.title or results.title,
        verdict=verdict,
        headline=Headline(
            say(MACRO_F1, lang),
            summary.macro_f1,
            interval_of(summary.macro_f1_interval),
            shown_rating(summary, is_failed=is_failed, lang=lang),
            summary_meaning(results, lang, is_failed=is_failed) if summary.scored else "",
        ),
        facts=rate_facts(summary, lang, [results.settings]),
        counts=Counts(
            cases=summary.distinct_cases,
            trials=summary.cases,
            passed=summary.passed,
            failed=failed,
            errors=summary.unanswered,
            unscored=results.not_scored.count,
        ),
        calls=calls_of(summary),
        tools=tools_of(summary),
        confusion=confusion_of(summary),
        trials=_trials(results),
        metrics=[
            {
                "name": metric.name,
                "mean": metric.mean,
                "scored": metric.scored,
                "not_scorable": metric.not_scorable.count,
            }
            for metric in results.metrics
        ],
        notes=(
            *notes_of(warnings, is_warning=True),
            *notes_of([*note_lines(results, lang), *_inputs(results, lang)]),
        ),
        next=_next(worst, heading, lang),
        settings=[settings_text(results.settings, lang, write=str)],
        pass_mark=results.settings.pass_mark,
        not_shown=max(summary.scored - listed, 0),
        case_command=heading.case_command,
    )


def _inputs(results: Results, lang: Language) -> list[tuple[str, str]]:
    found = inputs_text(results, lang, write=str)
    return [(f"{found[0].upper()}{found[1:]}.", "")] if found else []


def score_verdict(results: Results, lang: Language) -> Verdict:
    """Whether all cases passed, and whether the required mean is reached."""
    summary = results.summary
    if not summary.cases:
        return Verdict("neutral", say(_NOTHING_SCORED, lang))
    cases = count_of(scored_noun(summary), summary.cases, lang)
    failed = summary.cases - summary.passed
    passing, failing = (_PASSED, _FAILED) if summary.cases == 1 else (_ALL_PASSED, _SOME_FAILED)
    text = say(failing if failed else passing, lang, failed=failed, cases=cases)
    required, mean = results.fail_under, summary.macro_f1 or 0.0
    if required is None:
        return Verdict("bad" if failed else "good", text)
    shown = percent(mean, border=required), percent(required)
    phrase = _BELOW if mean < required else _REACHED
    details = say(phrase, lang, score=shown[0], required=shown[1])
    return Verdict("bad" if is_below(results) else "good", text, (details,))


def _trials(results: Results) -> dict[str, object] | None:
    summary = results.summary
    pass_at_k = summary.pass_at_k()
    if not pass_at_k or not summary.has_repeated_trials:
        return None
    return {
        "cases": summary.trial_cases,
        "pass_at_k": pass_at_k,
        "pass_hat_k": summary.pass_hat_k(),
    }


def _next(worst: IndexRow | None, heading: Heading, lang: Language) -> list[NextStep]:
    steps = [*heading.next]
    if worst is not None and heading.case_command:
        command = with_argument(heading.case_command, worst.id)
        if worst.trial is not None:
            command = f"{command} --trial {worst.trial}"
        steps.insert(0, NextStep(command, say(_EXPLAIN_WORST, lang)))
    return steps


def _around(_: Results, __: ShownCases, ___: Language) -> tuple[str, str]:
    return "", ""  # `assemble` makes the whole file


CASE_FORMAT = CaseFormat(case_line, _around, assemble=parts_of_lines)
