"""gpt-oss text (harmony format)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.formats.shape import json_of
from callscore.formats.signs import TEXT_SIGNS
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 100
EXAMPLE = (
    "<|channel|>analysis<|message|>The user asks for the weather.<|end|>"
    "<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
    '{"city": "Paris"}<|call|>'
)
_MESSAGE = re.compile(
    r"(?P<header>(?:<\|start\|>|<\|channel\|>)(?:(?!<\|message\|>|<\|start\|>).){0,500})"
    r"<\|message\|>"
    r"(?P<content>.*?)(?:<\|(?:end|call|return)\|>|(?=<\|start\|>)|\Z)",
    re.DOTALL,
)
_AUTHOR = re.compile(r"<\|start\|>\s*([^\s<]+)")
_RECIPIENT = re.compile(r"\bto=([^\s<]+)")
_NAMESPACE = "functions."
_NON_TOOL_RECIPIENTS = ("user", "all")
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with harmony's channels and messages."""
    return isinstance(document, str) and "<|channel|>" in document and "<|message|>" in document


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: each message to a tool is a call, each message of a tool a result.

    Tools outside of the namespace `functions` are built into the server: `browser.search`, and
    `python`, which gets code in place of arguments.
    """
    transcript = Transcript(options)
    for message in _MESSAGE.finditer(document if isinstance(document, str) else ""):
        recipient = _RECIPIENT.search(message["header"])
        speaker = _AUTHOR.search(message["header"])
        transcript.role(speaker[1] if speaker else None)
        if recipient is None or recipient[1] in _NON_TOOL_RECIPIENTS:
            continue
        if recipient[1] == "assistant":
            author = _AUTHOR.search(message["header"])
            name = author[1].removeprefix(_NAMESPACE) if author else None
            quoted = json_of(message["content"])  # as some templates write it
            is_quoted = isinstance(quoted, str)
            transcript.result(quoted if is_quoted else message["content"], name=name)
            continue
        transcript.step()
        content: Any = message["content"]
        if recipient[1] == "python":
            content = {"input": content}
        kind = None if recipient[1].startswith(_NAMESPACE) else "hosted"
        transcript.call(recipient[1].removeprefix(_NAMESPACE), content, kind=kind)
    return [transcript.trace()]
