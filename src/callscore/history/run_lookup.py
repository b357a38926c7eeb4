"""Finds the run that a reference means (`latest~1`, an id, a name), and lists runs."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from callscore.core.suggestions import did_you_mean
from callscore.errors import UnknownRun
from callscore.hiding.hider import hide_text
from callscore.history import queries, run_queries
from callscore.history.counting import count_results
from callscore.history.database import with_retries
from callscore.history.records import EvaluationNumbers, RunRecord, run_records
from callscore.history.run_metadata import is_partial, is_run_id
from callscore.history.run_queries import column_of
from callscore.history.saved_totals import saved_cases_of
from callscore.history.tables import EVALUATIONS, RUNS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from callscore.history.database import AnyConnection
    from callscore.history.run_queries import SavedRuns
    from callscore.history.store import Store

    Fits = Callable[[Sequence[str]], bool]

__all__ = [
    "EvaluationLine",
    "RunLine",
    "find_run",
    "list_compared_runs",
    "list_runs",
]


_LATEST = re.compile(r"latest(?:~(\d{1,9}))?")
_MAX_LISTED = 5
_COMMIT_DIGITS = 10
_SCORE_COMMAND = "score"
_RESCORE_COMMAND = "rescore"


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
    number, _ = saved.baselines.get(reference, (None, None))
    of_baseline = [row for row in saved.rows if number == row[0]]
    return of_baseline[0] if of_baseline else _by_name(saved, reference, resolve)


def _by_name(saved: SavedRuns, reference: str, resolve: Callable[[str], str | None] | None) -> Any:
    """The run with this name, this beginning of its id, or this commit."""
    named = [row for row in saved.rows if reference and column_of(row, "name") == reference]
    found = named[0] if named else _by_id_prefix(saved.rows, reference)
    if found is not None:
        return found
    commit = resolve(reference) if resolve is not None and reference else None
    if commit is None:
        raise UnknownRun(_unknown_run_text(saved, reference))
    return _by_commit(saved.rows, reference, commit)


def _by_age(every: Sequence[Any], reference: str, back: int) -> Any:
    rows = [row for row in every if not run_queries.is_dated_ahead(row)]
    if back < len(rows):
        return rows[back]
    count = len(rows)
    if count == 0:
        ids = _join_ids([row[1] for row in every])
        text = f"unknown run {reference!r}: every run is dated in the future. Pass an id: {ids}"
        raise UnknownRun(text if every else _empty_history_text(reference))
    number_of_runs = "is 1 run" if count == 1 else f"are {count} runs"
    raise UnknownRun(
        f"unknown run {reference!r}. There {number_of_runs}; the oldest is 'latest~{count - 1}'"
    )


def _empty_history_text(reference: str) -> str:
    return f"unknown run {reference!r}: the history is empty. Start with: callscore run"


def _by_id_prefix(rows: Sequence[Any], reference: str) -> Any | None:
    if not reference:
        return None
    found = [row for row in rows if row[1].startswith(reference)]
    if len(found) > 1:
        raise UnknownRun(f"{reference!r} is ambiguous: {_join_ids([row[1] for row in found])}")
    return found[0] if found else None


def _by_commit(rows: Sequence[Any], reference: str, commit: str) -> Any:
    """The best finished run of a commit, as in `find_run`."""
    found = [
        row
        for row in rows
        if column_of(row, "git_commit") == commit and column_of(row, "status") == "finished"
    ]
    if not found:
        newest = _join_ids([row[1] for row in rows])
        raise UnknownRun(
            f"no finished run of commit {commit[:_COMMIT_DIGITS]} ({reference}). "
            f"The newest runs: {newest}"
        )
    known = {run.id: run for run in run_records(rows)}
    ranks = [
        (is_partial(run, known), run.command == _SCORE_COMMAND, bool(run.git_dirty))
        for run in [known[row[1]] for row in found]
    ]
    return found[ranks.index(min(ranks))]


def _unknown_run_text(saved: SavedRuns, reference: str) -> str:
    rows = saved.rows[: _MAX_LISTED + 1]
    if not rows:
        return _empty_history_text(reference)
    ids = [row[1] for row in rows]
    names = [name for row in rows if (name := column_of(row, "name"))]
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
    return _list_runs(store, _Wanted(limit, limit, tag, fits))


@with_retries
def list_compared_runs(
    store: Store,
    *,
    shown: int,
    tag: str | None = None,
    fits: Fits | None = None,
) -> list[RunLine]:
    """The same for the newest runs that are shown, with some older ones to compare them with.

    With `tag`, the numbers of older runs are found until there is a run to compare each evaluation
    with. The runs after that have no evaluations.
    """
    wanted = _Wanted(shown + _READ_BESIDES, shown, tag, fits)
    return _list_runs(store, wanted)


# How many older runs are read as well, to compare the oldest runs shown with one of them.
_READ_BESIDES = 30


class _Wanted(NamedTuple):
    """Which runs are listed: at most `limit`, the first `shown` in full."""

    limit: int | None
    shown: int | None
    tag: str | None
    fits: Fits | None


def _list_runs(store: Store, wanted: _Wanted) -> list[RunLine]:
    limit, shown, tag, fits = wanted
    with store.reading() as connection:
        saved = run_queries.all_runs(connection)
        rows: Sequence[Any] = (
            saved.rows if fits is not None or tag is not None else saved.rows[:limit]
        )
        every = run_queries.evaluations_of_runs(connection, rows)
        lines: list[RunLine] = []
        names, records = _baseline_names(saved), run_records(rows)
        numbers = _Numbers(connection, None if tag is None else _Tag(tag), records)
        for row, run in zip(rows, records, strict=True):
            if limit is not None and len(lines) >= limit:
                break
            suites = [each for each in every[row[0]] if fits is None or fits(_texts_of(each))]
            if fits is not None and not suites:
                continue
            listed = _ListedRun(run, row[_RESULT_COUNT] is not None, every[row[0]], suites)
            is_older = shown is not None and len(lines) >= shown
            evaluations = numbers.of_run(listed, is_older=is_older)
            if evaluations is not None:
                baselines = names.get(row[0], ())
                lines.append(RunLine(run=run, baselines=baselines, evaluations=evaluations))
    return lines


class _ListedRun(NamedTuple):
    """A run of a list.

    Attributes:
        has_ended: whether it ended, so that its totals are stored.
        evaluations: the rows of its evaluations.
        suites: those of them that are listed.
    """

    run: RunRecord
    has_ended: bool
    evaluations: Sequence[Any]
    suites: Sequence[Any]


class _Numbers:
    """The numbers of the evaluations of runs, which are asked for from the newest run on."""

    def __init__(
        self, connection: AnyConnection, tag: _Tag | None, runs: Sequence[RunRecord]
    ) -> None:
        self._connection = connection
        self._known = {run.id: run for run in runs}
        self._tag = tag
        # Evaluations of runs that are shown, without an older run to compare them with yet.
        self._alone: set[tuple[str, str | None, str]] = set()

    def of_run(self, listed: _ListedRun, *, is_older: bool) -> tuple[EvaluationLine, ...] | None:
        """The evaluations of a run with their numbers; None if no result has the tag.

        Of a run that `is_older` than those that are shown, numbers are only found if it is needed to
        compare others with it.
        """
        if self._tag is None:
            return self._of_all_cases(listed)
        if saved_cases_of(listed.run) != "all":  # how its cases with the tag went is not known
            return None
        if is_older and self._alone.isdisjoint(map(_texts, listed.suites)):
            return ()
        return self._of_tag(listed, self._tag, is_older=is_older)

    def _of_all_cases(self, listed: _ListedRun) -> tuple[EvaluationLine, ...]:
        found = _stored_numbers(listed.suites)
        if found is not None:
            return found
        # It did not finish. If not every case is saved, the failing ones say nothing about the others.
        is_counted = saved_cases_of(listed.run) == "all"
        counted = _count(self._connection, listed.run.id, None) if is_counted else {}
        return _evaluation_lines(listed.suites, counted, has_all=True)

    def _of_tag(
        self, listed: _ListedRun, tag: _Tag, *, is_older: bool
    ) -> tuple[EvaluationLine, ...] | None:
        tallies = _stored_by_tag(listed, tag)
        if tallies is None:
            tallies = _count(self._connection, listed.run.id, tag)
        if not tallies:
            return None
        found = _evaluation_lines(listed.suites, tallies, has_all=False)
        if not is_older:
            self._alone |= {_key_of(each) for each in found}
        elif _counts(listed.run, self._known):
            self._alone -= {_key_of(each) for each in found if each.tally.share is not None}
        return found


def _counts(run: RunRecord, known: Mapping[str, RunRecord]) -> bool:
    """Whether other runs are compared with it: it is complete, and has its own answers."""
    return (
        run.status == "finished" and run.command != _RESCORE_COMMAND and not is_partial(run, known)
    )


def _baseline_names(saved: SavedRuns) -> dict[int, tuple[str, ...]]:
    """The sorted names of the baselines of each run, by its number."""
    names: dict[int, tuple[str, ...]] = {}
    for name, (number, _) in sorted(saved.baselines.items()):
        names[number] = (*names.get(number, ()), name)
    return names


# Of a row of `evaluations`.
_texts = itemgetter(*[EVALUATIONS.positions[name] for name in ("name", "variant", "place")])
_SUMMARY = EVALUATIONS.positions["summary"]
_BY_TAG = EVALUATIONS.positions["by_tag"]
_RESULT_COUNT = RUNS.positions["result_count"]  # of a row of `runs`


def _texts_of(row: Sequence[Any]) -> tuple[str, str, str]:
    """The name, the variant and the place of an evaluation."""
    name, variant, place = _texts(row)
    return name, variant or "", place


def _key_of(line: EvaluationLine) -> tuple[str, str | None, str]:
    """The same columns as `_texts`."""
    return line.name, line.variant, line.place


def _line_of(row: Sequence[Any], numbers: EvaluationNumbers) -> EvaluationLine:
    name, variant, place = _texts(row)
    return EvaluationLine(name, variant, place, numbers)


def _stored_numbers(suites: Sequence[Any]) -> tuple[EvaluationLine, ...] | None:
    """The evaluations of a run with the numbers stored with them; None if the run did not finish."""
    try:
        return tuple([_line_of(row, _decode_numbers(row[_SUMMARY] or b"{}")) for row in suites])
    except msgspec.DecodeError:
        return None


def _evaluation_lines(
    suites: Sequence[Any], tallies: dict[int, EvaluationNumbers], *, has_all: bool
) -> tuple[EvaluationLine, ...]:
    """The evaluations of a run: all, or only those with numbers."""
    return tuple(
        [
            _line_of(row, tallies.get(row[1], _NO_NUMBERS))
            for row in suites
            if has_all or row[1] in tallies
        ]
    )


_decode_by_tag = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _stored_by_tag(listed: _ListedRun, tag: _Tag) -> dict[int, EvaluationNumbers] | None:
    """The stored totals of the cases with a tag, by the number of the evaluation.

    None if they are not known: the run did not end, it has very many tags, or a secret that is hidden
    only now makes several tags the same.
    """
    if not listed.has_ended or not listed.evaluations:
        return None
    found: dict[int, EvaluationNumbers] = {}
    for row in listed.evaluations:
        if row[_BY_TAG] is None:
            return None
        by_tag = _decode_by_tag(row[_BY_TAG])
        names = [name for name in by_tag if tag.is_called(name)]
        if len(names) > 1:
            return None
        if names:
            found[row[1]] = _decode_numbers(by_tag[names[0]])
    return found


def _count(connection: AnyConnection, run: str, tag: _Tag | None) -> dict[int, EvaluationNumbers]:
    """The totals of each evaluation of a run, counted."""
    columns = ("evaluation", "case_id", "status", "passed", "f1", "tags")
    rows = queries.result_rows(connection, run_queries.saved_run(connection, run), *columns)
    return count_results(row[:5] for row in rows if tag is None or tag.is_in(row[5]))


_MAX_TAGS = 10_000


class _Tag:
    """The tag of the cases that are counted. A secret in it may be hidden in the history, or not yet."""

    def __init__(self, name: str) -> None:
        self._name = hide_text(name)
        # Most results have the same few tags, and each is hidden once.
        self._names: dict[str, bool] = {}
        self._texts: dict[str | None, bool] = {None: False}

    def is_called(self, name: str) -> bool:
        """Whether this is the name of the tag."""
        found = self._names.get(name)
        if found is None:
            if len(self._names) >= _MAX_TAGS:
                self._names.clear()
            found = self._names[name] = hide_text(name) == self._name
        return found

    def is_in(self, tags: str | None) -> bool:
        """Whether it is among these tags of a result, as stored."""
        found = self._texts.get(tags)
        if found is None:
            if len(self._texts) >= _MAX_TAGS:
                self._texts.clear()
            found = any(map(self.is_called, msgspec.json.decode(tags or "[]")))
            self._texts[tags] = found
        return found
