"""What a trace is worth: scored against the case that it names, or checked without a reference.

The numbers are those of `callscore score` and `callscore check`, which add up their cases in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from callscore.api import score_case
from callscore.core.call import NOT_CAPTURED, Tool
from callscore.core.case import Case
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.settings import DEFAULT, Settings
from callscore.core.totals import NameCounter
from callscore.engines.checking import CallChecker
from callscore.engines.collector import Collector, ScoreHooks, placed_error
from callscore.engines.inputs import REFERENCES, InputOptions, read_cases
from callscore.errors import CallscoreError, UnreadableInput
from callscore.formats.cases import NO_ID, join_case
from callscore.hiding.hider import Hider
from callscore.sources import BadRecord
from callscore.words.plain_data import call_fields
from callscore.words.reasons import fault_sentence
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.core.results import Noted, Result
    from callscore.receiving.traces import Trace, TraceReader, Unscored

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
_NO_ARGUMENTS = "without arguments"
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
    _NO_ARGUMENTS: (
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


def reason_text(trace: Trace, match: str, lang: Language = "en") -> str:
    """Why a trace was not scored; empty if it was, or was not to be."""
    phrase = _REASONS.get(trace.unscored)
    if phrase is None:
        return ""
    ids = ", ".join(trace.case_ids[:_MAX_SHOWN_IDS])
    return say(phrase, lang, match=match, ids=ids, problem=trace.problem.rstrip("."))


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


class Session:
    """Reads the calls of traces, scores or checks them, and adds up what it finds.

    Args:
        reader: reads the calls of a trace.
        references: those that traces are scored against, by id; without any, they are not scored.
        checks: whether traces are checked.
        settings: how calls are compared.
        tools: the definitions of the tools; None for those in each trace.
        metrics: of other tools.
        on_result: called with every result of a score.
        max_shown: how many failing cases, or faults, are a part of the results.

    Raises:
        UnreadableInput: a reference contradicts itself.
        InvalidSettings: the settings do not fit a reference, or a metric is unknown.
    """

    def __init__(  # noqa: PLR0913  (all are options)
        self,
        reader: TraceReader,
        *,
        references: Mapping[str, Case],
        checks: bool = False,
        settings: Settings = DEFAULT,
        tools: Mapping[str, Tool] | None = None,
        metrics: Sequence[str] = (),
        on_result: Callable[[Result], None] | None = None,
        max_shown: int = 0,
    ) -> None:
        self._reader = reader
        self._references = references
        self._unseen = dict(references)
        self._is_checked = checks
        self._traces = 0
        self._remarks = {why: NameCounter(each_once=True) for why in _REMARKS}
        self._faults = CallChecker(tools, max_shown=max_shown, skip_bad=True)
        hooks = ScoreHooks(on_result=on_result)
        self._scores = Collector(
            settings, "failing", max_shown, hooks, tools=tools, metrics=metrics
        )
        self._hider = Hider(is_live=True)
        for name, reference in references.items():  # not hours later, when a trace names it
            try:
                score_case(tuple(reference.expected or ()), (), settings, tools)
            except CallscoreError as error:
                raise placed_error(f"case {name}", reference, error) from error

    def take(self, trace: Trace) -> bytes:
        """Read a trace and score it; what was found is noted in it, and in the line that is returned.

        That it cannot be read or scored must not stop the receiver, not even a mistake of this program.
        """
        is_read, place = True, f"trace {trace.trace_id}"
        try:
            self._reader.read(trace)
            place = f"trace {trace.trace_id if trace.case_id else trace.id}"
            is_read = trace.case is not None
            if trace.case is not None:
                self._judge(trace, trace.case, place)
        except CallscoreError as error:
            is_read, trace.problem = False, str(error)
        except Exception as error:  # noqa: BLE001
            is_read, trace.problem, trace.case = False, repr(error), None
        if not is_read:
            trace.unscored = "unreadable"
            self._scores.skipped.add(f"{place}: {trace.problem}")
            self._faults.take([BadRecord(place, trace.problem)])
        self._traces += 1
        if trace.unscored in self._remarks:
            self._remarks[trace.unscored].add(trace.id)
        lost = sum(call.error == NOT_CAPTURED for call in trace.calls)
        if lost:
            self._remarks[_NO_ARGUMENTS].add(trace.id, lost)
        return self._line(trace)

    def _judge(self, trace: Trace, case: Case, place: str) -> None:
        reference = self._references.get(trace.case_id or "")
        if self._is_checked:
            # A trace that names no case has its own id, which the place has already.
            known = case if trace.case_id else replace(case, id=NO_ID)
            trace.faults = self._faults.check(place, known)
        elif not self._references:
            return
        elif trace.part > 1:
            trace.unscored = "late"
        elif trace.case_id is None:
            trace.unscored = "ambiguous" if trace.case_ids else "nameless"
        elif reference is None:
            trace.unscored = "unknown"
            self._scores.totals.without_reference.add(trace.id)
        else:
            self._unseen.pop(reference.id, None)
            trace.score = self._scores.take(join_case(reference, case), place).score
            trace.unscored = "unreadable" if trace.score is None else ""

    def _line(self, trace: Trace) -> bytes:
        """The line of a trace.

        One that names a case, but whose calls cannot be read, has no `actual`: it must not be scored as if
        no call had been made. The secrets of the environment are hidden, as in everything that is saved.
        """
        record: dict[str, Any] = {"id": trace.id, "trace_id": trace.trace_id}
        if trace.part > 1:
            record["part"] = trace.part
        record["closed_by"] = trace.closed_by
        if trace.case is not None and trace.case.actual is not None:
            record["actual"] = [call_fields(call) for call in trace.case.actual]
        score, reason = trace.score, reason_text(trace, self._reader.match)
        if score is not None:
            missed, extra = score.unpaired
            record["result"] = {
                "passed": score.passed,
                "f1": score.f1,
                "precision": score.precision,
                "recall": score.recall,
                "correct": len(score.correct),
                "incorrect": len(score.incorrect),
                "missed": len(missed),
                "extra": len(extra),
            }
        elif trace.faults is not None:
            record["faults"] = [
                {
                    "kind": fault.kind,
                    "tool": fault.tool,
                    "index": fault.index,
                    "message": fault_sentence(fault),
                }
                for fault in trace.faults
            ]
        elif reason:
            record["problem"] = reason
        line = encode_json(record)[:-1] + b"," + trace.document[1:]
        if self._hider.has_secret(line.decode(errors="replace")):
            line = msgspec.json.encode(self._hider.data(msgspec.json.decode(line)))
        return line + b"\n"

    def results(self) -> Any:
        """The results of all traces, or None; references without a trace count as cases without an answer."""
        if self._is_checked:
            return self._faults.results(1)
        for name, reference in self._unseen.items():
            self._scores.take(join_case(reference, Case(id=NO_ID)), f"case {name}")
        return self._scores.results() if self._references else None

    def notes(self, lang: Language) -> list[tuple[str, Noted]]:
        """Sentences about traces without a score, or with one that says little, and these traces."""
        found = []
        for why, (nouns, phrase) in _REMARKS.items():
            noted = self._remarks[why].noted()
            if noted.count:
                count = count_of(nouns, noted.count, lang)
                found.append((say(phrase, lang, count=count, match=self._reader.match), noted))
        return found

    def why_none(self, lang: Language) -> str:
        """Why nothing was scored, or checked, if nothing was; empty if only the traces know."""
        if not self._traces:
            return say(_NO_TRACES, lang)
        return "" if self._is_checked else say(_NONE_SCORED, lang)
