"""The answer of a model whose spelling of calls is not known in advance, as in results of benchmarks.

A benchmark has a decoder for each model, but its results do not name the decoder. What is tried is
what the decoders of the Berkeley Function Calling Leaderboard accept: calls in Python or in JSON,
alone or between marks or fences, and some spellings of single models. Text in which no call is
marked, and which is not a call as a whole, calls nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.call import INVALID, TRUNCATED, Malformed, excerpt
from callscore.formats.families.model_text import (
    json_values,
    starts_with_call,
    take_json,
    take_values,
)
from callscore.formats.families.python_calls import (
    PythonCall,
    find_call_list,
    is_python_call_list,
    parse_calls,
    parse_literal,
    read_plain_calls,
    take_call,
    take_unparsable,
)
from callscore.formats.reading import find_dialect
from callscore.formats.shape import as_list, first, json_of, list_of

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions
    from callscore.formats.transcript import Transcript

    Take = Callable[[str, Transcript, ReadOptions], bool]

# What models call in order to say that they call nothing.
_NO_CALL = ("no_function", "out_of_domain")
# The thought of a model may begin in the prompt: it ends with the last `</think>`.
_THOUGHT = re.compile(
    r"\A.*</think>|<think>.*\Z|<\|thought_start\|>.*?(?:<\|thought_end\|>|\Z)", re.DOTALL
)
_LEAD = re.compile(
    r"\s*(?:(?:ASSISTANT|Call):|<\|python_tag\|>|\[TOOL_CALLS\](?=\s*\[)"
    r"|(?:<\|start_header_id\|>)*(?:assistant)?<\|end_header_id\|>)\s*"
)
_TRAIL = re.compile(r"<bot_end>.*\Z|(?:<\|(?:im_end|eot_id|eom_id)\|>|</s>)\s*\Z", re.DOTALL)


def take_answer(text: str, transcript: Transcript, options: ReadOptions) -> None:
    """Add the calls of an answer, as one step; other text calls nothing."""
    answer = _TRAIL.sub("", _THOUGHT.sub("", text))
    lead = _LEAD.match(answer)
    answer = (answer[lead.end() :] if lead else answer).strip()
    transcript.close_step()
    any(take(answer, transcript, options) for take in _SPELLINGS)


def is_call_object(item: Any) -> bool:
    """Whether an object has the name of a call and its arguments under keys that say so."""
    if not isinstance(item, dict):
        return False
    function = item.get("function")
    inner = function if isinstance(function, dict) else item
    given = [inner.get(key) for key in _ARGUMENT_KEYS]
    is_definition = any(isinstance(value, dict) and "properties" in value for value in given)
    return (
        isinstance(first(inner, *_NAME_KEYS), str)
        and any(isinstance(value, dict | str) for value in given)
        and not (is_definition and "description" in inner)
    )


_NAME_KEYS = ("name", "tool_name", "function_name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "params")
_LIST_KEYS = ("tool_calls", "function_calls", "tools_call", "tools_calls")
_NAME = re.compile(r"[A-Za-z_][\w.-]*")


# --- a text that is nothing but calls ---------------------------------------------------------

# A fence with its language, if that is in a line of its own or one of these words.
_FENCE = re.compile(
    r"```(?P<language>[\w+-]*(?=[ \t]*\n)|(?:json|python|tool_code)(?=\s|\[|\{)|)"
    r"(?P<body>.*?)(?:```|\Z)",
    re.DOTALL,
)
# The name of a function in one line, and its arguments in the next, as GLM-4 writes them.
_NAME_ABOVE = re.compile(r"(?P<name>[A-Za-z_][\w.-]*)[ \t]*\n\s*(?P<arguments>\{.*)", re.DOTALL)
# Quotes around a call in a list, which may have the same quotes in it.
_QUOTE_BEFORE = re.compile(r"""([\[,]\s*)['"](?=[A-Za-z_][\w.]*\()""")
_QUOTE_AFTER = re.compile(r"""(?<=\))['"](?=\s*[,\]])""")
# Between lists that are one after another.
_LIST_BREAK = re.compile(r"""\]\s*(?:,\s*)?\[(?=\s*['"]?[A-Za-z_][\w.]*\()""")
# Braces, with or without a quote, or backquotes around each call in a list.
_BRACE_BEFORE = re.compile(r"""([\[,]\s*)(?:\{\s*['"]?|`)(?=[A-Za-z_][\w.\\]*\()""")
_BRACE_AFTER = re.compile(r"""(?<=\))(?:['"]?\s*\}|`)(?=\s*[,\]])""")


def _take_plain(text: str, transcript: Transcript, options: ReadOptions) -> bool:
    fence = _FENCE.fullmatch(text)
    text = (fence["body"] if fence else text).strip("`\n ")
    plain = read_plain_calls(text)
    if plain:  # as most answers are, and much faster
        _take_parsed(plain, transcript, options)
        return True
    return (
        _take_json(text, transcript)
        or _take_python(text, transcript, options)
        or _take_named_object(text, transcript)
    )


def _take_json(text: str, transcript: Transcript) -> bool:
    """Add calls in JSON, or in the same notation of Python; False if it is anything else."""
    if text[:1] not in ("{", "["):
        return False
    values, rest = json_values(text)
    is_json = bool(values) and not rest
    if not is_json:
        literal = parse_literal(text)
        values = [] if literal is None else [literal]
    items = _items(values)
    named = _named_in(values, items)
    are_calls = bool(named) or (bool(items) and all(map(is_call_object, items)))
    if are_calls:
        transcript.open_step()
        for name, arguments in named:
            transcript.call(name, arguments)
        made = [item for item in items if first(item, *_NAME_KEYS) not in _NO_CALL]
        if not named and is_json and made == values:
            take_json(text, transcript)  # it notices duplicate keys
        elif not named:
            take_values(made, transcript)
        return True
    if values or not starts_with_call(text.removeprefix("[").lstrip()):
        return False
    transcript.open_step()
    take_json(text, transcript, is_closed=False)
    return True


def _named_in(values: list[Any], items: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    """Names with their arguments, if there is nothing else in the lists.

    As the benchmark has calls after decoding, `[{"f": {"a": 1}}]`, or as `["f", {"a": 1}]`.
    """
    if not all(isinstance(value, list) for value in values):
        return []
    pairs = [value for value in values if _is_pair(value)]
    entries = values if pairs else items
    found = [
        tuple(entry) if _is_pair(entry) else tuple(*entry.items())
        for entry in entries
        if _is_pair(entry) or (isinstance(entry, dict) and len(entry) == 1)
    ]
    are_calls = len(found) == len(entries) and all(
        isinstance(name, str)
        and _NAME.fullmatch(name)
        and name not in _ARGUMENT_KEYS
        and isinstance(arguments, dict)
        for name, arguments in found
    )
    return found if are_calls else []


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2  # noqa: PLR2004  (a name and its arguments)
        and isinstance(value[0], str)
        and isinstance(value[1], dict)
    )


def _items(values: list[Any]) -> list[Any]:
    """What values list, or list under a name for calls."""
    items: list[Any] = []
    for value in values:
        listed = first(value, *_LIST_KEYS) if isinstance(value, dict) else None
        items += as_list(value if listed is None else listed)
    return items


def _take_python(text: str, transcript: Transcript, options: ReadOptions) -> bool:
    spellings = [text, *_other_spellings(text)]
    opened = [f"[{text}"] if text[-1:] == "]" and text[:1] != "[" else []
    for spelling in (*spellings, *opened):
        calls = parse_calls(spelling)
        if calls:
            _take_parsed(calls, transcript, options)
            return True
    broken = [spelling for spelling in spellings if is_python_call_list(spelling)]
    if broken:  # cut off, or malformed
        transcript.open_step()
        take_unparsable(broken[0], transcript, options.tools)
    return bool(broken)


def _take_parsed(calls: list[PythonCall], transcript: Transcript, options: ReadOptions) -> None:
    transcript.open_step()
    for call in calls:
        if call.name not in _NO_CALL:
            take_call(call, transcript, options.tools)


def _other_spellings(text: str) -> list[str]:
    """The text without what keeps some models' calls from being Python."""
    found = []
    text = _LIST_BREAK.sub(", ", text.removesuffix(","))
    if _BRACE_BEFORE.match(text):
        found.append(_BRACE_AFTER.sub("", _BRACE_BEFORE.sub(r"\1", text)))
        text = found[0]
    if text[:1] in ("'", '"') and text[-1:] == text[:1]:
        found.append(text[1:-1])
    if "\\_" in text:
        found.append(text.replace("\\_", "_"))
    if _QUOTE_BEFORE.match(text):
        quoted = list_of(parse_literal(text))
        if quoted and all(isinstance(item, str) for item in quoted):
            found.append("\n".join(quoted))
        found.append(_QUOTE_AFTER.sub("", _QUOTE_BEFORE.sub(r"\1", text)))
    return found


def _take_named_object(text: str, transcript: Transcript) -> bool:
    found = _NAME_ABOVE.fullmatch(text)
    if found is None:
        return False
    line = found["arguments"].partition("\n")[0]  # more text may follow below
    transcript.open_step()
    is_alone = isinstance(json_of(line), dict)
    transcript.call(found["name"], line if is_alone else found["arguments"])
    return True


# --- calls between marks ----------------------------------------------------------------------

_MARK = re.compile(
    r"<(?P<tag>tool_calls?|TOOLCALL|function_call|functioncall)>"
    r"|<\|(?P<token>tool_calls?|tool_call_start)\|>"
)
# Bodies in a notation that is a format of its own.
_OWN_NOTATION = re.compile(r"\s*(?:<function=|[\w.-]+\s*<arg_key>)")
_OTHER_TEXTS = frozenset(
    (
        *("text_deepseek", "text_glm", "text_harmony", "text_kimi", "text_mistral"),
        "text_qwen_coder",
    )
)


def _take_marked(text: str, transcript: Transcript, options: ReadOptions) -> bool:
    marks = list(_MARK.finditer(text))
    bodies: list[tuple[str, bool]] = []
    for place, mark in enumerate(marks):
        after = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        body = text[mark.end() : after]
        end = re.search(_end_of(mark), body)
        bodies.append((body[: end.start()] if end else body, end is not None))
    if not marks or any(_OWN_NOTATION.match(body) for body, _ in bodies):
        return False
    for body, is_closed in bodies:
        _take_body(body.strip(), transcript, options, is_closed=is_closed)
    return True


def _end_of(mark: re.Match[str]) -> str:
    if mark["tag"]:
        return f"</{mark['tag']}>"
    return r"<\|(?:/?tool_calls?|tool_call_end)\|>"


def _take_body(text: str, transcript: Transcript, options: ReadOptions, *, is_closed: bool) -> None:
    """Add what is between marks: even if it cannot be read, it is a call."""
    fence = _FENCE.fullmatch(text)
    text = fence["body"].strip() if fence else text
    if _take_json(text, transcript) or _take_python(text, transcript, options):
        return
    if text and not isinstance(json_of(text), list):
        transcript.open_step()
        take_json(text, transcript, is_closed=is_closed)


def _take_other(text: str, transcript: Transcript, options: ReadOptions) -> bool:
    """Add the calls of a text in a format of its own."""
    dialect = find_dialect(text, _OTHER_TEXTS)
    if dialect is None:
        return False
    for trace in dialect.read(text, options):
        for call in trace.calls or ():
            transcript.open_step()
            fault = None if call.error is None else Malformed(call.raw or "", call.error)
            transcript.call(call.name, call.arguments if fault is None else fault, call.id)
    return True


# --- calls in tags, with a tag for each argument, and FunctionGemma's -------------------------

# None of these patterns tries to go on behind the next tag, or from the middle of a word: a text with
# many beginnings would take quadratic time.
_XML_CALL = re.compile(
    r"""<function\s+name=(["'])(?P<name>[^<>]*?)\1\s*(?:/>|>(?P<body>.*?)(?P<end></function>|\Z))""",
    re.DOTALL,
)
_XML_ARGUMENT = re.compile(
    r"<param\s(?P<fields>[^<>]*+)>(?:(?<=/>)|(?P<text>.*?)(?:</param>|\Z))", re.DOTALL
)
_XML_FIELD = re.compile(r"""(?<!\w)(\w++)=(["'])(.*?)\2""", re.DOTALL)
_XML_TYPES = ("integer", "float", "number", "boolean", "array", "tuple", "object", "dict")
_GEMMA_CALL = re.compile(
    r"<start_function_call>\s*call:(?P<name>[^{\s<]+)(?P<body>\{.*?)"
    r"(?:<end_function_call>|(?=<start_function_call>)|\Z)",
    re.DOTALL,
)
_GEMMA_PART = re.compile(
    r"<escape>(?P<text>.*?)<escape>|(?<![\w.-])(?P<key>[A-Za-z_][\w.-]*+)(?=\s*:)", re.DOTALL
)


def _take_tags(text: str, transcript: Transcript, _: ReadOptions) -> bool:
    calls = [*_GEMMA_CALL.finditer(text)] or [*_XML_CALL.finditer(text)]
    for call in calls:
        transcript.open_step()
        if call.re is _GEMMA_CALL:
            transcript.call(call["name"], _GEMMA_PART.sub(_as_json, call["body"].strip()))
        elif call["body"] is not None and not call["end"]:
            transcript.call(call["name"], Malformed(excerpt(call["body"].strip()), TRUNCATED))
        else:
            transcript.call(unescape(call["name"]), _xml_arguments(call["body"] or ""))
    return bool(calls)


def _as_json(part: re.Match[str]) -> str:
    return msgspec.json.encode(part["key"] or part["text"]).decode()


def _xml_arguments(body: str) -> dict[str, Any] | Malformed:
    arguments: dict[str, Any] = {}
    for found in _XML_ARGUMENT.finditer(body):
        fields = {key: unescape(value) for key, _, value in _XML_FIELD.findall(found["fields"])}
        if "name" not in fields:
            return Malformed(excerpt(body.strip()), INVALID)
        text = fields["value"] if "value" in fields else unescape(found["text"] or "").strip()
        arguments[fields["name"]] = _xml_value(text, fields.get("type", "string"))
    return arguments


def _xml_value(text: str, kind: str) -> Any:
    """The value of a text by the type that the model gives; the text if it is not of the type."""
    if kind == "null":
        return None
    if kind not in _XML_TYPES:
        return text
    value = json_of(text.strip().lower() if kind == "boolean" else text.strip())
    if isinstance(value, str):
        literal = parse_literal(text)
        return text if literal is None else literal
    return float(value) if kind == "float" and type(value) is int else value


# --- calls among other text -------------------------------------------------------------------


def _take_fenced(text: str, transcript: Transcript, options: ReadOptions) -> bool:
    """Add the calls in fences. Code that is not a list is an example, unless it is marked as a call."""
    has_calls = False
    for fence in _FENCE.finditer(text):
        body = fence["body"].strip()
        is_code = fence["language"] == "tool_code" or is_python_call_list(body)
        has_calls |= _take_json(body, transcript) or (
            is_code and _take_python(body, transcript, options)
        )
    return has_calls


def _take_listed(text: str, transcript: Transcript, options: ReadOptions) -> bool:
    plain = text.replace("\\_", "_")
    plain = _BRACE_AFTER.sub("", _BRACE_BEFORE.sub(r"\1", plain))
    unquoted = _QUOTE_AFTER.sub("", _QUOTE_BEFORE.sub(r"\1", plain))
    for spelling in dict.fromkeys((text, plain, unquoted)):
        found = find_call_list(spelling)
        if found is not None:
            return _take_python(found, transcript, options)
    return False


_MAX_OBJECTS = 100
_OBJECT = re.compile(
    r"""(?:\[\s*)?\{\s*"(?:name|tool_name|function|arguments|parameters|type|id)"\s*:"""
)


def _take_objects(text: str, transcript: Transcript, _: ReadOptions) -> bool:
    """Add the calls in JSON among other text."""
    found: list[Any] = []
    position = 0
    for _attempt in range(_MAX_OBJECTS):
        start = _OBJECT.search(text, position)
        if start is None:
            break
        values, rest = json_values(text[start.start() :])
        items = _items(values)
        is_calls = bool(items) and all(map(is_call_object, items))
        found += items if is_calls else []
        position = len(text) - len(rest) if is_calls else start.end()
    if found:
        transcript.open_step()
        take_values(found, transcript)
    return bool(found)


_SPELLINGS: tuple[Take, ...] = (
    *(_take_tags, _take_marked, _take_plain, _take_other, _take_fenced, _take_listed),
    _take_objects,
)
