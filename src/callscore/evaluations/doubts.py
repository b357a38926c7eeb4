"""What looks like a mistake in an evaluation, and may all the same be meant so: for warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.checks.arguments_known import closed, made_up
from callscore.core.expectation import Forbidden, calls_in
from callscore.core.matcher import Matcher
from callscore.core.naming import comparable_name
from callscore.core.nearest import meant_by
from callscore.core.wildcard import fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from callscore.core.call import ToolCall
    from callscore.core.model import Case
    from callscore.core.tool import Tool
    from callscore.evaluations.evaluation import Evaluation

__all__ = ["doubts_about"]

_ABSENT = "$absent"
_MOST = 20  # where more names are wrong, the tools are those of somebody else


def doubts_about(evaluation: Evaluation, cases: Iterable[Case]) -> list[str]:
    """What somebody should know about an evaluation before it is run, in sentences.

    Each name of a tool or of an argument that there is not is named once, with the first case that
    expects it; a tool that is forbidden need not be there, unless it is nearly one that is. Recorded
    answers to no case are named, too.

    Args:
        evaluation: the evaluation.
        cases: all its cases.
    """
    cases = list(cases)
    found: dict[tuple[str, ...], str] = {}
    if evaluation.tools is not None:
        tools = _Tools(evaluation, evaluation.tools)
        for case in cases:
            for key, doubt in tools.doubts_in(case):
                found.setdefault(key, f"the case {case.id} {doubt}")
    strays = getattr(evaluation.task, "strays", None)
    told = list(found.values())[:_MOST]
    if callable(strays):
        told += strays([case.id for case in cases])
    return [f"{evaluation.name}: {_ended(each)}" for each in told]


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith("?") else f"{sentence}."


class _Tools:
    """The tools of an evaluation, by their names as they are compared."""

    def __init__(self, evaluation: Evaluation, tools: Mapping[str, Tool]) -> None:
        self._settings = evaluation.settings
        self._names = list(tools)
        self._tools = {comparable_name(name, self._settings): tools[name] for name in tools}
        self._arguments = {name: closed(tool.parameters) for name, tool in self._tools.items()}

    def doubts_in(self, case: Case) -> Iterator[tuple[tuple[str, ...], str]]:
        """What is doubtful about a case, and the names by which the same doubt is known."""
        expected = case.expected or ()
        for item in expected:
            if isinstance(item, Forbidden) and (hint := self._meant_by_pattern(item.pattern)):
                doubt = f"forbids {item.pattern}, which is none of the tools{hint}"
                yield ("forbid", item.pattern), doubt
        for call in calls_in(expected):
            name = comparable_name(call.name, self._settings)
            if name in self._tools:
                yield from self._unknown_arguments(call, name)
            else:
                hint = meant_by(call.name, self._names)
                yield (call.name,), f"expects {call.name}, which is none of the tools{hint}"

    def _meant_by_pattern(self, pattern: str) -> str:
        if any(fits(pattern, name) for name in (*self._names, *self._tools)):
            return ""
        return meant_by(pattern, self._names)

    def _unknown_arguments(
        self, call: ToolCall, name: str
    ) -> Iterator[tuple[tuple[str, ...], str]]:
        known = self._arguments[name]
        if known is None or not isinstance(call.arguments, dict):
            return
        given = {
            argument: value
            for argument, value in call.arguments.items()
            if not (isinstance(value, Matcher) and value.key == _ABSENT)
        }
        for argument in made_up(known, given):
            hint = meant_by(argument, known["properties"])
            doubt = f"expects {argument!r} of {call.name}, which does not take it{hint}"
            yield (call.name, argument), doubt
