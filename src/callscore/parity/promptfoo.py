"""promptfoo: the assertion `tool-call-f1`, over the names of the tools that were called."""

from __future__ import annotations

from callscore.errors import NotScorable
from callscore.parity.parameters import Calls, names_of
from callscore.parity.value_comparison import f1_of, js_trim

__all__ = [
    "INVERTING_OPTIONS",
    "METRICS",
    "TITLE",
    "VERSION",
    "tool_call_f1",
    "tool_call_f1_passes",
]

TITLE = "promptfoo"
VERSION = "0.123.1"


def tool_call_f1(expected: Calls, actual: Calls) -> float:
    """The F1 of the set of the expected names and the set of the names that were called.

    Names are taken as they are: what promptfoo would read as a template, or as the path of a file,
    is a name here.

    Defects:
        A call that is missing, or made too often, costs nothing where the tool was called at all;
        arguments are not looked at. Whitespace around a name is taken off on the expected side
        only. If no tool is expected, there is no score.

    Raises:
        NotScorable: no tool is expected, or only ones without a name.
    """
    wanted = {name for name in map(js_trim, names_of(expected)) if name}
    if not wanted:
        raise NotScorable("promptfoo requires at least one expected tool.")
    called = set(names_of(actual))
    return f1_of(len(wanted & called), len(wanted), len(called))


def tool_call_f1_passes(
    expected: Calls, actual: Calls, *, threshold: float = 1.0, inverse: bool = False
) -> bool:
    """Whether the assertion holds: the F1 reaches the threshold.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        threshold: the least F1 that passes.
        inverse: whether it must not reach it, which promptfoo writes as `not-tool-call-f1`.

    Defects:
        Those of `tool_call_f1`. The usual threshold of 1.0 fails every call of another tool.

    Raises:
        NotScorable: as `tool_call_f1`.
    """
    return (tool_call_f1(expected, actual) >= threshold) is not inverse


METRICS = (tool_call_f1, tool_call_f1_passes)
INVERTING_OPTIONS = ("inverse",)
