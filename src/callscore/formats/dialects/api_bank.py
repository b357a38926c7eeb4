"""API-Bank (dialogues with one message per line, rows for training).

The output of a row is the call that a model should make next, so it is expected. Calls in its input are
what came before.
"""

from __future__ import annotations

import re
from typing import Any

from callscore.formats.families.python_calls import take_python
from callscore.formats.shape import as_list, dicts, first, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

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
_OUTPUTS = ("expected_output", "output")
_REQUEST = re.compile(r"\s*API-Request:\s*(\[.*\])\s*", re.DOTALL)
SIGNS = Signs(keys=("text", "api_name", "instruction"), item_keys=("text", "api_name"))


def recognizes(document: Any) -> bool:
    """Whether it is a list of messages, one of them, or a row."""
    if isinstance(document, dict) and "instruction" in document:
        return _request_in(document) is not None
    items = as_list(document)
    return bool(items) and all(map(joins_lines, items))


def _request_in(row: Any) -> str | None:
    """The call that a row expects, as text."""
    text = first(row, *_OUTPUTS)
    found = _REQUEST.fullmatch(text) if isinstance(text, str) and "input" in row else None
    return found[1] if found else None


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a dialogue."""
    if not isinstance(line, dict):
        return False
    if line.get("role") in _SPEAKERS:
        return isinstance(line.get("text"), str) and "content" not in line
    return line.get("role") == "API" and isinstance(line.get("api_name"), str)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls of a dialogue, one after the other; or the call that a row expects."""
    transcript = Transcript(options)
    request = _request_in(document)
    if request is not None:
        transcript.step()
        take_python(request, transcript, options.tools)
        return [Trace(expected=transcript.calls(), input=text_of(document["input"]))]
    question = None
    for message in dicts(as_list(document)):
        transcript.role(message.get("role"))
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
