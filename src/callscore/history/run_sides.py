"""Reads a run as one side of a comparison: the outcome of each case, and no long texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import heappush, heappushpop
from itertools import groupby
from math import fsum
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
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
from callscore.history.rows import decode_outcome, decode_tags, digest_texts
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
    wanted = _of_variant(run_queries.side_evaluations(connection, saved), run, variant)
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


def _of_variant(rows: Sequence[Any], run: RunRecord, variant: str | None) -> Sequence[Any]:
    if variant is None:
        return rows
    found = [row for row in rows if row.variant == clean_text(variant)]
    if found:
        return found
    raise unknown_variant(run.id, variant, [row.variant for row in rows])


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

# A case, and what it is sorted by: whether it stands for others, its position, and the number of its row.
_Placed = tuple[bool, int, int, CaseOutcome]


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
    """Cases with the same outcome in both runs: how many, and the first of them."""

    def __init__(self) -> None:
        self.count = 0
        # A heap with the last case first. One more than are named: it stands for the others.
        self.first: list[tuple[int, int, _Placed, _Placed]] = []

    def add(
        self, before: Sequence[_Row], after: Sequence[_Row], read: Callable[..., _Placed]
    ) -> None:
        """Count a case, which `read` reads if it is one of the first."""
        self.count += 1
        position, number = min(map(_by_place, after))
        place = -position, -number
        if len(self.first) <= MOST_NAMES:
            heappush(self.first, (*place, read(before), read(after)))
        elif place > self.first[0][:2]:
            heappushpop(self.first, (*place, read(before), read(after)))

    def cases(self) -> Iterator[tuple[_Placed, _Placed]]:
        """These cases in both runs."""
        *first, last = sorted(self.first, key=itemgetter(0, 1), reverse=True)
        yield from [(one, other) for *_, one, other in first]
        count = 1 + self.count - len(self.first)
        before, after = last[2:]
        yield _counted_as(before, count), _counted_as(after, count)


def _counted_as(placed: _Placed, count: int) -> _Placed:
    _, position, number, case = placed
    return count > 1, position, number, replace(case, count=count)


# By the place in the run.
_by_place = itemgetter(_Row._fields.index("position"), _Row._fields.index("number"))


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
        self._kept: list[dict[int, list[_Placed]]] = [
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
        if len(found) > 1:
            self._leave_out_same(*found)
        for kept, trials in zip(self._kept, found, strict=True):
            for number, of_case in trials.items():
                kept[number].append(self._placed(of_case))

    def _leave_out_same(self, first: dict[int, list[_Row]], second: dict[int, list[_Row]]) -> None:
        """Count what is the same in both runs."""
        for number in [number for number in first if number in self._partners]:
            partner = self._partners[number]
            before, after = first[number], second.get(partner.number)
            what = None if after is None else _what_is_same(before, after)
            if after is None or what is None:
                continue
            kind = None if self._kind_of is None else self._kind_of(partner.label, after[0].case)
            self._same.setdefault((number, what, kind), _Same()).add(before, after, self._placed)
            del first[number], second[partner.number]

    def _placed(self, rows: Sequence[_Row]) -> _Placed:
        first = min(rows, key=_by_place)
        expectation, asked, _ = digest_texts(first.digests)
        case = CaseOutcome(
            id=first.case,
            trials=tuple(map(_trial, rows)),
            tags=decode_tags(first.tags) if first.tags else (),
            expectation=expectation,
            asked=asked,
        )
        return False, first.position, first.number, case

    def sides(self) -> tuple[Side, ...]:
        """The sides with their cases, each in the order of its run."""
        for (number, _, _), same in self._same.items():
            for before, after in same.cases():
                self._kept[0][number].append(before)
                self._kept[1][self._partners[number].number].append(after)
        return tuple(map(self._side, self._sides, self._kept, self._different))

    def _side(self, side: Side, kept: dict[int, list[_Placed]], different: int) -> Side:
        evaluations = []
        for each in side.evaluations:
            placed = kept.pop(each.number)
            placed.sort(key=itemgetter(0, 1, 2))
            evaluations.append(replace(each, cases=tuple([case for *_, case in placed])))
        return replace(side, evaluations=tuple(evaluations), different_cases=different)


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
    summary = _decode_json(row.summary, {})
    settings, scorers = _decode_json(row.settings, {}), _decode_json(row.scorers, ())
    required = _required_means(summary)
    return EvaluationSide(
        name=row.name,
        place=row.place,
        variant=row.variant,
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
