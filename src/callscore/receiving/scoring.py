"""What a trace is worth: scored against the case that it names, or checked without a reference.

The numbers are those of `callscore score` and `callscore check`, which add up their cases in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from callscore.api import score_case
from callscore.core.call import NOT_CAPTURED, Tool
from callscore.core.case import Case
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.score import Fault, Score
from callscore.core.settings import DEFAULT, Settings
from callscore.core.totals import NameCounter
from callscore.engines.checking import CallChecker
from callscore.engines.collector import Collector, ScoreHooks
from callscore.engines.inputs import REFERENCES, InputOptions, read_cases
from callscore.engines.local import raise_at
from callscore.errors import CallscoreError, UnreadableInput
from callscore.formats.cases import NO_ID, join_case
from callscore.sources import BadRecord
from callscore.words.reasons import fault_sentence

if TYPE_CHECKING:
    from callscore.checks.check import CheckResults
    from callscore.core.results import Noted, Result, Results
    from callscore.receiving.closed_traces import ClosedTrace

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
_TRACES = Plural(("trace", "traces"), ("трасса", "трассы", "трасс"))
_CALLS = Plural(("call", "calls"), ("вызов", "вызова", "вызовов"))
_REMARKS: dict[str, tuple[Plural, Phrase]] = {
    "nameless": (
        _TRACES,
        Phrase(
            "{count} not scored: no span has {match}. Set it in the agent, or pass the attribute that names"
            " the case: --match ATTRIBUTE",
            "не оценено: {count}, ни в одном спане нет {match}. Задайте его в агенте или укажите атрибут,"
            " который называет случай: --match ATTRIBUTE",
        ),
    ),
    "ambiguous": (
        _TRACES,
        Phrase(
            "{count} not scored: the spans have several values of {match}. Set it on the root span",
            "не оценено: {count}, в спанах разные значения {match}. Задайте его в корневом спане",
        ),
    ),
    "late": (
        _TRACES,
        Phrase(
            "{count} not scored: the spans arrived after the trace was closed. Pass a larger --settle",
            "не оценено: {count}, спаны пришли после закрытия трассы. Увеличьте --settle",
        ),
    ),
    "without arguments": (
        _CALLS,
        Phrase(
            "{count} without arguments in the trace: they match no expected arguments. Turn on the capture of"
            " content in the instrumentation of the agent",
            "в трассах нет аргументов: {count}; с ожидаемыми аргументами они не совпадут. Включите запись"
            " содержимого в инструментации агента",
        ),
    ),
}
_NO_TRACES = Phrase("no trace was received", "не получено ни одной трассы")
_NONE_SCORED = Phrase(
    "no case was scored: no trace that could be read has the id of a reference. Check the ids, or pass the"
    " attribute that has them: --match ATTRIBUTE",
    "ни один случай не оценён: ни у одной прочитанной трассы нет id эталона. Проверьте id или укажите"
    " атрибут с ними: --match ATTRIBUTE",
)


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


class Taker:
    """Takes traces without scoring them."""

    def take(self, trace: ClosedTrace) -> Outcome:
        """What can be said about a trace."""
        why: Unscored = "unreadable" if trace.case is None else "received"
        return Outcome(why, problem=trace.problem)

    def results(self) -> None:
        """Nothing."""


class Scorer:
    """Scores traces against references.

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

        def take_result(result: Result) -> None:
            self._latest = result
            if on_result is not None:
                on_result(result)

        hooks = ScoreHooks(on_result=take_result)
        self._collector = Collector(
            settings, "failing", max_shown, hooks, tools=tools, metrics=metrics
        )
        for name, reference in references.items():  # not hours later, when a trace names it
            try:
                score_case(tuple(reference.expected or ()), (), settings, tools)
            except CallscoreError as error:
                raise_at(f"case {name}", reference, error)

    def take(self, trace: ClosedTrace) -> Outcome:
        """Score a trace."""
        reference = self._references.get(trace.case_id or "")
        if trace.case is None:
            return self._skip(trace, trace.problem)
        if reference is None or trace.part > 1:
            return self._unmatched(trace)
        self._seen.add(reference.id)
        case = join_case(reference, trace.case)
        try:
            self._collector.take(case, f"trace {trace.trace_id}")
        except CallscoreError as error:  # of what this trace has: the receiver goes on
            return self._skip(trace, str(error))
        why: Unscored = "unreadable" if case.actual is None else ""
        return Outcome(why, self._latest.score, problem=trace.problem)

    def _skip(self, trace: ClosedTrace, problem: str) -> Outcome:
        self._collector.skipped.add(f"trace {trace.trace_id}: {problem}")
        return Outcome("unreadable", problem=problem)

    def _unmatched(self, trace: ClosedTrace) -> Outcome:
        if trace.part > 1:
            return Outcome("late")
        if trace.case_id is None:
            return Outcome("ambiguous" if trace.case_ids else "nameless")
        self._collector.without_reference.add(trace.id)  # the others are no fault of the references
        return Outcome("unknown")

    def results(self) -> Results:
        """The results of all traces; references without a trace count as cases without an answer."""
        for name, reference in self._references.items():
            if name not in self._seen:
                self._collector.take(join_case(reference, Case(id=NO_ID)), f"case {name}")
        return self._collector.results()


class Checker:
    """Checks the calls of traces without references.

    Args:
        tools: the definitions of the tools; None for those in each trace.
    """

    def __init__(self, tools: Mapping[str, Tool] | None, *, max_shown: int) -> None:
        self._checker = CallChecker(tools, max_shown=max_shown, skip_bad=True)

    def take(self, trace: ClosedTrace) -> Outcome:
        """Check a trace."""
        place, problem = f"trace {trace.trace_id if trace.case_id else trace.id}", trace.problem
        if trace.case is not None:
            # A trace that names no case has its own id, which the place has already.
            case = trace.case if trace.case_id else replace(trace.case, id=NO_ID)
            try:
                return Outcome(faults=self._checker.check(place, case))
            except CallscoreError as error:
                problem = str(error)
        self._checker.take([BadRecord(place, problem)])
        return Outcome("unreadable", problem=problem)

    def results(self) -> CheckResults:
        """The results of all traces."""
        return self._checker.results(1)


class Remarks:
    """What is to be said about the traces of a session: why some have no score, or one that says little."""

    def __init__(self, match: str) -> None:
        self._match = match
        self._traces = 0
        self._counts = {why: NameCounter(each_once=True) for why in _REMARKS}

    def take(self, trace: ClosedTrace, outcome: Outcome) -> None:
        """Count a trace."""
        self._traces += 1
        if outcome.unscored in self._counts:
            self._counts[outcome.unscored].add(trace.id)
        lost = sum(call.error == NOT_CAPTURED for call in trace.calls)
        if lost:
            self._counts["without arguments"].add(trace.id, lost)

    def notes(self, lang: Language) -> list[tuple[str, Noted]]:
        """Sentences, and the traces that each is about."""
        found = []
        for why, (nouns, phrase) in _REMARKS.items():
            noted = self._counts[why].noted()
            if noted.count:
                count = count_of(nouns, noted.count, lang)
                found.append((say(phrase, lang, count=count, match=self._match), noted))
        return found

    def why_none(self, lang: Language, *, is_scored: bool) -> str:
        """Why nothing was scored, or checked, if nothing was; empty if only the traces know."""
        if not self._traces:
            return say(_NO_TRACES, lang)
        return say(_NONE_SCORED, lang) if is_scored else ""


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
