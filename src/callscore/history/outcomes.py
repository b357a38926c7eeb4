"""What a run brings to a comparison, read in one go and without the long texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import bindparam, select

from callscore.comparing.sides import CaseOutcome, EvaluationSide, Side, TrialOutcome
from callscore.core.nearest import meant_by
from callscore.core.phrase import Note, Phrase
from callscore.core.wording import decimal
from callscore.errors import UnknownRun
from callscore.history.digests import settings_digest
from callscore.history.packing import clean_text
from callscore.history.statements import prepared
from callscore.history.tables import evaluations, results

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from callscore.history.records import RunRecord

__all__ = ["BELOW", "NO_MEAN", "OUTCOMES", "side_of"]

BELOW = Phrase("{scorer} {mean} is below {threshold}", "{scorer} {mean} ниже порога {threshold}")
NO_MEAN = Phrase(
    "{scorer} has no number, and should reach {threshold}",
    "{scorer}: нет ни одной оценки, порог {threshold}",
)

_EVALUATIONS = (
    select(
        evaluations.c.number,
        evaluations.c.name,
        evaluations.c.variant,
        evaluations.c.place,
        evaluations.c.settings,
        evaluations.c.scorers,
        evaluations.c.summary,
    )
    .where(evaluations.c.run == bindparam("run"))
    .order_by(evaluations.c.number)
)

# The columns that a comparison reads, and no other: no text of a case or of an answer.
OUTCOMES = (
    select(
        results.c.evaluation,
        results.c.case_id,
        results.c.trial,
        results.c.tags,
        results.c.expectation,
        results.c.asked,
        results.c.status,
        results.c.passed,
        results.c.f1,
        results.c.scores,
        results.c.forbidden,
        results.c.faults,
        results.c.tools,
        results.c.made,
        results.c.failure,
    )
    .where(results.c.run == bindparam("run"))
    .order_by(results.c.number)
)


class _Value(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """What a scorer says; the reasons that follow are passed over."""

    name: str
    value: float | None


_values = msgspec.json.Decoder(tuple[_Value, ...])
_tags = msgspec.json.Decoder(tuple[str, ...])
_tools = msgspec.json.Decoder(dict[str, tuple[int, int, int, int, int]])


# The cases of each evaluation by the id of the case, by the number of the evaluation.
_Cases = dict[int, dict[str, CaseOutcome]]


def side_of(
    connection: Connection, number: int, run: RunRecord, label: str, variant: str | None = None
) -> Side:
    """What a run brings to a comparison.

    Args:
        connection: where it is kept.
        number: the number of its row.
        run: the run.
        label: what somebody called it.
        variant: the variant whose evaluations are meant; None for all of them.

    Raises:
        UnknownRun: the run has no such variant.
    """
    wanted = _wanted(prepared(connection, _EVALUATIONS, {"run": number}).all(), run, variant)
    # All at once, and as the driver gives them: a row of many columns costs more than its values.
    cases = _gathered(prepared(connection, OUTCOMES, {"run": number}).cursor.fetchall())
    return Side(
        label=label,
        run=run.id,
        command=run.command,
        started_at=run.started_at,
        git_commit=run.git_commit,
        git_dirty=run.git_dirty,
        is_finished=run.status == "finished",
        evaluations=tuple([_evaluation(row, cases.get(row.number, {})) for row in wanted]),
    )


def _wanted(rows: Sequence[Any], run: RunRecord, variant: str | None) -> Sequence[Any]:
    if variant is None:
        return rows
    found = [row for row in rows if row.variant == clean_text(variant)]
    if found:
        return found
    known = list(dict.fromkeys([row.variant for row in rows if row.variant is not None]))
    if not known:
        raise UnknownRun(f"the run {run.id} has no variant {variant!r}: it has no variants at all")
    raise UnknownRun(
        f"the run {run.id} has no variant {variant!r}; it has {', '.join(known)}"
        f"{meant_by(variant, known)}"
    )


def _gathered(rows: Sequence[Any]) -> _Cases:
    """The cases of each evaluation, in the order they were first written."""
    cases: _Cases = {}
    repeated: dict[tuple[int, str], list[tuple[int, TrialOutcome]]] = {}
    # Most cases have the same few tags, values and tools.
    tags, values, tools = (_Remembered(read) for read in (_tags.decode, _values_of, _tools.decode))
    for row in rows:
        evaluation, case_id, trial, tag_text, expectation, asked = row[:6]
        status, passed, f1, scores, forbidden, faults, by_tool, made, failure = row[6:]
        outcome = TrialOutcome(
            status=status,
            passed=None if passed is None else bool(passed),
            f1=f1,
            values=values[scores] if scores else (),
            forbidden=forbidden or 0,
            faults=faults,
            tools=tools[by_tool] if by_tool else None,
            calls=made.hex() if made else "",
            failure=failure or "",
        )
        of_evaluation = cases.setdefault(evaluation, {})
        if case_id not in of_evaluation:
            of_evaluation[case_id] = CaseOutcome(
                id=case_id,
                trials=(outcome,),
                tags=tags[tag_text] if tag_text else (),
                expectation=expectation.hex() if expectation else "",
                asked=asked.hex() if asked else "",
            )
            if trial > 1:
                repeated[evaluation, case_id] = [(trial, outcome)]
        else:
            first = (1, of_evaluation[case_id].trials[0])
            repeated.setdefault((evaluation, case_id), [first]).append((trial, outcome))
    for (evaluation, case_id), trials in repeated.items():
        trials.sort(key=_trial)
        in_order = tuple([outcome for _, outcome in trials])
        of_evaluation = cases[evaluation]
        of_evaluation[case_id] = replace(of_evaluation[case_id], trials=in_order)
    return cases


class _Remembered(dict[str, Any]):
    """What texts say, each read once."""

    def __init__(self, read: Any) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, text: str) -> Any:
        found = self[text] = self._read(text)
        return found


def _values_of(scores: str) -> tuple[tuple[str, float | None], ...]:
    return tuple([(each.name, each.value) for each in _values.decode(scores)])


def _evaluation(row: Any, cases: dict[str, CaseOutcome]) -> EvaluationSide:
    return EvaluationSide(
        name=row.name,
        place=row.place,
        variant=row.variant,
        cases=tuple(cases.values()),
        settings=settings_digest(_read(row.settings, {}), _read(row.scorers, ())),
        below=tuple(_below(_read(row.summary, {}))),
    )


def _trial(entry: tuple[int, TrialOutcome]) -> int:
    return entry[0]


def _read(text: str | None, nothing: Any) -> Any:
    return nothing if text is None else msgspec.json.decode(text)


def _below(summary: dict[str, Any]) -> Iterator[Note]:
    """The thresholds that an evaluation misses, which a run says only when it has come to its end."""
    for scorer in summary.get("scorers") or ():
        mean, threshold = scorer.get("mean"), scorer.get("threshold")
        if threshold is None or (mean is not None and mean >= threshold):
            continue
        told = {"scorer": scorer.get("name"), "threshold": decimal(threshold)}
        yield Note(NO_MEAN, told) if mean is None else Note(BELOW, told | {"mean": decimal(mean)})
