"""The report of a run as an HTML file, and its parts for the page of `callscore view`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from msgspec import Struct

from callscore.core.case import Case
from callscore.core.phrases import Language, Phrase, say
from callscore.core.results import EvaluationResults, Result, RunResults
from callscore.core.summary import Summary, pass_rates
from callscore.core.totals import pooled
from callscore.hiding.hider import Hider
from callscore.reports.formatting import RUN_ID, settings_text
from callscore.reports.history import RunRow, commit_text
from callscore.reports.html.case_view import CaseView, encode_view, index_row, view_of_result
from callscore.reports.html.document import (
    Counts,
    Document,
    Fact,
    Heading,
    Headline,
    NextStep,
    Note,
    Verdict,
    confusion_of,
    document_parts,
    interval_of,
    notes_of,
    rate_facts,
    tools_of,
)
from callscore.reports.html.packing import Packer
from callscore.reports.html.score import MACRO_F1
from callscore.reports.run import (
    below_text,
    facts_line,
    group_notes,
    judge_lines,
    variant_groups,
    verdict_parts,
)
from callscore.words.plain_data import calls_of
from callscore.words.value_text import shown_rating

_RUN = Phrase("Run {name}", "Прогон {name}")
_PASSED = Phrase("Passed", "Пройдено")
_MEDIAN = Phrase("Median time of an answer", "Медиана времени ответа")
_FAILED_AGAIN = Phrase("Run only the cases that failed", "Запустить только непройденные случаи")
_RESUME = Phrase("Run the cases that are left", "Запустить оставшиеся случаи")
_COMPARE = Phrase("Compare with the run before", "Сравнить с предыдущим прогоном")
_BASELINE = Phrase(
    "Make this run the baseline that others are compared with",
    "Сделать прогон базовым, чтобы сравнивать с ним другие",
)
_NAMED = Phrase("named {name}", "название {name}")


class AboutRun(Struct, frozen=True, kw_only=True):
    """What the history knows about a run, beside its results.

    Attributes:
        row: the run as a list of runs has it; None if it was not saved.
        trends: the complete runs of each evaluation up to this one, by label, the oldest first.
    """

    row: RunRow | None = None
    trends: Mapping[str, Sequence[RunRow]] = {}


def html_parts(
    run: RunResults, *, lang: Language = "en", heading: Heading | None = None
) -> Iterator[bytes]:
    """The file of a report on a run that is not in the history, in parts."""
    del heading
    yield from run_parts(_results_in(run), lambda: run, AboutRun(), lang)


def run_parts(
    results: Iterable[tuple[int, Result]],
    totals: Callable[[], RunResults],
    about: AboutRun,
    lang: Language,
) -> Iterator[bytes]:
    """The file of a report on a run, in parts.

    `results` have the positions of their evaluations. `totals` is called after the last of them.
    """
    with closing(Packer()) as packer:
        pack_results(results, packer, lang)
        yield from document_parts(run_document(totals(), about, lang), packer, lang)


def pack_results(results: Iterable[tuple[int, Result]], packer: Packer, lang: Language) -> None:
    """Pack all results of a run, without secrets."""
    hider = Hider()
    for evaluation, result in results:
        shown = hider.data(result) if hider.has_any else result
        view = view_of_result(shown, lang)
        encoded = encode_view(view)
        packer.add(index_row(view, shown.score, lang, evaluation=evaluation), encoded)


def result_view(result: Result, lang: Language, *, evaluation: str = "") -> CaseView:
    """One result as the detail of a case shows it, without secrets."""
    return view_of_result(Hider().data(result), lang, evaluation=evaluation)


def _results_in(run: RunResults) -> Iterator[tuple[int, Result]]:
    """The cases of a run that is not in the history, and its errors."""
    for position, each in enumerate(run.evaluations):
        for result in each.shown:
            yield position, result
        for failure in each.failures:
            asked = Case(id=failure.case, trial=failure.trial)
            yield position, Result(case=asked, status="error", failure=failure)


# --- the document ---------------------------------------------------------------------------------


def run_document(run: RunResults, about: AboutRun, lang: Language) -> Document:
    """Everything above and beside the cases of a run."""
    summary = pooled(run.evaluations)
    row = about.row
    name = (row.name if row is not None else None) or run.id
    verdict = _verdict(run, lang)
    return Document(
        kind="run",
        lang=lang,
        title=_title(run, name, lang),
        subtitle=tuple(_subtitle(run, row, lang)),
        at=None if row is None else row.started_at,
        verdict=verdict,
        headline=_headline(run, summary, lang, is_failed=verdict.status == "bad"),
        facts=_facts(run, summary, about, lang),
        counts=_counts(run),
        calls=calls_of(summary) if summary.scored else None,
        tools=tools_of(summary),
        confusion=confusion_of(summary),
        evaluations=[
            _evaluation(each, about.trends.get(each.label, ()), run.id, lang)
            for each in run.evaluations
        ],
        trials=_trials(run),
        notes=_notes(run, lang),
        next=_next(run, about, lang),
        settings=list(
            dict.fromkeys(
                settings_text(each.results.settings, lang, write=str) for each in run.evaluations
            )
        ),
        pass_mark=min((each.results.settings.pass_mark for each in run.evaluations), default=1.0),
        not_shown=sum(each.results.not_shown for each in run.evaluations),
        case_command=f"callscore show {run.id}" if run.id else "",
    )


def _title(run: RunResults, name: str, lang: Language) -> str:
    labels = list(dict.fromkeys(each.name for each in run.evaluations))
    if len(labels) == 1:
        return labels[0]
    return say(_RUN, lang, name=name) if name else "callscore"


def _subtitle(run: RunResults, row: RunRow | None, lang: Language) -> Iterator[str]:
    if run.id:
        yield say(RUN_ID, lang, id=run.id)
    if row is not None and row.name:
        yield say(_NAMED, lang, name=row.name)
    if row is not None and row.git_commit:
        yield commit_text(row.git_commit, is_dirty=row.git_dirty)
    if run.evaluations:
        yield facts_line(run, lang)
    yield from judge_lines(run, lang, write=str)


def _verdict(run: RunResults, lang: Language) -> Verdict:
    parts = verdict_parts(run, lang) if run.evaluations else []
    below = [
        f"{each.label}: {below_text(scorer, lang)}"
        if len(run.evaluations) > 1
        else below_text(scorer, lang)
        for each in run.evaluations
        for scorer in each.scorers
        if scorer.is_below
    ]
    statuses = {status for _, status in parts}
    is_bad = "bad" in statuses or any(each.is_failed for each in run.evaluations)
    is_good = "good" in statuses or any(each.has_required_mean for each in run.evaluations)
    status: Any = "bad" if is_bad else "good" if is_good else "neutral"
    return Verdict(status, ", ".join([text for text, _ in parts]), tuple(below))


def _headline(
    run: RunResults, summary: Summary, lang: Language, *, is_failed: bool
) -> Headline | None:
    if summary.scored and summary.macro_f1 is not None:
        return Headline(
            say(MACRO_F1, lang),
            summary.macro_f1,
            interval_of(summary.macro_f1_interval),
            shown_rating(summary, is_failed=is_failed, lang=lang),
        )
    scorers = [scorer for each in run.evaluations for scorer in each.scorers]
    if not scorers or scorers[0].mean is None:
        return None
    return Headline(scorers[0].name, scorers[0].mean)


def _facts(run: RunResults, summary: Summary, about: AboutRun, lang: Language) -> tuple[Fact, ...]:
    decided = sum(each.decided for each in run.evaluations)
    facts: list[Fact] = []
    if decided:
        own = [row for rows in about.trends.values() for row in rows if row.id == run.id]
        interval = own[0].interval if len(own) == len(run.evaluations) == 1 else None
        share = sum(each.passed for each in run.evaluations) / decided
        facts.append(Fact(say(_PASSED, lang), share, "percent", interval_of(interval)))
    facts += rate_facts(summary, lang, [each.results.settings for each in run.evaluations])
    seconds = [each.seconds for each in run.evaluations if each.seconds is not None]
    if len(seconds) == 1:
        facts.append(Fact(say(_MEDIAN, lang), seconds[0], "seconds"))
    return tuple(facts)


def _counts(run: RunResults) -> Counts:
    each = run.evaluations
    answered, passed = sum(it.answered for it in each), sum(it.passed for it in each)
    undecided = sum(it.undecided for it in each)
    return Counts(
        cases=sum(it.cases for it in each),
        trials=answered + run.errors,
        passed=passed,
        failed=answered - passed - undecided,
        errors=run.errors,
        unscored=undecided,
    )


def _evaluation(
    each: EvaluationResults, trend: Sequence[RunRow], run: str, lang: Language
) -> dict[str, Any]:
    names = ("name", "mean", "scored", "passed", "fail_under", "is_below")
    facts = []
    if each.seconds is not None:
        facts.append(Fact(say(_MEDIAN, lang), each.seconds, "seconds"))
    return {
        "name": each.name,
        "variant": each.variant,
        "place": each.place,
        "label": each.label,
        "cases": each.cases,
        "answered": each.answered,
        "passed": each.passed,
        "failed": each.answered - each.passed - each.undecided,
        "errors": each.errors,
        "undecided": each.undecided,
        "scorers": [{name: getattr(scorer, name) for name in names} for scorer in each.scorers],
        "facts": facts,
        "trend": [trend_point(row, run) for row in trend],
    }


def trend_point(row: RunRow, run: str) -> dict[str, Any]:
    """A run of an evaluation in a chart over time; `run` is the one that the report is about."""
    return {
        "run": row.id,
        "name": row.name,
        "at": row.started_at,
        "commit": row.git_commit,
        "share": row.share,
        "interval": interval_of(row.interval),
        "cases": row.cases,
        "is_this": row.id == run,
    }


def _trials(run: RunResults) -> dict[str, Any] | None:
    trials = [case for each in run.evaluations for case in each.trials]
    if not trials or len(run.evaluations) != 1:
        return None
    rates = pass_rates(trials)
    return {"cases": len(trials), "pass_at_k": rates.at_k, "pass_hat_k": rates.hat_k}


def _notes(run: RunResults, lang: Language) -> list[Note]:
    notes = [Note(warning, is_warning=True) for warning in run.warnings]
    notes += [
        Note(
            f"{each.place}: {each.problem}", tuple(each.details.splitlines()[-1:]), is_warning=True
        )
        for each in run.unloaded
    ]
    for group in variant_groups(run):
        lines = group_notes(group, lang, write=str)
        prefix = f"{group[0].name}: " if len(run.evaluations) > 1 else ""
        notes += notes_of([(f"{prefix}{text}", names) for text, names in lines])
    return notes


def _next(run: RunResults, about: AboutRun, lang: Language) -> list[NextStep]:
    if about.row is None or not run.id:
        return []
    is_failing = any(each.passed < each.decided for each in run.evaluations)
    steps = []
    if run.is_interrupted and about.row.command == "run":
        steps.append(NextStep("callscore run --resume", say(_RESUME, lang)))
    elif is_failing and about.row.command == "run":
        steps.append(NextStep("callscore run --last-failed", say(_FAILED_AGAIN, lang)))
    before = [row.id for rows in about.trends.values() for row in rows if row.id != run.id]
    if before:
        steps.append(NextStep(f"callscore compare {max(before)} {run.id}", say(_COMPARE, lang)))
    if not is_failing:
        steps.append(NextStep(f"callscore baseline set {run.id}", say(_BASELINE, lang)))
    return steps
