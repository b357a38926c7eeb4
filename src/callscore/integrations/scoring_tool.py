"""The three tools that an agent calls, as plain functions of one JSON object to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.api import score_case
from callscore.checks.check import check_calls
from callscore.integrations.tool_input import read_check_input, read_score_input
from callscore.integrations.tool_output import checked, explained, scored

if TYPE_CHECKING:
    from callscore.core.model import Score

__all__ = ["check_tool_calls", "explain_score", "score_tool_calls"]


def score_tool_calls(arguments: Any) -> dict[str, Any]:
    """Score calls against the expected ones: the numbers, and every call in one of four lists.

    Args:
        arguments: an object with `expected` and `actual`, lists of `{"tool", "args"}`, and perhaps
            `mode`, `threshold`, `order` and `tools`.

    Raises:
        InvalidCall: it cannot be read; the message says what to send instead.
        InvalidSettings: an option has a value that it cannot have.
    """
    return scored(_score(arguments))


def explain_score(arguments: Any) -> dict[str, Any]:
    """Show in three steps how that score comes about, with the numbers.

    Args:
        arguments: as for `score_tool_calls`.

    Raises:
        InvalidCall: it cannot be read; the message says what to send instead.
        InvalidSettings: an option has a value that it cannot have.
    """
    return explained(_score(arguments))


def check_tool_calls(arguments: Any) -> dict[str, Any]:
    """Say what is wrong with calls whatever was expected.

    Args:
        arguments: an object with `actual`, a list of `{"tool", "args"}`, and perhaps `tools`, their
            definitions.

    Raises:
        InvalidCall: it cannot be read; the message says what to send instead.
        InvalidSettings: the definitions of the tools cannot be used.
    """
    given = read_check_input(arguments)
    faults = check_calls(given.actual, given.tools)
    return checked(faults, len(given.actual), knows_tools=given.tools is not None)


def _score(arguments: Any) -> Score:
    given = read_score_input(arguments)
    return score_case(given.expected, given.actual, given.settings, given.tools)
