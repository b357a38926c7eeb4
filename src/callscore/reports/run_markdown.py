"""What a run gave as Markdown, for a pull request or a build summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.call_text import call_text
from callscore.core.diff import call_lines, plain_text
from callscore.core.results import CaseScore
from callscore.core.text import clip_middle, escape
from callscore.core.wording import count_of, say
from callscore.reports import run_wording as wording
from callscore.reports import wording as score_wording
from callscore.reports.markdown_text import code, details, entities, fenced, note_item, table
from callscore.reports.metric_table import NO_NUMBER, number_text
from callscore.reports.run_notes import group_notes
from callscore.reports.run_parts import errors_in, groups_in, label_in, shown_in, unnamed_errors
from callscore.reports.run_tables import threshold_text, trial_rows, variant_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.results import MetricValue
    from callscore.core.run import EvaluationResults, RunResults
    from callscore.core.wording import Language
    from callscore.reports.run_parts import Alike, Shown

__all__ = ["write"]

_NAME_WIDTH = 80
_LONG = 1000
_REASON_WIDTH = 300
_MOST_CALLS = 20
_WIDTH = 100


def write(run: RunResults, *, lang: Language = "en") -> str:
    """The verdict, the tables, and the cases folded in; names from the data stay plain text."""
    return "\n\n".join(_blocks(run, lang)) + "\n"


def _blocks(run: RunResults, lang: Language) -> Iterator[str]:
    yield from _verdict(run, lang)
    for group in groups_in(run):
        yield from _group(group, lang)
    yield from [_case(run, shown, lang) for shown in shown_in(run)]
    not_shown = sum(each.results.not_shown for each in run.evaluations)
    if not_shown:
        yield say(wording.MORE_CASES, lang, cases=count_of(score_wording.CASES, not_shown, lang))
    yield from [_error(run, alike, lang) for alike in errors_in(run)]
    more = unnamed_errors(run.evaluations)
    if more:
        yield say(wording.MORE_ERRORS, lang, errors=count_of(wording.ERROR_COUNT, more, lang))
    for each in run.unloaded:
        title = f"{_title(each.place)} {say(wording.UNLOADED, lang)}"
        yield _folded(title, each.problem, each.details)


def _verdict(run: RunResults, lang: Language) -> Iterator[str]:
    if not run.evaluations:
        yield f"## {say(wording.NOTHING_RUN, lang)}"
    else:
        yield f"## {', '.join(words for words, _ in wording.verdict(run, lang))}"
        lines = [wording.facts(run, lang), *wording.judge_lines(run, lang, write=code)]
        if run.id:
            lines.append(say(wording.RUN, lang, id=code(run.id)))
        yield "  \n".join(lines)
    if run.warnings:
        yield "\n".join(f"- **{entities(escape(warning))}**" for warning in run.warnings)


def _group(group: Sequence[EvaluationResults], lang: Language) -> Iterator[str]:
    first = group[0]
    yield f"### {code(first.name)}"
    place = f"{code(first.place)}  \n" if first.place else ""
    yield f"{place}{wording.subtitle(group, lang, write=code)}"
    yield _variants(group, lang) if first.variant is not None else _scorers(first, lang)
    labels, rows = trial_rows(group, _LONG)
    if rows:
        yield f"#### {say(score_wording.TRIALS, lang)}"
        cells = [(code(f"{name} {kind}".strip()), *rates) for name, kind, *rates in rows]
        yield table(("", *labels), cells)
    notes = group_notes(group, lang, write=code)
    if notes:
        yield "\n".join(note_item(*line) for line in notes)


def _scorers(each: EvaluationResults, lang: Language) -> str:
    labels = (wording.SCORER, wording.MEAN, wording.PASSED, wording.THRESHOLD)
    rows = [
        (
            code(scorer.name),
            number_text(scorer.mean),
            f"{scorer.passed}/{scorer.scored}" if scorer.scored else NO_NUMBER,
            threshold_text(scorer),
        )
        for scorer in each.scorers
    ]
    columns = len(labels) if any(row[-1] for row in rows) else len(labels) - 1
    return table([say(label, lang) for label in labels[:columns]], [row[:columns] for row in rows])


def _variants(group: Sequence[EvaluationResults], lang: Language) -> str:
    columns = variant_columns(group, lang)
    scorers = [code(scorer.name) for scorer in group[0].scorers]
    labels = [say(wording.VARIANT, lang), *scorers, *[name for name, _ in columns[len(scorers) :]]]
    rows: list[tuple[object, ...]] = [
        (code(each.variant or ""), *[cells[row][0] for _, cells in columns])
        for row, each in enumerate(group)
    ]
    wanted = [scorer.threshold for scorer in group[0].scorers]
    if any(threshold is not None for threshold in wanted):
        cells = ["" if threshold is None else number_text(threshold) for threshold in wanted]
        rest = [""] * (len(columns) - len(cells))
        rows.append((say(wording.THRESHOLD, lang), *cells, *rest))
    return table(labels, rows)


def _case(run: RunResults, shown: Shown, lang: Language) -> str:
    case = shown.case
    title = f"{_title(case.label)} {_outcome(shown, lang)}{_of(run, shown.evaluation)}"
    if isinstance(case, CaseScore):
        values = case.metrics
        calls = fenced(plain_text(call_lines(case.score, width=_WIDTH, lang=lang)), "diff")
    else:
        values = case.values
        lines = [call_text(call, limit=_WIDTH) for call in case.calls[:_MOST_CALLS]]
        if len(case.calls) > _MOST_CALLS:
            lines.append(say(score_wording.MORE, lang, count=len(case.calls) - _MOST_CALLS))
        calls = fenced("\n".join(lines or [say(wording.NO_CALLS, lang)]), "text")
    return details(title, f"{_values(values)}{calls}")


def _of(run: RunResults, evaluation: EvaluationResults) -> str:
    label = label_in(run, evaluation)
    return f", {entities(escape(label))}" if label else ""


def _title(name: str) -> str:
    return f"<code>{entities(clip_middle(escape(name), _NAME_WIDTH))}</code>"


def _outcome(shown: Shown, lang: Language) -> str:
    if shown.passed is None:
        return say(wording.HAS_NO_NUMBER, lang)
    return say(wording.HAS_PASSED if shown.passed else wording.HAS_FAILED, lang)


def _values(values: Sequence[MetricValue]) -> str:
    """What the scorers say of a case, each with its reason."""
    if not values:
        return ""
    numbers = [f"{code(found.name)} {number_text(found.value)}" for found in values]
    reasons = [
        f"- {code(found.name)}: {code(found.reason, width=_REASON_WIDTH)}"
        for found in values
        if found.reason
    ]
    return "\n\n".join([", ".join(numbers), *(["\n".join(reasons)] if reasons else [])]) + "\n\n"


def _error(run: RunResults, alike: Alike, lang: Language) -> str:
    names = score_wording.first_names(
        [failure.label for failure in alike.failures], len(alike.failures), lang
    )
    title = f"{_title(names)} {say(wording.KINDS[alike.kind], lang)}"
    if alike.attempts > 1:
        title += f", {count_of(wording.ATTEMPTS, alike.attempts, lang)}"
    return _folded(title + _of(run, alike.evaluation), alike.problem, alike.details)


def _folded(title: str, problem: str, traceback: str) -> str:
    lines = [problem, *traceback.splitlines()]
    return details(title, fenced("\n".join(escape(line) for line in lines if line.strip()), "text"))
