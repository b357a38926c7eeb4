"""Vercel AI SDK streams (UI messages, parts, version 4 lines).

A call counts when its input is complete, or its output or a question about it is there. The pieces
of the input are read only in the second case.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED
from callscore.formats.families.vercel_parts import take_call, take_part, take_success
from callscore.formats.shape import as_list, at, dicts, first, json_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 595
EXAMPLE = [
    {"type": "start"},
    {"type": "start-step"},
    {
        "type": "tool-input-available",
        "toolCallId": "call_1",
        "toolName": "get_weather",
        "input": {"city": "Paris"},
    },
    {"type": "finish-step"},
    {"type": "finish"},
]
_INPUTS = ("tool-input-available", "tool-input-error")
_WHOLE = (*_INPUTS, "tool-call")
_BEGINNINGS = ("tool-input-start", "tool-call-streaming-start")
_DELTAS = ("tool-input-delta", "tool-call-delta")
_OUTPUTS = (
    *("tool-output-available", "tool-output-error", "tool-result", "tool-error"),
    "tool-approval-request",
)
_STEPS = ("start-step", "finish-step", "step-start", "step-finish")
_TOOLS = frozenset(
    (
        *_INPUTS,
        *("tool-input-start", "tool-input-delta", "tool-input-end"),
        *("tool-output-available", "tool-output-error", "tool-output-denied"),
        *("tool-approval-request", "tool-approval-response"),
        *("tool-call-streaming-start", "tool-call-delta"),
        *("tool-call", "tool-result", "tool-error"),
    )
)
_OTHERS = frozenset(
    (
        *("start", "finish", "abort", "error", "raw", "message-metadata"),
        *("file", "source", "source-url", "source-document"),
        *("text", "text-start", "text-delta", "text-end"),
        *("reasoning", "reasoning-start", "reasoning-delta", "reasoning-end"),
        *("reasoning-signature", "redacted-reasoning"),
    )
)
_START = frozenset(("type", "messageId", "messageMetadata"))
_LINE = re.compile(r'([0-9a-k]):(["\[{].*)')  # a letter for the type, then its JSON
_CODES = {"9": "tool-call", "a": "tool-result", "e": "step-finish", "f": "step-start"}
_BAD_CALLS = ("AI_InvalidToolArgumentsError", "AI_NoSuchToolError")
_MAX_SAMPLED = 20
SIGNS = Signs(keys=("type",), is_text=True)


def recognizes(document: Any) -> bool:
    """Whether it is a chunk, a list of chunks and nothing else, or lines of version 4."""
    if isinstance(document, str):
        if document.lstrip()[1:2] != ":":
            return False
        lines = document.split("\n", _MAX_SAMPLED)[:_MAX_SAMPLED]
        filled = [line for line in lines if line.strip()]
        return bool(filled) and all(_LINE.fullmatch(line.rstrip("\r")) for line in filled)
    if isinstance(document, list):
        return all(map(_may_be_chunk, document)) and any(map(joins_lines, document))
    return joins_lines(document)


def _may_be_chunk(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and (
        kind in _OTHERS or joins_lines(value) or kind.startswith("data-")
    )


def joins_lines(line: Any) -> bool:
    """Whether a line is one chunk of a stream, of a type that only this SDK has."""
    kind = line.get("type") if isinstance(line, dict) else None
    if not isinstance(kind, str):
        return False
    if kind in _TOOLS:
        # Other formats have these types, too, but another key for the id.
        return isinstance(first(line, "toolCallId", "id", "approvalId"), str)
    return kind in _STEPS or (kind == "start" and _START.issuperset(line))


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls of all steps."""
    transcript = Transcript(options)
    pieces = _Pieces()
    for chunk in _chunks_in(document):
        kind = chunk.get("type")
        if kind in _STEPS:
            transcript.close_step()
            continue
        pieces.take(chunk, transcript)
        if kind in _INPUTS or kind in ("tool-call", "error"):
            transcript.open_step()
        _take_chunk(chunk, transcript)
    return [transcript.trace()]


class _Pieces:
    """The inputs that have begun, by the ids of their calls, until something else has them whole."""

    def __init__(self) -> None:
        self._begun: dict[str, tuple[Any, list[str]]] = {}

    def take(self, chunk: dict[str, Any], transcript: Transcript) -> None:
        """Keep a piece; add the call, if its output is there before its whole input."""
        kind, id_ = chunk.get("type"), first(chunk, "toolCallId", "id")
        if not isinstance(id_, str):
            return
        if kind in _BEGINNINGS:
            self._begun[id_] = (chunk.get("toolName"), [])
        elif kind in _DELTAS and id_ in self._begun:
            piece = first(chunk, "inputTextDelta", "argsTextDelta", "delta")
            self._begun[id_][1].append(piece if isinstance(piece, str) else "")
        elif kind in _WHOLE:
            self._begun.pop(id_, None)
        elif kind in _OUTPUTS and id_ in self._begun:
            name, pieces = self._begun.pop(id_)
            transcript.open_step()
            transcript.call(name, "".join(pieces), id_)


def _chunks_in(document: Any) -> list[dict[str, Any]]:
    if isinstance(document, str):
        matches = [_LINE.fullmatch(line.rstrip("\r")) for line in document.split("\n")]
        found = [(match[1], json_of(match[2])) for match in matches if match]
        return [
            {**value, "type": _CODES[code]}
            for code, value in found
            if code in _CODES and isinstance(value, dict)
        ]
    return dicts(as_list(document))


def _take_chunk(chunk: dict[str, Any], transcript: Transcript) -> None:
    kind, id_ = chunk.get("type"), chunk.get("toolCallId")
    if kind in _INPUTS:
        take_call(chunk, transcript)
    if kind in ("tool-input-error", "tool-output-error"):
        transcript.result(chunk.get("errorText"), id_, failed=True)
    elif kind == "tool-output-available":
        if chunk.get("preliminary") is not True:
            take_success(chunk.get("output"), id_, transcript)
    elif kind == "error":
        _take_bad_call(chunk.get("error"), transcript)
    elif kind not in _INPUTS:
        take_part(chunk, transcript)


def _take_bad_call(error: Any, transcript: Transcript) -> None:
    """Add a call that version 4 rejects: with an unknown tool, or arguments that are not JSON."""
    if at(error, "name") in _BAD_CALLS:
        arguments = error.get("toolArgs")
        lost = None if isinstance(arguments, str) else NOT_CAPTURED
        transcript.call(error.get("toolName"), arguments, error=lost)
