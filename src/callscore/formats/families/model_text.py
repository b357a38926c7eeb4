"""Text that a model wrote: its turns, its thoughts, and the calls marked in it.

A call within a thought was not made, and a thought within a call's arguments is an argument: the
one that begins first counts, so both are searched in one pass. A call that cannot be parsed is
still a call, of the tool whose name can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.call import INVALID, NOT_AN_OBJECT, TRUNCATED, Malformed, Tool, excerpt
from callscore.core.large_number import decode_json
from callscore.formats.calls import ARGUMENT_KEYS, ID_KEYS, raw_text, read_arguments
from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, at, dicts, first, json_of
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

    TakeCall = Callable[[re.Match[str], Transcript, Mapping[str, Tool]], None]
    TakeResult = Callable[[re.Match[str], Transcript], None]

# --- calls as JSON: one object, a list of them, or several in a row ----------------------------

_NAMES = ("name", "tool_name", "toolName", "tool", "function_name")
_GAP = re.compile(r"[\s;,]*")
# The beginning of a call: its name, and then its arguments.
_CALL_HEAD = re.compile(
    r"""\s*\{\s*(?:["']type["']\s*:\s*["']function["']\s*,\s*)?"""
    r"""["'](?:name|tool_name|function)["']\s*:\s*["'](?P<name>[^"'\\]+)["']\s*"""
    r"""(?:,\s*["'](?:arguments|parameters|args|input)["']\s*:\s*(?P<arguments>.*))?""",
    re.DOTALL,
)
_PLAIN_FIELD_COUNT = 2  # a call that has a name and arguments, and nothing else


def starts_with_call(text: str) -> bool:
    """Whether a text begins like a call, even if it breaks off or is not JSON further on."""
    head = _CALL_HEAD.match(text)
    return head is not None and head["arguments"] is not None


def json_values(text: str) -> tuple[list[Any], str]:
    """The JSON values in a row, and the rest of the text.

    Between them may be white space, a semicolon or a comma.
    """
    try:
        return [decode_json(text)], ""
    except (ValueError, RecursionError):
        pass
    from json import JSONDecoder  # noqa: TID251  (it returns where a value ends)

    find_end = JSONDecoder(parse_int=str, parse_float=str).raw_decode
    values: list[Any] = []
    start = _after_gap(text, 0)
    try:
        while start < len(text):
            end = find_end(text, start)[1]
            values.append(decode_json(text[start:end]))  # by the same rules as elsewhere
            start = _after_gap(text, end)
    except (ValueError, RecursionError):
        pass
    return values, text[start:]


def _after_gap(text: str, start: int) -> int:
    gap = _GAP.match(text, start)
    return gap.end() if gap else start


def take_json(text: str, transcript: Transcript, *, is_closed: bool = True) -> None:
    """Add the calls of a JSON text: an object, a list of objects, or several objects.

    If it is closed by a mark, nothing else belongs into it.
    """
    text = text.strip()
    values, rest = json_values(text)
    if not values and text[:1] == "[" and read_arguments(text).error == TRUNCATED:
        values, rest = json_values(text[1:])  # those before the end of the text
    if not values or (rest and is_closed and rest[0] not in "{["):
        _take_broken(text, transcript, is_closed=is_closed)
        return
    head = _CALL_HEAD.match(text) if len(values) == 1 and not rest else None
    if head is not None and head["arguments"] is not None and len(values[0]) == _PLAIN_FIELD_COUNT:
        # From the text, so that duplicate keys are noticed.
        transcript.call(head["name"], head["arguments"].rstrip().removesuffix("}"))
        return
    take_values(values, transcript)
    if rest and rest[0] in "{[":
        _take_broken(rest, transcript, is_closed=is_closed)


def take_values(values: list[Any], transcript: Transcript) -> None:
    """Add the calls of decoded values, and of lists among them."""
    for item in [item for value in values for item in as_list(value)]:
        if isinstance(item, dict):
            function = item.get("function")
            inner = function if isinstance(function, dict) else item
            name = first(inner, *_NAMES) or function
            transcript.call(name, first(inner, *ARGUMENT_KEYS), first(item, *ID_KEYS))
        else:
            transcript.call(None, Malformed(raw_text(item) or "", NOT_AN_OBJECT))


def _take_broken(text: str, transcript: Transcript, *, is_closed: bool) -> None:
    error = read_arguments(text).error or (INVALID if is_closed else TRUNCATED)
    head = _CALL_HEAD.match(text.removeprefix("["))
    name = head["name"] if head else None
    arguments = head["arguments"] if head else None
    if arguments is None:
        transcript.call(name, Malformed(excerpt(text), error))
        return
    if error != TRUNCATED:
        arguments = arguments.rstrip().removesuffix("}")
    transcript.call(name, arguments, error=error)


# --- the turns of a conversation, and the marks of thoughts, calls and results in them ---------

RESPONSE = r"<tool_response>(?P<result>.*?)(?:</tool_response>|\Z)"
_THOUGHT = r"(?P<thought><think>.*?(?:</think>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z))"
_LEADING_THOUGHTS = re.compile(rf"\s*(?:{_THOUGHT}\s*)*", re.DOTALL)
_THOUGHT_END = "</think>"
_NEVER = r"(?!)"  # matches nothing
_ASSISTANT_ROLE = "assistant"
_TOOL_ROLES = ("tool", "ipython", "observation")
# The beginning or the end of a turn in the templates of several families of models.
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
    """What one side said."""

    role: str
    text: str

    @property
    def is_answer(self) -> bool:
        """Whether the model said it."""
        return self.role == _ASSISTANT_ROLE


def split_turns(text: str) -> Iterator[Turn]:
    """The turns of a conversation; a text without roles is one answer."""
    role, start = _ASSISTANT_ROLE, 0
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
    """The end of a thought that began in the prompt; 0 if there is none."""
    end = text.find(_THOUGHT_END)
    return 0 if end < 0 or text.find("<think>", 0, end) >= 0 else end + len(_THOUGHT_END)


class Markup(NamedTuple):
    """How a family of models marks its thoughts, results and calls, and how these are added."""

    pattern: re.Pattern[str]
    take_call: TakeCall
    take_result: TakeResult


def take_text_result(match: re.Match[str], transcript: Transcript) -> None:
    """Add a result that names no call."""
    transcript.result(match["result"].strip())


def make_markup(
    call: str,
    take_call: TakeCall,
    *,
    result: str = RESPONSE,
    take_result: TakeResult = take_text_result,
    asked: str = _NEVER,
) -> Markup:
    """The markup of a family; its pattern of a result has a group `result`.

    `asked` is the beginning of what the user says, if the text has it without a role.
    """
    pattern = re.compile(f"{_THOUGHT}|(?P<asked>{asked})|{result}|(?P<call>{call})", re.DOTALL)
    return Markup(pattern, take_call, take_result)


def read_marked(document: Any, options: ReadOptions, how: Markup) -> list[Trace]:
    """The run in a text: the calls in the model's turns, with the results after them."""
    text = document if isinstance(document, str) else ""
    tools = tools_for(text, options)
    transcript = Transcript(options)
    for turn in split_turns(text):
        transcript.close_step()
        has_result = False
        for match in how.pattern.finditer(turn.text, _answer_start(turn.text)):
            if match["asked"] is not None:
                transcript.speaker(is_user=True)
            elif match["result"] is not None:
                has_result = True
                how.take_result(match, transcript)
                transcript.close_step()
            elif match["call"] is not None and turn.is_answer:
                transcript.open_step()
                how.take_call(match, transcript, tools)
        if not has_result:  # some templates have results in the name of the user
            transcript.role(turn.role)
    return [transcript.trace()]


def read_turns(
    document: Any, options: ReadOptions, take: Callable[[str, Transcript, Mapping[str, Tool]], None]
) -> list[Trace]:
    """The run in a text whose answers are calls as a whole, without their thoughts."""
    text = document if isinstance(document, str) else ""
    tools = tools_for(text, options)
    transcript = Transcript(options)
    for turn in split_turns(text):
        transcript.role(turn.role)
        if turn.is_answer:
            transcript.step()
            take(without_thoughts(turn.text), transcript, tools)
        elif turn.role in _TOOL_ROLES:
            transcript.result(turn.text.strip())
    return [transcript.trace()]


def answer_texts(text: str) -> Iterator[str]:
    """The answers of the model, without its thoughts."""
    return (without_thoughts(turn.text) for turn in split_turns(text) if turn.is_answer)


def tools_for(text: str, options: ReadOptions) -> Mapping[str, Tool]:
    """The given tools, or else those that the text itself defines."""
    return options.tools or {tool.name: tool for tool in tools_in(text)}


def tools_in(document: Any) -> list[Tool]:
    """The tools that a text defines between `<tools>` and `</tools>`, as JSON."""
    if not isinstance(document, str) or "<tools>" not in document:
        return []
    entries: list[Any] = []
    for found in _TOOLS.finditer(document):
        for value in json_values(found[1])[0]:
            entries += as_list(value)
    return read_definitions(entries)


# --- values without a type, typed by the schema of their tool ----------------------------------

_NULL_TEXTS = ("null", "none")
_BOOLEANS = {"true": True, "false": False}
_TYPES: dict[str, Any] = {"integer": int, "number": (int, float), "object": dict, "array": list}


def typed_arguments(pairs: Iterable[tuple[str, str]], tool: Tool | None) -> dict[str, Any]:
    """The argument object of names and texts; texts without a type in the schema stay text."""
    schema = tool.parameters if tool else None
    return {name: typed_value(text, schema, name) for name, text in pairs}


def tagged_call_reader(argument: re.Pattern[str]) -> TakeCall:
    """A function that adds a call with arguments in tags: `name` and `value` of a pattern."""

    def take(match: re.Match[str], transcript: Transcript, tools: Mapping[str, Tool]) -> None:
        name, body = match["name"].strip(), match["body"]
        if not match["end"]:
            transcript.call(name, Malformed(excerpt(body.strip()), TRUNCATED))
            return
        pairs = [(found["name"].strip(), found["value"]) for found in argument.finditer(body)]
        transcript.call(name, typed_arguments(pairs, tools.get(name)))

    return take


def typed_value(text: str, schema: Any, name: str) -> Any:
    """The value of a text for one property of a schema; the text if it does not fit."""
    kinds = _kinds(at(schema, "properties", name), schema)
    word = text.strip().lower()
    if "null" in kinds and word in _NULL_TEXTS:
        return None
    if not kinds or "string" in kinds:
        return text
    if "boolean" in kinds and word in _BOOLEANS:
        return _BOOLEANS[word]
    value = json_of(text.strip())
    is_fitting = any(isinstance(value, _TYPES.get(kind, ())) for kind in kinds)
    return value if is_fitting and not isinstance(value, bool) else text


def _kinds(schema: Any, root: Any) -> list[str]:
    """The types that a schema allows; none if it does not say."""
    reference = at(schema, "$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        schema = at(root, *reference.removeprefix("#/").split("/"))
    kinds: list[str] = []
    for option in (schema, *dicts(at(schema, "anyOf")), *dicts(at(schema, "oneOf"))):
        kind = at(option, "type")
        kinds += [item for item in kind if isinstance(item, str)] if isinstance(kind, list) else []
        kinds += [kind] if isinstance(kind, str) else []
    return kinds
