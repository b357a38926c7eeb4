"""The report of scored cases in Markdown, as a whole or case by case."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, say
from callscore.reports import score as wording
from callscore.reports.case_by_case import CaseFormat, ShownCases
from callscore.reports.formatting import (
    INTERVAL_TEXT,
    code,
    code_title,
    details,
    fenced,
    join_blocks,
    note_items,
    numbers_line,
    scored_noun,
    settings_text,
    table,
)
from callscore.words.diff import calls_text
from callscore.words.turns import first_wrong_text
from callscore.words.value_text import percent, shown_rating, summary_line

if TYPE_CHECKING:
    from callscore.core.results import Result, Results
    from callscore.reports.score import Ranking

_BETWEEN = "\n\n"


def write_markdown(results: Results, *, lang: Language = "en") -> str:
    """Headline, totals, tables, and the cases folded in; names from the data stay plain text."""
    blocks = [note_items(wording.incomplete_lines(results, lang))]
    only = wording.single_case(results)
    if only is not None:
        return join_blocks([*blocks, *_single_blocks(results, only, lang)])
    faults = wording.count_shown_faults(results)
    cases = [_case(case, lang) for case in results.cases]
    return join_blocks([*_blocks_before(results, faults, lang), *cases, *_after(results, lang)])


def _blocks_before(results: Results, shown_faults: int, lang: Language) -> Iterator[str]:
    """Everything that precedes the cases; `shown_faults` are the faults that these have."""
    summary = results.summary
    yield note_items(wording.incomplete_lines(results, lang))
    yield from _headline(results, lang)
    if summary.scored:
        yield table(
            ("", "F1", "precision", "recall"),
            [tuple(row) for row in wording.rate_rows(results, lang)],
        )
        passed, exact, interval, calls, counts = wording.total_texts(summary, lang)
        noun = summary.has_repeated_trials
        yield (
            f"- {say(wording.PASSED[noun], lang)}: {passed}\n"
            f"- {say(wording.EXACT[noun], lang)}: {exact} ({interval})\n"
            f"- {say(wording.CALLS, lang)}: {calls}; {counts}"
        )
    yield note_items(wording.note_lines(results, lang))
    yield from _metric_blocks(results, lang)
    labels, rows = wording.rate_table(summary.pass_at_k(), summary.pass_hat_k())
    if rows:
        yield f"### {say(wording.TRIALS, lang)}"
        yield table(("", *labels), rows)
    for ranking in wording.rankings(summary, lang):
        yield from _ranking_blocks(ranking, lang)
    yield from _check_blocks(results, shown_faults, lang)


def _after(results: Results, lang: Language) -> list[str]:
    return [wording.not_shown_text(results, lang)] if results.not_shown else []


def _case(case: Result, lang: Language) -> str:
    score = case.required_score
    numbers = numbers_line(case.values)
    diff = fenced(calls_text(score, lang=lang), "diff")
    outcome, _ = wording.OUTCOMES[score.passed]
    line = f"{say(outcome, lang)}. {summary_line(score, lang=lang)}"
    return details(f"{code_title(case.label)} {line}", f"{numbers}\n\n{diff}" if numbers else diff)


def _around(results: Results, shown: ShownCases, lang: Language) -> tuple[str, str]:
    before = filter(None, _blocks_before(results, shown.faults, lang))
    after = ["", *_after(results, lang)]
    return "".join([f"{block}{_BETWEEN}" for block in before]), f"{_BETWEEN.join(after)}\n"


def _written_case(case: Result, lang: Language) -> bytes:
    return _case(case, lang).encode()


CASE_FORMAT = CaseFormat(_written_case, _around, separator=_BETWEEN.encode())


def _headline(results: Results, lang: Language) -> Iterator[str]:
    f1, interval = results.summary.macro_f1, results.summary.macro_f1_interval
    if f1 is None:
        yield f"## {say(wording.NOTHING_SCORED, lang)}"
        return
    is_failed = wording.is_below(results)
    word = shown_rating(results.summary, is_failed=is_failed, lang=lang)
    title = say(wording.HEADLINE, lang, score=percent(f1, border=results.fail_under))
    yield f"## {title}: {word}" if word else f"## {title}"
    yield wording.summary_meaning(results, lang, is_failed=is_failed)
    cases = wording.counts_text(results.summary, lang)
    line = f"{cases}, {settings_text(results.settings, lang, write=code)}"
    if interval is not None:
        line += f", {say(INTERVAL_TEXT, lang, interval=wording.interval_text(interval))}"
    yield line
    yield wording.inputs_text(results, lang, write=code)


def _single_blocks(results: Results, case: Result, lang: Language) -> Iterator[str]:
    """A single case: what it scored, the calls, the values of metrics, and the notes."""
    (outcome, _), (score, rates) = (
        wording.OUTCOMES[case.required_score.passed],
        wording.score_parts(case.required_score, lang),
    )
    yield f"## {code(results.title or case.label)} {say(outcome, lang)}: {score}"
    yield from wording.single_meaning(case, lang)
    settings = settings_text(results.settings, lang, write=code)
    yield f"{rates}; {settings}" if rates else settings
    wrong = first_wrong_text(case.required_score, lang)
    yield f"**{wrong[0].upper()}{wrong[1:]}**" if wrong else ""
    yield wording.inputs_text(results, lang, write=code)
    if not results.hides_calls:
        yield fenced(calls_text(case.required_score, lang=lang), "diff")
    yield numbers_line(case.values)
    yield note_items(wording.single_notes(results, lang))
    yield note_items(wording.not_scorable_notes(results.metrics, lang, write=code))
    yield wording.settings_note(results, lang)


def _metric_blocks(results: Results, lang: Language) -> Iterator[str]:
    if not results.metrics:
        return
    own, *others = wording.metric_rows(results, lang)
    yield f"### {say(wording.METRICS, lang)}"
    rows = [own, *[other._replace(name=code(other.name)) for other in others]]
    yield table([say(label, lang) for label in (wording.METRIC, *wording.METRIC_LABELS)], rows)
    noun = scored_noun(results.summary)
    yield note_items(wording.not_scorable_notes(results.metrics, lang, write=code, noun=noun))
    yield wording.settings_note(results, lang)


def _check_blocks(results: Results, shown_faults: int, lang: Language) -> Iterator[str]:
    summary = results.summary
    if not summary.checked_calls:
        return
    valid = wording.count_text(summary.valid_calls, summary.checked_calls, lang)
    yield f"### {say(wording.CHECKS, lang)}"
    yield f"- {say(wording.VALID_CALLS, lang)}: {valid}"
    # Kinds of faults are words, and only the tools are code.
    yield from islice(_ranking_blocks(wording.fault_ranking(summary, lang), lang, codes=1), 1, None)
    yield wording.check_hint(results, shown_faults, lang, write=code) or ""


def _ranking_blocks(ranking: Ranking, lang: Language, *, codes: int = 2) -> Iterator[str]:
    """The table of a ranking, whose first `codes` names are code."""
    if ranking.names:
        yield f"### {say(ranking.heading, lang)}"
        labels = (*ranking.labels, *[column.label for column in ranking.columns])
        rows = [
            (
                *map(code, names[:codes]),
                *names[codes:],
                *[column.counts[row] for column in ranking.columns],
            )
            for row, names in enumerate(ranking.names[: ranking.most])
        ]
        yield table([say(label, lang) for label in labels], rows)
    yield from wording.more_items(len(ranking.names) - ranking.most, lang)
