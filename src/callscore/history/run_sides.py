"""Reads a run as one side of a comparison: the outcome of each case, and no long texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from math import fsum
from operator import itemgetter
from sys import maxsize
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from callscore.comparing.sides import (
    CaseOutcome,
    EvaluationSide,
    Side,
    SideTotals,
    TrialOutcome,
    evaluation_pairs,
)
from callscore.core.phrases import Note, Phrase
from callscore.core.score import SCHEMA_FAULTS, UNANSWERED, outcome_f1
from callscore.core.settings import DEFAULT
from callscore.core.totals import MOST_NAMES
from callscore.hiding.finding import OPENING
from callscore.history import queries, run_queries
from callscore.history.database import fetch_pages
from callscore.history.records import COUNTS, RunRecord, clean_text, settings_digest
from callscore.history.rows import decode_object, decode_outcome, decode_tags, digest_texts
from callscore.history.run_metadata import READING_ARGUMENT, unreadable_records
from callscore.history.run_results import unknown_variant
from callscore.history.saved_totals import saved_cases_of, saved_counts
from callscore.words.value_text import decimal, exact_decimal

if TYPE_CHECKING:
    from callscore.history.database import AnyConnection

    # What says which cases must not be counted as one, given the label of the evaluation and the id.
    KindOf = Callable[[str, str], Hashable]

    from callscore.history.run_queries import SavedRun

BELOW_THRESHOLD = Phrase(
    "{scorer} {mean}, required ≥ {required}", "{scorer} {mean}, требуется ≥ {required}"
)
NO_MEAN = Phrase(
    "{scorer} has no value, required ≥ {required}",
    "{scorer}: нет значения, требуется ≥ {required}",
)


def run_side(
    connection: AnyConnection,
    saved: SavedRun,
    run: RunRecord,
    label: str,
    variant: str | None = None,
) -> Side:
    """A run, or one variant of it, as one side of a comparison, without its cases; see `with_cases`.

    `label` is the name that the user typed.

    Raises:
        UnknownRun: the run has no such variant.
    """
    queries.require_results(connection, saved)
    rows = run_queries.evaluation_rows(connection, saved)
    wanted = [row for row in rows if variant is None or row.variant == clean_text(variant)]
    if variant is not None and not wanted:
        raise unknown_variant(run.id, variant, [row.variant for row in rows])
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
        evaluations=tuple([_evaluation_side(row, run) for row in wanted]),
    )


# --- the cases of one side, or of two ---------------------------------------------------------


class _Row(NamedTuple):
    """A result in one of the runs that are read; the fields from `tags` on are its outcome."""

    side: int
    case: str
    evaluation: int
    trial: int
    position: int
    number: int
    digests: bytes
    tags: str | None
    status: Any
    passed: bool | None
    f1: float | None
    outcome: str


_SELECT = """
SELECT {side} AS side, case_id, evaluation, trial, coalesce(position, number) AS position, number, digests,
tags, status, passed, f1, outcome FROM results WHERE run = ?
"""
_OUTCOME = _Row._fields.index("tags")
_place_of = itemgetter(_Row._fields.index("position"), _Row._fields.index("number"))

# A case, and what it is sorted by: whether it stands for others, and its place in the run.
_Kept = tuple[tuple[bool, int, int], CaseOutcome]


def with_cases(
    connection: AnyConnection,
    saved: Sequence[SavedRun],
    sides: Sequence[Side],
    kind_of: KindOf | None = None,
) -> tuple[Side, ...]:
    """One side with all its cases, or two with those by which they are compared.

    Of two sides, cases that are the same in both are counted by their outcome, and only the first of each
    are there one by one: as many as a report names. Two large runs of an agent differ in few cases, and
    what is the same need not be in memory. `kind_of` says which cases are not counted as one.
    """
    reader = _Reader(sides, kind_of)
    rows = _rows_by_case(connection, saved)
    for _, of_case in groupby(rows, key=itemgetter(1)):
        reader.add(list(of_case))
    return reader.sides()


def _rows_by_case(connection: AnyConnection, saved: Sequence[SavedRun]) -> Iterator[_Row]:
    """The results of some runs, sorted by the id of the case, which is how the index has them."""
    query = " UNION ALL ".join([_SELECT.format(side=side) for side in range(len(saved))])
    query += " ORDER BY case_id, evaluation, trial"
    counts = [0] * len(saved)
    for page in fetch_pages(connection, query, [run.number for run in saved]):
        for row in map(_Row._make, page):
            counts[row.side] += 1
            yield row
    for run, count in zip(saved, counts, strict=True):
        run.require_results(count)


class _Same:
    """Cases with the same outcome in both runs: how many, and the rows of the first of them by their place."""

    def __init__(self) -> None:
        self.count = 0
        self._last = (maxsize, maxsize)  # of the first
        self._rows: list[tuple[tuple[int, int], list[_Row], list[_Row]]] = []

    def add(self, before: list[_Row], after: list[_Row]) -> None:
        self.count += 1
        place = min(map(_place_of, after))
        if place < self._last:
            self._rows.append((place, before, after))
            if len(self._rows) > 2 * MOST_NAMES:
                self._last = self.first()[-1][0]

    def first(self) -> list[tuple[tuple[int, int], list[_Row], list[_Row]]]:
        """The first cases; one more than are named, which stands for the others."""
        self._rows.sort(key=itemgetter(0))
        del self._rows[MOST_NAMES + 1 :]
        return self._rows


class _Reader:
    """Takes the rows of one case after the other, and keeps what a comparison needs of them."""

    def __init__(self, sides: Sequence[Side], kind_of: KindOf | None) -> None:
        self._sides = sides
        self._kind_of = kind_of
        self._partners: dict[int, EvaluationSide] = {}
        if len(sides) > 1 and all(side.saved_cases == "all" for side in sides):
            pairs = evaluation_pairs(sides[0].evaluations, sides[1].evaluations)
            self._partners = {first.number: second for first, second in pairs}
        self._files = [
            {each.number: (each.place, each.name) for each in side.evaluations} for side in sides
        ]
        self._different = [0] * len(sides)
        self._kept: list[dict[int, list[_Kept]]] = [
            {number: [] for number in files} for files in self._files
        ]
        self._same: dict[tuple[int, Hashable, Hashable], _Same] = {}

    def add(self, rows: Iterable[_Row]) -> None:
        """Take all results of the cases with one id."""
        found: list[dict[int, list[_Row]]] = [{} for _ in self._sides]
        for row in rows:
            if row.evaluation in self._files[row.side]:
                found[row.side].setdefault(row.evaluation, []).append(row)
        for side, trials in enumerate(found):
            self._different[side] += len({self._files[side][number] for number in trials})
        if self._partners:
            self._leave_out_same(*found)
        for side, trials in enumerate(found):
            for number, of_case in trials.items():
                self._keep(side, number, of_case)

    def _leave_out_same(self, first: dict[int, list[_Row]], second: dict[int, list[_Row]]) -> None:
        """Count what is the same in both runs."""
        for number in [number for number in first if number in self._partners]:
            partner = self._partners[number]
            before, after = first[number], second.get(partner.number)
            what = None if after is None else _what_is_same(before, after)
            if after is None or what is None:
                continue
            kind = None if self._kind_of is None else self._kind_of(partner.label, after[0].case)
            self._same.setdefault((number, what, kind), _Same()).add(before, after)
            del first[number], second[partner.number]

    def _keep(self, side: int, number: int, rows: Sequence[_Row], count: int = 1) -> None:
        """Keep a case of an evaluation, which stands for `count` cases."""
        first = min(rows, key=_place_of)
        expectation, asked, _ = digest_texts(first.digests)
        case = CaseOutcome(
            id=first.case,
            trials=tuple(map(_trial, rows)),
            tags=decode_tags(first.tags) if first.tags else (),
            expectation=expectation,
            asked=asked,
            count=count,
        )
        self._kept[side][number].append(((count > 1, *_place_of(first)), case))

    def sides(self) -> tuple[Side, ...]:
        """The sides with their cases, each in the order of its run."""
        for (number, *_), same in self._same.items():
            first = same.first()
            others = same.count - len(first)
            for at, (_, before, after) in enumerate(first, 1):
                count = 1 + others if at == len(first) else 1
                self._keep(0, number, before, count)
                self._keep(1, self._partners[number].number, after, count)
        found = []
        for side, kept, different in zip(self._sides, self._kept, self._different, strict=True):
            evaluations = []
            for each in side.evaluations:
                cases = sorted(kept.pop(each.number), key=itemgetter(0))
                evaluations.append(replace(each, cases=tuple([case for _, case in cases])))
            found.append(replace(side, evaluations=tuple(evaluations), different_cases=different))
        return tuple(found)


def _what_is_same(before: Sequence[_Row], after: Sequence[_Row]) -> Hashable | None:
    """The outcome of a case that is the same in both runs, in all its trials; None if it differs.

    The same is expected and was called. Another question is told apart, as it is counted.
    """
    outcome = tuple([row[_OUTCOME:] for row in before])
    if outcome != tuple([row[_OUTCOME:] for row in after]) or OPENING in before[0].case:
        return None
    questions = []
    for one, other in zip(before, after, strict=True):
        question = "same"
        if one.digests != other.digests:
            expected, asked, calls = digest_texts(one.digests)
            others = digest_texts(other.digests)
            # By what is expected, two evaluations of different names are the same.
            if (expected, calls) != (others[0], others[2]) or not expected:
                return None
            question = "another" if asked and others[1] else "unknown"
        questions.append(question)
    return outcome, tuple(questions)


def _trial(row: _Row) -> TrialOutcome:
    return TrialOutcome(
        status=row.status,
        passed=None if row.passed is None else bool(row.passed),
        f1=row.f1,
        calls=digest_texts(row.digests)[2],
        **_outcome_fields(row.outcome),
    )


@lru_cache(maxsize=10_000)  # most results have the same few
def _outcome_fields(text: str) -> dict[str, Any]:
    score, failure = (found := decode_outcome(text)).score, found.failure
    return {
        "values": tuple([(name, value) for name, value, *_ in score.values]),
        "forbidden": dict(zip(COUNTS, score.counts, strict=False)).get("forbidden", 0),
        "faults": score.faults,
        "tools": score.tools,
        "failure": "" if failure is None else failure[1],
    }


_DIGEST_SHOWN = 8  # of the definitions of the tools, to tell that they differ


def _evaluation_side(row: Any, run: RunRecord) -> EvaluationSide:
    settings, summary = decode_object(row.settings), decode_object(row.summary)
    scorers = decode_object(row.scorers, list[str])
    required, below = _means(summary)
    return EvaluationSide(
        name=row.name,
        place=row.place,
        variant=row.variant,
        settings=settings_digest(settings, scorers),
        options={
            **settings,
            **(run.arguments.get(READING_ARGUMENT) or {}),
            "scorers": scorers,
            "fail_under": required,
            "tools": row.tools.hex()[:_DIGEST_SHOWN] if row.tools else None,
        },
        number=row.number,
        below=tuple(below),
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


def _means(summary: Mapping[str, Any]) -> tuple[dict[str, float], list[Note]]:
    """The `fail_under` of each scorer that has one, and the scorers below it, each in a sentence."""
    required: dict[str, float] = {}
    below: list[Note] = []
    for scorer in summary.get("scorers") or ():
        name, mean, least = map(scorer.get, ("name", "mean", "fail_under"))
        if not isinstance(least, int | float):  # imported runs may contain anything
            continue
        required[str(name)] = least
        values = {"scorer": name, "required": exact_decimal(least)}
        if mean is None:
            below.append(Note(NO_MEAN, values))
        elif mean < least:
            below.append(Note(BELOW_THRESHOLD, values | {"mean": decimal(mean, border=least)}))
    return required, below
