"""Python calls in text (Llama 3.2 and 4, LFM2 and others)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callscore.formats.families.model_text import answer_texts, read_turns, take_json
from callscore.formats.families.python_calls import is_python_call_list, take_python
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace
    from callscore.formats.transcript import Transcript

ORDER = 180
EXAMPLE = "[get_weather(city='Paris', unit='celsius'), get_time(city='Paris')]"
_BEGINNINGS = ("<|python_start|>", "<|tool_call_start|>")
_WRAPPED = re.compile(
    r"<\|(?:python|tool_call)_start\|>(.*?)(?:<\|(?:python|tool_call)_end\|>|\Z)", re.DOTALL
)
# Objects of SDKs, as Python prints them: messages and their parts, not calls of a model.
_PRINTED = re.compile(
    r"""\s*\[\s*(?:
    (?:AI|Human|System|Tool|Function|Chat|Remove|Base)Message(?:Chunk)?
    | (?:Text|Thinking|ToolUse|ServerToolUse|ToolResult)Block
    | Model(?:Request|Response) | (?:Text|Thinking|ToolCall|ToolReturn|UserPrompt|SystemPrompt)Part
    | Response(?:FunctionToolCall|OutputMessage|ReasoningItem) | ChatCompletion\w+ | Choice
    | (?:ToolCall|MessageOutput|ToolCallOutput|HandoffCall|Reasoning)Item
    | ToolSelection | ToolCall | AgentAction\w* | Document | NodeWithScore | TextNode
    )\(""",
    re.VERBOSE,
)
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with calls between tokens, or a list of calls and nothing else."""
    if not isinstance(document, str):
        return False
    if any(mark in document for mark in _BEGINNINGS):
        return True
    return "[" in document and any(
        is_python_call_list(answer) and not _PRINTED.match(answer)
        for answer in answer_texts(document)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls in the model's answers.

    An argument without a name gets the name in the tool's definition, or its position.
    """
    return read_turns(document, options, _take)


def _take(answer: str, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    wrapped = [found.strip() for found in _WRAPPED.findall(answer)]
    for text in wrapped or ([answer] if is_python_call_list(answer) else []):
        if text[:1] == "{" or text[:2] == "[{":  # some models write JSON between the tokens
            take_json(text, transcript)
        else:
            take_python(text, transcript, tools)
