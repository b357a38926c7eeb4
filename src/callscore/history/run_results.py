"""Reads the results of one run: without long texts, in full, or as one side of a comparison."""

from __future__ import annotations

from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from callscore.comparing.sides import CaseOutcome, EvaluationSide, Side, TrialOutcome
from callscore.core.case import Case
from callscore.core.phrases import Note, Phrase
from callscore.core.results import (
    Answer,
    Failure,
    MetricValue,
    Result,
    SavedScore,
    Usage,
    failure_kind,
)
from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import UnknownRun
from callscore.history import queries, run_queries
from callscore.history.database import with_retries
from callscore.history.records import (
    COUNTS,
    ResultRecord,
    clean_text,
    decode_tools,
    settings_digest,
    unpack,
)
from callscore.history.run_metadata import unreadable_records
from callscore.words.value_text import decimal, exact_decimal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from callscore.history.database import AnyConnection
    from callscore.history.records import RunRecord
    from callscore.history.run_queries import SavedRun
    from callscore.history.store import Store

__all__ = [
    "LightRow",
    "full_results",
    "light_results",
    "records_of_cases",
    "run_side",
    "unknown_variant",
]


class _DecodeCache(dict[Any, Any]):
    """Decoded columns: most rows have the same few texts, and each is decoded once."""

    def __init__(self, decode: Callable[[Any], Any]) -> None:
        super().__init__()
        self._decode = decode

    def __missing__(self, stored: Any) -> Any:
        found = self[stored] = self._decode(stored)
        return found


class LightRow(NamedTuple):
    """A result without its long texts, and its row.

    Attributes:
        run: the number of the row of the run.
        number: the number of its own row.
        evaluation: the number of the evaluation in the run.
        result: the result; its case has a trial number if the evaluation has several trials.
        payload: the digest of its case; None without one.
        calls: the digest of its calls; None without any.
    """

    run: int
    number: int
    evaluation: int
    result: Result
    payload: bytes | None
    calls: bytes | None


_light_columns = queries.result_columns(
    *("run", "number", "evaluation", "case_id", "trial", "status", "passed", "seconds"),
    *("requests", "input_tokens", "output_tokens", "attempts", "is_reused", "payload", "calls"),
    *("failure_kind", "failure", "scores", "tools", *COUNTS),
)


@with_retries
def light_results(
    store: Store, run: str, is_wanted: Callable[[int, str], bool] | None = None
) -> list[LightRow]:
    """The results of a run, in the order of its cases.

    `is_wanted` filters by the number of the evaluation and the id of the case.
    """
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        rows = queries.result_rows(connection, saved)
        if is_wanted is not None:
            key_of = queries.result_columns("evaluation", "case_id")
            rows = [row for row in rows if is_wanted(*key_of(row))]
        light = list(map(_light_columns, rows))
        repeated = {row[2] for row in light if row[4] > 1}
        caches = _DecodeCache(_decode_values), _DecodeCache(_decode_score)
        return [_light_row(row, caches, has_trials=row[2] in repeated) for row in light]


def _light_row(
    row: Sequence[Any], caches: tuple[_DecodeCache, _DecodeCache], *, has_trials: bool
) -> LightRow:
    run, number, evaluation, case, trial, status, passed, seconds, *rest = row
    requests, input_tokens, output_tokens, attempts, is_reused, *others = rest
    payload, calls, kind, problem, scores, *kept = others
    values, kept_scores = caches
    trial = trial if has_trials else None
    failure = None
    if status == "error":
        failure = Failure(
            case=case,
            kind=failure_kind(kind or ""),
            problem=problem or "",
            trial=trial,
            attempts=attempts,
        )
    result = Result(
        case=Case(id=case, trial=trial),
        status=status,
        answer=Answer(
            seconds=seconds,
            usage=Usage(requests, input_tokens, output_tokens),
            attempts=attempts,
            is_reused=bool(is_reused),
        ),
        values=values[scores] if scores else (),
        passed=None if passed is None else bool(passed),
        failure=failure,
        saved=kept_scores[tuple(kept)],
    )
    return LightRow(run, number, evaluation, result, payload, calls)


def _decode_values(scores: str) -> tuple[MetricValue, ...]:
    return tuple([MetricValue(*each) for each in msgspec.json.decode(scores)])


def _decode_score(columns: tuple[Any, ...]) -> SavedScore:
    tools, *counts = columns
    return SavedScore(
        counts=() if counts[0] is None else tuple(counts),
        tools=None if tools is None else decode_tools(tools),
    )


@with_retries
def full_results(store: Store, run: str, wanted: Sequence[LightRow]) -> dict[int, ResultRecord]:
    """Some results of a run with their cases and calls, by their row numbers.

    The rows were verified, with the digests of their texts. Answers are not read.
    """
    digests = {digest for row in wanted for digest in (row.payload, row.calls) if digest}
    with store.reading() as connection:
        run_queries.saved_run(connection, run)
        bodies = queries.payload_bodies(connection, sorted(digests))
        return {row.number: _full_result(row, run, bodies) for row in wanted}


def _full_result(row: LightRow, run: str, bodies: Mapping[bytes, bytes]) -> ResultRecord:
    case, payload, calls = row.result.case, row.payload, row.calls
    return ResultRecord(
        run=run,
        evaluation=row.evaluation,
        case=case.id or "",
        status=row.result.status,
        payload=unpack(bodies.get(payload or b""), payload) or {},
        calls=unpack(bodies.get(calls or b""), calls),
        counts=() if row.result.saved is None else row.result.saved.counts,
        passed=row.result.passed,
        values=row.result.values,
    )


BELOW_THRESHOLD = Phrase(
    "{scorer} {mean}, required ≥ {required}", "{scorer} {mean}, требуется ≥ {required}"
)
NO_MEAN = Phrase(
    "{scorer} has no value, required ≥ {required}",
    "{scorer}: нет значения, требуется ≥ {required}",
)


class _ScorerValue(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A value of a scorer, without its reason."""

    name: str
    value: float | None


_values = msgspec.json.Decoder(tuple[_ScorerValue, ...])
_tags = msgspec.json.Decoder(tuple[str, ...])


# The cases of each evaluation by the id of the case, by the number of the evaluation.
_Cases = dict[int, dict[str, CaseOutcome]]


_outcome_columns = queries.result_columns(
    *("evaluation", "case_id", "trial", "tags", "expectation", "asked", "status", "passed", "f1"),
    *("scores", "forbidden", "faults", "tools", "made", "failure"),
)


def run_side(
    connection: AnyConnection,
    saved: SavedRun,
    run: RunRecord,
    label: str,
    variant: str | None = None,
) -> Side:
    """A run, or one variant of it, as one side of a comparison.

    `label` is the name that the user typed.

    Raises:
        UnknownRun: the run has no such variant.
    """
    wanted = _of_variant(run_queries.side_evaluations(connection, saved), run, variant)
    rows = queries.result_rows(connection, saved)
    cases = _cases_by_evaluation(list(map(_outcome_columns, rows)))
    return Side(
        label=label,
        run=run.id,
        command=run.command,
        started_at=run.started_at,
        git_commit=run.git_commit,
        git_dirty=run.git_dirty,
        is_finished=run.status == "finished",
        unreadable=unreadable_records(run),
        evaluations=tuple([_evaluation_side(row, cases.get(row.number, {})) for row in wanted]),
    )


_case_columns = queries.result_columns("number", "evaluation", "case_id")


def records_of_cases(
    connection: AnyConnection, saved: SavedRun, cases: Iterable[str]
) -> dict[tuple[int, str], list[ResultRecord]]:
    """The trials of some cases of a run, by the number of the evaluation and the id."""
    names = set(map(clean_text, cases))
    wanted: dict[tuple[int, str], list[int]] = {}
    for number, evaluation, case in map(_case_columns, queries.result_rows(connection, saved)):
        if case in names:
            wanted.setdefault((evaluation, case), []).append(number)
    found = queries.results_by_number(
        connection, saved, [number for numbers in wanted.values() for number in numbers]
    )
    return {
        key: sorted([found[number] for number in numbers], key=attrgetter("trial"))
        for key, numbers in wanted.items()
    }


def _of_variant(rows: Sequence[Any], run: RunRecord, variant: str | None) -> Sequence[Any]:
    if variant is None:
        return rows
    found = [row for row in rows if row.variant == clean_text(variant)]
    if found:
        return found
    raise unknown_variant(run.id, variant, [row.variant for row in rows])


def unknown_variant(run: str, variant: str, variants: Iterable[str | None]) -> UnknownRun:
    """The error that a run has no variant of this name, with the variants that it has."""
    known = list(dict.fromkeys([each for each in variants if each is not None]))
    if not known:
        return UnknownRun(f"run {run} has no variant {variant!r}: it has no variants")
    hint = suggestion_or_choices(variant, known)
    return UnknownRun(f"run {run} has no variant {variant!r}{hint}")


def _cases_by_evaluation(rows: Sequence[Any]) -> _Cases:
    """The cases of each evaluation, in the order of the rows."""
    cases: _Cases = {}
    repeated: dict[tuple[int, str], list[tuple[int, TrialOutcome]]] = {}
    tags, values = _DecodeCache(_tags.decode), _DecodeCache(_decode_pairs)
    tools = _DecodeCache(decode_tools)
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
        trials.sort(key=itemgetter(0))
        in_order = tuple([outcome for _, outcome in trials])
        of_evaluation = cases[evaluation]
        of_evaluation[case_id] = replace(of_evaluation[case_id], trials=in_order)
    return cases


def _decode_pairs(scores: str) -> tuple[tuple[str, float | None], ...]:
    return tuple([(each.name, each.value) for each in _values.decode(scores)])


_DIGEST_SHOWN = 8  # of the definitions of the tools, to tell that they differ


def _evaluation_side(row: Any, cases: dict[str, CaseOutcome]) -> EvaluationSide:
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
            "scorers": list(scorers),
            "fail_under": required,
            "tools": row.tools.hex()[:_DIGEST_SHOWN] if row.tools else None,
        },
        number=row.number,
        below=tuple(_missed_means(summary)),
        required=required,
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
