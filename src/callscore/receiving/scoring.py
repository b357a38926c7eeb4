"""What a trace is worth: scored against the case that it names, or checked without a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from callscore.api import score_case
from callscore.core.case import Case
from callscore.core.phrases import Phrase, say
from callscore.core.score import Fault, Score
from callscore.core.settings import DEFAULT, Settings
from callscore.engines.checking import CheckHooks, CheckTotals
from callscore.engines.collector import Collector, ScoreHooks
from callscore.engines.inputs import REFERENCES, InputOptions, read_cases
from callscore.engines.local import raise_at
from callscore.errors import CallscoreError, UnreadableInput
from callscore.formats.cases import NO_ID, join_case
from callscore.sources import BadRecord
from callscore.words.reasons import fault_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from callscore.checks.check import CheckResults
    from callscore.core.call import Tool
    from callscore.core.phrases import Language
    from callscore.core.results import Result, Results
    from callscore.receiving.closed_traces import ClosedTrace

__all__ = [
    "Checker",
    "Outcome",
    "Scorer",
    "Unscored",
    "read_references",
    "reason_text",
    "result_fields",
]

# Why a trace has no score: it was not to be scored, it names no case or several, no reference has that
# id, it is a part that came late, or its calls could not be read or compared.
Unscored = Literal["", "received", "nameless", "ambiguous", "unknown", "late", "unreadable"]
_REASONS: dict[Unscored, Phrase] = {
    "nameless": Phrase("no span has {match}", "атрибута {match} нет ни в одном спане"),
    "ambiguous": Phrase(
        "its spans have several values of {match}: {ids}", "в спанах разные значения {match}: {ids}"
    ),
    "unknown": Phrase("no reference has this id", "такого id нет среди эталонов"),
    "late": Phrase(
        "its spans arrived after the trace was closed", "спаны пришли после закрытия трассы"
    ),
    "unreadable": Phrase("{problem}", "{problem}"),
}
_MAX_SHOWN_IDS = 3


class Outcome(Struct, frozen=True):
    """What became of a trace.

    Attributes:
        unscored: why it has no score, and was not checked; empty if it has, or was.
        faults: those that were found; None if it was not checked.
        problem: why the calls could not be read or compared, in a sentence.
    """

    unscored: Unscored = ""
    score: Score | None = None
    faults: tuple[Fault, ...] | None = None
    problem: str = ""


def reason_text(trace: ClosedTrace, outcome: Outcome, match: str, lang: Language = "en") -> str:
    """Why a trace was not scored; empty if it was, or was not to be."""
    phrase = _REASONS.get(outcome.unscored)
    if phrase is None:
        return ""
    ids = ", ".join(trace.case_ids[:_MAX_SHOWN_IDS])
    return say(phrase, lang, match=match, ids=ids, problem=outcome.problem.rstrip("."))


def read_references(paths: Sequence[str], inputs: InputOptions) -> dict[str, Case]:
    """The references of files, by id.

    Raises:
        UnreadableInput: one cannot be read, has no id, or the id of another one.
    """
    found: dict[str, Case] = {}
    places: dict[str, str] = {}
    for path in paths:
        for item in read_cases(path, REFERENCES, inputs, allow_remote=True):
            if isinstance(item, BadRecord):
                raise UnreadableInput(item.place, item.problem)
            place, case = item
            if case.id == NO_ID:
                raise UnreadableInput(place, "the reference has no id, which traces would name.")
            if case.id in found:
                problem = f"duplicate reference id {case.id!r}, first used at {places[case.id]}."
                raise UnreadableInput(place, f"{problem} Keep one of them.")
            found[case.id], places[case.id] = case, place
    if not found:
        raise UnreadableInput(", ".join(paths), "no references found.")
    return found


class Scorer:
    """Scores traces against references; without any, it counts them.

    Args:
        references: by id.
        settings: how calls are compared.
        tools: the definitions of the tools; None for those in each trace.
        metrics: of other tools.
        on_result: called with every result.
        max_shown: how many failing cases are a part of the results.

    Raises:
        UnreadableInput: a reference contradicts itself.
        InvalidSettings: the settings do not fit a reference, or a metric is unknown.
    """

    def __init__(  # noqa: PLR0913  (all are options)
        self,
        references: Mapping[str, Case],
        *,
        settings: Settings = DEFAULT,
        tools: Mapping[str, Tool] | None = None,
        metrics: Sequence[str] = (),
        on_result: Callable[[Result], None] | None = None,
        max_shown: int = 0,
    ) -> None:
        self._references = references
        self._seen: set[str] = set()
        self._on_result = on_result
        self._latest: Result | None = None
        hooks = ScoreHooks(on_result=self._take_result)
        self._collector = Collector(
            settings, "failing", max_shown, hooks, tools=tools, metrics=metrics
        )
        for name, reference in references.items():  # not hours later, when a trace names it
            try:
                score_case(tuple(reference.expected or ()), (), settings, tools)
            except CallscoreError as error:
                raise_at(f"case {name}", reference, error)

    def _take_result(self, result: Result) -> None:
        self._latest = result
        if self._on_result is not None:
            self._on_result(result)

    def take(self, trace: ClosedTrace) -> Outcome:
        """Score a trace."""
        place = f"trace {trace.trace_id}"
        if trace.case is None:
            self._collector.skipped.add(f"{place}: {trace.problem}")
            return Outcome("unreadable", problem=trace.problem)
        if not self._references:
            self._take_case(trace.case, place)
            return Outcome("received", problem=trace.problem)
        return self._take_named(trace, trace.case, place)

    def _take_named(self, trace: ClosedTrace, case: Case, place: str) -> Outcome:
        reference = self._references.get(trace.case_id or "")
        if reference is None or trace.part > 1:
            why = _why_unmatched(trace)
            if why == "unknown":  # the others are no fault of the references
                self._collector.without_reference.add(trace.id)
            return Outcome(why)
        self._seen.add(reference.id)
        problem = self._take_case(join_case(reference, case), place)
        if problem or case.actual is None:
            return Outcome("unreadable", problem=problem or trace.problem)
        result = self._latest
        return Outcome(score=None if result is None else result.score)

    def _take_case(self, case: Case, place: str) -> str:
        """Score a case; returns why it could not be scored."""
        self._latest = None
        try:
            self._collector.take(case, place)
        except CallscoreError as error:  # of what this trace has: the receiver goes on
            self._collector.skipped.add(f"{place}: {error}")
            return str(error)
        return ""

    def results(self) -> Results:
        """The results of all traces; references without a trace count as cases without an answer."""
        for name, reference in self._references.items():
            if name not in self._seen:
                self._collector.take(join_case(reference, Case(id=NO_ID)), f"case {name}")
        return self._collector.results()


def _why_unmatched(trace: ClosedTrace) -> Unscored:
    if trace.part > 1:
        return "late"
    if trace.case_id is not None:
        return "unknown"
    return "ambiguous" if trace.case_ids else "nameless"


class Checker:
    """Checks the calls of traces without references.

    Args:
        tools: the definitions of the tools; None for those in each trace.
    """

    def __init__(self, tools: Mapping[str, Tool] | None, *, max_shown: int) -> None:
        self._totals = CheckTotals(tools, max_shown, CheckHooks(), skip_bad=True)

    def take(self, trace: ClosedTrace) -> Outcome:
        """Check a trace."""
        place = f"trace {trace.trace_id if trace.case_id else trace.id}"
        if trace.case is None:
            self._totals.take_all(iter([BadRecord(place, trace.problem)]))
            return Outcome("unreadable", problem=trace.problem)
        try:
            # A trace that names no case has its own id, which the place has already.
            case = trace.case if trace.case_id else replace(trace.case, id=NO_ID)
            faults = self._totals.check(place, case)
        except CallscoreError as error:
            self._totals.take_all(iter([BadRecord(place, str(error))]))
            return Outcome("unreadable", problem=str(error))
        return Outcome(faults=faults)

    def results(self) -> CheckResults:
        """The results of all traces."""
        return self._totals.results(1)


def result_fields(outcome: Outcome, reason: str) -> dict[str, Any]:
    """What the line of a trace says about its outcome; `reason` is why it was not scored."""
    score = outcome.score
    if score is not None:
        missed, extra = score.unpaired
        counts = {
            "correct": len(score.correct),
            "incorrect": len(score.incorrect),
            "missed": len(missed),
            "extra": len(extra),
        }
        rates = {name: getattr(score, name) for name in ("f1", "precision", "recall")}
        return {"result": {"passed": score.passed, **rates, **counts}}
    if outcome.faults is not None:
        return {"faults": [_fault_fields(fault) for fault in outcome.faults]}
    return {"problem": reason} if reason else {}


def _fault_fields(fault: Fault) -> dict[str, Any]:
    message = fault_sentence(fault)
    return {"kind": fault.kind, "tool": fault.tool, "index": fault.index, "message": message}
