"""The line that `callscore receive` shows of each trace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from callscore.cli.output import Output, without_secrets
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip, display_width, escape
from callscore.receiving.scoring import reason_text
from callscore.reports.check import FINDINGS
from callscore.reports.score import OUTCOMES, score_parts
from callscore.words.reasons import fault_kind_name

if TYPE_CHECKING:
    from callscore.receiving.traces import ClosedBy, Trace

_NAMED_CALLS = 5
_MAX_ID_WIDTH = 40
_TRACE_ID_WIDTH = 32
_GAP = "   "
_NOT_SCORED = Phrase("not scored", "не оценена")
_NO_FAULTS = Phrase("no faults", "без ошибок")
_NO_CALLS = Phrase("no calls", "без вызовов")
_CALLS = Plural(("call", "calls"), ("вызов", "вызова", "вызовов"))
# How a trace was closed, unless its root span had arrived.
_CLOSED: dict[ClosedBy, Phrase] = {
    "quiet": Phrase("no root span", "нет корневого спана"),
    "age": Phrase("closed by age", "закрыта по возрасту"),
    "size": Phrase("closed by size", "закрыта по размеру"),
    "shutdown": Phrase("closed by the end", "закрыта при завершении"),
}


class TraceLines:
    """Shows each trace in a line.

    Args:
        output: where they are shown.
        match: the attribute that names the case of a trace.
        names: the ids that traces will have; without any, those of traces are expected. They decide how
            wide the first column is, from the first line on.
    """

    def __init__(
        self, output: Output, match: str, lang: Language, names: Iterable[str] = ()
    ) -> None:
        self._output = output
        self._match = match
        self.lang = lang
        widths = [display_width(escape(name)) for name in names]
        self._width = min(max(widths, default=_TRACE_ID_WIDTH), _MAX_ID_WIDTH)
        words = [*(word for word, _ in OUTCOMES.values()), _NOT_SCORED]
        self._word_width = max(display_width(say(word, lang)) for word in words)

    def show(self, trace: Trace) -> None:
        """Show a trace."""
        name = without_secrets(escape(trace.id))
        parts = [(_padded(name, self._width), ""), *self._parts_of(trace)]
        if trace.closed_by in _CLOSED:
            parts.append((say(_CLOSED[trace.closed_by], self.lang), "dim"))
        self._print([(text, style) for text, style in parts if text])

    def _parts_of(self, trace: Trace) -> list[tuple[str, str]]:
        """What a line says after the name, each part with its style."""
        lang = self.lang
        if trace.score is not None:
            word, style = OUTCOMES[trace.score.passed]
            number, rates = score_parts(trace.score, lang)
            return [(self._word(word), style), (number, ""), (rates, "dim")]
        if trace.faults is not None:
            return [self._faults(trace, lang), self._calls(trace, lang)]
        reason = reason_text(trace, self._match, lang)
        if reason:
            return [(self._word(_NOT_SCORED), "yellow"), (_shown(reason), "")]
        unread = "" if trace.case is None else trace.case.unread or ""
        return [self._calls(trace, lang), (_shown(unread), "yellow")]

    def _word(self, word: Phrase) -> str:
        return _padded(say(word, self.lang), self._word_width)

    @staticmethod
    def _faults(trace: Trace, lang: Language) -> tuple[str, str]:
        faults = trace.faults or ()
        if not faults:
            return say(_NO_FAULTS, lang), "green"
        kinds = dict.fromkeys(fault_kind_name(fault.kind, lang=lang) for fault in faults)
        return f"{count_of(FINDINGS, len(faults), lang)}: {', '.join(kinds)}", "red"

    @staticmethod
    def _calls(trace: Trace, lang: Language) -> tuple[str, str]:
        names = [call.name for call in trace.calls]
        if not names:
            return say(_NO_CALLS, lang), "dim"
        named = ", ".join(names[:_NAMED_CALLS]) + (" …" if len(names) > _NAMED_CALLS else "")
        return _shown(f"{count_of(_CALLS, len(names), lang)}: {named}"), "dim"

    def _print(self, parts: list[tuple[str, str]]) -> None:
        console = self._output.console()
        if console is None:
            self._output.write_text(_GAP.join(text for text, _ in parts).rstrip() + "\n")
            return
        from rich.text import Text

        line = Text(_GAP).join([Text(text, style) for text, style in parts])
        console.print(line, highlight=False, soft_wrap=True)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))


def _shown(text: str) -> str:
    """A text of a trace in one line, without secrets."""
    shown: str = without_secrets(escape(text))
    return clip(shown, 200)
