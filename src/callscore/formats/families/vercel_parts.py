"""The parts of answers, steps and streams of the Vercel AI SDK.

`args` and `result` of version 4 are `input` and `output` since version 5. A part with a result, or
with an error, repeats the input of its call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import first

if TYPE_CHECKING:
    from callscore.formats.transcript import Transcript

_TOOL_PARTS = ("tool-call", "tool-result", "tool-error")
_OTHERS = ("tool-result", "tool-input-start", "tool-approval-request")


def is_tool_part(value: Any) -> bool:
    """Whether a value is a part about a call or its result."""
    return (
        isinstance(value, dict)
        and value.get("type") in _TOOL_PARTS
        and isinstance(value.get("toolCallId"), str)
        and "toolName" in value
    )


def hosted_kind(part: dict[str, Any]) -> str | None:
    """The kind of the call: `hosted` if the provider ran the tool."""
    return "hosted" if part.get("providerExecuted") is True else None


def take_call(part: dict[str, Any], transcript: Transcript) -> None:
    """Add a call; the input of an invalid one is the text that the model wrote."""
    transcript.call(
        part.get("toolName"),
        first(part, "input", "args"),
        part.get("toolCallId"),
        kind=hosted_kind(part),
    )


def take_success(value: Any, id: Any, transcript: Transcript) -> None:  # noqa: A002  (as there)
    """Add a result that the SDK does not call an error; its text may still be one."""
    transcript.result(value, id, failed=None if isinstance(value, str | list) else False)


def take_part(part: dict[str, Any], transcript: Transcript) -> None:
    """Add the call or the result of a part; other parts have neither."""
    kind, id_ = part.get("type"), part.get("toolCallId")
    if kind == "tool-call":
        take_call(part, transcript)
    elif kind == "tool-error":
        transcript.result(part.get("error"), id_, failed=True)
    elif kind == "tool-result" and part.get("preliminary") is not True:
        value = first(part, "output", "result")
        if part.get("isError") is True:
            transcript.result(value, id_, failed=True)
        else:
            take_success(value, id_, transcript)
    elif kind not in _OTHERS:
        transcript.unknown(kind, part)
