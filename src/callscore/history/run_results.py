"""Reads the results of one run: without long texts, or in full."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import UnknownRun
from callscore.history import queries, run_queries
from callscore.history.database import with_retries

if TYPE_CHECKING:
    from callscore.history.records import ResultRecord
    from callscore.history.run_queries import SavedRun
    from callscore.history.store import Store

# Results that are read in one transaction.
_PAGE = 2_000
_WHOLE_PAGE = 200


def light_results(store: Store, run: str) -> Iterator[tuple[int, ResultRecord]]:
    """The results of a run in the order of its cases, each with the number of its row.

    They are without answers and calls, and of their cases they have the ids and tags.
    """
    return _read_in_pages(store, *_run_and_numbers(store, run), _PAGE, is_light=True)


def whole_results(store: Store, run: str, evaluation: int | None) -> Iterator[ResultRecord]:
    """The results of a run, or of one of its evaluations, in the order of its cases."""
    # Before the first page: what is read may be written elsewhere at once.
    saved, numbers = _run_and_numbers(store, run)
    found = _read_in_pages(store, saved, numbers, _WHOLE_PAGE, is_light=False)
    return (record for _, record in found if evaluation in (None, record.evaluation))


@with_retries
def _run_and_numbers(store: Store, run: str) -> tuple[SavedRun, Sequence[int]]:
    """A run, and the row numbers of its results in the order of its cases."""
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        rows = queries.result_rows(connection, saved, "number")
        return saved, array("q", (number for (number,) in rows))


def _read_in_pages(
    store: Store, run: SavedRun, numbers: Sequence[int], size: int, *, is_light: bool
) -> Iterator[tuple[int, ResultRecord]]:
    """The results in the rows of these numbers, read page by page."""
    for start in range(0, len(numbers), size):
        some = numbers[start : start + size]
        found = _page(store, run, some, is_light=is_light)
        yield from [(number, found[number]) for number in some]


@with_retries
def _page(
    store: Store, run: SavedRun, numbers: Sequence[int], *, is_light: bool
) -> dict[int, ResultRecord]:
    with store.reading() as connection:
        same = run_queries.saved_run(connection, run.id, run.number)
        return queries.results_by_number(connection, same, numbers, is_light=is_light)


@with_retries
def numbered_results(store: Store, run: str, numbers: Sequence[int]) -> dict[int, ResultRecord]:
    """Some results of a run by their row numbers, with everything that is stored."""
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        return queries.results_by_number(connection, saved, numbers)


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
def results_after(store: Store, run: str, number: int) -> list[tuple[int, ResultRecord]]:
    """The next results of a run whose rows come after the row of this number, or after -1."""
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        return queries.light_results_where(connection, saved, "number > ?", number, limit=_PAGE)


@with_retries
def results_since(store: Store, run: str, moment: float) -> list[tuple[int, ResultRecord]]:
    """The first results that were written since a moment, in seconds since 1970.

    A run that goes on asks again after an error, and replaces the result in its row. All rows of the
    run are searched.
    """
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        return queries.light_results_where(
            connection, saved, "finished_at >= ?", moment, limit=_PAGE
        )


def unknown_variant(run: str, variant: str, variants: Iterable[str | None]) -> UnknownRun:
    """The error that a run has no variant of this name, with the variants that it has."""
    known = list(dict.fromkeys([each for each in variants if each is not None]))
    if not known:
        return UnknownRun(f"run {run} has no variant {variant!r}: it has no variants")
    hint = suggestion_or_choices(variant, known)
    return UnknownRun(f"run {run} has no variant {variant!r}{hint}")
