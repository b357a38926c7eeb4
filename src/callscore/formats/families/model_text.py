"""Text as a model wrote it: its turns, its thoughts, and the calls marked in it.

A call within a thought was only thought of. A thought within a call's arguments is an argument.
Whichever begins first decides, so both are looked for in one pass.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.formats.definitions import read_definitions
from callscore.formats.families.json_text import json_values
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from callscore.core.tool import Tool
    from callscore.formats.trace import Trace, Wanted

__all__ = [
    "RESPONSE",
    "Markup",
    "Turn",
    "answers",
    "markup",
    "read_marked",
    "read_turns",
    "take_text_result",
    "tools_for",
    "tools_in",
    "turns",
    "without_thoughts",
]

RESPONSE = r"<tool_response>(?P<result>.*?)(?:</tool_response>|\Z)"
_THOUGHT = r"(?P<thought><think>.*?(?:</think>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z))"
_LEADING_THOUGHTS = re.compile(rf"\s*(?:{_THOUGHT}\s*)*", re.DOTALL)
_CLOSING = "</think>"
_ASSISTANT = "assistant"
_TOOL_ROLES = ("tool", "ipython", "observation")
# Where a turn begins and whose it is, or where it ends, in the templates of several families.
_TURNS = re.compile(
    r"<\|im_start\|>\s*(?P<chatml>\w+)"
    r"|<\|im_(?P<kimi>assistant|user|system)\|>[^<]*<\|im_middle\|>"
    r"|<\|(?:start_header_id|header_start)\|>\s*(?P<llama>\w+)\s*<\|(?:end_header_id|header_end)\|>"
    r"|<\|(?P<glm>assistant|user|system|observation)\|>"
    r"|<\uff5c(?P<deepseek>Assistant|User|System)\uff5c>"
    r"|<\|(?:im_end|eot_id|eom_id|eot|eom|end_of_text|endoftext)\|>|<\uff5cend▁of▁sentence\uff5c>"
)
_TOOLS = re.compile(r"<tools>(.*?)(?:</tools>|\Z)", re.DOTALL)


class Turn(NamedTuple):
    """What one side said.

    Attributes:
        role: who it was; the model is the assistant.
        text: what it said.
    """

    role: str
    text: str

    @property
    def is_answer(self) -> bool:
        """Whether it was the model."""
        return self.role == _ASSISTANT


def turns(text: str) -> Iterator[Turn]:
    """The turns of a conversation; a text that does not name the speakers is one answer."""
    role, start = _ASSISTANT, 0
    for mark in _TURNS.finditer(text):
        if mark.start() > start:
            yield Turn(role, text[start : mark.start()])
        role = mark[mark.lastgroup].lower() if mark.lastgroup else ""
        start = mark.end()
    if start < len(text):
        yield Turn(role, text[start:])


def without_thoughts(text: str) -> str:
    """An answer without the thoughts before it."""
    found = _LEADING_THOUGHTS.match(text, _answer_start(text))
    return text[found.end() :] if found else text


def _answer_start(text: str) -> int:
    """Where the thought ends that was begun in the prompt; 0 where there is none."""
    end = text.find(_CLOSING)
    return 0 if end < 0 or text.find("<think>", 0, end) >= 0 else end + len(_CLOSING)


class Markup(NamedTuple):
    """How a family of models marks its calls.

    Attributes:
        pattern: a thought, a result or a call, each in a group of this name.
        take_call: writes a call down.
        take_result: writes a result down.
    """

    pattern: re.Pattern[str]
    take_call: Callable[[re.Match[str], Transcript, Mapping[str, Tool]], None]
    take_result: Callable[[re.Match[str], Transcript], None]


def take_text_result(match: re.Match[str], transcript: Transcript) -> None:
    """Write down a result that names no call."""
    transcript.result(match["result"].strip())


def markup(
    call: str,
    take_call: Callable[[re.Match[str], Transcript, Mapping[str, Tool]], None],
    *,
    result: str = RESPONSE,
    take_result: Callable[[re.Match[str], Transcript], None] = take_text_result,
) -> Markup:
    """The markup of a family.

    Args:
        call: the pattern of a call, all of it in a group `call`.
        take_call: writes it down.
        result: the pattern of a result, with it in a group `result`.
        take_result: writes it down.
    """
    pattern = re.compile(f"{_THOUGHT}|{result}|(?P<call>{call})", re.DOTALL)
    return Markup(pattern, take_call, take_result)


def read_marked(document: Any, wanted: Wanted, how: Markup) -> list[Trace]:
    """The one run in a text: the calls in the model's turns, with the results after them."""
    text = document if isinstance(document, str) else ""
    tools = tools_for(text, wanted)
    transcript = Transcript(wanted)
    for turn in turns(text):
        is_new = True
        for match in how.pattern.finditer(turn.text, _answer_start(turn.text)):
            if match["result"] is not None:
                how.take_result(match, transcript)
                is_new = True
            elif match["call"] is not None and turn.is_answer:
                if is_new:
                    transcript.step()
                    is_new = False
                how.take_call(match, transcript, tools)
    return [transcript.trace()]


def read_turns(
    document: Any,
    wanted: Wanted,
    take: Callable[[str, Transcript, Mapping[str, Tool]], None],
) -> list[Trace]:
    """The one run in a text whose answers are calls as a whole, without their thoughts.

    Args:
        document: the text.
        wanted: what was asked for.
        take: writes the calls of an answer down.
    """
    text = document if isinstance(document, str) else ""
    tools = tools_for(text, wanted)
    transcript = Transcript(wanted)
    for turn in turns(text):
        if turn.is_answer:
            transcript.step()
            take(without_thoughts(turn.text), transcript, tools)
        elif turn.role in _TOOL_ROLES:
            transcript.result(turn.text.strip())
    return [transcript.trace()]


def answers(text: str) -> Iterator[str]:
    """What the model said, without its thoughts."""
    return (without_thoughts(turn.text) for turn in turns(text) if turn.is_answer)


def tools_for(text: str, wanted: Wanted) -> Mapping[str, Tool]:
    """The tools that were given, or else those that the text itself defines."""
    return wanted.tools or {tool.name: tool for tool in tools_in(text)}


def tools_in(document: Any) -> list[Tool]:
    """The tools that a text defines between `<tools>` and `</tools>`, as JSON."""
    if not isinstance(document, str) or "<tools>" not in document:
        return []
    entries: list[Any] = []
    for found in _TOOLS.finditer(document):
        for value in json_values(found[1])[0]:
            entries += value if isinstance(value, list) else [value]
    return read_definitions(entries)
