"""What is to be said about the traces of a session: why some have no score, or one that says little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.call import NOT_CAPTURED
from callscore.core.phrases import Phrase, Plural, count_of, say
from callscore.core.totals import NameCounter

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import Noted, Results
    from callscore.receiving.closed_traces import ClosedTrace
    from callscore.receiving.scoring import Outcome, Unscored

__all__ = ["Remarks"]

_TRACES = Plural(("trace", "traces"), ("трасса", "трассы", "трасс"))
_CALLS = Plural(("call", "calls"), ("вызов", "вызова", "вызовов"))
_UNSCORED: dict[Unscored, Phrase] = {
    "nameless": Phrase(
        "{count} not scored: no span has {match}. Set it in the agent, or pass the attribute that names the"
        " case: --match ATTRIBUTE",
        "не оценено: {count}, ни в одном спане нет {match}. Задайте его в агенте или укажите атрибут, который"
        " называет случай: --match ATTRIBUTE",
    ),
    "ambiguous": Phrase(
        "{count} not scored: the spans have several values of {match}. Set it on the root span",
        "не оценено: {count}, в спанах разные значения {match}. Задайте его в корневом спане",
    ),
    "late": Phrase(
        "{count} not scored: the spans arrived after the trace was closed. Pass a larger --settle",
        "не оценено: {count}, спаны пришли после закрытия трассы. Увеличьте --settle",
    ),
}
_WITHOUT_ARGUMENTS = Phrase(
    "{count} without arguments in the trace: they match no expected arguments. Turn on the capture of content"
    " in the instrumentation of the agent",
    "в трассах нет аргументов: {count}; с ожидаемыми аргументами они не совпадут. Включите запись содержимого"
    " в инструментации агента",
)
_NO_TRACES = Phrase("no trace was received", "не получено ни одной трассы")
_NO_COMMON_ID = Phrase(
    "no case was scored: no reference has the id of a trace. Check the ids, or pass the attribute that has"
    " them: --match ATTRIBUTE",
    "ни один случай не оценён: ни у одного эталона нет id трассы. Проверьте id или укажите атрибут с ними:"
    " --match ATTRIBUTE",
)
_NO_CASE_NAMED = Phrase(
    "no case was scored: no trace names one case",
    "ни один случай не оценён: трассы не называют случаев",
)
_NO_CALLS_READ = Phrase(
    "no case was scored: the calls of no trace could be read",
    "ни один случай не оценён: ни в одной трассе не удалось прочитать вызовы",
)


class Remarks:
    """Counts traces that have no score because of how they were sent, and calls without arguments.

    Args:
        match: the attribute that names the case of a trace.
    """

    def __init__(self, match: str) -> None:
        self._match = match
        self._traces = 0
        self._unscored = {why: NameCounter() for why in _UNSCORED}
        self._without_arguments = NameCounter(each_once=True)

    def take(self, trace: ClosedTrace, outcome: Outcome) -> None:
        """Count a trace."""
        self._traces += 1
        if outcome.unscored in self._unscored:
            self._unscored[outcome.unscored].add(trace.id)
        lost = sum(call.error == NOT_CAPTURED for call in trace.calls)
        if lost:
            self._without_arguments.add(trace.id, lost)

    def notes(self, lang: Language) -> list[tuple[str, Noted]]:
        """Sentences, and the traces that each is about."""
        found = [
            (say(_UNSCORED[why], lang, count=_count(_TRACES, each, lang), match=self._match), each)
            for why, each in self._unscored.items()
            if each.count
        ]
        lost = self._without_arguments
        if lost.count:
            found.append((say(_WITHOUT_ARGUMENTS, lang, count=_count(_CALLS, lost, lang)), lost))
        return [(sentence, each.noted()) for sentence, each in found]

    def why_nothing(self, lang: Language) -> str:
        """That no trace was received; empty if some were."""
        return "" if self._traces else say(_NO_TRACES, lang)

    def why_unscored(self, results: Results, lang: Language) -> str:
        """Why no case was scored, if none was."""
        if not self._traces:
            return say(_NO_TRACES, lang)
        if results.without_reference.count:
            return say(_NO_COMMON_ID, lang)
        is_named = self._traces > sum(each.count for each in self._unscored.values())
        return say(_NO_CALLS_READ if is_named else _NO_CASE_NAMED, lang)


def _count(nouns: Plural, counted: NameCounter, lang: Language) -> str:
    return count_of(nouns, counted.count, lang)
