"""All checks together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.checks.loops import looping_calls
from callscore.checks.repeats import repeated_calls
from callscore.checks.retries import unchanged_retries
from callscore.checks.schema import faults_by_schema, malformed_calls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callscore.core.call import ToolCall
    from callscore.core.fault import Fault
    from callscore.core.tool import Tool

__all__ = ["check_calls"]


def check_calls(
    calls: Sequence[ToolCall], tools: Mapping[str, Tool] | None = None
) -> tuple[Fault, ...]:
    """Everything that is wrong with the calls of one run, in the order of the calls.

    Args:
        calls: the calls that were made.
        tools: the tools that were offered, by name; None where nobody knows, and then nothing is said
            about that.

    Raises:
        InvalidSettings: the schema of a tool that is called cannot be used.
    """
    by_schema = malformed_calls(calls) if tools is None else faults_by_schema(calls, tools)
    found = list(by_schema)
    for check in (repeated_calls, looping_calls, unchanged_retries):
        found += check(calls)
    return tuple(sorted(found, key=lambda fault: fault.index))
