"""Gathers the results of many cases: counts all of them, and keeps those to show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET, Struct, structs

from callscore.api import score_case
from callscore.core.call import Tool
from callscore.core.case import Case
from callscore.core.fast_strict import StrictCounter
from callscore.core.results import (
    Failure,
    MetricValue,
    Result,
    Results,
)
from callscore.core.score import Outcome, Score, is_passing, outcome_of
from callscore.core.settings import DEFAULT, Settings
from callscore.core.summary import Summary, add_strict_counts
from callscore.core.totals import Column, InputCounter, NameCounter, Show, Totals
from callscore.core.unused_rules import NamesSeen, UnusedRule
from callscore.engines.inputs import file_title
from callscore.engines.pool import Parts
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import ModelFailed, UnreadableInput
from callscore.formats.cases import has_own_id
from callscore.formats.plain_cases import PlainCase

if TYPE_CHECKING:
    from callscore.metrics.metric import Metric

    Metrics = str | Metric | Iterable[str | Metric]

_NO_ANSWER = "the file has no answer for this case"
# Hashes of ids, in about 40 MB. With a few more, the set would take twice as much.
_MAX_REMEMBERED = 600_000
# Settings that do not change which calls are equal, if all others are the defaults.
_IRRELEVANT_SETTINGS = ("pass_mark", "argument_match_threshold", "extra_arguments")


class ScoreHooks(Struct, frozen=True, kw_only=True):
    """Callbacks while cases are scored.

    Attributes:
        on_case: called with every case to show, which is then not kept for the end; with
            `takes_unanswered` also with those that have no answer.
        on_outcomes: called with some scored cases, which have an `id` and a `trial`, and the outcome
            of each: its correct pairs, expected calls, actual calls, and forbidden calls.
        on_score: called with every scored case, its score, and the definitions of its tools by name,
            or None if they are unknown.
        on_result: called with the result of every case, scored or not, with the values of metrics;
            for engines only.
        on_unscored: called with every case without a score: nothing is expected, or there is no
            answer.
        on_unjudged: called with the place of a case for which the judge gave no answer, the case, and
            the error; the case is left out. Without it, the error is raised.
        on_bytes: called with the number of bytes that were read since the last call.
        on_file: called with the path of each file before its cases.
        on_unfound: called at the end with each field of a case whose path leads nowhere in all
            records, and the path; without it, this is a warning.
        on_unused: called at the end with the rules of the settings that match no call and no
            definition, if there are any; without any hooks, this is a warning.
        parts: how `on_case` can be called in several processes.
    """

    on_case: Callable[[Any], None] | None = None
    takes_unanswered: bool = False
    on_outcomes: Callable[[Sequence[Case | PlainCase], Sequence[Outcome]], None] | None = None
    on_score: Callable[[Case, Score, Mapping[str, Tool] | None], None] | None = None
    on_result: Callable[[Result], None] | None = None
    on_unscored: Callable[[Case], None] | None = None
    on_unjudged: Callable[[str, Case, ModelFailed], None] | None = None
    on_bytes: Callable[[int], None] | None = None
    on_file: Callable[[str], None] | None = None
    on_unfound: Callable[[str, str], None] | None = None
    on_unused: Callable[[Sequence[UnusedRule]], None] | None = None
    parts: Parts | None = None

    @property
    def may_split(self) -> bool:
        """Whether cases may be scored in other processes: only if no hook needs all of them here."""
        needs_all = (self.on_outcomes, self.on_score, self.on_result, self.on_unscored)
        can_show = self.on_case is None or self.parts is not None
        return can_show and not any(needs_all)


class ScoredPart(Struct, frozen=True, kw_only=True):
    """What another process found in some of the cases; `Collector.add_part` takes it.

    Attributes:
        names: the ids and trials of all cases that have an id, to find those that are repeated.
        shown: how many cases to show are in `kept`, or in `written`.
        formats: those of what was read.
        written: what `Parts.take` returned.
    """

    totals: Totals
    names: list[tuple[str, int | str | None]]
    first: Result | None
    kept: list[Result]
    shown: int
    not_shown: int
    formats: tuple[str, ...]
    written: Any
    seen: NamesSeen


class Collector:
    """Gathers the results of many cases."""

    def __init__(  # noqa: PLR0913  (all are options)
        self,
        settings: Settings,
        show: Show,
        max_shown: int | None,
        hooks: ScoreHooks,
        *,
        tools: Any = None,
        metrics: Metrics = (),
    ) -> None:
        self.definitions = ToolDefinitions(tools)
        self.seen = NamesSeen(settings)
        self.empty_files: list[str] = []
        self.inputs = InputCounter()
        self._records = 0  # of the files before
        self._repeated = NameCounter(each_once=True)
        self._names: list[tuple[str, int | str | None]] | None = None  # of a part
        self._settings = settings
        self._show = show
        self._max_shown = max_shown
        self._hooks = hooks
        self._metrics: tuple[Metric, ...] = ()
        if metrics:
            from callscore.metrics.registry import resolve_metrics

            self._metrics = resolve_metrics(metrics)
        self.totals = self._no_totals()
        self._strict = StrictCounter()
        self._remembered: set[int] = set()
        self._known: dict[Outcome, Outcome] = {}
        self._kept: list[Result] = []
        self._first: Result | None = None
        self.file = ""  # that was read last
        self._shown = self._not_shown = 0

    def _no_totals(self) -> Totals:
        totals = Totals.of(self._settings)
        totals.columns = {metric.name: Column(metric.name) for metric in self._metrics}
        return totals

    @property
    def skipped(self) -> NameCounter:
        """The records that could not be read: places and problems."""
        return self.totals.skipped

    @property
    def without_reference(self) -> NameCounter:
        """The traces without a reference."""
        return self.totals.without_reference

    @property
    def takes_plain(self) -> bool:
        """Whether cases can be counted without decoding them, except the few that are shown."""
        shows_few = self._show == "none" or (
            self._show == "failing" and self._max_shown is not None
        )
        is_watched = self._hooks.on_score is not None or self._hooks.on_result is not None
        knows_tools = self.definitions.of_run is not None
        if not shows_few or is_watched or knows_tools or self._metrics:
            return False
        defaults = {setting: getattr(DEFAULT, setting) for setting in _IRRELEVANT_SETTINGS}
        return structs.replace(self._settings, **defaults) == DEFAULT

    def take(self, case: Case, place: str = "") -> None:
        """Score one case and count it, or count why it is not scored.

        The place names a case without an id.
        """
        has_id = has_own_id(case)
        name = case.id if has_id else place
        if case.expected is UNSET or case.actual is None:
            self._take_unscored(case, name, place)
            return
        if has_id:
            self._note_repeated(name, case.trial)
        tools = self.definitions.of(case.tools, case.id)
        self.seen.take(case.expected, case.actual, tools)
        score, hooks = self._score(case, tools), self._hooks
        if hooks.on_outcomes is not None:
            hooks.on_outcomes([case], [outcome_of(score)])
        values = self._metric_values(case, tools) if self._metrics else ()
        if hooks.on_score is not None:
            hooks.on_score(case, score, tools)
        result = Result(case=case, score=score, values=values, passed=score.passed)
        self._count(result, name, place)
        self._first = self._first or result
        if self._show == "all" or (self._show == "failing" and not result.passed):
            self._show_result(result)

    def _take_unscored(self, case: Case, name: str, place: str) -> None:
        result = Result(case=case, status="not_scored")
        if case.expected is not UNSET:  # nothing to score, but leaving it out would reward it
            failure = Failure(case=case.id, kind="missing", problem=_NO_ANSWER)
            result = Result(case=case, status="error", failure=failure)
        self._keep_unscored(result)
        if self._hooks.on_unscored is not None:
            self._hooks.on_unscored(case)
        self._count(result, name, place)

    def _count(self, result: Result, name: str, place: str) -> None:
        self.totals.add(result, name=name, place=place)
        if self._hooks.on_result is not None:
            self._hooks.on_result(result)

    def _keep_unscored(self, result: Result) -> None:
        """Keep a case without a score: all if all cases are kept, or those to show without an answer."""
        hooks = self._hooks
        if result.failure is not None and self._show != "none":
            if (hooks.on_case is None or hooks.takes_unanswered) and self._has_room():
                (hooks.on_case or self._kept.append)(result)
        elif hooks.on_case is None and self._show == "all" and self._max_shown is None:
            self._kept.append(result)

    def _has_room(self) -> bool:
        """Whether one more case is shown; it is counted in any case."""
        has_room = self._max_shown is None or self._shown < self._max_shown
        self._shown += has_room
        self._not_shown += not has_room
        return has_room

    def _metric_values(
        self, case: Case, tools: Mapping[str, Tool] | None
    ) -> tuple[MetricValue, ...]:
        # Metrics do not know the settings: they get all calls, and of several answers the first.
        expected, actual = case.expected or (), case.actual or ()
        return tuple([metric.value_of(expected, actual, tools) for metric in self._metrics])

    def take_plain(
        self,
        cases: list[PlainCase],
        read: Callable[[int], Case | None],
        score: Callable[[int, Case], None],
    ) -> None:
        """Like `take` for each of these, without decoding most of them.

        `read` decodes the case at a position, if possible: to show it, or if it cannot be counted
        without decoding. `score` takes a decoded case, or refuses it.
        """
        expected = [case.expected for case in cases]
        outcomes = self._strict.examine(expected, [case.actual for case in cases])
        undecided = {} if all(outcomes) else self._read_undecided(cases, outcomes, read, score)
        self._strict.count(expected, outcomes)
        counted = list(compress(cases, outcomes)) if undecided else cases
        trials = [case.trial for case in counted]
        if not undecided:  # else they are noted one by one, in the order of the file
            self._note_all_repeated([str(case.id) for case in counted], trials)
        if self._hooks.on_outcomes is not None:
            # Equal outcomes are one object, to save memory where they are kept.
            found = cast("list[Outcome]", list(filter(None, outcomes)))
            self._hooks.on_outcomes(counted, list(map(self._known.setdefault, found, found)))
        shown = self._shown_among(outcomes)
        is_counted = not shown and not undecided and trials.count(None) == len(trials)
        all_cases = enumerate(zip(cases, outcomes, strict=True))
        for position, (case, outcome) in () if is_counted else all_cases:
            if outcome is not None:
                self._note_counted(case, outcome, is_noted=not undecided)
            elif (whole := undecided[position]) is not None:
                score(position, whole)
            if outcome in shown:
                self._show_plain(position, read)
        self._remember_plain(cases, read)

    def _shown_among(self, outcomes: list[Outcome | None]) -> set[Outcome]:
        """The outcomes of the cases that are shown."""
        if self._show == "none":
            return set()
        pass_mark, shows_all = self._settings.pass_mark, self._show == "all"
        return {
            found
            for found in set(outcomes)
            if found and (shows_all or not is_passing(found, pass_mark))
        }

    def _note_counted(self, case: PlainCase, outcome: Outcome, *, is_noted: bool) -> None:
        """Note a case that was counted: whether it is repeated, unless that is known, and its trial."""
        if not is_noted:
            self._note_repeated(str(case.id), case.trial)
        if case.trial is not None:
            self.totals.summary.add_trial(str(case.id), outcome)

    def _read_undecided(
        self,
        cases: list[PlainCase],
        outcomes: list[Outcome | None],
        read: Callable[[int], Case | None],
        score: Callable[[int, Case], None],
    ) -> dict[int, Case | None]:
        """The decoded cases without an outcome; if one is unreadable, only those before it count."""
        found: dict[int, Case | None] = {}
        for position, outcome in enumerate(outcomes):
            if outcome is None:
                try:
                    found[position] = read(position)
                except UnreadableInput:
                    self.take_plain(cases[:position], read, score)
                    raise
        return found

    def begin_part(self, already_shown: int) -> None:
        """Gather from now on what `end_part` returns; in one of several processes."""
        self._add_strict_counts()
        self.totals = self._no_totals()
        self._names, self._kept, self._first = [], [], None
        self.seen = NamesSeen(self._settings)
        self._shown, self._not_shown = already_shown, 0
        if self._hooks.parts is not None:
            self._hooks.parts.begin()

    def end_part(self, already_shown: int, formats: Iterable[str] = ()) -> ScoredPart:
        """What was gathered since `begin_part`; the formats are those of the cases."""
        self._add_strict_counts()
        return ScoredPart(
            totals=self.totals,
            names=self._names or [],
            first=self._first,
            kept=self._kept,
            shown=self._shown - already_shown,
            not_shown=self._not_shown,
            formats=tuple(formats),
            written=None if self._hooks.parts is None else self._hooks.parts.take(),
            seen=self.seen,
        )

    @property
    def shown(self) -> int:
        """How many cases are shown so far."""
        return self._shown

    def add_part(self, part: ScoredPart) -> bool:
        """Add what another process found; returns False, and adds nothing, if it shows too many cases."""
        is_full = self._max_shown is not None and self._shown >= self._max_shown
        is_too_many = self._max_shown is not None and self._shown + part.shown > self._max_shown
        if part.shown and is_too_many and not is_full:
            return False
        self.totals.merge(part.totals)
        self.seen.merge(part.seen)
        names = [name for name, _ in part.names]
        self._note_all_repeated(names, [trial for _, trial in part.names])
        self._first = self._first or part.first
        self._not_shown += part.not_shown + (part.shown if is_full else 0)
        if not is_full:
            self._shown += part.shown
            self._kept += part.kept
            if part.shown and self._hooks.parts is not None:
                self._hooks.parts.add(part.written)
        return True

    def note_if_empty(self, path: str) -> None:
        """Note a file that was just read, if it has no record."""
        self._add_strict_counts()
        records = self.totals.records
        if records == self._records:
            self.empty_files.append(path)
        self._records = records

    def results(self) -> Results:
        """The results so far."""
        self._add_strict_counts()
        totals, summary = self.totals, self.totals.summary
        is_single = summary.cases == summary.scored == 1
        first = self._first if is_single else None
        return totals.results(
            self._settings,
            only=first,
            hides_calls=self._show == "none" or self._max_shown == 0,
            title=self._title(first) if is_single else "",
            shown=tuple(self._kept),
            not_shown=self._not_shown,
            repeated=self._repeated.noted(),
            inputs=self.inputs.noted(),
            empty_files=tuple(self.empty_files),
            metrics=tuple(
                [totals.columns[each.name].scorer(version=each.version) for each in self._metrics]
            ),
        )

    def _add_strict_counts(self) -> None:
        """Add to the totals what was counted without decoding it."""
        summary = Summary(pass_mark=self._settings.pass_mark)
        add_strict_counts(summary, self._strict)
        self.totals.add_summary(summary)
        self._strict = StrictCounter()

    def _title(self, first: Result | None) -> str:
        """The id of a single case, or the name of its file."""
        if first is not None and (has_own_id(first.case) or not self.file):
            return first.label
        return file_title(self.file)

    def _score(self, case: Case, tools: Mapping[str, Tool] | None) -> Score:
        expected, actual = case.expected or (), case.actual or ()
        if not isinstance(expected, tuple):
            expected = tuple(expected)
        return score_case(expected, actual, self._settings, tools, others=case.others)

    def _note_all_repeated(self, names: Sequence[str], trials: Sequence[int | str | None]) -> None:
        if self._names is not None:
            self._names += zip(names, trials, strict=True)
            return
        keys = set(map(hash, zip(names, trials, strict=True)))
        remembered = self._remembered
        is_new = len(keys) == len(names) and remembered.isdisjoint(keys)
        if is_new and len(remembered) + len(keys) <= _MAX_REMEMBERED:
            remembered |= keys
        else:
            for name, trial in zip(names, trials, strict=True):
                self._note_repeated(name, trial)

    def _note_repeated(self, name: str, trial: int | str | None) -> None:
        if self._names is not None:
            self._names.append((name, trial))
            return
        # Only the hash: it takes a third of the memory, and collisions are very rare.
        key = hash((name, trial))
        if key in self._remembered:
            self._repeated.add(name if trial is None else f"{name} #{trial}")
        elif len(self._remembered) < _MAX_REMEMBERED:
            self._remembered.add(key)

    def _show_plain(self, position: int, read: Callable[[int], Case | None]) -> None:
        if self._max_shown is not None and self._shown >= self._max_shown:
            self._not_shown += 1
            return
        case = read(position)
        if case is not None:
            self._show_result(self._scored(case))

    def _scored(self, case: Case) -> Result:
        """The result of a case that was counted without decoding it."""
        score = self._score(case, self.definitions.of(case.tools, case.id))
        return Result(case=case, score=score, passed=score.passed)

    def _remember_plain(
        self, cases: Sequence[PlainCase], read: Callable[[int], Case | None]
    ) -> None:
        """Keep the only case of a batch: if no other follows, the report is about this one."""
        case = read(0) if self._first is None and len(cases) == 1 else None
        if case is not None:
            self._first = self._scored(case)

    def _show_result(self, result: Result) -> None:
        if not self._has_room():
            return
        self._first = self._first or result
        (self._hooks.on_case or self._kept.append)(result)
