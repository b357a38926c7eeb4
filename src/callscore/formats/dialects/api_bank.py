"""API-Bank dialogues (one message per line)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import as_list, dicts, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

__all__ = ["EXAMPLE", "ORDER", "SIGNS", "joins_lines", "read", "recognizes"]

ORDER = 425
EXAMPLE = [
    {"role": "User", "text": "How warm is it in Paris?"},
    {
        "role": "API",
        "api_name": "GetWeather",
        "param_dict": {"city": "Paris"},
        "result": {"api_name": "GetWeather", "output": "18C", "exception": None},
    },
    {"role": "AI", "text": "18C."},
]
_SPEAKERS = ("User", "AI")
SIGNS = Signs(keys=("text", "api_name"))


def recognizes(document: Any) -> bool:
    """Whether it is a list of messages, or one of them."""
    items = as_list(document)
    return bool(items) and all(map(joins_lines, items))


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a dialogue."""
    if not isinstance(line, dict):
        return False
    if line.get("role") in _SPEAKERS:
        return isinstance(line.get("text"), str) and "content" not in line
    return line.get("role") == "API" and isinstance(line.get("api_name"), str)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls of a dialogue, one after the other."""
    transcript = Transcript(options)
    question = None
    for message in dicts(as_list(document)):
        if message.get("role") != "API":
            if question is None and message.get("role") == "User":
                question = text_of(message.get("text"))
            continue
        transcript.step()
        transcript.call(message.get("api_name"), message.get("param_dict"))
        result = message.get("result")
        if isinstance(result, dict):
            error = result.get("exception")
            value = result.get("output") if error is None else error
            transcript.result(value, failed=error is not None)
    return [transcript.trace(input=question)]
