"""Finds a case of a run by what somebody calls it, with all that was kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.kept_case import KeptCase
from callscore.core.model import Case
from callscore.core.nearest import meant_by
from callscore.core.run import Answer, Failure, KeptScore, Result, failure_kind
from callscore.errors import UnknownRun
from callscore.evaluations.keywords import keyword_filter
from callscore.evaluations.places import file_of
from callscore.history.light_results import light_results
from callscore.runner.kept_evaluations import kept_evaluations, label_of
from callscore.runner.kept_scores import KeptScores, kept_calls

if TYPE_CHECKING:
    from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
    from callscore.history.store import Store

__all__ = ["kept_cases"]

_BETWEEN = "::"
_NAMED = 5


def kept_cases(
    store: Store, run: RunRecord, reference: str, keyword: str = "", variant: str | None = None
) -> list[KeptCase]:
    """A case of a run, in each evaluation that has it.

    Args:
        store: the history.
        run: the run.
        reference: the id of the case, or `evaluation::id`.
        keyword: which evaluations, by words; all where it is empty.
        variant: which variant; None for all of them.

    Raises:
        InvalidSettings: the keyword is no such expression.
        UnknownRun: the run has no such case, or no such variant.
        UnusableStore: the history cannot be read.
    """
    evaluations = {record.number: record for record in kept_evaluations(store, run, variant)}
    fits = keyword_filter(keyword)
    grouped: dict[int, list[ResultRecord]] = {}
    for result in _results(store, run, reference, evaluations):
        record = evaluations[result.evaluation]
        if fits((record.name, record.variant or "", result.case)):
            grouped.setdefault(result.evaluation, []).append(result)
    if not grouped:
        raise UnknownRun(_unknown(store, run, reference))
    scores = KeptScores(store, evaluations.values())
    return [
        _case(evaluations[number], grouped[number], scores, run.id) for number in sorted(grouped)
    ]


def _results(
    store: Store, run: RunRecord, reference: str, evaluations: dict[int, EvaluationRecord]
) -> list[ResultRecord]:
    """The results of the case; of one evaluation, where its name, its label or its place stands in front."""
    found = [one for one in store.result(run.id, reference) if one.evaluation in evaluations]
    parts = reference.split(_BETWEEN)
    for end in range(1, len(parts)):
        if found:
            break
        only, case = _BETWEEN.join(parts[:end]), _BETWEEN.join(parts[end:])
        found = [
            one
            for one in store.result(run.id, case)
            if one.evaluation in evaluations and only in _names(evaluations[one.evaluation])
        ]
    return found


def _names(record: EvaluationRecord) -> tuple[str, ...]:
    return record.name, label_of(record), record.place


def _unknown(store: Store, run: RunRecord, reference: str) -> str:
    names = list(dict.fromkeys([row.result.case.id for row in light_results(store, run.id)]))
    shown = ", ".join([*names[:_NAMED], *(["..."] if len(names) > _NAMED else [])])
    has = f"; it has {shown}" if names else ": it has none"
    return f"the run {run.id} has no such case {reference!r}{has}{meant_by(reference, names)}"


def _case(
    record: EvaluationRecord, results: list[ResultRecord], scores: KeptScores, run: str
) -> KeptCase:
    results = sorted(results, key=lambda result: result.trial)
    payload = results[0].payload
    tags = payload.get("tags")
    expected = payload.get("expected")
    return KeptCase(
        run=run,
        evaluation=label_of(record),
        place=file_of(record.place),
        id=results[0].case,
        tags=tuple([str(tag) for tag in tags]) if isinstance(tags, list) else (),
        input=payload.get("input"),
        expected=expected if isinstance(expected, list) else None,
        metadata=payload.get("metadata"),
        at_least=scores.settings_of(record.number).at_least,
        trials=tuple([_trial(result, scores) for result in results]),
    )


def _trial(record: ResultRecord, scores: KeptScores) -> Result:
    """A result with all that was kept of it."""
    kind, problem = record.failure or ("", "")
    failure = Failure(
        case=record.case,
        kind=failure_kind(kind),
        problem=problem,
        trial=record.trial,
        attempts=record.attempts,
    )
    return Result(
        case=Case(id=record.case, trial=record.trial, actual=kept_calls(record)),
        status=record.status,
        answer=Answer(
            document=record.answer,
            seconds=record.seconds,
            usage=record.usage,
            attempts=record.attempts,
            is_reused=record.is_reused,
        ),
        score=scores.score_of(record),
        values=record.values,
        passed=record.passed,
        failure=failure if kind else None,
        kept=KeptScore(
            f1=record.f1, counts=record.counts, tools=record.tools, comparison=record.comparison
        ),
    )
