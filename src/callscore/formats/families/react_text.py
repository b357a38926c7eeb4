"""Text in the ReAct style: thoughts, actions with their input, and observations.

LangChain, CrewAI, LlamaIndex, Qwen-Agent and ToolBench ask for it in prompts. An action is

    Action: get_weather
    Action Input: {"city": "Paris"}

or a block of JSON with `action` and `action_input`, or `Search[Paris]` as in the original paper. What a
model writes after an action may be an observation of its own invention: the text does not show it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callscore.core.call import Malformed, Tool, excerpt
from callscore.formats.calls import read_arguments
from callscore.formats.families.model_text import json_values, make_markup
from callscore.formats.shape import as_list, json_of

if TYPE_CHECKING:
    from callscore.formats.transcript import Transcript

_LINE = r"(?m:^[ \t]*(?:\*\*)?(?:ASSISTANT )?)"
# Possessive: spaces that two parts of a pattern can share take quadratic time.
_NUMBER = r"[ \t]*+(?:\d++[ \t]*+)?"
_COLON = rf"{_NUMBER}:(?:\*\*)?"
_ACTION = rf"{_LINE}Action{_COLON}"
# What ends the input of an action, or an observation.
_NEXT = (
    rf"(?={_LINE}(?:Thought|Action|Final Answer|Answer|Response|Question|Human|User|AI){_COLON}"
    rf"|{_LINE}Observation\b|\Z)"
)
_WITH_INPUT = (
    rf"{_ACTION}(?P<name>[^\n]*?)(?<!\s)\s*+"
    rf"(?:\*\*)?(?:ASSISTANT )?\bAction{_NUMBER}Input{_COLON}"
    rf"(?P<input>.*?){_NEXT}"
)
_BLOCK = (
    rf"(?:{_ACTION}\s*)?```(?:json)?\s*"
    r'(?P<block>[\[{](?:(?!```).)*?"action_input"(?:(?!```).)*)(?:```|\Z)'
)
_BARE = rf'{_ACTION}\s*(?P<bare>\{{\s*"action"\s*:.*?){_NEXT}'
_IN_BRACKETS = rf"{_ACTION}[ \t]*(?P<verb>\w+)\[(?P<query>[^\n]*)\][ \t]*(?=\n|\Z)"
_RESULT = rf"{_LINE}Observation{_COLON}(?P<result>.*?){_NEXT}"
_PATTERN = f"(?:{_BLOCK}|{_BARE}|{_WITH_INPUT}|{_IN_BRACKETS})"
_SEARCH = re.compile(_PATTERN, re.DOTALL)
_NAME_IN_BLOCK = re.compile(r'"action"\s*:\s*"([^"\\]+)"')

# The names of no tool: the model says that it needs none, or gives its answer.
_NO_TOOL = re.compile(
    r"(?:none|null|n/?a|nothing|no (?:tool|action|further action)s?(?: (?:is |are )?(?:needed|required))?"
    r"|final[ _]answer|-*)\.?",
    re.IGNORECASE,
)
_END_VERB = "Finish"
# A line of the instructions to the model, which may be in front of its answer.
_INSTRUCTION = re.compile(
    r"(?:the |your )?(?:action|name|tool)s? (?:to|of|name)\b|.*\bone of\b", re.IGNORECASE
)
_MAX_NAME_LENGTH = 100
_COMMENT = re.compile(r"\([^()]*\)$")
_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)


def has_action(text: str) -> bool:
    """Whether a text has an action, which may be none, that is not part of the instructions."""
    has_mark = "Action" in text or "action_input" in text
    return has_mark and any(map(_is_action, _SEARCH.finditer(text)))


def _is_action(match: re.Match[str]) -> bool:
    name = match["name"]
    return name is None or _INSTRUCTION.match(name.strip()) is None


def _take(match: re.Match[str], transcript: Transcript, _: Mapping[str, Tool]) -> None:
    block = match["block"] if match["bare"] is None else match["bare"]
    if block is not None:
        _take_block(block.strip(), transcript)
    elif match["verb"] is not None:
        if match["verb"] != _END_VERB and _NO_TOOL.fullmatch(match["verb"]) is None:
            transcript.call(match["verb"], {"input": match["query"]})
    else:
        name = _COMMENT.sub("", match["name"].strip(" \t*`\"'")).strip("`\"' \t")
        is_tool = _NO_TOOL.fullmatch(name) is None and len(name) <= _MAX_NAME_LENGTH
        if is_tool and _INSTRUCTION.match(name) is None:
            transcript.call(name, _input_of(match["input"].strip()))


def _take_block(text: str, transcript: Transcript) -> None:
    """Add the actions of a block, which is an object or a list of them."""
    values, _ = json_values(text)
    entries = [entry for value in values for entry in as_list(value)]
    if not entries or not all(isinstance(entry, dict) for entry in entries):
        name = _NAME_IN_BLOCK.search(text)
        if name is not None and _NO_TOOL.fullmatch(name[1]) is None:
            error = read_arguments(text).error
            transcript.call(name[1], Malformed(excerpt(text), error or ""), error=error)
        return
    for entry in entries:
        name, given = entry.get("action"), entry.get("action_input")
        if isinstance(name, str) and _NO_TOOL.fullmatch(name) is None:
            transcript.call(name, _input_of(given) if isinstance(given, str) else given)


def _input_of(text: str) -> Any:
    """The arguments: JSON, or a text for a tool that takes only one."""
    if text in ("", "None", "null"):
        return {}
    fenced = _FENCED.fullmatch(text)
    text = fenced[1] if fenced else text
    if text[:1] != "{":
        value = json_of(text)
        return {"input": value if isinstance(value, str) else text}
    values, rest = json_values(text)
    # Words after an object are not part of it.
    is_object = len(values) == 1 and isinstance(values[0], dict)
    return text.removesuffix(rest) if is_object and rest[:1] not in ("{", "[") else text


REACT = make_markup(_PATTERN, _take, result=_RESULT)
