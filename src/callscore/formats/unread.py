"""Finds what looks like calls in a document from which no call was read.

"No calls" is a good answer to some questions. A document whose calls could not be read must not pass
for one: it would look like a bad agent. So a document without calls is searched for the fields and
the marks in text that only calls have. Definitions of tools, token counts, and what others than the
model said do not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

from callscore.formats.shape import json_of

_MAX_NODES = 20_000  # of a document: what is found beyond them was found before them, too
_MAX_TEXT = 200_000  # characters
_MAX_KIND = 200  # characters: the pattern takes quadratic time


class Sign(Struct, frozen=True):
    """Something that looks like calls.

    Attributes:
        path: where it is: `$.messages[2].content`.
        what: the key, the mark or the kind that was found.
        value: the object, list or text that holds it.
    """

    path: str
    what: str
    value: Any


# --- keys and kinds ----------------------------------------------------------------------------

# Written in any case, with or without separators.
_CALL_KEYS = re.compile(
    "toolcall|functioncall|tooluse|toolinvocation|toolrequest|calledtool|toolscalled|toolname|callid"
    "|toolinput|toolarg|toolkwarg|toolparameter|aitool|executablecode|arguments$"
)
_NO_CALL_KEYS = re.compile(
    "^(?:max|num|parallel|has|total|pre|post)|(?:count|choice|parser|config|requests|limit|schema|names|result|output|response)s?$"
    "|agentcallid$"  # of the call of an agent, by Pydantic AI
)
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_KIND_KEYS = frozenset(
    (
        *("type", "kind", "part_kind", "block_type", "content_type", "event", "event_type"),
        *("$type", "stringValue"),  # as OpenTelemetry encodes a text
    )
)
_KIND_SUFFIXES = ("type", "kind", "stringvalue")
_CALL_KINDS = re.compile(
    r"(?:tool|function)(?:call|use|request|invocation)(?!\w*(?:result|output|response))"
    r"|call$|executetool$"
)
_TOOL_KINDS = re.compile(r"(?:tool|function)(?:v?\d+)?$")  # of tools and of their spans
_REASON_SUFFIXES = ("finishreason", "stopreason")
_CALL_REASONS = re.compile("toolcall|tooluse|functioncall")
# What spans and runs of tools say that they are.
_TOOL_SPANS = frozenset(
    ("execute_tool", "tool", "TOOL", "gen_ai.tool.name", "tool.name", "tools/call")
)
_TOOL_SPAN_KEYS = frozenset(
    (
        *("gen_ai.operation.name", "openinference.span.kind", "mlflow.spanType", "run_type"),
        *("key", "method"),
    )
)
_SPAN_SUFFIXES = ("spantype", "spankind", "runtype")
_NAME_KEYS = frozenset(("name", "tool", "tool_name", "toolName", "function_name", "functionName"))
_ARGUMENT_KEYS = frozenset(
    (
        *("arguments", "args", "tool_input", "toolInput", "tool_args", "kwargs", "parameters"),
        *("input_parameters", "inputParameters", "tool_kwargs"),
    )
)
_INPUT_KEYS = frozenset(("input", "inputs"))  # of anything; of a tool, its arguments
# Definitions, options of a request, counts, results: there are tools in them, and no calls.
_NO_CALLS_BELOW = frozenset(
    (
        *("tools", "functions", "tool_choice", "toolChoice", "available_tools", "availableTools"),
        *("tool_definitions", "toolDefinitions", "functionDeclarations", "function_declarations"),
        *("toolConfig", "tool_config", "response_format", "usage", "usageMetadata", "token_usage"),
        *(
            "usage_metadata",
            "tool_schemas",
            "input_schema",
            "inputSchema",
            "gen_ai.tool.definitions",
        ),
        *("gen_ai.prompt", "gen_ai.input.messages", "input.value"),
        *("toolResult", "tool_result", "functionResponse", "function_response"),
    )
)
_INPUT_PREFIXES = ("llm.input_messages", "gen_ai.prompt", "llm.tools", "llm.request", "ai.prompt")
# What a model was given may contain the calls of earlier runs, where its answer is beside it.
_OUTPUTS = {
    "input": "output",
    "inputs": "outputs",
    "request": "response",
    "requests": "responses",
    "httpRequest": "httpResponse",
    # Of training sets: the other choices, and what a model should not answer.
    "answers": "correct_answer",
    "rejected": "chosen",
    "rejected_response": "chosen_response",
}

# Where datasets and reports have what should be called. The actual side of a case is searched when
# it is read.
_EXPECTED_KEYS = re.compile(
    "expect|reference|groundtruth|gold|ideal|target|criteria|assert|^tests?$|^testcase|^task|^actual$"
)
_ANSWERS = ("choices", "candidates")  # to the same question

# --- text --------------------------------------------------------------------------------------

_ROLE_KEYS = ("role", "from", "speaker", "author", "source", "type")
# Those who speak to the model: its instructions may explain how to write a call.
_OTHER_ROLES = frozenset(
    (
        *("user", "human", "system", "developer", "tool", "function", "observation", "ipython"),
        *("function_response", "tool_response", "environment", "tool_result"),
    )
)
_OTHER_TEXT_KEYS = frozenset(
    (
        *("prompt", "system", "instructions", "instruction", "system_prompt", "systemPrompt"),
        *("question", "query", "user", "description", "input", "inputs", "task", "observation"),
        *("observations", "reasoning", "thinking", "thought", "log"),
    )
)
_TEXT_MARKS = re.compile(
    # Also with a prefix (`<minimax:tool_call>`), and without an end: an answer may be cut off.
    r"<[|/\uff5c]?(?:\w+[:\uff5c])?(?:tool|function)[_-]?calls?[^>\n]*>?"
    r"|<[a-z]+(?:_[a-z]+)+>\s{0,9}<([a-z_]+)>[^<]{0,2000}</\1>"
    r"|<function=|<invoke name=|<tool_use>|\[TOOL_CALLS?\]|<\|python_tag\|>|<\uff5ctool"
    r"|\bto=functions\."
    # Limited, because a hostile text can have very many of these.
    r"|^[ \t]*Action(?:[ \t]*\d+)?:(?=.{0,4000}?^[ \t]*Action[ \t\d]*Input[ \t\d]*:)"
    r"""|["']function_?call["']\s*:\s*[\[{]|["']tool_?calls["']\s*:\s*\[\s*\{"""
    r"""|\{\s*["'](?:name|tool_name|tool|function)["']\s*:\s*["'][^"']+["']\s*,"""
    r"""\s*["'](?:arguments|parameters|args|input|tool_input)["']\s*:""",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
# One of these is in every text with a call.
_MAY_CALL = re.compile(r"[<{]|\w\(|\[\s{0,9}[\w\"'{]|```|to=functions|action", re.IGNORECASE)
_JSON_STARTS = ("{", "[")
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)|\A.*?</think>", re.DOTALL)
_FENCES = re.compile(r"```[\w-]*\n(.*?)(?:```|\Z)", re.DOTALL)
_FIRST_WORD = re.compile(r"^[ \t$>]*([\w.:-]+)", re.MULTILINE)


def warn_unread(text: str) -> None:
    """Warn the caller of callscore about what looks like calls and was not read."""
    import sys
    import warnings

    from callscore.errors import UnreadCalls

    level, frame = 1, sys._getframe()  # noqa: SLF001  (the only way to know who called)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{text} It was not read.", UnreadCalls, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "callscore"


def is_call_kind(kind: object) -> bool:
    """Whether the kind of an item is that of a call: `web_search_call`, `tool-call`, `toolUse`."""
    if not isinstance(kind, str) or len(kind) > _MAX_KIND:
        return False
    return _CALL_KINDS.search(_plain(kind)) is not None


def find_sign(
    document: Any,
    tools: Callable[[], Collection[str]] = tuple,
    is_calls: Callable[[str], bool] | None = None,
    *,
    candidate: int = 0,
    has_expected: bool = False,
) -> Sign | None:
    """The first thing in a document that looks like calls; None if nothing does.

    A reason to stop, which does not say where the calls are, counts only if there is nothing else.

    Args:
        document: what no call was read from.
        tools: returns the names of the tools, which fenced code may call.
        is_calls: whether a text is in a known notation of calls.
        candidate: which of several answers was read; the others do not count.
        has_expected: whether expected calls were read from it; they do not count, either.
    """
    hint = None
    nowhere = _NO_CALLS | _EXPECTED if has_expected else _NO_CALLS
    for sign, is_certain in _signs(document, tools, is_calls, (candidate, nowhere)):
        if is_certain:
            return sign
        hint = hint or sign
    return hint


def _signs(
    document: Any,
    tools: Callable[[], Collection[str]],
    is_calls: Callable[[str], bool] | None,
    where: tuple[int, int],
) -> Iterator[tuple[Sign, bool]]:
    """Every sign in a document, and whether it is where the calls are.

    `where` is the number of the answer that was read, and the roles of keys without calls of it.
    """
    candidate, nowhere = where
    pending: list[_Node] = [_Node(document, None, None, is_spoken=True)]
    for _ in range(_MAX_NODES):
        if not pending:
            break
        node = pending.pop()
        if isinstance(node.value, str) and node.value[:1] in _JSON_STARTS:
            node.value = json_of(node.value)
        value = node.value
        what, is_certain = None, True
        if isinstance(value, dict):
            what, is_certain = _object_sign(value, nowhere)
            pending += _fields_of(value, node, nowhere)
        elif isinstance(value, list):
            pending += _items_of(value, node, candidate)
        elif isinstance(value, str) and node.is_spoken:
            # A text that is the whole document has been read already.
            what = _text_sign(value, tools, None if value is document else is_calls)
        if what is not None:
            yield Sign(node.path, what, value), is_certain


class _Node:
    """A value in a document: under which key of which other one, and whether the model says it."""

    __slots__ = ("is_spoken", "key", "owner", "value")

    def __init__(self, value: Any, key: Any, owner: _Node | None, *, is_spoken: bool) -> None:
        self.value, self.key, self.owner, self.is_spoken = value, key, owner, is_spoken

    @property
    def path(self) -> str:
        steps = []
        node = self
        while node.owner is not None:  # not recursive: a document can be nested deeply
            key = node.key
            is_plain = isinstance(key, str) and key.isidentifier()
            steps.append(f".{key}" if is_plain else f"[{key!r}]")
            node = node.owner
        return "$" + "".join(reversed(steps))


def _fields_of(value: dict[Any, Any], node: _Node, nowhere: int) -> list[_Node]:
    """The fields of an object that can hold calls, the last one first."""
    is_spoken = node.is_spoken and _speaks(value)
    found = []
    for key, item in value.items():
        is_text = item.__class__ is str
        if is_text or isinstance(item, dict | list):
            is_said = is_spoken and not _role_of(key) & _OTHER_TEXT
            may_call = not is_text or _may_call(item, is_said=is_said)
            if may_call and not _is_beside(key, value, nowhere):
                found.append(_Node(item, key, node, is_spoken=is_said))
    found.reverse()
    return found


def _may_call(text: str, *, is_said: bool) -> bool:
    """Whether a text can be or have a call: the text of anything in JSON, or what a model says."""
    return text[:1] in _JSON_STARTS or (is_said and _MAY_CALL.search(text) is not None)


def _items_of(value: list[Any], node: _Node, candidate: int) -> list[_Node]:
    is_answers = node.key in _ANSWERS
    found = [
        _Node(item, number, node, is_spoken=node.is_spoken)
        for number, item in enumerate(value)
        if (isinstance(item, dict | list) or (isinstance(item, str) and item))
        and not (is_answers and number != candidate)
    ]
    found.reverse()
    return found


def _speaks(value: dict[Any, Any]) -> bool:
    """Whether an object is not a message of somebody else than the model."""
    for key in _ROLE_KEYS:
        role = value.get(key)
        if isinstance(role, str) and role.lower() in _OTHER_ROLES:
            return False
    return True


# What the key of a field says about it: bits, because they are asked for every field.
_NO_CALLS = 1  # definitions, options, counts, the input of the model
_INPUT = 2  # no calls of this run, if the output is beside it
_OTHER_TEXT = 4  # not said by the model
_KIND = 8
_REASON = 16  # why the model stopped
_SPAN = 32  # what a span or a run is about
_CALLS = 64
_EXPECTED = 128  # no calls of the model, if expected calls were read
_KEY = 256  # the name of an attribute


@lru_cache(maxsize=8_192)
def _role_of(key: Any) -> int:
    plain = _plain(key)
    if key in _NO_CALLS_BELOW or (isinstance(key, str) and key.startswith(_INPUT_PREFIXES)):
        return _NO_CALLS
    role = 0
    for is_so, named in (
        (key in _OUTPUTS, _INPUT),
        (key in _OTHER_TEXT_KEYS, _OTHER_TEXT),
        (key in _KIND_KEYS or plain.endswith(_KIND_SUFFIXES), _KIND),
        (plain.endswith(_REASON_SUFFIXES), _REASON),
        (key in _TOOL_SPAN_KEYS or plain.endswith(_SPAN_SUFFIXES), _SPAN),
        (key == "key", _KEY),
        (_CALL_KEYS.search(plain) and not _NO_CALL_KEYS.search(plain), _CALLS),
        (_EXPECTED_KEYS.search(plain), _EXPECTED),
    ):
        role |= named if is_so else 0
    return role


def _is_beside(key: Any, owner: dict[Any, Any], nowhere: int) -> bool:
    """Whether a field cannot hold calls that the model made in this run."""
    role = _role_of(key)
    return bool(role & nowhere) or (bool(role & _INPUT) and bool(owner.get(_OUTPUTS[key])))


def _object_sign(value: dict[Any, Any], nowhere: int) -> tuple[str | None, bool]:
    """What looks like a call in an object, and whether the calls are in this object.

    That the model stopped for a call says that there is one, but not where.
    """
    field = hint = None
    for key, item in value.items():
        role = _role_of(key)
        if not role or role & nowhere:
            continue
        if isinstance(item, str) and _names_call(role, item):
            return f"{key}: {item}", True
        if role & _CALLS and field is None and _is_filled(key, item, value):
            field = str(key)
        if role & _KEY and field is None and _is_attribute(item, value):
            field = str(item)
        if role & _REASON and _CALL_REASONS.search(_plain(item)):
            hint = f"{key}: {item}"
    found = _named_call(value) or field
    return (found, True) if found else (hint, False)


def _is_attribute(key: Any, owner: dict[Any, Any]) -> bool:
    """Whether a key is that of an attribute for calls, as OpenTelemetry writes it beside its value."""
    held = owner.get("value")
    if not isinstance(key, str) or not isinstance(held, dict) or not _role_of(key) & _CALLS:
        return False
    return any(_is_filled(key, item, owner) for item in held.values())


def _names_call(role: int, text: str) -> bool:
    """Whether a field says that its object is a call."""
    if role & _KIND and is_call_kind(text):
        return True
    return bool(role & _SPAN) and text.strip('"') in _TOOL_SPANS


def _named_call(value: dict[Any, Any]) -> str | None:
    """The keys of an object that has the name of a tool and arguments."""
    names = [key for key in _NAME_KEYS.intersection(value) if _is_name(value[key])]
    if not names:
        return None
    name = min(names, key=list(value).index)
    given = next((key for key in value if key in _ARGUMENT_KEYS and _are_arguments(key, value)), "")
    if not given and _is_of_tool(value):  # whose input may not be recorded
        given = next((key for key in value if key in _INPUT_KEYS), "")
    return f"{name} and {given}" if given else None


def _are_arguments(key: Any, owner: dict[Any, Any]) -> bool:
    given = json_of(owner[key])
    if isinstance(given, dict):
        return not _is_schema(given, owner)
    return key == "arguments" and isinstance(given, str)  # malformed


def _is_of_tool(value: dict[Any, Any]) -> bool:
    """Whether one of the kinds of an object is that of a tool or a function."""
    return any(
        isinstance(item, str) and _role_of(key) & _KIND and _TOOL_KINDS.search(_plain(item))
        for key, item in value.items()
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_schema(given: dict[Any, Any], owner: dict[Any, Any]) -> bool:
    """Whether it describes arguments, so that its owner is the definition of a tool."""
    is_empty = not given and "description" in owner
    return is_empty or "properties" in given or given.get("type") in ("object", "OBJECT")


def _is_filled(key: Any, value: Any, owner: dict[Any, Any]) -> bool:
    """Whether a field for calls has any in it: some stacks write it empty, or define tools there."""
    if isinstance(value, str):
        is_name = _plain(key).rstrip("0123456789").endswith(("id", "name"))
        return bool(value) and (is_name or value.lstrip()[:1] in ("{", "["))
    if isinstance(value, dict):
        is_filled = any(item not in (None, "", [], {}) for item in value.values())
        return is_filled and not _is_schema(value, owner)
    return isinstance(value, list) and any(item not in (None, "", [], {}) for item in value)


def _text_sign(
    text: str, tools: Callable[[], Collection[str]], is_calls: Callable[[str], bool] | None
) -> str | None:
    text = _THOUGHTS.sub("", text[:_MAX_TEXT])
    mark = _TEXT_MARKS.search(text)
    if mark is not None:
        return " ".join(mark[0].split())[:40]
    fences = _FENCES.findall(text) if "```" in text else ()
    names = tools() if fences else ()
    for fence in fences:
        for word in _FIRST_WORD.findall(fence):
            if word in names:
                return f"``` with {word}"
    if is_calls is not None and is_calls(text):
        return "text in a notation of calls"
    return None


def _plain(key: object) -> str:
    return _SEPARATORS.sub("", str(key).lower())
