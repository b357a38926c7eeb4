"""Scores, results and comparisons in a notebook: static markup, from the rows that the report shows.

Notebooks run no script of ours, and have themes of their own: the style adds a little to theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET

from callscore.core.case import is_state
from callscore.core.phrases import count_of, say
from callscore.core.rendering import escape, render_value
from callscore.hiding.hider import hide_for_report
from callscore.reports.compare import (
    CHANGES,
    VERDICTS,
    certainty_line,
    change_line,
    change_sentences,
    side_parts,
)
from callscore.reports.formatting import scored_noun
from callscore.reports.html.case_view import Row, rows_of
from callscore.reports.html.score import score_verdict
from callscore.reports.html.static_summary import markup, table_markup
from callscore.reports.run import facts_line, mean_text, verdict_parts
from callscore.reports.score import NOTHING_SCORED, interval_text, score_parts
from callscore.words.explanation import explain
from callscore.words.turns import END_STATE_TITLE, tool_label
from callscore.words.value_text import (
    CASES,
    assumed_notes,
    call_text,
    percent,
    shown_rating,
    summary_line,
    worst_tools,
)

if TYPE_CHECKING:
    from callscore.comparing.comparison import Comparison
    from callscore.core.call import ToolCall
    from callscore.core.results import Result, Results, RunResults
    from callscore.core.score import Score
    from callscore.core.summary import Summary

_MOST_ROWS = 200
_MOST_CASES = 20
_MOST_TOOLS = 15
_CALL_WIDTH = 400
_CLASSES = {"=": "good", "~": "bad", "-": "missed", "+": "extra", "!": "forbidden"}
_WORDS = {
    "=": "correct",
    "~": "incorrect",
    "-": "missed",
    "+": "extra",
    "!": "forbidden",
}
# The colours of the report, which can be told apart by people who are colour-blind.
_STYLE = """<style>
.callscore table { border-collapse: collapse; margin: .5em 0; }
.callscore th, .callscore td { text-align: left; vertical-align: top; padding: .2em .8em; }
.callscore td.mark { font-family: monospace; font-weight: bold; white-space: nowrap; }
.callscore td.call { font-family: monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.callscore .number { text-align: right; font-variant-numeric: tabular-nums; }
.callscore .big { font-size: 1.4em; font-weight: 600; }
.callscore .good, .callscore .bad, .callscore .missed, .callscore .extra, .callscore .forbidden
{ border-radius: .3em; padding: .1em .4em; }
.callscore .good { background: #d5efe7; color: #00513f; }
.callscore .bad { background: #fbe3d2; color: #7a2e00; }
.callscore .missed { background: #f3dcec; color: #6b1f55; }
.callscore .extra { background: #f7ebc8; color: #5c4100; }
.callscore .forbidden { background: #c8102e; color: #ffffff; font-weight: bold; }
.callscore small { opacity: .75; }
.callscore summary { cursor: pointer; }
</style>"""


def score_markup(score: Score) -> str:
    """A score: its numbers, the aligned calls with the reasons, and the three steps."""
    return _framed(_score_parts(hide_for_report(score, is_live=True)))


def results_markup(results: Results) -> str:
    """Results: the mean with its interval, the tools, and the cases that are not perfect."""
    return _framed(_results_parts(hide_for_report(results, is_live=True)))


def run_markup(run: RunResults) -> str:
    """A run: the verdict, the scorers, and the cases that did not pass."""
    return _framed(_run_parts(hide_for_report(run)))


def comparison_markup(comparison: Comparison) -> str:
    """A comparison: the verdict, both runs, and what broke and was fixed."""
    return _framed(_comparison_parts(hide_for_report(comparison)))


def _framed(parts: Iterator[str]) -> str:
    return f'{_STYLE}<div class="callscore">{"".join(parts)}</div>'


def _score_parts(score: Score) -> Iterator[str]:
    headline, rates = score_parts(score, "en")
    kind = "good" if score.passed else "bad"
    yield f'<p><span class="big {kind}">{markup(headline)}</span> {markup(rates)}</p>'
    yield f"<p>{markup(summary_line(score))}</p>"
    yield _calls_table(score)
    yield from [f"<p>{markup(note)}</p>" for note in assumed_notes(score.assumed_writes, "en")]
    steps = "\n".join(map(escape, explain(score).split("\n")))
    yield f"<details><summary>How the score is calculated</summary><pre>{markup_lines(steps)}</pre></details>"


def markup_lines(text: str) -> str:
    """Text of several lines as markup."""
    return "\n".join(map(markup, text.split("\n")))


def _calls_table(score: Score) -> str:
    rows = rows_of(score, "en")
    if not rows:
        return ""
    shown = [_row_markup(row, score) for row in rows[:_MOST_ROWS]]
    if len(rows) > _MOST_ROWS:
        shown.append(f'<tr><td></td><td colspan="2">… {len(rows) - _MOST_ROWS} more</td></tr>')
    head = '<th></th><th scope="col">Expected</th><th scope="col">Actual</th>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(shown)}</tbody></table>"


def _row_markup(row: Row, score: Score) -> str:
    kind, word = _CLASSES[row.mark], _WORDS[row.mark]
    mark = f'<td class="mark"><span class="{kind}">{row.mark} {word}</span></td>'
    left = _call_at(score.expected, row.expected_index)
    right = _call_at(score.actual, row.actual_index)
    reasons = [] if row.differences is UNSET else [each["reason"] for each in row.differences]
    reasons += [] if row.notes is UNSET else row.notes
    why = "".join([f"<br><small>{markup(reason)}</small>" for reason in reasons])
    return f'<tr>{mark}<td class="call">{left}</td><td class="call">{right}{why}</td></tr>'


def _call_at(calls: Sequence[ToolCall], position: object) -> str:
    if not isinstance(position, int):
        return ""
    call = calls[position]
    if is_state(call):
        title = say(END_STATE_TITLE, "en")
        return markup(f"{title}: {render_value(call.arguments, limit=_CALL_WIDTH)}")
    return markup(call_text(call, limit=_CALL_WIDTH))


def _results_parts(results: Results) -> Iterator[str]:
    summary = results.summary
    if not summary.cases:
        yield f"<p>{say(NOTHING_SCORED, 'en')}</p>"
        return
    verdict = score_verdict(results, "en")
    kind = {"good": "good", "bad": "bad"}.get(verdict.status, "")
    yield f'<p><span class="big {kind}">{markup(verdict.text)}</span></p>'
    mean = _mean_text(summary, is_failed=verdict.status == "bad")
    for text in (mean, *assumed_notes(summary.assumed_writes, "en")):
        yield f"<p>{markup(text)}</p>"
    yield _tools_table(summary)
    failing = [case for case in results.cases if not case.required_score.passed]
    yield from _case_parts(failing)
    if results.not_shown:
        noun = scored_noun(summary)
        yield f"<p>{markup(count_of(noun, results.not_shown, 'en'))} not shown</p>"


def _mean_text(summary: Summary, *, is_failed: bool) -> str:
    mean, interval = summary.macro_f1, summary.macro_f1_interval
    if mean is None:
        return ""
    spread = "" if interval is None else f" (95% interval {interval_text(interval)})"
    rating = shown_rating(summary, is_failed=is_failed)
    return f"Macro F1 {percent(mean)}{spread}{f', {rating}' if rating else ''}"


def _tools_table(summary: Summary) -> str:
    names = ("expected", "correct", "incorrect", "missed", "extra", "forbidden")
    rows = [
        (escape(tool_label(tool, "en")), *[getattr(counts, name) for name in names])
        for tool, counts in worst_tools(summary)[:_MOST_TOOLS]
    ]
    return table_markup(("tool", *names), rows)


def _case_parts(cases: Sequence[Result]) -> Iterator[str]:
    for case in cases[:_MOST_CASES]:
        title = f"{markup(case.label)} <small>{markup(summary_line(case.required_score))}</small>"
        yield f"<details><summary>{title}</summary>{_calls_table(case.required_score)}</details>"
    if len(cases) > _MOST_CASES:
        yield f"<p>… {len(cases) - _MOST_CASES} more</p>"


def _run_parts(run: RunResults) -> Iterator[str]:
    for text, status in verdict_parts(run, "en") if run.evaluations else ():
        yield f'<span class="big {status}">{markup(text)}</span> '
    if run.evaluations:
        yield f"<p>{markup(facts_line(run, 'en'))}</p>"
    rows = [
        (each.label, scorer.name, mean_text(scorer), f"{scorer.passed}/{scorer.scored}")
        for each in run.evaluations
        for scorer in each.scorers
    ]
    yield table_markup(("evaluation", "scorer", "mean", "passed"), rows)
    for each in run.evaluations:
        yield from _case_parts([case for case in each.results.cases if not case.passed])
        notes = assumed_notes(each.results.summary.assumed_writes, "en")
        yield from [f"<p>{markup(note)}</p>" for note in notes]
    yield from [f"<p>{markup(warning)}</p>" for warning in run.warnings]


def _comparison_parts(comparison: Comparison) -> Iterator[str]:
    kind = {"improved": "good", "regressed": "bad"}.get(comparison.verdict, "")
    verdict = say(VERDICTS[comparison.verdict], "en")
    yield f'<p><span class="big {kind}">{markup(verdict)}</span> {markup(change_line(comparison, "en"))}</p>'
    yield f"<p>{markup(certainty_line(comparison.main, 'en'))}</p>"
    sides = ((comparison.before, "before"), (comparison.after, "after"))
    yield table_markup((), [(name, ", ".join(side_parts(side, "en"))) for side, name in sides])
    for change, phrase in CHANGES.items():
        found = comparison.changed(change)
        if not found:
            continue
        rows = [
            (case.case, "; ".join(change_sentences(case, "en"))) for case in found[:_MOST_CASES]
        ]
        title = say(phrase, "en", cases=count_of(CASES, len(found), "en"))
        is_open = " open" if change == "broken" else ""
        yield f"<details{is_open}><summary>{markup(title)}</summary>{table_markup((), rows)}</details>"
