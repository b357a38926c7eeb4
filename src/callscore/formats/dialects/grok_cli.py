"""Grok CLI sessions (`chat_history.jsonl`).

A line has its speaker as its type; the reasoning between them is an item of OpenAI's Responses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import as_list, at, dicts, text_in
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 349
EXAMPLE = [
    {
        "type": "assistant",
        "content": "",
        "tool_calls": [{"id": "call-1", "name": "read_file", "arguments": '{"target_file": "a"}'}],
    }
]
_MAX_SAMPLED = 50
_ANSWER, _RESULT = "assistant", "tool_result"
_HOSTED = "backend_tool_call"
_SPEAKERS = ("system", "user", _ANSWER)
SIGNS = Signs(keys=("tool_call_id", "tool_calls", "model_id", "kind"), reads_plain_chat=False)


def recognizes(document: Any) -> bool:
    """Whether it is a line with calls or a result, or a list of lines that has one."""
    if isinstance(document, list):
        lines = document[:_MAX_SAMPLED]
        return any(map(_is_own, lines)) and all(map(joins_lines, lines))
    return _is_own(document)


def _is_own(line: Any) -> bool:
    """Whether it is a line that only this program writes: with flat calls, a model, or a result."""
    if not _is_line(line):
        return _is_hosted(line)
    if line["type"] == _RESULT:
        return isinstance(line.get("tool_call_id"), str)
    calls = line.get("tool_calls")
    is_flat = bool(dicts(calls)) and all(isinstance(at(call, "name"), str) for call in dicts(calls))
    return bool(line["type"] == _ANSWER) and (is_flat or "model_id" in line)


def _is_line(line: Any) -> bool:
    is_known = at(line, "type") in (*_SPEAKERS, _RESULT)
    return is_known and "content" in line and "role" not in line and "message" not in line


def joins_lines(line: Any) -> bool:
    """Whether a line is one of a session."""
    is_reasoning = at(line, "type") == "reasoning" and isinstance(at(line, "summary"), list)
    return _is_line(line) or is_reasoning or _is_hosted(line)


def _is_hosted(line: Any) -> bool:
    """Whether a line is a call of a tool that the provider runs."""
    return bool(at(line, "type") == _HOSTED) and isinstance(line.get("kind"), dict)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all lines."""
    transcript = Transcript(options, once=True)
    question = None
    for line in dicts(as_list(document)):
        kind = line.get("type")
        if kind == _ANSWER:
            transcript.step()
            transcript.speaker(is_user=False)
            for call in dicts(line.get("tool_calls")):
                transcript.call(call.get("name"), call.get("arguments"), call.get("id"))
        elif _is_hosted(line):
            call = line["kind"]
            action = call.get("action")
            arguments = {**action} if isinstance(action, dict) else action
            found = arguments.pop("sources", None) if isinstance(arguments, dict) else None
            transcript.call(call.get("tool_type"), arguments, call.get("id"), kind="hosted")
            transcript.result(found, call.get("id"), failed=call.get("status") == "failed")
        elif kind == _RESULT:
            transcript.result(line.get("content"), line.get("tool_call_id"))
        elif kind == "user" and "synthetic_reason" not in line:
            transcript.speaker(is_user=True)
            question = text_in(line.get("content")) if question is None else question
    return [transcript.trace(input=question)]
