"""Reads a run as one side of a comparison: the outcome of each case, and no long texts."""

from __future__ import annotations

from collections import Counter
from math import fsum
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from callscore.comparing.sides import (
    CaseOutcome,
    EvaluationSide,
    Side,
    SideTotals,
    TrialOutcome,
)
from callscore.core.phrases import Note, Phrase
from callscore.core.score import SCHEMA_FAULTS, UNANSWERED, outcome_f1
from callscore.core.settings import DEFAULT
from callscore.core.summary import ToolOutcome
from callscore.history import queries, run_queries
from callscore.history.records import (
    COUNTS,
    clean_text,
    decode_score,
    digest_texts,
    settings_digest,
)
from callscore.history.run_metadata import READING_ARGUMENT, unreadable_records
from callscore.history.run_results import DecodeCache, unknown_variant
from callscore.history.saved_totals import saved_cases_of, saved_counts
from callscore.words.value_text import decimal, exact_decimal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from callscore.history.database import AnyConnection
    from callscore.history.records import RunRecord
    from callscore.history.run_queries import SavedRun

__all__ = ["run_side"]


BELOW_THRESHOLD = Phrase(
    "{scorer} {mean}, required ≥ {required}", "{scorer} {mean}, требуется ≥ {required}"
)
NO_MEAN = Phrase(
    "{scorer} has no value, required ≥ {required}",
    "{scorer}: нет значения, требуется ≥ {required}",
)


_tags = msgspec.json.Decoder(tuple[str, ...])


# The cases of each evaluation by the id of the case, by the number of the evaluation.
_Cases = dict[int, dict[str, CaseOutcome]]


_OUTCOME_COLUMNS = (
    *("evaluation", "case_id", "trial", "tags", "digests", "status", "passed", "f1", "score"),
    "failure",
)


def run_side(  # noqa: PLR0913  (the side, and how it is called)
    connection: AnyConnection,
    saved: SavedRun,
    run: RunRecord,
    label: str,
    variant: str | None = None,
    *,
    like: Side | None = None,
) -> Side:
    """A run, or one variant of it, as one side of a comparison.

    `label` is the name that the user typed. `like` is the other side: cases that are the same on both
    are in memory once.

    Raises:
        UnknownRun: the run has no such variant.
    """
    wanted = _of_variant(run_queries.side_evaluations(connection, saved), run, variant)
    rows = queries.result_rows(connection, saved, *_OUTCOME_COLUMNS)
    others = () if like is None else like.evaluations
    cases = _cases_by_evaluation(rows, {case.id: case for each in others for case in each.cases})
    return Side(
        label=label,
        run=run.id,
        command=run.command,
        started_at=run.started_at,
        git_commit=run.git_commit,
        git_dirty=run.git_dirty,
        is_finished=run.status == "finished",
        unreadable=unreadable_records(run),
        saved_cases=saved_cases_of(run),
        evaluations=tuple(
            [_evaluation_side(row, run, cases.get(row.number, {})) for row in wanted]
        ),
    )


def _of_variant(rows: Sequence[Any], run: RunRecord, variant: str | None) -> Sequence[Any]:
    if variant is None:
        return rows
    found = [row for row in rows if row.variant == clean_text(variant)]
    if found:
        return found
    raise unknown_variant(run.id, variant, [row.variant for row in rows])


def _cases_by_evaluation(rows: Iterable[Any], known: Mapping[str, CaseOutcome]) -> _Cases:
    """The cases of each evaluation, in the order of the rows; `known` are cases of the other side."""
    cases: _Cases = {}
    repeated: dict[tuple[int, str], list[tuple[int, TrialOutcome]]] = {}
    tags, scores = DecodeCache(_tags.decode), DecodeCache(_decode_score)
    for row in rows:
        evaluation, case_id, trial, tag_text, digests, status, passed, f1, score, failure = row
        values, forbidden, faults, tools = scores[score] if score else _NO_SCORE
        expectation, asked, calls = digest_texts(digests)
        outcome = TrialOutcome(
            status=status,
            passed=None if passed is None else bool(passed),
            f1=f1,
            values=values,
            forbidden=forbidden,
            faults=faults,
            tools=tools,
            calls=calls,
            failure=failure or "",
        )
        of_evaluation = cases.setdefault(evaluation, {})
        if case_id not in of_evaluation:
            found = CaseOutcome(
                id=case_id,
                trials=(outcome,),
                tags=tags[tag_text] if tag_text else (),
                expectation=expectation,
                asked=asked,
            )
            other = known.get(case_id)
            of_evaluation[case_id] = other if other is not None and other == found else found
            if trial > 1:
                repeated[evaluation, case_id] = [(trial, outcome)]
        else:
            first = (1, of_evaluation[case_id].trials[0])
            repeated.setdefault((evaluation, case_id), [first]).append((trial, outcome))
    for (evaluation, case_id), trials in repeated.items():
        trials.sort(key=itemgetter(0))
        in_order = tuple([outcome for _, outcome in trials])
        of_evaluation = cases[evaluation]
        of_evaluation[case_id] = replace(of_evaluation[case_id], trials=in_order)
    return cases


# The values of the scorers, the numbers of forbidden calls and of schema errors, and the counts by tool.
_Score = tuple[tuple[tuple[str, float | None], ...], int, int | None, dict[str, ToolOutcome] | None]
_NO_SCORE: _Score = ((), 0, None, None)


def _decode_score(text: str) -> _Score:
    found = decode_score(text)
    values = tuple([(name, value) for name, value, *_ in found.values])
    forbidden = dict(zip(COUNTS, found.counts, strict=False)).get("forbidden", 0)
    return values, forbidden, found.faults, found.tools


_DIGEST_SHOWN = 8  # of the definitions of the tools, to tell that they differ


def _evaluation_side(row: Any, run: RunRecord, cases: dict[str, CaseOutcome]) -> EvaluationSide:
    summary = _decode_json(row.summary, {})
    settings, scorers = _decode_json(row.settings, {}), _decode_json(row.scorers, ())
    required = _required_means(summary)
    return EvaluationSide(
        name=row.name,
        place=row.place,
        variant=row.variant,
        cases=tuple(cases.values()),
        settings=settings_digest(settings, scorers),
        options={
            **settings,
            **(run.arguments.get(READING_ARGUMENT) or {}),
            "scorers": list(scorers),
            "fail_under": required,
            "tools": row.tools.hex()[:_DIGEST_SHOWN] if row.tools else None,
        },
        number=row.number,
        below=tuple(_missed_means(summary)),
        required=required,
        totals=_side_totals(summary, settings.get("pass_mark")),
    )


def _side_totals(summary: dict[str, Any], pass_mark: Any) -> SideTotals | None:
    """The totals of all cases, if not every case is saved; else None."""
    totals = saved_counts(summary)
    if totals is None:
        return None
    mark = pass_mark if isinstance(pass_mark, int | float) else DEFAULT.pass_mark
    counts = replace(totals.summary, pass_mark=mark)
    not_scored = totals.not_scored.count
    shares, scores = Counter[float](), Counter[float]()
    cases = trials = passed = errors = 0
    for outcomes, times in counts.case_kinds():
        size, passing = sum(outcomes.values()), counts.passed_among(outcomes)
        total = fsum(outcome_f1(outcome) * each for outcome, each in outcomes.items())
        shares[passing / size] += times
        scores[total / size] += times
        cases += times
        trials += size * times
        passed += passing * times
        errors += outcomes.get(UNANSWERED, 0) * times
    faults = [times for (_, kind), times in counts.faults.items() if kind in SCHEMA_FAULTS]
    return SideTotals(
        cases=cases + not_scored,
        trials=trials + not_scored,
        is_repeated=trials > cases,
        passed=passed,
        failed=trials - passed - errors,
        errors=errors,
        shares=dict(shares),
        scores=dict(scores),
        forbidden={tool: each.forbidden for tool, each in counts.tools.items() if each.forbidden},
        faults=sum(faults) if counts.checked_cases else None,
    )


def _decode_json(text: str | None, nothing: Any) -> Any:
    return nothing if text is None else msgspec.json.decode(text)


def _required_means(summary: dict[str, Any]) -> dict[str, float]:
    """Scorer -> `fail_under`; imported runs may contain anything."""
    means = {each.get("name"): each.get("fail_under") for each in summary.get("scorers") or ()}
    return {str(name): mean for name, mean in means.items() if isinstance(mean, int | float)}


def _missed_means(summary: dict[str, Any]) -> Iterator[Note]:
    """The scorers below `fail_under` of a finished evaluation."""
    for scorer in summary.get("scorers") or ():
        mean, fail_under = scorer.get("mean"), scorer.get("fail_under")
        if fail_under is None or (mean is not None and mean >= fail_under):
            continue
        values = {"scorer": scorer.get("name"), "required": exact_decimal(fail_under)}
        yield (
            Note(NO_MEAN, values)
            if mean is None
            else Note(BELOW_THRESHOLD, values | {"mean": decimal(mean, border=fail_under)})
        )
