"""Glaive function calling (records of the training set, `<functioncall>` text)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callscore.formats.families.dataset_tools import tools_in_prompt
from callscore.formats.families.model_text import make_markup, read_marked, take_json
from callscore.formats.shape import at, json_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace
    from callscore.formats.transcript import Transcript

ORDER = 152
EXAMPLE = '<functioncall> {"name": "get_weather", "arguments": \'{"city": "Paris"}\'} <|endoftext|>'
_TAG = "<functioncall>"
_END = "<|endoftext|>"
_TEXTS = ("chat", "sample")  # the columns of the second and of the first version
_TURN = r"(?:\A|\n)\s*(?:USER|ASSISTANT|FUNCTION RESPONSE):"
_BREAK = "\n\n\n"
_BODY = re.compile(
    r'\{\s*"name"\s*:\s*"(?P<name>[^"\\]+)"\s*(?:,\s*"arguments"\s*:\s*(?P<arguments>.*?)\s*)?\}\s*\Z',
    re.DOTALL,
)
SIGNS = Signs(keys=_TEXTS, item_keys=(), is_text=True)


def recognizes(document: Any) -> bool:
    """Whether it is a record with a conversation, or text with a call in a tag."""
    if isinstance(document, str):
        return _TAG in document
    if not isinstance(document, dict):
        return False
    text = _text_of(document)
    if text is None:
        return False
    return _TAG in text or ("system" in document and "USER:" in text)


def _text_of(document: Any) -> str | None:
    for key in _TEXTS:
        text = at(document, key)
        if isinstance(text, str):
            return text
    return document if isinstance(document, str) else None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls of the assistant, with the responses of functions."""
    text = _text_of(document) or ""
    return read_marked(text.replace(_END, _BREAK), options, _MARKUP)


def _take(match: re.Match[str], transcript: Transcript, _: Mapping[str, Tool]) -> None:
    body = match["body"].strip()
    found = _BODY.match(body)
    if found is None:
        take_json(body, transcript, is_closed=body.endswith("}"))
        return
    arguments = found["arguments"]
    is_quoted = arguments is not None and arguments[:1] == arguments[-1:] == "'"
    if is_quoted and len(arguments) > 1:
        # The object is between single quotes, which are escaped in some rows and not in others.
        arguments = arguments[1:-1]
        if isinstance(json_of(arguments), str):
            arguments = arguments.replace("\\'", "'")
    transcript.call(found["name"], arguments)


_MARKUP = make_markup(
    rf"{_TAG}(?P<body>.*?)(?:</functioncall>|(?={_TAG})|{_BREAK}|(?={_TURN})|\Z)",
    _take,
    asked=r"(?<![^\n])\s*USER:",
    result=rf"FUNCTION RESPONSE:(?P<result>.*?)(?={_BREAK}|{_TURN}|\Z)",
)


def read_tools(document: Any) -> list[Tool]:
    """The functions that the system message of a record defines."""
    prompt = at(document, "system") if isinstance(at(document, "chat"), str) else None
    return tools_in_prompt(prompt or _text_of(document))
