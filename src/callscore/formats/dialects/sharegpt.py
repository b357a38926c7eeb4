"""ShareGPT conversations (LLaMA-Factory, Hermes, glaive, ToolBench, ToolACE, APIGen).

Training sets of many makers have this form. Its roles have several names, and calls are JSON in a
turn of their own, or text in the turn of the model. What the prompt of the system shows as an example is not
a call, and neither is a rejected answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.formats.families.dataset_tools import (
    literal_of,
    read_dataset_tools,
    tools_in_prompt,
)
from callscore.formats.families.model_text import take_json, take_values, without_thoughts
from callscore.formats.families.python_calls import parse_calls, take_call
from callscore.formats.families.written_calls import take_written_calls
from callscore.formats.shape import at, dicts, first, json_of, name_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 422
EXAMPLE = {
    "conversations": [
        {"from": "human", "value": "How warm is it in Paris?"},
        {
            "from": "function_call",
            "value": '{"name": "get_weather", "arguments": {"city": "Paris"}}',
        },
        {"from": "observation", "value": "18C"},
        {"from": "gpt", "value": "18C."},
    ],
    "tools": "[]",
}
_LISTS = ("conversations", "conversation", "messages")
_CALLS = ("function_call", "tool_call", "function-call")
_ANSWERS = ("gpt", "assistant", "chatgpt", "bot", "model")
_ASKERS = ("human", "user")
_SPEAKERS = (*_CALLS, *_ANSWERS, *_ASKERS)
_RESULTS = (
    *("observation", "tool", "function", "function_response", "function-response"),
    *("tool_response", "function_result"),
)
_PARTS = ("text", "reasoning", "tool_call")
_TAGGED = re.compile(r"<tool_call>(?P<body>.*?)(?P<end></tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>(.*?)(?:</tool_response>|\Z)", re.DOTALL)
_LISTED = re.compile(r"<TOOLCALL>(.*?)(?:</TOOLCALL>|\Z)", re.DOTALL)
_TOOLS = re.compile(r"<tools>(.*?)(?:</tools>|\Z)", re.DOTALL)
# The name of a function in a list of calls; in some sets it has spaces, which Python does not allow.
_SPACED_NAME = re.compile(r"(?:(?<=\A\[)|(?<=\)),\s*)\s*(?P<name>[A-Za-z][\w .:&/'-]*?)\s*(?=\()")
SIGNS = Signs(keys=_LISTS, item_keys=("from",), reads_plain_chat=False)


def recognizes(document: Any) -> bool:
    """Whether it is a record with a conversation, or the turns of one."""
    if isinstance(document, list):
        return _are_turns(document)
    return isinstance(document, dict) and any(
        _are_turns(document.get(key)) or (key == "messages" and _have_parts(document[key]))
        for key in _LISTS
        if key in document
    )


def _are_turns(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(map(_is_turn, value))
        and any(turn["from"] in _SPEAKERS for turn in value)
    )


def _is_turn(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("from"), str)
        and isinstance(item.get("value"), str | None)
        and "value" in item
    )


def _have_parts(messages: Any) -> bool:
    """Whether messages have parts with a value, as in the newer files of LLaMA-Factory."""
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(
            isinstance(at(message, "content"), list)
            and all(
                isinstance(part, dict)
                and part.get("type") in _PARTS
                and isinstance(part.get("value"), str)
                for part in message["content"]
            )
            for message in messages
        )
        and any(message["content"] for message in messages)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the turns from first to last, and the answer that is preferred to another."""
    transcript = Transcript(options)
    question = None
    for role, text in _turns_in(document):
        if role in _ASKERS and question is None:
            question = text
        if not _RESPONSE.search(text):
            transcript.role(role)
        _take_turn(role, text, transcript)
    task = name_of(first(document, "id", "task_id")) if isinstance(document, dict) else None
    return [transcript.trace(id=task, input=question)]


def _turns_in(document: Any) -> list[tuple[str, str]]:
    turns = document if isinstance(document, list) else first(document, *_LISTS)
    found: list[tuple[str, str]] = []
    for turn in dicts(turns):
        role, value = first(turn, "from", "role"), turn.get("value")
        if isinstance(turn.get("content"), list):
            found += _parts_of(str(role), dicts(turn["content"]))
        elif isinstance(role, str) and isinstance(value, str):
            found.append((role, value))
    chosen = at(document, "chosen")
    if isinstance(at(chosen, "from"), str) and isinstance(at(chosen, "value"), str):
        found.append((chosen["from"], chosen["value"]))
    return found


def _parts_of(role: str, parts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The turns of a message in parts; its calls are one turn."""
    texts = [part["value"] for part in parts if isinstance(part.get("value"), str)]
    calls = [
        part["value"]
        for part in parts
        if part.get("type") == "tool_call" and isinstance(part.get("value"), str)
    ]
    if calls:
        return [("function_call", "\n".join(calls))]
    return [(role, text) for text in texts] if role in _RESULTS else [(role, "\n".join(texts))]


def _take_turn(role: str, text: str, transcript: Transcript) -> None:
    if role in _CALLS:
        transcript.step()
        body = without_thoughts(text).strip()
        if _TAGGED.search(body):
            _take_tagged(body, transcript)
        else:
            take_json(body, transcript)
    elif role in _RESULTS:
        _take_results(text, transcript)
    elif role in _ANSWERS:
        _take_answer(without_thoughts(text).strip(), transcript)
    else:
        transcript.unknown(role)


def _take_answer(text: str, transcript: Transcript) -> None:
    """Add the calls that the text of an answer has, in any notation of a known set."""
    tagged = [found for found in _TAGGED.finditer(text) if isinstance(_call_in(found), dict)]
    listed = [literal_of(found.strip()) for found in _LISTED.findall(text)]
    if tagged:
        transcript.step()
        _take_tagged(text, transcript)
    elif listed:
        transcript.step()
        take_values([json_of(item) for value in listed for item in value or []], transcript)
    elif text.startswith("[") and text.endswith(")]"):
        _take_functions(text, transcript)
    else:
        take_written_calls(text, transcript)


def _call_in(found: re.Match[str]) -> Any:
    return literal_of(found["body"].strip())


def _take_tagged(text: str, transcript: Transcript) -> None:
    """Add calls in tags. The Hermes set has objects of Python in some rows, and JSON in others."""
    for found in _TAGGED.finditer(text):
        call = _call_in(found)
        if isinstance(call, dict):
            take_values([call], transcript)
        else:
            take_json(found["body"], transcript, is_closed=bool(found["end"]))


def _take_functions(text: str, transcript: Transcript) -> None:
    """Add a list of calls of functions, whose names may have spaces."""
    calls = parse_calls(text)
    names: list[str] = []
    if calls is None:
        names = [found["name"] for found in _SPACED_NAME.finditer(text)]
        calls = parse_calls(_SPACED_NAME.sub(_placeholder, text))
        if calls is None or len(calls) != len(names):
            return
    if not calls or any(call.unnamed for call in calls):  # words in brackets
        return
    transcript.step()
    for place, call in enumerate(calls):
        named = call._replace(name=names[place]) if names else call
        take_call(named, transcript, transcript.options.tools)


def _placeholder(found: re.Match[str]) -> str:
    """What stands for the name of a function, after the comma that the match begins with."""
    return f"{'' if found[0][:1] != ',' else ', '}function"


def _take_results(text: str, transcript: Transcript) -> None:
    for result in _RESPONSE.findall(text) or [text]:
        value = literal_of(result)
        entries = [each for each in dicts(value) if isinstance(each.get("name"), str)]
        if isinstance(value, dict) and isinstance(value.get("name"), str) and "content" in value:
            transcript.result(result.strip(), name=value["name"])
        elif entries and len(entries) == len(value):
            for entry in entries:
                transcript.result(first(entry, "results", "content") or entry, name=entry["name"])
        else:
            transcript.result(result.strip())


def read_tools(document: Any) -> list[Tool]:
    """The tools of the record, or those that the prompt of the system defines."""
    tools = read_dataset_tools(at(document, "tools") or [])
    prompts = [text for role, text in _turns_in(document) if role == "system"]
    prompts += [prompt for prompt in [text_of(at(document, "system"))] if prompt]
    for prompt in [] if tools else prompts:
        found = _TOOLS.search(prompt)
        tools += tools_in_prompt(found[1] if found and found[1].strip() else prompt)
    return tools
