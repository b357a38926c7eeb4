"""Takes cases, scores them, and keeps what is worth showing or naming."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Literal, cast

from msgspec import Struct, structs

from callscore.api import score_case
from callscore.core.model import Case, Score
from callscore.core.outcome import Outcome, is_passing, outcome_of
from callscore.core.results import CaseScore, MetricValue, Results
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary
from callscore.core.tally import add_examined, examine
from callscore.core.tool import Tool
from callscore.core.totals import Notes
from callscore.engines.columns import Columns
from callscore.engines.definitions import Definitions
from callscore.errors import ModelFailed, UnreadableInput
from callscore.formats.cases import has_own_id
from callscore.formats.plain import PlainCase

if TYPE_CHECKING:
    from callscore.core.settings import Settings
    from callscore.metrics.metric import Metric

__all__ = ["Collector", "Hooks", "Show"]

Show = Literal["failing", "all", "none"]

_MOST_REMEMBERED = 1_000_000


class Hooks(Struct, frozen=True, kw_only=True):
    """What wants to be told while the cases are being scored.

    Attributes:
        on_case: is given every case to show at once, in place of keeping it for the end.
        on_outcomes: is given some scored cases, which have an `id` and a `trial`, and the outcome of
            each: its correct pairs, expected calls, actual calls, and how many of those were forbidden.
        on_score: is given every scored case, its score, and the definitions of its tools by name, or
            None where nobody knows them.
        on_values: is given what metrics say of a case, where any are asked, before its score.
        on_unscored: is given every case that has no score, for it does not say what is expected, or
            there is no answer to it.
        on_unjudged: is given the place of a case about which the model that judges gave no answer,
            the case, and why; the case is left out. Without it, the error is raised.
        on_bytes: is told how many more bytes of input have been read.
        on_file: is told the path of each file of cases before any case of it comes.
    """

    on_case: Callable[[CaseScore], None] | None = None
    on_outcomes: Callable[[Sequence[Case | PlainCase], Sequence[Outcome]], None] | None = None
    on_score: Callable[[Case, Score, Mapping[str, Tool] | None], None] | None = None
    on_values: Callable[[tuple[MetricValue, ...]], None] | None = None
    on_unscored: Callable[[Case], None] | None = None
    on_unjudged: Callable[[str, Case, ModelFailed], None] | None = None
    on_bytes: Callable[[int], None] | None = None
    on_file: Callable[[str], None] | None = None


class Collector:
    """Gathers the results of many cases."""

    def __init__(  # noqa: PLR0913  (each is something to say about a run)
        self,
        settings: Settings,
        show: Show,
        limit: int | None,
        hooks: Hooks,
        definitions: Definitions | None = None,
        *,
        metrics: Sequence[Metric] = (),
    ) -> None:
        self.not_scored = Notes()
        self.not_run = Notes()
        self.without_reference = Notes()
        self.skipped = Notes()
        self._repeated = Notes()
        self._settings = settings
        self._show = show
        self._limit = limit
        self._hooks = hooks
        self._definitions = definitions or Definitions()
        self._columns = Columns(metrics)
        self._summary = Summary(at_least=settings.at_least)
        self._remembered: set[int] = set()
        self._known: dict[Outcome, Outcome] = {}
        self._kept: list[CaseScore] = []
        self._shown = 0
        self._not_shown = 0

    @property
    def takes_plain(self) -> bool:
        """Whether cases can be counted without being decoded, but for the few that are shown."""
        shows_few = self._show == "none" or (self._show == "failing" and self._limit is not None)
        looks_at_each = bool(self._columns) or self._hooks.on_score is not None
        knows_no_tools = self._definitions.of_run is None
        changes_nothing = _changes_nothing(self._settings)
        return shows_few and knows_no_tools and changes_nothing and not looks_at_each

    def take(self, case: Case) -> None:
        """Score one case and count it, or count why it is not scored."""
        if case.expected is None or case.actual is None:
            self._leave(case)
            return
        if has_own_id(case):
            self._note_repeated(case.id, case.trial)
        self._take_scored(case, self._score(case))

    def _leave(self, case: Case) -> None:
        """Count why a case is not scored."""
        (self.not_scored if case.expected is None else self.not_run).add(case.id)
        if self._hooks.on_unscored is not None:
            self._hooks.on_unscored(case)

    def _take_scored(self, case: Case, score: Score) -> None:
        tools = self._definitions.of(case.tools, case.id)
        self._summary.add(score, trial_of=None if case.trial is None else case.id)
        if self._hooks.on_outcomes is not None:
            self._hooks.on_outcomes([case], [outcome_of(score)])
        values = self._columns.ask(case, tools)
        if values and self._hooks.on_values is not None:
            self._hooks.on_values(values)
        if self._hooks.on_score is not None:
            self._hooks.on_score(case, score, tools)
        if self._show == "all" or (self._show == "failing" and not score.passed):
            self._show_case(case, score, values)

    def take_plain(self, cases: list[PlainCase], read: Callable[[int], Case | None]) -> None:
        """As `take` for each of these, without decoding most of them.

        Args:
            cases: the cases.
            read: gives the whole case at a position, if it can be read; for those that are shown,
                or that need more care to be counted.
        """
        examined = examine([case.expected for case in cases], [case.actual for case in cases])
        outcomes = examined.outcomes
        strange = {} if all(outcomes) else self._read_strange(cases, outcomes, read)
        add_examined(self._summary, examined)
        counted = list(compress(cases, outcomes)) if strange else cases
        self._note_all_repeated(counted)
        if self._hooks.on_outcomes is not None:
            # One object a kind of outcome: whoever keeps them keeps no more than that.
            found = cast("list[Outcome]", list(filter(None, outcomes)))
            self._hooks.on_outcomes(counted, list(map(self._known.setdefault, found, found)))
        failing = {outcome for outcome in set(outcomes) if outcome and self._is_failing(outcome)}
        for position, (case, outcome) in enumerate(zip(cases, outcomes, strict=True)):
            if outcome is None:
                self._take_read(strange[position])
            elif case.trial is not None:
                self._summary.add_trial(str(case.id), outcome)
            if outcome in failing:
                self._show_plain(position, read)

    def _read_strange(
        self,
        cases: list[PlainCase],
        outcomes: list[Outcome | None],
        read: Callable[[int], Case | None],
    ) -> dict[int, Case | None]:
        """The cases without an outcome, read whole; if one is unreadable, only those before count."""
        found: dict[int, Case | None] = {}
        for position, outcome in enumerate(outcomes):
            if outcome is None:
                try:
                    found[position] = read(position)
                except UnreadableInput:
                    self.take_plain(cases[:position], read)
                    raise
        return found

    def _take_read(self, case: Case | None) -> None:
        if case is not None:
            self.take(case)

    def results(self) -> Results:
        """Everything so far."""
        return Results(
            settings=self._settings,
            summary=self._summary,
            cases=tuple(self._kept),
            not_shown=self._not_shown,
            not_scored=self.not_scored.noted(),
            not_run=self.not_run.noted(),
            without_reference=self.without_reference.noted(),
            repeated=self._repeated.noted(),
            skipped=self.skipped.noted(),
            metrics=self._columns.results(),
        )

    def _score(self, case: Case) -> Score:
        tools = self._definitions.of(case.tools, case.id)
        expected, actual = tuple(case.expected or ()), case.actual or ()
        return score_case(expected, actual, self._settings, tools, others=case.others)

    def _is_failing(self, outcome: Outcome) -> bool:
        return self._show == "failing" and not is_passing(outcome, self._settings.at_least)

    def _note_all_repeated(self, cases: list[PlainCase]) -> None:
        keys = {hash((str(case.id), case.trial)) for case in cases}
        remembered = self._remembered
        is_new = len(keys) == len(cases) and remembered.isdisjoint(keys)
        if is_new and len(remembered) + len(keys) <= _MOST_REMEMBERED:
            remembered |= keys
        else:
            for case in cases:
                self._note_repeated(str(case.id), case.trial)

    def _note_repeated(self, name: str, trial: int | str | None) -> None:
        # The hash alone: it is a third of the memory, and two of a million hardly ever collide.
        key = hash((name, trial))
        if key in self._remembered:
            self._repeated.add(name if trial is None else f"{name} #{trial}")
        elif len(self._remembered) < _MOST_REMEMBERED:
            self._remembered.add(key)

    def _show_plain(self, position: int, read: Callable[[int], Case | None]) -> None:
        if self._limit is not None and self._shown >= self._limit:
            self._not_shown += 1
            return
        case = read(position)
        if case is not None:
            self._show_case(case, self._score(case))

    def _show_case(self, case: Case, score: Score, values: tuple[MetricValue, ...] = ()) -> None:
        if self._limit is not None and self._shown >= self._limit:
            self._not_shown += 1
            return
        self._shown += 1
        shown = CaseScore(
            id=case.id, score=score, trial=case.trial, tags=tuple(case.tags), metrics=values
        )
        if self._hooks.on_case is not None:
            self._hooks.on_case(shown)
        else:
            self._kept.append(shown)


# What has no say in which calls are equal, under the other defaults.
_HARMLESS = ("at_least", "argument_match_threshold", "extra_arguments")


def _changes_nothing(settings: Settings) -> bool:
    """Whether calls are compared, and count, as they do by default."""
    defaults = {setting: getattr(DEFAULT, setting) for setting in _HARMLESS}
    return structs.replace(settings, **defaults) == DEFAULT
