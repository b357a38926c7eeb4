"""Llama 3 text (JSON calls, `<function>` tags, built-in tools)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callscore.formats.families.model_text import (
    answer_texts,
    read_turns,
    starts_with_call,
    take_json,
)
from callscore.formats.families.python_calls import parse_calls, take_call
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace
    from callscore.formats.transcript import Transcript

ORDER = 170
EXAMPLE = '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris"}}'
_TAG = "<|python_tag|>"
_FUNCTION = re.compile(
    r"<function=(?P<name>[^>\n]{1,200})>\s*(?P<arguments>\{.*?)(?P<end></function>|\Z)", re.DOTALL
)
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with the tag for tools, a tagged function, or nothing but calls."""
    if not isinstance(document, str):
        return False
    if _TAG in document or ("<function=" in document and _FUNCTION.search(document)):
        return True
    return "{" in document and any(starts_with_call(answer) for answer in answer_texts(document))


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls in the model's answers, with the tools' results, if it has them."""
    return read_turns(document, options, _take)


def _take(answer: str, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    if _TAG in answer:
        for part in answer.split(_TAG)[1:]:
            _take_tagged(part.strip(), transcript, tools)
    elif starts_with_call(answer):
        take_json(answer, transcript, is_closed=False)
    else:
        for found in _FUNCTION.finditer(answer):
            transcript.call(found["name"].strip(), found["arguments"].strip())


def _take_tagged(text: str, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    """Add what follows the tag: calls as JSON, built-in tools, or code to be run."""
    if text.startswith("{"):
        take_json(text, transcript, is_closed=False)
        return
    calls = parse_calls(text) or []
    if calls and all(call.name.endswith(".call") for call in calls):
        for call in calls:
            take_call(call._replace(name=call.name.removesuffix(".call")), transcript, tools)
    elif text:
        transcript.call("code_interpreter", {"code": text})
