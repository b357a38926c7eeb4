"""Reads the results of one run: without long texts, or in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.case import Case
from callscore.core.results import (
    Answer,
    Failure,
    MetricValue,
    Result,
    ScoreCounts,
    failure_kind,
)
from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import UnknownRun
from callscore.history import queries, run_queries
from callscore.history.database import with_retries
from callscore.history.records import (
    ResultRecord,
    decode_score,
    decode_usage,
    unpack,
)

if TYPE_CHECKING:
    from callscore.history.run_queries import SavedRun
    from callscore.history.store import Store

# Decoded texts that are kept; with more, they are forgotten.
_MAX_DECODED = 10_000


class DecodeCache(dict[Any, Any]):
    """Decoded columns: most rows have the same few texts, and each is decoded once."""

    def __init__(self, decode: Callable[[Any], Any]) -> None:
        super().__init__()
        self._decode = decode

    def __missing__(self, stored: Any) -> Any:
        if len(self) >= _MAX_DECODED:
            self.clear()
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
        comparison: the digest of its score; None without one.
    """

    run: int
    number: int
    evaluation: int
    result: Result
    payload: bytes | None
    calls: bytes | None
    comparison: bytes | None


_LIGHT_COLUMNS = (
    *("run", "number", "evaluation", "case_id", "trial", "status", "passed", "seconds", "usage"),
    *("is_reused", "payload", "calls", "comparison", "failure_kind", "failure", "score"),
)


def light_results(
    store: Store, run: str, is_wanted: Callable[[int, str], bool] | None = None
) -> Iterator[LightRow]:
    """The results of a run, in the order of its cases; some are read at a time.

    `is_wanted` filters by the number of the evaluation and the id of the case.
    """
    saved, numbers, highest = _numbers_and_trials(store, run)
    caches = DecodeCache(decode_usage), DecodeCache(_decode_score)

    def row_of(row: Sequence[Any]) -> LightRow:
        return _light_row(row, caches, has_trials=highest[row[2]] > 1)

    for start in range(0, len(numbers), _PAGE):
        yield from _light_page(store, saved, numbers[start : start + _PAGE], is_wanted, row_of)


# Results that are read in one transaction.
_PAGE = 2_000


@with_retries
def _numbers_and_trials(store: Store, run: str) -> tuple[SavedRun, Sequence[int], dict[int, int]]:
    """A run, the row numbers of its results in order, and the highest trial of each evaluation."""
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        numbers = queries.numbers_in_order(connection, saved)
        return saved, numbers, queries.highest_trials(connection, saved)


@with_retries
def _light_page(
    store: Store,
    run: SavedRun,
    numbers: Sequence[int],
    is_wanted: Callable[[int, str], bool] | None,
    row_of: Callable[[Sequence[Any]], LightRow],
) -> list[LightRow]:
    with store.reading() as connection:
        run_queries.same_run(connection, run.id, run.number)
        rows = queries.rows_of_numbers(connection, run, numbers, _LIGHT_COLUMNS)
        # Decoded while reading, which reports what is damaged.
        return [row_of(row) for row in rows if is_wanted is None or is_wanted(row[2], row[3])]


def _light_row(
    row: Sequence[Any], caches: tuple[DecodeCache, DecodeCache], *, has_trials: bool
) -> LightRow:
    run, number, evaluation, case, trial, status, passed, seconds, usage_text, *others = row
    is_reused, *digests, kind, problem, score_text = others
    usages, scores = caches
    usage, (values, saved) = usages[usage_text], scores[score_text]
    trial = trial if has_trials else None
    failure = None
    if status == "error":
        failure = Failure(
            case=case,
            kind=failure_kind(kind or ""),
            problem=problem or "",
            trial=trial,
            attempts=usage.attempts,
        )
    result = Result(
        case=Case(id=case, trial=trial),
        status=status,
        answer=Answer(
            seconds=seconds,
            usage=usage.usage(),
            attempts=usage.attempts,
            is_reused=bool(is_reused),
        ),
        values=values,
        passed=None if passed is None else bool(passed),
        failure=failure,
        saved=saved,
    )
    return LightRow(run, number, evaluation, result, *digests)


def _decode_score(text: str | None) -> tuple[tuple[MetricValue, ...], ScoreCounts]:
    found = ScoreCounts() if text is None else decode_score(text)
    return found.metric_values(), found


@with_retries
def full_results(store: Store, run: str, wanted: Sequence[LightRow]) -> dict[int, ResultRecord]:
    """Some results of a run with their cases and calls, by their row numbers.

    Answers are not read.
    """
    digests = {
        digest for row in wanted for digest in (row.payload, row.calls, row.comparison) if digest
    }
    with store.reading() as connection:
        for number in {row.run for row in wanted}:
            run_queries.same_run(connection, run, number)
        bodies = queries.payload_bodies(connection, sorted(digests))
        return {row.number: _full_result(row, run, bodies) for row in wanted}


def _full_result(row: LightRow, run: str, bodies: Mapping[bytes, bytes]) -> ResultRecord:
    case, payload, calls, compared = row.result.case, row.payload, row.calls, row.comparison
    return ResultRecord(
        run=run,
        evaluation=row.evaluation,
        case=case.id or "",
        status=row.result.status,
        payload=unpack(bodies.get(payload or b""), payload) or {},
        calls=unpack(bodies.get(calls or b""), calls),
        comparison=unpack(bodies.get(compared or b""), compared),
        counts=() if row.result.saved is None else row.result.saved.counts,
        passed=row.result.passed,
        values=row.result.values,
    )


@with_retries
def result_numbers(store: Store, run: str) -> list[tuple[int, int, str, int]]:
    """The row numbers of the results of a run, each with the evaluation, the case and the trial.

    They are in the order of the cases. `numbered_results` reads some of these.
    """
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        columns = ("number", "evaluation", "case_id", "trial")
        return list(queries.result_rows(connection, saved, *columns))


@with_retries
def numbered_results(store: Store, run: str, numbers: Sequence[int]) -> dict[int, ResultRecord]:
    """Some results of a run with everything that is stored, by their row numbers."""
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        return queries.results_by_number(connection, saved, numbers)


def unknown_variant(run: str, variant: str, variants: Iterable[str | None]) -> UnknownRun:
    """The error that a run has no variant of this name, with the variants that it has."""
    known = list(dict.fromkeys([each for each in variants if each is not None]))
    if not known:
        return UnknownRun(f"run {run} has no variant {variant!r}: it has no variants")
    hint = suggestion_or_choices(variant, known)
    return UnknownRun(f"run {run} has no variant {variant!r}{hint}")
