"""Scores cases one after another, counts all of them, and keeps those to show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import compress
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, structs

from callscore.api import score_case
from callscore.core.budget import OverBudget
from callscore.core.case import Case
from callscore.core.fast_strict import StrictCounter
from callscore.core.results import (
    Failure,
    Result,
    Results,
)
from callscore.core.score import Outcome, is_passing
from callscore.core.settings import DEFAULT, Settings
from callscore.core.summary import Summary, add_strict_counts
from callscore.core.totals import Column, InputCounter, NameCounter, Show, Totals
from callscore.core.unused_rules import NamesSeen, UnusedRule
from callscore.engines.inputs import Found, file_title
from callscore.engines.pool import LOST_RECORD
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import (
    CallscoreError,
    InvalidCall,
    InvalidOption,
    InvalidSettings,
    ModelFailed,
    UnreadableInput,
)
from callscore.formats.cases import has_own_id
from callscore.sources import BadRecord

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.plain_cases import PlainCase
    from callscore.metrics.metric import Metric

    Metrics = str | Metric | Iterable[str | Metric]

_Id = tuple[str, int | str | None]  # with the trial
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
        render: how another process writes a case, so that `on_case` is called with that instead; the
            first case that a process finds is not written yet. Without it, no other process is used
            with `on_case`.
        on_result: called with the result of every case, scored or not, with the values of metrics.
        on_unjudged: called with the place of a case for which the judge gave no answer, the case, and
            the error; the case is left out. Without it, the error is raised.
        on_bytes: called with the number of bytes that were read since the last call.
        on_file: called with the path of each file before its cases.
        on_unfound: called at the end with each field of a case whose path leads nowhere in all
            records, and the path; without it, this is a warning.
        on_unused: called at the end with the rules of the settings that match no call and no
            definition, if there are any; without any hooks, this is a warning.
    """

    on_case: Callable[[Any], None] | None = None
    takes_unanswered: bool = False
    render: Callable[[Any], Any] | None = None
    on_result: Callable[[Result], None] | None = None
    on_unjudged: Callable[[str, Case, ModelFailed], None] | None = None
    on_bytes: Callable[[int], None] | None = None
    on_file: Callable[[str], None] | None = None
    on_unfound: Callable[[str, str], None] | None = None
    on_unused: Callable[[Sequence[UnusedRule]], None] | None = None

    @property
    def may_split(self) -> bool:
        """Whether cases may be scored in other processes: only if no hook needs all of them here."""
        return self.on_result is None and (self.on_case is None or self.render is not None)


NO_HOOKS = ScoreHooks()


class ScoredPart(Struct, frozen=True, kw_only=True):
    """What another process found in some of the cases; `Collector.add_part` takes it.

    Attributes:
        ids: the ids and trials of all cases that have an id, to find those that are repeated.
        kept: the cases to show; all but the first as `ScoreHooks.render` writes them.
        formats: those of what was read.
    """

    totals: Totals
    ids: list[_Id]
    first: Result | None
    kept: list[Any]
    not_shown: int
    seen: NamesSeen
    formats: list[str]


class Collector:
    """Scores cases one after another, counts all of them, and keeps those to show."""

    def __init__(  # noqa: PLR0913  (all are options)
        self,
        settings: Settings,
        show: Show,
        max_shown: int | None,
        hooks: ScoreHooks = NO_HOOKS,
        *,
        tools: Any = None,
        metrics: Metrics = (),
        skip_bad: bool = False,
    ) -> None:
        self.definitions = ToolDefinitions(tools)
        self.empty_files: list[str] = []
        self.inputs = InputCounter()
        self.has_parts = False  # scored in other processes
        self.file = ""  # that was read last
        self._records = 0  # of the files before
        self._ids: list[_Id] | None = None  # of a part
        self._settings = settings
        self._show = show
        self._max_shown = max_shown
        self._hooks = hooks
        self._on_case, self._render = hooks.on_case, hooks.render
        self._takes_unanswered = hooks.on_case is None or hooks.takes_unanswered
        self._keeps_all = hooks.on_case is None and show == "all" and max_shown is None
        self._skip_bad = skip_bad
        self._metrics: tuple[Metric, ...] = ()
        if metrics:
            from callscore.metrics.registry import resolve_metrics

            self._metrics = resolve_metrics(metrics)
        self._begin()

    def _begin(self) -> None:
        self.totals = Totals.of(self._settings)
        self.totals.columns = {metric.name: Column(metric.name) for metric in self._metrics}
        self.seen = NamesSeen(self._settings)
        self._strict = StrictCounter()
        self._kept: list[Any] = []  # results, or what is rendered of them
        self._first: Result | None = None
        self._shown = self._not_shown = 0
        self._repeated = NameCounter(each_once=True)
        self._remembered: set[int] = set()

    @property
    def skipped(self) -> NameCounter:
        """The records that could not be read: places and problems."""
        return self.totals.skipped

    @property
    def takes_plain(self) -> bool:
        """Whether cases can be counted without decoding them, except the few that are shown."""
        shows_few = self._show == "none" or (
            self._show == "failing" and self._max_shown is not None
        )
        knows_tools = self.definitions.of_run is not None
        if not shows_few or self._hooks.on_result is not None or knows_tools or self._metrics:
            return False
        defaults = {setting: getattr(DEFAULT, setting) for setting in _IRRELEVANT_SETTINGS}
        return structs.replace(self._settings, **defaults) == DEFAULT

    def take_found(self, found: Found) -> Result | None:
        """Like `take` for what was found in a file; None if it cannot be read, scored or judged.

        Raises:
            UnreadableInput: it is not to be skipped.
        """
        if isinstance(found, BadRecord):
            self.refuse(found.place, found.problem)
            return None
        place, case = found
        try:
            return self.take(case, place)
        except CallscoreError as given:
            error = placed_error(place, case, given)
            if isinstance(error, UnreadableInput):
                self.refuse(error.place, error.problem)
            elif isinstance(error, ModelFailed) and self._hooks.on_unjudged is not None:
                self._hooks.on_unjudged(place, case, error)
            else:
                raise error from (None if error is given else given)
        return None

    def refuse(self, place: str, problem: str) -> None:
        """Count a record that cannot be read, if it is to be skipped."""
        if not self._skip_bad and problem != LOST_RECORD:
            error = UnreadableInput(place, problem)
            error.is_one_record = True
            raise error
        self.skipped.add(f"{place}: {problem}")

    def take(self, case: Case, place: str = "") -> Result:
        """Score one case and count it, or count why it is not scored.

        The place names a case without an id.
        """
        tools = self.definitions.of(case.tools, place)
        name = case.id if has_own_id(case) else ""
        if case.expected is UNSET:
            result = Result(case=case, status="not_scored")
        elif case.actual is None:  # nothing to score, but leaving it out would reward it
            failure = Failure(case=case.id, kind="missing", problem=_NO_ANSWER)
            result = Result(case=case, status="error", failure=failure)
        else:
            if name:
                self._note_id((name, case.trial))
            self.seen.take(case.expected, case.actual, tools)
            result = self._scored(case, tools)
            self._first = self._first or result
        self.totals.add(result, name=name or place, place=place)
        if self._hooks.on_result is not None:
            self._hooks.on_result(result)
        if self._shows(result):
            self._show_case(result)
        return result

    def _scored(self, case: Case, tools: Mapping[str, Tool] | None) -> Result:
        expected, actual = case.expected or (), case.actual or ()
        expected = expected if isinstance(expected, tuple) else tuple(expected)
        score = score_case(expected, actual, self._settings, tools, others=case.others)
        # Metrics do not know the settings: they get all calls, and of several answers the first.
        values = [metric.value_of(expected, actual, tools) for metric in self._metrics]
        return Result(case=case, score=score, values=tuple(values), passed=score.passed)

    def _shows(self, result: Result) -> bool:
        """Whether a case is shown if there is room; those that expect nothing are kept only with all others."""
        if result.score is not None:
            return self._show == "all" or (self._show == "failing" and not result.passed)
        if result.failure is not None:
            return self._show != "none" and self._takes_unanswered
        return self._keeps_all

    def _show_case(self, case: Any) -> None:
        """Show a case if there is room for one more; it is counted in any case."""
        if not self._has_room:
            self._not_shown += 1
            return
        self._shown += 1
        if self._on_case is not None:
            self._on_case(case)
        else:
            render = self._render if self._kept else None
            self._kept.append(case if render is None else render(case))

    @property
    def _has_room(self) -> bool:
        return self._max_shown is None or self._shown < self._max_shown

    def take_plain(self, cases: list[PlainCase], read: Callable[[int], Found]) -> None:
        """Like `take_found` for each of these, without decoding most of them.

        `read` decodes the case at a position: to show it, or if it cannot be counted without.
        """
        expected = [case.expected for case in cases]
        outcomes = self._strict.examine(expected, [case.actual for case in cases])
        undecided = {} if all(outcomes) else self._read_undecided(cases, outcomes, read)
        self._strict.count(expected, outcomes)
        counted = [*compress(cases, outcomes)] if undecided else cases
        self._note_ids([(str(case.id), case.trial) for case in counted])
        shown = self._shown_among(outcomes)
        has_trials = any(case.trial is not None for case in counted)
        looked_at = zip(cases, outcomes, strict=True) if shown or undecided or has_trials else ()
        for position, (case, outcome) in enumerate(looked_at):
            if outcome is None:
                self.take_found(undecided[position])
            elif case.trial is not None:
                self.totals.summary.add_trial(str(case.id), outcome)
            if outcome in shown:
                self._show_plain(read, position)

    def _read_undecided(
        self, cases: list[PlainCase], outcomes: list[Outcome | None], read: Callable[[int], Found]
    ) -> dict[int, Found]:
        """What is found of the cases without an outcome; if one is unreadable, only those before it count."""
        found: dict[int, Found] = {}
        for position, outcome in enumerate(outcomes):
            if outcome is None:
                item = found[position] = read(position)
                if isinstance(item, BadRecord) and not self._skip_bad:
                    self.take_plain(cases[:position], read)
                    self.take_found(item)
        return found

    def _show_plain(self, read: Callable[[int], Found], position: int) -> None:
        if not self._has_room:
            self._not_shown += 1
            return
        found = read(position)
        if not isinstance(found, BadRecord):
            result = self._scored(found[1], None)
            self._first = self._first or result
            self._show_case(result)

    def _shown_among(self, outcomes: list[Outcome | None]) -> set[Outcome]:
        """The outcomes of the cases that are shown."""
        if self._show == "none":
            return set()
        return {
            found
            for found in set(outcomes)
            if found and not is_passing(found, self._settings.pass_mark)
        }

    def new_part(self) -> Collector:
        """A collector of some of the cases, which can be sent to another process."""
        part = copy(self)
        part._hooks, part._on_case, part._ids = NO_HOOKS, None, []  # noqa: SLF001  (the same class)
        part._begin()  # noqa: SLF001  (likewise)
        return part

    def part(self, formats: list[str]) -> ScoredPart:
        """What was found; the formats are those of the cases."""
        self._add_strict_counts()
        return ScoredPart(
            totals=self.totals,
            ids=self._ids or [],
            first=self._first,
            kept=self._kept,
            not_shown=self._not_shown,
            seen=self.seen,
            formats=formats,
        )

    def add_part(self, part: ScoredPart) -> None:
        """Add what another process found."""
        self.has_parts = True
        self.totals.merge(part.totals)
        self.seen.merge(part.seen)
        self._note_ids(part.ids)
        self._first = self._first or part.first
        self._not_shown += part.not_shown
        for case in part.kept:
            self._show_case(case)

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

    def _note_ids(self, ids: list[_Id]) -> None:
        """Note the ids and trials of scored cases, to find those that are repeated."""
        keys = set(map(hash, ids))
        remembered = self._remembered
        is_new = len(keys) == len(ids) and remembered.isdisjoint(keys)
        if self._ids is not None:
            self._ids += ids
        elif is_new and len(remembered) + len(keys) <= _MAX_REMEMBERED:
            remembered |= keys
        else:
            for each in ids:
                self._note_id(each)

    def _note_id(self, given: _Id) -> None:
        if self._ids is not None:
            self._ids.append(given)
            return
        key = hash(given)  # it takes a third of the memory, and collisions are very rare
        if key in self._remembered:
            name, trial = given
            self._repeated.add(name if trial is None else f"{name} #{trial}")
        elif len(self._remembered) < _MAX_REMEMBERED:
            self._remembered.add(key)


def placed_error(place: str, case: Case, error: CallscoreError) -> CallscoreError:
    """An error of scoring a case; if the cause is in what the case expects, it names the place."""
    if isinstance(error, OverBudget):
        named = f"case {case.id!r}: " if has_own_id(case) else ""
        return UnreadableInput(place, f"{named}{error}")
    if isinstance(error, InvalidCall):
        return UnreadableInput(place, str(error))
    if isinstance(error, InvalidSettings) and not isinstance(error, InvalidOption):
        return InvalidSettings(f"{place}: {error}")
    return error  # of a metric or a model, not of the case
