"""Finds the run that a reference means (`latest~1`, an id, a name), and lists runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.suggestions import did_you_mean
from callscore.errors import UnknownRun
from callscore.hiding.hider import hide_text
from callscore.history import queries, run_queries
from callscore.history.counting import count_results
from callscore.history.database import with_retries
from callscore.history.records import EvaluationNumbers, RunRecord
from callscore.history.rows import decode_tags, run_records
from callscore.history.run_metadata import is_partial, is_run_id
from callscore.history.saved_totals import saved_cases_of

if TYPE_CHECKING:
    from callscore.history.database import AnyConnection
    from callscore.history.run_queries import SavedRuns
    from callscore.history.store import Store

    Fits = Callable[[Sequence[str]], bool]

_LATEST = re.compile(r"latest(?:~(\d{1,9}))?")
_MAX_LISTED = 5
_COMMIT_DIGITS = 10
_SCORE_COMMAND = "score"


def find_run(
    connection: AnyConnection, reference: str, resolve: Callable[[str], str | None] | None = None
) -> Any:
    """The row of the run that a reference means, with the columns of `runs`.

    The reference is an id, `latest`, `latest~2` (two runs before it), the name of a baseline, a name
    (the newest run with it), a unique prefix of an id, or a git reference to a commit. No name has the
    form of an id. `latest` never means a run that is dated in the future. Of the finished
    runs of a commit complete runs are preferred, then those that asked over scored files, then those
    without changed files, then the newest. `resolve` finds the commit of a git reference.

    Raises:
        UnknownRun: there is no such run, or several ids begin like this.
    """
    found = run_queries.run_by_id(connection, reference) if is_run_id(reference) else None
    if found is not None:
        return found
    saved = run_queries.all_runs(connection)
    latest = _LATEST.fullmatch(reference)
    if latest:
        return _by_age(saved.rows, reference, int(latest[1] or 0))
    found = _by_name(saved, reference)
    if found is not None:
        return found
    commit = resolve(reference) if resolve is not None and reference else None
    if commit is None:
        raise UnknownRun(_unknown_run_text(saved, reference))
    return _by_commit(saved.rows, reference, commit)


def _by_name(saved: SavedRuns, reference: str) -> Any | None:
    """The run that a baseline means, the newest with this name, or the one whose id begins like this."""
    if not reference:
        return None
    number, _ = saved.baselines.get(reference, (None, None))
    named = [row for row in saved.rows if number == row.number]
    named += [row for row in saved.rows if row.name == reference]
    found = named[:1] or [row for row in saved.rows if row.id.startswith(reference)]
    if len(found) > 1:
        raise UnknownRun(f"{reference!r} is ambiguous: {_join_ids([row.id for row in found])}")
    return found[0] if found else None


def _by_age(every: Sequence[Any], reference: str, back: int) -> Any:
    rows = [row for row in every if not run_queries.is_dated_ahead(row)]
    if back < len(rows):
        return rows[back]
    count = len(rows)
    if count == 0:
        ids = _join_ids([row.id for row in every])
        text = f"unknown run {reference!r}: every run is dated in the future. Pass an id: {ids}"
        raise UnknownRun(text if every else _empty_history_text(reference))
    number_of_runs = "is 1 run" if count == 1 else f"are {count} runs"
    raise UnknownRun(
        f"unknown run {reference!r}. There {number_of_runs}; the oldest is 'latest~{count - 1}'"
    )


def _empty_history_text(reference: str) -> str:
    return f"unknown run {reference!r}: the history is empty. Start with: callscore run"


def _by_commit(rows: Sequence[Any], reference: str, commit: str) -> Any:
    """The best finished run of a commit, as in `find_run`."""
    found = [row for row in rows if row.git_commit == commit and row.status == "finished"]
    if not found:
        newest = _join_ids([row.id for row in rows])
        raise UnknownRun(
            f"no finished run of commit {commit[:_COMMIT_DIGITS]} ({reference}). "
            f"The newest runs: {newest}"
        )
    known = {run.id: run for run in run_records(rows)}
    ranks = [
        (is_partial(run, known), run.command == _SCORE_COMMAND, bool(run.git_dirty))
        for run in [known[row.id] for row in found]
    ]
    return found[ranks.index(min(ranks))]


def _unknown_run_text(saved: SavedRuns, reference: str) -> str:
    rows = saved.rows[: _MAX_LISTED + 1]
    if not rows:
        return _empty_history_text(reference)
    ids = [row.id for row in rows]
    names = [row.name for row in rows if row.name]
    meant = did_you_mean(reference, ["latest", *saved.baselines, *ids, *names])
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


# How many older runs are read as well, to compare the oldest runs shown with one of them.
OLDER_RUNS = 30


@with_retries
def list_runs(
    store: Store,
    *,
    limit: int | None = None,
    tag: str | None = None,
    fits: Fits | None = None,
) -> list[RunLine]:
    """The runs, newest first, each with the numbers that a list shows; at most `limit`.

    With `tag` only cases with this tag count, and evaluations without such cases are left out, as are
    runs of which not every case is saved.
    `fits` filters evaluations by name, variant and place; runs without any are left out.
    """
    with store.reading() as connection:
        saved = run_queries.all_runs(connection)
        rows = saved.rows if fits is not None or tag is not None else saved.rows[:limit]
        every = run_queries.evaluations_of_runs(connection, rows)
        is_tag = None if tag is None else _is_tag(tag)
        lines: list[RunLine] = []
        for row, run in zip(rows, run_records(rows), strict=True):
            if limit is not None and len(lines) >= limit:
                break
            suites = [each for each in every[row.number] if fits is None or fits(_texts_of(each))]
            if fits is not None and not suites:
                continue
            if is_tag is None:
                evaluations = _lines_of_all(connection, run, suites)
            else:
                ended = every[row.number] if row.result_count is not None else ()
                tallies = _tallies_of_tag(connection, run, ended, is_tag)
                if not tallies:
                    continue
                evaluations = [
                    _line_of(each, tallies[each.number])
                    for each in suites
                    if each.number in tallies
                ]
            baselines = sorted(
                [name for name, (number, _) in saved.baselines.items() if number == row.number]
            )
            lines.append(
                RunLine(run=run, baselines=tuple(baselines), evaluations=tuple(evaluations))
            )
    return lines


def _lines_of_all(
    connection: AnyConnection, run: RunRecord, suites: Sequence[Any]
) -> list[EvaluationLine]:
    """The evaluations of a run with the numbers stored with them; counted, if the run did not finish."""
    try:
        return [_line_of(row, _decode_numbers(row.summary or b"{}")) for row in suites]
    except msgspec.DecodeError:
        # If not every case is saved, the failing ones say nothing about the others.
        is_counted = saved_cases_of(run) == "all"
        counted = _count(connection, run) if is_counted else {}
        return [_line_of(row, counted.get(row.number, _NO_NUMBERS)) for row in suites]


def _texts_of(row: Any) -> tuple[str, str, str]:
    """The name, the variant and the place of an evaluation."""
    return row.name, row.variant or "", row.place


def _line_of(row: Any, numbers: EvaluationNumbers) -> EvaluationLine:
    return EvaluationLine(row.name, row.variant, row.place, numbers)


_decode_by_tag = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _tallies_of_tag(
    connection: AnyConnection, run: RunRecord, ended: Sequence[Any], is_tag: Callable[[str], bool]
) -> dict[int, EvaluationNumbers]:
    """The totals of the cases with a tag, by the number of the evaluation; none if not every case is saved.

    They are stored with the evaluations of a run that `ended`. They are counted if it did not end, if it
    has very many tags, and if a secret that is hidden only now makes several tags the same.
    """
    if saved_cases_of(run) != "all":  # how its cases with the tag went is not known
        return {}
    by_tag = {row.number: row.by_tag and _decode_by_tag(row.by_tag) for row in ended}
    names = {number: [*filter(is_tag, found or ())] for number, found in by_tag.items()}
    is_known = by_tag and None not in by_tag.values()
    if is_known and all(len(each) <= 1 for each in names.values()):
        return {
            number: _decode_numbers(by_tag[number][found[0]])
            for number, found in names.items()
            if found
        }
    return _count(connection, run, is_tag)


def _count(
    connection: AnyConnection, run: RunRecord, is_tag: Callable[[str], bool] | None = None
) -> dict[int, EvaluationNumbers]:
    """The totals of each evaluation of a run, counted."""

    @lru_cache(maxsize=_MAX_TAGS)  # most results have the same few tags
    def has_tag(tags: str | None) -> bool:
        return is_tag is None or any(map(is_tag, decode_tags(tags or "[]")))

    rows = queries.counted_results(connection, run_queries.saved_run(connection, run.id))
    return count_results(row[:5] for row in rows if has_tag(row[5]))


_MAX_TAGS = 10_000


def _is_tag(wanted: str) -> Callable[[str], bool]:
    """Whether a name is that of a tag; a secret in it may be hidden in the history, or not yet."""
    hidden = hide_text(wanted)

    @lru_cache(maxsize=_MAX_TAGS)
    def is_tag(name: str) -> bool:
        return hide_text(name) == hidden

    return is_tag
