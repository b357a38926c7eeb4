"""Finds the run that a reference means (`latest~1`, an id, a name), and lists runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.suggestions import did_you_mean
from callscore.errors import UnknownRun
from callscore.history import queries
from callscore.history.database import execute_compiled, with_retries
from callscore.history.records import EvaluationNumbers, RunRecord, run_records
from callscore.history.run_metadata import is_partial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy import Connection, Row

    from callscore.history.store import Store

    Fits = Callable[[Sequence[str]], bool]

__all__ = ["EvaluationLine", "RunLine", "find_run", "list_runs"]


_LATEST = re.compile(r"latest(?:~(\d{1,9}))?")
_MAX_LISTED = 5
_COMMIT_DIGITS = 10
_SCORE_COMMAND = "score"


def find_run(
    connection: Connection, reference: str, resolve: Callable[[str], str | None] | None = None
) -> Row[Any]:
    """The row of the run that a reference means.

    The reference is `latest`, `latest~2` (two runs before it), the name of a baseline, an id, a name
    (the newest run with it), a unique prefix of an id, or a git reference to a commit. Of the finished
    runs of a commit complete runs are preferred, then those that asked over scored files, then those
    without changed files, then the newest. `resolve` finds the commit of a git reference.

    Raises:
        UnknownRun: there is no such run, or several ids begin like this.
    """
    latest = _LATEST.fullmatch(reference)
    if latest:
        return _by_age(connection, reference, int(latest[1] or 0))
    found = (
        connection.execute(queries.BASELINE_RUN, {"name": reference}).first()
        or queries.run_by_id(connection, reference)
        or queries.run_by_name(connection, reference)
        or _by_id_prefix(connection, reference)
    )
    if found is not None:
        return found
    commit = resolve(reference) if resolve is not None and reference else None
    if commit is None:
        raise UnknownRun(_unknown_run_text(connection, reference))
    return _by_commit(connection, reference, commit)


def _by_age(connection: Connection, reference: str, back: int) -> Row[Any]:
    found = queries.all_runs(connection, limit=1, offset=back)
    if found:
        return found[0]
    count = queries.count_runs(connection)
    if count == 0:
        raise UnknownRun(_empty_history_text(reference))
    number_of_runs = "is 1 run" if count == 1 else f"are {count} runs"
    raise UnknownRun(
        f"unknown run {reference!r}. There {number_of_runs}; the oldest is 'latest~{count - 1}'"
    )


def _empty_history_text(reference: str) -> str:
    return f"unknown run {reference!r}: the history is empty. Start with: callscore run"


def _by_id_prefix(connection: Connection, reference: str) -> Row[Any] | None:
    if not reference:
        return None
    found = queries.runs_with_prefix(connection, reference, _MAX_LISTED + 1)
    if len(found) > 1:
        raise UnknownRun(f"{reference!r} is ambiguous: {_join_ids([r.id for r in found])}")
    return found[0] if found else None


def _by_commit(connection: Connection, reference: str, commit: str) -> Row[Any]:
    """The best finished run of a commit, as in `find_run`."""
    found = queries.runs_of_commit(connection, commit)
    if not found:
        newest = _join_ids(queries.newest_ids(connection, _MAX_LISTED + 1))
        raise UnknownRun(
            f"no finished run of commit {commit[:_COMMIT_DIGITS]} ({reference}). "
            f"The newest runs: {newest}"
        )
    records = run_records(found)
    known = _with_parents(connection, records)
    ranks = [
        (is_partial(run, known), run.command == _SCORE_COMMAND, bool(run.git_dirty))
        for run in records
    ]
    return found[ranks.index(min(ranks))]


def _with_parents(connection: Connection, records: list[RunRecord]) -> dict[str, RunRecord]:
    """The runs, and those whose answers they score again, by id."""
    known = {run.id: run for run in records}
    while missing := {run.parent for run in known.values() if run.parent} - set(known):
        parents = queries.runs_by_ids(connection, missing)
        if not parents:
            break
        known |= {run.id: run for run in run_records(parents)}
    return known


def _unknown_run_text(connection: Connection, reference: str) -> str:
    known, set_names = queries.known_names(connection, _MAX_LISTED + 1)
    if not known:
        return _empty_history_text(reference)
    ids = [row.id for row in known]
    meant = did_you_mean(
        reference, ["latest", *set_names, *ids, *(row.name for row in known if row.name)]
    )
    colon = ". Not every command accepts a variant after a colon"
    hint = colon if ":" in reference and not meant else meant
    return f"unknown run {reference!r}. The newest runs: {_join_ids(ids)}{hint}"


def _join_ids(ids: list[str]) -> str:
    more = ["..."] if len(ids) > _MAX_LISTED else []
    return ", ".join([*ids[:_MAX_LISTED], *more])


# Summaries of evaluations have the same fields.
_decode_numbers = msgspec.json.Decoder(EvaluationNumbers).decode
_NO_NUMBERS = EvaluationNumbers(
    cases=0, trials=0, decided=0, answered=0, passed=0, share=None, f1=None, errors=0
)


class EvaluationLine(Struct, frozen=True, gc=False):
    """An evaluation of a run, under one variant, with the totals of its cases."""

    name: str
    variant: str | None = None
    place: str = ""
    tally: EvaluationNumbers = _NO_NUMBERS


class RunLine(Struct, frozen=True, kw_only=True):
    """A run in a list, with the names of its baselines."""

    run: RunRecord
    baselines: tuple[str, ...] = ()
    evaluations: tuple[EvaluationLine, ...] = ()


@with_retries
def list_runs(
    store: Store, *, limit: int | None = None, tag: str | None = None, fits: Fits | None = None
) -> list[RunLine]:
    """The runs, newest first, each with the numbers that a list shows; at most `limit`.

    With `tag` only cases with this tag count, and evaluations without such cases are left out.
    `fits` filters evaluations by name, variant and place; runs without any are left out.
    """
    with store.reading() as connection:
        tagged = None if tag is None else queries.has_tag(connection, tag)
        rows = queries.newest_runs(connection, limit if fits is None else None, tagged)
        suites = _evaluations_by_run(connection, [row[0] for row in rows], fits)
        if fits is not None:
            rows = [row for row in rows if suites[row[0]]][:limit]
        numbers = [row[0] for row in rows]
        if tagged is None:
            stored, uncounted = _stored_numbers(suites, numbers)
            tallies = queries.evaluation_numbers(connection, uncounted, None)
        else:
            stored, tallies = {}, queries.evaluation_numbers(connection, numbers, tagged)
        names: dict[int, list[str]] = {}
        for number, name in sorted(execute_compiled(connection, queries.BASELINE_NAMES, {})):
            names.setdefault(number, []).append(name)
    return [
        RunLine(
            run=run,
            baselines=tuple(names.get(number, ())),
            evaluations=stored.get(number)
            or _evaluation_lines(suites[number], tallies, has_all=tag is None),
        )
        for number, run in zip(numbers, run_records(rows), strict=True)
    ]


def _stored_numbers(
    suites: dict[int, list[Any]], numbers: Iterable[int]
) -> tuple[dict[int, tuple[EvaluationLine, ...]], list[int]]:
    """The numbers stored with evaluations, and the runs whose results must be counted."""
    stored: dict[int, tuple[EvaluationLine, ...]] = {}
    uncounted: list[int] = []
    for run in numbers:
        try:
            stored[run] = tuple(
                [
                    EvaluationLine(name, variant, place, _decode_numbers(text or b"{}"))
                    for _, _, name, variant, place, text in suites[run]
                ]
            )
        except msgspec.DecodeError:  # the run did not finish
            uncounted.append(run)
    return stored, uncounted


def _evaluation_lines(
    suites: Sequence[Any], tallies: dict[tuple[int, int], EvaluationNumbers], *, has_all: bool
) -> tuple[EvaluationLine, ...]:
    """The evaluations of a run: all, or only those with numbers."""
    return tuple(
        [
            EvaluationLine(name, variant, place, tallies.get((run, number), _NO_NUMBERS))
            for run, number, name, variant, place, _ in suites
            if has_all or (run, number) in tallies
        ]
    )


def _evaluations_by_run(
    connection: Connection, numbers: list[int], fits: Fits | None
) -> dict[int, list[Any]]:
    """The rows of the selected evaluations, by the number of the run."""
    values = {"low": min(numbers, default=0), "high": max(numbers, default=0)}
    found: dict[int, list[Any]] = {number: [] for number in numbers}
    for row in execute_compiled(connection, queries.EVALUATIONS_OF_RUNS, values).cursor.fetchall():
        run, _, name, variant, place, _ = row
        if run in found and (fits is None or fits((name, variant or "", place))):
            found[run].append(row)
    return found
